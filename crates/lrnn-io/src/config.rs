//! `lrnn.toml`: what a dataset folder says of itself.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::file::{IoError, read_text};

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
    /// The family, instead of the template's.
    pub family: Option<String>,
    /// The seed of random starts.
    pub seed: Option<u64>,
    /// The settings of learning, by their names.
    #[serde(default)]
    pub learning: toml::Table,
    /// The most ground rules in one example.
    pub max_ground_rules: Option<NonZeroU64>,
    /// The most ground rules in all examples together.
    pub max_ground_rules_total: Option<NonZeroU64>,
}

impl Config {
    /// The settings of learning as names and texts.
    pub fn learning(&self) -> Vec<(&str, String)> {
        let text = |value: &toml::Value| match value {
            toml::Value::String(text) => text.clone(),
            toml::Value::Array(items) => {
                items.iter().filter_map(toml::Value::as_str).collect::<Vec<_>>().join(",")
            }
            other => other.to_string(),
        };
        self.learning.iter().map(|(name, value)| (name.as_str(), text(value))).collect()
    }

    /// Reads the settings of a folder.
    pub fn read(folder: &Path) -> Result<Self, IoError> {
        let path = folder.join(CONFIG_NAME);
        if !path.exists() {
            let error = IoError::new(folder, format!("there is no {CONFIG_NAME} in this folder"));
            return Err(error.help("it names the template and the data: template = \"template.lrnn\""));
        }
        let mut config: Self = toml::from_str(&read_text(&path)?).map_err(|error| {
            let mut message = error.to_string();
            message.truncate(message.trim_end().len());
            let known = message.contains("unknown field"); // the message lists what there is
            let error = IoError::content(&path, message);
            if known {
                return error;
            }
            error.help("settings are TOML, text in quotes: template = \"template.lrnn\"")
        })?;
        config.template = config.template.map(|template| folder.join(template));
        config.data = Some(config.data.map_or_else(|| folder.to_owned(), |data| folder.join(data)));
        Ok(config)
    }
}
