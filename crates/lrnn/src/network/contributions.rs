//! How many contributions enter the atoms that a weight feeds. Where many are added up, each should begin small.

use super::forward::slot;
use super::program::{Atoms, Block, Network, Slots, Source};
use super::schedule::{Place, WeightStep};

impl Network {
    /// For each number of the parameters, how many contributions the atom has that it feeds; of several atoms, the one
    /// with the most. What is already there counts too.
    pub(crate) fn crowds(&self, most: &mut [u32]) {
        for block in &self.blocks {
            if let Block::Atoms(atoms) = block {
                self.of_atoms(atoms, most);
            }
        }
    }

    fn of_atoms(&self, atoms: &Atoms, most: &mut [u32]) {
        let mut counts = vec![0; atoms.count as usize];
        let edges = atoms.edges.iter().map(|edges| (edges.row, edges.count));
        let facts = atoms.facts.iter().map(|facts| (facts.row, facts.count));
        for (row, count) in edges.chain(facts) {
            self.each(row, count).for_each(|row| counts[row] += 1);
        }
        let mut raise = |at: usize, size: usize, row: usize| {
            most[at..at + size].iter_mut().for_each(|most| *most = counts[row].max(*most));
        };
        for edges in &atoms.edges {
            for (nth, row) in self.each(edges.row, edges.count).enumerate() {
                if let Some(at) = self.place_of(edges.weight, edges.slots, nth) {
                    raise(at, edges.weight.shape.size(), row);
                }
            }
        }
        for facts in &atoms.facts {
            if let Source::Parameters(at) = facts.from {
                let places = self.slice(at, facts.count as usize);
                let rows = self.each(facts.row, facts.count);
                rows.zip(places).for_each(|(row, &at)| raise(at as usize, facts.size as usize, row));
            }
        }
    }

    /// Where the weight of a contribution lies among the parameters.
    fn place_of(&self, weight: WeightStep, slots: Slots, nth: usize) -> Option<usize> {
        (weight.place != Place::One).then(|| slot(self, weight.place, slots, nth as u32))
    }
}
