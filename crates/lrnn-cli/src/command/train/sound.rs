//! Whether there is something to learn, and what is suspicious about it.

use std::path::Path;

use lrnn::data::Dataset;
use lrnn::diagnostic::{Diagnostic, did_you_mean};
use lrnn::model::Precision;
use lrnn::network::Networks;
use lrnn::template::{Start, Template, Weight};
use lrnn::train::{Settings, Split, Unentailed};

use crate::args::{Common, LearningFlags};
use crate::command::outside::Outside;
use crate::failure::{Failure, NUMBERS, TEXT, USAGE};
use crate::load::Loaded;
use crate::output;

/// Whether there is something to learn from.
pub fn check(dataset: &Dataset, split: &Split, path: &Path) -> Result<(), Failure> {
    let path = path.display();
    if dataset.examples.is_empty() {
        return Err(Failure::new(TEXT, format!("{path}: there are no examples")));
    }
    let has_target = |example: &usize| dataset.queries[*example].iter().any(|query| query.target.is_some());
    if !split.training.iter().any(has_target) {
        let failure =
            Failure::new(TEXT, format!("{path}: no query has a target, so there is nothing to learn"));
        return Err(failure.help("write targets before queries: 1.0 toxic."));
    }
    Ok(())
}

/// Whether every weight that should not learn is one of the template.
pub fn check_frozen(template: &Template, settings: &Settings, flags: &LearningFlags) -> Result<(), Failure> {
    let names: Vec<&str> = template.weights.iter().filter_map(|weight| weight.name.as_deref()).collect();
    let Some(unknown) = settings.freeze.0.iter().find(|name| !names.contains(&name.as_str())) else {
        return Ok(());
    };
    let is_flag = flags.given.iter().any(|(name, _)| *name == "freeze");
    let failure =
        Failure::new(if is_flag { USAGE } else { TEXT }, format!("freeze: no weight is called `{unknown}`"));
    let help = did_you_mean(unknown, names.iter().copied()).unwrap_or_else(|| match &names[..] {
        [] => "the template names no weight: `w = 0.5 :: head :- body.` names one".to_owned(),
        names => format!("there are {}", names[..names.len().min(10)].join(", ")),
    });
    Err(failure.help(help))
}

/// Whether every weight can be written in the precision of learning.
pub fn check_precision(loaded: &Loaded, precision: Precision) -> Result<(), Failure> {
    let is_lost = |weight: &&Weight| match &weight.start {
        Start::Values(numbers) => numbers.iter().any(|&number| !(number as f32).is_finite()),
        Start::Random => false,
    };
    match loaded.template.weights.iter().find(is_lost) {
        Some(weight) if precision == Precision::F32 => {
            let message = "this weight is no finite number in single precision";
            let diagnostic = Diagnostic::error("N0102", weight.span, message);
            Err(Failure::at(NUMBERS, &diagnostic.help("--precision f64 has larger numbers"), &loaded.sources))
        }
        _ => Ok(()),
    }
}

/// A part that was asked for may be too small for even one example.
pub fn say_empty_parts(settings: &Settings, split: &Split, common: &Common) {
    let parts =
        [("validation", settings.validation.0, &split.validation), ("test", settings.test.0, &split.test)];
    for (name, share, _) in parts.iter().filter(|(_, share, part)| *share > 0.0 && part.is_empty()) {
        if !common.quiet {
            output::say(&format!("note: {share} of the examples are less than one: there is no {name}\n"));
        }
    }
}

/// One target only can be learned, but there is nothing to tell it from.
pub fn say_one_class(dataset: &Dataset, split: &Split, common: &Common) {
    let queries = split.training.iter().flat_map(|&example| &dataset.queries[example]);
    let mut targets = queries.filter_map(|query| query.target.as_ref());
    let Some(first) = targets.next() else { return };
    let mut others = targets.peekable();
    if !common.quiet && first.len() == 1 && others.peek().is_some() && others.all(|target| target == first) {
        output::say(&format!("note: every target is {}: there is one class only\n", first[0]));
    }
}

/// How many queries are not in the model; an error if that is what they are.
pub fn count_unentailed(
    loaded: &Loaded,
    networks: &Networks,
    chunks: &[Vec<usize>],
    settings: &Settings,
    common: &Common,
) -> Result<usize, Failure> {
    let mut missing = Vec::new();
    let mut all = 0;
    for (chunk, network) in chunks.iter().zip(&networks.networks) {
        let queries = chunk.iter().flat_map(|&example| {
            (0..loaded.dataset.queries[example].len()).map(move |query| (example, query))
        });
        for (number, place) in queries.enumerate() {
            all += 1;
            if !network.is_entailed(number) {
                missing.push(place);
            }
        }
    }
    missing.sort_unstable();
    let Some(outside) = Outside::new(&loaded.dataset, &missing, all) else { return Ok(0) };
    if settings.unentailed == Unentailed::Error {
        return Err(outside.failure());
    }
    if missing.len() == all {
        let help = "no rule reaches them with this data: `lrnn query` shows what follows from it";
        return Err(Failure::new(TEXT, outside.message).help(help));
    }
    outside.say(settings.unentailed, ", and give no gradient", common);
    Ok(missing.len())
}
