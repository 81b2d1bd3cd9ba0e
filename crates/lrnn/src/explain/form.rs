//! A small set of facts up to the names of its individuals: two sets have one form exactly if renaming makes them one.

use std::collections::BTreeMap;

use crate::vocabulary::{ConstantId, PredicateId, Vocabulary};

/// A term of a form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Slot {
    /// A constant that counts by its name.
    Kept(ConstantId),
    /// Some individual, by its number.
    Any(u32),
}

pub(super) type FormFact = (PredicateId, Vec<Slot>);

/// Facts up to the names of their individuals.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Form {
    pub(super) facts: Vec<FormFact>,
    pub(super) individuals: u32,
}

/// So many ways to number the individuals are compared at most.
const MOST_LEAVES: usize = 720;

impl Form {
    /// Returns the form of facts whose terms are kept or numbered from 0 in any way.
    pub(super) fn new(facts: &[FormFact], individuals: u32) -> Self {
        let mut search = FormSearch { facts, best: None, leaves: 0 };
        search.go(&refined(facts, vec![0; individuals as usize]));
        Self { facts: search.best.unwrap_or_default(), individuals }
    }

    /// Returns the form in the language: individuals are variables `A`, `B`, ...
    pub fn text(&self, vocabulary: &Vocabulary) -> String {
        let term = |slot: &Slot| match slot {
            Slot::Kept(constant) => vocabulary.constant(*constant).to_string(),
            Slot::Any(number) => variable(*number),
        };
        let fact = |(predicate, terms): &FormFact| vocabulary.atom_of(*predicate, terms.iter().map(term));
        self.facts.iter().map(fact).collect::<Vec<_>>().join(", ")
    }
}

fn variable(number: u32) -> String {
    let letter = char::from(b'A' + (number % 26) as u8);
    if number < 26 { letter.to_string() } else { format!("{letter}{}", number / 26) }
}

/// Colours that tell apart what the facts around tell apart, the same whatever the numbers were.
fn refined(facts: &[FormFact], mut colours: Vec<u32>) -> Vec<u32> {
    loop {
        let mut seen: Vec<Vec<(PredicateId, usize, Vec<Slot>)>> = vec![Vec::new(); colours.len()];
        for (predicate, terms) in facts {
            let coloured: Vec<Slot> = terms.iter().map(|slot| recoloured(*slot, &colours)).collect();
            for (position, slot) in terms.iter().enumerate() {
                if let Slot::Any(number) = slot {
                    seen[*number as usize].push((*predicate, position, coloured.clone()));
                }
            }
        }
        seen.iter_mut().for_each(|seen| seen.sort_unstable());
        let keys: Vec<(u32, &Vec<_>)> = colours.iter().copied().zip(&seen).collect();
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        // The colour is the number of smaller keys, so that it can only grow.
        let next: Vec<u32> =
            keys.iter().map(|key| sorted.partition_point(|other| other < key) as u32).collect();
        if next == colours {
            return colours;
        }
        colours = next;
    }
}

fn recoloured(slot: Slot, colours: &[u32]) -> Slot {
    match slot {
        Slot::Any(number) => Slot::Any(colours[number as usize]),
        kept => kept,
    }
}

struct FormSearch<'a> {
    facts: &'a [FormFact],
    best: Option<Vec<FormFact>>,
    leaves: usize,
}

impl FormSearch<'_> {
    /// Tells individuals of one colour apart in every way, and keeps the least facts.
    fn go(&mut self, colours: &[u32]) {
        if self.leaves >= MOST_LEAVES {
            return;
        }
        let mut members: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        colours.iter().enumerate().for_each(|(at, &colour)| members.entry(colour).or_default().push(at));
        match members.values().find(|members| members.len() > 1) {
            Some(alike) => {
                for &chosen in alike {
                    let mut apart = colours.to_vec();
                    alike.iter().filter(|&&at| at != chosen).for_each(|&at| apart[at] += 1);
                    self.go(&refined(self.facts, apart));
                }
            }
            None => self.leaf(colours),
        }
    }

    fn leaf(&mut self, colours: &[u32]) {
        self.leaves += 1;
        let renamed = |(predicate, terms): &FormFact| {
            (*predicate, terms.iter().map(|slot| recoloured(*slot, colours)).collect())
        };
        let mut facts: Vec<FormFact> = self.facts.iter().map(renamed).collect();
        facts.sort_unstable();
        facts.dedup();
        if self.best.as_ref().is_none_or(|best| facts < *best) {
            self.best = Some(facts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(labels: &[u32], order: &[u32]) -> Form {
        let mut facts: Vec<FormFact> = Vec::new();
        for (&label, &at) in labels.iter().zip(order) {
            facts.push((PredicateId(0), vec![Slot::Any(at), Slot::Kept(ConstantId(label))]));
        }
        for pair in order.windows(2) {
            facts.push((PredicateId(1), vec![Slot::Any(pair[0]), Slot::Any(pair[1])]));
            facts.push((PredicateId(1), vec![Slot::Any(pair[1]), Slot::Any(pair[0])]));
        }
        Form::new(&facts, order.len() as u32)
    }

    #[test]
    fn renaming_changes_nothing_and_all_else_does() {
        assert_eq!(path(&[1, 1, 2], &[0, 1, 2]), path(&[1, 1, 2], &[2, 0, 1]));
        assert_eq!(path(&[1, 1, 2], &[0, 1, 2]), path(&[2, 1, 1], &[0, 2, 1]));
        assert_ne!(path(&[1, 1, 2], &[0, 1, 2]), path(&[1, 2, 1], &[0, 1, 2]));
        let ring = |order: &[u32]| {
            let edge = |a: u32, b: u32| (PredicateId(1), vec![Slot::Any(a), Slot::Any(b)]);
            let next = |at: usize| order[(at + 1) % order.len()];
            let facts: Vec<FormFact> = (0..order.len()).map(|at| edge(order[at], next(at))).collect();
            Form::new(&facts, order.len() as u32)
        };
        assert_eq!(ring(&[0, 1, 2, 3, 4, 5]), ring(&[3, 1, 5, 0, 2, 4]));
        // Two triangles are no ring of six, though every individual looks the same.
        let two: Vec<FormFact> = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
            .iter()
            .map(|&(a, b)| (PredicateId(1), vec![Slot::Any(a), Slot::Any(b)]))
            .collect();
        assert_ne!(ring(&[0, 1, 2, 3, 4, 5]), Form::new(&two, 6));
    }
}
