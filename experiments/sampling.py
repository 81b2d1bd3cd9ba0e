#!/usr/bin/env python3
"""Cora from all queries in every step, and from batches with sampled neighbours: sampling.py DATA OUT [--lrnn PROGRAM] [--seeds N].

DATA has the folder `cora`; OUT gets the facts, once with the queries of each part of the public split, and the runs. Settings
were chosen on the validation part; the test part is read once for each row.
"""

import argparse
import gzip
import json
import pathlib
import shutil
import statistics
import subprocess
import time

COMMON = ["--optimizer", "adam", "--learning-rate", "0.01", "--l2", "0.005", "--loss", "softmax", "--evaluate", "1000000"]
ROWS = {
    "all 140 queries, all links": ["--epochs", "100"],
    "batches of 20, all links": ["--epochs", "15", "--batch-queries", "20"],
    "batches of 20, 10 links": ["--epochs", "15", "--batch-queries", "20", "--sampled-neighbours", "10"],
    "batches of 20, 5 links": ["--epochs", "15", "--batch-queries", "20", "--sampled-neighbours", "5"],
    "batches of 20, 2 links": ["--epochs", "15", "--batch-queries", "20", "--sampled-neighbours", "2"],
    "batches of 20, 1 link": ["--epochs", "15", "--batch-queries", "20", "--sampled-neighbours", "1"],
}


def write(data, out):
    with gzip.open(data / "cora/nodes.tsv.gz", "rt") as lines:
        nodes = [line.rstrip("\n").split("\t") for line in lines if line[:1].isdigit()]
    links = [line.split() for line in (data / "cora/edges.tsv").read_text().splitlines() if line[:1].isdigit()]
    facts = [f"word(p{node}, {word})" for node, _, _, words in nodes for word in words.split()]
    facts += [f"link(p{a}, p{b}), link(p{b}, p{a})" for a, b in links]
    for part in ["train", "valid", "test"]:
        folder = out / part
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "examples.txt").write_text(",\n".join(facts) + ".\n")
        own = [(node, int(topic)) for node, topic, own, _ in nodes if own == part]
        target = lambda topic: ", ".join(str(int(it == topic)) for it in range(7))
        (folder / "queries.txt").write_text("".join(f"[{target(topic)}] topic(p{node}).\n" for node, topic in own))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--lrnn", default="lrnn")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--parts", nargs="+", default=["valid", "test"])
    options = parser.parse_args()
    write(options.data, options.out)
    template = pathlib.Path(__file__).parent / "templates/cora.lrnn"
    for name, flags in ROWS.items():
        accuracies, seconds = {part: [] for part in options.parts}, []
        for seed in range(options.seeds):
            run, begin = options.out / "run", time.time()
            shutil.rmtree(run, ignore_errors=True)
            train = [options.lrnn, "train", template, options.out / "train", "--out", run, "--seed", seed, *COMMON, *flags]
            subprocess.run(list(map(str, train)), check=True, capture_output=True)
            seconds.append(time.time() - begin)
            for part in options.parts:
                test = [options.lrnn, "test", run, options.out / part, "--json"]
                told = json.loads(subprocess.run(list(map(str, test)), check=True, capture_output=True).stdout)
                accuracies[part].append(100 * told["metrics"]["class-accuracy"])
        cells = [f"{statistics.mean(all):.1f} ± {statistics.pstdev(all):.1f} % ({part})" for part, all in accuracies.items()]
        print(f"{name}: {', '.join(cells)}; {min(seconds):.1f} s", flush=True)


main()
