//! Any text as a template.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lrnn::diagnostic::Sources;

fuzz_target!(|text: &str| {
    lrnn_fuzz::run::template(text, &mut Sources::default());
});
