//! One matrix times many columns: a stretch of a row of the result at a time, so that its sums stay in registers.

use lrnn_wide::Work;

use super::forward::slot;
use super::kernel::{CACHED, Weigher, add};
use super::program::{List, Network, Slots, ValueSource, Weighing};
use super::schedule::WeightStep;
use crate::function::Real;

/// Numbers in rows and columns, as they lie: row by row, or column by column.
#[derive(Clone, Copy)]
pub(super) struct Grid<'a, R> {
    numbers: &'a [R],
    /// From one row to the next, and from one column to the next.
    steps: (usize, usize),
}

impl<'a, R: Real> Grid<'a, R> {
    /// Returns row by row.
    pub fn rows(numbers: &'a [R], columns: usize) -> Self {
        Self { numbers, steps: (columns, 1) }
    }

    /// Column by column.
    pub fn columns(numbers: &'a [R], rows: usize) -> Self {
        Self { numbers, steps: (1, rows) }
    }

    #[inline(always)]
    fn from(self, row: usize) -> Self {
        Self { numbers: &self.numbers[row * self.steps.0..], ..self }
    }

    #[inline(always)]
    fn at(&self, column: usize) -> R {
        self.numbers[column * self.steps.1]
    }
}

/// `out[i][j] += Σ factors[i][k] · rows[k][j]`; the rows and the result have `width` columns.
#[inline]
pub(super) fn add_product<R: Real>(factors: Grid<'_, R>, rows: &[R], width: usize, out: &mut [R]) {
    R::work(Product { factors, rows, width, out });
}

struct Product<'a, R> {
    factors: Grid<'a, R>,
    rows: &'a [R],
    width: usize,
    out: &'a mut [R],
}

impl<R: Real> Work for Product<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (row, out) in self.out.chunks_exact_mut(self.width).enumerate() {
            let factors = self.factors.from(row);
            let mut from = 0;
            macro_rules! stretches {
                ($($long:literal),*) => {$(
                    while self.width - from >= $long {
                        add_stretch::<R, $long>(factors, self.rows, self.width, from, out);
                        from += $long;
                    }
                )*};
            }
            stretches!(16, 8, 4, 2, 1);
        }
    }
}

/// Adds to a stretch of a row of the result.
#[inline(always)]
fn add_stretch<R: Real, const LONG: usize>(
    factors: Grid<'_, R>,
    rows: &[R],
    width: usize,
    from: usize,
    out: &mut [R],
) {
    let Some(out) = out[from..].first_chunk_mut::<LONG>() else { return };
    let mut sums = *out;
    for (at, row) in rows.chunks_exact(width).enumerate() {
        let factor = factors.at(at);
        for (sum, &x) in sums.iter_mut().zip(&row[from..from + LONG]) {
            *sum += factor * x;
        }
    }
    *out = sums;
}

/// A matrix that multiplies many columns.
pub(super) struct Matrix {
    place: usize,
    rows: usize,
    inner: usize,
}

impl Matrix {
    /// Returns the weight, if it is a matrix, the same for all values, and these are columns.
    pub fn of(network: &Network, weight: &WeightStep, slots: Slots, weigher: &Weigher) -> Option<Self> {
        let shape = weigher.matrix_of_columns()?;
        let place = match slots {
            Slots::At(_) => return None,
            Slots::Same | Slots::One(_) => slot(network, weight.place, slots, 0),
        };
        Some(Self { place, rows: shape.rows as usize, inner: shape.columns as usize })
    }

    /// Returns the places of its numbers among the parameters from a first one on.
    #[inline(always)]
    pub fn range(&self, first: usize) -> std::ops::Range<usize> {
        self.place - first..self.place - first + self.rows * self.inner
    }

    /// Writes the matrix column by column, as [`Self::forward`] wants it for several values.
    #[inline(always)]
    pub fn turn<R: Real>(&self, parameters: &[R], turned: &mut Vec<R>) {
        let Self { rows, inner, .. } = *self;
        turned.resize(rows * inner, R::ZERO);
        for (row, numbers) in parameters[self.range(0)].chunks_exact(inner).enumerate() {
            turned[row..].iter_mut().step_by(rows).zip(numbers).for_each(|(to, &number)| *to = number);
        }
    }

    /// `out += matrix · values`
    #[inline(always)]
    pub fn forward<R: Real>(&self, parameters: &[R], turned: &[R], values: &[R], out: &mut [R]) {
        let Self { rows, inner, .. } = *self;
        if values.len() == inner {
            return add_product(Grid::rows(&parameters[self.range(0)], inner), values, 1, out);
        }
        add_product(Grid::rows(values, inner), turned, rows, out);
    }

    /// From the gradients by the products: adds to those by the matrix and by the values.
    #[inline(always)]
    pub fn backward<R: Real>(
        &self,
        parameters: &[R],
        values: &[R],
        gradients: &[R],
        by_weight: &mut [R],
        by_values: &mut [R],
    ) {
        let Self { rows, inner, .. } = *self;
        add_product(Grid::rows(gradients, rows), &parameters[self.range(0)], inner, by_values);
        add_product(Grid::columns(gradients, rows), values, inner, by_weight);
    }
}

/// The way in which the values of a list are weighed.
pub(super) enum WeighingWay {
    /// They are constants of the network, from this index on.
    Constants(u32),
    /// They are parameters, from this index on.
    Parameters(u32),
    /// Numbers times numbers.
    Numbers(List),
    /// One matrix times all of them.
    Matrix { matrix: Matrix, values: ListCells, rows: ListCells },
    /// One after the other.
    Each { from: List, weigher: Weigher },
}

impl WeighingWay {
    /// Returns the way for rows of `size` numbers each.
    #[inline(always)]
    pub fn of(network: &Network, part: &Weighing, size: usize) -> Self {
        let from = match part.from {
            ValueSource::Cells(from) => from,
            ValueSource::Constants(at) => return Self::Constants(at),
            ValueSource::Parameters(at) => return Self::Parameters(at),
        };
        if part.from_size == 1 && size == 1 && !part.negated {
            return Self::Numbers(from);
        }
        let weigher = Weigher::new(&part.weight, part.from_size, part.from_columns);
        let is_plain = part.size as usize == size && !part.negated;
        match Matrix::of(network, &part.weight, part.slots, &weigher).filter(|_| is_plain) {
            Some(matrix) => {
                let count = part.count;
                let values = ListCells { list: from, count, size: part.from_size as usize, scale: 1 };
                Self::Matrix { matrix, values, rows: ListCells { list: part.row, count, size, scale: size } }
            }
            None => Self::Each { from, weigher },
        }
    }
}

/// Number of values that lie anywhere and are lined up at a time.
const TOGETHER: u32 = 64;

/// The cells of the values of a list.
#[derive(Clone, Copy)]
pub(super) struct ListCells {
    pub list: List,
    pub count: u32,
    /// The numbers of each.
    pub size: usize,
    /// Number of cells for one number of the list.
    pub scale: usize,
}

impl ListCells {
    /// Returns two lists of values in parts of as many each: as a whole where both lie one after the other, else so many
    /// at a time that their copies stay in the nearest cache.
    #[inline(always)]
    pub fn parts(self, other: Self) -> impl Iterator<Item = (Self, Self)> {
        let most = if self.first().is_some() && other.first().is_some() { self.count } else { TOGETHER };
        (0..self.count).step_by(most.max(1) as usize).map(move |start| {
            let count = most.min(self.count - start);
            (self.part(start, count), other.part(start, count))
        })
    }

    #[inline(always)]
    fn part(&self, start: u32, count: u32) -> Self {
        let list = match self.list {
            List::Run(first, step) => List::Run(first + start * step, step),
            List::At(at) => List::At(at + start),
        };
        Self { list, count, ..*self }
    }

    /// Asks for the values, if there are more cells than a cache holds.
    #[inline(always)]
    fn ask<R: Real>(&self, network: &Network, cells: &[R], base: usize) {
        if cells.len() > CACHED {
            self.each(network).for_each(|range| lrnn_wide::soon(cells, range.start - base, self.size));
        }
    }

    /// Their first cell, where they lie one after the other.
    #[inline(always)]
    pub fn first(&self) -> Option<usize> {
        match self.list {
            List::Run(first, step) if step as usize * self.scale == self.size => {
                Some(first as usize * self.scale)
            }
            _ => None,
        }
    }

    #[inline(always)]
    fn each(&self, network: &Network) -> impl Iterator<Item = std::ops::Range<usize>> {
        let Self { size, scale, .. } = *self;
        network.each(self.list, self.count).map(move |number| number * scale..number * scale + size)
    }

    /// Returns the values, one after the other: where they are, or copied.
    #[inline(always)]
    pub fn lined_up<'a, R: Real>(&self, network: &Network, cells: &'a [R], copy: &'a mut Vec<R>) -> &'a [R] {
        if let Some(first) = self.first() {
            return &cells[first..first + self.count as usize * self.size];
        }
        self.ask(network, cells, 0);
        copy.resize(self.count as usize * self.size, R::ZERO);
        for (range, to) in self.each(network).zip(copy.chunks_exact_mut(self.size)) {
            let (to, to_rest) = to.as_chunks_mut::<16>();
            let (from, from_rest) = cells[range].as_chunks::<16>();
            to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            to_rest.copy_from_slice(from_rest);
        }
        copy
    }

    /// Returns as many zeros as the values have numbers, for [`Self::scatter`] to add.
    #[inline(always)]
    pub fn zeros<'a, R: Real>(&self, sums: &'a mut Vec<R>) -> &'a mut [R] {
        sums.clear();
        sums.resize(self.count as usize * self.size, R::ZERO);
        sums
    }

    /// Adds to the values, in cells from number `base` on.
    #[inline(always)]
    pub fn scatter<R: Real>(&self, network: &Network, cells: &mut [R], base: usize, sums: &[R]) {
        self.ask(network, cells, base);
        for (range, sums) in self.each(network).zip(sums.chunks_exact(self.size)) {
            add(sums, &mut cells[range.start - base..range.end - base]);
        }
    }
}
