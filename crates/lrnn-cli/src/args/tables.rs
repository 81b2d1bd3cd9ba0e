//! The arguments of `lrnn tables`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub enum TablesCommand {
    /// Show what a mapping makes of its tables: rows, facts, NULLs, rows of no example
    Preview(PreviewArgs),
    /// Write a mapping and a first template from the schema of tables
    Infer(InferArgs),
}

#[derive(Args)]
pub struct InferArgs {
    /// File or folder of tables, or the URL of a database
    pub source: String,
    /// Column to learn, as TABLE.COLUMN
    #[arg(long, value_name = "TABLE.COLUMN")]
    pub target: String,
    /// Mapping to write; the template stands beside it [default: NAME.tables, after the source]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Args)]
pub struct PreviewArgs {
    /// Mapping
    pub mapping: PathBuf,
}
