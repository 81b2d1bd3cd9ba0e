//! The syntax room. In: text. Out: a tree and diagnostics; and a tree as text again. It knows nothing of ids or data.

pub mod ast;
mod highlight;
pub mod lexer;
mod parser;
mod print;
mod slip;

pub use ast::{Ast, Comparison, Operator};
pub use highlight::{Piece, highlight};
pub use parser::{parse, parse_atom};
pub use print::{atom_text, number_text, print, weight_text};
pub(crate) use print::{function_text_of as function_text, term_text};
pub use slip::slip;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::SourceId;

    /// Reads a text without mistakes, prints it, and reads the print again.
    fn check(text: &str, expected: &str) {
        let (ast, diagnostics) = parse(text, SourceId(0));
        assert_eq!(diagnostics, [], "{text}");
        let printed = print(&ast, text);
        assert_eq!(printed.trim_end(), expected.trim_end());
        let (again, diagnostics) = parse(&printed, SourceId(0));
        assert_eq!(diagnostics, [], "{printed}");
        assert_eq!(again, ast, "{printed}");
        assert_eq!(print(&again, &printed), printed);
    }

    #[test]
    fn weights() {
        check("0.5 foal(X):-horse(X).", "0.5 :: foal(X) :- horse(X).");
        check(
            "<0.5>::p. w::p. w=0.5::p. _::p. {3,2} p. {3} p.",
            "<0.5> :: p.\nw :: p.\nw = 0.5 :: p.\n_ :: p.\n{3, 2} :: p.\n{3} :: p.",
        );
        check("w[T,G] :: in(A,G) :- el(A,T), *g(G).", "w[T, G] :: in(A, G) :- el(A, T), *g(G).");
        check(
            "[1,2] p. [[1,2],[3,4]] :: p. $w=0.5 p. $w p.",
            "[1, 2] :: p.\n[[1, 2], [3, 4]] :: p.\nw = 0.5 :: p.\nw :: p.",
        );
        check("h :- w = {2} :: p, -1 q, <0.5> ~r.", "h :- w = {2} :: p, -1 :: q, <0.5> :: ~r.");
        check("w[T]={3}:: p(T) :- q(T).", "w[T] = {3} :: p(T) :- q(T).");
        check("w=<0.5> :: p :- v=<[1,2]>::q.", "<w = 0.5> :: p :- <v = [1, 2]> :: q.");
        check("$w=<0.5> p(X) :- q(X), X=<2, a=<X.", "<w = 0.5> :: p(X) :- q(X), X =< 2, a =< X.");
        check("p :- q. [offset=<0.5>] p/0 [offset=<-1>].", "p :- q. [offset = <0.5>]\np/0 [offset = <-1>].");
    }

    #[test]
    fn bodies() {
        check(
            "p :- q(X), !r(X), not s(X), X != Y, 1 =< X, a = X, @alldiff(X,Y), @alldiff(...), @neq(X, Y).",
            "p :- q(X), not r(X), not s(X), X != Y, 1 =< X, a = X, @alldiff(X, Y), @alldiff(...), X != Y.",
        );
        check("p :- q(X), <-2>.", "p :- q(X). [offset = <-2>]");
        check(
            "p :- 1 x, -1 y, 0.5. [activation=signum]",
            "p :- 1 :: x, -1 :: y. [offset = 0.5, activation = signum]",
        );
        check("p :- not(q(X)), r(X), X <= 3.", "p :- not q(X), r(X), X =< 3.");
    }

    #[test]
    fn functions_and_numbers() {
        check(
            "p :- a+b*tanh(c), 2 sqrt(d(X)), (a+b)@c, -q, !*r.",
            "p :- a + b * tanh(c), 2 :: sqrt(d(X)), (a + b) @ c, ~q, not r.",
        );
        check("p :- 2 :: (a + b), 2 :: (3 :: q).", "p :- 2 :: (a + b), 2 :: (3 :: q).");
        check(
            "p :- slice(a, rows=[1, 3], cols=...), concat(axis=0)(a, b). [transformation=leakyrelu(0.2)]",
            "p :- slice(a, rows = [1, 3], cols = ...), concat(a, b, axis = [0]). [transformation = leakyrelu(0.2)]",
        );
        check(
            "p(N) :- q(M), N is M-1, abs(N - (M + 2)) * 2 < max(1, M), r(f(a,1)).",
            "p(N) :- q(M), N = M - 1, abs(N - (M + 2)) * 2 < max(1, M), r('f(a, 1)').",
        );
        check(
            "p :- q(t:X), @add_eval(X, 1), 0.5 @value(X), @in(X, a), @anypred.",
            "p :- q(X), @value(X + 1), 0.5 :: @value(X), @in(X, a), @true, @type(X, t).",
        );
        check(
            ":- use(gcn, output = h, in = 3).\n[3|0:1, 2:-1] p.",
            ":- use(gcn, output = h, in = 3).\n[1, 0, -1] :: p.",
        );
        check(
            "p(X) :- q(X). [aggregation=softmax(agg_terms=['X']), duplicate_grounding=True]",
            "p(X) :- q(X). [aggregation = softmax(agg_terms = [X]), duplicate_grounding = true]",
        );
    }

    #[test]
    fn predicates_directives_imports() {
        check(
            "shape / 2 [activation=leaky-relu]\nshape/2 {3}\n{3} q.",
            "shape/2 [activation = leaky-relu].\nshape/2 [offset = {3}].\n{3} :: q.",
        );
        check(
            ":- family(max_sigmoid). :- import(\"a b.lrnn\").",
            ":- family(max_sigmoid).\n:- import('a b.lrnn').",
        );
        check(
            ":- 'A b'(godel). p :- q. ['not' = tanh, '\\u{0}' = tanh]",
            ":- 'A b'(godel).\np :- q. ['not' = tanh, '\\u{0}' = tanh]",
        );
        check("p :- not = -1 :: q, 'A b' = {2} :: r.", "p :- 'not' = -1 :: q, 'A b' = {2} :: r.");
        check("p :- @leq(1..3, X), q(X).", "p :- 1..3 =< X, q(X).");
        check("import ./embeddings.txt\n\np.", ":- import('./embeddings.txt').\n\np.");
    }

    #[test]
    fn comments_stay() {
        check(
            "% first\n\n\n% second\np. % behind\nq :- /* inside */ r.\n% last",
            "% first\n\n% second\np.  % behind\n/* inside */\nq :- r.\n% last",
        );
    }

    #[test]
    fn reading_goes_on_after_a_mistake() {
        let (ast, diagnostics) = parse("p :- . q(X) :- r(X. s(a). 'x", SourceId(0));
        let codes: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(codes, ["E0105", "E0105", "E0102"]);
        assert_eq!(ast.items.len(), 1);
    }
}
