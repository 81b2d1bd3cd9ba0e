//! One relation as a problem of its own: the pairs to learn from, and the rules that may speak of them.

use lrnn::Stop;
use lrnn::function::math::sigmoid;
use lrnn::network::mix;
use rustc_hash::FxHashSet;

use crate::completion::{CompletionOptions, CompletionSetting, Negatives, RuleCombination};
use crate::knowledge_base::{KnowledgeBase, Triple};
use crate::likeness::{GradedColumn, Likeness};
use crate::logistic::{Design, RuleWeights};
use crate::long_path::{Middle, propose};
use crate::path::{Graph, Pair, Path, PathPairs, ShortPaths};
use crate::rank::{KnownTriples, Side, TripleRank};

/// The graph of known triples with its paths, shared by all relations.
#[derive(Debug)]
pub struct SharedGraph {
    /// The graph.
    pub graph: Graph,
    /// Its paths of one and two steps.
    pub short: ShortPaths,
    /// The way to those of three, if they are asked for.
    pub middle: Option<Middle>,
    /// The likeness of its entities.
    pub likeness: Likeness,
    /// All known triples, for filters.
    pub known: KnownTriples,
}

impl SharedGraph {
    /// Finds the paths of a knowledge base.
    pub fn new(knowledge: &KnowledgeBase, options: &CompletionOptions) -> Self {
        let graph = Graph::new(knowledge);
        let short = ShortPaths::new(&graph, options.length, options.limits);
        let middle = (options.length > 2).then(|| Middle::new(&graph));
        let likeness = Likeness::new(&graph, knowledge, options.negatives);
        Self { short, middle, likeness, known: KnownTriples::new(knowledge), graph }
    }
}

/// A path that may become a rule.
#[derive(Debug)]
struct CandidatePath {
    path: Path,
    /// The rows that it covers.
    rows: Vec<u32>,
}

/// One relation with its rows and candidates.
#[derive(Debug)]
pub struct RelationProblem<'a> {
    shared: &'a SharedGraph,
    relation: u32,
    /// Pairs in order.
    pairs: Vec<Pair>,
    counts: Vec<f64>,
    targets: Vec<f64>,
    /// The best first.
    candidates: Vec<CandidatePath>,
    /// Reasons of likeness.
    graded: Vec<GradedColumn>,
}

/// The rules of a relation with their weights.
#[derive(Clone, Debug, Default)]
pub struct FittedRelation {
    /// The paths, in the order of their weights.
    pub paths: Vec<Path>,
    /// Their numbers among the candidates.
    chosen: Vec<usize>,
    /// The weights.
    pub weights: RuleWeights,
}

/// Fewest known triples that a path joins.
const MIN_SUPPORT: usize = 2;
/// Pairs that a path must join which joins no known triple.
const MIN_ABSENCE: usize = 20;
/// The stream of random pairs.
const PAIRS: u64 = 33;

impl<'a> RelationProblem<'a> {
    /// Gathers pairs and candidates for a relation.
    pub fn new(
        knowledge: &KnowledgeBase,
        shared: &'a SharedGraph,
        relation: u32,
        options: &CompletionOptions,
        stop: &Stop,
    ) -> Self {
        let known: Vec<Pair> = known_pairs(knowledge, relation);
        let is_full = options.negatives.takes_all(knowledge.entities.len());
        let own = Path::new(&[relation]);
        let long: Vec<PathPairs> = match &shared.middle {
            Some(middle) if !known.is_empty() => propose(&shared.graph, middle, &known, options.seed)
                .into_iter()
                .filter_map(|path| shared.graph.pairs(path, options.limits.pairs))
                .collect(),
            _ => Vec::new(),
        };
        let is_candidate = |path: &&PathPairs| {
            let support = known.iter().filter(|pair| path.pairs.binary_search(pair).is_ok()).count();
            path.path != own && (support >= MIN_SUPPORT || (is_full && path.pairs.len() >= MIN_ABSENCE))
        };
        let paths: Vec<&PathPairs> = match known.is_empty() {
            true => Vec::new(),
            false => shared.short.paths.iter().chain(&long).filter(is_candidate).collect(),
        };
        let joined = paths.iter().flat_map(|path| path.pairs.iter().copied());
        let joined = joined.chain(shared.likeness.pairs(&known));
        let (pairs, counts) = rows(knowledge.entities.len(), joined, &known, relation, options);
        let targets =
            pairs.iter().map(|pair| f64::from(u8::from(known.binary_search(pair).is_ok()))).collect();
        let candidates = paths.iter().map(|path| CandidatePath {
            path: path.path,
            rows: rows_of(&pairs, &path.pairs, is_full.then_some(knowledge.entities.len())),
        });
        let candidates = candidates.collect();
        let graded = match known.is_empty() {
            true => Vec::new(),
            false => shared.likeness.columns(&shared.graph, relation, &pairs),
        };
        let mut problem = Self { shared, relation, pairs, counts, targets, candidates, graded };
        problem.order_candidates(stop);
        problem
    }

    /// Puts the candidates in the order of what each alone would gain, equal ones once, the shorter path first.
    fn order_candidates(&mut self, stop: &Stop) {
        let design = self.design(Vec::new(), false, 1.0);
        let fitted = design.fit(stop);
        let sums = design.sums(&flat(&fitted));
        let parts: Vec<(f64, f64)> = (0..sums.len())
            .map(|row| {
                let answer = sigmoid(sums[row]);
                (self.counts[row] * (self.targets[row] - answer), self.counts[row] * answer * (1.0 - answer))
            })
            .collect();
        let gain = |candidate: &CandidatePath| {
            let (mut slope, mut curvature) = (0.0, 1.0);
            for &row in &candidate.rows {
                slope += parts[row as usize].0;
                curvature += parts[row as usize].1;
            }
            slope * slope / curvature
        };
        let mut scored: Vec<(f64, CandidatePath)> =
            std::mem::take(&mut self.candidates).into_iter().map(|it| (gain(&it), it)).collect();
        scored.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.path.cmp(&other.1.path)));
        let mut seen = FxHashSet::default();
        scored.retain(|(_, candidate)| seen.insert(mark(&candidate.rows)));
        self.candidates = scored.into_iter().map(|(_, candidate)| candidate).collect();
    }

    fn design<'b>(&'b self, columns: Vec<&'b [u32]>, with_likeness: bool, l2: f64) -> Design<'b> {
        Design {
            pairs: &self.pairs,
            counts: &self.counts,
            targets: &self.targets,
            entities: self.shared.graph.entities(),
            columns,
            graded: if with_likeness { &self.graded } else { &[] },
            l2,
        }
    }

    fn chosen(&self, setting: &CompletionSetting) -> Vec<usize> {
        let fits = |&at: &usize| self.candidates[at].path.steps().len() <= setting.length as usize;
        (0..self.candidates.len()).filter(fits).take(setting.rules).collect()
    }

    /// Fits the weights under a setting; they have the digits that a template shows.
    pub fn fit(&self, setting: &CompletionSetting, stop: &Stop) -> FittedRelation {
        let chosen = self.chosen(setting);
        if self.targets.iter().all(|&target| target == 0.0) {
            return FittedRelation::default();
        }
        let columns = chosen.iter().map(|&at| self.candidates[at].rows.as_slice()).collect();
        let design = self.design(columns, setting.likeness, setting.l2);
        let weights = shown(match setting.combination {
            RuleCombination::Logistic => design.fit(stop),
            RuleCombination::NoisyOr => design.confidences(),
        });
        let paths = chosen.iter().map(|&at| self.candidates[at].path).collect();
        FittedRelation { paths, chosen, weights }
    }

    /// Returns the scores of all pairs under some weights.
    pub fn scores(&self, fitted: &FittedRelation) -> PairScores<'_> {
        let rows = |&at: &usize| self.candidates[at].rows.as_slice();
        let with_likeness = !fitted.weights.likeness.is_empty();
        let design = self.design(fitted.chosen.iter().map(rows).collect(), with_likeness, 0.0);
        let mut parameters = flat(&fitted.weights);
        // A relation without known triples has no weights.
        parameters.resize(design.size(), 0.0);
        let sums = design.sums(&parameters);
        let mut by_tail: Vec<u32> = (0..self.pairs.len() as u32).collect();
        by_tail.sort_by_key(|&row| (self.pairs[row as usize].1, row));
        PairScores { problem: self, design, parameters, sums, by_tail }
    }
}

/// The scores of all pairs for one relation.
#[derive(Debug)]
pub struct PairScores<'a> {
    problem: &'a RelationProblem<'a>,
    design: Design<'a>,
    parameters: Vec<f64>,
    /// By row.
    sums: Vec<f64>,
    /// Rows in the order of their tails.
    by_tail: Vec<u32>,
}

impl PairScores<'_> {
    /// Returns the scores of all entities as the missing end of a triple.
    fn of(&self, triple: Triple, side: Side) -> Vec<f64> {
        let pairs = &self.problem.pairs;
        let pair = |other: u32| if side == Side::Tail { (triple.head, other) } else { (other, triple.tail) };
        let entities = 0..self.design.entities as u32;
        let mut scores: Vec<f64> =
            entities.map(|other| self.design.base(&self.parameters, pair(other))).collect();
        if side == Side::Tail {
            let start = pairs.partition_point(|pair| pair.0 < triple.head);
            let rows = pairs[start..].iter().zip(&self.sums[start..]);
            rows.take_while(|(pair, _)| pair.0 == triple.head)
                .for_each(|(pair, sum)| scores[pair.1 as usize] = *sum);
        } else {
            let tail = |row: u32| pairs[row as usize].1;
            let start = self.by_tail.partition_point(|&row| tail(row) < triple.tail);
            let rows = self.by_tail[start..].iter().take_while(|&&row| tail(row) == triple.tail);
            rows.for_each(|&row| scores[pairs[row as usize].0 as usize] = self.sums[row as usize]);
        }
        scores
    }

    /// Ranks triples of this relation from both ends.
    pub fn ranks(&self, triples: &[Triple]) -> Vec<TripleRank> {
        let known = &self.problem.shared.known;
        let rank = |triple: Triple, side: Side| known.rank(triple, side, &self.of(triple, side));
        let own = triples.iter().filter(|triple| triple.relation == self.problem.relation);
        own.map(|&triple| TripleRank {
            triple,
            head: rank(triple, Side::Head),
            tail: rank(triple, Side::Tail),
        })
        .collect()
    }

    /// Returns the pairs of highest score that are not known, with their scores, the best first.
    pub fn best(&self, count: usize) -> Vec<(f64, Pair)> {
        let rows = 0..self.sums.len();
        let mut found: Vec<(f64, Pair)> = rows
            .filter(|&row| self.problem.targets[row] == 0.0)
            .map(|row| (self.sums[row], self.problem.pairs[row]))
            .collect();
        found.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        found.truncate(count);
        found
    }
}

fn known_pairs(knowledge: &KnowledgeBase, relation: u32) -> Vec<Pair> {
    let own = knowledge.train.iter().filter(|triple| triple.relation == relation);
    own.map(|triple| (triple.head, triple.tail)).collect()
}

/// Returns the pairs to learn from, in order, and how often each counts: all there are; or those that something joins
/// and the known ones, with some at random that stand for all others.
fn rows(
    entities: usize,
    joined: impl Iterator<Item = Pair>,
    known: &[Pair],
    relation: u32,
    options: &CompletionOptions,
) -> (Vec<Pair>, Vec<f64>) {
    let count = match options.negatives {
        Negatives::Sampled(count) if !options.negatives.takes_all(entities) => count,
        _ => {
            let pairs: Vec<Pair> = (0..entities as u32)
                .flat_map(|head| (0..entities as u32).map(move |tail| (head, tail)))
                .collect();
            let counts = vec![1.0; pairs.len()];
            return (pairs, counts);
        }
    };
    let mut pairs: Vec<Pair> = joined.collect();
    pairs.extend(known);
    pairs.sort_unstable();
    pairs.dedup();
    let covered = pairs.len();
    let mut state = mix(options.seed ^ mix(PAIRS ^ mix(u64::from(relation))));
    let mut draw = || {
        state = mix(state);
        ((u128::from(state) * entities as u128) >> 64) as u32
    };
    let mut others: Vec<Pair> = (0..count).map(|_| (draw(), draw())).collect();
    others.sort_unstable();
    others.dedup();
    others.retain(|pair| pairs.binary_search(pair).is_err());
    let rest = (entities * entities - covered) as f64 / others.len().max(1) as f64;
    let mut all: Vec<(Pair, f64)> = pairs.into_iter().map(|pair| (pair, 1.0)).collect();
    all.extend(others.into_iter().map(|pair| (pair, rest)));
    all.sort_unstable_by_key(|row| row.0);
    all.into_iter().unzip()
}

/// Returns the rows of some pairs; where all pairs have a row, they need not be looked for.
fn rows_of(all: &[Pair], pairs: &[Pair], full: Option<usize>) -> Vec<u32> {
    match full {
        Some(entities) => pairs.iter().map(|&(head, tail)| head * entities as u32 + tail).collect(),
        None => pairs.iter().filter_map(|pair| all.binary_search(pair).ok()).map(|row| row as u32).collect(),
    }
}

/// Returns a number that equal lists of rows have in common, and others do not.
fn mark(rows: &[u32]) -> [u64; 2] {
    let start = [rows.len() as u64, !(rows.len() as u64)];
    rows.iter().fold(start, |marks, &row| marks.map(|mark_so_far| mix(mark_so_far ^ u64::from(row))))
}

/// Returns weights as the parameters of a design.
fn flat(weights: &RuleWeights) -> Vec<f64> {
    let RuleWeights { intercept, entities, paths, likeness } = weights;
    let parts = [&entities[0], &entities[1], paths, likeness];
    std::iter::once(*intercept).chain(parts.into_iter().flatten().copied()).collect()
}

/// Weights that are smaller than this are none.
const SMALLEST: f64 = 0.005;

/// Returns weights with three digits behind the point, as a template shows them, so that it says what was ranked.
fn shown(weights: RuleWeights) -> RuleWeights {
    let rounded =
        |weight: f64| if weight.abs() < SMALLEST { 0.0 } else { (weight * 1000.0).round() / 1000.0 };
    let all = |weights: Vec<f64>| weights.into_iter().map(rounded).collect();
    RuleWeights {
        intercept: rounded(weights.intercept),
        entities: weights.entities.map(all),
        paths: all(weights.paths),
        likeness: all(weights.likeness),
    }
}
