//! Ctrl-C and the signals that end a process: whoever works long asks whether one came.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::failure::Failure;

/// The exit code of the signal that came, as shells have it: 128 and its number; 0 before.
static CODE: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);

#[cfg(unix)]
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// Begins to listen. The second signal ends the process at once.
pub fn listen() -> Result<(), Failure> {
    let came = Arc::new(AtomicBool::new(false));
    let register = |signal: i32| {
        let code = 128 + signal;
        flag::register_conditional_shutdown(signal, code, Arc::clone(&came))?;
        flag::register(signal, Arc::clone(&came))?;
        flag::register_usize(signal, Arc::clone(&CODE), code as usize)
    };
    let all = SIGNALS.into_iter().try_for_each(|signal| register(signal).map(drop));
    all.map_err(|error| Failure::io(format!("cannot listen for Ctrl-C: {error}")))
}

/// Returns whether a signal came.
pub fn is_interrupted() -> bool {
    exit_code() != 0
}

/// Returns the exit code of a command that stopped before its end: that of the signal, or 0 if none came.
pub fn exit_code() -> u8 {
    CODE.load(Ordering::Relaxed) as u8
}
