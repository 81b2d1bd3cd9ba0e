//! The smallest rings. Candidates are, for each atom and bond, the shortest way from the atom to both ends of the bond;
//! in the order of their size, those are kept that shorter rings do not add up to. So where several rings of a size
//! are as good, as the six faces of cubane, all are there.

use crate::molecule::Ring;

/// A set of bonds.
type Bits = Vec<u64>;

/// Finds the smallest rings.
pub(crate) fn rings(ends: &[[usize; 2]], around: &[Vec<(usize, usize)>]) -> Vec<Ring> {
    let cyclic = cyclic_bonds(ends.len(), around);
    if !cyclic.contains(&true) {
        return Vec::new();
    }
    let mut candidates = Vec::new();
    for root in (0..around.len()).filter(|&root| around[root].iter().any(|&(_, bond)| cyclic[bond])) {
        candidates_from(root, ends, around, &cyclic, &mut candidates);
    }
    candidates.sort_by(|a, b| (a.atoms.len(), &a.bonds).cmp(&(b.atoms.len(), &b.bonds)));
    candidates.dedup();
    independent(candidates, ends.len())
}

/// Tells of each bond whether it is in one of the rings.
pub(crate) fn in_rings<'a>(bonds: usize, rings: impl IntoIterator<Item = &'a Ring>) -> Vec<bool> {
    let mut inside = vec![false; bonds];
    rings.into_iter().flat_map(|ring| &ring.bonds).for_each(|&bond| inside[bond] = true);
    inside
}

/// Bonds that are no bridges.
fn cyclic_bonds(bonds: usize, around: &[Vec<(usize, usize)>]) -> Vec<bool> {
    let (atoms, mut cyclic) = (around.len(), vec![false; bonds]);
    let (mut number, mut low) = (vec![usize::MAX; atoms], vec![usize::MAX; atoms]);
    let mut count = 0;
    for root in 0..atoms {
        if number[root] != usize::MAX {
            continue;
        }
        // Atom, the bond it was reached by, the next neighbour to look at.
        let mut stack = vec![(root, usize::MAX, 0)];
        while let Some((atom, from, next)) = stack.pop() {
            if next == 0 {
                (number[atom], low[atom]) = (count, count);
                count += 1;
            }
            let Some(&(other, bond)) = around[atom].get(next) else {
                if let Some(&(parent, ..)) = stack.last() {
                    low[parent] = low[parent].min(low[atom]);
                    cyclic[from] |= low[atom] <= number[parent];
                }
                continue;
            };
            stack.push((atom, from, next + 1));
            if number[other] == usize::MAX {
                stack.push((other, bond, 0));
            } else if bond != from {
                low[atom] = low[atom].min(number[other]);
                cyclic[bond] = true;
            }
        }
    }
    cyclic
}

/// Rings through an atom, by shortest ways in a tree from it; each ring is listed from its first atom only.
fn candidates_from(
    root: usize,
    ends: &[[usize; 2]],
    around: &[Vec<(usize, usize)>],
    cyclic: &[bool],
    found: &mut Vec<Ring>,
) {
    let mut reached: Vec<Option<(usize, usize, usize)>> = vec![None; around.len()]; // distance, atom before, bond
    reached[root] = Some((0, root, usize::MAX));
    let mut queue = std::collections::VecDeque::from([root]);
    while let Some(atom) = queue.pop_front() {
        let distance = reached[atom].map_or(0, |step| step.0);
        for &(other, bond) in around[atom].iter().filter(|(_, bond)| cyclic[*bond]) {
            if reached[other].is_none() {
                reached[other] = Some((distance + 1, atom, bond));
                queue.push_back(other);
            }
        }
    }
    let way = |mut atom: usize| {
        let mut way = Vec::new();
        while let Some((_, before, bond)) = reached[atom].filter(|_| atom != root) {
            way.push((atom, bond));
            atom = before;
        }
        way
    };
    for (bond, &[a, b]) in ends.iter().enumerate().filter(|(bond, _)| cyclic[*bond]) {
        let (Some(to_a), Some(to_b)) = (reached[a], reached[b]) else { continue };
        if to_a.0.abs_diff(to_b.0) > 1 || to_a.2 == bond || to_b.2 == bond {
            continue;
        }
        let (left, right) = (way(a), way(b));
        if left.iter().any(|(atom, _)| right.iter().any(|(other, _)| other == atom)) {
            continue;
        }
        found.push(closed(root, &left, bond, &right));
    }
}

/// The ring of two ways and the bond between their ends, written from its first atom in one direction.
fn closed(root: usize, left: &[(usize, usize)], bond: usize, right: &[(usize, usize)]) -> Ring {
    let way = || left.iter().rev().chain(right);
    let mut atoms: Vec<usize> = [root].into_iter().chain(way().map(|step| step.0)).collect();
    let mut bonds: Vec<usize> = way().map(|step| step.1).collect();
    bonds.insert(left.len(), bond);
    let first = (0..atoms.len()).min_by_key(|&place| atoms[place]).unwrap_or(0);
    atoms.rotate_left(first);
    bonds.rotate_left(first);
    if atoms.len() > 2 && atoms[1] > atoms[atoms.len() - 1] {
        atoms[1..].reverse();
        bonds.reverse();
    }
    Ring { atoms, bonds }
}

/// Keeps the rings that shorter ones do not add up to.
fn independent(candidates: Vec<Ring>, bonds: usize) -> Vec<Ring> {
    let mut basis: Vec<(usize, Bits)> = Vec::new(); // each with a bond that no later one has
    let mut kept: Vec<Ring> = Vec::new();
    let mut rest = candidates.into_iter().peekable();
    while let Some(size) = rest.peek().map(|ring| ring.atoms.len()) {
        let shorter = basis.len();
        while let Some(ring) = rest.next_if(|ring| ring.atoms.len() == size) {
            let mut bits = vec![0; bonds.div_ceil(64)];
            ring.bonds.iter().for_each(|bond| bits[bond / 64] |= 1 << (bond % 64));
            if reduce(&mut bits, &basis[..shorter]).is_none() {
                continue;
            }
            if let Some(pivot) = reduce(&mut bits, &basis[shorter..]) {
                basis.push((pivot, bits));
            }
            kept.push(ring);
        }
    }
    kept
}

/// Takes rings out of a set of bonds; gives the first bond that is left.
fn reduce(bits: &mut Bits, basis: &[(usize, Bits)]) -> Option<usize> {
    for (pivot, other) in basis {
        if bits[pivot / 64] >> (pivot % 64) & 1 == 1 {
            bits.iter_mut().zip(other).for_each(|(bits, other)| *bits ^= other);
        }
    }
    let word = bits.iter().position(|&bits| bits != 0)?;
    Some(word * 64 + bits[word].trailing_zeros() as usize)
}
