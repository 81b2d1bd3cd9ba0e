//! Files for lrnn: templates with their imports, examples and queries in every layout, plain or gzipped, and the
//! `lrnn.toml` of a dataset folder. Formats only: what the texts mean is the engine's business.

mod config;
mod dataset;
mod file;
mod template;

pub use config::{CONFIG_NAME, Config};
pub use dataset::read_data;
pub use file::{IoError, read_text};
pub use template::{TemplateFile, read_template};
