//! `lrnn completions SHELL` and `lrnn man`: what other programs read of the command line.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::Arguments;
use crate::failure::{Error, ErrorKind};
use crate::output;

pub fn run(shell: Shell) -> Result<u8, Error> {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "lrnn", &mut out);
    output::print(&String::from_utf8_lossy(&out))?;
    Ok(0)
}

/// Prints the manual page, or writes the pages of all commands into a folder.
pub fn man(folder: Option<&Path>) -> Result<u8, Error> {
    let command = Arguments::command();
    if let Some(folder) = folder {
        let written =
            std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
        written.map_err(|error| {
            Error::new(ErrorKind::File, format!("cannot write into {}: {error}", folder.display()))
        })?;
        return Ok(0);
    }
    let mut out = Vec::new();
    let rendered = Man::new(command).render(&mut out);
    rendered.map_err(|error| Error::new(ErrorKind::File, format!("cannot write the manual: {error}")))?;
    output::print(&String::from_utf8_lossy(&out))?;
    Ok(0)
}
