//! Repeats: sweeps over atoms that need each other, until they have settled.

use super::{Scratch, UnsettledAtom, Workspace};
use crate::function::Real;
use crate::ground::sorted;
use crate::network::program::{Block, ComponentCells, Feedback, Network, Repeat};
use crate::network::settling::{Settling, SweepChange};
use crate::vocabulary::PredicateId;

impl Repeat {
    /// Returns how many numbers stand for its atoms.
    pub(in crate::network) fn size(&self) -> usize {
        let all = self.components.iter().flat_map(|component| &component.feedback);
        all.map(|feedback| feedback.size as usize).sum()
    }
}

impl ComponentCells {
    /// Returns the pairs of cells of all numbers: before a sweep, and after it.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let pairs = |it: &Feedback| {
            let (to, from) = (it.to as usize, it.from as usize);
            (0..it.size as usize).map(move |at| (to + at, from + at))
        };
        self.feedback.iter().flat_map(pairs)
    }
}

impl<R: Real> Workspace<R> {
    /// Returns the atom that changed most in the first component that did not settle.
    pub fn unsettled(&self, network: &Network) -> Option<UnsettledAtom> {
        let components = network.repeats.iter().flat_map(|repeat| &repeat.components);
        let (component, state) = components.zip(&self.settling).find(|(_, state)| state.has_failed)?;
        let numbers = component.feedback.iter().flat_map(|it| (0..it.size).map(move |at| (it, at)));
        let ends = |it: &Feedback, at: u32| {
            [it.to + at, it.from + at].map(|cell| self.cells[cell as usize].to_f64())
        };
        let change = |it: &Feedback, at: u32| (ends(it, at)[1] - ends(it, at)[0]).abs();
        // What is not a number has changed most.
        let (it, at) =
            numbers.max_by(|one, other| change(one.0, one.1).total_cmp(&change(other.0, other.1)))?;
        let (predicate, last) = (it.predicate, ends(it, at));
        Some(UnsettledAtom { example: it.example, predicate, row: it.row, sweeps: state.sweeps, last })
    }

    /// Returns how the cycles of a network have settled; none where there is no cycle.
    pub fn cycles(&self, network: &Network) -> Option<CycleCounts> {
        let components = || network.repeats.iter().flat_map(|repeat| &repeat.components);
        let feedback = || components().flat_map(|component| &component.feedback);
        let predicates = sorted(feedback().map(|it| it.predicate));
        let sweeps = self.settling.iter().map(|state| state.sweeps).max()?;
        let (cycles, atoms) = (components().count(), feedback().count());
        let blocks = network.repeats.iter().flat_map(|repeat| &network.blocks[repeat.blocks.clone()]);
        let groups = blocks.filter_map(|block| match block {
            Block::Groups(groups) => Some(groups),
            _ => None,
        });
        let sizes = groups.flat_map(|block| (0..block.count as usize).map(|at| network.total(block, at)));
        Some(CycleCounts { predicates, cycles, atoms, sweeps, largest: sizes.max().unwrap_or(1) })
    }
}

/// The cycles of a network, and the sweeps after which they had settled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CycleCounts {
    /// The predicates of their atoms, ascending.
    pub predicates: Vec<PredicateId>,
    /// Number of components of atoms that need each other.
    pub cycles: usize,
    /// Number of atoms in them.
    pub atoms: usize,
    /// Number of sweeps, at most.
    pub sweeps: u32,
    /// Number of rule neurons in the largest group.
    pub largest: u32,
}

impl CycleCounts {
    /// Returns the counts of two networks together.
    pub fn plus(self, other: Self) -> Self {
        let predicates = sorted(self.predicates.into_iter().chain(other.predicates));
        let (cycles, atoms) = (self.cycles + other.cycles, self.atoms + other.atoms);
        let (sweeps, largest) = (self.sweeps.max(other.sweeps), self.largest.max(other.largest));
        Self { predicates, cycles, atoms, sweeps, largest }
    }
}

/// Makes the components of a network ready.
pub(super) fn begin_settling<R: Real>(network: &Network, space: &mut Workspace<R>) {
    let components = network.repeats.iter().flat_map(|repeat| &repeat.components);
    space.settling.clear();
    space.settling.extend(components.map(|component| Settling::new(component.feedback.len())));
    space.gradient_failed = false;
}

impl<R: Real> Scratch<R> {
    pub(super) fn enter(&mut self, repeat: &Repeat) {
        self.changes.clear();
        self.changes.resize(repeat.size(), R::ZERO);
    }
}

/// Ends a sweep: what the components have reached is their next input. Returns whether all have settled.
pub(super) fn settle<R: Real>(
    repeat: &Repeat,
    cells: &mut [R],
    scratch: &mut Scratch<R>,
    settling: &mut [Settling<R>],
) -> bool {
    let mut last = &mut scratch.changes[..];
    let mut are_done = true;
    for (component, state) in repeat.components.iter().zip(&mut settling[repeat.first..]) {
        let size = component.feedback.iter().map(|it| it.size as usize).sum();
        let (own, rest) = last.split_at_mut(size);
        last = rest;
        if state.is_done {
            continue;
        }
        let mut change = SweepChange::default();
        for ((to, from), last) in component.pairs().zip(own) {
            change.add(cells[to], cells[from], last);
        }
        state.sweep(&change);
        if !state.is_done {
            let share = state.damping;
            for (to, from) in component.pairs() {
                let (before, after) = (cells[to], cells[from]);
                cells[to] = if share == R::ONE { after } else { before + share * (after - before) };
            }
        }
        are_done &= state.is_done;
    }
    if !are_done {
        // Blocks add to their cells.
        cells[repeat.cells.start as usize..repeat.cells.end as usize].fill(R::ZERO);
    }
    are_done
}
