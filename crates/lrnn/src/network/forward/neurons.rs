//! Rule neurons, and the sums that they share.

use super::{ForwardPass, Scratch, activate};
use crate::function::Real;
use crate::network::kernel::add;
use crate::network::program::{Gather, Neurons, Sums};
use crate::network::schedule::RuleStep;

impl<R: Real> ForwardPass<'_, R> {
    #[inline(always)]
    pub(super) fn shared_sums(&self, block: &Sums, before: &[R], own: &mut [R]) {
        let (count, width) = (block.count as usize, block.width as usize);
        let (indices, own) = (self.network.slice(block.at, count * width), &mut own[..count]);
        match width {
            1 => by_rows(indices, own, |row: &[u32; 1]| of_half(row, before)),
            2 => by_rows(indices, own, |row: &[u32; 2]| of_half(row, before)),
            3 => by_rows(indices, own, |row: &[u32; 3]| of_half(row, before)),
            4 => by_rows(indices, own, |row: &[u32; 4]| of_half(row, before)),
            _ => {
                for (x, row) in own.iter_mut().zip(indices.chunks_exact(width)) {
                    *x = of_half(row, before);
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn neurons(&self, block: &Neurons, before: &[R], own: &mut [R], scratch: &mut Scratch<R>) {
        let step = self.schedule.step(block.rule);
        let (size, count) = (step.shape.size(), block.count as usize);
        let (x, after) = own.split_at_mut(count * size);
        if !step.combination.is_sum() {
            self.combine(block, step, before, x);
        } else if step.shape.is_number() {
            let base = self.base(step, &block.gather, before);
            self.sums(&block.gather, before, base, x);
        } else {
            self.vector_sums(block, step, before, x, &mut scratch.sums);
        }
        activate(step.of_neurons(), size, block.x != block.y, x, after);
    }

    /// Returns what all neurons of a sum of numbers share: −k, b0, and the inputs that are the same for all.
    #[inline(always)]
    pub(super) fn base(&self, step: &RuleStep, gather: &Gather, cells: &[R]) -> R {
        let mut base = R::from_f64(step.constant);
        if let Some((place, _)) = step.offset {
            base += self.parameters[place as usize];
        }
        gather.same.iter().for_each(|&(_, cell)| base += cells[cell as usize]);
        base
    }

    /// `x[i] = base + Σ inputs`, for numbers.
    #[inline(always)]
    pub(super) fn sums(&self, gather: &Gather, cells: &[R], base: R, x: &mut [R]) {
        let (width, single) = (gather.columns.len(), gather.single as usize);
        let indices = self.network.slice(gather.at, width * x.len());
        match (single, width) {
            (_, 0) => x.fill(base),
            (1, 1) => by_rows(indices, x, |row: &[u32; 1]| sum(row, 1, cells, base)),
            (2, 2) => by_rows(indices, x, |row: &[u32; 2]| sum(row, 2, cells, base)),
            (3, 3) => by_rows(indices, x, |row: &[u32; 3]| sum(row, 3, cells, base)),
            (4, 4) => by_rows(indices, x, |row: &[u32; 4]| sum(row, 4, cells, base)),
            (0, 3) => by_rows(indices, x, |row: &[u32; 3]| sum(row, 0, cells, base)),
            (0, 4) => by_rows(indices, x, |row: &[u32; 4]| sum(row, 0, cells, base)),
            (0, 5) => by_rows(indices, x, |row: &[u32; 5]| sum(row, 0, cells, base)),
            (0, 6) => by_rows(indices, x, |row: &[u32; 6]| sum(row, 0, cells, base)),
            (0, 7) => by_rows(indices, x, |row: &[u32; 7]| sum(row, 0, cells, base)),
            (0, 8) => by_rows(indices, x, |row: &[u32; 8]| sum(row, 0, cells, base)),
            _ => {
                for (x, row) in x.iter_mut().zip(indices.chunks_exact(width)) {
                    *x = sum(row, single, cells, base);
                }
            }
        }
    }

    #[inline(always)]
    fn vector_sums(&self, block: &Neurons, step: &RuleStep, cells: &[R], x: &mut [R], base: &mut Vec<R>) {
        let size = step.shape.size();
        let input = |input: u32, cell: u32| {
            let from = cell as usize;
            &cells[from..from + step.inputs[input as usize].shape.size()]
        };
        base.clear();
        base.resize(size, R::from_f64(step.constant));
        if let Some((place, shape)) = step.offset {
            add(self.numbers(place, shape), base);
        }
        block.gather.same.iter().for_each(|&(at, cell)| add(input(at, cell), base));
        let width = block.gather.columns.len();
        let indices = self.network.slice(block.gather.at, width * block.count as usize);
        for (at, x) in x.chunks_exact_mut(size).enumerate() {
            x.copy_from_slice(base);
            for (&column, &cell) in block.gather.columns.iter().zip(&indices[at * width..]) {
                add(input(column, cell), x);
            }
        }
    }

    /// Combines in any other way, neuron by neuron.
    fn combine(&self, block: &Neurons, step: &RuleStep, cells: &[R], x: &mut [R]) {
        let size = step.shape.size();
        for (at, x) in x.chunks_exact_mut(size).enumerate() {
            let inputs = self.network.views(&block.gather, step, at, cells);
            x.fill(R::ZERO);
            if let Some((value, _)) = step.combination.apply(&inputs) {
                add(&value, x);
            }
            let constant = R::from_f64(step.constant);
            x.iter_mut().for_each(|x| *x += constant);
            if let Some((place, shape)) = step.offset {
                add(self.numbers(place, shape), x);
            }
        }
    }
}

/// Computes a number for each row, four of them in a turn of the loop.
#[inline(always)]
fn by_rows<R: Real, const WIDTH: usize>(indices: &[u32], x: &mut [R], number: impl Fn(&[u32; WIDTH]) -> R) {
    let (fours, rest) = indices.as_chunks::<WIDTH>().0.as_chunks::<4>();
    let (x_fours, x_rest) = x.as_chunks_mut::<4>();
    for (x, rows) in x_fours.iter_mut().zip(fours) {
        *x = [number(&rows[0]), number(&rows[1]), number(&rows[2]), number(&rows[3])];
    }
    for (x, row) in x_rest.iter_mut().zip(rest) {
        *x = number(row);
    }
}

/// So many cells one after the other, then the other cells in two halves.
#[inline(always)]
fn sum<R: Real>(row: &[u32], single: usize, cells: &[R], base: R) -> R {
    let (single, halved) = row.split_at(single);
    let base = single.iter().fold(base, |sum, &cell| sum + cells[cell as usize]);
    match halved {
        [] => base,
        _ => {
            let (first, second) = halved.split_at(halved.len().div_ceil(2));
            base + of_half(first, cells) + of_half(second, cells)
        }
    }
}

/// Returns the sum of some cells, of which there is at least one.
#[inline(always)]
fn of_half<R: Real>(row: &[u32], cells: &[R]) -> R {
    let [first, rest @ ..] = row else { return R::ZERO };
    rest.iter().fold(cells[*first as usize], |sum, &cell| sum + cells[cell as usize])
}
