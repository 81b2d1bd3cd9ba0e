"""Data: tuples, columns, text and files give the same; mistakes say where they are."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, command

import lrnn

EXAMPLES = """edge(a, b), edge(b, 3), 0.25 charge(a), [1, 2.5] position(b), [[1, 2], [3, 4]] turn(a), light.
edge('Anna\\'s', a), -1.5 charge('Anna\\'s')."""
QUERIES = """1 active, 0.5 near(a, b).
active."""


def by_tuples() -> lrnn.Dataset:
    data = lrnn.Dataset()
    data.add(
        [
            ("edge", "a", "b"),
            ["edge", "b", 3],
            (0.25, "charge", "a"),
            ([1, 2.5], "position", "b"),
            (np.array([[1, 2], [3, 4]]), "turn", "a"),
            "light",
        ],
        query=[(1, "active"), (0.5, "near", "a", "b")],
    )
    data.add([("edge", "Anna's", "a"), (np.float32(-1.5), "charge", "Anna's")], query=("active",))
    return data


def test_tuples_and_text_are_the_same_data() -> None:
    text = lrnn.Dataset.parse(EXAMPLES, QUERIES)
    assert by_tuples().fingerprint() == text.fingerprint()
    assert text.queries == [["active", "near(a, b)"], ["active"]]
    assert text.facts(1) == [("edge", "Anna's", "a"), (-1.5, "charge", "Anna's")]
    assert text.facts(0)[3:5] == [([1.0, 2.5], "position", "b"), ([[1.0, 2.0], [3.0, 4.0]], "turn", "a")]


def test_columns_and_text_are_the_same_data() -> None:
    columns = lrnn.Dataset.from_columns(
        {
            "edge": lrnn.Columns(["a", "b", "Anna's"], ["b", 3, "a"], example=[0, 0, 1]),
            "charge": lrnn.Values(np.array([0.25, -1.5]), ["a", "Anna's"], example=np.array([0, 1])),
            "position": lrnn.Values(np.array([[1, 2.5]]), ["b"]),
            "turn": lrnn.Values(np.arange(1.0, 5.0).reshape(1, 2, 2), ["a"]),
            "light": [],
        },
        {
            "active": lrnn.Columns(values=[1.0], example=[0]),
            "near": lrnn.Values([0.5], ["a"], ["b"], example=[0]),
        },
        examples=2,
    )
    assert columns[0].fingerprint() == by_tuples()[0].fingerprint()
    assert columns[1].facts() == by_tuples()[1].facts()


def test_whatever_hands_out_arrow_data_is_the_same_data() -> None:
    pa = pytest.importorskip("pyarrow")
    heads, tails, values = ["a", "b", "a"], [1, 2, 3], [0.5, 1.5, 2.5]
    expected = lrnn.Dataset.from_columns({"edge": [heads, tails], "x": lrnn.Values(values, tails)}).fingerprint()

    def check(head: object, tail: object, value: object, table: object) -> None:
        columns = lrnn.Dataset.from_columns({"edge": [head, tail], "x": lrnn.Values(value, tail)})
        assert columns.fingerprint() == expected
        whole = lrnn.Dataset.from_columns({"edge": table, "x": lrnn.Values(value, tail)})
        assert whole.fingerprint() == expected

    table = pa.table({"h": heads, "t": tails})
    check(table["h"], table["t"], pa.array(values), table)
    coded = pa.table({"h": pa.array(heads).dictionary_encode(), "t": pa.array(tails, pa.uint16())})
    check(coded["h"], coded["t"], pa.chunked_array([[0.5], [1.5, 2.5]]), coded)
    large = pa.table({"h": pa.array(heads, pa.large_string()), "t": pa.array(tails, pa.int8())})
    check(large["h"].combine_chunks(), large["t"], pa.array(values), large)
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"h": heads, "t": tails, "v": values})
    check(frame["h"], frame["t"], frame["v"], frame.select("h", "t"))
    pandas = pytest.importorskip("pandas")
    other = pandas.DataFrame({"h": heads, "t": tails, "v": values})
    check(other.h, other.t, other.v, other[["h", "t"]])
    other["h"] = other.h.astype("category")
    check(other.h.astype(object), other.t, other.v, other[["h", "t"]])
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql("select * from (values ('a', 1), ('b', 2), ('a', 3)) edges(h, t)")
    whole = lrnn.Dataset.from_columns({"edge": relation, "x": lrnn.Values(values, tails)})
    assert whole.fingerprint() == expected


def test_vectors_come_from_lists_of_fixed_size() -> None:
    pa = pytest.importorskip("pyarrow")
    lists = pa.array([[1.0, 2.0], [3.0, 4.0]], pa.list_(pa.float64(), 2))
    data = lrnn.Dataset.from_columns({"x": lrnn.Values(lists, [1, 2])})
    assert data.facts() == [([1.0, 2.0], "x", 1), ([3.0, 4.0], "x", 2)]


def test_values_that_are_missing_are_told_with_table_and_row() -> None:
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(lrnn.ContentError, match="a value is missing\n --> table edge, row 2"):
        lrnn.Dataset.from_columns({"edge": [pa.array(["a", "b", None])]})
    with pytest.raises(lrnn.ContentError, match="table edge, row 1"):
        lrnn.Dataset.from_columns({"edge": [["a", None]]})
    with pytest.raises(lrnn.ContentError, match="table edge, row 1"):
        lrnn.Dataset.from_columns({"edge": [np.array([1.0, np.nan])]})
    with pytest.raises(lrnn.ContentError, match="not a finite number\n --> table x, row 0"):
        lrnn.Dataset.from_columns({"x": lrnn.Values([np.inf], [1])})
    with pytest.raises(lrnn.ContentError, match="same number of rows"):
        lrnn.Dataset.from_columns({"edge": [[1, 2], [1]]})
    with pytest.raises(lrnn.ContentError, match="no constant"):
        lrnn.Dataset.from_columns({"edge": [pa.array([[1], [2]])]})


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ([("edge", 1, None)], "None is neither a name nor a number\n --> fact 0 of example 2"),
        ([("light",), ("edge", float("nan"))], "nan is not a finite number\n --> fact 1 of example 2"),
        ([5], "5 is no fact"),
        ([(1.0,)], "names no predicate"),
        ([(1.0, 2, "a")], "2 is no name of a predicate"),
        ([("edge", 2**70)], "does not fit into 64 bits"),
        ([("edge", "a", "b"), (2.0, "edge", "a", "b")], "stands twice"),
        ([([1, 2], "charge", "a")], "has shape {2}"),
        ([(([1], [1, 2]), "v", "a")], "is no value"),
        (7, "7 is no list of facts"),
    ],
)
def test_a_wrong_example_is_told_and_leaves_the_data_as_it_was(facts: object, message: str) -> None:
    data = by_tuples()
    with pytest.raises(lrnn.ContentError, match=message.replace("{", r"\{")):
        data.add(facts)  # type: ignore[arg-type]
    assert data.fingerprint() == by_tuples().fingerprint()
    data.add([("light",)])
    assert len(data) == 3


def test_examples_are_cut_as_arrays_are() -> None:
    data = by_tuples()
    data.add([("edge", 1, 2)], query=(0.0, "active"), name="last")
    assert [len(data[0]), len(data[-1]), len(data[:2]), len(data[::-1]), len(data[[2, 0]]), len(data[[]])] == [
        1, 1, 2, 3, 2, 0
    ]
    assert data[::-1].names == ["last", "1", "0"]
    assert data[np.array([True, False, True])].names == ["0", "last"]
    assert data[::-1][::-1].fingerprint() == data.fingerprint()
    assert [one.names[0] for one in data] == ["0", "1", "last"]
    with pytest.raises(IndexError):
        data[3]
    with pytest.raises(IndexError):
        data[np.array([True])]


def test_an_example_that_is_added_behind_a_cut_leaves_the_cut() -> None:
    data = by_tuples()
    first = data[:1]
    before = first.fingerprint()
    data.add([("light",)], query="active")
    assert (len(data), len(first), first.fingerprint()) == (3, 1, before)
    first.add([("light",)])
    assert (len(data), len(first)) == (3, 2)


def test_targets_are_an_array() -> None:
    data = lrnn.Dataset.parse("a. a. a.", "1 p. 0.5 p. p.", one=False)
    np.testing.assert_array_equal(data.y, [1, 0.5, np.nan])
    rows = lrnn.Dataset.parse("a. a.", "1 p, 0 q. 0 p, 1 q.", one=False)
    np.testing.assert_array_equal(rows.y, [[1, 0], [0, 1]])
    with pytest.raises(lrnn.UsageError, match="different numbers of targets"):
        by_tuples().y


def test_other_weights_and_queries_share_the_facts() -> None:
    data = by_tuples()
    weighted = data.with_weights([2.0, 0.5])
    assert weighted.weights.tolist() == [2.0, 0.5]
    assert weighted[1:].weights.tolist() == [0.5]
    asked = data.with_queries([(1.0, "fresh", "new"), [("active",), (0.0, "active")]])
    assert asked.queries == [["fresh(new)"], ["active", "active"]]
    assert asked.facts(1) == data.facts(1)
    for wrong in ([1.0], [1.0, -1.0], [1.0, np.nan]):
        with pytest.raises(lrnn.UsageError):
            data.with_weights(wrong)
    with pytest.raises(lrnn.UsageError, match="1 entries of queries for 2 examples"):
        data.with_queries([None])


def test_data_goes_to_other_processes() -> None:
    data = by_tuples().with_weights([1.0, 0.25])
    again = pickle.loads(pickle.dumps(data))
    assert again.fingerprint() == data.fingerprint()
    assert again.facts(0) == data.facts(0)
    with pytest.raises(lrnn.ContentError, match="no data of this version"):
        lrnn.dataset._unpacked(b"{}")


def test_data_is_written_as_files(tmp_path: object) -> None:
    data = by_tuples()
    data.write(f"{tmp_path}/data")
    assert lrnn.Dataset.read(f"{tmp_path}/data").fingerprint() == data.fingerprint()
    with pytest.raises(lrnn.FileError) as told:
        lrnn.Dataset.read(f"{tmp_path}/dat")
    assert told.value.help == f"did you mean `{tmp_path}/data`?" and isinstance(told.value, OSError)


def test_triples_are_one_example() -> None:
    rows = [("anna", "likes", "bo"), ("bo", "likes", "cy"), ("cy", "knows", "anna")]
    data = lrnn.Dataset.from_triples(rows, [(1.0, "bo", "knows", "anna"), ("cy", "likes", "bo")])
    assert data.facts() == [("likes", "anna", "bo"), ("likes", "bo", "cy"), ("knows", "cy", "anna")]
    assert data.queries == [["knows(bo, anna)", "likes(cy, bo)"]]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, columns=["h", "r", "t"])
    assert lrnn.Dataset.from_triples(frame).facts() == data.facts()
    with pytest.raises(lrnn.UsageError, match="row 0 has 2 entries"):
        lrnn.Dataset.from_triples([("a", "b")])


def test_molecules_come_from_smiles() -> None:
    data = lrnn.chem.from_smiles(["Oc1ccccc1", "CCl"], y=[1, 0], rings=True)
    assert data.names == ["Oc1ccccc1", "CCl"]
    assert data.schema["ring/2"] == (6, "number")
    assert ("element", "a2", "cl") in data.facts(1)


def test_molecules_that_cannot_be_read_are_all_told() -> None:
    texts = ["C", "CC(", None, "CO", "C1CC", ""]
    with pytest.raises(lrnn.ContentError, match="4 of 6 molecules cannot be read") as told:
        lrnn.chem.from_smiles(texts, y=range(6))
    assert [it.place for it in told.value.diagnostics[:4]] == [f"table smiles, row {row}" for row in (1, 2, 4, 5)]
    assert "`CC(`" in told.value.message and all(it.severity == "error" for it in told.value.diagnostics)
    data = lrnn.chem.from_smiles(texts, y=range(6), on_error="skip")
    assert (data.names, data.y.tolist()) == (["C", "CO"], [0.0, 3.0])
    assert [it.severity for it in data.notes] == ["warning"] * 5 and "4 of 6 molecules" in data.notes[-1].message
    assert lrnn.chem.readable(texts).tolist() == [True, False, False, True, False, False]
    many = lrnn.chem.from_smiles(["C", *["("] * 30], on_error="skip").notes
    assert len(many) == 21 and "30 of 31 molecules cannot be read, 10 of them not listed" in many[-1].message
    with pytest.raises(lrnn.ContentError, match="1 of 1 molecules"):
        lrnn.chem.from_smiles(["("], on_error="skip")
    with pytest.raises(lrnn.UsageError, match="'raise' or 'skip'"):
        lrnn.chem.from_smiles(texts, on_error="drop")


def test_a_table_of_molecules_is_read_as_the_command_does(tmp_path: Path) -> None:
    found = lrnn.chem.read(ROOT / "datasets" / "amines.csv", smiles="smiles", target="amine")
    run = lrnn.fit(found.template, found.dataset, **{**found.settings, "epochs": 2})
    words = ["--smiles", "smiles", "--target", "amine", "--epochs", 2, "--out", tmp_path / "run"]
    command("train", "datasets/amines.csv", *words)
    assert run.model.to_bytes() == (tmp_path / "run" / "model.safetensors").read_bytes()
    assert found.settings == {}
    printed = command("patterns", tmp_path / "run", "datasets/amines.csv", "--top", 3, "--json").stdout
    substructures = run.model.substructures(found.dataset, top=3)
    told = json.loads(printed)
    keys = ("property", "raising", "lowering", "count", "least_support", "base")
    assert substructures.data == {key: told[key] for key in keys}
    assert len(substructures.raising) == 3 and "N" in substructures.raising[0]["name"]
    with pytest.raises(lrnn.UsageError, match="the examples are no molecules"):
        run.model.substructures(lrnn.Dataset.parse("edge(a, b).", template=found.template))
    template = lrnn.chem.template("amine")
    data = lrnn.chem.from_smiles(["CCN", "CCO"], [1, 0], query=("property", "amine"), rings=True)
    assert lrnn.fit(template, data, optimizer="sgd", epochs=1).model.queries == ["property(amine)"]


def test_a_preview_shows_predicates_and_facts() -> None:
    text = by_tuples().preview()
    assert "edge/2: 3 facts" in text and "0: edge(a, b), edge(b, 3), 0.25 charge(a)" in text


def test_graphs_of_networkx_are_examples() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph(name="g")
    graph.add_node(1, element="c", charge=0.5)
    graph.add_node((2, 3), place=[1.0, 2.0])
    graph.add_edge(1, (2, 3), kind="double", length=1.5)
    data = lrnn.Dataset.from_networkx([graph, networkx.DiGraph([("a", "b")])], y=[1, 0])
    other = "(2, 3)"
    assert data.names == ["g", "1"] and data.y.tolist() == [1.0, 0.0]
    assert set(map(repr, data.facts(0))) == set(map(repr, [
        ("node", 1), ("node", other), ("element", 1, "c"), (0.5, "charge", 1), ([1.0, 2.0], "place", other),
        ("edge", 1, other), ("edge", other, 1), ("kind", 1, other, "double"), ("kind", other, 1, "double"),
        (1.5, "length", 1, other), (1.5, "length", other, 1),
    ]))
    assert data.facts(1) == [("node", "a"), ("node", "b"), ("edge", "a", "b")]
    with pytest.raises(lrnn.UsageError, match="1 targets for 2 graphs"):
        lrnn.Dataset.from_networkx([graph, graph], y=[1])


def test_graphs_of_pyg_are_examples() -> None:
    # What a graph of PyTorch Geometric has; the tensors are arrays here, so that torch is not needed.
    class Graph:
        def __init__(self, **parts: object) -> None:
            self.__dict__.update(parts)

    edges = np.array([[0, 1], [1, 2]])
    x = np.arange(6.0).reshape(3, 2)
    whole = Graph(edge_index=edges, x=x, edge_attr=np.array([[0.5], [1.5]]), y=np.array([1]))
    nodes = Graph(edge_index=edges, x=x, y=np.array([1, 0, 1]))
    bare = Graph(edge_index=edges)
    data = lrnn.Dataset.from_pyg([whole, nodes, bare])
    assert data.facts(2) == [("edge", 0, 1), ("edge", 1, 2)]
    assert data.queries == [["y"], ["y(0)", "y(1)", "y(2)"], []]
    assert ([2.0, 3.0], "x", 1) in data.facts(0) and (0.5, "edge_attr", 0, 1) in data.facts(0)


def test_a_query_with_variables_asks_for_every_atom_that_matches() -> None:
    template = lrnn.Template("w :: foal(A) :- parent(A, P), horse(P).")
    text = "1 foal(star), 0 foal(X) :- horse(aida), parent(star, aida), 0.2 parent(bob, aida), parent(eve, rex)."
    data = lrnn.Dataset.parse(text, one=False)
    fitted = lrnn.fit(template, data, epochs=5)
    for asked in (data, pickle.loads(pickle.dumps(data)), data[[0]]):
        assert len(fitted.model.predict(asked).values) == 2
