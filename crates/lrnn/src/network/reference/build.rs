//! From a grounding to its reference network.

use super::{AtomNode, EdgeWeight, FactNode, GroupNode, NONE, Reference, edge_weight};
use crate::data::Example;
use crate::function::Shape;
use crate::ground::{AtomRow, FactSource, Grounding, HeadIndex, instance_term};
use crate::network::NetworkError;
use crate::template::{Recursion, RuleId, Template, Term, strong_components};
use crate::vocabulary::{ConstantId, PredicateId, Vocabulary};

/// On the way from the first atom to the current one.
const OPEN: u32 = NONE - 1;

impl Reference {
    /// Returns the network of a template with an example, from the grounding of both. An error where the ground network
    /// is cyclic and the template refuses that: it names the cycle.
    pub fn build(
        template: &Template,
        vocabulary: &Vocabulary,
        example: &Example,
        grounding: &Grounding,
    ) -> Result<Self, NetworkError> {
        let rows = |(predicate, _)| {
            let relation = &grounding.relations[PredicateId::index(predicate)];
            (0..relation.len() as u32).map(move |row| (predicate, row))
        };
        let roots: Vec<AtomRow> = vocabulary.predicates().flat_map(rows).collect();
        Self::behind(template, vocabulary, example, grounding, &roots)
    }

    /// Returns the part of the network behind some atoms, each a predicate with a row of the grounding.
    pub fn behind(
        template: &Template,
        vocabulary: &Vocabulary,
        example: &Example,
        grounding: &Grounding,
        roots: &[AtomRow],
    ) -> Result<Self, NetworkError> {
        let mut builder = ReferenceBuilder::new(template, example, grounding);
        if let Recursion::Steps(steps) = template.recursion {
            return builder.unrolled(roots, steps);
        }
        // Guards need no order, but it helps to know first whether they hold: they may be cyclic where inputs are not.
        let mut order = builder.order(roots, true).or_else(|_| builder.order(roots, false));
        if order.is_err() && template.recursion == Recursion::FixedPoint {
            order = Ok(builder.component_order(roots));
        }
        let order = order.map_err(|cycle| {
            let text = |(predicate, row): AtomRow| grounding.atom_text(vocabulary, predicate, row);
            NetworkError::Cycle(cycle.into_iter().map(text).collect())
        })?;
        order.into_iter().try_for_each(|atom| builder.atom(atom))?;
        Ok(builder.network)
    }

    /// Returns the part of the network behind some atoms, where atoms that need each other are computed so many times,
    /// from 0: a network without cycles that comes as near to the fixed point as so many sweeps.
    pub(crate) fn unrolled(
        template: &Template,
        example: &Example,
        grounding: &Grounding,
        roots: &[AtomRow],
        sweeps: u32,
    ) -> Result<Self, NetworkError> {
        let mut builder = ReferenceBuilder::new(template, example, grounding);
        let components = builder.components(roots, true);
        for component in components {
            match component.is_cyclic {
                true => builder.copies(&component.atoms, sweeps)?,
                false => builder.next_atom(component.atoms[0])?,
            }
        }
        Ok(builder.network)
    }
}

/// Atoms that need each other, or one alone.
struct Component {
    atoms: Vec<AtomRow>,
    is_cyclic: bool,
}

struct ReferenceBuilder<'a> {
    template: &'a Template,
    example: &'a Example,
    grounding: &'a Grounding,
    /// By predicate: the rules with it as head, each with its ground rules.
    rules: Vec<Vec<(RuleId, HeadIndex)>>,
    /// By predicate: the facts by their rows, whatever order the grounder gave them.
    facts: Vec<Vec<(u32, FactSource)>>,
    network: Reference,
}

impl<'a> ReferenceBuilder<'a> {
    fn new(template: &'a Template, example: &'a Example, grounding: &'a Grounding) -> Self {
        let mut rules: Vec<Vec<(RuleId, HeadIndex)>> =
            grounding.relations.iter().map(|_| Vec::new()).collect();
        for (rule, ground) in template.rule_ids().zip(&grounding.rules) {
            let head = template.rule(rule).head.predicate.index();
            rules[head].push((rule, HeadIndex::new(ground, grounding.relations[head].len())));
        }
        let mut facts = grounding.facts.clone();
        facts.iter_mut().for_each(|facts| facts.sort_by_key(|fact| fact.0));
        Self { template, example, grounding, rules, facts, network: Reference::default() }
    }

    /// Returns all atoms behind the roots, each after those it needs, or else a cycle, in which each atom needs the
    /// next and the last the first. Depth first, with a stack of its own, since chains may be long.
    fn order(&mut self, roots: &[AtomRow], with_guards: bool) -> Result<Vec<AtomRow>, Vec<AtomRow>> {
        self.network.places = self.grounding.relations.iter().map(|it| vec![NONE; it.len()]).collect();
        let mut order: Vec<AtomRow> = Vec::new();
        let mut way: Vec<(AtomRow, Vec<AtomRow>)> = Vec::new();
        for &root in roots {
            let mut next = Some(root);
            loop {
                if let Some(atom) = next {
                    match self.place(atom) {
                        NONE => {
                            self.network.places[atom.0.index()][atom.1 as usize] = OPEN;
                            way.push((atom, self.needs(atom, with_guards)));
                        }
                        OPEN => return Err(way.iter().map(|on| on.0).skip_while(|&on| on != atom).collect()),
                        _ => {}
                    }
                }
                let Some((atom, rest)) = way.last_mut() else { break };
                next = rest.pop();
                if next.is_none() {
                    self.network.places[atom.0.index()][atom.1 as usize] = order.len() as u32;
                    order.push(*atom);
                    way.pop();
                }
            }
        }
        Ok(order)
    }

    /// Returns the atoms behind the roots in components of those that need each other, each component after those it
    /// needs.
    fn components(&mut self, roots: &[AtomRow], with_guards: bool) -> Vec<Component> {
        self.network.places = self.grounding.relations.iter().map(|it| vec![NONE; it.len()]).collect();
        let mut numbers = self.network.places.clone();
        let (mut atoms, mut needs) = (Vec::new(), Vec::new());
        let mut open = roots.iter().rev().copied().collect::<Vec<_>>();
        while let Some(atom) = open.pop() {
            let number = &mut numbers[atom.0.index()][atom.1 as usize];
            if *number == NONE {
                *number = atoms.len() as u32;
                atoms.push(atom);
                let needed = self.needs(atom, with_guards);
                open.extend(&needed);
                needs.push(needed);
            }
        }
        let number = |atom: AtomRow| numbers[atom.0.index()][atom.1 as usize] as usize;
        let next = |node: usize, edge: usize| needs[node].get(edge).map(|&atom| number(atom));
        let component = |members: Vec<usize>| {
            let is_cyclic = members.len() > 1 || needs[members[0]].iter().any(|&it| number(it) == members[0]);
            Component { atoms: members.into_iter().map(|member| atoms[member]).collect(), is_cyclic }
        };
        strong_components(atoms.len(), next).into_iter().map(component).collect()
    }

    /// Returns all atoms behind the roots component by component, and tells the network which need each other.
    fn component_order(&mut self, roots: &[AtomRow]) -> Vec<AtomRow> {
        let mut order = Vec::new();
        for component in self.components(roots, false) {
            if component.is_cyclic {
                self.network.cycles.push(order.len()..order.len() + component.atoms.len());
            }
            order.extend(component.atoms);
        }
        for (place, atom) in order.iter().enumerate() {
            self.network.places[atom.0.index()][atom.1 as usize] = place as u32;
        }
        order
    }

    /// Returns the network in which every recursive stratum is computed in so many steps, from 0.
    fn unrolled(mut self, roots: &[AtomRow], steps: u32) -> Result<Reference, NetworkError> {
        let mut stratum_of = vec![0; self.grounding.relations.len()];
        for (number, stratum) in self.template.strata.iter().enumerate() {
            stratum.predicates.iter().for_each(|predicate| stratum_of[predicate.index()] = number);
        }
        let components = self.components(roots, true);
        let mut atoms: Vec<AtomRow> = components.into_iter().flat_map(|component| component.atoms).collect();
        let stratum = |atom: &AtomRow| stratum_of[atom.0.index()];
        atoms.sort_by_key(stratum);
        for atoms in atoms.chunk_by(|one, other| stratum(one) == stratum(other)) {
            match self.template.strata.get(stratum(&atoms[0])) {
                Some(stratum) if stratum.recursive => self.copies(atoms, steps)?,
                _ => atoms.iter().try_for_each(|&atom| self.next_atom(atom))?,
            }
        }
        Ok(self.network)
    }

    /// Adds so many copies of atoms; the inputs of each are those of the copy before, at first 0.
    fn copies(&mut self, atoms: &[AtomRow], copies: u32) -> Result<(), NetworkError> {
        for &(predicate, row) in atoms {
            self.network.places[predicate.index()][row as usize] = self.network.atoms.len() as u32;
            let terms = self.grounding.relations[predicate.index()].row(row).to_vec();
            let (groups, facts) = (self.network.groups.len(), self.network.facts.len());
            let node = AtomNode { predicate, row, terms, groups: groups..groups, facts: facts..facts };
            self.network.atoms.push(node);
        }
        for _ in 0..copies {
            let first = self.network.atoms.len() as u32;
            atoms.iter().try_for_each(|&atom| self.atom(atom))?;
            for (place, &(predicate, row)) in (first..).zip(atoms) {
                self.network.places[predicate.index()][row as usize] = place;
            }
        }
        Ok(())
    }

    /// Adds an atom behind all others.
    fn next_atom(&mut self, atom: AtomRow) -> Result<(), NetworkError> {
        let place = self.network.atoms.len() as u32;
        self.atom(atom)?;
        self.network.places[atom.0.index()][atom.1 as usize] = place;
        Ok(())
    }

    fn place(&self, (predicate, row): AtomRow) -> u32 {
        self.network.places[predicate.index()][row as usize]
    }

    /// Returns the atoms in the bodies of the ground rules of an atom that have no place yet, the last first.
    fn needs(&self, (predicate, row): AtomRow, with_guards: bool) -> Vec<AtomRow> {
        let mut needs = Vec::new();
        for (rule, heads) in &self.rules[predicate.index()] {
            let (body, count) =
                (&self.grounding.rules[rule.index()].body, self.template.rule(*rule).inputs.len());
            let atoms = self.template.rule(*rule).positive().zip(body);
            let atoms: Vec<_> = atoms.take(if with_guards { usize::MAX } else { count }).collect();
            for number in heads.of(row) {
                let rows = atoms.iter().map(|(atom, column)| (atom.predicate, column[number as usize]));
                needs.extend(rows.filter(|&needed| self.place(needed) >= OPEN));
            }
        }
        needs.reverse();
        needs.dedup();
        needs
    }

    /// Returns the atom neuron, after its rule, aggregation and fact neurons.
    fn atom(&mut self, (predicate, row): AtomRow) -> Result<(), NetworkError> {
        let first_group = self.network.groups.len();
        for at in 0..self.rules[predicate.index()].len() {
            self.rule(predicate, at, row)?;
        }
        let terms = self.grounding.relations[predicate.index()].row(row).to_vec();
        let (first_fact, all) = (self.network.facts.len(), &self.facts[predicate.index()]);
        let start = all.partition_point(|fact| fact.0 < row);
        for &(_, source) in all[start..].iter().take_while(|fact| fact.0 == row) {
            let weight = self.fact_weight(source, &terms)?;
            self.network.facts.push(FactNode { atom: self.network.atoms.len(), source, weight });
        }
        let (groups, facts) = (first_group..self.network.groups.len(), first_fact..self.network.facts.len());
        self.network.atoms.push(AtomNode { predicate, row, terms, groups, facts });
        Ok(())
    }

    /// Returns the aggregation and rule neurons of a rule with one head.
    fn rule(&mut self, predicate: PredicateId, at: usize, row: u32) -> Result<(), NetworkError> {
        let (id, heads) = &self.rules[predicate.index()][at];
        let (rule, ground) = (self.template.rule(*id), &self.grounding.rules[id.index()]);
        let index = |number: u32| -> Vec<ConstantId> {
            ground.index.iter().map(|column| column[number as usize]).collect()
        };
        let mut numbers: Vec<u32> = heads.of(row).collect();
        for column in ground.index.iter().rev() {
            numbers.sort_by_key(|&number| column[number as usize]);
        }
        let are_together = |&one: &u32, &other: &u32| {
            ground.index.iter().all(|column| column[one as usize] == column[other as usize])
        };
        let places: Vec<_> =
            rule.positive().map(|atom| &self.network.places[atom.predicate.index()]).collect();
        for same in numbers.chunk_by(are_together) {
            let (first_neuron, first) = (self.network.neurons.len(), self.network.bodies.len());
            self.network.neurons.extend(same);
            for &number in same {
                let body = places.iter().zip(&ground.body);
                self.network
                    .bodies
                    .extend(body.map(|(places, column)| places[column[number as usize] as usize]));
            }
            let neurons = first_neuron..self.network.neurons.len();
            let atom = self.network.atoms.len();
            let group = GroupNode { rule: *id, index: index(same[0]), atom, neurons, first };
            let uses = rule.inputs.iter().map(|input| &input.weight).chain([&rule.weight]);
            if uses.into_iter().any(|used| group.weight(rule, used.as_ref()).is_none()) {
                return Err(NetworkError::Index(format!("rule {}", id.0 + 1)));
            }
            self.network.groups.push(group);
        }
        Ok(())
    }

    fn fact_weight(&self, source: FactSource, terms: &[ConstantId]) -> Result<EdgeWeight, NetworkError> {
        match source {
            FactSource::Template(number) => {
                let fact = &self.template.facts[number as usize];
                let value = |variable| instance_term(fact, terms, Term::Variable(variable));
                edge_weight(fact.weight.as_ref(), value)
                    .ok_or_else(|| NetworkError::Index(format!("fact {}", number + 1)))
            }
            FactSource::Example { table, row } => {
                let table = &self.example.tables[table as usize];
                let shape = if table.values.is_empty() { Shape::NUMBER } else { table.shape };
                Ok(EdgeWeight::Value(table.value(row as usize).to_vec(), shape))
            }
        }
    }
}
