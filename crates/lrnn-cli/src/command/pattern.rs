//! Atoms asked for on the command line, such as `foal(X)`.

use lrnn::diagnostic::{SourceId, Sources, did_you_mean};
use lrnn::syntax::ast::{AtomExpr, TermKind};
use lrnn::syntax::parse_atom;
use lrnn::vocabulary::{ConstantId, PredicateId, Vocabulary};

use crate::failure::{Failure, USAGE};

/// An atom asked for, with what each of its terms may be.
pub struct Pattern {
    pub predicate: PredicateId,
    terms: Vec<Wanted>,
    pub text: String,
}

enum Wanted {
    /// A constant; `None` if no text ever named it.
    Constant(Option<ConstantId>),
    /// The same as the first term with this number.
    Variable(usize),
    Any,
}

impl Pattern {
    pub fn new(text: &str, vocabulary: &Vocabulary) -> Result<Self, Failure> {
        let mut sources = Sources::default();
        sources.add("the atom", text);
        let atom =
            parse_atom(text, SourceId(0)).map_err(|diagnostic| Failure::at(USAGE, &diagnostic, &sources))?;
        let Some(predicate) = vocabulary.find_predicate(&atom.name, atom.terms.len()) else {
            let name = format!("{}/{}", atom.name, atom.terms.len());
            let known: Vec<String> =
                vocabulary.predicates().map(|(_, signature)| signature.to_string()).collect();
            let failure = Failure::new(USAGE, format!("neither the template nor the data knows `{name}`"));
            let file = format!("if it is the data: there is no file or folder `{text}` here");
            let near = did_you_mean(&name, known.iter().map(String::as_str));
            let help = near.or(atom.terms.is_empty().then_some(file));
            return Err(match help {
                Some(help) => failure.help(help),
                None => failure,
            });
        };
        if atom.terms.iter().any(|term| matches!(term.kind, TermKind::Range(..))) {
            let failure =
                Failure::new(USAGE, format!("`{text}` has a range, which stands in facts of a template"));
            return Err(failure.help("write a variable, or an atom for each number"));
        }
        Ok(Self { predicate, terms: wanted(&atom, vocabulary), text: lrnn::syntax::atom_text(&atom) })
    }

    pub fn matches(&self, row: &[ConstantId]) -> bool {
        self.terms.iter().zip(row).all(|(wanted, &term)| match wanted {
            Wanted::Constant(constant) => *constant == Some(term),
            Wanted::Variable(first) => row[*first] == term,
            Wanted::Any => true,
        })
    }

    pub fn is_ground(&self) -> bool {
        self.terms.iter().all(|wanted| matches!(wanted, Wanted::Constant(_)))
    }
}

fn wanted(atom: &AtomExpr, vocabulary: &Vocabulary) -> Vec<Wanted> {
    let term = |position: usize| match &atom.terms[position].kind {
        TermKind::Variable(name) if name == "_" => Wanted::Any,
        TermKind::Variable(name) => {
            let same = |kind: &TermKind| matches!(kind, TermKind::Variable(other) if other == name);
            let first = atom.terms.iter().position(|term| same(&term.kind));
            Wanted::Variable(first.unwrap_or(position))
        }
        TermKind::Constant(constant) => Wanted::Constant(vocabulary.find_constant(constant)),
        TermKind::Range(..) => Wanted::Constant(None),
    };
    (0..atom.terms.len()).map(term).collect()
}
