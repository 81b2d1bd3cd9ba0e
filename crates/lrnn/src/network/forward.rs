//! Forwards: the value of every cell, block by block.

use lrnn_wide::{Work, widest};

use super::kernel::{Weigher, add};
use super::program::{
    Atoms, Block, Edges, Facts, Gather, Groups, List, Move, Network, Neurons, Slots, Source, Sums,
};
use super::schedule::{Place, RuleStep, Schedule};
use crate::function::{Activation, Aggregation, Combination, Real, Shape, View};

/// The values and gradients of a network's cells. It can be used for any network, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Workspace<R> {
    pub(super) cells: Vec<R>,
    pub(super) gradient: Vec<R>,
    /// The entry that max or min chose, for each number of each group.
    pub(super) choices: Vec<u32>,
    /// Values that are needed for a moment only.
    scratch: Vec<R>,
}

impl<R: Real> Workspace<R> {
    /// The value of a query after [`Network::forward`]; `None` outside the model.
    pub fn output(&self, network: &Network, query: usize) -> Option<&[R]> {
        let cell = network.outputs[query]? as usize;
        Some(&self.cells[cell..cell + network.output_sizes[query] as usize])
    }

    /// The first cell that is not a finite number, if any.
    pub fn is_finite(&self) -> bool {
        self.cells.iter().all(|cell| cell.is_finite())
    }
}

/// Everything a block needs.
struct Pass<'a, R> {
    network: &'a Network,
    schedule: &'a Schedule,
    parameters: &'a [R],
}

impl Network {
    /// Computes the value of every cell under these parameters.
    pub fn forward<R: Real>(&self, schedule: &Schedule, parameters: &[R], space: &mut Workspace<R>) {
        widest(Forward { pass: Pass { network: self, schedule, parameters }, space });
    }
}

struct Forward<'a, R> {
    pass: Pass<'a, R>,
    space: &'a mut Workspace<R>,
}

impl<R: Real> Work for Forward<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { pass, space } = self;
        space.cells.clear();
        space.cells.resize(pass.network.cells as usize, R::ZERO);
        space.choices.resize(pass.network.choices as usize, 0);
        for block in &pass.network.blocks {
            match block {
                Block::Move(block) => pass.moves(block, &mut space.cells),
                Block::Sums(block) => pass.shared_sums(block, &mut space.cells),
                Block::Neurons(block) => pass.neurons(block, &mut space.cells),
                Block::Groups(block) => pass.groups(block, space),
                Block::Atoms(block) => pass.atoms(block, &mut space.cells),
            }
        }
    }
}

/// Where the numbers of a weight lie: its slot for this place in the list, or its own place.
#[inline]
pub(super) fn slot(network: &Network, place: Place, slots: Slots, at: u32) -> usize {
    match (slots, place) {
        (Slots::At(start), _) => network.indices[(start + at) as usize] as usize,
        (Slots::Same, Place::Plain(place)) => place as usize,
        (Slots::Same, _) => 0,
    }
}

/// Replaces a run of values, each of `size` numbers.
#[inline(always)]
pub(super) fn activate<R: Real>(activation: Activation, size: usize, values: &mut [R]) {
    match activation {
        Activation::Softmax => values.chunks_exact_mut(size.max(1)).for_each(|value| activation.apply(value)),
        _ => activation.apply(values),
    }
}

impl<R: Real> Pass<'_, R> {
    #[inline(always)]
    fn moves(&self, block: &Move, cells: &mut [R]) {
        let (before, own) = cells.split_at_mut(block.to as usize);
        let (size, from_size) = (block.to_size as usize, block.from_size as usize);
        let is_one = block.weight.place == Place::One;
        let mut weigher = Weigher::new(&block.weight, is_one, block.from_size, block.from_columns);
        let mut turned = vec![R::ZERO; if block.negated { from_size } else { 0 }];
        for at in 0..block.count {
            let place = slot(self.network, block.weight.place, block.slots, at);
            let weight = &self.parameters[place..place + weigher.len()];
            if at == 0 || matches!(block.slots, Slots::At(_)) {
                weigher.prepare(weight);
            }
            let from = self.network.at(block.from, at) as usize;
            let mut value = &before[from..from + from_size];
            if block.negated {
                turned.iter_mut().zip(value).for_each(|(turned, &x)| *turned = R::ONE - x);
                value = &turned;
            }
            weigher.add(weight, value, &mut own[at as usize * size..(at as usize + 1) * size]);
        }
    }

    #[inline(always)]
    fn shared_sums(&self, block: &Sums, cells: &mut [R]) {
        let (before, own) = cells.split_at_mut(block.to as usize);
        let indices = self.network.slice(block.at, (block.count * block.width) as usize);
        sums(indices, block.width as usize, before, R::ZERO, &mut own[..block.count as usize]);
    }

    #[inline(always)]
    fn neurons(&self, block: &Neurons, cells: &mut [R]) {
        let step = self.schedule.step(block.rule);
        let (size, count) = (step.shape.size(), block.count as usize);
        let (before, own) = cells.split_at_mut(block.x as usize);
        let (x, after) = own.split_at_mut(count * size);
        if step.combination != Combination::Sum {
            self.combine(block, step, before, x);
        } else if step.shape.is_number() {
            let base = self.base(step, &block.gather, before);
            let width = block.gather.columns.len();
            let indices = self.network.slice(block.gather.at, width * count);
            sums(indices, width, before, base, x);
        } else {
            self.vector_sums(block, step, before, x);
        }
        if block.y != block.x {
            let y = &mut after[(block.y - block.x) as usize - count * size..][..count * size];
            y.copy_from_slice(x);
            activate(step.activation, size, y);
        }
    }

    /// What all neurons of a sum of numbers share: −k, b0, and the inputs that are the same for all.
    #[inline(always)]
    fn base(&self, step: &RuleStep, gather: &Gather, cells: &[R]) -> R {
        let mut base = R::from_f64(step.constant);
        if let Some((place, _)) = step.offset {
            base += self.parameters[place as usize];
        }
        gather.same.iter().for_each(|&(_, cell)| base += cells[cell as usize]);
        base
    }

    #[inline(always)]
    fn vector_sums(&self, block: &Neurons, step: &RuleStep, cells: &[R], x: &mut [R]) {
        let size = step.shape.size();
        let input = |input: u32, cell: u32| {
            let from = cell as usize;
            &cells[from..from + step.inputs[input as usize].shape.size()]
        };
        let mut base = vec![R::from_f64(step.constant); size];
        if let Some((place, shape)) = step.offset {
            add(&self.parameters[place as usize..place as usize + shape.size()], &mut base);
        }
        block.gather.same.iter().for_each(|&(at, cell)| add(input(at, cell), &mut base));
        let width = block.gather.columns.len();
        let indices = self.network.slice(block.gather.at, width * block.count as usize);
        for (at, x) in x.chunks_exact_mut(size).enumerate() {
            x.copy_from_slice(&base);
            for (&column, &cell) in block.gather.columns.iter().zip(&indices[at * width..]) {
                add(input(column, cell), x);
            }
        }
    }

    /// Any other combination, neuron by neuron.
    fn combine(&self, block: &Neurons, step: &RuleStep, cells: &[R], x: &mut [R]) {
        let size = step.shape.size();
        for (at, x) in x.chunks_exact_mut(size).enumerate() {
            let inputs = self.network.views(&block.gather, step, at, cells);
            x.fill(R::ZERO);
            if let Some((value, _)) = step.combination.apply(&inputs) {
                add(&value, x);
            }
            let constant = R::from_f64(step.constant);
            x.iter_mut().for_each(|x| *x += constant);
            if let Some((place, shape)) = step.offset {
                add(&self.parameters[place as usize..place as usize + shape.size()], x);
            }
        }
    }

    #[inline(always)]
    fn groups(&self, block: &Groups, space: &mut Workspace<R>) {
        let Workspace { cells, choices, scratch, .. } = space;
        let step = self.schedule.step(block.rule);
        let (size, count) = (step.shape.size(), block.count as usize);
        let (before, own) = cells.split_at_mut(block.x as usize);
        let (x, after) = own.split_at_mut(count * size);
        let choices = &mut choices[block.choice as usize..][..count * size];
        let ends = self.network.slice(block.ends, count + 1);
        let is_max = step.aggregation == Aggregation::Max;
        match (&block.fused, step.aggregation) {
            (Some(gather), _) => {
                let base = self.base(step, gather, before);
                let (neurons, width) = (ends[count] as usize, gather.columns.len());
                let indices = self.network.slice(gather.at, width * neurons);
                scratch.resize(neurons, R::ZERO);
                sums(indices, width, before, base, scratch);
                best_of_runs(scratch, is_max, ends, x, choices);
            }
            (None, Aggregation::Max | Aggregation::Min) => self.best(block, size, is_max, before, x, choices),
            (None, Aggregation::Sum | Aggregation::Mean | Aggregation::Count) => {
                self.total(block, size, step.aggregation, before, x);
            }
            (None, Aggregation::Product | Aggregation::Softmax) => {
                for (at, x) in x.chunks_exact_mut(size).enumerate() {
                    let rows = self.network.rows(block, at, size).map(|cell| &before[cell..cell + size]);
                    step.aggregation.apply(rows, x);
                }
            }
        }
        if block.y != block.x {
            let y = &mut after[(block.y - block.x) as usize - count * size..][..count * size];
            y.copy_from_slice(x);
            activate(step.activation, size, y);
        }
    }

    #[inline(always)]
    fn best(&self, block: &Groups, size: usize, is_max: bool, cells: &[R], x: &mut [R], choices: &mut [u32]) {
        let ends = self.network.slice(block.ends, block.count as usize + 1);
        for (group, pair) in ends.windows(2).enumerate() {
            let range = group * size..(group + 1) * size;
            let (x, choices) = (&mut x[range.clone()], &mut choices[range]);
            for entry in pair[0]..pair[1] {
                let cell = self.network.at(block.entries, entry) as usize;
                for (at, &value) in cells[cell..cell + size].iter().enumerate() {
                    let better = if is_max { x[at] < value } else { x[at] > value };
                    if entry == pair[0] || value.beats(x[at], better) {
                        x[at] = value;
                        choices[at] = entry;
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn total(&self, block: &Groups, size: usize, aggregation: Aggregation, cells: &[R], x: &mut [R]) {
        let ends = self.network.slice(block.ends, block.count as usize + 1);
        for (x, pair) in x.chunks_exact_mut(size).zip(ends.windows(2)) {
            x.fill(R::ZERO);
            let mut total = 0_u64;
            for entry in pair[0]..pair[1] {
                let count = block.counts.map_or(1, |at| self.network.indices[(at + entry) as usize]);
                total += u64::from(count);
                let cell = self.network.at(block.entries, entry) as usize;
                let factor = R::from_f64(f64::from(count));
                let value = &cells[cell..cell + size];
                match count {
                    1 => add(value, x),
                    _ => x.iter_mut().zip(value).for_each(|(x, &value)| *x += factor * value),
                }
            }
            let total = R::from_f64(total as f64);
            match aggregation {
                Aggregation::Count => x.fill(total),
                Aggregation::Mean => x.iter_mut().for_each(|x| *x = *x / total),
                _ => {}
            }
        }
    }

    #[inline(always)]
    fn atoms(&self, block: &Atoms, cells: &mut [R]) {
        let step = &self.schedule.atoms[block.predicate.index()];
        let (size, count) = (step.shape.size(), block.count as usize);
        let (before, own) = cells.split_at_mut(block.x as usize);
        let (x, after) = own.split_at_mut(count * size);
        if let Some(ordered) = &block.ordered {
            let (before, contributions) = before.split_at_mut(ordered.first as usize);
            self.contribute(block, before, contributions);
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
            block.edges.iter().for_each(|edges| self.add_edges(edges, before, x, size));
            block.facts.iter().for_each(|facts| self.add_facts(facts, x, size));
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
        if block.y != block.x {
            let y = &mut after[(block.y - block.x) as usize - count * size..][..count * size];
            y.copy_from_slice(x);
            activate(step.activation, size, y);
        }
    }

    /// Adds weight · group to the atoms of each edge.
    #[inline(always)]
    fn add_edges(&self, edges: &Edges, cells: &[R], x: &mut [R], size: usize) {
        if edges.from_size == 1 && size == 1 {
            return self.add_numbers(edges, cells, x);
        }
        let is_one = edges.weight.place == Place::One;
        let mut weigher = Weigher::new(&edges.weight, is_one, edges.from_size, edges.from_columns);
        let (from_size, own_size) = (edges.from_size as usize, edges.size as usize);
        // A number that is added to a vector goes by way of a place of its own.
        let mut single = [R::ZERO];
        for at in 0..edges.count {
            let place = slot(self.network, edges.weight.place, edges.slots, at);
            let weight = &self.parameters[place..place + weigher.len()];
            if at == 0 || matches!(edges.slots, Slots::At(_)) {
                weigher.prepare(weight);
            }
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
            (Slots::Same, Place::Plain(place)) => {
                let weight = self.parameters[place as usize];
                pairs.for_each(|(from, row)| x[row] += weight * cells[from]);
            }
            (Slots::Same, _) => pairs.for_each(|(from, row)| x[row] += cells[from]),
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
    fn contribute(&self, block: &Atoms, before: &[R], contributions: &mut [R]) {
        let mut rest = contributions;
        for edges in &block.edges {
            let (own, after) = rest.split_at_mut((edges.count * edges.size) as usize);
            let alone = Edges { row: List::Run(0, 1), ..*edges };
            self.add_edges(&alone, before, own, edges.size as usize);
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

impl Network {
    /// The inputs of a neuron, in the order of the rule.
    pub(super) fn views<'a, R>(
        &self,
        gather: &Gather,
        step: &RuleStep,
        at: usize,
        cells: &'a [R],
    ) -> Vec<View<'a, R>> {
        (0..step.inputs.len())
            .map(|input| {
                let shape = step.inputs[input].shape;
                let cell = self.input_cell(gather, at, input) as usize;
                (&cells[cell..cell + shape.size()], shape)
            })
            .collect()
    }

    /// The cell of an input of a neuron.
    pub(super) fn input_cell(&self, gather: &Gather, at: usize, input: usize) -> u32 {
        if let Some((_, cell)) = gather.same.iter().find(|(same, _)| *same as usize == input) {
            return *cell;
        }
        let column = gather.columns.iter().position(|&column| column as usize == input).unwrap_or(0);
        self.indices[gather.at as usize + at * gather.columns.len() + column]
    }

    /// The cells of a group's entries, each as often as it counts.
    pub(super) fn rows<'a>(
        &'a self,
        block: &'a Groups,
        group: usize,
        _size: usize,
    ) -> impl Iterator<Item = usize> + Clone + 'a {
        let ends = self.slice(block.ends + group as u32, 2);
        (ends[0]..ends[1]).flat_map(move |entry| {
            let count = block.counts.map_or(1, |at| self.indices[(at + entry) as usize]);
            std::iter::repeat_n(self.at(block.entries, entry) as usize, count as usize)
        })
    }

    /// The contributions to an atom, in order, from the cells of all contributions.
    pub(super) fn contributions<'a, R>(&self, block: &Atoms, at: usize, cells: &'a [R]) -> Vec<View<'a, R>> {
        let Some(ordered) = &block.ordered else { return Vec::new() };
        let ends = self.slice(ordered.ends + at as u32, 2);
        (ends[0]..ends[1])
            .map(|part| {
                let cell = (self.indices[(ordered.cells + part) as usize] - ordered.first) as usize;
                let size = self.indices[(ordered.sizes + part) as usize];
                let columns = self.indices[(ordered.columns + part) as usize].max(1);
                (&cells[cell..cell + size as usize], Shape::matrix(size / columns, columns))
            })
            .collect()
    }
}

/// `x[i] = base + Σ inputs`, for numbers.
#[inline(always)]
fn sums<R: Real>(indices: &[u32], width: usize, cells: &[R], base: R, x: &mut [R]) {
    macro_rules! of_width {
        ($($width:literal),*) => {
            match width {
                0 => x.fill(base),
                $($width => sums_of::<R, $width>(indices, cells, base, x),)*
                _ => {
                    for (x, row) in x.iter_mut().zip(indices.chunks_exact(width)) {
                        *x = row.iter().fold(base, |sum, &cell| sum + cells[cell as usize]);
                    }
                }
            }
        };
    }
    of_width!(1, 2, 3, 4, 5, 6, 7, 8);
}

#[inline(always)]
fn sums_of<R: Real, const WIDTH: usize>(indices: &[u32], cells: &[R], base: R, x: &mut [R]) {
    for (x, row) in x.iter_mut().zip(indices.as_chunks::<WIDTH>().0) {
        *x = sum(row, cells, base);
    }
}

#[inline(always)]
fn sum<R: Real, const WIDTH: usize>(row: &[u32; WIDTH], cells: &[R], base: R) -> R {
    row.iter().fold(base, |sum, &cell| sum + cells[cell as usize])
}

/// The best of each run of values, and its place among all; the first of equal ones.
#[inline(always)]
fn best_of_runs<R: Real>(values: &[R], is_max: bool, ends: &[u32], x: &mut [R], choices: &mut [u32]) {
    for ((pair, x), choice) in ends.windows(2).zip(x).zip(choices) {
        let run = &values[pair[0] as usize..pair[1] as usize];
        // What is not a number stays in the cells it came from, and is found there.
        *x = match is_max {
            true => best(run, |best, next| if next > best { next } else { best }),
            false => best(run, |best, next| if next < best { next } else { best }),
        };
        *choice = pair[0] + run.iter().position(|value| value == x).unwrap_or(0) as u32;
    }
}

/// The best of a run, in lanes: it does not matter in which order they are compared.
#[inline(always)]
fn best<R: Real>(run: &[R], better: impl Fn(R, R) -> R) -> R {
    const LANES: usize = 8;
    let (chunks, rest) = run.as_chunks::<LANES>();
    let Some(&first) = run.first() else { return R::ZERO };
    let mut lanes = [first; LANES];
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, &next)| *lane = better(*lane, next));
    }
    let best = lanes.into_iter().fold(first, &better);
    rest.iter().fold(best, |best, &next| better(best, next))
}
