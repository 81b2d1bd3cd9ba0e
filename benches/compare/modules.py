"""Writes what PyTorch computes for every module of the library: `python modules.py > ../../crates/lrnn/tests/modules.txt`

Values and gradients of Σ i · output[i], in double precision. Each line `by` says what computes it: a layer of
torch_geometric.nn where there is one, else one of torch.nn; the sines and cosines of places are written down here.
"""

import math

import torch
import torch_geometric.nn as pyg

torch.set_default_dtype(torch.float64)
NODES, EDGES = [1, 2, 3, 4], [(1, 2), (2, 1), (2, 3), (3, 2), (3, 1), (4, 3)]
X = torch.tensor([[0.3 * i - 0.2 * j + 0.1 * i * j for j in range(3)] for i in NODES])
counter = [0]


def tensor(*shape):
    def number():
        counter[0] += 1
        return math.sin(counter[0] * 12.9898) * 0.8

    numbers = torch.tensor([number() for _ in range(math.prod(shape))]).reshape(shape)
    return numbers.requires_grad_()


def text(numbers):
    return " ".join(repr(float(number)) for number in numbers.detach().flatten())


def literal(vector):
    return "[" + ", ".join(repr(float(number)) for number in vector) + "]"


def write(name, layer, use, facts, query, weights, output):
    scale = torch.arange(1, output.numel() + 1, dtype=output.dtype)
    (output.flatten() * scale).sum().backward()
    print(f"case {name}\nby {layer}\nuse {use}\nfacts {', '.join(facts)}\nquery {query}")
    for key, value in weights.items():
        print(f"weight {key} = {text(value)}")
    print(f"value {text(output)}")
    for key, value in weights.items():
        print(f"gradient {key} = {text(value.grad)}")


NODE_FACTS = [f"{literal(x)} x({node})" for node, x in zip(NODES, X)]
LINKS = torch.tensor([[a - 1 for a, _ in EDGES], [b - 1 for _, b in EDGES]])
GRAPH = NODE_FACTS + [f"e({a}, {b})" for a, b in EDGES]
W = lambda *shape: tensor(*shape)


def computed(layer, parameters, *inputs, **more):
    """Returns what a layer gives with these parameters; those that are not named are 0."""
    named = {name: torch.zeros_like(value) for name, value in layer.named_parameters()}
    unknown = set(parameters) - set(named)
    assert not unknown, (unknown, list(named))
    return torch.func.functional_call(layer, named | parameters, inputs, more)


def two_layers(w1, b1, w2, b2):
    """Returns an empty perceptron of two layers and its parameters, by their names inside a convolution."""
    layers = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    return layers, {"nn.0.weight": w1, "nn.0.bias": b1, "nn.2.weight": w2, "nn.2.bias": b2}


def graph_modules():
    w, b = W(2, 3), W(2)
    write("linear", "torch.nn.Linear", "linear, output = o, input = x, in = 3, out = 2, activation = tanh", GRAPH, "o(2)",
          {"o_w": w, "o_b": b}, computed(torch.nn.Linear(3, 2), {"weight": w, "bias": b}, X).tanh()[1])
    w1, w2, w3, b1, b2, b3 = W(4, 3), W(4, 4), W(2, 4), W(4), W(4), W(2)
    out = computed(pyg.MLP([3, 4, 4, 2], act="relu", norm=None), {"lins.0.weight": w1, "lins.0.bias": b1, "lins.1.weight": w2,
                   "lins.1.bias": b2, "lins.2.weight": w3, "lins.2.bias": b3}, X)
    write("mlp", "torch_geometric.nn.MLP", "mlp, output = o, input = x, in = 3, hidden = 4, out = 2, layers = 3", GRAPH, "o(2)",
          {"o_in": w1, "o_w[2]": w2, "o_out": w3, "o_b[1]": b1, "o_b[2]": b2, "o_b_out": b3}, out[1])
    edges = "output = o, input = x, edges = e, in = 3, out = 2"
    w, b = W(2, 3), W(2)
    out = computed(pyg.GCNConv(3, 2), {"lin.weight": w, "bias": b}, X, LINKS)
    write("gcn", "torch_geometric.nn.GCNConv", f"gcn, {edges}", GRAPH, "o(2)", {"o_w": w, "o_b": b}, out[1])
    n, o, b = W(2, 3), W(2, 3), W(2)
    out = computed(pyg.SAGEConv(3, 2), {"lin_l.weight": n, "lin_l.bias": b, "lin_r.weight": o}, X, LINKS)
    write("sage", "torch_geometric.nn.SAGEConv", f"sage, {edges}", GRAPH, "o(2)", {"o_neighbours": n, "o_own": o, "o_b": b}, out[1])
    w1, b1, w2, b2 = W(4, 3), W(4), W(2, 4), W(2)
    layers, parameters = two_layers(w1, b1, w2, b2)
    out = computed(pyg.GINConv(layers, eps=0.5), parameters, X, LINKS)
    write("gin", "torch_geometric.nn.GINConv", f"gin, {edges}, hidden = 4, own = 1.5", GRAPH, "o(2)",
          {"o_w1": w1, "o_b1": b1, "o_w2": w2, "o_b2": b2}, out[1])
    vectors = {edge: torch.tensor([0.1 * at, 0.5 - 0.2 * at]) for at, edge in enumerate(EDGES)}
    we, be, w1, b1, w2, b2 = W(3, 2), W(3), W(4, 3), W(4), W(2, 4), W(2)
    layers, parameters = two_layers(w1, b1, w2, b2)
    out = computed(pyg.GINEConv(layers, edge_dim=2), parameters | {"lin.weight": we, "lin.bias": be}, X, LINKS,
                   edge_attr=torch.stack(list(vectors.values())))
    facts = NODE_FACTS + [f"{literal(vector)} e({a}, {c})" for (a, c), vector in vectors.items()]
    write("gine", "torch_geometric.nn.GINEConv", f"gine, {edges}, edge = 2, hidden = 4", facts, "o(2)",
          {"o_e": we, "o_be": be, "o_w1": w1, "o_b1": b1, "o_w2": w2, "o_b2": b2}, out[1])
    l, r, a, b = [W(2, 3), W(2, 3)], [W(2, 3), W(2, 3)], [W(1, 2), W(1, 2)], W(2)
    out = computed(pyg.GATv2Conv(3, 2, heads=2, concat=False),
                   {"lin_l.weight": torch.cat(l), "lin_r.weight": torch.cat(r), "att": torch.cat(a)[None], "bias": b}, X, LINKS)
    weights = {f"o_{name}[{head + 1}]": both[head] for head in (0, 1) for name, both in (("l", l), ("r", r), ("a", a))}
    write("gatv2", "torch_geometric.nn.GATv2Conv", f"gatv2, {edges}, heads = 2", GRAPH, "o(2)", weights | {"o_b": b}, out[1])
    kinds = ["p", "q", "p", "p", "q", "q"]
    facts = NODE_FACTS + [f"e({a}, {kind}, {c})" for (a, c), kind in zip(EDGES, kinds)]
    p, q, o, b = W(2, 3), W(2, 3), W(2, 3), W(2)
    out = computed(pyg.RGCNConv(3, 2, 2), {"weight": torch.stack([p.T, q.T]), "root": o.T, "bias": b}, X, LINKS,
                   edge_type=torch.tensor([int(kind == "q") for kind in kinds]))
    write("rgcn", "torch_geometric.nn.RGCNConv", f"rgcn, {edges}", facts, "o(3)", {"o_w[p]": p, "o_w[q]": q, "o_own": o, "o_b": b}, out[2])
    hops, b = [W(2, 3) for _ in range(3)], W(2)
    out = computed(pyg.TAGConv(3, 2, K=2), {f"lins.{k}.weight": w for k, w in enumerate(hops)} | {"bias": b}, X, LINKS)
    write("tag", "torch_geometric.nn.TAGConv", f"tag, {edges}, hops = 2", GRAPH, "o(2)",
          {f"o_w[{k}]": w for k, w in enumerate(hops)} | {"o_b": b}, out[1])
    w, b = W(2, 3), W(2)
    out = computed(pyg.SGConv(3, 2, K=2), {"lin.weight": w, "lin.bias": b}, X, LINKS)
    write("sg", "torch_geometric.nn.SGConv", f"sg, {edges}, hops = 2", GRAPH, "o(2)", {"o_w": w, "o_b": b}, out[1])
    w, b = W(3, 3), W(3)
    out = pyg.APPNP(K=4, alpha=0.2)(torch.nn.functional.linear(X, w, b), LINKS)
    write("appnp", "torch_geometric.nn.APPNP",
          "appnp, output = o, input = l, edges = e, steps = 4, teleport = 0.2; linear, output = l, input = x, in = 3, out = 3",
          GRAPH, "o(2)", {"l_w": w, "l_b": b}, out[1])
    k, q, v, skip, bg, bv, b = W(2, 3), W(2, 3), W(2, 3), W(2, 3), W(2), W(2), W(2)
    out = computed(pyg.ResGatedGraphConv(3, 2), {"lin_key.weight": k, "lin_key.bias": bg, "lin_query.weight": q, "lin_value.weight": v,
                   "lin_value.bias": bv, "lin_skip.weight": skip, "bias": b}, X, LINKS)
    write("gated", "torch_geometric.nn.ResGatedGraphConv", f"gated, {edges}", GRAPH, "o(2)",
          {"o_key": k, "o_query": q, "o_value": v, "o_skip": skip, "o_bg": bg, "o_bv": bv, "o_b": b}, out[1])


SEQUENCE = torch.tensor([[0.2 * t - 0.1 * i + 0.05 * t * i for i in range(4)] for t in range(1, 4)])


def heads_of(weights, prefix, heads, size):
    """Draws the weights of attention, and returns them by the names that torch.nn.MultiheadAttention has for them."""
    q, k, v = ([W(size // heads, size) for _ in range(heads)] for _ in range(3))
    o = [W(size, size // heads) for _ in range(heads)]
    bq, bk, bv = ([W(size // heads) for _ in range(heads)] for _ in range(3))
    bo = W(size)
    named = {"q": q, "k": k, "v": v, "o": o, "bq": bq, "bk": bk, "bv": bv}
    for head in range(heads):
        weights |= {f"{prefix}_{name}[{head + 1}]": all_of[head] for name, all_of in named.items()}
    weights[f"{prefix}_bo"] = bo
    return {"in_proj_weight": torch.cat([*q, *k, *v]), "in_proj_bias": torch.cat([*bq, *bk, *bv]),
            "out_proj.weight": torch.cat(o, 1), "out_proj.bias": bo}


def sequence_modules():
    facts = [f"{literal(x)} x({t})" for t, x in enumerate(SEQUENCE, 1)]
    weights = {}
    attention = torch.nn.MultiheadAttention(4, 2)
    out, _ = computed(attention, heads_of(weights, "o", 2, 4), *[SEQUENCE[:, None, :]] * 3)
    out = out[:, 0, :]
    write("attention", "torch.nn.MultiheadAttention", "attention, output = o, queries = x, size = 4, head = 2, heads = 2", facts, "o(2)", weights, out[1])
    weights = {}
    attended = {f"self_attn.{name}": value for name, value in heads_of(weights, "o__attended", 2, 4).items()}
    g1, n1, w1, b1, w2, b2, g2, n2 = W(4), W(4), W(5, 4), W(5), W(4, 5), W(4), W(4), W(4)
    layer = torch.nn.TransformerEncoderLayer(4, 2, dim_feedforward=5, dropout=0.0, layer_norm_eps=1e-10)
    out = computed(layer, attended | {"linear1.weight": w1, "linear1.bias": b1, "linear2.weight": w2, "linear2.bias": b2, "norm1.weight": g1,
                   "norm1.bias": n1, "norm2.weight": g2, "norm2.bias": n2}, SEQUENCE[:, None, :])[:, 0, :]
    weights |= {"o_g1": g1, "o_n1": n1, "o_w1": w1, "o_b1": b1, "o_w2": w2, "o_b2": b2, "o_g2": g2, "o_n2": n2}
    write("transformer", "torch.nn.TransformerEncoderLayer", "transformer, output = o, input = x, size = 4, head = 2, heads = 2, hidden = 5", facts, "o(2)", weights, out[1])
    facts = [f"{literal(x)} x(s, {t})" for t, x in enumerate(SEQUENCE, 1)]
    h0, c0 = torch.tensor([0.1, -0.2]), torch.tensor([0.3, 0.2])
    facts += [f"{literal(h0)} h(s)", f"{literal(c0)} c(s)"]
    recurrent = "output = o, input = x, start = h, in = 4, out = 2"
    for name, gates, extra in [("rnn", [""], ""), ("gru", ["r", "z", "n"], ""), ("lstm", ["i", "f", "g", "o"], ", cell = c")]:
        cell = {"rnn": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[name](4, 2)
        w = {g: W(2, 4) for g in gates}
        u = {g: W(2, 2) for g in gates}
        b = {g: W(2) for g in gates}
        bh = {g: W(2) if name == "gru" and g == "n" else torch.zeros(2) for g in gates}
        parameters = {"weight_ih_l0": torch.cat(list(w.values())), "weight_hh_l0": torch.cat(list(u.values())),
                      "bias_ih_l0": torch.cat(list(b.values())), "bias_hh_l0": torch.cat(list(bh.values()))}
        state = (h0[None], c0[None]) if name == "lstm" else h0[None]
        out, _ = torch.func.functional_call(cell, parameters, (SEQUENCE, state))
        weights = {f"o_w{g}": w[g] for g in gates} | {f"o_u{g}": u[g] for g in gates} | {f"o_b{g}": b[g] for g in gates}
        if name == "gru":
            weights["o_bh"] = bh["n"]
        write(name, f"torch.nn.{name.upper()}", f"{name}, {recurrent}{extra}", facts, "o(s, 3)", weights, out[-1])
    for aggregation, pool in [("mean", pyg.global_mean_pool), ("sum", pyg.global_add_pool), ("max", pyg.global_max_pool)]:
        w, b = W(2, 3), W(2)
        pooled = pool(torch.nn.functional.linear(X, w, b), torch.zeros(len(NODES), dtype=torch.long))[0]
        write(f"pooling {aggregation}", f"torch_geometric.nn.{pool.__name__}", f"pooling, output = o, input = l, aggregation = {aggregation}; linear, output = l, input = x, in = 3, out = 2",
              GRAPH, "o", {"l_w": w, "l_b": b}, pooled)
    w, b = W(4, 4), W(4)
    angle = torch.arange(10.0)[:, None] / 10000 ** (torch.arange(0, 4, 2) / 4)
    encoding = torch.stack([angle.sin(), angle.cos()], 2).reshape(10, 4)
    layer = torch.nn.functional.linear(SEQUENCE, w, b) + encoding[1:4]
    facts = [f"{literal(x)} x({t})" for t, x in enumerate(SEQUENCE, 1)]
    write("positions", "a formula", "positions, output = o, input = l, size = 4, length = 10; linear, output = l, input = x, in = 4, out = 4",
          facts, "o(3)", {"l_w": w, "l_b": b}, layer[2])


graph_modules()
sequence_modules()
