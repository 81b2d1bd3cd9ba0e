//! A completed knowledge base as text: the ranking of held-out triples, and new triples with their proofs.

use lrnn::diagnostic::printable;
use lrnn_kb::{Completion, CompletionTrial, PredictedTriple, RankScores, Ranking};

use crate::table::{columns, count, counted};

/// Returns the ranking and the new triples for people, with all settings that were tried where that is asked.
pub fn completion_text(completion: &Completion, has_trials: bool) -> String {
    let Completion { entities, triples, rules, setting, .. } = completion;
    let [train, validation, test] = triples.map(|number| count(number as u64));
    let (name, ranking) = match &completion.test {
        Some(ranking) => ("test", ranking),
        None => ("validation, on which settings were chosen", &completion.validation),
    };
    let mut text = format!(
        "{train} triples of {} among {entities} entities; validation {validation}, test {test}\n\
         chosen on validation triples: {setting}: MRR {:.3}\n\
         {}\n\nfiltered ranking of {name}\n{}",
        counted(rules.len(), "relation"),
        completion.trials.iter().find(|trial| trial.setting == *setting).map_or(0.0, |trial| trial.mrr),
        counted(rules.iter().map(|relation| relation.rules.len()).sum(), "rule"),
        ranking_table(ranking),
    );
    if has_trials {
        let row = |trial: &CompletionTrial| vec![number(trial.mrr), trial.setting.to_string()];
        let rows: Vec<Vec<String>> = completion.trials.iter().map(row).collect();
        text += &format!("\n{}", columns(&["validation MRR", "setting"], &rows));
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
    let row = |ranking: &Ranking, end: &str, scores: &RankScores| {
        let name = ranking.relation.clone().unwrap_or_else(|| "all".to_owned());
        let figures = [scores.mrr, scores.hits_at_1, scores.hits_at_3, scores.hits_at_10, scores.mean_rank];
        let names = [name, end.to_owned(), scores.ranks.to_string()];
        names.into_iter().chain(figures.map(number)).collect::<Vec<String>>()
    };
    let ends = [("both", &ranking.both), ("head", &ranking.head), ("tail", &ranking.tail)];
    let mut rows: Vec<Vec<String>> = ends.map(|(end, scores)| row(ranking, end, scores)).into();
    rows.extend(ranking.relations.iter().map(|relation| row(relation, "both", &relation.both)));
    columns(&["relation", "end", "ranks", "MRR", "Hits@1", "Hits@3", "Hits@10", "mean rank"], &rows)
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
    printable(&text)
}
