//! Compares what we read with what RDKit reads, where a Python with RDKit is there (`LRNN_PYTHON`, else `python3`): on
//! the 5,000 molecules that come with it, and on those of `bbbp` where `LRNN_DATA` names the folder of real data.

#![allow(clippy::print_stderr)]

use std::collections::HashMap;
use std::process::Command;

use lrnn_chem::Molecule;

/// What the script beside this file prints, if it can run.
fn rdkit() -> Option<String> {
    let python = std::env::var("LRNN_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let known = Command::new(&python).args(["-c", "import rdkit"]).output();
    if !known.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: {python} has no rdkit; set LRNN_PYTHON to one that has");
        return None;
    }
    let bbbp = std::env::var("LRNN_DATA").map(|folder| format!("{folder}/bbbp/original/BBBP.csv"));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/read_by_rdkit.py");
    let output = Command::new(python).arg(script).args(bbbp).output().expect("python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).expect("text"))
}

fn written(molecule: &Molecule) -> String {
    let atom = |atom: &lrnn_chem::Atom| {
        let aromatic = u8::from(atom.aromatic);
        format!("{}:{}:{}:{aromatic}:{}", atom.element.symbol(), atom.charge, atom.hydrogens, atom.isotope)
    };
    let atoms: Vec<String> = molecule.atoms.iter().map(atom).collect();
    let mut bonds: Vec<(usize, usize, &str)> = molecule
        .bonds
        .iter()
        .map(|b| (b.atoms[0].min(b.atoms[1]), b.atoms[0].max(b.atoms[1]), b.name()))
        .collect();
    bonds.sort_unstable();
    let bonds: Vec<String> = bonds.iter().map(|(a, b, kind)| format!("{a}-{b}:{kind}")).collect();
    format!("{}|{}", atoms.join(" "), bonds.join(" "))
}

#[test]
fn molecules_are_as_rdkit_reads_them() {
    let Some(lines) = rdkit() else { return };
    let (mut count, mut other, mut scaffolds) = (0, Vec::new(), HashMap::new());
    for line in lines.lines() {
        let [smiles, expected, scaffold] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        count += 1;
        let read = Molecule::from_smiles(smiles);
        let found = read.as_ref().map_or("refused".to_owned(), written);
        // Dative bonds, which RDKit makes of some bonds to metals, are refused.
        let dative = expected.contains(":?") && found == "refused";
        if found != expected && !dative {
            other.push(format!("{smiles}\n  {found}\n  {expected}"));
        }
        if let Ok(molecule) = read {
            scaffolds.entry(scaffold.to_owned()).or_insert_with(Vec::new).push(molecule.scaffold().form());
        }
    }
    eprintln!("{count} molecules, {} read otherwise, {} scaffolds", other.len(), scaffolds.len());
    assert!(count >= 4_900);
    assert!(other.is_empty(), "{}", other.join("\n"));
    // One scaffold of RDKit is one of ours; ours may have several tautomers.
    assert!(scaffolds.values().all(|forms| forms.iter().all(|form| *form == forms[0])));
}
