//! `lrnn check TEMPLATE [DATA]`: everything that can be said without computing a value.

use lrnn::diagnostic::{Diagnostic, Severity, Sources, printable};
use lrnn::ground::fit;
use lrnn_io::{read_data, read_template};
use serde_json::{Value, json};

use crate::args::{Check, Common};
use crate::failure::{Failure, NO, diagnostic_json};
use crate::{load, output};

pub fn run(check: &Check, common: &Common) -> Result<u8, Failure> {
    let (path, data, config) = load::locate(&check.template, check.data.as_deref())?;
    let file = read_template(&path, load::template_options(&check.options, &config)?)?;
    let mut sources = file.sources;
    let mut diagnostics = file.diagnostics;
    if let (Some(template), Some(data)) = (&file.template, &data) {
        diagnostics.retain(|diagnostic| !matches!(diagnostic.code, "W0304" | "W0305"));
        match read_data(data, template.vocabulary.clone(), &mut sources)? {
            Ok(dataset) => diagnostics.extend(fit(template, &dataset, false).1),
            Err(found) => diagnostics.extend(found),
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
        output::print_json(&document(&diagnostics, &sources, errors == 0))?;
    } else {
        load::report(&diagnostics, &sources, common);
        let name = printable(&path.display().to_string());
        let verdict = if errors == 0 { "is fine" } else { "has problems" };
        let plural = |number, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
        output::print(&format!(
            "{name} {verdict}: {}, {}\n",
            plural(errors, "error"),
            plural(warnings, "warning")
        ))?;
    }
    Ok(if errors == 0 { 0 } else { NO })
}

fn document(diagnostics: &[Diagnostic], sources: &Sources, ok: bool) -> Value {
    let problems: Vec<Value> =
        diagnostics.iter().map(|diagnostic| diagnostic_json(diagnostic, sources)).collect();
    json!({ "ok": ok, "problems": problems })
}
