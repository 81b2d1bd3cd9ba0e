//! Draws molecules: each argument is a SMILES, each picture a file `molecule-N.svg` in the folder of the first argument.
use std::path::Path;

use lrnn_chem::Molecule;
use lrnn_report::{SkeletalFormula, molecule_svg};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: molecules FOLDER SMILES...")?;
    for (number, smiles) in arguments.enumerate() {
        let formula = SkeletalFormula::new(&Molecule::from_smiles(&smiles)?);
        let file = Path::new(&folder).join(format!("molecule-{}.svg", number + 1));
        std::fs::write(file, molecule_svg(&smiles, &formula, &[]))?;
    }
    Ok(())
}
