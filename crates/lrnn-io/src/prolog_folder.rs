//! Folders of rule learners: Aleph's, background `*.b` with the atoms that hold in `*.f` and that do not in `*.n`, those
//! with `pos.pl` and `neg.pl` beside other Prolog files, and Popper's, `bk.pl` with `pos(...)` and `neg(...)` in `exs.pl`.
//! Directives in them, of Golem's spelling `!-` as well, are left out here: whoever learns rules reads the modes.

use std::path::{Path, PathBuf};

use lrnn::Error;
use lrnn::data::{DatasetBuilder, Layout};
use lrnn::diagnostic::{SourceId, Sources};
use lrnn::syntax::lexer::{Lexer, Token, TokenKind};
use lrnn::vocabulary::Vocabulary;

use crate::dataset::{DatasetResult, only_of};
use crate::file::{entries, read_text};

/// The files of such a folder.
pub(crate) struct PrologFolder {
    background: Vec<PathBuf>,
    /// Files of atoms, and what they say of them; `None` where each atom says so itself.
    examples: Vec<(PathBuf, Option<bool>)>,
}

/// Returns the files of a folder, if it is one of a rule learner.
pub(crate) fn find(folder: &Path) -> Result<Option<PrologFolder>, Error> {
    if let (Some(background), Some(examples)) = (only_of(folder, &["bk.pl"])?, only_of(folder, &["exs.pl"])?)
    {
        return Ok(Some(PrologFolder { background: vec![background], examples: vec![(examples, None)] }));
    }
    let with = |ending: &str| -> Result<Vec<PathBuf>, Error> {
        let mut found = entries(folder)?;
        found.retain(|path| path.extension().is_some_and(|own| own == ending) && path.is_file());
        Ok(found)
    };
    if let (Some(positive), Some(negative)) = (only_of(folder, &["pos.pl"])?, only_of(folder, &["neg.pl"])?) {
        let mut background = with("pl")?;
        background.retain(|path| {
            path.file_name().is_some_and(|name| name != "pos.pl" && name != "neg.pl" && name != "bias.pl")
        });
        let examples = vec![(positive, Some(true)), (negative, Some(false))];
        return Ok((!background.is_empty()).then_some(PrologFolder { background, examples }));
    }
    let (background, positive, negative) = (with("b")?, with("f")?, with("n")?);
    if background.is_empty() || positive.is_empty() {
        return Ok(None);
    }
    let examples = positive.into_iter().map(|path| (path, Some(true)));
    let examples = examples.chain(negative.into_iter().map(|path| (path, Some(false)))).collect();
    Ok(Some(PrologFolder { background, examples }))
}

/// Reads the folder as one example, whose queries have target 1 or 0.
pub(crate) fn read(
    files: &PrologFolder,
    vocabulary: Vocabulary,
    sources: &mut Sources,
) -> Result<DatasetResult, Error> {
    let mut builder = DatasetBuilder::new(vocabulary);
    let mut facts = String::new();
    let name = files.background.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" + ");
    for path in &files.background {
        facts.push_str(&kept(&read_text(path)?, is_no_directive));
        facts.push('\n');
    }
    let source = sources.add(name, facts);
    builder.examples(sources.text(source), source, Layout::Facts);
    let mut positive: Vec<SourceId> = Vec::new();
    for (path, truth) in &files.examples {
        let text = read_text(path)?;
        for truth in truth.map_or(vec![true, false], |truth| vec![truth]) {
            let text = match files.examples[0].1 {
                None => unwrapped(&text, if truth { "pos" } else { "neg" }),
                Some(_) => kept(&text, is_no_directive),
            };
            let source = sources.add(path.display().to_string(), text);
            builder.queries(sources.text(source), source);
            positive.extend(truth.then_some(source));
        }
    }
    Ok(with_truth(builder, &positive))
}

/// Returns the data, whose queries have target 1 where they are of a positive source, and else 0.
pub(crate) fn with_truth(builder: DatasetBuilder, positive: &[SourceId]) -> DatasetResult {
    builder.finish().map(|mut dataset| {
        for query in dataset.queries.iter_mut().flatten() {
            let target = f64::from(u8::from(positive.contains(&query.span.source)));
            query.target.get_or_insert(vec![target]);
        }
        dataset
    })
}

/// Returns whether a sentence that begins so is no directive: `:- mode(...).`, `!- determination(...).`
fn is_no_directive(first: &Token) -> bool {
    !matches!(first.kind, TokenKind::Mark(":-" | "!"))
}

/// Returns the sentences of a text, each as its tokens.
fn sentences(text: &str) -> Vec<Vec<Token>> {
    let mut lexer = Lexer::new(text, SourceId::default());
    let (mut all, mut current) = (Vec::new(), Vec::new());
    loop {
        let token = lexer.next_token();
        if token.kind == TokenKind::End {
            return all;
        }
        current.push(token);
        if lexer.ends_sentence(token) {
            all.push(std::mem::take(&mut current));
        }
    }
}

/// Returns the text with the sentences blanked out that do not begin so: what is left stands where it stood.
fn kept(text: &str, is_kept: impl Fn(&Token) -> bool) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for sentence in sentences(text).iter().filter(|sentence| !is_kept(&sentence[0])) {
        blank(&mut bytes, sentence[0].start, sentence[sentence.len() - 1].end);
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// Returns the text with nothing but what stands inside `name(...)`, where it stood.
fn unwrapped(text: &str, name: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for sentence in sentences(text) {
        let (first, last) = (sentence[0], sentence[sentence.len() - 1]);
        let is_it = text.get(first.start as usize..first.end as usize) == Some(name) && sentence.len() > 3;
        if is_it {
            blank(&mut bytes, first.start, sentence[1].end);
            let close = sentence[sentence.len() - 2];
            blank(&mut bytes, close.start, close.end);
        } else {
            blank(&mut bytes, first.start, last.end);
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}

fn blank(bytes: &mut [u8], start: u32, end: u32) {
    for byte in &mut bytes[start as usize..end as usize] {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_go_and_wrappers_open() {
        let text = ":- modeh(1, p(+a)).\n!- determination(p/1, q/2).\nq(a, f(b)). r(1).\n";
        assert_eq!(kept(text, is_no_directive).trim(), "q(a, f(b)). r(1).");
        let examples = "pos(p(a, b)).\nneg(p(b, a)).\n";
        assert_eq!(unwrapped(examples, "pos").trim(), "p(a, b) .");
        assert_eq!(unwrapped(examples, "neg").trim(), "p(b, a) .");
    }
}
