//! Families, directives and options: which functions a rule or a predicate has.

use std::collections::BTreeMap;

use super::Resolver;
use super::body::RuleBody;
use super::settings::DirectiveSetting;
use crate::diagnostic::{Diagnostic, Span, did_you_mean};
use crate::function::{
    Activation, Aggregation, Combination, Combiner, Family, FunctionGraph, FunctionNode, Shape,
    Transformation, find_rule_function, rule_function_names,
};
use crate::syntax::ast::{
    ArgumentExpr, ArgumentValue, Clause, Directive, FunctionName, Item, ItemKind, OptionExpr, OptionValue,
};
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
            combination: self.family.atom.combination.into(),
            activation: self.atom_activation,
            offset: Offset::Fixed(self.family.atom.offset),
            shape: None,
            value: None,
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
    /// A transformation that is no activation: it comes after the combination.
    pub transformation: Option<Transformation>,
    /// The variables of the head that softmax goes over.
    pub over: Option<Vec<String>>,
    /// True if ground rules with one head and the same inputs count once.
    pub distinct: Option<bool>,
    pub learnable: Option<bool>,
    pub combination: Option<Combination>,
    pub aggregation: Option<Aggregation>,
    pub offset: Option<Offset>,
    /// Place of the options of a predicate.
    pub place: Option<Span>,
}

impl FunctionOptions {
    /// Returns whether they say something that an atom of facts alone has no use for.
    pub fn has_no_use(&self, family: &Family) -> bool {
        let of_atoms = self.activation.is_some()
            || self.transformation.is_some()
            || self.combination.is_some()
            || self.offset.is_some();
        self.aggregation.is_some() || (family.facts_enter_as_values && of_atoms)
    }
}

pub(super) type PredicateOptions = BTreeMap<PredicateId, FunctionOptions>;

pub(super) const DIRECTIVES: [&str; 6] =
    ["family", "atom_activation", "rule_activation", "aggregation", "recursion", "import"];
const OPTIONS: [&str; 6] =
    ["activation", "aggregation", "combination", "offset", "duplicate_grounding", "learnable"];

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

    pub fn predicate_options(&mut self, items: &[Item], family: &Family) -> PredicateOptions {
        let mut all = PredicateOptions::new();
        let mut settings: BTreeMap<PredicateId, Vec<DirectiveSetting>> = BTreeMap::new();
        for item in items {
            let ItemKind::Predicate(predicate) = &item.kind else { continue };
            let id = self.predicate(&predicate.name, predicate.arity as usize, item.place.0);
            settings.entry(id).or_default().extend(predicate.options.iter().map(DirectiveSetting::of));
            let given = self.given(&predicate.options, family);
            let before = all.entry(id).or_default();
            if given.activation.is_some() || given.transformation.is_some() {
                (before.activation, before.transformation) = (given.activation, given.transformation);
            }
            before.combination = given.combination.or(before.combination);
            before.aggregation = given.aggregation.or(before.aggregation);
            before.offset = given.offset.or(before.offset.take());
            before.place = Some(item.place.0);
        }
        settings.into_values().for_each(|settings| self.set_once("option", settings));
        all
    }

    /// Returns the options of a rule.
    pub fn options(&mut self, options: &[OptionExpr], family: &Family) -> FunctionOptions {
        self.set_once("option", options.iter().map(DirectiveSetting::of).collect());
        self.given(options, family)
    }

    fn given(&mut self, options: &[OptionExpr], family: &Family) -> FunctionOptions {
        let mut given = FunctionOptions::default();
        for option in options {
            match (option.key.as_str(), &option.value) {
                ("offset", OptionValue::Weight(weight)) => given.offset = self.offset(weight),
                (key, OptionValue::Function(function)) => {
                    self.option(key, function, option, family, &mut given);
                }
                (key, OptionValue::Weight(_)) => self.no_option(key, option),
            }
        }
        given
    }

    fn no_option(&mut self, key: &str, option: &OptionExpr) {
        let message = format!("there is no option `{key}`");
        let help = did_you_mean(key, OPTIONS).unwrap_or_else(|| format!("there are {}", OPTIONS.join(", ")));
        self.report(Diagnostic::error("E0202", option.key_place.0, message).help(help));
    }

    fn option(
        &mut self,
        key: &str,
        function: &FunctionName,
        option: &OptionExpr,
        family: &Family,
        given: &mut FunctionOptions,
    ) {
        match key {
            "activation" | "transformation" => match self.transformation(function, family) {
                Some(Some(transformation)) => match transformation.activation() {
                    Some(activation) => given.activation = Some(activation),
                    None => {
                        given.activation = Some(Activation::Identity);
                        given.transformation = Some(transformation);
                    }
                },
                Some(None) => {}
                None => {
                    let (name, place) = (&function.name, option.place.0);
                    let found =
                        self.known(name, place, "activation", find_rule_function, rule_function_names());
                    if let Some((combination, activation)) = found {
                        given.activation = Some(activation);
                        given.combination = combination.map(|it| of_family(it, family)).or(given.combination);
                    }
                }
            },
            "aggregation" if function.name.eq_ignore_ascii_case("concat") => {
                let message = "ground rules have no order, so their values cannot be joined into one";
                let help = "take their sum, mean or largest; or give each a head of its own and join those: `[combination = concat]`";
                self.report(Diagnostic::error("E0211", option.place.0, message).help(help));
            }
            "aggregation" if function.name.eq_ignore_ascii_case("sparsemax") => {
                let message = "ground rules have no order, so their shares, a number for each, cannot be joined into one";
                let help = "name the term that shares go over, `aggregation = softmax(Y)`; or give each a head of its own and join those: `[combination = sparsemax]`";
                self.report(Diagnostic::error("E0211", option.place.0, message).help(help));
            }
            "aggregation" => {
                let (name, place) = (&function.name, option.place.0);
                given.aggregation =
                    self.known(name, place, "aggregation", Aggregation::find, Aggregation::names());
                if given.aggregation == Some(Aggregation::Softmax) && !function.arguments.is_empty() {
                    given.over = self.variables_of(function);
                } else if !function.arguments.is_empty() {
                    self.no_arguments(function);
                }
            }
            "combination" => given.combination = self.combination(function, family),
            "duplicate_grounding" => given.distinct = self.truth(function).map(|is_true| !is_true),
            "learnable" => given.learnable = self.truth(function),
            key => self.no_option(key, option),
        }
    }

    fn truth(&mut self, function: &FunctionName) -> Option<bool> {
        match function.name.to_ascii_lowercase().as_str() {
            "true" => Some(true),
            "false" => Some(false),
            name => {
                let message = format!("expected `true` or `false`, found `{name}`");
                self.report(Diagnostic::error("E0209", function.place.0, message));
                None
            }
        }
    }

    fn no_arguments(&mut self, function: &FunctionName) {
        let message = format!("`{}` has no such arguments", function.name);
        let help = "there are leaky-relu(0.2), slice(rows = [0, 2], cols = [0, 1]), reshape(shape = [2, 3]), concat(axis = 0) and, as an aggregation, softmax(Y)";
        self.report(Diagnostic::error("E0207", function.place.0, message).help(help));
    }

    fn variables_of(&mut self, function: &FunctionName) -> Option<Vec<String>> {
        let mut names = Vec::new();
        for argument in &function.arguments {
            match (&argument.value, argument.key.as_deref()) {
                (ArgumentValue::Variables(own), None | Some("agg_terms")) => {
                    names.extend(own.iter().cloned());
                }
                _ => {
                    self.no_arguments(function);
                    return None;
                }
            }
        }
        Some(names)
    }

    /// Returns the transformation with this name: `None` where it names none, `Some(None)` where its arguments are
    /// wrong, which has been told.
    pub fn transformation(
        &mut self,
        function: &FunctionName,
        family: &Family,
    ) -> Option<Option<Transformation>> {
        let numbers = |key: &str| -> Option<Vec<u32>> {
            let found = function.arguments.iter().find(|argument| argument.key.as_deref() == Some(key));
            match found.map(|argument| &argument.value) {
                Some(ArgumentValue::Numbers(numbers)) => {
                    let is_whole = |number: &f64| number.fract() == 0.0 && (0.0..1e6).contains(number);
                    Some(numbers.iter().copied().filter(is_whole).map(|number| number as u32).collect())
                }
                _ => None,
            }
        };
        let range = |key: &str| match numbers(key).as_deref() {
            Some(&[from, to]) => Some(Some((from, to))),
            Some(_) => None,
            None => Some(None),
        };
        let known = |keys: &[&str]| {
            function
                .arguments
                .iter()
                .all(|argument| argument.key.as_deref().is_some_and(|it| keys.contains(&it)))
        };
        let found: Option<Transformation> = match function.name.to_ascii_lowercase().as_str() {
            "transpose" | "transp" => function.arguments.is_empty().then_some(Transformation::Transpose),
            "slice" => range("rows")
                .zip(range("cols").or(range("columns")))
                .filter(|_| known(&["rows", "cols", "columns"]))
                .map(|(rows, columns)| Transformation::Slice { rows, columns }),
            "reshape" => match numbers("shape").as_deref() {
                Some(&[rows]) if rows > 0 => Some(Transformation::Reshape(Shape::vector(rows))),
                Some(&[rows, columns]) if rows > 0 && columns > 0 => {
                    Some(Transformation::Reshape(Shape::matrix(rows, columns)))
                }
                _ => None,
            },
            _ => {
                // What both tables know is a combination where it has several inputs.
                let activation = Activation::find(&function.name)?;
                match (activation, &function.arguments[..]) {
                    (activation, []) => Some(of_peer(activation, &function.name, family).into()),
                    (Activation::LeakyRelu, [ArgumentExpr { value: ArgumentValue::Numbers(slope), .. }]) => {
                        slope.first().map(|&slope| Transformation::LeakyRelu(slope))
                    }
                    _ => None,
                }
            }
        };
        if found.is_none() {
            self.no_arguments(function);
        }
        Some(found)
    }

    /// Returns the combination with this name.
    pub fn combination(&mut self, function: &FunctionName, family: &Family) -> Option<Combination> {
        let (name, place) = (&function.name, function.place.0);
        let found = self.known(name, place, "combination", Combination::find, Combination::names())?;
        let axis = match &function.arguments[..] {
            [] => return Some(of_family(found, family)),
            [ArgumentExpr { key: Some(key), value: ArgumentValue::Numbers(axis) }] if key == "axis" => axis,
            _ => &Vec::new(),
        };
        match (found, &axis[..]) {
            (Combination::Concat, [0.0]) => Some(Combination::Concat),
            (Combination::Concat, [-1.0]) => Some(Combination::Flat),
            _ => {
                self.no_arguments(function);
                None
            }
        }
    }

    /// Returns the functions of a rule: its own options, then those of its head's predicate, then the template's.
    pub fn rule_functions(
        &mut self,
        given: FunctionOptions,
        head: Option<&FunctionOptions>,
        defaults: &Defaults,
        body: &mut RuleBody<'_>,
        clause: &Clause,
    ) -> RuleFunctions {
        let family = defaults.family;
        let own = given.combination.or(defaults.rule_combination);
        let aggregation =
            given.aggregation.or(head.and_then(|head| head.aggregation)).unwrap_or(defaults.aggregation);
        if family.is_neuralogic() && aggregation == Aggregation::Softmax && given.over.is_none() {
            let message = "NeuraLogic's softmax gives a vector of shares here, one for each ground rule";
            let help = "this one is the mean weighted by softmax; for shares, name the term they go over: `aggregation = softmax(Y)`";
            self.report(Diagnostic::note("T0604", clause.head.place.0, message).help(help));
        }
        // NeuraLogic counts ground rules, whatever the shape of their values: the count is a number.
        let counts = family.is_neuralogic() && aggregation == Aggregation::Count;
        let combination = match own {
            _ if counts => Combination::Count,
            own => own.unwrap_or(family.rule.combination),
        };
        let mut combiner = match counts {
            true => Combiner::All(combination),
            false => body.combiner(combination),
        };
        if let Some(transformation) = given.transformation.filter(|_| !counts) {
            if given.offset.is_some() {
                let message = "an offset is added before the function, which changes the shape of the value";
                let help = "give the value a predicate of its own, and the function to a rule over it";
                self.report(Diagnostic::error("E0210", clause.head.place.0, message).help(help));
            }
            combiner = match combiner {
                Combiner::All(combination) => {
                    Combiner::Graph(FunctionGraph::transformed(transformation, combination))
                }
                Combiner::Graph(mut graph) => {
                    let last = graph.nodes.len() as u32 - 1;
                    graph.push(FunctionNode::Transformed(transformation, last));
                    Combiner::Graph(graph)
                }
            };
        }
        // −k and b0 belong to the family's own way of combining inputs.
        let kept = combiner == Combiner::All(family.rule.combination);
        let offset = given.offset.unwrap_or(Offset::Fixed(if kept { family.rule.offset } else { 0.0 }));
        RuleFunctions {
            minus_inputs: kept && family.rule.minus_inputs,
            combination: combiner,
            activation: given.activation.unwrap_or(defaults.rule_activation),
            aggregation,
            offset,
        }
    }
}

/// Returns what NeuraLogic means by the name of an activation, under its family.
fn of_peer(activation: Activation, name: &str, family: &Family) -> Activation {
    let is_theirs = family.is_neuralogic() && name.eq_ignore_ascii_case("lukasiewicz");
    if is_theirs { Activation::LukasiewiczSigmoid } else { activation }
}

/// Returns what NeuraLogic means by the name of a combination, under its family.
fn of_family(combination: Combination, family: &Family) -> Combination {
    match combination {
        Combination::Concat if family.is_neuralogic() => Combination::Flat,
        combination => combination,
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
