//! What a report shows: the run, its data, its templates, and what was learned.

use serde::Serialize;

use super::{CrossvalTable, Curve, PageExample, PageGraph, PageNetwork, PagePart};

/// The kind of a run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RunKind {
    /// Weights were learned.
    #[default]
    Train,
    /// A template was measured by cross-validation.
    Crossval,
}

/// Everything that a report shows.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Report {
    /// The name of the data or of the run.
    pub title: String,
    /// The kind of a run.
    pub kind: RunKind,
    /// Program and version that made it: `lrnn 0.1.0`.
    pub program: String,
    /// The command that makes it again.
    pub command: String,
    /// The data.
    pub data: DataView,
    /// The templates with all they import.
    pub templates: Vec<TemplateView>,
    /// Settings of learning, in the order of their table.
    pub settings: Vec<(String, String)>,
    /// Notes for the reader.
    pub notes: Vec<String>,
    /// A curve for each restart.
    pub curves: Vec<Curve>,
    /// Metrics of each part of the data.
    pub parts: Vec<PagePart>,
    /// The table of a cross-validation.
    pub crossval: Option<CrossvalTable>,
    /// Name of the model behind concepts, patterns and explanations.
    pub model: String,
    /// Latent concepts.
    pub concepts: Vec<PageConcept>,
    /// Patterns that rules respond to most.
    pub patterns: Vec<PagePattern>,
    /// Queries that the template cannot tell apart.
    pub alike: Option<AlikeSection>,
    /// Every example.
    pub examples: Vec<PageExample>,
    /// Texts that occur often.
    pub texts: Vec<String>,
}

/// The data in numbers.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct DataView {
    /// Number of examples.
    pub examples: usize,
    /// Number of queries.
    pub queries: usize,
    /// Number of facts.
    pub facts: usize,
    /// Number of constants.
    pub constants: usize,
    /// Predicates with how many facts they have.
    pub predicates: Vec<(String, usize)>,
    /// Targets with how many queries have them, the most frequent first.
    pub targets: Vec<(String, usize)>,
}

/// A template.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TemplateView {
    /// The name of its file.
    pub name: String,
    /// Its text in pieces, each with its kind.
    pub tokens: Vec<(&'static str, String)>,
    /// The template as the paper draws it.
    pub network: PageNetwork,
}

/// The weights that define a predicate.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PageConcept {
    /// The model, if there are several.
    pub model: String,
    /// The predicate.
    pub title: String,
    /// Names of the inputs.
    pub rows: Vec<String>,
    /// The groups.
    pub columns: Vec<String>,
    /// The weights, row by row.
    pub values: Vec<Vec<Option<f64>>>,
    /// The columns that are wild cards.
    pub wild: Vec<usize>,
}

/// A pattern that a rule responds to.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PagePattern {
    /// The pattern in short, or its facts.
    pub text: String,
    /// Its facts.
    pub facts: String,
    /// The rule.
    pub rule: String,
    /// The head of the ground rule with the highest output.
    pub head: String,
    /// That output.
    pub output: f64,
    /// Number of occurrences.
    pub times: u64,
    /// In how many examples.
    pub support: usize,
    /// Class, how many of the examples have it, lift.
    pub classes: Vec<(String, usize, f64)>,
    /// Some of the examples.
    pub examples: Vec<usize>,
    /// The pattern drawn.
    pub picture: Option<PageGraph>,
}

/// Queries that the template cannot tell apart.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AlikeSection {
    /// Groups whose targets differ.
    pub groups: Vec<AlikeGroup>,
    /// Number of answers that are wrong under any weights.
    pub least_wrong: u32,
    /// The accuracy that no weights can exceed.
    pub most_accuracy: f64,
}

/// Answers that one neuron gives.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AlikeGroup {
    /// The examples.
    pub examples: Vec<usize>,
    /// The targets, as many.
    pub targets: Vec<String>,
}
