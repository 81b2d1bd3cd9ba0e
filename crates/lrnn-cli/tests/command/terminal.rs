//! The command on a terminal of some width: colours, and lines of progress that fit.

use std::fs::File;
use std::io::Read;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::learning::{ENDLESS, folder};
use crate::run::Folder;

/// Runs the command with its standard error on a terminal, and returns what it wrote there.
fn on_terminal(folder: &Folder, width: u16, variables: &[(&str, &str)], words: &[&str]) -> String {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("leave to use it");
    let name = ptsname(&terminal, Vec::new()).expect("its name").into_string().expect("a path");
    let side = File::options().read(true).write(true).open(name).expect("its other side");
    let size = Winsize { ws_row: 24, ws_col: width, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&side, size).expect("its size");
    let mut command = folder.command(words);
    command.env("TERM", "xterm").env_remove("NO_COLOR").envs(variables.iter().copied());
    let mut child = command.stdout(Stdio::null()).stderr(side).spawn().expect("the command");
    // What holds the other side open here must go, or there is no end to read.
    drop(command);
    let mut text = Vec::new();
    // The end of the other side is an error on Linux.
    let _ = File::from(terminal).read_to_end(&mut text);
    child.wait().expect("its end");
    String::from_utf8(text).expect("UTF-8")
}

#[test]
fn progress_fits_the_terminal() {
    let folder = folder("terminal progress");
    let words = [&ENDLESS[..], &["--time", "4"]].concat();
    let lines = |width, out: &str| {
        let text = on_terminal(&folder, width, &[], &[&words[..], &["--out", out]].concat());
        let lines: Vec<String> = text.split("\r\x1b[K").skip(1).map(str::to_owned).collect();
        assert!(lines.len() > 2 && lines[0].starts_with("epoch "), "{text:?}");
        lines
    };
    for line in &lines(40, "narrow")[..2] {
        assert!(line.len() == 39 && line.ends_with("..."), "{line:?}");
    }
    assert!(lines(200, "wide")[0].contains(" learning rate 0.01"));
    for quiet in ["--quiet", "--json"] {
        let text = on_terminal(&folder, 80, &[], &[&words[..], &["--out", &quiet[2..], quiet]].concat());
        assert!(!text.contains("epoch "), "{text:?}");
    }
    let dumb = on_terminal(&folder, 80, &[("TERM", "dumb")], &[&words[..], &["--out", "dumb"]].concat());
    assert!(!dumb.contains('\x1b') && !dumb.contains("epoch"), "{dumb:?}");
}

#[test]
fn messages_are_in_colours_on_a_terminal_only() {
    let folder = Folder::new("terminal colours");
    folder.write("wrong.lrnn", "foal(X) :- horse(X");
    let words = ["query", "wrong.lrnn"];
    let plain = folder.lrnn(&words).err;
    assert!(plain.starts_with("error[E"), "{plain}");
    assert!(!plain.contains('\x1b'), "{plain:?}");
    let coloured = on_terminal(&folder, 80, &[], &words);
    assert!(coloured.starts_with("\x1b[1;31merror[E"), "{coloured:?}");
    for variable in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        assert_eq!(on_terminal(&folder, 80, &[variable], &words).replace('\r', ""), plain, "{variable:?}");
    }
}
