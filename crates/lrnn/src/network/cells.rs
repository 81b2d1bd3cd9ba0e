//! The numbers of a network's cells, one after the other.

use std::ops::{Deref, DerefMut};

use crate::function::Real;

/// Number of bytes that a processor fetches from memory at once.
const LINE: usize = 64;

/// Number of bytes that a processor keeps at hand: with fewer, it does not matter where they lie.
const NEAR: usize = 1 << 18;

/// Numbers that begin where a line of memory does, if there are many: a value of sixteen numbers in single precision is
/// one line then, and not parts of two, so that half as much is fetched for values that lie anywhere.
#[derive(Clone, Debug, Default)]
pub(super) struct CellValues<R> {
    /// Less than a line that is not used, and the numbers.
    numbers: Vec<R>,
    start: usize,
}

impl<R: Real> CellValues<R> {
    /// Replaces all numbers by so many zeros.
    pub fn reset(&mut self, count: usize) {
        self.numbers.clear();
        self.start = 0;
        if count * size_of::<R>() < NEAR {
            return self.numbers.resize(count, R::ZERO);
        }
        let room = LINE / size_of::<R>();
        self.numbers.resize(count + room, R::ZERO);
        self.start = self.numbers.as_ptr().align_offset(LINE).min(room);
        self.numbers.truncate(self.start + count);
    }
}

impl<R> Deref for CellValues<R> {
    type Target = [R];

    fn deref(&self) -> &[R] {
        &self.numbers[self.start..]
    }
}

impl<R> DerefMut for CellValues<R> {
    fn deref_mut(&mut self) -> &mut [R] {
        &mut self.numbers[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begins_with_a_line<R: Real>() {
        let mut cells = CellValues::<R>::default();
        assert!(cells.is_empty());
        for count in [0, 17, NEAR + 1, 3, NEAR + 5000, NEAR] {
            cells.reset(count);
            assert_eq!(&*cells, vec![R::ZERO; count]);
            assert!(count < NEAR || cells.as_ptr().addr() % LINE == 0, "{count}");
            cells.fill(R::ONE);
        }
    }

    #[test]
    fn cells_begin_with_a_line() {
        begins_with_a_line::<f32>();
        begins_with_a_line::<f64>();
    }
}
