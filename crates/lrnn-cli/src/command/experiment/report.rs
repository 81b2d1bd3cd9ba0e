//! What is said and written of an experiment.

use std::path::Path;
use std::time::Instant;

use lrnn_io::{IoError, Method, write_atomically};
use lrnn_lab::baseline::Baseline;
use lrnn_lab::{Results, Summary, percent};
use serde_json::json;

use crate::args::Common;
use crate::failure::Failure;
use crate::output;
use crate::progress::duration;

pub const RESULTS: &str = "results.json";

/// Each template with each baseline on its features, by their numbers.
pub fn rivals(methods: &[Method]) -> Vec<(usize, usize)> {
    let has_features = |method: &Method| {
        let baseline = method.baseline.as_deref().map(Baseline::find);
        baseline.and_then(Result::ok).is_some_and(|baseline| baseline.needs_features)
    };
    let pairs = (0..methods.len()).flat_map(|own| (0..methods.len()).map(move |other| (own, other)));
    let is_rival = |&(own, other): &(usize, usize)| {
        let (own, other) = (&methods[own], &methods[other]);
        own.baseline.is_none() && has_features(other) && own.template == other.template
    };
    pairs.filter(is_rival).collect()
}

/// A template that its own rule bodies, merely counted, do as well as.
fn unbeaten(summary: &Summary, rivals: &[(usize, usize)]) -> String {
    let mut text = String::new();
    for &(own, other) in rivals {
        let record = summary.versus(own, other).record;
        let (not_beaten, all) = (record.ties + record.losses, record.wins + record.ties + record.losses);
        if not_beaten > 0 {
            let (own, other) = (&summary.methods[own], &summary.methods[other]);
            text += &format!(
                "{own} does not beat {other}, counts of its own rule bodies, on {not_beaten} of {all} datasets\n"
            );
        }
    }
    text
}

/// Writes all that was found so far.
pub fn write(summary: &Summary, rivals: &[(usize, usize)], out: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(out)
        .map_err(|error| IoError::new(out, format!("cannot make the folder: {error}")))?;
    let (table, comparisons) = (summary.table(), summary.comparisons());
    let files = [
        (RESULTS, format!("{:#}\n", summary.json())),
        ("results.txt", format!("{}\n{}{}", table.text(), comparisons.text(), unbeaten(summary, rivals))),
        ("results.csv", table.csv()),
        ("results.tex", table.latex()),
        ("comparisons.csv", comparisons.csv()),
        ("comparisons.tex", comparisons.latex()),
        ("figure.svg", summary.figure()),
    ];
    for (name, text) in files {
        write_atomically(&out.join(name), text.as_bytes())?;
    }
    Ok(())
}

/// What is done, a line for each.
pub struct Progress<'a> {
    common: &'a Common,
    datasets: usize,
    /// By method: how many datasets are done, how many of them were not in their journals, and the seconds of these.
    methods: Vec<(usize, usize, f64)>,
}

/// What is in its journal takes less than this.
const AT_ONCE: f64 = 2.0;

impl<'a> Progress<'a> {
    pub fn new(datasets: usize, methods: usize, common: &'a Common) -> Self {
        Self { common, datasets, methods: vec![(0, 0, 0.0); methods] }
    }

    /// How long what is left should take, if a dataset takes a method as long as those before.
    fn left(&self) -> f64 {
        let left = |(done, fresh, seconds): &(usize, usize, f64)| {
            seconds / (*fresh).max(1) as f64 * (self.datasets - done) as f64
        };
        self.methods.iter().map(left).sum()
    }

    pub fn done(&mut self, method: usize, place: &str, results: &Results, start: Instant) {
        let seconds = start.elapsed().as_secs_f64();
        let (done, fresh, all_seconds) = &mut self.methods[method];
        *done += 1;
        if seconds > AT_ONCE {
            *fresh += 1;
            *all_seconds += seconds;
        }
        if self.common.quiet || self.common.json {
            return;
        }
        let accuracy = results.accuracy.map_or("-".to_owned(), |spread| percent(spread.mean));
        let done: usize = self.methods.iter().map(|(done, ..)| done).sum();
        let all = self.datasets * self.methods.len();
        let left = match self.left() {
            0.0 => String::new(),
            seconds => format!(", about {} left", duration(seconds)),
        };
        output::say(&format!("{place}: {accuracy} % in {seconds:.1} s; {done} of {all} done{left}\n"));
    }
}

pub fn print(
    summary: &Summary,
    rivals: &[(usize, usize)],
    out: &Path,
    is_whole: bool,
    begin: Instant,
    common: &Common,
) -> Result<(), Failure> {
    write(summary, rivals, out)?;
    let seconds = begin.elapsed().as_secs_f64();
    if common.json {
        let mut document = summary.json();
        document["interrupted"] = json!(!is_whole);
        document["run"] = json!(out.display().to_string());
        document["seconds"] = json!({ "total": seconds });
        document["peak_memory_bytes"] = json!(output::peak_memory_bytes());
        output::print_json(&document)?;
        return Ok(());
    }
    let mut text = format!("{}\n", summary.table().text());
    if summary.methods.len() > 1 {
        text += &format!("{}\n", summary.comparisons().text());
    }
    text += &unbeaten(summary, rivals);
    text += &format!("run: {}\n", out.display());
    output::print(&text)?;
    if !is_whole && !common.quiet {
        output::say("stopped before the end; the same command goes on\n");
    }
    Ok(())
}
