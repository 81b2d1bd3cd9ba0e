//! Atoms that no neurons compute: those that are 0, and those that stand for the values of others before a sweep.

use super::Emitter;
use super::atoms::is_special;
use crate::ground::sorted;
use crate::network::build::{FeedbackAtom, ZERO};
use crate::network::program::{Block, ComponentCells, Feedback, Repeat};
use crate::vocabulary::PredicateId;

impl Emitter<'_> {
    /// Gives cells to the atoms that are 0.
    pub(super) fn zeros(&mut self) {
        if !self.builder.has_special {
            return;
        }
        for predicate in 0..self.space.atoms.len() {
            let table = &self.space.atoms[predicate].keys;
            let zeros = (0..table.len() as u32).filter(|&atom| table.key(atom).first() == Some(&ZERO));
            for atom in zeros.collect::<Vec<_>>() {
                let size = self.builder.schedule.atoms[predicate].shape.size();
                self.space.atoms[predicate].cells[atom as usize] = self.allocate(1, size);
            }
        }
    }

    /// Begins what is repeated at a level: gives cells to what stands for its atoms. Returns their numbers, component by
    /// component.
    pub(super) fn enter(&mut self, predicates: &[PredicateId], level: u32) -> Vec<FeedbackAtom> {
        let is_now = |atom: &&FeedbackAtom| {
            let ranks = &self.space.atoms[atom.predicate.index()].ranks;
            predicates.contains(&atom.predicate) && ranks[atom.before as usize].level == level
        };
        let mut now: Vec<FeedbackAtom> = self.builder.feedback.iter().filter(is_now).copied().collect();
        now.sort_by_key(|atom| atom.component);
        debug_assert!(
            now.iter()
                .all(|atom| { is_special(self.space.atoms[atom.predicate.index()].keys.key(atom.before)) })
        );
        for atom in &now {
            let size = self.builder.schedule.atoms[atom.predicate.index()].shape.size();
            let cell = self.allocate(1, size);
            self.space.atoms[atom.predicate.index()].cells[atom.before as usize] = cell;
        }
        let (number, first) = (self.network.repeats.len() as u32, self.network.cells);
        self.network.blocks.push(Block::Enter(number));
        let start = self.network.blocks.len();
        self.network.repeats.push(Repeat { blocks: start..start, cells: first..first, ..Repeat::default() });
        now
    }

    /// Ends what is repeated.
    pub(super) fn settle(&mut self, atoms: &[FeedbackAtom]) {
        let Some(number) = self.network.repeats.len().checked_sub(1) else { return };
        let cell =
            |predicate: PredicateId, atom: u32| self.space.atoms[predicate.index()].cells[atom as usize];
        let components = atoms.chunk_by(|one, other| one.component == other.component).map(|atoms| {
            let feedback = atoms.iter().map(|atom| Feedback {
                to: cell(atom.predicate, atom.before),
                from: cell(atom.predicate, atom.atom),
                size: self.builder.schedule.atoms[atom.predicate.index()].shape.size() as u32,
                predicate: atom.predicate,
                example: atom.example,
                row: atom.row,
            });
            let feedback: Vec<Feedback> = feedback.collect();
            let cells = sorted(feedback.iter().map(|it| (it.from, it.size)));
            ComponentCells { feedback, cells }
        });
        let components: Vec<ComponentCells> = components.collect();
        let (blocks, cells) = (self.network.blocks.len(), self.network.cells);
        let repeat = &mut self.network.repeats[number];
        repeat.first = self.network.components;
        self.network.components += components.len();
        repeat.blocks.end = blocks;
        repeat.cells.end = cells;
        repeat.components = components;
        self.network.blocks.push(Block::Settle(number as u32));
    }
}
