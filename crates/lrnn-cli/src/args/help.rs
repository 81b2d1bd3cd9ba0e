//! The help of the whole command: what it is for, the commands by groups, examples, exit codes.

use std::fmt::Write;

use clap::Subcommand;
use clap::builder::Styles;

use super::Command;

/// The commands by what they are for.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Learn and evaluate", &["train", "induce", "complete", "predict", "test", "crossval", "experiment"]),
    ("Interpret a model", &["report", "explain", "concepts", "patterns", "weights", "draw"]),
    ("Write templates, read tables", &["check", "fmt", "ground", "query", "tables", "sql"]),
    ("Other", &["list", "completions", "man", "help"]),
];

pub const END: &str = "\
Examples:
  lrnn train datasets/xor                 learn, and write the model to runs/xor
  lrnn predict runs/xor datasets/xor      predict with it
  lrnn crossval datasets/mutagenesis      estimate the accuracy on new examples

Exit codes: 0 done, 1 \"no\" (check found problems), 2 wrong use, 3 template or data error,
4 budget exceeded, 5 input/output, 6 numbers, 130 stopped by Ctrl-C, 143 by SIGTERM.";

/// Returns the layout of the help, with the commands by groups.
pub fn template() -> String {
    let commands = Command::augment_subcommands(clap::Command::new("lrnn"));
    let about = |name: &str| match commands.find_subcommand(name).and_then(clap::Command::get_about) {
        Some(about) => about.to_string(),
        None => "Print help, also of a command".to_owned(),
    };
    let styles = Styles::default();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "\n{header}{title}:{header:#}");
        for name in names {
            let _ = writeln!(text, "  {literal}{name:<12}{literal:#} {}", about(name));
        }
    }
    text + &format!("\n{header}Options:{header:#}\n{{options}}{{after-help}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let commands = Command::augment_subcommands(clap::Command::new("lrnn"));
        let mut names: Vec<&str> = commands.get_subcommands().map(clap::Command::get_name).collect();
        names.push("help");
        let mut grouped = GROUPS.map(|(_, names)| names).concat();
        names.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, names);
    }
}
