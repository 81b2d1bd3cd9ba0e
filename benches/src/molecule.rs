//! Molecules as the limit sees them: the distinct chains of three atoms, by their types.

use lrnn::data::{Dataset, FactTable};
use lrnn::vocabulary::ConstantId;
use rustc_hash::FxHashMap;

/// The types of a chain: element, bond, element, bond, element.
pub type ChainTypes = [u8; 5];

/// A molecule.
pub struct Molecule {
    /// Its distinct chains, in order.
    pub chains: Vec<ChainTypes>,
    /// Target of its output.
    pub target: f32,
}

/// All molecules.
pub struct Molecules {
    /// Them.
    pub molecules: Vec<Molecule>,
    /// The numbers of the elements.
    pub elements: FxHashMap<String, u8>,
    /// The numbers of the bond types.
    pub bonds: FxHashMap<String, u8>,
}

/// Returns the molecules of a dataset.
pub fn molecules(dataset: &Dataset) -> Result<Molecules, String> {
    let mut made =
        Molecules { molecules: Vec::new(), elements: FxHashMap::default(), bonds: FxHashMap::default() };
    for (example, queries) in dataset.examples.iter().zip(&dataset.queries) {
        let table = |name: &str| {
            let has_name = |table: &&FactTable| *dataset.vocabulary.signature(table.predicate).name == *name;
            example.tables.iter().find(has_name).ok_or_else(|| format!("a molecule without `{name}`"))
        };
        let elements = kinds(dataset, table("element")?, &mut made.elements);
        let bonds = kinds(dataset, table("bond_type")?, &mut made.bonds);
        let chains = chains(table("bond")?, &elements, &bonds);
        let target = queries.first().and_then(|query| query.target.as_ref()).map_or(0.0, |target| target[0]);
        made.molecules.push(Molecule { chains, target: target as f32 });
    }
    Ok(made)
}

/// Returns the number of the type of each thing.
fn kinds(
    dataset: &Dataset,
    table: &FactTable,
    numbers: &mut FxHashMap<String, u8>,
) -> FxHashMap<ConstantId, u8> {
    let kind = |row: usize| {
        let &[thing, kind] = table.row(row) else { return None };
        let next = numbers.len() as u8;
        Some((thing, *numbers.entry(dataset.vocabulary.constant(kind).to_string()).or_insert(next)))
    };
    (0..table.rows as usize).filter_map(kind).collect()
}

fn chains(
    table: &FactTable,
    elements: &FxHashMap<ConstantId, u8>,
    bonds: &FxHashMap<ConstantId, u8>,
) -> Vec<ChainTypes> {
    let steps: Vec<[ConstantId; 3]> =
        (0..table.rows as usize).filter_map(|row| table.row(row).try_into().ok()).collect();
    let mut chains = Vec::new();
    for &[x, y, first] in &steps {
        for &[_, z, second] in steps.iter().filter(|step| step[0] == y) {
            chains.push([elements[&x], bonds[&first], elements[&y], bonds[&second], elements[&z]]);
        }
    }
    chains.sort_unstable();
    chains.dedup();
    chains
}
