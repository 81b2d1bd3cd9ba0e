"""Measures the Python package: ``python benches/python/measure.py [WHEEL]``, where it is installed.

Prints processor time of a million facts from columns of every kind, of tuples and of text; of one request beside that of
the engine alone; and of importing the package beside numpy; the memory before and after a million predictions; what
rules over an encoder of torch learn of digits; and the size of the wheel, that of ``target/wheels`` if none is named. Each time is the least of several runs.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
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
    shown("numpy columns", count, lambda: columns([heads, tails]))
    ordered = np.arange(count)
    shown("numpy columns in order, all new", count, lambda: columns([ordered, ordered]))
    for name, table in tables(heads, tails):
        shown(name, count, lambda table=table: columns(table))
    tuples = [("edge", head, tail) for head, tail in zip(heads.tolist(), tails.tolist())]
    shown("tuples", count, lambda: lrnn.Dataset().add(tuples), 3)
    text = "".join(f"edge({head}, {tail}).\n" for _, head, tail in tuples)
    shown("text", count, lambda: lrnn.Dataset.parse(text, one=True), 3)


def tables(heads: Any, tails: Any) -> Iterator[tuple[str, Any]]:
    """Goes through the same columns as tables of every library that is there, whole numbers and texts."""
    both = {"head": heads, "tail": tails}
    names = {name: [f"n{number}" for number in numbers.tolist()] for name, numbers in both.items()}
    for kind, given in (("numbers", both), ("texts", names)):
        if importlib.util.find_spec("pyarrow"):
            import pyarrow

            arrow = pyarrow.table(given)
            yield f"a table of pyarrow, {kind}", arrow
            if importlib.util.find_spec("duckdb"):
                import duckdb

                con = duckdb.connect()
                con.execute("create table edge as select * from arrow")
                yield f"a relation of DuckDB, {kind}", con.table("edge")
        if importlib.util.find_spec("pandas"):
            import pandas

            yield f"a frame of pandas, {kind}", pandas.DataFrame(given)
        if importlib.util.find_spec("polars"):
            import polars

            yield f"a frame of polars, {kind}", polars.DataFrame(given)


def shown(what: str, count: int, work: Callable[[], Any], times: int = 7) -> None:
    """Prints the processor time of some work."""
    print(f"{count} facts from {what}: {1e3 * least(work, times):.0f} ms", flush=True)


def columns(given: Any) -> lrnn.Dataset:
    """Returns the facts of two columns."""
    return lrnn.Dataset.from_columns({"edge": given})


def requests(count: int = 20_000) -> None:
    """Measures requests of growing size: what does not grow with the facts is the overhead of a call."""
    template = lrnn.Template("w[T] :: toxic :- element(A, T).")
    data = lrnn.Dataset(template)
    data.add([("element", 1, "c")], query=(0.0, "toxic"))
    data.add([("element", 1, "cl")], query=(1.0, "toxic"))
    predictor = lrnn.fit(template, data, epochs=10).model.predictor()
    for size in (1, 10, 100):
        example: list[Any] = [("element", number, "c") for number in range(size)]

        def ask(example: list[Any] = example) -> None:
            for _ in range(count // size):
                predictor.predict_one(example)

        whole = 1e6 * least(ask, 9) / (count // size)
        alone = 1e6 * least(lambda: predictor._inner.repeat(example, count // size), 9) / (count // size)
        print(f"predict_one of {size} facts: {whole:.1f} µs, the engine alone {alone:.1f} µs: {whole - alone:.1f} µs more")
    memory(predictor)


def memory(predictor: lrnn.Predictor, count: int = 1_000_000) -> None:
    """Measures the memory of the process before and after so many predictions."""
    example = [("element", 1, "c"), ("element", 2, "cl")]
    expected = predictor.predict_one(example).value
    before = resident()
    same = all(predictor.predict_one(example).value == expected for _ in range(count))
    print(f"{count} predictions, {'all the same' if same else 'NOT THE SAME'}: {before} kB before, {resident()} kB after")


def resident() -> int:
    """Returns the memory of this process in kilobytes, or 0 where that is not known."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS")), 0)


def wheel(named: list[str]) -> None:
    """Prints the size of a wheel."""
    found = [Path(it) for it in named] or sorted(Path("target/wheels").glob("*.whl"))
    for path in found:
        print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")
    if not found:
        print("no wheel in target/wheels: its size is NOT measured")


def imports() -> None:
    """Measures what importing the package adds to importing numpy."""

    def seconds(names: str) -> float:
        code = f"import time, numpy; start = time.process_time(); import {names}; print(time.process_time() - start)"
        done = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True) for _ in range(7)]
        return min(float(one.stdout) for one in done)

    print(f"import lrnn: {1e3 * seconds('lrnn'):.1f} ms beyond numpy")


def digits() -> None:
    """Measures the example of docs/python-torch.md as it is written, where torch and scikit-learn are there."""
    if not (importlib.util.find_spec("torch") and importlib.util.find_spec("sklearn")):
        return print("no torch or no scikit-learn: the digits are NOT measured")
    import torch

    page = (Path(__file__).parents[2] / "docs/python-torch.md").read_text(encoding="utf-8")
    block = next(it for it in page.split("```python\n") if "load_digits" in it).split("```")[0]
    names: dict[str, Any] = {"lrnn": lrnn, "torch": torch}
    import sklearn.datasets  # noqa: F401

    wall, processor = time.perf_counter(), time.process_time()
    exec(compile(block, "python-torch.md", "exec"), names)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    print(f"digits: {100 * names['right']:.1f} % right in {wall:.1f} s, {processor:.1f} s of processor time")


if __name__ == "__main__":
    wheel(sys.argv[1:])
    imports()
    requests()
    facts()
    digits()
