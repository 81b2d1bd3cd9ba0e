//! Templates for the page: their texts in pieces, and the lifted network.

use lrnn::explain::template_view;
use lrnn::syntax::highlight;

use super::explanation::network;
use crate::page::{PageNetwork, SharedTexts, TemplateView};
use lrnn::program::Subject;

/// A longer text is cut: nobody reads it, and a browser would have to.
const LONGEST: usize = 400_000;

/// Returns the template of each subject with all it imports, each text once.
pub(super) fn template_views(subjects: &[Subject<'_>], texts: &mut SharedTexts) -> Vec<TemplateView> {
    let mut all: Vec<TemplateView> = Vec::new();
    let mut seen: Vec<(String, String)> = Vec::new();
    for subject in subjects {
        // The file of the template itself comes first, what it imports after it.
        for (at, (file, text)) in subject.template().sources.iter().enumerate() {
            let key = (file.to_owned(), text.to_owned());
            if seen.contains(&key) {
                continue;
            }
            let network = match at {
                0 => network(&template_view(subject.template(), &subject.weights), texts),
                _ => PageNetwork::default(),
            };
            all.push(TemplateView { name: key.0.clone(), tokens: tokens(text), network });
            seen.push(key);
        }
    }
    all
}

/// Returns the pieces of a text; all together they are the text, or its beginning if it is very long.
fn tokens(text: &str) -> Vec<(&'static str, String)> {
    let end = text.char_indices().map(|(at, _)| at).nth(LONGEST).unwrap_or(text.len());
    highlight(&text[..end]).into_iter().map(|(kind, piece)| (kind.name(), piece.to_owned())).collect()
}
