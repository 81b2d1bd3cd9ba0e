"""PyTorch Geometric on the one large graph of lrnn-bench, in a process of its own: prints a line of JSON.

    pyg_graph.py graph-200k [--threads N]    seconds of an epoch, memory
    pyg_graph.py graph-10k --values          the values of all nodes with the numbers of templates.py

The graph is made by the numbers that lrnn-bench makes it by, so it is the same to the last edge; reading it as text is not
measured.
"""

import argparse
import json
import resource
import statistics
import time

parser = argparse.ArgumentParser()
parser.add_argument("case")
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--warm", type=int, default=2, help="epochs before the clock runs")
parser.add_argument("--blocks", type=int, default=7, help="how often the clock runs")
parser.add_argument("--values", action="store_true")
arguments = parser.parse_args()

import numpy  # noqa: E402
import torch  # noqa: E402
import torch_geometric  # noqa: E402
from torch import nn  # noqa: E402
from torch_geometric.nn import SAGEConv  # noqa: E402

import templates  # noqa: E402

FEATURES, SIZE, EDGES_A_NODE, DRAWS = 8, 16, 6, 12


def random_numbers(seed, first, count):
    """The numbers of benches/src/graph.rs: a counter whose bits are scattered."""
    scatter = numpy.uint64(0xD6E8FEB86659FD93)
    bits = numpy.uint64(seed) + numpy.arange(first + 1, first + count + 1, dtype=numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> numpy.uint64(31))) * scatter
    bits = (bits ^ (bits >> numpy.uint64(29))) * scatter
    return bits ^ (bits >> numpy.uint64(32))


def below(bits, end):
    return ((bits >> numpy.uint64(32)) * numpy.uint64(end)) >> numpy.uint64(32)


def graph(nodes):
    """Features, edges into each node, and targets."""
    draws = 1 + FEATURES * DRAWS
    numbers = random_numbers(nodes, 0, nodes * draws).reshape(nodes, draws)
    targets = below(numbers[:, 0], 2).astype(float)
    even = (numbers[:, 1:] >> numpy.uint64(11)).astype(float) / 2.0**53
    centred = even.reshape(nodes, FEATURES, DRAWS).sum(axis=2) - 6
    features = numpy.round(centred + numpy.where(targets == 1, 0.3, -0.3)[:, None], 3)
    ends = below(random_numbers(nodes, nodes * draws, nodes * EDGES_A_NODE), nodes).astype(numpy.int64).reshape(-1, 2)
    both = numpy.unique(numpy.concatenate([ends, ends[:, ::-1]]), axis=0)  # a fact is true once
    return features, both[:, ::-1].T.copy(), targets


class Network(nn.Module):
    """benches/templates/graph.lrnn, with its weights by the same names."""

    def __init__(self):
        super().__init__()
        self.f, self.o = nn.Linear(FEATURES, SIZE, bias=False), nn.Linear(SIZE, 1, bias=False)
        self.layers = nn.ModuleList([SAGEConv(SIZE, SIZE, bias=False) for _ in range(2)])
        self.named = {"f": self.f.weight, "o": self.o.weight}
        for number, layer in enumerate(self.layers, 1):
            self.named.update({f"n{number}": layer.lin_l.weight, f"s{number}": layer.lin_r.weight})

    def forward(self, x, edges):
        x = self.f(x)
        for layer in self.layers:
            x = layer(x, edges).tanh()
        return self.o(x).view(-1)


torch.set_num_threads(arguments.threads)
torch.set_default_dtype(torch.float64 if arguments.values else torch.float32)
torch.manual_seed(1)
begin = time.perf_counter()
features, edges, targets = graph(int(arguments.case.removeprefix("graph-").removesuffix("k")) * 1000)
x, edges, targets = torch.tensor(features).to(torch.get_default_dtype()), torch.tensor(edges), torch.tensor(targets)
targets = targets.to(x.dtype)
result = {"case": arguments.case, "build_s": round(time.perf_counter() - begin, 4), "threads": arguments.threads}
network = Network()
if arguments.values:
    numbers = templates.graph_weights()
    with torch.no_grad():
        for name, weight in network.named.items():
            weight.copy_(torch.tensor(numbers[name]).view(weight.shape))
        result["values"] = network(x, edges).tolist()
else:
    optimizer = torch.optim.SGD(network.parameters(), lr=1e-5)
    times = []
    for _ in range(arguments.warm + arguments.blocks):
        begin = time.perf_counter()
        optimizer.zero_grad()
        (0.5 * (network(x, edges) - targets) ** 2).mean().backward()
        optimizer.step()
        times.append(time.perf_counter() - begin)
    times = times[arguments.warm:]
    result.update(epoch_s=round(statistics.median(times), 7), least_s=round(min(times), 7))
result["peak_bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
result["versions"] = {"torch": torch.__version__, "torch_geometric": torch_geometric.__version__}
print(json.dumps(result), flush=True)
