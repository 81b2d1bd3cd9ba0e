//! Networks of some queries of one example: of all that these reach, or of ground rules that are drawn from it.
//!
//! The example is grounded once, and its ground rules are sorted by their heads; a walk from some queries then costs what
//! it reaches, and not what there is. It makes a small grounding, of which the network is built as any other.
//!
//! Of the n ground rules of one aggregation neuron at most k are kept. They are cut into k parts whose sizes differ by one at
//! most, and one of each part is drawn, which stands for its whole part: equal neurons are one neuron with a count
//! anyway, so a sum, a mean and a count need nothing else. Parts have n ground rules together, so a count is exact, and
//! sum and mean of what is drawn have those of all as their expected value. A maximum is that of the ones drawn.

use super::{BuildOptions, BuildSpace, Network, NetworkBuilder, Parameters, Schedule, mix};
use crate::data::{Example, FactTable, Query};
use crate::ground::{GroundRules, Grounding, HeadIndex, Relation};
use crate::template::{Rule, RuleId, Template};
use crate::threads::Spares;
use crate::vocabulary::PredicateId;

/// One grounded example, of which networks for some queries are built.
#[derive(Debug)]
pub struct NeighbourSampler {
    template: Template,
    schedule: Schedule,
    options: BuildOptions,
    /// With the tables of predicates that are inputs; the others are empty.
    example: Example,
    grounding: Grounding,
    /// By predicate, the rules that it is the head of.
    rules: Vec<Vec<RuleId>>,
    /// By rule; and whether all of its ground rules are kept, as those of atoms that need each other are.
    heads: Vec<(HeadIndex, bool)>,
    spaces: Spares<SampleSpace>,
}

/// A choice of ground rules.
#[derive(Clone, Copy, Debug)]
pub struct NeighbourDraw {
    /// Most ground rules of an aggregation neuron that are kept; all if there is none.
    pub most: Option<u32>,
    /// Seed of what is drawn, which depends on nothing else but the rule and the head.
    pub seed: u64,
}

/// Memory that is kept from one network to the next.
#[derive(Default)]
struct SampleSpace {
    /// By predicate and row, its row in the sample; that of all rows between two networks is [`UNSEEN`].
    rows: Vec<Vec<u32>>,
    /// The rows that were reached, in order.
    reached: Vec<(PredicateId, u32)>,
    build: BuildSpace,
}

const UNSEEN: u32 = u32::MAX;

impl NeighbourSampler {
    /// Keeps a grounding of an example, all ground rules written out.
    pub fn new(
        template: &Template,
        schedule: &Schedule,
        example: &Example,
        mut grounding: Grounding,
        options: BuildOptions,
    ) -> Self {
        let mut rules = vec![Vec::new(); grounding.relations.len()];
        template.rule_ids().for_each(|id| rules[template.rule(id).head.predicate.index()].push(id));
        let mut is_reached: Vec<bool> = rules.iter().map(|rules| !rules.is_empty()).collect();
        for (rule, ground) in template.rules.iter().zip(&mut grounding.rules) {
            rule.inputs.iter().for_each(|input| is_reached[input.atom.predicate.index()] = true);
            ground.body.truncate(rule.inputs.len());
        }
        let is_whole = |rule: &Rule| {
            let mut recursive = schedule.strata.iter().filter(|stratum| stratum.recursive);
            recursive.any(|stratum| stratum.predicates.contains(&rule.head.predicate))
        };
        let heads = template.rules.iter().zip(&grounding.rules).map(|(rule, ground)| {
            let rows = grounding.relations[rule.head.predicate.index()].len();
            (by_head(ground, rows), is_whole(rule))
        });
        let heads = heads.collect();
        let table = |table: &FactTable| match is_reached[table.predicate.index()] {
            true => table.clone(),
            false => FactTable { rows: 0, terms: Vec::new(), values: Vec::new(), ..*table },
        };
        let example = Example { tables: example.tables.iter().map(table).collect() };
        Self {
            template: template.clone(),
            schedule: schedule.clone(),
            options,
            example,
            grounding,
            rules,
            heads,
            spaces: Spares::default(),
        }
    }

    /// Builds the network of some queries, with the parameters of a network that has all of them.
    pub fn network(&self, queries: &[Query], draw: NeighbourDraw, parameters: &Parameters) -> Network {
        let mut space = self.spaces.take();
        let sample = self.sample(queries, draw, &mut space);
        let build = std::mem::take(&mut space.build);
        let mut builder = NetworkBuilder::within(&self.template, &self.schedule, self.options, build);
        builder.add(&self.example, &sample, queries);
        let (mut network, build) = builder.finish_within();
        space.build = build;
        self.spaces.give(space);
        network.bind_by(|key| parameters.find(key).expect("what is drawn has no other weights than all"));
        network
    }

    /// Returns what some queries reach through the ground rules that are drawn.
    fn sample(&self, queries: &[Query], draw: NeighbourDraw, space: &mut SampleSpace) -> Grounding {
        let relations = &self.grounding.relations;
        space.rows.resize_with(relations.len(), Vec::new);
        let empty = |ground: &GroundRules| GroundRules::new(ground.body.len(), ground.index.len());
        let sample = Grounding {
            relations: relations.iter().map(|relation| Relation::new(relation.arity())).collect(),
            facts: vec![Vec::new(); relations.len()],
            rules: self.grounding.rules.iter().map(empty).collect(),
            numbers: vec![Vec::new(); relations.len()],
        };
        let mut walk = SampleWalk { sampler: self, space, sample };
        for query in queries {
            if let Some(row) = relations[query.predicate.index()].find(&query.terms) {
                walk.reach(query.predicate, row);
            }
        }
        let mut next = 0;
        while let Some(&(predicate, row)) = walk.space.reached.get(next) {
            let rules = self.rules[predicate.index()].iter();
            rules.for_each(|&id| walk.add_rules(id, row, draw));
            next += 1;
        }
        let sample = walk.sample;
        for (predicate, row) in space.reached.drain(..) {
            space.rows[predicate.index()][row as usize] = UNSEEN;
        }
        sample
    }
}

/// Sorts ground rules by their heads, those of one index beside each other.
fn by_head(ground: &GroundRules, rows: usize) -> HeadIndex {
    let mut index = HeadIndex::new(ground, rows);
    if !ground.index.is_empty() {
        if index.order.is_empty() {
            index.order = (0..ground.len() as u32).collect();
        }
        for head in index.starts.windows(2) {
            index.order[head[0] as usize..head[1] as usize]
                .sort_by(|&one, &other| index_of(ground, one).cmp(index_of(ground, other)));
        }
    }
    index
}

/// Returns the constants of the index of a ground rule.
fn index_of(ground: &GroundRules, number: u32) -> impl Iterator<Item = crate::vocabulary::ConstantId> {
    ground.index.iter().map(move |column| column[number as usize])
}

/// A walk through a grounding that makes a smaller one.
struct SampleWalk<'a> {
    sampler: &'a NeighbourSampler,
    space: &'a mut SampleSpace,
    sample: Grounding,
}

impl SampleWalk<'_> {
    /// Returns the row of an atom in the sample.
    fn reach(&mut self, predicate: PredicateId, row: u32) -> u32 {
        let (at, all) = (predicate.index(), &self.sampler.grounding);
        let rows = &mut self.space.rows[at];
        if rows.is_empty() {
            rows.resize(all.relations[at].len(), UNSEEN);
        }
        if rows[row as usize] != UNSEEN {
            return rows[row as usize];
        }
        let own = &mut self.sample.relations[at];
        let number = own.len() as u32;
        rows[row as usize] = number;
        own.append(all.relations[at].row(row), 1);
        let facts = &all.facts[at];
        let first = facts.partition_point(|&(known, _)| known < row);
        let facts = facts[first..].iter().take_while(|&&(known, _)| known == row);
        self.sample.facts[at].extend(facts.map(|&(_, source)| (number, source)));
        self.sample.numbers[at].extend(all.numbers[at].get(row as usize));
        self.space.reached.push((predicate, row));
        number
    }

    /// Adds the ground rules of a rule that an atom keeps.
    fn add_rules(&mut self, id: RuleId, head: u32, draw: NeighbourDraw) {
        let sampler = self.sampler;
        let ((index, is_whole), ground) = (&sampler.heads[id.index()], &sampler.grounding.rules[id.index()]);
        let (mut start, end) = (index.starts[head as usize], index.starts[head as usize + 1]);
        while start < end {
            let first = index.number(start);
            let is_other = |&place: &u32| index_of(ground, index.number(place)).ne(index_of(ground, first));
            let stop = if ground.index.is_empty() { end } else { (start..end).find(is_other).unwrap_or(end) };
            let most = draw.most.filter(|_| !is_whole).unwrap_or(u32::MAX);
            let seed = [u64::from(id.0), head.into(), start.into()].into_iter();
            let seed = seed.fold(draw.seed, |state, word| mix(state ^ mix(word)));
            for (place, times) in parts(stop - start, most, seed) {
                self.add_rule(id, index.number(start + place), times);
            }
            start = stop;
        }
    }

    fn add_rule(&mut self, id: RuleId, number: u32, times: u32) {
        let (rule, at) = (self.sampler.template.rule(id), number as usize);
        let ground = &self.sampler.grounding.rules[id.index()];
        let head = self.reach(rule.head.predicate, ground.heads[at]);
        for (place, input) in rule.inputs.iter().enumerate() {
            let row = self.reach(input.atom.predicate, ground.body[place][at]);
            self.sample.rules[id.index()].body[place].push(row);
        }
        let own = &mut self.sample.rules[id.index()];
        own.heads.push(head);
        own.index.iter_mut().zip(&ground.index).for_each(|(own, column)| own.push(column[at]));
        own.times.push(times);
    }
}

/// Cuts `count` things into at most `most` parts, as even as can be, and draws one of each: its place, and the size of its
/// part. Parts begin anywhere, and what is behind the last is at the beginning again.
fn parts(count: u32, most: u32, seed: u64) -> impl Iterator<Item = (u32, u32)> {
    let all = count.min(most);
    let is_whole = all == count;
    let below =
        move |bound: u32, number: u64| ((u128::from(mix(seed ^ number)) * u128::from(bound)) >> 64) as u32;
    let first = if is_whole { 0 } else { below(count, u64::MAX) };
    let cut = move |part: u32| (u64::from(part) * u64::from(count) / u64::from(all.max(1))) as u32;
    (0..all).map(move |part| {
        let (start, size) = (cut(part), cut(part + 1) - cut(part));
        let place = if is_whole { part } else { start + below(size, part.into()) };
        (((u64::from(first) + u64::from(place)) % u64::from(count)) as u32, size)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, DatasetBuilder, Layout};
    use crate::diagnostic::SourceId;
    use crate::ground::{Limits, Plans, Statistics, fit, ground};
    use crate::network::{Networks, Reference, Weights, Workspace};

    /// Two layers, with an index, facts of the template, and a recursive predicate behind them.
    const TEMPLATE: &str = "
        v[T] = {2} :: f(X) :- kind(X, T).
        {2, 2} :: h(X) :- edge(X, Y), f(Y). [aggregation = AGGREGATION]
        u[T] :: g(X) :- {1, 2} :: h(Y), edge(X, Y), kind(Y, T). [aggregation = AGGREGATION]
        0.5 :: far(X) :- g(X).
        0.3 :: far(X) :- far(Y), after(X, Y).
        {1, 2} :: class(X) :- h(X).
        class(X) :- far(X).";

    /// A graph of 40 nodes in which each has up to 12 neighbours, and a query for each.
    fn case(aggregation: &str) -> (Template, Dataset, Grounding) {
        let template = Template::parse(&TEMPLATE.replace("AGGREGATION", aggregation)).expect("a template");
        let mut facts = Vec::new();
        for node in 0_u64..40 {
            facts.push(format!(
                "0.{} kind(n{node}, {})",
                1 + node % 9,
                ["a", "b", "c"][mix(node) as usize % 3]
            ));
            let neighbour = |nth: u64| mix(mix(node) ^ nth) % 40;
            facts.extend((0..1 + node % 12).map(|nth| format!("edge(n{node}, n{})", neighbour(nth))));
            facts.extend((node > 0).then(|| format!("after(n{node}, n{})", node / 2)));
        }
        let queries: Vec<String> = (0..40).map(|node| format!("1 class(n{node}).")).collect();
        let mut builder = DatasetBuilder::new(template.vocabulary.clone());
        builder.examples(&format!("{}.", facts.join(", ")), SourceId(0), Layout::Examples);
        builder.queries(&queries.concat(), SourceId(0));
        let dataset = builder.finish().expect("data");
        let template = fit(&template, &dataset, false).0.expect("a template that fits");
        let plans = Plans::new(&template, &Statistics::of(&dataset));
        let (example, limits) = (&dataset.examples[0], Limits::default());
        let grounding =
            ground(&template, &plans, &dataset.vocabulary, example, &limits).expect("a grounding");
        (template, dataset, grounding)
    }

    struct Whole {
        schedule: Schedule,
        networks: Networks,
        numbers: Vec<f64>,
        sampler: NeighbourSampler,
    }

    fn whole(template: &Template, dataset: &Dataset, grounding: &Grounding) -> Whole {
        let schedule = Schedule::new(template).expect("a schedule");
        let options = BuildOptions::default();
        let mut builder = NetworkBuilder::new(template, &schedule, options);
        builder.add(&dataset.examples[0], grounding, &dataset.queries[0]);
        let networks = Networks::bind(template, vec![builder.finish()]);
        let numbers = networks.parameters.values(template, &dataset.vocabulary, &Weights::new(3));
        let sampler =
            NeighbourSampler::new(template, &schedule, &dataset.examples[0], grounding.clone(), options);
        Whole { schedule, networks, numbers, sampler }
    }

    /// The values of the queries of a network, and the gradient of the sum of their squares.
    fn learned(schedule: &Schedule, network: &Network, numbers: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut space, mut gradient) = (Workspace::default(), vec![0.0; numbers.len()]);
        network.forward(schedule, numbers, &mut space);
        let value = |query| space.output(network, query).map_or(f64::NAN, |value| value[0]);
        let values = (0..network.output_count()).map(value).collect();
        let seed = |_: usize, value: &[f64], seed: &mut [f64]| seed[0] = 2.0 * value[0];
        network.backward(schedule, numbers, &mut space, seed, &mut gradient);
        (values, gradient)
    }

    fn assert_close(one: &[f64], other: &[f64], about: &str) {
        assert_eq!(one.len(), other.len(), "{about}");
        for (one, other) in one.iter().zip(other) {
            assert!((one - other).abs() <= 1e-12 * one.abs().max(1.0), "{about}: {one} and {other}");
        }
    }

    #[test]
    fn batches_of_everything_have_the_values_of_the_whole_and_their_gradients_add_up() {
        for aggregation in ["mean", "sum", "max", "min", "count"] {
            let (template, dataset, grounding) = case(aggregation);
            let Whole { schedule, networks, numbers, sampler } = whole(&template, &dataset, &grounding);
            let (expected, gradient) = learned(&schedule, &networks.networks[0], &numbers);
            let (mut values, mut sum) = (Vec::new(), vec![0.0; numbers.len()]);
            for queries in dataset.queries[0].chunks(7) {
                let draw = NeighbourDraw { most: None, seed: 1 };
                let network = sampler.network(queries, draw, &networks.parameters);
                let own = learned(&schedule, &network, &numbers);
                values.extend(own.0);
                sum.iter_mut().zip(own.1).for_each(|(sum, slope)| *sum += slope);
            }
            assert_close(&values, &expected, aggregation);
            assert_close(&sum, &gradient, aggregation);
        }
    }

    #[test]
    fn what_is_drawn_stands_for_its_part_as_the_reference_network_has_it() {
        for aggregation in ["mean", "sum", "max", "min", "count"] {
            let (template, dataset, grounding) = case(aggregation);
            let Whole { schedule, networks, numbers, sampler } = whole(&template, &dataset, &grounding);
            for (most, seed) in [(1, 0), (3, 1), (3, 2), (5, 3)] {
                let queries = &dataset.queries[0][seed as usize..20];
                let draw = NeighbourDraw { most: Some(most), seed };
                let network = sampler.network(queries, draw, &networks.parameters);
                let (values, _) = learned(&schedule, &network, &numbers);
                // Every ground rule as often as it counts.
                let mut sample = sampler.sample(queries, draw, &mut SampleSpace::default());
                assert!(sample.rules.iter().any(|rules| rules.times.iter().any(|&times| times > 1)));
                for rules in &mut sample.rules {
                    let times = std::mem::take(&mut rules.times);
                    repeat(&mut rules.heads, &times);
                    rules.body.iter_mut().for_each(|column| repeat(column, &times));
                    rules.index.iter_mut().for_each(|column| repeat(column, &times));
                }
                let reference =
                    Reference::build(&template, &dataset.vocabulary, &dataset.examples[0], &sample);
                let reference = reference.expect("a network");
                let all = reference.evaluate::<f64>(&template, &dataset.vocabulary, &Weights::new(3));
                let all = all.expect("values");
                let value = |query: &Query| {
                    let row = sample.relations[query.predicate.index()].find(&query.terms).expect("a row");
                    reference.value_of(&all, query.predicate, row).expect("a value").0[0]
                };
                let expected: Vec<f64> = queries.iter().map(value).collect();
                assert_close(&values, &expected, aggregation);
            }
        }
    }

    fn repeat<T: Copy>(column: &mut Vec<T>, times: &[u32]) {
        let all =
            column.iter().zip(times).flat_map(|(&entry, &times)| std::iter::repeat_n(entry, times as usize));
        *column = all.collect();
    }

    #[test]
    fn a_recursive_predicate_keeps_all_its_ground_rules_and_others_no_more_than_asked() {
        let (template, dataset, grounding) = case("sum");
        let sampler = whole(&template, &dataset, &grounding).sampler;
        let draw = NeighbourDraw { most: Some(2), seed: 5 };
        let sample = sampler.sample(&dataset.queries[0], draw, &mut SampleSpace::default());
        for (id, (own, all)) in template.rule_ids().zip(sample.rules.iter().zip(&grounding.rules)) {
            let mut groups: Vec<_> = (0..own.len())
                .map(|at| (own.heads[at], index_of(own, at as u32).collect::<Vec<_>>()))
                .collect();
            groups.sort();
            let most = groups.chunk_by(|one, other| one == other).map(<[_]>::len).max().unwrap_or(0);
            if sampler.heads[id.index()].1 {
                assert_eq!((own.len(), most), (all.len(), 1), "rule {}", id.0);
            }
            assert!(most <= 2, "rule {} has {most}", id.0);
            // Every query reaches its atom, so all heads have what they had.
            if sampler.rules[template.rule(id).head.predicate.index()].len() == 1 && id.0 == 1 {
                assert_eq!(own.times.iter().sum::<u32>() as usize, all.len());
            }
        }
    }

    #[test]
    fn sums_and_means_of_what_is_drawn_are_right_in_the_mean() {
        for (count, most) in [(10, 3), (7, 2), (12, 4), (5, 5), (3, 8), (1, 1)] {
            let draws = 20_000;
            let mut weight = vec![0.0; count as usize];
            for seed in 0..draws {
                let drawn: Vec<(u32, u32)> = parts(count, most, mix(seed)).collect();
                assert_eq!(drawn.len() as u32, count.min(most));
                assert_eq!(drawn.iter().map(|part| part.1).sum::<u32>(), count);
                drawn.iter().for_each(|&(place, times)| weight[place as usize] += f64::from(times));
            }
            // Each counts once in the mean, so that whatever it adds to a sum is there once.
            let is_right = |weight: &f64| (weight / draws as f64 - 1.0).abs() < 0.05;
            assert!(weight.iter().all(is_right), "{count} {most}: {weight:?}");
        }
    }
}
