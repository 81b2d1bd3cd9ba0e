//! Atoms: the gradient goes to their groups, facts and weights.

use super::BackwardPass;
use super::neurons::by_combined;
use crate::function::{Activation, Real};
use crate::network::kernel::{add, add_gradient};
use crate::network::program::{Atoms, List, Weighing};

impl<R: Real> BackwardPass<'_, R> {
    #[inline(always)]
    pub(super) fn atoms(&mut self, block: &Atoms, gradient: &mut [R]) {
        let schedule = self.given.schedule;
        let step = &schedule.atoms[block.predicate.index()];
        let (size, count) = (step.shape.size(), block.count as usize);
        let activation = if block.plain { Activation::Identity } else { step.activation };
        let (before, own) = gradient.split_at_mut(block.x as usize);
        self.deactivate(activation, block.x, block.y, count * size, size, own);
        let by_x = &own[..count * size];
        match (block.plain, block.offsets, step.offset) {
            (false, Some(at), Some((_, shape))) => {
                for (by_x, &place) in by_x.chunks_exact(size).zip(self.given.network.slice(at, count)) {
                    add_gradient(
                        by_x,
                        &mut self.by_parameters[place as usize..place as usize + shape.size()],
                    );
                }
            }
            (false, None, Some((place, shape))) => self.offset(place, shape, size, by_x),
            _ => {}
        }
        let Some(ordered) = &block.ordered else {
            for part in &block.parts {
                self.weigh(part, by_x, size, before, 0);
            }
            return;
        };
        let (before, contributions) = before.split_at_mut(ordered.first as usize);
        for (at, by_x) in by_x.chunks_exact(size).enumerate() {
            let parts =
                self.given.network.contributions(block, at, &self.given.cells[ordered.first as usize..]);
            let ends = self.given.network.slice(ordered.ends + at as u32, 2);
            let by_result = by_combined(&step.combination, &parts, by_x);
            let by_parts = step.combination.backward(&parts, &by_result).unwrap_or_default();
            for (part, by_part) in (ends[0]..ends[1]).zip(&by_parts) {
                let cell =
                    (self.given.network.indices[(ordered.cells + part) as usize] - ordered.first) as usize;
                add(by_part, &mut contributions[cell..cell + by_part.len()]);
            }
        }
        let mut rest = &*contributions;
        for part in &block.parts {
            let (own, after) = rest.split_at((part.count * part.size) as usize);
            self.weigh(&Weighing { row: List::Run(0, 1), ..*part }, own, part.size as usize, before, 0);
            rest = after;
        }
    }
}
