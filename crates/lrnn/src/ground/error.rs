//! Why grounding stopped.

use crate::diagnostic::Span;
use crate::template::{RuleId, Template};
use crate::vocabulary::{ConstantId, PredicateId, Vocabulary};

/// A rule or a fact of the template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClauseId {
    /// A rule.
    Rule(RuleId),
    /// The fact with this number.
    Fact(u32),
}

/// A limit that was passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitKind {
    /// Ground rules and instances of facts in one example.
    PerExample,
    /// Ground rules and instances of facts in all examples together.
    Total,
    /// Candidates tried in one example, most of them in vain.
    Candidates,
    /// None: somebody asked to stop.
    Stopped,
}

/// A reason why grounding an example stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GroundError {
    /// There would be more ground rules than allowed.
    Budget {
        /// Clause at which it happened. For [`LimitKind::Total`] of many examples: the clause expected to have the
        /// most.
        clause: ClauseId,
        /// The names of the clause's variables.
        variables: Vec<Box<str>>,
        /// The limit.
        bound: LimitKind,
        /// The limit.
        limit: u64,
    },
    /// An atom that is, through the inputs of ground rules, an input of itself. Each atom needs the next, and the
    /// last needs the first.
    Cycle {
        /// The rule by which the first atom needs the next.
        rule: RuleId,
        /// The atoms.
        atoms: Vec<(PredicateId, Vec<ConstantId>)>,
    },
    /// Somebody asked to stop.
    Stopped,
}

/// The error of an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExampleError {
    /// The number of the example in the dataset.
    pub example: usize,
    /// The reason.
    pub error: GroundError,
}

/// The most atoms of a cycle that a message lists.
const LISTED: usize = 12;

impl GroundError {
    /// Returns the error of a limit that was passed at a clause.
    pub(super) fn budget(template: &Template, clause: ClauseId, bound: LimitKind, limit: u64) -> Self {
        if bound == LimitKind::Stopped {
            return Self::Stopped;
        }
        let names = match clause {
            ClauseId::Rule(id) => &template.rule(id).variables,
            ClauseId::Fact(number) => &template.facts[number as usize].variables,
        };
        let variables = names.iter().filter(|name| &***name != "_").cloned().collect();
        Self::Budget { clause, variables, bound, limit }
    }

    /// Returns the clause it is about.
    pub fn span(&self, template: &Template) -> Span {
        match self {
            Self::Budget { clause: ClauseId::Rule(id), .. } | Self::Cycle { rule: id, .. } => {
                template.rule(*id).span
            }
            Self::Budget { clause: ClauseId::Fact(number), .. } => template.facts[*number as usize].span,
            Self::Stopped => Span::default(),
        }
    }

    /// Returns a sentence that says what happened.
    pub fn message(&self, vocabulary: &Vocabulary) -> String {
        match self {
            Self::Budget { clause, variables, bound, limit } => {
                budget_message(*clause, variables, *bound, *limit)
            }
            Self::Cycle { atoms, .. } => cycle_message(atoms, vocabulary),
            Self::Stopped => "grounding was stopped".to_owned(),
        }
    }

    /// Returns what to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Budget { .. } => {
                "share variables between the literals or add guards, so that fewer substitutions are true; \
                 or raise the limit"
            }
            Self::Cycle { .. } => {
                "add a guard that orders the atoms, or make the literal that closes the cycle a guard with `*`"
            }
            Self::Stopped => "",
        }
    }
}

fn budget_message(clause: ClauseId, variables: &[Box<str>], bound: LimitKind, limit: u64) -> String {
    let clause = match clause {
        ClauseId::Rule(_) => "rule",
        ClauseId::Fact(_) => "fact",
    };
    let variables = match variables {
        [] => String::new(),
        [one] => format!(" (variable {one})"),
        many => format!(" (variables {})", many.join(", ")),
    };
    match bound {
        LimitKind::PerExample => {
            format!(
                "the example has more than {limit} ground rules; the limit was passed at this {clause}{variables}"
            )
        }
        LimitKind::Total => {
            format!(
                "the examples together have more than {limit} ground rules; this {clause}{variables} has many of them"
            )
        }
        LimitKind::Candidates => {
            format!("this {clause}{variables} was still trying rows after {limit}, almost all in vain")
        }
        LimitKind::Stopped => String::new(),
    }
}

fn cycle_message(atoms: &[(PredicateId, Vec<ConstantId>)], vocabulary: &Vocabulary) -> String {
    let text = |(predicate, terms): &(PredicateId, Vec<ConstantId>)| vocabulary.atom_text(*predicate, terms);
    let mut texts: Vec<String> = atoms.iter().take(LISTED).map(text).collect();
    if atoms.len() > LISTED {
        texts.push(format!("({} more atoms)", atoms.len() - LISTED));
    }
    texts.extend(atoms.first().map(text));
    format!("the ground network has a cycle: {}", texts.join(" needs "))
}
