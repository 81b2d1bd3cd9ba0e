//! What names and cells tell of a schema: the target, keys and links that nobody declared, the date an example is as of.

use std::collections::{BTreeMap, BTreeSet};

use lrnn::diagnostic::did_you_mean;
use lrnn::{Error, ErrorKind};

use crate::cell_format::CellFormat;
use crate::composite::{ColumnLink, CompositeColumn, CompositeColumns};
use crate::frame::Cell;
use crate::{ColumnKind, Frame, FrameColumn};

/// Goes through the ways to read `table.column`: either may have a dot in its name.
pub(super) fn target_splits(target: &str) -> impl Iterator<Item = (&str, &str)> {
    target.match_indices('.').map(|(at, _)| (&target[..at], &target[at + 1..]))
}

pub(super) fn find_target(frames: &[Frame], target: &str) -> Result<(usize, String), Error> {
    let wrong = |message: String, help: String| Err(Error::new(ErrorKind::Usage, message).help(help));
    let frame = |table: &str| frames.iter().position(|frame| frame.name == table);
    let found: Vec<(usize, &str)> = target_splits(target)
        .filter_map(|(table, column)| Some((frame(table)?, column)))
        .filter(|(at, column)| frames[*at].position(column).is_some())
        .collect();
    match found[..] {
        [(at, column)] => return Ok((at, column.to_owned())),
        [(one, _), (other, _), ..] => {
            let (one, other) = (&frames[one].name, &frames[other].name);
            let help = "make a view of one of them, under a name without a dot".to_owned();
            return wrong(format!("`{target}` is a column of `{one}`, and one of `{other}`"), help);
        }
        [] => {}
    }
    if frame(target).is_some() {
        let help = format!(
            "name one of its columns, or make a view with a column that says whether a row is there: \
             CREATE VIEW labelled AS SELECT t.*, EXISTS (SELECT 1 FROM {target} WHERE ...) AS has_{target} FROM t"
        );
        return wrong(format!("`{target}` is a table, and no column"), help);
    }
    let known = target_splits(target).find_map(|(table, column)| Some((frame(table)?, column)));
    let Some((table, _)) = target_splits(target).next() else {
        let help = "--target customer.churned names a table and its column".to_owned();
        return wrong(format!("`{target}` is no column"), help);
    };
    let Some((at, column)) = known else {
        let all: Vec<&str> = frames.iter().map(|frame| frame.name.as_str()).collect();
        let help = did_you_mean(table, all.iter().copied());
        let help = help.unwrap_or_else(|| format!("the tables are {}", all.join(", ")));
        return wrong(format!("there is no table `{table}`"), help);
    };
    let columns: Vec<&str> = frames[at].columns.iter().map(|column| column.name.as_str()).collect();
    let help = did_you_mean(column, columns.iter().copied());
    let help = help.unwrap_or_else(|| format!("the columns are {}", columns.join(", ")));
    wrong(format!("the table `{}` has no column `{column}`", frames[at].name), help)
}

/// Returns the different values of a column, if there are no more than so many.
pub(super) fn values(column: &FrameColumn, most: usize) -> Option<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for row in 0..column.len() {
        all.extend(column.cell(row).into_name());
        if all.len() > most {
            return None;
        }
    }
    Some(all)
}

/// The last words of columns that number things.
const NUMBERS: [&str; 10] = ["no", "nr", "num", "number", "nummer", "code", "key", "ref", "uuid", "guid"];

fn is_called_number(column: &str) -> bool {
    let name = column.to_lowercase();
    let last = name.rsplit(|c: char| !c.is_alphanumeric()).next();
    last.is_some_and(|last| NUMBERS.contains(&last))
}

/// Tells whether the numbers of a column are called names of things.
pub(super) fn is_called_name(column: &str) -> bool {
    column.to_lowercase().ends_with("id") || is_called_number(column)
}

/// Returns the first column that no two rows have alike and that is called an id, or, if there is none, that another table
/// has by the same name with no other values, or that is called a number.
pub(super) fn guessed_key(frames: &[Frame], at: usize, target: &(usize, String)) -> Option<String> {
    let frame = &frames[at];
    let is_called_id = |column: &FrameColumn| {
        let name = column.name.to_lowercase();
        name.ends_with("id") || name == frame.name.to_lowercase()
    };
    let is_referred = |column: &FrameColumn| {
        let others = frames.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other);
        let referring = others.filter_map(|other| Some(&other.columns[other.position(&column.name)?]));
        let mut referring = referring.peekable();
        // A look at all rows costs something where there are many.
        if is_plain(&column.name) || referring.peek().is_none() {
            return false;
        }
        let own = values(column, frame.rows).unwrap_or_default();
        let names = |other: &FrameColumn| values(other, frame.rows).filter(|names| !names.is_empty());
        referring.filter_map(names).any(|names| names.is_subset(&own))
    };
    let is_called_number = |column: &FrameColumn| is_called_number(&column.name);
    let is_key = |column: &FrameColumn| {
        let is_name = !matches!(column.kind(), ColumnKind::Number | ColumnKind::Date);
        let has_null = (0..frame.rows).any(|row| column.cell(row) == Cell::Null);
        is_name && !has_null && values(column, frame.rows).is_some_and(|all| all.len() == frame.rows)
    };
    let is_target = |column: &FrameColumn| (at, &column.name) == (target.0, &target.1);
    let called: [&dyn Fn(&FrameColumn) -> bool; 3] = [&is_called_id, &is_referred, &is_called_number];
    let found = called.iter().find_map(|is_called| {
        frame.columns.iter().find(|column| !is_target(column) && is_called(column) && is_key(column))
    });
    found.map(|column| column.name.clone())
}

/// A share of the rows, at least, for which a column that is called as a key must have one of its values: some may refer to what
/// was deleted.
const LEAST_KNOWN: (usize, usize) = (9, 10);

/// Adds links from columns that are called as a key, or as its table, to that key where it has nearly all their values.
pub(super) fn guess_links(frames: &[Frame], keys: &[Option<String>], links: &mut Vec<(String, ColumnLink)>) {
    for frame in frames {
        for column in &frame.columns {
            for (other, key) in frames.iter().zip(keys) {
                let Some(key) = key else { continue };
                let is_known =
                    links.iter().any(|(table, link)| *table == frame.name && link.column == column.name);
                let is_itself = other.name == frame.name && *key == column.name;
                let is_called = (*key == column.name && other.name != frame.name && !is_plain(key))
                    || is_called_after(&column.name, &other.name);
                if is_known || is_itself || !is_called {
                    continue;
                }
                let all = other.position(key).and_then(|at| values(&other.columns[at], other.rows));
                let rows = || (0..frame.rows).filter_map(|row| column.cell(row).into_name());
                let known = all.map_or(0, |all| rows().filter(|name| all.contains(name)).count());
                if known > 0 && known * LEAST_KNOWN.1 >= rows().count() * LEAST_KNOWN.0 {
                    let link = ColumnLink {
                        column: column.name.clone(),
                        table: other.name.clone(),
                        key: key.clone(),
                    };
                    links.push((frame.name.clone(), link));
                }
            }
        }
    }
}

/// Returns the column that a key of several columns is made into: that which other tables refer to, or, where the key says
/// more than which things of other tables a row joins, one of its own.
pub(super) fn key_of_several(
    frames: &[Frame],
    at: usize,
    parts: Vec<String>,
    target: &(usize, String),
    links: &[(String, ColumnLink)],
    composites: &mut CompositeColumns,
) -> Option<String> {
    let frame = &frames[at];
    let is_referred =
        |link: &ColumnLink| link.table == frame.name && composites.find(&frame.name, &link.key).is_some();
    if let Some((_, link)) = links.iter().find(|(_, link)| is_referred(link)) {
        return Some(link.key.clone());
    }
    let is_link = |name: &str| links.iter().any(|(from, link)| *from == frame.name && link.column == name);
    let is_date =
        |name: &str| frame.position(name).is_some_and(|at| frame.columns[at].kind() == ColumnKind::Date);
    let is_named = match at == target.0 {
        true if parts.contains(&target.1) => false,
        true => parts.iter().any(|part| !is_link(part) && !is_date(part)),
        false => frame.columns.iter().any(|column| !parts.contains(&column.name) && !is_link(&column.name)),
    };
    let columns = frame.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
    let mut parts = parts;
    parts.sort_by_key(|part| frame.position(part));
    is_named.then(|| composites.name(&frame.name, parts, &columns))
}

/// Most columns that two tables have in common and that are tried as a key.
const MOST_SHARED: usize = 8;
/// Most columns of a key that is guessed.
const MOST_PARTS: usize = 3;

/// Adds links to tables without a key from tables that have several columns of the same names, where these tell the rows
/// apart and have all values of those that refer. The fewest columns that do are taken, but not such as all refer to other
/// tables: those say what is joined to what, and are no key.
pub(super) fn guess_composites(
    frames: &[Frame],
    keys: &mut [Option<String>],
    (target, label): &(usize, String),
    links: &mut Vec<(String, ColumnLink)>,
    composites: &mut CompositeColumns,
) -> Result<(), Error> {
    // The examples first: if two tables could refer to each other, others refer to them.
    let mut order: Vec<usize> = (0..frames.len()).collect();
    order.sort_by_key(|at| at != target);
    for at in order {
        let to = &frames[at];
        for (_, from) in frames.iter().enumerate().filter(|(other, _)| *other != at) {
            let is_between = |(table, link): &(String, ColumnLink)| {
                [(&*from.name, &*to.name), (&*to.name, &*from.name)]
                    .contains(&(table.as_str(), link.table.as_str()))
            };
            let is_new = keys[at].as_ref().is_none_or(|key| composites.find(&to.name, key).is_some());
            if !is_new || to.rows < 2 || links.iter().any(is_between) {
                continue;
            }
            let is_shared = |column: &&FrameColumn| {
                column.name != *label
                    && column.kind() != ColumnKind::Number
                    && from.position(&column.name).is_some()
            };
            let shared: Vec<String> =
                to.columns.iter().filter(is_shared).take(MOST_SHARED).map(|it| it.name.clone()).collect();
            let refers =
                |part: &String| links.iter().any(|(table, link)| *table == to.name && link.column == *part);
            let Some(parts) = shared_key(from, to, &shared, &refers)? else { continue };
            let mut name = |frame: &Frame| {
                let columns: Vec<String> = frame.columns.iter().map(|it| it.name.clone()).collect();
                composites.name(&frame.name, parts.clone(), &columns)
            };
            let (column, key) = (name(from), name(to));
            keys[at].get_or_insert_with(|| key.clone());
            links.push((from.name.clone(), ColumnLink { column, table: to.name.clone(), key }));
        }
    }
    Ok(())
}

/// Returns the fewest columns, two or more and one that refers to nothing, that tell the rows of a table apart and have all
/// values that another has.
fn shared_key(
    from: &Frame,
    to: &Frame,
    shared: &[String],
    refers: &dyn Fn(&String) -> bool,
) -> Result<Option<Vec<String>>, Error> {
    let names = |frame: &Frame, parts: &[String]| -> Result<Vec<Option<String>>, Error> {
        let made = CompositeColumn { table: String::new(), name: String::new(), parts: parts.to_vec() };
        let column = made.of(frame)?;
        Ok((0..frame.rows).map(|row| column.cell(row).into_name()).collect())
    };
    let mut choices: Vec<Vec<String>> = (1..1_u32 << shared.len())
        .filter(|bits| (2..=MOST_PARTS as u32).contains(&bits.count_ones()))
        .map(|bits| (0..shared.len()).filter(|at| bits >> at & 1 == 1).map(|at| shared[at].clone()).collect())
        .collect();
    choices.retain(|parts| !parts.iter().all(refers));
    choices.sort_by_key(Vec::len);
    for parts in choices {
        let all: BTreeSet<Option<String>> = names(to, &parts)?.into_iter().collect();
        if all.len() < to.rows || all.contains(&None) {
            continue;
        }
        let own = names(from, &parts)?;
        if own.iter().any(Option::is_some) && own.iter().all(|it| it.is_none() || all.contains(it)) {
            return Ok(Some(parts));
        }
    }
    Ok(None)
}

/// Tells whether a key is called so in every table.
fn is_plain(key: &str) -> bool {
    key.eq_ignore_ascii_case("id")
}

/// Tells whether a column has the name of a table: `student`, `student_id`, `from_account` of `accounts`.
fn is_called_after(column: &str, table: &str) -> bool {
    let (column, table) = (column.to_lowercase(), table.to_lowercase());
    let column = column.strip_suffix("_id").or_else(|| column.strip_suffix("id")).unwrap_or(&column);
    let column = column.trim_end_matches('_');
    let one = table.strip_suffix('s').unwrap_or(&table);
    [table.as_str(), one].iter().any(|name| {
        let before = column.strip_suffix(name);
        !name.is_empty() && before.is_some_and(|before| before.is_empty() || before.ends_with('_'))
    })
}

/// Tells whether a column is called what an example is as of.
pub(super) fn is_called_as_of(column: &FrameColumn) -> bool {
    let name = column.name.to_lowercase();
    ["as_of", "asof", "cutoff", "snapshot", "until"].iter().any(|it| name.contains(it))
}

/// Returns the column of the table of examples that says what an example is as of: one that is called so, or a date that
/// a tenth of the rows that refer to it do not come after. A birthday is none.
pub(super) fn as_of(
    frames: &[Frame],
    times: &[Option<String>],
    links: &[(String, ColumnLink)],
    (target, key): (usize, Option<&str>),
) -> Option<String> {
    let own = &frames[target];
    let dates = || own.columns.iter().filter(|column| column.kind() == ColumnKind::Date);
    if let Some(column) = dates().find(|column| is_called_as_of(column)) {
        return Some(column.name.clone());
    }
    let key = &own.columns[own.position(key?)?];
    let moment = |column: &FrameColumn, row: usize| match column.cell(row) {
        Cell::Moment(moment) => Some(moment),
        Cell::Text(text) => crate::Moment::read(&text),
        _ => None,
    };
    let is_as_of = |column: &&FrameColumn| {
        let of_key: BTreeMap<String, crate::Moment> = (0..own.rows)
            .filter_map(|row| Some((key.cell(row).into_name()?, moment(column, row)?)))
            .collect();
        let (mut all, mut before) = (0, 0);
        for (from, link) in links.iter().filter(|(_, link)| link.table == own.name) {
            let Some(at) = frames.iter().position(|frame| frame.name == *from && *from != own.name) else {
                continue;
            };
            let frame = &frames[at];
            let date = times[at].as_ref().and_then(|date| frame.position(date));
            let (Some(date), Some(refers)) = (date, frame.position(&link.column)) else { continue };
            for row in 0..frame.rows {
                let owner = frame.columns[refers].cell(row).into_name().and_then(|it| of_key.get(&it));
                if let (Some(owner), Some(date)) = (owner, moment(&frame.columns[date], row)) {
                    all += 1;
                    before += usize::from(date <= *owner);
                }
            }
        }
        10 * before >= all && all > 0
    };
    dates().find(is_as_of).map(|column| column.name.clone())
}

/// Returns a cell that people read as a date and lrnn does not, where all cells of a column are dates of some spelling.
pub(super) fn odd_date(column: &FrameColumn) -> Option<String> {
    let mut odd = None;
    for row in 0..column.len() {
        let Cell::Text(text) = column.cell(row) else { continue };
        if crate::Moment::read(&text).is_some() {
            continue;
        }
        let parts: Vec<&str> = text.trim().split(['.', '/', '-']).map(str::trim).collect();
        let is_part = |part: &&str| {
            (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        let has_year = parts.iter().any(|part| part.len() == 4 && part.bytes().all(|it| it.is_ascii_digit()));
        if parts.len() != 3 || !has_year || !parts.iter().all(is_part) {
            return None;
        }
        odd.get_or_insert_with(|| text.into_owned());
    }
    odd
}

/// Returns a cell that may be a number in more than one way, where all texts of a column are.
pub(super) fn odd_number(column: &FrameColumn) -> Option<String> {
    let is_text = column.kind() == ColumnKind::Text;
    let is_number = |format: CellFormat| column.read_as(format).is_ok();
    let is_odd = is_text && CellFormat::all(ColumnKind::Number).all(is_number);
    let names = (0..column.len()).filter(|_| is_odd).filter_map(|row| column.cell(row).into_name());
    // Codes without a comma are names, though they may be digits.
    names.into_iter().find(|name| name.contains(','))
}
