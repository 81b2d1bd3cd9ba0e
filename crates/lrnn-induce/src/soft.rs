//! Soft rules: a literal that tests a value becomes one that is fulfilled to a degree, which is learned for every value.
//! What `element(A, n)` asks for is then a latent group, `like_n(A)`, which all rules share that ask for it: it begins as
//! n alone, other elements join it as far as the data wants them to, and regularisation draws them back. All weights are
//! learned jointly by the engine, from those that were grown; how strong the regularisation is, and whether soft rules
//! pay at all, is decided on inner folds in which rules are grown anew.

use std::collections::BTreeMap;
use std::fmt::Write;

use lrnn::data::Dataset;
use lrnn::threads::try_each;
use lrnn::train::{Count, Loss, NoObserver, Optimizer, Settings};
use lrnn::{Error, Limits, Model, Stop, Template, Training, TrainingOptions};
use serde::{Deserialize, Serialize};

use crate::clause::{Argument, LatticeClause, LatticeLiteral, LiteralKind};
use crate::folds::inner_folds;
use crate::growth::{Growth, GrowthOptions};
use crate::growth_choice::{GrowthChoice, mean};
use crate::induction::short;
use crate::linear::TargetKind;
use crate::problem::GoalProblem;

/// Strengths of L2 regularisation to choose from, as multiples of that of the grown weights.
const STRENGTHS: [f64; 3] = [1.0, 4.0, 16.0];
/// Epochs of L-BFGS.
const EPOCHS: u32 = 40;
/// Values that belong to a group to a lesser degree are left out of what is written.
const LEAST_DEGREE: f64 = 0.03;
/// A test by a relation with one term is made soft if its type has so many of them at most.
const MOST_KINDS: usize = 80;

/// A way to tell a value of an individual: a relation with a column for it, or one of several relations with one term.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum SoftTest {
    /// A relation, the column of the value, and the value.
    Value(u32, usize, u32),
    /// A relation with one term.
    Kind(u32),
}

/// A latent group: what is like a value.
#[derive(Clone, Debug)]
struct SoftGroup {
    test: SoftTest,
    name: String,
}

/// The soft rules of one goal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SoftRules {
    /// Sentences: the groups, the base and the rules, with learned weights and comments.
    pub sentences: String,
    /// Strength of L2 regularisation, as a factor of half the sum of squared weights beside the mean loss.
    pub l2: f64,
    /// Mean loss on inner folds of crisp rules and of soft ones.
    pub inner_losses: (f64, f64),
}

/// Rules that were made soft, and what they answer.
#[derive(Clone, Debug)]
pub(crate) struct SoftFit {
    pub rules: SoftRules,
    /// The sum of each query.
    pub sums: Vec<f64>,
}

/// The rules of a goal in a form that the engine learns.
struct SoftTemplate<'a> {
    problem: &'a GoalProblem,
    growth: &'a Growth,
    groups: Vec<SoftGroup>,
}

impl<'a> SoftTemplate<'a> {
    /// Returns the rules with their groups; none if no literal can be soft.
    fn new(problem: &'a GoalProblem, growth: &'a Growth) -> Option<Self> {
        let mut template = Self { problem, growth, groups: Vec::new() };
        for rule in growth.rules.iter().filter(|rule| rule.found.clause.count.is_none()) {
            for literal in &rule.found.clause.body {
                if let Some(test) = template.test(literal, &rule.found.clause) {
                    template.add_group(test);
                }
            }
        }
        (!template.groups.is_empty()).then_some(template)
    }

    /// Returns what a literal tests, if that can be soft: a value of an individual.
    fn test(&self, literal: &LatticeLiteral, clause: &LatticeClause) -> Option<SoftTest> {
        if literal.kind != LiteralKind::Holds {
            return None;
        }
        let is_individual =
            |at: u8| self.problem.bias().types[clause.types[at as usize] as usize].is_individual();
        match literal.arguments[..] {
            [Argument::Variable(at)] if is_individual(at) => {
                let kinds = self.kinds(literal.relation);
                (2..=MOST_KINDS).contains(&kinds.len()).then_some(SoftTest::Kind(literal.relation))
            }
            [Argument::Variable(at), Argument::Value(value)] if is_individual(at) => {
                Some(SoftTest::Value(literal.relation, 1, value))
            }
            [Argument::Value(value), Argument::Variable(at)] if is_individual(at) => {
                Some(SoftTest::Value(literal.relation, 0, value))
            }
            _ => None,
        }
    }

    /// Returns the relations with one term of the same type that rules may speak of.
    fn kinds(&self, relation: u32) -> Vec<u32> {
        let (facts, bias) = (self.problem.facts(), self.problem.bias());
        let own = &bias.relations[relation as usize].types;
        let is_kind = |at: &u32| {
            let (known, bias) = (&facts.relations[*at as usize], &bias.relations[*at as usize]);
            known.arity == 1 && bias.types == *own && !bias.is_forbidden
        };
        (0..facts.relations.len() as u32).filter(is_kind).collect()
    }

    fn add_group(&mut self, test: SoftTest) {
        if self.groups.iter().any(|group| group.test == test) {
            return;
        }
        let facts = self.problem.facts();
        let word = match test {
            SoftTest::Value(_, _, value) => facts.constants[value as usize].to_string(),
            SoftTest::Kind(relation) => facts.relations[relation as usize].name.clone(),
        };
        let plain: String =
            word.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        let goal =
            if self.problem.number == 0 { String::new() } else { format!("{}_", self.problem.number + 1) };
        let mut name = format!("{}_{goal}{}", facts.free_name("like"), plain.trim_matches('_'));
        while self.groups.iter().any(|group| group.name == name) {
            name.push('_');
        }
        self.groups.push(SoftGroup { test, name });
    }

    fn group(&self, literal: &LatticeLiteral, clause: &LatticeClause) -> Option<&SoftGroup> {
        let test = self.test(literal, clause)?;
        self.groups.iter().find(|group| group.test == test)
    }

    /// Returns a rule without its weight, whether it is soft, and the sentences that it needs.
    fn rule(&self, at: usize) -> (String, bool, Vec<String>) {
        let clause = &self.growth.rules[at].found.clause;
        let (facts, bias) = (self.problem.facts(), self.problem.bias());
        let is_soft = clause.count.is_none() && clause.body.iter().any(|it| self.group(it, clause).is_some());
        if !is_soft {
            let text = clause.rule_text(facts, bias, &format!("soft_{}", self.problem.rule_label(at)));
            return (text.rule + ".", false, text.definitions);
        }
        let name = |literal: &LatticeLiteral| self.group(literal, clause).map(|group| group.name.clone());
        let text = clause.soft_text(facts, bias, &name);
        (format!("{text}. [combination = product, aggregation = max]"), true, Vec::new())
    }

    /// Returns the test of a group with a variable or another value in place of its own.
    fn test_text(&self, test: &SoftTest, value: &str) -> String {
        let facts = self.problem.facts();
        match *test {
            SoftTest::Value(relation, 1, _) => {
                format!("{}(A, {value})", facts.relations[relation as usize].name)
            }
            SoftTest::Value(relation, ..) => {
                format!("{}({value}, A)", facts.relations[relation as usize].name)
            }
            SoftTest::Kind(_) => format!("{value}(A)"),
        }
    }

    fn own_value(&self, test: &SoftTest) -> String {
        let facts = self.problem.facts();
        match *test {
            SoftTest::Value(_, _, value) => facts.constants[value as usize].to_string(),
            SoftTest::Kind(relation) => facts.relations[relation as usize].name.clone(),
        }
    }

    /// Returns the template to learn: the grown weights, and groups of one value each.
    fn training_text(&self) -> String {
        let facts = self.problem.facts();
        let arity = facts.goal_constants.len();
        let mut text =
            format!(":- family(godel).\n{}/{arity} [activation = sum-identity].\n", facts.goal_name);
        for (at, group) in self.groups.iter().enumerate() {
            let SoftGroup { test, name } = group;
            let _ = writeln!(text, "{name}/1 [activation = sum-identity].");
            let _ = writeln!(text, "<1> :: {name}(A) :- {}.", self.test_text(test, &self.own_value(test)));
            match test {
                SoftTest::Value(..) => {
                    let _ = writeln!(text, "u{at}[T] = 0 :: {name}(A) :- {}.", self.test_text(test, "T"));
                }
                SoftTest::Kind(relation) => {
                    for kind in self.kinds(*relation) {
                        let kind_name = &facts.relations[kind as usize].name;
                        let _ = writeln!(text, "u{at}k{kind} = 0 :: {name}(A) :- {kind_name}(A).");
                    }
                }
            }
        }
        let model = &self.growth.model;
        let _ = writeln!(text, "base = {} :: {}.", model.intercept, self.problem.base());
        for (at, weight) in model.weights.iter().enumerate() {
            let (rule, _, definitions) = self.rule(at);
            definitions.iter().for_each(|sentence| text.push_str(&(sentence.clone() + "\n")));
            let _ = writeln!(text, "r{at} = {weight} :: {rule}");
        }
        text
    }

    /// Learns all weights from some queries.
    fn learn(&self, dataset: &Dataset, training: &[usize], l2: f64, stop: &Stop) -> Result<Model, Error> {
        let template = Template::parse(&self.training_text())?;
        let data = self.problem.part(dataset, training).renumbered(template.vocabulary.clone());
        let settings = Settings {
            loss: Some(match self.problem.kind {
                TargetKind::Truth => Loss::Logits,
                TargetKind::Number => Loss::Squared,
            }),
            optimizer: Optimizer::Lbfgs,
            epochs: EPOCHS,
            evaluate: Count(EPOCHS),
            batch_size: 0,
            learning_rate: 1.0,
            l2,
            ..Settings::default()
        };
        let limits = Limits { stop: stop.clone(), ..Limits::default() };
        let options = TrainingOptions { limits, ..TrainingOptions::default() };
        let mut training = Training::new(&template, &data, &settings, options)?;
        training.advance(EPOCHS, &NoObserver);
        Ok(training.model())
    }

    /// Returns the sums of some queries.
    fn sums(&self, model: &Model, dataset: &Dataset, queries: &[usize]) -> Result<Vec<f64>, Error> {
        let template = model.template()?;
        let part = self.problem.part(dataset, queries).renumbered(template.vocabulary.clone());
        let mut by_place = BTreeMap::new();
        for answer in model.predict(&part)?.all {
            by_place.insert(answer.place, answer.value.and_then(|value| value.numbers.first().copied()));
        }
        let places = self.problem.part_places(queries);
        Ok(places.iter().map(|place| by_place.get(place).copied().flatten().unwrap_or(0.0)).collect())
    }

    /// Returns groups and rules with learned weights, for a person.
    fn sentences(&self, model: &Model) -> String {
        let facts = self.problem.facts();
        let known: BTreeMap<(String, String), f64> = model
            .weights
            .iter()
            .filter_map(|weight| Some(((weight.name, weight.index), *weight.numbers.first()?)))
            .collect();
        let weight = |name: String| known.get(&(name, String::new())).copied().unwrap_or(0.0);
        let scale = if self.problem.is_signed { 0.5 } else { 1.0 };
        let mut text = String::new();
        for (at, group) in self.groups.iter().enumerate() {
            let own = self.own_value(&group.test);
            let mut degrees: Vec<(String, f64)> = match &group.test {
                SoftTest::Value(..) => {
                    let prefix = format!("u{at}");
                    let own = known.iter().filter(|((name, _), _)| *name == prefix);
                    own.map(|((_, index), degree)| (index.clone(), *degree)).collect()
                }
                SoftTest::Kind(relation) => {
                    let kind = |kind: u32| {
                        (facts.relations[kind as usize].name.clone(), weight(format!("u{at}k{kind}")))
                    };
                    self.kinds(*relation).into_iter().map(kind).collect()
                }
            };
            degrees.iter_mut().filter(|(value, _)| *value == own).for_each(|(_, degree)| *degree += 1.0);
            degrees.retain(|(_, degree)| degree.abs() >= LEAST_DEGREE);
            degrees.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
            let _ = writeln!(text, "\n% {own}, and what is like it.");
            let _ = writeln!(text, "{}/1 [activation = sum-identity].", group.name);
            for (value, degree) in degrees {
                let test = self.test_text(&group.test, &value);
                let _ = writeln!(text, "{} :: {}(A) :- {test}.", short(degree), group.name);
            }
        }
        let _ = writeln!(text, "\n{} :: {}.", short(scale * weight("base".into())), self.problem.base());
        for at in 0..self.growth.rules.len() {
            let (rule, is_soft, definitions) = self.rule(at);
            let crisp = short(scale * self.growth.model.weights[at]);
            let kind = if is_soft { "soft" } else { "crisp" };
            let _ = writeln!(text, "\n% {}. {kind}; its weight was {crisp} with crisp rules", at + 1);
            definitions.iter().for_each(|sentence| text.push_str(&(sentence.clone() + "\n")));
            let _ = writeln!(text, "{} :: {rule}", short(scale * weight(format!("r{at}"))));
        }
        text
    }
}

impl GoalProblem {
    /// Returns the data with some queries of this goal alone; -1 and 1 are 0 and 1.
    fn part(&self, dataset: &Dataset, queries: &[usize]) -> Dataset {
        let mut part = dataset.clone();
        part.queries.iter_mut().for_each(Vec::clear);
        part.folds.clear();
        for &query in queries {
            let asked = &self.facts().queries[query];
            let mut own = dataset.queries[asked.example as usize][asked.number as usize].clone();
            own.target = Some([self.targets[query]].into());
            part.queries[asked.example as usize].push(own);
        }
        part
    }

    /// Returns the places of queries in their part of the data.
    fn part_places(&self, queries: &[usize]) -> Vec<(usize, usize)> {
        let mut next = BTreeMap::new();
        let place = |&query: &usize| {
            let example = self.facts().queries[query].example as usize;
            let number = next.entry(example).or_insert(0);
            *number += 1;
            (example, *number - 1)
        };
        queries.iter().map(place).collect()
    }

    /// Makes grown rules soft where that pays on inner folds of the training queries.
    pub(crate) fn soften(
        &self,
        dataset: &Dataset,
        (options, stop): (GrowthOptions, &Stop),
        (training, growth, choice): (&[usize], &Growth, &GrowthChoice),
    ) -> Result<Option<SoftFit>, Error> {
        let Some(template) = SoftTemplate::new(self, growth) else { return Ok(None) };
        if self.sample.is_some() || !self.given.is_empty() {
            return Ok(None);
        }
        let grower = self.grower(options);
        let folds =
            inner_folds(training, &self.targets, &self.groups, self.kind, options.inner, options.seed);
        let losses = |held: &[usize], sums: &dyn Fn(usize) -> f64| -> Vec<f64> {
            held.iter()
                .enumerate()
                .map(|(at, &query)| self.kind.loss(sums(at), self.targets[query]))
                .collect()
        };
        let fold = |(inner, held): &(Vec<usize>, Vec<usize>)| {
            let grown = grower.grow_chosen(inner, choice)?;
            let crisp = losses(held, &|at| grown.model.sums[held[at]]);
            let Some(own) = SoftTemplate::new(self, &grown) else {
                return Ok(vec![crisp; STRENGTHS.len() + 1]);
            };
            let mut all = vec![crisp];
            for strength in STRENGTHS {
                let l2 = strength * choice.l2 / inner.len().max(1) as f64;
                let sums = own.sums(&own.learn(dataset, inner, l2, stop)?, dataset, held)?;
                all.push(losses(held, &|at| sums[at]));
            }
            Ok(all)
        };
        let found = try_each(&folds, fold)?;
        let of = |at: usize| mean(&found.iter().flat_map(|fold| fold[at].clone()).collect::<Vec<_>>());
        let crisp = of(0);
        let tried = (0..STRENGTHS.len()).map(|at| (of(at + 1), STRENGTHS[at]));
        let best = tried.min_by(|one, other| one.0.total_cmp(&other.0));
        let Some((loss, strength)) = best.filter(|(loss, _)| *loss < crisp) else { return Ok(None) };
        let l2 = strength * choice.l2 / training.len().max(1) as f64;
        let model = template.learn(dataset, training, l2, stop)?;
        let sums = template.sums(&model, dataset, &self.queries())?;
        let rules = SoftRules { sentences: template.sentences(&model), l2, inner_losses: (crisp, loss) };
        Ok(Some(SoftFit { rules, sums }))
    }
}
