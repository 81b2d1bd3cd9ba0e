//! Backwards: the gradient by every cell and every parameter, block by block, the last block first.

mod atoms;
mod groups;
mod neurons;

use lrnn_wide::Work;

use super::forward::{Scratch, Workspace, slot};
use super::kernel::{Weigher, add, add_gradient, total};
use super::product::{Columns, Matrix};
use super::program::{Block, List, Move, Network};
use super::schedule::{Place, Schedule};
use crate::function::{Activation, PerReal, Real, Shape};

struct Pass<'a, R> {
    network: &'a Network,
    schedule: &'a Schedule,
    parameters: &'a [R],
    cells: &'a [R],
    choices: &'a [u32],
    /// The gradient by the parameters.
    by_parameters: &'a mut [R],
    scratch: &'a mut Scratch<R>,
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
        R::own::<Run>(backward_single, backward_double)(
            self,
            schedule,
            parameters,
            space,
            &mut seed,
            by_parameters,
        );
    }

    /// Puts the seeds where the outputs are, and takes everything apart for the walk.
    #[inline(always)]
    fn seeded<'a, R: Real>(
        &'a self,
        schedule: &'a Schedule,
        parameters: &'a [R],
        space: &'a mut Workspace<R>,
        seed: Seed<'_, R>,
        by_parameters: &'a mut [R],
    ) -> Backward<'a, R> {
        let Workspace { cells, gradient, choices, scratch } = space;
        gradient.clear();
        gradient.resize(self.cells as usize, R::ZERO);
        for (query, (cell, &size)) in self.outputs.iter().zip(&self.output_sizes).enumerate() {
            if let Some(cell) = cell {
                let range = *cell as usize..(*cell + size) as usize;
                let of_query = &mut scratch.gradients;
                of_query.clear();
                of_query.resize(size as usize, R::ZERO);
                seed(query, &cells[range.clone()], of_query);
                add(of_query, &mut gradient[range]);
            }
        }
        let pass = Pass { network: self, schedule, parameters, cells, choices, by_parameters, scratch };
        Backward { pass, gradient }
    }
}

/// Gives the gradient by the value of a query.
type Seed<'a, R> = &'a mut dyn FnMut(usize, &[R], &mut [R]);

/// The walk backwards, compiled here once for each number type.
struct Run;

impl PerReal for Run {
    type Of<R: Real> = fn(&Network, &Schedule, &[R], &mut Workspace<R>, Seed<'_, R>, &mut [R]);
}

macro_rules! walks {
    ($($name:ident: $real:ty),*) => {$(
        #[inline(never)]
        fn $name(
            network: &Network,
            schedule: &Schedule,
            parameters: &[$real],
            space: &mut Workspace<$real>,
            seed: Seed<'_, $real>,
            by_parameters: &mut [$real],
        ) {
            <$real>::work(network.seeded(schedule, parameters, space, seed, by_parameters));
        }
    )*};
}
walks!(backward_single: f32, backward_double: f64);

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
        all: usize,
        size: usize,
        gradient: &mut [R],
    ) {
        let (from, to) = (x as usize..x as usize + all, y as usize..y as usize + all);
        let (inputs, outputs) = (&self.cells[from.clone()], &self.cells[to.clone()]);
        let by_y = &mut gradient[to.clone()];
        if activation == Activation::Softmax {
            let values =
                inputs.chunks_exact(size).zip(outputs.chunks_exact(size)).zip(by_y.chunks_exact_mut(size));
            values.for_each(|((inputs, outputs), by_y)| activation.backward(inputs, outputs, by_y));
        } else {
            activation.backward(inputs, outputs, by_y);
        }
        if x != y {
            gradient.copy_within(to, from.start);
        }
    }

    /// Adds to the gradient by an offset that all values of `size` numbers share.
    #[inline(always)]
    fn offset(&mut self, place: u32, shape: Shape, size: usize, by_x: &[R]) {
        let by_offset = &mut self.by_parameters[place as usize..place as usize + shape.size()];
        match (size, &mut *by_offset) {
            (1, [by_number]) => *by_number += total(by_x),
            _ => by_x.chunks_exact(size).for_each(|by_x| add_gradient(by_x, by_offset)),
        }
    }

    #[inline(always)]
    fn moves(&mut self, block: &Move, gradient: &mut [R]) {
        let (before, own) = gradient.split_at_mut(block.to as usize);
        let (size, from_size) = (block.to_size as usize, block.from_size as usize);
        let is_one = block.weight.place == Place::One;
        let weigher = Weigher::new(&block.weight, is_one, block.from_size, block.from_columns);
        if let (Some(matrix), false) =
            (Matrix::of(self.network, &block.weight, block.slots, &weigher), block.negated)
        {
            let values = Columns { list: block.from, count: block.count, size: from_size, scale: 1 };
            let gradients = Columns { list: List::Run(0, 1), count: block.count, size, scale: size };
            return self.matrix(&matrix, values, gradients, own, before);
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

    /// One matrix times many columns.
    #[inline(always)]
    fn matrix(&mut self, matrix: &Matrix, values: Columns, products: Columns, own: &[R], before: &mut [R]) {
        let Scratch { values: copy, sums, gradients, .. } = &mut *self.scratch;
        let gradients = products.lined_up(self.network, own, gradients);
        let numbers = values.lined_up(self.network, self.cells, copy);
        if let Some(first) = values.first() {
            let by_values = &mut before[first..first + numbers.len()];
            return matrix.backward(self.parameters, numbers, gradients, self.by_parameters, by_values);
        }
        let by_values = values.zeros(sums);
        matrix.backward(self.parameters, numbers, gradients, self.by_parameters, by_values);
        values.scatter(self.network, before, by_values);
    }
}
