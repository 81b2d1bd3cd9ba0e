//! Where template and data meet: the shapes of the data's values, predicates that only one of the two knows, and
//! queries that nothing can answer. Said once, before any example is grounded.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::data::{Dataset, Query};
use crate::diagnostic::{Diagnostic, Severity, Span, suggest};
use crate::template::{Stratum, Template, WeightUse};
use crate::vocabulary::{ConstantId, PredicateId, Signature};

/// The most names among which a misspelt one is looked for.
const MOST_NAMES: usize = 100;

/// Returns the template as it stands with this data: every predicate of the data known, every shape settled. It is
/// there if no diagnostic is an error; with `strict`, warnings are errors.
pub fn fit(template: &Template, dataset: &Dataset, strict: bool) -> (Option<Template>, Vec<Diagnostic>) {
    let mut diagnostics = dataset.notes.clone();
    unknown_predicates(template, dataset, &mut diagnostics);
    missing_predicates(template, dataset, &mut diagnostics);
    unknown_queries(template, dataset, &mut diagnostics);
    queries_of_two_targets(dataset, &mut diagnostics);
    if strict {
        for diagnostic in diagnostics.iter_mut().filter(|found| found.severity == Severity::Warning) {
            diagnostic.severity = Severity::Error;
        }
    }
    let fitted = extended(template, dataset).with_data_shapes(&dataset.facts_seen);
    let template = fitted.map_err(|found| diagnostics.extend(found)).ok();
    if let Some(template) = &template {
        targets_of_other_shapes(template, dataset, &mut diagnostics);
    }
    if let Some(template) = template.as_ref().filter(|template| template.family.is_neuralogic()) {
        facts_beside_rules(template, dataset, &mut diagnostics);
        largest_vectors(template, &mut diagnostics);
    }
    let failed = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    (template.filter(|_| !failed), diagnostics)
}

/// Returns the template with the predicates that only the data has, and a stratum for each.
fn extended(template: &Template, dataset: &Dataset) -> Template {
    let mut template = template.clone();
    for (id, _) in dataset.vocabulary.predicates().skip(template.predicates.len()) {
        template.predicates.push(template.default_predicate.clone());
        template.strata.push(Stratum { predicates: vec![id], rules: Vec::new(), recursive: false });
    }
    for (id, _) in dataset.vocabulary.predicates() {
        if !template.knows(id) {
            template.predicates[id.index()].span = seen(dataset, id).unwrap_or_default();
        }
    }
    if dataset.vocabulary.extends(&template.vocabulary) {
        template.vocabulary = dataset.vocabulary.clone();
    }
    template
}

fn seen(dataset: &Dataset, id: PredicateId) -> Option<Span> {
    dataset.facts_seen.get(id.index()).copied().flatten().map(|(_, span)| span)
}

fn named<'a>(all: impl Iterator<Item = &'a Signature>) -> String {
    const LISTED: usize = 12;
    let names: Vec<String> = all.map(|signature| format!("`{signature}`")).collect();
    let more = names.len().saturating_sub(LISTED);
    let listed = names.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{listed} and {more} more") } else { listed }
}

/// Returns whether something gives atoms of this predicate: a rule, a fact of the template, or the data.
fn is_given(template: &Template, dataset: &Dataset, id: PredicateId) -> bool {
    let by_template =
        template.predicates.get(id.index()).is_some_and(|known| known.is_head || known.has_facts);
    by_template || seen(dataset, id).is_some()
}

/// Notes facts of predicates that the template does not know.
fn unknown_predicates(template: &Template, dataset: &Dataset, diagnostics: &mut Vec<Diagnostic>) {
    let own: Vec<(PredicateId, &Signature)> =
        template.vocabulary.predicates().filter(|(id, _)| template.knows(*id)).collect();
    let by_name: BTreeMap<&str, &Signature> = own.iter().map(|(_, known)| (&*known.name, *known)).collect();
    // Only a predicate that nothing gives can have been misspelt, and only by a person.
    let meant = |(known, _): &&(PredicateId, &Signature)| !is_given(template, dataset, *known);
    let missing: Vec<&str> =
        own.iter().filter(meant).map(|(_, known)| &*known.name).take(MOST_NAMES).collect();
    let mut unused = Vec::new();
    for (id, signature) in dataset.vocabulary.predicates().filter(|(id, _)| !template.knows(*id)) {
        let Some(span) = seen(dataset, id) else { continue };
        let message = format!("the template does not know `{signature}`");
        if let Some(other) = by_name.get(&*signature.name) {
            let help = format!(
                "the template speaks of `{other}`: a predicate is its name and the number of its terms"
            );
            // Where the data has the other one too, both may be meant: NeuraLogic's nations are such data.
            let same = |known: &Signature| known.name == signature.name;
            let all_given = own.iter().all(|(id, known)| !same(known) || is_given(template, dataset, *id));
            let severity = if all_given { Severity::Warning } else { Severity::Error };
            diagnostics.push(Diagnostic::new(severity, "D0201", span, message).help(help));
        } else if let Some(near) = suggest(&signature.name, missing.iter().copied()) {
            let help = format!("did you mean `{near}`?");
            diagnostics.push(Diagnostic::warning("D0202", span, message).help(help));
        } else {
            unused.push((signature, span));
        }
    }
    if let Some(&(_, span)) = unused.first() {
        let names = named(unused.iter().map(|(signature, _)| *signature));
        let message = format!("no rule of the template uses these predicates of the data: {names}");
        diagnostics.push(Diagnostic::note("D0203", span, message));
    }
}

/// Notes predicates of which both rules and facts give atoms: NeuraLogic leaves out a fact where a rule gives its atom.
fn facts_beside_rules(template: &Template, dataset: &Dataset, diagnostics: &mut Vec<Diagnostic>) {
    let has_both = |id: PredicateId| {
        let known = &template.predicates[id.index()];
        known.is_head && (known.has_facts || seen(dataset, id).is_some())
    };
    let both: Vec<_> = template.vocabulary.predicates().filter(|(id, _)| has_both(*id)).collect();
    if let Some(&(first, _)) = both.first() {
        let names = named(both.iter().map(|(_, signature)| *signature));
        let message = format!(
            "NeuraLogic leaves out a fact where a rule gives the same atom; here both count: {names}"
        );
        let span = template.predicates[first.index()].span;
        diagnostics.push(Diagnostic::note("T0606", span, message));
    }
}

/// Notes rules and predicates that take the largest or smallest of vectors: NeuraLogic takes the one with the largest or
/// smallest sum.
fn largest_vectors(template: &Template, diagnostics: &mut Vec<Diagnostic>) {
    let is_vector = |predicate: PredicateId| {
        template.predicates[predicate.index()].shape.is_some_and(|shape| !shape.is_number())
    };
    let weight =
        |used: &Option<WeightUse>| used.as_ref().map(|used| template.weights[used.weight.index()].shape);
    let message = "the largest or smallest of vectors is taken element by element; NeuraLogic takes the one with the largest or smallest sum";
    for rule in template.rules.iter().filter(|rule| rule.functions.takes_one()) {
        let of_vectors = rule.inputs.iter().any(|input| {
            is_vector(input.atom.predicate) || weight(&input.weight).is_some_and(|shape| !shape.is_number())
        });
        // A row before the head makes a number of a vector.
        let gives_vector =
            is_vector(rule.head.predicate) || weight(&rule.weight).is_some_and(|shape| shape.columns > 1);
        if of_vectors && gives_vector {
            diagnostics.push(Diagnostic::note("T0605", rule.span, message));
        }
    }
    for (id, _) in template.vocabulary.predicates() {
        let known = &template.predicates[id.index()];
        if known.is_head && known.combination.takes_one() && is_vector(id) {
            diagnostics.push(Diagnostic::note("T0605", known.span, message));
        }
    }
}

/// Predicates of bodies that nothing gives.
fn missing_predicates(template: &Template, dataset: &Dataset, diagnostics: &mut Vec<Diagnostic>) {
    let mut needs: Vec<Option<Span>> = vec![None; template.predicates.len()];
    for rule in &template.rules {
        rule.positive().for_each(|atom| _ = needs[atom.predicate.index()].get_or_insert(rule.span));
    }
    let waiting: Vec<(&Signature, Span)> = template
        .vocabulary
        .predicates()
        .filter(|(id, _)| !is_given(template, dataset, *id))
        .filter_map(|(id, signature)| Some((signature, needs[id.index()]?)))
        .collect();
    if let Some(&(_, span)) = waiting.first() {
        let names = named(waiting.iter().map(|(signature, _)| *signature));
        let message = format!("rules can never fire on this data: nothing gives {names}");
        diagnostics.push(Diagnostic::warning("W0306", span, message).at("the first of them"));
    }
}

/// Targets of queries that have neither one number nor as many as the value of the query.
fn targets_of_other_shapes(template: &Template, dataset: &Dataset, diagnostics: &mut Vec<Diagnostic>) {
    let mut reported = BTreeSet::new();
    for query in dataset.queries.iter().flatten() {
        let (Some(target), Some(known)) = (&query.target, template.predicates.get(query.predicate.index()))
        else {
            continue;
        };
        let size = known.shape.map_or(1, |shape| shape.size());
        if target.len() == 1 || target.len() == size || !reported.insert(query.predicate) {
            continue;
        }
        let name = dataset.vocabulary.signature(query.predicate);
        let message = format!("the target has {}, and `{name}` {}", numbers(target.len()), numbers(size));
        let help = "write as many numbers as the value has, or one, which is the target of each";
        diagnostics.push(Diagnostic::error("D0209", query.span, message).help(help));
    }
}

/// Queries that stand twice in an example, with different targets.
fn queries_of_two_targets(dataset: &Dataset, diagnostics: &mut Vec<Diagnostic>) {
    let mut found: Vec<(&Query, &Query)> = Vec::new();
    for queries in dataset.queries.iter().filter(|queries| queries.len() > 1) {
        let mut known: FxHashMap<(PredicateId, &[ConstantId]), &Query> = FxHashMap::default();
        for query in queries.iter().filter(|query| query.target.is_some()) {
            let first = known.entry((query.predicate, &query.terms)).or_insert(query);
            if first.target != query.target {
                found.push((*first, query));
            }
        }
    }
    let Some(&(first, other)) = found.first() else { return };
    let text = |query: &Query| {
        let numbers: Vec<String> = query.target.iter().flatten().map(f64::to_string).collect();
        if let [number] = &numbers[..] { number.clone() } else { format!("[{}]", numbers.join(", ")) }
    };
    let atom = dataset.vocabulary.atom_text(other.predicate, &other.terms);
    let message = format!("`{atom}` has two targets in one example, {} and {}", text(first), text(other));
    let count =
        if found.len() == 1 { "1 query is".to_owned() } else { format!("{} queries are", found.len()) };
    let all = format!("{count} so; learning takes each of them for right");
    diagnostics.push(Diagnostic::warning("D0211", other.span, message).help(all));
}

fn numbers(count: usize) -> String {
    if count == 1 { "1 number".to_owned() } else { format!("{count} numbers") }
}

/// Queries of predicates that have no atoms whatever the example.
fn unknown_queries(template: &Template, dataset: &Dataset, diagnostics: &mut Vec<Diagnostic>) {
    let heads = template.vocabulary.predicates().filter(|(id, _)| template.predicates[id.index()].is_head);
    let heads: Vec<&Signature> = heads.map(|(_, head)| head).collect();
    let mut reported = BTreeSet::new();
    let ground = dataset.queries.iter().flatten().map(|query| (query.predicate, query.span));
    let lifted = dataset.lifted.iter().map(|query| (query.predicate, query.span));
    for (predicate, span) in ground.chain(lifted) {
        if is_given(template, dataset, predicate) || !reported.insert(predicate) {
            continue;
        }
        let signature = dataset.vocabulary.signature(predicate);
        let near = suggest(&signature.name, heads.iter().map(|head| &*head.name));
        let same = heads.iter().find(|head| head.name == signature.name);
        let meant = same.map(ToString::to_string).or_else(|| near.map(str::to_owned));
        let help = match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "a query asks for an atom that some rule or fact gives".to_owned(),
        };
        let message = format!("nothing can answer this query: no rule and no fact gives `{signature}`");
        diagnostics.push(Diagnostic::error("D0204", span, message).help(help));
    }
}
