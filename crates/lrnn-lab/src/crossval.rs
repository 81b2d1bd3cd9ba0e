//! Cross-validation: for every fold, settings are chosen inside its training folds, learned with on all of these, and
//! tested once. Folds, trials and repetitions run in parallel; the order of what comes out is theirs.
//!
//! The folder of a run holds its options with the texts of the templates, so that it goes on wherever it is moved, and
//! a journal of what is done.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use lrnn::diagnostic::Sources;
use lrnn::diagnostic::{Diagnostic, Severity};
use lrnn::model::fingerprint;
use lrnn::program::Meaning;
use lrnn::program::{check_settings, check_targets, model_of, no_target};
use lrnn::template::{Options, TemplateText};
use lrnn::threads::{pooled, try_each};
use lrnn::train::{Cases, Loss, Readout, Settings, targets_are_numbers};
use lrnn::{Answers, Dataset, Error, ErrorKind, Program, Stop, Template};
use lrnn_induce::{GoalProblem, InduceOptions};
use lrnn_io::{
    MAPPING_NOTE, Purpose, Tables, check_free, create_folder, family as find_family, file_error, is_mapping,
    mapping_note, read_dataset, read_tables, read_template_for, without_unused, write_atomically,
    write_model,
};
use serde::{Deserialize, Serialize};

use crate::baseline::Baseline;
use crate::fold_task::{FoldTask, rounds};
use crate::folds::{Fold, Inner, SplitMethod, WorkShard};
use crate::journal::{FoldRecord, Journal, JournalInputs, JournalLine, JournalRecords, RefitRecord};
use crate::options::CrossvalOptions;
use crate::results::{BaselineResults, CrossvalResults, Refit};
use crate::search::Trial;
use crate::trainer::{CaseValues, HoldOut, SharedNetworks, Trainer, TrainingResult, WorkMeter};
use crate::workers::Workers;

/// The number of folds if nobody says and the data has none.
const FOLDS: u32 = 10;
const OPTIONS: &str = "options.json";
const JOURNAL: &str = "journal.jsonl";
const MODELS: &str = "models";
/// The journals of shards, which other processes write.
const SHARDS: &str = "shards";
/// The model that was learned from all data.
const MODEL: &str = "model.safetensors";
/// The results of a run that has come to its end.
pub(crate) const RESULTS: &str = "results.json";

/// Watches a cross-validation; it is called from several threads.
pub trait Monitor: Sync {
    /// Is called when a cross-validation begins, or a baseline on its folds, with so much work.
    fn begin(&self, _cost: f64) {}
    /// Is called when a part of the work was done.
    fn work(&self, _cost: f64) {}
    /// Is called when a part of the work had been done before.
    fn known(&self, _cost: f64) {}
    /// Is called when a fold is done.
    fn fold(&self) {}
    /// Is called when a method of an experiment was measured on a dataset.
    fn cell(&self, _dataset: usize, _method: usize, _results: &CrossvalResults) {}
}

/// Watches nothing.
impl Monitor for () {}

/// A template with its family, fitted to the data read for it.
#[derive(Debug)]
pub(crate) struct Variant {
    pub name: String,
    pub program: Program,
    pub dataset: Dataset,
    /// The tables that the data comes from, if it is a mapping.
    pub tables: Option<Tables>,
    /// Messages about template and data.
    notes: Vec<Diagnostic>,
    /// The networks of all examples, where folds can share them.
    pub shared: OnceLock<SharedNetworks>,
}

/// The part of a run's beginnings that its folder keeps.
#[derive(Serialize, Deserialize)]
struct RunFile {
    version: String,
    options: CrossvalOptions,
    /// The texts of each template and of what it imports, by name.
    templates: Vec<Vec<(String, String)>>,
}

/// A cross-validation with its templates and data.
#[derive(Debug)]
pub struct Crossval {
    options: CrossvalOptions,
    /// By template and family.
    variants: Vec<Variant>,
    trials: Vec<Trial>,
    cases: Cases,
    /// The folds of all repetitions.
    folds: Vec<Fold>,
    /// True if some target is neither a truth value nor a probability.
    has_numbers: bool,
    read_seconds: f64,
    /// The problems of baselines that are earlier systems: these search the same clauses.
    earlier: OnceLock<Arc<Vec<GoalProblem>>>,
}

/// The answers of a fold to its test cases, judged by its own loss.
#[derive(Clone, Debug)]
pub struct FoldAnswers<'a> {
    /// The fold.
    pub fold: &'a Fold,
    /// The record of the fold.
    pub record: &'a FoldRecord,
    /// The answers.
    pub answers: Answers,
}

/// A cross-validation that came to its end.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CrossvalRun {
    /// The results of the template.
    #[serde(flatten)]
    pub results: CrossvalResults,
    /// Baselines on the same folds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub baselines: Vec<BaselineResults>,
    /// The folder of the run.
    pub run: PathBuf,
    /// Seconds of reading, and of learning.
    #[serde(skip)]
    pub seconds: (f64, f64),
}

/// Measures by cross-validation how well templates learn. What is in the folder `out` already is not done again.
pub fn crossval(options: CrossvalOptions, out: &Path, monitor: &dyn Monitor) -> Result<CrossvalRun, Error> {
    Crossval::open(options)?.run(out, monitor)
}

/// Goes on with the run in a folder, with its data at another place if that is given.
pub fn resume(
    run: &Path,
    data: Option<&Path>,
    stop: Stop,
    monitor: &dyn Monitor,
) -> Result<CrossvalRun, Error> {
    Crossval::reopen(run, data, stop)?.run(run, monitor)
}

/// Tells whether this is the folder of a cross-validation.
pub fn is_run(folder: &Path) -> bool {
    folder.join(JOURNAL).exists() || folder.join(SHARDS).exists()
}

impl Crossval {
    /// Reads templates and data.
    pub fn open(options: CrossvalOptions) -> Result<Self, Error> {
        let templates = options.templates.clone();
        let columns = options.molecules.clone();
        Self::with(options, |at, resolve| read_template_for(&templates[at], &columns, resolve))
    }

    /// Reads what the run in a folder was begun with: the templates as they were, and the data, which may be at
    /// another place by now.
    pub fn reopen(run: &Path, data: Option<&Path>, stop: Stop) -> Result<Self, Error> {
        let path = run.join(OPTIONS);
        if !is_run(run) || !path.exists() {
            let error = file_error(run, "there is no run to go on with");
            let help =
                format!("a run is a folder with {JOURNAL} and {OPTIONS}, which `lrnn crossval` writes");
            return Err(error.help(help));
        }
        let read: Result<RunFile, _> = serde_json::from_str(&lrnn_io::read_text(&path)?);
        let RunFile { mut options, templates, .. } = read.map_err(|error| {
            let message = format!("{}: {error}", path.display());
            Error::new(ErrorKind::Content, message)
                .help("it was changed by hand or by the disk; begin a new run")
        })?;
        if let Some(data) = data {
            options.data = data_of(data)?;
        } else if !options.data.exists() {
            let error = file_error(&options.data, "the data of the run is no longer there");
            return Err(error.help("--data DATA says where it is now"));
        }
        options.limits.stop = stop;
        let texts = |at: usize| templates.get(at).map_or(&[][..], Vec::as_slice);
        Self::with(options, |at, resolve| Template::of_texts(texts(at), resolve))
    }

    fn with(
        mut options: CrossvalOptions,
        read: impl Fn(usize, Options) -> Result<TemplateText, Error>,
    ) -> Result<Self, Error> {
        let start = Instant::now();
        (options.settings.validation.0, options.settings.test.0) = (0.0, 0.0);
        options.baselines.iter().try_for_each(|name| Baseline::find(name).map(drop))?;
        let mut variants: Vec<Variant> = Vec::new();
        for (at, path) in options.templates.iter().enumerate() {
            for family in &options.families {
                let family =
                    family.as_deref().map(|name| find_family(name, ErrorKind::Usage, "")).transpose()?;
                let text = read(at, Options { family, strict: options.strict })?;
                variants.push(Variant::new(path, text, &options)?);
            }
        }
        let dataset = &variants[0].dataset;
        let cases = Cases::of(dataset);
        let folds = folds(&options, dataset, cases)?;
        let mut trials =
            options.space.trials(&options.settings, options.search, |taken| options.variant(taken))?;
        for trial in &mut trials {
            let Variant { program, dataset, .. } = &variants[trial.variant];
            trial.settings = trial.settings.chosen(program.template(), dataset);
            check_settings(&variants[trial.variant].program, &trial.settings)?;
            check_targets(dataset, &trial.settings)?;
        }
        if dataset.queries.iter().flatten().all(|query| query.target.is_none()) {
            return Err(no_target("learn").with_data(options.data.display()));
        }
        let has_numbers = targets_are_numbers(dataset);
        let (read_seconds, earlier) = (start.elapsed().as_secs_f64(), OnceLock::new());
        Ok(Self { options, variants, trials, cases, folds, has_numbers, read_seconds, earlier })
    }

    /// Returns what it was asked for.
    pub fn options(&self) -> &CrossvalOptions {
        &self.options
    }

    /// Returns the folds of all repetitions.
    pub fn folds(&self) -> &[Fold] {
        &self.folds
    }

    /// Returns what folds are made of.
    pub fn cases(&self) -> Cases {
        self.cases
    }

    /// Returns what there is to say of each template with the data, and the texts that it is about.
    pub fn notes(&self) -> impl Iterator<Item = (&[Diagnostic], &Sources)> {
        self.templates().map(|variant| (variant.notes.as_slice(), variant.program.sources()))
    }

    /// Returns the data as the first template reads it.
    pub(crate) fn dataset(&self) -> &Dataset {
        &self.variants[0].dataset
    }

    /// Returns the problems that earlier systems learn rules for, with the clauses that were found so far.
    pub(crate) fn earlier_problems(&self, options: &InduceOptions) -> Result<Arc<Vec<GoalProblem>>, Error> {
        if let Some(problems) = self.earlier.get() {
            return Ok(Arc::clone(problems));
        }
        let problems = Arc::new(GoalProblem::all(self.dataset(), options)?);
        Ok(Arc::clone(self.earlier.get_or_init(|| problems)))
    }

    pub(crate) fn trials(&self) -> &[Trial] {
        &self.trials
    }

    /// Returns the templates with their data, each under the first family.
    pub(crate) fn templates(&self) -> impl Iterator<Item = &Variant> {
        self.variants.iter().step_by(self.options.families.len().max(1))
    }

    /// Returns the first trial with the template of this number.
    pub(crate) fn trial_of(&self, template: usize) -> usize {
        let variant = template * self.options.families.len().max(1);
        self.trials.iter().position(|trial| trial.variant == variant).unwrap_or(0)
    }

    /// Returns the template and data of a trial.
    pub(crate) fn variant(&self, trial: usize) -> &Variant {
        &self.variants[self.trials[trial].variant]
    }

    pub(crate) fn stop(&self) -> &Stop {
        &self.options.limits.stop
    }

    /// Tells whether there is anything to choose.
    pub(crate) fn has_choice(&self) -> bool {
        self.trials.len() > 1 || self.trials[0].settings.patience > 0
    }

    /// Returns what a trial costs, in epochs.
    pub(crate) fn trial_cost(&self, trial: usize) -> f64 {
        let settings = &self.trials[trial].settings;
        f64::from(settings.epochs) * f64::from(settings.restarts.0)
    }

    pub(crate) fn mean_cost(&self) -> f64 {
        let costs = (0..self.trials.len()).map(|trial| self.trial_cost(trial));
        costs.sum::<f64>() / self.trials.len() as f64
    }

    /// Returns what all folds cost, in epochs.
    pub(crate) fn cost(&self) -> f64 {
        let parts = match self.options.inner {
            Inner::Share(_) => 1.0,
            Inner::Folds(folds) => f64::from(folds),
        };
        let rounds = rounds(self.options.search, self.trials.len());
        let inner: f64 = rounds.iter().map(|(size, share)| *size as f64 * share).sum::<f64>() * parts;
        let inner = if self.has_choice() { inner } else { 0.0 };
        self.folds.len() as f64 * (inner + 1.0) * self.mean_cost()
    }

    /// Runs all of it, or what the folder does not hold yet: folds, a model from all data, and baselines.
    pub fn run(&self, out: &Path, monitor: &dyn Monitor) -> Result<CrossvalRun, Error> {
        check_place(out)?;
        self.run_in(out, monitor)
    }

    /// Runs all of it in a folder that may hold other things, such as the data.
    pub fn run_in(&self, out: &Path, monitor: &dyn Monitor) -> Result<CrossvalRun, Error> {
        pooled(|| {
            let start = Instant::now();
            let results = self.measure(out, None, monitor)?;
            let seconds = (self.read_seconds, start.elapsed().as_secs_f64());
            let mut baselines = Vec::new();
            for name in &self.options.baselines {
                let baseline = Baseline::find(name)?;
                let found = self.measure(out, Some(baseline), monitor)?;
                baselines.push(BaselineResults::new(baseline, found, &results));
            }
            Ok(CrossvalRun { results, baselines, run: out.to_owned(), seconds })
        })
    }

    /// Runs all of it with workers, which run the folds.
    pub fn run_with(
        &self,
        out: &Path,
        workers: &dyn Workers,
        monitor: &dyn Monitor,
    ) -> Result<CrossvalRun, Error> {
        check_place(out)?;
        self.begin(out)?;
        workers.run_folds(out, self.folds.len())?;
        self.run_in(out, monitor)
    }

    /// Makes the folder of a run, so that shards of it can be run by [`Crossval::reopen`]ing it.
    pub fn begin(&self, out: &Path) -> Result<(), Error> {
        let journals = self.shard_journals(out).into_iter().chain([out.join(JOURNAL)]);
        for path in journals.filter(|path| path.exists()) {
            Journal::read::<JournalLine>(&path, &self.inputs(None))?;
        }
        create_folder(&out.join(SHARDS))?;
        self.write_options(out)
    }

    fn shard_journals(&self, out: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(out.join(SHARDS)).into_iter().flatten();
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        paths
    }

    /// Runs a shard of the folds. Processes may run several at the same time, in one folder; [`Crossval::run`] in that
    /// folder does what is left, and puts everything together as if it had run it all.
    pub fn run_shard(&self, out: &Path, shard: WorkShard, monitor: &dyn Monitor) -> Result<(), Error> {
        check_place(out)?;
        self.begin(out)?;
        let name = format!("{}-of-{}.jsonl", shard.number, shard.count);
        let (journal, records) = JournalRecords::open(&out.join(SHARDS).join(name), &self.inputs(None))?;
        let own = self.folds.iter().enumerate().filter(|(place, _)| shard.has(*place));
        let own: Vec<Fold> = own.map(|(_, fold)| fold.clone()).collect();
        monitor.begin(self.cost() * own.len() as f64 / self.folds.len().max(1) as f64);
        pooled(|| self.learn(out, &own, &journal, &records, monitor).map(drop))
    }

    /// Takes what shards have done into the journal, as if it had been done here.
    fn take_shards(&self, out: &Path, journal: &Journal, records: &mut JournalRecords) -> Result<(), Error> {
        for path in self.shard_journals(out) {
            for line in Journal::read::<JournalLine>(&path, &self.inputs(None))? {
                if records.is_new(&line) {
                    journal.append(&line)?;
                    records.insert(line);
                }
            }
        }
        Ok(())
    }

    /// Runs the template, or a baseline on its folds, and writes the results if they are what the folder is for.
    pub(crate) fn measure(
        &self,
        out: &Path,
        baseline: Option<&'static Baseline>,
        monitor: &dyn Monitor,
    ) -> Result<CrossvalResults, Error> {
        create_folder(out)?;
        let path = journal_path(out, baseline);
        if !path.exists() {
            self.write_options(out)?;
        }
        let (journal, mut records) = JournalRecords::open(&path, &self.inputs(baseline))?;
        self.write_options(out)?;
        if baseline.is_none() {
            self.take_shards(out, &journal, &mut records)?;
        }
        let refit_cost = if self.options.keep_models { self.mean_cost() } else { 0.0 };
        monitor.begin(self.cost() + refit_cost);
        let found = match baseline {
            None => self.learn(out, &self.folds, &journal, &records, monitor)?,
            Some(baseline) => self.run_baseline(baseline, &journal, &records)?,
        };
        let mut results = CrossvalResults::of(self, &found);
        match baseline {
            // A baseline chooses for itself.
            Some(_) => results.folds.iter_mut().for_each(|fold| fold.chosen.clear()),
            None if self.options.keep_models => {
                let record = match records.refit.filter(|_| out.join(MODEL).exists()) {
                    Some(record) => record,
                    None => self.refit(out, &journal, &found, monitor)?,
                };
                results.refit = Some(Refit::new(self, record));
            }
            None => {}
        }
        if baseline.is_none() || !self.options.keep_models {
            let files = [
                (RESULTS, json(&results)?),
                ("results.csv", results.csv()),
                ("results.tex", results.tex()),
                ("predictions.csv", self.predictions_csv(&found)),
            ];
            write_files(out, &files)?;
        }
        Ok(results)
    }

    fn learn(
        &self,
        out: &Path,
        folds: &[Fold],
        journal: &Journal,
        records: &JournalRecords,
        monitor: &dyn Monitor,
    ) -> Result<Vec<FoldRecord>, Error> {
        let models = self.options.keep_models.then_some(out);
        models.map_or(Ok(()), |out| create_folder(&out.join(MODELS)))?;
        self.share_networks(folds, records)?;
        let classes = self.cases.classes(self.dataset());
        let classes = &classes;
        try_each(folds, |fold| {
            FoldTask { crossval: self, fold, classes, records, journal, models, monitor }.run()
        })
    }

    /// Builds the networks of kernels once for all folds, if no model of a fold is kept: what a model knows of weights
    /// comes from its training folds alone.
    fn share_networks(&self, folds: &[Fold], records: &JournalRecords) -> Result<(), Error> {
        let is_open = |fold: &Fold| !records.folds.contains_key(&(fold.repeat, fold.number));
        if self.options.keep_models || self.cases != Cases::Examples || !folds.iter().any(is_open) {
            return Ok(());
        }
        for trial in self.trials.iter().filter(|trial| trial.settings.readout == Readout::Kernel) {
            let variant = &self.variants[trial.variant];
            if variant.tables.is_none() && variant.shared.get().is_none() {
                drop(variant.shared.set(SharedNetworks::build(variant, &trial.settings)?));
            }
        }
        Ok(())
    }

    /// Learns from all data with the trial that most folds chose, of several the first.
    fn refit(
        &self,
        out: &Path,
        journal: &Journal,
        found: &[FoldRecord],
        monitor: &dyn Monitor,
    ) -> Result<RefitRecord, Error> {
        let mut epochs = vec![Vec::new(); self.trials.len()];
        found.iter().for_each(|record| epochs[record.chosen.trial as usize].push(record.chosen.epochs));
        let trial = (0..epochs.len()).rev().max_by_key(|&trial| epochs[trial].len()).unwrap_or(0);
        let folds = epochs[trial].len() as u32;
        let mean =
            epochs[trial].iter().map(|&epochs| f64::from(epochs)).sum::<f64>() / f64::from(folds.max(1));
        let epochs = mean.round() as u32;
        let settings = Settings { epochs, patience: 0, ..self.trials[trial].settings.clone() };
        let training: Vec<usize> = (0..self.cases.count(&self.variant(trial).dataset)).collect();
        let part = HoldOut { cases: self.cases, training: &training, held: &[], is_seen: false };
        let trainer = Trainer::build(self.variant(trial), part, &settings)?;
        let meter = WorkMeter::new(monitor, self.stop(), self.mean_cost(), epochs, &settings);
        let learned = trainer.learn(&settings, epochs, false, &meter)?;
        meter.finish();
        let variant = self.trials[trial].variant;
        let mapping = self.variants[variant].mapping_note(self.cases, &training)?;
        let notes: Vec<_> = mapping.map(|text| (MAPPING_NOTE, text)).into_iter().collect();
        self.write_model(&out.join(MODEL), variant, &settings, &learned, &notes)?;
        let record = RefitRecord { trial: trial as u32, epochs, folds };
        journal.append(&JournalLine::Refit(record))?;
        Ok(record)
    }

    pub(crate) fn write_model(
        &self,
        file: &Path,
        variant: usize,
        settings: &Settings,
        learned: &TrainingResult,
        notes: &[(&str, String)],
    ) -> Result<(), Error> {
        let Variant { program, dataset, .. } = &self.variants[variant];
        let (weights, supports) = (learned.weights.clone(), learned.supports.clone());
        let mut model = model_of(program, dataset, settings, learned.loss, weights);
        model.supports = supports;
        model.notes.extend(notes.iter().map(|(name, text)| ((*name).to_owned(), text.clone())));
        write_model(file, &model)
    }

    /// Returns the values of some cases beside their targets, as a trial and a loss take them.
    pub(crate) fn answers_of(
        &self,
        trial: &Trial,
        cases: &[usize],
        values: &CaseValues,
        loss: Loss,
    ) -> Answers {
        let Variant { program, dataset, .. } = &self.variants[trial.variant];
        // A value beyond all bounds tells nothing; 0 can be counted.
        let finite = |value: &f64| if value.is_finite() { *value } else { 0.0 };
        let finite =
            |value: &Option<Vec<f64>>| value.as_ref().map(|value| value.iter().map(finite).collect());
        let values = values.iter().flatten().map(finite).collect();
        let is_regression = self.is_regression(loss);
        let meaning = Meaning { loss, unentailed: trial.settings.unentailed, is_regression };
        Answers::new(program, dataset, &self.cases.places(dataset, cases), values, meaning)
    }

    /// Tells whether targets are numbers and not classes, under a loss.
    pub(crate) fn is_regression(&self, loss: Loss) -> bool {
        self.has_numbers && loss == Loss::Squared
    }

    /// Returns the answers of every fold.
    pub fn answers<'a>(&'a self, records: &'a [FoldRecord]) -> Vec<FoldAnswers<'a>> {
        let answers = |(fold, record): (&'a Fold, &'a FoldRecord)| {
            let loss = Loss::find(&record.loss).unwrap_or(Loss::Squared);
            let trial = &self.trials[(record.chosen.trial as usize).min(self.trials.len() - 1)];
            let answers = self.answers_of(trial, &fold.test, &record.answers, loss);
            FoldAnswers { fold, record, answers }
        };
        self.folds.iter().zip(records).map(answers).collect()
    }

    /// Reads the folds that a folder holds, in order; none if one is missing. Nothing is written.
    pub(crate) fn recorded(
        &self,
        run: &Path,
        baseline: Option<&Baseline>,
    ) -> Result<Option<Vec<FoldRecord>>, Error> {
        let lines = Journal::read::<JournalLine>(&journal_path(run, baseline), &self.inputs(baseline))?;
        let records: JournalRecords = lines.into_iter().collect();
        let record = |fold: &Fold| records.folds.get(&(fold.repeat, fold.number)).cloned();
        Ok(self.folds.iter().map(record).collect())
    }

    fn write_options(&self, out: &Path) -> Result<(), Error> {
        let mut options = self.options.clone();
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        (options.data, options.templates) =
            (absolute(&options.data), options.templates.iter().map(absolute).collect());
        let templates = self.templates().map(|variant| variant.program.template().texts()).collect();
        let file = RunFile { version: lrnn::VERSION.to_owned(), options, templates };
        write_files(out, &[(OPTIONS, json(&file)?)])
    }

    /// Returns all that the results depend on.
    fn inputs(&self, baseline: Option<&Baseline>) -> JournalInputs {
        let CrossvalOptions { settings, space, families, .. } = &self.options;
        let texts = |variant: &Variant| variant.program.template().texts().into_iter().map(|(_, text)| text);
        let templates: Vec<String> = self.variants.iter().map(|variant| texts(variant).collect()).collect();
        let dataset = self.dataset();
        let CrossvalOptions { folds, split, inner, search, repeats, best_epoch, .. } = &self.options;
        let settings: Vec<String> =
            settings.pairs().map(|(name, value)| format!("{name} = {value}")).collect();
        let inputs: [(&str, String); 8] = [
            ("the data", format!("{:016x}", fingerprint(dataset))),
            ("the folds of the data", format!("{:?}", dataset.folds)),
            ("the templates", format!("{families:?}\n{}", templates.join("\n"))),
            ("the settings of learning", settings.join("\n")),
            ("the table [search]", format!("{:?}", space.0)),
            ("the plan", format!("{folds:?} {split:?} {inner} {search:?} {repeats} {best_epoch}")),
            ("the baseline", baseline.map_or("", |baseline| baseline.name).to_owned()),
            ("the version", lrnn::VERSION.to_owned()),
        ];
        inputs.into_iter().map(|(name, text)| (name.to_owned(), text)).collect::<BTreeMap<_, _>>()
    }
}

impl Variant {
    fn new(path: &Path, text: TemplateText, options: &CrossvalOptions) -> Result<Self, Error> {
        // What is left to the data is the data's to answer.
        let is_note =
            |it: &&Diagnostic| it.severity < Severity::Error && !matches!(it.code, "W0304" | "W0305");
        let mut notes: Vec<Diagnostic> = text.diagnostics.iter().filter(is_note).cloned().collect();
        let template = text.into_template()?;
        let vocabulary = template.vocabulary.clone();
        let is_mapping = is_mapping(&options.data);
        let tables = is_mapping.then(|| read_tables(&options.data, Purpose::Learning)).transpose()?;
        let mut dataset = match &tables {
            Some(tables) => tables.dataset(vocabulary, None)?.dataset,
            None => read_dataset(&options.data, &options.molecules, vocabulary)?.0,
        };
        notes.extend(template.expand(&mut dataset, options.limits.clone())?);
        let program = Program::strict(&template, &dataset, options.limits.clone(), options.strict)?;
        notes.extend(without_unused(path, program.notes().to_vec()));
        let (name, shared) = (path.display().to_string(), OnceLock::new());
        Ok(Self { name, program, dataset, tables, notes, shared })
    }

    /// Returns the data with what its mapping learns from some cases; nothing where it learns nothing.
    pub fn fitted(&self, cases: Cases, training: &[usize]) -> Result<Option<Dataset>, Error> {
        let tables = self.tables.as_ref().filter(|it| it.mapping().is_open() && cases == Cases::Examples);
        let read = |tables: &Tables| tables.dataset(self.dataset.vocabulary.clone(), Some(training));
        Ok(tables.map(read).transpose()?.map(|found| found.dataset))
    }

    /// Returns what a model remembers of the data's mapping.
    pub fn mapping_note(&self, cases: Cases, training: &[usize]) -> Result<Option<String>, Error> {
        let training = (cases == Cases::Examples).then_some(training);
        self.tables.as_ref().map(|tables| mapping_note(tables, training)).transpose()
    }
}

/// Returns the folds of all repetitions.
fn folds(options: &CrossvalOptions, dataset: &Dataset, cases: Cases) -> Result<Vec<Fold>, Error> {
    let (count, what, given) = (cases.count(dataset), cases.name(), dataset.folds.len());
    let wrong = |message: String, help: &str| Err(Error::new(ErrorKind::Content, message).help(help));
    let classes = cases.classes(dataset);
    let mut all = Vec::new();
    for repeat in 0..options.repeats.max(1) {
        let seed = options.settings.seed.wrapping_add(u64::from(repeat));
        let drawn = given == 0 || options.split == SplitMethod::Scaffold;
        let folds = match options.folds.or(drawn.then_some(FOLDS)) {
            Some(folds) if folds as usize > count => {
                let message = format!("{folds} folds are too many for {count} {what}");
                return wrong(message, &format!("--folds takes a number up to {count}"));
            }
            Some(folds) if options.split == SplitMethod::Scaffold => {
                Fold::by_scaffold(dataset, folds, repeat, seed)?
            }
            Some(folds) => Fold::stratified(&classes, folds, repeat, seed),
            None if given != count => {
                let message = format!("the data gives {given} folds for {count} {what}");
                return wrong(message, "--folds K makes K stratified folds");
            }
            None => Fold::given(&dataset.folds, repeat, seed),
        };
        let folds = match options.split {
            SplitMethod::Graph if cases != Cases::Examples => {
                let message = "a split by graphs needs several examples".to_owned();
                return wrong(message, "the cases of this data are the queries of one example");
            }
            SplitMethod::Graph => Fold::by_graph(&folds, dataset),
            SplitMethod::Random | SplitMethod::Scaffold => folds,
        };
        if folds.len() < 2 {
            let message = "there is one fold only, so there is nothing to learn from".to_owned();
            return wrong(message, "--folds K makes K stratified folds");
        }
        all.extend(folds);
    }
    Ok(all)
}

/// Returns where the data of a dataset folder is: the folder may name another place.
pub(crate) fn data_of(path: &Path) -> Result<PathBuf, Error> {
    match path.join(lrnn_io::CONFIG_NAME).exists() {
        true => Ok(lrnn_io::Config::read(path)?.data.unwrap_or_else(|| path.to_owned())),
        false => Ok(path.to_owned()),
    }
}

/// Checks that a run may be in a folder: one that is there goes on, and else nothing may be there.
fn check_place(out: &Path) -> Result<(), Error> {
    if is_run(out) { Ok(()) } else { check_free(out, "choose another with --out") }
}

fn journal_path(run: &Path, baseline: Option<&Baseline>) -> PathBuf {
    run.join(baseline.map_or(JOURNAL.to_owned(), |baseline| format!("journal-{}.jsonl", baseline.name)))
}

/// Returns where the model of a fold is kept.
pub(crate) fn model_path(run: &Path, fold: &Fold) -> PathBuf {
    run.join(MODELS).join(format!("seed-{}-fold-{}.safetensors", fold.seed, fold.number))
}

pub(crate) fn write_files(folder: &Path, files: &[(&str, String)]) -> Result<(), Error> {
    files.iter().try_for_each(|(name, text)| write_atomically(&folder.join(name), text.as_bytes()))
}

pub(crate) fn json(value: &impl Serialize) -> Result<String, Error> {
    let text = serde_json::to_string_pretty(value);
    text.map(|text| text + "\n").map_err(|error| Error::new(ErrorKind::Content, error.to_string()))
}

pub(crate) fn stopped() -> Error {
    Error::new(ErrorKind::Stopped, "stopped before the end")
}
