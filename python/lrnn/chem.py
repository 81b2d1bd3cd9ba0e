"""Molecules as data: from SMILES, or from RDKit's molecules where it is there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lrnn import _lrnn
from lrnn._errors import UsageError
from lrnn.dataset import Atom, Dataset, _queries
from lrnn.folder import Folder
from lrnn.template import Template

if TYPE_CHECKING:
    from numpy.typing import NDArray


def template(*targets: str) -> Template:
    """Returns the template for molecules that comes with the program, which learns properties of these names:
    ``property(P)`` is asked. It reads ``ring/2``, too.

    >>> "target(soluble)." in template("soluble").text
    True
    """
    return Template(_lrnn.molecules_template(list(targets)))


def read(
    path: str | os.PathLike[str],
    *,
    target: str | Sequence[str],
    smiles: str | None = None,
    id: str | None = None,
    family: str | None = None,
) -> Folder:
    """Reads a table of molecules, CSV, ``.smi`` or SDF, as ``lrnn train TABLE --smiles COLUMN --target COLUMN`` does:
    the template that comes with the program, the data and the settings that suit it. Rows that cannot be read are left
    out, and told by ``dataset.notes``."""
    targets = [target] if isinstance(target, str) else list(target)
    found, data, settings = _lrnn.read_folder(os.fspath(path), family, smiles, id, targets)
    return Folder(Template._of(found), Dataset._of(data), dict(settings))


def from_smiles(
    smiles: Iterable[str | None],
    y: Iterable[Any] | None = None,
    *,
    query: Atom = "active",
    template: Template | None = None,
    names: Iterable[str] | None = None,
    rings: bool = False,
    on_error: str = "raise",
) -> Dataset:
    """Reads molecules, one a text, and returns their facts: ``element(A, E)``, ``bond(A, B, K)`` both ways,
    ``charge(A)``, ``hydrogens(A, N)``, ``aromatic(A)``, and ``ring(A, N)`` if asked for. With `y`, each molecule
    has the query with its target; without, no query.

    Molecules that cannot be read are an error that lists them with their rows; with ``on_error="skip"`` they are left
    out with their targets, and ``dataset.notes`` lists them. Which are left is :func:`readable`.
    """
    if on_error not in ("raise", "skip"):
        raise UsageError(f"on_error cannot be {on_error!r}", help="it is 'raise' or 'skip'")
    texts = [text if isinstance(text, str) else None for text in smiles]
    queries = targets(y, len(texts), query)
    shown = [text or "" for text in texts] if names is None else [str(name) for name in names]
    if len(shown) != len(texts):
        raise UsageError(f"there are {len(shown)} names for {len(texts)} molecules")
    data = Dataset(template)
    asked = [_queries(one) for one in queries]
    _, told = data._inner.add_molecules(texts, shown, asked, rings, on_error == "skip")
    data._inner.build()
    data._told = told
    return data


def readable(smiles: Iterable[str | None]) -> NDArray[np.bool_]:
    """Returns which texts can be read as molecules, to leave the others out: ``frame[readable(frame.smiles)]``.

    >>> readable(["CCO", "C1CC", None]).tolist()
    [True, False, False]
    """
    texts = [text if isinstance(text, str) else None for text in smiles]
    return np.asarray(_lrnn.readable(texts), dtype=bool)


def from_mols(
    mols: Iterable[Any],
    y: Iterable[Any] | None = None,
    *,
    query: Atom = "active",
    template: Template | None = None,
    names: Iterable[str] | None = None,
    rings: bool = False,
    on_error: str = "raise",
) -> Dataset:
    """Does the same as :func:`from_smiles` for molecules of RDKit; None is one that cannot be read."""
    try:
        from rdkit import Chem
    except ImportError as missing:
        raise UsageError("RDKit is not installed", help="pip install 'lrnn[chem]'") from missing
    smiles = [None if mol is None else Chem.MolToSmiles(mol, canonical=False) for mol in mols]
    return from_smiles(smiles, y, query=query, template=template, names=names, rings=rings, on_error=on_error)


def targets(y: Iterable[Any] | None, count: int, query: Atom) -> Sequence[Atom | None]:
    """Returns the query of each example with its target."""
    if y is None:
        return [None] * count
    numbers = [float(number) for number in y]
    if len(numbers) != count:
        raise UsageError(f"there are {len(numbers)} targets for {count} molecules")
    atom = (query,) if isinstance(query, str) else tuple(query)
    return [(number, *atom) for number in numbers]
