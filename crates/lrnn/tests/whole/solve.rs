//! From texts to the values of all atoms.

use std::collections::BTreeMap;

use lrnn::data::{Dataset, DatasetBuilder, Layout};
use lrnn::diagnostic::{Diagnostic, Severity, SourceId};
use lrnn::ground::{Limits, Plans, Statistics, canonical, fit, ground, naive};
use lrnn::network::{NeuronCounts, Reference, Weights};
use lrnn::syntax::parse;
use lrnn::template::{Options, Template};

/// What an example comes to: its neurons, and the value of every atom by its text.
#[derive(Clone, PartialEq, Debug)]
pub struct Solved {
    pub counts: NeuronCounts,
    pub values: BTreeMap<String, Vec<f64>>,
}

/// All examples, or why there is no answer.
pub type Outcome = Result<Vec<Solved>, String>;

fn codes(diagnostics: &[Diagnostic]) -> String {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let mut codes: Vec<&str> = errors.map(|diagnostic| diagnostic.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes.join(" ")
}

/// The template in these texts, as if one imported the others, with the data fitted to it.
pub fn read(texts: &[String], data: &[String], layout: Layout) -> Result<(Template, Dataset), String> {
    let mut items = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        let (tree, diagnostics) = parse(text, SourceId(number as u32));
        assert_eq!(diagnostics, [], "{text}");
        items.extend(tree.items);
    }
    let (template, diagnostics) = Template::resolve(&items, Options::default());
    let template = template.ok_or_else(|| codes(&diagnostics))?;
    let mut builder = DatasetBuilder::new(template.vocabulary.clone());
    for (number, text) in data.iter().enumerate() {
        builder.examples(text, SourceId((texts.len() + number) as u32), layout);
    }
    let dataset = builder.finish().map_err(|diagnostics| codes(&diagnostics))?;
    let (fitted, diagnostics) = fit(&template, &dataset, false);
    Ok((fitted.ok_or_else(|| codes(&diagnostics))?, dataset))
}

/// Values by the planned grounder and the reference network; the naive grounder must agree.
pub fn solve(texts: &[String], data: &[String], layout: Layout) -> Outcome {
    let (template, dataset) = read(texts, data, layout)?;
    let plans = Plans::new(&template, &Statistics::of(&dataset));
    let mut solved = Vec::new();
    for example in &dataset.examples {
        let limits = Limits { per_example: 20_000, total: 20_000, ..Limits::default() };
        let grounding = ground(&template, &plans, &dataset.vocabulary, example, &limits);
        let grounding = grounding
            .map_err(|error| error.message(&dataset.vocabulary).chars().take(30).collect::<String>())?;
        let oracle = naive(&template, &dataset.vocabulary, example);
        assert_eq!(canonical(&template, &grounding), canonical(&template, &oracle), "{texts:?} {data:?}");
        let network = Reference::build(&template, &dataset.vocabulary, example, &grounding)
            .map_err(|error| error.to_string())?;
        let values = network
            .evaluate::<f64>(&template, &dataset.vocabulary, &Weights::new(5))
            .map_err(|_| "not finite".to_owned())?;
        let mut all = BTreeMap::new();
        for (id, _) in dataset.vocabulary.predicates() {
            for row in 0..grounding.relations[id.index()].len() as u32 {
                let numbers = network.value_of(&values, id, row).map(|(numbers, _)| numbers.to_vec());
                all.insert(grounding.atom_text(&dataset.vocabulary, id, row), numbers.unwrap_or_default());
            }
        }
        solved.push(Solved { counts: network.counts(), values: all });
    }
    Ok(solved)
}
