//! Ranges written out.

use crate::syntax::ast::{AtomExpr, TermKind};
use crate::vocabulary::Constant;

/// Returns the atoms that an atom with ranges stands for; `None` if there are too many.
pub(super) fn written_out(atom: &AtomExpr) -> Option<Vec<AtomExpr>> {
    let mut atoms = vec![atom.clone()];
    for (position, term) in atom.terms.iter().enumerate() {
        let TermKind::Range(first, last) = term.kind else { continue };
        if atoms.len() as u64 * (last.abs_diff(first) + 1) > 1_000_000 {
            return None;
        }
        atoms = atoms
            .into_iter()
            .flat_map(|atom| {
                (first..=last).map(move |number| {
                    let mut atom = atom.clone();
                    atom.terms[position].kind = TermKind::Constant(Constant::Integer(number));
                    atom
                })
            })
            .collect();
    }
    Some(atoms)
}
