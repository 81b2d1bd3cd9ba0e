"""Knowledge bases: rules from triples, ranking, predictions with proofs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from lrnn import _lrnn
from lrnn._progress import ShareProgress, watched
from lrnn.dataset import _triples
from lrnn.model import frame
from lrnn.results import Document
from lrnn.template import Template


class Completion(Document):
    """A completed knowledge base, with the names of ``lrnn complete --json``."""

    def __init__(self, text: str, template: str, notes: list[str]) -> None:
        super().__init__(text)
        self.template = Template(template)
        """The rules of all relations, with their weights."""
        self._notes = notes

    @property
    def notes(self) -> list[str]:
        """Notes for people."""
        return list(self._notes)

    @property
    def ranking(self) -> dict[str, Any]:
        """The filtered ranking of test triples, of validation triples where there are none: ``ranking["both"]["mrr"]``."""
        return dict(self.data["test"] or self.data["validation"])

    def predictions(self) -> Any:
        """Returns new triples, the most probable first: a frame where pandas is there, else a dictionary of columns."""
        rows = self.data["predictions"]
        columns: dict[str, Any] = {
            name: [row["triple"][at] for row in rows] for at, name in enumerate(("head", "relation", "tail"))
        }
        for name in ("probability", "is_held_out", "proofs"):
            columns[name] = [row[name] for row in rows]
        return frame(columns)

    def __repr__(self) -> str:
        rules = sum(len(relation["rules"]) for relation in self.data["rules"])
        return f"Completion({rules} rules of {len(self.data['rules'])} relations, MRR {self.ranking['both']['mrr']:.3f})"


def complete(
    triples: Any,
    *,
    validation: Any = None,
    test: Any = None,
    length: int = 2,
    rules: int | Sequence[int] = (),
    l2: float | Sequence[float] = (),
    paths_only: bool = False,
    end: str | None = None,
    filter: Any = None,
    negatives: int | str = 50_000,
    predictions: int = 10,
    seed: int = 1,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> Completion:
    """Completes a knowledge base: learns rules for each relation, ranks test triples, and predicts new ones with proofs.

    Triples are head, relation, tail: a table of three columns, a list of tuples, or the path of a file or folder that
    ``lrnn complete`` reads. `length` is the most steps of a path; `rules`, the most paths of a relation, and `l2` are
    tried on the validation triples, or a tenth of the known ones; with `paths_only` entities that are alike are no
    reason. `end`, ``"head"`` or ``"tail"``, is the end that is asked for, by whose ranks settings are chosen; `filter` has
    other triples that hold and are no wrong answers in rankings. `negatives` are ``"all"`` pairs that are not known, or
    so many drawn for each relation. `out` is a folder for template and results, as the command writes it.
    """
    words = {
        "length": length,
        "rules": [rules] if isinstance(rules, int) else list(rules),
        "l2": [l2] if isinstance(l2, (int, float)) else list(l2),
        "paths_only": paths_only,
        "end": end,
        "filter": None if filter is None else _place(filter),
        "negatives": None if negatives == "all" else int(negatives),
        "predictions": predictions,
        "seed": seed,
    }
    known, held, last = (None if given is None else _place(given) for given in (triples, validation, test))
    folder = None if out is None else os.fspath(out)
    with watched(progress, ShareProgress, "relations") as watch:
        return Completion(*_lrnn.complete(known, held, last, words, folder, threads, watch))


def _place(given: Any) -> Any:
    """Returns a path, or triples of texts."""
    if isinstance(given, (str, os.PathLike)):
        return os.fspath(given)
    return [(str(head), str(relation), str(tail)) for head, relation, tail in _triples(given)]
