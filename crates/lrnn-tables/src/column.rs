//! A column as it grows, of the narrowest kind that holds all its cells.
//!
//! Most columns of a large table have few different values: classes, days, prices, the keys of a smaller table. As long as
//! there are no more than 2¹⁶ of them, each is kept once, and a row has 16 bits that say which. So a million rows cost two
//! megabytes a column, and whatever is to be done with a value (is it a date, which constant is it) is done once.

use std::borrow::Cow;
use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::frame::{Cell, Cells, FrameColumn, Texts, plain_integer};

/// The numbers of the rows' values among the different ones.
#[derive(Default)]
struct Codes {
    of_rows: Vec<u16>,
    index: HashTable<u16>,
}

/// A column as it grows.
pub(crate) struct ColumnBuilder {
    /// The different values, or, without codes, the value of each row.
    cells: Cells,
    /// True once there is a value, which says of what kind the cells are.
    has_kind: bool,
    /// True if texts come from a file that tells no kinds.
    is_untyped: bool,
    codes: Option<Codes>,
    /// Empty where nothing is NULL so far.
    nulls: Vec<bool>,
    rows: usize,
}

impl ColumnBuilder {
    /// Begins a column whose cells are these, which are empty, unless the first value is of another kind.
    pub fn new(cells: Cells) -> Self {
        let is_untyped = matches!(cells, Cells::Untyped(_));
        Self { cells, has_kind: false, is_untyped, codes: Some(Codes::default()), nulls: Vec::new(), rows: 0 }
    }

    /// Begins a column of texts of a file that tells no kinds.
    pub fn untyped() -> Self {
        Self::new(Cells::Untyped(Texts::default()))
    }

    pub fn push_null(&mut self) {
        self.nulls.resize(self.rows, false);
        self.nulls.push(true);
        self.rows += 1;
        match &mut self.codes {
            Some(codes) => codes.of_rows.push(0),
            None => self.cells.push_nothing(),
        }
    }

    /// Adds a text of a file that tells no kinds: whole numbers in their only spelling are kept as numbers, as long as all
    /// are such.
    #[must_use]
    pub fn push_untyped(&mut self, text: &str) -> bool {
        let is_text = self.has_kind && matches!(self.cells, Cells::Untyped(_));
        match if is_text { None } else { plain_integer(text) } {
            Some(number) => self.push(&Cell::Integer(number)),
            None => self.push(&Cell::Text(Cow::Borrowed(text))),
        }
    }

    /// Adds a cell; false if there is no more room for texts.
    #[must_use]
    pub fn push(&mut self, cell: &Cell<'_>) -> bool {
        if *cell == Cell::Null || matches!(cell, Cell::Number(number) if number.is_nan()) {
            self.push_null();
            return true;
        }
        if !std::mem::replace(&mut self.has_kind, true) && !self.cells.is_for(cell) {
            self.cells = Cells::of_kind(cell);
        }
        let has_room = match (&self.cells, cell) {
            (cells, cell) if cells.is_for(cell) => self.add(cell),
            (Cells::Numbers(_), Cell::Integer(number)) if number.unsigned_abs() < 1 << 53 => {
                self.add(&Cell::Number(*number as f64))
            }
            (Cells::Texts(_) | Cells::Untyped(_), cell) => {
                self.add(&Cell::Text(cell.clone().into_name().unwrap_or_default().into()))
            }
            _ => {
                self.widen(cell);
                return self.push(cell);
            }
        };
        if !self.nulls.is_empty() {
            self.nulls.push(false);
        }
        self.rows += 1;
        has_room
    }

    /// Makes the column one that holds a value of another kind, too.
    fn widen(&mut self, cell: &Cell<'_>) {
        let is_number = matches!(cell, Cell::Number(_));
        let is_small = |number: &i64| number.unsigned_abs() < 1 << 53;
        self.cells = match &self.cells {
            Cells::Integers(all) if is_number && all.iter().all(is_small) => {
                Cells::Numbers(all.iter().map(|&number| number as f64).collect())
            }
            cells => {
                let name = |row: usize| cells.cell(row).into_name().unwrap_or_default();
                let texts = (0..cells.len()).map(name).collect();
                if self.is_untyped { Cells::Untyped(texts) } else { Cells::Texts(texts) }
            }
        };
        // Values of another kind have another hash.
        if let Some(Codes { index, .. }) = &mut self.codes {
            index.clear();
            let hash = |&code: &u16| hash_of(&self.cells.cell(code.into()));
            (0..self.cells.len() as u16).for_each(|code| _ = index.insert_unique(hash(&code), code, hash));
        }
    }

    /// Adds a cell of the column's kind.
    fn add(&mut self, cell: &Cell<'_>) -> bool {
        let Some(codes) = &mut self.codes else { return self.cells.push(cell) };
        let (cells, hash) = (&self.cells, hash_of(cell));
        if let Some(&code) = codes.index.find(hash, |&code| is_same(&cells.cell(code.into()), cell)) {
            codes.of_rows.push(code);
            return true;
        }
        let Ok(code) = u16::try_from(cells.len()) else {
            self.spread();
            return self.cells.push(cell);
        };
        codes.index.insert_unique(hash, code, |&code| hash_of(&cells.cell(code.into())));
        codes.of_rows.push(code);
        self.cells.push(cell)
    }

    /// Gives every row its own value, as the different ones are too many.
    fn spread(&mut self) {
        if let Some(codes) = self.codes.take() {
            let rows = codes.of_rows.iter().map(|&code| usize::from(code));
            self.cells = self.cells.chosen(rows);
        }
    }

    pub fn finish(self, name: &str) -> FrameColumn {
        let mut nulls = self.nulls;
        if !nulls.is_empty() {
            nulls.resize(self.rows, false);
        }
        let cells = match self.codes {
            Some(codes) => Cells::Coded(codes.of_rows, Box::new(self.cells)),
            None => self.cells,
        };
        FrameColumn { name: name.to_owned(), cells, nulls }
    }
}

/// Tells whether two cells of one kind are the same to the last bit.
fn is_same(a: &Cell<'_>, b: &Cell<'_>) -> bool {
    match (a, b) {
        (Cell::Number(a), Cell::Number(b)) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    }
}

fn hash_of(cell: &Cell<'_>) -> u64 {
    match cell {
        Cell::Null => 0,
        Cell::Text(text) => FxBuildHasher.hash_one(&**text),
        Cell::Integer(number) => FxBuildHasher.hash_one(number),
        Cell::Number(number) => FxBuildHasher.hash_one(number.to_bits()),
        Cell::Boolean(truth) => FxBuildHasher.hash_one(truth),
        Cell::Moment(moment) => FxBuildHasher.hash_one(moment),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the cells of a column that is made of these, as names.
    fn names(column: &FrameColumn) -> Vec<Option<String>> {
        (0..column.len()).map(|row| column.cell(row).into_name()).collect()
    }

    #[test]
    fn cells_are_the_same_whether_few_or_many() {
        for most in [10, 200_000] {
            let mut column = ColumnBuilder::untyped();
            let mut expected = Vec::new();
            for row in 0..200_000 {
                if row % 7 == 3 {
                    column.push_null();
                    expected.push(None);
                    continue;
                }
                let text = if row == 150_000 { "x".to_owned() } else { (row * 31 % most).to_string() };
                assert!(column.push_untyped(&text));
                expected.push(Some(text));
            }
            let column = column.finish("a");
            assert_eq!(matches!(column.cells, Cells::Coded(..)), most == 10);
            assert_eq!(names(&column), expected);
            let rows = [0, 3, 10, 150_000, 199_999];
            let some: Vec<_> = rows.iter().map(|&row| expected[row as usize].clone()).collect();
            let frame = crate::Frame::new("t", vec![column]);
            assert_eq!(names(&frame.chosen_rows(&rows).columns[0]), some);
        }
    }

    #[test]
    fn a_column_is_as_wide_as_it_must_be() {
        let kind = |cells: &[Cell<'static>]| {
            let mut column = ColumnBuilder::new(Cells::Numbers(Vec::new()));
            cells.iter().for_each(|cell| assert!(column.push(cell)));
            let column = column.finish("a");
            (column.kind().name(), names(&column).into_iter().flatten().collect::<Vec<_>>().join(" "))
        };
        let text = |text: &'static str| Cell::Text(text.into());
        assert_eq!(kind(&[Cell::Null, Cell::Null]), ("number", String::new()));
        assert_eq!(kind(&[Cell::Null, Cell::Integer(1), Cell::Integer(1)]), ("integer", "1 1".into()));
        assert_eq!(
            kind(&[Cell::Integer(1), Cell::Number(0.5), Cell::Integer(1)]),
            ("number", "1 0.5 1".into())
        );
        assert_eq!(kind(&[Cell::Number(-0.0), Cell::Number(0.0)]), ("number", "-0 0".into()));
        let large = Cell::Integer(1 << 60);
        assert_eq!(kind(&[large, Cell::Number(0.5)]), ("text", "1152921504606846976 0.5".into()));
        assert_eq!(kind(&[Cell::Integer(7), text("007"), Cell::Integer(7)]), ("text", "7 007 7".into()));
        assert_eq!(kind(&[text("2024-01-31"), Cell::Null, text("2024-02-01")]).0, "date");
    }
}
