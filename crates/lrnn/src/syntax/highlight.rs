//! A text cut into pieces that an eye should tell apart. All pieces together are the text, mistakes or not.

use super::lexer::{Lexer, Token, TokenKind};
use crate::diagnostic::SourceId;

/// The kinds of pieces of a template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Blanks and ends of lines.
    Space,
    /// A comment.
    Comment,
    /// A predicate or a constant.
    Name,
    /// A variable.
    Variable,
    /// A number.
    Number,
    /// A text between quotes.
    String,
    /// A mark.
    Symbol,
    /// A weight: its name or its number.
    Weight,
    /// A directive, an import, or an option with its value.
    Setting,
}

impl Piece {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Space => "space",
            Self::Comment => "comment",
            Self::Name => "name",
            Self::Variable => "variable",
            Self::Number => "number",
            Self::String => "string",
            Self::Symbol => "symbol",
            Self::Weight => "weight",
            Self::Setting => "setting",
        }
    }
}

/// Returns the pieces of a text, in order.
pub fn highlight(text: &str) -> Vec<(Piece, &str)> {
    let mut tokens = Lexer::new(text, SourceId(0)).tokens();
    tokens.pop();
    let mut kinds: Vec<Piece> = tokens.iter().map(plain).collect();
    mark_weights(&tokens, &mut kinds);
    mark_settings(&tokens, &mut kinds);
    let mut pieces = Vec::new();
    let mut at = 0;
    for (token, kind) in tokens.iter().zip(kinds) {
        between(&text[at..token.start as usize], &mut pieces);
        pieces.push((kind, &text[token.start as usize..token.end as usize]));
        at = token.end as usize;
    }
    between(&text[at..], &mut pieces);
    pieces
}

fn plain(token: &Token) -> Piece {
    match token.kind {
        TokenKind::Name => Piece::Name,
        TokenKind::Variable => Piece::Variable,
        TokenKind::Number => Piece::Number,
        TokenKind::Quoted => Piece::String,
        TokenKind::Import => Piece::Setting,
        TokenKind::Mark(_) | TokenKind::Unfinished | TokenKind::Unknown | TokenKind::End => Piece::Symbol,
    }
}

/// Returns what stands between two tokens: blanks and comments.
fn between<'a>(text: &'a str, pieces: &mut Vec<(Piece, &'a str)>) {
    let mut rest = text;
    while !rest.is_empty() {
        let comment = rest.find(['%', '/']).unwrap_or(rest.len());
        let (space, after) = rest.split_at(comment);
        if !space.is_empty() {
            pieces.push((Piece::Space, space));
        }
        let length = match after.strip_prefix("/*") {
            Some(inside) => inside.find("*/").map_or(after.len(), |end| end + 4),
            None => after.find('\n').unwrap_or(after.len()),
        };
        let (comment, after) = after.split_at(length);
        if !comment.is_empty() {
            pieces.push((Piece::Comment, comment));
        }
        rest = after;
    }
}

fn mark_of(token: &Token) -> &'static str {
    if let TokenKind::Mark(mark) = token.kind { mark } else { "" }
}

/// Marks names and numbers before `::`, up to where the literal begins.
fn mark_weights(tokens: &[Token], kinds: &mut [Piece]) {
    for end in (0..tokens.len()).filter(|&at| mark_of(&tokens[at]) == "::") {
        let mut depth = 0;
        for at in (0..end).rev() {
            match mark_of(&tokens[at]) {
                "]" | "}" | ")" => depth += 1,
                "[" | "{" | "(" if depth > 0 => depth -= 1,
                ":-" | "." | "(" => break,
                "," if depth == 0 => break,
                _ => {}
            }
            if matches!(kinds[at], Piece::Name | Piece::Number | Piece::String) {
                kinds[at] = Piece::Weight;
            }
        }
    }
}

/// Marks directives, and options between brackets behind a sentence or a signature.
fn mark_settings(tokens: &[Token], kinds: &mut [Piece]) {
    let (mut inside, mut is_start) = (false, true);
    for at in 0..tokens.len() {
        let before = at.checked_sub(1).map(|before| tokens[before]);
        let is_behind = before.is_some_and(|token| mark_of(&token) == "." || token.kind == TokenKind::Number);
        match mark_of(&tokens[at]) {
            "[" if is_behind => inside = true,
            "]" => inside = false,
            ":-" if is_start => inside = true,
            "." => inside = false,
            _ if inside && matches!(kinds[at], Piece::Name | Piece::String) => kinds[at] = Piece::Setting,
            _ => {}
        }
        is_start = mark_of(&tokens[at]) == ".";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let pieces = highlight(text);
        assert_eq!(pieces.iter().map(|(_, piece)| *piece).collect::<String>(), text);
        let seen = pieces.iter().filter(|(kind, _)| !matches!(kind, Piece::Space | Piece::Symbol));
        let seen: Vec<String> = seen.map(|(kind, piece)| format!("{} {piece}", kind.name())).collect();
        assert_eq!(seen.join("; "), expected);
    }

    #[test]
    fn pieces_say_what_they_are() {
        check(
            "0.5 :: foal(A) :- w[T, 1] :: p(A, 'x y').",
            "weight 0.5; name foal; variable A; weight w; variable T; weight 1; name p; variable A; string 'x y'",
        );
        check(
            "% first\n/* a % b */ p(1..3). % end",
            "comment % first; comment /* a % b */; name p; number 1; number 3; comment % end",
        );
        check(
            ":- family(godel).\np :- q. [activation = tanh]",
            "setting family; setting godel; name p; name q; setting activation; setting tanh",
        );
        check(
            "import ./a.lrnn\np/1 [offset = 0.5].",
            "setting import ./a.lrnn; name p; number 1; setting offset; number 0.5",
        );
    }

    #[test]
    fn mistakes_stay_as_they_are() {
        for text in
            ["", "\u{feff}p.", "'abc", "/* abc", "p # \u{a0}q", "a :: :: b [ ] ) (", "/", "p :- /", "%"]
        {
            assert_eq!(highlight(text).iter().map(|(_, piece)| *piece).collect::<String>(), text);
        }
    }
}
