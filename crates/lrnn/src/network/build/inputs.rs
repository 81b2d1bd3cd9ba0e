//! What tells the rule neurons of one rule apart: the atoms that are their inputs, and the slots of these inputs' weights.

use super::ExampleParts;
use super::buffers::Buffers;
use super::classes::{ClassSplitter, Classes, bounds};
use super::selection::Selection;
use crate::template::Template;
use crate::vocabulary::PredicateId;

/// The numbers that selected ground rules have in one place: of the atoms of an input, or of the slots of its weight.
pub(super) struct InputColumn {
    /// By selected ground rule.
    pub numbers: Vec<u32>,
    /// The least number and the largest, or bounds of them.
    pub range: (u32, u32),
    /// The last predicate whose atoms are all in the range.
    covered: Option<PredicateId>,
}

impl InputColumn {
    /// Returns a column of numbers.
    pub fn of(numbers: Vec<u32>) -> Self {
        Self { range: Self::range_of(&numbers), numbers, covered: None }
    }

    /// Returns the least of some numbers and the largest, of those that are known.
    fn range_of(numbers: &[u32]) -> (u32, u32) {
        bounds(numbers.iter().copied().filter(|&number| number != u32::MAX))
    }

    /// Adds the atoms of a predicate at the rows of selected ground rules. The range is widened by the atoms or by the
    /// ground rules, what are fewer.
    fn add(&mut self, predicate: PredicateId, atoms: &[u32], rows: &[u32], selected: &[u32]) {
        let start = self.numbers.len();
        self.numbers.extend(selected.iter().map(|&at| atoms[rows[at as usize] as usize]));
        let takes_atoms = atoms.len() < selected.len();
        if takes_atoms && self.covered.replace(predicate) == Some(predicate) {
            return;
        }
        let (low, high) = Self::range_of(if takes_atoms { atoms } else { &self.numbers[start..] });
        self.range = (self.range.0.min(low), self.range.1.max(high));
    }
}

/// Returns the numbers of the atoms that are inputs of the selected ground rules.
pub(super) fn inputs(
    adding: &ExampleParts<'_>,
    template: &Template,
    selection: &Selection<'_>,
    buffers: &mut Buffers,
) -> Vec<InputColumn> {
    let mut column = |_| {
        let mut numbers = buffers.take();
        numbers.reserve(selection.at.len());
        InputColumn { numbers, range: (u32::MAX, 0), covered: None }
    };
    let first = template.rule(selection.first());
    let mut columns: Vec<InputColumn> = first.inputs.iter().map(&mut column).collect();
    for (id, range) in selection.parts() {
        let rows = template.rule(id).inputs.iter().zip(&selection.ground.body);
        for (column, (input, rows)) in columns.iter_mut().zip(rows) {
            let predicate = input.atom.predicate;
            column.add(predicate, &adding.numbers[predicate.index()], rows, &selection.at[range.clone()]);
        }
    }
    columns
}

/// Returns what tells rule neurons apart.
pub(super) fn classes(columns: &[InputColumn], rows: usize, buffers: &mut Buffers) -> Classes {
    let mut splitting = ClassSplitter::new(rows, buffers);
    for InputColumn { numbers, range: (low, high), .. } in columns {
        splitting.by(|row| numbers[row] - low, high.saturating_sub(*low) as usize + 1);
    }
    splitting.finish()
}
