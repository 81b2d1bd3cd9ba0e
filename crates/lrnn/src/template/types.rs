//! What a resolved template is made of.

use crate::diagnostic::{Sources, Span};
use crate::function::{Activation, Aggregation, Combiner, Family, Shape};
pub use crate::syntax::{Comparison, Operator};
use crate::vocabulary::{Constant, ConstantId, PredicateId, Vocabulary};

/// A rule of a template.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RuleId(pub u32);

/// A weight of a template. An indexed weight stands for one number (or tensor) per value of its index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WeightId(pub u32);

/// A variable, numbered within its rule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VariableId(pub u32);

macro_rules! index {
    ($($id:ty),*) => { $(impl $id {
        /// Returns the id as an index into dense vectors.
        pub fn index(self) -> usize {
            self.0 as usize
        }
    })* };
}
index!(RuleId, WeightId, VariableId);

/// A variable or a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A variable of the rule.
    Variable(VariableId),
    /// A constant.
    Constant(ConstantId),
}

impl Term {
    /// Returns the variable, if it is one.
    pub fn variable(&self) -> Option<VariableId> {
        match self {
            Self::Variable(variable) => Some(*variable),
            Self::Constant(_) => None,
        }
    }

    /// Returns the constant, if it is one.
    pub fn constant(&self) -> Option<ConstantId> {
        match self {
            Self::Variable(_) => None,
            Self::Constant(constant) => Some(*constant),
        }
    }

    /// Returns it as it is written, where variables have these names.
    pub(crate) fn text(&self, names: &[Box<str>], vocabulary: &Vocabulary) -> String {
        match self {
            Self::Variable(variable) => names.get(variable.index()).map_or("_", |name| name).to_owned(),
            Self::Constant(constant) => vocabulary.constant(*constant).to_string(),
        }
    }
}

/// A predicate applied to terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// The predicate.
    pub predicate: PredicateId,
    /// Its terms.
    pub terms: Vec<Term>,
}

impl Atom {
    /// Returns it as it is written, where variables have these names.
    pub(crate) fn text(&self, names: &[Box<str>], vocabulary: &Vocabulary) -> String {
        vocabulary.atom_of(self.predicate, self.terms.iter().map(|term| term.text(names, vocabulary)))
    }

    /// Tells whether a variable is one of its terms.
    pub(crate) fn has_variable(&self, variable: VariableId) -> bool {
        self.terms.contains(&Term::Variable(variable))
    }

    /// Returns the variables of the atom, in order, repeated as they are.
    pub fn variables(&self) -> impl Iterator<Item = VariableId> + '_ {
        self.terms.iter().filter_map(Term::variable)
    }
}

/// The start of a weight.
#[derive(Clone, PartialEq, Debug)]
pub enum Start {
    /// Drawn at random.
    Random,
    /// These numbers, row by row.
    Values(Vec<f64>),
}

/// A part of the index of a weight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IndexPart {
    /// A constant.
    Constant,
    /// The kind of an atom: a hash of how it is derived, in two words of 32 bits.
    Kind,
    /// The number of a ground rule among those with its head and the rest of its index, from 1.
    Number,
}

impl IndexPart {
    /// Returns how many constants, or words in their place, it takes.
    pub fn words(self) -> usize {
        if self == Self::Kind { 2 } else { 1 }
    }
}

/// A weight as declared in the template.
#[derive(Clone, PartialEq, Debug)]
pub struct Weight {
    /// Its name, if it has one. Weights with a name are shared by every clause that names it.
    pub name: Option<Box<str>>,
    /// The parts of its index; none for a plain weight.
    pub index: Vec<IndexPart>,
    /// The shape of each of its values.
    pub shape: Shape,
    /// Its start.
    pub start: Start,
    /// True if learning leaves it alone.
    pub fixed: bool,
    /// True if it is the offset that a family gives to a predicate: it takes the shape of the predicate.
    pub is_own_offset: bool,
    /// Its first place in the text.
    pub span: Span,
}

impl Weight {
    /// Returns how many constants, or words in their place, index it.
    pub fn index_arity(&self) -> usize {
        self.index.iter().map(|part| part.words()).sum()
    }

    /// Returns the parts of an index as texts; a kind is `k` with its sixteen digits, as `k09c4...`.
    pub fn index_texts(&self, vocabulary: &Vocabulary, index: &[ConstantId]) -> Vec<String> {
        let mut words = index.iter();
        let mut word = || words.next().map_or(0, |word| word.0);
        let part = |part: &IndexPart| match part {
            IndexPart::Constant => vocabulary.constant(ConstantId(word())).to_string(),
            IndexPart::Kind => format!("k{:08x}{:08x}", word(), word()),
            IndexPart::Number => word().to_string(),
        };
        self.index.iter().map(part).collect()
    }

    /// Returns an index as text: `c, 1`.
    pub fn index_text(&self, vocabulary: &Vocabulary, index: &[ConstantId]) -> String {
        self.index_texts(vocabulary, index).join(", ")
    }

    /// Tells whether an index has a constant from a number on.
    pub(crate) fn names_beyond(&self, index: &[ConstantId], most: usize) -> bool {
        let mut words = index.iter();
        self.index.iter().any(|part| match part {
            IndexPart::Constant => words.next().is_some_and(|word| word.index() >= most),
            IndexPart::Number => words.next().is_none(),
            IndexPart::Kind => words.nth(1).is_none(),
        })
    }

    /// Returns its numbers, if learning leaves it alone.
    pub fn fixed_numbers(&self) -> Option<&[f64]> {
        match &self.start {
            Start::Values(numbers) if self.fixed => Some(numbers),
            _ => None,
        }
    }
}

/// A weight in its place in a rule, with the terms that index it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WeightUse {
    /// The weight.
    pub weight: WeightId,
    /// Its index terms; empty for a plain weight.
    pub index: Vec<Term>,
}

/// A body literal that is an input of the rule neuron.
#[derive(Clone, PartialEq, Debug)]
pub struct Input {
    /// The literal's atom.
    pub atom: Atom,
    /// The weight on it; `None` is the fixed 1.
    pub weight: Option<WeightUse>,
    /// Soft negation: the input is 1 − value.
    pub negated: bool,
    /// Place in the text.
    pub span: Span,
}

/// A number that is computed from terms.
#[derive(Clone, PartialEq, Debug)]
pub enum Number {
    /// A term, which must be a number.
    Term(Term),
    /// An operation on others.
    Operation(Operator, Vec<Number>),
}

impl Number {
    /// Returns the terms in it, in order.
    pub fn terms(&self) -> Vec<Term> {
        match self {
            Self::Term(term) => vec![*term],
            Self::Operation(_, parts) => parts.iter().flat_map(Self::terms).collect(),
        }
    }

    pub(crate) fn terms_mut(&mut self) -> Vec<&mut Term> {
        match self {
            Self::Term(term) => vec![term],
            Self::Operation(_, parts) => parts.iter_mut().flat_map(Self::terms_mut).collect(),
        }
    }

    /// Returns its value over the terms of an atom, whose columns are its variables; not a number where one of them is
    /// none.
    pub fn of_row(&self, vocabulary: &Vocabulary, terms: &[ConstantId]) -> f64 {
        let constant = |term| match term {
            Term::Variable(column) => terms.get(column.index()).map(|&term| vocabulary.constant(term)),
            Term::Constant(constant) => Some(vocabulary.constant(constant)),
        };
        self.constant(&constant).and_then(|it| it.as_number()).unwrap_or(f64::NAN)
    }

    /// Returns the constant that is its value, given those of terms; `None` where a term is no number or the result is
    /// not finite. Integers make integers, exactly, as long as they have 64 bits.
    pub fn constant(&self, constant: &dyn Fn(Term) -> Option<Constant>) -> Option<Constant> {
        match self {
            Self::Term(term) => constant(*term).filter(|constant| constant.as_number().is_some()),
            Self::Operation(operator, parts) => {
                let parts: Option<Vec<Constant>> = parts.iter().map(|part| part.constant(constant)).collect();
                operator.of_constants(&parts?)
            }
        }
    }
}

/// A condition that must hold but is no input: it does not bind variables.
#[derive(Clone, PartialEq, Debug)]
pub enum Condition {
    /// Two computed numbers compare so. A variable that nothing else binds ranges over all constants.
    Arithmetic(Comparison, Number, Number),
    /// There are at most as many different constants among the others as the first, a number, says.
    MostDifferent(Vec<Term>),
    /// The first is one of the others. A variable there that nothing else binds ranges over all constants.
    Among(Vec<Term>),
    /// Two terms compare so.
    Compare(Comparison, Term, Term),
    /// No atom of the model matches; a term that is none, `_` under `not`, reads "nothing at all here".
    Absent(PredicateId, Vec<Option<Term>>),
}

impl Condition {
    /// Returns whether a test between constants holds; `None` for what asks the model.
    pub fn holds(&self, vocabulary: &Vocabulary, constant: &dyn Fn(Term) -> ConstantId) -> Option<bool> {
        let number = |term: Term| vocabulary.constant(constant(term)).as_number();
        Some(match self {
            Self::Compare(comparison, left, right) => {
                comparison.holds(vocabulary.compare(constant(*left), constant(*right)))
            }
            Self::Arithmetic(comparison, left, right) => {
                let value =
                    |number: &Number| number.constant(&|term| Some(vocabulary.constant(constant(term))));
                let order = |(left, right): (Constant, Constant)| comparison.holds(left.compare(&right));
                value(left).zip(value(right)).is_some_and(order)
            }
            Self::MostDifferent(terms) => {
                let (most, terms) = terms.split_first()?;
                let mut different: Vec<ConstantId> = terms.iter().copied().map(constant).collect();
                different.sort_unstable();
                different.dedup();
                number(*most).is_some_and(|most| different.len() as f64 <= most)
            }
            Self::Among(terms) => {
                let (first, others) = terms.split_first()?;
                others.iter().any(|other| constant(*first) == constant(*other))
            }
            Self::Absent(..) => return None,
        })
    }

    /// Returns the terms in it.
    pub fn terms(&self) -> Vec<Term> {
        match self {
            Self::Compare(_, left, right) => vec![*left, *right],
            Self::Arithmetic(_, left, right) => left.terms().into_iter().chain(right.terms()).collect(),
            Self::MostDifferent(terms) | Self::Among(terms) => terms.clone(),
            Self::Absent(_, patterns) => patterns.iter().copied().flatten().collect(),
        }
    }

    pub(super) fn terms_mut(&mut self) -> Vec<&mut Term> {
        match self {
            Self::Compare(_, left, right) => vec![left, right],
            Self::Arithmetic(_, left, right) => {
                [left.terms_mut(), right.terms_mut()].into_iter().flatten().collect()
            }
            Self::MostDifferent(terms) | Self::Among(terms) => terms.iter_mut().collect(),
            Self::Absent(_, patterns) => patterns.iter_mut().flatten().collect(),
        }
    }

    /// Returns the variables that must be bound before the condition can be tested.
    pub fn variables(&self) -> Vec<VariableId> {
        self.terms().iter().filter_map(Term::variable).collect()
    }
}

/// An offset b0: a number, or a weight.
#[derive(Clone, PartialEq, Debug)]
pub enum Offset {
    /// A number that learning leaves alone.
    Fixed(f64),
    /// A weight, learnable unless it is a fixed one.
    Weight(WeightId),
}

impl Offset {
    /// Returns the weight, if it is one.
    pub fn weight(&self) -> Option<WeightId> {
        match self {
            Self::Fixed(_) => None,
            Self::Weight(weight) => Some(*weight),
        }
    }
}

/// The functions of a rule: g∧ and g*.
#[derive(Clone, PartialEq, Debug)]
pub struct RuleFunctions {
    /// Combination of the inputs.
    pub combination: Combiner,
    /// True if the number of inputs, k, is subtracted (only where they are summed).
    pub minus_inputs: bool,
    /// Function applied to the combination.
    pub activation: Activation,
    /// Aggregation of the groundings with one head.
    pub aggregation: Aggregation,
    /// b0 of g∧.
    pub offset: Offset,
}

impl RuleFunctions {
    /// Returns functions without an offset.
    pub(super) fn plain(
        combination: impl Into<Combiner>,
        activation: Activation,
        aggregation: Aggregation,
    ) -> Self {
        let (combination, offset) = (combination.into(), Offset::Fixed(0.0));
        Self { combination, minus_inputs: false, activation, aggregation, offset }
    }

    /// Returns whether the value is the largest or smallest of others.
    pub fn takes_one(&self) -> bool {
        matches!(self.aggregation, Aggregation::Max | Aggregation::Min) || self.combination.takes_one()
    }
}

/// The variables that stand for the kind of a literal's atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KindVariables {
    /// The number of the literal in [`Rule::positive`].
    pub literal: usize,
    /// The variables for the words of its kind.
    pub words: [VariableId; 2],
}

/// A weighted rule.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// The head.
    pub head: Atom,
    /// The weight; `None` is the fixed 1.
    pub weight: Option<WeightUse>,
    /// The body literals that are inputs of the rule neuron, in order.
    pub inputs: Vec<Input>,
    /// The body literals that must hold but are no inputs, in order.
    pub guards: Vec<Atom>,
    /// Negated literals and comparisons.
    pub conditions: Vec<Condition>,
    /// The names of the rule's variables, by their ids; `_` for anonymous ones.
    pub variables: Vec<Box<str>>,
    /// Variables of the head that no body literal binds: they range over all constants.
    pub unbound: Vec<VariableId>,
    /// Variables that index a weight of this rule: one rule per value, each with its own aggregation neurons. Those
    /// that the grounding sets, of kinds and numbers, come last.
    pub index: Vec<VariableId>,
    /// The literals whose kinds index a weight.
    pub kinds: Vec<KindVariables>,
    /// The variable for the number of the ground rule, if that indexes a weight.
    pub number: Option<VariableId>,
    /// True if ground rules with one head and the same inputs count once.
    pub distinct: bool,
    /// g∧ and g*.
    pub functions: RuleFunctions,
    /// Place in the text.
    pub span: Span,
}

impl Rule {
    /// Returns a rule of inputs alone, without weights.
    pub(super) fn plain(head: Atom, inputs: Vec<Input>, functions: RuleFunctions, span: Span) -> Self {
        Self {
            head,
            weight: None,
            inputs,
            guards: Vec::new(),
            conditions: Vec::new(),
            variables: Vec::new(),
            unbound: Vec::new(),
            index: Vec::new(),
            kinds: Vec::new(),
            number: None,
            distinct: false,
            functions,
            span,
        }
    }

    /// Returns the variables of the index that the head or the body binds.
    pub fn bound_index(&self) -> &[VariableId] {
        &self.index[..self.index.len() - 2 * self.kinds.len() - usize::from(self.number.is_some())]
    }

    /// Returns all positive body literals, inputs before guards: the columns of a grounding.
    pub fn positive(&self) -> impl Iterator<Item = &Atom> {
        self.inputs.iter().map(|input| &input.atom).chain(&self.guards)
    }

    /// Returns the predicates of all body literals, also of those that must be absent.
    pub(crate) fn body_predicates(&self) -> impl Iterator<Item = PredicateId> {
        self.positive().map(|atom| atom.predicate).chain(self.absent())
    }

    /// Returns the predicates that stand under `not`.
    pub(crate) fn absent(&self) -> impl Iterator<Item = PredicateId> {
        self.conditions.iter().filter_map(|condition| match condition {
            Condition::Absent(predicate, _) => Some(*predicate),
            _ => None,
        })
    }
}

/// A weighted fact of the template, possibly with variables, which range over all constants.
#[derive(Clone, PartialEq, Debug)]
pub struct Fact {
    /// The atom.
    pub atom: Atom,
    /// The weight; `None` is the fixed 1.
    pub weight: Option<WeightUse>,
    /// The names of its variables, by their ids.
    pub variables: Vec<Box<str>>,
    /// Place in the text.
    pub span: Span,
}

/// The functions and facts of a predicate.
#[derive(Clone, PartialEq, Debug)]
pub struct Predicate {
    /// Combination of the weighted inputs of an atom neuron.
    pub combination: Combiner,
    /// Function applied to the combination.
    pub activation: Activation,
    /// b0 of g∨.
    pub offset: Offset,
    /// The shape of its atoms' values; `None` while only the data can tell.
    pub shape: Option<Shape>,
    /// Its atoms' values, where they are computed from their terms; the variables are its columns.
    pub value: Option<Number>,
    /// True if some rule has it as head.
    pub is_head: bool,
    /// True if the template has facts of it.
    pub has_facts: bool,
    /// Its first place in the text.
    pub span: Span,
}

/// Predicates that depend on each other, or one alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stratum {
    /// The predicates.
    pub predicates: Vec<PredicateId>,
    /// The rules with one of them as head, in the template's order.
    pub rules: Vec<RuleId>,
    /// True if a predicate here depends on itself, by inputs or guards.
    pub recursive: bool,
}

/// The meaning of atoms that need each other: what a cyclic ground network computes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Recursion {
    /// The limit of synchronous steps from 0.
    #[default]
    FixedPoint,
    /// The values after so many synchronous steps from 0.
    Steps(u32),
    /// None: a cycle is an error.
    None,
}

/// The most steps that a template may ask for.
pub const MOST_STEPS: u32 = 1000;

/// A resolved, checked, ordered template.
#[derive(Clone, Debug)]
pub struct Template {
    /// Its texts, the main one first; empty where it was resolved without.
    pub sources: Sources,
    /// The family that was asked for instead of the one it names.
    pub asked_family: Option<&'static str>,
    /// All constants and predicates of the template.
    pub vocabulary: Vocabulary,
    /// The family that filled in the functions.
    pub family: &'static Family,
    /// The rules, in the order of the text, each pair of rule and weight once.
    pub rules: Vec<Rule>,
    /// The facts, in the order of the text, each pair of fact and weight once.
    pub facts: Vec<Fact>,
    /// The weights.
    pub weights: Vec<Weight>,
    /// The predicates, by id: every predicate of the vocabulary.
    pub predicates: Vec<Predicate>,
    /// The functions of a predicate that only the data knows.
    pub default_predicate: Predicate,
    /// The predicates in the order of computation: a stratum depends only on itself and earlier ones.
    pub strata: Vec<Stratum>,
    /// The meaning of recursive strata.
    pub recursion: Recursion,
}

impl Template {
    /// Returns the rule with this id.
    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.index()]
    }

    /// Returns the weight with this id.
    pub fn weight(&self, id: WeightId) -> &Weight {
        &self.weights[id.index()]
    }

    /// Returns whether the template's text has this predicate, or only the vocabulary.
    pub fn knows(&self, id: PredicateId) -> bool {
        self.predicates.get(id.index()).is_some_and(|known| known.span != self.default_predicate.span)
    }

    /// Returns whether the grounding must set parts of an index: kinds of atoms, or numbers of ground rules.
    pub fn has_set_index(&self) -> bool {
        self.rules.iter().any(|rule| rule.bound_index().len() < rule.index.len())
    }

    /// Returns whether fewer facts may do more than take ground rules away: `not p(X)` may hold then, and kinds of atoms
    /// may be others.
    pub fn is_changed_by_absence(&self) -> bool {
        self.has_set_index() || self.rules.iter().any(|rule| rule.absent().next().is_some())
    }

    /// Returns the rules with their ids.
    pub fn rule_ids(&self) -> impl Iterator<Item = RuleId> + use<> {
        (0..self.rules.len() as u32).map(RuleId)
    }
}
