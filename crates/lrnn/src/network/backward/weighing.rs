//! Weights times values, added up: the gradient goes to the values and the weights.

use super::{BackwardPass, Scratch};
use crate::function::Real;
use crate::network::forward::slot;
use crate::network::kernel::add_gradient;
use crate::network::product::{ListCells, Matrix, WeighingWay};
use crate::network::program::{List, Slots, Weighing};
use crate::network::schedule::ParameterPlace;

impl<R: Real> BackwardPass<'_, R> {
    /// From the gradient by rows of `size` numbers each, to those by the values and the weights. The first of the cells
    /// before has the number `base`.
    #[inline(always)]
    pub(super) fn weigh(&mut self, part: &Weighing, by_x: &[R], size: usize, before: &mut [R], base: usize) {
        let (from, weigher) = match WeighingWay::of(self.given.network, part, size) {
            WeighingWay::Constants(_) => return,
            WeighingWay::Parameters(at) => return self.parameters(part, at, by_x, size),
            WeighingWay::Numbers(from) => return self.numbers(part, from, by_x, before, base),
            WeighingWay::Matrix { matrix, values, rows } => {
                return self.matrix(&matrix, values, rows, by_x, before, base);
            }
            WeighingWay::Each { from, weigher } => (from, weigher),
        };
        let (from_size, own_size) = (part.from_size as usize, part.size as usize);
        let mut turned = vec![R::ZERO; if part.negated { from_size } else { 0 }];
        let mut by_turned = turned.clone();
        for at in 0..part.count {
            let place = slot(self.given.network, part.weight.place, part.slots, at);
            let range = place..place + weigher.len();
            let own_range = place - self.first_parameter..place - self.first_parameter + weigher.len();
            let from = self.given.network.at(from, at) as usize;
            let row = self.given.network.at(part.row, at) as usize * size;
            let mut by_product = &by_x[row..row + size];
            // A number that was added to a vector.
            let sum = [if own_size == size { R::ZERO } else { by_product.iter().copied().sum() }];
            if own_size != size {
                by_product = &sum;
            }
            let (weight, by_weight) = (&self.given.parameters[range], &mut self.by_parameters[own_range]);
            let (value, by_value) = (
                &self.given.cells[from..from + from_size],
                &mut before[from - base..from - base + from_size],
            );
            if part.negated {
                turned.iter_mut().zip(value).for_each(|(turned, &x)| *turned = R::ONE - x);
                by_turned.fill(R::ZERO);
                weigher.backward(weight, &turned, by_product, by_weight, &mut by_turned);
                by_value.iter_mut().zip(&by_turned).for_each(|(by_value, &by_turned)| *by_value -= by_turned);
            } else {
                weigher.backward(weight, value, by_product, by_weight, by_value);
            }
        }
    }

    #[inline(always)]
    fn numbers(&mut self, part: &Weighing, from: List, by_x: &[R], before: &mut [R], base: usize) {
        let pairs =
            self.given.network.each(from, part.count).zip(self.given.network.each(part.row, part.count));
        match (part.slots, part.weight.place) {
            (Slots::At(start), _) => {
                let slots = self.given.network.slice(start, part.count as usize);
                for ((from, row), &slot) in pairs.zip(slots) {
                    self.by_parameters[slot as usize] += by_x[row] * self.given.cells[from];
                    before[from - base] += by_x[row] * self.given.parameters[slot as usize];
                }
            }
            (_, ParameterPlace::Plain(place)) => {
                let weight = self.given.parameters[place as usize];
                let mut by_weight = R::ZERO;
                for (from, row) in pairs {
                    by_weight += by_x[row] * self.given.cells[from];
                    before[from - base] += by_x[row] * weight;
                }
                self.by_parameters[place as usize - self.first_parameter] += by_weight;
            }
            (_, _) => pairs.for_each(|(from, row)| before[from - base] += by_x[row]),
        }
    }

    #[inline(always)]
    fn parameters(&mut self, part: &Weighing, places: u32, by_x: &[R], size: usize) {
        let places = self.given.network.slice(places, part.count as usize);
        for (row, &place) in self.given.network.each(part.row, part.count).zip(places) {
            let by_value = &mut self.by_parameters[place as usize..][..part.size as usize];
            add_gradient(&by_x[row * size..(row + 1) * size], by_value);
        }
    }

    /// Multiplies one matrix by many columns.
    #[inline(always)]
    fn matrix(
        &mut self,
        matrix: &Matrix,
        values: ListCells,
        products: ListCells,
        own: &[R],
        before: &mut [R],
        base: usize,
    ) {
        let Scratch { values: copy, sums, gradients, .. } = &mut *self.scratch;
        let by_weight = &mut self.by_parameters[matrix.range(self.first_parameter)];
        for (values, products) in values.parts(products) {
            let gradients = products.lined_up(self.given.network, own, gradients);
            let numbers = values.lined_up(self.given.network, self.given.cells, copy);
            if let Some(first) = values.first() {
                let by_values = &mut before[first - base..first - base + numbers.len()];
                matrix.backward(self.given.parameters, numbers, gradients, by_weight, by_values);
                continue;
            }
            let by_values = values.zeros(sums);
            matrix.backward(self.given.parameters, numbers, gradients, by_weight, by_values);
            values.scatter(self.given.network, before, base, by_values);
        }
    }
}
