//! What a model answers: the value of every query, beside the value it should have.

use std::collections::BTreeSet;

use serde::Serialize;
use serde::ser::SerializeMap;

use super::{Cycles, Program};
use crate::data::{Dataset, Value};
use crate::diagnostic::{Error, ErrorKind, listed};
use crate::evaluate::{Metrics, Score};
use crate::function::{Real, Shape};
use crate::train::{ExampleAnswers, Loss, Measure, Unentailed};

/// Probability above which an answer is taken for true.
const THRESHOLD: f64 = 0.5;

/// So many names are in a note at most.
const NAMED: usize = 5;

/// The answer to one query.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Answer {
    /// The name of the example.
    pub example: String,
    /// The atom that was asked for.
    pub query: String,
    /// Value of the network. `None` outside the model if such queries are left out.
    pub value: Option<Value>,
    /// The value as a probability, from 0 to 1: by its sigmoid, as a share of its example's queries, or as it is, as
    /// the loss takes it. `None` where numbers were learned, not classes.
    pub probability: Option<Value>,
    /// 1 for true and 0 for false; of a vector, the place of its largest element.
    pub class: Option<usize>,
    /// The value it should have, if the data says so.
    pub target: Option<Value>,
    /// True if the query follows from template and example; else it counts as the setting `unentailed` says.
    pub in_model: bool,
    /// The number of the example, and of the query in it.
    #[serde(skip)]
    pub place: (usize, usize),
}

/// Answers to queries, in the order of the data, with what they were taken for.
#[derive(Clone, PartialEq, Debug)]
pub struct Answers {
    /// The answers, in the order of examples and queries.
    pub all: Vec<Answer>,
    /// The loss that was learned with: it says what values mean.
    pub loss: Loss,
    /// Value of queries outside the model.
    pub unentailed: Unentailed,
    /// Names of weights that the data needs and the model has not: they count as 0, or as the template says.
    pub unlearned: Vec<String>,
    /// Predicates of the data that the model does not know.
    pub unknown: Vec<String>,
    /// The cycles of the ground networks, if there are some.
    pub cycles: Option<Cycles>,
}

/// The values of queries as they were computed, in the order of examples and queries; `None` outside the model.
pub(crate) type RawValues = Vec<Option<Vec<f64>>>;

/// The meaning of values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Meaning {
    /// The loss that was learned with.
    pub loss: Loss,
    /// Value of queries outside the model.
    pub unentailed: Unentailed,
    /// True if targets are numbers, not truth values or classes: then there are no probabilities.
    pub is_regression: bool,
}

impl Answers {
    /// Puts values beside queries of data, which are named by the numbers of example and query in it, example by example.
    pub fn new(
        program: &Program,
        dataset: &Dataset,
        places: &[(usize, usize)],
        values: RawValues,
        meaning: Meaning,
    ) -> Self {
        let Meaning { loss, unentailed, .. } = meaning;
        let answer = |(&place, value): (&(usize, usize), Option<Vec<f64>>)| {
            let query = &dataset.queries[place.0][place.1];
            let (in_model, shape) = (value.is_some(), program.shape(query.predicate));
            let outside = || match unentailed {
                Unentailed::Value(value) => Some(vec![value; shape.size()]),
                Unentailed::Skip | Unentailed::Error => None,
            };
            let value = value.filter(|value| value.len() == shape.size()).or_else(outside);
            let target = query.target.as_ref().map(|target| {
                let shape = if target.len() == 1 { Shape::NUMBER } else { shape };
                Value { numbers: target.clone(), shape }
            });
            Answer {
                example: dataset.example_name(place.0),
                query: dataset.vocabulary.atom_text(query.predicate, &query.terms),
                value: value.map(|numbers| Value { numbers, shape }),
                probability: None,
                class: None,
                target,
                in_model,
                place,
            }
        };
        let mut all: Vec<Answer> = places.iter().zip(values).map(answer).collect();
        if !meaning.is_regression {
            all.chunk_by_mut(|one, next| one.place.0 == next.place.0).for_each(|one| judge(loss, one));
        }
        Self { all, loss, unentailed, unlearned: Vec::new(), unknown: Vec::new(), cycles: None }
    }

    /// Returns what a person should know: weights that were never learned, predicates that the model does not know,
    /// queries outside it. An error if such queries are one.
    pub fn notes(&self) -> Result<Vec<String>, Error> {
        let mut notes: Vec<String> = self.cycles.iter().map(Cycles::sentence).collect();
        if !self.unlearned.is_empty() {
            notes.push(unlearned_note("the model", self.unlearned.iter().map(String::as_str)));
        }
        if !self.unknown.is_empty() {
            let unknown = listed(&self.unknown, NAMED);
            notes.push(format!("the model does not know these predicates of the data: {unknown}"));
        }
        let name = |answer: &Answer| format!("{} in example {}", answer.query, answer.example);
        let outside: Vec<String> = self.all.iter().filter(|answer| !answer.in_model).map(name).collect();
        if outside.is_empty() {
            return Ok(notes);
        }
        let (count, all) = (outside.len(), self.all.len());
        let message = format!("{count} of {all} queries are not in the model: {}", listed(&outside, NAMED));
        notes.push(match self.unentailed {
            Unentailed::Error => {
                let help = "`--unentailed skip` leaves them out, `--unentailed 0` takes them for 0";
                return Err(Error::new(ErrorKind::Content, message).help(help));
            }
            Unentailed::Skip => format!("{message}; they are left out"),
            Unentailed::Value(value) => format!("{message}; they count as {value}"),
        });
        Ok(notes)
    }

    /// Returns how many queries are outside the model.
    pub fn outside(&self) -> usize {
        self.all.iter().filter(|answer| !answer.in_model).count()
    }

    /// Returns the answers that have targets, example by example, as losses and metrics need them.
    pub fn answered(&self) -> Vec<ExampleAnswers> {
        let mut all: Vec<ExampleAnswers> = Vec::new();
        for answer in &self.all {
            let (Some(value), Some(target)) = (&answer.value, &answer.target) else { continue };
            if all.last().is_none_or(|last| last.example != answer.place.0) {
                all.push(ExampleAnswers { example: answer.place.0, ..ExampleAnswers::default() });
            }
            let Some(last) = all.last_mut() else { continue };
            let size = value.numbers.len();
            last.sizes.push(size as u32);
            last.values.extend(&value.numbers);
            match target.number() {
                Some(number) => last.targets.extend(std::iter::repeat_n(number, size)),
                None => last.targets.extend(&target.numbers),
            }
        }
        all
    }

    /// Returns how well the answers meet their targets.
    pub fn scores(&self) -> Scores {
        Scores::of(self.loss, &self.answered())
    }

    /// Returns the answers to some queries alone, by the numbers of example and query.
    pub fn of_places(&self, places: &[(usize, usize)]) -> Self {
        let places: BTreeSet<&(usize, usize)> = places.iter().collect();
        let all = self.all.iter().filter(|answer| places.contains(&answer.place)).cloned().collect();
        Self { all, ..self.clone() }
    }
}

/// Probabilities and classes of the answers of one example.
fn judge(loss: Loss, answers: &mut [Answer]) {
    let is_vector = |answer: &Answer| answer.value.as_ref().is_some_and(|value| value.numbers.len() > 1);
    if loss == Loss::Softmax && answers.len() > 1 && !answers.iter().any(is_vector) {
        let values: Vec<f64> = answers
            .iter()
            .map(|answer| answer.value.as_ref().map_or(f64::NEG_INFINITY, |it| it.numbers[0]))
            .collect();
        let (shares, best) = (probabilities(loss, &values), largest(&values));
        for (at, (answer, share)) in answers.iter_mut().zip(shares).enumerate() {
            answer.probability = answer.value.as_ref().map(|_| share.into());
            answer.class = answer.value.as_ref().map(|_| usize::from(at == best));
        }
        return;
    }
    for answer in answers {
        let Some(Value { numbers, shape }) = &answer.value else { continue };
        let probable = Value { numbers: probabilities(loss, numbers), shape: *shape };
        answer.class = Some(match probable.number() {
            Some(probability) => usize::from(probability > THRESHOLD),
            None => largest(numbers),
        });
        answer.probability = Some(probable);
    }
}

fn largest(numbers: &[f64]) -> usize {
    (1..numbers.len()).fold(0, |best, at| if numbers[at] > numbers[best] { at } else { best })
}

/// Returns the probabilities of values that belong together: shares of all where the loss takes them so.
fn probabilities(loss: Loss, values: &[f64]) -> Vec<f64> {
    if loss != Loss::Softmax || values.len() < 2 {
        return values.iter().map(|&value| loss.probability(value)).collect();
    }
    let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let parts: Vec<f64> = values.iter().map(|value| Real::exp(value - top)).collect();
    let sum: f64 = parts.iter().sum();
    parts.iter().map(|part| part / sum).collect()
}

/// The loss, the wrong answers and every metric of some queries.
#[derive(Clone, PartialEq, Debug)]
pub struct Scores {
    /// The mean loss, and how many answers are wrong.
    pub measure: Measure,
    /// Every metric with its number, or the reason why there is none.
    pub report: Metrics,
}

impl Scores {
    /// Measures answers under a loss, which says what values are taken for.
    pub fn of(loss: Loss, answered: &[ExampleAnswers]) -> Self {
        Self { measure: Measure::of(loss, answered), report: Metrics::of(&scored(loss, answered), THRESHOLD) }
    }
}

impl Serialize for Scores {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (metric, measured) in &self.report.metrics {
            map.serialize_entry(metric.name(), &measured.ok())?;
        }
        map.serialize_entry("loss", &self.measure.loss)?;
        map.serialize_entry("error", &self.measure.error())?;
        map.serialize_entry("wrong", &self.measure.wrong)?;
        map.serialize_entry("answers", &self.measure.answers)?;
        map.end()
    }
}

/// Returns the numbers of all queries with their probabilities. What belongs together is told apart from the rest: the
/// elements of a vector, or the queries of an example.
pub fn scored(loss: Loss, answered: &[ExampleAnswers]) -> Vec<Score> {
    let (mut all, mut group) = (Vec::new(), 0);
    for ExampleAnswers { values, targets, sizes, .. } in answered {
        let has_vectors = sizes.iter().any(|&size| size > 1);
        let together = [values.len() as u32];
        let mut at = 0;
        for &size in if has_vectors { sizes.as_slice() } else { &together } {
            let range = at..at + size as usize;
            at = range.end;
            let shares = probabilities(loss, &values[range.clone()]);
            for (class, (place, probability)) in range.zip(shares).enumerate() {
                // A raw value of softmax says nothing beside one of another example.
                let value = if loss == Loss::Softmax { probability } else { values[place] };
                let target = targets[place];
                all.push(Score { example: group, class, value, probability: Some(probability), target });
            }
            group += 1;
        }
    }
    all
}

/// Returns a sentence about weights that a model has not learned. Kinds have names that say nothing to anybody: they are
/// counted, those that no training example had apart from those that none had so often.
pub(crate) fn unlearned_note<'a>(model: &str, weights: impl Iterator<Item = &'a str>) -> String {
    let (mut named, mut new, mut more) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for weight in weights {
        let index: Vec<&str> =
            weight.split_once('[').map_or("", |(_, index)| index.trim_end_matches(']')).split(", ").collect();
        match index.iter().position(|term| is_kind(term)) {
            None => named.push(weight),
            Some(at) if index.get(at + 1).is_none_or(|number| *number == "1") => _ = new.insert(index[at]),
            Some(at) => _ = more.insert(index[at]),
        }
    }
    more.retain(|kind| !new.contains(kind));
    let mut parts = Vec::new();
    if !named.is_empty() {
        parts.push(listed(&named, NAMED));
    }
    if !new.is_empty() {
        parts.push(format!("{} of substructures that no training example has", kinds(new.len())));
    }
    if !more.is_empty() {
        parts.push(format!("{} that none has so often", kinds(more.len())));
    }
    format!("{model} has not learned {}: taken for 0", parts.join(", and "))
}

fn kinds(count: usize) -> String {
    if count == 1 { "1 kind".to_owned() } else { format!("{count} kinds") }
}

/// Tells whether a term of an index is written as a kind: `k29b25e071d8665b8`.
fn is_kind(term: &str) -> bool {
    term.strip_prefix('k')
        .is_some_and(|hash| hash.len() == 16 && hash.bytes().all(|it| it.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_kinds_are_counted_and_others_named() {
        let note = |weights: &[&str]| unlearned_note("the model", weights.iter().copied());
        assert_eq!(note(&["w[a]", "v"]), "the model has not learned w[a], v: taken for 0");
        let (one, two) = ("k29b25e071d8665b8", "k377e00a9c06a1547");
        let weights = [format!("w[p, {one}, 1]"), format!("w[p, {one}, 2]"), format!("w[p, {two}, 4]")];
        let weights: Vec<&str> = weights.iter().map(String::as_str).collect();
        assert_eq!(
            note(&weights),
            "the model has not learned 1 kind of substructures that no training example has, and 1 kind that none has so \
             often: taken for 0"
        );
    }
}
