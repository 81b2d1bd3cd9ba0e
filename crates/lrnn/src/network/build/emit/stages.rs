//! Stages: what is large, in chunks of rows, and who reads which value.
//!
//! Forwards, every row is computed by itself. Backwards, many rows add to the gradient of one value: in a stage of sums
//! the value gathers it from its readers, in their order, so that no two threads ever add to one cell.

use super::Emitter;
use crate::network::build::classes::bounds;
use crate::network::program::{Block, NetworkStage, Readers, Slots, StageBackward, ValueSource, Weighing};

/// Number of cells of a chunk.
pub(crate) const CHUNK_CELLS: usize = 1 << 15;
/// Number of chunks that are worth it.
const FEWEST_CHUNKS: usize = 4;

impl Emitter<'_> {
    /// Returns how many rows of so many numbers are a chunk: all, where they are not many.
    pub(super) fn rows_of_chunk(&self, rows: usize, size: usize) -> usize {
        let (chunk, size) = (self.builder.chunk_cells, size.max(1));
        match rows * size < FEWEST_CHUNKS * chunk {
            true => rows.max(1),
            false => (chunk / size).max(1),
        }
    }

    /// Ends what began with this block: a stage, if it has several.
    pub(super) fn end_stage(&mut self, first: usize, backward: StageBackward) {
        let blocks = first..self.network.blocks.len();
        if blocks.len() > 1 {
            self.network.stages.push(NetworkStage { blocks, end: self.network.cells, backward });
        }
    }

    /// Ends a stage of moves or atoms.
    pub(super) fn end_weighings(&mut self, first: usize) {
        let are_apart = self.network.blocks.len() > first + 1 && self.are_apart(first);
        self.end_stage(first, if are_apart { StageBackward::Apart } else { StageBackward::InTurn });
    }

    /// Returns whether the values of each part lie behind those of the same part of the block before, and each weight is
    /// the same for all.
    fn are_apart(&self, first: usize) -> bool {
        let mut ends: Vec<u32> = Vec::new();
        self.network.blocks[first..].iter().all(|block| {
            let is_simple = match block {
                Block::Atoms(block) => block.ordered.is_none() && block.offsets.is_none(),
                block => matches!(block, Block::Move(_)),
            };
            let parts = block.parts();
            ends.resize(ends.len().max(parts.len()), 0);
            is_simple && parts.iter().zip(&mut ends).all(|(part, end)| self.lies_behind(part, end))
        })
    }

    fn lies_behind(&self, part: &Weighing, end: &mut u32) -> bool {
        let Some((low, high)) = self.network.extent(part) else {
            return matches!(part.from, ValueSource::Constants(_));
        };
        let is_behind = *end <= low;
        *end = high;
        is_behind && !matches!(part.slots, Slots::At(_))
    }

    /// Ends a stage of sums. Their inputs are these indices, and `reader` tells the cell of the sum that each enters.
    pub(super) fn end_sums(
        &mut self,
        first: usize,
        size: usize,
        inputs: std::ops::Range<usize>,
        reader: impl Fn(usize) -> u32,
    ) {
        if self.network.blocks.len() > first + 1 {
            let values = self.network.indices[inputs].to_vec();
            let cells: Vec<u32> = (0..values.len()).map(reader).collect();
            let readers = self.readers(&values, &cells, &[], size as u32);
            self.end_stage(first, StageBackward::Gathered(readers));
        }
    }

    /// Ends a stage of groups that are totals.
    pub(super) fn end_totals(&mut self, first: usize, size: usize) {
        if self.network.blocks.len() <= first + 1 {
            return;
        }
        let [mut values, mut cells, mut counts] = [(); 3].map(|()| self.space.buffers.take());
        let network = &self.network;
        let has_counts = network.blocks[first..].iter().any(|block| match block {
            Block::Groups(block) => block.counts.is_some(),
            _ => false,
        });
        for block in &network.blocks[first..] {
            let Block::Groups(block) = block else { continue };
            let ends = network.slice(block.ends, block.count as usize + 1);
            values.extend(network.each(block.entries, ends[block.count as usize]).map(|cell| cell as u32));
            for (group, pair) in ends.windows(2).enumerate() {
                let cell = block.x + (group * size) as u32;
                cells.extend((pair[0]..pair[1]).map(|_| cell));
            }
            match (network.counts(block), has_counts) {
                (Some(own), _) => counts.extend(own),
                (None, true) => counts.resize(values.len(), 1),
                (None, false) => {}
            }
        }
        let readers = self.readers(&values, &cells, &counts, size as u32);
        self.space.buffers.give_all([values, cells, counts]);
        self.end_stage(first, StageBackward::Gathered(readers));
    }

    /// Sorts the readers by the values they read; those of one value stay in their order.
    fn readers(&mut self, values: &[u32], cells: &[u32], counts: &[u32], size: u32) -> Readers {
        let (low, high) = bounds(values.iter().copied());
        let low = low.min(high);
        let step = if values.iter().all(|value| (value - low) % size == 0) { size } else { 1 };
        let place = |value: u32| ((value - low) / step) as usize;
        let mut next = self.space.buffers.repeated(0, place(high) + 2);
        values.iter().for_each(|&value| next[place(value) + 1] += 1);
        let mut read = self.space.buffers.take();
        read.extend(
            (0..=place(high) as u32).filter(|&at| next[at as usize + 1] > 0).map(|at| low + at * step),
        );
        let mut ends = self.space.buffers.filled([0]);
        for at in 1..next.len() {
            if next[at] > 0 {
                ends.push(ends[ends.len() - 1] + next[at]);
            }
            next[at] += next[at - 1];
        }
        let (ends_at, list) = (self.indices(ends.iter().copied()), self.list(&read, size));
        let [cells_at, counts_at] = [cells, counts].map(|numbers| {
            let at = self.network.indices.len();
            self.network.indices.resize(at + numbers.len(), 0);
            at
        });
        for (number, &value) in values.iter().enumerate() {
            let at = &mut next[place(value)];
            self.network.indices[cells_at + *at as usize] = cells[number];
            if let Some(&count) = counts.get(number) {
                self.network.indices[counts_at + *at as usize] = count;
            }
            *at += 1;
        }
        let readers = Readers {
            count: read.len() as u32,
            size,
            values: list,
            ends: ends_at,
            cells: cells_at as u32,
            counts: (!counts.is_empty()).then_some(counts_at as u32),
        };
        self.space.buffers.give_all([next, read, ends]);
        readers
    }
}
