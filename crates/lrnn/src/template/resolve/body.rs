//! Bodies: literals, guards, conditions, functions of literals and values of terms.

use super::Resolver;
use super::clause::Variables;
use super::functions::{Defaults, FunctionOptions};
use crate::diagnostic::{Diagnostic, Span};
use crate::function::{Activation, Aggregation, Combination, Combiner, FunctionGraph, FunctionNode};
use crate::syntax::ast::{
    BodyExpr, BodyKind, Clause, FunctionExpr, FunctionKind, Infix, NumberExpr, Sign, TermExpr, TermKind,
    WeightExpr,
};
use crate::syntax::{function_text, term_text};
use crate::template::{
    Atom, Comparison, Condition, Input, Number, Offset, Operator, Rule, RuleFunctions, Term, VariableId,
};
use crate::vocabulary::{PredicateId, Vocabulary};

/// The predicate that says of a constant which type it has: data writes its facts as `t:a`.
const TYPES: &str = "@type";

/// The parts of a body, resolved, and the function that its inputs make.
#[derive(Default)]
pub(super) struct RuleBody<'a> {
    pub inputs: Vec<Input>,
    /// The weights of the inputs, as written.
    pub weights: Vec<Option<&'a WeightExpr>>,
    pub guards: Vec<Atom>,
    pub conditions: Vec<Condition>,
    graph: FunctionGraph,
    /// The nodes that the rule combines.
    tops: Vec<u32>,
    has_functions: bool,
    /// Values of terms, which need the whole body: the number of the input, and the value.
    values: Vec<(usize, Number)>,
}

impl RuleBody<'_> {
    /// Returns how the inputs become one value, where the rule combines them so.
    pub fn combiner(&mut self, combination: Combination) -> Combiner {
        if !self.has_functions {
            return combination.into();
        }
        let (mut graph, tops) = (std::mem::take(&mut self.graph), std::mem::take(&mut self.tops));
        match (&tops[..], combination) {
            ([top], Combination::Sum) if *top as usize + 1 == graph.nodes.len() => {}
            _ => _ = graph.push(FunctionNode::Combined(combination, tops)),
        }
        Combiner::Graph(graph)
    }

    /// Returns the rule with this body.
    pub fn rule(self, head: Atom, functions: RuleFunctions, span: Span) -> Rule {
        let Self { inputs, guards, conditions, .. } = self;
        Rule { guards, conditions, ..Rule::plain(head, inputs, functions, span) }
    }

    pub fn literals(&self) -> Vec<Atom> {
        self.inputs.iter().map(|input| &input.atom).chain(&self.guards).cloned().collect()
    }
}

impl Resolver {
    pub fn body<'a>(
        &mut self,
        parts: &'a [BodyExpr],
        variables: &mut Variables,
        defaults: &Defaults,
    ) -> RuleBody<'a> {
        let mut body = RuleBody::default();
        for part in parts {
            if let BodyKind::Function(function) = &part.kind {
                let is_plain = matches!(function.kind, FunctionKind::Literal(..) | FunctionKind::Value(..));
                body.has_functions |= !is_plain || function.weight.is_some();
                let node = self.function(function, variables, defaults, &mut body);
                body.tops.extend(node);
            }
        }
        for part in parts {
            self.conditions(part, variables, &mut body);
        }
        self.value_rules(&mut body, variables, defaults.family.is_neuralogic());
        body
    }

    /// Takes a literal; returns the node of its input, if it is one.
    fn literal<'a>(
        &mut self,
        weight: Option<&'a WeightExpr>,
        (sign, atom): (Sign, &'a crate::syntax::ast::AtomExpr),
        span: Span,
        variables: &mut Variables,
        body: &mut RuleBody<'a>,
    ) -> Option<u32> {
        match sign {
            Sign::Input | Sign::Soft => {
                let atom = self.atom(atom, variables);
                Some(push_input(body, weight, atom, sign == Sign::Soft, span))
            }
            Sign::Guard => {
                let guard = self.atom(atom, variables);
                body.guards.push(guard);
                None
            }
            Sign::Not => {
                let absent = self.absent(atom, variables);
                body.conditions.push(absent);
                None
            }
        }
    }

    /// Takes a value of terms; returns the node of its input.
    fn value<'a>(
        &mut self,
        weight: Option<&'a WeightExpr>,
        number: &NumberExpr,
        span: Span,
        variables: &mut Variables,
        body: &mut RuleBody<'a>,
    ) -> u32 {
        let number = self.number(number, variables);
        body.values.push((body.inputs.len(), number.clone()));
        let atom = self.value_atom(&number, span);
        push_input(body, weight, atom, false, span)
    }

    /// Takes a function of literals; returns its node, if it has inputs.
    fn function<'a>(
        &mut self,
        function: &'a FunctionExpr,
        variables: &mut Variables,
        defaults: &Defaults,
        body: &mut RuleBody<'a>,
    ) -> Option<u32> {
        let span = function.place.0;
        if let Some(weight) = &function.weight {
            let atom = self.weighed_function(function, variables, defaults);
            return Some(push_input(body, Some(weight), atom, false, span));
        }
        match &function.kind {
            FunctionKind::Literal(weight, sign, atom) => {
                self.literal(weight.as_ref(), (*sign, atom), span, variables, body)
            }
            FunctionKind::Value(weight, number) => {
                Some(self.value(weight.as_ref(), number, span, variables, body))
            }
            FunctionKind::Infix(infix, parts) => {
                let combination = match infix {
                    Infix::Sum => Combination::Sum,
                    Infix::ElementProduct => Combination::ElementProduct,
                    Infix::Product => Combination::Product,
                };
                let nodes: Vec<u32> =
                    parts.iter().filter_map(|part| self.function(part, variables, defaults, body)).collect();
                combined(body, combination, nodes)
            }
            FunctionKind::Call(name, parts) => {
                let nodes: Vec<u32> =
                    parts.iter().filter_map(|part| self.function(part, variables, defaults, body)).collect();
                if parts.len() == 1
                    && let Some(transformation) = self.transformation(name, defaults.family)
                {
                    let node = *nodes.first()?;
                    return Some(body.graph.push(FunctionNode::Transformed(transformation?, node)));
                }
                let combination = self.combination(name, defaults.family)?;
                combined(body, combination, nodes)
            }
        }
    }

    /// Makes an atom of the value of a function that a weight stands on: one for each substitution.
    fn weighed_function(
        &mut self,
        function: &FunctionExpr,
        variables: &mut Variables,
        defaults: &Defaults,
    ) -> Atom {
        let plain = FunctionExpr { weight: None, ..function.clone() };
        let text = function_text(&plain);
        let parts = [BodyExpr { kind: BodyKind::Function(plain), place: function.place }];
        let mut own = Variables::default();
        let body = self.body(&parts, &mut own, defaults);
        let names: Vec<Box<str>> = own.names.clone();
        let span = function.place.0;
        // Functions with random weights of their own are not those of other places.
        let is_own = function.weights().iter().skip(1).any(|weight| weight.name.is_none() && !weight.fixed);
        let number = if is_own { format!(" {}", self.weights.len()) } else { String::new() };
        let count = self.vocabulary.predicate_count();
        let predicate = self.auxiliary(&format!("function {text}{number}"), names.len(), span);
        let is_known = self.vocabulary.predicate_count() == count;
        let terms = (0..names.len() as u32).map(|number| Term::Variable(VariableId(number))).collect();
        let head = Atom { predicate, terms };
        if !is_known {
            self.auxiliary_rule(head, body, own, span);
        }
        let terms = names.iter().map(|name| Term::Variable(variables.id(name))).collect();
        Atom { predicate, terms }
    }

    /// Adds a rule that the text does not have: the sum of its inputs, with weights as written, and nothing else.
    fn auxiliary_rule(&mut self, head: Atom, mut body: RuleBody<'_>, mut variables: Variables, span: Span) {
        let mut scope = self.scope(&head, &body);
        self.weigh(&mut body, &mut variables, &mut scope);
        let combiner = body.combiner(Combination::Sum);
        let functions = RuleFunctions::plain(combiner, Activation::Identity, Aggregation::Max);
        let mut rule = Rule { variables: variables.names, ..body.rule(head, functions, span) };
        scope.close(&mut rule);
        self.rules.push(rule);
    }

    /// Returns a predicate that the text does not have, by a name that says what it is for; its atoms are the sum of what
    /// their rules give.
    pub fn auxiliary(&mut self, what: &str, arity: usize, span: Span) -> PredicateId {
        let predicate = self.predicate(&format!("@{what}"), arity, span);
        self.auxiliaries.entry(predicate).or_insert_with(|| {
            let options = FunctionOptions {
                activation: Some(Activation::Identity),
                combination: Some(Combination::Sum),
                offset: Some(Offset::Fixed(0.0)),
                ..FunctionOptions::default()
            };
            (options, None)
        });
        predicate
    }

    /// Returns the atom whose value is a number computed from terms.
    fn value_atom(&mut self, number: &Number, span: Span) -> Atom {
        let mut terms: Vec<Term> = Vec::new();
        for term in number.terms() {
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
        let mut value = number.clone();
        for term in value.terms_mut() {
            let column = terms.iter().position(|other| other == term).unwrap_or(0);
            *term = Term::Variable(VariableId(column as u32));
        }
        let predicate =
            self.auxiliary(&format!("value {}", value_text(&value, &self.vocabulary)), terms.len(), span);
        if let Some(known) = self.auxiliaries.get_mut(&predicate) {
            known.1 = Some(value);
        }
        Atom { predicate, terms }
    }

    /// Adds the rules that give the atoms of values: wherever the rest of the body holds. A variable that stands nowhere
    /// else may range over all numbers, as it does in NeuraLogic.
    fn value_rules(&mut self, body: &mut RuleBody<'_>, variables: &Variables, may_range: bool) {
        let values = std::mem::take(&mut body.values);
        let is_value = |at: &usize| values.iter().any(|value| value.0 == *at);
        let others = (0..body.inputs.len()).filter(|at| !is_value(at)).map(|at| body.inputs[at].atom.clone());
        let guards: Vec<Atom> = others.chain(body.guards.iter().cloned()).collect();
        for (at, number) in &values {
            let at = *at;
            let (head, span) = (body.inputs[at].atom.clone(), body.inputs[at].span);
            let is_bound = |variable: &VariableId| guards.iter().any(|guard| guard.has_variable(*variable));
            let unbound = head.variables().find(|variable| !is_bound(variable));
            if let Some(variable) = unbound.filter(|_| !may_range) {
                let name = &variables.names[variable.index()];
                let message = format!("the variable `{name}` is not bound: it stands only in a value");
                let help = format!("add a literal that says what `{name}` ranges over");
                self.report(Diagnostic::error("E0301", span, message).help(help));
                continue;
            }
            let is_number = Condition::Arithmetic(Comparison::Equal, number.clone(), number.clone());
            let mut conditions = body.conditions.clone();
            conditions.extend(unbound.map(|_| is_number));
            let own = RuleBody { guards: guards.clone(), conditions, ..RuleBody::default() };
            let names = Variables { names: variables.names.clone() };
            self.auxiliary_rule(head, own, names, span);
        }
    }

    pub fn number(&mut self, number: &NumberExpr, variables: &mut Variables) -> Number {
        match number {
            NumberExpr::Term(term) => Number::Term(self.term(term, variables)),
            NumberExpr::Operation(operator, parts) => {
                Number::Operation(*operator, parts.iter().map(|part| self.number(part, variables)).collect())
            }
        }
    }

    fn conditions(&mut self, part: &BodyExpr, variables: &mut Variables, body: &mut RuleBody<'_>) {
        match &part.kind {
            BodyKind::Compare(comparison, left, right) => {
                let (left, right) = (self.term(left, variables), self.term(right, variables));
                body.conditions.push(Condition::Compare(*comparison, left, right));
            }
            BodyKind::Arithmetic(comparison, left, right) => {
                let (left, right) = (self.number(left, variables), self.number(right, variables));
                body.conditions.push(Condition::Arithmetic(*comparison, left, right));
            }
            BodyKind::AllDiff(terms) => {
                let terms: Vec<Term> = if terms.is_empty() {
                    let named = (0..variables.names.len()).filter(|&number| &*variables.names[number] != "_");
                    named.map(|number| Term::Variable(VariableId(number as u32))).collect()
                } else {
                    terms.iter().map(|term| self.term(term, variables)).collect()
                };
                for (position, &left) in terms.iter().enumerate() {
                    for &right in &terms[position + 1..] {
                        body.conditions.push(Condition::Compare(Comparison::NotEqual, left, right));
                    }
                }
            }
            BodyKind::BuiltIn(name, terms) => self.built_in(name, terms, part.place.0, variables, body),
            BodyKind::Function(_) => {}
        }
    }

    fn built_in(
        &mut self,
        name: &str,
        exprs: &[TermExpr],
        span: Span,
        variables: &mut Variables,
        body: &mut RuleBody<'_>,
    ) {
        let terms: Vec<Term> = exprs.iter().map(|term| self.term(term, variables)).collect();
        let term = |at: usize| Number::Term(terms[at]);
        let equal = |result: Number, operator, left: Number, right: Number| {
            Condition::Arithmetic(Comparison::Equal, result, Number::Operation(operator, vec![left, right]))
        };
        match name {
            "next" => {
                let one = Number::Term(Term::Constant(self.vocabulary.number(1.0)));
                body.conditions.push(equal(term(1), Operator::Plus, term(0), one));
            }
            "add" => body.conditions.push(equal(term(2), Operator::Plus, term(0), term(1))),
            "sub" => body.conditions.push(equal(term(2), Operator::Minus, term(0), term(1))),
            "mod" => body.conditions.push(equal(term(2), Operator::Modulo, term(0), term(1))),
            "maxcard" => body.conditions.push(Condition::MostDifferent(terms)),
            "type" => {
                let predicate = self.predicate(TYPES, 2, span);
                body.guards.push(Atom { predicate, terms });
            }
            "in" if terms[1..].iter().any(|term| term.variable().is_some()) => {
                body.conditions.push(Condition::Among(terms));
            }
            "in" => {
                let listed: Vec<String> = exprs[1..].iter().map(term_text).collect();
                let predicate = self.auxiliary(&format!("in {}", listed.join(", ")), 1, span);
                for &member in &terms[1..] {
                    let atom = Atom { predicate, terms: vec![member] };
                    let fact = crate::template::Fact { atom, weight: None, variables: Vec::new(), span };
                    if !self.facts.iter().any(|known| known.atom == fact.atom) {
                        self.facts.push(fact);
                    }
                }
                body.guards.push(Atom { predicate, terms: vec![terms[0]] });
            }
            "false" => {
                let one = Term::Constant(self.vocabulary.number(1.0));
                body.conditions.push(Condition::Compare(Comparison::NotEqual, one, one));
            }
            _ => {} // `@true`
        }
    }
}

/// Returns a number as text, its columns as X1, X2, ...
fn value_text(number: &Number, vocabulary: &Vocabulary) -> String {
    match number {
        Number::Term(Term::Variable(column)) => format!("X{}", column.0 + 1),
        Number::Term(Term::Constant(constant)) => vocabulary.constant(*constant).to_string(),
        Number::Operation(operator, parts) => {
            let parts: Vec<String> = parts.iter().map(|part| value_text(part, vocabulary)).collect();
            format!("{operator:?}({})", parts.join(", "))
        }
    }
}

fn push_input<'a>(
    body: &mut RuleBody<'a>,
    weight: Option<&'a WeightExpr>,
    atom: Atom,
    negated: bool,
    span: Span,
) -> u32 {
    let number = body.inputs.len() as u32;
    body.inputs.push(Input { atom, weight: None, negated, span });
    body.weights.push(weight);
    body.graph.push(FunctionNode::Input(number))
}

fn combined(body: &mut RuleBody<'_>, combination: Combination, nodes: Vec<u32>) -> Option<u32> {
    (!nodes.is_empty()).then(|| body.graph.push(FunctionNode::Combined(combination, nodes)))
}

/// Returns the clause with variables that only name a number, `D = T2 - T1`, replaced by it, where they stand in
/// nothing but comparisons and values.
pub(super) fn inlined(clause: &Clause) -> Option<Clause> {
    let mut clause = clause.clone();
    let mut changed = false;
    loop {
        let found = clause.body.iter().enumerate().find_map(|(at, part)| {
            let BodyKind::Arithmetic(Comparison::Equal, left, right) = &part.kind else { return None };
            let (name, number) = match (left, right) {
                (NumberExpr::Term(term), number) | (number, NumberExpr::Term(term)) => (term, number),
                _ => return None,
            };
            let TermKind::Variable(name) = &name.kind else { return None };
            (!is_in(name, number) && is_named_only(name, &clause, at))
                .then(|| (at, name.clone(), number.clone()))
        });
        let Some((at, name, number)) = found else { break };
        clause.body.remove(at);
        clause.body.iter_mut().for_each(|part| replace(part, &name, &number));
        changed = true;
    }
    changed.then_some(clause)
}

fn is_in(name: &str, number: &NumberExpr) -> bool {
    number.terms().iter().any(|term| term.is_variable(name))
}

/// Returns whether a variable stands in comparisons and values, and nowhere else.
fn is_named_only(name: &str, clause: &Clause, but: usize) -> bool {
    let in_terms = |terms: &[TermExpr]| terms.iter().any(|term| term.is_variable(name));
    let in_weight = |weight: &WeightExpr| weight.index_terms().any(|term| term.is_variable(name));
    let mut used = false;
    for part in clause.body.iter().enumerate().filter(|(at, _)| *at != but).map(|(_, part)| part) {
        match &part.kind {
            BodyKind::Compare(_, left, right) => used |= left.is_variable(name) || right.is_variable(name),
            BodyKind::Arithmetic(_, left, right) => used |= is_in(name, left) || is_in(name, right),
            BodyKind::AllDiff(terms) | BodyKind::BuiltIn(_, terms) => {
                if in_terms(terms) {
                    return false;
                }
            }
            BodyKind::Function(function) => {
                used |= function.numbers().into_iter().any(|number| is_in(name, number));
                let weights = function.weights();
                if function.literals().iter().any(|(.., atom)| in_terms(&atom.terms))
                    || weights.into_iter().any(in_weight)
                {
                    return false;
                }
            }
        }
    }
    used && !in_terms(&clause.head.terms) && !clause.weight.as_ref().is_some_and(in_weight)
}

fn replace(part: &mut BodyExpr, name: &str, number: &NumberExpr) {
    match &mut part.kind {
        BodyKind::Compare(comparison, left, right) if left.is_variable(name) || right.is_variable(name) => {
            let mut sides = [left, right].map(|side| NumberExpr::Term(side.clone()));
            sides.iter_mut().for_each(|side| replace_in(side, name, number));
            let [left, right] = sides;
            part.kind = BodyKind::Arithmetic(*comparison, left, right);
        }
        BodyKind::Arithmetic(_, left, right) => {
            replace_in(left, name, number);
            replace_in(right, name, number);
        }
        BodyKind::Function(function) => {
            function.numbers_mut().into_iter().for_each(|value| replace_in(value, name, number));
        }
        _ => {}
    }
}

fn replace_in(place: &mut NumberExpr, name: &str, number: &NumberExpr) {
    match place {
        NumberExpr::Term(term) if term.is_variable(name) => *place = number.clone(),
        NumberExpr::Term(_) => {}
        NumberExpr::Operation(_, parts) => parts.iter_mut().for_each(|part| replace_in(part, name, number)),
    }
}
