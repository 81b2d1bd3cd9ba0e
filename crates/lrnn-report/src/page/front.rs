//! The files of the page that are the same for every report.

pub(super) const SHELL: &str = include_str!("../../front/shell.html");
pub(super) const STYLE: &str = include_str!("../../front/style.css");

/// The scripts, in the order they run in: each may use those before it.
pub(super) const SCRIPTS: [(&str, &str); 1] = [("main.js", include_str!("../../front/src/main.js"))];

/// All scripts as one.
pub(super) fn script() -> String {
    SCRIPTS.iter().map(|(_, text)| *text).collect::<Vec<_>>().join("\n")
}
