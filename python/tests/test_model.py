"""Models: the same file, predictions and explanations as the command's; one example at a time; pictures and pages."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import TOXIC, command, toxic_data

import lrnn


def without_times(text: str) -> dict[str, Any]:
    """Returns the document of the command without what differs from run to run."""
    document = json.loads(text)
    return {name: part for name, part in document.items() if name not in ("seconds", "peak_memory_bytes")}


@pytest.fixture
def files(model: lrnn.Model, data: lrnn.Dataset, tmp_path: Path) -> Path:
    model.save(tmp_path / "model.safetensors")
    data.write(tmp_path / "data")
    return tmp_path


def test_the_file_is_that_of_the_command(files: Path, model: lrnn.Model) -> None:
    again = lrnn.load(files / "model.safetensors")
    assert again.to_bytes() == model.to_bytes() == (files / "model.safetensors").read_bytes()
    assert pickle.loads(pickle.dumps(model)).to_bytes() == model.to_bytes()
    listed = json.loads(command("weights", files / "model.safetensors", "--json").stdout)
    assert listed["fingerprint"] == model.fingerprint == toxic_data().fingerprint()
    assert {entry["name"] + f"[{entry['index']}]" * bool(entry["index"]): entry["value"]
            for entry in listed["weights"]} == {name: weight.item() for name, weight in model.weights.items()}
    assert (listed["settings"], listed["notes"]) == (model.settings, model.notes)


def test_predictions_are_those_of_the_command(files: Path, model: lrnn.Model, data: lrnn.Dataset) -> None:
    printed = command("predict", files / "model.safetensors", files / "data", "--json").stdout
    own = json.loads(model.predict(data).json())
    assert own == without_times(printed)
    # Byte for byte: the text stands in the document of the command as it is.
    assert printed.startswith(model.predict(data).json()[:-1])
    metrics = json.loads(command("test", files / "model.safetensors", files / "data", "--json").stdout)["metrics"]
    assert dict(model.scores(data)) == metrics


def test_explanations_are_those_of_the_command(files: Path, model: lrnn.Model, data: lrnn.Dataset) -> None:
    printed = command("explain", files / "model.safetensors", files / "data", "--json", "--example", "m1").stdout
    explanation = model.explain(data, "m1")
    assert explanation.json() + "\n" == printed
    assert isinstance(explanation, lrnn.Explanation)
    shares = explanation.baseline + sum(explanation.constants.values())
    assert abs(shares - explanation.value) < 1e-9
    everything = model.explain(data)
    printed = command("explain", files / "model.safetensors", files / "data", "--json").stdout
    assert json.loads(everything.json()) == without_times(printed)
    with pytest.raises(lrnn.UsageError, match="there is no example `m9`"):
        model.explain(data, "m9")


def test_concepts_patterns_and_pictures_are_those_of_the_command(
    files: Path, model: lrnn.Model, data: lrnn.Dataset
) -> None:
    path = files / "model.safetensors"
    printed = json.loads(command("concepts", path, "--json", "--svg", files / "c.svg").stdout)
    assert model.concepts().data == printed["concepts"]
    assert model.concepts().picture.text == (files / "c.svg").read_text()
    printed = command("patterns", path, files / "data", "--json").stdout
    assert json.loads(model.patterns(data).json()) == without_times(printed)
    for what in ("template", "network", "example"):
        words = ["--what", what, "--example", "m2", "-o", files / "p.svg"]
        if what == "template":
            words = ["--what", what, "-o", files / "p.svg"]
        command("draw", path, *([files / "data"] if what != "template" else []), *words)
        picture = model.draw(what, None if what == "template" else data, "m2" if what != "template" else None)
        assert picture.text == (files / "p.svg").read_text(), what
    assert model.draw("template", format="dot").text.startswith("digraph")
    with pytest.raises(lrnn.UsageError, match="no picture of `map`"):
        model.draw("map")


def test_one_example_is_answered_as_among_others(model: lrnn.Model, data: lrnn.Dataset) -> None:
    predictor = model.predictor()
    for number, value in enumerate(model.predict(data).values):
        answer = predictor.predict_one(data.facts(number))
        assert (answer.value, answer.query, answer.in_model) == (value, "toxic", True)
        assert predictor.predict_one(data.facts(number), ("toxic",)).value == value
    assert [answer.query for answer in predictor.answers([("atom", 1)], [("toxic",), ("atom", 1)])] == [
        "toxic", "atom(1)"
    ]
    with pytest.raises(lrnn.UsageError, match="2 answers, not one"):
        lrnn.fit("w :: p(X) :- atom(X).", two_queries(), epochs=1).model.predictor().predict_one(data.facts(0))
    with pytest.raises(lrnn.ContentError):
        predictor.predict_one([("atom", None)])


def two_queries() -> lrnn.Dataset:
    data = lrnn.Dataset()
    data.add([("atom", 1), ("atom", 2)], query=[(1.0, "p", 1), (0.0, "p", 2)])
    return data


def test_what_the_model_does_not_know_is_told(model: lrnn.Model) -> None:
    data = lrnn.Dataset()
    facts = [("atom", 1), ("element", 1, "xe"), ("colour", 1, "red"), ("bond", 1, 1, "single")]
    data.add(facts, query=("toxic",))
    data.add([("atom", 1)], query=("toxic",))
    predictions = model.predict(data)
    assert predictions.unlearned == ["w[xe]"]
    assert predictions.in_model.tolist() == [True, False] and predictions.values[1] == 0.0
    assert any("colour/2" in note for note in predictions.notes)
    assert np.isnan(model.predict(data, unentailed="skip").values[1])
    with pytest.raises(lrnn.ContentError, match="not in the model"):
        model.predict(data, unentailed="error")
    with pytest.raises(lrnn.UsageError, match="nothing to test"):
        predictions.scores


def test_order_names_and_subsets_change_no_value(model: lrnn.Model, data: lrnn.Dataset) -> None:
    values = model.predict(data).values
    order = [5, 0, 7, 2]
    np.testing.assert_array_equal(model.predict(data[order]).values, values[order])
    assert model.predict(data[order]).examples == ["m5", "m0", "m7", "m2"]
    other = pickle.loads(pickle.dumps(data[order]))
    np.testing.assert_array_equal(model.predict(other).values, values[order])


def test_vectors_are_rows() -> None:
    data = lrnn.Dataset()
    for number in range(3):
        target = [float(place == number) for place in range(3)]
        data.add([([1.0, number], "x", 1)], query=(target, "y"))
    model = lrnn.fit("{3, 2} :: y :- x(A).", data, epochs=5, loss="softmax").model
    predictions = model.predict(data)
    assert predictions.values.shape == predictions.probabilities.shape == predictions.targets.shape == (3, 3)
    np.testing.assert_allclose(predictions.probabilities.sum(axis=1), 1)
    assert [weight.shape for weight in model.weights.values()][0] == (3, 2)


def test_weights_are_arrays_and_tables(model: lrnn.Model) -> None:
    weights = model.weights
    assert weights["w[cl]"].shape == () and "w[cl]" in weights and "w" in weights.names
    table = weights.table("w")
    assert list(table["index"]) == ["c", "cl", "n", "o"] or set(table["index"]) == {"c", "cl", "n", "o"}
    with pytest.raises(KeyError):
        weights["v"]
    with pytest.raises(KeyError):
        weights.table("v")


def test_a_report_is_one_page(model: lrnn.Model, data: lrnn.Dataset, tmp_path: Path) -> None:
    report = model.report(data, examples=4, title="molecules")
    report.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page == report.html and "<title>molecules" in page and "m3" in page and "m5" not in page
    shown = report._repr_mimebundle_()["text/html"]
    assert shown.startswith('<iframe srcdoc="') and 'sandbox="allow-scripts"' in shown
    run = lrnn.fit(TOXIC, data, optimizer="adam", epochs=20, validation=0.25)
    assert "validation" in run.report().html


def test_a_damaged_model_is_told(model: lrnn.Model, tmp_path: Path) -> None:
    packed = model.to_bytes()
    for wrong in (b"", b"text", packed[:-3], packed[: len(packed) // 2]):
        with pytest.raises(lrnn.Error):
            lrnn.Model.from_bytes(wrong)
    with pytest.raises(lrnn.FileError):
        lrnn.load(tmp_path / "nothing")
