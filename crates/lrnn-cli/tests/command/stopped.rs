//! Learning that is stopped half way: by Ctrl-C, by the system, by a full disk. LRNN_KILLS says how often it is killed.

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::learning::{ENDLESS, folder, model};
use crate::run::{Ended, Folder};

/// Words for a run that takes about a second.
const LONG: [&str; 13] = [
    "train",
    "--template",
    "t.lrnn",
    "--data",
    "d.txt",
    "--optimizer",
    "adam",
    "--epochs",
    "2500",
    "--restarts",
    "2",
    "--threads",
    "2",
];

fn spawn(folder: &Folder, words: &[&str]) -> Child {
    let mut command = folder.command(words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command")
}

fn ended(child: Child) -> Ended {
    let ended = child.wait_with_output().expect("its end");
    Ended {
        code: ended.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&ended.stdout).into_owned(),
        err: String::from_utf8_lossy(&ended.stderr).into_owned(),
    }
}

#[test]
fn killed_at_any_moment_it_goes_on_to_the_same_end() {
    let kills: u64 = std::env::var("LRNN_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(12);
    let folder = folder("stopped kill");
    let whole = folder.lrnn(&[&LONG[..], &["--out", "whole"]].concat());
    assert_eq!(whole.code, 0, "{}", whole.err);
    let (mut killed, mut runs, mut moment) = (0, 0, 7u64);
    while killed < kills {
        let run = format!("run{runs}");
        runs += 1;
        let begin = [&LONG[..], &["--out", &run]].concat();
        let resume = ["train", "--resume", &run];
        loop {
            // Before the first checkpoint there is nothing to go on with.
            let has_begun = folder.path(&run).join("checkpoint.safetensors").exists();
            let mut child = spawn(&folder, if has_begun { &resume } else { &begin });
            moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if killed < kills {
                sleep(Duration::from_millis(moment >> 33 & 0x1ff));
                if child.try_wait().expect("a child").is_none() {
                    killed += u64::from(child.kill().is_ok());
                    child.wait().expect("its end");
                    if !has_begun && !folder.path(&run).join("checkpoint.safetensors").exists() {
                        let _ = std::fs::remove_dir_all(folder.path(&run));
                    }
                    continue;
                }
            }
            let ended = ended(child);
            assert_eq!(ended.code, 0, "{}", ended.err);
            break;
        }
        assert!(model(&folder, &run) == model(&folder, "whole"), "{run} ended elsewhere");
    }
}

/// Sends a signal to a child, by its name.
#[cfg(unix)]
fn send(child: &Child, signal: &str) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
}

/// Runs a command that has no end, sends it a signal when there is this file, and returns how it ended.
#[cfg(unix)]
fn signalled(folder: &Folder, words: &[&str], begun: &str, signal: &str) -> Ended {
    let child = spawn(folder, words);
    while !folder.path(begun).exists() {
        sleep(Duration::from_millis(20));
    }
    sleep(Duration::from_millis(300));
    send(&child, signal);
    ended(child)
}

#[cfg(unix)]
#[test]
fn interrupted_it_keeps_the_best_and_says_how_to_go_on() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let folder = folder(&format!("stopped {signal}"));
        let words = [&ENDLESS[..], &["--out", "run"]].concat();
        let ended = signalled(&folder, &words, "run/checkpoint.safetensors", signal);
        assert_eq!(ended.code, code, "{}", ended.err);
        assert!(ended.out.contains("stopped before the end"), "{}", ended.out);
        assert!(ended.err.ends_with("to go on: lrnn train --resume run\n"), "{}", ended.err);
        assert_eq!(folder.lrnn(&["test", "run", "d.txt"]).code, 0);
    }
}

#[cfg(unix)]
#[test]
fn interrupted_it_still_measures_the_test_examples() {
    let folder = folder("stopped tested");
    let words = [&ENDLESS[..], &["--test", "0.5", "--out", "run"]].concat();
    let ended = signalled(&folder, &words, "run/checkpoint.safetensors", "INT");
    assert_eq!(ended.code, 130, "{}", ended.err);
    assert!(ended.out.contains("stopped before the end") && ended.out.contains("\ntest "), "{}", ended.out);
    assert!(ended.err.ends_with("to go on: lrnn train --resume run\n"), "{}", ended.err);
}

#[cfg(unix)]
#[test]
fn interrupted_studies_say_how_to_go_on() {
    let folder = folder("stopped studies");
    let method = "[[method]]\nname = \"m\"\ntemplate = \"t.lrnn\"\nlearning = { optimizer = \"adam\", epochs = 100000000 }\n";
    folder.write("e.toml", format!("folds = 2\n[[dataset]]\nname = \"d\"\npath = \"d.txt\"\n{method}"));
    let crossval = [&["crossval"], &ENDLESS[1..], &["--folds", "2", "--out", "cv"]].concat();
    let crossval = signalled(&folder, &crossval, "cv/journal.jsonl", "TERM");
    assert_eq!(crossval.code, 143, "{}", crossval.err);
    assert_eq!(crossval.err, "stopped before the end; to go on: lrnn crossval --resume cv\n");
    for (out, shard) in [("ex", &[][..]), ("shards", &["--shard", "1/1"])] {
        let experiment = [&["experiment", "e.toml", "--out", out], shard].concat();
        let experiment = signalled(&folder, &experiment, &format!("{out}/d/m/journal.jsonl"), "INT");
        assert_eq!(experiment.code, 130, "{}", experiment.err);
        assert_eq!(experiment.err, "stopped before the end; the same command goes on\n");
    }
}

/// Boxes that are good if a weighted sum of their 24 properties is above 0: a rule for each property helps.
#[cfg(unix)]
fn boxes(folder: &Folder) {
    let (mut examples, mut queries) = (String::new(), String::new());
    let mut state = 7_u64;
    for number in 0..3000 {
        let (mut facts, mut sum) = (vec![format!("box(b{number})")], 0_i32);
        for property in 0..24 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if state >> 40 & 1 == 1 {
                facts.push(format!("p{property}(b{number})"));
                let weight = (24 - property) * (24 - property);
                sum += if property % 2 == 0 { weight } else { -weight };
            }
        }
        examples += &(facts.join(", ") + ".\n");
        queries += &format!("{} good.\n", u8::from(sum > 0));
    }
    folder.write("set/examples.txt", examples);
    folder.write("set/queries.txt", queries);
}

/// Words for rules that come one after the other, after two growths on inner folds.
#[cfg(unix)]
const GROWN: [&str; 11] =
    ["induce", "set", "--levels", "1", "--literal-cost", "0", "--l2", "1", "--inner", "2", "--out"];

#[cfg(unix)]
#[test]
fn interrupted_growth_goes_on_to_the_same_rules() {
    let folder = Folder::new("stopped growth");
    boxes(&folder);
    let words = |out| [&GROWN[..], &[out]].concat();
    let whole = folder.lrnn(&words("whole"));
    assert_eq!(whole.code, 0, "{}", whole.err);
    // In a folder that has nothing yet, the signal comes while rules are grown on inner folds.
    let child = spawn(&folder, &words("run"));
    while !folder.path("run/growths.jsonl").exists() {
        sleep(Duration::from_millis(5));
    }
    send(&child, "INT");
    let stopped = ended(child);
    assert_eq!(stopped.code, 130, "{}", stopped.err);
    assert_eq!(stopped.err, "stopped before the end; the same command with --out run goes on\n");
    let again = folder.lrnn(&words("run"));
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(folder.read("run/template.lrnn"), folder.read("whole/template.lrnn"));
    assert!(!folder.path("run/growths.jsonl").exists());
}

#[cfg(unix)]
#[test]
fn interrupted_growth_keeps_the_rules_that_it_has() {
    let folder = Folder::new("stopped rules");
    boxes(&folder);
    let words = |out| [&GROWN[..], &[out]].concat();
    assert_eq!(folder.lrnn(&words("whole")).code, 0);
    // Once inner folds are done, later and later, until there is a rule to keep.
    let is_chosen = || {
        let journal = std::fs::read_to_string(folder.path("run/growths.jsonl")).unwrap_or_default();
        journal.lines().count() > 2 || folder.path("run/template.lrnn").exists()
    };
    let mut delay = Duration::ZERO;
    let stopped = loop {
        let child = spawn(&folder, &words("run"));
        while !is_chosen() {
            sleep(Duration::from_millis(1));
        }
        sleep(delay);
        // It may have been faster than the signal.
        let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        let stopped = ended(child);
        assert!([0, 130].contains(&stopped.code), "{}", stopped.err);
        match (stopped.code, folder.path("run/template.lrnn").exists()) {
            (130, true) => break stopped,
            (130, false) => delay += Duration::from_millis(30),
            _ => delay = Duration::ZERO,
        }
        std::fs::remove_dir_all(folder.path("run")).expect("it is ours");
    };
    assert!(stopped.err.ends_with("the same command with --out run goes on\n"), "{}", stopped.err);
    let rules = |run: &str| folder.read(&format!("{run}/template.lrnn")).matches("good :-").count();
    assert!((1..rules("whole")).contains(&rules("run")), "{}", stopped.out);
    assert_eq!(folder.lrnn(&["test", "run", "set"]).code, 0);
    let again = folder.lrnn(&words("run"));
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(folder.read("run/template.lrnn"), folder.read("whole/template.lrnn"));
}

/// Whether a process has a handler of its own for Ctrl-C.
#[cfg(target_os = "linux")]
fn is_listening(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.is_some_and(|bits| u64::from_str_radix(bits.trim(), 16).is_ok_and(|bits| bits & 0b10 != 0))
}

#[cfg(target_os = "linux")]
#[test]
fn the_second_signal_ends_it_at_once() {
    let folder = Folder::new("stopped twice");
    // A join of ten thousand million pairs, none of which is left.
    folder.write("t.lrnn", "p :- n(X), n(Y), X < Y, Y < X. p :- n(X). n(1..100000).");
    folder.write("d.txt", "1 p :- q(a).\n0 p :- q(b).\n");
    // Two signals that come too close together are one, and between two that are far apart it may end by itself.
    let ended_at_once = [5, 20, 80, 200, 10, 40, 120].into_iter().any(|pause| {
        let child = spawn(&folder, &["crossval", "--template", "t.lrnn", "--data", "d.txt", "--folds", "2"]);
        while !is_listening(&child) {
            sleep(Duration::from_millis(20));
        }
        for _ in 0..2 {
            // It may have ended before the second.
            let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
            sleep(Duration::from_millis(pause));
        }
        let ended = ended(child);
        assert_eq!((ended.code, ended.out.as_str()), (130, ""));
        !ended.err.contains("to go on")
    });
    assert!(ended_at_once);
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_model_before_it() {
    let folder = folder("stopped full");
    let words = ["train", "--template", "t.lrnn", "--data", "d.txt", "--epochs", "30", "--out", "run"];
    assert_eq!(folder.lrnn(&words).code, 0);
    let before = model(&folder, "run");
    // A limit on the size of files, whose signal is ignored, is as good as a full disk.
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" train --resume run --epochs 60";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_lrnn")]).current_dir(folder.path(""));
    let full = ended(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a shell"));
    assert_eq!(full.code, 5, "{} {}", full.out, full.err);
    assert!(full.err.contains("cannot be written"), "{}", full.err);
    assert!(model(&folder, "run") == before);
    let names: Vec<String> = (folder.path("run").read_dir().expect("the run"))
        .map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(names.iter().all(|name| !name.ends_with(".part")), "{names:?}");
    let again = folder.lrnn(&["train", "--resume", "run", "--epochs", "60"]);
    assert_eq!(again.code, 0, "{}", again.err);
}
