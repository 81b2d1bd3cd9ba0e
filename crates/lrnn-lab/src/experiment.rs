//! Experiments: many methods on many datasets, each by cross-validation on the same folds; their table, who wins how
//! often, and the figure.
//!
//! Every dataset and method has a folder with a journal of its own, so whatever was done stays done.

use std::path::{Path, PathBuf};

use lrnn::{Error, ErrorKind, Limits};
use lrnn_io::{ExperimentData, ExperimentFile, Method, check_free, create_folder, file_error};
use lrnn_report::{Series, errors_figure};
use serde::Serialize;

use crate::baseline::Baseline;
use crate::crossval::{Crossval, Monitor, RESULTS, data_of, json, write_files};
use crate::folds::WorkShard;
use crate::options::CrossvalOptions;
use crate::results::{CrossvalResults, percent, t_test};
use crate::search::{SearchMethod, SearchSpace};
use crate::statistics::{Record, mean, record, wilcoxon};
use crate::workers::Workers;
use lrnn::threads::pooled;
use lrnn_report::table::TextTable;

/// Errors that differ by no more are a tie.
const TIE: f64 = 1e-9;
/// A difference this unlikely by chance is called significant.
const SIGNIFICANT: f64 = 0.05;

/// Datasets and methods to measure on them.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The file, and the folder of its data if it is not beside it.
    place: (PathBuf, Option<PathBuf>),
    file: ExperimentFile,
    /// By dataset and method.
    cells: Vec<Vec<CrossvalOptions>>,
}

impl Experiment {
    /// Reads the file of an experiment; its datasets are in the folder `data`, or beside the file.
    pub fn read(path: &Path, data: Option<&Path>, limits: &Limits) -> Result<Self, Error> {
        let file = ExperimentFile::read(path, data)?;
        let source = ExperimentSource { path, file: &file, limits };
        source.check_names()?;
        let mut cells = Vec::new();
        for dataset in &file.datasets {
            if !dataset.path.exists() {
                let error = file_error(&dataset.path, "there is no such file or folder");
                return Err(error.help(format!("paths are relative to {}, or to --data", path.display())));
            }
            let options = file.methods.iter().map(|method| source.options(dataset, method));
            cells.push(options.collect::<Result<_, _>>()?);
        }
        Ok(Self { place: (path.to_owned(), data.map(Path::to_owned)), file, cells })
    }

    /// Measures every method on every dataset, but for what the folder `out` holds already. Whatever is found is
    /// written at once. Where it was stopped, results are missing.
    pub fn run(&self, out: &Path, monitor: &dyn Monitor) -> Result<ExperimentResults, Error> {
        let (mut results, mut last) = (self.begin(out)?, None);
        for (at, method_at) in self.order(out) {
            match self.measure(out, (at, method_at), monitor, &mut last) {
                Err(error) if error.kind() == ErrorKind::Stopped => break,
                Err(error) => return Err(error),
                Ok(found) => {
                    monitor.cell(at, method_at, &found);
                    results.results[at][method_at] = Some(found);
                }
            }
            results.compare();
            results.write(out)?;
        }
        Ok(results)
    }

    /// Does the same with workers, each of which measures a method on a dataset.
    pub fn run_with(
        &self,
        out: &Path,
        workers: &dyn Workers,
        monitor: &dyn Monitor,
    ) -> Result<ExperimentResults, Error> {
        self.begin(out)?;
        let (file, data) = &self.place;
        workers.run_cells(file, data.as_deref(), out, self.cell_places().count())?;
        self.run(out, monitor)
    }

    /// Makes the folder of an experiment.
    fn begin(&self, out: &Path) -> Result<ExperimentResults, Error> {
        let results = ExperimentResults::new(&self.file);
        if !out.join(RESULTS).exists() {
            check_free(out, "choose another with --out")?;
            results.write(out)?;
        }
        Ok(results)
    }

    /// Runs a shard of the cells, each a method on a dataset, in a folder. Processes may run several at the same
    /// time; [`Experiment::run`] in that folder does what is left and puts everything together.
    pub fn run_shard(&self, out: &Path, shard: WorkShard, monitor: &dyn Monitor) -> Result<(), Error> {
        self.begin(out)?;
        let own = self.cell_places().enumerate().filter(|(place, _)| shard.has(*place));
        let mut last = None;
        for (_, (dataset, method)) in own {
            let found = self.measure(out, (dataset, method), monitor, &mut last)?;
            monitor.cell(dataset, method, &found);
        }
        Ok(())
    }

    /// Measures a method on a dataset. The cross-validation before it serves again where it has the same options, as
    /// baselines have that learn from facts: data is read once then, and clauses are found once.
    fn measure(
        &self,
        out: &Path,
        (dataset, method): (usize, usize),
        monitor: &dyn Monitor,
        last: &mut Option<(String, Crossval)>,
    ) -> Result<CrossvalResults, Error> {
        let options = self.cells[dataset][method].clone();
        let key = json(&options)?;
        let (dataset, method) = (&self.file.datasets[dataset], &self.file.methods[method]);
        let baseline = method.baseline.as_deref().map(Baseline::find).transpose()?;
        let folder = cell_folder(out, dataset, method);
        let same = last.take().filter(|(other, _)| *other == key);
        let found = pooled(|| {
            let crossval = same.map_or_else(|| Crossval::open(options), |(_, same)| Ok(same))?;
            let found = crossval.measure(&folder, baseline, monitor);
            *last = Some((key, crossval));
            found
        });
        found.map_err(|error| match error.kind() {
            ErrorKind::Stopped => error,
            _ => error.before(format!("dataset {}, method {}", dataset.name, method.name)),
        })
    }

    /// Goes through the cells, dataset by dataset.
    fn cell_places(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (datasets, methods) = (self.file.datasets.len(), self.file.methods.len());
        (0..datasets).flat_map(move |dataset| (0..methods).map(move |method| (dataset, method)))
    }

    /// Returns the names of datasets and methods.
    pub fn names(&self) -> (Vec<String>, Vec<String>) {
        names(&self.file)
    }

    /// Goes through datasets and methods, dataset by dataset; what was done before comes first, so that no summary is
    /// without it.
    fn order(&self, out: &Path) -> Vec<(usize, usize)> {
        let ExperimentFile { datasets, methods, .. } = &self.file;
        let mut order: Vec<(usize, usize)> = self.cell_places().collect();
        order.sort_by_cached_key(|&(dataset, method)| {
            !cell_folder(out, &datasets[dataset], &methods[method]).join(RESULTS).exists()
        });
        order
    }
}

fn names(file: &ExperimentFile) -> (Vec<String>, Vec<String>) {
    let datasets = file.datasets.iter().map(|dataset| dataset.name.clone()).collect();
    (datasets, file.methods.iter().map(|method| method.name.clone()).collect())
}

fn cell_folder(out: &Path, dataset: &ExperimentData, method: &Method) -> PathBuf {
    out.join(folder_name(&dataset.name)).join(folder_name(&method.name))
}

/// Returns a name as a folder.
fn folder_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let name: String = name.chars().map(plain).collect();
    if name.trim_matches('.').is_empty() { format!("-{name}") } else { name }
}

/// The file of an experiment with the place it was read from.
struct ExperimentSource<'a> {
    path: &'a Path,
    file: &'a ExperimentFile,
    limits: &'a Limits,
}

impl ExperimentSource<'_> {
    fn wrong(&self, message: &str) -> Error {
        Error::new(ErrorKind::Content, format!("{}: {message}", self.path.display()))
    }

    /// Checks that names have folders of their own, and that there are such baselines.
    fn check_names(&self) -> Result<(), Error> {
        for method in &self.file.methods {
            let Some(Err(error)) = method.baseline.as_deref().map(Baseline::find) else { continue };
            if method.baseline.as_deref() == Some("boosted") {
                return Err(error);
            }
            let found = self.wrong(&format!("method `{}`: {}", method.name, error.message()));
            return Err(found.help(format!("there are {}", Baseline::names().collect::<Vec<_>>().join(", "))));
        }
        let twice = |names: Vec<&str>| {
            let mut folders: Vec<String> = names.into_iter().map(folder_name).collect();
            folders.sort();
            folders.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone())
        };
        let methods = twice(self.file.methods.iter().map(|method| method.name.as_str()).collect());
        let datasets = twice(self.file.datasets.iter().map(|dataset| dataset.name.as_str()).collect());
        match methods.or(datasets) {
            Some(name) => Err(self
                .wrong(&format!("two names have the same folder, `{name}`"))
                .help("names should differ in letters, digits, `.`, `_` and `-`")),
            None => Ok(()),
        }
    }

    /// Returns what one method on one dataset needs.
    fn options(&self, dataset: &ExperimentData, method: &Method) -> Result<CrossvalOptions, Error> {
        let file = self.file;
        let place = format!("{}, method `{}`", self.path.display(), method.name);
        let settings = method.settings(file.seed, &format!("{place}, learning: "))?;
        let any = || file.methods.iter().find_map(|method| method.template.clone());
        // A baseline that needs no template takes any, to read the data with.
        let template = method.template.clone().or_else(any).ok_or_else(|| {
            let error = self.wrong("no method has a template to read the data with");
            error.help("write template = \"FILE\" for one of them")
        })?;
        let mut options = CrossvalOptions::new(template, data_of(&dataset.path)?, settings);
        options.families = vec![method.family.clone()];
        options.folds = match file.folds {
            Some(0 | 1) => return Err(self.wrong("`folds` must be a number from 2")),
            folds => folds,
        };
        if let Some(text) = file.inner() {
            let inner = text.parse();
            options.inner =
                inner.map_err(|why: &str| self.wrong(&format!("`inner` cannot be `{text}`: {why}")))?;
        }
        let search = SearchMethod::new(file.search.as_deref().unwrap_or("grid"), file.trials);
        options.search = search.map_err(|error| {
            let help = error.sentences().find_map(|(_, help)| help.map(str::to_owned)).unwrap_or_default();
            self.wrong(error.message()).help(help)
        })?;
        options.repeats = file.seeds.unwrap_or(1).max(1);
        options.keep_models = false;
        options.limits = self.limits.clone();
        let folder = self.path.parent().unwrap_or(Path::new(""));
        options.with_space(SearchSpace(method.search()), folder, &format!("{place}, search: "))
    }
}

/// The results of an experiment, as far as it is done.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct ExperimentResults {
    /// The datasets, in the order of the file.
    pub datasets: Vec<String>,
    /// The methods, in the order of the file.
    pub methods: Vec<String>,
    /// By dataset and method; `None` if it is not done.
    pub results: Vec<Vec<Option<CrossvalResults>>>,
    /// Every method against every later one.
    pub comparisons: Vec<MethodComparison>,
    /// Each template with each baseline on its own rule bodies, by their numbers.
    #[serde(skip)]
    rivals: Vec<(usize, usize)>,
}

/// One method against another, on the datasets that both have.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MethodComparison {
    /// The method.
    pub method: String,
    /// The other one.
    pub against: String,
    /// The number of datasets on which it has the smaller error, the same, the larger one.
    #[serde(flatten)]
    pub record: Record,
    /// The probability by Wilcoxon's test that the differences over datasets are chance.
    pub wilcoxon_p: Option<f64>,
    /// The number of datasets on which it is significantly better, over folds.
    pub significantly_better: usize,
    /// The number of datasets on which it is significantly worse.
    pub significantly_worse: usize,
}

impl ExperimentResults {
    fn new(file: &ExperimentFile) -> Self {
        let (datasets, methods) = names(file);
        let results = vec![vec![None; methods.len()]; datasets.len()];
        let (comparisons, rivals) = (Vec::new(), rivals(&file.methods));
        let mut results = Self { datasets, methods, results, comparisons, rivals };
        results.compare();
        results
    }

    /// Tells whether every method was measured on every dataset.
    pub fn is_complete(&self) -> bool {
        self.results.iter().flatten().all(Option::is_some)
    }

    /// Returns the error of a method on each dataset; not a number where it is not done.
    pub fn errors(&self, method: usize) -> Vec<f64> {
        let accuracy = |row: &Vec<Option<CrossvalResults>>| row[method].as_ref()?.accuracy.mean;
        self.results.iter().map(|row| accuracy(row).map_or(f64::NAN, |mean| 1.0 - mean)).collect()
    }

    /// Compares every method with every later one.
    fn compare(&mut self) {
        let count = self.methods.len();
        let pairs = (0..count).flat_map(|method| (method + 1..count).map(move |other| (method, other)));
        self.comparisons = pairs.map(|(method, other)| self.comparison(method, other)).collect();
    }

    fn comparison(&self, method: usize, other: usize) -> MethodComparison {
        let (own, others) = (self.errors(method), self.errors(other));
        let significant = |row: &Vec<Option<CrossvalResults>>| {
            let test = t_test(row[method].as_ref()?, row[other].as_ref()?)?;
            (test.p < SIGNIFICANT).then_some(test.t)
        };
        let significant: Vec<f64> = self.results.iter().filter_map(significant).collect();
        MethodComparison {
            method: self.methods[method].clone(),
            against: self.methods[other].clone(),
            record: record(&own, &others, TIE),
            wilcoxon_p: wilcoxon(&own, &others).map(|test| test.p),
            significantly_better: significant.iter().filter(|&&t| t < 0.0).count(),
            significantly_worse: significant.iter().filter(|&&t| t > 0.0).count(),
        }
    }

    /// Returns accuracies in percent, with deviations over folds, and their means over the datasets that all methods
    /// have.
    pub fn table(&self) -> TextTable {
        let mut table =
            TextTable::new(std::iter::once("dataset").chain(self.methods.iter().map(String::as_str)));
        let cell = |results: &Option<CrossvalResults>| {
            results.as_ref().map_or("-".to_owned(), |results| results.accuracy.percent())
        };
        for (name, row) in self.datasets.iter().zip(&self.results) {
            table.row(std::iter::once(name.clone()).chain(row.iter().map(cell)));
        }
        let is_whole = |dataset: &usize| self.results[*dataset].iter().all(Option::is_some);
        let whole: Vec<usize> = (0..self.datasets.len()).filter(is_whole).collect();
        if whole.len() > 1 {
            table.rule();
            let average = |method: usize| {
                let errors = self.errors(method);
                let errors: Vec<f64> = whole.iter().map(|&dataset| errors[dataset]).collect();
                mean(&errors).map_or("-".to_owned(), |mean| percent(1.0 - mean))
            };
            let name = format!("mean of {}", whole.len());
            table.row(std::iter::once(name).chain((0..self.methods.len()).map(average)));
        }
        table
    }

    /// Returns wins, ties and losses of every method against every later one, with tests.
    pub fn comparison_table(&self) -> TextTable {
        let columns =
            ["method", "against", "wins", "ties", "losses", "Wilcoxon p", "sig. better", "sig. worse"];
        let mut table = TextTable::new(columns);
        for it in &self.comparisons {
            let counts = [it.record.wins, it.record.ties, it.record.losses].map(|count| count.to_string());
            let p = it.wilcoxon_p.map_or("-".to_owned(), |p| format!("{p:.4}"));
            let rest = [p, it.significantly_better.to_string(), it.significantly_worse.to_string()];
            table.row([it.method.clone(), it.against.clone()].into_iter().chain(counts).chain(rest));
        }
        table
    }

    /// Returns all of it for people.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.table().text());
        if self.methods.len() > 1 {
            text += &format!("{}\n", self.comparison_table().text());
        }
        for &(own, other) in &self.rivals {
            let Record { wins, ties, losses } = record(&self.errors(own), &self.errors(other), TIE);
            let (own, other) = (&self.methods[own], &self.methods[other]);
            if ties + losses > 0 {
                text += &format!(
                    "{own} does not beat {other}, counts of its own rule bodies, on {} of {} datasets\n",
                    ties + losses,
                    wins + ties + losses
                );
            }
        }
        text
    }

    /// Returns the figure of the errors of all methods over all datasets, as SVG.
    pub fn figure(&self) -> String {
        let series =
            |(method, name): (usize, &String)| Series { name: name.clone(), errors: self.errors(method) };
        let methods: Vec<Series> = self.methods.iter().enumerate().map(series).collect();
        let title = match self.datasets.len() {
            1 => "Prediction errors on 1 dataset".to_owned(),
            count => format!("Prediction errors on {count} datasets"),
        };
        errors_figure(&title, &self.datasets, &methods)
    }

    fn write(&self, out: &Path) -> Result<(), Error> {
        create_folder(out)?;
        let (table, comparisons) = (self.table(), self.comparison_table());
        let files = [
            (RESULTS, json(self)?),
            ("results.txt", self.text()),
            ("results.csv", table.csv()),
            ("results.tex", table.latex()),
            ("comparisons.csv", comparisons.csv()),
            ("comparisons.tex", comparisons.latex()),
            ("figure.svg", self.figure()),
        ];
        write_files(out, &files)
    }
}

/// Returns each template with each baseline on its features, by their numbers.
fn rivals(methods: &[Method]) -> Vec<(usize, usize)> {
    let has_features = |method: &Method| {
        let baseline = method.baseline.as_deref().map(Baseline::find);
        baseline.and_then(Result::ok).is_some_and(|baseline| baseline.needs_features())
    };
    let pairs = (0..methods.len()).flat_map(|own| (0..methods.len()).map(move |other| (own, other)));
    let is_rival = |&(own, other): &(usize, usize)| {
        let (own, other) = (&methods[own], &methods[other]);
        own.baseline.is_none() && has_features(other) && own.template == other.template
    };
    pairs.filter(is_rival).collect()
}
