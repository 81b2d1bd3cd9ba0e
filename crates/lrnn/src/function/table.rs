//! The tables of functions: one entry each, and everything else follows from it.

/// A line of a table of functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry<T: 'static> {
    /// The function.
    pub value: T,
    /// Its name.
    pub name: &'static str,
    /// Other names that find it.
    pub aliases: &'static [&'static str],
    /// One line about it.
    pub about: &'static str,
    /// Its formula.
    pub formula: &'static str,
}

/// Returns whether two names are the same: `-` and `_` alike, capitals and small letters alike.
pub(crate) fn same_name(left: &str, right: &str) -> bool {
    let plain = |byte: u8| if byte == b'_' { b'-' } else { byte.to_ascii_lowercase() };
    left.bytes().map(plain).eq(right.bytes().map(plain))
}

/// Declares an enum of functions together with its table: the doc comment is the line about it, then come its
/// name, its aliases and its formula. So there is no function without its entry.
macro_rules! table {
    (
        $(#[$outer:meta])*
        pub enum $kind:ident {
            $(#[doc = $about:literal] $variant:ident = $name:literal, [$($alias:literal),*], $formula:literal;)*
        }
    ) => {
        $(#[$outer])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $kind {
            $(#[doc = $about] $variant,)*
        }

        impl $kind {
            /// The table.
            pub const TABLE: &'static [$crate::function::Entry<Self>] = &[
                $($crate::function::Entry {
                    value: Self::$variant,
                    name: $name,
                    aliases: &[$($alias),*],
                    about: $about.trim_ascii(),
                    formula: $formula,
                },)*
            ];

            /// All of them, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns its entry in the table.
            pub const fn entry(self) -> &'static $crate::function::Entry<Self> {
                &Self::TABLE[self as usize]
            }

            /// Returns its name.
            pub const fn name(self) -> &'static str {
                self.entry().name
            }

            /// Returns one line about it.
            pub const fn about(self) -> &'static str {
                self.entry().about
            }

            /// Returns its formula.
            pub const fn formula(self) -> &'static str {
                self.entry().formula
            }

            /// Returns the one with this name or alias; `-` and `_`, capitals and small letters are alike.
            pub fn find(name: &str) -> Option<Self> {
                let found = Self::TABLE.iter().find(|entry| {
                    let mut names = std::iter::once(&entry.name).chain(entry.aliases);
                    names.any(|known| $crate::function::table::same_name(known, name))
                });
                found.map(|entry| entry.value)
            }

            /// Returns all names and aliases, in the order of the table.
            pub fn names() -> impl Iterator<Item = &'static str> {
                Self::TABLE.iter().flat_map(|entry| std::iter::once(&entry.name).chain(entry.aliases)).copied()
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

pub(crate) use table;

#[cfg(test)]
mod tests {
    use crate::function::{Activation, Aggregation, Combination};

    fn check<T: Copy + PartialEq + std::fmt::Debug>(
        table: &[super::Entry<T>],
        names: impl Iterator<Item = &'static str>,
        find: impl Fn(&str) -> Option<T>,
    ) {
        for entry in table {
            assert_eq!(find(entry.name), Some(entry.value));
            assert_eq!(find(&entry.name.to_uppercase().replace('-', "_")), Some(entry.value));
            for alias in entry.aliases {
                assert_eq!(find(alias), Some(entry.value), "{alias} is taken twice");
            }
            assert!(entry.about.ends_with('.') && !entry.formula.is_empty(), "{}", entry.name);
        }
        let mut names: Vec<_> = names.collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "a name occurs twice");
        assert_eq!(find("no such function"), None);
    }

    #[test]
    fn every_name_and_alias_finds_its_function() {
        check(Activation::TABLE, Activation::names(), Activation::find);
        check(Combination::TABLE, Combination::names(), Combination::find);
        check(Aggregation::TABLE, Aggregation::names(), Aggregation::find);
    }
}
