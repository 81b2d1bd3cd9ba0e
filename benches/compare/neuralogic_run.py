"""One measurement of NeuraLogic, in a process of its own: prints a line of JSON.

    neuralogic_run.py CASE [--compress]                 seconds of building and of an epoch, memory
    neuralogic_run.py CASE [--compress] --values        the values of all queries with the numbers of templates.py
"""

import argparse
import json
import os
import resource
import statistics
import time

parser = argparse.ArgumentParser()
parser.add_argument("case")
parser.add_argument("--compress", action="store_true", help="with its compression and pruning")
parser.add_argument("--warm", type=int, default=1, help="epochs before the clock runs")
parser.add_argument("--blocks", type=int, default=5, help="how often the clock runs")
parser.add_argument("--epochs", type=int, default=1, help="epochs each time")
parser.add_argument("--heap", help="the most memory of the Java machine, such as 16g")
parser.add_argument("--values", action="store_true")
parser.add_argument("--first", type=int, help="only so many molecules")
arguments = parser.parse_args()

import jpype  # noqa: E402
import neuralogic  # noqa: E402
from neuralogic.core import Settings  # noqa: E402
from neuralogic.core.model import Model  # noqa: E402
from neuralogic.dataset import FileDataset  # noqa: E402
from neuralogic.nn.init import Glorot, Uniform  # noqa: E402
from neuralogic.nn.loss import MSE  # noqa: E402
from neuralogic.nn.optim import SGD  # noqa: E402

import data  # noqa: E402
import templates  # noqa: E402


def quiet():
    """The engine turns its log on again whenever it is set up."""
    jpype.java.util.logging.LogManager.getLogManager().reset()


def build(text, settings):
    """A model and its networks, with the seconds until there."""
    folder = data.write(arguments.first)
    file = folder / f"{arguments.case}-{os.getpid()}.txt"
    file.write_text(text)
    begin = time.perf_counter()
    model = Model(model_file=str(file))
    model.build(settings)
    quiet()
    dataset = FileDataset(examples_file=str(folder / "examples.txt"), queries_file=str(folder / "queries.txt"))
    networks = model.ground(dataset).neuralize()
    seconds = time.perf_counter() - begin
    file.unlink()
    return model, networks, round(seconds, 4)


def set_weights(model, numbers):
    """Puts numbers for the weights of these names."""
    state = model.state_dict()
    for at, name in state["weight_names"].items():
        state["weights"][at] = shaped(numbers[name], state["weights"][at])
    model.load_state_dict(state)


def shaped(numbers, like):
    """A list of numbers in the form that another value has: a number, a list, a list of rows."""
    if not isinstance(like, list):
        return numbers[0]
    if not isinstance(like[0], list):
        return numbers
    columns = len(like[0])
    return [numbers[at:at + columns] for at in range(0, len(numbers), columns)]


def epochs(model, networks):
    """Seconds of an epoch, each a mean over a few."""
    model.train(networks, epochs=arguments.warm)
    times = []
    for _ in range(arguments.blocks):
        begin = time.perf_counter()
        model.train(networks, epochs=arguments.epochs)
        times.append((time.perf_counter() - begin) / arguments.epochs)
    return {"epoch_s": round(statistics.median(times), 7), "least_s": round(min(times), 7)}


if arguments.heap:
    neuralogic.setup.set_jvm_options([f"-Xmx{arguments.heap}"])
neuralogic.initialize(seed=1)
quiet()
numbers_only = arguments.case.startswith("chains")
settings = Settings(
    optimizer=SGD(lr=0.01 if numbers_only else 1e-5), error_function=MSE(), initializer=Uniform(2.0) if numbers_only else Glorot(),
    iso_value_compression=arguments.compress, chain_pruning=arguments.compress)
text, numbers = templates.template(arguments.case)
model, networks, seconds = build(text, settings)
result = {"case": arguments.case, "build_s": seconds}
if arguments.values:
    set_weights(model, numbers)
    result["values"] = [float(value) for value in model.test(networks)]
else:
    result.update(epochs(model, networks))
result["peak_bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
result["versions"] = {"neuralogic": neuralogic.__version__, "java": str(jpype.java.lang.System.getProperty("java.version"))}
print(json.dumps(result), flush=True)
os._exit(0)  # the Java machine takes its time to end
