//! What is asked for: from flags and `lrnn.toml` to what a study needs.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use lrnn::ground::Limits;
use lrnn::train::Settings;
use lrnn_io::Config;
use lrnn_lab::{Inner, Search, Space, SpaceError};

use crate::args::{Common, Crossval, SearchKind};
use crate::command::train::prepare::{place, settings};
use crate::failure::{Failure, TEXT, USAGE};
use crate::load;
use crate::output;

/// How many settings a random search tries if nobody says.
const RANDOM_TRIALS: usize = 12;

/// Everything that a study depends on, before anything is read.
pub struct Asked {
    pub data: PathBuf,
    /// Templates and families to choose from, in the order of the table.
    pub templates: Vec<PathBuf>,
    pub families: Vec<Option<String>>,
    pub strict: bool,
    pub settings: Settings,
    pub space: Space,
    /// Where the table stands, for messages.
    pub place: String,
    pub limits: Limits,
    pub folds: Option<u32>,
    pub inner: Inner,
    pub search: Search,
    pub repeats: u32,
    pub best_epoch: bool,
}

impl Asked {
    pub fn new(crossval: &Crossval, common: &Common) -> Result<Self, Failure> {
        let Crossval { folder, template, data, options, learning, .. } = crossval;
        let (source, data) = place("crossval", folder.as_deref(), template.as_deref(), data.as_deref())?;
        let (path, data, mut config) = load::locate(&source, data.as_deref())?;
        if let (Some(folder), Some(_)) = (folder, template) {
            config = Config::read(folder)?;
        }
        let Some(data) = data else {
            return Err(Failure::new(USAGE, "there is no data to learn from").help("--data DATA names it"));
        };
        let space = Space(config.search());
        let place = "lrnn.toml, [search]: ".to_owned();
        space.check().map_err(|error| space_failure(&place, error))?;
        let family = options.family.clone().or(config.family.clone());
        let trials = crossval.trials.map(|trials| trials.get() as usize);
        Ok(Self {
            data,
            templates: templates(&space, folder.as_deref(), &path),
            families: families(&space, family),
            strict: options.strict,
            settings: own_parts(settings(learning, &config)?, common),
            space,
            place,
            limits: load::limits(&crossval.limits, &config),
            folds: crossval.folds,
            inner: crossval.inner,
            search: search(crossval.search, trials)?,
            repeats: crossval.seeds,
            best_epoch: crossval.best_epoch,
        })
    }
}

/// How the table is gone through.
pub fn search(kind: SearchKind, trials: Option<usize>) -> Result<Search, Failure> {
    match kind {
        SearchKind::Grid if trials.is_some() => {
            let failure = Failure::new(USAGE, "a grid tries all settings, so --trials says nothing");
            Err(failure.help("--search random or halving tries some of them"))
        }
        SearchKind::Grid => Ok(Search::Grid),
        SearchKind::Random => Ok(Search::Random(trials.unwrap_or(RANDOM_TRIALS))),
        SearchKind::Halving => Ok(Search::Halving(trials)),
    }
}

/// A search by its name; none if there is none of this name.
pub fn search_of(name: &str, trials: Option<usize>) -> Option<Result<Search, Failure>> {
    let kind = SearchKind::from_str(name, true).ok()?;
    Some(search(kind, trials))
}

/// Cross-validation holds out what it needs: the shares of the settings say nothing here.
pub fn own_parts(mut settings: Settings, common: &Common) -> Settings {
    for (name, share) in [("validation", &mut settings.validation.0), ("test", &mut settings.test.0)] {
        if *share > 0.0 && !common.quiet {
            output::say(&format!("note: {name} = {share} does not count here: folds are held out instead\n"));
        }
        *share = 0.0;
    }
    settings
}

/// The templates of the table, beside the file it stands in, or the only one.
pub fn templates(space: &Space, folder: Option<&Path>, path: &Path) -> Vec<PathBuf> {
    let own = |name: &String| folder.map_or_else(|| PathBuf::from(name), |folder| folder.join(name));
    match space.values("template") {
        Some(names) => names.iter().map(own).collect(),
        None => vec![path.to_owned()],
    }
}

/// The families of the table, or the only one.
pub fn families(space: &Space, family: Option<String>) -> Vec<Option<String>> {
    match space.values("family") {
        Some(names) => names.iter().cloned().map(Some).collect(),
        None => vec![family],
    }
}

pub fn space_failure(place: &str, error: SpaceError) -> Failure {
    let failure = Failure::new(TEXT, format!("{place}{}", error.message));
    match error.help {
        Some(help) => failure.help(help),
        None => failure,
    }
}
