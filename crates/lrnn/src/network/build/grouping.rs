//! Which ground rules are aggregated together, and the neurons of each group.

use std::cmp::Ordering;

use super::buffers::Buffers;
use super::classes::{ClassSplitter, Classes};
use super::selection::Selection;
use crate::ground::starts;

/// Ground rules grouped by their rule, head and the values of their index.
pub(super) struct Grouping {
    /// For each selected ground rule, its group.
    group: Vec<u32>,
    /// For each group, the first of its selected ground rules.
    pub first: Vec<u32>,
}

impl Grouping {
    /// Returns the groups in the order of their first ground rules; where the rules have an index, in the order of
    /// rules, heads and index constants.
    pub fn of(selection: &Selection<'_>, buffers: &mut Buffers) -> Self {
        let (ground, selected) = (&*selection.ground, &selection.at);
        let mut parts = buffers.take();
        for (number, (_, range)) in selection.parts().enumerate() {
            parts.resize(range.end, number as u32);
        }
        let mut splitting = ClassSplitter::new(selected.len(), buffers);
        splitting.by(|at| parts[at], selection.parts().len());
        splitting.by_any(|at| ground.heads[selected[at] as usize]);
        for column in &ground.index {
            splitting.by_any(|at| column[selected[at] as usize].0);
        }
        let Classes { class: group, first } = splitting.finish();
        let mut grouping = Self { group, first };
        if !ground.index.is_empty() {
            grouping = grouping.by_index(selection, &parts, buffers);
        }
        buffers.give(parts);
        grouping
    }

    fn by_index(mut self, selection: &Selection<'_>, parts: &[u32], buffers: &mut Buffers) -> Self {
        let ground = &*selection.ground;
        let by_key = |&one: &u32, &other: &u32| {
            let places = [one, other].map(|group| self.first[group as usize] as usize);
            let [one, other] = places.map(|place| selection.at[place] as usize);
            let index = || ground.index.iter().map(|column| column[one].cmp(&column[other]));
            let by_index = || index().find(|order| order.is_ne()).unwrap_or(Ordering::Equal);
            let by_head = || ground.heads[one].cmp(&ground.heads[other]);
            parts[places[0]].cmp(&parts[places[1]]).then_with(by_head).then_with(by_index)
        };
        let mut order = buffers.filled(0..self.first.len() as u32);
        order.sort_unstable_by(by_key);
        let mut place = buffers.repeated(0, order.len());
        order.iter().enumerate().for_each(|(new, &old)| place[old as usize] = new as u32);
        self.group.iter_mut().for_each(|group| *group = place[*group as usize]);
        let first = buffers.filled(order.iter().map(|&old| self.first[old as usize]));
        buffers.give_all([order, place, std::mem::replace(&mut self.first, first)]);
        self
    }

    /// Writes the neurons of each group with their counts, and returns where each group ends.
    pub fn members(
        &self,
        classes: &Classes,
        numbers: &[u32],
        counts: impl Iterator<Item = u32>,
        members: &mut Vec<(u32, u32)>,
        buffers: &mut Buffers,
    ) -> Vec<u32> {
        let group = buffers.filled(classes.first.iter().map(|&row| self.group[row as usize]));
        let mut rows = classes.class.iter().zip(&self.group);
        let is_whole = rows.all(|(&class, &own)| group[class as usize] == own);
        let ends = if is_whole {
            let sizes = classes.sizes(counts, buffers);
            let all = numbers.iter().copied().zip(sizes.iter().copied());
            let ends = self.sort(&group, all, members, buffers);
            buffers.give(sizes);
            ends
        } else {
            let all = classes.class.iter().zip(counts);
            let all = all.map(|(&class, count)| (numbers[class as usize], count));
            self.sort(&self.group, all, members, buffers)
        };
        buffers.give(group);
        ends
    }

    /// Sorts members by their groups, and returns where each group ends.
    fn sort(
        &self,
        groups: &[u32],
        members: impl Iterator<Item = (u32, u32)>,
        sorted: &mut Vec<(u32, u32)>,
        buffers: &mut Buffers,
    ) -> Vec<u32> {
        let mut next = starts(buffers.repeated(0, self.first.len() + 1), groups.iter().copied());
        let ends = buffers.filled(next[1..].iter().copied());
        sorted.clear();
        sorted.resize(groups.len(), (0, 0));
        for (&group, member) in groups.iter().zip(members) {
            sorted[next[group as usize] as usize] = member;
            next[group as usize] += 1;
        }
        buffers.give(next);
        ends
    }

    /// Gives its memory back.
    pub fn give_to(self, buffers: &mut Buffers) {
        buffers.give_all([self.group, self.first]);
    }
}
