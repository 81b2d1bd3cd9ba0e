//! Tables over constants without hashing.
//!
//! The constants of an example most often have ids that lie close together, for ids are handed out in the order of
//! appearance. A table with a place for every id in that range is found in one step and grows without moving what it
//! holds to other places. Where ids are too far apart, it says so, and a hash table has to do.

use crate::vocabulary::ConstantId;

/// Number of places there may be for each entry, and in any case.
const PLACES_PER_ENTRY: u64 = 4;
const FEW_PLACES: u64 = 64;
/// Number of places that there is room for from the start.
const FIRST_PLACES: usize = 32;

/// A number for each constant of a range of ids.
#[derive(Clone, Default, Debug)]
pub(super) struct Dense {
    start: u32,
    places: Vec<u32>,
}

impl Dense {
    /// Returns a table of an empty range, in the memory of this one.
    pub fn emptied(mut self) -> Self {
        self.places.clear();
        Self { start: 0, places: self.places }
    }

    /// Returns what a constant has; none outside the range.
    #[inline]
    pub fn get(&self, constant: ConstantId) -> Option<&u32> {
        self.places.get(constant.0.wrapping_sub(self.start) as usize)
    }

    /// Returns the place of a constant in a table of so many entries, new places being `empty`. None where the range
    /// would be far larger than what it holds.
    #[inline]
    pub fn place(&mut self, constant: ConstantId, entries: usize, empty: u32) -> Option<&mut u32> {
        if self.get(constant).is_none() {
            self.widen(constant.0, entries, empty)?;
        }
        self.places.get_mut(constant.0.wrapping_sub(self.start) as usize)
    }

    /// Returns what the constants of the range have, in the order of their ids.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut u32> {
        self.places.iter_mut()
    }

    fn widen(&mut self, constant: u32, entries: usize, empty: u32) -> Option<()> {
        let most = entries as u64 * PLACES_PER_ENTRY + FEW_PLACES;
        if self.places.is_empty() {
            self.start = constant;
            self.places.reserve(FIRST_PLACES);
        }
        let end = (u64::from(self.start) + self.places.len() as u64).max(u64::from(constant) + 1);
        let start = self.start.min(constant);
        if end - u64::from(start) > most {
            return None;
        }
        if start < self.start {
            // Ids that come in falling order must not move everything each time.
            let room = self.start - start + (self.places.len() as u32).min(start);
            self.places.splice(0..0, std::iter::repeat_n(empty, room as usize));
            self.start -= room;
        }
        self.places.resize((end - u64::from(self.start)) as usize, empty);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_widens_both_ways_and_refuses_what_is_far() {
        let mut table: Dense = Dense::default();
        for (entries, id) in [100, 103, 90, 5, 101].into_iter().enumerate() {
            let place = table.place(ConstantId(id), entries + 30, 0).expect("near");
            assert_eq!(*place, 0);
            *place = id;
        }
        for id in [100, 103, 90, 5, 101] {
            assert_eq!(table.get(ConstantId(id)), Some(&id));
        }
        assert_eq!(table.place(ConstantId(1_000_000), 40, 0), None);
        assert_eq!(table.place(ConstantId(u32::MAX), 40, 0), None);
        assert_eq!(table.get(ConstantId(u32::MAX)), None);
    }
}
