"""Learning: settings, callbacks, runs in folders, Ctrl-C."""

from __future__ import annotations

import inspect
import json
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, TOXIC, command, toxic_data

import lrnn

SLOW = """
:- family(avg_sigmoid).
node(1..400).
p(X, Y) :- *node(X), *node(Y), element(A, T).
q(X, Z) :- p(X, Y), p(Y, Z).
w :: toxic :- q(X, Z), p(Z, X), p(X, V).
"""


def test_learning_answers_its_examples(template: lrnn.Template, data: lrnn.Dataset) -> None:
    run = lrnn.fit(template, data, optimizer="adam", epochs=60, learning_rate=0.1, precision="f64")
    assert run.scores["training"]["wrong"] == 0 and not run.interrupted and run.end == "epochs"
    assert len(run.history) == 6 and run.history["training_loss"][-1] == run.history[-1]["training_loss"]
    assert run.epochs == [60] and run.settings["learning_rate"] == "0.1"
    predictions = run.model.predict(data)
    np.testing.assert_array_equal(predictions.classes, data.y.astype(int))
    assert predictions.scores == run.scores["training"]
    assert predictions.values.shape == run.model.predict_proba(data).shape == (8,)


def test_settings_are_those_of_the_command() -> None:
    listed = json.loads(command("list", "settings", "--json").stdout)["settings"]
    own = [
        {"name": it.name, "aliases": it.aliases, "values": it.values, "kind": it.kind, "default": it.default,
         "about": it.about}
        for it in lrnn.SETTINGS.values()
    ]
    assert own == listed
    assert set(lrnn.SETTINGS) <= set(inspect.signature(lrnn.fit).parameters)
    assert all(it["about"] in (lrnn.fit.__doc__ or "") for it in listed)


def test_one_example_is_learned_in_batches_of_its_queries() -> None:
    template = lrnn.Template("w :: class(X) :- edge(X, Y), hint(Y). [aggregation = sum]\nv :: class(X) :- node(X).")
    edges = [(node, (node * 7 + nth * nth * 11) % 40) for node in range(40) for nth in range(1, 6)]
    hint = {node: 1 if node % 3 == 0 else -1 for node in range(40)}
    targets = {node: int(sum(hint[y] for x, y in edges if x == node) > -1) for node in range(40)}
    queries = ", ".join(f"{target} class(n{node})" for node, target in targets.items())
    facts = [f"node(n{node}), {value} hint(n{node})" for node, value in hint.items()]
    facts += [f"edge(n{x}, n{y})" for x, y in edges]
    data = lrnn.Dataset.parse(f"{queries} :- {', '.join(facts)}.", template=template)
    settings: dict[str, Any] = {"optimizer": "adam", "learning_rate": 0.1, "epochs": 400}
    whole = lrnn.fit(template, data, **settings)
    batches = lrnn.fit(template, data, batch_queries=8, **settings)
    assert whole.scores["training"]["wrong"] < 5
    assert batches.scores["training"]["wrong"] <= whole.scores["training"]["wrong"] + 2
    with pytest.raises(lrnn.UsageError, match="needs the same loss in every step"):
        lrnn.fit(template, data, batch_queries=8, optimizer="lbfgs")


def test_wrong_settings_are_told(template: lrnn.Template, data: lrnn.Dataset) -> None:
    with pytest.raises(lrnn.UsageError, match="did you mean `epochs`"):
        lrnn.fit(template, data, epoch=3)
    with pytest.raises(lrnn.UsageError, match="`optimizer` cannot be `adma`"):
        lrnn.fit(template, data, optimizer="adma")
    with pytest.raises(lrnn.UsageError, match="no weight is called `v`"):
        lrnn.fit(template, data, freeze=["v"])


def test_values_of_settings_are_of_python(template: lrnn.Template, data: lrnn.Dataset) -> None:
    settings: dict[str, Any] = {"epochs": np.int64(3), "l2": np.float64(1e-3), "merge": False, "loss": None}
    run = lrnn.fit(template, data, **settings, freeze=["w"], batch=0)
    assert (run.settings["epochs"], run.settings["merge"], run.settings["freeze"]) == ("3", "false", "w")
    assert (run.settings["batch_size"], run.settings["l2"]) == ("0", "0.001")


def test_the_number_of_threads_changes_nothing(template: lrnn.Template, data: lrnn.Dataset) -> None:
    settings: dict[str, Any] = {"epochs": 5, "restarts": 3, "seed": 4}
    first = lrnn.fit(template, data, threads=1, **settings).model.to_bytes()
    assert lrnn.fit(template, data, threads=3, **settings).model.to_bytes() == first


def test_callbacks_see_each_epoch_and_may_end_it(template: lrnn.Template, data: lrnn.Dataset) -> None:
    seen: list[dict[str, Any]] = []

    def stop_at_seven(epoch: dict[str, Any]) -> bool:
        seen.append(epoch)
        return bool(epoch["epoch"] == 7)

    run = lrnn.fit(template, data, optimizer="adam", epochs=1000, callbacks=stop_at_seven)
    assert [epoch["epoch"] for epoch in seen] == list(range(1, 8))
    assert run.interrupted and run.epochs == [7]
    again = lrnn.fit(template, data, optimizer="adam", epochs=7)
    assert dict(run.model.weights) == dict(again.model.weights)


def test_an_exception_of_a_callback_is_raised(template: lrnn.Template, data: lrnn.Dataset) -> None:
    def fail(epoch: dict[str, Any]) -> None:
        raise RuntimeError(f"in epoch {epoch['epoch']}")

    with pytest.raises(RuntimeError, match="in epoch 1"):
        lrnn.fit(template, data, optimizer="adam", epochs=100_000_000, callbacks=[fail], restarts=3)


def interrupted_after(seconds: float) -> threading.Timer:
    timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_ctrl_c_keeps_the_best(template: lrnn.Template, data: lrnn.Dataset, tmp_path: Path) -> None:
    for out in (None, tmp_path / "run"):
        timer = interrupted_after(0.3)
        run = lrnn.fit(template, data, optimizer="adam", epochs=100_000_000, test=0.25, out=out)
        timer.join()
        assert run.interrupted and run.end == "stopped" and "test" in run.scores
        assert run.model.predict(data).values.shape == (8,)
    assert lrnn.load(tmp_path / "run").to_bytes() == run.model.to_bytes()


def test_ctrl_c_stops_grounding() -> None:
    data = toxic_data()
    for work in (
        lambda: lrnn.fit(SLOW, data, max_ground_rules=10**12, max_ground_rules_total=10**13),
        lambda: lrnn.fit(SLOW, data[:1], max_ground_rules=10**12, max_ground_rules_total=10**13),
    ):
        timer, start = interrupted_after(0.4), time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            work()
        timer.join()
        assert time.monotonic() - start < 60


PAIRS = """
:- family(avg_sigmoid).
p(X, Y) :- node(X), *node(Y).
q(X, Z) :- p(X, Y), p(Y, Z).
w :: big :- q(X, Z), p(Z, X), p(X, V).
"""


def nodes(count: int) -> lrnn.Dataset:
    data = lrnn.Dataset()
    for target in (0.0, 1.0, 0.0, 1.0):
        data.add([("node", number) for number in range(count)], query=(target, "big"))
    return data


@pytest.mark.parametrize("phase", ["fit", "crossval", "predict", "explain", "patterns", "report", "draw", "estimator"])
def test_ctrl_c_is_raised_in_every_phase(phase: str) -> None:
    run, large = lrnn.fit(PAIRS, nodes(2), optimizer="adam", epochs=2), nodes(300)
    most: dict[str, Any] = {"max_ground_rules": 10**12, "max_ground_rules_total": 10**13}
    model = run.model
    work = {
        "fit": lambda: lrnn.fit(PAIRS, large, **most),
        "crossval": lambda: lrnn.crossval(PAIRS, large, folds=2, **most),
        "predict": lambda: model.predict(large, **most),
        "explain": lambda: model.explain(large, "0"),
        "patterns": lambda: model.patterns(large),
        "report": lambda: model.report(large),
        "draw": lambda: model.draw("network", large, "0"),
        "estimator": lambda: lrnn.LRNNClassifier(PAIRS, query="big").fit(large, large.y),
    }[phase]
    if phase == "estimator":
        pytest.importorskip("sklearn", reason="no scikit-learn: Ctrl-C in estimators is NOT tested")
    timer, start = interrupted_after(0.2), time.monotonic()
    # What has no bound of its own may come to the usual one before the signal does, which then comes to whoever waits for it.
    try:
        with pytest.raises((KeyboardInterrupt, lrnn.LimitError)):
            work()
            time.sleep(5)
        timer.join()
        time.sleep(0.1)
    except KeyboardInterrupt:
        timer.join()
    assert time.monotonic() - start < 60
    # Nothing is left behind: the next call works.
    assert model.predict(nodes(2)).values.shape == (4,)


def test_a_limit_is_an_error_of_its_own() -> None:
    with pytest.raises(lrnn.LimitError) as told:
        lrnn.fit(SLOW, toxic_data(), max_ground_rules=1000)
    assert told.value.code == "G0101" and told.value.exit == 4


def test_a_run_folder_is_that_of_the_command(tmp_path: Path) -> None:
    template, data = lrnn.Template(TOXIC), toxic_data()
    settings: dict[str, Any] = {"optimizer": "adam", "epochs": 40, "validation": 0.25}
    settings["callbacks"] = lambda epoch: epoch["epoch"] == 20
    run = lrnn.fit(template, data, **settings, out=tmp_path / "run")
    model = (tmp_path / "run" / "model.safetensors").read_bytes()
    assert model == run.model.to_bytes() and run.path == str(tmp_path / "run") and run.interrupted
    # The command reads it, and goes on with it as Python does.
    command("train", "--resume", tmp_path / "run")
    by_command = lrnn.load(tmp_path / "run").to_bytes()
    lrnn.fit(template, data, **settings, out=tmp_path / "other")
    resumed = lrnn.resume(tmp_path / "other")
    assert resumed.model.to_bytes() == by_command and not resumed.interrupted
    whole = lrnn.fit(template, data, optimizer="adam", epochs=40, validation=0.25)
    assert dict(whole.model.weights) == dict(resumed.model.weights)
    assert [row["epoch"] for row in resumed.history] == [row["epoch"] for row in whole.history]
    with pytest.raises(lrnn.FileError, match="there is something in this folder"):
        lrnn.fit(template, data, out=tmp_path / "run")
    with pytest.raises(lrnn.FileError, match="no run to go on with"):
        lrnn.resume(tmp_path / "nothing")


@pytest.mark.parametrize("name", ["xor", "trains", "kinship"])
def test_a_folder_learns_as_the_command_does(name: str, tmp_path: Path) -> None:
    folder = lrnn.read_folder(ROOT / "datasets" / name)
    run = lrnn.fit(folder.template, folder.dataset, **{**folder.settings, "epochs": 10})
    command("train", f"datasets/{name}", "--epochs", 10, "--out", tmp_path / "run")
    assert run.model.to_bytes() == (tmp_path / "run" / "model.safetensors").read_bytes()


def test_validation_may_be_other_data(template: lrnn.Template, data: lrnn.Dataset, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"optimizer": "adam", "epochs": 20, "patience": 5}
    run = lrnn.fit(template, data[:6], validation_data=data[6:], **settings, out=tmp_path / "run")
    assert run.split == ([0, 1, 2, 3, 4, 5], [6, 7], []) and "validation" in run.scores
    assert lrnn.resume(tmp_path / "run").split == run.split


def test_learning_begins_with_the_weights_of_another_model(model: lrnn.Model, data: lrnn.Dataset) -> None:
    run = lrnn.fit(TOXIC, data, from_model=model, epochs=0)
    assert dict(run.model.weights) == dict(model.weights)


def test_weights_of_examples_count(template: lrnn.Template, data: lrnn.Dataset) -> None:
    counts = [1, 2, 3, 1, 0, 0, 2, 0]
    settings: dict[str, Any] = {"epochs": 10, "batch_size": 0, "precision": "f64", "optimizer": "sgd"}
    weighted = lrnn.fit(template, data.with_weights(counts), **settings).model.weights
    repeated = lrnn.fit(template, data[np.repeat(np.arange(8), counts)], **settings).model.weights
    for name, weight in weighted.items():
        np.testing.assert_allclose(weight, repeated[name], rtol=1e-9)
    assert dict(weighted) != dict(lrnn.fit(template, data, **settings).model.weights)


def test_progress_is_shown(template: lrnn.Template, data: lrnn.Dataset, capfd: Any) -> None:
    end, shown = time.monotonic() + 60, ""

    def is_shown(_: Any) -> bool:
        nonlocal shown
        shown += capfd.readouterr().err
        return "epoch" in shown or time.monotonic() > end

    lrnn.fit(template, data, optimizer="adam", epochs=10**8, progress=True, callbacks=is_shown)
    assert "epoch" in shown


def test_numbers_that_diverge_are_told(data: lrnn.Dataset) -> None:
    with pytest.raises(lrnn.NumbersError, match="diverged"):
        template = ":- family(neuralogic).\nw[T] :: toxic :- element(A, T).\ntoxic/0 [activation = identity]."
        lrnn.fit(template, data, optimizer="sgd", learning_rate=1e30, loss="squared")
