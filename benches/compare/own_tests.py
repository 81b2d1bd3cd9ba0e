"""Runs NeuraLogic's own tests and compares what they compute: `python3 own_tests.py --lrnn ../../target/release/lrnn [TEST]...`

Installs `neuralogic` and `pytest` from PyPI into `.venv` beside this file, fetches the source package, which has the
tests, and runs them. Each dataset that a test builds is kept: the template and the examples as text, with numbers for random
weights, and the values that NeuraLogic computes for the queries, without pruning. Then `lrnn` reads the texts as they are.
Each line says: agrees, differs, refused, or why there is nothing to compare. Tests that need torch are run where it is installed.
With `--scripts FOLDER` the code of notebooks, pages and scripts is run in place of the tests, such as `examples` and `docs` of
a checkout of NeuraLogic's repository for Python; what they build several times counts once.
"""

import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
VERSION = "0.9.2"
CAPTURE = "OWN_TESTS_CAPTURE"


# In the process that runs the tests: a plugin of pytest.


def atom_of(query):
    from neuralogic.core.constructs.rule import Rule

    return atom_of(query.body[0]) if isinstance(query, Rule) else str(query.predicate.name) + terms_of(query)


def terms_of(relation):
    return f"({', '.join(str(term) for term in relation.terms)})" if relation.terms else ""


def listed(value):
    return value if isinstance(value, list) else [value]


def text_of(fact):
    weight = getattr(fact, "weight", None)
    if hasattr(weight, "tolist"):  # a tensor or an array, which has no text of its own
        fact.weight = weight.tolist()
    text = fact.to_str() if hasattr(fact, "to_str") else str(fact)
    if hasattr(weight, "tolist"):
        fact.weight = weight
    return text


def numbers(value):
    return [numbers(part) for part in value] if isinstance(value, list) else float(value)


def captured(module, dataset, learnable_facts):
    """Returns the texts of a dataset and NeuraLogic's values of it, or the reason why there are none."""
    from agree import filled
    from neuralogic.core import Model, Settings
    from neuralogic.dataset.base import ConvertibleDataset

    if isinstance(dataset, ConvertibleDataset):
        dataset = dataset.to_dataset()
    from_files = not hasattr(dataset, "samples")
    samples = [] if from_files else dataset.samples
    if getattr(module, "_model", None) is None or (from_files and not (module._model and getattr(dataset, "queries_file", None))):
        return {"reason": "no samples in memory"}
    if not from_files and not samples and dataset._examples:
        from neuralogic.dataset import Dataset, Sample

        pairs = zip(dataset._queries, dataset._examples)
        if len(dataset._examples) == 1:
            pairs = ((query, dataset._examples[0]) for query in dataset._queries)
        samples = [Sample(query, example) for query, example in pairs]
        dataset = Dataset(samples)
    rules = filled(copy.deepcopy(list(module._model)))
    clone = Model()
    for rule in rules:
        clone += rule
    built = clone.build(Settings(iso_value_compression=False, chain_pruning=False))
    data = built.build_dataset(dataset, learnable_facts=learnable_facts)
    values, examples, known = [], [], {}
    outputs = [numbers(value) for value in built(data)]
    for sample, value in zip(data, outputs):
        neuron = sample._java_sample.query.neuron
        values.append([str(neuron.getName()) if neuron is not None else None, value])
    if from_files:  # a line for each example and for each query, with its label first
        examples, queries = (Path(file).read_text().splitlines() for file in (dataset.examples_file, dataset.queries_file))
        wanted = [[index, line.rstrip(". ").partition(" ")[2]] for index, line in enumerate(queries)]
        examples = [line.rstrip(". ") for line in examples]
        return {"rules": [str(rule) for rule in rules], "examples": examples, "wanted": wanted, "values": values}
    for sample in samples:
        if id(sample.example) not in known:
            known[id(sample.example)] = len(examples)
            examples.append(", ".join(text_of(fact).rstrip(". ") for fact in sample.example))
    wanted = [[known[id(sample.example)], atom_of(query)] for sample in samples for query in listed(sample.query) if query is not None]
    return {"rules": [str(rule) for rule in rules], "examples": examples, "wanted": wanted, "values": values}


def captured_query(model, query, facts, found):
    """Returns the texts of a question without weights, and the substitutions that NeuraLogic finds."""
    answers = sorted(",".join(f"{name}={value}" for name, value in sorted(one.items())) for one in found or [])
    example = ", ".join(text_of(fact).rstrip(". ") for fact in facts or [])
    return {"rules": [str(rule) for rule in model._model], "examples": [example], "question": atom_of(query), "answers": answers}


def pytest_configure(config):
    watch(lambda: os.environ.get("PYTEST_CURRENT_TEST", "").split(" ")[0].rpartition("tests/")[2])


def watch(name_of_test):
    """Keeps what is built from now on, under the name that the test has by then."""
    import neuralogic
    from neuralogic.core import Model, neural_module

    neuralogic.initialize()
    import jpype

    jpype.java.util.logging.LogManager.getLogManager().reset()
    path, busy = os.environ[CAPTURE], [False]

    def keep(capture, *arguments):
        if busy[0]:
            return
        busy[0] = True
        try:
            case = capture(*arguments)
        except Exception as error:
            case = {"reason": f"NeuraLogic: {str(error).splitlines()[0][:150] if str(error) else type(error).__name__}"}
        finally:
            busy[0] = False
        case["test"] = name_of_test()
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(case) + "\n")

    def watch_method(name):
        original = getattr(neural_module.NeuralModule, name)

        def watched(self, dataset, *args, **options):
            keep(captured, self, dataset, options.get("learnable_facts", False))
            return original(self, dataset, *args, **options)

        setattr(neural_module.NeuralModule, name, watched)

    for name in ("build_dataset", "ground", "build_static_dataset"):
        watch_method(name)
    asked = Model.query

    def query(self, query, examples=None):
        found = asked(self, query, examples)
        keep(captured_query, self, query, examples, found)
        return found

    Model.query = query


# In the process that compares.


def python_of_peers():
    python = HERE / ".venv/bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", HERE / ".venv"], check=True)
    packages = [f"neuralogic=={VERSION}", "pytest"]
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages], check=True)
    return python


def fetched(python):
    folder = HERE / f".venv/neuralogic-{VERSION}"
    if not folder.exists():
        pip = [python, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "-d", HERE / ".venv"]
        subprocess.run([*pip, f"neuralogic=={VERSION}"], check=True)
        subprocess.run(["tar", "xzf", f"neuralogic-{VERSION}.tar.gz"], cwd=HERE / ".venv", check=True)
    return folder


def cases_of(python, file, script, again=True):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cases.jsonl")
        path.touch()
        environment = {**os.environ, CAPTURE: str(path), "PYTHONPATH": str(HERE)}
        run = [python, "-m", "pytest", "-q", "-W", "ignore", "--tb=line", "-p", "own_tests", "-p", "no:cacheprovider", file]
        if script:
            run = [python, "-W", "ignore", HERE / "pages.py", file]
        done = subprocess.run(run, cwd=folder if script else file.parent, env=environment, capture_output=True, text=True)
        if done.returncode < 0 and again:  # Java and torch in one process end so now and then
            return cases_of(python, file, script, again=False)
        if script:
            print(done.stdout + done.stderr[-300:], end="", flush=True)
            return [json.loads(line) for line in dict.fromkeys(path.read_text(encoding="utf-8").splitlines())]
        missing = [line.partition("ModuleNotFoundError: ")[2] for line in done.stdout.splitlines() if "ModuleNotFoundError" in line]
        if done.returncode != 0:
            print(f"{file.name}: {missing[-1] if missing else f'some of its tests fail, pytest ends with {done.returncode}'}", flush=True)
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def ours(lrnn, case):
    """Returns the value of each atom that is asked for, by example and atom, or what `lrnn` says."""
    from agree_text import HEADER

    with tempfile.TemporaryDirectory() as folder:
        template, facts = Path(folder, "template.lrnn"), Path(folder, "examples.txt")
        template.write_text(HEADER + "\n".join(case["rules"]) + "\n", encoding="utf-8")
        facts.write_text("".join(f"{example or 'nothing'}.\n" for example in case["examples"]), encoding="utf-8")
        atoms = list(dict.fromkeys(atom for _, atom in case.get("wanted", []))) or [case["question"]]
        run = subprocess.run([lrnn, "query", "--json", "--quiet", template, facts, *atoms], capture_output=True, text=True)
        found = json.loads(run.stdout) if run.stdout.startswith("{") else {}
        if "atoms" not in found:
            said = [part for part in found.get("diagnostics", []) if part.get("severity") == "error"]
            return " | ".join(f"{part['code']} {part['message']}" for part in said) or run.stdout[:300] or run.stderr[:300]
        return {(str(atom["example"]), atom["atom"].replace(" ", "")): atom["value"] for atom in found["atoms"]}


def answer(question, atom):
    """Returns what each variable of a question is in an atom."""
    terms = [text.partition("(")[2].rstrip(")").replace(" ", "").split(",") for text in (question, atom)]
    found = {name: value for name, value in zip(*terms) if name[:1].isupper()}
    return ",".join(f"{name}={value}" for name, value in sorted(found.items()))


def verdict(lrnn, case):
    from agree_text import agree

    if "reason" in case:
        return "no value", case["reason"]
    if not case.get("values", True):
        return "no value", "no query"
    mine = ours(lrnn, case)
    if "question" in case and (isinstance(mine, dict) or not case["answers"]):
        mine = {} if isinstance(mine, str) else mine
        found = sorted(answer(case["question"], atom) for _, atom in mine)
        return ("agrees", "") if found == case["answers"] else ("differs", f"NeuraLogic {case['answers']}, lrnn {found}"[:400])
    if isinstance(mine, str):
        return "refused", mine
    # The values come query by query; a query with variables has one for each of its atoms.
    examples = {}
    for example, atom in case["wanted"]:
        examples.setdefault(atom.replace(" ", ""), []).append(str(example))
    if len(case["values"]) == len(case["wanted"]):
        keys = [(str(example), atom.replace(" ", "")) for example, atom in case["wanted"]]
    else:
        keys = [("0", str(name).replace(" ", "")) for name, _ in case["values"]]
    wrong = []
    for key, (_, value) in zip(keys, case["values"]):
        if not agree(value, mine.get(key, 0.0)):
            wrong.append(f"{key[1]}: NeuraLogic {value}, lrnn {mine.get(key)}")
    return ("differs", "; ".join(wrong)[:400]) if wrong else ("agrees", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lrnn", required=True, help="the command")
    parser.add_argument("test", nargs="*", help="the tests whose names contain one of these; all if there is none")
    parser.add_argument("--scripts", type=Path, help="a folder of notebooks, pages and scripts to run in place of the tests")
    parser.add_argument("--text", action="store_true", help="print the texts of cases that do not agree")
    options = parser.parse_args()
    python = python_of_peers()
    if options.scripts:
        files = [file.resolve() for file in options.scripts.rglob("*") if file.suffix in (".ipynb", ".rst", ".md", ".py")]
    else:
        files = (fetched(python) / "tests").glob("test_*.py")
    cases = []
    for file in sorted(files):
        cases += cases_of(python, file, options.scripts is not None)
    count, seen = {}, {}
    for case in cases:
        seen[case["test"]] = number = seen.get(case["test"], 0) + 1
        if options.test and not any(part in case["test"] for part in options.test):
            continue
        kind, reason = verdict(options.lrnn, case)
        count[kind] = count.get(kind, 0) + 1
        if kind != "agrees":
            print(f"{kind}: {case['test']} {number}: {reason}")
            if options.text and "rules" in case:
                print("    " + "\n    ".join([*case["rules"], "--", *case["examples"], "--", str(case["wanted"]), str(case["values"])]))
    print(f"{len(cases)} datasets of {len(seen)} tests: " + ", ".join(f"{count[kind]} {kind}" for kind in sorted(count)))
    sys.exit(0 if set(count) <= {"agrees", "no value"} else 1)


if __name__ == "__main__":
    main()
