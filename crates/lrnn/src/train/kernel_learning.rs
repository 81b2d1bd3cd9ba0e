//! Learning by a kernel: which training queries there are, what each uses, and the multiplier of each.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::kernel::{Bag, Readout, SupportKernel, Views};
use super::loss::Loss;
use super::matrix::{KernelMatrix, KernelTarget};
use super::order::shuffled;
use super::problem::Problem;
use super::settings::Settings;
use crate::diagnostic::{Error, ErrorKind};
use crate::function::Real;
use crate::model::Support;
use crate::network::{Network, Networks, Parameters, Schedule, Workspace, mix};
use crate::template::{Template, WeightId};
use crate::threads::{each, each_with, pooled};
use crate::vocabulary::Vocabulary;

/// More queries to learn from than these are refused: memory grows with their square.
const MOST_QUERIES: usize = 20_000;
/// A penalty is chosen on at most so many parts, at least on so few, and on as many as learn from so many queries.
const MOST_PARTS: usize = 10;
const LEAST_PARTS: usize = 3;
const PART_QUERIES: usize = 10_000;
/// Stream of the random order of parts.
const PARTS: u64 = 5;
/// The least regularisation, so that there is an optimum.
const LEAST_PENALTY: f64 = 1e-3;

/// By query of a network: what it uses, and its value without the kernel; none outside the model.
type NetworkUses = Arc<Vec<Option<(Bag, f64)>>>;

/// Uses of weights by the queries of networks: the same, whatever is learned from them.
#[derive(Clone, Debug)]
pub struct KernelUses(Vec<NetworkUses>);

impl KernelUses {
    /// Finds it out for each of some networks.
    pub fn new(
        template: &Template,
        vocabulary: &Vocabulary,
        schedule: &Schedule,
        networks: &Networks,
    ) -> Self {
        let views = Views::new(template, &networks.parameters, &[]);
        let numbers = views.start(template, vocabulary, &networks.parameters);
        let of = |(space, slopes): &mut (Workspace<f64>, Vec<f64>), network: &Network| {
            network.forward(schedule, &numbers, space);
            let value = |query| space.output(network, query).map_or(0.0, |value: &[f64]| value[0]);
            let values: Vec<f64> = (0..network.output_count()).map(value).collect();
            let bags = views.bags(network, schedule, &numbers, space, slopes);
            Arc::new(bags.into_iter().zip(values).map(|(bag, value)| Some((bag?, value))).collect())
        };
        Self(each_with(&networks.networks, of))
    }

    /// Returns that of some of the networks, by their numbers.
    #[must_use]
    pub fn of_networks(&self, numbers: impl IntoIterator<Item = usize>) -> Self {
        Self(numbers.into_iter().map(|number| Arc::clone(&self.0[number])).collect())
    }
}

/// The kernel that a problem was learned by.
#[derive(Debug)]
pub struct LearnedKernel {
    /// Training queries with their multipliers.
    pub kernel: SupportKernel,
    /// The parameters: indexed weights are 0.
    parameters: Vec<f64>,
    /// By network and query, what the kernel adds to the value.
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
        self.kernel.supports().iter().map(support).collect()
    }
}

/// A place for it in a problem, empty at first.
pub(super) type KernelCell = OnceLock<LearnedKernel>;

/// A training query.
struct KernelCase {
    example: usize,
    bag: Bag,
    target: KernelTarget,
}

impl Problem {
    /// Returns what was learned by a kernel, if anything was.
    pub fn kernel(&self) -> Option<&LearnedKernel> {
        self.kernel.get()
    }

    /// Returns what the kernel adds to the value of a query of a network.
    pub(super) fn added<R: Real>(&self, network: usize, query: usize) -> R {
        let learned = self.kernel.get();
        R::from_f64(learned.map_or(0.0, |learned| learned.added[network][query]))
    }

    /// Returns the parameters that were learned beside a kernel, in any precision.
    pub(super) fn kernel_parameters<R: Real>(&self) -> Option<Vec<R>> {
        let learned = self.kernel.get()?;
        Some(learned.parameters.iter().map(|&number| R::from_f64(number)).collect())
    }

    /// Learns a kernel, if the settings ask for it; returns a sentence about what it chose. What the queries of its
    /// networks use is found out if it is not known.
    pub(super) fn learn_kernel(
        &self,
        template: &Template,
        vocabulary: &Vocabulary,
        settings: &Settings,
        uses: Option<&KernelUses>,
    ) -> Result<Option<String>, Error> {
        if settings.readout == Readout::Weights {
            return Ok(None);
        }
        let refuse = |what: &str, help: &str| Err(Error::new(ErrorKind::Content, what).help(help));
        if self.away.is_some() {
            return refuse("the readout `kernel` needs all examples at one place", "train without a crew");
        }
        if !matches!(self.loss, Loss::Logits | Loss::Softmax) {
            let help = "end the template in a number without bounds: `p/0 [activation = identity].`";
            return refuse("the readout `kernel` learns with the loss `logits`, or `softmax`", help);
        }
        let parameters = &self.networks.parameters;
        let views = Views::new(template, parameters, &[]);
        if views.count() == 0 {
            let help = "index some, as in `w[h(X), #] = 0 :: p :- *h(X).`, or leave the readout at `weights`";
            return refuse("the readout `kernel` needs weights with an index", help);
        }
        let mut start = views.start(template, vocabulary, parameters);
        let offset = self.offset_place(template);
        let found = || KernelUses::new(template, vocabulary, &self.schedule, &self.networks);
        let uses = &uses.cloned().unwrap_or_else(found);
        let cases = self.kernel_cases(uses);
        if cases.len() > MOST_QUERIES {
            let what = format!("{} queries are too many for the readout `kernel`", cases.len());
            return refuse(&what, "it takes 20,000 at most; leave the readout at `weights`");
        }
        if cases.iter().flat_map(|case| &case.bag.0).any(|used| used.1 < 0.0) {
            let help = "its indexed weights must enter the value by numbers from 0";
            return refuse("the readout `kernel` needs counts, and some here are negative", help);
        }
        let mass = cases.iter().map(|case| case.target.mass).sum::<f64>();
        let mut penalty = (settings.l2 > 0.0).then_some((settings.l2 * mass).max(LEAST_PENALTY));
        let is_chosen = penalty.is_none();
        let has_classes = self.loss == Loss::Softmax;
        let (kernel, shift) =
            pooled(|| fit(views, &cases, &mut penalty, offset.is_some(), has_classes, settings.seed));
        if let Some(place) = offset {
            start[place] += shift;
        }
        let of = |used: &Option<(Bag, f64)>| used.as_ref().map_or(0.0, |(bag, _)| kernel.value(bag));
        let uses_of = |uses: &NetworkUses| uses.iter().map(of).collect();
        let added = each(&uses.0[..self.validation.end], uses_of);
        self.check_linear(&kernel, uses, &start)?;
        drop(self.kernel.set(LearnedKernel { kernel, parameters: start, added }));
        let sentence =
            |penalty: f64| format!("l2 {:.1e} was chosen within the training queries", penalty / mass);
        Ok(penalty.filter(|_| is_chosen).map(sentence))
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

    /// Returns the queries to learn from.
    fn kernel_cases(&self, uses: &KernelUses) -> Vec<KernelCase> {
        let mut cases = Vec::new();
        for (at, uses) in uses.0[..self.validation.start].iter().enumerate() {
            for counted in &self.counted[at] {
                for (nth, &query) in counted.queries.iter().enumerate() {
                    if let Some((bag, base)) = &uses[query as usize] {
                        let mass = counted.weight * counted.importance.get(nth).copied().unwrap_or(1.0);
                        let target = KernelTarget { target: counted.targets[nth], mass, base: *base };
                        cases.push(KernelCase { example: counted.example, bag: bag.clone(), target });
                    }
                }
            }
        }
        cases
    }

    /// Refuses a template whose value is another under the weights of a query than what the kernel says.
    fn check_linear(&self, kernel: &SupportKernel, uses: &KernelUses, numbers: &[f64]) -> Result<(), Error> {
        let Some((network, uses)) = self.networks.networks.first().zip(uses.0.first()) else { return Ok(()) };
        let mut space = Workspace::default();
        let mut value = |numbers: &[f64], query: usize| {
            network.forward(&self.schedule, numbers, &mut space);
            space.output(network, query).map_or(0.0, |value: &[f64]| value[0])
        };
        for (query, used) in uses.iter().enumerate().take(8) {
            let Some((bag, _)) = used else { continue };
            let mut own = numbers.to_vec();
            kernel.weights(bag).into_iter().for_each(|(place, number)| own[place as usize] = number);
            let (expected, found) = (value(numbers, query) + kernel.value(bag), value(&own, query));
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

/// Learns the multipliers, with a penalty that is chosen if there is none; the cases of an example may be its classes.
/// Returns the kernel and the offset.
fn fit(
    views: Views,
    cases: &[KernelCase],
    penalty: &mut Option<f64>,
    has_offset: bool,
    has_classes: bool,
    seed: u64,
) -> (SupportKernel, f64) {
    let blank = cases.iter().map(|case| (0.0, case.bag.clone())).collect();
    let mut kernel = SupportKernel::new(views, blank);
    let one = if has_offset { 1.0 } else { 0.0 };
    let row = |case: &KernelCase| -> Vec<f32> {
        kernel.alike(&case.bag).into_iter().map(|alike| (alike + one) as f32).collect()
    };
    let rows: Vec<Vec<f32>> = each(cases, row);
    let matrix = KernelMatrix::new(&rows);
    drop(rows);
    let targets: Vec<KernelTarget> = cases.iter().map(|case| case.target).collect();
    let examples: Vec<usize> = cases.iter().map(|case| case.example).collect();
    let classes_of = has_classes.then_some(&examples[..]);
    let penalty =
        *penalty.get_or_insert_with(|| matrix.choose_penalty(&targets, &parts(cases, seed), classes_of));
    let multipliers = matrix.fit(&targets, penalty).multipliers;
    kernel.supports.iter_mut().zip(&multipliers).for_each(|(support, &number)| support.0 = number);
    (kernel, one * multipliers.iter().sum::<f64>())
}

/// Returns the cases of each part that is held out while a penalty is chosen: those of an example stay together, unless
/// there is one example only, and classes are in every part alike.
fn parts(cases: &[KernelCase], seed: u64) -> Vec<Vec<usize>> {
    let count = (PART_QUERIES / cases.len().max(1)).clamp(LEAST_PARTS, MOST_PARTS);
    let has_one = cases.iter().all(|case| case.example == cases[0].example);
    let mut groups: BTreeMap<usize, (Vec<usize>, u64)> = BTreeMap::new();
    for (at, case) in cases.iter().enumerate() {
        let group = groups.entry(if has_one { at } else { case.example }).or_default();
        group.0.push(at);
        group.1 = mix(group.1 ^ case.target.target.to_bits());
    }
    let groups: Vec<(Vec<usize>, u64)> = groups.into_values().collect();
    let mut order = shuffled(groups.len(), &[seed, PARTS]);
    order.sort_by_key(|&group| groups[group].1);
    let mut parts = vec![Vec::new(); count];
    for (at, group) in order.into_iter().enumerate() {
        parts[at % count].extend(&groups[group].0);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns cases with bags of their own.
    fn cases() -> (Views, Vec<KernelCase>) {
        let views = Views::of_places(vec![Some(0), Some(0), Some(1), Some(1), None], 2);
        let bag = |n: u32| Bag(vec![(n % 2, f64::from(1 + n % 3)), (2 + n % 2, 1.0), (3, 2.0)]);
        let fixed = |mut bag: Bag| {
            bag.0.sort_by_key(|it| it.0);
            bag.0.dedup_by_key(|it| it.0);
            bag
        };
        let case = |n: u32| {
            let target = KernelTarget { target: f64::from(n % 2), mass: 1.0, base: 0.0 };
            KernelCase { example: n as usize, bag: fixed(bag(n)), target }
        };
        (views, (0..6).map(case).collect())
    }

    #[test]
    fn the_weights_of_a_query_give_its_value() {
        let (views, cases) = cases();
        let supports = cases.iter().zip(1..).map(|(case, n)| (0.3 * f64::from(n) - 1.0, case.bag.clone()));
        let kernel = SupportKernel::new(views, supports.collect());
        for case in &cases {
            let amounts = case.bag.0.iter().map(|it| it.1);
            let sum: f64 =
                kernel.weights(&case.bag).iter().zip(amounts).map(|(it, amount)| it.1 * amount).sum();
            assert!((sum - kernel.value(&case.bag)).abs() < 1e-12);
        }
    }

    #[test]
    fn the_multipliers_are_those_of_the_least_loss() {
        let (views, cases) = cases();
        let penalty = 0.5;
        let (kernel, offset) = fit(views, &cases, &mut Some(penalty), true, false, 0);
        let of = |shift: &[f64], offset: f64| {
            let mut kernel = kernel.clone();
            kernel.supports.iter_mut().zip(shift).for_each(|(it, shift)| it.0 += shift);
            let value = |case: &KernelCase| kernel.value(&case.bag) + offset;
            let loss = |case: &KernelCase| {
                let value = value(case);
                (1.0 + value.exp()).ln() - case.target.target * value
            };
            let size: f64 = (cases.iter().zip(&kernel.supports))
                .map(|(case, support)| support.0 * kernel.value(&case.bag))
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
