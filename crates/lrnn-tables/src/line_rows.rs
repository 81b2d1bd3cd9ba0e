//! The rows of one line: its expressions evaluated, and which rows it takes.

use std::cmp::Ordering;

use lrnn::syntax::Comparison;
use lrnn::vocabulary::Constant;

use crate::Moment;
use crate::frame::Cell;
use crate::mapping::{Expression, ExpressionKind, Pattern, RelationLine, RowCondition};
use crate::resolve::{ResolvedLine, Tables, TypedColumn, short};

/// A cell that cannot be what a line needs: its column, and what is wrong.
pub(crate) struct CellError {
    pub column: usize,
    pub message: String,
}

/// The rows of one line, evaluated.
pub(crate) struct LineRows<'a> {
    pub tables: &'a Tables,
    pub line: &'a ResolvedLine,
    pub relation: &'a RelationLine,
    /// The moment that the example at hand knows up to.
    pub as_of: Option<Moment>,
}

/// The contribution of a row to a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowUse {
    Kept,
    Filtered,
    Null,
}

impl<'a> LineRows<'a> {
    pub fn new(tables: &'a Tables, line: &'a ResolvedLine) -> Self {
        Self { tables, line, relation: tables.line(line), as_of: None }
    }

    /// Returns the column of the first variable of an expression, for messages.
    pub fn column_of(&self, expression: &Expression) -> usize {
        let mut found = None;
        expression.variables(&mut |name, _| {
            found = found.or_else(|| self.line.variables.get(name).map(|column| column.column));
        });
        found.unwrap_or(0)
    }

    pub fn evaluate(&self, expression: &Expression, row: usize) -> Result<Cell<'a>, CellError> {
        let wrong = |message: String| CellError { column: self.column_of(expression), message };
        match &expression.kind {
            ExpressionKind::Constant(Constant::Name(name)) => Ok(Cell::Text(name.to_string().into())),
            ExpressionKind::Constant(Constant::Integer(number)) => Ok(Cell::Integer(*number)),
            ExpressionKind::Constant(Constant::Number(number)) => Ok(Cell::Number(*number)),
            ExpressionKind::Variable(name) => match self.line.variables.get(name) {
                Some(&column) => self.tables.cell(column, row).map_err(wrong),
                None => Ok(Cell::Null),
            },
            ExpressionKind::AsOf => Ok(self.as_of.map_or(Cell::Null, Cell::Moment)),
            ExpressionKind::Days(a, b) => match (self.moment(a, row)?, self.moment(b, row)?) {
                (Some(a), Some(b)) => Ok(Cell::Number(a.days_since(b))),
                _ => Ok(Cell::Null),
            },
            ExpressionKind::Scale(of, fit) => {
                let (mean, deviation) = fit.unwrap_or((0.0, 1.0));
                Ok(self
                    .number(of, row)?
                    .map_or(Cell::Null, |number| Cell::Number((number - mean) / deviation)))
            }
            ExpressionKind::Bins(of, _, bounds) => {
                let bounds = bounds.as_deref().unwrap_or_default();
                let bin = |number: f64| 1 + bounds.iter().filter(|&&bound| number > bound).count();
                Ok(self.number(of, row)?.map_or(Cell::Null, |number| Cell::Integer(bin(number) as i64)))
            }
            ExpressionKind::Log(of) => {
                let log = |number: f64| number.signum() * lrnn::function::Real::ln(1.0 + number.abs());
                Ok(self.number(of, row)?.map_or(Cell::Null, |number| Cell::Number(log(number))))
            }
        }
    }

    fn moment(&self, expression: &Expression, row: usize) -> Result<Option<Moment>, CellError> {
        let wrong = |text: &str| CellError {
            column: self.column_of(expression),
            message: format!("`{}` is not a date such as 2024-01-31", short(text)),
        };
        match self.evaluate(expression, row)? {
            Cell::Null => Ok(None),
            Cell::Moment(moment) => Ok(Some(moment)),
            Cell::Text(text) => Moment::read(&text).map(Some).ok_or_else(|| wrong(&text)),
            other => Err(wrong(&other.into_name().unwrap_or_default())),
        }
    }

    /// Returns a cell as what its column is taken for: names of whole numbers are left as numbers, to be written where
    /// they go.
    pub fn cell(&self, column: TypedColumn, row: usize) -> Result<Cell<'a>, CellError> {
        if column.kind == crate::ColumnKind::Text {
            return Ok(self.tables.column(column).cell(row));
        }
        let wrong = |message: String| CellError { column: column.column, message };
        self.tables.cell(column, row).map_err(wrong)
    }

    /// Returns an expression as a finite number; nothing for NULL.
    pub fn number(&self, expression: &Expression, row: usize) -> Result<Option<f64>, CellError> {
        let wrong = |message: String| CellError { column: self.column_of(expression), message };
        let number = match self.evaluate(expression, row)? {
            Cell::Null => return Ok(None),
            Cell::Integer(number) => number as f64,
            Cell::Number(number) => number,
            Cell::Boolean(truth) => f64::from(u8::from(truth)),
            Cell::Text(text) => match text.trim().parse::<f64>() {
                Ok(number) if !number.is_nan() => number,
                _ => return Err(wrong(format!("`{}` is not a number", short(&text)))),
            },
            Cell::Moment(moment) => {
                return Err(wrong(format!("the date `{}` is no number: days(A - B) is", moment.text())));
            }
        };
        match number.is_finite() {
            true => Ok(Some(number)),
            false => Err(wrong("the number is too large for double precision".to_owned())),
        }
    }

    /// Tells whether the line takes a row: its constants, its variables that stand twice, and its comparisons.
    pub fn takes(&self, row: usize, ignore_labels: bool) -> Result<RowUse, CellError> {
        let mut found = RowUse::Kept;
        let places = self.line.columns.iter().zip(&self.line.same_as);
        for (it, (column, same_as)) in self.relation.columns.iter().zip(places) {
            let Some(column) = *column else {
                if it.pattern != Pattern::Variable("_".into()) && !ignore_labels {
                    return Ok(RowUse::Null);
                }
                continue;
            };
            let wrong = |message: String| CellError { column: column.column, message };
            match &it.pattern {
                Pattern::Variable(name) if name == "_" => {}
                Pattern::Variable(_) if self.tables.column(column).is_null(row) => found = RowUse::Null,
                Pattern::Variable(_) => {
                    if let Some(first) = *same_as {
                        let cell = self.tables.cell(column, row).map_err(wrong)?;
                        let other = self.tables.cell(first, row).map_err(wrong)?;
                        if compare(&cell, &other) != Some(Ordering::Equal) {
                            return Ok(RowUse::Filtered);
                        }
                    }
                }
                Pattern::Constant(_) if ignore_labels => {}
                Pattern::Constant(constant) => match self.tables.cell(column, row).map_err(wrong)? {
                    Cell::Null => found = RowUse::Null,
                    cell if is_constant(&cell, constant) => {}
                    _ => return Ok(RowUse::Filtered),
                },
            }
        }
        if found == RowUse::Null {
            return Ok(found);
        }
        self.holds(row, false)
    }

    /// Tells whether the comparisons hold: those that depend on the example, or the others.
    pub fn holds(&self, row: usize, is_by_example: bool) -> Result<RowUse, CellError> {
        let own = |it: &&RowCondition| (it.left.is_by_example() || it.right.is_by_example()) == is_by_example;
        for it in self.relation.conditions.iter().filter(own) {
            let (left, right) = (self.evaluate(&it.left, row)?, self.evaluate(&it.right, row)?);
            if left == Cell::Null || right == Cell::Null {
                return Ok(RowUse::Null);
            }
            if !compare(&left, &right).is_some_and(|order| holds(it.comparison, order)) {
                return Ok(RowUse::Filtered);
            }
        }
        Ok(RowUse::Kept)
    }
}

/// Tells whether a cell is a constant: a number by its value, all else by its text.
pub(crate) fn is_constant(cell: &Cell<'_>, constant: &Constant) -> bool {
    match (cell, constant) {
        (Cell::Integer(number), Constant::Integer(other)) => number == other,
        (Cell::Number(number), other) => Constant::number(*number) == *other,
        (Cell::Text(text), Constant::Name(name)) => **text == **name,
        (Cell::Text(text), number) => *text == number.to_string(),
        (cell, Constant::Name(name)) => cell.clone().into_name().as_deref() == Some(name),
        (Cell::Boolean(truth), Constant::Integer(number)) => i64::from(*truth) == *number,
        _ => false,
    }
}

/// Compares as the language does: numbers by value, before names by their characters.
fn compare(a: &Cell<'_>, b: &Cell<'_>) -> Option<Ordering> {
    let constant = |cell: &Cell<'_>| match cell {
        Cell::Null => None,
        Cell::Integer(number) => Some(Constant::Integer(*number)),
        Cell::Number(number) => Some(Constant::number(*number)),
        cell => cell.clone().into_name().map(Constant::from),
    };
    Some(constant(a)?.compare(&constant(b)?))
}

fn holds(comparison: Comparison, order: Ordering) -> bool {
    match comparison {
        Comparison::Equal => order == Ordering::Equal,
        Comparison::NotEqual => order != Ordering::Equal,
        Comparison::Less => order == Ordering::Less,
        Comparison::LessOrEqual => order != Ordering::Greater,
        Comparison::Greater => order == Ordering::Greater,
        Comparison::GreaterOrEqual => order != Ordering::Less,
    }
}
