//! What can be looked at. In: views of the engine, and completed knowledge bases. Out: tables, pictures as SVG and DOT,
//! and a whole run as one HTML [`page`], whatever stands in the names; [`gather`] collects what such a page shows. It
//! reads no files and writes none.
//!
//! Every text of a picture goes through [`escape`], all data of a page through the JSON of [`page`]; nothing else may
//! write one. Pictures suit light and dark pages, and say the same in
//! their `data-` attributes as they show.

mod atoms;
mod axis;
mod catalogue;
mod colour;
mod completion;
mod concept_text;
mod dot;
mod draw;
mod escape;
mod example;
mod explain;
mod figure;
pub mod gather;
mod graph;
mod grounding;
mod heat;
mod layered;
mod layout;
mod molecule;
pub mod page;
mod pattern_svg;
mod pattern_text;
mod patterns;
mod pdf;
mod predictions;
mod skeletal;
mod stress;
mod svg;
pub mod table;
mod test_report;
mod weights;

pub use atoms::{AtomList, AtomReadings, OutsideAtom};
pub use catalogue::{CatalogueEntry, CatalogueTable, SettingEntry, catalogue};
pub use completion::completion_text;
pub use concept_text::ConceptReport;
pub use dot::{graph_dot, network_dot};
pub use draw::{Picture, PictureFormat, draw_example, draw_network, draw_template};
pub use escape::{dot_text, number, shortened, xml};
pub use example::{GraphRelations, example_view};
pub use explain::{alike_sentences, explanation_text, explanations_text, fixed, tree_text};
pub use figure::{Series, errors_figure};
pub use graph::{GraphEdge, GraphNode, GraphView, graph_svg};
pub use grounding::{GroundReport, PlanReport};
pub use heat::heat_svg;
pub use layered::network_svg;
pub use molecule::{
    SubstructureFinding, SubstructureReport, are_molecules, explain_examples, explained_molecule,
    find_substructures, substructures_svg,
};
pub use pattern_svg::patterns_svg;
pub use patterns::{ClassSupport, PatternFinding, PatternReport, RulePatterns, find_patterns};
pub use pdf::{PdfPicture, pdf_of_svg};
pub use predictions::{PredictedTable, PredictedTarget, Predictions};
pub use skeletal::{Halo, Letters, SkeletalFormula, Stroke, bond_name, molecule_svg};
pub use stress::stress_layout;
pub use test_report::{ClassCount, TestReport};
pub use weights::{WeightReport, WeightRow};
