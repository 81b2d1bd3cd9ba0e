//! What tells the rule neurons of one rule apart: the atoms that are their inputs, and the slots of these inputs' weights.

use super::ExampleParts;
use super::buffers::Buffers;
use super::classes::{ClassSplitter, Classes};
use super::selection::Selection;
use crate::template::{Input, Rule};

/// An input of the selected ground rules.
pub(super) struct InputColumn<'a> {
    /// By row, the number of the atom.
    numbers: &'a [u32],
    /// By ground rule, the row.
    rows: &'a [u32],
    selected: &'a [u32],
}

impl InputColumn<'_> {
    /// Returns the number of the atom that is the input of a selected ground rule.
    #[inline]
    pub fn number(&self, at: usize) -> u32 {
        self.numbers[self.rows[self.selected[at] as usize] as usize]
    }

    /// Returns the least number and the largest, or bounds of them: by the atoms or by the ground rules, what are
    /// fewer.
    fn range(&self) -> (u32, u32) {
        let wider = |(low, high): (u32, u32), number: u32| (low.min(number), high.max(number));
        if self.numbers.len() > self.selected.len() {
            return (0..self.selected.len()).map(|at| self.number(at)).fold((u32::MAX, 0), wider);
        }
        let known = self.numbers.iter().copied().filter(|&number| number != u32::MAX);
        known.fold((u32::MAX, 0), wider)
    }
}

pub(super) fn inputs<'a>(
    adding: &'a ExampleParts<'_>,
    rule: &Rule,
    selection: &'a Selection<'_>,
) -> Vec<InputColumn<'a>> {
    let column = |(input, rows): (&Input, &'a Vec<u32>)| {
        let numbers = &adding.numbers[input.atom.predicate.index()];
        InputColumn { numbers, rows, selected: &selection.at }
    };
    rule.inputs.iter().zip(&selection.ground.body).map(column).collect()
}

/// Returns what tells rule neurons apart: the numbers of their atoms, and the slots of their inputs' weights.
pub(super) fn classes(
    inputs: &[InputColumn<'_>],
    slots: &[Vec<u32>],
    rows: usize,
    buffers: &mut Buffers,
) -> Classes {
    let mut splitting = ClassSplitter::new(rows, buffers);
    for input in inputs {
        let (low, high) = input.range();
        splitting.by(|row| input.number(row) - low, (high.saturating_sub(low) as usize) + 1);
    }
    for column in slots {
        splitting.by_any(|row| column[row]);
    }
    splitting.finish()
}
