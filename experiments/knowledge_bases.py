"""Completes knowledge bases with `lrnn complete` and prints a row of figures for each.

    LRNN_DATA=folder python experiments/knowledge_bases.py [NAME ...]

The folder has `nations`, `umls`, `family` and `countries` as their sources ship them; `kinship/triples` is that of this
project. Settings are chosen on validation triples, test triples are ranked once. `umls-30` draws 30 % of all triples for
training, 20 % for validation and the rest for the test.
"""

import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("LRNN_DATA", "."))
LRNN = os.environ.get("LRNN", str(HERE / "target/release/lrnn"))


def triples(path):
    zipped = path.with_name(path.name + ".gz")
    text = gzip.open(zipped, "rt").read() if zipped.exists() else path.read_text()
    return [line.split("\t") for line in text.splitlines() if line.strip()]


def write(folder, **parts):
    for name, part in parts.items():
        (folder / f"{name}.tsv").write_text("".join("\t".join(triple) + "\n" for triple in part))


def of_triples(name):
    def make(folder):
        own = DATA / name / "triples"
        write(folder, **{part: triples(own / f"{part}.tsv") for part in ("train", "valid", "test")})
    return make


def umls_30(folder):
    own = DATA / "umls/triples"
    every = sorted(triple for part in ("train", "valid", "test") for triple in triples(own / f"{part}.tsv"))
    random.Random(1).shuffle(every)
    first, second = 3 * len(every) // 10, 5 * len(every) // 10
    write(folder, train=every[:first], valid=every[first:second], test=every[second:])


def family(folder):
    own = DATA / "family"
    known = triples(own / "facts.txt") + triples(own / "train.txt")
    write(folder, train=known, valid=triples(own / "valid.txt"), test=triples(own / "test.txt"))


def countries(number):
    def make(folder):
        def facts(name):
            lines = (DATA / "countries" / name).read_text().split()
            split = [line.rstrip(".").rstrip(")").replace("(", ",").split(",") for line in lines]
            return [[head, relation, tail] for relation, head, tail in split]
        names = {part: set((DATA / "countries" / f"{part}.txt").read_text().split()) for part in ("dev", "test", "regions")}
        asked = [triple for triple in facts("countries.nl") if triple[1] == "locatedIn" and triple[2] in names["regions"]]
        held = {part: [triple for triple in asked if triple[0] in names[part]] for part in ("dev", "test")}
        known = [triple for triple in facts(f"countries_S{number}.nl") if triple not in held["dev"]]
        write(folder, train=known, valid=held["dev"], test=held["test"])
    return make


def kinship(folder):
    own = HERE / "datasets/kinship/triples"
    write(folder, **{part: triples(own / f"{part}.tsv") for part in ("train", "valid", "test")})


SETS = {
    "kinship/triples": kinship,
    "nations": of_triples("nations"),
    "umls": of_triples("umls"),
    "umls-30": umls_30,
    "family": family,
    "countries-1": countries(1),
    "countries-2": countries(2),
    "countries-3": countries(3),
}

print("| data | MRR | Hits@1 | Hits@3 | Hits@10 | rules | chosen: steps, rules, L2 | seconds |")
print("|---|---|---|---|---|---|---|---|", flush=True)
for name in sys.argv[1:] or SETS:
    with tempfile.TemporaryDirectory() as folder:
        SETS[name](pathlib.Path(folder))
        command = [LRNN, "complete", folder, "--json", "--out", f"{folder}/run"]
        found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        both, chosen = found["test"]["both"], found["setting"]
        figures = " | ".join(f"{both[figure]:.3f}" for figure in ("mrr", "hits_at_1", "hits_at_3", "hits_at_10"))
        rules = sum(len(relation["rules"]) for relation in found["rules"])
        setting = f"{chosen['length']}, {chosen['rules']}, {chosen['l2']:g}"
        print(f"| {name} | {figures} | {rules} | {setting} | {found['seconds']['total']:.0f} |", flush=True)
