//! Backwards: the gradient by every cell and every parameter, block by block, the last block first.

mod atoms;
mod groups;
mod neurons;
mod repeat;
mod stage;
mod weighing;

use lrnn_wide::Work;

use self::repeat::GradientSeries;
use super::forward::{Scratch, Workspace};
use super::kernel::{add, add_gradient, total};
use super::program::{Block, Move, Network};
use super::schedule::Schedule;
use super::settling::Settling;
use crate::function::{Activation, PerReal, Real, Shape};

/// The parts of a pass that all tasks of a stage share.
#[derive(Clone, Copy)]
struct ForwardResult<'a, R> {
    network: &'a Network,
    schedule: &'a Schedule,
    parameters: &'a [R],
    cells: &'a [R],
    choices: &'a [u32],
}

struct BackwardPass<'a, R> {
    given: ForwardResult<'a, R>,
    /// The gradient by the parameters from this one on: by all, but for a part of a stage.
    first_parameter: usize,
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
        R::own::<BackwardWalk>(backward_single, backward_double)(
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
    ) -> GradientPass<'a, R> {
        let Workspace { cells, gradient, choices, scratch, settling, gradient_failed } = space;
        gradient.reset(self.cells as usize);
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
        let given = ForwardResult { network: self, schedule, parameters, cells, choices };
        let pass = BackwardPass { given, first_parameter: 0, by_parameters, scratch };
        GradientPass { pass, gradient, settling, failed: gradient_failed }
    }
}

/// Gives the gradient by the value of a query.
type Seed<'a, R> = &'a mut dyn FnMut(usize, &[R], &mut [R]);

/// The walk backwards, compiled here once for each number type.
struct BackwardWalk;

impl PerReal for BackwardWalk {
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

struct GradientPass<'a, R> {
    pass: BackwardPass<'a, R>,
    gradient: &'a mut [R],
    settling: &'a [Settling<R>],
    failed: &'a mut bool,
}

impl<R: Real> Work for GradientPass<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { mut pass, gradient, settling, failed } = self;
        let mut series = GradientSeries::default();
        let mut next = pass.given.network.blocks.len();
        while let Some(block) = next.checked_sub(1).map(|last| &pass.given.network.blocks[last]) {
            if !pass.given.network.stages.is_empty()
                && let Some(stage) = pass.given.network.stage(next, |stage| stage.blocks.end)
                && pass.stage(stage, gradient)
            {
                next = stage.blocks.start;
                continue;
            }
            next -= 1;
            match block {
                Block::Move(block) => pass.moves(block, gradient),
                Block::Sums(block) => pass.shared_sums(block, gradient),
                Block::Neurons(block) => pass.neurons(block, gradient),
                Block::Groups(block) => pass.groups(block, gradient),
                Block::Atoms(block) => pass.atoms(block, gradient),
                Block::Settle(number) => {
                    series.begin(&pass.given.network.repeats[*number as usize], settling, gradient);
                }
                Block::Enter(number) => {
                    let repeat = &pass.given.network.repeats[*number as usize];
                    if series.again(repeat, settling, gradient) {
                        next = repeat.blocks.end;
                    }
                    *failed |= series.has_failed;
                }
            }
        }
    }
}

impl<R: Real> BackwardPass<'_, R> {
    /// Turns the gradient after an activation into that before it, and puts it where the cells before it are. The
    /// gradient is that by the cells from `x` on.
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
        let (from, to) = (x as usize, y as usize);
        let (inputs, outputs) = (&self.given.cells[from..from + all], &self.given.cells[to..to + all]);
        let by_y = &mut gradient[to - from..to - from + all];
        if activation.is_joint() {
            let values =
                inputs.chunks_exact(size).zip(outputs.chunks_exact(size)).zip(by_y.chunks_exact_mut(size));
            values.for_each(|((inputs, outputs), by_y)| activation.backward(inputs, outputs, by_y));
        } else {
            activation.backward(inputs, outputs, by_y);
        }
        if x != y {
            gradient.copy_within(to - from..to - from + all, 0);
        }
    }

    /// Adds to the gradient by an offset that all values of `size` numbers share.
    #[inline(always)]
    fn offset(&mut self, place: u32, shape: Shape, size: usize, by_x: &[R]) {
        let place = place as usize - self.first_parameter;
        let by_offset = &mut self.by_parameters[place..place + shape.size()];
        match (size, &mut *by_offset) {
            (1, [by_number]) => *by_number += total(by_x, |&by_x| by_x),
            _ => by_x.chunks_exact(size).for_each(|by_x| add_gradient(by_x, by_offset)),
        }
    }

    #[inline(always)]
    fn moves(&mut self, Move { weighing, to }: &Move, gradient: &mut [R]) {
        let (before, own) = gradient.split_at_mut(*to as usize);
        self.weigh(weighing, own, weighing.size as usize, before, 0);
    }
}
