//! The readout of a network: each answer, before its activation, as a linear function of the parameters that enter its
//! atom.

use super::forward::{Workspace, slot};
use super::program::{Atoms, Block, Network, ValueSource, Weighing};
use super::schedule::{ParameterPlace, Schedule};
use crate::function::Real;

/// A sum of parameters times features, and of numbers that no parameter multiplies.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ReadoutRow {
    /// The place of each parameter, and what it is multiplied with; a place may come several times.
    pub features: Vec<(u32, f64)>,
    /// What is added to that.
    pub rest: f64,
}

impl Network {
    /// Returns the row of every query that is a number and whose contributions are added up, after
    /// [`Network::forward`]; `None` for the others, and outside the model.
    pub fn readout<R: Real>(&self, schedule: &Schedule, space: &Workspace<R>) -> Vec<Option<ReadoutRow>> {
        let mut found = vec![None; self.outputs.len()];
        for block in &self.blocks {
            let Block::Atoms(atoms) = block else { continue };
            let cells = atoms.y..atoms.y + atoms.count;
            let is_number = schedule.atoms[atoms.predicate.index()].shape.is_number();
            let is_own = |output: &Option<u32>| output.is_some_and(|cell| cells.contains(&cell));
            if !is_number || atoms.ordered.is_some() || !self.outputs.iter().any(is_own) {
                continue;
            }
            let rows = self.readout_of(schedule, atoms, space);
            for (found, output) in found.iter_mut().zip(&self.outputs) {
                if let Some(cell) = output.filter(|cell| cells.contains(cell)) {
                    *found = Some(rows[(cell - atoms.y) as usize].clone());
                }
            }
        }
        found
    }

    fn readout_of<R: Real>(
        &self,
        schedule: &Schedule,
        atoms: &Atoms,
        space: &Workspace<R>,
    ) -> Vec<ReadoutRow> {
        let step = &schedule.atoms[atoms.predicate.index()];
        let mut blank = ReadoutRow::default();
        if !atoms.plain {
            blank.rest = step.constant;
            blank.features.extend(step.offset.map(|(place, _)| (place, 1.0)));
        }
        let mut rows = vec![blank; atoms.count as usize];
        for part in &atoms.parts {
            for (nth, row) in self.each(part.row, part.count).enumerate() {
                self.contribute(part, nth as u32, space, &mut rows[row]);
            }
        }
        rows
    }

    fn contribute<R: Real>(&self, part: &Weighing, nth: u32, space: &Workspace<R>, row: &mut ReadoutRow) {
        let list = match part.from {
            ValueSource::Constants(at) => {
                row.rest += self.constants[self.indices[(at + nth) as usize] as usize];
                return;
            }
            ValueSource::Parameters(at) => {
                return row.features.push((self.indices[(at + nth) as usize], 1.0));
            }
            ValueSource::Cells(list) => list,
        };
        let cell = self.at(list, nth) as usize;
        let values = space.cells[cell..cell + part.from_size as usize].iter().map(|value| value.to_f64());
        let values = values.map(|value| if part.negated { 1.0 - value } else { value });
        match part.weight.place {
            ParameterPlace::One => row.rest += values.sum::<f64>(),
            place => row.features.extend((slot(self, place, part.slots, nth) as u32..).zip(values)),
        }
    }
}
