//! Rows of numbers sorted into classes of equal rows.

use super::buffers::Buffers;
use crate::network::merge::Interner;

/// Returns the least of some numbers and the largest.
pub(in crate::network) fn bounds(numbers: impl Iterator<Item = u32>) -> (u32, u32) {
    numbers.fold((u32::MAX, 0), |(low, high), number| (low.min(number), high.max(number)))
}

/// Rows with the same number in every column are of one class.
pub(super) struct Classes {
    /// The class of each row.
    pub class: Vec<u32>,
    /// The first row of each class.
    pub first: Vec<u32>,
}

impl Classes {
    pub fn all_different(rows: usize) -> Self {
        Self { class: (0..rows as u32).collect(), first: (0..rows as u32).collect() }
    }

    pub fn of(columns: &[&[u32]], rows: usize, buffers: &mut Buffers) -> Self {
        let mut splitting = ClassSplitter::new(rows, buffers);
        for column in columns {
            let width = column.iter().max().map_or(0, |&most| most as usize + 1);
            splitting.by(|row| column[row], width);
        }
        splitting.finish()
    }

    /// Returns how many rows each class has, each counted as often as told.
    pub fn sizes(&self, counts: impl Iterator<Item = u32>, buffers: &mut Buffers) -> Vec<u32> {
        let mut sizes = buffers.repeated(0, self.first.len());
        self.class.iter().zip(counts).for_each(|(&class, count)| sizes[class as usize] += count);
        sizes
    }
}

/// Classes that are split column by column, numbered in the order of their first rows.
pub(super) struct ClassSplitter<'b> {
    class: Vec<u32>,
    count: usize,
    buffers: &'b mut Buffers,
}

impl<'b> ClassSplitter<'b> {
    /// Returns all rows in one class.
    pub fn new(rows: usize, buffers: &'b mut Buffers) -> Self {
        Self { class: buffers.repeated(0, rows), count: usize::from(rows > 0), buffers }
    }

    /// Splits by a number of each row, whatever the numbers are.
    pub fn by_any(&mut self, number: impl Fn(usize) -> u32) {
        let (low, high) = bounds((0..self.class.len()).map(&number));
        self.by(|row| number(row) - low, high.saturating_sub(low) as usize + 1);
    }

    /// Splits by a number of each row, below `width`. A small table tells old class and number apart at a glance, if
    /// need be of the numbers that there are; only where it would be larger than the rows are worth, hashing does.
    pub fn by(&mut self, number: impl Fn(usize) -> u32, width: usize) {
        if width <= 1 {
            return;
        }
        let most = 4 * self.class.len() + 1024;
        if self.count.saturating_mul(width) <= most {
            return self.by_table(number, width);
        }
        if width > most {
            return self.by_hash(number);
        }
        let mut places = self.buffers.repeated(u32::MAX, width);
        let mut count = 0;
        for row in 0..self.class.len() {
            let place = &mut places[number(row) as usize];
            if *place == u32::MAX {
                *place = count;
                count += 1;
            }
        }
        match self.count.saturating_mul(count as usize) <= most {
            true => self.by_table(|row| places[number(row) as usize], count as usize),
            false => self.by_hash(number),
        }
        self.buffers.give(places);
    }

    fn by_table(&mut self, number: impl Fn(usize) -> u32, width: usize) {
        let mut table = self.buffers.repeated(u32::MAX, self.count * width);
        let mut next = 0;
        for (row, class) in self.class.iter_mut().enumerate() {
            let new = &mut table[*class as usize * width + number(row) as usize];
            if *new == u32::MAX {
                *new = next;
                next += 1;
            }
            *class = *new;
        }
        self.count = next as usize;
        self.buffers.give(table);
    }

    fn by_hash(&mut self, number: impl Fn(usize) -> u32) {
        let mut pairs = Interner::default();
        for (row, class) in self.class.iter_mut().enumerate() {
            *class = pairs.intern(&[*class, number(row)]).0;
        }
        self.count = pairs.len();
    }

    pub fn finish(self) -> Classes {
        let mut first = self.buffers.repeated(u32::MAX, self.count);
        for (row, &class) in self.class.iter().enumerate().rev() {
            first[class as usize] = row as u32;
        }
        Classes { class: self.class, first }
    }
}
