//! Names as they lie in a vocabulary.
//!
//! Data names millions of things, most of them in few letters: keys of 19 digits, atoms such as `d12_7`. Such a name lies
//! within the constant itself, so that it costs no piece of memory of its own and is found without a further step.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;

/// The bytes that a short name has at most.
const SHORT: usize = 22;

/// The letters of a name: within it where they are few.
#[derive(Clone)]
pub struct ConstantName(NameBytes);

#[derive(Clone)]
enum NameBytes {
    /// The first bytes are the name; all others are 0.
    Short(u8, [u8; SHORT]),
    Long(Box<str>),
}

impl ConstantName {
    fn bytes(&self) -> &[u8] {
        match &self.0 {
            NameBytes::Short(length, bytes) => &bytes[..usize::from(*length).min(SHORT)],
            NameBytes::Long(text) => text.as_bytes(),
        }
    }
}

impl Deref for ConstantName {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            // They came from a text, so nothing is lost.
            NameBytes::Short(..) => str::from_utf8(self.bytes()).unwrap_or_default(),
            NameBytes::Long(text) => text,
        }
    }
}

impl From<&str> for ConstantName {
    fn from(text: &str) -> Self {
        let mut bytes = [0; SHORT];
        match bytes.get_mut(..text.len()) {
            Some(own) => {
                own.copy_from_slice(text.as_bytes());
                Self(NameBytes::Short(text.len() as u8, bytes))
            }
            None => Self(NameBytes::Long(text.into())),
        }
    }
}

impl From<String> for ConstantName {
    fn from(text: String) -> Self {
        if text.len() <= SHORT { text.as_str().into() } else { Self(NameBytes::Long(text.into())) }
    }
}

impl PartialEq for ConstantName {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for ConstantName {}

impl PartialEq<str> for ConstantName {
    fn eq(&self, other: &str) -> bool {
        self.bytes() == other.as_bytes()
    }
}

impl Ord for ConstantName {
    /// Compares by characters, which is the order of their bytes.
    fn cmp(&self, other: &Self) -> Ordering {
        self.bytes().cmp(other.bytes())
    }
}

impl PartialOrd for ConstantName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for ConstantName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for ConstantName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Constant;

    #[test]
    fn names_of_every_length_are_what_they_were() {
        for length in 0..60 {
            let text: String = "aä𝄞0".chars().cycle().take(length).collect();
            for name in [ConstantName::from(&*text), ConstantName::from(text.clone())] {
                assert_eq!((&*name, name == *text), (&*text, true));
            }
        }
    }

    #[test]
    fn names_compare_as_texts_do() {
        let texts = ["", "a", "a\0", "aa", "ab", &"a".repeat(22), &"a".repeat(23), "b", "ä", "𝄞"];
        for (left, right) in texts.iter().flat_map(|left| texts.iter().map(move |right| (left, right))) {
            let (a, b) = (ConstantName::from(*left), ConstantName::from(*right));
            assert_eq!((a.cmp(&b), a == b), (left.cmp(right), left == right), "{left} {right}");
        }
    }

    #[test]
    fn a_constant_has_24_bytes() {
        assert_eq!(size_of::<Constant>(), 24);
    }
}
