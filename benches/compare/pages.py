"""Runs the code of a notebook, page or script for `own_tests.py --scripts`, cell by cell: `python pages.py FILE`.

Most of NeuraLogic's notebooks and pages are for earlier releases: the names that they import are made from today's here.
A cell that fails is told with its reason, and the next one runs. Learning is cut short, as only what is built is compared.
"""

import contextlib
import io
import json
import re
import sys
import textwrap
import types
from pathlib import Path

BLOCK = re.compile(r"^( *)\.\. code-block::[ ]*(?:python|Python)?[ ]*\n((?:\1[ ]+.*\n|[ ]*\n)+)", re.MULTILINE)
FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def cells(path):
    """Returns the texts of a file's cells, without the lines that are for a shell or for Jupyter."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        found = ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    elif path.suffix == ".rst":
        found = [textwrap.dedent(block) for _, block in BLOCK.findall(text + "\n")]
    elif path.suffix == ".md":
        found = FENCE.findall(text)
    else:
        found = re.split(r"^# %%.*$", text, flags=re.MULTILINE)
    return [re.sub(r"^[!%].*$", "", cell, flags=re.MULTILINE) for cell in found]


def old_names():
    """Gives NeuraLogic the names of its earlier releases."""
    import neuralogic
    from neuralogic import core, dataset, nn
    from neuralogic.core import Model, Settings, settings
    from neuralogic.core.constructs.rule import Rule
    from neuralogic.utils import data

    Dataset, plain_dataset, plain_settings = dataset.Dataset, dataset.Dataset.__init__, Settings.__init__

    def init_dataset(self, examples=None, queries=None):
        whole = not isinstance(examples, list) or all(isinstance(one, dataset.Sample) for one in examples)
        plain_dataset(self, examples if whole else None)
        self.add_examples([] if whole else examples)
        self.add_queries(queries or [])

    def add_examples(self, examples):
        for one in examples:
            if isinstance(one, Rule):
                self.add(one.head, list(one.body))
            else:
                self._examples.append(one)

    def init_settings(self, epochs=None, learning_rate=None, rule_transformation=None, relation_transformation=None, **options):
        plain_settings(self, **options)

    def old_dataset(examples=None, queries=None, data=None):
        return Dataset(examples, queries) if data is None else dataset.TensorDataset(data=data)

    class Evaluator:
        def __init__(self, template, *options, **named):
            given = [one for one in (*options, *named.values()) if isinstance(one, Settings)]
            self.model = template.build(*given[:1])

        def build_dataset(self, data, **options):
            return data if isinstance(data, core.BuiltDataset) else self.model.build_dataset(data, **options)

        def train(self, data, generator=True):
            built = self.build_dataset(data)
            self.model.train(built)
            return iter([(self.model.loss(built), len(built))]) if generator else None

        def test(self, data, generator=True):
            return iter(self.model.test(self.build_dataset(data)))

    class InferenceEngine:
        def __init__(self, template):
            self.template, self.knowledge = template, []

        def set_knowledge(self, knowledge):
            self.knowledge = knowledge

        def query(self, query, knowledge=None):
            return self.template.query(query, knowledge or self.knowledge)

        q = query

    class EvaluationInferenceEngine(InferenceEngine):
        def q(self, query, knowledge=None):
            model = self.template.clone().build()
            return model(model.build_dataset(Dataset().add(query, knowledge or self.knowledge)))

        query = q

    def module(name, **names):
        sys.modules[f"neuralogic.{name}"] = found = types.ModuleType(f"neuralogic.{name}")
        found.__dict__.update(names)
        parent, _, last = f"neuralogic.{name}".rpartition(".")
        setattr(sys.modules[parent], last, found)

    optimizers = types.SimpleNamespace(SGD=nn.SGD(), ADAM=nn.Adam())
    errors = types.SimpleNamespace(SQUARED_DIFF=nn.MSE())
    backends = types.SimpleNamespace(JAVA="java", DYNET="dynet", PYG="pyg")
    core.Template, core.Atom, core.Term, core.T, core.Backend = Model, core.R, core.C, core.C, backends
    core.Optimizer = settings.Optimizer = optimizers
    core.ErrorFunction = settings.ErrorFunction = errors
    core.Initializer, data.Dataset, data.Data = nn.Initializer, old_dataset, dataset.Data
    Dataset.__init__, Dataset.add_examples, Settings.__init__ = init_dataset, add_examples, init_settings
    nn.get_evaluator = Evaluator
    module("optim", SGD=nn.SGD, Adam=nn.Adam)
    module("nn.functional", **{name: getattr(core.F, name) for name in dir(core.F) if not name.startswith("_")})
    module("inference", InferenceEngine=InferenceEngine, EvaluationInferenceEngine=EvaluationInferenceEngine)
    module("inference.inference_engine", InferenceEngine=InferenceEngine)
    module("inference.evaluation_inference_engine", EvaluationInferenceEngine=EvaluationInferenceEngine)
    neuralogic.Template = Model


def main():
    from own_tests import watch

    path = Path(sys.argv[1])
    watch(lambda: path.name)
    old_names()
    names = {"__name__": "__main__"}
    for number, cell in enumerate(cells(path), start=1):
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(cell, path.name, "exec"), names)
        except Exception as error:
            said = str(error).splitlines()[0][:150] if str(error) else ""
            print(f"{path.name}: cell {number}: {type(error).__name__}: {said}")


if __name__ == "__main__":
    main()
