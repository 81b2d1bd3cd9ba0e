//! `lrnn train FOLDER`: learns the weights of a template from data.

mod folder;
mod prepare;
mod report;
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
pub use self::folder::model_in;
use self::prepare::Prepared;
use self::report::Done;
use self::watch::Watch;
use crate::args::{Common, Train};
use crate::failure::{Failure, TEXT};
use crate::output;

pub fn run(train: &Train, common: &Common) -> Result<u8, Failure> {
    if train.time.is_some_and(|time| time.is_nan() || time < 0.0) {
        return Err(Failure::new(crate::failure::USAGE, "--time must be a number of seconds from 0"));
    }
    let begin = Instant::now();
    let prepared = prepare::prepare(train, common)?;
    let folder = Folder::open(train, &prepared)?;
    let session = Session { train, common, prepared, folder, begin };
    match session.prepared.settings.precision {
        Precision::F32 => session.learn::<f32>(),
        Precision::F64 => session.learn::<f64>(),
    }
}

/// How long a round of epochs should take: short enough to stop soon.
const ROUND: Duration = Duration::from_millis(200);
/// How much time passes between two checkpoints.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_secs(2);

/// One run of the command.
struct Session<'a> {
    train: &'a Train,
    common: &'a Common,
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
        let (start, mut saved, mut epochs) = (Instant::now(), Instant::now(), 1);
        self.folder.save(&state, &watch, &self.prepared)?;
        while !state.is_finished() && !watch.is_over() {
            let round = Instant::now();
            learner.advance(&mut state, epochs, &watch);
            // So many epochs that the next round takes as long as it should.
            let ratio = ROUND.as_secs_f64() / round.elapsed().as_secs_f64().max(1e-6);
            epochs = (f64::from(epochs) * ratio.clamp(0.25, 4.0)).round().clamp(1.0, 100_000.0) as u32;
            if saved.elapsed() > BETWEEN_CHECKPOINTS {
                self.folder.save(&state, &watch, &self.prepared)?;
                saved = Instant::now();
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        watch.clear();
        self.folder.save(&state, &watch, &self.prepared)?;
        let best = state.best();
        self.folder.write_model(&self.model(best))?;
        let done = Done { session: self, state: &state, best, watch: &watch, seconds };
        done.print()?;
        trouble::all_failed(&self.prepared, &state)
    }

    /// Random weights, or those of another model where it has them.
    fn start<R: Real>(&self, learner: &Learner<'_>) -> Result<State<R>, Failure> {
        let Prepared { loaded, problem, settings, .. } = &self.prepared;
        let mut weights = Weights::new(settings.seed);
        if let Some(path) = &self.train.from {
            let model = read_model(&model_in(path))?;
            let (template, vocabulary) = (&loaded.template, &loaded.dataset.vocabulary);
            let matched = model.apply(template, vocabulary, &problem.networks().parameters, &mut weights);
            if matched.matched.is_empty() {
                let message = format!("{}: no weight of this model is in the template", path.display());
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
            sources: model_sources(path, &self.prepared.template_sources),
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
