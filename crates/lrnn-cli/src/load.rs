//! Template and data together, as most commands need them.

use std::path::{Path, PathBuf};
use std::time::Instant;

use lrnn::data::Dataset;
use lrnn::diagnostic::{Diagnostic, Severity, Sources, did_you_mean, printable};
use lrnn::function::Family;
use lrnn::ground::{Bound, ExampleError, GroundError, Limits, fit};
use lrnn::template::{Options, Template};
use lrnn_io::{Config, TemplateFile, read_data, read_template};

use crate::args::{Common, LimitOptions, TemplateOptions};
use crate::failure::{BUDGET, Failure, TEXT, USAGE};
use crate::output;

/// A template and data that fit together.
pub struct Loaded {
    pub template: Template,
    pub dataset: Dataset,
    pub sources: Sources,
    /// The texts of the template alone.
    pub template_sources: Sources,
    pub config: Config,
    /// Seconds of reading.
    pub seconds: f64,
}

/// Where template and data are, and what the folder says if the template is one.
pub fn locate(template: &Path, data: Option<&Path>) -> Result<(PathBuf, Option<PathBuf>, Config), Failure> {
    if !template.is_dir() {
        return Ok((template.to_owned(), data.map(Path::to_owned), Config::default()));
    }
    let mut config = Config::read(template)?;
    let Some(file) = config.template.take() else {
        let message = format!("{}: lrnn.toml does not name a template", template.display());
        return Err(Failure::new(TEXT, message).help("add the line template = \"template.lrnn\""));
    };
    let data = data.map(Path::to_owned).or(config.data.take());
    Ok((file, data, config))
}

/// The options of resolving a template.
pub fn template_options(options: &TemplateOptions, config: &Config) -> Result<Options, Failure> {
    let family = match (&options.family, &config.family) {
        (None, None) => None,
        (Some(name), _) => Some(Family::find(name).ok_or_else(|| unknown_family(USAGE, "", name))?),
        (None, Some(name)) => {
            Some(Family::find(name).ok_or_else(|| unknown_family(TEXT, "lrnn.toml: ", name))?)
        }
    };
    Ok(Options { family, strict: options.strict })
}

fn unknown_family(code: u8, place: &str, name: &str) -> Failure {
    let names: Vec<&str> = Family::names().collect();
    let help = did_you_mean(name, names.iter().copied())
        .unwrap_or_else(|| format!("there are {}", names.join(", ")));
    Failure::new(code, format!("{place}there is no family `{name}`")).help(help)
}

/// Reads template and data and fits them together; messages go to standard error.
pub fn load(
    template: &Path,
    data: Option<&Path>,
    options: &TemplateOptions,
    common: &Common,
) -> Result<Loaded, Failure> {
    let start = Instant::now();
    let (path, data, config) = locate(template, data)?;
    let file = read_template(&path, template_options(options, &config)?)?;
    let mut loaded = with_data(file, data.as_deref(), config, options.strict, common)?;
    loaded.seconds = start.elapsed().as_secs_f64();
    Ok(loaded)
}

/// Reads data for a template and fits them together; messages go to standard error.
pub fn with_data(
    file: TemplateFile,
    data: Option<&Path>,
    config: Config,
    strict: bool,
    common: &Common,
) -> Result<Loaded, Failure> {
    let start = Instant::now();
    let mut sources = file.sources;
    let template_sources = sources.clone();
    let mut diagnostics = file.diagnostics;
    let Some(template) = file.template else {
        report(&diagnostics, &sources, common);
        return Err(Failure::reported(&diagnostics, &sources));
    };
    // What is left to the data is the data's to answer.
    if data.is_some() {
        diagnostics.retain(|diagnostic| !matches!(diagnostic.code, "W0304" | "W0305"));
    }
    let dataset = match data {
        None => Dataset::empty(template.vocabulary.clone()),
        Some(data) => match read_data(data, template.vocabulary.clone(), &mut sources)? {
            Ok(dataset) => dataset,
            Err(found) => {
                diagnostics.extend(found);
                report(&diagnostics, &sources, common);
                return Err(Failure::reported(&diagnostics, &sources));
            }
        },
    };
    let (fitted, mut found) = fit(&template, &dataset, strict);
    if data.is_none() {
        found.retain(|diagnostic| diagnostic.severity == Severity::Error);
    }
    diagnostics.extend(found);
    report(&diagnostics, &sources, common);
    let seconds = start.elapsed().as_secs_f64();
    match fitted {
        Some(template) => Ok(Loaded { template, dataset, sources, template_sources, config, seconds }),
        None => Err(Failure::reported(&diagnostics, &sources)),
    }
}

/// Prints messages to standard error: all, or errors only if told to be quiet.
pub fn report(diagnostics: &[Diagnostic], sources: &Sources, common: &Common) {
    let least = if common.quiet { Severity::Error } else { Severity::Note };
    for diagnostic in diagnostics.iter().filter(|diagnostic| diagnostic.severity >= least) {
        output::say(&format!("{}\n", diagnostic.render(sources)));
    }
}

/// The limits of grounding: flags, then the folder's, then the defaults.
pub fn limits(options: &LimitOptions, config: &Config) -> Limits {
    let default = Limits::default();
    Limits {
        per_example: options
            .max_ground_rules
            .or(config.max_ground_rules)
            .map_or(default.per_example, u64::from),
        total: options
            .max_ground_rules_total
            .or(config.max_ground_rules_total)
            .map_or(default.total, u64::from),
    }
}

impl Loaded {
    /// An error of grounding as a failure.
    pub fn ground_failure(&self, failed: &ExampleError) -> Failure {
        let error = &failed.error;
        let message = match error {
            GroundError::Budget { bound: Bound::Total, .. } => error.message(&self.dataset.vocabulary),
            _ => {
                let example = printable(&self.dataset.example_name(failed.example));
                format!("example {example}: {}", error.message(&self.dataset.vocabulary))
            }
        };
        let (code, name) = match error {
            GroundError::Budget { .. } => (BUDGET, "G0101"),
            GroundError::Cycle { .. } => (TEXT, "G0102"),
        };
        let help = match error {
            GroundError::Budget { bound: Bound::Total, .. } => {
                format!("{} with --max-ground-rules-total", error.help())
            }
            GroundError::Budget { .. } => format!("{} with --max-ground-rules", error.help()),
            GroundError::Cycle { .. } => error.help().to_owned(),
        };
        let diagnostic = Diagnostic::error(name, error.span(&self.template), message);
        Failure::at(code, &diagnostic.help(help), &self.sources)
    }
}
