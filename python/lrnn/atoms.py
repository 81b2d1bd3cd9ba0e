"""Atoms of the least Herbrand model with their values, and what grounding makes of a template."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from lrnn import _lrnn
from lrnn.dataset import Dataset
from lrnn.model import Model, frame
from lrnn.results import Document
from lrnn.template import Template, as_template


class Atoms(Document):
    """Atoms with their values, with the names of ``lrnn query --json``."""

    @property
    def values(self) -> dict[str, Any]:
        """The value of each atom: a number, or a list; of several examples, those of the last that has it."""
        return {entry["atom"]: entry["value"] for entry in self.data["atoms"]}

    def table(self) -> Any:
        """Returns a row for each atom: a frame where pandas is there, else a dictionary of columns."""
        rows = self.data["atoms"]
        names = ["example", "atom", "value"]
        return frame({name: [row[name] for row in rows] for name in names})

    def __len__(self) -> int:
        return len(self.data["atoms"])

    def __repr__(self) -> str:
        shown = ", ".join(f"{entry['atom']} = {entry['value']}" for entry in self.data["atoms"][:5])
        return f"Atoms({shown}{', ...' if len(self) > 5 else ''})"


class GroundCounts(Document):
    """The neurons of each example, with the names of ``lrnn ground --json``."""

    @property
    def neurons(self) -> dict[str, int]:
        """How many neurons of each kind there are in all examples."""
        return dict(self.data["neurons"])

    @property
    def rules(self) -> list[list[str]]:
        """The ground facts and rules of each example, where they were asked for."""
        return list(self.data.get("ground_clauses", []))

    def table(self) -> Any:
        """Returns a row for each example: a frame where pandas is there, else a dictionary of columns."""
        rows = self.data["per_example"]
        return frame({name: [row[name] for row in rows] for name in self.neurons})

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {kind}" for kind, count in self.neurons.items())
        return f"GroundCounts({self.data['examples']} examples: {counts})"


class JoinPlan(Document):
    """How rules are joined, with the names of ``lrnn ground --plan --json``."""

    @property
    def expected(self) -> float:
        """How many ground rules are to be expected."""
        return float(self.data["expected"])

    def table(self) -> Any:
        """Returns a row for each rule: a frame where pandas is there, else a dictionary of columns."""
        rows = self.data["rules"]
        names = dict.fromkeys(name for row in rows for name in row)
        return frame({name: [row[name] for row in rows] for name in names})

    def __repr__(self) -> str:
        return f"JoinPlan({len(self.data['rules'])} rules, {self.expected:.0f} ground rules expected)"


def query(
    template: Template | Model | str | os.PathLike[str],
    dataset: Dataset | None = None,
    atoms: str | Sequence[str] = (),
    *,
    semiring: str | None = None,
    precision: str = "f64",
    seed: int = 0,
    reference: bool = False,
    unentailed: float | str = 0,
    max_ground_rules: int | None = None,
    max_ground_rules_total: int | None = None,
    threads: int | None = None,
) -> Atoms:
    """Returns atoms that follow from a template as it begins, or from a model with its weights, with their values: all,
    or those that match `atoms`, such as ``"foal(X)"``.

    A `semiring` reads the template otherwise: ``boolean``, ``counting``, ``best``, ``probability``. Ground atoms that do
    not follow count as `unentailed` says: a number, ``"skip"`` or ``"error"``.

    >>> query("0.9 :: foal(A) :- parent(A, P). parent(star, aida).", atoms="foal(X)", semiring="best")
    Atoms(foal(star) = 0.9)
    """
    words = {
        "atoms": [atoms] if isinstance(atoms, str) else list(atoms),
        "semiring": semiring,
        "precision": precision,
        "seed": seed,
        "reference": reference,
        "unentailed": str(unentailed),
    }
    rules = template if isinstance(template, Model) else as_template(template)
    given = None if dataset is None else dataset._inner
    return Atoms(_lrnn.query(rules._inner, given, words, (max_ground_rules, max_ground_rules_total), threads))


def ground(
    template: Template | str | os.PathLike[str],
    dataset: Dataset | None = None,
    *,
    rules: bool = False,
    max_ground_rules: int | None = None,
    max_ground_rules_total: int | None = None,
    threads: int | None = None,
) -> GroundCounts:
    """Grounds a template on data and counts the neurons of each kind; with `rules`, lists the ground facts and rules.

    >>> ground("foal(A) :- parent(A, P). parent(star, aida).", rules=True).rules
    [['parent(star, aida).', 'foal(star) :- parent(star, aida).']]
    """
    given = None if dataset is None else dataset._inner
    most = (max_ground_rules, max_ground_rules_total)
    return GroundCounts(_lrnn.ground(as_template(template)._inner, given, rules, most, threads))


def join_plan(
    template: Template | str | os.PathLike[str], dataset: Dataset | None = None, *, threads: int | None = None
) -> JoinPlan:
    """Returns how the rules of a template are joined on data, and how many ground rules to expect, without grounding."""
    given = None if dataset is None else dataset._inner
    return JoinPlan(_lrnn.join_plan(as_template(template)._inner, given, threads))
