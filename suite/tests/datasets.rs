//! The teaching sets among the datasets learn what they teach, whatever the seed: no answer is wrong in the end.

use std::path::{Path, PathBuf};

use lrnn::ground::{Limits, Plans, Statistics, fit};
use lrnn::network::{BuildOptions, Networks, Schedule, Weights};
use lrnn::template::Options;
use lrnn::train::{Arrangement, Learner, Measure, NoObserver, Problem, Settings};
use lrnn_io::{Config, read_data, read_template};

const SETS: [&str; 9] =
    ["xor", "family", "kinship", "trains", "flu", "clustering", "matching", "convolution", "autoencoder"];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets").join(name)
}

/// Learns as `lrnn train FOLDER --seed SEED` does.
fn train(folder: &Path, seed: u64) -> Measure {
    let config = Config::read(folder).expect("lrnn.toml");
    let mut settings = Settings::default();
    for (name, text) in config.learning() {
        settings.set(name, &text).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    }
    settings.seed = seed;
    let path = config.template.expect("lrnn.toml names the template");
    let file = read_template(&path, Options::default()).expect("the template is there");
    let mut sources = file.sources;
    let template = file.template.expect("the template is fine");
    let dataset = read_data(folder, template.vocabulary.clone(), &mut sources).expect("the data is there");
    let dataset = dataset.unwrap_or_else(|found| panic!("{}", found[0].render(&sources)));
    let template = fit(&template, &dataset, false).0.expect("template and data fit");
    let schedule = Schedule::new(&template).expect("not too deep");
    let examples: Vec<usize> = (0..dataset.examples.len()).collect();
    let arrangement = Arrangement::new(&examples, &[], &settings);
    let plans = Plans::new(&template, &Statistics::of(&dataset));
    let (limits, options) = (Limits::default(), BuildOptions::default());
    let networks =
        Networks::build_chunks(&template, &schedule, &dataset, &plans, &limits, options, &arrangement.chunks)
            .unwrap_or_else(|_| panic!("{} does not ground", folder.display()));
    let problem = Problem::new(&template, schedule, &dataset, networks, &arrangement, &settings);
    let learner = Learner::new(&problem, &settings);
    let mut state = learner.start::<f32>(&template, &dataset.vocabulary, &Weights::new(seed));
    while !state.is_finished() {
        learner.advance(&mut state, 100, &NoObserver);
    }
    problem.training(state.best().weights())
}

#[test]
fn every_teaching_set_is_learned_from_any_seed() {
    for name in SETS {
        for seed in 1..=20 {
            let measure = train(&folder(name), seed);
            assert!(measure.answers > 1, "{name} asks nothing");
            assert_eq!(measure.wrong, 0, "{name} from seed {seed}: {measure:?}");
        }
    }
}
