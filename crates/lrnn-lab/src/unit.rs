//! One fold: what is chosen inside its training folds, learned with on all of them, and tested once.

use lrnn::program::{Answers, Meaning};
use lrnn::train::{Measure, Settings, Unentailed};
use lrnn::{Error, ErrorKind};

use crate::bench::{Bench, CaseValues, Course, Part, Variant};
use crate::crossval::{FoldModel, Known, Line, Monitor, Study};
use crate::folds::Fold;
use crate::journal::Journal;
use crate::piece::Piece;
use crate::record::{Chosen, FoldRecord, TrialRecord};

/// One fold of one repetition.
pub(crate) struct Unit<'a> {
    pub study: &'a Study<'a>,
    pub repeat: u32,
    pub seed: u64,
    pub fold: &'a Fold,
    pub classes: &'a [u64],
    pub known: &'a Known,
    pub journal: Option<&'a Journal>,
    pub monitor: &'a dyn Monitor,
}

impl<'a> Unit<'a> {
    pub fn run(&self) -> Result<Option<FoldRecord>, Error> {
        if let Some(record) = self.known.fold(self.repeat, self.fold.number) {
            let folds = self.study.folds(self.repeat)?.0.len() as f64 * f64::from(self.study.plan.repeats);
            self.monitor.known(self.study.cost()? / folds);
            return Ok(Some(record.clone()));
        }
        if self.monitor.is_stopped() {
            return Ok(None);
        }
        let Some(chosen) = self.choose()? else { return Ok(None) };
        let Some(record) = self.test(chosen)? else { return Ok(None) };
        self.study.write_fold(self.journal, &record)?;
        self.monitor.fold(&record);
        Ok(Some(record))
    }

    /// Learns from all training folds with what was chosen, and answers the test fold.
    fn test(&self, chosen: Chosen) -> Result<Option<FoldRecord>, Error> {
        let trial = chosen.trial as usize;
        let Study { cases, plan, .. } = self.study;
        let part = Part { cases: *cases, training: &self.fold.training, held: &self.fold.test, seen: false };
        let bench = self.bench(trial, part)?;
        let settings = Settings { epochs: chosen.epochs, patience: 0, ..self.settings(trial) };
        let piece = Piece::new(self.monitor, self.study.mean_cost(), chosen.epochs, &settings);
        let course = Course { epochs: chosen.epochs, curve: plan.best_epoch };
        let Some(learned) = bench.learn(&settings, course, &piece) else { return Ok(None) };
        piece.finish();
        let variant = self.study.trials[trial].variant;
        self.monitor.learned(FoldModel {
            repeat: self.repeat,
            fold: self.fold.number,
            variant,
            settings: settings.clone(),
            loss: learned.loss,
            weights: learned.weights,
        })?;
        let count = |answers: &CaseValues| {
            let (loss, unentailed) = (learned.loss, settings.unentailed);
            let answers = self.study.answers(variant, &self.fold.test, answers, loss, unentailed);
            let measure = Measure::of(learned.loss, &answers.answered());
            (measure.wrong, measure.answers)
        };
        let at = |(epoch, answers): &(u32, CaseValues)| (*epoch, count(answers).0, count(answers).1);
        let curve = learned.curve.iter().map(at).collect();
        let answers = crate::record::stored(&learned.answers);
        let (repeat, fold, loss) = (self.repeat, self.fold.number, learned.loss.name().to_owned());
        Ok(Some(FoldRecord { repeat, fold, chosen, loss, answers, curve }))
    }

    /// The settings of a trial under the seed of this repetition.
    pub(crate) fn settings(&self, trial: usize) -> Settings {
        Settings { seed: self.seed, ..self.study.trials[trial].settings.clone() }
    }

    /// Networks for a trial.
    pub(crate) fn bench(&self, trial: usize, part: Part<'_>) -> Result<Bench<'a>, Error> {
        let variant = self.study.trials[trial].variant;
        let settings = self.settings(trial);
        let bench = Bench::build(&self.study.variants[variant], part, &settings)?;
        let (targets, outside) = bench.queries();
        if settings.unentailed == Unentailed::Error && outside > 0 {
            let message = format!("{outside} queries are not in the model");
            return Err(Error::new(ErrorKind::Content, message).help("`--unentailed skip` leaves them out"));
        }
        if targets == 0 {
            let name = &self.study.variants[variant].name;
            let message = format!("{name}: without fold {} no query is left to learn from", self.fold.number);
            let help = "queries need targets (`1.0 toxic.`) and must follow from the template";
            return Err(Error::new(ErrorKind::Content, message).help(help));
        }
        Ok(bench)
    }

    pub(crate) fn write(&self, record: &TrialRecord) -> Result<(), Error> {
        let line = Line::Trial(record.clone());
        self.journal.map_or(Ok(()), |journal| journal.append(&line))
    }
}

impl Study<'_> {
    /// Returns the values of some cases beside their targets, as a variant and a loss take them.
    pub fn answers(
        &self,
        variant: usize,
        cases: &[usize],
        values: &CaseValues,
        loss: lrnn::train::Loss,
        unentailed: Unentailed,
    ) -> Answers {
        let Variant { program, dataset, .. } = &self.variants[variant];
        // A value beyond all bounds tells nothing; 0 can be counted.
        let finite = |value: &f64| if value.is_finite() { *value } else { 0.0 };
        let finite =
            |value: &Option<Vec<f64>>| value.as_ref().map(|value| value.iter().map(finite).collect());
        let values = values.iter().flatten().map(finite).collect();
        let meaning = Meaning { loss, unentailed, is_regression: false };
        Answers::new(program, dataset, &self.cases.places(dataset, cases), values, meaning)
    }
}
