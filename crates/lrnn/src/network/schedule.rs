//! The schedule: what is computed, and how, for every rule and predicate. It comes from the template alone and is
//! compiled once; an example brings only row numbers.

use super::NetworkError;
use super::class::share;
use super::tables::PredicateTables;
use crate::function::{Activation, Aggregation, Combiner, Shape};
use crate::template::{Offset, Rule, RuleId, Stratum, Template, WeightUse};
use crate::vocabulary::PredicateId;

/// The place of a weight's numbers among the parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ParameterPlace {
    /// Nowhere: the weight is the fixed 1.
    One,
    /// At this number.
    Plain(u32),
    /// Its slots tell: the weight has an index, or differs from rule to rule of a class.
    Slots,
}

/// A weight in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WeightStep {
    pub place: ParameterPlace,
    pub shape: Shape,
}

/// An input of a rule.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct InputStep {
    /// The first predicate of the table of its own.
    pub predicate: PredicateId,
    pub negated: bool,
    pub weight: WeightStep,
    /// The shape of the atom's value.
    pub from: Shape,
    /// The shape after the weight.
    pub shape: Shape,
}

impl InputStep {
    /// Returns whether the atom's value enters as it is.
    pub fn is_plain(&self) -> bool {
        self.weight.place == ParameterPlace::One && !self.negated
    }
}

/// g∧ and g* of a rule, and its weight.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct RuleStep {
    pub inputs: Vec<InputStep>,
    /// The inputs in the order in which a sum adds them: those that only facts give come first, since all neurons
    /// often have the same one. It comes from the template alone, so that no sum depends on other neurons.
    pub order: Vec<u32>,
    /// Number of those that only facts give.
    pub given: u32,
    pub combination: Combiner,
    /// −k and a fixed b0.
    pub constant: f64,
    /// A b0 that is a parameter.
    pub offset: Option<(u32, Shape)>,
    pub activation: Activation,
    pub aggregation: Aggregation,
    /// True if the activation is applied after the aggregation: for max and min of a rising function that is the
    /// same, and far fewer numbers.
    pub late: bool,
    /// The shape of the rule's value.
    pub shape: Shape,
    pub weight: WeightStep,
    /// The shape after the weight.
    pub out: Shape,
}

impl RuleStep {
    /// Returns what is applied to each rule neuron.
    pub fn of_neurons(&self) -> Activation {
        if self.late { Activation::Identity } else { self.activation }
    }

    /// Returns what is applied to each group.
    pub fn of_groups(&self) -> Activation {
        if self.late { self.activation } else { Activation::Identity }
    }

    /// Returns whether a rule neuron is a sum of numbers.
    pub fn sums_numbers(&self) -> bool {
        self.combination.is_sum() && self.shape.is_number()
    }

    /// Returns whether a rule neuron's value is that of its one input, so that no rule neuron is needed.
    pub fn is_direct(&self) -> bool {
        let plain = self.constant == 0.0 && self.offset.is_none();
        let passes = matches!(&self.combination, Combiner::All(combination) if combination.is_passing());
        self.inputs.len() == 1 && passes && plain && (self.late || self.activation == Activation::Identity)
    }
}

/// g∨ of a predicate.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct AtomStep {
    pub combination: Combiner,
    pub activation: Activation,
    pub constant: f64,
    pub offset: Option<(u32, Shape)>,
    /// True if predicates of its table have offsets of their own.
    pub has_own_offset: bool,
    pub shape: Shape,
    /// True if the values of its facts are inputs of the networks.
    pub is_input: bool,
}

/// The computations for every rule and predicate of a template.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// By rule id. The weight of a rule that stands for its class is that of all.
    rules: Vec<RuleStep>,
    /// By rule id, the rule that stands for its class.
    classes: Vec<RuleId>,
    /// By class: true if it has more than one rule.
    has_sisters: Vec<bool>,
    /// By predicate id.
    pub(super) atoms: Vec<AtomStep>,
    /// By predicate id, the first one of the table with its atoms.
    tables: Vec<PredicateId>,
    /// The strata, those of one table together.
    pub(super) strata: Vec<Stratum>,
    pub(super) facts_enter_as_values: bool,
}

impl Schedule {
    /// Compiles a template whose shapes are settled.
    pub fn new(template: &Template) -> Result<Self, NetworkError> {
        let plain = plain_places(template);
        let compiler = ScheduleCompiler { template, plain: &plain };
        let rules = template.rules.iter().enumerate().map(|(number, rule)| {
            compiler.rule(rule).ok_or_else(|| NetworkError::Shape(format!("rule {}", number + 1)))
        });
        let mut rules = rules.collect::<Result<Vec<_>, _>>()?;
        let mut atoms: Vec<AtomStep> =
            (0..template.predicates.len()).map(|number| compiler.atom(number)).collect();
        let PredicateTables { first: tables, strata } =
            PredicateTables::new(template, &mut rules, &mut atoms);
        let classes = share(template, &mut rules, &tables);
        let mut has_sisters = vec![false; classes.len()];
        let others = (0..).map(RuleId).zip(&classes).filter(|(rule, class)| rule != *class);
        others.for_each(|(_, class)| has_sisters[class.index()] = true);
        Ok(Self {
            classes,
            has_sisters,
            rules,
            atoms,
            tables,
            strata,
            facts_enter_as_values: template.family.facts_enter_as_values,
        })
    }

    /// Makes the values of the examples' facts of these predicates inputs of the networks: they are not part of a network
    /// and never merged, but lie behind the weights among the parameters ([`Parameters::inputs`](super::Parameters::inputs)),
    /// where each forward pass reads them and each backward pass gives the gradient by them.
    pub fn with_inputs(mut self, predicates: impl IntoIterator<Item = PredicateId>) -> Self {
        for predicate in predicates {
            if let Some(step) = self.atoms.get_mut(predicate.index()) {
                step.is_input = true;
            }
        }
        self
    }

    /// Returns the rule that stands for all rules of this one's class, which are computed together.
    pub(super) fn class(&self, rule: RuleId) -> RuleId {
        self.classes[rule.index()]
    }

    /// Returns whether a rule's class has other rules.
    pub(super) fn has_sisters(&self, rule: RuleId) -> bool {
        self.has_sisters[self.class(rule).index()]
    }

    /// Returns the number of the table with the atoms of a predicate.
    pub(super) fn table(&self, predicate: PredicateId) -> usize {
        self.tables[predicate.index()].index()
    }

    /// Returns whether the order in which neurons of a rule's class are aggregated changes bits of a value.
    pub(super) fn has_order(&self, rule: RuleId) -> bool {
        !matches!(self.step(rule).aggregation, Aggregation::Max | Aggregation::Min | Aggregation::Count)
    }

    /// Returns what is computed for the class of a rule.
    pub(super) fn step(&self, rule: RuleId) -> &RuleStep {
        &self.rules[self.class(rule).index()]
    }
}

/// Returns where each weight without an index begins among the parameters; those come first, in the template's order.
fn plain_places(template: &Template) -> Vec<u32> {
    let mut next = 0;
    let place = |weight: &crate::template::Weight| {
        let at = next;
        next += if weight.index.is_empty() { weight.shape.size() as u32 } else { 0 };
        at
    };
    template.weights.iter().map(place).collect()
}

struct ScheduleCompiler<'a> {
    template: &'a Template,
    plain: &'a [u32],
}

impl ScheduleCompiler<'_> {
    fn shape(&self, predicate: PredicateId) -> Shape {
        self.template.predicates[predicate.index()].shape.unwrap_or(Shape::NUMBER)
    }

    fn weight(&self, used: Option<&WeightUse>) -> WeightStep {
        let Some(used) = used else { return WeightStep { place: ParameterPlace::One, shape: Shape::NUMBER } };
        let weight = self.template.weight(used.weight);
        let place = match weight.index.is_empty() {
            true => ParameterPlace::Plain(self.plain[used.weight.index()]),
            false => ParameterPlace::Slots,
        };
        WeightStep { place, shape: weight.shape }
    }

    fn offset(&self, offset: &Offset) -> (f64, Option<(u32, Shape)>) {
        match offset {
            Offset::Fixed(number) => (*number, None),
            Offset::Weight(id) => (0.0, Some((self.plain[id.index()], self.template.weight(*id).shape))),
        }
    }

    fn rule(&self, rule: &Rule) -> Option<RuleStep> {
        let functions = &rule.functions;
        let mut inputs = Vec::new();
        for input in &rule.inputs {
            let (from, weight) = (self.shape(input.atom.predicate), self.weight(input.weight.as_ref()));
            let shape = weight.shape.times(from)?;
            inputs.push(InputStep {
                predicate: input.atom.predicate,
                negated: input.negated,
                weight,
                from,
                shape,
            });
        }
        let is_given = |&at: &u32| {
            let predicate = rule.inputs[at as usize].atom.predicate;
            self.template.rules.iter().all(|other| other.head.predicate != predicate)
        };
        let (mut order, derived): (Vec<u32>, Vec<u32>) = (0..inputs.len() as u32).partition(is_given);
        let given = order.len() as u32;
        order.extend(derived);
        let shapes: Vec<Shape> = inputs.iter().map(|input| input.shape).collect();
        let (mut constant, offset) = self.offset(&functions.offset);
        if functions.minus_inputs && functions.combination.is_sum() {
            constant -= inputs.len() as f64;
        }
        let mut shape = functions.combination.shape(&shapes)?;
        if let Some((_, offset)) = offset {
            shape = shape.plus(offset)?;
        }
        let weight = self.weight(rule.weight.as_ref());
        let out = weight.shape.times(shape)?;
        Some(RuleStep {
            inputs,
            order,
            given,
            combination: functions.combination.clone(),
            constant,
            offset,
            activation: functions.activation,
            aggregation: functions.aggregation,
            late: is_late(functions.aggregation, functions.activation),
            shape,
            weight,
            out,
        })
    }

    fn atom(&self, number: usize) -> AtomStep {
        let predicate = &self.template.predicates[number];
        let (constant, offset) = self.offset(&predicate.offset);
        AtomStep {
            combination: predicate.combination.clone(),
            activation: predicate.activation,
            constant,
            offset,
            has_own_offset: false,
            shape: predicate.shape.unwrap_or(Shape::NUMBER),
            is_input: false,
        }
    }
}

/// Returns whether the slope of an activation needs what it was applied to, and not its value alone.
pub(super) fn needs_input(activation: Activation) -> bool {
    matches!(
        activation,
        Activation::Softplus
            | Activation::Log
            | Activation::Square
            | Activation::Abs
            | Activation::Norm
            | Activation::Lukasiewicz
            | Activation::LukasiewiczConjunction
            | Activation::LukasiewiczDisjunction
    )
}

/// Returns whether the activation can follow the aggregation: it rises, and where it does not, its slope is 0 either
/// way.
fn is_late(aggregation: Aggregation, activation: Activation) -> bool {
    let rises = matches!(
        activation,
        Activation::Identity
            | Activation::Sigmoid
            | Activation::Tanh
            | Activation::LeakyRelu
            | Activation::Softplus
            | Activation::Exp
    );
    match aggregation {
        Aggregation::Max => rises || activation == Activation::Relu,
        Aggregation::Min => rises,
        _ => false,
    }
}
