//! The command `lrnn` from outside: what it prints, how it ends, and what it refuses.

mod refused;
mod run;
