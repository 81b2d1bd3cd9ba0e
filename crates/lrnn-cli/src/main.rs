//! The program `lrnn`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(lrnn_cli::run_command(std::env::args_os().collect(), None))
}
