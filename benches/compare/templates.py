"""The templates of benches/templates in NeuraLogic's notation, every rule written out. Weights have the names they have
there, indices joined: `w[c, 1]` is `w_c_1`. lrnn reads this notation too."""

import hashlib
import itertools
import pathlib

ELEMENTS = ["c", "o", "br", "i", "f", "h", "n", "cl"]
BONDS = ["b_1", "b_2", "b_3", "b_4", "b_5", "b_7"]


class Weights:
    """Writes weights and remembers their names and shapes."""

    def __init__(self):
        self.shapes = {}

    def __call__(self, name, rows=1, columns=1):
        self.shapes[name] = rows, columns
        return f"${name}={{{rows},{columns}}}" if (rows, columns) != (1, 1) else f"${name}={{1}}"

    def numbers(self):
        """Numbers between -0.5 and 0.5 that follow from the names, row by row."""
        def number(*key):
            digest = hashlib.sha256(repr(key).encode()).digest()
            return round(int.from_bytes(digest[:4], "big") / 2**32 - 0.5, 6)
        return {name: [number(name, at) for at in range(rows * columns)] for name, (rows, columns) in self.shapes.items()}


def chains(kind, weight):
    """Three clusters of elements, three of bond types, and 243 chains of three atoms over them."""
    aggregation, atom = {"max": ("max", "sigmoid"), "mean": ("avg", "identity")}[kind]
    options = f"[transformation=sigmoid, aggregation={aggregation}]"
    lines = []
    for cluster in (1, 2, 3):
        for element in ELEMENTS:
            lines.append(f"{weight(f'w_{element}_{cluster}')} in{cluster}(A) :- {element}(A), <-1>. {options}")
        for bond in BONDS:
            lines.append(f"{weight(f'v_{bond}_{cluster}')} kind{cluster}(B) :- {bond}(B), <-1>. {options}")
        lines += [f"in{cluster}/1 [transformation={atom}]", f"kind{cluster}/1 [transformation={atom}]"]
    for g1, h1, g2, h2, g3 in itertools.product((1, 2, 3), repeat=5):
        lines.append(
            f"{weight(f'c_{g1}_{h1}_{g2}_{h2}_{g3}')} mutagenic :- in{g1}(X), bond(X,Y,B1), kind{h1}(B1), in{g2}(Y), "
            f"bond(Y,Z,B2), kind{h2}(B2), in{g3}(Z), <-7>. {options}")
    lines.append(f"mutagenic/0 [transformation={atom}]")
    return lines


def named():
    """The template of datasets/mutagenesis in these predicates, in lrnn's notation."""
    lines = [
        "% The template of datasets/mutagenesis as users of NeuraLogic spell it: a predicate for every element, bond type and",
        "% cluster, a weight for every rule. Written by `python3 benches/compare/templates.py`.", ":- family(max_sigmoid).", ""]
    for cluster in (1, 2, 3):
        lines += [f"w_{element}_{cluster} = {{1}} :: in{cluster}(A) :- {element}(A)." for element in ELEMENTS]
        lines += [f"v_{bond}_{cluster} = {{1}} :: kind{cluster}(B) :- {bond}(B)." for bond in BONDS]
    for g1, h1, g2, h2, g3 in itertools.product((1, 2, 3), repeat=5):
        lines.append(
            f"c_{g1}_{h1}_{g2}_{h2}_{g3} = {{1}} :: mutagenic :- in{g1}(X), bond(X, Y, B1), kind{h1}(B1), in{g2}(Y), "
            f"bond(Y, Z, B2), kind{h2}(B2), in{g3}(Z), X != Z.")
    return "\n".join(lines) + "\n"


def embedding(size, weight):
    lines = [f"{weight(f'e_{element}', size)} h0(X) :- {element}(X). [transformation=identity]" for element in ELEMENTS]
    return lines + ["h0/1 [transformation=identity]"]


def neighbours(head, matrix, body, aggregation):
    return f"{matrix} {head}(X) :- {body}(Y), *bond(X,Y,B). [aggregation={aggregation}, transformation=identity]"


def readout(size, name, layer, weight):
    return f"{weight(name, 1, size)} mutagenic :- {layer}(X). [aggregation=avg, transformation=identity]"


def gcn(size, weight):
    lines = embedding(size, weight)
    for layer, activation in ((1, "relu"), (2, "identity")):
        lines.append(neighbours(f"h{layer}", weight(f"n{layer}", size, size), f"h{layer - 1}", "sum"))
        lines.append(f"h{layer}/1 [transformation={activation}]")
    return lines + [readout(size, "o", "h2", weight), "mutagenic/0 [transformation=identity]"]


def gsage(size, weight):
    lines = embedding(size, weight)
    for layer, activation in ((1, "relu"), (2, "identity")):
        lines.append(neighbours(f"h{layer}", weight(f"n{layer}", size, size), f"h{layer - 1}", "avg"))
        own = weight(f"s{layer}", size, size)
        lines.append(f"{own} h{layer}(X) :- h{layer - 1}(X). [transformation=identity]")
        lines.append(f"h{layer}/1 [transformation={activation}]")
    return lines + [readout(size, "o", "h2", weight), "mutagenic/0 [transformation=identity]"]


def gin(size, weight):
    lines = embedding(size, weight)
    for layer in range(1, 6):
        lines.append(neighbours(f"s{layer}", "", f"h{layer - 1}", "sum").strip())
        lines.append(f"s{layer}(X) :- h{layer - 1}(X). [transformation=identity]")
        lines.append(f"s{layer}/1 [transformation=identity]")
        inner, outer = (weight(f"{name}{layer}", size, size) for name in "ab")
        lines.append(f"{outer} h{layer}(X) :- {inner} s{layer}(X). [transformation=relu]")
        lines.append(f"h{layer}/1 [transformation=relu]")
        lines.append(readout(size, f"o{layer}", f"h{layer}", weight))
    return lines + ["mutagenic/0 [transformation=identity]"]


def template(case):
    """The text of a case of lrnn-bench (`chains-max`, `gin-32`, ...), and numbers for its weights by name."""
    kind, _, what = case.partition("-")
    weights = Weights()
    if kind == "chains":
        lines = chains(what, weights)
    else:
        lines = {"gcn": gcn, "gsage": gsage, "gin": gin}[kind](int(what), weights)
    return "\n".join(lines) + "\n", weights.numbers()


def graph_weights():
    """Numbers for the weights of benches/templates/graph.lrnn by name."""
    weights = Weights()
    weights("f", 16, 8)
    for name in ("n1", "s1", "n2", "s2"):
        weights(name, 16, 16)
    weights("o", 1, 16)
    return weights.numbers()


if __name__ == "__main__":
    pathlib.Path(__file__).parent.parent.joinpath("templates/named.lrnn").write_text(named())
