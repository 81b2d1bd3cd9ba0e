//! Settings that nobody named, chosen from the template and the data.

use super::example_queries::suitable_loss;
use super::kernel::Readout;
use super::optimizer::Optimizer;
use super::setting::NamedSettings;
use super::settings::Settings;
use crate::data::Dataset;
use crate::function::Activation;
use crate::template::{IndexPart, Rule, Start, Template, Weight};

/// Facts up to which every step looks at all examples.
const MOST_FACTS: usize = 3_000_000;
/// Facts that restarts may look at together in an epoch.
const FACTS_OF_RESTARTS: usize = 100_000;
const MOST_RESTARTS: usize = 100;
/// Queries from which on the weights of rules are drawn to 0.
const ENOUGH_QUERIES: usize = 100;
/// L2 regularisation of weights by kind, and of few weights, the latter to be divided by the number of queries.
const L2_OF_KINDS: f64 = 2e-4;
const L2_OF_RULES: f64 = 0.01;

impl Settings {
    /// Returns the settings with everything chosen that `auto` as the optimizer leaves open. What was set by name, or
    /// is not at its default, stays.
    #[must_use]
    pub fn chosen(&self, template: &Template, dataset: &Dataset) -> Self {
        let mut settings = self.clone();
        if self.optimizer != Optimizer::Auto {
            return settings.with_members(&self.named);
        }
        settings.optimizer = Optimizer::Adam;
        // What knows the curvature needs the same loss in every step.
        if self.dropout.0 > 0.0 || (self.is_sampled() && dataset.fact_count() <= MOST_FACTS) {
            return settings.with_members(&self.named);
        }
        for (name, value) in self.choice(template, dataset) {
            if name == "optimizer" || self.is_open(name) {
                // The values are of our own making.
                drop(settings.set(name, &value));
            }
        }
        settings.with_members(&self.named)
    }

    fn choice(&self, template: &Template, dataset: &Dataset) -> Vec<(&'static str, String)> {
        match self.readout {
            Readout::Weights => choice(template, dataset),
            // It has one optimum, and chooses its regularisation itself.
            Readout::Kernel => vec![("optimizer", "lbfgs".to_owned())],
        }
    }

    /// Returns the settings with a restart for every member of the ensemble, unless the number of restarts was named.
    fn with_members(mut self, named: &NamedSettings) -> Self {
        if !named.has("restarts") {
            self.restarts.0 = self.restarts.0.max(self.ensemble.0);
        }
        self
    }

    /// Goes through the settings that are not left open, with their values as text: all that is needed to have the same
    /// settings again.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.pairs().filter(|(name, _)| !self.is_open(name))
    }

    /// Returns whether a setting was not set by name and is at its default.
    fn is_open(&self, name: &str) -> bool {
        let default = Self::default();
        let is_default = |setting: &super::Setting<Self>| (setting.get)(self) == (setting.get)(&default);
        !self.named.has(name) && Self::find(name).is_some_and(is_default)
    }

    /// Returns what was chosen, in one line, with the loss if that was not named; `None` if nothing else was.
    pub fn choice_sentence(&self, chosen: &Self, template: &Template, dataset: &Dataset) -> Option<String> {
        let before: Vec<(&str, String)> = self.pairs().collect();
        let mut changed: Vec<String> = (chosen.pairs().zip(before))
            .filter(|(new, old)| new.1 != old.1)
            .map(|((name, value), _)| format!("{name} {}", short(&value)))
            .collect();
        if changed.is_empty() {
            return None;
        }
        if chosen.loss.is_none() {
            changed.push(format!("loss {}", suitable_loss(template, dataset)));
        }
        Some(format!("settings chosen: {}", changed.join(", ")))
    }
}

/// Returns a value as people read it: a long number to two digits.
fn short(value: &str) -> String {
    match value.parse::<f64>() {
        Ok(number) if value.len() > 8 => format!("{number:.1e}"),
        _ => value.to_owned(),
    }
}

/// Counts the queries with a target.
fn query_count(dataset: &Dataset) -> usize {
    dataset.queries.iter().flatten().filter(|query| query.target.is_some()).count()
}

/// Returns the settings for a template and data. Steps that know the curvature learn what gradients alone do not, as long
/// as every step can look at all examples; the loss has kinks and valleys, so small data is begun several times.
fn choice(template: &Template, dataset: &Dataset) -> Vec<(&'static str, String)> {
    let facts = dataset.fact_count();
    let queries = query_count(dataset);
    if facts > MOST_FACTS {
        let names = ["optimizer", "learning_rate", "schedule", "batch_size", "epochs"];
        return names.into_iter().zip(["adam", "0.003", "cosine", "32", "30"].map(str::to_owned)).collect();
    }
    let mut chosen = vec![("optimizer", "lbfgs".to_owned()), ("learning_rate", "1.0".to_owned())];
    let is_random = |weight: &Weight| !weight.fixed && weight.start == Start::Random;
    if template.weights.iter().any(is_random) {
        let restarts = (FACTS_OF_RESTARTS / facts.max(1)).clamp(1, MOST_RESTARTS);
        chosen.push(("restarts", restarts.to_string()));
        // No answer is wrong with less, by cross-entropy, and none by squares.
        chosen.push(("target_loss", format!("{:.0e}", 0.1 / queries.max(1) as f64)));
        chosen.extend(start(template).map(|(name, value)| (name, value.to_owned())));
    }
    let is_many = |weight: &Weight| weight.index.iter().any(|part| *part != IndexPart::Constant);
    if template.weights.iter().any(is_many) {
        // There are as many as kinds of atoms, and more with more data: they can answer anything, and without a penalty
        // that does not shrink they grow beyond all bounds.
        chosen.push(("l2", format!("{L2_OF_KINDS:?}")));
    } else if queries >= ENOUGH_QUERIES {
        chosen.push(("l2", format!("{:?}", L2_OF_RULES / queries as f64)));
    }
    chosen
}

/// Returns where weights begin, unless as always: inside the bounds where conjunctions have some, since nothing has a
/// slope beyond them, and farther apart where the smallest of some inputs counts and not their sum.
fn start(template: &Template) -> Option<(&'static str, &'static str)> {
    let is_any =
        |is_it: fn(&Rule) -> bool| template.rules.iter().any(|rule| rule.inputs.len() > 1 && is_it(rule));
    let has_bounds = |rule: &Rule| {
        matches!(rule.functions.activation, Activation::LukasiewiczConjunction | Activation::Lukasiewicz)
    };
    match () {
        () if is_any(has_bounds) => Some(("initialisation", "truth")),
        () if is_any(|rule| rule.functions.combination.takes_one()) => Some(("initialisation_scale", "2.0")),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Layout;
    use crate::network::Initialisation;
    use crate::train::Count;

    fn data(template: &Template, examples: usize) -> Dataset {
        let mut builder = template.data();
        builder.text("data", &"1 p :- q(a), q(b).\n".repeat(examples), Layout::Examples);
        builder.build().expect("data")
    }

    #[test]
    fn what_is_open_is_chosen_and_what_is_named_stays() {
        let template = Template::parse("w :: p :- q(X).").expect("a template");
        let small = data(&template, 5);
        let chosen = Settings::default().chosen(&template, &small);
        assert_eq!((chosen.optimizer, chosen.restarts.0, chosen.l2), (Optimizer::Lbfgs, 100, 0.0));
        let mut named = Settings { learning_rate: 0.5, ..Settings::default() };
        named.set("restarts", "1").expect("a setting");
        let kept = named.chosen(&template, &small);
        assert_eq!((kept.optimizer, kept.restarts.0, kept.learning_rate), (Optimizer::Lbfgs, 1, 0.5));
        let sentence = named.choice_sentence(&kept, &template, &small);
        let expected = "settings chosen: optimizer lbfgs, target_loss 0.02, loss cross-entropy";
        assert_eq!(sentence.as_deref(), Some(expected));
        let ensemble = Settings { ensemble: Count(130), ..Settings::default() };
        assert_eq!(ensemble.chosen(&template, &small).restarts.0, 130);
        let adam = Settings { optimizer: Optimizer::Adam, ..Settings::default() };
        assert_eq!(adam.chosen(&template, &small), adam);
        assert_eq!(adam.choice_sentence(&adam, &template, &small), None);
    }

    #[test]
    fn weights_by_kind_are_drawn_to_0_more_and_begin_once() {
        let template = Template::parse("w[q(X), #] = 0 :: p :- *q(X).").expect("a template");
        for examples in [5, 200] {
            let chosen = Settings::default().chosen(&template, &data(&template, examples));
            assert_eq!((chosen.restarts.0, chosen.l2), (1, L2_OF_KINDS));
        }
    }

    #[test]
    fn weights_of_fuzzy_logics_begin_where_they_can_learn() {
        let start = |family: &str, body: &str| {
            let template =
                Template::parse(&format!(":- family({family}). w :: p :- {body}.")).expect("a template");
            let chosen = Settings::default().chosen(&template, &data(&template, 5));
            (chosen.initialisation, chosen.initialisation_scale)
        };
        assert_eq!(start("lukasiewicz", "q(X), q(Y)"), (Initialisation::Truth, 1.0));
        assert_eq!(start("lukasiewicz", "q(X)"), (Initialisation::FanIn, 1.0));
        assert_eq!(start("godel", "q(X), q(Y)"), (Initialisation::FanIn, 2.0));
        assert_eq!(start("max_sigmoid", "q(X), q(Y)"), (Initialisation::FanIn, 1.0));
    }

    #[test]
    fn what_is_given_makes_the_same_settings_again() {
        let mut settings = Settings { epochs: 7, ..Settings::default() };
        settings.set("restarts", "1").expect("a setting");
        let mut again = Settings::default();
        for (name, value) in settings.given() {
            again.set(name, &value).expect("a setting");
        }
        assert_eq!((again.epochs, again.named.has("restarts"), again.named.has("l2")), (7, true, false));
    }
}
