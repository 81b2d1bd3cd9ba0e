//! `lrnn experiment`: many methods on many datasets, resumable, with a summary.

use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use crate::learning::{TEMPLATE, data, document};
use crate::run::Folder;

const FILE: &str = "\
folds = 4
inner = 0.25

[[dataset]]
name = \"first\"
path = \"one.txt\"

[[dataset]]
path = \"two.txt\"

[[method]]
name = \"max sigmoid\"
template = \"t.lrnn\"
family = \"max_sigmoid\"
[method.learning]
epochs = 100
[method.search]
learning_rate = [0.01, 0.1]

[[method]]
name = \"average\"
template = \"t.lrnn\"
family = \"avg_sigmoid\"
learning = { epochs = 60, learning_rate = 0.1 }

[[method]]
name = \"logistic\"
baseline = \"logistic\"
template = \"t.lrnn\"

[[method]]
name = \"majority\"
baseline = \"majority\"
";

/// What must not depend on threads, kills or the clock.
const FILES: [&str; 6] = [
    "results.json",
    "results.csv",
    "results.tex",
    "comparisons.csv",
    "figure.svg",
    "first/max-sigmoid/predictions.csv",
];

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("e.toml", FILE);
    folder.write("t.lrnn", TEMPLATE);
    folder.write("one.txt", data(0, 40));
    folder.write("two.txt", data(50, 32));
    folder
}

fn files(folder: &Folder, run: &str) -> Vec<String> {
    FILES.iter().map(|name| folder.read(&format!("{run}/{name}"))).collect()
}

#[test]
fn every_method_is_measured_on_every_dataset() {
    let folder = folder("experiment whole");
    let ended = folder.lrnn(&["experiment", "e.toml", "--json", "--threads", "1"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let found = document(&ended);
    assert_eq!(found["datasets"], serde_json::json!(["first", "two"]));
    assert_eq!(found["comparisons"].as_array().map(Vec::len), Some(6));
    for row in found["results"].as_array().expect("rows") {
        for cell in row.as_array().expect("cells") {
            assert_eq!(cell["folds"].as_array().map(Vec::len), Some(4), "{cell}");
        }
    }
    let csv = folder.read("runs/e/results.csv");
    assert!(csv.starts_with("dataset,max sigmoid,average,logistic,majority\nfirst,"), "{csv}");
    assert!(folder.read("runs/e/figure.svg").contains("</svg>"));
    // Done once, it is not done again.
    let again = folder.lrnn(&["experiment", "e.toml", "--threads", "2"]);
    assert!(again.code == 0 && again.out.contains("Wilcoxon p"), "{}", again.err);
    let other = folder.lrnn(&["experiment", "e.toml", "--threads", "2", "--out", "other"]);
    assert_eq!(other.code, 0, "{}", other.err);
    assert_eq!(files(&folder, "runs/e"), files(&folder, "other"));
}

#[test]
fn killed_it_goes_on_and_more_can_be_added() {
    let folder = folder("experiment kill");
    assert_eq!(folder.lrnn(&["experiment", "e.toml", "--out", "whole"]).code, 0);
    for lines in [2, 9, 13] {
        let run = format!("run{lines}");
        let words = ["experiment", "e.toml", "--out", &run];
        let mut child =
            folder.command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the command");
        let journal = folder.path(&run).join("two/max-sigmoid/journal.jsonl");
        let count = || fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
        while count() < lines && child.try_wait().expect("a child").is_none() {
            sleep(Duration::from_millis(2));
        }
        let _ = child.kill();
        child.wait().expect("its end");
        let ended = folder.lrnn(&words);
        assert_eq!(ended.code, 0, "{}", ended.err);
        assert_eq!(files(&folder, &run), files(&folder, "whole"), "{run}");
    }
    folder.write(
        "e.toml",
        format!("{FILE}\n[[method]]\nname = \"boosted\"\nbaseline = \"boosted\"\ntemplate = \"t.lrnn\"\n"),
    );
    let more = folder.lrnn(&["experiment", "e.toml", "--out", "whole"]);
    assert!(more.code == 0 && folder.read("whole/results.csv").contains(",boosted\n"), "{}", more.err);
    folder.write("e.toml", FILE.replace("epochs = 100", "epochs = 90"));
    let changed = folder.lrnn(&["experiment", "e.toml", "--out", "whole"]);
    assert!(changed.code == 3 && changed.err.contains("the settings of learning changed"), "{}", changed.err);
}

#[test]
fn shards_are_put_together_as_if_there_were_none() {
    let folder = folder("experiment shards");
    assert_eq!(folder.lrnn(&["experiment", "e.toml", "--out", "whole"]).code, 0);
    for shard in ["2/3", "1/3"] {
        let ended = folder.lrnn(&["experiment", "e.toml", "--out", "shards", "--shard", shard]);
        assert!(ended.code == 0 && ended.err.contains("when all are"), "{}", ended.err);
    }
    // Eight cells: the third shard had two of them.
    let kept = |place: &str| folder.path(&format!("shards/{place}/results.json")).exists();
    assert!(kept("first/max-sigmoid") && kept("first/average") && !kept("first/logistic"));
    assert_eq!(folder.lrnn(&["experiment", "e.toml", "--out", "shards"]).code, 0);
    assert_eq!(files(&folder, "shards"), files(&folder, "whole"));
}

#[cfg(unix)]
#[test]
fn without_python_it_says_what_workers_need() {
    let folder = folder("experiment workers");
    let check = |words: &[&str], code: i32, message: &str| {
        let ended = folder.command(words).env("PATH", "").output().expect("the command");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.code() == Some(code) && said.contains(message), "{said}");
    };
    let data = ["t.lrnn", "one.txt", "--workers"];
    check(&[&["train"][..], &data, &["2"]].concat(), 2, "pip install 'lrnn[ray]'");
    check(&["experiment", "e.toml", "--workers", "2-3"], 2, "workers are started by Python");
    check(&[&["crossval"][..], &data, &["3-2"]].concat(), 2, "a number from 1, or two such as 2-8");
    check(&[&["crossval"][..], &data, &["2", "--cluster", "there"]].concat(), 2, "--shared");
    // A package of another version would not know the same words.
    folder.write("bin/python3", "#!/bin/sh\necho 0.0.0\n");
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder.path("bin/python3"), fs::Permissions::from_mode(0o755)).expect("a script");
    let mut command = folder.command(&["experiment", "e.toml", "--workers", "2"]);
    let ended = command.env("PATH", folder.path("bin")).output().expect("the command");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.code() == Some(2) && said.contains("its package is version 0.0.0"), "{said}");
}

#[test]
fn a_method_that_fails_takes_nothing_from_the_summary() {
    let folder = folder("experiment added");
    let head = FILE.split("[[method]]").next().expect("datasets");
    let known = "[[method]]\nname = \"known\"\nbaseline = \"majority\"\ntemplate = \"t.lrnn\"\n";
    folder.write("e.toml", format!("{head}{known}"));
    assert_eq!(folder.lrnn(&["experiment", "e.toml"]).code, 0);
    let before = folder.read("runs/e/results.csv");
    let others = "[[method]]\nname = \"none\"\ntemplate = \"none.lrnn\"\n";
    folder.write("none.lrnn", "0.5 :: nothing :- never(X).\n");
    folder.write("e.toml", format!("{head}{others}{known}"));
    let ended = folder.lrnn(&["experiment", "e.toml"]);
    assert_ne!(ended.code, 0, "{}", ended.out);
    let cells = |text: &str| -> Vec<String> {
        text.lines().skip(1).take(2).filter_map(|line| line.rsplit(',').next().map(str::to_owned)).collect()
    };
    assert_eq!(cells(&folder.read("runs/e/results.csv")), cells(&before));
}

#[test]
fn what_is_wrong_with_the_file_is_told() {
    let folder = folder("experiment wrong");
    let check = |from: &str, to: &str, code: i32, message: &str| {
        folder.write("e.toml", FILE.replace(from, to));
        let ended = folder.lrnn(&["experiment", "e.toml"]);
        assert_eq!(ended.code, code, "{}", ended.err);
        assert!(ended.err.contains(message), "{}", ended.err);
    };
    check("folds = 4", "fold = 4", 3, "unknown field `fold`");
    check("folds = 4", "folds = 1", 3, "`folds` must be a number from 2");
    check("inner = 0.25", "inner = 1.5", 3, "`inner` cannot be `1.5`");
    check("inner = 0.25", "search = \"all\"", 3, "there are grid, random, halving");
    check("one.txt", "gone.txt", 5, "gone.txt: there is no such file or folder");
    check(
        "learning_rate = [0.01, 0.1]",
        "rat = [1]",
        3,
        "method `max sigmoid`, search: there is no setting `rat`",
    );
    check("epochs = 100", "epoch = 100", 3, "method `max sigmoid`, learning: there is no setting `epoch`");
    check("baseline = \"logistic\"", "baseline = \"logit\"", 3, "there is no baseline `logit`");
    check("name = \"average\"", "name = \"logistic\"", 3, "two methods are called `logistic`");
    check("name = \"average\"", "name = \"max-sigmoid\"", 3, "two names have the same folder");
    check("[[dataset]]", "[[data]]", 3, "unknown field `data`");
}

#[test]
fn baselines_stand_beside_a_template() {
    let folder = folder("experiment baselines");
    let words = [
        "crossval",
        "--template",
        "t.lrnn",
        "--data",
        "one.txt",
        "--folds",
        "4",
        "--epochs",
        "1",
        "--out",
        "run",
    ];
    let ended = folder.lrnn(&[&words[..], &["--baseline", "majority,logistic,boosted"]].concat());
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.out.contains("baseline logistic: "), "{}", ended.out);
    assert!(ended.out.contains("the template does not beat majority"), "{}", ended.out);
    let wrong = folder.lrnn(&[&words[..], &["--baseline", "logistc"]].concat());
    assert!(wrong.code == 2 && wrong.err.contains("did you mean `logistic`?"), "{}", wrong.err);
}
