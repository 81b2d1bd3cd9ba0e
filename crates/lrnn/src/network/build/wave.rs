//! One stratum of one example: its ground rules become neurons and groups, its atoms get their numbers. A
//! recursive stratum goes level by level, any other is a single wave. Atoms that need each other are a wave of their
//! own, in which something else stands for each of them as an input: its value before a sweep. Where the template asks
//! for a number of steps, each step is a wave of all atoms, whose inputs are those of the step before, at first 0.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::buffers::Buffers;
use super::classes::Classes;
use super::grouping::Grouping;
use super::inputs::{InputColumn, classes, inputs};
use super::selection::{Selection, Stacks};
use super::{ExampleParts, FEEDBACK, FeedbackAtom, NO_SLOT, NetworkBuilder, Rank, RankedKeys, ZERO};
use crate::function::Aggregation;
use crate::ground::GroundRules;
use crate::network::levels::Levels;
use crate::network::merge::mark;
use crate::network::schedule::ParameterPlace;
use crate::template::{Recursion, RuleId, Stratum, VariableId};
use crate::vocabulary::{ConstantId, PredicateId};

/// A group that enters an atom.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Contribution {
    predicate: u32,
    row: u32,
    rule: u32,
    class: u32,
    group: u32,
    slot: u32,
}

impl NetworkBuilder<'_> {
    pub(super) fn stratum(
        &mut self,
        adding: &mut ExampleParts<'_>,
        stratum: &Stratum,
        levels: Option<&Levels>,
    ) {
        if let (Some(_), Recursion::Steps(steps)) = (levels, self.template.recursion) {
            return self.steps(adding, stratum, steps);
        }
        for (number, wave) in self.split(adding, stratum, levels).into_iter().enumerate() {
            match levels.filter(|levels| levels.has_cycles() && number % 2 == 1) {
                Some(levels) => self.cyclic_wave(adding, stratum, levels, &wave, number as u32),
                None => self.wave(adding, stratum, &wave),
            }
            wave.rules.into_iter().for_each(|selection| selection.give_to(&mut self.space.buffers));
            self.space.buffers.give_all(wave.rows.into_iter().map(|(_, rows)| rows));
        }
    }

    fn wave(&mut self, adding: &mut ExampleParts<'_>, stratum: &Stratum, wave: &Wave<'_>) {
        let mut contributions = std::mem::take(&mut self.space.contributions);
        let mut buffers = std::mem::take(&mut self.space.buffers);
        contributions.clear();
        for selection in &wave.rules {
            self.rules(adding, stratum, selection, &mut contributions, &mut buffers);
        }
        contributions.sort_by_key(|it| (it.predicate, it.row, it.rule));
        self.number_atoms(adding, &wave.rows, &contributions, &mut buffers);
        self.space.contributions = contributions;
        self.space.buffers = buffers;
    }

    /// Numbers so many steps of all atoms of a stratum.
    fn steps(&mut self, adding: &mut ExampleParts<'_>, stratum: &Stratum, steps: u32) {
        self.has_special = true;
        let waves = self.split(adding, stratum, None);
        let Some(wave) = waves.first() else { return };
        for (predicate, rows) in &wave.rows {
            let zero = self.special(*predicate, &[ZERO, 0, 0], Rank { level: 0, mark: 0 });
            rows.iter().for_each(|&row| adding.numbers[predicate.index()][row as usize] = zero);
        }
        for _ in 0..steps {
            let before: Vec<Vec<u32>> =
                wave.rows.iter().map(|(predicate, _)| adding.numbers[predicate.index()].clone()).collect();
            self.wave(adding, stratum, wave);
            let now = wave.rows.iter().map(|(predicate, _)| &adding.numbers[predicate.index()]);
            if now.eq(&before) {
                break; // all further steps are the same
            }
        }
    }

    /// Numbers atoms that need each other.
    fn cyclic_wave(
        &mut self,
        adding: &mut ExampleParts<'_>,
        stratum: &Stratum,
        levels: &Levels,
        wave: &Wave<'_>,
        level: u32,
    ) {
        self.has_special = true;
        let (first, example) = (self.feedback.len(), self.examples);
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        for (member, (predicate, rows)) in wave.rows.iter().enumerate() {
            for &row in rows {
                let Some(component) = levels.component(member, row) else { continue };
                let component = *numbers.entry(component).or_insert(self.components);
                self.components = self.components.max(component + 1);
                let rank = Rank { level, mark: mark(u64::from(predicate.0), row.into()) };
                let before = self.special(*predicate, &[FEEDBACK, self.feedback.len() as u32, 0], rank);
                adding.numbers[predicate.index()][row as usize] = before;
                let (predicate, atom) = (*predicate, u32::MAX);
                self.feedback.push(FeedbackAtom { component, predicate, before, atom, example, row });
            }
        }
        self.wave(adding, stratum, wave);
        for atom in &mut self.feedback[first..] {
            atom.atom = adding.numbers[atom.predicate.index()][atom.row as usize];
        }
    }

    /// Returns the number of an atom that no neurons compute.
    fn special(&mut self, predicate: PredicateId, key: &[u32], rank: Rank) -> u32 {
        let table = &mut self.space.atoms[predicate.index()];
        let (number, is_new) = table.keys.intern(key);
        if is_new {
            table.ranks.push(rank);
        }
        number
    }

    /// Returns the level of what has an atom of its own stratum as an input.
    fn level_above(&self, predicate: usize, atom: u32) -> u32 {
        let RankedKeys { keys, ranks, .. } = &self.space.atoms[predicate];
        let level = ranks[atom as usize].level;
        match self.has_special && matches!(keys.key(atom).first(), Some(&(FEEDBACK | ZERO))) {
            true => level,
            false => (level | 1) + 1,
        }
    }

    /// Numbers the neurons and groups of selected ground rules.
    fn rules(
        &mut self,
        adding: &ExampleParts<'_>,
        stratum: &Stratum,
        selection: &Selection<'_>,
        contributions: &mut Vec<Contribution>,
        buffers: &mut Buffers,
    ) {
        let (classes, numbers) = self.neurons(adding, stratum, selection, buffers);
        let (template, ground) = (self.template, &*selection.ground);
        let groups = Grouping::of(selection, buffers);
        let mut members = std::mem::take(&mut self.space.members);
        let ends = groups.members(&classes, &numbers, selection.counts(), &mut members, buffers);
        let class = self.schedule.class(selection.first());
        let step = self.schedule.step(class);
        let counts = !matches!(step.aggregation, Aggregation::Max | Aggregation::Min);
        let has_slots = step.weight.place == ParameterPlace::Slots;
        contributions.reserve(ends.len());
        let table = &mut self.space.rules[class.index()];
        table.groups.ranks.reserve(ends.len());
        if self.options.merge && table.groups.keys.len() == 0 {
            table.groups.keys.reserve_hashed(ends.len(), 2 * members.len());
        }
        let mut key = buffers.take();
        let mut start = 0;
        let mut parts = selection.parts();
        let (mut id, mut range) = (class, 0..0);
        for (&end, &first) in ends.iter().zip(&groups.first) {
            // Groups are in the order of the rules.
            while first as usize >= range.end
                && let Some(part) = parts.next()
            {
                (id, range) = part;
            }
            group_key(&mut members[start..end as usize], counts, &mut key);
            start = end as usize;
            let group = self.group(class, &key);
            let (rule, first) = (template.rule(id), selection.at[first as usize] as usize);
            let slot = match &rule.weight {
                Some(used) if has_slots => {
                    self.slot(used, |variable| index_value(&rule.index, ground, first, variable))
                }
                _ => NO_SLOT,
            };
            let (predicate, row) = (rule.head.predicate.0, ground.heads[first]);
            contributions.push(Contribution { predicate, row, rule: id.0, class: class.0, group, slot });
        }
        self.space.members = members;
        groups.give_to(buffers);
        buffers.give_all([key, ends, numbers, classes.class, classes.first]);
    }

    /// Returns the selected ground rules in classes of equal rule neurons, and the number of each class's neuron.
    fn neurons(
        &mut self,
        adding: &ExampleParts<'_>,
        stratum: &Stratum,
        selection: &Selection<'_>,
        buffers: &mut Buffers,
    ) -> (Classes, Vec<u32>) {
        let (id, count) = (selection.first(), selection.at.len());
        let (rule, class) = (self.template.rule(id), self.schedule.class(id));
        let mut columns = inputs(adding, self.template, selection, buffers);
        let inputs = columns.len();
        self.slot_columns(selection, &mut columns, buffers);
        let classes = match self.options.merge {
            true => classes(&columns, count, buffers),
            false => Classes::all_different(count),
        };
        let own: Vec<(usize, usize)> = (rule.inputs.iter().enumerate())
            .filter(|(_, input)| stratum.recursive && stratum.predicates.contains(&input.atom.predicate))
            .map(|(at, input)| (at, input.atom.predicate.index()))
            .collect();
        let width = columns.len();
        let mut keys = buffers.repeated(0, classes.first.len() * width);
        for (place, column) in columns.iter().enumerate() {
            let words = keys.iter_mut().skip(place).step_by(width);
            words.zip(&classes.first).for_each(|(word, &at)| *word = column.numbers[at as usize]);
        }
        let mut numbers = buffers.take();
        numbers.reserve(classes.first.len());
        // They differ from each other.
        let are_new = self.space.rules[class.index()].neurons.keys.len() == 0 || !self.options.merge;
        if are_new {
            let table = &mut self.space.rules[class.index()];
            table.neurons.keys.reserve(classes.first.len(), keys.len());
            table.neurons.ranks.reserve(classes.first.len());
        }
        for at in 0..classes.first.len() {
            let key = &keys[at * width..(at + 1) * width];
            let level = own.iter().map(|&(input, predicate)| self.level_above(predicate, key[input]));
            let level = level.max().unwrap_or(0);
            let table = &mut self.space.rules[class.index()];
            let (number, new) = table.neurons.keys.number(key, !are_new);
            if new {
                let (atoms, slots) = key.split_at(inputs);
                let atoms = rule.inputs.iter().zip(atoms);
                let atoms = atoms.map(|(input, &at)| {
                    self.space.atoms[self.schedule.table(input.atom.predicate)].ranks[at as usize].mark
                });
                let parts = atoms.chain(slots.iter().map(|&slot| self.slot_mark(slot)));
                let rank = Rank { level, mark: if self.has_marks { parts.fold(0, mark) } else { 0 } };
                self.space.rules[class.index()].neurons.ranks.push(rank);
            }
            numbers.push(number);
        }
        buffers.give(keys);
        buffers.give_all(columns.into_iter().map(|column| column.numbers));
        (classes, numbers)
    }

    /// Adds the slots of the inputs' weights that have some, column by column.
    fn slot_columns(
        &mut self,
        selection: &Selection<'_>,
        columns: &mut Vec<InputColumn>,
        buffers: &mut Buffers,
    ) {
        let (template, ground) = (self.template, &*selection.ground);
        let steps = self.schedule.step(selection.first()).inputs.iter().enumerate();
        for (place, _) in steps.filter(|(_, step)| step.weight.place == ParameterPlace::Slots) {
            let mut column = buffers.take();
            for (id, range) in selection.parts() {
                let rule = template.rule(id);
                let Some(used) = &rule.inputs[place].weight else { continue };
                let slot = |&at: &u32| {
                    self.slot(used, |variable| index_value(&rule.index, ground, at as usize, variable))
                };
                column.extend(selection.at[range].iter().map(slot));
            }
            columns.push(InputColumn::of(column));
        }
    }

    fn group(&mut self, class: RuleId, key: &[u32]) -> u32 {
        let table = &mut self.space.rules[class.index()];
        let (number, new) = table.groups.keys.number(key, self.options.merge);
        if new {
            let mut rank = Rank { level: 0, mark: 0 };
            for &[neuron, count] in key.as_chunks::<2>().0 {
                let member = table.neurons.ranks[neuron as usize];
                rank.level = rank.level.max(member.level);
                // Whatever the order of the members.
                rank.mark = rank.mark.wrapping_add(mark(member.mark, count.into()));
            }
            table.groups.ranks.push(rank);
        }
        number
    }

    /// Numbers the atoms of a wave, from their groups (in order of rows) and their facts.
    fn number_atoms(
        &mut self,
        adding: &mut ExampleParts<'_>,
        rows: &[(PredicateId, Vec<u32>)],
        groups: &[Contribution],
        buffers: &mut Buffers,
    ) {
        let mut key = buffers.take();
        for (predicate, rows) in rows {
            let own = self.schedule.table(*predicate);
            let table = &mut self.space.atoms[own];
            if self.options.merge && table.keys.len() == 0 {
                table.keys.reserve_hashed(rows.len(), 3 * rows.len());
                table.ranks.reserve(rows.len());
            }
            let mut next = groups.partition_point(|group| group.predicate < predicate.0);
            for &row in rows {
                key.clear();
                let mut level = 0;
                while let Some(group) =
                    groups.get(next).filter(|group| (group.predicate, group.row) <= (predicate.0, row))
                {
                    if group.row == row {
                        key.extend([group.class, group.group, group.slot]);
                        level = level.max(
                            self.space.rules[group.class as usize].groups.ranks[group.group as usize].level,
                        );
                    }
                    next += 1;
                }
                self.offset_words(*predicate, &mut key);
                self.fact_words(adding, *predicate, row, &mut key);
                let table = &mut self.space.atoms[own];
                let (number, new) = table.keys.number(&key, self.options.merge);
                if new {
                    let rank = Rank { level, mark: if self.has_marks { self.atom_mark(&key) } else { 0 } };
                    self.space.atoms[own].ranks.push(rank);
                }
                adding.numbers[predicate.index()][row as usize] = number;
            }
        }
        buffers.give(key);
    }

    /// Returns the needed ground rules and rows of a stratum, level by level; where some atoms need each other, those of
    /// each level behind the others.
    fn split<'g>(
        &mut self,
        adding: &mut ExampleParts<'g>,
        stratum: &Stratum,
        levels: Option<&Levels>,
    ) -> Vec<Wave<'g>> {
        let has_cycles = levels.is_some_and(Levels::has_cycles);
        let most = levels.map_or(0, |levels| if has_cycles { 2 * levels.most() + 1 } else { levels.most() });
        let level = |predicate: PredicateId, row: u32| {
            let member = stratum.predicates.iter().position(|&known| known == predicate);
            let of =
                |(levels, member): (&Levels, usize)| match (levels.level(member, row) as usize, has_cycles) {
                    (level, false) => level,
                    (level, true) => 2 * level + usize::from(levels.component(member, row).is_some()),
                };
            levels.zip(member).map_or(0, of)
        };
        let wave = |_| Wave {
            rules: Vec::new(),
            rows: stratum
                .predicates
                .iter()
                .map(|&predicate| (predicate, self.space.buffers.take()))
                .collect(),
        };
        let mut waves: Vec<Wave<'g>> = (0..=most).map(wave).collect();
        let mut stacks = Stacks::new(stratum.rules.len());
        for &id in &stratum.rules {
            let (rule, mut ground) =
                (self.template.rule(id), Cow::Borrowed(&adding.grounding.rules[id.index()]));
            let (head, class) = (rule.head.predicate, self.schedule.class(id));
            if self.options.merge && adding.needed.has_all(head.index()) {
                let (runs, buffers) = (adding.runs, &mut self.space.buffers);
                if let Some(runs) = runs.own(id) {
                    stacks.selections.push(Selection::of_different_runs(adding, id, rule, runs));
                    continue;
                }
                if let Some(shared) = runs.shared(id) {
                    stacks.stack(class, rule, buffers).add_shared(adding, (id, rule), shared);
                    continue;
                }
            }
            if let Some(written) = adding.runs.written_out(id, rule.inputs.len()) {
                ground = Cow::Owned(written);
            }
            let mut selected: Vec<Vec<u32>> = waves.iter().map(|_| self.space.buffers.take()).collect();
            selected[0].reserve(ground.len());
            for (at, &row) in (0..).zip(&ground.heads) {
                if adding.needed.has(head.index(), row) {
                    selected[level(head, row)].push(at);
                }
            }
            for (wave, at) in waves[1..].iter_mut().zip(selected.split_off(1)) {
                wave.rules.push(Selection::of(id, ground.clone(), at));
            }
            let Some(at) = selected.pop() else { continue };
            match levels.is_none() && self.schedule.has_sisters(id) {
                true => stacks.add(rule, (id, class), ground, at, &mut self.space.buffers),
                false => stacks.selections.push(Selection::of(id, ground, at)),
            }
        }
        waves[0].rules = stacks.selections;
        for (place, &predicate) in stratum.predicates.iter().enumerate() {
            waves[0].rows[place].1.reserve(adding.grounding.relations[predicate.index()].len());
            for row in 0..adding.grounding.relations[predicate.index()].len() as u32 {
                if adding.needed.has(predicate.index(), row) {
                    waves[level(predicate, row)].rows[place].1.push(row);
                }
            }
        }
        waves
    }
}

/// Writes the key of a group: its neurons, each once with its count.
fn group_key(members: &mut [(u32, u32)], counts: bool, key: &mut Vec<u32>) {
    key.clear();
    if !members.is_sorted() {
        members.sort_unstable();
    }
    key.reserve(2 * members.len());
    for &(neuron, count) in &*members {
        match key.last_chunk_mut() {
            Some([last, so_far]) if *last == neuron => *so_far += if counts { count } else { 0 },
            _ => key.extend([neuron, if counts { count } else { 1 }]),
        }
    }
}

fn index_value(
    index: &[VariableId],
    ground: &GroundRules,
    at: usize,
    variable: VariableId,
) -> Option<ConstantId> {
    let column = index.iter().position(|&known| known == variable)?;
    Some(ground.index[column][at])
}

/// A set that is numbered together: ground rules by rule, and rows by predicate, ascending.
struct Wave<'g> {
    rules: Vec<Selection<'g>>,
    rows: Vec<(PredicateId, Vec<u32>)>,
}
