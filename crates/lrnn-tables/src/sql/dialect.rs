//! What SQLite, DuckDB and PostgreSQL write differently: functions over numbers, dates, and the order of texts.
//!
//! Numbers are written with an exponent, which no system takes for a decimal of few digits. PostgreSQL refuses an
//! exponential that rounds to 0, so arguments are kept above -700, where it is 0 to every digit that counts.

use lrnn::function::{Activation, Aggregation, Combination};
use lrnn::syntax::Comparison;
use serde::Serialize;

/// The systems that SQL is written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// SQLite from 3.35 on, with its mathematical functions.
    Sqlite,
    /// DuckDB.
    DuckDb,
    /// PostgreSQL from 12 on.
    PostgreSql,
}

impl Dialect {
    /// The systems with their names.
    pub const NAMES: [(&'static str, Self); 3] =
        [("sqlite", Self::Sqlite), ("duckdb", Self::DuckDb), ("postgresql", Self::PostgreSql)];

    /// Finds a system by its name.
    pub fn find(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, dialect)| *dialect)
    }

    /// Returns the smallest or largest of two numbers or more.
    fn extreme(self, is_least: bool, numbers: &[String]) -> String {
        let function = match (self, is_least) {
            (Self::Sqlite, true) => "MIN",
            (Self::Sqlite, false) => "MAX",
            (_, true) => "LEAST",
            (_, false) => "GREATEST",
        };
        match numbers {
            // MIN of one number would be an aggregate.
            [only] => only.clone(),
            numbers => format!("{function}({})", numbers.join(", ")),
        }
    }

    /// Returns e to the power of a number, never too small to be written.
    fn exp(self, number: &str) -> String {
        format!("EXP({})", self.extreme(false, &[format!("({number})"), "-7e2".to_owned()]))
    }

    /// Returns an activation of the column `x`.
    pub(super) fn activation(self, activation: Activation) -> String {
        match activation {
            Activation::Identity => "x".to_owned(),
            Activation::Sigmoid => format!(
                "CASE WHEN x < 0 THEN {e} / (1 + {e}) ELSE 1 / (1 + {minus}) END",
                e = self.exp("x"),
                minus = self.exp("-x")
            ),
            // 1 - 2 / (1 + e^2x); where the power is too large the value is 1.
            Activation::Tanh => {
                format!("1 - 2e0 / (1 + {})", self.exp(&self.extreme(true, &["2 * x".into(), "7e2".into()])))
            }
            Activation::Relu | Activation::LukasiewiczConjunction => {
                "CASE WHEN x < 0 THEN 0e0 ELSE x END".to_owned()
            }
            Activation::LeakyRelu => "CASE WHEN x < 0 THEN 1e-2 * x ELSE x END".to_owned(),
            Activation::Softplus => format!(
                "CASE WHEN x > 0 THEN x + LN(1 + {}) ELSE LN(1 + {}) END",
                self.exp("-x"),
                self.exp("x")
            ),
            Activation::Exp => self.exp("x"),
            Activation::Log => "LN(x)".to_owned(),
            Activation::Inverse => "1e0 / x".to_owned(),
            Activation::Sqrt => "SQRT(x)".to_owned(),
            Activation::Square => "x * x".to_owned(),
            Activation::Abs => "ABS(x)".to_owned(),
            Activation::Sign => "CASE WHEN x > 0 THEN 1e0 WHEN x < 0 THEN -1e0 ELSE 0e0 END".to_owned(),
            Activation::Reverse => "1 - x".to_owned(),
            Activation::Step => "CASE WHEN x > 0 THEN 1e0 ELSE 0e0 END".to_owned(),
            Activation::Lukasiewicz => "CASE WHEN x < 0 THEN 0e0 WHEN x > 1 THEN 1e0 ELSE x END".to_owned(),
            Activation::LukasiewiczDisjunction => "CASE WHEN x > 1 THEN 1e0 ELSE x END".to_owned(),
            Activation::LukasiewiczSigmoid => {
                format!(
                    "1 / (1 + {})",
                    self.exp(&self.extreme(true, &["-(6 * x + 5e-1)".into(), "7e2".into()]))
                )
            }
            // Of one number.
            Activation::Softmax | Activation::Sparsemax => "1e0".to_owned(),
            Activation::Norm => "0e0".to_owned(),
        }
    }

    /// Returns numbers of one row combined; nothing where that is no number.
    pub(super) fn combination(self, combination: Combination, inputs: &[String]) -> Option<String> {
        let joined = |by: &str| format!("({})", inputs.join(by));
        Some(match (combination, inputs) {
            (
                Combination::Concat | Combination::Flat | Combination::Softmax | Combination::Sparsemax,
                inputs,
            ) if inputs.len() != 1 => {
                return None;
            }
            (Combination::Cosine, _) => return None,
            (Combination::Count, inputs) => number(inputs.len() as f64),
            (Combination::Softmax | Combination::Sparsemax, _) => "1e0".to_owned(),
            (Combination::Sum | Combination::Max | Combination::Mean | Combination::CrossSum, []) => {
                "0e0".to_owned()
            }
            (_, []) => "1e0".to_owned(),
            (Combination::Sum | Combination::CrossSum | Combination::Concat | Combination::Flat, _) => {
                joined(" + ")
            }
            (Combination::Mean, _) => format!("{} / {}", joined(" + "), number(inputs.len() as f64)),
            (Combination::Product | Combination::ElementProduct, _) => joined(" * "),
            (Combination::Min, _) => self.extreme(true, inputs),
            (Combination::Max, _) => self.extreme(false, inputs),
        })
    }

    /// Returns a function over the rows of a group: of the column `y`, whose largest in the group is `top`.
    pub(super) fn aggregation(self, aggregation: Aggregation) -> String {
        match aggregation {
            Aggregation::Max => "MAX(y)".to_owned(),
            Aggregation::Min => "MIN(y)".to_owned(),
            Aggregation::Mean => "AVG(y)".to_owned(),
            Aggregation::Sum => "SUM(y)".to_owned(),
            Aggregation::Count => double("COUNT(*)"),
            Aggregation::Product => product(),
            Aggregation::Softmax => format!("SUM(y * {e}) / SUM({e})", e = self.exp("y - top")),
        }
    }

    /// Returns a combination over the rows of a group: of the column `y`.
    pub(super) fn grouped(self, combination: Combination) -> Option<String> {
        Some(match combination {
            Combination::Sum | Combination::CrossSum => "SUM(y)".to_owned(),
            Combination::Mean => "AVG(y)".to_owned(),
            Combination::Min => "MIN(y)".to_owned(),
            Combination::Max => "MAX(y)".to_owned(),
            Combination::Product | Combination::ElementProduct => product(),
            Combination::Count => double("COUNT(*)"),
            Combination::Concat
            | Combination::Flat
            | Combination::Softmax
            | Combination::Sparsemax
            | Combination::Cosine => return None,
        })
    }

    /// Returns a column as the name that it is: in SQLite without the collation of the column, and whole numbers without a
    /// fraction, however they are stored.
    pub(super) fn name(self, column: &str) -> String {
        match self {
            Self::Sqlite => format!(
                "CASE WHEN TYPEOF({column}) = 'real' AND {column} = CAST({column} AS INTEGER) \
                 THEN CAST(CAST({column} AS INTEGER) AS TEXT) ELSE CAST({column} AS TEXT) END"
            ),
            _ => format!("CAST({column} AS TEXT)"),
        }
    }

    /// Returns a date or moment, to compare and subtract.
    pub(super) fn moment(self, date: &str) -> String {
        match self {
            Self::Sqlite => format!("JULIANDAY({date})"),
            _ => format!("CAST({date} AS TIMESTAMP)"),
        }
    }

    /// Returns the days from the second moment to the first.
    pub(super) fn days(self, a: &str, b: &str) -> String {
        match self {
            Self::Sqlite => format!("({a} - {b})"),
            _ => format!("(CAST(EXTRACT(EPOCH FROM ({a} - {b})) AS DOUBLE PRECISION) / 864e2)"),
        }
    }

    /// Compares texts by their characters.
    pub(super) fn compare_texts(self, comparison: Comparison, a: &str, b: &str) -> String {
        match (self, comparison) {
            (Self::PostgreSql, Comparison::Equal | Comparison::NotEqual)
            | (Self::Sqlite | Self::DuckDb, _) => {
                format!("{a} {} {b}", sign(comparison))
            }
            (Self::PostgreSql, _) => format!("{a} {} {b} COLLATE \"C\"", sign(comparison)),
        }
    }

    /// Compares terms as the language does: numbers by value, before names by their characters.
    pub(super) fn compare_terms(self, comparison: Comparison, a: &str, b: &str) -> String {
        if matches!(comparison, Comparison::Equal | Comparison::NotEqual) {
            return self.compare_texts(comparison, a, b);
        }
        let is_rising = matches!(comparison, Comparison::Less | Comparison::LessOrEqual);
        let truth = |is_true: bool| if is_true { "1 = 1" } else { "1 = 0" };
        format!(
            "CASE WHEN {na} AND {nb} THEN {va} {sign} {vb} WHEN {na} THEN {below} WHEN {nb} THEN {above} ELSE {texts} END",
            na = self.is_number(a),
            nb = self.is_number(b),
            va = double(a),
            vb = double(b),
            sign = sign(comparison),
            below = truth(is_rising),
            above = truth(!is_rising),
            texts = self.compare_texts(comparison, a, b),
        )
    }

    /// Tells whether a text is a number.
    fn is_number(self, text: &str) -> String {
        const NUMBER: &str = "'^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?$'";
        match self {
            Self::Sqlite => format!(
                "CASE WHEN JSON_VALID({text}) THEN JSON_TYPE({text}) IN ('integer', 'real') ELSE 0 END"
            ),
            Self::DuckDb => format!("REGEXP_MATCHES({text}, {NUMBER})"),
            Self::PostgreSql => format!("({text} ~ {NUMBER})"),
        }
    }
}

/// Returns the product of the column `y` over a group, by logarithms: systems have no other.
fn product() -> String {
    "CASE WHEN MIN(ABS(y)) = 0 THEN 0e0 ELSE (1 - 2 * (SUM(CASE WHEN y < 0 THEN 1 ELSE 0 END) % 2)) * \
     EXP(SUM(LN(ABS(NULLIF(y, 0))))) END"
        .to_owned()
}

/// Returns the sign of a comparison.
pub(super) fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    }
}

/// Returns a number in double precision.
pub(super) fn number(number: f64) -> String {
    if number < 0.0 { format!("({number:e})") } else { format!("{number:e}") }
}

/// Returns an expression as a number in double precision.
pub(super) fn double(expression: &str) -> String {
    format!("CAST({expression} AS DOUBLE PRECISION)")
}

/// Returns a text as SQL writes it.
pub(crate) fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Returns a name as SQL quotes it.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
