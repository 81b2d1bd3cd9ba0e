//! `lrnn concepts MODEL`: latent concepts, as heat maps of the weights of the rules that define each predicate.

use lrnn::diagnostic::printable;
use lrnn::explain::concepts;
use lrnn_io::read_model_of;
use lrnn_report::{ConceptReport, heat_svg};

use crate::args::{Common, ConceptsArgs};
use crate::failure::Error;
use crate::output;

pub fn run(asked: &ConceptsArgs, common: &Common) -> Result<u8, Error> {
    let model = read_model_of(&asked.model)?;
    let report = ConceptReport { concepts: concepts(&model.template()?, &model) };
    if let Some(path) = &asked.svg {
        output::write_picture(path, &heat_svg("Latent concepts", &report.concepts), common)?;
        if !common.quiet {
            output::say(&printable(&format!("wrote {}\n", path.display())));
        }
    }
    if common.json {
        output::print_json(&report)?;
    } else if asked.csv {
        output::print_csv(&report.csv())?;
    } else {
        output::print(&report.text(output::has_colours(&std::io::stdout())))?;
    }
    Ok(0)
}
