//! Kernel logistic regression: from how alike training queries are, the multiplier of each.
//!
//! The multipliers a have the least Σ mass · loss + ½ penalty Σ a a' k. Newton's method finds them; each of its steps is a
//! system of linear equations, solved by conjugate gradients no better than the step deserves. All that is dear is the
//! product of the kernel with numbers, which reads the whole of it: so sums of what was multiplied are kept, and nothing is
//! multiplied twice.
//!
//! A penalty that nobody named is chosen by the loss of queries that are held out, part by part. It follows the noise of
//! targets more than their number: between molecules whose classes are sure and such as nobody can tell, the best differ
//! by a factor of fifty. Where queries are classes of which one is right, wrong answers are counted instead: the loss of
//! each class by itself asks for more penalty than what tells them apart.

use lrnn_wide::Work;

use super::lbfgs::{add, dot};
use crate::function::math::{sigmoid, softplus};
use crate::threads::each_with;

/// Slope, as part of that at the start, at which learning ends; and where only penalties are compared.
const TOLERANCE: f64 = 1e-4;
const COMPARING_TOLERANCE: f64 = 1e-2;
/// Penalties to choose from, each learned from where the one before it ended, as long as that pays.
const PENALTIES: [f64; 7] = [1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001];
const MOST_STEPS: usize = 50;
/// Part of the slope that a step of Newton's method may leave.
const REST: f64 = 0.05;
const MOST_INNER_STEPS: usize = 200;
/// Times that a step is halved until the loss falls.
const MOST_HALVINGS: usize = 20;
/// Rows that one thread multiplies at a time.
const ROWS: usize = 32;
const LANES: usize = 16;

/// A training query, as far as learning knows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct KernelTarget {
    pub target: f64,
    pub mass: f64,
    /// The value without the kernel.
    pub base: f64,
}

/// A number for each two of some queries: how alike they are.
#[derive(Clone, Debug)]
pub(super) struct KernelMatrix {
    size: usize,
    /// Row by row.
    numbers: Vec<f32>,
}

/// Multipliers, and the values that they give to the queries.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct KernelFit {
    pub multipliers: Vec<f64>,
    pub values: Vec<f64>,
}

/// Queries that are held out, and what is learned without them.
struct HeldPart<'a> {
    held: &'a [usize],
    /// Those held out have no mass.
    targets: Vec<KernelTarget>,
    fit: KernelFit,
}

impl<'a> HeldPart<'a> {
    fn new(targets: &[KernelTarget], held: &'a [usize]) -> Self {
        let mut targets = targets.to_vec();
        held.iter().for_each(|&query| targets[query].mass = 0.0);
        Self { held, fit: KernelFit::zero(targets.len()), targets }
    }

    /// Goes on learning with a penalty and returns the loss of those held out or, with the example that each query is a
    /// class of, the number of examples whose class has not the largest value.
    fn held_fault(
        &mut self,
        matrix: &KernelMatrix,
        targets: &[KernelTarget],
        classes_of: Option<&[usize]>,
        penalty: f64,
    ) -> f64 {
        matrix.improve(&mut self.fit, &self.targets, penalty, COMPARING_TOLERANCE);
        let loss = |&query: &usize| targets[query].loss(self.fit.values[query]);
        let Some(examples) = classes_of else { return self.held.iter().map(loss).sum() };
        let value = |query: usize| targets[query].base + self.fit.values[query];
        let is_wrong = |classes: &&[usize]| {
            let taken = classes.iter().copied().reduce(|a, b| if value(b) > value(a) { b } else { a });
            let most = classes.iter().map(|&query| targets[query].target).fold(f64::NEG_INFINITY, f64::max);
            taken.is_some_and(|taken| targets[taken].target < most)
        };
        self.held.chunk_by(|&a, &b| examples[a] == examples[b]).filter(is_wrong).count() as f64
    }
}

impl KernelTarget {
    /// Returns the logistic loss where the kernel adds a value.
    fn loss(&self, value: f64) -> f64 {
        let value = self.base + value;
        self.mass * (softplus(value) - self.target * value)
    }
}

/// The products of some rows with numbers.
struct RowProducts<'a> {
    rows: &'a [f32],
    numbers: &'a [f64],
    out: &'a mut [f64],
}

impl Work for RowProducts<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let size = self.numbers.len();
        for (row, out) in self.rows.chunks_exact(size).zip(self.out) {
            let mut sums = [0.0_f64; LANES];
            let (rows, numbers) = (row.chunks_exact(LANES), self.numbers.chunks_exact(LANES));
            let rest = rows.remainder().iter().zip(numbers.remainder());
            let rest: f64 = rest.map(|(&a, b)| f64::from(a) * b).sum();
            for (row, numbers) in rows.zip(numbers) {
                for lane in 0..LANES {
                    sums[lane] += f64::from(row[lane]) * numbers[lane];
                }
            }
            *out = sums.iter().sum::<f64>() + rest;
        }
    }
}

impl KernelMatrix {
    /// Puts rows together.
    pub fn new(rows: &[Vec<f32>]) -> Self {
        Self { size: rows.len(), numbers: rows.concat() }
    }

    /// Returns the product with numbers; sums run in one order on any number of threads.
    fn product(&self, numbers: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.size];
        if self.size > 0 {
            let rows = self.numbers.chunks(self.size * ROWS);
            each_with(rows.zip(out.chunks_mut(ROWS)), |_: &mut (), (rows, out)| {
                lrnn_wide::widest(RowProducts { rows, numbers, out });
            });
        }
        out
    }

    /// Learns the multipliers.
    pub fn fit(&self, targets: &[KernelTarget], penalty: f64) -> KernelFit {
        let mut fit = KernelFit::zero(self.size);
        self.improve(&mut fit, targets, penalty, TOLERANCE);
        fit
    }

    /// Returns the penalty, of [`PENALTIES`], with which queries have the least loss that are held out part by part; the
    /// first that is worse than the one before it ends the search. With the example that each query is a class of, queries
    /// of one beside each other in their part, it is the largest with the fewest wrong answers.
    pub fn choose_penalty(
        &self,
        targets: &[KernelTarget],
        parts: &[Vec<usize>],
        classes_of: Option<&[usize]>,
    ) -> f64 {
        let mut parts: Vec<_> = parts.iter().map(|held| HeldPart::new(targets, held)).collect();
        let (mut best, mut least) = (PENALTIES[0], f64::INFINITY);
        for penalty in PENALTIES {
            let fault = |part: &mut HeldPart<'_>| part.held_fault(self, targets, classes_of, penalty);
            let faults: Vec<f64> = each_with(&mut parts, |_: &mut (), part| fault(part));
            let fault: f64 = faults.iter().sum();
            if fault < least {
                (best, least) = (penalty, fault);
            } else if classes_of.is_none() {
                break;
            }
        }
        best
    }

    /// Goes on from multipliers until the slope is this part of what it is where all are 0.
    fn improve(&self, fit: &mut KernelFit, targets: &[KernelTarget], penalty: f64, tolerance: f64) {
        let first = KernelFit::zero(self.size).slopes(targets).map(|slope| slope * slope).sum::<f64>();
        for _ in 0..MOST_STEPS {
            let slopes: Vec<f64> =
                fit.slopes(targets).zip(&fit.multipliers).map(|(slope, it)| slope + penalty * it).collect();
            if dot(&slopes, &slopes) <= tolerance * tolerance * first {
                break;
            }
            let roots: Vec<f64> = fit.curvatures(targets).map(f64::sqrt).collect();
            let step = self.newton_step(&slopes, &roots, penalty);
            if !fit.advance(&step, targets, penalty) {
                break;
            }
        }
    }

    /// Solves (C K C + penalty) d = -slope / C, where C are the roots of curvatures, and returns C d and K C d. Where C is
    /// 0, so is d.
    fn newton_step(&self, slopes: &[f64], roots: &[f64], penalty: f64) -> KernelFit {
        let quotient = |(slope, &root): (&f64, &f64)| if root == 0.0 { 0.0 } else { -slope / root };
        let mut step = KernelFit::zero(self.size);
        let curve = |direction: &[f64]| {
            let scaled: Vec<f64> = direction.iter().zip(roots).map(|(it, root)| it * root).collect();
            let product = self.product(&scaled);
            let along = product.iter().zip(roots).zip(direction);
            let along = along.map(|((product, root), direction)| product * root + penalty * direction);
            (along.collect(), (scaled, product))
        };
        let go = |length: f64, _: &[f64], (scaled, product): (Vec<f64>, Vec<f64>)| {
            add(&mut step.multipliers, length, &scaled);
            add(&mut step.values, length, &product);
        };
        conjugate_gradients(slopes.iter().zip(roots).map(quotient).collect(), REST, curve, go);
        step
    }
}

/// Solves a system of linear equations by conjugate gradients, until no more than a part of the right side is left: `curve`
/// multiplies a direction by the matrix, and `go` goes so far along it, with what `curve` gave beside the product.
pub(super) fn conjugate_gradients<T>(
    mut rest: Vec<f64>,
    part: f64,
    curve: impl Fn(&[f64]) -> (Vec<f64>, T),
    mut go: impl FnMut(f64, &[f64], T),
) {
    let mut direction = rest.clone();
    let mut size = dot(&rest, &rest);
    let enough = part * part * size;
    for _ in 0..MOST_INNER_STEPS {
        let (curved, beside) = curve(&direction);
        let bend = dot(&direction, &curved);
        if bend.is_nan() || bend <= 0.0 {
            break;
        }
        let length = size / bend;
        go(length, &direction, beside);
        add(&mut rest, -length, &curved);
        let before = std::mem::replace(&mut size, dot(&rest, &rest));
        if size <= enough {
            break;
        }
        let turn = size / before;
        direction.iter_mut().zip(&rest).for_each(|(it, rest)| *it = rest + turn * *it);
    }
}

impl KernelFit {
    fn zero(size: usize) -> Self {
        Self { multipliers: vec![0.0; size], values: vec![0.0; size] }
    }

    /// Goes through the slopes of the loss by the values.
    fn slopes<'a>(&'a self, targets: &'a [KernelTarget]) -> impl Iterator<Item = f64> + 'a {
        let pairs = targets.iter().zip(&self.values);
        pairs.map(|(it, value)| it.mass * (sigmoid(it.base + value) - it.target))
    }

    /// Goes through the second derivatives of the loss; 0 only for a target without mass.
    fn curvatures<'a>(&'a self, targets: &'a [KernelTarget]) -> impl Iterator<Item = f64> + 'a {
        targets.iter().zip(&self.values).map(|(it, value)| {
            let chance = sigmoid(it.base + value);
            it.mass * (chance * (1.0 - chance)).max(1e-12)
        })
    }

    /// Returns the loss with its penalty.
    fn loss(&self, targets: &[KernelTarget], penalty: f64) -> f64 {
        let sum: f64 = targets.iter().zip(&self.values).map(|(it, &value)| it.loss(value)).sum();
        sum + 0.5 * penalty * dot(&self.multipliers, &self.values)
    }

    /// Takes a step, or a part of it with which the loss falls; returns false if there is none.
    fn advance(&mut self, step: &Self, targets: &[KernelTarget], penalty: f64) -> bool {
        let before = self.loss(targets, penalty);
        let mut length = 1.0;
        for _ in 0..MOST_HALVINGS {
            let mut next = self.clone();
            add(&mut next.multipliers, length, &step.multipliers);
            add(&mut next.values, length, &step.values);
            if next.loss(targets, penalty) <= before {
                *self = next;
                return true;
            }
            length *= 0.5;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a kernel between points on a line, and targets that are 1 on one side; some of them are wrong.
    fn points(wrong: impl Fn(usize) -> bool) -> (KernelMatrix, Vec<KernelTarget>) {
        let row = |i: i32| (0..60).map(|j: i32| 1.0 / (1.0 + (i - j).abs() as f32)).collect();
        let is_high = |i: usize| (i >= 30) != wrong(i);
        let target =
            |i: usize| KernelTarget { target: f64::from(u8::from(is_high(i))), mass: 1.0, base: 0.0 };
        (KernelMatrix::new(&(0..60).map(row).collect::<Vec<_>>()), (0..60).map(target).collect())
    }

    #[test]
    fn multipliers_are_the_errors_over_the_penalty() {
        let (matrix, targets) = points(|i| i % 7 == 0);
        for penalty in PENALTIES {
            let fit = matrix.fit(&targets, penalty);
            let expected = fit.slopes(&targets).map(|slope| -slope / penalty);
            fit.multipliers.iter().zip(expected).for_each(|(it, expected)| {
                assert!((it - expected).abs() < 1e-2 * (1.0 + expected.abs()), "{it} {expected}");
            });
            let values = matrix.product(&fit.multipliers);
            values.iter().zip(&fit.values).for_each(|(a, b)| assert!((a - b).abs() < 1e-9));
        }
    }

    #[test]
    fn noise_asks_for_a_larger_penalty() {
        let parts: Vec<Vec<usize>> = (0..5).map(|part| (part..60).step_by(5).collect()).collect();
        let chosen = |(matrix, targets): (KernelMatrix, Vec<KernelTarget>)| {
            matrix.choose_penalty(&targets, &parts, None)
        };
        let (sure, noisy) = (chosen(points(|_| false)), chosen(points(|i| i % 3 == 1)));
        assert!(sure < 0.1 && noisy > 0.1, "{sure} {noisy}");
    }

    #[test]
    fn classes_have_the_largest_penalty_with_the_fewest_wrong_answers() {
        // Twenty-four examples in three classes that change every two points of a line; each class is a query.
        let (examples, class) = (24_usize, |example: usize| example / 2 % 3);
        let alike = |a: usize, b: usize| {
            let near = 1.0 / (1.0 + (a / 3).abs_diff(b / 3) as f32);
            if a % 3 == b % 3 { near } else { 0.0 }
        };
        let row = |a: usize| (0..3 * examples).map(|b| alike(a, b)).collect::<Vec<f32>>();
        let matrix = KernelMatrix::new(&(0..3 * examples).map(row).collect::<Vec<_>>());
        let is_class = |query: usize| class(query / 3) == query % 3;
        let target =
            |query| KernelTarget { target: f64::from(u8::from(is_class(query))), mass: 1.0, base: 0.0 };
        let targets: Vec<KernelTarget> = (0..3 * examples).map(target).collect();
        let of: Vec<usize> = (0..3 * examples).map(|query| query / 3).collect();
        let part =
            |part: usize| (0..examples).filter(move |it| it % 4 == part).flat_map(|it| 3 * it..3 * it + 3);
        let parts: Vec<Vec<usize>> = (0..4).map(|number| part(number).collect()).collect();
        let wrong = |penalty: f64| -> usize {
            let of_part = |held: &Vec<usize>| {
                let mut seen = targets.clone();
                held.iter().for_each(|&query| seen[query].mass = 0.0);
                let values = matrix.product(&matrix.fit(&seen, penalty).multipliers);
                let taken = |example: usize| {
                    (0..3).max_by(|&a, &b| values[3 * example + a].total_cmp(&values[3 * example + b]))
                };
                held.iter().step_by(3).filter(|&&query| taken(query / 3) != Some(class(query / 3))).count()
            };
            parts.iter().map(of_part).sum()
        };
        let chosen = matrix.choose_penalty(&targets, &parts, Some(&of));
        let least = PENALTIES.iter().map(|&penalty| wrong(penalty)).min();
        assert_eq!(Some(wrong(chosen)), least);
        assert!(PENALTIES.iter().all(|&larger| larger <= chosen || Some(wrong(larger)) > least));
    }
}
