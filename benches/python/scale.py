"""Measures learning with Ray: ``python benches/python/scale.py [--copies 20] [--workers 1 2 3] [--epochs 20]``.

Molecules of Mutagenesis, copied, the paper's template, all examples in a step. Prints the time of a step (the median over
epochs) in one process and with workers of Ray, the bytes that each step sends, and whether the model has the same bytes.

``--faults`` kills a worker, and then the driver, with ``kill -9`` after a random step, goes on, and compares the bytes of
the model. ``--crossval FOLDER [--template FILE]`` cross-validates data in one process and with Ray, and compares the files
of results.
``--chunks`` measures what a chunk costs the driver: a template with hardly any work, more and more chunks.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import lrnn

ROOT = Path(__file__).resolve().parents[2]
SETTINGS: dict[str, Any] = {"optimizer": "adam", "batch": 0, "seed": 1}
RESULTS = ("results.json", "results.csv", "predictions.csv", "model.safetensors")


def molecules(copies: int) -> tuple[lrnn.Template, lrnn.Dataset]:
    folder = lrnn.read_folder(ROOT / "datasets/mutagenesis")
    return folder.template, folder.dataset[np.tile(np.arange(len(folder.dataset)), copies)]


def digest(model: lrnn.Model) -> str:
    return hashlib.sha256(model.to_bytes()).hexdigest()


def learn(template: Any, data: lrnn.Dataset, epochs: int, **where: Any) -> tuple[float, float, str]:
    """Returns the seconds until the first epoch ended, the median of the others, and what the model is."""
    times: list[float] = []
    start = time.perf_counter()

    def note(_: dict[str, Any]) -> None:
        times.append(time.perf_counter())

    run = lrnn.fit(template, data, callbacks=note, progress=False, epochs=epochs, evaluate=epochs, **SETTINGS, **where)
    steps = [later - earlier for earlier, later in zip(times, times[1:-1])]
    return times[0] - start, statistics.median(steps), digest(run.model)


def steps(copies: int, epochs: int, workers: list[int]) -> None:
    template, data = molecules(copies)
    chunks = -(-len(data) // 64)
    print(f"{len(data)} molecules in {chunks} chunks")
    begin, step, alone = learn(template, data, epochs, threads=1)
    model = lrnn.fit(template, data[:188], epochs=0, optimizer="adam", progress=False).model
    numbers = sum(np.size(value) for value in model.weights.values())
    print(f"{numbers} weights: a step sends at most {4 * numbers / 1e3:.1f} kB to each worker and "
          f"{chunks * (4 * numbers + 32) / 1e3:.1f} kB back")
    print(f"{'where':22} {'first step (s)':>14} {'step (ms)':>10} {'same bytes':>11}")
    print(f"{'one process, 1 thread':22} {begin:14.2f} {1e3 * step:10.2f} {'-':>11}", flush=True)
    for count in workers:
        begin, step, apart = learn(template, data, epochs, on=lrnn.Ray(workers=count))
        name = f"Ray, {count} worker{'' if count == 1 else 's'}"
        print(f"{name:22} {begin:14.2f} {1e3 * step:10.2f} {'yes' if apart == alone else 'NO':>11}", flush=True)


def chunks(epochs: int) -> None:
    """Prints the time of a step for more and more chunks that have hardly any work."""
    template = "w[T] :: l(X) :- element(X, T).\nu :: toxic :- l(X)."
    print(f"{'chunks':>7} {'one process (ms)':>17} {'Ray, 2 workers (ms)':>20} {'same bytes':>11}")
    for count in (10, 100, 1000):
        data = lrnn.Dataset()
        for number in range(64 * count):
            data.add([("element", "a", f"e{number % 500}")], query=(float(number % 3 == 0), "toxic"))
        _, alone, one = learn(template, data, epochs, threads=1)
        _, apart, two = learn(template, data, epochs, on=lrnn.Ray(workers=2))
        print(f"{count:7} {1e3 * alone:17.2f} {1e3 * apart:20.2f} {'yes' if one == two else 'NO':>11}", flush=True)


def faults(copies: int, epochs: int) -> None:
    """Kills workers and drivers after random steps."""
    template, data = molecules(copies)
    settings: dict[str, Any] = {**SETTINGS, "epochs": epochs, "evaluate": 1, "progress": False}
    alone = digest(lrnn.fit(template, data, **settings).model)
    where, at = lrnn.Ray(workers=3), random.randrange(1, epochs - 1)
    killed: list[int] = []

    def kill(epoch: dict[str, Any]) -> None:
        if epoch["epoch"] == at:
            killed.append(random.choice(list(where.pids.values())))
            os.kill(killed[0], signal.SIGKILL)

    start = time.perf_counter()
    apart = digest(lrnn.fit(template, data, on=where, callbacks=kill, **settings).model)
    print(f"worker {killed[0]} of 3 killed after step {at} of {epochs}: "
          f"{'the same bytes' if apart == alone else 'OTHER BYTES'}, {time.perf_counter() - start:.1f} s", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        out, at = Path(folder) / "run", random.randrange(2, epochs // 2)
        # In a session of its own, so that nothing of it stays.
        driver = subprocess.Popen([sys.executable, __file__, "--drive", str(out), "--copies", str(copies),
                                   "--epochs", str(epochs)], start_new_session=True)
        history = out / "history.jsonl"
        while driver.poll() is None and (not history.exists() or len(history.read_bytes().splitlines()) < at):
            time.sleep(0.01)
        assert driver.poll() is None, "it ended before it could be killed"
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
        seen = len(history.read_bytes().splitlines())
        resumed = digest(lrnn.resume(out, on=lrnn.Ray(workers=2)).model)
    print(f"driver killed after {seen} of {epochs} epochs in its history, resumed with 2 workers: "
          f"{'the same bytes' if resumed == alone else 'OTHER BYTES'}", flush=True)


def drive(out: str, copies: int, epochs: int) -> None:
    template, data = molecules(copies)
    lrnn.fit(template, data, on=lrnn.Ray(workers=2), out=out, epochs=epochs, evaluate=1, progress=False, **SETTINGS)


def crossval(data: Path, template: Path, epochs: int, workers: list[int]) -> None:
    """Cross-validates in one process and with Ray."""
    settings: dict[str, Any] = {"optimizer": "adam", "epochs": epochs, "seed": 1, "progress": False, "threads": 1}
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        here = lrnn.crossval(template, data, out=f"{folder}/0", **settings)
        print(f"{data.name}: one process {time.perf_counter() - start:.1f} s\n{here}", flush=True)
        for count in workers:
            start = time.perf_counter()
            lrnn.crossval(template, data, out=f"{folder}/{count}", on=lrnn.Ray(workers=count), **settings)
            seconds = time.perf_counter() - start
            same = [Path(folder, str(count), name).read_bytes() == Path(folder, "0", name).read_bytes() for name in RESULTS]
            print(f"{data.name}: Ray, {count} workers {seconds:.1f} s, "
                  f"{'the same files' if all(same) else 'OTHER FILES'}", flush=True)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--copies", type=int, default=20)
    words.add_argument("--epochs", type=int, default=20)
    words.add_argument("--workers", type=int, nargs="+", default=[1, 2, 3])
    words.add_argument("--faults", action="store_true")
    words.add_argument("--chunks", action="store_true")
    words.add_argument("--crossval", type=Path, metavar="FOLDER")
    words.add_argument("--template", type=Path, default=ROOT / "datasets/mutagenesis/vectors.lrnn")
    words.add_argument("--drive", help=argparse.SUPPRESS)
    asked = words.parse_args()
    if asked.drive:
        drive(asked.drive, asked.copies, asked.epochs)
    elif asked.faults:
        faults(asked.copies, asked.epochs)
    elif asked.chunks:
        chunks(asked.epochs)
    elif asked.crossval:
        crossval(asked.crossval, asked.template, asked.epochs, asked.workers)
    else:
        steps(asked.copies, asked.epochs, asked.workers)


if __name__ == "__main__":
    main()
