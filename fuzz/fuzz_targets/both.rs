//! Any text as a template and, behind a line of three dashes, examples for it: grounded and computed.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (template, examples) = text.split_once("\n---\n").unwrap_or((text, ""));
    lrnn_fuzz::run::both(template, examples);
});
