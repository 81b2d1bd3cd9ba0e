//! Finding constants by what they are.
//!
//! A text of data names the same constants again and again, in no order. So the table holds with each id a key that
//! tells nearly all constants apart by itself: numbers and short names are compared without a look at the constant,
//! which in a large vocabulary lies somewhere far away, and the table grows without it too.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::Constant;

/// A number, a name of up to 11 bytes, or the hash of a longer one. The highest byte tells which: the length of a
/// short name, or a mark. With its id an entry of the table has 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ConstantKey([u32; 3]);

const SHORT: usize = 11;
const INTEGER: u32 = 0x10 << 24;
const NUMBER: u32 = 0x20 << 24;
const LONG: u32 = 0x40 << 24;

impl ConstantKey {
    fn new(bits: u64, rest: u32) -> Self {
        Self([bits as u32, (bits >> 32) as u32, rest])
    }

    fn bits(self) -> u64 {
        u64::from(self.0[1]) << 32 | u64::from(self.0[0])
    }

    #[inline]
    pub fn of_name(name: &str) -> Self {
        let name = name.as_bytes();
        if name.len() > SHORT {
            let mut hasher = FxHasher::default();
            hasher.write(name);
            return Self::new(hasher.finish(), LONG | name.len() as u32 & (LONG - 1));
        }
        let mut bytes = [0; 16];
        bytes[..name.len()].copy_from_slice(name);
        bytes[SHORT] = name.len() as u8;
        let all = u128::from_le_bytes(bytes);
        Self::new(all as u64, (all >> 64) as u32)
    }

    /// Returns the key of a constant.
    pub fn of(constant: &Constant) -> Self {
        match constant {
            Constant::Name(name) => Self::of_name(name),
            Constant::Integer(integer) => Self::new(integer.cast_unsigned(), INTEGER),
            Constant::Number(number) => Self::new(number.to_bits(), NUMBER),
        }
    }

    fn is_long(self) -> bool {
        self.0[2] & (0xff << 24) == LONG
    }

    #[inline]
    pub fn hash(self) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write_u64(self.bits());
        hasher.write_u32(self.0[2]);
        hasher.finish()
    }
}

/// The ids of constants. A longer name must be looked at anyway: of it the table has half of the hash and no key, so
/// that millions of keys of 19 digits take half the room.
#[derive(Clone, Default)]
pub(super) struct ConstantIds {
    exact: HashTable<(ConstantKey, u32)>,
    long: HashTable<(u32, u32)>,
}

/// Returns the hash of an entry of a longer name, for the table, which wants bits at both ends.
#[inline]
fn spread(half: u32) -> u64 {
    u64::from(half).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl ConstantIds {
    /// Returns the id of the constant with this key and its hash. `is_it` is asked where the key does not tell.
    #[inline]
    pub fn find(&self, key: ConstantKey, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        if key.is_long() {
            let half = (hash >> 32) as u32;
            return self
                .long
                .find(spread(half), |entry| entry.0 == half && is_it(entry.1))
                .map(|entry| entry.1);
        }
        self.exact.find(hash, |entry| entry.0 == key).map(|entry| entry.1)
    }

    /// Returns the id of the constant with this key and its hash, or adds it with `id`, where it is not there.
    #[inline]
    pub fn find_or_insert(
        &mut self,
        key: ConstantKey,
        hash: u64,
        id: u32,
        is_it: impl Fn(u32) -> bool,
    ) -> u32 {
        if key.is_long() {
            let half = (hash >> 32) as u32;
            let is_it = |entry: &(u32, u32)| entry.0 == half && is_it(entry.1);
            return self
                .long
                .entry(spread(half), is_it, |entry| spread(entry.0))
                .or_insert((half, id))
                .get()
                .1;
        }
        let is_it = |entry: &(ConstantKey, u32)| entry.0 == key;
        self.exact.entry(hash, is_it, |entry| entry.0.hash()).or_insert((key, id)).get().1
    }

    /// Adds a constant that is not there.
    pub fn insert(&mut self, constant: &Constant, id: u32) {
        let key = ConstantKey::of(constant);
        if key.is_long() {
            let half = (key.hash() >> 32) as u32;
            self.long.insert_unique(spread(half), (half, id), |entry| spread(entry.0));
        } else {
            self.exact.insert_unique(key.hash(), (key, id), |entry| entry.0.hash());
        }
    }
}
