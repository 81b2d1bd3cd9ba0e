//! The shapes of values: inferred from the weights, before any data, and checked.
//!
//! A predicate's shape is that of the sum over its rules and facts. Rules are gone through in the order of
//! predicates until nothing changes, then once more to report what does not fit. What only the data can tell
//! (a predicate without rules and facts, used under a weight that would also fit a vector) stays open and fits
//! everything; a predicate of the data used otherwise is taken for a number. When the data is known, the same
//! inference runs again with its shapes.

use super::{Input, Offset, Rule, Start, Template, WeightUse};
use crate::function::Shape;
use crate::syntax::{Diagnostic, Span};
use crate::vocabulary::PredicateId;

/// A shape that data gives to a predicate, and where.
pub type DataShape = (Shape, Span);

/// Infers the shapes of all predicates. `data` gives those of the data, by predicate, if there is data.
pub(super) fn infer(
    template: &mut Template,
    data: Option<&[Option<DataShape>]>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut shapes = Shapes::begin(template, data);
    // A shape changes at most twice: from unknown to a number to something larger.
    for _ in 0..2 * template.predicates.len() + 2 {
        let before = shapes.known.clone();
        shapes.pass(template, &mut None);
        if shapes.known == before {
            break;
        }
    }
    let mut found = Some(Vec::new());
    shapes.pass(template, &mut found);
    diagnostics.extend(found.unwrap_or_default());
    for (predicate, known) in template.predicates.iter_mut().zip(&shapes.known) {
        predicate.shape = known.map(|(shape, _)| shape);
    }
    fit_offsets(template);
}

/// A learned offset that nobody wrote has the shape of its predicate.
fn fit_offsets(template: &mut Template) {
    for predicate in &template.predicates {
        let (Offset::Weight(id), Some(shape)) = (&predicate.offset, predicate.shape) else { continue };
        let weight = &mut template.weights[id.index()];
        if let (true, Start::Values(values)) = (weight.is_own_offset, &mut weight.start) {
            let first = values.first().copied().unwrap_or(0.0);
            *values = vec![first; shape.size()];
            weight.shape = shape;
        }
    }
}

struct Shapes {
    /// The shape of each predicate, and the place that gave it.
    known: Vec<Option<DataShape>>,
}

type Report = Option<Vec<Diagnostic>>;

impl Shapes {
    fn begin(template: &Template, data: Option<&[Option<DataShape>]>) -> Self {
        let known = (0..template.predicates.len()).map(|number| {
            let from_data = data.and_then(|data| data.get(number).copied().flatten());
            let predicate = &template.predicates[number];
            let is_data = !predicate.is_head && !predicate.has_facts;
            let assumed =
                is_data && (data.is_some() || !may_be_a_vector(template, PredicateId(number as u32)));
            from_data.or(assumed.then_some((Shape::NUMBER, predicate.span)))
        });
        Self { known: known.collect() }
    }

    fn pass(&mut self, template: &Template, report: &mut Report) {
        for fact in &template.facts {
            let shape =
                fact.weight.as_ref().map_or(Shape::NUMBER, |weight| template.weight(weight.weight).shape);
            self.add(template, fact.atom.predicate, shape, fact.span, report);
        }
        for rule in template.strata.iter().flat_map(|stratum| &stratum.rules) {
            let rule = template.rule(*rule);
            if let Some(shape) = self.rule(template, rule, report) {
                self.add(template, rule.head.predicate, shape, rule.span, report);
            }
        }
    }

    /// Adds a contribution to a predicate.
    fn add(
        &mut self,
        template: &Template,
        predicate: PredicateId,
        shape: Shape,
        span: Span,
        report: &mut Report,
    ) {
        let known = &mut self.known[predicate.index()];
        let Some((before, place)) = *known else {
            *known = Some((shape, span));
            return;
        };
        let combination = template.predicates[predicate.index()].combination;
        match combination.shape(&[before, shape]) {
            Some(_) if before == shape => {}
            Some(_) if before.is_number() => *known = Some((shape, span)),
            Some(_) => {}
            None => {
                let name = template.vocabulary.signature(predicate);
                let message = format!("`{name}` is {} here and {} elsewhere", said(shape), said(before));
                let diagnostic =
                    Diagnostic::error("E0502", span, message).also(place, format!("{} here", said(before)));
                let diagnostic =
                    diagnostic.help("all rules and facts of a predicate give values of one shape");
                report.iter_mut().for_each(|found| found.push(diagnostic.clone()));
            }
        }
    }

    /// The shape of a rule's contribution to its head.
    fn rule(&self, template: &Template, rule: &Rule, report: &mut Report) -> Option<Shape> {
        let inputs: Option<Vec<Shape>> =
            rule.inputs.iter().map(|input| self.input(template, input, report)).collect();
        let inputs = inputs?;
        let functions = &rule.functions;
        let Some(mut shape) = functions.combination.shape(&inputs) else {
            let shapes: Vec<String> = inputs.iter().map(|&shape| said(shape)).collect();
            let message = format!(
                "the {} of these inputs is not defined: {}",
                functions.combination.name(),
                shapes.join(", ")
            );
            let mut diagnostic = Diagnostic::error("E0503", rule.span, message);
            for (input, shape) in rule.inputs.iter().zip(&inputs).filter(|(_, shape)| !shape.is_number()) {
                diagnostic = diagnostic.also(input.span, said(*shape));
            }
            report.iter_mut().for_each(|found| found.push(diagnostic.clone()));
            return None;
        };
        if let Offset::Weight(id) = &functions.offset {
            let weight = template.weight(*id);
            let Some(sum) = shape.plus(weight.shape) else {
                let message = format!(
                    "the offset is {} and the value of the rule is {}",
                    said(weight.shape),
                    said(shape)
                );
                let diagnostic =
                    Diagnostic::error("E0504", weight.span, message).also(rule.span, said(shape));
                report.iter_mut().for_each(|found| found.push(diagnostic.clone()));
                return None;
            };
            shape = sum;
        }
        let wide = rule.inputs.iter().zip(&inputs).find(|(_, shape)| !shape.is_number());
        let from = wide.and_then(|(input, _)| self.known[input.atom.predicate.index()]);
        let place = from.map_or(rule.span, |(_, place)| place);
        weighed(template, rule.weight.as_ref(), shape, place, report)
    }

    fn input(&self, template: &Template, input: &Input, report: &mut Report) -> Option<Shape> {
        let (shape, place) = self.known[input.atom.predicate.index()]?;
        weighed(template, input.weight.as_ref(), shape, place, report)
    }
}

/// The shape of weight · value; `place` is what gave the value its shape.
fn weighed(
    template: &Template,
    weight: Option<&WeightUse>,
    shape: Shape,
    place: Span,
    report: &mut Report,
) -> Option<Shape> {
    let Some(used) = weight else { return Some(shape) };
    let weight = template.weight(used.weight);
    let product = weight.shape.times(shape);
    if product.is_none() {
        let message = format!("a weight of shape {} cannot multiply {}", weight.shape, said(shape));
        let help = format!("a weight {{n,{}}} would fit", shape.rows);
        let diagnostic = Diagnostic::error("E0501", weight.span, message)
            .also(place, format!("{} from here", said(shape)))
            .help(help);
        report.iter_mut().for_each(|found| found.push(diagnostic.clone()));
    }
    product
}

fn said(shape: Shape) -> String {
    match shape {
        shape if shape.is_number() => "a number".into(),
        shape if shape.is_vector() => format!("a vector {shape}"),
        shape => format!("a matrix {shape}"),
    }
}

/// Whether a predicate of the data stands under a weight that would also fit a vector.
fn may_be_a_vector(template: &Template, predicate: PredicateId) -> bool {
    let wide = |weight: &Option<WeightUse>| {
        weight.as_ref().is_some_and(|used| template.weight(used.weight).shape.columns > 1)
    };
    template.rules.iter().any(|rule| {
        let here = |input: &&Input| input.atom.predicate == predicate;
        let plain =
            rule.inputs.len() == 1 && rule.inputs.iter().filter(here).any(|input| input.weight.is_none());
        rule.inputs.iter().filter(here).any(|input| wide(&input.weight)) || (plain && wide(&rule.weight))
    })
}
