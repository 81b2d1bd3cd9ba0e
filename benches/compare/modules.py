"""Writes what PyTorch computes for every module of the library: `python modules.py > ../../crates/lrnn/tests/modules.txt`

Values and gradients of Σ i · output[i], in double precision. Where torch.nn has the module it is torch.nn that
computes; graph convolutions are their definitions over dense matrices.
"""

import math

import torch

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


def write(name, use, facts, query, weights, output):
    scale = torch.arange(1, output.numel() + 1, dtype=output.dtype)
    (output.flatten() * scale).sum().backward()
    print(f"case {name}\nuse {use}\nfacts {', '.join(facts)}\nquery {query}")
    for key, value in weights.items():
        print(f"weight {key} = {text(value)}")
    print(f"value {text(output)}")
    for key, value in weights.items():
        print(f"gradient {key} = {text(value.grad)}")


def adjacency(loops=False):
    matrix = torch.zeros(len(NODES), len(NODES))
    for source, target in EDGES:
        matrix[target - 1, source - 1] = 1.0
    return matrix + torch.eye(len(NODES)) if loops else matrix


def normed(matrix):
    degree = matrix.sum(1)
    root = torch.where(degree > 0, degree.clamp(min=1e-300) ** -0.5, torch.zeros(()))
    return root[:, None] * matrix * root[None, :]


NODE_FACTS = [f"{literal(x)} x({node})" for node, x in zip(NODES, X)]
GRAPH = NODE_FACTS + [f"e({a}, {b})" for a, b in EDGES]
W = lambda *shape: tensor(*shape)


def graph_modules():
    w, b = W(2, 3), W(2)
    write("linear", "linear, output = o, input = x, in = 3, out = 2, activation = tanh", GRAPH, "o(2)",
          {"o_w": w, "o_b": b}, torch.nn.functional.linear(X, w, b).tanh()[1])
    w1, w2, w3, b1, b2, b3 = W(4, 3), W(4, 4), W(2, 4), W(4), W(4), W(2)
    linear = torch.nn.functional.linear
    hidden = linear(linear(X, w1, b1).relu(), w2, b2).relu()
    write("mlp", "mlp, output = o, input = x, in = 3, hidden = 4, out = 2, layers = 3", GRAPH, "o(2)",
          {"o_in": w1, "o_w[2]": w2, "o_out": w3, "o_b[1]": b1, "o_b[2]": b2, "o_b_out": b3}, linear(hidden, w3, b3)[1])
    edges = "output = o, input = x, edges = e, in = 3, out = 2"
    w, b = W(2, 3), W(2)
    write("gcn", f"gcn, {edges}", GRAPH, "o(2)", {"o_w": w, "o_b": b}, (normed(adjacency(True)) @ X @ w.T + b)[1])
    n, o, b = W(2, 3), W(2, 3), W(2)
    mean = adjacency() / adjacency().sum(1, keepdim=True).clamp(min=1)
    write("sage", f"sage, {edges}", GRAPH, "o(2)", {"o_neighbours": n, "o_own": o, "o_b": b}, (mean @ X @ n.T + X @ o.T + b)[1])
    w1, b1, w2, b2 = W(4, 3), W(4), W(2, 4), W(2)
    summed = adjacency() @ X + 1.5 * X
    write("gin", f"gin, {edges}, hidden = 4, own = 1.5", GRAPH, "o(2)", {"o_w1": w1, "o_b1": b1, "o_w2": w2, "o_b2": b2},
          linear(linear(summed, w1, b1).relu(), w2, b2)[1])
    vectors = {edge: torch.tensor([0.1 * at, 0.5 - 0.2 * at]) for at, edge in enumerate(EDGES)}
    we, be, w1, b1, w2, b2 = W(3, 2), W(3), W(4, 3), W(4), W(2, 4), W(2)
    total = X.clone()
    for (a, c), vector in vectors.items():
        total = total + torch.nn.functional.one_hot(torch.tensor(c - 1), 4)[:, None] * linear(vector, we, be).add(X[a - 1]).relu()
    facts = NODE_FACTS + [f"{literal(vector)} e({a}, {c})" for (a, c), vector in vectors.items()]
    write("gine", f"gine, {edges}, edge = 2, hidden = 4", facts, "o(2)",
          {"o_e": we, "o_be": be, "o_w1": w1, "o_b1": b1, "o_w2": w2, "o_b2": b2}, linear(linear(total, w1, b1).relu(), w2, b2)[1])
    weights, out = {}, 0
    for head in (1, 2):
        l, r, a = W(2, 3), W(2, 3), W(1, 2)
        weights |= {f"o_l[{head}]": l, f"o_r[{head}]": r, f"o_a[{head}]": a}
        source, target = X @ l.T, X @ r.T
        scores = torch.nn.functional.leaky_relu(source[None, :, :] + target[:, None, :], 0.2) @ a[0]
        shares = scores.masked_fill(adjacency(True) == 0, -math.inf).softmax(1)
        out = out + shares @ source / 2
    b = W(2)
    write("gatv2", f"gatv2, {edges}, heads = 2", GRAPH, "o(2)", weights | {"o_b": b}, (out + b)[1])
    kinds = ["p", "q", "p", "p", "q", "q"]
    facts = NODE_FACTS + [f"e({a}, {kind}, {c})" for (a, c), kind in zip(EDGES, kinds)]
    p, q, o, b = W(2, 3), W(2, 3), W(2, 3), W(2)
    out = X @ o.T + b
    for kind, w in (("p", p), ("q", q)):
        matrix = torch.zeros(4, 4)
        for (a, c), own in zip(EDGES, kinds):
            matrix[c - 1, a - 1] = float(own == kind)
        out = out + matrix / matrix.sum(1, keepdim=True).clamp(min=1) @ X @ w.T
    write("rgcn", f"rgcn, {edges}", facts, "o(3)", {"o_w[p]": p, "o_w[q]": q, "o_own": o, "o_b": b}, out[2])
    hops, b = [W(2, 3) for _ in range(3)], W(2)
    far, out = X, X @ hops[0].T + b
    for w in hops[1:]:
        far = normed_by_targets() @ far
        out = out + far @ w.T
    write("tag", f"tag, {edges}, hops = 2", GRAPH, "o(2)", {f"o_w[{k}]": w for k, w in enumerate(hops)} | {"o_b": b}, out[1])
    w, b = W(2, 3), W(2)
    s = normed(adjacency(True))
    write("sg", f"sg, {edges}, hops = 2", GRAPH, "o(2)", {"o_w": w, "o_b": b}, (s @ s @ X @ w.T + b)[1])
    w, b = W(3, 3), W(3)
    start = linear(X, w, b)
    at = start
    for _ in range(4):
        at = 0.8 * s @ at + 0.2 * start
    write("appnp", "appnp, output = o, input = l, edges = e, steps = 4, teleport = 0.2; linear, output = l, input = x, in = 3, out = 3",
          GRAPH, "o(2)", {"l_w": w, "l_b": b}, at[1])
    k, q, v, skip, bg, bv, b = W(2, 3), W(2, 3), W(2, 3), W(2, 3), W(2), W(2), W(2)
    gates = torch.sigmoid((X @ k.T)[:, None, :] + (X @ q.T)[None, :, :] + bg)
    out = (gates * (X @ v.T + bv)[None, :, :] * adjacency()[:, :, None]).sum(1) + X @ skip.T + b
    write("gated", f"gated, {edges}", GRAPH, "o(2)",
          {"o_key": k, "o_query": q, "o_value": v, "o_skip": skip, "o_bg": bg, "o_bv": bv, "o_b": b}, out[1])


def normed_by_targets():
    """TAGConv without loops: degrees are those of incoming edges, as PyTorch Geometric counts them."""
    return normed(adjacency())


SEQUENCE = torch.tensor([[0.2 * t - 0.1 * i + 0.05 * t * i for i in range(4)] for t in range(1, 4)])


def attend(x, weights, prefix, heads, size):
    q, k, v, o = ([W(size // heads, size) for _ in range(heads)] for _ in range(4))
    o = [W(size, size // heads) for _ in range(heads)]
    bq, bk, bv = ([W(size // heads) for _ in range(heads)] for _ in range(3))
    bo = W(size)
    for h in range(heads):
        named = {"q": q, "k": k, "v": v, "o": o, "bq": bq, "bk": bk, "bv": bv}
        weights |= {f"{prefix}_{name}[{h + 1}]": all_of[h] for name, all_of in named.items()}
    weights[f"{prefix}_bo"] = bo
    out, _ = torch.nn.functional.multi_head_attention_forward(
        x[:, None, :], x[:, None, :], x[:, None, :], size, heads, torch.cat([*q, *k, *v]), torch.cat([*bq, *bk, *bv]),
        None, None, False, 0.0, torch.cat(o, 1), bo, need_weights=False)
    return out[:, 0, :]


def sequence_modules():
    facts = [f"{literal(x)} x({t})" for t, x in enumerate(SEQUENCE, 1)]
    weights = {}
    out = attend(SEQUENCE, weights, "o", 2, 4)
    write("attention", "attention, output = o, queries = x, size = 4, head = 2, heads = 2", facts, "o(2)", weights, out[1])
    weights = {}
    norm = lambda x, g, b: torch.nn.functional.layer_norm(x, (4,), g, b, 1e-10)
    attended = attend(SEQUENCE, weights, "o__attended", 2, 4)
    g1, n1, w1, b1, w2, b2, g2, n2 = W(4), W(4), W(5, 4), W(5), W(4, 5), W(4), W(4), W(4)
    first = norm(SEQUENCE + attended, g1, n1)
    linear = torch.nn.functional.linear
    out = norm(first + linear(linear(first, w1, b1).relu(), w2, b2), g2, n2)
    weights |= {"o_g1": g1, "o_n1": n1, "o_w1": w1, "o_b1": b1, "o_w2": w2, "o_b2": b2, "o_g2": g2, "o_n2": n2}
    write("transformer", "transformer, output = o, input = x, size = 4, head = 2, heads = 2, hidden = 5", facts, "o(2)", weights, out[1])
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
        write(name, f"{name}, {recurrent}{extra}", facts, "o(s, 3)", weights, out[-1])
    for aggregation, out in [("mean", X.mean(0)), ("sum", X.sum(0)), ("max", X.max(0).values)]:
        w, b = W(2, 3), W(2)
        layer = torch.nn.functional.linear(X, w, b)
        pooled = {"mean": layer.mean(0), "sum": layer.sum(0), "max": layer.max(0).values}[aggregation]
        write(f"pooling {aggregation}", f"pooling, output = o, input = l, aggregation = {aggregation}; linear, output = l, input = x, in = 3, out = 2",
              GRAPH, "o", {"l_w": w, "l_b": b}, pooled)
    w, b = W(4, 4), W(4)
    angle = torch.arange(10.0)[:, None] / 10000 ** (torch.arange(0, 4, 2) / 4)
    encoding = torch.stack([angle.sin(), angle.cos()], 2).reshape(10, 4)
    layer = torch.nn.functional.linear(SEQUENCE, w, b) + encoding[1:4]
    facts = [f"{literal(x)} x({t})" for t, x in enumerate(SEQUENCE, 1)]
    write("positions", "positions, output = o, input = l, size = 4, length = 10; linear, output = l, input = x, in = 4, out = 4",
          facts, "o(3)", {"l_w": w, "l_b": b}, layer[2])


graph_modules()
sequence_modules()
