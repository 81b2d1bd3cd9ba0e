"""Experiments: cross-validation with settings chosen inside the training folds, and many methods on many datasets."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from lrnn import _lrnn
from lrnn._progress import ShareProgress, watched
from lrnn.dataset import Dataset
from lrnn.model import Model, frame, load
from lrnn.results import Bundle, Document, Report
from lrnn.template import Template, as_template
from lrnn.training import _with_settings, crew_of, setting_pairs, setting_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lrnn.ray import Ray


class Spread(NamedTuple):
    """A mean and the standard deviation around it; None where nothing was measured."""

    mean: float | None
    deviation: float | None


class CrossvalRun(Document):
    """What a cross-validation gave, with the names of ``lrnn crossval --json``."""

    def __init__(self, parts: _lrnn.CrossvalParts, temporary: Any = None) -> None:
        super().__init__(parts.json)
        self.path: str = os.fspath(parts.run)
        """The folder of the run; a temporary one lives as long as this object."""
        self.accuracy = Spread(**self.data["accuracy"])
        """Over all folds of all repetitions."""
        self.auc = Spread(**self.data["auc"])
        self._parts = parts
        self._temporary = temporary

    @property
    def notes(self) -> list[str]:
        """Notes for people."""
        return list(self._parts.notes)

    @property
    def baselines(self) -> list[dict[str, Any]]:
        """The results of the baselines on the same folds."""
        return list(self.data.get("baselines", []))

    def folds(self) -> Any:
        """Returns a row for each fold: a frame where pandas is there, else a dictionary of columns."""
        rows = self.data["folds"]
        names = dict.fromkeys(name for row in rows for name in row)
        return frame({name: [row.get(name) for row in rows] for name in names})

    def predictions(self) -> Any:
        """Returns the answers to all test folds, a row each: a frame where pandas is there, else columns."""
        import csv

        with open(os.path.join(self.path, "predictions.csv"), newline="", encoding="utf-8") as file:
            head, *rows = csv.reader(file)
        return frame({name: [_cell(row[at]) for row in rows] for at, name in enumerate(head)})

    @property
    def model(self) -> Model:
        """The model that was learned from all data with the settings that most folds chose."""
        return load(self.path)

    def report(self, *, threads: int | None = None) -> Report:
        """Makes one page of the run: folds, choices, metrics, and every example by the fold that tested it."""
        return Report(_lrnn.report_run(self.path, threads))

    def __str__(self) -> str:
        return "\n".join([_aligned(self._parts.head, self._parts.rows), *self._parts.sentences])

    def __repr__(self) -> str:
        mean, deviation = self.accuracy
        found = "-" if mean is None else f"{mean:.4f}" + ("" if deviation is None else f" ± {deviation:.4f}")
        return f"CrossvalRun({len(self.data['folds'])} folds, accuracy {found})"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Bundle:
        from html import escape

        from lrnn import _display

        text = "".join(f"<p>{escape(sentence)}</p>" for sentence in self._parts.sentences)
        return {"text/plain": str(self), "text/html": _display.table_html(self._parts.head, self._parts.rows) + text}


class ExperimentRun(Document):
    """What an experiment gave, with the names of ``lrnn experiment --json``."""

    def __init__(self, parts: _lrnn.ExperimentParts) -> None:
        super().__init__(parts.json)
        self.path: str = os.fspath(parts.run)
        """The folder of journals and results; the same call goes on with what is missing there."""
        self.interrupted: bool = parts.interrupted
        """True if Ctrl-C ended it; results are missing."""
        self._shown = parts.text

    @property
    def datasets(self) -> list[str]:
        """The names of the datasets."""
        return list(self.data["datasets"])

    @property
    def methods(self) -> list[str]:
        """The names of the methods."""
        return list(self.data["methods"])

    def accuracies(self) -> Any:
        """Returns a row for each dataset and a column for each method: a frame where pandas is there."""

        def mean(found: Any) -> float | None:
            return None if found is None else found["accuracy"]["mean"]

        rows = self.data["results"]
        columns = {name: [mean(row[at]) for row in rows] for at, name in enumerate(self.methods)}
        return frame({"dataset": self.datasets, **columns})

    def comparisons(self) -> Any:
        """Returns a row for each pair of methods: who wins how often, and how likely that is by chance."""
        rows = self.data["comparisons"]
        names = dict.fromkeys(name for row in rows for name in row)
        return frame({name: [row.get(name) for row in rows] for name in names})

    def __str__(self) -> str:
        return self._shown

    def __repr__(self) -> str:
        state = ", interrupted" if self.interrupted else ""
        return f"ExperimentRun({len(self.datasets)} datasets, {len(self.methods)} methods{state})"


def _cell(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _aligned(head: list[str], rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(head, *rows)]
    lines = ("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in (head, *rows))
    return "\n".join(line.rstrip() for line in lines)


def crossval(
    template: Template | str | os.PathLike[str],
    data: Dataset | str | os.PathLike[str],
    *,
    folds: int | None = None,
    search: Mapping[str, Iterable[Any]] | None = None,
    method: str = "grid",
    trials: int | None = None,
    inner: float | int = 0.2,
    seeds: int = 1,
    split: str = "random",
    baselines: Iterable[str] = (),
    best_epoch: bool = False,
    out: str | os.PathLike[str] | None = None,
    strict: bool = False,
    max_ground_rules: int | None = None,
    max_ground_rules_total: int | None = None,
    threads: int | None = None,
    progress: bool | None = None,
    on: Ray | None = None,
    **settings: Any,
) -> CrossvalRun:
    """Measures by cross-validation how well a template learns: settings are chosen inside the training folds, and each
    fold is tested once.

    `search` has the values of settings to choose from; ``template`` (a list of templates) and ``family`` may stand
    there too. `method` says how they are tried (``grid``, ``random``, ``halving``; `trials` how many), `inner` what
    is held out to choose by: a share of the training folds, or a number of inner folds. `folds` are those of the data
    or 10 if it is not given, `seeds` repeats everything, `split` is ``random`` or ``scaffold`` (of molecules).

    `data` is a dataset, or the path of data that the command reads. `out` is a folder that ``lrnn crossval --resume``,
    ``lrnn report`` and :func:`lrnn.resume` go on with after Ctrl-C, which is raised; what it holds already is not done
    again. `on` is where folds are learned if not in this process: the results are the same.
    """
    space = dict(search or {})
    given = space.pop("template", None)
    templates = [as_template(template)] if given is None else [as_template(one) for one in given]
    values = [(name, [setting_text(value) for value in found]) for name, found in space.items()]
    temporary = None
    if out is None:
        import tempfile

        temporary = tempfile.TemporaryDirectory(prefix="lrnn-crossval-", ignore_cleanup_errors=True)
        out = os.path.join(temporary.name, "run")
    words = {
        "folds": folds,
        "inner": str(inner),
        "method": method,
        "trials": trials,
        "seeds": seeds,
        "split": split,
        "best_epoch": best_epoch,
        "baselines": list(baselines),
        "strict": strict,
    }
    with watched(progress, ShareProgress, "folds") as watch, crew_of(on) as crew:
        parts = _lrnn.crossval(
            [one._inner for one in templates],
            data._inner if isinstance(data, Dataset) else os.fspath(data),
            os.fspath(out),
            setting_pairs(settings),
            values,
            words,
            (max_ground_rules, max_ground_rules_total),
            threads,
            watch,
            crew,
        )
    return CrossvalRun(parts, temporary)


def resume_crossval(
    path: str | os.PathLike[str], *, threads: int | None, progress: bool | None, on: Ray | None = None
) -> CrossvalRun:
    """Goes on with the cross-validation in a folder."""
    with watched(progress, ShareProgress, "folds") as watch, crew_of(on) as crew:
        return CrossvalRun(_lrnn.resume_crossval(os.fspath(path), threads, watch, crew))


def experiment(
    file: str | os.PathLike[str],
    *,
    data: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: bool | None = None,
    on: Ray | None = None,
) -> ExperimentRun:
    """Measures many methods on many datasets, each by cross-validation on the same folds, as a TOML file with tables
    ``[[dataset]]`` and ``[[method]]`` says; its datasets are in the folder `data`, or beside the file.

    `out` is ``runs/NAME`` if it is not given; whatever it holds is not done again. Ctrl-C gives what was done. `on` is
    where to measure if not in this process, each method on each dataset where there is a free worker.
    """
    stem = os.path.splitext(os.path.basename(file))[0]
    folder = os.path.join("runs", stem) if out is None else os.fspath(out)
    with watched(progress, ShareProgress, "folds") as watch, crew_of(on) as crew:
        parts = _lrnn.experiment(
            os.fspath(file), None if data is None else os.fspath(data), folder, threads, watch, crew
        )
    return ExperimentRun(parts)


_with_settings(crossval)
