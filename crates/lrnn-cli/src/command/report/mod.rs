//! `lrnn report RUN`: a run as one page to look at.

mod crossval;
mod train;

use std::ffi::OsStr;
use std::path::Path;
use std::time::Instant;

use lrnn::diagnostic::printable;
use lrnn::network::Network;
use lrnn::{Dataset, Program};
use lrnn_io::{RunFolder, write_atomically};
use lrnn_report::gather::{Asked, Gathered, Subject, alike_view, concept_views, gather};
use lrnn_report::page::{self, Texts};
use serde::Serialize;

use crate::args::{Common, Report};
use crate::failure::{Error, ErrorKind};
use crate::output;
use crate::progress::with_progress;

/// The name of a report in the folder of its run.
const NAME: &str = "report.html";
/// What is alike is looked for among so many examples at most: they become one network.
const MOST_TOGETHER: usize = 3000;

/// A page that was written.
#[derive(Clone, Serialize)]
pub struct PageFile {
    file: String,
    bytes: usize,
    examples: usize,
    explained: usize,
    notes: Vec<String>,
    seconds: f64,
}

pub fn run(asked: &Report, common: &Common) -> Result<u8, Error> {
    let made = make(&asked.run, asked.out.as_deref(), asked.data.as_deref(), common)?;
    if common.json {
        output::print_json(&made)?;
    } else if !common.quiet {
        output::print(&printable(&made.text()))?;
    }
    Ok(0)
}

/// Makes the report of a run, in the file that is asked for or in the folder of the run.
pub fn make(run: &Path, out: Option<&Path>, data: Option<&Path>, common: &Common) -> Result<PageFile, Error> {
    let start = Instant::now();
    let path = out.map_or_else(|| run.join(NAME), Path::to_owned);
    let content = if lrnn_lab::is_run(run) {
        crossval::content(run, data, common)?
    } else if RunFolder::is_run(run) {
        train::content(run, data, common)?
    } else {
        let failure = Error::new(ErrorKind::File, format!("{}: there is no run to report", run.display()));
        return Err(failure.help("a run is a folder that `lrnn train` or `lrnn crossval` wrote"));
    };
    let Content { report, explained } = content;
    let text = match path.extension() == Some(OsStr::new("json")) {
        true => page::json(&report),
        false => page::page(&report),
    };
    let text =
        text.map_err(|error| Error::new(ErrorKind::File, format!("cannot write the report: {error}")))?;
    write_atomically(&path, text.as_bytes())?;
    let (bytes, examples, notes) = (text.len(), report.examples.len(), report.notes);
    let file = path.display().to_string();
    Ok(PageFile { file, bytes, examples, explained, notes, seconds: start.elapsed().as_secs_f64() })
}

impl PageFile {
    /// What is said of it.
    pub fn text(&self) -> String {
        let examples =
            if self.examples == 1 { "1 example".to_owned() } else { format!("{} examples", self.examples) };
        let (bytes, seconds) = (output::bytes(self.bytes as f64), self.seconds);
        let answers = self.explained;
        format!("report: {} ({bytes}, {examples}, {answers} answers explained, {seconds:.1} s)\n", self.file)
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
    (program, dataset): (&Program, &Dataset),
    together: Option<Network>,
    common: &Common,
    report: page::Report,
) -> Content {
    let limits = program.limits();
    let mut texts = Texts::default();
    let templates = lrnn_report::gather::template_views(asked.subjects, str::to_owned, &mut texts);
    let count = dataset.examples.len();
    let found = with_progress(common, "looking at example", count, |done| {
        let progress =
            |now: usize, _: usize| done.store(now.min(count), std::sync::atomic::Ordering::Relaxed);
        gather(asked, limits, &mut texts, &progress)
    });
    let Gathered { examples, patterns, notes, explained } = found;
    let mut notes = [report.notes.clone(), notes].concat();
    let first = asked.subjects.first();
    let alike = first.and_then(|subject| alike(subject, program, dataset, together, &mut notes));
    let report = page::Report {
        program: format!("lrnn {}", env!("CARGO_PKG_VERSION")),
        data: lrnn_report::gather::data_view(dataset),
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
    program: &Program,
    dataset: &Dataset,
    together: Option<Network>,
    notes: &mut Vec<String>,
) -> Option<page::Alike> {
    let count = dataset.examples.len();
    if count > MOST_TOGETHER {
        notes
            .push(format!("which of the {count} examples the template cannot tell apart was not looked for"));
        return None;
    }
    let all: Vec<usize> = (0..count).collect();
    let together = together.map_or_else(|| program.together(dataset, &all), |it| Ok(Some(it)));
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
fn moved(data: &Path) -> Error {
    let failure = Error::new(
        ErrorKind::File,
        format!("the data of this run was at {}, and is not there", data.display()),
    );
    failure.help("--data DATA says where it is now")
}
