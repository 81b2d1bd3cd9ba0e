//! The inputs of rule neurons: weighed once each, and summed once where many neurons share a part.

use super::{Emitter, is_matrix};
use crate::network::build::classes::Classes;
use crate::network::program::{Block, Gather, List, Move, Sums, ValueSource, Weighing};
use crate::network::schedule::{InputStep, ParameterPlace, RuleStep};
use crate::template::RuleId;

impl Emitter<'_> {
    /// Returns, for each input, its cell for each neuron; inputs that are weighed or negated are moved first.
    pub(super) fn input_cells(&mut self, id: RuleId, step: &RuleStep, neurons: &[u32]) -> Vec<Vec<u32>> {
        let is_indexed = |input: &&InputStep| input.weight.place == ParameterPlace::Slots;
        let width = step.inputs.len() + step.inputs.iter().filter(is_indexed).count();
        let mut slots = 0;
        let mut all = Vec::new();
        for (at, input) in step.inputs.iter().enumerate() {
            let slot_at = step.inputs.len() + slots;
            let is_indexed = input.weight.place == ParameterPlace::Slots;
            slots += usize::from(is_indexed);
            let mut plain = self.builder.buffers.take();
            let words = self.builder.rules[id.index()].neurons.words();
            let word = |neuron: u32, place: usize| words[neuron as usize * width + place];
            let atoms = &self.atom_cell[input.predicate.index()];
            let cells = neurons.iter().map(|&neuron| atoms[word(neuron, at) as usize]);
            if input.is_plain() {
                plain.extend(cells);
                all.push(plain);
                continue;
            }
            let slots = neurons.iter().map(|&neuron| if is_indexed { word(neuron, slot_at) } else { 0 });
            let sources: Vec<(u32, u32)> = cells.zip(slots).collect();
            self.moved(input, &sources, &mut plain);
            all.push(plain);
        }
        all
    }

    /// Weighs each different source once; writes the new cell of each.
    fn moved(&mut self, input: &InputStep, sources: &[(u32, u32)], cells: &mut Vec<u32>) {
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
            let block = self.network.blocks.len();
            for chunk in part.chunks(self.rows_of_chunk(part.len(), size)) {
                self.weigh(input, chunk, first);
                first += (chunk.len() * size) as u32;
            }
            self.end_weighings(block);
        }
        let place = |source| different.binary_search_by_key(&order(source), order).unwrap_or(0);
        cells.extend(sources.iter().map(|source| to + (place(source) * size) as u32));
    }

    fn weigh(&mut self, input: &InputStep, sources: &[(u32, u32)], to: u32) {
        let (cells, slots): (Vec<u32>, Vec<u32>) = sources.iter().copied().unzip();
        let from_size = input.from.size() as u32;
        let weighing = Weighing {
            weight: input.weight,
            slots: self.slots_of(&input.weight, &slots),
            negated: input.negated,
            count: sources.len() as u32,
            from: ValueSource::Cells(self.list(&cells, from_size)),
            from_size,
            from_columns: input.from.columns,
            size: input.shape.size() as u32,
            columns: input.shape.columns,
            row: List::Run(0, 1),
        };
        self.network.blocks.push(Block::Move(Move { weighing, to }));
    }

    /// Returns the inputs of neurons, ready to be gathered.
    pub(super) fn gather(&mut self, step: &RuleStep, inputs: Vec<Vec<u32>>, count: usize) -> Gather {
        let mut columns: Vec<(u32, Vec<u32>)> = (0..).zip(inputs).collect();
        // How many are added one after the other, and so may be the same for all and added before.
        let mut single = columns.len();
        if step.combination.is_sum() {
            columns.sort_by_key(|(input, _)| step.order.iter().position(|at| at == input));
            if step.sums_numbers() && columns.len() as u32 > step.given + 2 {
                single = step.given as usize;
                if self.builder.options.merge && self.share_sums(&mut columns, single, count) {
                    single = columns.len();
                }
            }
        }
        let is_sum = step.combination.is_sum();
        let leading = columns[..single].iter().take_while(|(_, cells)| is_same(cells)).count();
        let (same, differ): (Vec<_>, Vec<_>) = columns
            .into_iter()
            .enumerate()
            .partition(|(at, (_, cells))| if is_sum { *at < leading } else { is_same(cells) });
        let firsts: Vec<(u32, u32)> =
            same.iter().filter_map(|(_, (input, cells))| Some((*input, *cells.first()?))).collect();
        let columns = differ.iter().map(|(_, (input, _))| *input).collect();
        let at = self.interleaved(differ.iter().map(|(_, (_, cells))| cells.iter().copied()), count);
        self.builder.buffers.give_all(same.into_iter().chain(differ).map(|(_, (_, cells))| cells));
        Gather { single: (single - firsts.len().min(single)) as u32, same: firsts, columns, at }
    }

    /// Puts columns among the indices, row by row; where they begin.
    fn interleaved<C: Iterator<Item = u32>>(
        &mut self,
        columns: impl ExactSizeIterator<Item = C>,
        rows: usize,
    ) -> u32 {
        let (at, width) = (self.network.indices.len(), columns.len());
        self.network.indices.resize(at + rows * width, 0);
        for (place, column) in columns.enumerate() {
            let places = self.network.indices[at..].iter_mut().skip(place).step_by(width);
            places.zip(column).for_each(|(place, number)| *place = number);
        }
        at as u32
    }

    /// Sums each different half once, where many neurons share halves of their sums: there are far fewer of them
    /// than there are neurons. Gives whether it was worth it.
    fn share_sums(&mut self, columns: &mut Vec<(u32, Vec<u32>)>, single: usize, count: usize) -> bool {
        let summed = &columns[single..];
        if count < 64 {
            return false;
        }
        let halves = summed.split_at(summed.len().div_ceil(2));
        let classes = <[_; 2]>::from(halves).map(|half| {
            let columns: Vec<&[u32]> = half.iter().map(|(_, cells)| cells.as_slice()).collect();
            Classes::of(&columns, count, &mut self.builder.buffers)
        });
        let cost: usize = (<[_; 2]>::from(halves).iter().zip(&classes))
            .map(|(half, classes)| half.len() * classes.first.len())
            .sum();
        if cost + 2 * count > summed.len() * count * 3 / 4 {
            return false;
        }
        let halves = columns.split_off(single);
        let halves = halves.split_at(halves.len().div_ceil(2));
        for (half, classes) in <[_; 2]>::from(halves).iter().zip(&classes) {
            let to = self.allocate(classes.first.len(), 1);
            let firsts = half.iter().map(|(_, cells)| classes.first.iter().map(|&row| cells[row as usize]));
            let at = self.interleaved(firsts, classes.first.len());
            self.emit_sums(classes.first.len(), half.len() as u32, at, to);
            columns.push((u32::MAX, classes.class.iter().map(|class| to + class).collect()));
        }
        true
    }
}

impl Emitter<'_> {
    fn emit_sums(&mut self, count: usize, width: u32, at: u32, to: u32) {
        let first = self.network.blocks.len();
        let rows = self.rows_of_chunk(count, 1);
        for start in (0..count).step_by(rows) {
            let (count, start) = (rows.min(count - start) as u32, start as u32);
            let (at, to) = (at + start * width, to + start);
            self.network.blocks.push(Block::Sums(Sums { count, width, at, to }));
        }
        let inputs = at as usize..at as usize + count * width as usize;
        self.end_sums(first, 1, inputs, |input| to + (input as u32 / width));
    }
}

fn is_same(cells: &[u32]) -> bool {
    !cells.is_empty() && cells.windows(2).all(|pair| pair[0] == pair[1])
}
