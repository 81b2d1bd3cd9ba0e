//! Pictures as PDF: what this crate writes as SVG (rectangles, circles, ellipses, lines, paths, texts, with their style)
//! on one page of the same size, in the colours of a light page. Letters are Helvetica's, which every reader has.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A picture as PDF.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PdfPicture {
    /// The file.
    pub bytes: Vec<u8>,
    /// Letters that the font does not have; `?` stands in their place.
    pub missing: BTreeSet<char>,
}

/// Writes a picture of this crate as PDF.
pub fn pdf_of_svg(svg: &str) -> PdfPicture {
    let mut page = PdfPage::default();
    let mut rules: Vec<StyleRule<'_>> = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        let Some(end) = rest[start..].find('>').map(|end| start + end) else { break };
        let element = XmlElement::parse(&rest[start + 1..end]);
        rest = &rest[end + 1..];
        match element.name {
            // What is in these is not drawn.
            "title" | "defs" => skip(&mut rest, element.name),
            "style" => {
                let until = rest.find("</style>").unwrap_or(rest.len());
                rules = style_rules(&rest[..until]);
            }
            "svg" => page.size = [element.number("width"), element.number("height")],
            "text" => {
                let until = rest.find("</text>").unwrap_or(rest.len());
                page.text(&element, &rules, &unescaped(&rest[..until]));
            }
            _ => page.shape(&element, &rules),
        }
    }
    page.finish()
}

fn skip(rest: &mut &str, name: &str) {
    let end = format!("</{name}>");
    if let Some(at) = rest.find(&end) {
        *rest = &rest[at + end.len()..];
    }
}

/// An element with its attributes as they are written.
struct XmlElement<'a> {
    name: &'a str,
    attributes: Vec<(&'a str, &'a str)>,
}

impl<'a> XmlElement<'a> {
    fn parse(text: &'a str) -> Self {
        let (name, mut rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let mut attributes = Vec::new();
        while let Some((key, after)) = rest.split_once("=\"") {
            let Some((value, after)) = after.split_once('"') else { break };
            attributes.push((key.trim(), value));
            rest = after;
        }
        Self { name: name.trim_end_matches('/'), attributes }
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        self.attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }

    fn number(&self, name: &str) -> f64 {
        self.get(name).and_then(|text| text.parse().ok()).unwrap_or(0.0)
    }

    /// Returns a property of style: of its own style, of the rules for its classes, the last first, or its attribute.
    fn style(&self, rules: &[StyleRule<'a>], name: &str) -> Option<&'a str> {
        let own = self.get("style").unwrap_or("").split(';').filter_map(|part| part.split_once(':'));
        let own = own.map(|(key, value)| (key.trim(), value.trim())).find(|(key, _)| *key == name);
        let classes: Vec<&str> = self.get("class").unwrap_or("").split_whitespace().collect();
        let by_rule = || {
            let fits = |rule: &&StyleRule<'_>| {
                rule.element.is_none_or(|element| element == self.name)
                    && rule.classes.iter().all(|class| classes.contains(class))
            };
            let fitting = rules.iter().filter(fits).filter(|rule| rule.name == name);
            // Rules with more to ask for go before others, and later ones before earlier.
            fitting.max_by_key(|rule| rule.classes.len()).map(|rule| rule.value)
        };
        own.map(|(_, value)| value).or_else(by_rule).or_else(|| self.get(name))
    }
}

/// One declaration of a style sheet.
struct StyleRule<'a> {
    element: Option<&'a str>,
    classes: Vec<&'a str>,
    name: &'a str,
    value: &'a str,
}

/// Returns the declarations before the first `@`, which are those of light pages.
fn style_rules(text: &str) -> Vec<StyleRule<'_>> {
    let light = text.split('@').next().unwrap_or("");
    let mut rules = Vec::new();
    for block in light.split('}').filter_map(|block| block.split_once('{')) {
        let mut parts = block.0.trim().split('.');
        let element = parts.next().filter(|name| !name.is_empty());
        let classes: Vec<&str> = parts.collect();
        for (name, value) in block.1.split(';').filter_map(|part| part.split_once(':')) {
            rules.push(StyleRule {
                element,
                classes: classes.clone(),
                name: name.trim(),
                value: value.trim(),
            });
        }
    }
    rules
}

fn unescaped(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    text.replace("&amp;", "&")
}

/// Returns red, green and blue from 0 to 1 of `#rrggbb`.
fn colour(text: &str) -> Option<[f64; 3]> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
    let part = |at: usize| Some(f64::from(u8::from_str_radix(&digits[at..at + 2], 16).ok()?) / 255.0);
    Some([part(0)?, part(2)?, part(4)?])
}

#[derive(Default)]
struct PdfPage {
    size: [f64; 2],
    content: String,
    /// Opacities in thousandths, of surfaces and of lines.
    opacities: Vec<[u32; 2]>,
    missing: BTreeSet<char>,
}

impl PdfPage {
    /// Sets the colours, the width and the opacity of what comes next. Returns how it is painted, if at all.
    fn paint(&mut self, element: &XmlElement<'_>, rules: &[StyleRule<'_>]) -> Option<&'static str> {
        let property = |name: &str| element.style(rules, name);
        let is_line = element.name == "line";
        let fill = property("fill").map_or(Some([0.0; 3]), colour).filter(|_| !is_line);
        let stroke = property("stroke").and_then(colour);
        for (found, operator) in [(fill, "rg"), (stroke, "RG")] {
            if let Some([red, green, blue]) = found {
                let _ = writeln!(self.content, "{red:.3} {green:.3} {blue:.3} {operator}");
            }
        }
        let number = |name: &str| property(name).and_then(|text| text.parse::<f64>().ok());
        let _ = writeln!(self.content, "{:.3} w", number("stroke-width").unwrap_or(1.0));
        let dash = property("stroke-dasharray").map(|text| text.replace(',', " ")).unwrap_or_default();
        let cap = if property("stroke-linecap") == Some("round") { 1 } else { 0 };
        let _ = writeln!(self.content, "[{dash}] 0 d {cap} J");
        let opacity = ["fill-opacity", "stroke-opacity"]
            .map(|name| (number(name).unwrap_or(1.0).clamp(0.0, 1.0) * 1000.0).round() as u32);
        let known = self.opacities.iter().position(|known| *known == opacity);
        let at = known.unwrap_or_else(|| {
            self.opacities.push(opacity);
            self.opacities.len() - 1
        });
        let _ = writeln!(self.content, "/G{at} gs");
        match (fill, stroke) {
            (Some(_), Some(_)) => Some("B"),
            (Some(_), None) => Some("f"),
            (None, Some(_)) => Some("S"),
            (None, None) => None,
        }
    }

    fn shape(&mut self, element: &XmlElement<'_>, rules: &[StyleRule<'_>]) {
        let number = |name: &str| element.number(name);
        let mut path = PdfPath::default();
        match element.name {
            "rect" => {
                let whole = |name: &str, all: f64| {
                    element.get(name).filter(|text| *text == "100%").map_or_else(|| number(name), |_| all)
                };
                let size = [whole("width", self.size[0]), whole("height", self.size[1])];
                path.rectangle([number("x"), number("y")], size, number("rx"));
            }
            "circle" => path.ellipse([number("cx"), number("cy")], [number("r"); 2]),
            "ellipse" => path.ellipse([number("cx"), number("cy")], [number("rx"), number("ry")]),
            "line" => {
                path.to([number("x1"), number("y1")], "m");
                path.to([number("x2"), number("y2")], "l");
            }
            "path" => path.read(element.get("d").unwrap_or("")),
            _ => return,
        }
        let Some(painted) = self.paint(element, rules) else { return };
        let _ = writeln!(self.content, "{}{painted}", path.text);
        if element.get("marker-end").is_some() {
            self.arrow(&path);
        }
    }

    /// Draws the head of an arrow at the end of a path.
    fn arrow(&mut self, path: &PdfPath) {
        let ([x0, y0], [x, y]) = (path.before, path.at);
        let length = (x - x0).hypot(y - y0).max(1e-9);
        let (along, across) =
            ([(x - x0) / length, (y - y0) / length], [-(y - y0) / length, (x - x0) / length]);
        let corner = |back: f64, side: f64| {
            [x - back * along[0] + side * across[0], y - back * along[1] + side * across[1]]
        };
        let [a, b] = [corner(7.5, 3.2), corner(7.5, -3.2)];
        let _ = writeln!(
            self.content,
            "0.541 0.541 0.580 rg\n{x:.2} {y:.2} m {:.2} {:.2} l {:.2} {:.2} l h f",
            a[0], a[1], b[0], b[1]
        );
    }

    fn text(&mut self, element: &XmlElement<'_>, rules: &[StyleRule<'_>], text: &str) {
        let property = |name: &str| element.style(rules, name);
        let size =
            property("font-size").and_then(|size| size.trim_end_matches("px").parse().ok()).unwrap_or(12.0);
        let is_bold = property("font-weight").is_some_and(|weight| matches!(weight, "bold" | "600" | "700"));
        let runs = self.runs(text, if is_bold { 2 } else { 1 });
        let wide = |(font, code): &(u8, u8)| match font {
            1 => f64::from(letter_width(*code)),
            // Bold letters are about a twentieth wider.
            2 => 1.06 * f64::from(letter_width(*code)),
            _ => 603.0,
        };
        let width = size / 1000.0 * runs.iter().map(wide).sum::<f64>();
        let x = match property("text-anchor") {
            Some("middle") => element.number("x") - width / 2.0,
            Some("end") => element.number("x") - width,
            _ => element.number("x"),
        };
        let [red, green, blue] = property("fill").and_then(colour).unwrap_or([0.0; 3]);
        let mut letters = String::new();
        for run in runs.chunk_by(|one, other| one.0 == other.0) {
            let hex: String = run.iter().map(|(_, code)| format!("{code:02x}")).collect();
            let _ = write!(letters, "/F{} {size:.2} Tf <{hex}> Tj ", run[0].0);
        }
        // The page is turned upside down, and the letters with it back.
        let _ = writeln!(
            self.content,
            "BT {red:.3} {green:.3} {blue:.3} rg 1 0 0 -1 {x:.2} {:.2} Tm {letters}ET",
            element.number("y")
        );
    }

    /// Returns the font and the code of each letter.
    fn runs(&mut self, text: &str, font: u8) -> Vec<(u8, u8)> {
        let symbol = |letter: char| match letter {
            '∧' => Some(0xd9),
            '∨' => Some(0xda),
            '→' => Some(0xae),
            '≤' => Some(0xa3),
            '≥' => Some(0xb3),
            '∑' => Some(0xe5),
            _ => None,
        };
        text.chars()
            .map(|letter| symbol(letter).map_or_else(|| (font, self.code(letter)), |code| (3, code)))
            .collect()
    }

    /// Returns a letter in the encoding of the font.
    fn code(&mut self, letter: char) -> u8 {
        match letter {
            ' '..='~' | '\u{a0}'..='\u{ff}' => letter as u8,
            '\u{2013}' | '\u{2212}' => 0x96,
            '\u{2014}' => 0x97,
            '\u{2022}' => 0x95,
            '\u{2026}' => 0x85,
            '\u{2018}' => 0x91,
            '\u{2019}' => 0x92,
            '\u{201c}' => 0x93,
            '\u{201d}' => 0x94,
            other => {
                self.missing.insert(other);
                b'?'
            }
        }
    }

    fn finish(self) -> PdfPicture {
        let [width, height] = self.size;
        let content = format!("1 0 0 -1 0 {height:.2} cm\n{}", self.content);
        let state = |(at, [fill, stroke]): (usize, &[u32; 2])| {
            format!(
                "/G{at} << /ca {:.3} /CA {:.3} >> ",
                f64::from(*fill) / 1000.0,
                f64::from(*stroke) / 1000.0
            )
        };
        let states: String = self.opacities.iter().enumerate().map(state).collect();
        let font = |name: &str| format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name}");
        let letters = |name: &str| font(name) + " /Encoding /WinAnsiEncoding >>";
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.2} {height:.2}] /Contents 4 0 R \
                 /Resources << /Font << /F1 5 0 R /F2 6 0 R /F3 7 0 R >> /ExtGState << {states}>> >> >>"
            ),
            format!("<< /Length {} >>\nstream\n{content}endstream", content.len()),
            letters("Helvetica"),
            letters("Helvetica-Bold"),
            font("Symbol") + " >>",
        ];
        let mut file = String::from("%PDF-1.4\n");
        let mut places = Vec::new();
        for (at, object) in objects.iter().enumerate() {
            places.push(file.len());
            let _ = writeln!(file, "{} 0 obj\n{object}\nendobj", at + 1);
        }
        let table = file.len();
        let _ = write!(file, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
        places.iter().for_each(|place| _ = writeln!(file, "{place:010} 00000 n "));
        let _ = write!(
            file,
            "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n",
            objects.len() + 1
        );
        PdfPicture { bytes: file.into_bytes(), missing: self.missing }
    }
}

/// A path as PDF writes it.
#[derive(Default)]
struct PdfPath {
    text: String,
    at: [f64; 2],
    /// The point before the last, which tells the direction of the end.
    before: [f64; 2],
}

/// Length of the handles of a quarter of a circle, in radii.
const HANDLE: f64 = 0.552_285;

impl PdfPath {
    fn to(&mut self, to: [f64; 2], operator: &str) {
        let _ = write!(self.text, "{:.2} {:.2} {operator} ", to[0], to[1]);
        (self.before, self.at) = (self.at, to);
    }

    fn curve(&mut self, first: [f64; 2], second: [f64; 2], to: [f64; 2]) {
        let _ = write!(self.text, "{:.2} {:.2} {:.2} {:.2} ", first[0], first[1], second[0], second[1]);
        self.to(to, "c");
        self.before = if second == to { first } else { second };
    }

    fn ellipse(&mut self, [x, y]: [f64; 2], [a, b]: [f64; 2]) {
        self.rounded([x - a, y - b], [2.0 * a, 2.0 * b], [a, b]);
    }

    fn rectangle(&mut self, corner: [f64; 2], size: [f64; 2], round: f64) {
        let round = round.min(size[0] / 2.0).min(size[1] / 2.0);
        self.rounded(corner, size, [round; 2]);
    }

    fn rounded(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], [a, b]: [f64; 2]) {
        let (right, bottom, c, d) = (x + width, y + height, a * (1.0 - HANDLE), b * (1.0 - HANDLE));
        self.to([x + a, y], "m");
        self.to([right - a, y], "l");
        self.curve([right - c, y], [right, y + d], [right, y + b]);
        self.to([right, bottom - b], "l");
        self.curve([right, bottom - d], [right - c, bottom], [right - a, bottom]);
        self.to([x + a, bottom], "l");
        self.curve([x + c, bottom], [x, bottom - d], [x, bottom - b]);
        self.to([x, y + b], "l");
        self.curve([x, y + d], [x + c, y], [x + a, y]);
        self.text += "h ";
    }

    /// Reads the letters M, L, H, V, C and z of a path.
    fn read(&mut self, text: &str) {
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let after = &rest[letter.len_utf8()..];
            let end = after.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(after.len());
            let numbers: Vec<f64> =
                after[..end].split([',', ' ']).filter_map(|number| number.parse().ok()).collect();
            match (letter, numbers.as_slice()) {
                ('M', [x, y, ..]) => self.to([*x, *y], "m"),
                ('L', [x, y, ..]) => self.to([*x, *y], "l"),
                ('H', [x, ..]) => self.to([*x, self.at[1]], "l"),
                ('V', [y, ..]) => self.to([self.at[0], *y], "l"),
                ('C', [a, b, c, d, x, y, ..]) => self.curve([*a, *b], [*c, *d], [*x, *y]),
                ('z' | 'Z', _) => self.text += "h ",
                _ => {}
            }
            rest = &after[end..];
        }
    }
}

/// Returns the width of a letter of Helvetica in thousandths of its height.
fn letter_width(code: u8) -> u16 {
    const WIDTHS: [u16; 95] = [
        278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556,
        556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778,
        722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278,
        278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
        556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
    ];
    WIDTHS.get(usize::from(code).wrapping_sub(32)).copied().unwrap_or(556)
}
