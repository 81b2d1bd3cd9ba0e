//! The files of the page that are the same for every report.

pub(super) const SHELL: &str = include_str!("../../front/shell.html");
pub(super) const STYLE: &str = include_str!("../../front/style.css");

/// A script with its name.
macro_rules! scripts {
    ($($name:literal),* $(,)?) => { [$(($name, include_str!(concat!("../../front/src/", $name)))),*] };
}

/// The scripts in the order they run in: all say what they can do, and the last one does it.
pub(super) const SCRIPTS: [(&str, &str); 22] = scripts![
    "chart.js",
    "crossval.js",
    "dom.js",
    "example.js",
    "examples.js",
    "explanation.js",
    "format.js",
    "graph.js",
    "molecule.js",
    "heat.js",
    "layers.js",
    "learning.js",
    "netparts.js",
    "netview.js",
    "network.js",
    "overview.js",
    "panzoom.js",
    "patterns.js",
    "results.js",
    "table.js",
    "tree.js",
    "main.js",
];

/// Returns all scripts as one.
pub(super) fn script() -> String {
    SCRIPTS.iter().map(|(_, text)| *text).collect::<Vec<_>>().join("\n")
}
