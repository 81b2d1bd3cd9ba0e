//! Data and templates from memory as files, which read back to the last bit.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use lrnn::data::{Example, Query};
use lrnn::vocabulary::{ConstantId, PredicateId};
use lrnn::{Dataset, Error, ErrorKind, Template};

use crate::{create_folder, write_atomically};

/// Writes data as a folder of text: `examples.txt` and, where there are any, queries, names, folds and weights. What
/// is read from it is the same data with the same fingerprint.
pub fn write_data(folder: &Path, dataset: &Dataset) -> Result<(), Error> {
    create_folder(folder)?;
    let texts = [
        ("examples.txt", examples(dataset)?),
        ("queries.txt", queries(dataset)?),
        ("ids.txt", lines(&dataset.ids)),
        ("folds.txt", lines(&dataset.folds)),
        (
            "weights.txt",
            lines(&dataset.weights.iter().map(|weight| format!("{weight:?}")).collect::<Vec<_>>()),
        ),
    ];
    for (name, text) in texts.iter().filter(|(_, text)| !text.is_empty()) {
        write_atomically(&folder.join(name), text.as_bytes())?;
    }
    Ok(())
}

/// Writes a template and what it imports into a folder, and returns the path of its main text.
pub fn write_template(folder: &Path, template: &Template) -> Result<PathBuf, Error> {
    let texts = template.texts();
    for (name, text) in &texts {
        let path = folder.join(name);
        if Path::new(name).is_absolute() || name.split('/').any(|part| part == "..") {
            let message = format!("the template imports {name}, which is not below its own folder");
            return Err(Error::new(ErrorKind::Content, message).help("read the template from its file"));
        }
        create_folder(path.parent().unwrap_or(folder))?;
        write_atomically(&path, text.as_bytes())?;
    }
    Ok(folder.join(texts.first().map_or("template.lrnn", |(name, _)| name)))
}

fn lines<T: std::fmt::Display>(all: &[T]) -> String {
    all.iter().map(|one| format!("{one}\n")).collect()
}

fn examples(dataset: &Dataset) -> Result<String, Error> {
    let mut text = String::new();
    for (number, example) in dataset.examples.iter().enumerate() {
        if example.tables.iter().all(|table| table.rows == 0) {
            return Err(unwritable(dataset, number, "has no facts"));
        }
        facts(&mut text, dataset, example);
    }
    Ok(text)
}

/// Writes an example as a sentence.
fn facts(text: &mut String, dataset: &Dataset, example: &Example) {
    let mut before = "";
    for table in &example.tables {
        for row in 0..table.rows as usize {
            text.push_str(before);
            before = ", ";
            if !table.values.is_empty() {
                value(text, table.value(row), table.shape.columns as usize, !table.shape.is_number());
            }
            atom(text, dataset, table.predicate, table.row(row));
        }
    }
    text.push_str(".\n");
}

fn queries(dataset: &Dataset) -> Result<String, Error> {
    let mut text = String::new();
    if let Some(lifted) = dataset.lifted.first() {
        return Err(unwritable(dataset, lifted.example, "has queries with variables"));
    }
    if dataset.queries.iter().all(Vec::is_empty) {
        return Ok(text);
    }
    for (number, queries) in dataset.queries.iter().enumerate() {
        if queries.is_empty() {
            return Err(unwritable(dataset, number, "has no query, while others have"));
        }
        if queries.iter().any(|query| query.weight != 1.0) {
            return Err(unwritable(dataset, number, "has queries with weights of their own"));
        }
        for (at, Query { predicate, terms, target, .. }) in queries.iter().enumerate() {
            text.push_str(if at == 0 { "" } else { ", " });
            if let Some(target) = target {
                value(&mut text, target, 1, target.len() > 1);
            }
            atom(&mut text, dataset, *predicate, terms);
        }
        text.push_str(".\n");
    }
    Ok(text)
}

fn unwritable(dataset: &Dataset, number: usize, why: &str) -> Error {
    let message = format!("example {} {why}: no file of examples can say so", dataset.example_name(number));
    Error::new(ErrorKind::Content, message).help("leave such examples out, or learn without a folder")
}

fn atom(text: &mut String, dataset: &Dataset, predicate: PredicateId, terms: &[ConstantId]) {
    text.push_str(&dataset.vocabulary.atom_text(predicate, terms));
}

/// Writes a value before its atom, each number with the digits that give its bits again.
fn value(text: &mut String, numbers: &[f64], columns: usize, is_tensor: bool) {
    let list = |numbers: &[f64]| {
        let all: Vec<String> = numbers.iter().map(|number| format!("{number:?}")).collect();
        format!("[{}]", all.join(", "))
    };
    let _ = match is_tensor {
        false => write!(text, "{:?} ", numbers[0]),
        true if columns == 1 => write!(text, "{} ", list(numbers)),
        true => {
            let rows: Vec<String> = numbers.chunks(columns.max(1)).map(list).collect();
            write!(text, "[{}] ", rows.join(", "))
        }
    };
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::read_dataset;
    use lrnn::data::Value;
    use lrnn::function::Shape;
    use lrnn::model::fingerprint;

    #[test]
    fn data_comes_back_from_its_files() {
        let template = Template::parse("w[T] :: p :- q(A, T), v(A), m(A).").expect("a template");
        let mut data = template.data();
        let matrix = Value { numbers: vec![1e-300, 0.1, -3.0, 1e21], shape: Shape::matrix(2, 2) };
        data.example("first one")
            .fact("q", ("Anna's", -2.5))
            .fact_with(matrix, "m", ("a",))
            .fact_with(vec![0.1 + 0.2, 1.0], "v", ("a",))
            .fact_with(1.0 / 3.0, "charge", (7,))
            .target(vec![0.5, 1e-12], "p", ())
            .query("q", ("a", "b"));
        data.example("2").fact("q", ("é", 1e15)).fact_with(0.0, "charge", ("b",)).target(1.0, "p", ());
        let mut data = data.build().expect("data");
        data.weights = vec![0.1, 2.0];
        data.folds = vec![1, 0];
        let folder = std::env::temp_dir().join(format!("lrnn-data-{}", std::process::id()));
        write_data(&folder, &data).expect("written data");
        let columns = crate::MoleculeColumns::default();
        let (read, _) = read_dataset(&folder, &columns, template.vocabulary.clone()).expect("the data");
        assert_eq!(fingerprint(&read), fingerprint(&data));
        assert_eq!((&read.ids, &read.folds, &read.weights), (&data.ids, &data.folds, &data.weights));
        fs::remove_dir_all(folder).expect("the folder of the test");
    }

    #[test]
    fn what_no_file_can_say_is_an_error() {
        let mut data = Template::parse("p :- q(X).").expect("a template").data();
        data.example("").fact("q", ("a",));
        data.example("empty");
        let folder = std::env::temp_dir().join(format!("lrnn-no-data-{}", std::process::id()));
        let error = write_data(&folder, &data.build().expect("data")).expect_err("an example without facts");
        assert!(error.message().starts_with("example empty has no facts"), "{error}");
        let _ = fs::remove_dir_all(folder);
    }
}
