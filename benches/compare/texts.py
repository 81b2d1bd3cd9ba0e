"""Compares values and gradients with NeuraLogic's: `python texts.py --lrnn ../../target/release/lrnn [CASE]...`

A case is a template, examples and queries. Texts (`text_cases.py`) are read as they are by both engines; what is written in
PyNeuraLogic's Python (`python_cases.py`) is rendered as text by it. Values are compared to 1e-6, and so are the learned
weights after one step of gradient descent on the squared error, where NeuraLogic can take one. A difference must be told
by a message of `lrnn` that names it. `--more` takes such a step in the cases of `agree.py`, too. It needs `pip install neuralogic` and Java, and says so where they are not there.
"""

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import neuralogic
    from neuralogic.core import Model, Settings
    from neuralogic.dataset import Dataset, FileDataset, Sample
    from neuralogic.nn.loss import MSE
    from neuralogic.nn.optim import SGD
except ImportError as missing:
    sys.exit(f"NOT COMPARED: NeuraLogic is not installed here ({missing}); pip install neuralogic, with Java")

import agree as agree_cases
import python_cases
import text_cases
from agree_text import HEADER, agree, flat

RATE = 0.01


def numbers(value):
    return [numbers(part) for part in value] if isinstance(value, (list, tuple)) else float(value)


def weights_of(built):
    state = built.state_dict()
    return {str(state["weight_names"][at]): numbers(state["weights"][at]) for at in state["weights"]}


class Peer:
    """What NeuraLogic computes for a case: values by query, and weights before and after a step."""

    def __init__(self, case, folder):
        settings = Settings(iso_value_compression=False, chain_pruning=False, optimizer=SGD(lr=RATE), error_function=MSE(reduction="sum"))
        if case.rules is None:
            model, dataset = Model(model_file=str(folder / "plain.txt")), FileDataset(str(folder / "examples.txt"), str(folder / "queries.txt") if case.queries else None)
        else:
            model, dataset = Model(), Dataset([Sample(query, case.example) for query in case.asked])
            for rule in case.rules:
                model += rule
        self.built = model.build(settings)
        data = self.built.build_dataset(dataset, batch_size=1000)
        outputs = [numbers(value) for value in self.built(data)]
        self.names = [sample._java_sample.query.neuron for sample in data]
        self.values = [(str(neuron.getName()).replace(" ", "") if neuron is not None else "", value) for neuron, value in zip(self.names, outputs)]
        self.before, self.after, self.refusal = weights_of(self.built), None, ""
        try:
            self.built.train(data, epochs=1)
            self.after = weights_of(self.built)
        except Exception as error:
            self.refusal = str(error).splitlines()[0][:100]


class Case:
    def __init__(self, name, template, examples, queries, rules=None, example=None, asked=None, told=(), mistake="", importance=None):
        self.name, self.template, self.examples, self.queries = name, template, examples, queries
        self.rules, self.example, self.asked, self.told, self.mistake = rules, example, asked, told, mistake
        self.importance = importance  # of all answers together, where it is not 1 for each

    def write(self, folder):
        (folder / "plain.txt").write_text(self.template)
        (folder / "template.lrnn").write_text(HEADER + self.template + "\n")
        (folder / "examples.txt").write_text(self.examples)
        if self.queries:
            (folder / "queries.txt").write_text(self.queries)


def run(lrnn, *arguments):
    return subprocess.run([lrnn, *map(str, arguments)], capture_output=True, text=True)


def learned(lrnn, folder, rate, name):
    """Returns the answers of the first weights, the weights after one step, and what was said."""
    step = ["--optimizer", "sgd", "--epochs", 1, "--batch-size", 0, "--loss", "squared", "--precision", "f64", "--evaluate", 1, "--threads", 1]
    made = run(lrnn, "train", "--template", folder / "template.lrnn", "--data", folder, "--learning-rate", rate, *step, "--out", folder / name)
    if made.returncode != 0:
        return None, None, made.stderr
    weights = json.loads(run(lrnn, "weights", folder / name, "--json").stdout)["weights"]
    answers = json.loads(run(lrnn, "predict", folder / name, folder, "--json", "--quiet").stdout)["predictions"]
    named = {weight["name"] + (f"[{weight['index']}]" if weight["index"] else ""): weight["value"] for weight in weights}
    return [(answer["query"].replace(" ", ""), answer["value"]) for answer in answers], named, made.stderr


def compared(lrnn, case):
    """Returns a verdict and a line about it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        case.write(folder)
        try:
            peer = Peer(case, folder)
        except Exception as error:
            peer, reason = None, str(error).splitlines()[0][:140]
        answers, first, said = learned(lrnn, folder, 1e-300, "first")
        codes = [code for code in case.told if f"[{code}]" in said]
        if peer is None:
            if answers is None:
                return "none", f"NeuraLogic itself computes nothing: {reason}; lrnn refuses: " + said.split("\n")[0][:120]
            return "none", f"NeuraLogic itself computes nothing: {reason}; lrnn {answers}"
        if answers is None and "not in the model" in said and all(agree(value, 0.0) for _, value in peer.values):
            return "values", "not in the model"
        if answers is None:
            line = " | ".join(part for part in said.splitlines() if part.startswith("error"))[:300]
            return ("told", f"refused: {line}") if codes else ("differs", f"NeuraLogic {peer.values}, lrnn refuses: {line or said[:300]}")
        problem = difference(peer, answers)
        if not problem and peer.after is not None and peer.before:
            _, after, _ = learned(lrnn, folder, 2 * RATE * (case.importance or len(answers)), "after")
            problem = step_difference(peer, first, after)
        if problem and codes:
            return "told", f"{', '.join(codes)} tells of it: {problem}"
        if problem and case.mistake:
            return "mistake", f"NeuraLogic is wrong: {case.mistake}"
        if problem:
            return "differs", problem + (f"; said: {said[:200]}" if said else "")
        return ("agrees" if peer.after is not None else "values"), peer.refusal


def difference(peer, answers):
    if len(peer.values) != len(answers):
        return f"NeuraLogic has {peer.values}, lrnn {answers}"
    # Queries of one text come in its order on both sides; those with variables or of several examples in any.
    mine, theirs = answers, peer.values
    if all(name for name, _ in theirs):
        mine, theirs = (sorted(part, key=lambda answer: (answer[0].replace("t:", ""), flat(answer[1]))) for part in (mine, theirs))
    for (name, value), (own, answer) in zip(theirs, mine):
        if not agree(value, answer):
            return f"{name or own}: NeuraLogic {value}, lrnn {answer}"
    return ""


def slopes(start, end):
    return [(b - a) / RATE for a, b in zip(flat(start), flat(end))]


def step_difference(peer, first, after):
    """Returns the first weight whose gradient differs. Weights without names are those that begin with the same numbers."""
    unnamed = [name for name in peer.before if name not in first]
    for name in peer.before.keys() - set(unnamed):
        theirs, own = slopes(peer.before[name], peer.after[name]), slopes(first[name], after[name])
        if not agree(theirs, own):
            return f"gradient of {name}: NeuraLogic {theirs}, lrnn {own}"
    for name in unnamed:
        start = peer.before[name]
        theirs = sorted(slopes(start, peer.after[other]) for other in unnamed if agree(start, peer.before[other]))
        own = sorted(slopes(first[other], after[other]) for other in first if other not in peer.before and agree(start, first[other]))
        if not agree(theirs, own) and not (not own and not any(flat(theirs))):
            return f"gradient of {name}: NeuraLogic {theirs}, lrnn {own}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lrnn", required=True, help="the command")
    parser.add_argument("--more", action="store_true", help="the cases of agree.py as well")
    parser.add_argument("--text", action="store_true", help="print the texts of cases that differ")
    parser.add_argument("case", nargs="*", help="the cases whose names contain one of these; all if there is none")
    options = parser.parse_args()
    neuralogic.initialize()
    import jpype

    jpype.java.util.logging.LogManager.getLogManager().reset()
    cases = []
    text_cases.cases(lambda *parts, **more: cases.append(Case(*parts, **more)))
    python_cases.cases(lambda *parts, **more: cases.append(rendered(*parts, **more)))
    counts = {}
    for case in itertools.chain(cases, cases_of_agree() if options.more else []):
        if options.case and not any(part in case.name for part in options.case):
            continue
        verdict, line = compared(options.lrnn, case)
        counts[verdict] = counts.get(verdict, 0) + 1
        if verdict != "agrees":
            print(f"{verdict}: {case.name}: {line}", flush=True)
            if options.text:
                print("    " + "\n    ".join((case.template + "\n-- " + case.examples + "\n-- " + case.queries).splitlines()))
    words = {"agrees": "agree in values and gradients", "values": "agree in values, NeuraLogic takes no step", "told": "differ and are told",
             "mistake": "are mistakes of NeuraLogic", "differs": "differ", "none": "without a value of NeuraLogic"}
    print(", ".join(f"{counts.get(verdict, 0)} {word}" for verdict, word in words.items()))
    sys.exit(1 if counts.get("differs") else 0)


def like(value, number):
    return [like(part, number) for part in value] if isinstance(value, list) else number


def cases_of_agree():
    """Returns the cases of `agree.py`, each with a target for what it asks."""
    for name, (rules, example, query) in agree_cases.CASES.items():
        if isinstance(rules, Exception):
            continue
        try:
            target = like(agree_cases.peer(rules, example, query), 0.3)
        except Exception:
            continue
        told, mistake = agree_cases.TOLD, agree_cases.MISTAKES.get(name, "")
        yield rendered(name, rules, example, query[target], told=told, mistake=mistake)


def rendered(name, rules, example, queries, **more):
    """Returns a case that is written in Python, as text."""
    asked = queries if isinstance(queries, list) else [queries]
    facts = ", ".join(fact.to_str() for fact in example) + ".\n"
    text = ", ".join(query.to_str() for query in asked) + ".\n"
    return Case(name, "\n".join(str(rule) for rule in rules) + "\n", facts, text, rules=rules, example=example, asked=asked, **more)


if __name__ == "__main__":
    main()
