"""Templates: weighted first-order rules."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from lrnn import _lrnn

if TYPE_CHECKING:
    from lrnn._errors import Diagnostic
    from lrnn.dataset import Dataset

MAIN = "template.lrnn"


class Template:
    """Weighted rules that unfold into a network with each example.

    >>> Template("0.9 :: foal(A) :- parent(A, P), horse(P).")
    Template(1 rule, family max-sigmoid)
    """

    __slots__ = ("_inner",)

    def __init__(self, text: str, *, family: str | None = None, strict: bool = False) -> None:
        """Reads a template from its text, or raises all its mistakes at once."""
        self._inner = _lrnn.Template.of_texts([(MAIN, text)], family, strict)

    @classmethod
    def read(
        cls, path: str | os.PathLike[str], *, family: str | None = None, strict: bool = False
    ) -> Template:
        """Reads a template and what it imports from files."""
        return cls._of(_lrnn.Template.read(os.fspath(path), family, strict))

    @classmethod
    def _of(cls, inner: _lrnn.Template) -> Template:
        template = cls.__new__(cls)
        template._inner = inner
        return template

    @classmethod
    def _of_texts(cls, texts: list[tuple[str, str]], family: str | None) -> Template:
        return cls._of(_lrnn.Template.of_texts(texts, family, False))

    @property
    def text(self) -> str:
        """The main text."""
        return self.texts[0][1]

    @property
    def texts(self) -> list[tuple[str, str]]:
        """All texts by name, the main one first, then what it imports."""
        return self._inner.texts()

    @property
    def family(self) -> str:
        """The name of the family that it computes with."""
        return self._inner.family()

    @property
    def predicates(self) -> list[str]:
        """The predicates that it speaks of, as ``name/arity``."""
        return self._inner.predicates()

    def check(self, dataset: Dataset | None = None) -> list[Diagnostic]:
        """Returns warnings and notes about it, with their places; with data, also errors of how both fit."""
        return self._inner.check(None if dataset is None else dataset._inner)

    def format(self) -> str:
        """Returns the main text in the standard layout."""
        return self._inner.formatted()

    def __repr__(self) -> str:
        count = self._inner.rule_count()
        return f"Template({count} rule{'' if count == 1 else 's'}, family {self.family})"

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Template) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return (tuple(self.texts), self._inner.asked_family())

    def __reduce__(self) -> tuple[Any, ...]:
        return (Template._of_texts, (self.texts, self._inner.asked_family()))

    def __getstate__(self) -> dict[str, Any]:
        # For those that keep objects by their state, as skops does; pickle goes by the line above.
        return {"texts": self.texts, "family": self._inner.asked_family()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        texts = [(name, text) for name, text in state["texts"]]
        self._inner = _lrnn.Template.of_texts(texts, state["family"], False)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from lrnn import _display

        return {"text/plain": self.text, "text/html": _display.template_html(self.text)}


def check(text: str, *, family: str | None = None, strict: bool = False) -> list[Diagnostic]:
    """Returns everything that is wrong or suspicious about the text of a template."""
    return _lrnn.Template.check_text(text, family, strict)


def as_template(given: Template | str | os.PathLike[str]) -> Template:
    """Returns a template: as it is, from its text, or from the file of a path."""
    if isinstance(given, Template):
        return given
    return Template(given) if isinstance(given, str) else Template.read(given)
