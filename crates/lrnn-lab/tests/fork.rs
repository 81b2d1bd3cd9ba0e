//! After `fork` a process has one thread, whatever pool its parent had: whoever waits for the pool of the whole process
//! then waits for ever. Alone in its program, since that pool can be begun only once, and so tells whether it was.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicUsize;

use lrnn::{Column, Limits, Program, Settings, Stop, Table, Template, fit};
use lrnn_lab::{CrossvalOptions, crossval, report_run};

/// Grounds one example that is large enough to be searched on all threads, and many small ones.
fn ground() {
    let template = Template::parse("w[X] :: p(X) :- q(X, Y). few :- p(X), X < 3.").expect("a template");
    let mut data = template.data();
    let (all, ones) = ((0..40_000).collect::<Vec<i64>>(), vec![1; 40_000]);
    let columns = vec![Column::Integers(&all), Column::Integers(&ones)];
    data.facts(&Table { predicate: "q", columns, ..Table::default() });
    data.example("small").fact("q", (1, 2)).target(1.0, "few", ());
    let data = data.build().expect("data");
    let program = Program::new(&template, &data, Limits::default()).expect("a program");
    let rules = program.for_each_grounding(&data, |_, grounding| grounding.rule_count()).expect("groundings");
    let alone = program.ground(&data.vocabulary, &data.examples[0]).expect("a grounding");
    assert_eq!(rules, [alone.rule_count(), 2]);
    let model = fit(&template, &data, &Settings { epochs: 2, ..Settings::default() }).expect("a fit").model;
    assert_eq!(model.predict(&data).expect("answers").all.len(), 1);
}

/// Cross-validates, and writes the report of it.
fn study(folder: &Path) {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).expect("a folder for the test");
    fs::write(folder.join("t.lrnn"), "w[T] :: toxic :- element(A, T).\n").expect("a template");
    let examples = "1 toxic :- element(a, c), element(b, n).\n0 toxic :- element(a, o).\n".repeat(6);
    fs::write(folder.join("d.txt"), examples).expect("data");
    let settings = Settings { epochs: 5, ..Settings::default() };
    let options = CrossvalOptions {
        folds: Some(3),
        ..CrossvalOptions::new(folder.join("t.lrnn"), folder.join("d.txt"), settings)
    };
    crossval(options, &folder.join("run"), &()).expect("results");
    let progress = |_, work: &mut dyn FnMut(&AtomicUsize)| work(&AtomicUsize::new(0));
    report_run(&folder.join("run"), None, None, Stop::default(), &progress).expect("a report");
}

#[test]
fn nothing_begins_threads_for_the_whole_process() {
    ground();
    study(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("fork"));
    rayon::ThreadPoolBuilder::new().build_global().expect("a pool that nobody has begun");
}
