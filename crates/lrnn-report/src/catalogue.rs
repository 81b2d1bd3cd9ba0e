//! The tables of the engine: functions, families, modules, losses, optimizers, metrics, settings.

use lrnn::evaluate::Metric;
use lrnn::function::{Activation, Aggregation, Combination, FAMILIES, Family};
use lrnn::network::Initialisation;
use lrnn::template::{Module, ModuleParameter, modules};
use lrnn::train::{Loss, Optimizer, RateSchedule, Readout, Setting, Settings};
use serde::Serialize;

use crate::table::columns;

/// A table of the engine.
#[derive(Clone, Debug)]
pub struct CatalogueTable {
    /// Its name, in the plural.
    pub name: &'static str,
    /// Its entries.
    pub entries: Vec<CatalogueEntry>,
}

/// An entry of a table of the engine.
#[derive(Clone, Debug, Serialize)]
pub struct CatalogueEntry {
    /// The name, as templates, flags and settings have it.
    pub name: &'static str,
    /// Its formula; of a module, its parameters; none of a setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// Names, values, kind and default of a setting.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub setting: Option<SettingEntry>,
    /// A sentence about it.
    pub about: &'static str,
}

/// A setting of learning.
#[derive(Clone, Debug, Serialize)]
pub struct SettingEntry {
    /// Its other names.
    pub aliases: &'static [&'static str],
    /// The names of its values, if they have names.
    pub values: Vec<&'static str>,
    /// The kind of its values.
    pub kind: &'static str,
    /// Its default, as text.
    pub default: String,
}

impl CatalogueEntry {
    /// Returns an entry that computes something, or nothing.
    pub fn new(name: &'static str, formula: String, about: &'static str) -> Self {
        Self { name, formula: Some(formula), setting: None, about }
    }

    fn row(&self) -> Vec<String> {
        let of_setting = |setting: &SettingEntry| {
            let default = if setting.default.is_empty() { "none" } else { &setting.default };
            format!("{}, default {default}", setting.kind)
        };
        let formula = self.setting.as_ref().map(of_setting).or_else(|| self.formula.clone());
        vec![self.name.to_owned(), formula.unwrap_or_default(), self.about.to_owned()]
    }
}

impl CatalogueTable {
    /// Returns the table for people.
    pub fn text(&self) -> String {
        let rows: Vec<Vec<String>> = self.entries.iter().map(CatalogueEntry::row).collect();
        columns(&[self.name, "", ""], &rows)
    }
}

/// Returns the tables of the engine.
pub fn catalogue() -> Vec<CatalogueTable> {
    macro_rules! table {
        ($name:literal, $table:ident) => {{
            let entries =
                $table::TABLE.iter().map(|it| CatalogueEntry::new(it.name, it.formula.to_owned(), it.about));
            CatalogueTable { name: $name, entries: entries.collect() }
        }};
    }
    vec![
        CatalogueTable { name: "families", entries: FAMILIES.iter().map(family).collect() },
        table!("activations", Activation),
        table!("combinations", Combination),
        table!("aggregations", Aggregation),
        CatalogueTable { name: "modules", entries: modules().iter().map(module).collect() },
        table!("losses", Loss),
        table!("readouts", Readout),
        table!("optimizers", Optimizer),
        table!("schedules", RateSchedule),
        table!("initialisations", Initialisation),
        table!("metrics", Metric),
        CatalogueTable { name: "settings", entries: Settings::TABLE.iter().map(setting).collect() },
    ]
}

fn setting(setting: &'static Setting<Settings>) -> CatalogueEntry {
    let default = (setting.get)(&Settings::default());
    let (aliases, values, kind) = (setting.aliases, (setting.values)(), setting.kind);
    let entry = SettingEntry { aliases, values, kind, default };
    CatalogueEntry { name: setting.name, formula: None, setting: Some(entry), about: setting.about }
}

fn family(family: &'static Family) -> CatalogueEntry {
    let (minus, and) = match family.rule.minus_inputs {
        true => (" - k + b0", format!(" with b0 = {}", family.rule.offset)),
        false => ("", String::new()),
    };
    let (plus, or) = match family.atom.learned {
        true => (" + b0", format!(" with b0 learned from {}", family.atom.offset)),
        false => ("", String::new()),
    };
    let formula = format!(
        "and: {}({}{minus}){and}, groundings: {}, or: {}({}{plus}){or}",
        family.rule.activation.name(),
        family.rule.combination.name(),
        family.aggregation.name(),
        family.atom.activation.name(),
        family.atom.combination.name(),
    );
    CatalogueEntry::new(family.name, formula, family.about)
}

/// Returns a module of the library with its parameters.
fn module(module: &Module) -> CatalogueEntry {
    let parameter = |parameter: &ModuleParameter| match parameter.default {
        Some(default) => format!("{} = {default}", parameter.name),
        None => parameter.name.to_owned(),
    };
    let parameters: Vec<String> = module.parameters.iter().map(parameter).collect();
    CatalogueEntry::new(module.name, parameters.join(", "), module.about)
}
