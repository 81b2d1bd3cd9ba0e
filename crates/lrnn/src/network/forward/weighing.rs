//! Weights times values, added up: the inputs of rule neurons, and the groups and facts of atoms.

use super::{ForwardPass, Scratch, slot};
use crate::function::Real;
use crate::network::kernel::add;
use crate::network::product::WeighingWay;
use crate::network::program::{List, Slots, Weighing};
use crate::network::schedule::ParameterPlace;

impl<R: Real> ForwardPass<'_, R> {
    /// Adds weight · value to rows of `size` numbers each, all 0 if they are `fresh`.
    #[inline(always)]
    pub(super) fn weigh(
        &self,
        part: &Weighing,
        cells: &[R],
        x: &mut [R],
        size: usize,
        fresh: bool,
        scratch: &mut Scratch<R>,
    ) {
        let (from, weigher) = match WeighingWay::of(self.network, part, size) {
            WeighingWay::Constants(at) => return self.add_constants(part, at, x, size),
            WeighingWay::Parameters(at) => return self.add_parameters(part, at, x, size),
            WeighingWay::Numbers(from) => return self.add_numbers(part, from, cells, x),
            WeighingWay::Matrix { matrix, values, rows } => {
                if part.count > 1 {
                    matrix.turn(self.parameters, &mut scratch.turned);
                }
                for (values, rows) in values.parts(rows) {
                    let values = values.lined_up(self.network, cells, &mut scratch.values);
                    // A product is summed up before it is added, whether or not there is something to add it to.
                    if let (Some(first), true) = (rows.first(), fresh) {
                        let x = &mut x[first..first + rows.count as usize * size];
                        matrix.forward(self.parameters, &scratch.turned, values, x);
                        continue;
                    }
                    let sums = rows.zeros(&mut scratch.sums);
                    matrix.forward(self.parameters, &scratch.turned, values, sums);
                    rows.scatter(self.network, x, 0, sums);
                }
                return;
            }
            WeighingWay::Each { from, weigher } => (from, weigher),
        };
        let (from_size, own_size) = (part.from_size as usize, part.size as usize);
        // A number that is added to a vector goes by way of a place of its own.
        let mut single = [R::ZERO];
        let mut turned = vec![R::ZERO; if part.negated { from_size } else { 0 }];
        for at in 0..part.count {
            let place = slot(self.network, part.weight.place, part.slots, at);
            let weight = &self.parameters[place..place + weigher.len()];
            let from = self.network.at(from, at) as usize;
            let mut value = &cells[from..from + from_size];
            if part.negated {
                turned.iter_mut().zip(value).for_each(|(turned, &x)| *turned = R::ONE - x);
                value = &turned;
            }
            let row = self.network.at(part.row, at) as usize * size;
            let x = &mut x[row..row + size];
            if own_size == size {
                weigher.add(weight, value, x);
            } else {
                single[0] = R::ZERO;
                weigher.add(weight, value, &mut single);
                add(&single, x);
            }
        }
    }

    #[inline(always)]
    fn add_numbers(&self, part: &Weighing, from: List, cells: &[R], x: &mut [R]) {
        let pairs = self.network.each(from, part.count).zip(self.network.each(part.row, part.count));
        match (part.slots, part.weight.place) {
            (Slots::At(start), _) => {
                let slots = self.network.slice(start, part.count as usize);
                for ((from, row), &slot) in pairs.zip(slots) {
                    x[row] += self.parameters[slot as usize] * cells[from];
                }
            }
            (_, ParameterPlace::Plain(place)) => {
                let weight = self.parameters[place as usize];
                pairs.for_each(|(from, row)| x[row] += weight * cells[from]);
            }
            (_, _) => pairs.for_each(|(from, row)| x[row] += cells[from]),
        }
    }

    #[inline(always)]
    fn add_parameters(&self, part: &Weighing, places: u32, x: &mut [R], size: usize) {
        let places = self.network.slice(places, part.count as usize);
        for (row, &place) in self.network.each(part.row, part.count).zip(places) {
            let value = &self.parameters[place as usize..][..part.size as usize];
            add(value, &mut x[row * size..(row + 1) * size]);
        }
    }

    #[inline(always)]
    fn add_constants(&self, part: &Weighing, places: u32, x: &mut [R], size: usize) {
        let places = self.network.slice(places, part.count as usize);
        for (row, &place) in self.network.each(part.row, part.count).zip(places) {
            let constants = &self.network.constants[place as usize..][..part.size as usize];
            let spread = part.size == 1 && size != 1;
            for (at, x) in x[row * size..(row + 1) * size].iter_mut().enumerate() {
                *x += R::from_f64(constants[if spread { 0 } else { at }]);
            }
        }
    }
}
