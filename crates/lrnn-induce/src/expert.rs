//! A template that somebody wrote, to go on from: its rules about a goal stay, with what they cover in the first model,
//! and everything else stays as it is.

use std::sync::Arc;

use lrnn::data::Dataset;
use lrnn::syntax::ast::{Item, ItemKind};
use lrnn::vocabulary::ConstantId;
use lrnn::{Error, ErrorKind, Limits, Program, Stop, Template};
use rustc_hash::FxHashSet;

use crate::coverage::Coverage;
use crate::facts::FactIndex;
use crate::goal::Goal;

/// A rule that somebody wrote about a goal.
#[derive(Clone, Debug)]
pub struct ExpertRule {
    /// The rule as it is written, from its head on, with its full stop and options.
    pub text: String,
    /// The queries that it covers.
    pub coverage: Arc<Coverage>,
}

/// A template that somebody wrote, grounded.
pub(crate) struct ExpertTemplate {
    template: Template,
    dataset: Dataset,
    /// By rule of the template: its sentence from the head on.
    sentences: Vec<String>,
    /// By example and rule: the heads.
    heads: Vec<Vec<FxHashSet<Vec<ConstantId>>>>,
}

impl ExpertTemplate {
    /// Reads a template and grounds it.
    pub fn new(text: &str, dataset: &Dataset, stop: &Stop) -> Result<Self, Error> {
        let template = Template::parse(text).map_err(|error| error.before("the template to go on from"))?;
        let sentences = rule_sentences(text);
        if sentences.len() != template.rules.len() {
            let message = "rules can be added to a template of plain rules only";
            return Err(Error::new(ErrorKind::Usage, message)
                .help("write out what it imports or uses: `lrnn fmt` shows a template as it is read"));
        }
        let dataset = dataset.renumbered(template.vocabulary.clone());
        let limits = Limits { stop: stop.clone(), ..Limits::default() };
        let program = Program::new(&template, &dataset, limits)?;
        let heads = program.for_each_grounding(&dataset, |_, grounding| {
            let of = |(rule, ground): (&lrnn::template::Rule, &lrnn::ground::GroundRules)| {
                let relation = &grounding.relations[rule.head.predicate.index()];
                ground.heads.iter().map(|&row| relation.row(row).to_vec()).collect()
            };
            template.rules.iter().zip(&grounding.rules).map(of).collect()
        })?;
        Ok(Self { template, dataset, sentences, heads })
    }

    /// Returns its rules about a goal that cover some of the queries.
    pub fn rules(&self, goal: &Goal, original: &Dataset, facts: &FactIndex) -> Vec<ExpertRule> {
        let signature = original.vocabulary.signature(goal.predicate);
        let own = self
            .template
            .rules
            .iter()
            .enumerate()
            .filter(|(_, rule)| self.template.vocabulary.signature(rule.head.predicate) == signature);
        let rule = |(at, _): (usize, &lrnn::template::Rule)| {
            let covers = |query: usize| {
                let asked = &facts.queries[query];
                let terms = &self.dataset.queries[asked.example as usize][asked.number as usize].terms;
                self.heads[asked.example as usize][at].contains(terms)
            };
            let coverage = Arc::new(Coverage::of(facts.queries.len(), covers));
            ExpertRule { text: self.sentences[at].clone(), coverage }
        };
        own.map(rule).filter(|rule| rule.coverage.count() > 0).collect()
    }
}

/// Returns the rules of a text from their heads on.
fn rule_sentences(text: &str) -> Vec<String> {
    let (ast, _) = lrnn::syntax::parse(text, lrnn::diagnostic::SourceId::default());
    let sentence = |item: &Item| match &item.kind {
        ItemKind::Clause(clause) if !clause.body.is_empty() => {
            Some(text[clause.head.place.0.start as usize..item.place.0.end as usize].to_owned())
        }
        _ => None,
    };
    ast.items.iter().filter_map(sentence).collect()
}

/// Returns a template without what it says about some predicates, given by name and arity, and without its family.
pub(crate) fn without(text: &str, goals: &[(String, usize)]) -> String {
    let (ast, _) = lrnn::syntax::parse(text, lrnn::diagnostic::SourceId::default());
    let is_goal = |name: &str, arity: usize| goals.iter().any(|goal| goal.0 == name && goal.1 == arity);
    let is_ours = |item: &&Item| match &item.kind {
        ItemKind::Clause(clause) => is_goal(&clause.head.name, clause.head.terms.len()),
        ItemKind::Predicate(predicate) => is_goal(&predicate.name, predicate.arity as usize),
        ItemKind::Directive(directive) => directive.name == "family",
        _ => false,
    };
    let kept = ast.items.iter().filter(|item| !is_ours(item));
    kept.map(|item| text[item.place.0.start as usize..item.place.0.end as usize].to_owned() + "\n").collect()
}
