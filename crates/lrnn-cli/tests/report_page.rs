//! The page of a report in a browser: its scripts are typed, and Chromium opens what `lrnn report` wrote and uses it as a
//! reader would. This needs node, npm and Chromium; where they are missing the test says so and what to install.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
}

fn front() -> PathBuf {
    root().join("crates/lrnn-report/front")
}

/// A line that is seen although the test passes.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "\n{line}");
}

fn runs(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Where Chromium is, as `front/test/browser.js` looks for it.
fn chromium() -> Option<PathBuf> {
    let places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    let named = std::env::var_os("LRNN_CHROMIUM").map(PathBuf::from);
    named.into_iter().chain(places.map(PathBuf::from)).find(|path| path.exists())
}

/// The folder with the checking tools, installed if they are not or if others are wanted now.
fn tools() -> Result<PathBuf, String> {
    let folder = root().join(".tools/front");
    let wanted = fs::read_to_string(front().join("package-lock.json")).unwrap();
    let stamp = folder.join("installed.json");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(folder);
    }
    fs::create_dir_all(&folder).unwrap();
    for file in ["package.json", "package-lock.json"] {
        fs::copy(front().join(file), folder.join(file)).unwrap();
    }
    let words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    let output =
        Command::new("npm").args(words).current_dir(&folder).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    fs::write(stamp, wanted).unwrap();
    Ok(folder)
}

/// An empty folder.
fn emptied(path: &Path) {
    let _ = fs::remove_dir_all(path);
    fs::create_dir_all(path).unwrap();
}

/// Learns for a moment from a folder of data, and writes the report of the run.
fn report(data: &Path, out: &Path) {
    let run = out.with_extension("run");
    let _ = fs::remove_dir_all(&run);
    let words =
        ["train", "--quiet", "--epochs", "8", "--restarts", "2", "--test", "0.25", "--validation", "0.25"];
    let mut train = Command::new(env!("CARGO_BIN_EXE_lrnn"));
    train.args(words).arg(data).arg("--out").arg(&run);
    let mut report = Command::new(env!("CARGO_BIN_EXE_lrnn"));
    report.args(["report", "--quiet"]).arg(&run).arg("-o").arg(out);
    for command in [&mut train, &mut report] {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The report of a cross-validation of Mutagenesis: all molecules, ten folds, a moment of learning for each.
fn molecules(out: &Path) {
    let data = root().join("datasets/mutagenesis");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lrnn"));
    command.args(["crossval", "--quiet", "--folds", "10", "--epochs", "3", "--optimizer", "lbfgs"]);
    command.arg("--template").arg(data.join("template.lrnn")).arg("--data").arg(&data);
    command.arg("--out").arg(out.with_extension("run")).arg(format!("--report={}", out.display()));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Small graphs whose names are `names`, in turn: markup, scripts, turns of direction, or harmless ones. A number before each keeps
/// them in one order, so that all else is equal.
fn named(folder: &Path, names: &[String]) {
    emptied(folder);
    let name = |number: usize| format!("n{number:05}{}", names[number % names.len()]);
    let mut examples = String::new();
    let mut queries = String::new();
    let mut ids = String::new();
    for example in 0..16 {
        let node = |at: usize| name(100 * (example + 1) + at);
        let mut facts: Vec<String> = Vec::new();
        for at in 0..5 {
            let kind = name((at * (example + 3) + example / 2) % 4);
            facts.push(format!("'{}'('{}', '{kind}')", name(10), node(at)));
            facts.push(format!("'{}'('{}', '{}')", name(11), node(at), node((at + 1) % 5)));
        }
        examples += &format!("{}.\n", facts.join(", "));
        queries += &format!("{} good.\n", (example + example / 3) % 2);
        ids += &format!("{}\n", name(1000 + example));
    }
    let template = format!(
        ":- family(max_sigmoid).\nw[T] :: in(A) :- '{0}'(A, T).\n0.3 :: '{2}' :- in(A), '{1}'(A, B), in(B).\n0.4 :: good :- '{2}'.\n",
        name(10),
        name(11),
        name(12)
    );
    fs::write(folder.join("examples.txt"), examples).unwrap();
    fs::write(folder.join("queries.txt"), queries).unwrap();
    fs::write(folder.join("ids.txt"), ids).unwrap();
    fs::write(folder.join("template.lrnn"), template).unwrap();
    fs::write(folder.join("lrnn.toml"), "template = \"template.lrnn\"\nseed = 1\n").unwrap();
}

fn hostile_names() -> Vec<String> {
    let texts = [
        "<script>window.__ran = 1</script>",
        "\"><img src=x onerror=\"window.__ran=1\">",
        "</script><script>window.__ran=1</script>",
        "a\u{202e}b\u{202c}\u{2066}c\u{200f}",
        "\u{1b}[2J\u{7}\u{7f}\u{9b}",
        "{{script}}{{data}}",
        "<!-- ]]> &lt;b&gt; &amp;",
        "__proto__",
        "%E0%A4%A&answer=2#x=1",
        "constructor",
    ];
    texts.map(str::to_owned).into_iter().chain(["long ".repeat(2000)]).collect()
}

#[test]
fn a_browser_shows_reports() {
    let missing: Vec<&str> = ["node", "npm"].into_iter().filter(|program| !runs(program)).collect();
    let chromium = chromium();
    if !missing.is_empty() || chromium.is_none() {
        let install =
            "install node 20 or newer, npm and chromium (Debian: apt-get install nodejs npm chromium)";
        let browser = if chromium.is_none() { "chromium" } else { "" };
        say(&format!(
            "SKIPPED: the page of reports was NOT tested; {} {browser} missing: {install}",
            missing.join(" ")
        ));
        return;
    }
    let tools = match tools() {
        Ok(tools) => tools,
        Err(trouble) => {
            say(&format!(
                "SKIPPED: the page of reports was NOT tested; npm cannot install its tools: {trouble}"
            ));
            return;
        }
    };
    let typed = Command::new(tools.join("node_modules/.bin/tsc")).arg("-p").arg(front()).output().unwrap();
    assert!(typed.status.success(), "types: {}", String::from_utf8_lossy(&typed.stdout));

    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report page");
    emptied(&folder);
    let page = |name: &str| folder.join(format!("{name}.html"));
    molecules(&page("molecules"));
    let plain: Vec<String> = (0..hostile_names().len()).map(|at| format!("name{at}_")).collect();
    named(&folder.join("plain"), &plain);
    report(&folder.join("plain"), &page("plain"));
    let hostile = folder.join("<img src=x onerror=window.__ran=1>");
    named(&hostile, &hostile_names());
    report(&hostile, &page("hostile"));

    let mut tests: Vec<PathBuf> =
        fs::read_dir(front().join("test")).unwrap().map(|entry| entry.unwrap().path()).collect();
    tests.retain(|path| path.to_string_lossy().ends_with(".test.js"));
    tests.sort();
    let output = Command::new("node")
        .arg("--test")
        .args(&tests)
        .env("NODE_PATH", tools.join("node_modules"))
        .env("LRNN_REPORT", page("molecules"))
        .env("LRNN_REPORT_PLAIN", page("plain"))
        .env("LRNN_REPORT_HOSTILE", page("hostile"))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    for line in told.lines().filter(|line| line.contains("was ready in")) {
        say(line);
    }
}
