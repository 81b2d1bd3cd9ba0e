//! Learning as a whole: from a template, data and settings to a model, in one call or epoch by epoch.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use super::answers::{Answers, Meaning, Scores};
use super::checks::{large_weight, no_sampling};
use super::predictor::outputs;
use super::training_plan::{TrainingOptions, TrainingPlan};
use super::{Cycles, Program};
use crate::data::{Dataset, Query};
use crate::diagnostic::{Diagnostic, Error, ErrorKind};
use crate::function::Real;
use crate::ground::Grounding;
use crate::model::{Model, Precision, RelationSummary, WeightList, fingerprint};
use crate::network::{CycleCounts, NetworkError, Networks, NeuronKind, Reference, Weights, Workspace};
use crate::template::Template;
use crate::threads::pooled;
use crate::train::{
    Away, Cases, Crew, Epoch, Learner, Measure, NoObserver, Observer, Problem, Restart, Settings, Split,
    State, Trouble, TroublePlace,
};
use crate::vocabulary::PredicateId;

/// Values of queries by the numbers of example and query; `None` outside the model.
type PlacedValues = BTreeMap<(usize, usize), Option<Vec<f64>>>;

/// The result of learning.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The best weights, with everything that prediction needs.
    pub model: Model,
    /// The epochs at which the losses over all examples were computed.
    pub history: Vec<Epoch>,
    /// Scores of each part of the data: training, and validation and test where there are such examples.
    pub scores: Vec<(&'static str, Scores)>,
    /// Notes for people: queries outside the model, one class only, a model that learned nothing.
    pub notes: Vec<String>,
}

/// Learns the weights of a template from data.
///
/// ```
/// use lrnn::{Settings, Template, fit};
/// let template = Template::parse("w[T] :: toxic :- element(A, T).")?;
/// let mut data = template.data();
/// data.example("").fact("element", ("a", "c")).target(0.0, "toxic", ());
/// data.example("").fact("element", ("a", "cl")).target(1.0, "toxic", ());
/// let fitted = fit(&template, &data.build()?, &Settings { epochs: 50, learning_rate: 0.1, ..Settings::default() })?;
/// assert_eq!(fitted.scores[0].1.measure.wrong, 0);
/// # Ok::<(), lrnn::Error>(())
/// ```
pub fn fit(template: &Template, dataset: &Dataset, settings: &Settings) -> Result<Fit, Error> {
    fit_observed(template, dataset, settings, TrainingOptions::default(), &NoObserver)
}

/// Learns the weights of a template from data, watched by an observer that may stop it: then the best weights so far
/// are the result.
pub fn fit_observed(
    template: &Template,
    dataset: &Dataset,
    settings: &Settings,
    options: TrainingOptions<'_>,
    observer: &dyn Observer,
) -> Result<Fit, Error> {
    pooled(|| {
        let mut training = Training::new(template, dataset, settings, options)?;
        while !training.is_finished() && !observer.is_stopped() {
            training.advance(training.plan.settings.epochs.max(1), observer);
        }
        training.finish()
    })
}

/// Learning on its way.
#[derive(Debug)]
pub struct Training<'a> {
    plan: TrainingPlan<'a>,
    problem: Problem,
    state: AnyState,
    history: Vec<Epoch>,
    /// Number of queries that are outside the model.
    outside: usize,
}

/// The state of learning in either precision.
#[derive(Clone, Debug)]
enum AnyState {
    F32(State<f32>),
    F64(State<f64>),
}

/// Does the same in either precision.
macro_rules! with_state {
    ($state:expr, $name:ident => $work:expr) => {
        match $state {
            AnyState::F32($name) => $work,
            AnyState::F64($name) => $work,
        }
    };
}

/// Returns the best weights of every member of the ensemble, those of the best restart first.
fn weights_of<R: Real>(state: &State<R>) -> Vec<&[R]> {
    state.members().into_iter().map(Restart::weights).collect()
}

/// An observer that keeps the epochs whose losses were computed.
struct Recorder<'a> {
    observer: &'a dyn Observer,
    history: Mutex<Vec<Epoch>>,
}

impl Observer for Recorder<'_> {
    fn epoch(&self, epoch: &Epoch) {
        if let (Some(_), Ok(mut history)) = (epoch.training, self.history.lock()) {
            history.push(*epoch);
        }
        self.observer.epoch(epoch);
    }

    fn is_stopped(&self) -> bool {
        self.observer.is_stopped()
    }
}

impl<'a> Training<'a> {
    /// Fits the template to the data, splits, grounds and builds, and begins at random weights.
    pub fn new(
        template: &Template,
        dataset: &'a Dataset,
        settings: &Settings,
        options: TrainingOptions<'_>,
    ) -> Result<Self, Error> {
        let (from, cache) = (options.from, options.cache.clone());
        let plan = TrainingPlan::new(template, dataset, settings, options)?;
        let networks = plan.networks(&plan.arrangement.chunks, cache.as_deref())?;
        let is_entailed = |chunk: usize, query: usize| networks.networks[chunk].is_entailed(query);
        let outside = plan.outside(is_entailed)?;
        let TrainingPlan { program, targets, arrangement, settings, .. } = &plan;
        let schedule = program.schedule().clone();
        let mut problem =
            Problem::new(program.template(), schedule, targets, networks, arrangement, settings);
        if settings.is_sampled() {
            problem.sample(plan.sampler()?, &plan.facts.queries[0], settings)?;
        }
        Self::begin(plan, problem, outside, from)
    }

    /// Does the same with a crew that grounds the chunks of examples and gives their gradients: the weights that are
    /// learned have the same bits.
    pub fn with_crew(
        template: &Template,
        dataset: &'a Dataset,
        settings: &Settings,
        options: TrainingOptions<'_>,
        crew: Arc<dyn Crew>,
    ) -> Result<Self, Error> {
        let from = options.from;
        let plan = TrainingPlan::new(template, dataset, settings, options)?;
        let TrainingPlan { program, targets, arrangement, settings, .. } = &plan;
        no_sampling(settings, "a training with workers")?;
        let (chunks, training) = (arrangement.chunks.len(), arrangement.validation.start);
        let (away, parameters) = Away::new(crew, program.template(), chunks, training)?;
        let is_entailed = |chunk: usize, query: usize| away.entailed[chunk].get(query).is_some_and(|it| *it);
        let outside = plan.outside(is_entailed)?;
        let (template, schedule) = (program.template(), program.schedule().clone());
        let problem =
            Problem::of_crew(template, schedule, targets, (away, parameters), arrangement, settings);
        Self::begin(plan, problem, outside, from)
    }

    fn begin(
        mut plan: TrainingPlan<'a>,
        problem: Problem,
        (outside, note): (usize, Option<String>),
        from: Option<&Model>,
    ) -> Result<Self, Error> {
        plan.targets = Dataset::default(); // the problem has them
        plan.notes.extend(note);
        if problem.queries() == 0 {
            let error = Error::new(ErrorKind::Content, "no query is left to learn from");
            return Err(error.help("queries need targets (`1.0 toxic.`) and must follow from the template"));
        }
        let TrainingPlan { program, dataset, settings, notes, .. } = &mut plan;
        let names = program.names(&dataset.vocabulary);
        notes.extend(problem.prepare(program.template(), names, settings, None)?);
        let state = start(&mut plan, &problem, from)?;
        Ok(Self { plan, problem, state, history: Vec::new(), outside })
    }

    /// Returns what went wrong with a crew; weights and scores since then mean nothing.
    pub fn failure(&self) -> Option<Error> {
        self.problem.failure()
    }

    /// Goes so many epochs further with every restart that has not ended, or until the observer says stop.
    pub fn advance(&mut self, epochs: u32, observer: &dyn Observer) {
        let recorder = Recorder { observer, history: Mutex::new(std::mem::take(&mut self.history)) };
        let learner = Learner::new(&self.problem, &self.plan.settings);
        with_state!(&mut self.state, state => learner.advance(state, epochs, &recorder));
        let mut history = recorder.history.into_inner().unwrap_or_default();
        history.sort_by_key(|epoch| (epoch.restart, epoch.epoch));
        self.history = history;
    }

    /// Tells whether there is nothing left to do.
    pub fn is_finished(&self) -> bool {
        with_state!(&self.state, state => state.is_finished())
    }

    /// Returns the settings as they are used: what `auto` left open is chosen.
    pub fn settings(&self) -> &Settings {
        &self.plan.settings
    }

    /// Returns the program: the template fitted to the data.
    pub fn program(&self) -> &Program {
        &self.plan.program
    }

    /// Returns what there is to learn.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Returns which cases are for what: numbers of examples, or of the queries of the only example.
    pub fn split(&self) -> &Split {
        &self.plan.split
    }

    /// Returns what the split is made of.
    pub fn cases(&self) -> Cases {
        self.plan.cases
    }

    /// Returns how many queries of training and validation are outside the model.
    pub fn outside(&self) -> usize {
        self.outside
    }

    /// Returns what was said so far.
    pub fn notes(&self) -> &[String] {
        &self.plan.notes
    }

    /// Returns the epochs at which losses over all examples were computed, restart by restart.
    pub fn history(&self) -> &[Epoch] {
        &self.history
    }

    /// Returns the number of the best restart, and of epochs that each restart has gone.
    pub fn progress(&self) -> (u32, Vec<u32>) {
        with_state!(&self.state, state => {
            (state.best().number, state.restarts.iter().map(|restart| restart.epoch).collect())
        })
    }

    /// Returns why the best restart goes no further, if it does not.
    pub fn end(&self) -> Option<crate::train::End> {
        with_state!(&self.state, state => state.best().end)
    }

    /// Returns what a checkpoint belongs to.
    fn marks(&self) -> BTreeMap<String, String> {
        let template: String = self.plan.program.template().sources.iter().map(|(_, text)| text).collect();
        BTreeMap::from([
            ("data".to_owned(), format!("{:016x}", fingerprint(self.plan.dataset))),
            ("template".to_owned(), template),
            ("precision".to_owned(), self.plan.settings.precision.name().to_owned()),
        ])
    }

    /// Returns the state as bytes, to go on another time.
    pub fn checkpoint(&self) -> Result<Vec<u8>, Error> {
        Ok(with_state!(&self.state, state => state.to_bytes(crate::VERSION, &self.marks()))?)
    }

    /// Goes back to a checkpoint.
    pub fn resume(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let (state, marks) = match self.plan.settings.precision {
            Precision::F32 => State::from_bytes(bytes).map(|(state, marks)| (AnyState::F32(state), marks))?,
            Precision::F64 => State::from_bytes(bytes).map(|(state, marks)| (AnyState::F64(state), marks))?,
        };
        for (name, text) in self.marks() {
            if marks.get(&name) != Some(&text) {
                let error =
                    Error::new(ErrorKind::Content, format!("the {name} changed since this run began"));
                return Err(error.help("begin a new run; --from takes its weights along"));
            }
        }
        let (weights, memories) =
            (self.problem.networks().parameters.len(), self.plan.settings.optimizer.memories());
        let fits = with_state!(&state, state => state.restarts.len() == self.plan.settings.restarts.0 as usize
        && state.restarts.iter().all(|restart| {
            restart.parameters.len() == weights && restart.memories.len() == memories
        }));
        if !fits {
            let error = Error::new(ErrorKind::Content, "the checkpoint does not belong to these settings");
            return Err(error.help("restarts and optimizer cannot be changed on the way"));
        }
        self.state = state;
        with_state!(&mut self.state, state => state.ensemble = self.plan.settings.ensemble.0);
        Ok(())
    }

    /// Tells whether targets are numbers, not truth values or classes: then no answer is right or wrong.
    pub fn is_regression(&self) -> bool {
        is_regression(self.plan.dataset, self.problem.loss())
    }

    /// Returns the model with the best weights so far.
    pub fn model(&self) -> Model {
        let problem = &self.problem;
        let (template, vocabulary) =
            (self.plan.program.template(), self.plan.program.names(&self.plan.dataset.vocabulary));
        let parameters = &problem.networks().parameters;
        let (members, measure, restart): (Vec<WeightList>, _, u32) = with_state!(&self.state, state => {
            let members = weights_of(state);
            let list = |weights: &&[_]| Model::weights_of(template, vocabulary, parameters, weights);
            (members.iter().map(list).collect(), self.measure(&members).0, state.best().number)
        });
        let mut model =
            model_of(&self.plan.program, self.plan.dataset, &self.plan.settings, problem.loss(), members);
        model.supports = problem.kernel().map(|it| it.supports(template, parameters)).unwrap_or_default();
        model.notes.insert("training_loss".to_owned(), format!("{:?}", measure.loss));
        model.notes.insert("training_error".to_owned(), format!("{:?}", measure.error()));
        model.notes.insert("restart".to_owned(), restart.to_string());
        model
    }

    /// Returns how well training and validation are answered by the best weights so far.
    pub fn scores(&self) -> Vec<(&'static str, Scores)> {
        let problem = &self.problem;
        pooled(|| {
            with_state!(&self.state, state => {
                let members = weights_of(state);
                let of = |measure, answered: Vec<_>| Scores { measure, ..Scores::of(problem.loss(), &answered) };
                let (training, validation) = self.measure(&members);
                let mut parts = vec![("training", of(training, problem.training_answers(&members)))];
                if let Some(measure) = validation {
                    parts.push(("validation", of(measure, problem.validation_answers(&members))));
                }
                parts
            })
        })
    }

    /// Returns how well training and validation are answered by the mean of some members.
    fn measure<R: Real>(&self, members: &[&[R]]) -> (Measure, Option<Measure>) {
        let problem = &self.problem;
        if let [only] = members {
            return (problem.training(only), problem.validation(only));
        }
        let of = |answered: Vec<_>| Measure::of(problem.loss(), &answered);
        let validation = Some(problem.validation_answers(members)).filter(|answered| !answered.is_empty());
        (of(problem.training_answers(members)), validation.map(of))
    }

    /// Returns the fewest wrong answers that any weights give to the training cases; none where the loss knows no classes.
    pub fn least_wrong(&self) -> Result<Option<u32>, Error> {
        let (loss, unentailed) = (self.problem.loss(), self.plan.settings.unentailed);
        let view = self.plan.cases.view(self.plan.dataset, &self.plan.split.training, &[], true);
        self.plan.program.least_wrong(&view.facts, &view.training, loss, unentailed)
    }

    /// Returns the answers to all queries of the data: for training and validation from the networks that are there, so
    /// that only test cases are grounded. None if weights are not finite.
    pub fn answers(&self, model: &Model) -> Result<Option<Answers>, Error> {
        if model.weights.iter().any(|weight| !weight.is_finite()) {
            return Ok(None);
        }
        let TrainingPlan { cases, split, .. } = &self.plan;
        let program = self.plan.program.unstopped();
        let predictor = model.predictor_with(&program)?;
        // The template may know predicates that the data does not.
        let dataset = match self.plan.dataset.vocabulary.extends(program.vocabulary()) {
            true => Cow::Borrowed(self.plan.dataset),
            false => {
                Cow::Owned(Dataset { vocabulary: program.vocabulary().clone(), ..self.plan.dataset.clone() })
            }
        };
        let test = predictor.answer(&dataset, &cases.places(&dataset, &split.test))?;
        let mut values = with_state!(&self.state, state => self.values(&weights_of(state)))?;
        for answer in test.all {
            let value = answer.value.filter(|_| answer.in_model).map(|value| value.numbers);
            values.insert(answer.place, value);
        }
        let (places, values): (Vec<_>, Vec<_>) = values.into_iter().unzip();
        let Answers { unlearned, unknown, .. } = test;
        let answers = Answers::new(&program, self.plan.dataset, &places, values, model.meaning());
        Ok(Some(Answers { unlearned, unknown, ..answers }))
    }

    /// Returns the values of all queries of training and validation by their places in the data.
    fn values<R: Real>(&self, members: &[&[R]]) -> Result<PlacedValues, Error> {
        // The queries of the only example are in two examples of what was grounded.
        let parts = [&self.plan.split.training, &self.plan.split.validation];
        let place = |(example, query): (usize, usize)| match self.plan.cases {
            Cases::Examples => (example, query),
            Cases::Queries => (0, parts[example][query]),
        };
        let mut all = BTreeMap::new();
        for (chunk, network) in self.plan.arrangement.chunks.iter().zip(&self.problem.networks().networks) {
            if network.has_cycles() {
                let scope = |example: usize| self.plan.program.scope(&self.plan.facts.queries[example]);
                let unsettled = |atom| self.plan.program.unsettled(&self.plan.facts, chunk, scope, &atom);
                for weights in members {
                    outputs(&self.plan.program, network, weights, &mut Workspace::default())
                        .map_err(unsettled)?;
                }
            }
        }
        let values = self.problem.mean_values(0..self.plan.arrangement.chunks.len(), members);
        for (chunk, values) in self.plan.arrangement.chunks.iter().zip(values) {
            all.extend(self.plan.facts.places(chunk).into_iter().map(place).zip(values));
        }
        Ok(all)
    }

    /// Returns the cycles of the ground networks under the best weights, if there are some.
    pub fn cycles(&self) -> Option<Cycles> {
        with_state!(&self.state, state => self.cycles_under(state.best().weights()))
    }

    fn cycles_under<R: Real>(&self, weights: &[R]) -> Option<Cycles> {
        let Networks { networks, parameters } = self.problem.networks();
        let cyclic = networks.iter().filter(|network| network.has_cycles());
        let mut space = Workspace::default();
        let counts =
            cyclic.filter_map(|network| outputs(&self.plan.program, network, weights, &mut space).ok()?.1);
        let counts = counts.reduce(CycleCounts::plus)?;
        Some(self.plan.program.cycles(&counts, parameters, weights))
    }

    /// Returns how well the test cases are answered, by the answers to all; none if there is no test.
    pub fn test_scores(&self, answers: &Answers) -> Option<Scores> {
        let places = self.plan.cases.places(self.plan.dataset, &self.plan.split.test);
        (!places.is_empty()).then(|| answers.of_places(&places).scores())
    }

    /// Returns the result: the model with its scores on all parts. An error if numbers diverged in every restart.
    pub fn finish(&self) -> Result<Fit, Error> {
        if let Some(error) = self.failure().or_else(|| self.diverged()) {
            return Err(error);
        }
        let model = self.model();
        let mut scores = self.scores();
        let answers = if self.plan.split.test.is_empty() { None } else { self.answers(&model)? };
        scores.extend(answers.and_then(|answers| self.test_scores(&answers)).map(|test| ("test", test)));
        let mut notes = self.plan.notes.clone();
        notes.extend(self.cycles().map(|cycles| cycles.sentence()));
        notes.extend(self.warnings(&model));
        if let Some(error) = self.failure() {
            return Err(error);
        }
        Ok(Fit { model, history: self.history.clone(), scores, notes })
    }

    /// Returns what is suspicious about what was learned.
    pub fn warnings(&self, model: &Model) -> Vec<String> {
        let mut notes = self.troubles();
        notes.extend(crate::train::uninformative(&self.answered(), self.problem.loss()));
        notes.extend(large_weight(model, &self.plan.settings));
        notes
    }

    fn answered(&self) -> Vec<crate::train::ExampleAnswers> {
        with_state!(&self.state, state => self.problem.training_answers(&weights_of(state)))
    }

    /// Returns a note for each restart whose numbers diverged, while others did not.
    fn troubles(&self) -> Vec<String> {
        with_state!(&self.state, state => state
            .troubles()
            .map(|(restart, trouble)| format!("restart {}: {}", restart.number, self.sentence(trouble)))
            .collect())
    }

    /// Returns the error of training whose numbers diverged in every restart.
    pub fn diverged(&self) -> Option<Error> {
        with_state!(&self.state, state => {
            let troubles: Vec<_> = state.troubles().collect();
            let (restart, trouble) = *troubles.first().filter(|_| troubles.len() == state.restarts.len())?;
            Some(self.trouble(restart, trouble))
        })
    }

    fn sentence(&self, trouble: Trouble) -> String {
        let name = |example| format!(" in example {}", self.plan.facts.example_name(example));
        let example = trouble.example.map_or(String::new(), name);
        let what = match trouble.place {
            TroublePlace::Value => "a value",
            TroublePlace::Gradient => "the gradient",
            TroublePlace::Weight => "a weight",
            TroublePlace::Settling => {
                return format!("a cycle does not settle in epoch {}{example}", trouble.epoch);
            }
        };
        format!("training diverged: {what} is no finite number in epoch {}{example}", trouble.epoch)
    }

    fn trouble<R: Real>(&self, restart: &Restart<R>, trouble: Trouble) -> Error {
        const HELP: &str = "a smaller learning rate, gradient clipping, or other functions keep numbers in bounds; \
            the model has the last good weights";
        let mut weights = Weights::new(self.plan.settings.seed);
        for ((weight, index), range) in self.problem.networks().parameters.iter() {
            let numbers = restart.lost[range].iter().map(|number| number.to_f64()).collect();
            weights.set(*weight, index, numbers);
        }
        // The reference network tells which neuron was the first.
        let examples = trouble.example.map_or(0..self.plan.facts.examples.len().min(100), |at| at..at + 1);
        let first = |example| self.plan.program.first_not_finite::<R>(&self.plan.facts, example, &weights);
        let sentence = self.sentence(trouble);
        match examples.into_iter().find_map(first) {
            Some(error) => error.help(HELP).before(sentence),
            None => Error::new(ErrorKind::Numbers, sentence).help(HELP),
        }
    }
}

/// Tells whether targets are numbers, not truth values or classes, under a loss.
fn is_regression(dataset: &Dataset, loss: crate::train::Loss) -> bool {
    loss == crate::train::Loss::Squared && crate::train::targets_are_numbers(dataset)
}

/// Puts learned weights, those of the best member first, together with all that prediction needs.
pub fn model_of(
    program: &Program,
    dataset: &Dataset,
    settings: &Settings,
    loss: crate::train::Loss,
    members: Vec<WeightList>,
) -> Model {
    let template = program.template();
    let mut members = members.into_iter();
    let weights = members.next().unwrap_or_default();
    let mut notes = BTreeMap::from([("loss".to_owned(), loss.name().to_owned())]);
    if is_regression(dataset, loss) {
        notes.insert("targets".to_owned(), "numbers".to_owned());
    }
    Model {
        sources: template.texts(),
        family: template.asked_family.map(str::to_owned),
        weights,
        members: members.collect(),
        supports: Vec::new(),
        settings: settings.pairs().map(|(name, value)| (name.to_owned(), value)).collect(),
        queries: queries(dataset),
        relations: relations(program, dataset),
        precision: settings.precision,
        version: crate::VERSION.to_owned(),
        fingerprint: fingerprint(dataset),
        notes,
    }
}

/// More different queries than these are asked for by their predicate.
const MOST_QUERIES: usize = 100;
/// More predicates than these are not worth keeping.
const MOST_RELATIONS: usize = 2000;

/// Returns what the data asks for: the atoms, where all examples ask for the same few, else their predicates with
/// variables.
fn queries(dataset: &Dataset) -> Vec<String> {
    let of =
        |queries: &Vec<Query>| queries.iter().map(|query| (query.predicate, query.terms.clone())).collect();
    let asked: Vec<BTreeSet<(PredicateId, Vec<_>)>> =
        dataset.queries.iter().filter(|queries| !queries.is_empty()).map(of).collect();
    let Some(first) = asked.first() else { return Vec::new() };
    let is_same = asked.iter().all(|atoms| atoms == first) && first.len() <= MOST_QUERIES;
    if is_same && (asked.len() > 1 || first.iter().all(|(_, terms)| terms.is_empty())) {
        return first
            .iter()
            .map(|(predicate, terms)| dataset.vocabulary.atom_text(*predicate, terms))
            .collect();
    }
    let predicates: BTreeSet<PredicateId> = asked.iter().flatten().map(|(predicate, _)| *predicate).collect();
    let lifted = |predicate: &PredicateId| {
        let arity = dataset.vocabulary.signature(*predicate).arity;
        dataset.vocabulary.atom_of(*predicate, (0..arity).map(|number| format!("X{number}")))
    };
    predicates.iter().map(lifted).collect()
}

/// Returns what the data is like, predicate by predicate.
fn relations(program: &Program, dataset: &Dataset) -> Vec<RelationSummary> {
    let vocabulary = &dataset.vocabulary;
    let of = |(id, signature): (PredicateId, &crate::vocabulary::Signature)| {
        let shape = dataset.facts_seen.get(id.index()).copied().flatten().map(|(shape, _)| shape);
        let estimate = program.statistics().relations.get(id.index())?;
        let (rows, distinct) = (estimate.rows, estimate.distinct.clone());
        (shape.is_some() || rows > 0.0).then(|| RelationSummary {
            name: signature.name.to_string(),
            shape,
            rows,
            distinct,
        })
    };
    let mut all: Vec<RelationSummary> = vocabulary.predicates().filter_map(of).collect();
    all.truncate(MOST_RELATIONS);
    all
}

/// Returns random weights, or those of another model where it has them.
fn start(plan: &mut TrainingPlan<'_>, problem: &Problem, from: Option<&Model>) -> Result<AnyState, Error> {
    let TrainingPlan { program, dataset, settings, notes, .. } = plan;
    let (template, vocabulary) = (program.template(), program.names(&dataset.vocabulary));
    let mut weights = Weights::new(settings.seed);
    if let Some(model) = from {
        let matched = model.apply(template, vocabulary, &problem.networks().parameters, &mut weights);
        if matched.matched.is_empty() {
            let error = Error::new(ErrorKind::Content, "no weight of the model is in the template");
            return Err(error.help("`lrnn weights` lists the weights of a model"));
        }
        notes.extend(matched.sentences());
    }
    let learner = Learner::new(problem, settings);
    Ok(match settings.precision {
        Precision::F32 => AnyState::F32(learner.start(template, vocabulary, &weights)),
        Precision::F64 => AnyState::F64(learner.start(template, vocabulary, &weights)),
    })
}

impl Program {
    /// Returns the error of the first neuron of an example that has no finite value, if there is one.
    pub fn first_not_finite<R: Real>(
        &self,
        dataset: &Dataset,
        example: usize,
        weights: &Weights,
    ) -> Option<Error> {
        const HELP: &str = "a number grew too large, or a function met a value it is not defined for, as log does at 0; \
            look at the weights and functions on the way there, and try --precision f64 if it was f32";
        if dataset.away.is_some() {
            let first = |part: &Dataset, own: &[usize]| Ok(self.first_not_finite::<R>(part, own[0], weights));
            return dataset.with_facts(&[example], first).ok()?;
        }
        let (template, vocabulary) = (self.template(), self.names(&dataset.vocabulary));
        let facts = &dataset.examples[example];
        let scope = self.scope(&dataset.queries[example]);
        let mut needed = self.ground_part(dataset, example, scope).ok()?;
        let mut builder = self.builder();
        builder.add_runs(facts, &needed, &dataset.queries[example]);
        let networks = Networks::bind(template, vec![builder.finish()]);
        let (numbers, mut space) =
            (networks.parameters.values::<R>(template, vocabulary, weights), Workspace::default());
        networks.networks[0].forward(self.schedule(), &numbers, &mut space);
        if let Some(atom) = space.unsettled(&networks.networks[0]) {
            return Some(self.unsettled(dataset, &[example], |_| scope, &atom));
        }
        let reference = |grounding: &Grounding| Reference::build(template, vocabulary, facts, grounding).ok();
        let network = needed.written_out(reference)?;
        let error = network.evaluate::<R>(template, vocabulary, weights).err()?;
        let message = format!("example {}: {error}", dataset.example_name(example));
        if let NetworkError::SettlingFailure(unsettled) = &error {
            return Some(self.unsettled_error(&dataset.example_name(example), unsettled));
        }
        let NetworkError::NotFinite(neuron, _) = error else {
            return Some(Error::new(ErrorKind::Content, message));
        };
        let place = match &neuron {
            NeuronKind::Rule(rule) | NeuronKind::Aggregation(rule) => template.rule(*rule).span,
            NeuronKind::Atom(predicate) => {
                let rule = template.rules.iter().find(|rule| rule.head.predicate == *predicate);
                rule.map_or(template.predicates[predicate.index()].span, |rule| rule.span)
            }
            NeuronKind::Fact => Default::default(),
        };
        let diagnostic = Diagnostic::error("N0101", place, message).help(HELP);
        Some(Error::of(ErrorKind::Numbers, vec![diagnostic], self.sources()))
    }
}

impl Model {
    /// Returns what its values mean, and what queries outside the model count as.
    pub fn meaning(&self) -> Meaning {
        let loss = self.notes.get("loss").and_then(|name| crate::train::Loss::find(name));
        let is_regression = self.notes.get("targets").is_some_and(|targets| targets == "numbers");
        let unentailed = Settings::of_pairs(&self.settings).unentailed;
        Meaning { loss: loss.unwrap_or(crate::train::Loss::Squared), unentailed, is_regression }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{DatasetBuilder, Layout};
    use crate::diagnostic::SourceId;
    use crate::vocabulary::Vocabulary;

    #[test]
    fn test_cases_are_answered_where_the_template_has_predicates_that_the_data_has_not() {
        let text = "w[T] :: atom(A) :- element(A, T). o :: toxic :- atom(A), *extra(X), *other(X). extra(x). other(x).";
        let template = Template::parse(text).expect("a template");
        let mut data = DatasetBuilder::new(Vocabulary::default());
        for (number, element) in ["c", "cl", "c", "cl"].into_iter().enumerate() {
            let target = (number % 2) as f64;
            data.example("").fact("element", ("a", element)).target(target, "toxic", ());
        }
        let mut settings = Settings { epochs: 2, ..Settings::default() };
        settings.set("test", "0.5").expect("a setting");
        let fit = fit(&template, &data.build().expect("data"), &settings).expect("a fit");
        assert_eq!(
            fit.scores.last().map(|(part, scores)| (*part, scores.measure.answers)),
            Some(("test", 2))
        );
    }

    /// A graph whose nodes are of the class that most of their neighbours hint at, as one example with 30 queries.
    fn graph() -> (Template, Dataset) {
        let text = "h(X) :- {3, 1} :: hint(Y), edge(X, Y). [aggregation = mean]
            {1, 3} :: class(X) :- h(X).
            w[T] :: class(X) :- kind(X, T).
            class(X) :- {1, 1} :: near(X). near(X) :- edge(X, Y), hint(Y). [aggregation = sum]";
        let template = Template::parse(text).expect("a template");
        let (mut facts, mut queries) = (Vec::new(), String::new());
        for node in 0..30_u64 {
            let (kind, class) = (["a", "b", "c"][(node % 3) as usize], u8::from(node % 2 == 0));
            facts.extend([format!("kind(n{node}, {kind})"), format!("{class} hint(n{node})")]);
            let other = |nth: u64| crate::network::mix(node * 100 + nth) % 15 * 2 + node % 2;
            facts.extend((0..2 + node % 9).map(|nth| format!("edge(n{node}, n{})", other(nth))));
            queries += &format!("{class} class(n{node}).");
        }
        let mut data = DatasetBuilder::new(template.vocabulary.clone());
        data.examples(&format!("{}.", facts.join(", ")), SourceId(0), Layout::Examples);
        data.queries(&queries, SourceId(0));
        (template, data.finish().expect("data"))
    }

    fn sampled(given: &[(&str, &str)]) -> Settings {
        let mut settings =
            Settings { epochs: 6, optimizer: crate::train::Optimizer::Adam, ..Settings::default() };
        given.iter().for_each(|(name, text)| settings.set(name, text).expect("a setting"));
        settings
    }

    #[test]
    fn batches_of_queries_learn_the_same_on_any_number_of_threads_and_after_a_stop() {
        let (template, data) = graph();
        let settings = sampled(&[
            ("batch_queries", "4"),
            ("sampled_neighbours", "2"),
            ("validation", "0.2"),
            ("restarts", "2"),
            ("seed", "5"),
        ]);
        let learn = |threads: usize| {
            let threads = crate::threads::Threads::new(Some(threads)).expect("threads");
            threads.run(|| fit(&template, &data, &settings)).expect("a fit").model.to_bytes().expect("bytes")
        };
        let alone = learn(1);
        assert!(alone == learn(2) && alone == learn(5), "threads");
        let options = TrainingOptions::default;
        let mut first = Training::new(&template, &data, &settings, options()).expect("a training");
        first.advance(2, &NoObserver);
        let checkpoint = first.checkpoint().expect("a checkpoint");
        let mut second = Training::new(&template, &data, &settings, options()).expect("a training");
        second.resume(&checkpoint).expect("the same data");
        second.advance(4, &NoObserver);
        assert!(alone == second.finish().expect("a fit").model.to_bytes().expect("bytes"), "stopped");
        let others =
            [("sampled_neighbours", "3"), ("sampled_neighbours", "0"), ("batch_queries", "5"), ("seed", "6")];
        for (name, value) in others {
            let mut other = settings.clone();
            other.set(name, value).expect("a setting");
            let other = fit(&template, &data, &other).expect("a fit").model;
            assert!(alone != other.to_bytes().expect("bytes"), "{name}");
        }
    }

    #[test]
    fn one_batch_of_all_queries_and_all_neighbours_is_the_whole_network() {
        let (template, data) = graph();
        let f64s = ("precision", "f64");
        let whole = fit(&template, &data, &sampled(&[f64s])).expect("a fit").model;
        let one = fit(&template, &data, &sampled(&[f64s, ("batch_queries", "100")])).expect("a fit").model;
        for (one, other) in one.weights.iter().zip(whole.weights.iter()) {
            let mut numbers = one.numbers.iter().zip(&other.numbers);
            assert!(numbers.all(|(one, other)| (one - other).abs() < 1e-9), "{}", one.full_name());
        }
    }

    #[test]
    fn batches_of_queries_are_refused_where_they_make_no_sense() {
        let (template, data) = graph();
        let check = |given: &[(&str, &str)], expected: &str| {
            let error = fit(&template, &data, &sampled(given)).expect_err("refused").to_string();
            assert!(error.contains(expected), "{error}");
        };
        let batch = ("batch_queries", "4");
        check(
            &[batch, ("optimizer", "lbfgs")],
            "batch_queries: the optimizer lbfgs needs the same loss in every step",
        );
        check(
            &[("sampled_neighbours", "1"), ("optimizer", "lbfgs")],
            "sampled_neighbours: the optimizer lbfgs",
        );
        check(
            &[batch, ("loss", "ranking")],
            "batch_queries: the loss ranking compares all queries with each other",
        );
        check(&[batch, ("readout", "kernel")], "batch_queries: the readout kernel");
        let mut two = template.data();
        for name in ["one", "two"] {
            two.example(name).fact("hint", ("a",)).fact("edge", ("a", "a")).target(1.0, "class", ("a",));
        }
        let error =
            fit(&template, &two.build().expect("data"), &sampled(&[batch])).expect_err("refused").to_string();
        assert!(
            error.contains("batches of queries are for data that is one example, and this has 2"),
            "{error}"
        );
    }
}
