//! The report of a training run that has just ended: it is made of what learning has, so that nothing is grounded anew
//! but for being looked at.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;

use lrnn::train::{NoObserver, Share};
use lrnn::{Limits, Settings, Template, Training, TrainingOptions};
use lrnn_io::MoleculeColumns;
use lrnn_lab::TrainingReport;

const EXAMPLES: usize = 20;

#[test]
fn an_example_is_grounded_to_learn_or_to_answer_and_to_be_looked_at() {
    let template = Template::parse("w[T] :: toxic :- element(A, T), bond(A, B).").expect("a template");
    let mut data = template.data();
    for at in 0..EXAMPLES {
        let element = ["c", "n", "cl"][at % 3];
        let example =
            data.example(&format!("m{at}")).fact("element", ("a", element)).fact("bond", ("a", "b"));
        example.target(f64::from(u8::from(at % 3 == 2)), "toxic", ());
    }
    let dataset = data.build().expect("data");
    let settings = Settings { epochs: 5, test: Share(0.25), ..Settings::default() };
    let limits = Limits::default();
    let options = TrainingOptions { limits: limits.clone(), ..TrainingOptions::default() };
    let mut training = Training::new(&template, &dataset, &settings, options).expect("a training");
    training.advance(settings.epochs, &NoObserver);
    assert_eq!(limits.count.get() as usize, training.split().training.len(), "the training examples, once");
    let model = training.model();
    let answers = training.answers(&model).expect("answers");
    assert_eq!(limits.count.get() as usize, EXAMPLES, "and the test examples, once");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    fs::create_dir_all(&folder).expect("a folder for the test");
    let report = TrainingReport {
        model: Cow::Borrowed(&model),
        dataset: Cow::Borrowed(&dataset),
        answers,
        split: training.split().clone(),
        history: String::new(),
        settings,
        limits: limits.clone(),
        data: PathBuf::new(),
        molecules: MoleculeColumns::default(),
        notes: Vec::new(),
    };
    let progress = |_, work: &mut dyn FnMut(&AtomicUsize)| work(&AtomicUsize::new(0));
    let page = report.write(&folder, None, &progress).expect("a page");
    assert_eq!((page.examples, page.explained), (EXAMPLES, EXAMPLES));
    assert_eq!(limits.count.get() as usize, 2 * EXAMPLES, "each once more, to be looked at");
}
