"""Tables as data: a mapping and a template from a schema, and a look for what examples should not know."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from lrnn import _lrnn
from lrnn._errors import UsageError
from lrnn.dataset import _frame, _mapping_text
from lrnn.results import Document, _write
from lrnn.template import Template

__all__ = ["Inference", "Leakage", "check", "format", "infer"]


class Inference(Document):
    """A mapping and a first template, with the names of ``lrnn tables infer --json``."""

    @property
    def mapping(self) -> str:
        """The mapping, for :meth:`lrnn.Dataset.from_tables`."""
        return str(self.data["mapping"])

    @property
    def template(self) -> Template:
        """The template."""
        return Template(self.data["template"])

    @property
    def classes(self) -> str:
        """Which of two classes counts as 1; empty where there are not two."""
        return str(self.data["classes"])

    @property
    def left_out(self) -> list[str]:
        """What is not in them, and why."""
        return list(self.data["left_out"])

    @property
    def warnings(self) -> list[str]:
        """Cells that are taken as unknown, and tables whose dates cannot be read."""
        return list(self.data["warnings"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the mapping to a file, and template and settings beside it, where ``lrnn train`` looks for them."""
        beside = os.path.splitext(os.fspath(path))[0] + ".lrnn"
        settings = os.path.splitext(os.fspath(path))[0] + ".toml"
        files = {os.fspath(path): self.mapping, beside: str(self.data["template"]), settings: str(self.data["settings"])}
        taken = next((file for file in files if os.path.exists(file)), None)
        if taken is not None:
            raise UsageError(f"there is a file {taken}", help="choose another name, or move it away")
        for file, text in files.items():
            _write(file, text)

    def __str__(self) -> str:
        return self.mapping

    def __repr__(self) -> str:
        return f"Inference({len(self.template._inner.predicates())} predicates, {len(self.left_out)} left out)"


class Leakage(Document):
    """What examples should not know, with the names of ``lrnn tables check --json``."""

    @property
    def leaks(self) -> list[dict[str, str]]:
        """What was found: its `place`, a `message`, and `help`."""
        return list(self.data["leaks"])

    @property
    def unmeasured(self) -> str | None:
        """Why it was not measured what predicts too well, if so."""
        why = self.data["unmeasured"]
        return None if why is None else str(why)

    def __str__(self) -> str:
        lines = [f"LEAK: {it['place']}: {it['message']}\n  help: {it['help']}" for it in self.leaks]
        if self.unmeasured is not None:
            lines.append(f"what predicts too well was NOT MEASURED: {self.unmeasured}")
        return "\n".join(lines) or "no leak found"

    def __repr__(self) -> str:
        return f"Leakage({len(self.leaks)} leaks)"


def infer(source: str | os.PathLike[str] | Mapping[str, Any], *, target: str) -> Inference:
    """Writes a mapping and a first template that learn a column, named as ``"customer.churned"``, from the schema of
    tables: those of a file, folder or database, or frames by name.

    >>> tables = {"person": {"id": [1, 2, 3, 4], "town": ["a", "a", "b", "b"], "happy": [1, 1, 0, 0]}}
    >>> "? 1 :: happy <- person(happy: 1)." in infer(tables, target="person.happy").mapping
    True
    """
    if isinstance(source, Mapping):
        frames = [(name, _frame(name, table)) for name, table in source.items()]
        if not frames:
            raise UsageError("there are no tables")
        return Inference(_lrnn.infer_tables("", frames, target))
    return Inference(_lrnn.infer_tables(os.fspath(source), [], target))


def check(mapping: str | os.PathLike[str], tables: Mapping[str, Any] | None = None) -> Leakage:
    """Looks for leaks: rows and columns that know the future, columns that predict too well. The mapping is a file or
    its text, and tables that are not given are read from where it says."""
    frames = [(name, _frame(name, table)) for name, table in (tables or {}).items()]
    return Leakage(_lrnn.check_tables(*_mapping_text(mapping), frames))


def format(mapping: str | os.PathLike[str]) -> str:
    """Returns a mapping, a file or its text, in the standard layout."""
    return _lrnn.format_mapping(*_mapping_text(mapping))
