//! How many contributions enter the atoms that a weight feeds. Where many are added up, each should begin small.

use super::forward::slot;
use super::program::{Atoms, Block, Network, ValueSource, Weighing};
use super::schedule::ParameterPlace;

impl Network {
    /// Counts, for each number of the parameters, the contributions the atom has that it feeds; of several atoms, the
    /// one with the most. What is already there counts too.
    pub(crate) fn crowds(&self, most: &mut [u32]) {
        for block in &self.blocks {
            if let Block::Atoms(atoms) = block {
                self.of_atoms(atoms, most);
            }
        }
    }

    fn of_atoms(&self, atoms: &Atoms, most: &mut [u32]) {
        let mut counts = vec![0; atoms.count as usize];
        for part in &atoms.parts {
            self.each(part.row, part.count).for_each(|row| counts[row] += 1);
        }
        let mut raise = |at: usize, size: usize, row: usize| {
            most[at..at + size].iter_mut().for_each(|most| *most = counts[row].max(*most));
        };
        for part in &atoms.parts {
            for (nth, row) in self.each(part.row, part.count).enumerate() {
                if let Some((at, size)) = self.parameters_of(part, nth) {
                    raise(at, size, row);
                }
            }
        }
    }

    /// Returns where the parameters of a contribution lie, and how many numbers they are.
    fn parameters_of(&self, part: &Weighing, nth: usize) -> Option<(usize, usize)> {
        if let ValueSource::Parameters(at) = part.from {
            return Some((self.indices[at as usize + nth] as usize, part.size as usize));
        }
        let place = || slot(self, part.weight.place, part.slots, nth as u32);
        (part.weight.place != ParameterPlace::One).then(|| (place(), part.weight.shape.size()))
    }
}
