//! From a grounding to its reference network.

use std::collections::BTreeMap;

use super::order::{Row, order};
use super::{Edge, EdgeWeight, Neuron, NeuronId, NeuronKind, Reference};
use crate::data::Example;
use crate::function::Shape;
use crate::ground::{FactSource, Grounding, Relation};
use crate::network::NetworkError;
use crate::template::{Fact, Input, Rule, RuleId, Template, Term, VariableId, WeightUse};
use crate::vocabulary::{ConstantId, Vocabulary};

/// A ground rule: its rule and its number among the rule's.
type Ground = (RuleId, usize);

/// Something for each atom, by predicate id and row.
type ByAtom<T> = Vec<Vec<T>>;

impl Reference {
    /// The network of a template with an example, from the grounding of both. An error where the ground network is
    /// cyclic: it names the cycle.
    pub fn build(
        template: &Template,
        vocabulary: &Vocabulary,
        example: &Example,
        grounding: &Grounding,
    ) -> Result<Self, NetworkError> {
        let mut builder = Builder {
            template,
            example,
            grounding,
            rules: ground_rules(template, grounding),
            facts: facts(grounding),
            network: Self { neurons: Vec::new(), atoms: for_each_atom(&grounding.relations, NeuronId(0)) },
        };
        let needs =
            |atom: Row| at(&builder.rules, atom).iter().flat_map(|&rule| builder.inputs(rule)).collect();
        let text = |(predicate, row): Row| {
            vocabulary.atom_text(predicate, grounding.relations[predicate.index()].row(row))
        };
        let order = order(&grounding.relations, needs)
            .map_err(|cycle| NetworkError::Cycle(cycle.into_iter().map(text).collect()))?;
        for atom in order {
            builder.atom(atom)?;
        }
        Ok(builder.network)
    }
}

struct Builder<'a> {
    template: &'a Template,
    example: &'a Example,
    grounding: &'a Grounding,
    /// The ground rules with each atom as head, in the order of the rules.
    rules: ByAtom<Vec<Ground>>,
    /// The facts of each atom.
    facts: ByAtom<Vec<FactSource>>,
    network: Reference,
}

fn for_each_atom<T: Clone>(relations: &[Relation], value: T) -> ByAtom<T> {
    relations.iter().map(|relation| vec![value.clone(); relation.len()]).collect()
}

fn at<T>(by_atom: &ByAtom<T>, (predicate, row): Row) -> &T {
    &by_atom[predicate.index()][row as usize]
}

fn ground_rules(template: &Template, grounding: &Grounding) -> ByAtom<Vec<Ground>> {
    let mut by_head = for_each_atom(&grounding.relations, Vec::new());
    for (rule, ground) in template.rule_ids().zip(&grounding.rules) {
        let head = template.rule(rule).head.predicate;
        for (number, &row) in ground.heads.iter().enumerate() {
            by_head[head.index()][row as usize].push((rule, number));
        }
    }
    by_head
}

fn facts(grounding: &Grounding) -> ByAtom<Vec<FactSource>> {
    let mut by_atom = for_each_atom(&grounding.relations, Vec::new());
    for (facts, atoms) in grounding.facts.iter().zip(&mut by_atom) {
        facts.iter().for_each(|&(row, source)| atoms[row as usize].push(source));
    }
    by_atom
}

impl Builder<'_> {
    fn push(&mut self, kind: NeuronKind, inputs: Vec<Edge>) -> NeuronId {
        self.network.neurons.push(Neuron { kind, inputs });
        NeuronId(self.network.neurons.len() as u32 - 1)
    }

    /// The atoms that are inputs of a ground rule, in the order of its body.
    fn inputs(&self, (rule, number): Ground) -> impl Iterator<Item = Row> {
        let body = &self.grounding.rules[rule.index()].body;
        let inputs = self.template.rule(rule).inputs.iter();
        inputs.zip(body).map(move |(input, rows)| (input.atom.predicate, rows[number]))
    }

    /// The values of the index variables of a ground rule.
    fn index(&self, (rule, number): Ground) -> Vec<ConstantId> {
        self.grounding.rules[rule.index()].index.iter().map(|column| column[number]).collect()
    }

    /// The atom neuron, after its rule, aggregation and fact neurons.
    fn atom(&mut self, atom: Row) -> Result<(), NetworkError> {
        let (predicate, row) = atom;
        let terms = self.grounding.relations[predicate.index()].row(row).to_vec();
        let mut inputs = self.aggregations(atom)?;
        for source in at(&self.facts, atom).clone() {
            let weight = self.fact_weight(source, &terms)?;
            inputs.push(Edge { from: self.push(NeuronKind::Fact, Vec::new()), weight, negated: false });
        }
        let id = self.push(NeuronKind::Atom(predicate, terms), inputs);
        self.network.atoms[predicate.index()][row as usize] = id;
        Ok(())
    }

    /// The rule and aggregation neurons with this head; gives the edges from the latter, in the order of the rules.
    fn aggregations(&mut self, head: Row) -> Result<Vec<Edge>, NetworkError> {
        let mut groups: BTreeMap<(RuleId, Vec<ConstantId>), Vec<Edge>> = BTreeMap::new();
        for ground in at(&self.rules, head).clone() {
            let from = self.rule(ground)?;
            let edge = Edge { from, weight: EdgeWeight::One, negated: false };
            groups.entry((ground.0, self.index(ground))).or_default().push(edge);
        }
        let mut edges = Vec::new();
        for ((id, index), inputs) in groups {
            let rule = self.template.rule(id);
            let weight = rule_weight(id, rule, rule.weight.as_ref(), &index)?;
            edges.push(Edge { from: self.push(NeuronKind::Aggregation(id), inputs), weight, negated: false });
        }
        Ok(edges)
    }

    fn rule(&mut self, ground: Ground) -> Result<NeuronId, NetworkError> {
        let (rule, index) = (self.template.rule(ground.0), self.index(ground));
        let edge = |(input, atom): (&Input, Row)| {
            let weight = rule_weight(ground.0, rule, input.weight.as_ref(), &index)?;
            Ok(Edge { from: *at(&self.network.atoms, atom), weight, negated: input.negated })
        };
        let inputs = rule.inputs.iter().zip(self.inputs(ground)).map(edge).collect::<Result<_, _>>()?;
        Ok(self.push(NeuronKind::Rule(ground.0), inputs))
    }

    fn fact_weight(&self, source: FactSource, terms: &[ConstantId]) -> Result<EdgeWeight, NetworkError> {
        match source {
            FactSource::Template(number) => {
                template_fact_weight(number, &self.template.facts[number as usize], terms)
            }
            FactSource::Example { table, row } => {
                let table = &self.example.tables[table as usize];
                let shape = if table.values.is_empty() { Shape::NUMBER } else { table.shape };
                Ok(EdgeWeight::Value(table.value(row as usize).to_vec(), shape))
            }
        }
    }
}

/// The weight of a rule or of one of its inputs, from the values of the rule's index variables.
fn rule_weight(
    id: RuleId,
    rule: &Rule,
    weight: Option<&WeightUse>,
    index: &[ConstantId],
) -> Result<EdgeWeight, NetworkError> {
    let value =
        |variable| rule.index.iter().zip(index).find(|it| *it.0 == variable).map(|(_, &constant)| constant);
    edge_weight(weight, value).ok_or_else(|| NetworkError::Index(format!("rule {}", id.0 + 1)))
}

/// The weight of an instance of a template's fact, from the terms of the instance.
fn template_fact_weight(number: u32, fact: &Fact, terms: &[ConstantId]) -> Result<EdgeWeight, NetworkError> {
    let value = |variable| {
        let mut bound = fact.atom.terms.iter().zip(terms);
        bound.find(|it| *it.0 == Term::Variable(variable)).map(|(_, &constant)| constant)
    };
    edge_weight(fact.weight.as_ref(), value)
        .ok_or_else(|| NetworkError::Index(format!("fact {}", number + 1)))
}

fn edge_weight(
    weight: Option<&WeightUse>,
    value: impl Fn(VariableId) -> Option<ConstantId>,
) -> Option<EdgeWeight> {
    let Some(weight) = weight else { return Some(EdgeWeight::One) };
    let ground = |term: &Term| match term {
        Term::Variable(variable) => value(*variable),
        Term::Constant(constant) => Some(*constant),
    };
    let index = weight.index.iter().map(ground).collect::<Option<_>>()?;
    Some(EdgeWeight::Weight(weight.weight, index))
}
