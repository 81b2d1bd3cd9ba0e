//! Model files, and the template that a model brings with it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use lrnn::Error;
use lrnn::model::{Model, ModelError};

use crate::file::{content_error, file_error, io_error};
use crate::write::write_atomically;

/// Enough bytes to tell whether a file is a model.
const BEGINNING: u64 = 64;

/// Reads a model. What does not begin as one is not read any further.
pub fn read_model(path: &Path) -> Result<Model, Error> {
    let mut file = File::open(path).map_err(|error| io_error(path, &error))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(file_error(path, "this is a folder, where a model was expected"));
    }
    let mut bytes = Vec::new();
    let mut read = Read::by_ref(&mut file).take(BEGINNING).read_to_end(&mut bytes);
    if read.is_ok() && lrnn::model::is_model(&bytes) {
        read = file.read_to_end(&mut bytes);
    }
    read.map_err(|error| io_error(path, &error))?;
    Model::from_bytes(&bytes).map_err(|error| content(path, &error))
}

/// Tells whether a file begins as a model does.
pub(crate) fn is_model_file(path: &Path) -> bool {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut bytes));
    read.is_ok() && lrnn::model::is_model(&bytes)
}

/// Writes a model, whole or not at all.
pub fn write_model(path: &Path, model: &Model) -> Result<(), Error> {
    let bytes = model.to_bytes().map_err(|error| content(path, &error))?;
    write_atomically(path, &bytes)
}

fn content(path: &Path, error: &ModelError) -> Error {
    error.help().into_iter().fold(content_error(path, error), Error::help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::read_template;
    use lrnn::ErrorKind;
    use lrnn::model::Precision;
    use lrnn::template::Options;
    use std::fs;
    use std::path::PathBuf;

    /// Returns a folder for one test with files of these names and texts.
    fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("lrnn-model-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        for (name, text) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder for the test");
            fs::write(path, text).expect("a file of the test");
        }
        folder
    }

    fn model(sources: Vec<(String, String)>) -> Model {
        Model {
            sources,
            family: Some("godel".into()),
            precision: Precision::F64,
            version: "0.1.0".into(),
            fingerprint: 1,
            ..Model::default()
        }
    }

    #[test]
    fn a_model_brings_its_template_with_all_imports() {
        let files = [
            ("main/t.lrnn", "import ./parts/../parts/a.lrnn\nimport ../b.lrnn\n0.5 :: p(X) :- q(X).\n"),
            ("main/parts/a.lrnn", "import ../../b.lrnn\n0.25 :: p(X) :- r(X).\n"),
            ("b.lrnn", "0.75 :: p(X) :- s(X).\n"),
        ];
        let folder = folder("imports", &files);
        let path = folder.join("main/t.lrnn");
        let file = read_template(&path, Options::default()).expect("files");
        let template = file.into_template().expect("a template");
        let model = model(template.texts());
        let names: Vec<&str> = model.sources.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["t.lrnn", "parts/a.lrnn", "../b.lrnn"]);
        write_model(&folder.join("model"), &model).expect("a written model");
        let read = read_model(&folder.join("model")).expect("a model");
        fs::remove_dir_all(folder).expect("the folder of the test");
        let again = read.template().expect("a template");
        let rules = |template: &lrnn::Template| {
            template
                .rules
                .iter()
                .map(|rule| template.vocabulary.signature(rule.inputs[0].atom.predicate).to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(rules(&again), rules(&template));
        assert_eq!(
            (rules(&again), again.family.name),
            (vec!["s/1".into(), "r/1".into(), "q/1".into()], "godel")
        );
    }

    #[test]
    fn a_model_without_a_part_of_its_template_is_refused() {
        let error = model(vec![("t.lrnn".into(), "import ./gone.lrnn\np :- q.".into())]).template();
        assert_eq!(error.expect_err("a part is missing").diagnostics()[0].code, "E0125");
        assert!(model(Vec::new()).template().is_err());
    }

    #[test]
    fn what_is_no_model_is_told() {
        let folder = folder("wrong", &[("t.lrnn", "p :- q."), ("cut", "........{\"__metadata__\":{\"che")]);
        let message = |name: &str| {
            let error = read_model(&folder.join(name)).expect_err("no model");
            (
                error.message().split_once(": ").expect("a path").1.to_owned(),
                error.kind() == ErrorKind::Content,
            )
        };
        assert_eq!(message("t.lrnn"), (ModelError::NotAModel.to_string(), true));
        assert_eq!(message("cut"), (ModelError::CutShort.to_string(), true));
        assert_eq!(message("T.lrnn"), ("there is no such file or folder".into(), false));
        assert!(!message("").1);
        fs::remove_dir_all(&folder).expect("the folder of the test");
    }
}
