//! The atoms of a predicate with their groups and facts.

use rustc_hash::FxHashMap;

use super::{Emitter, is_matrix};
use crate::function::Shape;
use crate::ground::starts;
use crate::network::build::{
    BuildSpace, FACT_OF_DATA, FACT_OF_INPUT, FACT_WITH_WEIGHT, FEEDBACK, OFFSET, ZERO,
};
use crate::network::program::{Atoms, Block, ContributionOrder, Slots, ValueSource, Weighing};
use crate::network::schedule::{ParameterPlace, WeightStep, needs_input};
use crate::template::RuleId;
use crate::vocabulary::PredicateId;

/// The groups of a class of rules that enter atoms: the row of the atom, the cell of the group, the slot of the weight.
struct AtomInputs {
    rows: Vec<u32>,
    cells: Vec<u32>,
    slots: Vec<u32>,
}

/// The class of the groups, their slot where each has operations of its own (from 1), and how many such an atom has before.
type PartKey = (u32, u32, u32);

/// Numbers of parts, for one block of atoms after the other.
#[derive(Default)]
pub(super) struct PartNumbers {
    number_of: FxHashMap<PartKey, usize>,
    /// By class and slot: the last atom that has such a group, and how many before that one.
    last_of: FxHashMap<(u32, u32), (u32, u32)>,
}

/// The mark of a fact, and its size.
type FactKind = (u32, u32);

impl Emitter<'_> {
    /// Emits the atoms of a predicate at a level; plain sums of facts apart where the family has them so.
    pub(super) fn atoms(&mut self, predicate: PredicateId, level: u32) {
        let table = &self.space.atoms[predicate.index()];
        let is_computed = |atom| !self.builder.has_special || !is_special(table.keys.key(atom));
        let is_now = |atom| table.ranks[atom as usize].level == level && is_computed(atom);
        let only_facts = |atom: u32| table.keys.key(atom).chunks_exact(3).all(|part| is_fact(part[0]));
        let apart = self.builder.schedule.facts_enter_as_values;
        let [mut plain, mut full] = [(); 2].map(|()| self.space.buffers.take());
        for atom in (0..table.keys.len() as u32).filter(|&atom| is_now(atom)) {
            if apart && only_facts(atom) { plain.push(atom) } else { full.push(atom) }
        }
        self.network.neurons.atom += plain.len() + full.len();
        let size = self.builder.schedule.atoms[predicate.index()].shape.size();
        for (atoms, is_plain) in [(&plain, true), (&full, false)] {
            let first = self.network.blocks.len();
            let chunks = atoms.chunks(self.rows_of_chunk(atoms.len(), size));
            chunks.for_each(|atoms| self.emit_atoms(predicate, atoms, is_plain));
            self.end_weighings(first);
        }
        self.space.buffers.give_all([plain, full]);
    }

    fn emit_atoms(&mut self, predicate: PredicateId, atoms: &[u32], plain: bool) {
        let step = &self.builder.schedule.atoms[predicate.index()];
        let (size, is_sum) = (step.shape.size(), plain || step.combination.is_sum());
        let keeps_input = !plain && needs_input(step.activation);
        let mut parts = self.groups(predicate, atoms, is_sum);
        parts.extend(self.facts(predicate, atoms));
        let offsets = self.offsets(predicate, atoms, plain);
        let ordered = (!is_sum).then(|| self.ordered(atoms.len(), &parts));
        let x = self.allocate(atoms.len(), size);
        let y = if keeps_input { self.allocate(atoms.len(), size) } else { x };
        self.space.atoms[predicate.index()].place(atoms, y, size);
        let count = atoms.len() as u32;
        self.network.blocks.push(Block::Atoms(Atoms {
            predicate,
            count,
            plain,
            parts,
            offsets,
            ordered,
            x,
            y,
        }));
    }

    /// Returns where the places of the atoms' offsets are, if those of one table differ.
    fn offsets(&mut self, predicate: PredicateId, atoms: &[u32], plain: bool) -> Option<u32> {
        if plain || !self.builder.schedule.atoms[predicate.index()].has_own_offset {
            return None;
        }
        let table = &self.space.atoms[predicate.index()].keys;
        let offset = |&atom: &u32| {
            table.key(atom).chunks_exact(3).find(|part| part[0] == OFFSET).map_or(0, |part| part[1])
        };
        let slots: Vec<u32> = atoms.iter().map(offset).collect();
        Some(self.slots(&slots))
    }

    /// Returns the groups that enter these atoms, class by class; matrix by matrix where they add up, so that each
    /// multiplies all of its groups at once.
    fn groups(&mut self, predicate: PredicateId, atoms: &[u32], adds_up: bool) -> Vec<Weighing> {
        let PartNumbers { mut number_of, mut last_of } = std::mem::take(&mut self.part_numbers);
        let mut parts: Vec<(PartKey, AtomInputs)> = Vec::new();
        let BuildSpace { rules, atoms: tables, keys, buffers, .. } = &mut self.space;
        let table = &tables[predicate.index()];
        for (row, &atom) in atoms.iter().enumerate() {
            for part in table.keys.key(atom).chunks_exact(3).filter(|part| is_group(part[0])) {
                let weight = &self.builder.schedule.step(RuleId(part[0])).weight;
                let apart = adds_up && is_matrix(weight);
                let mut key = (part[0], if apart { part[2] + 1 } else { 0 }, 0);
                // A matrix multiplies many groups at once, so an atom has no two of them.
                if weight.place != ParameterPlace::One && weight.shape.columns > 1 {
                    let last = last_of.entry((key.0, key.1)).or_insert((u32::MAX, 0));
                    *last = (row as u32, if last.0 == row as u32 { last.1 + 1 } else { 0 });
                    key.2 = last.1;
                }
                let at = *number_of.entry(key).or_insert_with(|| {
                    let [rows, cells, slots] = [(); 3].map(|()| buffers.take());
                    parts.push((key, AtomInputs { rows, cells, slots }));
                    parts.len() - 1
                });
                let entering = &mut parts[at].1;
                entering.rows.push(row as u32);
                entering.cells.push(rules[part[0] as usize].groups.cells[part[1] as usize]);
                entering.slots.push(part[2]);
            }
        }
        // By what the weights are, not by their numbers, which depend on what was built before.
        let key_of = |slot: u32| if slot == 0 { &[][..] } else { keys.key(slot - 1) };
        parts.sort_by_key(|((class, slot, nth), _)| (*class, key_of(*slot), *nth));
        number_of.clear();
        last_of.clear();
        self.part_numbers = PartNumbers { number_of, last_of };
        let entering = |((class, ..), entering): (PartKey, AtomInputs)| {
            let weighing = self.entering(RuleId(class), &entering);
            self.space.buffers.give_all([entering.rows, entering.cells, entering.slots]);
            weighing
        };
        parts.into_iter().map(entering).collect()
    }

    fn entering(&mut self, class: RuleId, AtomInputs { rows, cells, slots }: &AtomInputs) -> Weighing {
        let step = self.builder.schedule.step(class);
        let from_size = step.shape.size() as u32;
        Weighing {
            weight: step.weight,
            slots: self.slots_of(&step.weight, slots),
            negated: false,
            count: rows.len() as u32,
            from: ValueSource::Cells(self.list(cells, from_size)),
            from_size,
            from_columns: step.shape.columns,
            size: step.out.size() as u32,
            columns: step.out.columns,
            row: self.list(rows, 1),
        }
    }

    /// Returns the facts that enter these atoms, by where they come from and by their size.
    fn facts(&mut self, predicate: PredicateId, atoms: &[u32]) -> Vec<Weighing> {
        // By kind: rows and places.
        let mut kinds: Vec<(FactKind, Vec<u32>, Vec<u32>)> = Vec::new();
        for (row, &atom) in atoms.iter().enumerate() {
            let table = &self.space.atoms[predicate.index()];
            for part in table.keys.key(atom).chunks_exact(3).filter(|part| is_fact(part[0])) {
                let kind = (part[0], self.fact_size(part));
                let at = kinds.iter().position(|(known, ..)| *known == kind).unwrap_or_else(|| {
                    let [rows, places] = [(); 2].map(|()| self.space.buffers.take());
                    kinds.push((kind, rows, places));
                    kinds.len() - 1
                });
                kinds[at].1.push(row as u32);
                let place = part[1];
                kinds[at].2.push(if kind.0 == FACT_OF_DATA {
                    self.constant_at[place as usize]
                } else {
                    place
                });
                self.network.neurons.fact += 1;
            }
        }
        kinds.sort_by_key(|&(kind, ..)| kind);
        let mut all = Vec::new();
        for ((mark, size), rows, places) in kinds {
            let from = match mark {
                FACT_OF_DATA => ValueSource::Constants(self.indices(places.iter().copied())),
                FACT_OF_INPUT => {
                    let (count, at) = (places.len() as u32, self.indices(places.iter().copied()));
                    self.network.input_slots.push((at, count));
                    ValueSource::Parameters(at)
                }
                _ => ValueSource::Parameters(self.slots(&places)),
            };
            let columns = self.builder.schedule.atoms[predicate.index()].shape.columns;
            let columns = if size == 1 { 1 } else { columns };
            all.push(Weighing {
                weight: WeightStep { place: ParameterPlace::One, shape: Shape::NUMBER },
                slots: Slots::Same,
                negated: false,
                count: rows.len() as u32,
                from,
                from_size: size,
                from_columns: columns,
                size,
                columns,
                row: self.list(&rows, 1),
            });
            self.space.buffers.give_all([rows, places]);
        }
        all
    }

    fn fact_size(&self, part: &[u32]) -> u32 {
        let size = match part[0] {
            FACT_OF_DATA => self.space.constants.key(part[1]).len() / 2,
            FACT_OF_INPUT => self.network.inputs[part[1] as usize].value.len(),
            _ => {
                let weight = self.space.keys.key(part[1])[0];
                self.builder.template.weights[weight as usize].shape.size()
            }
        };
        size as u32
    }

    /// Returns the contributions atom after atom, for combinations in which they do not simply add up.
    fn ordered(&mut self, atoms: usize, parts: &[Weighing]) -> ContributionOrder {
        let total: u32 = parts.iter().map(|part| part.count * part.size).sum();
        let first = self.allocate(total as usize, 1);
        let mut all: Vec<(u32, u32, u32, u32)> = Vec::new();
        let mut cell = first;
        for part in parts {
            for at in 0..part.count {
                all.push((self.network.at(part.row, at), cell, part.size, part.columns));
                cell += part.size;
            }
        }
        all.sort_unstable();
        let ends = self.indices(starts(vec![0; atoms + 1], all.iter().map(|part| part.0)));
        let cells = self.indices(all.iter().map(|part| part.1));
        let sizes = self.indices(all.iter().map(|part| part.2));
        let columns = self.indices(all.iter().map(|part| part.3));
        ContributionOrder { ends, cells, sizes, columns, first }
    }
}

/// Returns whether the key is that of an atom that no neurons compute.
pub(super) fn is_special(key: &[u32]) -> bool {
    matches!(key.first(), Some(&(FEEDBACK | ZERO)))
}

fn is_fact(word: u32) -> bool {
    word >= FACT_WITH_WEIGHT
}

fn is_group(word: u32) -> bool {
    word < OFFSET
}
