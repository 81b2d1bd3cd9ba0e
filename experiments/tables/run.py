#!/usr/bin/env python3
"""Hepatitis, UW-CSE, IMDb and Cora as tables, from facts to accuracy: run.py DATA OUT [--lrnn PROGRAM].

Makes the databases (make.py), infers a mapping and a template of each, learns by ten-fold cross-validation with no edit,
and prints rows, queries, accuracy, AUC and seconds of the processor.
"""
import argparse
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys

TARGETS = {"hepatitis": "patient.type", "imdb": "workedunder.label", "uwcse": "advisedby.label", "cora": "paper.topic"}

flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
flags.add_argument("data", type=pathlib.Path)
flags.add_argument("out", type=pathlib.Path)
flags.add_argument("--lrnn", type=pathlib.Path, default=pathlib.Path("target/release/lrnn"))
flags.add_argument("--only", nargs="*", default=list(TARGETS))
flags = flags.parse_args()
lrnn, out = flags.lrnn.resolve(), flags.out.resolve()
subprocess.run([sys.executable, pathlib.Path(__file__).parent / "make.py", flags.data, out], check=True, stdout=subprocess.DEVNULL)


def run(*arguments):
    """Runs the command; returns its output and the seconds of the processor."""
    before = os.times()
    found = subprocess.run([lrnn, *map(str, arguments)], cwd=out, check=True, capture_output=True, text=True)
    after = os.times()
    return found.stdout, after.children_user + after.children_system - before.children_user - before.children_system


print(f"{'database':<10} {'target':<18} {'rows':>7} {'queries':>8} {'accuracy':>16} {'AUC':>7} {'CPU':>8}")
for name in flags.only:
    target = TARGETS[name]
    for path in [out / f"{name}.{ending}" for ending in ["tables", "lrnn", "toml"] if (out / f"{name}.{ending}").exists()]:
        path.unlink()
    shutil.rmtree(out / f"runs/{name}", ignore_errors=True)
    with sqlite3.connect(out / f"{name}.sqlite") as database:
        tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = sum(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables)
    seconds = run("tables", "infer", f"{name}.sqlite", "--target", target, "--out", f"{name}.tables")[1]
    found, more = run("crossval", f"{name}.tables", "--out", f"runs/{name}", "--json")
    found = json.loads(found)
    accuracy, area = found["accuracy"], found["auc"]
    print(f"{name:<10} {target:<18} {rows:>7} {sum(fold['answers'] for fold in found['folds']):>8} {100 * accuracy['mean']:7.1f} ± {100 * accuracy['deviation']:4.1f} % "
          f"{area['mean']:7.3f} {seconds + more:6.1f} s", flush=True)
