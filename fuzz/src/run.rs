//! Any text through the whole engine, with small limits. Nothing here may panic, whatever the text. Both the targets
//! of `cargo fuzz` and the bounded run inside the ordinary tests go through these functions.

use lrnn::data::{Dataset, DatasetBuilder, Layout};
use lrnn::diagnostic::{Diagnostic, Severity, Sources};
use lrnn::ground::{Limits, Plans, Statistics, fit, ground};
use lrnn::network::{Reference, Weights};
use lrnn::syntax::ast::{Ast, AtomExpr, BodyKind, ItemKind, TermKind};
use lrnn::syntax::{parse, parse_atom, print};
use lrnn::template::{Options, Template};
use lrnn::vocabulary::Vocabulary;

use crate::fast;

/// The most ground rules of an example, facts of a range and numbers of a weight: enough to meet every path.
const SMALL: u64 = 300;

fn failed(diagnostics: &[Diagnostic], sources: &Sources) -> bool {
    for diagnostic in diagnostics {
        assert!(!diagnostic.render(sources).is_empty());
    }
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Reads a text as a template, and prints it if it can be read: what is printed must read the same.
pub fn template(text: &str, sources: &mut Sources) -> Option<Template> {
    let source = sources.add("template", text);
    let _ = parse_atom(text, source);
    let (tree, diagnostics) = parse(text, source);
    if failed(&diagnostics, sources) {
        return None;
    }
    let printed = print(&tree, text);
    let (again, diagnostics) = parse(&printed, source);
    assert_eq!(diagnostics, [], "{printed}");
    assert_eq!(again, tree, "{printed}");
    if !is_small(&tree) {
        return None;
    }
    let (template, diagnostics) = Template::resolve(&tree.items, Options::default());
    let failed = failed(&diagnostics, sources);
    assert_eq!(failed, template.is_none());
    template.filter(|template| template.weights.iter().all(|weight| weight.shape.size() as u64 <= SMALL))
}

/// Ranges may write a million facts, which is allowed and slow.
fn is_small(tree: &Ast) -> bool {
    let numbers = |atom: &AtomExpr| {
        let ranges = atom.terms.iter().map(|term| match term.kind {
            TermKind::Range(first, last) => last.abs_diff(first) + 1,
            _ => 1,
        });
        ranges.fold(1_u64, u64::saturating_mul)
    };
    tree.items.iter().all(|item| match &item.kind {
        ItemKind::Clause(clause) => {
            let atoms = clause.body.iter().filter(|part| matches!(part.kind, BodyKind::Function(_))).count();
            numbers(&clause.head) <= SMALL && atoms < 30
        }
        _ => true,
    })
}

/// Reads a text as examples, and another as queries.
pub fn data(
    text: &str,
    queries: Option<&str>,
    vocabulary: Vocabulary,
    sources: &mut Sources,
) -> Option<Dataset> {
    let mut builder = DatasetBuilder::new(vocabulary);
    let source = sources.add("examples", text);
    builder.examples(text, source, Layout::Detect);
    if let Some(queries) = queries {
        let source = sources.add("queries", queries);
        builder.queries(queries, source);
        builder.ids(queries, source);
        builder.folds(queries, source);
    }
    match builder.finish() {
        Ok(dataset) => Some(dataset),
        Err(diagnostics) => {
            assert!(failed(&diagnostics, sources));
            None
        }
    }
}

/// Reads a template and data, grounds every example and computes every value. How far did it come?
pub fn both(text: &str, examples: &str) -> Option<usize> {
    let mut sources = Sources::default();
    let template = template(text, &mut sources)?;
    let mut dataset = data(examples, None, template.vocabulary.clone(), &mut sources)?;
    if dataset.examples.is_empty() {
        dataset = Dataset::empty(dataset.vocabulary);
    }
    let (fitted, diagnostics) = fit(&template, &dataset, false);
    failed(&diagnostics, &sources);
    let template = fitted?;
    let plans = Plans::new(&template, &Statistics::of(&dataset));
    let limits = Limits { per_example: SMALL, total: SMALL, ..Limits::default() };
    let mut atoms = 0;
    for example in dataset.examples.iter().take(5) {
        match ground(&template, &plans, &dataset.vocabulary, example, &limits) {
            Err(error) => assert!(!error.message(&dataset.vocabulary).is_empty()),
            Ok(grounding) => {
                let network = Reference::build(&template, &dataset.vocabulary, example, &grounding).ok()?;
                let weights = Weights::new(1);
                let wide = network.evaluate::<f64>(&template, &dataset.vocabulary, &weights);
                let narrow = network.evaluate::<f32>(&template, &dataset.vocabulary, &weights);
                if let Ok(values) = &wide {
                    let reference = (&network, values);
                    fast::check(&template, &dataset.vocabulary, example, &grounding, reference);
                }
                let texts = [wide.err(), narrow.err()].map(|error| error.map(|error| error.to_string()));
                assert!(texts.iter().flatten().all(|text| !text.is_empty()));
                atoms += grounding.atom_count();
            }
        }
    }
    Some(atoms)
}
