//! One learning: networks for some cases and some that are held out, built once and learned from under many settings.
//!
//! What is held out has networks of its own behind those of training, and its targets are not in the data that the
//! learner gets, unless it lies inside the training folds. Weights that only held-out cases have cannot be learned, so
//! they are 0, or what the template says.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lrnn::function::Real;
use lrnn::model::{Model, Precision, Support, WeightList};
use lrnn::network::{BuildOptions, Initialisation, Network, Networks, Weights, Workspace};
use lrnn::threads::each;
use lrnn::train::{
    Arrangement, Cases, CasesView, Epoch, KernelUses, Learner, Loss, Observer, Problem, Readout, Restart,
    Settings, State, mean_values,
};
use lrnn::vocabulary::Vocabulary;
use lrnn::{Dataset, Error, Stop, Template};

use crate::crossval::{Monitor, Variant, stopped};

/// The values of the queries of each held-out case; none outside the model.
pub(crate) type CaseValues = Vec<Vec<Option<Vec<f64>>>>;

/// Cases to learn from, and cases that are held out.
#[derive(Clone, Copy)]
pub(crate) struct HoldOut<'a> {
    pub cases: Cases,
    pub training: &'a [usize],
    pub held: &'a [usize],
    /// True if the targets of what is held out may be known.
    pub is_seen: bool,
}

/// The networks of all examples, one each, for a readout that looks at each by itself: what is learned from and what is
/// held out are some of them.
#[derive(Debug)]
pub(crate) struct SharedNetworks {
    networks: Networks,
    uses: KernelUses,
}

impl SharedNetworks {
    /// Builds them. Weights that only held-out examples have are among those of every fold then, as 0.
    pub fn build(variant: &Variant, settings: &Settings) -> Result<Self, Error> {
        let Variant { program, dataset, .. } = variant;
        let options = BuildOptions { merge: settings.merge, ..BuildOptions::default() };
        let chunks: Vec<Vec<usize>> = (0..dataset.examples.len()).map(|example| vec![example]).collect();
        let networks = program.networks(dataset, options, &chunks)?;
        let names = program.names(&dataset.vocabulary);
        let uses = KernelUses::new(program.template(), names, program.schedule(), &networks);
        Ok(Self { networks, uses })
    }

    /// Returns those of some examples.
    fn of_examples(&self, examples: &[Vec<usize>]) -> (Networks, KernelUses) {
        let examples = || examples.iter().flatten().copied();
        let networks = examples().map(|example| self.networks.networks[example].clone()).collect();
        let parameters = self.networks.parameters.clone();
        (Networks { networks, parameters }, self.uses.of_networks(examples()))
    }
}

/// Weights, and the values that they give to what is held out.
pub(crate) struct TrainingResult {
    pub values: CaseValues,
    /// The values at every evaluation with its epoch, if they were asked for.
    pub curve: Vec<(u32, CaseValues)>,
    /// The epoch of the weights.
    pub epoch: u32,
    /// The weights that something taught, of each member of an ensemble, the best first.
    pub weights: Vec<WeightList>,
    /// The training queries that the readout `kernel` compares with.
    pub supports: Vec<Support>,
    pub loss: Loss,
}

/// Networks to learn from.
pub(crate) struct Trainer<'a> {
    variant: &'a Variant,
    networks: Arc<Networks>,
    /// The weights that their queries use, if it is known.
    uses: Option<KernelUses>,
    arrangement: Arrangement,
    targets: Dataset,
    is_seen: bool,
    /// The number of queries of each held-out case.
    sizes: Vec<usize>,
}

impl<'a> Trainer<'a> {
    /// Grounds and builds. Of the settings, those count that [`Trainer::key`] tells.
    pub fn build(variant: &'a Variant, part: HoldOut<'_>, settings: &Settings) -> Result<Self, Error> {
        let HoldOut { cases, is_seen, .. } = part;
        let fitted = variant.fitted(cases, part.training)?;
        let dataset = fitted.as_ref().unwrap_or(&variant.dataset);
        let CasesView { facts, targets, training, held } =
            cases.view(dataset, part.training, part.held, is_seen);
        let arrangement = Arrangement::new(&training, &held, settings);
        let options = BuildOptions { merge: settings.merge, ..BuildOptions::default() };
        let shared = variant.shared.get().filter(|_| settings.readout == Readout::Kernel);
        let (networks, uses) = match shared {
            Some(shared) => {
                let (networks, uses) = shared.of_examples(&arrangement.chunks);
                (networks, Some(uses))
            }
            None => (variant.program.networks(&facts, options, &arrangement.chunks)?, None),
        };
        let networks = Arc::new(networks);
        let sizes = part.held.iter().map(|&case| cases.queries(&variant.dataset, case).len()).collect();
        Ok(Self { variant, networks, uses, arrangement, targets, is_seen, sizes })
    }

    /// Returns what of the settings the networks depend on.
    pub fn key(settings: &Settings) -> (u32, bool) {
        (if settings.optimizer.needs_all() { 0 } else { settings.batch_size }, settings.merge)
    }

    /// Learns for so many epochs at most, and keeps the values at every evaluation if `has_curve`.
    pub fn learn(
        &self,
        settings: &Settings,
        epochs: u32,
        has_curve: bool,
        observer: &dyn Observer,
    ) -> Result<TrainingResult, Error> {
        match settings.precision {
            Precision::F32 => self.learn_in::<f32>(settings, epochs, has_curve, observer),
            Precision::F64 => self.learn_in::<f64>(settings, epochs, has_curve, observer),
        }
    }

    fn learn_in<R: Real>(
        &self,
        settings: &Settings,
        epochs: u32,
        has_curve: bool,
        observer: &dyn Observer,
    ) -> Result<TrainingResult, Error> {
        let arrangement = self.arrangement(settings);
        let (template, vocabulary) = self.names();
        let networks = Arc::clone(&self.networks);
        let schedule = self.variant.program.schedule().clone();
        let problem = Problem::new(template, schedule, &self.targets, networks, &arrangement, settings);
        problem.prepare(template, vocabulary, settings, self.uses.as_ref())?;
        let learner = Learner::new(&problem, settings);
        let mut state = self.start::<R>(&learner, settings);
        let step = if has_curve { settings.evaluate.0.min(epochs) } else { epochs };
        let (mut curve, mut epoch) = (Vec::new(), 0);
        while epoch < epochs && !state.is_finished() {
            let step = step.min(epochs - epoch);
            learner.advance(&mut state, step, observer);
            epoch += step;
            if observer.is_stopped() && !state.is_finished() {
                return Err(stopped());
            }
            if has_curve {
                let members: Vec<&[R]> = state.members().iter().map(|it| &it.parameters[..]).collect();
                curve.push((epoch, self.values(&problem, &members)));
            }
        }
        let best = state.best();
        let epoch = best.best.as_ref().map_or(best.epoch, |best| best.epoch);
        let members: Vec<&[R]> = state.members().into_iter().map(Restart::weights).collect();
        let weights = members.iter().map(|parameters| self.weights(parameters)).collect();
        let values = self.values(&problem, &members);
        let parameters = &self.networks.parameters;
        let supports = problem.kernel().map(|it| it.supports(template, parameters)).unwrap_or_default();
        Ok(TrainingResult { values, curve, epoch, weights, supports, loss: problem.loss() })
    }

    /// Returns the template, and the names of its weights' indices.
    fn names(&self) -> (&Template, &Vocabulary) {
        let Variant { program, dataset, .. } = self.variant;
        (program.template(), program.names(&dataset.vocabulary))
    }

    /// Returns the weights that training examples have; those that only held-out cases have were never learned.
    fn weights<R: Real>(&self, parameters: &[R]) -> WeightList {
        let reach = self.networks.reach(self.arrangement.validation.start);
        let (template, names) = self.names();
        Model::weights_of(template, names, &self.networks.parameters, &parameters[..reach])
    }

    /// Returns the arrangement: what is held out is for the learner's eyes only if it decides when to stop, inside the
    /// training folds.
    fn arrangement(&self, settings: &Settings) -> Arrangement {
        let mut arrangement = self.arrangement.clone();
        if !self.is_seen || settings.patience == 0 {
            arrangement.chunks.truncate(arrangement.validation.start);
            arrangement.validation.end = arrangement.validation.start;
        }
        arrangement
    }

    fn start<R: Real>(&self, learner: &Learner<'_>, settings: &Settings) -> State<R> {
        let (template, vocabulary) = self.names();
        let mut state = learner.start::<R>(template, vocabulary, &Weights::new(settings.seed));
        let reach = self.networks.reach(self.arrangement.validation.start);
        let unknown = Weights::starting(0, Initialisation::Constant, 0.0);
        let unknown: Vec<R> = self.networks.parameters.values(template, vocabulary, &unknown);
        for restart in &mut state.restarts {
            restart.parameters[reach..].copy_from_slice(&unknown[reach..]);
        }
        state
    }

    /// Computes the values of everything that is held out, as the mean of some members.
    fn values<R: Real>(&self, problem: &Problem, members: &[&[R]]) -> CaseValues {
        let of_network = |network: &Network| {
            let mut space = Workspace::default();
            let mut of_member = |parameters: &&[R]| {
                network.forward(self.variant.program.schedule(), parameters, &mut space);
                let value = |query| {
                    let value = space.output(network, query)?;
                    Some(value.iter().map(|number: &R| number.to_f64()).collect::<Vec<f64>>())
                };
                let mut values: Vec<_> = (0..network.output_count()).map(value).collect();
                if let Some(learned) = problem.kernel() {
                    let schedule = self.variant.program.schedule();
                    learned.kernel.add(network, schedule, parameters, &mut space, &mut values);
                }
                values
            };
            mean_values(members.iter().map(&mut of_member).collect())
        };
        let mut all = each(&self.networks.networks[self.arrangement.validation.clone()], of_network)
            .into_iter()
            .flatten();
        self.sizes.iter().map(|&size| all.by_ref().take(size).collect()).collect()
    }

    /// Counts the queries with targets to learn from, and the queries that are not in the model.
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

/// Tells a monitor what one learning costs, epoch by epoch, and all of it in the end.
pub(crate) struct WorkMeter<'a> {
    monitor: &'a dyn Monitor,
    stop: &'a Stop,
    cost: f64,
    epochs: u64,
    done: AtomicU64,
}

impl<'a> WorkMeter<'a> {
    pub fn new(
        monitor: &'a dyn Monitor,
        stop: &'a Stop,
        cost: f64,
        epochs: u32,
        settings: &Settings,
    ) -> Self {
        let epochs = (u64::from(epochs) * u64::from(settings.restarts.0)).max(1);
        Self { monitor, stop, cost, epochs, done: AtomicU64::new(0) }
    }

    pub fn finish(&self) {
        let left = self.epochs.saturating_sub(self.done.load(Ordering::Relaxed));
        self.monitor.work(self.cost * left as f64 / self.epochs as f64);
    }
}

impl Observer for WorkMeter<'_> {
    fn epoch(&self, _: &Epoch) {
        self.done.fetch_add(1, Ordering::Relaxed);
        self.monitor.work(self.cost / self.epochs as f64);
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_raised()
    }
}
