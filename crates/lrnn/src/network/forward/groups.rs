//! Groups: the neurons with one head, aggregated.

use super::{ForwardPass, Scratch, activate};
use crate::function::{Aggregation, Real};
use crate::network::kernel::{LANES, add, add_gathered, add_scaled, ask_ahead, counted_total, total};
use crate::network::program::{Groups, List, SumPairs};

impl<R: Real> ForwardPass<'_, R> {
    #[inline(always)]
    pub(super) fn groups(
        &self,
        block: &Groups,
        before: &[R],
        own: &mut [R],
        choices: &mut [u32],
        scratch: &mut Scratch<R>,
    ) {
        let step = self.schedule.step(block.rule);
        let (size, count) = (step.shape.size(), block.count as usize);
        let (x, after) = own.split_at_mut(count * size);
        let choices = &mut choices[..count * size];
        let ends = self.network.slice(block.ends, count + 1);
        let is_max = step.aggregation == Aggregation::Max;
        match (&block.fused, step.aggregation) {
            (Some(gather), _) => {
                let base = self.base(step, gather, before);
                let cells = (base, before);
                match (gather.pairs, is_max) {
                    (Some(pairs), true) => self.best_of_pairs(pairs, R::gt, cells, scratch, x, choices),
                    (Some(pairs), false) => self.best_of_pairs(pairs, R::lt, cells, scratch, x, choices),
                    (None, _) => {
                        scratch.values.resize(ends[count] as usize, R::ZERO);
                        self.sums(gather, before, base, &mut scratch.values);
                        best_of_runs(&scratch.values, is_max, ends, x, choices);
                    }
                }
            }
            (None, Aggregation::Max | Aggregation::Min) => self.best(block, size, is_max, before, x, choices),
            (None, Aggregation::Sum | Aggregation::Mean | Aggregation::Count) => {
                self.total(block, size, step.aggregation, before, x);
            }
            (None, Aggregation::Product | Aggregation::Softmax) => {
                for (at, x) in x.chunks_exact_mut(size).enumerate() {
                    let rows = self.network.rows(block, at).map(|cell| &before[cell..cell + size]);
                    step.aggregation.apply(rows, x);
                }
            }
        }
        activate(step.of_groups(), size, block.x != block.y, x, after);
    }

    /// Finds the best neuron of each group, all groups of a row at a time, the longer parts in lanes; the first of equal
    /// ones. A neuron is the base and its left sum, and then its right one.
    #[inline(always)]
    fn best_of_pairs(
        &self,
        pairs: SumPairs,
        is_better: impl Fn(&R, &R) -> bool,
        (base, cells): (R, &[R]),
        scratch: &mut Scratch<R>,
        x: &mut [R],
        choices: &mut [u32],
    ) {
        let [left_size, right_size] = pairs.sizes.map(|size| size as usize);
        let is_left_longer = left_size >= right_size;
        let long = left_size.max(right_size);
        let Scratch { values: best, sums: left, chosen, .. } = scratch;
        best.resize(left_size * right_size, R::ZERO);
        chosen.clear();
        chosen.resize(left_size * right_size, 0);
        let rows = self.network.slice(pairs.parts, 2 * pairs.rows as usize).as_chunks::<2>().0;
        for (row, &[left_at, right_at]) in (0..).zip(rows) {
            left.clear();
            left.extend(cells[left_at as usize..][..left_size].iter().map(|&sum| base + sum));
            let right = &cells[right_at as usize..][..right_size];
            let (inner, outer) = if is_left_longer { (&left[..], right) } else { (right, &left[..]) };
            let grid = best.chunks_exact_mut(long).zip(chosen.chunks_exact_mut(long));
            for ((best, chosen), &sum) in grid.zip(outer) {
                for ((best, chosen), &inner) in best.iter_mut().zip(chosen).zip(inner) {
                    let next = inner + sum;
                    let takes = row == 0 || is_better(&next, best);
                    *best = if takes { next } else { *best };
                    *chosen = if takes { row } else { *chosen };
                }
            }
        }
        let numbers = self.network.slice(pairs.numbers, 2 * x.len()).as_chunks::<2>().0;
        for ((x, choice), &[left, right]) in x.iter_mut().zip(choices).zip(numbers) {
            let (inner, outer) = if is_left_longer { (left, right) } else { (right, left) };
            let place = outer as usize * long + inner as usize;
            (*x, *choice) = (best[place], chosen[place]);
        }
    }

    #[inline(always)]
    fn best(&self, block: &Groups, size: usize, is_max: bool, cells: &[R], x: &mut [R], choices: &mut [u32]) {
        let ends = self.network.slice(block.ends, block.count as usize + 1);
        for (group, pair) in ends.windows(2).enumerate() {
            let range = group * size..(group + 1) * size;
            let (x, choices) = (&mut x[range.clone()], &mut choices[range]);
            for entry in pair[0]..pair[1] {
                let cell = self.network.at(block.entries, entry) as usize;
                for (at, &value) in cells[cell..cell + size].iter().enumerate() {
                    let better = if is_max { x[at] < value } else { x[at] > value };
                    if entry == pair[0] || value.beats(x[at], better) {
                        x[at] = value;
                        choices[at] = entry;
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn total(&self, block: &Groups, size: usize, aggregation: Aggregation, cells: &[R], x: &mut [R]) {
        match (size, block.entries) {
            (1, List::Run(first, _)) => self.totals_of(block, &cells[first as usize..], |&value| value, x),
            (1, List::At(start)) => {
                let entries = &self.network.indices[start as usize..];
                self.totals_of(block, entries, |&cell| cells[cell as usize], x);
            }
            _ => self.totals(block, size, cells, x),
        }
        for (group, x) in x.chunks_exact_mut(size).enumerate() {
            let total = R::from_f64(f64::from(self.network.total(block, group)));
            match aggregation {
                Aggregation::Count => x.fill(total),
                Aggregation::Mean => x.iter_mut().for_each(|x| *x = *x / total),
                _ => {}
            }
        }
    }

    /// Sums the values of the entries of each group, where they are numbers.
    #[inline(always)]
    fn totals_of<T>(&self, block: &Groups, entries: &[T], value: impl Fn(&T) -> R + Copy, x: &mut [R]) {
        let ends = self.network.slice(block.ends, block.count as usize + 1);
        let counts = self.network.counts(block);
        for (x, pair) in x.iter_mut().zip(ends.windows(2)) {
            let run = pair[0] as usize..pair[1] as usize;
            *x = match counts {
                Some(counts) => counted_total(&entries[run.clone()], &counts[run], value),
                None => total(&entries[run], value),
            };
        }
    }

    /// Sums the entries of each group, wherever they lie.
    #[inline(always)]
    fn totals(&self, block: &Groups, size: usize, cells: &[R], x: &mut [R]) {
        let ends = self.network.slice(block.ends, block.count as usize + 1);
        let counts = self.network.counts(block);
        for (x, pair) in x.chunks_exact_mut(size).zip(ends.windows(2)) {
            x.fill(R::ZERO);
            let run = pair[0] as usize..pair[1] as usize;
            let counts = counts.map(|counts| &counts[run.clone()]);
            if let List::At(start) = block.entries {
                let entries = self.network.slice(start, ends[block.count as usize] as usize);
                ask_ahead(entries, run.clone(), cells, 0, size);
                add_gathered(&entries[run], counts, cells, 0, x);
                continue;
            }
            for (at, entry) in (pair[0]..pair[1]).enumerate() {
                let cell = self.network.at(block.entries, entry) as usize;
                let value = &cells[cell..cell + size];
                match counts.map_or(1, |counts| counts[at]) {
                    1 => add(value, x),
                    count => add_scaled(R::from_f64(f64::from(count)), value, x),
                }
            }
        }
    }
}

/// Finds the best of each run of values, and its place among all; the first of equal ones.
#[inline(always)]
fn best_of_runs<R: Real>(values: &[R], is_max: bool, ends: &[u32], x: &mut [R], choices: &mut [u32]) {
    for ((pair, x), choice) in ends.windows(2).zip(x).zip(choices) {
        let run = &values[pair[0] as usize..pair[1] as usize];
        // What is not a number stays in the cells it came from, and is found there.
        *x = match is_max {
            true => best(run, |best, next| if next > best { next } else { best }),
            false => best(run, |best, next| if next < best { next } else { best }),
        };
        *choice = pair[0] + run.iter().position(|value| value == x).unwrap_or(0) as u32;
    }
}

/// Returns the best of a run, in lanes: it does not matter in which order they are compared.
#[inline(always)]
fn best<R: Real>(run: &[R], better: impl Fn(R, R) -> R) -> R {
    let (chunks, rest) = run.as_chunks::<LANES>();
    let Some(&first) = run.first() else { return R::ZERO };
    let mut lanes = [first; LANES];
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, &next)| *lane = better(*lane, next));
    }
    let best = lanes.into_iter().fold(first, &better);
    rest.iter().fold(best, |best, &next| better(best, next))
}
