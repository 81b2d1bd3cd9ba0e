//! Groups: the gradient goes to the neurons that were aggregated.

use super::BackwardPass;
use crate::function::{Aggregation, Real};
use crate::network::kernel::{add, add_scaled, times};
use crate::network::program::{Gather, Groups, List};
use crate::network::schedule::RuleStep;

impl<R: Real> BackwardPass<'_, R> {
    #[inline(always)]
    pub(super) fn groups(&mut self, block: &Groups, gradient: &mut [R]) {
        let schedule = self.given.schedule;
        let step = schedule.step(block.rule);
        let (size, count) = (step.shape.size(), block.count as usize);
        let (before, own) = gradient.split_at_mut(block.x as usize);
        self.deactivate(step.of_groups(), block.x, block.y, count * size, size, own);
        let by_x = &own[..count * size];
        match (&block.fused, step.aggregation) {
            (Some(gather), _) => self.fused(block, gather, step, by_x, before),
            (None, Aggregation::Max | Aggregation::Min) => {
                let choices = &self.given.choices[block.choice as usize..][..count * size];
                for (at, (&by_x, &choice)) in by_x.iter().zip(choices).enumerate() {
                    before[self.given.network.at(block.entries, choice) as usize + at % size] += by_x;
                }
            }
            (None, Aggregation::Sum | Aggregation::Mean) => self.total(block, step, by_x, before),
            (None, Aggregation::Count) => {}
            (None, Aggregation::Product | Aggregation::Softmax) => {
                for (group, by_x) in by_x.chunks_exact(size).enumerate() {
                    let cells: Vec<usize> = self.given.network.rows(block, group).collect();
                    let rows = cells.iter().map(|&cell| &self.given.cells[cell..cell + size]);
                    let mut by_rows = vec![R::ZERO; cells.len() * size];
                    step.aggregation.backward(&rows, by_x, &mut by_rows);
                    for (&cell, by_row) in cells.iter().zip(by_rows.chunks_exact(size)) {
                        add(by_row, &mut before[cell..cell + size]);
                    }
                }
            }
        }
    }

    /// Max and min of sums: the gradient goes to the inputs of the chosen neuron.
    #[inline(always)]
    fn fused(&mut self, block: &Groups, gather: &Gather, step: &RuleStep, by_x: &[R], before: &mut [R]) {
        let choices = &self.given.choices[block.choice as usize..][..by_x.len()];
        let width = gather.columns.len();
        let mut total = R::ZERO;
        if let Some(pairs) = gather.pairs {
            let rows = self.given.network.slice(pairs.parts, 2 * pairs.rows as usize).as_chunks::<2>().0;
            let numbers = self.given.network.slice(pairs.numbers, 2 * by_x.len()).as_chunks::<2>().0;
            for ((&by_x, &choice), numbers) in by_x.iter().zip(choices).zip(numbers) {
                total += by_x;
                let first = rows[choice as usize];
                before[(first[0] + numbers[0]) as usize] += by_x;
                before[(first[1] + numbers[1]) as usize] += by_x;
            }
        } else {
            for (&by_x, &choice) in by_x.iter().zip(choices) {
                total += by_x;
                let row = self.given.network.slice(gather.at + choice * width as u32, width);
                row.iter().for_each(|&cell| before[cell as usize] += by_x);
            }
        }
        gather.same.iter().for_each(|&(_, cell)| before[cell as usize] += total);
        if let Some((place, _)) = step.offset {
            self.by_parameters[place as usize] += total;
        }
    }

    #[inline(always)]
    fn total(&self, block: &Groups, step: &RuleStep, by_x: &[R], before: &mut [R]) {
        let size = step.shape.size();
        let ends = self.given.network.slice(block.ends, block.count as usize + 1);
        let counts = self.given.network.counts(block);
        for (group, (by_x, pair)) in by_x.chunks_exact(size).zip(ends.windows(2)).enumerate() {
            let share = match step.aggregation {
                Aggregation::Mean => R::ONE / R::from_f64(f64::from(self.given.network.total(block, group))),
                _ => R::ONE,
            };
            if let (1, List::Run(first, 1)) = (size, block.entries) {
                let run = pair[0] as usize..pair[1] as usize;
                let by_run = &mut before[first as usize..][run.clone()];
                add_counted(share * by_x[0], counts.map(|counts| &counts[run]), by_run);
                continue;
            }
            for entry in pair[0]..pair[1] {
                let cell = self.given.network.at(block.entries, entry) as usize;
                let factor = share * times(counts.map_or(1, |counts| counts[entry as usize]));
                add_scaled(factor, by_x, &mut before[cell..cell + size]);
            }
        }
    }
}

/// Adds a number to each of a run, as often as it counts.
#[inline(always)]
fn add_counted<R: Real>(number: R, counts: Option<&[u32]>, run: &mut [R]) {
    match counts {
        Some(counts) => {
            for (sum, &count) in run.iter_mut().zip(counts) {
                *sum += number * times(count);
            }
        }
        None => add(&[number], run),
    }
}
