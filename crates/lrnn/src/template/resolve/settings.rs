//! Options and directives that are set twice.

use std::collections::BTreeMap;

use super::Resolver;
use crate::diagnostic::{Diagnostic, Span};
use crate::function::{Aggregation, Combination, find_rule_function};
use crate::syntax::ast::{Directive, OptionExpr, OptionValue};
use crate::syntax::weight_text;

impl Resolver {
    /// Warns of what is set twice to different values.
    pub fn set_once(&mut self, what: &str, settings: Vec<DirectiveSetting>) {
        let mut before: BTreeMap<String, DirectiveSetting> = BTreeMap::new();
        for setting in settings {
            let key = setting.key.clone();
            let Some(first) = before.get(&key) else {
                before.insert(key, setting);
                continue;
            };
            if first.value != setting.value {
                let message = format!("the {what} `{key}` is set twice, differently: the last one counts");
                let warning = Diagnostic::warning("W0201", setting.span, message);
                self.report(warning.also(first.span, "the first one").help("keep one of the two"));
            }
        }
    }
}

/// Something that is set, what it means, and where.
pub(super) struct DirectiveSetting {
    key: String,
    value: String,
    span: Span,
}

impl DirectiveSetting {
    pub fn of(option: &OptionExpr) -> Self {
        let key = if option.key == "transformation" { "activation" } else { &option.key };
        let value = match &option.value {
            OptionValue::Weight(weight) => weight_text(weight),
            OptionValue::Function(function) if function.arguments.is_empty() => meaning(key, &function.name),
            OptionValue::Function(function) => format!("{function:?}"),
        };
        Self { key: key.to_owned(), value, span: option.place.0 }
    }

    /// Returns a directive as a setting.
    pub fn by(directive: &Directive, span: Span) -> Self {
        let Directive { name, argument, .. } = directive;
        Self { key: name.clone(), value: meaning(name, argument), span }
    }
}

/// Returns the same text for all names of one function.
fn meaning(key: &str, name: &str) -> String {
    match key {
        "aggregation" => format!("{:?}", Aggregation::find(name)),
        "combination" => format!("{:?}", Combination::find(name)),
        "recursion" => name.replace('-', "_"),
        _ => format!("{:?}", find_rule_function(name)),
    }
}
