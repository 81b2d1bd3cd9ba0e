//! Flags for the settings of learning.

use clap::{ArgAction, ArgMatches, Args, FromArgMatches};
use lrnn::train::{Setting, Settings};

use super::names::NameParser;

/// A flag for each setting of learning, from their table.
#[derive(Default)]
pub struct LearningFlags {
    /// Names and values, as they were given.
    pub given: Vec<(&'static str, String)>,
}

/// Returns the flag of a setting: one that is true by default is turned off.
fn flag(setting: &Setting<Settings>) -> clap::Arg {
    let long = |name: &str| name.replace('_', "-");
    let name = long(setting.name);
    let default = (setting.get)(&Settings::default());
    let about = setting.about.trim_end_matches('.');
    let aliases = setting.aliases.iter().map(|alias| long(alias));
    let argument = clap::Arg::new(setting.name).help_heading("Learning").aliases(aliases);
    match (setting.kind, default.as_str()) {
        ("BOOL", "true") => {
            let help = format!("Turn off: {}{}", about[..1].to_lowercase(), &about[1..]);
            argument.long(format!("no-{name}")).help(help).action(ArgAction::SetTrue)
        }
        ("BOOL", _) => argument.long(name).help(about).action(ArgAction::SetTrue),
        (kind, _) => {
            let default = if default.is_empty() { String::new() } else { format!(" [default: {default}]") };
            let argument = argument.long(name).value_name(kind).help(format!("{about}{default}"));
            match (setting.values)().is_empty() {
                true => argument.allow_negative_numbers(true),
                // Where a number does as well, the names are in the help already.
                false => argument
                    .value_parser(NameParser(setting.values))
                    .hide_possible_values(kind != "NAME")
                    .allow_negative_numbers(true),
            }
        }
    }
}

impl Args for LearningFlags {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.args(Settings::TABLE.iter().map(flag))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LearningFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let default = Settings::default();
        for setting in Settings::TABLE {
            if setting.kind == "BOOL" {
                if matches.get_flag(setting.name) {
                    let turned = if (setting.get)(&default) == "true" { "false" } else { "true" };
                    self.given.push((setting.name, turned.to_owned()));
                }
            } else if let Some(text) = matches.get_one::<String>(setting.name) {
                self.given.push((setting.name, text.clone()));
            }
        }
        Ok(())
    }
}
