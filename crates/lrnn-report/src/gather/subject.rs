//! A model on data, to be looked at.

use lrnn::data::{Dataset, Query};
use lrnn::diagnostic::Sources;
use lrnn::explain::{Kept, Proof};
use lrnn::ground::Grounding;
use lrnn::model::Model;
use lrnn::network::{Initialisation, NetworkError, Parameters, Weights};
use lrnn::template::{RuleId, Template};
use lrnn::train::{Loss, Unentailed};
use lrnn::vocabulary::PredicateId;

/// A template with data and weights.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// What it is called where there are several.
    pub name: String,
    /// The template, fitted to the data.
    pub template: &'a Template,
    /// The data.
    pub dataset: &'a Dataset,
    /// The texts of the template, and maybe more.
    pub sources: &'a Sources,
    /// The model; none if weights are as they begin, or lost.
    pub model: Option<&'a Model>,
    /// The weights; what the model has not learned is 0, or what the template says.
    pub weights: Weights,
    /// The constants that count by their names.
    pub kept: Kept,
    /// What was made small.
    pub loss: Loss,
    /// What a query outside the model counts as.
    pub unentailed: Unentailed,
}

impl<'a> Subject<'a> {
    /// A model on data.
    pub fn new(template: &'a Template, dataset: &'a Dataset, sources: &'a Sources, model: &'a Model) -> Self {
        let mut weights = Weights::starting(0, Initialisation::Constant, 0.0);
        model.apply(template, &dataset.vocabulary, &Parameters::new(template), &mut weights);
        let lrnn::Meaning { loss, unentailed, .. } = model.meaning();
        let kept = Kept::new(template, &dataset.vocabulary, Some(model));
        let (name, model) = (String::new(), Some(model));
        Self { name, template, dataset, sources, model, weights, kept, loss, unentailed }
    }

    /// A template on data with its weights as they begin.
    pub fn beginning(
        template: &'a Template,
        dataset: &'a Dataset,
        sources: &'a Sources,
        weights: Weights,
    ) -> Self {
        let kept = Kept::new(template, &dataset.vocabulary, None);
        let (loss, unentailed) = (Loss::Squared, Unentailed::Value(0.0));
        Self { name: String::new(), template, dataset, sources, model: None, weights, kept, loss, unentailed }
    }

    /// The atom of a query in the model of its example, if it is there.
    pub fn root(query: &Query, grounding: &Grounding) -> Option<(PredicateId, u32)> {
        let row = grounding.relations.get(query.predicate.index())?.find(&query.terms)?;
        Some((query.predicate, row))
    }

    /// What stands behind some atoms of an example.
    pub fn proof<'b>(
        &'b self,
        example: usize,
        grounding: &'b Grounding,
        roots: &[(PredicateId, u32)],
    ) -> Result<Proof<'b>, NetworkError> {
        let facts = &self.dataset.examples[example];
        Proof::new(self.template, &self.dataset.vocabulary, facts, grounding, &self.weights, roots)
    }

    /// The atoms that the queries of an example ask for, or all atoms where it has no query.
    pub fn roots(&self, example: usize, grounding: &Grounding) -> Vec<(PredicateId, u32)> {
        let queries = &self.dataset.queries[example];
        let mut roots: Vec<_> = queries.iter().filter_map(|query| Self::root(query, grounding)).collect();
        if queries.is_empty() {
            for (predicate, _) in self.dataset.vocabulary.predicates() {
                let rows = grounding.relations[predicate.index()].len() as u32;
                roots.extend((0..rows).map(|row| (predicate, row)));
            }
        }
        roots
    }

    /// A rule as it is written: `rule 3: ...`.
    pub fn rule_text(&self, rule: RuleId) -> String {
        format!("rule {}: {}", rule.0 + 1, self.rule_line(rule))
    }

    /// The line of a rule.
    pub fn rule_line(&self, rule: RuleId) -> &str {
        let span = self.template.rule(rule).span;
        self.sources.line_text(span.source, span.start).trim()
    }
}
