//! Learning itself: stochastic gradient descent over the batches in random order, from several random starts.
//!
//! A restart is a state of its own that depends on nothing but the seed and how many epochs it has gone; so restarts
//! run in parallel, can be put away and taken up again, and end with the same bits.

use super::dropout::Dropout;
use super::observer::{Epoch, Observer};
use super::optimizer::Stride;
use super::order::restart_seed;
use super::problem::{Bench, CountedNetwork, LossSums, Problem};
use super::sampling::SampledBatch;
use super::settings::Settings;
use super::state::{Best, End, Restart, State, Trouble, TroublePlace};
use crate::function::{PerReal, Real};
use crate::network::Weights;
use crate::template::Template;
use crate::threads::each_with;
use crate::vocabulary::Vocabulary;

/// Learns a problem with some settings.
#[derive(Debug)]
pub struct Learner<'a> {
    problem: &'a Problem,
    settings: &'a Settings,
}

impl<'a> Learner<'a> {
    /// Returns a learner.
    pub fn new(problem: &'a Problem, settings: &'a Settings) -> Self {
        Self { problem, settings }
    }

    /// Returns the beginning: every restart at its random weights, except where `known` sets them.
    pub fn start<R: Real>(&self, template: &Template, vocabulary: &Vocabulary, known: &Weights) -> State<R> {
        // Of the training examples alone, so that no other data changes where weights begin.
        let (parameters, contributions) = (&self.problem.networks.parameters, self.problem.contributions());
        let start = |number: u32| {
            let Settings { initialisation, initialisation_scale, seed, .. } = *self.settings;
            let scale = initialisation.scale_of_restart(initialisation_scale, number);
            let weights = known.restarted(restart_seed(seed, number), initialisation, scale);
            let parameters = parameters.values_among(template, vocabulary, &weights, &contributions);
            Restart::new(number, parameters, self.settings.optimizer.memories())
        };
        let restarts = (0..self.settings.restarts.0).map(start).collect();
        State { restarts, ensemble: self.settings.ensemble.0 }
    }

    /// Goes at most so many epochs further with every restart that has not ended.
    pub fn advance<R: Real>(&self, state: &mut State<R>, epochs: u32, observer: &dyn Observer) {
        R::own::<Advance>(advance_single, advance_double)(self, state, epochs, observer);
    }

    fn advance_here<R: Real>(&self, state: &mut State<R>, epochs: u32, observer: &dyn Observer) {
        if let Some(parameters) = self.problem.kernel_parameters::<R>() {
            return self.end_by_kernel(state, &parameters, observer);
        }
        // What a restart before it has reached makes a later one needless.
        let needed = state.needed();
        let advance = |restart: &mut Restart<R>| {
            let (benches, gradient, dropped) = (Vec::new(), Vec::new(), Vec::new());
            let mut run = RestartRun { learner: self, restart, benches, gradient, dropped, sampled: None };
            run.advance(epochs, observer);
        };
        each_with(&mut state.restarts[..needed], |_: &mut (), restart| advance(restart));
    }

    /// Ends every restart with what was learned by a kernel: there is one optimum.
    fn end_by_kernel<R: Real>(&self, state: &mut State<R>, parameters: &[R], observer: &dyn Observer) {
        let Self { problem, .. } = self;
        let (training, validation) = (problem.training(parameters), problem.validation(parameters));
        for restart in state.restarts.iter_mut().filter(|restart| restart.end.is_none()) {
            (restart.epoch, restart.end) = (1, Some(End::Converged));
            restart.parameters = parameters.to_vec();
            restart.keep_if_best(training.loss);
            let (restart, epoch) = (restart.number, restart.epoch);
            let rate = 1.0;
            let (running, training) = (training, Some(training));
            observer.epoch(&Epoch { restart, epoch, rate, running, training, validation });
        }
    }

    /// Returns what regularisation adds to the loss.
    fn penalty<R: Real>(&self, parameters: &[R]) -> f64 {
        let Settings { l1, l2, .. } = *self.settings;
        if l1 == 0.0 && l2 == 0.0 {
            return 0.0;
        }
        let weights = self.problem.learnable.iter().flat_map(|range| &parameters[range.clone()]);
        let weights = weights.map(|weight| weight.to_f64());
        weights.map(|weight| 0.5 * l2 * weight * weight + l1 * weight.abs()).sum()
    }

    fn rate(&self, epoch: u32) -> f64 {
        let Settings { schedule, learning_rate, epochs, decay_factor, decay_every, .. } = *self.settings;
        schedule.rate(learning_rate, epoch, epochs, decay_factor, decay_every.0)
    }
}

/// Learning, compiled here once for each number type, and not again in every crate that learns.
struct Advance;

impl PerReal for Advance {
    type Of<R: Real> = fn(&Learner<'_>, &mut State<R>, u32, &dyn Observer);
}

#[inline(never)]
fn advance_single(learner: &Learner<'_>, state: &mut State<f32>, epochs: u32, observer: &dyn Observer) {
    learner.advance_here(state, epochs, observer);
}

#[inline(never)]
fn advance_double(learner: &Learner<'_>, state: &mut State<f64>, epochs: u32, observer: &dyn Observer) {
    learner.advance_here(state, epochs, observer);
}

/// Number of times that a step with which a cycle does not settle is halved.
const MOST_HALVES: u32 = 20;

/// Moves weights half the way back.
fn half_way<R: Real>(before: &[R], weights: &mut [R]) {
    let half = R::from_f64(0.5);
    weights.iter_mut().zip(before).for_each(|(weight, &before)| *weight = before + half * (*weight - before));
}

/// A restart on its way.
struct RestartRun<'a, R> {
    learner: &'a Learner<'a>,
    restart: &'a mut Restart<R>,
    benches: Vec<Bench<R>>,
    gradient: Vec<R>,
    /// The weights of a step with dropout.
    dropped: Vec<R>,
    /// The batch of this step, if it has a network of its own.
    sampled: Option<SampledBatch>,
}

impl<R: Real> RestartRun<'_, R> {
    fn advance(&mut self, epochs: u32, observer: &dyn Observer) {
        let settings = self.learner.settings;
        for _ in 0..epochs {
            if self.restart.epoch >= settings.epochs && self.restart.end.is_none() {
                self.restart.end = Some(End::Epochs);
            }
            if self.restart.end.is_some() || observer.is_stopped() || self.learner.problem.failure().is_some()
            {
                return;
            }
            let before = self.restart.parameters.clone();
            // A stop between two batches takes back the whole epoch; with one batch there is nothing between.
            let has_many = self.learner.problem.batch_count() > 1;
            let memories = if has_many { self.restart.memories.clone() } else { Vec::new() };
            let steps = self.restart.steps;
            match self.epoch(observer) {
                Ok(Some(sums)) => self.after_epoch(&sums, observer),
                // What was stopped, or failed elsewhere, never was.
                Ok(None) => {
                    (self.restart.parameters, self.restart.memories, self.restart.steps) =
                        (before, memories, steps);
                    return;
                }
                Err((place, example)) => {
                    let epoch = self.restart.epoch + 1;
                    let parameters = std::mem::replace(&mut self.restart.parameters, before);
                    self.restart.end = Some(End::Trouble(Trouble { epoch, example, place }));
                    self.restart.lost = parameters;
                }
            }
        }
    }

    /// Runs one pass over all batches; none if it was stopped between two of them.
    fn epoch(&mut self, observer: &dyn Observer) -> Result<Option<LossSums>, (TroublePlace, Option<usize>)> {
        let Learner { problem, settings } = self.learner;
        let seed = restart_seed(settings.seed, self.restart.number);
        let (order, mut sampled) = problem.epoch(seed, self.restart.epoch);
        let rate = self.learner.rate(self.restart.epoch);
        let mut all = LossSums::default();
        let has_cycles = problem.has_cycles();
        let start = if has_cycles { self.restart.parameters.clone() } else { Vec::new() };
        let mut before = Vec::new();
        if self.restart.epoch == 0 {
            problem.solve_last_layer(&mut self.restart.parameters, settings.l2);
        }
        for (nth, batch) in order.into_iter().enumerate() {
            if nth > 0 && observer.is_stopped() {
                return Ok(None);
            }
            self.sampled = sampled.as_mut().and_then(Iterator::next);
            let Some(sums) = self.settled_batch(batch, &before) else { return Ok(None) };
            if let Some(example) = sums.unsettled {
                if settings.optimizer.tries_points() && !self.restart.curvature.base.is_empty() {
                    // A point that is no better than any.
                    self.gradient.fill(R::ZERO);
                    self.step(rate, f64::INFINITY);
                    all.add(LossSums { unsettled: None, ..sums });
                    continue;
                }
                return Err((TroublePlace::Settling, Some(example)));
            }
            if let Some(example) = sums.lost {
                return Err((TroublePlace::Value, Some(example)));
            }
            all.add(sums);
            let penalty = self.regularise();
            if !self.gradient.iter().all(|slope| slope.is_finite()) {
                let own = self.sampled.as_ref().map(|sampled| sampled.counted[0].example);
                return Err((TroublePlace::Gradient, own.or_else(|| problem.example_of(batch))));
            }
            if has_cycles {
                before.clone_from(&self.restart.parameters);
            }
            self.step(rate, sums.measure().loss + penalty);
        }
        if has_cycles && !settings.optimizer.tries_points() {
            self.come_back(&start);
        }
        problem.solve_last_layer(&mut self.restart.parameters, settings.l2);
        match self.restart.parameters.iter().all(|number| number.is_finite()) {
            true => Ok(Some(all)),
            false => Err((TroublePlace::Weight, None)),
        }
    }

    /// Returns the gradient of a batch. Where a cycle does not settle, half of the last step is taken back, again and
    /// again; `before` has the weights before it, if there was one.
    fn settled_batch(&mut self, batch: usize, before: &[R]) -> Option<LossSums> {
        let mut sums = self.batch(batch)?;
        for _ in 0..MOST_HALVES {
            if sums.unsettled.is_none() || before.is_empty() || self.learner.settings.optimizer.tries_points()
            {
                break;
            }
            half_way(before, &mut self.restart.parameters);
            sums = self.batch(batch)?;
        }
        Some(sums)
    }

    /// Goes back towards the beginning of an epoch until all cycles settle, as they do there.
    fn come_back(&mut self, start: &[R]) {
        for _ in 0..MOST_HALVES {
            if self.learner.problem.settles(&self.restart.parameters) {
                return;
            }
            half_way(start, &mut self.restart.parameters);
        }
        self.restart.parameters.copy_from_slice(start);
    }

    /// Returns the gradient of a batch: its networks in parallel, summed in their order; none if a crew failed.
    fn batch(&mut self, batch: usize) -> Option<LossSums> {
        let problem = self.learner.problem;
        let mass = match &self.sampled {
            Some(sampled) => sampled.counted[0].mass(problem.loss),
            None => problem.masses[batch],
        };
        let share = 1.0 / mass.max(f64::MIN_POSITIVE);
        let dropout = self.drop_out(batch);
        let parameters = if dropout.is_some() { &self.dropped } else { &self.restart.parameters };
        self.gradient.clear();
        self.gradient.resize(parameters.len(), R::ZERO);
        let sums = match &problem.away {
            Some(away) => {
                away.gradient(problem.batches[batch].clone(), parameters, share, &mut self.gradient)?
            }
            None => self.batch_here(batch, share, dropout.is_some()),
        };
        if let Some(dropout) = dropout {
            dropout.apply(&problem.learnable, &mut self.gradient);
        }
        Some(LossSums::of(sums))
    }

    /// Leaves out what the step of a batch leaves out, if there is dropout.
    fn drop_out(&mut self, batch: usize) -> Option<Dropout> {
        let Learner { problem, settings } = self.learner;
        let share = settings.dropout.0;
        (share > 0.0).then(|| {
            let seed = restart_seed(settings.seed, self.restart.number);
            let dropout = Dropout::new(share, &[seed, u64::from(self.restart.epoch), batch as u64]);
            self.dropped.clone_from(&self.restart.parameters);
            dropout.apply(&problem.learnable, &mut self.dropped);
            dropout
        })
    }

    fn batch_here(&mut self, batch: usize, share: f64, is_dropped: bool) -> Vec<LossSums> {
        let problem = self.learner.problem;
        let networks: Vec<CountedNetwork<'_>> = match &self.sampled {
            Some(sampled) => vec![sampled.network()],
            None => problem.batches[batch].clone().map(|at| problem.counted(at)).collect(),
        };
        let parameters = if is_dropped { &self.dropped } else { &self.restart.parameters };
        if self.benches.len() < networks.len() {
            self.benches.resize_with(networks.len(), Bench::default);
        }
        let benches = &mut self.benches[..networks.len()];
        let learn = |(bench, at): (&mut Bench<R>, CountedNetwork<'_>)| {
            problem.learn_from(at, parameters, share, bench)
        };
        let sums = match benches {
            [bench] => vec![learn((bench, networks[0]))],
            _ => each_with(benches.iter_mut().zip(networks), |_: &mut (), pair| learn(pair)),
        };
        for bench in &self.benches[..sums.len()] {
            self.gradient.iter_mut().zip(&bench.gradient).for_each(|(sum, &slope)| *sum += slope);
        }
        sums
    }

    /// Draws weights to 0, and makes long gradients shorter. Returns what is added to the loss.
    fn regularise(&mut self) -> f64 {
        let Learner { problem, settings } = self.learner;
        let mut penalty = 0.0;
        let l2 = if settings.optimizer.has_decay() { 0.0 } else { settings.l2 };
        if l2 > 0.0 || settings.l1 > 0.0 {
            let (l1, l2) = (R::from_f64(settings.l1), R::from_f64(l2));
            for range in &problem.learnable {
                let weights = &self.restart.parameters[range.clone()];
                for (slope, &weight) in self.gradient[range.clone()].iter_mut().zip(weights) {
                    let side = match () {
                        () if weight > R::ZERO => l1,
                        () if weight < R::ZERO => -l1,
                        () => R::ZERO,
                    };
                    *slope += l2 * weight + side;
                    penalty += (R::from_f64(0.5) * l2 * weight * weight + side * weight).to_f64();
                }
            }
        }
        if settings.gradient_clip_value > 0.0 {
            let most = R::from_f64(settings.gradient_clip_value);
            self.gradient.iter_mut().for_each(|slope| *slope = Real::max(-most, Real::min(most, *slope)));
        }
        if settings.gradient_clip > 0.0 {
            let slopes = || problem.learnable.iter().flat_map(|range| &self.gradient[range.clone()]);
            let norm = slopes().map(|slope| slope.to_f64() * slope.to_f64()).sum::<f64>().sqrt();
            if norm > settings.gradient_clip {
                let factor = R::from_f64(settings.gradient_clip / norm);
                self.gradient.iter_mut().for_each(|slope| *slope *= factor);
            }
        }
        penalty
    }

    fn step(&mut self, rate: f64, loss: f64) {
        let Learner { problem, settings } = self.learner;
        if settings.optimizer.tries_points() {
            return self.curved_step(rate, loss);
        }
        // They are where they should be.
        problem.last_layer_places().iter().for_each(|&place| self.gradient[place as usize] = R::ZERO);
        let Restart { parameters, memories, steps, .. } = &mut *self.restart;
        *steps += 1;
        let stride = Stride { rate, momentum: settings.momentum.0, decay: settings.l2, number: *steps };
        for range in &problem.learnable {
            let of_range = memories.iter_mut().map(|memory| &mut memory[range.clone()]);
            let mut of_range: Vec<&mut [R]> = of_range.collect();
            let (weights, gradient) = (&mut parameters[range.clone()], &self.gradient[range.clone()]);
            settings.optimizer.step(stride, weights, gradient, &mut of_range);
        }
    }

    /// Takes a step that knows the curvature.
    fn curved_step(&mut self, rate: f64, loss: f64) {
        let mut learns = vec![false; self.gradient.len()];
        self.learner.problem.learnable.iter().for_each(|range| learns[range.clone()].fill(true));
        let slopes = self.gradient.iter_mut().zip(learns);
        slopes.filter(|(_, learns)| !learns).for_each(|(slope, _)| *slope = R::ZERO);
        let Restart { parameters, curvature, end, .. } = &mut *self.restart;
        if !curvature.step(rate, loss, &self.gradient, parameters) {
            *end = Some(End::Converged);
        }
    }

    /// Counts the epoch, keeps the best weights, and sees whether it is the last one.
    fn after_epoch(&mut self, sums: &LossSums, observer: &dyn Observer) {
        let Learner { problem, settings } = self.learner;
        let rate = self.learner.rate(self.restart.epoch);
        let restart = &mut *self.restart;
        restart.epoch += 1;
        let has_converged = restart.end == Some(End::Converged);
        let is_last = restart.epoch == settings.epochs || has_converged;
        let (mut training, mut validation) = (None, None);
        if is_last || restart.epoch.is_multiple_of(settings.evaluate.0) {
            let now = problem.training(&restart.parameters);
            training = Some(now);
            validation = problem.validation(&restart.parameters);
            if problem.failure().is_some() {
                return;
            }
            restart.keep_if_best(match validation.filter(|_| settings.patience > 0) {
                Some(validation) => validation.loss,
                None => now.loss + self.learner.penalty(&restart.parameters),
            });
        }
        let reached = training
            .is_some_and(|measure| settings.target_loss > 0.0 && measure.loss <= settings.target_loss);
        let since_best = restart.epoch - restart.best.as_ref().map_or(restart.epoch, |best| best.epoch);
        let has_lost_patience =
            settings.patience > 0 && validation.is_some() && since_best >= settings.patience;
        restart.end = match () {
            () if reached => Some(End::Until),
            () if has_lost_patience => Some(End::Patience),
            () if has_converged => Some(End::Converged),
            () if is_last => Some(End::Epochs),
            () => None,
        };
        let (restart, epoch, running) = (restart.number, restart.epoch, sums.measure());
        observer.epoch(&Epoch { restart, epoch, rate, running, training, validation });
    }
}

impl<R: Real> Restart<R> {
    fn keep_if_best(&mut self, loss: f64) {
        if self.best.as_ref().is_none_or(|best| loss < best.loss) {
            let (epoch, parameters) = (self.epoch, self.parameters.clone());
            self.best = Some(Best { epoch, loss, parameters });
        }
    }
}
