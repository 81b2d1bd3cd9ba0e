//! Cross-validation as a call: stopped and gone on with, under other limits, on any number of threads.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use lrnn::train::Readout;
use lrnn::{ErrorKind, Settings, Stop, Threads};
use lrnn_lab::{CrossvalOptions, CrossvalResults, Monitor, SearchSpace, crossval, resume};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    fs::write(folder.join("t.lrnn"), "w[T] :: toxic :- element(A, T).\n").expect("a template");
    let example = |at: usize| {
        let other = ["c", "o", "n"][at % 3];
        format!(
            "{} toxic :- element(a, {other}), element(b, {}).\n",
            u8::from(at % 3 == 1),
            ["c", "n"][at % 2]
        )
    };
    fs::write(folder.join("d.txt"), (0..24).map(example).collect::<String>()).expect("data");
    folder
}

fn options(folder: &Path) -> CrossvalOptions {
    let settings = Settings { epochs: 20, ..Settings::default() };
    let space = SearchSpace(vec![("learning_rate".into(), vec!["0.01".into(), "0.3".into()])]);
    let options = CrossvalOptions {
        folds: Some(3),
        ..CrossvalOptions::new(folder.join("t.lrnn"), folder.join("d.txt"), settings)
    };
    options.with_space(space, folder, "").expect("a table")
}

fn results(folder: &Path, out: &str) -> CrossvalResults {
    crossval(options(folder), &folder.join(out), &()).expect("results").results
}

/// Raises a flag as soon as so much work was told of.
struct Stopper(Stop, AtomicUsize);

impl Monitor for Stopper {
    fn work(&self, _: f64) {
        if self.1.fetch_add(1, Ordering::Relaxed) > 50 {
            self.0.raise();
        }
    }
}

#[test]
fn stopped_it_goes_on_even_under_other_limits() {
    let folder = folder("stopped");
    let whole = results(&folder, "whole");
    let run = folder.join("run");
    // Raised from the beginning, it stops what grounds; raised on the way, what learns.
    for already in [true, false] {
        let stop = Stop::default();
        let mut options = options(&folder);
        options.limits.stop = stop.clone();
        options.limits.total = 1_000_000;
        if already {
            stop.raise();
        }
        let error = crossval(options, &run, &Stopper(stop, AtomicUsize::new(0))).expect_err("it was stopped");
        assert_eq!(error.kind(), ErrorKind::Stopped, "{error}");
    }
    let resumed = resume(&run, None, Stop::default(), &()).expect("results");
    assert_eq!(resumed.results, whole);
    let mut options = options(&folder);
    options.limits.per_example = 12_345;
    assert_eq!(crossval(options, &run, &()).expect("results").results, whole);
}

#[test]
fn any_pool_of_threads_gives_the_same_results() {
    let folder = folder("threads");
    let own = results(&folder, "own");
    assert!(own.refit.is_some() && own.folds.len() == 3);
    for count in [1, 3] {
        let threads = Threads::new(Some(count)).expect("threads");
        assert_eq!(threads.run(|| results(&folder, &count.to_string())), own);
        let read = |run: &str, name: &str| fs::read(folder.join(run).join(name)).expect("a file of the run");
        for name in ["results.json", "predictions.csv", "model.safetensors"] {
            assert!(read("own", name) == read(&count.to_string(), name), "{name}");
        }
    }
}

#[test]
fn a_kernel_answers_alike_whether_folds_share_networks_or_not() {
    let folder = folder("kernel");
    let template = ":- family(neuralogic). :- rule_activation(product-identity). \
        w[T, #] = 0 :: toxic :- *element(_, T). b = 0 :: toxic. toxic/0 [activation = identity].";
    fs::write(folder.join("t.lrnn"), template).expect("a template");
    let settings = Settings { readout: Readout::Kernel, ..Settings::default() };
    let results = |keep_models: bool, out: &str| {
        let options = CrossvalOptions {
            folds: Some(3),
            keep_models,
            ..CrossvalOptions::new(folder.join("t.lrnn"), folder.join("d.txt"), settings.clone())
        };
        crossval(options, &folder.join(out), &()).expect("results").results
    };
    let (shared, own) = (results(false, "shared"), results(true, "own"));
    assert_eq!((&shared.folds, shared.accuracy), (&own.folds, own.accuracy));
    assert!(shared.accuracy.mean.is_some_and(|mean| mean > 0.9), "{:?}", shared.accuracy);
    let predictions = |run: &str| fs::read(folder.join(run).join("predictions.csv")).expect("predictions");
    assert!(predictions("shared") == predictions("own"));
}
