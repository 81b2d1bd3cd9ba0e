//! Arguments of `report`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
#[command(
    after_help = "The page holds everything it needs: it opens from the disk in any browser, without a network.\n\n\
    lrnn report runs/mutagenesis\n\
    lrnn report runs/mutagenesis-crossval -o mutagenesis.html"
)]
pub struct ReportArgs {
    /// Folder of a run of `lrnn train` or `lrnn crossval`
    pub run: PathBuf,
    /// Output file: .html, or .json for the data of the page alone [default: report.html in the folder]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Data, if it is no longer where the run found it
    #[arg(long, value_name = "DATA")]
    pub data: Option<PathBuf>,
}

/// The flag for a report at the end of a run.
#[derive(Args, Clone, Default)]
pub struct ReportFlag {
    /// Write a training report at the end, as one HTML page [default of FILE: report.html in the folder of the run]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub report: Option<Option<PathBuf>>,
}
