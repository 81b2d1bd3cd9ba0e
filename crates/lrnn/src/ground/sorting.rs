//! Ground rules by their heads, and other things in order.

use super::GroundRules;

/// The ground rules of one rule by the rows of their heads.
#[derive(Debug)]
pub(crate) struct HeadIndex {
    /// By row of the head, where its ground rules begin; behind them, how many there are.
    pub starts: Vec<u32>,
    /// Their numbers, ascending for each head; empty where they are in this order anyway.
    pub order: Vec<u32>,
}

impl HeadIndex {
    /// Sorts ground rules whose heads have so many rows.
    pub fn new(ground: &GroundRules, rows: usize) -> Self {
        let starts = starts(vec![0; rows + 1], ground.heads.iter().copied());
        if ground.heads.is_sorted() {
            return Self { starts, order: Vec::new() };
        }
        let (mut order, mut next) = (vec![0; ground.len()], starts.clone());
        for (number, &head) in (0..).zip(&ground.heads) {
            let place = &mut next[head as usize];
            order[*place as usize] = number;
            *place += 1;
        }
        Self { starts, order }
    }

    /// Returns the number of a ground rule by its place in this order.
    pub fn number(&self, place: u32) -> u32 {
        if self.order.is_empty() { place } else { self.order[place as usize] }
    }

    /// Returns the numbers of the ground rules with this head.
    pub fn of(&self, row: u32) -> impl Iterator<Item = u32> {
        (self.starts[row as usize]..self.starts[row as usize + 1]).map(|place| self.number(place))
    }
}

/// Returns things in order, each once.
pub(crate) fn sorted<T: Ord>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.into_iter().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns where the entries of each key begin if they are sorted by it, and behind them how many there are, in a list of
/// zeros with one more than there are keys.
pub(crate) fn starts(mut starts: Vec<u32>, keys: impl Iterator<Item = u32>) -> Vec<u32> {
    keys.for_each(|key| starts[key as usize + 1] += 1);
    (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
    starts
}
