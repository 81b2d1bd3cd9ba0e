//! `lrnn tables`: what mappings make of tables.

use std::path::{Path, PathBuf};
use std::time::Instant;

use lrnn::Dataset;
use lrnn::diagnostic::printable;
use lrnn::vocabulary::Vocabulary;
use lrnn_io::{MAPPING_ENDING, check_free, write_atomically};
use lrnn_io::{Purpose, read_tables};
use lrnn_tables::{LeakageReport, Mapping, Tables, infer};

use crate::args::{Common, InferArgs, PreviewArgs, TablesCommand};
use crate::failure::Error;
use crate::output;

pub fn run(command: &TablesCommand, common: &Common) -> Result<u8, Error> {
    match command {
        TablesCommand::Preview(args) => preview(args, common),
        TablesCommand::Infer(args) => infer_tables(args, common),
        TablesCommand::Check(args) => check(args, common),
    }
}

/// Writes a mapping and a template, and says what is not in them.
fn infer_tables(args: &InferArgs, common: &Common) -> Result<u8, Error> {
    let source = lrnn_tables::source::open(&args.source, &Default::default())?;
    let path = Path::new(&args.source);
    let whole = path.canonicalize().map_or_else(|_| args.source.clone(), |path| path.display().to_string());
    let found = infer(&*source, &whole, &args.target)?;
    let stem = path.file_stem().map_or_else(|| "tables".into(), |stem| stem.to_string_lossy().into_owned());
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(stem).with_extension(MAPPING_ENDING));
    let [template, settings] = ["lrnn", "toml"].map(|ending| out.with_extension(ending));
    let files = [(&out, &found.mapping), (&template, &found.template), (&settings, &found.settings)];
    for (file, _) in files {
        check_free(file, "choose another name with --out, or move it away")?;
    }
    // What is wrong with the rows is told before there are files that a second try would meet.
    let mapping = Mapping::parse(&out.display().to_string(), &found.mapping)?;
    let (report, data) = leakage(&Tables::open(mapping, Path::new(""), Purpose::Checking)?)?;
    for (file, text) in files {
        write_atomically(file, text.as_bytes())?;
    }
    output::say_diagnostics(&data.notes, &data.sources, common.quiet);
    let (mapping, template, settings) = (out.display(), template.display(), settings.display());
    output::print_result(common, &found, &[], None, || {
        let target =
            (!found.classes.is_empty()).then(|| format!("target: {}: {}\n", args.target, found.classes));
        let left_out: String = found.left_out.iter().map(|it| format!("left out: {it}\n")).collect();
        printable(&format!(
            "mapping: {mapping}\ntemplate: {template}\nsettings: {settings}\n{}{left_out}to learn: lrnn train \
             {mapping}\nto know how well: lrnn crossval {mapping}\n",
            target.unwrap_or_default()
        ))
    })?;
    let leaks = (!report.leaks.is_empty()).then(|| report.text());
    let said = found.warnings.iter().map(|warning| format!("warning: {warning}\n")).chain(leaks);
    said.filter(|_| !common.json).for_each(|text| output::say(&printable(&text)));
    Ok(0)
}

/// Looks for leaks in tables; returns the data that they make, too.
fn leakage(tables: &Tables) -> Result<(LeakageReport, Dataset), Error> {
    let data = tables.dataset(Vocabulary::default(), None)?;
    Ok((tables.leakage(&data)?, data.dataset))
}

/// Says what examples should not know, and ends with 1 if there is something.
fn check(args: &PreviewArgs, common: &Common) -> Result<u8, Error> {
    let (report, data) = leakage(&read_tables(&args.mapping, Purpose::Checking)?)?;
    output::say_diagnostics(&data.notes, &data.sources, common.quiet);
    output::print_result(common, &report, &[], None, || printable(&report.text()))?;
    Ok(u8::from(!report.leaks.is_empty()))
}

fn preview(args: &PreviewArgs, common: &Common) -> Result<u8, Error> {
    let start = Instant::now();
    let tables = read_tables(&args.mapping, Purpose::Learning)?;
    let read = start.elapsed().as_secs_f64();
    let found = tables.dataset(Vocabulary::default(), None)?;
    let facts = start.elapsed().as_secs_f64() - read;
    output::say_diagnostics(&found.dataset.notes, &found.dataset.sources, common.quiet);
    let seconds = [("read", Some(read)), ("facts", Some(facts))];
    output::print_result(common, &found.preview, &seconds, None, || {
        printable(&format!("{}; read in {read:.2} s, facts in {facts:.2} s\n", found.preview.text()))
    })
}
