//! From numbered neurons to blocks: stratum by stratum and level by level, each neuron gets its cells.

mod atoms;
mod feedback;
mod inputs;
mod pairing;
mod rules;
mod stages;

use self::atoms::PartNumbers;
pub(super) use self::stages::CHUNK_CELLS;
use super::{BuildSpace, NetworkBuilder};
use crate::network::program::{List, Network, Slots};
use crate::network::schedule::{ParameterPlace, WeightStep};
use crate::template::RuleId;
use crate::vocabulary::PredicateId;

/// No cell yet.
const NONE: u32 = u32::MAX;

pub(super) fn emit(mut builder: NetworkBuilder<'_>) -> (Network, BuildSpace) {
    let (keys, mut space) = (builder.weight_keys(), std::mem::take(&mut builder.space));
    let of_rules = space.rules.iter_mut().flat_map(|table| [&mut table.neurons, &mut table.groups]);
    of_rules.chain(&mut space.atoms).for_each(|table| table.cells.resize(table.keys.len(), NONE));
    let inputs = std::mem::take(&mut builder.inputs);
    let network = Network { keys, inputs, ..std::mem::take(&mut space.network).emptied() };
    let (constant_at, part_numbers) = (space.buffers.take(), PartNumbers::default());
    let mut emitter = Emitter { space, constant_at, part_numbers, network, builder };
    emitter.constants();
    emitter.zeros();
    for stratum in &emitter.builder.schedule.strata {
        let groups = stratum.rules.iter().flat_map(|id| &emitter.space.rules[id.index()].groups.ranks);
        let atoms = stratum.predicates.iter().flat_map(|id| &emitter.space.atoms[id.index()].ranks);
        let (most, is_cyclic) = groups
            .chain(atoms)
            .fold((0, false), |(most, odd), rank| (rank.level.max(most), odd || rank.level % 2 == 1));
        let is_first = |rule: &&RuleId| emitter.builder.schedule.class(**rule) == **rule;
        let classes: Vec<RuleId> = stratum.rules.iter().filter(is_first).copied().collect();
        for level in (0..=most).step_by(if is_cyclic { 1 } else { 2 }) {
            let entered = (level % 2 == 1).then(|| emitter.enter(&stratum.predicates, level));
            classes.iter().for_each(|&class| emitter.rule(class, level));
            stratum.predicates.iter().for_each(|&predicate| emitter.atoms(predicate, level));
            if let Some(entered) = entered {
                emitter.settle(&entered);
            }
        }
    }
    emitter.outputs();
    emitter.space.buffers.give(emitter.constant_at);
    (emitter.network, emitter.space)
}

struct Emitter<'a> {
    builder: NetworkBuilder<'a>,
    network: Network,
    space: BuildSpace,
    /// Offset of each value of a fact among the network's constants.
    constant_at: Vec<u32>,
    part_numbers: PartNumbers,
}

impl Emitter<'_> {
    fn constants(&mut self) {
        for number in 0..self.space.constants.len() as u32 {
            self.constant_at.push(self.network.constants.len() as u32);
            let words = self.space.constants.key(number);
            let numbers = words
                .chunks_exact(2)
                .map(|pair| f64::from_bits(u64::from(pair[0]) | u64::from(pair[1]) << 32));
            self.network.constants.extend(numbers);
        }
    }

    fn outputs(&mut self) {
        for output in &self.builder.outputs {
            let cell = output.map(|(predicate, number)| {
                self.space.atoms[self.builder.schedule.table(predicate)].cells[number as usize]
            });
            self.network.outputs.push(cell);
        }
        let size =
            |predicate: &PredicateId| self.builder.schedule.atoms[predicate.index()].shape.size() as u32;
        self.network.output_sizes = self.builder.output_predicates.iter().map(size).collect();
    }

    /// Allocates new cells.
    fn allocate(&mut self, count: usize, size: usize) -> u32 {
        let at = self.network.cells;
        self.network.cells += (count * size) as u32;
        at
    }

    /// Puts numbers among the indices; where they begin.
    fn indices(&mut self, numbers: impl IntoIterator<Item = u32>) -> u32 {
        let at = self.network.indices.len() as u32;
        self.network.indices.extend(numbers);
        at
    }

    /// Returns the same for numbers of weights, which are places of parameters later.
    fn slots(&mut self, numbers: &[u32]) -> u32 {
        let at = self.indices(numbers.iter().copied());
        self.network.slots.push((at, numbers.len() as u32));
        at
    }

    /// Returns where the numbers of a weight are, for each place in a list.
    fn slots_of(&mut self, weight: &WeightStep, numbers: &[u32]) -> Slots {
        match (weight.place, numbers) {
            (ParameterPlace::One | ParameterPlace::Plain(_), _) => Slots::Same,
            (ParameterPlace::Slots, [first, rest @ ..])
                if is_matrix(weight) && rest.iter().all(|slot| slot == first) =>
            {
                Slots::One(self.slots(&[*first]))
            }
            (ParameterPlace::Slots, _) => Slots::At(self.slots(numbers)),
        }
    }

    /// Returns a list, as a run where it is one.
    fn list(&mut self, numbers: &[u32], step: u32) -> List {
        match numbers {
            [] => List::Run(0, step),
            [first, ..]
                if numbers.iter().enumerate().all(|(at, &number)| number == first + at as u32 * step) =>
            {
                List::Run(*first, step)
            }
            _ => List::At(self.indices(numbers.iter().copied())),
        }
    }
}

/// Returns whether a weight is a matrix, which had better multiply many values at once.
fn is_matrix(weight: &WeightStep) -> bool {
    weight.place == ParameterPlace::Slots && weight.shape.columns > 1
}
