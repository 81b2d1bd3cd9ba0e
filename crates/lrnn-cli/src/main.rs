//! The command `lrnn`. Exit codes: 0 done, 1 "no", 2 wrong use, 3 template or data error, 4 budget exceeded,
//! 5 input/output, 6 numbers.

mod args;
mod command;
mod failure;
mod load;
mod output;
mod progress;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Arguments, Command};
use crate::failure::Failure;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => failure.print(&arguments.common),
    }
}

fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let common = &arguments.common;
    if let Some(threads) = common.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build_global();
        pool.map_err(|error| Failure::io(format!("cannot start {threads} threads: {error}")))?;
    }
    match &arguments.command {
        Command::Check(check) => command::check::run(check, common),
        Command::Fmt(fmt) => command::fmt::run(fmt, common),
        Command::Ground(ground) => command::ground::run(ground, common),
        Command::Query(query) => command::query::run(query, common),
        Command::List(list) => command::list::run(list, common),
        Command::Completions { shell } => command::completions::run(*shell),
    }
}
