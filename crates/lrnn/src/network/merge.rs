//! Structural hashing: equal keys get one number. A neuron's key is made of the numbers of its inputs, so two
//! neurons with one number have the same whole ancestry, hence the same value and the same gradients under any
//! weights. Nothing is ever compared by value.
//!
//! The numbers depend on what was there before, so also on the other examples of the network. Where an order is needed
//! that does not, neurons are ordered by their *marks*: hashes of their ancestry.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// Returns the mark of something with this mark so far and one more part.
#[inline]
pub(super) fn mark(so_far: u64, part: u64) -> u64 {
    (so_far.rotate_left(23) ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Keys of any length, numbered in the order they came. Keys that were pushed are hashed when one is next asked for:
/// those of the last example of a network never are.
#[derive(Default)]
pub(super) struct Interner {
    /// The first keys.
    table: HashTable<u32>,
    words: Vec<u32>,
    /// End of each key.
    ends: Vec<u32>,
}

impl Interner {
    /// Forgets all keys, but keeps its memory.
    pub fn clear(&mut self) {
        self.table.clear();
        self.words.clear();
        self.ends.clear();
    }

    /// Returns how many keys there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the key with this number.
    pub fn key(&self, number: u32) -> &[u32] {
        key_of(&self.words, &self.ends, number)
    }

    /// Returns the number of a key, and whether it is new.
    pub fn intern(&mut self, key: &[u32]) -> (u32, bool) {
        if self.table.len() < self.len() {
            self.catch_up();
        }
        let hasher = FxBuildHasher;
        let hash = hasher.hash_one(key);
        let (words, ends) = (&self.words, &self.ends);
        if let Some(&number) = self.table.find(hash, |&number| key_of(words, ends, number) == key) {
            return (number, false);
        }
        let number = self.push(key);
        let (words, ends) = (&self.words, &self.ends);
        self.table.insert_unique(hash, number, |&number| hasher.hash_one(key_of(words, ends, number)));
        (number, true)
    }

    /// Returns the number of a key, that of an equal one if it merges, and whether it is new.
    pub fn number(&mut self, key: &[u32], merges: bool) -> (u32, bool) {
        if merges { self.intern(key) } else { (self.push(key), true) }
    }

    /// Hashes the keys that were pushed.
    #[cold]
    fn catch_up(&mut self) {
        let (words, ends) = (&self.words, &self.ends);
        let hash_of = |&number: &u32| FxBuildHasher.hash_one(key_of(words, ends, number));
        self.table.reserve(self.ends.len() - self.table.len(), hash_of);
        for number in self.table.len() as u32..self.ends.len() as u32 {
            self.table.insert_unique(hash_of(&number), number, hash_of);
        }
    }

    /// Returns the words of all keys, one key after the other.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Makes room for so many keys to push, of so many words together.
    pub fn reserve(&mut self, keys: usize, words: usize) {
        self.ends.reserve(keys);
        self.words.reserve(words);
    }

    /// Makes room for so many keys to intern, of so many words together.
    pub fn reserve_hashed(&mut self, keys: usize, words: usize) {
        self.reserve(keys, words);
        let (words, ends) = (&self.words, &self.ends);
        self.table.reserve(keys, |&number| FxBuildHasher.hash_one(key_of(words, ends, number)));
    }

    /// Changes every key in place. After that no key is found again.
    pub fn change(&mut self, mut change: impl FnMut(&mut [u32])) {
        let mut start = 0;
        for &end in &self.ends {
            change(&mut self.words[start..end as usize]);
            start = end as usize;
        }
    }

    /// Returns a new number for a key, which was not there before unless no key is ever asked for.
    pub fn push(&mut self, key: &[u32]) -> u32 {
        self.words.extend_from_slice(key);
        self.ends.push(self.words.len() as u32);
        self.ends.len() as u32 - 1
    }
}

fn key_of<'a>(words: &'a [u32], ends: &[u32], number: u32) -> &'a [u32] {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] as usize };
    &words[start..ends[number] as usize]
}
