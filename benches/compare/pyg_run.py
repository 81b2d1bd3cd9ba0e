"""One measurement of PyTorch Geometric, in a process of its own: prints a line of JSON.

    pyg_run.py CASE [--batch N]       seconds of reading and of an epoch, memory; batch 0 is all
    pyg_run.py CASE --values          the values of all queries with the numbers of templates.py
"""

import argparse
import json
import resource
import statistics
import time

parser = argparse.ArgumentParser()
parser.add_argument("case")
parser.add_argument("--batch", type=int, default=1)
parser.add_argument("--warm", type=int, default=3, help="epochs before the clock runs")
parser.add_argument("--blocks", type=int, default=7, help="how often the clock runs")
parser.add_argument("--values", action="store_true")
arguments = parser.parse_args()

import torch  # noqa: E402
import torch_geometric  # noqa: E402
from torch import nn  # noqa: E402
from torch_geometric.data import Data  # noqa: E402
from torch_geometric.loader import DataLoader  # noqa: E402
from torch_geometric.nn import GINConv, SAGEConv, SimpleConv, global_mean_pool  # noqa: E402

import data  # noqa: E402
import templates  # noqa: E402


def linear(rows, columns):
    return nn.Linear(columns, rows, bias=False)


class Convolution(nn.Module):
    """A matrix times the sum over the neighbours."""

    def __init__(self, size):
        super().__init__()
        self.sum, self.matrix = SimpleConv(aggr="sum"), linear(size, size)

    def forward(self, x, edges):
        return self.matrix(self.sum(x, edges))


class Network(nn.Module):
    """The networks of benches/templates, with their weights by the same names in `named`."""

    def __init__(self, kind, size):
        super().__init__()
        self.kind = kind
        self.embedding = linear(size, len(templates.ELEMENTS))
        self.named = {f"e_{element}": self.embedding.weight[:, at] for at, element in enumerate(templates.ELEMENTS)}
        layers = [self.layer(number, size) for number in range(1, 6 if kind == "gin" else 3)]
        self.layers = nn.ModuleList(layers)
        self.outputs = nn.ModuleList([linear(1, size) for _ in (layers if kind == "gin" else [0])])
        for number, output in enumerate(self.outputs, 1):
            self.named[f"o{number}" if kind == "gin" else "o"] = output.weight

    def layer(self, number, size):
        if self.kind == "gcn":
            layer = Convolution(size)
            self.named[f"n{number}"] = layer.matrix.weight
        elif self.kind == "gsage":
            layer = SAGEConv(size, size, bias=False)
            self.named.update({f"n{number}": layer.lin_l.weight, f"s{number}": layer.lin_r.weight})
        else:
            inner, outer = linear(size, size), linear(size, size)
            layer = GINConv(nn.Sequential(inner, nn.ReLU(), outer, nn.ReLU()))
            self.named.update({f"a{number}": inner.weight, f"b{number}": outer.weight})
        return layer

    def forward(self, batch):
        x, value = self.embedding(batch.x), 0
        for number, layer in enumerate(self.layers):
            x = layer(x, batch.edge_index)
            if self.kind == "gin":
                value = value + self.outputs[number](global_mean_pool(x, batch.batch))
            elif number == 0:
                x = x.relu()
        if self.kind != "gin":
            value = self.outputs[0](global_mean_pool(x, batch.batch))
        return value.view(-1)

    def set_weights(self, numbers):
        with torch.no_grad():
            for name, weight in self.named.items():
                weight.copy_(torch.tensor(numbers[name]).view(weight.shape))


def read():
    graphs = []
    for elements, edges, target in data.graphs():
        x = torch.zeros(len(elements), len(templates.ELEMENTS))
        for atom, element in enumerate(elements):
            x[atom, templates.ELEMENTS.index(element)] = 1
        graphs.append(Data(x=x, edge_index=torch.tensor(edges).t().contiguous(), y=torch.tensor([target])))
    return graphs


def epoch(network, optimizer, loader):
    for batch in loader:
        optimizer.zero_grad()
        (0.5 * (network(batch) - batch.y) ** 2).mean().backward()
        optimizer.step()


torch.set_num_threads(1)
torch.set_default_dtype(torch.float64 if arguments.values else torch.float32)
torch.manual_seed(1)
begin = time.perf_counter()
graphs = read()
result = {"case": arguments.case, "build_s": round(time.perf_counter() - begin, 4)}
kind, _, size = arguments.case.partition("-")
network = Network(kind, int(size))
if arguments.values:
    network.set_weights(templates.template(arguments.case)[1])
    result["values"] = torch.cat([network(batch) for batch in DataLoader(graphs)]).tolist()
else:
    optimizer = torch.optim.SGD(network.parameters(), lr=1e-5)
    loader = DataLoader(graphs, batch_size=arguments.batch or len(graphs))
    times = []
    for _ in range(arguments.warm + arguments.blocks):
        begin = time.perf_counter()
        epoch(network, optimizer, loader)
        times.append(time.perf_counter() - begin)
    times = times[arguments.warm:]
    result.update(epoch_s=round(statistics.median(times), 7), least_s=round(min(times), 7))
result["peak_bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
result["versions"] = {"torch": torch.__version__, "torch_geometric": torch_geometric.__version__}
print(json.dumps(result), flush=True)
