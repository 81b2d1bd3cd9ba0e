//! SMILES: one letter after the other, each production a small function.

use std::ops::Range;

use crate::Element;
use crate::molecule::{BondOrder, Molecule, MoleculeError};
use crate::sketch::{Sketch, SketchAtom, SketchBond};

impl Molecule {
    /// Reads a SMILES. Aromaticity is perceived anew, as RDKit does by default; marks of stereochemistry are read and
    /// left out.
    pub fn from_smiles(text: &str) -> Result<Self, MoleculeError> {
        let mut reader = SmilesReader { text, at: 0, sketch: Sketch::default(), open: Vec::new() };
        reader.read()?;
        reader.sketch.molecule()
    }
}

/// A bond sign before an atom or a ring number.
#[derive(Clone, Copy, Default)]
struct BondSign {
    /// None where nothing is written, and within that none for an aromatic one.
    order: Option<Option<BondOrder>>,
    directed: bool,
}

/// A ring that is not closed yet.
struct OpenRing {
    number: u32,
    atom: usize,
    sign: BondSign,
    place: Range<usize>,
}

struct SmilesReader<'a> {
    text: &'a str,
    at: usize,
    sketch: Sketch,
    open: Vec<OpenRing>,
}

impl SmilesReader<'_> {
    fn read(&mut self) -> Result<(), MoleculeError> {
        let mut last: Option<usize> = None;
        let mut branches: Vec<(Option<usize>, Range<usize>)> = Vec::new();
        while let Some(letter) = self.peek() {
            let start = self.at;
            match letter {
                '(' if last.is_none() => return Err(self.error_here("a branch needs an atom before it")),
                '(' => {
                    self.at += 1;
                    branches.push((last, start..self.at));
                }
                ')' => {
                    let closed = branches.pop();
                    let Some((before, _)) = closed else {
                        return Err(self.error_here("`)` closes no branch"));
                    };
                    self.at += 1;
                    last = before;
                }
                '.' => {
                    self.at += 1;
                    last = None;
                    if let Some((_, place)) = branches.last() {
                        return Err(MoleculeError::new("a branch is not closed before `.`", place.clone()));
                    }
                }
                _ => last = Some(self.bond_and_what_follows(last)?),
            }
        }
        if let Some((_, place)) = branches.pop() {
            return Err(MoleculeError::new("a branch is not closed", place));
        }
        if let Some(ring) = self.open.first() {
            let message = format!("ring {} is not closed", ring.number);
            return Err(MoleculeError::new(message, ring.place.clone()));
        }
        match self.sketch.atoms.is_empty() {
            true => Err(MoleculeError::new("there is no atom", 0..self.text.len())),
            false => Ok(()),
        }
    }

    /// A bond, if one is written, and the atom or the end of a ring after it; gives the atom to go on from.
    fn bond_and_what_follows(&mut self, last: Option<usize>) -> Result<usize, MoleculeError> {
        let start = self.at;
        let sign = self.sign()?;
        if let (true, None) = (self.at > start, last) {
            return Err(MoleculeError::new("a bond needs an atom before it", start..self.at));
        }
        if self.peek().is_some_and(|letter| letter.is_ascii_digit() || letter == '%') {
            let Some(atom) = last else {
                return Err(self.error_here("a ring number needs an atom before it"));
            };
            self.ring_end(atom, sign)?;
            return Ok(atom);
        }
        let atom = self.atom()?;
        if let Some(last) = last {
            self.join(last, atom, sign);
        }
        Ok(atom)
    }

    fn sign(&mut self) -> Result<BondSign, MoleculeError> {
        let order = match self.peek() {
            Some('-') => Some(BondOrder::Single),
            Some('=') => Some(BondOrder::Double),
            Some('#') => Some(BondOrder::Triple),
            Some('$') => Some(BondOrder::Quadruple),
            Some(':') => None,
            // A direction is a single bond between any atoms but aromatic ones.
            Some('/' | '\\') => {
                self.at += 1;
                self.take('\\');
                return Ok(BondSign { order: None, directed: true });
            }
            Some('>') if self.text[self.at + 1..].contains('>') => {
                return Err(self.error_here("this is a reaction: give its reactants or its products alone"));
            }
            Some('>' | '<' | '~') => return Err(self.error_here("bonds of this kind are not known")),
            _ => return Ok(BondSign::default()),
        };
        self.at += 1;
        if order == Some(BondOrder::Single) && self.peek() == Some('>') {
            return Err(self.error_here("dative bonds are not known"));
        }
        Ok(BondSign { order: Some(order), directed: false })
    }

    fn join(&mut self, a: usize, b: usize, sign: BondSign) {
        let both = self.sketch.atoms[a].aromatic && self.sketch.atoms[b].aromatic;
        let order = sign.order.unwrap_or((!both).then_some(BondOrder::Single));
        self.sketch.bonds.push(SketchBond { atoms: [a, b], order, directed: sign.directed });
    }

    fn ring_end(&mut self, atom: usize, sign: BondSign) -> Result<(), MoleculeError> {
        let start = self.at;
        let number = self.ring_number()?;
        let place = start..self.at;
        let Some(open) = self.open.iter().position(|ring| ring.number == number) else {
            self.open.push(OpenRing { number, atom, sign, place });
            return Ok(());
        };
        let ring = self.open.remove(open);
        if ring.atom == atom {
            return Err(MoleculeError::new("a ring closes at the atom it opens at", place));
        }
        let twice = |bond: &SketchBond| bond.atoms.contains(&ring.atom) && bond.atoms.contains(&atom);
        if self.sketch.bonds.iter().any(twice) {
            return Err(MoleculeError::new("a ring closes between atoms that have a bond already", place));
        }
        if let (Some(one), Some(two)) = (ring.sign.order, sign.order)
            && one != two
        {
            let message = format!("ring {number} opens and closes with different bonds");
            return Err(MoleculeError::new(message, place));
        }
        let directed = ring.sign.directed || sign.directed;
        self.join(ring.atom, atom, BondSign { order: ring.sign.order.or(sign.order), directed });
        Ok(())
    }

    fn ring_number(&mut self) -> Result<u32, MoleculeError> {
        let percent = self.take('%');
        let parenthesis = percent && self.take('(');
        let digits = match (percent, parenthesis) {
            (false, _) => 1,
            (true, false) => 2,
            (true, true) => 5,
        };
        let start = self.at;
        while self.at - start < digits && self.peek().is_some_and(|letter| letter.is_ascii_digit()) {
            self.at += 1;
        }
        let number = self.text[start..self.at].parse();
        let whole = (parenthesis || self.at - start == digits) && (!parenthesis || self.take(')'));
        match number {
            Ok(number) if whole => Ok(number),
            _ => Err(self.error_here("a ring number is one digit, or `%` and two")),
        }
    }

    fn atom(&mut self) -> Result<usize, MoleculeError> {
        let start = self.at;
        let atom = match self.peek() {
            Some('[') => self.bracket()?,
            Some(_) => self.plain()?,
            None => return Err(self.error_here("an atom is missing at the end")),
        };
        self.sketch.atoms.push(SketchAtom { place: start..self.at, ..atom });
        Ok(self.sketch.atoms.len() - 1)
    }

    /// An atom without brackets, whose valence tells its hydrogens.
    fn plain(&mut self) -> Result<SketchAtom, MoleculeError> {
        const SYMBOLS: [&str; 17] =
            ["Cl", "Br", "B", "C", "N", "O", "P", "S", "F", "I", "b", "c", "n", "o", "p", "s", "*"];
        let rest = &self.text[self.at..];
        let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) else {
            return Err(self.error_here("this is no atom, bond, branch or ring of a SMILES"));
        };
        self.at += symbol.len();
        let (element, aromatic) = element(symbol).unwrap_or((Element::ANY, false));
        let hydrogens = (element == Element::ANY).then_some(0);
        Ok(SketchAtom { element, hydrogens, aromatic, ..SketchAtom::default() })
    }

    /// An atom in brackets: isotope, symbol, chirality, hydrogens, charge, class.
    fn bracket(&mut self) -> Result<SketchAtom, MoleculeError> {
        let start = self.at;
        self.at += 1;
        let isotope = self.number().unwrap_or(0).min(u32::from(u16::MAX)) as u16;
        let (element, aromatic) = self.symbol()?;
        self.chirality();
        let hydrogens = if self.take('H') { self.number().unwrap_or(1).min(9) as u8 } else { 0 };
        let charge = self.charge()?;
        if self.take(':') && self.number().is_none() {
            return Err(self.error_here("the class of an atom is a number"));
        }
        if !self.take(']') {
            return Err(match self.peek() {
                Some(_) => self.error_here("this cannot stand in the brackets of an atom"),
                None => MoleculeError::new("`[` is not closed", start..start + 1),
            });
        }
        let hydrogens = Some(hydrogens);
        Ok(SketchAtom { element, isotope, charge, hydrogens, aromatic, ..SketchAtom::default() })
    }

    fn symbol(&mut self) -> Result<(Element, bool), MoleculeError> {
        let rest = &self.text[self.at..];
        for length in [2, 1] {
            if let Some((symbol, found)) = rest.get(..length).and_then(|text| Some((text, element(text)?))) {
                self.at += symbol.len();
                return Ok(found);
            }
        }
        if self.take('#')
            && let Some(found) = self.number().and_then(|number| Element::of_number(number.try_into().ok()?))
        {
            return Ok((found, false));
        }
        Err(self.error_here("there is no such element"))
    }

    fn chirality(&mut self) {
        if self.take('@') && !self.take('@') {
            let rest = &self.text[self.at..];
            if ["TH", "AL", "SP", "TB", "OH"].iter().any(|kind| rest.starts_with(kind)) {
                self.at += 2;
                self.number();
            }
        }
    }

    fn charge(&mut self) -> Result<i8, MoleculeError> {
        let start = self.at;
        let Some(sign) = self.peek().filter(|sign| matches!(sign, '+' | '-')) else { return Ok(0) };
        let mut count = 0;
        while self.take(sign) {
            count += 1;
        }
        if count == 1 {
            count = self.number().unwrap_or(1);
        }
        match count {
            0..=15 => Ok(if sign == '+' { count as i8 } else { -(count as i8) }),
            _ => Err(MoleculeError::new("a charge is at most 15", start..self.at)),
        }
    }

    fn number(&mut self) -> Option<u32> {
        let start = self.at;
        while self.peek().is_some_and(|letter| letter.is_ascii_digit()) {
            self.at += 1;
        }
        let digits = &self.text[start..self.at];
        (!digits.is_empty()).then(|| digits.parse().unwrap_or(u32::MAX))
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, letter: char) -> bool {
        let is = self.peek() == Some(letter);
        self.at += if is { letter.len_utf8() } else { 0 };
        is
    }

    fn error_here(&self, message: &str) -> MoleculeError {
        let end = self.at + self.peek().map_or(0, char::len_utf8);
        MoleculeError::new(message, self.at..end)
    }
}

/// The element of a symbol, and whether it is written as aromatic.
fn element(symbol: &str) -> Option<(Element, bool)> {
    match symbol {
        "b" | "c" | "n" | "o" | "p" | "s" => Some((Element::find(&symbol.to_uppercase())?, true)),
        "as" => Some((Element::AS, true)),
        "se" => Some((Element::SE, true)),
        "te" => Some((Element::TE, true)),
        "si" => Some((Element::find("Si")?, true)),
        "D" | "T" => None,
        _ => Some((Element::find(symbol)?, false)),
    }
}
