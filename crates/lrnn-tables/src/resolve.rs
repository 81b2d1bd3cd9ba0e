//! A mapping and its sources together: every name is found, and the columns that lines need are read.

use std::collections::BTreeMap;
use std::path::Path;

use lrnn::diagnostic::{Diagnostic, Severity, Span, did_you_mean};
use lrnn::{Error, ErrorKind};

use crate::composite::{ColumnLink, CompositeColumn, CompositeColumns};
use crate::frame::{Cell, FrameColumn};
use crate::mapped_source::MappedSource;
use crate::mapping::{ColumnName, Expression, ExpressionKind, Pattern, RelationLine, Sentence};
use crate::membership::Link;
use crate::source::{TableSchema, open};
use crate::{ColumnKind, Frame, FrameSource, Mapping, Moment, TableSource};

/// The purpose for which tables are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To learn: rows without a label are no examples.
    Learning,
    /// To look for leaks: as to learn, and all columns of the tables that lines read are looked at.
    Checking,
    /// To answer: labels may be NULL or not be there.
    Prediction,
}

/// A column of a frame, with what its cells are taken for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TypedColumn {
    pub frame: usize,
    pub column: usize,
    pub kind: ColumnKind,
}

/// A line with its names found.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedLine {
    /// The number of its sentence.
    pub sentence: usize,
    pub frame: usize,
    /// Variables with the column of each, the first where a variable stands twice.
    pub variables: BTreeMap<String, TypedColumn>,
    /// Columns by their place in the line; none where the source has no such column.
    pub columns: Vec<Option<TypedColumn>>,
    /// By place in the line: the column with the same variable, where one stands before.
    pub same_as: Vec<Option<TypedColumn>>,
}

/// A mapping with the tables it speaks of.
#[derive(Debug)]
pub struct Tables {
    pub(crate) mapping: Mapping,
    pub(crate) frames: Vec<Frame>,
    pub(crate) lines: Vec<ResolvedLine>,
    pub(crate) links: Vec<Link>,
    /// The columns that are made of several.
    composites: CompositeColumns,
    /// The frame of examples, and the column with their names.
    pub(crate) example: Option<(usize, Option<TypedColumn>)>,
    /// By frame: the column that says when a row came to be.
    pub(crate) times: Vec<Option<TypedColumn>>,
    pub(crate) as_of: Option<TypedColumn>,
    pub(crate) purpose: Purpose,
    pub(crate) notes: Vec<Diagnostic>,
    /// The names of the sources.
    pub(crate) names: Vec<String>,
}

pub(crate) struct MappingResolver<'a> {
    mapping: &'a Mapping,
    sources: Vec<MappedSource<'a>>,
    /// The columns that are made of several, and what sources tell of links.
    composites: CompositeColumns,
    told: Vec<(String, ColumnLink)>,
    /// The names of the tables of each source.
    known: Vec<Vec<String>>,
    purpose: Purpose,
    /// The tables that are needed, with their columns.
    needs: BTreeMap<String, Vec<String>>,
    diagnostics: Vec<Diagnostic>,
}

impl Tables {
    /// Reads the tables of a mapping; its paths are relative to a folder.
    pub fn open(mapping: Mapping, folder: &Path, purpose: Purpose) -> Result<Self, Error> {
        let sources = sources(&mapping, folder)?;
        if sources.is_empty() {
            let message = "the mapping does not say where the tables are";
            return Err(
                Error::new(ErrorKind::Content, message).help("add a line `:- source('shop.sqlite').`")
            );
        }
        Self::with(mapping, &sources, purpose)
    }

    /// Takes the tables of a mapping from these frames, and reads the others from where the mapping says.
    pub fn with_frames(
        mapping: Mapping,
        frames: Vec<Frame>,
        folder: &Path,
        purpose: Purpose,
    ) -> Result<Self, Error> {
        let has = |table: &str| frames.iter().any(|frame| frame.name == mapping.table_of(table));
        let is_whole = mapping.relations().all(|line| has(&line.table))
            && mapping.example().is_none_or(|line| has(&line.table))
            && mapping.times().chain(mapping.as_of()).all(|name| has(&name.table))
            && mapping.keys().all(|(column, key)| has(&column.table) && has(&key.table));
        let others = if is_whole { Vec::new() } else { sources(&mapping, folder)? };
        let given = (!frames.is_empty()).then(|| Box::new(FrameSource { frames }) as Box<dyn TableSource>);
        let all: Vec<_> = given.into_iter().chain(others).collect();
        Self::with(mapping, &all, purpose)
    }

    /// Reads the tables of a mapping from these sources.
    pub fn with<'a>(
        mapping: Mapping,
        sources: &'a [Box<dyn TableSource + 'a>],
        purpose: Purpose,
    ) -> Result<Self, Error> {
        let mapping = mapping.with_aliases();
        let (mut resolver, keys) = MappingResolver::new(&mapping, sources, purpose)?;
        let frames = resolver.read()?;
        let found = resolver.resolve(frames, &keys);
        let diagnostics = std::mem::take(&mut resolver.diagnostics);
        if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
            return Err(Error::of(ErrorKind::Content, diagnostics, &mapping.sources));
        }
        let names = sources.iter().map(|source| source.name()).collect();
        Ok(Self { mapping, purpose, notes: diagnostics, names, ..found })
    }

    /// Returns the mapping.
    pub fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// Returns a mapping with the kind of every column that its lines use, so that other rows are read alike.
    pub fn with_kinds(&self, mut mapping: Mapping) -> Mapping {
        let mut known: Vec<(String, String)> =
            mapping.kinds().map(|(name, _)| (name.table.clone(), name.column.clone())).collect();
        let mut columns: Vec<TypedColumn> =
            self.lines.iter().flat_map(|line| line.columns.iter().flatten().copied()).collect();
        columns.sort_by_key(|column| (column.frame, column.column));
        for column in columns {
            let frame = &self.frames[column.frame];
            let name = (frame.name.clone(), frame.columns[column.column].name.clone());
            if !known.contains(&name) {
                known.push(name.clone());
                let name = ColumnName { table: name.0, column: name.1, span: Span::default() };
                let sentence = Sentence::Kind(name, column.kind, None);
                mapping.sentences.push((sentence, Span::default()));
            }
        }
        // Keys that the source told, too: another source may not.
        let told = if self.example.is_some() { mapping.keys().count() } else { self.links.len() };
        let name = |column: TypedColumn| ColumnName {
            table: self.frames[column.frame].name.clone(),
            column: self.column(column).name.clone(),
            span: Span::default(),
        };
        for link in self.links.iter().skip(told) {
            for name in [name(link.from), name(link.to)] {
                let is_new = !mapping
                    .composites()
                    .any(|(known, _)| (&known.table, &known.column) == (&name.table, &name.column));
                if let (Some(made), true) = (self.composites.find(&name.table, &name.column), is_new) {
                    let sentence = Sentence::Column(name, made.parts.clone());
                    mapping.sentences.push((sentence, Span::default()));
                }
            }
            let sentence = Sentence::Key(name(link.from), name(link.to));
            mapping.sentences.push((sentence, Span::default()));
        }
        mapping
    }

    pub(crate) fn line(&self, line: &ResolvedLine) -> &RelationLine {
        match &self.mapping.sentences[line.sentence].0 {
            Sentence::Relation(relation) => relation,
            _ => unreachable!("lines are resolved from relations"),
        }
    }

    pub(crate) fn column(&self, column: TypedColumn) -> &FrameColumn {
        &self.frames[column.frame].columns[column.column]
    }

    /// Returns a cell as what its column is taken for, or what is wrong with it.
    pub(crate) fn cell(&self, column: TypedColumn, row: usize) -> Result<Cell<'_>, String> {
        typed(self.column(column).cell(row), column.kind)
    }

    /// Returns the kind of the term that an expression gives.
    pub(crate) fn kind_of(&self, line: &ResolvedLine, expression: &Expression) -> ColumnKind {
        match &expression.kind {
            ExpressionKind::Variable(name) => {
                line.variables.get(name).map_or(ColumnKind::Text, |column| column.kind)
            }
            ExpressionKind::Constant(lrnn::vocabulary::Constant::Integer(_)) | ExpressionKind::Bins(..) => {
                ColumnKind::Integer
            }
            ExpressionKind::Constant(lrnn::vocabulary::Constant::Name(_)) => ColumnKind::Text,
            _ => ColumnKind::Number,
        }
    }
}

/// Opens the sources that a mapping names.
pub(crate) fn sources(mapping: &Mapping, folder: &Path) -> Result<Vec<Box<dyn TableSource>>, Error> {
    let whole = |location: &str| match location.contains("://") {
        true => location.to_owned(),
        false => folder.join(location).display().to_string(),
    };
    mapping.locations().map(|line| open(&whole(&line.location), &line.options)).collect()
}

/// Returns a cell as a kind, or what is wrong with it.
fn typed(cell: Cell<'_>, kind: ColumnKind) -> Result<Cell<'_>, String> {
    Ok(match (kind, cell) {
        (_, Cell::Null) => Cell::Null,
        (ColumnKind::Text, Cell::Text(text)) => Cell::Text(text),
        (ColumnKind::Text, other) => other.into_name().map_or(Cell::Null, |name| Cell::Text(name.into())),
        (ColumnKind::Integer, Cell::Integer(number)) => Cell::Integer(number),
        (ColumnKind::Integer, Cell::Number(number)) if number.fract() == 0.0 && number.abs() < 9.2e18 => {
            Cell::Integer(number as i64)
        }
        (ColumnKind::Integer, Cell::Text(text)) => match text.parse() {
            Ok(number) => Cell::Integer(number),
            Err(_) => return Err(format!("`{}` is not a whole number of 64 bits", short(&text))),
        },
        (ColumnKind::Number, Cell::Integer(number)) => Cell::Integer(number),
        (ColumnKind::Number, Cell::Number(number)) => finite(number, &number.to_string())?,
        (ColumnKind::Number, Cell::Text(text)) => match text.trim().parse::<f64>() {
            Ok(number) if !number.is_nan() => finite(number, &text)?,
            _ => return Err(format!("`{}` is not a number", short(&text))),
        },
        (ColumnKind::Boolean, Cell::Boolean(truth)) => Cell::Boolean(truth),
        (ColumnKind::Boolean, Cell::Integer(number @ (0 | 1))) => Cell::Boolean(number == 1),
        (ColumnKind::Boolean, Cell::Text(text)) if matches!(&*text, "true" | "false") => {
            Cell::Boolean(text == "true")
        }
        (ColumnKind::Date, Cell::Moment(moment)) => Cell::Moment(moment),
        (ColumnKind::Date, Cell::Text(text)) => match Moment::read(&text) {
            Some(moment) => Cell::Moment(moment),
            None => return Err(format!("`{}` is not a date such as 2024-01-31", short(&text))),
        },
        (kind, other) => {
            let text = other.into_name().unwrap_or_default();
            return Err(format!("`{}` is no {}", short(&text), kind.name()));
        }
    })
}

fn finite(number: f64, text: &str) -> Result<Cell<'static>, String> {
    match number.is_finite() {
        true => Ok(Cell::Number(number)),
        false => Err(format!("`{}` is too large for double precision", short(text))),
    }
}

/// Returns a text, cut where it is long.
pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

/// Rows that are looked at first for the kind of a column.
const FIRST_ROWS: u32 = 100_000;

/// A key as the mapping or a source gives it: table and column, and those it refers to.
pub(crate) type Key = ((String, String), (String, String), Span);

impl<'a> MappingResolver<'a> {
    /// Finds the tables and columns that a mapping needs, and its keys.
    pub fn new(
        mapping: &'a Mapping,
        sources: &'a [Box<dyn TableSource + 'a>],
        purpose: Purpose,
    ) -> Result<(Self, Vec<Key>), Error> {
        let (needs, diagnostics) = (BTreeMap::new(), Vec::new());
        let made = |(name, parts): (&ColumnName, &[String])| CompositeColumn {
            table: name.table.clone(),
            name: name.column.clone(),
            parts: parts.to_vec(),
        };
        let mut composites = CompositeColumns { all: mapping.composites().map(made).collect() };
        let mut told = Vec::new();
        for source in sources {
            for (table, key) in source.foreign_keys()? {
                told.extend(composites.link(&**source, &table, key)?.map(|link| (table, link)));
            }
        }
        let composed = |source: &'a (dyn TableSource + 'a)| MappedSource {
            source,
            aliases: mapping.aliases().cloned().collect(),
            composites: composites.clone(),
            nulls: mapping.nulls().map(|(name, constants)| (name.clone(), constants.to_vec())).collect(),
        };
        let sources: Vec<MappedSource<'a>> = sources.iter().map(|source| composed(&**source)).collect();
        let known = sources.iter().map(|source| source.tables()).collect::<Result<Vec<_>, _>>()?;
        let mut resolver = Self { mapping, sources, composites, told, known, purpose, needs, diagnostics };
        resolver.check_aliases()?;
        resolver.stop_if_wrong()?;
        resolver.check_composites()?;
        resolver.stop_if_wrong()?;
        let keys = resolver.keys();
        resolver.need_all(&keys);
        resolver.stop_if_wrong()?;
        Ok((resolver, keys))
    }

    /// Returns the kind of each column that is needed and has none in the mapping, each read by itself.
    pub fn column_kinds(&self, is_key: &[(String, String)]) -> Result<Vec<Sentence>, Error> {
        let mut found = Vec::new();
        for (table, column) in
            self.needs.iter().flat_map(|(table, all)| all.iter().map(move |it| (table, it)))
        {
            let Some(source) = self.source_of(table).map(|at| &self.sources[at]) else { continue };
            let is_given =
                self.mapping.kinds().any(|(name, _)| name.table == *table && name.column == *column);
            if is_given || !source.schema(table)?.columns.iter().any(|(name, _)| name == column) {
                continue;
            }
            let names = [column.clone()];
            let kind = match is_key.contains(&(table.clone(), column.clone())) {
                true => ColumnKind::Text,
                false => {
                    let first: Vec<u32> = (0..FIRST_ROWS).collect();
                    match source.read_rows(table, &names, &first)?.columns[0].kind() {
                        // Whatever follows, not all are dates or numbers.
                        ColumnKind::Text => ColumnKind::Text,
                        _ => source.read(table, &names)?.columns[0].kind(),
                    }
                }
            };
            let name = ColumnName { table: table.clone(), column: column.clone(), span: Span::default() };
            found.push(Sentence::Kind(name, kind, None));
        }
        Ok(found)
    }

    pub fn mapping(&self) -> &'a Mapping {
        self.mapping
    }

    /// Returns the names of all tables, as the sources call them.
    pub fn tables(&self) -> Result<Vec<String>, Error> {
        let all = self.sources.iter().map(|it| it.source.tables()).collect::<Result<Vec<_>, _>>()?;
        Ok(all.concat())
    }

    pub fn warn(&mut self, warning: Diagnostic) {
        self.diagnostics.push(warning);
    }

    fn source_of(&self, table: &str) -> Option<usize> {
        self.known.iter().position(|tables| tables.iter().any(|name| name == table))
    }

    pub fn report(&mut self, code: &'static str, span: Span, message: String, help: String) {
        self.diagnostics.push(Diagnostic::error(code, span, message).help(help));
    }

    fn stop_if_wrong(&mut self) -> Result<(), Error> {
        match self.diagnostics.is_empty() {
            true => Ok(()),
            false => {
                let diagnostics = std::mem::take(&mut self.diagnostics);
                Err(Error::of(ErrorKind::Content, diagnostics, &self.mapping.sources))
            }
        }
    }

    /// Checks the columns that the mapping makes of several.
    fn check_composites(&mut self) -> Result<(), Error> {
        let mapping = self.mapping;
        let mut known: Vec<(&str, &str)> = Vec::new();
        for (name, parts) in mapping.composites() {
            let Some(at) = self.source_of(&name.table) else {
                self.need(&name.table, None, name.span);
                continue;
            };
            let columns = self.sources[at].source.schema(mapping.table_of(&name.table))?.columns;
            let has = |column: &str| columns.iter().any(|(known, _)| known == column);
            if has(&name.column) || known.contains(&(&name.table, &name.column)) {
                let message = format!("the table `{}` has a column `{}` already", name.table, name.column);
                self.report("D0402", name.span, message, "give what is made another name".to_owned());
            }
            for part in parts.iter().filter(|part| !has(part)) {
                self.no_column(&name.table, part, name.span);
            }
            known.push((&name.table, &name.column));
        }
        Ok(())
    }

    /// Returns the keys of the mapping, then those that sources tell.
    fn keys(&self) -> Vec<Key> {
        let pair = |name: &ColumnName| (name.table.clone(), name.column.clone());
        let mut keys: Vec<Key> =
            self.mapping.keys().map(|(from, to)| (pair(from), pair(to), from.span.to(to.span))).collect();
        for (table, ColumnLink { column, table: other, key }) in self.told.iter().cloned() {
            let key = ((table, column), (other, key), Span::default());
            if !keys.iter().any(|known| (&known.0, &known.1) == (&key.0, &key.1)) {
                keys.push(key);
            }
        }
        keys
    }

    /// Marks a column of a table as needed; a table that is not there is a mistake.
    fn need(&mut self, table: &str, column: Option<&str>, span: Span) {
        if self.source_of(table).is_none() {
            if !self.diagnostics.iter().any(|diagnostic| diagnostic.span() == span) {
                let names = self.known.iter().flatten().map(String::as_str);
                let help = did_you_mean(table, names.clone());
                let all: Vec<&str> = names.take(30).collect();
                let help = help.unwrap_or_else(|| format!("the tables are {}", all.join(", ")));
                self.report("D0403", span, format!("there is no table `{table}`"), help);
            }
            return;
        }
        let columns = self.needs.entry(table.to_owned()).or_default();
        if let Some(column) = column
            && !columns.iter().any(|known| known == column)
        {
            columns.push(column.to_owned());
        }
    }

    fn need_all(&mut self, keys: &[Key]) {
        let mapping = self.mapping;
        for line in mapping.relations() {
            self.need(&line.table, None, line.table_span);
            for column in &line.columns {
                self.need(&line.table, Some(&column.column), line.table_span);
            }
        }
        if let Some(line) = mapping.example() {
            self.need(&line.table, line.column.as_deref(), line.span);
        }
        for name in mapping.times().chain(mapping.as_of()).chain(mapping.kinds().map(|(name, _)| name)) {
            self.need(&name.table, Some(&name.column), name.span);
        }
        for (name, _) in mapping.nulls() {
            self.need_null(name);
        }
        let named = mapping.keys().count();
        for (at, ((table, column), (other, key), span)) in keys.iter().enumerate() {
            // Keys that only a source tells need no table that is not there.
            let is_there = self.source_of(table).is_some() && self.source_of(other).is_some();
            if mapping.example().is_some() && (at < named || is_there) {
                self.need(table, Some(column), *span);
                self.need(other, Some(key), *span);
            }
        }
    }

    /// Needs a column with cells that stand for no value; a label may miss where nobody learns.
    fn need_null(&mut self, name: &ColumnName) {
        let Some(at) = self.source_of(&name.table) else {
            return self.need(&name.table, None, name.span);
        };
        let has = |schema: TableSchema| schema.columns.iter().any(|(known, _)| *known == name.column);
        let is_there = self.sources[at].schema(&name.table).is_ok_and(has);
        if !is_there && self.purpose != Purpose::Prediction {
            self.no_column(&name.table, &name.column, name.span);
        }
    }

    /// Reads every table that is needed, in the order of their names.
    fn read(&mut self) -> Result<Vec<Frame>, Error> {
        let needs = std::mem::take(&mut self.needs);
        let mut frames = Vec::new();
        for (table, columns) in &needs {
            let Some(at) = self.source_of(table) else { continue };
            let schema = self.sources[at].schema(table)?;
            let mut columns = columns.clone();
            if self.purpose == Purpose::Checking {
                let bytes = self.sources[at].bytes(table)?;
                let others = schema.columns.iter().map(|(name, _)| name);
                let others = others.filter(|name| !columns.contains(name) && !bytes.contains(name));
                columns.extend(others.cloned().collect::<Vec<_>>());
            }
            columns.retain(|column| schema.columns.iter().any(|(name, _)| name == column));
            let mut frame = self.sources[at].read(table, &columns)?;
            // What the table has, too, is for messages.
            frame.name.clone_from(table);
            frames.push(frame);
        }
        self.sources.iter().for_each(|source| source.rest());
        self.needs = needs;
        Ok(frames)
    }

    fn resolve(&mut self, mut frames: Vec<Frame>, keys: &[Key]) -> Tables {
        let mapping = self.mapping;
        let is_key = self.key_columns(keys);
        self.read_formats(&mut frames);
        let given: BTreeMap<(&str, &str), ColumnKind> =
            mapping.kinds().map(|(name, kind)| ((&*name.table, &*name.column), kind)).collect();
        let kinds: Vec<Vec<ColumnKind>> = frames
            .iter()
            .map(|frame| {
                let kind = |column: &FrameColumn| match given.get(&(&*frame.name, &*column.name)) {
                    Some(kind) => *kind,
                    None if is_key.contains(&(frame.name.clone(), column.name.clone())) => ColumnKind::Text,
                    None => column.kind(),
                };
                frame.columns.iter().map(kind).collect()
            })
            .collect();
        for (frame, kinds) in frames.iter_mut().zip(&kinds) {
            let columns = frame.columns.iter_mut().zip(kinds);
            columns
                .filter(|(_, kind)| **kind == ColumnKind::Date)
                .for_each(|(column, _)| column.read_dates());
        }
        let find = |table: &str| frames.iter().position(|frame| frame.name == table);
        let typed = |table: &str, column: &str| {
            let frame = find(table)?;
            let column = frames[frame].position(column)?;
            Some(TypedColumn { frame, column, kind: kinds[frame][column] })
        };
        let mut lines = Vec::new();
        for (sentence, (it, _)) in mapping.sentences.iter().enumerate() {
            if let Sentence::Relation(line) = it
                && let Some(frame) = find(&line.table)
            {
                lines.push(self.line(sentence, line, frame, &typed));
            }
        }
        let mut links = Vec::new();
        for ((table, column), (other, key), span) in keys {
            match (typed(table, column), typed(other, key)) {
                (Some(from), Some(to)) => links.push(Link { from, to }),
                _ if *span == Span::default() || mapping.example().is_none() => {}
                (from, _) => {
                    let (table, column) = if from.is_none() { (table, column) } else { (other, key) };
                    self.no_column(table, column, *span);
                }
            }
        }
        let mut times = vec![None; frames.len()];
        for name in mapping.times() {
            match typed(&name.table, &name.column) {
                Some(column) => times[column.frame] = Some(TypedColumn { kind: ColumnKind::Date, ..column }),
                None => self.no_column(&name.table, &name.column, name.span),
            }
        }
        let as_of = mapping.as_of().and_then(|name| match typed(&name.table, &name.column) {
            Some(column) => Some(TypedColumn { kind: ColumnKind::Date, ..column }),
            None => {
                self.no_column(&name.table, &name.column, name.span);
                None
            }
        });
        let example = mapping.example().and_then(|line| {
            let frame = find(&line.table)?;
            let key = line.column.as_ref().map(|column| typed(&line.table, column));
            if let (Some(None), Some(column)) = (key, &line.column) {
                self.no_column(&line.table, column, line.span);
            }
            Some((frame, key.flatten()))
        });
        self.check_times(&frames, &kinds, &times, example.map(|(frame, _)| frame), as_of);
        self.warn_of_aliases();
        Tables {
            mapping: mapping.clone(),
            frames,
            lines,
            links,
            composites: self.composites.clone(),
            example,
            times,
            as_of,
            purpose: self.purpose,
            notes: Vec::new(),
            names: Vec::new(),
        }
    }

    /// Reads the columns whose format the mapping gives.
    fn read_formats(&mut self, frames: &mut [Frame]) {
        for (name, format) in self.mapping.formats() {
            let Some(frame) = frames.iter_mut().find(|frame| frame.name == name.table) else { continue };
            let Some(at) = frame.position(&name.column) else { continue };
            match frame.columns[at].read_as(format) {
                Ok(column) => frame.columns[at] = column,
                Err(row) => {
                    let cell = frame.columns[at].cell(row).into_name().unwrap_or_default();
                    let message = format!(
                        "`{}` in row {} of `{}` is no {} as {}",
                        short(&cell),
                        row + 1,
                        name.table,
                        format.kind().name(),
                        format.name()
                    );
                    let help = "name another format, or make the column one of texts".to_owned();
                    self.report("D0402", name.span, message, help);
                }
            }
        }
    }

    /// Tells of names that are compared with numbers: they are never equal, whatever they look like.
    fn check_comparisons(&mut self, line: &RelationLine, variables: &BTreeMap<String, TypedColumn>) {
        for it in &line.conditions {
            for (name, other) in [(&it.left, &it.right), (&it.right, &it.left)] {
                let ExpressionKind::Variable(variable) = &name.kind else { continue };
                let is_name = variables.get(variable).is_some_and(|column| column.kind == ColumnKind::Text);
                let ExpressionKind::Constant(constant) = &other.kind else { continue };
                if is_name && !matches!(constant, lrnn::vocabulary::Constant::Name(_)) {
                    let message = format!("`{variable}` has names, and no name equals the number {constant}");
                    let column =
                        line.columns.iter().find(|it| it.pattern == Pattern::Variable(variable.clone()));
                    let column = column.map_or("column", |it| it.column.as_str());
                    let help = format!(
                        "write the name '{constant}', or say that the column has numbers: \
                         `:- type({}.{}, number).`",
                        lrnn::vocabulary::Constant::from(line.table.as_str()),
                        lrnn::vocabulary::Constant::from(column)
                    );
                    self.report("D0409", other.span, message, help);
                }
            }
        }
    }

    /// Returns the columns that are keys: they hold names, whatever these look like.
    pub fn key_columns(&self, keys: &[Key]) -> Vec<(String, String)> {
        let mut all: Vec<(String, String)> =
            keys.iter().flat_map(|(from, to, _)| [from.clone(), to.clone()]).collect();
        if let Some(line) = self.mapping.example() {
            all.extend(line.column.iter().map(|column| (line.table.clone(), column.clone())));
        }
        // What is a key of a table is one under its second names, too.
        for line in self.mapping.aliases() {
            let own = all.iter().filter(|(table, _)| *table == line.table);
            let own: Vec<_> = own.map(|(_, column)| (line.alias.clone(), column.clone())).collect();
            all.extend(own);
        }
        for table in self.needs.keys() {
            let schema = self.source_of(table).and_then(|at| self.sources[at].schema(table).ok());
            let primary = schema.map(|schema| schema.primary_key).unwrap_or_default();
            // A part of a key may well be a number.
            let primary = if primary.len() == 1 { primary } else { Vec::new() };
            all.extend(primary.into_iter().map(|column| (table.clone(), column)));
        }
        all
    }

    fn no_column(&mut self, table: &str, column: &str, span: Span) {
        let schema = self.source_of(table).and_then(|at| self.sources[at].schema(table).ok());
        let names: Vec<String> = schema
            .map(|schema| schema.columns.into_iter().map(|(name, _)| name).collect())
            .unwrap_or_default();
        let help = did_you_mean(column, names.iter().map(String::as_str))
            .unwrap_or_else(|| format!("the columns of `{table}` are {}", names.join(", ")));
        self.report("D0404", span, format!("the table `{table}` has no column `{column}`"), help);
    }

    fn line(
        &mut self,
        sentence: usize,
        line: &RelationLine,
        frame: usize,
        typed: &dyn Fn(&str, &str) -> Option<TypedColumn>,
    ) -> ResolvedLine {
        let mut variables = BTreeMap::new();
        let (mut columns, mut same_as) = (Vec::new(), Vec::new());
        for it in &line.columns {
            let column = typed(&line.table, &it.column);
            let may_miss = line.is_query && self.purpose == Purpose::Prediction;
            if column.is_none() && !may_miss {
                self.no_column(&line.table, &it.column, it.span);
            }
            let mut first = None;
            if let (Pattern::Variable(name), Some(column)) = (&it.pattern, column)
                && name != "_"
            {
                first = Some(*variables.entry(name.clone()).or_insert(column)).filter(|it| *it != column);
            }
            same_as.push(first);
            columns.push(column);
        }
        let bound =
            |name: &str| line.columns.iter().any(|it| it.pattern == Pattern::Variable(name.to_owned()));
        let conditions = line.conditions.iter().flat_map(|it| [&it.left, &it.right]);
        let mut by_example = line.value.iter().chain(&line.terms).chain(conditions.clone());
        if self.mapping.as_of().is_none() && by_example.any(Expression::is_by_example) {
            let help = "add `:- as_of(table.column).`, a column of the table of examples".to_owned();
            self.report("D0406", line.span, "the mapping does not say what examples are as of".into(), help);
        }
        let mut unbound = Vec::new();
        for expression in line.value.iter().chain(&line.terms).chain(conditions) {
            expression.variables(&mut |name, span| {
                if name == "_" || !bound(name) {
                    unbound.push((name.to_owned(), span));
                }
            });
        }
        for (name, span) in unbound {
            let help = format!("bind it to a column: `{}(column: {name})`", line.table);
            self.report("D0405", span, format!("`{name}` is no column of the line's table"), help);
        }
        self.check_comparisons(line, &variables);
        ResolvedLine { sentence, frame, variables, columns, same_as }
    }

    /// Checks what is said of time: an `as_of` of the example table, and no date that nobody speaks of.
    fn check_times(
        &mut self,
        frames: &[Frame],
        kinds: &[Vec<ColumnKind>],
        times: &[Option<TypedColumn>],
        example: Option<usize>,
        as_of: Option<TypedColumn>,
    ) {
        let mapping = self.mapping;
        if let Some(name) = mapping.as_of()
            && as_of.is_some_and(|column| example != Some(column.frame))
        {
            let help = "name the table with `:- example(table.column).`".to_owned();
            self.report("D0406", name.span, "`as_of` is a column of the table of examples".into(), help);
        }
        if let (Some(name), None) = (mapping.times().next(), mapping.as_of()) {
            let help = "add `:- as_of(table.column).`, a column of the table of examples".to_owned();
            self.report(
                "D0406",
                name.span,
                "there is a time, but no `as_of` to hide later rows".into(),
                help,
            );
        }
        for (at, frame) in frames.iter().enumerate() {
            let line = mapping.relations().find(|line| line.table == frame.name && !line.is_query);
            let date = kinds[at].iter().position(|kind| *kind == ColumnKind::Date);
            if let (Some(line), Some(date), None) = (line, date, times[at])
                && example.is_some_and(|example| example != at)
            {
                let (table, column) = (&frame.name, &frame.columns[date].name);
                let message =
                    format!("`{table}` has dates in `{column}`, but rows are seen whatever their date");
                let help =
                    format!("`:- time({table}.{column}).` hides rows later than the example's `as_of`");
                self.diagnostics.push(Diagnostic::warning("W0401", line.table_span, message).help(help));
            }
        }
    }
}
