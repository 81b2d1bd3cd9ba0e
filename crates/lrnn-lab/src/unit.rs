//! One fold: what is chosen inside its training folds, learned with on all of them, and tested once.

use lrnn::train::{Measure, Settings, Unentailed};

use crate::bench::{Answers, Bench, Course, Part};
use crate::crossval::{FoldModel, Known, Line, Monitor, Study, StudyError};
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
    pub fn run(&self) -> Result<Option<FoldRecord>, StudyError> {
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
    fn test(&self, chosen: Chosen) -> Result<Option<FoldRecord>, StudyError> {
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
        let dataset = self.study.variants[variant].dataset;
        let count = |answers: &Answers| {
            let answered = cases.answered(dataset, &self.fold.test, answers, settings.unentailed);
            let measure = Measure::of(learned.loss, &answered);
            (measure.wrong, measure.answers)
        };
        let at = |(epoch, answers): &(u32, Answers)| (*epoch, count(answers).0, count(answers).1);
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
    pub(crate) fn bench(&self, trial: usize, part: Part<'_>) -> Result<Bench<'a>, StudyError> {
        let variant = self.study.trials[trial].variant;
        let settings = self.settings(trial);
        let bench = Bench::build(&self.study.variants[variant], part, &settings)
            .map_err(|error| StudyError::Ground(variant, error))?;
        let (targets, outside) = bench.queries();
        if settings.unentailed == Unentailed::Error && outside > 0 {
            let message = format!("{outside} queries are not in the model");
            return Err(StudyError::Other(message, "`--unentailed skip` leaves them out".into()));
        }
        if targets == 0 {
            let name = &self.study.variants[variant].name;
            let message = format!("{name}: without fold {} no query is left to learn from", self.fold.number);
            let help = "queries need targets (`1.0 toxic.`) and must follow from the template";
            return Err(StudyError::Other(message, help.into()));
        }
        Ok(bench)
    }

    pub(crate) fn write(&self, record: &TrialRecord) -> Result<(), StudyError> {
        let line = Line::Trial(record.clone());
        self.journal.map_or(Ok(()), |journal| journal.append(&line)).map_err(StudyError::from)
    }
}
