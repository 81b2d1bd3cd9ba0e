//! Types as terms, so that one template serves every set of molecules. Data often has a predicate for each type:
//! `c_ar(a1)`, `b_7(b1)`. A file `signature.txt` beside it says which predicates are types, and of what:
//!
//! ```text
//! atom c_ar 1930
//! bond b_7 2482
//! ```
//!
//! With it, a template that speaks of `atom_type/2`, `element/2` or `bond_type/2` finds `atom_type(a1, c_ar)`,
//! `element(a1, c)` and `bond_type(b1, b_7)`. Where all types of atoms have the same part before `_`, as codes such as
//! `n_3` have, that part says nothing, and the whole type is the element. What the template does not speak of is not
//! added, nor what the data gives itself.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use lrnn::Error;
use lrnn::data::{Dataset, FactTable};
use lrnn::diagnostic::{Diagnostic, SourceId, Sources, Span, suggest};
use lrnn::function::Shape;
use lrnn::vocabulary::{ConstantId, PredicateId, Vocabulary};

use crate::dataset::add_file;
use crate::line::lines;

/// The name of the file that lists the types of the data beside it.
pub const SIGNATURE_NAME: &str = "signature.txt";

/// A predicate with the type of a thing as its second term.
struct TypePredicate {
    /// The word of the signature for the thing.
    thing: &'static str,
    name: &'static str,
    /// The second term, from the name of the type.
    term: for<'a> fn(&Types, &'a str) -> &'a str,
}

/// All there are.
const TABLE: [TypePredicate; 3] = [
    TypePredicate { thing: "atom", name: "atom_type", term: |_, name| name },
    TypePredicate { thing: "atom", name: "element", term: element },
    TypePredicate { thing: "bond", name: "bond_type", term: |_, name| name },
];

/// Returns the element that an atom of a type is.
fn element<'a>(types: &Types, name: &'a str) -> &'a str {
    if types.are_codes() { name } else { before_bar(name) }
}

/// Returns the part of a name before the first `_`: `c` of `c_ar`.
fn before_bar(name: &str) -> &str {
    name.split_once('_').map_or(name, |(part, _)| part)
}

/// The types of a signature: by name, the thing that has it and the place of the line.
#[derive(Default)]
pub(crate) struct Types(BTreeMap<String, (&'static str, Span)>);

impl Types {
    /// Says that things of this kind, `atom` or `bond`, have a type of this name.
    pub fn add(&mut self, thing: &'static str, name: String, place: Span) {
        self.0.insert(name, (thing, place));
    }

    /// Tells whether the types of atoms are mere codes: several, and all with the same part before `_`.
    fn are_codes(&self) -> bool {
        let mut atoms = self.0.iter().filter(|(_, (thing, _))| *thing == "atom").map(|(name, _)| name);
        let first = atoms.next().map(|name| before_bar(name));
        let mut others = atoms.map(|name| Some(before_bar(name))).peekable();
        others.peek().is_some() && others.all(|part| part == first)
    }

    fn read(text: &str, source: SourceId) -> Result<Self, Vec<Diagnostic>> {
        let (mut types, mut wrong) = (Self::default(), Vec::new());
        for line in lines(text, source) {
            match signature_line(line.text) {
                Ok((thing, name)) => types.add(thing, name.to_owned(), line.span),
                Err(help) => {
                    let message = format!("`{}` is no line of a signature", line.text);
                    wrong.push(Diagnostic::error("D0120", line.span, message).help(help));
                }
            }
        }
        if wrong.is_empty() { Ok(types) } else { Err(wrong) }
    }
}

fn signature_line(line: &str) -> Result<(&'static str, &str), String> {
    let form = || "a line reads `atom c_ar 1930` or `bond b_7 2482`: thing, predicate, count".to_owned();
    let mut words = line.split_whitespace();
    let (Some(first), Some(name), _, None) = (words.next(), words.next(), words.next(), words.next()) else {
        return Err(form());
    };
    match TABLE.iter().find(|entry| entry.thing == first) {
        Some(entry) => Ok((entry.thing, name)),
        None => Err(suggest(first, TABLE.iter().map(|entry| entry.thing))
            .map_or_else(form, |near| format!("did you mean `{near}`?"))),
    }
}

/// Returns the predicates of the table that this vocabulary knows: those which the template speaks of.
fn wanted(vocabulary: &Vocabulary) -> Vec<(PredicateId, &'static TypePredicate)> {
    let find = |entry: &'static TypePredicate| Some((vocabulary.find_predicate(entry.name, 2)?, entry));
    TABLE.iter().filter_map(find).collect()
}

/// Adds the facts of types to data that has a signature in this folder.
pub(crate) fn add_types_of(
    folder: &Path,
    dataset: &mut Dataset,
    sources: &mut Sources,
) -> Result<Result<(), Vec<Diagnostic>>, Error> {
    let path = folder.join(SIGNATURE_NAME);
    if wanted(&dataset.vocabulary).is_empty() || !path.exists() {
        return Ok(Ok(()));
    }
    let source = add_file(&path, sources)?;
    Ok(Types::read(sources.text(source), source).map(|types| {
        add_types(&types, dataset);
        if let Some(place) = types.0.values().next() {
            dataset.notes.extend(untyped(&types, dataset, place.1));
        }
    }))
}

/// Adds the facts of these types.
pub(crate) fn add_types(types: &Types, dataset: &mut Dataset) {
    for (predicate, entry) in wanted(&dataset.vocabulary) {
        dataset.facts_seen.resize(dataset.vocabulary.predicate_count(), None);
        if dataset.facts_seen[predicate.index()].is_none() {
            add_facts(types, dataset, predicate, entry);
        }
    }
}

fn add_facts(types: &Types, dataset: &mut Dataset, predicate: PredicateId, entry: &TypePredicate) {
    let mut term_of: Vec<Option<ConstantId>> = vec![None; dataset.vocabulary.predicate_count()];
    let mut place = None;
    for (name, (thing, span)) in &types.0 {
        let known = dataset.vocabulary.find_predicate(name, 1);
        if let Some(id) = known.filter(|_| *thing == entry.thing) {
            term_of[id.index()] = Some(dataset.vocabulary.name((entry.term)(types, name)));
            place.get_or_insert(*span);
        }
    }
    for example in &mut dataset.examples {
        let mut seen = HashSet::new();
        let mut terms = Vec::new();
        for table in &example.tables {
            let Some(term) = term_of.get(table.predicate.index()).copied().flatten() else { continue };
            for &thing in &table.terms {
                // `c_3(a1), c_ar(a1)` is one element.
                if seen.insert((thing, term)) {
                    terms.extend([thing, term]);
                }
            }
        }
        if !terms.is_empty() {
            let rows = terms.len() as u32 / 2;
            let shape = Shape::NUMBER;
            example.tables.push(FactTable { predicate, rows, terms, shape, values: Vec::new() });
            dataset.facts_seen[predicate.index()] = place.map(|place| (shape, place));
        }
    }
}

/// Types that the signature does not know would be missed in silence.
fn untyped(types: &Types, dataset: &Dataset, place: Span) -> Option<Diagnostic> {
    let all = dataset.vocabulary.predicates().filter(|(id, signature)| {
        let is_given = dataset.facts_seen.get(id.index()).is_some_and(Option::is_some);
        signature.arity == 1 && is_given && !types.0.contains_key(&*signature.name)
    });
    let names: Vec<String> = all.map(|(_, signature)| format!("`{signature}`")).collect();
    let message = format!("{} of the data is no type by this signature", names.join(", "));
    let help = "add a line `atom NAME` or `bond NAME` for each that is a type";
    (!names.is_empty()).then(|| Diagnostic::note("D0206", place, message).help(help))
}
