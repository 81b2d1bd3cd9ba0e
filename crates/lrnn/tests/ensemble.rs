//! An ensemble is the mean of its members: learned, saved, asked, explained and resumed as such.

use lrnn::train::{Count, NoObserver, Optimizer};
use lrnn::{Answers, Dataset, ErrorKind, Model, Settings, Template, Training, TrainingOptions, fit};

/// Latent groups of elements: random starts end in different places.
const TEMPLATE: &str = "g[T, G] :: group(A, G) :- element(A, T), is_group(G). \
    c[G, H] :: toxic :- group(A, G), bond(A, B), group(B, H). is_group(1). is_group(2). is_group(3).";

fn molecules(template: &Template) -> Dataset {
    let mut data = template.data();
    let elements = ["c", "n", "o", "cl", "f"];
    for number in 0..20_usize {
        let pick = |step: usize| elements[(number * step + step) % elements.len()];
        let mut example = data.example(&format!("m{number}"));
        for (at, element) in ["x", "y", "z"].into_iter().zip([pick(1), pick(2), pick(3)]) {
            example = example.fact("element", (at, element));
        }
        for (from, to) in [("x", "y"), ("y", "z")] {
            example = example.fact("bond", (from, to)).fact("bond", (to, from));
        }
        let toxic = f64::from(u8::from(pick(1) == "cl" || pick(2) == "f"));
        example.target(toxic, "toxic", ());
    }
    data.build().expect("data")
}

fn settings(restarts: u32, ensemble: u32) -> Settings {
    Settings {
        optimizer: Optimizer::Adam,
        learning_rate: 0.05,
        epochs: 30,
        restarts: Count(restarts),
        ensemble: Count(ensemble),
        evaluate: Count(5),
        seed: 7,
        ..Settings::default()
    }
}

fn values(answers: &Answers) -> Vec<f64> {
    answers.all.iter().flat_map(|answer| answer.value.iter()).map(|value| value.numbers[0]).collect()
}

/// The members of a model, each as a model of its own.
fn members(model: &Model) -> Vec<Model> {
    let alone = |weights: &_| Model { weights: Clone::clone(weights), members: Vec::new(), ..model.clone() };
    std::iter::once(&model.weights).chain(&model.members).map(alone).collect()
}

#[test]
fn an_ensemble_is_the_mean_of_the_best_restarts() {
    let template = Template::parse(TEMPLATE).expect("a template");
    let data = molecules(&template);
    let fitted = fit(&template, &data, &settings(5, 3)).expect("a fit");
    let alone = members(&fitted.model);
    assert_eq!(alone.len(), 3);
    let each: Vec<Vec<f64>> =
        alone.iter().map(|model| values(&model.predict(&data).expect("answers"))).collect();
    assert!(each[0] != each[1] && each[1] != each[2], "members differ");
    let answers = fitted.model.predict(&data).expect("answers");
    for (at, value) in values(&answers).into_iter().enumerate() {
        let mean = each.iter().map(|values| values[at]).sum::<f64>() / 3.0;
        assert!((value - mean).abs() < 1e-12, "{value} is not {mean}");
    }
    let (training, told) = (&fitted.scores[0].1.measure, answers.scores().measure);
    assert!((training.loss - told.loss).abs() < 1e-9 && training.wrong == told.wrong);
    // The members are those whose best loss is the least, the best first.
    let best = |restart| {
        let epochs = fitted.history.iter().filter(|epoch| epoch.restart == restart);
        epochs.filter_map(|epoch| epoch.training).map(|measure| measure.loss).fold(f64::INFINITY, f64::min)
    };
    let mut losses: Vec<f64> = (0..5).map(best).collect();
    losses.sort_by(f64::total_cmp);
    for (model, least) in alone.iter().zip(losses) {
        let loss = model.predict(&data).expect("answers").scores().measure.loss;
        assert!((loss - least).abs() < 1e-6, "{loss} is not {least}");
    }
    let only = fit(&template, &data, &settings(5, 1)).expect("a fit").model;
    assert_eq!((only.weights, only.members.len()), (fitted.model.weights, 0));
}

#[test]
fn an_ensemble_is_saved_and_read_again() {
    let template = Template::parse(TEMPLATE).expect("a template");
    let data = molecules(&template);
    let model = fit(&template, &data, &settings(2, 2)).expect("a fit").model;
    let bytes = model.to_bytes().expect("bytes");
    let again = Model::from_bytes(&bytes).expect("a model");
    assert_eq!(again, model);
    assert_eq!(
        values(&again.predict(&data).expect("answers")),
        values(&model.predict(&data).expect("answers"))
    );
}

#[test]
fn contributions_to_an_ensemble_are_means_and_add_up() {
    let template = Template::parse(TEMPLATE).expect("a template");
    let data = molecules(&template);
    let model = fit(&template, &data, &Settings { precision: lrnn::model::Precision::F64, ..settings(3, 3) });
    let model = model.expect("a fit").model;
    let told = values(&model.predict(&data).expect("answers"));
    let alone: Vec<_> =
        members(&model).iter().map(|model| model.explain(&data).expect("explanations")).collect();
    for (at, explained) in model.explain(&data).expect("explanations").iter().enumerate() {
        let found = &explained.contributions;
        assert!((found.value - told[at]).abs() < 1e-12);
        assert!((found.baseline + found.sum - found.value).abs() < 1e-12);
        for constant in &found.constants {
            let of = |explained: &Vec<lrnn::program::AtomExplanation>| {
                let constants = &explained[at].contributions.constants;
                constants.iter().find(|it| it.constant == constant.constant).map_or(0.0, |it| it.contribution)
            };
            let mean = alone.iter().map(of).sum::<f64>() / 3.0;
            assert!((constant.contribution - mean).abs() < 1e-12);
        }
    }
}

#[test]
fn an_ensemble_that_is_resumed_has_the_same_bytes() {
    let template = Template::parse(TEMPLATE).expect("a template");
    let data = molecules(&template);
    let settings = settings(3, 2);
    let whole = fit(&template, &data, &settings).expect("a fit").model;
    let begin =
        || Training::new(&template, &data, &settings, TrainingOptions::default()).expect("a training");
    let mut first = begin();
    first.advance(12, &NoObserver);
    let checkpoint = first.checkpoint().expect("a checkpoint");
    let mut second = begin();
    second.resume(&checkpoint).expect("resumed");
    second.advance(100, &NoObserver);
    second.advance(1, &NoObserver);
    assert!(second.is_finished());
    assert_eq!(second.finish().expect("a fit").model.to_bytes(), whole.to_bytes());
}

#[test]
fn an_ensemble_needs_as_many_restarts() {
    let template = Template::parse(TEMPLATE).expect("a template");
    let data = molecules(&template);
    let mut settings = settings(1, 1);
    settings.set("ensemble", "3").expect("a setting");
    assert_eq!(fit(&template, &data, &settings).expect("a fit").model.members.len(), 2);
    settings.set("restarts", "2").expect("a setting");
    let error = fit(&template, &data, &settings).expect_err("too few restarts");
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(error.to_string().contains("an ensemble of 3 cannot come from 2 restarts"), "{error}");
}
