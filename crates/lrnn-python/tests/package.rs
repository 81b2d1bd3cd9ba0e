//! The Python package: its tests in a virtual environment of its own, with the library that was built for this test.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the tests need beside numpy.
const PACKAGES: [&str; 15] = [
    "numpy",
    "pytest",
    "scikit-learn",
    "mypy",
    "pandas",
    "pyarrow",
    "polars",
    "duckdb",
    "networkx",
    "tqdm",
    "skops",
    "nbclient",
    "ipykernel",
    "pandas-stubs",
    "rdkit",
];

/// What they take only when the environment variable `LRNN_TORCH` is set, or where somebody put it: torch is 5 GB.
const ON_DEMAND: [&str; 2] = ["torch", "ray"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the project").to_owned()
}

/// Returns a Python of 3.10 or newer, if there is one.
fn python() -> Option<PathBuf> {
    let named = env::var_os("LRNN_PYTHON").map(PathBuf::from);
    let all = named.into_iter().chain(["python3", "python"].map(PathBuf::from));
    let is_new = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
    let is_it = |path: &PathBuf| {
        let tried = Command::new(path).args(["-c", is_new]).output();
        tried.is_ok_and(|tried| tried.status.success())
    };
    all.into_iter().find(is_it)
}

fn run(command: &mut Command) -> Result<(), String> {
    let done = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let text = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    if done.status.success() { Ok(()) } else { Err(format!("{command:?}: {}\n{text}", done.status)) }
}

/// Returns the Python of a virtual environment with what the tests need; made once, and kept.
fn environment(python: &Path) -> Result<PathBuf, String> {
    let folder = root().join(".tools/python");
    let (inside, mark) = (folder.join("bin/python"), folder.join("installed"));
    let on_demand: &[&str] = if env::var_os("LRNN_TORCH").is_some() { &ON_DEMAND } else { &[] };
    let wanted = [&PACKAGES[..], on_demand].concat();
    let text = wanted.join("\n");
    if fs::read_to_string(&mark).is_ok_and(|marked| marked.starts_with(&text)) && inside.exists() {
        return Ok(inside);
    }
    run(Command::new(python).args(["-m", "venv"]).arg(&folder))?;
    run(Command::new(&inside)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .args(&wanted))?;
    fs::write(&mark, text).map_err(|error| error.to_string())?;
    Ok(inside)
}

/// Puts the package together: the scripts as they are, and the library beside them.
fn site() -> PathBuf {
    let site = root().join(".tools/site");
    let package = site.join("lrnn");
    let _ = fs::remove_file(&package);
    let _ = fs::remove_dir_all(&package);
    fs::create_dir_all(&package).expect("a folder for the package");
    for entry in root().join("python/lrnn").read_dir().expect("the package") {
        let path = entry.expect("an entry").path();
        let is_script =
            path.extension().is_some_and(|ending| ending == "py" || ending == "pyi" || ending == "typed");
        if is_script {
            fs::copy(&path, package.join(path.file_name().expect("a name"))).expect("a copy");
        }
    }
    let deps = env::current_exe().expect("this test").parent().expect("its folder").to_owned();
    fs::copy(deps.join("liblrnn_python.so"), package.join("_lrnn.abi3.so")).expect("the compiled library");
    site
}

#[test]
#[cfg(target_os = "linux")]
fn the_tests_of_the_package_pass() {
    const WHOLE: &str = "the Python package is";
    let say = |text: &str, what: &str| {
        // Tests are quiet; what is left out must not be.
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), "SKIPPED: {text}: {what} NOT tested");
    };
    let Some(python) = python() else {
        return say("there is no Python of 3.10 or newer with venv", WHOLE);
    };
    let inside = match environment(&python) {
        Ok(inside) => inside,
        Err(error) => return say(&format!("its packages cannot be installed ({error})"), WHOLE),
    };
    let mut absent = Vec::new();
    for package in ON_DEMAND {
        if run(Command::new(&inside).args(["-c", &format!("import {package}")])).is_err() {
            say(
                &format!("there is no {package} (LRNN_TORCH=1 brings it)"),
                &format!("lrnn with {package} is"),
            );
            absent.push(format!(
                "--ignore={}",
                root().join(format!(".tools/site/lrnn/{package}.py")).display()
            ));
        }
    }
    let tests = run(Command::new(inside)
        .args(["-m", "pytest", "-p", "no:cacheprovider", "--doctest-modules", "python/tests"])
        .args(absent)
        .arg(root().join(".tools/site/lrnn"))
        .env("PYTHONPATH", site())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(root()));
    if let Err(text) = tests {
        panic!("{text}");
    }
}
