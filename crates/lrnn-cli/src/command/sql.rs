//! `lrnn sql MODEL`: a model as SQL.

use lrnn_io::{mapping_of, read_model_or_template};
use lrnn_tables::sql::{PredicateTable, SqlOptions, sql_of};

use crate::args::{Common, SqlArgs};
use crate::failure::Error;
use crate::output;

pub fn run(args: &SqlArgs, common: &Common) -> Result<u8, Error> {
    let model = read_model_or_template(&args.model)?;
    let options =
        SqlOptions { dialect: args.dialect, atom: args.atom.as_deref(), view: args.view.as_deref() };
    let sql = sql_of(&model, mapping_of(&model)?.as_ref(), options)?;
    let table = |it: &PredicateTable| {
        format!("-- facts of {}: {} ({})\n", it.predicate, it.name, it.columns.join(", "))
    };
    let text = || sql.tables.iter().map(table).collect::<String>() + &sql.setting + &sql.statement;
    output::print_result(common, &sql, &[], None, text)
}
