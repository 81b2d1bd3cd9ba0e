//! Groups that aggregate every pair of a left and a right sum.
//!
//! The chain rule of the paper has 243 groups, one for each choice of clusters; each has one neuron for every chain of
//! atoms, the sum of a left part, of which there are 27, and a right part, of which there are 9. Written out, a neuron is
//! two cell numbers that lie anywhere. But all groups have the same chains in the same order, so two numbers for a chain
//! are enough, if the 27 sums of a left part lie one after the other, and the 9 of a right part.
//!
//! That is found from the classes of halves alone, whatever the template says: by the halves of the first group the rows
//! are told apart, and every other group must follow.

use crate::network::build::classes::Classes;

const NONE: u32 = u32::MAX;

/// Shorter stretches are not worth it: neurons are computed as many at a time as a wide vector holds.
const SHORTEST: usize = 8;

/// The sums of one half: every part has as many as there are choices.
pub(super) struct HalfGrid {
    /// Number of sums of a part.
    pub size: usize,
    /// The classes of the half: those of the first part, of the second, and so on.
    pub classes: Vec<u32>,
    /// By row of a group, its part.
    pub parts: Vec<u32>,
    /// By group, the number of its sum in every part.
    pub numbers: Vec<u32>,
}

impl HalfGrid {
    /// Returns the grid of a half, where groups of so many rows have its parts in the same order.
    fn of(half: &Classes, rows: usize) -> Option<Self> {
        let all = half.first.len();
        let mut part_of = vec![NONE; all];
        let mut count = 0;
        let mut part = |&class: &u32| {
            let part = &mut part_of[class as usize];
            if *part == NONE {
                (*part, count) = (count, count + 1);
            }
            *part
        };
        let parts: Vec<u32> = half.class[..rows].iter().map(&mut part).collect();
        let count = count as usize;
        if !all.is_multiple_of(count) {
            return None;
        }
        let size = all / count;
        let (mut classes, mut is_taken, mut number_of) = (vec![NONE; all], vec![false; all], vec![NONE; all]);
        let (mut numbers, mut next) = (Vec::with_capacity(half.class.len() / rows), 0);
        for group in half.class.chunks_exact(rows) {
            let number = &mut number_of[group[0] as usize];
            if *number == NONE {
                (*number, next) = (next, next + 1);
            }
            if next as usize > size {
                return None;
            }
            for (&class, &part) in group.iter().zip(&parts) {
                let place = &mut classes[part as usize * size + *number as usize];
                if *place == NONE && !std::mem::replace(&mut is_taken[class as usize], true) {
                    *place = class;
                }
                if *place != class {
                    return None;
                }
            }
            numbers.push(*number);
        }
        (next as usize == size).then_some(Self { size, classes, parts, numbers })
    }

    /// Returns the grids of both halves, where groups of so many rows have every pair of their sums.
    pub fn of_both(halves: &[Classes; 2], rows: usize) -> Option<[Self; 2]> {
        let groups = halves[0].class.len() / rows;
        let [left, right] = [Self::of(&halves[0], rows)?, Self::of(&halves[1], rows)?];
        let pairs = left.size * right.size;
        (left.size.max(right.size) >= SHORTEST && pairs <= groups + groups / 4).then_some([left, right])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::build::buffers::Buffers;

    /// Returns both halves of groups, one for each pair of these many left and right sums. Row by row, all groups have
    /// these parts.
    fn halves(sizes: [u32; 2], rows: &[[u32; 2]]) -> [Classes; 2] {
        let pairs: Vec<[u32; 2]> =
            (0..sizes[0]).flat_map(|left| (0..sizes[1]).map(move |right| [left, right])).collect();
        [0, 1].map(|half| {
            let numbers =
                pairs.iter().flat_map(|pair| rows.iter().map(move |row| 100 * row[half] + pair[half]));
            let column: Vec<u32> = numbers.collect();
            Classes::of(&[&column], column.len(), &mut Buffers::default())
        })
    }

    #[test]
    fn each_sum_of_a_pair_lies_in_its_part_at_its_number() {
        let rows = [[0, 0], [0, 1], [1, 1], [2, 0]];
        let halves = halves([9, 3], &rows);
        let grids = HalfGrid::of_both(&halves, rows.len()).expect("pairs");
        assert_eq!(grids.each_ref().map(|grid| (grid.size, grid.classes.len())), [(9, 27), (3, 6)]);
        for (grid, half) in grids.iter().zip(&halves) {
            for (neuron, &class) in half.class.iter().enumerate() {
                let (group, row) = (neuron / rows.len(), neuron % rows.len());
                let place = grid.parts[row] as usize * grid.size + grid.numbers[group] as usize;
                assert_eq!(grid.classes[place], class, "group {group}, row {row}");
            }
        }
    }

    #[test]
    fn groups_that_do_not_follow_the_first_are_no_pairs() {
        let rows = [[0, 0], [0, 1], [1, 1], [2, 0]];
        let mut odd = halves([9, 3], &rows);
        let last = odd[0].class.len() - 1;
        odd[0].class.swap(last, last - 1);
        assert!(HalfGrid::of_both(&odd, rows.len()).is_none());
        assert!(HalfGrid::of_both(&halves([3, 3], &rows), rows.len()).is_none(), "too short to be worth it");
    }
}
