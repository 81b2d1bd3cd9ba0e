//! `lrnn ground TEMPLATE DATA`: counts, plans, or the ground rules themselves.

use std::sync::atomic::Ordering;
use std::time::Instant;

use lrnn::diagnostic::printable;
use lrnn::network::NeuronCounts;
use lrnn_report::{GroundReport, PlanReport};

use crate::args::{Common, GroundArgs};
use crate::failure::Error;
use crate::load::{ProgramInput, load};
use crate::output;
use crate::progress::with_progress;

pub fn run(ground: &GroundArgs, common: &Common) -> Result<u8, Error> {
    let paths = (&*ground.template, ground.data.as_deref());
    let loaded = load(paths, &ground.columns.columns(), &ground.options, &ground.limits, common)?;
    let ProgramInput { program, dataset, seconds: read, .. } = &loaded;
    if ground.plan {
        let report = PlanReport::new(program, dataset);
        return output::print_result(common, &report, &[], None, || printable(&report.text()));
    }
    let start = Instant::now();
    let results = with_progress(common, "grounding example", dataset.examples.len(), |done| {
        program.for_each_grounding(dataset, |_, grounding| {
            let clauses = ground.rules.then(|| program.clauses(&dataset.vocabulary, grounding));
            done.fetch_add(1, Ordering::Relaxed);
            (NeuronCounts::of(grounding), clauses)
        })
    });
    let report = GroundReport::new(dataset, results?);
    let seconds = start.elapsed().as_secs_f64();
    output::print_result(common, &report, &[("read", Some(*read)), ("ground", Some(seconds))], None, || {
        let memory = output::peak_memory_bytes();
        let memory =
            memory.map_or(String::new(), |peak| format!(", {} of memory", output::bytes(peak as f64)));
        let (text, examples) = (report.text(common.verbose), output::numbered(report.examples, "example"));
        format!("{text}{examples}: read in {read:.3} s, grounded in {seconds:.3} s{memory}\n")
    })
}
