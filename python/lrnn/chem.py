"""Molecules as data: from SMILES, or from RDKit's molecules where it is there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from lrnn._errors import UsageError
from lrnn.dataset import Atom, Dataset, _queries

if TYPE_CHECKING:
    from lrnn.template import Template


def from_smiles(
    smiles: Iterable[str],
    y: Iterable[Any] | None = None,
    *,
    query: str = "active",
    template: Template | None = None,
    names: Iterable[str] | None = None,
    rings: bool = False,
) -> Dataset:
    """Reads molecules, one a text, and returns their facts: ``element(A, E)``, ``bond(A, B, K)`` both ways,
    ``charge(A)``, ``hydrogens(A, N)``, ``aromatic(A)``, and ``ring(A, N)`` if asked for. With `y`, each molecule
    has the query with its target; without, no query. A molecule that cannot be read is an error that names it."""
    texts = [str(text) for text in smiles]
    queries = targets(y, len(texts), query)
    shown = texts if names is None else [str(name) for name in names]
    if len(shown) != len(texts):
        raise UsageError(f"there are {len(shown)} names for {len(texts)} molecules")
    data = Dataset(template)
    for text, asked, name in zip(texts, queries, shown):
        data._inner.add_smiles(text, _queries(asked), name, rings)
    return data


def from_mols(
    mols: Iterable[Any],
    y: Iterable[Any] | None = None,
    *,
    query: str = "active",
    template: Template | None = None,
    names: Iterable[str] | None = None,
    rings: bool = False,
) -> Dataset:
    """Does the same for molecules of RDKit."""
    try:
        from rdkit import Chem
    except ImportError as missing:
        raise UsageError("RDKit is not installed", help="pip install 'lrnn[chem]'") from missing
    smiles = [Chem.MolToSmiles(mol, canonical=False) for mol in mols]
    return from_smiles(smiles, y, query=query, template=template, names=names, rings=rings)


def targets(y: Iterable[Any] | None, count: int, query: str) -> Sequence[Atom | None]:
    """Returns the query of each example with its target."""
    if y is None:
        return [None] * count
    numbers = [float(number) for number in y]
    if len(numbers) != count:
        raise UsageError(f"there are {len(numbers)} targets for {count} molecules")
    return [(number, query) for number in numbers]
