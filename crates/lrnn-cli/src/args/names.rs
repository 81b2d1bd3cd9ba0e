//! Names of tables as values of flags: completions and help know them, and any text is taken.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use lrnn::function::Family;
use lrnn_lab::baseline::Baseline;

/// A parser of names. It refuses none, since whoever looks a name up takes `-` and `_` alike and has a better message.
#[derive(Clone)]
pub struct NameParser(pub fn() -> Vec<&'static str>);

impl NameParser {
    pub const FAMILIES: Self = Self(|| Family::names().collect());
    pub const BASELINES: Self = Self(|| Baseline::names().collect());
    pub const UNENTAILED: Self = Self(|| vec!["0", "error", "skip"]);
}

impl TypedValueParser for NameParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(PossibleValue::new)))
    }
}
