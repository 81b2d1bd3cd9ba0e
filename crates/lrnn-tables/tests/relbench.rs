//! A small folder of RelBench: its manifests are read as they are, and a task is learned from them.

mod databases;

use std::path::Path;

use lrnn::vocabulary::Vocabulary;
use lrnn_tables::source::{SourceOptions, open};
use lrnn_tables::{Mapping, Purpose, Tables, infer};

use databases::{has_duckdb, run_duckdb, scratch};

const MANIFEST: &str = "name: rel-small\nmanifest_version: 1\ndescription: |\n  Drivers: and their races.\n\n  Two tables.\n\
    val_timestamp: '2024-03-01'\ntest_timestamp: '2024-04-01'\ntables:\n  drivers:\n    pkey: driver_id\n    time_col: null\n    \
    fkeys: {}\n  results:\n    pkey: result_id\n    time_col: date\n    fkeys:\n      driver_id: drivers\n";
const TASK: &str = "name: driver-dnf\nkind: forecast\ntask_type: binary_classification\nentity_table: drivers\nentity_col: driver\n\
    target_col: did_not_finish\ntime_col: timestamp\ntimedelta: 30 days\nremove_columns:\n- - results\n  - status\nsql: |\n  SELECT 1\n";

#[test]
fn a_task_is_learned_as_of_its_moments() {
    if !has_duckdb() {
        return;
    }
    let folder = scratch("relbench");
    let write = |path: &str, text: &str| {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write("rel/manifest.yaml", MANIFEST);
    write("rel/tasks/driver-dnf/manifest.yaml", TASK);
    write("rel/db/.keep", "");
    let path = |name: &str| folder.join("rel").join(name).display().to_string();
    let sql = format!(
        "COPY (SELECT i AS driver_id, CASE WHEN i % 2 = 0 THEN 'it' ELSE 'de' END AS country FROM range(6) t(i)) TO '{}' (FORMAT parquet);\n\
         COPY (SELECT i AS result_id, i % 6 AS driver_id, DATE '2024-01-01' + CAST(i AS INTEGER) AS date, i % 4 AS place, 'x' AS status \
         FROM range(60) t(i)) TO '{}' (FORMAT parquet);\n\
         COPY (SELECT TIMESTAMP '2024-02-01' AS timestamp, i AS driver, i % 2 AS did_not_finish FROM range(6) t(i)) TO '{}' (FORMAT parquet);\n\
         COPY (SELECT TIMESTAMP '2024-03-01' AS timestamp, i AS driver, i % 2 AS did_not_finish FROM range(6) t(i)) TO '{}' (FORMAT parquet);\n\
         SELECT 1",
        path("db/drivers.parquet"),
        path("db/results.parquet"),
        path("tasks/driver-dnf/train.parquet"),
        path("tasks/driver-dnf/val.parquet"),
    );
    run_duckdb(&folder.join("made.duckdb"), &sql);
    let location = folder.join("rel").display().to_string();
    let source = open(&location, &SourceOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(source.schema("results").expect("a schema").time.as_deref(), Some("date"));
    assert_eq!(source.foreign_keys().expect("keys").len(), 3);
    let found = infer(&*source, &location, "driver-dnf/train.did_not_finish")
        .unwrap_or_else(|error| panic!("{error}"));
    for line in [
        ":- example('driver-dnf/train').",
        ":- as_of('driver-dnf/train'.timestamp).",
        ":- time(results.date).",
    ] {
        assert!(found.mapping.contains(line), "{line} in\n{}", found.mapping);
    }
    assert!(
        !found.mapping.contains("status: X") && found.left_out.iter().any(|it| it.contains("results.status")),
        "{:?}",
        found.left_out
    );
    let mapping = Mapping::parse("inferred", &found.mapping).unwrap_or_else(|error| panic!("{error}"));
    let template = lrnn::Template::parse(&found.template).unwrap_or_else(|error| panic!("{error}"));
    let tables =
        Tables::open(mapping, Path::new(""), Purpose::Learning).unwrap_or_else(|error| panic!("{error}"));
    let data = tables.dataset(Vocabulary::default(), None).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(data.dataset.examples.len(), 6);
    let results = data.preview.lines.iter().find(|line| line.line.starts_with("results(")).expect("a line");
    assert_eq!((results.counts.facts, results.counts.late), (32, 28), "rows up to the first of February");
    assert!(template.rules.len() > 4);
    std::fs::write(folder.join("rel/manifest.yaml"), "tables: {a: b}\n").expect("a file");
    let error = open(&location, &SourceOptions::default()).expect_err("YAML").to_string();
    assert!(error.contains("manifest.yaml") && error.contains("line 1"), "{error}");
}
