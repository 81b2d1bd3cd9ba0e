//! The program room, the front door. In: a template, data, settings. Out: a [`Program`], the template fitted to the data
//! with everything that is made once; from it groundings, networks, [`Answers`], a [`Fit`]; from a model a
//! [`Predictor`]. It stands above all other rooms, and what the root of the crate shows is from here.

mod answers;
mod cache;
mod checks;
mod cycles;
mod expansion;
mod explanation;
mod network_function;
mod predictor;
mod query;
mod reading;
mod shard;
mod subject;
mod training;
mod training_plan;

pub use answers::{Answer, Answers, Meaning, Scores, scored};
pub use cache::NetworkCache;
pub use checks::{check_settings, check_targets, no_target, outside_message};
pub use cycles::Cycles;
pub use explanation::{
    AtomContributions, AtomExplanation, ConstantContribution, ContributingParts, DatasetExplanation,
    ExampleExplanation, FactContribution, FactRemoval, GroupedQuery, QueryGroup,
};
pub use network_function::{NetworkFunction, Tape};
pub use predictor::Predictor;
pub use query::{AtomPattern, AtomValue, ExampleAtoms, RuleJoin, least_wrong_sentence};
pub use reading::{AtomReading, ProofStep, ReadValue, Semiring};
pub use shard::Shard;
pub use subject::{Subject, atom_rows};
pub use training::{Fit, Training, fit, fit_observed, model_of};
pub use training_plan::TrainingOptions;

use std::borrow::Cow;
use std::sync::Arc;

use crate::data::{Dataset, DatasetBuilder, Example, Query};
use crate::diagnostic::{Diagnostic, Error, ErrorKind, Severity, Sources};
use crate::function::Shape;
use crate::ground::{
    self, ExampleError, GroundError, GroundSpace, Grounding, GroundingInRuns, LimitKind, Limits, Plans,
    Scope, Statistics, Stop, for_each_grounding, ground_in_runs,
};
use crate::network::{BuildOptions, Network, NetworkBuilder, Networks, Schedule, WeightKey};
use crate::template::Template;
use crate::vocabulary::{PredicateId, Vocabulary};

impl Template {
    /// Begins data for this template.
    pub fn data(&self) -> DatasetBuilder {
        DatasetBuilder::new(self.vocabulary.clone())
    }
}

/// A template fitted to a vocabulary, its shapes settled, with the schedule of its networks, the plans of its joins and
/// the limits of its groundings. Groundings, networks, values and explanations come from it.
///
/// ```
/// use lrnn::{Limits, Program, Template};
/// let template = Template::parse("0.9 :: foal(A) :- parent(A, P), horse(P).")?;
/// let mut data = template.data();
/// data.example("").fact("parent", ("star", "aida")).fact_with(0.7, "horse", ("aida",));
/// let data = data.build()?;
/// let program = Program::new(&template, &data, Limits::default())?;
/// assert_eq!(program.ground(&data.vocabulary, &data.examples[0])?.rule_count(), 1);
/// # Ok::<(), lrnn::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    template: Template,
    schedule: Schedule,
    plans: Arc<Plans>,
    statistics: Statistics,
    limits: Limits,
    sources: Sources,
    notes: Vec<Diagnostic>,
}

impl Program {
    /// Fits a template to data.
    pub fn new(template: &Template, dataset: &Dataset, limits: Limits) -> Result<Self, Error> {
        Self::strict(template, dataset, limits, false)
    }

    /// Fits a template to data; with `strict`, warnings are errors.
    pub fn strict(
        template: &Template,
        dataset: &Dataset,
        limits: Limits,
        strict: bool,
    ) -> Result<Self, Error> {
        if let Some(query) = dataset.lifted.first() {
            let name = dataset.vocabulary.signature(query.predicate);
            let message =
                format!("a query about `{name}` has variables, and no template has said which atoms match");
            let help = "`Template::expand` puts the atoms of the model in its place";
            return Err(Error::new(ErrorKind::Content, message).help(help));
        }
        let statistics = Statistics::sampled(dataset)?;
        Self::with_statistics(template, dataset, statistics, limits, strict)
    }

    /// Fits a template to data, with joins planned for data with other statistics: those that a model was learned from.
    pub(crate) fn with_statistics(
        template: &Template,
        dataset: &Dataset,
        statistics: Statistics,
        limits: Limits,
        strict: bool,
    ) -> Result<Self, Error> {
        let sources = template.sources.joined(&dataset.sources);
        let renumbered;
        let template = if dataset.vocabulary.extends(&template.vocabulary) {
            template
        } else {
            renumbered = template.renumbered(&mut dataset.vocabulary.clone());
            &renumbered
        };
        let (fitted, notes) = ground::fit(template, dataset, strict);
        let Some(template) = fitted else { return Err(Error::of(ErrorKind::Content, notes, &sources)) };
        let schedule = Schedule::new(&template)?;
        let plans = Arc::new(Plans::new(&template, &statistics));
        Ok(Self { template, schedule, plans, statistics, limits, sources, notes })
    }

    /// Makes the values of the examples' facts of these predicates inputs of all its networks ([`Schedule::with_inputs`]).
    pub fn with_inputs(mut self, predicates: &[PredicateId]) -> Self {
        self.schedule = self.schedule.with_inputs(predicates.iter().copied());
        self
    }

    /// Returns the template as it stands with the data: every predicate known, every shape settled.
    pub fn template(&self) -> &Template {
        &self.template
    }

    /// Returns the names that the program's ids are of. Data may extend them.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.template.vocabulary
    }

    /// Returns the names of both the program and data, of which one has all that the other has.
    pub fn names<'a>(&'a self, data: &'a Vocabulary) -> &'a Vocabulary {
        let counts = |names: &Vocabulary| names.constant_count() + names.predicate_count();
        if counts(self.vocabulary()) > counts(data) { self.vocabulary() } else { data }
    }

    /// Returns how its networks are computed.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Returns how its rules are joined.
    pub fn plans(&self) -> &Plans {
        &self.plans
    }

    /// Returns what the data is like that the joins are planned for.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Returns how far grounding may go.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the program for what is measured after learning was stopped: the flag that stopped it does not count.
    fn unstopped(&self) -> Cow<'_, Self> {
        match self.limits.stop.is_raised() {
            false => Cow::Borrowed(self),
            true => {
                let limits = Limits { stop: Stop::default(), ..self.limits.clone() };
                Cow::Owned(Self { limits, ..self.clone() })
            }
        }
    }

    /// Returns the texts and tables of template and data.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Returns what there is to say of how template and data fit: notes and warnings.
    pub fn notes(&self) -> &[Diagnostic] {
        &self.notes
    }

    /// Returns the shape of a predicate's values.
    pub fn shape(&self, predicate: PredicateId) -> Shape {
        self.template.predicates.get(predicate.index()).and_then(|known| known.shape).unwrap_or(Shape::NUMBER)
    }

    /// Grounds an example, whose vocabulary is or extends that of the program.
    pub fn ground(&self, vocabulary: &Vocabulary, example: &Example) -> Result<Grounding, Error> {
        let vocabulary = self.names(vocabulary);
        ground::ground(&self.template, &self.plans, vocabulary, example, &self.limits)
            .map_err(|error| self.ground_error(vocabulary, None, &error))
    }

    /// Returns what part of the model must be grounded to answer queries.
    pub(crate) fn scope(&self, queries: &[Query]) -> Scope {
        self.plans.scope(queries.iter().map(|query| query.predicate))
    }

    /// Grounds what is needed of an example to build a network from.
    pub(crate) fn ground_in_runs(
        &self,
        vocabulary: &Vocabulary,
        example: &Example,
        scope: Scope,
        space: &mut GroundSpace,
    ) -> Result<GroundingInRuns, Error> {
        let vocabulary = self.names(vocabulary);
        ground_in_runs(&self.template, &self.plans, vocabulary, example, &self.limits, scope, space)
            .map_err(|error| self.ground_error(vocabulary, None, &error))
    }

    /// Grounds what is needed of an example of data, with memory of its own.
    pub(crate) fn ground_part(
        &self,
        dataset: &Dataset,
        example: usize,
        scope: Scope,
    ) -> Result<GroundingInRuns, Error> {
        let space = &mut GroundSpace::default();
        self.ground_in_runs(&dataset.vocabulary, &dataset.examples[example], scope, space)
    }

    /// Begins a network of whatever is asked for.
    fn builder(&self) -> NetworkBuilder<'_> {
        NetworkBuilder::new(&self.template, &self.schedule, BuildOptions::default())
    }

    /// Grounds every example of data and gives each grounding to `visit` as soon as it is there; what that returns
    /// comes in the order of the examples.
    pub fn for_each_grounding<T: Send>(
        &self,
        dataset: &Dataset,
        visit: impl Fn(usize, &Grounding) -> T + Sync,
    ) -> Result<Vec<T>, Error> {
        for_each_grounding(&self.template, dataset, &self.plans, &self.limits, visit)
            .map_err(|error| self.example_error(dataset, &error))
    }

    /// Grounds the examples of each chunk and builds one network of them.
    pub fn networks(
        &self,
        dataset: &Dataset,
        options: BuildOptions,
        chunks: &[Vec<usize>],
    ) -> Result<Networks, Error> {
        let Self { template, schedule, plans, limits, .. } = self;
        let mut networks = Vec::new();
        let sizes: Vec<usize> = chunks.iter().map(Vec::len).collect();
        for group in dataset.groups(&sizes) {
            let group = &chunks[group];
            networks.extend(dataset.with_facts(&group.concat(), |part, own| {
                let mut own = own.iter().copied();
                let own: Vec<Vec<usize>> =
                    group.iter().map(|chunk| own.by_ref().take(chunk.len()).collect()).collect();
                let built = Networks::unbound_chunks(template, schedule, part, plans, limits, options, &own);
                built.map_err(|error| self.example_error(part, &error))
            })?);
        }
        self.check_keys(dataset, networks.iter().flat_map(Network::weight_keys))?;
        Ok(Networks::bind_chunks(template, networks, chunks))
    }

    /// Checks that the data has the names of all indices, where it left some with its facts.
    pub(crate) fn check_keys<'k>(
        &self,
        dataset: &Dataset,
        mut keys: impl Iterator<Item = &'k WeightKey>,
    ) -> Result<(), Error> {
        let most = self.names(&dataset.vocabulary).constant_count();
        let is_unknown =
            |(weight, index): &&WeightKey| self.template.weight(*weight).names_beyond(index, most);
        match keys.find(is_unknown).filter(|_| dataset.away.is_some()) {
            None => Ok(()),
            Some((weight, _)) => {
                let name = self.template.weight(*weight).name.as_deref().unwrap_or("a weight");
                let message = format!(
                    "`{name}` is indexed by keys of rows, which are not kept where rows are read in groups"
                );
                let help = "read all rows at once, without --stream, or index the weight by another column";
                Err(Error::new(ErrorKind::Content, message).help(help))
            }
        }
    }

    /// Returns an error of grounding with its place in the template.
    pub fn example_error(&self, dataset: &Dataset, failed: &ExampleError) -> Error {
        let name = dataset.example_name(failed.example);
        self.ground_error(self.names(&dataset.vocabulary), Some(&name), &failed.error)
    }

    fn ground_error(&self, vocabulary: &Vocabulary, example: Option<&str>, error: &GroundError) -> Error {
        let of_all = matches!(error, GroundError::Budget { bound: LimitKind::Total, .. });
        let message = match example {
            Some(name) if !of_all => format!("example {name}: {}", error.message(vocabulary)),
            _ => error.message(vocabulary),
        };
        let (kind, code, help) = match error {
            GroundError::Budget { .. } => {
                let bound = if of_all { "--max-ground-rules-total" } else { "--max-ground-rules" };
                (ErrorKind::Limit, "G0101", format!("{} with {bound}", error.help()))
            }
            GroundError::Cycle { .. } => (ErrorKind::Content, "G0102", error.help().to_owned()),
            GroundError::Stopped => return Error::new(ErrorKind::Stopped, "stopped while grounding"),
        };
        let diagnostic = Diagnostic::error(code, error.span(&self.template), message).help(help);
        Error::of(kind, vec![diagnostic], &self.sources)
    }

    /// Returns what is suspicious about other data for this program: predicates it does not know, or misspelt ones.
    pub fn check(&self, dataset: &Dataset) -> Vec<Diagnostic> {
        let mut found = ground::fit(&self.template, dataset, false).1;
        found.retain(|diagnostic| diagnostic.severity > Severity::Note);
        found
    }
}
