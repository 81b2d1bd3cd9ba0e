//! The queries that a clause covers, as a set of bits or, where they are few, a list.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

/// A set of queries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coverage {
    members: Members,
    count: u32,
    mark: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Members {
    Bits(Box<[u64]>),
    List(Box<[u32]>),
}

impl Coverage {
    /// Returns the set with these bits.
    pub fn of_bits(bits: &[u64]) -> Self {
        let count = bits.iter().map(|word| word.count_ones()).sum();
        let mut hasher = FxHasher::default();
        bits.hash(&mut hasher);
        let mark = hasher.finish();
        let members = if (count as usize) < 2 * bits.len() {
            let mut list = Vec::with_capacity(count as usize);
            for_each_bit(bits, |at| list.push(at as u32));
            Members::List(list.into())
        } else {
            Members::Bits(bits.into())
        };
        Self { members, count, mark }
    }

    /// Returns the set of queries for which something is true.
    pub fn of(queries: usize, is_in: impl Fn(usize) -> bool) -> Self {
        let mut bits = vec![0; queries.div_ceil(64)];
        (0..queries).filter(|&at| is_in(at)).for_each(|at| bits[at / 64] |= 1 << (at % 64));
        Self::of_bits(&bits)
    }

    /// Returns how many queries are in it.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns a number that two different sets hardly ever share.
    pub fn mark(&self) -> u64 {
        self.mark
    }

    /// Calls for each query in it, in ascending order.
    pub fn for_each(&self, mut call: impl FnMut(usize)) {
        match &self.members {
            Members::Bits(bits) => for_each_bit(bits, call),
            Members::List(list) => list.iter().for_each(|&at| call(at as usize)),
        }
    }

    /// Tells whether a query is in it.
    pub fn has(&self, query: usize) -> bool {
        match &self.members {
            Members::Bits(bits) => bits[query / 64] >> (query % 64) & 1 == 1,
            Members::List(list) => list.binary_search(&(query as u32)).is_ok(),
        }
    }

    /// Returns how many bytes it takes.
    pub fn size(&self) -> usize {
        match &self.members {
            Members::Bits(bits) => 8 * bits.len() + 48,
            Members::List(list) => 4 * list.len() + 48,
        }
    }
}

fn for_each_bit(bits: &[u64], mut call: impl FnMut(usize)) {
    for (at, &word) in bits.iter().enumerate() {
        let mut left = word;
        while left != 0 {
            call(at * 64 + left.trailing_zeros() as usize);
            left &= left - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_and_few_are_the_same_set() {
        for every in [1, 2, 7, 90, 500] {
            let coverage = Coverage::of(500, |at| at % every == 0);
            let mut seen = Vec::new();
            coverage.for_each(|at| seen.push(at));
            assert_eq!(seen, (0..500).step_by(every).collect::<Vec<_>>());
            assert_eq!(coverage.count() as usize, seen.len());
            assert!((0..500).all(|at| coverage.has(at) == (at % every == 0)));
        }
        assert_ne!(Coverage::of(500, |at| at == 3).mark(), Coverage::of(500, |at| at == 4).mark());
    }
}
