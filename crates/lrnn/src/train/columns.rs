//! What training queries use, turned round: by place, those that use it. What is common to a query and to all of them is
//! added up place by place; places that many use just once are bits, of which a word has 64.

use std::ops::Range;

use lrnn_wide::Work;

use super::kernel::{Bag, Views};

/// A place has a bit if one query in so many uses it.
const RARE: usize = 64;

/// Places with the training queries that use them.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct UseColumns {
    /// By place, the queries that use it, and how much.
    by_place: Vec<Vec<(u32, f64)>>,
    /// By place, its bit; none if few use it, or not just once.
    bits: Vec<Option<u32>>,
    /// By view, its words among those of a query.
    views: Vec<Range<usize>>,
    /// Words of a query.
    width: usize,
    /// The bits of each query, one after the other.
    words: Vec<u64>,
}

impl UseColumns {
    /// Turns what queries use round.
    pub fn new<'a>(views: &Views, bags: impl ExactSizeIterator<Item = &'a Bag>) -> Self {
        let count = bags.len();
        let mut by_place = vec![Vec::new(); views.place_count()];
        for (query, bag) in (0..).zip(bags) {
            bag.0.iter().for_each(|&(place, amount)| by_place[place as usize].push((query, amount)));
        }
        let mut columns = Self { bits: vec![None; by_place.len()], by_place, ..Self::default() };
        for view in 0..views.count() {
            columns.give_bits(views, view, count);
        }
        columns.words = vec![0; count * columns.width];
        for (bit, users) in columns.bits.iter().zip(&columns.by_place) {
            let Some(bit) = bit else { continue };
            for &(query, _) in users {
                columns.words[query as usize * columns.width + *bit as usize / 64] |= 1 << (bit % 64);
            }
        }
        columns
    }

    /// Gives the places of a view that are common among so many queries their bits.
    fn give_bits(&mut self, views: &Views, view: usize, count: usize) {
        let is_common = |users: &[(u32, f64)]| {
            users.len() > 1 && users.len() * RARE >= count && users.iter().all(|user| user.1 == 1.0)
        };
        let mut bit = self.width as u32 * 64;
        for (place, users) in (0..).zip(&self.by_place) {
            if views.of(place) == view && is_common(users) {
                self.bits[place as usize] = Some(bit);
                bit += 1;
            }
        }
        let end = bit.div_ceil(64) as usize;
        self.views.push(self.width..end);
        self.width = end;
    }

    /// Returns the queries that use a place, and how much.
    pub fn users(&self, place: u32) -> &[(u32, f64)] {
        self.by_place.get(place as usize).map_or(&[], Vec::as_slice)
    }

    /// Adds Σ min of a bag and the bag of each query, by query and view.
    pub fn add_common(&self, views: &Views, bag: &Bag, found: &mut [f64]) {
        let mut own = vec![0; self.width];
        for &(place, amount) in &bag.0 {
            match self.bits.get(place as usize).copied().flatten().filter(|_| amount == 1.0) {
                Some(bit) => own[bit as usize / 64] |= 1 << (bit % 64),
                None => {
                    let view = views.of(place);
                    for &(query, other) in self.users(place) {
                        found[query as usize * self.views.len() + view] += amount.min(other);
                    }
                }
            }
        }
        if self.width > 0 {
            lrnn_wide::widest(CommonBits { columns: self, own: &own, found });
        }
    }
}

/// The bits that words have in common with those of each query, counted by query and view.
struct CommonBits<'a> {
    columns: &'a UseColumns,
    own: &'a [u64],
    found: &'a mut [f64],
}

impl Work for CommonBits<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let UseColumns { views, width, words, .. } = self.columns;
        let queries = words.chunks_exact(*width).zip(self.found.chunks_exact_mut(views.len()));
        for (words, found) in queries {
            for (view, found) in views.iter().zip(found) {
                let pairs = words[view.clone()].iter().zip(&self.own[view.clone()]);
                *found += pairs.map(|(a, b)| u64::from((a & b).count_ones())).sum::<u64>() as f64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds up what is common place by place.
    fn by_hand(views: &Views, bag: &Bag, other: &Bag) -> Vec<f64> {
        let mut sums = vec![0.0; views.count()];
        for &(place, amount) in &bag.0 {
            let same = other.0.iter().find(|used| used.0 == place);
            sums[views.of(place)] += same.map_or(0.0, |used| used.1.min(amount));
        }
        sums
    }

    #[test]
    fn bits_and_columns_add_up_to_what_is_common() {
        let views = Views::of_places((0..300).map(|place| Some(u8::from(place % 3 == 0))).collect(), 2);
        let uses = |query: u32, place: u32| (query * 7 + place * place).is_multiple_of(2 + place % 11);
        let amount = |query: u32, place: u32| if place % 13 == 5 { f64::from(1 + query % 3) } else { 1.0 };
        let bag = |query: u32| {
            let places = (0..300).filter(|&place| uses(query, place));
            Bag(places.map(|place| (place, amount(query, place))).collect())
        };
        let bags: Vec<Bag> = (0..90).map(bag).collect();
        let columns = UseColumns::new(&views, bags.iter());
        assert!(columns.width > 2 && columns.bits.iter().any(Option::is_none));
        // A query that is not among them, with another amount where all others have 1.
        let mut strange = bag(91);
        strange.0.iter_mut().take(9).for_each(|used| used.1 = 0.5);
        for bag in bags.iter().chain([&strange, &Bag::default()]) {
            let mut found = vec![0.0; bags.len() * 2];
            columns.add_common(&views, bag, &mut found);
            let expected: Vec<f64> = bags.iter().flat_map(|other| by_hand(&views, bag, other)).collect();
            assert_eq!(found, expected);
        }
    }
}
