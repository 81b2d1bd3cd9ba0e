"""Times a newcomer: ``python benches/python/newcomer.py WHEEL``, or ``.`` for this folder, or a source distribution.

Makes a fresh virtual environment in a temporary folder, installs the package there, and goes from nothing to a first
model, to a report from SMILES and to one from a SQLite database, as the documents say. Prints the seconds of each step.
"""

from __future__ import annotations

import csv
import gzip
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Clock:
    """The time since the last step."""

    def __init__(self) -> None:
        self._start = time.perf_counter()

    def step(self, what: str) -> None:
        """Prints what was done, and how long it took."""
        now = time.perf_counter()
        print(f"{what}: {now - self._start:.1f} s", flush=True)
        self._start = time.perf_counter()


def install(what: str, folder: Path) -> None:
    """Installs the package in an environment of its own, and goes on there."""
    clock = Clock()
    venv.create(folder / "venv", with_pip=True)
    clock.step("a virtual environment")
    python = folder / "venv/bin/python"
    words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", os.path.abspath(what)]
    subprocess.run([python, *words], check=True)
    clock.step("pip install")
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([python, os.path.abspath(__file__), "--inside"], check=True, cwd=folder, env=own)


def database(path: str) -> None:
    """Puts the tables of the shop into a database."""
    with sqlite3.connect(path) as con:
        for file in (ROOT / "datasets/shop/tables").glob("*.csv.gz"):
            with gzip.open(file, "rt", encoding="utf-8") as lines:
                head, *rows = csv.reader(lines)
            name = file.name.split(".")[0]
            con.execute(f"create table {name} ({', '.join(head)})")
            values = ([cell or None for cell in row] for row in rows)
            con.executemany(f"insert into {name} values ({', '.join('?' * len(head))})", values)


def inside() -> None:
    """Goes from nothing to reports."""
    clock = Clock()
    import lrnn

    data = lrnn.Dataset()
    data.add([("element", "a1", "c")], query=(0.0, "toxic"), name="ethane")
    data.add([("element", "a1", "cl")], query=(1.0, "toxic"), name="phosgene")
    lrnn.fit("w[T] :: toxic :- element(A, T).", data, epochs=50).report().save("toxic.html")
    clock.step("import, a first model and its report")
    found = lrnn.chem.read(ROOT / "datasets/amines.csv", smiles="smiles", target="amine")
    run = lrnn.fit(found.template, found.dataset, **found.settings, test=0.2, seed=1)
    run.report().save("amines.html")
    clock.step(f"a report from SMILES, {100 * run.scores['test']['accuracy']:.1f} % of the test right")
    database("shop.sqlite")
    clock = Clock()
    first = lrnn.tables.infer("shop.sqlite", target="customer.churned")
    run = lrnn.fit(first.template, lrnn.Dataset.from_tables(first.mapping), epochs=30, test=0.2)
    run.report().save("churn.html")
    clock.step(f"a report from SQLite, {100 * run.scores['test']['accuracy']:.1f} % of the test right")


if __name__ == "__main__":
    if sys.argv[1:] == ["--inside"]:
        inside()
    elif len(sys.argv) == 2:
        with tempfile.TemporaryDirectory(prefix="lrnn-newcomer-") as temporary:
            install(sys.argv[1], Path(temporary))
    else:
        sys.exit(__doc__)
