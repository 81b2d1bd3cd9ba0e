//! Standard output and standard error.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};
use std::path::Path;
use std::sync::LazyLock;

use lrnn::diagnostic::{Diagnostic, Severity, Sources, printable};
use lrnn::vocabulary::is_hidden;
use lrnn_io::write_atomically;
use lrnn_report::pdf_of_svg;
pub use lrnn_report::table::{bytes, columns as table, count, counted, numbered};
use serde::{Serialize, Serializer};

use crate::args::Common;
use crate::failure::{Error, ErrorKind};

/// Writes a text to standard output. If that was closed, whoever read it had enough: the process ends well.
pub fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        written => {
            written.map_err(|error| Error::new(ErrorKind::File, format!("cannot write the output: {error}")))
        }
    }
}

/// Writes comma-separated values to standard output, exactly; on a terminal nothing is written that would upset it.
pub fn print_csv(text: &str) -> Result<(), Error> {
    if io::stdout().is_terminal() { print(&printable(text)) } else { print(text) }
}

/// Prints messages to standard error: all, or errors only if told to be quiet.
pub fn say_diagnostics(diagnostics: &[Diagnostic], sources: &Sources, is_quiet: bool) {
    let least = if is_quiet { Severity::Error } else { Severity::Note };
    for diagnostic in diagnostics.iter().filter(|diagnostic| diagnostic.severity >= least) {
        say(&format!("{}\n", diagnostic.render(sources)));
    }
}

/// Says notes, each a sentence, unless told to be quiet.
pub fn say_notes<T: AsRef<str>>(notes: impl IntoIterator<Item = T>, common: &Common) {
    for note in notes.into_iter().filter(|_| !common.quiet) {
        say(&printable(&format!("note: {}\n", note.as_ref())));
    }
}

/// Prints a result: as JSON, with the seconds and the memory that it took where any are told, as CSV where that is asked
/// for, or as text for people.
pub fn print_result(
    common: &Common,
    result: &impl Serialize,
    seconds: Seconds<'_>,
    csv: Option<String>,
    text: impl FnOnce() -> String,
) -> Result<u8, Error> {
    match csv {
        _ if common.json && seconds.is_empty() => print_json(result)?,
        _ if common.json => print_costed(result, seconds)?,
        Some(csv) => print_csv(&csv)?,
        None => print(&text())?,
    }
    Ok(0)
}

/// Writes a picture where one is asked for beside a result, and says so.
pub fn write_beside(path: Option<&Path>, svg: impl FnOnce() -> String, common: &Common) -> Result<(), Error> {
    let Some(path) = path else { return Ok(()) };
    write_picture(path, &svg(), common)?;
    if !common.quiet {
        say(&printable(&format!("wrote {}\n", path.display())));
    }
    Ok(())
}

/// Writes a picture, as PDF where the name of the file says so.
pub fn write_picture(path: &Path, svg: &str, common: &Common) -> Result<(), Error> {
    if path.extension().is_none_or(|ending| ending != "pdf") {
        return write_atomically(path, svg.as_bytes());
    }
    let picture = pdf_of_svg(svg);
    let missing: String = picture.missing.iter().collect();
    let note =
        (!missing.is_empty()).then(|| format!("the font of the PDF lacks {missing}: ? stands for them"));
    say_notes(note, common);
    write_atomically(path, &picture.bytes)
}

/// Writes a document for machines to standard output. What must not go to a terminal is escaped: in JSON it can
/// only stand inside a string.
pub fn print_json(document: &impl Serialize) -> Result<(), Error> {
    let mut text = String::new();
    let json = serde_json::to_string(document);
    let json =
        json.map_err(|error| Error::new(ErrorKind::File, format!("cannot write the output: {error}")))?;
    for c in json.chars() {
        if is_hidden(c) {
            let _ = write!(text, "\\u{:04x}", c as u32);
        } else {
            text.push(c);
        }
    }
    print(&format!("{text}\n"))
}

/// The names of stages with their seconds.
pub type Seconds<'a> = &'a [(&'static str, Option<f64>)];

/// A result with its costs.
#[derive(Serialize)]
struct CostedResult<'a, T> {
    #[serde(flatten)]
    result: &'a T,
    #[serde(serialize_with = "as_map")]
    seconds: Seconds<'a>,
    peak_memory_bytes: Option<u64>,
}

fn as_map<S: Serializer>(seconds: &Seconds<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(seconds.iter().copied())
}

/// Writes a document for machines to standard output, with the seconds and the memory that it took.
pub fn print_costed(result: &impl Serialize, seconds: Seconds<'_>) -> Result<(), Error> {
    print_json(&CostedResult { result, seconds, peak_memory_bytes: peak_memory_bytes() })
}

/// Writes a text to standard error, messages in colours on a terminal; there is nobody to tell if that fails.
pub fn say(text: &str) {
    static HAS_COLOURS: LazyLock<bool> = LazyLock::new(|| has_colours(&io::stderr()));
    let coloured = if *HAS_COLOURS { coloured(text) } else { text.to_owned() };
    let _ = io::stderr().lock().write_all(coloured.as_bytes());
}

/// Returns whether this is a terminal that can do more than print line after line.
pub fn is_terminal(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
}

/// Returns whether this is a terminal with colours, and nobody asked for none.
pub fn has_colours(stream: &impl IsTerminal) -> bool {
    is_terminal(stream) && std::env::var_os("NO_COLOR").is_none_or(|text| text.is_empty())
}

/// The words that begin a message, each with the code of its colour on a terminal.
const COLOURS: [(&str, &str); 4] = [("error", "31"), ("warning", "33"), ("note", "36"), ("help", "36")];

/// Colours messages: the first line bold, with its kind in colour, and the kind of lines such as ` = help: ...`.
fn coloured(text: &str) -> String {
    let line = |line: &str| {
        let (before, rest) = line.split_once(" = ").filter(|(gutter, _)| gutter.trim().is_empty()).unzip();
        let (kind, message) = rest.unwrap_or(line).split_once(": ")?;
        let (_, code) = COLOURS.iter().find(|(word, _)| kind.split('[').next() == Some(word))?;
        Some(match before {
            Some(gutter) => format!("{gutter} = \x1b[1;{code}m{kind}\x1b[0m: {message}"),
            None => {
                format!("\x1b[1;{code}m{kind}\x1b[0m\x1b[1m: {}\x1b[0m\n", message.trim_end_matches('\n'))
            }
        })
    };
    text.split_inclusive('\n').map(|text| line(text).unwrap_or_else(|| text.to_owned())).collect()
}

/// Returns the columns of the terminal that standard error is.
pub fn terminal_width() -> usize {
    const USUAL: usize = 80;
    terminal_size::terminal_size_of(io::stderr()).map_or(USUAL, |(width, _)| usize::from(width.0))
}

/// Returns the most memory this process ever held, where the system tells (Linux).
pub fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_their_colours() {
        let check = |text: &str, expected: &str| assert_eq!(coloured(text).replace('\x1b', "!"), expected);
        check("error: no\n = help: look\n", "![1;31merror![0m![1m: no![0m\n = ![1;36mhelp![0m: look\n");
        check("warning[W0304]: a: b\n  |\n", "![1;33mwarning[W0304]![0m![1m: a: b![0m\n  |\n");
        check("note: 3 of 5\n", "![1;36mnote![0m![1m: 3 of 5![0m\n");
        for text in ["1 | error = note: x\n", "notes: x\n", "to go on: lrnn\n", "\r\x1b[Kepoch 1: loss 2", ""]
        {
            assert_eq!(coloured(text), text);
        }
    }
}
