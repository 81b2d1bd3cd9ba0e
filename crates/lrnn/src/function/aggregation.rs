//! g*: how the ground rules with one head become one value.

use super::real::Real;
use super::table::table;

table! {
    /// g*: how the ground rules with one head become one value, element by element.
    pub enum Aggregation {
        /// The largest; the first of the largest gets the gradient.
        Max = "max", ["maximum"], "max b";
        /// The smallest; the first of the smallest gets the gradient.
        Min = "min", ["minimum"], "min b";
        /// The mean.
        Mean = "mean", ["avg", "average"], "Σ b / m";
        /// The sum.
        Sum = "sum", ["plus"], "Σ b";
        /// The number of them, whatever their values.
        Count = "count", [], "m";
        /// The product.
        Product = "product", ["prod"], "Π b";
        /// The mean weighted by softmax: a smooth maximum.
        Softmax = "softmax", ["smooth-max"], "Σ b e^b / Σ e^b";
    }
}

impl Aggregation {
    /// Aggregates the rows into the output; each row is as long as the output. Of no rows the product is 1, all
    /// else 0.
    pub fn apply<'a, R: Real>(self, rows: impl Iterator<Item = &'a [R]> + Clone, output: &mut [R]) {
        match self {
            Self::Max => reduce(rows, output, R::max),
            Self::Min => reduce(rows, output, R::min),
            Self::Mean => {
                let count: R = count(rows.clone());
                reduce(rows, output, |a, b| a + b);
                output.iter_mut().for_each(|value| *value = *value / count.max(R::ONE));
            }
            Self::Sum => reduce(rows, output, |a, b| a + b),
            Self::Count => output.fill(count(rows)),
            Self::Product if rows.clone().next().is_none() => output.fill(R::ONE),
            Self::Product => reduce(rows, output, |a, b| a * b),
            Self::Softmax => {
                for (at, value) in output.iter_mut().enumerate() {
                    *value = Soft::of(column(rows.clone(), at)).value;
                }
            }
        }
    }

    /// Computes the gradient by each row, written row after row to `given`, from the gradient by the output.
    pub fn backward<'a, R: Real>(
        self,
        rows: &(impl Iterator<Item = &'a [R]> + Clone),
        gradient: &[R],
        given: &mut [R],
    ) {
        let width = gradient.len();
        for (at, &gradient) in gradient.iter().enumerate() {
            let places = given.iter_mut().skip(at).step_by(width);
            let column = column(rows.clone(), at);
            match self {
                Self::Max => to_winner(column, R::max, gradient, places),
                Self::Min => to_winner(column, R::min, gradient, places),
                Self::Mean => {
                    let share = gradient / count(rows.clone());
                    places.for_each(|place| *place = share);
                }
                Self::Sum => places.for_each(|place| *place = gradient),
                Self::Count => places.for_each(|place| *place = R::ZERO),
                Self::Product => to_factors(column, gradient, places),
                Self::Softmax => {
                    let soft = Soft::of(column.clone());
                    column.zip(places).for_each(|(x, place)| *place = gradient * soft.slope(x));
                }
            }
        }
    }
}

fn count<R: Real, T>(rows: impl Iterator<Item = T>) -> R {
    R::from_f64(rows.count() as f64)
}

fn column<'a, R: Real>(
    rows: impl Iterator<Item = &'a [R]> + Clone,
    at: usize,
) -> impl Iterator<Item = R> + Clone {
    rows.map(move |row| row.get(at).copied().unwrap_or_default())
}

fn reduce<'a, R: Real>(mut rows: impl Iterator<Item = &'a [R]>, output: &mut [R], step: fn(R, R) -> R) {
    output.fill(R::ZERO);
    if let Some(first) = rows.next() {
        output.iter_mut().zip(first).for_each(|(value, &number)| *value = number);
    }
    for row in rows {
        output.iter_mut().zip(row).for_each(|(value, &number)| *value = step(*value, number));
    }
}

fn to_winner<'a, R: Real>(
    mut column: impl Iterator<Item = R> + Clone,
    choose: fn(R, R) -> R,
    gradient: R,
    places: impl Iterator<Item = &'a mut R>,
) {
    let best = column.clone().reduce(choose);
    let winner = column.position(|x| Some(x) == best).unwrap_or(0);
    for (at, place) in places.enumerate() {
        *place = if at == winner { gradient } else { R::ZERO };
    }
}

/// Without division, which a factor of 0 would not survive: products before and after each factor.
fn to_factors<'a, R: Real>(
    column: impl Iterator<Item = R>,
    gradient: R,
    places: impl Iterator<Item = &'a mut R>,
) {
    let factors: Vec<R> = column.collect();
    let mut after = vec![R::ONE; factors.len()];
    for at in (1..factors.len()).rev() {
        after[at - 1] = after[at] * factors[at];
    }
    let mut before = gradient;
    for ((place, factor), after) in places.zip(factors).zip(after) {
        *place = before * after;
        before *= factor;
    }
}

/// The softmax-weighted mean of some numbers, with what its slopes need.
struct Soft<R> {
    largest: R,
    sum: R,
    value: R,
}

impl<R: Real> Soft<R> {
    fn of(numbers: impl Iterator<Item = R> + Clone) -> Self {
        let Some(largest) = numbers.clone().reduce(R::max) else {
            return Self { largest: R::ZERO, sum: R::ONE, value: R::ZERO };
        };
        let share = |x: R| (x - largest).exp();
        let sum: R = numbers.clone().map(share).sum();
        let value = numbers.map(|x| share(x) * x).sum::<R>() / sum;
        Self { largest, sum, value }
    }

    fn slope(&self, x: R) -> R {
        (x - self.largest).exp() / self.sum * (R::ONE + x - self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(aggregation: Aggregation, rows: &[Vec<f64>], width: usize) -> Vec<f64> {
        let mut output = vec![9.0; width];
        aggregation.apply(rows.iter().map(|row| &row[..]), &mut output);
        output
    }

    fn backward(aggregation: Aggregation, rows: &[Vec<f64>], gradient: &[f64]) -> Vec<f64> {
        let mut given = vec![9.0; rows.len() * gradient.len()];
        aggregation.backward(&rows.iter().map(|row| &row[..]), gradient, &mut given);
        given
    }

    #[test]
    fn gradients_agree_with_central_differences() {
        let rows = [vec![0.5, -0.25], vec![0.0, 1.5], vec![0.75, -2.0]];
        let incoming = [0.7, -1.3];
        for &aggregation in Aggregation::ALL {
            for count in 1..=rows.len() {
                let rows = &rows[..count];
                let given = backward(aggregation, rows, &incoming);
                for (place, found) in given.into_iter().enumerate() {
                    let moved = |by: f64| {
                        let mut rows = rows.to_vec();
                        rows[place / 2][place % 2] += by;
                        let output = apply(aggregation, &rows, 2);
                        output[0] * incoming[0] + output[1] * incoming[1]
                    };
                    let expected = (moved(1e-6) - moved(-1e-6)) / 2e-6;
                    assert!((found - expected).abs() < 1e-7, "{aggregation}: {found} for {expected}");
                }
            }
        }
    }

    #[test]
    fn values_element_by_element() {
        let rows = [vec![1.0, 4.0], vec![3.0, 2.0]];
        let check = |aggregation, expected: [f64; 2]| {
            assert_eq!(apply(aggregation, &rows, 2), expected, "{aggregation}");
        };
        check(Aggregation::Max, [3.0, 4.0]);
        check(Aggregation::Min, [1.0, 2.0]);
        check(Aggregation::Mean, [2.0, 3.0]);
        check(Aggregation::Sum, [4.0, 6.0]);
        check(Aggregation::Count, [2.0, 2.0]);
        check(Aggregation::Product, [3.0, 8.0]);
        assert_eq!(apply(Aggregation::Softmax, &[vec![2.0], vec![2.0]], 1), [2.0]);
    }

    #[test]
    fn no_rows_give_an_output() {
        for &aggregation in Aggregation::ALL {
            let expected = if aggregation == Aggregation::Product { 1.0 } else { 0.0 };
            assert_eq!(apply(aggregation, &[], 1), [expected]);
            assert_eq!(backward(aggregation, &[], &[1.0]), [0.0; 0]);
        }
    }

    #[test]
    fn the_first_of_equal_rows_gets_the_gradient() {
        let rows = [vec![0.0], vec![1.0], vec![1.0]];
        assert_eq!(backward(Aggregation::Max, &rows, &[1.0]), [0.0, 1.0, 0.0]);
        let rows = [vec![1.0], vec![0.0], vec![0.0]];
        assert_eq!(backward(Aggregation::Min, &rows, &[1.0]), [0.0, 1.0, 0.0]);
    }
}
