//! Small tables, for people, spreadsheets and papers.

use std::fmt::Write;

use lrnn::diagnostic::printable;

/// Columns with names, and rows of cells. The first column is text and stands left, the others stand right.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct TextTable {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The numbers of rows with a line across before them.
    rules: Vec<usize>,
}

impl TextTable {
    /// Returns a table with these columns and no rows.
    pub fn new<S: Into<String>>(columns: impl IntoIterator<Item = S>) -> Self {
        Self { columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new(), rules: Vec::new() }
    }

    /// Adds a row. Cells that are missing are empty; there is no column for those too many.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let mut cells: Vec<String> = cells.into_iter().map(Into::into).collect();
        cells.resize(self.columns.len(), String::new());
        self.rows.push(cells);
    }

    /// Adds a line across, before the row that comes next. It has no place in CSV.
    pub fn rule(&mut self) {
        self.rules.push(self.rows.len());
    }

    /// Returns how many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns it as text with aligned columns.
    pub fn text(&self) -> String {
        let shown = |cells: &Vec<String>| cells.iter().map(|cell| one_line(cell)).collect::<Vec<_>>();
        let width = |cell: &String| cell.chars().count();
        let mut widths: Vec<usize> = shown(&self.columns).iter().map(width).collect();
        for cells in &self.rows {
            widths.iter_mut().zip(&shown(cells)).for_each(|(most, cell)| *most = (*most).max(width(cell)));
        }
        let total = widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1);
        let across = format!("{}\n", "-".repeat(total));
        let mut text = aligned(&shown(&self.columns), &widths);
        text.push_str(&across);
        for (number, cells) in self.rows.iter().enumerate() {
            text.push_str(if self.rules.contains(&number) { &across } else { "" });
            text.push_str(&aligned(&shown(cells), &widths));
        }
        text
    }

    /// Returns it as comma-separated values (RFC 4180, with plain line ends).
    pub fn csv(&self) -> String {
        let line = |cells: &Vec<String>| {
            cells.iter().map(|cell| csv_cell(cell)).collect::<Vec<_>>().join(",") + "\n"
        };
        std::iter::once(&self.columns).chain(&self.rows).map(line).collect()
    }

    /// Returns it as a LaTeX tabular, for the package booktabs.
    pub fn latex(&self) -> String {
        let line = |cells: &Vec<String>| {
            cells.iter().map(|cell| tex_text(cell)).collect::<Vec<_>>().join(" & ") + " \\\\\n"
        };
        let right = "r".repeat(self.columns.len().saturating_sub(1));
        let mut text =
            format!("\\begin{{tabular}}{{l{right}}}\n\\toprule\n{}\\midrule\n", line(&self.columns));
        for (number, cells) in self.rows.iter().enumerate() {
            text.push_str(if self.rules.contains(&number) { "\\midrule\n" } else { "" });
            text.push_str(&line(cells));
        }
        text + "\\bottomrule\n\\end{tabular}\n"
    }
}

/// Returns columns for people: padded, numbers to the right.
pub fn columns(head: &[&str], rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect()).collect();
    let head: Vec<String> = head.iter().map(|cell| one_line(cell)).collect();
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
    for row in [&head].into_iter().chain(&rows) {
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

/// Returns a count with its thousands apart: 6 712 443.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let apart = |(at, digit): (usize, char)| {
        let blank = (at > 0 && (digits.len() - at).is_multiple_of(3)).then_some(' ');
        blank.into_iter().chain([digit])
    };
    digits.chars().enumerate().flat_map(apart).collect()
}

/// Returns a count with the name of what is counted: 1 rule, 6 712 rules.
pub fn counted(number: usize, name: &str) -> String {
    format!("{} {name}{}", count(number as u64), if number == 1 { "" } else { "s" })
}

/// Returns the same with the digits together: 6712 rules.
pub fn numbered(number: usize, name: &str) -> String {
    format!("{number} {name}{}", if number == 1 { "" } else { "s" })
}

/// Returns a number of bytes for people.
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

/// Returns a cell with whatever would upset a terminal or the columns as escapes.
fn one_line(cell: &str) -> String {
    printable(&cell.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t"))
}

fn aligned(cells: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for (number, (cell, &width)) in cells.iter().zip(widths).enumerate() {
        let _ = match number {
            0 => write!(line, "{cell:<width$}"),
            _ => write!(line, "  {cell:>width$}"),
        };
    }
    line.truncate(line.trim_end().len());
    line + "\n"
}

/// Returns a cell of CSV: in quotes where it must be.
pub fn csv_cell(cell: &str) -> String {
    let is_plain = !cell.contains(['"', ',', '\n', '\r']) && cell.trim() == cell;
    if is_plain { cell.to_owned() } else { format!("\"{}\"", cell.replace('"', "\"\"")) }
}

/// Returns text as LaTeX shows it.
pub fn tex_text(cell: &str) -> String {
    let mut text = String::new();
    for c in cell.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => text.extend(['\\', c]),
            '\\' => text.push_str("\\textbackslash{}"),
            '~' => text.push_str("\\textasciitilde{}"),
            '^' => text.push_str("\\textasciicircum{}"),
            '<' => text.push_str("\\textless{}"),
            '>' => text.push_str("\\textgreater{}"),
            '|' => text.push_str("\\textbar{}"),
            '±' => text.push_str("$\\pm$"),
            '−' => text.push_str("$-$"),
            '–' => text.push_str("--"),
            c if c.is_control() => text.push(' '),
            c => text.push(c),
        }
    }
    // A row must not begin with what `\\` before it takes for an option.
    if text.starts_with(['[', '*']) { format!("{{}}{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_any_width_have_a_table() {
        let rows = [vec!["a".to_owned(), "1".to_owned()], vec!["b".repeat(70_000), "20".to_owned()]];
        let text = columns(&["atom", "value"], &rows);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.iter().map(|line| line.len()).collect::<Vec<_>>(), [70_007; 3]);
        assert!(lines[0].ends_with("value") && lines[1].ends_with(" 1"));
    }

    fn table() -> TextTable {
        let mut table = TextTable::new(["dataset", "error, %", "note"]);
        table.row(["ptc_mr", "37.5 ± 4.0", ""]);
        table.row(["a \"b\"", "9", "R&D\nx"]);
        table.rule();
        table.row(["mean"]);
        table
    }

    #[test]
    fn text_is_aligned() {
        let expected = "\
dataset    error, %    note
---------------------------
ptc_mr   37.5 ± 4.0
a \"b\"             9  R&D\\nx
---------------------------
mean
";
        assert_eq!(table().text(), expected);
        assert_eq!(TextTable::new(Vec::<String>::new()).text(), "\n\n");
    }

    #[test]
    fn csv_is_quoted() {
        let expected = "\
dataset,\"error, %\",note
ptc_mr,37.5 ± 4.0,
\"a \"\"b\"\"\",9,\"R&D\nx\"
mean,,
";
        assert_eq!(table().csv(), expected);
        assert_eq!((table().len(), table().is_empty()), (3, false));
    }

    #[test]
    fn latex_is_escaped() {
        let expected = "\
\\begin{tabular}{lrr}
\\toprule
dataset & error, \\% & note \\\\
\\midrule
ptc\\_mr & 37.5 $\\pm$ 4.0 &  \\\\
a \"b\" & 9 & R\\&D x \\\\
\\midrule
mean &  &  \\\\
\\bottomrule
\\end{tabular}
";
        assert_eq!(table().latex(), expected);
        assert_eq!(
            tex_text(r"[\~^<x>{_}"),
            r"{}[\textbackslash{}\textasciitilde{}\textasciicircum{}\textless{}x\textgreater{}\{\_\}"
        );
    }
}
