//! Checks of what learning is given and of what it gives: errors where it cannot go on, notes where it can.

use super::Program;
use crate::data::Dataset;
use crate::diagnostic::{Diagnostic, Error, ErrorKind, did_you_mean, listed};
use crate::model::{self, Model, Precision};
use crate::template::{self, Start};
use crate::train::{Cases, Loss, Optimizer, Readout, Settings, Split, Unentailed};

/// Checks that there is something to learn from, and notes what is suspicious about it.
pub(super) fn check(
    program: &Program,
    dataset: &Dataset,
    cases: Cases,
    split: &Split,
    settings: &Settings,
    notes: &mut Vec<String>,
) -> Result<(), Error> {
    if dataset.examples.is_empty() {
        return Err(Error::new(ErrorKind::Content, "there are no examples").about_data());
    }
    let parts =
        [("validation", settings.validation.0, &split.validation), ("test", settings.test.0, &split.test)];
    for (name, share, _) in parts.iter().filter(|(_, share, part)| *share > 0.0 && part.is_empty()) {
        notes.push(format!("{share} of the {} are less than one: there is no {name}", cases.name()));
    }
    let queries = || split.training.iter().flat_map(|&case| cases.queries(dataset, case));
    let mut targets = queries().filter_map(|query| query.target.as_ref());
    let Some(first) = targets.next() else {
        if dataset.queries.iter().flatten().all(|query| query.target.is_none()) {
            return Err(no_target("learn"));
        }
        let message = format!(
            "nothing is left to learn from: of the {} with targets {} are for the test and {} for validation",
            cases.name(),
            split.test.len(),
            split.validation.len()
        );
        return Err(Error::new(ErrorKind::Usage, message).help("a smaller share of the test leaves some"));
    };
    let mut others = targets.peekable();
    if first.len() == 1 && others.peek().is_some() && others.all(|target| target == first) {
        notes.push(format!("every target is {}: there is one class only", first[0]));
    }
    check_targets(dataset, settings)?;
    check_sampling(dataset, settings)?;
    check_template_settings(program, settings)
}

/// Checks that a loss of probabilities has targets that are some: of others there is always a better weight, and none is best.
pub fn check_targets(dataset: &Dataset, settings: &Settings) -> Result<(), Error> {
    let most = match settings.loss {
        Some(Loss::Logits | Loss::CrossEntropy) => 1.0,
        Some(Loss::Softmax) => f64::INFINITY,
        _ => return Ok(()),
    };
    let queries = dataset.queries.iter().flatten().filter_map(|query| Some((query, query.target.as_ref()?)));
    let mut others = queries.filter_map(|(query, target)| {
        Some((query, *target.iter().find(|number| !(0.0..=most).contains(*number))?))
    });
    let (Some(loss), Some((query, number))) = (settings.loss, others.next()) else { return Ok(()) };
    let message = format!("the loss {loss} takes targets for probabilities, and one is {number}");
    let diagnostic = Diagnostic::error("D0210", query.span, message)
        .help("the loss squared comes close to any numbers, and is what is chosen if none is named");
    Err(Error::of(ErrorKind::Content, vec![diagnostic], &dataset.sources))
}

/// Checks that there is one example to take batches of queries from, and nothing that needs all queries at once.
fn check_sampling(dataset: &Dataset, settings: &Settings) -> Result<(), Error> {
    if !settings.is_sampled() {
        return Ok(());
    }
    let name = sampling_name(settings);
    let refuse = |message: String, help: &str| Err(Error::new(ErrorKind::Usage, message).help(help));
    let examples = dataset.examples.len();
    match () {
        () if examples > 1 => refuse(
            format!("{name}: batches of queries are for data that is one example, and this has {examples}"),
            "--batch-size counts examples",
        ),
        () if settings.optimizer.needs_all() => refuse(
            format!("{name}: the optimizer {} needs the same loss in every step", settings.optimizer),
            "--optimizer adam does not",
        ),
        () if settings.readout == Readout::Kernel => refuse(
            format!("{name}: the readout kernel compares all training queries with each other"),
            "--readout weights learns from batches",
        ),
        () => Ok(()),
    }
}

/// Returns the name of the setting that asks for batches of queries.
fn sampling_name(settings: &Settings) -> &'static str {
    if settings.batch_queries > 0 { "batch_queries" } else { "sampled_neighbours" }
}

/// Returns the error of batches of queries where there cannot be any.
pub(super) fn no_sampling(settings: &Settings, who: &str) -> Result<(), Error> {
    if !settings.is_sampled() {
        return Ok(());
    }
    let message = format!("{}: {who} learns from whole networks", sampling_name(settings));
    Err(Error::new(ErrorKind::Usage, message)
        .help("`lrnn train` in one process learns from batches of queries"))
}

/// Returns the error of data without a target, so that there is nothing to learn or to test.
pub fn no_target(action: &str) -> Error {
    let message = format!("no query has a target, so there is nothing to {action}");
    Error::new(ErrorKind::Content, message).help("write targets before queries: 1.0 toxic.").about_data()
}

/// Checks that the settings fit the template, and that networks are learned from whole.
pub fn check_settings(program: &Program, settings: &Settings) -> Result<(), Error> {
    no_sampling(settings, "cross-validation")?;
    check_template_settings(program, settings)
}

/// Checks that the settings fit the template: names of frozen weights, numbers that the precision can hold.
fn check_template_settings(program: &Program, settings: &Settings) -> Result<(), Error> {
    let template = program.template();
    if settings.dropout.0 > 0.0 && settings.optimizer.needs_all() {
        let message =
            format!("dropout: the optimizer {} needs the same loss in every step", settings.optimizer);
        return Err(Error::new(ErrorKind::Usage, message).help("--optimizer adam does not"));
    }
    let names: Vec<&str> = template.weights.iter().filter_map(|weight| weight.name.as_deref()).collect();
    if let Some(unknown) = settings.freeze.0.iter().find(|name| !names.contains(&name.as_str())) {
        let error = Error::new(ErrorKind::Usage, format!("freeze: no weight is called `{unknown}`"));
        let help = did_you_mean(unknown, names.iter().copied()).unwrap_or_else(|| match &names[..] {
            [] => "the template names no weight: `w = 0.5 :: head :- body.` names one".to_owned(),
            names => format!("there are {}", names[..names.len().min(10)].join(", ")),
        });
        return Err(error.help(help));
    }
    let (ensemble, restarts) = (settings.ensemble.0, settings.restarts.0);
    if ensemble > restarts {
        let message = format!("an ensemble of {ensemble} cannot come from {restarts} restarts");
        return Err(Error::new(ErrorKind::Usage, message).help("--restarts must be at least as large"));
    }
    let is_lost = |weight: &&template::Weight| match &weight.start {
        Start::Values(numbers) => numbers.iter().any(|&number| !(number as f32).is_finite()),
        Start::Random => false,
    };
    match template.weights.iter().find(is_lost) {
        Some(weight) if settings.precision == Precision::F32 => {
            let message = "this weight is no finite number in single precision";
            let diagnostic =
                Diagnostic::error("N0102", weight.span, message).help("--precision f64 has larger numbers");
            Err(Error::of(ErrorKind::Numbers, vec![diagnostic], program.sources()))
        }
        _ => Ok(()),
    }
}

/// Returns a note about queries outside the model, if there are such, or an error if that is what they are.
pub(super) fn outside(
    facts: &Dataset,
    missing: &[(usize, usize)],
    all: usize,
    unentailed: Unentailed,
) -> Result<Option<String>, Error> {
    let Some(message) = outside_message(facts, missing, all) else { return Ok(None) };
    let refuse = |message, help: &str| Err(Error::new(ErrorKind::Content, message).help(help));
    let what = match unentailed {
        Unentailed::Error => {
            return refuse(message, "`--unentailed skip` leaves them out, `--unentailed 0` takes them for 0");
        }
        _ if missing.len() == all => {
            return refuse(
                message,
                "no rule reaches them with this data: `lrnn query` shows what follows from it",
            );
        }
        Unentailed::Value(value) => format!("they count as {value}"),
        Unentailed::Skip => "they are left out".to_owned(),
    };
    Ok(Some(format!("{message}; {what}, and give no gradient")))
}

/// Returns a sentence about queries outside the model, at these places, of so many; none if there is none.
pub fn outside_message(dataset: &Dataset, places: &[(usize, usize)], all: usize) -> Option<String> {
    const NAMED: usize = 3;
    let name = |&(example, query): &(usize, usize)| {
        let query = &dataset.queries[example][query];
        let atom = dataset.vocabulary.atom_text(query.predicate, &query.terms);
        format!("{atom} in example {}", dataset.example_name(example))
    };
    let named: Vec<String> = places.iter().take(NAMED + 1).map(name).collect();
    let (count, named) = (places.len(), listed(&named, NAMED));
    (count > 0).then(|| format!("{count} of {all} queries are not in the model: {named}"))
}

/// Returns a note if a weight is so large that it was most likely not meant.
pub(super) fn large_weight(model: &Model, settings: &Settings) -> Option<String> {
    const LARGE: f64 = 1e6;
    let size =
        |weight: &model::ModelWeight| weight.numbers.iter().fold(0.0, |most: f64, n| most.max(n.abs()));
    let largest = model.weights.iter().max_by(|a, b| size(a).total_cmp(&size(b)))?;
    (size(&largest) > LARGE).then(|| {
        let (name, size) = (largest.full_name(), size(&largest));
        let why = match settings.optimizer {
            // Their steps fit the slope: what grows so is bounded by nothing, or weighs tiny values.
            Optimizer::Lbfgs | Optimizer::Newton if settings.learning_rate <= 1.0 => {
                "nothing bounds it, which more L2 regularisation does, or it weighs very small values, which `scale` makes larger"
            }
            _ => "the learning rate is likely too large",
        };
        format!("the weight {name} has become {size:.3e}: {why}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Template;

    #[test]
    fn a_large_weight_is_told_with_what_bounds_it() {
        let template = Template::parse("2000000 :: g :- q.").expect("a template");
        let mut data = template.data();
        data.example("a").fact("q", ()).target(1.0, "g", ());
        let data = data.build().expect("data");
        let notes = |optimizer| {
            let settings = Settings { epochs: 1, learning_rate: 0.1, optimizer, ..Settings::default() };
            crate::fit(&template, &data, &settings).expect("a fit").notes.join("\n")
        };
        let plain = notes(Optimizer::Sgd);
        assert!(plain.contains("has become 2.000e6: the learning rate is likely too large"), "{plain}");
        let fitted = notes(Optimizer::Lbfgs);
        assert!(fitted.contains("L2 regularisation") && !fitted.contains("learning rate is"), "{fitted}");
    }
}
