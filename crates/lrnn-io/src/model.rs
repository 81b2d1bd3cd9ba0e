//! Model files, and the template that a model brings with it.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use lrnn::diagnostic::Sources;
use lrnn::function::Family;
use lrnn::model::{Model, ModelError};
use lrnn::template::Options;

use crate::file::IoError;
use crate::template::{TemplateFile, Texts, resolve};
use crate::write::write_atomically;

/// Enough bytes to tell whether a file is a model.
const BEGINNING: u64 = 64;

/// Reads a model. What does not begin as one is not read any further.
pub fn read_model(path: &Path) -> Result<Model, IoError> {
    let mut file = File::open(path).map_err(|error| IoError::of(path, &error))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(IoError::new(path, "this is a folder, where a model was expected"));
    }
    let mut bytes = Vec::new();
    let mut read = Read::by_ref(&mut file).take(BEGINNING).read_to_end(&mut bytes);
    if read.is_ok() && lrnn::model::is_model(&bytes) {
        read = file.read_to_end(&mut bytes);
    }
    read.map_err(|error| IoError::of(path, &error))?;
    Model::from_bytes(&bytes).map_err(|error| content(path, &error))
}

/// Writes a model, whole or not at all.
pub fn write_model(path: &Path, model: &Model) -> Result<(), IoError> {
    let bytes = model.to_bytes().map_err(|error| content(path, &error))?;
    write_atomically(path, &bytes)
}

fn content(path: &Path, error: &ModelError) -> IoError {
    let found = IoError::content(path, error.to_string());
    match error.help() {
        Some(help) => found.help(help),
        None => found,
    }
}

/// The texts of a template that was read from this file, as a model keeps them: names are relative to its folder.
pub fn model_sources(path: &Path, sources: &Sources) -> Vec<(String, String)> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let relative = |name: &str| {
        let name = Path::new(name);
        plain(name.strip_prefix(folder).unwrap_or(name)).to_string_lossy().replace('\\', "/")
    };
    sources.iter().map(|(name, text)| (relative(name), text.to_owned())).collect()
}

/// The template of a model, from its own texts alone.
pub fn read_model_template(model: &Model) -> Result<TemplateFile, IoError> {
    let Some((main, _)) = model.sources.first() else {
        return Err(IoError::content(Path::new("the model"), "it holds no template"));
    };
    let main = Path::new(main);
    let family = match &model.family {
        None => None,
        Some(name) => {
            let message = format!("the model asks for the family `{name}`, which this version does not know");
            Some(Family::find(name).ok_or_else(|| IoError::content(main, message))?)
        }
    };
    resolve(main, Texts::Stored(&model.sources), Options { family, strict: false })
}

/// A path without `.`, and without `..` where there is something to leave.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::read_template;
    use lrnn::model::Precision;
    use std::fs;

    /// A folder for one test with files of these names and texts.
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
            weights: lrnn::model::WeightList::default(),
            settings: String::new(),
            precision: Precision::F64,
            version: "0.1.0".into(),
            fingerprint: 1,
            notes: Default::default(),
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
        let model = model(model_sources(&path, &file.sources));
        let names: Vec<&str> = model.sources.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["t.lrnn", "parts/a.lrnn", "../b.lrnn"]);
        write_model(&folder.join("model"), &model).expect("a written model");
        let read = read_model(&folder.join("model")).expect("a model");
        fs::remove_dir_all(folder).expect("the folder of the test");
        let again = read_model_template(&read).expect("texts").template.expect("a template");
        let rules = |template: &lrnn::Template| {
            template
                .rules
                .iter()
                .map(|rule| template.vocabulary.signature(rule.inputs[0].atom.predicate).to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(rules(&again), rules(&file.template.expect("a template")));
        assert_eq!(
            (rules(&again), again.family.name),
            (vec!["s/1".into(), "r/1".into(), "q/1".into()], "godel")
        );
    }

    #[test]
    fn a_model_without_a_part_of_its_template_is_refused() {
        let file = read_model_template(&model(vec![("t.lrnn".into(), "import ./gone.lrnn\np :- q.".into())]));
        let file = file.expect("a text");
        assert!(file.template.is_none() && file.diagnostics[0].code == "E0125", "{:?}", file.diagnostics);
        assert!(read_model_template(&model(Vec::new())).is_err());
    }

    #[test]
    fn what_is_no_model_is_told() {
        let folder = folder("wrong", &[("t.lrnn", "p :- q."), ("cut", "........{\"__metadata__\":{\"che")]);
        let message = |name: &str| {
            let error = read_model(&folder.join(name)).expect_err("no model");
            (error.message, error.is_content)
        };
        assert_eq!(message("t.lrnn"), (ModelError::NotAModel.to_string(), true));
        assert_eq!(message("cut"), (ModelError::CutShort.to_string(), true));
        assert_eq!(message("T.lrnn"), ("there is no such file or folder".into(), false));
        assert!(!message("").1);
        fs::remove_dir_all(&folder).expect("the folder of the test");
    }
}
