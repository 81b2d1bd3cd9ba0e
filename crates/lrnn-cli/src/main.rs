//! The command `lrnn`.
fn main() {}
