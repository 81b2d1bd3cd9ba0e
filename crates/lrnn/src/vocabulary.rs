//! Names and their numbers: constants and predicates as `u32` ids.
//!
//! A template makes a vocabulary; reading data extends a copy of it. Ids are handed out in the order of first
//! appearance and never change, so the template's ids are valid in every vocabulary that extends the template's.

mod constant;
mod key;
mod store;

use std::cmp::Ordering;
use std::fmt::{self, Write};
use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

pub use constant::{Constant, NumberError, digits, is_bare_name, is_hidden, write_name, write_number};
use key::{ConstantIds, ConstantKey};
use store::ConstantStore;

/// A constant of a vocabulary.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConstantId(pub u32);

/// A predicate (name and arity) of a vocabulary.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PredicateId(pub u32);

impl ConstantId {
    /// Returns the id as an index into dense vectors.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl PredicateId {
    /// Returns the id as an index into dense vectors.
    pub fn index(self) -> usize {
        self.0 as usize
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

/// All constants and predicates, by id.
///
/// A copy costs nothing, and what is added to a copy costs what the new names cost: a vocabulary that is shared is
/// left as it is, and the new names are a layer on top of it. A layer has less than half of the names of the layer
/// below, with which it is joined when it grows beyond that; so there are few, and most often one.
#[derive(Clone, Default)]
pub struct Vocabulary(Arc<Layer>);

#[derive(Clone, Default)]
struct Layer {
    below: Option<Arc<Layer>>,
    /// Number of constants and of predicates below.
    first: (usize, usize),
    constants: ConstantStore,
    predicates: Vec<Signature>,
    constant_ids: ConstantIds,
    predicate_ids: HashTable<u32>,
}

fn hash_predicate(name: &str, arity: u32) -> u64 {
    FxBuildHasher.hash_one((name, arity))
}

impl Layer {
    fn above(below: Arc<Self>) -> Self {
        Self { first: below.counts(), below: Some(below), ..Self::default() }
    }

    fn counts(&self) -> (usize, usize) {
        (self.first.0 + self.constants.len(), self.first.1 + self.predicates.len())
    }

    fn size(&self) -> usize {
        self.constants.len() + self.predicates.len()
    }

    /// Returns the layers from this one down.
    fn down(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |layer| layer.below.as_deref())
    }

    fn add_constant(&mut self, constant: &Constant) -> ConstantId {
        let id = self.counts().0 as u32;
        self.constant_ids.insert(constant, id);
        self.constants.push(constant);
        ConstantId(id)
    }

    /// Returns the id of a constant, new if need be, in a layer with none below.
    #[inline]
    fn find_or_add(
        &mut self,
        key: ConstantKey,
        is_it: impl Fn(&ConstantStore, usize) -> bool,
        push: impl FnOnce(&mut ConstantStore),
    ) -> ConstantId {
        let (new, constants) = (self.constants.len() as u32, &self.constants);
        let id = self.constant_ids.find_or_insert(key, new, |id| is_it(constants, id as usize));
        if id == new {
            push(&mut self.constants);
        }
        ConstantId(id)
    }

    fn add_predicate(&mut self, signature: Signature) -> PredicateId {
        let id = self.counts().1 as u32;
        let hash = hash_predicate(&signature.name, signature.arity);
        self.predicates.push(signature);
        let (first, predicates) = (self.first.1, &self.predicates);
        self.predicate_ids.insert_unique(hash, id, |&id| {
            let signature = &predicates[id as usize - first];
            hash_predicate(&signature.name, signature.arity)
        });
        PredicateId(id)
    }

    /// Joins the layer with those below that it outgrows with one more name.
    fn join(&mut self) {
        let mut most = 2 * (self.size() + 1);
        while let Some(below) = self.below.take_if(|below| below.size() <= most) {
            let own = std::mem::replace(self, Arc::unwrap_or_clone(below));
            (0..own.constants.len()).for_each(|at| _ = self.add_constant(&own.constants.get(at)));
            own.predicates.into_iter().for_each(|signature| _ = self.add_predicate(signature));
            most = 2 * (self.size() + 1);
        }
    }
}

impl Vocabulary {
    /// Returns the id of the constant with this name, new if need be.
    pub fn name(&mut self, name: &str) -> ConstantId {
        if let Some(layer) = self.only_layer() {
            let is_it = |constants: &ConstantStore, at| constants.is_long_name(at, name);
            return layer.find_or_add(ConstantKey::of_name(name), is_it, |store| store.push_name(name));
        }
        self.find_name(name).unwrap_or_else(|| self.top().add_constant(&name.into()))
    }

    /// Returns the id of the constant that is this number, new if need be.
    pub fn number(&mut self, number: f64) -> ConstantId {
        self.insert(Constant::number(number))
    }

    /// Returns the id of this constant, new if need be.
    pub fn insert(&mut self, constant: Constant) -> ConstantId {
        let constant = constant.exact();
        if let Constant::Name(name) = &constant {
            return self.name(name);
        }
        if let Some(layer) = self.only_layer() {
            let is_it = |constants: &ConstantStore, at| constants.is_same_integer(at, &constant);
            return layer.find_or_add(ConstantKey::of(&constant), is_it, |store| store.push(&constant));
        }
        self.find_number(&constant).unwrap_or_else(|| self.top().add_constant(&constant))
    }

    /// Returns the id of a predicate, new if need be.
    pub fn predicate(&mut self, name: &str, arity: usize) -> PredicateId {
        self.find_predicate(name, arity)
            .unwrap_or_else(|| self.top().add_predicate(Signature { name: name.into(), arity: arity as u32 }))
    }

    /// Returns the layer of a vocabulary that has but one and shares it with no other: as constants of data are many and
    /// new, one look finds each there, or its place.
    fn only_layer(&mut self) -> Option<&mut Layer> {
        Arc::get_mut(&mut self.0).filter(|layer| layer.below.is_none())
    }

    /// Returns the layer that grows: that of this vocabulary alone.
    fn top(&mut self) -> &mut Layer {
        if Arc::get_mut(&mut self.0).is_none() {
            self.0 = Arc::new(Layer::above(Arc::clone(&self.0)));
        }
        let top = Arc::make_mut(&mut self.0);
        top.join();
        top
    }

    /// Returns the id of a predicate, if it is known.
    pub fn find_predicate(&self, name: &str, arity: usize) -> Option<PredicateId> {
        let arity = u32::try_from(arity).ok()?;
        let hash = hash_predicate(name, arity);
        self.0.down().find_map(|layer| {
            let is_it = |&id: &u32| {
                let signature = &layer.predicates[id as usize - layer.first.1];
                signature.arity == arity && *signature.name == *name
            };
            layer.predicate_ids.find(hash, is_it).map(|&id| PredicateId(id))
        })
    }

    /// Returns the id of a constant, if it is known.
    pub fn find_constant(&self, constant: &Constant) -> Option<ConstantId> {
        match constant {
            Constant::Name(name) => self.find_name(name),
            number => self.find_number(&number.clone().exact()),
        }
    }

    fn find_name(&self, name: &str) -> Option<ConstantId> {
        self.find(ConstantKey::of_name(name), |constants, at| constants.is_long_name(at, name))
    }

    fn find_number(&self, number: &Constant) -> Option<ConstantId> {
        self.find(ConstantKey::of(number), |constants, at| constants.is_same_integer(at, number))
    }

    fn find(&self, key: ConstantKey, is_it: impl Fn(&ConstantStore, usize) -> bool) -> Option<ConstantId> {
        self.0.down().find_map(|layer| {
            let is_it = |id: u32| is_it(&layer.constants, id as usize - layer.first.0);
            layer.constant_ids.find(key, is_it).map(ConstantId)
        })
    }

    /// Returns the constant with this id.
    pub fn constant(&self, id: ConstantId) -> Constant {
        let (constants, at) = self.place(id);
        constants.get(at)
    }

    /// Returns where a constant lies.
    fn place(&self, id: ConstantId) -> (&ConstantStore, usize) {
        let mut layer = &*self.0;
        while let (true, Some(below)) = (id.index() < layer.first.0, &layer.below) {
            layer = below;
        }
        (&layer.constants, id.index() - layer.first.0)
    }

    /// Compares two constants as comparisons of the language do.
    pub fn compare(&self, left: ConstantId, right: ConstantId) -> Ordering {
        if left == right {
            return Ordering::Equal;
        }
        let ((left, at), (right, other)) = (self.place(left), self.place(right));
        match (left.name(at, &mut [0; 20]), right.name(other, &mut [0; 20])) {
            (Some(left), Some(right)) => left.cmp(right),
            _ => left.get(at).compare(&right.get(other)),
        }
    }

    /// Returns the predicate with this id.
    pub fn signature(&self, id: PredicateId) -> &Signature {
        let mut layer = &*self.0;
        while let (true, Some(below)) = (id.index() < layer.first.1, &layer.below) {
            layer = below;
        }
        &layer.predicates[id.index() - layer.first.1]
    }

    /// Returns how many constants there are.
    pub fn constant_count(&self) -> usize {
        self.0.counts().0
    }

    /// Returns how many predicates there are.
    pub fn predicate_count(&self) -> usize {
        self.0.counts().1
    }

    /// Returns all constants in the order of their ids.
    pub fn constants(&self) -> impl Iterator<Item = (ConstantId, Constant)> {
        (0..self.constant_count() as u32).map(|id| (ConstantId(id), self.constant(ConstantId(id))))
    }

    /// Returns all predicates in the order of their ids.
    pub fn predicates(&self) -> impl Iterator<Item = (PredicateId, &Signature)> {
        (0..self.predicate_count() as u32).map(|id| (PredicateId(id), self.signature(PredicateId(id))))
    }

    /// Returns whether every id of the other vocabulary means the same in this one. Names that both have from one
    /// copied vocabulary are not looked at.
    pub fn extends(&self, other: &Self) -> bool {
        let is_shared = |layer: &&Layer| self.0.down().any(|own| std::ptr::eq(own, *layer));
        let (constants, predicates) = other.0.down().find(is_shared).map_or((0, 0), Layer::counts);
        other.constant_count() <= self.constant_count()
            && other.predicate_count() <= self.predicate_count()
            && other.constants().skip(constants).all(|(id, constant)| self.constant(id) == constant)
            && other.predicates().skip(predicates).all(|(id, signature)| self.signature(id) == signature)
    }

    /// Returns a ground atom as text: `bond(a1, a2)`, or `toxic` without terms.
    pub fn atom_text(&self, predicate: PredicateId, terms: &[ConstantId]) -> String {
        self.atom_of(predicate, terms.iter().map(|&term| self.constant(term)))
    }

    /// Returns an atom of written terms as it is written.
    pub(crate) fn atom_of(
        &self,
        predicate: PredicateId,
        terms: impl Iterator<Item = impl fmt::Display>,
    ) -> String {
        let (mut text, mut has_terms) = (String::new(), false);
        let _ = write_name(&mut text, &self.signature(predicate).name);
        for term in terms {
            let _ = write!(text, "{}{term}", if has_terms { ", " } else { "(" });
            has_terms = true;
        }
        if has_terms {
            text.push(')');
        }
        text
    }
}

/// The ids that the names of one vocabulary have in another.
#[derive(Debug)]
pub(crate) struct Renumbering {
    constants: Vec<ConstantId>,
    predicates: Vec<PredicateId>,
}

impl Renumbering {
    /// Adds the names of a vocabulary to another.
    pub fn new(from: &Vocabulary, to: &mut Vocabulary) -> Self {
        let constants = from.constants().map(|(_, constant)| to.insert(constant)).collect();
        let predicates = from.predicates().map(|(_, it)| to.predicate(&it.name, it.arity as usize)).collect();
        Self { constants, predicates }
    }

    /// Returns the new id of a constant; an id that stands for no name, as that of a query's variable, stays.
    pub fn constant(&self, id: ConstantId) -> ConstantId {
        self.constants.get(id.index()).copied().unwrap_or(id)
    }

    /// Returns the new id of a predicate.
    pub fn predicate(&self, id: PredicateId) -> PredicateId {
        self.predicates[id.index()]
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
        assert_eq!(vocabulary.number(1.0), vocabulary.insert(Constant::Integer(1)));
        assert_eq!(vocabulary.number(1.0), vocabulary.insert(Constant::Number(1.0)));
        let large = |last: i64| Constant::Integer(1_700_000_000_000_000_000 + last);
        assert_ne!(vocabulary.insert(large(1)), vocabulary.insert(large(2)));
    }

    #[test]
    fn constants_compare_by_their_ids_as_they_do() {
        let names = [
            "",
            "a",
            "a\0",
            "2024-01-31",
            "2024-02-01",
            "12345678901",
            "12345678902",
            "-1234567890123",
            "ä",
            "zz",
        ];
        let numbers = [-7.0, 0.5, 1.0, 9.3e18].map(Constant::number);
        let constants: Vec<Constant> = names.into_iter().map(Constant::from).chain(numbers).collect();
        let mut vocabulary = Vocabulary::default();
        let ids: Vec<ConstantId> = constants.iter().map(|it| vocabulary.insert(it.clone())).collect();
        for (left, id) in constants.iter().zip(&ids) {
            for (right, other) in constants.iter().zip(&ids) {
                assert_eq!(vocabulary.compare(*id, *other), left.compare(right), "{left} {right}");
            }
        }
    }

    #[test]
    fn names_are_quoted_when_they_must_be() {
        let mut vocabulary = Vocabulary::default();
        let edge = vocabulary.predicate("edge", 2);
        let terms = [vocabulary.name("Anna's"), vocabulary.number(2.5)];
        assert_eq!(vocabulary.atom_text(edge, &terms), r"edge('Anna\'s', 2.5)");
    }

    #[test]
    fn names_of_any_length_are_found() {
        let names = ["", "a", "a\0", "fifteen_letters", "sixteen__letters", "sixteen__lettesr", "äöü"];
        let mut vocabulary = Vocabulary::default();
        for (id, name) in names.iter().enumerate() {
            assert_eq!(vocabulary.find_constant(&Constant::Name((*name).into())), None);
            assert_eq!(vocabulary.name(name), ConstantId(id as u32));
        }
        for (id, name) in names.iter().enumerate() {
            assert_eq!(vocabulary.name(name), ConstantId(id as u32));
        }
    }

    /// Returns a vocabulary with this many names, and where a predicate goes with every tenth.
    fn large(size: u32) -> Vocabulary {
        let mut vocabulary = Vocabulary::default();
        for number in 0..size {
            vocabulary.name(&format!("a long name with the number {number}"));
            if number % 10 == 0 {
                vocabulary.predicate(&format!("p{number}"), 2);
            }
        }
        vocabulary
    }

    #[test]
    fn a_copy_that_grows_leaves_the_original_and_its_ids() {
        let original = large(100);
        for size in [1, 30, 60, 1000] {
            let mut copy = original.clone();
            let ids: Vec<ConstantId> = (0..size).map(|number| copy.number(f64::from(number) + 0.5)).collect();
            let predicate = copy.predicate("new", 1);
            assert_eq!((original.constant_count(), original.predicate_count()), (100, 10));
            assert_eq!((copy.constant_count(), copy.predicate_count()), (100 + size as usize, 11));
            assert_eq!((ids[0], predicate), (ConstantId(100), PredicateId(10)));
            for (id, constant) in copy.constants() {
                assert_eq!(copy.find_constant(&constant), Some(id));
                assert_eq!(original.find_constant(&constant), (id.0 < 100).then_some(id));
            }
            for (id, signature) in copy.predicates() {
                assert_eq!(copy.find_predicate(&signature.name, signature.arity as usize), Some(id));
            }
            assert!(copy.extends(&original) && !original.extends(&copy));
        }
    }

    #[test]
    fn a_copy_that_grows_a_little_shares_the_rest() {
        let original = large(1000);
        let mut copy = original.clone();
        copy.name("one");
        copy.name("two");
        assert_eq!(copy.0.size(), 2);
        let mut again = copy.clone();
        again.name("three");
        assert!(again.0.down().count() <= 3 && again.0.down().any(|layer| std::ptr::eq(layer, &*original.0)));
        assert!(again.extends(&copy) && again.extends(&original));
    }

    #[test]
    fn layers_are_few() {
        let mut vocabulary = Vocabulary::default();
        let mut copies = Vec::new();
        for number in 0..2000 {
            copies.push(vocabulary.clone());
            vocabulary.number(f64::from(number));
        }
        assert!(vocabulary.0.down().count() <= 11);
        assert!(vocabulary.constants().all(|(id, constant)| constant == Constant::Integer(i64::from(id.0))));
        assert!(copies.iter().all(|copy| vocabulary.extends(copy)));
    }

    #[test]
    fn a_vocabulary_with_other_ids_is_no_extension() {
        let mut one = large(10);
        let mut other = one.clone();
        one.name("b");
        other.name("c");
        assert!(!one.extends(&other) && !other.extends(&one));
        assert!(large(20).extends(&large(10)) && !large(10).extends(&large(20)));
    }
}
