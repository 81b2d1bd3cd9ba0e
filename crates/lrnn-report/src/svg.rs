//! An SVG that grows.

use std::fmt::Write;

use crate::escape::{shortened, xml};

/// An SVG that grows: elements are written one after the other, sizes at the end.
pub(crate) struct Svg {
    body: String,
    title: String,
}

const STYLE: &str = "text { fill: #1d1d22; font-size: 12px } .small { font-size: 10px } .title { font-size: 15px; font-weight: 600 } \
    .faint { fill: #5c5c66 } .paper { fill: #ffffff } \
    .line { stroke: #6a6a74; fill: none } .minus { stroke: #b0383c } .bond { stroke: #1d1d22; fill: none } \
    text.el-c { fill: #1d1d22 } text.el-n { fill: #1f49c8 } text.el-o { fill: #c4161c } text.el-s { fill: #8a6a00 } text.el-p { fill: #b35900 } \
    text.el-f { fill: #0f7a6b } text.el-cl { fill: #1b7f1b } text.el-br { fill: #8b3a2b } text.el-i { fill: #6a1b9a } text.el-b { fill: #a04a3a } \
    @media (prefers-color-scheme: dark) { text.out { fill: #e6e6ea } text.out.faint { fill: #a9a9b4 } .paper { fill: #16161a } \
    .line { stroke: #a9a9b4 } .minus { stroke: #ff8a8e } \
    .bond { stroke: #e6e6ea } text.el-c { fill: #e6e6ea } text.el-n { fill: #8fa8ff } text.el-o { fill: #ff8a8e } text.el-s { fill: #e0bd3f } \
    text.el-p { fill: #ffae66 } text.el-f { fill: #5fd3c2 } text.el-cl { fill: #74d874 } text.el-br { fill: #e59a8b } text.el-i { fill: #cf9bf0 } \
    text.el-b { fill: #f0a99b } }";

const ARROW: &str = "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
    <path d=\"M0,0.8L7.5,4L0,7.2z\" fill=\"#8a8a94\"/></marker></defs>\n";

impl Svg {
    /// Begins a picture with its title, of which so many letters stand at the top from this place on.
    pub fn new(title: &str, left: f64, most: usize) -> Self {
        let mut svg = Self { body: String::new(), title: title.to_owned() };
        svg.text(left, 28.0, "start", "title out", &shortened(title, most));
        svg
    }

    /// Adds the head of an arrow, which paths name as their end.
    pub fn arrow(&mut self) {
        self.body.insert_str(0, ARROW);
    }

    /// Writes notes below each other, of each so many letters.
    pub fn notes(&mut self, (left, top): (f64, f64), most: usize, notes: &[String]) {
        for (line, note) in notes.iter().enumerate() {
            self.text(left, top + 16.0 * line as f64, "start", "out small faint", &shortened(note, most));
        }
    }

    /// Writes elements; texts in them must be escaped.
    pub fn raw(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    /// Writes a text with its middle, left or right at a place; `class` is ours.
    pub fn text(&mut self, x: f64, y: f64, anchor: &str, class: &str, text: &str) {
        let text = xml(text);
        let _ = writeln!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{text}</text>"
        );
    }

    /// Writes a small text on a line: with paper behind it.
    pub fn label(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let width = text.chars().count() as f64 * 6.2 + 4.0;
        let (left, top) = (x - width / 2.0, y - 9.5);
        let _ = writeln!(
            self.body,
            "<rect class=\"paper\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"12\" fill-opacity=\"0.85\"/>"
        );
        self.text(x, y, "middle", class, text);
    }

    pub fn finish(self, width: f64, height: f64) -> String {
        let (title, body) = (xml(&self.title), self.body);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
             role=\"img\" aria-label=\"{title}\" font-family=\"'DejaVu Sans', 'Liberation Sans', Arial, sans-serif\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n"
        )
    }
}
