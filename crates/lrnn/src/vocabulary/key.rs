//! Finding constants by what they are.
//!
//! A text of data names the same constants again and again, in no order. So the table holds with each id a key that
//! tells nearly all constants apart by itself: numbers and short names are compared without a look at the constant,
//! which in a large vocabulary lies somewhere far away, and the table grows without it too.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::Constant;

/// A number, a name of up to 15 bytes, or the hash of a longer one. The highest byte tells which: the length of a
/// short name, or a mark.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key([u64; 2]);

const SHORT: usize = 15;
const NUMBER: u64 = 0x20 << 56;
const LONG: u64 = 0x40 << 56;

impl Key {
    #[inline]
    fn of_name(name: &str) -> Self {
        let name = name.as_bytes();
        if name.len() > SHORT {
            let mut hasher = FxHasher::default();
            hasher.write(name);
            return Self([hasher.finish(), LONG | name.len() as u64 & (LONG - 1)]);
        }
        let mut bytes = [0; SHORT + 1];
        bytes[..name.len()].copy_from_slice(name);
        bytes[SHORT] = name.len() as u8;
        let all = u128::from_le_bytes(bytes);
        Self([all as u64, (all >> 64) as u64])
    }

    fn of_number(number: f64) -> Self {
        Self([number.to_bits(), NUMBER])
    }

    fn is_long(self) -> bool {
        self.0[1] & (0xff << 56) == LONG
    }

    #[inline]
    fn hash(self) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write_u64(self.0[0]);
        hasher.write_u64(self.0[1]);
        hasher.finish()
    }
}

/// The ids of constants.
#[derive(Clone, Default)]
pub(super) struct ConstantIds(HashTable<(Key, u32)>);

impl ConstantIds {
    /// The id of the constant with this name.
    #[inline]
    pub fn name(&self, name: &str, constants: &[Constant]) -> Option<u32> {
        let key = Key::of_name(name);
        let is_name = |id: u32| matches!(&constants[id as usize], Constant::Name(own) if **own == *name);
        let is_it = |entry: &(Key, u32)| entry.0 == key && (!key.is_long() || is_name(entry.1));
        self.0.find(key.hash(), is_it).map(|entry| entry.1)
    }

    /// The id of the constant that is this number.
    #[inline]
    pub fn number(&self, number: f64) -> Option<u32> {
        let key = Key::of_number(number);
        self.0.find(key.hash(), |entry| entry.0 == key).map(|entry| entry.1)
    }

    /// Adds a constant that is not there.
    pub fn insert(&mut self, constant: &Constant, id: u32) {
        let key = match constant {
            Constant::Name(name) => Key::of_name(name),
            Constant::Number(number) => Key::of_number(*number),
        };
        self.0.insert_unique(key.hash(), (key, id), |entry| entry.0.hash());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_length_are_found() {
        let names = ["", "a", "a\0", "fifteen_letters", "sixteen__letters", "sixteen__lettesr", "äöü"];
        let constants: Vec<Constant> = names.iter().map(|&name| Constant::Name(name.into())).collect();
        let mut ids = ConstantIds::default();
        for (id, constant) in constants.iter().enumerate() {
            assert_eq!(ids.name(names[id], &constants), None);
            ids.insert(constant, id as u32);
        }
        for (id, name) in names.iter().enumerate() {
            assert_eq!(ids.name(name, &constants), Some(id as u32));
        }
    }
}
