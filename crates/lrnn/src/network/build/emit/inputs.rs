//! The inputs of rule neurons: weighed once each, and summed once where many neurons share a part.

use super::{Emitter, is_matrix};
use crate::network::build::classes::Classes;
use crate::network::program::{Block, Gather, Move, Sums};
use crate::network::schedule::{InputStep, Place, RuleStep};
use crate::template::RuleId;

impl Emitter<'_> {
    /// For each input, its cell for each neuron; inputs that are weighed or negated are moved first.
    pub(super) fn input_cells(&mut self, id: RuleId, step: &RuleStep, neurons: &[u32]) -> Vec<Vec<u32>> {
        let mut slots = 0;
        let mut all = Vec::new();
        for (at, input) in step.inputs.iter().enumerate() {
            let slot_at = step.inputs.len() + slots;
            let is_indexed = input.weight.place == Place::Slots;
            slots += usize::from(is_indexed);
            let table = &self.builder.rules[id.index()];
            let keys = neurons.iter().map(|&neuron| table.neurons.key(neuron));
            let atoms = &self.atom_cell[input.predicate.index()];
            let sources: Vec<(u32, u32)> = keys
                .map(|key| (atoms[key[at] as usize], if is_indexed { key[slot_at] } else { 0 }))
                .collect();
            all.push(match input.is_plain() {
                true => sources.into_iter().map(|(cell, _)| cell).collect(),
                false => self.moved(input, &sources),
            });
        }
        all
    }

    /// Weighs each different source once; gives the new cell of each.
    fn moved(&mut self, input: &InputStep, sources: &[(u32, u32)]) -> Vec<u32> {
        // The sources of one matrix lie together, and are multiplied at once.
        let apart = is_matrix(&input.weight);
        let order = |&(cell, slot): &(u32, u32)| if apart { (slot, cell) } else { (cell, slot) };
        let mut different = sources.to_vec();
        different.sort_unstable_by_key(order);
        different.dedup();
        let size = input.shape.size();
        let to = self.allocate(different.len(), size);
        let mut first = to;
        for part in different.chunk_by(|one, other| !apart || one.1 == other.1) {
            self.weigh(input, part, first);
            first += (part.len() * size) as u32;
        }
        let place = |source| different.binary_search_by_key(&order(source), order).unwrap_or(0);
        sources.iter().map(|source| to + (place(source) * size) as u32).collect()
    }

    fn weigh(&mut self, input: &InputStep, sources: &[(u32, u32)], to: u32) {
        let (cells, slots): (Vec<u32>, Vec<u32>) = sources.iter().copied().unzip();
        let from_size = input.from.size() as u32;
        let block = Move {
            weight: input.weight,
            slots: self.slots_of(&input.weight, &slots),
            negated: input.negated,
            count: sources.len() as u32,
            from: self.list(&cells, from_size),
            from_size,
            from_columns: input.from.columns,
            to,
            to_size: input.shape.size() as u32,
        };
        self.network.blocks.push(Block::Move(block));
    }

    /// Where many neurons share parts of their sums, these parts are summed once: the columns that differ are cut in
    /// two halves, and each half has far fewer different rows than there are neurons.
    pub(super) fn share_sums(&mut self, inputs: &mut Vec<Vec<u32>>) {
        let (same, differ): (Vec<_>, Vec<_>) =
            std::mem::take(inputs).into_iter().partition(|cells| is_same(cells));
        let count = differ.first().map_or(0, Vec::len);
        *inputs = same;
        if differ.len() < 3 || count < 64 {
            inputs.extend(differ);
            return;
        }
        let halves = [&differ[..differ.len().div_ceil(2)], &differ[differ.len().div_ceil(2)..]];
        let classes = halves.map(|half| {
            let columns: Vec<&[u32]> = half.iter().map(Vec::as_slice).collect();
            Classes::of(&columns, count)
        });
        let cost: usize =
            halves.iter().zip(&classes).map(|(half, classes)| half.len() * classes.first.len()).sum();
        if cost + 2 * count > differ.len() * count * 3 / 4 {
            inputs.extend(differ);
            return;
        }
        for (half, classes) in halves.iter().zip(&classes) {
            let to = self.allocate(classes.first.len(), 1);
            let rows =
                classes.first.iter().flat_map(|&row| half.iter().map(move |cells| cells[row as usize]));
            let at = self.indices(rows.collect::<Vec<_>>());
            let (count, width) = (classes.first.len() as u32, half.len() as u32);
            self.network.blocks.push(Block::Sums(Sums { count, width, at, to }));
            inputs.push(classes.class.iter().map(|class| to + class).collect());
        }
    }

    pub(super) fn gather(&mut self, inputs: &[Vec<u32>], count: usize) -> Gather {
        let mut same = Vec::new();
        let mut columns = Vec::new();
        for (at, cells) in inputs.iter().enumerate() {
            match cells.first() {
                Some(&cell) if is_same(cells) => same.push((at as u32, cell)),
                _ => columns.push(at as u32),
            }
        }
        let differ: Vec<&Vec<u32>> = columns.iter().map(|&at| &inputs[at as usize]).collect();
        let at = self.indices((0..count).flat_map(|neuron| differ.iter().map(move |cells| cells[neuron])));
        Gather { same, columns, at }
    }
}

fn is_same(cells: &[u32]) -> bool {
    cells.windows(2).all(|pair| pair[0] == pair[1])
}
