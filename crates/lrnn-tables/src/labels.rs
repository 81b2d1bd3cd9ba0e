//! The labels of examples: which rows have one, and whether a query names every value of it.

use std::collections::BTreeMap;

use lrnn::diagnostic::{Diagnostic, did_you_mean};
use lrnn::vocabulary::Constant;
use lrnn::{Error, ErrorKind};

use crate::frame::Cell;
use crate::line_rows::{LineRows, is_constant};
use crate::mapping::{Pattern, RelationLine};
use crate::membership::Memberships;
use crate::mistakes::Mistakes;
use crate::resolve::{Purpose, ResolvedLine, Tables, short};

impl Tables {
    /// Returns the number that each example has among those that are kept: to learn, those with a label.
    pub(crate) fn labelled(
        &self,
        memberships: &mut Memberships<'_>,
        mistakes: &mut Mistakes<'_>,
    ) -> Result<Vec<Option<u32>>, Error> {
        let count = self.example_count();
        let all: Vec<Option<u32>> = (0..count as u32).map(Some).collect();
        let asks = self.lines.iter().any(|line| self.line(line).is_query);
        if self.purpose == Purpose::Prediction || self.example.is_none() || !asks {
            return Ok(all);
        }
        let mut has_label = vec![false; count];
        for line in self.lines.iter().filter(|line| self.line(line).is_query) {
            let rows = LineRows::new(self, line);
            for &example in &self.line_facts(&rows, memberships, &all, false, mistakes, None)?.examples {
                has_label[example as usize] = true;
            }
        }
        let mut next = 0;
        let number = |has_label: bool| {
            has_label.then(|| {
                next += 1;
                next - 1
            })
        };
        Ok(has_label.into_iter().map(number).collect())
    }

    /// Tells whether rows without a label are asked for by this line: the first of its predicate with its terms.
    pub(crate) fn asks_unlabelled(&self, line: &ResolvedLine) -> bool {
        let relation = self.line(line);
        let kinds = |it: &RelationLine| it.terms.iter().map(|term| term.kind.clone()).collect::<Vec<_>>();
        let same = |other: &&ResolvedLine| {
            let it = self.line(other);
            it.is_query
                && it.predicate == relation.predicate
                && it.table == relation.table
                && kinds(it) == kinds(relation)
        };
        let is_first = self.lines.iter().find(same).is_some_and(|first| first.sentence == line.sentence);
        relation.is_query && self.purpose == Purpose::Prediction && is_first
    }

    /// Checks that every value of a label is named by some query.
    pub(crate) fn check_labels(&self) -> Result<(), Error> {
        let mut found: Vec<Diagnostic> = Vec::new();
        let mut seen: Vec<(usize, usize)> = Vec::new();
        for line in self.lines.iter().filter(|line| self.line(line).is_query) {
            let relation = self.line(line);
            for (it, column) in relation.columns.iter().zip(&line.columns) {
                let (Pattern::Constant(_), Some(column)) = (&it.pattern, *column) else { continue };
                if seen.contains(&(column.frame, column.column)) {
                    continue;
                }
                seen.push((column.frame, column.column));
                let known = self.named_labels(&relation.table, &it.column);
                let mut others: BTreeMap<String, usize> = BTreeMap::new();
                for row in 0..self.frames[column.frame].rows {
                    let Ok(cell) = self.cell(column, row) else { continue };
                    if cell != Cell::Null && !known.iter().any(|constant| is_constant(&cell, constant)) {
                        *others.entry(short(&cell.into_name().unwrap_or_default())).or_default() += 1;
                    }
                }
                if !others.is_empty() {
                    found.push(unnamed(&relation.table, it, &known, &others));
                }
            }
        }
        match found.is_empty() {
            true => Ok(()),
            false => Err(Error::of(ErrorKind::Content, found, &self.mapping.sources)),
        }
    }

    /// Returns the labels of a column that queries name, and those that are left out on purpose.
    fn named_labels(&self, table: &str, column: &str) -> Vec<Constant> {
        let queries = self.mapping.relations().filter(|line| line.is_query && line.table == table);
        let patterns = queries.flat_map(|line| &line.columns).filter(|it| it.column == column);
        let constants = patterns.filter_map(|it| match &it.pattern {
            Pattern::Constant(constant) => Some(constant.clone()),
            Pattern::Variable(_) => None,
        });
        let ignored = self.mapping.ignored().filter(|(name, _)| name.table == table && name.column == column);
        constants.chain(ignored.map(|(_, constant)| constant.clone())).collect()
    }
}

fn unnamed(
    table: &str,
    it: &crate::mapping::ColumnPattern,
    known: &[Constant],
    others: &BTreeMap<String, usize>,
) -> Diagnostic {
    let mut values: Vec<(&String, &usize)> = others.iter().collect();
    values.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), (*name).clone()));
    let shown: Vec<String> =
        values.iter().take(10).map(|(name, count)| format!("`{name}` ({count})")).collect();
    let more = if values.len() > 10 { ", ..." } else { "" };
    let column = &it.column;
    let message = format!("`{table}.{column}` has values that no query names: {}{more}", shown.join(", "));
    let names: Vec<String> = known.iter().map(ToString::to_string).collect();
    let near = values.first().and_then(|(name, _)| did_you_mean(name, names.iter().map(String::as_str)));
    let constant = Constant::from(values[0].0.as_str());
    let advice = format!("add a query for each, or `:- ignore({table}.{column}, {constant}).`");
    let help = near.map_or(advice.clone(), |near| format!("{near} Else {advice}"));
    Diagnostic::error("D0408", it.pattern_span, message).help(help)
}
