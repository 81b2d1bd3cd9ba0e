//! The command `lrnn`. Exit codes: 0 done, 1 "no", 2 wrong use, 3 template or data error, 4 budget exceeded,
//! 5 input/output, 6 numbers, 130 stopped by Ctrl-C, 143 by SIGTERM.

mod args;
mod command;
mod failure;
mod interrupt;
mod load;
mod output;
mod progress;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Arguments, Command};
use crate::failure::Failure;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() && std::env::args_os().any(|word| word == "--json") => {
            return Failure::usage(&error).print(true);
        }
        Err(error) => error.exit(),
    };
    match run(&arguments) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => failure.print(arguments.common.json),
    }
}

/// Threads beyond the cores of any machine only wait for each other.
const MOST_THREADS: usize = 256;

fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let common = &arguments.common;
    if let Some(asked) = common.threads {
        let threads = asked.get().min(MOST_THREADS);
        if threads < asked.get() && !common.quiet {
            output::say(&format!("note: {threads} threads, not {asked}: more would only wait\n"));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        pool.map_err(|error| Failure::io(format!("cannot start {threads} threads: {error}")))?;
    }
    match &arguments.command {
        Command::Check(check) => command::check::run(check, common),
        Command::Fmt(fmt) => command::fmt::run(fmt, common),
        Command::Ground(ground) => command::ground::run(ground, common),
        Command::Query(query) => command::query::run(query, common),
        Command::Weights(weights) => command::weights::run(weights, common),
        Command::Train(train) => command::train::run(train, common),
        Command::Crossval(crossval) => command::crossval::run(crossval, common),
        Command::Experiment(experiment) => command::experiment::run(experiment, common),
        Command::Predict(predict) => command::predict::run(predict, common),
        Command::Test(test) => command::test::run(test, common),
        Command::Explain(explain) => command::explain::run(explain, common),
        Command::Concepts(concepts) => command::concepts::run(concepts, common),
        Command::Patterns(patterns) => command::patterns::run(patterns, common),
        Command::Draw(draw) => command::draw::run(draw, common),
        Command::Report(report) => command::report::run(report, common),
        Command::List(list) => command::list::run(list, common),
        Command::Completions { shell } => command::completions::run(*shell),
        Command::Man { folder } => command::completions::man(folder.as_deref()),
    }
}
