//! Which ground rules are aggregated together, and the neurons of each group.

use std::cmp::Ordering;

use super::classes::{ClassSplitter, Classes};
use crate::ground::GroundRules;

/// Ground rules grouped by their head and the values of their index.
pub(super) struct Grouping {
    /// For each selected ground rule, its group.
    group: Vec<u32>,
    /// For each group, the first of its ground rules.
    pub first: Vec<u32>,
}

impl Grouping {
    /// Returns the groups in the order of their first ground rules; where the rule has an index, in the order of their
    /// heads and index constants.
    pub fn of(ground: &GroundRules, selected: &[u32]) -> Self {
        let mut splitting = ClassSplitter::new(selected.len());
        splitting.by_any(|at| ground.heads[selected[at] as usize]);
        for column in &ground.index {
            splitting.by_any(|at| column[selected[at] as usize].0);
        }
        let Classes { class: group, mut first } = splitting.finish();
        first.iter_mut().for_each(|first| *first = selected[*first as usize]);
        let grouping = Self { group, first };
        if ground.index.is_empty() { grouping } else { grouping.by_index(ground) }
    }

    fn by_index(mut self, ground: &GroundRules) -> Self {
        let by_key = |&one: &u32, &other: &u32| {
            let [one, other] = [one, other].map(|group| self.first[group as usize] as usize);
            let index = || ground.index.iter().map(|column| column[one].cmp(&column[other]));
            let by_index = || index().find(|order| order.is_ne()).unwrap_or(Ordering::Equal);
            ground.heads[one].cmp(&ground.heads[other]).then_with(by_index)
        };
        let mut order: Vec<u32> = (0..self.first.len() as u32).collect();
        order.sort_unstable_by(by_key);
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| place[old as usize] = new as u32);
        self.group.iter_mut().for_each(|group| *group = place[*group as usize]);
        self.first = order.iter().map(|&old| self.first[old as usize]).collect();
        self
    }

    /// Returns the neurons of each group with their counts, and where each group ends.
    pub fn members(
        &self,
        classes: &Classes,
        numbers: &[u32],
        counts: impl Iterator<Item = u32>,
    ) -> (Vec<(u32, u32)>, Vec<u32>) {
        if let Some(group) = self.of_classes(classes) {
            return self.sorted(&group, numbers.iter().copied().zip(classes.sizes(counts)));
        }
        let members = classes.class.iter().zip(counts);
        self.sorted(&self.group, members.map(|(&class, count)| (numbers[class as usize], count)))
    }

    /// Returns the group of each class, where all ground rules of a class are in one.
    fn of_classes(&self, classes: &Classes) -> Option<Vec<u32>> {
        let group: Vec<u32> = classes.first.iter().map(|&row| self.group[row as usize]).collect();
        let mut rows = classes.class.iter().zip(&self.group);
        rows.all(|(&class, &own)| group[class as usize] == own).then_some(group)
    }

    /// Members sorted by their groups, and where each group ends.
    fn sorted<M: Copy + Default>(
        &self,
        groups: &[u32],
        members: impl Iterator<Item = M>,
    ) -> (Vec<M>, Vec<u32>) {
        let mut ends = vec![0; self.first.len()];
        groups.iter().for_each(|&group| ends[group as usize] += 1);
        let mut next: Vec<u32> = Vec::with_capacity(ends.len());
        let mut sum = 0;
        for end in &mut ends {
            next.push(sum);
            sum += *end;
            *end = sum;
        }
        let mut sorted = vec![M::default(); groups.len()];
        for (&group, member) in groups.iter().zip(members) {
            sorted[next[group as usize] as usize] = member;
            next[group as usize] += 1;
        }
        (sorted, ends)
    }
}
