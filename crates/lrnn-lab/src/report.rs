//! A cross-validation as a page shows it: every case is explained by the model that did not learn from it.

use std::path::Path;

use lrnn::data::{Dataset, Query};
use lrnn::evaluate::{Bin, Report, Roc, Scored, calibration};
use lrnn::model::Model;
use lrnn::network::Weights;
use lrnn::program::scored;
use lrnn::train::{Answered, Cases, Loss, Measure};
use lrnn::{Error, ErrorKind, Program, Stop};
use lrnn_io::read_model;
use lrnn_report::gather::{Asked, Subject};
use lrnn_report::page::{self, Kind, Number, Part};

use crate::baseline::BASELINES;
use crate::crossval::{Crossval, FoldAnswers, model_path};
use crate::journal::FoldRecord;
use crate::results::{BaselineResults, CrossvalResults, FoldResult};

/// Bins of the calibration.
const BINS: usize = 10;
/// A curve with more points is more than a screen has.
const MOST_POINTS: usize = 1000;
/// A table of more classes is none.
const MOST_CLASSES: usize = 40;
/// What has a larger probability is taken for true.
const THRESHOLD: f64 = 0.5;

/// A finished cross-validation with the models of its folds.
#[derive(Debug)]
pub struct CrossvalReport {
    crossval: Crossval,
    records: Vec<FoldRecord>,
    /// By fold of the first repetition; `None` if it was not kept.
    models: Vec<Option<Model>>,
    results: CrossvalResults,
    baselines: Vec<BaselineResults>,
}

impl CrossvalReport {
    /// Reads the run in a folder, with its data at another place if that is given.
    pub fn read(run: &Path, data: Option<&Path>, stop: Stop) -> Result<Self, Error> {
        let crossval = Crossval::reopen(run, data, stop)?;
        let Some(records) = crossval.recorded(run, None)? else {
            let message = format!("{}: not all folds of this run are done", run.display());
            let help = format!("lrnn crossval --resume {} goes on with it", run.display());
            return Err(Error::new(ErrorKind::Content, message).help(help));
        };
        let results = CrossvalResults::of(&crossval, &records);
        let mut baselines = Vec::new();
        for baseline in BASELINES {
            if let Ok(Some(found)) = crossval.recorded(run, Some(baseline)) {
                baselines.push(BaselineResults::new(
                    baseline,
                    CrossvalResults::of(&crossval, &found),
                    &results,
                ));
            }
        }
        let firsts = crossval.folds().iter().filter(|fold| fold.repeat == 0);
        let models = firsts.map(|fold| read_model(&model_path(run, fold)).ok()).collect();
        Ok(Self { crossval, records, models, results, baselines })
    }

    /// Returns the program that the first fold chose, and the data.
    pub fn first(&self) -> (&Program, &Dataset) {
        let first = self.crossval.variant(self.records[0].chosen.trial as usize);
        (&first.program, &first.dataset)
    }

    /// Returns where the data is.
    pub fn data(&self) -> &Path {
        &self.crossval.options().data
    }

    /// Returns the answers of the folds of the first repetition.
    fn folds(&self) -> Vec<FoldAnswers<'_>> {
        let mut folds = self.crossval.answers(&self.records);
        folds.truncate(self.models.len());
        folds
    }

    /// Returns the model of each fold on its data, to be looked at.
    pub fn subjects(&self) -> Vec<Subject<'_>> {
        let mut subjects = Vec::new();
        for (FoldAnswers { fold, record, answers }, model) in self.folds().iter().zip(&self.models) {
            let variant = self.crossval.variant(record.chosen.trial as usize);
            let (template, dataset) = (variant.program.template(), &variant.dataset);
            let subject = match model {
                Some(model) => Subject::new(template, dataset, &template.sources, model),
                None => Subject::beginning(template, dataset, &template.sources, Weights::new(fold.seed)),
            };
            let (name, loss, unentailed) =
                (format!("fold {}", fold.number), answers.loss, answers.unentailed);
            subjects.push(Subject { name, loss, unentailed, ..subject });
        }
        subjects
    }

    /// Returns by example and query who answers it, and the answer.
    pub fn asked<'b>(&self, subjects: &'b [Subject<'b>]) -> Asked<'b> {
        let (_, dataset) = self.first();
        let sizes = || dataset.queries.iter().map(Vec::len);
        let mut answering: Vec<Vec<usize>> = sizes().map(|size| vec![0; size]).collect();
        let mut values: Vec<Vec<Option<Vec<f64>>>> = sizes().map(|size| vec![None; size]).collect();
        let mut parts = vec!["all folds".to_owned(); dataset.examples.len()];
        for (at, FoldAnswers { fold, answers, .. }) in self.folds().into_iter().enumerate() {
            for answer in answers.all {
                let (example, query) = answer.place;
                answering[example][query] = at;
                values[example][query] = answer.value.filter(|_| answer.in_model).map(|value| value.numbers);
            }
            if self.crossval.cases() == Cases::Examples {
                fold.test.iter().for_each(|&case| parts[case] = format!("fold {}", fold.number));
            }
        }
        Asked { subjects, answering, values, parts }
    }

    /// Returns what a page says of the run as a whole: table, metrics, settings and notes.
    pub fn page(&self) -> page::Report {
        let fold = self.crossval.folds().first().map_or(0, |fold| fold.number);
        let settings = self.crossval.options().settings.pairs();
        page::Report {
            kind: Kind::Crossval,
            settings: settings.map(|(name, value)| (name.to_owned(), value)).collect(),
            notes: self.notes(),
            parts: vec![self.part()],
            crossval: Some(self.table()),
            model: format!(
                "Every example is explained by the model that did not learn from it; patterns are those of the model \
                 without fold {fold}."
            ),
            ..page::Report::default()
        }
    }

    /// Returns how well all folds together are answered. Each answer is judged by the loss of its own fold; what
    /// compares answers of different folds looks at probabilities.
    fn part(&self) -> Part {
        let seed = self.crossval.options().settings.seed;
        let name = match self.results.seeds.len() {
            1 => "out of fold".to_owned(),
            _ => format!("out of fold, seed {seed}"),
        };
        let (mut measure, mut all, mut losses): (Measure, Vec<Scored>, Vec<Loss>) = Default::default();
        for FoldAnswers { answers, .. } in self.folds() {
            let (answered, loss) = (answers.answered(), answers.loss);
            let own = Measure::of(loss, &answered);
            measure.loss += own.loss * f64::from(own.answers);
            (measure.wrong, measure.answers) = (measure.wrong + own.wrong, measure.answers + own.answers);
            losses.push(loss);
            let groups = all.last().map_or(0, |last| last.example + 1);
            let is_regression = answers.all.iter().all(|answer| answer.probability.is_none());
            all.extend(scored(loss, &answered).into_iter().map(|one| Scored {
                example: one.example + groups,
                value: one.probability.filter(|_| !is_regression).unwrap_or(one.value),
                ..one
            }));
        }
        measure.loss /= f64::from(measure.answers.max(1));
        let is_one = losses.windows(2).all(|pair| pair[0] == pair[1]);
        part(&name, self.first().1, measure, is_one, &all)
    }

    fn table(&self) -> page::Crossval {
        let row = |fold: &FoldResult| page::FoldRow {
            seed: fold.seed,
            fold: fold.fold,
            examples: fold.cases,
            chosen: fold.choice(),
            inner_error: fold.inner_error.map(Number),
            accuracy: Number(fold.accuracy.unwrap_or(f64::NAN)),
            auc: fold.auc.map(Number),
        };
        let method = |(name, results): (&str, &CrossvalResults)| {
            let (mean, deviation) = (results.accuracy.mean?, results.accuracy.deviation.unwrap_or(0.0));
            Some((name.to_owned(), Number(mean), Number(deviation)))
        };
        let baselines = self.baselines.iter().map(|baseline| (baseline.name, &baseline.results));
        let all = std::iter::once(("template", &self.results)).chain(baselines);
        page::Crossval {
            summary: self.results.sentences(),
            rows: self.results.folds.iter().map(row).collect(),
            methods: if self.baselines.is_empty() { Vec::new() } else { all.filter_map(method).collect() },
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let (repeats, seed) = (self.results.seeds.len(), self.crossval.options().settings.seed);
        if repeats > 1 {
            notes.push(format!(
                "examples are those of the first of {repeats} seeds, {seed}; the table has all"
            ));
        }
        let lost = self.models.iter().filter(|model| model.is_none()).count();
        if lost > 0 {
            notes.push(format!(
                "the models of {lost} of {} folds are not in the folder of the run, so their examples are not \
                 explained; `lrnn crossval` keeps them",
                self.models.len()
            ));
        }
        notes
    }
}

/// Returns how well some examples are answered under a loss: metrics, confusion matrix, ROC and calibration.
pub fn part_view(name: &str, dataset: &Dataset, loss: Loss, answered: &[Answered]) -> Part {
    part(name, dataset, Measure::of(loss, answered), true, &scored(loss, answered))
}

fn part(name: &str, dataset: &Dataset, measure: Measure, has_loss: bool, all: &[Scored]) -> Part {
    let report = Report::of(all, THRESHOLD);
    let mut metrics = vec![
        ("loss".to_owned(), has_loss.then_some(Number(measure.loss))),
        ("error".to_owned(), Some(Number(measure.error()))),
    ];
    metrics.extend(
        report.metrics.iter().map(|(metric, found)| (metric.name().to_owned(), found.ok().map(Number))),
    );
    Part {
        name: name.to_owned(),
        answers: measure.answers,
        metrics,
        confusion: confusion(&report, dataset),
        roc: Roc::of(all).ok().map(|roc| roc_view(&roc)),
        calibration: calibration_view(all),
    }
}

fn confusion(report: &Report, dataset: &Dataset) -> Option<page::Confusion> {
    if let Some(classes) = report.classes.as_ref().filter(|_| report.queries > 0) {
        let count = classes.keys().map(|(right, taken)| right.max(taken) + 1).max().unwrap_or(0);
        let mut counts = vec![vec![0; count]; count];
        classes.iter().for_each(|(&(right, taken), &number)| counts[right][taken] = number);
        let labels = class_labels(dataset, count);
        return (count <= MOST_CLASSES).then_some(page::Confusion { labels, counts });
    }
    let found = report.confusion?;
    let labels = vec!["false".to_owned(), "true".to_owned()];
    let counts = vec![
        vec![found.true_negatives, found.false_positives],
        vec![found.false_negatives, found.true_positives],
    ];
    Some(page::Confusion { labels, counts })
}

/// Returns the queries that stand for the classes, if they are the same in all examples; else their numbers.
fn class_labels(dataset: &Dataset, count: usize) -> Vec<String> {
    let atoms = |queries: &Vec<Query>| -> Vec<String> {
        queries.iter().map(|query| dataset.vocabulary.atom_text(query.predicate, &query.terms)).collect()
    };
    let first = dataset.queries.first().map(atoms).unwrap_or_default();
    match first.len() == count && dataset.queries.iter().all(|queries| atoms(queries) == first) {
        true => first,
        false => (0..count).map(|class| class.to_string()).collect(),
    }
}

fn roc_view(roc: &Roc) -> page::Roc {
    let (count, last) = (roc.points.len(), roc.points.len() - 1);
    let shown: Vec<usize> = match count > MOST_POINTS {
        true => (0..MOST_POINTS).map(|at| at * last / (MOST_POINTS - 1)).collect(),
        false => (0..count).collect(),
    };
    page::Roc {
        false_positive: shown.iter().map(|&at| Number(roc.points[at].0)).collect(),
        true_positive: shown.iter().map(|&at| Number(roc.points[at].1)).collect(),
    }
}

fn calibration_view(all: &[Scored]) -> Option<Vec<page::Bin>> {
    let bin = |bin: Bin| page::Bin {
        low: Number(bin.low),
        high: Number(bin.high),
        count: bin.count,
        mean: Number(bin.mean),
        share: Number(bin.share),
    };
    Some(calibration(all, BINS).ok()?.into_iter().map(bin).collect())
}
