//! The library: templates that come with the program, written into another by `:- use(gcn, output = h, ...).`
//!
//! A module is a template with names in double braces. Its first line says what it is; a line `%! name: ...` declares a
//! parameter, `%! name = value: ...` one with a default. What is computed from a parameter is written as `{{1-name}}` or
//! `{{1/sqrt(name)}}`.

use std::fmt::Write;

use crate::diagnostic::did_you_mean;
use crate::function::math;
use crate::syntax::ast::ModuleUse;
use crate::syntax::number_text;

/// All modules: name and text.
const MODULES: [(&str, &str); 22] = [
    ("linear", include_str!("library/linear.lrnn")),
    ("mlp", include_str!("library/mlp.lrnn")),
    ("gcn", include_str!("library/gcn.lrnn")),
    ("sage", include_str!("library/sage.lrnn")),
    ("gin", include_str!("library/gin.lrnn")),
    ("gine", include_str!("library/gine.lrnn")),
    ("gatv2", include_str!("library/gatv2.lrnn")),
    ("rgcn", include_str!("library/rgcn.lrnn")),
    ("tag", include_str!("library/tag.lrnn")),
    ("sg", include_str!("library/sg.lrnn")),
    ("appnp", include_str!("library/appnp.lrnn")),
    ("gated", include_str!("library/gated.lrnn")),
    ("attention", include_str!("library/attention.lrnn")),
    ("transformer", include_str!("library/transformer.lrnn")),
    ("rnn", include_str!("library/rnn.lrnn")),
    ("gru", include_str!("library/gru.lrnn")),
    ("lstm", include_str!("library/lstm.lrnn")),
    ("pooling", include_str!("library/pooling.lrnn")),
    ("positions", include_str!("library/positions.lrnn")),
    ("chains", include_str!("library/chains.lrnn")),
    ("rings", include_str!("library/rings.lrnn")),
    ("functional", include_str!("library/functional.lrnn")),
];

/// A module of the library.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Module {
    /// Its name.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Its parameters.
    pub parameters: Vec<ModuleParameter>,
    #[serde(skip)]
    text: &'static str,
}

/// A parameter of a module.
#[derive(Clone, Debug, serde::Serialize)]
pub struct ModuleParameter {
    /// Its name.
    pub name: &'static str,
    /// Its value where none is given.
    pub default: Option<&'static str>,
    /// One line about it.
    pub about: &'static str,
}

/// Returns all modules, in the order of the table.
pub fn modules() -> Vec<Module> {
    let parameter = |line: &'static str| {
        let (declared, about) = line.strip_prefix("%! ")?.split_once(": ")?;
        let (name, default) = match declared.split_once(" = ") {
            Some((name, default)) => (name, Some(default)),
            None => (declared, None),
        };
        Some(ModuleParameter { name, default, about })
    };
    let module = |&(name, text): &(&'static str, &'static str)| Module {
        name,
        about: text.lines().next().unwrap_or("").trim_start_matches("% "),
        parameters: text.lines().filter_map(parameter).collect(),
        text,
    };
    MODULES.iter().map(module).collect()
}

/// Returns the text of a module with its parameters filled in, or what is wrong with them and what to do.
pub(super) fn expand(used: &ModuleUse) -> Result<String, (String, String)> {
    let all = modules();
    let Some(module) = all.iter().find(|module| module.name == used.name) else {
        let names = all.iter().map(|module| module.name);
        let help = did_you_mean(&used.name, names.clone())
            .unwrap_or_else(|| format!("there are {}", names.collect::<Vec<_>>().join(", ")));
        return Err((format!("there is no module `{}`", used.name), help));
    };
    let known = || module.parameters.iter().map(|parameter| parameter.name);
    if let Some((name, _)) = used.parameters.iter().find(|(name, _)| !known().any(|other| other == name)) {
        let help = format!("it has {}", known().collect::<Vec<_>>().join(", "));
        return Err((format!("the module `{}` has no parameter `{name}`", module.name), help));
    }
    let mut values: Vec<(&str, String)> = Vec::new();
    for parameter in &module.parameters {
        let given = used.parameters.iter().find(|(name, _)| name == parameter.name).map(|it| it.1.clone());
        let Some(value) = given.or_else(|| parameter.default.map(|default| filled(default, &values))) else {
            let message = format!("the module `{}` needs the parameter `{}`", module.name, parameter.name);
            return Err((message, format!("{}: {}", parameter.name, parameter.about)));
        };
        values.push((parameter.name, value));
    }
    let lines = module.text.lines().filter(|line| !line.starts_with('%'));
    let text: Vec<String> = lines.map(|line| filled(line, &values)).collect();
    Ok(text.join("\n") + "\n")
}

fn filled(text: &str, values: &[(&str, String)]) -> String {
    let value = |name: &str| values.iter().find(|(own, _)| *own == name).map(|(_, value)| value.as_str());
    let mut text = text.to_owned();
    for (name, value) in values {
        text = text.replace(&format!("{{{{{name}}}}}"), value);
        if let Ok(number) = value.parse::<f64>() {
            text = text.replace(&format!("{{{{1-{name}}}}}"), &number_text(1.0 - number));
            let root = number_text(1.0 / number.max(f64::MIN_POSITIVE).sqrt());
            text = text.replace(&format!("{{{{1/sqrt({name})}}}}"), &root);
        }
    }
    let whole = |name: &str| value(name).and_then(|it| it.parse::<usize>().ok()).unwrap_or(0).min(100_000);
    if text.contains("{{sines}}") {
        let facts = sines(value("output").unwrap_or(""), whole("size"), whole("length"));
        text = text.replace("{{sines}}", &facts);
    }
    text
}

/// Returns the facts of a positional encoding: sin(t / 10000^(2i/d)) and cos of the same, one after the other.
fn sines(output: &str, size: usize, length: usize) -> String {
    let mut facts = String::new();
    for place in 0..length {
        let angle = |at: usize| {
            let exponent = (at / 2 * 2) as f64 / size.max(1) as f64;
            place as f64 / math::exp(exponent * math::ln(10_000.0_f64))
        };
        let turned =
            |at: usize| if at.is_multiple_of(2) { sine(angle(at)) } else { sine(angle(at) + QUARTER) };
        let numbers: Vec<String> = (0..size).map(|at| number_text(turned(at))).collect();
        let _ = writeln!(facts, "<[{}]> :: {output}__position({place}).", numbers.join(", "));
    }
    facts
}

/// A quarter of a turn.
const QUARTER: f64 = std::f64::consts::FRAC_PI_2;

/// Returns the sine by its series, the same on every platform.
fn sine(x: f64) -> f64 {
    let turn = 4.0 * QUARTER;
    let x = x - turn * (x / turn).round();
    let (mut term, mut sum) = (x, x);
    for at in 1..20 {
        let at = f64::from(2 * at);
        term = -term * x * x / (at * (at + 1.0));
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_are_sines() {
        for at in 0..200 {
            let x = f64::from(at) / 7.0;
            assert!((sine(x) - x.sin()).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn every_module_says_what_it_is() {
        for module in modules() {
            assert!(module.about.ends_with('.') && module.about.len() > 10, "{}", module.name);
            assert!(!module.parameters.is_empty(), "{}", module.name);
        }
    }
}
