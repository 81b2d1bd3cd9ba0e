//! Ctrl-C: whoever works long looks whether somebody pressed it.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Begins to listen; the second time Ctrl-C is pressed means now.
pub fn listen() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .map_err(|error| Failure::io(format!("cannot listen for Ctrl-C: {error}")))
}

/// Whether somebody pressed it.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
