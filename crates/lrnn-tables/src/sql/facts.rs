//! The facts of data and template, as parts of their predicates.

use lrnn::template::{Term, WeightUse};
use lrnn::vocabulary::PredicateId;
use lrnn::{Error, Model};

use super::dialect::{double, number};
use super::{PredicateTable, SqlWriter, quoted, refused};

/// The expression with every example.
pub(super) const EXAMPLES: &str = "\"examples\"";
/// The table of examples where no mapping names one.
const EXAMPLE_TABLE: &str = "lrnn_examples";

impl SqlWriter<'_> {
    /// Writes the list of examples, where something holds in all of them.
    pub(super) fn examples(&mut self) -> Result<(), Error> {
        if !self.needs_examples {
            return Ok(());
        }
        let body = match self.mapping {
            Some(mapping) => match mapping.example() {
                Some(line) => {
                    let column = self.example_column(line)?;
                    let name = self.name_of(mapping, "e", &line.table, &column);
                    format!("SELECT {name} AS example FROM {} AS e", quoted(mapping.table_of(&line.table)))
                }
                None => "SELECT '' AS example".to_owned(),
            },
            None => {
                let (name, predicate) = (EXAMPLE_TABLE.to_owned(), "all examples".to_owned());
                self.tables.push(PredicateTable { name, predicate, columns: vec!["example".to_owned()] });
                format!("SELECT DISTINCT CAST(example AS TEXT) AS example FROM {EXAMPLE_TABLE}")
            }
        };
        self.define(EXAMPLES.to_owned(), "", body);
        Ok(())
    }

    pub(super) fn example_column(&self, line: &crate::mapping::ExampleLine) -> Result<String, Error> {
        line.column.clone().ok_or_else(|| {
            let what = format!("the examples of `{}` have no names", line.table);
            refused(what, "name the column that tells them apart: `:- example(table.column).`")
        })
    }

    /// Returns the selections of a predicate's facts: those that say the same twice say it once, but weighted facts of
    /// the template add up.
    pub(super) fn facts(
        &mut self,
        model: &Model,
        predicate: PredicateId,
        columns: &[String],
    ) -> Result<Vec<String>, Error> {
        let mut once = Vec::new();
        if self.is_data(model, predicate) {
            once = match self.mapping {
                Some(mapping) => self.lines(mapping, predicate)?,
                None => vec![self.table(predicate, columns)],
            };
        }
        once.extend(self.given(predicate, columns, false)?);
        let listed =
            |more: &str| columns.iter().map(String::as_str).chain([more]).collect::<Vec<_>>().join(", ");
        let mut parts = Vec::new();
        if !once.is_empty() {
            let selection = once.join("\n        UNION ");
            parts.push(format!("SELECT {}, 0 AS is_rule FROM ({selection}) AS d", listed("y")));
        }
        if let Some(weighted) = self.given(predicate, columns, true)? {
            parts.push(format!("SELECT {}, 0 AS is_rule FROM ({weighted}) AS f", listed("y")));
        }
        if parts.is_empty() && !self.template.rules.iter().any(|rule| rule.head.predicate == predicate) {
            let none: Vec<String> = columns.iter().map(|it| format!("CAST(NULL AS TEXT) AS {it}")).collect();
            let none =
                none.into_iter().chain([format!("{} AS y, 0 AS is_rule", double("0"))]).collect::<Vec<_>>();
            parts.push(format!("SELECT {} WHERE 1 = 0", none.join(", ")));
        }
        Ok(parts)
    }

    /// Returns the selection of a predicate's table.
    fn table(&mut self, predicate: PredicateId, columns: &[String]) -> String {
        let signature = self.vocabulary.signature(predicate);
        let is_twin = |table: &PredicateTable| table.name.to_lowercase() == signature.name.to_lowercase();
        let name = match self.tables.iter().any(is_twin) {
            true => format!("{}_{}", signature.name, signature.arity),
            false => signature.name.to_string(),
        };
        let selected: Vec<String> = columns.iter().map(|it| format!("CAST({it} AS TEXT) AS {it}")).collect();
        let text = format!(
            "SELECT DISTINCT {}, {} AS y FROM {}",
            selected.join(", "),
            double("value"),
            quoted(&name)
        );
        let columns = columns.iter().cloned().chain(["value".to_owned()]).collect();
        self.tables.push(PredicateTable { name, predicate: self.signature(predicate), columns });
        text
    }

    /// Returns the selection of the template's facts of a predicate, those with weights or the others.
    fn given(
        &mut self,
        predicate: PredicateId,
        columns: &[String],
        is_weighted: bool,
    ) -> Result<Option<String>, Error> {
        let template = self.template;
        let mut rows = Vec::new();
        for fact in template.facts.iter().filter(|fact| fact.atom.predicate == predicate) {
            if fact.weight.is_some() != is_weighted {
                continue;
            }
            let value = fact.weight.as_ref().map_or(Ok(1.0), |weight| self.fact_weight(weight))?;
            let terms = fact.atom.terms.iter().map(|term| match term {
                Term::Constant(constant) => self.constant(*constant),
                Term::Variable(_) => "NULL".to_owned(),
            });
            let cells: Vec<String> = terms.chain([double(&number(value))]).collect();
            rows.push(format!("({})", cells.join(", ")));
        }
        if rows.is_empty() {
            return Ok(None);
        }
        let kind = if is_weighted { "weighted facts" } else { "facts" };
        let name = quoted(&format!("{kind} {}", predicate.0));
        let own: Vec<String> = columns.iter().filter(|it| *it != "example").cloned().collect();
        let own = own.into_iter().chain(["y".to_owned()]).collect::<Vec<_>>().join(", ");
        self.define(
            name.clone(),
            &format!("({own})"),
            format!("VALUES\n        {}", rows.join(",\n        ")),
        );
        let has_example = columns.first().is_some_and(|it| it == "example");
        Ok(Some(match has_example {
            true => format!("SELECT example, {own} FROM {EXAMPLES} CROSS JOIN {name}"),
            false => format!("SELECT {own} FROM {name}"),
        }))
    }

    fn fact_weight(&self, weight: &WeightUse) -> Result<f64, Error> {
        let index: Option<Vec<_>> = weight
            .index
            .iter()
            .map(|term| match term {
                Term::Constant(constant) => Some(*constant),
                Term::Variable(_) => None,
            })
            .collect();
        let index = index.unwrap_or_default();
        match self.weights.is_set(weight.weight, &index) {
            true => Ok(self.weights.value(self.template, self.vocabulary, weight.weight, &index)[0]),
            false => self.default_of(weight.weight),
        }
    }
}
