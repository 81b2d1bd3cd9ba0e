"""The molecules in the form NeuraLogic likes best: `c(a1)` for `element(a1, c)`, `b_7(x)` for `bond_type(x, b_7)`."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOLECULES = ROOT / "datasets" / "mutagenesis"
WORK = pathlib.Path(__file__).resolve().parent / "work"


def unary(text):
    return re.sub(r"\b(?:element|bond_type)\((\w+), (\w+)\)", r"\2(\1)", text)


def write(first=None):
    """Writes examples.txt and queries.txt, of the first molecules or of all, to a folder of `work` and gives it."""
    folder = WORK / (f"first-{first}" if first else "all")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("examples.txt", "queries.txt"):
        lines = (MOLECULES / name).read_text().splitlines(keepends=True)
        (folder / name).write_text(unary("".join(lines[:first])))
    return folder


def graphs():
    """Each molecule as its atoms' elements, its edges as pairs of atoms, and its target."""
    for example, query in zip((MOLECULES / "examples.txt").open(), (MOLECULES / "queries.txt").open()):
        atoms = re.findall(r"element\((\w+), (\w+)\)", example)
        number = {atom: at for at, (atom, _) in enumerate(atoms)}
        edges = [(number[x], number[y]) for x, y in re.findall(r"bond\((\w+), (\w+), \w+\)", example)]
        yield [element for _, element in atoms], edges, float(query.split()[0])
