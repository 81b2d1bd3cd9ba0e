//! An order of atoms in which each comes after those it needs.

use crate::ground::Relation;
use crate::vocabulary::PredicateId;

/// A ground atom: its predicate and its row.
pub(super) type Row = (PredicateId, u32);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    /// On the way from the first atom to the current one.
    Open,
    Done,
}

/// All atoms, each after those it needs, or else a cycle, in which each atom needs the next and the last the first.
/// Depth first, with a stack of its own, since chains may be long.
pub(super) fn order(relations: &[Relation], needs: impl Fn(Row) -> Vec<Row>) -> Result<Vec<Row>, Vec<Row>> {
    let mut marks: Vec<Vec<Mark>> =
        relations.iter().map(|relation| vec![Mark::New; relation.len()]).collect();
    let mut order = Vec::new();
    for (predicate, relation) in relations.iter().enumerate() {
        for row in 0..relation.len() as u32 {
            visit((PredicateId(predicate as u32), row), &mut marks, &needs, &mut order)?;
        }
    }
    Ok(order)
}

fn visit(
    start: Row,
    marks: &mut [Vec<Mark>],
    needs: &impl Fn(Row) -> Vec<Row>,
    order: &mut Vec<Row>,
) -> Result<(), Vec<Row>> {
    let mut way: Vec<(Row, Vec<Row>)> = Vec::new();
    let mut next = Some(start);
    loop {
        if let Some(atom) = next {
            let mark = &mut marks[atom.0.index()][atom.1 as usize];
            match mark {
                Mark::Done => {}
                Mark::Open => return Err(way.iter().map(|on| on.0).skip_while(|&on| on != atom).collect()),
                Mark::New => {
                    *mark = Mark::Open;
                    way.push((atom, needs(atom)));
                }
            }
        }
        let Some((atom, rest)) = way.last_mut() else { return Ok(()) };
        next = rest.pop();
        if next.is_none() {
            marks[atom.0.index()][atom.1 as usize] = Mark::Done;
            order.push(*atom);
            way.pop();
        }
    }
}
