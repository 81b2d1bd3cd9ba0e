//! What the targets run.

pub mod fast;
pub mod run;
