//! The figure of errors over datasets, drawn from a table of accuracies in percent such as the `results.csv` of an experiment:
//! `cargo run -p lrnn-report --example figure experiments/results/errors.csv > errors.svg`.
#![allow(clippy::print_stdout)] // it is a program

use lrnn_report::{Series, errors_figure};

/// Reads the error that a cell such as `75.4 ± 1.3` leaves; not a number where there is none.
fn error(cell: &str) -> f64 {
    let percent = cell.split_whitespace().next().and_then(|number| number.parse::<f64>().ok());
    percent.map_or(f64::NAN, |percent| 1.0 - percent / 100.0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a table, such as experiments/results/errors.csv")?;
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = rows.next().ok_or("the table has no heading")?;
    let rows: Vec<_> = rows.filter(|row| row.len() == head.len() && !row[0].starts_with("mean of")).collect();
    let labels: Vec<String> = rows.iter().map(|row| row[0].to_owned()).collect();
    let series = |method: usize| Series {
        name: head[method].to_owned(),
        errors: rows.iter().map(|row| error(row[method])).collect(),
    };
    let methods: Vec<Series> = (1..head.len()).map(series).collect();
    print!(
        "{}",
        errors_figure(&format!("Prediction errors on {} datasets", labels.len()), &labels, &methods)
    );
    Ok(())
}
