//! Whether the atoms of a recursive stratum can be computed one after another.
//!
//! Recursion is allowed wherever the ground network is acyclic. The atoms of the stratum are numbered, the inputs of
//! each are listed, and a depth-first walk with a stack of its own (chains may be a million atoms long) looks for
//! an atom that is met again on the way. Guards are no inputs and do not count.

use super::{GroundError, GroundRules, Relation, starts};
use crate::template::{Rule, RuleId, Stratum, Template};
use crate::vocabulary::{ConstantId, PredicateId};

/// Returns an error where there is a cycle of atoms, each followed by an input of it.
pub(super) fn find_cycle(
    template: &Template,
    stratum: &Stratum,
    relations: &[Relation],
    rules: &[GroundRules],
) -> Result<(), GroundError> {
    let atoms = StratumAtoms::number(stratum, relations);
    let inputs = InputLists::list(template, stratum, &atoms, rules);
    let Some(cycle) = inputs.cycle() else { return Ok(()) };
    let step = (cycle[0], cycle[1 % cycle.len()]);
    let takes_it =
        |id: &&RuleId| edges(template.rule(**id), &rules[id.index()], &atoms).any(|edge| edge == step);
    let rule = *stratum.rules.iter().find(takes_it).unwrap_or(&stratum.rules[0]);
    Err(GroundError::Cycle {
        rule,
        atoms: cycle.into_iter().map(|atom| atoms.atom(atom, relations)).collect(),
    })
}

/// The atoms of a stratum, numbered through: predicate by predicate, row by row.
pub(crate) struct StratumAtoms {
    /// For each predicate of the vocabulary, the number of its first atom; `None` outside the stratum.
    first: Vec<Option<usize>>,
    /// Number of atoms.
    pub count: usize,
    predicates: Vec<PredicateId>,
}

impl StratumAtoms {
    /// Numbers the atoms of a stratum.
    pub fn number(stratum: &Stratum, relations: &[Relation]) -> Self {
        let mut atoms =
            Self { first: vec![None; relations.len()], count: 0, predicates: stratum.predicates.clone() };
        for predicate in &stratum.predicates {
            atoms.first[predicate.index()] = Some(atoms.count);
            atoms.count += relations[predicate.index()].len();
        }
        atoms
    }

    fn atom(&self, number: usize, relations: &[Relation]) -> (PredicateId, Vec<ConstantId>) {
        let first = |&it: &PredicateId| Some((it, self.first[it.index()].filter(|&first| first <= number)?));
        let (predicate, first) =
            self.predicates.iter().rev().find_map(first).unwrap_or((self.predicates[0], 0));
        (predicate, relations[predicate.index()].row((number - first) as u32).to_vec())
    }
}

/// The inputs of each atom, one list after another.
struct InputLists {
    /// Beginning of the list of each atom; it ends where the next one begins.
    starts: Vec<u32>,
    inputs: Vec<u32>,
}

impl InputLists {
    fn list(template: &Template, stratum: &Stratum, atoms: &StratumAtoms, rules: &[GroundRules]) -> Self {
        let edges =
            || stratum.rules.iter().flat_map(|id| edges(template.rule(*id), &rules[id.index()], atoms));
        let starts = starts(vec![0; atoms.count + 1], edges().map(|(head, _)| head as u32));
        let (mut next, mut inputs) = (starts.clone(), vec![0; starts[atoms.count] as usize]);
        for (head, input) in edges() {
            inputs[next[head] as usize] = input as u32;
            next[head] += 1;
        }
        Self { starts, inputs }
    }

    /// Returns a cycle, each atom followed by an input of it.
    fn cycle(&self) -> Option<Vec<usize>> {
        let mut state = vec![Visit::New; self.starts.len() - 1];
        // The way from the first atom to the current one; each with the place of its next input.
        let mut way: Vec<(usize, u32)> = Vec::new();
        for first in 0..state.len() {
            if state[first] == Visit::New {
                state[first] = Visit::OnTheWay;
                way.push((first, self.starts[first]));
            }
            while let Some((atom, place)) = way.last_mut() {
                if *place == self.starts[*atom + 1] {
                    state[*atom] = Visit::Done;
                    way.pop();
                    continue;
                }
                let input = self.inputs[*place as usize] as usize;
                *place += 1;
                match state[input] {
                    Visit::Done => {}
                    Visit::New => {
                        state[input] = Visit::OnTheWay;
                        way.push((input, self.starts[input]));
                    }
                    Visit::OnTheWay => {
                        let met = way.iter().position(|&(atom, _)| atom == input).unwrap_or(0);
                        return Some(way[met..].iter().map(|&(atom, _)| atom).collect());
                    }
                }
            }
        }
        None
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    OnTheWay,
    Done,
}

/// Returns the pairs of a head and an input of the stratum, over all ground rules of a rule.
pub(crate) fn edges<'a>(
    rule: &'a Rule,
    ground: &'a GroundRules,
    atoms: &'a StratumAtoms,
) -> impl Iterator<Item = (usize, usize)> + 'a {
    let head = atoms.first[rule.head.predicate.index()].unwrap_or(0);
    let here = rule.inputs.iter().zip(&ground.body);
    let here = here.filter_map(|(input, rows)| Some((atoms.first[input.atom.predicate.index()]?, rows)));
    here.flat_map(move |(first, rows)| {
        let pairs = ground.heads.iter().zip(rows);
        pairs.map(move |(&head_row, &row)| (head + head_row as usize, first + row as usize))
    })
}
