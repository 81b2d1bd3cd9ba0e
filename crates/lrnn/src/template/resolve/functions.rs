//! Families, directives and options: which functions a rule or a predicate has.

use std::collections::BTreeMap;

use super::Resolver;
use super::settings::DirectiveSetting;
use crate::diagnostic::{Diagnostic, Span, did_you_mean};
use crate::function::{
    Activation, Aggregation, Combination, Family, find_rule_function, rule_function_names,
};
use crate::syntax::ast::{Directive, Item, ItemKind, OptionExpr, OptionValue};
use crate::template::{MOST_STEPS, Offset, Predicate, Recursion, RuleFunctions};
use crate::vocabulary::PredicateId;

/// The defaults of the whole template.
pub(super) struct Defaults {
    pub family: &'static Family,
    pub atom_activation: Activation,
    pub rule_activation: Activation,
    pub rule_combination: Option<Combination>,
    pub aggregation: Aggregation,
    pub recursion: Recursion,
}

impl Defaults {
    /// Returns a predicate of which nothing else is said.
    pub fn predicate(&self) -> Predicate {
        Predicate {
            combination: self.family.atom.combination,
            activation: self.atom_activation,
            offset: Offset::Fixed(self.family.atom.offset),
            shape: None,
            is_head: false,
            has_facts: false,
            span: Span::default(),
        }
    }
}

/// The options of a rule or predicate; `None` where they say nothing.
#[derive(Default)]
pub(super) struct FunctionOptions {
    pub activation: Option<Activation>,
    pub combination: Option<Combination>,
    pub aggregation: Option<Aggregation>,
    pub offset: Option<Offset>,
    /// Place of the options of a predicate.
    pub place: Option<Span>,
}

impl FunctionOptions {
    /// Returns whether they say something that an atom of facts alone has no use for.
    pub fn has_no_use(&self, family: &Family) -> bool {
        let of_atoms = self.activation.is_some() || self.combination.is_some() || self.offset.is_some();
        self.aggregation.is_some() || (family.facts_enter_as_values && of_atoms)
    }
}

pub(super) type PredicateOptions = BTreeMap<PredicateId, FunctionOptions>;

pub(super) const DIRECTIVES: [&str; 6] =
    ["family", "atom_activation", "rule_activation", "aggregation", "recursion", "import"];
const OPTIONS: [&str; 4] = ["activation", "aggregation", "combination", "offset"];

impl Resolver {
    pub fn defaults(&mut self, items: &[Item], family: Option<&'static Family>) -> Defaults {
        let directives: Vec<(&Directive, Span)> = items
            .iter()
            .filter_map(|item| match &item.kind {
                ItemKind::Directive(directive) => Some((directive, item.place.0)),
                _ => None,
            })
            .collect();
        let mut chosen: Option<(&'static Family, Span)> = None;
        for (directive, span) in directives.iter().filter(|(directive, _)| directive.name == "family") {
            let found =
                self.known(&directive.argument, directive.place.0, "family", Family::find, Family::names());
            match (found, chosen) {
                (Some(found), Some((before, place))) if found.name != before.name => {
                    let message = format!("the family is `{}` and `{}`", before.name, found.name);
                    let help = "a template has one family; predicates and rules may change their functions";
                    self.report(
                        Diagnostic::error("E0204", *span, message).also(place, "first here").help(help),
                    );
                }
                (Some(found), _) => chosen = Some((found, *span)),
                (None, _) => {}
            }
        }
        let family = family.or(chosen.map(|(family, _)| family)).unwrap_or_default();
        let mut defaults = Defaults {
            family,
            atom_activation: family.atom.activation,
            rule_activation: family.rule.activation,
            rule_combination: None,
            aggregation: family.aggregation,
            recursion: Recursion::default(),
        };
        // Two families are an error, which has been told.
        let others = directives.iter().filter(|(directive, _)| directive.name != "family");
        self.set_once(
            "directive",
            others.map(|(directive, span)| DirectiveSetting::by(directive, *span)).collect(),
        );
        for (directive, span) in directives {
            self.directive(directive, span, &mut defaults);
        }
        defaults
    }

    fn directive(&mut self, directive: &Directive, span: Span, defaults: &mut Defaults) {
        let (argument, place) = (directive.argument.as_str(), directive.place.0);
        match directive.name.as_str() {
            "family" => {}
            "atom_activation" => {
                let found = self.known(argument, place, "activation", Activation::find, Activation::names());
                defaults.atom_activation = found.unwrap_or(defaults.atom_activation);
            }
            "rule_activation" => {
                let found =
                    self.known(argument, place, "activation", find_rule_function, rule_function_names());
                if let Some((combination, activation)) = found {
                    defaults.rule_activation = activation;
                    defaults.rule_combination = combination;
                }
            }
            "aggregation" => {
                let found =
                    self.known(argument, place, "aggregation", Aggregation::find, Aggregation::names());
                defaults.aggregation = found.unwrap_or(defaults.aggregation);
            }
            "recursion" => match recursion(argument) {
                Some(found) => defaults.recursion = found,
                None => {
                    let message = format!("`{argument}` is no meaning of recursion");
                    let help = format!(
                        "there are `fixed_point`, `steps = 8` (from 1 to {MOST_STEPS}) and `none`, which refuses cycles"
                    );
                    self.report(Diagnostic::error("E0604", place, message).help(help));
                }
            },
            name => {
                let message = format!("there is no directive `{name}`");
                let help = did_you_mean(name, DIRECTIVES)
                    .unwrap_or_else(|| format!("there are {}", DIRECTIVES.join(", ")));
                self.report(Diagnostic::error("E0203", span, message).help(help));
            }
        }
    }

    /// Returns what a name means, or a message that says what names there are.
    fn known<T>(
        &mut self,
        name: &str,
        span: Span,
        kind: &str,
        find: impl Fn(&str) -> Option<T>,
        names: impl Iterator<Item = &'static str>,
    ) -> Option<T> {
        let found = find(name);
        if found.is_none() {
            let names: Vec<&str> = names.collect();
            let help = did_you_mean(&name.replace('_', "-"), names.iter().copied())
                .unwrap_or_else(|| format!("there are {}", kinds(kind)));
            let message = format!("there is no {kind} `{name}`");
            self.report(Diagnostic::error("E0201", span, message).help(help));
        }
        found
    }

    pub fn predicate_options(&mut self, items: &[Item]) -> PredicateOptions {
        let mut all = PredicateOptions::new();
        let mut settings: BTreeMap<PredicateId, Vec<DirectiveSetting>> = BTreeMap::new();
        for item in items {
            let ItemKind::Predicate(predicate) = &item.kind else { continue };
            let id = self.predicate(&predicate.name, predicate.arity as usize, item.place.0);
            settings.entry(id).or_default().extend(predicate.options.iter().map(DirectiveSetting::of));
            let given = self.given(&predicate.options);
            self.check_combination(&given, item.place.0);
            let before = all.entry(id).or_default();
            before.activation = given.activation.or(before.activation);
            before.combination = given.combination.or(before.combination);
            before.aggregation = given.aggregation.or(before.aggregation);
            before.offset = given.offset.or(before.offset.take());
            before.place = Some(item.place.0);
        }
        settings.into_values().for_each(|settings| self.set_once("option", settings));
        all
    }

    /// Refuses combinations that need an order: an atom has as many inputs as rules happen to give it, in no order that
    /// would mean anything.
    fn check_combination(&mut self, given: &FunctionOptions, span: Span) {
        let Some(combination) = given.combination else { return };
        if matches!(combination, Combination::Product | Combination::CrossSum | Combination::Concat) {
            let message = format!("a predicate cannot combine its rules by {}", combination.name());
            let help = "an atom has as many inputs as there are rules for it: use sum, mean, min, max or element-product";
            self.report(Diagnostic::error("E0206", span, message).help(help));
        }
    }

    /// Returns the options of a rule.
    pub fn options(&mut self, options: &[OptionExpr]) -> FunctionOptions {
        self.set_once("option", options.iter().map(DirectiveSetting::of).collect());
        self.given(options)
    }

    fn given(&mut self, options: &[OptionExpr]) -> FunctionOptions {
        let mut given = FunctionOptions::default();
        for option in options {
            let place = option.place.0;
            match (option.key.as_str(), &option.value) {
                ("activation" | "transformation", OptionValue::Name(name)) => {
                    let found =
                        self.known(name, place, "activation", find_rule_function, rule_function_names());
                    if let Some((combination, activation)) = found {
                        given.activation = Some(activation);
                        given.combination = combination.or(given.combination);
                    }
                }
                ("aggregation", OptionValue::Name(name)) => {
                    given.aggregation =
                        self.known(name, place, "aggregation", Aggregation::find, Aggregation::names());
                }
                ("combination", OptionValue::Name(name)) => {
                    given.combination =
                        self.known(name, place, "combination", Combination::find, Combination::names());
                }
                ("offset", OptionValue::Weight(weight)) => given.offset = self.offset(weight),
                (key, _) => {
                    let message = format!("there is no option `{key}`");
                    let help = did_you_mean(key, OPTIONS)
                        .unwrap_or_else(|| format!("there are {}", OPTIONS.join(", ")));
                    self.report(Diagnostic::error("E0202", option.key_place.0, message).help(help));
                }
            }
        }
        given
    }

    /// Returns the functions of a rule: its own options, then those of its head's predicate, then the template's.
    pub fn rule_functions(
        &self,
        given: FunctionOptions,
        head: Option<&FunctionOptions>,
        defaults: &Defaults,
    ) -> RuleFunctions {
        let family = defaults.family;
        let own = given.combination.or(defaults.rule_combination);
        let combination = own.unwrap_or(family.rule.combination);
        // −k and b0 belong to the family's own way of combining inputs.
        let kept = combination == family.rule.combination;
        let offset = given.offset.unwrap_or(Offset::Fixed(if kept { family.rule.offset } else { 0.0 }));
        RuleFunctions {
            combination,
            minus_inputs: kept && family.rule.minus_inputs,
            activation: given.activation.unwrap_or(defaults.rule_activation),
            aggregation: given
                .aggregation
                .or(head.and_then(|head| head.aggregation))
                .unwrap_or(defaults.aggregation),
            offset,
        }
    }
}

/// Returns what there is of a kind, each by its own name alone.
fn kinds(kind: &str) -> String {
    let names: Vec<&str> = match kind {
        "family" => Family::names().collect(),
        "aggregation" => Aggregation::ALL.iter().map(|known| known.name()).collect(),
        "combination" => Combination::ALL.iter().map(|known| known.name()).collect(),
        _ => Activation::ALL.iter().map(|known| known.name()).collect(),
    };
    names.join(", ")
}

/// Returns the meaning of recursion that an argument names.
fn recursion(argument: &str) -> Option<Recursion> {
    match argument.replace('-', "_").as_str() {
        "fixed_point" => Some(Recursion::FixedPoint),
        "none" => Some(Recursion::None),
        steps => {
            let number: u32 = steps.strip_prefix("steps = ")?.parse().ok()?;
            (1..=MOST_STEPS).contains(&number).then_some(Recursion::Steps(number))
        }
    }
}
