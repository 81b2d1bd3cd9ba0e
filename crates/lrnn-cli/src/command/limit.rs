//! How many answers any weights leave wrong.

use lrnn::ground::{Limits, Plans, Statistics};
use lrnn::network::{BuildOptions, Network, Networks, Schedule};
use lrnn::train::{Loss, Unentailed, least_wrong};

use crate::failure::{Failure, TEXT};
use crate::load::Loaded;

/// One network of some examples, equal neurons merged; none without an example.
pub fn together(loaded: &Loaded, examples: &[usize], limits: &Limits) -> Result<Option<Network>, Failure> {
    let (template, dataset) = (&loaded.template, &loaded.dataset);
    let schedule = Schedule::new(template).map_err(|error| Failure::new(TEXT, error.to_string()))?;
    let plans = Plans::new(template, &Statistics::of(dataset));
    let (options, chunk) = (BuildOptions::default(), [examples.to_vec()]);
    let networks = Networks::build_chunks(template, &schedule, dataset, &plans, limits, options, &chunk)
        .map_err(|error| loaded.ground_failure(&error))?;
    Ok(networks.networks.into_iter().next())
}

/// The fewest wrong answers to the queries of some examples, which become one network for it; none where the loss
/// knows no classes.
pub fn of_template(
    loaded: &Loaded,
    examples: &[usize],
    limits: &Limits,
    loss: Loss,
    unentailed: Unentailed,
) -> Result<Option<u32>, Failure> {
    let (template, dataset) = (&loaded.template, &loaded.dataset);
    let network = together(loaded, examples, limits)?;
    Ok(network.and_then(|network| least_wrong(template, dataset, &network, examples, loss, unentailed)))
}

/// What is said of it.
pub fn sentence(least: Option<u32>, answers: u32) -> String {
    match least {
        None => "what any weights leave wrong is not known: this loss has no classes\n".to_owned(),
        Some(0) => "the template can tell all answers apart that should differ\n".to_owned(),
        Some(least) => format!(
            "no weights answer fewer than {least} of {answers} wrong: the template cannot tell these examples apart\n"
        ),
    }
}
