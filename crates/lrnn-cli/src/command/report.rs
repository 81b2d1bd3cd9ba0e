//! `lrnn report RUN`: a run as one page to look at.

use std::path::Path;
use std::sync::atomic::AtomicUsize;

use lrnn::diagnostic::printable;
use lrnn_lab::{PageFile, report_command, report_run};

use crate::args::{Common, ReportArgs};
use crate::failure::Error;
use crate::progress::with_progress;
use crate::{interrupt, output};

pub fn run(asked: &ReportArgs, common: &Common) -> Result<u8, Error> {
    let (data, out) = (asked.data.as_deref(), asked.out.as_deref());
    let page = report_run(&asked.run, data, out, interrupt::stop(), &progress(common))?;
    let text = || if common.quiet { String::new() } else { text(&page) };
    output::print_result(common, &page, &[], None, text)
}

/// Shows how many examples were looked at.
pub fn progress(common: &Common) -> impl Fn(usize, &mut dyn FnMut(&AtomicUsize)) {
    |count, work| with_progress(common, "looking at example", count, work)
}

/// Returns what is said of a page that was written.
pub fn text(page: &PageFile) -> String {
    let PageFile { file, explained, seconds, .. } = page;
    let (bytes, examples) = (output::bytes(page.bytes as f64), output::numbered(page.examples, "example"));
    printable(&format!(
        "report: {file} ({bytes}, {examples}, {explained} answers explained, {seconds:.1} s)\n"
    ))
}

/// Says how to make a report, for people who did not ask for one.
pub fn say_how(run: &Path, common: &Common) {
    if !common.quiet && !common.json {
        output::say(&printable(&format!("to look at it: {}\n", report_command(run))));
    }
}
