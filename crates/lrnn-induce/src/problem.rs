//! The data of one induction: for each goal the lattice with targets, groups and folds.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lrnn::data::Dataset;
use lrnn::{Error, ErrorKind, Stop};

use crate::bias::Bias;
use crate::counter::SearchCounter;
use crate::coverage::Coverage;
use crate::expert::{ExpertRule, ExpertTemplate};
use crate::facts::FactIndex;
use crate::features::ClauseFeatures;
use crate::folds::{QueryGroups, classes, deal};
use crate::goal::Goal;
use crate::growth::{Grower, GrowthOptions};
use crate::growth_journal::GrowthJournal;
use crate::lattice::{Lattice, LatticeLimits};
use crate::linear::TargetKind;
use crate::method::InduceMethod;
use crate::sample::QuerySample;

/// The options of an induction.
#[derive(Clone, Debug, Default)]
pub struct InduceOptions {
    /// The way to learn.
    pub method: InduceMethod,
    /// Options of growth.
    pub growth: GrowthOptions,
    /// The limits of the lattice.
    pub limits: LatticeLimits,
    /// True if rules are made soft where that pays.
    pub soft: bool,
    /// A template whose rules stay.
    pub from: Option<String>,
    /// Directives that change the inferred bias.
    pub bias: Option<String>,
    /// Outer folds of a cross-validation; those of the data if there is no number.
    pub folds: Option<u32>,
    /// The argument of queries, from 1, whose individuals no query of training names while they are held out.
    pub group: Option<usize>,
    /// A flag that stops the search.
    pub stop: Stop,
    /// Counts of what was found so far.
    pub counter: SearchCounter,
    /// Growths that are finished, which are not done again.
    pub journal: GrowthJournal,
}

impl InduceOptions {
    /// Returns the same for one of so many times that rules are learned, with its share of the steps.
    pub(crate) fn shared_by(&self, count: usize) -> Self {
        let mut own = self.clone();
        own.growth.steps = self.growth.steps.map(|steps| steps / count.max(1) as u64);
        own
    }

    /// Returns options that are in range, to be done with in so many seconds from now if there is a number.
    pub fn checked(mut self, seconds: Option<f64>) -> Result<Self, Error> {
        let usage = |message: &str| Error::new(ErrorKind::Usage, message);
        let GrowthOptions { l2, literal_cost, inner, .. } = self.growth;
        for (name, number) in [("L2 regularisation", l2), ("literal cost", literal_cost)] {
            if number.is_some_and(|number| !(number.is_finite() && number >= 0.0)) {
                return Err(usage(&format!("the {name} must be a number from 0")));
            }
        }
        if inner < 2 || self.folds.is_some_and(|folds| folds < 2) {
            return Err(usage("there must be at least 2 folds"));
        }
        let seconds = seconds.map(Duration::try_from_secs_f64).transpose();
        let seconds = seconds.map_err(|_| usage("the most seconds must be a number from 0"))?;
        self.growth.deadline = seconds.and_then(|seconds| Instant::now().checked_add(seconds));
        // Who sets a bound needs no other.
        if seconds.is_some() || self.growth.clauses.is_some() {
            self.growth.steps = None;
        }
        Ok(self)
    }
}

/// One goal with all that its rules are learned from.
pub struct GoalProblem {
    /// Its number among all goals, from 0.
    pub number: usize,
    /// The goal.
    pub goal: Goal,
    /// The lattice of clauses, over all queries or a sample of them.
    pub(crate) lattice: Lattice,
    pub(crate) sample: Option<QuerySample>,
    /// The target of each query; -1 and 1 are 0 and 1.
    pub targets: Vec<f64>,
    /// The kind of targets.
    pub kind: TargetKind,
    /// Queries that folds must not tear apart.
    pub groups: QueryGroups,
    /// By query: the fold that the data gives.
    pub folds: Option<Vec<u32>>,
    /// The rules that somebody wrote, which stay.
    pub given: Vec<ExpertRule>,
    pub(crate) given_coverage: Vec<Arc<Coverage>>,
    /// True if the data says -1 and 1 for false and true.
    pub is_signed: bool,
    pub(crate) features: ClauseFeatures,
    journal: GrowthJournal,
}

impl fmt::Debug for GoalProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GoalProblem").field("number", &self.number).finish_non_exhaustive()
    }
}

impl GoalProblem {
    /// Returns the problem of each goal of a dataset.
    pub fn all(dataset: &Dataset, options: &InduceOptions) -> Result<Vec<Self>, Error> {
        let from = options.from.as_deref();
        let expert = from.map(|text| ExpertTemplate::new(text, dataset, &options.stop)).transpose()?;
        let goals = Goal::all(dataset)?;
        let name = |goal: &Goal| dataset.vocabulary.signature(goal.predicate).name.to_string();
        let asked: Vec<String> = goals.iter().map(name).collect();
        let problem = |(number, goal)| Self::new(dataset, (number, goal), options, expert.as_ref(), &asked);
        goals.into_iter().enumerate().map(problem).collect()
    }

    fn new(
        dataset: &Dataset,
        (number, goal): (usize, Goal),
        options: &InduceOptions,
        expert: Option<&ExpertTemplate>,
        asked: &[String],
    ) -> Result<Self, Error> {
        let facts = FactIndex::new(dataset, &goal);
        if facts.relations.is_empty() {
            let message = "there are no facts to make rules of";
            return Err(Error::new(ErrorKind::Content, message)
                .help("rules need facts of other predicates than that asked for"));
        }
        let bias = match &options.bias {
            Some(text) => Bias::read(text, &facts, asked)?,
            None => Bias::infer(&facts),
        };
        let mut targets: Vec<f64> = facts.queries.iter().map(|query| query.target).collect();
        let is_signed = targets.contains(&-1.0) && targets.iter().all(|target| target.abs() == 1.0);
        if is_signed {
            targets.iter_mut().for_each(|target| *target = 0.5 * (*target + 1.0));
        }
        let groups = groups(dataset, &facts, options.group)?;
        let folds = given_folds(dataset, &facts);
        let kind = TargetKind::of(&targets);
        let given = expert.map_or_else(Vec::new, |expert| expert.rules(&goal, dataset, &facts));
        let given_coverage: Vec<Arc<Coverage>> =
            given.iter().map(|rule| Arc::clone(&rule.coverage)).collect();
        let is_earlier = options.method.is_earlier();
        let counts = options.limits.counts && !is_earlier;
        let limits = LatticeLimits { counts, ..options.limits };
        let with = (&targets[..], &groups, &given_coverage[..]);
        let drawn = match kind {
            TargetKind::Truth if !is_earlier => QuerySample::draw(&facts, &bias, limits, &options.stop, with),
            _ => None,
        };
        let (sample, facts) = match drawn {
            Some((sample, searched)) => (Some(sample), searched),
            None => (None, facts),
        };
        let lattice =
            Lattice::new(facts, bias, limits, options.stop.clone()).counting(options.counter.clone());
        Ok(Self {
            number,
            goal,
            lattice,
            sample,
            targets,
            kind,
            groups,
            folds,
            given,
            given_coverage,
            is_signed,
            features: ClauseFeatures::default(),
            journal: options.journal.clone(),
        })
    }

    /// Returns what grows rules for it, from all queries or their sample.
    pub(crate) fn grower(&self, options: GrowthOptions) -> Grower<'_> {
        let Self { lattice, kind, .. } = self;
        let (targets, groups, given) = match &self.sample {
            Some(sample) => (&sample.targets, &sample.groups, &sample.given),
            None => (&self.targets, &self.groups, &self.given_coverage),
        };
        let (goal, journal) = (self.number, &self.journal);
        Grower { lattice, targets, groups, given, kind: *kind, options, goal, journal }
    }

    /// Returns the facts with all queries.
    pub fn facts(&self) -> &FactIndex {
        self.sample.as_ref().map_or(&self.lattice, |sample| &sample.all).facts()
    }

    /// Returns the bias of the search.
    pub fn bias(&self) -> &Bias {
        self.lattice.bias()
    }

    /// Returns how many clauses were compared with the facts, and how many were too wide to be refined.
    pub fn clause_counts(&self) -> (u64, u64) {
        self.lattice.counts()
    }

    /// Returns the numbers of all queries.
    pub fn queries(&self) -> Vec<usize> {
        (0..self.targets.len()).collect()
    }

    /// Returns the folds of all queries by problem: as the data gives them, or drawn. Queries about one case, which differ
    /// in the class they ask for, have one fold.
    pub fn outer_folds(problems: &[Self], options: &InduceOptions) -> Vec<Vec<u32>> {
        let alike = problems.chunk_by(|one, other| one.goal.predicate == other.goal.predicate);
        alike.flat_map(|problems| Self::folds_of(problems, options)).collect()
    }

    /// Returns the folds of all queries of a predicate, by class if it has classes.
    fn folds_of(problems: &[Self], options: &InduceOptions) -> Vec<Vec<u32>> {
        let first = &problems[0];
        if let (Some(_), None, None) = (&first.folds, options.folds, options.group) {
            return problems.iter().filter_map(|problem| problem.folds.clone()).collect();
        }
        let mut classes = classes(&first.targets, first.kind);
        if problems.len() > 1 {
            let class = |(class, problem): (u32, &Self)| {
                let right = problem.queries().into_iter().filter(|&query| problem.targets[query] > 0.5);
                right.map(|query| (problem.case(query), class)).collect::<Vec<_>>()
            };
            let of_case: BTreeMap<String, u32> = (0..).zip(problems).flat_map(class).collect();
            let class = |query| of_case.get(&first.case(query)).copied().unwrap_or(0);
            classes = first.queries().into_iter().map(class).collect();
        }
        let queries = first.queries();
        let folds =
            deal(&queries, &classes, &first.groups.own, options.folds.unwrap_or(10), options.growth.seed);
        let of_case: BTreeMap<String, u32> =
            queries.into_iter().map(|query| first.case(query)).zip(folds).collect();
        let of_problem = |problem: &Self| {
            problem
                .queries()
                .into_iter()
                .filter_map(|query| of_case.get(&problem.case(query)).copied())
                .collect()
        };
        problems.iter().map(of_problem).collect()
    }

    /// Returns the example and the individuals that a query is about: the same for every class.
    pub(crate) fn case(&self, query: usize) -> String {
        let facts = self.facts();
        let query = &facts.queries[query];
        let terms = query.terms.iter().map(|&term| facts.constant(term).to_string());
        format!("{} {}", query.example, terms.collect::<Vec<_>>().join(", "))
    }
}

/// Returns what folds must not tear apart: examples, the queries of the only example one by one, or all queries about
/// one individual, which those to learn from must not name at all.
fn groups(dataset: &Dataset, facts: &FactIndex, column: Option<usize>) -> Result<QueryGroups, Error> {
    let Some(column) = column else {
        let is_alone = dataset.examples.len() == 1;
        let group = |(at, query): (usize, &crate::facts::IndexedQuery)| {
            if is_alone { at as u32 } else { query.example }
        };
        let own = facts.queries.iter().enumerate().map(group).collect();
        return Ok(QueryGroups { own, named: Vec::new() });
    };
    let width = facts.queries.first().map_or(0, |query| query.terms.len());
    if column == 0 || column > width {
        let message = format!("queries have {width} arguments, and {column} is none of them");
        return Err(Error::new(ErrorKind::Usage, message)
            .help("--group 1 keeps all queries with one first argument together"));
    }
    // A group is called as its individual.
    let own = facts.queries.iter().map(|query| query.terms[column - 1]).collect();
    let others = |query: &crate::facts::IndexedQuery| {
        let terms = query.terms.iter().enumerate().filter(|(at, _)| *at != column - 1);
        terms.map(|(_, &term)| term).collect()
    };
    Ok(QueryGroups { own, named: facts.queries.iter().map(others).collect() })
}

fn given_folds(dataset: &Dataset, facts: &FactIndex) -> Option<Vec<u32>> {
    let folds = &dataset.folds;
    if folds.is_empty() {
        return None;
    }
    let is_by_query = dataset.examples.len() == 1 && folds.len() == dataset.queries[0].len();
    let fold = |query: &crate::facts::IndexedQuery| {
        folds.get(if is_by_query { query.number } else { query.example } as usize).copied()
    };
    facts.queries.iter().map(fold).collect()
}
