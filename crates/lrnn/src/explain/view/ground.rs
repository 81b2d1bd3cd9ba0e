//! The ground network behind some atoms.

use super::{EdgeView, NetworkView, NodeKind, NodeView};
use crate::explain::Proof;
use crate::explain::proof::plain;
use crate::ground::FactSource;
use crate::model::{key_name, weight_names};
use crate::network::GroupNode;
use crate::template::WeightUse;

/// Numbers of rule neurons shown of an aggregation neuron, and of aggregation neurons of an atom, from much to little.
const WIDTHS: [(usize, usize); 9] =
    [(usize::MAX, usize::MAX), (4, 12), (3, 8), (2, 6), (2, 4), (1, 4), (1, 3), (1, 2), (1, 1)];

/// Returns the network behind these atoms of the proof, with at most about so many neurons: where there are more, those
/// that count least are left out and counted.
pub fn network_view(proof: &Proof<'_>, roots: &[usize], most: usize) -> NetworkView {
    // Counted before it is drawn: a network can have a million neurons, and texts for all would be for nothing.
    let count = |&(rules, groups): &(usize, usize)| {
        let drawing = NetworkDrawing::new(proof, rules, groups);
        drawing.count(&drawing.wanted(roots))
    };
    let whole = count(&WIDTHS[0]);
    let fitting = WIDTHS[1..].iter().find(|width| whole <= most || count(width) <= most);
    let &(rules, groups) = if whole <= most { &WIDTHS[0] } else { fitting.unwrap_or(&(1, 1)) };
    NetworkDrawing::new(proof, rules, groups).draw(roots, whole)
}

struct NetworkDrawing<'a> {
    proof: &'a Proof<'a>,
    names: Vec<String>,
    rules: usize,
    groups: usize,
    view: NetworkView,
    /// By atom, its node.
    atoms: Vec<Option<usize>>,
}

impl<'a> NetworkDrawing<'a> {
    fn new(proof: &'a Proof<'a>, rules: usize, groups: usize) -> Self {
        let (names, atoms) = (weight_names(proof.template), vec![None; proof.network.atoms.len()]);
        Self { proof, names, rules, groups, view: NetworkView::default(), atoms }
    }

    /// Returns the atoms that are shown.
    fn wanted(&self, roots: &[usize]) -> Vec<bool> {
        let mut wanted = vec![false; self.proof.network.atoms.len()];
        for &root in roots {
            wanted.get_mut(root).into_iter().for_each(|wanted| *wanted = true);
        }
        // From the roots down: what enters what is shown is shown.
        for atom in (0..wanted.len()).rev() {
            if wanted[atom] {
                for (group, neurons) in self.shown(atom) {
                    for neuron in neurons {
                        let inputs = self.proof.inputs(group, neuron);
                        inputs.iter().for_each(|&input| wanted[input as usize] = true);
                    }
                }
            }
        }
        wanted
    }

    /// Returns how many nodes there are if these atoms are shown.
    fn count(&self, wanted: &[bool]) -> usize {
        let of_atom = |atom: usize| {
            let (node, shown) = (&self.proof.network.atoms[atom], self.shown(atom));
            let group = |(group, neurons): &(usize, Vec<usize>)| {
                1 + neurons.len()
                    + usize::from(neurons.len() < self.proof.network.groups[*group].neurons.len())
            };
            let folded = usize::from(shown.len() < node.groups.len());
            1 + node.facts.len() + folded + shown.iter().map(group).sum::<usize>()
        };
        (0..wanted.len()).filter(|&atom| wanted[atom]).map(of_atom).sum()
    }

    fn draw(mut self, roots: &[usize], whole: usize) -> NetworkView {
        let wanted = self.wanted(roots);
        for atom in (0..wanted.len()).filter(|&atom| wanted[atom]) {
            self.atom(atom);
        }
        let shown = self.view.nodes.iter().filter(|node| node.kind != NodeKind::Folded).count();
        self.view.folded = whole.saturating_sub(shown);
        self.in_layers()
    }

    /// Returns the groups of an atom that are shown, each with its rule neurons that are, those that count most.
    fn shown(&self, atom: usize) -> Vec<(usize, Vec<usize>)> {
        let size = |numbers: &[f64]| numbers.iter().map(|number| number * number).sum::<f64>();
        let weight = |&group: &usize| {
            size(plain(&self.proof.numbers.groups[group])) * size(self.proof.values.groups.of(group).0)
        };
        let mut groups: Vec<usize> = self.proof.network.atoms[atom].groups.clone().collect();
        if groups.len() > self.groups {
            groups.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
            groups.truncate(self.groups);
            groups.sort_unstable();
        }
        let neurons = |group: &GroupNode| {
            let mut neurons: Vec<usize> = group.neurons.clone().collect();
            if neurons.len() > self.rules {
                let first = |neuron: &usize| self.proof.values.neurons.first(*neuron);
                neurons.sort_by(|a, b| first(b).total_cmp(&first(a)));
                neurons.truncate(self.rules);
                neurons.sort_unstable();
            }
            neurons
        };
        groups.into_iter().map(|group| (group, neurons(&self.proof.network.groups[group]))).collect()
    }

    fn node(
        &mut self,
        kind: NodeKind,
        text: &str,
        about: String,
        value: Option<f64>,
        (layer, predicate): (usize, usize),
    ) -> usize {
        let text = text.to_owned();
        self.view.nodes.push(NodeView { kind, text, about, value, layer, predicate });
        self.view.nodes.len() - 1
    }

    fn edge(&mut self, from: usize, to: usize, weight: &[f64], name: String, negated: bool) {
        let (weight, binding) = (weight.to_vec(), String::new());
        self.view.edges.push(EdgeView { from, to, weight, name, binding, negated });
    }

    fn name(&self, used: Option<&WeightUse>, group: Option<&GroupNode>) -> String {
        let Proof { template, vocabulary, .. } = self.proof;
        let Some(used) = used.filter(|used| template.weight(used.weight).name.is_some()) else {
            return String::new();
        };
        match group.and_then(|group| self.proof.key(group, used)) {
            Some(key) => key_name(&self.names, template, vocabulary, &key),
            None => self.names[used.weight.index()].clone(),
        }
    }

    /// Draws an atom neuron with its fact, rule and aggregation neurons; what enters it is drawn already.
    fn atom(&mut self, number: usize) {
        let proof = self.proof;
        let atom = &proof.network.atoms[number];
        let (text, predicate) = (proof.atom_text(number), atom.predicate.index());
        let shown = self.shown(number);
        let mut entering = Vec::new();
        let mut layer = 1;
        for (group, neurons) in &shown {
            let node = self.group(*group, neurons, &text, predicate);
            layer = layer.max(self.view.nodes[node].layer + 1);
            entering.push((node, *group));
        }
        let left_out = atom.groups.len() - shown.len();
        let value = Some(proof.values.atoms.first(number));
        let node = self.node(NodeKind::Atom, &text, String::new(), value, (layer, predicate));
        for (from, group) in entering {
            let (number, group) = (group, &proof.network.groups[group]);
            let used = proof.template.rule(group.rule).weight.as_ref();
            let name = self.name(used, Some(group));
            self.edge(from, node, plain(&proof.numbers.groups[number]), name, false);
        }
        for fact in atom.facts.clone() {
            let from = self.node(NodeKind::Fact, &text, String::new(), Some(1.0), (layer - 1, predicate));
            let name = match proof.network.facts[fact].source {
                FactSource::Template(number) => {
                    self.name(proof.template.facts[number as usize].weight.as_ref(), None)
                }
                FactSource::Example { .. } => String::new(),
            };
            self.edge(from, node, plain(&proof.numbers.facts[fact]), name, false);
        }
        self.fold(left_out, node, layer - 1, predicate);
        self.atoms[number] = Some(node);
    }

    /// Returns an aggregation neuron with its rule neurons.
    fn group(&mut self, number: usize, neurons: &[usize], head: &str, predicate: usize) -> usize {
        let proof = self.proof;
        let group = &proof.network.groups[number];
        let mut entering = Vec::new();
        let mut layer = 1;
        for &neuron in neurons {
            let atoms: Vec<usize> =
                proof.inputs(number, neuron).iter().filter_map(|&atom| self.atoms[atom as usize]).collect();
            let below = atoms.iter().map(|&atom| self.view.nodes[atom].layer).max().unwrap_or(0);
            let value = Some(self.proof.values.neurons.first(neuron));
            let about = proof.rule_text(group, neuron);
            let node = self.node(NodeKind::Rule, head, about, value, (below + 1, predicate));
            let rule = proof.template.rule(group.rule);
            for ((position, input), from) in rule.inputs.iter().enumerate().zip(atoms) {
                let name = self.name(input.weight.as_ref(), Some(group));
                self.edge(from, node, plain(&proof.numbers.inputs[number][position]), name, input.negated);
            }
            layer = layer.max(below + 2);
            entering.push(node);
        }
        let aggregation = proof.template.rule(group.rule).functions.aggregation;
        let about = format!("{aggregation} of {}, rule {}", group.neurons.len(), group.rule.0 + 1);
        let value = Some(proof.values.groups.first(number));
        let node = self.node(NodeKind::Aggregation, head, about, value, (layer, predicate));
        entering.into_iter().for_each(|from| self.edge(from, node, &[1.0], String::new(), false));
        self.fold(group.neurons.len() - neurons.len(), node, layer - 1, predicate);
        node
    }

    /// Draws a node for neurons that are left out.
    fn fold(&mut self, count: usize, to: usize, layer: usize, predicate: usize) {
        if count > 0 {
            let (text, about) = (format!("{count} more"), format!("{count} neurons are left out"));
            let from = self.node(NodeKind::Folded, &text, about, None, (layer, predicate));
            self.edge(from, to, &[1.0], String::new(), false);
        }
    }

    /// Returns the nodes sorted by layers, with a title each.
    fn in_layers(self) -> NetworkView {
        let NetworkView { nodes, edges, folded, .. } = self.view;
        let mut order: Vec<usize> = (0..nodes.len()).collect();
        order.sort_by_key(|&node| nodes[node].layer);
        let mut places = vec![0; nodes.len()];
        order.iter().enumerate().for_each(|(place, &node)| places[node] = place);
        let moved = |edge: EdgeView| EdgeView { from: places[edge.from], to: places[edge.to], ..edge };
        let nodes: Vec<NodeView> = order.iter().map(|&node| nodes[node].clone()).collect();
        let layers = nodes.last().map_or(0, |node| node.layer + 1);
        let title = |layer: usize| {
            let mut kinds: Vec<&str> = Vec::new();
            for node in nodes.iter().filter(|node| node.layer == layer && node.kind != NodeKind::Folded) {
                if !kinds.contains(&node.kind.name()) {
                    kinds.push(node.kind.name());
                }
            }
            format!("{} neurons", kinds.join(", "))
        };
        let titles = (0..layers).map(title).collect();
        NetworkView { edges: edges.into_iter().map(moved).collect(), nodes, titles, folded }
    }
}
