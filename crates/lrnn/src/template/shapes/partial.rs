//! Shapes of which only a part may be known: what can be said of values before there is data.
//!
//! A partial shape stands for all shapes that fit it. The result of an operation fits every shape that the operation
//! can give; `None` says that it is defined for none of them.

use std::fmt;

use crate::function::{Combination, Combiner, Shape};

/// The rows and columns of a value, as far as they are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Partial {
    rows: Option<u32>,
    columns: Option<u32>,
}

impl From<Shape> for Partial {
    fn from(shape: Shape) -> Self {
        Self { rows: Some(shape.rows), columns: Some(shape.columns) }
    }
}

impl Partial {
    /// Any shape.
    pub const ANY: Self = Self { rows: None, columns: None };

    /// Returns the shape, where all of it is known.
    pub fn exact(self) -> Option<Shape> {
        Some(Shape { rows: self.rows?, columns: self.columns? })
    }

    /// Returns the number of rows, where it is known.
    pub fn rows(self) -> Option<u32> {
        self.rows
    }

    /// Returns whether it may be a number.
    pub fn may_be_number(self) -> bool {
        self.meet(Shape::NUMBER.into()).is_some()
    }

    /// Returns what fits both.
    fn meet(self, other: Self) -> Option<Self> {
        let rows = meet(self.rows, other.rows)?;
        Some(Self { rows, columns: meet(self.columns, other.columns)? })
    }

    /// Returns the least that fits all of these; `None` for none.
    fn join(all: impl IntoIterator<Item = Option<Self>>) -> Option<Self> {
        let same = |a: Option<u32>, b: Option<u32>| if a == b { a } else { None };
        let both =
            |a: Self, b: Self| Self { rows: same(a.rows, b.rows), columns: same(a.columns, b.columns) };
        all.into_iter().flatten().reduce(both)
    }

    /// Returns the shape of a sum; see [`Shape::plus`].
    pub fn plus(self, other: Self) -> Option<Self> {
        let spread = |number: Self, value: Self| number.may_be_number().then_some(value);
        Self::join([self.meet(other), spread(self, other), spread(other, self)])
    }

    /// Returns the shape of weight · value; see [`Shape::times`].
    pub fn times(self, value: Self) -> Option<Self> {
        let scaled = |number: Self, value: Self| number.may_be_number().then_some(value);
        let column = Self { rows: None, columns: Some(1) };
        let element_wise =
            self.meet(value).and_then(|both| both.meet(column)).filter(|it| it.rows != Some(1));
        let inner = meet(self.columns, value.rows);
        let product = inner.map(|_| Self { rows: self.rows, columns: value.columns });
        Self::join([scaled(self, value), scaled(value, self), element_wise, product])
    }

    /// Returns the shape of inputs combined; see [`Combination::shape`].
    pub fn combined(combiner: &Combiner, inputs: &[Self]) -> Option<Self> {
        if let Some(exact) = inputs.iter().map(|input| input.exact()).collect::<Option<Vec<_>>>() {
            return combiner.shape(&exact).map(Self::from);
        }
        let Combiner::All(combination) = combiner else { return Some(Self::ANY) };
        let fold = |step: fn(Self, Self) -> Option<Self>| {
            let (first, rest) = inputs.split_first()?;
            rest.iter().try_fold(*first, |all, &next| step(all, next))
        };
        match combination {
            Combination::Product => fold(Self::times),
            Combination::Count | Combination::Cosine => Some(Shape::NUMBER.into()),
            Combination::CrossSum | Combination::Flat | Combination::Softmax | Combination::Sparsemax => {
                Some(Self { rows: None, columns: Some(1) })
            }
            Combination::Concat => {
                let columns = inputs.iter().try_fold(None, |all, input| meet(all, input.columns))?;
                Some(Self { rows: None, columns })
            }
            _ => fold(Self::plus),
        }
    }
}

/// Returns the number that both allow; `None` inside says that any number will do.
fn meet(a: Option<u32>, b: Option<u32>) -> Option<Option<u32>> {
    match (a, b) {
        (Some(a), Some(b)) => (a == b).then_some(Some(a)),
        (a, b) => Some(a.or(b)),
    }
}

/// In words, for a message.
impl fmt::Display for Partial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.exact(), self.rows, self.columns) {
            (Some(shape), ..) if shape.is_number() => write!(f, "a number"),
            (Some(shape), ..) if shape.is_vector() => write!(f, "a vector {shape}"),
            (Some(shape), ..) => write!(f, "a matrix {shape}"),
            (None, Some(rows), _) => write!(f, "a value of {rows} rows"),
            (None, None, Some(columns)) => write!(f, "a value of {columns} columns"),
            (None, None, None) => write!(f, "a value"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns all shapes of up to four rows and columns that fit.
    fn shapes(partial: Partial) -> Vec<Shape> {
        let all = (1..=4).flat_map(|rows| (1..=4).map(move |columns| Shape { rows, columns }));
        all.filter(|&shape| partial.meet(shape.into()).is_some()).collect()
    }

    /// Whatever the operation gives for shapes that fit fits its result.
    fn check(operation: fn(Partial, Partial) -> Option<Partial>, exact: fn(Shape, Shape) -> Option<Shape>) {
        let known = [None, Some(1), Some(2), Some(3)];
        let all: Vec<Partial> =
            (known.iter()).flat_map(|&rows| known.map(move |columns| Partial { rows, columns })).collect();
        for (&a, &b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
            let result = operation(a, b);
            for (one, two) in
                shapes(a).into_iter().flat_map(|one| shapes(b).into_iter().map(move |two| (one, two)))
            {
                let Some(shape) = exact(one, two) else { continue };
                let fits = result.is_some_and(|result| result.meet(shape.into()).is_some());
                assert!(fits, "{a:?} {b:?} gives {result:?}, not {shape}");
            }
            if let (Some(one), Some(two)) = (a.exact(), b.exact()) {
                assert_eq!(result, exact(one, two).map(Partial::from), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn operations_say_no_more_than_holds() {
        check(Partial::plus, Shape::plus);
        check(Partial::times, Shape::times);
        check(
            |a, b| Partial::combined(&Combination::Concat.into(), &[a, b]),
            |a, b| Combination::Concat.shape(&[a, b]),
        );
        check(
            |a, b| Partial::combined(&Combination::CrossSum.into(), &[a, b]),
            |a, b| Combination::CrossSum.shape(&[a, b]),
        );
    }

    #[test]
    fn rows_are_known_behind_a_weight() {
        let weight = Partial::from(Shape::matrix(4, 2));
        assert_eq!(weight.times(Partial::ANY), Some(Partial { rows: Some(4), columns: None }));
        assert_eq!(weight.times(Partial { rows: Some(3), columns: None }), None);
    }
}
