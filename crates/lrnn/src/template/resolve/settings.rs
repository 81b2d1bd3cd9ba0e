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
        Self { key: key.to_owned(), value: meaning(key, &option.value), span: option.place.0 }
    }

    pub fn by(directive: &Directive, span: Span) -> Self {
        let value = OptionValue::Name(directive.argument.clone());
        Self { key: directive.name.clone(), value: meaning(&directive.name, &value), span }
    }
}

/// Returns the same text for all names of one function.
fn meaning(key: &str, value: &OptionValue) -> String {
    match (key, value) {
        (_, OptionValue::Weight(weight)) => weight_text(weight),
        (_, OptionValue::Function(function)) => format!("{function:?}"),
        ("aggregation", OptionValue::Name(name)) => format!("{:?}", Aggregation::find(name)),
        ("combination", OptionValue::Name(name)) => format!("{:?}", Combination::find(name)),
        ("recursion", OptionValue::Name(name)) => name.replace('-', "_"),
        (_, OptionValue::Name(name)) => format!("{:?}", find_rule_function(name)),
    }
}
