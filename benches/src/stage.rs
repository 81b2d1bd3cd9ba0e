//! The stages of a run: read, ground, build, epoch.

use lrnn::data::{Dataset, DatasetBuilder, Layout};
use lrnn::diagnostic::Diagnostic;
use lrnn::ground::{Grounding, Limits, Plans, Statistics, fit, for_each_grounding, ground};
use lrnn::network::{BuildOptions, Networks, Schedule};
use lrnn::template::{Options, Template};
use lrnn_io::read_template;

use crate::case::{BenchCase, BenchTexts, Data};
use crate::train::BenchTraining;

/// A stage of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Text into template and data.
    Read,
    /// All ground rules, each example dropped when it is done.
    Ground,
    /// Networks from the data, grounding included.
    Build,
    /// All examples forwards and backwards, with a step for each batch.
    Epoch,
    /// The same by the loop written by hand.
    Limit,
    /// Some queries of one example with sampled neighbours: their network built, forwards, backwards, and a step.
    Step,
}

impl Stage {
    /// All of them, with their names.
    pub const ALL: [(Self, &str); 6] = [
        (Self::Read, "read"),
        (Self::Ground, "ground"),
        (Self::Build, "build"),
        (Self::Epoch, "epoch"),
        (Self::Limit, "limit"),
        (Self::Step, "step"),
    ];

    /// Returns the stage with this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, own)| *own == name).map(|(stage, _)| *stage)
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// A template and its data, read and planned.
pub struct BenchProgram {
    /// The template as it stands with the data.
    pub template: Template,
    /// The data.
    pub dataset: Dataset,
    /// The joins.
    pub plans: Plans,
    /// The order of computation.
    pub schedule: Schedule,
}

fn no_limits() -> Limits {
    Limits { per_example: u64::MAX, total: u64::MAX, ..Limits::default() }
}

/// Reads the template's file and the texts.
pub fn read(case: &BenchCase, texts: &BenchTexts) -> Result<BenchProgram, String> {
    let family = match &case.family {
        Some(name) => Some(lrnn::function::Family::find(name).ok_or_else(|| format!("no family `{name}`"))?),
        None => None,
    };
    let options = Options { family, strict: false };
    let mut file = read_template(&case.template, options).map_err(|error| error.to_string())?;
    let template = file.template.ok_or_else(|| told(&file.diagnostics))?;
    let mut builder = DatasetBuilder::new(template.vocabulary.clone());
    let layout = if let Data::Graph(_) = case.data { Layout::Facts } else { Layout::Examples };
    builder.examples(&texts.examples, file.sources.add("examples", ""), layout);
    builder.queries(&texts.queries, file.sources.add("queries", ""));
    let dataset = builder.finish().map_err(|found| told(&found))?;
    let (template, found) = fit(&template, &dataset, false);
    let template = template.ok_or_else(|| told(&found))?;
    let plans = if case.whole { Plans::whole } else { Plans::new };
    let plans = plans(&template, &Statistics::of(&dataset));
    let schedule = Schedule::new(&template).map_err(|error| format!("{error:?}"))?;
    Ok(BenchProgram { template, dataset, plans, schedule })
}

fn told(diagnostics: &[Diagnostic]) -> String {
    let lines: Vec<&str> = diagnostics.iter().map(|found| found.message.as_ref()).collect();
    lines.join("\n")
}

impl BenchProgram {
    /// Grounds every example and gives the number of ground rules.
    pub fn ground(&self) -> Result<usize, String> {
        let count = |_, grounding: &Grounding| grounding.rule_count();
        let counts = for_each_grounding(&self.template, &self.dataset, &self.plans, &no_limits(), count);
        Ok(counts.map_err(|error| format!("{error:?}"))?.into_iter().sum())
    }

    /// Grounds the only example, all ground rules written out.
    pub fn whole_grounding(&self) -> Result<Grounding, String> {
        let Self { template, dataset, plans, .. } = self;
        ground(template, plans, &dataset.vocabulary, &dataset.examples[0], &no_limits())
            .map_err(|error| format!("{error:?}"))
    }

    /// Grounds every example and builds the networks, so many examples in each; 0 is all.
    pub fn build(&self, batch: usize) -> Result<Networks, String> {
        let all: Vec<usize> = (0..self.dataset.examples.len()).collect();
        let batch = if batch == 0 { all.len() } else { batch };
        let chunks: Vec<Vec<usize>> = all.chunks(batch.max(1)).map(<[usize]>::to_vec).collect();
        let (options, limits) = (BuildOptions::default(), &no_limits());
        let Self { template, schedule, dataset, plans, .. } = self;
        Networks::build_chunks(template, schedule, dataset, plans, limits, options, &chunks)
            .map_err(|error| format!("{error:?}"))
    }

    /// Networks ready to learn.
    pub fn training(&self, batch: usize) -> Result<BenchTraining<'_>, String> {
        Ok(BenchTraining::new(self, self.build(batch)?))
    }
}
