//! A part of a training: some of its chunks of examples, whose networks are here, for a training that is elsewhere.

use std::collections::BTreeMap;

use super::training_plan::{TrainingOptions, TrainingPlan};
use crate::data::Dataset;
use crate::diagnostic::{Error, ErrorKind};
use crate::template::Template;
use crate::threads::try_each;
use crate::train::{Problem, Settings, ShardPart};

/// The networks of some chunks of a training. A [`Crew`](crate::train::Crew) that asks shards in any processes, each chunk
/// one of them, is as good as one process with all.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use lrnn::program::Shard;
/// use lrnn::train::{Crew, NoObserver, Settings};
/// use lrnn::{Dataset, Error, Template, Training, TrainingOptions, fit};
///
/// /// One shard for the even chunks, one for the odd ones.
/// #[derive(Debug)]
/// struct Two(Mutex<[Shard; 2]>, Template, Dataset, Settings);
///
/// impl Crew for Two {
///     fn ground(&self, chunks: usize) -> Result<Vec<Vec<u8>>, Error> {
///         let Self(shards, template, data, settings) = self;
///         let mut shards = shards.lock().expect("a lock");
///         let ground = |chunk: usize| {
///             shards[chunk % 2].ground(template, data, settings, TrainingOptions::default(), &[chunk])
///         };
///         Ok((0..chunks).map(ground).collect::<Result<Vec<_>, _>>()?.concat())
///     }
///
///     fn place(&self, places: &[Vec<u32>]) -> Result<(), Error> {
///         let mut shards = self.0.lock().expect("a lock");
///         places.iter().enumerate().for_each(|(chunk, places)| shards[chunk % 2].place(chunk, places.clone()));
///         Ok(())
///     }
///
///     fn work(&self, chunks: std::ops::Range<usize>, order: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
///         let shards = self.0.lock().expect("a lock");
///         Ok(chunks.map(|chunk| shards[chunk % 2].work(&[chunk], order)).collect::<Result<Vec<_>, _>>()?.concat())
///     }
/// }
///
/// let template = Template::parse("w[T] :: toxic :- element(A, T).")?;
/// let mut data = template.data();
/// for number in 0..200 {
///     let element = ["c", "cl", "o"][number % 3];
///     data.example("").fact("element", ("a", element)).target(f64::from(number % 3 == 1), "toxic", ());
/// }
/// let data = data.build()?;
/// let settings = Settings { epochs: 20, batch_size: 0, optimizer: lrnn::train::Optimizer::Adam, ..Settings::default() };
/// let crew = Two(Mutex::default(), template.clone(), data.clone(), settings.clone());
/// let options = TrainingOptions::default();
/// let mut training = Training::with_crew(&template, &data, &settings, options, Arc::new(crew))?;
/// training.advance(20, &NoObserver);
/// let (apart, alone) = (training.finish()?, fit(&template, &data, &settings)?);
/// assert_eq!(apart.model.to_bytes()?, alone.model.to_bytes()?);
/// # Ok::<(), lrnn::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Shard {
    parts: BTreeMap<usize, ShardPart>,
}

impl Shard {
    /// Grounds some chunks, by number, of a training with these inputs; returns the summary of each.
    pub fn ground(
        &mut self,
        template: &Template,
        dataset: &Dataset,
        settings: &Settings,
        options: TrainingOptions<'_>,
        chunks: &[usize],
    ) -> Result<Vec<Vec<u8>>, Error> {
        let plan = TrainingPlan::new(template, dataset, settings, options)?;
        let TrainingPlan { program, targets, arrangement, settings, .. } = &plan;
        if let Some(chunk) = chunks.iter().find(|&&chunk| chunk >= arrangement.chunks.len()) {
            let message = format!("there is no chunk {chunk}: there are {}", arrangement.chunks.len());
            return Err(Error::new(ErrorKind::Usage, message));
        }
        let ground = |&chunk: &usize| {
            let network = plan.networks(&arrangement.chunks[chunk..chunk + 1], None)?;
            let (template, schedule) = (program.template(), program.schedule().clone());
            let problem =
                Problem::of_chunk(template, schedule, targets, network, arrangement, chunk, settings);
            Ok(ShardPart { problem, places: Vec::new() })
        };
        let parts = try_each(chunks, ground)?;
        let summaries = parts.iter().map(|part| part.summary().to_bytes()).collect();
        self.parts.extend(chunks.iter().copied().zip(parts));
        Ok(summaries)
    }

    /// Says where the numbers of a chunk lie among all parameters.
    pub fn place(&mut self, chunk: usize, places: Vec<u32>) {
        if let Some(part) = self.parts.get_mut(&chunk) {
            part.places = places;
        }
    }

    /// Returns the answer of each of some chunks to an order.
    pub fn work(&self, chunks: &[usize], order: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        match chunks {
            [chunk] => Ok(vec![self.answer(*chunk, order)?]),
            _ => try_each(chunks, |&chunk| self.answer(chunk, order)),
        }
    }

    fn answer(&self, chunk: usize, order: &[u8]) -> Result<Vec<u8>, Error> {
        let answer = self.parts.get(&chunk).and_then(|part| part.answer(order));
        answer.ok_or_else(|| {
            let error = Error::new(ErrorKind::Usage, format!("an order that chunk {chunk} cannot follow"));
            error.help("workers and driver must run the same version of lrnn, and chunks be grounded and placed first")
        })
    }
}
