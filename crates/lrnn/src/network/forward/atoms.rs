//! Atoms: their groups and facts, disjoined.

use super::{ForwardPass, Scratch, activate};
use crate::function::Real;
use crate::network::kernel::add;
use crate::network::program::{Atoms, List, Weighing};

impl<R: Real> ForwardPass<'_, R> {
    #[inline(always)]
    pub(super) fn atoms(&self, block: &Atoms, before: &[R], own: &mut [R], scratch: &mut Scratch<R>) {
        let step = &self.schedule.atoms[block.predicate.index()];
        let (size, count) = (step.shape.size(), block.count as usize);
        let first = block.ordered.map_or(block.x, |ordered| ordered.first);
        let (contributions, own) = own.split_at_mut((block.x - first) as usize);
        let (x, after) = own.split_at_mut(count * size);
        if block.ordered.is_some() {
            let mut rest = &mut *contributions;
            for part in &block.parts {
                let (own, after) = rest.split_at_mut((part.count * part.size) as usize);
                let alone = Weighing { row: List::Run(0, 1), ..*part };
                self.weigh(&alone, before, own, part.size as usize, true, scratch);
                rest = after;
            }
            let combination = &step.combination;
            for (at, x) in x.chunks_exact_mut(size).enumerate() {
                let parts = self.network.contributions(block, at, contributions);
                x.fill(R::ZERO);
                match combination.apply(&parts) {
                    Some((value, shape)) if shape == step.shape || shape.is_number() => add(&value, x),
                    // An atom lacks a rule that others of its predicate have: what is not a number is found in the end.
                    _ => x.fill(R::from_f64(f64::NAN)),
                }
            }
        } else {
            x.fill(R::ZERO);
            // Loops, not closures, which are not compiled for wide vectors.
            for (at, part) in block.parts.iter().enumerate() {
                self.weigh(part, before, x, size, at == 0, scratch);
            }
        }
        if block.plain {
            return;
        }
        let constant = R::from_f64(step.constant);
        if step.constant != 0.0 {
            x.iter_mut().for_each(|x| *x += constant);
        }
        if let (Some(at), Some((_, shape))) = (block.offsets, step.offset) {
            for (x, &place) in x.chunks_exact_mut(size).zip(self.network.slice(at, count)) {
                add(self.numbers(place, shape), x);
            }
        } else if let Some((place, shape)) = step.offset {
            let offset = self.numbers(place, shape);
            x.chunks_exact_mut(size).for_each(|x| add(offset, x));
        }
        activate(step.activation, size, block.x != block.y, x, after);
    }
}
