//! Results as files for other programs: CSV, and a table for LaTeX with the package booktabs.

use std::fmt::Write;

use lrnn::Error;

use crate::crossval::Study;
use crate::record::FoldRecord;
use crate::results::{FoldResult, Results, Spread};
use crate::table::{csv_cell, tex_text};

/// A share as a percentage, without the sign.
pub fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

fn number(number: Option<f64>) -> String {
    number.map_or_else(String::new, |number| format!("{number:?}"))
}

impl Results {
    /// A line for each fold.
    pub fn csv(&self) -> String {
        let mut out =
            String::from("seed,fold,cases,chosen,epochs,inner_error,wrong,answers,accuracy,loss,auc\n");
        for fold in &self.folds {
            let _ = writeln!(
                out,
                "{},{},{},{},{},{},{},{},{},{},{}",
                fold.seed,
                fold.fold,
                fold.cases,
                csv_cell(&fold.choice()),
                fold.chosen.epochs,
                number(fold.chosen.error),
                fold.wrong,
                fold.answers,
                number(fold.accuracy()),
                number(Some(fold.loss)),
                number(fold.auc),
            );
        }
        out
    }

    /// A table for LaTeX; it needs the package booktabs.
    pub fn tex(&self) -> String {
        let mut out = String::from(
            "\\begin{tabular}{rrlrrr}\n\\toprule\nseed & fold & chosen & inner error & accuracy & AUC \\\\\n\\midrule\n",
        );
        for fold in &self.folds {
            let _ = writeln!(out, "{}", tex_row(fold));
        }
        let spread = |spread: Option<Spread>| match spread {
            None => "--".to_owned(),
            Some(Spread { mean, deviation: None }) => percent(mean),
            Some(Spread { mean, deviation: Some(deviation) }) => {
                format!("${} \\pm {}$", percent(mean), percent(deviation))
            }
        };
        let _ = writeln!(
            out,
            "\\midrule\n & & mean & & {} & {} \\\\\n\\bottomrule\n\\end{{tabular}}",
            spread(self.accuracy),
            spread(self.auc)
        );
        out
    }
}

fn tex_row(fold: &FoldResult) -> String {
    let share = |share: Option<f64>| share.map_or_else(|| "--".to_owned(), percent);
    format!(
        "{} & {} & {} & {} & {} & {} \\\\",
        fold.seed,
        fold.fold,
        tex_text(&fold.choice()),
        share(fold.chosen.error),
        share(fold.accuracy()),
        share(fold.auc)
    )
}

/// The values of all test cases, each from the fold in which it was not learned from; a line for each number.
pub fn predictions_csv(study: &Study<'_>, records: &[FoldRecord]) -> Result<String, Error> {
    let mut out = String::from("seed,fold,example,query,target,value\n");
    for repeat in 0..study.plan.repeats {
        let own = records.iter().filter(|record| record.repeat == repeat);
        for (fold, record) in study.folds(repeat)?.0.iter().zip(own) {
            let trial = &study.trials[(record.chosen.trial as usize).min(study.trials.len() - 1)];
            let dataset = study.variants[trial.variant].dataset;
            for (&case, answers) in fold.test.iter().zip(record.values()) {
                let label = csv_cell(&study.cases.label(dataset, case));
                for (query, value) in study.cases.queries(dataset, case).iter().zip(&answers) {
                    let atom = csv_cell(&dataset.vocabulary.atom_text(query.predicate, &query.terms));
                    let target = query.target.as_deref().unwrap_or(&[]);
                    let length = value.as_ref().map_or(target.len().max(1), Vec::len);
                    for at in 0..length {
                        // One target is for all elements.
                        let target = target.get(at).or(target.first()).copied();
                        let value = value.as_ref().map(|value| value[at]);
                        let (target, value) = (number(target), number(value));
                        let (seed, fold) = (study.seed(repeat), fold.number);
                        let _ = writeln!(out, "{seed},{fold},{label},{atom},{target},{value}");
                    }
                }
            }
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_need_it_are_in_quotes() {
        assert_eq!(csv_cell("plain"), "plain");
        assert_eq!(csv_cell("a, \"b\""), "\"a, \"\"b\"\"\"");
    }

    #[test]
    fn what_latex_reads_is_escaped() {
        assert_eq!(
            tex_text("max_sigmoid 5 % {\\^~}"),
            "max\\_sigmoid 5 \\% \\{\\textbackslash{}\\textasciicircum{}\\textasciitilde{}\\}"
        );
    }
}
