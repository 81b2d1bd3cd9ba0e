"""Estimators for scikit-learn: a classifier, a regressor, and molecules as a step of a pipeline.

Examples are relational, a :class:`lrnn.Dataset` or a list of lists of facts, or rows of numbers. Which of them is
decided by looking at the first example.

>>> from lrnn import LRNNClassifier
>>> molecules = [[("element", 1, "c")], [("element", 1, "cl")], [("element", 1, "c"), ("element", 2, "cl")]]
>>> estimator = LRNNClassifier("w[T] :: toxic :- element(A, T).", query="toxic", random_state=0)
>>> estimator.fit(molecules, ["no", "yes", "yes"]).predict([[("element", "x", "cl")]]).tolist()
['yes']
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from lrnn._errors import ContentError, UsageError
from lrnn.chem import from_smiles
from lrnn._lrnn import cache_counts, clear_cache
from lrnn.dataset import Atom, Dataset, Values, example_table, read_tables
from lrnn.model import Model
from lrnn.template import Template, as_template
from lrnn.training import SETTINGS, Callback, learn

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
    from sklearn.utils import check_random_state, column_or_1d
    from sklearn.utils.class_weight import compute_sample_weight
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted, validate_data
except ImportError as missing:
    raise ImportError("scikit-learn 1.6 or newer is not installed: pip install 'lrnn[sklearn]'") from missing

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Facts", "LRNNClassifier", "LRNNRegressor", "Smiles", "cache_counts", "clear_cache"]

Estimator = TypeVar("Estimator", bound="_Estimator")

FEATURES = "features"
"""The fact whose value is a row of numbers."""

OUTPUT = "output"
"""The query of the template for rows of numbers."""

TEMPLATE = """
:- family(neuralogic).
:- rule_activation(identity).
inside = {{{hidden}, {width}}} :: hidden :- features.
hidden/0 [activation = tanh, offset = {{{hidden}}}].
outside = {{{outputs}, {hidden}}} :: output :- hidden.
"""

LINEAR = """
:- family(neuralogic).
:- rule_activation(identity).
direct = {{{outputs}, {width}}} :: output :- features.
output/0 [activation = identity, offset = {{{outputs}}}].
"""

# Steps over all examples: only then does an example of weight 2 count as two.
DEFAULTS: dict[str, Any] = {"optimizer": "lbfgs", "batch_size": 0, "epochs": 50, "l2": 1e-3, "precision": "f64"}
"""The settings whose defaults are not those of :func:`lrnn.fit`."""

LEFT_OUT = ("seed", "class_balance", "test")
"""Settings that have other names here, `random_state` and `class_weight`, or belong to those who split the data."""

PARAMETERS = {name: DEFAULTS.get(name) for name in SETTINGS if name not in LEFT_OUT}


def _with_settings(cls: type[Estimator]) -> type[Estimator]:
    """Gives a class the settings of learning as parameters, by name."""
    init: Any = cls.__init__
    signature = inspect.signature(init)
    own = [it for it in signature.parameters.values() if it.kind is not inspect.Parameter.VAR_KEYWORD]
    keyword = inspect.Parameter.KEYWORD_ONLY
    added = [inspect.Parameter(name, keyword, default=value) for name, value in PARAMETERS.items()]
    init.__signature__ = signature.replace(parameters=[*own, *added])
    return cls


class _Scale(NamedTuple):
    """Shifts numbers by their mean, and divides them by their standard deviation."""

    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]

    @classmethod
    def of(cls, numbers: NDArray[np.float64], weights: NDArray[np.float64]) -> _Scale:
        mean = np.average(numbers, axis=0, weights=weights)
        deviation = np.sqrt(np.average((numbers - mean) ** 2, axis=0, weights=weights))
        return cls(mean, np.where(deviation > 1e-12 * (1.0 + np.abs(mean)), deviation, 1.0))

    def apply(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        return (numbers - self.mean) / self.deviation

    def undo(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        return numbers * self.deviation + self.mean


class _Estimator(BaseEstimator):  # type: ignore[misc]
    """What classifier and regressor share. Fitted state is plain, bytes and arrays, so that it can be kept in any
    way; the model is made from it when it is asked for."""

    template: Template | str | None
    query: Atom | None
    hidden: int
    random_state: Any
    threads: int | None
    callbacks: Callback | Iterable[Callback] | None
    packed_: bytes
    relational_: bool

    def _store(self, settings: dict[str, Any]) -> None:
        """Stores settings of learning: those that are given, and the defaults of the others."""
        unknown = sorted(set(settings) - set(PARAMETERS))
        if unknown:
            raise TypeError(f"{type(self).__name__} has no parameter {', '.join(unknown)}")
        for name, value in PARAMETERS.items():
            setattr(self, name, settings.get(name, value))

    @property
    def model_(self) -> Model:
        """The learned model."""
        check_is_fitted(self)
        if not self.packed_:
            raise AttributeError("all examples were of one class, so there is no model: every answer is this class")
        return _model(self.packed_)

    def _examples(self, X: Any, fitting: bool) -> Dataset | NDArray[np.float64]:
        """Returns relational examples as data, and rows of numbers as an array."""
        relational = is_relational(X)
        if _is_texts(X):
            raise UsageError("texts are no examples", help="put lrnn.Smiles() before it to read SMILES texts")
        if not fitting and relational != self.relational_:
            kinds = ("rows of numbers", "relational examples")
            raise UsageError(f"{kinds[relational]} for an estimator that was fitted with {kinds[not relational]}")
        if relational:
            return _dataset(X)
        rows: NDArray[np.float64] = validate_data(self, X, reset=fitting, dtype=np.float64)
        return rows

    def _template(self, examples: Dataset | NDArray[np.float64], outputs: int) -> Template:
        """Returns the template that was given, or the one for rows of numbers."""
        if self.template is not None:
            return as_template(self.template)
        if isinstance(examples, Dataset):
            raise UsageError("relational examples need a template", help="LRNNClassifier(template, query=\"active\")")
        if not (isinstance(self.hidden, (int, np.integer)) and self.hidden >= 0):
            raise UsageError(f"hidden is a whole number from 0, not {self.hidden!r}")
        text = (TEMPLATE if self.hidden else "") + LINEAR
        return Template(text.format(hidden=self.hidden, width=examples.shape[1], outputs=outputs))

    def _query(self, template: Template, examples: Dataset | NDArray[np.float64]) -> tuple[Any, ...]:
        """Returns what is asked of each example: as told, or what all examples of the data ask."""
        if self.query is not None and self.template is None:
            raise UsageError("a query needs a template that answers it")
        if self.query is not None:
            return (self.query,) if isinstance(self.query, str) else tuple(self.query)
        if self.template is None:
            return (OUTPUT,)
        asked = {query for own in examples.queries for query in own} if isinstance(examples, Dataset) else set()
        if len(asked) != 1 or "(" in next(iter(asked)):
            raise UsageError(
                "what shall be asked of each example?",
                help=f'query="active"; the template speaks of {", ".join(template.predicates)}',
            )
        return (asked.pop(),)

    def _facts(self, examples: Dataset | NDArray[np.float64]) -> Dataset:
        """Returns examples as data: a row of numbers is the value of one fact."""
        if isinstance(examples, Dataset):
            return examples
        scaled = _Scale(self.mean_, self.deviation_).apply(examples) if self.template is None else examples
        count = len(scaled)
        return Dataset.from_columns({FEATURES: Values(scaled, example=np.arange(count))}, examples=count)

    def _learn(
        self,
        template: Template,
        examples: Dataset | NDArray[np.float64],
        queries: list[Any],
        weights: NDArray[np.float64],
        loss: str | None,
    ) -> None:
        """Learns, and keeps the outcome."""
        if not isinstance(examples, Dataset):
            self.mean_, self.deviation_ = _Scale.of(examples, weights)
        data = self._facts(examples).with_queries(queries)
        if (weights != weights[0]).any():
            data = data.with_weights(weights / weights.mean())
        settings = {name: getattr(self, name) for name in PARAMETERS}
        settings["loss"] = settings["loss"] or loss
        settings["seed"] = _seed(self.random_state)
        run = learn(
            template,
            data,
            threads=self.threads,
            callbacks=self.callbacks,
            progress=False,
            settings=settings,
            cached=True,
        )
        self.packed_ = run.model.to_bytes()
        self.history_ = list(run.history)
        self.notes_ = run.notes
        self.end_ = run.end

    def _answers(self, examples: Dataset | NDArray[np.float64], queries: list[Any], proba: bool) -> NDArray[np.float64]:
        """Returns the values, or the probabilities, of the queries of each example, a row for each example."""
        data = self._facts(examples)
        asked = data.with_queries([queries] * len(data))
        answers = _model(self.packed_)._predict(asked, threads=self.threads, cached=True)
        numbers = answers.probabilities if proba else answers.values
        if numbers.dtype == object or np.isnan(numbers).any():
            rows = sorted(set(answers.rows[~answers.in_model].tolist()))
            raise ContentError(
                f"no value for {len(rows)} of {len(data)} examples: the query does not follow from example"
                f" {rows[0] if rows else '?'}",
                help="leave such examples out, or say with unentailed= what they count as",
            )
        return numbers.reshape(len(data), -1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags


@_with_settings
class LRNNClassifier(ClassifierMixin, _Estimator):  # type: ignore[misc]
    """A classifier of examples by a template whose weights are learned.

    `query` is asked of each example: a name without terms, or a tuple with terms. For two classes its value is one
    number, of the second class; for more it is a vector with a number for each class. Where the template has the
    predicate with one term, `label(C)`, it is asked once for each class.

    Rows of numbers are the value of the fact ``features``; without a template, `hidden` neurons and a linear part
    learn from them, scaled to mean 0 and deviation 1. All other parameters are settings of :func:`lrnn.fit`.
    """

    def __init__(
        self,
        template: Template | str | None = None,
        query: Atom | None = None,
        *,
        hidden: int = 8,
        class_weight: dict[Any, float] | str | None = None,
        random_state: Any = None,
        threads: int | None = None,
        callbacks: Callback | Iterable[Callback] | None = None,
        **settings: Any,
    ) -> None:
        self.template = template
        self.query = query
        self.hidden = hidden
        self.class_weight = class_weight
        self.random_state = random_state
        self.threads = threads
        self.callbacks = callbacks
        self._store(settings)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> LRNNClassifier:
        """Learns from examples and their classes; without classes, from the targets of the data."""
        examples = self._examples(X, fitting=True)
        labels = _targets(self, examples, y)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        weights = _weights(self, examples, sample_weight)
        weights = weights * compute_sample_weight(self.class_weight, labels)
        examples, codes, weights = _counting(examples, codes, weights)
        self.relational_ = isinstance(examples, Dataset)
        self.only_ = int(codes[0]) if (codes == codes[0]).all() else -1
        self.queries_: list[tuple[Any, ...]] = []
        if self.only_ >= 0:
            self.packed_, self.history_ = b"", []
            self.notes_, self.end_ = ["all examples are of one class"], "one class"
            return self
        count = len(self.classes_)
        template = self._template(examples, 1 if count == 2 else count)
        asked = self._query(template, examples)
        if _is_by_class(template, asked):
            self.queries_ = [(*asked, _constant(label)) for label in self.classes_]
            targets = np.eye(count)
            queries = [[(targets[code, at], *query) for at, query in enumerate(self.queries_)] for code in codes]
            self._learn(template, examples, queries, weights, "softmax")
        else:
            self.queries_ = [asked]
            values = [0.0, 1.0] if count == 2 else np.eye(count).tolist()
            self._learn(template, examples, [(values[code], *asked) for code in codes], weights, None)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Returns the probability of each class, a row for each example."""
        check_is_fitted(self)
        examples = self._examples(X, fitting=False)
        count = len(self.classes_)
        if self.only_ >= 0:
            return np.tile(np.eye(count)[self.only_], (len(examples), 1))
        found = self._answers(examples, self.queries_, proba=True)
        if count == 2 and found.shape[1] == 1:
            return np.column_stack([1.0 - found, found])
        if found.shape[1] != count:
            raise UsageError(
                f"the query has {found.shape[1]} numbers for {count} classes",
                help="one number for two classes, a vector with a number for each of more",
            )
        # One answer for each class: what a loss other than softmax learned need not add up.
        sums = found.sum(axis=1, keepdims=True)
        shares: NDArray[np.float64] = np.where(sums > 0, found / np.where(sums > 0, sums, 1.0), 1.0 / count)
        return shares

    def predict(self, X: Any) -> NDArray[Any]:
        """Returns the most probable class of each example."""
        places = self.predict_proba(X).argmax(axis=1)
        found: NDArray[Any] = self.classes_[places]
        return found


@_with_settings
class LRNNRegressor(RegressorMixin, _Estimator):  # type: ignore[misc]
    """A regressor of examples by a template whose weights are learned.

    `query` is asked of each example, a name without terms, or a tuple with terms; its value is one number. Rows of
    numbers are the value of the fact ``features``; without a template, `hidden` neurons and a linear part learn from
    them, numbers and targets scaled to mean 0 and deviation 1. All other parameters are settings of :func:`lrnn.fit`.
    """

    def __init__(
        self,
        template: Template | str | None = None,
        query: Atom | None = None,
        *,
        hidden: int = 8,
        random_state: Any = None,
        threads: int | None = None,
        callbacks: Callback | Iterable[Callback] | None = None,
        **settings: Any,
    ) -> None:
        self.template = template
        self.query = query
        self.hidden = hidden
        self.random_state = random_state
        self.threads = threads
        self.callbacks = callbacks
        self._store(settings)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> LRNNRegressor:
        """Learns from examples and their numbers; without numbers, from the targets of the data."""
        examples = self._examples(X, fitting=True)
        numbers = _targets(self, examples, y).astype(np.float64)
        if not np.isfinite(numbers).all():
            raise UsageError("a target is NaN or infinity: input y contains NaN, or infinity")
        weights = _weights(self, examples, sample_weight)
        examples, numbers, weights = _counting(examples, numbers, weights)
        self.relational_ = isinstance(examples, Dataset)
        template = self._template(examples, 1)
        asked = self._query(template, examples)
        self.queries_ = [asked]
        # Targets of a template that was given are as large as its rules say.
        scale = _Scale.of(numbers, weights) if self.template is None else _Scale(np.zeros(()), np.ones(()))
        self.target_mean_, self.target_deviation_ = (np.asarray(part) for part in scale)
        queries = [(number, *asked) for number in scale.apply(numbers).tolist()]
        self._learn(template, examples, queries, weights, "squared")
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Returns the number of each example."""
        check_is_fitted(self)
        found = self._answers(self._examples(X, fitting=False), self.queries_, proba=False)
        if found.shape[1] != 1:
            raise UsageError(f"the value of the query has {found.shape[1]} numbers: one was expected")
        return _Scale(self.target_mean_, self.target_deviation_).undo(found[:, 0])


class Smiles(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A step of a pipeline that reads molecules, one SMILES text each, as facts: see :func:`lrnn.chem.from_smiles`.

    >>> Smiles().fit_transform(["CCO", "c1ccccc1"])
    Dataset(2 examples, 40 facts, 0 queries)
    """

    def __init__(self, *, rings: bool = False) -> None:
        self.rings = rings

    def fit(self, X: Any, y: Any = None) -> Smiles:
        """Does nothing: there is nothing to learn."""
        return self

    def transform(self, X: Any) -> Dataset:
        """Returns the facts of the molecules."""
        texts = np.asarray(X, dtype=object)
        if texts.ndim == 2 and texts.shape[1] == 1:
            texts = texts[:, 0]
        if texts.ndim != 1:
            raise UsageError(f"molecules of shape {texts.shape}: a column of SMILES texts was expected")
        wrong = [row for row, text in enumerate(texts) if not isinstance(text, str)]
        if wrong:
            raise ContentError(f"molecule {wrong[0]} is {texts[wrong[0]]!r}, which is no SMILES text")
        return from_smiles(texts.tolist(), rings=self.rings)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = False
        tags.no_validation = True
        return tags


class Facts(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A step of a pipeline that makes facts of a table of examples and of the tables around it, by a mapping: see
    :meth:`lrnn.Dataset.from_tables`. What is given to it is the table that the mapping's ``:- example(table.column)``
    names, a row each; `tables` are the others, by name, and those that are not there come from where the mapping says.
    What the mapping learns (`scale`, `bins`) it learns from the rows that it is fitted with, and labels need not be
    there.
    """

    def __init__(self, mapping: str | os.PathLike[str], tables: Mapping[str, Any] | None = None) -> None:
        self.mapping = mapping
        self.tables = tables

    def _frames(self, X: Any) -> dict[str, Any]:
        name = example_table(self.mapping)
        if name is None:
            raise UsageError("the mapping does not say which table has the examples", help=":- example(table.column).")
        return {**(self.tables or {}), name: X}

    def fit(self, X: Any, y: Any = None) -> Facts:
        """Learns what the mapping asks for, and the kinds of columns."""
        _, self.mapping_ = read_tables(self.mapping, self._frames(X), labels=False)
        return self

    def transform(self, X: Any) -> Dataset:
        """Returns the facts of the examples."""
        check_is_fitted(self)
        data, _ = read_tables(self.mapping_, self._frames(X), labels=False)
        return data

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.no_validation = True
        return tags


@functools.lru_cache(maxsize=16)
def _model(packed: bytes) -> Model:
    """Returns the model in its bytes; those of the last estimators are kept."""
    return Model.from_bytes(packed)


def is_relational(X: Any) -> bool:
    """Returns whether examples are relational: data, or lists of facts. The first example with a fact tells."""
    if isinstance(X, Dataset):
        return True
    if not isinstance(X, (list, tuple)) and not (getattr(X, "ndim", 2) == 1 and getattr(X, "dtype", None) == object):
        return False
    lists = [one for one in X if isinstance(one, (list, tuple))]
    if len(lists) != len(X) or not lists:
        return False
    first = next((one for one in lists if len(one)), None)
    return first is None or isinstance(first[0], (str, tuple, list))


def _is_texts(X: Any) -> bool:
    """Returns whether examples are a column of texts."""
    values = getattr(X, "to_numpy", lambda: X)()
    one_dimension = isinstance(values, (list, tuple)) or getattr(values, "ndim", 0) == 1
    return one_dimension and len(values) > 0 and isinstance(values[0], str)


def _dataset(X: Any) -> Dataset:
    """Returns relational examples as data."""
    if isinstance(X, Dataset):
        data = X
    else:
        data = Dataset()
        for facts in X:
            data.add(facts)
    if len(data) == 0:
        raise UsageError("there are no examples: found array with 0 sample(s) while a minimum of 1 is required")
    return data


def _targets(estimator: Any, examples: Dataset | NDArray[np.float64], y: Any) -> NDArray[Any]:
    """Returns the targets, one for each example."""
    if y is None and isinstance(examples, Dataset) and all(len(own) == 1 for own in examples.queries):
        y = examples.y
    if y is None:
        raise UsageError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None",
            help="only data whose examples have one query each, with a target, needs no y",
        )
    labels: NDArray[Any] = column_or_1d(y, warn=True)
    check_consistent_length(examples, labels)
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise UsageError("a target is missing: input y contains NaN or infinity")
    return labels


def _weights(estimator: Any, examples: Dataset | NDArray[np.float64], given: Any) -> NDArray[np.float64]:
    """Returns the weights of the examples: those given, else those of the data."""
    if isinstance(examples, Dataset):
        own = examples.weights
        rows = np.zeros((len(examples), 1))
        return own if given is None else own * _check_sample_weight(given, rows, dtype=np.float64)
    weights: NDArray[np.float64] = _check_sample_weight(given, examples, dtype=np.float64)
    return weights


def _counting(
    examples: Dataset | NDArray[np.float64], targets: NDArray[Any], weights: NDArray[np.float64]
) -> tuple[Any, NDArray[Any], NDArray[np.float64]]:
    """Returns the examples that count, with their targets and weights."""
    if (weights < 0).any():
        raise UsageError("the weight of an example is a number from 0: negative weights cannot be learned from")
    chosen = np.flatnonzero(weights > 0)
    if len(chosen) == 0:
        raise UsageError("all weights of examples are 0, so there is nothing to learn from")
    return examples[chosen], targets[chosen], weights[chosen]


def _is_by_class(template: Template, asked: tuple[Any, ...]) -> bool:
    """Returns whether a template has the predicate asked for with one more term, the class."""
    name, arity = asked[0], len(asked) - 1
    return f"{name}/{arity}" not in template.predicates and f"{name}/{arity + 1}" in template.predicates


def _constant(label: Any) -> Any:
    """Returns a class as the constant of a fact."""
    value = label.item() if isinstance(label, np.generic) else label
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return str(value) if isinstance(value, bool) else value


def _seed(random_state: Any) -> int:
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
