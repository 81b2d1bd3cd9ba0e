//! What the blocks look up: how often entries count, and one neuron, group or atom at a time for the functions that are
//! not computed over whole arrays.

use super::program::{Atoms, Gather, Groups, Network};
use super::schedule::{InputStep, RuleStep};
use crate::function::{Shape, View};

impl Network {
    /// Returns how often each entry of the groups counts, where that is not once.
    pub(super) fn counts(&self, block: &Groups) -> Option<&[u32]> {
        let entries = self.indices[(block.ends + block.count) as usize];
        block.counts.map(|at| self.slice(at, entries as usize))
    }

    /// Returns how many neurons a group has.
    #[inline(always)]
    pub(super) fn total(&self, block: &Groups, group: usize) -> u32 {
        let ends = self.slice(block.ends, block.count as usize + 1);
        match block.counts {
            Some(at) => self.indices[at as usize + ends[block.count as usize] as usize + group],
            None => ends[group + 1] - ends[group],
        }
    }

    /// Returns the inputs of a neuron, in the order of the rule.
    pub(super) fn views<'a, R>(
        &self,
        gather: &Gather,
        step: &RuleStep,
        at: usize,
        cells: &'a [R],
    ) -> Vec<View<'a, R>> {
        let view = |(input, step): (usize, &InputStep)| {
            let cell = self.input_cell(gather, at, input) as usize;
            (&cells[cell..cell + step.shape.size()], step.shape)
        };
        step.inputs.iter().enumerate().map(view).collect()
    }

    /// Returns the cell of an input of a neuron.
    pub(super) fn input_cell(&self, gather: &Gather, at: usize, input: usize) -> u32 {
        if let Some((_, cell)) = gather.same.iter().find(|(same, _)| *same as usize == input) {
            return *cell;
        }
        let column = gather.columns.iter().position(|&column| column as usize == input).unwrap_or(0);
        self.indices[gather.at as usize + at * gather.columns.len() + column]
    }

    /// Returns the cells of a group's entries, each as often as it counts.
    pub(super) fn rows(&self, block: &Groups, group: usize) -> impl Iterator<Item = usize> + Clone {
        let ends = self.slice(block.ends + group as u32, 2);
        (ends[0]..ends[1]).flat_map(move |entry| {
            let count = block.counts.map_or(1, |at| self.indices[(at + entry) as usize]);
            std::iter::repeat_n(self.at(block.entries, entry) as usize, count as usize)
        })
    }

    /// Returns the contributions to an atom, in order, from the cells of all contributions.
    pub(super) fn contributions<'a, R>(&self, block: &Atoms, at: usize, cells: &'a [R]) -> Vec<View<'a, R>> {
        let Some(ordered) = &block.ordered else { return Vec::new() };
        let ends = self.slice(ordered.ends + at as u32, 2);
        let view = |part: u32| {
            let cell = (self.indices[(ordered.cells + part) as usize] - ordered.first) as usize;
            let size = self.indices[(ordered.sizes + part) as usize];
            let columns = self.indices[(ordered.columns + part) as usize].max(1);
            (&cells[cell..cell + size as usize], Shape::matrix(size / columns, columns))
        };
        (ends[0]..ends[1]).map(view).collect()
    }
}
