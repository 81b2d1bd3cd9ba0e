//! Work on networks that are elsewhere: in other processes, or on other machines. The chunks of an arrangement are fixed,
//! each answers an order by itself, and whoever asks adds the answers up in the order of chunks: so it does not matter
//! who has which chunk, nor how many there are to do the work, not even in the last bit.
//!
//! Summaries, orders and answers are bytes, numbers one after the other, which are checked when they are read.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::problem::{Bench, LossSums, Problem};
use crate::diagnostic::{Error, ErrorKind};
use crate::function::Real;
use crate::network::{Parameters, WeightKey};
use crate::template::{Template, WeightId};
use crate::vocabulary::ConstantId;

/// Workers that have the networks of some chunks between them.
pub trait Crew: Send + Sync + Debug {
    /// Grounds so many chunks; returns the summary of each.
    fn ground(&self, chunks: usize) -> Result<Vec<Vec<u8>>, Error>;

    /// Tells where the numbers of each chunk lie among all parameters.
    fn place(&self, places: &[Vec<u32>]) -> Result<(), Error>;

    /// Returns the answer of each of these chunks to an order.
    fn work(&self, chunks: Range<usize>, order: &[u8]) -> Result<Vec<Vec<u8>>, Error>;
}

/// The facts about the network of a chunk that a driver needs.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ChunkSummary {
    /// Its weights, in the order of its numbers.
    pub keys: Vec<WeightKey>,
    /// By number, the contributions to the atom that it feeds, at most.
    pub contributions: Vec<u32>,
    /// By query, whether it is in the model.
    pub entailed: Vec<bool>,
}

impl ChunkSummary {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut words = vec![self.keys.len() as u32];
        for (weight, index) in &self.keys {
            words.push(weight.0);
            words.extend(index.iter().map(|word| word.0));
        }
        words.push(self.contributions.len() as u32);
        words.extend(&self.contributions);
        words.push(self.entailed.len() as u32);
        words.extend(self.entailed.iter().map(|&is_entailed| u32::from(is_entailed)));
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    pub fn from_bytes(template: &Template, bytes: &[u8]) -> Option<Self> {
        let (words, []) = bytes.as_chunks() else { return None };
        let mut words = words.iter().map(|word| u32::from_le_bytes(*word));
        let mut keys = Vec::new();
        for _ in 0..words.next()? {
            let id = WeightId(words.next()?);
            let arity = template.weights.get(id.index())?.index_arity();
            let index: Vec<ConstantId> = words.by_ref().take(arity).map(ConstantId).collect();
            (index.len() == arity).then(|| keys.push((id, index)))?;
        }
        let mut list = || {
            let count = words.next()? as usize;
            let list: Vec<u32> = words.by_ref().take(count).collect();
            (list.len() == count).then_some(list)
        };
        let (contributions, entailed) = (list()?, list()?.into_iter().map(|flag| flag > 0).collect());
        let numbers: usize = keys.iter().map(|(id, _)| template.weight(*id).shape.size()).sum();
        let is_whole = words.next().is_none() && contributions.len() == numbers;
        is_whole.then_some(Self { keys, contributions, entailed })
    }
}

/// The kind of answer that an order asks for.
#[derive(Clone, Copy, PartialEq, Debug)]
enum OrderKind {
    /// The loss and its gradient, times a share.
    Gradient,
    Loss,
    /// The values of all queries.
    Values,
}

/// All of them, by their numbers.
const ORDERS: [OrderKind; 3] = [OrderKind::Gradient, OrderKind::Loss, OrderKind::Values];

fn put<R: Real>(bytes: &mut Vec<u8>, numbers: &[R]) {
    match size_of::<R>() {
        // Exact: the number is one of single precision.
        4 => numbers.iter().for_each(|number| bytes.extend((number.to_f64() as f32).to_le_bytes())),
        _ => numbers.iter().for_each(|number| bytes.extend(number.to_f64().to_le_bytes())),
    }
}

fn take<R: Real>(bytes: &[u8]) -> Option<Vec<R>> {
    if size_of::<R>() == 4 {
        let (numbers, []) = bytes.as_chunks() else { return None };
        return Some(numbers.iter().map(|it| R::from_f64(f64::from(f32::from_le_bytes(*it)))).collect());
    }
    let (numbers, []) = bytes.as_chunks() else { return None };
    Some(numbers.iter().map(|it| R::from_f64(f64::from_le_bytes(*it))).collect())
}

/// The kind, the size of a number, padded; the share; the parameters.
const ORDER_HEAD: usize = 16;

fn order<R: Real>(kind: OrderKind, share: f64, parameters: &[R]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(ORDER_HEAD + size_of_val(parameters));
    bytes.extend([kind as u8, size_of::<R>() as u8, 0, 0, 0, 0, 0, 0]);
    bytes.extend(f64::to_le_bytes(share));
    put(&mut bytes, parameters);
    bytes
}

/// The bytes of [`LossSums`]: loss, mass, wrong, answers, and the lost and the unsettled example, counted from 1.
const SUMS: usize = 40;

impl LossSums {
    fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::from(self.loss.to_le_bytes());
        bytes.extend(self.mass.to_le_bytes());
        bytes.extend(self.wrong.to_le_bytes());
        bytes.extend(self.answers.to_le_bytes());
        for example in [self.lost, self.unsettled] {
            bytes.extend(example.map_or(0, |example| example as u64 + 1).to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let word = |at: usize| bytes.get(at..at + 8)?.try_into().ok();
        let half = |at: usize| bytes.get(at..at + 4)?.try_into().ok();
        let example = |word: [u8; 8]| u64::from_le_bytes(word).checked_sub(1).map(|example| example as usize);
        Some(Self {
            loss: f64::from_le_bytes(word(0)?),
            mass: f64::from_le_bytes(word(8)?),
            wrong: u32::from_le_bytes(half(16)?),
            answers: u32::from_le_bytes(half(20)?),
            lost: example(word(24)?),
            unsettled: example(word(32)?),
        })
    }
}

/// A chunk of a problem with its network: it answers orders.
#[derive(Debug)]
pub(crate) struct ShardPart {
    /// Of this chunk alone.
    pub problem: Problem,
    /// Places of its numbers among all parameters.
    pub places: Vec<u32>,
}

impl ShardPart {
    pub fn summary(&self) -> ChunkSummary {
        let networks = self.problem.networks();
        let network = &networks.networks[0];
        ChunkSummary {
            keys: networks.parameters.iter().map(|(key, _)| key.clone()).collect(),
            contributions: networks.contributions(0..1),
            entailed: (0..network.output_count()).map(|query| network.is_entailed(query)).collect(),
        }
    }

    /// Returns the answer to an order; none if it is none.
    pub fn answer(&self, order: &[u8]) -> Option<Vec<u8>> {
        let (head, numbers) = order.split_at_checked(ORDER_HEAD)?;
        let share = f64::from_le_bytes(head[8..].try_into().ok()?);
        let kind = *ORDERS.get(usize::from(head[0]))?;
        match head[1] {
            4 => self.compute::<f32>(kind, share, numbers),
            8 => self.compute::<f64>(kind, share, numbers),
            _ => None,
        }
    }

    fn compute<R: Real>(&self, kind: OrderKind, share: f64, numbers: &[u8]) -> Option<Vec<u8>> {
        let (all, mut bench) = (take::<R>(numbers)?, Bench::default());
        let own = self.places.iter().map(|&place| all.get(place as usize).copied());
        let own = own.collect::<Option<Vec<R>>>()?;
        if own.len() != self.problem.networks().parameters.len() {
            return None;
        }
        match kind {
            OrderKind::Gradient => {
                let sums = self.problem.learn_from(self.problem.counted(0), &own, share, &mut bench);
                let mut bytes = sums.to_bytes();
                put(&mut bytes, &bench.gradient);
                Some(bytes)
            }
            OrderKind::Loss => {
                Some(self.problem.forward(self.problem.counted(0), &own, &mut bench, None).to_bytes())
            }
            OrderKind::Values => {
                let mut bytes = Vec::new();
                for value in self.problem.values_here(0, &own, &mut bench) {
                    let count = value.as_ref().map_or(u32::MAX, |value| value.len() as u32);
                    bytes.extend(count.to_le_bytes());
                    put::<f64>(&mut bytes, &value.unwrap_or_default());
                }
                Some(bytes)
            }
        }
    }
}

/// The networks of a problem that a crew has.
#[derive(Debug)]
pub(crate) struct Away {
    crew: Arc<dyn Crew>,
    /// By chunk, where its numbers lie among all parameters.
    places: Vec<Vec<u32>>,
    /// By number, the contributions to the atom that it feeds, at most, in chunks to learn from.
    pub contributions: Vec<u32>,
    pub entailed: Vec<Vec<bool>>,
    /// The first thing that went wrong. What is computed after it means nothing.
    pub failure: Mutex<Option<Error>>,
}

impl Away {
    /// Lets a crew ground so many chunks, of which the first ones are to learn from, and lays out their weights as if all
    /// were here.
    pub fn new(
        crew: Arc<dyn Crew>,
        template: &Template,
        chunks: usize,
        training: usize,
    ) -> Result<(Self, Parameters), Error> {
        let summaries = crew.ground(chunks)?;
        let read = |bytes: &Vec<u8>| ChunkSummary::from_bytes(template, bytes).ok_or_else(broken);
        let summaries = summaries.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        if summaries.len() != chunks {
            return Err(broken());
        }
        let mut parameters = Parameters::new(template);
        let mut place = |key: &WeightKey| {
            let first = parameters.place(key);
            first..first + template.weight(key.0).shape.size() as u32
        };
        let places: Vec<Vec<u32>> =
            summaries.iter().map(|chunk| chunk.keys.iter().flat_map(&mut place).collect()).collect();
        let mut contributions = vec![1; parameters.len()];
        for (places, chunk) in places.iter().zip(&summaries).take(training) {
            for (&place, &count) in places.iter().zip(&chunk.contributions) {
                let most = &mut contributions[place as usize];
                *most = count.max(*most);
            }
        }
        crew.place(&places)?;
        let entailed = summaries.into_iter().map(|chunk| chunk.entailed).collect();
        Ok((Self { crew, places, contributions, entailed, failure: Mutex::new(None) }, parameters))
    }

    /// Returns what `read` makes of the answers of some chunks; none after a failure.
    fn ask<R: Real, T>(
        &self,
        chunks: Range<usize>,
        (kind, share): (OrderKind, f64),
        parameters: &[R],
        read: impl Fn(usize, &[u8]) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut failure = self.failure.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if failure.is_some() {
            return None;
        }
        let answers = self.crew.work(chunks.clone(), &order(kind, share, parameters)).and_then(|answers| {
            let read = |(chunk, bytes): (usize, &Vec<u8>)| read(chunk, bytes).ok_or_else(broken);
            match answers.len() == chunks.len() {
                true => chunks.zip(&answers).map(read).collect::<Result<Vec<T>, Error>>(),
                false => Err(broken()),
            }
        });
        answers.map_err(|error| *failure = Some(error)).ok()
    }

    /// Adds the gradients of some chunks, in their order, to `gradient`.
    pub(super) fn gradient<R: Real>(
        &self,
        chunks: Range<usize>,
        parameters: &[R],
        share: f64,
        gradient: &mut [R],
    ) -> Option<Vec<LossSums>> {
        let read = |chunk: usize, bytes: &[u8]| {
            let (sums, slopes) = bytes.split_at_checked(SUMS)?;
            let slopes = take::<R>(slopes)?;
            (slopes.len() == self.places[chunk].len()).then_some((chunk, LossSums::from_bytes(sums)?, slopes))
        };
        let all = self.ask(chunks, (OrderKind::Gradient, share), parameters, read)?;
        let add = |(chunk, sums, slopes): (usize, LossSums, Vec<R>)| {
            let places = self.places[chunk].iter().zip(slopes);
            places.for_each(|(&place, slope)| gradient[place as usize] += slope);
            sums
        };
        Some(all.into_iter().map(add).collect())
    }

    /// Returns the losses of some chunks.
    pub(super) fn losses<R: Real>(&self, chunks: Range<usize>, parameters: &[R]) -> Option<Vec<LossSums>> {
        self.ask(chunks, (OrderKind::Loss, 0.0), parameters, |_, bytes| LossSums::from_bytes(bytes))
    }

    /// Returns the values of all queries of some chunks.
    pub(super) fn values<R: Real>(
        &self,
        chunks: Range<usize>,
        parameters: &[R],
    ) -> Option<Vec<Vec<Option<Vec<f64>>>>> {
        let read = |chunk: usize, mut bytes: &[u8]| {
            let mut values = Vec::new();
            while let Some((count, rest)) = bytes.split_first_chunk() {
                let count = u32::from_le_bytes(*count);
                let size = if count == u32::MAX { 0 } else { 8 * count as usize };
                let (numbers, rest) = rest.split_at_checked(size)?;
                values.push(if count == u32::MAX { None } else { Some(take::<f64>(numbers)?) });
                bytes = rest;
            }
            (bytes.is_empty() && values.len() == self.entailed[chunk].len()).then_some(values)
        };
        self.ask(chunks, (OrderKind::Values, 0.0), parameters, read)
    }
}

fn broken() -> Error {
    let error = Error::new(ErrorKind::Content, "the answer of a worker makes no sense");
    error.help("workers and driver must run the same version of lrnn")
}
