//! Cycles of ground networks: how they settled, and what to say of those that did not.

use serde::Serialize;

use super::Program;
use crate::data::Dataset;
use crate::diagnostic::{Diagnostic, Error, ErrorKind};
use crate::function::Real;
use crate::ground::Scope;
use crate::network::{CycleCounts, Parameters, SettlingFailure, UnsettledAtom, bound};

/// The cycles of ground networks under some weights.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Cycles {
    /// The predicates of their atoms.
    pub predicates: Vec<String>,
    /// Number of sets of atoms that need each other.
    pub cycles: usize,
    /// Number of atoms in them.
    pub atoms: usize,
    /// Number of sweeps after which all had settled.
    pub sweeps: u32,
    /// The bound of the slopes of a sweep; none where a function has no steepest slope. Below 1, there is one fixed
    /// point, whatever the start.
    pub bound: Option<f64>,
}

impl Cycles {
    /// Returns the cycles of several networks together.
    pub fn together<'a>(all: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let plus = |mut sum: Self, other: Self| {
            sum.predicates.extend(other.predicates);
            sum.predicates.sort();
            sum.predicates.dedup();
            let bound = sum.bound.zip(other.bound).map(|(one, other)| one.max(other));
            let (cycles, atoms) = (sum.cycles + other.cycles, sum.atoms + other.atoms);
            Self { cycles, atoms, sweeps: sum.sweeps.max(other.sweeps), bound, ..sum }
        };
        all.into_iter().cloned().reduce(plus)
    }

    /// Returns a sentence about them.
    pub fn sentence(&self) -> String {
        let Self { predicates, cycles, atoms, sweeps, bound } = self;
        let names: Vec<String> = predicates.iter().map(|name| format!("`{name}`")).collect();
        let [of, atom] = [("cycle", *cycles), ("atom", *atoms)].map(|(noun, count)| match count {
            1 => format!("1 {noun}"),
            _ => format!("{count} {noun}s"),
        });
        let bound = match bound {
            Some(bound) if *bound < 1.0 => {
                format!("the bound {bound:.3} is below 1: there is no other fixed point")
            }
            Some(bound) => format!("the bound {bound:.3} is not below 1: other fixed points are possible"),
            None => "its functions have no bound: other fixed points are possible".to_owned(),
        };
        let names = names.join(" and ");
        format!(
            "the ground network is cyclic in {names}: {of} of {atom}, taken as the fixed point from 0, \
             settled after {sweeps} sweeps; {bound}"
        )
    }
}

impl Program {
    /// Returns what to say of cycles that settled.
    pub(crate) fn cycles<R: Real>(
        &self,
        counts: &CycleCounts,
        parameters: &Parameters,
        numbers: &[R],
    ) -> Cycles {
        let template = self.template();
        let is_cyclic = |stratum: &&crate::template::Stratum| {
            stratum.predicates.iter().any(|predicate| counts.predicates.contains(predicate))
        };
        let bounds = template.strata.iter().filter(is_cyclic);
        let bounds = bounds.map(|stratum| bound(template, stratum, parameters, numbers, counts.largest));
        let bound = bounds.collect::<Option<Vec<f64>>>().map(|all| all.into_iter().fold(0.0, f64::max));
        let name = |&id: &_| self.vocabulary().signature(id).to_string();
        Cycles {
            predicates: counts.predicates.iter().map(name).collect(),
            cycles: counts.cycles,
            atoms: counts.atoms,
            sweeps: counts.sweeps,
            bound,
        }
    }

    /// Returns the error of a cycle that did not settle, in a network of these examples, grounded in these scopes.
    pub(crate) fn unsettled(
        &self,
        dataset: &Dataset,
        examples: &[usize],
        scope: impl Fn(usize) -> Scope,
        atom: &UnsettledAtom,
    ) -> Error {
        let Some(&example) = examples.get(atom.example) else {
            return Error::new(ErrorKind::Numbers, "a cycle of the ground network does not settle");
        };
        let scope = scope(example);
        let told = |part: &Dataset, own: &[usize]| self.unsettled_in(part, own[0], scope, atom);
        dataset.with_facts(&[example], told).unwrap_or_else(|error| error)
    }

    /// Tells of an atom of an example that does not settle.
    fn unsettled_in(
        &self,
        dataset: &Dataset,
        example: usize,
        scope: Scope,
        atom: &UnsettledAtom,
    ) -> Result<Error, Error> {
        let grounding = self.ground_part(dataset, example, scope)?.grounding;
        let unsettled = SettlingFailure {
            predicate: atom.predicate,
            atom: grounding.atom_text(&dataset.vocabulary, atom.predicate, atom.row),
            sweeps: atom.sweeps,
            last: atom.last.map(SettlingFailure::number),
        };
        Ok(self.unsettled_error(&dataset.example_name(example), &unsettled))
    }

    /// Returns the error of a cycle that did not settle.
    pub(crate) fn unsettled_error(&self, example: &str, unsettled: &SettlingFailure) -> Error {
        let template = self.template();
        let stratum = template.strata.iter().find(|it| it.predicates.contains(&unsettled.predicate));
        let recurs = |rule: &&crate::template::Rule| {
            let is_inside = |predicate| stratum.is_some_and(|it| it.predicates.contains(predicate));
            rule.head.predicate == unsettled.predicate
                && rule.inputs.iter().any(|input| is_inside(&input.atom.predicate))
        };
        let place = template.rules.iter().find(recurs).map_or_else(Default::default, |rule| rule.span);
        let message = format!("example {example}: {unsettled}");
        let diagnostic = Diagnostic::error("N0103", place, message).help(SettlingFailure::HELP);
        Error::of(ErrorKind::Numbers, vec![diagnostic], self.sources())
    }
}
