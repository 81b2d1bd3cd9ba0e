//! The command `lrnn`, as a function, so that other programs can be it. Exit codes: 0 done, 1 "no", 2 wrong use, 3 template or data error, 4 budget exceeded,
//! 5 input/output, 6 numbers, 130 stopped by Ctrl-C, 143 by SIGTERM.

mod args;
mod command;
mod failure;
mod interrupt;
mod load;
mod output;
mod progress;

use std::ffi::OsString;

use clap::Parser;
use lrnn_lab::{Workers, run_by_python};

pub use crate::args::WorkerFlags;
use crate::args::{Arguments, Command};
use crate::failure::{Error, end, end_usage};

/// Returns the workers that the words of the command, the name of the program first, ask for.
pub fn workers_asked(words: &[OsString]) -> Option<WorkerFlags> {
    Arguments::try_parse_from(words).ok()?.command.workers().cloned()
}

/// Runs the command with its words, the name of the program first, and with the workers that they ask for, and returns
/// its exit code. Without these, Python runs it, which can start some.
pub fn run_command(words: Vec<OsString>, workers: Option<&dyn Workers>) -> u8 {
    let is_json = words.iter().any(|word| word == "--json");
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() && is_json => return end_usage(&error),
        Err(error) => {
            let _ = error.print();
            return error.exit_code() as u8;
        }
    };
    let common = &arguments.common;
    if let Some(asked) = common.threads.filter(|asked| asked.get() > lrnn::Threads::MOST) {
        let most = lrnn::Threads::MOST;
        output::say_notes([format!("{most} threads, not {asked}: more would only wait")], common);
    }
    match lrnn::Threads::new(common.threads.map(Into::into))
        .and_then(|threads| threads.run(|| run(&arguments, workers)))
    {
        Ok(code) => code,
        Err(error) => end(&error, Some(common), common.json),
    }
}

fn run(arguments: &Arguments, workers: Option<&dyn Workers>) -> Result<u8, Error> {
    let common = &arguments.common;
    if arguments.command.workers().is_some() && workers.is_none() {
        return Err(run_by_python());
    }
    match &arguments.command {
        Command::Check(check) => command::check::run(check, common),
        Command::Fmt(fmt) => command::fmt::run(fmt, common),
        Command::Ground(ground) => command::ground::run(ground, common),
        Command::Query(query) => command::query::run(query, common),
        Command::Tables(tables) => command::tables::run(tables, common),
        Command::Sql(sql) => command::sql::run(sql, common),
        Command::Weights(weights) => command::weights::run(weights, common),
        Command::Train(train) => command::train::run(train, common, workers),
        Command::Induce(induce) => command::induce::run(induce, common),
        Command::Complete(complete) => command::complete::run(complete, common),
        Command::Crossval(crossval) => command::crossval::run(crossval, common, workers),
        Command::Experiment(experiment) => command::experiment::run(experiment, common, workers),
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
