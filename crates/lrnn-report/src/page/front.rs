//! The files of the page that are the same for every report.

pub(super) const SHELL: &str = include_str!("../../front/shell.html");
pub(super) const STYLE: &str = include_str!("../../front/style.css");

/// The scripts, `main.js` last: it uses all others.
pub(super) const SCRIPTS: [(&str, &str); 21] = [
    ("chart.js", include_str!("../../front/src/chart.js")),
    ("crossval.js", include_str!("../../front/src/crossval.js")),
    ("dom.js", include_str!("../../front/src/dom.js")),
    ("example.js", include_str!("../../front/src/example.js")),
    ("examples.js", include_str!("../../front/src/examples.js")),
    ("explanation.js", include_str!("../../front/src/explanation.js")),
    ("format.js", include_str!("../../front/src/format.js")),
    ("graph.js", include_str!("../../front/src/graph.js")),
    ("heat.js", include_str!("../../front/src/heat.js")),
    ("layers.js", include_str!("../../front/src/layers.js")),
    ("learning.js", include_str!("../../front/src/learning.js")),
    ("netparts.js", include_str!("../../front/src/netparts.js")),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_is_in_the_page() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("front/src");
        let files =
            std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").file_name());
        let mut files: Vec<String> = files.map(|name| name.to_string_lossy().into_owned()).collect();
        files.sort();
        let mut names: Vec<&str> = SCRIPTS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.last(), Some(&"main.js"));
        names.sort_unstable();
        assert_eq!(names, files);
    }
}
