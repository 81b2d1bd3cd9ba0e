//! A service that answers one molecule at a time: the model is compiled once, each request is a few facts in memory.
//!
//! `cargo run --release -p lrnn --example service [TEMPLATE]` learns a template of Mutagenesis, then
//! answers every molecule by itself on one thread, and prints the median of the time that a request takes.
#![allow(clippy::print_stdout)] // it is a program

use std::path::Path;
use std::time::Instant;

use lrnn::data::Layout;
use lrnn::train::Optimizer;
use lrnn::{Answers, Dataset, Error, ErrorKind, Predictor, Settings, Template, fit};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/mutagenesis");

fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path)
        .map_err(|error| Error::new(ErrorKind::File, format!("{}: {error}", path.display())))
}

/// The molecules with their targets.
fn molecules(template: &Template) -> Result<Dataset, Error> {
    let mut data = template.data();
    data.text("examples.txt", &read(&Path::new(FOLDER).join("examples.txt"))?, Layout::Examples);
    let queries = read(&Path::new(FOLDER).join("queries.txt"))?;
    data.queries(&queries, lrnn::diagnostic::SourceId(0));
    data.build()
}

/// One request: the facts of a molecule, by their names, as a client would send them.
#[inline(never)] // so that a profile tells it from learning
fn request(predictor: &Predictor, molecules: &Dataset, number: usize) -> Result<Answers, Error> {
    let mut data = predictor.data();
    let (mut example, mut terms) = (data.example("request"), Vec::new());
    for table in &molecules.examples[number].tables {
        let name = &molecules.vocabulary.signature(table.predicate).name;
        for row in 0..table.rows as usize {
            terms.clear();
            terms.extend(table.row(row).iter().map(|&term| molecules.vocabulary.constant(term)));
            example = example.fact(name, &terms[..]);
        }
    }
    drop(example);
    predictor.predict(&data.build()?)
}

/// How many molecules are answered right, of how many, and the median of the milliseconds of a request.
fn serve(template: &Path) -> Result<(usize, usize, f64), Error> {
    let template = Template::parse(&read(template)?)?;
    let molecules = molecules(&template)?;
    let settings = Settings {
        optimizer: Optimizer::Lbfgs,
        learning_rate: 30.0,
        batch_size: 0,
        initialisation_scale: 5.0,
        l2: 1e-6,
        epochs: 200,
        seed: 1,
        ..Settings::default()
    };
    let predictor = fit(&template, &molecules, &settings)?.model.predictor()?;
    let (mut right, mut times) = (0, Vec::new());
    for number in 0..molecules.examples.len() {
        let start = Instant::now();
        let answers = request(&predictor, &molecules, number)?;
        times.push(1e3 * start.elapsed().as_secs_f64());
        let target = molecules.queries[number][0].target.as_ref().map(|target| usize::from(target[0] > 0.5));
        right += usize::from(answers.all[0].class == target);
    }
    times.sort_by(f64::total_cmp);
    Ok((right, times.len(), times[times.len() / 2]))
}

fn main() -> Result<(), Error> {
    let default = Path::new(FOLDER).join("template.lrnn");
    let template = std::env::args().nth(1).map_or(default, Into::into);
    let (right, all, median) = serve(&template)?;
    println!("{right} of {all} molecules answered right; median of a request: {median:.3} ms");
    Ok(())
}

#[test]
fn every_molecule_is_answered_by_itself_as_with_all_others() {
    let template =
        Template::parse(&read(&Path::new(FOLDER).join("vectors.lrnn")).expect("a file")).expect("a template");
    let molecules = molecules(&template).expect("molecules");
    let settings = Settings { epochs: 2, ..Settings::default() };
    let model = fit(&template, &molecules, &settings).expect("a model").model;
    let predictor = model.predictor().expect("a predictor");
    let together = predictor.predict(&molecules).expect("answers");
    for number in (0..molecules.examples.len()).step_by(17) {
        let alone = request(&predictor, &molecules, number).expect("an answer");
        assert!(alone.unlearned.is_empty() && alone.unknown.is_empty());
        let value = |answers: &Answers, at: usize| answers.all[at].value.clone().expect("a value").numbers[0];
        assert!((value(&alone, 0) - value(&together, number)).abs() < 1e-6);
    }
}
