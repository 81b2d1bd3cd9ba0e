//! Stages: the gradient of blocks that are chunks of something large, as many at once as there are threads.
//!
//! What comes before is split among the chunks, so that each adds to cells of its own: where values are weighed, those of
//! a chunk lie behind those of the chunk before; where they are summed, each value gathers what its readers have for it.
//! What the chunks have for one parameter is added in their order. So the bits are the same on any number of threads.

use std::ops::Range;

use lrnn_wide::Work;
use rayon::prelude::*;

use super::{BackwardPass, ForwardResult, Scratch};
use crate::function::{Activation, Aggregation, Real, Shape};
use crate::network::forward::slot;
use crate::network::kernel::{add, add_gathered, add_gradient, ask_ahead, total};
use crate::network::program::{Block, Network, NetworkStage, Readers, StageBackward, Weighing};
use crate::network::schedule::{ParameterPlace, Schedule};
use crate::threads::has_threads;

/// Number of cells that one task gathers, about.
const TASK_CELLS: u32 = 1 << 15;

/// A piece of a stage.
enum StageTask<'a, R> {
    /// Turns the gradient by a block's values into that by its sums; gives that by its offset, and by the inputs that are
    /// the same for all.
    Begin { block: &'a Block, own: &'a mut [R] },
    /// Goes from rows to weighed values; gives the gradient by the weight.
    Weigh { part: &'a Weighing, by_x: &'a [R], size: usize, before: &'a mut [R], base: usize },
    /// Gathers what the readers of some values have for them.
    Gather {
        readers: &'a Readers,
        values: Range<u32>,
        own: &'a [R],
        first: usize,
        before: &'a mut [R],
        base: usize,
    },
}

/// The offset and the inputs that the blocks of a stage have in common.
struct SharedPlaces {
    offset: Option<(u32, Shape)>,
    same: Vec<u32>,
}

impl<R: Real> BackwardPass<'_, R> {
    /// Goes through a stage; false where its blocks are better gone through one after the other.
    pub(super) fn stage(&mut self, stage: &NetworkStage, gradient: &mut [R]) -> bool {
        let blocks = &self.given.network.blocks[stage.blocks.clone()];
        let first = blocks[0].first();
        let (before, own) = gradient[..stage.end as usize].split_at_mut(first);
        match &stage.backward {
            StageBackward::InTurn => return false,
            StageBackward::Apart => {
                self.begin(stage, blocks, before, own);
                self.weigh_apart(blocks, first, before, own);
            }
            StageBackward::Gathered(readers) => {
                self.begin(stage, blocks, before, own);
                self.gather(readers, first, before, own);
            }
        }
        true
    }

    /// Runs tasks and gives their results in order.
    fn run<T: Send>(&mut self, tasks: Vec<StageTask<'_, R>>, result: impl Fn(Vec<R>) -> T + Sync) -> Vec<T> {
        let given = self.given;
        let run = |scratch: &mut Scratch<R>, task| result(R::work(StageChunk { given, task, scratch }));
        match has_threads() {
            true => tasks.into_par_iter().map_init(Scratch::default, run).collect(),
            false => tasks.into_iter().map(|task| run(self.scratch, task)).collect(),
        }
    }

    fn begin(&mut self, stage: &NetworkStage, blocks: &[Block], before: &mut [R], mut own: &mut [R]) {
        let mut tasks = Vec::with_capacity(blocks.len());
        for (at, block) in blocks.iter().enumerate() {
            let end = blocks.get(at + 1).map_or(stage.end as usize, Block::first);
            let (piece, rest) = own.split_at_mut(end - block.first());
            tasks.push(StageTask::Begin { block, own: piece });
            own = rest;
        }
        let shared = shared(self.given.schedule, &blocks[0]);
        for sums in self.run(tasks, |sums| sums) {
            let (by_offset, by_same) = sums.split_at(shared.offset.map_or(0, |(_, shape)| shape.size()));
            if let Some((place, _)) = shared.offset {
                add(by_offset, &mut self.by_parameters[place as usize..place as usize + by_offset.len()]);
            }
            for &cell in &shared.same {
                add(by_same, &mut before[cell as usize..cell as usize + by_same.len()]);
            }
        }
    }

    /// Goes through the parts of blocks, part by part.
    fn weigh_apart(&mut self, blocks: &[Block], first: usize, before: &mut [R], own: &[R]) {
        let most = blocks.iter().map(|block| block.parts().len()).max().unwrap_or(0);
        for number in 0..most {
            let (mut rest, mut base) = (&mut *before, 0);
            let (mut tasks, mut ranges) = (Vec::new(), Vec::new());
            for block in blocks {
                let Some(part) = block.parts().get(number) else { continue };
                let Some((low, high)) = self.given.network.extent(part) else { continue };
                let (low, high) = (low as usize, high as usize);
                let (_, behind) = std::mem::take(&mut rest).split_at_mut(low - base);
                let (before, behind) = behind.split_at_mut(high - low);
                (rest, base) = (behind, high);
                let size = self.size(block);
                let by_x = &own[block.first() - first..];
                ranges.push(parameters(self.given.network, part));
                tasks.push(StageTask::Weigh { part, by_x, size, before, base: low });
            }
            for (range, by_weight) in ranges.into_iter().zip(self.run(tasks, |by_weight| by_weight)) {
                add(&by_weight, &mut self.by_parameters[range]);
            }
        }
    }

    fn gather(&mut self, readers: &Readers, first: usize, before: &mut [R], own: &[R]) {
        let (mut rest, mut base) = (before, 0);
        let mut tasks = Vec::new();
        let step = (TASK_CELLS / readers.size).max(1);
        for start in (0..readers.count).step_by(step as usize) {
            let values = start..(start + step).min(readers.count);
            let low = self.given.network.at(readers.values, start) as usize;
            let high = (self.given.network.at(readers.values, values.end - 1) + readers.size) as usize;
            let (_, behind) = std::mem::take(&mut rest).split_at_mut(low - base);
            let (before, behind) = behind.split_at_mut(high - low);
            (rest, base) = (behind, high);
            tasks.push(StageTask::Gather { readers, values, own, first, before, base: low });
        }
        self.run(tasks, drop);
    }

    /// Returns how many numbers a value of a block has.
    fn size(&self, block: &Block) -> usize {
        match block {
            Block::Atoms(block) => self.given.schedule.atoms[block.predicate.index()].shape.size(),
            Block::Move(block) => block.weighing.size as usize,
            _ => 1,
        }
    }
}

/// Returns the places of a part's weight, which is the same for all of its values.
fn parameters(network: &Network, part: &Weighing) -> Range<usize> {
    if part.weight.place == ParameterPlace::One {
        return 0..0;
    }
    let place = slot(network, part.weight.place, part.slots, 0);
    place..place + part.weight.shape.size()
}

fn shared(schedule: &Schedule, block: &Block) -> SharedPlaces {
    let (offset, same) = match block {
        Block::Atoms(block) if !block.plain => (schedule.atoms[block.predicate.index()].offset, &[][..]),
        Block::Neurons(block) => (schedule.step(block.rule).offset, &block.gather.same[..]),
        _ => (None, &[][..]),
    };
    SharedPlaces { offset, same: same.iter().map(|&(_, cell)| cell).collect() }
}

struct StageChunk<'a, 's, R> {
    given: ForwardResult<'a, R>,
    task: StageTask<'a, R>,
    scratch: &'s mut Scratch<R>,
}

impl<R: Real> Work for StageChunk<'_, '_, R> {
    /// The gradient by parameters, and by cells that all share.
    type Output = Vec<R>;

    #[inline(always)]
    fn run(self) -> Vec<R> {
        let Self { given, task, scratch } = self;
        let mut sums = Vec::new();
        let range = match &task {
            StageTask::Weigh { part, .. } => parameters(given.network, part),
            StageTask::Begin { block, .. } => shared(given.schedule, block)
                .offset
                .map_or(0..0, |(place, shape)| place as usize..place as usize + shape.size()),
            StageTask::Gather { .. } => 0..0,
        };
        sums.resize(range.len(), R::ZERO);
        let (first_parameter, by_parameters) = (range.start, &mut sums[..]);
        let mut pass = BackwardPass { given, first_parameter, by_parameters, scratch };
        match task {
            StageTask::Begin { block, own } => {
                let by_same = pass.begin_block(block, own);
                sums.extend(by_same);
            }
            StageTask::Weigh { part, by_x, size, before, base } => pass.weigh(part, by_x, size, before, base),
            StageTask::Gather { readers, values, own, first, before, base } => {
                pass.gather_values(readers, values, own, first, before, base);
            }
        }
        sums
    }
}

impl<R: Real> BackwardPass<'_, R> {
    /// Turns the gradient by a block's values into that by its sums, and returns that by an input that is the same for all.
    #[inline(always)]
    fn begin_block(&mut self, block: &Block, own: &mut [R]) -> Vec<R> {
        let schedule = self.given.schedule;
        match block {
            Block::Atoms(block) => {
                let step = &schedule.atoms[block.predicate.index()];
                let (size, all) = (step.shape.size(), block.count as usize * step.shape.size());
                let activation = if block.plain { Activation::Identity } else { step.activation };
                self.deactivate(activation, block.x, block.y, all, size, own);
                if let (false, Some((place, shape))) = (block.plain, step.offset) {
                    self.offset(place, shape, size, &own[..all]);
                }
                Vec::new()
            }
            Block::Neurons(block) => {
                let (step, by_x) = self.begin_neurons(block, own);
                match (block.gather.same.is_empty(), step.shape.size()) {
                    (true, _) => Vec::new(),
                    (false, 1) => vec![total(by_x, |&by_x| by_x)],
                    (false, size) => {
                        let mut sum = vec![R::ZERO; size];
                        by_x.chunks_exact(size).for_each(|by_x| add_gradient(by_x, &mut sum));
                        sum
                    }
                }
            }
            Block::Groups(block) => {
                let step = schedule.step(block.rule);
                let size = step.shape.size();
                self.deactivate(step.of_groups(), block.x, block.y, block.count as usize * size, size, own);
                if step.aggregation == Aggregation::Mean {
                    for (group, by_x) in own.chunks_exact_mut(size).take(block.count as usize).enumerate() {
                        let total = R::from_f64(f64::from(self.given.network.total(block, group)));
                        by_x.iter_mut().for_each(|by_x| *by_x = *by_x / total);
                    }
                }
                Vec::new()
            }
            Block::Move(_) | Block::Sums(_) | Block::Enter(_) | Block::Settle(_) => Vec::new(),
        }
    }

    /// Adds to the gradients by some values, in cells from number `base` on, what their readers have for them, in cells
    /// from number `first` on.
    #[inline(always)]
    fn gather_values(
        &self,
        readers: &Readers,
        values: Range<u32>,
        own: &[R],
        first: usize,
        before: &mut [R],
        base: usize,
    ) {
        let (network, size) = (self.given.network, readers.size as usize);
        let ends = network.slice(readers.ends + values.start, values.len() + 1);
        let last = ends.last().map_or(0, |&end| end as usize);
        let all = network.slice(readers.cells, last);
        for (value, pair) in values.zip(ends.windows(2)) {
            let (start, count) = (pair[0], (pair[1] - pair[0]) as usize);
            let run = start as usize..start as usize + count;
            ask_ahead(all, run.clone(), own, first, size);
            let cells = &all[run];
            let counts = readers.counts.map(|at| network.slice(at + start, count));
            let to = network.at(readers.values, value) as usize - base;
            add_gathered(cells, counts, own, first, &mut before[to..to + size]);
        }
    }
}
