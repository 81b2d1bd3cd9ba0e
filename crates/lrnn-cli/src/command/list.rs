//! `lrnn list`: the tables of functions, families, losses, optimizers, metrics, settings and baselines.

use std::collections::BTreeMap;

use clap::ValueEnum;
use lrnn_lab::baseline::BASELINES;
use lrnn_report::{CatalogueEntry, CatalogueTable, catalogue};

use crate::args::{Common, ListArgs, ListKind};
use crate::failure::Error;
use crate::output;

pub fn run(list: &ListArgs, common: &Common) -> Result<u8, Error> {
    let baselines = BASELINES.iter().map(|it| CatalogueEntry::new(it.name, String::new(), it.help));
    let mut tables = catalogue();
    tables.push(CatalogueTable { name: "baselines", entries: baselines.collect() });
    let wanted = list.kind.as_ref().and_then(ListKind::to_possible_value);
    tables.retain(|table| wanted.as_ref().is_none_or(|wanted| wanted.get_name() == table.name));
    let document: BTreeMap<&str, &[CatalogueEntry]> =
        tables.iter().map(|table| (table.name, &*table.entries)).collect();
    let texts = || tables.iter().map(CatalogueTable::text).collect::<Vec<String>>();
    output::print_result(common, &document, &[], None, || texts().join("\n"))
}
