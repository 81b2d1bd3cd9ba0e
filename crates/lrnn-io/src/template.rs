//! A template's file and everything it imports.

use std::path::Path;

use lrnn::Error;
use lrnn::template::{Options, Template, TemplateText};

use crate::file::read_text;

/// Reads a template and what it imports. Only a file that cannot be read at all is an error; mistakes are diagnostics.
pub fn read_template(path: &Path, options: Options) -> Result<TemplateText, Error> {
    Template::read(path, options, &mut |path| read_text(path))
}
