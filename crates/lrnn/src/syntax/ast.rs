//! The tree of a template's text. Places are not part of what a tree is: two trees are equal if their texts say
//! the same.

use crate::diagnostic::{SourceId, Span};
use crate::vocabulary::Constant;

/// The place of a part of the tree; all places are equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place(pub Span);

impl PartialEq for Place {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// One text, read.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ast {
    /// Its items, in order.
    pub items: Vec<Item>,
    /// Its text.
    pub source: Place,
    /// The places of comments.
    pub comments: Vec<Place>,
}

impl Ast {
    /// Returns the id of the text.
    pub fn source(&self) -> SourceId {
        self.source.0.source
    }
}

/// One sentence.
#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    /// Its content.
    pub kind: ItemKind,
    /// Place in the text.
    pub place: Place,
}

/// The kinds of sentences.
#[derive(Clone, PartialEq, Debug)]
pub enum ItemKind {
    /// A fact or a rule.
    Clause(Clause),
    /// `foal/1 [activation = identity].`
    Predicate(PredicateItem),
    /// `:- family(godel).`
    Directive(Directive),
    /// `:- import("other.lrnn").`
    Import(String),
    /// `:- use(gcn, output = h, input = x, edges = edge, in = 3, out = 8).`
    Use(ModuleUse),
}

/// A module of the library with its parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct ModuleUse {
    /// Its name.
    pub name: String,
    /// The parameters and their values, as text.
    pub parameters: Vec<(String, String)>,
    /// Place of the name.
    pub place: Place,
}

/// A fact (no body) or a rule.
#[derive(Clone, PartialEq, Debug)]
pub struct Clause {
    /// The weight before the head.
    pub weight: Option<WeightExpr>,
    /// The head.
    pub head: AtomExpr,
    /// The body; empty for a fact.
    pub body: Vec<BodyExpr>,
    /// `[activation = tanh, ...]`
    pub options: Vec<OptionExpr>,
}

/// A predicate with options.
#[derive(Clone, PartialEq, Debug)]
pub struct PredicateItem {
    /// Its name.
    pub name: String,
    /// Its arity.
    pub arity: u32,
    /// The options.
    pub options: Vec<OptionExpr>,
}

/// A directive with its one argument.
#[derive(Clone, PartialEq, Debug)]
pub struct Directive {
    /// Its name.
    pub name: String,
    /// To what; a name, or a setting such as `steps = 8`.
    pub argument: String,
    /// Place of the argument.
    pub place: Place,
}

/// An atom.
#[derive(Clone, PartialEq, Debug)]
pub struct AtomExpr {
    /// The predicate's name.
    pub name: String,
    /// The terms.
    pub terms: Vec<TermExpr>,
    /// Place in the text.
    pub place: Place,
}

/// A term.
#[derive(Clone, PartialEq, Debug)]
pub struct TermExpr {
    /// Its kind.
    pub kind: TermKind,
    /// Place in the text.
    pub place: Place,
}

impl TermExpr {
    /// Tells whether it is this variable.
    pub fn is_variable(&self, name: &str) -> bool {
        matches!(&self.kind, TermKind::Variable(own) if own == name)
    }
}

/// The kinds of terms.
#[derive(Clone, PartialEq, Debug)]
pub enum TermKind {
    /// A variable; `_` is a new one each time.
    Variable(String),
    /// A name, bare or quoted, or a number.
    Constant(Constant),
    /// `1..3`
    Range(i64, i64),
}

/// The sign of a literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// An input.
    Input,
    /// `~`: an input of 1 − value.
    Soft,
    /// `*`: it must hold, but is no input.
    Guard,
    /// `not`: it must not hold, and is no input.
    Not,
}

/// A comparison between two terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `=<`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// All of them, with the marks that they are written with, the usual one first, and the names of their built-ins.
    pub(super) const ALL: [(Self, &[&str], &str); 6] = [
        (Self::Equal, &["=", "=="], "eq"),
        (Self::NotEqual, &["!=", "\\="], "neq"),
        (Self::Less, &["<"], "lt"),
        (Self::LessOrEqual, &["=<", "<="], "leq"),
        (Self::Greater, &[">"], "gt"),
        (Self::GreaterOrEqual, &[">="], "geq"),
    ];

    /// Returns the comparison that holds exactly where this one does not.
    pub fn opposite(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterOrEqual,
            Self::LessOrEqual => Self::Greater,
            Self::Greater => Self::LessOrEqual,
            Self::GreaterOrEqual => Self::Less,
        }
    }

    /// Returns whether the comparison holds for two constants so ordered.
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }
}

/// A part of a body.
#[derive(Clone, PartialEq, Debug)]
pub struct BodyExpr {
    /// Its kind.
    pub kind: BodyKind,
    /// Place in the text.
    pub place: Place,
}

/// The kinds of parts of a body.
#[derive(Clone, PartialEq, Debug)]
pub enum BodyKind {
    /// A comparison.
    Compare(Comparison, TermExpr, TermExpr),
    /// `@alldiff(X, Y)`; without terms, all variables of the rule.
    AllDiff(Vec<TermExpr>),
    /// `N = M + 1`, `abs(X - Y) < 3`: a comparison of numbers that are computed.
    Arithmetic(Comparison, NumberExpr, NumberExpr),
    /// `@next(X, Y)`, `@in(X, a, b)` and the like: a guard that the language knows.
    BuiltIn(String, Vec<TermExpr>),
    /// `p(X)`, `tanh(p(X))`, `a + b * c`: a literal, a value, or a function of some.
    Function(FunctionExpr),
}

impl BodyKind {
    /// Returns the terms of a condition, in order.
    pub fn condition_terms(&self) -> Vec<&TermExpr> {
        match self {
            Self::Compare(_, left, right) => vec![left, right],
            Self::Arithmetic(_, left, right) => [left.terms(), right.terms()].concat(),
            Self::AllDiff(terms) | Self::BuiltIn(_, terms) => terms.iter().collect(),
            Self::Function(_) => Vec::new(),
        }
    }
}

/// A number that is computed from terms.
#[derive(Clone, PartialEq, Debug)]
pub enum NumberExpr {
    /// A variable or a number.
    Term(TermExpr),
    /// An operation on others.
    Operation(Operator, Vec<NumberExpr>),
}

impl NumberExpr {
    /// Returns the terms in it, in order.
    pub fn terms(&self) -> Vec<&TermExpr> {
        match self {
            Self::Term(term) => vec![term],
            Self::Operation(_, parts) => parts.iter().flat_map(Self::terms).collect(),
        }
    }

    /// Returns the terms in it, to change them.
    pub fn terms_mut(&mut self) -> Vec<&mut TermExpr> {
        match self {
            Self::Term(term) => vec![term],
            Self::Operation(_, parts) => parts.iter_mut().flat_map(Self::terms_mut).collect(),
        }
    }
}

/// An operation on numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    /// `+`
    Plus,
    /// `-`, of two numbers or of one.
    Minus,
    /// `*`
    Times,
    /// `/`
    Divide,
    /// `mod`: the remainder, of the sign of the second.
    Modulo,
    /// `abs(X)`
    Absolute,
    /// `min(X, Y)`
    Smallest,
    /// `max(X, Y)`
    Largest,
}

impl Operator {
    /// Returns the number that it makes of some; `None` where there is none.
    pub fn apply(self, numbers: &[f64]) -> Option<f64> {
        let result = match (self, numbers) {
            (Self::Plus, [a, b]) => a + b,
            (Self::Minus, [a]) => -a,
            (Self::Minus, [a, b]) => a - b,
            (Self::Times, [a, b]) => a * b,
            (Self::Divide, [a, b]) => a / b,
            (Self::Modulo, [a, b]) => a - b * (a / b).floor(),
            (Self::Absolute, [a]) => a.abs(),
            (Self::Smallest, all) => all.iter().copied().reduce(f64::min)?,
            (Self::Largest, all) => all.iter().copied().reduce(f64::max)?,
            _ => return None,
        };
        result.is_finite().then_some(result + 0.0)
    }

    /// Returns the constant that it makes of others: of integers exactly, where the result is one of 64 bits.
    pub fn of_constants(self, constants: &[Constant]) -> Option<Constant> {
        let integer = |constant: &Constant| match constant {
            Constant::Integer(number) => Some(*number),
            Constant::Name(_) | Constant::Number(_) => None,
        };
        let integers: Option<Vec<i64>> = constants.iter().map(integer).collect();
        let exact = integers.and_then(|integers| self.of_integers(&integers)).map(Constant::Integer);
        exact.or_else(|| {
            let numbers: Option<Vec<f64>> = constants.iter().map(Constant::as_number).collect();
            self.apply(&numbers?).map(Constant::number)
        })
    }

    fn of_integers(self, numbers: &[i64]) -> Option<i64> {
        match (self, numbers) {
            (Self::Plus, &[a, b]) => a.checked_add(b),
            (Self::Minus, [a]) => a.checked_neg(),
            (Self::Minus, &[a, b]) => a.checked_sub(b),
            (Self::Times, &[a, b]) => a.checked_mul(b),
            (Self::Divide, &[a, b]) => (a.checked_rem(b)? == 0).then(|| a / b),
            (Self::Modulo, &[a, b]) => {
                let rest = a.checked_rem(b)?;
                Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
            }
            (Self::Absolute, [a]) => a.checked_abs(),
            (Self::Smallest, all) => all.iter().copied().min(),
            (Self::Largest, all) => all.iter().copied().max(),
            _ => None,
        }
    }
}

/// A function of literals, or one literal.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionExpr {
    /// The weight on its value; that of a literal is in the literal.
    pub weight: Option<WeightExpr>,
    /// Its content.
    pub kind: FunctionKind,
    /// Place in the text.
    pub place: Place,
}

/// The kinds of functions of literals.
#[derive(Clone, PartialEq, Debug)]
pub enum FunctionKind {
    /// A literal.
    Literal(Option<WeightExpr>, Sign, AtomExpr),
    /// `@value(A / 100)`: a value that is computed from terms.
    Value(Option<WeightExpr>, NumberExpr),
    /// `tanh(p(X))`, `concat(p(X), q(X))`, `slice(p(X), rows = [0, 2])`.
    Call(FunctionName, Vec<FunctionExpr>),
    /// `a + b`, `a * b`, `a @ b`.
    Infix(Infix, Vec<FunctionExpr>),
}

impl FunctionExpr {
    /// Returns the functions that it is a function of.
    fn parts(&self) -> &[Self] {
        match &self.kind {
            FunctionKind::Call(_, parts) | FunctionKind::Infix(_, parts) => parts,
            FunctionKind::Literal(..) | FunctionKind::Value(..) => &[],
        }
    }

    /// Returns the literals in it, in order.
    pub fn literals(&self) -> Vec<(Sign, &AtomExpr)> {
        match &self.kind {
            FunctionKind::Literal(_, sign, atom) => vec![(*sign, atom)],
            _ => self.parts().iter().flat_map(Self::literals).collect(),
        }
    }

    /// Returns the numbers in it that are computed from terms, in order.
    pub fn numbers(&self) -> Vec<&NumberExpr> {
        match &self.kind {
            FunctionKind::Value(_, number) => vec![number],
            _ => self.parts().iter().flat_map(Self::numbers).collect(),
        }
    }

    /// Returns the numbers in it, to change them.
    pub fn numbers_mut(&mut self) -> Vec<&mut NumberExpr> {
        match &mut self.kind {
            FunctionKind::Literal(..) => Vec::new(),
            FunctionKind::Value(_, number) => vec![number],
            FunctionKind::Call(_, parts) | FunctionKind::Infix(_, parts) => {
                parts.iter_mut().flat_map(Self::numbers_mut).collect()
            }
        }
    }

    /// Returns the terms of its literals, numbers and weights, to change them.
    pub fn terms_mut(&mut self) -> Vec<&mut TermExpr> {
        let (inner, mut terms) = match &mut self.kind {
            FunctionKind::Literal(weight, _, atom) => (weight.as_mut(), atom.terms.iter_mut().collect()),
            FunctionKind::Value(weight, number) => (weight.as_mut(), number.terms_mut()),
            FunctionKind::Call(_, parts) | FunctionKind::Infix(_, parts) => {
                (None, parts.iter_mut().flat_map(Self::terms_mut).collect::<Vec<_>>())
            }
        };
        let weights = self.weight.iter_mut().chain(inner);
        terms.extend(weights.flat_map(|weight| &mut weight.index).flat_map(IndexExpr::terms_mut));
        terms
    }

    /// Returns the weights in it.
    pub fn weights(&self) -> Vec<&WeightExpr> {
        let (FunctionKind::Literal(inner, ..) | FunctionKind::Value(inner, _)) = &self.kind else {
            return self.weight.iter().chain(self.parts().iter().flat_map(Self::weights)).collect();
        };
        self.weight.iter().chain(inner).collect()
    }
}

/// An operation between functions of literals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Infix {
    /// `+`
    Sum,
    /// `*`: the product of numbers in the same place.
    ElementProduct,
    /// `@`: the matrix product.
    Product,
}

/// A function by name, with its arguments: `leaky-relu(0.2)`, `slice(rows = [0, 2])`.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionName {
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<ArgumentExpr>,
    /// Place in the text.
    pub place: Place,
}

/// An argument of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct ArgumentExpr {
    /// `rows` in `rows = [0, 2]`.
    pub key: Option<String>,
    /// Its value.
    pub value: ArgumentValue,
}

/// The value of an argument.
#[derive(Clone, PartialEq, Debug)]
pub enum ArgumentValue {
    /// `...`: all.
    All,
    /// A number, or several in brackets.
    Numbers(Vec<f64>),
    /// A variable, or several in brackets.
    Variables(Vec<String>),
}

/// A weight.
#[derive(Clone, PartialEq, Debug)]
pub struct WeightExpr {
    /// Its name; `None` for a weight that stands alone.
    pub name: Option<String>,
    /// Its index.
    pub index: Vec<IndexExpr>,
    /// Its start; `None` for a random number.
    pub value: Option<WeightValue>,
    /// `<...>`
    pub fixed: bool,
    /// Place in the text.
    pub place: Place,
}

impl WeightExpr {
    /// Returns the terms of its index.
    pub fn index_terms(&self) -> impl Iterator<Item = &TermExpr> {
        self.index.iter().flat_map(IndexExpr::terms)
    }
}

/// A part of the index of a weight.
#[derive(Clone, PartialEq, Debug)]
pub enum IndexExpr {
    /// A variable or a constant: `T`.
    Term(TermExpr),
    /// An atom of the body, which stands for its kind: `h1(X)`.
    Kind(AtomExpr),
    /// The number of the ground rule: `#`.
    Number(Place),
}

impl IndexExpr {
    /// Returns the terms in it.
    pub fn terms(&self) -> &[TermExpr] {
        match self {
            Self::Term(term) => std::slice::from_ref(term),
            Self::Kind(atom) => &atom.terms,
            Self::Number(_) => &[],
        }
    }

    /// Returns the terms in it, to change them.
    pub fn terms_mut(&mut self) -> &mut [TermExpr] {
        match self {
            Self::Term(term) => std::slice::from_mut(term),
            Self::Kind(atom) => &mut atom.terms,
            Self::Number(_) => &mut [],
        }
    }
}

/// The start of a weight.
#[derive(Clone, PartialEq, Debug)]
pub enum WeightValue {
    /// A number.
    Number(f64),
    /// `[1, 2]`, a column.
    Vector(Vec<f64>),
    /// `[[1, 2], [3, 4]]`, row by row; all rows have one length.
    Matrix(Vec<Vec<f64>>),
    /// `{3}` or `{3, 2}`: random numbers of this shape.
    Random(u32, Option<u32>),
}

/// `activation = tanh`
#[derive(Clone, PartialEq, Debug)]
pub struct OptionExpr {
    /// Its name.
    pub key: String,
    /// To what.
    pub value: OptionValue,
    /// Place of the key.
    pub key_place: Place,
    /// Place of the value.
    pub place: Place,
}

/// The value of an option: a function's name or an offset.
#[derive(Clone, PartialEq, Debug)]
pub enum OptionValue {
    /// A name, such as `tanh` or `true`, or a function with its arguments.
    Function(FunctionName),
    /// An offset.
    Weight(WeightExpr),
}
