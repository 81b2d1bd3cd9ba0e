//! `lrnn-bench TEMPLATE DATA`: seconds of reading, grounding with building, and of an epoch.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::time::Instant;

use lrnn::ground::{Limits, Plans, Statistics, fit};
use lrnn::network::{BuildOptions, Networks, Schedule, Weights, Workspace};
use lrnn_io::{read_data, read_template};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let family = arguments.get(2).and_then(|name| lrnn::Family::find(name));
    let batch: usize = arguments.get(3).and_then(|text| text.parse().ok()).unwrap_or(1);
    let start = Instant::now();
    let options = lrnn::template::Options { family, strict: false };
    let file = read_template(Path::new(&arguments[0]), options).expect("a template");
    let mut sources = file.sources;
    let template = file.template.expect("a template without mistakes");
    let dataset = read_data(Path::new(&arguments[1]), template.vocabulary.clone(), &mut sources)
        .expect("data")
        .expect("data without mistakes");
    let (template, _) = fit(&template, &dataset, false);
    let template = template.expect("a template that fits");
    let read = start.elapsed();
    let start = Instant::now();
    let plans = Plans::new(&template, &Statistics::of(&dataset));
    let schedule = Schedule::new(&template).expect("shapes that fit");
    let networks = Networks::build(
        &template,
        &schedule,
        &dataset,
        &plans,
        &Limits { per_example: 100_000_000, total: 1_000_000_000 },
        BuildOptions::default(),
        batch,
    )
    .expect("networks");
    let build = start.elapsed();
    println!(
        "read {read:?}, ground and build {build:?}, {:?}, {} parameters, {} MB",
        networks.neurons(),
        networks.parameters.len(),
        networks.networks.iter().map(|network| network.bytes()).sum::<usize>() / 1_000_000
    );
    let mut parameters = networks.parameters.values::<f32>(&template, &dataset.vocabulary, &Weights::new(1));
    let mut gradient = vec![0.0_f32; parameters.len()];
    let mut space = Workspace::default();
    let targets: Vec<f32> = dataset
        .queries
        .iter()
        .flatten()
        .map(|query| query.target.as_ref().map_or(0.0, |target| target[0] as f32))
        .collect();
    let mut times = Vec::new();
    for _ in 0..30 {
        let start = Instant::now();
        let mut first = 0;
        for network in &networks.networks {
            network.forward(&schedule, &parameters, &mut space);
            gradient.fill(0.0);
            let seed =
                |query: usize, value: &[f32], seed: &mut [f32]| seed[0] = value[0] - targets[first + query];
            network.backward(&schedule, &parameters, &mut space, seed, &mut gradient);
            parameters
                .iter_mut()
                .zip(&gradient)
                .for_each(|(parameter, gradient)| *parameter -= 0.01 * gradient);
            first += network.output_count();
        }
        times.push(start.elapsed());
    }
    times.sort();
    println!("epoch {:?} (median), {:?} (least)", times[times.len() / 2], times[0]);
}
