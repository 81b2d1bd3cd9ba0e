"""Learning: from a template, data and settings to a model."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lrnn import _lrnn
from lrnn._errors import UsageError
from lrnn._progress import EpochProgress, watched
from lrnn.model import Model, frame
from lrnn.results import Report, Scores
from lrnn.template import Template, as_template

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lrnn.dataset import Dataset
    from lrnn.lab import CrossvalRun
    from lrnn.ray import Ray

Callback = Callable[[dict[str, Any]], Any]
"""Is called with each epoch: its numbers, by the names of the history. If it returns true, learning ends."""


class Setting(NamedTuple):
    """A setting of learning, as ``lrnn list settings`` has it."""

    name: str
    aliases: list[str]
    kind: str
    values: list[str]
    default: str
    about: str


SETTINGS: dict[str, Setting] = {row[0]: Setting(*row) for row in _lrnn.settings()}
"""The settings of learning by name: keyword arguments of :func:`fit`."""


def setting_text(value: Any) -> str:
    """Returns the value of a setting as the command takes it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(str(part) for part in value)
    return repr(value.item()) if isinstance(value, np.generic) else str(value)


def setting_pairs(settings: dict[str, Any]) -> list[tuple[str, str]]:
    """Returns settings as names and texts; those that are None are left out."""
    return [(name, setting_text(value)) for name, value in settings.items() if value is not None]


class History(Sequence[dict[str, Any]]):
    """The epochs at which the losses over all examples were computed: ``history["training_loss"]`` is an array,
    ``history[0]`` the first epoch."""

    def __init__(self, lines: str) -> None:
        self._rows: list[dict[str, Any]] = [json.loads(line) for line in lines.splitlines() if line]

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return np.asarray([row.get(key, np.nan) for row in self._rows])
        return self._rows[key]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._rows)

    def table(self) -> Any:
        """Returns a row for each epoch: a frame where pandas is there, else a dictionary of columns."""
        names = dict.fromkeys(name for row in self._rows for name in row)
        return frame({name: self[name] for name in names})

    def __repr__(self) -> str:
        if not self._rows:
            return "History(no epoch)"
        last = self._rows[-1]
        return f"History({len(self)} epochs, training loss {last['training_loss']:.6g} in the last)"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from lrnn import _display

        return {"text/plain": repr(self), "text/html": _display.history_svg(self)}


class Split(NamedTuple):
    """The numbers of the cases that a run learned from, chose its epoch by, and tested."""

    training: list[int]
    validation: list[int]
    test: list[int]


class Run:
    """What learning gave: the model, and what happened on the way."""

    def __init__(self, parts: _lrnn.RunParts, dataset: Dataset | None, path: str | None) -> None:
        self.model = Model(parts.model)
        self.history = History(parts.history)
        self.scores: dict[str, Scores] = {
            part: Scores(numbers) for part, numbers in json.loads(parts.scores).items()
        }
        """The scores of training and, where there are such cases, of validation and test."""
        self.notes: list[str] = parts.notes
        """Notes for people: queries outside the model, one class only, a model that learned nothing."""
        self.interrupted: bool = parts.interrupted
        """True if Ctrl-C or a callback ended it; the model has the best weights so far."""
        self.end: str = parts.end
        """Why it ended: ``epochs``, ``target_loss``, ``patience``, ``converged``, ``diverged`` or ``stopped``."""
        self.split = Split(*parts.split)
        self.settings: dict[str, str] = dict(parts.settings)
        """All settings as used."""
        self.epochs: list[int] = parts.epochs
        """The epochs that each restart has gone."""
        self.path = path
        """The folder of the run, if it has one."""
        self._lines = parts.history
        self._dataset = dataset

    def report(self, *, title: str = "data", threads: int | None = None) -> Report:
        """Makes one page of the run: learning curves, metrics, concepts, patterns, and every example."""
        if self._dataset is None:
            raise UsageError("a run that was resumed has no data to report on", help="python -m lrnn report RUN")
        split = (self.split.training, self.split.validation, self.split.test)
        inner = self.model._inner
        page = inner.report(self._dataset._inner, self._lines, split, title, self.path or title, threads)
        return Report(page)

    def __repr__(self) -> str:
        scores = ", ".join(f"{part} loss {scores['loss']:.6g}" for part, scores in self.scores.items())
        return f"Run({sum(self.epochs)} epochs, {scores}{', interrupted' if self.interrupted else ''})"


def _epochs(settings: dict[str, Any]) -> int:
    """Returns how many epochs there will be at most."""
    number = {name: int(settings.get(name) or SETTINGS[name].default) for name in ("epochs", "restarts")}
    return number["epochs"] * number["restarts"]


def _called_back(callbacks: Callback | Iterable[Callback] | None) -> Callback | None:
    """Returns one callback for all: learning ends if any says so."""
    if callbacks is None:
        return None
    each = [callbacks] if callable(callbacks) else list(callbacks)
    if not each:
        return None
    # Every one is asked, also behind one that says so.
    return lambda epoch: any([bool(callback(epoch)) for callback in each])


def crew_of(on: Ray | None) -> AbstractContextManager[Any]:
    """Returns whoever learns elsewhere, while it is needed."""
    return nullcontext() if on is None else on.crew()


def fit(
    template: Template | str | os.PathLike[str],
    dataset: Dataset,
    *,
    validation_data: Dataset | None = None,
    from_model: Model | None = None,
    out: str | os.PathLike[str] | None = None,
    strict: bool = False,
    max_ground_rules: int | None = None,
    max_ground_rules_total: int | None = None,
    threads: int | None = None,
    progress: bool | None = None,
    callbacks: Callback | Iterable[Callback] | None = None,
    on: Ray | None = None,
    **settings: Any,
) -> Run:
    """Learns the weights of a template from data.

    The settings are those of the command, `lrnn.SETTINGS` lists them. Ctrl-C ends learning soon and keeps the best
    weights so far; before there are any, it is raised. `out` is a folder that the command can read and go on with.
    `on` is where to learn if not in this process: the weights have the same bits.
    """
    given = (validation_data, from_model, out, strict, max_ground_rules, max_ground_rules_total)
    return learn(template, dataset, *given, threads, progress, callbacks, settings, on=on)


def learn(
    template: Template | str | os.PathLike[str],
    dataset: Dataset,
    validation_data: Dataset | None = None,
    from_model: Model | None = None,
    out: str | os.PathLike[str] | None = None,
    strict: bool = False,
    max_ground_rules: int | None = None,
    max_ground_rules_total: int | None = None,
    threads: int | None = None,
    progress: bool | None = None,
    callbacks: Callback | Iterable[Callback] | None = None,
    settings: dict[str, Any] | None = None,
    cached: bool = False,
    on: Ray | None = None,
) -> Run:
    """Learns; with `cached`, networks are kept for whoever learns from the same data again."""
    settings = settings or {}
    path = None if out is None else os.fspath(out)
    with watched(progress, EpochProgress, _epochs(settings)) as watch, crew_of(on) as crew:
        parts = _lrnn.fit(
            as_template(template)._inner,
            dataset._inner,
            setting_pairs(settings),
            None if validation_data is None else validation_data._inner,
            None if from_model is None else from_model._inner,
            path,
            strict,
            (max_ground_rules, max_ground_rules_total),
            threads,
            watch,
            _called_back(callbacks),
            cached,
            crew,
        )
    return Run(parts, dataset if validation_data is None else None, path)


def resume(
    path: str | os.PathLike[str],
    *,
    threads: int | None = None,
    progress: bool | None = None,
    callbacks: Callback | Iterable[Callback] | None = None,
    on: Ray | None = None,
    **settings: Any,
) -> Run | CrossvalRun:
    """Goes on with the run in a folder, which `fit`, `crossval` or the command began and something ended. A
    cross-validation goes on with the settings it began with."""
    if _lrnn.is_crossval(os.fspath(path)):
        from lrnn.lab import resume_crossval

        if settings or callbacks is not None:
            raise UsageError("a cross-validation goes on with the settings it began with, without callbacks")
        return resume_crossval(path, threads=threads, progress=progress, on=on)
    with watched(progress, EpochProgress, _epochs(settings)) as watch, crew_of(on) as crew:
        parts = _lrnn.resume(
            os.fspath(path), setting_pairs(settings), threads, watch, _called_back(callbacks), crew
        )
    return Run(parts, None, os.fspath(path))


def _with_settings(function: Callable[..., Any]) -> None:
    """Gives a function the settings as keyword arguments in its signature and its documentation."""
    signature = inspect.signature(function)
    own = [it for it in signature.parameters.values() if it.kind is not inspect.Parameter.VAR_KEYWORD]
    keyword = inspect.Parameter.KEYWORD_ONLY
    added = [inspect.Parameter(name, keyword, default=None) for name in SETTINGS]
    function.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
    lines = "\n".join(
        f"    {it.name}: {it.about} ({it.kind}, default {it.default or 'none'})" for it in SETTINGS.values()
    )
    function.__doc__ = f"{function.__doc__}\n    Settings:\n\n{lines}\n"


_with_settings(fit)
