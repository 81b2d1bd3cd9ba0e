//! `lrnn crossval`: the same table on any number of threads, after any kill; test targets are never seen.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::learning::{TEMPLATE, data, document};
use crate::run::{Ended, Folder};

const TOML: &str = "\
template = \"t.lrnn\"
data = \"d.txt\"

[learning]
epochs = 20
test = 0.1

[search]
learning_rate = [0.01, 0.1]
family = [\"max_sigmoid\", \"avg_sigmoid\"]
";

/// What a run leaves behind that must not depend on anything.
const FILES: [&str; 4] = ["results.json", "results.csv", "results.tex", "predictions.csv"];

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("set/t.lrnn", TEMPLATE);
    folder.write("set/d.txt", data(0, 40));
    folder.write("set/lrnn.toml", TOML);
    folder
}

fn crossval(folder: &Folder, out: &str, words: &[&str]) -> Ended {
    folder.lrnn(&[&["crossval", "set", "--folds", "4", "--out", out][..], words].concat())
}

fn files(folder: &Folder, run: &str) -> Vec<String> {
    FILES.iter().map(|name| folder.read(&format!("{run}/{name}"))).collect()
}

#[test]
fn every_fold_is_chosen_for_learned_and_tested() {
    let folder = folder("crossval whole");
    let ended = crossval(&folder, "run", &["--json", "--best-epoch", "--seeds", "2"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let found = document(&ended);
    let folds = found["folds"].as_array().expect("folds");
    assert_eq!(folds.len(), 8);
    let tested: u64 = folds.iter().map(|fold| fold["answers"].as_u64().expect("a number")).sum();
    assert_eq!((tested, found["seeds"].as_array().map(Vec::len)), (80, Some(2)));
    assert!(
        folds
            .iter()
            .all(|fold| fold["chosen"]["learning_rate"].is_string() && fold["inner_error"].is_number())
    );
    assert_eq!(found["best_epoch_over_test_folds"].as_array().map(Vec::len), Some(2));
    assert!(found["seconds"]["total"].is_number() && found["interrupted"] == false);
    assert_eq!(folder.read("run/predictions.csv").lines().count(), 81);
    assert!(folder.read("run/results.tex").contains("\\toprule"));
    let text = crossval(&folder, "text", &[]);
    assert!(text.out.contains("inner error") && text.out.contains("over 4 folds"), "{}", text.out);
    assert!(!text.out.contains("best epoch") && text.err.contains("test = 0.1 does not count here"));
}

#[test]
fn any_number_of_threads_gives_the_same_table() {
    let folder = folder("crossval threads");
    for threads in ["1", "2", "7"] {
        let words = ["--threads", threads, "--batch-size", "8", "--inner", "3", "--search", "halving"];
        let ended = crossval(&folder, threads, &words);
        assert_eq!(ended.code, 0, "{}", ended.err);
        assert_eq!(files(&folder, threads), files(&folder, "1"), "{threads} threads");
    }
}

/// The rows of a file of comma-separated values without quotes, and its head.
fn csv(folder: &Folder, file: &str) -> (String, Vec<Vec<String>>) {
    let text = folder.read(file);
    let (head, rows) = text.split_once('\n').expect("a head");
    (head.to_owned(), rows.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect())
}

#[test]
fn folds_with_different_losses_are_each_judged_by_their_own() {
    let folder = folder("crossval losses");
    let search = "[search]\nloss = [\"squared\", \"logits\"]\nfamily = [\"max_sigmoid\", \"avg_sigmoid\"]\n";
    let (settings, _) = TOML.split_once("[search]").expect("settings");
    folder.write("set/lrnn.toml", format!("{settings}{search}"));
    assert_eq!(crossval(&folder, "run", &[]).code, 0);
    // Even folds are made to choose the first setting, odd ones the last.
    let forced = |line: &str| -> Option<String> {
        let mut line: Value = serde_json::from_str(line).expect("JSON");
        if let Some(trial) = line.get_mut("trial") {
            let wanted = if trial["fold"].as_u64()? % 2 == 0 { 0 } else { 3 };
            trial["wrong"] = u8::from(trial["trial"] != wanted).into();
        }
        (line.get("fold").is_none() && line.get("refit").is_none()).then(|| format!("{line}\n"))
    };
    let lines: String = folder.read("run/journal.jsonl").lines().filter_map(forced).collect();
    folder.write("run/journal.jsonl", lines);
    let ended = folder.lrnn(&["crossval", "--resume", "run", "--report=page.json", "--json"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let found = document(&ended);
    let losses: Vec<_> = (0..4).map(|fold| found["folds"][fold]["chosen"]["loss"].as_str()).collect();
    assert_eq!(losses, [Some("squared"), Some("logits"), Some("squared"), Some("logits")]);
    let (head, rows) = csv(&folder, "run/predictions.csv");
    assert_eq!(head, "seed,fold,example,query,target,value,probability,class");
    let number = |text: &String| text.parse::<f64>().expect("a number");
    for row in &rows {
        let (value, probability) = (number(&row[5]), number(&row[6]));
        let expected = if row[1] == "1" || row[1] == "3" { 1.0 / (1.0 + (-value).exp()) } else { value };
        assert!((probability - expected).abs() < 1e-6 && (row[7] == "1") == (probability > 0.5), "{row:?}");
    }
    let right = rows.iter().filter(|row| (row[7] == "1") == (row[4] == "1.0")).count();
    let share = right as f64 / rows.len() as f64;
    let page: Value = serde_json::from_str(&folder.read("page.json")).expect("JSON");
    let metrics = page["parts"][0]["metrics"].as_array().expect("metrics");
    let metric = |name: &str| metrics.iter().find(|pair| pair[0] == name).expect("a metric")[1].clone();
    let near = |value: &Value| (value.as_f64().expect("a number") - share).abs() < 1e-6;
    assert!(near(&found["accuracy"]["mean"]) && near(&found["seeds"][0]["all_folds"]), "{found}");
    assert!(near(&metric("accuracy")) && metric("loss").is_null(), "{metrics:?}");
    let headline = page["crossval"]["summary"][0].as_str().expect("a sentence");
    assert!(headline.starts_with(&format!("accuracy {:.1} ", 100.0 * share)), "{headline} {share}");
    let wrong = |answer: &&Value| answer["is_wrong"] == true;
    let answers = page["examples"]
        .as_array()
        .expect("examples")
        .iter()
        .flat_map(|example| example["answers"].as_array().expect("answers"));
    assert_eq!(answers.filter(wrong).count(), rows.len() - right);
}

#[test]
fn a_model_of_all_data_is_left_to_use() {
    let folder = folder("crossval refit");
    let ended = crossval(&folder, "run", &["--json"]);
    let found = document(&ended);
    let chosen = |fold: &Value| (fold["trial"].as_u64(), fold["chosen"].clone());
    let refit = chosen(&found["refit"]);
    let folds: Vec<_> = found["folds"].as_array().expect("folds").iter().map(chosen).collect();
    let count = |one: &(Option<u64>, Value)| folds.iter().filter(|fold| *fold == one).count();
    assert!(folds.iter().all(|fold| (count(fold), refit.0) <= (count(&refit), fold.0.max(refit.0))));
    assert_eq!(found["refit"]["folds"].as_u64(), Some(count(&refit) as u64));
    let predicted = folder.lrnn(&["predict", "run", "set", "--json"]);
    assert_eq!(predicted.code, 0, "{}", predicted.err);
    assert_eq!(document(&predicted)["predictions"].as_array().map(Vec::len), Some(40));
    // Gone on with, the model is not learned again; where it was lost, it is, to the same bytes.
    let model = crate::learning::model(&folder, "run");
    folder.write("run/model.safetensors", "something else");
    let again = folder.lrnn(&["crossval", "--resume", "run"]);
    assert!(again.out.contains("epochs on all data, as chosen by"), "{}", again.out);
    assert_eq!(folder.read("run/model.safetensors"), "something else");
    fs::remove_file(folder.path("run/model.safetensors")).expect("the model");
    assert_eq!(folder.lrnn(&["crossval", "--resume", "run", "--threads", "1"]).code, 0);
    assert!(crate::learning::model(&folder, "run") == model);
}

#[test]
fn a_run_goes_on_where_it_is_moved() {
    let folder = folder("crossval moved");
    assert_eq!(crossval(&folder, "run", &[]).code, 0);
    let before = files(&folder, "run");
    let lines = folder.read("run/journal.jsonl");
    folder.write(
        "run/journal.jsonl",
        lines.lines().take(6).map(|line| line.to_owned() + "\n").collect::<String>(),
    );
    fs::rename(folder.path("run"), folder.path("elsewhere")).expect("another name");
    fs::rename(folder.path("set/d.txt"), folder.path("moved.txt")).expect("another name");
    fs::remove_dir_all(folder.path("set")).expect("the folder of the data");
    let lost = folder.lrnn(&["crossval", "--resume", "elsewhere"]);
    assert!(lost.code == 5 && lost.err.contains("--data DATA"), "{}", lost.err);
    let ended = folder.lrnn(&["crossval", "--resume", "elsewhere", "--data", "moved.txt"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.out.contains("\nAUC "), "{}", ended.out);
    assert_eq!(files(&folder, "elsewhere"), before);
    assert_eq!(folder.lrnn(&["report", "elsewhere"]).code, 0);
}

#[test]
fn vectors_outside_the_model_count_as_in_training() {
    let folder = Folder::new("crossval vectors");
    folder.write("t.lrnn", "{2} :: p :- q(X).\n");
    let example = |at: usize| match at % 4 {
        3 => "[1, 0] p :- r(a).\n".to_owned(),
        at => format!("[{}, {}] p :- q(a), 0.{at} q(b).\n", at % 2, 1 - at % 2),
    };
    folder.write("d.txt", (0..8).map(example).collect::<String>());
    let words = ["--template", "t.lrnn", "--data", "d.txt", "--epochs", "2", "--json"];
    let train = document(&folder.lrnn(&[&["train", "--out", "model"], &words[..]].concat()));
    let crossval =
        document(&folder.lrnn(&[&["crossval", "--folds", "2", "--out", "run"], &words[..]].concat()));
    let folds = crossval["folds"].as_array().expect("folds");
    let answers: u64 = folds.iter().filter_map(|fold| fold["answers"].as_u64()).sum();
    assert_eq!((train["metrics"]["training"]["answers"].as_u64(), answers > 0), (Some(answers), true));
}

/// The lines of a fold, without their targets.
fn values(folder: &Folder, run: &str, fold: &str) -> Vec<String> {
    let text = folder.read(&format!("{run}/predictions.csv"));
    let rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    rows.filter(|row| row[1] == fold).map(|row| format!("{} {}", row[2], row[5])).collect()
}

fn chosen(folder: &Folder, run: &str, fold: usize) -> Value {
    let document: Value = serde_json::from_str(&folder.read(&format!("{run}/results.json"))).expect("JSON");
    let fold = &document["folds"][fold];
    serde_json::json!([fold["chosen"], fold["epochs"], fold["inner_error"], fold["fold"]])
}

#[test]
fn test_targets_are_never_seen() {
    let folder = folder("crossval unseen");
    let facts = |text: &str| {
        text.lines()
            .map(|line| line.split_once(":- ").expect("a body").1.to_owned() + "\n")
            .collect::<String>()
    };
    let target = |at: usize, line: &str, turned: bool| {
        let is_toxic = line.starts_with('1') != (turned && at % 4 == 2);
        format!("{}.0 toxic.\n", u8::from(is_toxic))
    };
    let text = data(0, 40);
    for (name, turned) in [("right", false), ("turned", true)] {
        let queries: String = text.lines().enumerate().map(|(at, line)| target(at, line, turned)).collect();
        folder.write(&format!("{name}/queries.txt"), queries);
        folder.write(&format!("{name}/examples.txt"), facts(&text));
        folder.write(&format!("{name}/t.lrnn"), TEMPLATE);
        // Folds may have any numbers.
        let folds: String = (0..40).map(|at| format!("{}\n", 7 + 10 * (at % 4))).collect();
        folder.write(&format!("{name}/folds.txt"), folds);
        folder.write(&format!("{name}/lrnn.toml"), TOML.replace("data = \"d.txt\"\n", ""));
        let out = format!("run-{name}");
        let words = ["crossval", name, "--patience", "10", "--balanced", "--out", &out];
        let ended = folder.lrnn(&words);
        assert_eq!(ended.code, 0, "{}", ended.err);
    }
    assert_eq!(values(&folder, "run-right", "27").len(), 10);
    assert_eq!(values(&folder, "run-right", "27"), values(&folder, "run-turned", "27"));
    assert_eq!(chosen(&folder, "run-right", 2), chosen(&folder, "run-turned", 2));
    // Other folds learn from what was turned round.
    assert_ne!(values(&folder, "run-right", "7"), values(&folder, "run-turned", "7"));
}

#[test]
fn the_queries_of_one_example_are_cases() {
    let folder = Folder::new("crossval queries");
    let facts: String =
        (0..30).map(|at| format!("next(a{at}, a{}).\nsize(a{at}, s{}).\n", at + 1, at % 3)).collect();
    let queries: String = (0..30).map(|at| format!("{}.0 good(a{at}).\n", u8::from(at % 3 == 1))).collect();
    folder.write("set/facts.txt", facts);
    folder.write("set/queries.txt", queries);
    folder.write("set/t.lrnn", "w[S] :: good(X) :- size(X, S).\nv :: good(X) :- next(X, Y), size(Y, S).\n");
    folder.write(
        "set/lrnn.toml",
        "template = \"t.lrnn\"\n[learning]\nepochs = 200\nrate = 0.1\n[search]\nl2 = [0.0, 0.1]\n",
    );
    let ended = folder.lrnn(&["crossval", "set", "--folds", "5", "--out", "run", "--json"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert_eq!(document(&ended)["accuracy"]["mean"], 1.0);
    assert_eq!(folder.read("run/predictions.csv").lines().count(), 31);
}

#[test]
fn killed_at_any_moment_it_goes_on_to_the_same_table() {
    let kills: u32 = std::env::var("LRNN_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let folder = folder("crossval kill");
    let words = ["crossval", "set", "--folds", "4", "--epochs", "300", "--threads", "2", "--out"];
    let whole = folder.lrnn(&[&words[..], &["whole"]].concat());
    assert_eq!(whole.code, 0, "{}", whole.err);
    let lines = |run: &str| {
        fs::read_to_string(folder.path(run).join("journal.jsonl")).map_or(0, |text| text.lines().count())
    };
    for kill in 1..=kills {
        let run = format!("run{kill}");
        let mut child = (folder.command(&[&words[..], &[run.as_str()]].concat()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command");
        // Killed after another line of the journal each time.
        while lines(&run) < 3 * kill as usize && child.try_wait().expect("a child").is_none() {
            sleep(Duration::from_millis(2));
        }
        let _ = child.kill();
        child.wait().expect("its end");
        let before = lines(&run);
        // The last line may have been cut off.
        let path = folder.path(&run).join("journal.jsonl");
        let text = fs::read(&path).expect("the journal");
        fs::write(&path, &text[..text.len() - (kill as usize % 3) * 5]).expect("the journal");
        let ended = folder.lrnn(&["crossval", "--resume", &run]);
        assert_eq!(ended.code, 0, "{}", ended.err);
        assert!(before > 1 && lines(&run) == lines("whole"), "{before}");
        assert_eq!(files(&folder, &run), files(&folder, "whole"), "{run}");
    }
}

#[cfg(unix)]
#[test]
fn interrupted_it_ends_well_and_says_how_to_go_on() {
    let folder = folder("crossval interrupt");
    let words =
        ["crossval", "set", "--folds", "4", "--optimizer", "sgd", "--epochs", "100000000", "--out", "run"];
    let child =
        folder.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command");
    while !folder.path("run/journal.jsonl").exists() {
        sleep(Duration::from_millis(20));
    }
    sleep(Duration::from_millis(300));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    let ended = child.wait_with_output().expect("its end");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.ends_with("stopped before the end; to go on: lrnn crossval --resume run\n"), "{said}");
}

#[test]
fn a_run_of_something_else_is_not_gone_on_with() {
    let folder = folder("crossval other");
    assert_eq!(crossval(&folder, "run", &[]).code, 0);
    let check = |words: &[&str], message: &str| {
        let ended = crossval(&folder, "run", words);
        assert_eq!(ended.code, 3, "{}", ended.err);
        assert!(ended.err.contains(message), "{}", ended.err);
    };
    check(&["--epochs", "21"], "the settings of learning changed");
    check(&["--inner", "0.3"], "the plan changed");
    folder.write("set/t.lrnn", TEMPLATE.replace("1..3", "1..2"));
    check(&[], "the templates changed");
    folder.write("set/t.lrnn", TEMPLATE);
    assert_eq!(crossval(&folder, "run", &[]).code, 0);
    folder.write("set/d.txt", data(0, 41));
    check(&[], "the data changed");
    let none = folder.lrnn(&["crossval", "--resume", "set"]);
    assert!(none.code == 5 && none.err.contains("there is no run to go on with"), "{}", none.err);
    let taken = crossval(&folder, "set", &[]);
    assert!(taken.code == 5 && taken.err.contains("there is something in this folder"), "{}", taken.err);
}

#[test]
fn what_is_wrong_with_a_table_is_told() {
    let folder = folder("crossval tables");
    let check = |table: &str, code: i32, message: &str| {
        folder
            .write("set/lrnn.toml", format!("template = \"t.lrnn\"\ndata = \"d.txt\"\n[search]\n{table}\n"));
        let ended = crossval(&folder, "run", &[]);
        assert_eq!(ended.code, code, "{}", ended.err);
        assert!(ended.err.contains(message), "{}", ended.err);
    };
    let unknown =
        "lrnn.toml, [search]: there is no setting `lerning_rate`\n = help: did you mean `learning_rate`?";
    check("lerning_rate = [1]", 3, unknown);
    check("rate = [\"x\"]", 3, "lrnn.toml, [search]: `learning_rate` cannot be `x`: it must be a number");
    check("rate = []", 3, "`rate` has no value to try");
    check("seed = [1, 2]", 3, "--seeds N repeats everything with other seeds");
    check("family = [\"maxsigmod\"]", 3, "[search]: there is no family `maxsigmod`");
    check("template = [\"gone.lrnn\"]", 5, "gone.lrnn: there is no such file");
    check("rate = 0.1", 0, "");
}

#[test]
fn folds_that_cannot_be_are_told() {
    let folder = folder("crossval folds");
    let check = |words: &[&str], code: i32, message: &str| {
        let ended = folder.lrnn(&[&["crossval", "set", "--out", "run"][..], words].concat());
        assert_eq!(ended.code, code, "{}", ended.err);
        assert!(ended.err.contains(message), "{}", ended.err);
    };
    check(&["--folds", "41"], 3, "41 folds are too many for 40 examples");
    check(&["--folds", "1"], 2, "1 is not in 2..");
    check(&["--inner", "1"], 2, "it must be a share between 0 and 1, or a number of folds from 2");
    check(&["--trials", "3"], 2, "a grid tries all settings");
    check(&["--seeds", "0"], 2, "0 is not in 1..");
}

#[test]
fn shards_are_put_together_as_if_there_were_none() {
    let folder = folder("crossval shards");
    let words = ["--json", "--seeds", "2"];
    assert_eq!(crossval(&folder, "whole", &words).code, 0);
    // Two at the same time, the third never runs: what it would have done is done when all is put together.
    let exe = env!("CARGO_BIN_EXE_lrnn");
    let begin = |shard: &str| {
        let words = ["crossval", "set", "--folds", "4", "--out", "shards", "--seeds", "2", "--shard", shard];
        let folder = folder.path("");
        Command::new(exe).args(words).current_dir(folder).stderr(Stdio::null()).spawn().expect("a process")
    };
    for mut shard in ["1/3", "3/3"].map(begin) {
        assert!(shard.wait().expect("its end").success());
    }
    let ended = folder.lrnn(&["crossval", "--join", "shards", "--json"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert_eq!(files(&folder, "shards"), files(&folder, "whole"));
    let wrong = crossval(&folder, "other", &["--shard", "4/3"]);
    assert!(wrong.code == 2 && wrong.err.contains("is no shard"), "{}", wrong.err);
    // A shard of other settings is none of this run.
    let ended = crossval(&folder, "shards", &["--shard", "2/3", "--seeds", "2", "--epochs", "5"]);
    assert!(ended.code == 3 && ended.err.contains("the settings of learning changed"), "{}", ended.err);
    let ended = folder.lrnn(&["crossval", "--join", "shards", "--json"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
}
