//! The levels of a recursive stratum: an atom's level is above those of its inputs in the same stratum.

use crate::ground::Grounding;
use crate::template::{Stratum, Template};
use crate::vocabulary::PredicateId;

/// Returns the level of each atom of a stratum's predicates, by predicate (in the stratum's order) and row. Atoms
/// without inputs in the stratum have level 0. The grounding is acyclic.
pub(super) fn levels(template: &Template, grounding: &Grounding, stratum: &Stratum) -> Vec<Vec<u32>> {
    let place = |predicate: PredicateId| stratum.predicates.iter().position(|&member| member == predicate);
    let mut levels: Vec<Vec<u32>> =
        stratum.predicates.iter().map(|id| vec![0; grounding.relations[id.index()].len()]).collect();
    // Who waits for whom: edges from an atom to the heads that need it.
    let mut starts: Vec<Vec<u32>> = levels.iter().map(|rows| vec![0; rows.len() + 1]).collect();
    let mut edges: Vec<(usize, u32, usize, u32)> = Vec::new();
    for &id in &stratum.rules {
        let (rule, ground) = (template.rule(id), &grounding.rules[id.index()]);
        let Some(head) = place(rule.head.predicate) else { continue };
        for (input, column) in rule.inputs.iter().zip(&ground.body) {
            let Some(member) = place(input.atom.predicate) else { continue };
            let pairs = column.iter().zip(&ground.heads);
            edges.extend(pairs.map(|(&row, &head_row)| (member, row, head, head_row)));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    let mut waiting: Vec<Vec<u32>> = levels.iter().map(|rows| vec![0; rows.len()]).collect();
    for &(member, row, head, head_row) in &edges {
        starts[member][row as usize + 1] += 1;
        waiting[head][head_row as usize] += 1;
    }
    let mut offset = 0;
    for rows in &mut starts {
        rows[0] = offset;
        for at in 1..rows.len() {
            rows[at] += rows[at - 1];
        }
        offset = rows.last().copied().unwrap_or(offset);
    }
    let mut ready: Vec<(usize, u32)> = Vec::new();
    for (member, rows) in waiting.iter().enumerate() {
        ready.extend((0..rows.len() as u32).filter(|&row| rows[row as usize] == 0).map(|row| (member, row)));
    }
    while let Some((member, row)) = ready.pop() {
        let level = levels[member][row as usize];
        let range = starts[member][row as usize] as usize..starts[member][row as usize + 1] as usize;
        for &(_, _, head, head_row) in &edges[range] {
            let above = &mut levels[head][head_row as usize];
            *above = (*above).max(level + 1);
            waiting[head][head_row as usize] -= 1;
            if waiting[head][head_row as usize] == 0 {
                ready.push((head, head_row));
            }
        }
    }
    levels
}
