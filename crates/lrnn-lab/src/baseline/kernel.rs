//! The min-max kernel on counts of rule bodies, Σ min / Σ max (Tanimoto's on counts), and two methods by it: a support
//! vector machine, and nearest neighbours. The cost of a mistake and the number of neighbours are those with the fewest
//! wrong answers over an inner split. Several classes are learned one against the rest.

use lrnn::function::math::sigmoid;
use lrnn::threads::each;

use super::split::parts;
use super::{FeatureTask, Features, rivals, shares, wrong_answers};

/// The costs of a mistake to choose from.
const COSTS: [f64; 5] = [0.3, 1.0, 3.0, 10.0, 30.0];
/// The numbers of neighbours to choose from.
const NEIGHBOURS: [usize; 6] = [1, 3, 5, 9, 15, 25];
const INNER_PARTS: usize = 3;
/// The largest violation of the optimality conditions that is left.
const TOLERANCE: f64 = 1e-3;
const MOST_STEPS: usize = 200_000;

/// The kernel between examples, computed once for a task.
struct Gram {
    /// By example, its place among the rows; training examples come first.
    places: Vec<usize>,
    width: usize,
    /// Row by row, the kernel with each training example.
    values: Vec<f32>,
}

impl Gram {
    fn new(task: &FeatureTask<'_>) -> Self {
        let all: Vec<usize> = task.training.iter().chain(task.test).copied().collect();
        let mut places = vec![usize::MAX; all.iter().max().map_or(0, |most| most + 1)];
        all.iter().enumerate().rev().for_each(|(place, &example)| places[example] = place);
        let columns = columns(task);
        let total = |&example: &usize| counted(task.features, example).iter().map(|count| count.1).sum();
        let totals: Vec<f64> = task.training.iter().map(total).collect();
        // Σ max is what both have less Σ min, and only features that both have add to that.
        let row = |example: &usize| {
            let (own, mut least) = (total(example), vec![0.0; totals.len()]);
            for &(feature, count) in counted(task.features, *example) {
                for &(place, other) in columns.get(feature as usize).into_iter().flatten() {
                    least[place as usize] += count.min(other);
                }
            }
            let kernel = |(least, total): (f64, &f64)| {
                let most = own + total - least;
                if most > 0.0 { (least / most) as f32 } else { 1.0 } // two empty ones are alike
            };
            least.into_iter().zip(&totals).map(kernel).collect::<Vec<f32>>()
        };
        let rows = each(&all, row);
        Self { places, width: task.training.len(), values: rows.concat() }
    }

    /// Returns the kernel of an example with each training example of the task.
    fn row(&self, example: usize) -> &[f32] {
        let start = self.places[example] * self.width;
        &self.values[start..start + self.width]
    }
}

/// Returns by feature the places of the training examples that have it, and how often.
fn columns(task: &FeatureTask<'_>) -> Vec<Vec<(u32, f64)>> {
    let mut columns: Vec<Vec<(u32, f64)>> = Vec::new();
    for (place, &example) in (0..).zip(task.training) {
        for &(feature, count) in counted(task.features, example) {
            let feature = feature as usize;
            columns.resize_with(columns.len().max(feature + 1), Vec::new);
            columns[feature].push((place, count));
        }
    }
    columns
}

fn counted(features: &Features, example: usize) -> &[(u32, f64)] {
    features.counts.get(example).map_or_else(|| features.row(example), Vec::as_slice)
}

/// Answers by a support vector machine. Its probabilities are sigmoids of distances: their order counts, and their side
/// of one half.
pub(super) fn support_vectors(task: &FeatureTask<'_>) -> Vec<Vec<f64>> {
    by_choice(task, &COSTS, |gram, training, asked, &cost| {
        let machines: Vec<Machine> =
            rivals(task).map(|class| Machine::fit(task, gram, training, class, cost)).collect();
        let answer = |&example: &usize| {
            shares(machines.iter().map(|machine| sigmoid(2.0 * machine.score(gram, example))).collect())
        };
        asked.iter().map(answer).collect()
    })
}

/// Answers by the nearest neighbours; each has as much to say as it is alike, and those as near as the last are asked
/// too.
pub(super) fn neighbours(task: &FeatureTask<'_>) -> Vec<Vec<f64>> {
    by_choice(task, &NEIGHBOURS, |gram, training, asked, &count| {
        let answer = |&example: &usize| {
            let row = gram.row(example);
            let mut near: Vec<(f32, u32)> =
                (training.iter()).map(|&other| (row[gram.places[other]], task.classes[other])).collect();
            near.sort_by(|a, b| b.0.total_cmp(&a.0));
            let least = near.get(count - 1).map_or(f32::NEG_INFINITY, |last| last.0);
            let mut votes = vec![0.0; task.class_count];
            near.iter().take_while(|one| one.0 >= least).for_each(|&(alike, class)| {
                votes[class as usize] += f64::from(alike) + 1e-9;
            });
            shares(votes)
        };
        asked.iter().map(answer).collect()
    })
}

/// Answers the test examples under the choice with the fewest wrong answers over an inner split; the first of equals.
/// `answer` is given the examples to learn from and those to answer.
fn by_choice<T>(
    task: &FeatureTask<'_>,
    choices: &[T],
    answer: impl Fn(&Gram, &[usize], &[usize], &T) -> Vec<Vec<f64>>,
) -> Vec<Vec<f64>> {
    if task.training.is_empty() || !task.has_two_classes() {
        return vec![task.frequencies(); task.test.len()];
    }
    let gram = Gram::new(task);
    let inner = parts(task.training, task.classes, INNER_PARTS, task.seed);
    let wrong = |choice: &&T| {
        wrong_answers(&inner, task.classes, |training, held| answer(&gram, training, held, choice))
    };
    let best = choices.iter().min_by_key(wrong);
    best.map_or_else(Vec::new, |best| answer(&gram, task.training, task.test, best))
}

/// A support vector machine for one class against the rest, by sequential minimal optimisation: the pair of multipliers
/// that violates the conditions of optimality most, by the second order, is moved until none does.
struct Machine {
    /// The places of the support vectors among the training examples of the task, and their signed multipliers.
    vectors: Vec<(usize, f64)>,
    offset: f64,
}

impl Machine {
    fn fit(task: &FeatureTask<'_>, gram: &Gram, training: &[usize], class: u32, cost: f64) -> Self {
        let side = |example: &usize| if task.classes[*example] == class { 1.0 } else { -1.0 };
        let sides: Vec<f64> = training.iter().map(side).collect();
        let places: Vec<usize> = training.iter().map(|&example| gram.places[example]).collect();
        let (multipliers, slopes) = (vec![0.0; training.len()], vec![-1.0; training.len()]);
        let mut it = Descent { gram, training, places, sides, multipliers, slopes, cost };
        for _ in 0..MOST_STEPS {
            let Some((i, j)) = it.violating() else { break };
            it.step(i, j);
        }
        let vectors = (it.places.iter().zip(&it.sides).zip(&it.multipliers))
            .filter(|(_, multiplier)| **multiplier > 0.0)
            .map(|((&place, side), multiplier)| (place, side * multiplier))
            .collect();
        Self { vectors, offset: it.offset() }
    }

    fn score(&self, gram: &Gram, example: usize) -> f64 {
        let row = gram.row(example);
        let sum: f64 = self.vectors.iter().map(|&(place, weight)| weight * f64::from(row[place])).sum();
        sum + self.offset
    }
}

/// Multipliers on their way to the optimum, one for each training example.
struct Descent<'a> {
    gram: &'a Gram,
    training: &'a [usize],
    /// Places among the training examples of the task.
    places: Vec<usize>,
    /// 1 for the class, −1 for the rest.
    sides: Vec<f64>,
    multipliers: Vec<f64>,
    slopes: Vec<f64>,
    cost: f64,
}

impl Descent<'_> {
    /// Moves a pair of multipliers.
    fn step(&mut self, i: usize, j: usize) {
        let Self { gram, training, places, sides, multipliers, slopes, cost } = self;
        let (row_i, row_j) = (gram.row(training[i]), gram.row(training[j]));
        let bend = f64::from(row_i[places[i]] + row_j[places[j]] - 2.0 * row_i[places[j]]).max(1e-12);
        let wanted = (-sides[i] * slopes[i] + sides[j] * slopes[j]) / bend;
        // Both stay between 0 and the cost, and the sum of signed multipliers is kept.
        let room = |at: usize, sign: f64| match sides[at] * sign > 0.0 {
            true => *cost - multipliers[at],
            false => multipliers[at],
        };
        let step = wanted.min(room(i, 1.0)).min(room(j, -1.0));
        multipliers[i] += sides[i] * step;
        multipliers[j] -= sides[j] * step;
        for (at, slope) in slopes.iter_mut().enumerate() {
            *slope += step * sides[at] * f64::from(row_i[places[at]] - row_j[places[at]]);
        }
    }

    /// Returns the multipliers that may move so that their signed values grow, or so that they fall, with their slopes.
    fn moving(&self, grows: bool) -> impl Iterator<Item = (usize, f64)> {
        let may = move |at: &usize| match (self.sides[*at] > 0.0) == grows {
            true => self.multipliers[*at] < self.cost,
            false => self.multipliers[*at] > 0.0,
        };
        (0..self.sides.len()).filter(may).map(|at| (at, -self.sides[at] * self.slopes[at]))
    }

    /// Returns the pair to move: the first violates the conditions most, the second promises the largest gain with it.
    fn violating(&self) -> Option<(usize, usize)> {
        let (i, top) = self.moving(true).reduce(|best, one| if one.1 > best.1 { one } else { best })?;
        let row = self.gram.row(self.training[i]);
        let mut found: Option<(usize, f64)> = None;
        let mut least = f64::INFINITY;
        for (at, value) in self.moving(false) {
            least = least.min(value);
            let gap = top - value;
            if gap > 0.0 {
                let bend = f64::from(row[self.places[i]] + 1.0 - 2.0 * row[self.places[at]]).max(1e-12);
                let gain = gap * gap / bend;
                if found.is_none_or(|best| gain > best.1) {
                    found = Some((at, gain));
                }
            }
        }
        found.filter(|_| top - least > TOLERANCE).map(|(j, _)| (i, j))
    }

    /// Returns the offset: the mean over support vectors that are not at the cost, or the middle of what is left to it.
    fn offset(&self) -> f64 {
        let is_free =
            |(at, _): &(usize, f64)| self.multipliers[*at] > 0.0 && self.multipliers[*at] < self.cost;
        let free: Vec<f64> = self.moving(true).filter(is_free).map(|it| it.1).collect();
        if !free.is_empty() {
            return free.iter().sum::<f64>() / free.len() as f64;
        }
        let low = self.moving(true).map(|it| it.1).fold(f64::NEG_INFINITY, f64::max);
        let high = self.moving(false).map(|it| it.1).fold(f64::INFINITY, f64::min);
        if low.is_finite() && high.is_finite() { 0.5 * (low + high) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_is_the_sum_of_minima_over_that_of_maxima() {
        let check = |left: &[(u32, f64)], right: &[(u32, f64)], expected: f32| {
            let features = Features { rows: vec![left.to_vec(), right.to_vec()], ..Features::default() };
            let gram = Gram::new(&FeatureTask {
                features: &features,
                classes: &[0, 1],
                class_count: 2,
                training: &[0, 1],
                test: &[],
                seed: 0,
            });
            assert_eq!((gram.row(0), gram.row(1)), (&[1.0, expected][..], &[expected, 1.0][..]));
        };
        check(&[(0, 2.0), (3, 1.0)], &[(0, 1.0), (1, 4.0), (3, 3.0)], 2.0 / 9.0);
        check(&[(5, 2.0)], &[(5, 2.0)], 1.0);
        check(&[(5, 2.0)], &[(4, 2.0)], 0.0);
        check(&[], &[(4, 2.0)], 0.0);
        check(&[], &[], 1.0);
    }

    /// Returns counts that decide two classes.
    fn features() -> (Features, Vec<u32>) {
        let classes: Vec<u32> = (0..30).map(|number| number % 2).collect();
        let row = |number: u32| vec![(number % 2, f64::from(1 + number % 5)), (2, f64::from(number * 7 % 3))];
        let names = ["a", "b", "c"].map(String::from).to_vec();
        (Features { names, rows: (0..30).map(row).collect(), counts: Vec::new() }, classes)
    }

    #[test]
    fn the_machine_meets_the_conditions_of_its_optimum() {
        let (features, classes) = features();
        let (training, cost): (Vec<usize>, f64) = ((0..30).collect(), 3.0);
        let task = FeatureTask {
            features: &features,
            classes: &classes,
            class_count: 2,
            training: &training,
            test: &[],
            seed: 1,
        };
        let gram = Gram::new(&task);
        let machine = Machine::fit(&task, &gram, &training, 1, cost);
        let balance: f64 = machine.vectors.iter().map(|vector| vector.1).sum();
        assert!(balance.abs() < 1e-9, "{balance}");
        for (place, &example) in training.iter().enumerate() {
            let side = if classes[example] == 1 { 1.0 } else { -1.0 };
            let margin = side * machine.score(&gram, example);
            let multiplier = machine.vectors.iter().find(|it| it.0 == place).map_or(0.0, |it| it.1.abs());
            let is_met = match multiplier {
                0.0 => margin >= 1.0 - 2e-3,
                multiplier if multiplier >= cost => margin <= 1.0 + 2e-3,
                _ => (margin - 1.0).abs() <= 2e-3,
            };
            assert!(is_met, "{example}: {multiplier} {margin}");
        }
    }
}
