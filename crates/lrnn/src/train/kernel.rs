//! The readout `kernel`: a weight is not one number but what the training examples say of it, each as much as it is
//! like the example at hand.
//!
//! Take a template that is linear in its indexed weights, and let φ(x) be the numbers that they are multiplied by in the
//! value of a query x: how often each is used. Two queries are alike by k(x, z) = Σ min(φ(x), φ(z)) / Σ max(φ(x), φ(z)),
//! the min-max kernel, which is Tanimoto's on counts; where weights feed several predicates, each of them is a *view*
//! with a kernel of its own, and k is their mean. The value of x is b + Σ a k(x, z) over the training queries z, each
//! with its multiplier a. The same value comes out of the network when every weight is
//! Σ a min(φ(x), φ(z)) / (φ(x) Σ max(φ(x), φ(z))), by weight and over z: so contributions are those of the network, and
//! add up. With these weights it is linear, and what is learned, b and all a, has one optimum.

use super::columns::UseColumns;
use crate::function::Real;
use crate::function::table::table;
use crate::network::{Initialisation, Network, Parameters, Schedule, Weights, Workspace};
use crate::template::Template;
use crate::vocabulary::{PredicateId, Vocabulary};

table! {
    /// Sources of the numbers of indexed weights.
    pub enum Readout {
        /// Each weight is a number that is learned.
        Weights = "weights", ["linear"], "w";
        /// Each weight is what the training examples say that use it, as much as they are like the example.
        Kernel = "kernel", [], "Σ a min(φ, φ') / (φ Σ max(φ, φ')), over training examples";
    }
}

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

    #[cfg(test)]
    pub(super) fn of_places(by_place: Vec<Option<u8>>, count: usize) -> Self {
        Self { by_place, count }
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

    /// Returns the parameters to begin with: what has a view is 0.
    pub(super) fn start(
        &self,
        template: &Template,
        vocabulary: &Vocabulary,
        parameters: &Parameters,
    ) -> Vec<f64> {
        let start = Weights::starting(0, Initialisation::Constant, 0.0);
        let mut start: Vec<f64> = parameters.values(template, vocabulary, &start);
        let by_place = self.by_place.iter().zip(&mut start);
        by_place.filter(|(view, _)| view.is_some()).for_each(|(_, number)| *number = 0.0);
        start
    }

    /// Returns how many places there are, with or without a view.
    pub(super) fn place_count(&self) -> usize {
        self.by_place.len()
    }

    /// Returns how many views there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns the view of a place.
    pub(super) fn of(&self, place: u32) -> usize {
        self.by_place[place as usize].map_or(0, usize::from)
    }

    /// Returns what each query of a network uses; none outside the model. The network was computed in this space just
    /// now, under these parameters. The slopes are all 0, before and after.
    pub fn bags<R: Real>(
        &self,
        network: &Network,
        schedule: &Schedule,
        parameters: &[R],
        space: &mut Workspace<R>,
        slopes: &mut Vec<R>,
    ) -> Vec<Option<Bag>> {
        slopes.resize(parameters.len(), R::ZERO);
        // What all of them use, so that little is looked at for each.
        let all = |_: usize, _: &[R], out: &mut [R]| out.fill(R::ONE);
        network.backward(schedule, parameters, space, all, slopes);
        let used = (0..).zip(slopes.iter()).filter(|(_, slope)| **slope != R::ZERO);
        let used: Vec<u32> = used.map(|(place, _)| place).collect();
        let mut of = |query: usize| {
            network.is_entailed(query).then(|| {
                if network.output_count() > 1 {
                    used.iter().for_each(|&place| slopes[place as usize] = R::ZERO);
                    let seed = |at: usize, _: &[R], out: &mut [R]| {
                        out.fill(if at == query { R::ONE } else { R::ZERO });
                    };
                    network.backward(schedule, parameters, space, seed, slopes);
                }
                let in_view = used.iter().filter(|&&place| self.by_place[place as usize].is_some());
                let own = in_view.map(|&place| (place, slopes[place as usize].to_f64()));
                Bag(own.filter(|used| used.1 != 0.0).collect())
            })
        };
        let bags = (0..network.output_count()).map(&mut of).collect();
        used.iter().for_each(|&place| slopes[place as usize] = R::ZERO);
        bags
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
    pub(super) supports: Vec<(f64, Bag)>,
    /// By support and view, the sum of its bag.
    totals: Vec<Vec<f64>>,
    columns: UseColumns,
}

impl SupportKernel {
    /// Puts training queries with their multipliers together.
    pub fn new(views: Views, supports: Vec<(f64, Bag)>) -> Self {
        let totals = supports.iter().map(|(_, bag)| views.totals(bag)).collect();
        let columns = UseColumns::new(&views, supports.iter().map(|support| &support.1));
        Self { views, supports, totals, columns }
    }

    /// Returns the training queries with their multipliers.
    pub fn supports(&self) -> &[(f64, Bag)] {
        &self.supports
    }

    /// Returns which places belong to which view.
    pub fn views(&self) -> &Views {
        &self.views
    }

    /// Returns, by support and view, Σ min and Σ max of a bag and the support's.
    fn overlaps(&self, bag: &Bag) -> Vec<(f64, f64)> {
        let mut common = vec![0.0; self.supports.len() * self.views.count];
        self.columns.add_common(&self.views, bag, &mut common);
        let own = self.views.totals(bag);
        let totals = self.totals.iter().flat_map(|totals| totals.iter().zip(&own));
        common.into_iter().zip(totals).map(|(least, (total, own))| (least, total + own - least)).collect()
    }

    /// Returns how alike a bag and each support are.
    pub(super) fn alike(&self, bag: &Bag) -> Vec<f64> {
        let count = self.views.count.max(1);
        let alike = |&(least, most): &(f64, f64)| if most > 0.0 { least / most } else { 0.0 };
        let overlaps = self.overlaps(bag);
        overlaps.chunks(count).map(|views| views.iter().map(alike).sum::<f64>() / count as f64).collect()
    }

    /// Returns what the kernel adds to the value of a query.
    pub fn value(&self, bag: &Bag) -> f64 {
        self.alike(bag).iter().zip(&self.supports).map(|(alike, support)| alike * support.0).sum()
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
            (place, self.columns.users(place).iter().map(part).sum())
        };
        bag.0.iter().map(weight).collect()
    }

    /// Adds what the kernel adds to the values of a network's queries, which was computed in this space just now.
    pub fn add<R: Real>(
        &self,
        network: &Network,
        schedule: &Schedule,
        parameters: &[R],
        space: &mut Workspace<R>,
        values: &mut [Option<Vec<f64>>],
    ) {
        let bags = self.views.bags(network, schedule, parameters, space, &mut Vec::new());
        for (value, bag) in values.iter_mut().zip(bags) {
            if let (Some(value), Some(bag)) = (value, bag) {
                let more = self.value(&bag);
                value.iter_mut().for_each(|number| *number += more);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_is_the_mean_over_views_of_minima_over_maxima() {
        let views = Views { by_place: vec![Some(0), Some(0), Some(1), Some(1), None], count: 2 };
        let bag = |items: &[(u32, f64)]| Bag(items.to_vec());
        let support = bag(&[(0, 2.0), (2, 1.0)]);
        let kernel = SupportKernel::new(views, vec![(1.0, support)]);
        assert_eq!(kernel.alike(&bag(&[(0, 2.0), (2, 1.0)])), [1.0]);
        assert_eq!(kernel.alike(&bag(&[(0, 1.0), (1, 1.0), (3, 1.0)])), [0.5 * (1.0 / 3.0)]);
        assert_eq!(kernel.alike(&bag(&[])), [0.0]);
    }
}
