"""Long lives, other processes, threads and signals: no leak, no hang, the same bits.

What memory is taken is measured first, before there are others that take and give back."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from typing import Any

import pytest
from conftest import TOXIC, toxic_data

import lrnn


def resident() -> int:
    """Returns the memory of this process in kilobytes."""
    gc.collect()
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def grown(what: str, work: Any, times: int) -> int:
    """Does work again and again, prints the memory before and after, and returns how much it grew, in kilobytes: the least
    of three rounds, since what leaks does so in each, and what other tests left behind may take memory in one."""
    for _ in range(max(times // 10, 5)):
        work()
    rounds = []
    for _ in range(3):
        before = resident()
        for _ in range(times):
            work()
        after = resident()
        print(f"{what}: {times} times, {before} kB before, {after} kB after")
        rounds.append(after - before)
    return min(rounds)


def test_many_predictions_take_no_memory() -> None:
    predictor = lrnn.fit("w[T] :: toxic :- element(A, T).", toxic_data(), epochs=5).model.predictor()
    facts = [("element", 1, "cl")]
    expected = predictor.predict_one(facts).value
    wrong: list[float] = []

    def ask() -> None:
        value = predictor.predict_one(facts).value
        if value != expected:
            wrong.append(value)

    assert grown("predict_one", ask, 30_000) < 1024 and wrong == []


def test_what_fails_takes_no_memory(template: lrnn.Template, data: lrnn.Dataset, model: lrnn.Model) -> None:
    predictor = model.predictor()

    def fail(epoch: dict[str, Any]) -> None:
        raise RuntimeError("enough")

    def callback() -> None:
        with pytest.raises(RuntimeError, match="enough"):
            lrnn.fit(template, data, optimizer="adam", epochs=100, callbacks=fail)

    def request() -> None:
        with pytest.raises(lrnn.ContentError):
            predictor.predict_one([("atom", None)])

    assert grown("an exception in a callback", callback, 70) < 2048
    assert grown("a request that is refused", request, 2000) < 2048


def test_learning_again_and_again_takes_no_memory() -> None:
    def learn() -> None:
        run = lrnn.fit(TOXIC, toxic_data(), optimizer="adam", epochs=3)
        run.model.predict(toxic_data())

    assert grown("fit and predict", learn, 70) < 2048


def learned(seed: int) -> bytes:
    """Returns the bytes of a model, for other processes."""
    return lrnn.fit(TOXIC, toxic_data(), epochs=5, seed=seed, restarts=2, threads=2).model.to_bytes()


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_other_processes_learn_the_same(method: str) -> None:
    expected = [learned(0), learned(1)]
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(learned, [0, 1])) == expected


def test_joblib_with_two_processes_learns_the_same() -> None:
    joblib = pytest.importorskip("joblib", reason="no joblib: it is NOT tested")
    expected = [learned(seed) for seed in range(4)]
    for backend in ("loky", "multiprocessing", "threading"):
        parallel = joblib.Parallel(n_jobs=2, backend=backend)
        assert parallel(joblib.delayed(learned)(seed) for seed in range(4)) == expected, backend


def test_threads_learn_the_same() -> None:
    expected = [learned(seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(learned, range(4))) == expected


def ask_and_learn(predictor: lrnn.Predictor, facts: Any, queue: SimpleQueue[Any]) -> None:
    queue.put((predictor.predict_one(facts).value, learned(3)))


def test_a_process_forks_while_threads_learn(model: lrnn.Model, data: lrnn.Dataset) -> None:
    """The child has the predictor of its parent, and learns, although threads of the parent were at work."""
    predictor, facts = model.predictor(), data.facts(1)
    expected = (predictor.predict_one(facts).value, learned(3))
    over = threading.Event()

    def work() -> None:
        while not over.is_set():
            learned(1)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    context = multiprocessing.get_context("fork")
    try:
        for _ in range(5):
            queue = context.SimpleQueue()
            child = context.Process(target=ask_and_learn, args=(predictor, facts, queue))
            child.start()
            child.join(60)
            assert child.exitcode == 0 and queue.get() == expected
    finally:
        over.set()
        for thread in threads:
            thread.join()


def test_many_threads_ask_one_predictor(model: lrnn.Model, data: lrnn.Dataset) -> None:
    predictor, expected = model.predictor(), model.predict(data).values.tolist()

    def ask(number: int) -> Any:
        return predictor.predict_one(data.facts(number % 8)).value

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(800))) == expected * 100


def interrupted(work: Any, seconds: float) -> float:
    """Does work, which Ctrl-C must end, and returns the seconds from the signal to the end."""
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, press)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        work()
        time.sleep(30)  # a signal that came late
    ended = time.monotonic()
    timer.join()
    return ended - pressed[0]


@pytest.mark.parametrize("kind", ["text", "file", "tables"])
def test_ctrl_c_ends_reading(kind: str, tmp_path: Path) -> None:
    count = 1_000_000
    text = "".join(f"edge(a{number % 1000}, b{number}).\n" for number in range(count))
    if kind == "file":
        (tmp_path / "facts.txt").write_text(text, encoding="utf-8")
    column = [str(number) for number in range(count)]
    work = {
        "text": lambda: lrnn.Dataset.parse(text, one=True),
        "file": lambda: lrnn.Dataset.read(tmp_path / "facts.txt"),
        "tables": lambda: lrnn.Dataset.from_tables("edge(A, B) <- edge(a: A, b: B).", {"edge": {"a": column, "b": column}}),
    }[kind]
    waited = interrupted(work, 0.15)
    assert waited < 20
    # The next call works, although the reading that nobody waits for may go on.
    assert len(lrnn.Dataset.parse("edge(a, b).", one=True)) == 1
