//! The cross-validation of learned rules as text.

use lrnn_induce::{FoldScores, Validation};
use lrnn_report::table::columns;

/// Returns a row for each fold and one for all answers, and the accuracy over the folds where there is one.
pub fn validation_text(results: &Validation) -> String {
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
    let row = |name: String, scores: &FoldScores| {
        let percent = scores.accuracy.map(|share| 100.0 * share);
        let figures = [percent, scores.auc, scores.average_precision, scores.rmse].map(number);
        let names = [name, scores.queries.to_string()];
        names.into_iter().chain(figures).chain([format!("{:.1}", scores.rules)]).collect()
    };
    let mut rows: Vec<Vec<String>> =
        results.folds.iter().map(|fold| row(fold.fold.to_string(), fold)).collect();
    rows.push(row("all".to_owned(), &results.all));
    let head = ["fold", "queries", "accuracy", "auc", "average precision", "rmse", "rules"];
    let mut text = columns(&head, &rows) + "\n";
    if let Some((mean, deviation)) = results.accuracy {
        text += &format!("accuracy {:.1} % ± {:.1}\n", 100.0 * mean, 100.0 * deviation);
    }
    results.notes().iter().for_each(|note| text += &format!("{note}\n"));
    text
}
