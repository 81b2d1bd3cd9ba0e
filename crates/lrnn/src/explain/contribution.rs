//! How much of a value, above what the model says without the example's facts, each constant and each fact brings.
//!
//! The facts of the example are taken away, with every ground rule that needs them, and come back one after the other:
//! what the value changes when a fact comes is given to the fact, and to the constant it waited for. A fact waits for
//! all constants it names; these come in a random order, the facts of one constant as well. The contributions are the
//! means over several orders and the same orders turned round: Shapley values by antithetic sampling. They add up to
//! value − baseline in each order, so also in the mean. Constants that are alike, and facts, have equal Shapley values, so
//! they share what sampling gave them all.

use std::collections::BTreeMap;

use super::Proof;
use super::removal::Removal;
use super::symmetry::Colours;
use crate::ground::FactSource;
use crate::network::mix;
use crate::vocabulary::{ConstantId, PredicateId};

/// About so many inputs of neurons are looked at for one value.
const MOST_WORK: usize = 200_000;
/// Orders and the same turned round, at most.
const MOST_PAIRS: usize = 256;
/// Seed of the orders.
const SEED: u64 = 1;

/// The contribution of a constant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ConstantShare {
    /// The constant; none for facts that have no term.
    pub constant: Option<ConstantId>,
    /// Its contribution.
    pub amount: f64,
}

/// The contribution of a fact, together with those that are its mirror images.
#[derive(Clone, PartialEq, Debug)]
pub struct FactShare {
    /// The facts, by their places in the proof: those of one predicate over the same constants.
    pub facts: Vec<usize>,
    /// Their contribution.
    pub amount: f64,
}

/// Contributions that add up to a value: baseline + Σ constants = baseline + Σ facts = value, up to rounding.
#[derive(Clone, PartialEq, Debug)]
pub struct Contributions {
    /// The value: one element of the atom's.
    pub value: f64,
    /// The value without the facts of the example. Where the atom is not there without them: g∨ of nothing, which is the
    /// activation of its offset.
    pub baseline: f64,
    /// Constants that contribute, the largest first without regard to sign.
    pub constants: Vec<ConstantShare>,
    /// Facts that contribute, the largest first without regard to sign.
    pub facts: Vec<FactShare>,
    /// Number of orders tried.
    pub orders: usize,
}

impl Contributions {
    fn new(
        (value, baseline, orders): (f64, f64, usize),
        constants: impl Iterator<Item = (Option<ConstantId>, f64)>,
        facts: impl Iterator<Item = (Vec<usize>, f64)>,
    ) -> Self {
        let constants = largest_first(constants).map(|(constant, amount)| ConstantShare { constant, amount });
        let facts = largest_first(facts).map(|(facts, amount)| FactShare { facts, amount });
        Self { value, baseline, constants: constants.collect(), facts: facts.collect(), orders }
    }

    /// Returns the sum of the contributions of facts.
    pub fn sum(&self) -> f64 {
        self.facts.iter().map(|share| share.amount).sum()
    }

    /// Returns what that sum lacks of value − baseline.
    pub fn residual(&self) -> f64 {
        self.value - self.baseline - self.sum()
    }
}

/// Facts that come and go together.
struct FactGroup {
    facts: Vec<usize>,
    /// The constants they wait for, by their numbers.
    constants: Vec<usize>,
}

/// Groups of facts that come back, one after the other.
#[derive(Default)]
struct Players {
    lines: Vec<FactGroup>,
    constants: Vec<Option<ConstantId>>,
}

/// Players that are alike: their numbers.
type Alike = Vec<Vec<usize>>;

impl Players {
    fn new(
        proof: &Proof<'_>,
        facts: impl Iterator<Item = usize>,
        counts: impl Fn(ConstantId) -> bool,
    ) -> Self {
        let mut players = Self::default();
        let mut lines: BTreeMap<(PredicateId, Vec<ConstantId>), usize> = BTreeMap::new();
        let mut constants: BTreeMap<Option<ConstantId>, usize> = BTreeMap::new();
        for fact in facts {
            let node = &proof.network.facts[fact];
            if matches!(node.source, FactSource::Template(_)) {
                continue;
            }
            let mut terms = proof.terms(node.atom).to_vec();
            terms.sort_unstable();
            let line = *lines
                .entry((proof.network.atoms[node.atom].predicate, terms.clone()))
                .or_insert_with(|| {
                    let mut chosen: Vec<Option<ConstantId>> = terms.iter().map(|&term| Some(term)).collect();
                    if terms.iter().any(|&term| counts(term)) {
                        chosen.retain(|term| term.is_some_and(&counts));
                    }
                    if chosen.is_empty() {
                        chosen.push(None);
                    }
                    let mut number = |constant| {
                        *constants.entry(constant).or_insert_with(|| {
                            players.constants.push(constant);
                            players.constants.len() - 1
                        })
                    };
                    let constants = chosen.into_iter().map(&mut number).collect();
                    players.lines.push(FactGroup { facts: Vec::new(), constants });
                    players.lines.len() - 1
                });
            players.lines[line].facts.push(fact);
        }
        players
    }

    /// Returns the constants, and the lines, of which several are alike: of one colour, and with the same effect when they
    /// alone are taken away, which is asked for as `without`.
    fn alike(
        &self,
        proof: &Proof<'_>,
        counts: impl Fn(ConstantId) -> bool,
        mut without: impl FnMut(&[usize]) -> f64,
    ) -> (Alike, Alike) {
        let facts: Vec<usize> = self.lines.iter().flat_map(|line| line.facts.iter().copied()).collect();
        let colours = Colours::of(proof, &facts, counts);
        let of_constant = |constant: &Option<ConstantId>| vec![constant.map_or(0, |it| colours.colour(it))];
        let of_line = |line: &FactGroup| {
            let atom = proof.network.facts[line.facts[0]].atom;
            let mut colour: Vec<u64> = proof.terms(atom).iter().map(|&term| colours.colour(term)).collect();
            colour.sort_unstable();
            colour.push(proof.network.atoms[atom].predicate.0.into());
            colour
        };
        let mut facts_of = vec![Vec::new(); self.constants.len()];
        for line in &self.lines {
            line.constants.iter().for_each(|&constant| facts_of[constant].extend_from_slice(&line.facts));
        }
        let constants = equals(self.constants.iter().map(of_constant));
        let lines = equals(self.lines.iter().map(of_line));
        (
            split(constants, |constant| without(&facts_of[constant])),
            split(lines, |line| without(&self.lines[line].facts)),
        )
    }

    /// Returns the lines in the order they come, each with the constant it waited for longest.
    fn order(&self, constants: &[usize], lines: &[usize]) -> Vec<(usize, usize)> {
        let mut ranks = vec![0; constants.len()];
        constants.iter().enumerate().for_each(|(rank, &constant)| ranks[constant] = rank);
        let latest = |line: usize| {
            let waited = self.lines[line].constants.iter().copied();
            (line, waited.max_by_key(|&constant| ranks[constant]).unwrap_or(0))
        };
        let mut order: Vec<(usize, usize)> = lines.iter().map(|&line| latest(line)).collect();
        order.sort_by_key(|&(_, constant)| ranks[constant]);
        order
    }
}

/// Returns the places of keys that occur several times.
fn equals(keys: impl Iterator<Item = Vec<u64>>) -> Alike {
    let mut places: BTreeMap<Vec<u64>, Vec<usize>> = BTreeMap::new();
    keys.enumerate().for_each(|(place, key)| places.entry(key).or_default().push(place));
    places.into_values().filter(|places| places.len() > 1).collect()
}

/// Splits groups by a number, which rounding may have changed.
fn split(groups: Alike, mut number: impl FnMut(usize) -> f64) -> Alike {
    let mut found = Vec::new();
    for group in groups {
        let mut numbers: Vec<(f64, usize)> = group.into_iter().map(|place| (number(place), place)).collect();
        numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
        let is_near = |a: &(f64, usize), b: &(f64, usize)| (a.0 - b.0).abs() <= 1e-9 * (1.0 + a.0.abs());
        let near = numbers.chunk_by(is_near).filter(|near| near.len() > 1);
        found.extend(near.map(|near| near.iter().map(|&(_, place)| place).collect()));
    }
    found
}

/// Gives all of a group the mean of what they have.
fn share(amounts: &mut [f64], alike: &Alike) {
    for group in alike {
        let mean = group.iter().map(|&place| amounts[place]).sum::<f64>() / group.len() as f64;
        group.iter().for_each(|&place| amounts[place] = mean);
    }
}

fn shuffled(count: usize, state: &mut u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        *state = mix(*state);
        order.swap(last, (*state % (last as u64 + 1)) as usize);
    }
    order
}

/// So many constants come in every order there is.
const FEW: usize = 5;

/// Returns all orders of a few constants, of each and the same turned round one; none where there are more.
fn all_orders(count: usize) -> Vec<Vec<usize>> {
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for next in (0..count).filter(|_| count <= FEW) {
        let grown = |order: &Vec<usize>| {
            let at = |place: usize| [&order[..place], &[next], &order[place..]].concat();
            // Where the second comes before the first is the order turned round.
            let first = if next == 1 { 1 } else { 0 };
            (first..=order.len()).map(at).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(grown).collect();
    }
    orders.retain(|order| !order.is_empty());
    orders
}

/// Returns the contributions to an element of an atom's value, the atom by its place in the proof. A fact waits for
/// those of its terms for which `counts` holds, or for all if it holds for none.
pub fn contributions(
    proof: &Proof<'_>,
    atom: usize,
    element: usize,
    counts: impl Fn(ConstantId) -> bool,
) -> Contributions {
    contributions_without(proof, atom, element, counts, 0).0
}

/// Returns the contributions as of [`contributions`], and the values without each of the `most` facts that contribute
/// most, with their mirror images.
pub fn contributions_without(
    proof: &Proof<'_>,
    atom: usize,
    element: usize,
    counts: impl Fn(ConstantId) -> bool,
    most: usize,
) -> (Contributions, Vec<f64>) {
    let mut removal = Removal::new(proof, atom);
    let mut found = contributions_of(&mut removal, element, &counts);
    if !proof.members.is_empty() {
        let of = |member| contributions_of(&mut Removal::new(member, atom), element, &counts);
        found = mean(std::iter::once(found).chain(proof.members.iter().map(of)).collect());
    }
    let tried: Vec<&[usize]> = found.facts.iter().take(most).map(|share| &share.facts[..]).collect();
    let mut without = without(&mut removal, element, &tried);
    for member in &proof.members {
        let values = values_without(member, atom, element, &tried);
        without.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    without.iter_mut().for_each(|value| *value /= (proof.members.len() + 1) as f64);
    (found, without)
}

/// Returns the mean of the contributions that the members of an ensemble have.
fn mean(members: Vec<Contributions>) -> Contributions {
    let count = members.len() as f64;
    let (mut value, mut baseline, mut orders) = (0.0, 0.0, 0);
    let mut constants: BTreeMap<Option<ConstantId>, f64> = BTreeMap::new();
    let mut facts: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
    for member in members {
        (value, baseline) = (value + member.value / count, baseline + member.baseline / count);
        orders += member.orders;
        for ConstantShare { constant, amount } in member.constants {
            *constants.entry(constant).or_insert(0.0) += amount / count;
        }
        for FactShare { facts: group, amount } in member.facts {
            *facts.entry(group).or_insert(0.0) += amount / count;
        }
    }
    Contributions::new((value, baseline, orders), constants.into_iter(), facts.into_iter())
}

fn contributions_of(
    removal: &mut Removal<'_>,
    element: usize,
    counts: &impl Fn(ConstantId) -> bool,
) -> Contributions {
    let (proof, atom) = (removal.proof, removal.root());
    let players = Players::new(proof, removal.facts(), counts);
    let value = proof.values.atoms.of(atom).0.get(element).copied().unwrap_or(0.0);
    let mut baseline = absent(proof, atom, element);
    let (mut constants, mut facts) = (vec![0.0; players.constants.len()], vec![0.0; players.lines.len()]);
    let (mut orders, mut pairs, mut state) = (0, 1, SEED);
    let (mut steps, all) = (vec![0; proof.network.facts.len()], all_orders(players.constants.len()));
    while orders < 2 * pairs {
        let mut by_constants = match all.get(orders / 2 % all.len().max(1)) {
            Some(order) => order.clone(),
            None => shuffled(players.constants.len(), &mut state),
        };
        let mut by_lines = shuffled(players.lines.len(), &mut state);
        for _ in 0..2 {
            let order = players.order(&by_constants, &by_lines);
            for (at, &(line, _)) in order.iter().enumerate() {
                players.lines[line].facts.iter().for_each(|&fact| steps[fact] = at as u32 + 1);
            }
            let mut before = baseline;
            for (step, value) in removal.course(&steps, order.len(), element) {
                match (step as usize).checked_sub(1) {
                    None => baseline = value,
                    Some(at) => {
                        facts[order[at].0] += value - before;
                        constants[order[at].1] += value - before;
                    }
                }
                before = value;
            }
            by_constants.reverse();
            by_lines.reverse();
        }
        orders += 2;
        pairs = (MOST_WORK / (2 * removal.work.max(1))).clamp(1, MOST_PAIRS);
        pairs = (pairs / all.len().max(1)).max(1) * all.len().max(1);
    }
    let (alike_constants, alike_lines) =
        players.alike(proof, counts, |facts| without(removal, element, &[facts])[0]);
    for (amounts, alike) in [(&mut constants, alike_constants), (&mut facts, alike_lines)] {
        amounts.iter_mut().for_each(|amount| *amount /= orders as f64);
        share(amounts, &alike);
        // Values far away on the way leave what rounding took from them: the largest amount has it. Adding it rounds
        // again, so it takes a few times.
        for _ in 0..4 {
            let lack = value - baseline - amounts.iter().sum::<f64>();
            if let Some(largest) = amounts.iter_mut().max_by(|a, b| a.abs().total_cmp(&b.abs())) {
                *largest += lack;
            }
        }
    }
    let constants = players.constants.into_iter().zip(constants);
    let facts = players.lines.into_iter().map(|line| line.facts).zip(facts);
    Contributions::new((value, baseline, orders), constants, facts)
}

/// Returns those that contribute, the largest first.
fn largest_first<T>(shares: impl Iterator<Item = (T, f64)>) -> impl Iterator<Item = (T, f64)> {
    let mut all: Vec<(T, f64)> = shares.filter(|share| share.1 != 0.0).collect();
    all.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    all.into_iter()
}

/// Returns what an atom counts as where it is not there: g∨ of nothing.
pub fn absent(proof: &Proof<'_>, atom: usize, element: usize) -> f64 {
    let node = &proof.network.atoms[atom];
    let value = proof.numbers.atom_value(proof.template, node.predicate, &[], node.groups.is_empty());
    let number = value.and_then(|(numbers, _)| numbers.get(element).or(numbers.first()).copied());
    number.filter(|number| number.is_finite()).unwrap_or(0.0)
}

/// Returns the values of an element of an atom without each of these sets of facts: they are taken away, with every
/// ground rule that needs them.
pub fn values_without(proof: &Proof<'_>, atom: usize, element: usize, sets: &[&[usize]]) -> Vec<f64> {
    without(&mut Removal::new(proof, atom), element, sets)
}

fn without(removal: &mut Removal<'_>, element: usize, sets: &[&[usize]]) -> Vec<f64> {
    let mut steps = vec![0; removal.proof.network.facts.len()];
    let mut value = |facts: &&[usize]| {
        facts.iter().for_each(|&fact| steps[fact] = 1);
        let course = removal.course(&steps, 1, element);
        facts.iter().for_each(|&fact| steps[fact] = 0);
        let before = course.first().filter(|change| change.0 == 0).map(|change| change.1);
        before.unwrap_or_else(|| absent(removal.proof, removal.root(), element))
    };
    sets.iter().map(&mut value).collect()
}
