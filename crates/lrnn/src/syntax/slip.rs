//! Slips that are common enough to be known by what stands around them.

/// Returns help for a slip, from the text before the place of the mistake and the text from there on.
pub fn slip(before: &str, rest: &str) -> Option<&'static str> {
    let number_behind = |mark: char| rest.strip_prefix(mark).is_some_and(|rest| rest.starts_with(digit));
    let word = before.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    let comes_after = |marks: &[char]| before.trim_end().ends_with(marks);
    Some(match word {
        _ if rest.starts_with('#') || rest.starts_with("//") => "a comment begins with `%`",
        _ if number_behind(',') && before.ends_with(digit) => "a number has a decimal point: `0.9`",
        _ if rest.starts_with('[') && comes_after(&['(', ',']) => {
            "there are no lists: write a fact for each element, as in `member(list1, a)`"
        }
        _ if (rest.starts_with("::") || rest.starts_with(": ")) && comes_after(&[')']) => WEIGHT,
        _ if rest.starts_with(digit) && (comes_after(&[')']) || before.trim_end().ends_with("::")) => WEIGHT,
        _ if rest.starts_with('[') && rest[1..].starts_with(digit) && comes_after(&[')']) => WEIGHT,
        _ if rest.trim_start().is_empty() && before.trim_end().ends_with(digit) => WEIGHT,
        _ if rest.starts_with("<-") => "\"if\" is written `:-`",
        _ if rest.starts_with("->") || rest.starts_with("=>") => "a rule has its head first: `head :- body.`",
        _ if number_behind('.') => "a number begins with a digit: `0.5`",
        _ if rest.starts_with("..") => "a range stands in a fact of a template: `p(1..3).`",
        _ if rest.starts_with('\'') && before.ends_with('\'') => {
            "a quote inside a quoted text is written \\'"
        }
        _ if rest.starts_with('-') && before.ends_with(digit) => {
            "a constant that begins with a digit and is no number is quoted: '2024-01-02'"
        }
        "not" if rest.starts_with(char::is_alphabetic) => {
            "only what holds is written: `not` stands before a literal of a body"
        }
        "nan" | "inf" if rest.starts_with(char::is_alphabetic) => "a value is a finite number",
        _ => return None,
    })
}

const WEIGHT: &str = "a weight stands before what it weighs: `0.5 :: p(X) :- q(X).`";

fn digit(c: char) -> bool {
    c.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_known() {
        let known = |before, rest, word: &str| {
            assert!(slip(before, rest).is_some_and(|help| help.contains(word)), "{before}{rest}");
        };
        known("p(X) ", "<- q(X).", ":-");
        known("p(X) ", "-> q(X).", "head first");
        known("", ".5 :: p.", "0.5");
        known("p('it'", "'s').", "\\'");
        known("p(2024", "-01-02).", "quoted");
        known("q(1", "..3).", "template");
        known("not ", "p(X) :- q(X).", "`not`");
        known("nan ", "q(a).", "finite");
        known("p. ", "# a comment", "`%`");
        known("p. ", "// a comment", "`%`");
        known("0", ",9 :: p.", "0.9");
        known("p(", "[a, b]).", "lists");
        known("p(X) :- q(X) ", ":: 0.5.", "before");
        known("p :- q :: ", "0.5.", "before");
        known("p(a) ", "0.5, q(b).", "before");
        known("p(X) :- q(X). 0.5", "", "before");
        assert_eq!(slip("p(X) ", "q(X)."), None);
        assert_eq!(slip("p :- not ", ", q."), None);
    }
}
