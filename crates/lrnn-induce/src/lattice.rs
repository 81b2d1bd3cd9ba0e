//! The lattice of clauses. It grows lazily and knows no targets, so that all rounds, folds, settings and methods share
//! it: the refinements of a clause are found once.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lrnn::{Error, ErrorKind, Stop};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bias::Bias;
use crate::clause::{LatticeClause, LatticeLiteral};
use crate::counter::SearchCounter;
use crate::coverage::Coverage;
use crate::expansion::{Expander, Refinement};
use crate::facts::FactIndex;
use crate::join::{Matcher, Substitutions};

/// The limits of a lattice.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LatticeLimits {
    /// Refinements that cover fewer queries are left out.
    pub min_support: u32,
    /// Most literals of a clause.
    pub literals: usize,
    /// Most variables of a clause.
    pub variables: usize,
    /// Most numbers in the substitutions of one clause, for each query; clauses with more are not refined.
    pub substitutions: usize,
    /// Most numbers in all substitutions beyond literals that only bring variables, ahead of one clause, for each query;
    /// the largest are left out first, and what lies beyond them is not looked at. Individuals of which more is known
    /// than a substitution has numbers, such as pages with their words, count for more.
    pub ahead: usize,
    /// Most clauses that are looked at ahead of one clause; where there are more, it looks less far.
    pub outlook: usize,
    /// Most bytes of refinements that are kept; beyond, those that were not used for longest are found again.
    pub bytes: usize,
    /// True if literals may be negated.
    pub negation: bool,
    /// True if clauses may ask for several individuals.
    pub counts: bool,
}

impl Default for LatticeLimits {
    fn default() -> Self {
        Self {
            min_support: 4,
            literals: 10,
            variables: 10,
            substitutions: 8_000,
            ahead: 4_000,
            outlook: 20_000,
            bytes: 1_500_000_000,
            negation: false,
            counts: true,
        }
    }
}

/// So many numbers in substitutions are never too many.
const FEW_NUMBERS: usize = 1_000_000;
/// Most numbers in the substitutions of a clause that is not refined.
const MOST_NUMBERS: usize = 400_000_000;

/// A clause, the literals that only bring variables and may lie between it and what lies ahead, and most numbers in the
/// substitutions of these.
type OutlookKey = (LatticeClause, usize, usize);

/// The place of an outlook, with when it was used last.
type OutlookCell = (Arc<OnceLock<Arc<Outlook>>>, u64);

/// The outlook of a clause: its refinements that test something, and those beyond literals that only bring
/// variables; one of all that cover the same.
#[derive(Debug, Default)]
pub struct Outlook {
    /// The clauses that were refined.
    parents: Vec<(LatticeClause, Vec<Refinement>)>,
    /// The coverage of each, with its parent and its number there.
    ahead: Vec<(Arc<Coverage>, u32, u32)>,
    /// The refinements of the clause itself that only bring variables, with what they cover.
    pub structural: Vec<(LatticeClause, Arc<Coverage>)>,
    /// Steps that it took to find all of it.
    pub(crate) steps: u64,
    /// Sum of how many queries each covers.
    pub(crate) covered: u64,
}

impl Outlook {
    /// Returns what each covers.
    pub fn coverages(&self) -> impl Iterator<Item = &Arc<Coverage>> {
        self.ahead.iter().map(|(coverage, ..)| coverage)
    }

    /// Returns the number of literals of one of them.
    pub fn literals(&self, at: usize) -> usize {
        self.parents[self.ahead[at].1 as usize].0.body.len() + 1
    }

    /// Tells whether one of them counts individuals, and so has no refinements.
    pub fn is_last(&self, at: usize) -> bool {
        let (_, parent, number) = self.ahead[at];
        self.parents[parent as usize].1[number as usize].count.is_some()
    }

    /// Returns about how many bytes it takes beside the sets that it covers.
    fn bytes(&self) -> usize {
        let refinements: usize = self.parents.iter().map(|(_, found)| found.len()).sum();
        self.ahead.len() * 16 + self.parents.len() * 300 + refinements * 150
    }

    /// Returns one of them: the clause in its one form, and what it covers.
    pub fn clause(&self, lattice: &Lattice, at: usize) -> (LatticeClause, Arc<Coverage>) {
        let (coverage, parent, number) = &self.ahead[at];
        let (clause, refinements) = &self.parents[*parent as usize];
        (lattice.refined(clause, &refinements[*number as usize]), Arc::clone(coverage))
    }
}

/// Clauses and coverage that an outlook has already.
#[derive(Default)]
struct SeenAhead {
    clauses: FxHashSet<LatticeClause>,
    marks: FxHashSet<u64>,
}

/// The clauses over some facts, with what each covers.
pub struct Lattice {
    facts: FactIndex,
    bias: Bias,
    /// By type: the facts about one of its individuals, in the mean.
    fan_outs: Vec<usize>,
    limits: LatticeLimits,
    outlooks: Mutex<FxHashMap<OutlookKey, OutlookCell>>,
    uses: AtomicU64,
    /// Sets that several clauses share, by their mark.
    sets: Mutex<FxHashMap<u64, Arc<Coverage>>>,
    bytes: AtomicUsize,
    clauses: AtomicU64,
    compared: AtomicU64,
    wide: AtomicU64,
    counter: SearchCounter,
    stop: Stop,
}

impl Lattice {
    /// Returns the lattice of clauses over facts.
    pub fn new(facts: FactIndex, bias: Bias, limits: LatticeLimits, stop: Stop) -> Self {
        let fan_outs = fan_outs(&facts, &bias);
        Self {
            facts,
            bias,
            fan_outs,
            limits,
            outlooks: Mutex::default(),
            uses: AtomicU64::new(0),
            sets: Mutex::default(),
            bytes: AtomicUsize::new(0),
            clauses: AtomicU64::new(0),
            compared: AtomicU64::new(0),
            wide: AtomicU64::new(0),
            counter: SearchCounter::default(),
            stop,
        }
    }

    /// Returns the same, which counts what it finds for others, too.
    pub fn counting(self, counter: SearchCounter) -> Self {
        Self { counter, ..self }
    }

    /// Returns the counter.
    pub fn counter(&self) -> &SearchCounter {
        &self.counter
    }

    /// Returns the facts.
    pub fn facts(&self) -> &FactIndex {
        &self.facts
    }

    /// Returns the bias.
    pub fn bias(&self) -> &Bias {
        &self.bias
    }

    /// Returns the limits.
    pub fn limits(&self) -> &LatticeLimits {
        &self.limits
    }

    /// Returns how many clauses were compared with the facts, and how many had too many substitutions to be refined.
    pub fn counts(&self) -> (u64, u64) {
        (self.clauses.load(Ordering::Relaxed), self.wide.load(Ordering::Relaxed))
    }

    /// Returns how often a clause was compared with others, in all searches.
    pub fn compared(&self) -> u64 {
        self.compared.load(Ordering::Relaxed)
    }

    pub(crate) fn count_compared(&self, count: u64) {
        self.compared.fetch_add(count, Ordering::Relaxed);
    }

    /// Returns the clause without a body.
    pub fn root(&self) -> LatticeClause {
        LatticeClause::root(&self.bias.head)
    }

    /// Returns an error if somebody wants it to stop.
    pub fn check_stop(&self) -> Result<(), Error> {
        match self.stop.is_raised() {
            true => Err(Error::new(ErrorKind::Stopped, "stopped")),
            false => Ok(()),
        }
    }

    /// Returns the clause that a refinement makes, in its one form.
    pub fn refined(&self, clause: &LatticeClause, refinement: &Refinement) -> LatticeClause {
        let mut refined = clause.with(refinement.literal.clone(), &refinement.new);
        refined.count = refinement.count;
        refined.canonical(self.bias.head.len())
    }

    /// Returns what lies ahead of a clause in its one form, beyond so many literals that only bring variables, whose
    /// substitutions have at most so many numbers if that is less than the limit.
    pub fn outlook(
        &self,
        clause: &LatticeClause,
        look_ahead: usize,
        reach: usize,
    ) -> Result<Arc<Outlook>, Error> {
        self.check_stop()?;
        let reach = reach.min(self.most_numbers(self.limits.ahead));
        let cell = self.cell((clause.clone(), look_ahead, reach));
        let found = Arc::clone(cell.get_or_init(|| Arc::new(self.look(clause, look_ahead, reach))));
        // What was found while stopping may be incomplete.
        self.check_stop().map(|()| found)
    }

    /// Returns the place of an outlook, and makes room if there is none left.
    fn cell(&self, key: OutlookKey) -> Arc<OnceLock<Arc<Outlook>>> {
        let mut outlooks = self.outlooks.lock().unwrap_or_else(PoisonError::into_inner);
        if self.bytes.load(Ordering::Relaxed) > self.limits.bytes {
            let mut uses: Vec<u64> = outlooks.values().map(|cell| cell.1).collect();
            uses.sort_unstable();
            let middle = uses[uses.len() / 2];
            self.keep(&mut outlooks, |last| last > middle);
        }
        let cell = outlooks.entry(key).or_default();
        cell.1 = self.uses.fetch_add(1, Ordering::Relaxed) + 1;
        Arc::clone(&cell.0)
    }

    /// Forgets what was found: the lattice is not used for some time.
    pub(crate) fn forget(&self) {
        self.keep(&mut self.outlooks.lock().unwrap_or_else(PoisonError::into_inner), |_| false);
    }

    /// Keeps outlooks by when they were used last, with what they cover.
    fn keep(&self, outlooks: &mut FxHashMap<OutlookKey, OutlookCell>, is_kept: impl Fn(u64) -> bool) {
        outlooks.retain(|_, cell| is_kept(cell.1));
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        sets.retain(|_, set| Arc::strong_count(set) > 1);
        let of_outlooks = outlooks.values().filter_map(|cell| cell.0.get()).map(|outlook| outlook.bytes());
        let of_sets = sets.values().map(|set| set.size());
        self.bytes.store(of_outlooks.chain(of_sets).sum(), Ordering::Relaxed);
    }

    fn most_numbers(&self, for_each: usize) -> usize {
        (for_each * self.facts.queries.len()).max(FEW_NUMBERS)
    }

    fn look(&self, clause: &LatticeClause, look_ahead: usize, reach: usize) -> Outlook {
        let mut outlook = Outlook::default();
        let most = self.most_numbers(self.limits.substitutions).min(reach.saturating_mul(2));
        match Substitutions::of(&self.facts, &self.bias, clause, most) {
            // What is too large is not cut somewhere, but looks less far ahead.
            Some(known) => {
                for far in (0..=look_ahead).rev() {
                    outlook = Outlook { steps: outlook.steps + known.size() as u64, ..Outlook::default() };
                    let mut seen = SeenAhead::default();
                    let mut room = vec![Substitutions::default(); far];
                    let is_whole = self.ahead(clause, (&known, reach), 0, &mut room, &mut seen, &mut outlook);
                    if is_whole {
                        break;
                    }
                    self.wide.fetch_add(1, Ordering::Relaxed);
                }
            }
            None => {
                outlook.steps = most as u64;
                self.wide.fetch_add(1, Ordering::Relaxed);
            }
        }
        outlook.covered = outlook.coverages().map(|coverage| u64::from(coverage.count())).sum();
        self.bytes.fetch_add(outlook.bytes(), Ordering::Relaxed);
        outlook
    }

    /// Adds the refinements of a clause that speak of its variables from `first` on, and those beyond its structural
    /// ones that speak of what these bring: whatever speaks of earlier variables alone lies ahead of the clause itself.
    /// There is room for the substitutions of so many of these, one after the other; all together they have so many
    /// numbers at most. Returns false, and ends, where the outlook gets too large.
    fn ahead(
        &self,
        clause: &LatticeClause,
        (known, most): (&Substitutions, usize),
        first: usize,
        room: &mut [Substitutions],
        seen: &mut SeenAhead,
        outlook: &mut Outlook,
    ) -> bool {
        let LatticeLimits { min_support, negation, counts, literals, variables, .. } = self.limits;
        // How many there are is the last thing that a clause says.
        if clause.count.is_some()
            || clause.body.len() >= literals
            || clause.types.len() >= variables
            || self.check_stop().is_err()
        {
            return true;
        }
        let (facts, bias, steps) = (&self.facts, &self.bias, Cell::new(0));
        let table = RefCell::default();
        let expander = Expander { facts, bias, min_support, negation, counts, steps, table };
        let mut found = expander.expand(clause, known, first);
        outlook.steps += expander.steps.get();
        self.clauses.fetch_add(found.len() as u64, Ordering::Relaxed);
        self.counter.add_clauses(found.len());
        let mut structural = Vec::new();
        for (at, refinement) in found.iter_mut().enumerate() {
            self.share(&mut refinement.coverage);
            let coverage = Arc::clone(&refinement.coverage);
            if refinement.is_structural {
                let next = clause.with(refinement.literal.clone(), &refinement.new);
                let form = next.canonical(self.bias.head.len());
                if seen.clauses.insert(form.clone()) {
                    if outlook.parents.is_empty() {
                        outlook.structural.push((form, coverage));
                    }
                    structural.push((next, refinement.literal.clone()));
                }
            } else if seen.marks.insert(coverage.mark()) {
                outlook.ahead.push((coverage, outlook.parents.len() as u32, at as u32));
            }
        }
        if first == 0 {
            outlook.structural.sort_by(|one, other| one.0.cmp(&other.0));
        }
        outlook.parents.push((clause.clone(), found));
        let Some((wider, room)) = room.split_first_mut() else { return true };
        let bound = clause.types.len();
        let matchers: Vec<Matcher<'_>> = structural
            .iter()
            .map(|(next, literal)| {
                Matcher::new(&self.facts, &self.bias, literal, &next.types, |at| (at as usize) < bound)
            })
            .collect();
        let size = |((next, _), matcher): (&(LatticeClause, LatticeLiteral), &Matcher<'_>)| {
            let size = known.extended_size(&self.facts, matcher, most);
            // What is known of new individuals is gone through for every substitution.
            let fan_out: usize = next.types[bound..].iter().map(|&kind| self.fan_outs[kind as usize]).sum();
            size.saturating_mul((fan_out / 2).max(next.types.len())) / next.types.len()
        };
        let sizes: Vec<usize> = structural.iter().zip(&matchers).map(size).collect();
        let (largest, left) = fitting(&sizes, most);
        let most = left / sizes.len().max(1);
        for (((next, _), matcher), size) in structural.iter().zip(&matchers).zip(sizes) {
            if size > largest {
                self.wide.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            known.extend_into(&self.facts, matcher, wider);
            outlook.steps += wider.size() as u64;
            let is_whole = self.ahead(next, (wider, most), bound, room, seen, outlook);
            if !is_whole || outlook.ahead.len() > self.limits.outlook {
                return false;
            }
        }
        true
    }

    /// Puts a set that is known already in place of an equal one.
    fn share(&self, coverage: &mut Arc<Coverage>) {
        let mut bytes = 0;
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sets.entry(coverage.mark()).or_insert_with(|| {
            bytes += coverage.size();
            Arc::clone(coverage)
        });
        if known == coverage {
            *coverage = Arc::clone(known);
        }
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Returns what a clause covers; none if it has too many substitutions.
    pub fn coverage(&self, clause: &LatticeClause) -> Option<Coverage> {
        let known = Substitutions::of(&self.facts, &self.bias, clause, MOST_NUMBERS)?;
        let is_covered = |query: usize| match clause.count {
            None => known.has(query),
            Some((counted, least)) => {
                let all: FxHashSet<u32> = known.rows_of(query).map(|row| row[counted as usize]).collect();
                all.len() as u32 >= least
            }
        };
        Some(Coverage::of(self.facts.queries.len(), is_covered))
    }
}

/// Returns by type how many facts there are about one of its individuals, column by column, in the mean.
fn fan_outs(facts: &FactIndex, bias: &Bias) -> Vec<usize> {
    let mut fan_outs = vec![0; bias.types.len()];
    let allowed = facts.relations.iter().zip(&bias.relations).filter(|(_, bias)| !bias.is_forbidden);
    for (relation, bias) in allowed.filter(|(relation, _)| relation.arity > 1) {
        for (column, &kind) in bias.types.iter().enumerate() {
            let rows = relation.terms.chunks_exact(relation.arity);
            let individuals: FxHashSet<u32> = rows.map(|row| row[column]).collect();
            fan_outs[kind as usize] += relation.len() / individuals.len().max(1);
        }
    }
    fan_outs
}

/// Returns the size up to which all fit into `most` together, the smallest first, and what these leave of it.
fn fitting(sizes: &[usize], most: usize) -> (usize, usize) {
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable();
    let (mut largest, mut left) = (0, most);
    for same in sorted.chunk_by(|one, other| one == other) {
        let Some(next) = same[0].checked_mul(same.len()).and_then(|all| left.checked_sub(all)) else { break };
        (largest, left) = (same[0], next);
    }
    (largest, left)
}
