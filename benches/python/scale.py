"""Measures learning with Ray: ``python benches/python/scale.py [--copies 20] [--workers 1 2 3] [--epochs 20]``.

Molecules of Mutagenesis, copied, the paper's template, all examples in a step. Prints the time of a step (the median over
epochs) in one process and with workers of Ray, the bytes that each step sends, and whether the model has the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

import lrnn

ROOT = Path(__file__).resolve().parents[2]


def learn(template: lrnn.Template, data: lrnn.Dataset, epochs: int, **where: Any) -> tuple[float, float, str]:
    """Returns the seconds until the first epoch ended, the median of the others, and what the model is."""
    times: list[float] = []
    start = time.perf_counter()

    def note(_: dict[str, Any]) -> None:
        times.append(time.perf_counter())

    settings = {"optimizer": "adam", "batch": 0, "epochs": epochs, "evaluate": epochs, "seed": 1}
    run = lrnn.fit(template, data, callbacks=note, progress=False, **settings, **where)
    steps = [later - earlier for earlier, later in zip(times, times[1:-1])]
    return times[0] - start, statistics.median(steps), hashlib.sha256(run.model.to_bytes()).hexdigest()


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--copies", type=int, default=20)
    words.add_argument("--epochs", type=int, default=20)
    words.add_argument("--workers", type=int, nargs="+", default=[1, 2, 3])
    asked = words.parse_args()
    folder = lrnn.read_folder(ROOT / "datasets/mutagenesis")
    rows = np.tile(np.arange(len(folder.dataset)), asked.copies)
    data = folder.dataset[rows]
    chunks = -(-len(rows) // 64)
    print(f"{len(rows)} molecules in {chunks} chunks")
    begin, step, alone = learn(folder.template, data, asked.epochs, threads=1)
    numbers = sum(np.size(value) for value in lrnn.fit(
        folder.template, folder.dataset, epochs=0, optimizer="adam", progress=False).model.weights.values())
    print(f"{numbers} weights: a step sends at most {4 * numbers / 1e3:.1f} kB to each worker and "
          f"{chunks * (4 * numbers + 32) / 1e3:.1f} kB back")
    print(f"{'where':22} {'first step (s)':>14} {'step (ms)':>10} {'same bytes':>11}")
    print(f"{'one process, 1 thread':22} {begin:14.2f} {1e3 * step:10.2f} {'-':>11}")
    for workers in asked.workers:
        begin, step, apart = learn(folder.template, data, asked.epochs, on=lrnn.Ray(workers=workers))
        name = f"Ray, {workers} worker{'' if workers == 1 else 's'}"
        print(f"{name:22} {begin:14.2f} {1e3 * step:10.2f} {'yes' if apart == alone else 'NO':>11}")


if __name__ == "__main__":
    main()
