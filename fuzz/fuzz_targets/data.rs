//! Any text as examples; behind a line of three dashes, queries.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lrnn::diagnostic::Sources;
use lrnn::vocabulary::Vocabulary;

fuzz_target!(|text: &str| {
    let (examples, queries) = match text.split_once("\n---\n") {
        Some((examples, queries)) => (examples, Some(queries)),
        None => (text, None),
    };
    lrnn_fuzz::run::data(examples, queries, Vocabulary::default(), &mut Sources::default());
});
