"""Compares values with NeuraLogic's: `python agree.py --lrnn ../../target/debug/lrnn [CASE]...`

Each case is written in PyNeuraLogic's Python, computed by its engine, rendered as text by it, read by `lrnn` as it is,
and compared to 1e-6. It needs `pip install neuralogic` and Java, and says so where they are not there.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import neuralogic
    from neuralogic.core import (
        Aggregation, C, Combination, F, Metadata, Model, R, Settings, Transformation, V,
    )
    from neuralogic.core.constructs.function import FContainer
    from neuralogic.core.constructs.relation import WeightedRelation
    from neuralogic.core.constructs.rule import Rule
    from neuralogic.dataset import Dataset, Sample
    from neuralogic.nn import module as modules
except ImportError as missing:
    sys.exit(f"NOT COMPARED: NeuraLogic is not installed here ({missing}); pip install neuralogic, with Java")

import more_cases
import user_cases
from agree_text import HEADER, agree

# Messages that tell of a difference from NeuraLogic: softmax, the largest of vectors, facts beside rules, `_`, concat.
TOLD = ["T0604", "T0605", "T0606", "T0607", "E0211"]
# Cases in which NeuraLogic does not compute what its text says.
MISTAKES = {
    "!p of a constant": "a negated literal without variables never holds",
    "reverse twice": "of a function of a function only the inner one is computed",
    "graph and a transformation": "a sum of one vector and a guard becomes the sum of its elements",
    "a query that is a fact": "a fact that no rule uses has no neuron, and so the value 0",
}

I = Transformation.IDENTITY
A = Aggregation
S = R.special


def number(counter):
    """Numbers between -1 and 1 that look like none other."""
    counter[0] += 1
    return round(math.sin(counter[0] * 12.9898) * 0.9, 4)


def filled(rules):
    """Gives every random weight numbers, the same to every use of a name."""
    counter, named = [0], {}

    def fill(relation):
        if not isinstance(relation, WeightedRelation) or not isinstance(relation.weight, tuple):
            return
        shape = relation.weight
        if relation.weight_name in named:
            relation.weight = named[relation.weight_name]
            return
        if len(shape) == 1 or (len(shape) == 2 and shape[1] == 1):
            value = [number(counter) for _ in range(int(shape[0]))]
        else:
            value = [[number(counter) for _ in range(int(shape[1]))] for _ in range(int(shape[0]))]
        if shape in ((1,), (1, 1)):
            value = number(counter)
        relation.weight = value
        if relation.weight_name is not None:
            named[relation.weight_name] = value

    for rule in rules:
        if isinstance(rule, Rule):
            fill(rule.head)
            for relation in rule.body:
                fill(relation)
        else:
            fill(rule)
    return rules


def peer(rules, example, query):
    model = Model()
    for rule in rules:
        model += rule
    built = model.build(Settings(iso_value_compression=False, chain_pruning=False))
    data = built.build_dataset(Dataset([Sample(query, example)]))
    return built(data)[0]


def ours(lrnn, rules, example, query):
    with tempfile.TemporaryDirectory() as folder:
        template, facts = Path(folder, "template.lrnn"), Path(folder, "examples.txt")
        template.write_text(HEADER + "\n".join(str(rule) for rule in rules) + "\n")
        facts.write_text(", ".join(fact.to_str() for fact in example) + ".\n")
        command = [lrnn, "query", "--json", template, facts, query.to_str()]
        run = subprocess.run(command, capture_output=True, text=True)
        said = [code for code in TOLD if f"[{code}]" in run.stderr]
        if run.returncode != 0 and "not in the model" in run.stderr:
            return 0.0, said  # an atom without a neuron counts as 0 on both sides
        if run.returncode != 0:
            return "REFUSED " + " | ".join(line for line in run.stderr.splitlines() if "error" in line)[:300], said
        atoms = json.loads(run.stdout)["atoms"]
        return (atoms[0]["value"] if atoms else 0.0), said


CASES = {}


def case(name, rules, example, query):
    CASES[name] = (rules, example, query)


M22, M22b, M32 = [[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
N = [R.n(1)[1.0], R.n(2)[2.0], R.n(5)[5.0], R.n(C.a)[7.0]]

# Functions on literals, and graphs of functions.
for name in "sigmoid tanh relu exp sqrt inverse reverse log signum leaky_relu lukasiewicz".split():
    case(f"body {name}", [R.h <= getattr(F, name)(R.a)], [R.a[0.4]], R.h)
    case(f"body {name} of a vector", [R.h <= getattr(F, name)(R.a)], [R.a[[0.4, 1.2]]], R.h)
    case(f"rule {name}", [(R.h <= R.a) | [getattr(F, name)]], [R.a[-0.4 if name not in ("sqrt", "log") else 0.4]], R.h)
    case(f"predicate {name}", [R.h <= R.a, R.h / 0 | [getattr(F, name)]], [R.a[0.7]], R.h)
case("weight on a function", [R.h <= F.tanh(R.p)[2.0].fixed()], [R.p[0.5]], R.h)
case("matrix on a function", [R.h(V.X) <= F.tanh(R.p(V.X))[M22].fixed()], [R.p(1)[[0.5, -0.3]]], R.h(1))
case("minus", [R.h <= (R.q, -R.p)], [R.p[0.25], R.q[2.0]], R.h)
case("not hidden", [R.h <= (R.q, ~R.p)], [R.q[0.25]], R.h)
case("not hidden but there", [R.h <= (R.q(V.X), ~R.p(V.X)), ], [R.q(1)[0.25], R.q(2)[0.5], R.p(2)], R.h)
case("sum and product", [R.h <= R.a + R.b * F.tanh(R.c)], [R.a[1.0], R.b[2.0], R.c[0.3]], R.h)
case("product of sums", [R.h <= (R.a + R.b) * (R.c + R.a)], [R.a[1.0], R.b[2.0], R.c[0.3]], R.h)
case("matrix product", [R.h <= R.a @ R.b], [R.a[M22], R.b[[1.0, -1.0]]], R.h)
case("graph with variables", [(R.h(V.X) <= R.a(V.X) + R.b(V.X, V.Y) * F.sigmoid(R.c(V.Y))) | [A.SUM]],
     [R.a(1)[1.0], R.b(1, 2)[2.0], R.b(1, 3)[-1.0], R.c(2)[0.3], R.c(3)[0.5]], R.h(1))
case("function of functions", [R.h <= F.tanh(F.relu(R.a) + F.exp(R.b))], [R.a[0.2], R.b[-1.0]], R.h)
case("combination as a function", [R.h <= F.max(R.a, R.b) + R.c], [R.a[0.2], R.b[1.0], R.c[3.0]], R.h)
case("function beside a literal", [(R.h <= (R.o, F.tanh(R.c))) | [Combination.ELPRODUCT]], [R.o[[0.3, 0.7]], R.c[[1.0, -2.0]]], R.h)

# Shapes.
case("transpose", [(R.h <= (R.a.T, R.b)) | [Combination.PRODUCT]], [R.a[[1.0, 2.0]], R.b[[3.0, 4.0]]], R.h)
case("transpose of a matrix", [R.h <= R.a.T], [R.a[M32]], R.h)
for rows, cols in [((1, 3), ...), (..., (1, 2)), ((0, 2), (1, 2))]:
    case(f"slice {rows} {cols}", [R.h <= F.slice(R.a, rows=rows, cols=cols)], [R.a[M32]], R.h)
case("slice of a rule", [(R.h <= R.a) | [F.slice(rows=(1, 3))]], [R.a[M32]], R.h)
case("slice of a predicate", [R.h <= R.a, R.h / 0 | [F.slice(rows=(1, 3))]], [R.a[M32]], R.h)
for shape in [(2, 3), 6, (1, 6), (6, 1)]:
    case(f"reshape {shape}", [R.h <= F.reshape(R.a, shape=shape)], [R.a[M32]], R.h)
case("norm", [(R.h <= R.a) | [F.norm]], [R.a[[1.0, 2.0, 4.0]]], R.h)
case("norm of a matrix", [(R.h <= R.a) | [F.norm]], [R.a[M22]], R.h)
case("softmax", [(R.h <= R.a) | [F.softmax]], [R.a[[1.0, 2.0, 4.0]]], R.h)
case("sparsemax", [(R.h <= R.a) | [F.sparsemax]], [R.a[[1.0, 1.2, 0.4]]], R.h)
case("leaky slope", [(R.h <= R.a) | [F.leaky_relu(0.2)]], [R.a[-1.0]], R.h)
case("leaky slope of a predicate", [R.h <= R.a, R.h / 0 | [F.leaky_relu(0.3)]], [R.a[[-1.0, 2.0]]], R.h)

# Combinations wherever they can stand.
for name, two in [("AVG", None), ("MAX", None), ("MIN", None), ("SUM", None), ("COUNT", None), ("PRODUCT", None),
                  ("ELPRODUCT", None), ("SOFTMAX", None), ("SPARSEMAX", None), ("CROSSSUM", None), ("CONCAT", None),
                  ("COSSIM", None)]:
    combination = getattr(Combination, name)
    numbers = [R.a[1.0], R.b[1.2]]
    case(f"combination {name}", [(R.h <= (R.a, R.b)) | [combination]], numbers, R.h)
    case(f"combination {name} of a predicate", [R.h <= R.a, R.h <= R.b, R.h / 0 | [combination]], numbers, R.h)
    if name not in ("SOFTMAX", "SPARSEMAX", "MAX", "MIN", "PRODUCT"):
        vectors = [R.a[[1.0, 2.0]], R.b[[3.0, -4.0]]]
        case(f"combination {name} of vectors", [(R.h <= (R.a, R.b)) | [combination]], vectors, R.h)
        case(f"combination {name} of a predicate's vectors",
             [R.h <= R.a, R.h <= R.b, R.h / 0 | [combination]], vectors, R.h)
case("concatenation of matrices", [(R.h <= (R.a, R.b)) | [Combination.CONCAT]], [R.a[M22], R.b[M22b]], R.h)
case("concatenation of rows", [R.h <= F.concat(R.a, R.b, axis=0)], [R.a[M22], R.b[M22b]], R.h)

# Aggregations.
DOT = [R.a(1)[1.0], R.a(2)[2.0], R.b(1)[0.5], R.b(2)[0.7]]
for name in "AVG MAX MIN SUM COUNT".split():
    case(f"aggregation {name}", [(R.h <= R.b(V.X)) | [getattr(A, name)]], DOT, R.h)
case("count of vectors", [(R.h <= R.b(V.X)) | [A.COUNT]], [R.b(1)[[0.5, 0.2]], R.b(2)[[0.7, 0.1]]], R.h)
SOFT = (R.d(V.X, V.Y) <= (R.a(V.X), R.b(V.Y))) | [A.SOFTMAX(agg_terms=["Y"])]
case("softmax over a term", [SOFT], DOT, R.d(1, 2))
case("softmax over a term, used", [SOFT, (R.h(V.X) <= (R.d(V.X, V.Y), R.b(V.Y))) | [Combination.PRODUCT, A.SUM]], DOT, R.h(2))
case("softmax over a term, several ground rules",
     [(R.d(V.X, V.Y) <= (R.a(V.X), R.b(V.Y, V.Z))) | [A.SOFTMAX(agg_terms=["Y"])]],
     [R.a(1)[1.0], R.b(1, 1)[0.5], R.b(1, 2)[0.2], R.b(2, 1)[0.7]], R.d(1, 1))
case("softmax over a term, activated", [(R.d(V.X, V.Y)[2.0] <= (R.a(V.X), R.b(V.Y))) | [F.tanh, A.SOFTMAX(agg_terms=["Y"])],
                                        R.d / 2 | [F.tanh]], DOT, R.d(1, 2))
case("ground rules that differ in guards", [(R.h(V.X) <= (R.a(V.X), R.hidden.b(V.Y))) | [A.SUM]], DOT, R.h(1))
case("duplicate groundings", [(R.h(V.X) <= (R.a(V.X), R.hidden.b(V.Y))) | Metadata(aggregation=A.SUM, duplicate_grounding=True)], DOT, R.h(1))
case("two literals of one predicate", [(R.h <= (R.b(V.X), R.b(V.Y))) | [A.SUM]], DOT, R.h)

# Special predicates and values from terms.
case("next", [(R.h <= (R.n(V.X), S.next(V.X, V.Y))) | [A.SUM]], N, R.h)
case("next forwards", [(R.h(V.Y) <= (R.n(V.X), S.next(V.X, V.Y))) | [A.SUM]], N, R.h(2))
case("next backwards", [(R.h(V.X) <= (R.n(V.Y), S.next(V.X, V.Y))) | [A.SUM]], N, R.h(1))
case("next to nowhere", [(R.h(V.Y) <= (R.n(V.X), S.next(V.X, V.Y))) | [A.SUM]], N, R.h(3))
case("next twice", [(R.h(V.X, V.Y) <= (S.next(V.X, V.Z), S.next(V.Z, V.Y), R.n(V.X), R.n(V.Y))) | [A.SUM]],
     [R.n(1)[1.0], R.n(-1)[2.0], R.n(0)[4.0]], R.h(-1, 1))
case("in", [(R.h <= (R.n(V.X), S._in(V.X, 1, C.a))) | [A.SUM]], N, R.h)
case("in, first", [(R.h <= (S._in(V.X, 1, C.a), R.n(V.X))) | [A.SUM]], N, R.h)
case("in, alone", [(R.h(V.X) <= (S._in(V.X, 1, C.zz), R.n(1))) | [A.SUM]], N, R.h(C.zz))
case("add", [(R.h <= (R.n(V.X), R.n(V.Y), S.add(V.X, V.Y, V.Z), R.n(V.Z))) | [A.SUM]], N, R.h)
case("add a number", [(R.h(V.Z) <= (R.n(V.X), S.add(V.X, 1, V.Z))) | [A.SUM]], N, R.h(2))
case("sub", [(R.h(V.Z) <= (R.n(V.X), S.sub(V.X, 1, V.Z))) | [A.SUM]], N, R.h(1))
case("mod", [(R.h(V.Z) <= (R.n(V.X), S.mod(V.X, 2, V.Z))) | [A.SUM]], N, R.h(1))
case("maxcard", [(R.h <= (R.n(V.X), R.n(V.Y), S.maxcard(1, V.X, V.Y))) | [A.SUM]], N, R.h)
case("anypred", [(R.h <= (R.n(V.X), S.anypred())) | [A.SUM]], N, R.h)
for name in "add sub mod mul div max min".split():
    value = getattr(S, name + "_eval")
    case(f"{name}_eval", [(R.h <= (R.n(V.X), R.m(V.Y), value(V.X, V.Y))) | [A.SUM]], [R.n(7)[1.0], R.m(2)[1.0]], R.h)
case("value of terms in a product", [(R.h <= (R.n(V.X), R.m(V.Y), S.add_eval(V.X, V.Y))) | [A.SUM, Combination.PRODUCT]],
     [R.n(7.5)[2.0], R.m(2)[3.0]], R.h)
for name in "neq lt leq gt geq eq".split():
    case(name, [(R.h <= (R.n(V.X), R.n(V.Y), getattr(S, name)(V.X, V.Y))) | [A.SUM]], N[:3], R.h)
case("alldiff", [(R.h <= (R.n(V.X), R.n(V.Y), S.alldiff(V.X, V.Y))) | [A.SUM]], N, R.h)
case("alldiff of what nothing binds", [(R.h <= (R.n(V.X), S.alldiff(V.X, V.Z))) | [A.SUM]], N, R.h)
case("in, variables", [(R.h(V.Z) <= (R.n(V.X), R.n(V.Y), S.alldiff(V.X, V.Y), S._in(V.Z, V.X, V.Y))) | [A.SUM]], N, R.h(1))
case("guard in a sum", [(R.h(V.Y) <= R.n(V.X) + R.n(V.Y) * R.n(V.X) + S.next(V.X, V.Y))], N, R.h(2))
for name in "add sub mul div max min mod".split():
    case(f"{name}_eval over all", [R.h(V.X) <= getattr(S, f"{name}_eval")(V.X, 2)], [R.n(3)], R.h(3))
case("types", [(R.h <= R.b(V.X("t"))) | [A.SUM]], [R.b(C.a("t"))[1.0], R.b(C.c("u"))[2.0]], R.h)
case("a fact beside a rule", [R.h <= R.a, R.h[0.25].fixed()], [R.a[0.5]], R.h)

# Every module.
GRAPH = [R.e(1, 2), R.e(2, 1), R.e(2, 3), R.e(3, 2), R.e(3, 1)] + [R.x(i)[[0.1 * i, 0.4 - 0.2 * i]] for i in (1, 2, 3)]
EDGES = [R.e(1, 2)[[0.5, -0.1]], R.e(2, 1)[[0.2, 0.3]], R.e(3, 2)[[-0.4, 0.6]]] + GRAPH[5:]
KINDS = [R.e(1, C.p, 2), R.e(2, C.q, 1), R.e(3, C.p, 2)] + GRAPH[5:]
TIME = [R.x(C.s, t)[[0.1 * t, 0.4 - 0.2 * t]] for t in (1, 2, 3)] + [R.h0(C.s)[[0.1, 0.2, -0.3]], R.c0(C.s)[[0.4, 0.1, 0.0]]]


def module(name, make, example, query):
    try:
        rules = filled(list(make()()))
    except Exception as error:
        CASES[f"module {name}"] = (error, [], query)
        return
    case(f"module {name}", rules, example, query)


module("linear", lambda: modules.Linear(2, 3, "o", "x"), GRAPH, R.o(1))
module("mlp", lambda: modules.MLP([2, 4, 3], "o", "x"), GRAPH, R.o(1))
module("gcn", lambda: modules.GCNConv(2, 3, "o", "x", "e"), GRAPH, R.o(2))
module("gcn, bare", lambda: modules.GCNConv(2, 3, "o", "x", "e", normalize=False, add_self_loops=False), GRAPH, R.o(2))
module("sage", lambda: modules.SAGEConv(2, 3, "o", "x", "e"), GRAPH, R.o(2))
module("gin", lambda: modules.GINConv(2, 3, "o", "x", "e"), GRAPH, R.o(2))
module("gine", lambda: modules.GINEConv(2, "x", "e", "o"), EDGES, R.o(2))
module("gen", lambda: modules.GENConv(2, 3, "o", "x", "e", edge_dim=2), EDGES, R.o(2))
module("gatv2", lambda: modules.GATv2Conv(2, 3, "o", "x", "e"), GRAPH, R.o(2))
module("rgcn", lambda: modules.RGCNConv(2, 3, "o", "x", "e", ["p", "q"]), KINDS, R.o(2))
module("tag", lambda: modules.TAGConv(2, 3, "o", "x", "e"), GRAPH, R.o(2))
module("sg", lambda: modules.SGConv(2, 3, "o", "x", "e", 2), GRAPH, R.o(2))
module("appnp", lambda: modules.APPNPConv("o", "x", "e", 3, 0.1), GRAPH, R.o(2))
module("gated", lambda: modules.ResGatedGraphConv(2, 3, "o", "x", "e"), GRAPH, R.o(2))
module("rnn", lambda: modules.RNN(2, 3, "h", "x", "h0"), TIME, R.h(C.s, 3))
module("gru", lambda: modules.GRU(2, 3, "h", "x", "h0"), TIME, R.h(C.s, 3))
module("lstm", lambda: modules.LSTM(2, 3, "h", "x", "h0", "c0"), TIME, R.h(C.s, 3))
module("attention", lambda: modules.Attention(2, "o", "x", "x", "x"), GRAPH, R.o(2))
module("attention, two heads", lambda: modules.MultiheadAttention(2, 2, "o", "x", "x", "x"), GRAPH, R.o(2))
module("transformer encoder", lambda: modules.TransformerEncoder(2, 2, 4, "o", "x"), GRAPH, R.o(2))
module("pooling", lambda: modules.SumPooling("o", "x"), GRAPH, R.o)
module("positional encoding", lambda: modules.PositionalEncoding(2, 4, "o", "x"), GRAPH, R.o(1))


user_cases.cases(case)
more_cases.cases(case, module)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lrnn", required=True, help="the command")
    parser.add_argument("case", nargs="*", help="the cases whose names contain one of these; all if there is none")
    parser.add_argument("--text", action="store_true", help="print the texts of cases that differ")
    options = parser.parse_args()
    neuralogic.initialize()
    import jpype

    jpype.java.util.logging.LogManager.getLogManager().reset()
    good, bad, told, wrong, none = 0, [], [], [], []
    for name, (rules, example, query) in CASES.items():
        if options.case and not any(part in name for part in options.case):
            continue
        try:
            if isinstance(rules, Exception):
                raise rules
            theirs = peer(rules, example, query)
        except Exception as error:
            none.append((name, str(error).splitlines()[0][:120]))
            continue
        mine, said = ours(options.lrnn, rules, example, query)
        if agree(theirs, mine):
            good += 1
        elif said:
            told.append(name)
            print(f"{name}: differs, and {', '.join(said)} tells of it")
        elif name in MISTAKES:
            wrong.append(name)
            print(f"{name}: NeuraLogic is wrong: {MISTAKES[name]}")
        else:
            bad.append(name)
            print(f"{name}: NeuraLogic {theirs}, lrnn {mine}")
            if options.text:
                print("    " + "\n    ".join(str(rule) for rule in rules))
    for name, reason in none:
        print(f"{name}: NeuraLogic itself computes nothing: {reason}")
    counts = f"{good} agree, {len(told)} differ and are told, {len(wrong)} are mistakes of NeuraLogic, {len(bad)} differ"
    print(f"{counts}, {len(none)} without a value of NeuraLogic")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
