//! What a report shows: examples with their answers, and what stands behind these.

use serde::Serialize;

use super::TextId;
use crate::skeletal::SkeletalFormula;

/// Constants as nodes, a relation as edges; an edge is about 1 long.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PageGraph {
    /// The nodes.
    pub nodes: Vec<PageGraphNode>,
    /// The edges.
    pub edges: Vec<PageGraphEdge>,
}

/// A constant.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PageGraphNode {
    /// Its name.
    pub text: String,
    /// Text in it.
    pub label: String,
    /// Its path.
    pub x: f64,
    /// Its path.
    pub y: f64,
    /// Its contribution.
    pub amount: Option<f64>,
}

/// Two constants that the relation holds together.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PageGraphEdge {
    /// A node.
    pub from: usize,
    /// Another.
    pub to: usize,
    /// Name of the relation.
    pub label: String,
    /// Contribution of the relation.
    pub amount: Option<f64>,
}

/// An example.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct PageExample {
    /// Its name.
    pub name: String,
    /// Training, validation or test, or its fold.
    pub part: String,
    /// Its queries.
    pub answers: Vec<PageAnswer>,
    /// It drawn.
    pub picture: Option<PageGraph>,
    /// It drawn as a skeletal formula, if it is a molecule.
    pub molecule: Option<SkeletalFormula>,
    /// Number of its facts.
    pub facts: usize,
    /// Its facts.
    pub text: String,
}

/// A query with its value.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct PageAnswer {
    /// The query.
    pub atom: String,
    /// Its target.
    pub target: Option<Vec<f64>>,
    /// Its value; none outside the model.
    pub value: Option<Vec<f64>>,
    /// True if it is wrong, if there is a target.
    pub is_wrong: Option<bool>,
    /// Its loss, if there is a target.
    pub loss: Option<f64>,
    /// Explanation of its value.
    pub explanation: Option<Explanation>,
}

/// An explanation of a value.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Explanation {
    /// The value.
    pub value: f64,
    /// Value without the example's facts.
    pub baseline: f64,
    /// Sum of all contributions.
    pub sum: f64,
    /// Rest that the sum lacks.
    pub residual: f64,
    /// The constants that bring most.
    pub constants: Vec<(TextId, f64)>,
    /// Number of others, and what they bring.
    pub constants_rest: (usize, f64),
    /// The facts that bring most.
    pub facts: Vec<(TextId, f64)>,
    /// Number of others, and what they bring.
    pub facts_rest: (usize, f64),
    /// Facts with the value without them.
    pub changes: Vec<(TextId, f64)>,
    /// Number of orders of removal that the contributions are means of.
    pub orders: usize,
    /// The rules and facts behind it.
    pub tree: PageTree,
    /// The neurons behind it.
    pub network: PageNetwork,
}

/// A node with what is below it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PageTree {
    /// Its kind.
    pub kind: &'static str,
    /// It in words.
    pub text: TextId,
    /// Its value.
    pub value: Option<f64>,
    /// The weight with which it enters what is above.
    pub weight: Vec<f64>,
    /// A remark.
    pub note: TextId,
    /// Its inputs.
    pub below: Vec<PageTree>,
}

/// Neurons in layers.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct PageNetwork {
    /// The neurons, by layer.
    pub nodes: Vec<NetworkNode>,
    /// The edges; those that enter one node stand in the order of how much they count.
    pub edges: Vec<NetworkEdge>,
    /// A title for each layer.
    pub titles: Vec<String>,
    /// Number of neurons left out.
    pub left_out: usize,
}

/// A neuron.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NetworkNode {
    /// Its kind.
    pub kind: &'static str,
    /// Text in it.
    pub text: TextId,
    /// More about it.
    pub about: TextId,
    /// Its value.
    pub value: Option<f64>,
    /// Its layer.
    pub layer: usize,
    /// Its predicate, which has a colour.
    pub predicate: usize,
}

/// An edge between neurons.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NetworkEdge {
    /// Number of the node it leaves.
    pub from: usize,
    /// Number of the node it enters.
    pub to: usize,
    /// Its weight.
    pub weight: Vec<f64>,
    /// The name of its weight, or what must be equal.
    pub name: TextId,
    /// Soft negation; most edges have none, and say nothing of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub negated: bool,
}

impl Explanation {
    /// Returns every number of a text in it.
    pub fn texts(&mut self) -> Vec<&mut TextId> {
        let mut all: Vec<&mut TextId> = Vec::new();
        all.extend(self.facts.iter_mut().map(|fact| &mut fact.0));
        all.extend(self.constants.iter_mut().map(|constant| &mut constant.0));
        all.extend(self.changes.iter_mut().map(|change| &mut change.0));
        self.tree.add_texts(&mut all);
        all.extend(self.network.nodes.iter_mut().flat_map(|node| [&mut node.text, &mut node.about]));
        all.extend(self.network.edges.iter_mut().map(|edge| &mut edge.name));
        all
    }

    /// About how many bytes it has as JSON, without its texts.
    pub fn bytes(&self) -> usize {
        let rows = self.facts.len() + self.constants.len() + self.changes.len();
        300 + 28 * rows + 80 * self.network.nodes.len() + 58 * self.network.edges.len() + self.tree.bytes()
    }
}

impl PageTree {
    fn add_texts<'a>(&'a mut self, all: &mut Vec<&'a mut TextId>) {
        all.extend([&mut self.text, &mut self.note]);
        self.below.iter_mut().for_each(|below| below.add_texts(all));
    }

    fn bytes(&self) -> usize {
        90 + self.below.iter().map(Self::bytes).sum::<usize>()
    }
}
