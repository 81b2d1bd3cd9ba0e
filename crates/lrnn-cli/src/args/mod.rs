//! What can be written on the command line.

mod lab;
mod learning;
mod look;
mod report;

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use self::lab::{Crossval, Experiment, SearchKind};
pub use self::learning::LearningFlags;
pub use self::look::{Concepts, Draw, Drawn, Explain, Patterns};
pub use self::report::{Report, ReportFlag};

/// Lifted relational neural networks: weighted first-order rules that unfold into a network for each example.
#[derive(Parser)]
#[command(name = "lrnn", version, about, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done, 1 \"no\" (check found problems), 2 wrong use, 3 template or data error, \
    4 budget exceeded, 5 input/output, 6 numbers."
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub common: Common,
}

/// What every command takes.
#[derive(Args)]
pub struct Common {
    /// Print one JSON document instead of text for people
    #[arg(long, global = true)]
    pub json: bool,
    /// How many threads to use; the results are the same for any number [default: one per core]
    #[arg(long, global = true, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Say less: no notes, warnings or progress
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Say more
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

#[derive(Subcommand)]
pub enum Command {
    /// Check a template, and data with it: messages for everything that is wrong or suspicious
    Check(Check),
    /// Write templates in the standard layout
    Fmt(Fmt),
    /// Ground a template on data: the least Herbrand model and all active ground rules, counted
    Ground(Ground),
    /// Print atoms of the model with their values
    Query(Query),
    /// Print the weights of a model
    Weights(Weights),
    /// Learn the weights of a template from data
    Train(Train),
    /// Measure how well a template learns, by cross-validation, with settings chosen inside the training folds
    Crossval(Crossval),
    /// Measure many methods on many datasets, as a file says; the same command goes on after a stop
    Experiment(Experiment),
    /// Print the values that a model gives to the queries of data
    Predict(Predict),
    /// Measure how well a model answers the queries of data
    Test(Test),
    /// Say why a model gives its values: contributions that add up, the rules and facts behind, what would change it
    Explain(Explain),
    /// Show the latent concepts of a model: the weights of the rules that define each predicate, as heat maps
    Concepts(Concepts),
    /// Find the patterns in data that rules of a model answer to most, with support and lift in each class
    Patterns(Patterns),
    /// Draw a template, the network of an example, or an example, as SVG or DOT
    Draw(Draw),
    /// Make one page of a run to look at: data, curves, metrics, concepts, patterns, and every example explained
    Report(Report),
    /// List what there is: functions, families, losses, optimizers, settings, metrics, baselines
    List(List),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// How a template is read.
#[derive(Args, Clone)]
pub struct TemplateOptions {
    /// The family of functions, instead of the one the template names (see `lrnn list`)
    #[arg(long, value_name = "F")]
    pub family: Option<String>,
    /// Refuse recursive templates, as the paper does, and take warnings for errors
    #[arg(long)]
    pub strict: bool,
}

fn positive(text: &str) -> Result<NonZeroU64, &'static str> {
    text.parse().map_err(|_| "it must be a whole number from 1")
}

/// How far grounding may go.
#[derive(Args, Default)]
pub struct LimitOptions {
    /// The most ground rules in one example [default: 10000000]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub max_ground_rules: Option<NonZeroU64>,
    /// The most ground rules in all examples together [default: 1000000000]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub max_ground_rules_total: Option<NonZeroU64>,
}

#[derive(Args)]
pub struct Check {
    /// The template, or a dataset folder with an lrnn.toml
    pub template: PathBuf,
    /// A file of data, or a folder with examples.txt and queries.txt
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub options: TemplateOptions,
}

#[derive(Args)]
pub struct Fmt {
    /// The templates; `-` is standard input
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Write the files instead of printing them
    #[arg(short, long)]
    pub write: bool,
    /// Only say whether the files are in the standard layout: exit 1 if one is not
    #[arg(long, conflicts_with = "write")]
    pub check: bool,
}

#[derive(Args)]
pub struct Ground {
    /// The template, or a dataset folder with an lrnn.toml
    pub template: PathBuf,
    /// A file of data, or a folder with examples.txt and queries.txt
    pub data: Option<PathBuf>,
    /// Do not ground: print the join order of each rule and what is to be expected
    #[arg(long)]
    pub plan: bool,
    /// Print the ground facts and rules themselves
    #[arg(long, conflicts_with = "plan")]
    pub rules: bool,
    #[command(flatten)]
    pub options: TemplateOptions,
    #[command(flatten)]
    pub limits: LimitOptions,
}

#[derive(Args)]
pub struct Query {
    /// The template, or a dataset folder with an lrnn.toml
    pub template: PathBuf,
    /// A file of data or a folder with examples.txt, then atoms to print, such as 'foal(X)'
    #[arg(value_name = "DATA] [ATOM")]
    pub rest: Vec<String>,
    /// The precision of the numbers
    #[arg(long, value_enum, default_value_t = Precision::F64)]
    pub precision: Precision,
    /// The seed of weights that start at random
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Compute neuron by neuron with the reference network, which is slow and never optimised
    #[arg(long)]
    pub reference: bool,
    /// What a query outside the model is: `error`, `skip`, or a value
    #[arg(long, value_name = "WHAT", default_value = "0", allow_hyphen_values = true)]
    pub unentailed: String,
    #[command(flatten)]
    pub options: TemplateOptions,
    #[command(flatten)]
    pub limits: LimitOptions,
}

#[derive(Args)]
pub struct Weights {
    /// The model, or the folder of a run
    pub model: PathBuf,
    /// Print one line of CSV for each number
    #[arg(long)]
    pub csv: bool,
    /// Print the N largest weights only, the largest first; a tensor is as large as its norm
    #[arg(long, value_name = "N")]
    pub largest: Option<NonZeroUsize>,
}

#[derive(Args)]
pub struct Train {
    /// A dataset folder with an lrnn.toml
    pub folder: Option<PathBuf>,
    /// The template
    #[arg(long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// A file of data, or a folder with examples.txt and queries.txt
    #[arg(long, value_name = "DATA")]
    pub data: Option<PathBuf>,
    /// Other data for validation
    #[arg(long, value_name = "DATA")]
    pub validation_data: Option<PathBuf>,
    /// The folder for the model, the settings and the history [default: runs/NAME, with a number if it is there]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Go on with the run in this folder, to the same end as if it had never stopped
    #[arg(long, value_name = "RUN", conflicts_with_all = ["folder", "template", "data", "out", "from"])]
    pub resume: Option<PathBuf>,
    /// Begin with the weights of a model, by their names
    #[arg(long, value_name = "MODEL")]
    pub from: Option<PathBuf>,
    /// Stop after so many seconds of learning, with the best weights so far
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub time: Option<f64>,
    /// Say how many training answers any weights leave wrong: examples that the template cannot tell apart
    #[arg(long)]
    pub least_wrong: bool,
    #[command(flatten)]
    pub report: ReportFlag,
    #[command(flatten)]
    pub learning: LearningFlags,
    #[command(flatten)]
    pub options: TemplateOptions,
    #[command(flatten)]
    pub limits: LimitOptions,
}

#[derive(Args)]
pub struct Predict {
    /// The model, or the folder of a run
    pub model: PathBuf,
    /// A file of data, or a folder with examples.txt
    pub data: PathBuf,
    /// What a query outside the model is: `error`, `skip`, or a value [default: as in training]
    #[arg(long, value_name = "WHAT", allow_hyphen_values = true)]
    pub unentailed: Option<String>,
    #[command(flatten)]
    pub limits: LimitOptions,
}

#[derive(Args)]
pub struct Test {
    #[command(flatten)]
    pub asked: Predict,
    /// Say how many answers any weights leave wrong: examples that the template cannot tell apart
    #[arg(long)]
    pub least_wrong: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Precision {
    /// Single precision
    F32,
    /// Double precision
    F64,
}

#[derive(Args)]
pub struct List {
    /// What to list; everything if it is not given
    #[arg(value_enum)]
    pub kind: Option<Kind>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Presets of functions
    Families,
    /// Functions of one value
    Activations,
    /// How the inputs of a neuron become one value
    Combinations,
    /// How the groundings of a rule with one head become one value
    Aggregations,
    /// What learning makes small
    Losses,
    /// How a gradient becomes a step
    Optimizers,
    /// How the rate changes with the epochs
    Schedules,
    /// Where weights begin
    Starts,
    /// What can be said of answers
    Metrics,
    /// The settings of learning, with their kinds and defaults
    Settings,
    /// What can be had without a network
    Baselines,
}
