//! How the inputs of a neuron become one value.

use super::activation::Activation;
use super::product::{OwnedValue, View, times, times_backward};
use super::real::Real;
use super::shape::Shape;
use super::table::table;

table! {
    /// A function that makes one value of the inputs of a neuron. Element by element, a number counts for every
    /// element.
    pub enum Combination {
        /// The sum.
        Sum = "sum", ["plus"], "Σ b";
        /// The smallest; of no inputs 1, an empty conjunction being true.
        Min = "min", ["minimum"], "min b";
        /// The largest; of no inputs 0.
        Max = "max", ["maximum"], "max b";
        /// The mean; of no inputs 0.
        Mean = "mean", ["avg", "average"], "Σ b / k";
        /// The matrix product from left to right; numbers scale; of no inputs 1.
        Product = "product", ["prod", "matrix-product"], "b1 · b2 · …";
        /// The product of numbers in the same place; of no inputs 1.
        ElementProduct = "element-product", ["elementproduct", "elproduct", "el-product", "hadamard"], "b1 ∘ b2 ∘ …";
        /// All sums of one element from each input, the first input varying slowest; of no inputs 0.
        CrossSum = "cross-sum", ["crosssum", "crossum"], "b1[i] + b2[j] + …";
        /// All elements, one input after the other.
        Concat = "concat", ["concatenation", "concatenate"], "[b1, b2, …]";
        /// All elements of all inputs as one vector, matrices row by row, as NeuraLogic concatenates.
        Flat = "concat-flat", ["flatten"], "[b1[1], b1[2], …, b2[1], …]";
        /// All elements of all inputs as one vector of shares of 1.
        Softmax = "softmax", [], "e^x_i / Σ_j e^x_j over all elements";
        /// All elements of all inputs as one vector of the nearest shares of 1, of which many are 0.
        Sparsemax = "sparsemax", [], "max(0, x_i - t) over all elements";
        /// The number of inputs, whatever their values.
        Count = "count", [], "k";
        /// The cosine of the angle between two inputs.
        Cosine = "cosine", ["cossim", "cosine-similarity"], "b1 · b2 / (|b1| |b2|)";
    }
}

impl Combination {
    /// Returns the shape of the result, or `None` where inputs of these shapes cannot be combined so.
    pub fn shape(self, inputs: &[Shape]) -> Option<Shape> {
        let (first, rest) = match inputs {
            [] => return (!self.needs_inputs()).then_some(Shape::NUMBER),
            [first, rest @ ..] => (*first, rest),
        };
        match self {
            Self::Sum | Self::Min | Self::Max | Self::Mean | Self::ElementProduct => {
                rest.iter().try_fold(first, |shape, &next| shape.plus(next))
            }
            Self::Product => rest.iter().try_fold(first, |shape, &next| shape.times(next)),
            Self::CrossSum => {
                let mut sizes = inputs.iter().map(|shape| u32::try_from(shape.size()).ok());
                sizes.try_fold(1u32, |size, next| size.checked_mul(next?)).map(Shape::vector)
            }
            Self::Concat => {
                let of_one_width = rest.iter().all(|shape| shape.columns == first.columns);
                let rows = inputs.iter().try_fold(0u32, |rows, shape| rows.checked_add(shape.rows));
                rows.filter(|_| of_one_width).map(|rows| Shape::matrix(rows, first.columns))
            }
            Self::Flat | Self::Softmax | Self::Sparsemax => {
                let mut sizes = inputs.iter().map(|shape| u32::try_from(shape.size()).ok());
                sizes.try_fold(0u32, |size, next| size.checked_add(next?)).map(Shape::vector)
            }
            Self::Count => Some(Shape::NUMBER),
            Self::Cosine => (inputs.len() == 2 && first == rest[0]).then_some(Shape::NUMBER),
        }
    }

    /// Returns whether it gives back a single input as it is.
    pub fn is_passing(self) -> bool {
        self.is_element_wise() || matches!(self, Self::Product | Self::Concat)
    }

    /// Returns whether it is not defined without inputs.
    fn needs_inputs(self) -> bool {
        matches!(self, Self::Concat | Self::Flat | Self::Softmax | Self::Sparsemax | Self::Cosine)
    }

    /// Returns whether the shape of the result is that of a sum, however many inputs of one shape there are.
    pub fn is_element_wise(self) -> bool {
        matches!(self, Self::Sum | Self::Min | Self::Max | Self::Mean | Self::ElementProduct)
    }

    /// Returns the inputs combined, or `None` where inputs of these shapes cannot be.
    pub fn apply<R: Real>(self, inputs: &[View<'_, R>]) -> Option<OwnedValue<R>> {
        let shapes: Vec<Shape> = inputs.iter().map(|&(_, shape)| shape).collect();
        let shape = self.shape(&shapes)?;
        let each = |empty: R, step: fn(R, R) -> R| {
            let one = |at| inputs.iter().map(|input| element(input, at)).reduce(step).unwrap_or(empty);
            (0..shape.size()).map(one).collect::<Vec<R>>()
        };
        let numbers = match self {
            Self::Sum => each(R::ZERO, |a, b| a + b),
            Self::Min => each(R::ONE, R::min),
            Self::Max => each(R::ZERO, R::max),
            Self::Mean => {
                let count = R::from_f64(inputs.len().max(1) as f64);
                each(R::ZERO, |a, b| a + b).into_iter().map(|sum| sum / count).collect()
            }
            Self::ElementProduct => each(R::ONE, |a, b| a * b),
            Self::Product => prefixes(inputs)?.pop().map_or_else(|| vec![R::ONE], |(numbers, _)| numbers),
            Self::CrossSum => cross_sum(inputs),
            Self::Concat | Self::Flat => all_elements(inputs),
            Self::Softmax => activated(inputs, Activation::Softmax),
            Self::Sparsemax => activated(inputs, Activation::Sparsemax),
            Self::Count => vec![R::from_f64(inputs.len() as f64)],
            Self::Cosine => vec![cosine(inputs[0].0, inputs[1].0)],
        };
        Some((numbers, shape))
    }

    /// Returns the gradient by each input, from the gradient by the result, or `None` where the inputs cannot be
    /// combined. The first of the smallest or largest inputs gets all of it.
    pub fn backward<R: Real>(self, inputs: &[View<'_, R>], gradient: &[R]) -> Option<Vec<Vec<R>>> {
        let one_if = |condition: bool| if condition { R::ONE } else { R::ZERO };
        Some(match self {
            Self::Sum => spread(inputs, gradient, |_, _| R::ONE),
            Self::Min => spread(inputs, gradient, |input, at| one_if(winner(inputs, at, R::min) == input)),
            Self::Max => spread(inputs, gradient, |input, at| one_if(winner(inputs, at, R::max) == input)),
            Self::Mean => spread(inputs, gradient, |_, _| R::ONE / R::from_f64(inputs.len() as f64)),
            Self::ElementProduct => spread(inputs, gradient, |input, at| {
                let others = inputs.iter().enumerate().filter(|&(other, _)| other != input);
                others.map(|(_, other)| element(other, at)).fold(R::ONE, |a, b| a * b)
            }),
            Self::Product => return product_backward(inputs, gradient),
            Self::CrossSum => cross_sum_backward(inputs, gradient),
            Self::Concat | Self::Flat => parted(inputs, gradient),
            Self::Softmax => activated_backward(inputs, Activation::Softmax, gradient),
            Self::Sparsemax => activated_backward(inputs, Activation::Sparsemax, gradient),
            Self::Count => inputs.iter().map(|(numbers, _)| vec![R::ZERO; numbers.len()]).collect(),
            Self::Cosine => match (inputs, gradient) {
                ([left, right], &[gradient]) => {
                    vec![
                        cosine_backward(left.0, right.0, gradient),
                        cosine_backward(right.0, left.0, gradient),
                    ]
                }
                _ => return None,
            },
        })
    }
}

fn all_elements<R: Real>(inputs: &[View<'_, R>]) -> Vec<R> {
    inputs.iter().flat_map(|&(numbers, _)| numbers).copied().collect()
}

/// Gives each input its part of the gradient by all elements.
fn parted<R: Real>(inputs: &[View<'_, R>], gradient: &[R]) -> Vec<Vec<R>> {
    let mut rest = gradient.iter().copied();
    inputs.iter().map(|(numbers, _)| rest.by_ref().take(numbers.len()).collect()).collect()
}

fn activated<R: Real>(inputs: &[View<'_, R>], activation: Activation) -> Vec<R> {
    let mut all = all_elements(inputs);
    activation.apply(&mut all);
    all
}

fn activated_backward<R: Real>(
    inputs: &[View<'_, R>],
    activation: Activation,
    gradient: &[R],
) -> Vec<Vec<R>> {
    let mut given = gradient.to_vec();
    activation.backward(&all_elements(inputs), &activated(inputs, activation), &mut given);
    parted(inputs, &given)
}

fn dot<R: Real>(left: &[R], right: &[R]) -> R {
    left.iter().zip(right).map(|(&a, &b)| a * b).sum()
}

fn cosine<R: Real>(left: &[R], right: &[R]) -> R {
    dot(left, right) / (dot(left, left).sqrt() * dot(right, right).sqrt())
}

/// Returns the gradient of the cosine by the one of two inputs.
fn cosine_backward<R: Real>(own: &[R], other: &[R], gradient: R) -> Vec<R> {
    let (own_square, cosine) = (dot(own, own), cosine(own, other));
    let lengths = own_square.sqrt() * dot(other, other).sqrt();
    own.iter().zip(other).map(|(&a, &b)| gradient * (b / lengths - cosine * a / own_square)).collect()
}

/// Returns the element in this place; a number stands in every place.
fn element<R: Real>((numbers, _): &View<'_, R>, at: usize) -> R {
    numbers.get(if numbers.len() == 1 { 0 } else { at }).copied().unwrap_or_default()
}

/// Returns the first input whose element the choice of two, over all inputs, ends with.
fn winner<R: Real>(inputs: &[View<'_, R>], at: usize, choose: fn(R, R) -> R) -> usize {
    let Some(best) = inputs.iter().map(|input| element(input, at)).reduce(choose) else { return 0 };
    inputs.iter().position(|input| element(input, at) == best).unwrap_or(0)
}

/// Gives each input the gradient in each place times a factor of input and place.
fn spread<R: Real>(
    inputs: &[View<'_, R>],
    gradient: &[R],
    factor: impl Fn(usize, usize) -> R,
) -> Vec<Vec<R>> {
    let of_input = |(input, (numbers, _)): (usize, &View<'_, R>)| {
        let mut given = vec![R::ZERO; numbers.len()];
        for (at, &gradient) in gradient.iter().enumerate() {
            if let Some(place) = given.get_mut(if numbers.len() == 1 { 0 } else { at }) {
                *place += gradient * factor(input, at);
            }
        }
        given
    };
    inputs.iter().enumerate().map(of_input).collect()
}

/// Returns the first input, the first two multiplied, the first three, and so on.
fn prefixes<R: Real>(inputs: &[View<'_, R>]) -> Option<Vec<OwnedValue<R>>> {
    let mut products: Vec<OwnedValue<R>> = Vec::with_capacity(inputs.len());
    for &input in inputs {
        products.push(match products.last() {
            Some((numbers, shape)) => times((numbers, *shape), input)?,
            None => (input.0.to_vec(), input.1),
        });
    }
    Some(products)
}

fn product_backward<R: Real>(inputs: &[View<'_, R>], gradient: &[R]) -> Option<Vec<Vec<R>>> {
    let products = prefixes(inputs)?;
    let mut gradient = gradient.to_vec();
    let mut given = vec![Vec::new(); inputs.len()];
    for at in (1..inputs.len()).rev() {
        let (numbers, shape) = &products[at - 1];
        (gradient, given[at]) = times_backward((numbers, *shape), inputs[at], &gradient)?;
    }
    if let Some(first) = given.first_mut() {
        *first = gradient;
    }
    Some(given)
}

fn cross_sum<R: Real>(inputs: &[View<'_, R>]) -> Vec<R> {
    inputs.iter().fold(vec![R::ZERO], |sums, (numbers, _)| {
        sums.iter().flat_map(|&sum| numbers.iter().map(move |&number| sum + number)).collect()
    })
}

fn cross_sum_backward<R: Real>(inputs: &[View<'_, R>], gradient: &[R]) -> Vec<Vec<R>> {
    let mut stride = gradient.len();
    let of_input = |(numbers, _): &View<'_, R>| {
        let size = numbers.len().max(1);
        stride /= size;
        let mut given = vec![R::ZERO; numbers.len()];
        for (at, &gradient) in gradient.iter().enumerate() {
            if let Some(place) = given.get_mut(at / stride.max(1) % size) {
                *place += gradient;
            }
        }
        given
    };
    inputs.iter().map(of_input).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(combination: Combination, inputs: &[OwnedValue<f64>]) -> Option<OwnedValue<f64>> {
        let views: Vec<_> = inputs.iter().map(|(numbers, shape)| (&numbers[..], *shape)).collect();
        combination.apply(&views)
    }

    fn check_gradient(combination: Combination, inputs: &[OwnedValue<f64>]) {
        let Some((result, shape)) = apply(combination, inputs) else { return };
        assert_eq!(result.len(), shape.size(), "{combination}");
        let incoming: Vec<f64> = (0..result.len()).map(|i| 0.5 + i as f64).collect();
        let views: Vec<_> = inputs.iter().map(|(numbers, shape)| (&numbers[..], *shape)).collect();
        let given = combination.backward(&views, &incoming).unwrap();
        for (input, numbers) in given.iter().enumerate() {
            assert_eq!(numbers.len(), inputs[input].0.len());
            for (at, &found) in numbers.iter().enumerate() {
                let moved = |by: f64| {
                    let mut inputs = inputs.to_vec();
                    inputs[input].0[at] += by;
                    let (result, _) = apply(combination, &inputs).unwrap();
                    result.iter().zip(&incoming).map(|(a, b)| a * b).sum::<f64>()
                };
                let expected = (moved(1e-6) - moved(-1e-6)) / 2e-6;
                assert!((found - expected).abs() < 1e-6, "{combination}: {found} for {expected}");
            }
        }
    }

    fn value(numbers: &[f64], shape: Shape) -> OwnedValue<f64> {
        (numbers.to_vec(), shape)
    }

    #[test]
    fn gradients_agree_with_central_differences() {
        let number = value(&[0.337], Shape::NUMBER); // no sum at a kink of sparsemax
        let two = value(&[0.7, -0.4], Shape::vector(2));
        let other = value(&[0.2, 1.1], Shape::vector(2));
        let wide = value(&[0.1, 0.2, 0.9, -0.3], Shape::matrix(2, 2));
        let inputs = [number, two, other, wide];
        for &combination in Combination::ALL {
            for a in &inputs {
                check_gradient(combination, std::slice::from_ref(a));
                for b in &inputs {
                    for c in &inputs {
                        // Equal inputs tie, where min and max have no slope.
                        if a != b && b != c && a != c {
                            check_gradient(combination, &[a.clone(), b.clone(), c.clone()]);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn no_inputs_have_a_value_of_their_own() {
        let check = |combination, expected: f64| {
            assert_eq!(apply(combination, &[]), Some(value(&[expected], Shape::NUMBER)));
        };
        check(Combination::Sum, 0.0);
        check(Combination::Min, 1.0);
        check(Combination::Max, 0.0);
        check(Combination::Mean, 0.0);
        check(Combination::Product, 1.0);
        check(Combination::ElementProduct, 1.0);
        check(Combination::CrossSum, 0.0);
        check(Combination::Count, 0.0);
        assert_eq!(apply(Combination::Concat, &[]), None);
        assert_eq!(apply(Combination::Cosine, &[]), None);
    }

    #[test]
    fn shapes_and_values() {
        let check = |combination, inputs: &[OwnedValue<f64>], expected: Option<OwnedValue<f64>>| {
            assert_eq!(apply(combination, inputs), expected, "{combination}");
        };
        let a = value(&[1.0, 2.0], Shape::vector(2));
        let b = value(&[10.0, 20.0, 30.0], Shape::vector(3));
        let n = value(&[5.0], Shape::NUMBER);
        let inputs = [a.clone(), b.clone()];
        check(Combination::Sum, &inputs, None);
        check(Combination::Sum, &[n.clone(), a.clone()], Some(value(&[6.0, 7.0], Shape::vector(2))));
        let sums = [11.0, 21.0, 31.0, 12.0, 22.0, 32.0];
        check(Combination::CrossSum, &inputs, Some(value(&sums, Shape::vector(6))));
        check(Combination::Concat, &inputs, Some(value(&[1.0, 2.0, 10.0, 20.0, 30.0], Shape::vector(5))));
        check(Combination::Min, &[n.clone(), b], Some(value(&[5.0, 5.0, 5.0], Shape::vector(3))));
        check(Combination::Product, &[n, a.clone(), a], Some(value(&[5.0, 20.0], Shape::vector(2))));
    }

    #[test]
    fn the_first_of_equal_inputs_gets_the_gradient() {
        let inputs: [View<'_, f64>; 3] = [(&[1.0], Shape::NUMBER); 3];
        for combination in [Combination::Min, Combination::Max] {
            assert_eq!(combination.backward(&inputs, &[2.0]), Some(vec![vec![2.0], vec![0.0], vec![0.0]]));
        }
    }
}
