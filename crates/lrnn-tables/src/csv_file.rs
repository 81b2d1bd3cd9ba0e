//! A table of a CSV file, read in pieces, so that of the text no more than some rows are in memory.
//!
//! Where something is wrong, and where a message tells the place of a cell, the text is read whole: then what counts is
//! that line and column are right.

use std::fs::File;
use std::io::{Chain, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use flate2::bufread::MultiGzDecoder;
use lrnn::diagnostic::Span;
use lrnn::{Error, ErrorKind};

use crate::ahead::read_ahead;
use crate::column::ColumnBuilder;
use crate::csv::separator_line;
use crate::file::{file_error, read_bytes};
use crate::{Csv, CsvOptions, Encoding, Frame};

/// The bytes of CSV that are read at once.
pub(crate) const PIECE: usize = 1 << 20;

/// A CSV file that a table was read from.
#[derive(Debug)]
pub struct CsvFile {
    path: PathBuf,
    options: CsvOptions,
    blank_lines: usize,
    /// The whole text, once it was asked for.
    whole: OnceLock<Option<Csv>>,
}

impl CsvFile {
    /// Returns how many lines have no cell and are no rows.
    pub fn blank_lines(&self) -> usize {
        self.blank_lines
    }

    /// Returns the text and the place of a cell, if the file is still what it was.
    pub(crate) fn cell(&self, row: usize, column: &str) -> Option<(&Csv, Span)> {
        let csv = self.whole.get_or_init(|| Csv::read(&self.path, self.options).ok()).as_ref()?;
        let at = csv.column(column).unwrap_or(0);
        (row < csv.rows()).then(|| (csv, csv.span(row, at)))
    }

    /// Reads the names of the columns.
    pub(crate) fn names(path: &Path, options: CsvOptions) -> Result<Vec<String>, Error> {
        let mut names = Vec::new();
        let read = |csv: &Csv| {
            names = csv.names().to_vec();
            Ok(false)
        };
        each_piece(path, options, read)?;
        Ok(names)
    }

    /// Reads some columns of a table.
    pub(crate) fn read(
        path: &Path,
        options: CsvOptions,
        table: &str,
        columns: &[String],
    ) -> Result<Frame, Error> {
        let mut builders: Vec<ColumnBuilder> = columns.iter().map(|_| ColumnBuilder::untyped()).collect();
        let (mut rows, mut blank_lines) = (0, 0);
        each_piece(path, options, |csv| {
            rows += csv.rows();
            blank_lines += csv.blank_lines().len();
            for (builder, name) in builders.iter_mut().zip(columns) {
                if !extend(builder, csv, csv.expect_column(name)?) {
                    return Err(file_error(path, format!("the column {name} holds more than 4 GB of text")));
                }
            }
            Ok(true)
        })?;
        let file = Self { path: path.to_owned(), options, blank_lines, whole: OnceLock::new() };
        let columns = builders.into_iter().zip(columns).map(|(builder, name)| builder.finish(name)).collect();
        Ok(Frame { name: table.to_owned(), columns, rows, csv: Some(Arc::new(file)), numbers: Vec::new() })
    }
}

/// Adds a column of all rows; false if there is no more room.
fn extend(builder: &mut ColumnBuilder, csv: &Csv, at: usize) -> bool {
    (0..csv.rows()).all(|row| match csv.cell(row, at) {
        Some(cell) => builder.push_untyped(&cell),
        None => {
            builder.push_null();
            true
        }
    })
}

/// Reads a file piece by piece until whoever takes them has enough. If something is wrong, says what the whole text says.
fn each_piece(
    path: &Path,
    options: CsvOptions,
    take: impl FnMut(&Csv) -> Result<bool, Error>,
) -> Result<(), Error> {
    let name = path.display().to_string();
    let taken = plain(path, options).and_then(|(text, options)| {
        let mut pieces = CsvPieces::new(&name, text, options);
        pieces.each(take).and_then(|()| pieces.expect_header())
    });
    taken.or_else(|error| Csv::read(path, options).and(Err(error)))
}

/// Returns the text of a file as a stream of bytes that can be cut at line ends, and how to read them.
fn plain(path: &Path, options: CsvOptions) -> Result<(Box<dyn Read + Send>, CsvOptions), Error> {
    let wrong = |error: std::io::Error| file_error(path, error);
    let mut file = File::open(path).map_err(wrong)?;
    let mut begin = [0; 2];
    let length = file.read(&mut begin).map_err(wrong)?;
    let packed: Chain<Cursor<Vec<u8>>, File> = Cursor::new(begin[..length].to_vec()).chain(file);
    let is_wide =
        |begin: &[u8]| options.encoding == Encoding::Unicode && matches!(begin, [0xff, 0xfe] | [0xfe, 0xff]);
    if begin == [0x1f, 0x8b] {
        let mut text = MultiGzDecoder::new(std::io::BufReader::new(packed));
        let mut first = Vec::new();
        text.by_ref().take(2).read_to_end(&mut first).map_err(wrong)?;
        return match is_wide(&first) {
            true => whole(path, options),
            false => Ok((Box::new(Cursor::new(first).chain(text)), options)),
        };
    }
    if is_wide(&begin[..length]) { whole(path, options) } else { Ok((Box::new(packed), options)) }
}

/// Returns a text of UTF-16, whose line ends are no bytes, as UTF-8.
fn whole(path: &Path, options: CsvOptions) -> Result<(Box<dyn Read + Send>, CsvOptions), Error> {
    let text = options.encoding.decode(read_bytes(path)?);
    let text = text.map_err(|wrong| file_error(path, wrong.message))?;
    Ok((Box::new(Cursor::new(text.into_bytes())), options))
}

/// CSV as a file or a program gives it, in pieces of whole rows: so no more than a few are in memory.
pub(crate) struct CsvPieces<'a, R> {
    name: &'a str,
    text: R,
    options: CsvOptions,
    /// Bytes that were read and belong to no piece yet.
    rest: Vec<u8>,
    /// Number of those that were looked at, of those that are whole rows, and true if what follows is within quotes.
    seen: usize,
    end: usize,
    is_quoted: bool,
    /// True once all bytes were read.
    is_over: bool,
    header: Vec<u8>,
    is_first: bool,
}

impl<'a, R: Read + Send> CsvPieces<'a, R> {
    pub fn new(name: &'a str, text: R, options: CsvOptions) -> Self {
        let (rest, header) = (Vec::new(), Vec::new());
        let (seen, end, is_quoted, is_over) = (0, 0, false, false);
        Self { name, text, options, rest, seen, end, is_quoted, is_over, header, is_first: true }
    }

    /// Gives away one piece after the other, each with the header before its rows, until it is told that it is enough.
    /// While one is taken, another thread reads the next.
    pub fn each(&mut self, mut take: impl FnMut(&Csv) -> Result<bool, Error>) -> Result<(), Error> {
        match self.next()? {
            Some(first) if take(&first)? && !self.is_over => {}
            _ => return Ok(()),
        }
        let rest = |give: &mut dyn FnMut(Csv) -> bool| {
            while let Some(piece) = self.next()? {
                if !give(piece) {
                    break;
                }
            }
            Ok(())
        };
        read_ahead(rest, |piece| take(&piece))
    }

    /// Reads the next piece.
    fn next(&mut self) -> Result<Option<Csv>, Error> {
        while !self.is_over {
            let read = self.text.by_ref().take(PIECE as u64).read_to_end(&mut self.rest);
            let wrong = |error| Error::new(ErrorKind::File, format!("{}: {error}", self.name));
            self.is_over = read.map_err(wrong)? < PIECE;
            self.look();
            if self.end > 0 {
                return self.piece().map(Some);
            }
        }
        Ok(None)
    }

    /// Finds the end of the last whole row; of the last piece, all is whole.
    fn look(&mut self) {
        for (at, byte) in self.rest.iter().enumerate().skip(self.seen) {
            match byte {
                b'"' => self.is_quoted = !self.is_quoted,
                b'\n' if !self.is_quoted => {
                    self.end = at + 1;
                    // A line that names the separator stands before the header.
                    let is_header = |bytes: &[u8]| separator_line(bytes).is_none_or(|it| it.1 < bytes.len());
                    if self.header.is_empty() || !is_header(&self.header) {
                        self.header = self.rest[..self.end].to_vec();
                    }
                }
                _ => {}
            }
        }
        self.seen = self.rest.len();
        if self.is_over {
            self.end = self.seen;
        }
    }

    /// Returns the rows that are whole, with the header before them.
    fn piece(&mut self) -> Result<Csv, Error> {
        let end = std::mem::take(&mut self.end);
        self.seen -= end;
        let rest = self.rest.split_off(end);
        let rows = std::mem::replace(&mut self.rest, rest);
        let is_first = std::mem::replace(&mut self.is_first, false);
        let text = if is_first { rows } else { [&self.header[..], &rows].concat() };
        Csv::parse(self.name, text, self.options)
    }

    /// Returns an error if there was no text at all.
    pub fn expect_header(&self) -> Result<(), Error> {
        match self.is_first {
            true => Csv::parse(self.name, Vec::new(), self.options).map(|_| ()),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that gives a few bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(to.len()).min(self.0.len());
            to[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn csv_in_pieces_has_all_rows() {
        let row = |number: usize| format!("{number},\"two\nlines, \"\"{number}\"\"\",\n");
        // A row may say what the header says.
        let text = format!("a,b,c\n{}a,b,c\n", (0..200_000).map(row).collect::<String>());
        assert!(text.len() > PIECE, "more than one piece");
        let (mut rows, mut pieces) = (Vec::new(), 0);
        let mut all = CsvPieces::new("t", Slow(text.as_bytes(), 10_007), CsvOptions::default());
        let take = |csv: &Csv| {
            pieces += 1;
            let cells =
                |row| (0..3).map(|at| csv.cell(row, at).map(|it| it.into_owned())).collect::<Vec<_>>();
            rows.extend((0..csv.rows()).map(cells));
            Ok(true)
        };
        all.each(take).unwrap_or_else(|error| panic!("{error}"));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!((rows.len(), pieces > 1), (200_001, true));
        assert_eq!(rows[150_000], [some("150000"), some("two\nlines, \"150000\""), None]);
        assert_eq!(rows[200_000], [some("a"), some("b"), some("c")]);
    }

    #[test]
    fn every_piece_knows_the_separator_of_the_first_line() {
        let text = format!("sep=|\na| b |\"c \"\n{}", "1|2;3,4|5\n".repeat(PIECE / 5));
        let (mut rows, mut pieces) = (0, 0);
        CsvPieces::new("t", text.as_bytes(), CsvOptions::default())
            .each(|csv| {
                pieces += 1;
                rows += csv.rows();
                assert_eq!(csv.names(), ["a", "b", "c "]);
                assert_eq!(csv.cell(csv.rows() - 1, 1).as_deref(), Some("2;3,4"));
                Ok(true)
            })
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((rows, pieces), (PIECE / 5, 3));
    }

    /// Takes so many pieces of a text of several; returns how many were taken, and the error, if there was one.
    fn taken(text: &str, most: usize) -> (usize, Option<String>) {
        let mut count = 0;
        let mut pieces = CsvPieces::new("t", text.as_bytes(), CsvOptions::default());
        let error = pieces.each(|_| {
            count += 1;
            Ok(count < most)
        });
        (count, error.err().map(|error| error.to_string()))
    }

    #[test]
    fn whoever_takes_pieces_may_have_enough_and_hears_of_mistakes_in_their_turn() {
        let text = format!("a,b\n{}", "1,2\n".repeat(PIECE));
        assert_eq!(taken(&text, 2), (2, None));
        assert_eq!(taken(&text, 100), (5, None), "four bytes a row, and those of the header");
        let wrong = format!("a,b\n{}1,2,3\n{}", "1,2\n".repeat(PIECE / 2), "1,2\n".repeat(PIECE));
        let (count, error) = taken(&wrong, 100);
        assert_eq!((count, error.is_some_and(|it| it.contains("the row has 3 cells"))), (2, true));
        assert_eq!(taken(&wrong, 2), (2, None));
    }
}
