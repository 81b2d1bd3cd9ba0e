//! What an example should not know: rows and dates later than the moment it is as of, and single columns that give its
//! answer away. A column that alone predicts nearly everything is seldom luck: more often it was written when the answer
//! was known, or is the answer under another name.

use std::collections::BTreeSet;

use lrnn::Error;
use lrnn::vocabulary::Constant;
use serde::Serialize;

use crate::ColumnKind;
use crate::facts::TableDataset;
use crate::frame::{Cell, FrameColumn};
use crate::membership::Memberships;
use crate::predictors::{MeasuredTargets, predictors};
use crate::preview::grouped;
use crate::resolve::{Tables, TypedColumn, short};
use crate::unread_date::UnreadDate;

/// Something that an example should not know.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Leak {
    /// The table and column, or the predicate, that knows it.
    pub place: String,
    /// The finding, a sentence.
    pub message: String,
    /// The remedy, a sentence.
    pub help: String,
}

/// Things that examples should not know, and how much was looked at.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct LeakageReport {
    /// The findings: labels of others, then rows and dates, before columns that predict too well.
    pub leaks: Vec<Leak>,
    /// Columns of facts, and values, whose prediction was measured.
    pub measured: usize,
    /// The reason why nothing was measured, if so.
    pub unmeasured: Option<String>,
}

impl LeakageReport {
    /// Returns the findings and how much was measured, as text.
    pub fn text(&self) -> String {
        let leak = |it: &Leak| format!("LEAK: {}: {}\n  help: {}\n", it.place, it.message, it.help);
        let count = self.leaks.len();
        let end = match (&self.unmeasured, count) {
            (Some(why), 0) => {
                format!("no later dates found; what predicts too well was NOT MEASURED: {why}")
            }
            (Some(why), _) => format!("{count} leaks; what predicts too well was NOT MEASURED: {why}"),
            (None, _) => {
                let found = if count == 0 { "no leak found".to_owned() } else { format!("{count} leaks") };
                format!("{found}; {} columns and values measured one by one", grouped(self.measured))
            }
        };
        self.leaks.iter().map(leak).chain([end + "\n"]).collect()
    }
}

impl Tables {
    /// Looks for what examples should not know, in the tables and in the data that was made of them. Dates that no line reads
    /// are looked at where tables were opened to check.
    pub fn leakage(&self, data: &TableDataset) -> Result<LeakageReport, Error> {
        let leaks = self.labels_of_others().into_iter().chain(self.future()?).collect();
        let mut report = LeakageReport { leaks, ..LeakageReport::default() };
        match MeasuredTargets::of(&data.dataset) {
            Ok(answers) => predictors(&data.dataset, &answers, &mut report),
            Err(why) => report.unmeasured = Some(why.to_owned()),
        }
        Ok(report)
    }

    /// Finds rows and dates later than the moment that their example is as of, where no `time` hides them.
    fn future(&self) -> Result<Vec<Leak>, Error> {
        let mut leaks = Vec::new();
        let Some((example, _)) = self.example else { return Ok(leaks) };
        let mut memberships = Memberships::new(self)?;
        let moments: Vec<i64> = memberships.moments().into_iter().map(|moment| moment.micros).collect();
        let Some(&first) = moments.iter().min() else { return Ok(leaks) };
        let read = self.read_columns();
        let frames: BTreeSet<usize> =
            self.lines.iter().filter(|line| !self.line(line).is_query).map(|line| line.frame).collect();
        for frame in frames {
            let dates = self.dates(frame);
            let is_read = |date: &TypedColumn| read.contains(date);
            let (is_timed, is_example) = (self.times[frame].is_some(), frame == example);
            if self.as_of.is_none() {
                let seen: Vec<&TypedColumn> = match dates.iter().any(is_read) {
                    true => dates.iter().filter(|date| is_read(date)).collect(),
                    false => dates.first().into_iter().collect(),
                };
                let seen = seen.into_iter().filter(|_| !is_example);
                leaks.extend(seen.map(|date| undated(self.place(*date))));
                continue;
            }
            let membership = memberships.of(frame, true)?;
            let is_late = |row: usize, micros: i64| match membership.of(row) {
                None => micros > first,
                Some(examples) => examples.iter().any(|&it| micros > moments[it as usize]),
            };
            let late = |micros: &dyn Fn(usize) -> Option<i64>| {
                (0..self.frames[frame].rows)
                    .filter(|&row| micros(row).is_some_and(|it| is_late(row, it)))
                    .count()
            };
            let before = leaks.len();
            for &date in dates.iter().filter(|date| is_read(date)) {
                let rows = late(&|row| self.micros(date, row));
                if rows > 0 {
                    leaks.push(late_date(self.place(date), rows, is_example, is_timed));
                }
            }
            if is_timed || is_example || leaks.len() > before {
                continue;
            }
            // That a row is there tells something, whatever is read of it. Its first date is when it came to be.
            let rows = late(&|row| dates.iter().filter_map(|&date| self.micros(date, row)).min());
            match dates.first() {
                Some(&date) if rows > 0 => leaks.push(late_rows(self.place(date), rows)),
                Some(_) => {}
                None => {
                    let mut columns = 0..self.frames[frame].columns.len();
                    leaks.extend(columns.find_map(|at| self.unread_date(frame, at)));
                }
            }
        }
        Ok(leaks)
    }

    fn place(&self, column: TypedColumn) -> String {
        format!("{}.{}", self.frames[column.frame].name, self.column(column).name)
    }

    fn micros(&self, column: TypedColumn, row: usize) -> Option<i64> {
        match self.cell(column, row) {
            Ok(Cell::Moment(moment)) => Some(moment.micros),
            _ => None,
        }
    }

    /// Tells whether a column is a key, or says when.
    fn is_used(&self, frame: usize, at: usize) -> bool {
        let is_it = |it: &TypedColumn| (it.frame, it.column) == (frame, at);
        let is_key = self.links.iter().any(|link| is_it(&link.from) || is_it(&link.to));
        is_key || self.times[frame].iter().chain(&self.as_of).any(is_it)
    }

    /// Returns the columns of dates of a frame, but for what examples are as of and what hides rows.
    fn dates(&self, frame: usize) -> Vec<TypedColumn> {
        let table = &self.frames[frame];
        let kind = |column: &FrameColumn| {
            let given =
                self.mapping.kinds().find(|(it, _)| it.table == table.name && it.column == column.name);
            given.map_or(column.kind(), |(_, kind)| kind)
        };
        let columns = table.columns.iter().enumerate().filter(|(at, _)| !self.is_used(frame, *at));
        columns
            .filter(|(_, column)| kind(column) == ColumnKind::Date)
            .map(|(column, _)| TypedColumn { frame, column, kind: ColumnKind::Date })
            .collect()
    }

    /// Finds a column that seems to say when, and holds no dates that could hide rows.
    fn unread_date(&self, frame: usize, at: usize) -> Option<Leak> {
        let (table, column) = (&self.frames[frame].name, &self.frames[frame].columns[at]);
        let is_given = self.mapping.kinds().any(|(it, _)| it.table == *table && it.column == column.name);
        if is_given || self.is_used(frame, at) {
            return None;
        }
        let UnreadDate { row, text, dates, cells } = UnreadDate::of(column)?;
        let own = format!("{}.{}", Constant::from(&**table), Constant::from(&*column.name));
        let (cell, row) = (short(&text), row + 1);
        let (message, help) = match dates {
            0 => (
                format!("`{cell}` in row {row} seems to be a moment, and is no date"),
                format!(
                    "write dates as 2024-01-31, or name their format, `:- type({own}, date, 'DD/MM/YYYY').`"
                ),
            ),
            _ => (
                format!("{dates} of {cells} cells are dates, and `{cell}` in row {row} is none"),
                format!("`:- null({own}, {}).` takes such cells as unknown", Constant::from(&*text)),
            ),
        };
        Some(Leak {
            place: format!("{table}.{}", column.name),
            message: format!("{message}: rows are seen whatever their date"),
            help: format!("{help}; then `:- time({own}).` hides later rows"),
        })
    }

    /// Returns the columns that lines of facts read.
    fn read_columns(&self) -> Vec<TypedColumn> {
        let mut all: Vec<TypedColumn> = Vec::new();
        for line in self.lines.iter().filter(|line| !self.line(line).is_query) {
            all.extend(line.columns.iter().flatten());
        }
        all.sort_by_key(|it| (it.frame, it.column));
        all.dedup_by_key(|it| (it.frame, it.column));
        all
    }
}

fn undated(place: String) -> Leak {
    let message = "rows have dates, but nothing says what an example is as of".to_owned();
    let help = "add `:- as_of(table.column).` and `:- time(table.column).`, or be sure that no row is later than the answer";
    Leak { place, message, help: help.to_owned() }
}

fn late_date(place: String, rows: usize, is_example: bool, is_timed: bool) -> Leak {
    let message = format!("{rows} rows have a date later than an example that sees them is as of");
    let help = match is_example || is_timed {
        true => "leave the column out of the lines: it was not known at that moment".to_owned(),
        false => format!("`:- time({place}).` hides them"),
    };
    Leak { place, message, help }
}

fn late_rows(place: String, rows: usize) -> Leak {
    let message = format!(
        "{rows} rows have no date up to the moment that an example that sees them is as of: that they are there, and how \
         many, is not known then"
    );
    let help = format!("`:- time({place}).` hides them");
    Leak { place, message, help }
}
