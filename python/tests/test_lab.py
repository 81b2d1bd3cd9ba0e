"""Cross-validation and experiments: the results and folders of the command."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import TOXIC, command, toxic_data

import lrnn

FAST: dict[str, Any] = {"optimizer": "adam", "epochs": 10}
EXPERIMENT = """
folds = 2

[[dataset]]
name = "toxic"
path = "data"

[[method]]
name = "rules"
template = "template.lrnn"
[method.learning]
optimizer = "adam"
epochs = 5

[[method]]
name = "majority"
template = "template.lrnn"
baseline = "majority"
"""


def experiment_file(folder: Path, epochs: int = 5) -> Path:
    """Returns the file of an experiment of two methods on a dataset."""
    toxic_data(16).write(folder / "data")
    (folder / "template.lrnn").write_text(TOXIC, encoding="utf-8")
    text = EXPERIMENT.replace("epochs = 5", f"epochs = {epochs}")
    (folder / "some.toml").write_text(text, encoding="utf-8")
    return folder / "some.toml"


def plain(document: dict[str, Any]) -> dict[str, Any]:
    """Returns a document without what two runs differ in."""
    others = ("seconds", "report", "interrupted", "run", "peak_memory_bytes")
    return {name: value for name, value in document.items() if name not in others}


def test_crossval_is_that_of_the_command(tmp_path: Path) -> None:
    data = toxic_data(16)
    data.write(tmp_path / "data")
    (tmp_path / "template.lrnn").write_text(TOXIC, encoding="utf-8")
    run = lrnn.crossval(TOXIC, data, folds=4, baselines=["majority"], out=tmp_path / "run", **FAST)
    words = ["--folds", 4, "--baseline", "majority", "--optimizer", "adam", "--epochs", 10]
    place = ["--template", tmp_path / "template.lrnn", "--data", tmp_path / "data", "--out", tmp_path / "other"]
    printed = json.loads(command("crossval", *place, *words, "--json").stdout)
    assert plain(run.data) == plain(printed)
    for name in ("results.json", "results.csv", "results.tex", "predictions.csv", "model.safetensors"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "other" / name).read_bytes(), name
    assert len(run.folds()) == 4 and run.accuracy.mean == run.data["accuracy"]["mean"]
    assert len(run.predictions()) == 16 and run.baselines[0]["name"] == "majority"
    assert run.model.predict(data).values.shape == (16,)
    assert "fold" in str(run) and "CrossvalRun(4 folds, accuracy" in repr(run)
    assert run._repr_mimebundle_()["text/html"].startswith("<table>")


def test_settings_are_chosen_inside_the_folds(tmp_path: Path) -> None:
    data = toxic_data(16)
    other = lrnn.Template("v :: toxic :- element(A, c).")
    search = {"l2": [1e-4, 1e-2], "template": [lrnn.Template(TOXIC), other], "family": ["max_sigmoid", "avg_sigmoid"]}
    run = lrnn.crossval(TOXIC, data, folds=2, search=search, threads=2, **FAST)
    assert run.data["trials"] == 8 and os.path.exists(run.path)
    chosen = [dict(fold) if isinstance(fold, list) else fold for fold in run.folds()["chosen"]]
    assert all({"l2", "template", "family"} <= set(fold) for fold in chosen)
    one = lrnn.crossval(TOXIC, data, folds=2, search=search, threads=1, **FAST)
    drop = lambda document: json.loads(json.dumps(plain(document)).replace(run.path, "").replace(one.path, ""))  # noqa: E731
    assert drop(one.data) == drop(run.data)
    some = lrnn.crossval(TOXIC, data, folds=2, search={"l2": [1e-4, 1e-3, 1e-2]}, method="random", trials=2, **FAST)
    assert some.data["trials"] == 2


def test_a_temporary_folder_goes_with_its_results() -> None:
    run = lrnn.crossval(TOXIC, toxic_data(), folds=2, **FAST)
    path = run.path
    assert "<html" in run.report().html[:300].lower()
    del run
    assert not os.path.exists(path)


def test_wrong_words_are_told() -> None:
    data = toxic_data()
    with pytest.raises(lrnn.ContentError, match="9 folds are too many"):
        lrnn.crossval(TOXIC, data[:4], folds=9)
    with pytest.raises(lrnn.Error, match="did you mean `l2`"):
        lrnn.crossval(TOXIC, data, folds=2, search={"l2s": [1]})
    with pytest.raises(lrnn.UsageError, match="there is no search `all`"):
        lrnn.crossval(TOXIC, data, folds=2, method="all")
    with pytest.raises(lrnn.UsageError, match="inner cannot be 7.5"):
        lrnn.crossval(TOXIC, data, folds=2, inner=7.5)
    with pytest.raises(lrnn.UsageError, match="there is no split"):
        lrnn.crossval(TOXIC, data, folds=2, split="by hand")
    with pytest.raises(lrnn.UsageError, match="different families"):
        templates = [lrnn.Template(TOXIC), lrnn.Template(TOXIC, family="godel")]
        lrnn.crossval(TOXIC, data, folds=2, search={"template": templates})
    run = lrnn.crossval(TOXIC, data, folds=2, validation=0.5, **FAST)
    assert "validation = 0.5 does not count here: folds are held out instead" in run.notes


def _interrupted(work: Callable[[], Any], seconds: float) -> Any:
    """Does some work while Ctrl-C is pressed, again and again until it ends; returns what it gave, if it gave something."""
    over = threading.Event()

    def press() -> None:
        while not over.wait(seconds):
            os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=press)
    presser.start()
    found = None
    try:
        found = work()
    except KeyboardInterrupt:
        pass
    while True:
        try:
            over.set()
            presser.join()
            return found
        except KeyboardInterrupt:  # one that came late
            pass


def test_ctrl_c_leaves_a_run_that_goes_on(tmp_path: Path) -> None:
    data, settings = toxic_data(16), {"optimizer": "adam", "epochs": 1500, "folds": 4}
    whole = lrnn.crossval(TOXIC, data, out=tmp_path / "whole", **settings)
    endless = {**settings, "epochs": 10**8}
    assert _interrupted(lambda: lrnn.crossval(TOXIC, data, out=tmp_path / "run", **endless), 0.3) is None
    assert (tmp_path / "run" / "journal.jsonl").exists()
    # One that was ended goes on to what it would have been, from Python and by the command.
    for number, go_on in enumerate((lrnn.resume, lambda path: command("crossval", "--resume", path))):
        out = tmp_path / f"ended-{number}"
        _interrupted(lambda: lrnn.crossval(TOXIC, data, out=out, **settings), 0.1)
        go_on(out)
        assert (out / "results.json").read_bytes() == (tmp_path / "whole" / "results.json").read_bytes()
    again = lrnn.resume(tmp_path / "whole")
    assert isinstance(again, lrnn.CrossvalRun) and again.data == whole.data
    with pytest.raises(lrnn.UsageError, match="goes on with the settings it began with"):
        lrnn.resume(tmp_path / "whole", epochs=3)


def test_an_experiment_is_that_of_the_command(tmp_path: Path) -> None:
    file = experiment_file(tmp_path)
    run = lrnn.experiment(file, out=tmp_path / "run")
    printed = json.loads(command("experiment", file, "--out", tmp_path / "other", "--json").stdout)
    assert plain(run.data) == plain(printed) and not run.interrupted
    assert (run.datasets, run.methods) == (["toxic"], ["rules", "majority"])
    assert list(run.accuracies()) == ["dataset", "rules", "majority"] and len(run.comparisons()) == 1
    assert str(run) in command("experiment", file, "--out", tmp_path / "other").stdout
    assert repr(run) == "ExperimentRun(1 datasets, 2 methods)"
    with pytest.raises(lrnn.FileError):
        lrnn.experiment(tmp_path / "none.toml")


def test_an_experiment_that_is_stopped_gives_what_was_done(tmp_path: Path) -> None:
    file = experiment_file(tmp_path, epochs=10**8)
    run = _interrupted(lambda: lrnn.experiment(file, out=tmp_path / "run"), 0.5)
    assert run.interrupted and "interrupted" in repr(run)
