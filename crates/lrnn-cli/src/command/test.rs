//! `lrnn test MODEL DATA`: how well a model answers the queries of data.

use std::path::Path;

use lrnn::Dataset;
use lrnn::model::fingerprint;
use lrnn::program::no_target;
use lrnn::train::Cases;
use lrnn_io::{MoleculePurpose, RunFolder};
use lrnn_report::TestReport;

use super::predict::{answers, predicted_targets};
use crate::args::{Common, TestArgs};
use crate::failure::Error;
use crate::output;

pub fn run(test: &TestArgs, common: &Common) -> Result<u8, Error> {
    let (applied, answers, seconds) = answers(&test.asked, false, MoleculePurpose::Scoring, common)?;
    if answers.answered().is_empty() {
        let error = no_target("test");
        return Err(match &applied.table {
            None => error,
            Some(table) => {
                let names: Vec<&str> = table.used.targets.iter().map(|it| it.name.as_str()).collect();
                let (names, columns) = (names.join(", "), table.columns.join(", "));
                error.help(format!("the model answers {names}; the columns of this table are {columns}"))
            }
        });
    }
    let (program, dataset) = (applied.predictor.program(), &applied.dataset);
    let all: Vec<usize> = (0..dataset.examples.len()).collect();
    let least = || program.least_wrong(dataset, &all, answers.loss, answers.unentailed);
    let least = if test.least_wrong { Some(least()?) } else { None };
    let is_known = applied.model.fingerprint == fingerprint(dataset);
    let learned = if is_known { learned_cases(&test.asked.model, dataset) } else { 0 };
    if is_known {
        let (all, what) = (Cases::of(dataset).count(dataset), Cases::of(dataset).name());
        output::say_notes([format!("the model learned from {learned} of these {all} {what}")], common);
    }
    let targets = applied.table.as_ref().map(predicted_targets).unwrap_or_default();
    let report = TestReport::new(&answers, least.flatten(), learned).with_targets(&answers, &targets);
    output::print_result(common, &report, &seconds, None, || report.text(least))
}

/// Returns how many cases of the data it was given a model learned from, or chose its weights by: all, unless its run
/// says otherwise.
fn learned_cases(model: &Path, dataset: &Dataset) -> usize {
    let all = Cases::of(dataset).count(dataset);
    RunFolder::read_split(model).map_or(all, |split| split.training.len() + split.validation.len())
}
