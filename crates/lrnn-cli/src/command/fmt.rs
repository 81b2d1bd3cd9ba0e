//! `lrnn fmt FILE...`: templates and mappings in the standard layout. A file with mistakes is left alone.

use std::io::{IsTerminal, Read};
use std::path::Path;

use lrnn::diagnostic::{Sources, printable};
use lrnn::syntax::{parse, print};
use lrnn_io::{is_mapping, read_text};
use lrnn_tables::Mapping;
use lrnn_tables::mapping::format_mapping;
use serde_json::json;

use crate::args::{Common, FmtArgs};
use crate::failure::{Error, ErrorKind, NO};
use crate::output;

pub fn run(fmt: &FmtArgs, common: &Common) -> Result<u8, Error> {
    let mut changed = Vec::new();
    for file in &fmt.files {
        let (before, after) = formatted(file)?;
        let name = file.display().to_string();
        if before != after {
            changed.push(name.clone());
        }
        if fmt.write && before != after {
            write(file, &after)?;
        } else if !fmt.check && !fmt.write && !common.json {
            // A file or a pipe gets every byte, a terminal only what it can show.
            output::print(&if std::io::stdout().is_terminal() { printable(&after) } else { after })?;
        }
    }
    if common.json {
        output::print_json(&json!({ "changed": changed, "files": fmt.files.len() }))?;
    } else if fmt.check || fmt.write {
        let what = if fmt.write { "formatted" } else { "is not in the standard layout" };
        changed.iter().for_each(|name| output::say(&printable(&format!("{name}: {what}\n"))));
    }
    Ok(if fmt.check && !changed.is_empty() { NO } else { 0 })
}

fn formatted(file: &Path) -> Result<(String, String), Error> {
    let mut text = String::new();
    if file == Path::new("-") {
        let read = std::io::stdin().read_to_string(&mut text);
        read.map_err(|error| Error::new(ErrorKind::File, format!("standard input: {error}")))?;
    } else {
        text = read_text(file)?;
    }
    if is_mapping(file) {
        let mapping = Mapping::parse(&file.display().to_string(), &text)?;
        return Ok((text, format_mapping(&mapping)));
    }
    let mut sources = Sources::default();
    let source = sources.add(file.display().to_string(), text);
    let (ast, diagnostics) = parse(sources.text(source), source);
    if !diagnostics.is_empty() {
        return Err(Error::of(ErrorKind::Content, diagnostics, &sources));
    }
    let after = print(&ast, sources.text(source));
    Ok((sources.text(source).to_owned(), after))
}

/// Writes beside the file and then puts it in its place, so that a full disk loses nothing.
fn write(file: &Path, text: &str) -> Result<(), Error> {
    let mut beside = file.as_os_str().to_owned();
    beside.push(".lrnn-fmt");
    let failed = |error| Error::new(ErrorKind::File, format!("cannot write {}: {error}", file.display()));
    std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, file)).map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        failed(error)
    })
}
