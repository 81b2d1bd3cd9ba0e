//! The threads room. In: a piece of work. Out: what it gives, computed by a pool of threads of our own: one for each
//! piece of work, never one for the whole process, which would not survive `fork`.

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
        self.0.install(work)
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
