//! Baselines on the folds of a cross-validation, so that they can be compared fold by fold.

use lrnn::data::Query;
use lrnn::threads::try_each;
use lrnn::train::{Cases, Loss};
use lrnn::{Error, ErrorKind};

use super::rules::CaseRules;
use super::{Baseline, Features, best_features, fit_predict, propositionalise};
use crate::crossval::{Crossval, stopped};
use crate::folds::Fold;
use crate::journal::{Choice, FoldRecord, Journal, JournalLine, JournalRecords};

impl Crossval {
    /// Runs a baseline on all folds, with the features of the template that it chooses inside the training folds.
    pub(crate) fn run_baseline(
        &self,
        baseline: &Baseline,
        journal: &Journal,
        records: &JournalRecords,
    ) -> Result<Vec<FoldRecord>, Error> {
        let classes = self.case_classes()?;
        let known = |fold: &Fold| records.folds.get(&(fold.repeat, fold.number));
        // Features of a template are those of examples: queries of one example have those of clauses.
        let is_by_query = self.cases() == Cases::Queries;
        let needs_features = baseline.needs_features() && !is_by_query;
        let features = match needs_features && self.folds().iter().any(|fold| known(fold).is_none()) {
            true => self.features()?,
            false => vec![Features::default()],
        };
        let rules = match baseline.method() {
            Some(method) if !baseline.needs_features() || is_by_query => Some(CaseRules::new(self, method)?),
            _ => None,
        };
        try_each(self.folds(), |fold| {
            if let Some(record) = known(fold) {
                return Ok(record.clone());
            }
            if self.stop().is_raised() {
                return Err(stopped());
            }
            let (chosen, shares) = match &rules {
                Some(rules) => (0, rules.shares(fold)?),
                None => {
                    let chosen = best_features(baseline, &features, &classes, &fold.training, fold.seed);
                    let Fold { training, test, seed, .. } = fold;
                    (chosen, fit_predict(baseline, &features[chosen], &classes, training, test, *seed))
                }
            };
            let record = self.baseline_record(fold, chosen, &shares);
            journal.append(&JournalLine::Fold(record.clone()))?;
            Ok(record)
        })
    }

    /// Returns the features of each template.
    fn features(&self) -> Result<Vec<Features>, Error> {
        self.templates().map(|it| propositionalise(&it.program, &it.dataset)).collect()
    }

    /// Returns the class of each case: whether its only query is true, or which of its queries is.
    fn case_classes(&self) -> Result<Vec<u32>, Error> {
        let (cases, dataset) = (self.cases(), self.dataset());
        let class = |case: usize| {
            let targets: Option<Vec<f64>> = (cases.queries(dataset, case).iter())
                .map(|query: &Query| query.target.as_ref().filter(|target| target.len() == 1).map(|t| t[0]))
                .collect();
            match targets.as_deref() {
                Some([target]) => Ok(u32::from(*target > 0.5)),
                Some(targets @ [first, ..]) => {
                    let best = targets.iter().fold(*first, |best: f64, target| best.max(*target));
                    Ok(targets.iter().position(|target| *target == best).unwrap_or(0) as u32)
                }
                _ => {
                    let case = cases.label(dataset, case);
                    let message =
                        format!("{case}: a baseline needs one query with a target, or one for each class");
                    Err(Error::new(ErrorKind::Content, message).help("leave --baseline out"))
                }
            }
        };
        (0..cases.count(dataset)).map(class).collect()
    }

    /// Records probabilities as answers, of the template with this number: that of the only query, or of each.
    fn baseline_record(&self, fold: &Fold, template: usize, shares: &[Vec<f64>]) -> FoldRecord {
        let (cases, dataset) = (self.cases(), self.dataset());
        let mut loss = Loss::CrossEntropy;
        let mut answers = Vec::new();
        for (&case, shares) in fold.test.iter().zip(shares) {
            let count = cases.queries(dataset, case).len();
            let share = |class: usize| shares.get(class).copied().unwrap_or(0.0);
            answers.push(match count {
                1 => vec![Some(vec![share(1)])],
                _ => (0..count).map(|class| Some(vec![share(class)])).collect(),
            });
            if count > 1 {
                loss = Loss::Softmax;
            }
        }
        let chosen = Choice { trial: self.trial_of(template) as u32, epochs: 0, error: None };
        let loss = loss.name().to_owned();
        FoldRecord { repeat: fold.repeat, fold: fold.number, chosen, loss, answers, curve: Vec::new() }
    }
}
