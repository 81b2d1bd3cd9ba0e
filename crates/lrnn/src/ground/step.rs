//! What a plan is made of: steps over slots.
//!
//! A slot is a place for one constant. The variables of a rule have the first slots, its constants stand behind
//! them, so that a term of a literal is a slot whatever it is and the join never asks which.

use super::index::IndexShape;
use super::plan::Catalogue;
use crate::template::{Comparison, Condition, Pattern, Rule, Term, VariableId};
use crate::vocabulary::{ConstantId, PredicateId};

/// A place in the substitution of a join.
pub(super) type Slot = u32;

/// The order of a join and all that its executor asks.
#[derive(Debug)]
pub(super) struct JoinPlan {
    /// The slots before the first step: the constants of the rule stand there already.
    pub start: Vec<ConstantId>,
    /// What must hold before the first step.
    pub demands: Demands,
    pub steps: Vec<Step>,
    pub head: PredicateId,
    /// The terms of the head.
    pub head_terms: Vec<Slot>,
    /// The index variables of the rule.
    pub index: Vec<Slot>,
    /// How many positive literals there are.
    pub literals: usize,
    /// The numbers of the indexes that some step asks.
    pub indexes: Vec<usize>,
}

/// A step: what it binds, and what must hold once it is bound.
#[derive(Debug)]
pub(super) struct Step {
    pub source: Source,
    pub demands: Demands,
}

/// What must hold once all its variables are bound.
#[derive(Default, Debug)]
pub(super) struct Demands {
    pub tests: Vec<Test>,
    /// Literals with at most one row: each column has a slot.
    pub present: Vec<Literal>,
}

#[derive(Debug)]
pub(super) enum Source {
    /// The rows of a literal.
    Literal(Literal),
    /// All constants, for this variable.
    Domain(Slot),
}

#[derive(Debug)]
pub(super) struct Literal {
    /// Its number among the positive literals of the rule.
    pub number: usize,
    pub predicate: PredicateId,
    pub part: Part,
    pub lookup: Lookup,
    /// The columns that give a variable its value.
    pub binds: Vec<(usize, Slot)>,
    /// The columns that must agree with a slot and that the lookup does not see to.
    pub checks: Vec<(usize, Slot)>,
}

/// Which rows of a relation a literal takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// All rows; the relation is complete.
    All,
    /// In a recursive stratum: the rows before the last round.
    Old,
    /// The rows of the last round.
    New,
    /// Both.
    Known,
}

/// How rows that agree with the bound slots are found.
#[derive(Debug)]
pub(super) enum Lookup {
    /// By looking at every row.
    Scan,
    /// There is at most one row: every column has a slot.
    Row(Vec<Slot>),
    /// By an index, whose columns have these slots.
    Index(usize, Vec<Slot>),
}

/// A condition.
#[derive(Debug)]
pub(super) enum Test {
    Compare(Comparison, Slot, Slot),
    /// No row agrees.
    Absent(PredicateId, Lookup),
}

/// Makes a join plan, step by step.
pub(super) struct Compiler<'a> {
    rule: &'a Rule,
    catalogue: &'a mut Catalogue,
    start: Vec<ConstantId>,
    bound: Vec<bool>,
    /// The conditions that are not tested yet.
    waiting: Vec<&'a Condition>,
    demands: Demands,
    steps: Vec<Step>,
    indexes: Vec<usize>,
}

impl<'a> Compiler<'a> {
    /// No steps yet.
    pub fn new(rule: &'a Rule, catalogue: &'a mut Catalogue) -> Self {
        let variables = rule.variables.len();
        let mut compiler = Self {
            rule,
            catalogue,
            start: vec![ConstantId(0); variables],
            bound: vec![false; variables],
            waiting: rule.conditions.iter().collect(),
            demands: Demands::default(),
            steps: Vec::new(),
            indexes: Vec::new(),
        };
        compiler.demands.tests = compiler.ready();
        compiler
    }

    fn slot(&mut self, term: Term) -> Slot {
        match term {
            Term::Variable(variable) => variable.0,
            Term::Constant(constant) => {
                let behind = &self.start[self.bound.len()..];
                let place = behind.iter().position(|&other| other == constant).unwrap_or_else(|| {
                    self.start.push(constant);
                    self.start.len() - 1 - self.bound.len()
                });
                (self.bound.len() + place) as Slot
            }
        }
    }

    fn is_bound(&self, term: Term) -> bool {
        match term {
            Term::Variable(variable) => self.bound[variable.index()],
            Term::Constant(_) => true,
        }
    }

    /// Takes the rows of a positive literal.
    pub fn join(&mut self, number: usize, part: Part) {
        let Some(atom) = self.rule.positive().nth(number) else { return };
        let mut key = Vec::new();
        for (column, &term) in atom.terms.iter().enumerate() {
            if self.is_bound(term) {
                key.push((column, self.slot(term)));
            }
        }
        let (mut binds, mut checks) = (Vec::new(), Vec::new());
        // The new rows are a range to scan: an index would have to skip all the old ones.
        let lookup = if part == Part::New {
            checks.clone_from(&key);
            Lookup::Scan
        } else {
            self.lookup(atom.predicate, atom.terms.len(), &key)
        };
        for (column, &term) in atom.terms.iter().enumerate() {
            let Term::Variable(variable) = term else { continue };
            if !self.bound[variable.index()] {
                self.bound[variable.index()] = true;
                binds.push((column, variable.0));
            } else if !key.iter().any(|&(other, _)| other == column) {
                checks.push((column, variable.0));
            }
        }
        let is_row = matches!(lookup, Lookup::Row(_));
        let literal = Literal { number, predicate: atom.predicate, part, lookup, binds, checks };
        if is_row {
            let demands = self.steps.last_mut().map_or(&mut self.demands, |step| &mut step.demands);
            demands.present.push(literal);
        } else {
            self.push(Source::Literal(literal));
        }
    }

    /// Lets a variable range over all constants.
    pub fn range(&mut self, variable: VariableId) {
        self.bound[variable.index()] = true;
        self.push(Source::Domain(variable.0));
    }

    fn push(&mut self, source: Source) {
        let demands = Demands { tests: self.ready(), present: Vec::new() };
        self.steps.push(Step { source, demands });
    }

    /// The plan, once every variable is bound.
    pub fn finish(mut self) -> JoinPlan {
        let head_terms = self.rule.head.terms.iter().map(|&term| self.slot(term)).collect();
        self.indexes.sort_unstable();
        self.indexes.dedup();
        JoinPlan {
            start: self.start,
            demands: self.demands,
            steps: self.steps,
            head: self.rule.head.predicate,
            head_terms,
            index: self.rule.index.iter().map(|variable| variable.0).collect(),
            literals: self.rule.positive().count(),
            indexes: self.indexes,
        }
    }

    fn lookup(&mut self, predicate: PredicateId, arity: usize, key: &[(usize, Slot)]) -> Lookup {
        let slots = key.iter().map(|&(_, slot)| slot).collect();
        if key.len() == arity {
            Lookup::Row(slots)
        } else if key.is_empty() {
            Lookup::Scan
        } else {
            let columns = key.iter().map(|&(column, _)| column).collect();
            let number = self.catalogue.number(IndexShape { predicate, columns });
            self.indexes.push(number);
            Lookup::Index(number, slots)
        }
    }

    /// The conditions that can be tested now and could not before.
    fn ready(&mut self) -> Vec<Test> {
        let bound = |condition: &&Condition| condition.variables().iter().all(|it| self.bound[it.index()]);
        let (ready, waiting) = std::mem::take(&mut self.waiting).into_iter().partition(bound);
        self.waiting = waiting;
        let ready: Vec<&Condition> = ready;
        ready.into_iter().map(|condition| self.test(condition)).collect()
    }

    fn test(&mut self, condition: &Condition) -> Test {
        match condition {
            Condition::Compare(comparison, left, right) => {
                Test::Compare(*comparison, self.slot(*left), self.slot(*right))
            }
            Condition::Absent(predicate, patterns) => {
                let mut key = Vec::new();
                for (column, pattern) in patterns.iter().enumerate() {
                    if let Pattern::Term(term) = pattern {
                        key.push((column, self.slot(*term)));
                    }
                }
                Test::Absent(*predicate, self.lookup(*predicate, patterns.len(), &key))
            }
        }
    }
}
