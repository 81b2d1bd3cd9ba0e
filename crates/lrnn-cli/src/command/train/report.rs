//! What is said at the end.

use lrnn::function::Real;
use lrnn::model::Matched;
use lrnn::train::{End, Measure, Restart, State};
use serde_json::{Value, json};

use super::Session;
use super::watch::Watch;
use crate::args::Common;
use crate::failure::Failure;
use crate::output;

/// What became of the weights of another model.
pub fn say_matched(matched: &Matched, common: &Common) {
    if common.quiet {
        return;
    }
    let list = |names: &[String]| match names.len() {
        0 => String::new(),
        1..=8 => format!(": {}", names.join(", ")),
        _ => format!(": {}, ...", names[..8].join(", ")),
    };
    output::say(&format!("note: {} weights come from the model\n", matched.matched.len()));
    let rest = [
        ("begin anew, for the model has none of that name", &matched.missing),
        ("of the model are not used", &matched.unused),
        ("have another shape in the model and begin anew", &matched.other_shape),
    ];
    for (what, names) in rest.iter().filter(|(_, names)| !names.is_empty()) {
        output::say(&format!("note: {} {what}{}\n", names.len(), list(names)));
    }
}

/// A run that is over.
pub struct Done<'a, R> {
    pub session: &'a Session<'a>,
    pub state: &'a State<R>,
    pub best: &'a Restart<R>,
    pub watch: &'a Watch<'a>,
    /// Seconds of learning.
    pub seconds: f64,
}

impl<R: Real> Done<'_, R> {
    pub fn print(&self) -> Result<(), Failure> {
        let problem = &self.session.prepared.problem;
        let weights = self.best.weights();
        let measures =
            [("training", Some(problem.training(weights))), ("validation", problem.validation(weights))];
        let measures: Vec<(&str, Measure)> =
            measures.into_iter().filter_map(|(name, measure)| Some((name, measure?))).collect();
        if self.session.common.json { self.print_json(&measures) } else { self.print_text(&measures) }
    }

    fn is_interrupted(&self) -> bool {
        !self.state.is_finished()
    }

    fn print_json(&self, measures: &[(&str, Measure)]) -> Result<(), Failure> {
        let Session { prepared, folder, begin, .. } = self.session;
        let metrics: serde_json::Map<String, Value> = measures
            .iter()
            .map(|(name, measure)| {
                ((*name).to_owned(), json!({ "loss": measure.loss, "error": measure.error(), "wrong": measure.wrong, "answers": measure.answers }))
            })
            .collect();
        let epochs: Vec<u32> = self.state.restarts.iter().map(|restart| restart.epoch).collect();
        let document = json!({
            "model": folder.model_path().display().to_string(),
            "loss": prepared.problem.loss().name(),
            "metrics": metrics,
            "examples": { "training": prepared.split.training.len(), "validation": prepared.split.validation.len(), "test": prepared.split.test.len() },
            "unentailed": prepared.unentailed,
            "weights": prepared.problem.learnable(),
            "restart": self.best.number,
            "epochs": epochs,
            "interrupted": self.is_interrupted(),
            "neurons": crate::command::ground::counts_json(prepared.problem.networks().neurons()),
            "seconds": {
                "read": prepared.loaded.seconds, "build": prepared.build_seconds,
                "epoch_median": self.watch.epoch_median(), "learn": self.seconds, "total": begin.elapsed().as_secs_f64(),
            },
            "peak_memory_bytes": output::peak_memory_bytes(),
        });
        output::print_json(&document)?;
        Ok(())
    }

    fn print_text(&self, measures: &[(&str, Measure)]) -> Result<(), Failure> {
        let Session { prepared, folder, .. } = self.session;
        let rows: Vec<Vec<String>> = measures
            .iter()
            .map(|(name, measure)| {
                let error = format!("{:.1} %", 100.0 * measure.error());
                vec![
                    (*name).to_owned(),
                    measure.answers.to_string(),
                    format!("{:.5}", measure.loss),
                    measure.wrong.to_string(),
                    error,
                ]
            })
            .collect();
        let mut text = output::table(&["", "answers", "loss", "wrong", "error"], &rows);
        let epochs: u32 = self.state.restarts.iter().map(|restart| restart.epoch).sum();
        let end = match self.best.end {
            _ if self.is_interrupted() => "stopped before the end",
            Some(End::Until) => "the loss is as small as was asked for",
            Some(End::Patience) => "the validation loss became no smaller",
            Some(End::Converged) => "no step made the loss smaller",
            Some(End::Trouble(_)) => "the numbers grew beyond all bounds",
            Some(End::Epochs) | None => "all epochs done",
        };
        let median = self
            .watch
            .epoch_median()
            .map_or(String::new(), |median| format!(", {:.2} ms each", 1e3 * median));
        text += &format!(
            "{epochs} epochs{median}: {end}; read {:.2} s, built {:.2} s, learned {:.2} s\n",
            prepared.loaded.seconds, prepared.build_seconds, self.seconds
        );
        text += &format!("model: {}\n", folder.model_path().display());
        output::print(&text)?;
        if self.is_interrupted() {
            self.session.say(&format!("to go on: lrnn train --resume {}\n", folder.path.display()));
        }
        Ok(())
    }
}
