"""Models: what they answer, why, and how they look."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lrnn import _lrnn
from lrnn._errors import UsageError
from lrnn.dataset import Atom, Dataset, _queries
from lrnn.results import (
    Concepts,
    Document,
    Explanation,
    Explanations,
    Patterns,
    Picture,
    Predictions,
    Report,
    Scores,
    Substructures,
)
from lrnn.template import Template

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Model:
    """Learned weights with everything that prediction needs. Its file is that of the command."""

    __slots__ = ("_inner", "_weights")

    def __init__(self, inner: _lrnn.Model) -> None:
        self._inner = inner
        self._weights: Weights | None = None

    @classmethod
    def from_bytes(cls, packed: bytes) -> Model:
        """Returns the model in the bytes of its file."""
        return cls(_lrnn.Model.from_bytes(packed))

    def to_bytes(self) -> bytes:
        """Returns the bytes of its file."""
        return self._inner.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes its file, whole or not at all."""
        self._inner.save(os.fspath(path))

    @property
    def weights(self) -> Weights:
        """The learned weights by name; of an ensemble, those of its best member."""
        if self._weights is None:
            self._weights = Weights(*self._inner.weights())
        return self._weights

    @property
    def template(self) -> Template:
        """The template that it was learned with."""
        return Template._of(self._inner.template())

    @property
    def settings(self) -> dict[str, str]:
        """The settings that it was learned with, as the command writes them."""
        return dict(self._inner.settings())

    @property
    def notes(self) -> dict[str, str]:
        """What is known of how it was learned: the loss, the training error, the restart."""
        return dict(self._inner.notes())

    @property
    def queries(self) -> list[str]:
        """What training asked, and what is asked of examples without queries."""
        return self._inner.queries()

    @property
    def precision(self) -> str:
        """``f32`` or ``f64``."""
        return self._inner.precision()

    @property
    def version(self) -> str:
        """The version of lrnn that learned it."""
        return self._inner.version()

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the data that it was learned from."""
        return self._inner.fingerprint()

    def predict(
        self,
        dataset: Dataset,
        *,
        unentailed: float | str | None = None,
        threads: int | None = None,
        max_ground_rules: int | None = None,
        max_ground_rules_total: int | None = None,
    ) -> Predictions:
        """Answers the queries of data; of data without queries, asks what training asked. Queries that do not
        follow count as `unentailed` says: a number, ``"skip"`` or ``"error"``."""
        limits = (max_ground_rules, max_ground_rules_total)
        return self._predict(dataset, unentailed, limits, threads)

    def _predict(
        self,
        dataset: Dataset,
        unentailed: float | str | None = None,
        limits: tuple[int | None, int | None] = (None, None),
        threads: int | None = None,
        cached: bool = False,
    ) -> Predictions:
        """Answers; with `cached`, networks are kept for other models with the same template."""
        asked = None if unentailed is None else str(unentailed)
        return Predictions(self._inner.predict(dataset._inner, asked, limits, threads, cached))

    def predict_proba(self, dataset: Dataset, *, threads: int | None = None) -> NDArray[np.float64]:
        """Returns the values as probabilities, as the loss takes them; not a number where numbers were learned."""
        return self.predict(dataset, threads=threads).probabilities

    def scores(self, dataset: Dataset, *, threads: int | None = None) -> Scores:
        """Measures how well it answers the queries of data: every metric of ``lrnn test``."""
        return self.predict(dataset, threads=threads).scores

    def predictor(self) -> Predictor:
        """Makes it ready to answer one example at a time, from many threads at once."""
        return Predictor(self._inner.bound())

    def explain(
        self,
        dataset: Dataset,
        example: str | int | None = None,
        *,
        query: str | None = None,
        element: int = 1,
        top: int = 10,
        threads: int | None = None,
    ) -> Explanation | Explanations:
        """Says why it answers as it does: of one example, contributions that add up, what changes the value, and
        the rules and facts behind it; without an example, of all."""
        name = None if example is None else str(example)
        if element < 1 or top < 1:
            raise UsageError("element and top are whole numbers from 1")
        found, trees = self._inner.explain(dataset._inner, name, query, element - 1, top, threads)
        if name is None and len(dataset) != 1:
            return Explanations(found)
        return Explanation(found, trees, self, dataset, name, query)

    def concepts(self) -> Concepts:
        """Shows latent concepts as heat maps of the weights of the rules that define each predicate."""
        return Concepts(*self._inner.concepts())

    def patterns(
        self, dataset: Dataset, *, support: int = 1, top: int = 10, threads: int | None = None
    ) -> Patterns:
        """Finds what the rules answer to most, by effect, with support and confidence."""
        return Patterns(*self._inner.patterns(dataset._inner, support, top, threads))

    def substructures(
        self, dataset: Dataset, *, support: int | None = None, top: int = 10, threads: int | None = None
    ) -> Substructures:
        """Finds the substructures that raise and lower the value most, of those in `support` molecules (3 of 100 or more)."""
        return Substructures(*self._inner.substructures(dataset._inner, support, top, threads))

    def draw(
        self,
        what: str | None = None,
        dataset: Dataset | None = None,
        example: str | int | None = None,
        *,
        query: str | None = None,
        relation: str | None = None,
        most: int = 200,
        format: str = "svg",
    ) -> Picture:
        """Draws the ``template``, the ``network`` of an example, or the ``example``, as SVG or DOT."""
        if format not in ("svg", "dot"):
            raise UsageError(f"there is no picture as `{format}`", help="there are svg and dot")
        what = what or ("template" if dataset is None else "network")
        inner = None if dataset is None else dataset._inner
        name = None if example is None else str(example)
        return Picture(*self._inner.draw(what, inner, name, query, relation, most, format == "dot"))

    def report(
        self,
        dataset: Dataset,
        *,
        examples: int | None = None,
        title: str = "data",
        threads: int | None = None,
    ) -> Report:
        """Makes one page of the model on data, which needs nothing else; with `examples`, of the first alone."""
        shown = dataset if examples is None else dataset[:examples]
        return Report(self._inner.report(shown._inner, "", None, title, title, threads))

    def __repr__(self) -> str:
        loss = self.notes.get("loss", "?")
        return f"Model({len(self.weights)} weights, {self.precision}, loss {loss}, asks {', '.join(self.queries)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Model.from_bytes, (self.to_bytes(),))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from lrnn import _display

        return {"text/plain": repr(self), "text/html": _display.model_html(self)}


class Weights(Mapping[str, "NDArray[np.float64]"]):
    """Learned weights: ``weights["m"]`` a named one, ``weights["m[double]"]`` one of its indices."""

    __slots__ = ("_entries", "_numbers", "_places")

    def __init__(self, entries: list[tuple[str, str, int, int]], numbers: bytes) -> None:
        self._entries = entries
        self._numbers = np.frombuffer(numbers, dtype="<f8")
        sizes = [rows * columns for _, _, rows, columns in entries]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(int).tolist()
        names = (f"{name}[{index}]" if index else name for name, index, _, _ in entries)
        self._places = {name: (start, entry) for name, start, entry in zip(names, starts, entries)}

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        start, (_, _, rows, columns) = self._places[name]
        numbers = self._numbers[start : start + rows * columns]
        if columns == 1:
            return numbers if rows > 1 else numbers.reshape(())
        return numbers.reshape(rows, columns)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def names(self) -> list[str]:
        """The names without indices, in the order of the template."""
        return list(dict.fromkeys(name for name, _, _, _ in self._entries))

    def table(self, name: str | None = None) -> Any:
        """Returns the index and the value of each, of one name or of all: a frame where pandas is there, else a
        dictionary of columns."""
        chosen = [key for key, (_, entry) in self._places.items() if name in (None, entry[0])]
        if name is not None and not chosen:
            raise KeyError(name)
        entries = [self._places[key][1] for key in chosen]
        values = [self[key].item() if self[key].ndim == 0 else self[key] for key in chosen]
        columns = {
            "weight": [entry[0] for entry in entries],
            "index": [entry[1] for entry in entries],
            "value": values,
        }
        return frame(columns)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}: {self[name].tolist()}" for name in list(self)[:5])
        more = ", ..." if len(self) > 5 else ""
        return f"Weights({{{shown}{more}}})"


def frame(columns: dict[str, Any]) -> Any:
    """Returns columns as a frame where pandas is there, else as they are."""
    try:
        import pandas
    except ImportError:
        return columns
    return pandas.DataFrame(columns)


class Predictor:
    """A model made ready to answer one example at a time. Any number of threads may ask it at once."""

    __slots__ = ("_inner",)

    def __init__(self, inner: _lrnn.Predictor) -> None:
        self._inner = inner

    def answers(self, facts: Iterable[Atom], query: Atom | list[Atom] | None = None) -> list[_lrnn.Answer]:
        """Answers every query of an example; without a query, what training asked."""
        return self._inner.answers(facts, _queries(query))

    def predict_one(self, facts: Iterable[Atom], query: Atom | None = None) -> _lrnn.Answer:
        """Answers the only query of an example."""
        answers = self._inner.answers(facts, [] if query is None else [query])
        if len(answers) != 1:
            raise UsageError(f"there are {len(answers)} answers, not one", help="answers() returns them all")
        return answers[0]


def load(path: str | os.PathLike[str]) -> Model:
    """Reads a model from its file, or from the folder of a run."""
    return Model(_lrnn.Model.read(os.fspath(path)))


class Sql(Document):
    """A model as SQL, with the names of ``lrnn sql --json``."""

    @property
    def statement(self) -> str:
        """The statement that computes the values."""
        return str(self.data["statement"])

    @property
    def setting(self) -> str:
        """What the database is to be told before; often nothing."""
        return str(self.data["setting"])

    @property
    def columns(self) -> list[str]:
        """The columns of the answer."""
        return list(self.data["columns"])

    @property
    def tables(self) -> list[dict[str, Any]]:
        """The tables of facts that it reads, where the model has no mapping: `name`, `predicate`, `columns`."""
        return list(self.data["tables"])

    def __str__(self) -> str:
        heads = (f"-- facts of {it['predicate']}: {it['name']} ({', '.join(it['columns'])})\n" for it in self.tables)
        return "".join(heads) + self.setting + self.statement

    def __repr__(self) -> str:
        return f"Sql({self.data['dialect']}, {len(self.statement)} characters)"


def sql(
    model: Model | Template, *, dialect: str = "sqlite", atom: str | None = None, view: str | None = None
) -> Sql:
    """Writes a model, or a template whose weights all have values, as SQL for ``sqlite``, ``duckdb`` or
    ``postgresql``: the values of `atom`, such as ``"toxic(X)"``, or of what training asked; as a `view` of that name.

    >>> sql(Template("0.5 :: happy(X) :- friend(X, Y)."), atom="happy(X)").columns
    ['example', 'a1', 'value']
    """
    return Sql(_lrnn.sql(model._inner, dialect, atom, view))
