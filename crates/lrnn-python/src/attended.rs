//! Long work on threads of its own, while the thread that called it lets Python run and asks it for signals.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use lrnn::{Epoch, Error, Observer, Stop, Threads};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::{OrRaise, exception};

/// Time between two looks at signals.
const TICK: Duration = Duration::from_millis(100);

/// An epoch that is done, with the channel that says that it was looked at.
pub type EpochMessage = (Epoch, Sender<()>);

/// A function that is called now and then without an epoch, and with each that is sent; true stops the work.
pub type Attendance<'a> = dyn FnMut(Python<'_>, Option<&Epoch>) -> PyResult<bool> + Send + 'a;

/// Does work in a pool of so many threads. Signals and exceptions call `stop`, and the first comes back beside the
/// result.
pub fn attended<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    stop: &(dyn Fn() + Sync),
    attend: &mut Attendance<'_>,
    work: impl FnOnce(Sender<EpochMessage>) -> T + Send,
) -> PyResult<(T, Option<PyErr>)> {
    let done = py.detach(|| {
        let pool = Threads::new(threads)?;
        let (sender, receiver) = channel::<EpochMessage>();
        Ok(std::thread::scope(|scope| {
            // The channel closes when the work is done, whatever the work does with its end of it.
            let worker = scope.spawn(move || {
                let _open = sender.clone();
                pool.run(move || work(sender))
            });
            let (mut failed, mut ticked) = (None, Instant::now());
            loop {
                let message = receiver.recv_timeout(TICK);
                if matches!(message, Err(RecvTimeoutError::Disconnected)) {
                    break;
                }
                let epoch = message.as_ref().ok().map(|(epoch, _)| epoch);
                let looked = Python::attach(|py| {
                    py.check_signals()?;
                    if failed.is_some() {
                        return Ok(true);
                    }
                    let mut stops = epoch.is_some() && attend(py, epoch)?;
                    if epoch.is_none() || ticked.elapsed() >= TICK {
                        ticked = Instant::now();
                        stops |= attend(py, None)?;
                    }
                    Ok(stops)
                });
                if !matches!(looked, Ok(false)) {
                    stop();
                }
                failed = failed.or(looked.err());
                if let Ok((_, looked_at)) = message {
                    let _ = looked_at.send(());
                }
            }
            (worker.join(), failed)
        }))
    });
    match done.or_raise(py)? {
        (Ok(result), failed) => Ok((result, failed)),
        (Err(panic), _) => std::panic::resume_unwind(panic),
    }
}

/// Does work that gives nothing when it is stopped.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    stop: &Stop,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    let (result, failed) = attended(py, threads, &|| stop.raise(), &mut |_, _| Ok(false), |_| work())?;
    match failed {
        Some(failed) => Err(failed),
        None => result.map_err(|error| exception(py, &error)),
    }
}

/// Does work that cannot be stopped, such as reading, on a thread of its own. A signal does not wait for it: it goes on
/// to its end, and what it gives is dropped.
pub fn abandonable<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = channel();
    let worker = std::thread::spawn(move || {
        let _ = sender.send(work());
    });
    loop {
        let waiting = receiver;
        let result;
        (result, receiver) = py.detach(move || (waiting.recv_timeout(TICK), waiting));
        match result {
            Ok(result) => return result.or_raise(py),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
        }
    }
    match worker.join() {
        Err(panic) => std::panic::resume_unwind(panic),
        Ok(()) => Err(PyRuntimeError::new_err("a thread ended without a result")),
    }
}

/// An observer that sends epochs to the thread that attends, and waits until they were looked at.
#[derive(Debug)]
pub struct Reporter {
    /// The channel; none if nobody looks at epochs.
    pub sender: Option<Sender<EpochMessage>>,
    /// The flag that stops learning.
    pub stop: Stop,
    /// Epochs so far and the last one, for the line of progress.
    pub latest: std::sync::Arc<std::sync::Mutex<(u64, Option<Epoch>)>>,
}

impl Observer for Reporter {
    fn epoch(&self, epoch: &Epoch) {
        if let Ok(mut latest) = self.latest.lock() {
            *latest = (latest.0 + 1, Some(*epoch));
        }
        let Some(sender) = &self.sender else { return };
        let (looked_at, wait) = channel();
        if sender.send((*epoch, looked_at)).is_ok() {
            let _ = wait.recv();
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_raised()
    }
}
