//! `lrnn predict MODEL DATA`: the answers of a model to the queries of data.

use std::time::Instant;

use lrnn::Answers;
use lrnn::diagnostic::printable;
use lrnn_io::{MoleculePurpose, MoleculeTable, TargetColumn};
use lrnn_report::{PredictedTable, PredictedTarget, Predictions};

use crate::args::{Common, ModelDataArgs, PredictArgs};
use crate::failure::Error;
use crate::load::{ModelInput, unentailed};
use crate::output;

/// The stages of answering with their seconds.
pub type AnswerSeconds = [(&'static str, Option<f64>); 2];

/// Answers the queries of data, and tells what is outside the model or was never learned.
pub fn answers(
    asked: &ModelDataArgs,
    is_streamed: bool,
    purpose: MoleculePurpose,
    common: &Common,
) -> Result<(ModelInput, Answers, AnswerSeconds), Error> {
    let applied = ModelInput::read(asked, is_streamed, purpose, common)?;
    let start = Instant::now();
    let mut meaning = applied.predictor.meaning();
    if let Some(text) = &asked.unentailed {
        meaning.unentailed = unentailed(text)?;
    }
    let answers = applied.predictor.predict_as(&applied.dataset, meaning)?;
    output::say_notes(answers.notes()?, common);
    let seconds = [("read", Some(applied.seconds)), ("compute", Some(start.elapsed().as_secs_f64()))];
    Ok((applied, answers, seconds))
}

pub fn run(predict: &PredictArgs, common: &Common) -> Result<u8, Error> {
    let (applied, answers, seconds) =
        answers(&predict.asked, predict.stream, MoleculePurpose::Prediction, common)?;
    let predictions = Predictions::of(&answers).some()?;
    let molecules = applied.table.as_ref();
    let targets = molecules.map(predicted_targets).unwrap_or_default();
    let table = molecules.map(|table| PredictedTable {
        columns: &table.columns,
        rows: &table.rows,
        targets: &targets,
    });
    let beside = || table.map_or_else(|| predictions.csv(), |table| predictions.csv_beside(table));
    let csv = predict.csv.then(beside);
    output::print_result(common, &predictions, &seconds, csv, || printable(&predictions.text(table)))
}

/// Returns what is asked of a table of molecules.
pub fn predicted_targets(table: &MoleculeTable) -> Vec<PredictedTarget> {
    let target = |column: &TargetColumn| PredictedTarget {
        name: column.name.clone(),
        classes: column.classes.clone(),
        properties: column.properties(),
    };
    table.used.targets.iter().map(target).collect()
}
