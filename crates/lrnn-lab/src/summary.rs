//! Many methods on many datasets: their table, who wins how often, and the figure.

use serde_json::{Value, json};

use crate::figure::{Series, errors_figure};
use crate::report::percent;
use crate::results::{Results, Spread};
use crate::statistics::{Wilcoxon, corrected_t_test, record, wilcoxon};
use crate::table::Table;

/// Errors that differ by no more are a tie.
const TIE: f64 = 1e-9;
/// A difference this unlikely by chance is called significant.
const SIGNIFICANT: f64 = 0.05;

/// What was found so far: by dataset and method.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The datasets, in the order of the file.
    pub datasets: Vec<String>,
    /// The methods, in the order of the file.
    pub methods: Vec<String>,
    /// By dataset and method, if it is done.
    pub found: Vec<Vec<Option<Results>>>,
}

/// One method against another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Versus {
    /// On how many datasets it has the smaller error, the same, the larger one.
    pub record: crate::statistics::Record,
    /// Whether that is more than chance, over datasets.
    pub wilcoxon: Option<Wilcoxon>,
    /// On how many datasets it is significantly better, and worse, over folds.
    pub better: usize,
    /// On how many it is significantly worse.
    pub worse: usize,
}

impl Summary {
    /// Room for what will be found.
    pub fn new(datasets: Vec<String>, methods: Vec<String>) -> Self {
        let found = vec![vec![None; methods.len()]; datasets.len()];
        Self { datasets, methods, found }
    }

    fn error(&self, dataset: usize, method: usize) -> f64 {
        let accuracy = self.found[dataset][method].as_ref().and_then(|results| results.accuracy);
        accuracy.map_or(f64::NAN, |spread| 1.0 - spread.mean)
    }

    /// The error of a method on each dataset; not a number where it is not done.
    pub fn errors(&self, method: usize) -> Vec<f64> {
        (0..self.datasets.len()).map(|dataset| self.error(dataset, method)).collect()
    }

    /// Datasets on which every method is done.
    fn complete(&self) -> Vec<usize> {
        let is_done = |&dataset: &usize| self.found[dataset].iter().all(Option::is_some);
        (0..self.datasets.len()).filter(is_done).collect()
    }

    /// Accuracies in percent, with deviations over folds; their means over the datasets that all methods have.
    pub fn table(&self) -> Table {
        let mut table = Table::new(std::iter::once("dataset").chain(self.methods.iter().map(String::as_str)));
        let cell = |results: &Option<Results>| match results.as_ref().and_then(|found| found.accuracy) {
            None => "-".to_owned(),
            Some(Spread { mean, deviation: None }) => percent(mean),
            Some(Spread { mean, deviation: Some(deviation) }) => {
                format!("{} ± {}", percent(mean), percent(deviation))
            }
        };
        for (name, found) in self.datasets.iter().zip(&self.found) {
            table.row(std::iter::once(name.clone()).chain(found.iter().map(cell)));
        }
        let complete = self.complete();
        if complete.len() > 1 {
            table.rule();
            let mean = |method: usize| {
                let errors: Vec<f64> = complete.iter().map(|&dataset| self.error(dataset, method)).collect();
                Spread::of(&errors).map_or("-".to_owned(), |spread| percent(1.0 - spread.mean))
            };
            let name = format!("mean of {}", complete.len());
            table.row(std::iter::once(name).chain((0..self.methods.len()).map(mean)));
        }
        table
    }

    /// One method against another, on the datasets that both have.
    pub fn versus(&self, method: usize, other: usize) -> Versus {
        let (own, others) = (self.errors(method), self.errors(other));
        let (mut better, mut worse) = (0, 0);
        for found in &self.found {
            let (Some(own), Some(others)) = (&found[method], &found[other]) else { continue };
            match significance(own, others) {
                Some(difference) if difference < 0.0 => better += 1,
                Some(_) => worse += 1,
                None => {}
            }
        }
        let (record, wilcoxon) = (record(&own, &others, TIE), wilcoxon(&own, &others));
        Versus { record, wilcoxon, better, worse }
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let count = self.methods.len();
        (0..count).flat_map(move |method| (method + 1..count).map(move |other| (method, other)))
    }

    /// Wins, ties and losses of every method against every later one, with tests.
    pub fn comparisons(&self) -> Table {
        let columns =
            ["method", "against", "wins", "ties", "losses", "Wilcoxon p", "sig. better", "sig. worse"];
        let mut table = Table::new(columns);
        for (method, other) in self.pairs() {
            let Versus { record, wilcoxon, better, worse } = self.versus(method, other);
            let p = wilcoxon.map_or("-".to_owned(), |test| format!("{:.4}", test.p));
            let counts = [record.wins, record.ties, record.losses].map(|count| count.to_string());
            let names = [self.methods[method].clone(), self.methods[other].clone()];
            let rest = [p, better.to_string(), worse.to_string()];
            table.row(names.into_iter().chain(counts).chain(rest));
        }
        table
    }

    /// The errors of all methods over all datasets.
    pub fn figure(&self) -> String {
        let series =
            |(method, name): (usize, &String)| Series { name: name.clone(), errors: self.errors(method) };
        let methods: Vec<Series> = self.methods.iter().enumerate().map(series).collect();
        let title = match self.datasets.len() {
            1 => "Prediction errors on 1 dataset".to_owned(),
            count => format!("Prediction errors on {count} datasets"),
        };
        errors_figure(&title, &self.datasets, &methods)
    }

    /// All of it for machines.
    pub fn json(&self) -> Value {
        let cell = |results: &Option<Results>| results.as_ref().map(Results::json);
        let row = |found: &Vec<Option<Results>>| found.iter().map(cell).collect::<Vec<_>>();
        let versus = |(method, other): (usize, usize)| {
            let Versus { record, wilcoxon, better, worse } = self.versus(method, other);
            json!({
                "method": self.methods[method], "against": self.methods[other],
                "wins": record.wins, "ties": record.ties, "losses": record.losses,
                "wilcoxon_p": wilcoxon.map(|test| test.p),
                "significantly_better": better, "significantly_worse": worse,
            })
        };
        json!({
            "datasets": self.datasets,
            "methods": self.methods,
            "results": self.found.iter().map(row).collect::<Vec<_>>(),
            "comparisons": self.pairs().map(versus).collect::<Vec<_>>(),
        })
    }
}

/// The difference of mean errors over the same folds, if the corrected resampled t-test calls it significant.
fn significance(own: &Results, others: &Results) -> Option<f64> {
    let test = t_test(own, others)?;
    (test.p < SIGNIFICANT && test.t != 0.0).then_some(test.t)
}

/// The corrected resampled t-test over the errors of the same folds.
pub fn t_test(own: &Results, others: &Results) -> Option<crate::statistics::TTest> {
    let errors = |results: &Results| {
        let error = |fold: &crate::results::FoldResult| fold.accuracy().map_or(f64::NAN, |share| 1.0 - share);
        results.folds.iter().map(error).collect::<Vec<f64>>()
    };
    let folds = own.folds.iter().filter(|fold| fold.repeat == 0).count();
    // The share of test cases over training cases, on the average over folds.
    let share = 1.0 / (folds.max(2) - 1) as f64;
    (own.folds.len() == others.folds.len()).then(|| corrected_t_test(&errors(own), &errors(others), share))?
}
