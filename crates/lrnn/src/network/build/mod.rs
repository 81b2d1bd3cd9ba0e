//! From groundings to a network. Examples are added one after the other; equal neurons, within an example and
//! across the examples of one network, are one neuron from the start, so memory is proportional to what is kept.
//!
//! Each atom, rule neuron and group of neurons gets a number, and a key of the numbers of its inputs. The keys of
//! a rule neuron are the numbers of its atoms; of a group, the numbers of its neurons with how often they occur; of
//! an atom, its groups with their weights, and its facts. [`emit`] then writes the blocks.

mod buffers;
mod classes;
mod emit;
mod grouping;
mod inputs;
mod selection;
mod wave;

use self::buffers::Buffers;
use self::selection::DistinctRows;
use self::wave::Contribution;
use super::levels::Levels;
use super::merge::{Interner, mark};
use super::parameters::{InputFact, WeightKey};
use super::program::Network;
use super::prune::RowNeeds;
use super::schedule::Schedule;
use crate::data::{Example, Query};
use crate::ground::{AllRuns, FactSource, Grounding, GroundingInRuns, instance_term, starts};
use crate::template::{Offset, Recursion, RuleId, Template, Term, VariableId, WeightId, WeightUse};
use crate::vocabulary::{ConstantId, PredicateId};

/// Options of building a network. All of them leave values and gradients as they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BuildOptions {
    /// Leave out what no query reaches.
    pub prune: bool,
    /// Make equal neurons one.
    pub merge: bool,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self { prune: true, merge: true }
    }
}

/// Marks a fact in an atom's key, where the number of a class of rules would stand.
const FACT_OF_DATA: u32 = u32::MAX;
const FACT_OF_INPUT: u32 = u32::MAX - 1;
const FACT_WITH_WEIGHT: u32 = u32::MAX - 2;
/// Marks an atom that stands for the value of another before a sweep: its key has its number among them.
const FEEDBACK: u32 = u32::MAX - 3;
/// Marks the offset of an atom in its key, where predicates of one table have several.
const OFFSET: u32 = u32::MAX - 5;
/// Marks an atom that is 0.
const ZERO: u32 = u32::MAX - 4;
/// A slot of no weight of its own.
const NO_SLOT: u32 = u32::MAX;

/// The level at which something is computed, and its place among others that are aggregated with it.
#[derive(Clone, Copy)]
struct Rank {
    /// Twice the level; one more for what is computed again in every sweep.
    level: u32,
    mark: u64,
}

/// Keys of neurons, groups or atoms, with the rank of each.
#[derive(Default)]
struct RankedKeys {
    keys: Interner,
    ranks: Vec<Rank>,
    /// Their cells, as soon as they have some.
    cells: Vec<u32>,
}

impl RankedKeys {
    fn clear(&mut self) {
        self.keys.clear();
        self.ranks.clear();
        self.cells.clear();
    }

    /// Gives cells to some of them, of `size` numbers each, from a first one on.
    fn place(&mut self, numbers: &[u32], first: u32, size: usize) {
        for (&number, cell) in numbers.iter().zip((first..).step_by(size)) {
            self.cells[number as usize] = cell;
        }
    }
}

/// The rule neurons and groups of a class of rules.
#[derive(Default)]
struct RuleTable {
    neurons: RankedKeys,
    /// Keys: neuron, count, neuron, count, ...
    groups: RankedKeys,
}

impl RuleTable {
    fn clear(&mut self) {
        self.neurons.clear();
        self.groups.clear();
    }

    /// Brings the neurons of each group into the order of their marks, in which they are aggregated.
    fn order_groups(&mut self) {
        let ranks = &self.neurons.ranks;
        self.groups.keys.change(|key| {
            key.as_chunks_mut::<2>().0.sort_unstable_by_key(|&[neuron, _]| ranks[neuron as usize].mark);
        });
    }
}

/// Memory that is kept from one network to the next.
#[derive(Default)]
pub(crate) struct BuildSpace {
    /// By the rule that stands for its class.
    rules: Vec<RuleTable>,
    /// By the predicate that stands for its table, its atoms. Keys: class, group, slot, ... for groups, then mark, place,
    /// 0, ... for facts.
    atoms: Vec<RankedKeys>,
    /// Weights that have slots: their weight and index constants.
    keys: Interner,
    /// The values of facts, as bits.
    constants: Interner,
    /// The key of a weight or a value that was asked for last.
    scratch: Vec<u32>,
    /// The groups that enter the atoms of the last wave.
    contributions: Vec<Contribution>,
    /// The neurons of the last groups.
    members: Vec<(u32, u32)>,
    buffers: Buffers,
    /// Memory for the network.
    network: Network,
}

impl BuildSpace {
    /// Takes a network that is no longer needed.
    pub fn take_back(&mut self, network: Network) {
        self.network = network;
    }

    fn clear(&mut self) {
        self.rules.iter_mut().for_each(RuleTable::clear);
        self.atoms.iter_mut().for_each(RankedKeys::clear);
        self.keys.clear();
        self.constants.clear();
    }
}

/// An atom of a component, and what stands for its value before a sweep.
#[derive(Clone, Copy)]
struct FeedbackAtom {
    component: u32,
    predicate: PredicateId,
    /// The number of what stands for it.
    before: u32,
    /// Its own number.
    atom: u32,
    /// Its example and row.
    example: usize,
    row: u32,
}

/// Builds a network from the groundings of its examples.
pub struct NetworkBuilder<'a> {
    template: &'a Template,
    schedule: &'a Schedule,
    options: BuildOptions,
    space: BuildSpace,
    /// The facts whose values are inputs.
    inputs: Vec<InputFact>,
    /// Number of examples added.
    examples: usize,
    /// The atoms that need themselves.
    feedback: Vec<FeedbackAtom>,
    /// Number of components they are in.
    components: u32,
    /// True if there are atoms that are fed back or 0.
    has_special: bool,
    /// True if anything is ordered by marks; if not, all are 0.
    has_marks: bool,
    outputs: Vec<Option<(PredicateId, u32)>>,
    output_predicates: Vec<PredicateId>,
    /// Number of cells of a chunk of a stage.
    chunk_cells: usize,
}

/// The parts of the example being added.
struct ExampleParts<'g> {
    example: &'g Example,
    grounding: &'g Grounding,
    /// The ground rules of rules that have none in the grounding because they are in runs.
    runs: &'g AllRuns,
    /// By shared walk: which rows stand for others.
    distinct: Vec<Option<DistinctRows>>,
    needed: RowNeeds,
    /// By predicate and row, the number of the atom.
    numbers: Vec<Vec<u32>>,
    /// By predicate, the facts of each row: where they begin among `facts_in_order`.
    facts: Vec<Vec<u32>>,
}

impl<'a> NetworkBuilder<'a> {
    /// Begins a network.
    pub fn new(template: &'a Template, schedule: &'a Schedule, options: BuildOptions) -> Self {
        Self::within(template, schedule, options, BuildSpace::default())
    }

    /// Begins a network in memory that was used before.
    pub(crate) fn within(
        template: &'a Template,
        schedule: &'a Schedule,
        options: BuildOptions,
        mut space: BuildSpace,
    ) -> Self {
        space.clear();
        space.rules.resize_with(template.rules.len(), RuleTable::default);
        space.atoms.resize_with(schedule.atoms.len(), RankedKeys::default);
        Self {
            template,
            schedule,
            options,
            space,
            inputs: Vec::new(),
            examples: 0,
            feedback: Vec::new(),
            components: 0,
            has_special: false,
            has_marks: (0..template.rules.len()).any(|rule| schedule.has_order(RuleId(rule as u32))),
            outputs: Vec::new(),
            output_predicates: Vec::new(),
            chunk_cells: emit::CHUNK_CELLS,
        }
    }

    /// Adds an example with its queries. Without pruning, every atom of the model is computed.
    pub fn add(&mut self, example: &Example, grounding: &Grounding, queries: &[Query]) {
        self.add_example(example, grounding, &AllRuns::default(), queries);
    }

    /// Adds an example with its queries, from a grounding in runs.
    pub(crate) fn add_runs(&mut self, example: &Example, all: &GroundingInRuns, queries: &[Query]) {
        self.add_example(example, &all.grounding, &all.runs, queries);
    }

    fn add_example(&mut self, example: &Example, grounding: &Grounding, runs: &AllRuns, queries: &[Query]) {
        let strata = &self.schedule.strata;
        let all_levels: Vec<Option<Levels>> = strata
            .iter()
            .map(|stratum| stratum.recursive.then(|| Levels::new(self.template, grounding, stratum)))
            .collect();
        let needed = match self.options.prune {
            true => RowNeeds::by(self.template, strata, grounding, queries, &all_levels, runs),
            false => RowNeeds::all(grounding),
        };
        let buffers = &mut self.space.buffers;
        let relations = &grounding.relations;
        let numbers = relations.iter().map(|relation| buffers.repeated(u32::MAX, relation.len())).collect();
        let facts = grounding.facts.iter().zip(relations).map(|(facts, relation)| {
            starts(buffers.repeated(0, relation.len() + 1), facts.iter().map(|&(row, _)| row))
        });
        let distinct = runs.shared.iter().map(|_| None).collect();
        let facts = facts.collect();
        let mut adding = ExampleParts { example, grounding, runs, distinct, needed, numbers, facts };
        for (stratum, levels) in strata.iter().zip(&all_levels) {
            self.stratum(&mut adding, stratum, levels.as_ref());
        }
        for query in queries {
            let row = grounding.relations[query.predicate.index()].find(&query.terms);
            let number = row.map(|row| adding.numbers[query.predicate.index()][row as usize]);
            self.outputs.push(number.map(|number| (query.predicate, number)));
            self.output_predicates.push(query.predicate);
        }
        self.space.buffers.give_all(adding.numbers.into_iter().chain(adding.facts));
        self.examples += 1;
    }

    /// Adds every atom of the last example as a query: for looking at values, without pruning.
    pub fn add_whole(&mut self, example: &Example, grounding: &Grounding) {
        let mut queries = Vec::new();
        for (predicate, relation) in grounding.relations.iter().enumerate() {
            for row in 0..relation.len() as u32 {
                let predicate = PredicateId(predicate as u32);
                let (terms, target, span) = (relation.row(row).to_vec(), None, Default::default());
                queries.push(Query { predicate, terms, target, weight: 1.0, span });
            }
        }
        self.add(example, grounding, &queries);
    }

    /// Returns the network.
    pub fn finish(self) -> Network {
        self.finish_within().0
    }

    /// Returns the network, and the memory that the next one can use.
    pub(crate) fn finish_within(mut self) -> (Network, BuildSpace) {
        for (number, table) in self.space.rules.iter_mut().enumerate() {
            if self.schedule.has_order(RuleId(number as u32)) {
                table.order_groups();
            }
        }
        emit::emit(self)
    }

    /// Returns the number of a weight at an index, whose variables have these values.
    fn slot(&mut self, used: &WeightUse, value: impl Fn(VariableId) -> Option<ConstantId>) -> u32 {
        let mut key = std::mem::take(&mut self.space.scratch);
        key.clear();
        key.push(used.weight.0);
        key.extend(used.index.iter().map(|term| match term {
            Term::Constant(constant) => constant.0,
            Term::Variable(variable) => value(*variable).map_or(u32::MAX, |constant| constant.0),
        }));
        let (number, _) = self.space.keys.intern(&key);
        self.space.scratch = key;
        number
    }

    fn weight_keys(&self) -> Vec<WeightKey> {
        let key = |number| {
            let words = self.space.keys.key(number);
            (WeightId(words[0]), words[1..].iter().map(|&word| ConstantId(word)).collect())
        };
        (0..self.space.keys.len() as u32).map(key).collect()
    }

    /// Returns the number of a fact's value.
    fn constant(&mut self, value: &[f64]) -> u32 {
        let mut words = std::mem::take(&mut self.space.scratch);
        words.clear();
        words.extend(
            value.iter().flat_map(|number| [number.to_bits() as u32, (number.to_bits() >> 32) as u32]),
        );
        let (number, _) = self.space.constants.intern(&words);
        self.space.scratch = words;
        number
    }

    /// Returns the mark of a weight at an index.
    fn slot_mark(&self, slot: u32) -> u64 {
        let words = if slot == NO_SLOT { &[][..] } else { self.space.keys.key(slot) };
        words.iter().fold(0, |so_far, &word| mark(so_far, u64::from(word)))
    }

    /// Returns the mark of an atom with this key.
    fn atom_mark(&self, key: &[u32]) -> u64 {
        key.as_chunks::<3>().0.iter().fold(0, |so_far, &[class, number, slot]| {
            let own = match class {
                FACT_OF_DATA => {
                    let words = self.space.constants.key(number);
                    words.iter().fold(0, |so_far, &word| mark(so_far, u64::from(word)))
                }
                // Those of other examples never stand beside it.
                FACT_OF_INPUT => mark(0, self.inputs[number as usize].row.into()),
                FACT_WITH_WEIGHT | OFFSET => self.slot_mark(number),
                _ => mark(
                    self.space.rules[class as usize].groups.ranks[number as usize].mark,
                    self.slot_mark(slot),
                ),
            };
            mark(mark(so_far, u64::from(class)), own)
        })
    }

    /// Writes the part of an atom's key that is its offset, if it has groups or its facts go through g∨, too.
    fn offset_words(&mut self, predicate: PredicateId, key: &mut Vec<u32>) {
        let is_plain = self.schedule.facts_enter_as_values && key.is_empty();
        if let (true, false, Offset::Weight(weight)) = (
            self.schedule.atoms[predicate.index()].has_own_offset,
            is_plain,
            &self.template.predicates[predicate.index()].offset,
        ) {
            let slot = self.space.keys.intern(&[weight.0]).0;
            key.extend([OFFSET, slot, 0]);
        }
    }

    /// Writes the part of an atom's key that its facts make.
    fn fact_words(
        &mut self,
        adding: &ExampleParts<'_>,
        predicate: PredicateId,
        row: u32,
        key: &mut Vec<u32>,
    ) {
        if let Some(&value) = adding.grounding.numbers[predicate.index()].get(row as usize) {
            key.clear();
            let place = self.constant(&[value]);
            key.extend([FACT_OF_DATA, place, 0]);
            return;
        }
        let starts = &adding.facts[predicate.index()];
        let range = starts[row as usize] as usize..starts[row as usize + 1] as usize;
        for &(_, source) in &adding.grounding.facts[predicate.index()][range] {
            let (mark, place) = match source {
                FactSource::Example { table, row } if self.schedule.atoms[predicate.index()].is_input => {
                    (FACT_OF_INPUT, self.input(adding, predicate, table, row))
                }
                FactSource::Example { table, row } => {
                    let value = adding.example.tables[table as usize].value(row as usize);
                    (FACT_OF_DATA, self.constant(value))
                }
                FactSource::Template(number) => self.template_fact(adding, predicate, row, number),
            };
            key.extend([mark, place, 0]);
        }
    }

    /// Returns the number of a fact whose value is an input. Steps of recursion ask for it again.
    fn input(&mut self, adding: &ExampleParts<'_>, predicate: PredicateId, table: u32, row: u32) -> u32 {
        let (example, is_it) = (self.examples, |it: &InputFact| (it.predicate, it.row) == (predicate, row));
        if matches!(self.template.recursion, Recursion::Steps(_)) {
            let own = self.inputs.iter().rev().take_while(|it| it.example == example);
            if let Some(behind) = own.into_iter().position(is_it) {
                return (self.inputs.len() - 1 - behind) as u32;
            }
        }
        let value = adding.example.tables[table as usize].value(row as usize).to_vec();
        self.inputs.push(InputFact { network: 0, example, predicate, row, value });
        self.inputs.len() as u32 - 1
    }

    fn template_fact(
        &mut self,
        adding: &ExampleParts<'_>,
        predicate: PredicateId,
        row: u32,
        number: u32,
    ) -> (u32, u32) {
        let template = self.template;
        let fact = &template.facts[number as usize];
        let Some(used) = &fact.weight else { return (FACT_OF_DATA, self.constant(&[1.0])) };
        let terms = adding.grounding.relations[predicate.index()].row(row);
        let value = |variable| instance_term(fact, terms, Term::Variable(variable));
        (FACT_WITH_WEIGHT, self.slot(used, value))
    }
}

#[cfg(test)]
impl NetworkBuilder<'_> {
    /// Makes chunks of so many cells.
    pub(super) fn in_chunks_of(mut self, cells: usize) -> Self {
        self.chunk_cells = cells;
        self
    }
}
