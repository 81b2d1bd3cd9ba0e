"""Cases for `texts.py` in PyNeuraLogic's Python, constructs joined with one another, written before its answers were seen."""

from neuralogic.core import Aggregation as A
from neuralogic.core import C, F, Metadata, R, V
from neuralogic.core import Combination as B
from neuralogic.core import Transformation as T

from text_cases import STEEP

S = R.special


def numbers(count, seed):
    return [round(((seed * 29 + i * 47 + 11) % 89 - 44) / 45, 3) for i in range(count)]


def matrix(rows, columns, seed):
    return [numbers(columns, seed + 13 * row) for row in range(rows)]


NODES = [R.x(i)[numbers(3, i)] for i in range(1, 6)] + [R.k(i)[round(0.35 * i - 0.8, 2)] for i in range(1, 6)]
GRAPH = NODES + [R.e(a, b) for a, b in [(1, 2), (2, 1), (2, 3), (3, 4), (4, 2), (5, 1), (3, 5)]]
WEIGHED = NODES + [R.e(a, b)[w] for a, b, w in [(1, 2, 0.4), (2, 1, -0.7), (2, 3, 1.1), (3, 4, 0.3), (4, 2, 0.9), (5, 1, -0.2)]]
ALGEBRA = [R.a[matrix(2, 2, 1)], R.b[matrix(2, 2, 5)], R.m[matrix(3, 2, 2)], R.r[matrix(2, 3, 7)], R.v[numbers(2, 3)], R.w[numbers(2, 8)], R.u[numbers(3, 4)], R.c[0.65], R.d[-1.3]]
TYPED = [R.p(C.a("t"))[0.5], R.p(C.b("t"))[0.8], R.p(C.c("u"))[-0.4], R.near(C.a("t"), C.c("u")), R.near(C.b("t"), C.a("t"))[0.6], R.bad(C.b("t"))]
TIME = [R.x(t)[numbers(2, t)] for t in range(1, 6)] + [R.start[numbers(2, 9)]]


def cases(case):
    def q(relation, target):
        return relation[target]

    # Negation and types.
    case("!*p of types and weights", [R.h(V.X("t"))["w": 0.7] <= (R.p(V.X("t"))["b": -0.4], ~R.hidden.bad(V.X("t")))], TYPED, q(R.h(C.a("t")), 0.3))
    case("!*p of a typed pair in a function", [(R.h["w": 0.7] <= (F.tanh(R.p(V.X("t"))), R.p(V.Y("u"))["b": 0.9], ~R.hidden.near(V.X("t"), V.Y("u")))) | [A.SUM]], TYPED, q(R.h, 0.3))
    case("types of two and a softmax", [(R.s(V.X("t"), V.Y)["w": 0.7] <= (R.near(V.X("t"), V.Y), R.p(V.Y)["b": 0.9])) | [A.SOFTMAX(agg_terms=["Y"])], (R.h <= R.s(V.X, V.Y)["u": 0.3]) | [A.SUM]], TYPED, q(R.h, 0.3))
    case("!p of what a rule derives, weighed around", [R.hub(V.X)["g": 0.4] <= (R.e(V.X, V.Y), R.e(V.Y, V.X)), (R.h["w": 0.7] <= (R.k(V.X)["b": -0.4], ~R.hub(V.X))) | [A.SUM, T.TANH]], GRAPH, q(R.h, 0.3))
    case("!*p and @neq", [(R.h["w": 0.7] <= (R.k(V.X)["b": -0.4], R.k(V.Y), ~R.hidden.e(V.X, V.Y), S.neq(V.X, V.Y))) | [A.AVG, B.PRODUCT]], GRAPH, q(R.h, 0.3))
    case("not @next beside @lt", [(R.h["w": 0.7] <= (R.k(V.X)["b": -0.4], R.k(V.Y)["c": 0.8], S.lt(V.X, V.Y), ~S.next(V.X, V.Y))) | [A.SUM, T.SIGMOID]], GRAPH, q(R.h, 0.3))

    # Functions on literals, with weights and inside each other.
    for name in "sigmoid tanh relu leaky_relu exp signum reverse inverse lukasiewicz identity".split():
        function = (lambda literal: F.leaky_relu(None, literal)) if name == "leaky_relu" else getattr(F, name)
        mistake = STEEP if name == "lukasiewicz" else ""
        case(f"{name} of a derived literal", [R.g(V.X)["g": matrix(2, 3, 4)] <= R.x(V.X), (R.h["w": matrix(1, 2, 6)] <= (function(R.g(V.X)), R.hidden.e(V.X, V.Y))) | [A.SUM]], GRAPH, q(R.h, 0.3), mistake=mistake)
        case(f"{name} of a weighed literal", [(R.h["w": 0.7] <= (function(R.x(V.X))["b": matrix(1, 3, 5)], R.k(V.X)["c": 0.5])) | [A.SUM, T.TANH]], GRAPH, q(R.h, 0.3))
    case("sqrt of a sum of squares", [R.s["w": 0.7] <= F.sqrt(R.v * R.v + R.w * R.w)], ALGEBRA, q(R.s, [0.3, 0.1]))
    case("log of a derived literal", [R.g["g": matrix(2, 2, 4)] <= R.v, R.g / 0 | [T.SIGMOID], R.h["w": matrix(1, 2, 6)] <= F.log(R.g)], ALGEBRA, q(R.h, 0.3))
    case("minus of a derived literal", [R.g["g": matrix(2, 2, 4)] <= R.v, (R.h["w": matrix(1, 2, 6)] <= (-R.g, R.w)) | [T.TANH]], ALGEBRA, q(R.h, 0.3))
    case("sparsemax of a derived literal", [R.g["g": matrix(3, 2, 4)] <= R.v, R.h["w": matrix(1, 3, 6)] <= F.sparsemax(R.g)], ALGEBRA, q(R.h, 0.3))
    case("softmax of a derived literal", [R.g["g": matrix(3, 2, 4)] <= R.v, R.h["w": matrix(1, 3, 6)] <= F.softmax(R.g)], ALGEBRA, q(R.h, 0.3))
    case("norm of a derived literal", [R.g["g": matrix(3, 2, 4)] <= R.v, R.h["w": matrix(1, 3, 6)] <= F.norm(R.g)], ALGEBRA, q(R.h, 0.3))
    case("norm of a rule", [(R.g["g": matrix(3, 2, 4)] <= R.v["b": matrix(2, 2, 9)]) | [F.norm], R.h["w": matrix(1, 3, 6)] <= R.g], ALGEBRA, q(R.h, 0.3))
    case("norm of a predicate of two rules", [R.g["g": matrix(3, 2, 4)] <= R.v, R.g["i": matrix(3, 2, 8)] <= R.w, R.g / 0 | [F.norm], R.h["w": matrix(1, 3, 6)] <= R.g], ALGEBRA, q(R.h, 0.3))
    case("concat then norm", [(R.g <= (R.v["b": matrix(2, 2, 9)], R.u["c": matrix(2, 3, 2)])) | [B.CONCAT, F.norm], R.h["w": matrix(1, 4, 6)] <= R.g], ALGEBRA, q(R.h, 0.3))
    case("concat then softmax", [(R.g <= (R.v["b": matrix(2, 2, 9)], R.u["c": matrix(2, 3, 2)])) | [B.CONCAT, F.softmax], R.h["w": matrix(1, 4, 6)] <= R.g], ALGEBRA, q(R.h, 0.3))
    case("leaky slopes of rule and predicate", [(R.g["g": matrix(3, 2, 4)] <= R.v) | [F.leaky_relu(0.35)], R.g / 0 | [F.leaky_relu(0.6)], R.h["w": matrix(1, 3, 6)] <= R.g], ALGEBRA, q(R.h, 0.3))
    case("a leaky slope on a literal", [R.g["g": matrix(3, 2, 4)] <= R.v, R.h["w": matrix(1, 3, 6)] <= F.leaky_relu(0.25, R.g)], ALGEBRA, q(R.h, 0.3), mistake="its text does not have the slope of a literal's function")
    case("the plain leaky slope", [(R.h["w": matrix(1, 3, 6)] <= R.x(V.X)) | [T.LEAKY_RELU, A.SUM]], GRAPH, q(R.h, 0.3))

    # Shapes.
    case("slice of a transpose", [R.g["g": matrix(3, 2, 4)] <= R.a, R.t <= F.transp(R.g), R.h <= F.slice(R.t, rows=(0, 1)), R.o["w": matrix(3, 1, 6)] <= R.h], ALGEBRA, q(R.o, [[0.3, 0.1, 0.2], [0.1, 0, 0], [0, 0, 0]]))
    case("slice of columns of a derived matrix", [R.g["g": matrix(3, 2, 4)] <= R.a, R.h["w": matrix(1, 3, 6)] <= F.slice(R.g, cols=(1, 2))], ALGEBRA, q(R.h, 0.3))
    case("slice of rows of a derived vector", [R.g["g": matrix(4, 3, 4)] <= R.u, R.h["w": matrix(1, 2, 6)] <= F.slice(R.g, rows=(1, 3))], ALGEBRA, q(R.h, 0.3))
    case("two slices as gates", [R.g["g": matrix(4, 3, 4)] <= R.u, R.h["w": matrix(1, 2, 6)] <= (F.sigmoid(F.slice(R.g, rows=(0, 2))) * F.tanh(F.slice(R.g, rows=(2, 4))))], ALGEBRA, q(R.h, 0.3))
    case("slice of a rule with a predicate's tanh", [(R.g["g": matrix(2, 3, 4)] <= R.u) | [F.slice(rows=(0, 2))], R.g / 0 | [T.TANH], R.h["w": matrix(1, 2, 6)] <= R.g], ALGEBRA, q(R.h, 0.3))
    case("reshape to a matrix and multiply", [R.g["g": matrix(4, 3, 4)] <= R.u, R.h["w": matrix(1, 2, 6)] <= F.reshape(R.g, shape=(2, 2)) @ R.v], ALGEBRA, q(R.h, 0.3))
    case("reshape of a predicate", [R.g["g": matrix(4, 3, 4)] <= R.u, R.g / 0 | [F.reshape(shape=(2, 2))], (R.h["w": matrix(1, 2, 6)] <= (R.g, R.v)) | [B.PRODUCT]], ALGEBRA, q(R.h, 0.3))
    case("reshape of a matrix to a vector", [R.g["g": matrix(2, 2, 4)] <= R.a, R.h["w": matrix(1, 4, 6)] <= F.reshape(R.g, shape=4)], ALGEBRA, q(R.h, 0.3))
    case("transpose in a product", [R.g["g": matrix(2, 2, 4)] <= R.v, (R.h["w": 0.7] <= (R.g.T, R.w)) | [B.PRODUCT]], ALGEBRA, q(R.h, 0.3))
    case("outer product and slice", [R.g["g": matrix(2, 2, 4)] <= R.v, (R.o <= (R.g, R.w.T)) | [B.PRODUCT], R.h["w": matrix(1, 2, 6)] <= F.slice(R.o, cols=(0, 1))], ALGEBRA, q(R.h, 0.3))
    case("transpose of a rule, then a product", [(R.t <= R.m["b": 0.7]) | [F.transp], (R.h["w": matrix(1, 2, 6)] <= (R.t, R.u)) | [B.PRODUCT]], ALGEBRA, q(R.h, 0.3))

    # Softmax over a term, attention.
    case("attention with vectors", [(R.s(V.X, V.Y) <= (R.x(V.X)["q": matrix(1, 3, 4)], R.x(V.Y)["k": matrix(1, 3, 6)], R.hidden.e(V.X, V.Y))) | [A.SOFTMAX(agg_terms=["Y"])],
                                    (R.h(V.X) <= (R.s(V.X, V.Y), R.x(V.Y)["v": matrix(2, 3, 8)])) | [B.PRODUCT, A.SUM], (R.o["w": matrix(1, 2, 6)] <= R.h(V.X)) | [A.AVG]], GRAPH, q(R.o, 0.3))
    case("attention by products", [R.q(V.X)["q": matrix(2, 3, 4)] <= R.x(V.X), R.y(V.X)["k": matrix(2, 3, 6)] <= R.x(V.X),
                                   (R.s(V.X, V.Y) <= (R.q(V.X).T, R.y(V.Y), R.hidden.e(V.X, V.Y))) | [B.PRODUCT, A.SOFTMAX(agg_terms=["Y"])],
                                   (R.h(V.X) <= (R.s(V.X, V.Y), R.x(V.Y)["v": matrix(2, 3, 8)])) | [B.PRODUCT, A.SUM], (R.o["w": matrix(1, 2, 6)] <= R.h(V.X)) | [A.MAX, T.TANH]], GRAPH, q(R.o, 0.3))
    case("attention with a tanh of its predicate", [(R.s(V.X, V.Y)["w": 0.7] <= (R.k(V.X)["b": 0.4], R.k(V.Y)["c": -0.9], R.hidden.e(V.X, V.Y))) | [T.TANH, A.SOFTMAX(agg_terms=["Y"])], R.s / 2 | [T.TANH], (R.h <= R.s(V.X, V.Y)["u": 1.4]) | [A.SUM]], GRAPH, q(R.h, 0.3))
    case("softmax over the first term", [(R.s(V.X, V.Y) <= (R.k(V.X)["b": 0.4], R.k(V.Y)["c": -0.9], R.hidden.e(V.X, V.Y))) | [A.SOFTMAX(agg_terms=["X"])], (R.h <= (R.s(V.X, V.Y), R.k(V.X))) | [A.SUM, B.PRODUCT]], GRAPH, q(R.h, 0.3))
    case("softmax over one term, several ground rules", [(R.s(V.X)["w": 0.7] <= (R.k(V.X)["b": 0.4], R.e(V.X, V.Y)["c": -0.9])) | [A.SOFTMAX(agg_terms=["X"])], (R.h <= (R.s(V.X), R.k(V.X))) | [A.SUM, B.PRODUCT]], WEIGHED, q(R.h, 0.3))

    # Combinations and aggregations with gradients.
    for name in "SUM AVG MAX MIN COUNT PRODUCT ELPRODUCT CROSSSUM CONCAT COSSIM SOFTMAX SPARSEMAX".split():
        combination = getattr(B, name)
        case(f"{name} of weighed numbers", [(R.h["w": 0.7] <= (R.c["b": 0.4], R.d["e": -0.9])) | [combination]], ALGEBRA, q(R.h, 0.3), told=["T0605"])
        case(f"{name} of weighed vectors", [(R.g <= (R.v["b": matrix(2, 2, 4)], R.w["e": matrix(2, 2, 7)])) | [combination, T.TANH]], ALGEBRA, q(R.g, [0.3, 0.1] if name not in ("CROSSSUM", "CONCAT") else [0.3, 0.1, 0, 0]), told=["T0605", "T0604"])
        case(f"{name} of two rules' vectors", [R.g["b": matrix(2, 2, 4)] <= R.v, R.g["e": matrix(2, 2, 7)] <= R.w, R.g / 0 | [combination]], ALGEBRA, q(R.g, [0.3, 0.1] if name not in ("CROSSSUM", "CONCAT") else [0.3, 0.1, 0, 0]), told=["T0605", "T0604"])
    for name in "SUM AVG MAX MIN COUNT".split():
        case(f"aggregation {name} of products", [(R.h["w": 0.7] <= (R.k(V.X)["b": 0.4], R.e(V.X, V.Y)["c": -0.9])) | [getattr(A, name), B.PRODUCT, T.SIGMOID]], WEIGHED, q(R.h, 0.3))
        case(f"aggregation {name} of a graph", [(R.h["w": 0.7] <= R.k(V.X) * F.tanh(R.k(V.Y)) + R.e(V.X, V.Y)) | [getattr(A, name)]], WEIGHED, q(R.h, 0.3))
        case(f"aggregation {name} of vectors, two layers", [(R.g(V.X)["g": matrix(2, 3, 4)] <= (R.x(V.Y), R.hidden.e(V.X, V.Y))) | [getattr(A, name), T.TANH], (R.h["w": matrix(1, 2, 6)] <= R.g(V.X)) | [A.SUM]] if name != "COUNT" else
             [(R.g(V.X)["g": 0.4] <= (R.x(V.Y), R.hidden.e(V.X, V.Y))) | [A.COUNT], (R.h["w": 0.7] <= R.g(V.X)) | [A.SUM]], GRAPH, q(R.h, 0.3), told=["T0605"])

    # Function graphs.
    case("a gate", [R.g["g": matrix(2, 2, 4)] <= R.v, R.i["i": matrix(2, 2, 8)] <= R.w, R.h["w": matrix(1, 2, 6)] <= F.sigmoid(R.g) * F.tanh(R.i) + R.v], ALGEBRA, q(R.h, 0.3))
    case("weights inside a graph", [R.h["w": matrix(1, 2, 6)] <= R.v["a": matrix(2, 2, 4)] + F.sigmoid(R.w)["b": matrix(2, 2, 8)] * R.v], ALGEBRA, q(R.h, 0.3))
    case("a graph beside literals and guards", [(R.h(V.X)["w": 0.7] <= (R.k(V.X) + F.relu(R.k(V.Y)) * R.k(V.Y), R.k(V.Y)["b": 0.4], R.hidden.e(V.X, V.Y))) | [A.SUM]], GRAPH, q(R.h(2), 0.3))
    case("a graph with aggregates of graphs", [(R.g(V.X) <= R.k(V.X) * R.k(V.Y) + R.e(V.X, V.Y)) | [A.MAX, T.TANH], (R.h["w": 0.7] <= F.exp(R.g(V.X)) + R.k(V.X)) | [A.AVG]], WEIGHED, q(R.h, 0.3))
    case("a matrix product of a graph", [R.h["w": matrix(1, 2, 6)] <= R.a @ (R.v + F.tanh(R.w))], ALGEBRA, q(R.h, 0.3))
    case("a function of a sum of products", [R.h["w": 0.7] <= F.tanh(R.c * R.d + R.c) * F.sigmoid(R.d)], ALGEBRA, q(R.h, 0.3))
    case("max in a graph", [R.h["w": 0.7] <= F.max(R.c, R.d) * R.d + F.min(R.c, R.d)], ALGEBRA, q(R.h, 0.3))
    case("three in a row", [R.h["w": matrix(1, 2, 6)] <= F.tanh(F.relu(F.sigmoid(R.a @ R.v) + R.w))], ALGEBRA, q(R.h, 0.3), mistake="of a function of a function only the inner one is computed")
    case("concat in a graph", [R.g <= F.concat(R.v, R.w + R.v), R.h["w": matrix(1, 4, 6)] <= R.g], ALGEBRA, q(R.h, 0.3))

    # Special predicates with weights.
    case("recurrence along next", [R.h(0) <= R.start, (R.h(V.T)["w": matrix(2, 2, 4)] <= (R.h(V.S)["u": matrix(2, 2, 6)], R.x(V.T)["i": matrix(2, 2, 8)], S.next(V.S, V.T))) | [T.TANH]], TIME, q(R.h(4), [0.3, 0.1]))
    case("windows by @add and @sub", [(R.h(V.X)["w": matrix(1, 2, 4)] <= (R.x(V.Y), R.hidden.x(V.X), S.add(V.X, 1, V.Y))) | [A.SUM], (R.h(V.X)["u": matrix(1, 2, 6)] <= (R.x(V.Y), R.hidden.x(V.X), S.sub(V.X, 1, V.Y))) | [A.SUM], R.h / 1 | [T.TANH]], TIME, [q(R.h(1), 0.3), q(R.h(3), 0.2), q(R.h(5), 0.1)])
    case("places as values", [(R.h(V.X)["w": matrix(1, 2, 4)] <= (R.x(V.X), S.mul_eval(V.X, 0.25))) | [B.PRODUCT, T.TANH]], TIME, [q(R.h(2), 0.3), q(R.h(4), 0.1)])
    case("@maxcard of three with weights", [(R.h["w": 0.7] <= (R.e(V.X, V.Y)["b": 0.4], R.e(V.Y, V.Z)["c": -0.9], S.maxcard(2, V.X, V.Y, V.Z))) | [A.SUM]], WEIGHED, q(R.h, 0.3))
    case("@anypred and @true beside weights", [(R.h["w": 0.7] <= (R.k(V.X)["b": 0.4], S.anypred(), S.true)) | [A.SUM, T.TANH]], WEIGHED, q(R.h, 0.3))
    case("@in of two variables", [(R.h(V.Z)["w": 0.7] <= (R.e(V.X, V.Y)["b": 0.4], S._in(V.Z, V.X, V.Y), R.k(V.Z)["c": 1.2])) | [A.SUM]], WEIGHED, q(R.h(2), 0.3))
    case("@mod classes with weights", [(R.h(V.K)["w": 0.7] <= (R.k(V.X)["b": 0.4], S.mod(V.X, 2, V.K))) | [A.SUM]], WEIGHED, q(R.h(1), 0.3))

    # Duplicates, shared and fixed weights.
    for flag in (True, False):
        case(f"duplicate groundings {flag} with gradients", [(R.h(V.X)["w": 0.7] <= (R.k(V.X)["b": 0.4], R.hidden.e(V.X, V.Y), R.hidden.e(V.Z, V.Y))) | Metadata(aggregation=A.SUM, duplicate_grounding=flag)], GRAPH, q(R.h(2), 0.3))
    case("duplicates of a graph", [(R.h(V.X)["w": 0.7] <= (F.tanh(R.k(V.X)), R.hidden.e(V.X, V.Y))) | [A.SUM]], GRAPH, q(R.h(2), 0.3))
    case("a shared matrix in head and body", [R.g(V.X)["w": matrix(3, 3, 4)] <= R.x(V.X)["w": matrix(3, 3, 4)], R.h["u": matrix(1, 3, 6)] <= R.g(V.X)], GRAPH, q(R.h, 0.3))
    case("a fixed matrix", [R.g(V.X)["w": matrix(3, 3, 4)].fixed() <= R.x(V.X)["b": matrix(3, 3, 8)], R.h["u": matrix(1, 3, 6)] <= R.g(V.X)], GRAPH, q(R.h, 0.3))
    case("rule not learnable", [(R.h["w": matrix(1, 3, 6)] <= R.x(V.X)) | Metadata(learnable=False, aggregation=A.SUM), R.o["u": 0.7] <= R.h], GRAPH, q(R.o, 0.3))
    case("learnable facts of the template", [R.emb(i)["f%d" % i: numbers(2, i)] for i in range(1, 6)] + [(R.h["w": matrix(1, 2, 6)] <= (R.emb(V.X), R.k(V.X))) | [B.PRODUCT, A.SUM, T.TANH]], GRAPH, q(R.h, 0.3))
    case("facts of the template, fixed", [R.emb(i)["f%d" % i: numbers(2, i)].fixed() for i in range(1, 6)] + [(R.h["w": matrix(1, 2, 6)] <= (R.emb(V.X), R.k(V.X))) | [B.PRODUCT, A.SUM, T.TANH]], GRAPH, q(R.h, 0.3))
    case("several heads of one predicate, each with options", [(R.h(V.X)["w": 0.7] <= R.e(V.X, V.Y)["b": 0.4]) | [A.MAX, T.TANH], (R.h(V.X)["u": -0.3] <= (R.k(V.X)["c": 1.2], R.k(V.Y))) | [A.AVG, B.PRODUCT, T.SIGMOID], (R.h(V.X) <= R.k(V.X)) | [F.leaky_relu(0.3)], R.h / 1 | [T.RELU, B.SUM]], WEIGHED, [q(R.h(1), 0.3), q(R.h(2), 0.5)])
    case("predicate with combination max and tanh", [(R.h(V.X)["w": 0.7] <= R.e(V.X, V.Y)["b": 0.4]) | [A.SUM], R.h(V.X)["u": 0.3] <= R.k(V.X)["c": 1.2], R.h / 1 | [T.TANH, B.MAX]], WEIGHED, [q(R.h(1), 0.3), q(R.h(2), 0.5)])
    case("several queries with gradients", [R.g(V.X)["g": matrix(2, 3, 4)] <= R.x(V.X), R.g / 1 | [T.SIGMOID], (R.h(V.X)["w": matrix(2, 2, 6)] <= (R.g(V.Y), R.hidden.e(V.X, V.Y))) | [A.AVG]], GRAPH, [q(R.h(i), numbers(2, i)) for i in (1, 2, 3)])
    case("a cosine with gradients", [R.g["g": matrix(2, 2, 4)] <= R.v, (R.h["w": 0.7] <= (R.g, R.w)) | [B.COSSIM]], ALGEBRA, q(R.h, 0.3))
    case("a cross sum with gradients", [R.g["g": matrix(3, 2, 4)] <= R.v, (R.o <= (R.g, R.w)) | [B.CROSSSUM, T.TANH], R.h["w": matrix(1, 6, 6)] <= R.o], ALGEBRA, q(R.h, 0.3))
