//! Text into tokens, one at a time. It never fails: what it cannot read becomes a [`TokenKind::Unknown`] or an
//! unfinished token, and whoever asked for the token says so.

use super::slip;
use crate::diagnostic::{SourceId, Span};

/// The kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A name: it begins with a letter that is not a capital.
    Name,
    /// A variable: it begins with a capital or `_`.
    Variable,
    /// A number, with its sign.
    Number,
    /// A text between quotes.
    Quoted,
    /// `import` and the rest of its line.
    Import,
    /// A mark of one to three characters.
    Mark(&'static str),
    /// A quoted text or a comment that does not end.
    Unfinished,
    /// A character that has no place in the language.
    Unknown,
    /// The end of the text.
    End,
}

/// A token and its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// Returns the mark that a text begins with: the longest one.
#[inline]
fn mark(text: &[u8]) -> Option<&'static str> {
    Some(match text {
        [b'(', ..] => "(",
        [b')', ..] => ")",
        [b',', ..] => ",",
        [b'.', b'.', b'.', ..] => "...",
        [b'.', b'.', ..] => "..",
        [b'.', ..] => ".",
        [b'[', ..] => "[",
        [b']', ..] => "]",
        [b'<', b'=', ..] => "<=",
        [b'<', ..] => "<",
        [b'>', b'=', ..] => ">=",
        [b'>', ..] => ">",
        [b':', b'-', ..] => ":-",
        [b':', b':', ..] => "::",
        [b':', ..] => ":",
        [b'=', b'<', ..] => "=<",
        [b'=', b'=', ..] => "==",
        [b'=', ..] => "=",
        [b'!', b'=', ..] => "!=",
        [b'!', ..] => "!",
        [b'\\', b'=', ..] => "\\=",
        [b'{', ..] => "{",
        [b'}', ..] => "}",
        [b'/', ..] => "/",
        [b'*', ..] => "*",
        [b'~', ..] => "~",
        [b'@', ..] => "@",
        [b'$', ..] => "$",
        [b'-', ..] => "-",
        [b';', ..] => ";",
        _ => return None,
    })
}

/// The tokens of a text.
#[derive(Clone)]
pub struct Lexer<'a> {
    text: &'a str,
    source: SourceId,
    position: usize,
    comments: Option<Vec<Span>>,
    /// True behind a name, a number or a closing bracket, where `+` adds and is no sign.
    behind_operand: bool,
}

impl<'a> Lexer<'a> {
    /// Returns the tokens of a text.
    pub fn new(text: &'a str, source: SourceId) -> Self {
        let position = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { text, source, position, comments: None, behind_operand: false }
    }

    /// Returns the same from a place on, before a token.
    pub fn from(self, start: usize) -> Self {
        Self { position: self.position.max(start), ..self }
    }

    /// Returns the same, keeping the places of comments.
    pub fn keeping_comments(mut self) -> Self {
        self.comments = Some(Vec::new());
        self
    }

    /// Returns the places of the comments passed so far.
    pub fn into_comments(self) -> Vec<Span> {
        self.comments.unwrap_or_default()
    }

    /// Returns the text of a token.
    pub fn text(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// Returns help for what stands at this token, if it is a slip that is known.
    pub fn slip(&self, token: Token) -> Option<&'static str> {
        let (before, rest) = self.text.split_at_checked(token.start as usize)?;
        slip(before, rest)
    }

    /// Returns whether this full stop ends a sentence; in the slip `.5` it does not.
    pub fn ends_sentence(&self, token: Token) -> bool {
        let digit = |byte: &u8| byte.is_ascii_digit();
        token.kind == TokenKind::Mark(".") && !self.text.as_bytes().get(token.end as usize).is_some_and(digit)
    }

    /// Returns whether a percent sign stands right behind this token, as in `90%`, where it begins a comment.
    pub fn is_percentage(&self, token: Token) -> bool {
        self.text.as_bytes().get(token.end as usize) == Some(&b'%')
    }

    /// Returns the text from one byte to another; empty where they are not in order.
    pub fn between(&self, (start, end): (usize, usize)) -> &'a str {
        self.text.get(start..end).unwrap_or("")
    }

    /// Returns the place of a token.
    pub fn span(&self, token: Token) -> Span {
        Span { source: self.source, start: token.start, end: token.end }
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.position..]
    }

    fn token(&mut self, kind: TokenKind, length: usize) -> Token {
        let start = self.position as u32;
        self.position += length;
        Token { kind, start, end: self.position as u32 }
    }

    /// Skips blanks and comments; an unfinished comment comes back as a token.
    fn skip(&mut self) -> Option<Token> {
        loop {
            let rest = self.rest();
            let blanks = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
            self.position += blanks;
            let rest = self.rest();
            let length = match rest {
                [b'%', ..] => rest.iter().take_while(|&&b| b != b'\n').count(),
                [b'/', b'*', inside @ ..] => match comment_end(inside) {
                    Some(end) => end + 4,
                    None => return Some(self.token(TokenKind::Unfinished, rest.len())),
                },
                [first, ..] if *first >= 0x80 => {
                    let character = self.text[self.position..].chars().next().filter(|c| c.is_whitespace());
                    match character {
                        Some(blank) => {
                            self.position += blank.len_utf8();
                            continue;
                        }
                        None => return None,
                    }
                }
                _ => return None,
            };
            let span = Span {
                source: self.source,
                start: self.position as u32,
                end: (self.position + length) as u32,
            };
            if let Some(comments) = &mut self.comments {
                comments.push(span);
            }
            self.position += length;
        }
    }

    /// Returns all tokens that are left, the last of them [`TokenKind::End`].
    pub fn tokens(&mut self) -> Vec<Token> {
        let mut tokens = vec![self.next_token()];
        while tokens.last().is_some_and(|last| last.kind != TokenKind::End) {
            tokens.push(self.next_token());
        }
        tokens
    }

    /// Returns the next token; after the last one, [`TokenKind::End`] for ever.
    pub fn next_token(&mut self) -> Token {
        if self.rest().starts_with(b" ") {
            self.position += 1;
        }
        // Nearly all tokens follow each other at once or behind one blank.
        let may_skip = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'%' | b'/' | 0x80..);
        if self.rest().first().is_some_and(may_skip)
            && let Some(unfinished) = self.skip()
        {
            return unfinished;
        }
        let rest = self.rest();
        let Some(&first) = rest.first() else { return self.token(TokenKind::End, 0) };
        let digit_follows = || rest.get(1).is_some_and(u8::is_ascii_digit);
        let token = match first {
            b'a'..=b'z' => self.name(),
            b'A'..=b'Z' | b'_' => self.word(TokenKind::Variable),
            b'0'..=b'9' => self.number(0),
            b'-' if digit_follows() => self.number(1),
            b'+' if !self.behind_operand && digit_follows() => self.number(1),
            b'\'' | b'"' => self.quoted(first),
            0x80.. => self.other(),
            _ => self.mark(),
        };
        self.behind_operand = !matches!(token.kind, TokenKind::Mark(mark) if mark != ")");
        token
    }

    fn word(&mut self, kind: TokenKind) -> Token {
        let rest = self.rest();
        let is_in_word = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'_';
        let mut length = rest.iter().take_while(is_in_word).count();
        if rest.get(length).is_some_and(|b| !b.is_ascii()) {
            let text = &self.text[self.position..];
            length = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
        }
        self.token(kind, length)
    }

    fn name(&mut self) -> Token {
        let is_import = self.rest().starts_with(b"import");
        let mut name = self.word(TokenKind::Name);
        while let [b'-', next, ..] = self.rest()
            && next.is_ascii_alphanumeric()
        {
            self.position += 1;
            name.end = self.word(TokenKind::Name).end;
        }
        let import = if is_import && self.text(name) == "import" { self.import(name) } else { None };
        import.unwrap_or(name)
    }

    /// `import ./path` up to the end of the line: the one construct that does not end with a full stop.
    fn import(&mut self, name: Token) -> Option<Token> {
        let line = self.text[name.end as usize..].lines().next()?;
        let line = line.split('%').next()?.trim_end();
        let path = line.trim_start();
        let is_path = line.len() > path.len()
            && path.starts_with(|c: char| c.is_alphanumeric() || "./\"'".contains(c))
            && !path.contains("(");
        is_path.then(|| {
            self.position = name.end as usize + line.len();
            Token { kind: TokenKind::Import, start: name.start, end: self.position as u32 }
        })
    }

    /// Returns a name or variable that begins with a letter outside ASCII, or a character with no place here.
    fn other(&mut self) -> Token {
        let Some(first) = self.text[self.position..].chars().next() else {
            return self.token(TokenKind::End, 0);
        };
        match first {
            c if c.is_uppercase() => self.word(TokenKind::Variable),
            c if c.is_alphabetic() => self.word(TokenKind::Name),
            c => self.token(TokenKind::Unknown, c.len_utf8()),
        }
    }

    fn number(&mut self, sign: usize) -> Token {
        let rest = self.rest();
        let digits =
            |from: usize| rest[from.min(rest.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut length = sign + digits(sign);
        if rest.get(length) == Some(&b'.') && digits(length + 1) > 0 {
            length += 1 + digits(length + 1);
        }
        if matches!(rest.get(length), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(rest.get(length + 1), Some(b'+' | b'-')));
            let exponent = digits(length + 1 + sign);
            if exponent > 0 {
                length += 1 + sign + exponent;
            }
        }
        self.token(TokenKind::Number, length)
    }

    fn quoted(&mut self, quote: u8) -> Token {
        let rest = self.rest();
        let mut at = 1;
        while at < rest.len() && rest[at] != b'\n' {
            match rest[at] {
                b'\\' => at += 2,
                b if b == quote => return self.token(TokenKind::Quoted, at + 1),
                _ => at += 1,
            }
        }
        // An escape may have stepped into a character of several bytes or past the end.
        let mut length = at.min(rest.len());
        while !self.text.is_char_boundary(self.position + length) {
            length += 1;
        }
        self.token(TokenKind::Unfinished, length)
    }

    fn mark(&mut self) -> Token {
        match mark(self.rest()) {
            Some(mark) => self.token(TokenKind::Mark(mark), mark.len()),
            None => self.token(TokenKind::Unknown, 1),
        }
    }
}

/// Returns where the comment ends, of which the beginning is passed: comments may stand in one another, but a beginning
/// that has no end of its own says nothing.
fn comment_end(inside: &[u8]) -> Option<usize> {
    let mut depth = 0_u32;
    let mut first = None;
    let mut at = 0;
    while let Some(pair) = inside.get(at..at + 2) {
        match pair {
            b"*/" if depth == 0 => return Some(at),
            b"*/" => {
                first = first.or(Some(at));
                depth -= 1;
            }
            b"/*" => depth += 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
    }
    first
}

/// Returns the text between quotes, its escapes resolved; `None` if an escape is not one of ours.
pub fn unquote(quoted: &str) -> Option<String> {
    let inside = quoted.get(1..quoted.len().checked_sub(1)?)?;
    let mut text = String::with_capacity(inside.len());
    let mut characters = inside.chars();
    while let Some(c) = characters.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        text.push(match characters.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            c @ ('\'' | '"' | '\\') => c,
            'u' => {
                let digits = characters.as_str().strip_prefix('{')?;
                let (digits, after) = digits.split_once('}')?;
                characters = after.chars();
                char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
            }
            _ => return None,
        });
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut lexer = Lexer::new(text, SourceId(0));
        let mut found = Vec::new();
        loop {
            let token = lexer.next_token();
            if token.kind == TokenKind::End {
                break;
            }
            found.push(lexer.text(token));
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn tokens() {
        check("0.5 p(X) :- q(X,_).", &["0.5", "p", "(", "X", ")", ":-", "q", "(", "X", ",", "_", ")", "."]);
        check("p(1..3).", &["p", "(", "1", "..", "3", ")", "."]);
        check("p :- q, -0.5e-3. % end\n r.", &["p", ":-", "q", ",", "-0.5e-3", ".", "r", "."]);
        check("'it\\'s' /* a \n b */ \"x\"", &["'it\\'s'", "\"x\""]);
        check("import ./a-b.txt\np.", &["import ./a-b.txt", "p", "."]);
        check("import :- a.", &["import", ":-", "a", "."]);
        check("co-occurs-2(a,-1)", &["co-occurs-2", "(", "a", ",", "-1", ")"]);
        check("äh(Ü)", &["äh", "(", "Ü", ")"]);
    }

    #[test]
    fn a_plus_is_a_sign_where_nothing_stands_before_it() {
        check("+0.5 p(+2, X) :- +1 q.", &["+0.5", "p", "(", "+2", ",", "X", ")", ":-", "+1", "q", "."]);
        check("N = M +1, p(X) +2 q", &["N", "=", "M", "+", "1", ",", "p", "(", "X", ")", "+", "2", "q"]);
    }

    #[test]
    fn comments_stand_in_one_another() {
        check("a /* b /* c */ d */ e", &["a", "e"]);
        check("a /* b /* c */ d", &["a", "d"]);
        check("a /**/ b /*/ c */ d", &["a", "b", "d"]);
    }

    #[test]
    fn unfinished_and_unknown() {
        check("'abc\ndef", &["'abc", "def"]);
        check("/* abc", &["/* abc"]);
        check("'\\é", &["'\\é"]);
        check("p # q", &["p", "#", "q"]);
    }

    #[test]
    fn escapes() {
        assert_eq!(unquote(r"'a\'b\u{e9}\n'").as_deref(), Some("a'bé\n"));
        assert_eq!(unquote(r"'\x'"), None);
    }
}
