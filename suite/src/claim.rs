//! What a block claims, read line by line.

use std::cmp::Ordering;

use lrnn::diagnostic::SourceId;
use lrnn::function::Shape;
use lrnn::network::NeuronCounts;
use lrnn::syntax::ast::{
    AtomExpr, BodyKind, Clause, FunctionExpr, FunctionKind, ItemKind, Sign, TermKind, WeightValue,
};
use lrnn::syntax::{parse, parse_atom};
use lrnn::vocabulary::write_name;

/// The kinds of blocks that claim something.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ClaimKind {
    /// Values of atoms.
    Values,
    /// The atoms of the model.
    Atoms,
    /// The ground rules.
    Rules,
    /// The ground facts and the ground rules.
    Grounding,
    /// Number of neurons.
    Neurons,
    /// The messages.
    Diagnostics,
}

impl ClaimKind {
    const TABLE: [(&'static str, Self); 6] = [
        ("values", Self::Values),
        ("atoms", Self::Atoms),
        ("rules", Self::Rules),
        ("grounding", Self::Grounding),
        ("neurons", Self::Neurons),
        ("diagnostics", Self::Diagnostics),
    ];

    /// Returns the kind of a block in this language.
    pub fn find(language: &str) -> Option<Self> {
        Self::TABLE.iter().find(|(name, _)| *name == language).map(|(_, kind)| *kind)
    }
}

/// The claims of one block.
pub struct Claims {
    /// Their kind.
    pub kind: ClaimKind,
    /// The predicates, `foal/1`, that an exact list is about; empty for all.
    pub of: Vec<String>,
    /// One claim a line, or one a message.
    pub claims: Vec<Claim>,
    /// The line of the block.
    pub line: usize,
}

/// One claim.
pub struct Claim {
    /// The example it is about; `None` for every one.
    pub example: Option<usize>,
    /// A claim.
    pub what: ClaimContent,
}

/// A claim.
pub enum ClaimContent {
    /// This atom has this value, to this tolerance.
    Value(String, Vec<f64>, Shape, f64),
    /// This atom is not in the model.
    Absent(String),
    /// The values of two atoms compare so.
    Compare(String, Ordering, String),
    /// These belong to an exact list.
    Listed(Vec<String>),
    /// So many neurons.
    Neurons(NeuronCounts),
    /// A message: its code, its first line, or all of it.
    Message(String),
}

/// Largest difference from a value with all its digits.
const EXACT: f64 = 1e-9;

impl Claims {
    /// Returns no claim but that everything can be read and computed.
    pub fn none(line: usize) -> Self {
        Self { kind: ClaimKind::Values, of: Vec::new(), claims: Vec::new(), line }
    }

    /// Reads the text of a block.
    pub fn read(kind: ClaimKind, of: Vec<String>, text: &str, line: usize) -> Result<Self, String> {
        if kind == ClaimKind::Diagnostics {
            let message = |text| Claim { example: None, what: ClaimContent::Message(text) };
            let claims = messages(text).into_iter().map(message).collect();
            return Ok(Self { kind, of, claims, line });
        }
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let claims = lines.map(|line| claim(kind, line)).collect::<Result<_, _>>()?;
        Ok(Self { kind, of, claims, line })
    }
}

/// Messages begin with a letter at the edge; what is indented or drawn belongs to the one before.
fn messages(text: &str) -> Vec<String> {
    let mut messages: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        match messages.last_mut() {
            Some(last) if !line.starts_with(|c: char| c.is_ascii_alphabetic()) => last.extend(["\n", line]),
            _ => messages.push(line.to_owned()),
        }
    }
    messages
}

fn claim(kind: ClaimKind, line: &str) -> Result<Claim, String> {
    let numbered = line.strip_prefix("example ").and_then(|rest| rest.split_once(':'));
    let (example, rest) = match numbered {
        Some((number, rest)) => (Some(number.trim().parse().map_err(|_| format!("`{line}`?"))?), rest),
        None => (None, line),
    };
    let rest = rest.trim();
    let what = match kind {
        ClaimKind::Values => value(rest)?,
        ClaimKind::Atoms => ClaimContent::Listed(atoms(rest)?),
        ClaimKind::Rules | ClaimKind::Grounding => ClaimContent::Listed(vec![ground_clause(rest)?]),
        ClaimKind::Neurons => ClaimContent::Neurons(neurons(rest)?),
        ClaimKind::Diagnostics => ClaimContent::Message(rest.to_owned()),
    };
    Ok(Claim { example, what })
}

fn value(line: &str) -> Result<ClaimContent, String> {
    if let Some(atom) = line.strip_prefix("absent:") {
        return Ok(ClaimContent::Absent(atom_text(atom)?));
    }
    let signs = [(" = ", Ordering::Equal), (" < ", Ordering::Less), (" > ", Ordering::Greater)];
    let split = |(sign, order)| line.rsplit_once(sign).map(|(left, right)| (left, order, right));
    let (left, order, right) =
        signs.into_iter().find_map(split).ok_or_else(|| format!("`{line}` claims no value"))?;
    let (left, right) = (atom_text(left)?, right.trim());
    if order != Ordering::Equal || right.starts_with(|c: char| c.is_alphabetic() || c == '\'') {
        return Ok(ClaimContent::Compare(left, order, atom_text(right)?));
    }
    let (digits, tolerance) = match right.strip_suffix("...") {
        Some(digits) => (digits, last_place(digits)),
        None => (right, EXACT),
    };
    let (numbers, shape) = numbers(digits)?;
    Ok(ClaimContent::Value(left, numbers, shape, tolerance))
}

/// Returns the value of the last decimal place of a number.
fn last_place(digits: &str) -> f64 {
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    0.1_f64.powi(decimals as i32)
}

/// Returns a number, `[a vector]` or `[[a], [matrix]]`, as the language writes weights.
pub fn numbers(text: &str) -> Result<(Vec<f64>, Shape), String> {
    let clause = clause(&format!("<{text}> :: x"))?;
    match clause.weight.and_then(|weight| weight.value) {
        Some(WeightValue::Number(number)) => Ok((vec![number], Shape::NUMBER)),
        Some(WeightValue::Vector(numbers)) => {
            let shape = Shape::vector(numbers.len() as u32);
            Ok((numbers, shape))
        }
        Some(WeightValue::Matrix(rows)) => {
            let columns = rows.first().map_or(0, Vec::len) as u32;
            Ok((rows.concat(), Shape::matrix(rows.len() as u32, columns)))
        }
        _ => Err(format!("`{text}` is no value")),
    }
}

/// Reads one clause, with or without its full stop.
pub fn clause(text: &str) -> Result<Clause, String> {
    let stop = if text.ends_with('.') { "" } else { " ." };
    let (ast, diagnostics) = parse(&format!("{text}{stop}"), SourceId(0));
    if let Some(diagnostic) = diagnostics.first() {
        return Err(format!("`{text}`: {}", diagnostic.message));
    }
    match ast.items.into_iter().next().map(|item| item.kind) {
        Some(ItemKind::Clause(clause)) => Ok(clause),
        _ => Err(format!("`{text}` is no clause")),
    }
}

fn atom_text(text: &str) -> Result<String, String> {
    let atom =
        parse_atom(text.trim(), SourceId(0)).map_err(|found| format!("`{text}`: {}", found.message))?;
    written(&atom)
}

/// Returns an atom as the engine writes it.
fn written(atom: &AtomExpr) -> Result<String, String> {
    let mut terms = Vec::new();
    for term in &atom.terms {
        terms.push(match &term.kind {
            TermKind::Constant(constant) => constant.to_string(),
            TermKind::Variable(name) => return Err(format!("`{name}` is a variable")),
            TermKind::Range(..) => return Err("a range is no constant".into()),
        });
    }
    let mut text = String::new();
    write_name(&mut text, &atom.name).map_err(|error| error.to_string())?;
    Ok(if terms.is_empty() { text } else { format!("{text}({})", terms.join(", ")) })
}

fn atoms(line: &str) -> Result<Vec<String>, String> {
    body(&clause(&format!("x :- {}", line.trim_end_matches([',', '.'])))?)
}

fn body(clause: &Clause) -> Result<Vec<String>, String> {
    let literal = |kind: &BodyKind| match kind {
        BodyKind::Function(FunctionExpr { kind: FunctionKind::Literal(_, sign, atom), .. }) => {
            let mark = match sign {
                Sign::Input => "",
                Sign::Soft => "~",
                Sign::Guard => "*",
                Sign::Not => "not ",
            };
            Ok(format!("{mark}{}", written(atom)?))
        }
        _ => Err("a ground rule has no comparisons".to_owned()),
    };
    clause.body.iter().map(|part| literal(&part.kind)).collect()
}

fn ground_clause(line: &str) -> Result<String, String> {
    let clause = clause(line)?;
    let (head, body) = (written(&clause.head)?, body(&clause)?);
    Ok(if body.is_empty() { head } else { format!("{head} :- {}", body.join(", ")) })
}

fn neurons(line: &str) -> Result<NeuronCounts, String> {
    let mut counts = NeuronCounts::default();
    for part in line.split(',') {
        let (kind, number) = part.trim().split_once(' ').ok_or_else(|| format!("`{line}`?"))?;
        let number = number.trim().parse().map_err(|_| format!("`{number}` is no count"))?;
        match kind {
            "fact" => counts.fact = number,
            "rule" => counts.rule = number,
            "aggregation" => counts.aggregation = number,
            "atom" => counts.atom = number,
            _ => return Err(format!("there is no neuron `{kind}`")),
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_carry_their_tolerance() {
        let tolerance = |line| match value(line) {
            Ok(ClaimContent::Value(_, _, _, tolerance)) => tolerance,
            _ => panic!("{line}"),
        };
        assert_eq!(tolerance("p(a) = 0.4"), EXACT);
        assert!((tolerance("p(a) = 0.62...") - 0.01).abs() < 1e-12);
    }

    #[test]
    fn atoms_are_written_as_the_engine_does() {
        assert_eq!(atoms("p( a,1.0 ), 'Q'('b c')").unwrap(), ["p(a, 1)", "'Q'('b c')"]);
        assert_eq!(ground_clause("p(a):-q(a),*r, ~s.").unwrap(), "p(a) :- q(a), *r, ~s");
    }

    #[test]
    fn messages_keep_their_drawings() {
        let text = "error[E0101]: one\n --> template:1:1\n  |\n1 | p\n  | ^\nE0102\n";
        assert_eq!(messages(text).len(), 2);
    }
}
