//! Rule neurons, and the sums that they share.

use super::BackwardPass;
use crate::function::{Combiner, Real, View};
use crate::network::kernel::{add, add_gradient, total};
use crate::network::program::{Gather, Neurons, Sums};
use crate::network::schedule::RuleStep;

impl<'a, R: Real> BackwardPass<'a, R> {
    #[inline(always)]
    pub(super) fn neurons(&mut self, block: &Neurons, gradient: &mut [R]) {
        let (before, own) = gradient.split_at_mut(block.x as usize);
        let (step, by_x) = self.begin_neurons(block, own);
        if !step.combination.is_sum() {
            self.combine(block, step, by_x, before);
        } else if step.shape.is_number() {
            self.sums(&block.gather, by_x, before);
        } else {
            self.vector_sums(block, step, by_x, before);
        }
    }

    /// Turns the gradient by neurons into that by their sums, and gives that by their offset.
    #[inline(always)]
    pub(super) fn begin_neurons<'o>(&mut self, block: &Neurons, own: &'o mut [R]) -> (&'a RuleStep, &'o [R]) {
        let step = self.given.schedule.step(block.rule);
        let (size, count) = (step.shape.size(), block.count as usize);
        self.deactivate(step.of_neurons(), block.x, block.y, count * size, size, own);
        let by_x = &own[..count * size];
        if let Some((place, shape)) = step.offset {
            self.offset(place, shape, size, by_x);
        }
        (step, by_x)
    }

    #[inline(always)]
    pub(super) fn shared_sums(&self, block: &Sums, gradient: &mut [R]) {
        let (before, own) = gradient.split_at_mut(block.to as usize);
        let indices = self.given.network.slice(block.at, (block.count * block.width) as usize);
        spread_sums(indices, block.width as usize, &own[..block.count as usize], before);
    }

    #[inline(always)]
    fn sums(&self, gather: &Gather, by_x: &[R], before: &mut [R]) {
        let width = gather.columns.len();
        spread_sums(self.given.network.slice(gather.at, width * by_x.len()), width, by_x, before);
        if !gather.same.is_empty() {
            let total = total(by_x, |&by_x| by_x);
            gather.same.iter().for_each(|&(_, cell)| before[cell as usize] += total);
        }
    }

    #[inline(always)]
    fn vector_sums(&self, block: &Neurons, step: &RuleStep, by_x: &[R], before: &mut [R]) {
        let size = step.shape.size();
        let width = block.gather.columns.len();
        let indices = self.given.network.slice(block.gather.at, width * block.count as usize);
        for (at, by_x) in by_x.chunks_exact(size).enumerate() {
            let differ = block.gather.columns.iter().copied().zip(indices[at * width..].iter().copied());
            for (input, cell) in differ.take(width).chain(block.gather.same.iter().copied()) {
                let input_size = step.inputs[input as usize].shape.size();
                add_gradient(by_x, &mut before[cell as usize..cell as usize + input_size]);
            }
        }
    }

    fn combine(&self, block: &Neurons, step: &RuleStep, by_x: &[R], before: &mut [R]) {
        for (at, by_x) in by_x.chunks_exact(step.shape.size()).enumerate() {
            let inputs = self.given.network.views(&block.gather, step, at, self.given.cells);
            let Some(by_inputs) =
                step.combination.backward(&inputs, &by_combined(&step.combination, &inputs, by_x))
            else {
                continue;
            };
            for (input, by_input) in by_inputs.iter().enumerate() {
                let cell = self.given.network.input_cell(&block.gather, at, input) as usize;
                add(by_input, &mut before[cell..cell + by_input.len()]);
            }
        }
    }
}

/// Returns the gradient by a combination's result, from that by the sum of it and an offset, which may be larger.
pub(super) fn by_combined<R: Real>(combination: &Combiner, inputs: &[View<'_, R>], by_x: &[R]) -> Vec<R> {
    let shapes: Vec<_> = inputs.iter().map(|(_, shape)| *shape).collect();
    let size = combination.shape(&shapes).map_or(by_x.len(), |shape| shape.size());
    let mut by_result = vec![R::ZERO; size];
    add_gradient(by_x, &mut by_result);
    by_result
}

/// Adds the gradient by each sum to those by its cells.
#[inline(always)]
fn spread_sums<R: Real>(indices: &[u32], width: usize, by_x: &[R], before: &mut [R]) {
    match width {
        0 => {}
        1 => spread_sums_of::<R, 1>(indices, by_x, before),
        2 => spread_sums_of::<R, 2>(indices, by_x, before),
        3 => spread_sums_of::<R, 3>(indices, by_x, before),
        _ => {
            for (&by_x, row) in by_x.iter().zip(indices.chunks_exact(width)) {
                row.iter().for_each(|&cell| before[cell as usize] += by_x);
            }
        }
    }
}

/// In four streams from places far apart: neighbours often have a cell in common, and what is added to a cell must
/// wait for what was added just before.
#[inline(always)]
fn spread_sums_of<R: Real, const WIDTH: usize>(indices: &[u32], by_x: &[R], before: &mut [R]) {
    let rows = indices.as_chunks::<WIDTH>().0;
    let quarter = rows.len() / 4;
    let streams: [_; 4] = std::array::from_fn(|stream| {
        let range = stream * quarter..(stream + 1) * quarter;
        (&rows[range.clone()], &by_x[range])
    });
    for at in 0..quarter {
        for (rows, by_x) in streams {
            spread(&rows[at], by_x[at], before);
        }
    }
    for (row, &by_x) in rows.iter().zip(by_x).skip(4 * quarter) {
        spread(row, by_x, before);
    }
}

#[inline(always)]
fn spread<R: Real, const WIDTH: usize>(row: &[u32; WIDTH], by_sum: R, before: &mut [R]) {
    for &cell in row {
        before[cell as usize] += by_sum;
    }
}
