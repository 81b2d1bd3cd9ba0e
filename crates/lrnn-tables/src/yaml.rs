//! The part of YAML that manifests are written in: mappings and lists by indentation, scalars plain or in quotes, texts of
//! several lines, empty `{}` and `[]`. Anchors, tags and mappings in braces are refused with their line.

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Yaml {
    /// A text, or `null`.
    Scalar(Option<String>),
    /// Keys with their values, in order.
    Map(Vec<(String, Yaml)>),
    /// Values in order.
    List(Vec<Yaml>),
}

impl Yaml {
    /// Returns the value of a key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// Returns the entries of a mapping.
    pub fn entries(&self) -> &[(String, Self)] {
        if let Self::Map(entries) = self { entries } else { &[] }
    }

    /// Returns the items of a list.
    pub fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }

    /// Returns a text.
    pub fn text(&self) -> Option<&str> {
        if let Self::Scalar(Some(text)) = self { Some(text) } else { None }
    }

    /// Returns the text of a key.
    pub fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }

    /// Reads a text; an error is the line, from 1, and what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, (usize, &'static str)> {
        let lines = text.lines().enumerate().map(|(at, line)| {
            let content = line.trim_start_matches(' ');
            (at + 1, line.len() - content.len(), content.trim_end().to_owned())
        });
        let mut reader = YamlReader { lines: lines.collect(), at: 0 };
        let found = match reader.next() {
            Some(indent) => reader.block(indent)?,
            None => Self::Map(Vec::new()),
        };
        match reader.next() {
            None => Ok(found),
            Some(_) => Err((reader.lines[reader.at].0, "this is indented less than what it belongs to")),
        }
    }
}

/// Lines with their number and indentation.
struct YamlReader {
    lines: Vec<(usize, usize, String)>,
    at: usize,
}

impl YamlReader {
    /// Goes to the next line with something on it, and returns its indentation.
    fn next(&mut self) -> Option<usize> {
        let is_idle = |line: &str| line.is_empty() || line.starts_with('#') || line == "---";
        while self.lines.get(self.at).is_some_and(|(_, _, line)| is_idle(line)) {
            self.at += 1;
        }
        self.lines.get(self.at).map(|(_, indent, _)| *indent)
    }

    fn block(&mut self, indent: usize) -> Result<Yaml, (usize, &'static str)> {
        let is_item = |line: &str| line == "-" || line.starts_with("- ");
        match is_item(&self.lines[self.at].2) {
            true => self.list(indent),
            false => self.map(indent),
        }
    }

    fn list(&mut self, indent: usize) -> Result<Yaml, (usize, &'static str)> {
        let mut items = Vec::new();
        while self.next() == Some(indent) {
            let (number, _, line) = self.lines[self.at].clone();
            let Some(rest) = line.strip_prefix('-') else { break };
            let item = rest.trim_start();
            // What stands behind the dash is a block of its own, as far to the right as it stands.
            let inner = indent + line.len() - item.len();
            if item.is_empty() {
                self.at += 1;
                items.push(self.nested(indent)?);
            } else if item.starts_with("- ") || key_of(item).is_some() {
                self.lines[self.at] = (number, inner, item.to_owned());
                items.push(self.block(inner)?);
            } else {
                self.at += 1;
                items.push(scalar(item, number)?);
            }
        }
        Ok(Yaml::List(items))
    }

    fn map(&mut self, indent: usize) -> Result<Yaml, (usize, &'static str)> {
        let mut entries = Vec::new();
        while self.next() == Some(indent) {
            let (number, _, line) = self.lines[self.at].clone();
            let Some((key, value)) = key_of(&line) else { return Err((number, "expected `key: value`")) };
            let value = value.trim().to_owned();
            self.at += 1;
            let value = match value.chars().next() {
                None => self.nested(indent)?,
                Some('|' | '>') => self.lines_below(indent),
                Some(_) => scalar(&value, number)?,
            };
            entries.push((key, value));
        }
        Ok(Yaml::Map(entries))
    }

    /// Reads what stands below a key or a dash; a list may stand as far to the left as its key.
    fn nested(&mut self, indent: usize) -> Result<Yaml, (usize, &'static str)> {
        match self.next() {
            Some(inner) if inner > indent => self.block(inner),
            Some(inner) if inner == indent && self.lines[self.at].2.starts_with('-') => self.list(inner),
            _ => Ok(Yaml::Scalar(None)),
        }
    }

    /// Reads the lines of a text, which are indented more than their key.
    fn lines_below(&mut self, indent: usize) -> Yaml {
        let mut text = String::new();
        while let Some((_, inner, line)) = self.lines.get(self.at)
            && (line.is_empty() || *inner > indent)
        {
            text.push_str(line);
            text.push('\n');
            self.at += 1;
        }
        Yaml::Scalar(Some(text))
    }
}

/// Splits a line at the colon behind its key.
fn key_of(line: &str) -> Option<(String, &str)> {
    let quote = line.chars().next().filter(|c| matches!(c, '"' | '\''));
    let at = match quote {
        Some(quote) => 1 + line[1..].find(quote)? + 1,
        None => line.find(": ").or_else(|| line.strip_suffix(':').map(str::len))?,
    };
    let rest = line[at..].strip_prefix(':')?;
    Some((line[..at].trim_matches(['"', '\'']).to_owned(), rest))
}

fn scalar(text: &str, line: usize) -> Result<Yaml, (usize, &'static str)> {
    match text.chars().next() {
        Some('{') if text != "{}" => Err((line, "mappings in braces are not read")),
        Some('{') => Ok(Yaml::Map(Vec::new())),
        Some('[') => {
            let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) else {
                return Err((line, "a list in brackets ends on its line"));
            };
            if inner.contains('[') {
                return Err((line, "lists within lists in brackets are not read"));
            }
            let items = inner.split(',').map(str::trim).filter(|item| !item.is_empty());
            items.map(|item| scalar(item, line)).collect::<Result<_, _>>().map(Yaml::List)
        }
        Some('&' | '*' | '!') => Err((line, "anchors and tags are not read")),
        Some('"') => {
            let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
            let text = text.ok_or((line, "a text in quotes ends on its line"))?;
            Ok(Yaml::Scalar(Some(text.replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\"))))
        }
        Some('\'') => {
            let text = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
            let text = text.ok_or((line, "a text in quotes ends on its line"))?;
            Ok(Yaml::Scalar(Some(text.replace("''", "'"))))
        }
        _ if matches!(text, "null" | "~") => Ok(Yaml::Scalar(None)),
        _ => Ok(Yaml::Scalar(Some(text.split(" #").next().unwrap_or(text).trim_end().to_owned()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_are_read() {
        let text = "name: rel-f1  # a comment\nval: '2005-01-01'\nsql: |\n  SELECT a: b\n\n  FROM c\ntables:\n  races:\n    \
                    pkey: id\n    time_col: null\n    fkeys: {}\n  \"my results\":\n    fkeys:\n      race: races\nremove:\n- - a\n  - b\n- - c\n  - d\nlist: [x, 'y z']\n";
        let found = Yaml::parse(text).expect("YAML");
        assert_eq!(found.text_of("name"), Some("rel-f1"));
        assert_eq!(found.text_of("val"), Some("2005-01-01"));
        assert_eq!(found.text_of("sql"), Some("SELECT a: b\n\nFROM c\n"));
        let tables = found.get("tables").expect("tables");
        assert_eq!(tables.get("races").and_then(|it| it.text_of("pkey")), Some("id"));
        assert_eq!(tables.get("races").and_then(|it| it.text_of("time_col")), None);
        let fkeys = tables.get("my results").and_then(|it| it.get("fkeys")).expect("keys");
        assert_eq!(fkeys.text_of("race"), Some("races"));
        let remove: Vec<Vec<Option<&str>>> = found
            .get("remove")
            .expect("a list")
            .items()
            .iter()
            .map(|pair| pair.items().iter().map(Yaml::text).collect())
            .collect();
        assert_eq!(remove, [[Some("a"), Some("b")], [Some("c"), Some("d")]]);
        assert_eq!(found.get("list").expect("a list").items().len(), 2);
    }

    #[test]
    fn what_is_not_read_is_refused_with_its_line() {
        assert_eq!(Yaml::parse("a: 1\nb: {c: d}\n"), Err((2, "mappings in braces are not read")));
        assert_eq!(Yaml::parse("a: &x 1\n"), Err((1, "anchors and tags are not read")));
        assert_eq!(Yaml::parse("a: 1\nb\n"), Err((2, "expected `key: value`")));
        assert!(Yaml::parse("  a: 1\nb: 2\n").is_err());
    }
}
