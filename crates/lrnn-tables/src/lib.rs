//! Tables for lrnn. In: rows and columns, from files. Out: what the engine's data is made of. Nothing is dropped,
//! merged or guessed in silence, and every cell knows its place.

pub mod csv;
mod encoding;
mod file;

pub use csv::{Csv, CsvOptions};
pub use encoding::Encoding;
