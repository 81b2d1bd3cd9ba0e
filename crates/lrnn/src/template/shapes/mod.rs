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
            shapes.pass(stratum);
            if !stratum.recursive || shapes.of(stratum) == before {
                break;
            }
        }
    }
    shapes.found.clear();
    template.strata.iter().for_each(|stratum| shapes.pass(stratum));
    let ShapeInference { known, found, .. } = shapes;
    diagnostics.extend(found);
    for (predicate, known) in template.predicates.iter_mut().zip(known) {
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

struct ShapeInference<'a> {
    template: &'a Template,
    /// The shape of each predicate, and the place that gave it; `None` while nothing gives it.
    known: Vec<Option<(Partial, Span)>>,
    /// The template's facts of each predicate.
    facts: Vec<Vec<&'a Fact>>,
    /// The shapes of what rules and facts give, by predicate, where they do not simply add up.
    contributions: Vec<Option<Vec<(Partial, Span)>>>,
    /// Mistakes: shapes that do not fit.
    found: Vec<Diagnostic>,
}

impl<'a> ShapeInference<'a> {
    fn begin(template: &'a Template, data: Option<&[Option<DataShape>]>) -> Self {
        let known = template.predicates.iter().enumerate().map(|(number, predicate)| {
            let Some(data) = data else { return Some((Partial::ANY, predicate.span)) };
            let from_data = data.get(number).copied().flatten();
            let is_missing = !predicate.is_head && !predicate.has_facts;
            let known = from_data.or(is_missing.then_some((Shape::NUMBER, predicate.span)));
            known.map(|(shape, span)| (shape.into(), span))
        });
        let mut facts = vec![Vec::new(); template.predicates.len()];
        template.facts.iter().for_each(|fact| facts[fact.atom.predicate.index()].push(fact));
        let contributions = vec![None; template.predicates.len()];
        Self { template, known: known.collect(), facts, contributions, found: Vec::new() }
    }

    fn of(&self, stratum: &Stratum) -> Vec<Option<(Partial, Span)>> {
        stratum.predicates.iter().map(|predicate| self.known[predicate.index()]).collect()
    }

    fn pass(&mut self, stratum: &Stratum) {
        let template = self.template;
        for predicate in &stratum.predicates {
            if !template.predicates[predicate.index()].combination.is_element_wise() {
                self.contributions[predicate.index()] = Some(Vec::new());
            }
        }
        self.contribute(stratum);
        for predicate in &stratum.predicates {
            if let Some(parts) = self.contributions[predicate.index()].take() {
                self.combine(*predicate, &parts);
            }
        }
        for predicate in &stratum.predicates {
            if let Offset::Weight(id) = &template.predicates[predicate.index()].offset {
                self.add_offset(*predicate, template.weight(*id));
            }
        }
    }

    /// Settles the shape of a predicate whose contributions do not simply add up, if all of them are known. Where facts
    /// enter as their values, those of the data are not among them.
    fn combine(&mut self, predicate: PredicateId, parts: &[(Partial, Span)]) {
        let known = &self.template.predicates[predicate.index()];
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
                self.found.push(diagnostic);
            }
        }
    }

    /// Adds what the rules and facts of a stratum give.
    fn contribute(&mut self, stratum: &Stratum) {
        let template = self.template;
        for predicate in &stratum.predicates {
            for fact in self.facts[predicate.index()].clone() {
                let weight = fact.weight.as_ref().map(|weight| template.weight(weight.weight).shape);
                self.add(*predicate, weight.unwrap_or(Shape::NUMBER).into(), fact.span);
            }
        }
        for rule in stratum.rules.iter().map(|&rule| template.rule(rule)) {
            if let Some(shape) = self.rule(rule) {
                self.add(rule.head.predicate, shape, rule.span);
            }
        }
    }

    /// Adds an offset: one that was written may be wider than what it is added to; one that was not has the predicate's
    /// shape.
    fn add_offset(&mut self, predicate: PredicateId, offset: &Weight) {
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
                self.found.push(diagnostic);
            }
        }
    }

    /// Adds a contribution to a predicate.
    fn add(&mut self, predicate: PredicateId, shape: Partial, span: Span) {
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
                let name = self.template.vocabulary.signature(predicate);
                let message = format!("`{name}` is {shape} here and {before} elsewhere");
                let diagnostic =
                    Diagnostic::error("E0502", span, message).also(place, format!("{before} here"));
                let help = "all rules and facts of a predicate give values of one shape";
                self.found.push(diagnostic.help(help));
            }
        }
    }

    /// Returns the shape of a rule's contribution to its head.
    fn rule(&mut self, rule: &Rule) -> Option<Partial> {
        let inputs = rule.inputs.iter().map(|input| self.input(input)).collect::<Option<Vec<Partial>>>()?;
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
            self.found.push(diagnostic);
            return None;
        };
        if let Offset::Weight(id) = &functions.offset {
            let weight = self.template.weight(*id);
            let Some(sum) = shape.plus(weight.shape.into()) else {
                let offset = Partial::from(weight.shape);
                let message = format!("the offset is {offset} and the value of the rule is {shape}");
                let diagnostic =
                    Diagnostic::error("E0504", weight.span, message).also(rule.span, shape.to_string());
                self.found.push(diagnostic);
                return None;
            };
            shape = sum;
        }
        let wide = rule.inputs.iter().zip(&inputs).find(|(_, shape)| !shape.may_be_number());
        let from = wide.and_then(|(input, _)| self.known[input.atom.predicate.index()]);
        let place = from.map_or(rule.span, |(_, place)| place);
        self.weighed(rule.weight.as_ref(), shape, place)
    }

    fn input(&mut self, input: &Input) -> Option<Partial> {
        let (shape, place) = self.known[input.atom.predicate.index()]?;
        self.weighed(input.weight.as_ref(), shape, place)
    }

    /// Returns the shape of weight · value; `place` is what gave the value its shape.
    fn weighed(&mut self, weight: Option<&WeightUse>, shape: Partial, place: Span) -> Option<Partial> {
        let Some(used) = weight else { return Some(shape) };
        let weight = self.template.weight(used.weight);
        let product = Partial::from(weight.shape).times(shape);
        if product.is_none() {
            let message = format!("a weight of shape {} cannot multiply {shape}", weight.shape);
            let diagnostic =
                Diagnostic::error("E0501", weight.span, message).also(place, format!("{shape} from here"));
            let help = shape.rows().map(|rows| format!("a weight {{n,{rows}}} would fit"));
            self.found.push(diagnostic.help_if(help));
        }
        product
    }
}
