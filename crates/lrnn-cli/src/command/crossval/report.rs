//! What is said at the end.

use std::fmt::Write;

use lrnn_lab::baseline::Baseline;
use lrnn_lab::{FoldResult, Results, Study, percent, sentences, spread_text, t_test};
use serde_json::{Value, json};

use super::folder::Folder;
use crate::args::Common;
use crate::command::report::Made;
use crate::failure::Failure;
use crate::{interrupt, output};

/// Seconds of reading, of learning, and of everything.
pub struct Times {
    pub read: f64,
    pub learn: f64,
    pub total: f64,
}

/// A run that was stopped: what is done stays.
pub fn interrupted(folder: &Folder, common: &Common) -> Result<u8, Failure> {
    let path = folder.path.display().to_string();
    if common.json {
        output::print_json(&json!({ "interrupted": true, "run": path }))?;
    } else if !common.quiet {
        output::say(&format!("stopped before the end; to go on: lrnn crossval --resume {path}\n"));
    }
    Ok(interrupt::exit_code())
}

/// What was found: the study, and baselines on the same folds.
pub struct Found<'a> {
    pub study: &'a Study<'a>,
    pub results: &'a Results,
    pub rivals: &'a [(&'static Baseline, Results)],
}

pub fn print(
    found: &Found<'_>,
    folder: &Folder,
    times: &Times,
    made: Option<&Made>,
    common: &Common,
) -> Result<(), Failure> {
    let Found { study, results, rivals } = *found;
    if common.json {
        let mut document = results.json();
        document["interrupted"] = json!(false);
        document["run"] = json!(folder.path.display().to_string());
        if !rivals.is_empty() {
            document["baselines"] = rivals.iter().map(|rival| rival_json(results, rival)).collect();
        }
        document["report"] = json!(made.map(Made::json));
        document["trials"] = json!(study.trials.len());
        document["seconds"] = json!({ "read": times.read, "learn": times.learn, "total": times.total });
        document["peak_memory_bytes"] = json!(output::peak_memory_bytes());
        output::print_json(&document)?;
    } else {
        let mut text = table(study, results);
        text += &format!("\n{}\n", sentences(study, results).join("\n"));
        text += &rivals_text(results, rivals);
        let _ = writeln!(text, "read {:.2} s, learned {:.2} s", times.read, times.learn);
        let _ = writeln!(text, "run: {}", folder.path.display());
        text += &made.map(Made::text).unwrap_or_default();
        output::print(&text)?;
    }
    Ok(())
}

/// Its name, whether it is shown, and its cells.
type Column<'a> = (&'a str, bool, &'a dyn Fn(&FoldResult) -> String);

/// A row for each fold.
fn table(study: &Study<'_>, results: &Results) -> String {
    let (has_seeds, has_choice) = (study.plan.repeats > 1, study.trials.len() > 1);
    let has_epochs = study.trials.iter().any(|trial| trial.settings.patience > 0);
    let has_inner = results.folds.iter().any(|fold| fold.chosen.error.is_some());
    let share = |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{} %", percent(share)));
    let columns: [Column<'_>; 8] = [
        ("seed", has_seeds, &|fold| fold.seed.to_string()),
        ("fold", true, &|fold| fold.fold.to_string()),
        (study.cases.name(), true, &|fold| fold.cases.to_string()),
        ("chosen", has_choice, &FoldResult::choice),
        ("epochs", has_epochs, &|fold| fold.chosen.epochs.to_string()),
        ("inner error", has_inner, &|fold| share(fold.chosen.error)),
        ("accuracy", true, &|fold| share(fold.accuracy())),
        ("auc", true, &|fold| fold.auc.map_or("-".to_owned(), |auc| format!("{auc:.4}"))),
    ];
    let shown: Vec<_> = columns.iter().filter(|(_, is_shown, _)| *is_shown).collect();
    let head: Vec<&str> = shown.iter().map(|(name, ..)| *name).collect();
    let row = |fold| shown.iter().map(|(.., cell)| cell(fold)).collect();
    let rows: Vec<Vec<String>> = results.folds.iter().map(row).collect();
    output::table(&head, &rows)
}

fn rival_json(results: &Results, (baseline, rival): &(&'static Baseline, Results)) -> Value {
    let mut value = rival.json();
    value["name"] = json!(baseline.name);
    value["t_test_p"] = json!(t_test(results, rival).map(|test| test.p));
    value["is_beaten"] = json!(is_beaten(results, rival));
    value
}

fn is_beaten(results: &Results, rival: &Results) -> Option<bool> {
    Some(results.accuracy?.mean > rival.accuracy?.mean)
}

/// Baselines on the same folds; if one is as good, it is said.
fn rivals_text(results: &Results, rivals: &[(&'static Baseline, Results)]) -> String {
    let mut text = String::new();
    for (baseline, rival) in rivals {
        let p = t_test(results, rival).map_or(String::new(), |test| format!(", p = {:.3}", test.p));
        let _ = writeln!(text, "baseline {}: {}{p}", baseline.name, spread_text(rival.accuracy));
    }
    for (baseline, _) in rivals.iter().filter(|(_, rival)| is_beaten(results, rival) == Some(false)) {
        let what = match baseline.needs_features {
            true => "counts of the template's own rule bodies answer",
            false => "the most frequent class answers",
        };
        let _ = writeln!(text, "the template does not beat {}: {what} as well", baseline.name);
    }
    text
}
