//! What there is to learn: networks with the targets of their queries, in batches.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::arrangement::Arrangement;
use super::crew::Away;
use super::example_queries::{ExampleQueries, count, example_weights, learnable, suitable_loss};
use super::kernel_learning::{KernelCell, KernelUses};
use super::last_layer::LastLayer;
use super::loss::{Loss, Outcome};
use super::order::shuffled;
use super::sampling::{SampledEpoch, Sampling};
use super::settings::Settings;
use crate::data::{Dataset, Query};
use crate::diagnostic::{Error, ErrorKind};
use crate::function::Real;
use crate::network::{NeighbourSampler, Network, Networks, Parameters, Schedule, Workspace};
use crate::template::Template;
use crate::threads::each_with;
use crate::vocabulary::Vocabulary;

/// A policy for queries outside the model.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Unentailed {
    /// It has this value, and gives no gradient.
    Value(f64),
    /// It is left out.
    Skip,
    /// It is a mistake: whoever asks must look before learning.
    Error,
}

/// The loss and the wrong answers of some examples.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Measure {
    /// The mean loss of a query.
    pub loss: f64,
    /// Number of wrong answers.
    pub wrong: u32,
    /// Of how many.
    pub answers: u32,
}

impl Measure {
    /// Returns the share of wrong answers.
    pub fn error(&self) -> f64 {
        f64::from(self.wrong) / f64::from(self.answers.max(1))
    }
}

/// The space that one network is computed in; kept from one to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Bench<R> {
    pub(super) space: Workspace<R>,
    values: Vec<R>,
    targets: Vec<R>,
    slopes: Vec<R>,
    seeds: Vec<R>,
    pub gradient: Vec<R>,
}

/// The sums over some examples, before they are divided.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct LossSums {
    pub loss: f64,
    pub mass: f64,
    pub wrong: u32,
    pub answers: u32,
    /// The first example whose loss is not a finite number.
    pub lost: Option<usize>,
    /// The first example of a network with a cycle that does not settle, or whose gradient does not.
    pub unsettled: Option<usize>,
}

impl LossSums {
    pub fn of(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut sums = Self::default();
        parts.into_iter().for_each(|part| sums.add(part));
        sums
    }

    pub fn add(&mut self, other: Self) {
        self.loss += other.loss;
        self.mass += other.mass;
        self.wrong += other.wrong;
        self.answers += other.answers;
        self.lost = self.lost.or(other.lost);
        self.unsettled = self.unsettled.or(other.unsettled);
    }

    pub fn measure(&self) -> Measure {
        let loss = match self.unsettled {
            Some(_) => f64::NAN,
            None if self.mass > 0.0 => self.loss / self.mass,
            None => 0.0,
        };
        Measure { loss, wrong: self.wrong, answers: self.answers }
    }
}

/// Returns the mean over members of the values of queries; what is outside the model is so for every member.
pub fn mean_values(members: Vec<Vec<Option<Vec<f64>>>>) -> Vec<Option<Vec<f64>>> {
    let count = members.len();
    let mut members = members.into_iter();
    let mut sums = members.next().unwrap_or_default();
    for values in members {
        let pairs = sums.iter_mut().flatten().zip(values.iter().flatten());
        pairs.for_each(|(sum, value)| sum.iter_mut().zip(value).for_each(|(sum, number)| *sum += number));
    }
    if count > 1 {
        sums.iter_mut().flatten().flatten().for_each(|number| *number /= count as f64);
    }
    sums
}

/// Networks with targets: all that learning knows of examples.
#[derive(Debug)]
pub struct Problem {
    pub(super) schedule: Schedule,
    pub(super) networks: Arc<Networks>,
    /// Whoever has the networks, if they are not here.
    pub(super) away: Option<Away>,
    pub(super) loss: Loss,
    pub(super) counted: Vec<Vec<ExampleQueries>>,
    pub(super) batches: Vec<Range<usize>>,
    pub(super) validation: Range<usize>,
    /// The mass of each batch.
    pub(super) masses: Vec<f64>,
    /// Ranges of the numbers that learn.
    pub(super) learnable: Vec<Range<usize>>,
    /// The learned kernel, if the readout is that.
    pub(super) kernel: KernelCell,
    /// The last layer, if that is solved and not learned step by step.
    pub(super) last_layer: OnceLock<LastLayer>,
    /// The source of the networks of batches, if these are not among the networks.
    pub(super) sampling: Option<Sampling>,
    unentailed: Unentailed,
}

/// A network with its queries that count.
#[derive(Clone, Copy, Debug)]
pub(super) struct CountedNetwork<'a> {
    pub network: &'a Network,
    pub counted: &'a [ExampleQueries],
    /// Its number among the networks of the problem, if it is one of them.
    pub number: Option<usize>,
}

impl Problem {
    /// Puts networks, which were built as the arrangement says, and targets together. Several problems may share their
    /// networks; those behind the arrangement's are not looked at.
    pub fn new(
        template: &Template,
        schedule: Schedule,
        dataset: &Dataset,
        networks: impl Into<Arc<Networks>>,
        arrangement: &Arrangement,
        settings: &Settings,
    ) -> Self {
        let (networks, chunks) = (networks.into(), &arrangement.chunks);
        Self::assemble(template, schedule, dataset, networks, None, arrangement, chunks, settings)
    }

    /// Returns the problem of one chunk of an arrangement, whose network this is.
    pub(crate) fn of_chunk(
        template: &Template,
        schedule: Schedule,
        dataset: &Dataset,
        network: Arc<Networks>,
        arrangement: &Arrangement,
        chunk: usize,
        settings: &Settings,
    ) -> Self {
        let (all, chunks) = (&arrangement.chunks, vec![arrangement.chunks[chunk].clone()]);
        let alone = Arrangement { chunks, batches: std::iter::once(0..1).collect(), validation: 1..1 };
        Self::assemble(template, schedule, dataset, network, None, &alone, all, settings)
    }

    /// Returns the problem of networks that a crew has.
    pub(crate) fn of_crew(
        template: &Template,
        schedule: Schedule,
        dataset: &Dataset,
        (away, parameters): (Away, Parameters),
        arrangement: &Arrangement,
        settings: &Settings,
    ) -> Self {
        let (networks, chunks) = (Networks { networks: Vec::new(), parameters }.into(), &arrangement.chunks);
        Self::assemble(template, schedule, dataset, networks, Some(away), arrangement, chunks, settings)
    }

    /// Puts everything together. What an example weighs depends on all chunks.
    #[expect(clippy::too_many_arguments, reason = "the three ways to a problem call it with all of them")]
    fn assemble(
        template: &Template,
        schedule: Schedule,
        dataset: &Dataset,
        networks: Arc<Networks>,
        away: Option<Away>,
        arrangement: &Arrangement,
        all: &[Vec<usize>],
        settings: &Settings,
    ) -> Self {
        let weights = example_weights(dataset, all, settings.class_balance);
        let unentailed = settings.unentailed;
        let loss = settings.loss.unwrap_or_else(|| suitable_loss(template, dataset));
        let of_chunk = |(at, chunk): (usize, &Vec<usize>)| {
            let is_entailed = |query: usize| match &away {
                Some(away) => away.entailed[at].get(query).copied().unwrap_or(false),
                None => networks.networks[at].is_entailed(query),
            };
            count(chunk, is_entailed, template, dataset, &weights, unentailed)
        };
        let counted: Vec<Vec<ExampleQueries>> = arrangement.chunks.iter().enumerate().map(of_chunk).collect();
        let mass = |batch: &Range<usize>| {
            counted[batch.clone()].iter().flatten().map(|counted| counted.mass(loss)).sum::<f64>()
        };
        let masses = arrangement.batches.iter().map(mass).collect();
        let learnable = learnable(template, &networks, &settings.freeze.0);
        Self {
            schedule,
            networks,
            away,
            loss,
            counted,
            batches: arrangement.batches.clone(),
            validation: arrangement.validation.clone(),
            masses,
            learnable,
            kernel: KernelCell::new(),
            last_layer: OnceLock::new(),
            sampling: None,
            unentailed,
        }
    }

    /// Gets ready what the settings ask for before the first step: a kernel, or the last layer. Returns a sentence about what
    /// was chosen, if anything was. What the queries use of weights is found out if it is not known.
    pub fn prepare(
        &self,
        template: &Template,
        vocabulary: &Vocabulary,
        settings: &Settings,
        uses: Option<&KernelUses>,
    ) -> Result<Option<String>, Error> {
        self.find_last_layer(settings)?;
        self.learn_kernel(template, vocabulary, settings, uses)
    }

    /// Learns from batches of queries of the only training example from now on, each with a network of its own. An error
    /// if the loss needs all of them at once.
    pub(crate) fn sample(
        &mut self,
        sampler: NeighbourSampler,
        queries: &[Query],
        settings: &Settings,
    ) -> Result<(), Error> {
        let Some(counted) = self.counted.first().and_then(|counted| counted.first()) else { return Ok(()) };
        let sampling = Sampling::new(sampler, queries, counted.clone(), settings);
        if sampling.batches() > 1 && self.loss.compares(&counted.sizes) {
            let message =
                format!("batch_queries: the loss {} compares all queries with each other", self.loss);
            let error = Error::new(ErrorKind::Usage, message);
            return Err(error.help("name another loss, or leave batch_queries at 0"));
        }
        self.sampling = Some(sampling);
        Ok(())
    }

    /// Returns how many steps an epoch has.
    pub(super) fn batch_count(&self) -> usize {
        self.sampling.as_ref().map_or(self.batches.len(), Sampling::batches)
    }

    /// Returns the order of the batches in an epoch, and the networks of these, where they are built when it is their turn.
    pub(super) fn epoch(&self, seed: u64, epoch: u32) -> (Vec<usize>, Option<SampledEpoch<'_>>) {
        let (parameters, epoch) = (&self.networks.parameters, u64::from(epoch));
        match &self.sampling {
            None => (shuffled(self.batches.len(), &[seed, 3, epoch]), None),
            Some(sampling) => {
                let sampled = SampledEpoch::new(sampling, parameters, &[seed, 5, epoch]);
                ((0..sampling.batches()).collect(), Some(sampled))
            }
        }
    }

    /// Returns one of its networks.
    pub(super) fn counted(&self, number: usize) -> CountedNetwork<'_> {
        let (network, counted) = (&self.networks.networks[number], &self.counted[number][..]);
        CountedNetwork { network, counted, number: Some(number) }
    }

    /// Returns what went wrong with a crew; what was computed since then means nothing.
    pub fn failure(&self) -> Option<Error> {
        let away = self.away.as_ref()?;
        away.failure.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    /// Counts, for each number of the parameters, the contributions that enter the atom that it feeds, at most, in the
    /// training examples.
    pub(super) fn contributions(&self) -> Vec<u32> {
        match &self.away {
            Some(away) => away.contributions.clone(),
            None => self.networks.contributions(0..self.validation.start),
        }
    }

    /// Returns the values of all queries of some networks, network by network; none outside the model.
    pub fn values<R: Real>(&self, range: Range<usize>, parameters: &[R]) -> Vec<Vec<Option<Vec<f64>>>> {
        if let Some(away) = &self.away {
            return away.values(range, parameters).unwrap_or_default();
        }
        let of = |bench: &mut Bench<R>, at: usize| self.values_here(at, parameters, bench);
        each_with(range, of)
    }

    /// Returns the mean values of all queries of some networks under the weights of some members.
    pub fn mean_values<R: Real>(&self, range: Range<usize>, members: &[&[R]]) -> Vec<Vec<Option<Vec<f64>>>> {
        let of = |parameters: &&[R]| self.values(range.clone(), parameters).into_iter();
        let mut members: Vec<_> = members.iter().map(of).collect();
        let network = |_| {
            let values: Option<Vec<_>> = members.iter_mut().map(Iterator::next).collect();
            values.map(mean_values)
        };
        range.clone().map_while(network).collect()
    }

    pub(super) fn values_here<R: Real>(
        &self,
        at: usize,
        parameters: &[R],
        bench: &mut Bench<R>,
    ) -> Vec<Option<Vec<f64>>> {
        let network = &self.networks.networks[at];
        network.forward(&self.schedule, parameters, &mut bench.space);
        let value = |query| {
            let output = bench.space.output(network, query)?.iter();
            Some(output.map(|it| it.to_f64() + self.added::<f64>(at, query)).collect())
        };
        (0..network.output_count()).map(value).collect()
    }

    /// Returns what a query outside the model counts as, if it does.
    pub(super) fn outside<R: Real>(&self) -> Option<R> {
        match self.unentailed {
            Unentailed::Value(value) => Some(R::from_f64(value)),
            Unentailed::Skip | Unentailed::Error => None,
        }
    }

    /// Returns the loss that is made small.
    pub fn loss(&self) -> Loss {
        self.loss
    }

    /// Returns the networks, and where their weights lie.
    pub fn networks(&self) -> &Networks {
        &self.networks
    }

    /// Returns how many numbers learn.
    pub fn learnable(&self) -> usize {
        self.learnable.iter().map(Range::len).sum()
    }

    /// Returns how many queries are there to learn from.
    pub fn queries(&self) -> usize {
        let training = self.batches.iter().flat_map(|batch| &self.counted[batch.clone()]).flatten();
        training.map(|counted| counted.queries.len()).sum()
    }

    /// Returns how well the training examples are answered.
    pub fn training<R: Real>(&self, parameters: &[R]) -> Measure {
        self.measure(0..self.validation.start, parameters)
    }

    /// Returns how well the validation examples are answered, if there are any.
    pub fn validation<R: Real>(&self, parameters: &[R]) -> Option<Measure> {
        (!self.validation.is_empty()).then(|| self.measure(self.validation.clone(), parameters))
    }

    /// Returns the example of a batch, if it is the only one.
    pub(super) fn example_of(&self, batch: usize) -> Option<usize> {
        let mut examples = self.counted[self.batches[batch].clone()].iter().flatten();
        examples.next().filter(|_| examples.next().is_none()).map(|counted| counted.example)
    }

    fn measure<R: Real>(&self, range: Range<usize>, parameters: &[R]) -> Measure {
        let of = |bench: &mut Bench<R>, at: usize| self.forward(self.counted(at), parameters, bench, None);
        let all: Vec<LossSums> = match &self.away {
            Some(away) => away.losses(range, parameters).unwrap_or_default(),
            None => each_with(range, of),
        };
        LossSums::of(all).measure()
    }

    /// Returns the value of every counted query of a network; with `share`, also the seeds of its gradient, times the
    /// share.
    pub(super) fn forward<R: Real>(
        &self,
        at: CountedNetwork<'_>,
        parameters: &[R],
        bench: &mut Bench<R>,
        share: Option<f64>,
    ) -> LossSums {
        at.network.forward(&self.schedule, parameters, &mut bench.space);
        let mut sums = LossSums { unsettled: Self::unsettled(at, bench), ..LossSums::default() };
        bench.seeds.clear();
        for counted in at.counted {
            self.gather(at, counted, bench);
            let Bench { values, targets, slopes, seeds, .. } = bench;
            let outcome = Outcome { values, targets, sizes: &counted.sizes };
            let loss = self.loss.apply_weighted(outcome, &counted.importance, slopes).to_f64();
            let (wrong, answers) = self.loss.wrong(outcome);
            let lost = (!loss.is_finite()).then_some(counted.example);
            let (loss, mass) = (loss * counted.weight, counted.mass(self.loss));
            sums.add(LossSums { loss, mass, wrong, answers, lost, unsettled: None });
            if let Some(share) = share {
                let share = R::from_f64(share * counted.weight);
                seeds.extend(slopes.iter().map(|&slope| share * slope));
            }
        }
        sums
    }

    /// Returns an example of a network that was computed just now and has a cycle that does not settle.
    fn unsettled<R: Real>(at: CountedNetwork<'_>, bench: &Bench<R>) -> Option<usize> {
        if bench.space.has_settled() {
            return None;
        }
        let failed = bench.space.unsettled(at.network).map_or(0, |atom| atom.example);
        at.counted.get(failed).or(at.counted.first()).map(|counted| counted.example)
    }

    /// Returns whether there are atoms that need each other.
    pub(super) fn has_cycles(&self) -> bool {
        self.networks.networks.iter().any(Network::has_cycles)
    }

    /// Returns whether all training networks settle, and their gradients.
    pub(super) fn settles<R: Real>(&self, parameters: &[R]) -> bool {
        let settles = |bench: &mut Bench<R>, at: usize| {
            self.learn_from(self.counted(at), parameters, 1.0, bench).unsettled.is_none()
        };
        each_with(0..self.validation.start, settles).into_iter().all(|it| it)
    }

    /// Values and targets of an example's queries, one after the other.
    fn gather<R: Real>(&self, at: CountedNetwork<'_>, counted: &ExampleQueries, bench: &mut Bench<R>) {
        bench.values.clear();
        for (&query, &size) in counted.queries.iter().zip(&counted.sizes) {
            match bench.space.output(at.network, query as usize) {
                Some(value) => {
                    let added = at.number.map_or(R::ZERO, |number| self.added::<R>(number, query as usize));
                    bench.values.extend(value.iter().map(|&number| number + added));
                }
                None => bench.values.extend(
                    self.outside().into_iter().flat_map(|it: R| std::iter::repeat_n(it, size as usize)),
                ),
            }
        }
        bench.targets.clear();
        bench.targets.extend(counted.targets.iter().map(|&target| R::from_f64(target)));
        bench.slopes.clear();
        bench.slopes.resize(bench.values.len(), R::ZERO);
    }

    /// Forwards and backwards through a network; its gradient becomes the bench's.
    pub(super) fn learn_from<R: Real>(
        &self,
        at: CountedNetwork<'_>,
        parameters: &[R],
        share: f64,
        bench: &mut Bench<R>,
    ) -> LossSums {
        bench.gradient.clear();
        bench.gradient.resize(parameters.len(), R::ZERO);
        let mut sums = self.forward(at, parameters, bench, Some(share));
        if sums.unsettled.is_some() {
            return sums;
        }
        let Bench { space, seeds, gradient, .. } = bench;
        // Queries come one after the other, so their seeds are found by walking along.
        let walk = at.counted.iter().flat_map(|counted| counted.queries.iter().zip(&counted.sizes));
        let mut walk = walk.peekable();
        let mut next = 0;
        let walk = |query: usize, _: &[R], out: &mut [R]| {
            while let Some((&counted, &size)) = walk.next_if(|(counted, _)| **counted as usize <= query) {
                let from = next;
                next += size as usize;
                if counted as usize == query {
                    out.copy_from_slice(&seeds[from..next]);
                }
            }
        };
        at.network.backward(&self.schedule, parameters, space, walk, gradient);
        sums.unsettled = Self::unsettled(at, bench);
        sums
    }
}
