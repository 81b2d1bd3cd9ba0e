//! Rules as a baseline: they are learned from the facts of the training cases, by growth or as earlier systems did.

use std::sync::Arc;

use lrnn::Error;
use lrnn::train::Cases;
use lrnn_induce::{GoalProblem, GrowthOptions, InduceMethod, InduceOptions};

use super::shares;
use crate::crossval::Crossval;
use crate::folds::Fold;

/// Problems to learn rules for, by case.
pub(crate) struct CaseRules {
    problems: Arc<Vec<GoalProblem>>,
    options: InduceOptions,
    /// By case: the goal of each of its queries, and its number there.
    places: Vec<Vec<(usize, usize)>>,
}

impl CaseRules {
    /// Prepares the data of a cross-validation.
    pub fn new(crossval: &Crossval, method: InduceMethod) -> Result<Self, Error> {
        let (dataset, cases) = (crossval.dataset(), crossval.cases());
        let options = InduceOptions { method, stop: crossval.stop().clone(), ..InduceOptions::default() };
        let problems = match method.is_earlier() {
            true => crossval.earlier_problems(&options)?,
            false => Arc::new(GoalProblem::all(dataset, &options)?),
        };
        let mut places = vec![Vec::new(); cases.count(dataset)];
        for (goal, problem) in problems.iter().enumerate() {
            for (at, query) in problem.facts().queries.iter().enumerate() {
                let case = if cases == Cases::Queries { query.number } else { query.example } as usize;
                places[case].push((query.number, (goal, at)));
            }
        }
        let ordered = |mut queries: Vec<(u32, (usize, usize))>| {
            queries.sort_unstable();
            queries.into_iter().map(|(_, place)| place).collect()
        };
        Ok(Self { problems, options, places: places.into_iter().map(ordered).collect() })
    }

    /// Learns from the training cases of a fold, and returns the share of each class of its test cases.
    pub fn shares(&self, fold: &Fold) -> Result<Vec<Vec<f64>>, Error> {
        let growth = GrowthOptions { seed: fold.seed, ..self.options.growth };
        let options = InduceOptions { growth, ..self.options.clone() };
        let fit = |goal: usize| {
            let own = fold.training.iter().flat_map(|&case| &self.places[case]);
            let training: Vec<usize> = own.filter(|place| place.0 == goal).map(|place| place.1).collect();
            self.problems[goal].fit(&options, &training)
        };
        let fitted = (0..self.problems.len()).map(fit).collect::<Result<Vec<_>, _>>()?;
        let answer = |&(goal, at): &(usize, usize)| self.problems[goal].kind.answer(fitted[goal].sums[at]);
        let of_case = |&case: &usize| shares(self.places[case].iter().map(answer).collect());
        Ok(fold.test.iter().map(of_case).collect())
    }
}
