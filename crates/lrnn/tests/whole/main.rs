//! The engine as a whole: properties over random text, mutated texts, and what its rooms may know.

mod agree;
mod case;
mod cycles;
mod expansion;
mod explain;
mod found;
mod grammar;
mod highlight;
mod library;
mod mutate;
mod names;
mod random;
mod readings;
mod rooms;
mod root;
mod solve;

#[path = "../../../../fuzz/src/fast.rs"]
mod fast;
#[path = "../../../../fuzz/src/run.rs"]
mod run;
