"""Learns rules with `lrnn induce` on many datasets and prints a row of figures for each.

    LRNN_DATA=folder python experiments/rules.py [--methods growth,nfoil,kfoil,kernel,boosted] [--seeds 3] [NAME ...]

Every dataset, method and seed has a folder in runs/rules, so whatever was done stays done; one that is killed goes on
with the fold where it stopped. Folds are those of the data; where it has none, ten are drawn, others for every seed.
Times are of the processor, all threads together, for all folds with all that is chosen inside them.
Nothing is set by hand: bias, regularisation and number of rules come from the training part of each fold.
The methods kernel and boosted take clauses for features; boosted needs a build with --features boosted, and `LRNN` names
another program than target/release/lrnn. `NAME` is a name of the list below; for a name that ends in `-held-out`
folds hold out first compounds, which no query of training names.
"""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("LRNN_DATA", "."))
LRNN = os.environ.get("LRNN", str(HERE / "target/release/lrnn"))
RUNS = HERE / "runs/rules"

ALZHEIMER = [f"alzheimer_{name}" for name in ("amine", "toxic", "acetyl")]
SCREENS = ["786_0", "A498", "BT_549", "CAKI_1", "CCRF_CEM"]
DATASETS = {
    "trains_10": "trains_10/neuralogic",
    **{name: name for name in ("trains_1000_1", "trains_1000_2", "trains_1000_4", *ALZHEIMER)},
    **{f"{name}-held-out": name for name in ALZHEIMER},
    **{name: name for name in ("mutagenesis", "uwcse", "imdb", "hepatitis", "carcinogenesis", "ptc_fr", "ptc_fm", "ptc_mr")},
    **{f"nci_{name}": f"nci_gi/screens/{name}.tsv" for name in SCREENS},
}


def run(name, method, seed):
    """Returns the results of one cross-validation, from its folder where it is done."""
    out = RUNS / name / f"{method}-{seed}"
    done = out / "measured.json"
    if not done.exists():
        words = [LRNN, "induce", str(DATA / DATASETS[name]), "--crossval", "--method", method, "--seed", str(seed)]
        words += ["--out", str(out), "--json", "--quiet"] + (["--group", "1"] if name.endswith("-held-out") else [])
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = subprocess.run(words, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if ended.returncode != 0:
            print(f"{name}, {method}, seed {seed}: {ended.stderr.strip()}", file=sys.stderr)
            return None
        processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        done.write_text(json.dumps({**json.loads(ended.stdout), "processor_seconds": processor}))
    return json.loads(done.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--methods", default="growth,nfoil,kfoil,kernel,boosted")
    parser.add_argument("--seeds", type=int, default=3)
    words = parser.parse_args()
    print("| data | method | accuracy | area under ROC | average precision | rules | processor seconds |\n|---|---|---|---|---|---|---|")
    for name in words.names or DATASETS:
        if name not in DATASETS:
            sys.exit(f"there is no dataset `{name}`; there are {', '.join(DATASETS)}")
        for method in words.methods.split(","):
            found = [run(name, method, seed) for seed in range(1, words.seeds + 1)]
            found = [one for one in found if one]
            if not found:
                continue

            def mean(of, digits):
                values = [value for value in map(of, found) if value is not None]
                return f"{statistics.mean(values):.{digits}f}" if values else "–"

            cells = [
                mean(lambda one: one["accuracy"] and 100 * one["accuracy"][0], 1),
                mean(lambda one: one["all"]["auc"], 3),
                mean(lambda one: one["all"]["average_precision"], 3),
                mean(lambda one: one["all"]["rules"], 0),
                mean(lambda one: one["processor_seconds"], 0),
            ]
            print(f"| {name} | {method} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
