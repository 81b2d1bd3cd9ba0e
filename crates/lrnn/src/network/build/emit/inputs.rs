//! The inputs of rule neurons: weighed once each, and summed once where many neurons share a part.

use super::pairing::HalfGrid;
use super::{Emitter, is_matrix};
use crate::network::build::classes::Classes;
use crate::network::program::{Block, Gather, List, Move, SumPairs, Sums, ValueSource, Weighing};
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
            let mut plain = self.space.buffers.take();
            let words = self.space.rules[id.index()].neurons.keys.words();
            let word = |neuron: u32, place: usize| words[neuron as usize * width + place];
            let atoms = &self.space.atoms[input.predicate.index()].cells;
            let cells = neurons.iter().map(|&neuron| atoms[word(neuron, at) as usize]);
            if input.is_plain() {
                plain.extend(cells);
            } else {
                let slots = neurons.iter().map(|&neuron| if is_indexed { word(neuron, slot_at) } else { 0 });
                let sources: Vec<(u32, u32)> = cells.zip(slots).collect();
                self.moved(input, &sources, &mut plain);
            }
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

    /// Returns the inputs of neurons, ready to be gathered. Where groups of so many rows are all that needs them, these may
    /// be pairs.
    pub(super) fn gather(
        &mut self,
        step: &RuleStep,
        inputs: Vec<Vec<u32>>,
        count: usize,
        rows: Option<usize>,
    ) -> Gather {
        let mut pairs = None;
        let mut columns: Vec<(u32, Vec<u32>)> = (0..).zip(inputs).collect();
        // How many are added one after the other, and so may be the same for all and added before.
        let mut single = columns.len();
        if step.combination.is_sum() {
            columns.sort_by_key(|(input, _)| step.order.iter().position(|at| at == input));
            if step.sums_numbers() && columns.len() as u32 > step.given + 2 {
                single = step.given as usize;
                if self.builder.options.merge
                    && let Some(halves) = self.shared_halves(&columns, single, count)
                {
                    let halved = columns.split_off(single);
                    let are_same = columns.iter().all(|(_, cells)| is_same(cells));
                    let grids = rows.filter(|_| are_same).and_then(|rows| HalfGrid::of_both(&halves, rows));
                    match grids {
                        Some(grids) => pairs = Some(self.pair_sums(&halved, &halves, &grids)),
                        None => columns.extend(self.share_sums(&halved, &halves)),
                    }
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
        self.space.buffers.give_all(same.into_iter().chain(differ).map(|(_, (_, cells))| cells));
        Gather { single: (single - firsts.len().min(single)) as u32, same: firsts, columns, at, pairs }
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

    /// Returns which neurons have equal halves of their sums behind the first columns, where there are far fewer halves than
    /// neurons.
    fn shared_halves(
        &mut self,
        columns: &[(u32, Vec<u32>)],
        single: usize,
        count: usize,
    ) -> Option<[Classes; 2]> {
        let summed = &columns[single..];
        if count < 64 {
            return None;
        }
        let halves = <[_; 2]>::from(in_halves(summed));
        let classes = halves.map(|half| {
            let columns: Vec<&[u32]> = half.iter().map(|(_, cells)| cells.as_slice()).collect();
            Classes::of(&columns, count, &mut self.space.buffers)
        });
        let cost: usize =
            halves.iter().zip(&classes).map(|(half, classes)| half.len() * classes.first.len()).sum();
        (cost + 2 * count <= summed.len() * count * 3 / 4).then_some(classes)
    }

    /// Sums each different half once, and returns the cells of both halves of each neuron.
    fn share_sums(&mut self, summed: &[(u32, Vec<u32>)], halves: &[Classes; 2]) -> [(u32, Vec<u32>); 2] {
        let (left, right) = in_halves(summed);
        [(left, &halves[0]), (right, &halves[1])].map(|(half, classes)| {
            let to = self.sum_half(half, &classes.first.iter().copied());
            (u32::MAX, classes.class.iter().map(|class| to + class).collect())
        })
    }

    /// Sums each different half once, those of a part one after the other.
    fn pair_sums(
        &mut self,
        summed: &[(u32, Vec<u32>)],
        halves: &[Classes; 2],
        grids: &[HalfGrid; 2],
    ) -> SumPairs {
        let both = <[_; 2]>::from(in_halves(summed));
        let [left, right] = [0, 1].map(|half| {
            let order = grids[half].classes.iter().map(|&class| halves[half].first[class as usize]);
            self.sum_half(both[half], &order)
        });
        let [one, other] = grids;
        let first = |to: u32, grid: &HalfGrid, row: usize| to + grid.parts[row] * grid.size as u32;
        let rows = one.parts.len();
        let parts = self.indices((0..rows).flat_map(|row| [first(left, one, row), first(right, other, row)]));
        let numbers = one.numbers.iter().zip(&other.numbers);
        let numbers = self.indices(numbers.flat_map(|(&one, &other)| [one, other]));
        SumPairs { sizes: [one.size as u32, other.size as u32], rows: rows as u32, parts, numbers }
    }

    /// Sums these rows of the columns of a half, and returns the first of their cells.
    fn sum_half(
        &mut self,
        half: &[(u32, Vec<u32>)],
        rows: &(impl ExactSizeIterator<Item = u32> + Clone),
    ) -> u32 {
        let count = rows.len();
        let to = self.allocate(count, 1);
        let columns = half.iter().map(|(_, cells)| rows.clone().map(|row| cells[row as usize]));
        let at = self.interleaved(columns, count);
        self.emit_sums(count, half.len() as u32, at, to);
        to
    }

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

/// Returns the two halves of some columns, the first at least as long as the second.
fn in_halves<T>(columns: &[T]) -> (&[T], &[T]) {
    columns.split_at(columns.len().div_ceil(2))
}

fn is_same(cells: &[u32]) -> bool {
    !cells.is_empty() && cells.windows(2).all(|pair| pair[0] == pair[1])
}
