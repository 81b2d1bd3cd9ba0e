"""Runs lrnn, NeuraLogic and PyTorch Geometric on the same templates and molecules, one after the other, checks that they
compute the same values, prints a table, and appends a line of JSON for each measurement to benches/results/DATE.jsonl.

Called by `run`, which installs what is needed."""

import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys

import data
import templates

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = [f"{kind}-{size}" for kind in ("gcn", "gsage", "gin") for size in (10, 32)]
GRAPH = "graph-200k"
CASES = ["chains-max", "chains-mean"] + VECTORS + [GRAPH]
BATCHES = {"1": 1, "32": 32, "all": 0}
# As grounded, the 243 rules are too much for NeuraLogic on all molecules more than once: values on the first of them.
FIRST = 20
TOLERANCE = 1e-6

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--bench", required=True, help="the program lrnn-bench")
parser.add_argument("--cases", nargs="+", default=CASES, choices=CASES, metavar="CASE")
parser.add_argument("--without", nargs="+", default=[], choices=["neuralogic", "pyg"], help="peers to leave out")
parser.add_argument("--only", choices=["values", "times"], help="only check values, or only take times")
parser.add_argument("--heap", default="16g", help="the most memory of the Java machine")
parser.add_argument("--limit", type=int, default=1800, help="the most seconds a run may take")
arguments = parser.parse_args()
arguments.bench = str(pathlib.Path(arguments.bench).resolve())


def output(command):
    """What a command prints; None where it fails, which is told. NeuraLogic leaves files where it runs."""
    data.WORK.mkdir(exist_ok=True)
    options = {"check": True, "stdout": subprocess.PIPE, "timeout": arguments.limit, "text": True, "cwd": data.WORK}
    try:
        return subprocess.run(command, **options).stdout
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        print(f"FAILED: {' '.join(map(str, command))}: {error}", file=sys.stderr)
        return None


def peer(script, *options):
    text = output([sys.executable, "-W", "ignore", HERE / script, *options])
    return json.loads(text.splitlines()[-1]) if text else None


def lrnn_times(case, batch, threads=os.cpu_count()):
    """`case` is its name, or the options that say its template and data."""
    case = [case] if isinstance(case, str) else case
    text = output([arguments.bench, *case, "--json", "--batch", batch, "--seconds", "3", "--threads", str(threads)])
    if not text:
        return None
    stages = {line["stage"]: line for line in map(json.loads, text.splitlines())}
    build = stages["read"]["median_s"] + stages["build"]["median_s"]
    epoch = stages["epoch"]
    return {"build_s": build, "epoch_s": epoch["median_s"], "least_s": epoch["least_s"], "peak_bytes": epoch["peak_bytes"]}


def neuralogic_times(case, compress):
    """Epochs enough for the Java machine to warm up."""
    warm, blocks, epochs = (30, 7, 10) if compress else (2, 3, 1)
    if case == "chains-mean" and compress:
        warm, blocks, epochs = 10, 5, 4
    options = ["--warm", str(warm), "--blocks", str(blocks), "--epochs", str(epochs), "--heap", arguments.heap]
    return peer("neuralogic_run.py", case, *options, *(["--compress"] if compress else []))


def runs(case):
    """The runs of a case: system, batch, and what measures it."""
    if case == GRAPH:
        yield from graph_runs()
        return
    is_vectors = case in VECTORS
    for batch in BATCHES if is_vectors else ["1"]:
        yield "lrnn", batch, lambda batch=batch: lrnn_times(case, batch)
    if not is_vectors:
        yield "lrnn, on NeuraLogic's text", "1", lambda: lrnn_times(neuralogic_text(case), "1")
    if "neuralogic" not in arguments.without:
        yield "NeuraLogic, its compression", "1", lambda: neuralogic_times(case, True)
        if not is_vectors:
            yield "NeuraLogic", "1", lambda: neuralogic_times(case, False)
    if is_vectors and "pyg" not in arguments.without:
        for batch, number in BATCHES.items():
            yield "PyG", batch, lambda number=number: peer("pyg_run.py", case, "--batch", str(number))


def graph_runs():
    """One large graph with one thread and with two, ours and theirs in turn."""
    for threads in (1, 2):
        yield f"lrnn, {threads} thread{'s' * (threads > 1)}", "all", lambda threads=threads: lrnn_times(GRAPH, "all", threads)
        if "pyg" not in arguments.without:
            options = ["--threads", str(threads)]
            yield f"PyG, {threads} thread{'s' * (threads > 1)}", "all", lambda options=options: peer("pyg_graph.py", GRAPH, *options)


def neuralogic_text(case):
    """The options of lrnn-bench for a case as NeuraLogic has it: its rules, its molecules."""
    data.WORK.mkdir(exist_ok=True)
    template = data.WORK / f"{case}.txt"
    template.write_text(templates.template(case)[0])
    return ["--template", str(template), "--data", str(data.write()), "--family", "neuralogic"]


# Values.

def lrnn_values(case, weights, *template):
    text = output([arguments.bench, "--values", "--weights", weights, *(template or [case])])
    return [float(line) for line in text.splitlines()] if text else None


def difference(ours, theirs):
    """The largest difference, relative to what is larger than 1."""
    if not ours or not theirs:
        return None
    assert len(ours) == len(theirs), "a value for each molecule"
    return max(abs(a - b) / max(1, abs(a)) for a, b in zip(ours, theirs))


def check(case):
    """How far the values of each system are from lrnn's, under the same weights."""
    if case == GRAPH:
        yield from check_graph()
        return
    text, numbers = templates.template(case)
    first = None if case in VECTORS else FIRST
    folder = data.write(first)
    weights, template = data.WORK / f"{case}.json", data.WORK / f"{case}.txt"
    weights.write_text(json.dumps(numbers))
    template.write_text(text)
    ours = (lrnn_values(case, weights) or [])[:first]
    yield "lrnn, on NeuraLogic's text", difference(
        ours, lrnn_values(case, weights, "--template", template, "--data", folder, "--family", "neuralogic"))
    if "neuralogic" not in arguments.without:
        options = ["--values"] + (["--first", str(first)] if first else [])
        for name, more in (("NeuraLogic", []), ("NeuraLogic, its compression", ["--compress"])):
            yield name, difference(ours, (peer("neuralogic_run.py", case, *options, *more) or {}).get("values"))
    if case in VECTORS and "pyg" not in arguments.without:
        yield "PyG", difference(ours, (peer("pyg_run.py", case, "--values") or {}).get("values"))


def check_graph():
    """The same on a graph of 10,000 nodes."""
    weights = data.WORK / "graph.json"
    data.WORK.mkdir(exist_ok=True)
    weights.write_text(json.dumps(templates.graph_weights()))
    if "pyg" not in arguments.without:
        theirs = (peer("pyg_graph.py", "graph-10k", "--values") or {}).get("values")
        yield "PyG", difference(lrnn_values("graph-10k", weights), theirs)


# What the numbers belong to.

def machine():
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.processor())
    return {"cpu": cpu, "cores": os.cpu_count(), "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)}


def versions():
    def said(*command):
        return subprocess.run(command, cwd=HERE, capture_output=True, text=True).stdout.strip()
    changed = "+" if said("git", "status", "--porcelain", "--untracked-files=no") else ""
    return {"lrnn": said("git", "rev-parse", "--short", "HEAD") + changed, "rustc": said("rustc", "--version").split(" ")[1],
            "python": platform.python_version()}


def load():
    return round(os.getloadavg()[0], 2)


def duration(seconds):
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"


def ratio(theirs, ours):
    return f"{theirs / ours:.1f}" if theirs / ours < 100 else f"{theirs / ours:.0f}"


def row(result, base):
    cells = [result["case"], result["system"], result["batch"]]
    for key, text in (("build_s", duration), ("epoch_s", duration), ("peak_bytes", lambda size: f"{size / 1e6:.0f} MB")):
        cells.append(text(result[key]))
        cells.append("" if result is base else "×" + ratio(result[key], base[key]))
    return "| " + " | ".join(cells) + " |"


def keep(result):
    """Appends a line to the results of today."""
    folder = HERE.parent / "results"
    folder.mkdir(exist_ok=True)
    with (folder / f"{datetime.date.today()}.jsonl").open("a") as file:
        file.write(json.dumps(result) + "\n")


def main():
    start = datetime.datetime.now().isoformat(timespec="seconds")
    common = {"run": start, "machine": machine(), "versions": versions()}
    table, values = [], []
    for case in arguments.cases:
        bases = {}
        for system, batch, measure in runs(case) if arguments.only != "values" else []:
            before = load()
            result = measure()
            if result is None:
                table.append(f"| {case} | {system} | {batch} | failed | | | | | |")
                continue
            result = {**common, **result, "versions": {**common["versions"], **result.get("versions", {})},
                      "case": case, "system": system, "batch": batch, "load": [before, load()]}
            keep(result)
            if system.startswith("lrnn") and "text" not in system:
                bases[batch] = result  # those behind it are compared with it
            table.append(row(result, bases.get(batch, result)))
            print(table[-1], file=sys.stderr, flush=True)
        for system, off in check(case) if arguments.only != "times" else []:
            keep({**common, "case": case, "system": system, "difference": off})
            word = "not run" if off is None else ("equal" if off < TOLERANCE else "DIFFERENT")
            values.append(f"| {case} | {system} | {word} | {'' if off is None else f'{off:.1e}'} |")
            print(values[-1], file=sys.stderr, flush=True)
    print(f"{start}, {common['machine']}, load at the end {load()}, {common['versions']}\n")
    print("| case | system | batch | build | | epoch | | peak memory | |\n|---|---|---|---|---|---|---|---|---|")
    print("\n".join(table))
    print("\n| case | system | values as lrnn's | largest difference |\n|---|---|---|---|")
    print("\n".join(values))


main()
