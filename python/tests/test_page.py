"""The whole package on one page, as people write it: each line runs, and gives what it should."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

import lrnn

MOL = """
w[E] :: in(A) :- element(A, E).
m[K] :: active :- in(A), in(B), *bond(A, B, K).
"""
MAPPING = """
:- example(molecule.id).
:- key(atom.molecule, molecule.id).
:- key(bond.atom1, atom.id).
element(A, E) <- atom(id: A, element: E).
bond(A, B, K) <- bond(kind: K, atom1: A, atom2: B).
bond(B, A, K) <- bond(kind: K, atom1: A, atom2: B).
? 1 :: active <- molecule(label: pos).
? 0 :: active <- molecule(label: neg).
"""


def molecules(t: lrnn.Template, count: int = 20) -> lrnn.Dataset:
    d = lrnn.Dataset(t)
    for number in range(count):
        other = "on"[number % 2]
        facts: list[Any] = [("element", 1, "c"), ("element", 2, other), ("bond", 1, 2, "double"), (0.3, "charge", 1)]
        d.add(facts, query=(float(other == "o"), "active"), name=f"d{number}")
    return d


def test_templates_and_data_from_everything(tmp_path: Path) -> None:
    t = lrnn.Template(MOL)
    (tmp_path / "mol.lrnn").write_text(MOL, encoding="utf-8")
    assert lrnn.Template.read(tmp_path / "mol.lrnn").check() == t.check() == []
    d = molecules(t)
    assert len(d) == 20 and "bond/3: 20 facts" in d.preview()

    pd, duckdb = pytest.importorskip("pandas"), pytest.importorskip("duckdb")
    atoms_df = pd.DataFrame({"id": [1, 2, 3], "molecule": ["m", "m", "n"], "element": ["c", "o", "c"]})
    con = duckdb.connect()
    con.sql("create table bond as select 'double' as kind, 1 as atom1, 2 as atom2")
    con.sql("create table molecule as select unnest(['m', 'n']) as id, unnest(['pos', 'neg']) as label")
    (tmp_path / "mol.tables").write_text(MAPPING, encoding="utf-8")
    tables = {"atom": atoms_df, "bond": con.sql("from bond"), "molecule": con.sql("from molecule")}
    d = lrnn.Dataset.from_tables(tmp_path / "mol.tables", tables)
    assert d.y.tolist() == [1.0, 0.0] and d.schema["bond/3"][0] == 2 and d.names == ["m", "n"]
    assert "2 examples from memory" in d.preview()

    src, dst, ids, features = np.array([1, 2]), np.array([2, 1]), np.array([1, 2]), np.eye(2)
    d = lrnn.Dataset.from_columns(
        {"edge": [src, dst], "x": lrnn.Values(features, ids)}, queries={"y": lrnn.Values([1.0, 0.0], ids)}
    )
    assert d.queries == [["y(1)", "y(2)"]]

    df = pd.DataFrame({"smiles": ["CCO", "CC=O"], "active": [0, 1]})
    assert lrnn.chem.from_smiles(df.smiles, y=df.active).y.tolist() == [0.0, 1.0]
    networkx = pytest.importorskip("networkx")
    assert lrnn.Dataset.from_networkx([networkx.path_graph(3)]).schema["edge/2"][0] == 4
    data_list = [SimpleNamespace(edge_index=np.array([[0, 1], [1, 0]]), x=np.eye(2), y=np.array([1.0]))]
    d = lrnn.Dataset.from_pyg(data_list)
    assert d.schema == {"edge/2": (2, "number"), "x/1": (2, "{2}")} and d.y.tolist() == [1.0]
    triples = pd.DataFrame({"head": ["a", "b"], "relation": ["r", "s"], "tail": ["b", "c"]})
    assert lrnn.Dataset.from_triples(triples).schema == {"r/2": (1, "number"), "s/2": (1, "number")}


def test_molecules_of_rdkit() -> None:
    Chem = pytest.importorskip("rdkit.Chem", reason="no RDKit: lrnn.chem.from_mols is NOT tested")
    texts, labels = ["CCO", "c1ccccc1Cl", "CC(=O)[O-]", "C[C@H](N)C(=O)O"], [0, 1, 0, 1]
    mols = [Chem.MolFromSmiles(text) for text in texts]
    d = lrnn.chem.from_mols(mols, y=labels)
    assert d.y.tolist() == labels and d.fingerprint() == lrnn.chem.from_smiles(texts, y=labels).fingerprint()
    with pytest.raises(lrnn.ContentError, match="table smiles, row 1"):
        lrnn.chem.from_mols([mols[0], None])


def test_learning_and_models(tmp_path: Path) -> None:
    t = lrnn.Template(MOL)
    d = molecules(t)
    out = tmp_path / "runs" / "mol"
    settings: dict[str, Any] = {"optimizer": "lbfgs", "epochs": 200, "validation": 0.2, "seed": 7, "threads": 2}
    run = lrnn.fit(t, d, **settings, progress=True, out=out)
    assert run.model and len(run.history) > 0 and isinstance(run.notes, list)
    assert lrnn.resume(out).model.to_bytes() == run.model.to_bytes()
    m = run.model
    assert m.weights["m[double]"].shape == () and len(m.weights.table("m")) == 1
    assert m.predict(d).values.shape == m.predict_proba(d).shape == (20,)
    p = m.predictor()
    assert p.predict_one(d.facts(0)).probability == m.predict_proba(d)[0]
    m.save(tmp_path / "mol.safetensors")
    assert lrnn.load(tmp_path / "mol.safetensors").to_bytes() == m.to_bytes()
    explanation = m.explain(d, "d9")
    assert isinstance(explanation, lrnn.Explanation) and explanation.picture().text.startswith("<svg")
    m.report(d).save(tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 10_000
    crossval = lrnn.crossval(t, d, folds=10, search={"l2": [1e-4, 1e-2]}, optimizer="adam", epochs=20)
    assert crossval.data["trials"] == 2 and len(crossval.folds()) == 10


def test_estimators() -> None:
    pytest.importorskip("sklearn", reason="no scikit-learn: the page is NOT tested")
    pd = pytest.importorskip("pandas")
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline

    t, t2 = lrnn.Template(MOL), lrnn.Template("v[E] :: active :- element(A, E).")
    d = molecules(t)
    est = lrnn.LRNNClassifier(t, query="active", l2=1e-3, random_state=0)
    assert cross_val_score(est, d, d.y, cv=10, scoring="roc_auc").tolist() == [1.0] * 10
    search = GridSearchCV(est, {"l2": [1e-4, 1e-2], "template": [t, t2]}).fit(d, d.y)
    assert search.best_score_ == 1.0
    df = pd.DataFrame({"smiles": ["CCO", "CC=O", "CCCO", "CCC=O"], "active": [0, 1, 0, 1]})
    assert make_pipeline(lrnn.Smiles(), est).fit(df.smiles, df.active).score(df.smiles, df.active) == 1.0

    shop = lrnn.read_folder(ROOT / "datasets" / "shop")
    orders = pd.read_csv(ROOT / "datasets/shop/tables/orders.csv.gz", dtype=str)
    customers = pd.read_csv(ROOT / "datasets/shop/tables/customer.csv.gz", dtype=str).dropna().head(300)
    churned = customers.pop("churned")
    est = lrnn.LRNNClassifier(shop.template, query="churn", random_state=0, epochs=20)
    facts = lrnn.Facts(ROOT / "datasets/shop/shop.tables", {"orders": orders})
    assert make_pipeline(facts, est).fit(customers, churned).score(customers, churned) > 0.6

    X_2d = np.random.default_rng(0).normal(size=(50, 3))
    y = X_2d @ [1.0, -2.0, 0.5]
    assert lrnn.LRNNRegressor(random_state=0).fit(X_2d, y).score(X_2d, y) > 0.99


def test_rules_under_torch() -> None:
    torch = pytest.importorskip("torch", reason="no torch: the page is NOT tested")
    t = """
        :- family(godel).
        sum(S) :- digit(left, A), digit(right, B), *plus(A, B, S). [combination = product, aggregation = sum]
        plus(0, 0, 0). plus(0, 1, 1). plus(1, 0, 1). plus(1, 1, 2).
    """
    d = lrnn.Dataset()
    d.add([("digit", side, digit) for side in ("left", "right") for digit in (0, 1)], query=[("sum", s) for s in range(3)])
    rules = lrnn.torch.Module(t, inputs={"digit": 2})
    bound = rules.ground(d)
    encoder, images = torch.nn.Linear(4, 2), torch.ones(2, 4)
    loss_fn, targets = torch.nn.MSELoss(), torch.tensor([0.0, 1.0, 0.0])
    loss_fn(bound(digit=encoder(images).softmax(1))["sum"], targets).backward()
    assert encoder.weight.grad.abs().sum() > 0


def test_workers_of_ray() -> None:
    pytest.importorskip("ray", reason="no Ray: the page is NOT tested")
    t = lrnn.Template(MOL)
    d = molecules(t)
    settings: dict[str, Any] = {"optimizer": "adam", "epochs": 5}
    run = lrnn.fit(t, d, batch=0, on=lrnn.Ray(workers=(2, 8)), **settings)
    assert run.model.to_bytes() == lrnn.fit(t, d, batch=0, **settings).model.to_bytes()
    search = {"l2": [1e-4, 1e-2]}
    crossval = lrnn.crossval(t, d, folds=10, search=search, on=lrnn.Ray(workers=2), **settings)
    assert crossval.accuracy == lrnn.crossval(t, d, folds=10, search=search, **settings).accuracy
