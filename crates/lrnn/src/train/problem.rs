//! What there is to learn: networks with the targets of their queries, in batches.

use std::ops::Range;

use rayon::prelude::*;

use super::loss::{Loss, Outcome};
use super::settings::Settings;
use crate::data::{Dataset, Query};
use crate::function::{Real, Shape};
use crate::network::{Network, Networks, Schedule, Workspace};
use crate::template::{Template, WeightId};

/// What a query outside the model is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Unentailed {
    /// It has this value, and gives no gradient.
    Value(f64),
    /// It is left out.
    Skip,
    /// It is a mistake: whoever asks must look before learning.
    Error,
}

/// The most examples computed together. Fixed, so that sums do not depend on the number of threads.
const MOST_TOGETHER: usize = 64;

/// Which examples are computed together, and which of these make a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arrangement {
    /// The examples of each network.
    pub chunks: Vec<Vec<usize>>,
    /// The networks of each step of learning.
    pub batches: Vec<Range<usize>>,
    /// The networks for validation, behind those.
    pub validation: Range<usize>,
}

impl Arrangement {
    /// Batches of the training examples in a random order that stays; validation by itself.
    pub fn new(training: &[usize], validation: &[usize], settings: &Settings) -> Self {
        let batch = if settings.batch == 0 || settings.optimizer.needs_all() {
            training.len()
        } else {
            settings.batch as usize
        }
        .max(1);
        let order = super::order::shuffled(training.len(), &[settings.seed, 2]);
        let (mut chunks, mut batches) = (Vec::new(), Vec::new());
        for batch in order.chunks(batch) {
            let first = chunks.len();
            let examples: Vec<usize> = batch.iter().map(|&at| training[at]).collect();
            chunks.extend(examples.chunks(MOST_TOGETHER).map(<[usize]>::to_vec));
            batches.push(first..chunks.len());
        }
        let first = chunks.len();
        chunks.extend(validation.chunks(MOST_TOGETHER).map(<[usize]>::to_vec));
        let validation = first..chunks.len();
        Self { chunks, batches, validation }
    }
}

/// The queries of one example in a network that count.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    pub(super) example: usize,
    /// Their numbers among the network's queries.
    queries: Vec<u32>,
    pub(super) sizes: Vec<u32>,
    pub(super) targets: Vec<f64>,
    weight: f64,
}

impl Counted {
    /// How much it weighs among others.
    fn mass(&self, loss: Loss) -> f64 {
        self.weight * loss.mass(&self.sizes)
    }
}

/// How well some examples are answered.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Measure {
    /// The mean loss of a query.
    pub loss: f64,
    /// How many answers are wrong.
    pub wrong: u32,
    /// Of how many.
    pub answers: u32,
}

impl Measure {
    /// The share of wrong answers.
    pub fn error(&self) -> f64 {
        f64::from(self.wrong) / f64::from(self.answers.max(1))
    }
}

/// What one network needs to be computed; kept from one to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Bench<R> {
    pub space: Workspace<R>,
    pub values: Vec<R>,
    targets: Vec<R>,
    slopes: Vec<R>,
    seeds: Vec<R>,
    pub gradient: Vec<R>,
}

/// The sums over some examples, before they are divided.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Sums {
    pub loss: f64,
    pub mass: f64,
    pub wrong: u32,
    pub answers: u32,
    /// The first example whose loss is not a finite number.
    pub lost: Option<usize>,
}

impl Sums {
    pub fn add(&mut self, other: Self) {
        self.loss += other.loss;
        self.mass += other.mass;
        self.wrong += other.wrong;
        self.answers += other.answers;
        self.lost = self.lost.or(other.lost);
    }

    pub fn measure(&self) -> Measure {
        let loss = if self.mass > 0.0 { self.loss / self.mass } else { 0.0 };
        Measure { loss, wrong: self.wrong, answers: self.answers }
    }
}

/// Networks with targets: all that learning knows of examples.
#[derive(Debug)]
pub struct Problem {
    pub(super) schedule: Schedule,
    pub(super) networks: Networks,
    pub(super) loss: Loss,
    pub(super) counted: Vec<Vec<Counted>>,
    pub(super) batches: Vec<Range<usize>>,
    pub(super) validation: Range<usize>,
    /// The mass of each batch.
    pub(super) masses: Vec<f64>,
    /// Where the numbers are that learn.
    pub(super) learnable: Vec<Range<usize>>,
    unentailed: Unentailed,
}

impl Problem {
    /// Puts networks, which were built as the arrangement says, and targets together.
    pub fn new(
        template: &Template,
        schedule: Schedule,
        dataset: &Dataset,
        networks: Networks,
        arrangement: &Arrangement,
        settings: &Settings,
    ) -> Self {
        let unentailed = settings.unentailed;
        let loss = settings.loss.unwrap_or_else(|| suitable_loss(template, dataset));
        let weights = example_weights(dataset, &arrangement.chunks, settings.balanced);
        let counted: Vec<Vec<Counted>> = (arrangement.chunks.iter().zip(&networks.networks))
            .map(|(chunk, network)| count(chunk, network, template, dataset, &weights, unentailed))
            .collect();
        let mass = |batch: &Range<usize>| {
            counted[batch.clone()].iter().flatten().map(|counted| counted.mass(loss)).sum::<f64>()
        };
        let masses = arrangement.batches.iter().map(mass).collect();
        let learnable = learnable(template, &networks, &settings.freeze.0);
        let (batches, validation) = (arrangement.batches.clone(), arrangement.validation.clone());
        Self { schedule, networks, loss, counted, batches, validation, masses, learnable, unentailed }
    }

    /// The loss that is made small.
    pub fn loss(&self) -> Loss {
        self.loss
    }

    /// The networks, and where their weights lie.
    pub fn networks(&self) -> &Networks {
        &self.networks
    }

    /// How many numbers learn.
    pub fn learnable(&self) -> usize {
        self.learnable.iter().map(Range::len).sum()
    }

    /// How many queries are there to learn from.
    pub fn queries(&self) -> usize {
        let training = self.batches.iter().flat_map(|batch| &self.counted[batch.clone()]).flatten();
        training.map(|counted| counted.queries.len()).sum()
    }

    /// How well the training examples are answered.
    pub fn training<R: Real>(&self, parameters: &[R]) -> Measure {
        self.measure(0..self.validation.start, parameters)
    }

    /// How well the validation examples are answered, if there are any.
    pub fn validation<R: Real>(&self, parameters: &[R]) -> Option<Measure> {
        (!self.validation.is_empty()).then(|| self.measure(self.validation.clone(), parameters))
    }

    /// The example of some networks, if it is the only one.
    pub(super) fn only_example(&self, networks: Range<usize>) -> Option<usize> {
        match &self.counted[networks].iter().flatten().collect::<Vec<_>>()[..] {
            [counted] => Some(counted.example),
            _ => None,
        }
    }

    fn measure<R: Real>(&self, range: Range<usize>, parameters: &[R]) -> Measure {
        let of = |bench: &mut Bench<R>, at: usize| self.forward(at, parameters, bench, None);
        let all: Vec<Sums> = range.into_par_iter().map_init(Bench::default, of).collect();
        let mut sums = Sums::default();
        all.into_iter().for_each(|part| sums.add(part));
        sums.measure()
    }

    /// The value of every counted query of a network; with `share`, also the seeds of its gradient, times the share.
    fn forward<R: Real>(
        &self,
        at: usize,
        parameters: &[R],
        bench: &mut Bench<R>,
        share: Option<f64>,
    ) -> Sums {
        let network = &self.networks.networks[at];
        network.forward(&self.schedule, parameters, &mut bench.space);
        let mut sums = Sums::default();
        bench.seeds.clear();
        for counted in &self.counted[at] {
            self.gather(network, counted, bench);
            let Bench { values, targets, slopes, seeds, .. } = bench;
            let outcome = Outcome { values, targets, sizes: &counted.sizes };
            let loss = self.loss.apply(outcome, slopes).to_f64();
            let (wrong, answers) = self.loss.wrong(outcome);
            let lost = (!loss.is_finite()).then_some(counted.example);
            sums.add(Sums {
                loss: loss * counted.weight,
                mass: counted.mass(self.loss),
                wrong,
                answers,
                lost,
            });
            if let Some(share) = share {
                let share = R::from_f64(share * counted.weight);
                seeds.extend(slopes.iter().map(|&slope| share * slope));
            }
        }
        sums
    }

    /// Values and targets of an example's queries, one after the other.
    pub(super) fn gather<R: Real>(&self, network: &Network, counted: &Counted, bench: &mut Bench<R>) {
        bench.values.clear();
        for (&query, &size) in counted.queries.iter().zip(&counted.sizes) {
            match (bench.space.output(network, query as usize), self.unentailed) {
                (Some(value), _) => bench.values.extend_from_slice(value),
                (None, Unentailed::Value(value)) => {
                    bench.values.extend(std::iter::repeat_n(R::from_f64(value), size as usize));
                }
                (None, Unentailed::Skip | Unentailed::Error) => {}
            }
        }
        bench.targets.clear();
        bench.targets.extend(counted.targets.iter().map(|&target| R::from_f64(target)));
        bench.slopes.clear();
        bench.slopes.resize(bench.values.len(), R::ZERO);
    }

    /// Forwards and backwards through a network; its gradient is added to the bench's.
    pub(super) fn learn_from<R: Real>(
        &self,
        at: usize,
        parameters: &[R],
        share: f64,
        bench: &mut Bench<R>,
    ) -> Sums {
        let sums = self.forward(at, parameters, bench, Some(share));
        let Bench { space, seeds, gradient, .. } = bench;
        // Queries come one after the other, so their seeds are found by walking along.
        let walk = self.counted[at].iter().flat_map(|counted| counted.queries.iter().zip(&counted.sizes));
        let mut walk = walk.peekable();
        let mut next = 0;
        let walk = |query: usize, _: &[R], out: &mut [R]| {
            while let Some(&(&counted, &size)) = walk.peek() {
                if counted as usize > query {
                    return;
                }
                let from = next;
                next += size as usize;
                walk.next();
                if counted as usize == query {
                    out.copy_from_slice(&seeds[from..next]);
                    return;
                }
            }
        };
        self.networks.networks[at].backward(&self.schedule, parameters, space, walk, gradient);
        sums
    }
}

/// The loss that suits the predicate of the first query.
fn suitable_loss(template: &Template, dataset: &Dataset) -> Loss {
    let queries = || dataset.queries.iter().flatten();
    let in_bounds =
        queries().flat_map(|query| query.target.iter().flatten()).all(|t| (0.0..=1.0).contains(t));
    let Some(query) = queries().next().filter(|_| in_bounds) else { return Loss::Squared };
    let predicate = &template.predicates[query.predicate.index()];
    let is_vector = predicate.shape.is_some_and(|shape| !shape.is_number());
    Loss::of_activation(predicate.activation, is_vector)
}

/// The class of an example, as far as targets tell: the bits of all its targets.
pub fn classes(dataset: &Dataset) -> Vec<u64> {
    let of = |queries: &Vec<Query>| {
        let targets = queries.iter().flat_map(|query| query.target.iter().flatten());
        targets.fold(0, |class: u64, target| crate::network::mix(class ^ target.to_bits()))
    };
    dataset.queries.iter().map(of).collect()
}

/// What each example weighs: 1, or so that every class has the same sum.
fn example_weights(dataset: &Dataset, chunks: &[Vec<usize>], balanced: bool) -> Vec<f64> {
    let mut weights = vec![1.0; dataset.examples.len()];
    if !balanced {
        return weights;
    }
    let classes = classes(dataset);
    let mut sizes = std::collections::BTreeMap::new();
    let used = || chunks.iter().flatten();
    used().for_each(|&example| *sizes.entry(classes[example]).or_insert(0.0) += 1.0);
    let mean = used().count() as f64 / sizes.len().max(1) as f64;
    used().for_each(|&example| weights[example] = mean / sizes[&classes[example]]);
    weights
}

fn count(
    chunk: &[usize],
    network: &Network,
    template: &Template,
    dataset: &Dataset,
    weights: &[f64],
    unentailed: Unentailed,
) -> Vec<Counted> {
    let mut number = 0;
    let mut all = Vec::new();
    for &example in chunk {
        let (queries, sizes, targets) = (Vec::new(), Vec::new(), Vec::new());
        let mut counted = Counted { example, queries, sizes, targets, weight: weights[example] };
        for query in &dataset.queries[example] {
            let is_left_out =
                !matches!(unentailed, Unentailed::Value(_)) && !network.is_entailed(number as usize);
            if let (Some(target), false) = (&query.target, is_left_out) {
                let shape = template.predicates[query.predicate.index()].shape.unwrap_or(Shape::NUMBER);
                let spread = if target.len() == 1 { vec![target[0]; shape.size()] } else { target.clone() };
                counted.queries.push(number);
                counted.sizes.push(shape.size() as u32);
                counted.targets.extend(spread);
            }
            number += 1;
        }
        all.push(counted);
    }
    all.retain(|counted| !counted.queries.is_empty());
    all
}

/// Where the numbers are that learn: neighbours together.
fn learnable(template: &Template, networks: &Networks, frozen: &[String]) -> Vec<Range<usize>> {
    let learns = |id: WeightId| {
        let weight = template.weight(id);
        let is_frozen =
            weight.name.as_ref().is_some_and(|name| frozen.iter().any(|frozen| **frozen == **name));
        !weight.fixed && !is_frozen
    };
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (_, range) in networks.parameters.iter().filter(|((weight, _), _)| learns(*weight)) {
        match ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => ranges.push(range),
        }
    }
    ranges
}
