//! The files of the page that are the same for every report.

pub(super) const SHELL: &str = include_str!("../../front/shell.html");
pub(super) const STYLE: &str = include_str!("../../front/style.css");

/// The scripts, `main.js` last: it uses all others.
pub(super) const SCRIPTS: [(&str, &str); 19] = [
    ("chart.js", include_str!("../../front/src/chart.js")),
    ("crossval.js", include_str!("../../front/src/crossval.js")),
    ("dom.js", include_str!("../../front/src/dom.js")),
    ("examples.js", include_str!("../../front/src/examples.js")),
    ("explanation.js", include_str!("../../front/src/explanation.js")),
    ("format.js", include_str!("../../front/src/format.js")),
    ("graph.js", include_str!("../../front/src/graph.js")),
    ("heat.js", include_str!("../../front/src/heat.js")),
    ("layers.js", include_str!("../../front/src/layers.js")),
    ("learning.js", include_str!("../../front/src/learning.js")),
    ("netview.js", include_str!("../../front/src/netview.js")),
    ("network.js", include_str!("../../front/src/network.js")),
    ("overview.js", include_str!("../../front/src/overview.js")),
    ("panzoom.js", include_str!("../../front/src/panzoom.js")),
    ("patterns.js", include_str!("../../front/src/patterns.js")),
    ("results.js", include_str!("../../front/src/results.js")),
    ("table.js", include_str!("../../front/src/table.js")),
    ("tree.js", include_str!("../../front/src/tree.js")),
    ("main.js", include_str!("../../front/src/main.js")),
];

/// All scripts as one.
pub(super) fn script() -> String {
    SCRIPTS.iter().map(|(_, text)| *text).collect::<Vec<_>>().join("\n")
}
