//! A line of progress on standard error for whatever takes longer than a second.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::args::Common;
use crate::output;

/// Runs `work`, which counts what is done in the counter it is given, and shows how far it is.
pub fn with_progress<T>(common: &Common, what: &str, all: usize, work: impl FnOnce(&AtomicUsize) -> T) -> T {
    let done = AtomicUsize::new(0);
    if common.quiet || common.json || !std::io::stderr().is_terminal() {
        return work(&done);
    }
    std::thread::scope(|scope| {
        let (finished, wait) = channel::<()>();
        let done = &done;
        scope.spawn(move || {
            let start = Instant::now();
            let mut pause = Duration::from_secs(1);
            while wait.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                pause = Duration::from_millis(200);
                let (now, seconds) = (done.load(Ordering::Relaxed), start.elapsed().as_secs_f64());
                let left = if now > 0 {
                    format!(", {:.0} s left", seconds / now as f64 * (all - now) as f64)
                } else {
                    String::new()
                };
                output::say(&format!("\r\x1b[K{what} {now} of {all}, {seconds:.0} s{left}"));
            }
            if start.elapsed() > Duration::from_secs(1) {
                output::say("\r\x1b[K");
            }
        });
        let result = work(done);
        drop(finished);
        result
    })
}
