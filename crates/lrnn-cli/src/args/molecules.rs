//! Arguments about tables of molecules.

use clap::{Args, ValueEnum};
use lrnn_io::{MoleculeColumns, TargetColumn};
use lrnn_lab::SplitMethod;

/// The columns of a table of molecules.
#[derive(Args, Clone, Default)]
pub struct MoleculeFlags {
    /// Column of SMILES in a table of molecules (.csv) [default: smiles]
    #[arg(long, value_name = "COLUMN")]
    pub smiles: Option<String>,
    /// Column of names in a table of molecules [default: name or id]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
}

impl MoleculeFlags {
    /// Returns the columns that are asked for, with targets.
    pub fn columns(&self, targets: &[String]) -> MoleculeColumns {
        let target = |name: &String| TargetColumn { name: name.clone(), classes: Vec::new() };
        let targets = targets.iter().map(target).collect();
        MoleculeColumns { smiles: self.smiles.clone(), id: self.id.clone(), targets }
    }
}

/// Columns and targets of a table of molecules.
#[derive(Args, Clone, Default)]
pub struct TargetFlags {
    #[command(flatten)]
    pub molecules: MoleculeFlags,
    /// Column to learn of a table of molecules: numbers, or classes as text; once for each column
    #[arg(long = "target", value_name = "COLUMN")]
    pub targets: Vec<String>,
}

impl TargetFlags {
    /// Returns the columns that are asked for.
    pub fn columns(&self) -> MoleculeColumns {
        self.molecules.columns(&self.targets)
    }
}

/// The way to hold out a test set.
#[derive(Args, Clone, Copy)]
pub struct SplitFlag {
    /// Way to hold out what is tested
    #[arg(long, value_name = "HOW", value_enum, default_value = "random")]
    pub split: SplitKind,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SplitKind {
    /// By chance, each part with its share of every class
    Random,
    /// Molecules with one Bemis-Murcko scaffold in one part, so that what is tested is new
    Scaffold,
    /// Examples that are equal up to the names of their constants in one part
    Graph,
}

impl From<SplitKind> for SplitMethod {
    fn from(kind: SplitKind) -> Self {
        match kind {
            SplitKind::Random => Self::Random,
            SplitKind::Scaffold => Self::Scaffold,
            SplitKind::Graph => Self::Graph,
        }
    }
}
