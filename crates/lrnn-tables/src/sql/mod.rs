//! The SQL room. In: a model, and the mapping that its data came by. Out: one statement that computes the model's
//! values where the tables are.
//!
//! Every predicate is a common table expression: the example, the terms as texts, the value. A rule is a join of the
//! predicates of its body, a group by its head and index for g*, and its weight; a predicate is the union of its rules
//! and facts, a group by its atom for g∨. Indexed weights are tables of their own; an index that was never learned has
//! the weight that it has in a prediction. Facts come from the tables of the mapping, each line a selection that joins
//! along keys to the example, or, without a mapping, from one table a predicate.

mod dialect;
mod facts;
mod lines;
mod rules;

use std::collections::BTreeSet;

use lrnn::diagnostic::SourceId;
use lrnn::network::{Initialisation, Parameters, Weights};
use lrnn::syntax::ast::TermKind;
use lrnn::syntax::parse_atom;
use lrnn::template::{Start, Template, WeightId};
use lrnn::vocabulary::{PredicateId, Vocabulary};
use lrnn::{Error, ErrorKind, Limits, Model, Program};
use serde::Serialize;

pub use dialect::Dialect;
pub(crate) use dialect::{quoted, text};

use crate::Mapping;

/// A table that a statement reads where no mapping names tables: one for each predicate of the data.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PredicateTable {
    /// The name of the table.
    pub name: String,
    /// The predicate, as `bond/3`.
    pub predicate: String,
    /// Its columns.
    pub columns: Vec<String>,
}

/// A model as SQL.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SqlModel {
    /// The system it is written for.
    pub dialect: Dialect,
    /// A setting of the session that the statement needs to be fast; empty where there is none.
    pub setting: String,
    /// The statement.
    pub statement: String,
    /// The columns of its rows.
    pub columns: Vec<String>,
    /// The tables of facts that it reads; none where a mapping names tables.
    pub tables: Vec<PredicateTable>,
}

/// The request that a statement answers.
#[derive(Clone, Copy, Debug)]
pub struct SqlOptions<'a> {
    /// The system it is for.
    pub dialect: Dialect,
    /// The atoms it gives, `toxic(X)`; what training asked if none are named.
    pub atom: Option<&'a str>,
    /// The name of a view to create.
    pub view: Option<&'a str>,
}

/// Writes a model as SQL over the tables of its mapping, or over one table a predicate.
///
/// ```
/// # use lrnn::{Model, Settings, Template, fit};
/// use lrnn_tables::sql::{Dialect, SqlOptions, sql_of};
/// # let template = Template::parse("w[T] :: toxic :- element(A, T).")?;
/// # let mut data = template.data();
/// # data.example("ethane").fact("element", ("a1", "c")).target(0.0, "toxic", ());
/// # data.example("phosgene").fact("element", ("a1", "cl")).target(1.0, "toxic", ());
/// let model: Model = fit(&template, &data.build()?, &Settings { epochs: 50, ..Settings::default() })?.model;
/// let sql = sql_of(&model, None, SqlOptions { dialect: Dialect::Sqlite, atom: None, view: Some("toxic") })?;
/// assert!(sql.statement.starts_with("CREATE VIEW \"toxic\" AS"));
/// assert_eq!(sql.tables[0].columns, ["example", "a1", "a2", "value"]);
/// # Ok::<(), lrnn::Error>(())
/// ```
pub fn sql_of(model: &Model, mapping: Option<&Mapping>, options: SqlOptions<'_>) -> Result<SqlModel, Error> {
    let whole = mapping.map(|mapping| mapping.clone().with_aliases());
    let mapping = whole.as_ref();
    if let Some((name, format)) = mapping.and_then(|mapping| mapping.formats().next()) {
        return Err(refused(
            format!(
                "`{}.{}` has {}s as {}, which SQL does not read",
                name.table,
                name.column,
                format.kind().name(),
                format.name()
            ),
            "make a column of them in the database",
        ));
    }
    if !model.members.is_empty() {
        return Err(refused(
            format!("the model is the mean of {} members, which has no SQL yet", model.members.len() + 1),
            "learn it with --ensemble 1",
        ));
    }
    if !model.supports.is_empty() {
        return Err(refused(
            "the model compares with its training examples, which has no SQL".to_owned(),
            "learn it with --readout weights",
        ));
    }
    let program = model.program(Limits::default())?;
    let (template, vocabulary) = (program.template(), program.vocabulary());
    let query = queried(model, &program, options.atom)?;
    let mut weights = Weights::starting(0, Initialisation::Constant, 0.0);
    model.apply(template, vocabulary, &Parameters::new(template), &mut weights);
    let mut writer = SqlWriter {
        template,
        vocabulary,
        weights,
        is_learned: !model.weights.is_empty(),
        dialect: options.dialect,
        mapping,
        needed: needed(template, query),
        relations: Vec::new(),
        tables: Vec::new(),
        needs_examples: false,
        kinds: rules::PositionKinds::default(),
    };
    writer.all(model)?;
    Ok(writer.statement(query, options.view))
}

/// Returns an error with the one sentence that says why something cannot be SQL.
fn refused(what: impl Into<String>, help: &str) -> Error {
    Error::new(ErrorKind::Content, what).help(help)
}

/// Returns the predicate that is asked for.
fn queried(model: &Model, program: &Program, atom: Option<&str>) -> Result<PredicateId, Error> {
    let vocabulary = program.vocabulary();
    let asked: Vec<String> = match atom {
        Some(atom) => vec![atom.to_owned()],
        None if model.queries.is_empty() => tops(program.template()),
        None => model.queries.clone(),
    };
    let mut found: Vec<PredicateId> = Vec::new();
    for text in &asked {
        let parsed = parse_atom(text, SourceId(0))
            .map_err(|_| Error::new(ErrorKind::Usage, format!("`{text}` is no atom such as `toxic(X)`")))?;
        if atom.is_some() && parsed.terms.iter().any(|term| !matches!(term.kind, TermKind::Variable(_))) {
            let message = format!("`{text}` has a constant: SQL is written for all atoms of a predicate");
            return Err(
                Error::new(ErrorKind::Usage, message).help("ask with variables, and select rows in SQL")
            );
        }
        match vocabulary.find_predicate(&parsed.name, parsed.terms.len()) {
            Some(predicate) if found.contains(&predicate) => {}
            Some(predicate) => found.push(predicate),
            None => {
                let message =
                    format!("the template has no predicate `{}/{}`", parsed.name, parsed.terms.len());
                return Err(Error::new(ErrorKind::Usage, message).help("name an atom of the template"));
            }
        }
    }
    match found[..] {
        [only] => Ok(only),
        [] => Err(Error::new(ErrorKind::Usage, "nothing says which atoms to compute")
            .help("name them: --atom 'toxic(X)'")),
        _ => {
            let names: Vec<String> = found.iter().map(|&it| vocabulary.signature(it).to_string()).collect();
            let message =
                format!("a statement gives the atoms of one predicate, not of {}", names.join(", "));
            Err(Error::new(ErrorKind::Usage, message).help("choose one: --atom 'toxic(X)'"))
        }
    }
}

/// Returns the heads that no rule uses, as atoms.
fn tops(template: &Template) -> Vec<String> {
    let used: BTreeSet<PredicateId> =
        template.rules.iter().flat_map(|rule| rule.positive()).map(|atom| atom.predicate).collect();
    let mut all: Vec<String> = Vec::new();
    for rule in template.rules.iter().filter(|rule| !used.contains(&rule.head.predicate)) {
        let signature = template.vocabulary.signature(rule.head.predicate);
        let terms: Vec<String> = (0..signature.arity).map(|at| format!("X{at}")).collect();
        let name = lrnn::vocabulary::Constant::from(&*signature.name);
        let atom = if terms.is_empty() { name.to_string() } else { format!("{name}({})", terms.join(", ")) };
        if !all.contains(&atom) {
            all.push(atom);
        }
    }
    all
}

/// Returns the predicates behind one, itself among them.
fn needed(template: &Template, query: PredicateId) -> BTreeSet<PredicateId> {
    let mut all = BTreeSet::from([query]);
    let mut open = vec![query];
    while let Some(predicate) = open.pop() {
        for rule in template.rules.iter().filter(|rule| rule.head.predicate == predicate) {
            let absent = rule.conditions.iter().filter_map(|condition| match condition {
                lrnn::template::Condition::Absent(predicate, _) => Some(*predicate),
                _ => None,
            });
            for below in rule.positive().map(|atom| atom.predicate).chain(absent) {
                if all.insert(below) {
                    open.push(below);
                }
            }
        }
    }
    all
}

/// A statement as it grows.
struct SqlWriter<'a> {
    template: &'a Template,
    vocabulary: &'a Vocabulary,
    weights: Weights,
    /// False for a template without a model: then every weight must have a number of its own.
    is_learned: bool,
    dialect: Dialect,
    mapping: Option<&'a Mapping>,
    /// The predicates behind the query.
    needed: BTreeSet<PredicateId>,
    /// The common table expressions: name, names of columns where they are given, body.
    relations: Vec<(String, String, String)>,
    tables: Vec<PredicateTable>,
    /// True where something holds for every example, whatever its facts.
    needs_examples: bool,
    kinds: rules::PositionKinds,
}

/// The longest name that PostgreSQL does not cut.
const LONGEST_NAME: usize = 50;

impl SqlWriter<'_> {
    fn signature(&self, predicate: PredicateId) -> String {
        self.vocabulary.signature(predicate).to_string()
    }

    fn arity(&self, predicate: PredicateId) -> usize {
        self.vocabulary.signature(predicate).arity as usize
    }

    /// Returns the name of a predicate's expression.
    fn relation(&self, predicate: PredicateId) -> String {
        let name = self.signature(predicate);
        let is_twin = |(other, signature): (PredicateId, &lrnn::vocabulary::Signature)| {
            other != predicate && signature.to_string().to_lowercase() == name.to_lowercase()
        };
        match name.len() > LONGEST_NAME || self.vocabulary.predicates().any(is_twin) {
            true => quoted(&format!("predicate {}", predicate.0)),
            false => quoted(&name),
        }
    }

    fn define(&mut self, name: String, columns: &str, body: String) {
        self.relations.push((name, columns.to_owned(), body));
    }

    /// Returns the number of a plain weight, or of a weight at an index that was never learned.
    fn default_of(&self, weight: WeightId) -> Result<f64, Error> {
        let declared = self.template.weight(weight);
        let name = || lrnn::model::weight_names(self.template)[weight.index()].clone();
        if !declared.shape.is_number() {
            let what = format!("the weight `{}` is no number but {}", name(), declared.shape);
            return Err(refused(what, "SQL is written for templates without vectors"));
        }
        match &declared.start {
            Start::Values(numbers) => Ok(numbers[0]),
            Start::Random if self.is_learned => Ok(0.0),
            Start::Random => {
                let what = format!("the weight `{}` has no value yet", name());
                Err(refused(what, "name the run or the model of a training, not its template"))
            }
        }
    }

    /// Returns the number of a plain weight.
    fn plain(&self, weight: WeightId) -> Result<f64, Error> {
        match self.weights.is_set(weight, &[]) {
            true => Ok(self.weights.value(self.template, self.vocabulary, weight, &[])[0]),
            false => self.default_of(weight),
        }
    }

    fn statement(self, query: PredicateId, view: Option<&str>) -> SqlModel {
        let mut columns: Vec<String> = (1..=self.arity(query)).map(|at| format!("a{at}")).collect();
        columns.push("value".to_owned());
        if self.has_examples() {
            columns.insert(0, "example".to_owned());
        }
        let view = view.map_or(String::new(), |view| format!("CREATE VIEW {} AS\n", quoted(view)));
        let relations: Vec<String> = self
            .relations
            .iter()
            .map(|(name, columns, body)| format!("{name}{columns} AS MATERIALIZED (\n    {body}\n)"))
            .collect();
        let statement = format!(
            "{view}WITH {}\nSELECT {} FROM {};\n",
            relations.join(",\n"),
            columns.join(", "),
            self.relation(query)
        );
        // PostgreSQL has no statistics of expressions, and would join them by nested loops in any order.
        let setting = match self.dialect {
            Dialect::PostgreSql => "SET enable_nestloop = off; SET join_collapse_limit = 1;\n".to_owned(),
            Dialect::Sqlite | Dialect::DuckDb => String::new(),
        };
        SqlModel { dialect: self.dialect, setting, statement, columns, tables: self.tables }
    }

    /// Tells whether there are several examples.
    fn has_examples(&self) -> bool {
        self.mapping.is_none_or(|mapping| mapping.example().is_some())
    }
}
