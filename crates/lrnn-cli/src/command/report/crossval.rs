//! The report of a cross-validation.

use std::path::Path;

use lrnn_lab::CrossvalReport;
use lrnn_report::page::Report;

use super::{Content, command, gathered, title};
use crate::args::Common;
use crate::failure::Error;
use crate::interrupt;

pub fn content(run: &Path, data: Option<&Path>, common: &Common) -> Result<Content, Error> {
    let found = CrossvalReport::read(run, data, interrupt::stop())?;
    let subjects = found.subjects();
    let report = Report { title: title(found.data()), command: command(run), ..found.page() };
    Ok(gathered(&found.asked(&subjects), found.first(), None, common, report))
}
