//! One Kekulé structure: which aromatic bonds are double. Atoms that need a double bond are paired along aromatic
//! bonds by Edmonds' matching, so a structure is found whenever there is one.

use std::collections::VecDeque;

use crate::molecule::{BondOrder, MoleculeError};
use crate::sketch::Sketch;

const NONE: usize = usize::MAX;

/// Returns the order of each bond in one Kekulé structure, or the atom that gets no double bond in any.
pub(crate) fn orders(
    sketch: &Sketch,
    around: &[Vec<(usize, usize)>],
    valences: &[i32],
    hydrogens: &[u8],
) -> Result<Vec<BondOrder>, MoleculeError> {
    let mut orders: Vec<BondOrder> =
        sketch.bonds.iter().map(|bond| bond.order.unwrap_or(BondOrder::Single)).collect();
    if sketch.bonds.iter().all(|bond| bond.order.is_some()) {
        return Ok(orders);
    }
    let needs: Vec<DoubleBondNeed> =
        (0..around.len()).map(|atom| need(sketch, around, atom, valences[atom], hydrogens[atom])).collect();
    let open = |atom: usize| {
        let aromatic = around[atom].iter().filter(|(_, bond)| sketch.bonds[*bond].order.is_none());
        aromatic.filter(|(other, _)| needs[*other] != DoubleBondNeed::No).map(|(other, _)| *other).collect()
    };
    let graph: Vec<Vec<usize>> = (0..around.len())
        .map(|atom| if needs[atom] == DoubleBondNeed::No { Vec::new() } else { open(atom) })
        .collect();
    let mut matching = Matching::new(&graph);
    // Atoms that must have a double bond first; those that may fill what is left.
    for atom in (0..around.len()).filter(|&atom| needs[atom] == DoubleBondNeed::Yes) {
        if matching.mate[atom] == NONE && !matching.augment(atom) {
            let place = sketch.atoms[atom].place.clone();
            let message = "there is no arrangement of double bonds for this aromatic ring";
            return Err(MoleculeError::new(message, place));
        }
    }
    for (bond, order) in sketch.bonds.iter().zip(&mut orders).filter(|(bond, _)| bond.order.is_none()) {
        if matching.mate[bond.atoms[0]] == bond.atoms[1] {
            *order = BondOrder::Double;
        }
    }
    Ok(orders)
}

/// The need of an atom for a double bond.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DoubleBondNeed {
    No,
    May,
    Yes,
}

fn need(
    sketch: &Sketch,
    around: &[Vec<(usize, usize)>],
    place: usize,
    valence: i32,
    hydrogens: u8,
) -> DoubleBondNeed {
    let atom = &sketch.atoms[place];
    let aromatic = around[place].iter().any(|&(_, bond)| sketch.bonds[bond].order.is_none());
    if !aromatic {
        return DoubleBondNeed::No;
    }
    if atom.element.number() == 0 {
        return DoubleBondNeed::May;
    }
    let hydrogens = i32::from(hydrogens);
    let order = |&(_, bond): &(usize, usize)| sketch.bonds[bond].order.map_or(1, |order| order as i32);
    let single = around[place].iter().map(order).sum::<i32>() + hydrogens;
    let mut charge = i32::from(atom.charge);
    let usual = atom.element.valence();
    if atom.element.outer_electrons() < 4 || (usual == 4 && charge > 0) {
        charge = -charge;
    }
    let total = valence + if atom.hydrogens.is_some() { 0 } else { hydrogens };
    let fits = |valence: &&i32| total <= **valence + charge;
    let valences = atom.element.valences();
    let allowed = valences.iter().filter(|valence| **valence > 0).find(fits).or(valences.last());
    let allowed = allowed.copied().unwrap_or(usual) + charge;
    let degree = around[place].len() as i32 + hydrogens + i32::from(atom.radicals);
    let with_radical = atom.radicals == 0 && atom.hydrogens.is_some() && allowed == single + 2;
    let fits = allowed == single + i32::from(atom.radicals) + 1 || with_radical;
    if degree < allowed && fits { DoubleBondNeed::Yes } else { DoubleBondNeed::No }
}

/// A matching that grows by alternating paths; odd cycles on the way are shrunk to one place.
struct Matching<'a> {
    graph: &'a [Vec<usize>],
    mate: Vec<usize>,
    parent: Vec<usize>,
    base: Vec<usize>,
}

impl<'a> Matching<'a> {
    fn new(graph: &'a [Vec<usize>]) -> Self {
        let free = vec![NONE; graph.len()];
        Self { graph, mate: free.clone(), parent: free, base: (0..graph.len()).collect() }
    }

    /// Pairs one more atom, this one; false if that cannot be.
    fn augment(&mut self, root: usize) -> bool {
        let Some(mut end) = self.search(root) else { return false };
        while end != NONE {
            let before = self.parent[end];
            let next = self.mate[before];
            (self.mate[end], self.mate[before]) = (before, end);
            end = next;
        }
        true
    }

    /// Looks for an unpaired atom at the end of an alternating path.
    fn search(&mut self, root: usize) -> Option<usize> {
        self.parent.fill(NONE);
        self.base.iter_mut().enumerate().for_each(|(atom, base)| *base = atom);
        let mut reached = vec![false; self.graph.len()];
        reached[root] = true;
        let mut queue = VecDeque::from([root]);
        while let Some(atom) = queue.pop_front() {
            for &other in &self.graph[atom] {
                if self.base[atom] == self.base[other] || self.mate[atom] == other {
                    continue;
                }
                if other == root || (self.mate[other] != NONE && self.parent[self.mate[other]] != NONE) {
                    self.shrink(atom, other, &mut reached, &mut queue);
                } else if self.parent[other] == NONE {
                    self.parent[other] = atom;
                    match self.mate[other] {
                        NONE => return Some(other),
                        mate => {
                            reached[mate] = true;
                            queue.push_back(mate);
                        }
                    }
                }
            }
        }
        None
    }

    fn shrink(&mut self, a: usize, b: usize, reached: &mut [bool], queue: &mut VecDeque<usize>) {
        let base = self.common_base(a, b);
        let mut flower = vec![false; self.graph.len()];
        self.mark(a, base, b, &mut flower);
        self.mark(b, base, a, &mut flower);
        for atom in 0..self.graph.len() {
            if flower[self.base[atom]] {
                self.base[atom] = base;
                if !std::mem::replace(&mut reached[atom], true) {
                    queue.push_back(atom);
                }
            }
        }
    }

    fn mark(&mut self, mut atom: usize, base: usize, mut child: usize, flower: &mut [bool]) {
        while self.base[atom] != base {
            let mate = self.mate[atom];
            flower[self.base[atom]] = true;
            flower[self.base[mate]] = true;
            self.parent[atom] = child;
            child = mate;
            atom = self.parent[mate];
        }
    }

    fn common_base(&self, mut a: usize, mut b: usize) -> usize {
        let mut seen = vec![false; self.graph.len()];
        loop {
            a = self.base[a];
            seen[a] = true;
            if self.mate[a] == NONE {
                break;
            }
            a = self.parent[self.mate[a]];
        }
        loop {
            b = self.base[b];
            if seen[b] {
                return b;
            }
            b = self.parent[self.mate[b]];
        }
    }
}
