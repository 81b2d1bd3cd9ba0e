"""Rules learned from data: a template that nobody wrote."""

from __future__ import annotations

import os
from typing import Any

from lrnn import _lrnn
from lrnn._progress import ShareProgress, watched
from lrnn.dataset import Dataset
from lrnn.model import Model, frame
from lrnn.results import Document
from lrnn.template import Template


class Induction(Document):
    """Rules that were learned, with the names of ``lrnn induce --json``."""

    def __init__(self, text: str, model: _lrnn.Model, notes: list[str]) -> None:
        super().__init__(text)
        self.model = Model(model)
        """The rules with their weights, to predict and explain with."""
        self.path: str | None = self.data.get("run")
        """The folder of the run, if it has one."""
        self._notes = notes

    @property
    def template(self) -> Template:
        """The rules with their weights, to read and to learn on from."""
        return self.model.template

    @property
    def notes(self) -> list[str]:
        """Notes for people."""
        return list(self._notes)

    def rules(self) -> Any:
        """Returns a row for each rule, with its weight, support and precision: a frame where pandas is there, else a
        dictionary of columns."""
        rows = [rule for goal in self.data["goals"] for rule in goal["rules"]]
        names = dict.fromkeys(name for row in rows for name in row)
        return frame({name: [row.get(name) for row in rows] for name in names})

    def __str__(self) -> str:
        return self.template.text

    def __repr__(self) -> str:
        return f"Induction({sum(len(goal['rules']) for goal in self.data['goals'])} rules)"


class InductionScores(Document):
    """How well induction does, with the names of ``lrnn induce --crossval --json``."""

    def __init__(self, text: str, temporary: Any = None) -> None:
        super().__init__(text)
        self.path: str = self.data["run"]
        """The folder of the run; a temporary one lives as long as this object."""
        self._temporary = temporary

    def folds(self) -> Any:
        """Returns a row for each fold: a frame where pandas is there, else a dictionary of columns."""
        rows = self.data["folds"]
        names = dict.fromkeys(name for row in rows for name in row)
        return frame({name: [row.get(name) for row in rows] for name in names})

    def __repr__(self) -> str:
        return f"InductionScores({len(self.data['folds'])} folds, accuracy {self.data['accuracy']})"


def induce(
    data: Dataset | str | os.PathLike[str],
    *,
    crossval: bool = False,
    method: str = "growth",
    template: Template | str | None = None,
    bias: str | None = None,
    folds: int | None = None,
    group: int | None = None,
    inner: int = 5,
    max_rules: int = 150,
    beam: int = 10,
    levels: int = 4,
    look_ahead: int = 2,
    min_support: int = 4,
    l2: float | None = None,
    bags: int = 1,
    literal_cost: float | None = None,
    negation: bool = False,
    counts: bool = True,
    soft: bool = False,
    max_clauses: int | None = None,
    max_seconds: float | None = None,
    seed: int = 1,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> Induction | InductionScores:
    """Learns rules from data: each is grown by the gradient of the loss, and their number is chosen on `inner` folds.

    With `crossval`, measures the whole procedure, rules found anew in each of `folds`; `group` is the argument of the
    queries, from 1, whose individuals no query names in training while they are held out. `method` is "growth", or to compare with "nfoil", "kfoil",
    "cilp", and "logistic", "kernel", "neighbours", for which clauses are features. The rules of `template`, a template or its text, stay, and others are added. `bias` says what rules may say, as :func:`infer_bias` writes it.
    `bags` growths from parts of the data can be averaged. Each literal of a rule after the first must add
    `literal_cost` to its gain: 1 or 0, chosen on inner folds, if it is not given. `max_rules`, `beam`, `levels`, `look_ahead` and `min_support` bound the search, `max_clauses` each growth, `max_seconds` the time.
    With `soft`, rules are made soft where that pays on inner folds (`data["goals"][...]["soft"]`). `out` is the
    folder of a run, as the command writes it, for which the data must be a path.
    """
    text = template.text if isinstance(template, Template) else template
    words = {
        "method": method, "template": text, "bias": bias, "folds": folds, "group": group, "inner": inner, "max_rules": max_rules, "beam": beam,
        "levels": levels, "look_ahead": look_ahead, "min_support": min_support, "l2": l2, "bags": bags, "literal_cost": literal_cost, "negation": negation,
        "counts": counts, "soft": soft, "max_clauses": max_clauses, "max_seconds": max_seconds, "seed": seed,
    }  # fmt: skip
    place = data._inner if isinstance(data, Dataset) else os.fspath(data)
    folder = None if out is None else os.fspath(out)
    if not crossval:
        return Induction(*_lrnn.induce(place, words, folder, threads))
    temporary = None
    if folder is None:
        import tempfile

        temporary = tempfile.TemporaryDirectory(prefix="lrnn-induce-", ignore_cleanup_errors=True)
        folder = os.path.join(temporary.name, "run")
    with watched(progress, ShareProgress, "folds") as watch:
        return InductionScores(_lrnn.induce_crossval(place, words, folder, threads, watch), temporary)


def infer_bias(data: Dataset | str | os.PathLike[str], *, threads: int | None = None) -> str:
    """Returns what rules may say, as the data suggests it: directives to edit and give to :func:`induce`."""
    place = data._inner if isinstance(data, Dataset) else os.fspath(data)
    return _lrnn.infer_bias(place, threads)
