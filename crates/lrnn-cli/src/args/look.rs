//! Arguments of the commands that interpret a model.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{LimitOptions, ModelDataArgs, MoleculeFlags};

#[derive(Args)]
pub struct ExplainArgs {
    #[command(flatten)]
    pub asked: ModelDataArgs,
    /// Example, by its id or its number; without it, a summary of all
    #[arg(long, value_name = "NAME")]
    pub example: Option<String>,
    /// Atom to explain, such as 'foal(star)' [default: the queries of the example]
    #[arg(long, value_name = "ATOM", requires = "example")]
    pub query: Option<String>,
    /// Element of a vector to explain, from 1
    #[arg(long, value_name = "N", default_value = "1")]
    pub element: NonZeroUsize,
    /// Number of facts, constants and changes to show
    #[arg(long, value_name = "N", default_value = "10")]
    pub top: NonZeroUsize,
}

#[derive(Args)]
pub struct ConceptsArgs {
    /// Model, or the folder of a run
    pub model: PathBuf,
    /// Print one line of CSV for each weight
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Also write a picture as SVG, or PDF if FILE ends in .pdf
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

#[derive(Args)]
pub struct PatternsArgs {
    #[command(flatten)]
    pub asked: ModelDataArgs,
    /// Number of patterns to show for each rule, and of substructures that raise or lower the value
    #[arg(long, value_name = "N", default_value = "10")]
    pub top: NonZeroUsize,
    /// Minimum support: number of examples that a pattern must be in [default: 1; substructures of 100 molecules or more: 3]
    #[arg(long, value_name = "N")]
    pub support: Option<NonZeroUsize>,
    /// Only the substructures of molecules that raise and lower the value most [default for a table of molecules]
    #[arg(long)]
    pub substructures: bool,
    /// Property that substructures raise and lower, such as 'kind=acid' [default: the first that is asked]
    #[arg(long, value_name = "PROPERTY", conflicts_with = "rules")]
    pub query: Option<String>,
    /// Patterns of each rule, of a table of molecules, too
    #[arg(long, conflicts_with = "substructures")]
    pub rules: bool,
    /// Print one line of CSV for each pattern and class
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Also write a picture as SVG, or PDF if FILE ends in .pdf
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

#[derive(Args)]
pub struct DrawArgs {
    /// Model, folder of a run, template, or dataset folder with an lrnn.toml
    pub model: PathBuf,
    /// File of data, or a folder with examples.txt
    pub data: Option<PathBuf>,
    /// Subject of the picture [default: the network if there is data, else the template]
    #[arg(long, value_enum)]
    pub what: Option<DrawingKind>,
    /// Output file, .svg, .pdf or .dot
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// Example, by its id or its number [default: the first]
    #[arg(long, value_name = "NAME")]
    pub example: Option<String>,
    /// Atom whose network or contributions to draw [default: the queries of the example]
    #[arg(long, value_name = "ATOM")]
    pub query: Option<String>,
    /// Relation drawn as the edges of an example [default: all between individuals]
    #[arg(long, value_name = "NAME")]
    pub relation: Option<String>,
    /// Maximum number of neurons to draw; the least important are left out, and counted
    #[arg(long, value_name = "N", default_value = "80")]
    pub most: NonZeroUsize,
    #[command(flatten)]
    pub molecules: MoleculeFlags,
    #[command(flatten)]
    pub limits: LimitOptions,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DrawingKind {
    /// Template, as the paper draws it
    Template,
    /// Ground network of an example
    Network,
    /// Example, coloured by contributions
    Example,
}
