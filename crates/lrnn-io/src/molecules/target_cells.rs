//! The cells of a target: numbers, or classes as text; and what is told of those that are neither.

use lrnn::diagnostic::{Diagnostic, Span};
use lrnn_chem::MoleculeTarget;
use lrnn_tables::ClassPair;

use super::raw_table::RawCell;
use super::{LISTED, class_target};

/// Texts of a target with more classes are no classes.
const MOST_CLASSES: usize = 20;
/// Texts that say that a value is not known, in small letters.
const UNKNOWN: [&str; 7] = ["na", "n/a", "#n/a", "<na>", "nan", "null", "?"];

/// The cells of a target.
pub(super) struct TargetCells<'a> {
    /// The name of the column.
    pub name: &'a str,
    /// The cells.
    pub cells: &'a [&'a RawCell],
    /// The class of two that should count as 1, where it is named.
    pub yes: Option<&'a str>,
    /// The place of the table.
    pub table: Span,
}

/// The values of a target.
pub(super) struct TargetValues {
    /// The texts that are its classes; none where it has numbers.
    pub classes: Vec<String>,
    /// The queries, with values.
    pub targets: Vec<MoleculeTarget>,
    /// Messages about cells.
    pub notes: Vec<Diagnostic>,
}

impl TargetCells<'_> {
    /// Reads numbers, 0 and 1 for two classes, or one property a class; the classes may be known. Cells that are neither
    /// are errors.
    pub fn read(&self, classes: &[String]) -> Result<TargetValues, Vec<Diagnostic>> {
        let known = || self.cells.iter().filter_map(|cell| known_text(cell, true));
        let numbers = known().filter(|text| number(text).is_some()).count();
        let others = known().count() - numbers;
        if classes.is_empty() && self.yes.is_none() && numbers > others {
            return self.read_known(&[]);
        }
        let classes = if classes.is_empty() { self.classes()? } else { classes.to_vec() };
        let values = self.read_known(&classes)?;
        Ok(TargetValues {
            notes: values.notes.into_iter().chain(self.variants(&classes)).collect(),
            ..values
        })
    }

    /// Reads the values of a target with these classes, or with numbers if there are none. Cells that are neither are
    /// errors.
    pub fn read_known(&self, classes: &[String]) -> Result<TargetValues, Vec<Diagnostic>> {
        let wrong: Vec<Diagnostic> =
            self.others(classes).into_iter().take(LISTED).map(|cell| self.mistake(cell, classes)).collect();
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let notes = self.unknown_note(classes.is_empty()).into_iter().collect();
        Ok(TargetValues { classes: classes.to_vec(), targets: self.targets(classes), notes })
    }

    /// Returns the cells with texts that are no numbers, or where there are classes, none of these.
    fn others(&self, classes: &[String]) -> Vec<&RawCell> {
        let is_read = |text: &str| match classes {
            [] => number(text).is_some(),
            _ => classes.iter().any(|class| class == text),
        };
        let is_other =
            |cell: &&RawCell| known_text(cell, classes.is_empty()).is_some_and(|text| !is_read(text));
        self.cells.iter().copied().filter(is_other).collect()
    }

    fn mistake(&self, cell: &RawCell, classes: &[String]) -> Diagnostic {
        let (text, name) = (cell.text.as_deref().unwrap_or_default(), self.name);
        let (message, help) = match classes {
            [] => (
                format!("`{text}` is no number, as the other values of {name} are"),
                match is_spelled_number(text.trim()) {
                    true => "numbers are written as 1234.5".to_owned(),
                    false => "an unknown value is an empty cell, or NA".to_owned(),
                },
            ),
            _ => {
                (format!("`{text}` is no class of {name}"), format!("the classes are {}", classes.join(", ")))
            }
        };
        Diagnostic::error("D0141", cell.span, message).help(help)
    }

    /// Reads the same where cells that are neither are unknown, which is told.
    pub fn read_what_is_known(&self, classes: &[String]) -> TargetValues {
        let is_numbers = classes.is_empty();
        let others = self.others(classes);
        let notes = others.first().map(|first| {
            let text = first.text.as_deref().unwrap_or_default().trim();
            let (what, kind) =
                if is_numbers { ("number", "numbers") } else { ("class that is known", "known classes") };
            let message = match others.len() {
                1 => format!("`{text}` is no {what} of {}, and counts as unknown", self.name),
                count => format!(
                    "{count} cells of {} are no {kind}, `{text}` the first, and count as unknown",
                    self.name
                ),
            };
            let help = match is_numbers {
                true => {
                    "the model learned numbers; what it predicts is not compared with these cells".to_owned()
                }
                false => format!("the classes that the model learned are {}", classes.join(", ")),
            };
            Diagnostic::warning("D0141", first.span, message).help(help)
        });
        let (classes, targets) = (classes.to_vec(), self.targets(classes));
        TargetValues { classes, targets, notes: notes.into_iter().collect() }
    }

    /// Returns what is asked: a number, or what is asked of classes; what is neither is unknown.
    fn targets(&self, classes: &[String]) -> Vec<MoleculeTarget> {
        let is_class = |text: &str| classes.iter().any(|class| class == text);
        let of = |class: &String| {
            self.target(|text| is_class(text).then(|| f64::from(u8::from(text == class))), false)
        };
        match classes {
            [] => vec![self.target(number, true)],
            [one] => vec![of(one)],
            [_, yes] => vec![of(yes)],
            many => many
                .iter()
                .map(|class| MoleculeTarget { name: class_target(self.name, class), ..of(class) })
                .collect(),
        }
    }

    fn target(&self, value: impl Fn(&str) -> Option<f64>, is_numbers: bool) -> MoleculeTarget {
        let of = |cell: &&RawCell| known_text(cell, is_numbers).and_then(&value);
        MoleculeTarget { name: self.name.to_owned(), values: self.cells.iter().map(of).collect() }
    }

    /// Returns a note of cells that say that a value is not known.
    fn unknown_note(&self, is_numbers: bool) -> Option<Diagnostic> {
        let texts = self.cells.iter().filter_map(|cell| cell.text.as_deref().map(str::trim));
        let mut all = texts.filter(|text| !text.is_empty() && is_unknown(text, is_numbers));
        let first = all.next()?;
        let (count, name) = (1 + all.count(), self.name);
        let what =
            if is_numbers { ("is no number", "are no numbers") } else { ("is no class", "are no classes") };
        let message = match count {
            1 => format!("{name}: one cell {}, and counts as unknown: `{first}`", what.0),
            _ => format!("{name}: {count} cells {}, and count as unknown, `{first}` the first", what.1),
        };
        Some(Diagnostic::note("D0142", self.table, message))
    }

    /// Returns a warning of classes that differ in capitals alone.
    fn variants(&self, classes: &[String]) -> Option<Diagnostic> {
        let is_variant =
            |one: &String, other: &String| one != other && one.to_lowercase() == other.to_lowercase();
        let of =
            |one: &String| Some((one.clone(), classes.iter().find(|other| is_variant(one, other))?.clone()));
        let (one, other) = classes.iter().find_map(of)?;
        let first = self.cells.iter().find(|cell| known_text(cell, false) == Some(&one))?;
        let message = format!("{}: `{one}` and `{other}` are two classes", self.name);
        Some(Diagnostic::warning("D0144", first.span, message).help("if they are one, spell them alike"))
    }

    /// Returns the texts that are classes, of two the one that counts as 1 last.
    fn classes(&self) -> Result<Vec<String>, Vec<Diagnostic>> {
        let known = || self.cells.iter().filter(|cell| known_text(cell, false).is_some());
        let error = |cell: Option<&&RawCell>, message: String, help: String| {
            let span = cell.map_or(self.table, |cell| cell.span);
            vec![Diagnostic::error("D0141", span, message).help(help)]
        };
        let mut classes: Vec<String> =
            known().filter_map(|cell| known_text(cell, false)).map(str::to_owned).collect();
        classes.sort();
        classes.dedup();
        let mut spelled = known().filter(|cell| known_text(cell, false).is_some_and(is_spelled_number));
        if let Some(first) = spelled.next() {
            let (text, name) = (first.text.as_deref().unwrap_or_default().trim(), self.name);
            let more = match spelled.count() {
                0 => String::new(),
                1 => ", as one cell more".to_owned(),
                more => format!(", as {more} cells more"),
            };
            let message = format!(
                "`{text}` of {name} is neither a number as they are read nor a text of a class{more}"
            );
            let help =
                "numbers have a decimal point, and neither signs between thousands nor percent signs: 1234.5";
            return Err(error(Some(first), message, help.to_owned()));
        }
        if classes.len() > MOST_CLASSES {
            let message =
                format!("{} has {} different texts, too many for classes", self.name, classes.len());
            let help = "--target names a column of numbers or of a few classes";
            return Err(error(known().next(), message, help.to_owned()));
        }
        if let [one, two] = classes.as_slice() {
            let ClassPair { no, yes, .. } = ClassPair::of(one, two);
            let is_turned = self.yes == Some(no);
            classes = if is_turned { [yes, no] } else { [no, yes] }.map(str::to_owned).to_vec();
        }
        let is_class = |yes: &&str| classes.len() == 2 && classes.iter().any(|class| class == yes);
        match self.yes.filter(|yes| !is_class(yes)) {
            Some(yes) => {
                let message =
                    format!("`{yes}` is not one of two classes of {}, one of which counts as 1", self.name);
                let help = format!(
                    "its values are {}; `--target '{}'` takes them as they are",
                    classes.join(", "),
                    self.name
                );
                Err(error(self.cells.first(), message, help))
            }
            None => Ok(classes),
        }
    }
}

/// Returns the text of a cell without blanks around it; none where it says that the value is not known.
pub(super) fn known_text(cell: &RawCell, is_numbers: bool) -> Option<&str> {
    let text = cell.text.as_deref()?.trim();
    (!text.is_empty() && !is_unknown(text, is_numbers)).then_some(text)
}

/// Tells whether a text says that a value is not known; `none` does so between numbers, and may be a class.
fn is_unknown(text: &str, is_numbers: bool) -> bool {
    let text = text.to_lowercase();
    UNKNOWN.contains(&&*text) || (is_numbers && text == "none")
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Tells whether a text is a number in a spelling that is not read: with a decimal comma (`12,5`), signs between
/// thousands (`1'234`, `1,234.5`) or a percent sign.
fn is_spelled_number(text: &str) -> bool {
    if number(text).is_some() {
        return false;
    }
    let text = text.trim_start_matches(['+', '-', '−']);
    let text = text.strip_suffix('%').unwrap_or(text).trim_end();
    let (whole, fraction) = match text.rfind([',', '.']) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, ""),
    };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let is_grouped = |text: &str| {
        let mut groups = text.split([',', '.', '\'', '’', '_', ' ', '\u{a0}', '\u{202f}']);
        groups.next().is_some_and(|first| is_digits(first) && first.len() <= 3 || is_digits(text))
            && groups.all(|group| group.len() == 3 && is_digits(group))
    };
    (is_digits(fraction) || fraction.is_empty() && whole.len() == text.len()) && is_grouped(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_other_spellings_are_told_from_classes() {
        let spelled =
            ["12,5", "-3,25", "1,234", "1,234.5", "1.234,5", "1.234.567", "1'234", "45 %", "45%", "1 234,5"];
        for text in spelled {
            assert!(is_spelled_number(text), "{text}");
        }
        for text in
            ["12.5", "1e5", "active", ">10", "<0,5", "3-4", "1.1.1", "3.4.21.4", "", "%", ",", "1,2,3", "A1"]
        {
            assert!(!is_spelled_number(text), "{text}");
        }
    }
}
