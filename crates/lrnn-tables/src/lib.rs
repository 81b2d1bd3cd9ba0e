//! Tables for lrnn. In: rows and columns, from files, databases or memory, and a mapping that says which facts they
//! make. Out: a [`lrnn::Dataset`]. Nothing is dropped, merged or guessed in silence, and every cell knows its place.

pub mod csv;
mod encoding;
mod facts;
mod file;
mod frame;
mod infer;
mod line_rows;
pub mod mapping;
mod membership;
mod preview;
mod program;
mod resolve;
pub mod source;
#[cfg(feature = "sqlite")]
mod sqlite;
mod time;

pub use csv::{Csv, CsvOptions};
pub use encoding::Encoding;
pub use facts::{LineCounts, LinePreview, PredicateCount, Preview, TableDataset};
pub use frame::{Cell, Cells, ColumnKind, Frame, FrameColumn, Texts};
pub use infer::{Inference, infer};
pub use mapping::Mapping;
pub use program::ProgramSource;
pub use resolve::{Purpose, Tables};
pub use source::{FrameSource, TableSource};
pub use time::Moment;
