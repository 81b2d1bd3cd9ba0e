//! From trees to a template: names become ids, the family fills in the functions, and everything that can be said
//! before any data is said.

mod body;
mod clause;
mod functions;
mod meaning;
mod range;
mod settings;
mod weights;

use std::collections::BTreeMap;

use self::functions::{Defaults, FunctionOptions, PredicateOptions};
use self::weights::{NamedWeights, new_weight};
use super::{Fact, Number, Offset, Predicate, Rule, Template, Weight, WeightId, check, order, shapes};
use crate::diagnostic::{Diagnostic, Severity, Sources, Span};
use crate::function::{Combiner, Family, FunctionGraph};
use crate::syntax::ast::{Item, ItemKind, WeightValue};
use crate::vocabulary::{PredicateId, Vocabulary};

/// Options of resolving a template.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The family, instead of the one the template names.
    pub family: Option<&'static Family>,
    /// True if the strict order of predicates that the paper asks for must hold.
    pub strict: bool,
}

impl Template {
    /// Resolves the sentences of a template, its imports already replaced by what they name. The template is
    /// there if no diagnostic is an error.
    pub fn resolve(items: &[Item], options: Options) -> (Option<Self>, Vec<Diagnostic>) {
        let mut resolver = Resolver::default();
        let defaults = resolver.defaults(items, options.family);
        resolver.named = NamedWeights::collect(items, &mut resolver.diagnostics);
        let named = resolver.predicate_options(items, defaults.family);
        for item in items {
            match &item.kind {
                ItemKind::Clause(clause) => resolver.clause(clause, item.place.0, &defaults, &named),
                ItemKind::Import(path) => resolver.import(path, item.place.0),
                ItemKind::Use(used) => resolver.import(&used.name, item.place.0),
                ItemKind::Predicate(_) | ItemKind::Directive(_) => {}
            }
        }
        resolver.finish(&defaults, named, options)
    }

    /// Returns the same template with the shapes that data gives to its predicates (by id), checked anew.
    pub fn with_data_shapes(mut self, data: &[Option<shapes::DataShape>]) -> Result<Self, Vec<Diagnostic>> {
        let mut diagnostics = Vec::new();
        shapes::infer(&mut self, Some(data), &mut diagnostics);
        if diagnostics.is_empty() { Ok(self) } else { Err(diagnostics) }
    }
}

#[derive(Default)]
struct Resolver {
    vocabulary: Vocabulary,
    rules: Vec<Rule>,
    facts: Vec<Fact>,
    weights: Vec<Weight>,
    named: NamedWeights,
    /// First place of each predicate, by id.
    spans: Vec<Span>,
    /// The meanings of the clauses so far, and where each stands.
    seen: BTreeMap<String, Span>,
    diagnostics: Vec<Diagnostic>,
    /// The predicates that the text does not have, with their functions and, where terms give it, their value.
    auxiliaries: BTreeMap<PredicateId, (FunctionOptions, Option<Number>)>,
}

impl Resolver {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn import(&mut self, path: &str, span: Span) {
        let message = format!("`{path}` cannot be imported here: this text was not read from a file");
        self.report(
            Diagnostic::error("E0119", span, message).help("read the template with `lrnn_io::read_template`"),
        );
    }

    fn predicate(&mut self, name: &str, arity: usize, span: Span) -> PredicateId {
        let id = self.vocabulary.predicate(name, arity);
        if id.index() == self.spans.len() {
            self.spans.push(span);
        }
        id
    }

    fn weight(&mut self, weight: Weight) -> WeightId {
        self.weights.push(weight);
        WeightId(self.weights.len() as u32 - 1)
    }

    fn finish(
        mut self,
        defaults: &Defaults,
        named: PredicateOptions,
        options: Options,
    ) -> (Option<Template>, Vec<Diagnostic>) {
        let predicates = self.predicates(defaults, named);
        let mut template = Template {
            sources: Sources::default(),
            asked_family: options.family.map(|family| family.name),
            strata: order::strata(&self.rules, predicates.len()),
            vocabulary: self.vocabulary,
            family: defaults.family,
            rules: self.rules,
            facts: self.facts,
            weights: self.weights,
            predicates,
            default_predicate: defaults.predicate(),
            recursion: defaults.recursion,
        };
        let mut diagnostics = self.diagnostics;
        order::check(&template, options.strict, &mut diagnostics);
        check::check(&template, &mut diagnostics);
        shapes::infer(&mut template, None, &mut diagnostics);
        diagnostics.sort_by_key(|diagnostic| (diagnostic.span().source, diagnostic.span().start));
        let failed = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        ((!failed).then_some(template), diagnostics)
    }

    fn predicates(&mut self, defaults: &Defaults, mut named: PredicateOptions) -> Vec<Predicate> {
        let mut is_head = vec![false; self.vocabulary.predicate_count()];
        let mut has_facts = is_head.clone();
        self.rules.iter().for_each(|rule| is_head[rule.head.predicate.index()] = true);
        self.facts.iter().for_each(|fact| has_facts[fact.atom.predicate.index()] = true);
        let mut predicates = Vec::new();
        for number in 0..is_head.len() {
            let id = PredicateId(number as u32);
            let auxiliary = self.auxiliaries.remove(&id);
            let is_auxiliary = auxiliary.is_some();
            let (given, value) = auxiliary.unwrap_or_else(|| (named.remove(&id).unwrap_or_default(), None));
            let mut predicate = Predicate { value, ..defaults.predicate() };
            predicate.is_head = is_head[number];
            predicate.has_facts = has_facts[number];
            predicate.span = self.spans[number];
            if !predicate.is_head && !is_auxiliary {
                self.check_use_of(&given, number, defaults.family);
            }
            let learned = predicate.is_head
                && defaults.family.atom.learned
                && given.combination.is_none()
                && given.transformation.is_none();
            if let Some(offset) = given.offset {
                predicate.offset = offset;
            } else if learned {
                let own = self.own_offset(number, defaults.family.atom.offset, predicate.span);
                predicate.offset = Offset::Weight(own);
            }
            let combination = given.combination.unwrap_or(defaults.family.atom.combination);
            predicate.combination = match given.transformation {
                Some(transformation) => {
                    Combiner::Graph(FunctionGraph::transformed(transformation, combination))
                }
                None => combination.into(),
            };
            predicate.activation = given.activation.unwrap_or(predicate.activation);
            predicates.push(predicate);
        }
        predicates
    }

    /// Options of a predicate that no rule has as its head.
    fn check_use_of(&mut self, given: &FunctionOptions, predicate: usize, family: &Family) {
        let Some(span) = given.place.filter(|_| given.has_no_use(family)) else { return };
        let signature = self.vocabulary.signature(PredicateId(predicate as u32));
        let message = format!("options of `{signature}` have no effect: no rule has it as its head");
        let help = "an aggregation belongs to rules; and facts that enter as their values meet no function";
        self.report(Diagnostic::warning("W0202", span, message).help(help));
    }

    fn own_offset(&mut self, predicate: usize, start: f64, span: Span) -> WeightId {
        let signature = self.vocabulary.signature(PredicateId(predicate as u32));
        let name = format!("offset of {signature}");
        let weight = new_weight(Some(&name), Some(&WeightValue::Number(start)), false, span);
        self.weight(Weight { is_own_offset: true, ..weight })
    }
}
