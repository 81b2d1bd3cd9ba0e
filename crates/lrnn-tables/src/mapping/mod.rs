//! The mapping room. In: text, one line a relation. Out: a [`Mapping`] with all places, or everything that is wrong with
//! the text; and a mapping as text again. It knows nothing of rows.

mod parser;
mod print;

use lrnn::diagnostic::{Diagnostic, Severity, Sources, Span};
use lrnn::syntax::Comparison;
use lrnn::vocabulary::Constant;
use lrnn::{Error, ErrorKind};

use crate::ColumnKind;
use crate::cell_format::CellFormat;
use crate::source::SourceOptions;

pub use print::format_mapping;

/// A column of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct ColumnName {
    /// The table.
    pub table: String,
    /// The column.
    pub column: String,
    /// Place in the text.
    pub span: Span,
}

impl std::fmt::Display for ColumnName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", print::name(&self.table), print::name(&self.column))
    }
}

/// A place with tables, as a mapping names it.
#[derive(Clone, PartialEq, Debug)]
pub struct SourceLine {
    /// A path, which may be relative to the mapping, or the URL of a database.
    pub location: String,
    /// Options of reading it.
    pub options: SourceOptions,
    /// Place in the text.
    pub span: Span,
}

/// The table whose rows are examples.
#[derive(Clone, PartialEq, Debug)]
pub struct ExampleLine {
    /// The table.
    pub table: String,
    /// The column with the names of examples; without it they are numbered.
    pub column: Option<String>,
    /// Place in the text.
    pub span: Span,
}

/// A second name of a table, under which its rows are joined by other keys.
#[derive(Clone, PartialEq, Debug)]
pub struct AliasLine {
    /// The second name.
    pub alias: String,
    /// The table.
    pub table: String,
    /// Place of the second name.
    pub span: Span,
    /// Place of the table.
    pub table_span: Span,
}

/// An expression over the columns of a row.
#[derive(Clone, PartialEq, Debug)]
pub struct Expression {
    /// Its kind.
    pub kind: ExpressionKind,
    /// Place in the text.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Debug)]
pub enum ExpressionKind {
    /// A name or number.
    Constant(Constant),
    /// The cell of a column.
    Variable(String),
    /// `scale(X)`: mean 0 and deviation 1 over the training rows, once these are known.
    Scale(Box<Expression>, Option<(f64, f64)>),
    /// `bins(X, 4)`: the bin from 1, so that each has as many training rows; its upper bounds once they are known.
    Bins(Box<Expression>, u32, Option<Vec<f64>>),
    /// `as_of` in `days(as_of - D)`: the moment that the example knows up to.
    AsOf,
    /// `days(A - B)`: the days from the second to the first.
    Days(Box<Expression>, Box<Expression>),
    /// `log(X)`: the logarithm of 1 + X, with the sign of X.
    Log(Box<Expression>),
}

/// The value that a column of the table must have, or the variable it is bound to.
#[derive(Clone, PartialEq, Debug)]
pub enum Pattern {
    /// A variable; `_` for any.
    Variable(String),
    /// A constant that the cell must be.
    Constant(Constant),
}

/// A column of a line's table.
#[derive(Clone, PartialEq, Debug)]
pub struct ColumnPattern {
    /// The column.
    pub column: String,
    /// The value it must have.
    pub pattern: Pattern,
    /// Place of the column's name.
    pub span: Span,
    /// Place of the pattern.
    pub pattern_span: Span,
}

/// A comparison behind the table.
#[derive(Clone, PartialEq, Debug)]
pub struct RowCondition {
    /// The left side.
    pub left: Expression,
    /// The comparison.
    pub comparison: Comparison,
    /// The right side.
    pub right: Expression,
}

/// One relation: which facts, or queries, each row of a table makes.
#[derive(Clone, PartialEq, Debug)]
pub struct RelationLine {
    /// True for queries.
    pub is_query: bool,
    /// The numbers of the value or target; none for value 1, or a query without a target.
    pub value: Vec<Expression>,
    /// True where the value is a vector.
    pub is_vector: bool,
    /// The predicate.
    pub predicate: String,
    /// Its terms.
    pub terms: Vec<Expression>,
    /// The table.
    pub table: String,
    /// Place of the table.
    pub table_span: Span,
    /// The columns.
    pub columns: Vec<ColumnPattern>,
    /// Comparisons that must hold.
    pub conditions: Vec<RowCondition>,
    /// Place in the text.
    pub span: Span,
}

/// A sentence of a mapping.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Sentence {
    Source(SourceLine),
    Example(ExampleLine),
    Alias(AliasLine),
    /// A column that is made of several.
    Column(ColumnName, Vec<String>),
    Key(ColumnName, ColumnName),
    Time(ColumnName),
    AsOf(ColumnName),
    Kind(ColumnName, ColumnKind, Option<CellFormat>),
    Ignore(ColumnName, Constant),
    /// Cells that stand for no value.
    Null(ColumnName, Vec<Constant>),
    Relation(RelationLine),
}

/// A mapping from tables to facts.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// The sentences with their places, in order.
    pub(crate) sentences: Vec<(Sentence, Span)>,
    /// The text.
    pub(crate) sources: Sources,
    /// Places of comments.
    comments: Vec<Span>,
}

impl Mapping {
    /// Reads a mapping under a name for messages.
    ///
    /// ```
    /// let mapping = lrnn_tables::Mapping::parse("shop", "C :: charge(A) <- atom(atom_id: A, charge: C), C > 0.")?;
    /// assert_eq!(mapping.relations().count(), 1);
    /// # Ok::<(), lrnn::Error>(())
    /// ```
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let (mapping, diagnostics) = Self::read(name, text);
        match diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
            true => Err(Error::of(ErrorKind::Content, diagnostics, &mapping.sources)),
            false => Ok(mapping),
        }
    }

    /// Reads a mapping with all that is wrong with it.
    pub fn read(name: &str, text: &str) -> (Self, Vec<Diagnostic>) {
        let mut sources = Sources::of_data();
        let source = sources.add(name, text);
        let (sentences, comments, diagnostics) = parser::parse(sources.text(source), source);
        (Self { sentences, sources, comments }, diagnostics)
    }

    /// Returns the text that places are in.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Goes through the relations.
    pub fn relations(&self) -> impl Iterator<Item = &RelationLine> {
        self.sentences.iter().filter_map(|(sentence, _)| match sentence {
            Sentence::Relation(line) => Some(line),
            _ => None,
        })
    }

    /// Goes through the places with tables.
    pub fn locations(&self) -> impl Iterator<Item = &SourceLine> {
        self.sentences.iter().filter_map(|(sentence, _)| match sentence {
            Sentence::Source(line) => Some(line),
            _ => None,
        })
    }

    /// Returns the table of examples.
    pub fn example(&self) -> Option<&ExampleLine> {
        self.sentences.iter().find_map(|(sentence, _)| match sentence {
            Sentence::Example(line) => Some(line),
            _ => None,
        })
    }

    /// Goes through the second names of tables.
    pub fn aliases(&self) -> impl Iterator<Item = &AliasLine> {
        self.sentences.iter().filter_map(|(sentence, _)| match sentence {
            Sentence::Alias(line) => Some(line),
            _ => None,
        })
    }

    /// Returns the table that a name stands for: its own, unless it is an alias.
    pub(crate) fn table_of<'a>(&'a self, name: &'a str) -> &'a str {
        self.aliases().find(|line| line.alias == name).map_or(name, |line| &line.table)
    }

    /// Goes through the keys: a column, and the column it refers to.
    pub fn keys(&self) -> impl Iterator<Item = (&ColumnName, &ColumnName)> {
        self.sentences.iter().filter_map(|(sentence, _)| match sentence {
            Sentence::Key(from, to) => Some((from, to)),
            _ => None,
        })
    }

    /// Goes through the columns that are made of several.
    pub fn composites(&self) -> impl Iterator<Item = (&ColumnName, &[String])> {
        self.sentences.iter().filter_map(|(sentence, _)| match sentence {
            Sentence::Column(name, parts) => Some((name, &parts[..])),
            _ => None,
        })
    }

    /// Goes through the columns that say when a row came to be.
    pub fn times(&self) -> impl Iterator<Item = &ColumnName> {
        self.sentences.iter().filter_map(|(sentence, _)| match sentence {
            Sentence::Time(column) => Some(column),
            _ => None,
        })
    }

    /// Returns the column of the example table that says up to when rows are known.
    pub fn as_of(&self) -> Option<&ColumnName> {
        self.sentences.iter().find_map(|(sentence, _)| match sentence {
            Sentence::AsOf(column) => Some(column),
            _ => None,
        })
    }

    /// Goes through the columns whose kind is given.
    pub fn kinds(&self) -> impl Iterator<Item = (&ColumnName, ColumnKind)> {
        self.sentences.iter().filter_map(|(sentence, _)| match sentence {
            Sentence::Kind(column, kind, _) => Some((column, *kind)),
            _ => None,
        })
    }

    /// Goes through the columns whose format is given.
    pub(crate) fn formats(&self) -> impl Iterator<Item = (&ColumnName, CellFormat)> {
        self.sentences.iter().filter_map(|(sentence, _)| match sentence {
            Sentence::Kind(column, _, Some(format)) => Some((column, *format)),
            _ => None,
        })
    }

    /// Goes through the labels that make no query on purpose.
    pub(crate) fn ignored(&self) -> impl Iterator<Item = (&ColumnName, &Constant)> {
        self.sentences.iter().filter_map(|(sentence, _)| match sentence {
            Sentence::Ignore(column, constant) => Some((column, constant)),
            _ => None,
        })
    }

    /// Goes through the columns with cells that stand for no value.
    pub(crate) fn nulls(&self) -> impl Iterator<Item = (&ColumnName, &[Constant])> {
        self.sentences.iter().filter_map(|(sentence, _)| match sentence {
            Sentence::Null(column, constants) => Some((column, &constants[..])),
            _ => None,
        })
    }

    /// Tells whether something in it is learned from training rows and not known yet.
    pub fn is_open(&self) -> bool {
        self.relations().any(RelationLine::is_open)
    }

    /// Returns the mapping with other places to read from; the relations stay.
    pub fn with_locations(mut self, locations: Vec<SourceLine>) -> Self {
        self.sentences.retain(|(sentence, _)| !matches!(sentence, Sentence::Source(_)));
        let new = locations.into_iter().map(|line| (Sentence::Source(line.clone()), line.span));
        self.sentences.splice(0..0, new);
        self
    }

    /// Returns the mapping with one place to read from.
    pub fn at(self, location: &str, options: SourceOptions) -> Self {
        let span = Span::default();
        self.with_locations(vec![SourceLine { location: location.to_owned(), options, span }])
    }

    /// Returns the mapping with its paths joined to a folder.
    pub fn relative_to(mut self, folder: &std::path::Path) -> Self {
        for (sentence, _) in &mut self.sentences {
            if let Sentence::Source(line) = sentence
                && !line.location.contains("://")
            {
                line.location = folder.join(&line.location).display().to_string();
            }
        }
        self
    }

    /// Returns the mapping as text, in the standard layout.
    pub fn text(&self) -> String {
        self.sentences.iter().map(|(sentence, _)| print::sentence(sentence) + "\n").collect()
    }
}

/// Returns a line as text.
pub(crate) fn line_text(line: &RelationLine) -> String {
    print::sentence(&Sentence::Relation(line.clone()))
}

impl RelationLine {
    /// Tells whether something in it is learned from training rows and not known yet.
    pub(crate) fn is_open(&self) -> bool {
        self.value.iter().chain(&self.terms).any(is_open)
    }
}

fn is_open(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Scale(of, fit) => fit.is_none() || is_open(of),
        ExpressionKind::Bins(of, _, bounds) => bounds.is_none() || is_open(of),
        ExpressionKind::Days(a, b) => is_open(a) || is_open(b),
        ExpressionKind::Log(of) => is_open(of),
        ExpressionKind::Constant(_) | ExpressionKind::Variable(_) | ExpressionKind::AsOf => false,
    }
}

impl Expression {
    /// Tells whether its value depends on the example.
    pub(crate) fn is_by_example(&self) -> bool {
        match &self.kind {
            ExpressionKind::Constant(_) | ExpressionKind::Variable(_) => false,
            ExpressionKind::AsOf => true,
            ExpressionKind::Scale(of, _) | ExpressionKind::Bins(of, ..) | ExpressionKind::Log(of) => {
                of.is_by_example()
            }
            ExpressionKind::Days(a, b) => a.is_by_example() || b.is_by_example(),
        }
    }

    /// Goes through the variables.
    pub(crate) fn variables<'a>(&'a self, visit: &mut dyn FnMut(&'a str, Span)) {
        match &self.kind {
            ExpressionKind::Constant(_) | ExpressionKind::AsOf => {}
            ExpressionKind::Variable(name) => visit(name, self.span),
            ExpressionKind::Scale(of, _) | ExpressionKind::Bins(of, ..) | ExpressionKind::Log(of) => {
                of.variables(visit);
            }
            ExpressionKind::Days(a, b) => {
                a.variables(visit);
                b.variables(visit);
            }
        }
    }
}
