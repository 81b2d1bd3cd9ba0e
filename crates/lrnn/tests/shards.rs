//! A training whose networks are in shards: the bytes of one process, whoever has which chunk, and whoever is lost.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use lrnn::program::Shard;
use lrnn::train::{Count, Crew, Loss, NoObserver, Optimizer, Share, Unentailed};
use lrnn::{Dataset, Error, ErrorKind, Settings, Template, Training, TrainingOptions, fit};

/// Shards in this process. Every so many orders one of them forgets everything, and another grounds its chunks.
#[derive(Debug)]
struct Shards {
    template: Template,
    dataset: Dataset,
    settings: Settings,
    inner: Mutex<Inner>,
    /// Orders between two losses; 0 for none.
    lost_every: usize,
    /// Orders after which everybody is gone; 0 for never.
    most_orders: usize,
}

#[derive(Debug, Default)]
struct Inner {
    shards: Vec<Shard>,
    owners: Vec<usize>,
    places: Vec<Vec<u32>>,
    orders: usize,
}

impl Shards {
    fn ground_at(&self, shard: &mut Shard, chunks: &[usize]) -> Result<Vec<Vec<u8>>, Error> {
        shard.ground(&self.template, &self.dataset, &self.settings, TrainingOptions::default(), chunks)
    }
}

impl Crew for Shards {
    fn ground(&self, chunks: usize) -> Result<Vec<Vec<u8>>, Error> {
        let mut inner = self.inner.lock().expect("a lock");
        let count = inner.shards.len();
        inner.owners = (0..chunks).map(|chunk| chunk % count).collect();
        (0..chunks)
            .map(|chunk| Ok(self.ground_at(&mut inner.shards[chunk % count], &[chunk])?.concat()))
            .collect()
    }

    fn place(&self, places: &[Vec<u32>]) -> Result<(), Error> {
        let mut inner = self.inner.lock().expect("a lock");
        inner.places = places.to_vec();
        for (chunk, places) in places.iter().enumerate() {
            let owner = inner.owners[chunk];
            inner.shards[owner].place(chunk, places.clone());
        }
        Ok(())
    }

    fn work(&self, chunks: Range<usize>, order: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let mut inner = self.inner.lock().expect("a lock");
        inner.orders += 1;
        if self.most_orders > 0 && inner.orders > self.most_orders {
            return Err(Error::new(ErrorKind::File, "everybody is gone"));
        }
        if self.lost_every > 0 && inner.orders.is_multiple_of(self.lost_every) {
            let (lost, heir) = (inner.orders % inner.shards.len(), (inner.orders + 1) % inner.shards.len());
            inner.shards[lost] = Shard::default();
            let orphans: Vec<usize> =
                (0..inner.owners.len()).filter(|&at| inner.owners[at] == lost).collect();
            self.ground_at(&mut inner.shards[heir], &orphans)?;
            for chunk in orphans {
                let places = inner.places[chunk].clone();
                inner.shards[heir].place(chunk, places);
                inner.owners[chunk] = heir;
            }
        }
        chunks.map(|chunk| Ok(inner.shards[inner.owners[chunk]].work(&[chunk], order)?.concat())).collect()
    }
}

const TEMPLATE: &str = "w[T] :: l(X) :- element(X, T).\nu = {2, 1} :: h :- l(X), charge(X). [aggregation = mean]\n\
    v[K] = {1, 2} :: toxic :- h, *kind(K).\n<0.3> :: toxic :- l(X).";

/// Molecules of which no two chunks have the same elements.
fn molecules(template: &Template, count: usize) -> Dataset {
    let mut data = template.data();
    for number in 0..count {
        let mut example = data.example("");
        for atom in 0..(number % 5) {
            let element = format!("e{}", (number / 30 + atom * number) % 17);
            example = example.fact("element", (atom as i64, element.as_str()));
            example = example.fact_with(0.1 * (number % 7) as f64, "charge", (atom as i64,));
        }
        example.fact("kind", (number as i64 % 3,)).target(f64::from(number % 4 == 0), "toxic", ());
    }
    data.build().expect("data")
}

fn trained(settings: &Settings, shards: usize, lost_every: usize) -> (Vec<u8>, Vec<String>, Vec<u8>) {
    let template = Template::parse(TEMPLATE).expect("a template");
    let dataset = molecules(&template, 200);
    let crew = crew(&template, &dataset, settings, shards, lost_every, 0);
    let options = TrainingOptions::default();
    let mut training = Training::with_crew(&template, &dataset, settings, options, crew).expect("a training");
    training.advance(settings.epochs, &NoObserver);
    let fitted = training.finish().expect("a model");
    let checkpoint = training.checkpoint().expect("a checkpoint");
    assert_eq!(
        fitted.scores.len(),
        1 + usize::from(settings.validation.0 > 0.0) + usize::from(settings.test.0 > 0.0)
    );
    (fitted.model.to_bytes().expect("bytes"), fitted.notes, checkpoint)
}

fn crew(
    template: &Template,
    dataset: &Dataset,
    settings: &Settings,
    shards: usize,
    lost_every: usize,
    most_orders: usize,
) -> Arc<dyn Crew> {
    let shards = (0..shards).map(|_| Shard::default()).collect();
    Arc::new(Shards {
        template: template.clone(),
        dataset: dataset.clone(),
        settings: settings.clone(),
        inner: Mutex::new(Inner { shards, ..Inner::default() }),
        lost_every,
        most_orders,
    })
}

fn check(settings: &Settings) {
    let template = Template::parse(TEMPLATE).expect("a template");
    let dataset = molecules(&template, 200);
    let alone = fit(&template, &dataset, settings).expect("a model");
    let bytes = alone.model.to_bytes().expect("bytes");
    for (shards, lost_every) in [(1, 0), (3, 0), (2, 3)] {
        let (apart, notes, _) = trained(settings, shards, lost_every);
        assert!(apart == bytes, "{shards} shards, {settings:?}");
        assert_eq!(notes, alone.notes);
    }
}

fn few() -> Settings {
    Settings {
        optimizer: Optimizer::Adam,
        epochs: 4,
        batch_size: 0,
        evaluate: Count(2),
        seed: 3,
        ..Settings::default()
    }
}

#[test]
fn shards_learn_the_bytes_of_one_process() {
    check(&few());
    check(&Settings { optimizer: Optimizer::Lbfgs, epochs: 6, ..few() });
    check(&Settings { batch_size: 90, restarts: Count(2), precision: lrnn::model::Precision::F64, ..few() });
    check(&Settings { class_balance: true, validation: Share(0.3), test: Share(0.2), patience: 2, ..few() });
    check(&Settings { unentailed: Unentailed::Skip, loss: Some(Loss::Squared), l2: 0.01, ..few() });
}

#[test]
fn a_training_goes_on_with_other_shards() {
    let template = Template::parse(TEMPLATE).expect("a template");
    let (dataset, settings) = (molecules(&template, 200), Settings { epochs: 6, ..few() });
    let options = TrainingOptions::default;
    let (whole, _, _) = trained(&settings, 2, 0);
    let crew_of = |shards, most| crew(&template, &dataset, &settings, shards, 0, most);
    let mut first =
        Training::with_crew(&template, &dataset, &settings, options(), crew_of(3, 0)).expect("it");
    first.advance(3, &NoObserver);
    let checkpoint = first.checkpoint().expect("a checkpoint");
    drop(first);
    let mut second =
        Training::with_crew(&template, &dataset, &settings, options(), crew_of(2, 0)).expect("it");
    second.resume(&checkpoint).expect("the same training");
    second.advance(6, &NoObserver);
    assert!(second.finish().expect("a model").model.to_bytes().expect("bytes") == whole);
}

#[test]
fn a_crew_that_is_gone_is_an_error_and_no_model() {
    let template = Template::parse(TEMPLATE).expect("a template");
    let (dataset, settings) = (molecules(&template, 200), few());
    for most in 1..7 {
        let crew = crew(&template, &dataset, &settings, 2, 0, most);
        let options = TrainingOptions::default();
        let mut training =
            Training::with_crew(&template, &dataset, &settings, options, crew).expect("a training");
        training.advance(settings.epochs, &NoObserver);
        let error = training.finish().expect_err("nobody is there");
        assert!(error.to_string().contains("everybody is gone"), "{error}");
    }
}

#[test]
fn orders_that_make_no_sense_are_refused() {
    let template = Template::parse(TEMPLATE).expect("a template");
    let (dataset, settings, mut shard) = (molecules(&template, 200), few(), Shard::default());
    let options = TrainingOptions::default;
    let error = shard.ground(&template, &dataset, &settings, options(), &[99]).expect_err("no such chunk");
    assert!(error.to_string().contains("there is no chunk 99: there are 4"), "{error}");
    shard.ground(&template, &dataset, &settings, options(), &[1]).expect("a chunk");
    let orders: [&[u8]; 6] = [&[], &[0; 15], &[0; 16], &[9; 40], &[0, 4, 0, 0, 0, 0, 0, 0], &[0; 4000]];
    for order in orders {
        assert!(shard.work(&[1], order).is_err());
        assert!(shard.work(&[2], order).is_err());
    }
    shard.place(1, vec![u32::MAX; 3]);
    assert!(
        shard.work(&[1], &[1, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]).is_err()
    );
}
