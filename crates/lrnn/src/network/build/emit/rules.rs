//! The neurons and groups of a class of rules.

use super::Emitter;
use crate::function::{Activation, Aggregation};
use crate::network::program::{Block, Gather, Groups, List, Neurons, StageBackward};
use crate::network::schedule::{InputStep, RuleStep, needs_input};
use crate::template::RuleId;

impl Emitter<'_> {
    /// Emits the neurons and groups of a class of rules at a level; those of the other rules are with the first.
    pub(super) fn rule(&mut self, id: RuleId, level: u32) {
        let table = &self.space.rules[id.index()];
        let is_now = |&group: &u32| table.groups.ranks[group as usize].level == level;
        let now = (0..table.groups.ranks.len() as u32).filter(is_now);
        let groups = self.space.buffers.filled(now);
        let neurons = self.in_order_of_use(id, &groups, level);
        let step = self.builder.schedule.step(id);
        self.network.neurons.rule += neurons.len();
        self.network.neurons.aggregation += groups.len();
        if neurons.is_empty() && groups.is_empty() {
            return self.space.buffers.give_all([neurons, groups]);
        }
        let inputs = self.input_cells(id, step, &neurons);
        let is_own = self.is_own(id, &groups, &neurons);
        let fuse = is_own
            && step.late
            && step.sums_numbers()
            && !step.inputs.is_empty()
            && !self.is_used_later(id, level);
        let mut fused = None;
        if step.is_direct() {
            for (&neuron, &cell) in neurons.iter().zip(&inputs[0]) {
                self.space.rules[id.index()].neurons.cells[neuron as usize] = cell;
            }
            self.space.buffers.give_all(inputs);
        } else {
            let rows = if fuse { self.rows_of_each(id, &groups) } else { None };
            let gather = self.gather(step, inputs, neurons.len(), rows);
            if fuse { fused = Some(gather) } else { self.emit_neurons(id, step, &neurons, &gather) }
        }
        self.emit_groups(id, step, &groups, fused.as_ref());
        self.space.buffers.give_all([neurons, groups]);
    }

    /// Returns the neurons of a level, those of the first group first.
    fn in_order_of_use(&mut self, id: RuleId, groups: &[u32], level: u32) -> Vec<u32> {
        let buffers = &mut self.space.buffers;
        let table = &self.space.rules[id.index()];
        let mut seen = buffers.repeated(0, table.neurons.keys.len());
        let mut order = buffers.take();
        order.reserve(table.neurons.keys.len());
        let used = groups.iter().flat_map(|&group| table.groups.keys.key(group).iter().step_by(2).copied());
        for neuron in used.chain(0..table.neurons.keys.len() as u32) {
            if seen[neuron as usize] == 0 && table.neurons.ranks[neuron as usize].level == level {
                seen[neuron as usize] = 1;
                order.push(neuron);
            }
        }
        buffers.give(seen);
        order
    }

    /// Returns whether the groups use just these neurons, each once and in this order.
    fn is_own(&self, id: RuleId, groups: &[u32], neurons: &[u32]) -> bool {
        let table = &self.space.rules[id.index()];
        let used = groups.iter().flat_map(|&group| table.groups.keys.key(group).iter().step_by(2));
        used.eq(neurons)
    }

    /// Returns how many neurons each group has, if all have the same number and they are one block.
    fn rows_of_each(&self, id: RuleId, groups: &[u32]) -> Option<usize> {
        let table = &self.space.rules[id.index()];
        let rows = |&group: &u32| table.groups.keys.key(group).len() / 2;
        let first = rows(groups.first()?);
        let is_one_block = self.rows_of_chunk(groups.len(), 1) >= groups.len();
        (is_one_block && groups.iter().all(|group| rows(group) == first)).then_some(first)
    }

    /// Returns whether a group of a later level uses neurons of this one, which need cells then.
    fn is_used_later(&self, id: RuleId, level: u32) -> bool {
        let table = &self.space.rules[id.index()];
        let later = (0..table.groups.ranks.len() as u32)
            .filter(|&group| table.groups.ranks[group as usize].level > level);
        let mut used = later.flat_map(|group| table.groups.keys.key(group).iter().step_by(2));
        used.any(|&neuron| table.neurons.ranks[neuron as usize].level == level)
    }

    fn emit_neurons(&mut self, rule: RuleId, step: &RuleStep, neurons: &[u32], gather: &Gather) {
        let (size, width) = (step.shape.size(), gather.columns.len());
        let first = self.network.blocks.len();
        let inputs = gather.at as usize..gather.at as usize + neurons.len() * width;
        let rows = self.rows_of_chunk(neurons.len(), size);
        let mut cells = self.space.buffers.take();
        for (number, neurons) in neurons.chunks(rows).enumerate() {
            let gather = Gather { at: gather.at + (number * rows * width) as u32, ..gather.clone() };
            let x = self.allocate(neurons.len(), size);
            let y = if needs_input(step.of_neurons()) { self.allocate(neurons.len(), size) } else { x };
            self.space.rules[rule.index()].neurons.place(neurons, y, size);
            cells.push(x);
            let count = neurons.len() as u32;
            self.network.blocks.push(Block::Neurons(Neurons { rule, count, gather, x, y }));
        }
        let is_plain = |input: &InputStep| input.shape == step.shape;
        if step.combination.is_sum() && step.inputs.iter().all(is_plain) {
            let reader = |input: usize| {
                let row = input / width;
                cells[row / rows] + (row % rows * size) as u32
            };
            self.end_sums(first, size, inputs, reader);
        } else {
            self.end_stage(first, StageBackward::InTurn);
        }
        self.space.buffers.give(cells);
    }

    /// Emits groups, in chunks where there are many.
    fn emit_groups(&mut self, rule: RuleId, step: &RuleStep, groups: &[u32], fused: Option<&Gather>) {
        if fused.is_none() && self.are_their_neurons(rule, step, groups) {
            return;
        }
        let (size, first) = (step.shape.size(), self.network.blocks.len());
        let mut entries = 0;
        for groups in groups.chunks(self.rows_of_chunk(groups.len(), size)) {
            let width = fused.map_or(0, |gather| gather.columns.len() as u32);
            let fused = fused.map(|gather| Gather { at: gather.at + entries * width, ..gather.clone() });
            entries += self.emit_chunk(rule, step, groups, fused);
        }
        match step.aggregation {
            Aggregation::Sum | Aggregation::Mean => self.end_totals(first, size),
            _ => self.end_stage(first, StageBackward::InTurn),
        }
    }

    /// Returns whether each group is nothing but its one neuron, which then has its cells.
    fn are_their_neurons(&mut self, rule: RuleId, step: &RuleStep, groups: &[u32]) -> bool {
        let table = &mut self.space.rules[rule.index()];
        let passes = matches!(
            step.aggregation,
            Aggregation::Sum | Aggregation::Mean | Aggregation::Max | Aggregation::Min
        );
        let is_one = |&group: &u32| matches!(table.groups.keys.key(group), [_, 1]);
        let are = passes && step.of_groups() == Activation::Identity && groups.iter().all(is_one);
        if are {
            for &group in groups {
                let neuron = table.groups.keys.key(group)[0];
                table.groups.cells[group as usize] = table.neurons.cells[neuron as usize];
            }
        }
        are
    }

    /// Emits groups, and returns how many entries they have.
    fn emit_chunk(&mut self, rule: RuleId, step: &RuleStep, groups: &[u32], fused: Option<Gather>) -> u32 {
        let size = step.shape.size();
        let [mut cells, mut counts, mut ends, mut totals] = [(); 4].map(|()| self.space.buffers.take());
        let table = &self.space.rules[rule.index()];
        ends.push(0);
        for &group in groups {
            for pair in table.groups.keys.key(group).chunks_exact(2) {
                cells.push(table.neurons.cells[pair[0] as usize]);
                counts.push(pair[1]);
            }
            totals.push(counts[ends[ends.len() - 1] as usize..].iter().sum::<u32>());
            ends.push(counts.len() as u32);
        }
        let ends_at = self.indices(ends.iter().copied());
        let entries = if fused.is_some() { List::Run(0, 0) } else { self.list(&cells, size as u32) };
        let repeat = counts.iter().any(|&count| count != 1);
        let counts_at = repeat.then(|| self.indices(counts.iter().chain(&totals).copied()));
        let entry_count = counts.len() as u32;
        self.space.buffers.give_all([cells, counts, ends, totals]);
        let x = self.allocate(groups.len(), size);
        let y = if needs_input(step.of_groups()) { self.allocate(groups.len(), size) } else { x };
        self.space.rules[rule.index()].groups.place(groups, y, size);
        let choice = self.network.choices;
        self.network.choices += (groups.len() * size) as u32;
        let count = groups.len() as u32;
        self.network.blocks.push(Block::Groups(Groups {
            rule,
            count,
            ends: ends_at,
            entries,
            counts: counts_at,
            fused,
            x,
            y,
            choice,
        }));
        entry_count
    }
}
