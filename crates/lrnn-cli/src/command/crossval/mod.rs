//! `lrnn crossval FOLDER`: how well a template learns, with settings chosen inside the training folds.

mod asked;
mod folder;
mod models;
mod prepare;
mod report;
mod watch;

use std::path::Path;
use std::time::Instant;

use clap::Parser;
use lrnn::diagnostic::did_you_mean;
use lrnn_lab::baseline::{Baseline, BaselineError};
use lrnn_lab::{JournalError, Results, Study, StudyError, read_header};

pub use self::asked::{Asked, families, search_of, space_failure, templates};
pub use self::folder::{Folder, RESULTS, is_run};
pub use self::prepare::Prepared;
use self::report::{Found, Times};
use self::watch::Watch;
use crate::args::{Arguments, Command, Common, Crossval};
use crate::failure::{Failure, IO, TEXT, USAGE};
use crate::interrupt;

pub fn run(crossval: &Crossval, common: &Common) -> Result<u8, Failure> {
    let begin = Instant::now();
    interrupt::listen()?;
    let resumed = crossval.resume.as_ref().map(|_| resumed(crossval)).transpose()?;
    let crossval = resumed.as_ref().unwrap_or(crossval);
    folder::check_out(crossval)?;
    let baselines = baselines(&crossval.baseline)?;
    let prepared = Prepared::new(Asked::new(crossval, common)?, &crossval.learning, common)?;
    let study = prepared.study()?;
    study.cost().map_err(|error| prepared.failure(error))?;
    let folder = Folder::open(crossval, &prepared)?;
    let learning = Instant::now();
    let run = |baseline: Option<&Baseline>| {
        let kept = if baseline.is_none() { Kept::All } else { Kept::Nothing };
        run_in(&folder, &prepared, &study, baseline, kept, common)
    };
    let Some(results) = run(None)? else { return report::interrupted(&folder, common) };
    let seconds = learning.elapsed().as_secs_f64();
    let mut rivals = Vec::new();
    for baseline in baselines {
        let Some(results) = run(Some(baseline))? else { return report::interrupted(&folder, common) };
        rivals.push((baseline, results));
    }
    let times = Times { read: prepared.seconds, learn: seconds, total: begin.elapsed().as_secs_f64() };
    let asked = crossval.report.report.as_ref();
    let made = asked.map(|out| crate::command::report::make(&folder.path, out.as_deref(), None, common));
    let found = Found { study: &study, results: &results, rivals: &rivals };
    report::print(&found, &folder, &times, made.as_ref().and_then(|made| made.as_ref().ok()), common)?;
    match made {
        Some(made) => made.map(|_| 0),
        None => {
            crate::command::report::say_how(&folder.path, common);
            Ok(0)
        }
    }
}

/// What a run leaves in its folder, beside the journal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    Nothing,
    Results,
    /// Results, and the model of each fold.
    All,
}

/// Runs a study, or a baseline on its folds, in a folder. Nothing if it was stopped; what is done stays in the journal.
pub fn run_in(
    folder: &Folder,
    prepared: &Prepared,
    study: &Study<'_>,
    baseline: Option<&Baseline>,
    kept: Kept,
    common: &Common,
) -> Result<Option<Results>, Failure> {
    let failed = |error: StudyError| prepared.failure(error);
    let mut watch = Watch::new(common, study.cost().map_err(failed)?);
    if kept == Kept::All {
        watch.models = Some(folder.models(prepared, study)?);
    }
    let (journal, header) = (folder.journal(baseline), prepared.header(study, baseline));
    let records = match baseline {
        None => study.run(Some(&journal), &header, &watch),
        Some(baseline) => study.run_baseline(baseline, Some(&journal), &header, &watch),
    };
    watch.clear();
    let Some(records) = records.map_err(failed)? else { return Ok(None) };
    let mut results = Results::of(study, &records).map_err(failed)?;
    if baseline.is_some() {
        // A baseline chooses for itself.
        results.folds.iter_mut().for_each(|fold| fold.settings.clear());
    }
    if kept != Kept::Nothing {
        folder.write(study, &records, &results).map_err(failed)??;
    }
    Ok(Some(results))
}

/// Baselines by their names.
fn baselines(names: &[String]) -> Result<Vec<&'static Baseline>, Failure> {
    let find = |name: &String| {
        Baseline::find(name).map_err(|error| {
            let failure = Failure::new(USAGE, error.to_string());
            if error == BaselineError::NotBuilt {
                return failure;
            }
            let names: Vec<&str> = Baseline::names().collect();
            let help = did_you_mean(name, names.iter().copied());
            failure.help(help.unwrap_or_else(|| format!("there are {}", names.join(", "))))
        })
    };
    names.iter().map(find).collect()
}

/// What was asked for when the run began, which goes on as it was.
fn resumed(crossval: &Crossval) -> Result<Crossval, Failure> {
    let Some(run) = &crossval.resume else {
        return Err(Failure::new(USAGE, "there is no run to go on with"));
    };
    if !crossval.learning.given.is_empty() {
        let failure = Failure::new(USAGE, "a run goes on with the settings it began with");
        return Err(failure.help("give --resume alone, or begin a new run with these settings"));
    }
    if !is_run(run) {
        let failure = Failure::new(IO, format!("{}: there is no run to go on with", run.display()));
        return Err(failure.help("a run is a folder with journal.jsonl, which `lrnn crossval` writes"));
    }
    let mut begun = begun(run)?;
    begun.report.report = crossval.report.report.clone().or(begun.report.report);
    Ok(begun)
}

/// What was asked for when a run began: the words stand in its journal.
pub fn begun(run: &Path) -> Result<Crossval, Failure> {
    let journal = run.join(folder::JOURNAL);
    let header = read_header(&journal).map_err(|error| journal_failure(&error))?;
    let words = std::iter::once("lrnn".to_owned()).chain(header.words);
    match Arguments::try_parse_from(words).map(|arguments| arguments.command) {
        Ok(Command::Crossval(mut begun)) => {
            let directory = Path::new(&header.directory);
            let paths = [&mut begun.folder, &mut begun.template, &mut begun.data];
            for path in paths.into_iter().flatten().chain(begun.report.report.iter_mut().flatten()) {
                *path = directory.join(&path);
            }
            begun.out = Some(run.to_owned());
            Ok(begun)
        }
        _ => Err(Failure::new(TEXT, format!("{}: its words are not of `lrnn crossval`", journal.display()))
            .help("begin a new run")),
    }
}

/// An error of the journal as a failure.
pub fn journal_failure(error: &JournalError) -> Failure {
    let (code, help) = match error {
        JournalError::File(..) => return Failure::io(error.to_string()),
        JournalError::Content(..) => (TEXT, "a line was changed by hand or by the disk; begin a new run"),
        JournalError::Other(..) => (TEXT, "begin a new run with another --out"),
        JournalError::Busy(..) => (IO, "wait for it, or choose another --out"),
    };
    Failure::new(code, error.to_string()).help(help)
}
