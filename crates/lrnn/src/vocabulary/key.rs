//! Finding constants by what they are.
//!
//! A text of data names the same constants again and again, in no order. So the table holds with each id a key that
//! tells nearly all constants apart by itself: numbers and short names are compared without a look at the constant,
//! which in a large vocabulary lies somewhere far away, and the table grows without it too.

use std::hash::{BuildHasher, Hasher};

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHasher};

use super::Constant;

/// A number that tells constants apart, or nearly.
#[derive(Clone, Copy)]
pub(super) enum ConstantKey {
    /// A name of up to 11 bytes with its length, or a number that is not whole with a mark. With its id an entry of the
    /// table has 16 bytes.
    Exact([u32; 3]),
    /// A whole number of 32 bits.
    Small(i32),
    /// Half of the hash of anything else, which must be looked at anyway: so millions of keys of 19 digits take half the
    /// room.
    Hashed(u32),
}

const SHORT: usize = 11;
const NUMBER: u32 = 0x20 << 24;

impl ConstantKey {
    #[inline]
    pub fn of_name(name: &str) -> Self {
        let name = name.as_bytes();
        if name.len() > SHORT {
            let mut hasher = FxHasher::default();
            hasher.write(name);
            return Self::hashed(hasher.finish(), name.len() as u32);
        }
        let mut bytes = [0; 12];
        bytes[..name.len()].copy_from_slice(name);
        bytes[SHORT] = name.len() as u8;
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Self::Exact([word(0), word(4), word(8)])
    }

    /// Returns the key of a constant.
    pub fn of(constant: &Constant) -> Self {
        match constant {
            Constant::Name(name) => Self::of_name(name),
            Constant::Integer(integer) => match i32::try_from(*integer) {
                Ok(small) => Self::Small(small),
                Err(_) => Self::hashed(integer.cast_unsigned(), 0),
            },
            Constant::Number(number) => {
                let bits = number.to_bits();
                Self::Exact([bits as u32, (bits >> 32) as u32, NUMBER])
            }
        }
    }

    fn hashed(bits: u64, more: u32) -> Self {
        Self::Hashed((FxBuildHasher.hash_one((bits, more)) >> 32) as u32)
    }
}

/// The ids of constants.
#[derive(Clone, Default)]
pub(super) struct ConstantIds {
    exact: HashTable<([u32; 3], u32)>,
    small: HashTable<(i32, u32)>,
    hashed: HashTable<(u32, u32)>,
}

#[inline]
fn hash_of(key: &[u32; 3]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(u64::from(key[1]) << 32 | u64::from(key[0]));
    hasher.write_u32(key[2]);
    hasher.finish()
}

/// Returns a hash of 32 bits for the table, which wants bits at both ends.
#[inline]
fn spread(bits: u32) -> u64 {
    let product = u64::from(bits).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

impl ConstantIds {
    /// Returns the id of the constant with this key. `is_it` is asked where the key does not tell.
    #[inline]
    pub fn find(&self, key: ConstantKey, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        match key {
            ConstantKey::Exact(key) => {
                self.exact.find(hash_of(&key), |entry| entry.0 == key).map(|entry| entry.1)
            }
            ConstantKey::Small(key) => {
                self.small.find(spread(key.cast_unsigned()), |entry| entry.0 == key).map(|entry| entry.1)
            }
            ConstantKey::Hashed(key) => {
                self.hashed.find(spread(key), |entry| entry.0 == key && is_it(entry.1)).map(|entry| entry.1)
            }
        }
    }

    /// Returns the id of the constant with this key, or adds it with `id`, where it is not there.
    #[inline]
    pub fn find_or_insert(&mut self, key: ConstantKey, id: u32, is_it: impl Fn(u32) -> bool) -> u32 {
        match key {
            ConstantKey::Exact(key) => {
                let entry =
                    self.exact.entry(hash_of(&key), |entry| entry.0 == key, |entry| hash_of(&entry.0));
                entry.or_insert((key, id)).get().1
            }
            ConstantKey::Small(key) => {
                let hash = |key: i32| spread(key.cast_unsigned());
                let entry = self.small.entry(hash(key), |entry| entry.0 == key, |entry| hash(entry.0));
                entry.or_insert((key, id)).get().1
            }
            ConstantKey::Hashed(key) => {
                let is_it = |entry: &(u32, u32)| entry.0 == key && is_it(entry.1);
                self.hashed.entry(spread(key), is_it, |entry| spread(entry.0)).or_insert((key, id)).get().1
            }
        }
    }

    /// Adds a constant that is not there.
    pub fn insert(&mut self, constant: &Constant, id: u32) {
        self.find_or_insert(ConstantKey::of(constant), id, |_| false);
    }
}
