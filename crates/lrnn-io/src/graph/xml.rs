//! The part of XML that graphs need: elements with attributes and text, comments and processing instructions left out,
//! with the place of each.

/// A piece of XML.
#[derive(Debug, PartialEq)]
pub(super) enum XmlPiece<'a> {
    /// `<name a="b">`, or `<name a="b"/>` if it is empty.
    Start { name: &'a str, attributes: Vec<(&'a str, String)>, is_empty: bool },
    /// `</name>`.
    End { name: &'a str },
    /// Text with its entities replaced.
    Text(String),
}

/// A piece with the bytes it stands at, or what is wrong there.
pub(super) type PlacedXml<'a> = Result<(XmlPiece<'a>, usize, usize), (String, usize)>;

/// Reads a text piece by piece.
pub(super) struct XmlPieces<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> XmlPieces<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Skips to the end of something that ends with these letters.
    fn skip(&mut self, end: &str, what: &str) -> Result<&'a str, (String, usize)> {
        let (start, rest) = (self.at, &self.text[self.at..]);
        let found = rest.find(end).ok_or_else(|| (format!("{what} has no end `{end}`"), start))?;
        self.at += found + end.len();
        Ok(&rest[..found])
    }

    fn tag(&mut self) -> Result<XmlPiece<'a>, (String, usize)> {
        let start = self.at;
        self.at += 1;
        let mut quote = None;
        let inner = &self.text[self.at..];
        let length = inner.find(|c| {
            match quote {
                Some(open) if c == open => quote = None,
                None if c == '"' || c == '\'' => quote = Some(c),
                _ => {}
            }
            quote.is_none() && c == '>'
        });
        let length = length.ok_or_else(|| ("this tag has no end `>`".to_owned(), start))?;
        self.at += length + 1;
        let inner = &inner[..length];
        if let Some(name) = inner.strip_prefix('/') {
            return Ok(XmlPiece::End { name: local(name.trim()) });
        }
        let is_empty = inner.ends_with('/');
        let inner = inner.strip_suffix('/').unwrap_or(inner);
        let name = inner.split_whitespace().next().unwrap_or("");
        let attributes = attributes(&inner[name.len().min(inner.len())..]);
        let attributes =
            attributes.ok_or_else(|| (format!("the attributes of <{name}> are broken"), start))?;
        Ok(XmlPiece::Start { name: local(name), attributes, is_empty })
    }

    /// Reads the next piece, if there is one.
    pub fn next_piece(&mut self) -> Option<PlacedXml<'a>> {
        loop {
            let (start, rest) = (self.at, &self.text[self.at..]);
            let found = if rest.is_empty() {
                return None;
            } else if rest.starts_with("<!--") {
                self.skip("-->", "this comment").map(|_| None)
            } else if rest.starts_with("<![CDATA[") {
                let text = |inner: &str| XmlPiece::Text(inner.trim_start_matches("<![CDATA[").to_owned());
                self.skip("]]>", "this section").map(|inner| Some(text(inner)))
            } else if rest.starts_with("<?") || rest.starts_with("<!") {
                self.skip(">", "this declaration").map(|_| None)
            } else if rest.starts_with('<') {
                self.tag().map(Some)
            } else {
                let text = &rest[..rest.find('<').unwrap_or(rest.len())];
                self.at += text.len();
                Ok((!text.trim().is_empty()).then(|| XmlPiece::Text(unescaped(text))))
            };
            match found {
                Ok(None) => {}
                Ok(Some(piece)) => return Some(Ok((piece, start, self.at))),
                Err(error) => {
                    self.at = self.text.len();
                    return Some(Err(error));
                }
            }
        }
    }
}

/// Returns a name without the prefix of its namespace.
fn local(name: &str) -> &str {
    name.split_once(':').map_or(name, |(_, local)| local)
}

fn attributes(text: &str) -> Option<Vec<(&str, String)>> {
    let (mut rest, mut found) = (text.trim(), Vec::new());
    while !rest.is_empty() {
        let (name, value) = rest.split_once('=')?;
        let value = value.trim_start();
        let quote = value.chars().next().filter(|&c| c == '"' || c == '\'')?;
        let (inner, after) = value[1..].split_once(quote)?;
        found.push((name.trim(), unescaped(inner)));
        rest = after.trim_start();
    }
    Some(found)
}

/// Replaces entities: `&lt;`, `&#65;`; what is none stays as it is.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find(';').filter(|&end| end < 12);
        let replaced = end.and_then(|end| entity(&rest[1..end]).map(|c| (c, end)));
        match replaced {
            Some((c, end)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

fn entity(name: &str) -> Option<char> {
    let known = [("lt", '<'), ("gt", '>'), ("amp", '&'), ("quot", '"'), ("apos", '\'')];
    let found = known.iter().find(|entry| entry.0 == name).map(|entry| entry.1);
    let number = || match name.strip_prefix("#x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => name.strip_prefix('#')?.parse().ok(),
    };
    found.or_else(|| char::from_u32(number()?))
}
