//! TUDataset folders: graphs as columns of numbers. `NAME_A.txt` has an edge a line, two node numbers from 1;
//! `NAME_graph_indicator.txt` the graph of each node; `NAME_graph_labels.txt` the class of each graph; and, where there
//! are, `NAME_node_labels.txt`, `NAME_edge_labels.txt`, `NAME_node_attributes.txt`, `NAME_edge_attributes.txt`, and
//! `folds.txt`.
//!
//! Node k of graph g becomes `d<g>_<k>` with a fact of its type, `n_3(d1_2)`, or `n_any` without labels. An edge, both
//! ways one, becomes `bond(d1_1, d1_2, d1_b1)` for each way it is written, with a fact of its type, `b_0(d1_b1)` or
//! `b_any`. Attributes are values of `node_attributes(d1_2)` and `edge_attributes(d1_b1)`. Types can be had as terms, as
//! by a signature, and classes become queries as those of `labels.txt`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lrnn::Error;
use lrnn::diagnostic::{Diagnostic, SourceId, Sources, Span};
use lrnn::vocabulary::Vocabulary;

use crate::dataset::{DatasetResult, add_file, only_of};
use crate::file::{content_error, entries, file_error};
use crate::graph_facts::facts;
use crate::line::lines;

const INDICATOR: &str = "_graph_indicator.txt";

/// Returns the name of the graphs in this folder, if it holds any.
pub(crate) fn name_of(folder: &Path) -> Result<Option<String>, Error> {
    let name = |path: &PathBuf| {
        let file = path.file_name()?.to_str()?;
        Some(file.strip_suffix(".gz").unwrap_or(file).strip_suffix(INDICATOR)?.to_owned())
    };
    let mut names: Vec<String> = entries(folder)?.iter().filter_map(name).collect();
    names.sort();
    names.dedup();
    if let [first, second, ..] = &names[..] {
        let error =
            content_error(folder, format!("there are graphs of {first} and of {second} in this folder"));
        return Err(error.help("give each a folder of its own"));
    }
    Ok(names.pop())
}

/// Reads the graphs of this name.
pub(crate) fn read_graphs(
    folder: &Path,
    name: &str,
    vocabulary: Vocabulary,
    sources: &mut Sources,
) -> Result<DatasetResult, Error> {
    let mut file = |file: String| -> Result<Option<SourceId>, Error> {
        let path: Option<PathBuf> = only_of(folder, &[&file])?;
        path.map(|path| add_file(&path, sources)).transpose()
    };
    let full = |end: &str| format!("{name}_{end}.txt");
    let mut needed = |end: &str| {
        let help = "graphs need edges (A), the graph of each node and the class of each graph";
        let error = || file_error(folder, format!("there is no {} in this folder", full(end))).help(help);
        file(full(end))?.ok_or_else(error)
    };
    let needed = [needed("A")?, needed("graph_indicator")?, needed("graph_labels")?];
    let labels = [file(full("node_labels"))?, file(full("edge_labels"))?];
    let attributes = [file(full("node_attributes"))?, file(full("edge_attributes"))?];
    let folds = file("folds.txt".to_owned())?;
    let graphs = Graphs::read(sources, needed, labels, attributes, folds);
    Ok(graphs.map(|graphs| facts(&graphs, vocabulary)))
}

/// A column: what its lines say, with their places.
pub(crate) type PlacedColumn<T> = Vec<(T, Span)>;

/// The columns, which fit together.
pub(crate) struct Graphs {
    /// The two nodes of each edge, from 0.
    pub edges: PlacedColumn<(usize, usize)>,
    /// The graph of each node, from 0.
    pub graph_of: PlacedColumn<usize>,
    pub classes: PlacedColumn<i64>,
    pub node_labels: Option<PlacedColumn<String>>,
    pub edge_labels: Option<PlacedColumn<String>>,
    pub node_attributes: Option<PlacedColumn<Vec<f64>>>,
    pub edge_attributes: Option<PlacedColumn<Vec<f64>>>,
    pub folds: Option<PlacedColumn<u32>>,
}

impl Graphs {
    fn read(
        sources: &Sources,
        [edges, indicator, classes]: [SourceId; 3],
        labels: [Option<SourceId>; 2],
        attributes: [Option<SourceId>; 2],
        folds: Option<SourceId>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut reader = GraphReader { sources, wrong: Vec::new() };
        let edges = reader.column(edges, "two node numbers from 1: `1, 2`", edge);
        let graph_of = reader.column(indicator, "the number of a graph from 1", from_one);
        let class = "the class of a graph, a whole number";
        let classes = reader.column(classes, class, |text| text.parse().ok());
        let [node_labels, edge_labels] = labels.map(|id| Some(reader.column(id?, LABEL, label)));
        let [node_attributes, edge_attributes] =
            attributes.map(|id| Some(reader.column(id?, NUMBERS, numbers)));
        let fold = "the number of a fold from 0";
        let given = folds.map(|id| reader.column(id, fold, |text| text.parse().ok()));
        reader.as_many(&node_labels, labels[0], graph_of.len(), "nodes");
        reader.as_many(&node_attributes, attributes[0], graph_of.len(), "nodes");
        reader.as_many(&edge_labels, labels[1], edges.len(), "edges");
        reader.as_many(&edge_attributes, attributes[1], edges.len(), "edges");
        reader.as_many(&given, folds, classes.len(), "graphs");
        let graphs = Self {
            edges,
            graph_of,
            classes,
            node_labels,
            edge_labels,
            node_attributes,
            edge_attributes,
            folds: given,
        };
        reader.one_length(&graphs.node_attributes);
        reader.one_length(&graphs.edge_attributes);
        reader.in_range(&graphs);
        reader.wrong.truncate(50);
        if reader.wrong.is_empty() { Ok(graphs) } else { Err(reader.wrong) }
    }
}

const LABEL: &str = "a label, a whole number";
const NUMBERS: &str = "attributes, numbers with commas between them";

fn from_one(text: &str) -> Option<usize> {
    text.parse::<usize>().ok()?.checked_sub(1)
}

fn edge(text: &str) -> Option<(usize, usize)> {
    let (a, b) = text.split_once(',')?;
    Some((from_one(a.trim())?, from_one(b.trim())?))
}

/// Joins several labels of one node: `0, 3` is `0_3`.
fn label(text: &str) -> Option<String> {
    let parts: Option<Vec<String>> =
        text.split(',').map(|part| Some(part.trim().parse::<i64>().ok()?.to_string())).collect();
    Some(parts?.join("_"))
}

fn numbers(text: &str) -> Option<Vec<f64>> {
    text.split(',').map(|part| part.trim().parse().ok().filter(|number: &f64| number.is_finite())).collect()
}

/// Reads columns and collects what is wrong with them.
struct GraphReader<'a> {
    sources: &'a Sources,
    wrong: Vec<Diagnostic>,
}

impl GraphReader<'_> {
    fn column<T>(&mut self, id: SourceId, what: &str, parse: impl Fn(&str) -> Option<T>) -> PlacedColumn<T> {
        let mut column = Vec::new();
        for line in lines(self.sources.text(id), id) {
            match parse(line.text) {
                Some(found) => column.push((found, line.span)),
                None if self.wrong.len() < 50 => {
                    let message = format!("`{}` is not {what}", line.text);
                    self.wrong.push(Diagnostic::error("D0126", line.span, message));
                }
                None => {}
            }
        }
        column
    }

    fn as_many<T>(&mut self, column: &Option<PlacedColumn<T>>, id: Option<SourceId>, count: usize, of: &str) {
        let (Some(column), Some(source)) = (column, id) else { return };
        if column.len() == count || !self.wrong.is_empty() {
            return;
        }
        let end = self.sources.text(source).trim_end().len() as u32;
        let span = column.get(count).map_or(Span { source, start: end, end }, |line| line.1);
        let message = format!("lines here: {}, {of}: {count}", column.len());
        self.wrong.push(Diagnostic::error("D0127", span, message).help("line i is about number i of them"));
    }

    fn one_length(&mut self, column: &Option<PlacedColumn<Vec<f64>>>) {
        let Some(column) = column else { return };
        let length = column.first().map_or(0, |first| first.0.len());
        if let Some((other, span)) = column.iter().find(|line| line.0.len() != length) {
            let message = format!("attributes here: {}, on the first line: {length}", other.len());
            let help = "all lines have equally many attributes";
            self.wrong.push(Diagnostic::error("D0127", *span, message).help(help));
        }
    }

    fn in_range(&mut self, graphs: &Graphs) {
        let (nodes, count) = (graphs.graph_of.len(), graphs.classes.len());
        let mut complain = |span: Span, message: String, help: &str| {
            if self.wrong.len() < 50 {
                self.wrong.push(Diagnostic::error("D0128", span, message).help(help));
            }
        };
        for &(graph, span) in graphs.graph_of.iter().filter(|line| line.0 >= count) {
            let message = format!("there is no graph {}: there are classes of {count}", graph + 1);
            complain(span, message, "graphs are numbered from 1, and each has a line among the graph labels");
        }
        for &((a, b), span) in &graphs.edges {
            if a.max(b) >= nodes {
                let message = format!("there is no node {}: there are {nodes}", a.max(b) + 1);
                let help = "nodes are numbered from 1, and each has a line in the graph indicator";
                complain(span, message, help);
            } else if graphs.graph_of[a].0 != graphs.graph_of[b].0 {
                let message = format!("the nodes {} and {} belong to different graphs", a + 1, b + 1);
                complain(span, message, "an edge joins two nodes of one graph");
            }
        }
    }
}

/// Returns the number of each node within its graph, from 1.
pub(crate) fn numbers_within(graph_of: &PlacedColumn<usize>) -> Vec<usize> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    let mut next = |&(graph, _): &(usize, Span)| {
        let count = counts.entry(graph).or_insert(0);
        *count += 1;
        *count
    };
    graph_of.iter().map(&mut next).collect()
}
