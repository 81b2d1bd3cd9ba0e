//! When atoms that need each other have settled: the state of a component from sweep to sweep.
//!
//! A sweep computes all atoms of a component from their values before, at first 0. It goes on until no value changes by
//! more than the tolerance. Where changes swing to and fro and do not shrink, each sweep goes half the way; that has the
//! same fixed points. How far a component got depends on nothing but itself, so that others beside it change no bit.

use crate::function::Real;

/// The fewest sweeps that every component may take.
const SWEEPS: usize = 1000;
/// The most atoms that may be computed beyond that: a value may have to go through all atoms of a component.
const MOST_ATOMS: usize = 1_000_000_000;
/// Number of sweeps after which a change must be half as large, or is looked at.
const PATIENCE: u32 = 20;

/// Returns how many sweeps a component of so many atoms may take.
pub(super) fn most_sweeps(atoms: usize) -> u32 {
    (2 * atoms).min(MOST_ATOMS / atoms.max(1)).max(SWEEPS) as u32
}

/// Returns the change below which a value has settled, of values around 1.
pub(super) fn tolerance<R: Real>() -> R {
    R::from_f64(if size_of::<R>() == 4 { 1e-6 } else { 1e-12 })
}

/// A component on its way to its fixed point.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Settling<R> {
    /// Number of sweeps done.
    pub sweeps: u32,
    /// The share of the way that each sweep goes: 1, or 1/2.
    pub damping: R,
    /// True if it goes no further.
    pub is_done: bool,
    /// True if it was still changing in the end.
    pub has_failed: bool,
    most: u32,
    /// The change some sweeps ago.
    before: R,
    /// True if some number has become larger, or smaller.
    rises: bool,
    falls: bool,
}

/// The change of one sweep, at first none.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct SweepChange<R> {
    /// The largest change of a number, compared with 1 or the number itself.
    pub largest: R,
    /// Σ change · the change before: below 0 where values swing to and fro.
    along: R,
    rises: bool,
    falls: bool,
}

impl<R: Real> SweepChange<R> {
    /// Takes a number before and after, and how it changed in the sweep before, which it replaces.
    #[inline]
    pub fn add(&mut self, before: R, after: R, last: &mut R) {
        let change = after - before;
        let size = change.abs() / after.abs().max(R::ONE);
        self.largest = self.largest.max(size);
        self.along += change * *last;
        self.rises |= change > R::ZERO;
        self.falls |= change < R::ZERO;
        *last = change;
    }
}

impl<R: Real> Settling<R> {
    /// Returns the beginning of a component of so many atoms.
    pub fn new(atoms: usize) -> Self {
        Self { damping: R::ONE, most: most_sweeps(atoms), ..Self::default() }
    }

    /// Counts a sweep with its change, and sees whether it was the last one.
    pub fn sweep(&mut self, change: &SweepChange<R>) {
        self.sweeps += 1;
        self.is_done = change.largest <= tolerance();
        self.has_failed = !self.is_done && (self.sweeps >= self.most || !change.largest.is_finite());
        self.is_done |= self.has_failed;
        self.rises |= change.rises;
        self.falls |= change.falls;
        if self.sweeps.is_multiple_of(PATIENCE) {
            // What swings must shrink by half; what only rises or falls is on its way.
            let share = R::from_f64(if change.along < R::ZERO { 0.5 } else { 0.9 });
            let has_shrunk = change.largest <= share * self.before;
            if self.sweeps > PATIENCE && !has_shrunk && self.rises && self.falls {
                self.damping = R::from_f64(0.5);
            }
            self.before = change.largest;
        }
    }
}
