//! One stratum of one example: its ground rules become neurons and groups, its atoms get their numbers. A
//! recursive stratum goes level by level, any other is a single wave.

use super::classes::Classes;
use super::{Adding, Builder, NO_SLOT};
use crate::function::Aggregation;
use crate::ground::GroundRules;
use crate::network::merge::Interner;
use crate::network::schedule::Place;
use crate::template::{RuleId, Stratum};
use crate::vocabulary::{ConstantId, PredicateId};

/// A group that enters an atom.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Contribution {
    predicate: u32,
    row: u32,
    class: u32,
    group: u32,
    slot: u32,
}

impl Builder<'_> {
    pub(super) fn stratum(
        &mut self,
        adding: &mut Adding<'_>,
        stratum: &Stratum,
        levels: Option<&[Vec<u32>]>,
    ) {
        let waves = split(adding, stratum, levels, |rule| self.template.rule(rule).head.predicate);
        for wave in waves {
            let mut contributions = Vec::new();
            for (rule, selected) in &wave.rules {
                self.rule(adding, stratum, *rule, selected, &mut contributions);
            }
            contributions.sort_by_key(|contribution| (contribution.predicate, contribution.row));
            self.number_atoms(adding, &wave.rows, &contributions);
        }
    }

    /// The neurons and groups of a rule's selected ground rules.
    fn rule(
        &mut self,
        adding: &Adding<'_>,
        stratum: &Stratum,
        id: RuleId,
        selected: &[u32],
        contributions: &mut Vec<Contribution>,
    ) {
        let neurons = self.neurons(adding, stratum, id, selected);
        let ground = &adding.grounding.rules[id.index()];
        let groups = Grouping::of(ground, selected);
        let (members, ends) = groups.sorted(&neurons);
        let template = self.template;
        let rule = template.rule(id);
        let class = self.schedule.class(id);
        let counts = !matches!(rule.functions.aggregation, Aggregation::Max | Aggregation::Min);
        let mut key = Vec::new();
        let mut start = 0;
        for (number, &end) in ends.iter().enumerate() {
            self.group_key(&members[start..end as usize], counts, &mut key);
            start = end as usize;
            let group = self.group(class, &key);
            let first = groups.first[number] as usize;
            let slot = match (&rule.weight, self.schedule.step(id).weight.place) {
                (Some(used), Place::Slots) => {
                    let value = |variable| index_value(&rule.index, ground, first, variable);
                    self.slot(used, value)
                }
                _ => NO_SLOT,
            };
            let (predicate, row) = (rule.head.predicate.0, ground.heads[first]);
            contributions.push(Contribution { predicate, row, class: class.0, group, slot });
        }
    }

    /// The numbers of the rule neurons of the selected ground rules.
    fn neurons(&mut self, adding: &Adding<'_>, stratum: &Stratum, id: RuleId, selected: &[u32]) -> Vec<u32> {
        let columns = self.columns(adding, id, selected);
        let classes = match self.options.merge {
            true => {
                let columns: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
                Classes::of(&columns, selected.len())
            }
            false => Classes::all_different(selected.len()),
        };
        let (rule, class) = (self.template.rule(id), self.schedule.class(id));
        let own: Vec<(usize, usize)> = (rule.inputs.iter().enumerate())
            .filter(|(_, input)| stratum.recursive && stratum.predicates.contains(&input.atom.predicate))
            .map(|(at, input)| (at, input.atom.predicate.index()))
            .collect();
        let mut key = Vec::with_capacity(columns.len());
        let mut numbers = Vec::with_capacity(classes.first.len());
        for &at in &classes.first {
            key.clear();
            key.extend(columns.iter().map(|column| column[at as usize]));
            let level =
                own.iter().map(|&(input, predicate)| self.atoms[predicate].levels[key[input] as usize] + 1);
            let level = level.max().unwrap_or(0);
            let table = &mut self.rules[class.index()];
            let (number, new) = match self.options.merge {
                true => table.neurons.intern(&key),
                false => (table.neurons.push(&key), true),
            };
            if new {
                table.neuron_levels.push(level);
            }
            numbers.push(number);
        }
        classes.class.iter().map(|&class| numbers[class as usize]).collect()
    }

    /// What tells rule neurons apart, column by column: the numbers of their atoms, then the slots of their inputs'
    /// indexed weights.
    fn columns(&mut self, adding: &Adding<'_>, id: RuleId, selected: &[u32]) -> Vec<Vec<u32>> {
        let template = self.template;
        let (rule, step) = (template.rule(id), self.schedule.step(id));
        let ground = &adding.grounding.rules[id.index()];
        let mut columns: Vec<Vec<u32>> = (rule.inputs.iter().zip(&ground.body))
            .map(|(input, column)| {
                let numbers = &adding.numbers[input.atom.predicate.index()];
                selected.iter().map(|&at| numbers[column[at as usize] as usize]).collect()
            })
            .collect();
        for (input, step) in rule.inputs.iter().zip(&step.inputs) {
            if let (Some(used), Place::Slots) = (&input.weight, step.weight.place) {
                let slot = |&at: &u32| {
                    let value = |variable| index_value(&rule.index, ground, at as usize, variable);
                    self.slot(used, value)
                };
                columns.push(selected.iter().map(slot).collect());
            }
        }
        columns
    }

    /// The key of a group: its neurons, each once with its count if neurons are merged.
    fn group_key(&self, members: &[u32], counts: bool, key: &mut Vec<u32>) {
        key.clear();
        if !self.options.merge {
            key.extend(members.iter().flat_map(|&member| [member, 1]));
            return;
        }
        let mut sorted = members.to_vec();
        sorted.sort_unstable();
        for run in sorted.chunk_by(|a, b| a == b) {
            key.extend([run[0], if counts { run.len() as u32 } else { 1 }]);
        }
    }

    fn group(&mut self, class: RuleId, key: &[u32]) -> u32 {
        let table = &mut self.rules[class.index()];
        let (number, new) =
            if self.options.merge { table.groups.intern(key) } else { (table.groups.push(key), true) };
        if new {
            let level = key.iter().step_by(2).map(|&neuron| table.neuron_levels[neuron as usize]).max();
            table.group_levels.push(level.unwrap_or(0));
        }
        number
    }

    /// Numbers the atoms of a wave, from their groups (in order of rows) and their facts.
    fn number_atoms(
        &mut self,
        adding: &mut Adding<'_>,
        rows: &[(PredicateId, Vec<u32>)],
        groups: &[Contribution],
    ) {
        let mut key = Vec::new();
        for (predicate, rows) in rows {
            let mut next = groups.partition_point(|group| group.predicate < predicate.0);
            for &row in rows {
                key.clear();
                let mut level = 0;
                while let Some(group) =
                    groups.get(next).filter(|group| (group.predicate, group.row) <= (predicate.0, row))
                {
                    if group.row == row {
                        key.extend([group.class, group.group, group.slot]);
                        level =
                            level.max(self.rules[group.class as usize].group_levels[group.group as usize]);
                    }
                    next += 1;
                }
                self.fact_words(adding, *predicate, row, &mut key);
                let table = &mut self.atoms[predicate.index()];
                let (number, new) = if self.options.merge {
                    table.atoms.intern(&key)
                } else {
                    (table.atoms.push(&key), true)
                };
                if new {
                    table.levels.push(level);
                }
                adding.numbers[predicate.index()][row as usize] = number;
            }
        }
    }
}

fn index_value(
    index: &[crate::template::VariableId],
    ground: &GroundRules,
    at: usize,
    variable: crate::template::VariableId,
) -> Option<ConstantId> {
    let column = index.iter().position(|&known| known == variable)?;
    Some(ground.index[column][at])
}

/// What is numbered together: ground rules by rule, and rows by predicate, ascending.
struct Wave {
    rules: Vec<(RuleId, Vec<u32>)>,
    rows: Vec<(PredicateId, Vec<u32>)>,
}

/// The needed ground rules and rows of a stratum, level by level.
fn split(
    adding: &Adding<'_>,
    stratum: &Stratum,
    levels: Option<&[Vec<u32>]>,
    head: impl Fn(RuleId) -> PredicateId,
) -> Vec<Wave> {
    let most = levels.map_or(0, |levels| levels.iter().flatten().copied().max().unwrap_or(0));
    let level = |predicate: PredicateId, row: u32| {
        let member = stratum.predicates.iter().position(|&known| known == predicate);
        levels.zip(member).map_or(0, |(levels, member)| levels[member][row as usize]) as usize
    };
    let mut waves: Vec<Wave> = (0..=most)
        .map(|_| Wave {
            rules: stratum.rules.iter().map(|&rule| (rule, Vec::new())).collect(),
            rows: stratum.predicates.iter().map(|&predicate| (predicate, Vec::new())).collect(),
        })
        .collect();
    for (place, &rule) in stratum.rules.iter().enumerate() {
        let head = head(rule);
        for (at, &row) in adding.grounding.rules[rule.index()].heads.iter().enumerate() {
            if adding.needed.has(head.index(), row) {
                waves[level(head, row)].rules[place].1.push(at as u32);
            }
        }
    }
    for (place, &predicate) in stratum.predicates.iter().enumerate() {
        for row in 0..adding.grounding.relations[predicate.index()].len() as u32 {
            if adding.needed.has(predicate.index(), row) {
                waves[level(predicate, row)].rows[place].1.push(row);
            }
        }
    }
    waves
}

/// Ground rules grouped by their head and the values of their index.
struct Grouping {
    /// For each selected ground rule, its group.
    group: Vec<u32>,
    /// For each group, the first of its ground rules.
    first: Vec<u32>,
}

impl Grouping {
    fn of(ground: &GroundRules, selected: &[u32]) -> Self {
        let mut grouping = Self { group: Vec::with_capacity(selected.len()), first: Vec::new() };
        if ground.index.is_empty() {
            let most = selected.iter().map(|&at| ground.heads[at as usize] + 1).max().unwrap_or(0);
            let mut group_of = vec![u32::MAX; most as usize];
            for &at in selected {
                let known = &mut group_of[ground.heads[at as usize] as usize];
                if *known == u32::MAX {
                    *known = grouping.first.len() as u32;
                    grouping.first.push(at);
                }
                grouping.group.push(*known);
            }
            return grouping;
        }
        let mut keys = Interner::default();
        let mut key = Vec::new();
        for &at in selected {
            key.clear();
            key.push(ground.heads[at as usize]);
            key.extend(ground.index.iter().map(|column| column[at as usize].0));
            let (number, new) = keys.intern(&key);
            if new {
                grouping.first.push(at);
            }
            grouping.group.push(number);
        }
        grouping.by_index(ground)
    }

    /// The groups in the order of their heads and index constants.
    fn by_index(mut self, ground: &GroundRules) -> Self {
        let key = |&group: &u32| {
            let at = self.first[group as usize] as usize;
            let index: Vec<u32> = ground.index.iter().map(|column| column[at].0).collect();
            (ground.heads[at], index)
        };
        let mut order: Vec<u32> = (0..self.first.len() as u32).collect();
        order.sort_by_cached_key(key);
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| place[old as usize] = new as u32);
        self.group.iter_mut().for_each(|group| *group = place[*group as usize]);
        self.first = order.iter().map(|&old| self.first[old as usize]).collect();
        self
    }

    /// The neurons sorted by group, and where each group ends.
    fn sorted(&self, neurons: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let mut ends = vec![0; self.first.len()];
        self.group.iter().for_each(|&group| ends[group as usize] += 1);
        let mut next: Vec<u32> = Vec::with_capacity(ends.len());
        let mut sum = 0;
        for end in &mut ends {
            next.push(sum);
            sum += *end;
            *end = sum;
        }
        let mut members = vec![0; neurons.len()];
        for (&group, &neuron) in self.group.iter().zip(neurons) {
            members[next[group as usize] as usize] = neuron;
            next[group as usize] += 1;
        }
        (members, ends)
    }
}
