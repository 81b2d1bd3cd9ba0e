"""Results: computed once, shown in many ways. Each keeps the document that the command prints with ``--json``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lrnn import _lrnn
from lrnn._errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lrnn.dataset import Dataset
    from lrnn.model import Model

Bundle = dict[str, str]


class Predictions:
    """Answers to queries, in the order of the data: columns of arrays."""

    def __init__(self, columns: _lrnn.AnswerColumns) -> None:
        self._columns = columns
        self.examples: list[str] = columns.examples
        """The name of the example of each answer."""
        self.rows: NDArray[np.int64] = np.asarray(columns.rows, dtype=np.int64)
        """The number of the example of each answer."""
        self.queries: list[str] = columns.queries
        self.values = _cells(columns.values, columns.shapes)
        """The value of each answer; a row for each where they are vectors."""
        self.probabilities = _cells(columns.probabilities, columns.shapes)
        """The values as probabilities, as the loss takes them; not a number where numbers were learned."""
        self.classes: NDArray[np.int64] = np.asarray(
            [-1 if found is None else found for found in columns.classes], dtype=np.int64
        )
        """1 for true and 0 for false; of a vector, the place of its largest element; -1 where there is none."""
        self.targets = _cells(columns.targets, [(size, int(size > 0)) for size in columns.target_sizes])
        self.in_model: NDArray[np.bool_] = np.asarray(columns.in_model, dtype=bool)
        """False where a query does not follow from template and example."""
        self.loss: str = columns.loss
        self.unlearned: list[str] = columns.unlearned
        """Weights that the data needs and the model has not."""
        self.notes: list[str] = columns.notes

    @property
    def scores(self) -> Scores:
        """Every metric of the answers that have targets."""
        if self._columns.scores is None:
            raise UsageError("no query has a target, so there is nothing to test")
        return Scores(json.loads(self._columns.scores))

    def json(self) -> str:
        """Returns the document of ``lrnn predict --json``, without times."""
        return self._columns.json

    def table(self) -> Any:
        """Returns a row for each answer: a frame where pandas is there, else a dictionary of columns."""
        from lrnn.model import frame

        return frame(
            {
                "example": self.examples,
                "query": self.queries,
                "value": list(self.values),
                "probability": list(self.probabilities),
                "class": self.classes,
                "target": list(self.targets),
                "in_model": self.in_model,
            }
        )

    def __len__(self) -> int:
        return len(self.queries)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        return f"Predictions({len(self)} answers, {len(set(self.rows.tolist()))} examples)"


def _cells(packed: bytes, shapes: list[tuple[int, int]]) -> NDArray[Any]:
    """Returns numbers as an array with a row for each cell: all of one shape, or one array each."""
    numbers = np.frombuffer(packed, dtype="<f8")
    sizes = {shape for shape in shapes if shape != (0, 0)}
    if len(sizes) <= 1 and (0, 0) not in shapes:
        rows, columns = next(iter(sizes), (1, 1))
        shape = (-1,) if (rows, columns) == (1, 1) else (-1, rows) if columns == 1 else (-1, rows, columns)
        return numbers.reshape(shape)
    if sizes <= {(1, 1)}:
        every = np.full(len(shapes), np.nan)
        every[[shape == (1, 1) for shape in shapes]] = numbers
        return every
    cells = np.empty(len(shapes), dtype=object)
    start = 0
    for place, (rows, columns) in enumerate(shapes):
        cells[place] = numbers[start : start + rows * columns].reshape((rows, columns) if columns != 1 else (rows,))
        start += rows * columns
    return cells


class Scores(Mapping[str, Any]):
    """Every metric by name; None where it says nothing about these answers."""

    def __init__(self, numbers: dict[str, Any]) -> None:
        self._numbers = numbers

    def __getitem__(self, name: str) -> Any:
        return self._numbers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __repr__(self) -> str:
        shown = (f"{name} {number:.6g}" for name, number in self.items() if number is not None)
        return f"Scores({', '.join(shown)})"


class Document:
    """A result as the command's JSON has it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.data: Any = json.loads(text)
        """The document."""

    def json(self) -> str:
        """Returns the document as the command prints it with ``--json``, without times."""
        return self._text

    @property
    def notes(self) -> list[str]:
        """Notes for people."""
        return list(self.data.get("notes", [])) if isinstance(self.data, dict) else []


class Explanation(Document):
    """Why an example has its values: contributions that add up, what changes them, rules and facts behind them."""

    def __init__(
        self, text: str, trees: list[str], model: Model, dataset: Dataset, example: str | None, query: str | None
    ) -> None:
        super().__init__(text)
        self.trees = trees
        """For each atom, the rules and facts behind its value, as text."""
        self._asked = (model, dataset, example, query)

    @property
    def explained(self) -> list[dict[str, Any]]:
        """The atoms that are explained."""
        return list(self.data["explained"])

    @property
    def value(self) -> float:
        """The value of the first atom."""
        return float(self.explained[0]["value"])

    @property
    def baseline(self) -> float:
        """What the model says without the example's facts, of the first atom."""
        return float(self.explained[0]["baseline"])

    @property
    def constants(self) -> dict[str, float]:
        """What each constant brings to the first atom; with the baseline, all together are the value."""
        return {entry["constant"]: float(entry["contribution"]) for entry in self.explained[0]["constants"]}

    def picture(self) -> Picture:
        """Draws the example with the contribution of each constant as its colour."""
        model, dataset, example, query = self._asked
        return model.draw("example", dataset, example, query=query)

    def __str__(self) -> str:
        parts = []
        for one, tree in zip(self.explained, self.trees):
            head = f"{one['example']}: {one['atom']} = {one['value']:.6f}, baseline {one['baseline']:.6f}"
            shares = [f"{entry['contribution']:+.6f}  {entry['constant']}" for entry in one["constants"]]
            parts.append("\n".join([head, *shares, "why", tree]))
        return "\n".join(parts)

    def __repr__(self) -> str:
        return f"Explanation({', '.join(one['atom'] for one in self.explained)})"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Bundle:
        from lrnn import _display

        return {"text/plain": str(self), "text/html": _display.explanation_html(self)}


class Explanations(Document):
    """Why all examples have their values, and which of them the template cannot tell apart."""

    @property
    def explained(self) -> list[dict[str, Any]]:
        """What was explained, atom by atom."""
        return list(self.data["explained"])

    def __len__(self) -> int:
        return len(self.data["explained"])

    def __repr__(self) -> str:
        return f"Explanations({len(self)} atoms)"


class Drawn(Document):
    """A document with a picture of it."""

    def __init__(self, text: str, svg: str) -> None:
        super().__init__(text)
        self.picture = Picture(svg, [])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Bundle:
        return {"text/plain": repr(self), "image/svg+xml": self.picture.text}


class Concepts(Drawn):
    """Latent concepts: the weights of the rules that define each predicate."""

    def __repr__(self) -> str:
        return f"Concepts({', '.join(concept['predicate'] for concept in self.data)})"


class Patterns(Drawn):
    """What the rules of a model answer to most."""

    def __repr__(self) -> str:
        count = sum(len(rule["patterns"]) for rule in self.data["rules"])
        return f"Patterns({count} patterns of {len(self.data['rules'])} rules)"


class Substructures(Drawn):
    """The substructures of molecules that raise and lower the value most, the strongest first."""

    @property
    def raising(self) -> list[dict[str, Any]]:
        """Those that raise the value, each with its `name` as SMILES, `effect`, `support` and `confidence`."""
        return list(self.data["raising"])

    @property
    def lowering(self) -> list[dict[str, Any]]:
        """Those that lower the value."""
        return list(self.data["lowering"])

    def __repr__(self) -> str:
        names = [", ".join(it["name"] for it in side[:3]) for side in (self.raising, self.lowering)]
        return f"Substructures(raised by {names[0] or 'none'}; lowered by {names[1] or 'none'})"


class Picture:
    """A picture as text: SVG, or DOT for Graphviz."""

    def __init__(self, text: str, notes: list[str]) -> None:
        self.text = text
        self.notes = notes

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file."""
        _write(path, self.text)

    def __repr__(self) -> str:
        return f"Picture({len(self.text)} characters)"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Bundle:
        kind = "image/svg+xml" if self.text.lstrip().startswith("<") else "text/vnd.graphviz"
        return {"text/plain": repr(self), kind: self.text}


class Report:
    """A whole page that needs nothing else. In a notebook it is shown in a frame that cannot reach the notebook."""

    def __init__(self, text: str) -> None:
        self.html = text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        _write(path, self.html)

    def __repr__(self) -> str:
        return f"Report({len(self.html) / 1e6:.1f} MB)"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Bundle:
        from html import escape

        source = escape(self.html, quote=True)
        frame = f'<iframe srcdoc="{source}" sandbox="allow-scripts" width="100%" height="640"></iframe>'
        return {"text/plain": repr(self), "text/html": frame}


def _write(path: str | os.PathLike[str], text: str) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
