//! A template's file and everything it imports.

use std::path::Path;

use lrnn::Error;
use lrnn::diagnostic::Diagnostic;
use lrnn::template::{Options, Template, TemplateText};
use lrnn::vocabulary::Constant;

use crate::file::read_text;
use crate::molecules::{MOLECULES_TEMPLATE, MOLECULES_TEMPLATE_NAME, MoleculeColumns};

/// Tells whether a path is the name of a template that comes with the program, and no file.
pub(crate) fn is_shipped(path: &Path) -> bool {
    path == Path::new(MOLECULES_TEMPLATE_NAME) && !path.exists()
}

/// Returns the text of the template for molecules that comes with the program, with these targets.
pub fn molecules_template(columns: &MoleculeColumns) -> String {
    let fact = |name: String| format!("target({}).\n", Constant::from(name.as_str()));
    let facts: String = columns.properties().into_iter().map(fact).collect();
    if facts.is_empty() { MOLECULES_TEMPLATE.to_owned() } else { format!("{MOLECULES_TEMPLATE}\n{facts}") }
}

/// Reads a template and what it imports. Only a file that cannot be read at all is an error; mistakes are diagnostics.
pub fn read_template(path: &Path, options: Options) -> Result<TemplateText, Error> {
    Template::read(path, options, &mut |path| read_text(path))
}

/// Reads a template as [`read_template`] does, or the one for molecules that comes with the program, with these targets.
pub fn read_template_for(
    path: &Path,
    columns: &MoleculeColumns,
    options: Options,
) -> Result<TemplateText, Error> {
    match is_shipped(path) {
        true => Template::read(path, options, &mut |_| Ok(molecules_template(columns))),
        false => read_template(path, options),
    }
}

/// Returns messages without those about what the template for molecules is ready for and these do not have.
pub fn without_unused(template: &Path, mut notes: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if is_shipped(template) {
        notes.retain(|note| !matches!(note.code, "W0306" | "D0203"));
    }
    notes
}
