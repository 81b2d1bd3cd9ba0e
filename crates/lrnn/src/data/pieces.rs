//! A large text in pieces, each read by a thread of its own in names of its own.
//!
//! A piece ends with a sentence. What is read of the pieces is joined in their order, with the names in the order of
//! their first appearance: so the dataset has the bits that one thread reads. Where anything is wrong, one thread reads
//! the text again and says what.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::tables::remove_repeated;
use super::{Dataset, DatasetBuilder, Example, FactTable};
use crate::diagnostic::SourceId;
use crate::function::Shape;
use crate::threads::{each, each_with};
use crate::vocabulary::{PredicateId, Renumbering, Vocabulary};

/// Cuts a text into at most so many pieces of about one length, each of whole sentences; into one where comments may
/// hide where sentences end.
pub(super) fn pieces(text: &str, count: usize) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut ends = Vec::new();
    if count > 1 && !text.contains("/*") {
        let ends_sentence = |end: usize| {
            let line = bytes[..end].rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
            line.trim_ascii_end().ends_with(b".") && !line.contains(&b'%')
        };
        for piece in 1..count {
            let from = (text.len() / count * piece).max(ends.last().copied().unwrap_or(0));
            let breaks = bytes[from..].iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            let Some(end) = breaks.map(|(at, _)| from + at).find(|&end| ends_sentence(end)) else { break };
            ends.push(end + 1);
        }
    }
    ends.retain(|&end| end < text.len());
    ends.dedup();
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends.iter().copied().chain([text.len()])).map(|(start, end)| start..end).collect()
}

impl DatasetBuilder {
    /// Reads pieces of a text side by side, all of one example or each sentence of another. Gives the number of sentences,
    /// or nothing, with nothing read, where one thread must say what is wrong.
    pub(super) fn pieces(
        &mut self,
        text: &str,
        source: SourceId,
        pieces: &[Range<usize>],
        one: bool,
    ) -> Option<usize> {
        let read = each(pieces, |piece| {
            let mut builder = Self::new(Vocabulary::default());
            let count = builder.sentences((&text[..piece.end], piece.start), source, one);
            (builder, count)
        });
        let count = read.iter().map(|(_, count)| count).sum();
        let read: Vec<Self> = read.into_iter().map(|(builder, _)| builder).collect();
        if read.iter().any(|piece| !piece.diagnostics.is_empty()) || !self.has_shapes(&read) {
            return None;
        }
        let note = read.iter().find_map(|piece| piece.dataset.notes.first().cloned());
        // New names have their numbers in the order of their appearance.
        let names =
            |piece: Self| (Renumbering::new(&piece.dataset.vocabulary, &mut self.dataset.vocabulary), piece);
        let mut named: Vec<(Renumbering, Self)> = read.into_iter().map(names).collect();
        each_with(&mut named, |_: &mut (), (ids, piece)| piece.dataset.rename(ids));
        let before = self.dataset.examples.len();
        for (number, (ids, piece)) in named.into_iter().enumerate() {
            self.add(&ids, piece, one && number > 0);
        }
        let repeated = self.dataset.examples[before..].iter_mut().take(usize::from(one));
        if repeated.flat_map(|example| &mut example.tables).any(|table| !remove_repeated(table).is_empty()) {
            self.truncate(before);
            return None;
        }
        self.dataset.notes.extend(note);
        Some(count)
    }

    /// Tells whether each predicate has values of one shape, in what was read before and in all pieces.
    fn has_shapes(&self, pieces: &[Self]) -> bool {
        let mut shapes: FxHashMap<(Box<str>, u32), Shape> = FxHashMap::default();
        std::iter::once(self).chain(pieces).all(|piece| {
            piece.dataset.facts_seen.iter().enumerate().all(|(number, seen)| {
                let Some((shape, _)) = seen else { return true };
                let name = piece.dataset.vocabulary.signature(PredicateId(number as u32));
                *shapes.entry((name.name.clone(), name.arity)).or_insert(*shape) == *shape
            })
        })
    }

    /// Adds the examples of a piece, the first of them to the last example if that goes on.
    fn add(&mut self, ids: &Renumbering, read: Self, goes_on: bool) {
        let Dataset { examples, queries, facts_seen, .. } = &mut self.dataset;
        self.has_inline_queries |= read.has_inline_queries;
        for (old, seen) in (0..).map(PredicateId).zip(read.dataset.facts_seen) {
            let number = ids.predicate(old).index();
            facts_seen.resize(facts_seen.len().max(number + 1), None);
            facts_seen[number] = facts_seen[number].or(seen);
        }
        let more = read.dataset.examples.into_iter().zip(read.dataset.queries);
        for ((example, mut asked), span) in more.zip(read.example_spans) {
            match (examples.last_mut(), queries.last_mut()) {
                (Some(last), Some(known)) if goes_on => {
                    example.tables.into_iter().for_each(|table| append(last, table));
                    known.append(&mut asked);
                }
                _ => {
                    examples.push(example);
                    queries.push(asked);
                    self.example_spans.push(span);
                }
            }
        }
    }
}

/// Adds a table to an example, which may have facts of its predicate.
fn append(example: &mut Example, mut more: FactTable) {
    let Some(table) = example.tables.iter_mut().find(|known| known.predicate == more.predicate) else {
        example.tables.push(more);
        return;
    };
    if table.values.is_empty() != more.values.is_empty() {
        for table in [&mut *table, &mut more].into_iter().filter(|table| table.values.is_empty()) {
            table.values = vec![1.0; table.rows as usize];
        }
    }
    table.terms.append(&mut more.terms);
    table.values.append(&mut more.values);
    table.rows += more.rows;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Layout;
    use crate::vocabulary::ConstantId;

    const EXAMPLES: &str = "1 toxic(a), 0 toxic(X) :- bond(a, b), 0.5 charge(a), kind(b, t:'x.\u{e9}').\n\
        % a comment that ends with a stop.\n\
        0 toxic(c) :- bond(c, b), % here, too.\n bond(b, c), charge(b), f(1, -2.5, g(x, y)).\n\
        \n1 toxic(d) :- charge(d),\n bond(d, a), [1, 2] v(d). 1 toxic(e) :- charge(e).\r\n\
        0 toxic(z) :- charge(z), new(z), bond(z, 9007199254740993).\n";
    const FACTS: &str = "edge(a, b). edge(b, c).\n0.5 size(a).\nedge(a, b).\nedge(c, t:d).\nsize(b).\n\
        0.25 size(c). zero.\nedge(d, t:a).\nedge(b, c).\nzero.\n";

    /// Returns what is read of a text in so many pieces, with what is wrong about it, after a text that comes before.
    fn read(text: &str, count: usize, one: bool) -> (String, bool) {
        let mut builder = DatasetBuilder::new(Vocabulary::default());
        builder.text("before", if one { "old(b)." } else { "1 toxic(b) :- old(b)." }, Layout::Examples);
        let source = builder.dataset.sources.add("text", text);
        let pieces = pieces(text, count);
        let is_read = pieces.len() > 1 && builder.pieces(text, source, &pieces, one).is_some();
        if !is_read {
            builder.sentences((text, 0), source, one);
        }
        let Dataset { examples, queries, facts_seen, vocabulary, notes, .. } = &builder.dataset;
        let names: Vec<String> = (0..vocabulary.constant_count() as u32)
            .map(|id| vocabulary.constant(ConstantId(id)).to_string())
            .collect();
        let signatures: Vec<String> = vocabulary.predicates().map(|(_, it)| it.to_string()).collect();
        let seen = &facts_seen[..facts_seen.iter().rposition(Option::is_some).map_or(0, |at| at + 1)];
        let rest = (&builder.example_spans, builder.has_inline_queries, &builder.diagnostics);
        (format!("{examples:?} {queries:?} {seen:?} {names:?} {signatures:?} {notes:?} {rest:?}"), is_read)
    }

    #[test]
    fn pieces_are_read_as_the_whole() {
        for (text, one) in [(EXAMPLES, false), (FACTS, true)] {
            let (whole, _) = read(text, 1, one);
            let mut most = 1;
            for count in 2..=8 {
                let (found, is_read) = read(text, count, one);
                assert_eq!(found, whole, "{count} pieces");
                assert!(is_read, "{count} pieces");
                most = most.max(pieces(text, count).len());
            }
            assert!(most >= 3, "{most} pieces of {text}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_as_of_the_whole() {
        let facts = |more: &str| format!("{FACTS}{more}{FACTS}");
        for text in [
            facts("size(a).\n"),
            facts("[1, 2] size(e).\n"),
            facts("edge(a, B).\n"),
            facts("edge(a, 'b.\nc').\n"),
            facts("edge(a.\n"),
            facts("{3} size(f).\nedge(a, b) :- edge(b, a).\n"),
        ] {
            let (whole, _) = read(&text, 1, true);
            for count in 2..=5 {
                let (found, is_read) = read(&text, count, true);
                assert_eq!(found, whole, "{count} pieces of {text}");
                assert!(!is_read, "{text}");
            }
        }
        let commented = format!("{FACTS}/* edge(x, y).\nedge(y, z).\n*/\n{FACTS}");
        assert_eq!(pieces(&commented, 4).len(), 1);
        assert!(pieces("p(a) % no end.\n, q(b) % none.\n.", 3).len() == 1);
    }
}
