//! A report as one HTML page that needs nothing else: no other file, no network.
//!
//! [`Report`] is what the page shows, as `front/data.d.ts` describes it to the scripts. Its texts are those of people and
//! stay as they are; they stand in the page as JSON in which nothing can end the script or begin an element, and the
//! scripts put them into the page as text. What the page may do at all is said by its content security policy.

mod front;
mod look;
mod number;
mod part;
mod report;

pub use look::{
    Explanation, NetworkEdge, NetworkNode, PageAnswer, PageExample, PageGraph, PageGraphEdge, PageGraphNode,
    PageNetwork, PageTree,
};
pub use number::{SharedTexts, TextId};
pub use part::{CrossvalTable, Curve, FoldRow, PageConfusion, PagePart, PageRoc};
pub use report::{
    AlikeGroup, AlikeSection, DataView, PageConcept, PagePattern, Report, RunKind, TemplateView,
};

use number::ShortNumbers;
use serde::Serialize;
use serde_json::Serializer;

use crate::escape::xml;

/// Returns a report as JSON, its numbers as short as they can be read.
pub fn json(report: &impl Serialize) -> serde_json::Result<String> {
    let mut bytes = Vec::new();
    report.serialize(&mut Serializer::with_formatter(&mut bytes, ShortNumbers))?;
    String::from_utf8(bytes).map_err(serde::ser::Error::custom)
}

/// Returns the report as one HTML document.
pub fn page(report: &Report) -> serde_json::Result<String> {
    let data = in_script(&json(report)?);
    let title = xml(&crate::escape::shortened(&report.title, 200));
    let (style, script) = (front::STYLE, front::script());
    let parts =
        [("{{title}}", &*title), ("{{style}}", style), ("{{data}}", &*data), ("{{script}}", &*script)];
    Ok(filled(front::SHELL, &parts))
}

/// Returns the shell with its parts, in one pass: what a part holds is never looked at again.
fn filled(shell: &str, parts: &[(&str, &str)]) -> String {
    let mut out =
        String::with_capacity(shell.len() + parts.iter().map(|(_, part)| part.len()).sum::<usize>());
    let mut rest = shell;
    let next = |rest: &str| {
        let found = parts.iter().filter_map(|(name, part)| Some((rest.find(name)?, *name, *part)));
        found.min_by_key(|found| found.0)
    };
    while let Some((at, name, part)) = next(rest) {
        out.push_str(&rest[..at]);
        out.push_str(part);
        rest = &rest[at + name.len()..];
    }
    out + rest
}

/// Returns JSON that can stand in a script: these characters occur inside its strings only, and there an escape says
/// the same.
fn in_script(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            // What a terminal or an editor would obey has no place in a file that people may look into.
            c if lrnn::vocabulary::is_hidden(c) => escape(c, &mut out),
            c => out.push(c),
        }
    }
    out
}

fn escape(c: char, out: &mut String) {
    let mut units = [0; 2];
    for unit in c.encode_utf16(&mut units) {
        out.push_str(&format!("\\u{unit:04x}"));
    }
}

#[cfg(test)]
mod tests;
