//! `lrnn induce DATA`: rules learned from data.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use lrnn::train::Settings;
use lrnn::vocabulary::Vocabulary;
use lrnn::{Dataset, Template, Training, TrainingOptions};
use lrnn_induce::{
    GrowthOptions, InduceOptions, InducedFold, Induction, LatticeLimits, SearchOptions, Validation, induce,
    infer_bias, validate,
};
use lrnn_io::{
    MoleculeColumns, RunFolder, RunInputs, free_name, locate, read_dataset, read_text, write_atomically,
};
use serde::Serialize;

use crate::args::{Common, InduceArgs};
use crate::failure::{Error, ErrorKind};
use crate::progress::{Progress, duration};
use crate::{interrupt, output};

/// Rules that were learned, and where they are.
#[derive(Serialize)]
struct InduceDocument<'a> {
    #[serde(flatten)]
    induction: &'a Induction,
    template: &'a Path,
    run: &'a Path,
}

/// The results of a cross-validation, and where they are.
#[derive(Serialize)]
struct ValidationDocument<'a> {
    #[serde(flatten)]
    results: &'a Validation,
    run: &'a Path,
}

pub fn run(asked: &InduceArgs, common: &Common) -> Result<u8, Error> {
    let begin = Instant::now();
    interrupt::listen()?;
    let data = data_path(&asked.data)?;
    let dataset = read_dataset(&data, &MoleculeColumns::default(), Vocabulary::default())?.0;
    output::say_diagnostics(&dataset.notes, &dataset.sources, common.quiet);
    let options = options(asked, begin)?;
    if asked.show_bias {
        return output::print(&infer_bias(&dataset, &options)?.join("\n")).map(|()| 0);
    }
    let result = match asked.crossval {
        true => crossval(asked, &dataset, &options, common),
        false => learn(asked, &data, &dataset, &options, common),
    };
    match result {
        Err(error) if error.kind() == ErrorKind::Stopped => {
            let help = if asked.crossval { "; the same command with --out goes on" } else { "" };
            output::say(&format!("stopped before the end{help}\n"));
            Ok(interrupt::exit_code())
        }
        other => other,
    }
}

/// Returns the data that a folder with an lrnn.toml names, or the path itself.
fn data_path(path: &Path) -> Result<PathBuf, Error> {
    match path.is_dir() && path.join(lrnn_io::CONFIG_NAME).exists() {
        true => Ok(locate(path, None)?.1.unwrap_or_else(|| path.to_owned())),
        false => Ok(path.to_owned()),
    }
}

fn options(asked: &InduceArgs, begin: Instant) -> Result<InduceOptions, Error> {
    let InduceArgs { beam, levels, look_ahead, min_support, l2, seed, inner, .. } = *asked;
    if !(l2.is_finite() && l2 >= 0.0) {
        return Err(Error::new(ErrorKind::Usage, "--l2 must be a number from 0"));
    }
    let seconds = asked.max_seconds.map(Duration::try_from_secs_f64);
    let seconds = seconds
        .transpose()
        .map_err(|_| Error::new(ErrorKind::Usage, "--max-seconds must be a number from 0"))?;
    Ok(InduceOptions {
        growth: GrowthOptions {
            search: SearchOptions { beam, levels, look_ahead, min_support },
            l2,
            rules: asked.max_rules,
            inner,
            seed,
            deadline: seconds.map(|seconds| begin + seconds),
            ..GrowthOptions::default()
        },
        limits: LatticeLimits { min_support, negation: asked.negation, ..LatticeLimits::default() },
        bias: asked.bias.as_deref().map(read_text).transpose()?,
        folds: asked.folds,
        group: asked.group,
        stop: interrupt::stop(),
    })
}

fn learn(
    asked: &InduceArgs,
    data: &Path,
    dataset: &Dataset,
    options: &InduceOptions,
    common: &Common,
) -> Result<u8, Error> {
    let begin = Instant::now();
    let out = asked.out.clone().unwrap_or_else(|| free_name(&asked.data, "-induce"));
    lrnn_io::check_free(&out, "choose another with --out")?;
    let induction = induce(dataset, options)?;
    let text = induction.template();
    let template = Template::parse(&text)?;
    let own = out.join("template.lrnn");
    let path = asked.output.clone().unwrap_or_else(|| own.clone());
    let settings = Settings {
        validation: lrnn::train::Share(0.0),
        test: lrnn::train::Share(0.0),
        ..Settings::default()
    };
    let inputs = RunInputs {
        template: &own,
        data,
        validation_data: None,
        molecules: None,
        family: None,
        limits: &lrnn::Limits::default(),
        settings: &settings,
    };
    std::fs::create_dir_all(&out).map_err(|error| lrnn_io::file_error(&out, error))?;
    write_atomically(&own, text.as_bytes())?;
    if asked.output.is_some() {
        write_atomically(&path, text.as_bytes())?;
    }
    let biases: Vec<&str> = induction.goals.iter().map(|goal| goal.bias.as_str()).collect();
    write_atomically(&out.join("bias.lrnn"), biases.join("\n").as_bytes())?;
    let folder = RunFolder::create(out.clone(), &inputs)?;
    let again = read_dataset(data, &MoleculeColumns::default(), template.vocabulary.clone())?.0;
    let training = Training::new(&template, &again, &settings, TrainingOptions::default())?;
    folder.write_model(&training.model())?;
    if common.json {
        let document = InduceDocument { induction: &induction, template: &path, run: &out };
        output::print_costed(&document, &[("total", Some(begin.elapsed().as_secs_f64()))])?;
    } else {
        let mut lines = vec![text];
        lines.extend(notes(&induction));
        let clauses: u64 = induction.goals.iter().map(|goal| goal.clauses).sum();
        let seconds = begin.elapsed().as_secs_f64();
        lines.push(format!(
            "{} rules from {} clauses in {}; template: {}; run: {}",
            induction.rule_count(),
            output::count(clauses),
            duration(seconds),
            path.display(),
            out.display()
        ));
        output::print(&(lines.join("\n") + "\n"))?;
    }
    Ok(0)
}

/// Returns what a person should know of the search.
fn notes(induction: &Induction) -> Vec<String> {
    let mut notes = Vec::new();
    for goal in &induction.goals {
        if goal.rules.is_empty() {
            notes.push(format!("no rule about {} lowers the loss on inner folds", goal.head));
        }
        if goal.wide_clauses > 0 {
            notes.push(format!(
                "{} clauses were not refined, as they hold in too many ways",
                goal.wide_clauses
            ));
        }
        if goal.is_cut_short {
            notes.push("the time was up before the end: another run may find other rules".to_owned());
        }
    }
    notes
}

/// Measures the whole procedure; what the folder of the run has already is not done again.
fn crossval(
    asked: &InduceArgs,
    dataset: &Dataset,
    options: &InduceOptions,
    common: &Common,
) -> Result<u8, Error> {
    let begin = Instant::now();
    let out = asked.out.clone().unwrap_or_else(|| free_name(&asked.data, "-induce-crossval"));
    std::fs::create_dir_all(&out).map_err(|error| lrnn_io::file_error(&out, error))?;
    let path = out.join("folds.jsonl");
    let inputs = inputs_line(asked, dataset);
    let known = known_folds(&path, &inputs)?;
    let text = Mutex::new(journal_text(&inputs, &known));
    write_atomically(&path, text.lock().map(|text| text.clone()).unwrap_or_default().as_bytes())?;
    let progress = Progress::new(common);
    let done = |fold: &InducedFold| {
        let Ok(mut text) = text.lock() else { return Ok(()) };
        text.push_str(&(serde_json::to_string(fold).unwrap_or_default() + "\n"));
        progress.show(|| {
            format!("{} folds done, {}", text.lines().count() - 1, duration(begin.elapsed().as_secs_f64()))
        });
        write_atomically(&path, text.as_bytes())
    };
    let results = validate(dataset, options, &known, &done);
    progress.clear();
    let results = results?;
    let document = ValidationDocument { results: &results, run: &out };
    let json = serde_json::to_string_pretty(&document).unwrap_or_default();
    write_atomically(&out.join("results.json"), (json + "\n").as_bytes())?;
    if common.json {
        output::print_costed(&document, &[("total", Some(begin.elapsed().as_secs_f64()))])?;
        return Ok(0);
    }
    let seconds = duration(begin.elapsed().as_secs_f64());
    output::print(&format!(
        "{}\n{}{} clauses in {seconds}; run: {}\n",
        table(&results),
        summary(&results),
        output::count(results.clauses),
        out.display()
    ))?;
    Ok(0)
}

/// Returns what the folds of a run depend on.
fn inputs_line(asked: &InduceArgs, dataset: &Dataset) -> String {
    let InduceArgs {
        folds,
        group,
        inner,
        max_rules,
        beam,
        levels,
        look_ahead,
        min_support,
        l2,
        negation,
        seed,
        ..
    } = asked;
    let bias = asked.bias.as_deref().and_then(|path| read_text(path).ok());
    let fingerprint = lrnn::model::fingerprint(dataset);
    let options = format!(
        "{folds:?} {group:?} {inner} {max_rules} {beam} {levels} {look_ahead} {min_support} {l2} {negation} {seed} {bias:?}"
    );
    serde_json::json!({ "data": fingerprint, "options": options }).to_string()
}

fn journal_text(inputs: &str, known: &[InducedFold]) -> String {
    let lines = known.iter().map(|fold| serde_json::to_string(fold).unwrap_or_default());
    std::iter::once(inputs.to_owned()).chain(lines).map(|line| line + "\n").collect()
}

/// Reads the folds of a run that was stopped.
fn known_folds(path: &Path, inputs: &str) -> Result<Vec<InducedFold>, Error> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = read_text(path)?;
    let mut lines = text.lines();
    if lines.next() != Some(inputs) {
        let error = lrnn_io::file_error(path, "this run was begun with other data or options");
        return Err(error.help("choose another folder with --out"));
    }
    Ok(lines.filter_map(|line| serde_json::from_str(line).ok()).collect())
}

fn table(results: &Validation) -> String {
    let number = |value: Option<f64>, factor: f64| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{:.3}", factor * value))
    };
    let row = |name: String, scores: &lrnn_induce::FoldScores| {
        vec![
            name,
            scores.queries.to_string(),
            number(scores.accuracy, 100.0),
            number(scores.auc, 1.0),
            number(scores.average_precision, 1.0),
            number(scores.rmse, 1.0),
            format!("{:.1}", scores.rules),
        ]
    };
    let mut rows: Vec<Vec<String>> =
        results.folds.iter().map(|fold| row(fold.fold.to_string(), fold)).collect();
    rows.push(row("all".to_owned(), &results.all));
    output::table(&["fold", "queries", "accuracy", "auc", "average precision", "rmse", "rules"], &rows)
}

fn summary(results: &Validation) -> String {
    match results.accuracy {
        Some((mean, deviation)) => format!("accuracy {:.1} % ± {:.1}\n", 100.0 * mean, 100.0 * deviation),
        None => String::new(),
    }
}
