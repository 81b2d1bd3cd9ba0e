//! Clauses: facts, written out where they hold ranges, and rules.

use std::collections::BTreeMap;

use super::Resolver;
use super::body::{RuleBody, inlined};
use super::functions::{DIRECTIVES, Defaults, PredicateOptions};
use super::meaning;
use super::range::written_out;
use super::weights::new_weight;
use crate::diagnostic::{Diagnostic, Span};
use crate::function::{Activation, Aggregation, Combination, Combiner, Family, FunctionGraph, FunctionNode};
use crate::syntax::ast::{
    AtomExpr, BodyKind, Clause, FunctionExpr, FunctionKind, IndexExpr, NumberExpr, OptionValue, Sign,
    TermExpr, TermKind, WeightExpr, WeightValue,
};
use crate::syntax::atom_text;
use crate::template::{
    Atom, Comparison, Condition, Fact, Input, KindVariables, Number, Rule, RuleFunctions, Term, VariableId,
    WeightUse,
};
use crate::vocabulary::{Constant, ConstantId};

/// The variables of one clause, numbered as they appear.
#[derive(Default)]
pub(super) struct Variables {
    pub names: Vec<Box<str>>,
}

impl Variables {
    /// Returns the number of a variable; `_` is a new one each time.
    pub fn id(&mut self, name: &str) -> VariableId {
        let known = self.names.iter().position(|known| **known == *name && name != "_");
        let number = known.unwrap_or_else(|| {
            self.names.push(name.into());
            self.names.len() - 1
        });
        VariableId(number as u32)
    }

    /// Returns a variable that nothing in the clause binds.
    fn unbound(&mut self, name: &str) -> VariableId {
        self.names.push(name.into());
        VariableId(self.names.len() as u32 - 1)
    }
}

/// The names that indices of a clause may use, and their requests to the grounding.
#[derive(Default)]
pub(super) struct IndexScope {
    /// The variables that the clause binds.
    pub bound: Vec<VariableId>,
    /// The positive literals of the body, inputs before guards; none of a fact.
    pub literals: Vec<Atom>,
    pub kinds: Vec<KindVariables>,
    pub number: Option<VariableId>,
}

impl Resolver {
    pub fn clause(&mut self, clause: &Clause, span: Span, defaults: &Defaults, named: &PredicateOptions) {
        self.warn_of_singletons(clause);
        if defaults.family.is_neuralogic() {
            self.note_of_nameless(clause);
        }
        if !clause.body.is_empty() {
            self.rule(clause, span, defaults, named);
            return;
        }
        self.warn_of_directive(&clause.head);
        if let Some(option) = clause.options.first() {
            let message = "a fact has no functions: options belong to rules and predicates";
            let help = format!("write `{}/{} [...].`", clause.head.name, clause.head.terms.len());
            self.report(Diagnostic::error("E0205", option.key_place.0, message).help(help));
        }
        match written_out(&clause.head) {
            Some(heads) => {
                for head in heads {
                    let fact = Clause { head, ..clause.clone() };
                    self.fact(&fact, span);
                }
            }
            None => {
                let message = "these ranges write more than a million facts";
                let help = "write a predicate for each range, and a rule that joins them";
                self.report(Diagnostic::error("E0304", clause.head.place.0, message).help(help));
            }
        }
    }

    /// Returns whether a clause that means the same was there before: it counts once, and weights after the first
    /// `weights`, which this one brought, are dropped.
    fn repeated(&mut self, what: &str, meaning: Option<String>, weights: usize, span: Span) -> bool {
        let Some(meaning) = meaning else { return false };
        let first = *self.seen.entry(meaning).or_insert(span);
        if first == span {
            return false;
        }
        let message = format!("this {what} is written twice with one weight: it counts once");
        self.report(Diagnostic::warning("W0301", span, message).also(first, "first here"));
        self.weights.truncate(weights);
        true
    }

    fn fact(&mut self, clause: &Clause, span: Span) {
        let weights = self.weights.len();
        let mut variables = Variables::default();
        let atom = self.atom(&clause.head, &mut variables);
        let mut scope = IndexScope { bound: atom.variables().collect(), ..IndexScope::default() };
        let weight = self.weight_use(clause.weight.as_ref(), &mut variables, &mut scope);
        let fact = Fact { atom, weight, variables: variables.names, span };
        if !self.repeated("fact", meaning::of_fact(&fact, &self.weights), weights, span) {
            self.facts.push(fact);
        }
    }

    fn rule(&mut self, clause: &Clause, span: Span, defaults: &Defaults, named: &PredicateOptions) {
        let inlined = inlined(clause);
        let clause = inlined.as_ref().unwrap_or(clause);
        let before = self.weights.len();
        let mut variables = Variables::default();
        let head = self.atom(&clause.head, &mut variables);
        let mut body = self.body(&clause.body, &mut variables, defaults);
        let mut scope = self.scope(&head, &body);
        let ranging = ranging(&body.conditions);
        let bound: Vec<VariableId> = scope.bound.iter().copied().chain(ranging).collect();
        if defaults.family.is_neuralogic() {
            self.leave_out_unbound(&mut body.conditions, &bound, &variables, clause);
        }
        self.check_conditions(&body.conditions, &bound, &variables, clause);
        let weight = self.weight_use(clause.weight.as_ref(), &mut variables, &mut scope);
        self.weigh(&mut body, &mut variables, &mut scope);
        let given = self.options(&clause.options, defaults.family);
        if given.learnable == Some(false) {
            let unnamed = self.weights[before..].iter_mut().filter(|own| own.name.is_none());
            unnamed.for_each(|own| own.fixed = true);
        }
        self.check_numbered(scope.number.is_some() && !body.inputs.is_empty(), clause);
        let over = given.over.clone();
        let wants_distinct = given.distinct.unwrap_or(defaults.family.is_neuralogic());
        let functions = self.rule_functions(given, named.get(&head.predicate), defaults, &mut body, clause);
        let mut rule = Rule { weight, variables: variables.names, ..body.rule(head, functions, span) };
        scope.close(&mut rule);
        // Rules of guards alone count, which is what they are for.
        let may_repeat = !rule.inputs.is_empty() && rule.kinds.is_empty() && has_guard_variables(&rule);
        rule.distinct = wants_distinct && may_repeat;
        if let Some(over) = over {
            return self.softmax_over(rule, &over, clause);
        }
        if !self.repeated("rule", meaning::of_rule(&rule, &self.weights), before, span) {
            self.rules.push(rule);
        }
    }

    /// Returns what the indices of a rule may name.
    pub fn scope(&self, head: &Atom, body: &RuleBody<'_>) -> IndexScope {
        let literals = body.literals();
        let mut bound: Vec<VariableId> = literals.iter().flat_map(Atom::variables).collect();
        bound.extend(head.variables());
        IndexScope { bound, literals, ..IndexScope::default() }
    }

    /// Adds a rule whose values are shares of 1 among the heads that differ in some terms only: the mean of the ground
    /// rules of each head, from which the largest is taken so that no power is too large, then its power, then that
    /// over the sum of all.
    fn softmax_over(&mut self, rule: Rule, over: &[String], clause: &Clause) {
        let span = rule.span;
        let arity = rule.head.terms.len();
        let is_over = |term: &Term| match term {
            Term::Variable(variable) => over.iter().any(|name| **name == *rule.variables[variable.index()]),
            Term::Constant(_) => false,
        };
        let missing = over.iter().find(|name| !clause.head.terms.iter().any(|term| term.is_variable(name)));
        if let Some(name) = missing {
            let message = format!("softmax goes over `{name}`, which is no variable of the head");
            let help = "the shares are those of heads that differ in this term only";
            self.report(Diagnostic::error("E0208", clause.head.place.0, message).help(help));
            return;
        }
        let rest: Vec<usize> = (0..arity).filter(|&at| !is_over(&rule.head.terms[at])).collect();
        // Numbered among the rules of its head, so that other rules do not matter.
        let of_head = self.rules.iter().filter(|other| other.head.predicate == rule.head.predicate).count();
        let head = self.vocabulary.signature(rule.head.predicate).to_string();
        let mut new = |what: &str, arity| self.auxiliary(&format!("{what} {head} {of_head}"), arity, span);
        let [value, power] = ["softmax value", "softmax power"].map(|what| new(what, arity));
        let [largest, total] = ["softmax largest", "softmax sum"].map(|what| new(what, rest.len()));
        let column = |at: usize| Term::Variable(VariableId(at as u32));
        let whole = |predicate| Atom { predicate, terms: (0..arity).map(column).collect() };
        let part = |predicate| Atom { predicate, terms: rest.iter().map(|&at| column(at)).collect() };
        let input = |atom, weight| Input { atom, weight, negated: false, span };
        let names: Vec<Box<str>> = (0..arity).map(|at| format!("X{at}").into()).collect();
        let minus = self.weight(new_weight(None, Some(&WeightValue::Number(-1.0)), true, span));
        let minus = Some(WeightUse { weight: minus, index: Vec::new() });
        let mut graph = FunctionGraph::default();
        let [above, below] = [0, 1].map(|at| graph.push(FunctionNode::Input(at)));
        let below = graph.push(FunctionNode::Transformed(Activation::Inverse.into(), below));
        graph.push(FunctionNode::Combined(Combination::ElementProduct, vec![above, below]));
        let plain = |head, inputs, functions| Rule {
            variables: names.clone(),
            ..Rule::plain(head, inputs, functions, span)
        };
        let sum = |activation, aggregation| RuleFunctions::plain(Combination::Sum, activation, aggregation);
        let identity = Activation::Identity;
        let share = plain(
            whole(rule.head.predicate),
            vec![input(whole(power), None), input(part(total), None)],
            RuleFunctions::plain(Combiner::Graph(graph), identity, Aggregation::Max),
        );
        let (head, weight) = (Atom { predicate: value, ..rule.head.clone() }, rule.weight.clone());
        // A weight with an index belongs to the values: it needs the variables of the body.
        let is_indexed = weight.as_ref().is_some_and(|weight| !weight.index.is_empty());
        let own_weight = weight.clone().filter(|_| is_indexed);
        let own = RuleFunctions { aggregation: Aggregation::Mean, ..rule.functions.clone() };
        self.rules.push(Rule { head, weight: own_weight, functions: own, ..rule });
        let max = sum(identity, Aggregation::Max);
        self.rules.push(plain(part(largest), vec![input(whole(value), None)], max));
        let of_power = vec![input(whole(value), None), input(part(largest), minus)];
        self.rules.push(plain(whole(power), of_power, sum(Activation::Exp, Aggregation::Max)));
        let of_total = vec![input(whole(power), None)];
        self.rules.push(plain(part(total), of_total, sum(identity, Aggregation::Sum)));
        self.rules.push(Rule { weight: weight.filter(|_| !is_indexed), ..share });
    }

    pub fn atom(&mut self, atom: &AtomExpr, variables: &mut Variables) -> Atom {
        let predicate = self.predicate(&atom.name, atom.terms.len(), atom.place.0);
        let terms = atom.terms.iter().map(|term| self.term(term, variables)).collect();
        Atom { predicate, terms }
    }

    pub fn term(&mut self, term: &TermExpr, variables: &mut Variables) -> Term {
        match &term.kind {
            TermKind::Variable(name) => Term::Variable(variables.id(name)),
            _ => Term::Constant(self.constant(term)),
        }
    }

    fn constant(&mut self, term: &TermExpr) -> ConstantId {
        match &term.kind {
            TermKind::Variable(name) => self.vocabulary.name(name),
            TermKind::Constant(constant) => self.vocabulary.insert(constant.clone()),
            TermKind::Range(first, _) => {
                let message = "a range writes several facts: it cannot stand in a rule";
                let help = "write the numbers as facts, `n(1..3).`, and use them as a guard, `*n(X)`";
                self.report(Diagnostic::error("E0303", term.place.0, message).help(help));
                self.vocabulary.insert(Constant::Integer(*first))
            }
        }
    }

    pub fn absent(&mut self, atom: &AtomExpr, variables: &mut Variables) -> Condition {
        let predicate = self.predicate(&atom.name, atom.terms.len(), atom.place.0);
        let patterns = atom.terms.iter().map(|term| match &term.kind {
            TermKind::Variable(name) if name == "_" => None,
            _ => Some(self.term(term, variables)),
        });
        Condition::Absent(predicate, patterns.collect())
    }

    /// Takes inequalities away that ask for a variable that nothing binds: NeuraLogic takes it for different from all.
    fn leave_out_unbound(
        &mut self,
        conditions: &mut Vec<Condition>,
        bound: &[VariableId],
        variables: &Variables,
        clause: &Clause,
    ) {
        let mut left_out: Vec<VariableId> = Vec::new();
        conditions.retain(|condition| {
            let Condition::Compare(Comparison::NotEqual, ..) = condition else { return true };
            let unbound = condition.variables().into_iter().find(|variable| !bound.contains(variable));
            left_out.extend(unbound.filter(|variable| !left_out.contains(variable)));
            unbound.is_none()
        });
        for variable in left_out {
            let name = &variables.names[variable.index()];
            let (span, only) = condition_with(clause, name);
            let message =
                format!("the variable `{name}` stands only {only}: taken for different from all others");
            let help = format!("leave it out, or add a literal that says what `{name}` ranges over");
            self.report(Diagnostic::warning("W0311", span, message).help(help));
        }
    }

    fn check_conditions(
        &mut self,
        conditions: &[Condition],
        bound: &[VariableId],
        variables: &Variables,
        clause: &Clause,
    ) {
        let mut reported = Vec::new();
        for variable in conditions.iter().flat_map(Condition::variables) {
            if bound.contains(&variable) || reported.contains(&variable) {
                continue;
            }
            reported.push(variable);
            let name = &variables.names[variable.index()];
            let (span, only) = condition_with(clause, name);
            let message = format!("the variable `{name}` is not bound: it stands only {only}");
            let help = format!(
                "add a literal that says what `{name}` ranges over; `_` under `not` reads \"nothing at all\""
            );
            self.report(Diagnostic::error("E0301", span, message).help(help));
        }
    }

    /// Notes a rule with several `_`, which NeuraLogic reads as one variable.
    fn note_of_nameless(&mut self, clause: &Clause) {
        let literals = clause.body.iter().flat_map(|part| match &part.kind {
            BodyKind::Function(function) => function.literals(),
            _ => Vec::new(),
        });
        let atoms = std::iter::once(&clause.head).chain(literals.map(|(_, atom)| atom));
        let mut nameless = atoms.flat_map(|atom| &atom.terms).filter(|term| term.is_variable("_"));
        if let Some(second) = nameless.nth(1) {
            let message =
                "each `_` is a variable of its own; NeuraLogic reads all of a rule as one and the same";
            let help = "name it where one and the same is meant: `_X`";
            self.report(Diagnostic::note("T0607", second.place.0, message).help(help));
        }
    }

    /// Warns of variables that occur once: in a head they stand for everything, and in a body beside others that are
    /// joined one of them may be misspelt.
    fn warn_of_singletons(&mut self, clause: &Clause) {
        let head = clause.head.terms.iter();
        let (mut positive, mut others) = (Vec::new(), Vec::new());
        others.extend(clause.weight.iter().flat_map(WeightExpr::index_terms));
        for option in &clause.options {
            if let OptionValue::Weight(weight) = &option.value {
                others.extend(weight.index_terms());
            }
        }
        for part in &clause.body {
            match &part.kind {
                BodyKind::Function(function) => {
                    for (sign, atom) in function.literals() {
                        let terms = if sign == Sign::Not { &mut others } else { &mut positive };
                        terms.extend(&atom.terms);
                    }
                    others.extend(function.weights().into_iter().flat_map(WeightExpr::index_terms));
                    others.extend(function.numbers().into_iter().flat_map(NumberExpr::terms));
                }
                BodyKind::AllDiff(terms) if terms.is_empty() => return, // it holds all variables
                condition => others.extend(condition.condition_terms()),
            }
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let all = head.clone().chain(positive.iter().chain(&others).copied());
        all.filter_map(named_variable).for_each(|name| *counts.entry(name).or_default() += 1);
        let is_join = counts.values().any(|&count| count > 1);
        let single = |term| named_variable(term).filter(|name| counts[name] == 1);
        for term in head {
            let Some(name) = single(term) else { continue };
            let message = format!("nothing binds the variable `{name}`: this holds for every constant");
            let help = format!(
                "write `_{name}` if that is meant; a constant begins with a small letter or is quoted: '{name}'"
            );
            self.report(Diagnostic::warning("W0307", term.place.0, message).help(help));
        }
        for term in positive.into_iter().filter(|_| is_join) {
            let Some(name) = single(term) else { continue };
            let message = format!("the variable `{name}` occurs only here");
            let help = format!("write `_` or `_{name}` if that is meant");
            self.report(Diagnostic::warning("W0309", term.place.0, message).help(help));
        }
    }

    /// Warns of `family(godel).`, a fact where a directive was meant.
    fn warn_of_directive(&mut self, head: &AtomExpr) {
        let [TermExpr { kind: TermKind::Constant(Constant::Name(argument)), .. }] = &*head.terms else {
            return;
        };
        let is_directive = DIRECTIVES.contains(&head.name.as_str());
        if is_directive && (head.name != "family" || Family::find(argument).is_some()) {
            let message = format!("this is a fact of the predicate `{}/1`, no directive", head.name);
            let help = format!("a directive begins with `:-`: `:- {}({argument}).`", head.name);
            self.report(Diagnostic::warning("W0308", head.place.0, message).help(help));
        }
    }

    /// Returns the index of a weight; its variables must be bound by the clause.
    pub fn index(
        &mut self,
        weight: &WeightExpr,
        variables: &mut Variables,
        scope: &mut IndexScope,
    ) -> Vec<Term> {
        let mut index = Vec::new();
        for part in &weight.index {
            match part {
                IndexExpr::Term(expr) => index.push(self.index_term(expr, variables, scope)),
                IndexExpr::Kind(atom) => index.extend(self.kind(atom, variables, scope)),
                IndexExpr::Number(place) => {
                    if scope.literals.is_empty() {
                        let message = "`#` numbers ground rules: a clause without literals has none";
                        let help = "drop `#`, or add the literals whose ground rules it counts";
                        self.report(Diagnostic::error("E0407", place.0, message).help(help));
                    }
                    let number = *scope.number.get_or_insert_with(|| variables.unbound("#"));
                    index.push(Term::Variable(number));
                }
            }
        }
        index
    }

    fn index_term(&mut self, expr: &TermExpr, variables: &mut Variables, scope: &IndexScope) -> Term {
        let term = self.term(expr, variables);
        if let (Term::Variable(variable), TermKind::Variable(name)) = (term, &expr.kind)
            && !scope.bound.contains(&variable)
        {
            let message = format!("the variable `{name}` indexes a weight but does not occur in its clause");
            let help = "a weight can only be indexed by what the head or the body binds";
            self.report(Diagnostic::error("E0403", expr.place.0, message).help(help));
        }
        term
    }

    /// Returns the variables for the kind of an atom, which must be a literal of the body.
    fn kind(&mut self, expr: &AtomExpr, variables: &mut Variables, scope: &mut IndexScope) -> [Term; 2] {
        let atom = self.atom(expr, variables);
        let literal = scope.literals.iter().position(|literal| *literal == atom);
        if literal.is_none() {
            let text = atom_text(expr);
            let message = format!("the index names the kind of `{text}`, which is no literal of the body");
            let help =
                format!("add it to the body, as `*{text}` if it is no input; `_` needs a name in both");
            self.report(Diagnostic::error("E0405", expr.place.0, message).help(help));
        }
        let literal = literal.unwrap_or(usize::MAX);
        let known = scope.kinds.iter().find(|kind| kind.literal == literal).copied();
        let kind = known.unwrap_or_else(|| {
            let words = [(); 2].map(|()| variables.unbound(&atom_text(expr)));
            scope.kinds.push(KindVariables { literal, words });
            KindVariables { literal, words }
        });
        kind.words.map(Term::Variable)
    }

    /// Refuses inputs where ground rules are numbered: which is the first must not matter.
    fn check_numbered(&mut self, is_wrong: bool, clause: &Clause) {
        if is_wrong {
            let message =
                "`#` numbers the ground rules of this rule, so they must be alike: it can have no inputs";
            let help = "make every literal a guard: `*p(X)`; such a rule has the value 1 under `[combination = product]`";
            self.report(Diagnostic::error("E0406", clause.head.place.0, message).help(help));
        }
    }
}

impl IndexScope {
    /// Gives a rule, whose weights are in the scope, what indexes them: the variables that literals bind, each once, and
    /// behind them those that the grounding sets. Says which variables of its head nothing binds, in the order of their ids.
    pub fn close(self, rule: &mut Rule) {
        let is_bound = |variable: &VariableId| rule.positive().any(|atom| atom.has_variable(*variable));
        let mut unbound: Vec<VariableId> = rule.head.variables().filter(|it| !is_bound(it)).collect();
        unbound.sort_unstable();
        unbound.dedup();
        let weights = rule.weight.iter().chain(rule.inputs.iter().filter_map(|input| input.weight.as_ref()));
        let mut index = Vec::new();
        for variable in weights.flat_map(|weight| &weight.index).filter_map(Term::variable) {
            if self.bound.contains(&variable) && !index.contains(&variable) {
                index.push(variable);
            }
        }
        index.extend(self.kinds.iter().flat_map(|kind| kind.words).chain(self.number));
        (rule.unbound, rule.index, rule.kinds, rule.number) = (unbound, index, self.kinds, self.number);
    }
}

fn named_variable(term: &TermExpr) -> Option<&str> {
    match &term.kind {
        TermKind::Variable(name) if !name.starts_with('_') => Some(name),
        _ => None,
    }
}

/// Returns the first condition of a body that holds a variable, and what it is.
fn condition_with(clause: &Clause, name: &str) -> (Span, &'static str) {
    let found = clause.body.iter().find_map(|part| {
        let (terms, only) = match &part.kind {
            BodyKind::Function(FunctionExpr { kind: FunctionKind::Literal(_, Sign::Not, atom), .. }) => {
                (atom.terms.iter().collect(), "under `not`")
            }
            BodyKind::Compare(..) | BodyKind::Arithmetic(..) => {
                (part.kind.condition_terms(), "in a comparison")
            }
            BodyKind::AllDiff(_) => (part.kind.condition_terms(), "in `@alldiff`"),
            BodyKind::BuiltIn(..) => (part.kind.condition_terms(), "in a built-in"),
            BodyKind::Function(_) => return None,
        };
        terms.iter().any(|term| term.is_variable(name)).then_some((part.place.0, only))
    });
    found.unwrap_or((clause.head.place.0, "in conditions"))
}

/// Returns the variables that equations name alone, `N = M + 1`, or that `@in` says: they range over all constants.
fn ranging(conditions: &[Condition]) -> Vec<VariableId> {
    let is_variable = |number: &Number| matches!(number, Number::Term(Term::Variable(_)));
    let of = |condition: &Condition| match condition {
        Condition::Arithmetic(Comparison::Equal, left, right) if is_variable(left) || is_variable(right) => {
            condition.variables()
        }
        Condition::Among(terms) => terms.first().and_then(Term::variable).into_iter().collect(),
        _ => Vec::new(),
    };
    conditions.iter().flat_map(of).collect()
}

/// Returns whether ground rules can differ in guards and conditions only.
fn has_guard_variables(rule: &Rule) -> bool {
    let is_known = |variable: VariableId| {
        let mut atoms = rule.inputs.iter().map(|input| &input.atom).chain([&rule.head]);
        atoms.any(|atom| atom.has_variable(variable)) || rule.index.contains(&variable)
    };
    let of_guards = rule.guards.iter().flat_map(Atom::variables);
    let of_conditions = rule.conditions.iter().flat_map(Condition::variables);
    of_guards.chain(of_conditions).any(|variable| !is_known(variable))
}
