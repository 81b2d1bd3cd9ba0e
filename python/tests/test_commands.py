"""What the command can do, Python does: the same documents, byte for byte."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, TOXIC, command, toxic_data

import lrnn

KIN = [("x%d", "wife", "y%d"), ("y%d", "husband", "x%d"), ("x%d", "father", "z%d"), ("y%d", "mother", "z%d")]
TRIPLES = [(head % n, relation, tail % n) for n in range(30) for head, relation, tail in KIN]

HERE = {
    "check": "check", "complete": "complete", "concepts": "Model.concepts", "crossval": "crossval", "draw": "Model.draw",
    "experiment": "experiment", "explain": "Model.explain", "fmt": "Template.format", "ground": "ground",
    "induce": "induce", "list": "SETTINGS", "patterns": "Model.patterns", "predict": "Model.predict", "query": "query",
    "report": "Model.report", "sql": "sql", "tables": "tables", "test": "Model.scores", "train": "fit",
    "weights": "Model.weights",
}
"""Each command, and its name in Python."""


def without_times(text: str) -> Any:
    others = ("seconds", "peak_memory_bytes")
    return {name: value for name, value in json.loads(text).items() if name not in others}


def test_every_command_has_a_name_in_python() -> None:
    text = command("--help").stdout
    listed = {line.split()[0] for line in text.splitlines() if line.startswith("  ") and line[2:3].isalpha()}
    assert listed - {"help", "completions", "man", "lrnn"} == set(HERE), "what is new in the command?"
    for name in HERE.values():
        thing: Any = lrnn
        for part in name.split("."):
            thing = getattr(thing, part)


@pytest.mark.parametrize("words", [[], ["foal(X)"], ["foal(X)", "horse(aida)"]])
def test_atoms_are_those_of_the_command(words: list[str]) -> None:
    folder = lrnn.read_folder(ROOT / "datasets/horses")
    atoms = lrnn.query(folder.template, folder.dataset, words)
    printed = command("query", "datasets/horses", *words, "--json").stdout
    assert printed.startswith(atoms.json()[:-1]) and without_times(printed) == atoms.data
    single = command("query", "datasets/horses", *words, "--precision", "f32", "--reference", "--json").stdout
    asked = lrnn.query(folder.template, folder.dataset, words, precision="f32", reference=True)
    assert without_times(single) == asked.data


def test_atoms_of_semirings_and_models_are_those_of_the_command(tmp_path: Path, model: lrnn.Model) -> None:
    folder = lrnn.read_folder(ROOT / "datasets/horses")
    for semiring in ("boolean", "counting", "best", "probability"):
        atoms = lrnn.query(folder.template, folder.dataset, "foal(X)", semiring=semiring)
        assert command("query", "datasets/horses", "foal(X)", "--semiring", semiring, "--json").stdout == atoms.json() + "\n"
    model.save(tmp_path / "model.safetensors")
    toxic_data().write(tmp_path / "data")
    printed = command("query", tmp_path / "model.safetensors", tmp_path / "data", "toxic", "--json").stdout
    atoms = lrnn.query(model, toxic_data(), "toxic")
    assert without_times(printed) == atoms.data
    single = lrnn.query(model, toxic_data(), "toxic", precision=model.precision)
    assert single.values["toxic"] == model.predict(toxic_data()).values[-1]
    assert list(atoms.table()["example"]) == list(range(8)) and repr(atoms).startswith("Atoms(toxic = 0.")


def test_questions_that_make_no_sense_are_told() -> None:
    template = "foal(A) :- parent(A, P). parent(star, aida)."
    assert lrnn.query(template, atoms="foal(X)").values.keys() == {"foal(star)"}
    both = lrnn.query(template, atoms=["foal(star)", "foal(nobody)"])
    assert both.values.keys() == {"foal(star)"} and both.data["unentailed"][0]["value"] == 0.0
    with pytest.raises(lrnn.ContentError, match="not in the model: foal\\(nobody\\)"):
        lrnn.query(template, atoms="foal(nobody)")
    with pytest.raises(lrnn.UsageError, match="knows `foul/1`"):
        lrnn.query(template, atoms="foul(X)")
    with pytest.raises(lrnn.ContentError, match="foal\\(nobody\\)"):
        lrnn.query(template, atoms="foal(nobody)", unentailed="error")
    with pytest.raises(lrnn.UsageError, match="no semiring `tropical`"):
        lrnn.query(template, semiring="tropical")
    with pytest.raises(lrnn.UsageError, match="precision cannot be `f16`"):
        lrnn.query(template, precision="f16")


def test_groundings_and_plans_are_those_of_the_command() -> None:
    folder = lrnn.read_folder(ROOT / "datasets/horses")
    counts = lrnn.ground(folder.template, folder.dataset, rules=True)
    printed = command("ground", "datasets/horses", "--rules", "--json").stdout
    assert printed.startswith(counts.json()[:-1]) and without_times(printed) == counts.data
    assert counts.neurons["rule"] == 3 and len(counts.rules[0]) == 10 and len(counts.table()["rule"]) == 1
    assert lrnn.ground(folder.template, folder.dataset).rules == []
    plan = lrnn.join_plan(folder.template, folder.dataset)
    assert command("ground", ROOT / "datasets/horses", "--plan", "--json").stdout == plan.json() + "\n"
    assert len(plan.table()["join"]) == 2
    with pytest.raises(lrnn.LimitError):
        lrnn.ground(folder.template, folder.dataset, max_ground_rules=1)


def test_a_template_is_checked_with_data_as_by_the_command(tmp_path: Path) -> None:
    (tmp_path / "template.lrnn").write_text("w :: toxic :- elemnt(A, c), charge(B).", encoding="utf-8")
    toxic_data().write(tmp_path / "data")
    printed = json.loads(command("check", tmp_path / "template.lrnn", tmp_path / "data", "--json", check=False).stdout)
    found = lrnn.Template.read(tmp_path / "template.lrnn").check(lrnn.Dataset.read(tmp_path / "data"))
    assert [(it["code"], it["message"]) for it in printed["problems"]] == [(it.code, it.message) for it in found]
    assert any("elemnt" in it.message for it in found)


def test_a_model_as_sql_is_that_of_the_command(tmp_path: Path) -> None:
    template = "w :: happy(X) :- friend(X, Y), rich(Y)."
    data = lrnn.Dataset.parse("friend(a, b), friend(b, c), rich(b).", "1.0 happy(a).\n0.0 happy(b).", one=True)
    model = lrnn.fit(template, data, epochs=5).model
    model.save(tmp_path / "model.safetensors")
    for dialect in ("sqlite", "duckdb", "postgresql"):
        words = ["sql", tmp_path / "model.safetensors", "--dialect", dialect, "--atom", "happy(X)", "--view", "v"]
        made = lrnn.sql(model, dialect=dialect, atom="happy(X)", view="v")
        assert command(*words, "--json").stdout == made.json() + "\n" and command(*words).stdout == str(made)
    con = pytest.importorskip("duckdb", reason="no DuckDB: what the SQL gives is NOT tested").connect()
    made = lrnn.sql(model, dialect="duckdb", atom="happy(X)")
    facts: dict[str, list[tuple[str, ...]]] = {"friend": [("a", "b"), ("b", "c")], "rich": [("b",)]}
    for table in made.tables:
        con.execute(f"create table {table['name']} ({', '.join(f'{it} varchar' for it in table['columns'])})")
        for terms in facts[table["name"]]:
            con.execute(f"insert into {table['name']} values {('0', *terms, '1.0')}")
    found = {atom: value for _, atom, value in con.execute(made.statement).fetchall()}
    assert abs(found["a"] - lrnn.query(model, data, "happy(a)").values["happy(a)"]) < 1e-9
    with pytest.raises(lrnn.UsageError, match="no dialect `oracle`"):
        lrnn.sql(model, dialect="oracle")


def test_a_knowledge_base_is_completed_as_by_the_command(tmp_path: Path) -> None:
    lines = "".join("\t".join(triple) + "\n" for triple in TRIPLES)
    (tmp_path / "kin.tsv").write_text(lines, encoding="utf-8")
    words = ["--rules", "20", "--l2", "1,3", "--predictions", "5", "--out", tmp_path / "run"]
    printed = without_times(command("complete", tmp_path / "kin.tsv", *words, "--json").stdout)
    options: dict[str, Any] = {"rules": 20, "l2": [1, 3], "predictions": 5}
    found = lrnn.complete(TRIPLES, **options)
    assert found.data == {name: it for name, it in printed.items() if name not in ("template", "run")}
    assert found.template.text == (tmp_path / "run/template.lrnn").read_text(encoding="utf-8")
    other = lrnn.complete(tmp_path / "kin.tsv", **options, out=tmp_path / "other")
    assert (tmp_path / "other/template.lrnn").read_bytes() == (tmp_path / "run/template.lrnn").read_bytes()
    written = (tmp_path / "other/results.json").read_text(encoding="utf-8")
    assert written.replace(str(tmp_path / "other"), str(tmp_path / "run")) == (tmp_path / "run/results.json").read_text()
    assert other.ranking["both"]["mrr"] > 0.5 and len(found.predictions()) > 0 and "rules of 4 relations" in repr(found)
    with pytest.raises(lrnn.UsageError, match="a triple is head, relation, tail|row 0 has 2 entries"):
        lrnn.complete([("a", "b")])
    with pytest.raises(lrnn.UsageError, match="length must be"):
        lrnn.complete(TRIPLES, length=7)


def test_rules_are_induced_as_by_the_command(tmp_path: Path) -> None:
    data = toxic_data(24)
    data.write(tmp_path / "data")
    printed = without_times(command("induce", tmp_path / "data", "--max-rules", "5", "--out", tmp_path / "run", "--json").stdout)
    found = lrnn.induce(data, max_rules=5)
    assert isinstance(found, lrnn.Induction)
    assert found.data == {name: it for name, it in printed.items() if name not in ("template", "run")}
    assert str(found) == (tmp_path / "run/template.lrnn").read_text(encoding="utf-8")
    assert found.model.to_bytes() == (tmp_path / "run/model.safetensors").read_bytes()
    assert found.model.predict(data).classes.tolist() == data.y.tolist() and len(found.rules()) > 0
    run = lrnn.induce(tmp_path / "data", max_rules=5, out=tmp_path / "other")
    assert isinstance(run, lrnn.Induction) and run.model.to_bytes() == found.model.to_bytes()
    with pytest.raises(lrnn.UsageError, match="this is in memory"):
        lrnn.induce(data, out=tmp_path / "third")
    bias = lrnn.infer_bias(data)
    assert bias == command("induce", tmp_path / "data", "--show-bias").stdout
    assert lrnn.induce(data, max_rules=5, bias=bias).data["goals"][0]["rules"] == found.data["goals"][0]["rules"]
    scores = lrnn.induce(data, crossval=True, folds=3, max_rules=5)
    words = ["--crossval", "--folds", "3", "--max-rules", "5", "--out", tmp_path / "folds"]
    printed = without_times(command("induce", tmp_path / "data", *words, "--json").stdout)
    assert isinstance(scores, lrnn.InductionScores) and {**scores.data, "run": ""} == {**printed, "run": ""}
    assert len(scores.folds()) == 3


def test_tables_are_inferred_and_checked_as_by_the_command(tmp_path: Path) -> None:
    source, target = ROOT / "datasets/shop/tables", "customer.churned"
    found = lrnn.tables.infer(source, target=target)
    printed = command("tables", "infer", source, "--target", target, "--out", tmp_path / "shop.tables", "--json").stdout
    assert found.json() + "\n" == printed
    assert found.mapping == (tmp_path / "shop.tables").read_text(encoding="utf-8")
    found.save(tmp_path / "own.tables")
    assert (tmp_path / "own.lrnn").read_bytes() == (tmp_path / "shop.lrnn").read_bytes()
    with pytest.raises(lrnn.UsageError, match="there is a file"):
        found.save(tmp_path / "own.tables")
    leakage = lrnn.tables.check(tmp_path / "shop.tables")
    printed = command("tables", "check", tmp_path / "shop.tables", "--json", check=False).stdout
    assert leakage.json() + "\n" == printed and repr(leakage) == f"Leakage({len(leakage.leaks)} leaks)"
    formatted = lrnn.tables.format(found.mapping)
    assert lrnn.tables.format(formatted) == formatted == command("fmt", tmp_path / "shop.tables").stdout


def test_tables_in_memory_are_inferred_and_learned() -> None:
    tables = {
        "person": {"person": list(range(40)), "happy": [number % 2 for number in range(40)]},
        "pet": {"pet": list(range(100, 140)), "person": list(range(40)), "kind": ["cat" if number % 2 else "fish" for number in range(40)]},
    }
    found = lrnn.tables.infer(tables, target="person.happy")
    data = lrnn.Dataset.from_tables(found.mapping, tables)
    assert lrnn.fit(found.template, data, epochs=30).scores["training"]["accuracy"] == 1.0
    leakage = lrnn.tables.check(found.mapping, tables)
    assert any("pet" in leak["place"] or "kind" in leak["place"] for leak in leakage.leaks)
    assert found.warnings == [] and leakage.unmeasured is None
    with pytest.raises(lrnn.UsageError, match="is no column"):
        lrnn.tables.infer(tables, target="happy")


def test_ctrl_c_ends_what_takes_long() -> None:
    pairs = "p(X, Y) :- node(X), node(Y).\nq(X, Z) :- p(X, Y), p(Y, Z).\nr :- q(X, Z), p(Z, V), p(V, X)."
    nodes = lrnn.Dataset.from_columns({"node": [list(range(300))]})
    most: dict[str, Any] = {"max_ground_rules": 10**12, "max_ground_rules_total": 10**13}
    for work in (lambda: lrnn.query(pairs, nodes, "r", **most), lambda: lrnn.ground(pairs, nodes, **most)):
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            work()
        timer.join()


def test_an_experiment_keeps_its_document(tmp_path: Path) -> None:
    toxic_data(8).write(tmp_path / "data")
    (tmp_path / "template.lrnn").write_text(TOXIC, encoding="utf-8")
    (tmp_path / "some.toml").write_text(
        'folds = 2\n[[dataset]]\nname = "toxic"\npath = "data"\n[[method]]\nname = "majority"\n'
        'template = "template.lrnn"\nbaseline = "majority"\n',
        encoding="utf-8",
    )
    run = lrnn.experiment(tmp_path / "some.toml", out=tmp_path / "run")
    assert json.loads(run.json()) == run.data and "majority" in str(run)
