//! The threads room. In: a piece of work. Out: what it gives, computed by a pool of threads of our own: one for each
//! piece of work, never one for the whole process, which would not survive `fork`.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::diagnostic::{Error, ErrorKind};

/// A pool of threads. Whatever is run in it uses its threads; results do not depend on how many there are.
#[derive(Debug)]
pub struct Threads(ThreadPool);

impl Threads {
    /// The most threads: more than the cores of any machine only wait for each other.
    pub const MOST: usize = 256;

    /// Starts so many threads, or one for each core.
    pub fn new(count: Option<usize>) -> Result<Self, Error> {
        let count = count.map_or(0, |count| count.clamp(1, Self::MOST));
        let pool = ThreadPoolBuilder::new().num_threads(count).build();
        pool.map(Self).map_err(|error| Error::new(ErrorKind::File, format!("cannot start threads: {error}")))
    }

    /// Runs a piece of work in the pool.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let (mut work, mut result) = (Some(work), None);
        self.install(&mut || result = work.take().map(|work| work()));
        result.expect("what was installed has run")
    }

    /// Behind a pointer, so that what a pool needs to run work is compiled once, and not again for every work.
    fn install(&self, work: &mut (dyn FnMut() + Send)) {
        self.0.install(work);
    }
}

/// Runs a piece of work in the pool it is in already, or in one of its own.
pub fn pooled<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if rayon::current_thread_index().is_some() {
        return work();
    }
    match Threads::new(None) {
        Ok(threads) => threads.run(work),
        Err(_) => work(),
    }
}

/// Does work for each of some items on all threads, and returns what it gives in the order of the items.
pub fn each<T: Sync, U: Send>(items: &[T], work: impl Fn(&T) -> U + Sync) -> Vec<U> {
    each_with(items, |_: &mut (), item| work(item))
}

/// Does the same for items that the work takes, with memory that one piece of work leaves to the next.
pub(crate) fn each_with<S: Default + Send, T: Send, U: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(&mut S, T) -> U + Sync,
) -> Vec<U> {
    let slots: Vec<Mutex<(Option<T>, Option<U>)>> =
        items.into_iter().map(|item| Mutex::new((Some(item), None))).collect();
    let spares = Spares::default();
    each_number(slots.len(), &|at| {
        let mut slot = slots[at].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(item) = slot.0.take() {
            let mut spare = spares.take();
            slot.1 = Some(work(&mut spare, item));
            spares.give(spare);
        }
    });
    let result =
        |slot: Mutex<(Option<T>, Option<U>)>| slot.into_inner().unwrap_or_else(PoisonError::into_inner).1;
    slots.into_iter().filter_map(result).collect()
}

/// Does the same with work that can fail, and returns the first error in the order of the items.
pub fn try_each<T: Sync, U: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<U, Error> + Sync,
) -> Result<Vec<U>, Error> {
    each(items, work).into_iter().collect()
}

/// Does work for each number below `count`; behind a pointer, as above.
fn each_number(count: usize, work: &(dyn Fn(usize) + Sync)) {
    pooled(|| (0..count).into_par_iter().with_max_len(1).for_each(work));
}

/// Memory that one piece of work leaves to the next, whichever thread does it: as many as there ever were at once, up to
/// a bound.
#[derive(Default)]
pub(crate) struct Spares<T>(Mutex<Vec<T>>);

impl<T: Default> Spares<T> {
    /// So many are kept at most.
    const MOST: usize = 16;

    /// Returns what another left, or something new.
    pub fn take(&self) -> T {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Leaves something to the next.
    pub fn give(&self, spare: T) {
        let mut spares = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if spares.len() < Self::MOST {
            spares.push(spare);
        }
    }
}

impl<T> std::fmt::Debug for Spares<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Spares")
    }
}

/// Returns how many threads a piece of work has.
pub(crate) fn thread_count() -> usize {
    match rayon::current_thread_index() {
        Some(_) => rayon::current_num_threads(),
        None => std::thread::available_parallelism().map_or(1, Into::into),
    }
}

/// Returns whether a piece of work has several threads, in a pool that was begun for it.
pub(crate) fn has_threads() -> bool {
    rayon::current_thread_index().is_some() && rayon::current_num_threads() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        let squares: Vec<usize> = items.iter().map(|item| item * item).collect();
        assert_eq!(each(&items, |item| item * item), squares);
        let nested = |&item: &usize| each(&items[..item], |item| item + 1).into_iter().sum::<usize>();
        let sums: Vec<usize> = (0..50).map(|item| item * (item + 1) / 2).collect();
        let threads = Threads::new(Some(3)).expect("threads");
        assert_eq!(threads.run(|| each(&items[..50], nested)), sums);
        let mut taken = items.clone();
        let grow = |spare: &mut Vec<usize>, item: &mut usize| {
            spare.push(*item);
            *item += 1;
            spare.last().copied()
        };
        let last = threads.run(|| each_with(&mut taken, grow));
        assert_eq!(last, items.iter().copied().map(Some).collect::<Vec<_>>());
        assert_eq!(taken, items.iter().map(|item| item + 1).collect::<Vec<_>>());
        let fail = |&item: &usize| match item {
            7.. => Err(Error::new(ErrorKind::Usage, item.to_string())),
            _ => Ok(item),
        };
        assert_eq!(try_each(&items[..7], fail).expect("no error"), items[..7]);
        assert_eq!(try_each(&items, fail).expect_err("an error").to_string(), "error: 7");
    }
}
