//! The figure of the paper's experiments: the prediction errors of several methods over many datasets, as SVG. Each
//! dataset is a place on the x axis, each method a mark of its own shape and colour, so that it can be read without
//! colours too. It suits light and dark pages.

use std::fmt::Write;

use crate::axis::Axis;
use crate::escape::{shortened, xml};

/// The errors of one method.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// The name of the method.
    pub name: String,
    /// The error on each dataset, from 0 to 1; where there is none, not a number.
    pub errors: Vec<f64>,
}

/// Colours that most eyes tell apart, and in grey prints too; for light pages and for dark ones.
const COLOURS: [(&str, &str); 8] = [
    ("#0060a8", "#5db4ff"),
    ("#d05a00", "#ff9a4a"),
    ("#00845c", "#3ddba6"),
    ("#b0407f", "#f08cc4"),
    ("#6b5200", "#d9b84a"),
    ("#5b3fb0", "#b39dff"),
    ("#3a3a3a", "#d8d8d8"),
    ("#9a1f1f", "#ff7a7a"),
];

/// Shapes around 0, about 8 across: a disc, then outlines.
const SHAPES: [&str; 8] = [
    "M-3.6,0a3.6,3.6 0 1,0 7.2,0a3.6,3.6 0 1,0 -7.2,0z",
    "M0,-4.4L4.2,3.2L-4.2,3.2z",
    "M-3.3,-3.3H3.3V3.3H-3.3z",
    "M0,-4.6L4.6,0L0,4.6L-4.6,0z",
    "M0,4.4L4.2,-3.2L-4.2,-3.2z",
    "M-3.3,-3.3L3.3,3.3M-3.3,3.3L3.3,-3.3",
    "M0,-4.4V4.4M-4.4,0H4.4",
    "M-4,-2.3L0,-4.6L4,-2.3V2.3L0,4.6L-4,2.3z",
];

/// The width of the plot for few datasets and for many.
const PLOT_WIDTH: (f64, f64) = (560.0, 1040.0);
const PLOT_HEIGHT: f64 = 360.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 18.0;
const NAME_SIZE: f64 = 10.0;
const TEXT_SIZE: f64 = 13.0;
const LONGEST_NAME: usize = 28;

/// Width of a letter, of its height.
const LETTER: f64 = 0.58;

/// Returns the figure. Datasets stand in ascending order of the first method's error, those without one last; what is
/// equal in the order given. Of more than eight methods the ninth looks like the first.
pub fn errors_figure(title: &str, datasets: &[String], methods: &[Series]) -> String {
    let order = order(datasets.len(), methods);
    let plot = (40.0 * order.len() as f64).clamp(PLOT_WIDTH.0, PLOT_WIDTH.1);
    let width = LEFT + plot + RIGHT;
    let names: Vec<String> =
        order.iter().map(|&dataset| shortened(&datasets[dataset], LONGEST_NAME)).collect();
    let legend = legend(methods, width);
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let top = 44.0 + 22.0 * (legend.last().map_or(0.0, |entry| entry.1) + 1.0);
    let bottom = longest as f64 * LETTER * NAME_SIZE + 34.0;
    let axis = Axis::of(methods.iter().flat_map(|method| &method.errors).copied(), top, PLOT_HEIGHT);
    let mut svg = opening(title, width, top + PLOT_HEIGHT + bottom);
    draw_legend(&mut svg, methods, &legend);
    draw_axis(&mut svg, &axis, top, LEFT + plot);
    let slot = plot / order.len().max(1) as f64;
    for ((place, &dataset), name) in order.iter().enumerate().zip(&names) {
        let x = LEFT + slot * (place as f64 + 0.5);
        draw_dataset(&mut svg, &axis, x, (dataset, name), &datasets[dataset], methods, slot);
    }
    svg.push_str("</svg>\n");
    svg
}

fn error_of(method: &Series, dataset: usize) -> Option<f64> {
    method.errors.get(dataset).copied().filter(|error| error.is_finite())
}

fn order(count: usize, methods: &[Series]) -> Vec<usize> {
    let key =
        |dataset: usize| methods.first().and_then(|first| error_of(first, dataset)).unwrap_or(f64::INFINITY);
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| key(a).total_cmp(&key(b)));
    order
}

/// Returns the place of each method in the legend, and its line.
fn legend(methods: &[Series], most: f64) -> Vec<(f64, f64)> {
    let (mut x, mut line) = (LEFT, 0.0);
    let place = |method: &Series| {
        let width = 34.0 + shortened(&method.name, LONGEST_NAME).chars().count() as f64 * LETTER * TEXT_SIZE;
        if x + width > most - RIGHT && x > LEFT {
            (x, line) = (LEFT, line + 1.0);
        }
        let here = (x, line);
        x += width;
        here
    };
    methods.iter().map(place).collect()
}

fn opening(title: &str, width: f64, height: f64) -> String {
    let title = xml(title);
    let mut dark = String::new();
    for (number, (_, colour)) in COLOURS.iter().enumerate() {
        let _ = write!(dark, " .m{number} {{ stroke: {colour} }} .m{number}.f {{ fill: {colour} }}");
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height:.0}\" width=\"{width}\" height=\"{height:.0}\" \
         role=\"img\" aria-label=\"{title}\" font-family=\"'DejaVu Sans', 'Liberation Sans', Arial, sans-serif\">\n\
         <style>@media screen and (prefers-color-scheme: dark) {{ .page {{ fill: #16181c }} .ink {{ fill: #e4e6ea }} \
         .grid {{ stroke: #3a3f47 }} .span {{ stroke: #555b65 }} .frame {{ stroke: #9aa0aa }}{dark} }}</style>\n\
         <rect class=\"page\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text class=\"ink\" x=\"{LEFT}\" y=\"27\" font-size=\"16\" font-weight=\"bold\" fill=\"#1c1e21\">{title}</text>\n"
    )
}

fn draw_legend(svg: &mut String, methods: &[Series], legend: &[(f64, f64)]) {
    for ((number, method), (x, line)) in methods.iter().enumerate().zip(legend) {
        let y = 49.0 + 22.0 * line;
        draw_mark(svg, number, x + 6.0, y, 1.25, "");
        let (x, y, name) = (x + 17.0, y + 4.5, xml(&shortened(&method.name, LONGEST_NAME)));
        let _ = writeln!(
            svg,
            "<text class=\"ink\" x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{TEXT_SIZE}\" fill=\"#1c1e21\">{name}</text>"
        );
    }
}

fn draw_axis(svg: &mut String, axis: &Axis, top: f64, right: f64) {
    for tick in axis.ticks() {
        let (y, label) = (axis.place(tick), axis.label(tick));
        let (x, middle) = (LEFT - 8.0, y + 4.0);
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT},{y:.1}H{right}\" stroke=\"#dcdfe3\"/>\
             <text class=\"ink\" x=\"{x}\" y=\"{middle:.1}\" font-size=\"12\" text-anchor=\"end\" fill=\"#1c1e21\">{label}</text>"
        );
    }
    let (bottom, middle) = (top + PLOT_HEIGHT, top + PLOT_HEIGHT / 2.0);
    let _ = writeln!(
        svg,
        "<path class=\"frame\" d=\"M{LEFT},{top}V{bottom}H{right}\" fill=\"none\" stroke=\"#50555c\"/>\
         <text class=\"ink\" transform=\"translate(18,{middle}) rotate(-90)\" font-size=\"{TEXT_SIZE}\" text-anchor=\"middle\" \
         fill=\"#1c1e21\">prediction error, %</text>"
    );
}

/// Draws a dataset: its name, a thin line from its best to its worst error, and the marks, the first method's on top.
fn draw_dataset(
    svg: &mut String,
    axis: &Axis,
    x: f64,
    (dataset, name): (usize, &str),
    full_name: &str,
    methods: &[Series],
    slot: f64,
) {
    let base = axis.bottom();
    let found: Vec<(usize, f64)> = methods
        .iter()
        .enumerate()
        .filter_map(|(number, method)| Some((number, error_of(method, dataset)?)))
        .collect();
    let places = || found.iter().map(|&(_, error)| axis.place(error));
    let (high, low) = (places().fold(base, f64::min), places().fold(0.0, f64::max));
    if found.len() > 1 {
        let _ = writeln!(svg, "<path class=\"span\" d=\"M{x:.1},{high:.1}V{low:.1}\" stroke=\"#c3c7cd\"/>");
    }
    let (size, y) = (NAME_SIZE.min(slot.max(5.0) * 0.92), base + 8.0);
    let shift = x + size * 0.36;
    let _ = writeln!(
        svg,
        "<path class=\"frame\" d=\"M{x:.1},{base}v4\" stroke=\"#50555c\"/>\
         <text class=\"ink\" transform=\"translate({shift:.1},{y}) rotate(-90)\" font-size=\"{size:.1}\" text-anchor=\"end\" \
         fill=\"#1c1e21\">{}</text>",
        xml(name)
    );
    for &(number, error) in found.iter().rev() {
        let percent = error * 100.0;
        let note = format!("{full_name}, {}: {percent:.1} %", methods[number].name);
        draw_mark(svg, number, x, axis.place(error), 1.0, &note);
    }
}

fn draw_mark(svg: &mut String, method: usize, x: f64, y: f64, scale: f64, note: &str) {
    let number = method % COLOURS.len();
    let (colour, shape) = (COLOURS[number].0, SHAPES[number]);
    // The first is what the figure is about: it is filled.
    let (class, fill) = if number == 0 { (" f", colour) } else { ("", "none") };
    let note = if note.is_empty() { String::new() } else { format!("<title>{}</title>", xml(note)) };
    let _ = writeln!(
        svg,
        "<path class=\"m{number}{class}\" transform=\"translate({x:.1},{y:.1}) scale({scale})\" d=\"{shape}\" fill=\"{fill}\" \
         stroke=\"{colour}\" stroke-width=\"1.4\">{note}</path>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, count: usize, error: impl Fn(usize) -> f64) -> Series {
        Series { name: name.into(), errors: (0..count).map(error).collect() }
    }

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("dataset_{number}")).collect()
    }

    #[test]
    fn every_error_is_a_mark() {
        for (datasets, methods) in [(1, 1), (2, 8), (80, 8), (75, 4), (0, 0), (3, 0), (0, 3)] {
            let error =
                |method: usize| move |dataset: usize| 0.2 + 0.001 * (dataset * 7 % 80 + method) as f64;
            let all: Vec<Series> = (0..methods)
                .map(|method| series(&format!("method {method}"), datasets, error(method)))
                .collect();
            let svg = errors_figure("Errors", &names(datasets), &all);
            assert_eq!(svg.matches("<title>").count(), datasets * methods);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }

    #[test]
    fn datasets_are_sorted_and_holes_are_left() {
        let errors = vec![0.3, f64::NAN, 0.1];
        let svg = errors_figure("Errors", &names(3), &[Series { name: "a".into(), errors }]);
        let place = |name: &str| svg.find(&format!(">{name}</text>")).expect("it is there");
        assert!(place("dataset_2") < place("dataset_0") && place("dataset_0") < place("dataset_1"));
        assert_eq!(svg.matches("<title>").count(), 2);
        let short = Series { name: "a".into(), errors: vec![0.1] };
        assert_eq!(errors_figure("", &names(3), &[short]).matches("<title>").count(), 1);
    }

    #[test]
    fn names_are_xml() {
        let svg = errors_figure("a<b>", &["R&D \"x\"\u{1}".into()], &[series("<m>", 1, |_| 0.5)]);
        assert!(
            svg.contains("a&lt;b&gt;") && svg.contains("R&amp;D &quot;x&quot;") && svg.contains("&lt;m&gt;")
        );
        assert!(!svg.contains('\u{1}'));
    }
}
