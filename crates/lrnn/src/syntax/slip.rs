//! Slips that are common enough to be known by what stands around them.

/// Help for a slip, from the text before the place of the mistake and the text from there on.
pub fn slip(before: &str, rest: &str) -> Option<&'static str> {
    let number_behind = |mark: char| rest.strip_prefix(mark).is_some_and(|rest| rest.starts_with(digit));
    let word = before.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    Some(match word {
        _ if rest.starts_with("<-") => "\"if\" is written `:-`",
        _ if rest.starts_with("->") || rest.starts_with("=>") => "a rule has its head first: `head :- body.`",
        _ if number_behind('.') => "a number begins with a digit: `0.5`",
        _ if number_behind('+') => "a number has no plus sign",
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
        known("", "+2 :: p.", "plus");
        known("p('it'", "'s').", "\\'");
        known("p(2024", "-01-02).", "quoted");
        known("q(1", "..3).", "template");
        known("not ", "p(X) :- q(X).", "`not`");
        known("nan ", "q(a).", "finite");
        assert_eq!(slip("p(X) ", "q(X)."), None);
        assert_eq!(slip("p :- not ", ", q."), None);
    }
}
