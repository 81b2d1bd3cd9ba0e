//! One learning: networks for some cases and some that are held out, built once and learned from under many settings.
//!
//! What is held out has networks of its own behind those of training, and its targets are not in the data that the
//! learner gets, unless it lies inside the training folds. Weights that only held-out cases have cannot be learned, so
//! they are 0, or what the template says.

use std::sync::Arc;

use lrnn::function::Real;
use lrnn::model::{Model, Precision, WeightList};
use lrnn::network::{BuildOptions, Initialisation, Networks, Weights, Workspace};
use lrnn::train::{Arrangement, Cases, CasesView, Learner, Loss, Observer, Problem, Settings, State};
use lrnn::{Dataset, Error, Program};
use rayon::prelude::*;

/// A template with its family, fitted to the data read for it.
#[derive(Debug)]
pub struct Variant<'a> {
    /// What it is called.
    pub name: String,
    /// The template, fitted to the data.
    pub program: Program,
    /// The data.
    pub dataset: &'a Dataset,
}

/// The values of the queries of each held-out case; none outside the model.
pub type CaseValues = Vec<Vec<Option<Vec<f64>>>>;

/// What a learning depends on, beside its settings.
#[derive(Clone, Copy)]
pub(crate) struct Part<'a> {
    pub cases: Cases,
    pub training: &'a [usize],
    pub held: &'a [usize],
    /// Whether the targets of what is held out may be known.
    pub seen: bool,
}

/// What came out.
pub(crate) struct Learned {
    pub answers: CaseValues,
    /// The answers at every evaluation, if they were asked for.
    pub curve: Vec<(u32, CaseValues)>,
    /// The epoch of the weights.
    pub epoch: u32,
    /// The weights that something taught.
    pub weights: WeightList,
    pub loss: Loss,
}

/// How far to learn, and what to keep.
#[derive(Clone, Copy)]
pub(crate) struct Course {
    /// The most epochs to go, which may be fewer than the settings say.
    pub epochs: u32,
    pub curve: bool,
}

/// Networks to learn from.
pub(crate) struct Bench<'a> {
    variant: &'a Variant<'a>,
    networks: Arc<Networks>,
    arrangement: Arrangement,
    targets: Dataset,
    seen: bool,
    /// How many queries each held-out case has.
    sizes: Vec<usize>,
}

impl<'a> Bench<'a> {
    /// Grounds and builds. Of the settings, those count that [`Bench::key`] tells.
    pub fn build(variant: &'a Variant<'a>, part: Part<'_>, settings: &Settings) -> Result<Self, Error> {
        let CasesView { facts, targets, training, held } =
            part.cases.view(variant.dataset, part.training, part.held, part.seen);
        let arrangement = Arrangement::new(&training, &held, settings);
        let options = BuildOptions { merge: settings.merge, ..BuildOptions::default() };
        let networks = variant.program.networks(&facts, options, &arrangement.chunks)?;
        let sizes = part.held.iter().map(|&case| part.cases.queries(variant.dataset, case).len()).collect();
        let (networks, seen) = (Arc::new(networks), part.seen);
        Ok(Self { variant, networks, arrangement, targets, seen, sizes })
    }

    /// What of the settings the networks depend on.
    pub fn key(settings: &Settings) -> (u32, bool) {
        (if settings.optimizer.needs_all() { 0 } else { settings.batch_size }, settings.merge)
    }

    /// Learns; nothing if it was stopped.
    pub fn learn(&self, settings: &Settings, course: Course, observer: &dyn Observer) -> Option<Learned> {
        match settings.precision {
            Precision::F32 => self.learn_in::<f32>(settings, course, observer),
            Precision::F64 => self.learn_in::<f64>(settings, course, observer),
        }
    }

    fn learn_in<R: Real>(
        &self,
        settings: &Settings,
        course: Course,
        observer: &dyn Observer,
    ) -> Option<Learned> {
        let arrangement = self.arrangement(settings);
        let template = self.variant.program.template();
        let networks = Arc::clone(&self.networks);
        let schedule = self.variant.program.schedule().clone();
        let problem = Problem::new(template, schedule, &self.targets, networks, &arrangement, settings);
        let learner = Learner::new(&problem, settings);
        let mut state = self.start::<R>(&learner, settings);
        let step = if course.curve { settings.evaluate.0.min(course.epochs) } else { course.epochs };
        let (mut curve, mut epoch) = (Vec::new(), 0);
        while epoch < course.epochs {
            let epochs = step.min(course.epochs - epoch);
            learner.advance(&mut state, epochs, observer);
            epoch += epochs;
            if observer.is_stopped() && !state.is_finished() {
                return None;
            }
            if course.curve {
                curve.push((epoch, self.answers(&state.best().parameters)));
            }
            if state.is_finished() {
                break;
            }
        }
        let best = state.best();
        let epoch = best.best.as_ref().map_or(best.epoch, |best| best.epoch);
        let (weights, answers) = (self.weights(best.weights()), self.answers(best.weights()));
        Some(Learned { answers, curve, epoch, weights, loss: problem.loss() })
    }

    /// The weights that training examples have; those that only held-out cases have were never learned.
    fn weights<R: Real>(&self, parameters: &[R]) -> WeightList {
        let reach = self.networks.reach(self.arrangement.validation.start);
        let values: Vec<f64> = parameters[..reach].iter().map(|number| number.to_f64()).collect();
        let vocabulary = &self.variant.dataset.vocabulary;
        Model::weights_of(self.variant.program.template(), vocabulary, &self.networks.parameters, &values)
    }

    /// What is held out is for the learner's eyes only if it decides when to stop, inside the training folds.
    fn arrangement(&self, settings: &Settings) -> Arrangement {
        let mut arrangement = self.arrangement.clone();
        if !self.seen || settings.patience == 0 {
            arrangement.chunks.truncate(arrangement.validation.start);
            arrangement.validation.end = arrangement.validation.start;
        }
        arrangement
    }

    fn start<R: Real>(&self, learner: &Learner<'_>, settings: &Settings) -> State<R> {
        let (template, vocabulary) = (self.variant.program.template(), &self.variant.dataset.vocabulary);
        let mut state = learner.start::<R>(template, vocabulary, &Weights::new(settings.seed));
        let reach = self.networks.reach(self.arrangement.validation.start);
        let unknown = Weights::starting(0, Initialisation::Constant, 0.0);
        let unknown: Vec<R> = self.networks.parameters.values(template, vocabulary, &unknown);
        for restart in &mut state.restarts {
            restart.parameters[reach..].copy_from_slice(&unknown[reach..]);
        }
        state
    }

    /// The values of everything that is held out.
    fn answers<R: Real>(&self, parameters: &[R]) -> CaseValues {
        let of_network = |at: usize| {
            let network = &self.networks.networks[at];
            let mut space = Workspace::default();
            network.forward(self.variant.program.schedule(), parameters, &mut space);
            let value = |query| {
                let value = space.output(network, query)?;
                Some(value.iter().map(|number: &R| number.to_f64()).collect::<Vec<f64>>())
            };
            (0..network.output_count()).map(value).collect::<Vec<_>>()
        };
        let all: Vec<Vec<Option<Vec<f64>>>> =
            self.arrangement.validation.clone().into_par_iter().map(of_network).collect();
        let mut all = all.into_iter().flatten();
        self.sizes.iter().map(|&size| all.by_ref().take(size).collect()).collect()
    }

    /// How many queries with targets there are to learn from, and how many of all queries are not in the model.
    pub fn queries(&self) -> (usize, usize) {
        let (mut targets, mut outside) = (0, 0);
        for (at, chunk) in self.arrangement.chunks.iter().enumerate() {
            let queries = chunk.iter().flat_map(|&example| &self.targets.queries[example]);
            for (number, query) in queries.enumerate() {
                let is_entailed = self.networks.networks[at].is_entailed(number);
                outside += usize::from(!is_entailed);
                let is_training = at < self.arrangement.validation.start;
                targets += usize::from(is_entailed && is_training && query.target.is_some());
            }
        }
        (targets, outside)
    }
}
