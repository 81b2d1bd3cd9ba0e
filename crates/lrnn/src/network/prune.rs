//! Which atoms the queries reach: through the inputs of ground rules, from the queries down.

use std::borrow::Cow;

use super::levels::Levels;
use crate::data::Query;
use crate::ground::{AllRuns, Grounding, SharedRows};
use crate::template::{RuleId, Stratum, Template};

/// For each predicate, which rows are needed.
pub(super) struct RowNeeds {
    rows: Vec<Vec<bool>>,
}

impl RowNeeds {
    /// Returns the need for everything.
    pub fn all(grounding: &Grounding) -> Self {
        Self { rows: grounding.relations.iter().map(|relation| vec![true; relation.len()]).collect() }
    }

    /// Returns what the queries reach. `levels` gives the levels of a recursive stratum.
    pub fn by(
        template: &Template,
        strata: &[Stratum],
        grounding: &Grounding,
        queries: &[Query],
        levels: &[Option<Levels>],
        runs: &AllRuns,
    ) -> Self {
        let mut needed =
            Self { rows: grounding.relations.iter().map(|relation| vec![false; relation.len()]).collect() };
        for query in queries {
            if let Some(row) = grounding.relations[query.predicate.index()].find(&query.terms) {
                needed.rows[query.predicate.index()][row as usize] = true;
            }
        }
        for (stratum, levels) in strata.iter().zip(levels).rev() {
            match levels {
                None => needed.mark(template, grounding, stratum, runs),
                Some(levels) => needed.mark_by_level(template, grounding, stratum, levels),
            }
        }
        needed
    }

    /// Returns whether a row is needed.
    pub fn has(&self, predicate: usize, row: u32) -> bool {
        self.rows[predicate][row as usize]
    }

    /// Returns whether all rows of a predicate are needed.
    pub fn has_all(&self, predicate: usize) -> bool {
        self.rows[predicate].iter().all(|&needed| needed)
    }

    fn mark(&mut self, template: &Template, grounding: &Grounding, stratum: &Stratum, runs: &AllRuns) {
        let whole = self.mark_whole_walks(template, stratum, runs);
        for &id in &stratum.rules {
            let shared = runs.shared(id);
            if shared.is_some_and(|(walk, ..)| whole[walk]) {
                continue;
            }
            let (rule, mut ground) = (template.rule(id), Cow::Borrowed(&grounding.rules[id.index()]));
            let head = rule.head.predicate.index();
            if let Some(runs) = runs.own(id)
                && self.has_all(head)
            {
                for (input, column) in rule.inputs.iter().zip(&runs.body) {
                    let rows = &mut self.rows[input.atom.predicate.index()];
                    column.entries.iter().for_each(|&row| rows[row as usize] = true);
                }
                continue;
            }
            if let Some((_, shared, place)) = shared
                && self.has_all(head)
            {
                for (input, &column) in rule.inputs.iter().zip(shared.body(place)) {
                    let rows = &mut self.rows[input.atom.predicate.index()];
                    shared.rows(place, column).for_each(|row| rows[row as usize] = true);
                }
                continue;
            }
            if let Some(written) = runs.written_out(id, rule.inputs.len()) {
                ground = Cow::Owned(written);
            }
            for (input, column) in rule.inputs.iter().zip(&ground.body) {
                let below = input.atom.predicate.index();
                if self.has_all(below) {
                    continue;
                }
                let [heads, rows] = match self.rows.get_disjoint_mut([head, below]) {
                    Ok(both) => both,
                    Err(_) => continue, // a predicate that needs itself has levels
                };
                for (&row, &head_row) in column.iter().zip(&ground.heads) {
                    rows[row as usize] |= heads[head_row as usize];
                }
            }
        }
    }

    /// Marks what shared walks reach whose rules take all rows, for heads that are all needed; returns, by walk, which
    /// those are.
    fn mark_whole_walks(&mut self, template: &Template, stratum: &Stratum, runs: &AllRuns) -> Vec<bool> {
        // By walk: its rules here whose heads are all needed.
        let mut rules = vec![0; runs.shared.len()];
        for &id in &stratum.rules {
            if let Some((walk, ..)) = runs.shared(id) {
                rules[walk] += usize::from(self.has_all(template.rule(id).head.predicate.index()));
            }
        }
        let mut mark = |(shared, rules): (&Option<SharedRows>, usize)| {
            let Some(shared) = shared.as_ref().filter(|shared| shared.is_whole(rules)) else { return false };
            for &(column, predicate) in shared.inputs() {
                let Some(predicate) = predicate else { continue };
                let rows = &mut self.rows[predicate.index()];
                shared.column(column).iter().for_each(|&row| rows[row as usize] = true);
            }
            true
        };
        runs.shared.iter().zip(rules).map(&mut mark).collect()
    }

    /// Marks from the highest level down: what a head needs lies below it.
    fn mark_by_level(
        &mut self,
        template: &Template,
        grounding: &Grounding,
        stratum: &Stratum,
        levels: &Levels,
    ) {
        let mut ordered = Vec::new();
        for &id in &stratum.rules {
            let head = template.rule(id).head.predicate;
            let Some(member) = stratum.predicates.iter().position(|&known| known == head) else { continue };
            let heads = grounding.rules[id.index()].heads.iter().enumerate();
            ordered.extend(heads.map(|(ground, &row)| (levels.level(member, row), id, ground)));
        }
        ordered.sort_unstable();
        let mut cyclic: Vec<(u32, u32, usize, u32)> = levels
            .cyclic()
            .map(|(member, row, component)| (levels.level(member, row), component, member, row))
            .collect();
        cyclic.sort_unstable();
        for same in ordered.chunk_by(|one, other| one.0 == other.0).rev() {
            let from = cyclic.partition_point(|atom| atom.0 < same[0].0);
            self.mark_components(stratum, &cyclic[from..]);
            cyclic.truncate(from);
            for &(_, id, ground) in same.iter().rev() {
                self.mark_inputs(template, grounding, id, ground);
            }
        }
    }

    /// Marks all atoms of a component of which one is needed: each needs every other.
    fn mark_components(&mut self, stratum: &Stratum, atoms: &[(u32, u32, usize, u32)]) {
        for component in atoms.chunk_by(|one, other| one.1 == other.1) {
            let mut rows =
                component.iter().map(|&(_, _, member, row)| (stratum.predicates[member].index(), row));
            if rows.clone().any(|(predicate, row)| self.has(predicate, row)) {
                rows.by_ref().for_each(|(predicate, row)| self.rows[predicate][row as usize] = true);
            }
        }
    }

    fn mark_inputs(&mut self, template: &Template, grounding: &Grounding, id: RuleId, ground: usize) {
        let (rule, rules) = (template.rule(id), &grounding.rules[id.index()]);
        if self.rows[rule.head.predicate.index()][rules.heads[ground] as usize] {
            for (input, column) in rule.inputs.iter().zip(&rules.body) {
                self.rows[input.atom.predicate.index()][column[ground] as usize] = true;
            }
        }
    }
}
