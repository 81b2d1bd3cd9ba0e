//! The atoms behind some atoms, each after those it needs.

use super::ExplainError;
use crate::ground::{GroundRules, Grounding};
use crate::template::{RuleId, Template};
use crate::vocabulary::{PredicateId, Vocabulary};

/// A ground atom: its predicate and its row.
pub(super) type Row = (PredicateId, u32);

/// No place.
pub(super) const NONE: u32 = u32::MAX;
const OPEN: u32 = u32::MAX - 1;

/// The ground rules of a rule by the rows of their heads.
pub(super) struct Heads {
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl Heads {
    fn new(ground: &GroundRules, rows: usize) -> Self {
        let mut starts = vec![0u32; rows + 1];
        ground.heads.iter().for_each(|&head| starts[head as usize + 1] += 1);
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let (mut next, mut numbers) = (starts.clone(), vec![0; ground.heads.len()]);
        for (number, &head) in ground.heads.iter().enumerate() {
            numbers[next[head as usize] as usize] = number as u32;
            next[head as usize] += 1;
        }
        Self { starts, numbers }
    }

    /// The numbers of the ground rules with this head, ascending.
    pub fn of(&self, row: u32) -> &[u32] {
        let row = row as usize;
        &self.numbers[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

/// What finds the ground rules of an atom.
pub(super) struct Order<'a> {
    template: &'a Template,
    grounding: &'a Grounding,
    /// By predicate: the rules with it as head.
    pub rules: Vec<Vec<RuleId>>,
    /// By rule.
    pub heads: Vec<Heads>,
    /// By predicate and row: the place of each atom behind the roots.
    pub places: Vec<Vec<u32>>,
    /// The atoms behind the roots, each after those it needs.
    pub atoms: Vec<Row>,
}

impl<'a> Order<'a> {
    pub fn new(
        template: &'a Template,
        vocabulary: &Vocabulary,
        grounding: &'a Grounding,
        roots: &[Row],
    ) -> Result<Self, ExplainError> {
        let relations = &grounding.relations;
        let mut rules = vec![Vec::new(); relations.len()];
        let mut heads = Vec::with_capacity(template.rules.len());
        for (rule, ground) in template.rule_ids().zip(&grounding.rules) {
            let head = template.rule(rule).head.predicate.index();
            rules[head].push(rule);
            heads.push(Heads::new(ground, relations[head].len()));
        }
        let places = relations.iter().map(|relation| vec![NONE; relation.len()]).collect();
        let mut order = Self { template, grounding, rules, heads, places, atoms: Vec::new() };
        for &root in roots {
            order.visit(root).map_err(|(predicate, row)| {
                ExplainError::Cycle(grounding.atom_text(vocabulary, predicate, row))
            })?;
        }
        Ok(order)
    }

    fn place(&mut self, (predicate, row): Row) -> &mut u32 {
        &mut self.places[predicate.index()][row as usize]
    }

    /// Depth first, with a stack of its own, since chains may be long; gives an atom of a cycle, if there is one.
    fn visit(&mut self, root: Row) -> Result<(), Row> {
        let mut way: Vec<(Row, Vec<Row>)> = Vec::new();
        let mut next = Some(root);
        loop {
            if let Some(atom) = next {
                match *self.place(atom) {
                    NONE => {
                        *self.place(atom) = OPEN;
                        way.push((atom, self.needs(atom)));
                    }
                    OPEN => return Err(atom),
                    _ => {}
                }
            }
            let Some((atom, rest)) = way.last_mut() else { return Ok(()) };
            next = rest.pop();
            if next.is_none() {
                let atom = *atom;
                *self.place(atom) = self.atoms.len() as u32;
                self.atoms.push(atom);
                way.pop();
            }
        }
    }

    /// The atoms that enter the ground rules of an atom, the last first.
    fn needs(&self, (predicate, row): Row) -> Vec<Row> {
        let mut needs = Vec::new();
        for &rule in &self.rules[predicate.index()] {
            let inputs = &self.template.rule(rule).inputs;
            let body = &self.grounding.rules[rule.index()].body;
            for &number in self.heads[rule.index()].of(row) {
                for (input, column) in inputs.iter().zip(body) {
                    let needed = (input.atom.predicate, column[number as usize]);
                    if self.places[needed.0.index()][needed.1 as usize] >= OPEN {
                        needs.push(needed);
                    }
                }
            }
        }
        needs.reverse();
        needs.dedup();
        needs
    }
}
