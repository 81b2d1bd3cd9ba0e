//! `lrnn check TEMPLATE [DATA]`: everything that can be said without computing a value.

use std::path::Path;

use lrnn::diagnostic::{Severity, printable};
use lrnn::ground::{cross_products, fit};
use lrnn::template::Options;
use lrnn_io::{
    MOLECULES_TEMPLATE_NAME, is_molecule_file, locate_molecules, read_dataset, read_template_for,
    used_columns, without_unused,
};
use serde::Serialize;

use crate::args::{CheckArgs, Common};
use crate::failure::{Error, MessageJson, NO};
use crate::output;

#[derive(Serialize)]
struct CheckReport<'a> {
    ok: bool,
    problems: Vec<MessageJson<'a>>,
}

pub fn run(check: &CheckArgs, common: &Common) -> Result<u8, Error> {
    let (path, data, config) =
        locate_molecules(&check.template, check.data.as_deref(), &check.columns.columns())?;
    let family = config.asked_family(check.options.family.as_deref())?;
    let mut columns = check.columns.columns().or(&config.molecules.clone().unwrap_or_default());
    if let Some(data) =
        data.as_deref().filter(|data| is_molecule_file(data, &columns) && !columns.targets.is_empty())
    {
        columns = used_columns(data, &columns)?;
    }
    let read = read_template_for(&path, &columns, Options { family, strict: check.options.strict })?;
    let (mut sources, mut diagnostics) = (read.sources, read.diagnostics);
    let is_alone = columns.targets.is_empty() && path == Path::new(MOLECULES_TEMPLATE_NAME);
    if is_alone {
        output::say_notes(["the molecules are checked alone; --target COLUMN names what is learned"], common);
    } else {
        diagnostics.extend(read.template.iter().flat_map(cross_products));
    }
    if let (Some(template), Some(data)) = (&read.template, &data) {
        diagnostics.retain(|diagnostic| !matches!(diagnostic.code, "W0304" | "W0305"));
        match read_dataset(data, &columns, template.vocabulary.clone()) {
            Ok((dataset, _)) => {
                diagnostics.extend(without_unused(&path, fit(template, &dataset, false).1));
                sources = sources.joined(&dataset.sources);
            }
            Err(error) if error.diagnostics().is_empty() => return Err(error),
            Err(error) => {
                diagnostics.extend(error.diagnostics().iter().cloned());
                sources = sources.joined(error.sources());
            }
        }
    }
    if check.options.strict {
        for diagnostic in diagnostics.iter_mut().filter(|found| found.severity == Severity::Warning) {
            diagnostic.severity = Severity::Error;
        }
    }
    let count = |severity| diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if common.json {
        let problems = diagnostics.iter().map(|diagnostic| MessageJson::of(diagnostic, &sources)).collect();
        output::print_json(&CheckReport { ok: errors == 0, problems })?;
    } else {
        output::say_diagnostics(&diagnostics, &sources, common.quiet);
        let name = printable(&path.display().to_string());
        let verdict = if errors == 0 { "is fine" } else { "has problems" };
        let (errors, warnings) = (output::numbered(errors, "error"), output::numbered(warnings, "warning"));
        output::print(&format!("{name} {verdict}: {errors}, {warnings}\n"))?;
    }
    Ok(if errors == 0 { 0 } else { NO })
}
