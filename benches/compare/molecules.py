"""Compares values with NeuraLogic's on the templates of ChemLogic: `python molecules.py --lrnn ../../target/release/lrnn [NAME]...`

ChemLogic's seven models, bare, with its chemical rules, with its subgraphs and with both, on the first molecules of its
own data: each template is made by the package, given weights, computed by NeuraLogic, read by `lrnn` as it is and compared
to 1e-6. `--time DATASET` instead builds the networks of a whole dataset for the model `gnn` with chemical rules.

It needs Java and `pip install neuralogic scikit-learn rdkit networkx safetensors pydantic pandas`, `pip install --no-deps chemlogic`.
ChemLogic asks for NeuraLogic 0.8, which gives weights behind a guard to the wrong literals; so it is computed by the newest.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import types
from pathlib import Path

import agree  # says so where NeuraLogic is not there


def bring_up_to_date():
    """Gives ChemLogic the names that it knows NeuraLogic by."""
    import neuralogic.core
    import neuralogic.dataset
    import neuralogic.nn.optim

    class Template(neuralogic.core.Model):
        template = property(lambda self: self._model, lambda self, rules: setattr(self, "_model", rules))

    neuralogic.core.Template = Template
    neuralogic.nn.get_evaluator = None
    for name in ("Data", "TensorDataset"):
        neuralogic.dataset.__dict__.setdefault(name, object)
    optim = types.ModuleType("neuralogic.optim")
    for name in ("Adam", "Optimizer", "SGD"):
        setattr(optim, name, getattr(neuralogic.nn.optim, name, object))
    unused = {"torch_geometric": [], "torch_geometric.utils": ["from_networkx"], "pysmiles": ["read_smiles"]}
    for name, functions in unused.items():
        module = types.ModuleType(name)
        for function in functions:
            setattr(module, function, None)
        sys.modules.setdefault(name, module)
    sys.modules["neuralogic.optim"] = optim
    # Terms could be given in a tuple or by a generator.
    special = type(neuralogic.core.R.special)
    for name in ("alldiff", "_in"):
        setattr(special, name, spread(getattr(special, name)))


def spread(method):
    """Returns a method that takes the terms of tuples and generators one by one."""
    def call(self, *terms):
        nested = [part if isinstance(part, (tuple, types.GeneratorType)) else [part] for part in terms]
        return method(self, *[term for part in nested for term in part])
    return call


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lrnn", required=True, help="the command")
    parser.add_argument("--molecules", type=int, default=4, help="how many are computed")
    parser.add_argument("--time", metavar="DATASET", help="time the networks of a dataset, such as pampa_permeability")
    parser.add_argument("--write", metavar="FOLDER", help="with --time, write the template and the data there instead")
    parser.add_argument("name", nargs="*", help="such as gnn-both; all if there is none")
    options = parser.parse_args()
    agree.neuralogic.initialize()
    import jpype

    jpype.java.util.logging.LogManager.getLogManager().reset()
    bring_up_to_date()
    import chemlogic
    from chemlogic.utils.Pipeline import Pipeline
    from neuralogic.core import Model, Settings
    from neuralogic.dataset import FileDataset

    data = Path(chemlogic.__file__).parent / "data" / "datasets"

    def template(dataset, model, **parts):
        return agree.filled(list(Pipeline(dataset, model, param_size=3, layers=2, **parts).template.template))

    def write(folder, rules, examples, queries):
        (folder / "template.lrnn").write_text(agree.HEADER + "\n".join(map(str, rules)) + "\n")
        (folder / "examples.txt").write_text(examples)
        (folder / "queries.txt").write_text(queries)
        (folder / "lrnn.toml").write_text('template = "template.lrnn"\n')

    if options.time:
        with tempfile.TemporaryDirectory() as folder:
            own = data / options.time
            rules = template(options.time, "gnn", chem_rules=True)
            write(Path(options.write or folder), rules, (own / "examples.txt").read_text(), (own / "queries.txt").read_text())
            if options.write:
                return
            command = [options.lrnn, "train", folder, "--epochs", "1", "--test", "0", "--threads", "1", "--json", "--quiet",
                       "--out", folder + "/run", "--max-ground-rules", "1000000000", "--max-ground-rules-total", "100000000000"]
            found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            print(f"{options.time}: built in {found['seconds']['build']:.2f} s, {found['peak_memory_bytes'] / 1e6:.0f} MB")
        return
    parts = {"bare": {}, "chem": {"chem_rules": True}, "sub": {"subgraphs": True}, "both": {"chem_rules": True, "subgraphs": True}}
    examples = "".join((data / "ptc/examples.txt").read_text().splitlines(keepends=True)[20:20 + options.molecules])
    good, bad = 0, 0
    for model in "gnn rgcn kgnn ego diffusion cw sgn".split():
        for name, chosen in parts.items():
            if options.name and f"{model}-{name}" not in options.name:
                continue
            rules = template("ptc", model, **chosen)
            with tempfile.TemporaryDirectory() as folder:
                folder = Path(folder)
                write(folder, rules, examples, "1.0 predict.\n" * options.molecules)
                peer = Model()
                for rule in rules:
                    peer += rule
                built = peer.build(Settings(iso_value_compression=False, chain_pruning=False))
                theirs = built(built.build_dataset(FileDataset(str(folder / "examples.txt"), str(folder / "queries.txt"))))
                run = subprocess.run([options.lrnn, "query", "--json", "--quiet", folder / "template.lrnn",
                                      folder / "examples.txt", "predict"], capture_output=True, text=True)
            mine = [atom["value"] for atom in json.loads(run.stdout)["atoms"]] if run.returncode == 0 else run.stderr[:300]
            if agree.agree(theirs, mine):
                good += 1
            else:
                bad += 1
                print(f"{model}-{name}: NeuraLogic {theirs}, lrnn {mine}")
    print(f"{good} agree, {bad} differ")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
