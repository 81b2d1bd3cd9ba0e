//! Clauses of the lattice: their literals, one form for all clauses that are alike, and their text.

use std::hash::{Hash, Hasher};

use lrnn::vocabulary::Constant;
use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};

use crate::bias::Bias;
use crate::facts::FactIndex;

/// An argument of a literal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Argument {
    /// A variable; those of the head come first.
    Variable(u8),
    /// The rank of a constant.
    Value(u32),
}

/// A test of a literal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum LiteralKind {
    /// There is such a fact.
    Holds,
    /// There is no such fact.
    Absent,
    /// The first argument is at most the second, a number.
    AtMost,
    /// The first argument is at least the second, a number.
    AtLeast,
}

/// A literal of a clause.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct LatticeLiteral {
    /// Its test.
    pub kind: LiteralKind,
    /// The relation; that of a comparison has no meaning.
    pub relation: u32,
    /// The arguments.
    pub arguments: Box<[Argument]>,
}

impl LatticeLiteral {
    /// Returns a literal that asks for a fact.
    pub fn holds(relation: u32, arguments: impl Into<Box<[Argument]>>) -> Self {
        Self { kind: LiteralKind::Holds, relation, arguments: arguments.into() }
    }

    /// Returns its variables.
    pub fn variables(&self) -> impl Iterator<Item = u8> + '_ {
        self.arguments.iter().filter_map(|argument| match argument {
            Argument::Variable(variable) => Some(*variable),
            Argument::Value(_) => None,
        })
    }
}

/// A clause whose head is the predicate that is asked for. Variables are numbered, first those of the head.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct LatticeClause {
    /// The literals of the body.
    pub body: Vec<LatticeLiteral>,
    /// By variable: its type.
    pub types: Vec<u16>,
    /// The variable of which there must be several individuals for which the body holds, and how many at least.
    pub count: Option<(u8, u32)>,
}

/// So many orders of variables are compared to find the form of a clause; beyond, one clause may have two forms.
const MOST_ORDERS: usize = 720;

impl LatticeClause {
    /// Returns the clause without a body.
    pub fn root(head: &[u16]) -> Self {
        Self { body: Vec::new(), types: head.to_vec(), count: None }
    }

    /// Returns the clause with one more literal, whose new variables have these types.
    pub fn with(&self, literal: LatticeLiteral, new: &[u16]) -> Self {
        let mut clause = self.clone();
        clause.body.push(literal);
        clause.types.extend(new);
        clause
    }

    /// Returns the one form of all clauses that differ in the order of literals and the numbers of variables only.
    pub fn canonical(&self, head: usize) -> Self {
        let colours = self.colours(head);
        let mut order: Vec<u8> = (head as u8..self.types.len() as u8).collect();
        order.sort_by_key(|&variable| colours[variable as usize]);
        let mut best: Option<Self> = None;
        let mut left = MOST_ORDERS;
        orders(&mut order, 0, &colours, &mut left, &mut |order| {
            let found = self.renumbered(head, order);
            if best.as_ref().is_none_or(|best| found < *best) {
                best = Some(found);
            }
        });
        best.unwrap_or_else(|| self.renumbered(head, &order))
    }

    /// Returns a number for each variable that does not depend on its number.
    fn colours(&self, head: usize) -> Vec<u64> {
        let start = |(at, kind): (usize, &u16)| match self.count {
            _ if at < head => at as u64,
            Some((counted, _)) if counted as usize == at => 999,
            _ => 1000 + u64::from(*kind),
        };
        let mut colours: Vec<u64> = self.types.iter().enumerate().map(start).collect();
        for _ in 0..self.types.len().min(4) {
            let mut seen: Vec<Vec<u64>> = vec![Vec::new(); colours.len()];
            for literal in &self.body {
                let mut hasher = FxHasher::default();
                (literal.kind, literal.relation).hash(&mut hasher);
                for argument in &literal.arguments {
                    match argument {
                        Argument::Variable(variable) => colours[*variable as usize].hash(&mut hasher),
                        Argument::Value(value) => (u64::from(*value) << 32).hash(&mut hasher),
                    }
                }
                let whole = hasher.finish();
                for (at, argument) in literal.arguments.iter().enumerate() {
                    if let Argument::Variable(variable) = argument {
                        seen[*variable as usize].push(whole.rotate_left(at as u32 + 1));
                    }
                }
            }
            for (colour, mut seen) in colours.iter_mut().zip(seen) {
                seen.sort_unstable();
                let mut hasher = FxHasher::default();
                (*colour, seen).hash(&mut hasher);
                *colour = hasher.finish();
            }
        }
        colours
    }

    fn renumbered(&self, head: usize, order: &[u8]) -> Self {
        let mut number: Vec<u8> = (0..self.types.len() as u8).collect();
        order.iter().enumerate().for_each(|(at, &old)| number[old as usize] = (head + at) as u8);
        let mut types = self.types.clone();
        order.iter().enumerate().for_each(|(at, &old)| types[head + at] = self.types[old as usize]);
        let literal = |literal: &LatticeLiteral| {
            let argument = |argument: &Argument| match argument {
                Argument::Variable(variable) => Argument::Variable(number[*variable as usize]),
                Argument::Value(value) => Argument::Value(*value),
            };
            let arguments = literal.arguments.iter().map(argument).collect();
            LatticeLiteral { arguments, ..literal.clone() }
        };
        let mut body: Vec<LatticeLiteral> = self.body.iter().map(literal).collect();
        body.sort();
        let count = self.count.map(|(counted, least)| (number[counted as usize], least));
        Self { body, types, count }
    }

    /// Returns the literals so that each but the first shares a variable with those before it or with the head, as
    /// far as that is possible: new variables as late as can be.
    pub fn joined(&self, head: usize) -> Vec<&LatticeLiteral> {
        let mut bound = vec![false; self.types.len()];
        bound[..head].iter_mut().for_each(|bound| *bound = true);
        let mut left: Vec<&LatticeLiteral> = self.body.iter().collect();
        let mut order = Vec::with_capacity(left.len());
        while !left.is_empty() {
            let rank = |literal: &&LatticeLiteral| {
                let known = literal.variables().filter(|&variable| bound[variable as usize]).count();
                let new = literal.variables().count() - known;
                let is_test = literal.kind != LiteralKind::Holds;
                (is_test && new > 0, known == 0 && new > 0, new, usize::MAX - known)
            };
            let at = (0..left.len()).min_by_key(|&at| rank(&left[at])).unwrap_or(0);
            let literal = left.remove(at);
            literal.variables().for_each(|variable| bound[variable as usize] = true);
            order.push(literal);
        }
        order
    }

    /// Returns the pairs of variables that must have different values: two of one type of individuals, not both of the
    /// head.
    pub fn distinct_pairs(&self, head: usize, bias: &Bias) -> Vec<(u8, u8)> {
        let mut pairs = Vec::new();
        for second in head..self.types.len() {
            for first in 0..second {
                if self.types[first] == self.types[second] && bias.types[self.types[first] as usize].distinct
                {
                    pairs.push((first as u8, second as u8));
                }
            }
        }
        pairs
    }

    /// Returns the clause as a rule of the language, without weight and full stop. A clause that counts is a rule about
    /// each of those that are counted, with one more term in its head.
    pub fn text(&self, facts: &FactIndex, bias: &Bias) -> String {
        let mut names = ClauseNames::new(self, bias);
        let body = names.body(facts);
        let mut head = names.head();
        head.extend(self.count.map(|(counted, _)| names.name(counted)));
        let atom = match self.count {
            None => facts.head_text(&head),
            Some(_) => format!("{}({})", facts.goal_name, head.join(", ")),
        };
        if body.is_empty() { atom } else { format!("{atom} :- {body}") }
    }

    /// Returns the clause as a soft rule: literals that have a name of a group are of that group, and the others hold or
    /// do not.
    pub(crate) fn soft_text(
        &self,
        facts: &FactIndex,
        bias: &Bias,
        group: &dyn Fn(&LatticeLiteral) -> Option<String>,
    ) -> String {
        let mut names = ClauseNames::new(self, bias);
        let body = names.body_of(&mut |names, literal| match group(literal) {
            Some(name) => {
                let variables: Vec<u8> = literal.variables().collect();
                let variables: Vec<String> = variables.into_iter().map(|at| names.name(at)).collect();
                format!("{name}({})", variables.join(", "))
            }
            None if literal.kind == LiteralKind::Holds => format!("*{}", names.literal(literal, facts)),
            None => names.literal(literal, facts),
        });
        format!("{} :- {body}", facts.head_text(&names.head()))
    }

    /// Returns the clause as a rule of a template. What one that counts needs is defined by sentences, under names that
    /// end in a label.
    pub fn rule_text(&self, facts: &FactIndex, bias: &Bias, label: &str) -> RuleText {
        let Some((variable, least)) = self.count else {
            return RuleText { rule: self.text(facts, bias), ..RuleText::default() };
        };
        let mut names = ClauseNames::new(self, bias);
        let body = names.body(facts);
        let head = names.head();
        let counted = names.name(variable);
        if least == 2 && self.body.len() <= MOST_TWICE {
            let mut again = ClauseNames::new(self, bias);
            again.next = names.next;
            let body = format!("{body}, {}, {counted} != {}", again.body(facts), again.name(variable));
            let rule = format!("{} :- {body}", facts.head_text(&head));
            return RuleText { rule, ..RuleText::default() };
        }
        let own: Vec<&str> = head.iter().map(String::as_str).filter(|name| !name.starts_with('_')).collect();
        let atom = |name: &str, terms: &[&str]| match terms {
            [] => format!("{name}_{label}"),
            _ => format!("{name}_{label}({})", terms.join(", ")),
        };
        let many = facts.free_name("many");
        let many_atom = atom(&many, &own);
        let offset = 0.5 - f64::from(least);
        let mut definitions =
            vec![format!("{many}_{label}/{} [activation = sum-step, offset = <{offset}>].", own.len())];
        let mut matches = body;
        // What has other variables, too, holds of one individual in several ways.
        if (bias.head.len()..self.types.len()).any(|at| at != variable as usize) {
            let atom = atom(&facts.free_name("match"), &[&own[..], &[counted.as_str()]].concat());
            definitions.push(format!("{atom} :- {matches}."));
            matches = atom;
        }
        definitions.push(format!("<1> :: {many_atom} :- {matches}. [aggregation = count]"));
        let rule = format!("{} :- {many_atom}", facts.head_text(&head));
        RuleText { definitions, rule, count: Some((counted, least)) }
    }
}

/// A body of so many literals at most is written twice where two individuals are asked for.
const MOST_TWICE: usize = 2;

/// A clause as it stands in a template.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RuleText {
    /// Whole sentences that define what the rule speaks of.
    pub definitions: Vec<String>,
    /// The rule, without weight and full stop.
    pub rule: String,
    /// The variable that is counted, and how many individuals there must be.
    pub count: Option<(String, u32)>,
}

/// The names of the variables of a clause, in the order in which a reader meets them.
struct ClauseNames<'a> {
    clause: &'a LatticeClause,
    head: usize,
    pairs: Vec<(u8, u8)>,
    uses: Vec<usize>,
    names: Vec<Option<String>>,
    next: usize,
}

impl<'a> ClauseNames<'a> {
    fn new(clause: &'a LatticeClause, bias: &Bias) -> Self {
        let head = bias.head.len();
        let pairs = clause.distinct_pairs(head, bias);
        let mut uses = vec![0; clause.types.len()];
        clause.body.iter().flat_map(LatticeLiteral::variables).for_each(|at| uses[at as usize] += 1);
        let counted = clause.count.map(|(counted, _)| counted);
        let pairs_variables = pairs.iter().flat_map(|&(one, other)| [one, other]);
        pairs_variables.chain(counted).for_each(|at| uses[at as usize] += 1);
        let mut names = Self { clause, head, pairs, uses, names: vec![None; clause.types.len()], next: 0 };
        (0..head).for_each(|at| drop(names.name(at as u8)));
        names
    }

    fn name(&mut self, at: u8) -> String {
        if self.names[at as usize].is_none() {
            self.names[at as usize] = Some(variable_name(self.next));
            self.next += 1;
        }
        self.names[at as usize].clone().unwrap_or_default()
    }

    /// Returns the terms of the head; those that the body does not speak of begin with `_`.
    fn head(&mut self) -> Vec<String> {
        let mut names = Vec::with_capacity(self.head);
        for at in 0..self.head {
            let name = self.name(at as u8);
            names.push(if self.uses[at] == 0 { format!("_{name}") } else { name });
        }
        names
    }

    fn argument(&mut self, argument: Argument, facts: &FactIndex) -> String {
        match argument {
            Argument::Value(value) => facts.constants[value as usize].to_string(),
            Argument::Variable(at) if at as usize >= self.head && self.uses[at as usize] == 1 => {
                "_".to_owned()
            }
            Argument::Variable(at) => self.name(at),
        }
    }

    fn literal(&mut self, literal: &LatticeLiteral, facts: &FactIndex) -> String {
        let arguments: Vec<String> =
            literal.arguments.iter().map(|&argument| self.argument(argument, facts)).collect();
        let sign = match literal.kind {
            LiteralKind::AtMost => return arguments.join(" =< "),
            LiteralKind::AtLeast => return arguments.join(" >= "),
            LiteralKind::Holds => "",
            LiteralKind::Absent => "not ",
        };
        let name = &facts.relations[literal.relation as usize].name;
        if arguments.is_empty() {
            format!("{sign}{name}")
        } else {
            format!("{sign}{name}({})", arguments.join(", "))
        }
    }

    fn body(&mut self, facts: &FactIndex) -> String {
        self.body_of(&mut |names, literal| names.literal(literal, facts))
    }

    fn body_of(&mut self, text: &mut dyn FnMut(&mut Self, &LatticeLiteral) -> String) -> String {
        let clause = self.clause;
        let mut parts: Vec<String> =
            clause.joined(self.head).into_iter().map(|literal| text(self, literal)).collect();
        for group in different(&self.pairs.clone()) {
            let names: Vec<String> = group.iter().map(|&at| self.name(at)).collect();
            parts.push(match &names[..] {
                [one, other] => format!("{one} != {other}"),
                _ => format!("@alldiff({})", names.join(", ")),
            });
        }
        parts.join(", ")
    }
}

/// Returns pairs as groups of which all are different.
fn different(pairs: &[(u8, u8)]) -> Vec<Vec<u8>> {
    let mut left = pairs.to_vec();
    let mut groups = Vec::new();
    while let Some(&(first, second)) = left.first() {
        let mut group = vec![first, second];
        let last = left.iter().map(|pair| pair.1).max().unwrap_or(0);
        for next in second + 1..=last {
            if group.iter().all(|&one| left.contains(&(one, next))) {
                group.push(next);
            }
        }
        left.retain(|(one, other)| !(group.contains(one) && group.contains(other)));
        groups.push(group);
    }
    groups
}

/// Returns A, B, ..., Z, A1, ...
fn variable_name(number: usize) -> String {
    let letter = char::from(b'A' + (number % 26) as u8);
    if number < 26 { letter.to_string() } else { format!("{letter}{}", number / 26) }
}

/// Calls for each order of variables in which those of equal colour change places.
fn orders(order: &mut [u8], at: usize, colours: &[u64], left: &mut usize, call: &mut dyn FnMut(&[u8])) {
    if at >= order.len() {
        call(order);
        *left = left.saturating_sub(1);
        return;
    }
    for other in at..order.len() {
        if *left == 0 || colours[order[other] as usize] != colours[order[at] as usize] {
            continue;
        }
        order.swap(at, other);
        orders(order, at + 1, colours, left, call);
        order.swap(at, other);
    }
}

/// Returns a constant as a number, if it is one.
pub(crate) fn number(constant: &Constant) -> Option<f64> {
    match constant {
        Constant::Integer(integer) => Some(*integer as f64),
        Constant::Number(number) => Some(*number),
        Constant::Name(_) => None,
    }
}

/// Tells whether a constant is a day, and perhaps a time of it: names in the order of time.
pub(crate) fn is_date(constant: &Constant) -> bool {
    let Constant::Name(name) = constant else { return false };
    let shape: String = name.chars().take(10).map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape == "0000-00-00" && name[10..].chars().next().is_none_or(|c| c == 'T' || c == ' ')
}
