//! `lrnn report RUN`: a run as one page to look at.

use std::path::Path;
use std::time::Instant;

use lrnn::diagnostic::printable;
use lrnn_lab::{PageFile, Progress, report_command, run_page, write_page};
use serde::Serialize;

use crate::args::{Common, Report};
use crate::failure::Error;
use crate::progress::with_progress;
use crate::{interrupt, output};

/// The name of a report in the folder of its run.
const NAME: &str = "report.html";

/// A page that was written, and how long that took.
#[derive(Clone, Serialize)]
pub struct TimedPage {
    #[serde(flatten)]
    page: PageFile,
    seconds: f64,
}

pub fn run(asked: &Report, common: &Common) -> Result<u8, Error> {
    let page = make(&asked.run, asked.out.as_deref(), common, |progress| {
        run_page(&asked.run, asked.data.as_deref(), interrupt::stop(), progress)
    })?;
    if common.json {
        output::print_json(&page)?;
    } else if !common.quiet {
        output::print(&page.text())?;
    }
    Ok(0)
}

/// Makes the report of a run and writes it, to the file that is asked for or into the folder of the run.
pub fn make(
    run: &Path,
    out: Option<&Path>,
    common: &Common,
    page: impl FnOnce(&Progress<'_>) -> Result<lrnn_report::page::Report, Error>,
) -> Result<TimedPage, Error> {
    let start = Instant::now();
    let path = out.map_or_else(|| run.join(NAME), Path::to_owned);
    let page = page(&|count, work| with_progress(common, "looking at example", count, work))?;
    let page = write_page(page, &path)?;
    Ok(TimedPage { page, seconds: start.elapsed().as_secs_f64() })
}

impl TimedPage {
    /// Returns what is said of it.
    pub fn text(&self) -> String {
        let PageFile { file, bytes, examples, explained, .. } = &self.page;
        let examples = if *examples == 1 { "1 example".to_owned() } else { format!("{examples} examples") };
        let (bytes, seconds) = (output::bytes(*bytes as f64), self.seconds);
        printable(&format!(
            "report: {file} ({bytes}, {examples}, {explained} answers explained, {seconds:.1} s)\n"
        ))
    }
}

/// Says how to make a report, for people who did not ask for one.
pub fn say_how(run: &Path, common: &Common) {
    if !common.quiet && !common.json {
        output::say(&printable(&format!("to look at it: {}\n", report_command(run))));
    }
}
