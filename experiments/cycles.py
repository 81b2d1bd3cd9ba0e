"""Compares cyclic templates with other programs, and times them.

    LRNN_DATA=folder python experiments/cycles.py

Who reaches whom in 1,000 random graphs, as SQLite's recursive queries answer it and as paths of the widest narrowest edge;
ranks of pages and labels that spread over the citations of `cora` in the folder, beside the same steps in Python; and a graph
of 100,000 edges.
"""

import gzip
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
CORA = pathlib.Path(os.environ.get("LRNN_DATA", ".")) / "cora"
LRNN = os.environ.get("LRNN", str(HERE / "target/release/lrnn"))

REACH = ":- family(godel).\npath(X, Y) :- edge(X, Y).\npath(X, Z) :- edge(X, Y), path(Y, Z).\n"
FROM = ":- family(godel).\nseen(0).\nseen(Y) :- seen(X), edge(X, Y).\n"
RANK = """:- family(godel).
rank/1 [activation = sum].
<0.15> :: rank(X) :- page(X).
<0.85> :: rank(X) :- link(Y, X), rank(Y). [combination = product, aggregation = sum]
"""
LABEL = """:- family(godel).
label/2 [activation = sum].
label(X, C) :- seed(X, C).
<0.9> :: label(X, C) :- label(Y, C), *edge(X, Y). [aggregation = avg]
"""


def query(template, examples, atom, *flags):
    """Returns the atoms of all examples with their values, and seconds with notes about cycles."""
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, name) for name in ("template.lrnn", "examples.txt")]
        files[0].write_text(template)
        files[1].write_text("".join(", ".join(example) + ".\n" for example in examples))
        command = [LRNN, "query", *files, atom, "--json", "--quiet", *flags]
        found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    values = [{} for _ in examples]
    for atom in found["atoms"]:
        values[atom["example"]][atom["atom"]] = atom["value"]
    return values, found


def reached_by_sqlite(edges):
    """Returns all pairs of which one reaches the other, by a recursive query."""
    base = sqlite3.connect(":memory:")
    base.execute("create table edge (a, b)")
    base.executemany("insert into edge values (?, ?)", list(edges))
    text = """with recursive path (a, b) as
        (select a, b from edge union select edge.a, path.b from edge join path on edge.b = path.a) select a, b from path"""
    return {f"path({a}, {b})" for a, b in base.execute(text)}


def widest(edges):
    """Returns for all pairs the widest narrowest edge of a path, by the method of Floyd and Warshall."""
    nodes, best = sorted({node for edge in edges for node in edge}), dict(edges)
    for middle in nodes:
        for a in nodes:
            for b in nodes:
                value = min(best.get((a, middle), 0), best.get((middle, b), 0))
                if value > best.get((a, b), 0):
                    best[a, b] = value
    return {f"path({a}, {b})": value for (a, b), value in best.items()}


def reach():
    draw = random.Random(1)
    graphs = []
    for number in range(1000):
        nodes, edges = 3 + number % 10, 4 + number % 17
        graphs.append({(draw.randrange(nodes), draw.randrange(nodes)): draw.randint(1, 99) / 100 for _ in range(edges)})
    examples = [[f"{value} edge({a}, {b})" for (a, b), value in graph.items()] for graph in graphs]
    true, _ = query(REACH, examples, "path(X, Y)", "--semiring", "boolean")
    values, found = query(REACH, examples, "path(X, Y)")
    same = sum(set(one) == reached_by_sqlite(graph) for one, graph in zip(true, graphs))
    best = sum(one == widest(graph) for one, graph in zip(values, graphs))
    print(f"1,000 graphs, {found['cycles']['cycles']} cycles: {same} as SQLite, {best} as the widest paths")


def difference(found, expected):
    assert set(found) == set(expected), (len(found), len(expected))
    return max(abs(found[name] - value) for name, value in expected.items())


def cora():
    lines = gzip.open(CORA / "nodes.tsv.gz", "rt").read().splitlines()
    nodes = {int(line.split("\t")[0]): line.split("\t")[1:3] for line in lines if line.split("\t")[0].isdigit()}
    links = [tuple(map(int, line.split("\t"))) for line in (CORA / "edges.tsv").read_text().splitlines() if line[:1].isdigit()]
    near = {node: [] for node in nodes}
    for a, b in links:
        near[a].append(b)
        near[b].append(a)
    facts = [f"page({node})" for node in nodes] + [f"{1 / len(near[a])} link({a}, {b})" for a in nodes for b in near[a]]
    begin = time.perf_counter()
    ranks, found = query(RANK, [facts], "rank(X)")
    theirs = time.perf_counter()
    rank = dict.fromkeys(nodes, 0.0)
    for _ in range(200):
        rank = {node: 0.15 + 0.85 * sum(rank[other] / len(near[other]) for other in near[node]) for node in nodes}
    own = difference(ranks[0], {f"rank({node})": value for node, value in rank.items()})
    print(f"ranks of {len(nodes)} pages: {own:.1e} apart, {found['cycles']['sweeps']} sweeps, "
          f"{theirs - begin:.2f} s; in Python {time.perf_counter() - theirs:.2f} s")

    seeds = {node: kind for node, (kind, part) in nodes.items() if part == "train"}
    facts = [f"seed({node}, c{kind})" for node, kind in seeds.items()] + [f"edge({a}, {b})" for a in nodes for b in near[a]]
    begin = time.perf_counter()
    labels, found = query(LABEL, [facts], "label(X, C)")
    theirs = time.perf_counter()
    kinds = sorted(set(seeds.values()))
    expected = {}
    for kind in kinds:
        now = dict.fromkeys(nodes, 0.0)
        for _ in range(260):
            mean = {node: sum([now[other] for other in near[node]]) / max(1, len(near[node])) for node in nodes}
            now = {node: (seeds.get(node) == kind) + 0.9 * mean[node] for node in nodes}
        expected |= {f"label({node}, c{kind})": value for node, value in now.items() if value > 0}
    own = difference(labels[0], expected)
    asked = [node for node, (_, part) in nodes.items() if part == "test"]
    value = lambda node, kind: labels[0].get(f"label({node}, c{kind})", 0.0)
    right = sum(max(kinds, key=lambda kind: value(node, kind)) == nodes[node][0] for node in asked)
    print(f"labels of {len(nodes)} pages from {len(seeds)}: {own:.1e} apart, {found['cycles']['sweeps']} sweeps, "
          f"{theirs - begin:.2f} s; in Python {time.perf_counter() - theirs:.2f} s; {100 * right / len(asked):.1f} % of "
          f"{len(asked)} test pages right")


def large():
    draw = random.Random(2)
    edges = {(draw.randrange(20_000), draw.randrange(20_000)): draw.randint(1, 99) / 100 for _ in range(100_000)}
    begin = time.perf_counter()
    values, found = query(FROM, [[f"{value} edge({a}, {b})" for (a, b), value in edges.items()]], "seen(X)")
    cycles = found["cycles"]
    print(f"{len(edges)} edges: {len(values[0])} atoms, {cycles['atoms']} in cycles, {cycles['sweeps']} sweeps, "
          f"{found['seconds']['evaluate']:.2f} s to evaluate, {time.perf_counter() - begin:.2f} s with all")


reach()
if CORA.exists():
    cora()
else:
    print(f"SKIPPED: {CORA} is not there; LRNN_DATA names the folder that has it")
large()
