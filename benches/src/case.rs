//! The cases: which template, on which data.

use std::path::{Path, PathBuf};

use crate::graph;

/// A source of facts.
#[derive(Clone, Debug)]
pub enum Data {
    /// The molecules of `datasets/mutagenesis`.
    Molecules,
    /// The same with a predicate for each element and bond type: `c(a1)` for `element(a1, c)`.
    Named,
    /// A random graph with so many nodes: one example.
    Graph(u32),
    /// A folder with `examples.txt` and `queries.txt`.
    Folder(PathBuf),
}

/// A template with its data.
#[derive(Clone, Debug)]
pub struct BenchCase {
    /// Its name on the command line.
    pub name: String,
    /// The template.
    pub template: PathBuf,
    /// The family, where it is not the template's.
    pub family: Option<String>,
    /// The data.
    pub data: Data,
    /// True if the whole model is grounded, and nothing by demand.
    pub whole: bool,
}

/// Name, template from the root of the project, family if not the template's, nodes if not the molecules, about.
type CaseRow = (&'static str, &'static str, Option<&'static str>, Option<u32>, &'static str);

const PAPER: &str = "benches/templates/chains.lrnn";
const NAMED: &str = "benches/templates/named.lrnn";
const GRAPH: &str = "benches/templates/graph.lrnn";

/// All cases.
#[rustfmt::skip]
const CASES: &[CaseRow] = &[
    ("chains", PAPER, None, None, "243 kinds of chains of three atoms, indexed, max"),
    ("chains-avg", PAPER, Some("avg-sigmoid"), None, "the same with the mean"),
    ("plain", "datasets/mutagenesis/plain.lrnn", None, None, "the template of Mutagenesis with every rule written out"),
    ("indexed", "datasets/mutagenesis/template.lrnn", None, None, "the same as three indexed rules"),
    ("named", NAMED, None, None, "the same with a predicate for every element, bond type and cluster"),
    ("chains-max", "benches/templates/chains-max.lrnn", None, None, "243 chains with NeuraLogic's functions, max"),
    ("chains-mean", "benches/templates/chains-mean.lrnn", None, None, "243 chains with NeuraLogic's functions, mean"),
    ("gcn-10", "benches/templates/gcn-10.lrnn", None, None, "graph convolution, 2 layers of 10"),
    ("gcn-32", "benches/templates/gcn-32.lrnn", None, None, "graph convolution, 2 layers of 32"),
    ("gsage-10", "benches/templates/gsage-10.lrnn", None, None, "GraphSAGE, 2 layers of 10"),
    ("gsage-32", "benches/templates/gsage-32.lrnn", None, None, "GraphSAGE, 2 layers of 32"),
    ("gin-10", "benches/templates/gin-10.lrnn", None, None, "graph isomorphism network, 5 layers of 10"),
    ("gin-32", "benches/templates/gin-32.lrnn", None, None, "graph isomorphism network, 5 layers of 32"),
    ("messages", "benches/templates/messages.lrnn", None, None, "messages of every two atoms, of which rules ask for few"),
    ("graph-10k", GRAPH, None, Some(10_000), "one graph of 10 000 nodes"),
    ("graph-50k", GRAPH, None, Some(50_000), "one graph of 50 000 nodes"),
    ("graph-200k", GRAPH, None, Some(200_000), "one graph of 200 000 nodes"),
    ("graph-1667k", GRAPH, None, Some(1_666_667), "one graph of 1 666 667 nodes and ten million edges, only with --growth"),
];

/// Returns what is run where no case is named: case, copies of the data, examples a batch (0: all).
pub fn default_runs() -> Vec<(&'static str, usize, usize)> {
    let mut runs = vec![("chains", 1, 1), ("chains", 10, 1), ("chains", 100, 1)];
    for &(name, _, _, nodes, _) in CASES[1..].iter().filter(|case| !is_huge(case.3)) {
        let is_vectors = nodes.is_none() && (name.ends_with("-10") || name.ends_with("-32"));
        let batches: &[usize] = if is_vectors { &[1, 32, 0] } else { &[1] };
        runs.extend(batches.iter().map(|&batch| (name, 1, batch)));
    }
    runs
}

/// Returns whether a graph takes gigabytes.
fn is_huge(nodes: Option<u32>) -> bool {
    nodes.is_some_and(|nodes| nodes > 1_000_000)
}

/// Returns what shows how time and memory grow with the data: the same runs with more and more of it. 5,320 copies are a
/// million molecules.
pub fn growth_runs() -> Vec<(&'static str, usize, usize)> {
    let chains = [1, 10, 100].map(|copies| ("chains", copies, 1));
    let convolutions = [1, 10, 100, 1000, 5320].map(|copies| ("gcn-10", copies, 32));
    let graphs = CASES.iter().filter(|case| case.3.is_some()).map(|case| (case.0, 1, 1));
    chains.into_iter().chain(convolutions).chain(graphs).collect()
}

/// Returns a line for each case.
pub fn list() -> String {
    CASES.iter().map(|(name, _, _, _, about)| format!("{name:12} {about}\n")).collect()
}

/// Returns the root of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// The examples and queries of a case as text.
pub struct BenchTexts {
    /// One example a sentence; of a graph, one fact.
    pub examples: String,
    /// The queries, sentence i about example i.
    pub queries: String,
}

impl BenchCase {
    /// Returns the case with this name.
    pub fn find(name: &str) -> Option<Self> {
        let &(name, template, family, nodes, _) = CASES.iter().find(|row| row.0 == name)?;
        Some(Self {
            name: name.into(),
            template: root().join(template),
            family: family.map(Into::into),
            data: match nodes {
                Some(nodes) => Data::Graph(nodes),
                None if template == NAMED => Data::Named,
                None => Data::Molecules,
            },
            whole: false,
        })
    }

    /// Returns the data, so many times over. Each copy of a molecule has constants of its own.
    pub fn texts(&self, copies: usize) -> Result<BenchTexts, String> {
        let folder = match &self.data {
            Data::Graph(nodes) => return Ok(graph::texts(*nodes)),
            Data::Molecules | Data::Named => &root().join("datasets/mutagenesis"),
            Data::Folder(folder) => folder,
        };
        let read = |name| lrnn_io::read_text(&folder.join(name)).map_err(|error| error.to_string());
        let (mut examples, queries) = (read("examples.txt")?, read("queries.txt")?);
        if matches!(self.data, Data::Named) {
            examples = named(&examples);
        }
        let copy = |number: usize| match number {
            0 => examples.clone(),
            _ => examples.replace("(d", &format!("(x{number}_d")).replace(", d", &format!(", x{number}_d")),
        };
        Ok(BenchTexts { examples: (0..copies).map(copy).collect(), queries: queries.repeat(copies) })
    }
}

/// Returns facts with the second term of `element` and `bond_type` in the place of their predicate.
fn named(text: &str) -> String {
    let mut named = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, fact)) = rest
        .split_once("element(")
        .into_iter()
        .chain(rest.split_once("bond_type("))
        .min_by_key(|(before, _)| before.len())
    {
        let (terms, after) = fact.split_once(')').unwrap_or((fact, ""));
        let (own, kind) = terms.split_once(", ").unwrap_or((terms, ""));
        named.extend([before, kind, "(", own, ")"]);
        rest = after;
    }
    named + rest
}
