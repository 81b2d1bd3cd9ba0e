//! `lrnn complete TRIPLES`: rules for a knowledge base, the ranking of held-out triples, new triples with proofs.

use std::path::Path;
use std::time::Instant;

use lrnn_io::{TripleParts, check_free, file_error, free_name, read_triples, write_atomically};
use lrnn_kb::{
    Completion, CompletionOptions, KnowledgeBase, PredictedTriple, Ranking, complete, completion_steps,
};
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
    if common.json {
        return output::print_costed(&document, &[("total", Some(begin.elapsed().as_secs_f64()))])
            .map(|()| 0);
    }
    let seconds = duration(begin.elapsed().as_secs_f64());
    let text = text(&completion, common.verbose);
    output::print(&format!("{text}{seconds}; template: {}; run: {}\n", template.display(), out.display()))?;
    Ok(0)
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

fn text(completion: &Completion, is_verbose: bool) -> String {
    let Completion { entities, triples, rules, setting, .. } = completion;
    let [train, validation, test] = triples.map(|count| output::count(count as u64));
    let count: usize = rules.iter().map(|relation| relation.rules.len()).sum();
    let (name, ranking) = match &completion.test {
        Some(ranking) => ("test", ranking),
        None => ("validation, on which settings were chosen", &completion.validation),
    };
    let mut text = format!(
        "{train} triples of {} among {entities} entities; validation {validation}, test {test}\n\
         chosen on validation triples: {setting}: MRR {:.3}\n\
         {}\n\nfiltered ranking of {name}\n{}",
        output::counted(rules.len(), "relation"),
        completion.trials.iter().find(|trial| trial.setting == *setting).map_or(0.0, |trial| trial.mrr),
        output::counted(count, "rule"),
        ranking_table(ranking),
    );
    if is_verbose {
        let row = |trial: &lrnn_kb::CompletionTrial| vec![number(trial.mrr), trial.setting.to_string()];
        let rows: Vec<Vec<String>> = completion.trials.iter().map(row).collect();
        text += &format!("\n{}", output::table(&["validation MRR", "setting"], &rows));
    }
    for predicted in &completion.predictions {
        text += &format!("\n{}", prediction(predicted));
    }
    text + "\n"
}

fn number(value: f64) -> String {
    format!("{value:.3}")
}

fn ranking_table(ranking: &Ranking) -> String {
    let row = |name: &str, end: &str, scores: &lrnn_kb::RankScores| {
        let figures = [scores.mrr, scores.hits_at_1, scores.hits_at_3, scores.hits_at_10, scores.mean_rank];
        let names = [name.to_owned(), end.to_owned(), scores.ranks.to_string()];
        names.into_iter().chain(figures.map(number)).collect::<Vec<String>>()
    };
    let of = |ranking: &Ranking| {
        let name = ranking.relation.clone().unwrap_or_else(|| "all".to_owned());
        [
            row(&name, "both", &ranking.both),
            row(&name, "head", &ranking.head),
            row(&name, "tail", &ranking.tail),
        ]
    };
    let mut rows: Vec<Vec<String>> = of(ranking).into();
    rows.extend(ranking.relations.iter().map(|relation| of(relation)[0].clone()));
    output::table(&["relation", "end", "ranks", "MRR", "Hits@1", "Hits@3", "Hits@10", "mean rank"], &rows)
}

fn prediction(predicted: &PredictedTriple) -> String {
    let [head, relation, tail] = &predicted.triple;
    let held_out = if predicted.is_held_out { ", held out" } else { "" };
    let mut text = format!("{head} {relation} {tail}: {:.3}{held_out}\n", predicted.probability);
    for proof in &predicted.proofs {
        let value = if proof.value == 1.0 { String::new() } else { format!(" · {:.3}", proof.value) };
        text += &format!("  {:+}{value} by {}\n", proof.weight, proof.rule);
        text += &format!("    since {}\n", proof.facts.join(", "));
    }
    text += &format!(
        "  {:+.3} by where all of {relation} begin, by head and tail alone, and by rules that count less\n",
        predicted.rest
    );
    lrnn::diagnostic::printable(&text).to_string()
}
