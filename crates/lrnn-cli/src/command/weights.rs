//! `lrnn weights MODEL`: the learned weights.

use lrnn::diagnostic::printable;
use lrnn_io::read_model_of;
use lrnn_report::WeightReport;

use crate::args::{Common, WeightsArgs};
use crate::failure::{Error, ErrorKind};
use crate::output;

pub fn run(weights: &WeightsArgs, common: &Common) -> Result<u8, Error> {
    if weights.csv && common.json {
        let failure = Error::new(ErrorKind::Usage, "the weights are printed as CSV or as JSON, not as both");
        return Err(failure.help("drop `--csv` or `--json`"));
    }
    let report = WeightReport::new(&read_model_of(&weights.model)?, weights.largest.map(Into::into));
    let csv = weights.csv.then(|| report.csv());
    output::print_result(common, &report, &[], csv, || printable(&report.text()))
}
