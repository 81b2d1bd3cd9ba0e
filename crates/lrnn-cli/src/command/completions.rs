//! `lrnn completions SHELL`

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Arguments;
use crate::failure::Failure;
use crate::output;

pub fn run(shell: Shell) -> Result<u8, Failure> {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "lrnn", &mut out);
    output::print(&String::from_utf8_lossy(&out))?;
    Ok(0)
}
