//! The front door as its users meet it: data in memory, learning, predicting, and every mistake told with its place.

use std::sync::atomic::{AtomicU32, Ordering};

use lrnn::data::Layout;
use lrnn::train::{Count, NoObserver, Optimizer, Share, Split};
use lrnn::{
    Answers, Column, Dataset, Epoch, Error, ErrorKind, Limits, Model, Observer, Program, Settings, Stop,
    Table, Template, Threads, Training, TrainingOptions, fit, fit_observed,
};

const TEMPLATE: &str = "w[T] :: toxic :- element(A, T).";

fn template() -> Template {
    Template::parse(TEMPLATE).expect("a template")
}

/// Molecules of one atom: toxic where it is chlorine.
fn molecules(template: &Template) -> Dataset {
    let mut data = template.data();
    for (name, element, toxic) in [("a", "c", 0.0), ("b", "cl", 1.0), ("c", "c", 0.0), ("d", "cl", 1.0)] {
        data.example(name).fact("element", ("x", element)).target(toxic, "toxic", ());
    }
    data.build().expect("data")
}

fn settings() -> Settings {
    Settings { optimizer: Optimizer::Adam, epochs: 60, learning_rate: 0.1, seed: 3, ..Settings::default() }
}

fn learned() -> Model {
    fit(&template(), &molecules(&template()), &settings()).expect("a fit").model
}

fn classes(answers: &Answers) -> Vec<Option<usize>> {
    answers.all.iter().map(|answer| answer.class).collect()
}

#[test]
fn data_from_memory_columns_and_text_learn_the_same_bits() {
    let template = template();
    let in_memory = molecules(&template);
    let mut text = template.data();
    let lines = "0 toxic :- element(x, c). 1 toxic :- element(x, cl). 0 toxic :- element(x, c). 1 toxic :- element(x, cl).";
    text.text("examples.txt", lines, Layout::Examples).names(["a", "b", "c", "d"]);
    let text = text.build().expect("data");
    let mut columns = template.data();
    let names = [&["x"; 4][..], &["c", "cl", "c", "cl"]];
    let terms = names.iter().map(|names| Column::Names(names)).collect();
    let examples = Some(&[0, 1, 2, 3][..]);
    columns.facts(&Table { predicate: "element", columns: terms, examples, ..Table::default() });
    let values = Some(&[0.0, 1.0, 0.0, 1.0][..]);
    columns.queries_of(&Table { predicate: "toxic", values, examples, ..Table::default() });
    let columns = columns.build().expect("data");
    let bytes = |data: &Dataset| {
        let model = fit(&template, data, &settings()).expect("a fit").model;
        model.to_bytes().expect("bytes")
    };
    assert_eq!(bytes(&in_memory), bytes(&text));
    assert_eq!(bytes(&in_memory), bytes(&columns));
}

#[test]
fn rows_may_come_in_any_order_of_examples() {
    let template = Template::parse("p :- q(X, Y).").expect("a template");
    let mut data = template.data();
    let columns = vec![Column::Integers(&[1, 2, 3]), Column::Strings(&[])];
    data.facts(&Table { predicate: "q", columns, ..Table::default() });
    let error = data.build().expect_err("a column without rows");
    assert!(error.to_string().contains("--> table q, row 0"), "{error}");
    let mut data = template.data();
    let columns = vec![Column::Integers(&[1, 2, 3]), Column::Numbers(&[0.5, 1.5, 2.5])];
    data.facts(&Table { predicate: "q", columns, examples: Some(&[1, 0, 1]), ..Table::default() });
    let data = data.build().expect("data");
    let rows: Vec<u32> = data.examples.iter().map(|example| example.tables[0].rows).collect();
    assert_eq!(rows, [1, 2]);
}

#[test]
fn mistakes_in_memory_name_table_and_row() {
    let check = |table: &Table<'_>, expected: &str| {
        let mut data = template().data();
        data.facts(table);
        let error = data.build().expect_err(expected);
        assert!(error.kind() == ErrorKind::Content && error.to_string().contains(expected), "{error}");
    };
    let columns = || vec![Column::Names(&["a", "a"]), Column::Names(&["c", "c"])];
    let twice =
        Table { predicate: "element", columns: columns(), values: Some(&[1.0, 0.5]), ..Table::default() };
    check(&twice, "with different values");
    check(&twice, "--> table element, row 1");
    check(&Table { values: Some(&[1.0, f64::NAN]), ..twice.clone() }, "not a finite number");
    check(&Table { columns: vec![Column::Numbers(&[f64::INFINITY])], values: None, ..twice }, "column 0");
    let mut data = template().data();
    data.example("m").fact_with(vec![1.0, 2.0], "x", ("a",)).fact_with(1.0, "x", ("b",));
    let error = data.build().expect_err("two shapes");
    assert!(error.to_string().contains("--> table of example m, row 1"), "{error}");
}

#[test]
fn names_need_no_quotes_and_whole_numbers_are_exact() {
    let template = Template::parse("same(X) :- q(X), r(X).").expect("a template");
    let mut data = template.data();
    let hostile = "O'Brien, \"x\" :- y. % \n";
    data.example("").fact("q", [hostile]).fact("r", [hostile]).query("same", [hostile]);
    data.example("").fact("q", [1_700_000_000_000_000_001_i64]).fact("r", [1_700_000_000_000_000_002_i64]);
    let data = data.build().expect("data");
    let program = Program::new(&template, &data, Limits::default()).expect("a program");
    let rules = program.for_each_grounding(&data, |_, grounding| grounding.rule_count()).expect("groundings");
    assert_eq!(rules, [1, 0]);
}

#[test]
fn predictions_ask_what_training_asked_and_tell_what_is_new() {
    let model = Model::from_bytes(&learned().to_bytes().expect("bytes")).expect("a model");
    let predictor = model.predictor().expect("a predictor");
    let mut data = predictor.data();
    data.example("one").fact("element", (7, "cl"));
    data.example("two").fact("element", (7, "c"));
    data.example("new").fact("element", (7, "br")).fact("colour", ("red",));
    data.example("none");
    let answers = predictor.predict(&data.build().expect("data")).expect("answers");
    assert_eq!(classes(&answers)[..2], [Some(1), Some(0)]);
    assert_eq!((answers.unlearned, answers.unknown), (vec!["w[br]".to_owned()], vec!["colour/1".to_owned()]));
    assert!(answers.all[2].in_model && !answers.all[3].in_model);
    assert!(answers.all.iter().all(|answer| answer.query == "toxic" && answer.target.is_none()));
}

#[test]
fn queries_that_differ_are_asked_by_their_predicate() {
    let template = Template::parse("w :: foal(A) :- parent(A, P), horse(P).").expect("a template");
    let mut data = template.data();
    let family = |data: &mut lrnn::DatasetBuilder, child: &str, target: Option<f64>| {
        let example = data.example("").fact("parent", (child, "aida")).fact("horse", ["aida"]);
        target.map(|target| example.target(target, "foal", [child]));
    };
    family(&mut data, "star", Some(1.0));
    family(&mut data, "luna", Some(1.0));
    let model = fit(&template, &data.build().expect("data"), &settings()).expect("a fit").model;
    let mut data = template.data();
    family(&mut data, "dakota", None);
    let answers = model.predict(&data.build().expect("data")).expect("answers");
    assert_eq!(answers.all[0].query, "foal(dakota)");
}

#[test]
fn data_of_another_template_is_understood() {
    let other = Template::parse("p(X) :- q(X). toxic :- zinc(X).").expect("a template");
    let model = learned();
    let data = molecules(&other);
    assert_eq!(classes(&model.predict(&data).expect("answers")), [Some(0), Some(1), Some(0), Some(1)]);
    let fitted = fit(&template(), &data, &settings()).expect("a fit");
    assert_eq!(fitted.scores[0].1.measure.wrong, 0);
    assert_eq!(fitted.model.weights, model.weights);
}

#[test]
fn a_predictor_serves_many_threads() {
    let predictor = learned().predictor().expect("a predictor");
    let ask = |element: &str| {
        let mut data = predictor.data();
        data.example("").fact("element", ("x", element));
        classes(&predictor.predict(&data.build().expect("data")).expect("an answer"))[0]
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|n| scope.spawn(move || ask(["c", "cl"][n % 2]))).collect();
        let found: Vec<_> = threads.into_iter().map(|thread| thread.join().expect("a thread")).collect();
        assert_eq!(found, [Some(0), Some(1), Some(0), Some(1)]);
    });
}

/// Stops after some epochs.
struct StopAfter(AtomicU32, u32);

impl Observer for StopAfter {
    fn epoch(&self, _: &Epoch) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= self.1
    }
}

#[test]
fn stopped_it_keeps_the_best_and_goes_on_to_the_same_end() {
    let (template, settings) = (template(), Settings { evaluate: Count(1), ..settings() });
    let data = molecules(&template);
    let observer = StopAfter(AtomicU32::new(0), 7);
    let stopped =
        fit_observed(&template, &data, &settings, TrainingOptions::default(), &observer).expect("a fit");
    assert_eq!(stopped.history.len(), 7);
    let begin =
        || Training::new(&template, &data, &settings, TrainingOptions::default()).expect("a training");
    let (mut whole, mut first, mut second) = (begin(), begin(), begin());
    whole.advance(60, &StopAfter(AtomicU32::new(0), 1000));
    first.advance(60, &StopAfter(AtomicU32::new(0), 20));
    second.resume(&first.checkpoint().expect("a checkpoint")).expect("a resumed training");
    second.advance(60, &StopAfter(AtomicU32::new(0), 1000));
    assert_eq!(second.model(), whole.model());
}

/// Stops between two batches.
struct StopInside(AtomicU32);

impl Observer for StopInside {
    fn is_stopped(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) >= 6
    }
}

#[test]
fn a_stop_inside_an_epoch_takes_the_epoch_back() {
    let (template, settings) = (template(), settings());
    let data = molecules(&template);
    let begin =
        || Training::new(&template, &data, &settings, TrainingOptions::default()).expect("a training");
    let (mut stopped, mut whole) = (begin(), begin());
    stopped.advance(60, &StopInside(AtomicU32::new(0)));
    let (_, gone) = stopped.progress();
    assert!(gone[0] >= 1 && !stopped.is_finished());
    whole.advance(gone[0], &StopAfter(AtomicU32::new(0), 1000));
    assert_eq!(stopped.checkpoint().expect("bytes"), whole.checkpoint().expect("bytes"));
}

#[test]
fn a_raised_flag_stops_grounding() {
    let template = Template::parse("p :- q(A), q(B), q(C), q(D), A < B, B < A, C < D.").expect("a template");
    let mut data = template.data();
    data.facts(&Table {
        predicate: "q",
        columns: vec![Column::Integers(&(0..400).collect::<Vec<_>>())],
        ..Table::default()
    });
    let data = data.build().expect("data");
    let limits = Limits { stop: Stop::default(), ..Limits::default() };
    let program = Program::new(&template, &data, limits.clone()).expect("a program");
    limits.stop.raise();
    let error = program.for_each_grounding(&data, |_, _| ()).expect_err("a stop");
    assert_eq!(error.kind(), ErrorKind::Stopped);
}

#[test]
fn a_knowledge_base_is_split_by_its_queries() {
    let template = Template::parse("w[T] :: toxic(M) :- element(M, T).").expect("a template");
    let mut data = template.data();
    let mut base = data.example("");
    for number in 0..20_i64 {
        let element = if number % 2 == 0 { "c" } else { "cl" };
        base = base.fact("element", (number, element)).target((number % 2) as f64, "toxic", [number]);
    }
    let data = data.build().expect("data");
    let settings = Settings { test: Share(0.2), ..settings() };
    let fitted = fit(&template, &data, &settings).expect("a fit");
    let answers = |part: usize| fitted.scores[part].1.measure.answers;
    assert_eq!((fitted.scores[1].0, answers(0), answers(1)), ("test", 16, 4));
    let split = Split::of(&data, &settings);
    assert_eq!((split.training.len(), split.test.len()), (16, 4));
}

#[test]
fn a_model_that_learned_nothing_is_told() {
    let (template, settings) = (template(), Settings { epochs: 1, learning_rate: 0.0, ..settings() });
    let mut data = template.data();
    for toxic in [0.0, 1.0, 0.0, 1.0] {
        data.example("").fact("element", ("x", "c")).target(toxic, "toxic", ());
    }
    let fitted = fit(&template, &data.build().expect("data"), &settings).expect("a fit");
    assert!(fitted.notes.iter().any(|note| note.contains("learned nothing")), "{:?}", fitted.notes);
}

#[test]
fn errors_are_errors_of_rust() {
    let both = || -> Result<(), Box<dyn std::error::Error>> {
        let template: Template = TEMPLATE.parse()?;
        let mut settings = Settings::default();
        settings.set("learnig-rate", "1")?;
        fit(&template, &molecules(&template), &settings)?;
        Ok(())
    };
    let error = both().expect_err("a misspelt setting").to_string();
    assert!(error.contains("there is no setting"), "{error}");
    let error = Error::from(Settings::default().set("learnig-rate", "1").expect_err("a misspelt setting"));
    assert!(error.to_string().contains("did you mean `learning_rate`?"), "{error}");
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let template = template();
    let data = molecules(&template);
    let bytes = |threads: usize| {
        let threads = Threads::new(Some(threads)).expect("threads");
        threads.run(|| fit(&template, &data, &settings()).expect("a fit").model.to_bytes().expect("bytes"))
    };
    assert_eq!(bytes(1), bytes(3));
}

/// Checks that training knows the answers of its model to all queries, whatever part they are in.
fn check_answers(template: &str, data: impl FnOnce(&mut lrnn::DatasetBuilder)) {
    let template = Template::parse(template).expect("a template");
    let mut builder = template.data();
    data(&mut builder);
    let data = builder.build().expect("data");
    let part = Share(0.25);
    let settings = Settings { test: part, validation: part, batch_size: 3, ..settings() };
    let mut training =
        Training::new(&template, &data, &settings, TrainingOptions::default()).expect("a training");
    training.advance(10, &StopAfter(AtomicU32::new(0), 1000));
    let model = training.model();
    let answers = training.answers(&model).expect("answers").expect("finite weights");
    assert_eq!(answers, model.predict(&data).expect("answers"));
    let split = training.split();
    assert!(!split.test.is_empty() && !split.validation.is_empty());
    let test = training.test_scores(&answers).expect("a test");
    assert_eq!(test.measure.answers as usize, split.test.len());
}

#[test]
fn training_knows_the_answers_of_its_model() {
    check_answers("w[T] :: toxic :- element(A, T).", |data| {
        for number in 0..16 {
            let element = ["c", "cl", "n"][number % 3];
            data.example("").fact("element", ("x", element)).fact("element", ("y", "c")).target(
                (number % 2) as f64,
                "toxic",
                (),
            );
        }
    });
    check_answers("w[T] :: toxic(M) :- element(M, T).", |data| {
        let mut base = data.example("");
        for number in 0..16_i64 {
            let element = ["c", "cl", "n"][number as usize % 3];
            base = base.fact("element", (number, element)).target((number % 2) as f64, "toxic", [number]);
        }
    });
}

#[test]
fn names_that_only_the_template_has_are_known() {
    let template = Template::parse(
        ":- recursion(none).\nw[here, there] :: l(X) :- p(X).\nr(X) :- e(X, Y), r(Y).\nr(X) :- l(X).\nout :- r(X).",
    );
    let template = template.expect("a template");
    let mut data = lrnn::DatasetBuilder::new(Default::default()); // in names of its own
    for number in 0..4 {
        data.example("").fact("p", (number,)).fact("e", (1, 2)).target(1.0, "out", ());
    }
    let settings = Settings { epochs: 2, test: Share(0.3), ..Settings::default() };
    let fitted = fit(&template, &data.build().expect("data"), &settings).expect("a model");
    assert!(fitted.model.weights.iter().any(|weight| weight.index == "here, there"));
    let mut data = lrnn::DatasetBuilder::new(Default::default());
    data.example("").fact("p", (1,)).fact("p", (2,)).fact("e", (1, 2)).fact("e", (2, 1)).target(
        1.0,
        "out",
        (),
    );
    let settings = Settings { test: Share(0.0), ..settings };
    let error = fit(&template, &data.build().expect("data"), &settings).expect_err("a cycle");
    assert!(error.to_string().contains("r(1)"), "{error}");
}

#[test]
fn a_flag_that_stopped_learning_does_not_stop_measuring() {
    let (template, stop) = (template(), Stop::default());
    let (data, settings) = (molecules(&template), Settings { test: Share(0.5), ..settings() });
    let limits = Limits { stop: stop.clone(), ..Limits::default() };
    let options = TrainingOptions { limits, ..TrainingOptions::default() };
    let mut training = Training::new(&template, &data, &settings, options).expect("a training");
    training.advance(1, &NoObserver);
    stop.raise();
    let answers = training.answers(&training.model()).expect("answers").expect("finite weights");
    assert!(training.test_scores(&answers).is_some_and(|scores| scores.measure.answers > 0));
}
