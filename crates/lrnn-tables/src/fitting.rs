//! What a mapping learns from training rows: the means and deviations of `scale`, the bounds of `bins`.

use lrnn::Error;

use crate::line_facts::is_by_example;
use crate::line_rows::{LineRows, RowUse};
use crate::mapping::{Expression, ExpressionKind};
use crate::membership::Memberships;
use crate::mistakes::Mistakes;
use crate::resolve::Tables;
use crate::{Mapping, Moment};

impl Tables {
    /// Learns what the mapping leaves to training rows.
    pub(crate) fn fit(
        &self,
        memberships: &mut Memberships<'_>,
        kept: &[Option<u32>],
        training: Option<&[usize]>,
        mistakes: &mut Mistakes<'_>,
    ) -> Result<Mapping, Error> {
        let mut mapping = self.mapping.clone();
        if !mapping.is_open() {
            return Ok(mapping);
        }
        let examples = kept.iter().flatten().count().max(1);
        let mut is_training = vec![training.is_none() || self.example.is_none(); examples];
        for &example in training.unwrap_or_default() {
            is_training.get_mut(example).into_iter().for_each(|it| *it = true);
        }
        for line in self.lines.iter().filter(|line| self.line(line).is_open()) {
            let rows = LineRows::new(self, line);
            let moments = memberships.moments();
            let membership = memberships.of(line.frame, !rows.relation.is_query)?;
            let mut used = Vec::new();
            for row in 0..self.frames[line.frame].rows {
                if !matches!(rows.takes(row, false), Ok(RowUse::Kept)) {
                    continue;
                }
                match membership.of(row) {
                    None => used.push((row, None)),
                    Some(examples) => {
                        let is_seen = |example: &&u32| {
                            kept[**example as usize].is_some_and(|example| is_training[example as usize])
                        };
                        let own = examples.iter().filter(is_seen);
                        let own = own.map(|&example| (row, moments.get(example as usize).copied()));
                        used.extend(own.take(if is_by_example(rows.relation) { usize::MAX } else { 1 }));
                    }
                }
            }
            let crate::mapping::Sentence::Relation(relation) = &mut mapping.sentences[line.sentence].0 else {
                continue;
            };
            for expression in relation.value.iter_mut().chain(&mut relation.terms) {
                self.fit_expression(&rows, expression, &used, mistakes);
            }
        }
        Ok(mapping)
    }

    fn fit_expression(
        &self,
        rows: &LineRows<'_>,
        expression: &mut Expression,
        used: &[(usize, Option<Moment>)],
        mistakes: &mut Mistakes<'_>,
    ) {
        let mut values = |of: &Expression| {
            let mut all = Vec::new();
            for &(row, as_of) in used {
                let rows = LineRows { as_of, ..*rows };
                match rows.number(of, row) {
                    Ok(number) => all.extend(number),
                    Err(wrong) => {
                        mistakes.cell(rows.line.frame, row, wrong.column, wrong.message, rows.relation.span);
                    }
                }
            }
            all
        };
        match &mut expression.kind {
            ExpressionKind::Scale(of, fit @ None) => *fit = Some(scale_of(&values(of))),
            ExpressionKind::Bins(of, count, bounds @ None) => *bounds = Some(bounds_of(values(of), *count)),
            _ => {}
        }
    }
}

/// Returns mean and deviation; a deviation of 0 is 1.
fn scale_of(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let square = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count;
    let deviation = square.sqrt();
    (mean, if deviation > 0.0 && deviation.is_finite() { deviation } else { 1.0 })
}

/// Returns the upper bounds of all bins but the last, so that each has as many values; equal bounds are one.
fn bounds_of(mut values: Vec<f64>, count: u32) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    let bound = |bin: u32| {
        values.get((values.len() * bin as usize).div_ceil(count as usize).saturating_sub(1).min(last))
    };
    let mut bounds: Vec<f64> = (1..count).filter_map(|bin| bound(bin).copied()).collect();
    bounds.dedup();
    bounds
}
