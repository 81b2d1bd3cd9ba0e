//! Learning that is stopped half way: by Ctrl-C, by the system, by a full disk. LRNN_KILLS says how often it is killed.

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::learning::{folder, model};
use crate::run::{Ended, Folder};

/// Words for a run that takes about a second.
const LONG: [&str; 11] = [
    "train",
    "--template",
    "t.lrnn",
    "--data",
    "d.txt",
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

#[cfg(unix)]
#[test]
fn interrupted_it_keeps_the_best_and_says_how_to_go_on() {
    let folder = folder("stopped interrupt");
    let words = ["train", "--template", "t.lrnn", "--data", "d.txt", "--epochs", "100000000", "--out", "run"];
    let child = spawn(&folder, &words);
    while !folder.path("run/checkpoint.safetensors").exists() {
        sleep(Duration::from_millis(20));
    }
    sleep(Duration::from_millis(300));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    let ended = ended(child);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.out.contains("stopped before the end"), "{}", ended.out);
    assert!(ended.err.ends_with("to go on: lrnn train --resume run\n"), "{}", ended.err);
    assert_eq!(folder.lrnn(&["test", "run", "d.txt"]).code, 0);
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
