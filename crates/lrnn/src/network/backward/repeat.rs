//! Repeats: the gradient at a fixed point.
//!
//! A fixed point y = F(y) has the gradient λ with λ = Jᵀλ + g, where J is the Jacobian of a sweep and g comes from what
//! reads the atoms. λ is the sum of g, Jᵀg, JᵀJᵀg, ..., so the blocks of a sweep are gone through backwards with one
//! term after the other, and what each adds to the gradients of weights and of other cells adds up to the whole. Only
//! the last state of the sweeps is needed. Where each sweep went half the way, so does each step of the series.

use crate::function::Real;
use crate::network::program::{ComponentCells, Repeat};
use crate::network::settling::{Settling, most_sweeps, tolerance};

/// The series of a repeat's gradients, term by term.
#[derive(Default)]
pub(super) struct GradientSeries<R> {
    /// The last term, for each number of each atom.
    term: Vec<R>,
    /// The largest number of the first term, for each component; 0 where the series has ended.
    first: Vec<R>,
    sweeps: u32,
    /// True if a series did not end.
    pub has_failed: bool,
}

impl ComponentCells {
    /// Returns the cells of all numbers of its atoms.
    fn numbers(&self) -> impl Iterator<Item = usize> {
        self.cells.iter().flat_map(|&(cell, size)| cell as usize..(cell + size) as usize)
    }
}

impl<R: Real> GradientSeries<R> {
    /// Begins with the gradients that the atoms have from what reads them.
    pub fn begin(&mut self, repeat: &Repeat, settling: &[Settling<R>], gradient: &mut [R]) {
        self.term.clear();
        self.first.clear();
        self.sweeps = 0;
        for (component, state) in repeat.components.iter().zip(&settling[repeat.first..]) {
            let mut largest = R::ZERO;
            for cell in component.numbers() {
                gradient[cell] *= state.damping;
                largest = largest.max(gradient[cell].abs());
                self.term.push(gradient[cell]);
            }
            self.first.push(largest);
        }
    }

    /// Puts the next term in its place after the blocks were gone through with the last one; false where there is none.
    pub fn again(&mut self, repeat: &Repeat, settling: &[Settling<R>], gradient: &mut [R]) -> bool {
        self.sweeps += 1;
        gradient[repeat.cells.start as usize..repeat.cells.end as usize].fill(R::ZERO);
        let mut term = &mut self.term[..];
        let mut is_more = false;
        let states = repeat.components.iter().zip(&settling[repeat.first..]);
        for ((component, state), first) in states.zip(&mut self.first) {
            for it in &component.feedback {
                for at in 0..it.size {
                    let from = std::mem::take(&mut gradient[(it.to + at) as usize]);
                    gradient[(it.from + at) as usize] += from;
                }
            }
            let (own, rest) = term.split_at_mut(component.numbers().count());
            term = rest;
            let (share, mut largest) = (state.damping, R::ZERO);
            for (cell, term) in component.numbers().zip(own) {
                if share != R::ONE {
                    gradient[cell] = (R::ONE - share) * *term + share * gradient[cell];
                }
                *term = gradient[cell];
                largest = largest.max(term.abs());
            }
            let is_failed = *first > R::ZERO
                && (self.sweeps >= most_sweeps(component.feedback.len()) || !largest.is_finite());
            let is_small = largest <= tolerance::<R>() * *first;
            self.has_failed |= is_failed && !is_small;
            if is_failed || is_small {
                *first = R::ZERO;
                component.numbers().for_each(|cell| gradient[cell] = R::ZERO);
            }
            is_more |= *first > R::ZERO;
        }
        is_more
    }
}
