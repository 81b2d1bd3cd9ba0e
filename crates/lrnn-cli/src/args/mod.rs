//! The command line.

mod complete;
mod help;
mod induce;
mod lab;
mod learning;
mod look;
mod molecules;
mod names;
mod report;
mod tables;

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use self::complete::CompleteArgs;
pub use self::induce::InduceArgs;
pub use self::lab::{CrossvalArgs, ExperimentArgs, WorkerFlags};
pub use self::learning::LearningFlags;
pub use self::look::{ConceptsArgs, DrawArgs, DrawingKind, ExplainArgs, PatternsArgs};
pub use self::molecules::{MoleculeFlags, SplitFlag, SplitKind, TargetFlags};
use self::names::NameParser;
pub use self::report::{ReportArgs, ReportFlag};
pub use self::tables::{InferArgs, PreviewArgs, SqlArgs, TablesCommand};

/// Learns weighted first-order rules with latent concepts from examples, as lifted relational neural networks.
#[derive(Parser)]
#[command(name = "lrnn", version, max_term_width = 100)]
#[command(help_template = help::template(), after_help = help::END)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub common: Common,
}

/// The flags of every command.
#[derive(Args)]
pub struct Common {
    /// Print one JSON document instead of text for people
    #[arg(long, global = true)]
    pub json: bool,
    /// Number of threads; results do not depend on it [default: one per core]
    #[arg(long, global = true, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// No notes, warnings or progress
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// More detail, such as the loss at each evaluation
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

#[derive(Subcommand)]
pub enum Command {
    /// Learn the weights of a template from data
    Train(TrainArgs),
    /// Learn rules from data: a template that nobody wrote
    ///
    /// Rules are grown one by one, each by the gradient of the loss, and their number is chosen on inner folds. No bias
    /// is needed: what rules may say is inferred from the data.
    Induce(InduceArgs),
    /// Complete a knowledge base: rules from triples, ranking, predictions with proofs
    Complete(CompleteArgs),
    /// Evaluate a template by nested cross-validation
    ///
    /// Hyperparameters are chosen inside the training folds, from the table [search] of lrnn.toml.
    Crossval(CrossvalArgs),
    /// Compare many methods on many datasets by cross-validation
    ///
    /// A file says which; after a stop, the same command continues.
    Experiment(ExperimentArgs),
    /// Predict the queries of data with a model
    Predict(PredictArgs),
    /// Measure how well a model predicts the queries of data
    Test(TestArgs),
    /// Explain the predictions of a model
    ///
    /// Contributions that add up to the value, the rules and facts behind it, and what would change it.
    Explain(ExplainArgs),
    /// Show the latent concepts of a model as heat maps of weights
    Concepts(ConceptsArgs),
    /// Find the patterns in data that the rules of a model respond to most
    ///
    /// Those with the largest effect first, with support and confidence in each class.
    Patterns(PatternsArgs),
    /// Draw a template, a ground network or an example as SVG, PDF or DOT
    Draw(DrawArgs),
    /// Write the training report of a run as one HTML page
    ///
    /// Data, curves, metrics, concepts, patterns, and every example explained.
    Report(ReportArgs),
    /// Print the weights of a model
    Weights(WeightsArgs),
    /// Check a template, and data with it, for errors and warnings
    Check(CheckArgs),
    /// Format templates and mappings
    Fmt(FmtArgs),
    /// Ground a template on data and count facts and ground rules
    Ground(GroundArgs),
    /// Print atoms of the least Herbrand model with their values
    Query(QueryArgs),
    /// Look at tables as facts: preview a mapping, or write one from a schema
    #[command(subcommand)]
    Tables(TablesCommand),
    /// Write a model as SQL, to compute its values where the tables are
    ///
    /// For templates without vectors and recursion, over the tables of the model's mapping, or over one table for each
    /// predicate.
    Sql(SqlArgs),
    /// List families, functions, losses, optimizers, settings, metrics
    List(ListArgs),
    /// Print completions for a shell
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands
    Man {
        /// Output folder for a page of each command [default: print the main page]
        folder: Option<PathBuf>,
    },
}

impl Command {
    /// Returns the flags of workers, if any are asked for.
    pub fn workers(&self) -> Option<&WorkerFlags> {
        let flags = match self {
            Self::Train(TrainArgs { workers, .. })
            | Self::Crossval(CrossvalArgs { workers, .. })
            | Self::Experiment(ExperimentArgs { workers, .. }) => workers,
            _ => return None,
        };
        flags.workers.is_some().then_some(flags)
    }
}

/// The flags for reading a template.
#[derive(Args, Clone)]
pub struct TemplateOptions {
    /// Family of activations and aggregations, instead of the one the template names (see `lrnn list families`)
    #[arg(long, value_name = "NAME", value_parser = NameParser::FAMILIES)]
    pub family: Option<String>,
    /// Refuse recursive templates, as the paper does, and treat warnings as errors
    #[arg(long)]
    pub strict: bool,
}

fn positive(text: &str) -> Result<NonZeroU64, &'static str> {
    text.parse().map_err(|_| "it must be a whole number from 1")
}

/// The limits of grounding.
#[derive(Args, Default)]
pub struct LimitOptions {
    /// Maximum number of ground rules in one example [default: 10000000]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub max_ground_rules: Option<NonZeroU64>,
    /// Maximum number of ground rules in all examples together [default: 1000000000]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub max_ground_rules_total: Option<NonZeroU64>,
}

#[derive(Args)]
pub struct CheckArgs {
    /// Template, dataset folder with an lrnn.toml, or table of molecules (.csv, .smi, .sdf)
    pub template: PathBuf,
    /// File of data, or a folder with examples.txt and queries.txt
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub columns: TargetFlags,
    #[command(flatten)]
    pub options: TemplateOptions,
}

#[derive(Args)]
pub struct FmtArgs {
    /// Templates and mappings; `-` is a template from standard input
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Write the files in place instead of printing them
    #[arg(short, long)]
    pub write: bool,
    /// Only check whether the files are formatted: exit 1 if one is not
    #[arg(long, conflicts_with = "write")]
    pub check: bool,
}

#[derive(Args)]
pub struct GroundArgs {
    /// Template, dataset folder with an lrnn.toml, or table of molecules (.csv, .smi, .sdf)
    pub template: PathBuf,
    /// File of data, or a folder with examples.txt and queries.txt
    pub data: Option<PathBuf>,
    /// Do not ground: print the join plan of each rule with estimated sizes
    #[arg(long)]
    pub plan: bool,
    /// Print the ground facts and rules themselves
    #[arg(long, conflicts_with = "plan")]
    pub rules: bool,
    #[command(flatten)]
    pub columns: TargetFlags,
    #[command(flatten)]
    pub options: TemplateOptions,
    #[command(flatten)]
    pub limits: LimitOptions,
}

#[derive(Args)]
pub struct QueryArgs {
    /// Template, dataset folder with an lrnn.toml, or table of molecules (.csv, .smi, .sdf)
    pub template: PathBuf,
    /// File of data or a folder with examples.txt, then atoms to print, such as 'foal(X)'
    #[arg(value_name = "DATA] [ATOM")]
    pub rest: Vec<String>,
    /// Floating-point precision
    #[arg(long, value_enum, default_value_t = PrecisionFlag::F64)]
    pub precision: PrecisionFlag,
    /// Random seed of the initialisation of weights
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Print one line of CSV for each atom
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Read the template otherwise: is it true, in how many ways, by which proof best, how probable
    #[arg(long, value_name = "NAME", value_parser = semiring_names())]
    pub semiring: Option<String>,
    /// Evaluate neuron by neuron with the slow reference network
    #[arg(long)]
    pub reference: bool,
    /// Value of a query outside the model: a number, `error` or `skip`
    #[arg(long, value_name = "WHAT", default_value = "0", allow_hyphen_values = true)]
    #[arg(value_parser = NameParser::UNENTAILED, hide_possible_values = true)]
    pub unentailed: String,
    #[command(flatten)]
    pub columns: TargetFlags,
    #[command(flatten)]
    pub options: TemplateOptions,
    #[command(flatten)]
    pub limits: LimitOptions,
}

#[derive(Args)]
pub struct WeightsArgs {
    /// Model, or the folder of a run
    pub model: PathBuf,
    /// Print one line of CSV for each parameter
    #[arg(long)]
    pub csv: bool,
    /// Print only the N weights of largest absolute value or norm, the largest first
    #[arg(long, value_name = "N")]
    pub largest: Option<NonZeroUsize>,
}

/// Template and data to learn from.
#[derive(Args)]
pub struct SourceArgs {
    /// Dataset folder with an lrnn.toml, a template with DATA behind it, a mapping (.tables), or a table of molecules
    /// (.csv, .smi, .sdf)
    pub folder: Option<PathBuf>,
    /// Data: the same as --data
    #[arg(value_name = "DATA", conflicts_with_all = ["data", "template"])]
    pub second: Option<PathBuf>,
    /// Template
    #[arg(long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// File of data, or a folder with examples.txt and queries.txt
    #[arg(long, value_name = "DATA")]
    pub data: Option<PathBuf>,
}

impl SourceArgs {
    /// Returns the data that is named, in either way.
    pub fn data(&self) -> Option<&Path> {
        self.data.as_deref().or(self.second.as_deref())
    }
}

#[derive(Args)]
pub struct TrainArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// Separate data for validation
    #[arg(long, value_name = "DATA")]
    pub validation_data: Option<PathBuf>,
    /// Output folder for the model, the settings and the history [default: runs/NAME, numbered if it exists]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Continue the run in this folder, with the same result as if it had never stopped; --data if the data has moved
    #[arg(long, value_name = "RUN", conflicts_with_all = ["folder", "second", "template", "out", "from"])]
    pub resume: Option<PathBuf>,
    /// Warm start: begin with the weights of a model, matched by name
    #[arg(long, value_name = "MODEL")]
    pub from: Option<PathBuf>,
    /// Time limit of learning in seconds; the best weights so far are kept
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub time: Option<f64>,
    /// Read tables in groups of examples, and keep their networks only: for a mapping with `:- example` whose tables are larger than memory
    #[arg(long, conflicts_with_all = ["report", "least_wrong", "validation_data", "split", "workers"])]
    pub stream: bool,
    /// Lower bound of the training error: how many answers any weights leave wrong, where the template cannot tell examples apart
    #[arg(long)]
    pub least_wrong: bool,
    #[command(flatten)]
    pub workers: WorkerFlags,
    #[command(flatten)]
    pub report: ReportFlag,
    #[command(flatten)]
    pub learning: LearningFlags,
    #[command(flatten)]
    pub columns: TargetFlags,
    #[command(flatten)]
    pub split: SplitFlag,
    #[command(flatten)]
    pub options: TemplateOptions,
    #[command(flatten)]
    pub limits: LimitOptions,
}

#[derive(Args)]
pub struct PredictArgs {
    #[command(flatten)]
    pub asked: ModelDataArgs,
    /// Read tables in groups of examples, for those that are larger than memory
    #[arg(long)]
    pub stream: bool,
    /// Print one line of CSV for each query
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
}

/// A model and data to apply it to.
#[derive(Args)]
pub struct ModelDataArgs {
    /// Model, or the folder of a run
    pub model: PathBuf,
    /// File of data, or a folder with examples.txt
    pub data: PathBuf,
    /// Value of a query outside the model: a number, `error` or `skip` [default: as in training]
    #[arg(long, value_name = "WHAT", allow_hyphen_values = true)]
    #[arg(value_parser = NameParser::UNENTAILED, hide_possible_values = true)]
    pub unentailed: Option<String>,
    #[command(flatten)]
    pub molecules: MoleculeFlags,
    #[command(flatten)]
    pub limits: LimitOptions,
}

#[derive(Args)]
pub struct TestArgs {
    #[command(flatten)]
    pub asked: ModelDataArgs,
    /// Lower bound of the error: how many answers any weights leave wrong, where the template cannot tell examples apart
    #[arg(long)]
    pub least_wrong: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PrecisionFlag {
    /// Single precision
    F32,
    /// Double precision
    F64,
}

#[derive(Args)]
pub struct ListArgs {
    /// Table to list [default: all]
    #[arg(value_enum)]
    pub kind: Option<ListKind>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ListKind {
    /// Families: presets of activations and aggregations
    Families,
    /// Activation functions
    Activations,
    /// Combinations of the inputs of a neuron
    Combinations,
    /// Aggregations of the groundings of a rule with the same head
    Aggregations,
    /// Modules of the library
    Modules,
    /// Loss functions
    Losses,
    /// Readouts: sources of the numbers of indexed weights
    Readouts,
    /// Optimizers
    Optimizers,
    /// Learning rate schedules
    Schedules,
    /// Initialisations of random weights
    #[value(alias = "starts")]
    Initialisations,
    /// Metrics
    Metrics,
    /// Settings of learning, with their kinds and defaults
    Settings,
    /// Baselines for cross-validation
    Baselines,
}

/// Returns the readings of a template other than the neural one, by name.
fn semiring_names() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(lrnn::program::Semiring::ALL.map(|(name, _)| name))
}
