//! Examples that are equal up to the names of their constants: molecules that stand in the data twice. Where one is
//! learned from and the other tested, the test says little.
//!
//! Constants are coloured, and each is coloured anew by the facts it stands in and the colours of the others there, as
//! Weisfeiler and Lehman do: so examples that are equal have equal hashes, and others nearly never.

use std::collections::BTreeMap;

use lrnn::data::{Dataset, Example, FactTable};
use lrnn::vocabulary::ConstantId;

/// Number of times that constants are coloured: how far from a constant its colour looks.
const ROUNDS: usize = 8;

/// Returns a hash of each example that is the same for examples that are equal up to the names of their constants.
/// Constants of more than one example count by their names, as those of elements do.
pub fn example_hashes(dataset: &Dataset) -> Vec<u64> {
    let mut owners: BTreeMap<ConstantId, Option<usize>> = BTreeMap::new();
    for (number, example) in dataset.examples.iter().enumerate() {
        for &term in example.tables.iter().flat_map(|table| &table.terms) {
            let owner = owners.entry(term).or_insert(Some(number));
            *owner = owner.filter(|&owner| owner == number);
        }
    }
    let is_shared = |term: ConstantId| owners.get(&term).is_some_and(Option::is_none);
    dataset.examples.iter().map(|example| hash_of(example, is_shared)).collect()
}

fn hash_of(example: &Example, is_shared: impl Fn(ConstantId) -> bool) -> u64 {
    let terms = example.tables.iter().flat_map(|table| &table.terms);
    let mut colours: BTreeMap<ConstantId, u64> =
        terms.map(|&term| (term, if is_shared(term) { u64::from(term.0) + 2 } else { 1 })).collect();
    for _ in 0..ROUNDS {
        let mut parts: BTreeMap<ConstantId, Vec<u64>> = BTreeMap::new();
        for table in &example.tables {
            for row in 0..table.rows as usize {
                let fact = fact_hash(table, row, &colours);
                for (place, &term) in (1..).zip(table.row(row)) {
                    parts.entry(term).or_default().push(mixed(fact, place));
                }
            }
        }
        for (term, mut parts) in parts {
            if let Some(colour) = colours.get_mut(&term).filter(|_| !is_shared(term)) {
                parts.sort_unstable();
                *colour = parts.into_iter().fold(*colour, mixed);
            }
        }
    }
    let facts = example.tables.iter().flat_map(|table| {
        let colours = &colours;
        (0..table.rows as usize).map(move |row| fact_hash(table, row, colours))
    });
    let mut facts: Vec<u64> = facts.collect();
    facts.sort_unstable();
    facts.into_iter().fold(0, mixed)
}

fn fact_hash(table: &FactTable, row: usize, colours: &BTreeMap<ConstantId, u64>) -> u64 {
    let values = table
        .value(row)
        .iter()
        .fold(u64::from(table.predicate.0), |so_far, value| mixed(so_far, value.to_bits()));
    let terms = table.row(row).iter().map(|term| colours.get(term).copied().unwrap_or(0));
    terms.fold(values, mixed)
}

fn mixed(so_far: u64, part: u64) -> u64 {
    let mixed = (so_far.rotate_left(29) ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lrnn::Template;
    use lrnn::data::Layout;

    #[test]
    fn examples_are_equal_whatever_their_constants_are_called() {
        let template = Template::parse("toxic :- element(X, c), bond(X, Y).").expect("a template");
        let mut builder = template.data();
        let text = "
            element(a1, c), element(a2, c), element(a3, o), bond(a1, a2), bond(a2, a3).
            element(b7, o), bond(b8, b7), element(b8, c), bond(b9, b8), element(b9, c).
            element(d1, c), element(d2, c), element(d3, o), bond(d1, d2), bond(d3, d2).
            element(e1, c), element(e2, c), element(e3, n), bond(e1, e2), bond(e2, e3).
            element(f1, c), element(f2, c), 0.5 element(f3, o), bond(f1, f2), bond(f2, f3).
        ";
        builder.text("data", text, Layout::Examples);
        let hashes = example_hashes(&builder.build().expect("data"));
        assert_eq!(hashes[0], hashes[1]);
        for (at, hash) in hashes.iter().enumerate().skip(1) {
            assert!(!hashes[..at].contains(hash) || at == 1, "{at}: {hashes:?}");
        }
    }
}
