//! What a clause means, whatever its spelling: the same clause with the same weight is one clause.

use crate::template::{Atom, Condition, Fact, Offset, Rule, Start, Term, VariableId, Weight, WeightUse};

/// Returns the meaning of a rule as text: equal for rules that mean the same. `None` where a weight of its own, which
/// starts at random, makes it another rule than any.
pub(super) fn of_rule(rule: &Rule, weights: &[Weight]) -> Option<String> {
    let mut meaning = ClauseNumbering { weights, variables: Vec::new() };
    let head = meaning.atom(&rule.head);
    let mut inputs = Vec::new();
    for input in &rule.inputs {
        inputs.push((meaning.atom(&input.atom), meaning.weight(input.weight.as_ref())?, input.negated));
    }
    let guards: Vec<Atom> = rule.guards.iter().map(|guard| meaning.atom(guard)).collect();
    let conditions: Vec<Condition> =
        rule.conditions.iter().map(|condition| meaning.condition(condition)).collect();
    let weight = meaning.weight(rule.weight.as_ref())?;
    let functions = &rule.functions;
    let offset = match &functions.offset {
        Offset::Fixed(number) => meaning.fixed(*number),
        Offset::Weight(weight) => meaning.weight(Some(&WeightUse { weight: *weight, index: Vec::new() }))?,
    };
    let functions =
        (&functions.combination, functions.minus_inputs, functions.activation, functions.aggregation, offset);
    let kinds: Vec<usize> = rule.kinds.iter().map(|kind| kind.literal).collect();
    Some(format!("{:?}", (head, inputs, guards, conditions, weight, functions, kinds)))
}

/// Returns the same for a fact.
pub(super) fn of_fact(fact: &Fact, weights: &[Weight]) -> Option<String> {
    let mut meaning = ClauseNumbering { weights, variables: Vec::new() };
    Some(format!("{:?}", (meaning.atom(&fact.atom), meaning.weight(fact.weight.as_ref())?)))
}

/// Numbers the variables of a clause as they come.
struct ClauseNumbering<'a> {
    weights: &'a [Weight],
    variables: Vec<VariableId>,
}

impl ClauseNumbering<'_> {
    fn term(&mut self, term: Term) -> Term {
        let Term::Variable(variable) = term else { return term };
        let known = self.variables.iter().position(|&known| known == variable);
        let number = known.unwrap_or(self.variables.len());
        if known.is_none() {
            self.variables.push(variable);
        }
        Term::Variable(VariableId(number as u32))
    }

    fn atom(&mut self, atom: &Atom) -> Atom {
        let terms = atom.terms.iter().map(|&term| self.term(term)).collect();
        Atom { predicate: atom.predicate, terms }
    }

    fn condition(&mut self, condition: &Condition) -> Condition {
        let mut condition = condition.clone();
        condition.terms_mut().into_iter().for_each(|term| *term = self.term(*term));
        condition
    }

    fn fixed(&self, number: f64) -> String {
        format!("fixed [{number:?}]")
    }

    /// Returns the meaning of a weight: with a name it is itself, any other is its numbers.
    fn weight(&mut self, used: Option<&WeightUse>) -> Option<String> {
        let Some(used) = used else { return Some(self.fixed(1.0)) };
        let weight = &self.weights[used.weight.index()];
        if weight.name.is_some() {
            let index: Vec<Term> = used.index.iter().map(|&term| self.term(term)).collect();
            return Some(format!("{:?} {index:?}", used.weight));
        }
        match &weight.start {
            Start::Random => None,
            Start::Values(numbers) if weight.shape.is_number() && weight.fixed => {
                Some(self.fixed(numbers[0]))
            }
            Start::Values(numbers) => {
                let kind = if weight.fixed { "fixed" } else { "learned" };
                Some(format!("{kind} {numbers:?} {:?}", weight.shape))
            }
        }
    }
}
