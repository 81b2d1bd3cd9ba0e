//! Backwards: the gradient by every cell and every parameter, block by block, the last block first.

use lrnn_wide::{Work, widest};

use super::forward::{Workspace, slot};
use super::kernel::{Weigher, add, add_gradient};
use super::program::{
    Atoms, Block, Edges, Facts, Gather, Groups, List, Move, Network, Neurons, Slots, Source, Sums,
};
use super::schedule::{Place, RuleStep, Schedule};
use crate::function::{Activation, Aggregation, Combination, Real};

struct Pass<'a, R> {
    network: &'a Network,
    schedule: &'a Schedule,
    parameters: &'a [R],
    cells: &'a [R],
    choices: &'a [u32],
    /// The gradient by the parameters.
    by_parameters: &'a mut [R],
}

impl Network {
    /// Adds to `by_parameters` the gradient of Σ seed · output, after [`Network::forward`] with the same parameters.
    /// `seed` gives, for each query in the model, the gradient by its value.
    pub fn backward<R: Real>(
        &self,
        schedule: &Schedule,
        parameters: &[R],
        space: &mut Workspace<R>,
        mut seed: impl FnMut(usize, &[R], &mut [R]),
        by_parameters: &mut [R],
    ) {
        let Workspace { cells, gradient, choices, .. } = space;
        gradient.clear();
        gradient.resize(self.cells as usize, R::ZERO);
        for (query, (cell, &size)) in self.outputs.iter().zip(&self.output_sizes).enumerate() {
            if let Some(cell) = cell {
                let range = *cell as usize..(*cell + size) as usize;
                let mut of_query = vec![R::ZERO; size as usize];
                seed(query, &cells[range.clone()], &mut of_query);
                add(&of_query, &mut gradient[range]);
            }
        }
        widest(Backward {
            pass: Pass { network: self, schedule, parameters, cells, choices, by_parameters },
            gradient,
        });
    }
}

struct Backward<'a, R> {
    pass: Pass<'a, R>,
    gradient: &'a mut [R],
}

impl<R: Real> Work for Backward<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { mut pass, gradient } = self;
        for block in pass.network.blocks.iter().rev() {
            match block {
                Block::Move(block) => pass.moves(block, gradient),
                Block::Sums(block) => pass.shared_sums(block, gradient),
                Block::Neurons(block) => pass.neurons(block, gradient),
                Block::Groups(block) => pass.groups(block, gradient),
                Block::Atoms(block) => pass.atoms(block, gradient),
            }
        }
    }
}

impl<R: Real> Pass<'_, R> {
    /// Turns the gradient after an activation into that before it, and puts it where the cells before it are.
    #[inline(always)]
    fn deactivate(
        &self,
        activation: Activation,
        x: u32,
        y: u32,
        count: usize,
        size: usize,
        gradient: &mut [R],
    ) {
        if x == y {
            return;
        }
        let (x, y, all) = (x as usize, y as usize, count * size);
        let (head, tail) = gradient.split_at_mut(y);
        let (by_x, by_y) = (&mut head[x..x + all], &mut tail[..all]);
        let (inputs, outputs) = (&self.cells[x..x + all], &self.cells[y..y + all]);
        if activation == Activation::Softmax {
            let values =
                inputs.chunks_exact(size).zip(outputs.chunks_exact(size)).zip(by_y.chunks_exact_mut(size));
            values.for_each(|((inputs, outputs), by_y)| activation.backward(inputs, outputs, by_y));
        } else {
            activation.backward(inputs, outputs, by_y);
        }
        by_x.copy_from_slice(by_y);
    }

    #[inline(always)]
    fn moves(&mut self, block: &Move, gradient: &mut [R]) {
        let (before, own) = gradient.split_at_mut(block.to as usize);
        let (size, from_size) = (block.to_size as usize, block.from_size as usize);
        let is_one = block.weight.place == Place::One;
        let weigher = Weigher::new(&block.weight, is_one, block.from_size, block.from_columns);
        if let (Slots::Same, Place::Plain(place), true) =
            (block.slots, block.weight.place, weigher.is_matrix_of_columns() && !block.negated)
        {
            let gradients = &own[..block.count as usize * size];
            return self.matrix(&weigher, place, (block.from, block.count), from_size, gradients, before);
        }
        let mut turned = vec![R::ZERO; if block.negated { from_size } else { 0 }];
        let mut by_turned = turned.clone();
        for at in 0..block.count {
            let place = slot(self.network, block.weight.place, block.slots, at);
            let range = place..place + weigher.len();
            let from = self.network.at(block.from, at) as usize;
            let value = &self.cells[from..from + from_size];
            let by_value = &mut before[from..from + from_size];
            let by_product = &own[at as usize * size..(at as usize + 1) * size];
            let (weight, by_weight) = (&self.parameters[range.clone()], &mut self.by_parameters[range]);
            if block.negated {
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
    fn neurons(&mut self, block: &Neurons, gradient: &mut [R]) {
        let schedule = self.schedule;
        let step = schedule.step(block.rule);
        let (size, count) = (step.shape.size(), block.count as usize);
        self.deactivate(step.activation, block.x, block.y, count, size, gradient);
        let (before, own) = gradient.split_at_mut(block.x as usize);
        let by_x = &own[..count * size];
        if let Some((place, shape)) = step.offset {
            let by_offset = &mut self.by_parameters[place as usize..place as usize + shape.size()];
            by_x.chunks_exact(size).for_each(|by_x| add_gradient(by_x, by_offset));
        }
        if step.combination != Combination::Sum {
            self.combine(block, step, by_x, before);
        } else if step.shape.is_number() {
            self.sums(&block.gather, by_x, before);
        } else {
            self.vector_sums(block, step, by_x, before);
        }
    }

    #[inline(always)]
    fn shared_sums(&self, block: &Sums, gradient: &mut [R]) {
        let (before, own) = gradient.split_at_mut(block.to as usize);
        let indices = self.network.slice(block.at, (block.count * block.width) as usize);
        spread_sums(indices, block.width as usize, &own[..block.count as usize], before);
    }

    #[inline(always)]
    fn sums(&self, gather: &Gather, by_x: &[R], before: &mut [R]) {
        let width = gather.columns.len();
        spread_sums(self.network.slice(gather.at, width * by_x.len()), width, by_x, before);
        if !gather.same.is_empty() {
            let total: R = by_x.iter().copied().sum();
            gather.same.iter().for_each(|&(_, cell)| before[cell as usize] += total);
        }
    }

    #[inline(always)]
    fn vector_sums(&self, block: &Neurons, step: &RuleStep, by_x: &[R], before: &mut [R]) {
        let size = step.shape.size();
        let width = block.gather.columns.len();
        let indices = self.network.slice(block.gather.at, width * block.count as usize);
        for (at, by_x) in by_x.chunks_exact(size).enumerate() {
            let differ = block.gather.columns.iter().copied().zip(indices[at * width..].iter().copied());
            for (input, cell) in differ.take(width).chain(block.gather.same.iter().copied()) {
                let input_size = step.inputs[input as usize].shape.size();
                add_gradient(by_x, &mut before[cell as usize..cell as usize + input_size]);
            }
        }
    }

    fn combine(&self, block: &Neurons, step: &RuleStep, by_x: &[R], before: &mut [R]) {
        for (at, by_x) in by_x.chunks_exact(step.shape.size()).enumerate() {
            let inputs = self.network.views(&block.gather, step, at, self.cells);
            let Some(by_inputs) = step.combination.backward(&inputs, &self.spread_back(step, &inputs, by_x))
            else {
                continue;
            };
            for (input, by_input) in by_inputs.iter().enumerate() {
                let cell = self.network.input_cell(&block.gather, at, input) as usize;
                add(by_input, &mut before[cell..cell + by_input.len()]);
            }
        }
    }

    /// The gradient by a combination's result, where the offset is larger than the result.
    fn spread_back(&self, step: &RuleStep, inputs: &[crate::function::View<'_, R>], by_x: &[R]) -> Vec<R> {
        let shapes: Vec<_> = inputs.iter().map(|(_, shape)| *shape).collect();
        let size = step.combination.shape(&shapes).map_or(by_x.len(), |shape| shape.size());
        let mut by_result = vec![R::ZERO; size];
        add_gradient(by_x, &mut by_result);
        by_result
    }

    #[inline(always)]
    fn groups(&mut self, block: &Groups, gradient: &mut [R]) {
        let schedule = self.schedule;
        let step = schedule.step(block.rule);
        let (size, count) = (step.shape.size(), block.count as usize);
        self.deactivate(step.activation, block.x, block.y, count, size, gradient);
        let (before, own) = gradient.split_at_mut(block.x as usize);
        let by_x = &own[..count * size];
        match (&block.fused, step.aggregation) {
            (Some(gather), _) => self.fused(block, gather, step, by_x, before),
            (None, Aggregation::Max | Aggregation::Min) => {
                let choices = &self.choices[block.choice as usize..][..count * size];
                for (at, (&by_x, &choice)) in by_x.iter().zip(choices).enumerate() {
                    before[self.network.at(block.entries, choice) as usize + at % size] += by_x;
                }
            }
            (None, Aggregation::Sum | Aggregation::Mean) => self.total(block, step, by_x, before),
            (None, Aggregation::Count) => {}
            (None, Aggregation::Product | Aggregation::Softmax) => {
                for (group, by_x) in by_x.chunks_exact(size).enumerate() {
                    let cells: Vec<usize> = self.network.rows(block, group, size).collect();
                    let rows = cells.iter().map(|&cell| &self.cells[cell..cell + size]);
                    let mut by_rows = vec![R::ZERO; cells.len() * size];
                    step.aggregation.backward(&rows, by_x, &mut by_rows);
                    for (&cell, by_row) in cells.iter().zip(by_rows.chunks_exact(size)) {
                        add(by_row, &mut before[cell..cell + size]);
                    }
                }
            }
        }
    }

    /// Max and min of sums: the gradient goes to the inputs of the chosen neuron.
    #[inline(always)]
    fn fused(&mut self, block: &Groups, gather: &Gather, step: &RuleStep, by_x: &[R], before: &mut [R]) {
        let choices = &self.choices[block.choice as usize..][..by_x.len()];
        let width = gather.columns.len();
        let mut total = R::ZERO;
        for (&by_x, &choice) in by_x.iter().zip(choices) {
            total += by_x;
            let row = self.network.slice(gather.at + choice * width as u32, width);
            row.iter().for_each(|&cell| before[cell as usize] += by_x);
        }
        gather.same.iter().for_each(|&(_, cell)| before[cell as usize] += total);
        if let Some((place, _)) = step.offset {
            self.by_parameters[place as usize] += total;
        }
    }

    #[inline(always)]
    fn total(&self, block: &Groups, step: &RuleStep, by_x: &[R], before: &mut [R]) {
        let size = step.shape.size();
        let ends = self.network.slice(block.ends, block.count as usize + 1);
        for (by_x, pair) in by_x.chunks_exact(size).zip(ends.windows(2)) {
            let count = |entry: u32| block.counts.map_or(1, |at| self.network.indices[(at + entry) as usize]);
            let total: u64 = (pair[0]..pair[1]).map(|entry| u64::from(count(entry))).sum();
            let mean = step.aggregation == Aggregation::Mean;
            let share = if mean { R::ONE / R::from_f64(total as f64) } else { R::ONE };
            for entry in pair[0]..pair[1] {
                let cell = self.network.at(block.entries, entry) as usize;
                let factor = share * R::from_f64(f64::from(count(entry)));
                for (before, &by_x) in before[cell..cell + size].iter_mut().zip(by_x) {
                    *before += factor * by_x;
                }
            }
        }
    }

    #[inline(always)]
    fn atoms(&mut self, block: &Atoms, gradient: &mut [R]) {
        let schedule = self.schedule;
        let step = &schedule.atoms[block.predicate.index()];
        let (size, count) = (step.shape.size(), block.count as usize);
        self.deactivate(step.activation, block.x, block.y, count, size, gradient);
        let (before, own) = gradient.split_at_mut(block.x as usize);
        let by_x = &own[..count * size];
        if let (false, Some((place, shape))) = (block.plain, step.offset) {
            let by_offset = &mut self.by_parameters[place as usize..place as usize + shape.size()];
            by_x.chunks_exact(size).for_each(|by_x| add_gradient(by_x, by_offset));
        }
        let Some(ordered) = &block.ordered else {
            block.edges.iter().for_each(|edges| self.edges(edges, by_x, size, before));
            block.facts.iter().for_each(|facts| self.facts(facts, by_x, size));
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
        if let (Slots::Same, Place::Plain(place), true) =
            (edges.slots, edges.weight.place, weigher.is_matrix_of_columns() && own_size == size)
        {
            let gradients =
                self.network.each(edges.row, edges.count).map(|row| &by_x[row * size..(row + 1) * size]);
            let gradients: Vec<R> = gradients.flatten().copied().collect();
            return self.matrix(&weigher, place, (edges.from, edges.count), from_size, &gradients, before);
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

    /// One matrix times many columns, from a list of cells.
    #[inline(always)]
    fn matrix(
        &mut self,
        weigher: &Weigher<R>,
        place: u32,
        (from, count): (List, u32),
        size: usize,
        gradients: &[R],
        before: &mut [R],
    ) {
        let cells = || self.network.each(from, count);
        let values: Vec<R> = cells().flat_map(|cell| &self.cells[cell..cell + size]).copied().collect();
        let mut by_values = vec![R::ZERO; values.len()];
        let range = place as usize..place as usize + weigher.len();
        let by_weight = &mut self.by_parameters[range.clone()];
        weigher.backward_many(&self.parameters[range], &values, gradients, by_weight, &mut by_values);
        for (cell, by_value) in cells().zip(by_values.chunks_exact(size)) {
            add(by_value, &mut before[cell..cell + size]);
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
            (Slots::Same, Place::Plain(place)) => {
                let weight = self.parameters[place as usize];
                let mut by_weight = R::ZERO;
                for (from, row) in pairs {
                    by_weight += by_x[row] * self.cells[from];
                    before[from] += by_x[row] * weight;
                }
                self.by_parameters[place as usize] += by_weight;
            }
            (Slots::Same, _) => pairs.for_each(|(from, row)| before[from] += by_x[row]),
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

/// Adds the gradient by each sum to those by its cells.
#[inline(always)]
fn spread_sums<R: Real>(indices: &[u32], width: usize, by_x: &[R], before: &mut [R]) {
    if width > 0 {
        for (&by_x, row) in by_x.iter().zip(indices.chunks_exact(width)) {
            row.iter().for_each(|&cell| before[cell as usize] += by_x);
        }
    }
}
