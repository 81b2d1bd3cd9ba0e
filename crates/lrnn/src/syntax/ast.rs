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
    /// A literal.
    Literal(Option<WeightExpr>, Sign, AtomExpr),
    /// A comparison.
    Compare(Comparison, TermExpr, TermExpr),
    /// `@alldiff(X, Y)`; without terms, all variables of the rule.
    AllDiff(Vec<TermExpr>),
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
    /// A name.
    Name(String),
    /// A weight.
    Weight(WeightExpr),
}
