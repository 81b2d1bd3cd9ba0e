//! Turtle, and N-Triples, which is a part of it. `<s> <p> <o>` is the fact `p(s, o)`, all with their whole IRIs. Literals
//! are names, with their language where they have one (`chat@fr`); those of a numeric type are numbers. A blank node is a
//! name such as `_:b1`.

use std::collections::BTreeMap;

use lrnn::diagnostic::{SourceId, Span};
use lrnn::vocabulary::Constant;

use super::{GraphFacts, PlacedFact, wrong};

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

/// Something wrong: the message and the bytes it is about.
type TurtleMistake = (String, usize, usize);

/// Objects within objects are read up to this depth.
const DEEPEST: usize = 200;

pub(super) fn read(text: &str, source: SourceId) -> GraphFacts {
    let mut reader = TurtleReader { text, source, ..TurtleReader::default() };
    let mut mistakes = Vec::new();
    while !reader.at_end() {
        if let Err((message, start, end)) = reader.statement() {
            mistakes.push(wrong(source, start, end.max(start + 1).min(text.len().max(start)), message));
            if mistakes.len() == 50 {
                break;
            }
            // The next line may be right.
            reader.at = text[reader.at..].find('\n').map_or(text.len(), |line| reader.at + line + 1);
        }
    }
    if mistakes.is_empty() { Ok(vec![reader.facts]) } else { Err(mistakes) }
}

#[derive(Default)]
struct TurtleReader<'a> {
    text: &'a str,
    source: SourceId,
    at: usize,
    base: String,
    prefixes: BTreeMap<String, String>,
    /// Number of blank nodes that have no name of their own.
    blank: usize,
    depth: usize,
    facts: Vec<PlacedFact>,
}

impl<'a> TurtleReader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    fn at_end(&mut self) -> bool {
        self.skip_blanks();
        self.rest().is_empty()
    }

    fn take(&mut self, sign: &str) -> bool {
        self.skip_blanks();
        let is_there = self.rest().starts_with(sign);
        self.at += if is_there { sign.len() } else { 0 };
        is_there
    }

    fn expect(&mut self, sign: &str) -> Result<(), TurtleMistake> {
        if self.take(sign) {
            return Ok(());
        }
        let found: String = self.rest().chars().take(1).collect();
        let found = if found.is_empty() { "the end".to_owned() } else { format!("`{found}`") };
        Err((format!("expected `{sign}`, found {found}"), self.at, self.at + found.len().saturating_sub(2)))
    }

    fn word(&mut self, word: &str) -> bool {
        let is_word = self.rest().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
            && self.rest()[word.len()..].starts_with(char::is_whitespace);
        self.at += if is_word { word.len() } else { 0 };
        is_word
    }

    fn statement(&mut self) -> Result<(), TurtleMistake> {
        self.skip_blanks();
        let is_directive = self.rest().starts_with('@');
        self.at += usize::from(is_directive);
        if self.word("prefix") {
            self.skip_blanks();
            let name = self.rest().split(':').next().unwrap_or("").to_owned();
            self.at += name.len();
            self.expect(":")?;
            self.skip_blanks();
            let iri = self.iri()?;
            self.prefixes.insert(name, iri);
        } else if self.word("base") {
            self.skip_blanks();
            self.base = self.iri()?;
        } else if is_directive {
            return Err(("expected `@prefix` or `@base`".to_owned(), self.at - 1, self.at));
        } else {
            let start = self.at;
            let subject = self.object()?;
            self.skip_blanks();
            if !(self.text[start..].starts_with('[') && self.rest().starts_with('.')) {
                self.predicates(&subject)?;
            }
            return self.expect(".");
        }
        if is_directive { self.expect(".") } else { Ok(()) }
    }

    /// Reads predicates and objects of a subject: `p o1, o2; q o3`.
    fn predicates(&mut self, subject: &Constant) -> Result<(), TurtleMistake> {
        loop {
            self.skip_blanks();
            let start = self.at;
            let predicate = match self.word("a") {
                true => format!("{RDF}type"),
                false => self.name()?,
            };
            loop {
                let object = self.object()?;
                self.add(&predicate, subject.clone(), object, start);
                if !self.take(",") {
                    break;
                }
            }
            let mut is_more = false;
            while self.take(";") {
                is_more = true;
            }
            self.skip_blanks();
            if !is_more || self.rest().starts_with(['.', ']']) {
                return Ok(());
            }
        }
    }

    fn add(&mut self, predicate: &str, subject: Constant, object: Constant, start: usize) {
        let place = Span { source: self.source, start: start as u32, end: self.at as u32 };
        self.facts.push(PlacedFact::new(predicate, vec![subject, object], place));
    }

    fn new_blank(&mut self) -> Constant {
        self.blank += 1;
        Constant::Name(format!("_:{}", self.blank).as_str().into())
    }

    /// Reads a subject or an object.
    fn object(&mut self) -> Result<Constant, TurtleMistake> {
        self.skip_blanks();
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(("this is nested too deep".to_owned(), self.at, self.at + 1));
        }
        let found = match self.rest().chars().next() {
            Some('[') => self.blank_object(),
            Some('(') => self.list(),
            Some('"' | '\'') => self.literal(),
            Some(c) if c.is_ascii_digit() || c == '+' || c == '-' => self.number(),
            _ if self.boolean("true") => Ok(Constant::Name("true".into())),
            _ if self.boolean("false") => Ok(Constant::Name("false".into())),
            _ => self.name().map(|name| Constant::Name(name.as_str().into())),
        };
        self.depth -= 1;
        found
    }

    fn boolean(&mut self, word: &str) -> bool {
        let after = self.rest().strip_prefix(word);
        let is_word = after
            .is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == ':' || c == '_'));
        self.at += if is_word { word.len() } else { 0 };
        is_word
    }

    fn blank_object(&mut self) -> Result<Constant, TurtleMistake> {
        self.at += 1;
        let node = self.new_blank();
        if !self.take("]") {
            self.predicates(&node)?;
            self.expect("]")?;
        }
        Ok(node)
    }

    /// Reads a list: nodes with `rdf:first` and `rdf:rest`.
    fn list(&mut self) -> Result<Constant, TurtleMistake> {
        let start = self.at;
        self.at += 1;
        let mut objects = Vec::new();
        while !self.take(")") {
            if self.at_end() {
                return Err(("this list has no end `)`".to_owned(), start, start + 1));
            }
            objects.push(self.object()?);
        }
        let mut rest = Constant::Name(format!("{RDF}nil").as_str().into());
        for object in objects.into_iter().rev() {
            let node = self.new_blank();
            self.add(&format!("{RDF}first"), node.clone(), object, start);
            self.add(&format!("{RDF}rest"), node.clone(), rest, start);
            rest = node;
        }
        Ok(rest)
    }

    fn number(&mut self) -> Result<Constant, TurtleMistake> {
        let rest = self.rest();
        let mut length =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(rest.len());
        // A full stop behind a number ends the sentence.
        if rest[..length].ends_with('.') {
            length -= 1;
        }
        let text = &rest[..length];
        let found =
            number(text).ok_or_else(|| (format!("`{text}` is no number"), self.at, self.at + length))?;
        self.at += length;
        Ok(found)
    }

    fn literal(&mut self) -> Result<Constant, TurtleMistake> {
        let start = self.at;
        let quote = &self.rest()[..1];
        let long = quote.repeat(3);
        let end = if self.rest().starts_with(&long) { long.as_str() } else { quote };
        self.at += end.len();
        let mut out = String::new();
        loop {
            let rest = self.rest();
            if rest.starts_with(end) {
                self.at += end.len();
                break;
            }
            match rest.chars().next() {
                Some('\\') => out.push(self.escape()?),
                Some(c) if c != '\n' || end.len() == 3 => {
                    out.push(c);
                    self.at += c.len_utf8();
                }
                _ => return Err((format!("this literal has no end `{end}`"), start, start + 1)),
            }
        }
        if self.rest().starts_with('@') {
            let rest = self.rest();
            let length =
                rest[1..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(rest.len() - 1);
            out.push_str(&rest[..=length]);
            self.at += 1 + length;
        } else if self.rest().starts_with("^^") {
            self.at += 2;
            let kind = self.name()?;
            if let Some(kind) = kind.strip_prefix(XSD).filter(|kind| is_numeric(kind)) {
                let message = || (format!("`{out}` is no {kind}"), start, self.at);
                return number(out.trim()).ok_or_else(message);
            }
        }
        Ok(Constant::Name(out.as_str().into()))
    }

    fn escape(&mut self) -> Result<char, TurtleMistake> {
        let start = self.at;
        let sign = self.rest().chars().nth(1).unwrap_or(' ');
        self.at += 1 + sign.len_utf8();
        if let Some((_, c)) = SIMPLE.chars().zip(SIMPLE_LETTERS.chars()).find(|pair| pair.0 == sign) {
            return Ok(c);
        }
        let digits = DIGITS.iter().find(|entry| entry.0 == sign).map_or(0, |entry| entry.1);
        let found = letter(self.rest(), digits);
        self.at += if found.is_some() { digits } else { 0 };
        found.ok_or_else(|| ("this escape stands for no letter".to_owned(), start, self.at))
    }

    fn iri(&mut self) -> Result<String, TurtleMistake> {
        let start = self.at;
        let inner = self.rest().strip_prefix('<').and_then(|rest| rest.split_once('>')).map(|parts| parts.0);
        let inner = inner.filter(|inner| !inner.contains(['\n', ' ', '<']));
        let inner = inner.ok_or_else(|| ("expected an IRI in `<` and `>`".to_owned(), start, start + 1))?;
        self.at += inner.len() + 2;
        let inner = unescaped_iri(inner)
            .ok_or_else(|| ("an escape in this IRI stands for no letter".to_owned(), start, self.at))?;
        let is_whole = inner.split_once(':').is_some_and(|(scheme, _)| !scheme.contains(['/', '#', '?']));
        Ok(if is_whole { inner } else { resolved(&self.base, &inner) })
    }

    /// Reads an IRI, a name with a prefix, or the name of a blank node.
    fn name(&mut self) -> Result<String, TurtleMistake> {
        self.skip_blanks();
        if self.rest().starts_with('<') {
            return self.iri();
        }
        let (start, rest) = (self.at, self.rest());
        let is_part = |c: char| c.is_alphanumeric() || "_-.:%·".contains(c);
        let mut is_escaped = false;
        let length = rest.find(|c: char| {
            let was_escaped = is_escaped;
            is_escaped = !was_escaped && c == '\\';
            !(is_part(c) || c == '\\' || was_escaped && ESCAPED.contains(c))
        });
        let word = &rest[..length.unwrap_or(rest.len())];
        let word = if word.ends_with("\\.") { word } else { word.trim_end_matches('.') };
        let shown: String = rest.chars().take(1).collect();
        let Some((prefix, local)) = word.split_once(':') else {
            let message = format!(
                "expected an IRI, a name with its prefix or a literal, found `{}`",
                if word.is_empty() { &shown } else { word }
            );
            return Err((message, start, start + word.len().max(shown.len())));
        };
        self.at += word.len();
        if prefix == "_" {
            return Ok(word.to_owned());
        }
        let base = self.prefixes.get(prefix);
        let base =
            base.ok_or_else(|| (format!("there is no prefix `{prefix}:`"), start, start + prefix.len() + 1))?;
        Ok(format!("{base}{}", local.replace('\\', "")))
    }
}

/// Signs that a name with a prefix may have behind a backslash.
const ESCAPED: &str = "_~.-!$&'()*+,;=/?#@%";

/// Signs behind a backslash, and the letters that they stand for.
const SIMPLE: &str = "tnrbf\"'\\";
const SIMPLE_LETTERS: &str = "\t\n\r\u{8}\u{c}\"'\\";

/// Signs behind a backslash that begin the number of a letter, with its hexadecimal digits.
const DIGITS: [(char, usize); 2] = [('u', 4), ('U', 8)];

/// Returns the letter whose number these first digits are.
fn letter(text: &str, digits: usize) -> Option<char> {
    let code = text.get(..digits).filter(|code| !code.is_empty())?;
    char::from_u32(u32::from_str_radix(code, 16).ok()?)
}

/// Replaces `\u0062` and `\U00000062` in an IRI.
fn unescaped_iri(text: &str) -> Option<String> {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let (_, digits) = DIGITS.iter().find(|entry| rest[at + 1..].starts_with(entry.0))?;
        out.push(letter(&rest[at + 2..], *digits)?);
        rest = &rest[at + 2 + digits..];
    }
    Some(out + rest)
}

/// Returns a relative IRI as seen from a base: a part of it, a path from its root, or a neighbour of its last part.
fn resolved(base: &str, inner: &str) -> String {
    let path = base.find("://").map_or(0, |at| at + 3);
    let root = base[path..].find('/').map_or(base.len(), |at| path + at);
    match inner.chars().next() {
        None => base.to_owned(),
        Some('#') => format!("{}{inner}", base.split('#').next().unwrap_or("")),
        Some('/') => format!("{}{inner}", &base[..root]),
        Some(_) => match base[root..].rfind('/') {
            Some(at) => format!("{}{inner}", &base[..=root + at]),
            None => format!("{base}{}{inner}", if base.is_empty() { "" } else { "/" }),
        },
    }
}

fn number(text: &str) -> Option<Constant> {
    let whole = text.strip_prefix('+').unwrap_or(text).parse().ok().map(Constant::Integer);
    whole.or_else(|| text.parse().ok().filter(|number: &f64| number.is_finite()).map(Constant::number))
}

/// The types of XML Schema whose literals are numbers.
const NUMERIC: &str = "integer decimal double float int long short byte nonNegativeInteger positiveInteger";

fn is_numeric(kind: &str) -> bool {
    NUMERIC.split(' ').any(|known| known == kind)
}
