//! The commands that look at what was learned.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{LimitOptions, Predict};

#[derive(Args)]
pub struct Explain {
    #[command(flatten)]
    pub asked: Predict,
    /// The example, by its id or its number; without it, a summary of all
    #[arg(long, value_name = "NAME")]
    pub example: Option<String>,
    /// The atom to explain, such as 'foal(star)' [default: the queries of the example]
    #[arg(long, value_name = "ATOM", requires = "example")]
    pub query: Option<String>,
    /// Which element of a vector to explain, from 1
    #[arg(long, value_name = "N", default_value = "1")]
    pub element: NonZeroUsize,
    /// How many facts, constants and changes to show
    #[arg(long, value_name = "N", default_value = "10")]
    pub top: NonZeroUsize,
}

#[derive(Args)]
pub struct Concepts {
    /// The model, or the folder of a run
    pub model: PathBuf,
    /// Print one line of CSV for each weight
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Write a picture, too
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

#[derive(Args)]
pub struct Patterns {
    #[command(flatten)]
    pub asked: Predict,
    /// How many patterns of each rule to show
    #[arg(long, value_name = "N", default_value = "10")]
    pub top: NonZeroUsize,
    /// The fewest examples that a pattern must be in
    #[arg(long, value_name = "N", default_value = "1")]
    pub support: NonZeroUsize,
    /// Print one line of CSV for each pattern and class
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Write a picture, too
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

#[derive(Args)]
pub struct Draw {
    /// A model, the folder of a run, a template, or a dataset folder with an lrnn.toml
    pub model: PathBuf,
    /// A file of data, or a folder with examples.txt
    pub data: Option<PathBuf>,
    /// What to draw [default: the network if there is data, else the template]
    #[arg(long, value_enum)]
    pub what: Option<Drawn>,
    /// The file to write, .svg or .dot
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// The example, by its id or its number [default: the first]
    #[arg(long, value_name = "NAME")]
    pub example: Option<String>,
    /// The atom whose network or contributions to draw [default: the queries of the example]
    #[arg(long, value_name = "ATOM")]
    pub query: Option<String>,
    /// The relation that makes the edges of an example, by its name [default: the one with the most facts]
    #[arg(long, value_name = "NAME")]
    pub relation: Option<String>,
    /// The most neurons to draw; those that count less are left out, and counted
    #[arg(long, value_name = "N", default_value = "80")]
    pub most: NonZeroUsize,
    #[command(flatten)]
    pub limits: LimitOptions,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Drawn {
    /// The template, as the paper draws it
    Template,
    /// The ground network of an example
    Network,
    /// The example, coloured by contributions
    Example,
}
