//! `lrnn list`: the tables of functions, families, losses, optimizers, metrics, settings and baselines.

use lrnn::evaluate::Metric;
use lrnn::function::{Activation, Aggregation, Combination, FAMILIES};
use lrnn::network::Initialisation;
use lrnn::train::{Loss, Optimizer, RateSchedule, Settings};
use lrnn_lab::baseline::BASELINES;
use serde_json::{Value, json};

use crate::args::{Common, ListArgs, ListKind};
use crate::failure::Error;
use crate::output;

/// A name, what it computes, and a line about it.
type ListRow = (&'static str, String, &'static str);

pub fn run(list: &ListArgs, common: &Common) -> Result<u8, Error> {
    macro_rules! rows {
        ($table:ident) => {
            $table::TABLE.iter().map(|e| (e.name, e.formula.to_owned(), e.about)).collect()
        };
    }
    let all: [(ListKind, &str, Vec<ListRow>); 12] = [
        (ListKind::Families, "families", families()),
        (ListKind::Activations, "activations", rows!(Activation)),
        (ListKind::Combinations, "combinations", rows!(Combination)),
        (ListKind::Aggregations, "aggregations", rows!(Aggregation)),
        (ListKind::Modules, "modules", modules()),
        (ListKind::Losses, "losses", rows!(Loss)),
        (ListKind::Optimizers, "optimizers", rows!(Optimizer)),
        (ListKind::Schedules, "schedules", rows!(RateSchedule)),
        (ListKind::Initialisations, "initialisations", rows!(Initialisation)),
        (ListKind::Metrics, "metrics", rows!(Metric)),
        (ListKind::Settings, "settings", settings()),
        (
            ListKind::Baselines,
            "baselines",
            BASELINES.iter().map(|b| (b.name, String::new(), b.help)).collect(),
        ),
    ];
    let chosen = all.into_iter().filter(|(kind, _, _)| list.kind.is_none_or(|wanted| wanted == *kind));
    if common.json {
        let entry =
            |(name, formula, about): &ListRow| json!({ "name": name, "formula": formula, "about": about });
        let entries = |kind: ListKind, rows: &[ListRow]| match kind {
            ListKind::Settings => settings_json(),
            _ => rows.iter().map(entry).collect(),
        };
        let document: serde_json::Map<String, Value> =
            chosen.map(|(kind, title, rows)| (title.to_owned(), entries(kind, &rows))).collect();
        output::print_json(&Value::Object(document))?;
        return Ok(0);
    }
    let tables: Vec<String> = chosen
        .map(|(_, title, rows)| {
            let rows: Vec<Vec<String>> = rows
                .into_iter()
                .map(|(name, formula, about)| vec![name.to_owned(), formula, about.to_owned()])
                .collect();
            output::table(&[title, "", ""], &rows)
        })
        .collect();
    output::print(&tables.join("\n"))?;
    Ok(0)
}

/// Returns the settings of learning: kind and default in the place of a formula.
fn settings() -> Vec<ListRow> {
    let default = Settings::default();
    let row = |setting: &'static lrnn::train::Setting<Settings>| {
        let value = (setting.get)(&default);
        let value = if value.is_empty() { "none".to_owned() } else { value };
        (setting.name, format!("{}, default {value}", setting.kind), setting.about)
    };
    Settings::TABLE.iter().map(row).collect()
}

fn settings_json() -> Value {
    let default = Settings::default();
    let entry = |setting: &lrnn::train::Setting<Settings>| {
        json!({
            "name": setting.name, "aliases": setting.aliases, "values": (setting.values)(), "kind": setting.kind, "default": (setting.get)(&default), "about": setting.about,
        })
    };
    Settings::TABLE.iter().map(entry).collect()
}

fn families() -> Vec<ListRow> {
    let row = |family: &'static lrnn::function::Family| {
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
        (family.name, formula, family.about)
    };
    FAMILIES.iter().map(row).collect()
}

/// Returns the modules of the library, each with its parameters.
fn modules() -> Vec<ListRow> {
    let parameter = |parameter: &lrnn::template::ModuleParameter| match parameter.default {
        Some(default) => format!("{} = {default}", parameter.name),
        None => parameter.name.to_owned(),
    };
    let row = |module: lrnn::template::Module| {
        let parameters: Vec<String> = module.parameters.iter().map(parameter).collect();
        (module.name, parameters.join(", "), module.about)
    };
    lrnn::template::modules().into_iter().map(row).collect()
}
