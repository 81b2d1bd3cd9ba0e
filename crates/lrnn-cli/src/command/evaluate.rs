//! The values of the atoms that are asked for, in one example: by the fast network, or neuron by neuron.

use lrnn::data::Query;
use lrnn::diagnostic::{Diagnostic, Span};
use lrnn::function::{Real, Shape};
use lrnn::ground::{Grounding, Limits, Plans, Statistics, ground};
use lrnn::network::{
    BuildOptions, Builder, NetworkError, Networks, NeuronCounts, NeuronKind, Reference, Schedule, Weights,
    Workspace,
};
use lrnn::template::Template;

use super::pattern::Pattern;
use crate::failure::{Failure, NUMBERS, TEXT};
use crate::load::Loaded;

const NOT_FINITE: &str = "a number grew too large, or a function met a value it is not defined for, as log does at 0; \
    look at the weights and functions on the way there, and try --precision f64 if it was f32";

/// What was found in one example.
pub struct Found {
    /// The atoms with their values.
    pub atoms: Vec<(String, Vec<f64>, Shape)>,
    /// What was asked for but is not in the model.
    pub unentailed: Vec<String>,
    /// The neurons of the whole network.
    pub counts: NeuronCounts,
}

/// What evaluates: a template with data, and its weights.
pub struct Evaluator<'a> {
    pub loaded: &'a Loaded,
    pub schedule: Schedule,
    pub weights: Weights,
    pub patterns: Vec<Pattern>,
    /// Whether to go neuron by neuron.
    pub reference: bool,
}

type Values = Vec<Vec<f64>>;

impl Evaluator<'_> {
    /// The values of all atoms of the example that are asked for.
    pub fn evaluate<R: Real>(&self, example: usize, grounding: &Grounding) -> Result<Found, Failure> {
        let (wanted, mut unentailed) = self.wanted(grounding);
        let vocabulary = &self.loaded.dataset.vocabulary;
        for query in &self.loaded.dataset.queries[example] {
            if grounding.relations[query.predicate.index()].find(&query.terms).is_none() {
                unentailed.push(vocabulary.atom_text(query.predicate, &query.terms));
            }
        }
        unentailed.sort();
        unentailed.dedup();
        let fast = if self.reference { None } else { self.fast::<R>(example, grounding, &wanted) };
        // What is not finite is found again neuron by neuron, to say where it began.
        let values = match fast {
            Some(values) => values,
            None => self.by_reference::<R>(example, grounding, &wanted)?,
        };
        let shape = |query: &Query| {
            self.loaded.template.predicates[query.predicate.index()].shape.unwrap_or(Shape::NUMBER)
        };
        let atoms = wanted.iter().zip(values).map(|(query, numbers)| {
            (vocabulary.atom_text(query.predicate, &query.terms), numbers, shape(query))
        });
        Ok(Found { atoms: atoms.collect(), unentailed, counts: NeuronCounts::of(grounding) })
    }

    /// The atoms of the model that match a pattern, or all, and the patterns of atoms outside it.
    fn wanted(&self, grounding: &Grounding) -> (Vec<Query>, Vec<String>) {
        let mut wanted = Vec::new();
        let mut matched = vec![false; self.patterns.len()];
        for (predicate, _) in self.loaded.dataset.vocabulary.predicates() {
            let relation = &grounding.relations[predicate.index()];
            for row in 0..relation.len() as u32 {
                let terms = relation.row(row);
                let mut is_wanted = self.patterns.is_empty();
                for (pattern, matched) in self.patterns.iter().zip(&mut matched) {
                    let is_it = pattern.predicate == predicate && pattern.matches(terms);
                    is_wanted |= is_it;
                    *matched |= is_it;
                }
                if is_wanted {
                    let (target, span) = (None, Default::default());
                    wanted.push(Query { predicate, terms: terms.to_vec(), target, span });
                }
            }
        }
        let missed =
            self.patterns.iter().zip(matched).filter(|(pattern, matched)| pattern.is_ground() && !matched);
        (wanted, missed.map(|(pattern, _)| pattern.text.clone()).collect())
    }

    /// By the fast network; `None` if something is not finite.
    fn fast<R: Real>(&self, example: usize, grounding: &Grounding, wanted: &[Query]) -> Option<Values> {
        let (template, dataset) = (&self.loaded.template, &self.loaded.dataset);
        let mut builder = Builder::new(template, &self.schedule, BuildOptions::default());
        builder.add(&dataset.examples[example], grounding, wanted);
        let networks = Networks::bind(template, vec![builder.finish()]);
        let parameters = networks.parameters.values::<R>(template, &dataset.vocabulary, &self.weights);
        let mut space = Workspace::default();
        let network = &networks.networks[0];
        network.forward(&self.schedule, &parameters, &mut space);
        let value =
            |query| space.output(network, query).map(|value| value.iter().map(|x| x.to_f64()).collect());
        if space.is_finite() { (0..wanted.len()).map(value).collect() } else { None }
    }

    fn by_reference<R: Real>(
        &self,
        example: usize,
        grounding: &Grounding,
        wanted: &[Query],
    ) -> Result<Values, Failure> {
        let (template, dataset) = (&self.loaded.template, &self.loaded.dataset);
        let message = |error: &NetworkError| format!("example {}: {error}", dataset.example_name(example));
        let vocabulary = &dataset.vocabulary;
        let network = Reference::build(template, vocabulary, &dataset.examples[example], grounding)
            .map_err(|error| Failure::new(TEXT, message(&error)))?;
        let values = network.evaluate::<R>(template, vocabulary, &self.weights).map_err(|error| {
            let NetworkError::NotFinite(neuron, _) = &error else {
                return Failure::new(TEXT, message(&error));
            };
            let place = place_of(neuron, template);
            let diagnostic = Diagnostic::error("N0101", place, message(&error)).help(NOT_FINITE);
            Failure::at(NUMBERS, &diagnostic, &self.loaded.sources)
        })?;
        let value = |query: &Query| {
            let row = grounding.relations[query.predicate.index()].find(&query.terms);
            let value = row.and_then(|row| network.value_of(&values, query.predicate, row));
            value.map_or_else(Vec::new, |(numbers, _)| numbers.iter().map(|x| x.to_f64()).collect())
        };
        Ok(wanted.iter().map(value).collect())
    }
}

/// The failure of the first neuron of an example that has no finite value, if there is one.
pub fn first_not_finite<R: Real>(loaded: &Loaded, weights: &Weights, example: usize) -> Option<Failure> {
    let schedule = Schedule::new(&loaded.template).ok()?;
    let plans = Plans::new(&loaded.template, &Statistics::of(&loaded.dataset));
    let facts = &loaded.dataset.examples[example];
    let limits = Limits::default();
    let grounding = ground(&loaded.template, &plans, &loaded.dataset.vocabulary, facts, &limits).ok()?;
    let (weights, patterns) = (weights.clone(), Vec::new());
    let evaluator = Evaluator { loaded, schedule, weights, patterns, reference: true };
    evaluator.by_reference::<R>(example, &grounding, &[]).err()
}

/// The clause that gives a neuron its value.
fn place_of(neuron: &NeuronKind, template: &Template) -> Span {
    match neuron {
        NeuronKind::Rule(rule) | NeuronKind::Aggregation(rule) => template.rule(*rule).span,
        NeuronKind::Atom(predicate) => {
            let rule = template.rules.iter().find(|rule| rule.head.predicate == *predicate);
            rule.map_or(template.predicates[predicate.index()].span, |rule| rule.span)
        }
        NeuronKind::Fact => Span::default(),
    }
}
