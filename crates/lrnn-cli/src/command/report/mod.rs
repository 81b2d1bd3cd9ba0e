//! `lrnn report RUN`: a run as one page to look at.

mod crossval;
mod train;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Instant;

use lrnn::diagnostic::printable;
use lrnn::ground::Limits;
use lrnn::network::Network;
use lrnn_io::{CONFIG_NAME, write_atomically};
use lrnn_report::gather::{Asked, Gathered, Subject, alike_view, concept_views, gather};
use lrnn_report::page::{self, Texts};
use serde_json::{Value, json};

use super::limit;
use super::train::model_in;
use crate::args::{Common, Report};
use crate::failure::{Failure, IO};
use crate::load::Loaded;
use crate::output;
use crate::progress::with_progress;

/// The name of a report in the folder of its run.
const NAME: &str = "report.html";
/// What is alike is looked for among so many examples at most: they become one network.
const MOST_TOGETHER: usize = 3000;

/// A report that was written.
pub struct Made {
    pub path: PathBuf,
    bytes: usize,
    examples: usize,
    explained: usize,
    notes: Vec<String>,
    seconds: f64,
}

pub fn run(asked: &Report, common: &Common) -> Result<u8, Failure> {
    let made = make(&asked.run, asked.out.as_deref(), asked.data.as_deref(), common)?;
    if common.json {
        output::print_json(&made.json())?;
    } else if !common.quiet {
        output::print(&printable(&made.text()))?;
    }
    Ok(0)
}

/// Makes the report of a run, in the file that is asked for or in the folder of the run.
pub fn make(run: &Path, out: Option<&Path>, data: Option<&Path>, common: &Common) -> Result<Made, Failure> {
    let start = Instant::now();
    let path = out.map_or_else(|| run.join(NAME), Path::to_owned);
    // What there is to say of template and data was said when the run began.
    let quiet = Common { quiet: true, ..*common };
    let content = if super::crossval::is_run(run) {
        crossval::content(run, data, &quiet, common)?
    } else if run.join(CONFIG_NAME).exists() && model_in(run).exists() && run.is_dir() {
        train::content(run, data, &quiet, common)?
    } else {
        let failure = Failure::new(IO, format!("{}: there is no run to report", run.display()));
        return Err(failure.help("a run is a folder that `lrnn train` or `lrnn crossval` wrote"));
    };
    let Content { report, explained } = content;
    let text = match path.extension() == Some(OsStr::new("json")) {
        true => page::json(&report),
        false => page::page(&report),
    };
    let text = text.map_err(|error| Failure::io(format!("cannot write the report: {error}")))?;
    write_atomically(&path, text.as_bytes())?;
    let (bytes, examples, notes) = (text.len(), report.examples.len(), report.notes);
    Ok(Made { path, bytes, examples, explained, notes, seconds: start.elapsed().as_secs_f64() })
}

impl Made {
    pub fn json(&self) -> Value {
        json!({
            "file": self.path.display().to_string(), "bytes": self.bytes, "examples": self.examples,
            "explained": self.explained, "notes": self.notes, "seconds": self.seconds,
        })
    }

    /// What is said of it.
    pub fn text(&self) -> String {
        let examples =
            if self.examples == 1 { "1 example".to_owned() } else { format!("{} examples", self.examples) };
        let (bytes, seconds) = (output::bytes(self.bytes as f64), self.seconds);
        let answers = self.explained;
        format!(
            "report: {} ({bytes}, {examples}, {answers} answers explained, {seconds:.1} s)\n",
            self.path.display()
        )
    }
}

/// Says how to make a report, for people who did not ask for one.
pub fn say_how(run: &Path, common: &Common) {
    if !common.quiet && !common.json {
        output::say(&printable(&format!("to look at it: {}\n", command(run))));
    }
}

/// The command that makes the report of a run.
fn command(run: &Path) -> String {
    let text = run.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    match text.chars().all(is_plain) {
        true => format!("lrnn report {text}"),
        false => format!("lrnn report '{}'", text.replace('\'', "'\\''")),
    }
}

/// What a report is made of.
struct Content {
    report: page::Report,
    explained: usize,
}

/// The parts that every report has: examples, concepts, patterns, what is alike, from subjects and answers.
fn gathered(
    asked: &Asked<'_>,
    loaded: &Loaded,
    together: Option<Network>,
    limits: &Limits,
    common: &Common,
    report: page::Report,
) -> Content {
    let mut texts = Texts::default();
    let templates = lrnn_report::gather::template_views(asked.subjects, str::to_owned, &mut texts);
    let count = loaded.dataset.examples.len();
    let found = with_progress(common, "looking at example", count, |done| {
        let progress =
            |now: usize, _: usize| done.store(now.min(count), std::sync::atomic::Ordering::Relaxed);
        gather(asked, limits, &mut texts, &progress)
    });
    let Gathered { examples, patterns, notes, explained } = found;
    let mut notes = [report.notes.clone(), notes].concat();
    let first = asked.subjects.first();
    let alike = first.and_then(|subject| alike(subject, loaded, together, limits, &mut notes));
    let report = page::Report {
        program: format!("lrnn {}", env!("CARGO_PKG_VERSION")),
        data: lrnn_report::gather::data_view(&loaded.dataset),
        templates,
        notes,
        concepts: concept_views(asked.subjects),
        patterns,
        alike,
        examples,
        texts: texts.into_all(),
        ..report
    };
    Content { report, explained }
}

fn alike(
    subject: &Subject<'_>,
    loaded: &Loaded,
    together: Option<Network>,
    limits: &Limits,
    notes: &mut Vec<String>,
) -> Option<page::Alike> {
    let count = loaded.dataset.examples.len();
    if count > MOST_TOGETHER {
        notes
            .push(format!("which of the {count} examples the template cannot tell apart was not looked for"));
        return None;
    }
    let all: Vec<usize> = (0..count).collect();
    let together = together.map_or_else(|| limit::together(loaded, &all, limits), |it| Ok(Some(it)));
    match together {
        Ok(network) => alike_view(subject, &network?),
        Err(_) => {
            notes.push(
                "what the template cannot tell apart is not known: all examples together are too many".into(),
            );
            None
        }
    }
}

/// The name of data for people: that of its folder or file.
fn title(data: &Path) -> String {
    let data = data.canonicalize().unwrap_or_else(|_| data.to_owned());
    data.file_stem().map_or_else(|| "run".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Data that is not where the run found it.
fn moved(data: &Path) -> Failure {
    let failure = Failure::io(format!("the data of this run was at {}, and is not there", data.display()));
    failure.help("--data DATA says where it is now")
}
