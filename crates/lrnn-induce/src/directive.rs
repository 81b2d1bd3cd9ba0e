//! Directives of a bias: `:- mode(bond(+, -, -)).`

use lrnn::{Error, ErrorKind};

/// A term of a directive: `bond(+, -, -)`, `p/2`, or a name.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct DirectiveTerm {
    /// The name, as it is written.
    pub name: String,
    /// The terms in brackets.
    pub arguments: Vec<DirectiveTerm>,
    /// The number behind `/`.
    pub arity: Option<usize>,
}

/// A directive with its arguments.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct BiasDirective {
    /// Its line, from 1.
    pub line: usize,
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<DirectiveTerm>,
}

/// A place in a line.
struct Cursor<'a> {
    text: &'a str,
    line: usize,
}

/// Reads directives, one a line; comments and empty lines are passed over.
pub(crate) fn read_directives(text: &str) -> Result<Vec<BiasDirective>, Error> {
    let mut all = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut cursor = Cursor { text: line, line: number + 1 };
        if cursor.is_at_end() {
            continue;
        }
        cursor.expect(":-")?;
        let DirectiveTerm { name, arguments, .. } = cursor.term()?;
        cursor.expect(".")?;
        if !cursor.is_at_end() {
            return Err(cursor.wrong("the end of the line"));
        }
        all.push(BiasDirective { line: number + 1, name, arguments });
    }
    Ok(all)
}

impl Cursor<'_> {
    fn skip(&mut self) {
        self.text = self.text.trim_start();
    }

    fn is_at_end(&mut self) -> bool {
        self.skip();
        self.text.is_empty() || self.text.starts_with('%')
    }

    fn wrong(&self, expected: &str) -> Error {
        let found =
            if self.text.is_empty() { "the end of the line".to_owned() } else { format!("`{}`", self.text) };
        let message = format!("line {} of the bias: expected {expected}, found {found}", self.line);
        Error::new(ErrorKind::Content, message)
            .help("a directive reads `:- mode(bond(+, -, -)).`, one a line")
    }

    fn take(&mut self, mark: &str) -> bool {
        self.skip();
        let rest = self.text.strip_prefix(mark);
        self.text = rest.unwrap_or(self.text);
        rest.is_some()
    }

    fn expect(&mut self, mark: &str) -> Result<(), Error> {
        if self.take(mark) { Ok(()) } else { Err(self.wrong(&format!("`{mark}`"))) }
    }

    fn term(&mut self) -> Result<DirectiveTerm, Error> {
        let name = self.name()?;
        let mut arguments = Vec::new();
        if self.take("(") {
            loop {
                arguments.push(self.term()?);
                if !self.take(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        let mut arity = None;
        if arguments.is_empty() && self.take("/") {
            let number = self.name()?;
            arity = Some(number.parse().map_err(|_| self.wrong("a number of terms behind `/`"))?);
        }
        Ok(DirectiveTerm { name, arguments, arity })
    }

    /// Reads a name as it is written, with its quotes.
    fn name(&mut self) -> Result<String, Error> {
        self.skip();
        let mut characters = self.text.char_indices();
        let end = match characters.next() {
            Some((_, '\'')) => {
                let mut escaped = false;
                let close = characters.find(|(_, c)| {
                    let found = *c == '\'' && !escaped;
                    escaped = *c == '\\' && !escaped;
                    found
                });
                close.map_or(0, |(at, _)| at + 1)
            }
            Some((_, '+' | '-' | '#' | '*')) => 1,
            _ => self
                .text
                .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
                .unwrap_or(self.text.len()),
        };
        if end == 0 {
            return Err(self.wrong("a name"));
        }
        let (name, rest) = self.text.split_at(end);
        self.text = rest;
        Ok(name.to_owned())
    }
}
