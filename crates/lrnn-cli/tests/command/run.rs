//! Runs the built command in a folder of its own.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a command printed and how it ended.
pub struct Ended {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// A folder for one test, empty at first. Its name is that of the test, so tests do not meet.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file, with the folders on the way to it.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a file in the folder")).expect("a folder");
        fs::write(path, content).expect("a file of the test");
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file of the test")
    }

    /// The command with these words, to be run in this folder.
    pub fn command<S: AsRef<OsStr>>(&self, words: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lrnn"));
        command.current_dir(&self.0).args(words).env("COLUMNS", "100").env_remove("RUST_BACKTRACE");
        command
    }

    /// Runs the command with these words.
    pub fn lrnn<S: AsRef<OsStr>>(&self, words: &[S]) -> Ended {
        self.lrnn_with_input(words, b"")
    }

    /// Runs the command with these words and this standard input.
    pub fn lrnn_with_input<S: AsRef<OsStr>>(&self, words: &[S], input: &[u8]) -> Ended {
        let mut command = self.command(words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the built command");
        // A command that does not read its input may be gone already.
        let _ = child.stdin.take().expect("a pipe").write_all(input);
        let ended = child.wait_with_output().expect("the end of the command");
        Ended {
            code: ended.status.code().unwrap_or(-1),
            out: String::from_utf8(ended.stdout).expect("UTF-8 on standard output"),
            err: String::from_utf8(ended.stderr).expect("UTF-8 on standard error"),
        }
    }
}
