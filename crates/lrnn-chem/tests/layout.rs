//! Layouts: shapes that are known, and a comparison with those of RDKit on the molecules of `bbbp`, where a Python with
//! RDKit is there (`LRNN_PYTHON`, else `python3`) and `LRNN_DATA` names the folder of real data.

#![allow(clippy::print_stderr)]

use std::process::Command;

use lrnn_chem::{Molecule, Point};

/// Faults of a layout.
#[derive(Default, Debug)]
struct Faults {
    /// Pairs of bonds that cross.
    crossings: usize,
    /// Pairs of atoms nearer than half a bond, or atoms on a bond that is not theirs.
    clashes: usize,
    /// Rings with atoms that are a tenth nearer to its middle, or farther, than they should be.
    uneven: usize,
    /// Bonds a fifth shorter or longer than others.
    lengths: usize,
}

fn distance(a: Point, b: Point) -> f64 {
    (a.x - b.x).hypot(a.y - b.y)
}

fn faults(molecule: &Molecule, places: &[Point]) -> Faults {
    let line = |bond: &lrnn_chem::Bond| bond.atoms.map(|atom| places[atom]);
    let length = |bond: &lrnn_chem::Bond| distance(line(bond)[0], line(bond)[1]);
    let mut all: Vec<f64> = molecule.bonds.iter().map(length).collect();
    all.sort_by(f64::total_cmp);
    let unit = all.get(all.len() / 2).copied().unwrap_or(1.0);
    let lengths = all.iter().filter(|length| (*length / unit - 1.0).abs() > 0.2).count();
    let mut faults = Faults { lengths, ..Faults::default() };
    for (number, bond) in molecule.bonds.iter().enumerate() {
        for other in &molecule.bonds[..number] {
            let apart = other.atoms.iter().all(|atom| !bond.atoms.contains(atom));
            faults.crossings += usize::from(apart && cross(line(bond), line(other)));
        }
        for (_, &place) in places.iter().enumerate().filter(|(atom, _)| !bond.atoms.contains(atom)) {
            let [a, b] = line(bond);
            let share = (place.x - a.x) * (b.x - a.x) + (place.y - a.y) * (b.y - a.y);
            let share = (share / distance(a, b).powi(2).max(1e-9)).clamp(0.0, 1.0);
            let foot = Point { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share };
            faults.clashes += usize::from(distance(place, foot) < 0.2 * unit);
        }
    }
    for (atom, &place) in places.iter().enumerate() {
        faults.clashes += places[..atom].iter().filter(|other| distance(place, **other) < 0.5 * unit).count();
    }
    faults.uneven = molecule.rings.iter().filter(|ring| !is_even(ring, places, unit)).count();
    faults
}

fn cross([a, b]: [Point; 2], [c, d]: [Point; 2]) -> bool {
    let side = |p: Point, q: Point, r: Point| (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
    side(a, b, c) * side(a, b, d) < -1e-9 && side(c, d, a) * side(c, d, b) < -1e-9
}

fn is_even(ring: &lrnn_chem::Ring, places: &[Point], unit: f64) -> bool {
    let count = ring.atoms.len() as f64;
    let sum = |of: fn(&Point) -> f64| ring.atoms.iter().map(|&atom| of(&places[atom])).sum::<f64>() / count;
    let middle = Point { x: sum(|at| at.x), y: sum(|at| at.y) };
    let radius = unit * 0.5 / (std::f64::consts::PI / count).sin();
    ring.atoms.iter().all(|&atom| (distance(places[atom], middle) / radius - 1.0).abs() < 0.1)
}

fn read(smiles: &str) -> Molecule {
    Molecule::from_smiles(smiles).unwrap_or_else(|error| panic!("{smiles}: {error}"))
}

#[test]
fn ordinary_molecules_have_regular_rings_and_no_crossings() {
    let known = [
        "CC(=O)Oc1ccccc1C(=O)O",
        "Cn1cnc2c1c(=O)n(C)c(=O)n2C",
        "CC(C)Cc1ccc(cc1)C(C)C(=O)O",
        "CC12CCC3C(C1CCC2O)CCC4=CC(=O)CCC34C",
        "c1cc2ccc3cccc4ccc(c1)c2c34",
        "C1CC2(C1)CCCCC2",
        "OCC1OC(O)C(O)C(O)C1O",
        "CCCCCCCCCCCCCCCC(=O)O",
        "CN1CCC(CC1)=C1c2ccccc2CCc2cccnc12",
        "O=S(=O)(N)c1ccc(cc1)-n1nc(C(F)(F)F)cc1-c1ccc(C)cc1",
        "[Na+].[Cl-]",
        "O",
    ];
    for smiles in known {
        let molecule = read(smiles);
        let faults = faults(&molecule, &molecule.layout());
        let all = faults.crossings + faults.clashes + faults.uneven + faults.lengths;
        assert_eq!(all, 0, "{smiles}: {faults:?}");
    }
}

#[test]
fn what_hangs_on_fused_rings_stands_outside_them() {
    let steroids = [
        "CC12CCC3C(C1CCC2O)CCC4=CC(=O)CCC34C",
        "CC12CC3=CNN=C3CC1CCC4C2CCC5(C)C4CCC5(C)O",
        "CC12CCCCC1CCCC2",
        "OC12CCCC1CCC2",
    ];
    for smiles in steroids {
        let molecule = read(smiles);
        let places = molecule.layout();
        for ring in &molecule.rings {
            let count = ring.atoms.len() as f64;
            let sum = |of: fn(&Point) -> f64| ring.atoms.iter().map(|&atom| of(&places[atom])).sum::<f64>();
            let middle = Point { x: sum(|at| at.x) / count, y: sum(|at| at.y) / count };
            for atom in (0..places.len()).filter(|atom| !ring.atoms.contains(atom)) {
                assert!(distance(places[atom], middle) > 1.0, "{smiles}: atom {atom} is in a ring");
            }
        }
    }
}

#[test]
fn bridged_molecules_have_no_atom_on_another() {
    let cage = ["C1CC2CCC1C2", "C1CC2CCC1CC2", "C1C2CC3CC1CC(C2)C3", "CN1C2CCC1CC(C2)OC(=O)C(CO)c1ccccc1"];
    for smiles in cage {
        let molecule = read(smiles);
        let faults = faults(&molecule, &molecule.layout());
        assert_eq!(faults.clashes, 0, "{smiles}: {faults:?}");
    }
}

#[test]
fn a_layout_does_not_depend_on_chance() {
    let molecule = read("CC12CCC3C(C1CCC2O)CCC4=CC(=O)CCC34C");
    assert_eq!(molecule.layout(), molecule.layout());
}

/// The molecules with the places RDKit gives them, if the script can run.
fn rdkit(count: usize) -> Option<String> {
    let Ok(folder) = std::env::var("LRNN_DATA") else {
        eprintln!("skipped: LRNN_DATA names no folder of data");
        return None;
    };
    let python = std::env::var("LRNN_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let known = Command::new(&python).args(["-c", "import rdkit"]).output();
    if !known.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: {python} has no rdkit; set LRNN_PYTHON to one that has");
        return None;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/place_by_rdkit.py");
    let table = format!("{folder}/bbbp/original/BBBP.csv");
    let output = Command::new(python).arg(script).arg(table).arg(count.to_string()).output();
    let output = output.expect("python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).expect("text"))
}

#[test]
fn layouts_have_no_more_crossings_and_uneven_shapes_than_those_of_rdkit() {
    let Some(lines) = rdkit(500) else { return };
    let (mut ours, mut theirs, mut count) = ([0; 4], [0; 4], 0);
    for line in lines.lines() {
        let (smiles, places) = line.split_once('\t').expect("two columns");
        let Ok(molecule) = Molecule::from_smiles(smiles) else { continue };
        let place = |text: &str| {
            let (x, y) = text.split_once(',').expect("x and y");
            Point { x: x.parse().expect("a number"), y: y.parse().expect("a number") }
        };
        let places: Vec<Point> = places.split(' ').map(place).collect();
        assert_eq!(places.len(), molecule.atoms.len(), "{smiles}");
        count += 1;
        for (sum, places) in [(&mut ours, molecule.layout()), (&mut theirs, places)] {
            let faults = faults(&molecule, &places);
            let found = [faults.crossings, faults.clashes, faults.uneven, faults.lengths];
            if std::env::var("LRNN_LISTED").is_ok() && found[0] + found[1] > 0 {
                eprintln!("{found:?} {smiles}");
            }
            sum.iter_mut().zip(found).for_each(|(sum, found)| *sum += found);
        }
    }
    eprintln!(
        "{count} molecules: crossings, clashes, uneven rings, uneven bonds: ours {ours:?}, RDKit's {theirs:?}"
    );
    assert!(count >= 480);
    assert!(ours.iter().zip(theirs).all(|(ours, theirs)| *ours <= theirs), "{ours:?} {theirs:?}");
}
