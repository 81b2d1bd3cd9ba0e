//! Files for lrnn: templates with their imports, examples and queries in every layout, plain or gzipped, the
//! `lrnn.toml` of a dataset folder, and models, which are written whole or not at all. Formats only: what the texts
//! mean is the engine's business.

mod config;
mod data_folder;
mod dataset;
mod experiment;
mod file;
mod fold_folders;
mod graph;
mod graph_facts;
mod graphs;
mod inputs;
mod labels;
mod line;
mod model;
mod molecules;
mod prolog_folder;
mod run;
mod screen;
mod tables;
mod template;
mod triples;
mod types;
mod write;

pub use config::{CONFIG_NAME, Config, toml_text};
pub use data_folder::{write_data, write_template};
pub use dataset::read_data;
pub use experiment::{ExperimentData, ExperimentFile, Method};
pub use file::{file_error, read_text};
pub use inputs::{
    Inputs, check_data, columns_of, family, locate, locate_molecules, model_file, read_dataset,
    read_dataset_for, read_model_data, read_model_of, read_model_or_template, read_streamed_data,
};
pub use lrnn_tables::{Purpose, Tables};
pub use model::{read_model, write_model};
pub use molecules::{
    MOLECULES_TEMPLATE_NAME, MoleculeColumns, MoleculeData, MoleculePurpose, MoleculeTable, TargetColumn,
    is_molecule_file, read_molecules, used_columns,
};
pub use run::{
    HistoryLine, RunFolder, RunInputs, SplitFile, check_free, free_name, is_taken, settings_toml,
    with_validation,
};
pub use tables::{
    MAPPING_ENDING, MAPPING_NOTE, is_mapping, mapping_note, mapping_of, read_by_note, read_mapping,
    read_stream, read_tables,
};
pub use template::{molecules_template, read_template, read_template_for, without_unused};
pub use triples::{TripleParts, read_triples};
pub use types::SIGNATURE_NAME;
pub use write::{create_folder, write_atomically};
