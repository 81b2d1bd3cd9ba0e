//! FNV-1a with 64 bits: the same on every platform and in every version. It is no protection against somebody who
//! means to deceive; but each step is a bijection of the state, so two texts that differ in one byte never agree.

/// The state of the hash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Hash(u64);

impl Hash {
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Returns the state after these bytes.
    pub fn bytes(self, bytes: &[u8]) -> Self {
        Self(
            bytes.iter().fold(self.0, |state, &byte| (state ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)),
        )
    }

    /// Returns the state after a number, its lowest byte first.
    pub fn number(self, number: u64) -> Self {
        self.bytes(&number.to_le_bytes())
    }

    /// Returns the state after a text; its length too, so that two texts do not read as one.
    pub fn text(self, text: &str) -> Self {
        self.number(text.len() as u64).bytes(text.as_bytes())
    }

    pub fn value(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_one_that_others_compute() {
        assert_eq!(Hash::new().bytes(b"").value(), 0xcbf2_9ce4_8422_2325);
        assert_eq!(Hash::new().bytes(b"a").value(), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(Hash::new().bytes(b"foobar").value(), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn texts_do_not_run_into_each_other() {
        let hash = |texts: [&str; 2]| texts.iter().fold(Hash::new(), |hash, text| hash.text(text));
        assert_ne!(hash(["ab", "c"]), hash(["a", "bc"]));
    }
}
