//! Atoms: their groups and facts, disjoined.

use super::{Pass, Scratch, activate, slot};
use crate::function::Real;
use crate::network::kernel::{Weigher, add};
use crate::network::product::{Columns, Matrix};
use crate::network::program::{Atoms, Edges, Facts, List, Slots, Source};
use crate::network::schedule::Place;

impl<R: Real> Pass<'_, R> {
    #[inline(always)]
    pub(super) fn atoms(&self, block: &Atoms, cells: &mut [R], scratch: &mut Scratch<R>) {
        let step = &self.schedule.atoms[block.predicate.index()];
        let (size, count) = (step.shape.size(), block.count as usize);
        let (before, own) = cells.split_at_mut(block.x as usize);
        let (x, after) = own.split_at_mut(count * size);
        if let Some(ordered) = &block.ordered {
            let (before, contributions) = before.split_at_mut(ordered.first as usize);
            self.contribute(block, before, contributions, scratch);
            let combination = step.combination;
            for (at, x) in x.chunks_exact_mut(size).enumerate() {
                let parts = self.network.contributions(block, at, contributions);
                x.fill(R::ZERO);
                if let Some((value, _)) = combination.apply(&parts) {
                    add(&value, x);
                }
            }
        } else {
            x.fill(R::ZERO);
            // Loops, not closures, which are not compiled for wide vectors.
            for (at, edges) in block.edges.iter().enumerate() {
                self.add_edges(edges, before, x, size, at == 0, scratch);
            }
            for facts in &block.facts {
                self.add_facts(facts, x, size);
            }
        }
        if block.plain {
            return;
        }
        let constant = R::from_f64(step.constant);
        if step.constant != 0.0 {
            x.iter_mut().for_each(|x| *x += constant);
        }
        if let Some((place, shape)) = step.offset {
            let offset = &self.parameters[place as usize..place as usize + shape.size()];
            x.chunks_exact_mut(size).for_each(|x| add(offset, x));
        }
        activate(step.activation, size, block.x != block.y, x, after);
    }

    /// Adds weight · group to the atoms of each edge, which are 0 if they are `fresh`.
    #[inline(always)]
    fn add_edges(
        &self,
        edges: &Edges,
        cells: &[R],
        x: &mut [R],
        size: usize,
        fresh: bool,
        scratch: &mut Scratch<R>,
    ) {
        if edges.from_size == 1 && size == 1 {
            return self.add_numbers(edges, cells, x);
        }
        let is_one = edges.weight.place == Place::One;
        let weigher = Weigher::new(&edges.weight, is_one, edges.from_size, edges.from_columns);
        let (from_size, own_size) = (edges.from_size as usize, edges.size as usize);
        if let (Some(matrix), true) =
            (Matrix::of(self.network, &edges.weight, edges.slots, &weigher), own_size == size)
        {
            let values = Columns { list: edges.from, count: edges.count, size: from_size, scale: 1 };
            let atoms = Columns { list: edges.row, count: edges.count, size, scale: size };
            let values = values.lined_up(self.network, cells, &mut scratch.values);
            // A product is summed up before it is added, whether or not there is something to add it to.
            if let (Some(first), true) = (atoms.first(), fresh) {
                let x = &mut x[first..first + edges.count as usize * size];
                return matrix.forward(self.parameters, values, &mut scratch.turned, x);
            }
            let sums = atoms.zeros(&mut scratch.sums);
            matrix.forward(self.parameters, values, &mut scratch.turned, sums);
            return atoms.scatter(self.network, x, sums);
        }
        // A number that is added to a vector goes by way of a place of its own.
        let mut single = [R::ZERO];
        for at in 0..edges.count {
            let place = slot(self.network, edges.weight.place, edges.slots, at);
            let weight = &self.parameters[place..place + weigher.len()];
            let from = self.network.at(edges.from, at) as usize;
            let value = &cells[from..from + from_size];
            let row = self.network.at(edges.row, at) as usize * size;
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
    fn add_numbers(&self, edges: &Edges, cells: &[R], x: &mut [R]) {
        let pairs = self.network.each(edges.from, edges.count).zip(self.network.each(edges.row, edges.count));
        match (edges.slots, edges.weight.place) {
            (Slots::At(start), _) => {
                let slots = self.network.slice(start, edges.count as usize);
                for ((from, row), &slot) in pairs.zip(slots) {
                    x[row] += self.parameters[slot as usize] * cells[from];
                }
            }
            (_, Place::Plain(place)) => {
                let weight = self.parameters[place as usize];
                pairs.for_each(|(from, row)| x[row] += weight * cells[from]);
            }
            (_, _) => pairs.for_each(|(from, row)| x[row] += cells[from]),
        }
    }

    #[inline(always)]
    fn add_facts(&self, facts: &Facts, x: &mut [R], size: usize) {
        let numbers = facts.size as usize;
        for at in 0..facts.count {
            let row = self.network.at(facts.row, at) as usize * size;
            let x = &mut x[row..row + size];
            match facts.from {
                Source::Parameters(start) => {
                    let place = self.network.indices[(start + at) as usize] as usize;
                    add(&self.parameters[place..place + numbers], x);
                }
                Source::Constants(start) => {
                    let place = self.network.indices[(start + at) as usize] as usize;
                    let constants = &self.network.constants[place..place + numbers];
                    let spread = numbers == 1 && size != 1;
                    for (at, x) in x.iter_mut().enumerate() {
                        *x += R::from_f64(constants[if spread { 0 } else { at }]);
                    }
                }
            }
        }
    }

    /// Writes each contribution to cells of its own.
    fn contribute(&self, block: &Atoms, before: &[R], contributions: &mut [R], scratch: &mut Scratch<R>) {
        let mut rest = contributions;
        for edges in &block.edges {
            let (own, after) = rest.split_at_mut((edges.count * edges.size) as usize);
            let alone = Edges { row: List::Run(0, 1), ..*edges };
            self.add_edges(&alone, before, own, edges.size as usize, true, scratch);
            rest = after;
        }
        for facts in &block.facts {
            let (own, after) = rest.split_at_mut((facts.count * facts.size) as usize);
            let alone = Facts { row: List::Run(0, 1), ..*facts };
            self.add_facts(&alone, own, facts.size as usize);
            rest = after;
        }
    }
}
