//! MOL blocks, V2000 and V3000, and SDF, which has many with fields of data.

use std::ops::Range;

use crate::Element;
use crate::molecule::{BondOrder, Molecule, MoleculeError};
use crate::sketch::{Sketch, SketchAtom, SketchBond};

/// One molecule of an SDF.
#[derive(Clone, Debug)]
pub struct SdfRecord {
    /// The first line.
    pub name: String,
    /// The molecule, or what is wrong with it, with places in the whole text.
    pub molecule: Result<Molecule, MoleculeError>,
    /// The fields of data in their order.
    pub fields: Vec<(String, String)>,
    /// The bytes of the record in the whole text.
    pub place: Range<usize>,
}

impl Molecule {
    /// Reads a MOL block, V2000 or V3000.
    pub fn from_mol(text: &str) -> Result<Self, MoleculeError> {
        let lines = lines(text);
        let version = lines.get(3).map_or("", |line| line.text);
        let sketch = match version.contains("V3000") {
            true => v3000(&lines),
            false => v2000(&lines),
        };
        sketch?.molecule()
    }
}

/// Reads the records of an SDF; a record that cannot be read says so, and the others are there.
pub fn read_sdf(text: &str) -> Vec<SdfRecord> {
    let mut records = Vec::new();
    let mut start = 0;
    for line in lines(text).iter().filter(|line| line.text.starts_with("$$$$")) {
        records.push(record(text, start..line.place.start));
        start = (line.place.end + 1).min(text.len());
        start += usize::from(text[start..].starts_with('\n') && text[..start].ends_with('\r'));
    }
    if !text[start..].trim().is_empty() {
        records.push(record(text, start..text.len()));
    }
    records
}

fn record(text: &str, place: Range<usize>) -> SdfRecord {
    let block = &text[place.clone()];
    let molecule = Molecule::from_mol(block).map_err(|error| {
        let moved = error.place.start + place.start..error.place.end + place.start;
        MoleculeError { place: moved, ..error }
    });
    let name = block.lines().next().unwrap_or("").trim().to_owned();
    SdfRecord { name, molecule, fields: fields(block), place }
}

/// The fields after a block: `> <name>`, then lines up to an empty one.
fn fields(block: &str) -> Vec<(String, String)> {
    let mut fields: Vec<(String, Vec<&str>)> = Vec::new();
    let mut inside = false;
    for line in block.lines() {
        if let Some(rest) = line.strip_prefix('>') {
            let name = rest.split_once('<').and_then(|(_, rest)| rest.rsplit_once('>')).map(|(name, _)| name);
            inside = name.is_some();
            fields.extend(name.map(|name| (name.to_owned(), Vec::new())));
        } else if line.trim().is_empty() {
            inside = false;
        } else if let (true, Some((_, lines))) = (inside, fields.last_mut()) {
            lines.push(line.trim_end());
        }
    }
    fields.into_iter().map(|(name, lines)| (name, lines.join("\n"))).collect()
}

/// A line and where it stands.
struct MolLine<'a> {
    text: &'a str,
    place: Range<usize>,
}

impl MolLine<'_> {
    fn error(&self, message: impl Into<String>) -> MoleculeError {
        MoleculeError::new(message, self.place.clone())
    }

    /// The letters of a field of fixed width, trimmed.
    fn columns(&self, columns: Range<usize>) -> &str {
        let end = columns.end.min(self.text.len());
        self.text.get(columns.start.min(end)..end).unwrap_or("").trim()
    }

    fn number(&self, columns: Range<usize>) -> Option<i32> {
        self.columns(columns).parse().ok()
    }
}

fn lines(text: &str) -> Vec<MolLine<'_>> {
    let mut start = 0;
    let line = |line: &'_ str| {
        let place = start..start + line.trim_end_matches(['\n', '\r']).len();
        start += line.len();
        place
    };
    let places: Vec<Range<usize>> = text.split_inclusive('\n').map(line).collect();
    places.into_iter().map(|place| MolLine { text: &text[place.clone()], place }).collect()
}

fn no_block(text: &[MolLine<'_>]) -> MoleculeError {
    let end = text.last().map_or(0, |line| line.place.end);
    MoleculeError::new("this is no MOL block: its fourth line counts atoms and bonds", 0..end)
}

fn v2000(lines: &[MolLine<'_>]) -> Result<Sketch, MoleculeError> {
    let counts = lines.get(3).ok_or_else(|| no_block(lines))?;
    let count = |columns| counts.number(columns).and_then(|count| usize::try_from(count).ok());
    let (Some(atoms), Some(bonds)) = (count(0..3), count(3..6)) else {
        return Err(counts.error("this line does not count atoms and bonds"));
    };
    let mut sketch = Sketch::default();
    if lines.len() < 4 + atoms + bonds {
        return Err(counts.error("the block ends before its last atom or bond"));
    }
    for line in &lines[4..4 + atoms] {
        sketch.atoms.push(atom_v2000(line)?);
    }
    for line in &lines[4 + atoms..4 + atoms + bonds] {
        let numbers = [line.number(0..3), line.number(3..6), line.number(6..9)];
        sketch.bonds.push(bond(line, numbers, atoms)?);
    }
    properties(&mut sketch, &lines[4 + atoms + bonds..])?;
    let given = lines[4..4 + atoms].iter().map(|line| line.number(48..51).filter(|&valence| valence != 0));
    valences(&mut sketch, given);
    Ok(sketch)
}

fn atom_v2000(line: &MolLine<'_>) -> Result<SketchAtom, MoleculeError> {
    let mut atom = atom(line, line.columns(31..34))?;
    match line.number(36..39).unwrap_or(0) {
        0 => {}
        4 => atom.radicals = 1,
        code @ 1..=7 => atom.charge = 4 - code as i8,
        _ => return Err(line.error("the code of a charge is from 0 to 7")),
    }
    Ok(atom)
}

fn atom(line: &MolLine<'_>, symbol: &str) -> Result<SketchAtom, MoleculeError> {
    let element = match symbol {
        "R" | "R#" | "A" | "Q" | "*" => Some(Element::ANY),
        _ => Element::find(symbol),
    };
    let element = element.ok_or_else(|| line.error(format!("there is no element `{symbol}`")))?;
    let isotope = match symbol {
        "D" => 2,
        "T" => 3,
        _ => 0,
    };
    let hydrogens = (element == Element::ANY).then_some(0);
    let place = line.place.clone();
    Ok(SketchAtom { element, isotope, hydrogens, place, ..SketchAtom::default() })
}

fn bond(line: &MolLine<'_>, numbers: [Option<i32>; 3], atoms: usize) -> Result<SketchBond, MoleculeError> {
    let [Some(a), Some(b), Some(kind)] = numbers else {
        return Err(line.error("a bond has two atoms and an order"));
    };
    let end = |number: i32| usize::try_from(number).ok().filter(|number| (1..=atoms).contains(number));
    let (Some(a), Some(b)) = (end(a), end(b)) else {
        return Err(line.error(format!("the atoms of a bond are from 1 to {atoms}")));
    };
    if a == b {
        return Err(line.error("a bond joins two different atoms"));
    }
    let order = match kind {
        1 => Some(BondOrder::Single),
        2 => Some(BondOrder::Double),
        3 => Some(BondOrder::Triple),
        4 => None,
        _ => return Err(line.error(format!("bonds of kind {kind} are not known"))),
    };
    Ok(SketchBond { atoms: [a - 1, b - 1], order, directed: false })
}

/// The lines `M  CHG`, `M  RAD` and `M  ISO`: how many, then pairs of atom and value.
fn properties(sketch: &mut Sketch, lines: &[MolLine<'_>]) -> Result<(), MoleculeError> {
    let mut told = false;
    for line in lines.iter().take_while(|line| !line.text.starts_with("M  END")) {
        let Some(kind @ ("CHG" | "RAD" | "ISO")) =
            line.text.strip_prefix("M  ").and_then(|rest| rest.get(..3))
        else {
            continue;
        };
        if kind != "ISO" && !std::mem::replace(&mut told, true) {
            sketch.atoms.iter_mut().for_each(|atom| (atom.charge, atom.radicals) = (0, 0));
        }
        let mut numbers = line.text[6..].split_whitespace().skip(1).map(str::parse::<i32>);
        while let Some(number) = numbers.next() {
            let (Ok(atom), Some(Ok(value))) = (number, numbers.next()) else {
                return Err(line.error("after the count stand pairs of an atom and a number"));
            };
            set(sketch, atom, kind, value)
                .ok_or_else(|| line.error("an atom or a number is out of range"))?;
        }
    }
    mark_aromatic(sketch);
    Ok(())
}

fn set(sketch: &mut Sketch, atom: i32, kind: &str, value: i32) -> Option<()> {
    let atom = sketch.atoms.get_mut(usize::try_from(atom).ok()?.checked_sub(1)?)?;
    match kind {
        "CHG" => atom.charge = i8::try_from(value).ok().filter(|charge| charge.abs() <= 15)?,
        "ISO" | "MASS" => atom.isotope = value.try_into().ok()?,
        // Singlet, doublet, triplet.
        _ => atom.radicals = [0, 2, 1, 2].get(usize::try_from(value).ok()?).copied()?,
    }
    Some(())
}

fn mark_aromatic(sketch: &mut Sketch) {
    for bond in sketch.bonds.iter().filter(|bond| bond.order.is_none()) {
        bond.atoms.iter().for_each(|&atom| sketch.atoms[atom].aromatic = true);
    }
}

/// Valences that are given tell the hydrogens; 15, or −1 in V3000, stands for 0.
fn valences(sketch: &mut Sketch, given: impl Iterator<Item = Option<i32>>) {
    for (place, valence) in given.enumerate() {
        let Some(valence) = valence else { continue };
        let valence = if valence == 15 || valence < 0 { 0 } else { valence };
        let own = sketch.bonds.iter().filter(|bond| bond.atoms.contains(&place));
        let bonds = own.map(SketchBond::twice).sum::<i32>() / 2;
        sketch.atoms[place].hydrogens = Some((valence - bonds).clamp(0, 9) as u8);
    }
}

fn v3000(lines: &[MolLine<'_>]) -> Result<Sketch, MoleculeError> {
    let mut sketch = Sketch::default();
    let (mut numbers, mut given): (Vec<i32>, Vec<Option<i32>>) = (Vec::new(), Vec::new());
    let mut block = "";
    for line in lines.iter().filter(|line| line.text.starts_with("M  V30 ")) {
        if line.text.trim_end().ends_with('-') {
            return Err(line.error("lines that go on in the next are not known"));
        }
        let words: Vec<&str> = line.text[7..].split_whitespace().collect();
        match (words.as_slice(), block) {
            (["BEGIN", name, ..], _) => block = if matches!(*name, "ATOM" | "BOND") { name } else { "" },
            (["END", ..], _) => block = "",
            ([number, symbol, _, _, _, rest @ ..], "ATOM") => {
                let number = number.parse().map_err(|_| line.error("an atom begins with its number"))?;
                numbers.push(number);
                sketch.atoms.push(atom(line, symbol)?);
                atom_properties(&mut sketch, rest, line)?;
                given.push(rest.iter().find_map(|word| word.strip_prefix("VAL=")?.parse().ok()));
            }
            ([_, kind, a, b, ..], "BOND") => {
                let place = |text: &str| {
                    let number = text.parse().ok()?;
                    Some(numbers.iter().position(|&other| other == number)? as i32 + 1)
                };
                let bond = bond(line, [place(a), place(b), kind.parse().ok()], sketch.atoms.len())?;
                sketch.bonds.push(bond);
            }
            (_, "ATOM" | "BOND") => return Err(line.error("this line is too short")),
            _ => {}
        }
    }
    if sketch.atoms.is_empty() {
        return Err(no_block(lines));
    }
    mark_aromatic(&mut sketch);
    valences(&mut sketch, given.into_iter());
    Ok(sketch)
}

fn atom_properties(sketch: &mut Sketch, words: &[&str], line: &MolLine<'_>) -> Result<(), MoleculeError> {
    let atom = sketch.atoms.len() as i32;
    for (name, value) in words.iter().filter_map(|word| word.split_once('=')) {
        if let "CHG" | "RAD" | "MASS" = name {
            let value = value.parse().ok();
            let done = value.and_then(|value| set(sketch, atom, name, value));
            done.ok_or_else(|| line.error(format!("the number of {name} is out of range")))?;
        }
    }
    Ok(())
}
