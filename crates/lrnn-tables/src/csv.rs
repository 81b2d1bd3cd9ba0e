//! CSV: a header with the names of the columns, then rows of cells. In: bytes. Out: cells, each with its line and
//! column, or everything that is wrong with the text.
//!
//! The format is RFC 4180 and no wider, for whatever is read more kindly is read wrongly some day: a cell is in quotes as
//! a whole or not at all, a quote within quotes is doubled, every row has as many cells as the header. Lines end with
//! `\n`, `\r\n`, or, in a text without `\n`, `\r`. A cell with nothing in it is NULL; `""` is an empty text. Blank lines
//! between rows are no rows where there are several columns, and are counted. A first line `sep=;` names the separator.
//!
//! Cells are stretches of the text: so a million rows cost the text and eight bytes a cell, and the place of a cell
//! is where it begins.

use std::borrow::Cow;
use std::path::Path;

use lrnn::diagnostic::{Diagnostic, SourceId, Sources, Span, did_you_mean};
use lrnn::{Error, ErrorKind};

use crate::Encoding;
use crate::file::{MOST_BYTES, file_error, read_bytes};

/// After so many mistakes the rest is not worth listing.
const MOST_MISTAKES: usize = 50;

/// The ways to read CSV that a file does not tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CsvOptions {
    /// The character between cells. Where none is given it is that of a first line such as `sep=;`, else `,`, or `;` or a tab
    /// if the header has no comma.
    pub separator: Option<u8>,
    /// The encoding of the text.
    pub encoding: Encoding,
}

/// A table of texts with the names of its columns.
#[derive(Clone, Debug)]
pub struct Csv {
    names: Vec<String>,
    sources: Sources,
    source: SourceId,
    /// Beginning and end of each cell in the text, without its quotes, row by row.
    cells: Vec<(u32, u32)>,
    /// Place of the names of the columns.
    header: Vec<(u32, u32)>,
    separator: u8,
    /// Lines without a cell, from 1.
    blank_lines: Vec<u32>,
}

impl Csv {
    /// Reads a file, plain or gzipped.
    pub fn read(path: &Path, options: CsvOptions) -> Result<Self, Error> {
        let bytes = read_bytes(path)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(file_error(path, "the file holds more than 4 GB of text").help("split it"));
        }
        Self::parse(&path.display().to_string(), bytes, options)
    }

    /// Reads bytes under a name for messages.
    ///
    /// ```
    /// use lrnn_tables::{Csv, CsvOptions};
    /// let csv = Csv::parse("shop.csv", "id,name\n007,\"Smith, \"\"Al\"\"\"\n8,\n".into(), CsvOptions::default())?;
    /// assert_eq!(csv.names(), ["id", "name"]);
    /// assert_eq!(csv.cell(0, 0).as_deref(), Some("007"));
    /// assert_eq!(csv.cell(0, 1).as_deref(), Some("Smith, \"Al\""));
    /// assert_eq!(csv.cell(1, 1), None); // NULL
    /// assert_eq!(csv.line_column(1, 0), (3, 1));
    /// # Ok::<(), lrnn::Error>(())
    /// ```
    pub fn parse(name: &str, bytes: Vec<u8>, options: CsvOptions) -> Result<Self, Error> {
        let text = match options.encoding.decode(bytes) {
            Ok(text) => text,
            Err(wrong) => return Err(encoding_error(name, wrong)),
        };
        let mut sources = Sources::of_data();
        let source = sources.add(name, text);
        let mut reader = Reader::new(sources.text(source), source, options.separator);
        reader.all();
        let Reader { cells, header, separator, blank_lines, diagnostics, .. } = reader;
        if !diagnostics.is_empty() {
            return Err(Error::of(ErrorKind::Content, diagnostics, &sources));
        }
        let text = sources.text(source);
        let names = header.iter().map(|&cell| name_of(text, cell)).collect();
        let csv = Self { names, sources, source, cells, header, separator, blank_lines };
        csv.check_names()?;
        Ok(csv)
    }

    /// Returns the names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns how many rows there are below the header.
    pub fn rows(&self) -> usize {
        self.cells.len() / self.names.len().max(1)
    }

    /// Returns the number of the column with this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// Returns the number of the column with this name, or an error that tells the names there are.
    pub fn expect_column(&self, name: &str) -> Result<usize, Error> {
        self.column(name).ok_or_else(|| {
            let names = self.names.iter().map(String::as_str);
            let help = did_you_mean(name, names.clone())
                .unwrap_or_else(|| format!("the columns are {}", names.collect::<Vec<_>>().join(", ")));
            let message = format!("{}: there is no column `{name}`", self.sources.name(self.source));
            Error::new(ErrorKind::Content, message).help(help)
        })
    }

    /// Returns a cell; nothing where it is NULL.
    ///
    /// # Panics
    /// If there is no such row or column.
    pub fn cell(&self, row: usize, column: usize) -> Option<Cow<'_, str>> {
        let cell = self.cells[row * self.names.len() + column];
        (!self.is_null(row, column)).then(|| unquoted(self.sources.text(self.source), cell))
    }

    /// Tells whether a cell is NULL: it has nothing in it, not even quotes.
    pub(crate) fn is_null(&self, row: usize, column: usize) -> bool {
        let (start, end) = self.cells[row * self.names.len() + column];
        let text = self.sources.text(self.source).as_bytes();
        start == end && (start == 0 || text[start as usize - 1] != b'"')
    }

    /// Returns the line and the column of characters where a cell begins, both from 1.
    pub fn line_column(&self, row: usize, column: usize) -> (usize, usize) {
        self.sources.line_column(self.source, self.span(row, column).start)
    }

    /// Returns the place of a cell in [`Csv::sources`], for messages.
    pub fn span(&self, row: usize, column: usize) -> Span {
        let (start, end) = self.cells[row * self.names.len() + column];
        Span { source: self.source, start, end }
    }

    /// Returns the text that the cells are in.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Returns the character between cells.
    pub fn separator(&self) -> char {
        char::from(self.separator)
    }

    /// Returns the lines, from 1, that have no cell and are no rows.
    pub fn blank_lines(&self) -> &[u32] {
        &self.blank_lines
    }

    /// Returns an error if two columns have one name.
    fn check_names(&self) -> Result<(), Error> {
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by_key(|&column| (&self.names[column], column));
        let mut found = Vec::new();
        for pair in order.windows(2).filter(|pair| self.names[pair[0]] == self.names[pair[1]]) {
            let span = |column: usize| {
                let (start, end) = self.header[column];
                Span { source: self.source, start, end }
            };
            let message = format!("two columns have the name `{}`", self.names[pair[1]]);
            let twice =
                Diagnostic::error("D0304", span(pair[1]), message).also(span(pair[0]), "the other one");
            found.push(twice.help("columns are found by their names: give each its own"));
        }
        match found.is_empty() {
            true => Ok(()),
            false => Err(Error::of(ErrorKind::Content, found, &self.sources)),
        }
    }
}

/// Returns the text of a cell, its doubled quotes as one: outside quotes there are none.
fn unquoted(text: &str, (start, end): (u32, u32)) -> Cow<'_, str> {
    let cell = &text[start as usize..end as usize];
    if cell.contains('"') { Cow::Owned(cell.replace("\"\"", "\"")) } else { Cow::Borrowed(cell) }
}

/// Returns the name of a column: blanks around it belong to it only within quotes.
fn name_of(text: &str, cell: (u32, u32)) -> String {
    let name = unquoted(text, cell);
    let is_quoted = cell.0 > 0 && text.as_bytes()[cell.0 as usize - 1] == b'"';
    if is_quoted { name.into_owned() } else { name.trim().to_owned() }
}

/// Returns the separator of a first line such as `sep=;`, which spreadsheets write, and the length of that line.
pub(crate) fn separator_line(bytes: &[u8]) -> Option<(u8, usize)> {
    let mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let (&separator, rest) = bytes[mark..].strip_prefix(b"sep=")?.split_first()?;
    let end = match rest {
        [b'\r', b'\n', ..] => 2,
        [b'\n', ..] => 1,
        _ => return None,
    };
    Some((separator, mark + 5 + end))
}

fn encoding_error(name: &str, wrong: crate::encoding::EncodingError) -> Error {
    let mut sources = Sources::of_data();
    let at = wrong.before.len() as u32;
    let source = sources.add(name, wrong.before);
    let span = Span { source, start: at, end: at };
    let help = "save the file as UTF-8, or name its encoding: latin-1 or windows-1252";
    let diagnostic = Diagnostic::error("D0301", span, wrong.message).help(help);
    Error::of(ErrorKind::Content, vec![diagnostic], &sources)
}

/// The reading of a text.
struct Reader<'a> {
    text: &'a str,
    source: SourceId,
    at: usize,
    separator: u8,
    /// `\r` ends lines, as the text has no `\n`.
    is_return_the_end: bool,
    cells: Vec<(u32, u32)>,
    header: Vec<(u32, u32)>,
    blank_lines: Vec<u32>,
    line: u32,
    diagnostics: Vec<Diagnostic>,
}

/// The sign behind a cell.
#[derive(PartialEq, Eq)]
enum CellEnd {
    Separator,
    Line,
    Text,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, source: SourceId, separator: Option<u8>) -> Self {
        let is_return_the_end = !text.as_bytes().contains(&b'\n');
        let told = separator_line(text.as_bytes());
        let (at, line) = told.map_or((0, 1), |(_, length)| (length, 2));
        let separator = separator.or(told.map(|it| it.0)).unwrap_or_else(|| separator_of(text));
        let (cells, header, blank_lines, diagnostics) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { text, source, at, separator, is_return_the_end, cells, header, blank_lines, line, diagnostics }
    }

    fn all(&mut self) {
        if self.at == self.text.len() {
            let help = "the first line has the names of the columns";
            self.report("D0302", 0, 0, "there is no header: the file is empty".into(), help);
            return;
        }
        self.row();
        self.header = std::mem::take(&mut self.cells);
        while self.at < self.text.len() && self.diagnostics.len() < MOST_MISTAKES {
            let (first, start, line) = (self.cells.len(), self.at, self.line);
            self.row();
            let found = self.cells.len() - first;
            let is_blank = found == 1 && self.cells[first].0 == self.cells[first].1;
            if is_blank && self.header.len() > 1 && self.text.as_bytes()[start] != b'"' {
                self.blank_lines.push(line);
                self.cells.truncate(first);
            } else if found != self.header.len() {
                self.wrong_count(first, start);
                self.cells.truncate(first);
            }
        }
    }

    fn report(&mut self, code: &'static str, start: usize, end: usize, message: String, help: &str) {
        let span = Span { source: self.source, start: start as u32, end: end as u32 };
        self.diagnostics.push(Diagnostic::error(code, span, message).help(help));
    }

    fn wrong_count(&mut self, first: usize, start: usize) {
        let (found, expected) = (self.cells.len() - first, self.header.len());
        let (start, end) = match self.cells.get(first + expected) {
            Some(&(start, end)) => (start as usize, end as usize),
            None => (start, self.at),
        };
        let message = format!("the row has {found} cells, the header {expected}");
        let separator = match self.separator {
            b'\t' => "a tab".to_owned(),
            other => format!("`{}`", char::from(other)),
        };
        let help = format!("cells are separated by {separator}; one that has it inside stands in quotes");
        self.report("D0303", start, end, message, &help);
    }

    /// Reads the cells of one row with the end of its line.
    fn row(&mut self) {
        while self.cell() == CellEnd::Separator {}
    }

    /// Reads a cell and what stands behind it.
    fn cell(&mut self) -> CellEnd {
        match self.text.as_bytes().get(self.at) {
            Some(b'"') => self.quoted(),
            _ => self.bare(),
        }
    }

    fn bare(&mut self) -> CellEnd {
        let bytes = self.text.as_bytes();
        let (start, separator) = (self.at, self.separator);
        let is_end = |&byte: &u8| byte == separator || matches!(byte, b'\n' | b'\r' | b'"' | 0);
        let end = bytes[start..].iter().position(is_end).map_or(bytes.len(), |length| start + length);
        self.at = end;
        if matches!(bytes.get(end), Some(b'"' | 0)) || self.is_stray_return() {
            self.wrong_bare(start);
        }
        self.cells.push((start as u32, end as u32));
        self.end()
    }

    /// Tells whether a `\r` stands here that ends no line.
    fn is_stray_return(&self) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        rest.first() == Some(&b'\r') && rest.get(1) != Some(&b'\n') && !self.is_return_the_end
    }

    /// Reports what cannot stand in a cell without quotes, and goes on behind the cell.
    fn wrong_bare(&mut self, start: usize) {
        let (message, help) = match self.text.as_bytes()[self.at] {
            0 => (
                "a NUL byte in a cell",
                "the file may be damaged, or UTF-16 without a mark of its byte order",
            ),
            b'\r' => ("a carriage return that ends no line", "put the cell in quotes if it belongs to it"),
            _ if self.text[start..self.at].trim().is_empty() => (
                "blanks before the quotes of a cell",
                "the quotes of a cell stand right behind the separator",
            ),
            _ => (
                "a quote in a cell without quotes",
                "put the whole cell in quotes, and double each quote in it",
            ),
        };
        self.report("D0305", self.at, self.at + 1, message.into(), help);
        self.skip();
    }

    /// Goes on to the end of the cell, after a mistake in it.
    fn skip(&mut self) {
        let separator = self.separator;
        let rest = &self.text.as_bytes()[self.at..];
        let length = rest.iter().position(|&byte| byte == separator || byte == b'\n').unwrap_or(rest.len());
        self.at += length;
    }

    fn quoted(&mut self) -> CellEnd {
        let bytes = self.text.as_bytes();
        let opening = self.at;
        let start = opening + 1;
        let mut end = start;
        loop {
            match bytes[end..].iter().position(|&byte| byte == b'"' || byte == 0) {
                Some(length) if bytes[end + length] == 0 => {
                    self.report(
                        "D0305",
                        end + length,
                        end + length + 1,
                        "a NUL byte in a cell".into(),
                        "the file may be damaged, or UTF-16 without a mark of its byte order",
                    );
                    end += length + 1;
                }
                Some(length) if bytes.get(end + length + 1) == Some(&b'"') => end += length + 2,
                Some(length) => {
                    end += length;
                    break;
                }
                None => {
                    let help = "a cell in quotes ends with one; a quote inside it is doubled";
                    self.report("D0306", opening, opening + 1, "a quote that is never closed".into(), help);
                    self.at = bytes.len();
                    return CellEnd::Text;
                }
            }
        }
        self.line += bytes[start..end].iter().filter(|&&byte| byte == b'\n').count() as u32;
        self.cells.push((start as u32, end as u32));
        self.at = end + 1;
        let next = bytes.get(self.at).copied();
        let is_closed = next.is_none_or(|byte| byte == self.separator || matches!(byte, b'\n' | b'\r'));
        if !is_closed || self.is_stray_return() {
            let help = "a cell is in quotes as a whole; a quote inside it is doubled";
            self.report("D0306", self.at, self.at + 1, "text behind the quotes of a cell".into(), help);
            self.skip();
        }
        self.end()
    }

    /// Reads what stands behind a cell.
    fn end(&mut self) -> CellEnd {
        let (end, length) = match &self.text.as_bytes()[self.at..] {
            [] => (CellEnd::Text, 0),
            [b'\r', b'\n', ..] => (CellEnd::Line, 2),
            [b'\r' | b'\n', ..] => (CellEnd::Line, 1),
            _ => (CellEnd::Separator, 1),
        };
        self.at += length;
        self.line += u32::from(end == CellEnd::Line);
        end
    }
}

/// Returns the separator that the header has: `,` if there is one outside quotes, else `;` or a tab.
fn separator_of(text: &str) -> u8 {
    let mut is_quoted = false;
    let mut found = b',';
    for byte in text.bytes() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b',' => return b',',
            b'\n' | b'\r' => return found,
            b';' | b'\t' if found == b',' => found = byte,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: impl Into<Vec<u8>>) -> Csv {
        Csv::parse("t.csv", bytes.into(), CsvOptions::default()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Reads a text and compares its cells, header and rows, with `|` between cells and `NULL` for none.
    fn check(bytes: impl Into<Vec<u8>>, expected: &[&str]) {
        let csv = read(bytes);
        let row = |row: usize| {
            let cells = (0..csv.names().len()).map(|column| csv.cell(row, column));
            cells.map(|cell| cell.unwrap_or(Cow::Borrowed("NULL")).into_owned()).collect::<Vec<_>>().join("|")
        };
        let mut found = vec![csv.names().join("|")];
        found.extend((0..csv.rows()).map(row));
        assert_eq!(found, expected);
    }

    /// Reads a text that is wrong and compares code, line and column of each message.
    fn refuse(bytes: impl Into<Vec<u8>>, expected: &[(&str, usize, usize)]) -> String {
        let error = Csv::parse("t.csv", bytes.into(), CsvOptions::default()).expect_err("a mistake");
        let found = error.diagnostics().iter().map(|diagnostic| {
            let span = diagnostic.span();
            let (line, column) = error.sources().line_column(span.source, span.start);
            (diagnostic.code, line, column)
        });
        assert_eq!(found.collect::<Vec<_>>(), expected, "{error}");
        error.to_string()
    }

    #[test]
    fn cells_are_what_they_are() {
        check("a,b\n007,1e400\n,\"\"\n", &["a|b", "007|1e400", "NULL|"]);
        check("A1,a1\nx, y \n", &["A1|a1", "x| y "]);
        check("a\n1\n\n2", &["a", "1", "NULL", "2"]);
        check("a,b", &["a|b"]);
        check("'a b',ü\n9223372036854775808,-0\n", &["'a b'|ü", "9223372036854775808|-0"]);
    }

    #[test]
    fn quotes_hold_separators_quotes_and_line_ends() {
        check("a,b\n\"x,\"\"y\"\"\",\"two\r\nlines\"\n", &["a|b", "x,\"y\"|two\r\nlines"]);
        check("\"a,b\",c\n1,2", &["a,b|c", "1|2"]);
        check("a,b\n\"\"\"\",\n", &["a|b", "\"|NULL"]);
    }

    #[test]
    fn line_ends_and_separators_of_every_kind() {
        check("a,b\r\n1,2\r\n", &["a|b", "1|2"]);
        check("a,b\r1,2\r", &["a|b", "1|2"]);
        check("a;b\n1,5;2\n", &["a|b", "1,5|2"]);
        check("a\tb\n1\t2\n", &["a|b", "1|2"]);
    }

    #[test]
    fn marks_of_the_byte_order_and_other_encodings() {
        check("\u{feff}a,b\n1,2\n", &["a|b", "1|2"]);
        let units: Vec<u8> = "\u{feff}a,é\n𝄞,2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        check(units, &["a|é", "𝄞|2"]);
        let units: Vec<u8> = "\u{feff}a,é\n1,2\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        check(units, &["a|é", "1|2"]);
        let latin = CsvOptions { encoding: Encoding::Latin1, ..CsvOptions::default() };
        let csv = Csv::parse("t", b"a\nM\xfcller\n".to_vec(), latin).expect("Latin 1");
        assert_eq!(csv.cell(0, 0).as_deref(), Some("Müller"));
        let windows = CsvOptions { encoding: Encoding::Windows1252, ..CsvOptions::default() };
        let csv = Csv::parse("t", b"a\n5 \x80\n".to_vec(), windows).expect("Windows-1252");
        assert_eq!(csv.cell(0, 0).as_deref(), Some("5 €"));
        refuse(b"a,b\n1,2\n3,M\xfcller\n".to_vec(), &[("D0301", 3, 4)]);
        refuse(b"\xff\xfea\0,\0b".to_vec(), &[("D0301", 1, 3)]);
    }

    #[test]
    fn blank_lines_are_counted() {
        let csv = read("a,b\n\n1,2\n\r\n\n3,4\n\n");
        assert_eq!((csv.rows(), csv.blank_lines()), (2, &[2, 4, 5, 7][..]));
        check("a,b\n\"\",\n", &["a|b", "|NULL"]);
        refuse("a,b\n\"\"\n", &[("D0303", 2, 1)]);
    }

    #[test]
    fn places_count_lines_within_cells() {
        let csv = read("a,b\n\"x\ny\",1\nö,2\n");
        assert_eq!((csv.line_column(0, 1), csv.line_column(1, 1)), ((3, 4), (4, 3)));
    }

    #[test]
    fn what_cannot_be_right_is_refused() {
        refuse("", &[("D0302", 1, 1)]);
        refuse("a,b\n1\n1,2,3\n", &[("D0303", 2, 1), ("D0303", 3, 5)]);
        refuse("a,b,a\n", &[("D0304", 1, 5)]);
        refuse("a,b\n1,5\" pipe\n2,3\n4, \"5\"\n", &[("D0305", 2, 4), ("D0305", 4, 4)]);
        refuse("a,b\n1,\"x\"y\n\"2,3\n", &[("D0306", 2, 6), ("D0306", 3, 1), ("D0303", 3, 1)]);
        refuse("a,b\n1,x\0y\n\"\0\",2\n", &[("D0305", 2, 4), ("D0305", 3, 2)]);
        refuse("a,b\n1,x\ry\n", &[("D0305", 2, 4)]);
        let said = refuse("a,b\n1\n", &[("D0303", 2, 1)]);
        assert!(said.contains("t.csv:2:1") && said.contains("the row has 1 cells, the header 2"), "{said}");
    }

    #[test]
    fn a_cell_of_a_megabyte_is_a_cell() {
        let long = "x".repeat(1 << 20);
        check(format!("a,b\n{long},\"{long}\"\n"), &["a|b", &format!("{long}|{long}")]);
    }

    #[test]
    fn a_column_is_found_or_its_name_corrected() {
        let error = read("smiles,label\nC,1\n").expect_column("smile").expect_err("another name");
        assert!(error.to_string().contains("did you mean `smiles`?"), "{error}");
    }
}
