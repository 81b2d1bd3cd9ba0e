//! Variations: changes of the texts that must change nothing else. To add one, add a line to the table.

use std::collections::{BTreeMap, BTreeSet};

use lrnn::data::{Dataset, FactTable, Layout, Query};
use lrnn::diagnostic::SourceId;
use lrnn::syntax::ast::{Ast, BodyKind, Clause, Comparison, IndexExpr, Item, ItemKind, TermExpr, TermKind};
use lrnn::syntax::{number_text, parse, print};
use lrnn::template::{Start, Template};
use lrnn::vocabulary::{Constant, ConstantId, Vocabulary};

use crate::case::CaseTexts;
use crate::outcome::ConstantNames;
use crate::reading::SuiteProgram;

/// A change of the texts; `None` where it does not apply.
pub struct Variation {
    /// Its name in messages.
    pub name: &'static str,
    /// The changed texts, and the names in the file of constants it renamed.
    pub apply: fn(&CaseTexts, &SuiteProgram) -> Option<(CaseTexts, ConstantNames)>,
}

/// All variations. The first changes nothing.
pub const VARIATIONS: &[Variation] = &[
    Variation { name: "as written", apply: |texts, _| Some((texts.clone(), ConstantNames::default())) },
    Variation { name: "formatted", apply: formatted },
    Variation { name: "rules shuffled", apply: rules_shuffled },
    Variation { name: "facts shuffled", apply: facts_shuffled },
    Variation { name: "constants renamed", apply: constants_renamed },
    Variation { name: "data read before the template", apply: data_first },
];

fn data_first(texts: &CaseTexts, _: &SuiteProgram) -> Option<(CaseTexts, ConstantNames)> {
    Some((CaseTexts { data_first: true, ..texts.clone() }, ConstantNames::default()))
}

fn formatted(texts: &CaseTexts, _: &SuiteProgram) -> Option<(CaseTexts, ConstantNames)> {
    let (ast, _) = parse(&texts.template, SourceId(0));
    let template = print(&ast, &texts.template);
    Some((CaseTexts { template, ..texts.clone() }, ConstantNames::default()))
}

/// Leaves out templates in which the order of clauses means something: a random weight without a name is known by its
/// place, and some combinations of rules take them in order.
fn rules_shuffled(texts: &CaseTexts, ready: &SuiteProgram) -> Option<(CaseTexts, ConstantNames)> {
    let by_place = |template: &Template| {
        template.weights.iter().any(|weight| weight.name.is_none() && weight.start == Start::Random)
    };
    let in_order = |template: &Template| {
        template.predicates.iter().any(|predicate| !predicate.combination.is_element_wise())
    };
    if by_place(&ready.template) || in_order(&ready.template) {
        return None;
    }
    let (mut ast, _) = parse(&texts.template, SourceId(0));
    let is_clause = |item: &Item| matches!(item.kind, ItemKind::Clause(_));
    let mut clauses: Vec<Item> = ast.items.iter().filter(|item| is_clause(item)).cloned().collect();
    shuffle(&mut clauses);
    for item in ast.items.iter_mut().filter(|item| is_clause(item)) {
        *item = clauses.pop()?;
    }
    Some((CaseTexts { template: print_bare(ast), ..texts.clone() }, ConstantNames::default()))
}

fn print_bare(ast: Ast) -> String {
    print(&Ast { comments: Vec::new(), ..ast }, "")
}

fn facts_shuffled(texts: &CaseTexts, ready: &SuiteProgram) -> Option<(CaseTexts, ConstantNames)> {
    let facts = data_text(texts, &ready.dataset, &BTreeMap::new())?;
    let layout = Some(Layout::Examples);
    Some((CaseTexts { facts: Some(facts), layout, queries: None, ..texts.clone() }, ConstantNames::default()))
}

/// Gives every constant with a name another one, so that the order of names is turned round. Numbers stay. Where
/// constants are ordered, or a random weight is drawn by the text of its index, names mean something.
fn constants_renamed(texts: &CaseTexts, ready: &SuiteProgram) -> Option<(CaseTexts, ConstantNames)> {
    // Of ground rules that differ in guards only, the one stays whose names come first.
    if ready.template.rules.iter().any(|rule| rule.distinct) {
        return None;
    }
    let by_name = |template: &Template| {
        template.weights.iter().any(|weight| !weight.index.is_empty() && weight.start == Start::Random)
    };
    let (mut ast, _) = parse(&texts.template, SourceId(0));
    if (by_name(&ready.template) && texts.weights.is_empty()) || ast.items.iter().any(orders_constants) {
        return None;
    }
    let names = new_names(&ready.dataset.vocabulary);
    let mut rename = |term: &mut TermExpr| rename_term(term, &names);
    ast.items.iter_mut().for_each(|item| for_each_term(item, &mut rename));
    let facts = match &texts.facts {
        Some(_) => Some(data_text(texts, &ready.dataset, &names)?),
        None => None,
    };
    let renamed = CaseTexts {
        template: print_bare(ast),
        facts,
        layout: Some(Layout::Examples),
        queries: None,
        weights: texts.weights.lines().map(|line| renamed_weight(line, &names)).collect(),
        data_first: false,
    };
    let text = |name: &str| Constant::Name(name.into()).to_string();
    let back = names.iter().map(|(old, new)| (text(new), text(old))).collect();
    Some((renamed, ConstantNames { back }))
}

fn new_names(vocabulary: &Vocabulary) -> BTreeMap<String, String> {
    let names: BTreeSet<Box<str>> = vocabulary
        .constants()
        .filter_map(|(_, constant)| match constant {
            Constant::Name(name) => Some(name),
            Constant::Integer(_) | Constant::Number(_) => None,
        })
        .collect();
    let last = names.len();
    names.into_iter().enumerate().map(|(at, name)| (name.into(), format!("c{:05}", last - at))).collect()
}

fn rename_term(term: &mut TermExpr, names: &BTreeMap<String, String>) {
    if let TermKind::Constant(Constant::Name(name)) = &mut term.kind
        && let Some(new) = names.get(&**name)
    {
        *name = new.as_str().into();
    }
}

/// Returns a line that sets a weight, the constants of its index renamed.
fn renamed_weight(line: &str, names: &BTreeMap<String, String>) -> String {
    let (mut ast, _) = parse(&format!("{line} :: x."), SourceId(0));
    ast.items.iter_mut().for_each(|item| for_each_term(item, &mut |term| rename_term(term, names)));
    print_bare(ast).replace(" :: x.", "")
}

fn orders_constants(item: &Item) -> bool {
    let ItemKind::Clause(clause) = &item.kind else { return false };
    let ordering = |comparison| !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
    clause.body.iter().any(|part| match &part.kind {
        BodyKind::Compare(it, ..) => ordering(*it),
        BodyKind::BuiltIn(name, _) => name == "type",
        _ => false,
    })
}

fn for_each_term(item: &mut Item, change: &mut impl FnMut(&mut TermExpr)) {
    let ItemKind::Clause(Clause { weight, head, body, .. }) = &mut item.kind else { return };
    head.terms.iter_mut().for_each(&mut *change);
    for part in body {
        match &mut part.kind {
            BodyKind::Compare(_, left, right) => [left, right].into_iter().for_each(&mut *change),
            BodyKind::AllDiff(terms) | BodyKind::BuiltIn(_, terms) => terms.iter_mut().for_each(&mut *change),
            BodyKind::Arithmetic(_, left, right) => {
                left.terms_mut().into_iter().chain(right.terms_mut()).for_each(&mut *change);
            }
            BodyKind::Function(function) => function.terms_mut().into_iter().for_each(&mut *change),
        }
    }
    weight.iter_mut().flat_map(|weight| &mut weight.index).flat_map(IndexExpr::terms_mut).for_each(change);
}

/// Returns the data as text again, the facts of each example shuffled; `None` where there is none, or where an example
/// without facts could not be written.
fn data_text(texts: &CaseTexts, dataset: &Dataset, names: &BTreeMap<String, String>) -> Option<String> {
    texts.facts.as_ref()?;
    let vocabulary = &dataset.vocabulary;
    let mut out = String::new();
    for (example, queries) in dataset.examples.iter().zip(&dataset.queries) {
        let rows = |table: &FactTable| {
            let fact = |row| fact_text(table, row, vocabulary, names);
            (0..table.rows as usize).map(fact).collect::<Vec<_>>()
        };
        let mut facts: Vec<String> = example.tables.iter().flat_map(rows).collect();
        if facts.is_empty() {
            return None;
        }
        shuffle(&mut facts);
        let query = |query: &Query| {
            let atom = atom_text(vocabulary, query.predicate, &query.terms, names);
            let target = query.target.as_deref().map(|target| value_text(target, target.len()));
            format!("{} {atom}", target.unwrap_or_default())
        };
        let queries: Vec<String> = queries.iter().map(query).collect();
        let stop = if queries.is_empty() { "" } else { " :- " };
        out.push_str(&format!("{}{stop}{}.\n", queries.join(", "), facts.join(", ")));
    }
    Some(out)
}

fn fact_text(
    table: &FactTable,
    row: usize,
    vocabulary: &Vocabulary,
    names: &BTreeMap<String, String>,
) -> String {
    let atom = atom_text(vocabulary, table.predicate, table.row(row), names);
    let columns = table.shape.columns as usize;
    let value = if table.shape.columns == 1 {
        value_text(table.value(row), table.shape.size())
    } else {
        let rows = table.value(row).chunks(columns).map(|row| format!("[{}]", list(row)));
        format!("[{}]", rows.collect::<Vec<_>>().join(", "))
    };
    format!("{value} {atom}")
}

fn value_text(numbers: &[f64], size: usize) -> String {
    if size == 1 { list(numbers) } else { format!("[{}]", list(numbers)) }
}

fn list(numbers: &[f64]) -> String {
    numbers.iter().map(|&number| number_text(number)).collect::<Vec<_>>().join(", ")
}

fn atom_text(
    vocabulary: &Vocabulary,
    predicate: lrnn::vocabulary::PredicateId,
    terms: &[ConstantId],
    names: &BTreeMap<String, String>,
) -> String {
    let texts = names.iter().map(|(old, new)| (Constant::Name(old.as_str().into()).to_string(), new.clone()));
    ConstantNames { back: texts.collect() }.atom(vocabulary, predicate, terms)
}

/// Changes the order, always the same way.
fn shuffle<T>(list: &mut [T]) {
    let mut state: u64 = 0x2545_f491_4f6c_dd1d;
    for last in (1..list.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        list.swap(last, (state % (last as u64 + 1)) as usize);
    }
}
