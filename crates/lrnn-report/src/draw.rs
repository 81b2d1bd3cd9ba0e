//! Pictures of a template, of the network of an example, and of an example.

use lrnn::diagnostic::did_you_mean;
use lrnn::explain::{NetworkView, contributions, network_view, template_view};
use lrnn::ground::Grounding;
use lrnn::vocabulary::PredicateId;
use lrnn::{Error, ErrorKind};
use serde::Serialize;

use crate::example::GraphRelations;
use crate::molecule::molecule_shares;
use crate::{example_view, graph_dot, graph_svg, molecule_svg, network_dot, network_svg, number};
use lrnn::program::{Subject, atom_rows};

/// The language of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PictureFormat {
    /// SVG, for browsers.
    Svg,
    /// DOT, for Graphviz.
    Dot,
}

/// A picture as text.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Picture {
    /// The picture.
    #[serde(skip)]
    pub text: String,
    /// The number of nodes.
    pub nodes: usize,
    /// The number of edges.
    pub edges: usize,
    /// Number of nodes that there was no room for.
    pub left_out: usize,
    /// Notes for people.
    #[serde(skip)]
    pub notes: Vec<String>,
}

impl Picture {
    fn of_network(title: &str, view: &NetworkView, note: String, format: PictureFormat) -> Self {
        let text = match format {
            PictureFormat::Svg => network_svg(title, view, &[note]),
            PictureFormat::Dot => network_dot(title, view),
        };
        let (nodes, edges, left_out) = (view.nodes.len(), view.edges.len(), view.folded);
        Self { text, nodes, edges, left_out, notes: Vec::new() }
    }
}

/// Draws the template as the paper does.
pub fn draw_template(subject: &Subject<'_>, format: PictureFormat) -> Picture {
    let view = template_view(subject.template(), &subject.weights);
    Picture::of_network("Template", &view, format!("family {}", subject.template().family.name), format)
}

/// Draws the network of an example behind its queries or the atoms that match `atom`, of about `most` neurons; without
/// queries, behind everything that rules give.
pub fn draw_network(
    subject: &Subject<'_>,
    example: usize,
    atom: Option<&str>,
    most: usize,
    format: PictureFormat,
) -> Result<Picture, Error> {
    let roots = |grounding: &Grounding| match atom.is_none() && subject.dataset.queries[example].is_empty() {
        true => Ok(atom_rows(grounding, subject.template().rules.iter().map(|rule| rule.head.predicate))),
        false => subject.asked(example, grounding, atom),
    };
    let (view, notes) = subject.look(example, roots, |proof, atoms| {
        let mut atoms = atoms.to_vec();
        atoms.sort_unstable();
        atoms.dedup();
        Ok(network_view(proof, &atoms, most))
    })?;
    let title = format!("The network of example {}", subject.dataset.example_name(example));
    let note = format!("shade: value; family {}", subject.template().family.name);
    Ok(Picture { notes, ..Picture::of_network(&title, &view, note, format) })
}

/// Draws an example: a molecule as its skeletal formula, others, or where a relation is named, as constants held together by it, coloured by what they contribute to the value of its
/// first query or of the first atom that matches `atom`.
pub fn draw_example(
    subject: &Subject<'_>,
    example: usize,
    atom: Option<&str>,
    relation: Option<&str>,
    format: PictureFormat,
) -> Result<Picture, Error> {
    let (dataset, kept) = (&subject.dataset, &subject.kept);
    let relation = relation.map(|name| find_relation(subject, name)).transpose()?;
    let first = |grounding: &Grounding| {
        let mut roots = subject.asked(example, grounding, atom)?;
        roots.truncate(1);
        Ok(roots)
    };
    let ((atom, found, shares), notes) = subject.look(example, first, |proof, atoms| {
        let atom = atoms.first().copied().unwrap_or(0);
        let found = contributions(proof, atom, 0, |constant| !kept.has(constant));
        let shares = molecule_shares(subject, proof, example, &found).filter(|_| relation.is_none());
        Ok((proof.atom_text(atom), found, shares))
    })?;
    let title = format!("Example {}: {atom} = {:.4}", dataset.example_name(example), found.value);
    let sum = format!("baseline {:.4}, the facts add {:+.4}", found.baseline, found.sum());
    if let (PictureFormat::Svg, Some((described, shares))) = (format, shares) {
        let formula = shares.formula(&described);
        let most = number(formula.most());
        let lines = [format!("halo: contribution, blue below 0, red above; the strongest is {most}"), sum];
        let (nodes, edges) = (formula.atoms.len(), formula.bonds.len());
        let text = molecule_svg(&title, &formula, &lines);
        return Ok(Picture { text, nodes, edges, left_out: 0, notes });
    }
    let relations = relation.map_or(GraphRelations::All, GraphRelations::Named);
    let (facts, vocabulary) = (&dataset.examples[example], &dataset.vocabulary);
    let view = example_view(facts, vocabulary, kept, relations, &found.constants).ok_or_else(|| {
        let message = "the example has no relation of two or more terms to draw";
        Error::new(ErrorKind::Content, message).help("name one with --relation")
    })?;
    let lines = [sum];
    let text = match format {
        PictureFormat::Svg => graph_svg(&title, &view, &lines),
        PictureFormat::Dot => graph_dot(&title, &view),
    };
    Ok(Picture { text, nodes: view.nodes.len(), edges: view.edges.len(), left_out: view.folded, notes })
}

fn find_relation(subject: &Subject<'_>, name: &str) -> Result<PredicateId, Error> {
    let bare = name.split_once('/').map_or(name, |(bare, _)| bare);
    let mut known = subject.dataset.vocabulary.predicates();
    let found = known.find(|(_, signature)| *signature.name == *bare && signature.arity >= 2);
    found.map(|(id, _)| id).ok_or_else(|| {
        let names = subject.dataset.vocabulary.predicates().map(|(_, signature)| signature.name.to_string());
        let names: Vec<String> = names.collect();
        let message = format!("there is no relation `{name}` of two or more terms");
        let near = did_you_mean(bare, names.iter().map(String::as_str));
        near.into_iter().fold(Error::new(ErrorKind::Usage, message), Error::help)
    })
}
