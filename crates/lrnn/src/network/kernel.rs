//! Weight times value, for many values, forwards and backwards.
//!
//! The inner loops run over whole rows in the order of memory and add in a fixed order, so the compiler can use
//! vector instructions of any width without changing a bit.

use std::ops::Range;

use super::product::{Grid, add_product};
use super::schedule::{ParameterPlace, WeightStep};
use crate::function::{Real, Shape};

/// Sums of many numbers run in so many lanes, which are added in the end: always in this order.
pub(super) const LANES: usize = 8;

/// The kinds of products with a weight.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProductKind {
    /// The weight is 1.
    One,
    /// A number times anything.
    Scale,
    /// Anything times a number.
    Stretch,
    /// Vectors of one length, element by element.
    Each,
    /// Matrices.
    Matrix,
}

/// A weight ready to multiply values of one shape.
pub(super) struct Weigher {
    kind: ProductKind,
    shape: Shape,
    columns: usize,
}

impl Weigher {
    /// Returns the kernel for a weight of this step and values of so many numbers in so many columns.
    pub fn new(step: &WeightStep, size: u32, columns: u32) -> Self {
        let (shape, columns) = (step.shape, columns as usize);
        let kind = match size as usize {
            _ if step.place == ParameterPlace::One => ProductKind::One,
            _ if shape.is_number() => ProductKind::Scale,
            1 => ProductKind::Stretch,
            size if shape.is_vector() && columns == 1 && size == shape.size() => ProductKind::Each,
            _ => ProductKind::Matrix,
        };
        Self { kind, shape, columns }
    }

    /// Returns how many numbers of the parameters the weight has.
    pub fn len(&self) -> usize {
        if self.kind == ProductKind::One { 0 } else { self.shape.size() }
    }

    /// `out += weight · value`
    #[inline(always)]
    pub fn add<R: Real>(&self, weight: &[R], value: &[R], out: &mut [R]) {
        match self.kind {
            ProductKind::One => add(value, out),
            ProductKind::Scale => add_scaled(weight[0], value, out),
            ProductKind::Stretch => add_scaled(value[0], weight, out),
            ProductKind::Each => add_products(weight, value, out),
            ProductKind::Matrix => {
                let inner = self.shape.columns as usize;
                add_product(Grid::rows(weight, inner), value, self.columns, out);
            }
        }
    }

    /// Gives every term of weight · value: the number of the result that it is added to, the number of the weight, none if
    /// that is 1, and the number of the value.
    pub fn each_term(&self, value: &[f64], mut give: impl FnMut(usize, Option<usize>, f64)) {
        match self.kind {
            ProductKind::One => value.iter().enumerate().for_each(|(at, &x)| give(at, None, x)),
            ProductKind::Scale => value.iter().enumerate().for_each(|(at, &x)| give(at, Some(0), x)),
            ProductKind::Stretch => (0..self.shape.size()).for_each(|at| give(at, Some(at), value[0])),
            ProductKind::Each => value.iter().enumerate().for_each(|(at, &x)| give(at, Some(at), x)),
            ProductKind::Matrix => {
                let (inner, columns) = (self.shape.columns as usize, self.columns);
                for (at, row) in
                    (0..self.shape.rows as usize).flat_map(|row| (0..inner).map(move |at| (at, row)))
                {
                    for (column, &x) in value[at * columns..(at + 1) * columns].iter().enumerate() {
                        give(row * columns + column, Some(row * inner + at), x);
                    }
                }
            }
        }
    }

    /// Returns the shape of a matrix that multiplies columns, if it is one.
    pub fn matrix_of_columns(&self) -> Option<Shape> {
        (self.kind == ProductKind::Matrix && self.columns == 1).then_some(self.shape)
    }

    /// From the gradient by the product: adds to the gradients by the weight and by the value.
    #[inline(always)]
    pub fn backward<R: Real>(
        &self,
        weight: &[R],
        value: &[R],
        gradient: &[R],
        by_weight: &mut [R],
        by_value: &mut [R],
    ) {
        match self.kind {
            ProductKind::One => add(gradient, by_value),
            ProductKind::Scale => {
                by_weight[0] += dot(value, gradient);
                add_scaled(weight[0], gradient, by_value);
            }
            ProductKind::Stretch => {
                add_scaled(value[0], gradient, by_weight);
                by_value[0] += dot(weight, gradient);
            }
            ProductKind::Each => {
                add_products(value, gradient, by_weight);
                add_products(weight, gradient, by_value);
            }
            ProductKind::Matrix => self.backward_matrix(weight, value, gradient, by_weight, by_value),
        }
    }

    #[inline(always)]
    fn backward_matrix<R: Real>(
        &self,
        weight: &[R],
        value: &[R],
        gradient: &[R],
        by_weight: &mut [R],
        by_value: &mut [R],
    ) {
        let (inner, columns) = (self.shape.columns as usize, self.columns);
        let rows = weight.chunks_exact(inner).zip(by_weight.chunks_exact_mut(inner));
        for ((row, by_row), gradient) in rows.zip(gradient.chunks_exact(columns)) {
            if columns == 1 {
                add_scaled(gradient[0], row, by_value);
                add_scaled(gradient[0], value, by_row);
                continue;
            }
            for (at, (&w, by_w)) in row.iter().zip(by_row).enumerate() {
                let range = at * columns..(at + 1) * columns;
                *by_w += dot(&value[range.clone()], gradient);
                add_scaled(w, gradient, &mut by_value[range]);
            }
        }
    }
}

/// `out += value`, element by element; a single number is added to every element.
#[inline(always)]
pub(super) fn add<R: Real>(value: &[R], out: &mut [R]) {
    if let (&[number], true) = (value, out.len() != 1) {
        out.iter_mut().for_each(|out| *out += number);
        return;
    }
    for (out, &value) in out.iter_mut().zip(value) {
        *out += value;
    }
}

#[inline(always)]
pub(super) fn add_scaled<R: Real>(factor: R, value: &[R], out: &mut [R]) {
    for (out, &value) in out.iter_mut().zip(value) {
        *out += factor * value;
    }
}

#[inline(always)]
fn add_products<R: Real>(left: &[R], right: &[R], out: &mut [R]) {
    for ((out, &left), &right) in out.iter_mut().zip(left).zip(right) {
        *out += left * right;
    }
}

#[inline(always)]
fn dot<R: Real>(left: &[R], right: &[R]) -> R {
    left.iter().zip(right).map(|(&left, &right)| left * right).sum()
}

/// Computes the gradient by what was added to `out` with [`add`]: the sum where a number was added to every element.
#[inline(always)]
pub(super) fn add_gradient<R: Real>(gradient: &[R], by_value: &mut [R]) {
    if let ([by_number], true) = (&mut *by_value, gradient.len() != 1) {
        *by_number += gradient.iter().copied().sum();
        return;
    }
    for (by_value, &gradient) in by_value.iter_mut().zip(gradient) {
        *by_value += gradient;
    }
}

/// Returns the sum of the values of many entries: numbers, or cells that lie anywhere, with the same bits.
#[inline(always)]
pub(super) fn total<R: Real, T>(entries: &[T], value: impl Fn(&T) -> R) -> R {
    let (chunks, rest) = entries.as_chunks::<LANES>();
    let mut lanes = [R::ZERO; LANES];
    for chunk in chunks {
        for (lane, entry) in lanes.iter_mut().zip(chunk) {
            *lane += value(entry);
        }
    }
    rest.iter().fold(of_lanes(lanes), |sum, entry| sum + value(entry))
}

/// Returns the same, where each counts so many times.
#[inline(always)]
pub(super) fn counted_total<R: Real, T>(entries: &[T], counts: &[u32], value: impl Fn(&T) -> R) -> R {
    let (chunks, rest) = entries.as_chunks::<LANES>();
    let (chunk_counts, rest_counts) = counts.as_chunks::<LANES>();
    let mut lanes = [R::ZERO; LANES];
    for (chunk, counts) in chunks.iter().zip(chunk_counts) {
        for ((lane, entry), &count) in lanes.iter_mut().zip(chunk).zip(counts) {
            *lane += times::<R>(count) * value(entry);
        }
    }
    let rest = rest.iter().zip(rest_counts);
    rest.fold(of_lanes(lanes), |sum, (entry, &count)| sum + times::<R>(count) * value(entry))
}

/// Adds values that lie anywhere, in cells from number `first` on, each so many times: a stretch of them at a time, so that
/// its sums stay in registers.
#[inline(always)]
pub(super) fn add_gathered<R: Real>(
    entries: &[u32],
    counts: Option<&[u32]>,
    cells: &[R],
    first: usize,
    out: &mut [R],
) {
    let (size, mut from) = (out.len(), 0);
    macro_rules! stretches {
        ($($long:literal),*) => {$(
            while size - from >= $long {
                if let Some(out) = out[from..].first_chunk_mut::<$long>() {
                    add_gathered_stretch(entries, counts, cells, first, from, out);
                }
                from += $long;
            }
        )*};
    }
    stretches!(16, 8, 4, 2, 1);
}

/// Number of cells that a cache holds.
pub(super) const CACHED: usize = 1 << 18;

/// Asks for the values that come behind those of a run of entries, if there are more cells than a cache holds.
#[inline(always)]
pub(super) fn ask_ahead<R: Real>(entries: &[u32], run: Range<usize>, cells: &[R], first: usize, size: usize) {
    const AHEAD: usize = 16;
    if cells.len() > CACHED {
        let end = entries.len().min(run.end + AHEAD);
        for &entry in &entries[end.min(run.start + AHEAD)..end] {
            lrnn_wide::soon(cells, entry as usize - first, size);
        }
    }
}

#[inline(always)]
fn add_gathered_stretch<R: Real, const LONG: usize>(
    entries: &[u32],
    counts: Option<&[u32]>,
    cells: &[R],
    first: usize,
    from: usize,
    out: &mut [R; LONG],
) {
    let mut sums = *out;
    let value = |entry: u32| {
        let at = entry as usize - first + from;
        cells[at..].first_chunk::<LONG>()
    };
    for (at, &entry) in entries.iter().enumerate() {
        let Some(value) = value(entry) else { continue };
        match counts.map_or(1, |counts| counts[at]) {
            1 => add(value, &mut sums),
            count => add_scaled(times(count), value, &mut sums),
        }
    }
    *out = sums;
}

/// Returns a count as a factor. It is far below 2³¹, and signed numbers are converted many at a time.
#[inline(always)]
pub(super) fn times<R: Real>(count: u32) -> R {
    R::from_f64(f64::from(count as i32))
}

#[inline(always)]
fn of_lanes<R: Real>(lanes: [R; LANES]) -> R {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}
