//! Clauses in other words: ranges written out, variables numbered.

use crate::syntax::ast::{Ast, AtomExpr, BodyKind, Clause, Item, ItemKind, Place, TermExpr, TermKind};
use crate::syntax::print;

/// The atoms that an atom with ranges stands for; `None` if there are too many.
pub(super) fn written_out(atom: &AtomExpr) -> Option<Vec<AtomExpr>> {
    let mut atoms = vec![atom.clone()];
    for (position, term) in atom.terms.iter().enumerate() {
        let TermKind::Range(first, last) = term.kind else { continue };
        if atoms.len() as u64 * (last - first + 1).unsigned_abs() > 1_000_000 {
            return None;
        }
        atoms = atoms
            .into_iter()
            .flat_map(|atom| {
                (first..=last).map(move |number| {
                    let mut atom = atom.clone();
                    atom.terms[position].kind = TermKind::Number(number as f64);
                    atom
                })
            })
            .collect();
    }
    Some(atoms)
}

/// The clause as text, its variables numbered: equal for clauses that differ only in names of variables.
pub(super) fn numbered_text(clause: &Clause) -> String {
    let mut clause = clause.clone();
    let mut names: Vec<String> = Vec::new();
    let mut number = |term: &mut TermExpr| {
        if let TermKind::Variable(name) = &mut term.kind
            && name != "_"
        {
            let known = names.iter().position(|known| known == name);
            let number = known.unwrap_or_else(|| {
                names.push(name.clone());
                names.len() - 1
            });
            *name = format!("V{number}");
        }
    };
    clause.head.terms.iter_mut().for_each(&mut number);
    for part in &mut clause.body {
        match &mut part.kind {
            BodyKind::Literal(weight, _, atom) => {
                atom.terms.iter_mut().for_each(&mut number);
                weight.iter_mut().flat_map(|weight| &mut weight.index).for_each(&mut number);
            }
            BodyKind::Compare(_, left, right) => [left, right].into_iter().for_each(&mut number),
            BodyKind::AllDiff(terms) => terms.iter_mut().for_each(&mut number),
        }
    }
    clause.weight.iter_mut().flat_map(|weight| &mut weight.index).for_each(&mut number);
    let item = Item { kind: ItemKind::Clause(clause), place: Place::default() };
    print(&Ast { items: vec![item], ..Ast::default() }, "")
}
