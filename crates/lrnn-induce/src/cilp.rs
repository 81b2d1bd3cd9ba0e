//! CILP++: the literals of the bottom clause of each query as features of a network with one hidden layer.
//!
//! A bottom clause says all that is true of a query, with individuals as variables in the order in which they are met: so
//! it depends on the order of facts, which is drawn by chance here.

use lrnn::Error;
use lrnn::function::math;
use lrnn::train::shuffled;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::FactIndex;
use crate::growth::Grower;
use crate::lattice::Lattice;

/// Steps from the individuals of a query to those that a bottom clause speaks of.
const DEPTH: usize = 2;
/// Most literals of a bottom clause.
const LITERALS: usize = 2000;
/// Hidden neurons, as in the configuration of CILP++ without background clauses.
const HIDDEN: usize = 2;
const EPOCHS: usize = 200;
const PATIENCE: usize = 20;
const LEARNING_RATE: f64 = 0.1;
/// One in so many training queries is held out to stop by.
const HELD_OUT: usize = 8;
/// Streams of random orders.
const FACT_ORDER: u64 = 23;
const QUERY_ORDER: u64 = 24;
const START: u64 = 25;

/// A literal of a bottom clause: its relation, then twice the number of each variable, or twice the rank of each
/// constant and one.
type BottomLiteral = Vec<u32>;

/// Returns the literals of the bottom clause of a query.
fn bottom(lattice: &Lattice, query: usize, ranks: &[Vec<usize>]) -> Vec<BottomLiteral> {
    let (facts, bias) = (lattice.facts(), lattice.bias());
    let asked = &facts.queries[query];
    let mut variables: FxHashMap<u32, u32> = FxHashMap::default();
    asked.terms.iter().for_each(|&term| {
        let next = variables.len() as u32;
        variables.entry(term).or_insert(next);
    });
    let (mut literals, mut seen) = (Vec::new(), FxHashSet::default());
    let mut edge: Vec<u32> = asked.terms.clone();
    for depth in 0..DEPTH {
        let mut rows = if depth == 0 && edge.is_empty() {
            rows_of(facts, asked.example)
        } else {
            rows_about(facts, &edge)
        };
        rows.retain(|row| seen.insert(*row));
        rows.sort_by_key(|&(relation, row)| (ranks[relation][row as usize], relation));
        rows.truncate(LITERALS - literals.len());
        edge.clear();
        for (relation, row) in rows {
            let mut literal = vec![relation as u32];
            let terms = if facts.relations[relation].arity == 1 {
                &[row][..]
            } else {
                facts.relations[relation].row(row)
            };
            for (&individual, &kind) in terms.iter().zip(&bias.relations[relation].types) {
                literal.push(match bias.types[kind as usize].values {
                    true => 2 * facts.values[individual as usize] + 1,
                    false => {
                        let next = variables.len() as u32;
                        let number = *variables.entry(individual).or_insert(next);
                        if number == next {
                            edge.push(individual);
                        }
                        2 * number
                    }
                });
            }
            literals.push(literal);
        }
    }
    literals
}

/// A relation with a row of it; of a relation with one term, with the individual itself.
type BottomRow = (usize, u32);

fn rows_of(facts: &FactIndex, example: u32) -> Vec<BottomRow> {
    let rows = |at: usize| {
        let relation = &facts.relations[at];
        let place = move |row: u32| if relation.arity == 1 { relation.row(row)[0] } else { row };
        relation.rows_of(example).map(move |row| (at, place(row)))
    };
    (0..facts.relations.len()).flat_map(rows).collect()
}

fn rows_about(facts: &FactIndex, individuals: &[u32]) -> Vec<BottomRow> {
    let mut rows = Vec::new();
    for &individual in individuals {
        for (at, relation) in facts.relations.iter().enumerate().filter(|(_, relation)| relation.arity > 1) {
            for column in 0..relation.arity {
                rows.extend(relation.rows_with(column, individual).iter().map(|&row| (at, row)));
            }
        }
        rows.extend(facts.unary(individual).iter().map(|&at| (at as usize, individual)));
    }
    rows
}

/// Returns the features of each query: the literals that the bottom clauses of two training queries share.
fn features(grower: &Grower<'_>, training: &[usize]) -> (Vec<Vec<u32>>, usize) {
    let facts = grower.lattice.facts();
    let seed = grower.options.seed;
    let rank = |(at, relation): (usize, &crate::facts::RelationFacts)| {
        let count = if relation.arity == 1 { facts.values.len() } else { relation.len() };
        let mut ranks = vec![0; count];
        let order = shuffled(count, &[seed, FACT_ORDER, at as u64]);
        order.into_iter().enumerate().for_each(|(rank, row)| ranks[row] = rank);
        ranks
    };
    let ranks: Vec<Vec<usize>> = facts.relations.iter().enumerate().map(rank).collect();
    let clauses: Vec<Vec<BottomLiteral>> =
        (0..facts.queries.len()).map(|query| bottom(grower.lattice, query, &ranks)).collect();
    let mut uses: FxHashMap<&BottomLiteral, u32> = FxHashMap::default();
    for &query in training {
        clauses[query]
            .iter()
            .collect::<FxHashSet<_>>()
            .into_iter()
            .for_each(|literal| *uses.entry(literal).or_default() += 1);
    }
    let mut shared: Vec<&BottomLiteral> =
        uses.into_iter().filter(|(_, uses)| *uses > 1).map(|(literal, _)| literal).collect();
    shared.sort_unstable();
    let row = |clause: &Vec<BottomLiteral>| {
        let mut row: Vec<u32> = clause
            .iter()
            .filter_map(|literal| shared.binary_search(&literal).ok())
            .map(|at| at as u32)
            .collect();
        row.sort_unstable();
        row.dedup();
        row
    };
    (clauses.iter().map(row).collect(), shared.len())
}

/// A network from features through tanh to one sum.
#[derive(Clone)]
struct HiddenNetwork {
    /// By feature: a weight to each hidden neuron.
    first: Vec<[f64; HIDDEN]>,
    offsets: [f64; HIDDEN],
    second: [f64; HIDDEN],
    offset: f64,
}

impl HiddenNetwork {
    fn new(features: usize, seed: u64) -> Self {
        let draw = |at: usize| shuffled(2001, &[seed, START, at as u64])[0] as f64 / 1000.0 - 1.0;
        let scale = 0.3;
        let row = |at: usize| std::array::from_fn(|neuron| scale * draw(at * HIDDEN + neuron));
        Self {
            first: (0..features).map(row).collect(),
            offsets: [0.0; HIDDEN],
            second: std::array::from_fn(|neuron| draw(features * HIDDEN + neuron)),
            offset: 0.0,
        }
    }

    fn hidden(&self, row: &[u32]) -> [f64; HIDDEN] {
        let mut sums = self.offsets;
        for &feature in row {
            (0..HIDDEN).for_each(|neuron| sums[neuron] += self.first[feature as usize][neuron]);
        }
        sums.map(math::tanh)
    }

    fn sum(&self, row: &[u32]) -> f64 {
        self.offset
            + self.hidden(row).iter().zip(&self.second).map(|(value, weight)| value * weight).sum::<f64>()
    }

    /// Steps down the gradient of the loss of one query.
    fn step(&mut self, row: &[u32], target: f64) {
        let hidden = self.hidden(row);
        let sum =
            self.offset + hidden.iter().zip(&self.second).map(|(value, weight)| value * weight).sum::<f64>();
        let slope = LEARNING_RATE * (target - math::sigmoid(sum));
        self.offset += slope;
        for (neuron, value) in hidden.into_iter().enumerate() {
            let inner = slope * self.second[neuron] * (1.0 - value * value);
            self.second[neuron] += slope * value;
            self.offsets[neuron] += inner;
            row.iter().for_each(|&feature| self.first[feature as usize][neuron] += inner);
        }
    }
}

/// Learns a network from some queries: returns the sum of each query, and how many features there are.
pub(crate) fn learn(grower: &Grower<'_>, training: &[usize]) -> Result<(Vec<f64>, usize), Error> {
    let (rows, count) = features(grower, training);
    let seed = grower.options.seed;
    let mut order: Vec<usize> =
        shuffled(training.len(), &[seed, QUERY_ORDER]).into_iter().map(|at| training[at]).collect();
    let held = order.split_off(order.len() - order.len() / HELD_OUT);
    let mut network = HiddenNetwork::new(count, seed);
    let loss = |network: &HiddenNetwork| -> f64 {
        held.iter().map(|&query| grower.kind.loss(network.sum(&rows[query]), grower.targets[query])).sum()
    };
    let (mut best, mut since) = ((loss(&network), network.clone()), 0);
    for epoch in 0..EPOCHS {
        grower.lattice.check_stop()?;
        for at in shuffled(order.len(), &[seed, QUERY_ORDER, epoch as u64 + 1]) {
            network.step(&rows[order[at]], grower.targets[order[at]]);
        }
        since += 1;
        let found = loss(&network);
        if found < best.0 {
            (best, since) = ((found, network.clone()), 0);
        }
        if since == PATIENCE {
            break;
        }
    }
    Ok((rows.iter().map(|row| best.1.sum(row)).collect(), count))
}
