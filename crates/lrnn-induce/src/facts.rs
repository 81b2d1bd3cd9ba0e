//! The facts of all examples in one place, indexed: an *individual* is a constant in an example, so that one knowledge
//! base with many queries and many examples with one query each are the same.

use std::hash::{Hash, Hasher};

use lrnn::data::Dataset;
use lrnn::vocabulary::{Constant, ConstantId, PredicateId};
use rustc_hash::{FxHashMap, FxHasher};

use crate::clause::is_date;
use crate::goal::Goal;

/// Rows by the individual in one column.
#[derive(Clone, Debug, Default)]
struct ColumnIndex {
    /// By individual: where its rows begin.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl ColumnIndex {
    fn new(individuals: usize, entries: impl Iterator<Item = u32> + Clone) -> Self {
        let mut starts = vec![0_u32; individuals + 1];
        entries.clone().for_each(|individual| starts[individual as usize + 1] += 1);
        for at in 0..individuals {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts[individuals] as usize];
        for (row, individual) in entries.enumerate() {
            rows[next[individual as usize] as usize] = row as u32;
            next[individual as usize] += 1;
        }
        Self { starts, rows }
    }

    #[inline]
    fn of(&self, individual: u32) -> &[u32] {
        let at = individual as usize;
        &self.rows[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// All facts of one predicate.
#[derive(Clone, Debug)]
pub struct RelationFacts {
    /// The predicate.
    pub predicate: PredicateId,
    /// Its name as the language writes it.
    pub name: String,
    /// Number of its terms.
    pub arity: usize,
    /// Individuals, row after row, example after example.
    pub terms: Vec<u32>,
    /// By example: its first row; and the end of all.
    pub starts: Vec<u32>,
    /// By column, where there are two or more.
    columns: Vec<ColumnIndex>,
}

impl RelationFacts {
    /// Returns the individuals of a row.
    #[inline]
    pub fn row(&self, row: u32) -> &[u32] {
        let at = row as usize * self.arity;
        &self.terms[at..at + self.arity]
    }

    /// Returns how many facts there are.
    pub fn len(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    /// Tells whether there is no fact.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the rows with this individual in a column.
    #[inline]
    pub fn rows_with(&self, column: usize, individual: u32) -> &[u32] {
        self.columns[column].of(individual)
    }

    /// Returns the rows of an example.
    pub fn rows_of(&self, example: u32) -> std::ops::Range<u32> {
        self.starts[example as usize]..self.starts[example as usize + 1]
    }
}

/// A query: its example and the individuals that it is about.
#[derive(Clone, PartialEq, Debug)]
pub struct IndexedQuery {
    /// The example.
    pub example: u32,
    /// Its number in the example.
    pub number: u32,
    /// The individuals.
    pub terms: Vec<u32>,
    /// The target.
    pub target: f64,
}

/// The facts of all examples, and the queries of one predicate.
#[derive(Clone, Debug)]
pub struct FactIndex {
    /// The predicates that facts have, by name and arity.
    pub relations: Vec<RelationFacts>,
    /// By individual: the rank of its constant.
    pub values: Vec<u32>,
    /// The constants that occur, numbers in their order, then names by what is said of them, so that rules do not
    /// depend on how something is called; a rank is a place here.
    pub constants: Vec<Constant>,
    /// The name of the predicate that is asked for, as the language writes it.
    pub goal_name: String,
    /// By column of that predicate: the constant that stands in every head, or none.
    pub goal_constants: Vec<Option<String>>,
    /// The queries with targets.
    pub queries: Vec<IndexedQuery>,
    /// By individual: the relations with one term that hold of it, in ascending order.
    unary: ColumnIndex,
    /// By example: its first individual; and the end of all.
    individuals: Vec<u32>,
}

/// Gives numbers to constants in examples.
#[derive(Default)]
struct Numbering {
    known: FxHashMap<ConstantId, u32>,
    constants: Vec<ConstantId>,
}

impl Numbering {
    fn number(&mut self, constant: ConstantId) -> u32 {
        let next = self.constants.len() as u32;
        let number = *self.known.entry(constant).or_insert(next);
        if number == next {
            self.constants.push(constant);
        }
        number
    }
}

impl FactIndex {
    /// Indexes the facts of a dataset, and the queries of a goal that have a target. Facts of the goal's predicate are
    /// left out: they would give the answer away.
    pub fn new(dataset: &Dataset, goal: &Goal) -> Self {
        let vocabulary = &dataset.vocabulary;
        let mut relations = empty_relations(dataset, goal.predicate);
        let mut place = vec![usize::MAX; vocabulary.predicate_count()];
        relations.iter().enumerate().for_each(|(at, relation)| place[relation.predicate.index()] = at);
        let mut numbering = Numbering::default();
        let (mut queries, mut individuals) = (Vec::new(), vec![0]);
        for (number, example) in dataset.examples.iter().enumerate() {
            numbering.known.clear();
            for table in &example.tables {
                let Some(relation) = relations.get_mut(place[table.predicate.index()]) else { continue };
                relation.terms.extend(table.terms.iter().map(|&term| numbering.number(term)));
                *relation.starts.last_mut().expect("a beginning") += table.rows;
            }
            for (at, query) in dataset.queries[number].iter().enumerate() {
                if let (true, Some([target])) =
                    (goal.has(query.predicate, &query.terms), query.target.as_deref())
                {
                    let terms = goal.free(&query.terms).map(|term| numbering.number(term)).collect();
                    let (example, number) = (number as u32, at as u32);
                    queries.push(IndexedQuery { example, number, terms, target: *target });
                }
            }
            individuals.push(numbering.constants.len() as u32);
            for relation in &mut relations {
                relation.starts.push(*relation.starts.last().expect("a beginning"));
            }
        }
        for relation in &mut relations {
            // The last example was begun once too often, and each count stands one place too early.
            relation.starts.pop();
            relation.starts.insert(0, 0);
        }
        let signs = signs(&relations, &queries, &numbering.constants, vocabulary.constant_count());
        let (values, constants) = ranks(dataset, &numbering.constants, &signs);
        let text = |constant: &Option<ConstantId>| constant.map(|id| vocabulary.constant(id).to_string());
        let mut index = Self {
            relations,
            values,
            constants,
            goal_name: lrnn_name(&vocabulary.signature(goal.predicate).name),
            goal_constants: goal.constants.iter().map(text).collect(),
            queries,
            unary: ColumnIndex::default(),
            individuals,
        };
        index.build();
        index
    }

    /// Returns the same facts with some of the queries.
    pub(crate) fn with_queries(&self, numbers: &[usize]) -> Self {
        let queries = numbers.iter().map(|&number| self.queries[number].clone()).collect();
        Self { queries, ..self.clone() }
    }

    fn build(&mut self) {
        let count = self.values.len();
        for relation in &mut self.relations {
            let (arity, terms) = (relation.arity, &relation.terms);
            if arity > 1 {
                let column = |column: usize| terms[column..].iter().step_by(arity).copied();
                relation.columns = (0..arity).map(|at| ColumnIndex::new(count, column(at))).collect();
            }
        }
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (number, relation) in
            self.relations.iter().enumerate().filter(|(_, relation)| relation.arity == 1)
        {
            pairs.extend(relation.terms.iter().map(|&individual| (individual, number as u32)));
        }
        pairs.sort_unstable();
        self.unary = ColumnIndex::new(count, pairs.iter().map(|pair| pair.0));
        self.unary.rows = pairs.into_iter().map(|pair| pair.1).collect();
    }

    /// Returns the relations with one term that hold of an individual, in ascending order.
    #[inline]
    pub fn unary(&self, individual: u32) -> &[u32] {
        self.unary.of(individual)
    }

    /// Returns the individuals of an example.
    pub fn individuals(&self, example: u32) -> std::ops::Range<u32> {
        self.individuals[example as usize]..self.individuals[example as usize + 1]
    }

    /// Returns how many examples there are.
    pub fn example_count(&self) -> usize {
        self.individuals.len() - 1
    }

    /// Returns the head of a rule with these texts for its variables.
    pub fn head_text(&self, variables: &[String]) -> String {
        let mut variables = variables.iter();
        let terms: Vec<&str> = self
            .goal_constants
            .iter()
            .map(|constant| {
                constant.as_deref().or_else(|| variables.next().map(String::as_str)).unwrap_or("_")
            })
            .collect();
        if terms.is_empty() {
            self.goal_name.clone()
        } else {
            format!("{}({})", self.goal_name, terms.join(", "))
        }
    }

    /// Returns a word that no predicate of the data begins with: this one, with `_` behind it as often as need be.
    pub fn free_name(&self, word: &str) -> String {
        let mut name = word.to_owned();
        let names = || self.relations.iter().map(|relation| &relation.name).chain([&self.goal_name]);
        while names().any(|used| used.starts_with(&name)) {
            name.push('_');
        }
        name
    }

    /// Returns a query as text.
    pub fn query_text(&self, query: usize) -> String {
        let terms: Vec<String> =
            self.queries[query].terms.iter().map(|&term| self.constant(term).to_string()).collect();
        self.head_text(&terms)
    }

    /// Returns the constant of an individual.
    pub fn constant(&self, individual: u32) -> &Constant {
        &self.constants[self.values[individual as usize] as usize]
    }
}

/// Returns a name as the language writes it.
fn lrnn_name(name: &str) -> String {
    let mut text = String::new();
    let _ = lrnn::vocabulary::write_name(&mut text, name);
    text
}

/// Returns the predicates of facts in the order of their names, which is not that of the file.
fn empty_relations(dataset: &Dataset, target: PredicateId) -> Vec<RelationFacts> {
    let mut seen = vec![false; dataset.vocabulary.predicate_count()];
    for table in dataset.examples.iter().flat_map(|example| &example.tables) {
        seen[table.predicate.index()] = table.predicate != target || seen[table.predicate.index()];
    }
    let known = dataset.vocabulary.predicates().filter(|(id, _)| seen[id.index()]);
    let mut relations: Vec<RelationFacts> = known
        .map(|(predicate, signature)| RelationFacts {
            predicate,
            name: lrnn_name(&signature.name),
            arity: signature.arity as usize,
            terms: Vec::new(),
            starts: vec![0],
            columns: Vec::new(),
        })
        .collect();
    relations.sort_by(|one, other| (&one.name, one.arity).cmp(&(&other.name, other.arity)));
    relations
}

/// Returns a number for each constant that tells by what facts and queries it stands in, whatever it is called and in
/// whatever order facts come.
fn signs(
    relations: &[RelationFacts],
    queries: &[IndexedQuery],
    individuals: &[ConstantId],
    constants: usize,
) -> Vec<u64> {
    let of = |individual: u32| individuals[individual as usize].0 as usize;
    let mut signs = vec![0_u64; constants];
    let add = |signs: &mut [u64], individual: u32, mark: u64| {
        let sign = &mut signs[of(individual)];
        *sign = sign.wrapping_add(mark);
    };
    for (number, query) in queries.iter().enumerate() {
        for (column, &term) in query.terms.iter().enumerate() {
            add(&mut signs, term, mark(&[u64::MAX, column as u64, number as u64]));
        }
    }
    for _ in 0..2 {
        let mut next = signs.clone();
        for (number, relation) in relations.iter().enumerate() {
            for example in 0..relation.starts.len() as u32 - 1 {
                for row in relation.rows_of(example).map(|row| relation.row(row)) {
                    let mut words = vec![0, number as u64, u64::from(example)];
                    words.extend(row.iter().map(|&term| signs[of(term)]));
                    for (column, &term) in row.iter().enumerate() {
                        words[0] = column as u64;
                        add(&mut next, term, mark(&words));
                    }
                }
            }
        }
        signs = next;
    }
    signs
}

pub(crate) fn mark(words: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    words.hash(&mut hasher);
    hasher.finish()
}

/// Returns the rank of each individual's constant, and the constants by rank: numbers and dates in their order,
/// other names by their signs.
fn ranks(dataset: &Dataset, individuals: &[ConstantId], signs: &[u64]) -> (Vec<u32>, Vec<Constant>) {
    let constant = |id: ConstantId| dataset.vocabulary.constant(id);
    let mut used = individuals.to_vec();
    used.sort_unstable_by_key(|id| id.0);
    used.dedup();
    let key = |id: ConstantId| match constant(id) {
        name if is_date(&name) => (1, 0),
        Constant::Name(_) => (2, signs[id.0 as usize]),
        _ => (0, 0),
    };
    used.sort_by(|&one, &other| {
        key(one).cmp(&key(other)).then_with(|| dataset.vocabulary.compare(one, other))
    });
    let mut rank = vec![0; dataset.vocabulary.constant_count()];
    used.iter().enumerate().for_each(|(at, id)| rank[id.0 as usize] = at as u32);
    let values = individuals.iter().map(|id| rank[id.0 as usize]).collect();
    (values, used.into_iter().map(constant).collect())
}
