//! Tables for lrnn. In: rows and columns, from files, databases or memory, and a mapping that says which facts they
//! make. Out: a [`lrnn::Dataset`]. Nothing is dropped, merged or guessed in silence, and every cell knows its place.

mod ahead;
mod alias;
mod cell_format;
mod class_pair;
mod column;
mod composite;
mod conversation;
pub mod csv;
mod csv_file;
mod encoding;
mod facts;
mod file;
mod fitting;
mod frame;
mod infer;
mod labels;
mod leakage;
mod line_facts;
mod line_rows;
mod mapped_source;
pub mod mapping;
mod membership;
mod mistakes;
mod predictors;
mod preview;
mod program;
mod relbench;
mod resolve;
pub mod source;
pub mod sql;
#[cfg(feature = "sqlite")]
mod sqlite;
mod stream;
mod time;
mod unread_date;
mod yaml;

pub use class_pair::ClassPair;
pub use csv::{Csv, CsvOptions};
pub use csv_file::CsvFile;
pub use encoding::Encoding;
pub use facts::TableDataset;
pub use file::missing_help;
pub use frame::{Cell, Cells, ColumnKind, Frame, FrameColumn, Texts};
pub use infer::{Inference, infer};
pub use leakage::{Leak, LeakageReport};
pub use line_facts::LineCounts;
pub use mapping::Mapping;
pub use preview::{LinePreview, PredicateCount, Preview};
pub use program::ProgramSource;
pub use relbench::RelBenchSource;
pub use resolve::{Purpose, Tables};
pub use source::{FrameSource, TableSource};
pub use stream::TableStream;
pub use time::Moment;
