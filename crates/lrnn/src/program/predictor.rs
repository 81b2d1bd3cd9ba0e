//! A model made ready: everything is bound once, then examples are answered, one at a time or many.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::Program;
use super::answers::{Answers, Meaning, RawValues};
use super::cache::{ChunkNetwork, NetworkCache};
use crate::data::{Dataset, DatasetBuilder, Query};
use crate::diagnostic::{Diagnostic, Error, ErrorKind, SourceId, Span};
use crate::function::{Family, Real, Shape};
use crate::ground::{Estimate, GroundSpace, Grounding, Limits, Scope, Statistics};
use crate::model::{Model, Precision, Support, key_name, weight_names};
use crate::network::{
    BuildOptions, BuildSpace, CycleCounts, Initialisation, Network, NetworkBuilder, Parameters,
    UnsettledAtom, WeightKey, Weights, Workspace,
};
use crate::syntax::ast::TermKind;
use crate::syntax::parse_atom;
use crate::template::{Options, Start, Template};
use crate::threads::{Spares, each};
use crate::train::{Bag, SupportKernel, Views, mean_values};
use crate::vocabulary::{ConstantId, PredicateId};

/// A model ready to answer: cheap to clone, and usable from many threads at once.
///
/// ```
/// # use lrnn::{Settings, Template, fit};
/// # let template = Template::parse("w[T] :: toxic :- element(A, T).")?;
/// # let mut data = template.data();
/// # data.example("").fact("element", ("a", "c")).target(0.0, "toxic", ());
/// # data.example("").fact("element", ("a", "cl")).target(1.0, "toxic", ());
/// # let model = fit(&template, &data.build()?, &Settings { epochs: 50, ..Settings::default() })?.model;
/// let predictor = model.predictor()?;
/// let mut request = predictor.data();
/// request.example("new").fact("element", ("x", "cl")).fact("element", ("y", "c"));
/// let answers = predictor.predict(&request.build()?)?;
/// assert_eq!((answers.all[0].query.as_str(), answers.all[0].class), ("toxic", Some(1)));
/// # Ok::<(), lrnn::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Predictor(Arc<PredictorInner>);

#[derive(Debug)]
struct PredictorInner {
    program: Program,
    weights: BoundWeights,
    queries: Vec<DefaultQuery>,
    meaning: Meaning,
    spaces: Spares<RequestSpace>,
}

/// Memory that one request leaves to the next.
#[derive(Default)]
struct RequestSpace {
    ground: GroundSpace,
    build: BuildSpace,
    single: Workspace<f32>,
    double: Workspace<f64>,
}

/// A query asked of an example that has none.
#[derive(Clone, Debug)]
enum DefaultQuery {
    /// This atom.
    Atom(PredicateId, Vec<ConstantId>),
    /// Every atom of this predicate.
    All(PredicateId),
}

/// The numbers of all weights, each found by its key without looking at names.
#[derive(Debug)]
struct BoundWeights {
    parameters: Parameters,
    /// Behind the numbers of all weights: for each indexed weight, those of an index that was never learned.
    defaults: Vec<u32>,
    /// The numbers of each member of an ensemble, those of the best first.
    members: Vec<WeightArray>,
    /// The training queries that the readout `kernel` compares with.
    kernel: Option<SupportKernel>,
}

#[derive(Debug)]
enum WeightArray {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// So many examples are computed together.
const TOGETHER: usize = 16;

impl Model {
    /// Returns the template, from the texts that the model holds.
    pub fn template(&self) -> Result<Template, Error> {
        let family = match &self.family {
            None => None,
            Some(name) => {
                let message =
                    format!("the model asks for the family `{name}`, which this version does not know");
                Some(Family::find(name).ok_or_else(|| Error::new(ErrorKind::Content, message))?)
            }
        };
        Template::of_texts(&self.sources, Options { family, strict: false })?.into_template()
    }

    /// Makes the model ready to answer.
    pub fn predictor(&self) -> Result<Predictor, Error> {
        self.predictor_within(Limits::default())
    }

    /// Makes the model ready to answer within other limits of grounding.
    pub fn predictor_within(&self, limits: Limits) -> Result<Predictor, Error> {
        self.predictor_with(&self.program(limits)?)
    }

    /// Returns the program of the model: its template, fitted to data like that it was learned from.
    pub fn program(&self, limits: Limits) -> Result<Program, Error> {
        let template = self.template()?;
        let mut vocabulary = template.vocabulary.clone();
        for weight in self.weights.iter() {
            for constant in crate::model::index_constants(&weight.index).unwrap_or_default() {
                vocabulary.insert(constant);
            }
        }
        let mut facts_seen = Vec::new();
        let mut statistics = Statistics { examples: 1, constants: 0.0, relations: Vec::new() };
        let none = |arity: u32| Estimate { rows: 0.0, distinct: vec![0.0; arity as usize] };
        for relation in &self.relations {
            let id = vocabulary.predicate(&relation.name, relation.distinct.len());
            let count = vocabulary.predicate_count();
            facts_seen.resize(count, None);
            let known = statistics.relations.len();
            let new = vocabulary.predicates().skip(known).map(|(_, signature)| none(signature.arity));
            statistics.relations.extend(new.collect::<Vec<_>>());
            facts_seen[id.index()] = relation.shape.map(|shape| (shape, Span::default()));
            statistics.relations[id.index()] =
                Estimate { rows: relation.rows, distinct: relation.distinct.clone() };
            statistics.constants += relation.distinct.iter().sum::<f64>();
        }
        let dataset = Dataset { vocabulary, facts_seen, ..Dataset::default() };
        Program::with_statistics(&template, &dataset, statistics, limits, false)
    }

    /// Makes the model ready to answer with a program of its template.
    pub(crate) fn predictor_with(&self, program: &Program) -> Result<Predictor, Error> {
        let vocabulary = program.vocabulary();
        let queries = self.queries.iter().filter_map(|atom| lifted(atom, program)).collect();
        let weights = BoundWeights::new(self, program);
        let program = Program::clone(program);
        debug_assert_eq!(vocabulary.predicate_count(), program.template().predicates.len());
        let (meaning, spaces) = (self.meaning(), Spares::default());
        Ok(Predictor(Arc::new(PredictorInner { program, weights, queries, meaning, spaces })))
    }

    /// Returns the weights of each member, to ask for any atom with; an error where they depend on the query.
    pub fn asked_weights(
        &self,
        template: &Template,
        vocabulary: &crate::vocabulary::Vocabulary,
    ) -> Result<Vec<Weights>, Error> {
        if !self.supports.is_empty() {
            let message =
                "the weights of this model come from a kernel: other atoms than its queries have none";
            let help = "`lrnn predict` answers its queries, and `lrnn explain` tells why";
            return Err(Error::new(ErrorKind::Content, message).help(help));
        }
        Ok(self.member_weights(template, vocabulary))
    }

    /// Answers the queries of data; of data without queries, asks what training asked.
    pub fn predict(&self, dataset: &Dataset) -> Result<Answers, Error> {
        self.predictor()?.predict(dataset)
    }
}

/// Returns an atom of the model's as it is asked: with variables, every atom of its predicate.
fn lifted(atom: &str, program: &Program) -> Option<DefaultQuery> {
    let atom = parse_atom(atom, SourceId(0)).ok()?;
    let vocabulary = program.vocabulary();
    let predicate = vocabulary.find_predicate(&atom.name, atom.terms.len())?;
    let constant = |kind: &TermKind| match kind {
        TermKind::Constant(constant) => vocabulary.find_constant(constant),
        TermKind::Variable(_) | TermKind::Range(..) => None,
    };
    let terms: Option<Vec<ConstantId>> = atom.terms.iter().map(|term| constant(&term.kind)).collect();
    Some(terms.map_or(DefaultQuery::All(predicate), |terms| DefaultQuery::Atom(predicate, terms)))
}

impl BoundWeights {
    fn new(model: &Model, program: &Program) -> Self {
        let (template, vocabulary) = (program.template(), program.vocabulary());
        let mut parameters = Parameters::new(template);
        let members = model.member_weights(template, vocabulary);
        for key in members.iter().flat_map(Weights::keys) {
            parameters.place(key);
        }
        let (mut fill, mut defaults) = (Vec::new(), Vec::new());
        for weight in &template.weights {
            defaults.push((parameters.len() + fill.len()) as u32);
            if !weight.index.is_empty() {
                let size = weight.shape.size();
                match &weight.start {
                    Start::Values(start) if start.len() == size => fill.extend(start),
                    Start::Values(start) => fill.extend(std::iter::repeat_n(start[0], size)),
                    Start::Random => fill.extend(std::iter::repeat_n(0.0, size)),
                }
            }
        }
        let array = |weights: &Weights| {
            let mut numbers: Vec<f64> = parameters.values(template, vocabulary, weights);
            numbers.extend(&fill);
            match model.precision {
                Precision::F32 => WeightArray::F32(numbers.into_iter().map(|number| number as f32).collect()),
                Precision::F64 => WeightArray::F64(numbers),
            }
        };
        let members = members.iter().map(array).collect();
        let kernel = (!model.supports.is_empty()).then(|| {
            let views = Views::new(template, &parameters, &defaults);
            let places = model.places(template, vocabulary, &parameters);
            let place = |&(weight, amount): &(u32, f64)| Some(((*places.get(weight as usize)?)?, amount));
            let bag = |support: &Support| {
                let mut bag: Vec<(u32, f64)> = support.uses.iter().filter_map(place).collect();
                bag.sort_unstable_by_key(|used| used.0);
                (support.multiplier, Bag(bag))
            };
            SupportKernel::new(views, model.supports.iter().map(bag).collect())
        });
        Self { parameters, defaults, members, kernel }
    }

    /// Returns where the numbers of a weight are, and whether they were learned.
    fn place(&self, key: &WeightKey) -> (u32, bool) {
        match self.parameters.find(key) {
            Some(place) => (place, true),
            None => (self.defaults[key.0.index()], false),
        }
    }
}

/// The answers to some examples.
#[derive(Default)]
struct ChunkAnswers {
    /// Queries that were asked though the data has none, by example.
    queries: Vec<Vec<Query>>,
    values: RawValues,
    /// Weights that were never learned.
    unlearned: BTreeSet<WeightKey>,
    /// The cycles of the networks.
    cycles: Option<CycleCounts>,
}

impl ChunkAnswers {
    fn add(&mut self, other: Self) {
        self.queries.extend(other.queries);
        self.values.extend(other.values);
        self.unlearned.extend(other.unlearned);
        self.cycles = match (self.cycles.take(), other.cycles) {
            (Some(own), Some(other)) => Some(own.plus(other)),
            (own, other) => own.or(other),
        };
    }
}

impl Predictor {
    /// Begins data for this predictor.
    pub fn data(&self) -> DatasetBuilder {
        DatasetBuilder::new(self.0.program.vocabulary().clone())
    }

    /// Returns the program of the model.
    pub fn program(&self) -> &Program {
        &self.0.program
    }

    /// Returns what values mean.
    pub fn meaning(&self) -> Meaning {
        self.0.meaning
    }

    /// Answers the queries of all examples; where the data has no query at all, asks what training asked.
    pub fn predict(&self, dataset: &Dataset) -> Result<Answers, Error> {
        self.predict_as(dataset, self.0.meaning)
    }

    /// Answers the queries of all examples, with another meaning of queries outside the model.
    pub fn predict_as(&self, dataset: &Dataset, meaning: Meaning) -> Result<Answers, Error> {
        self.predict_by(dataset, meaning, None)
    }

    /// Does the same with networks that were built before, or are kept for the next time.
    pub fn predict_cached(
        &self,
        dataset: &Dataset,
        meaning: Meaning,
        cache: &NetworkCache,
    ) -> Result<Answers, Error> {
        self.predict_by(dataset, meaning, Some(cache))
    }

    fn predict_by(
        &self,
        dataset: &Dataset,
        meaning: Meaning,
        cache: Option<&NetworkCache>,
    ) -> Result<Answers, Error> {
        let dataset = self.own(dataset)?;
        let examples: Vec<usize> = (0..dataset.examples.len()).collect();
        let is_given = dataset.queries.iter().any(|queries| !queries.is_empty());
        if !is_given && self.0.queries.is_empty() {
            let error = Error::new(
                ErrorKind::Content,
                "there is nothing to answer: neither data nor model has a query",
            );
            return Err(error.help("write queries beside the examples, such as `toxic.`"));
        }
        let mut all = self.chunks(&dataset, &examples, is_given, cache)?;
        let asked = match is_given {
            true => Cow::Borrowed(&*dataset),
            // Answers need names and queries, not the facts.
            false => Cow::Owned(Dataset {
                vocabulary: dataset.vocabulary.clone(),
                queries: std::mem::take(&mut all.queries),
                ids: dataset.ids.clone(),
                ..Dataset::default()
            }),
        };
        self.answers(&asked, &asked.places(&examples), all, meaning)
    }

    /// Returns data in the names of the program; where it has no query at all, with what training asked.
    pub(crate) fn with_queries<'a>(&self, dataset: &'a Dataset) -> Result<Cow<'a, Dataset>, Error> {
        let mut dataset = self.own(dataset)?;
        if dataset.queries.iter().all(Vec::is_empty) {
            let program = &self.0.program;
            let scope = self.default_scope();
            let asked = |example| Ok(self.asked(&program.ground_part(&dataset, example, scope)?.grounding));
            let queries = (0..dataset.examples.len()).map(asked).collect::<Result<_, Error>>()?;
            dataset.to_mut().queries = queries;
        }
        Ok(dataset)
    }

    /// Answers some queries of data, which must be of the program's vocabulary or extend it.
    pub(crate) fn answer(&self, dataset: &Dataset, places: &[(usize, usize)]) -> Result<Answers, Error> {
        let mut examples: Vec<usize> = places.iter().map(|place| place.0).collect();
        examples.dedup();
        let mut found = self.chunks(dataset, &examples, true, None)?;
        let wanted: BTreeSet<&(usize, usize)> = places.iter().collect();
        let all = dataset.places(&examples).into_iter().zip(found.values);
        found.values = all.filter(|(place, _)| wanted.contains(place)).map(|(_, value)| value).collect();
        self.answers(dataset, places, found, self.0.meaning)
    }

    fn answers(
        &self,
        dataset: &Dataset,
        places: &[(usize, usize)],
        found: ChunkAnswers,
        meaning: Meaning,
    ) -> Result<Answers, Error> {
        let ChunkAnswers { values, unlearned, cycles, .. } = found;
        let program = &self.0.program;
        let is_lost = |value: &Option<Vec<f64>>| value.iter().flatten().any(|number| !number.is_finite());
        if let Some(at) = values.iter().position(is_lost) {
            let example = dataset.example_name(places[at].0);
            let message = format!("example {example}: a value is not a finite number");
            return Err(Error::new(ErrorKind::Numbers, message));
        }
        let mut answers = Answers::new(program, dataset, places, values, meaning);
        let names = if unlearned.is_empty() { Vec::new() } else { weight_names(program.template()) };
        let vocabulary = program.names(&dataset.vocabulary);
        let name = |key: &WeightKey| key_name(&names, program.template(), vocabulary, key);
        answers.unlearned = unlearned.iter().map(name).collect();
        let BoundWeights { parameters, members, .. } = &self.0.weights;
        answers.cycles = cycles.map(|counts| match &members[0] {
            WeightArray::F32(numbers) => program.cycles(&counts, parameters, numbers),
            WeightArray::F64(numbers) => program.cycles(&counts, parameters, numbers),
        });
        let known = program.template().predicates.len();
        let unknown = dataset.vocabulary.predicates().skip(known);
        answers.unknown = unknown.map(|(_, signature)| signature.to_string()).collect();
        Ok(answers)
    }

    /// Returns the data in the names of the program, its shapes checked.
    fn own<'a>(&self, dataset: &'a Dataset) -> Result<Cow<'a, Dataset>, Error> {
        let program = &self.0.program;
        let dataset = match dataset.vocabulary.extends(program.vocabulary()) {
            true => Cow::Borrowed(dataset),
            false => Cow::Owned(dataset.renumbered(program.vocabulary().clone())),
        };
        let mut wrong = Vec::new();
        let settled = program.template().predicates.iter().map(|predicate| predicate.shape);
        for ((number, shape), seen) in settled.enumerate().zip(&dataset.facts_seen) {
            if let (Some(shape), Some((given, span))) = (shape, seen)
                && shape != *given
                && *given != Shape::NUMBER
            {
                let name = program.vocabulary().signature(PredicateId(number as u32));
                let message = format!(
                    "the value of this fact has shape {given}, but `{name}` has {shape} in the model"
                );
                wrong.push(Diagnostic::error("D0118", *span, message));
            }
        }
        if !wrong.is_empty() {
            return Err(Error::of(ErrorKind::Content, wrong, &dataset.sources));
        }
        let mut dataset = dataset;
        if !dataset.lifted.is_empty() {
            program.expand(dataset.to_mut())?;
        }
        Ok(dataset)
    }

    /// Returns the values of the queries of some examples, in chunks that become one network each.
    fn chunks(
        &self,
        dataset: &Dataset,
        examples: &[usize],
        is_given: bool,
        cache: Option<&NetworkCache>,
    ) -> Result<ChunkAnswers, Error> {
        let mut all = ChunkAnswers::default();
        let sizes: Vec<usize> = examples.chunks(TOGETHER).map(<[usize]>::len).collect();
        for group in dataset.groups(&sizes) {
            let group = &examples[group.start * TOGETHER..(group.end * TOGETHER).min(examples.len())];
            let answered = dataset.with_facts(group, |part, own| {
                let chunks: Vec<&[usize]> = own.chunks(TOGETHER).collect();
                let of = |chunk: &&[usize]| self.chunk(part, chunk, is_given, cache);
                match &chunks[..] {
                    [only] => Ok(vec![of(only)]),
                    _ => Ok(each(&chunks, of)),
                }
            })?;
            for one in answered {
                all.add(one?);
            }
        }
        self.0.program.check_keys(dataset, all.unlearned.iter())?;
        Ok(all)
    }

    /// Returns the values of the queries of some examples, which become one network.
    fn chunk(
        &self,
        dataset: &Dataset,
        examples: &[usize],
        is_given: bool,
        cache: Option<&NetworkCache>,
    ) -> Result<ChunkAnswers, Error> {
        let program = &self.0.program;
        let mut space = self.0.spaces.take();
        let mut build = || self.chunk_network(dataset, examples, is_given, &mut space);
        let ChunkNetwork { mut network, queries, is_known } = match cache {
            Some(cache) => {
                let asked = (!is_given).then(|| format!("{:?}", self.0.queries));
                (*cache.chunk(program, dataset, examples, asked.as_deref(), build)?).clone()
            }
            None => build()?,
        };
        let mut unlearned = BTreeSet::new();
        network.bind_by(|key| {
            let (place, is_learned) = self.0.weights.place(key);
            if !is_learned && !program.template().weight(key.0).fixed {
                unlearned.insert(key.clone());
            }
            place
        });
        let (mut members, mut cycles) = (Vec::new(), None);
        for numbers in &self.0.weights.members {
            let (values, swept) = match numbers {
                WeightArray::F32(numbers) => self.member(&network, numbers, &mut space.single),
                WeightArray::F64(numbers) => self.member(&network, numbers, &mut space.double),
            }
            .map_err(|atom| {
                program.unsettled(dataset, examples, |example| self.scope(dataset, example, is_given), &atom)
            })?;
            members.push(values);
            cycles = cycles.or(swept);
        }
        if network.is_small() {
            space.build.take_back(network);
            self.0.spaces.give(space);
        }
        let mut values = mean_values(members).into_iter();
        let values =
            is_known.into_iter().map(|known| if known { values.next().flatten() } else { None }).collect();
        Ok(ChunkAnswers { queries, values, unlearned, cycles })
    }

    /// Returns the values of the queries of a network under the numbers of a member.
    fn member<R: Real>(
        &self,
        network: &Network,
        numbers: &[R],
        space: &mut Workspace<R>,
    ) -> Result<(RawValues, Option<CycleCounts>), UnsettledAtom> {
        let PredictorInner { program, weights, .. } = &*self.0;
        let (mut values, cycles) = outputs(program, network, numbers, space)?;
        if let Some(kernel) = &weights.kernel {
            kernel.add(network, program.schedule(), numbers, space, &mut values);
        }
        Ok((values, cycles))
    }

    /// Grounds some examples and builds their network.
    fn chunk_network(
        &self,
        dataset: &Dataset,
        examples: &[usize],
        is_given: bool,
        space: &mut RequestSpace,
    ) -> Result<ChunkNetwork, Error> {
        let program = &self.0.program;
        let (options, build) = (BuildOptions::default(), std::mem::take(&mut space.build));
        let mut builder = NetworkBuilder::within(program.template(), program.schedule(), options, build);
        let mut queries = Vec::new();
        let known = program.template().predicates.len();
        // Queries about predicates that the model does not know have no neuron.
        let mut is_known = Vec::new();
        for &example in examples {
            let facts = &dataset.examples[example];
            let scope = self.scope(dataset, example, is_given);
            let grounding = program
                .ground_in_runs(&dataset.vocabulary, facts, scope, &mut space.ground)
                .map_err(|error| error.before(format!("example {}", dataset.example_name(example))))?;
            let asked = match is_given {
                true => Cow::Borrowed(&dataset.queries[example]),
                false => Cow::Owned(self.asked(&grounding.grounding)),
            };
            let before = is_known.len();
            is_known.extend(asked.iter().map(|query| query.predicate.index() < known));
            match is_known[before..].iter().all(|&known| known) {
                true => builder.add_runs(facts, &grounding, &asked),
                false => {
                    let answerable: Vec<Query> =
                        asked.iter().filter(|query| query.predicate.index() < known).cloned().collect();
                    builder.add_runs(facts, &grounding, &answerable);
                }
            }
            if let Cow::Owned(asked) = asked {
                queries.push(asked);
            }
            space.ground.take_back(grounding.grounding);
        }
        let network;
        (network, space.build) = builder.finish_within();
        Ok(ChunkNetwork { network, queries, is_known })
    }

    /// Returns the weights of a query of an example, if they come from a kernel; those of others are in the model.
    pub(crate) fn own_weights(
        &self,
        dataset: &Dataset,
        example: usize,
        query: Query,
    ) -> Result<Option<Weights>, Error> {
        let PredictorInner { program, weights, .. } = &*self.0;
        let Some(kernel) = &weights.kernel else { return Ok(None) };
        let scope = program.scope(std::slice::from_ref(&query));
        let grounding = program.ground_part(dataset, example, scope)?;
        let (schedule, mut builder) = (program.schedule(), program.builder());
        builder.add_runs(&dataset.examples[example], &grounding, &[query]);
        let mut network = builder.finish();
        network.bind_by(|key| weights.place(key).0);
        let numbers: Vec<f64> = match &weights.members[0] {
            WeightArray::F32(numbers) => numbers.iter().map(|&number| number.into()).collect(),
            WeightArray::F64(numbers) => numbers.clone(),
        };
        let mut own = numbers.clone();
        let mut space = Workspace::default();
        network.forward(schedule, &numbers, &mut space);
        let bags = kernel.views().bags(&network, schedule, &numbers, &mut space, &mut Vec::new());
        for bag in bags.into_iter().flatten() {
            kernel.weights(&bag).into_iter().for_each(|(place, number)| own[place as usize] = number);
        }
        let mut found = Weights::starting(0, Initialisation::Constant, 0.0);
        for ((weight, index), range) in weights.parameters.iter() {
            found.set(*weight, index, own[range].to_vec());
        }
        Ok(Some(found))
    }

    /// Returns what part of the model must be grounded for an example: for its queries where they are given, or else for
    /// what training asked.
    fn scope(&self, dataset: &Dataset, example: usize, is_given: bool) -> Scope {
        if is_given { self.0.program.scope(&dataset.queries[example]) } else { self.default_scope() }
    }

    /// Returns what part of the model must be grounded to answer what training asked.
    fn default_scope(&self) -> Scope {
        let predicate = |query: &DefaultQuery| match query {
            DefaultQuery::Atom(predicate, _) | DefaultQuery::All(predicate) => *predicate,
        };
        self.0.program.plans().scope(self.0.queries.iter().map(predicate))
    }

    /// Returns what training asked, for an example that does not say.
    fn asked(&self, grounding: &Grounding) -> Vec<Query> {
        let mut all = Vec::new();
        for lifted in &self.0.queries {
            match lifted {
                DefaultQuery::Atom(predicate, terms) => all.push(Query::new(*predicate, terms.clone())),
                DefaultQuery::All(predicate) => {
                    let relation = &grounding.relations[predicate.index()];
                    all.extend(relation.rows().map(|row| Query::new(*predicate, row.to_vec())));
                }
            }
        }
        all
    }
}

/// Returns the values of all queries of a network, with its cycles, or an atom of one that does not settle.
pub(super) fn outputs<R: Real>(
    program: &Program,
    network: &Network,
    numbers: &[R],
    space: &mut Workspace<R>,
) -> Result<(RawValues, Option<CycleCounts>), UnsettledAtom> {
    network.forward(program.schedule(), numbers, space);
    if let Some(atom) = space.unsettled(network) {
        return Err(atom);
    }
    let value = |query| {
        let value = space.output(network, query)?;
        Some(value.iter().map(|number: &R| number.to_f64()).collect::<Vec<f64>>())
    };
    Ok(((0..network.output_count()).map(value).collect(), space.cycles(network)))
}

#[cfg(test)]
mod tests {
    use crate::model::LOOKUPS;
    use crate::{Settings, Template, fit};

    #[test]
    fn weights_are_looked_up_by_name_once_for_all_requests() {
        const COUNT: usize = 100_000;
        let template = Template::parse("w[T] :: toxic :- element(A, T).").expect("a template");
        let mut data = template.data();
        for at in 0..COUNT as i64 {
            data.example("").fact("element", ("x", at)).target((at % 2) as f64, "toxic", ());
        }
        let settings = Settings { epochs: 1, ..Settings::default() };
        let model = fit(&template, &data.build().expect("data"), &settings).expect("a fit").model;
        let count = model.weights.len();
        assert!(count >= COUNT);
        LOOKUPS.set(0);
        let predictor = model.predictor().expect("a predictor");
        assert_eq!(LOOKUPS.get(), count, "to make it ready");
        let mut values = Vec::new();
        for at in [7, 99_999, 7] {
            let mut request = predictor.data();
            request.example("").fact("element", ("y", at)).fact("element", ("z", 5));
            let answers = predictor.clone().predict(&request.build().expect("data")).expect("answers");
            assert!(answers.unlearned.is_empty() && answers.unknown.is_empty());
            values.push(answers.all[0].value.clone().expect("a value").numbers);
        }
        assert!(values[0] == values[2] && values[0] != values[1]);
        assert_eq!(LOOKUPS.get(), count, "no more to answer");
    }
}
