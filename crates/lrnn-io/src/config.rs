//! `lrnn.toml`: what a dataset folder says of itself.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use lrnn::diagnostic::did_you_mean;
use lrnn::function::Family;
use lrnn::train::Settings;
use lrnn::{Error, ErrorKind, Limits};
use serde::Deserialize;

use crate::file::{content_error, file_error, read_text};
use crate::{MoleculeColumns, family};

/// The name of the file in a dataset folder.
pub const CONFIG_NAME: &str = "lrnn.toml";

/// The settings of a dataset folder. Paths are relative to the folder.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The template.
    pub template: Option<PathBuf>,
    /// The data: a file, or a folder; the folder itself if it is not given.
    pub data: Option<PathBuf>,
    /// Other data for validation.
    pub validation_data: Option<PathBuf>,
    /// The columns of the data, where it is a table of molecules.
    pub molecules: Option<MoleculeColumns>,
    /// The family, instead of the template's.
    pub family: Option<String>,
    /// The seed of random starts.
    pub seed: Option<u64>,
    /// The settings of learning, by their names.
    #[serde(default)]
    pub learning: toml::Table,
    /// Settings of learning, `template` and `family`, each with the values to choose from.
    #[serde(default)]
    pub search: toml::Table,
    /// The most ground rules in one example.
    pub max_ground_rules: Option<NonZeroU64>,
    /// The most ground rules in all examples together.
    pub max_ground_rules_total: Option<NonZeroU64>,
}

impl Config {
    /// Returns the settings of learning as names and texts.
    pub fn learning(&self) -> Vec<(&str, String)> {
        learning_texts(&self.learning)
    }

    /// Returns the settings of learning: the defaults, changed as the folder says.
    pub fn settings(&self) -> Result<Settings, Error> {
        settings_of(self.seed, self.learning(), "lrnn.toml, [learning]: ")
    }

    /// Finds the family that is asked for, or else that of the folder.
    pub fn asked_family(&self, asked: Option<&str>) -> Result<Option<&'static Family>, Error> {
        match (asked, &self.family) {
            (Some(name), _) => family(name, ErrorKind::Usage, "").map(Some),
            (None, Some(name)) => family(name, ErrorKind::Content, "lrnn.toml: ").map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Returns the limits of grounding: those that are asked for, then the folder's, then the defaults.
    pub fn limits(&self, per_example: Option<NonZeroU64>, total: Option<NonZeroU64>) -> Limits {
        let default = Limits::default();
        Limits {
            per_example: per_example.or(self.max_ground_rules).map_or(default.per_example, u64::from),
            total: total.or(self.max_ground_rules_total).map_or(default.total, u64::from),
            ..default
        }
    }

    /// Returns the settings to choose from as names and texts, in the order of the file.
    pub fn search(&self) -> Vec<(String, Vec<String>)> {
        values(&self.search)
    }

    /// Reads a file of settings, paths as they stand in it.
    pub fn read_file(path: &Path) -> Result<Self, Error> {
        let read = toml::from_str(&read_text(path)?);
        read.map_err(|error: toml::de::Error| mistake(path, &error.to_string()))
    }

    /// Reads the settings of a folder.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(CONFIG_NAME);
        if !path.exists() {
            let error = file_error(folder, format!("there is no {CONFIG_NAME} in this folder"));
            return Err(error.help("it names the template and the data: template = \"template.lrnn\""));
        }
        let mut config = Self::read_file(&path)?;
        config.template = config.template.map(|template| folder.join(template));
        config.validation_data = config.validation_data.map(|data| folder.join(data));
        config.data = Some(config.data.map_or_else(|| folder.to_owned(), |data| folder.join(data)));
        Ok(config)
    }
}

/// Returns the defaults, changed as names and texts say; `place` begins messages.
pub(crate) fn settings_of(
    seed: Option<u64>,
    given: Vec<(&str, String)>,
    place: &str,
) -> Result<Settings, Error> {
    let mut settings = Settings { seed: seed.unwrap_or(0), ..Settings::default() };
    let mut names: Vec<(&str, &str)> = Vec::new();
    for (name, text) in given {
        let known = Settings::find(name).map_or(name, |setting| setting.name);
        if let Some((other, _)) = names.iter().find(|(_, other)| *other == known) {
            let message = format!("{place}`{other}` and `{name}` are the same setting");
            let error = Error::new(ErrorKind::Content, message);
            return Err(error.help(format!("keep one of the two, `{known}`")));
        }
        names.push((name, known));
        settings.set(name, &text).map_err(|error| {
            let error = Error::from(error);
            let (message, help) = error.sentences().next().unwrap_or_default();
            let found = Error::new(ErrorKind::Content, format!("{place}{message}"));
            help.into_iter().fold(found, Error::help)
        })?;
    }
    Ok(settings)
}

/// Returns the settings of a table as names and texts.
pub(crate) fn learning_texts(table: &toml::Table) -> Vec<(&str, String)> {
    table.iter().map(|(name, value)| (name.as_str(), text(value))).collect()
}

/// Returns the values of each name as texts; one alone counts as a list of one.
pub(crate) fn values(table: &toml::Table) -> Vec<(String, Vec<String>)> {
    let all = |value: &toml::Value| match value {
        toml::Value::Array(items) => items.iter().map(text).collect(),
        other => vec![text(other)],
    };
    table.iter().map(|(name, value)| (name.clone(), all(value))).collect()
}

/// Returns a setting as text.
fn text(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(items) => {
            items.iter().filter_map(toml::Value::as_str).collect::<Vec<_>>().join(",")
        }
        other => other.to_string(),
    }
}

/// Returns a text as TOML writes it, between quotes, whatever it holds.
pub fn toml_text(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if lrnn::vocabulary::is_hidden(c) => out.push_str(&format!("\\u{:04X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Returns what is wrong with the file, and what to do.
fn mistake(path: &Path, message: &str) -> Error {
    let error = content_error(path, message.trim_end());
    let unknown = message.split_once("unknown field `").and_then(|(_, rest)| rest.split('`').next());
    let settings = || Settings::TABLE.iter().map(|setting| setting.name);
    match unknown {
        None => error.help("settings are TOML, text in quotes: template = \"template.lrnn\""),
        Some(name) if settings().any(|setting| setting == name) => {
            error.help(format!("`{name}` is a setting of learning: write it below the line [learning]"))
        }
        // The message lists what else there is.
        Some(name) => {
            did_you_mean(name, KEYS.into_iter().chain(settings())).into_iter().fold(error, Error::help)
        }
    }
}

/// The keys of the file beside the settings of learning.
const KEYS: [&str; 10] = [
    "template",
    "data",
    "molecules",
    "validation_data",
    "family",
    "seed",
    "learning",
    "search",
    "max_ground_rules",
    "max_ground_rules_total",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_from_toml() {
        for text in ["", "plain", "a\"b\\c'd", "x\u{202e}y\u{1b}\n\t\u{7f}\u{0}", "ŽŘ 漢字 🧪"] {
            let read: toml::Table = toml::from_str(&format!("key = {}", toml_text(text))).expect("TOML");
            assert_eq!(read["key"].as_str(), Some(text));
        }
    }
}
