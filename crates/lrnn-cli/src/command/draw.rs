//! `lrnn draw MODEL [DATA] -o FILE`: a template, the network of an example, or an example as a picture.

use lrnn::diagnostic::printable;
use lrnn_report::{Picture, PictureFormat, draw_example, draw_network, draw_template};
use serde::Serialize;

use crate::args::{Common, DrawArgs, DrawingKind};
use crate::failure::{Error, ErrorKind};
use crate::load::read_subject;
use crate::output;

/// A picture that was written.
#[derive(Serialize)]
struct PictureFile<'a> {
    file: &'a str,
    #[serde(flatten)]
    picture: &'a Picture,
}

pub fn run(draw: &DrawArgs, common: &Common) -> Result<u8, Error> {
    let format = match draw.out.extension().and_then(|ending| ending.to_str()) {
        Some("svg" | "pdf") => PictureFormat::Svg,
        Some("dot" | "gv") => PictureFormat::Dot,
        _ => {
            let failure = Error::new(ErrorKind::Usage, "the name of a picture ends in .svg, .pdf or .dot");
            return Err(failure.help("write -o picture.svg"));
        }
    };
    let subject = read_subject(&draw.model, draw.data.as_deref(), &draw.molecules, &draw.limits, common)?;
    let has_data = subject.dataset.examples.iter().any(|example| !example.tables.is_empty());
    let what = draw.what.unwrap_or(if has_data { DrawingKind::Network } else { DrawingKind::Template });
    let example = || draw.example.as_deref().map_or(Ok(0), |name| subject.example(name));
    let query = draw.query.as_deref();
    let picture = match what {
        DrawingKind::Template => draw_template(&subject, format),
        DrawingKind::Network => draw_network(&subject, example()?, query, draw.most.get(), format)?,
        DrawingKind::Example => draw_example(&subject, example()?, query, draw.relation.as_deref(), format)?,
    };
    output::say_notes(&picture.notes, common);
    output::write_picture(&draw.out, &picture.text, common)?;
    let file = &*draw.out.display().to_string();
    let Picture { nodes, edges, left_out, .. } = &picture;
    let document = PictureFile { file, picture: &picture };
    let left = if *left_out > 0 { format!(", {left_out} left out") } else { String::new() };
    let text = printable(&format!("{file}: {nodes} nodes, {edges} edges{left}\n"));
    output::print_result(common, &document, &[], None, || if common.quiet { String::new() } else { text })
}
