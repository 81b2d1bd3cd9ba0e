//! Memory for what is needed for a moment.

/// Vectors without numbers but with room for some. A network is built of many short columns; of a small example, making
/// room for each anew would be much of the work.
#[derive(Default)]
pub(super) struct Buffers {
    kept: Vec<Vec<u32>>,
    /// The numbers that they have room for.
    room: usize,
}

/// So much room is kept at most, and so many vectors: more of them come back than are taken.
const MOST_ROOM: usize = 1 << 19;
const MOST_KEPT: usize = 1 << 12;

impl Buffers {
    /// Returns a vector without numbers.
    pub fn take(&mut self) -> Vec<u32> {
        let buffer = self.kept.pop().unwrap_or_default();
        self.room -= buffer.capacity();
        buffer
    }

    /// Returns a vector with these numbers.
    pub fn filled(&mut self, numbers: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut buffer = self.take();
        buffer.extend(numbers);
        buffer
    }

    /// Returns a vector with a number so many times.
    pub fn repeated(&mut self, number: u32, count: usize) -> Vec<u32> {
        let mut buffer = self.take();
        buffer.resize(count, number);
        buffer
    }

    /// Takes a vector that is no longer needed.
    pub fn give(&mut self, mut buffer: Vec<u32>) {
        if self.kept.len() < MOST_KEPT && self.room + buffer.capacity() <= MOST_ROOM {
            buffer.clear();
            self.room += buffer.capacity();
            self.kept.push(buffer);
        }
    }

    /// Takes vectors that are no longer needed.
    pub fn give_all(&mut self, buffers: impl IntoIterator<Item = Vec<u32>>) {
        buffers.into_iter().for_each(|buffer| self.give(buffer));
    }
}
