//! What is settled before anything is learned: the program, the split, the settings that nobody named.

use std::borrow::Cow;
use std::sync::Arc;

use super::Program;
use super::cache::NetworkCache;
use super::checks::{check, outside};
use crate::data::Dataset;
use crate::diagnostic::Error;
use crate::ground::Limits;
use crate::model::Model;
use crate::network::{BuildOptions, NeighbourSampler, Networks};
use crate::template::Template;
use crate::train::{Arrangement, Cases, CasesView, Settings, Split};

/// The inputs of training beside template, data and settings.
#[derive(Clone, Debug, Default)]
pub struct TrainingOptions<'a> {
    /// The limits of grounding, with a flag that stops it.
    pub limits: Limits,
    /// True if warnings are errors.
    pub strict: bool,
    /// Cases of each part; drawn as the settings say if it is not given.
    pub split: Option<Split>,
    /// A model whose weights learning begins with, by their names.
    pub from: Option<&'a Model>,
    /// Networks that were built before, for whoever learns again.
    pub cache: Option<Arc<NetworkCache>>,
}

/// All that is settled before anything is grounded.
#[derive(Debug)]
pub(super) struct TrainingPlan<'a> {
    pub program: Program,
    pub dataset: &'a Dataset,
    pub cases: Cases,
    pub split: Split,
    pub settings: Settings,
    pub facts: Cow<'a, Dataset>,
    /// The targets that may be seen.
    pub targets: Dataset,
    pub arrangement: Arrangement,
    pub notes: Vec<String>,
}

impl<'a> TrainingPlan<'a> {
    pub fn new(
        template: &Template,
        dataset: &'a Dataset,
        settings: &Settings,
        options: TrainingOptions<'_>,
    ) -> Result<Self, Error> {
        let program = Program::strict(template, dataset, options.limits, options.strict)?;
        let cases = Cases::of(dataset);
        let split = options.split.unwrap_or_else(|| Split::of(dataset, settings));
        let chosen = settings.chosen(program.template(), dataset);
        let choice = settings.choice_sentence(&chosen, program.template(), dataset);
        let mut notes: Vec<String> = choice.into_iter().collect();
        let settings = chosen;
        check(&program, dataset, cases, &split, &settings, &mut notes)?;
        let CasesView { facts, targets, training, held } =
            cases.view(dataset, &split.training, &split.validation, true);
        let arrangement = Arrangement::new(&training, &held, &settings);
        Ok(Self { program, dataset, cases, split, settings, facts, targets, arrangement, notes })
    }

    /// Grounds some chunks of examples and builds their networks.
    pub fn networks(
        &self,
        chunks: &[Vec<usize>],
        cache: Option<&NetworkCache>,
    ) -> Result<Arc<Networks>, Error> {
        let build = BuildOptions { merge: self.settings.merge, ..BuildOptions::default() };
        match cache {
            Some(cache) => cache.networks(&self.program, &self.facts, build, chunks),
            None => Ok(Arc::new(self.program.networks(&self.facts, build, chunks)?)),
        }
    }

    /// Grounds the only training example, for the networks of its batches.
    pub fn sampler(&self) -> Result<NeighbourSampler, Error> {
        let Self { program, facts, settings, .. } = self;
        let (example, queries) = (&facts.examples[0], &facts.queries[0]);
        let mut all = program.ground_part(facts, 0, program.scope(queries))?;
        all.write_out();
        let options = BuildOptions { merge: settings.merge, ..BuildOptions::default() };
        let (template, schedule) = (program.template(), program.schedule());
        Ok(NeighbourSampler::new(template, schedule, example, all.grounding, options))
    }

    /// Counts the queries outside the model, and says so.
    pub fn outside(
        &self,
        is_entailed: impl Fn(usize, usize) -> bool,
    ) -> Result<(usize, Option<String>), Error> {
        let (chunks, mut missing) = (&self.arrangement.chunks, Vec::new());
        for (number, chunk) in chunks.iter().enumerate() {
            let places = self.facts.places(chunk).into_iter().enumerate();
            missing.extend(places.filter(|(query, _)| !is_entailed(number, *query)).map(|(_, place)| place));
        }
        missing.sort_unstable();
        let all = chunks.iter().flatten().map(|&example| self.facts.queries[example].len()).sum();
        Ok((missing.len(), outside(&self.facts, &missing, all, self.settings.unentailed)?))
    }
}
