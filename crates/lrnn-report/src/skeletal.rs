//! Skeletal formulas: a molecule as strokes, labels and halos. Carbon atoms are corners, other elements letters in
//! their colours with the hydrogens they carry and their charges; double bonds have their second line inside rings;
//! contributions are halos on atoms and bonds, and a substructure has a band behind it.

use lrnn_chem::{Atom, BondOrder, Element, Molecule, Point};
use serde::Serialize;

use crate::axis::extent;
use crate::colour::{diverging, hex};
use crate::escape::{number, xml};
use crate::svg::Svg;

/// A line of a formula, in lengths of a bond.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Stroke {
    /// Its beginning, x and y.
    pub from: [f64; 2],
    /// Its end.
    pub to: [f64; 2],
    /// True for the second line of an aromatic bond without a Kekulé structure.
    pub dashed: bool,
}

/// Letters of a formula.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Letters {
    /// Middle, left or right end of the base line, in lengths of a bond.
    pub at: [f64; 2],
    /// `middle`, `start` or `end`.
    pub anchor: &'static str,
    /// The text: a symbol, hydrogens, a number or a charge.
    pub text: String,
    /// True for numbers and charges.
    pub small: bool,
    /// Symbol of the element that gives the colour.
    pub element: &'static str,
}

/// A contribution in a formula: of an atom, or of a bond, which has two ends.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Halo {
    /// The place of the atom, or both ends of the bond.
    pub at: Vec<[f64; 2]>,
    /// The contribution; `None` if nothing is known of it.
    pub amount: Option<f64>,
    /// True if it is part of a substructure that is marked.
    pub marked: bool,
    /// The name: `atom 7, N` or `bond 3=4`.
    pub name: String,
}

/// A molecule as a picture, in lengths of a bond.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct SkeletalFormula {
    /// Width and height.
    pub size: [f64; 2],
    /// The atoms that have letters or contributions, and all others, in the order of the molecule.
    pub atoms: Vec<Halo>,
    /// The bonds in the order of the molecule.
    pub bonds: Vec<Halo>,
    /// Lines.
    pub strokes: Vec<Stroke>,
    /// Letters.
    pub letters: Vec<Letters>,
}

/// Distance of the lines of a double bond.
const BETWEEN: f64 = 0.17;
/// Height of letters.
const LETTER: f64 = 0.46;
const SMALL: f64 = 0.32;
/// Room around the formula.
const MARGIN: f64 = 0.75;

impl SkeletalFormula {
    /// Draws a molecule as its layout places it.
    pub fn new(molecule: &Molecule) -> Self {
        let places = molecule.layout();
        if places.is_empty() {
            return Self::default();
        }
        let [(left, right), (top, bottom)] =
            [|at: &Point| at.x, |at: &Point| at.y].map(|of| extent(places.iter().map(of)));
        let (left, top) = (left - MARGIN, top - MARGIN);
        let size = [right - left + MARGIN, bottom - top + MARGIN];
        let places: Vec<[f64; 2]> = places.iter().map(|at| rounded([at.x - left, at.y - top])).collect();
        let size = rounded(size);
        Drawing { molecule, places }.formula(size)
    }

    /// Adds what atoms and bonds contribute, in the order of the molecule.
    pub fn with_contributions(mut self, atoms: &[f64], bonds: &[f64]) -> Self {
        let all = self.atoms.iter_mut().zip(atoms).chain(self.bonds.iter_mut().zip(bonds));
        all.for_each(|(halo, &amount)| halo.amount = Some(amount));
        self
    }

    /// Marks a substructure: some atoms, and the bonds among them that `bonds` names.
    pub fn with_marks(mut self, atoms: &[usize], bonds: &[usize]) -> Self {
        for (at, halo) in self.atoms.iter_mut().enumerate() {
            halo.marked |= atoms.contains(&at);
        }
        for (at, halo) in self.bonds.iter_mut().enumerate() {
            halo.marked |= bonds.contains(&at);
        }
        self
    }

    /// Returns the largest contribution without its sign, or what is as good as none.
    pub(crate) fn most(&self) -> f64 {
        let all = self.atoms.iter().chain(&self.bonds);
        all.filter_map(|halo| halo.amount).map(f64::abs).fold(1e-12, f64::max)
    }
}

struct Drawing<'a> {
    molecule: &'a Molecule,
    places: Vec<[f64; 2]>,
}

/// Returns a place as finely as a screen can tell.
fn rounded(at: [f64; 2]) -> [f64; 2] {
    at.map(|number| (number * 1000.0).round() / 1000.0)
}

fn plus(a: [f64; 2], b: [f64; 2], factor: f64) -> [f64; 2] {
    rounded([a[0] + b[0] * factor, a[1] + b[1] * factor])
}

fn way(from: [f64; 2], to: [f64; 2]) -> [f64; 2] {
    let by = [to[0] - from[0], to[1] - from[1]];
    let length = by[0].hypot(by[1]).max(1e-9);
    [by[0] / length, by[1] / length]
}

impl Drawing<'_> {
    fn formula(&self, size: [f64; 2]) -> SkeletalFormula {
        let atom = |(at, atom): (usize, &Atom)| {
            let name = format!("atom {}, {}", at + 1, atom.element.symbol());
            Halo { at: vec![self.places[at]], amount: None, marked: false, name }
        };
        let bond = |bond: &lrnn_chem::Bond| {
            let at = bond.atoms.map(|atom| self.places[atom]).to_vec();
            Halo { at, amount: None, marked: false, name: bond_name(self.molecule, bond) }
        };
        let mut formula = SkeletalFormula {
            size,
            atoms: self.molecule.atoms.iter().enumerate().map(atom).collect(),
            bonds: self.molecule.bonds.iter().map(bond).collect(),
            strokes: Vec::new(),
            letters: Vec::new(),
        };
        (0..self.molecule.bonds.len()).for_each(|bond| self.strokes(bond, &mut formula.strokes));
        (0..self.molecule.atoms.len()).for_each(|atom| self.letters(atom, &mut formula.letters));
        formula
    }

    /// Tells whether an atom is written with letters: all but carbon that is a corner or an end.
    fn has_letters(&self, atom: usize) -> bool {
        let it = &self.molecule.atoms[atom];
        let plain = it.element.symbol() == "C" && it.charge == 0 && it.isotope == 0 && it.radicals == 0;
        !plain || self.molecule.neighbours(atom).is_empty()
    }

    fn strokes(&self, bond: usize, strokes: &mut Vec<Stroke>) {
        let it = &self.molecule.bonds[bond];
        let [from, to] = it.atoms.map(|atom| self.places[atom]);
        let along = way(from, to);
        let across = [-along[1], along[0]];
        let [start, end] =
            it.atoms.map(|atom| if self.has_letters(atom) { self.room(atom, along) } else { 0.0 });
        let open = it.aromatic && it.order == BondOrder::Single && !self.has_kekule(bond);
        let inner = || self.inner_side(bond, across) * BETWEEN;
        let beside =
            |sides: &[f64], apart: f64| sides.iter().map(|side| (side * apart, 0.0, false)).collect();
        // The side of each line, how much shorter it is, and whether it is dashed.
        let lines: Vec<(f64, f64, bool)> = match it.order {
            BondOrder::Single if open => vec![(0.0, 0.0, false), (inner(), 0.14, true)],
            BondOrder::Single => vec![(0.0, 0.0, false)],
            BondOrder::Double if self.is_symmetric(bond) => beside(&[-0.5, 0.5], BETWEEN * 0.9),
            BondOrder::Double => vec![(0.0, 0.0, false), (inner(), 0.14, false)],
            BondOrder::Triple => beside(&[-1.0, 0.0, 1.0], 0.14),
            BondOrder::Quadruple => beside(&[-1.5, -0.5, 0.5, 1.5], 0.11),
        };
        for (side, cut, dashed) in lines {
            let from = plus(plus(from, across, side), along, start.max(cut));
            let to = plus(plus(to, across, side), along, -end.max(cut));
            strokes.push(Stroke { from, to, dashed });
        }
    }

    /// Tells whether the aromatic bonds around have double bonds among them.
    fn has_kekule(&self, bond: usize) -> bool {
        let ends = self.molecule.bonds[bond].atoms;
        let of = |atom: usize| self.molecule.neighbours(atom).iter().map(|near| &self.molecule.bonds[near.1]);
        ends.iter().any(|&end| of(end).any(|near| near.order == BondOrder::Double))
    }

    /// Returns how much of a bond the letters of an atom cover, about.
    fn room(&self, atom: usize, along: [f64; 2]) -> f64 {
        let half = letters_width(self.molecule.atoms[atom].element.symbol(), LETTER) / 2.0;
        // The box of the symbol: as wide as its letters, and a little higher than a capital.
        let (x, y) = (along[0].abs().max(1e-9), along[1].abs().max(1e-9));
        ((half + 0.05) / x).min(0.27 / y)
    }

    /// Tells whether both lines of a double bond stand beside its axis: at an end, where no side is inner.
    fn is_symmetric(&self, bond: usize) -> bool {
        let it = &self.molecule.bonds[bond];
        let in_ring = self.molecule.rings.iter().any(|ring| ring.bonds.contains(&bond));
        let degree = |atom: usize| self.molecule.neighbours(atom).len();
        !in_ring
            && (it.atoms.iter().any(|&atom| degree(atom) == 1)
                || it.atoms.iter().all(|&atom| degree(atom) > 2))
    }

    /// Returns the side of the second line: into the ring, an aromatic or a small one first, else to the more
    /// neighbours.
    fn inner_side(&self, bond: usize, across: [f64; 2]) -> f64 {
        let it = &self.molecule.bonds[bond];
        let middle = plus(self.places[it.atoms[0]], self.places[it.atoms[1]], 1.0).map(|sum| sum / 2.0);
        let side = |at: [f64; 2]| (at[0] - middle[0]) * across[0] + (at[1] - middle[1]) * across[1];
        let rings = self.molecule.rings.iter().filter(|ring| ring.bonds.contains(&bond));
        let doubles = |ring: &lrnn_chem::Ring| {
            let double = |bond: &&usize| self.molecule.bonds[**bond].order == BondOrder::Double;
            ring.bonds.iter().filter(double).count()
        };
        let is_aromatic =
            |ring: &lrnn_chem::Ring| ring.bonds.iter().all(|&bond| self.molecule.bonds[bond].aromatic);
        let key = |ring: &lrnn_chem::Ring| (is_aromatic(ring), doubles(ring), usize::MAX - ring.atoms.len());
        let towards: f64 = match rings.max_by_key(|ring| key(ring)) {
            Some(ring) => ring.atoms.iter().map(|&atom| side(self.places[atom])).sum(),
            None => {
                let around = it.atoms.iter().flat_map(|&atom| self.molecule.neighbours(atom));
                around.map(|&(atom, _)| side(self.places[atom]).clamp(-1.0, 1.0)).sum()
            }
        };
        if towards < 0.0 { -1.0 } else { 1.0 }
    }

    fn letters(&self, atom: usize, letters: &mut Vec<Letters>) {
        if !self.has_letters(atom) {
            return;
        }
        let it = &self.molecule.atoms[atom];
        let symbol = if it.element == Element::ANY { "*" } else { it.element.symbol() };
        let [x, y] = self.places[atom];
        let base = y + 0.36 * LETTER;
        let mut write = |x: f64, y: f64, anchor: &'static str, text: String, small: bool| {
            letters.push(Letters { at: rounded([x, y]), anchor, text, small, element: it.element.symbol() });
        };
        write(x, base, "middle", symbol.to_owned(), false);
        let half = letters_width(symbol, LETTER) / 2.0;
        let mut right = x + half;
        let count = if it.hydrogens > 1 { it.hydrogens.to_string() } else { String::new() };
        let (wide, narrow) = (letters_width("H", LETTER), letters_width(&count, SMALL));
        if it.hydrogens > 0 {
            let isotope = if it.isotope > 0 { letters_width(&it.isotope.to_string(), SMALL) } else { 0.0 };
            // Where the letter H begins, and its base line.
            let (from, line) = match self.hydrogen_side(atom) {
                LabelSide::Right => (right, base),
                LabelSide::Left => (x - half - isotope - narrow - wide, base),
                LabelSide::Above => (x - wide / 2.0, base - 0.4),
                LabelSide::Below => (x - wide / 2.0, base + 0.4),
            };
            write(from, line, "start", "H".into(), false);
            if it.hydrogens > 1 {
                write(from + wide, line + 0.1, "start", count, true);
            }
            if from == right {
                right += wide + narrow;
            }
        }
        if it.isotope > 0 {
            write(x - half, base - 0.2, "end", it.isotope.to_string(), true);
        }
        let charge = charge_text(it.charge) + &"•".repeat(usize::from(it.radicals));
        if !charge.is_empty() {
            // Behind hydrogens, or in a corner of the symbol that no bond comes through.
            let is_behind = right > x + half;
            let is_left_free = it.isotope == 0 && (it.hydrogens == 0 || is_behind);
            let [to_right, down] = if is_behind { [1.0, -1.0] } else { self.free_corner(atom, is_left_free) };
            let line = if down < 0.0 { base - 0.22 } else { base + 0.14 };
            match to_right > 0.0 {
                true => write(right, line, "start", charge, true),
                false => write(x - half, line, "end", charge, true),
            }
        }
    }

    /// Returns the corner of a symbol, right or left and below or above, that is farthest from bonds: above on the right
    /// where that is free.
    fn free_corner(&self, atom: usize, is_left_free: bool) -> [f64; 2] {
        let ways = self.ways(atom);
        let crowd = |[right, down]: [f64; 2], cost: f64| {
            let near = ways.iter().map(|way| way[0] * right * 0.8 + way[1] * down * 0.6);
            near.fold(-1.0, f64::max).max(0.6) + cost
        };
        let corners = [([1.0, -1.0], 0.0), ([-1.0, -1.0], 0.05), ([1.0, 1.0], 0.1), ([-1.0, 1.0], 0.15)];
        let free = corners.into_iter().filter(|(corner, _)| corner[0] > 0.0 || is_left_free);
        let best = free.min_by(|a, b| crowd(a.0, a.1).total_cmp(&crowd(b.0, b.1)));
        best.map_or([1.0, -1.0], |(corner, _)| corner)
    }

    /// Returns the side of hydrogens, which has most room between the bonds: right first, then left, above, below.
    fn hydrogen_side(&self, atom: usize) -> LabelSide {
        let alone = ["O", "S", "F", "Cl", "Br", "I"].contains(&self.molecule.atoms[atom].element.symbol());
        let ways = self.ways(atom);
        if ways.is_empty() {
            return if alone { LabelSide::Left } else { LabelSide::Right };
        }
        // How near the nearest bond is to a side; letters beside each other are read best.
        let sides = [
            (LabelSide::Right, [1.0, 0.0], 0.0),
            (LabelSide::Left, [-1.0, 0.0], 0.05),
            (LabelSide::Above, [0.0, -1.0], 0.25),
            (LabelSide::Below, [0.0, 1.0], 0.3),
        ];
        let crowd = |(_, to, cost): &(LabelSide, [f64; 2], f64)| {
            ways.iter().map(|way| way[0] * to[0] + way[1] * to[1]).fold(-1.0, f64::max).max(-0.2) + cost
        };
        let best = sides.into_iter().min_by(|a, b| crowd(a).total_cmp(&crowd(b)));
        best.map_or(LabelSide::Right, |(side, ..)| side)
    }

    /// Returns the ways from an atom to its neighbours, of length 1.
    fn ways(&self, atom: usize) -> Vec<[f64; 2]> {
        let around = self.molecule.neighbours(atom).iter();
        around.map(|&(other, _)| way(self.places[atom], self.places[other])).collect()
    }
}

/// The side of an element's symbol that its hydrogens stand on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LabelSide {
    Right,
    Left,
    Above,
    Below,
}

/// Returns the name of a bond: its atoms by position and element, with a sign for its order.
pub fn bond_name(molecule: &Molecule, bond: &lrnn_chem::Bond) -> String {
    let sign = match bond.name() {
        "1" => "-",
        "2" => "=",
        "3" => "#",
        "4" => "$",
        _ => ":",
    };
    let [a, b] = bond.atoms.map(|atom| format!("{}{}", molecule.atoms[atom].element.symbol(), atom + 1));
    format!("bond {a}{sign}{b}")
}

fn charge_text(charge: i8) -> String {
    match (charge, charge.unsigned_abs()) {
        (0, _) => String::new(),
        (1, _) => "+".into(),
        (-1, _) => "\u{2212}".into(),
        (charge, size) if charge > 0 => format!("{size}+"),
        (_, size) => format!("{size}\u{2212}"),
    }
}

/// Returns the width of letters, about as common fonts have it.
fn letters_width(text: &str, height: f64) -> f64 {
    let width = |letter: char| match letter {
        'I' | 'i' | 'l' | 'j' | 'r' | 't' | 'f' => 0.34,
        'M' | 'W' | 'm' | 'w' => 0.9,
        letter if letter.is_ascii_uppercase() => 0.74,
        _ => 0.6,
    };
    height * text.chars().map(width).sum::<f64>()
}

/// Returns the class of an element's letters: the common ones have a colour.
fn element_class(symbol: &str) -> String {
    let class = match symbol {
        "N" | "O" | "S" | "P" | "F" | "Cl" | "Br" | "I" => symbol,
        "B" | "Si" | "Se" => "b",
        _ => "c",
    };
    format!("el-{}", class.to_lowercase())
}

/// The length of a bond on a page of its own.
const EDGE: f64 = 34.0;
const TOP: f64 = 44.0;

/// Returns the picture of a molecule; `notes` are told below it.
pub fn molecule_svg(title: &str, formula: &SkeletalFormula, notes: &[String]) -> String {
    let mut svg = Svg::new(title, 18.0, 90);
    // A title is about nine wide for each letter.
    let title_width = 36.0 + 9.0 * title.chars().count().min(90) as f64;
    let width = (formula.size[0] * EDGE).max(440.0).max(title_width);
    let left = (width - formula.size[0] * EDGE) / 2.0;
    draw_formula(&mut svg, formula, (left, TOP), EDGE, formula.most());
    let below = TOP + formula.size[1] * EDGE;
    svg.notes((18.0, below + 14.0), 120, notes);
    svg.finish(width, below + 14.0 + 16.0 * notes.len() as f64)
}

/// Draws a formula into a picture, with its corner at a place.
pub(crate) fn draw_formula(
    svg: &mut Svg,
    formula: &SkeletalFormula,
    (left, top): (f64, f64),
    edge: f64,
    most: f64,
) {
    let spot = |at: [f64; 2]| (left + at[0] * edge, top + at[1] * edge);
    svg.raw("<g class=\"molecule\">");
    let marked = |halo: &&Halo| halo.marked;
    for halo in formula.bonds.iter().chain(&formula.atoms).filter(marked) {
        draw_halo(svg, halo, &spot, edge, ("#f2b705", 0.5), 0.72);
    }
    for halo in formula.bonds.iter().chain(&formula.atoms) {
        let share = halo.amount.unwrap_or(0.0) / most;
        let fill = hex(diverging(share.signum()));
        draw_halo(svg, halo, &spot, edge, (&fill, share.abs().min(1.0) * 0.6), 0.5);
    }
    for stroke in &formula.strokes {
        let ((x1, y1), (x2, y2)) = (spot(stroke.from), spot(stroke.to));
        let dash = if stroke.dashed { " stroke-dasharray=\"3 2.5\"" } else { "" };
        svg.raw(&format!(
            "<line class=\"bond\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" \
             stroke-width=\"{:.2}\" stroke-linecap=\"round\"{dash}/>",
            edge * 0.045
        ));
    }
    for letters in &formula.letters {
        let (x, y) = spot(letters.at);
        let size = edge * if letters.small { SMALL } else { LETTER };
        svg.raw(&format!(
            "<text class=\"{}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{}\" font-size=\"{size:.1}\" \
             style=\"font-size: {size:.1}px\">{}</text>",
            element_class(letters.element),
            letters.anchor,
            xml(&letters.text)
        ));
    }
    svg.raw("</g>");
}

/// Draws a halo: a disc on an atom, a band on a bond.
fn draw_halo(
    svg: &mut Svg,
    halo: &Halo,
    spot: &impl Fn([f64; 2]) -> (f64, f64),
    edge: f64,
    (fill, opacity): (&str, f64),
    size: f64,
) {
    let amount = halo.amount.map_or(String::new(), |amount| format!(" data-amount=\"{amount}\""));
    let told = halo.amount.map_or(String::new(), |amount| format!(": {}", number(amount)));
    let title = format!("<title>{}{told}</title>", xml(&halo.name));
    match halo.at.as_slice() {
        [at] => {
            let (x, y) = spot(*at);
            let radius = size * 0.62 * edge;
            svg.raw(&format!(
                "<circle class=\"halo\"{amount} cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{fill}\" \
                 fill-opacity=\"{opacity:.3}\">{title}</circle>"
            ));
        }
        [from, to, ..] => {
            let ((x1, y1), (x2, y2)) = (spot(*from), spot(*to));
            svg.raw(&format!(
                "<line class=\"halo\"{amount} x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{fill}\" \
                 stroke-opacity=\"{opacity:.3}\" stroke-width=\"{:.1}\" stroke-linecap=\"round\">{title}</line>",
                size * 0.5 * edge
            ));
        }
        [] => {}
    }
}
