//! Weight times value, and products of values.

use super::real::Real;
use super::shape::Shape;

/// The numbers of a value, row by row, with its shape.
pub type View<'a, R> = (&'a [R], Shape);

/// A value that owns its numbers.
pub type OwnedValue<R> = (Vec<R>, Shape);

/// weight · value as [`Shape::times`] has it: a number scales, vectors of one length multiply element by element,
/// all else is the matrix product. `None` where that is not defined.
pub fn times<R: Real>((weight, left): View<'_, R>, (value, right): View<'_, R>) -> Option<OwnedValue<R>> {
    let shape = left.times(right)?;
    let numbers = match (weight, value) {
        (&[factor], _) => value.iter().map(|&v| factor * v).collect(),
        (_, &[factor]) => weight.iter().map(|&w| w * factor).collect(),
        _ if left == right && left.is_vector() => weight.iter().zip(value).map(|(&w, &v)| w * v).collect(),
        _ => matrix_product(weight, left, value, right),
    };
    Some((numbers, shape))
}

fn matrix_product<R: Real>(left: &[R], left_shape: Shape, right: &[R], right_shape: Shape) -> Vec<R> {
    let (inner, columns) = (left_shape.columns as usize, right_shape.columns as usize);
    let mut product = Vec::with_capacity(left_shape.rows as usize * columns);
    for row in left.chunks_exact(inner.max(1)) {
        for column in 0..columns {
            let terms = row.iter().zip(right.iter().skip(column).step_by(columns));
            product.push(terms.map(|(&l, &r)| l * r).sum());
        }
    }
    product
}

/// Returns the gradients by weight and value of weight · value, from the gradient by the product. `None` where the
/// product is not defined.
pub fn times_backward<R: Real>(
    (weight, left): View<'_, R>,
    (value, right): View<'_, R>,
    gradient: &[R],
) -> Option<(Vec<R>, Vec<R>)> {
    left.times(right)?;
    let scaled = |numbers: &[R], factor: R| numbers.iter().map(|&n| n * factor).collect::<Vec<R>>();
    let dot = |a: &[R], b: &[R]| a.iter().zip(b).map(|(&a, &b)| a * b).sum::<R>();
    let each = |a: &[R], b: &[R]| a.iter().zip(b).map(|(&a, &b)| a * b).collect::<Vec<R>>();
    Some(match (weight, value) {
        (&[factor], _) => (vec![dot(value, gradient)], scaled(gradient, factor)),
        (_, &[factor]) => (scaled(gradient, factor), vec![dot(weight, gradient)]),
        _ if left == right && left.is_vector() => (each(gradient, value), each(gradient, weight)),
        _ => {
            let result = Shape::matrix(left.rows, right.columns);
            let by_weight = matrix_product(gradient, result, &transposed(value, right), right.transposed());
            let by_value = matrix_product(&transposed(weight, left), left.transposed(), gradient, result);
            (by_weight, by_value)
        }
    })
}

fn transposed<R: Real>(numbers: &[R], shape: Shape) -> Vec<R> {
    let columns = shape.columns as usize;
    (0..columns).flat_map(|column| numbers.iter().skip(column).step_by(columns).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(weight: View<'_, f64>, value: View<'_, f64>, expected: Option<View<'_, f64>>) {
        let product = times(weight, value);
        assert_eq!(product.as_ref().map(|(numbers, shape)| (&numbers[..], *shape)), expected);
        let Some((numbers, _)) = product else { return };
        let incoming: Vec<f64> = (0..numbers.len()).map(|i| 1.0 + i as f64).collect();
        let (by_weight, by_value) = times_backward(weight, value, &incoming).unwrap();
        // The product is linear in each factor, so a step of 1 gives the exact gradient.
        let sum =
            |(numbers, _): OwnedValue<f64>| numbers.iter().zip(&incoming).map(|(a, b)| a * b).sum::<f64>();
        let start = sum(times(weight, value).unwrap());
        for (at, &found) in by_weight.iter().enumerate() {
            let mut moved = weight.0.to_vec();
            moved[at] += 1.0;
            assert_eq!(found, sum(times((&moved, weight.1), value).unwrap()) - start);
        }
        for (at, &found) in by_value.iter().enumerate() {
            let mut moved = value.0.to_vec();
            moved[at] += 1.0;
            assert_eq!(found, sum(times(weight, (&moved, value.1)).unwrap()) - start);
        }
    }

    #[test]
    fn products_of_every_kind() {
        let (number, two, three) = (Shape::NUMBER, Shape::vector(2), Shape::vector(3));
        let wide = Shape::matrix(2, 3);
        check((&[2.0], number), (&[1.0, 3.0], two), Some((&[2.0, 6.0], two)));
        check((&[1.0, 3.0], two), (&[2.0], number), Some((&[2.0, 6.0], two)));
        check((&[1.0, 3.0], two), (&[2.0, 5.0], two), Some((&[2.0, 15.0], two)));
        let matrix = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        check((&matrix, wide), (&[1.0, 0.0, 2.0], three), Some((&[7.0, 16.0], two)));
        let square = Shape::matrix(2, 2);
        check(
            (&[0.0, 1.0, 1.0, 0.0], square),
            (&matrix, wide),
            Some((&[4.0, 5.0, 6.0, 1.0, 2.0, 3.0], wide)),
        );
        check((&[1.0, 2.0], Shape::matrix(1, 2)), (&[3.0, 4.0], two), Some((&[11.0], number)));
        check((&[1.0, 2.0], two), (&[3.0, 4.0], Shape::matrix(1, 2)), Some((&[3.0, 4.0, 6.0, 8.0], square)));
        check((&[1.0, 2.0], two), (&[1.0, 2.0, 3.0], three), None);
    }
}
