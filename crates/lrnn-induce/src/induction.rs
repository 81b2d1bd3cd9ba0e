//! The front door: data in, a template out.

use std::fmt::Write;

use lrnn::data::Dataset;
use lrnn::{Error, ErrorKind};
use serde::{Deserialize, Serialize};

use crate::budget::StepCount;
use crate::clause::RuleText;
use crate::growth::Growth;
use crate::linear::TargetKind;
use crate::method::InduceMethod;
use crate::problem::{GoalProblem, InduceOptions};
use crate::soft::SoftRules;

/// A rule that was learned.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct InducedRule {
    /// The rule in the language, without weight and full stop.
    pub rule: String,
    /// Sentences that define what it speaks of, for one that counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<String>,
    /// The variable of which there are several, and how many at least, for one that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<(String, u32)>,
    /// Its weight.
    pub weight: f64,
    /// Number of queries that it covers.
    pub support: u32,
    /// Share of true queries among those that it covers; of numbers, their mean.
    pub precision: f64,
    /// The gain expected when it was found.
    pub gain: f64,
    /// Mean loss of all queries once it was taken.
    pub loss: f64,
    /// Share of wrong answers then; 0 for numbers.
    pub error: f64,
    /// A query that it covers.
    pub example: String,
}

/// The rules of one goal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct InducedGoal {
    /// The head of its rules.
    pub head: String,
    /// The kind of targets.
    pub targets: TargetKind,
    /// Number of queries, and mean of their targets.
    pub queries: (usize, f64),
    /// The rule that answers where no other does: without weight and full stop.
    pub base: String,
    /// The weight of the base.
    pub intercept: f64,
    /// The rules that somebody wrote, with their weights: each from its head on, as it is written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<(f64, String)>,
    /// The rules in the order they were found.
    pub rules: Vec<InducedRule>,
    /// Mean loss on inner folds by number of rules.
    pub inner_losses: Vec<f64>,
    /// The bias of the search, as directives.
    pub bias: String,
    /// True if targets are -1 and 1, and so are answers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub signed: bool,
    /// Mean loss before the first rule.
    pub start_loss: f64,
    /// The same rules made soft, if that was asked for and pays on inner folds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft: Option<SoftRules>,
    /// Number of clauses that were compared with the facts.
    pub clauses: u64,
    /// Number of times that a clause was compared with others, in all searches.
    pub compared: u64,
    /// Number of clauses with too many substitutions to be refined.
    pub wide_clauses: u64,
    /// True if the time was up before the end.
    pub is_cut_short: bool,
    /// Steps of all searches, and what was left out for want of more.
    #[serde(default)]
    pub count: StepCount,
}

/// Rules that were learned from data.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Induction {
    /// The sentences about other predicates of the template that it went on from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub background: String,
    /// The rules of each goal.
    pub goals: Vec<InducedGoal>,
}

/// Learns rules from data.
///
/// ```
/// use lrnn_induce::{InduceOptions, induce};
/// let mut data = lrnn::DatasetBuilder::new(lrnn::vocabulary::Vocabulary::default());
/// for number in 0..40 {
///     let (colour, target) = if number % 2 == 0 { ("red", 1.0) } else { ("blue", 0.0) };
///     let box_name = format!("box{number}");
///     data.example("").fact("colour", (box_name.as_str(), colour)).target(target, "good", ());
/// }
/// let induced = induce(&data.build()?, &InduceOptions::default())?;
/// assert_eq!(induced.goals[0].rules[0].rule, "good :- colour(_, blue)");
/// assert!(induced.goals[0].rules[0].weight < 0.0);
/// # Ok::<(), lrnn::Error>(())
/// ```
pub fn induce(dataset: &Dataset, options: &InduceOptions) -> Result<Induction, Error> {
    let problems = GoalProblem::all(dataset, options)?;
    let own = options.shared_by(problems.len());
    let goal = |problem: &GoalProblem| {
        let goal = problem.induce(dataset, &own);
        problem.lattice.forget();
        goal
    };
    let goals = problems.iter().map(goal).collect::<Result<Vec<_>, _>>()?;
    Ok(Induction { background: background(options, &goals), goals })
}

/// Returns what a template that somebody wrote says of other predicates than the goals.
fn background(options: &InduceOptions, goals: &[InducedGoal]) -> String {
    let Some(text) = &options.from else { return String::new() };
    let plain = |(name, arity): (&str, usize)| (name.trim_matches('\'').to_owned(), arity);
    let goals: Vec<(String, usize)> = goals.iter().map(|goal| plain(signature(&goal.head))).collect();
    crate::expert::without(text, &goals)
}

/// Returns the bias that data suggests for each predicate that queries ask for, as directives.
pub fn infer_bias(dataset: &Dataset, options: &InduceOptions) -> Result<Vec<String>, Error> {
    let problems = GoalProblem::all(dataset, options)?;
    let mut texts: Vec<String> =
        problems.iter().map(|problem| problem.bias().text(problem.facts())).collect();
    texts.dedup();
    Ok(texts)
}

impl GoalProblem {
    fn induce(&self, dataset: &Dataset, options: &InduceOptions) -> Result<InducedGoal, Error> {
        if !matches!(options.method, InduceMethod::Growth | InduceMethod::Nfoil) {
            let name = options.method.name();
            let message = format!("{name} has no rules with weights to write: it is there to compare with");
            return Err(
                Error::new(ErrorKind::Usage, message).help(format!("--method {name} --crossval measures it"))
            );
        }
        let fitted = self.fit_in(dataset, options, &self.queries())?;
        match fitted.growth {
            Some((growth, choice)) => {
                let (soft, mut count) = (fitted.soft, choice.count);
                count += growth.count;
                Ok(InducedGoal { soft, count, ..self.induced(dataset, &growth, choice.losses) })
            }
            None => Err(Error::new(ErrorKind::Usage, "this method gives no rules")),
        }
    }

    fn induced(&self, dataset: &Dataset, growth: &Growth, inner_losses: Vec<f64>) -> InducedGoal {
        let (facts, bias) = (self.facts(), self.bias());
        let (given, weights) = growth.model.weights.split_at(growth.model.weights.len() - growth.rules.len());
        // tanh(x / 2) is from -1 to 1 what the sigmoid is from 0 to 1.
        let scale = if self.is_signed { 0.5 } else { 1.0 };
        let given =
            given.iter().zip(&self.given).map(|(weight, rule)| (scale * weight, rule.text.clone())).collect();
        let rule = |at: usize| {
            let grown = &growth.rules[at];
            let coverage = &grown.found.coverage;
            let (mut sum, mut example) = (0.0, None);
            coverage.for_each(|query| {
                sum += self.targets[query];
                let fits = (self.targets[query] > 0.5) == (weights[at] > 0.0);
                if example.is_none() || (fits && !example.is_some_and(|(_, fits)| fits)) {
                    example = Some((query, fits));
                }
            });
            let label = self.rule_label(at);
            let RuleText { definitions, rule, count } = grown.found.clause.rule_text(facts, bias, &label);
            InducedRule {
                rule,
                definitions,
                count,
                weight: scale * weights[at],
                support: coverage.count(),
                precision: sum / f64::from(coverage.count().max(1)),
                gain: grown.found.score,
                loss: grown.training_loss,
                error: grown.training_error,
                example: example.map_or_else(String::new, |(query, _)| self.query_name(dataset, query)),
            }
        };
        let (clauses, wide_clauses) = self.clause_counts();
        let mean = self.targets.iter().sum::<f64>() / self.targets.len().max(1) as f64;
        InducedGoal {
            head: facts.head_text(&[]),
            targets: self.kind,
            queries: (self.targets.len(), mean),
            base: self.base(),
            intercept: scale * growth.model.intercept,
            given,
            rules: (0..growth.rules.len()).map(rule).collect(),
            inner_losses,
            bias: bias.text(facts),
            signed: self.is_signed,
            start_loss: growth.start,
            soft: None,
            clauses,
            compared: self.lattice.compared(),
            wide_clauses,
            is_cut_short: growth.is_cut_short,
            count: growth.count,
        }
    }

    /// Returns what the names end in that a rule needs.
    pub(crate) fn rule_label(&self, at: usize) -> String {
        match self.number {
            0 => (at + 1).to_string(),
            number => format!("{}_{}", number + 1, at + 1),
        }
    }

    /// Returns how a query is called: by its example, or by itself where that has several.
    fn query_name(&self, dataset: &Dataset, query: usize) -> String {
        let asked = &self.facts().queries[query];
        let (example, query) = (dataset.example_name(asked.example as usize), self.facts().query_text(query));
        match (dataset.examples.len(), dataset.queries[asked.example as usize].len()) {
            (1, 2..) => query,
            (_, 1) => example,
            _ => format!("{query} of example {example}"),
        }
    }

    /// Returns the rule that covers every query: a literal for each variable of the head that holds of all individuals
    /// asked for, of the smallest relation that has them, or none where no relation does.
    pub(crate) fn base(&self) -> String {
        let facts = self.facts();
        let width = facts.queries.first().map_or(0, |query| query.terms.len());
        let (mut names, mut body) = (Vec::new(), Vec::new());
        for column in 0..width {
            let variable = char::from(b'A' + (column % 26) as u8).to_string();
            match covering(facts, column) {
                Some((relation, at)) => {
                    let known = &facts.relations[relation];
                    let terms: Vec<&str> =
                        (0..known.arity).map(|own| if own == at { variable.as_str() } else { "_" }).collect();
                    body.push(format!("{}({})", known.name, terms.join(", ")));
                    names.push(variable);
                }
                None => names.push(format!("_{variable}")),
            }
        }
        let head = facts.head_text(&names);
        if body.is_empty() { head } else { format!("{head} :- {}", body.join(", ")) }
    }
}

/// Returns the smallest relation, with its column, that has every individual at a column of the queries.
fn covering(facts: &crate::facts::FactIndex, column: usize) -> Option<(usize, usize)> {
    let mut asked = vec![false; facts.values.len()];
    facts.queries.iter().for_each(|query| asked[query.terms[column] as usize] = true);
    let count = asked.iter().filter(|asked| **asked).count();
    let covers = |relation: usize, at: usize| {
        let mut seen = asked.clone();
        let known = &facts.relations[relation];
        let own = known.terms.iter().skip(at).step_by(known.arity);
        own.filter(|&&individual| std::mem::take(&mut seen[individual as usize])).count() == count
    };
    let columns =
        (0..facts.relations.len()).flat_map(|at| (0..facts.relations[at].arity).map(move |own| (at, own)));
    columns
        .filter(|&(relation, at)| covers(relation, at))
        .min_by_key(|&(relation, at)| (facts.relations[relation].len(), relation, at))
}

impl Induction {
    /// Returns what a person should know of the search, in sentences.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for goal in &self.goals {
            if goal.rules.is_empty() && !goal.is_cut_short {
                notes.push(format!("no rule about {} lowers the loss on inner folds", goal.head));
            }
            if goal.wide_clauses > 0 {
                notes.push(format!(
                    "{} clauses were not refined, as they hold in too many ways",
                    goal.wide_clauses
                ));
            }
            if goal.is_cut_short {
                notes.push("the time was up before the end: another run may find other rules".to_owned());
            }
        }
        let mut count = StepCount::default();
        self.goals.iter().for_each(|goal| count += goal.count);
        notes.extend(count.note());
        notes
    }

    /// Tells whether the time or the budget of a goal was up before the end, or somebody stopped it.
    pub fn is_cut_short(&self) -> bool {
        self.goals.iter().any(|goal| goal.is_cut_short)
    }

    /// Returns the rules as a template that a person reads and `lrnn train` goes on from.
    pub fn template(&self) -> String {
        let introduction = "% Rules learned from data. A body that holds counts 1, however often it does; an answer is the \
             sum of the\n% weights of the rules that hold";
        self.written(introduction, |goal, text| goal.write(text))
    }

    /// Returns the soft rules as a template, with crisp ones for goals that have none; none if no goal has any.
    pub fn soft_template(&self) -> Option<String> {
        self.goals.iter().find_map(|goal| goal.soft.as_ref())?;
        let introduction = "% Rules learned from data, made soft: a group has the value that it is named after, and others as far \
             as their\n% weights say. A rule counts what the best match of its body has as the product of its groups; an answer is the\n\
             % sum of the weighted rules";
        Some(self.written(introduction, |goal, text| match &goal.soft {
            Some(soft) => {
                let (crisp, learned) = soft.inner_losses;
                let (crisp, learned) = (short(crisp), short(learned));
                let _ = writeln!(
                    text,
                    "\n% {}: loss on inner folds {learned}, of crisp rules {crisp}.",
                    goal.head
                );
                text.push_str(&soft.sentences);
            }
            None => goal.write(text),
        }))
    }

    fn written(&self, introduction: &str, write: impl Fn(&InducedGoal, &mut String)) -> String {
        let mut text = introduction.to_owned();
        let has_truth = self.goals.iter().any(|goal| goal.targets == TargetKind::Truth);
        text.push_str(if has_truth { ", as a probability.\n" } else { ".\n" });
        text.push_str(":- family(godel).\n");
        let mut seen = Vec::new();
        for goal in &self.goals {
            let (name, arity) = signature(&goal.head);
            if !seen.contains(&(name.to_owned(), arity)) {
                seen.push((name.to_owned(), arity));
                let function = match goal.targets {
                    TargetKind::Truth if goal.signed => "sum-tanh",
                    TargetKind::Truth => "sum-sigmoid",
                    TargetKind::Number => "sum-identity",
                };
                let _ = writeln!(text, "{name}/{arity} [activation = {function}].");
            }
        }
        if !self.background.is_empty() {
            let _ = write!(text, "\n% As it was given.\n{}", self.background);
        }
        self.goals.iter().for_each(|goal| write(goal, &mut text));
        let (ast, _) = lrnn::syntax::parse(&text, lrnn::diagnostic::SourceId::default());
        lrnn::syntax::print(&ast, &text)
    }

    /// Returns the number of rules of all goals.
    pub fn rule_count(&self) -> usize {
        self.goals.iter().map(|goal| goal.rules.len()).sum()
    }
}

impl InducedGoal {
    fn write(&self, text: &mut String) {
        let (count, mean) = self.queries;
        let what = match self.targets {
            TargetKind::Truth => format!("{:.1} % of {count} queries are true", 100.0 * mean),
            TargetKind::Number => format!("the mean of {count} targets is {}", short(mean)),
        };
        let _ = writeln!(text, "\n% {}: {what}.", self.head);
        let _ = writeln!(text, "{} :: {}.", short(self.intercept), self.base);
        for (at, (weight, rule)) in self.given.iter().enumerate() {
            let comment = if at == 0 { "\n% Given, with new weights.\n" } else { "" };
            let _ = writeln!(text, "{comment}{} :: {rule}", short(*weight));
        }
        for (at, rule) in self.rules.iter().enumerate() {
            let share = match self.targets {
                TargetKind::Truth => format!("{:.1} % true", 100.0 * rule.precision),
                TargetKind::Number => format!("their mean {}", short(rule.precision)),
            };
            let _ = writeln!(
                text,
                "\n% {}. {}covers {}, {share}; gain {}; for example {}",
                at + 1,
                rule.count
                    .as_ref()
                    .map_or_else(String::new, |(name, least)| format!("at least {least} such {name}; ")),
                rule.support,
                short(rule.gain),
                rule.example
            );
            for sentence in &rule.definitions {
                let _ = writeln!(text, "{sentence}");
            }
            let _ = writeln!(text, "{} :: {}.", short(rule.weight), rule.rule);
        }
    }
}

/// Returns the name of an atom's text and the number of its terms.
fn signature(atom: &str) -> (&str, usize) {
    match atom.ends_with(')').then(|| atom.find('(')).flatten() {
        // Quoted names may have brackets too; the terms are names or variables without any.
        Some(_) => {
            let open = atom.rfind('(').unwrap_or(0);
            (&atom[..open], atom[open..].matches(", ").count() + 1)
        }
        None => (atom, 0),
    }
}

/// Returns a number with four digits that count.
pub(crate) fn short(number: f64) -> String {
    let digits = if number == 0.0 { 0.0 } else { number.abs().log10().floor() };
    let places = (3.0 - digits).clamp(0.0, 12.0) as usize;
    let text = format!("{number:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
