//! The search for one clause: a beam through the lattice, level by level, with a look ahead over literals that only
//! bring variables.

use std::cmp::Ordering;
use std::sync::Arc;

use lrnn::Error;
use lrnn::threads::try_each;
use rustc_hash::FxHashSet;

use crate::budget::SearchBudget;
use crate::clause::LatticeClause;
use crate::coverage::Coverage;
use crate::lattice::Lattice;

/// Options of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SearchOptions {
    /// Clauses that are kept at each level.
    pub beam: usize,
    /// Levels: literals that test something, in one clause.
    pub levels: usize,
    /// So many literals that only bring variables are looked beyond.
    pub look_ahead: usize,
    /// Least number of training queries that a clause covers, and that it does not cover.
    pub min_support: u32,
    /// Score that each literal after the first must add, from 0.
    pub literal_cost: f64,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { beam: 10, levels: 4, look_ahead: 2, min_support: 4, literal_cost: 0.0 }
    }
}

/// Judges what clauses cover.
pub trait Judge: Sync {
    /// Returns how good a clause with this coverage is, none if it must not be taken.
    fn score(&self, coverage: &Coverage) -> Option<f64>;

    /// Returns a number that no refinement of a clause with this coverage can pass.
    fn bound(&self, _coverage: &Coverage) -> f64 {
        f64::INFINITY
    }
}

/// A clause with its score.
#[derive(Clone, Debug)]
pub struct ScoredClause {
    /// The clause in its one form.
    pub clause: LatticeClause,
    /// The queries that it covers.
    pub coverage: Arc<Coverage>,
    /// Its score, less what its literals cost.
    pub score: f64,
}

impl ScoredClause {
    /// Compares: the higher score first, then the fewer literals, then the order of what they cover and of clauses.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let size = |one: &Self| one.clause.body.len();
        other
            .score
            .total_cmp(&self.score)
            .then_with(|| size(self).cmp(&size(other)))
            .then_with(|| self.coverage.mark().cmp(&other.coverage.mark()))
            .then_with(|| self.clause.cmp(&other.clause))
    }
}

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub struct SearchResult {
    /// The best clauses, the best first.
    pub best: Vec<ScoredClause>,
    /// Number of clauses that were compared.
    pub compared: u64,
}

/// The refinements of one clause, those beyond structural literals among them.
struct SearchLevel {
    compared: usize,
    /// Steps that it took to find all of them, and takes to compare them.
    steps: (u64, u64),
    /// The best that test something.
    tests: Vec<ScoredClause>,
    /// Those that only bring variables.
    structural: Vec<LatticeClause>,
}

/// So many covered queries are summed up in one step.
const COVERED_IN_STEP: u64 = 4;
/// So many of the best refinements of one clause are looked at at most.
const MOST_KEPT: usize = 20;

/// Finds the best clause, and behind it others with different coverage that it met, `count` in all at most. The search
/// begins at the clause without a body, and at those that are known already, which may be worth refining though they
/// must not be taken. Where the budget is spent, no more clauses with a body are refined.
pub fn search(
    lattice: &Lattice,
    judge: &impl Judge,
    options: &SearchOptions,
    count: usize,
    known: &[&LatticeClause],
    budget: &mut SearchBudget,
) -> Result<SearchResult, Error> {
    let mut best: Vec<ScoredClause> = Vec::new();
    let mut compared = 0;
    let mut beam: Vec<LatticeClause> = vec![lattice.root()];
    beam.extend(known.iter().copied().cloned());
    let mut seen: FxHashSet<LatticeClause> = beam.iter().cloned().collect();
    for _ in 0..options.levels {
        let keep = options.beam.max(count.min(MOST_KEPT));
        let first = |best: &[ScoredClause]| best.first().map_or(f64::NEG_INFINITY, |best| best.score);
        let floor = first(&best);
        let mut levels: Vec<SearchLevel> = Vec::new();
        while levels.len() < beam.len() {
            let rest = &beam[levels.len()..];
            // What lies ahead of the clause without a body is always looked at, as far as it goes.
            let is_root = rest[0].body.is_empty();
            let part = if is_root { 1 } else { budget.next_part(rest.len()) };
            if part == 0 {
                budget.count.left_out += rest.len() as u64;
                break;
            }
            let reach = if is_root { usize::MAX } else { budget.reach() };
            let found = try_each(&rest[..part], |clause| {
                look(lattice, judge, options, (clause, reach), keep, floor)
            })?;
            budget.pay(rest.iter().zip(&found).map(|(clause, level)| (clause, level.steps)));
            levels.extend(found);
        }
        let (mut tests, mut structural) = (Vec::new(), Vec::new());
        for level in levels {
            compared += level.compared as u64;
            tests.extend(level.tests);
            structural.extend(level.structural);
        }
        tests.sort_by(ScoredClause::compare);
        let tests = different(tests, usize::MAX);
        best.extend(tests.iter().take(count).cloned());
        best.sort_by(ScoredClause::compare);
        best = different(best, count);
        let floor = first(&best);
        beam = Vec::new();
        let promising = tests
            .into_iter()
            .filter(|found| found.clause.count.is_none() && judge.bound(&found.coverage) > floor);
        for clause in promising.map(|found| found.clause).take(options.beam) {
            if seen.insert(clause.clone()) {
                beam.push(clause);
            }
        }
        let mut kept = 0;
        for clause in structural {
            if kept < options.beam / 2 && seen.insert(clause.clone()) {
                beam.push(clause);
                kept += 1;
            }
        }
        if beam.is_empty() {
            break;
        }
    }
    lattice.count_compared(compared);
    Ok(SearchResult { best, compared })
}

/// Returns the first clauses, one of all that cover the same.
fn different(sorted: Vec<ScoredClause>, count: usize) -> Vec<ScoredClause> {
    let mut marks = FxHashSet::default();
    sorted.into_iter().filter(|found| marks.insert(found.coverage.mark())).take(count).collect()
}

/// Returns the best that lies ahead of a clause.
fn look(
    lattice: &Lattice,
    judge: &impl Judge,
    options: &SearchOptions,
    (clause, reach): (&LatticeClause, usize),
    keep: usize,
    floor: f64,
) -> Result<SearchLevel, Error> {
    let outlook = lattice.outlook(clause, options.look_ahead, reach)?;
    let mut candidates: Vec<(f64, u64, usize)> = Vec::new();
    let mut compared = 0;
    for (at, coverage) in outlook.coverages().enumerate() {
        compared += 1;
        let score = judge.score(coverage);
        let cost = options.literal_cost * (outlook.literals(at) - 1) as f64;
        candidates.extend(score.map(|score| (score - cost, coverage.mark(), at)));
    }
    // The form of a clause costs more than its score: only the best need theirs.
    candidates.sort_by(|one, other| other.0.total_cmp(&one.0).then((one.1, one.2).cmp(&(other.1, other.2))));
    // Those that count have no refinements: they must not stand in the way of others.
    let (mut last, mut kept) = (0, 0);
    candidates.retain(|candidate| {
        let count = if outlook.is_last(candidate.2) { &mut last } else { &mut kept };
        *count += 1;
        *count <= keep
    });
    let found = |(score, _, at): (f64, u64, usize)| {
        let (clause, coverage) = outlook.clause(lattice, at);
        ScoredClause { clause, coverage, score }
    };
    let structural = outlook.structural.iter().filter(|(_, coverage)| judge.bound(coverage) > floor);
    Ok(SearchLevel {
        compared,
        steps: (outlook.steps, outlook.covered / COVERED_IN_STEP + compared as u64),
        tests: candidates.into_iter().map(found).collect(),
        structural: structural.map(|(clause, _)| clause.clone()).collect(),
    })
}
