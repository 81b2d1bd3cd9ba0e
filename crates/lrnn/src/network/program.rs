//! A network as a program: blocks of array operations over one array of cells. A block reads cells before its own
//! and writes its own, so forwards is a walk through the blocks and backwards the same walk turned round.
//!
//! A ground rule becomes four array operations: *move* (weigh the atoms a literal names, once each), *neurons*
//! (gather the inputs of each rule neuron and conjoin them), *groups* (aggregate the neurons with one head), and
//! *atoms* (weigh the groups and facts of each atom and disjoin them).

use std::ops::Range;

use super::parameters::{InputFact, Parameters, WeightKey};
use super::schedule::WeightStep;
use crate::template::RuleId;
use crate::vocabulary::PredicateId;

/// A list of cells, or of anything else that is numbered: one after the other, or in the array of indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum List {
    /// From this number on, by a step.
    Run(u32, u32),
    /// The indices from here on.
    At(u32),
}

/// The places of a weight's parameters, for each place in a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slots {
    /// The same for all: the weight's own place, or none.
    Same,
    /// The same for all: the index here.
    One(u32),
    /// The indices from here on.
    At(u32),
}

/// A source of values.
#[derive(Clone, Copy, Debug)]
pub(super) enum ValueSource {
    /// Cells.
    Cells(List),
    /// Places among the constants, in the indices from here on.
    Constants(u32),
    /// Places among the parameters, in the indices from here on.
    Parameters(u32),
}

/// Weighs values and adds them up: `to[row[i]] += weight · from[i]`, or `weight · (1 − from[i])`. Constants and
/// parameters have the weight 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weighing {
    pub weight: WeightStep,
    pub slots: Slots,
    pub negated: bool,
    /// Number of values.
    pub count: u32,
    pub from: ValueSource,
    /// Number of numbers in each, and of columns, where they are matrices.
    pub from_size: u32,
    pub from_columns: u32,
    /// The same after the weight.
    pub size: u32,
    pub columns: u32,
    pub row: List,
}

/// Weighs the inputs of rule neurons, each to cells of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub weighing: Weighing,
    pub to: u32,
}

/// The inputs of rule neurons: some the same for all, the others in the array of indices, neuron after neuron.
///
/// A sum of numbers adds the same inputs first, then `single` columns one after the other, then the sum of the first
/// half of the others, then that of the second. So it has the same bits whether or not halves are shared, and whatever
/// other neurons there are.
#[derive(Clone, Debug)]
pub(super) struct Gather {
    /// Cells that are an input of every neuron, and which input. In a sum, they come first.
    pub same: Vec<(u32, u32)>,
    /// The inputs that differ, in the order in which they are added.
    pub columns: Vec<u32>,
    /// Number of columns that are added one after the other.
    pub single: u32,
    /// Offset of their cells: `columns.len()` for each neuron.
    pub at: u32,
    /// The other inputs, where they are pairs of shared sums.
    pub pairs: Option<SumPairs>,
}

/// The inputs of neurons in groups that all have the same rows: in each row a left and a right part, which are
/// stretches of sums, and in each group another pair of one sum of each.
#[derive(Clone, Copy, Debug)]
pub(super) struct SumPairs {
    /// Number of sums in a left and in a right part.
    pub sizes: [u32; 2],
    /// Number of neurons in a group.
    pub rows: u32,
    /// Offset among the indices of the first cells of both parts of each row.
    pub parts: u32,
    /// Offset among the indices of the numbers of both sums of each group.
    pub numbers: u32,
}

/// Computes sums that many rule neurons share: `to[i]` is the sum of `width` cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sums {
    pub count: u32,
    pub width: u32,
    /// Offset of the cells among the indices.
    pub at: u32,
    pub to: u32,
}

/// Computes rule neurons.
#[derive(Clone, Debug)]
pub(super) struct Neurons {
    /// The rule that stands for its class.
    pub rule: RuleId,
    pub count: u32,
    pub gather: Gather,
    /// The cells before the activation.
    pub x: u32,
    /// The cells after it, which follow; the same where its slope needs its value alone.
    pub y: u32,
}

/// Aggregates: group `i` has the entries from `ends[i]` to `ends[i + 1]`.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    /// The rule that stands for its class.
    pub rule: RuleId,
    pub count: u32,
    /// Offset of the `count + 1` ends among the indices.
    pub ends: u32,
    /// The cells of the entries.
    pub entries: List,
    /// Offset, among the indices, of how often each entry counts, and after these how often all of each group do; once
    /// if there is none.
    pub counts: Option<u32>,
    /// For max and min of neurons that nobody else needs: their inputs, so that they need no cells.
    pub fused: Option<Gather>,
    /// The cells before a late activation.
    pub x: u32,
    /// The cells after it, which follow; the same where its slope needs its value alone.
    pub y: u32,
    /// Number of the first choice that max and min remember.
    pub choice: u32,
}

impl Network {
    /// Returns an element of a list.
    pub(super) fn at(&self, list: List, at: u32) -> u32 {
        match list {
            List::Run(first, step) => first + at * step,
            List::At(start) => self.indices[(start + at) as usize],
        }
    }

    /// Returns the elements of a list.
    pub(super) fn each(&self, list: List, count: u32) -> impl Iterator<Item = usize> {
        let (run, at) = match list {
            List::Run(first, step) => (Some((first, step)), &[][..]),
            List::At(start) => (None, self.slice(start, count as usize)),
        };
        (0..count as usize).map(move |number| match run {
            Some((first, step)) => first as usize + number * step as usize,
            None => at[number] as usize,
        })
    }

    /// Returns the cells from the first to the last value that is weighed, if they are in cells.
    pub(super) fn extent(&self, part: &Weighing) -> Option<(u32, u32)> {
        let ValueSource::Cells(list) = part.from else { return None };
        let wider = |(low, high): (u32, u32), cell: usize| (low.min(cell as u32), high.max(cell as u32));
        let (low, high) = self.each(list, part.count).fold((u32::MAX, 0), wider);
        Some((low, high + part.from_size))
    }

    /// Returns the stage that begins, or ends, with a block.
    pub(super) fn stage(&self, block: usize, at: impl Fn(&NetworkStage) -> usize) -> Option<&NetworkStage> {
        let found = self.stages.partition_point(|stage| at(stage) < block);
        self.stages.get(found).filter(|stage| at(stage) == block)
    }

    /// Returns the indices from here on.
    pub(super) fn slice(&self, at: u32, count: usize) -> &[u32] {
        &self.indices[at as usize..at as usize + count]
    }
}

/// Computes atoms.
#[derive(Clone, Debug)]
pub(super) struct Atoms {
    pub predicate: PredicateId,
    pub count: u32,
    /// True if they are plain sums of facts, without g∨.
    pub plain: bool,
    /// The groups and facts that enter them; rows are atoms of the block, by number.
    pub parts: Vec<Weighing>,
    /// Offset among the indices of the place of each atom's b0, where predicates of one table have several.
    pub offsets: Option<u32>,
    /// For combinations other than the sum: contributions, atom after atom.
    pub ordered: Option<ContributionOrder>,
    pub x: u32,
    pub y: u32,
}

/// Contributions atom after atom: the parts write to cells, and the atoms combine these in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContributionOrder {
    /// Offset of the `count + 1` ends among the indices.
    pub ends: u32,
    /// The cells of the contributions, among the indices, and their sizes and columns.
    pub cells: u32,
    pub sizes: u32,
    pub columns: u32,
    /// The first cell of the contributions, in the order of the parts.
    pub first: u32,
}

#[derive(Clone, Debug)]
pub(super) enum Block {
    Move(Move),
    Sums(Sums),
    Neurons(Neurons),
    Groups(Groups),
    Atoms(Atoms),
    /// The beginning of the repeat with this number.
    Enter(u32),
    /// Its end: the values of its atoms become inputs again, until they have settled.
    Settle(u32),
}

impl Block {
    /// Returns the first of its cells.
    pub(super) fn first(&self) -> usize {
        (match self {
            Self::Move(block) => block.to,
            Self::Sums(block) => block.to,
            Self::Neurons(block) => block.x,
            Self::Groups(block) => block.x,
            Self::Atoms(block) => block.ordered.map_or(block.x, |ordered| ordered.first),
            Self::Enter(_) | Self::Settle(_) => 0,
        }) as usize
    }

    /// Returns the values that it weighs.
    pub(super) fn parts(&self) -> &[Weighing] {
        match self {
            Self::Move(block) => std::slice::from_ref(&block.weighing),
            Self::Atoms(block) => &block.parts,
            _ => &[],
        }
    }

    /// Returns the first choice it makes.
    pub(super) fn first_choice(&self) -> usize {
        if let Self::Groups(block) = self { block.choice as usize } else { 0 }
    }
}

/// The rows of something large, in chunks: blocks one after the other that do not need each other. The chunks come from
/// the network alone, so that whoever computes them, the bits are the same.
#[derive(Clone, Debug)]
pub(super) struct NetworkStage {
    pub blocks: Range<usize>,
    /// The end of their cells.
    pub end: u32,
    pub backward: StageBackward,
}

/// The way in which the gradient leaves the blocks of a stage.
#[derive(Clone, Debug)]
pub(super) enum StageBackward {
    /// One block after the other, the last one first.
    InTurn,
    /// Weighings: the values of each block's part lie behind those of the same part of the block before.
    Apart,
    /// Sums: each value gathers what its readers have for it.
    Gathered(Readers),
}

/// The readers of values, value by value: what those of a stage's blocks are the inputs of.
#[derive(Clone, Debug)]
pub(super) struct Readers {
    /// Number of values, and of numbers in each.
    pub count: u32,
    pub size: u32,
    /// Their cells, ascending.
    pub values: List,
    /// Offset of the `count + 1` ends among the indices.
    pub ends: u32,
    /// Offset of the cells of the readers among the indices.
    pub cells: u32,
    /// Offset of how often each reads the value; once if there is none.
    pub counts: Option<u32>,
}

/// Blocks that are repeated, sweep by sweep, until atoms that need each other have settled. In place of each such atom
/// they read a cell before all of theirs, with its value before the sweep.
#[derive(Clone, Debug, Default)]
pub(super) struct Repeat {
    /// The numbers of its blocks.
    pub blocks: Range<usize>,
    /// The cells they write.
    pub cells: Range<u32>,
    /// Number of its first component among those of the network.
    pub first: usize,
    pub components: Vec<ComponentCells>,
}

/// The atoms of a component.
#[derive(Clone, Debug)]
pub(super) struct ComponentCells {
    pub feedback: Vec<Feedback>,
    /// The cells of the atoms with their sizes, ascending, each once: merged atoms have one.
    pub cells: Vec<(u32, u32)>,
}

/// An atom whose value is an input of itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feedback {
    /// The cell of its value before a sweep.
    pub to: u32,
    /// Its own cell.
    pub from: u32,
    pub size: u32,
    pub predicate: PredicateId,
    /// The number of its example in the order the builder got them, and its row there.
    pub example: usize,
    pub row: u32,
}

/// The networks of one or several examples, computed together: indices and constants only. Values and weights are
/// outside.
#[derive(Clone, Debug, Default)]
pub struct Network {
    pub(super) blocks: Vec<Block>,
    /// The blocks that are chunks of something large, ascending.
    pub(super) stages: Vec<NetworkStage>,
    pub(super) repeats: Vec<Repeat>,
    /// Number of components of atoms that need each other.
    pub(super) components: usize,
    pub(super) indices: Vec<u32>,
    pub(super) constants: Vec<f64>,
    /// Number of cells.
    pub(super) cells: u32,
    /// Number of choices that max and min make.
    pub(super) choices: u32,
    /// The cell of each query, in the order of examples and queries; none outside the model.
    pub(super) outputs: Vec<Option<u32>>,
    /// The size of each query's value.
    pub(super) output_sizes: Vec<u32>,
    /// The weights with slots that it uses, by the numbers that stand in its slots until it is bound.
    pub(super) keys: Vec<WeightKey>,
    /// Offset and length of slots among the indices.
    pub(super) slots: Vec<(u32, u32)>,
    /// The facts whose values are inputs, until it is bound.
    pub(super) inputs: Vec<InputFact>,
    /// Offset and length of their numbers among the indices.
    pub(super) input_slots: Vec<(u32, u32)>,
    /// Counts of the neurons it computes.
    pub(super) neurons: super::NeuronCounts,
}

impl Network {
    /// Returns a network without anything, in the memory of this one.
    pub(super) fn emptied(self) -> Self {
        let Self { mut blocks, mut indices, mut constants, mut outputs, mut output_sizes, .. } = self;
        blocks.clear();
        indices.clear();
        constants.clear();
        outputs.clear();
        output_sizes.clear();
        Self { blocks, indices, constants, outputs, output_sizes, ..Self::default() }
    }

    /// Puts the places of parameters for the numbers of weights. Once, in the order of the networks, so that the
    /// parameters have the same order on any number of threads.
    pub(super) fn bind(&mut self, parameters: &mut Parameters) {
        self.bind_by(|key| parameters.place(key));
    }

    /// Puts the places of parameters, which `place` tells, for the numbers of weights.
    pub(crate) fn bind_by(&mut self, place: impl FnMut(&WeightKey) -> u32) {
        let places: Vec<u32> = self.keys.iter().map(place).collect();
        let slots = std::mem::take(&mut self.slots);
        self.put(&places, &slots);
    }

    /// Does the same for the facts whose values are inputs, when all networks have their weights. It is the network
    /// with this number.
    pub(super) fn bind_inputs(&mut self, network: usize, parameters: &mut Parameters) {
        let inputs = std::mem::take(&mut self.inputs).into_iter();
        let places: Vec<u32> =
            inputs.map(|fact| parameters.place_input(InputFact { network, ..fact })).collect();
        let slots = std::mem::take(&mut self.input_slots);
        self.put(&places, &slots);
    }

    fn put(&mut self, places: &[u32], slots: &[(u32, u32)]) {
        for &(at, count) in slots {
            for slot in &mut self.indices[at as usize..(at + count) as usize] {
                *slot = places[*slot as usize];
            }
        }
    }

    /// Returns its weights, each once.
    pub(crate) fn weight_keys(&self) -> &[WeightKey] {
        &self.keys
    }

    /// Returns how many queries it answers.
    pub fn output_count(&self) -> usize {
        self.outputs.len()
    }

    /// Returns whether a query is in the model.
    pub fn is_entailed(&self, query: usize) -> bool {
        self.outputs[query].is_some()
    }

    /// Returns the neuron that answers a query, as a number: queries with the same one have the same value under any
    /// weights.
    pub fn answering(&self, query: usize) -> Option<u32> {
        self.outputs[query]
    }

    /// Returns the neurons it computes, after pruning and merging.
    pub fn neurons(&self) -> super::NeuronCounts {
        self.neurons
    }

    /// Returns whether it has atoms that need each other.
    pub fn has_cycles(&self) -> bool {
        !self.repeats.is_empty()
    }

    /// Returns whether the memory that it was built in is worth keeping for the next.
    pub(crate) fn is_small(&self) -> bool {
        const MOST_BYTES: usize = 1 << 20;
        self.bytes() <= MOST_BYTES
    }

    /// Returns the memory it takes.
    pub fn bytes(&self) -> usize {
        self.indices.len() * 4 + self.constants.len() * 8 + self.blocks.len() * size_of::<Block>()
    }
}
