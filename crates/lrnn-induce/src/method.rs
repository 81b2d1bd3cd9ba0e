//! The ways to learn rules, all by searches through one lattice: growth, and earlier systems as baselines.

use lrnn::data::Dataset;
use lrnn::{Error, ErrorKind};

use crate::budget::StepCount;
use crate::features::FeatureMethod;
use crate::growth::Growth;
use crate::growth_choice::GrowthChoice;
use crate::linear::TargetKind;
use crate::problem::{GoalProblem, InduceOptions};
use crate::soft::SoftRules;
use crate::{cilp, kfoil, nfoil};

/// A way to learn rules.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum InduceMethod {
    /// Gradient boosting, all weights fitted again after each rule.
    #[default]
    Growth,
    /// Clauses as features of naive Bayes, each chosen by the conditional likelihood.
    Nfoil,
    /// Clauses as features of a support vector machine, each chosen by training it.
    Kfoil,
    /// The literals of bottom clauses as features of a network with one hidden layer.
    Cilp,
    /// Clauses as features of a method that knows nothing of clauses.
    Features(FeatureMethod),
}

impl InduceMethod {
    /// Those that learn clauses, with their names.
    pub const ALL: [(Self, &'static str); 4] =
        [(Self::Growth, "growth"), (Self::Nfoil, "nfoil"), (Self::Kfoil, "kfoil"), (Self::Cilp, "cilp")];

    /// Tells whether it is an earlier system; these had no counts.
    pub fn is_earlier(self) -> bool {
        matches!(self, Self::Nfoil | Self::Kfoil | Self::Cilp)
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Features(method) => method.name,
            _ => Self::ALL.iter().find(|(method, _)| *method == self).map_or("", |(_, name)| name),
        }
    }
}

/// Rules that were learned from some queries, and the answers that they give.
#[derive(Clone, Debug)]
pub struct FittedRules {
    /// By query, those that were not learned from among them: the log odds of its truth, or the number.
    pub sums: Vec<f64>,
    /// Number of rules, or of features.
    pub rules: usize,
    /// The weighted rules and the settings they were grown with, where answers are sums of weights.
    pub growth: Option<(Growth, GrowthChoice)>,
    /// The rules made soft, if that pays.
    pub soft: Option<SoftRules>,
}

impl FittedRules {
    /// Returns the steps that growths took, and what they left out.
    pub fn count(&self) -> StepCount {
        let mut count = StepCount::default();
        if let Some((growth, choice)) = &self.growth {
            count += growth.count;
            count += choice.count;
        }
        count
    }
}

impl GoalProblem {
    /// Learns from some queries of a dataset, and makes the rules soft if that is asked for and pays.
    pub fn fit_in(
        &self,
        dataset: &Dataset,
        options: &InduceOptions,
        training: &[usize],
    ) -> Result<FittedRules, Error> {
        let mut fitted = self.fit(options, training)?;
        if let (true, InduceMethod::Growth, Some((growth, choice))) =
            (options.soft, options.method, &fitted.growth)
            && let Some(soft) =
                self.soften(dataset, (options.growth, &options.stop), (training, growth, choice))?
        {
            (fitted.sums, fitted.soft) = (soft.sums, Some(soft.rules));
        }
        Ok(fitted)
    }

    /// Learns crisp rules from some queries.
    pub fn fit(&self, options: &InduceOptions, training: &[usize]) -> Result<FittedRules, Error> {
        let grown = |(growth, choice): (Growth, GrowthChoice)| FittedRules {
            sums: growth.model.sums.clone(),
            rules: growth.rules.len(),
            growth: Some((growth, choice)),
            soft: None,
        };
        if options.method != InduceMethod::Growth && self.kind == TargetKind::Number {
            let message =
                format!("{} answers whether something is true, and here are numbers", options.method.name());
            return Err(Error::new(ErrorKind::Usage, message).help("--method growth learns numbers, too"));
        }
        match options.method {
            InduceMethod::Growth => {
                let grower = self.grower(options.growth);
                let Some(sample) = &self.sample else {
                    let choice = grower.choose(training)?;
                    return Ok(grown((grower.grow_chosen(training, &choice)?, choice)));
                };
                let searched = sample.inside(training, self.targets.len());
                let choice = grower.choose(&searched)?;
                let growth = grower.grow_chosen(&searched, &choice)?;
                let with = (self.kind, &self.targets[..], &self.given_coverage[..]);
                Ok(grown((sample.widen(growth, with, training, choice.l2), choice)))
            }
            InduceMethod::Nfoil => {
                Ok(grown((nfoil::learn(&self.grower(options.growth), training)?, GrowthChoice::default())))
            }
            InduceMethod::Kfoil => {
                let (sums, rules) = kfoil::learn(&self.grower(options.growth), training)?;
                Ok(FittedRules { sums, rules, growth: None, soft: None })
            }
            InduceMethod::Cilp => {
                let (sums, rules) = cilp::learn(&self.grower(options.growth), training)?;
                Ok(FittedRules { sums, rules, growth: None, soft: None })
            }
            InduceMethod::Features(method) => {
                let (lattice, searched) = match &self.sample {
                    Some(sample) => (&sample.all, sample.numbers_inside(training, self.targets.len())),
                    None => (&self.lattice, training.to_vec()),
                };
                let learned = self.lattice.facts().queries.len();
                let features = self.features.of(lattice, options.growth.search.look_ahead, learned)?;
                let sums = method.sums(&features, &self.targets, &searched, options.growth.seed);
                Ok(FittedRules { sums, rules: features.names.len(), growth: None, soft: None })
            }
        }
    }
}
