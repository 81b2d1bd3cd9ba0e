//! From numbered neurons to blocks: stratum by stratum and level by level, each neuron gets its cells.

use super::classes::Classes;
use super::{Builder, FACT_OF_DATA};
use crate::function::{Activation, Combination, Shape};
use crate::network::program::{
    Atoms, Block, Edges, Facts, Gather, Groups, List, Move, Network, Neurons, Ordered, Slots, Source, Sums,
};
use crate::network::schedule::{InputStep, Place, RuleStep};
use crate::template::RuleId;
use crate::vocabulary::PredicateId;

/// No cell yet.
const NONE: u32 = u32::MAX;

pub(super) fn emit(builder: Builder<'_>) -> Network {
    let cells = |count: usize| vec![NONE; count];
    let mut emitter = Emitter {
        neuron_cell: builder.rules.iter().map(|table| cells(table.neurons.len())).collect(),
        group_cell: builder.rules.iter().map(|table| cells(table.groups.len())).collect(),
        atom_cell: builder.atoms.iter().map(|table| cells(table.atoms.len())).collect(),
        constant_at: Vec::new(),
        network: Network { keys: builder.weight_keys(), ..Network::default() },
        builder,
    };
    emitter.constants();
    let strata = emitter.builder.schedule.strata.clone();
    for stratum in &strata {
        let groups = stratum.rules.iter().flat_map(|id| &emitter.builder.rules[id.index()].group_levels);
        let atoms = stratum.predicates.iter().flat_map(|id| &emitter.builder.atoms[id.index()].levels);
        let most = groups.chain(atoms).copied().max().unwrap_or(0);
        let is_first = |rule: &&RuleId| emitter.builder.schedule.class(**rule) == **rule;
        let classes: Vec<RuleId> = stratum.rules.iter().filter(is_first).copied().collect();
        for level in 0..=most {
            classes.iter().for_each(|&class| emitter.rule(class, level));
            stratum.predicates.iter().for_each(|&predicate| emitter.atoms(predicate, level));
        }
    }
    emitter.outputs();
    emitter.network
}

struct Emitter<'a> {
    builder: Builder<'a>,
    network: Network,
    neuron_cell: Vec<Vec<u32>>,
    group_cell: Vec<Vec<u32>>,
    atom_cell: Vec<Vec<u32>>,
    /// Where each value of a fact begins among the network's constants.
    constant_at: Vec<u32>,
}

/// The groups of a class of rules that enter atoms: the row of the atom, the cell of the group, the slot of the weight.
#[derive(Default)]
struct Entering {
    rows: Vec<u32>,
    cells: Vec<u32>,
    slots: Vec<u32>,
}

/// Whether a fact is of the data, and its size.
type FactKind = (bool, u32);

impl Emitter<'_> {
    fn constants(&mut self) {
        for number in 0..self.builder.constants.len() as u32 {
            self.constant_at.push(self.network.constants.len() as u32);
            let words = self.builder.constants.key(number);
            let numbers = words
                .chunks_exact(2)
                .map(|pair| f64::from_bits(u64::from(pair[0]) | u64::from(pair[1]) << 32));
            self.network.constants.extend(numbers);
        }
    }

    fn outputs(&mut self) {
        for output in &self.builder.outputs {
            let cell = output.map(|(predicate, number)| self.atom_cell[predicate.index()][number as usize]);
            self.network.outputs.push(cell);
        }
        let size =
            |predicate: &PredicateId| self.builder.schedule.atoms[predicate.index()].shape.size() as u32;
        self.network.output_sizes = self.builder.output_predicates.iter().map(size).collect();
    }

    /// New cells.
    fn allocate(&mut self, count: usize, size: usize) -> u32 {
        let at = self.network.cells;
        self.network.cells += (count * size) as u32;
        at
    }

    /// Puts numbers among the indices; where they begin.
    fn indices(&mut self, numbers: impl IntoIterator<Item = u32>) -> u32 {
        let at = self.network.indices.len() as u32;
        self.network.indices.extend(numbers);
        at
    }

    /// The same for numbers of weights, which are places of parameters later.
    fn slots(&mut self, numbers: &[u32]) -> u32 {
        let at = self.indices(numbers.iter().copied());
        self.network.slots.push((at, numbers.len() as u32));
        at
    }

    /// A list, as a run where it is one.
    fn list(&mut self, numbers: &[u32], step: u32) -> List {
        match numbers {
            [] => List::Run(0, step),
            [first, ..]
                if numbers.iter().enumerate().all(|(at, &number)| number == first + at as u32 * step) =>
            {
                List::Run(*first, step)
            }
            _ => List::At(self.indices(numbers.iter().copied())),
        }
    }

    /// The neurons and groups of a class of rules at a level; those of the other rules are with the first.
    fn rule(&mut self, id: RuleId, level: u32) {
        let table = &self.builder.rules[id.index()];
        let at_level = |levels: &[u32]| -> Vec<u32> {
            (0..levels.len() as u32).filter(|&number| levels[number as usize] == level).collect()
        };
        let groups = at_level(&table.group_levels);
        let neurons = self.in_order_of_use(id, &groups, level);
        let step = self.builder.schedule.step(id).clone();
        self.network.neurons.rule += neurons.len();
        self.network.neurons.aggregation += groups.len();
        if neurons.is_empty() && groups.is_empty() {
            return;
        }
        let mut inputs = self.input_cells(id, &step, &neurons);
        if step.combination == Combination::Sum && step.shape.is_number() && self.builder.options.merge {
            self.share_sums(&mut inputs);
        }
        let is_own = self.is_own(id, &groups, &neurons);
        let fuse = is_own
            && step.late
            && step.combination == Combination::Sum
            && step.shape.is_number()
            && !step.inputs.is_empty();
        if step.is_direct() {
            for (&neuron, &cell) in neurons.iter().zip(&inputs[0]) {
                self.neuron_cell[id.index()][neuron as usize] = cell;
            }
        } else if !fuse {
            self.emit_neurons(id, &step, &neurons, &inputs);
        }
        let fused = (fuse && !step.is_direct()).then(|| self.gather(&inputs, neurons.len()));
        self.emit_groups(id, &step, &groups, fused);
    }

    /// The neurons of a level, those of the first group first.
    fn in_order_of_use(&self, id: RuleId, groups: &[u32], level: u32) -> Vec<u32> {
        let table = &self.builder.rules[id.index()];
        let mut seen = vec![false; table.neurons.len()];
        let mut order = Vec::new();
        let used = groups.iter().flat_map(|&group| table.groups.key(group).iter().step_by(2).copied());
        for neuron in used.chain(0..table.neurons.len() as u32) {
            if !seen[neuron as usize] && table.neuron_levels[neuron as usize] == level {
                seen[neuron as usize] = true;
                order.push(neuron);
            }
        }
        order
    }

    /// Whether the groups use just these neurons, each once and in this order.
    fn is_own(&self, id: RuleId, groups: &[u32], neurons: &[u32]) -> bool {
        let table = &self.builder.rules[id.index()];
        let used = groups.iter().flat_map(|&group| table.groups.key(group).iter().step_by(2));
        used.eq(neurons)
    }

    /// For each input, its cell for each neuron; inputs that are weighed or negated are moved first.
    fn input_cells(&mut self, id: RuleId, step: &RuleStep, neurons: &[u32]) -> Vec<Vec<u32>> {
        let mut slots = 0;
        let mut all = Vec::new();
        for (at, input) in step.inputs.iter().enumerate() {
            let slot_at = step.inputs.len() + slots;
            let is_indexed = input.weight.place == Place::Slots;
            slots += usize::from(is_indexed);
            let table = &self.builder.rules[id.index()];
            let keys = neurons.iter().map(|&neuron| table.neurons.key(neuron));
            let atoms = &self.atom_cell[input.predicate.index()];
            let sources: Vec<(u32, u32)> = keys
                .map(|key| (atoms[key[at] as usize], if is_indexed { key[slot_at] } else { 0 }))
                .collect();
            all.push(match input.is_plain() {
                true => sources.into_iter().map(|(cell, _)| cell).collect(),
                false => self.moved(input, &sources, is_indexed),
            });
        }
        all
    }

    /// Weighs each different source once; gives the new cell of each.
    fn moved(&mut self, input: &InputStep, sources: &[(u32, u32)], is_indexed: bool) -> Vec<u32> {
        let mut different = sources.to_vec();
        different.sort_unstable();
        different.dedup();
        let size = input.shape.size();
        let to = self.allocate(different.len(), size);
        let cells: Vec<u32> = different.iter().map(|(cell, _)| *cell).collect();
        let from_size = input.from.size() as u32;
        let from = self.list(&cells, from_size);
        let slots = match is_indexed {
            true => Slots::At(self.slots(&different.iter().map(|(_, slot)| *slot).collect::<Vec<_>>())),
            false => Slots::Same,
        };
        self.network.blocks.push(Block::Move(Move {
            weight: input.weight,
            slots,
            negated: input.negated,
            count: different.len() as u32,
            from,
            from_size,
            from_columns: input.from.columns,
            to,
            to_size: size as u32,
        }));
        let place = |source| different.binary_search(source).unwrap_or(0);
        sources.iter().map(|source| to + (place(source) * size) as u32).collect()
    }

    /// Where many neurons share parts of their sums, these parts are summed once: the columns that differ are cut in
    /// two halves, and each half has far fewer different rows than there are neurons.
    fn share_sums(&mut self, inputs: &mut Vec<Vec<u32>>) {
        let (same, differ): (Vec<_>, Vec<_>) =
            std::mem::take(inputs).into_iter().partition(|cells| is_same(cells));
        let count = differ.first().map_or(0, Vec::len);
        *inputs = same;
        if differ.len() < 3 || count < 64 {
            inputs.extend(differ);
            return;
        }
        let halves = [&differ[..differ.len().div_ceil(2)], &differ[differ.len().div_ceil(2)..]];
        let classes = halves.map(|half| {
            let columns: Vec<&[u32]> = half.iter().map(Vec::as_slice).collect();
            Classes::of(&columns, count)
        });
        let cost: usize =
            halves.iter().zip(&classes).map(|(half, classes)| half.len() * classes.first.len()).sum();
        if cost + 2 * count > differ.len() * count * 3 / 4 {
            inputs.extend(differ);
            return;
        }
        for (half, classes) in halves.iter().zip(&classes) {
            let to = self.allocate(classes.first.len(), 1);
            let rows =
                classes.first.iter().flat_map(|&row| half.iter().map(move |cells| cells[row as usize]));
            let at = self.indices(rows.collect::<Vec<_>>());
            let (count, width) = (classes.first.len() as u32, half.len() as u32);
            self.network.blocks.push(Block::Sums(Sums { count, width, at, to }));
            inputs.push(classes.class.iter().map(|class| to + class).collect());
        }
    }

    fn gather(&mut self, inputs: &[Vec<u32>], count: usize) -> Gather {
        let mut same = Vec::new();
        let mut columns = Vec::new();
        for (at, cells) in inputs.iter().enumerate() {
            match cells.first() {
                Some(&cell) if is_same(cells) => same.push((at as u32, cell)),
                _ => columns.push(at as u32),
            }
        }
        let differ: Vec<&Vec<u32>> = columns.iter().map(|&at| &inputs[at as usize]).collect();
        let at = self.indices((0..count).flat_map(|neuron| differ.iter().map(move |cells| cells[neuron])));
        Gather { same, columns, at }
    }

    fn emit_neurons(&mut self, rule: RuleId, step: &RuleStep, neurons: &[u32], inputs: &[Vec<u32>]) {
        let size = step.shape.size();
        let gather = self.gather(inputs, neurons.len());
        let x = self.allocate(neurons.len(), size);
        let is_plain = step.late || step.activation == Activation::Identity;
        let y = if is_plain { x } else { self.allocate(neurons.len(), size) };
        for (at, &neuron) in neurons.iter().enumerate() {
            self.neuron_cell[rule.index()][neuron as usize] = y + (at * size) as u32;
        }
        self.network.blocks.push(Block::Neurons(Neurons { rule, count: neurons.len() as u32, gather, x, y }));
    }

    fn emit_groups(&mut self, rule: RuleId, step: &RuleStep, groups: &[u32], fused: Option<Gather>) {
        let size = step.shape.size();
        let table = &self.builder.rules[rule.index()];
        let (mut ends, mut cells, mut counts) = (vec![0], Vec::new(), Vec::new());
        for &group in groups {
            for pair in table.groups.key(group).chunks_exact(2) {
                cells.push(self.neuron_cell[rule.index()][pair[0] as usize]);
                counts.push(pair[1]);
            }
            ends.push(counts.len() as u32);
        }
        let ends = self.indices(ends);
        let entries = if fused.is_some() { List::Run(0, 0) } else { self.list(&cells, size as u32) };
        let counts = counts.iter().any(|&count| count != 1).then(|| self.indices(counts.iter().copied()));
        let x = self.allocate(groups.len(), size);
        let is_plain = !step.late || step.activation == Activation::Identity;
        let y = if is_plain { x } else { self.allocate(groups.len(), size) };
        for (at, &group) in groups.iter().enumerate() {
            self.group_cell[rule.index()][group as usize] = y + (at * size) as u32;
        }
        let choice = self.network.choices;
        self.network.choices += (groups.len() * size) as u32;
        let count = groups.len() as u32;
        self.network.blocks.push(Block::Groups(Groups {
            rule,
            count,
            ends,
            entries,
            counts,
            fused,
            x,
            y,
            choice,
        }));
    }

    /// The atoms of a predicate at a level; plain sums of facts apart where the family has them so.
    fn atoms(&mut self, predicate: PredicateId, level: u32) {
        let table = &self.builder.atoms[predicate.index()];
        let now: Vec<u32> =
            (0..table.atoms.len() as u32).filter(|&atom| table.levels[atom as usize] == level).collect();
        self.network.neurons.atom += now.len();
        let only_facts = |atom: &u32| table.atoms.key(*atom).chunks_exact(3).all(|part| is_fact(part[0]));
        let apart = self.builder.schedule.facts_enter_as_values;
        let (plain, full): (Vec<u32>, Vec<u32>) = now.iter().partition(|atom| apart && only_facts(atom));
        self.emit_atoms(predicate, &plain, true);
        self.emit_atoms(predicate, &full, false);
    }

    fn emit_atoms(&mut self, predicate: PredicateId, atoms: &[u32], plain: bool) {
        if atoms.is_empty() {
            return;
        }
        let step = &self.builder.schedule.atoms[predicate.index()];
        let (size, combination) =
            (step.shape.size(), if plain { Combination::Sum } else { step.combination });
        let has_activation = !plain && step.activation != Activation::Identity;
        let edges = self.edges(predicate, atoms);
        let facts = self.facts(predicate, atoms);
        let ordered =
            (combination != Combination::Sum).then(|| self.ordered(predicate, atoms, &edges, &facts));
        let x = self.allocate(atoms.len(), size);
        let y = if has_activation { self.allocate(atoms.len(), size) } else { x };
        for (at, &atom) in atoms.iter().enumerate() {
            self.atom_cell[predicate.index()][atom as usize] = y + (at * size) as u32;
        }
        let count = atoms.len() as u32;
        self.network.blocks.push(Block::Atoms(Atoms {
            predicate,
            count,
            plain,
            edges,
            facts,
            ordered,
            x,
            y,
        }));
    }

    /// The groups that enter these atoms, class by class.
    fn edges(&mut self, predicate: PredicateId, atoms: &[u32]) -> Vec<Edges> {
        let mut by_class: Vec<(u32, Entering)> = Vec::new();
        let table = &self.builder.atoms[predicate.index()];
        for (row, &atom) in atoms.iter().enumerate() {
            for part in table.atoms.key(atom).chunks_exact(3).filter(|part| !is_fact(part[0])) {
                let at = by_class.iter().position(|(class, _)| *class == part[0]).unwrap_or_else(|| {
                    by_class.push((part[0], Entering::default()));
                    by_class.len() - 1
                });
                let entering = &mut by_class[at].1;
                entering.rows.push(row as u32);
                entering.cells.push(self.group_cell[part[0] as usize][part[1] as usize]);
                entering.slots.push(part[2]);
            }
        }
        by_class.sort_by_key(|(class, _)| *class);
        let mut all = Vec::new();
        for (class, Entering { rows, cells, slots }) in by_class {
            let step = self.builder.schedule.step(RuleId(class)).clone();
            let slots = match step.weight.place {
                Place::Slots => Slots::At(self.slots(&slots)),
                Place::One | Place::Plain(_) => Slots::Same,
            };
            let from_size = step.shape.size() as u32;
            let (from, row) = (self.list(&cells, from_size), self.list(&rows, 1));
            let (size, columns, from_columns) =
                (step.out.size() as u32, step.out.columns, step.shape.columns);
            all.push(Edges {
                weight: step.weight,
                slots,
                count: rows.len() as u32,
                from,
                from_size,
                from_columns,
                size,
                columns,
                row,
            });
        }
        all
    }

    /// The facts that enter these atoms, by where they come from and by their size.
    fn facts(&mut self, predicate: PredicateId, atoms: &[u32]) -> Vec<Facts> {
        // By kind: rows and places.
        let mut kinds: Vec<(FactKind, Vec<u32>, Vec<u32>)> = Vec::new();
        for (row, &atom) in atoms.iter().enumerate() {
            let table = &self.builder.atoms[predicate.index()];
            for part in table.atoms.key(atom).chunks_exact(3).filter(|part| is_fact(part[0])) {
                let kind = (part[0] == FACT_OF_DATA, self.fact_shape(part).size() as u32);
                let at = kinds.iter().position(|(known, ..)| *known == kind).unwrap_or_else(|| {
                    kinds.push((kind, Vec::new(), Vec::new()));
                    kinds.len() - 1
                });
                kinds[at].1.push(row as u32);
                kinds[at].2.push(if kind.0 { self.constant_at[part[1] as usize] } else { part[1] });
                self.network.neurons.fact += 1;
            }
        }
        let mut all = Vec::new();
        for ((is_data, size), rows, places) in kinds {
            let from = match is_data {
                true => Source::Constants(self.indices(places)),
                false => Source::Parameters(self.slots(&places)),
            };
            let row = self.list(&rows, 1);
            all.push(Facts { count: rows.len() as u32, row, from, size });
        }
        all
    }

    fn fact_shape(&self, part: &[u32]) -> Shape {
        if part[0] == FACT_OF_DATA {
            let numbers = self.builder.constants.key(part[1]).len() / 2;
            return Shape::vector(numbers as u32);
        }
        let weight = self.builder.keys.key(part[1])[0];
        self.builder.template.weights[weight as usize].shape
    }

    /// The contributions atom after atom, for combinations in which they do not simply add up.
    fn ordered(
        &mut self,
        predicate: PredicateId,
        atoms: &[u32],
        edges: &[Edges],
        facts: &[Facts],
    ) -> Ordered {
        let total: u32 = edges
            .iter()
            .map(|edges| edges.count * edges.size)
            .chain(facts.iter().map(|facts| facts.count * facts.size))
            .sum();
        let first = self.allocate(total as usize, 1);
        let mut of_atom: Vec<Vec<(u32, u32, u32)>> = vec![Vec::new(); atoms.len()];
        let columns = self.builder.schedule.atoms[predicate.index()].shape.columns;
        let mut cell = first;
        let of_facts = |size| if size == 1 { 1 } else { columns };
        let facts = facts.iter().map(|facts| (facts.row, facts.count, facts.size, of_facts(facts.size)));
        let edges = edges.iter().map(|edges| (edges.row, edges.count, edges.size, edges.columns));
        for (row, count, size, columns) in edges.chain(facts) {
            for at in 0..count {
                let atom = self.network.at(row, at);
                of_atom[atom as usize].push((cell, size, columns));
                cell += size;
            }
        }
        let mut ends = vec![0];
        for parts in &of_atom {
            ends.push(ends[ends.len() - 1] + parts.len() as u32);
        }
        let ends = self.indices(ends);
        let cells = self.indices(of_atom.iter().flatten().map(|part| part.0));
        let sizes = self.indices(of_atom.iter().flatten().map(|part| part.1));
        let columns = self.indices(of_atom.iter().flatten().map(|part| part.2));
        Ordered { ends, cells, sizes, columns, first }
    }
}

fn is_same(cells: &[u32]) -> bool {
    cells.windows(2).all(|pair| pair[0] == pair[1])
}

fn is_fact(word: u32) -> bool {
    word >= super::FACT_WITH_WEIGHT
}
