//! Arguments of `complete`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

#[derive(Args)]
pub struct CompleteArgs {
    /// File of triples (.tsv, .nt, .ttl, or facts of two terms), or a folder with train.tsv, valid.tsv and test.tsv
    pub triples: PathBuf,
    /// Triples to choose settings on [default: those of the folder, else a tenth of the known ones]
    #[arg(long, value_name = "FILE")]
    pub validation: Option<PathBuf>,
    /// Triples to rank at the end [default: those of the folder]
    #[arg(long, value_name = "FILE")]
    pub test: Option<PathBuf>,
    /// Other triples that hold and are no wrong answers in rankings, beside those of all parts
    #[arg(long, value_name = "FILE")]
    pub filter: Option<PathBuf>,
    /// Template to write [default: template.lrnn in the folder of the run]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Folder of the run, with the template and results.json [default: runs/NAME-complete]
    #[arg(long, visible_alias = "run", value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Most steps of a path
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=3))]
    pub length: u8,
    /// Most paths of a relation; several are tried on validation triples [default: 20, 200 and 2000]
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub rules: Vec<usize>,
    /// Strength of L2 regularisation; several are tried on validation triples [default: 1, 3 and 9]
    #[arg(long, value_name = "X", value_delimiter = ',')]
    pub l2: Vec<f64>,
    /// Learn rules about paths alone, not about entities that are alike
    #[arg(long)]
    pub paths_only: bool,
    /// End that is asked for, by whose ranks settings are chosen [default: both]
    #[arg(long, value_name = "WHICH", value_parser = lrnn_kb::Side::from_str)]
    pub end: Option<lrnn_kb::Side>,
    /// Wrong answers in learning: `all` pairs that are not known, or for each relation so many drawn at random beside
    /// those that a path joins
    #[arg(long, value_name = "WHICH", default_value = "50000", value_parser = lrnn_kb::Negatives::from_str)]
    pub negatives: lrnn_kb::Negatives,
    /// Number of new triples to predict, with proofs
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub predictions: usize,
    /// Random seed of what is held out and drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}
