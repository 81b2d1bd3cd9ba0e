//! `lrnn induce DATA`: rules learned from data.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use lrnn_induce::{GrowthOptions, InduceInputs, InduceOptions, LatticeLimits, SearchOptions, infer_bias};
use lrnn_io::{free_name, read_text};
use lrnn_lab::baseline::induce_method;
use lrnn_lab::validation_text;

use crate::args::{Common, InduceArgs};
use crate::failure::{Error, ErrorKind};
use crate::progress::{duration, watched};
use crate::{interrupt, output};

pub fn run(asked: &InduceArgs, common: &Common) -> Result<u8, Error> {
    interrupt::listen()?;
    let options = options(asked)?;
    let inputs = InduceInputs::read(&asked.data, &asked.columns.columns())?;
    output::say_diagnostics(&inputs.dataset.notes, &inputs.dataset.sources, common.quiet);
    let options = inputs.options(options)?;
    if asked.show_bias {
        return output::print(&infer_bias(&inputs.dataset, &options)?.join("\n")).map(|()| 0);
    }
    let ending = if asked.crossval { "-induce-crossval" } else { "-induce" };
    let out = asked.out.clone().unwrap_or_else(|| free_name(&asked.data, ending));
    let result = match asked.crossval {
        true => crossval(&inputs, &options, out.clone(), common).map(|()| false),
        false => learn(asked, &inputs, &options, out.clone(), common),
    };
    let is_stopped = match result {
        Err(error) if error.kind() == ErrorKind::Stopped => true,
        other => other?,
    };
    if is_stopped {
        let again = format!("the same command with --out {} goes on", out.display());
        output::say(&format!("stopped before the end; {again}\n"));
    }
    Ok(if is_stopped { interrupt::exit_code() } else { 0 })
}

fn options(asked: &InduceArgs) -> Result<InduceOptions, Error> {
    let InduceArgs { beam, levels, look_ahead, min_support, literal_cost, l2, bags, seed, inner, .. } =
        *asked;
    let options = InduceOptions {
        method: induce_method(&asked.method)?,
        growth: GrowthOptions {
            search: SearchOptions { beam, levels, look_ahead, min_support, ..SearchOptions::default() },
            l2,
            literal_cost,
            bags,
            rules: asked.max_rules,
            inner,
            seed,
            clauses: asked.max_clauses,
            ..GrowthOptions::default()
        },
        limits: LatticeLimits {
            min_support,
            negation: asked.negation,
            counts: !asked.no_counts,
            ..LatticeLimits::default()
        },
        soft: asked.soft,
        from: asked.from.as_deref().map(read_text).transpose()?,
        bias: asked.bias.as_deref().map(read_text).transpose()?,
        folds: asked.folds,
        group: asked.group,
        stop: interrupt::stop(),
        ..InduceOptions::default()
    };
    options.checked(asked.max_seconds)
}

/// Learns rules and prints them; tells whether somebody stopped it, so that more might be found.
fn learn(
    asked: &InduceArgs,
    inputs: &InduceInputs,
    options: &InduceOptions,
    out: PathBuf,
    common: &Common,
) -> Result<bool, Error> {
    let begin = Instant::now();
    let text = |seconds: f64| searched(options, seconds);
    let run = watched(common, text, || inputs.learn(options, out, asked.output.clone()))?;
    let seconds = begin.elapsed().as_secs_f64();
    let is_stopped = interrupt::is_interrupted() && run.induction.is_cut_short();
    let clauses: u64 = run.induction.goals.iter().map(|goal| goal.clauses).sum();
    output::print_result(common, &run, &costs(clauses, seconds), None, || {
        let mut lines = vec![run.induction.template()];
        lines.extend(run.induction.notes());
        let soft =
            run.soft_template.as_ref().map_or_else(String::new, |it| format!("; soft: {}", it.display()));
        lines.push(format!(
            "{} from {}; template: {}{soft}; run: {}\n",
            output::counted(run.induction.rule_count(), "rule"),
            pace(clauses, seconds),
            run.template.display(),
            run.run.display()
        ));
        lines.join("\n")
    })?;
    Ok(is_stopped)
}

/// Measures the whole procedure; what the folder of the run has already is not done again.
fn crossval(
    inputs: &InduceInputs,
    options: &InduceOptions,
    out: PathBuf,
    common: &Common,
) -> Result<(), Error> {
    let begin = Instant::now();
    let done = AtomicUsize::new(0);
    let text =
        |seconds: f64| format!("{} folds done, {}", done.load(Ordering::Relaxed), searched(options, seconds));
    let count = |folds: usize| done.store(folds, Ordering::Relaxed);
    let run = watched(common, text, || inputs.validate(options, out, &count))?;
    let seconds = begin.elapsed().as_secs_f64();
    let clauses = run.results.clauses;
    output::print_result(common, &run, &costs(clauses, seconds), None, || {
        let (text, pace) = (validation_text(&run.results), pace(clauses, seconds));
        format!("{text}{pace}; run: {}\n", run.run.display())
    })?;
    Ok(())
}

/// Returns how far a search is.
fn searched(options: &InduceOptions, seconds: f64) -> String {
    let [rules, clauses] = [options.counter.rules(), options.counter.clauses()].map(output::count);
    format!("{rules} rules grown, inner folds among them, from {clauses} clauses, {}", duration(seconds))
}

/// Returns the time of everything, and that of a thousand clauses.
fn costs(clauses: u64, seconds: f64) -> [(&'static str, Option<f64>); 2] {
    let each = (clauses > 0).then(|| 1000.0 * seconds / clauses as f64);
    [("total", Some(seconds)), ("per_1000_clauses", each)]
}

/// Returns how many clauses were compared with the facts, in what time.
fn pace(clauses: u64, seconds: f64) -> String {
    let per_second = (clauses as f64 / seconds.max(1e-9)) as u64;
    format!(
        "{} clauses in {}, {} a second",
        output::count(clauses),
        duration(seconds),
        output::count(per_second)
    )
}
