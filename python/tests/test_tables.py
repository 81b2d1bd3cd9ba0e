"""Tables: the same facts from files, databases and frames; what is learned from training rows alone."""

from __future__ import annotations

import csv
import gzip
import pickle
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, command

import lrnn

SHOP = ROOT / "datasets" / "shop"
TABLES = ("customer", "orders", "product")

SCALED = """
:- example(person.id).
:- key(visit.person, person.id).
scale(A) :: age(P) <- person(id: P, age: A).
visit(V, K) <- visit(id: V, kind: K).
? 1 :: ill <- person(state: ill).
? 0 :: ill <- person(state: well).
"""
ILL = """
:- family(neuralogic).
a :: ill :- age(P).
w[K] :: ill :- visit(V, K).
ill/0 [offset = 0.0].
"""
PERSON = {
    "id": [f"p{number}" for number in range(12)],
    "age": [20.0 + 3 * number for number in range(11)] + [None],
    "state": ["ill", "well", "well"] * 4,
}
VISIT = {"id": list(range(24)), "person": [f"p{number // 2}" for number in range(24)], "kind": ["cough", "check"] * 12}


def rows(name: str) -> tuple[list[str], list[list[Any]]]:
    """Returns the columns and rows of a table of the shop; an empty cell is NULL."""
    with gzip.open(SHOP / "tables" / f"{name}.csv.gz", "rt", newline="", encoding="utf-8") as file:
        head, *found = csv.reader(file)
    return head, [[cell or None for cell in row] for row in found if row]


def columns(name: str) -> dict[str, list[Any]]:
    head, found = rows(name)
    return {column: [row[at] for row in found] for at, column in enumerate(head)}


def shop_of(**tables: Any) -> lrnn.Dataset:
    return lrnn.Dataset.from_tables(SHOP / "shop.tables", tables)


def database(path: Path) -> Path:
    connection = sqlite3.connect(path)
    for name in TABLES:
        head, found = rows(name)
        connection.execute(f"create table {name} ({', '.join(f'{column} text' for column in head)})")
        connection.executemany(f"insert into {name} values ({', '.join('?' * len(head))})", found)
    connection.commit()
    connection.close()
    return path


def test_files_databases_and_frames_give_equal_facts(tmp_path: Path) -> None:
    expected = shop_of()
    assert (len(expected), expected.schema["of/2"][0]) == (1199, 9878)
    assert shop_of(**{name: columns(name) for name in TABLES}).fingerprint() == expected.fingerprint()
    path = database(tmp_path / "shop.sqlite")
    text = (SHOP / "shop.tables").read_text(encoding="utf-8").replace("'tables'", f"'{path}'")
    assert lrnn.Dataset.from_tables(text).fingerprint() == expected.fingerprint()
    (tmp_path / "shop.tables").write_text(text.replace(str(path), path.name), encoding="utf-8")
    assert lrnn.Dataset.from_tables(tmp_path / "shop.tables").fingerprint() == expected.fingerprint()


def test_frames_of_every_kind_give_equal_facts() -> None:
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    expected = shop_of().fingerprint()
    own = {name: columns(name) for name in TABLES}
    of_pandas = {name: pd.DataFrame(own[name]) for name in TABLES}
    assert shop_of(**of_pandas).fingerprint() == expected
    # What is read from elsewhere stands beside what is given; an index is no column; dates may be dates.
    orders = of_pandas["orders"].set_index(np.arange(len(of_pandas["orders"])) + 7)
    orders["date"] = pd.to_datetime(orders["date"]).dt.date
    assert shop_of(orders=orders).fingerprint() == expected
    assert shop_of(**{name: pa.table(own[name]) for name in TABLES}).fingerprint() == expected
    assert shop_of(**{name: polars.DataFrame(own[name]) for name in TABLES}).fingerprint() == expected
    arrow = {name: pa.table(own[name]) for name in TABLES}  # which the queries find by its name
    connection = duckdb.connect()
    for name, table in arrow.items():
        connection.register(f"the_{name}", table)
    relations = {name: connection.sql(f"from the_{name}") for name in TABLES}
    assert shop_of(**relations).fingerprint() == expected


def test_moments_numbers_and_truth_values_of_arrow_are_cells() -> None:
    pa = pytest.importorskip("pyarrow")
    mapping = "a(X) <- t(x: X).  b(X) <- t(x: X, flag: true).  V :: c(X) <- t(x: X, v: V).  d(X, K) <- t(x: X, kind: K)."
    moments = pa.array([0, 86_400_000_000, None], pa.timestamp("us"))
    kinds = pa.array(["k", None, "l"]).dictionary_encode()
    table = pa.table({"x": moments, "flag": [True, False, True], "v": [1, 2, 3], "kind": kinds})
    data = lrnn.Dataset.from_tables(mapping, {"t": table})
    assert {name: count for name, (count, _) in data.schema.items()} == {"a/1": 2, "b/1": 1, "c/1": 2, "d/2": 1}
    assert data.facts(0, 2) == [("a", "1970-01-01T00:00:00"), ("a", "1970-01-02T00:00:00")]
    with pytest.raises(lrnn.ContentError, match="column v of table t is of type"):
        lrnn.Dataset.from_tables(mapping, {"t": table.set_column(2, "v", pa.array([[1], [2], [3]]))})


def test_a_preview_is_that_of_the_command() -> None:
    shown = shop_of().preview()
    printed = command("tables", "preview", SHOP / "shop.tables").stdout
    assert printed.rpartition("; read in ")[0] in shown
    assert repr(shown) == str(shown) and "first: brand('00000', 'Acme')." in shown


def test_mistakes_have_their_place() -> None:
    with pytest.raises(lrnn.ContentError, match="did you mean `age`") as told:
        lrnn.Dataset.from_tables(SCALED.replace("age: A", "aeg: A"), {"person": PERSON, "visit": VISIT})
    assert "^" in str(told.value)
    wrong = {**PERSON, "age": ["old"] * 12}
    with pytest.raises(lrnn.ContentError, match="table person, column age, row 1"):
        lrnn.Dataset.from_tables(SCALED, {"person": wrong, "visit": VISIT})
    with pytest.raises(lrnn.ContentError, match="does not have 12 rows"):
        lrnn.Dataset.from_tables(SCALED, {"person": {**PERSON, "age": [1.0]}, "visit": VISIT})
    with pytest.raises(lrnn.UsageError, match="table visit is a int"):
        lrnn.Dataset.from_tables(SCALED, {"person": PERSON, "visit": 7})
    with pytest.raises(lrnn.ContentError, match="there is no table `visit`"):
        lrnn.Dataset.from_tables(SCALED, {"person": PERSON})


def test_a_model_is_that_of_the_command(tmp_path: Path) -> None:
    folder = lrnn.read_folder(SHOP)
    run = lrnn.fit(folder.template, folder.dataset, **{**folder.settings, "epochs": 3, "validation": 0.2})
    command("train", SHOP, "--epochs", 3, "--validation", 0.2, "--out", tmp_path / "run")
    assert run.model.to_bytes() == (tmp_path / "run" / "model.safetensors").read_bytes()
    assert "churn" in run.model.notes["mapping"]
    # From the mapping's own folder the run goes on, by either.
    own = lrnn.fit(folder.template, folder.dataset, **{**folder.settings, "epochs": 3}, out=tmp_path / "own")
    assert not (tmp_path / "own" / "data").exists()
    command("train", "--resume", tmp_path / "own", "--epochs", 4)
    assert lrnn.load(tmp_path / "own").notes["mapping"] == own.model.notes["mapping"]


def people() -> lrnn.Dataset:
    return lrnn.Dataset.from_tables(SCALED, {"person": PERSON, "visit": VISIT})


def test_what_a_mapping_learns_it_learns_from_training_rows() -> None:
    data = people()
    settings: dict[str, Any] = {"optimizer": "adam", "epochs": 5, "precision": "f64"}
    run = lrnn.fit(ILL, data, **settings, test=0.25, seed=3)
    ages = [20.0 + 3 * number for number in run.split.training if number < 11]
    mean, deviation = np.mean(ages), np.std(ages)
    assert f"scale(A, {mean:g}" in run.model.notes["mapping"] or str(mean) in run.model.notes["mapping"]
    # The same numbers scaled by hand are the same model and the same answers.
    by_hand = {**PERSON, "age": [None if age is None else (age - mean) / deviation for age in PERSON["age"]]}
    plain = lrnn.Dataset.from_tables(SCALED.replace("scale(A)", "A"), {"person": by_hand, "visit": VISIT})
    other = lrnn.fit(ILL, plain, **settings, test=0.25, seed=3)
    for name, weight in run.model.weights.items():
        np.testing.assert_allclose(weight, other.model.weights[name], rtol=1e-9)
    np.testing.assert_allclose(run.model.predict(data).values, other.model.predict(plain).values, rtol=1e-9)
    # Some examples are answered as all are: what was learned is the model's.
    np.testing.assert_array_equal(run.model.predict(data[3:7]).values, run.model.predict(data).values[3:7])
    np.testing.assert_array_equal(run.model.predict(data[[5]]).values, run.model.predict(data).values[[5]])


def test_a_part_of_the_examples_learns_from_itself() -> None:
    data, settings = people(), {"optimizer": "adam", "epochs": 5}
    part = lrnn.fit(ILL, data[:6], **settings)
    alone = {name: column[:6] for name, column in PERSON.items()}
    visits = {name: column[:12] for name, column in VISIT.items()}
    whole = lrnn.fit(ILL, lrnn.Dataset.from_tables(SCALED, {"person": alone, "visit": visits}), **settings)
    assert dict(part.model.weights) == dict(whole.model.weights)
    np.testing.assert_array_equal(
        part.model.predict(data).values[:6], part.model.predict(data[:6].with_queries(["ill"] * 6)).values
    )


def test_what_learns_from_rows_stays_with_its_tables() -> None:
    data = people()
    with pytest.raises(lrnn.UsageError, match="lrnn.Facts"):
        pickle.dumps(data)
    with pytest.raises(lrnn.UsageError, match="cannot have examples that are not in its tables"):
        data.add([("age", "p")])
    with pytest.raises(lrnn.UsageError, match="each fold learns from its own"):
        lrnn.crossval(ILL, data, folds=2)
    assert len(pickle.loads(pickle.dumps(shop_of()))) == 1199


def test_rows_without_labels_are_answered() -> None:
    run = lrnn.fit(ILL, people(), optimizer="adam", epochs=5)
    new = {"id": ["new", "old"], "age": [33, 70]}
    visits = {"id": [1], "person": ["new"], "kind": ["cough"]}
    data = lrnn.Dataset.from_tables(SCALED, {"person": new, "visit": visits}, labels=False)
    found = run.model.predict(data)
    assert found.examples == ["new", "old"] and found.queries == ["ill", "ill"]
    unlabelled = {**PERSON, "state": [None, *PERSON["state"][1:]]}
    assert len(lrnn.Dataset.from_tables(SCALED, {"person": unlabelled, "visit": VISIT})) == 11
    assert len(lrnn.Dataset.from_tables(SCALED, {"person": unlabelled, "visit": VISIT}, labels=False)) == 12


def test_facts_are_a_step_of_a_pipeline() -> None:
    pytest.importorskip("sklearn", reason="no scikit-learn: pipelines of tables are NOT tested")
    pd = pytest.importorskip("pandas")
    from sklearn.base import clone
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline

    person, state = pd.DataFrame(PERSON), np.array(PERSON["state"]) == "ill"
    facts = lrnn.Facts(SCALED, {"visit": VISIT})
    pipeline = make_pipeline(facts, lrnn.LRNNClassifier(ILL, query="ill", random_state=0, epochs=20))
    pipeline.fit(person.drop(columns="state"), state)
    assert pipeline.predict_proba(person[::-1])[::-1].tolist() == pipeline.predict_proba(person).tolist()
    # What the step learned is that of the rows it was fitted with.
    half = clone(facts).fit(person[:6])
    ages = half.transform(person[6:7]).facts(0)[0][0]
    known = np.array(PERSON["age"][:6], dtype=float)
    assert ages == pytest.approx((38.0 - known.mean()) / known.std())
    one, two = (cross_val_score(pipeline, person, state, cv=2, n_jobs=jobs) for jobs in (1, 2))
    assert one.tolist() == two.tolist()
    with pytest.raises(lrnn.UsageError, match="which table has the examples"):
        lrnn.Facts("a(X) <- t(x: X).").fit(person)
    customers, orders = pd.DataFrame(columns("customer")), pd.DataFrame(columns("orders"))
    known = customers["churned"].notna()
    customers = customers[known].head(200)
    shop = make_pipeline(
        lrnn.Facts(SHOP / "shop.tables", {"orders": orders}),
        lrnn.LRNNClassifier(lrnn.Template.read(SHOP / "template.lrnn"), epochs=3),
    )
    shop.fit(customers, customers["churned"])
    assert set(shop.predict(customers.drop(columns="churned"))) <= {"yes", "no"}
