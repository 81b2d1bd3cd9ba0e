//! What is said at the end.

use lrnn::evaluate::Metric;
use lrnn::function::Real;
use lrnn::model::Matched;
use lrnn::train::{Answered, End, Restart, State};
use serde_json::{Map, Value, json};

use super::Session;
use super::watch::Watch;
use crate::args::Common;
use crate::command::limit;
use crate::command::report::Made;
use crate::failure::Failure;
use crate::output;
use lrnn_lab::Scores;

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
    /// How well the test examples are answered, if there are any.
    pub test: Option<Scores>,
    /// How many training answers any weights leave wrong, if that was asked.
    pub least: Option<Option<u32>>,
    pub watch: &'a Watch<'a>,
    /// Seconds of learning.
    pub seconds: f64,
    /// The report, if there is one.
    pub report: Option<&'a Made>,
}

impl<R: Real> Done<'_, R> {
    pub fn print(self) -> Result<(), Failure> {
        let problem = &self.session.prepared.problem;
        let weights = self.best.weights();
        // Examples may weigh differently, which the problem knows.
        let of =
            |measure, answered: Vec<Answered>| Scores { measure, ..Scores::of(problem.loss(), &answered) };
        let mut parts = vec![("training", of(problem.training(weights), problem.training_answers(weights)))];
        if let Some(measure) = problem.validation(weights) {
            parts.push(("validation", of(measure, problem.validation_answers(weights))));
        }
        let Self { session, state, best, test, least, watch, seconds, report } = self;
        parts.extend(test.map(|test| ("test", test)));
        let ending = Ending { session, state, best, least, watch, seconds, report, parts };
        if session.common.json { ending.print_json() } else { ending.print_text() }
    }
}

/// What is printed of it.
struct Ending<'a, R> {
    session: &'a Session<'a>,
    state: &'a State<R>,
    best: &'a Restart<R>,
    least: Option<Option<u32>>,
    watch: &'a Watch<'a>,
    seconds: f64,
    report: Option<&'a Made>,
    /// Training, validation and test, as far as there are such examples.
    parts: Vec<(&'static str, Scores)>,
}

impl<R: Real> Ending<'_, R> {
    fn is_interrupted(&self) -> bool {
        !self.state.is_finished()
    }

    fn print_json(&self) -> Result<(), Failure> {
        let Session { prepared, folder, begin, .. } = self.session;
        let metrics: Map<String, Value> =
            self.parts.iter().map(|(name, scores)| ((*name).to_owned(), part_json(scores))).collect();
        let epochs: Vec<u32> = self.state.restarts.iter().map(|restart| restart.epoch).collect();
        let document = json!({
            "model": folder.model_path().display().to_string(),
            "report": self.report.map(Made::json),
            "loss": self.parts[0].1.measure.loss,
            "loss_function": prepared.problem.loss().name(),
            "metrics": metrics,
            "least_wrong": self.least.flatten(),
            "examples": { "training": prepared.split.training.len(), "validation": prepared.split.validation.len(), "test": prepared.split.test.len() },
            "unentailed": prepared.unentailed,
            "weights": prepared.problem.learnable(),
            "restart": self.best.number,
            "epochs": epochs,
            "interrupted": self.is_interrupted(),
            "neurons": crate::command::ground::counts_json(prepared.problem.networks().neurons()),
            "seconds": {
                "read": prepared.loaded.seconds,
                // Examples are grounded and built in one go, so that a grounding can be dropped at once.
                "ground": null, "build": prepared.build_seconds,
                "epoch_median": self.watch.epoch_median(), "learn": self.seconds, "total": begin.elapsed().as_secs_f64(),
            },
            "peak_memory_bytes": output::peak_memory_bytes(),
        });
        output::print_json(&document)?;
        Ok(())
    }

    fn print_text(&self) -> Result<(), Failure> {
        let Session { prepared, folder, .. } = self.session;
        let mut text = self.table();
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
        if let Some(least) = self.least {
            text += &format!("training: {}", limit::sentence(least, self.parts[0].1.measure.answers));
        }
        text += &format!("model: {}\n", folder.model_path().display());
        text += &self.report.map(Made::text).unwrap_or_default();
        output::print(&text)?;
        if self.is_interrupted() {
            self.session.say(&format!("to go on: lrnn train --resume {}\n", folder.path.display()));
        }
        Ok(())
    }

    /// A row for each part; the metric that suits the targets stands last.
    fn table(&self) -> String {
        let has = |metric: &Metric| self.parts.iter().any(|(_, scores)| scores.report.get(*metric).is_some());
        let extra = [Metric::Auc, Metric::ClassAccuracy, Metric::RSquared].into_iter().find(has);
        let row = |(name, scores): &(&str, Scores)| {
            let measure = &scores.measure;
            let mut row = vec![
                (*name).to_owned(),
                measure.answers.to_string(),
                format!("{:.5}", measure.loss),
                measure.wrong.to_string(),
                format!("{:.1} %", 100.0 * measure.error()),
            ];
            let number =
                |metric| scores.report.get(metric).map_or("-".to_owned(), |found| format!("{found:.4}"));
            row.extend(extra.map(number));
            row
        };
        let rows: Vec<Vec<String>> = self.parts.iter().map(row).collect();
        let mut head = vec!["", "answers", "loss", "wrong", "error"];
        head.extend(extra.map(Metric::name));
        output::table(&head, &rows)
    }
}

fn part_json(scores: &Scores) -> Value {
    let measure = &scores.measure;
    let mut part = scores.metrics_json();
    part.insert("loss".to_owned(), json!(measure.loss));
    part.insert("error".to_owned(), json!(measure.error()));
    part.insert("wrong".to_owned(), json!(measure.wrong));
    part.insert("answers".to_owned(), json!(measure.answers));
    Value::Object(part)
}
