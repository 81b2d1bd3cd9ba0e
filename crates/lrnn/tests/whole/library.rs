//! What only those meet who call the library.

use lrnn::template::Template;

#[test]
fn a_text_without_a_file_cannot_import() {
    let found =
        Template::parse(":- import(\"other.lrnn\"). p :- q.").map_err(|diagnostics| diagnostics[0].clone());
    let diagnostic = found.expect_err("no file to import from");
    assert_eq!(diagnostic.code, "E0119");
    assert!(diagnostic.help.is_some_and(|help| help.contains("read_template")));
}
