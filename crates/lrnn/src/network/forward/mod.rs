//! Forwards: the value of every cell, block by block.

mod atoms;
mod groups;
mod neurons;
mod repeat;
mod weighing;

use std::ops::Range;

use lrnn_wide::Work;
use rayon::prelude::*;

pub use self::repeat::CycleCounts;
use self::repeat::{begin_settling, settle};
use super::cells::CellValues;
use super::program::{Block, Move, Network, NetworkStage, Slots};
use super::schedule::{ParameterPlace, Schedule};
use super::settling::Settling;
use crate::function::{Activation, PerReal, Real, Shape};
use crate::threads::has_threads;
use crate::vocabulary::PredicateId;

/// The values and gradients of a network's cells. It can be used for any network, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Workspace<R> {
    pub(super) cells: CellValues<R>,
    pub(super) gradient: CellValues<R>,
    /// The entry that max or min chose, for each number of each group.
    pub(super) choices: Vec<u32>,
    pub(super) scratch: Scratch<R>,
    /// The components of atoms that need each other.
    pub(super) settling: Vec<Settling<R>>,
    /// True if the gradient of a component was still growing in the end.
    pub(super) gradient_failed: bool,
}

/// Numbers that are needed for a moment only.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch<R> {
    pub values: Vec<R>,
    pub sums: Vec<R>,
    /// The rows that have the best pair of two sums.
    pub chosen: Vec<u32>,
    /// A matrix, its rows and columns exchanged.
    turned: Vec<R>,
    pub gradients: Vec<R>,
    /// Changes of the atoms of a repeat in the last sweep, or what was added to their gradients.
    pub changes: Vec<R>,
}

impl<R: Real> Workspace<R> {
    /// Returns the value of a query after [`Network::forward`]; `None` outside the model.
    pub fn output(&self, network: &Network, query: usize) -> Option<&[R]> {
        let cell = network.outputs[query]? as usize;
        Some(&self.cells[cell..cell + network.output_sizes[query] as usize])
    }

    /// Returns whether every cell is a finite number.
    pub fn is_finite(&self) -> bool {
        self.cells.iter().all(|cell| cell.is_finite())
    }

    /// Returns whether all atoms that need each other have settled, and their gradients.
    pub fn has_settled(&self) -> bool {
        !self.gradient_failed && self.settling.iter().all(|component| !component.has_failed)
    }
}

/// An atom of a cycle whose value was still changing after the last sweep.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct UnsettledAtom {
    /// The number of its example among those of the network.
    pub example: usize,
    /// Its predicate.
    pub predicate: PredicateId,
    /// Its row.
    pub row: u32,
    /// Number of sweeps.
    pub sweeps: u32,
    /// An element of its value, before the last sweep and after it.
    pub last: [f64; 2],
}

/// Everything a block needs.
struct ForwardPass<'a, R> {
    network: &'a Network,
    schedule: &'a Schedule,
    parameters: &'a [R],
    /// [`walk`], behind a pointer: a walk that calls itself is optimised again and again, which takes long.
    walk: fn(Forward<'_, R>),
}

impl Network {
    /// Computes the value of every cell under these parameters.
    pub fn forward<R: Real>(&self, schedule: &Schedule, parameters: &[R], space: &mut Workspace<R>) {
        R::own::<ForwardWalk>(forward_single, forward_double)(self, schedule, parameters, space);
    }
}

/// The walk forwards, compiled here once for each number type.
struct ForwardWalk;

impl PerReal for ForwardWalk {
    type Of<R: Real> = fn(&Network, &Schedule, &[R], &mut Workspace<R>);
}

#[inline(never)]
fn forward_single(network: &Network, schedule: &Schedule, parameters: &[f32], space: &mut Workspace<f32>) {
    walk(Forward::whole(ForwardPass { network, schedule, parameters, walk }, space));
}

#[inline(never)]
fn forward_double(network: &Network, schedule: &Schedule, parameters: &[f64], space: &mut Workspace<f64>) {
    walk(Forward::whole(ForwardPass { network, schedule, parameters, walk }, space));
}

fn walk<R: Real>(forward: Forward<'_, R>) {
    R::work(forward);
}

/// A walk: through all blocks, or through one of a stage.
struct Forward<'a, R> {
    pass: ForwardPass<'a, R>,
    blocks: Range<usize>,
    /// The cells before the stage, if it is one block of it.
    before: Option<&'a [R]>,
    /// All cells, or those of the block; and the same of choices.
    cells: &'a mut [R],
    choices: &'a mut [u32],
    scratch: &'a mut Scratch<R>,
    settling: &'a mut [Settling<R>],
}

impl<'a, R: Real> Forward<'a, R> {
    #[inline(always)]
    fn whole(pass: ForwardPass<'a, R>, space: &'a mut Workspace<R>) -> Self {
        let network = pass.network;
        space.cells.reset(network.cells as usize);
        space.choices.resize(network.choices as usize, 0);
        begin_settling(network, space);
        let Workspace { cells, choices, scratch, settling, .. } = space;
        Self { pass, blocks: 0..network.blocks.len(), before: None, cells, choices, scratch, settling }
    }
}

impl<R: Real> Work for Forward<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { pass, blocks, before, cells, choices, scratch, settling } = self;
        let is_whole = before.is_none();
        let mut next = blocks.start;
        while next < blocks.end {
            if is_whole
                && !pass.network.stages.is_empty()
                && let Some(stage) = pass.network.stage(next, |stage| stage.blocks.start)
                && has_threads()
            {
                pass.stage(stage, cells, choices);
                next = stage.blocks.end;
                continue;
            }
            let block = &pass.network.blocks[next];
            next += 1;
            let (before, own, choices) = match before {
                Some(before) => (before, &mut *cells, &mut *choices),
                None => {
                    let (before, own) = cells.split_at_mut(block.first());
                    (&*before, own, &mut choices[block.first_choice()..])
                }
            };
            match block {
                Block::Move(block) => pass.moves(block, before, own, scratch),
                Block::Sums(block) => pass.shared_sums(block, before, own),
                Block::Neurons(block) => pass.neurons(block, before, own, scratch),
                Block::Groups(block) => pass.groups(block, before, own, choices, scratch),
                Block::Atoms(block) => pass.atoms(block, before, own, scratch),
                Block::Enter(number) => scratch.enter(&pass.network.repeats[*number as usize]),
                Block::Settle(number) => {
                    let repeat = &pass.network.repeats[*number as usize];
                    if !settle(repeat, cells, scratch, settling) {
                        next = repeat.blocks.start;
                    }
                }
            }
        }
    }
}

impl<R: Real> ForwardPass<'_, R> {
    /// Computes the blocks of a stage, as many at once as there are threads.
    fn stage(&self, stage: &NetworkStage, cells: &mut [R], choices: &mut [u32]) {
        let blocks = &self.network.blocks[stage.blocks.clone()];
        let (before, mut own) = cells[..stage.end as usize].split_at_mut(blocks[0].first());
        let mut choices = &mut choices[blocks[0].first_choice()..];
        let before = &*before;
        let mut pieces = Vec::with_capacity(blocks.len());
        for (at, number) in stage.blocks.clone().enumerate() {
            let follower = blocks.get(at + 1);
            let end = follower.map_or(stage.end as usize, Block::first);
            let (piece, rest) = own.split_at_mut(end - blocks[at].first());
            let made = follower.map_or(choices.len(), |it| it.first_choice() - blocks[at].first_choice());
            let (chosen, unchosen) = choices.split_at_mut(made);
            pieces.push((number, piece, chosen));
            (own, choices) = (rest, unchosen);
        }
        pieces.into_par_iter().for_each_init(Scratch::default, |scratch, (number, cells, choices)| {
            let (pass, blocks, before) = (Self { ..*self }, number..number + 1, Some(before));
            (self.walk)(Forward { pass, blocks, before, cells, choices, scratch, settling: &mut [] });
        });
    }

    /// Returns the parameters of an offset or weight of this shape.
    #[inline(always)]
    fn numbers(&self, place: u32, shape: Shape) -> &[R] {
        &self.parameters[place as usize..place as usize + shape.size()]
    }

    #[inline(always)]
    fn moves(&self, Move { weighing, .. }: &Move, before: &[R], own: &mut [R], scratch: &mut Scratch<R>) {
        let own = &mut own[..(weighing.count * weighing.size) as usize];
        self.weigh(weighing, before, own, weighing.size as usize, true, scratch);
    }
}

/// Returns where the numbers of a weight lie: its slot for this place in the list, or its own place.
#[inline]
pub(super) fn slot(network: &Network, place: ParameterPlace, slots: Slots, at: u32) -> usize {
    match (slots, place) {
        (Slots::At(start), _) => network.indices[(start + at) as usize] as usize,
        (Slots::One(start), _) => network.indices[start as usize] as usize,
        (Slots::Same, ParameterPlace::Plain(place)) => place as usize,
        (Slots::Same, _) => 0,
    }
}

/// Applies an activation to values of `size` numbers each: in place, or to the cells after them where they are kept.
#[inline(always)]
fn activate<R: Real>(activation: Activation, size: usize, keeps: bool, x: &mut [R], after: &mut [R]) {
    let values = match keeps {
        true => {
            let y = &mut after[..x.len()];
            y.copy_from_slice(x);
            y
        }
        false => x,
    };
    match activation {
        joint if joint.is_joint() => {
            values.chunks_exact_mut(size.max(1)).for_each(|value| activation.apply(value));
        }
        _ => activation.apply(values),
    }
}
