//! From the command line to a problem: reading, splitting, grounding, building.

use std::path::{Path, PathBuf};
use std::time::Instant;

use lrnn::diagnostic::did_you_mean;
use lrnn::ground::{Limits, Plans, Statistics, fit};
use lrnn::network::{BuildOptions, Networks, Schedule};
use lrnn::train::{Arrangement, Problem, SettingError, Settings, Split, classes};
use lrnn_io::{Config, read_data, toml_text};

use super::folder;
use super::sound::{check, check_frozen, check_precision, count_unentailed, say_empty_parts, say_one_class};
use crate::args::{Common, LearningFlags, Train};
use crate::failure::{Failure, TEXT, USAGE};
use crate::load::{self, Loaded};

/// Everything that learning needs.
pub struct Prepared {
    pub loaded: Loaded,
    /// The template's file, and the data's.
    pub path: PathBuf,
    pub data: PathBuf,
    pub validation_data: Option<PathBuf>,
    pub limits: Limits,
    pub family: Option<String>,
    pub settings: Settings,
    pub split: Split,
    pub problem: Problem,
    /// How many queries are not in the model.
    pub unentailed: usize,
    /// Seconds of grounding and building.
    pub build_seconds: f64,
}

/// The settings as lines of TOML.
pub fn settings_text(settings: &Settings) -> String {
    let line = |setting: &lrnn::train::Setting<Settings>| {
        let text = (setting.get)(settings);
        // TOML has whole numbers of 63 bits only.
        let is_number = text.parse::<f64>().is_ok() && !text.parse().is_ok_and(|n: u64| n > i64::MAX as u64);
        let is_bare = setting.kind == "BOOL" || is_number;
        let value = if is_bare { text } else { toml_text(&text) };
        format!("{} = {value}\n", setting.name)
    };
    Settings::TABLE.iter().map(line).collect()
}

/// Sets settings by their names; a message begins with the place they stand at.
pub fn apply<'a>(
    settings: &mut Settings,
    given: impl Iterator<Item = (&'a str, String)>,
    code: u8,
    place: &str,
) -> Result<(), Failure> {
    let mut names: Vec<(&str, &str)> = Vec::new();
    for (name, text) in given {
        let known = Settings::find(name).map_or(name, |setting| setting.name);
        if let Some((other, _)) = names.iter().find(|(_, other)| *other == known) {
            let failure = Failure::new(code, format!("{place}`{other}` and `{name}` are the same setting"));
            return Err(failure.help(format!("keep one of the two, `{known}`")));
        }
        names.push((name, known));
        settings.set(name, &text).map_err(|error| {
            let failure = Failure::new(code, format!("{place}{error}"));
            let names = Settings::TABLE.iter().map(|setting| setting.name);
            match (&error, did_you_mean(name, names)) {
                (SettingError::Unknown(_), Some(help)) => failure.help(help),
                (SettingError::Unknown(_), None) => failure.help("`lrnn list settings` shows them all"),
                _ => failure,
            }
        })?;
    }
    Ok(())
}

/// The settings: defaults, then the folder's, then flags.
pub fn settings(flags: &LearningFlags, config: &Config) -> Result<Settings, Failure> {
    let mut settings = Settings { seed: config.seed.unwrap_or(0), ..Settings::default() };
    apply(&mut settings, config.learning().into_iter(), TEXT, "lrnn.toml, [learning]: ")?;
    apply(&mut settings, flags.given.iter().map(|(name, text)| (*name, text.clone())), USAGE, "")?;
    Ok(settings)
}

/// The dataset folder, or template and data, for a command.
pub fn place(
    command: &str,
    folder: Option<&Path>,
    template: Option<&Path>,
    data: Option<&Path>,
) -> Result<(PathBuf, Option<PathBuf>), Failure> {
    match (template, folder) {
        (Some(template), None) => Ok((template.to_owned(), data.map(Path::to_owned))),
        (Some(template), Some(folder)) => {
            let (_, data, _) = load::locate(folder, data)?;
            Ok((template.to_owned(), data))
        }
        (None, Some(folder)) if !folder.exists() => {
            let failure = Failure::io(format!("{}: there is no such folder", folder.display()));
            Err(failure.help("a dataset folder has an lrnn.toml; or name --template FILE and --data DATA"))
        }
        (None, Some(folder)) => Ok((folder.to_owned(), data.map(Path::to_owned))),
        (None, None) => Err(Failure::new(USAGE, "what should be learned?")
            .help(format!("lrnn {command} FOLDER, or lrnn {command} --template FILE --data DATA"))),
    }
}

pub fn prepare(train: &Train, common: &Common) -> Result<Prepared, Failure> {
    let folder = match &train.resume {
        Some(run) => Some(folder::settings_of(run)?),
        None => train.folder.clone(),
    };
    let (template, data) =
        place("train", folder.as_deref(), train.template.as_deref(), train.data.as_deref())?;
    let (path, data_path, config) = load::locate(&template, data.as_deref())?;
    let config = match (&train.folder, &train.template) {
        (Some(folder), Some(_)) => Config::read(folder)?,
        _ => config,
    };
    let settings = settings(&train.learning, &config)?;
    let Some(data_path) = data_path else {
        return Err(Failure::new(USAGE, "there is no data to learn from").help("--data DATA names it"));
    };
    let mut options = train.options.clone();
    options.family = options.family.or(config.family.clone());
    let mut loaded = load::load(&path, Some(&data_path), &options, common)?;
    let own = loaded.dataset.examples.len();
    let mut split =
        Split::new(&classes(&loaded.dataset), settings.validation.0, settings.test.0, settings.seed);
    say_empty_parts(&settings, &split, common);
    let validation_data = train.validation_data.clone().or(config.validation_data.clone());
    if let Some(path) = &validation_data {
        add_data(&mut loaded, path, &options, common)?;
        split.validation.extend(own..loaded.dataset.examples.len());
    }
    check(&loaded.dataset, &split, &data_path)?;
    check_frozen(&loaded.template, &settings, &train.learning)?;
    check_precision(&loaded, settings.precision)?;
    say_one_class(&loaded.dataset, &split, common);
    let limits = load::limits(&train.limits, &config);
    let start = Instant::now();
    let schedule = Schedule::new(&loaded.template).map_err(|error| Failure::new(TEXT, error.to_string()))?;
    let arrangement = Arrangement::new(&split.training, &split.validation, &settings);
    let networks = build(&loaded, &schedule, &arrangement.chunks, settings.merge, &limits)?;
    let build_seconds = start.elapsed().as_secs_f64();
    let unentailed = count_unentailed(&loaded, &networks, &arrangement.chunks, &settings, common)?;
    let problem =
        Problem::new(&loaded.template, schedule, &loaded.dataset, networks, &arrangement, &settings);
    if problem.queries() == 0 {
        let failure = Failure::new(TEXT, "no query is left to learn from");
        return Err(failure.help("queries need targets (`1.0 toxic.`) and must follow from the template"));
    }
    let family = options.family;
    Ok(Prepared {
        loaded,
        path,
        data: data_path,
        validation_data,
        limits,
        family,
        settings,
        split,
        problem,
        unentailed,
        build_seconds,
    })
}

fn build(
    loaded: &Loaded,
    schedule: &Schedule,
    chunks: &[Vec<usize>],
    merge: bool,
    limits: &Limits,
) -> Result<Networks, Failure> {
    let plans = Plans::new(&loaded.template, &Statistics::of(&loaded.dataset));
    let options = BuildOptions { merge, ..BuildOptions::default() };
    Networks::build_chunks(&loaded.template, schedule, &loaded.dataset, &plans, limits, options, chunks)
        .map_err(|error| loaded.ground_failure(&error))
}

/// Adds the examples of other data.
pub fn add_data(
    loaded: &mut Loaded,
    path: &Path,
    options: &crate::args::TemplateOptions,
    common: &Common,
) -> Result<(), Failure> {
    let read = read_data(path, loaded.dataset.vocabulary.clone(), &mut loaded.sources)?;
    let more = read.map_err(|found| {
        load::report(&found, &loaded.sources, common);
        Failure::reported(&found, &loaded.sources)
    })?;
    let (fitted, found) = fit(&loaded.template, &more, options.strict);
    load::report(&found, &loaded.sources, common);
    let Some(fitted) = fitted else { return Err(Failure::reported(&found, &loaded.sources)) };
    loaded.template = fitted;
    let dataset = &mut loaded.dataset;
    if !dataset.ids.is_empty() || !more.ids.is_empty() {
        let first = (0..dataset.examples.len()).map(|example| dataset.example_name(example).into_boxed_str());
        let first: Vec<Box<str>> = first.collect();
        let second = (0..more.examples.len()).map(|example| more.example_name(example).into_boxed_str());
        dataset.ids = first.into_iter().chain(second).collect();
    }
    if !dataset.weights.is_empty() || !more.weights.is_empty() {
        dataset.weights.resize(dataset.examples.len(), 1.0);
        dataset.weights.extend(more.weights);
        dataset.weights.resize(dataset.examples.len() + more.examples.len(), 1.0);
    }
    dataset.vocabulary = more.vocabulary;
    dataset.examples.extend(more.examples);
    dataset.queries.extend(more.queries);
    Ok(())
}
