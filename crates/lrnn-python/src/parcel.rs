//! Data as bytes for other processes of the same version: names, then numbers, as JSON.

use lrnn::data::{Example, FactTable, LiftedQuery, Query, TermPattern};
use lrnn::function::Shape;
use lrnn::vocabulary::{Constant, ConstantId, PredicateId, Vocabulary};
use lrnn::{Dataset, Error, ErrorKind};
use serde::{Deserialize, Serialize};

/// A constant as JSON tells it: text, whole number or number.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum PackedConstant {
    Name(String),
    Integer(i64),
    Number(f64),
}

/// Predicate, rows, terms, shape and values of a table.
type PackedTable = (u32, u32, Vec<u32>, (u32, u32), Vec<f64>);
/// Predicate, terms, target and weight of a query.
type PackedQuery = (u32, Vec<u32>, Option<Vec<f64>>, f64);
/// Example, predicate, terms, target and weight of a query with variables. A term is a constant, or the number of the term
/// that it equals.
type PackedLiftedQuery = (usize, u32, Vec<Result<u32, usize>>, Option<Vec<f64>>, f64);

#[derive(Serialize, Deserialize)]
struct Parcel {
    constants: Vec<PackedConstant>,
    predicates: Vec<(String, u32)>,
    examples: Vec<Vec<PackedTable>>,
    queries: Vec<Vec<PackedQuery>>,
    lifted: Vec<PackedLiftedQuery>,
    ids: Vec<String>,
    folds: Vec<u32>,
    weights: Vec<f64>,
    /// The shape of each predicate's values, if it has facts.
    shapes: Vec<Option<(u32, u32)>>,
}

fn ids(terms: &[ConstantId]) -> Vec<u32> {
    terms.iter().map(|term| term.0).collect()
}

/// Returns data as bytes.
pub fn pack(dataset: &Dataset) -> Vec<u8> {
    let vocabulary = &dataset.vocabulary;
    let constant = |(_, constant): (ConstantId, Constant)| match constant {
        Constant::Name(name) => PackedConstant::Name(name.into()),
        Constant::Integer(number) => PackedConstant::Integer(number),
        Constant::Number(number) => PackedConstant::Number(number),
    };
    let table = |table: &FactTable| {
        let shape = (table.shape.rows, table.shape.columns);
        (table.predicate.0, table.rows, ids(&table.terms), shape, table.values.clone())
    };
    let query = |query: &Query| (query.predicate.0, ids(&query.terms), query.target.clone(), query.weight);
    let lifted = |query: &LiftedQuery| {
        let term = |(at, term): (usize, &TermPattern)| match *term {
            TermPattern::Constant(Some(constant)) => Ok(constant.0),
            TermPattern::Variable(first) => Err(first),
            TermPattern::Constant(None) | TermPattern::Any => Err(at),
        };
        let terms = query.terms.iter().enumerate().map(term).collect();
        (query.example, query.predicate.0, terms, query.target.clone(), query.weight)
    };
    let parcel = Parcel {
        constants: vocabulary.constants().map(constant).collect(),
        predicates: vocabulary.predicates().map(|(_, known)| (known.name.to_string(), known.arity)).collect(),
        examples: dataset.examples.iter().map(|example| example.tables.iter().map(table).collect()).collect(),
        queries: dataset.queries.iter().map(|queries| queries.iter().map(query).collect()).collect(),
        lifted: dataset.lifted.iter().map(lifted).collect(),
        ids: dataset.ids.iter().map(ToString::to_string).collect(),
        folds: dataset.folds.clone(),
        weights: dataset.weights.clone(),
        shapes: dataset
            .facts_seen
            .iter()
            .map(|seen| seen.map(|(shape, _)| (shape.rows, shape.columns)))
            .collect(),
    };
    serde_json::to_vec(&parcel).unwrap_or_default()
}

/// Returns data from bytes.
pub fn unpack(bytes: &[u8]) -> Result<Dataset, Error> {
    let wrong = |why: String| {
        let message = format!("these bytes are no data of this version of lrnn: {why}");
        Error::new(ErrorKind::Content, message).help("data is handed between processes of one version only")
    };
    let parcel: Parcel = serde_json::from_slice(bytes).map_err(|error| wrong(error.to_string()))?;
    let mut vocabulary = Vocabulary::default();
    for constant in parcel.constants {
        vocabulary.insert(match constant {
            PackedConstant::Name(name) => Constant::Name(name.into()),
            PackedConstant::Integer(number) => Constant::Integer(number),
            PackedConstant::Number(number) => Constant::Number(number),
        });
    }
    for (name, arity) in &parcel.predicates {
        vocabulary.predicate(name, *arity as usize);
    }
    let counts = (vocabulary.constant_count(), vocabulary.predicate_count());
    let is_known = |predicate: u32, terms: &[u32], rows: u32| {
        let arity = parcel.predicates.get(predicate as usize).map(|(_, arity)| *arity as usize);
        (predicate as usize) < counts.1
            && arity.is_some_and(|arity| terms.len() == arity * rows as usize)
            && terms.iter().all(|&term| (term as usize) < counts.0)
    };
    let table = |(predicate, rows, terms, shape, values): PackedTable| {
        let shape = Shape { rows: shape.0, columns: shape.1 };
        let fits = values.is_empty() || values.len() == rows as usize * shape.size();
        let terms: Option<Vec<ConstantId>> =
            (fits && is_known(predicate, &terms, rows)).then(|| terms.into_iter().map(ConstantId).collect());
        Some(FactTable { predicate: PredicateId(predicate), rows, terms: terms?, shape, values })
    };
    let query = |(predicate, terms, target, weight): PackedQuery| {
        let is_known = is_known(predicate, &terms, 1);
        let terms = terms.into_iter().map(ConstantId).collect();
        is_known.then_some(Query {
            predicate: PredicateId(predicate),
            terms,
            target,
            weight,
            span: Default::default(),
        })
    };
    let example = |tables: Vec<PackedTable>| {
        Some(Example { tables: tables.into_iter().map(table).collect::<Option<_>>()? })
    };
    let examples: Option<Vec<Example>> = parcel.examples.into_iter().map(example).collect();
    let queries: Option<Vec<Vec<Query>>> =
        parcel.queries.into_iter().map(|queries| queries.into_iter().map(query).collect()).collect();
    let (Some(examples), Some(queries)) = (examples, queries) else {
        return Err(wrong("it names what it does not have".to_owned()));
    };
    let lifted = |(example, predicate, terms, target, weight): PackedLiftedQuery| {
        let arity = parcel.predicates.get(predicate as usize).map(|(_, arity)| *arity as usize);
        let fits = example < examples.len() && arity == Some(terms.len());
        let pattern = |term: &Result<u32, usize>| match *term {
            Ok(id) => ((id as usize) < counts.0).then_some(TermPattern::Constant(Some(ConstantId(id)))),
            Err(first) => (first < terms.len()).then_some(TermPattern::Variable(first)),
        };
        let terms = terms.iter().map(pattern).collect::<Option<Vec<_>>>().filter(|_| fits)?;
        let (predicate, span) = (PredicateId(predicate), Default::default());
        Some(LiftedQuery { example, predicate, terms, target, weight, span })
    };
    let Some(lifted) = parcel.lifted.into_iter().map(lifted).collect::<Option<Vec<_>>>() else {
        return Err(wrong("it names what it does not have".to_owned()));
    };
    if examples.len() != queries.len() || parcel.shapes.len() > counts.1 {
        return Err(wrong("its parts do not belong together".to_owned()));
    }
    let seen = |shape: Option<(u32, u32)>| {
        shape.map(|(rows, columns)| (Shape { rows, columns }, Default::default()))
    };
    let mut facts_seen: Vec<_> = parcel.shapes.into_iter().map(seen).collect();
    facts_seen.resize(counts.1, None);
    Ok(Dataset {
        vocabulary,
        examples,
        queries,
        lifted,
        ids: parcel.ids.into_iter().map(Into::into).collect(),
        folds: parcel.folds,
        weights: parcel.weights,
        facts_seen,
        ..Dataset::default()
    })
}
