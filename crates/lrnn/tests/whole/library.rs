//! What only those meet who call the library.

use lrnn::diagnostic::SourceId;
use lrnn::template::{Options, Template};

#[test]
fn a_text_without_a_file_cannot_import() {
    let error = Template::parse(":- import(\"other.lrnn\"). p :- q.").expect_err("no file to import from");
    assert_eq!(error.diagnostics()[0].code, "E0125", "{error}");
    let (ast, _) = lrnn::syntax::parse(":- import(\"other.lrnn\"). p :- q.", SourceId(0));
    let (template, found) = Template::resolve(&ast.items, Options::default());
    assert!(template.is_none() && found[0].code == "E0119", "{found:?}");
}
