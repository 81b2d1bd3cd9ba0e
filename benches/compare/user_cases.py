"""More cases for `agree.py`: templates as users of PyNeuraLogic write them, whole models rather than single functions."""

from neuralogic.core import Aggregation as A
from neuralogic.core import C, Combination, F, Metadata, R, Transformation, V

S = R.special
T = Transformation


def numbers(count, seed):
    return [round(((seed * 37 + i * 53) % 97 - 48) / 50, 3) for i in range(count)]


def matrix(rows, columns, seed):
    return [numbers(columns, seed + 7 * row) for row in range(rows)]


MOLECULE = [R.atom(i) for i in range(1, 7)] + [
    R.feature(i)[numbers(3, i)] for i in range(1, 7)
] + [R.charge(i)[round(0.1 * i - 0.35, 2)] for i in range(1, 7)] + [
    bond for i, j in [(1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 1), (2, 5)] for bond in (R.bond(i, j, (i + j) % 3), R.bond(j, i, (i + j) % 3))
] + [R.kind(i, C.c if i % 2 else C.n) for i in range(1, 7)] + [R.single(0)[[1.0, 0.2]], R.single(1)[[0.3, -0.5]], R.single(2)[[-0.7, 0.9]]]

FAMILY = [R.parent(C.ann, C.bob), R.parent(C.bob, C.cid), R.parent(C.bob, C.dan), R.parent(C.eve, C.bob), R.parent(C.cid, C.fay)] + [
    R.age(name)[value] for name, value in [(C.ann, 0.9), (C.bob, 0.6), (C.cid, 0.3), (C.dan, 0.2), (C.eve, 0.8), (C.fay, 0.05)]
] + [R.female(C.ann), R.female(C.eve), R.female(C.fay)]

SEQUENCE = [R.token(t)[numbers(2, t)] for t in range(1, 5)] + [R.word(t, w) for t, w in [(1, C.the), (2, C.cat), (3, C.sat), (4, C.down)]]
XY = [R.xy[[0.3, -0.8]], R.one[[1.0, 0.5]]]
SQUARE = [R.m[matrix(2, 2, 3)], R.v[numbers(2, 5)], R.k[2.5]]


def cases(case):
    # Networks over molecules.
    case("gcn layer by hand", [(R.h(V.X)[matrix(4, 3, 1)] <= (R.feature(V.Y), R.hidden.bond(V.X, V.Y, V.B))) | [T.RELU, A.AVG],
                               R.out[matrix(1, 4, 2)] <= R.h(V.X), R.h / 1 | [T.IDENTITY], R.out / 0 | [T.SIGMOID]], MOLECULE, R.out)
    case("gcn with self loops", [R.h(V.X)[matrix(2, 3, 1)] <= R.feature(V.X),
                                 (R.h(V.X)[matrix(2, 3, 9)] <= (R.feature(V.Y), R.hidden.bond(V.X, V.Y, V.B))) | [A.SUM],
                                 R.h / 1 | [T.TANH], (R.out <= R.h(V.X)) | [A.MAX]], MOLECULE, R.h(3))
    case("three layers", [R.h0(V.X)[matrix(2, 3, 4)] <= R.feature(V.X)] + [
        (R.get(f"h{i + 1}")(V.X) <= (R.get(f"h{i}")(V.Y)[matrix(2, 2, i)], R.hidden.bond(V.X, V.Y, V.B))) | [A.SUM, T.TANH] for i in range(3)],
        MOLECULE, R.h3(4))
    case("messages with bonds", [(R.m(V.X)[matrix(2, 2, 2)] <= (R.feature(V.Y)[matrix(2, 3, 1)], R.bond(V.X, V.Y, V.B), R.single(V.B)[matrix(2, 2, 5)])) | [A.AVG],
                                 R.out <= R.m(V.X)], MOLECULE, R.out)
    case("element embeddings in the template", [R.emb(C.c)[numbers(3, 1)], R.emb(C.n)[numbers(3, 2)],
                                                (R.h(V.X) <= (R.hidden.kind(V.X, V.K), R.emb(V.K)[matrix(2, 3, 3)])) | [T.TANH],
                                                (R.out <= (R.h(V.X), R.h(V.Y), R.hidden.bond(V.X, V.Y, V.B))) | [A.SUM]], MOLECULE, R.out)
    case("rings of six", [(R.ring <= (R.bond(V.A, V.B, 0), R.bond(V.B, V.C, 2), R.charge(V.A), S.alldiff(V.A, V.B, V.C))) | [A.COUNT]], MOLECULE, R.ring)
    case("triangles and charges", [(R.t(V.X) <= (R.charge(V.X), R.charge(V.Y), R.hidden.bond(V.X, V.Y, V.B), R.hidden.bond(V.Y, V.Z, V.D), R.charge(V.Z), S.neq(V.X, V.Z))) | [A.SUM]], MOLECULE, R.t(2))
    case("attention over neighbours", [(R.score(V.X, V.Y) <= (R.charge(V.X), R.charge(V.Y), R.hidden.bond(V.X, V.Y, V.B))) | [Combination.PRODUCT, A.SOFTMAX(agg_terms=["Y"])],
                                       (R.h(V.X) <= (R.score(V.X, V.Y), R.feature(V.Y))) | [Combination.PRODUCT, A.SUM]], MOLECULE, R.h(2))
    case("attention with tanh scores", [(R.score(V.X, V.Y) <= (R.feature(V.X)[matrix(1, 3, 1)], R.feature(V.Y)[matrix(1, 3, 2)], R.hidden.bond(V.X, V.Y, V.B))) | [T.TANH, A.SUM],
                                        (R.share(V.X, V.Y) <= R.score(V.X, V.Y)) | [A.SOFTMAX(agg_terms=["Y"])],
                                        (R.h(V.X) <= (R.share(V.X, V.Y), R.feature(V.Y))) | [Combination.PRODUCT, A.SUM]], MOLECULE, R.h(5))
    case("concatenated layers", [(R.h(V.X) <= (R.feature(V.X), R.single(0))) | [Combination.CONCAT], R.out[matrix(1, 5, 3)] <= R.h(V.X)], MOLECULE, R.out)
    case("mean and max beside each other", [(R.out[1.5] <= R.charge(V.X)) | [A.MAX], (R.out[-0.5] <= R.charge(V.X)) | [A.AVG], (R.out <= R.charge(V.X)) | [A.MIN]], MOLECULE, R.out)
    case("a named weight twice", [R.h(V.X)["w": matrix(3, 3, 1)] <= R.feature(V.X), (R.g(V.X)["w": matrix(3, 3, 1)] <= R.h(V.X)) | [T.RELU]], MOLECULE, R.g(2))
    case("a fixed matrix", [R.h(V.X)[matrix(3, 3, 1)].fixed() <= R.feature(V.X)], MOLECULE, R.h(1))
    case("weights on head and body", [(R.h(V.X)[2.0] <= (R.charge(V.X)[0.5], R.charge(V.Y)[-1.0], R.hidden.bond(V.X, V.Y, V.B))) | [T.SIGMOID, A.SUM]], MOLECULE, R.h(6))
    case("sigmoid of a predicate, relu of a rule", [(R.h(V.X)[matrix(2, 3, 1)] <= R.feature(V.X)) | [T.RELU], R.h / 1 | [T.SIGMOID]], MOLECULE, R.h(4))
    case("metadata object", [(R.h <= R.charge(V.X)) | Metadata(aggregation=A.SUM, transformation=T.TANH)], MOLECULE, R.h)
    case("metadata with combination", [(R.h(V.X) <= (R.charge(V.X), R.charge(V.Y), R.hidden.bond(V.X, V.Y, V.B))) | Metadata(aggregation=A.MAX, combination=Combination.MIN)], MOLECULE, R.h(2))
    case("bond types as constants", [(R.h(V.X) <= (R.charge(V.Y), R.hidden.bond(V.X, V.Y, 0))) | [A.SUM], (R.h(V.X) <= (R.charge(V.Y)[-2.0], R.hidden.bond(V.X, V.Y, 1))) | [A.SUM]], MOLECULE, R.h(2))
    case("kinds as guards", [(R.h <= (R.charge(V.X), R.hidden.kind(V.X, C.c))) | [A.SUM], (R.h <= (R.charge(V.X)[3.0], R.hidden.kind(V.X, C.n))) | [A.SUM]], MOLECULE, R.h)
    case("hidden predicates of rules", [R.hidden.near(V.X, V.Y) <= R.bond(V.X, V.Y, V.B), (R.h(V.X) <= (R.charge(V.Y), R.hidden.near(V.X, V.Y))) | [A.SUM]], MOLECULE, R.h(1))
    case("two steps away", [(R.h(V.X) <= (R.charge(V.Z), R.hidden.bond(V.X, V.Y, V.B), R.hidden.bond(V.Y, V.Z, V.D))) | [A.SUM]], MOLECULE, R.h(1))
    case("two steps away, counted twice", [(R.h(V.X) <= (R.charge(V.Z), R.hidden.bond(V.X, V.Y, V.B), R.hidden.bond(V.Y, V.Z, V.D))) | Metadata(aggregation=A.SUM, duplicate_grounding=True)], MOLECULE, R.h(1))
    case("no bond to", [(R.far(V.X, V.Y) <= (R.charge(V.X), R.charge(V.Y), ~R.hidden.bond(V.X, V.Y, 0))) | [A.SUM]], MOLECULE, R.far(1, 3))
    case("negated derived", [R.near(V.X, V.Y) <= R.bond(V.X, V.Y, V.B), (R.far(V.X) <= (R.charge(V.X), R.charge(V.Y), ~R.near(V.X, V.Y), S.neq(V.X, V.Y))) | [A.SUM]], MOLECULE, R.far(1))
    case("a vector of zeros and a bias", [R.h(V.X) <= (R.feature(V.X)[matrix(2, 3, 1)], R.bias), R.bias[numbers(2, 9)]], MOLECULE, R.h(3))
    case("elementwise gate", [R.g(V.X)[matrix(3, 3, 2)] <= R.feature(V.X), R.g / 1 | [T.SIGMOID], (R.h(V.X) <= (R.g(V.X), R.feature(V.X))) | [Combination.ELPRODUCT]], MOLECULE, R.h(2))
    case("residual", [R.h(V.X)[matrix(3, 3, 2)] <= R.feature(V.X), R.h(V.X) <= R.feature(V.X), R.h / 1 | [T.RELU]], MOLECULE, R.h(2))
    case("readout by concatenation of two pools", [(R.p1 <= R.feature(V.X)) | [A.AVG], (R.p2 <= R.feature(V.X)) | [A.SUM], (R.out <= (R.p1, R.p2)) | [Combination.CONCAT]], MOLECULE, R.out)
    case("cosine of two atoms", [(R.sim(V.X, V.Y) <= (R.feature(V.X), R.feature(V.Y))) | [Combination.COSSIM]], MOLECULE, R.sim(1, 4))
    case("cross sum of two vectors", [(R.c <= (R.xy, R.one)) | [Combination.CROSSSUM]], XY, R.c)
    case("minimum of pooled", [(R.out <= R.charge(V.X)) | [A.MIN, T.TANH]], MOLECULE, R.out)
    case("count of bonds", [(R.deg(V.X) <= R.bond(V.X, V.Y, V.B)) | [A.COUNT]], MOLECULE, R.deg(2))
    case("degree in a product", [(R.deg(V.X) <= R.bond(V.X, V.Y, V.B)) | [A.COUNT], (R.h(V.X) <= (R.charge(V.X), F.inverse(R.deg(V.X)))) | [Combination.PRODUCT]], MOLECULE, R.h(2))
    case("normalised neighbours", [(R.deg(V.X) <= R.bond(V.X, V.Y, V.B)) | [A.COUNT],
                                   (R.h(V.X) <= (R.feature(V.Y), R.hidden.bond(V.X, V.Y, V.B), F.inverse(F.sqrt(R.deg(V.X))), F.inverse(F.sqrt(R.deg(V.Y))))) | [Combination.PRODUCT, A.SUM]], MOLECULE, R.h(2))
    case("square root of a degree", [(R.deg(V.X) <= R.bond(V.X, V.Y, V.B)) | [A.COUNT], R.h(V.X) <= F.sqrt(R.deg(V.X))], MOLECULE, R.h(2))

    # Families: rules with constants, recursion, numbers.
    case("grandparents", [(R.g(V.X, V.Z) <= (R.parent(V.X, V.Y), R.parent(V.Y, V.Z))) | [T.SIGMOID]], FAMILY, R.g(C.ann, C.cid))
    case("ancestors", [R.anc(V.X, V.Y)[0.7] <= R.parent(V.X, V.Y), (R.anc(V.X, V.Z)[0.9] <= (R.anc(V.X, V.Y), R.parent(V.Y, V.Z))) | [T.TANH]], FAMILY, R.anc(C.ann, C.fay))
    case("ancestors from the left", [R.anc(V.X, V.Y)[0.7] <= R.parent(V.X, V.Y), (R.anc(V.X, V.Z)[0.9] <= (R.parent(V.X, V.Y), R.anc(V.Y, V.Z))) | [T.TANH]], FAMILY, R.anc(C.eve, C.fay))
    case("siblings", [(R.sib(V.X, V.Y) <= (R.parent(V.Z, V.X), R.parent(V.Z, V.Y), S.neq(V.X, V.Y), R.age(V.X), R.age(V.Y))) | [A.MAX]], FAMILY, R.sib(C.cid, C.dan))
    case("mothers", [R.mother(V.X) <= (R.parent(V.X, V.Y), R.female(V.X), R.age(V.Y))], FAMILY, R.mother(C.ann))
    case("childless", [R.leaf(V.X) <= (R.age(V.X), ~R.parent(V.X, C.fay))], FAMILY, R.leaf(C.bob))
    case("a constant in the head", [(R.oldest(C.ann) <= R.age(C.ann)), (R.oldest(V.X) <= R.age(V.X)) | [T.RELU]], FAMILY, R.oldest(C.ann))
    case("rules for each constant", [R.rank(name)[0.1 * i] <= R.age(name) for i, name in enumerate((C.ann, C.bob, C.cid), 1)] + [(R.all <= R.rank(V.X)) | [A.SUM]], FAMILY, R.all)
    case("several heads of one body", [R.a(V.X) <= R.age(V.X), R.b(V.X)[2.0] <= R.age(V.X), (R.c <= (R.a(V.X), R.b(V.X))) | [Combination.PRODUCT, A.SUM]], FAMILY, R.c)
    case("age differences", [(R.d <= (R.age(V.X), -R.age(V.Y), R.hidden.parent(V.X, V.Y))) | [A.SUM]], FAMILY, R.d)
    case("a long body", [(R.q <= (R.parent(V.A, V.B), R.parent(V.B, V.C), R.parent(V.C, V.D), R.age(V.A), R.age(V.B), R.age(V.C), R.age(V.D))) | [T.TANH]], FAMILY, R.q)
    case("a fact with a weight", [R.prior[0.25], R.h(V.X) <= (R.prior, R.age(V.X))], FAMILY, R.h(C.cid))
    case("a fixed fact with a weight", [R.prior[0.25].fixed(), R.h(V.X) <= (R.prior, R.age(V.X))], FAMILY, R.h(C.cid))
    case("a fact in the template beside facts of the example", [R.age(C.gus)[0.5], (R.sum <= R.age(V.X)) | [A.SUM]], FAMILY, R.sum)
    case("facts with variables", [R.prior(V.X)[0.3], R.h(V.X) <= (R.age(V.X), R.prior(V.X))], FAMILY, R.h(C.dan))

    # Sequences.
    case("next token", [(R.pair(V.X, V.Y) <= (R.token(V.X), R.token(V.Y), S.next(V.X, V.Y))) | [T.TANH]], SEQUENCE, R.pair(2, 3))
    case("recurrent", [(R.h(0) <= R.start), R.start[numbers(2, 3)], (R.h(V.T)[matrix(2, 2, 4)] <= (R.h(V.S)[matrix(2, 2, 1)], R.token(V.T)[matrix(2, 2, 2)], S.next(V.S, V.T))) | [T.TANH]], SEQUENCE, R.h(4))
    case("positions", [(R.h(V.X) <= (R.token(V.X), S.mul_eval(V.X, 0.5))) | [Combination.PRODUCT]], SEQUENCE, R.h(3))
    case("earlier tokens", [(R.h(V.X) <= (R.token(V.Y), R.hidden.token(V.X), S.leq(V.Y, V.X))) | [A.AVG]], SEQUENCE, R.h(3))
    case("word embeddings", [R.e(C.cat)[numbers(2, 1)], R.e(C.sat)[numbers(2, 2)], (R.h <= (R.hidden.word(V.T, V.W), R.e(V.W))) | [A.SUM]], SEQUENCE, R.h)
    case("window", [(R.h(V.X) <= (R.token(V.Y), R.hidden.token(V.X), S.sub(V.X, 1, V.Y))) | [A.SUM], (R.h(V.X)[0.5] <= (R.token(V.Y), R.hidden.token(V.X), S.add(V.X, 1, V.Y))) | [A.SUM]], SEQUENCE, R.h(2))
    case("max over time", [(R.h <= F.sigmoid(R.token(V.X))) | [A.SUM]], SEQUENCE, R.h)
    case("query and key", [(R.a(V.X, V.Y) <= (R.token(V.X).T, R.token(V.Y))) | [Combination.PRODUCT, A.SOFTMAX(agg_terms=["Y"])],
                           (R.h(V.X) <= (R.a(V.X, V.Y), R.token(V.Y))) | [Combination.PRODUCT, A.SUM]], SEQUENCE, R.h(2))

    # Xor, small perceptrons, algebra.
    case("xor", [R.out[matrix(1, 4, 5)] <= R.xy[matrix(4, 2, 3)], R.out / 0 | [T.SIGMOID]], XY, R.out)
    case("xor with hidden units", [R.h[matrix(4, 2, 3)] <= R.xy, R.h / 0 | [T.TANH], R.out[matrix(1, 4, 5)] <= R.h, R.out / 0 | [T.TANH]], XY, R.out)
    case("xor in a rule", [(R.out[matrix(1, 4, 5)] <= R.xy[matrix(4, 2, 3)]) | [T.RELU]], XY, R.out)
    case("matrix times vector", [(R.h <= (R.m, R.v)) | [Combination.PRODUCT]], SQUARE, R.h)
    case("number times matrix times vector", [(R.h <= (R.k, R.m, R.v)) | [Combination.PRODUCT]], SQUARE, R.h)
    case("sum of transposed", [R.h <= (R.m, R.m.T)], SQUARE, R.h)
    case("quadratic form", [(R.h <= (R.v.T, R.m, R.v)) | [Combination.PRODUCT]], SQUARE, R.h)
    case("outer product", [(R.h <= (R.v, R.v.T)) | [Combination.PRODUCT]], SQUARE, R.h)
    case("graph of functions", [R.h <= F.sigmoid(R.m @ R.v) * F.tanh(R.v) + R.v], SQUARE, R.h)
    case("relu of a sum", [R.h <= F.relu(R.v + R.v)], SQUARE, R.h)
    case("softmax of a product", [(R.h <= (R.m, R.v)) | [Combination.PRODUCT, F.softmax]], SQUARE, R.h)
    case("exponential and logarithm", [R.h <= F.log(F.exp(R.v) + F.exp(R.v))], SQUARE, R.h)
    case("reverse and inverse", [R.h <= (F.inverse(R.k), F.reverse(R.k))], SQUARE, R.h)
    case("sign of charges", [(R.h <= F.signum(R.charge(V.X))) | [A.SUM]], MOLECULE, R.h)
    case("a sparse vector", [R.h <= (R.s, R.v)], SQUARE + [R.s[[0.0, -1.5]]], R.h)
    case("embedding of a product", [(R.h <= (R.v[matrix(3, 2, 1)], R.w)) | [Combination.ELPRODUCT, T.TANH], R.w[numbers(3, 8)]], SQUARE, R.h)
    case("a query that is a fact", [R.h <= R.v], SQUARE, R.k)
    case("maximum of two rules", [R.h <= R.k, R.h[0.3] <= R.k, R.h / 0 | [Combination.MAX]], SQUARE, R.h)
    case("product of two rules", [R.h <= R.k, R.h[0.3] <= R.k, R.h / 0 | [Combination.PRODUCT]], SQUARE, R.h)
    case("lukasiewicz units", [(R.h <= (R.a, R.b)) | [T.LUKASIEWICZ]], [R.a[0.7], R.b[0.6]], R.h)
    case("average of three inputs", [(R.h <= (R.a, R.b, R.c)) | [Combination.AVG]], [R.a[0.7], R.b[0.6], R.c[-2.0]], R.h)
    case("types of arguments", [(R.h <= (R.p(V.X("person")), R.q(V.X("person")))) | [A.SUM]], [R.p(C.a("person"))[0.5], R.p(C.b("thing"))[0.7], R.q(C.a("person"))[2.0], R.q(C.b("thing"))[3.0]], R.h)
