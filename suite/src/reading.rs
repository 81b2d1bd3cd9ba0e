//! From the texts of a case to a template, data and weights that fit together.

use lrnn::data::{Dataset, DatasetBuilder, Layout};
use lrnn::diagnostic::{Diagnostic, Severity, Sources};
use lrnn::ground::fit;
use lrnn::network::Weights;
use lrnn::syntax::ast::{IndexExpr, TermExpr, TermKind, WeightExpr};
use lrnn::syntax::parse;
use lrnn::template::{IndexPart, Options, Template, WeightId};
use lrnn::vocabulary::{Constant, ConstantId, Vocabulary};

use crate::case::{CaseSettings, CaseTexts};
use crate::claim::{clause, numbers};

/// A template, data and weights as read, unless some message is an error.
pub struct Reading {
    /// The texts, for drawing messages.
    pub sources: Sources,
    /// A remark.
    pub diagnostics: Vec<Diagnostic>,
    /// Template, data and weights.
    pub ready: Option<SuiteProgram>,
}

/// A template and data that fit together, with the weights.
pub struct SuiteProgram {
    /// The template.
    pub template: Template,
    /// The data.
    pub dataset: Dataset,
    /// The weights.
    pub weights: Weights,
}

/// Reads the texts of a case as the command does. An error where the weights of the file make no sense.
pub fn read(texts: &CaseTexts, settings: CaseSettings) -> Result<Reading, String> {
    let mut sources = Sources::default();
    let source = sources.add("template", texts.template.as_str());
    let (ast, mut diagnostics) = parse(&texts.template, source);
    let failed = !diagnostics.is_empty();
    let options = Options { family: settings.family, strict: settings.strict };
    let (template, found) = Template::resolve(&ast.items, options);
    diagnostics.extend(found);
    let Some(template) = template.filter(|_| !failed) else {
        return Ok(Reading { sources, diagnostics, ready: None });
    };
    let mut dataset = match data(texts, &template, &mut sources) {
        Ok(dataset) => dataset,
        Err(found) => {
            diagnostics.extend(found);
            return Ok(Reading { sources, diagnostics, ready: None });
        }
    };
    let template = template.renumbered(&mut dataset.vocabulary);
    let (fitted, mut found) = fit(&template, &dataset, settings.strict);
    if texts.facts.is_some() {
        // What the template leaves to the data, the data has answered.
        diagnostics.retain(|diagnostic| !matches!(diagnostic.code, "W0304" | "W0305"));
    } else {
        found.retain(|diagnostic| diagnostic.severity == Severity::Error);
    }
    diagnostics.extend(found);
    let ready = match fitted {
        Some(template) => {
            let weights = weights(&texts.weights, &template, settings.seed)?;
            Some(SuiteProgram { template, dataset, weights })
        }
        None => None,
    };
    Ok(Reading { sources, diagnostics, ready })
}

fn data(texts: &CaseTexts, template: &Template, sources: &mut Sources) -> Result<Dataset, Vec<Diagnostic>> {
    let vocabulary = if texts.data_first { Vocabulary::default() } else { template.vocabulary.clone() };
    let Some(facts) = &texts.facts else { return Ok(Dataset::empty(vocabulary)) };
    let mut builder = DatasetBuilder::new(vocabulary);
    let source = sources.add("facts", facts.as_str());
    builder.examples(facts, source, texts.layout.unwrap_or(Layout::Examples));
    if let Some(queries) = &texts.queries {
        let source = sources.add("queries", queries.as_str());
        builder.queries(queries, source);
    }
    builder.finish()
}

/// Returns the weights where they begin, but for those that the file gives: `w[a, 1] = 0.5`, one a line.
fn weights(text: &str, template: &Template, seed: u64) -> Result<Weights, String> {
    let mut weights = Weights::new(seed);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (left, right) = line.rsplit_once(" = ").ok_or_else(|| format!("`{line}` sets no weight"))?;
        let weight = clause(&format!("{left} :: x"))?.weight;
        let (id, index) = weight
            .and_then(|weight| place(&weight, template))
            .ok_or_else(|| format!("no weight `{left}`"))?;
        weights.set(id, &index, numbers(right)?.0);
    }
    Ok(weights)
}

fn place(weight: &WeightExpr, template: &Template) -> Option<(WeightId, Vec<ConstantId>)> {
    let named = |known: &lrnn::template::Weight| known.name.as_deref() == weight.name.as_deref();
    let id = WeightId(template.weights.iter().position(named)? as u32);
    let word = |(part, expr): (&IndexPart, &IndexExpr)| match (part, expr) {
        (IndexPart::Number, IndexExpr::Term(TermExpr { kind: TermKind::Constant(number), .. })) => {
            match number {
                Constant::Integer(number) => u32::try_from(*number).ok().map(ConstantId),
                Constant::Name(_) | Constant::Number(_) => None,
            }
        }
        (_, IndexExpr::Term(TermExpr { kind: TermKind::Constant(constant), .. })) => {
            template.vocabulary.find_constant(constant)
        }
        _ => None,
    };
    let parts = &template.weights[id.index()].index;
    let index = parts.iter().zip(&weight.index).map(word).collect::<Option<_>>()?;
    Some((id, index))
}
