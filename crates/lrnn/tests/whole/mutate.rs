//! Every text of the repository, changed at random, through the whole engine: none may panic. The changes are the same
//! on every run. LRNN_FUZZ=1000000 asks for another number of changed texts than the usual one.

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use lrnn::diagnostic::Sources;
use lrnn::vocabulary::Vocabulary;

use crate::case::Case;
use crate::random::Random;
use crate::run;

const USUAL: u64 = 100_000;

/// Longer texts are cut: the place of a change matters more than what follows.
const LONGEST: usize = 2_000;

/// Tokens and texts with a history of trouble.
const TOKENS: [&str; 40] = [
    ".",
    ",",
    ":-",
    "::",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "*",
    "~",
    "!",
    "not ",
    "@alldiff(...)",
    "@",
    "$",
    "=",
    "..",
    "%",
    "/*",
    "*/",
    "'",
    "\"",
    "\\",
    "_",
    "X",
    "'\\u{0}'",
    "\u{202e}",
    "é",
    "0",
    "-1",
    "1e308",
    "1e-320",
    "{2}",
    "[[1,2],[3,4]]",
    "w[X] = 0.5 :: ",
    "[activation = log]",
];

/// A template, and data for it; no data where it brings its own facts.
type Pair = (String, String);

/// The pairs of the repository and some of the generator's.
fn pairs() -> Vec<Pair> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["suite", "docs", "datasets", "examples", "README.md"] {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    let mut pairs: Vec<Pair> = files.iter().flat_map(|path| pairs_of(path)).collect();
    pairs.extend((0..60).map(Case::new).map(|case| (case.template.join("\n"), case.data())));
    pairs
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if let Ok(folder) = path.read_dir() {
        folder.filter_map(Result::ok).for_each(|entry| collect(&entry.path(), files));
    } else if path.extension().is_some_and(|ending| ending == "md" || ending == "lrnn") {
        files.push(path.to_owned());
    }
}

/// A template with the data beside it, or the blocks of a Markdown file: a template, then the data that follows it.
fn pairs_of(path: &Path) -> Vec<Pair> {
    let cut = |text: &str| text.chars().take(LONGEST).collect::<String>();
    let read = |path: &Path| fs::read_to_string(path).ok();
    let Some(text) = read(path) else { return Vec::new() };
    if path.extension().is_some_and(|ending| ending == "lrnn") {
        let data = ["examples.txt", "facts.txt"].iter().find_map(|name| read(&path.with_file_name(name)));
        let data = cut(&data.unwrap_or_default());
        return vec![(
            cut(&text),
            data.rsplit_once(".\n").map_or(String::new(), |(whole, _)| format!("{whole}.\n")),
        )];
    }
    let mut pairs: Vec<Pair> = Vec::new();
    for (info, block) in text.split("\n```").skip(1).step_by(2).filter_map(|block| block.split_once('\n')) {
        match (info.split(' ').next(), pairs.last_mut()) {
            (Some("lrnn"), _) => pairs.push((cut(block), String::new())),
            (Some("facts" | "text"), Some((_, data))) if data.is_empty() => *data = cut(block),
            _ => {}
        }
    }
    pairs
}

/// A place in a text where a character begins.
fn place(text: &str, random: &mut Random) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn stretch(text: &str, random: &mut Random) -> (usize, usize) {
    let start = place(text, random);
    let mut end = (start + 1 + random.below(20)).min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    (start, end)
}

/// The words of a text, each with its place: runs of letters and digits, and single marks.
fn word_at(text: &str, at: usize) -> (usize, usize) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let start = text[..at]
        .rfind(|c| !is_word(c))
        .map_or(0, |before| before + text[before..].chars().next().map_or(1, char::len_utf8));
    let end = text[at..].find(|c| !is_word(c)).map_or(text.len(), |behind| at + behind);
    (start, end)
}

fn mutated(text: &str, other: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..1 + random.below(4) {
        let at = place(&text, random);
        match random.below(9) {
            0 => flip(&mut text, random),
            1 => {
                let (start, end) = stretch(&text, random);
                text.replace_range(start..end, "");
            }
            2 => {
                let (start, end) = stretch(&text, random);
                let twice = text[start..end].repeat(2);
                text.replace_range(start..end, &twice);
            }
            3 => swap(&mut text, random),
            4 | 5 => text.insert_str(at, random.pick(&TOKENS)),
            6 => {
                let (start, end) = word_at(&text, at);
                text.replace_range(start..end, random.pick(&TOKENS));
            }
            7 => text.truncate(at),
            _ => {
                let (start, end) = stretch(other, random);
                text.insert_str(at, &other[start..end]);
            }
        }
    }
    text
}

/// Changes a bit of a byte; what is no text any more becomes a mark.
fn flip(text: &mut String, random: &mut Random) {
    let mut bytes = std::mem::take(text).into_bytes();
    if !bytes.is_empty() {
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
    }
    *text = String::from_utf8_lossy(&bytes).into_owned();
}

/// Swaps two words.
fn swap(text: &mut String, random: &mut Random) {
    let places = [place(text, random), place(text, random)].map(|at| word_at(text, at));
    let [first, second] = if places[0] <= places[1] { places } else { [places[1], places[0]] };
    if first.1 <= second.0 {
        let (one, two) = (text[first.0..first.1].to_owned(), text[second.0..second.1].to_owned());
        text.replace_range(second.0..second.1, &one);
        text.replace_range(first.0..first.1, &two);
    }
}

/// One changed pair of texts. Gives whether all of it could be computed.
fn try_one(pairs: &[Pair], seed: u64) -> bool {
    let mut random = Random::new(seed);
    let (template, data) = &pairs[random.below(pairs.len())];
    let other = &pairs[random.below(pairs.len())].0;
    let (template, data) = match random.below(3) {
        0 => (mutated(template, other, &mut random), data.clone()),
        1 => (template.clone(), mutated(data, other, &mut random)),
        _ => (mutated(template, data, &mut random), mutated(data, template, &mut random)),
    };
    let tried = catch_unwind(|| {
        run::data(&data, Some(&template), Vocabulary::default(), &mut Sources::default());
        run::both(&template, &data).is_some()
    });
    tried.unwrap_or_else(|_| panic!("seed {seed}\n-- template\n{template}\n-- data\n{data}"))
}

#[test]
fn no_text_panics() {
    let asked = std::env::var("LRNN_FUZZ").ok().and_then(|count| count.parse().ok());
    let count = asked.unwrap_or(USUAL);
    let pairs = pairs();
    assert!(pairs.len() > 200);
    let half = |first: u64| (first..count).step_by(2).filter(|&seed| try_one(&pairs, seed)).count();
    let computed = std::thread::scope(|scope| {
        let odd = scope.spawn(|| half(1));
        half(0) + odd.join().expect("no panic")
    });
    assert!(computed as u64 > count / 20, "only {computed} of {count} came to values");
}
