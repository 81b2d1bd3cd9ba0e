//! Networks as pictures show them: neurons in layers, weights on edges. What is left out is counted.

mod ground;
mod lifted;

pub use ground::network_view;
pub use lifted::template_view;

/// The kinds of nodes in a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// A fact neuron, or a fact of a template.
    Fact,
    /// An atom neuron.
    Atom,
    /// A rule neuron.
    Rule,
    /// An aggregation neuron.
    Aggregation,
    /// A literal of a template: a predicate with variables.
    Literal,
    /// So many neurons that are left out.
    Folded,
}

impl NodeKind {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fact => "fact",
            Self::Atom => "atom",
            Self::Rule => "rule",
            Self::Aggregation => "aggregation",
            Self::Literal => "literal",
            Self::Folded => "folded",
        }
    }
}

/// A node of a picture.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeView {
    /// Its kind.
    pub kind: NodeKind,
    /// Text in it: an atom.
    pub text: String,
    /// More about it: the ground rule, or the rules.
    pub about: String,
    /// Its value, if it has one.
    pub value: Option<f64>,
    /// Its column, from 0.
    pub layer: usize,
    /// The number of its predicate: nodes of one predicate have one colour.
    pub predicate: usize,
}

/// An edge of a picture.
#[derive(Clone, PartialEq, Debug)]
pub struct EdgeView {
    /// The node it comes from.
    pub from: usize,
    /// The node it enters.
    pub to: usize,
    /// The numbers of its weight.
    pub weight: Vec<f64>,
    /// The name of its weight; empty for a fixed number.
    pub name: String,
    /// Variables that must be equal: `A=H`, in a template.
    pub binding: String,
    /// Soft negation.
    pub negated: bool,
}

/// A network as a picture shows it.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct NetworkView {
    /// The nodes, layer by layer from left to right, each layer from top to bottom.
    pub nodes: Vec<NodeView>,
    /// The edges.
    pub edges: Vec<EdgeView>,
    /// A title for each layer.
    pub titles: Vec<String>,
    /// Number of neurons left out.
    pub folded: usize,
}
