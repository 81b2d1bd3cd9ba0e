//! Names and their numbers: constants and predicates as `u32` ids.
//!
//! A template makes a vocabulary; reading data extends a copy of it. Ids are handed out in the order of first
//! appearance and never change, so the template's ids are valid in every vocabulary that extends the template's.

mod key;

use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use key::ConstantIds;

/// A constant of a vocabulary.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConstantId(pub u32);

/// A predicate (name and arity) of a vocabulary.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PredicateId(pub u32);

impl ConstantId {
    /// The id as an index into dense vectors.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl PredicateId {
    /// The id as an index into dense vectors.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A constant: a name, or a number that equals every other way to write it (`1` is `1.0`).
#[derive(Clone, PartialEq, Debug)]
pub enum Constant {
    /// A name, written bare or quoted.
    Name(Box<str>),
    /// A number, finite and never `-0`.
    Number(f64),
}

impl From<&str> for Constant {
    fn from(name: &str) -> Self {
        Self::Name(name.into())
    }
}

impl From<String> for Constant {
    fn from(name: String) -> Self {
        Self::Name(name.into())
    }
}

impl From<f64> for Constant {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<i64> for Constant {
    fn from(number: i64) -> Self {
        Self::Number(number as f64)
    }
}

impl From<i32> for Constant {
    fn from(number: i32) -> Self {
        i64::from(number).into()
    }
}

impl Constant {
    /// The order of comparisons: numbers by value before names by their characters.
    pub fn compare(&self, other: &Self) -> std::cmp::Ordering {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Number(_), Self::Name(_)) => std::cmp::Ordering::Less,
            (Self::Name(_), Self::Number(_)) => std::cmp::Ordering::Greater,
            (Self::Name(a), Self::Name(b)) => a.cmp(b),
        }
    }
}

/// Whether a name can stand without quotes: a letter that is no capital, then letters, digits and `_`, and `-`
/// before a letter or digit.
pub fn is_bare_name(name: &str) -> bool {
    let plain = |part: &str| part.chars().all(|c| c.is_alphanumeric() || c == '_');
    let begins = |part: &str| part.starts_with(|c: char| c.is_ascii_alphanumeric());
    let mut parts = name.split('-');
    let first = parts.next().unwrap_or("");
    first.starts_with(|c: char| c.is_alphabetic() && !c.is_uppercase())
        && plain(first)
        && parts.all(|part| begins(part) && plain(part))
}

/// Whether a character must not go to a terminal as it is: control characters, and marks that turn the direction
/// of what follows.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Writes a name as the language reads it: bare where it can be, else quoted.
pub fn write_name(f: &mut impl fmt::Write, name: &str) -> fmt::Result {
    if is_bare_name(name) && name != "not" && name != "import" {
        return f.write_str(name);
    }
    f.write_char('\'')?;
    for c in name.chars() {
        match c {
            '\'' => f.write_str("\\'")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            c if is_hidden(c) => write!(f, "\\u{{{:x}}}", c as u32)?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('\'')
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write_name(f, name),
            Self::Number(number) => write!(f, "{number}"),
        }
    }
}

/// A predicate's name and number of terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The name, as written.
    pub name: Box<str>,
    /// The number of terms.
    pub arity: u32,
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_name(f, &self.name)?;
        write!(f, "/{}", self.arity)
    }
}

/// All constants and predicates, by id. Copies share what they hold until one of them grows.
#[derive(Clone, Default)]
pub struct Vocabulary(Arc<Names>);

#[derive(Clone, Default)]
struct Names {
    constants: Vec<Constant>,
    predicates: Vec<Signature>,
    constant_ids: ConstantIds,
    predicate_ids: HashTable<u32>,
    hasher: FxBuildHasher,
}

impl Vocabulary {
    /// The id of the constant with this name, new if need be.
    pub fn name(&mut self, name: &str) -> ConstantId {
        let known = self.0.constant_ids.name(name, &self.0.constants);
        known.map_or_else(|| self.add(Constant::Name(name.into())), ConstantId)
    }

    /// The id of the constant that is this number, new if need be.
    pub fn number(&mut self, number: f64) -> ConstantId {
        let number = number + 0.0; // -0 becomes 0
        let known = self.0.constant_ids.number(number);
        known.map_or_else(|| self.add(Constant::Number(number)), ConstantId)
    }

    /// The id of a constant, new if need be.
    pub fn constant_id(&mut self, constant: &Constant) -> ConstantId {
        match constant {
            Constant::Name(name) => self.name(name),
            Constant::Number(number) => self.number(*number),
        }
    }

    fn add(&mut self, constant: Constant) -> ConstantId {
        let names = Arc::make_mut(&mut self.0);
        let id = names.constants.len() as u32;
        names.constant_ids.insert(&constant, id);
        names.constants.push(constant);
        ConstantId(id)
    }

    /// The id of a predicate, new if need be.
    pub fn predicate(&mut self, name: &str, arity: usize) -> PredicateId {
        if let Some(id) = self.find_predicate(name, arity) {
            return id;
        }
        let Names { predicates, predicate_ids, hasher, .. } = Arc::make_mut(&mut self.0);
        let id = predicates.len() as u32;
        let hash = hasher.hash_one((name, arity as u32));
        predicates.push(Signature { name: name.into(), arity: arity as u32 });
        predicate_ids.insert_unique(hash, id, |&id| {
            let signature = &predicates[id as usize];
            hasher.hash_one((&*signature.name, signature.arity))
        });
        PredicateId(id)
    }

    /// The id of a predicate, if it is known.
    pub fn find_predicate(&self, name: &str, arity: usize) -> Option<PredicateId> {
        let arity = u32::try_from(arity).ok()?;
        let hash = self.0.hasher.hash_one((name, arity));
        let is_it = |&id: &u32| {
            let signature = &self.0.predicates[id as usize];
            signature.arity == arity && *signature.name == *name
        };
        self.0.predicate_ids.find(hash, is_it).map(|&id| PredicateId(id))
    }

    /// The id of a constant, if it is known.
    pub fn find_constant(&self, constant: &Constant) -> Option<ConstantId> {
        let known = match constant {
            Constant::Name(name) => self.0.constant_ids.name(name, &self.0.constants),
            Constant::Number(number) => self.0.constant_ids.number(*number),
        };
        known.map(ConstantId)
    }

    /// The constant with this id.
    pub fn constant(&self, id: ConstantId) -> &Constant {
        &self.0.constants[id.index()]
    }

    /// The predicate with this id.
    pub fn signature(&self, id: PredicateId) -> &Signature {
        &self.0.predicates[id.index()]
    }

    /// Tells whether it has all names of another under the same ids.
    pub fn extends(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.0.constants.starts_with(&other.0.constants)
                && self.0.predicates.starts_with(&other.0.predicates))
    }

    /// How many constants there are.
    pub fn constant_count(&self) -> usize {
        self.0.constants.len()
    }

    /// How many predicates there are.
    pub fn predicate_count(&self) -> usize {
        self.0.predicates.len()
    }

    /// All predicates in the order of their ids.
    pub fn predicates(&self) -> impl Iterator<Item = (PredicateId, &Signature)> {
        self.0.predicates.iter().enumerate().map(|(id, signature)| (PredicateId(id as u32), signature))
    }

    /// A ground atom as text: `bond(a1, a2)`, or `toxic` without terms.
    pub fn atom_text(&self, predicate: PredicateId, terms: &[ConstantId]) -> String {
        let mut text = String::new();
        let _ = write_name(&mut text, &self.signature(predicate).name);
        for (position, &term) in terms.iter().enumerate() {
            text.push_str(if position == 0 { "(" } else { ", " });
            text.push_str(&self.constant(term).to_string());
        }
        if !terms.is_empty() {
            text.push(')');
        }
        text
    }
}

impl fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Vocabulary({} constants, {} predicates)", self.constant_count(), self.predicate_count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_are_one_constant() {
        let mut vocabulary = Vocabulary::default();
        assert_eq!(vocabulary.number(1.0), vocabulary.number(1.0));
        assert_eq!(vocabulary.number(0.0), vocabulary.number(-0.0));
        assert_ne!(vocabulary.number(1.0), vocabulary.name("1"));
    }

    #[test]
    fn names_are_quoted_when_they_must_be() {
        let mut vocabulary = Vocabulary::default();
        let edge = vocabulary.predicate("edge", 2);
        let terms = [vocabulary.name("Anna's"), vocabulary.number(2.5)];
        assert_eq!(vocabulary.atom_text(edge, &terms), r"edge('Anna\'s', 2.5)");
    }
}
