//! `lrnn train FOLDER`: learns the weights of a template from data.

mod folder;
pub mod prepare;
mod report;
pub mod sound;
mod trouble;
mod watch;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use lrnn::function::Real;
use lrnn::model::{Model, Precision, fingerprint};
use lrnn::network::Weights;
use lrnn::train::{Learner, Restart, State};
use lrnn_io::{model_sources, read_model};

use self::folder::Folder;
pub use self::folder::{HISTORY, free_name, is_taken, model_in};
use self::prepare::Prepared;
use self::report::Done;
use self::watch::Watch;
use super::answer::{answer, with_targets};
use super::limit;
use super::report::Made;
use crate::args::{Common, Train};
use crate::failure::{Failure, TEXT};
use crate::{interrupt, output};
use lrnn_lab::Scores;

pub fn run(train: &Train, common: &Common) -> Result<u8, Failure> {
    if train.time.is_some_and(|time| time.is_nan() || time < 0.0) {
        return Err(Failure::new(crate::failure::USAGE, "--time must be a number of seconds from 0"));
    }
    let begin = Instant::now();
    folder::check_out(train)?;
    let from = train.from.as_ref().map(|path| read_model(&model_in(path))).transpose()?;
    let prepared = prepare::prepare(train, common)?;
    let folder = Folder::open(train, &prepared)?;
    let session = Session { train, common, from, prepared, folder, begin };
    match session.prepared.settings.precision {
        Precision::F32 => session.learn::<f32>(),
        Precision::F64 => session.learn::<f64>(),
    }
}

/// How long a round of epochs should take: short enough to stop soon.
const ROUND: Duration = Duration::from_millis(200);
/// Checkpoints take at most one part in so many of the time.
const BETWEEN_CHECKPOINTS: u32 = 20;

/// One run of the command.
struct Session<'a> {
    train: &'a Train,
    common: &'a Common,
    /// The model to begin with.
    from: Option<Model>,
    prepared: Prepared,
    folder: Folder,
    begin: Instant,
}

impl Session<'_> {
    fn learn<R: Real>(&self) -> Result<u8, Failure> {
        let Prepared { problem, settings, .. } = &self.prepared;
        let learner = Learner::new(problem, settings);
        let (mut state, history) = match &self.train.resume {
            Some(_) => self.folder.checkpoint::<R>(&self.prepared)?,
            None => (self.start(&learner)?, Vec::new()),
        };
        let watch = Watch::new(self.common, settings, &state, history, self.train.time)?;
        let (start, mut epochs) = (Instant::now(), 1);
        let mut saved = self.save(&state, &watch)?;
        while !state.is_finished() && !watch.is_over() {
            let round = Instant::now();
            learner.advance(&mut state, epochs, &watch);
            // So many epochs that the next round takes as long as it should.
            let ratio = ROUND.as_secs_f64() / round.elapsed().as_secs_f64().max(1e-6);
            epochs = (f64::from(epochs) * ratio.clamp(0.25, 4.0)).round().clamp(1.0, 100_000.0) as u32;
            if Instant::now() > saved {
                saved = self.save(&state, &watch)?;
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        watch.clear();
        self.folder.save(&state, &watch, &self.prepared)?;
        let best = state.best();
        let model = self.model(best);
        self.folder.write_model(&model)?;
        let test = self.test(&model)?;
        let least = if self.train.least_wrong { Some(self.least_wrong()?) } else { None };
        let made = self.report();
        let report = made.as_ref().and_then(|made| made.as_ref().ok());
        let done = Done { session: self, state: &state, best, test, least, watch: &watch, seconds, report };
        done.print()?;
        match made {
            Some(made) => drop(made?),
            None if state.is_finished() => super::report::say_how(&self.folder.path, self.common),
            None => {}
        }
        trouble::say_large(&model, self.common);
        trouble::all_failed(&self.prepared, &state)?;
        Ok(if state.is_finished() { 0 } else { interrupt::exit_code() })
    }

    /// Writes where learning stands, and says when it is time for the next time.
    fn save<R: Real>(&self, state: &State<R>, watch: &Watch<'_>) -> Result<Instant, Failure> {
        let start = Instant::now();
        self.folder.save(state, watch, &self.prepared)?;
        Ok(Instant::now() + ROUND.max(start.elapsed() * BETWEEN_CHECKPOINTS))
    }

    /// How well the model answers what was held out for the test.
    fn test(&self, model: &Model) -> Result<Option<Scores>, Failure> {
        let Prepared { loaded, problem, settings, split, limits, .. } = &self.prepared;
        if split.test.is_empty()
            || model.weights.iter().flat_map(|weight| weight.numbers).any(|n| !n.is_finite())
        {
            return Ok(None);
        }
        let (answers, _) = answer(loaded, model, limits, &split.test, self.common)?;
        let answered = with_targets(loaded, settings.unentailed, &answers);
        Ok(Some(Scores::of(problem.loss(), &answered)))
    }

    /// How many training answers any weights leave wrong.
    fn least_wrong(&self) -> Result<Option<u32>, Failure> {
        let Prepared { loaded, problem, settings, split, limits, .. } = &self.prepared;
        limit::of_template(loaded, &split.training, limits, problem.loss(), settings.unentailed)
    }

    /// The report, if it was asked for.
    fn report(&self) -> Option<Result<Made, Failure>> {
        let out = self.train.report.report.as_ref()?;
        Some(super::report::make(&self.folder.path, out.as_deref(), None, self.common))
    }

    /// Random weights, or those of another model where it has them.
    fn start<R: Real>(&self, learner: &Learner<'_>) -> Result<State<R>, Failure> {
        let Prepared { loaded, problem, settings, .. } = &self.prepared;
        let mut weights = Weights::new(settings.seed);
        if let Some(model) = &self.from {
            let (template, vocabulary) = (&loaded.template, &loaded.dataset.vocabulary);
            let matched = model.apply(template, vocabulary, &problem.networks().parameters, &mut weights);
            if matched.matched.is_empty() {
                let message = "no weight of the model is in the template";
                return Err(Failure::new(TEXT, message).help("`lrnn weights` lists the weights of a model"));
            }
            report::say_matched(&matched, self.common);
        }
        Ok(learner.start(&loaded.template, &loaded.dataset.vocabulary, &weights))
    }

    fn model<R: Real>(&self, best: &Restart<R>) -> Model {
        let Prepared { loaded, problem, path, family, settings, .. } = &self.prepared;
        let values: Vec<f64> = best.weights().iter().map(|number| number.to_f64()).collect();
        let (template, vocabulary) = (&loaded.template, &loaded.dataset.vocabulary);
        let measure = problem.training(best.weights());
        let notes = BTreeMap::from([
            ("loss".to_owned(), problem.loss().name().to_owned()),
            ("training_loss".to_owned(), format!("{:?}", measure.loss)),
            ("training_error".to_owned(), format!("{:?}", measure.error())),
            ("restart".to_owned(), best.number.to_string()),
        ]);
        Model {
            sources: model_sources(path, &self.prepared.loaded.template_sources),
            family: family.clone(),
            weights: Model::weights_of(template, vocabulary, &problem.networks().parameters, &values),
            settings: prepare::settings_text(settings),
            precision: settings.precision,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            fingerprint: fingerprint(&loaded.dataset),
            notes,
        }
    }

    fn say(&self, text: &str) {
        if !self.common.quiet {
            output::say(text);
        }
    }
}
