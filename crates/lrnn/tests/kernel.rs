//! The readout `kernel`: values are those of the kernel, weights of each query give them, and models keep them.

use lrnn::data::Layout;
use lrnn::model::Precision;
use lrnn::train::{Loss, Readout};
use lrnn::{Answers, Dataset, ErrorKind, Model, Settings, Template, fit};

const TEMPLATE: &str = ":- family(neuralogic). :- rule_activation(product-identity). \
    w[T, #] = 0 :: elements :- *element(X, T). elements/0 [activation = identity]. \
    v[T, U] = 0 :: pairs :- *element(X, T), *bond(X, Y), *element(Y, U). [aggregation = sum] \
    pairs/0 [activation = identity]. \
    toxic :- elements. toxic :- pairs. b = 0 :: toxic. toxic/0 [activation = identity].";

const MOLECULES: [(&str, &[&str], f64); 6] = [
    ("m0", &["c", "c", "o"], 0.0),
    ("m1", &["c", "cl", "c"], 1.0),
    ("m2", &["c", "c", "c"], 0.0),
    ("m3", &["cl", "c"], 1.0),
    ("m4", &["o", "c", "n"], 0.0),
    ("m5", &["n", "cl"], 1.0),
];

fn data(template: &Template) -> Dataset {
    let mut data = template.data();
    for (name, elements, target) in MOLECULES {
        let mut example = data.example(name);
        for (at, element) in elements.iter().enumerate() {
            example = example.fact("element", (at as i64, *element));
            if at > 0 {
                let (before, at) = (at as i64 - 1, at as i64);
                example = example.fact("bond", (before, at)).fact("bond", (at, before));
            }
        }
        example.target(target, "toxic", ());
    }
    data.build().expect("data")
}

fn settings() -> Settings {
    Settings { readout: Readout::Kernel, l2: 0.01, precision: Precision::F64, ..Settings::default() }
}

fn values(answers: &Answers) -> Vec<f64> {
    answers.all.iter().flat_map(|answer| answer.value.iter()).map(|value| value.numbers[0]).collect()
}

/// Returns how alike two molecules are, counted by hand.
fn alike(left: &[&str], right: &[&str]) -> f64 {
    let pairs = |elements: &[&str]| -> Vec<String> {
        let both = |pair: &[&str]| [format!("{} {}", pair[0], pair[1]), format!("{} {}", pair[1], pair[0])];
        elements.windows(2).flat_map(both).collect()
    };
    let jaccard = |left: Vec<String>, right: Vec<String>| {
        let mut rest = right.clone();
        let common = left
            .iter()
            .filter(|it| rest.iter().position(|other| other == *it).map(|at| rest.remove(at)).is_some());
        let common = common.count() as f64;
        common / (left.len() as f64 + right.len() as f64 - common)
    };
    let own = |elements: &[&str]| elements.iter().map(|it| (*it).to_owned()).collect();
    0.5 * (jaccard(own(left), own(right)) + jaccard(pairs(left), pairs(right)))
}

/// Returns the multiplier of each molecule: at the optimum it is the error of its answer over the regularisation, which
/// tells whose it is.
fn multipliers(model: &Model, told: &[f64]) -> Vec<f64> {
    let of = |(molecule, value): (&(&str, &[&str], f64), &f64)| {
        let expected = (molecule.2 - 1.0 / (1.0 + (-value).exp())) / (0.01 * 6.0);
        let distance = |multiplier: &f64| (multiplier - expected).abs();
        let all = model.supports.iter().map(|support| support.multiplier);
        let nearest = all.min_by(|a, b| distance(a).total_cmp(&distance(b))).expect("a support");
        assert!(distance(&nearest) < 1e-2, "{expected} {nearest}");
        nearest
    };
    MOLECULES.iter().zip(told).map(of).collect()
}

#[test]
fn values_are_sums_of_how_alike_training_examples_are() {
    let template = Template::parse(TEMPLATE).expect("a template");
    let data = data(&template);
    let fitted = fit(&template, &data, &settings()).expect("a fit");
    let model = &fitted.model;
    assert_eq!(model.supports.len(), 6);
    let offset = model.weights.iter().find(|weight| weight.name == "b").expect("b").numbers[0];
    let told = values(&model.predict(&data).expect("answers"));
    let multipliers = multipliers(model, &told);
    for (molecule, value) in MOLECULES.iter().zip(&told) {
        let terms = MOLECULES.iter().zip(&multipliers);
        let sum: f64 = terms.map(|(other, multiplier)| multiplier * alike(molecule.1, other.1)).sum();
        assert!((offset + sum - value).abs() < 1e-9, "{} {value}", offset + sum);
    }
    assert_eq!(fitted.scores[0].1.measure.wrong, 0);
    let scores = model.predict(&data).expect("answers").scores().measure;
    assert!((scores.loss - fitted.scores[0].1.measure.loss).abs() < 1e-9);
}

#[test]
fn what_no_training_example_has_makes_less_alike() {
    let template = Template::parse(TEMPLATE).expect("a template");
    let data = data(&template);
    let model = fit(&template, &data, &settings()).expect("a fit").model;
    let offset = model.weights.iter().find(|weight| weight.name == "b").expect("b").numbers[0];
    let multipliers = multipliers(&model, &values(&model.predict(&data).expect("answers")));
    let mut request = model.predictor().expect("a predictor").data();
    let new = "element(x, c), element(y, br), element(z, br), bond(x, y), bond(y, x).\n";
    request.text("new", new, Layout::Examples);
    let told = values(&model.predict(&request.build().expect("data")).expect("answers"))[0];
    let alike = |other: &[&str]| {
        let common = f64::from(u8::from(other.contains(&"c")));
        0.5 * common / (3.0 + other.len() as f64 - common)
    };
    let terms = MOLECULES.iter().zip(&multipliers);
    let sum: f64 = terms.map(|(other, multiplier)| multiplier * alike(other.1)).sum();
    assert!((offset + sum - told).abs() < 1e-9, "{} {told}", offset + sum);
}

#[test]
fn a_model_by_a_kernel_is_saved_and_read_again() {
    let template = Template::parse(TEMPLATE).expect("a template");
    let data = data(&template);
    let model = fit(&template, &data, &settings()).expect("a fit").model;
    let again = Model::from_bytes(&model.to_bytes().expect("bytes")).expect("a model");
    assert_eq!(again, model);
    let told = |model: &Model| values(&model.predict(&data).expect("answers"));
    assert_eq!(told(&again), told(&model));
}

#[test]
fn contributions_add_up_to_the_value() {
    let template = Template::parse(TEMPLATE).expect("a template");
    let data = data(&template);
    let model = fit(&template, &data, &settings()).expect("a fit").model;
    let told = values(&model.predict(&data).expect("answers"));
    let explained = model.explain(&data).expect("explanations");
    assert_eq!(explained.len(), told.len());
    for (explained, value) in explained.iter().zip(told) {
        let found = &explained.contributions;
        assert!((found.value - value).abs() < 1e-9, "{} {value}", found.value);
        assert!((found.baseline + found.sum - found.value).abs() < 1e-9);
        assert!(found.constants.iter().any(|constant| constant.contribution != 0.0));
    }
}

#[test]
fn the_readout_needs_a_linear_template_with_an_index_and_logits() {
    let check = |text: &str, expected: &str| {
        let template = Template::parse(text).expect("a template");
        let mut data = template.data();
        data.text("data", "1 p :- q(a).\n0 p :- q(b), q(a).\n", Layout::Examples);
        let error = fit(&template, &data.build().expect("data"), &settings()).expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::Content);
        assert!(error.to_string().contains(expected), "{error}");
    };
    const LINEAR: &str =
        ":- family(neuralogic). :- rule_activation(product-identity). p/0 [activation = identity].";
    check(&format!("{LINEAR} w = 0 :: p :- *q(X)."), "needs weights with an index");
    check("w[X] :: p :- q(X).", "loss `logits`");
    let squared = "w[X] = 0 :: s :- *q(X). s/0 [activation = tanh]. p :- s.";
    check(&format!("{LINEAR} {squared}"), "linear in its indexed weights");
}

#[test]
fn regularisation_that_nobody_named_is_chosen_and_told() {
    let template = Template::parse(TEMPLATE).expect("a template");
    let data = data(&template);
    let fitted = fit(&template, &data, &Settings { l2: 0.0, ..settings() }).expect("a fit");
    let notes: Vec<&String> = fitted.notes.iter().filter(|note| note.contains("l2")).collect();
    assert!(notes.len() == 1 && notes[0].ends_with("was chosen within the training queries"), "{notes:?}");
    let named = fit(&template, &data, &settings()).expect("a fit");
    assert!(!named.notes.iter().any(|note| note.contains("was chosen within")));
}

#[test]
fn several_classes_are_told_apart_each_from_the_others() {
    let template = Template::parse(
        ":- family(neuralogic). :- rule_activation(product-identity). label(0). label(1). label(2). \
        w[L, T, #] = 0 :: class(L) :- *label(L), *element(_, T). class/1 [activation = identity].",
    )
    .expect("a template");
    let mut data = template.data();
    for (name, elements, _) in MOLECULES {
        let class = if elements.contains(&"cl") { 2 } else { i64::from(elements.contains(&"o")) };
        let mut example = data.example(name);
        for (number, element) in elements.iter().enumerate() {
            example = example.fact("element", (number as i64, *element));
        }
        for label in 0..3 {
            example = example.target(f64::from(u8::from(label == class)), "class", (label,));
        }
    }
    let data = data.build().expect("data");
    let settings = Settings { loss: Some(Loss::Softmax), ..settings() };
    let fitted = fit(&template, &data, &settings).expect("a fit");
    assert_eq!((fitted.scores[0].1.measure.wrong, fitted.scores[0].1.measure.answers), (0, 6));
}
