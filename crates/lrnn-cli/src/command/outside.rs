//! Queries that are not in the model: what is said of them.

use lrnn::data::Dataset;
use lrnn::diagnostic::printable;
use lrnn::train::Unentailed;

use crate::args::Common;
use crate::failure::{Failure, TEXT};
use crate::output;

/// How many are named.
const NAMED: usize = 3;

/// The queries that are not in the model.
pub struct Outside {
    pub message: String,
}

impl Outside {
    /// Those at these places, example and number in it, of so many; none if there is no place.
    pub fn new(dataset: &Dataset, places: &[(usize, usize)], all: usize) -> Option<Self> {
        let name = |&(example, query): &(usize, usize)| {
            let query = &dataset.queries[example][query];
            let atom = dataset.vocabulary.atom_text(query.predicate, &query.terms);
            format!("{atom} in example {}", dataset.example_name(example))
        };
        let named: Vec<String> = places.iter().take(NAMED).map(name).collect();
        let more = if places.len() > NAMED { ", ..." } else { "" };
        let (count, named) = (places.len(), named.join(", "));
        let message = format!("{count} of {all} queries are not in the model: {named}{more}");
        (count > 0).then_some(Self { message })
    }

    /// They are a mistake.
    pub fn failure(self) -> Failure {
        let help = "`--unentailed skip` leaves them out, `--unentailed 0` takes them for 0";
        Failure::new(TEXT, self.message).help(help)
    }

    /// Tells what they count as.
    pub fn say(&self, unentailed: Unentailed, and: &str, common: &Common) {
        let what = match unentailed {
            Unentailed::Value(value) => format!("count as {value}"),
            Unentailed::Skip | Unentailed::Error => "are left out".to_owned(),
        };
        if !common.quiet {
            output::say(&printable(&format!("note: {}; they {what}{and}\n", self.message)));
        }
    }
}
