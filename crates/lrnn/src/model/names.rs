//! A name for each weight, by which it is found again: in the file, and in another template.

use crate::diagnostic::SourceId;
use crate::network::WeightKey;
use crate::syntax::ast::{TermExpr, TermKind};
use crate::syntax::parse_atom;
use crate::template::{IndexPart, Template, Weight, WeightId, WeightUse};
use crate::vocabulary::{Constant, ConstantId, Vocabulary, is_bare_name, write_name};

/// Returns the names of a template's weights, by id; no two are alike. A weight with a name has it as the language
/// writes it: `w`, or `'my w'`. One without is called by where it stands first: `rule 3`, `rule 3 input 2`, `fact 1`,
/// `offset of rule 3`, `offset of foal/1`, counted from 1 in the order of the template.
pub fn weight_names(template: &Template) -> Vec<String> {
    let mut names: Vec<Option<String>> = template.weights.iter().map(given_name).collect();
    let mut call = |weight: Option<WeightId>, name: String| {
        if let Some(place) = weight.and_then(|weight| names.get_mut(weight.index())) {
            place.get_or_insert(name);
        }
    };
    for (rule, number) in template.rules.iter().zip(1..) {
        call(id(rule.weight.as_ref()), format!("rule {number}"));
        for (input, position) in rule.inputs.iter().zip(1..) {
            call(id(input.weight.as_ref()), format!("rule {number} input {position}"));
        }
        call(rule.functions.offset.weight(), format!("offset of rule {number}"));
    }
    for (fact, number) in template.facts.iter().zip(1..) {
        call(id(fact.weight.as_ref()), format!("fact {number}"));
    }
    for ((_, signature), predicate) in template.vocabulary.predicates().zip(&template.predicates) {
        call(predicate.offset.weight(), format!("offset of {signature}"));
    }
    // A weight that an option gave and a later option replaced stands nowhere.
    let unused = |(name, number): (Option<String>, usize)| name.unwrap_or_else(|| format!("weight {number}"));
    names.into_iter().zip(1..).map(unused).collect()
}

/// Returns the weight with this key as people see it, under the names of all.
pub(crate) fn key_name(
    names: &[String],
    template: &Template,
    vocabulary: &Vocabulary,
    key: &WeightKey,
) -> String {
    let (name, index) = (&names[key.0.index()], template.weight(key.0).index_text(vocabulary, &key.1));
    if index.is_empty() { name.clone() } else { format!("{name}[{index}]") }
}

fn id(weight: Option<&WeightUse>) -> Option<WeightId> {
    weight.map(|weight| weight.weight)
}

/// Returns the name that the text gives. Quotes keep a weight `'rule 3'` apart from the rule.
fn given_name(weight: &Weight) -> Option<String> {
    let name = weight.name.as_deref().filter(|_| !weight.is_own_offset)?;
    let mut text = String::new();
    write_name(&mut text, name).ok()?;
    Some(text)
}

/// Returns an index of a weight from its text; `None` if it is none, or names a constant that nobody knows.
pub(crate) fn index_words(weight: &Weight, vocabulary: &Vocabulary, text: &str) -> Option<Vec<ConstantId>> {
    let constants = index_constants(text)?;
    let mut words = Vec::with_capacity(weight.index_arity());
    for (part, constant) in weight.index.iter().zip(&constants) {
        match (part, constant) {
            (IndexPart::Constant, constant) => words.push(vocabulary.find_constant(constant)?),
            (IndexPart::Kind, Constant::Name(name)) => {
                let digits = name.strip_prefix('k').filter(|digits| digits.len() == 16)?;
                let kind = u64::from_str_radix(digits, 16).ok()?;
                words.extend([ConstantId((kind >> 32) as u32), ConstantId(kind as u32)]);
            }
            (IndexPart::Number, &Constant::Integer(number)) => {
                words.push(ConstantId(u32::try_from(number).ok()?));
            }
            _ => return None,
        }
    }
    (constants.len() == weight.index.len()).then_some(words)
}

/// Returns the constants of an index as text; `None` if it is no list of constants.
pub(crate) fn index_constants(index: &str) -> Option<Vec<Constant>> {
    if index.is_empty() {
        return Some(Vec::new());
    }
    // Bare names and numbers, as nearly all are, need no parser.
    if !index.contains(['\'', '"', '(']) {
        let constant = |text: &str| match is_bare_name(text) {
            true => Some(Constant::Name(text.into())),
            false => Constant::read_number(text).ok(),
        };
        return index.split(", ").map(constant).collect();
    }
    let constant = |term: TermExpr| match term.kind {
        TermKind::Constant(constant) => Some(constant),
        TermKind::Variable(_) | TermKind::Range(..) => None,
    };
    parse_atom(&format!("index({index})"), SourceId(0)).ok()?.terms.into_iter().map(constant).collect()
}

/// `w[c, 1]` as `w` and `c, 1`. A bracket between quotes belongs to a name.
pub(super) fn split(full: &str) -> Option<(&str, &str)> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let bracket = full.bytes().position(|byte| {
        let is_bracket = byte == b'[' && !is_quoted;
        is_quoted ^= byte == b'\'' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_bracket
    });
    let Some(bracket) = bracket else { return (!full.is_empty()).then_some((full, "")) };
    let index = full[bracket + 1..].strip_suffix(']')?;
    (bracket > 0 && !index.is_empty()).then_some((&full[..bracket], index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_numbers_are_read_as_they_are_written() {
        let template = Template::parse("w[T, p(X), #] :: q :- *p(X), *r(X, T).").expect("a template");
        let (weight, mut vocabulary) = (&template.weights[0], template.vocabulary.clone());
        let index = [vocabulary.name("a"), ConstantId(0x09c4), ConstantId(u32::MAX), ConstantId(3)];
        let text = weight.index_text(&vocabulary, &index);
        assert_eq!(text, "a, k000009c4ffffffff, 3");
        assert_eq!(index_words(weight, &vocabulary, &text), Some(index.to_vec()));
        for wrong in ["a, k1, 3", "a, b, 3", "a, k000009c4ffffffff", "a, k000009c4ffffffff, b", ""] {
            assert_eq!(index_words(weight, &vocabulary, wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_index_is_read_as_it_is_written() {
        let mut vocabulary = Vocabulary::default();
        let numbers = ["1700000000000000001", "-9223372036854775808", "1e20", "-0.5", "2.5e-9"];
        let constants = numbers.map(|text| Constant::read_number(text).unwrap_or(Constant::Integer(0)));
        let index: Vec<ConstantId> =
            constants.iter().map(|constant| vocabulary.insert(constant.clone())).collect();
        let template = Template::parse("w[A, B, C, D, E] :: p :- q(A, B, C, D, E).");
        let weight = &template.expect("a template").weights[0];
        assert_eq!(weight.index_text(&vocabulary, &index), numbers.join(", "));
        assert_eq!(index_words(weight, &vocabulary, &numbers.join(", ")), Some(index));
        assert_eq!(index_constants(&numbers.join(", ")), Some(constants.to_vec()));
    }
}
