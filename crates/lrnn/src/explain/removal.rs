//! The value of an atom while facts come back one after the other, from none to all.
//!
//! Each fact is given the step at which it comes. Then every neuron has a course: the steps at which its value changes,
//! with the values. One walk through the network gives all courses, each from those of its inputs:
//!
//! - a rule neuron is there as soon as all atoms of its body are, its guards too;
//! - an aggregation neuron is there as soon as one of its rule neurons is, and aggregates those that are;
//! - an atom is there as soon as a fact or an aggregation neuron of it is, and combines those that are.
//!
//! Of ground rules that are numbered, the first to come is the first.
//!
//! That is the network of the example with only these facts. Three things stay as they were: `not p(X)`, which could
//! hold with fewer facts where it does not with all, since ground rules that only then would be there are not in the
//! network; guards that need the atom they guard; and kinds of atoms, which are those in the whole example.
//!
//! Most rule neurons never change after they come, and then have the value they have with all facts. When they come is
//! when the last of some facts comes; neurons that wait for the same facts are found once and share one *wait*.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::Proof;
use crate::function::{Activation, Aggregation, OwnedValue, Shape};
use crate::ground::FactSource;
use crate::network::{AtomNode, FactNode, ValueCells};

/// A change: its step, who changes, and the cell with the new value.
type Change = (u32, u32, u32);

/// The cell of a value that is the one with all facts.
const FULL: u32 = u32::MAX;

/// No wait: the neuron changes after it has come.
const NONE: u32 = u32::MAX;

/// The wait for what is always there.
const ALWAYS: u32 = 0;

/// Inputs that neurons wait for and that never change after they have come.
#[derive(Default)]
struct Waits {
    /// By wait: the waits it ends with, as a range of `parts`; an empty range is that of a fact, which it begins with.
    ranges: Vec<(u32, u32)>,
    parts: Vec<u32>,
    ids: HashMap<Box<[u32]>, u32, FxBuildHasher>,
    /// By atom and by rule neuron.
    atoms: Vec<u32>,
    neurons: Vec<u32>,
    /// By group: the first of those in a row whose rule neurons have the same waits; none unless all have some, and
    /// values that are numbers.
    lists: Vec<u32>,
    /// By wait: the step at which it ends.
    ends: Vec<u32>,
}

impl Waits {
    fn new(proof: &Proof<'_>, atoms: &[usize]) -> Self {
        let network = &proof.network;
        let mut waits = Self {
            atoms: vec![NONE; network.atoms.len()],
            neurons: vec![NONE; network.neurons.len()],
            lists: vec![NONE; network.groups.len()],
            ..Self::default()
        };
        waits.add(0, &[]);
        let mut body: Vec<u32> = Vec::new();
        for &atom in atoms {
            let node = &network.atoms[atom];
            for number in node.groups.clone() {
                let group = &network.groups[number];
                for neuron in group.neurons.clone() {
                    body.clear();
                    // A guard that is not in the order below needs this atom: it is taken for given.
                    let all = network.body(proof.template, group, neuron).iter();
                    let all = all.filter(|&&it| (it as usize) < atom).map(|&it| waits.atoms[it as usize]);
                    body.extend(all.filter(|&wait| wait != ALWAYS));
                    // The group before often has the same walks.
                    let likely = neuron.checked_sub(group.neurons.len()).map_or(NONE, |it| waits.neurons[it]);
                    waits.neurons[neuron] = waits.of(&body, likely);
                }
                let own = &waits.neurons[group.neurons.clone()];
                if own.iter().all(|&wait| wait != NONE) && proof.values.groups.is_number(number) {
                    let last = number.checked_sub(1).map_or(NONE, |last| waits.lists[last]);
                    let other = network.groups.get(last as usize);
                    let is_same = other.is_some_and(|it| waits.neurons[it.neurons.clone()] == *own);
                    waits.lists[number] = if is_same { last } else { number as u32 };
                }
            }
            let of_template = |fact: &FactNode| matches!(fact.source, FactSource::Template(_));
            waits.atoms[atom] = match (node.groups.len(), node.facts.len()) {
                (0, _) if network.facts[node.facts.clone()].iter().all(of_template) => ALWAYS,
                (0, 1) => waits.add(node.facts.start as u32, &[]),
                (1, 0) if network.groups[node.groups.start].neurons.len() == 1 => {
                    waits.neurons[network.groups[node.groups.start].neurons.start]
                }
                _ => NONE,
            };
        }
        waits
    }

    fn add(&mut self, start: u32, parts: &[u32]) -> u32 {
        let start = if parts.is_empty() { start } else { self.parts.len() as u32 };
        self.parts.extend_from_slice(parts);
        self.ranges.push((start, start + parts.len() as u32));
        self.ranges.len() as u32 - 1
    }

    /// Returns the wait that ends with the last of these, which is likely to be this one.
    fn of(&mut self, parts: &[u32], likely: u32) -> u32 {
        if let [only] = parts {
            return *only;
        }
        if parts.is_empty() {
            return ALWAYS;
        }
        if parts.contains(&NONE) {
            return NONE;
        }
        if let Some(&(start, end)) = self.ranges.get(likely as usize)
            && self.parts.get(start as usize..end as usize) == Some(parts)
        {
            return likely;
        }
        if let Some(&id) = self.ids.get(parts) {
            return id;
        }
        let id = self.add(0, parts);
        self.ids.insert(parts.into(), id);
        id
    }

    /// Returns when each ends, where facts come at these steps.
    fn end(&mut self, steps: &[u32]) {
        self.ends.clear();
        self.ends.push(0);
        for &(start, end) in &self.ranges[1..] {
            let mut last = if start == end { steps[start as usize] } else { 0 };
            for &part in self.parts.get(start as usize..end as usize).unwrap_or(&[]) {
                last = last.max(self.ends[part as usize]);
            }
            self.ends.push(last);
        }
    }
}

/// The courses of some neurons, one behind the other.
#[derive(Default)]
struct Courses {
    /// The step of each change.
    steps: Vec<u32>,
    /// The value after each change.
    values: ValueCells<f64>,
}

impl Courses {
    fn clear(&mut self) {
        self.steps.clear();
        self.values.clear();
    }

    /// Adds a change to the course that begins at `start`, unless it changes nothing.
    fn change(&mut self, start: usize, step: u32, numbers: &[f64], shape: Shape) {
        if self.steps.len() == start || self.values.of(self.steps.len() - 1).0 != numbers {
            self.steps.push(step);
            self.values.push(numbers, shape);
        }
    }
}

/// Rule neurons of a group in the order in which they come.
#[derive(Default)]
struct Arrivals {
    /// The group whose waits these are, and those of groups in a row after it.
    list: u32,
    /// The neurons by their places in the group; those of one step in their order.
    members: Vec<u32>,
    /// Each step at which some come, with how many have come by then.
    runs: Vec<(u32, u32)>,
    /// By step: the place of the next that comes.
    next: Vec<u32>,
}

impl Arrivals {
    /// Sorts rule neurons with these waits by when these end.
    fn fill(&mut self, waits: &[u32], ends: &[u32], most: usize) {
        self.runs.clear();
        self.next.clear();
        self.next.resize(most + 2, 0);
        waits.iter().for_each(|&wait| self.next[ends[wait as usize] as usize + 1] += 1);
        for step in 0..=most {
            let count = self.next[step + 1];
            self.next[step + 1] += self.next[step];
            if count > 0 {
                self.runs.push((step as u32, self.next[step + 1]));
            }
        }
        self.members.resize(waits.len(), 0);
        for (member, &wait) in (0..).zip(waits) {
            let place = &mut self.next[ends[wait as usize] as usize];
            self.members[*place as usize] = member;
            *place += 1;
        }
    }
}

/// A walk through the network behind an atom.
pub(super) struct Removal<'a> {
    pub proof: &'a Proof<'a>,
    /// The atoms behind the root, and the root, each after those it needs.
    atoms: Vec<usize>,
    /// The courses of the atoms.
    courses: Courses,
    /// By atom: where its course begins and ends.
    ranges: Vec<(usize, usize)>,
    /// By atom: its first and its last change.
    spans: Vec<(u32, u32)>,
    /// The courses of the aggregation neurons of one atom.
    groups: Courses,
    waits: Waits,
    arrivals: Arrivals,
    /// Values of rule neurons on the way.
    scratch: ValueCells<f64>,
    /// The largest step.
    most: usize,
    /// Number of inputs that the last walk looked at.
    pub work: usize,
}

/// Sorts changes by their steps; those of one step stay in their order.
fn by_step(mut changes: Vec<Change>, most: usize) -> Vec<Change> {
    if most > 4 * changes.len() {
        changes.sort_by_key(|change| change.0);
        return changes;
    }
    let mut next = vec![0u32; most + 2];
    changes.iter().for_each(|change| next[change.0 as usize + 1] += 1);
    for step in 0..=most {
        next[step + 1] += next[step];
    }
    let mut sorted = vec![(0, 0, 0); changes.len()];
    for change in changes {
        let place = &mut next[change.0 as usize];
        sorted[*place as usize] = change;
        *place += 1;
    }
    sorted
}

/// An atom that is a function of the sum of its parts, all of them numbers.
struct PartSum {
    weights: Vec<f64>,
    /// Each times its weight; -0, which adds nothing, where it is not there.
    parts: Vec<f64>,
    activation: Activation,
    offset: f64,
    only_facts: bool,
    facts_enter_as_values: bool,
}

impl PartSum {
    /// Puts a part into it: an aggregation neuron with this value, or a fact.
    fn put(&mut self, part: usize, value: Option<f64>) {
        self.only_facts &= value.is_none();
        self.parts[part] = self.weights[part] * value.unwrap_or(1.0);
    }

    fn value(&self) -> f64 {
        let mut value = [self.parts.iter().fold(-0.0, |sum, part| sum + part)];
        if !(self.only_facts && self.facts_enter_as_values) {
            value[0] += self.offset;
            self.activation.apply(&mut value);
        }
        value[0]
    }
}

impl<'a> Removal<'a> {
    pub fn new(proof: &'a Proof<'a>, root: usize) -> Self {
        let network = &proof.network;
        let mut is_behind = vec![false; root + 1];
        is_behind[root] = true;
        for atom in (0..=root).rev() {
            if !is_behind[atom] {
                continue;
            }
            for group in &network.groups[network.atoms[atom].groups.clone()] {
                for neuron in group.neurons.clone() {
                    let body = network.body(proof.template, group, neuron).iter().map(|&it| it as usize);
                    body.filter(|&it| it < atom).for_each(|it| is_behind[it] = true);
                }
            }
        }
        let atoms: Vec<usize> = (0..=root).filter(|&atom| is_behind[atom]).collect();
        Self {
            proof,
            waits: Waits::new(proof, &atoms),
            arrivals: Arrivals::default(),
            atoms,
            courses: Courses::default(),
            ranges: vec![(0, 0); root + 1],
            spans: vec![(0, 0); root + 1],
            groups: Courses::default(),
            scratch: ValueCells::default(),
            most: 0,
            work: 0,
        }
    }

    /// Returns the atom that the others stand behind.
    pub fn root(&self) -> usize {
        self.ranges.len() - 1
    }

    /// Returns the facts behind the root.
    pub fn facts(&self) -> impl Iterator<Item = usize> {
        self.atoms.iter().flat_map(|&atom| self.proof.network.atoms[atom].facts.clone())
    }

    /// Returns the changes of an element of the root, step and value, where facts come at these steps, up to `most`.
    /// Values that are not finite are left out.
    pub fn course(&mut self, steps: &[u32], most: usize, element: usize) -> Vec<(u32, f64)> {
        self.courses.clear();
        (self.most, self.work) = (most, 0);
        self.waits.end(steps);
        self.arrivals.list = NONE;
        for at in 0..self.atoms.len() {
            self.atom(self.atoms[at], steps);
        }
        let (start, end) = self.ranges[self.root()];
        let change = |at: usize| (self.courses.steps[at], self.courses.values.of(at).0[element]);
        (start..end).map(change).filter(|change| change.1.is_finite()).collect()
    }

    fn atom(&mut self, atom: usize, steps: &[u32]) {
        let proof = self.proof;
        let node = &proof.network.atoms[atom];
        self.groups.clear();
        let mut changes: Vec<Change> = Vec::new();
        for (part, group) in node.groups.clone().enumerate() {
            let start = self.groups.steps.len();
            self.group(group, atom);
            let steps = self.groups.steps[start..].iter().enumerate();
            changes.extend(steps.map(|(at, &step)| (step, part as u32, (start + at) as u32)));
        }
        self.number(node, &mut changes);
        let count = node.groups.len();
        changes
            .extend(node.facts.clone().enumerate().map(|(at, fact)| (steps[fact], (count + at) as u32, 0)));
        let (full, shape) = proof.values.atoms.of(atom);
        let start = self.courses.steps.len();
        if node.is_zero() {
            self.courses.change(start, 0, full, shape); // the beginning of a cycle is always there
        } else if let [(step, ..)] = changes[..] {
            self.courses.change(start, step, full, shape);
        } else {
            let mut current: Vec<Option<u32>> = vec![None; count + node.facts.len()];
            let mut sum = self.sum(node).filter(|_| shape.is_number());
            let changes = by_step(changes, self.most);
            let last = changes.last().map_or(0, |change| change.0);
            for same in changes.chunk_by(|a, b| a.0 == b.0) {
                let step = same[0].0;
                if step == last {
                    self.courses.change(start, step, full, shape);
                    break;
                }
                self.work += current.len();
                if let Some(sum) = &mut sum {
                    for &(_, part, cell) in same {
                        let is_group = (part as usize) < count;
                        let value = is_group.then(|| self.groups.values.first(cell as usize));
                        sum.put(part as usize, value);
                    }
                    self.courses.change(start, step, &[sum.value()], shape);
                    continue;
                }
                same.iter().for_each(|&(_, part, cell)| current[part as usize] = Some(cell));
                let value = self.atom_value(node, &current);
                if let Some((numbers, _)) = value.filter(|value| value.1 == shape) {
                    self.courses.change(start, step, &numbers, shape);
                }
            }
        }
        let end = self.courses.steps.len();
        self.ranges[atom] = (start, end);
        self.spans[atom] = (self.courses.steps[start], self.courses.steps[end - 1]);
    }

    /// Numbers ground rules in the order in which they come: those that differ in their numbers alone are alike.
    fn number(&self, node: &AtomNode, changes: &mut [Change]) {
        let Proof { template, network, .. } = self.proof;
        let family = |change: &Change| {
            let group = &network.groups[node.groups.start + change.1 as usize];
            let index = &group.index[..group.index.len().saturating_sub(1)];
            (group.rule, template.rule(group.rule).number.map(|_| index))
        };
        for alike in changes.chunk_by_mut(|a, b| family(a).1.is_some() && family(a) == family(b)) {
            let mut steps: Vec<u32> = alike.iter().map(|change| change.0).collect();
            steps.sort_unstable();
            alike.iter_mut().zip(steps).for_each(|(change, step)| change.0 = step);
        }
    }

    /// Returns the sum that an atom is a function of, without any of its parts yet, if it is one of numbers.
    fn sum(&self, node: &AtomNode) -> Option<PartSum> {
        let numbers = &self.proof.numbers;
        let (combination, activation, offset) = &numbers.atoms[node.predicate.index()];
        let declared = self.proof.template.predicates.get(node.predicate.index());
        let is_number = declared.and_then(|known| known.shape).is_none_or(Shape::is_number);
        let are_numbers = || (0..self.groups.values.count()).all(|at| self.groups.values.is_number(at));
        if !combination.is_sum() || !is_number || !offset.1.is_number() || !are_numbers() {
            return None;
        }
        let weights = numbers.groups[node.groups.clone()].iter().chain(&numbers.facts[node.facts.clone()]);
        let weight = |weight: &Option<OwnedValue<f64>>| match weight {
            None => Some(1.0),
            Some((numbers, shape)) => shape.is_number().then(|| numbers[0]),
        };
        let weights: Vec<f64> = weights.map(weight).collect::<Option<_>>()?;
        let parts = vec![-0.0; weights.len()];
        let (activation, offset) = (*activation, offset.0[0]);
        let facts_enter_as_values = self.proof.template.family.facts_enter_as_values;
        Some(PartSum { weights, parts, activation, offset, only_facts: true, facts_enter_as_values })
    }

    /// Returns the value of an atom with some of its parts, of whatever shape; none where these cannot be combined.
    fn atom_value(&self, node: &AtomNode, current: &[Option<u32>]) -> Option<OwnedValue<f64>> {
        let (groups, facts) = current.split_at(node.groups.len());
        let present = node.groups.clone().zip(groups).filter_map(|(group, cell)| Some((group, (*cell)?)));
        let groups: Vec<Option<OwnedValue<f64>>> = present
            .map(|(group, cell)| self.proof.group_part(group, self.groups.values.of(cell as usize)))
            .collect();
        let only_facts = groups.is_empty();
        let present = node.facts.clone().zip(facts).filter(|(_, cell)| cell.is_some());
        let facts = present.map(|(fact, _)| self.proof.fact_part(fact));
        let inputs: Vec<OwnedValue<f64>> = groups.into_iter().chain(facts).collect::<Option<_>>()?;
        self.proof.numbers.atom_value(self.proof.template, node.predicate, &inputs, only_facts)
    }

    /// Writes the course of an aggregation neuron, behind those that are there.
    fn group(&mut self, number: usize, atom: usize) {
        let proof = self.proof;
        let group = &proof.network.groups[number];
        let rule = proof.template.rule(group.rule);
        let (count, start) = (rule.inputs.len(), self.groups.steps.len());
        let aggregation = rule.functions.aggregation;
        let is_simple = self.waits.lists[number] != NONE
            && !matches!(aggregation, Aggregation::Product | Aggregation::Softmax);
        if is_simple && self.most <= 4 * group.neurons.len() {
            return self.accumulate(number, aggregation);
        }
        self.scratch.clear();
        let mut changes: Vec<Change> = Vec::with_capacity(group.neurons.len());
        for neuron in group.neurons.clone() {
            let member = (neuron - group.neurons.start) as u32;
            if let Some(&end) = self.waits.ends.get(self.waits.neurons[neuron] as usize) {
                changes.push((end, member, FULL));
                continue;
            }
            let body = proof.network.body(proof.template, group, neuron);
            let (mut birth, mut last) = (0, 0);
            for &it in &body[..count] {
                let (first, end) = self.spans[it as usize];
                (birth, last) = (birth.max(first), last.max(end));
            }
            for &it in &body[count..] {
                // A guard that comes later in the order needs this atom: it is taken for given.
                if (it as usize) < atom {
                    birth = birth.max(self.spans[it as usize].0);
                }
            }
            self.work += body.len();
            if last > birth {
                self.rule(number, neuron, (birth, last), &mut changes);
            }
            changes.push((birth.max(last), member, FULL));
        }
        let (full, shape) = proof.values.groups.of(number);
        if let [(step, ..)] = changes[..] {
            return self.groups.change(start, step, full, shape);
        }
        let changes = by_step(changes, self.most);
        let last = changes.last().map_or(0, |change| change.0);
        self.work += changes.len();
        self.rescan(number, start, &changes);
        self.groups.change(start, last, full, shape);
    }

    /// Collects the changes of a rule neuron before it has the value it has with all facts.
    fn rule(&mut self, group: usize, neuron: usize, (birth, last): (u32, u32), changes: &mut Vec<Change>) {
        let proof = self.proof;
        let inputs = proof.inputs(group, neuron);
        let mut steps = vec![birth];
        for &input in inputs {
            let (start, end) = self.ranges[input as usize];
            steps.extend(self.courses.steps[start..end].iter().filter(|&&step| birth < step && step < last));
        }
        steps.sort_unstable();
        steps.dedup();
        let member = (neuron - proof.network.groups[group].neurons.start) as u32;
        for step in steps {
            let input = |at: usize| {
                let (start, end) = self.ranges[inputs[at] as usize];
                let before = self.courses.steps[start..end].partition_point(|&other| other <= step);
                self.courses.values.of(start + before.max(1) - 1)
            };
            let number =
                proof.rule_number(group, inputs.len(), input).map(|number| (vec![number], Shape::NUMBER));
            if let Some((numbers, shape)) = number.or_else(|| proof.rule_value(group, inputs.len(), input)) {
                changes.push((step, member, self.scratch.count() as u32));
                self.scratch.push(&numbers, shape);
            }
            self.work += inputs.len();
        }
    }

    /// Writes the course of an aggregation neuron whose rule neurons are numbers and never change.
    fn accumulate(&mut self, number: usize, aggregation: Aggregation) {
        let neurons = self.proof.network.groups[number].neurons.clone();
        self.work += neurons.len() / 4;
        let list = self.waits.lists[number];
        if self.arrivals.list != list {
            self.arrivals.fill(&self.waits.neurons[neurons], &self.waits.ends, self.most);
            self.arrivals.list = list;
        }
        match aggregation {
            Aggregation::Max => self.join_arrivals(number, |all, value| value.max(all), |all, _| all),
            Aggregation::Min => self.join_arrivals(number, |all, value| value.min(all), |all, _| all),
            Aggregation::Count => self.join_arrivals(number, |all, _| all, |_, count| count),
            Aggregation::Mean => {
                self.join_arrivals(number, |all, value| all + value, |all, count| all / count);
            }
            _ => self.join_arrivals(number, |all, value| all + value, |all, _| all),
        }
    }

    /// Writes the values that rule neurons have together, those of one step first, from step to step: `value` of that and
    /// of their number.
    fn join_arrivals(
        &mut self,
        number: usize,
        join: impl Fn(f64, f64) -> f64,
        value: impl Fn(f64, f64) -> f64,
    ) {
        let proof = self.proof;
        let (start, full) = (self.groups.steps.len(), proof.values.groups.first(number));
        let values = proof.values.neurons.numbers(proof.network.groups[number].neurons.clone());
        let (mut all, mut from) = (0.0, 0);
        for &(step, end) in &self.arrivals.runs {
            let mut now = self.arrivals.members[from..end as usize].iter().map(|&it| values[it as usize]);
            let Some(first) = now.next() else { continue };
            let together = now.fold(first, &join);
            all = if from == 0 { together } else { join(all, together) };
            from = end as usize;
            let value = if from == values.len() { full } else { value(all, f64::from(end)) };
            self.groups.change(start, step, &[value], Shape::NUMBER);
        }
    }

    /// Writes the course of any aggregation neuron, up to its last change.
    fn rescan(&mut self, number: usize, start: usize, changes: &[Change]) {
        let proof = self.proof;
        let group = &proof.network.groups[number];
        let shape = proof.values.groups.of(number).1;
        let last = changes.last().map_or(0, |change| change.0);
        let aggregation = proof.template.rule(group.rule).functions.aggregation;
        let mut current: Vec<Option<u32>> = vec![None; group.neurons.len()];
        let mut output = vec![0.0; shape.size()];
        for same in changes.chunk_by(|a, b| a.0 == b.0).take_while(|same| same[0].0 < last) {
            same.iter().for_each(|&(_, member, cell)| current[member as usize] = Some(cell));
            let rows = group.neurons.clone().zip(&current).filter_map(|(neuron, cell)| match *cell {
                None => None,
                Some(FULL) => Some(proof.values.neurons.of(neuron).0),
                Some(cell) => Some(self.scratch.of(cell as usize).0),
            });
            aggregation.apply(rows, &mut output);
            self.work += current.len();
            self.groups.change(start, same[0].0, &output, shape);
        }
    }
}
