//! The lifted template: facts, and a node for every predicate with variables of its own; edges go from body to head.

use super::{EdgeView, NetworkView, NodeKind, NodeView};
use crate::explain::concept::body_text;
use crate::model::weight_names;
use crate::network::Weights;
use crate::template::{Atom, Rule, Template, Term};
use crate::vocabulary::{PredicateId, Vocabulary};

/// Facts beyond this many are left out.
const MOST_FACTS: usize = 24;

/// Returns a template as the paper draws it, with the values of its weights.
pub fn template_view(template: &Template, weights: &Weights) -> NetworkView {
    let vocabulary = &template.vocabulary;
    let mut drawing =
        TemplateDrawing { template, used: Vec::new(), nodes: Vec::new(), view: NetworkView::default() };
    drawing.facts(vocabulary, weights);
    drawing.literals();
    for rule in &template.rules {
        drawing.edges(rule, weights);
    }
    let layers = drawing.view.nodes.iter().map(|node| node.layer + 1).max().unwrap_or(0);
    let title = |layer: usize| match layer {
        0 => "Facts",
        1 => "Rule-bodies",
        _ => "Rule-heads",
    };
    drawing.view.titles = (0..layers).map(|layer| title(layer).to_owned()).collect();
    drawing.view
}

/// A predicate that is drawn: its node, and the variables it got, by position.
struct PredicateNode {
    predicate: PredicateId,
    node: usize,
    terms: Vec<String>,
}

struct TemplateDrawing<'a> {
    template: &'a Template,
    /// The names of variables that are given away.
    used: Vec<String>,
    nodes: Vec<PredicateNode>,
    view: NetworkView,
}

impl TemplateDrawing<'_> {
    fn facts(&mut self, vocabulary: &Vocabulary, weights: &Weights) {
        let names = weight_names(self.template);
        for fact in self.template.facts.iter().take(MOST_FACTS) {
            let text = fact.atom.text(&fact.variables, vocabulary);
            let weight = fact.weight.as_ref().map(|used| {
                let numbers = weights.value(self.template, vocabulary, used.weight, &[]);
                (names[used.weight.index()].clone(), numbers)
            });
            let value = weight.as_ref().and_then(|(_, numbers)| numbers.first().copied());
            let about = weight.map_or_else(|| "a fact".to_owned(), |(name, _)| format!("weight: {name}"));
            let (kind, predicate) = (NodeKind::Fact, fact.atom.predicate.index());
            self.view.nodes.push(NodeView { kind, text, about, value, layer: 0, predicate });
        }
        self.view.folded = self.template.facts.len().saturating_sub(MOST_FACTS);
    }

    /// Draws a node for every predicate of a rule, after those it depends on.
    fn literals(&mut self) {
        let template = self.template;
        for predicate in template.strata.iter().flat_map(|stratum| &stratum.predicates) {
            let layer = self.layer(*predicate);
            let bodies = template.rules.iter().flat_map(|rule| rule.positive().map(move |atom| (rule, atom)));
            let heads = template.rules.iter().map(|rule| (rule, &rule.head));
            let named = bodies.chain(heads).find(|(_, atom)| atom.predicate == *predicate);
            let Some((rule, atom)) = named else { continue };
            let terms = self.variables(rule, atom, layer > 1);
            let text = self.template.vocabulary.atom_of(*predicate, terms.iter());
            let about = self.about(*predicate);
            let (kind, node) = (NodeKind::Literal, self.view.nodes.len());
            let predicate = *predicate;
            self.nodes.push(PredicateNode { predicate, node, terms });
            let index = predicate.index();
            self.view.nodes.push(NodeView { kind, text, about, value: None, layer, predicate: index });
        }
    }

    /// Returns one more than the layers of what enters; predicates of the data stand in layer 1.
    fn layer(&self, predicate: PredicateId) -> usize {
        let rules = self.template.rules.iter().filter(|rule| rule.head.predicate == predicate);
        let body = rules.flat_map(|rule| rule.positive().map(|atom| atom.predicate).collect::<Vec<_>>());
        let below =
            body.filter_map(|predicate| self.find(predicate).map(|drawn| self.view.nodes[drawn.node].layer));
        below.max().map_or(1, |layer| layer + 1)
    }

    fn find(&self, predicate: PredicateId) -> Option<&PredicateNode> {
        self.nodes.iter().find(|drawn| drawn.predicate == predicate)
    }

    /// Returns names for the variables of a node that no other node has; heads begin with H, as in the paper.
    fn variables(&mut self, rule: &Rule, atom: &Atom, is_head: bool) -> Vec<String> {
        let mut own: Vec<(String, String)> = Vec::new();
        let mut names = Vec::new();
        for term in &atom.terms {
            let Term::Variable(variable) = term else {
                names.push(term.text(&rule.variables, &self.template.vocabulary));
                continue;
            };
            let original = rule.variables.get(variable.index()).map_or("_", |name| name).to_owned();
            let known = own.iter().find(|(name, _)| *name == original && original != "_");
            let name = match known {
                Some((_, name)) => name.clone(),
                None => self.fresh(if is_head { "H" } else { &original }),
            };
            own.push((original, name.clone()));
            names.push(name);
        }
        names
    }

    /// Returns the name itself, or the next letters that are free, or the name with a number.
    fn fresh(&mut self, name: &str) -> String {
        let letter = name.bytes().next().filter(|first| name.len() == 1 && first.is_ascii_uppercase());
        let letters =
            letter.into_iter().flat_map(|first| first..=b'Z').map(|letter| char::from(letter).to_string());
        let numbered = (2..).map(|number| format!("{name}{number}"));
        let mut all = std::iter::once(name.to_owned()).chain(letters).chain(numbered);
        let free = all.find(|name| !self.used.contains(name)).unwrap_or_default();
        self.used.push(free.clone());
        free
    }

    /// Returns the rules that define a predicate, as text.
    fn about(&self, predicate: PredicateId) -> String {
        let vocabulary = &self.template.vocabulary;
        let rules = self.template.rules.iter().filter(|rule| rule.head.predicate == predicate);
        let text = |rule: &Rule| {
            format!("{} :- {}", rule.head.text(&rule.variables, vocabulary), body_text(rule, vocabulary))
        };
        let texts: Vec<String> = rules.map(text).collect();
        match texts.len() {
            0 => "from facts".to_owned(),
            count if count > 6 => format!("{}; and {} rules more", texts[..5].join("; "), count - 5),
            _ => texts.join("; "),
        }
    }

    /// Draws an edge from every literal of a body to the head, each once.
    fn edges(&mut self, rule: &Rule, weights: &Weights) {
        let names = weight_names(self.template);
        let Some(to) = self.find(rule.head.predicate).map(|drawn| drawn.node) else { return };
        for (position, atom) in rule.positive().enumerate() {
            let Some(from) = self.find(atom.predicate).map(|drawn| drawn.node) else { continue };
            let input = rule.inputs.get(position);
            let used = input.and_then(|input| input.weight.as_ref());
            let numbers = |used: &crate::template::WeightUse| match used.index.is_empty() {
                true => weights.value(self.template, &self.template.vocabulary, used.weight, &[]),
                false => Vec::new(),
            };
            let edge = EdgeView {
                from,
                to,
                weight: used.map_or_else(|| vec![1.0], numbers),
                name: used.map_or_else(String::new, |used| names[used.weight.index()].clone()),
                binding: self.binding(rule, atom),
                negated: input.is_some_and(|input| input.negated),
            };
            // Rules written out one by one would draw the same line again and again.
            if !self.view.edges.contains(&edge) {
                self.view.edges.push(edge);
            }
        }
    }

    /// Returns which variables of a literal and of the head must be equal.
    fn binding(&self, rule: &Rule, atom: &Atom) -> String {
        let (Some(from), Some(to)) = (self.find(atom.predicate), self.find(rule.head.predicate)) else {
            return String::new();
        };
        let mut equal: Vec<String> = Vec::new();
        for (term, name) in atom.terms.iter().zip(&from.terms) {
            for (other, head) in rule.head.terms.iter().zip(&to.terms) {
                if term == other && matches!(term, Term::Variable(_)) && name != head {
                    equal.push(format!("{name}={head}"));
                }
            }
        }
        equal.join(", ")
    }
}
