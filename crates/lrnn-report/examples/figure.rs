//! The figure of errors over datasets, with made-up numbers: `cargo run -p lrnn-report --example figure 75 4 > figure.svg`.
#![allow(clippy::print_stdout)] // it is a program

use lrnn_report::{Series, errors_figure};

/// A number from 0 to 1 that looks random.
fn chance(a: usize, b: usize) -> f64 {
    let mut number = (a * 1000 + b) as u64 ^ 0x9e37_79b9_7f4a_7c15;
    for _ in 0..3 {
        number = (number ^ (number >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    (number >> 11) as f64 / (1_u64 << 53) as f64
}

fn main() {
    let mut counts = std::env::args().skip(1).map(|text| text.parse().unwrap_or(0));
    let (datasets, methods) = (counts.next().unwrap_or(75), counts.next().unwrap_or(4));
    let names =
        ["LRNN, best template", "LRNN, generic template", "logistic regression", "boosted trees", "majority"];
    let name =
        |method: usize| names.get(method).map_or(format!("method {method}"), |name| (*name).to_owned());
    let error = |method: usize, dataset: usize| {
        0.22 + 0.16 * chance(99, dataset) + 0.015 * method as f64 + 0.05 * chance(method, dataset)
    };
    let series = |method| Series {
        name: name(method),
        errors: (0..datasets).map(|dataset| error(method, dataset)).collect(),
    };
    let all: Vec<Series> = (0..methods).map(series).collect();
    let labels: Vec<String> =
        (0..datasets).map(|number| format!("CELL_{}_{number}", number * 37 % 101)).collect();
    print!("{}", errors_figure(&format!("Prediction errors on {datasets} datasets"), &labels, &all));
}
