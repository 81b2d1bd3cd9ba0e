//! The last layer of a network, as far as it is linear: the sums that the values of queries come from.

use std::collections::BTreeMap;

use super::forward::{Workspace, slot};
use super::kernel::Weigher;
use super::program::{Atoms, Block, Network, ValueSource, Weighing};
use super::schedule::Schedule;
use crate::function::{Activation, Real};

/// A number before the activation of its atom: a constant, and parameters times values.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct AnswerSum {
    /// All that is there whatever the parameters of the last layer.
    pub constant: f64,
    /// Places of parameters, each with the value that it weighs.
    pub terms: Vec<(u32, f64)>,
}

/// The atom that answers a query.
#[derive(Clone, PartialEq, Debug)]
pub struct AnswerSums {
    /// For each number of the value, the sum it comes from.
    pub sums: Vec<AnswerSum>,
    /// The activation that is applied to the sums.
    pub activation: Activation,
}

impl Network {
    /// Returns, by query, the sums that its value comes from under the parameters that were computed with just now; none
    /// outside the model. `None` if a value is no such sum.
    pub fn last_layer<R: Real>(
        &self,
        schedule: &Schedule,
        space: &Workspace<R>,
    ) -> Option<Vec<Option<AnswerSums>>> {
        // Merged queries share their cell.
        let mut wanted: BTreeMap<u32, Option<AnswerSums>> =
            self.outputs.iter().flatten().map(|&cell| (cell, None)).collect();
        for (number, block) in self.blocks.iter().enumerate() {
            let Block::Atoms(block) = block else { continue };
            let step = &schedule.atoms[block.predicate.index()];
            let size = step.shape.size() as u32;
            let cells = block.y..block.y + block.count * size;
            if wanted.range(cells.clone()).next().is_none() {
                continue;
            }
            let is_repeated = self.repeats.iter().any(|repeat| repeat.blocks.contains(&number));
            if block.ordered.is_some() || is_repeated {
                return None;
            }
            let mut sums = self.sums(block, schedule, space);
            for (&cell, found) in wanted.range_mut(cells) {
                let at = ((cell - block.y) / size) as usize;
                let activation = if block.plain { Activation::Identity } else { step.activation };
                *found = Some(AnswerSums { sums: std::mem::take(&mut sums[at]), activation });
            }
        }
        let of = |output: &Option<u32>| match output {
            None => Some(None),
            Some(cell) => wanted[cell].clone().map(Some),
        };
        self.outputs.iter().map(of).collect()
    }

    /// Returns the sums of every atom of a block, before its activation.
    fn sums<R: Real>(&self, block: &Atoms, schedule: &Schedule, space: &Workspace<R>) -> Vec<Vec<AnswerSum>> {
        let step = &schedule.atoms[block.predicate.index()];
        let size = step.shape.size();
        let mut atoms = vec![vec![AnswerSum::default(); size]; block.count as usize];
        for part in &block.parts {
            for at in 0..part.count {
                self.add_part(part, at, space, &mut atoms[self.at(part.row, at) as usize]);
            }
        }
        if !block.plain {
            for (at, sums) in atoms.iter_mut().enumerate() {
                let place = match (block.offsets, step.offset) {
                    (Some(places), Some((_, shape))) => Some((self.slice(places, at + 1)[at], shape)),
                    (_, offset) => offset,
                };
                for (number, sum) in sums.iter_mut().enumerate() {
                    sum.constant += step.constant;
                    let place =
                        place.map(|(place, shape)| place + if shape.size() == 1 { 0 } else { number as u32 });
                    sum.terms.extend(place.map(|place| (place, 1.0)));
                }
            }
        }
        atoms
    }

    /// Adds what one value of a weighing adds to an atom.
    fn add_part<R: Real>(&self, part: &Weighing, at: u32, space: &Workspace<R>, sums: &mut [AnswerSum]) {
        // A number enters every number of a vector.
        let (count, spread) = (sums.len(), part.size == 1);
        let places = |number: usize| if spread { 0..count } else { number..number + 1 };
        match part.from {
            ValueSource::Constants(places_at) => {
                let place = self.indices[(places_at + at) as usize] as usize;
                for (number, sum) in sums.iter_mut().enumerate() {
                    sum.constant += self.constants[place + if spread { 0 } else { number }];
                }
            }
            ValueSource::Parameters(places_at) => {
                let place = self.indices[(places_at + at) as usize];
                for (number, sum) in sums.iter_mut().enumerate() {
                    sum.terms.push((place + if spread { 0 } else { number as u32 }, 1.0));
                }
            }
            ValueSource::Cells(list) => {
                let from = self.at(list, at) as usize;
                let cells = &space.cells[from..from + part.from_size as usize];
                let value = |&cell: &R| if part.negated { 1.0 - cell.to_f64() } else { cell.to_f64() };
                let values: Vec<f64> = cells.iter().map(value).collect();
                let weigher = Weigher::new(&part.weight, part.from_size, part.from_columns);
                let first = slot(self, part.weight.place, part.slots, at) as u32;
                weigher.each_term(&values, |number, weight, value| {
                    for sum in &mut sums[places(number)] {
                        match weight {
                            Some(weight) => sum.terms.push((first + weight as u32, value)),
                            None => sum.constant += value,
                        }
                    }
                });
            }
        }
    }
}
