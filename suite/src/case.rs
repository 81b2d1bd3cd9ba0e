//! Cases: a template, data, and what is claimed of them.

use lrnn::data::Layout;
use lrnn::function::Family;

use crate::claim::{ClaimKind, Claims};
use crate::markdown::{FencedBlock, TextPart, parts};

/// The texts of a case.
#[derive(Clone, Default)]
pub struct CaseTexts {
    /// The template.
    pub template: String,
    /// The examples; `None` for one example without facts.
    pub facts: Option<String>,
    /// Layout of the examples.
    pub layout: Option<Layout>,
    /// Queries in a text of their own.
    pub queries: Option<String>,
    /// Weights and their values, one a line.
    pub weights: String,
    /// True if the data is read before the template is known.
    pub data_first: bool,
}

/// Options of a template and of its weights.
#[derive(Clone, Copy, PartialEq, Default)]
pub struct CaseSettings {
    /// The family, instead of the template's.
    pub family: Option<&'static Family>,
    /// True if the paper's order of predicates must hold.
    pub strict: bool,
    /// The seed of random weights.
    pub seed: u64,
}

/// Claims about one template with its data.
pub struct Case {
    /// The headings above it.
    pub heading: String,
    /// The line where it begins.
    pub line: usize,
    /// Its texts.
    pub texts: CaseTexts,
    /// Claims, each under its settings.
    pub claims: Vec<(CaseSettings, Claims)>,
}

/// Languages of blocks that are not for the runner.
const IGNORED: [&str; 8] = ["", "text", "sh", "toml", "prolog", "python", "pycon", "rust"];

/// Returns the cases of a Markdown text, and what could not be understood.
pub fn cases(text: &str) -> (Vec<Case>, Vec<String>) {
    let mut reader = CaseReader::default();
    match parts(text) {
        Ok(parts) => parts.into_iter().for_each(|part| reader.part(part)),
        Err(mistake) => reader.mistakes.push(mistake),
    }
    reader.close();
    (reader.cases, reader.mistakes)
}

#[derive(Default)]
struct CaseReader {
    heading: String,
    open: Option<Case>,
    cases: Vec<Case>,
    mistakes: Vec<String>,
}

impl CaseReader {
    fn part(&mut self, part: TextPart) {
        match part {
            TextPart::Heading(heading) => {
                self.close();
                self.heading = heading;
            }
            TextPart::Block(block) if IGNORED.contains(&block.language.as_str()) => {}
            TextPart::Block(block) => {
                let line = block.line;
                if let Err(mistake) = self.block(&block) {
                    self.mistakes.push(format!("line {line}: {mistake}"));
                }
            }
        }
    }

    fn close(&mut self) {
        if let Some(mut case) = self.open.take() {
            if case.claims.is_empty() {
                case.claims.push((CaseSettings::default(), Claims::none(case.line)));
            }
            self.cases.push(case);
        }
    }

    /// Returns the case that is open for this input; what has claims already is closed first, and `keep` says what of
    /// its texts the next case begins with.
    fn input(&mut self, line: usize, keep: impl FnOnce(CaseTexts) -> CaseTexts) -> &mut CaseTexts {
        let claimed = self.open.as_ref().is_some_and(|case| !case.claims.is_empty());
        let kept = self.open.as_ref().filter(|_| claimed).map(|case| keep(case.texts.clone()));
        if claimed {
            self.close();
        }
        let heading = self.heading.clone();
        let texts = kept.unwrap_or_default();
        &mut self.open.get_or_insert(Case { heading, line, texts, claims: Vec::new() }).texts
    }

    fn block(&mut self, block: &FencedBlock) -> Result<(), String> {
        let line = block.line;
        match block.language.as_str() {
            "lrnn" => self.input(line, |_| CaseTexts::default()).template.push_str(&block.text),
            "weights" => {
                let keep = |texts: CaseTexts| CaseTexts { weights: String::new(), ..texts };
                self.input(line, keep).weights.push_str(&block.text);
            }
            "facts" => {
                let layout = layout(block)?;
                let texts = self.input(line, |texts| CaseTexts { facts: None, queries: None, ..texts });
                texts.layout = layout;
                texts.facts.get_or_insert_default().push_str(&block.text);
                return Ok(());
            }
            "queries" => {
                let keep = |texts: CaseTexts| CaseTexts { queries: None, ..texts };
                self.input(line, keep).queries.get_or_insert_default().push_str(&block.text);
            }
            _ => return self.claims(block),
        }
        if block.options.is_empty() { Ok(()) } else { Err("this block has no options".into()) }
    }

    fn claims(&mut self, block: &FencedBlock) -> Result<(), String> {
        let kind = ClaimKind::find(&block.language)
            .ok_or_else(|| format!("there is no kind of block `{}`", block.language))?;
        let Some(case) = &mut self.open else { return Err("there is nothing to claim this of".into()) };
        let mut settings = CaseSettings::default();
        let mut of = Vec::new();
        for (key, value) in &block.options {
            match key.as_str() {
                "family" => settings.family = Some(Family::find(value).ok_or("there is no such family")?),
                "strict" => settings.strict = true,
                "seed" => settings.seed = value.parse().map_err(|_| "the seed is no number")?,
                "of" => of = value.split(',').map(str::to_owned).collect(),
                _ => return Err(format!("there is no option `{key}`")),
            }
        }
        case.claims.push((settings, Claims::read(kind, of, &block.text, block.line)?));
        Ok(())
    }
}

fn layout(block: &FencedBlock) -> Result<Option<Layout>, String> {
    match block.options.as_slice() {
        [] => Ok(None),
        [(key, value)] if key == "layout" => match value.as_str() {
            "examples" => Ok(Some(Layout::Examples)),
            "facts" => Ok(Some(Layout::Facts)),
            "detect" => Ok(Some(Layout::Detect)),
            _ => Err(format!("there is no layout `{value}`")),
        },
        _ => Err("facts have one option, `layout`".into()),
    }
}
