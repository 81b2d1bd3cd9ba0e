//! The rules and facts behind a value, as a tree for people: of each max the winner, of all else what counts most.
//! What is left out is counted.

use serde::Serialize;

use super::Proof;
use super::proof::plain;
use crate::function::Aggregation;
use crate::network::{AtomNode, GroupNode};

/// The kinds of nodes in a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TreeKind {
    /// A ground atom.
    Atom,
    /// A fact of the atom above.
    Fact,
    /// A ground rule for the atom above.
    Rule,
    /// All ground rules of one rule for the atom above.
    Aggregation,
    /// So many are left out.
    Folded,
}

/// A node with all that is shown below it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Tree {
    /// Its kind.
    pub kind: TreeKind,
    /// It in words.
    pub text: String,
    /// Its value; empty where something is left out.
    pub value: Vec<f64>,
    /// The weight with which it enters what is above.
    pub weight: Vec<f64>,
    /// Remark: which of how many it is, or that it is shown above.
    pub note: String,
    /// Its inputs.
    pub below: Vec<Self>,
}

impl Tree {
    fn new(kind: TreeKind, text: String, value: &[f64], weight: Vec<f64>) -> Self {
        Self { kind, text, value: value.to_vec(), weight, note: String::new(), below: Vec::new() }
    }
}

/// Limits of the part of a tree that is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeLimits {
    /// The most that is shown below one node.
    pub wide: usize,
    /// The most levels of atoms.
    pub deep: usize,
    /// The most nodes.
    pub nodes: usize,
}

impl Default for TreeLimits {
    fn default() -> Self {
        Self { wide: 3, deep: 12, nodes: 120 }
    }
}

/// Returns the tree behind an atom, by its place in the proof.
pub fn tree(proof: &Proof<'_>, atom: usize, limits: TreeLimits) -> Tree {
    let is_shown = vec![false; proof.network.atoms.len()];
    let mut builder = TreeBuilder { proof, limits, left: limits.nodes, is_shown, path: Vec::new() };
    builder.atom(atom, vec![1.0], limits.deep.min(MOST_DEEP))
}

/// Deeper trees would be no help to anybody.
const MOST_DEEP: usize = 64;

struct TreeBuilder<'a> {
    proof: &'a Proof<'a>,
    limits: TreeLimits,
    left: usize,
    is_shown: Vec<bool>,
    /// The atoms above, in words: one that needs itself is in a cycle, which the proof has sweep by sweep.
    path: Vec<String>,
}

fn folded(count: usize, what: &str) -> Tree {
    let text = format!("{count} more {what}{}", if count == 1 { "" } else { "s" });
    Tree::new(TreeKind::Folded, text, &[], Vec::new())
}

fn size(numbers: &[f64]) -> f64 {
    numbers.iter().map(|number| number * number).sum::<f64>().sqrt()
}

impl TreeBuilder<'_> {
    fn atom(&mut self, number: usize, weight: Vec<f64>, deep: usize) -> Tree {
        self.left = self.left.saturating_sub(1);
        let atom: &AtomNode = &self.proof.network.atoms[number];
        let value = self.proof.values.atoms.of(number).0;
        let mut tree = Tree::new(TreeKind::Atom, self.proof.atom_text(number), value, weight);
        if self.is_shown[number] && !atom.groups.is_empty() {
            tree.note = "shown above".to_owned();
            return tree;
        }
        if self.path.contains(&tree.text) {
            tree.note = "a cycle: shown above, this is its value a sweep before".to_owned();
            return tree;
        }
        self.is_shown[number] = true;
        for fact in atom.facts.clone() {
            tree.below.push(self.fact(fact));
        }
        if deep == 0 || self.left == 0 {
            if !atom.groups.is_empty() {
                tree.below.push(folded(atom.groups.len(), "rule"));
            }
            return tree;
        }
        let mut groups: Vec<usize> = atom.groups.clone().collect();
        let weight = |group: usize| {
            size(plain(&self.proof.numbers.groups[group])) * size(self.proof.values.groups.of(group).0)
        };
        groups.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)));
        let shown = groups.len().min(self.limits.wide.max(1));
        self.path.push(tree.text.clone());
        for &group in &groups[..shown] {
            let below = self.group(group, deep);
            tree.below.push(below);
        }
        self.path.pop();
        if groups.len() > shown {
            tree.below.push(folded(groups.len() - shown, "rule"));
        }
        tree
    }

    fn fact(&mut self, number: usize) -> Tree {
        self.left = self.left.saturating_sub(1);
        let weight = plain(&self.proof.numbers.facts[number]).to_vec();
        Tree::new(TreeKind::Fact, "fact".to_owned(), &[1.0], weight)
    }

    /// Returns an aggregation neuron: as its winner, or with the largest of what it aggregates.
    fn group(&mut self, number: usize, deep: usize) -> Tree {
        let group: &GroupNode = &self.proof.network.groups[number];
        let aggregation = self.proof.template.rule(group.rule).functions.aggregation;
        let (weight, count) = (plain(&self.proof.numbers.groups[number]).to_vec(), group.neurons.len());
        let order = self.ordered(group, aggregation);
        if count == 1 || matches!(aggregation, Aggregation::Max | Aggregation::Min) {
            let mut tree = self.rule(number, order[0], weight, deep);
            tree.note = if count == 1 { String::new() } else { format!("{aggregation} of {count}") };
            return tree;
        }
        self.left = self.left.saturating_sub(1);
        let shown = count.min(self.limits.wide.max(1));
        let mut below: Vec<Tree> =
            order[..shown].iter().map(|&neuron| self.rule(number, neuron, vec![1.0], deep)).collect();
        if count > shown {
            below.push(folded(count - shown, "ground rule"));
        }
        let text = format!("{aggregation} of {count} ground rules");
        let value = self.proof.values.groups.of(number).0;
        Tree { below, ..Tree::new(TreeKind::Aggregation, text, value, weight) }
    }

    /// Returns the rule neurons of a group, those that count most first.
    fn ordered(&self, group: &GroupNode, aggregation: Aggregation) -> Vec<usize> {
        let first = |neuron: usize| self.proof.values.neurons.first(neuron);
        let mut order: Vec<usize> = group.neurons.clone().collect();
        match aggregation {
            Aggregation::Min => order.sort_by(|&a, &b| first(a).total_cmp(&first(b))),
            Aggregation::Max => order.sort_by(|&a, &b| first(b).total_cmp(&first(a))),
            _ => {
                let weight = |neuron: usize| size(self.proof.values.neurons.of(neuron).0);
                order.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)));
            }
        }
        order
    }

    fn rule(&mut self, group: usize, neuron: usize, weight: Vec<f64>, deep: usize) -> Tree {
        self.left = self.left.saturating_sub(1);
        let inputs = self.proof.inputs(group, neuron).to_vec();
        let mut below = Vec::with_capacity(inputs.len());
        let mut hidden = 0;
        for (position, atom) in inputs.into_iter().enumerate() {
            if self.left == 0 {
                hidden += 1;
                continue;
            }
            let weight = plain(&self.proof.numbers.inputs[group][position]).to_vec();
            below.push(self.atom(atom as usize, weight, deep - 1));
        }
        if hidden > 0 {
            below.push(folded(hidden, "atom"));
        }
        let text = self.proof.rule_text(&self.proof.network.groups[group], neuron);
        Tree { below, ..Tree::new(TreeKind::Rule, text, self.proof.values.neurons.of(neuron).0, weight) }
    }
}
