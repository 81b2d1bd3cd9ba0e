//! The levels of a recursive stratum: an atom's level is above those of its inputs in the same stratum. Atoms that need
//! each other, through the inputs of ground rules, are a component and have one level.

use crate::ground::{Grounding, StratumAtoms, edges, sorted, starts};
use crate::template::{RuleId, Stratum, Template, strong_components};

/// In no component.
const NONE: u32 = u32::MAX;

/// The levels of a stratum's atoms, by predicate (in the stratum's order) and row.
pub(super) struct Levels {
    levels: Vec<Vec<u32>>,
    /// The component of each atom that needs itself; empty where there is none.
    components: Vec<Vec<u32>>,
}

impl Levels {
    /// Returns the level of each atom of a stratum's predicates. Atoms without inputs in the stratum have level 0.
    pub fn new(template: &Template, grounding: &Grounding, stratum: &Stratum) -> Self {
        let needs = Needs::new(template, grounding, stratum);
        let split = |flat: Vec<u32>| -> Vec<Vec<u32>> {
            let mut flat = flat.into_iter();
            let sizes = stratum.predicates.iter().map(|id| grounding.relations[id.index()].len());
            sizes.map(|size| flat.by_ref().take(size).collect()).collect()
        };
        match needs.levels() {
            Some(levels) => Self { levels: split(levels), components: Vec::new() },
            None => {
                let (levels, components) = needs.component_levels();
                Self { levels: split(levels), components: split(components) }
            }
        }
    }

    /// Returns whether there are atoms that need themselves.
    pub fn has_cycles(&self) -> bool {
        !self.components.is_empty()
    }

    /// Returns the level of an atom, by the place of its predicate in the stratum.
    pub fn level(&self, member: usize, row: u32) -> u32 {
        self.levels[member][row as usize]
    }

    /// Returns the component of an atom, if it needs itself.
    pub fn component(&self, member: usize, row: u32) -> Option<u32> {
        let component = *self.components.get(member)?.get(row as usize)?;
        (component != NONE).then_some(component)
    }

    /// Returns the highest level.
    pub fn most(&self) -> u32 {
        self.levels.iter().flatten().copied().max().unwrap_or(0)
    }

    /// Returns the atoms of all components.
    pub fn cyclic(&self) -> impl Iterator<Item = (usize, u32, u32)> {
        let of = |(member, components): (usize, &'_ Vec<u32>)| {
            let rows = components.iter().enumerate().filter(|(_, component)| **component != NONE);
            rows.map(|(row, &component)| (member, row as u32, component)).collect::<Vec<_>>()
        };
        self.components.iter().enumerate().flat_map(of)
    }
}

/// Edges from an atom to the heads that need it. Atoms are numbered through.
struct Needs {
    /// First edge of each atom, and how many there are.
    starts: Vec<u32>,
    heads: Vec<u32>,
}

impl Needs {
    fn new(template: &Template, grounding: &Grounding, stratum: &Stratum) -> Self {
        let atoms = StratumAtoms::number(stratum, &grounding.relations);
        let of_rule = |id: &RuleId| edges(template.rule(*id), &grounding.rules[id.index()], &atoms);
        let all = stratum.rules.iter().flat_map(of_rule);
        let edges = sorted(all.map(|(head, input)| (input as u32, head as u32)));
        let starts = starts(vec![0; atoms.count + 1], edges.iter().map(|edge| edge.0));
        Self { starts, heads: edges.into_iter().map(|edge| edge.1).collect() }
    }

    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    fn heads(&self, atom: usize) -> &[u32] {
        &self.heads[self.starts[atom] as usize..self.starts[atom + 1] as usize]
    }

    /// Returns the levels; none where an atom needs itself.
    fn levels(&self) -> Option<Vec<u32>> {
        let (mut levels, mut waiting) = (vec![0; self.count()], vec![0u32; self.count()]);
        self.heads.iter().for_each(|&head| waiting[head as usize] += 1);
        let mut ready: Vec<usize> = (0..self.count()).filter(|&atom| waiting[atom] == 0).collect();
        let mut done = 0;
        while let Some(atom) = ready.pop() {
            done += 1;
            for &head in self.heads(atom) {
                let head = head as usize;
                levels[head] = levels[head].max(levels[atom] + 1);
                waiting[head] -= 1;
                if waiting[head] == 0 {
                    ready.push(head);
                }
            }
        }
        (done == self.count()).then_some(levels)
    }

    /// Returns the levels and the components of atoms that need each other.
    fn component_levels(&self) -> (Vec<u32>, Vec<u32>) {
        let (mut levels, mut components) = (vec![0; self.count()], vec![NONE; self.count()]);
        let all =
            strong_components(self.count(), |atom, edge| self.heads(atom).get(edge).map(|&it| it as usize));
        // Heads come before what they need.
        for (number, component) in all.iter().rev().enumerate() {
            let level = component.iter().map(|&atom| levels[atom]).max().unwrap_or(0);
            let is_cyclic = component.len() > 1 || self.heads(component[0]).contains(&(component[0] as u32));
            for &atom in component {
                levels[atom] = level;
                if is_cyclic {
                    components[atom] = number as u32;
                }
            }
            for &atom in component {
                for &head in self.heads(atom) {
                    let head = head as usize;
                    if !is_cyclic || components[head] != number as u32 {
                        levels[head] = levels[head].max(level + 1);
                    }
                }
            }
        }
        (levels, components)
    }
}
