//! Constants as they lie in a vocabulary: one byte that tells the kind, eight that say which, and the letters of longer
//! names one after the other.
//!
//! Data names millions of things, most of them in few letters: keys of 19 digits, atoms such as `d12_7`. So each costs nine
//! bytes, and a long name its letters and four more; no name has a piece of memory of its own.

use super::{Constant, digits};

/// Kinds of constants, which tell what the eight bytes are. From `SHORT` on: so many letters of a name.
const INTEGER: u8 = 0;
const NUMBER: u8 = 1;
/// A name whose letters are those of this whole number.
const DIGITS: u8 = 2;
/// The place of a name among the letters.
const LONG: u8 = 3;
const SHORT: u8 = 4;

/// Constants by their number in a layer of a vocabulary.
#[derive(Clone, Default)]
pub(super) struct ConstantStore {
    kinds: Vec<u8>,
    words: Vec<u64>,
    /// Longer names: four bytes for the length, then the letters.
    letters: Vec<u8>,
}

/// Returns the whole number that is written so and in no other way.
fn canonical_integer(name: &str) -> Option<i64> {
    let digits = name.strip_prefix('-').unwrap_or(name).as_bytes();
    let is_canonical = match digits {
        [b'0'] => name.len() == 1,
        [b'1'..=b'9', rest @ ..] => rest.len() < 19 && rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if is_canonical { name.parse().ok() } else { None }
}

impl ConstantStore {
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    fn add(&mut self, kind: u8, word: u64) {
        self.kinds.push(kind);
        self.words.push(word);
    }

    pub fn push(&mut self, constant: &Constant) {
        match constant {
            Constant::Name(name) => self.push_name(name),
            Constant::Integer(integer) => self.add(INTEGER, integer.cast_unsigned()),
            Constant::Number(number) => self.add(NUMBER, number.to_bits()),
        }
    }

    pub fn push_name(&mut self, name: &str) {
        let mut word = [0; 8];
        if let Some(own) = word.get_mut(..name.len()) {
            own.copy_from_slice(name.as_bytes());
            self.add(SHORT + name.len() as u8, u64::from_le_bytes(word));
        } else if let Some(integer) = canonical_integer(name) {
            self.add(DIGITS, integer.cast_unsigned());
        } else {
            self.add(LONG, self.letters.len() as u64);
            self.letters.extend((name.len() as u32).to_le_bytes());
            self.letters.extend(name.as_bytes());
        }
    }

    /// Returns the letters of a longer name, which are where this word says.
    fn letters(&self, word: u64) -> &[u8] {
        let rest = self.letters.get(word as usize..).unwrap_or_default();
        let Some((length, rest)) = rest.split_first_chunk() else { return &[] };
        rest.get(..u32::from_le_bytes(*length) as usize).unwrap_or_default()
    }

    /// Returns a constant.
    pub fn get(&self, at: usize) -> Constant {
        match self.name(at, &mut [0; 20]) {
            // Letters came from a text, so nothing is lost.
            Some(letters) => Constant::Name(str::from_utf8(letters).unwrap_or_default().into()),
            None if self.kinds[at] == INTEGER => Constant::Integer(self.words[at].cast_signed()),
            None => Constant::Number(f64::from_bits(self.words[at])),
        }
    }

    /// Returns the letters of a name, if need be in a buffer; of a number nothing.
    pub fn name<'a>(&'a self, at: usize, buffer: &'a mut [u8; 20]) -> Option<&'a [u8]> {
        let word = self.words[at];
        match self.kinds[at] {
            INTEGER | NUMBER => None,
            DIGITS => Some(digits(word.cast_signed(), buffer).as_bytes()),
            LONG => Some(self.letters(word)),
            short => {
                buffer[..8].copy_from_slice(&word.to_le_bytes());
                Some(&buffer[..usize::from(short - SHORT)])
            }
        }
    }

    /// Tells whether a constant is the whole number that another is.
    pub fn is_same_integer(&self, at: usize, other: &Constant) -> bool {
        let Constant::Integer(integer) = other else { return false };
        (self.kinds[at], self.words[at]) == (INTEGER, integer.cast_unsigned())
    }

    /// Tells whether a constant is this name, which is longer than eight letters.
    pub fn is_long_name(&self, at: usize, name: &str) -> bool {
        match self.kinds[at] {
            DIGITS => canonical_integer(name) == Some(self.words[at].cast_signed()),
            LONG => self.letters(self.words[at]) == name.as_bytes(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_come_back_as_they_were() {
        let lengths = (0..60).map(|length| "aä𝄞0".chars().cycle().take(length).collect::<String>());
        let numbers = ["0", "-0", "007", "-7", "12345678", "123456789", "-123456789", "4000000000000000001"];
        let limits = [
            "9223372036854775807",
            "-9223372036854775808",
            "9223372036854775808",
            "00000000001",
            "-",
            "1234567 9",
        ];
        let names: Vec<String> =
            lengths.chain(numbers.iter().chain(&limits).map(|&name| name.to_owned())).collect();
        let mut store = ConstantStore::default();
        let constants: Vec<Constant> = names.iter().map(|name| Constant::from(name.as_str())).collect();
        let others = [
            Constant::Integer(-7),
            Constant::Integer(i64::MAX),
            Constant::Number(0.5),
            Constant::Number(1e300),
        ];
        constants.iter().chain(&others).for_each(|constant| store.push(constant));
        assert_eq!(store.len(), names.len() + others.len());
        for (at, constant) in constants.iter().chain(&others).enumerate() {
            assert_eq!(store.get(at), *constant);
            assert_eq!(store.is_same_integer(at, &others[0]), *constant == others[0]);
            for name in names.iter().filter(|name| name.len() > 8) {
                assert_eq!(
                    store.is_long_name(at, name),
                    *constant == Constant::from(name.as_str()),
                    "{name}"
                );
            }
        }
    }
}
