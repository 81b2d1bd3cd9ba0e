//! Ctrl-C and the signals that end a process: whoever works long asks whether one came.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use lrnn::Stop;

use crate::failure::{Error, ErrorKind};

/// The exit code of the signal that came, as shells have it: 128 and its number; 0 before.
static CODE: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);

#[cfg(unix)]
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// Begins to listen. The second signal ends the process at once.
pub fn listen() -> Result<(), Error> {
    let came = Arc::new(AtomicBool::new(false));
    let register = |signal: i32| {
        let code = 128 + signal;
        flag::register_conditional_shutdown(signal, code, Arc::clone(&came))?;
        flag::register(signal, Arc::clone(&came))?;
        flag::register_usize(signal, Arc::clone(&CODE), code as usize)
    };
    let all = SIGNALS.into_iter().try_for_each(|signal| register(signal).map(drop));
    watch();
    all.map_err(|error| Error::new(ErrorKind::File, format!("cannot listen for Ctrl-C: {error}")))
}

/// Returns whether a signal came.
pub fn is_interrupted() -> bool {
    exit_code() != 0
}

/// Returns the exit code of a command that stopped before its end: that of the signal, or 0 if none came.
pub fn exit_code() -> u8 {
    CODE.load(Ordering::Relaxed) as u8
}

/// Raised when a signal comes.
static STOP: LazyLock<Stop> = LazyLock::new(Stop::default);

/// Returns a flag that is raised when a signal comes, for whoever grounds.
pub fn stop() -> Stop {
    STOP.clone()
}

/// Raises the flag soon after a signal.
fn watch() {
    std::thread::spawn(|| {
        while !is_interrupted() {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        STOP.raise();
    });
}
