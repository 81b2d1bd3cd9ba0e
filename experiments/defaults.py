"""Compares what `lrnn train` chooses when no setting is named with the best of many settings, and prints tables.

    python experiments/defaults.py [small]
    LRNN_DATA=folder python experiments/defaults.py molecules

`small` is every folder of datasets/ under every family: wrong training answers, seed 0, beside the least that any
setting of a grid leaves. `molecules` is Mutagenesis, BBBP and PTC: training and test error of three seeds, beside those
of the settings with the least error on a fifth of the training part. Every run is kept in runs/defaults, so whatever
was done stays done; without that folder all is run again.
"""

import hashlib
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("LRNN_DATA", "."))
LRNN = os.environ.get("LRNN", str(HERE / "target/release/lrnn"))
RUNS = HERE / "runs/defaults"

FAMILIES = ["max-sigmoid", "avg-sigmoid", "godel", "lukasiewicz", "neuralogic"]
STEPS = [("lbfgs", 1.0), ("lbfgs", 0.1), ("adam", 0.1), ("adam", 0.01), ("sgd", 0.1)]
LARGE = ["mutagenesis", "shop", "uncles"]

TEMPLATES = HERE / "experiments/templates"
PENALTIES = [{"l2": l2} for l2 in (2e-5, 2e-3, 2e-2)]
STARTS = [{"l2": l2, "initialisation-scale": scale, "restarts": 4} for l2 in (1e-4, 1e-3) for scale in (1, 3)]
MOLECULES = {
    "Mutagenesis, README's command": ([HERE / "datasets/mutagenesis"], STARTS),
    "BBBP, table of SMILES": ([DATA / "bbbp/original/BBBP.csv", "--smiles", "smiles", "--target", "p_np"], PENALTIES),
    **{
        f"{data.upper()}, {template}": ([TEMPLATES / f"{template}.lrnn", DATA / data], settings)
        for data in ("bbbp", "ptc_fr", "ptc_fm", "ptc_mr")
        for template, settings in (("environments", PENALTIES), ("element-chains", PENALTIES), ("generic", STARTS))
        if data != "bbbp" or template == "environments"
    },
}


def train(words, settings):
    """Returns the metrics of one training by its parts, and whether it was told that nothing was learned."""
    flags = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    words = ["train", *map(str, words), *flags, "--threads", "1", "--json"]
    done = RUNS / (hashlib.sha256(" ".join(words).encode()).hexdigest()[:24] + ".json")
    if not done.exists():
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run([LRNN, *words, "--out", f"{folder}/run"], capture_output=True, text=True)
        metrics = json.loads(ended.stdout)["metrics"] if ended.returncode == 0 else None
        RUNS.mkdir(parents=True, exist_ok=True)
        done.write_text(json.dumps({"words": words, "metrics": metrics, "said": ended.stderr}))
    found = json.loads(done.read_text())
    return found["metrics"], "learned nothing" in found["said"]


def grid(name):
    """Goes through the settings that are tried on a folder: few where learning takes long."""
    is_large = name in LARGE
    steps = STEPS[::2] if is_large else STEPS
    losses = ["auto", "squared"] if is_large else ["auto", "squared", "logits"]
    for (optimizer, rate), scale, loss in itertools.product(steps, [1, 3], losses):
        settings = {"optimizer": optimizer, "learning-rate": rate, "initialisation-scale": scale, "loss": loss}
        yield {**settings, "epochs": 100 if is_large else 400, "restarts": 2 if is_large else 20}


def least_wrong(words, name, wrong):
    """Returns how many answers the best settings leave wrong, no more than `wrong`; none is the end of the search."""
    for settings in grid(name):
        if wrong == 0:
            break
        found, _ = train(words, settings)
        wrong = min(wrong, found["training"]["wrong"]) if found else wrong
    return wrong


def small():
    """Prints the wrong answers on every folder under every family."""
    print("| folder | answers |", " | ".join(FAMILIES), "|\n|---|---|" + "---|" * len(FAMILIES))
    for folder in sorted(path for path in (HERE / "datasets").iterdir() if path.is_dir()):
        data = folder / "shop.tables" if folder.name == "shop" else folder
        cells, answers = [], None
        for family in FAMILIES:
            words = [folder / "template.lrnn", data, "--family", family]
            default, nothing = train(words, {})
            if default is None:
                cells.append("–")
                continue
            wrong, answers = default["training"]["wrong"], default["training"]["answers"]
            least = least_wrong(words, folder.name, wrong)
            is_behind = wrong - least > 0.02 * answers
            cells.append(("**{}**, {}" if is_behind else "{}, {}").format(wrong, least) + (" (told)" if nothing else ""))
        print(f"| {folder.name} | {answers} |", " | ".join(cells), "|", flush=True)


def molecules():
    """Prints training and test errors of three seeds, of what is chosen and of what is best inside the training part."""
    print("| data, template | training | tuned | test | tuned |\n|---|---|---|---|---|")
    for name, (words, settings) in MOLECULES.items():
        columns = {"training": [], "training tuned": [], "test": [], "test tuned": []}
        for seed in range(3):
            split = {"seed": seed, "test": 0.2}

            def inner(candidate):
                return train(words, {**split, **candidate, "validation": 0.2})[0]["validation"]["error"]

            best = min(settings, key=inner)
            for suffix, chosen in (("", {}), (" tuned", best)):
                found, _ = train(words, {**split, **chosen})
                for part in ("training", "test"):
                    columns[part + suffix].append(f"{100 * found[part]['error']:.1f}")
        print(f"| {name} |", " | ".join(", ".join(column) for column in columns.values()), "|", flush=True)


if __name__ == "__main__":
    parts = {"small": small, "molecules": molecules}
    for part in sys.argv[1:] or ["small"]:
        parts[part]()
