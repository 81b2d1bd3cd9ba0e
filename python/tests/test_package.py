"""The package: templates, errors, the command, displays."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys

import pytest
from conftest import ROOT, TOXIC, command, toxic_data

import lrnn


def test_a_template_tells_its_mistakes() -> None:
    with pytest.raises(lrnn.ContentError) as told:
        lrnn.Template("foal(X) :- parent(X, P horse(P).\nw :: a b.")
    error = told.value
    assert error.code == error.diagnostics[0].code and error.diagnostics[0].place == "template.lrnn:1:24"
    assert len(error.diagnostics) == 2 and "^" in str(error) and error.exit == 3
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.diagnostics) == (type(error), str(error), error.diagnostics)
    found = lrnn.check("foal(X) :- parent(X, P).")
    assert [(it.code, it.severity) for it in found] == [("W0309", "warning")]
    assert [it.severity for it in lrnn.check("a :- b(")] == ["error"]
    with pytest.raises(lrnn.UsageError, match="did you mean"):
        lrnn.Template(TOXIC, family="max_sigmoit")


def test_a_template_is_a_value() -> None:
    template = lrnn.Template(TOXIC, family="godel")
    assert pickle.loads(pickle.dumps(template)) == template != lrnn.Template(TOXIC)
    assert {template: 1}[lrnn.Template(TOXIC, family="godel")] == 1
    assert template.family == "godel" and "element/2" in template.predicates
    assert lrnn.Template("a:-b.").format() == "a :- b.\n"


def test_every_exit_code_has_its_error() -> None:
    assert {code: error.exit for code, error in lrnn._errors.CLASSES.items()} == {c: c for c in (2, 3, 4, 5, 6, 130)}
    assert command("query", "datasets/horses", "foul(X)", check=False).returncode == lrnn.UsageError.exit


def test_the_module_is_the_command() -> None:
    assert command("--version").stdout == f"lrnn {lrnn.__version__}\n"
    assert command("query", "datasets/horses", "foal(X)").stdout == "atom              value\nfoal(star)  0.696935284\n"
    done = command("no-such-command", check=False)
    assert done.returncode == 2 and "unrecognized" in done.stderr


def test_ctrl_c_ends_the_command(tmp_path: object) -> None:
    words = ["train", "datasets/xor", "--epochs", "100000000", "--target-loss", "0", "--out", f"{tmp_path}/run", "-v"]
    started = subprocess.Popen(
        [sys.executable, "-m", "lrnn", *words], cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert started.stderr is not None
    while "epoch" not in started.stderr.readline():
        pass
    started.send_signal(signal.SIGINT)
    out, _ = started.communicate(timeout=60)
    assert started.returncode == 130 and "stopped before the end" in out


def test_everything_is_shown_in_a_notebook(model: lrnn.Model, data: lrnn.Dataset) -> None:
    run = lrnn.fit(TOXIC, data, optimizer="adam", epochs=20, validation=0.25)
    hostile = lrnn.Dataset()
    hostile.add([("element", "<script>", "<b>")], query=(1.0, "toxic"))
    shown = [
        lrnn.Template("% a < b\n" + TOXIC), data, hostile, model, run.history, model.explain(data, "m1"),
        model.concepts(), model.patterns(data), model.draw("template"), model.explain(hostile[0], query="element(X, Y)"),
    ]
    for one in shown:
        bundle = one._repr_mimebundle_()
        rich = [text for kind, text in bundle.items() if kind != "text/plain"]
        assert bundle["text/plain"] and rich and rich[0].startswith("<"), one
        assert "<script>" not in "".join(rich) and "<b>'" not in "".join(rich)
