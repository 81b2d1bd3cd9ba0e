//! Which examples each row belongs to, by keys, and which rows do not exist yet for an example.
//!
//! A row of the table of examples is an example. Any other row belongs to what it refers to, by the chain of keys that
//! is the shortest; a table that is only referred to, such as the products of orders, belongs wherever a row that refers
//! to it does. A table without a chain belongs to every example. Among equal chains the first key of the mapping counts.

use std::collections::{BTreeMap, VecDeque};

use lrnn::diagnostic::Diagnostic;
use lrnn::{Error, ErrorKind};
use rustc_hash::FxHashMap;

use crate::Moment;
use crate::frame::Cell;
use crate::mapping::ColumnName;
use crate::resolve::{Tables, TypedColumn, short};

/// A column that refers to a column of another table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Link {
    pub from: TypedColumn,
    pub to: TypedColumn,
}

/// The direction of a step towards the table of examples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    /// By a key of the table.
    Out,
    /// By a key that refers to the table.
    In,
}

/// The cost of a step against the direction of a key: many rows may refer to one.
const AGAINST: u32 = 100;

/// The examples of each row of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Membership {
    /// Every row is in every example.
    Everywhere,
    /// Row `r` is in the examples from `starts[r]` to `starts[r + 1]`. Of rows that have a time, whether it is too late for
    /// an example.
    Rows { starts: Vec<u32>, examples: Vec<u32>, late: Vec<bool> },
}

impl Membership {
    /// Returns the examples of a row; nothing where it is in all.
    pub fn of(&self, row: usize) -> Option<&[u32]> {
        match self {
            Self::Everywhere => None,
            Self::Rows { starts, examples, .. } => {
                Some(&examples[starts[row] as usize..starts[row + 1] as usize])
            }
        }
    }

    /// Tells whether the row is too late for an example.
    pub fn is_late(&self, row: usize) -> bool {
        matches!(self, Self::Rows { late, .. } if late.get(row) == Some(&true))
    }

    /// Returns one example a row.
    fn each(rows: usize) -> Self {
        let starts = (0..=rows as u32).collect();
        Self::Rows { starts, examples: (0..rows as u32).collect(), late: Vec::new() }
    }
}

impl DanglingRows {
    /// Counts a row that refers to something, where nothing was found.
    fn count(&mut self, tables: &Tables, row: usize, found: &[u32]) {
        if found.is_empty() && !tables.column(self.link.from).is_null(row) {
            self.first = if self.rows == 0 { row } else { self.first };
            self.rows += 1;
        }
    }

    /// Returns a warning, at the key where the mapping names it.
    pub fn warning(&self, tables: &Tables) -> Diagnostic {
        let Link { from, to } = self.link;
        let (frame, other) = (&tables.frames[from.frame], &tables.frames[to.frame].name);
        let column = tables.column(from);
        let is_it = |name: &ColumnName, of: TypedColumn| {
            name.table == tables.frames[of.frame].name && name.column == tables.column(of).name
        };
        let key = tables.mapping.keys().find(|(name, key)| is_it(name, from) && is_it(key, to));
        let line = tables.mapping.relations().find(|line| line.table == frame.name);
        let span = key.map(|(name, _)| name.span).or(line.map(|line| line.table_span)).unwrap_or_default();
        let cell = column.cell(self.first).into_name().unwrap_or_default();
        let message = format!(
            "{} of {} rows of `{}` refer by `{}` to no row of `{other}`, and join nothing: `{}` in row {} is the first",
            self.rows,
            frame.rows,
            frame.name,
            column.name,
            short(&cell),
            self.first + 1
        );
        let help = "correct the keys where they are wrong; rows of examples that are not there may stay";
        Diagnostic::warning("W0404", span, message).help(help)
    }
}

/// Rows by key.
enum KeyIndex {
    Integers(FxHashMap<i64, Vec<u32>>),
    Names(FxHashMap<String, Vec<u32>>),
}

/// The memberships of all tables.
pub(crate) struct Memberships<'a> {
    tables: &'a Tables,
    /// Microseconds that an example knows up to.
    as_of: Vec<i64>,
    /// By frame, with the time of its own rows and without.
    known: BTreeMap<(usize, bool), Membership>,
    /// By frame: the step towards the table of examples.
    steps: Vec<Option<(Link, Direction)>>,
    /// The keys that were followed, by their column, with the rows that refer to nothing.
    pub dangling: BTreeMap<(usize, usize), DanglingRows>,
}

/// Rows that refer to a row that is not there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DanglingRows {
    pub link: Link,
    pub rows: usize,
    pub first: usize,
}

impl<'a> Memberships<'a> {
    pub fn new(tables: &'a Tables) -> Result<Self, Error> {
        let links: Vec<(usize, usize)> =
            tables.links.iter().map(|link| (link.from.frame, link.to.frame)).collect();
        let steps = tables.example.map_or_else(
            || vec![None; tables.frames.len()],
            |(example, _)| steps(tables.frames.len(), example, &links),
        );
        let steps = steps.into_iter().map(|step| step.map(|(link, way)| (tables.links[link], way))).collect();
        Ok(Self { tables, as_of: as_of(tables)?, known: BTreeMap::new(), steps, dangling: BTreeMap::new() })
    }

    /// Returns the moments that examples know up to.
    pub fn moments(&self) -> Vec<Moment> {
        self.as_of.iter().map(|&micros| Moment::of_micros(micros)).collect()
    }

    /// Tells whether no two examples share a row of a table: each refers to one that no two share, and none is there under
    /// a second name.
    pub fn is_private(&self, frame: usize) -> bool {
        let Some((example, _)) = self.tables.example else { return false };
        let (name, mapping) = (|at: usize| &*self.tables.frames[at].name, &self.tables.mapping);
        let is_alias = |at: usize| mapping.aliases().any(|line| line.alias == name(at));
        if mapping.aliases().any(|line| line.table == name(frame)) {
            return false;
        }
        let mut at = frame;
        while at != example {
            if is_alias(at) {
                return false;
            }
            match self.steps[at] {
                Some((link, Direction::Out)) => at = link.to.frame,
                _ => return false,
            }
        }
        true
    }

    /// Returns how rows of a table come to their examples, for people.
    pub fn path(&self, frame: usize) -> String {
        let Some((example, _)) = self.tables.example else { return String::new() };
        let name = |column: TypedColumn| {
            let frame = &self.tables.frames[column.frame];
            format!("{}.{}", frame.name, frame.columns[column.column].name)
        };
        let (mut at, mut path) = (frame, Vec::new());
        while at != example {
            match self.steps[at] {
                Some((link, Direction::Out)) => {
                    path.push(name(link.from));
                    at = link.to.frame;
                }
                Some((link, Direction::In)) => {
                    path.push(format!("{} <- {}", name(link.to), name(link.from)));
                    at = link.from.frame;
                }
                None => return "every example".to_owned(),
            }
        }
        path.join(" -> ")
    }

    /// Returns the examples of each row of a table; with its own time or without.
    pub fn of(&mut self, frame: usize, with_time: bool) -> Result<&Membership, Error> {
        let with_time = with_time && self.tables.times[frame].is_some();
        if !self.known.contains_key(&(frame, with_time)) {
            let found = self.find(frame, with_time)?;
            self.known.insert((frame, with_time), found);
        }
        Ok(&self.known[&(frame, with_time)])
    }

    fn find(&mut self, frame: usize, with_time: bool) -> Result<Membership, Error> {
        let tables = self.tables;
        let rows = tables.frames[frame].rows;
        let Some((example, _)) = tables.example else { return Ok(Membership::Everywhere) };
        let found = if frame == example {
            Membership::each(rows)
        } else {
            match self.steps[frame] {
                None => Membership::Everywhere,
                Some((link, Direction::Out)) => self.by_own_key(link)?,
                Some((link, Direction::In)) => self.by_their_key(link, rows)?,
            }
        };
        if with_time { self.timed(frame, found) } else { Ok(found) }
    }

    fn by_own_key(&mut self, link: Link) -> Result<Membership, Error> {
        let index = index(self.tables, link);
        let rows = self.tables.frames[link.from.frame].rows;
        let tables = self.tables;
        let parents = self.of(link.to.frame, true)?;
        if *parents == Membership::Everywhere {
            return Ok(Membership::Everywhere);
        }
        let (mut starts, mut examples) = (vec![0], Vec::new());
        let mut dangling = DanglingRows { link, rows: 0, first: 0 };
        for row in 0..rows {
            let parents_of_row = find(tables, &index, link.from, row);
            dangling.count(tables, row, parents_of_row);
            for &parent in parents_of_row {
                examples.extend_from_slice(parents.of(parent as usize).unwrap_or_default());
            }
            starts.push(examples.len() as u32);
        }
        self.tell(dangling);
        Ok(Membership::Rows { starts, examples, late: Vec::new() })
    }

    fn tell(&mut self, dangling: DanglingRows) {
        if dangling.rows > 0 {
            let from = dangling.link.from;
            self.dangling.insert((from.frame, from.column), dangling);
        }
    }

    fn by_their_key(&mut self, link: Link, rows: usize) -> Result<Membership, Error> {
        let index = index(self.tables, link);
        let tables = self.tables;
        let children = self.of(link.from.frame, true)?;
        let mut all: Vec<Vec<u32>> = vec![Vec::new(); rows];
        let mut dangling = DanglingRows { link, rows: 0, first: 0 };
        for child in 0..tables.frames[link.from.frame].rows {
            let found = find(tables, &index, link.from, child);
            dangling.count(tables, child, found);
            for &row in found {
                all[row as usize].extend_from_slice(children.of(child).unwrap_or_default());
            }
        }
        self.tell(dangling);
        let (mut starts, mut examples) = (vec![0], Vec::new());
        for mut own in all {
            own.sort_unstable();
            own.dedup();
            examples.extend(own);
            starts.push(examples.len() as u32);
        }
        Ok(Membership::Rows { starts, examples, late: Vec::new() })
    }

    /// Takes rows away from examples that they are too late for. A row without a time is seen by none.
    fn timed(&self, frame: usize, found: Membership) -> Result<Membership, Error> {
        let Some(time) = self.tables.times[frame] else { return Ok(found) };
        let rows = self.tables.frames[frame].rows;
        let everyone: Vec<u32> = (0..self.as_of.len() as u32).collect();
        let (mut starts, mut kept, mut late) = (vec![0], Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let moment = match self
                .tables
                .cell(time, row)
                .map_err(|message| wrong_time(self.tables, time, row, &message))?
            {
                Cell::Moment(moment) => moment.micros,
                _ => i64::MAX,
            };
            let all = found.of(row).unwrap_or(&everyone);
            let before = kept.len();
            kept.extend(all.iter().filter(|&&example| moment <= self.as_of[example as usize]));
            late.push(kept.len() - before < all.len());
            starts.push(kept.len() as u32);
        }
        Ok(Membership::Rows { starts, examples: kept, late })
    }
}

fn wrong_time(tables: &Tables, column: TypedColumn, row: usize, message: &str) -> Error {
    let mut sources = tables.mapping.sources.clone();
    let span = tables.frames[column.frame].place(row, column.column, &mut sources);
    let help = "correct the cell, or read a view without the row";
    let diagnostic = Diagnostic::error("D0407", span, message).help(help);
    Error::of(ErrorKind::Content, vec![diagnostic], &sources)
}

/// Returns the moment that each example knows up to; none without `as_of`.
fn as_of(tables: &Tables) -> Result<Vec<i64>, Error> {
    let Some((example, _)) = tables.example else { return Ok(Vec::new()) };
    let rows = tables.frames[example].rows;
    let Some(column) = tables.as_of else { return Ok(vec![i64::MAX - 1; rows]) };
    (0..rows)
        .map(|row| match tables.cell(column, row) {
            Ok(Cell::Moment(moment)) => Ok(moment.micros),
            Ok(_) => Err(wrong_time(tables, column, row, "an example without the date it is as of")),
            Err(message) => Err(wrong_time(tables, column, row, &message)),
        })
        .collect()
}

/// Returns for each table the first link of its cheapest chain to the table of examples, and its direction; links are
/// pairs of tables, from one that refers to one that is referred to.
pub(crate) fn steps(
    tables: usize,
    example: usize,
    links: &[(usize, usize)],
) -> Vec<Option<(usize, Direction)>> {
    let mut steps = vec![None; tables];
    let mut costs = vec![u32::MAX; tables];
    costs[example] = 0;
    let mut queue = VecDeque::from([example]);
    while let Some(at) = queue.pop_front() {
        for (link, &(from, to)) in links.iter().enumerate() {
            let near = [
                (to == at).then_some((from, 1, Direction::Out)),
                (from == at).then_some((to, AGAINST, Direction::In)),
            ];
            for (table, cost, direction) in near.into_iter().flatten() {
                let cost = costs[at] + cost;
                if cost < costs[table] && table != example {
                    (costs[table], steps[table]) = (cost, Some((link, direction)));
                    queue.push_back(table);
                }
            }
        }
    }
    steps
}

/// Returns the rows of a key's table by its cells.
fn index(tables: &Tables, link: Link) -> KeyIndex {
    let (from, to) = (tables.column(link.from), tables.column(link.to));
    let rows = tables.frames[link.to.frame].rows as u32;
    if from.cells.is_of_integers() && to.cells.is_of_integers() {
        let mut all: FxHashMap<i64, Vec<u32>> = FxHashMap::default();
        for row in 0..rows {
            if let Cell::Integer(key) = to.cell(row as usize) {
                all.entry(key).or_default().push(row);
            }
        }
        return KeyIndex::Integers(all);
    }
    let mut all: FxHashMap<String, Vec<u32>> = FxHashMap::default();
    for row in 0..rows {
        if let Some(key) = to.cell(row as usize).into_name() {
            all.entry(key).or_default().push(row);
        }
    }
    KeyIndex::Names(all)
}

/// Returns the rows that a row refers to.
fn find<'i>(tables: &Tables, index: &'i KeyIndex, from: TypedColumn, row: usize) -> &'i [u32] {
    let cell = tables.column(from).cell(row);
    let found = match (index, cell) {
        (KeyIndex::Integers(all), Cell::Integer(key)) => all.get(&key),
        (KeyIndex::Names(all), Cell::Text(text)) => all.get(&*text),
        (KeyIndex::Names(all), cell) => cell.into_name().and_then(|name| all.get(&name)),
        (KeyIndex::Integers(_), _) => None,
    };
    found.map_or(&[], Vec::as_slice)
}
