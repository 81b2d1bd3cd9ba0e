//! What to say when numbers grew beyond all bounds.

use lrnn::diagnostic::printable;
use lrnn::function::Real;
use lrnn::model::{Model, Weight};
use lrnn::network::Weights;
use lrnn::train::{Restart, State, Trouble, Where};

use super::prepare::Prepared;
use crate::args::Common;
use crate::command::evaluate::first_not_finite;
use crate::failure::{Failure, NUMBERS};
use crate::output;

const HELP: &str = "a smaller --learning-rate, --gradient-clip, or other functions keep numbers in bounds; \
    the model has the last good weights";

/// Gives a failure where every restart met trouble, else a note for each that did.
pub fn all_failed<R: Real>(prepared: &Prepared, state: &State<R>) -> Result<(), Failure> {
    let troubles: Vec<(&Restart<R>, Trouble)> = state.troubles().collect();
    if troubles.len() == state.restarts.len() {
        return Err(failure(prepared, troubles[0].0, troubles[0].1));
    }
    for (restart, trouble) in troubles {
        output::say(&format!("note: restart {}: {}\n", restart.number, sentence(prepared, trouble)));
    }
    Ok(())
}

/// A weight beyond this was most likely not meant.
const LARGE: f64 = 1e6;

/// Says so if a learned weight is very large.
pub fn say_large(model: &Model, common: &Common) {
    let size = |weight: &Weight| weight.numbers.iter().fold(0.0, |most: f64, number| most.max(number.abs()));
    let Some(largest) = model.weights.iter().max_by(|a, b| size(a).total_cmp(&size(b))) else { return };
    if size(&largest) > LARGE && !common.quiet {
        let (name, size) = (largest.full_name(), size(&largest));
        let note =
            format!("note: the weight {name} has become {size:.3e}: the learning rate is likely too large\n");
        output::say(&printable(&note));
    }
}

fn sentence(prepared: &Prepared, trouble: Trouble) -> String {
    let example = trouble.example.map_or(String::new(), |example| {
        format!(" in example {}", prepared.loaded.dataset.example_name(example))
    });
    let what = match trouble.place {
        Where::Value => "a value",
        Where::Gradient => "the gradient",
        Where::Weight => "a weight",
    };
    format!("{what} is no finite number in epoch {}{example}", trouble.epoch)
}

fn failure<R: Real>(prepared: &Prepared, restart: &Restart<R>, trouble: Trouble) -> Failure {
    let sentence = sentence(prepared, trouble);
    let (loaded, problem) = (&prepared.loaded, &prepared.problem);
    let mut weights = Weights::new(prepared.settings.seed);
    for ((weight, index), range) in problem.networks().parameters.iter() {
        let numbers = restart.lost[range].iter().map(|number| number.to_f64()).collect();
        weights.set(*weight, index, numbers);
    }
    // The reference network tells which neuron was the first.
    let examples = trouble.example.map_or(0..loaded.dataset.examples.len().min(100), |at| at..at + 1);
    let mut found = examples.filter_map(|example| first_not_finite::<R>(loaded, &weights, example));
    match found.next() {
        Some(failure) => failure.before(&sentence).help(HELP),
        None => Failure::new(NUMBERS, sentence).help(HELP),
    }
}
