//! Atoms: the gradient goes to their groups, facts and weights.

use super::Pass;
use crate::function::{Activation, Real};
use crate::network::forward::slot;
use crate::network::kernel::{Weigher, add, add_gradient};
use crate::network::product::{Columns, Matrix};
use crate::network::program::{Atoms, Edges, Facts, List, Slots, Source};
use crate::network::schedule::Place;

impl<R: Real> Pass<'_, R> {
    #[inline(always)]
    pub(super) fn atoms(&mut self, block: &Atoms, gradient: &mut [R]) {
        let schedule = self.schedule;
        let step = &schedule.atoms[block.predicate.index()];
        let (size, count) = (step.shape.size(), block.count as usize);
        let activation = if block.plain { Activation::Identity } else { step.activation };
        self.deactivate(activation, block.x, block.y, count * size, size, gradient);
        let (before, own) = gradient.split_at_mut(block.x as usize);
        let by_x = &own[..count * size];
        if let (false, Some((place, shape))) = (block.plain, step.offset) {
            self.offset(place, shape, size, by_x);
        }
        let Some(ordered) = &block.ordered else {
            for edges in &block.edges {
                self.edges(edges, by_x, size, before);
            }
            for facts in &block.facts {
                self.facts(facts, by_x, size);
            }
            return;
        };
        let (before, contributions) = before.split_at_mut(ordered.first as usize);
        for (at, by_x) in by_x.chunks_exact(size).enumerate() {
            let parts = self.network.contributions(block, at, &self.cells[ordered.first as usize..]);
            let ends = self.network.slice(ordered.ends + at as u32, 2);
            let largest = parts.iter().map(|(numbers, _)| numbers.len()).max().unwrap_or(1);
            let mut by_result = vec![R::ZERO; largest];
            add_gradient(by_x, &mut by_result);
            let by_parts = step.combination.backward(&parts, &by_result).unwrap_or_default();
            for (part, by_part) in (ends[0]..ends[1]).zip(&by_parts) {
                let cell = (self.network.indices[(ordered.cells + part) as usize] - ordered.first) as usize;
                add(by_part, &mut contributions[cell..cell + by_part.len()]);
            }
        }
        let mut rest = &*contributions;
        for edges in &block.edges {
            let (own, after) = rest.split_at((edges.count * edges.size) as usize);
            self.edges(&Edges { row: List::Run(0, 1), ..*edges }, own, edges.size as usize, before);
            rest = after;
        }
        for facts in &block.facts {
            let (own, after) = rest.split_at((facts.count * facts.size) as usize);
            self.facts(&Facts { row: List::Run(0, 1), ..*facts }, own, facts.size as usize);
            rest = after;
        }
    }

    #[inline(always)]
    fn edges(&mut self, edges: &Edges, by_x: &[R], size: usize, before: &mut [R]) {
        if edges.from_size == 1 && size == 1 {
            return self.number_edges(edges, by_x, before);
        }
        let is_one = edges.weight.place == Place::One;
        let weigher = Weigher::new(&edges.weight, is_one, edges.from_size, edges.from_columns);
        let (from_size, own_size) = (edges.from_size as usize, edges.size as usize);
        if let (Some(matrix), true) =
            (Matrix::of(self.network, &edges.weight, edges.slots, &weigher), own_size == size)
        {
            let values = Columns { list: edges.from, count: edges.count, size: from_size, scale: 1 };
            let atoms = Columns { list: edges.row, count: edges.count, size, scale: size };
            return self.matrix(&matrix, values, atoms, by_x, before);
        }
        for at in 0..edges.count {
            let place = slot(self.network, edges.weight.place, edges.slots, at);
            let range = place..place + weigher.len();
            let from = self.network.at(edges.from, at) as usize;
            let row = self.network.at(edges.row, at) as usize * size;
            let by_x = &by_x[row..row + size];
            let (weight, by_weight) = (&self.parameters[range.clone()], &mut self.by_parameters[range]);
            let (value, by_value) =
                (&self.cells[from..from + from_size], &mut before[from..from + from_size]);
            if own_size == size {
                weigher.backward(weight, value, by_x, by_weight, by_value);
            } else {
                let sum = by_x.iter().copied().sum();
                weigher.backward(weight, value, &[sum], by_weight, by_value);
            }
        }
    }

    #[inline(always)]
    fn number_edges(&mut self, edges: &Edges, by_x: &[R], before: &mut [R]) {
        let pairs = self.network.each(edges.from, edges.count).zip(self.network.each(edges.row, edges.count));
        match (edges.slots, edges.weight.place) {
            (Slots::At(start), _) => {
                let slots = self.network.slice(start, edges.count as usize);
                for ((from, row), &slot) in pairs.zip(slots) {
                    self.by_parameters[slot as usize] += by_x[row] * self.cells[from];
                    before[from] += by_x[row] * self.parameters[slot as usize];
                }
            }
            (_, Place::Plain(place)) => {
                let weight = self.parameters[place as usize];
                let mut by_weight = R::ZERO;
                for (from, row) in pairs {
                    by_weight += by_x[row] * self.cells[from];
                    before[from] += by_x[row] * weight;
                }
                self.by_parameters[place as usize] += by_weight;
            }
            (_, _) => pairs.for_each(|(from, row)| before[from] += by_x[row]),
        }
    }

    #[inline(always)]
    fn facts(&mut self, facts: &Facts, by_x: &[R], size: usize) {
        let Source::Parameters(start) = facts.from else { return };
        for at in 0..facts.count {
            let row = self.network.at(facts.row, at) as usize * size;
            let place = self.network.indices[(start + at) as usize] as usize;
            add_gradient(&by_x[row..row + size], &mut self.by_parameters[place..place + facts.size as usize]);
        }
    }
}
