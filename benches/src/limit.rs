//! The limit to approach: the template `benches/templates/chains.lrnn` as a loop written for nothing else.
//!
//! A chain of atoms matters only by its types (element, bond type, element, bond type, element), so a molecule is the
//! list of its distinct chains, some twenty. For each of the 243 combinations of clusters the best chain is wanted, before
//! the activation; the 243 sums of a chain are those of 27 sums over its first three places, the head, and of 9 over the
//! other two, the tail. The gradient goes to the best chain. Activations are the engine's.
//!
//! It is not the fastest possible: the best start and the best end of a chain could be found apart for each atom in
//! the middle. But that is another algorithm, and not for the rules of a template in general.

use lrnn::function::Activation;
use lrnn_wide::{Work, widest};
use rustc_hash::FxHashMap;

use crate::molecule::{ChainTypes, Molecule, molecules};
use crate::stage::BenchProgram;
use crate::train::{BenchTraining, RATE};

const CLUSTERS: usize = 3;
const HEADS: usize = 27;
/// Room for the heads in whole vectors.
const WIDE: usize = 32;
const TAILS: usize = 9;
const ALL: usize = WIDE * TAILS;

/// The weights and offsets of the template; gradients by them.
#[derive(Clone)]
struct LimitParameters {
    /// By element and cluster.
    elements: Vec<f32>,
    /// By bond type and cluster.
    bonds: Vec<f32>,
    /// By tail and head; what lies between `HEADS` and `WIDE` stays 0.
    chains: [f32; ALL],
    /// Of `in`, `kind`, `chain` and `mutagenic`.
    offsets: [f32; 4],
}

/// The values of a molecule's neurons.
struct LimitValues {
    /// `in` and `kind`, by type and cluster.
    elements: Vec<f32>,
    bonds: Vec<f32>,
    /// By tail and head: the best sum, whose it is, and the values of three neurons above it.
    best: [f32; ALL],
    winner: [u32; ALL],
    chain_rule: [f32; ALL],
    chain: [f32; ALL],
    out_rule: [f32; ALL],
    output: f32,
}

/// The loop with its memory.
pub struct Limit {
    molecules: Vec<Molecule>,
    parameters: LimitParameters,
    values: LimitValues,
    /// Gradients by the values of `in` and `kind`.
    by_elements: Vec<f32>,
    by_bonds: Vec<f32>,
    /// The value of a fact's atom, sigm(1), and of a rule over it.
    fact: f32,
    rule: f32,
}

/// An epoch as a piece of work for wide vectors.
struct EpochWork<'a>(&'a mut Limit);

impl Work for EpochWork<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for at in 0..self.0.molecules.len() {
            self.0.forward(at);
            self.0.backward(at);
        }
    }
}

#[inline(always)]
fn sigmoid(x: f32) -> f32 {
    let mut value = [x];
    Activation::Sigmoid.apply(&mut value);
    value[0]
}

/// Returns the slope where the sigmoid has this value.
#[inline(always)]
fn slope(value: f32) -> f32 {
    value * (1.0 - value)
}

impl Limit {
    /// Returns the same molecules and parameters.
    pub fn new(training: &BenchTraining<'_>) -> Result<Self, String> {
        let molecules = molecules(&training.ready.dataset)?;
        let parameters = LimitParameters::of(training, &molecules.elements, &molecules.bonds)?;
        let (elements, bonds) = (parameters.elements.len(), parameters.bonds.len());
        let fact = sigmoid(1.0);
        Ok(Self {
            molecules: molecules.molecules,
            parameters,
            values: LimitValues {
                elements: vec![0.0; elements],
                bonds: vec![0.0; bonds],
                best: [0.0; ALL],
                winner: [0; ALL],
                chain_rule: [0.0; ALL],
                chain: [0.0; ALL],
                out_rule: [0.0; ALL],
                output: 0.0,
            },
            by_elements: vec![0.0; elements],
            by_bonds: vec![0.0; bonds],
            fact,
            rule: sigmoid(fact),
        })
    }

    /// Runs one pass over all molecules, with a step after each.
    pub fn epoch(&mut self) {
        widest(EpochWork(self));
    }

    /// Returns the output of every molecule.
    pub fn outputs(&mut self) -> Vec<f32> {
        let mut outputs = Vec::new();
        for at in 0..self.molecules.len() {
            self.forward(at);
            outputs.push(self.values.output);
        }
        outputs
    }

    #[inline(always)]
    fn forward(&mut self, molecule: usize) {
        let Self { molecules, parameters, values, fact, rule, .. } = self;
        let [of_in, of_kind, of_chain, of_output] = parameters.offsets;
        weigh(&parameters.elements, *rule, of_in, &mut values.elements);
        weigh(&parameters.bonds, *rule, of_kind, &mut values.bonds);
        values.find_best(&molecules[molecule].chains);
        // Seven inputs, of which two are bonds, facts.
        let constant = 2.0 * *fact - 7.0 + 1.0;
        activate(&values.best, constant, &mut values.chain_rule);
        activate(&values.chain_rule, of_chain, &mut values.chain);
        activate(&values.chain, 0.0, &mut values.out_rule);
        values.output = sigmoid(dot(&parameters.chains, &values.out_rule) + of_output);
    }

    #[inline(always)]
    fn backward(&mut self, molecule: usize) {
        let Self { molecules, parameters, values, by_elements, by_bonds, rule, .. } = self;
        let molecule = &molecules[molecule];
        let by_output = (values.output - molecule.target) * slope(values.output);
        parameters.offsets[3] -= RATE * by_output;
        by_elements.fill(0.0);
        by_bonds.fill(0.0);
        let mut by_best = [0.0; ALL];
        let mut by_offset = 0.0;
        for (at, by_best) in by_best.iter_mut().enumerate() {
            let by_chain =
                by_output * parameters.chains[at] * slope(values.out_rule[at]) * slope(values.chain[at]);
            by_offset += by_chain;
            *by_best = by_chain * slope(values.chain_rule[at]);
        }
        parameters.offsets[2] -= RATE * by_offset;
        let heads = parameters.chains.chunks_exact_mut(WIDE).zip(values.out_rule.chunks_exact(WIDE));
        for (weights, out_rule) in heads {
            let pairs = weights[..HEADS].iter_mut().zip(out_rule);
            pairs.for_each(|(weight, value)| *weight -= RATE * by_output * value);
        }
        scatter(&by_best, &values.winner, &molecule.chains, by_elements, by_bonds);
        parameters.offsets[0] -=
            RATE * unweigh(&mut parameters.elements, *rule, &values.elements, by_elements);
        parameters.offsets[1] -= RATE * unweigh(&mut parameters.bonds, *rule, &values.bonds, by_bonds);
    }
}

/// `value = sigm(weight · input + offset)`.
#[inline(always)]
fn weigh(weights: &[f32], input: f32, offset: f32, values: &mut [f32]) {
    values.iter_mut().zip(weights).for_each(|(value, weight)| *value = weight * input + offset);
    Activation::Sigmoid.apply(values);
}

/// Steps the weights of [`weigh`], and gives the gradient by the offset.
#[inline(always)]
fn unweigh(weights: &mut [f32], input: f32, values: &[f32], gradient: &[f32]) -> f32 {
    let mut by_offset = 0.0;
    for ((weight, &value), gradient) in weights.iter_mut().zip(values).zip(gradient) {
        let by_sum = gradient * slope(value);
        by_offset += by_sum;
        *weight -= RATE * by_sum * input;
    }
    by_offset
}

#[inline(always)]
fn activate(from: &[f32; ALL], offset: f32, to: &mut [f32; ALL]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = from + offset);
    Activation::Sigmoid.apply(to);
}

/// In lanes, so that it vectorises.
#[inline(always)]
fn dot(a: &[f32; ALL], b: &[f32; ALL]) -> f32 {
    let mut lanes = [0.0; 8];
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        lanes.iter_mut().zip(a.iter().zip(b)).for_each(|(lane, (a, b))| *lane += a * b);
    }
    lanes.iter().sum()
}

impl LimitValues {
    /// Finds the best chain for each combination of clusters.
    #[inline(always)]
    fn find_best(&mut self, chains: &[ChainTypes]) {
        self.best.fill(f32::NEG_INFINITY);
        self.winner.fill(0);
        for (number, chain) in chains.iter().enumerate() {
            let (head, tail) = self.parts(chain);
            let rows = self.best.as_chunks_mut::<WIDE>().0.iter_mut();
            for ((best, winner), tail) in rows.zip(self.winner.as_chunks_mut::<WIDE>().0).zip(tail) {
                for at in 0..WIDE {
                    let sum = head[at] + tail;
                    let is_better = sum > best[at];
                    best[at] = if is_better { sum } else { best[at] };
                    winner[at] = if is_better { number as u32 } else { winner[at] };
                }
            }
        }
    }

    /// Returns the sums over the head and over the tail of a chain.
    #[inline(always)]
    fn parts(&self, &[first, bond, middle, other, last]: &ChainTypes) -> ([f32; WIDE], [f32; TAILS]) {
        let [first, middle, last] = [first, middle, last].map(|element| three(&self.elements, element));
        let [bond, other] = [bond, other].map(|bond| three(&self.bonds, bond));
        let mut head = [0.0; WIDE];
        for at in 0..HEADS {
            head[at] = first[at / 9] + bond[at / 3 % 3] + middle[at % 3];
        }
        (head, std::array::from_fn(|at| other[at / 3] + last[at % 3]))
    }
}

#[inline(always)]
fn three(values: &[f32], kind: u8) -> [f32; CLUSTERS] {
    std::array::from_fn(|cluster| values[kind as usize * CLUSTERS + cluster])
}

/// Adds the gradient by the five inputs of each winner.
#[inline(always)]
fn scatter(
    by_best: &[f32; ALL],
    winner: &[u32; ALL],
    chains: &[ChainTypes],
    by_elements: &mut [f32],
    by_bonds: &mut [f32],
) {
    let at = |kind: u8, cluster: usize| kind as usize * CLUSTERS + cluster;
    for tail in 0..TAILS {
        for head in 0..HEADS {
            let gradient = by_best[tail * WIDE + head];
            let [first, bond, middle, other, last] = chains[winner[tail * WIDE + head] as usize];
            by_elements[at(first, head / 9)] += gradient;
            by_bonds[at(bond, head / 3 % 3)] += gradient;
            by_elements[at(middle, head % 3)] += gradient;
            by_bonds[at(other, tail / 3)] += gradient;
            by_elements[at(last, tail % 3)] += gradient;
        }
    }
}

impl LimitParameters {
    /// Returns the parameters of a training, by the numbers of the types.
    fn of(
        training: &BenchTraining<'_>,
        elements: &FxHashMap<String, u8>,
        bonds: &FxHashMap<String, u8>,
    ) -> Result<Self, String> {
        let mut own = Self {
            elements: vec![0.0; elements.len() * CLUSTERS],
            bonds: vec![0.0; bonds.len() * CLUSTERS],
            chains: [0.0; ALL],
            offsets: [0.0; 4],
        };
        let BenchProgram { template, dataset, .. } = training.ready;
        for ((weight, index), range) in training.networks.parameters.iter() {
            let value = training.parameters[range.start];
            let index: Vec<String> =
                index.iter().map(|&constant| dataset.vocabulary.constant(constant).to_string()).collect();
            let name = template.weight(*weight).name.as_deref().unwrap_or("");
            let place = match (name, &index[..]) {
                ("w", [element, cluster]) => own.elements.get_mut(place(elements, element, cluster)),
                ("v", [bond, cluster]) => own.bonds.get_mut(place(bonds, bond, cluster)),
                ("c", [g1, h1, g2, h2, g3]) => {
                    let [g1, h1, g2, h2, g3] = [g1, h1, g2, h2, g3].map(|name| cluster(name));
                    own.chains.get_mut((h2 * 3 + g3) * WIDE + (g1 * 3 + h1) * 3 + g2)
                }
                _ => offset_number(training.ready, *weight).map(|number| &mut own.offsets[number]),
            };
            *place.ok_or_else(|| format!("the limit does not know the weight `{name}`"))? = value;
        }
        Ok(own)
    }
}

fn place(kinds: &FxHashMap<String, u8>, kind: &str, name: &str) -> usize {
    kinds.get(kind).map_or(usize::MAX, |&kind| kind as usize * CLUSTERS + cluster(name))
}

/// Clusters are called 1, 2, 3.
fn cluster(name: &str) -> usize {
    name.parse::<usize>().map_or(usize::MAX, |number| number - 1)
}

/// Returns whose offset a weight is.
fn offset_number(ready: &BenchProgram, weight: lrnn::template::WeightId) -> Option<usize> {
    let offset = lrnn::template::Offset::Weight(weight);
    let found = ready.template.predicates.iter().position(|predicate| predicate.offset == offset)?;
    let (_, signature) = ready.dataset.vocabulary.predicates().nth(found)?;
    ["in", "kind", "chain", "mutagenic"].iter().position(|name| **name == *signature.name)
}

/// Returns whether two lists of outputs agree.
pub fn largest_difference(ours: &[f32], theirs: &[f32]) -> f32 {
    if ours.len() != theirs.len() {
        return f32::INFINITY;
    }
    let differences = ours.iter().zip(theirs).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, |most, next| if next <= most { most } else { next })
}
