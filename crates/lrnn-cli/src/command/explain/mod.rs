//! `lrnn explain MODEL DATA [--example NAME]`: why a model gives its values.

mod one;
mod summary;
mod text;

use crate::args::{Common, Explain};
use crate::failure::Error;
use crate::load;

use super::study::Study;

pub fn run(explain: &Explain, common: &Common) -> Result<u8, Error> {
    let study = Study::new(&explain.asked.model, Some(&explain.asked.data), common)?;
    let limits = load::limits(&explain.asked.limits, &study.loaded.config);
    match &explain.example {
        Some(name) => one::run(&study, explain, study.example(name)?, &limits, common),
        None if study.loaded.dataset.examples.len() == 1 => one::run(&study, explain, 0, &limits, common),
        None => summary::run(&study, explain, &limits, common),
    }
}
