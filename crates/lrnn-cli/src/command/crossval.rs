//! `lrnn crossval FOLDER`: how well a template learns, with settings chosen inside the training folds.

use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use lrnn_io::{Config, free_name, is_molecule_file, locate_molecules, used_columns};
use lrnn_lab::{
    BaselineResults, CrossvalOptions, CrossvalResults, CrossvalRun, Monitor, PageFile, SearchMethod,
    SearchSpace, Workers, report_run,
};
use serde::Serialize;
use serde_json::json;

use super::experiment::CellTimes;
use super::report;
use super::train::{place, settings};
use crate::args::{Common, CrossvalArgs, SourceArgs};
use crate::failure::{Error, ErrorKind};
use crate::load::limits;
use crate::progress::{Progress, duration};
use crate::{interrupt, output};

/// The outcome of a run.
#[derive(Serialize)]
struct CrossvalDocument<'a> {
    #[serde(flatten)]
    run: &'a CrossvalRun,
    interrupted: bool,
    report: Option<&'a PageFile>,
}

pub fn run(asked: &CrossvalArgs, common: &Common, workers: Option<&dyn Workers>) -> Result<u8, Error> {
    let begin = Instant::now();
    interrupt::listen()?;
    let crossval = match &asked.resume {
        None => lrnn_lab::Crossval::open(options(asked, common)?)?,
        Some(_) if !asked.learning.given.is_empty() => {
            let error = Error::new(ErrorKind::Usage, "a run goes on with the settings it began with");
            return Err(error.help("give --resume alone, or begin a new run with these settings"));
        }
        Some(run) => lrnn_lab::Crossval::reopen(run, asked.source.data(), interrupt::stop())?,
    };
    crossval.notes().for_each(|(notes, sources)| output::say_diagnostics(notes, sources, common.quiet));
    let source = asked.source.folder.as_deref().unwrap_or(&crossval.options().data);
    let out = asked.resume.clone().or(asked.out.clone()).unwrap_or_else(|| free_name(source, "-crossval"));
    let watch = WorkWatch::new(common, None);
    let run = match (asked.shard, workers) {
        (Some(shard), _) => crossval.run_shard(&out, shard, &watch).map(|()| None),
        (None, Some(workers)) => crossval.run_with(&out, workers, &watch).map(Some),
        (None, None) => crossval.run(&out, &watch).map(Some),
    };
    watch.progress.clear();
    match run {
        Ok(None) => {
            let run = out.display();
            output::say(&format!("this shard is done; when all are: lrnn crossval --join {run}\n"));
            Ok(0)
        }
        Ok(Some(run)) => finish(asked, &run, begin, common),
        Err(error) if error.kind() == ErrorKind::Stopped => {
            if common.json {
                output::print_json(&json!({ "interrupted": true, "run": out }))?;
            } else if !common.quiet {
                let run = out.display();
                output::say(&format!("stopped before the end; to go on: lrnn crossval --resume {run}\n"));
            }
            Ok(interrupt::exit_code())
        }
        Err(error) => Err(error),
    }
}

/// Makes the report that is asked for, and prints.
fn finish(asked: &CrossvalArgs, run: &CrossvalRun, begin: Instant, common: &Common) -> Result<u8, Error> {
    let page = asked.report.report.as_ref();
    let data = asked.resume.as_ref().and(asked.source.data());
    let progress = report::progress(common);
    let page = page.map(|out| report_run(&run.run, data, out.as_deref(), interrupt::stop(), &progress));
    let written = page.as_ref().and_then(|page| page.as_ref().ok());
    let (read, learn) = run.seconds;
    let total = begin.elapsed().as_secs_f64();
    let seconds = [("read", Some(read)), ("learn", Some(learn)), ("total", Some(total))];
    let document = CrossvalDocument { run, interrupted: false, report: written };
    output::print_result(common, &document, &seconds, None, || {
        let (head, rows) = run.results.table();
        let mut lines = run.results.sentences();
        lines.extend(run.baselines.iter().flat_map(BaselineResults::sentences));
        lines.push(format!("read {read:.2} s, learned {learn:.2} s"));
        lines.push(format!("run: {}", run.run.display()));
        let written = written.map(report::text).unwrap_or_default();
        format!("{}\n{}\n{written}", output::table(&head, &rows), lines.join("\n"))
    })?;
    match page {
        Some(page) => drop(page?),
        None => report::say_how(&run.run, common),
    }
    Ok(0)
}

/// Returns what flags and the dataset folder ask for.
fn options(asked: &CrossvalArgs, common: &Common) -> Result<CrossvalOptions, Error> {
    let SourceArgs { folder, template, .. } = &asked.source;
    let (source, data) = place("crossval", &asked.source, &asked.columns.columns())?;
    let (path, data, mut config) = locate_molecules(&source, data.as_deref(), &asked.columns.columns())?;
    if let (Some(folder), Some(_)) = (folder, template)
        && !is_molecule_file(folder, &asked.columns.columns())
    {
        config = Config::read(folder)?;
    }
    let Some(data) = data else {
        let error = Error::new(ErrorKind::Usage, "there is no data to learn from");
        return Err(error.help("--data DATA names it"));
    };
    config.asked_family(None)?;
    let settings = settings(&asked.learning, &config)?;
    for (name, share) in [("validation", settings.validation.0), ("test", settings.test.0)] {
        if share > 0.0 {
            let note = format!("{name} = {share} does not count here: folds are held out instead");
            output::say_notes([note], common);
        }
    }
    let mut molecules = asked.columns.columns().or(&config.molecules.clone().unwrap_or_default());
    if is_molecule_file(&data, &molecules) {
        molecules = used_columns(&data, &molecules)?;
    }
    let options = CrossvalOptions {
        molecules,
        split: asked.split.split.into(),
        families: vec![asked.options.family.clone().or(config.family.clone())],
        strict: asked.options.strict,
        folds: asked.folds,
        inner: asked.inner,
        search: SearchMethod::new(&asked.search, asked.trials.map(|trials| trials.get() as usize))?,
        repeats: asked.seeds,
        best_epoch: asked.best_epoch,
        baselines: asked.baseline.clone(),
        limits: limits(&asked.limits, &config),
        ..CrossvalOptions::new(path, data, settings)
    };
    let folder = folder.as_deref().unwrap_or(Path::new(""));
    options.with_space(SearchSpace(config.search()), folder, "lrnn.toml, [search]: ")
}

/// Work of a cross-validation, in epochs.
struct FoldWork {
    begin: Instant,
    cost: f64,
    done: f64,
    known: f64,
    folds: usize,
}

impl FoldWork {
    fn new(cost: f64) -> Self {
        Self { begin: Instant::now(), cost, done: 0.0, known: 0.0, folds: 0 }
    }

    fn text(&self) -> String {
        let Self { begin, cost, done, known, folds } = self;
        let now = begin.elapsed().as_secs_f64();
        let left = now / done * (cost - done - known).max(0.0);
        let is_told = *done > LEAST_SHARE * cost;
        let left = if is_told { format!(", {} left", duration(left)) } else { String::new() };
        let share = 100.0 * (done + known) / cost.max(1.0);
        format!("{share:.1} %, {folds} folds done, {}{left}", duration(now))
    }
}

/// The share of the work after which the time of the rest can be told.
const LEAST_SHARE: f64 = 0.01;

/// A monitor that shows progress, and of an experiment what is done.
pub struct WorkWatch {
    work: Mutex<FoldWork>,
    cells: Option<Mutex<CellTimes>>,
    pub progress: Progress,
}

impl WorkWatch {
    pub fn new(common: &Common, cells: Option<CellTimes>) -> Self {
        let (work, cells) = (Mutex::new(FoldWork::new(0.0)), cells.map(Mutex::new));
        Self { work, cells, progress: Progress::new(common) }
    }

    fn change(&self, change: impl FnOnce(&mut FoldWork)) {
        if let Ok(mut work) = self.work.lock() {
            change(&mut work);
        }
    }
}

impl Monitor for WorkWatch {
    fn begin(&self, cost: f64) {
        self.change(|work| *work = FoldWork::new(cost));
    }

    fn work(&self, cost: f64) {
        self.change(|work| {
            work.done += cost;
            self.progress.show(|| work.text());
        });
    }

    fn known(&self, cost: f64) {
        self.change(|work| work.known += cost);
    }

    fn fold(&self) {
        self.change(|work| work.folds += 1);
    }

    fn cell(&self, dataset: usize, method: usize, results: &CrossvalResults) {
        let Some(Ok(mut cells)) = self.cells.as_ref().map(Mutex::lock) else { return };
        let sentence = cells.add(dataset, method, results);
        self.progress.clear();
        output::say(&sentence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_that_is_left_is_told_when_it_can_be() {
        let work = |done: f64| FoldWork { done, ..FoldWork::new(100.0) };
        assert!(work(0.5).text().starts_with("0.5 %, 0 folds done, "));
        assert!(!work(0.5).text().contains("left"));
        assert!(work(50.0).text().contains(" left"));
    }
}
