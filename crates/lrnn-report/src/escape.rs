//! Texts of people in pictures: nothing in them can end a text, begin an element or hide anything.

use lrnn::vocabulary::is_hidden;

/// Returns a character that may be shown.
fn plain(c: char) -> char {
    if is_hidden(c) || matches!(c, '\u{fffe}' | '\u{ffff}') { '\u{fffd}' } else { c }
}

/// Returns a text inside an element or an attribute of XML.
pub fn xml(text: &str) -> String {
    let text: String = text.chars().map(plain).collect();
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

/// Returns a text between double quotes of DOT, the quotes with it.
pub fn dot_text(text: &str) -> String {
    let text: String = text.chars().map(plain).collect();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns the beginning of a long text.
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Returns a number as pictures have room for it.
pub fn number(number: f64) -> String {
    if number != 0.0 && !(1e-3..1e5).contains(&number.abs()) {
        return format!("{number:.1e}");
    }
    let digits = if number.abs() < 10.0 { 3 } else { 1 };
    let text = format!("{number:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let check = |given, expected| assert_eq!(number(given), expected);
        check(0.0, "0");
        check(1.0, "1");
        check(-0.25, "-0.25");
        check(0.620_297, "0.62");
        check(123.456, "123.5");
        check(100.0, "100");
        check(1e-7, "1.0e-7");
    }

    #[test]
    fn texts_stay_texts() {
        assert_eq!(xml("<a b=\"c\">&'\u{1b}\u{202e}"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;\u{fffd}\u{fffd}");
        assert_eq!(dot_text("a\"b\\"), "\"a\\\"b\\\\\"");
        assert_eq!(shortened("abcdef", 4), "abc…");
    }
}
