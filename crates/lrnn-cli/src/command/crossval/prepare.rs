//! From what is asked for to a study: templates and data are read.

use std::collections::BTreeMap;
use std::path::Path;

use lrnn::model::fingerprint;
use lrnn_lab::baseline::Baseline;
use lrnn_lab::{Cases, Header, Plan, Study, StudyError, Variant};

use super::asked::{Asked, space_failure};
use super::journal_failure;
use crate::args::{Common, LearningFlags, TemplateOptions};
use crate::command::train::prepare::settings_text;
use crate::command::train::sound::{check_frozen, check_precision};
use crate::failure::{Failure, TEXT};
use crate::load::{self, Loaded};

/// How many folds there are if nobody says and the data has none.
const FOLDS: u32 = 10;

/// All that was read.
pub struct Prepared {
    pub asked: Asked,
    /// Families and templates' files, in the order of the table.
    loaded: Vec<(String, String, Loaded)>,
    pub seconds: f64,
}

impl Prepared {
    pub fn new(asked: Asked, flags: &LearningFlags, common: &Common) -> Result<Self, Failure> {
        let mut loaded = Vec::new();
        for path in &asked.templates {
            for (at, family) in asked.families.iter().enumerate() {
                let options = TemplateOptions { family: family.clone(), strict: asked.strict };
                // What is to say of a template is said once.
                let quiet = Common { quiet: common.quiet || at > 0, ..*common };
                let one = load::load(path, Some(&asked.data), &options, &quiet)?;
                check_frozen(&one.template, &asked.settings, flags)?;
                check_precision(&one, asked.settings.precision)?;
                loaded.push((family.clone().unwrap_or_default(), path.display().to_string(), one));
            }
        }
        let seconds = loaded.iter().map(|(.., one)| one.seconds).sum();
        Ok(Self { asked, loaded, seconds })
    }

    pub fn study(&self) -> Result<Study<'_>, Failure> {
        let Asked { settings, space, place, limits, search, .. } = &self.asked;
        let variant = |taken: &[(String, String)]| self.variant(taken);
        let trials = space.trials(settings, *search, variant).map_err(|error| space_failure(place, error))?;
        let variants: Result<Vec<Variant<'_>>, _> = (self.loaded.iter())
            .map(|(_, name, one)| Variant::new(name.clone(), &one.template, &one.dataset, *limits))
            .collect();
        let variants = variants.map_err(|error| Failure::new(TEXT, error.to_string()))?;
        let dataset = &self.loaded[0].2.dataset;
        let cases = Cases::of(dataset);
        self.check_targets(cases)?;
        let Asked { folds, inner, search, repeats, best_epoch, .. } = self.asked;
        let folds = if dataset.folds.is_empty() { folds.or(Some(FOLDS)) } else { folds };
        let plan = Plan { folds, inner, search, repeats, best_epoch };
        Ok(Study { variants, trials, plan, cases })
    }

    fn check_targets(&self, cases: Cases) -> Result<(), Failure> {
        let dataset = &self.loaded[0].2.dataset;
        let has_target = |case| cases.queries(dataset, case).iter().any(|query| query.target.is_some());
        if (0..cases.count(dataset)).any(has_target) {
            return Ok(());
        }
        let data = self.asked.data.display();
        let message = format!("{data}: no query has a target, so there is nothing to learn");
        Err(Failure::new(TEXT, message).help("write targets before queries: 1.0 toxic."))
    }

    /// The number of the template and family that a trial takes.
    fn variant(&self, taken: &[(String, String)]) -> usize {
        let place = |name: &str| {
            let (_, value) = taken.iter().find(|(other, _)| other == name)?;
            self.asked.space.values(name)?.iter().position(|other| other == value)
        };
        place("template").unwrap_or(0) * self.asked.families.len() + place("family").unwrap_or(0)
    }

    /// All that the results depend on.
    pub fn header(&self, study: &Study<'_>, baseline: Option<&Baseline>) -> Header {
        let templates: Vec<String> = (self.loaded.iter())
            .map(|(family, _, one)| {
                let texts: String = one.template_sources.iter().map(|(_, text)| text).collect();
                format!("{family}\n{texts}")
            })
            .collect();
        let dataset = &self.loaded[0].2.dataset;
        let inputs = [
            ("the data", format!("{:016x}", fingerprint(dataset))),
            ("the folds of the data", format!("{:?}", dataset.folds)),
            ("the templates", templates.join("\n")),
            ("the settings of learning", settings_text(&self.asked.settings)),
            ("the table [search]", format!("{:?}", self.asked.space.0)),
            ("the plan", format!("{:?}", study.plan)),
            ("the baseline", baseline.map_or("", |baseline| baseline.name).to_owned()),
            ("the limits", format!("{:?}", self.asked.limits)),
            ("the version", env!("CARGO_PKG_VERSION").to_owned()),
        ];
        let inputs: BTreeMap<String, String> =
            inputs.into_iter().map(|(name, text)| (name.to_owned(), text)).collect();
        let directory = std::env::current_dir().unwrap_or_default().display().to_string();
        Header { inputs, words: std::env::args().skip(1).collect(), directory }
    }

    /// What was read for a template and family, by their number.
    pub fn loaded(&self, variant: usize) -> &Loaded {
        &self.loaded[variant.min(self.loaded.len() - 1)].2
    }

    /// The family and the template's file of a variant.
    pub fn names(&self, variant: usize) -> (&str, &Path) {
        let (family, file, _) = &self.loaded[variant.min(self.loaded.len() - 1)];
        (family, Path::new(file))
    }

    pub fn failure(&self, error: StudyError) -> Failure {
        match error {
            StudyError::Ground(variant, error) => self.loaded[variant].2.ground_failure(&error),
            StudyError::Journal(error) => journal_failure(&error),
            StudyError::File(message) => Failure::io(message),
            StudyError::Other(message, help) => Failure::new(TEXT, message).help(help),
        }
    }
}
