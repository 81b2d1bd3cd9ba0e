//! What a model keeps, and what becomes of it in another template.

mod hostile;

use super::*;
use crate::data::{Dataset, DatasetBuilder, Layout};
use crate::diagnostic::SourceId;
use crate::ground::fit;
use crate::network::{Parameters, Weights};
use crate::template::Template;

const TEMPLATE: &str = "\
w[T] :: p(X) :- q(X, T).
0.5 :: p(X) :- 0.25 :: r(X), <0.75> :: s(X). [offset = 0.125]
'rule 2' :: p(X) :- r(X), r(X).
v = {2} :: t(X) :- r(X).
0.1 :: r(a).
";
const DATA: &str = "1 p(a) :- q(a, c), q(a, 'Odd [\\'] name'), q(a, 1), s(a).\n0 p(b) :- q(b, c), r(b).\n";

fn dataset(template: &Template, data: &str) -> Dataset {
    let mut builder = DatasetBuilder::new(template.vocabulary.clone());
    builder.examples(data, SourceId(0), Layout::Examples);
    builder.finish().expect("data without mistakes")
}

/// A template and data that fit, and the parameters of all indexes.
struct Case {
    template: Template,
    dataset: Dataset,
    parameters: Parameters,
}

fn case(text: &str, data: &str) -> Case {
    use crate::ground::{Limits, Plans, Statistics};
    use crate::network::{BuildOptions, Networks, Schedule};
    let template = Template::parse(text).expect("a template without mistakes");
    let dataset = dataset(&template, data);
    let template = fit(&template, &dataset, false).0.expect("a template that fits");
    let plans = Plans::new(&template, &Statistics::of(&dataset));
    let schedule = Schedule::new(&template).expect("shapes that fit");
    let (limits, options) = (Limits::default(), BuildOptions::default());
    let chunks: Vec<Vec<usize>> = (0..dataset.examples.len()).map(|example| vec![example]).collect();
    let networks = Networks::build_chunks(&template, &schedule, &dataset, &plans, &limits, options, &chunks)
        .expect("networks");
    Case { template, dataset, parameters: networks.parameters }
}

impl Case {
    fn values(&self, weights: &Weights) -> Vec<f64> {
        self.parameters.values(&self.template, &self.dataset.vocabulary, weights)
    }

    fn weights(&self, weights: &Weights) -> WeightList {
        let values = self.values(weights);
        Model::weights_of(&self.template, &self.dataset.vocabulary, &self.parameters, &values)
    }

    fn apply(&self, model: &Model, weights: &mut Weights) -> WeightMatch {
        model.apply(&self.template, &self.dataset.vocabulary, &self.parameters, weights)
    }
}

fn model(case: &Case, precision: Precision) -> Model {
    Model {
        sources: vec![
            ("t.lrnn".into(), TEMPLATE.into()),
            ("more/a b.lrnn".into(), "% \"nothing\"\n\u{1}".into()),
        ],
        family: Some("godel".into()),
        weights: case.weights(&Weights::new(3)),
        members: vec![case.weights(&Weights::new(4)), case.weights(&Weights::new(5))],
        supports: vec![
            Support { multiplier: -0.1, uses: vec![(0, 1.0), (2, 0.5)] },
            Support { multiplier: 3.0, uses: Vec::new() },
        ],
        settings: BTreeMap::from([("epochs".into(), "10".into())]),
        queries: vec!["p".into()],
        relations: vec![RelationSummary {
            name: "q r".into(),
            shape: None,
            rows: 1.5,
            distinct: vec![1.0, 0.25],
        }],
        precision,
        version: "0.1.0".into(),
        fingerprint: fingerprint(&case.dataset),
        notes: BTreeMap::from([("accuracy".into(), "0.9".into()), (String::new(), "no key".into())]),
    }
}

fn names(weights: &WeightList) -> Vec<String> {
    weights.iter().map(|weight| weight.full_name()).collect()
}

/// Changes the weights of a model.
fn edit(model: &mut Model, change: impl FnOnce(&mut Vec<ModelWeight>)) {
    let mut weights: Vec<ModelWeight> = model.weights.iter().collect();
    change(&mut weights);
    model.weights = weights.into_iter().collect();
}

fn first_numbers(model: &Model) -> Vec<f64> {
    model.weights.get(0).expect("a weight").numbers
}

#[test]
fn every_weight_has_a_name_of_its_own() {
    let found = names(&case(TEMPLATE, DATA).weights(&Weights::new(0)));
    let expected = [
        "rule 2",
        "rule 2 input 1",
        "offset of rule 2",
        "'rule 2'",
        "v",
        "fact 1",
        "w[c]",
        r"w['Odd [\'] name']",
        "w[1]",
    ];
    let mut offsets: Vec<&String> = found.iter().filter(|name| name.starts_with("offset of")).collect();
    assert_eq!(offsets.remove(0), "offset of rule 2");
    let others: Vec<&str> = found
        .iter()
        .map(String::as_str)
        .filter(|name| !offsets.iter().any(|offset| offset == name))
        .collect();
    assert_eq!(others, expected);
    let mut unique = found.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), found.len());
}

#[test]
fn offsets_of_predicates_have_names() {
    let learned = case(":- family(avg-sigmoid).\np(X) :- q(X).", "q(a).");
    assert_eq!(names(&learned.weights(&Weights::new(0))), ["offset of p/1"]);
    let given = case(":- family(avg-sigmoid).\np/1 [offset = 0.5].\np(X) :- q(X).", "q(a).");
    assert_eq!(names(&given.weights(&Weights::new(0))), ["offset of p/1"]);
}

#[test]
fn a_model_comes_back_from_its_bytes() {
    let case = case(TEMPLATE, DATA);
    let written = model(&case, Precision::F64);
    let bytes = written.to_bytes().expect("a model that can be written");
    let read = Model::from_bytes(&bytes).expect("a model");
    assert_eq!(read, written);
    assert_eq!(read.to_bytes().expect("the same again"), bytes);
}

#[test]
fn numbers_keep_their_bits() {
    let case = case("v = {5} :: t(X) :- r(X).", "r(a).");
    let mut model = model(&case, Precision::F64);
    let values = [f64::MIN_POSITIVE / 3.0, -0.0, 0.1, f64::MAX, 1.0 / 3.0];
    edit(&mut model, |weights| weights[0].numbers = values.to_vec());
    let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    let again = |model: &Model| Model::from_bytes(&model.to_bytes().expect("bytes")).expect("a model");
    assert_eq!(bits(&first_numbers(&again(&model))), bits(&values));
    let values = [0.1f32, -0.0, f32::MAX, f32::MIN_POSITIVE / 3.0, 1.0 / 3.0].map(f64::from);
    model.precision = Precision::F32;
    edit(&mut model, |weights| weights[0].numbers = values.to_vec());
    assert_eq!(bits(&first_numbers(&again(&model))), bits(&values));
}

#[test]
fn the_same_template_has_its_weights_again() {
    let case = case(TEMPLATE, DATA);
    let model = model(&case, Precision::F64);
    let mut weights = Weights::new(99);
    assert_ne!(case.values(&weights), case.values(&Weights::new(3)));
    let found = case.apply(&model, &mut weights);
    assert_eq!(case.values(&weights), case.values(&Weights::new(3)));
    assert_eq!(found, WeightMatch { matched: names(&model.weights), ..WeightMatch::default() });
}

#[test]
fn another_template_has_what_fits() {
    let from = model(&case(TEMPLATE, DATA), Precision::F64);
    let other = "w[T] :: p(X) :- q(X, T).\nv = {3} :: t(X) :- r(X).\nu :: t2(X) :- r(X).\n<'rule 2' = 7> :: z(X) :- r(X).";
    let to = case(other, "1 p(a) :- q(a, c), q(a, d), r(a).");
    let mut weights = Weights::new(1);
    let found = to.apply(&from, &mut weights);
    let own = |names: &[String]| -> Vec<String> {
        names
            .iter()
            .filter(|name| !name.starts_with("offset of") && !name.starts_with("rule") && *name != "fact 1")
            .cloned()
            .collect()
    };
    assert_eq!(own(&found.matched), ["w[c]"]);
    assert_eq!(own(&found.missing), ["u", "w[d]"]);
    assert_eq!(own(&found.other_shape), ["v"]);
    assert_eq!(own(&found.unused), ["'rule 2'", r"w['Odd [\'] name']", "w[1]"]);
    let value = |weights: &Weights, name: &str| {
        let all = to.weights(weights);
        all.iter().find(|weight| weight.full_name() == name).expect("a weight").numbers
    };
    let expected = from.weights.iter().find(|weight| weight.full_name() == "w[c]").expect("a weight");
    assert_eq!(value(&weights, "w[c]"), expected.numbers);
    assert_eq!(value(&weights, "w[d]"), value(&Weights::new(1), "w[d]"));
    assert_eq!(value(&weights, "v"), value(&Weights::new(1), "v"));
}

#[test]
fn indexes_are_set_before_any_network_asks() {
    let case = case(TEMPLATE, DATA);
    let model = model(&case, Precision::F64);
    let mut weights = Weights::new(99);
    let plain = Parameters::new(&case.template);
    let found = model.apply(&case.template, &case.dataset.vocabulary, &plain, &mut weights);
    assert_eq!((found.matched.len(), found.missing.len()), (model.weights.len(), 0));
    assert_eq!(case.values(&weights), case.values(&Weights::new(3)));
}

#[test]
fn what_could_not_be_read_again_is_not_written() {
    let case = case(TEMPLATE, DATA);
    let check = |change: fn(&mut Model)| {
        let mut model = model(&case, Precision::F64);
        change(&mut model);
        assert!(matches!(model.to_bytes(), Err(ModelError::Unwritable(_))), "{:?}", model.to_bytes());
    };
    check(|model| edit(model, |weights| weights.push(weights[0].clone())));
    check(|model| edit(model, |weights| weights[0].numbers.push(1.0)));
    check(|model| edit(model, |weights| weights[0].name = "__metadata__".into()));
    check(|model| model.notes.extend((0..5000).map(|number| (number.to_string(), String::new()))));
}

#[test]
fn the_fingerprint_is_that_of_the_content() {
    let of = |template: &str, data: &str| {
        fingerprint(&dataset(&Template::parse(template).expect("a template"), data))
    };
    let first = of(TEMPLATE, DATA);
    assert_eq!(first, of("z(X) :- c(X).", &DATA.replace(", ", ",   ")));
    assert_eq!(of("p :- q.", "1 p(a) :- q(a, b)."), FINGERPRINT);
    for (from, to) in
        [("1 p", "0.5 p"), ("1 p", "p"), ("s(a)", "s(b)"), ("s(a)", "0.5 s(a)"), ("1 p(a)", "1 p(b)")]
    {
        assert_ne!(first, of(TEMPLATE, &DATA.replacen(from, to, 1)), "{from} {to}");
    }
}

/// Kept for ever: models hold such numbers.
const FINGERPRINT: u64 = 0xf82b_880d_4440_ca42;
