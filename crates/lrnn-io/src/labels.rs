//! Classes as queries. Of two classes the greater is `active`, with target 1, and the other has target 0. With more of
//! them each example asks for `class(C)` for every class C, with target 1 for its own and 0 for the others: the loss
//! `softmax` takes the queries of an example together.

use std::collections::BTreeSet;

use lrnn::data::{Dataset, Query};
use lrnn::diagnostic::{Diagnostic, SourceId, Span};

use crate::line::lines;
use crate::screen::ACTIVE;

/// The query for a class among several.
const CLASS: &str = "class";

/// Reads a text with the class of each example, a whole number a line, and makes queries of them.
pub(crate) fn add_labels(text: &str, source: SourceId, dataset: &mut Dataset) -> Result<(), Vec<Diagnostic>> {
    let (mut labels, mut wrong) = (Vec::new(), Vec::new());
    for line in lines(text, source) {
        match line.text.parse::<i64>() {
            Ok(label) => labels.push((label, line.span)),
            Err(_) => {
                let message = format!("`{}` is not the number of a class", line.text);
                let help = "each line is the class of one example, a whole number";
                wrong.push(Diagnostic::error("D0124", line.span, message).help(help));
            }
        }
    }
    let (found, examples) = (labels.len(), dataset.examples.len());
    if wrong.is_empty() && found != examples {
        let end = text.trim_end().len() as u32;
        let span = labels.get(examples).map_or(Span { source, start: end, end }, |label| label.1);
        let message = format!("the classes of {found} examples are here, but there are {examples} examples");
        wrong.push(Diagnostic::error("D0125", span, message).help("line i of the labels is about example i"));
    }
    wrong.truncate(50);
    if !wrong.is_empty() {
        return Err(wrong);
    }
    set_classes(dataset, &labels);
    Ok(())
}

/// Gives every example the queries of its class.
pub(crate) fn set_classes(dataset: &mut Dataset, labels: &[(i64, Span)]) {
    let classes: Vec<i64> = labels.iter().map(|label| label.0).collect::<BTreeSet<_>>().into_iter().collect();
    dataset.queries = if classes.len() > 2 {
        let predicate = dataset.vocabulary.predicate(CLASS, 1);
        let terms: Vec<_> = classes.iter().map(|&class| dataset.vocabulary.number(class as f64)).collect();
        let query = |own: i64, number: usize, span: Span| {
            let target = Some(vec![f64::from(u8::from(classes[number] == own))]);
            Query { predicate, terms: vec![terms[number]], target, weight: 1.0, span }
        };
        labels.iter().map(|&(own, span)| (0..classes.len()).map(|i| query(own, i, span)).collect()).collect()
    } else {
        let predicate = dataset.vocabulary.predicate(ACTIVE, 0);
        // A single class is active unless it is 0, or negative.
        let greatest = classes.last().copied().filter(|&class| classes.len() == 2 || class > 0);
        let query = |&(own, span): &(i64, Span)| {
            let target = Some(vec![f64::from(u8::from(Some(own) == greatest))]);
            vec![Query { predicate, terms: Vec::new(), target, weight: 1.0, span }]
        };
        labels.iter().map(query).collect()
    };
    dataset.facts_seen.resize(dataset.vocabulary.predicate_count(), None);
}
