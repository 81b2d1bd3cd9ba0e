//! The atoms of a model with their values, or as a semiring reads them: tables for people and spreadsheets.

use lrnn::diagnostic::{Error, ErrorKind};
use lrnn::network::NeuronCounts;
use lrnn::program::{AtomReading, AtomValue, Cycles, ExampleAtoms, ReadValue, Semiring};
use lrnn::train::Unentailed;
use lrnn::{Dataset, Value};
use serde::Serialize;

use crate::table::{TextTable, columns};

/// The atoms of examples that were asked for.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AtomList {
    /// Those of the model.
    pub atoms: Vec<AtomValue>,
    /// Those outside the model.
    pub unentailed: Vec<OutsideAtom>,
    /// The neurons of all networks.
    pub neurons: NeuronCounts,
    /// Number of examples.
    pub examples: usize,
    /// The name of the family.
    pub family: &'static str,
    /// The cycles of the networks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<Cycles>,
    /// The names of the examples.
    #[serde(skip)]
    pub names: Vec<String>,
}

/// An atom outside the model, with the value it counts as.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OutsideAtom {
    /// The number of the example.
    pub example: usize,
    /// The atom.
    pub atom: String,
    /// Its value; none where such atoms are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}

impl AtomList {
    /// Joins the atoms of all examples; refuses to where there is none, or one outside the model that must not be.
    pub fn new(
        dataset: &Dataset,
        found: Vec<ExampleAtoms>,
        unentailed: Unentailed,
        family: &'static str,
    ) -> Result<Self, Error> {
        let value = match unentailed {
            Unentailed::Value(value) => Some(value),
            Unentailed::Skip | Unentailed::Error => None,
        };
        let mut list = Self {
            atoms: Vec::new(),
            unentailed: Vec::new(),
            neurons: found.iter().fold(NeuronCounts::default(), |sum, found| sum.plus(found.neurons)),
            examples: found.len(),
            family,
            cycles: Cycles::together(found.iter().filter_map(|found| found.cycles.as_ref())),
            names: (0..found.len()).map(|example| dataset.example_name(example)).collect(),
        };
        for (example, found) in found.into_iter().enumerate() {
            list.atoms.extend(found.atoms);
            let outside = found.outside.into_iter();
            list.unentailed.extend(outside.map(|atom| OutsideAtom { example, atom, value }));
        }
        if !list.unentailed.is_empty() && unentailed == Unentailed::Error {
            let count = list.unentailed.len();
            let are = if count == 1 { "query is" } else { "queries are" };
            let message = format!("{count} {are} not in the model: {}", list.outside_text());
            let help = "`--unentailed skip` leaves them out, `--unentailed 0` takes them for 0";
            return Err(Error::new(ErrorKind::Content, message).help(help));
        }
        match (&list.atoms[..], &list.unentailed[..]) {
            ([], []) => Err(no_atom("no atom of the model matches what is asked for")),
            ([], _) => Err(no_atom(&format!("not in the model: {}", list.outside_text()))),
            _ => Ok(list),
        }
    }

    /// Returns the table for people.
    pub fn text(&self) -> String {
        let atoms = self.atoms.iter();
        atom_table(&self.names, atoms.map(|atom| (atom.example, &atom.atom, atom.value.to_string())))
    }

    /// Returns a line of CSV for each atom; numbers are exact, and vectors and matrices written as in JSON.
    pub fn csv(&self) -> String {
        let mut table = TextTable::new(["example", "atom", "value", "in_model"]);
        let mut outside = self.unentailed.iter().filter(|atom| atom.value.is_some()).peekable();
        let mut atoms = self.atoms.iter().peekable();
        for (example, name) in self.names.iter().enumerate() {
            while let Some(atom) = atoms.next_if(|atom| atom.example == example) {
                let value = serde_json::to_string(&atom.value).unwrap_or_default();
                table.row([name, &atom.atom, &value, "true"]);
            }
            while let Some(atom) = outside.next_if(|atom| atom.example == example) {
                let value = atom.value.map_or_else(String::new, |value| format!("{value:?}"));
                table.row([name, &atom.atom, &value, "false"]);
            }
        }
        table.csv()
    }

    /// Returns what to say of the atoms outside the model, if there are some.
    pub fn outside_sentence(&self) -> Option<String> {
        let first = self.unentailed.first()?;
        let value = first.value.map_or(String::new(), |value| format!(", and count as {value}"));
        let (count, listed) = (self.unentailed.len(), self.outside_text());
        Some(format!("{count} asked for but not in the model{value}: {listed}"))
    }

    /// Returns the first atoms outside the model.
    fn outside_text(&self) -> String {
        const MOST: usize = 5;
        let first: Vec<&str> = self.unentailed.iter().take(MOST).map(|outside| &*outside.atom).collect();
        format!("{}{}", first.join(", "), if self.unentailed.len() > MOST { ", ..." } else { "" })
    }
}

/// Returns a table of atoms with their values; the examples that they are of are named where there are several.
fn atom_table<'a>(names: &[String], atoms: impl Iterator<Item = (usize, &'a String, String)>) -> String {
    let many = names.len() > 1;
    let row = |(example, atom, value): (usize, &String, String)| {
        let name = many.then(|| names[example].clone());
        name.into_iter().chain([atom.clone(), value]).collect()
    };
    let rows: Vec<Vec<String>> = atoms.map(row).collect();
    columns(if many { &["example", "atom", "value"] } else { &["atom", "value"] }, &rows)
}

fn no_atom(message: &str) -> Error {
    let help = "`lrnn query` without an atom prints all that follows from template and data";
    Error::new(ErrorKind::Content, message).help(help)
}

/// The atoms of examples as a semiring reads them.
#[derive(Clone, Debug, Serialize)]
pub struct AtomReadings {
    /// The semiring.
    pub semiring: Semiring,
    /// The atoms.
    pub atoms: Vec<AtomReading>,
    /// The names of the examples.
    #[serde(skip)]
    pub names: Vec<String>,
}

impl AtomReadings {
    /// Keeps the atoms that were asked for; refuses to where there is none.
    pub fn new(dataset: &Dataset, semiring: Semiring, atoms: Vec<AtomReading>) -> Result<Self, Error> {
        if atoms.is_empty() {
            return Err(no_atom("no atom of the model matches what is asked for"));
        }
        let names = (0..dataset.examples.len()).map(|example| dataset.example_name(example)).collect();
        Ok(Self { semiring, atoms, names })
    }

    /// Returns the table for people, and the steps of proofs; examples are named where there are several.
    pub fn text(&self) -> String {
        let many = self.names.len() > 1;
        let value = |atom: &AtomReading| match atom.value {
            ReadValue::Number(number) => Value::from(number).to_string(),
            ref other => other.to_string(),
        };
        let row = |atom| {
            let &AtomReading { example, exact, atom: ref name, .. } = atom;
            (example, name, format!("{}{}", value(atom), if exact { "" } else { " (not exact)" }))
        };
        let mut text = atom_table(&self.names, self.atoms.iter().map(row));
        for atom in self.atoms.iter().filter(|atom| !atom.proof.is_empty()) {
            let steps = atom.proof.iter().map(|step| format!("  {} :: {}\n", step.weight, step.clause));
            let place = if many { format!("{}: ", self.names[atom.example]) } else { String::new() };
            text += &format!("\n{place}{} by\n{}", atom.atom, steps.collect::<String>());
        }
        text
    }

    /// Returns a line of CSV for each atom.
    pub fn csv(&self) -> String {
        let mut table = TextTable::new(["example", "atom", "value", "exact"]);
        for atom in &self.atoms {
            let name = &self.names[atom.example];
            table.row([name, &atom.atom, &atom.value.to_string(), &atom.exact.to_string()]);
        }
        table.csv()
    }

    /// Returns a note where some values are not exact.
    pub fn note(&self) -> Option<&'static str> {
        let note =
            "where proofs share facts or rules, probabilities take them for independent: these are not exact";
        self.atoms.iter().any(|atom| !atom.exact).then_some(note)
    }
}
