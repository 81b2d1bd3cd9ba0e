//! From texts to a problem: the steps that every program with learning has in common.

use lrnn::data::{Builder, Dataset, Layout};
use lrnn::diagnostic::SourceId;
use lrnn::ground::{Limits, Plans, Statistics, fit};
use lrnn::network::{BuildOptions, Networks, Schedule, Weights};
use lrnn::template::Template;
use lrnn::train::{Arrangement, Learner, Problem, Settings, State, Unobserved};

/// A template and data that fit together.
pub struct Task {
    pub template: Template,
    pub dataset: Dataset,
}

impl Task {
    /// From two texts; `None` if there is a mistake in one of them.
    pub fn parse(template: &str, data: &str) -> Option<Self> {
        let template = Template::parse(template).ok()?;
        let mut builder = Builder::new(template.vocabulary.clone());
        builder.examples(data, SourceId(1), Layout::Examples);
        let dataset = builder.finish().ok()?;
        let template = fit(&template, &dataset, false).0?;
        Some(Self { template, dataset })
    }

    /// All examples, to learn from.
    pub fn problem(&self, settings: &Settings) -> Option<Problem> {
        let Self { template, dataset } = self;
        let all: Vec<usize> = (0..dataset.examples.len()).collect();
        let arrangement = Arrangement::new(&all, &[], settings);
        let schedule = Schedule::new(template).ok()?;
        let plans = Plans::new(template, &Statistics::of(dataset));
        let (limits, options, chunks) = (Limits::default(), BuildOptions::default(), &arrangement.chunks);
        let networks =
            Networks::build_chunks(template, &schedule, dataset, &plans, &limits, options, chunks).ok()?;
        Some(Problem::new(template, schedule, dataset, networks, &arrangement, settings))
    }

    /// The weights that learning ends with.
    #[allow(dead_code)] // not every program learns
    pub fn learn(&self, problem: &Problem, settings: &Settings) -> Vec<f64> {
        let learner = Learner::new(problem, settings);
        let mut state: State<f64> =
            learner.start(&self.template, &self.dataset.vocabulary, &Weights::new(settings.seed));
        learner.advance(&mut state, settings.epochs, &Unobserved);
        state.best().weights().to_vec()
    }
}
