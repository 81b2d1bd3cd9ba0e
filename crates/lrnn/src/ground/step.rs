//! What a plan is made of: steps over slots.
//!
//! A slot is a place for one constant. The variables of a rule have the first slots, its constants stand behind
//! them, so that a term of a literal is a slot whatever it is and the join never asks which.

use super::index::IndexShape;
use super::link::{LinkKey, LinkShape};
use super::plan::Catalogue;
use super::sorting::sorted;
use crate::template::{Comparison, Condition, Number, Rule, Term, VariableId};
use crate::vocabulary::{ConstantId, PredicateId};

/// A place in the substitution of a join.
pub(super) type VariableSlot = u32;

/// The order of a join and all that its executor asks.
#[derive(Clone, Debug)]
pub(super) struct JoinPlan {
    /// The slots before the first step: the constants of the rule stand there already.
    pub start: Vec<ConstantId>,
    /// The literals whose rows are taken one after another.
    pub steps: Vec<Literal>,
    /// Work before the first step, and then after each step has bound its variables.
    pub levels: Vec<Level>,
    /// The relation of the heads.
    pub head: RelationRef,
    pub head_terms: Vec<Giver>,
    /// Number of positive literals.
    pub literals: usize,
    /// The index variables of the rule.
    pub index: Vec<Giver>,
    /// The literals without free variables whose row follows from that of a step: their number, their link, and the
    /// number of the step's literal.
    pub linked: Vec<(usize, usize, usize)>,
    /// The first step of the tail: the last steps, which do not depend on each other.
    pub tail: usize,
    /// True if the steps of the tail ask for nothing but literals that are linked to their own rows. Else the tail is
    /// the last step.
    pub is_tail_linked: bool,
    /// The numbers of the indexes that some step asks.
    pub indexes: Vec<usize>,
    /// The numbers of the links that some step follows.
    pub links: Vec<usize>,
}

/// A relation of the model while it is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RelationRef {
    /// The atoms of a predicate.
    Predicate(PredicateId),
    /// All constants.
    Domain,
    /// The rows of a demand, by its number.
    Demand(usize),
}

/// The source of a term's constant.
#[derive(Clone, Copy, Debug)]
pub(super) enum Giver {
    Constant(ConstantId),
    /// This column of the row of this step.
    Step(usize, usize),
}

/// The work that can be done when a step has bound its variables.
#[derive(Clone, Default, Debug)]
pub(super) struct Level {
    /// Tests that must hold.
    pub tests: Vec<JoinTest>,
    /// Literals with at most one row: each column has a slot.
    pub present: Vec<Literal>,
    /// The later steps whose key is bound from here on. Their rows are looked up at once, not when their turn
    /// comes: once for all that lies between, and a literal without rows rejects early.
    pub opens: Vec<usize>,
    /// The numbers of the literals whose row is chosen here, or looked up and not linked.
    pub rows: Vec<usize>,
    /// In a walk that rules share: the links that each has followed by now, with the numbers of the literals whose rows
    /// they begin at. Some rule must go on.
    pub alternatives: Vec<Vec<(usize, usize)>>,
}

/// A literal. A variable that ranges over all constants has one too, which holds of every constant; so has a demand.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    /// Its number among the positive literals of the rule; those that are in no rule stand behind them.
    pub number: usize,
    pub relation: RelationRef,
    pub part: RowRange,
    pub lookup: Lookup,
    /// If the whole key comes from one row: the number of the link, and that of the literal whose row it is.
    pub link: Option<(usize, usize)>,
    /// The columns that give a variable its value.
    pub binds: Vec<(usize, VariableSlot)>,
    /// The columns that must agree with a slot and that the lookup does not see to.
    pub checks: Vec<(usize, VariableSlot)>,
}

impl Literal {
    /// Returns the column that gives a slot its value.
    pub fn column(&self, slot: VariableSlot) -> Option<usize> {
        self.binds.iter().find(|bind| bind.1 == slot).map(|bind| bind.0)
    }
}

/// The rows of a relation that a literal takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RowRange {
    /// All rows; the relation is complete.
    All,
    /// In a recursive stratum: the rows before the last round.
    Old,
    /// The rows of the last round.
    New,
    /// Both.
    Known,
}

/// A way to find the rows that agree with the bound slots.
#[derive(Clone, Debug)]
pub(super) enum Lookup {
    /// By looking at every row.
    Scan,
    /// There is at most one row: every column has a slot.
    Row(Vec<VariableSlot>),
    /// By an index, whose columns have these slots.
    Index(usize, Vec<VariableSlot>),
    /// There is at most one constant: the number that is computed from slots, which stand in it as variables.
    Number(Number),
}

/// A condition.
#[derive(Clone, Debug)]
pub(super) enum JoinTest {
    Compare(Comparison, VariableSlot, VariableSlot),
    /// No row agrees.
    Absent(RelationRef, Lookup),
    /// Another condition between constants; slots stand in it as variables.
    Other(Box<Condition>),
}

/// Returns the number that an equation among these conditions says a variable is, if all else in it is bound.
pub(super) fn computed<'a>(
    mut conditions: impl Iterator<Item = &'a Condition>,
    variable: VariableId,
    is_bound: impl Fn(Term) -> bool,
) -> Option<&'a Number> {
    let is_it = |number: &Number| *number == Number::Term(Term::Variable(variable));
    let is_known = |number: &Number| number.terms().into_iter().all(&is_bound);
    conditions.find_map(|condition| match condition {
        Condition::Arithmetic(Comparison::Equal, left, right) if is_it(left) && is_known(right) => {
            Some(right)
        }
        Condition::Arithmetic(Comparison::Equal, left, right) if is_it(right) && is_known(left) => Some(left),
        _ => None,
    })
}

/// Returns the place of something in a list, at its end if it is new.
pub(super) fn place<T: PartialEq>(list: &mut Vec<T>, it: T) -> usize {
    list.iter().position(|known| *known == it).unwrap_or_else(|| {
        list.push(it);
        list.len() - 1
    })
}

/// Makes a join plan, step by step.
pub(super) struct PlanCompiler<'a> {
    rule: &'a Rule,
    catalogue: &'a mut Catalogue,
    start: Vec<ConstantId>,
    /// For each variable, the level that binds it.
    bound: Vec<Option<usize>>,
    /// The conditions that are not tested yet.
    waiting: Vec<&'a Condition>,
    steps: Vec<Literal>,
    levels: Vec<Level>,
    indexes: Vec<usize>,
    links: Vec<usize>,
}

impl<'a> PlanCompiler<'a> {
    /// Begins without steps.
    pub fn new(rule: &'a Rule, catalogue: &'a mut Catalogue) -> Self {
        let variables = rule.variables.len();
        let mut compiler = Self {
            rule,
            catalogue,
            start: vec![ConstantId(0); variables],
            bound: vec![None; variables],
            waiting: rule.conditions.iter().collect(),
            steps: Vec::new(),
            levels: Vec::new(),
            indexes: Vec::new(),
            links: Vec::new(),
        };
        compiler.begin_level();
        compiler
    }

    fn slot(&mut self, term: Term) -> VariableSlot {
        match term {
            Term::Variable(variable) => variable.0,
            Term::Constant(constant) => {
                let behind = &self.start[self.bound.len()..];
                let place = behind.iter().position(|&other| other == constant).unwrap_or_else(|| {
                    self.start.push(constant);
                    self.start.len() - 1 - self.bound.len()
                });
                (self.bound.len() + place) as VariableSlot
            }
        }
    }

    fn is_bound(&self, term: Term) -> bool {
        term.variable().is_none_or(|variable| self.bound[variable.index()].is_some())
    }

    /// Returns the level from which all these slots are bound.
    fn level(&self, slots: &[VariableSlot]) -> usize {
        let levels = slots.iter().filter_map(|&slot| *self.bound.get(slot as usize)?);
        levels.max().unwrap_or(0)
    }

    fn begin_level(&mut self) {
        let tests = self.ready();
        self.levels.push(Level { tests, ..Level::default() });
    }

    fn bind(&mut self, variable: VariableId) {
        self.bound[variable.index()] = Some(self.levels.len());
    }

    /// Takes the rows of a positive literal. A variable of it that an equation gives is looked up, not searched for.
    pub fn join(&mut self, number: usize, part: RowRange) {
        let Some(atom) = self.rule.positive().nth(number) else { return };
        for variable in atom.variables().filter(|_| part != RowRange::New) {
            if !self.is_bound(Term::Variable(variable)) && self.computed(variable).is_some() {
                self.range(variable);
            }
        }
        let mut key = Vec::new();
        for (column, &term) in atom.terms.iter().enumerate() {
            if self.is_bound(term) {
                key.push((column, self.slot(term)));
            }
        }
        let (mut binds, mut checks) = (Vec::new(), Vec::new());
        // The new rows are a range to scan: an index would have to skip all the old ones.
        let lookup = if part == RowRange::New {
            checks.clone_from(&key);
            Lookup::Scan
        } else {
            self.lookup(atom.predicate, atom.terms.len(), &key)
        };
        let link = if part == RowRange::All { self.link(atom.predicate, &lookup) } else { None };
        for (column, &term) in atom.terms.iter().enumerate() {
            let Term::Variable(variable) = term else { continue };
            if !self.is_bound(term) {
                self.bind(variable);
                binds.push((column, variable.0));
            } else if !key.iter().any(|&(other, _)| other == column) {
                checks.push((column, variable.0));
            }
        }
        let key_level = if let Lookup::Row(slots) = &lookup { Some(self.level(slots)) } else { None };
        let relation = RelationRef::Predicate(atom.predicate);
        let literal = Literal { number, relation, part, lookup, link, binds, checks };
        let Some(level) = key_level else { return self.push(literal) };
        let level = &mut self.levels[level];
        if link.is_none() {
            level.rows.push(number);
        }
        level.present.push(literal);
    }

    /// Takes the rows of a demand, before any other literal: these terms of the head.
    pub fn demand(&mut self, demand: usize, terms: &[Term]) {
        let (mut binds, mut checks) = (Vec::new(), Vec::new());
        for (column, &term) in terms.iter().enumerate() {
            match term {
                Term::Variable(variable) if !self.is_bound(term) => {
                    self.bind(variable);
                    binds.push((column, variable.0));
                }
                _ => checks.push((column, self.slot(term))),
            }
        }
        self.push_other(RelationRef::Demand(demand), Lookup::Scan, binds, checks);
    }

    /// Adds the step of a literal that is in no rule.
    fn push_other(
        &mut self,
        relation: RelationRef,
        lookup: Lookup,
        binds: Vec<(usize, VariableSlot)>,
        checks: Vec<(usize, VariableSlot)>,
    ) {
        let number = self.rule.positive().count() + self.steps.len();
        self.push(Literal { number, relation, part: RowRange::All, lookup, link: None, binds, checks });
    }

    /// Leaves out the heads that another demand has given already. Every variable of them must be bound.
    pub fn unless_demanded(&mut self, demand: usize, terms: &[Term]) {
        let slots: Vec<VariableSlot> = terms.iter().map(|&term| self.slot(term)).collect();
        let level = self.level(&slots);
        let test = JoinTest::Absent(RelationRef::Demand(demand), Lookup::Row(slots));
        self.levels[level].tests.push(test);
    }

    fn slot_term(&mut self, term: Term) -> Term {
        Term::Variable(VariableId(self.slot(term)))
    }

    fn over_slots(&mut self, number: &Number) -> Number {
        let mut number = number.clone();
        number.terms_mut().into_iter().for_each(|term| *term = self.slot_term(*term));
        number
    }

    /// Returns the number that a waiting equation says a variable is, if all else in it is bound.
    fn computed(&self, variable: VariableId) -> Option<&'a Number> {
        computed(self.waiting.iter().copied(), variable, |term| self.is_bound(term))
    }

    /// Lets variables range over all constants, those that an equation gives first.
    pub fn range_all(&mut self, mut free: Vec<VariableId>) {
        while !free.is_empty() {
            let computed = free.iter().position(|&variable| self.computed(variable).is_some());
            self.range(free.remove(computed.unwrap_or(0)));
        }
    }

    /// Lets a variable range over all constants, or be the one that an equation says.
    fn range(&mut self, variable: VariableId) {
        let computed = self.computed(variable).map(|number| self.over_slots(number));
        let lookup = computed.map_or(Lookup::Scan, Lookup::Number);
        self.bind(variable);
        self.push_other(RelationRef::Domain, lookup, vec![(0, variable.0)], Vec::new());
    }

    fn push(&mut self, literal: Literal) {
        let slot = |term: Term| term.variable().map_or(0, |slot| slot.0);
        let level = match &literal.lookup {
            Lookup::Number(number) => {
                Some(self.level(&number.terms().into_iter().map(slot).collect::<Vec<_>>()))
            }
            Lookup::Index(_, slots) => Some(self.level(slots)),
            Lookup::Scan | Lookup::Row(_) => None,
        };
        if let Some(level) = level {
            self.levels[level].opens.push(self.steps.len());
        }
        let number = literal.number;
        self.steps.push(literal);
        self.begin_level();
        self.levels[self.steps.len()].rows.push(number);
    }

    /// Returns the plan, once every variable is bound: the heads are rows of the rule's predicate, or of a demand.
    pub fn finish(self, demand: Option<usize>) -> JoinPlan {
        let head = &self.rule.head;
        let relation = demand.map_or(RelationRef::Predicate(head.predicate), RelationRef::Demand);
        let index =
            self.rule.bound_index().iter().map(|&variable| self.giver(Term::Variable(variable))).collect();
        let head_terms = head.terms.iter().map(|&term| self.giver(term)).collect();
        let present = self.levels.iter().flat_map(|level| &level.present);
        let linked = present.filter_map(|it| it.link.map(|(link, from)| (it.number, link, from))).collect();
        let tail = self.tail();
        JoinPlan {
            is_tail_linked: self.is_linked(tail),
            start: self.start,
            steps: self.steps,
            levels: self.levels,
            tail,
            head: relation,
            head_terms,
            index,
            linked,
            literals: self.rule.positive().count(),
            indexes: sorted(self.indexes),
            links: sorted(self.links),
        }
    }

    fn giver(&self, term: Term) -> Giver {
        match term {
            Term::Constant(constant) => Giver::Constant(constant),
            Term::Variable(variable) => {
                let step = self.level(&[variable.0]).saturating_sub(1);
                let column = self.steps.get(step).and_then(|step| step.column(variable.0));
                Giver::Step(step, column.unwrap_or(0))
            }
        }
    }

    /// Returns whether a step asks for nothing but literals that are linked to its own row.
    fn is_linked(&self, step: usize) -> bool {
        let (Some(step), Some(level)) = (self.steps.get(step), self.levels.get(step + 1)) else {
            return false;
        };
        let is_linked = |literal: &Literal| literal.link.is_some_and(|(_, from)| from == step.number);
        step.checks.is_empty() && level.tests.is_empty() && level.present.iter().all(is_linked)
    }

    /// Returns the first of the last steps that do not depend on each other. Scans are not taken in: their product may
    /// be far more than one wants to have in memory at once.
    fn tail(&self) -> usize {
        let is_known_before = |step: &Literal, tail: usize| match &step.lookup {
            Lookup::Index(_, slots) => self.level(slots) <= tail,
            _ => false,
        };
        let can_begin = |tail: usize| {
            (tail..self.steps.len())
                .all(|step| self.is_linked(step) && is_known_before(&self.steps[step], tail))
        };
        let mut tail = self.steps.len().saturating_sub(1);
        while tail > 0 && can_begin(tail - 1) {
            tail -= 1;
        }
        tail
    }

    fn lookup(&mut self, predicate: PredicateId, arity: usize, key: &[(usize, VariableSlot)]) -> Lookup {
        let slots = key.iter().map(|&(_, slot)| slot).collect();
        if key.len() == arity {
            Lookup::Row(slots)
        } else if key.is_empty() {
            Lookup::Scan
        } else {
            let columns = key.iter().map(|&(column, _)| column).collect();
            let number = self.catalogue.indexes.number(IndexShape { predicate, columns });
            self.indexes.push(number);
            Lookup::Index(number, slots)
        }
    }

    /// Returns the link for a key that one row gives, with the constants of the rule. The first step comes to each row
    /// once, so it needs none, unless there are constants: then the rule most often has sisters, which come again.
    fn link(&mut self, to: PredicateId, lookup: &Lookup) -> Option<(usize, usize)> {
        let (Lookup::Row(slots) | Lookup::Index(_, slots)) = lookup else { return None };
        let is_constant = |slot: &VariableSlot| *slot as usize >= self.bound.len();
        let first = usize::from(!slots.iter().any(is_constant));
        let step = &self.steps[self.level(slots).checked_sub(1).filter(|&step| step >= first)?];
        let key = slots.iter().map(|&slot| match self.start.get(slot as usize) {
            Some(&constant) if is_constant(&slot) => Some(LinkKey::Constant(constant)),
            _ => step.column(slot).map(LinkKey::Column),
        });
        let key = key.collect::<Option<_>>()?;
        let index = if let Lookup::Index(index, _) = lookup { Some(*index) } else { None };
        let RelationRef::Predicate(from) = step.relation else { return None };
        let number = self.catalogue.links.number(LinkShape { from, to, index, key });
        self.links.push(number);
        Some((number, step.number))
    }

    /// Returns the conditions that can be tested now and could not before.
    fn ready(&mut self) -> Vec<JoinTest> {
        let bound =
            |condition: &&Condition| condition.variables().iter().all(|it| self.bound[it.index()].is_some());
        let (ready, waiting) = std::mem::take(&mut self.waiting).into_iter().partition(bound);
        self.waiting = waiting;
        let ready: Vec<&Condition> = ready;
        ready.into_iter().map(|condition| self.test(condition)).collect()
    }

    fn test(&mut self, condition: &Condition) -> JoinTest {
        match condition {
            Condition::Arithmetic(comparison, left, right) => {
                let [left, right] = [left, right].map(|number| self.over_slots(number));
                JoinTest::Other(Box::new(Condition::Arithmetic(*comparison, left, right)))
            }
            Condition::MostDifferent(terms) => {
                let terms = terms.iter().map(|&term| self.slot_term(term)).collect();
                JoinTest::Other(Box::new(Condition::MostDifferent(terms)))
            }
            Condition::Among(terms) => {
                let terms = terms.iter().map(|&term| self.slot_term(term)).collect();
                JoinTest::Other(Box::new(Condition::Among(terms)))
            }
            Condition::Compare(comparison, left, right) => {
                JoinTest::Compare(*comparison, self.slot(*left), self.slot(*right))
            }
            Condition::Absent(predicate, patterns) => {
                let mut key = Vec::new();
                for (column, pattern) in patterns.iter().enumerate() {
                    if let Some(term) = pattern {
                        key.push((column, self.slot(*term)));
                    }
                }
                let lookup = self.lookup(*predicate, patterns.len(), &key);
                JoinTest::Absent(RelationRef::Predicate(*predicate), lookup)
            }
        }
    }
}
