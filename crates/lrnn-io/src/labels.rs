//! Classes as queries. Of two classes the greater is `active`, with target 1, and the other has target 0. With more of
//! them each example asks for `class(C)` for every class C, with target 1 for its own and 0 for the others: the loss
//! `softmax` takes the queries of an example together.

use std::collections::BTreeSet;

use lrnn::data::{Dataset, Query};
use lrnn::diagnostic::{Diagnostic, SourceId, Span};
use lrnn::vocabulary::ConstantId;

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
    let is_many = classes.len() > 2;
    let predicate = dataset.vocabulary.predicate(if is_many { CLASS } else { ACTIVE }, usize::from(is_many));
    let asked: Vec<(Option<i64>, Vec<ConstantId>)> = if is_many {
        let number = |&class: &i64| (Some(class), vec![dataset.vocabulary.number(class as f64)]);
        classes.iter().map(number).collect()
    } else {
        // A single class is active unless it is 0, or negative.
        vec![(classes.last().copied().filter(|&class| classes.len() == 2 || class > 0), Vec::new())]
    };
    let queries = |&(own, span): &(i64, Span)| {
        let query = |(class, terms): &(Option<i64>, Vec<ConstantId>)| {
            let target = Some(vec![f64::from(u8::from(*class == Some(own)))]);
            Query { predicate, terms: terms.clone(), target, weight: 1.0, span }
        };
        asked.iter().map(query).collect()
    };
    dataset.queries = labels.iter().map(queries).collect();
    dataset.facts_seen.resize(dataset.vocabulary.predicate_count(), None);
}
