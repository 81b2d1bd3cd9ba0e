//! `lrnn draw MODEL [DATA] -o FILE`: a template, the network of an example, or an example as a picture.

use lrnn::diagnostic::{did_you_mean, printable};
use lrnn::explain::{NetworkView, contributions, network_view, template_view};
use lrnn::ground::Limits;
use lrnn::vocabulary::PredicateId;
use lrnn_io::write_atomically;
use lrnn_report::{example_view, graph_dot, graph_svg, network_dot, network_svg};
use serde_json::json;

use super::study::Study;
use crate::args::{Common, Draw, Drawn};
use crate::failure::{Error, ErrorKind};
use crate::load;
use crate::output;

/// A picture: its text, how many nodes and edges it has, and how much is left out.
struct Picture {
    text: String,
    nodes: usize,
    edges: usize,
    folded: usize,
}

/// What is drawn of which example, and how.
struct Asked<'a> {
    study: &'a Study,
    draw: &'a Draw,
    limits: &'a Limits,
    is_dot: bool,
    common: &'a Common,
}

pub fn run(draw: &Draw, common: &Common) -> Result<u8, Error> {
    let is_dot = match draw.out.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => false,
        Some("dot" | "gv") => true,
        _ => {
            let failure = Error::new(ErrorKind::Usage, "the name of a picture ends in .svg or .dot");
            return Err(failure.help("write -o picture.svg"));
        }
    };
    let study = Study::new(&draw.model, draw.data.as_deref(), common)?;
    let has_data = study.loaded.dataset.examples.iter().any(|example| !example.tables.is_empty());
    let what = draw.what.unwrap_or(if has_data { Drawn::Network } else { Drawn::Template });
    let limits = load::limits(&draw.limits, &study.loaded.config);
    let asked = Asked { study: &study, draw, limits: &limits, is_dot, common };
    let picture = match what {
        Drawn::Template => template(&study, is_dot),
        Drawn::Network => network(&asked)?,
        Drawn::Example => example(&asked)?,
    };
    write_atomically(&draw.out, picture.text.as_bytes())?;
    let Picture { nodes, edges, folded, .. } = picture;
    if common.json {
        let file = draw.out.display().to_string();
        output::print_json(&json!({ "file": file, "nodes": nodes, "edges": edges, "left_out": folded }))?;
    } else if !common.quiet {
        let left = if folded > 0 { format!(", {folded} left out") } else { String::new() };
        let file = draw.out.display();
        output::print(&printable(&format!("{file}: {nodes} nodes, {edges} edges{left}\n")))?;
    }
    Ok(0)
}

fn of_network(title: &str, view: &NetworkView, notes: &[String], is_dot: bool) -> Picture {
    let text = if is_dot { network_dot(title, view) } else { network_svg(title, view, notes) };
    Picture { text, nodes: view.nodes.len(), edges: view.edges.len(), folded: view.folded }
}

fn template(study: &Study, is_dot: bool) -> Picture {
    let view = template_view(&study.loaded.template, &study.weights);
    let notes = [format!("family {}", study.loaded.template.family.name)];
    of_network("Template", &view, &notes, is_dot)
}

fn chosen(study: &Study, draw: &Draw) -> Result<usize, Error> {
    draw.example.as_deref().map_or(Ok(0), |name| study.example(name))
}

fn network(asked: &Asked<'_>) -> Result<Picture, Error> {
    let Asked { study, draw, limits, is_dot, common } = *asked;
    let example = chosen(study, draw)?;
    let grounding = study.ground(example, limits)?;
    let roots = match study.roots(example, &grounding, draw.query.as_deref()) {
        Ok(roots) => roots,
        // Without a query, everything that rules give.
        Err(_) if draw.query.is_none() && study.loaded.dataset.queries[example].is_empty() => {
            let heads = study.loaded.template.rules.iter().map(|rule| rule.head.predicate);
            let rows = |predicate: PredicateId| {
                (0..grounding.relations[predicate.index()].len() as u32).map(move |row| (predicate, row))
            };
            heads.flat_map(rows).collect()
        }
        Err(failure) => return Err(failure),
    };
    let proof = study.proof(example, &grounding, &roots)?;
    study.say_unset(&proof.unset(&study.weights), common);
    let mut places: Vec<usize> =
        roots.iter().filter_map(|&(predicate, row)| proof.find(predicate, row)).collect();
    places.sort_unstable();
    places.dedup();
    let view = network_view(&proof, &places, draw.most.get());
    let title = format!("The network of example {}", study.loaded.dataset.example_name(example));
    let notes = [format!("shade: value; family {}", study.loaded.template.family.name)];
    Ok(of_network(&title, &view, &notes, is_dot))
}

fn relation(study: &Study, name: &str) -> Result<PredicateId, Error> {
    let vocabulary = &study.loaded.dataset.vocabulary;
    let bare = name.split_once('/').map_or(name, |(bare, _)| bare);
    let found =
        vocabulary.predicates().find(|(_, signature)| *signature.name == *bare && signature.arity >= 2);
    found.map(|(id, _)| id).ok_or_else(|| {
        let names: Vec<String> =
            vocabulary.predicates().map(|(_, signature)| signature.name.to_string()).collect();
        let failure =
            Error::new(ErrorKind::Usage, format!("there is no relation `{name}` of two or more terms"));
        match did_you_mean(bare, names.iter().map(String::as_str)) {
            Some(help) => failure.help(help),
            None => failure,
        }
    })
}

fn example(asked: &Asked<'_>) -> Result<Picture, Error> {
    let Asked { study, draw, limits, is_dot, common } = *asked;
    let example = chosen(study, draw)?;
    let relation = draw.relation.as_deref().map(|name| relation(study, name)).transpose()?;
    let grounding = study.ground(example, limits)?;
    let roots = study.roots(example, &grounding, draw.query.as_deref())?;
    let proof = study.proof(example, &grounding, &roots[..1])?;
    study.say_unset(&proof.unset(&study.weights), common);
    let atom = proof.find(roots[0].0, roots[0].1).unwrap_or(0);
    let (dataset, kept) = (&study.loaded.dataset, study.kept());
    let found = contributions(&proof, atom, 0, |constant| !kept.has(constant));
    let view =
        example_view(&dataset.examples[example], &dataset.vocabulary, &kept, relation, &found.constants);
    let Some((edges, view)) = view else {
        let failure =
            Error::new(ErrorKind::Content, "the example has no relation of two or more terms to draw");
        return Err(failure.help("name one with --relation"));
    };
    let title =
        format!("Example {}: {} = {:.4}", dataset.example_name(example), proof.atom_text(atom), found.value);
    let notes = [
        format!("edges: {}", dataset.vocabulary.signature(edges)),
        format!("baseline {:.4}, the facts add {:+.4}", found.baseline, found.sum()),
    ];
    let text = if is_dot { graph_dot(&title, &view) } else { graph_svg(&title, &view, &notes) };
    Ok(Picture { text, nodes: view.nodes.len(), edges: view.edges.len(), folded: view.folded })
}
