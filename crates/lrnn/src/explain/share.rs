//! Backwards through a proof: from how much the value of one atom moved between two runs to how much of it came over
//! each edge. What arrives at a neuron is handed on whole: what its functions do not hand on, by a jump or by
//! rounding, is kept and told.

use super::cells::moved;
use super::line;
use super::proof::{AtomNode, GroupNode};
use super::run::{Combined, Run, view};
use super::weigh::Weighed;
use super::{Cells, Proof};
use crate::function::{Activation, Combination, Shape, times_backward};

/// How much came from where.
pub(super) struct Shares {
    /// The factor of each fact neuron's output.
    pub facts: Vec<f64>,
    /// By rule: what came through its aggregation neurons.
    pub through: Vec<f64>,
    /// By rule: what of it came from atoms that rules give.
    pub from_rules: Vec<f64>,
    /// What neurons kept.
    pub kept: f64,
    atoms: Cells,
}

/// The sum over the elements a number was spread over, or the factors as they are.
fn gathered(factors: Vec<f64>, shape: Shape) -> Vec<f64> {
    if shape.is_number() { vec![factors.iter().sum()] } else { factors }
}

/// The factors of a value that came in over an edge.
fn unweighed(weight: &Weighed, value: (&[f64], Shape), factors: &[f64], negated: bool) -> Option<Vec<f64>> {
    let mut by_value = match weight {
        None => factors.to_vec(),
        Some(weight) => times_backward(view(weight), value, factors)?.1,
    };
    if negated {
        by_value.iter_mut().for_each(|factor| *factor = -*factor);
    }
    Some(by_value)
}

fn is_zero(factors: &[f64]) -> bool {
    factors.iter().all(|&factor| factor == 0.0)
}

impl Proof<'_> {
    /// How much of what an element of an atom moved from one run to another came from where. Between a run and itself
    /// the factors are the gradient. `None` where shapes do not fit, which a run would have told.
    pub(super) fn shares(&self, root: usize, element: usize, from: &Run, to: &Run) -> Option<Shares> {
        let mut atoms = to.atoms.zeros();
        let mut unit = vec![0.0; to.atoms.of(root).0.len()];
        *unit.get_mut(element)? = 1.0;
        atoms.add(root, &unit, 1.0);
        let rules = self.template.rules.len();
        let (facts, through, from_rules) = (vec![0.0; self.facts.len()], vec![0.0; rules], vec![0.0; rules]);
        let mut shares = Shares { facts, through, from_rules, kept: 0.0, atoms };
        for number in (0..=root).rev() {
            let factors = shares.atoms.of(number).0.to_vec();
            if !is_zero(&factors) {
                self.share_atom(number, &factors, from, to, &mut shares)?;
            }
        }
        Some(shares)
    }

    fn share_atom(
        &self,
        number: usize,
        factors: &[f64],
        from: &Run,
        to: &Run,
        shares: &mut Shares,
    ) -> Option<()> {
        let atom: &AtomNode = &self.atoms[number];
        let ends = (self.combined_atom(atom, from)?, self.combined_atom(atom, to)?);
        let (combination, activation, _) = self.atom_functions[atom.predicate.index()];
        let functions = if self.is_plain(atom) {
            (Combination::Sum, Activation::Identity)
        } else {
            (combination, activation)
        };
        let outputs = (from.atoms.of(number).0, to.atoms.of(number).0);
        let by_inputs = share_inputs(functions, &ends, outputs, factors, &mut shares.kept)?;
        let (by_groups, by_facts) = by_inputs.split_at(atom.groups.len());
        for (number, by_input) in atom.groups.clone().zip(by_groups) {
            let group = &self.groups[number];
            let by_group = unweighed(&group.weight, to.groups.of(number), by_input, false)?;
            self.share_group(number, group, &by_group, from, to, shares)?;
        }
        for (fact, by_input) in atom.facts.clone().zip(by_facts) {
            let value = [to.facts[fact]];
            let by_fact = unweighed(&self.facts[fact].weight, (&value, Shape::NUMBER), by_input, false)?;
            shares.facts[fact] += by_fact.iter().sum::<f64>();
        }
        Some(())
    }

    fn share_group(
        &self,
        number: usize,
        group: &GroupNode,
        factors: &[f64],
        from: &Run,
        to: &Run,
        shares: &mut Shares,
    ) -> Option<()> {
        if is_zero(factors) {
            return Some(());
        }
        let arrives = moved(factors, from.groups.of(number).0, to.groups.of(number).0);
        shares.through[group.rule.index()] += arrives;
        let rows = |run: &Run| -> Vec<f64> {
            group.neurons.clone().flat_map(|neuron| run.neurons.of(neuron).0.to_vec()).collect()
        };
        let (low, high, width) = (rows(from), rows(to), factors.len().max(1));
        let aggregation = self.template.rule(group.rule).functions.aggregation;
        let by_rows = line::aggregation(aggregation, &low, &high, factors);
        shares.kept += arrives - moved(&by_rows, &low, &high);
        for (neuron, by_neuron) in group.neurons.clone().zip(by_rows.chunks(width)) {
            if !is_zero(by_neuron) {
                self.share_rule(group, neuron, by_neuron, from, to, shares)?;
            }
        }
        Some(())
    }

    fn share_rule(
        &self,
        group: &GroupNode,
        neuron: usize,
        factors: &[f64],
        from: &Run,
        to: &Run,
        shares: &mut Shares,
    ) -> Option<()> {
        if let (Some(low), Some(high)) =
            (self.number_before(group, neuron, from), self.number_before(group, neuron, to))
        {
            self.share_sum(group, neuron, factors, (low, from), (high, to), shares);
            return Some(());
        }
        let rule = self.template.rule(group.rule);
        let ends = (self.combined_rule(group, neuron, from)?, self.combined_rule(group, neuron, to)?);
        let outputs = (from.neurons.of(neuron).0, to.neurons.of(neuron).0);
        let functions = (rule.functions.combination, rule.functions.activation);
        let by_inputs = share_inputs(functions, &ends, outputs, factors, &mut shares.kept)?;
        let edges = rule.inputs.iter().zip(&group.input_weights).zip(self.inputs(group, neuron));
        for (((input, weight), &atom), by_input) in edges.zip(&by_inputs) {
            let atom = atom as usize;
            let (value, shape) = to.atoms.of(atom);
            let by_atom = unweighed(weight, (value, shape), by_input, input.negated)?;
            if !self.atoms[atom].groups.is_empty() {
                shares.from_rules[group.rule.index()] += moved(&by_atom, from.atoms.of(atom).0, value);
            }
            shares.atoms.add(atom, &by_atom, 1.0);
        }
        Some(())
    }
}

impl Proof<'_> {
    /// The short way for sums of numbers: from the factor of a rule neuron to those of its atoms.
    fn share_sum(
        &self,
        group: &GroupNode,
        neuron: usize,
        factors: &[f64],
        (low, from): (f64, &Run),
        (high, to): (f64, &Run),
        shares: &mut Shares,
    ) {
        let rule = self.template.rule(group.rule);
        let outputs = ([from.neurons.first(neuron)], [to.neurons.first(neuron)]);
        let activation = rule.functions.activation;
        let by_sum = line::activation(activation, (&[low], &[high]), (&outputs.0, &outputs.1), factors);
        let mut handed = 0.0;
        let edges = rule.inputs.iter().zip(&group.input_weights).zip(self.inputs(group, neuron));
        for ((input, weight), &atom) in edges {
            let atom = atom as usize;
            let weight = weight.as_ref().map_or(1.0, |weight| weight.0[0]);
            let factor = by_sum[0] * if input.negated { -weight } else { weight };
            let arrives = factor * (to.atoms.first(atom) - from.atoms.first(atom));
            handed += arrives;
            if !self.atoms[atom].groups.is_empty() {
                shares.from_rules[group.rule.index()] += arrives;
            }
            shares.atoms.add(atom, &[1.0], factor);
        }
        shares.kept += moved(factors, &outputs.0, &outputs.1) - handed;
    }
}

/// From the factors of a neuron's output to those of its weighed inputs.
fn share_inputs(
    (combination, activation): (Combination, Activation),
    (low, high): &(Combined, Combined),
    outputs: (&[f64], &[f64]),
    factors: &[f64],
    kept: &mut f64,
) -> Option<Vec<Vec<f64>>> {
    let before = (&low.before.0[..], &high.before.0[..]);
    let by_before = line::activation(activation, before, outputs, factors);
    let arrives = moved(factors, outputs.0, outputs.1);
    let by_combined = gathered(by_before, high.shape);
    let by_inputs = line::combination(combination, &low.inputs, &high.inputs, &by_combined)?;
    let mut handed = 0.0;
    for ((factors, from), to) in by_inputs.iter().zip(&low.inputs).zip(&high.inputs) {
        handed += moved(factors, &from.0, &to.0);
    }
    *kept += arrives - handed;
    Some(by_inputs)
}
