"""Lifted relational neural networks: weighted first-order rules that unfold into a neural network with each example,
and learn.

>>> import lrnn
>>> template = lrnn.Template("w[T] :: toxic :- element(A, T).")
>>> data = lrnn.Dataset(template)
>>> data.add([("element", "a1", "c")], query=(0.0, "toxic"), name="ethane")
>>> data.add([("element", "a1", "cl")], query=(1.0, "toxic"), name="phosgene")
>>> model = lrnn.fit(template, data, epochs=50).model
>>> answer = model.predictor().predict_one([("element", "x", "cl"), ("element", "y", "c")])
>>> answer.query, answer.class_
('toxic', 1)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lrnn import chem, tables
from lrnn._errors import (
    ContentError,
    Diagnostic,
    Error,
    FileError,
    LimitError,
    NumbersError,
    StoppedError,
    UsageError,
)
from lrnn._lrnn import VERSION as __version__
from lrnn._lrnn import Answer
from lrnn.atoms import Atoms, GroundCounts, JoinPlan, ground, join_plan, query
from lrnn.completion import Completion, complete
from lrnn.dataset import Columns, Dataset, Values
from lrnn.folder import Folder, read_folder
from lrnn.induction import Induction, InductionScores, induce, infer_bias
from lrnn.lab import CrossvalRun, ExperimentRun, Spread, crossval, experiment
from lrnn.model import Model, Predictor, Sql, Weights, load, sql
from lrnn.results import (
    Concepts,
    Explanation,
    Explanations,
    Patterns,
    Picture,
    Predictions,
    Report,
    Scores,
    Substructures,
)
from lrnn.template import Template, check
from lrnn.training import SETTINGS, History, Run, Setting, Split, fit, resume

if TYPE_CHECKING:
    from lrnn.ray import Ray as Ray
    from lrnn.sklearn import Facts as Facts
    from lrnn.sklearn import LRNNClassifier as LRNNClassifier
    from lrnn.sklearn import LRNNRegressor as LRNNRegressor
    from lrnn.sklearn import Smiles as Smiles

_OF_SKLEARN = ("Facts", "LRNNClassifier", "LRNNRegressor", "Smiles")

__all__ = [
    "SETTINGS",
    "Answer",
    "Atoms",
    "Columns",
    "Completion",
    "Concepts",
    "ContentError",
    "CrossvalRun",
    "Dataset",
    "Diagnostic",
    "Error",
    "ExperimentRun",
    "Explanation",
    "Explanations",
    "FileError",
    "Folder",
    "GroundCounts",
    "History",
    "Induction",
    "InductionScores",
    "JoinPlan",
    "LimitError",
    "Model",
    "NumbersError",
    "Patterns",
    "Picture",
    "Predictions",
    "Predictor",
    "Report",
    "Run",
    "Scores",
    "Setting",
    "Split",
    "Spread",
    "Sql",
    "StoppedError",
    "Substructures",
    "Template",
    "UsageError",
    "Values",
    "Weights",
    "__version__",
    "check",
    "chem",
    "complete",
    "crossval",
    "experiment",
    "fit",
    "ground",
    "induce",
    "infer_bias",
    "join_plan",
    "load",
    "query",
    "read_folder",
    "resume",
    "sql",
    "tables",
]


def __getattr__(name: str) -> Any:
    """Returns what needs scikit-learn, torch or Ray, which are imported only then."""
    if name == "torch":
        return import_module("lrnn.torch")
    if name == "Ray":
        return import_module("lrnn.ray").Ray
    if name not in _OF_SKLEARN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from lrnn import sklearn

    return getattr(sklearn, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_OF_SKLEARN})
