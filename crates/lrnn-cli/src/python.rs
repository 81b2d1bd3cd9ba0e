//! The command as Python runs it, with workers of Ray.

use std::process::Command;

use crate::failure::{Error, ErrorKind};

const PYTHON: &str = "python3";

/// Lets Python run the command instead of this process, with the same words; returns why it cannot.
pub fn hand_over() -> Error {
    let why = match Command::new(PYTHON).args(["-c", "import lrnn.ray; print(lrnn.__version__)"]).output() {
        Err(error) => format!("{PYTHON} cannot be started: {error}"),
        Ok(output) if !output.status.success() => {
            let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            format!("{PYTHON} says: {}", text.lines().last().unwrap_or("nothing"))
        }
        Ok(output) if output.stdout.trim_ascii() != lrnn::VERSION.as_bytes() => {
            let other = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            format!("its package is version {other}, and this is {}", lrnn::VERSION)
        }
        Ok(_) => become_python(),
    };
    let help = "pip install 'lrnn[ray]'; without Ray, --shard divides folds and experiments among processes";
    Error::new(ErrorKind::Usage, format!("workers are started by Python, and {why}")).help(help)
}

/// Becomes Python, or waits for it and ends as it does; returns why it cannot.
fn become_python() -> String {
    let mut command = Command::new(PYTHON);
    command.args(["-m", "lrnn"]).args(std::env::args_os().skip(1));
    #[cfg(unix)]
    let error = std::os::unix::process::CommandExt::exec(&mut command);
    #[cfg(not(unix))]
    let error = match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    };
    format!("{PYTHON} cannot be started: {error}")
}
