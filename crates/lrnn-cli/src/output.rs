//! What goes to standard output and standard error.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use lrnn::vocabulary::is_hidden;
use serde_json::Value;

/// Writes a text to standard output.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes a document for machines to standard output. What must not go to a terminal is escaped: in JSON it can
/// only stand inside a string.
pub fn print_json(document: &Value) -> io::Result<()> {
    let mut text = String::new();
    for c in document.to_string().chars() {
        if is_hidden(c) {
            let _ = write!(text, "\\u{:04x}", c as u32);
        } else {
            text.push(c);
        }
    }
    print(&format!("{text}\n"))
}

/// Writes a text to standard error; there is nobody to tell if that fails.
pub fn say(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// A table for people: columns padded, numbers to the right.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let widths: Vec<usize> = (0..head.len())
        .map(|column| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.chain([head[column].chars().count()]).max().unwrap_or(0)
        })
        .collect();
    let is_number = |cell: &str| cell.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    let right: Vec<bool> = (0..head.len())
        .map(|column| !rows.is_empty() && rows.iter().all(|row| is_number(&row[column])))
        .collect();
    let mut out = String::new();
    let heads = head.iter().map(|cell| (*cell).to_owned()).collect();
    for row in [&heads].into_iter().chain(rows) {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            // By hand: the widest that a format takes is 65 535.
            let blanks = " ".repeat(widths[column].saturating_sub(cell.chars().count()));
            let (before, behind) = if right[column] { (&*blanks, "") } else { ("", &*blanks) };
            let _ = write!(line, "{before}{cell}{behind}  ");
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// A count with its thousands apart: 6 712 443.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// Bytes for people.
pub fn bytes(number: f64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut number = number;
    let mut unit = 0;
    while number >= 1000.0 && unit + 1 < units.len() {
        number /= 1000.0;
        unit += 1;
    }
    if number >= 1e6 {
        return format!("{number:.0e} {}", units[unit]);
    }
    format!("{number:.*} {}", usize::from(unit > 0 && number < 100.0), units[unit])
}

/// The most memory this process ever held, where the system tells (Linux).
pub fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_any_width_have_a_table() {
        let rows = [vec!["a".to_owned(), "1".to_owned()], vec!["b".repeat(70_000), "20".to_owned()]];
        let text = table(&["atom", "value"], &rows);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.iter().map(|line| line.len()).collect::<Vec<_>>(), [70_007; 3]);
        assert!(lines[0].ends_with("value") && lines[1].ends_with(" 1"));
    }
}
