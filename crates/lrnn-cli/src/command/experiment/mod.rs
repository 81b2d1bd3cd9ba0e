//! `lrnn experiment FILE.toml`: many methods on many datasets, each by cross-validation on the same folds.
//!
//! Every dataset and method has a folder with a journal of its own, so whatever was done stays done; the same command
//! goes on.

mod asked;
mod report;

use std::path::{Path, PathBuf};
use std::time::Instant;

use lrnn_io::{ExperimentData, ExperimentFile, Method};
use lrnn_lab::baseline::{Baseline, BaselineError};
use lrnn_lab::{Results, Summary};

use super::crossval::{Folder, Kept, Prepared, RESULTS, run_in};
use super::train::is_taken;
use crate::args::{Common, Experiment, LearningFlags};
use crate::failure::{Failure, TEXT, USAGE};
use crate::interrupt;

pub fn run(experiment: &Experiment, common: &Common) -> Result<u8, Failure> {
    let begin = Instant::now();
    interrupt::listen()?;
    let file = ExperimentFile::read(&experiment.file, experiment.data.as_deref())?;
    let session = Session { file: &file, path: &experiment.file, common, out: out(experiment)? };
    session.check()?;
    let names = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<String>>();
    let mut summary = Summary::new(
        names(file.datasets.iter().map(|dataset| dataset.name.as_str()).collect()),
        names(file.methods.iter().map(|method| method.name.as_str()).collect()),
    );
    let is_whole = session.run(&mut summary)?;
    report::print(&summary, &report::rivals(&file.methods), &session.out, is_whole, begin, common)?;
    Ok(if is_whole { 0 } else { interrupt::exit_code() })
}

/// The folder of the results: what is asked for, or named after the file.
fn out(experiment: &Experiment) -> Result<PathBuf, Failure> {
    let stem = experiment.file.file_stem().map_or_else(|| "experiment".into(), |name| name.to_owned());
    let out = experiment.out.clone().unwrap_or_else(|| Path::new("runs").join(stem));
    if is_taken(&out) && !out.join(report::RESULTS).exists() {
        let failure = Failure::io(format!("{}: there is something in this folder", out.display()));
        return Err(failure.help("choose another with --out"));
    }
    Ok(out)
}

/// One run of the command.
struct Session<'a> {
    file: &'a ExperimentFile,
    path: &'a Path,
    common: &'a Common,
    out: PathBuf,
}

impl Session<'_> {
    /// What can be seen before anything is computed.
    fn check(&self) -> Result<(), Failure> {
        for method in &self.file.methods {
            self.baseline(method)?;
        }
        for dataset in &self.file.datasets {
            if !dataset.path.exists() {
                let message = format!("{}: there is no such file or folder", dataset.path.display());
                let help = format!("paths are relative to {}, or to --data", self.path.display());
                return Err(Failure::io(message).help(help));
            }
            for method in &self.file.methods {
                self.asked(dataset, method)?;
            }
        }
        let folders = |names: Vec<&str>| {
            let mut folders: Vec<String> = names.into_iter().map(folder_name).collect();
            folders.sort();
            folders.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone())
        };
        let methods = folders(self.file.methods.iter().map(|method| method.name.as_str()).collect());
        let datasets = folders(self.file.datasets.iter().map(|dataset| dataset.name.as_str()).collect());
        match methods.or(datasets) {
            Some(name) => Err(self
                .wrong(&format!("two names have the same folder, `{name}`"))
                .help("names should differ in letters, digits, `.`, `_` and `-`")),
            None => Ok(()),
        }
    }

    fn wrong(&self, message: &str) -> Failure {
        Failure::new(TEXT, format!("{}: {message}", self.path.display()))
    }

    fn baseline(&self, method: &Method) -> Result<Option<&'static Baseline>, Failure> {
        let Some(name) = &method.baseline else { return Ok(None) };
        match Baseline::find(name) {
            Ok(baseline) => Ok(Some(baseline)),
            Err(error @ BaselineError::NotBuilt) => Err(Failure::new(USAGE, error.to_string())),
            Err(error) => {
                let names: Vec<&str> = Baseline::names().collect();
                let failure = self.wrong(&format!("method `{}`: {error}", method.name));
                Err(failure.help(format!("there are {}", names.join(", "))))
            }
        }
    }

    /// All datasets by all methods; whether it came to the end.
    fn run(&self, summary: &mut Summary) -> Result<bool, Failure> {
        let (datasets, methods) = (self.file.datasets.len(), self.file.methods.len());
        let mut progress = report::Progress::new(datasets, methods, self.common);
        let rivals = report::rivals(&self.file.methods);
        report::write(summary, &rivals, &self.out)?;
        for (at, method_at) in self.order(datasets, methods) {
            let (dataset, method) = (&self.file.datasets[at], &self.file.methods[method_at]);
            let start = Instant::now();
            let place = format!("dataset {}, method {}", dataset.name, method.name);
            let found = self.one(dataset, method).map_err(|failure| failure.before(&place))?;
            let Some(results) = found else { return Ok(false) };
            progress.done(method_at, &place, &results, start);
            summary.found[at][method_at] = Some(results);
            report::write(summary, &rivals, &self.out)?;
        }
        Ok(true)
    }

    /// Datasets and methods, dataset by dataset; what was done before comes first, so that no summary is without it.
    fn order(&self, datasets: usize, methods: usize) -> Vec<(usize, usize)> {
        let mut order: Vec<(usize, usize)> =
            (0..datasets).flat_map(|at| (0..methods).map(move |method_at| (at, method_at))).collect();
        let is_new = |&(at, method_at): &(usize, usize)| {
            !self.folder(&self.file.datasets[at], &self.file.methods[method_at]).join(RESULTS).exists()
        };
        order.sort_by_cached_key(is_new);
        order
    }

    fn folder(&self, dataset: &ExperimentData, method: &Method) -> PathBuf {
        self.out.join(folder_name(&dataset.name)).join(folder_name(&method.name))
    }

    fn one(&self, dataset: &ExperimentData, method: &Method) -> Result<Option<Results>, Failure> {
        if interrupt::is_interrupted() {
            return Ok(None);
        }
        // What is to say of templates and data is for `lrnn check`: here it would come again and again.
        let quiet = Common { quiet: true, ..*self.common };
        let prepared = Prepared::new(self.asked(dataset, method)?, &LearningFlags::default(), &quiet)?;
        let study = prepared.study()?;
        let folder = Folder::make(self.folder(dataset, method))?;
        run_in(&folder, &prepared, &study, self.baseline(method)?, Kept::Results, self.common)
    }
}

/// A name as a folder.
fn folder_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let name: String = name.chars().map(plain).collect();
    if name.trim_matches('.').is_empty() { format!("-{name}") } else { name }
}
