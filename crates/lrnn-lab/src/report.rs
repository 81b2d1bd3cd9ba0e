//! Runs as pages: a training run, and a cross-validation, in which every case is explained by the model that did not
//! learn from it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use lrnn::data::{Dataset, Query};
use lrnn::evaluate::{Metrics, Roc, Score, calibration};
use lrnn::model::{Model, fingerprint};
use lrnn::network::Weights;
use lrnn::program::{Subject, scored};
use lrnn::train::{Cases, Loss, Measure, Split};
use lrnn::{Answer, Answers, Error, ErrorKind, Limits, Program, Settings, Stop};
use lrnn_io::{
    Config, MoleculeColumns, Purpose, RunFolder, read_dataset, read_model, read_model_data, read_model_of,
    with_validation, write_atomically,
};
use lrnn_report::gather::{PageInputs, curves, gather};
use lrnn_report::page::{self, PagePart, RunKind};
use serde::Serialize;

use crate::baseline::BASELINES;
use crate::crossval::{Crossval, FoldAnswers, model_path};
use crate::journal::FoldRecord;
use crate::results::{BaselineResults, CrossvalResults, FoldResult};

/// Bins of the calibration.
const BINS: usize = 10;
/// A curve with more points is more than a screen has.
const MOST_POINTS: usize = 1000;
/// A table of more classes is none.
const MOST_CLASSES: usize = 40;
/// Probability above which an answer is taken for true.
const THRESHOLD: f64 = 0.5;

/// A page that was written.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PageFile {
    /// The path.
    pub file: String,
    /// The size.
    pub bytes: usize,
    /// The number of examples.
    pub examples: usize,
    /// The number of answers that are explained.
    pub explained: usize,
    /// Notes for the reader.
    pub notes: Vec<String>,
    /// Seconds of making it.
    pub seconds: f64,
}

/// The name of a page in the folder of its run.
const PAGE: &str = "report.html";

/// Writes the page of the run in a folder, with its data at another place if that is given: to the file `out`, as JSON
/// if that ends so, or as HTML into the folder. `progress` gets the number of examples and what looks at them, with a
/// counter.
pub fn report_run(
    run: &Path,
    data: Option<&Path>,
    out: Option<&Path>,
    stop: Stop,
    progress: &ProgressScope<'_>,
) -> Result<PageFile, Error> {
    let start = Instant::now();
    if crate::is_run(run) {
        return write_page(&CrossvalReport::read(run, data, stop)?.page(run, progress), run, out, start);
    }
    if !RunFolder::is_run(run) {
        let error = Error::new(ErrorKind::File, format!("{}: there is no run to report", run.display()));
        return Err(error.help("a run is a folder that `lrnn train` or `lrnn crossval` wrote"));
    }
    let report = TrainingReport::read(run, data, stop)?.page(run, progress)?;
    write_page(&report, run, out, start)
}

fn write_page(
    report: &page::Report,
    run: &Path,
    out: Option<&Path>,
    start: Instant,
) -> Result<PageFile, Error> {
    let path = out.map_or_else(|| run.join(PAGE), Path::to_owned);
    let is_json = path.extension().is_some_and(|ending| ending == "json");
    let text = page_text(report, is_json)?;
    write_atomically(&path, text.as_bytes())?;
    let answers = report.examples.iter().flat_map(|example| &example.answers);
    Ok(PageFile {
        file: path.display().to_string(),
        bytes: text.len(),
        examples: report.examples.len(),
        explained: answers.filter(|answer| answer.explanation.is_some()).count(),
        notes: report.notes.clone(),
        seconds: start.elapsed().as_secs_f64(),
    })
}

fn page_text(report: &page::Report, is_json: bool) -> Result<String, Error> {
    let text = if is_json { page::json(report) } else { page::page(report) };
    text.map_err(|error| Error::new(ErrorKind::File, format!("cannot write the report: {error}")))
}

/// Runs what looks at so many examples, with a counter of those that are done.
pub type ProgressScope<'a> = dyn Fn(usize, &mut dyn FnMut(&AtomicUsize)) + 'a;

fn gathered(
    inputs: &PageInputs<'_>,
    (run, data): (&Path, &Path),
    report: page::Report,
    progress: &ProgressScope<'_>,
) -> page::Report {
    let data = data.canonicalize().unwrap_or_else(|_| data.to_owned());
    let title = data.file_stem().map_or_else(|| "run".to_owned(), |name| name.to_string_lossy().into_owned());
    let mut report = page::Report { title, command: report_command(run), ..report };
    progress(inputs.parts.len(), &mut |done| report = gather(inputs, std::mem::take(&mut report), done));
    report
}

/// Returns the command that makes the report of a run.
pub fn report_command(run: &Path) -> String {
    let text = run.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    match text.chars().all(is_plain) {
        true => format!("lrnn report {text}"),
        false => format!("lrnn report '{}'", text.replace('\'', "'\\''")),
    }
}

/// Answers by example and query; none outside the model.
fn place_values(values: &mut [Vec<Option<Vec<f64>>>], answers: Vec<Answer>) {
    for answer in answers {
        let (example, query) = answer.place;
        values[example][query] = answer.value.filter(|_| answer.in_model).map(|value| value.numbers);
    }
}

/// A training run that came as far as a model.
#[derive(Debug)]
pub struct TrainingReport<'a> {
    /// The model.
    pub model: Cow<'a, Model>,
    /// All data of the run, that for validation with it.
    pub dataset: Cow<'a, Dataset>,
    /// Answers of the model to all queries of the data, if they are known.
    pub answers: Option<Answers>,
    /// Cases of each part.
    pub split: Split,
    /// The history, a JSON object a line.
    pub history: String,
    /// The settings of the run.
    pub settings: Settings,
    /// The limits of grounding.
    pub limits: Limits,
    /// Path of the data.
    pub data: PathBuf,
    /// Its columns, where it is a table of molecules.
    pub molecules: MoleculeColumns,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

impl TrainingReport<'_> {
    fn read(run: &Path, data: Option<&Path>, stop: Stop) -> Result<Self, Error> {
        let model = read_model_of(run)?;
        let config = Config::read(run)?;
        let settings = config.settings()?;
        let data = data.map(Path::to_owned).or(config.data.clone()).unwrap_or_else(|| run.to_owned());
        let limits = Limits { stop, ..config.limits(None, None) };
        check_there(&data)?;
        let columns = config.molecules.clone().unwrap_or_default();
        let program = model.program(limits.clone())?;
        let mut dataset = read_model_data(&model, &program, &data, &columns, Purpose::Learning)?;
        let mut drawn = Split::of(&dataset, &settings);
        if let Some(path) = &config.validation_data {
            check_there(path)?;
            let other = read_dataset(path, &columns, dataset.vocabulary.clone())?.0;
            drawn = with_validation(&mut dataset, other, Some(drawn), &settings);
        }
        let mut notes = Vec::new();
        if model.fingerprint != fingerprint(&dataset) {
            let but = "parts and values may be others than in training";
            notes.push(format!("the data is not what the model learned from: {but}"));
        }
        let cases = Cases::of(&dataset);
        let fits =
            |split: &Split| parts(split).all(|part| part.1.iter().all(|&case| case < cases.count(&dataset)));
        let kept = RunFolder::read_split(run);
        if kept.as_ref().is_some_and(|split| !fits(split)) {
            notes.push(format!("the split of the run is of more {}: parts are drawn anew", cases.name()));
        }
        let known = kept.into_iter().chain([drawn]).find(fits);
        let split = known.unwrap_or_else(|| Split::of(&dataset, &settings));
        let (model, dataset) = (Cow::Owned(model), Cow::Owned(dataset));
        let history = RunFolder::read_history(run);
        let (answers, molecules) = (None, columns);
        Ok(Self { model, dataset, answers, split, history, settings, limits, data, molecules, notes })
    }

    /// Writes the page of the run, which is in this folder, to the file `out` or into the folder.
    pub fn write(
        self,
        run: &Path,
        out: Option<&Path>,
        progress: &ProgressScope<'_>,
    ) -> Result<PageFile, Error> {
        let start = Instant::now();
        write_page(&self.page(run, progress)?, run, out, start)
    }

    /// Returns the page of the run, which is or would be in this folder.
    pub fn html(self, run: &Path, progress: &ProgressScope<'_>) -> Result<String, Error> {
        page_text(&self.page(run, progress)?, false)
    }

    fn page(self, run: &Path, progress: &ProgressScope<'_>) -> Result<page::Report, Error> {
        let Self { model, dataset, answers, split, history, settings, limits, data, molecules, notes } = self;
        let predictor = model.predictor_within(limits)?;
        let program = predictor.program();
        let dataset = match dataset.vocabulary.extends(program.vocabulary()) {
            true => dataset,
            false => Cow::Owned(dataset.renumbered(program.vocabulary().clone())),
        };
        let answers = answers.map_or_else(|| predictor.predict(&dataset), Ok)?;
        // The data may know more predicates than the model.
        let program = Program::new(program.template(), &dataset, program.limits().clone())?;
        let restart = model.notes.get("restart").and_then(|number| number.parse().ok());
        let cases = Cases::of(&dataset);
        let report = page::Report {
            kind: RunKind::Train,
            settings: settings.pairs().map(|(name, value)| (name.to_owned(), value)).collect(),
            notes,
            curves: curves(&history, restart),
            parts: parts(&split)
                .map(|(name, part)| part_of(name, (&dataset, class_names(&molecules)), cases, part, &answers))
                .collect(),
            model: "Concepts, patterns and explanations are those of the model of this run.".to_owned(),
            ..page::Report::default()
        };
        let mut values: Vec<Vec<Option<Vec<f64>>>> =
            dataset.queries.iter().map(|queries| vec![None; queries.len()]).collect();
        place_values(&mut values, answers.all);
        let mut names = vec![String::new(); dataset.examples.len()];
        // The only example of queries is in all parts.
        for (name, examples) in parts(&split).filter(|_| cases == Cases::Examples) {
            examples.iter().for_each(|&example| names[example] = name.to_owned());
        }
        let answering = dataset.queries.iter().map(|queries| vec![0; queries.len()]).collect();
        let subject = Subject::new(Cow::Owned(program), dataset, model);
        let subjects = std::slice::from_ref(&subject);
        let inputs = PageInputs { subjects, answering, values, parts: names };
        Ok(gathered(&inputs, (run, &data), report, progress))
    }
}

/// Tells where to say where data is that is not where the run found it.
fn check_there(data: &Path) -> Result<(), Error> {
    let message = || format!("the data of this run was at {}, and is not there", data.display());
    let missing = || Error::new(ErrorKind::File, message()).help("--data DATA says where it is now");
    if data.exists() { Ok(()) } else { Err(missing()) }
}

/// Returns each part of the data with its cases, those that have none left out.
fn parts(split: &Split) -> impl Iterator<Item = (&'static str, &Vec<usize>)> {
    let parts = [("training", &split.training), ("validation", &split.validation), ("test", &split.test)];
    parts.into_iter().filter(|(_, cases)| !cases.is_empty())
}

/// Returns how well some cases are answered.
fn part_of(
    name: &str,
    (dataset, classes): (&Dataset, &[String]),
    cases: Cases,
    part: &[usize],
    answers: &Answers,
) -> PagePart {
    let answered = answers.of_places(&cases.places(dataset, part)).answered();
    let loss = answers.loss;
    part_view(name, (dataset, classes), Measure::of(loss, &answered), true, &scored(loss, &answered))
}

/// A finished cross-validation with the models of its folds.
#[derive(Debug)]
struct CrossvalReport {
    crossval: Crossval,
    records: Vec<FoldRecord>,
    /// By fold of the first repetition; `None` if it was not kept.
    models: Vec<Option<Model>>,
    results: CrossvalResults,
    baselines: Vec<BaselineResults>,
}

impl CrossvalReport {
    fn read(run: &Path, data: Option<&Path>, stop: Stop) -> Result<Self, Error> {
        let crossval = Crossval::reopen(run, data, stop)?;
        let Some(records) = crossval.recorded(run, None)? else {
            let message = format!("{}: not all folds of this run are done", run.display());
            let help = format!("lrnn crossval --resume {} goes on with it", run.display());
            return Err(Error::new(ErrorKind::Content, message).help(help));
        };
        let results = CrossvalResults::of(&crossval, &records);
        let mut baselines = Vec::new();
        for baseline in BASELINES {
            if let Ok(Some(found)) = crossval.recorded(run, Some(baseline)) {
                let found = CrossvalResults::of(&crossval, &found);
                baselines.push(BaselineResults::new(baseline, found, &results));
            }
        }
        let firsts = crossval.folds().iter().filter(|fold| fold.repeat == 0);
        let models = firsts.map(|fold| read_model(&model_path(run, fold)).ok()).collect();
        Ok(Self { crossval, records, models, results, baselines })
    }

    /// Returns the program that the first fold chose, and the data.
    fn first(&self) -> (&Program, &Dataset) {
        let first = self.crossval.variant(self.records[0].chosen.trial as usize);
        (&first.program, &first.dataset)
    }

    fn page(&self, run: &Path, progress: &ProgressScope<'_>) -> page::Report {
        let subjects = self.subjects();
        gathered(&self.inputs(&subjects), (run, &self.crossval.options().data), self.head(), progress)
    }

    /// Returns the answers of the folds of the first repetition.
    fn folds(&self) -> Vec<FoldAnswers<'_>> {
        let mut folds = self.crossval.answers(&self.records);
        folds.truncate(self.models.len());
        folds
    }

    /// Returns the model of each fold on its data, to be looked at.
    fn subjects(&self) -> Vec<Subject<'_>> {
        let mut subjects = Vec::new();
        for (FoldAnswers { fold, record, answers }, model) in self.folds().iter().zip(&self.models) {
            let variant = self.crossval.variant(record.chosen.trial as usize);
            let (program, dataset) = (Cow::Borrowed(&variant.program), Cow::Borrowed(&variant.dataset));
            let subject = match model {
                Some(model) => Subject::new(program, dataset, Cow::Borrowed(model)),
                None => Subject::untrained(program, dataset, Weights::new(fold.seed)),
            };
            let (name, loss, unentailed) =
                (format!("fold {}", fold.number), answers.loss, answers.unentailed);
            subjects.push(Subject { name, loss, unentailed, ..subject });
        }
        subjects
    }

    /// Returns by example and query who answers it, and the answer.
    fn inputs<'b>(&self, subjects: &'b [Subject<'b>]) -> PageInputs<'b> {
        let (_, dataset) = self.first();
        let sizes = || dataset.queries.iter().map(Vec::len);
        let mut answering: Vec<Vec<usize>> = sizes().map(|size| vec![0; size]).collect();
        let mut values: Vec<Vec<Option<Vec<f64>>>> = sizes().map(|size| vec![None; size]).collect();
        let mut parts = vec!["all folds".to_owned(); dataset.examples.len()];
        for (at, FoldAnswers { fold, answers, .. }) in self.folds().into_iter().enumerate() {
            answers.all.iter().for_each(|answer| answering[answer.place.0][answer.place.1] = at);
            place_values(&mut values, answers.all);
            if self.crossval.cases() == Cases::Examples {
                fold.test.iter().for_each(|&case| parts[case] = format!("fold {}", fold.number));
            }
        }
        PageInputs { subjects, answering, values, parts }
    }

    /// Returns what a page says of the run as a whole: table, metrics, settings and notes.
    fn head(&self) -> page::Report {
        let fold = self.crossval.folds().first().map_or(0, |fold| fold.number);
        let settings = self.crossval.options().settings.pairs();
        page::Report {
            kind: RunKind::Crossval,
            settings: settings.map(|(name, value)| (name.to_owned(), value)).collect(),
            notes: self.notes(),
            parts: vec![self.part()],
            crossval: Some(self.table()),
            model: format!(
                "Every example is explained by the model that did not learn from it; patterns are those of the model \
                 without fold {fold}."
            ),
            ..page::Report::default()
        }
    }

    /// Returns how well all folds together are answered. Each answer is judged by the loss of its own fold; what
    /// compares answers of different folds looks at probabilities.
    fn part(&self) -> PagePart {
        let seed = self.crossval.options().settings.seed;
        let name = match self.results.seeds.len() {
            1 => "out of fold".to_owned(),
            _ => format!("out of fold, seed {seed}"),
        };
        let (mut measure, mut all, mut losses): (Measure, Vec<Score>, Vec<Loss>) = Default::default();
        for FoldAnswers { answers, .. } in self.folds() {
            let (answered, loss) = (answers.answered(), answers.loss);
            let own = Measure::of(loss, &answered);
            measure.loss += own.loss * f64::from(own.answers);
            (measure.wrong, measure.answers) = (measure.wrong + own.wrong, measure.answers + own.answers);
            losses.push(loss);
            let groups = all.last().map_or(0, |last| last.example + 1);
            let is_regression = answers.all.iter().all(|answer| answer.probability.is_none());
            all.extend(scored(loss, &answered).into_iter().map(|one| Score {
                example: one.example + groups,
                value: one.probability.filter(|_| !is_regression).unwrap_or(one.value),
                ..one
            }));
        }
        measure.loss /= f64::from(measure.answers.max(1));
        let is_one = losses.windows(2).all(|pair| pair[0] == pair[1]);
        let classes = class_names(&self.crossval.options().molecules);
        part_view(&name, (self.first().1, classes), measure, is_one, &all)
    }

    fn table(&self) -> page::CrossvalTable {
        let row = |fold: &FoldResult| page::FoldRow {
            seed: fold.seed,
            fold: fold.fold,
            examples: fold.cases,
            chosen: fold.choice(),
            inner_error: fold.inner_error,
            accuracy: fold.accuracy.unwrap_or(f64::NAN),
            auc: fold.auc,
        };
        let method = |(name, results): (&str, &CrossvalResults)| {
            let (mean, deviation) = (results.accuracy.mean?, results.accuracy.deviation.unwrap_or(0.0));
            Some((name.to_owned(), mean, deviation))
        };
        let baselines = self.baselines.iter().map(|baseline| (baseline.name, &baseline.results));
        let all = std::iter::once(("template", &self.results)).chain(baselines);
        page::CrossvalTable {
            summary: self.results.sentences(),
            rows: self.results.folds.iter().map(row).collect(),
            methods: if self.baselines.is_empty() { Vec::new() } else { all.filter_map(method).collect() },
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let (repeats, seed) = (self.results.seeds.len(), self.crossval.options().settings.seed);
        if repeats > 1 {
            notes.push(format!(
                "examples are those of the first of {repeats} seeds, {seed}; the table has all"
            ));
        }
        let lost = self.models.iter().filter(|model| model.is_none()).count();
        if lost > 0 {
            notes.push(format!(
                "the models of {lost} of {} folds are not in the folder of the run, so their examples are not \
                 explained; `lrnn crossval` keeps them",
                self.models.len()
            ));
        }
        notes
    }
}

/// Returns how well some cases are answered: metrics, confusion matrix, ROC and calibration.
fn part_view(
    name: &str,
    (dataset, classes): (&Dataset, &[String]),
    measure: Measure,
    has_loss: bool,
    all: &[Score],
) -> PagePart {
    let report = Metrics::of(all, THRESHOLD);
    let mut metrics = vec![
        ("loss".to_owned(), has_loss.then_some(measure.loss)),
        ("error".to_owned(), Some(measure.error())),
    ];
    metrics.extend(report.metrics.iter().map(|(metric, found)| (metric.name().to_owned(), found.ok())));
    PagePart {
        name: name.to_owned(),
        answers: measure.answers,
        metrics,
        confusion: confusion(&report, dataset, classes),
        roc: Roc::of(all).ok().map(|roc| roc_view(&roc)),
        calibration: calibration(all, BINS).ok(),
    }
}

/// Returns the names of the classes of a table of molecules with one target, of two the one that counts as 1 last.
fn class_names(columns: &MoleculeColumns) -> &[String] {
    match columns.targets.as_slice() {
        [target] => &target.classes,
        _ => &[],
    }
}

fn confusion(report: &Metrics, dataset: &Dataset, names: &[String]) -> Option<page::PageConfusion> {
    if let Some(classes) = report.classes.as_ref().filter(|_| report.queries > 0) {
        let count = classes.keys().map(|(right, taken)| right.max(taken) + 1).max().unwrap_or(0);
        let mut counts = vec![vec![0; count]; count];
        classes.iter().for_each(|(&(right, taken), &number)| counts[right][taken] = number);
        let labels = if names.len() == count { names.to_vec() } else { class_labels(dataset, count) };
        return (count <= MOST_CLASSES).then_some(page::PageConfusion { labels, counts });
    }
    let found = report.confusion?;
    let labels = match names {
        [_, _] => names.to_vec(),
        _ => vec!["false".to_owned(), "true".to_owned()],
    };
    let counts = vec![
        vec![found.true_negatives, found.false_positives],
        vec![found.false_negatives, found.true_positives],
    ];
    Some(page::PageConfusion { labels, counts })
}

/// Returns the queries that stand for the classes, if they are the same in all examples; else their numbers.
fn class_labels(dataset: &Dataset, count: usize) -> Vec<String> {
    let atoms = |queries: &Vec<Query>| -> Vec<String> {
        queries.iter().map(|query| dataset.vocabulary.atom_text(query.predicate, &query.terms)).collect()
    };
    let first = dataset.queries.first().map(atoms).unwrap_or_default();
    match first.len() == count && dataset.queries.iter().all(|queries| atoms(queries) == first) {
        true => first,
        false => (0..count).map(|class| class.to_string()).collect(),
    }
}

fn roc_view(roc: &Roc) -> page::PageRoc {
    let (count, last) = (roc.points.len(), roc.points.len() - 1);
    let shown: Vec<usize> = match count > MOST_POINTS {
        true => (0..MOST_POINTS).map(|at| at * last / (MOST_POINTS - 1)).collect(),
        false => (0..count).collect(),
    };
    page::PageRoc {
        false_positive: shown.iter().map(|&at| roc.points[at].0).collect(),
        true_positive: shown.iter().map(|&at| roc.points[at].1).collect(),
    }
}
