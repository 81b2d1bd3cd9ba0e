//! Runs the Markdown suite. In: a Markdown file. Out: what in it does not hold.
//!
//! ```text
//! file ─markdown─▶ blocks ─case─▶ Case ─reading─▶ template and data ─engine─▶ Outcome
//!                                  │                                             │
//!                                  └────────────── claim ──────────── check ◀────┘
//! ```
//!
//! The claims of a file are held against the first engine, the oracle; every other engine, and every variation of
//! the texts that must change nothing, is held against the oracle. The format is described in `suite/README.md`.

mod case;
mod check;
mod claim;
mod engine;
mod fast;
mod markdown;
mod outcome;
mod reading;
mod run;
mod variation;

pub use engine::ENGINES;
pub use run::{FileReport, run_text};
pub use variation::VARIATIONS;
