//! The shapes of values: inferred from the weights, before any data, and checked.
//!
//! A predicate's shape is that of the sum over its rules and facts. Strata are gone through in order, each until
//! nothing changes, then all once more to report what does not fit. Before there is data, nothing is assumed of it: it
//! may give a predicate values of any shape, so a shape is known only as far as weights settle it (see [`Partial`]),
//! and only what no data could mend is an error. When the data is known, the same inference runs again with its shapes.

mod partial;

use self::partial::Partial;
use super::{Fact, Input, Offset, Rule, Start, Stratum, Template, Weight, WeightUse};
use crate::diagnostic::{Diagnostic, Span};
use crate::function::Shape;
use crate::vocabulary::PredicateId;

/// A shape that data gives to a predicate, and where.
pub type DataShape = (Shape, Span);

/// Infers the shapes of all predicates. `data` gives those of the data, by predicate, if there is data.
pub(super) fn infer(
    template: &mut Template,
    data: Option<&[Option<DataShape>]>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut shapes = ShapeInference::begin(template, data);
    for stratum in &template.strata {
        // A shape changes at most twice: from unknown to a number to something larger.
        for _ in 0..2 * stratum.predicates.len() + 2 {
            let before = shapes.of(stratum);
            shapes.pass(template, stratum, &mut None);
            if !stratum.recursive || shapes.of(stratum) == before {
                break;
            }
        }
    }
    let mut found = Some(Vec::new());
    template.strata.iter().for_each(|stratum| shapes.pass(template, stratum, &mut found));
    diagnostics.extend(found.unwrap_or_default());
    for (predicate, known) in template.predicates.iter_mut().zip(&shapes.known) {
        predicate.shape = known.and_then(|(shape, _)| shape.exact());
    }
    fit_offsets(template);
}

/// Gives a learned offset that nobody wrote the shape of its predicate.
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

struct ShapeInference {
    /// The shape of each predicate, and the place that gave it; `None` while nothing gives it.
    known: Vec<Option<(Partial, Span)>>,
    /// The template's facts of each predicate, by their numbers.
    facts: Vec<Vec<usize>>,
    /// The shapes of what rules and facts give, by predicate, where they do not simply add up.
    contributions: Vec<Option<Vec<(Partial, Span)>>>,
}

type ShapeErrors = Option<Vec<Diagnostic>>;

impl ShapeInference {
    fn begin(template: &Template, data: Option<&[Option<DataShape>]>) -> Self {
        let known = template.predicates.iter().enumerate().map(|(number, predicate)| {
            let Some(data) = data else { return Some((Partial::ANY, predicate.span)) };
            let from_data = data.get(number).copied().flatten();
            let is_missing = !predicate.is_head && !predicate.has_facts;
            let known = from_data.or(is_missing.then_some((Shape::NUMBER, predicate.span)));
            known.map(|(shape, span)| (shape.into(), span))
        });
        let mut facts = vec![Vec::new(); template.predicates.len()];
        for (number, fact) in template.facts.iter().enumerate() {
            facts[fact.atom.predicate.index()].push(number);
        }
        let contributions = vec![None; template.predicates.len()];
        Self { known: known.collect(), facts, contributions }
    }

    fn of(&self, stratum: &Stratum) -> Vec<Option<(Partial, Span)>> {
        stratum.predicates.iter().map(|predicate| self.known[predicate.index()]).collect()
    }

    fn pass(&mut self, template: &Template, stratum: &Stratum, report: &mut ShapeErrors) {
        for predicate in &stratum.predicates {
            if !template.predicates[predicate.index()].combination.is_element_wise() {
                self.contributions[predicate.index()] = Some(Vec::new());
            }
        }
        self.contribute(template, stratum, report);
        for predicate in &stratum.predicates {
            if let Some(parts) = self.contributions[predicate.index()].take() {
                self.combine(template, *predicate, &parts, report);
            }
        }
        for predicate in &stratum.predicates {
            if let Offset::Weight(id) = &template.predicates[predicate.index()].offset {
                self.add_offset(*predicate, template.weight(*id), report);
            }
        }
    }

    /// Settles the shape of a predicate whose contributions do not simply add up, if all of them are known. Where facts
    /// enter as their values, those of the data are not among them.
    fn combine(
        &mut self,
        template: &Template,
        predicate: PredicateId,
        parts: &[(Partial, Span)],
        report: &mut ShapeErrors,
    ) {
        let known = &template.predicates[predicate.index()];
        let Some(&(_, span)) = parts.first() else { return };
        let shapes: Vec<Partial> = parts.iter().map(|part| part.0).collect();
        match Partial::combined(&known.combination, &shapes) {
            Some(shape) => self.known[predicate.index()] = Some((shape, span)),
            None => {
                let texts: Vec<String> = shapes.iter().map(ToString::to_string).collect();
                let (function, texts) = (known.combination.name(), texts.join(", "));
                let message =
                    format!("the {function} of these values of the predicate is not defined: {texts}");
                let mut diagnostic = Diagnostic::error("E0503", known.span, message);
                for (shape, span) in parts {
                    diagnostic = diagnostic.also(*span, shape.to_string());
                }
                report.iter_mut().for_each(|found| found.push(diagnostic.clone()));
            }
        }
    }

    /// Adds what the rules and facts of a stratum give.
    fn contribute(&mut self, template: &Template, stratum: &Stratum, report: &mut ShapeErrors) {
        for predicate in &stratum.predicates {
            for number in self.facts[predicate.index()].clone() {
                let fact: &Fact = &template.facts[number];
                let weight = fact.weight.as_ref().map(|weight| template.weight(weight.weight).shape);
                let shape = weight.unwrap_or(Shape::NUMBER).into();
                self.add(template, *predicate, shape, fact.span, report);
            }
        }
        for &rule in &stratum.rules {
            let rule = template.rule(rule);
            if let Some(shape) = self.rule(template, rule, report) {
                self.add(template, rule.head.predicate, shape, rule.span, report);
            }
        }
    }

    /// Adds an offset: one that was written may be wider than what it is added to; one that was not has the predicate's
    /// shape.
    fn add_offset(&mut self, predicate: PredicateId, offset: &Weight, report: &mut ShapeErrors) {
        let known = &mut self.known[predicate.index()];
        let Some((before, place)) = *known else { return };
        if offset.is_own_offset {
            return;
        }
        match before.plus(offset.shape.into()) {
            Some(sum) if sum == before => {}
            Some(sum) => *known = Some((sum, offset.span)),
            None => {
                let shape = Partial::from(offset.shape);
                let message = format!("the offset is {shape} and the value of the predicate is {before}");
                let diagnostic =
                    Diagnostic::error("E0504", offset.span, message).also(place, format!("{before} here"));
                report.iter_mut().for_each(|found| found.push(diagnostic.clone()));
            }
        }
    }

    /// Adds a contribution to a predicate.
    fn add(
        &mut self,
        template: &Template,
        predicate: PredicateId,
        shape: Partial,
        span: Span,
        report: &mut ShapeErrors,
    ) {
        if let Some(parts) = &mut self.contributions[predicate.index()] {
            return parts.push((shape, span));
        }
        let known = &mut self.known[predicate.index()];
        let Some((before, place)) = *known else {
            *known = Some((shape, span));
            return;
        };
        match before.plus(shape) {
            Some(sum) if sum == before => {}
            Some(sum) => *known = Some((sum, span)),
            None => {
                let name = template.vocabulary.signature(predicate);
                let message = format!("`{name}` is {shape} here and {before} elsewhere");
                let diagnostic =
                    Diagnostic::error("E0502", span, message).also(place, format!("{before} here"));
                let diagnostic =
                    diagnostic.help("all rules and facts of a predicate give values of one shape");
                report.iter_mut().for_each(|found| found.push(diagnostic.clone()));
            }
        }
    }

    /// Returns the shape of a rule's contribution to its head.
    fn rule(&self, template: &Template, rule: &Rule, report: &mut ShapeErrors) -> Option<Partial> {
        let inputs: Option<Vec<Partial>> =
            rule.inputs.iter().map(|input| self.input(template, input, report)).collect();
        let inputs = inputs?;
        let functions = &rule.functions;
        let Some(mut shape) = Partial::combined(&functions.combination, &inputs) else {
            let shapes: Vec<String> = inputs.iter().map(ToString::to_string).collect();
            let message = format!(
                "the {} of these inputs is not defined: {}",
                functions.combination.name(),
                shapes.join(", ")
            );
            let mut diagnostic = Diagnostic::error("E0503", rule.span, message);
            for (input, shape) in rule.inputs.iter().zip(&inputs).filter(|(_, shape)| !shape.may_be_number())
            {
                diagnostic = diagnostic.also(input.span, shape.to_string());
            }
            report.iter_mut().for_each(|found| found.push(diagnostic.clone()));
            return None;
        };
        if let Offset::Weight(id) = &functions.offset {
            let weight = template.weight(*id);
            let Some(sum) = shape.plus(weight.shape.into()) else {
                let offset = Partial::from(weight.shape);
                let message = format!("the offset is {offset} and the value of the rule is {shape}");
                let diagnostic =
                    Diagnostic::error("E0504", weight.span, message).also(rule.span, shape.to_string());
                report.iter_mut().for_each(|found| found.push(diagnostic.clone()));
                return None;
            };
            shape = sum;
        }
        let wide = rule.inputs.iter().zip(&inputs).find(|(_, shape)| !shape.may_be_number());
        let from = wide.and_then(|(input, _)| self.known[input.atom.predicate.index()]);
        let place = from.map_or(rule.span, |(_, place)| place);
        weighed(template, rule.weight.as_ref(), shape, place, report)
    }

    fn input(&self, template: &Template, input: &Input, report: &mut ShapeErrors) -> Option<Partial> {
        let (shape, place) = self.known[input.atom.predicate.index()]?;
        weighed(template, input.weight.as_ref(), shape, place, report)
    }
}

/// Returns the shape of weight · value; `place` is what gave the value its shape.
fn weighed(
    template: &Template,
    weight: Option<&WeightUse>,
    shape: Partial,
    place: Span,
    report: &mut ShapeErrors,
) -> Option<Partial> {
    let Some(used) = weight else { return Some(shape) };
    let weight = template.weight(used.weight);
    let product = Partial::from(weight.shape).times(shape);
    if product.is_none() {
        let message = format!("a weight of shape {} cannot multiply {shape}", weight.shape);
        let mut diagnostic =
            Diagnostic::error("E0501", weight.span, message).also(place, format!("{shape} from here"));
        diagnostic.help = shape.rows().map(|rows| format!("a weight {{n,{rows}}} would fit"));
        report.iter_mut().for_each(|found| found.push(diagnostic.clone()));
    }
    product
}
