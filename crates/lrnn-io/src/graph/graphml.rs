//! GraphML: each `<graph>` is an example. Facts are as those of node-link JSON: `node(n)`, `edge(a, b)` (both ways where it is
//! not directed), attributes with their value as the last term. Nodes within nodes and edges of more than two ends are
//! refused.

use std::collections::{BTreeMap, BTreeSet};

use lrnn::diagnostic::{Diagnostic, SourceId, Span};
use lrnn::vocabulary::Constant;

use super::xml::{XmlPiece, XmlPieces};
use super::{GraphFacts, PlacedFact, wrong};

/// A `<key>`: what attributes it names.
struct GraphmlKey {
    name: String,
    kind: String,
    /// The element that has it: `node`, `edge`, `graph` or `all`.
    of: String,
    default: Option<String>,
}

/// A `<graph>`, `<node>` or `<edge>` that is open.
struct OpenElement {
    name: &'static str,
    /// The terms of its facts; of an edge that is not directed, both ways.
    terms: Vec<Vec<Constant>>,
    /// Its `<data>`: key and text.
    data: Vec<(String, String)>,
    place: Span,
}

#[derive(Default)]
struct GraphmlReader {
    keys: BTreeMap<String, GraphmlKey>,
    open_key: Option<String>,
    open_data: Option<String>,
    open: Vec<OpenElement>,
    is_directed: bool,
    /// The ids of the nodes of the graph at hand, and the ends of its edges with their places.
    nodes: BTreeSet<String>,
    ends: Vec<(String, Span)>,
    examples: Vec<Vec<PlacedFact>>,
    wrong: Vec<Diagnostic>,
}

pub(super) fn read(text: &str, source: SourceId) -> GraphFacts {
    let mut reader = GraphmlReader::default();
    let mut pieces = XmlPieces::new(text);
    while let Some(piece) = pieces.next_piece() {
        match piece {
            Ok((piece, start, end)) => {
                reader.piece(piece, Span { source, start: start as u32, end: end as u32 });
            }
            Err((message, at)) => reader.wrong.push(wrong(source, at, at + 1, message)),
        }
    }
    if let (Some(open), true) = (reader.open.last(), reader.wrong.is_empty()) {
        reader.wrong.push(Diagnostic::error(super::CODE, open.place, format!("<{}> has no end", open.name)));
    }
    if reader.examples.is_empty() && reader.wrong.is_empty() {
        reader.wrong.push(wrong(source, 0, 0, "there is no <graph> in this text"));
    }
    if reader.wrong.is_empty() { Ok(reader.examples) } else { Err(reader.wrong) }
}

impl GraphmlReader {
    fn piece(&mut self, piece: XmlPiece<'_>, place: Span) {
        match piece {
            XmlPiece::Start { name, attributes, is_empty } => {
                self.start(name, &attributes, place);
                if is_empty {
                    self.end(name);
                }
            }
            XmlPiece::End { name } => self.end(name),
            XmlPiece::Text(text) => self.text(&text),
        }
    }

    fn complain(&mut self, place: Span, message: String) {
        if self.wrong.len() < 50 {
            self.wrong.push(Diagnostic::error(super::CODE, place, message));
        }
    }

    fn start(&mut self, name: &str, attributes: &[(&str, String)], place: Span) {
        let attribute =
            |name: &str| attributes.iter().find(|entry| entry.0 == name).map(|entry| entry.1.as_str());
        match name {
            "key" => {
                let id = attribute("id").unwrap_or("").to_owned();
                let own = |name: &str, other: &str| attribute(name).unwrap_or(other).to_owned();
                let key = GraphmlKey {
                    name: own("attr.name", &id),
                    kind: own("attr.type", "string"),
                    of: own("for", "all"),
                    default: None,
                };
                self.keys.insert(id.clone(), key);
                self.open_key = Some(id);
            }
            "graph" => {
                self.is_directed = attribute("edgedefault") != Some("undirected");
                if self.open.is_empty() {
                    self.examples.push(Vec::new());
                } else {
                    self.complain(place, "a graph within a node is not read".to_owned());
                }
                let (terms, data) = (vec![Vec::new()], Vec::new());
                self.open.push(OpenElement { name: "graph", terms, data, place });
            }
            "node" => match attribute("id") {
                Some(id) if !self.nodes.insert(id.to_owned()) => {
                    self.complain(place, format!("there is a node `{id}` already"));
                }
                Some(id) => self.element("node", vec![vec![Constant::Name(id.into())]], place),
                None => self.complain(place, "a node has no id".to_owned()),
            },
            "edge" => match (attribute("source"), attribute("target")) {
                (Some(source), Some(target)) => {
                    let is_directed =
                        attribute("directed").map_or(self.is_directed, |directed| directed == "true");
                    self.ends.extend([source, target].map(|end| (end.to_owned(), place)));
                    let ends = [source, target].map(|end| Constant::Name(end.into()));
                    let back = vec![ends[1].clone(), ends[0].clone()];
                    let both = if is_directed { vec![ends.to_vec()] } else { vec![ends.to_vec(), back] };
                    self.element("edge", both, place);
                }
                _ => self.complain(place, "an edge has no source or no target".to_owned()),
            },
            "hyperedge" => self.complain(place, "an edge of more than two ends is not read".to_owned()),
            "data" => {
                self.open_data = attribute("key").map(str::to_owned);
                if let (Some(key), Some(open)) = (&self.open_data, self.open.last_mut()) {
                    open.data.push((key.clone(), String::new()));
                }
            }
            _ => {}
        }
    }

    fn element(&mut self, name: &'static str, terms: Vec<Vec<Constant>>, place: Span) {
        let Some(facts) = self.examples.last_mut() else {
            self.complain(place, format!("<{name}> stands outside of a graph"));
            return;
        };
        facts.extend(terms.iter().map(|terms| PlacedFact::new(name, terms.clone(), place)));
        self.open.push(OpenElement { name, terms, data: Vec::new(), place });
    }

    fn text(&mut self, text: &str) {
        if self.open_data.is_some() {
            if let Some(last) = self.open.last_mut().and_then(|open| open.data.last_mut()) {
                last.1.push_str(text.trim());
            }
        } else if let Some(key) = self.open_key.as_ref().and_then(|key| self.keys.get_mut(key)) {
            key.default = Some(text.trim().to_owned());
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "key" => self.open_key = None,
            "data" => self.open_data = None,
            "graph" | "node" | "edge" if self.open.last().is_some_and(|open| open.name == name) => {
                if let Some(open) = self.open.pop() {
                    self.attributes(&open);
                }
                if name == "graph" {
                    self.check_ends();
                }
            }
            _ => {}
        }
    }

    /// Checks that edges join nodes of their graph, which may stand behind them.
    fn check_ends(&mut self) {
        let nodes = std::mem::take(&mut self.nodes);
        for (end, place) in std::mem::take(&mut self.ends) {
            if !nodes.contains(&end) {
                self.complain(place, format!("there is no node `{end}` in this graph"));
            }
        }
    }

    /// Adds the attributes of an element, those that only have a default as well.
    fn attributes(&mut self, open: &OpenElement) {
        for (id, _) in &open.data {
            if !self.keys.contains_key(id) {
                self.complain(open.place, format!("there is no <key> with the id `{id}`"));
            }
        }
        let given = open.data.iter().filter_map(|(id, text)| Some((self.keys.get(id)?, text)));
        let is_left = |(id, key): &(&String, &GraphmlKey)| {
            (key.of == open.name || key.of == "all") && !open.data.iter().any(|(own, _)| own == *id)
        };
        let left = self.keys.iter().filter(is_left);
        let all = given.chain(left.filter_map(|(_, key)| Some((key, key.default.as_ref()?))));
        let of_key =
            |(key, text): (&GraphmlKey, &String)| (key.name.clone(), value(&key.kind, text), text.clone());
        for (name, value, text) in all.map(of_key).collect::<Vec<_>>() {
            let Some(value) = value else {
                self.complain(open.place, format!("`{text}` is no value of `{name}`"));
                continue;
            };
            let facts = open.terms.iter().map(|terms| {
                let terms = terms.iter().cloned().chain([value.clone()]).collect();
                PlacedFact::new(&name, terms, open.place)
            });
            if let Some(example) = self.examples.last_mut() {
                example.extend(facts);
            }
        }
    }
}

/// Returns a text as a constant of its kind.
fn value(kind: &str, text: &str) -> Option<Constant> {
    match kind {
        "int" | "long" => text.parse().ok().map(Constant::Integer),
        "float" | "double" => {
            text.parse().ok().filter(|number: &f64| number.is_finite()).map(Constant::number)
        }
        "boolean" => match text.to_ascii_lowercase().as_str() {
            "true" | "1" => Some(Constant::Name("true".into())),
            "false" | "0" => Some(Constant::Name("false".into())),
            _ => None,
        },
        _ => Some(Constant::Name(text.into())),
    }
}
