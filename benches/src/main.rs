//! `lrnn-bench`: what reading, grounding, building and an epoch cost, in seconds and bytes. See `benches/README.md`.
#![allow(clippy::print_stderr)]

mod args;
mod case;
mod graph;
mod limit;
mod measure;
mod molecule;
mod run;
mod sampled;
mod stage;
mod table;
mod train;

use std::io::Write;
use std::process::{Command, ExitCode, Stdio};

use clap::Parser;
use lrnn::Threads;
use serde_json::Value;

use crate::args::BenchArgs;
use crate::case::{BenchCase, Data};
use crate::run::Run;
use crate::sampled::StepSize;
use crate::stage::Stage;

fn main() -> ExitCode {
    match start(&BenchArgs::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn start(arguments: &BenchArgs) -> Result<(), String> {
    if arguments.list {
        return print(&case::list());
    }
    let runs = runs(arguments)?;
    let [run] = &runs[..] else { return apart(arguments, &runs) };
    let threads = Threads::new(Some(arguments.threads)).map_err(|error| error.to_string())?;
    threads.run(|| one(arguments, run))
}

fn one(arguments: &BenchArgs, run: &Run) -> Result<(), String> {
    if let Some([stage, count]) = arguments.once.as_deref() {
        let count = count.parse().map_err(|_| format!("`{count}` is not a number"))?;
        let stage = Stage::find(stage).ok_or_else(|| format!("`{stage}` is not a stage"))?;
        return run.once(stage, count);
    }
    if arguments.values {
        let values = run.values(arguments.weights.as_deref())?;
        return print(&values.iter().map(|value| format!("{value}\n")).collect::<String>());
    }
    show(arguments, &run.measure(arguments.seconds)?)
}

fn runs(arguments: &BenchArgs) -> Result<Vec<Run>, String> {
    let &BenchArgs { batch, copies, take, whole, .. } = arguments;
    let sampled = arguments.sampled.as_deref().and_then(|sizes| match *sizes {
        [queries, neighbours] => Some(StepSize { queries: queries as usize, neighbours }),
        _ => None,
    });
    if let (Some(template), Some(data)) = (&arguments.template, &arguments.data) {
        let case = BenchCase {
            name: template.display().to_string(),
            template: template.clone(),
            family: arguments.family.clone(),
            data: Data::Folder(data.clone()),
            whole,
        };
        return Ok(vec![Run { case, copies, batch, take, sampled }]);
    }
    let find = |name: &str| match BenchCase::find(name) {
        Some(case) => Ok(BenchCase { whole, ..case }),
        None => Err(format!("no case `{name}`; `--list` shows them")),
    };
    if arguments.cases.is_empty() {
        let runs = if arguments.growth { case::growth_runs() } else { case::default_runs() };
        let runs = runs.into_iter();
        return runs
            .map(|(name, copies, batch)| Ok(Run { case: find(name)?, copies, batch, take, sampled }))
            .collect();
    }
    arguments.cases.iter().map(|name| Ok(Run { case: find(name)?, copies, batch, take, sampled })).collect()
}

/// Runs each in a process of its own, so that none has the memory of another.
fn apart(arguments: &BenchArgs, runs: &[Run]) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    for run in runs {
        let batch = if run.batch == 0 { "all".into() } else { run.batch.to_string() };
        let output = Command::new(&program)
            .args([&run.case.name, "--json", "--batch", &batch])
            .args(["--copies", &run.copies.to_string(), "--threads", &arguments.threads.to_string()])
            .args(["--seconds", &arguments.seconds.to_string()])
            .args(run.take.map(|count| format!("--take={count}")))
            .args(run.case.whole.then_some("--whole"))
            .args(run.sampled.iter().flat_map(|size| {
                ["--sampled".to_owned(), size.queries.to_string(), size.neighbours.to_string()]
            }))
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(format!("{} failed", run.case.name));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let lines: Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
        show(arguments, &lines.map_err(|error| error.to_string())?)?;
    }
    Ok(())
}

fn show(arguments: &BenchArgs, lines: &[Value]) -> Result<(), String> {
    match arguments.json {
        true => print(&lines.iter().map(|line| format!("{line}\n")).collect::<String>()),
        false => print(&table::text(lines)),
    }
}

/// Writes at once, so that what is there can be read while the next case runs.
fn print(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
