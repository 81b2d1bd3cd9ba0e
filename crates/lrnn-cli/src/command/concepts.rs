//! `lrnn concepts MODEL`: latent concepts, as heat maps of the weights of the rules that define each predicate.

use lrnn::explain::concepts;
use lrnn_io::read_model_of;
use lrnn_report::{ConceptReport, heat_svg};

use crate::args::{Common, ConceptsArgs};
use crate::failure::Error;
use crate::output;

pub fn run(asked: &ConceptsArgs, common: &Common) -> Result<u8, Error> {
    let model = read_model_of(&asked.model)?;
    let report = ConceptReport { concepts: concepts(&model.template()?, &model) };
    output::write_beside(asked.svg.as_deref(), || heat_svg("Latent concepts", &report.concepts), common)?;
    let csv = asked.csv.then(|| report.csv());
    output::print_result(common, &report, &[], csv, || report.text(output::has_colours(&std::io::stdout())))
}
