//! The command `lrnn` from outside: what it prints, how it ends, and what it refuses.

mod complete;
mod crossval;
mod exit;
mod experiment;
mod explain;
mod fmt;
mod folder;
mod hostile;
mod induce;
mod json;
mod learning;
mod molecules;
mod refused;
mod report;
mod run;
mod stopped;
mod tables;
#[cfg(target_os = "linux")]
mod terminal;
mod test;
mod threads;
mod train;
mod trouble;
mod weights;

/// A template of the paper, without data.
pub const HORSES: &str = "\
0.6 :: foal(A) :- parent(A, P), horse(P).
0.2 :: foal(A) :- sibling(A, S), horse(S).
";

/// Its data: two examples, a query outside the model in the second.
pub const HORSES_DATA: &str = "\
1 foal(star) :- horse(dakotta), horse(cheyenne), horse(aida),
    parent(star, aida), parent(star, cheyenne), sibling(star, dakotta).
0 foal(luna) :- horse(aida), 0.5 sibling(star, aida).
";
