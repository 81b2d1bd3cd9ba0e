"""Completes knowledge bases with `lrnn complete` and prints a row of figures for each.

    LRNN_DATA=folder python experiments/knowledge_bases.py [NAME or FOLDER ...]

The folder has `nations`, `umls`, `family` and `countries` as their sources ship them; `kinship/triples` is that of this
project. A FOLDER of your own has train, valid and test triples. Settings are chosen on validation triples, test triples are
ranked once. `umls-30` draws 30 % of all triples for training, 20 % for validation and the rest for the test; `-paths` has
rules about paths alone. Countries asks for the region of 24 countries: only tails are ranked, without any that is true, and the last column is the
area under the precision-recall curve over all regions, of the answers of the written template. What the three sets hide
about their test countries is hidden about the validation countries as well.
"""

import gzip
import json
import os
import pathlib
import random
import resource
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


def country_names(part):
    return set((DATA / "countries" / f"{part}.txt").read_text().split())


def country_facts(name):
    lines = (DATA / "countries" / name).read_text().split()
    split = [line.rstrip(".").rstrip(")").replace("(", ",").split(",") for line in lines]
    return [[head, relation, tail] for relation, head, tail in split]


def countries(number):
    def make(folder):
        regions, parts, asked = country_names("regions"), country_names("subregions"), country_names("dev")
        every = country_facts("countries.nl")
        near = {ends[1 - at] for a, relation, b in every if relation == "neighborOf" for ends in [(a, b)]
                for at in (0, 1) if ends[at] in asked}

        def is_hidden(triple):
            head, relation, tail = triple
            of_asked = head in asked and tail in (regions | parts if number > 1 else regions)
            return relation == "locatedIn" and (of_asked or (number > 2 and head in near and tail in regions))

        held = {part: [triple for triple in every if triple[0] in country_names(part) and triple[1] == "locatedIn" and triple[2] in regions]
                for part in ("dev", "test")}
        known = [triple for triple in country_facts(f"countries_S{number}.nl") if not is_hidden(triple)]
        assert not any(triple in known for part in held.values() for triple in part), "what is asked for is known"
        write(folder, train=known, valid=held["dev"], test=held["test"], filter=every)
    return make


def precision_recall(folder):
    """Returns the mean precision at each right answer among all regions of all test countries."""
    asked, regions = {triple[0]: triple[2] for triple in triples(folder / "test.tsv")}, country_names("regions")
    command = [LRNN, "query", folder / "run/template.lrnn", folder / "train.tsv", "holds(X, locatedIn, Y)", "--json", "--quiet"]
    atoms = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["atoms"]
    answers = []
    for atom in atoms:
        head, _, tail = (term.strip().strip("'") for term in atom["atom"][len("holds("):-1].split(","))
        if head in asked and tail in regions:
            answers.append((atom["value"], asked[head] == tail))
    # Wrong answers first among equal ones.
    answers.sort(key=lambda answer: (-answer[0], answer[1]))
    right = [at for at, answer in enumerate(answers, 1) if answer[1]]
    assert len(answers) == len(asked) * len(regions), len(answers)
    return sum(count / at for count, at in enumerate(right, 1)) / len(right)


def kinship(folder):
    own = HERE / "datasets/kinship/triples"
    write(folder, **{part: triples(own / f"{part}.tsv") for part in ("train", "valid", "test")})


def own_folder(path):
    def make(folder):
        for part in ("train", "valid", "test"):
            (found,) = [file for file in pathlib.Path(path).iterdir() if file.name.removesuffix(".gz").split(".")[0] == part]
            write(folder, **{part: triples(found.with_name(found.name.removesuffix(".gz")))})
    return make


PATHS, TAILS = ["--paths-only"], ["--length", "3", "--end", "tail"]
SETS = {
    "kinship/triples": (kinship, []),
    "nations": (of_triples("nations"), []),
    "umls": (of_triples("umls"), []),
    "umls-paths": (of_triples("umls"), PATHS),
    "umls-30": (umls_30, []),
    "umls-30-paths": (umls_30, PATHS),
    "family": (family, []),
    "countries-1": (countries(1), TAILS),
    "countries-2": (countries(2), TAILS),
    "countries-3": (countries(3), TAILS),
}

print("| data | MRR | Hits@1 | Hits@3 | Hits@10 | rules | chosen | seconds | processor | precision and recall |")
print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
for name in sys.argv[1:] or SETS:
    if name not in SETS and not pathlib.Path(name).is_dir():
        sys.exit(f"there is no folder or set `{name}`; sets are {', '.join(SETS)}")
    make, flags = SETS[name] if name in SETS else (own_folder(name), [])
    with tempfile.TemporaryDirectory() as folder:
        make(pathlib.Path(folder))
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        command = [LRNN, "complete", folder, "--json", "--out", f"{folder}/run", *flags]
        command += ["--filter", f"{folder}/filter.tsv"] if pathlib.Path(folder, "filter.tsv").exists() else []
        found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        processor = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        ranks, chosen = found["test"]["tail" if "tail" in flags else "both"], found["setting"]
        figures = " | ".join(f"{ranks[figure]:.3f}" for figure in ("mrr", "hits_at_1", "hits_at_3", "hits_at_10"))
        rules = sum(len(relation["rules"]) for relation in found["rules"])
        how = f"L2 {chosen['l2']:g}" if chosen["combination"] == "logistic" else "noisy-or"
        setting = f"{chosen['length']} steps, {chosen['rules']} paths, {how}{', likeness' if chosen['likeness'] else ''}"
        area = f"{precision_recall(pathlib.Path(folder)):.3f}" if name.startswith("countries") else ""
        seconds = f"{found['seconds']['total']:.0f} | {processor:.0f}"
        print(f"| {name} | {figures} | {rules} | {setting} | {seconds} | {area} |", flush=True)
