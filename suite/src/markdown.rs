//! Headings and fenced blocks of a Markdown text; prose is for people.

/// A part of a text that the runner sees.
pub enum TextPart {
    /// A heading of any depth.
    Heading(String),
    /// A fenced block.
    Block(FencedBlock),
}

/// A fenced block.
pub struct FencedBlock {
    /// The first word behind the fence.
    pub language: String,
    /// The other words: `key=value`, or `key` alone.
    pub options: Vec<(String, String)>,
    /// Text in it.
    pub text: String,
    /// The line of its fence, from 1.
    pub line: usize,
}

const FENCE: &str = "```";

/// Returns the headings and blocks of a text, in order; an error where a block does not end.
pub fn parts(text: &str) -> Result<Vec<TextPart>, String> {
    let mut parts = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(words) = line.strip_prefix(FENCE) {
            let mut block = opened(words, number + 1);
            loop {
                match lines.next() {
                    Some((_, line)) if line.starts_with(FENCE) => break,
                    Some((_, line)) => block.text.extend([line, "\n"]),
                    None => return Err(format!("line {}: this block does not end", number + 1)),
                }
            }
            parts.push(TextPart::Block(block));
        } else if line.starts_with('#') {
            parts.push(TextPart::Heading(line.trim_start_matches('#').trim().to_owned()));
        }
    }
    Ok(parts)
}

fn opened(words: &str, line: usize) -> FencedBlock {
    let mut words = words.split_whitespace();
    let language = words.next().unwrap_or("").to_owned();
    let option = |word: &str| {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        (key.to_owned(), value.to_owned())
    };
    FencedBlock { language, options: words.map(option).collect(), text: String::new(), line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_blocks() {
        let text = "# One\nprose\n```values family=godel strict\np = 1\n# no heading\n```\n## Two\n";
        let parts = parts(text).unwrap();
        let [TextPart::Heading(one), TextPart::Block(block), TextPart::Heading(two)] = &parts[..] else {
            panic!()
        };
        assert_eq!((one.as_str(), two.as_str()), ("One", "Two"));
        assert_eq!((block.language.as_str(), block.line), ("values", 3));
        assert_eq!(block.text, "p = 1\n# no heading\n");
        let options = [("family".into(), "godel".into()), ("strict".into(), String::new())];
        assert_eq!(block.options, options);
    }

    #[test]
    fn a_block_must_end() {
        assert!(parts("```lrnn\np.\n").is_err());
    }
}
