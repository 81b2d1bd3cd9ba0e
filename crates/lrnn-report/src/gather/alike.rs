//! What the template cannot tell apart, for the page.

use lrnn::explain::alike;
use lrnn::network::Network;
use lrnn::train::least_wrong;

use super::data::target_text;
use crate::page::{AlikeGroup, AlikeSection};
use lrnn::program::Subject;

/// Number of examples, at most, among which queries that are alike are looked for: they become one network.
pub(super) const MOST_TOGETHER: usize = 3000;
/// So many groups are listed, and so many examples of each.
const MOST_GROUPS: usize = 200;
const MOST_EXAMPLES: usize = 50;

/// Returns what the template of a subject cannot tell apart, if all examples fit into one network.
pub(super) fn alike_or_note(
    subject: &Subject<'_>,
    together: Option<&Network>,
    notes: &mut Vec<String>,
) -> Option<AlikeSection> {
    let count = subject.dataset.examples.len();
    if let Some(network) = together {
        return alike_view(subject, network);
    }
    notes.push(match count > MOST_TOGETHER {
        true => format!("which of the {count} examples the template cannot tell apart was not looked for"),
        false => {
            "what the template cannot tell apart is not known: not all examples can be grounded".to_owned()
        }
    });
    None
}

/// Returns what the template of a subject cannot tell apart, and what follows for its accuracy. The network must be that of all
/// examples together, with equal neurons merged. None where the loss knows no classes.
fn alike_view(subject: &Subject<'_>, together: &Network) -> Option<AlikeSection> {
    let (template, dataset) = (subject.template(), &*subject.dataset);
    let all: Vec<usize> = (0..dataset.examples.len()).collect();
    let least = least_wrong(template, dataset, together, &all, subject.loss, subject.unentailed)?;
    let groups = alike(dataset, together, &all).into_iter().filter(|group| group.is_conflict);
    let group = |group: lrnn::explain::IndistinctQueries| {
        let queries = &group.queries[..group.queries.len().min(MOST_EXAMPLES)];
        let target = |&(example, query): &(usize, usize)| {
            target_text(dataset.queries[example][query].target.as_deref())
        };
        let examples = queries.iter().map(|query| query.0).collect();
        AlikeGroup { examples, targets: queries.iter().map(target).collect() }
    };
    let answers = dataset.queries.iter().flatten().filter(|query| query.target.is_some()).count();
    let right = answers.saturating_sub(least as usize);
    let most_accuracy = if answers > 0 { right as f64 / answers as f64 } else { 1.0 };
    Some(AlikeSection {
        groups: groups.take(MOST_GROUPS).map(group).collect(),
        least_wrong: least,
        most_accuracy,
    })
}
