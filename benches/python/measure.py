"""Measures the Python package: ``python benches/python/measure.py``, where it is installed.

Prints processor time of a million facts from columns, of tuples and of text; of one request beside that of the
engine alone; and of importing the package beside numpy. Each is the least of several runs.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import lrnn


def least(work: Callable[[], Any], times: int = 7) -> float:
    """Returns the least processor time of some runs, in seconds."""
    found = []
    for _ in range(times):
        start = time.process_time()
        kept = work()
        found.append(time.process_time() - start)
        del kept
    return min(found)


def facts(count: int = 1_000_000) -> None:
    """Measures data of so many facts."""
    numbers = np.random.default_rng(0)
    heads, tails = numbers.integers(0, 100_000, count), numbers.integers(0, 100_000, count)
    print(f"{count} facts from numpy columns: {1e3 * least(lambda: columns(heads, tails)):.0f} ms")
    ordered = np.arange(count)
    print(f"{count} facts in order, all new: {1e3 * least(lambda: columns(ordered, ordered)):.0f} ms")
    tuples = [("edge", head, tail) for head, tail in zip(heads.tolist(), tails.tolist())]
    print(f"{count} facts from tuples: {1e3 * least(lambda: lrnn.Dataset().add(tuples), 3):.0f} ms")
    text = "".join(f"edge({head}, {tail}).\n" for _, head, tail in tuples)
    print(f"{count} facts from text: {1e3 * least(lambda: lrnn.Dataset.parse(text, one=True), 3):.0f} ms")


def columns(heads: Any, tails: Any) -> lrnn.Dataset:
    """Returns the facts of two columns."""
    return lrnn.Dataset.from_columns({"edge": [heads, tails]})


def requests(count: int = 20_000) -> None:
    """Measures requests of growing size: what does not grow with the facts is the overhead of a call."""
    template = lrnn.Template("w[T] :: toxic :- element(A, T).")
    data = lrnn.Dataset(template)
    data.add([("element", 1, "c")], query=(0.0, "toxic"))
    data.add([("element", 1, "cl")], query=(1.0, "toxic"))
    predictor = lrnn.fit(template, data, epochs=10).model.predictor()
    for size in (1, 10, 100):
        example = [("element", number, "c") for number in range(size)]

        def ask(example: list[Any] = example) -> None:
            for _ in range(count // size):
                predictor.predict_one(example)

        print(f"predict_one of {size} facts: {1e6 * least(ask, 5) / (count // size):.1f} µs")


def imports() -> None:
    """Measures what importing the package adds to importing numpy."""

    def seconds(names: str) -> float:
        code = f"import time, numpy; start = time.process_time(); import {names}; print(time.process_time() - start)"
        done = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True) for _ in range(7)]
        return min(float(one.stdout) for one in done)

    print(f"import lrnn: {1e3 * seconds('lrnn'):.1f} ms beyond numpy")


if __name__ == "__main__":
    imports()
    requests()
    facts()
