//! Second names of tables. A row that refers to a row of its own table is joined to it under another name:
//! `:- alias(chief, person).` with `:- key(person.chief_id, chief.person_id).` are the people that others refer to, with
//! `:- key(under.chief_id, person.person_id).` those that refer. What is said of the types, dates and columns of a table
//! holds for its second names. The rows of a second name of the examples are as of their own moment: where that is
//! later than the example's, they do not exist for it.

use lrnn::Error;
use lrnn::diagnostic::{Diagnostic, Span, did_you_mean};

use crate::mapping::{AliasLine, ColumnName, RelationLine, Sentence};
use crate::resolve::MappingResolver;
use crate::{Leak, Mapping, Tables};

impl Mapping {
    /// Returns the mapping with all that holds for second names of tables, since it holds for these.
    pub(crate) fn with_aliases(mut self) -> Self {
        let aliases: Vec<AliasLine> = self.aliases().cloned().collect();
        for line in &aliases {
            let is_own = |name: &ColumnName| name.table == line.alias;
            let has_kind = |column: &str| self.kinds().any(|(it, _)| is_own(it) && it.column == column);
            let has_column =
                |column: &str| self.composites().any(|(it, _)| is_own(it) && it.column == column);
            let of = |name: &ColumnName| ColumnName { table: line.alias.clone(), ..name.clone() };
            let has_time = self.times().any(is_own);
            let copy = |it: &Sentence| match it {
                Sentence::Kind(name, kind, format) if name.table == line.table && !has_kind(&name.column) => {
                    Some(Sentence::Kind(of(name), *kind, *format))
                }
                Sentence::Column(name, parts) if name.table == line.table && !has_column(&name.column) => {
                    Some(Sentence::Column(of(name), parts.clone()))
                }
                Sentence::Time(name) if name.table == line.table && !has_time => {
                    Some(Sentence::Time(of(name)))
                }
                _ => None,
            };
            let mut new: Vec<(Sentence, Span)> =
                self.sentences.iter().filter_map(|(it, span)| Some((copy(it)?, *span))).collect();
            let is_timed = has_time || new.iter().any(|(it, _)| matches!(it, Sentence::Time(_)));
            let own = self.as_of().filter(|name| name.table == line.table && !is_timed);
            new.extend(own.map(|name| (Sentence::Time(of(name)), name.span)));
            self.sentences.extend(new);
        }
        self
    }

    /// Goes through the columns of a line of facts that have the labels of other examples, which a second name of their
    /// table shows.
    pub(crate) fn labels_of_others<'a>(
        &'a self,
        line: &'a RelationLine,
    ) -> impl Iterator<Item = (&'a str, Span)> {
        let table = self.table_of(&line.table);
        let is_other = !line.is_query && table != line.table;
        let is_label = move |column: &str| {
            let mut queries = self.relations().filter(|it| it.is_query && it.table == table);
            queries.any(|it| it.columns.iter().any(|label| label.column == column))
        };
        let columns = line.columns.iter().filter(move |it| is_other && is_label(&it.column));
        columns.map(|it| (it.column.as_str(), it.span))
    }
}

impl MappingResolver<'_> {
    /// Checks the second names of tables.
    pub(crate) fn check_aliases(&mut self) -> Result<(), Error> {
        let mapping = self.mapping();
        let tables = self.tables()?;
        let mut known: Vec<&AliasLine> = Vec::new();
        for line in mapping.aliases() {
            let AliasLine { alias, table, span, table_span } = line;
            if tables.contains(alias) || known.iter().any(|it| it.alias == *alias) {
                let message = format!("there is a table `{alias}` already");
                self.report("D0402", *span, message, "give it another name here".to_owned());
            }
            let of_alias = mapping.aliases().find(|it| it.alias == *table);
            if !tables.contains(table) {
                match of_alias {
                    Some(whole) => {
                        let message = format!("`{table}` is no table, but another name of one");
                        let help = format!("name the table: `{}`", whole.table);
                        self.report("D0402", *table_span, message, help);
                    }
                    None => {
                        let help = did_you_mean(table, tables.iter().map(String::as_str));
                        let help = help.unwrap_or_else(|| format!("the tables are {}", tables.join(", ")));
                        self.report("D0403", *table_span, format!("there is no table `{table}`"), help);
                    }
                }
            }
            known.push(line);
        }
        Ok(())
    }

    /// Warns of second names that no key joins, and of lines that read labels of other examples.
    pub(crate) fn warn_of_aliases(&mut self) {
        let mapping = self.mapping();
        let Some(example) = mapping.example() else { return };
        for line in mapping.aliases() {
            if !mapping.keys().any(|(from, to)| from.table == line.alias || to.table == line.alias) {
                let alias = &line.alias;
                let message = format!("no key joins `{alias}`: every example has all its rows");
                let help = format!("`:- key({}.column, {alias}.column).` says which it has", example.table);
                self.warn(Diagnostic::warning("W0402", line.span, message).help(help));
            }
        }
        for line in mapping.relations() {
            for (column, span) in mapping.labels_of_others(line) {
                let message =
                    format!("`{}` shows labels of other examples, those of test folds too", line.table);
                let help =
                    format!("leave `{column}` out, unless these labels are known when an example is asked");
                self.warn(Diagnostic::warning("W0403", span, message).help(help));
            }
        }
    }
}

impl Tables {
    /// Finds labels of other examples that lines of facts read.
    pub(crate) fn labels_of_others(&self) -> Vec<Leak> {
        let mut leaks: Vec<Leak> = Vec::new();
        for line in self.mapping.relations() {
            for (column, _) in self.mapping.labels_of_others(line) {
                let place = format!("{}.{column}", line.table);
                if !leaks.iter().any(|leak| leak.place == place) {
                    let message = "it has the labels of other examples, those of test folds too".to_owned();
                    let help =
                        "leave it out, unless these labels are known when an example is asked".to_owned();
                    leaks.push(Leak { place, message, help });
                }
            }
        }
        leaks
    }
}
