"""Learning with Ray: the bytes of one process, whoever is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import lrnn

ray = pytest.importorskip("ray", reason="no Ray: lrnn.Ray is NOT tested")

from lrnn.ray import LOOPBACK  # noqa: E402

TEMPLATE = "w[T] :: l(X) :- element(X, T).\nu :: toxic :- l(X), *bond(X, Y), l(Y)."
SETTINGS: dict[str, Any] = {"optimizer": "adam", "batch": 0, "epochs": 12, "evaluate": 4, "seed": 3}


def molecules(count: int = 300) -> lrnn.Dataset:
    data = lrnn.Dataset()
    for number in range(count):
        atoms = range(1 + number % 4)
        facts: list[Any] = [("element", atom, f"e{(number // 40 + atom * number) % 11}") for atom in atoms]
        facts += [("bond", atom, (atom + 1) % len(atoms)) for atom in atoms]
        data.add(facts, query=(float(number % 3 == 0), "toxic"))
    return data


@pytest.fixture(scope="module")
def alone() -> bytes:
    return lrnn.fit(TEMPLATE, molecules(), **SETTINGS).model.to_bytes()


@pytest.fixture(autouse=True, scope="module")
def cluster() -> Any:
    """One cluster for all tests, as starting takes seconds: a token, the loopback device, no dashboard."""
    for attempt in range(3):
        try:
            assert lrnn.Ray(workers=3)._connect()
            break
        except Exception as error:
            # Ray gives itself half a minute, which a busy machine may exceed.
            if attempt == 2 or "timed out during startup" not in str(error):
                raise
            ray.shutdown()
    yield
    ray.shutdown()


def test_it_asks_for_a_token_and_listens_on_the_loopback_device() -> None:
    assert os.environ["RAY_AUTH_MODE"] == "token"
    assert [node["NodeManagerAddress"] for node in ray.nodes()] == [LOOPBACK]
    assert LOOPBACK.startswith("127.") and ray.get_runtime_context().gcs_address.startswith("127.")
    stranger = subprocess.run(
        [sys.executable, "-c", "import ray, sys; ray.init(address=sys.argv[1], logging_level='ERROR')",
         ray.get_runtime_context().gcs_address],
        env={**os.environ, "RAY_AUTH_TOKEN": "0" * 64}, capture_output=True, text=True,
    )
    assert stranger.returncode != 0
    assert "uth" in stranger.stderr, stranger.stderr


@pytest.mark.parametrize("workers", [1, 2, 3, (1, 3)])
def test_any_number_of_workers_learns_the_same_bytes(workers: Any, alone: bytes) -> None:
    run = lrnn.fit(TEMPLATE, molecules(), on=lrnn.Ray(workers=workers), **SETTINGS)
    assert run.model.to_bytes() == alone
    assert run.epochs == [12] and len(run.history) == 3


def test_a_worker_that_is_killed_changes_nothing(alone: bytes) -> None:
    where = lrnn.Ray(workers=2)
    killed = []

    def kill(epoch: dict[str, Any]) -> None:
        if epoch["epoch"] in (3, 7):
            victim = where.pids[epoch["epoch"] % 2]
            killed.append(victim)
            os.kill(victim, signal.SIGKILL)

    run = lrnn.fit(TEMPLATE, molecules(), on=where, callbacks=kill, **SETTINGS)
    assert len(killed) == 2
    assert run.model.to_bytes() == alone


def test_settings_that_need_all_examples_learn_the_same_bytes() -> None:
    settings = {**SETTINGS, "optimizer": "lbfgs", "class_balance": True, "validation": 0.2, "test": 0.1, "patience": 3}
    here = lrnn.fit(TEMPLATE, molecules(), **settings)
    there = lrnn.fit(TEMPLATE, molecules(), on=lrnn.Ray(workers=2), **settings)
    assert there.model.to_bytes() == here.model.to_bytes()
    assert repr(there.scores) == repr(here.scores) and there.notes == here.notes
    other = lrnn.fit(TEMPLATE, molecules(100), validation_data=molecules(70), **SETTINGS)
    away = lrnn.fit(TEMPLATE, molecules(100), validation_data=molecules(70), on=lrnn.Ray(workers=2), **SETTINGS)
    assert away.model.to_bytes() == other.model.to_bytes()


def test_a_driver_that_is_killed_goes_on(tmp_path: Path) -> None:
    settings = {**SETTINGS, "epochs": 400}
    expected = lrnn.fit(TEMPLATE, molecules(), **settings).model.to_bytes()
    out = tmp_path / "run"
    script = (
        "import sys; sys.path.insert(0, sys.argv[2])\n"
        "from test_ray import *\n"
        f"lrnn.fit(TEMPLATE, molecules(), on=lrnn.Ray(workers=2), out=sys.argv[1], **{settings!r})\n"
    )
    # A cluster of its own, which ends with it.
    own = {name: text for name, text in os.environ.items() if not name.startswith("RAY_")}
    driver = subprocess.Popen([sys.executable, "-c", script, str(out), str(Path(__file__).parent)], env=own)
    try:
        end = time.monotonic() + 120
        while not any(out.glob("*")) or not _epochs(out):
            assert driver.poll() is None and time.monotonic() < end, "it ended before it could be killed"
            time.sleep(0.05)
    finally:
        driver.kill()
        driver.wait()
    assert not (out / "model.safetensors").exists()
    run = lrnn.resume(out, on=lrnn.Ray(workers=1))
    assert run.model.to_bytes() == expected


def _epochs(out: Path) -> bool:
    history = out / "history.jsonl"
    return history.exists() and history.stat().st_size > 0


def test_what_goes_wrong_there_is_said_here() -> None:
    with pytest.raises(lrnn.LimitError, match="ground rules"):
        lrnn.fit(TEMPLATE, molecules(), max_ground_rules=1, on=lrnn.Ray(workers=2), **SETTINGS)
    with pytest.raises(lrnn.UsageError, match="at least one"):
        lrnn.Ray(workers=0)
    with pytest.raises(lrnn.UsageError, match="needs folder="):
        lrnn.Ray(address="ray://somewhere")


def test_data_of_another_run_is_refused(tmp_path: Path) -> None:
    where = lrnn.Ray(workers=1, folder=tmp_path)
    data = molecules(80)
    lrnn.fit(TEMPLATE, data, on=where, **SETTINGS)
    (kept,) = tmp_path.glob("data-*.parcel")
    kept.write_bytes(molecules(81).__reduce__()[1][0])
    with pytest.raises(lrnn.FileError, match="is not the data of this run"):
        lrnn.fit(TEMPLATE, data, on=where, **SETTINGS)


def test_the_command_learns_the_same_bytes_with_workers(tmp_path: Path) -> None:
    molecules(90).write(tmp_path / "data")
    (tmp_path / "t.lrnn").write_text(TEMPLATE)
    # A cluster of its own, which ends with it.
    own = {name: text for name, text in os.environ.items() if not name.startswith("RAY_")}
    words = ["--optimizer", "adam", "--epochs", "6", "--seed", "3"]
    (tmp_path / "e.toml").write_text(
        'folds = 3\n[[dataset]]\npath = "data"\n'
        + "".join(
            f'[[method]]\nname = "{name}"\ntemplate = "t.lrnn"\n'
            f'[method.learning]\noptimizer = "adam"\nepochs = {epochs}\n'
            for name, epochs in [("short", 2), ("long", 5)]
        )
    )

    def run(*asked: str, workers: str | None) -> subprocess.CompletedProcess[str]:
        out = ["--out", "here" if workers is None else f"there{workers}"]
        more = [] if workers is None else ["--workers", workers]
        line = [sys.executable, "-m", "lrnn", *asked, *out, *more]
        return subprocess.run(line, cwd=tmp_path / asked[0], env=own, capture_output=True, text=True)

    cases = {
        "train": (["../t.lrnn", "../data", *words, "--test", "0.2"], ["model.safetensors", "split.json"]),
        "crossval": (["../t.lrnn", "../data", *words, "--folds", "3"], ["results.json", "model.safetensors"]),
        "experiment": (["../e.toml"], ["results.json", "figure.svg"]),
    }
    for name, (inputs, files) in cases.items():
        (tmp_path / name).mkdir()
        for workers in (None, "1-2"):
            done = run(name, *inputs, workers=workers)
            assert done.returncode == 0, done.stderr
        for file in files:
            here, there = (tmp_path / name / where / file for where in ("here", "there1-2"))
            assert there.read_bytes() == here.read_bytes(), (name, file)
    refused = run("train", *cases["train"][0], "--max-ground-rules", "1", workers="2")
    assert refused.returncode == 4 and "ground rules" in refused.stderr, refused.stderr


def test_folds_learned_elsewhere_give_the_same_results(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"optimizer": "adam", "epochs": 5, "folds": 4, "seed": 3, "search": {"l2": [0.0, 0.1]}}
    here = lrnn.crossval(TEMPLATE, molecules(60), out=tmp_path / "here", **settings)
    there = lrnn.crossval(TEMPLATE, molecules(60), out=tmp_path / "there", on=lrnn.Ray(workers=2), **settings)
    assert repr(there) == repr(here)
    for name in ("results.json", "results.csv", "predictions.csv", "model.safetensors"):
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes(), name
    with pytest.raises(lrnn.LimitError, match="ground rules"):
        lrnn.crossval(TEMPLATE, molecules(60), max_ground_rules=1, on=lrnn.Ray(workers=2), **settings)
