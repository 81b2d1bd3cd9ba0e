//! `lrnn complete TRIPLES`: rules for a knowledge base, the ranking of held-out triples, new triples with proofs.

use std::path::Path;
use std::time::Instant;

use lrnn_io::{TripleParts, check_free, file_error, free_name, read_triples, write_atomically};
use lrnn_kb::{Completion, CompletionOptions, KnowledgeBase, complete, completion_steps};
use lrnn_report::completion_text;
use serde::Serialize;

use crate::args::{Common, CompleteArgs};
use crate::failure::{Error, ErrorKind};
use crate::progress::{duration, with_progress};
use crate::{interrupt, output};

/// A completed knowledge base, and where its template is.
#[derive(Serialize)]
struct CompleteDocument<'a> {
    #[serde(flatten)]
    completion: &'a Completion,
    template: &'a Path,
    run: &'a Path,
}

pub fn run(asked: &CompleteArgs, common: &Common) -> Result<u8, Error> {
    let begin = Instant::now();
    interrupt::listen()?;
    let out = asked.out.clone().unwrap_or_else(|| free_name(&asked.triples, "-complete"));
    check_free(&out, "choose another with --out")?;
    let knowledge = read(asked, common)?;
    let options = options(asked)?;
    let all = completion_steps(&knowledge);
    let work = |done: &_| complete(&knowledge, &options, &interrupt::stop(), done);
    let completion = match with_progress(common, "relations, to choose and to fit:", all, work) {
        Err(error) if error.kind() == ErrorKind::Stopped => {
            output::say("stopped before the end; nothing was written\n");
            return Ok(interrupt::exit_code());
        }
        other => other?,
    };
    output::say_notes(&completion.notes, common);
    let template = asked.output.clone().unwrap_or_else(|| out.join("template.lrnn"));
    let document = CompleteDocument { completion: &completion, template: &template, run: &out };
    std::fs::create_dir_all(&out).map_err(|error| file_error(&out, error))?;
    write_atomically(&template, completion.template(&knowledge).as_bytes())?;
    let json = serde_json::to_string_pretty(&document).unwrap_or_default();
    write_atomically(&out.join("results.json"), (json + "\n").as_bytes())?;
    let seconds = begin.elapsed().as_secs_f64();
    output::print_result(common, &document, &[("total", Some(seconds))], None, || {
        let (text, seconds) = (completion_text(&completion, common.verbose), duration(seconds));
        format!("{text}{seconds}; template: {}; run: {}\n", template.display(), out.display())
    })
}

fn read(asked: &CompleteArgs, common: &Common) -> Result<KnowledgeBase, Error> {
    let TripleParts { train, mut validation, mut test, mut others } = read_triples(&asked.triples)?;
    for (path, part) in [(&asked.validation, &mut validation), (&asked.test, &mut test)] {
        if let Some(path) = path {
            let read = read_triples(path)?;
            (*part, others) = (read.train, others + read.others);
        }
    }
    let filter = asked.filter.as_deref().map(read_triples).transpose()?.unwrap_or_default().train;
    let note = (others > 0).then(|| format!("{others} facts do not have two terms and are no triples"));
    output::say_notes(note, common);
    Ok(KnowledgeBase::new(&train, &validation, &test)?.with_validation(asked.seed).with_others(&filter))
}

fn options(asked: &CompleteArgs) -> Result<CompletionOptions, Error> {
    let CompleteArgs { length, end, negatives, predictions, seed, .. } = *asked;
    let (rules, l2, likeness) = (asked.rules.clone(), asked.l2.clone(), !asked.paths_only);
    let limits = lrnn_kb::PathLimits::default();
    CompletionOptions { length, rules, l2, likeness, end, negatives, predictions, seed, limits }.checked()
}
