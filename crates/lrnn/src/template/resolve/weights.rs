//! Weights: named ones are shared, all others stand alone.

use std::collections::BTreeMap;

use super::Resolver;
use super::body::RuleBody;
use super::clause::{IndexScope, Variables};
use crate::diagnostic::{Diagnostic, Span};
use crate::function::Shape;
use crate::syntax::ast::{
    BodyKind, IndexExpr, Item, ItemKind, OptionExpr, OptionValue, WeightExpr, WeightValue,
};
use crate::template::{IndexPart, Offset, Start, Weight, WeightId, WeightUse};

/// The weights with names, over the whole template.
#[derive(Default)]
pub(super) struct NamedWeights {
    names: BTreeMap<String, WeightName>,
}

struct WeightName {
    index: Vec<IndexPart>,
    value: Option<(WeightValue, Span)>,
    fixed: bool,
    span: Span,
    id: Option<WeightId>,
}

impl NamedWeights {
    pub fn collect(items: &[Item], diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut named = Self::default();
        for item in items {
            let (weights, options): (Vec<&WeightExpr>, &[OptionExpr]) = match &item.kind {
                ItemKind::Clause(clause) => {
                    let body = clause.body.iter().flat_map(|part| match &part.kind {
                        BodyKind::Function(function) => function.weights(),
                        _ => Vec::new(),
                    });
                    (clause.weight.iter().chain(body).collect(), &clause.options)
                }
                ItemKind::Predicate(predicate) => (Vec::new(), &predicate.options),
                ItemKind::Directive(_) | ItemKind::Import(_) | ItemKind::Use(_) => continue,
            };
            let offsets = options.iter().filter_map(|option| match &option.value {
                OptionValue::Weight(weight) => Some(weight),
                OptionValue::Function(_) => None,
            });
            weights.into_iter().chain(offsets).for_each(|weight| named.add(weight, diagnostics));
        }
        named
    }

    fn add(&mut self, weight: &WeightExpr, diagnostics: &mut Vec<Diagnostic>) {
        let Some(name) = &weight.name else { return };
        let span = weight.place.0;
        let value = weight.value.clone().map(|value| (value, span));
        let Some(before) = self.names.get_mut(name) else {
            let (index, fixed) = (parts(weight), weight.fixed);
            self.names.insert(name.clone(), WeightName { index, value, fixed, span, id: None });
            return;
        };
        before.fixed |= weight.fixed;
        if before.index != parts(weight) {
            let is_other_kind = before.index.len() == weight.index.len();
            let count = |number, place: &str| match number {
                _ if is_other_kind => format!("{place} kind of index"),
                0 => "no index".to_owned(),
                1 => "one index".to_owned(),
                number => format!("{number} indices"),
            };
            let (here, there) = (count(weight.index.len(), "one"), count(before.index.len(), "another"));
            let message = format!("the weight `{name}` has {here} here and {there} elsewhere");
            let help = "give one of the two weights another name";
            diagnostics.push(
                Diagnostic::error("E0401", span, message)
                    .also(before.span, format!("{there} here"))
                    .help(help),
            );
        }
        match (&before.value, value) {
            (Some((start, place)), Some((value, span))) if *start != value => {
                let message = format!("the weight `{name}` has two different starts");
                let help = if !before.index.is_empty() {
                    "a start counts for every index; a weight with a start of its own needs a name of its own"
                } else {
                    "write one start, or give one of the two weights another name"
                };
                diagnostics
                    .push(Diagnostic::error("E0402", span, message).also(*place, "the other one").help(help));
            }
            (None, value) => before.value = value,
            _ => {}
        }
    }
}

impl Resolver {
    /// Returns a weight in its place. No weight, and the fixed 1, are `None`.
    pub fn weight_use(
        &mut self,
        expr: Option<&WeightExpr>,
        variables: &mut Variables,
        scope: &mut IndexScope,
    ) -> Option<WeightUse> {
        let expr = expr?;
        let index = self.index(expr, variables, scope);
        let one = expr.fixed && expr.name.is_none() && expr.value == Some(WeightValue::Number(1.0));
        (!one).then(|| WeightUse { weight: self.weight_id(expr), index })
    }

    /// Gives the inputs of a body their weights.
    pub fn weigh(&mut self, body: &mut RuleBody<'_>, variables: &mut Variables, scope: &mut IndexScope) {
        for (input, expr) in body.inputs.iter_mut().zip(std::mem::take(&mut body.weights)) {
            input.weight = self.weight_use(expr, variables, scope);
        }
    }

    fn weight_id(&mut self, expr: &WeightExpr) -> WeightId {
        let Some(name) = &expr.name else {
            let weight = new_weight(None, expr.value.as_ref(), expr.fixed, expr.place.0);
            return self.weight(weight);
        };
        let known = self.named.names.get(name).map(|named| {
            let value = named.value.as_ref().map(|(value, _)| value);
            let mut weight = new_weight(Some(name), value, named.fixed, named.span);
            weight.index.clone_from(&named.index);
            (named.id, weight)
        });
        match known {
            Some((Some(id), _)) => id,
            Some((None, weight)) => {
                let id = self.weight(weight);
                self.named.names.entry(name.clone()).and_modify(|named| named.id = Some(id));
                id
            }
            None => self.weight(new_weight(Some(name), expr.value.as_ref(), expr.fixed, expr.place.0)),
        }
    }

    pub fn offset(&mut self, expr: &WeightExpr) -> Option<Offset> {
        if !expr.index.is_empty() {
            let message = "an offset has no index: it belongs to the whole rule or predicate";
            self.report(Diagnostic::error("E0404", expr.place.0, message).help("drop the index"));
            return None;
        }
        match (&expr.name, &expr.value, expr.fixed) {
            (None, Some(WeightValue::Number(number)), true) => Some(Offset::Fixed(*number)),
            _ => Some(Offset::Weight(self.weight_id(expr))),
        }
    }
}

/// Returns the parts of a weight's index.
fn parts(weight: &WeightExpr) -> Vec<IndexPart> {
    let part = |part: &IndexExpr| match part {
        IndexExpr::Term(_) => IndexPart::Constant,
        IndexExpr::Kind(_) => IndexPart::Kind,
        IndexExpr::Number(_) => IndexPart::Number,
    };
    weight.index.iter().map(part).collect()
}

pub(super) fn new_weight(name: Option<&str>, value: Option<&WeightValue>, fixed: bool, span: Span) -> Weight {
    let (shape, start) = match value {
        None => (Shape::NUMBER, Start::Random),
        Some(WeightValue::Number(number)) => (Shape::NUMBER, Start::Values(vec![*number])),
        Some(WeightValue::Vector(numbers)) => {
            (Shape::vector(numbers.len() as u32), Start::Values(numbers.clone()))
        }
        Some(WeightValue::Matrix(rows)) => {
            let columns = rows.first().map_or(0, Vec::len) as u32;
            (Shape::matrix(rows.len() as u32, columns), Start::Values(rows.concat()))
        }
        Some(WeightValue::Random(rows, columns)) => {
            (Shape::matrix(*rows, columns.unwrap_or(1)), Start::Random)
        }
    };
    Weight { name: name.map(Into::into), index: Vec::new(), shape, start, fixed, is_own_offset: false, span }
}
