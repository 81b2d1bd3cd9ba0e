"""Writes examples.txt, queries.txt, ids.txt and plain.lrnn beside this script.

    python3 make.py EXAMPLES QUERIES

EXAMPLES and QUERIES are examples.txt and queries.txt in neuralogic/utils/data/datasets/molecules/mutagenesis of the PyPI
package neuralogic (0.9.2), plain or gzipped; see README.md.
"""

import gzip
import itertools
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
ELEMENTS = ["c", "o", "br", "i", "f", "h", "n", "cl"]
BOND_TYPES = ["b_1", "b_2", "b_3", "b_4", "b_5", "b_7"]
FACT = re.compile(r"(\w+)\(([^()]*)\)")


def read_lines(path):
    data = pathlib.Path(path).read_bytes()
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    return [line.strip() for line in data.decode().splitlines() if line.strip()]


def molecule(line):
    """The name of a molecule and its facts: atoms by number, then bonds as they come, both ways round."""
    elements, types, bonds = {}, {}, {}
    for name, terms in FACT.findall(line):
        terms = terms.replace(" ", "").split(",")
        if name == "bond":
            bonds.setdefault(terms[2], []).append(terms[:2])
        else:
            kind = {**dict.fromkeys(ELEMENTS, elements), **dict.fromkeys(BOND_TYPES, types)}[name]
            assert kind.setdefault(terms[0], name) == name, (terms[0], name)
    names = {atom.rsplit("_", 1)[0] for atom in elements}
    assert len(names) == 1 and set(types) == set(bonds), names
    name = names.pop()
    facts = [f"element({a}, {elements[a]})" for a in sorted(elements, key=lambda a: int(a.rsplit("_", 1)[1]))]
    for number, (bond, ends) in enumerate(bonds.items(), 1):
        assert len(ends) == 2 and ends[0] == ends[1][::-1] and set(ends[0]) <= set(elements), ends
        id = f"{name}_b{number}"
        facts += [f"bond({a}, {b}, {id})" for a, b in ends] + [f"bond_type({id}, {types[bond]})"]
    return name, facts


def target(line):
    assert line in ("1.0 predict.", "0.0 predict."), line
    return line.replace("predict", "mutagenic")


def plain_template():
    """template.lrnn with every rule written out, as the paper lists them. The weights keep their names."""
    groups = [1, 2, 3]
    lines = [
        "% The rules of template.lrnn written out one by one, as the paper lists them: 24 + 18 + 243.",
        "% Written by make.py. The weights have the names they have there, so both templates are the same network.",
        ":- family(max_sigmoid).",
        "",
    ]
    lines += [f"w[{t}, {g}] :: in(A, {g}) :- element(A, {t})." for t in ELEMENTS for g in groups]
    lines += [f"v[{t}, {g}] :: kind(B, {g}) :- bond_type(B, {t})." for t in BOND_TYPES for g in groups]
    for chain in itertools.product(groups, repeat=5):
        g1, h1, g2, h2, g3 = chain
        lines.append(
            f"c[{', '.join(map(str, chain))}] :: mutagenic :-\n    in(X, {g1}), bond(X, Y, B1), kind(B1, {h1}), "
            f"in(Y, {g2}), bond(Y, Z, B2), kind(B2, {h2}), in(Z, {g3}), X != Z."
        )
    return lines


def write(name, lines):
    (HERE / name).write_text("".join(line + "\n" for line in lines))


def main(examples, queries):
    molecules = [molecule(line) for line in read_lines(examples)]
    targets = [target(line) for line in read_lines(queries)]
    assert len(molecules) == len(targets)
    write("examples.txt", [", ".join(facts) + "." for _, facts in molecules])
    write("ids.txt", [name for name, _ in molecules])
    write("queries.txt", targets)
    write("plain.lrnn", plain_template())


if __name__ == "__main__":
    main(*sys.argv[1:])
