//! What the targets run.

pub mod run;
