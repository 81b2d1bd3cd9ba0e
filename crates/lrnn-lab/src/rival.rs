//! Baselines on the folds of a study, so that they can be compared fold by fold.

use std::path::Path;

use lrnn::data::Query;
use lrnn::train::{Cases, Loss};
use lrnn::{Error, ErrorKind};
use rayon::prelude::*;

use crate::baseline::{Baseline, Features, fit_predict, propositionalise};
use crate::crossval::{Monitor, Study};
use crate::folds::Fold;
use crate::journal::Header;
use crate::record::{Chosen, FoldRecord};

impl Study<'_> {
    /// Runs a baseline on all folds, with the features of the first template. Nothing if it was stopped.
    pub fn run_baseline(
        &self,
        baseline: &Baseline,
        journal: Option<&Path>,
        header: &Header,
        monitor: &dyn Monitor,
    ) -> Result<Option<Vec<FoldRecord>>, Error> {
        let classes = self.case_classes()?;
        let (journal, known) = self.open(journal, header)?;
        let units = self.units()?;
        let is_known = |(repeat, fold): &(u32, Fold)| known.fold(*repeat, fold.number).is_some();
        let features = match baseline.needs_features && !units.iter().all(is_known) {
            true => self.features()?,
            false => Features::default(),
        };
        let run = |(repeat, fold): &(u32, Fold)| {
            if let Some(record) = known.fold(*repeat, fold.number) {
                return Ok(Some(record.clone()));
            }
            if monitor.is_stopped() {
                return Ok(None);
            }
            let Fold { training, test, .. } = fold;
            let shares = fit_predict(baseline, &features, &classes, training, test, self.seed(*repeat));
            let record = self.baseline_record(*repeat, fold, &shares);
            self.write_fold(journal.as_ref(), &record)?;
            Ok(Some(record))
        };
        let all: Vec<Result<Option<FoldRecord>, Error>> = units.par_iter().with_max_len(1).map(run).collect();
        all.into_iter().collect()
    }

    fn features(&self) -> Result<Features, Error> {
        if self.cases == Cases::Queries {
            let message = "features are of examples, and here all queries have one example";
            return Err(
                Error::new(ErrorKind::Content, message).help("the baseline majority needs no features")
            );
        }
        propositionalise(&self.variants[0].program, self.variants[0].dataset)
    }

    /// The class of each case: whether its only query is true, or which of its queries is.
    fn case_classes(&self) -> Result<Vec<u32>, Error> {
        let dataset = self.variants[0].dataset;
        let class = |case: usize| {
            let targets: Option<Vec<f64>> = (self.cases.queries(dataset, case).iter())
                .map(|query: &Query| query.target.as_ref().filter(|target| target.len() == 1).map(|t| t[0]))
                .collect();
            match targets.as_deref() {
                Some([target]) => Ok(u32::from(*target > 0.5)),
                Some(targets @ [first, ..]) => {
                    let best = targets.iter().fold(*first, |best: f64, target| best.max(*target));
                    Ok(targets.iter().position(|target| *target == best).unwrap_or(0) as u32)
                }
                _ => {
                    let case = self.cases.label(dataset, case);
                    let message =
                        format!("{case}: a baseline needs one query with a target, or one for each class");
                    Err(Error::new(ErrorKind::Content, message).help("leave --baseline out"))
                }
            }
        };
        (0..self.cases.count(dataset)).map(class).collect()
    }

    /// Probabilities as answers: that of the only query, or of each.
    fn baseline_record(&self, repeat: u32, fold: &Fold, shares: &[Vec<f64>]) -> FoldRecord {
        let dataset = self.variants[0].dataset;
        let mut loss = Loss::CrossEntropy;
        let mut answers = Vec::new();
        for (&case, shares) in fold.test.iter().zip(shares) {
            let count = self.cases.queries(dataset, case).len();
            let share = |class: usize| shares.get(class).copied().unwrap_or(0.0);
            answers.push(match count {
                1 => vec![Some(vec![Some(share(1))])],
                _ => (0..count).map(|class| Some(vec![Some(share(class))])).collect(),
            });
            if count > 1 {
                loss = Loss::Softmax;
            }
        }
        let chosen = Chosen { trial: 0, epochs: 0, error: None };
        let loss = loss.name().to_owned();
        FoldRecord { repeat, fold: fold.number, chosen, loss, answers, curve: Vec::new() }
    }
}
