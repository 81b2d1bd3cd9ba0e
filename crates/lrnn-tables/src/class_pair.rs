//! Two labels of a target, and which of them says yes.

/// Labels that say yes, in small letters.
const YES: &[&str] = &[
    "yes",
    "y",
    "true",
    "t",
    "pos",
    "positive",
    "+",
    "active",
    "on",
    "present",
    "toxic",
    "high",
    "hit",
    "binder",
    "case",
    "ja",
    "j",
    "wahr",
    "positiv",
    "oui",
    "vrai",
    "actif",
    "sí",
    "si",
    "sì",
    "vero",
    "sim",
    "verdadero",
    "ano",
    "áno",
    "tak",
    "da",
    "да",
    "evet",
    "igen",
    "kyllä",
    "jah",
    "jā",
    "taip",
    "ναι",
    "はい",
    "是",
    "예",
];

/// Labels that say no, in small letters.
const NO: &[&str] = &[
    "no",
    "n",
    "false",
    "neg",
    "negative",
    "-",
    "−",
    "inactive",
    "off",
    "absent",
    "none",
    "low",
    "control",
    "nein",
    "falsch",
    "negativ",
    "non",
    "faux",
    "inactif",
    "falso",
    "não",
    "nao",
    "ne",
    "nie",
    "не",
    "нет",
    "nej",
    "nei",
    "nee",
    "hayır",
    "nem",
    "ei",
    "nē",
    "όχι",
    "いいえ",
    "否",
    "아니요",
];

/// Words and syllables that turn what follows into its opposite.
const OPPOSITES: &[&str] = &[
    "in", "im", "il", "ir", "un", "non", "not", "no", "dis", "nicht", "nie", "kein", "ohne", "without",
    "pas", "sans", "sin", "ne",
];

/// Two labels of a target, one of which counts as 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClassPair<'a> {
    /// The label that counts as 0.
    pub no: &'a str,
    /// The label that counts as 1.
    pub yes: &'a str,
    /// True if the labels themselves tell which of them says yes; else it is the last in the order of texts.
    pub is_told: bool,
}

impl<'a> ClassPair<'a> {
    /// Finds out which of two labels says yes, in whatever order they come.
    pub fn of(one: &'a str, two: &'a str) -> Self {
        let (first, last) = if one <= two { (one, two) } else { (two, one) };
        let told = says_yes(first, last).map(|last_is_yes| (last_is_yes, true));
        let (last_is_yes, is_told) = told.unwrap_or((true, false));
        let (no, yes) = if last_is_yes { (first, last) } else { (last, first) };
        Self { no, yes, is_told }
    }
}

/// Tells whether the second of two labels says yes, and nothing if neither of them tells.
fn says_yes(one: &str, two: &str) -> Option<bool> {
    let [one, two] = [one, two].map(|label| label.trim().to_lowercase());
    by_size(&one, &two)
        .or_else(|| by_words(&one, &two))
        .or_else(|| by_opposite(&one, &two))
        .or_else(|| by_ending(&one, &two))
}

/// Tells it of two numbers: what is above 0 says yes beside what is not.
fn by_size(one: &str, two: &str) -> Option<bool> {
    let numbers = (one.parse::<f64>().ok()?, two.parse::<f64>().ok()?);
    let is_above = [numbers.0 > 0.0, numbers.1 > 0.0];
    (is_above[0] != is_above[1]).then_some(is_above[1])
}

/// Tells it by words for yes and no.
fn by_words(one: &str, two: &str) -> Option<bool> {
    let has = |words: &[&str]| [one, two].map(|label| words.contains(&label));
    let only = |[one, two]: [bool; 2]| (one != two).then_some(two);
    // `f` is no beside `t` alone: it may be female, too.
    match (only(has(YES)), only(has(NO))) {
        (Some(yes), Some(no)) if yes == no => None,
        (Some(yes), _) => Some(yes),
        (None, no) => no.map(|no| !no),
    }
}

/// Tells it where one label is the other with a word or a syllable before it that turns it round: `not churned`.
fn by_opposite(one: &str, two: &str) -> Option<bool> {
    let is_opposite = |label: &str, of: &str| {
        let before = label.strip_suffix(of).unwrap_or_default();
        OPPOSITES.contains(&before.trim_end_matches([' ', '-', '_']))
    };
    match (is_opposite(one, two), is_opposite(two, one)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// Tells it of labels that begin alike and end with a sign, or with 0 and 1: `BBB+` beside `BBB-`.
fn by_ending(one: &str, two: &str) -> Option<bool> {
    let end = |label: &str| label.char_indices().last().map(|(at, _)| at);
    let (a, b) = (end(one)?, end(two)?);
    let rank = |ending: &str| ["-", "+", "0", "1"].iter().position(|known| *known == ending);
    let (first, second) = (rank(&one[a..])?, rank(&two[b..])?);
    (one[..a] == two[..b] && first / 2 == second / 2 && first != second).then_some(first < second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(no: &str, yes: &str, is_told: bool) {
        for pair in [ClassPair::of(no, yes), ClassPair::of(yes, no)] {
            assert_eq!(pair, ClassPair { no, yes, is_told });
        }
    }

    #[test]
    fn labels_tell_which_of_them_says_yes() {
        let told = [
            ("no", "yes"),
            ("nein", "ja"),
            ("Nein", "Ja"),
            ("non", "oui"),
            ("no", "sí"),
            ("No", "Si"),
            ("não", "sim"),
            ("ne", "ano"),
            ("nie", "tak"),
            ("nej", "ja"),
            ("нет", "да"),
            ("false", "true"),
            ("FALSE", "TRUE"),
            ("f", "t"),
            ("n", "y"),
            ("N", "J"),
            ("N", "O"),
            ("N", "S"),
            ("0", "1"),
            ("-1", "1"),
            ("-1", "+1"),
            ("0.0", "1.0"),
            ("0", "2"),
            ("neg", "pos"),
            ("negative", "positive"),
            ("-", "+"),
            ("inactive", "active"),
            ("inaktiv", "aktiv"),
            ("off", "on"),
            ("not churned", "churned"),
            ("non-toxic", "toxic"),
            ("non_binder", "binder"),
            ("unpaid", "paid"),
            ("low", "high"),
            ("BBB-", "BBB+"),
            ("class0", "class1"),
            ("control", "patient"),
            ("no", "maybe"),
            ("absent", "present"),
            ("NO", "relapse"),
        ];
        told.iter().for_each(|(no, yes)| check(no, yes, true));
    }

    #[test]
    fn others_go_by_their_order_and_that_is_known() {
        let untold = [
            ("f", "m"),
            ("blue", "red"),
            ("1", "2"),
            ("A", "B"),
            ("hot", "shot"),
            ("grape", "pe"),
            ("x", "ÿ"),
            ("left", "right"),
        ];
        untold.iter().for_each(|(no, yes)| check(no, yes, false));
    }
}
