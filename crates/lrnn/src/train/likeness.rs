//! The readout by likeness: a weight is not one number but what the training examples say of it, each as much as it is
//! like the example at hand.
//!
//! Take a template that is linear in its indexed weights, and let φ(x) be the numbers that they are multiplied by in the
//! value of a query x: how often each is used. Two queries are alike by k(x, z) = Σ min(φ(x), φ(z)) / Σ max(φ(x), φ(z)),
//! the min-max kernel, which is Tanimoto's on counts; where weights feed several predicates, each of them is a *view*
//! with a kernel of its own, and k is their mean. The value of x is b + Σ a k(x, z) over the training queries z, each
//! with its multiplier a. The same value comes out of the network when every weight is
//! Σ a min(φ(x), φ(z)) / (φ(x) Σ max(φ(x), φ(z))), by weight and over z: so contributions are those of the network, and
//! add up. With these weights it is linear, and what is learned, b and all a, has one optimum.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::loss::Loss;
use super::problem::Problem;
use super::settings::Settings;
use crate::diagnostic::{Error, ErrorKind};
use crate::function::Real;
use crate::function::math::sigmoid;
use crate::function::table::table;
use crate::model::Support;
use crate::network::{Initialisation, Network, Parameters, Schedule, Weights, Workspace};
use crate::template::{Template, WeightId};
use crate::threads::pooled;
use crate::vocabulary::{PredicateId, Vocabulary};

table! {
    /// Sources of the numbers of indexed weights.
    pub enum Readout {
        /// Each weight is a number that is learned.
        Weights = "weights", ["linear"], "w";
        /// Each weight is what the training examples say that use it, as much as they are like the example.
        Kernel = "kernel", ["likeness"], "Σ a min(φ, φ') / (φ Σ max(φ, φ')), over training examples";
    }
}

/// More queries to learn from than these are refused: memory grows with their square.
const MOST_QUERIES: usize = 20_000;
/// The least regularisation, so that there is an optimum.
const LEAST_PENALTY: f64 = 1e-3;
const MOST_STEPS: usize = 30;
const MOST_INNER_STEPS: usize = 200;
/// The relative change of values at which learning ends.
const TOLERANCE: f64 = 1e-4;

/// The places among the parameters that a query uses, in ascending order, each with how much.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Bag(pub Vec<(u32, f64)>);

/// The view that each place among the parameters belongs to; none of the others.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Views {
    by_place: Vec<Option<u8>>,
    count: usize,
}

impl Views {
    /// Returns the views of a template: by weight, the view that it belongs to, if it has an index and learns.
    pub fn by_weight(template: &Template) -> (Vec<Option<u8>>, usize) {
        let mut heads: Vec<PredicateId> = Vec::new();
        let mut views = vec![None; template.weights.len()];
        for rule in &template.rules {
            let inputs = rule.inputs.iter().filter_map(|input| input.weight.as_ref());
            for used in rule.weight.iter().chain(inputs) {
                let weight = template.weight(used.weight);
                if weight.index.is_empty() || weight.fixed || !weight.shape.is_number() {
                    continue;
                }
                let head = rule.head.predicate;
                let known = heads.iter().position(|&known| known == head);
                let view = known.unwrap_or_else(|| {
                    heads.push(head);
                    heads.len() - 1
                });
                views[used.weight.index()].get_or_insert(view.min(usize::from(u8::MAX)) as u8);
            }
        }
        (views, heads.len())
    }

    /// Returns the views of parameters, and of the places behind them that `more` tells: of weights at an index that was
    /// never learned.
    pub fn new(template: &Template, parameters: &Parameters, more: &[u32]) -> Self {
        let (by_weight, count) = Self::by_weight(template);
        let mut by_place = vec![None; parameters.len()];
        for ((weight, _), range) in parameters.iter() {
            by_place[range.start] = by_weight[weight.index()];
        }
        for (weight, &place) in by_weight.iter().zip(more) {
            if weight.is_some() {
                by_place.resize(by_place.len().max(place as usize + 1), None);
                by_place[place as usize] = *weight;
            }
        }
        Self { by_place, count }
    }

    fn of(&self, place: u32) -> usize {
        self.by_place[place as usize].map_or(0, usize::from)
    }

    /// Returns what each query of a network uses; none outside the model. The network was computed in this space just
    /// now, under these parameters.
    pub fn bags<R: Real>(
        &self,
        network: &Network,
        schedule: &Schedule,
        parameters: &[R],
        space: &mut Workspace<R>,
    ) -> Vec<Option<Bag>> {
        // What all of them use, so that little is looked at for each.
        let mut slopes = vec![R::ZERO; parameters.len()];
        let all = |_: usize, _: &[R], out: &mut [R]| out.fill(R::ONE);
        network.backward(schedule, parameters, space, all, &mut slopes);
        let places = (0..).zip(slopes.iter().zip(&self.by_place));
        let used = places.filter(|(_, (slope, view))| view.is_some() && **slope != R::ZERO);
        let used: Vec<u32> = used.map(|(place, _)| place).collect();
        let mut of = |query: usize| {
            network.is_entailed(query).then(|| {
                used.iter().for_each(|&place| slopes[place as usize] = R::ZERO);
                let seed = |at: usize, _: &[R], out: &mut [R]| {
                    out.fill(if at == query { R::ONE } else { R::ZERO });
                };
                network.backward(schedule, parameters, space, seed, &mut slopes);
                let own = used.iter().map(|&place| (place, slopes[place as usize].to_f64()));
                Bag(own.filter(|used| used.1 != 0.0).collect())
            })
        };
        (0..network.output_count()).map(&mut of).collect()
    }

    /// Returns the sum of a bag in each view.
    fn totals(&self, bag: &Bag) -> Vec<f64> {
        let mut totals = vec![0.0; self.count];
        bag.0.iter().for_each(|&(place, amount)| totals[self.of(place)] += amount);
        totals
    }
}

/// Training queries with their multipliers: what values are computed from.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct SupportKernel {
    views: Views,
    supports: Vec<(f64, Bag)>,
    /// By support and view, the sum of its bag.
    totals: Vec<Vec<f64>>,
    /// By place, the supports that use it, and how much.
    columns: Vec<Vec<(u32, f64)>>,
}

impl SupportKernel {
    /// Puts training queries with their multipliers together.
    pub fn new(views: Views, supports: Vec<(f64, Bag)>) -> Self {
        let totals = supports.iter().map(|(_, bag)| views.totals(bag)).collect();
        let mut columns = vec![Vec::new(); views.by_place.len()];
        for (support, (_, bag)) in (0..).zip(&supports) {
            bag.0.iter().for_each(|&(place, amount)| columns[place as usize].push((support, amount)));
        }
        Self { views, supports, totals, columns }
    }

    /// Returns the training queries with their multipliers.
    pub fn supports(&self) -> &[(f64, Bag)] {
        &self.supports
    }

    /// Returns what each query of a network uses, as [`Views::bags`] does.
    pub fn bags<R: Real>(
        &self,
        network: &Network,
        schedule: &Schedule,
        parameters: &[R],
        space: &mut Workspace<R>,
    ) -> Vec<Option<Bag>> {
        self.views.bags(network, schedule, parameters, space)
    }

    /// Returns, by support and view, Σ min and Σ max of a bag and the support's.
    fn overlaps(&self, bag: &Bag) -> Vec<(f64, f64)> {
        let count = self.views.count;
        let mut found = vec![(0.0, 0.0); self.supports.len() * count];
        for &(place, amount) in &bag.0 {
            let view = self.views.of(place);
            for &(support, other) in self.columns.get(place as usize).into_iter().flatten() {
                found[support as usize * count + view].0 += amount.min(other);
            }
        }
        let own = self.views.totals(bag);
        for (of_support, totals) in found.chunks_mut(count.max(1)).zip(&self.totals) {
            let views = of_support.iter_mut().zip(totals).zip(&own);
            views.for_each(|((overlap, total), own)| overlap.1 = total + own - overlap.0);
        }
        found
    }

    /// Returns how alike a bag and each support are.
    fn kernel(&self, bag: &Bag) -> Vec<f64> {
        let count = self.views.count.max(1);
        let alike = |&(least, most): &(f64, f64)| if most > 0.0 { least / most } else { 0.0 };
        let overlaps = self.overlaps(bag);
        overlaps.chunks(count).map(|views| views.iter().map(alike).sum::<f64>() / count as f64).collect()
    }

    /// Returns what likeness adds to the value of a query.
    pub fn value(&self, bag: &Bag) -> f64 {
        self.kernel(bag).iter().zip(&self.supports).map(|(alike, support)| alike * support.0).sum()
    }

    /// Returns the weights of a query by their places: under these the network has its value.
    pub fn weights(&self, bag: &Bag) -> Vec<(u32, f64)> {
        let (count, overlaps) = (self.views.count, self.overlaps(bag));
        let weight = |&(place, amount): &(u32, f64)| {
            let view = self.views.of(place);
            let part = |&(support, other): &(u32, f64)| {
                let most = overlaps[support as usize * count + view].1;
                self.supports[support as usize].0 * amount.min(other) / (amount * most * count as f64)
            };
            let column = self.columns.get(place as usize).into_iter().flatten();
            (place, column.map(part).sum())
        };
        bag.0.iter().map(weight).collect()
    }

    /// Adds what likeness adds to the values of a network's queries, which was computed in this space just now.
    pub fn add<R: Real>(
        &self,
        network: &Network,
        schedule: &Schedule,
        parameters: &[R],
        space: &mut Workspace<R>,
        values: &mut [Option<Vec<f64>>],
    ) {
        let bags = self.views.bags(network, schedule, parameters, space);
        for (value, bag) in values.iter_mut().zip(bags) {
            if let (Some(value), Some(bag)) = (value, bag) {
                let more = self.value(&bag);
                value.iter_mut().for_each(|number| *number += more);
            }
        }
    }
}

/// The likeness that a problem was learned by.
#[derive(Debug)]
pub struct LearnedKernel {
    /// Training queries with their multipliers.
    pub likeness: SupportKernel,
    /// The parameters: indexed weights are 0.
    parameters: Vec<f64>,
    /// By network and query, what likeness adds to the value.
    added: Vec<Vec<f64>>,
}

impl LearnedKernel {
    /// Returns the supports as a model has them: by the numbers of weights that can be learned.
    pub fn supports(&self, template: &Template, parameters: &Parameters) -> Vec<Support> {
        let mut numbers = vec![0; parameters.len()];
        let learned = parameters.iter().filter(|((weight, _), _)| !template.weight(*weight).fixed);
        learned.zip(0..).for_each(|((_, range), number)| numbers[range.start] = number);
        let uses =
            |bag: &Bag| bag.0.iter().map(|&(place, amount)| (numbers[place as usize], amount)).collect();
        let support = |(multiplier, bag): &(f64, Bag)| Support { multiplier: *multiplier, uses: uses(bag) };
        self.likeness.supports().iter().map(support).collect()
    }
}

/// A place for it in a problem, empty at first.
pub(super) type KernelCell = OnceLock<LearnedKernel>;

/// A training query.
struct KernelCase {
    bag: Bag,
    target: f64,
    mass: f64,
    /// The value without likeness and offset.
    base: f64,
}

impl Problem {
    /// Returns what was learned by likeness, if anything was.
    pub fn likeness(&self) -> Option<&LearnedKernel> {
        self.likeness.get()
    }

    /// Returns what likeness adds to the value of a query of a network.
    pub(super) fn added<R: Real>(&self, network: usize, query: usize) -> R {
        let learned = self.likeness.get();
        R::from_f64(learned.map_or(0.0, |learned| learned.added[network][query]))
    }

    /// Returns the parameters that were learned beside likeness, in any precision.
    pub(super) fn likeness_parameters<R: Real>(&self) -> Option<Vec<R>> {
        let learned = self.likeness.get()?;
        Some(learned.parameters.iter().map(|&number| R::from_f64(number)).collect())
    }

    /// Learns by likeness, if the settings ask for it.
    pub fn learn_likeness(
        &self,
        template: &Template,
        vocabulary: &Vocabulary,
        settings: &Settings,
    ) -> Result<(), Error> {
        if settings.readout == Readout::Weights {
            return Ok(());
        }
        let refuse = |what: &str, help: &str| Err(Error::new(ErrorKind::Content, what).help(help));
        if self.away.is_some() {
            return refuse("the readout `kernel` needs all examples at one place", "train without a crew");
        }
        if self.loss != Loss::Logits {
            let help = "end the template in a number without bounds: `p/0 [activation = identity].`";
            return refuse("the readout `kernel` learns with the loss `logits`", help);
        }
        let parameters = &self.networks.parameters;
        let views = Views::new(template, parameters, &[]);
        if views.count == 0 {
            let help = "index some, as in `w[h(X), #] = 0 :: p :- *h(X).`, or leave the readout at `weights`";
            return refuse("the readout `kernel` needs weights with an index", help);
        }
        let start = Weights::starting(0, Initialisation::Constant, 0.0);
        let mut start: Vec<f64> = parameters.values(template, vocabulary, &start);
        let by_place = views.by_place.iter().zip(&mut start);
        by_place.filter(|(view, _)| view.is_some()).for_each(|(_, number)| *number = 0.0);
        let offset = self.offset_place(template);
        let bags = self.bags(&views, &start);
        let cases = self.likeness_cases(&bags, &start);
        if cases.len() > MOST_QUERIES {
            let what = format!("{} queries are too many for the readout `kernel`", cases.len());
            return refuse(&what, "it takes 20,000 at most; leave the readout at `weights`");
        }
        if cases.iter().flat_map(|case| &case.bag.0).any(|used| used.1 < 0.0) {
            let help = "its indexed weights must enter the value by numbers from 0";
            return refuse("the readout `kernel` needs counts, and some here are negative", help);
        }
        let penalty = settings.l2 * cases.iter().map(|case| case.mass).sum::<f64>();
        let (likeness, shift) = fit(views, &cases, penalty.max(LEAST_PENALTY), offset.is_some());
        if let Some(place) = offset {
            start[place] += shift;
        }
        let of = |bag: &Option<Bag>| bag.as_ref().map_or(0.0, |bag| likeness.value(bag));
        let added = pooled(|| bags.par_iter().map(|bags| bags.iter().map(of).collect()).collect());
        self.check_linear(&likeness, &bags, &start)?;
        drop(self.likeness.set(LearnedKernel { likeness, parameters: start, added }));
        Ok(())
    }

    /// Returns the place of an offset that learns: a plain weight of a fact that is the number itself.
    fn offset_place(&self, template: &Template) -> Option<usize> {
        let learns = |place: usize| self.learnable.iter().any(|range| range.contains(&place));
        let is_plain = |id: WeightId| {
            let weight = template.weight(id);
            weight.index.is_empty() && weight.shape.is_number()
        };
        let candidates: Vec<usize> = (self.networks.parameters.iter())
            .filter(|((weight, _), range)| is_plain(*weight) && learns(range.start))
            .map(|(_, range)| range.start)
            .collect();
        let mut space = Workspace::default();
        let mut always = vec![true; candidates.len()];
        let numbers = vec![0.0; self.networks.parameters.len()];
        // Examples of one template have their offset alike: some tell.
        let network = self.networks.networks.first()?;
        network.forward(&self.schedule, &numbers, &mut space);
        for &query in self.counted[0].iter().flat_map(|counted| &counted.queries) {
            let mut slopes = vec![0.0; numbers.len()];
            let seed = |at: usize, _: &[f64], out: &mut [f64]| {
                out.fill(if at == query as usize { 1.0 } else { 0.0 });
            };
            network.backward(&self.schedule, &numbers, &mut space, seed, &mut slopes);
            let places = candidates.iter().zip(&mut always);
            places.for_each(|(&place, always)| *always &= slopes[place] == 1.0);
        }
        candidates.into_iter().zip(always).find(|it| it.1).map(|it| it.0)
    }

    /// Returns what every query uses, network by network.
    fn bags(&self, views: &Views, numbers: &[f64]) -> Vec<Vec<Option<Bag>>> {
        let of = |space: &mut Workspace<f64>, at: usize| {
            let network = &self.networks.networks[at];
            network.forward(&self.schedule, numbers, space);
            views.bags(network, &self.schedule, numbers, space)
        };
        let count = self.validation.end;
        pooled(|| (0..count).into_par_iter().map_init(Workspace::default, of).collect())
    }

    /// Returns the queries to learn from.
    fn likeness_cases(&self, bags: &[Vec<Option<Bag>>], numbers: &[f64]) -> Vec<KernelCase> {
        let mut cases = Vec::new();
        let mut space = Workspace::default();
        for (at, network) in self.networks.networks[..self.validation.start].iter().enumerate() {
            network.forward(&self.schedule, numbers, &mut space);
            for counted in &self.counted[at] {
                for (nth, &query) in counted.queries.iter().enumerate() {
                    let value = space.output(network, query as usize).map(|value: &[f64]| value[0]);
                    if let (Some(bag), Some(base)) = (&bags[at][query as usize], value) {
                        let (bag, target) = (bag.clone(), counted.targets[nth]);
                        let mass = counted.weight * counted.importance.get(nth).copied().unwrap_or(1.0);
                        cases.push(KernelCase { bag, target, mass, base });
                    }
                }
            }
        }
        cases
    }

    /// Refuses a template whose value is another under the weights of a query than what likeness says.
    fn check_linear(
        &self,
        likeness: &SupportKernel,
        bags: &[Vec<Option<Bag>>],
        numbers: &[f64],
    ) -> Result<(), Error> {
        let Some((network, bags)) = self.networks.networks.first().zip(bags.first()) else { return Ok(()) };
        let mut space = Workspace::default();
        let mut value = |numbers: &[f64], query: usize| {
            network.forward(&self.schedule, numbers, &mut space);
            space.output(network, query).map_or(0.0, |value: &[f64]| value[0])
        };
        for (query, bag) in bags.iter().enumerate().take(8) {
            let Some(bag) = bag else { continue };
            let mut own = numbers.to_vec();
            likeness.weights(bag).into_iter().for_each(|(place, number)| own[place as usize] = number);
            let (expected, found) = (value(numbers, query) + likeness.value(bag), value(&own, query));
            if (expected - found).abs() > 1e-6 * (1.0 + expected.abs()) {
                let message = "the readout `kernel` needs a template that is linear in its indexed weights";
                let help =
                    "let the atoms on the way have `[activation = identity]`, and rules `product-identity`";
                return Err(Error::new(ErrorKind::Content, message).help(help));
            }
        }
        Ok(())
    }
}

/// Learns the multipliers, and the offset: those with the least Σ loss + ½ penalty Σ a a' k, by Newton's method. Each of
/// its steps is a system of linear equations, solved by conjugate gradients.
fn fit(views: Views, cases: &[KernelCase], penalty: f64, has_offset: bool) -> (SupportKernel, f64) {
    let blank = cases.iter().map(|case| (0.0, case.bag.clone())).collect();
    let mut likeness = SupportKernel::new(views, blank);
    let one = if has_offset { 1.0 } else { 0.0 };
    let row = |case: &KernelCase| -> Vec<f32> {
        likeness.kernel(&case.bag).into_iter().map(|alike| (alike + one) as f32).collect()
    };
    let gram: Vec<Vec<f32>> = pooled(|| cases.par_iter().map(row).collect());
    let multipliers = multipliers(&gram, cases, penalty);
    likeness.supports.iter_mut().zip(&multipliers).for_each(|(support, &number)| support.0 = number);
    (likeness, one * multipliers.iter().sum::<f64>())
}

fn multipliers(gram: &[Vec<f32>], cases: &[KernelCase], penalty: f64) -> Vec<f64> {
    let mut multipliers = vec![0.0; cases.len()];
    let mut values = vec![0.0; cases.len()];
    for _ in 0..MOST_STEPS {
        // With curvature c and slope s of the loss at a value v, the step solves (K + penalty / c) a = v - s / c.
        let bend = |(case, value): (&KernelCase, &f64)| {
            let chance = sigmoid(case.base + value);
            let curvature = case.mass * (chance * (1.0 - chance)).max(1e-6);
            (curvature.sqrt(), value - case.mass * (chance - case.target) / curvature)
        };
        let bends: Vec<(f64, f64)> = cases.iter().zip(&values).map(bend).collect();
        let apply = |direction: &[f64]| -> Vec<f64> {
            let scaled: Vec<f64> = direction.iter().zip(&bends).map(|(it, bend)| it * bend.0).collect();
            let found = products(gram, &scaled);
            let with = found.iter().zip(&bends).zip(direction);
            with.map(|((found, bend), direction)| found * bend.0 + penalty * direction).collect()
        };
        let wanted: Vec<f64> = bends.iter().map(|bend| bend.0 * bend.1).collect();
        let start: Vec<f64> = multipliers.iter().zip(&bends).map(|(it, bend)| it / bend.0).collect();
        let solved = conjugate(apply, &wanted, start);
        multipliers = solved.iter().zip(&bends).map(|(it, bend)| it * bend.0).collect();
        let before = std::mem::replace(&mut values, products(gram, &multipliers));
        let change = values.iter().zip(&before).map(|(new, old)| (new - old) * (new - old)).sum::<f64>();
        if change <= TOLERANCE * TOLERANCE * values.iter().map(|value| value * value).sum::<f64>() {
            break;
        }
    }
    multipliers
}

/// Returns the products of the rows of a matrix with numbers; sums run in one order on any number of threads.
fn products(rows: &[Vec<f32>], numbers: &[f64]) -> Vec<f64> {
    const LANES: usize = 8;
    let row = |row: &Vec<f32>| {
        let mut sums = [0.0; LANES];
        for (row, numbers) in row.chunks(LANES).zip(numbers.chunks(LANES)) {
            let terms = row.iter().zip(numbers);
            sums.iter_mut().zip(terms).for_each(|(sum, (&a, b))| *sum += f64::from(a) * b);
        }
        sums.iter().sum()
    };
    pooled(|| rows.par_iter().map(row).collect())
}

/// Solves a symmetric, positive definite system of linear equations by conjugate gradients.
fn conjugate(apply: impl Fn(&[f64]) -> Vec<f64>, wanted: &[f64], start: Vec<f64>) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut solution = start;
    let applied = apply(&solution);
    let mut rest: Vec<f64> = wanted.iter().zip(&applied).map(|(wanted, it)| wanted - it).collect();
    let mut direction = rest.clone();
    let mut size = dot(&rest, &rest);
    let enough = TOLERANCE * TOLERANCE * dot(wanted, wanted);
    for _ in 0..MOST_INNER_STEPS {
        if size <= enough {
            break;
        }
        let along = apply(&direction);
        let step = size / dot(&direction, &along);
        solution.iter_mut().zip(&direction).for_each(|(it, direction)| *it += step * direction);
        rest.iter_mut().zip(&along).for_each(|(rest, along)| *rest -= step * along);
        let before = std::mem::replace(&mut size, dot(&rest, &rest));
        let turn = size / before;
        direction.iter_mut().zip(&rest).for_each(|(it, rest)| *it = rest + turn * *it);
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns cases with bags of their own.
    fn cases() -> (Views, Vec<KernelCase>) {
        let views = Views { by_place: vec![Some(0), Some(0), Some(1), Some(1), None], count: 2 };
        let bag = |n: u32| Bag(vec![(n % 2, f64::from(1 + n % 3)), (2 + n % 2, 1.0), (3, 2.0)]);
        let fixed = |mut bag: Bag| {
            bag.0.sort_by_key(|it| it.0);
            bag.0.dedup_by_key(|it| it.0);
            bag
        };
        let case = |n: u32| KernelCase { bag: fixed(bag(n)), target: f64::from(n % 2), mass: 1.0, base: 0.0 };
        (views, (0..6).map(case).collect())
    }

    #[test]
    fn the_kernel_is_the_mean_over_views_of_minima_over_maxima() {
        let (views, _) = cases();
        let bag = |items: &[(u32, f64)]| Bag(items.to_vec());
        let support = bag(&[(0, 2.0), (2, 1.0)]);
        let likeness = SupportKernel::new(views, vec![(1.0, support)]);
        assert_eq!(likeness.kernel(&bag(&[(0, 2.0), (2, 1.0)])), [1.0]);
        assert_eq!(likeness.kernel(&bag(&[(0, 1.0), (1, 1.0), (3, 1.0)])), [0.5 * (1.0 / 3.0)]);
        assert_eq!(likeness.kernel(&bag(&[])), [0.0]);
    }

    #[test]
    fn the_weights_of_a_query_give_its_value() {
        let (views, cases) = cases();
        let supports = cases.iter().zip(1..).map(|(case, n)| (0.3 * f64::from(n) - 1.0, case.bag.clone()));
        let likeness = SupportKernel::new(views, supports.collect());
        for case in &cases {
            let amounts = case.bag.0.iter().map(|it| it.1);
            let sum: f64 =
                likeness.weights(&case.bag).iter().zip(amounts).map(|(it, amount)| it.1 * amount).sum();
            assert!((sum - likeness.value(&case.bag)).abs() < 1e-12);
        }
    }

    #[test]
    fn the_multipliers_are_those_of_the_least_loss() {
        let (views, cases) = cases();
        let penalty = 0.5;
        let (likeness, offset) = fit(views, &cases, penalty, true);
        let of = |shift: &[f64], offset: f64| {
            let mut likeness = likeness.clone();
            likeness.supports.iter_mut().zip(shift).for_each(|(it, shift)| it.0 += shift);
            let value = |case: &KernelCase| likeness.value(&case.bag) + offset;
            let loss = |case: &KernelCase| {
                let value = value(case);
                (1.0 + value.exp()).ln() - case.target * value
            };
            let size: f64 = (cases.iter().zip(&likeness.supports))
                .map(|(case, support)| support.0 * likeness.value(&case.bag))
                .sum();
            cases.iter().map(loss).sum::<f64>() + 0.5 * penalty * (size + offset * offset)
        };
        let least = of(&[0.0; 6], offset);
        for at in 0..6 {
            for step in [-1e-3, 1e-3] {
                let mut shift = [0.0; 6];
                shift[at] = step;
                assert!(of(&shift, offset) >= least - 1e-9, "{at} {step}");
                assert!(of(&[0.0; 6], offset + step) >= least - 1e-9, "{step}");
            }
        }
    }
}
