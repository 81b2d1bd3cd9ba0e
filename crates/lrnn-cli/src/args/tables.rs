//! The arguments of `lrnn tables`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub enum TablesCommand {
    /// Show what a mapping makes of its tables: rows, facts, NULLs, rows of no example
    Preview(PreviewArgs),
}

#[derive(Args)]
pub struct PreviewArgs {
    /// Mapping
    pub mapping: PathBuf,
}
