//! `lrnn train FOLDER`: learns the weights of a template from data.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use lrnn::{Epoch, Observer, Settings, Training, TrainingOptions};
use lrnn_io::{
    Config, Inputs, MAPPING_NOTE, MoleculeColumns, RunFolder, RunInputs, check_free, free_name,
    is_molecule_file, locate_molecules, read_model_of, without_unused,
};
use lrnn_lab::{TrainingReport, TrainingSummary, Workers, graph_split, scaffold_split};

use super::report;
use crate::args::{Common, LearningFlags, SourceArgs, SplitKind, TrainArgs};
use crate::failure::{Error, ErrorKind};
use crate::load::limits;
use crate::progress::{Progress, duration, with_progress};
use crate::{interrupt, output};

pub fn run(train: &TrainArgs, common: &Common, workers: Option<&dyn Workers>) -> Result<u8, Error> {
    let begin = Instant::now();
    if train.time.is_some_and(|time| time.is_nan() || time < 0.0) {
        return Err(Error::new(ErrorKind::Usage, "--time must be a number of seconds from 0"));
    }
    if let Some(out) = &train.out {
        check_free(out, "choose another with --out, or go on with the run in it by --resume")?;
    }
    interrupt::listen()?;
    let resumed = train.resume.as_deref().map(RunFolder::open).transpose()?;
    let from = train.from.as_deref().map(read_model_of).transpose()?;
    let (mut inputs, config) = inputs(train)?;
    let settings = settings(&train.learning, &config)?;
    let mut split = match &train.resume {
        Some(run) => RunFolder::read_split(run),
        None if train.split.split == SplitKind::Scaffold => Some(scaffold_split(&inputs.dataset, &settings)?),
        None if train.split.split == SplitKind::Graph => Some(graph_split(&inputs.dataset, &settings)),
        None => None,
    };
    let mapping = inputs.fit_mapping(&mut split, &settings)?;
    let validation_data = train.validation_data.clone().or(config.validation_data.clone());
    if let Some(path) = &validation_data {
        split = Some(inputs.add_validation(path, mapping.as_deref(), split, &settings)?);
    }
    let limits = limits(&train.limits, &config);
    let read = begin.elapsed().as_secs_f64();
    let start = Instant::now();
    let (strict, from) = (train.options.strict, from.as_ref());
    let options =
        TrainingOptions { limits: limits.clone(), strict, split, from, ..TrainingOptions::default() };
    let examples = inputs.dataset.examples.len();
    let built = with_progress(common, "grounding and building", examples, |_| {
        let (template, dataset) = (&inputs.template, &inputs.dataset);
        let Some(workers) = workers else { return Training::new(template, dataset, &settings, options) };
        let crew = workers.crew(template, dataset, &settings, &options)?;
        Training::with_crew(template, dataset, &settings, options, crew)
    });
    output::say_diagnostics(&inputs.notes, &inputs.sources(), common.quiet);
    let data = inputs.data_path.clone().unwrap_or_default();
    let mut training = built.map_err(|error| error.with_data(data.display()))?;
    let notes = without_unused(&inputs.template_path, training.program().notes().to_vec());
    output::say_diagnostics(&notes, training.program().sources(), common.quiet);
    output::say_notes(training.notes(), common);
    let settings = training.settings().clone();
    let build = start.elapsed().as_secs_f64();
    let family = train.options.family.as_deref().or(config.family.as_deref());
    let folder = match resumed {
        Some(mut folder) => {
            folder.resume(&mut training)?;
            folder
        }
        None => {
            let source = train.source.folder.as_deref().unwrap_or(&inputs.template_path);
            let path = train.out.clone().unwrap_or_else(|| free_name(source, ""));
            let (template, validation_data) = (&*inputs.template_path, validation_data.as_deref());
            let run = RunInputs {
                template,
                data: &data,
                validation_data,
                molecules: inputs.config.molecules.as_ref(),
                family,
                limits: &limits,
                settings: &settings,
            };
            let folder = RunFolder::create(path, &run)?;
            folder.write_split(training.cases(), training.split())?;
            folder
        }
    };
    let watch = Watch::new(common, &settings, &training, train.time);
    let start = Instant::now();
    folder.train(&mut training, &watch)?;
    watch.progress.clear();
    let learn = start.elapsed().as_secs_f64();
    let seconds = [read, build, learn, begin.elapsed().as_secs_f64()];
    finish(train, common, &inputs, mapping, &training, &folder, &watch, seconds)
}

/// Writes the model, measures, and prints.
#[allow(clippy::too_many_arguments)]
fn finish(
    train: &TrainArgs,
    common: &Common,
    inputs: &Inputs,
    mapping: Option<String>,
    training: &Training<'_>,
    folder: &RunFolder,
    watch: &Watch<'_>,
    [read, build, learn, total]: [f64; 4],
) -> Result<u8, Error> {
    let mut model = training.model();
    model.notes.extend(mapping.map(|text| (MAPPING_NOTE.to_owned(), text)));
    folder.write_model(&model)?;
    let has_test = !training.split().test.is_empty();
    let answers = if has_test || train.report.report.is_some() { training.answers(&model)? } else { None };
    let test = answers.as_ref().and_then(|answers| training.test_scores(answers));
    let least = if train.least_wrong { Some(training.least_wrong()?) } else { None };
    let page = train.report.report.as_ref();
    let page = page.map(|out| {
        let report = TrainingReport {
            model: Cow::Borrowed(&model),
            dataset: Cow::Borrowed(&inputs.dataset),
            answers,
            split: training.split().clone(),
            history: folder.history(training),
            settings: watch.settings.clone(),
            limits: training.program().limits().clone(),
            data: inputs.data_path.clone().unwrap_or_default(),
            molecules: inputs.config.molecules.clone().unwrap_or_default(),
            notes: Vec::new(),
        };
        report.write(&folder.path, out.as_deref(), &report::progress(common))
    });
    let path = folder.model_path().display().to_string();
    let mut done = TrainingSummary::new(training, path, test, least);
    done.report = page.as_ref().and_then(|page| page.as_ref().ok().cloned());
    let median = watch.epoch_median();
    // Examples are grounded and built in one go, so that a grounding can be dropped at once: it has no time of its own.
    let (first, last) =
        ([("read", Some(read)), ("ground", None)], [("learn", Some(learn)), ("total", Some(total))]);
    let seconds = [&first[..], &[("build", Some(build)), ("epoch_median", median)], &last].concat();
    output::print_result(common, &done, &seconds, None, || {
        let times = format!("read {read:.2} s, built {build:.2} s, learned {learn:.2} s");
        let page = done.report.as_ref().map(report::text).unwrap_or_default();
        done.text(median, &times) + &page
    })?;
    let path = folder.path.display();
    if done.interrupted && !common.quiet && !common.json {
        output::say(&format!("to go on: lrnn train --resume {path}\n"));
    }
    match page {
        Some(page) => drop(page?),
        None if !done.interrupted => report::say_how(&folder.path, common),
        None => {}
    }
    output::say_notes(training.cycles().map(|cycles| cycles.sentence()), common);
    output::say_notes(training.warnings(&model), common);
    match training.diverged() {
        Some(error) => Err(error),
        None if done.interrupted => Ok(interrupt::exit_code()),
        None => Ok(0),
    }
}

/// Reads template and data, and the folder's settings.
fn inputs(train: &TrainArgs) -> Result<(Inputs, Config), Error> {
    let columns = train.columns.columns();
    let (template, data) = match &train.resume {
        Some(run) => (run.clone(), train.source.data().map(Path::to_owned)),
        None => place("train", &train.source, &columns)?,
    };
    // Settings of the folder stay where the template is another.
    let named = match (&train.source.folder, &train.source.template) {
        (Some(folder), Some(_)) if !is_molecule_file(folder, &columns) => Some(Config::read(folder)?),
        _ => None,
    };
    let family =
        train.options.family.as_deref().or(named.as_ref().and_then(|config| config.family.as_deref()));
    let (data, strict) = (data.as_deref(), train.options.strict);
    let own = if train.stream { MoleculeColumns::default() } else { columns.clone() };
    let inputs = Inputs::read_as(&template, data, &own, family, strict, train.stream)?;
    if inputs.data_path.is_none() {
        let error = Error::new(ErrorKind::Usage, "there is no data to learn from");
        return Err(error.help("--data DATA names it"));
    }
    let config = named.unwrap_or_else(|| inputs.config.clone());
    Ok((inputs, config))
}

/// Returns the dataset folder, or template and data, for a command.
pub fn place(
    command: &str,
    source: &SourceArgs,
    columns: &MoleculeColumns,
) -> Result<(PathBuf, Option<PathBuf>), Error> {
    let data = source.data().map(Path::to_owned);
    match (&source.template, &source.folder) {
        (Some(template), None) => Ok((template.clone(), data)),
        (Some(template), Some(folder)) => {
            Ok((template.clone(), locate_molecules(folder, data.as_deref(), columns)?.1))
        }
        (None, Some(folder)) if !folder.exists() => {
            let message = format!("{}: there is no such file or folder", folder.display());
            let near = lrnn_tables::missing_help(folder).filter(|help| help.starts_with("did you mean"));
            let help = "a dataset folder has an lrnn.toml; or name a template and its data";
            Err(Error::new(ErrorKind::File, message).help(near.unwrap_or_else(|| help.to_owned())))
        }
        (None, Some(folder)) => Ok((folder.clone(), data)),
        (None, None) => Err(Error::new(ErrorKind::Usage, "what should be learned?")
            .help(format!("lrnn {command} FOLDER, or lrnn {command} TEMPLATE DATA"))),
    }
}

/// Returns the settings: defaults, then the folder's, then flags.
pub fn settings(flags: &LearningFlags, config: &Config) -> Result<Settings, Error> {
    let mut settings = config.settings()?;
    for (name, text) in &flags.given {
        settings.set(name, text)?;
    }
    Ok(settings)
}

/// Times for the line of progress and the median of epochs.
struct EpochTimes {
    /// The least training loss and error so far.
    best: Option<(f64, f64)>,
    /// Time at which the last epoch of each restart was done.
    last: Vec<Instant>,
    /// Seconds of each epoch.
    seconds: Vec<f64>,
}

/// An observer that shows progress, and stops at a signal or when the time is over.
struct Watch<'a> {
    common: &'a Common,
    settings: &'a Settings,
    limit: Option<f64>,
    done: AtomicU64,
    before: u64,
    times: Mutex<EpochTimes>,
    progress: Progress,
}

impl<'a> Watch<'a> {
    fn new(common: &'a Common, settings: &'a Settings, training: &Training<'_>, limit: Option<f64>) -> Self {
        let (_, epochs) = training.progress();
        let before = epochs.iter().map(|&epoch| u64::from(epoch)).sum();
        let progress = Progress::new(common);
        let last = vec![progress.start; epochs.len()];
        let times = Mutex::new(EpochTimes { best: None, last, seconds: Vec::new() });
        Self { common, settings, limit, done: AtomicU64::new(before), before, times, progress }
    }

    /// Returns the median of the seconds that epochs took, where each restart had a thread of its own.
    fn epoch_median(&self) -> Option<f64> {
        let mut seconds = self.times.lock().ok()?.seconds.clone();
        seconds.sort_by(f64::total_cmp);
        seconds.get(seconds.len() / 2).copied()
    }

    fn text(&self, epoch: &Epoch, best: Option<(f64, f64)>) -> String {
        let all = u64::from(self.settings.epochs) * u64::from(self.settings.restarts.0);
        let done = self.done.load(Ordering::Relaxed);
        let now = self.progress.start.elapsed().as_secs_f64();
        let left = now / (done - self.before).max(1) as f64 * all.saturating_sub(done) as f64;
        let left = duration(self.limit.map_or(left, |limit| left.min(limit - now)));
        let best = best.map_or(String::new(), |(loss, error)| {
            format!(", best loss {loss:.4}, error {:.1} %", 100.0 * error)
        });
        let (loss, error, rate) = (epoch.running.loss, 100.0 * epoch.running.error(), epoch.rate);
        format!(
            "epoch {done} of {all}, {left} left: loss {loss:.4}, error {error:.1} %{best}, learning rate {rate}"
        )
    }
}

impl Observer for Watch<'_> {
    fn epoch(&self, epoch: &Epoch) {
        self.done.fetch_add(1, Ordering::Relaxed);
        let Ok(mut times) = self.times.lock() else { return };
        let now = Instant::now();
        let last = std::mem::replace(&mut times.last[epoch.restart as usize], now);
        if times.seconds.len() < 100_000 {
            times.seconds.push((now - last).as_secs_f64());
        }
        if let Some(measure) = epoch.training {
            let (loss, error) = (measure.loss, measure.error());
            if times.best.is_none_or(|(best, _)| loss < best) {
                times.best = Some((loss, error));
            }
            if self.common.verbose {
                self.progress.clear();
                let (restart, epoch, error) = (epoch.restart, epoch.epoch, 100.0 * error);
                output::say(&format!(
                    "restart {restart} epoch {epoch}: loss {loss:.6}, error {error:.1} %\n"
                ));
            }
        }
        self.progress.show(|| self.text(epoch, times.best));
    }

    fn is_stopped(&self) -> bool {
        let is_late = |limit| self.progress.start.elapsed().as_secs_f64() >= limit;
        interrupt::is_interrupted() || self.limit.is_some_and(is_late)
    }
}
