//! The arguments of `lrnn tables`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use lrnn_tables::sql::Dialect;

#[derive(Subcommand)]
pub enum TablesCommand {
    /// Show what a mapping makes of its tables: rows, facts, NULLs, rows of no example
    Preview(PreviewArgs),
    /// Write a mapping and a first template from the schema of tables
    Infer(InferArgs),
    /// Look for leaks: rows and columns that know the future, columns that predict too well
    ///
    /// Ends with 1 if there is one.
    Check(PreviewArgs),
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

#[derive(Args)]
pub struct SqlArgs {
    /// Folder of a run, a model, or a template whose weights all have values
    pub model: PathBuf,
    /// Database system: sqlite, duckdb or postgresql
    #[arg(long, value_name = "NAME", default_value = "sqlite", value_parser = dialect)]
    pub dialect: Dialect,
    /// Atoms to compute, as `toxic(X)` [default: what training asked]
    #[arg(long)]
    pub atom: Option<String>,
    /// Create a view of this name instead of selecting
    #[arg(long, value_name = "NAME")]
    pub view: Option<String>,
}

fn dialect(name: &str) -> Result<Dialect, String> {
    let names: Vec<&str> = Dialect::NAMES.iter().map(|(name, _)| *name).collect();
    Dialect::find(name).ok_or_else(|| format!("it is one of {}", names.join(", ")))
}
