"""More cases for `agree.py`, written before NeuraLogic's answers to them were seen, and templates as its documents have them."""

from neuralogic.core import Aggregation as A
from neuralogic.core import C, Combination, F, Metadata, R, Transformation, V
from neuralogic.nn import module as modules

S = R.special
T = Transformation
B = Combination


def numbers(count, seed):
    return [round(((seed * 41 + i * 59 + 7) % 101 - 50) / 40, 3) for i in range(count)]


def matrix(rows, columns, seed):
    return [numbers(columns, seed + 11 * row) for row in range(rows)]


PEOPLE = [R.person(n) for n in (C.ann, C.bob, C.cid, C.dee)] + [
    R.friend(C.ann, C.bob)[0.9], R.friend(C.bob, C.ann)[0.7], R.friend(C.bob, C.cid)[0.4], R.friend(C.dee, C.dee)[0.2],
] + [R.smokes(C.ann)[0.8], R.smokes(C.cid)[-0.3]] + [R.vec(n)[numbers(3, i)] for i, n in enumerate((C.ann, C.bob, C.cid, C.dee))]

GRID = [R.cell(x, y)[round(0.1 * x - 0.3 * y + 0.05, 3)] for x in range(3) for y in range(3)]
WORDS = [R.tok(i)[numbers(4, i)] for i in range(5)] + [R.pos(i) for i in range(5)]
GRAPH = [R.e(i, j) for i, j in [(1, 2), (2, 1), (2, 3), (3, 4), (4, 1), (4, 2)]] + [R.x(i)[numbers(2, i)] for i in range(1, 5)]
LINKS = [R.e(i, j)[numbers(2, i + j)] for i, j in [(1, 2), (2, 1), (3, 2), (1, 3)]] + [R.x(i)[numbers(2, i)] for i in range(1, 4)]
KINDS = [R.e(1, C.p, 2), R.e(2, C.q, 1), R.e(3, C.p, 2), R.e(3, C.q, 2)] + [R.x(i)[numbers(2, i)] for i in range(1, 4)]
SERIES = [R.x(C.s, t)[numbers(2, t)] for t in (1, 2, 3, 4)] + [R.h0(C.s)[numbers(3, 5)], R.c0(C.s)[numbers(3, 6)]]
LEAVES = [R.up(C.l1), R.up(C.l2), R.up(C.l3), R.up(C.n1, C.l1, C.l2), R.up(C.r, C.n1, C.l3)] + [R.x(C.s, n)[numbers(2, i)] for i, n in enumerate((C.l1, C.l2, C.l3))]
A2, B2, V2, W2, V3 = matrix(2, 2, 1), matrix(2, 2, 6), numbers(2, 3), numbers(2, 8), numbers(3, 4)
ALGEBRA = [R.a[A2], R.b[B2], R.v[V2], R.w[W2], R.u[V3], R.k[1.75], R.r[[numbers(3, 2)]], R.p[[0.5, 0.25]], R.m[matrix(3, 2, 9)]]
TOWN = [R.connected(a, b, l) for a, b, l in [("bond", "oxford", "central"), ("oxford", "court", "central"), ("bond", "green", "jubilee"), ("green", "cross", "jubilee"), ("green", "circus", "piccadilly"), ("circus", "square", "piccadilly"), ("green", "oxford", "victoria"), ("oxford", "circus", "bakerloo"), ("circus", "cross", "bakerloo"), ("court", "square", "northern"), ("square", "cross", "northern")]]
COLOURED = [R.edge(a, b) for a, b in [(1, 2), (2, 1), (2, 3), (3, 4), (4, 5), (5, 3), (1, 3)]] + [R.type(i, C.blue if i < 3 else C.pink) for i in range(1, 6)] + [R.feature(i)[numbers(3, i)] for i in range(1, 6)] + [R.type_feature(C.blue)[[1, 2, 3]], R.type_feature(C.pink)[[0.5, -1, 0]]]
HYPER = [R.edge(1, 2), R.edge(3, 4, 5), R.edge(1, 2, 4, 6)] + [R.feature(i)[0.3 * i - 1] for i in range(1, 7)]
CIRCLES = [R.e(a, b) for i, j in [(1, 2), (2, 3), (3, 1), (1, 4), (4, 5), (4, 6)] for a, b in ((i, j), (j, i))] + [R.charge(i)[round(0.2 * i - 0.5, 2)] for i in range(1, 7)]


def cases(case, module):
    # Hidden negation.
    case("!*p: nobody's friend", [(R.alone(V.X) <= (R.smokes(V.X), ~R.hidden.friend(V.X, C.bob)))], PEOPLE, R.alone(C.cid))
    case("!*p with two variables", [(R.far <= (R.smokes(V.X), R.smokes(V.Y), ~R.hidden.friend(V.X, V.Y))) | [A.SUM]], PEOPLE, R.far)
    case("!*p beside *p", [(R.one <= (R.vec(V.X), R.hidden.friend(V.X, V.Y), ~R.hidden.friend(V.Y, V.X))) | [A.SUM]], PEOPLE, R.one)
    case("!*p of a derived predicate", [R.hidden.both(V.X, V.Y) <= (R.friend(V.X, V.Y), R.friend(V.Y, V.X)), (R.h <= (R.friend(V.X, V.Y), ~R.hidden.both(V.X, V.Y))) | [A.SUM]], PEOPLE, R.h)
    case("!p in the middle of weights", [(R.h <= (R.smokes(V.X)[0.5], ~R.friend(V.X, V.X), R.vec(V.X)[matrix(1, 3, 2)])) | [A.SUM, T.TANH]], PEOPLE, R.h)
    case("!p of a constant", [(R.h <= (R.smokes(V.X)[2.0], ~R.friend(C.dee, C.bob))) | [A.MAX]], PEOPLE, R.h)
    case("not an equal one", [(R.h(V.X) <= (R.smokes(V.X), ~R.hidden.special.eq(V.X, C.ann)))], PEOPLE, R.h(C.cid))
    case("not in", [(R.h(V.X) <= (R.vec(V.X), ~S._in(V.X, C.ann, C.bob))) | [A.SUM]], PEOPLE, R.h(C.dee))
    case("not next", [(R.h <= (R.pos(V.X), R.tok(V.X), R.pos(V.Y), ~S.next(V.X, V.Y))) | [A.SUM]], WORDS, R.h)

    # @next, @in and numbers.
    case("next in a head that sums", [(R.d(V.Y) <= (R.tok(V.Y), -R.tok(V.X), S.next(V.X, V.Y)))], WORDS, R.d(3))
    case("hidden next", [(R.d(V.X) <= (R.tok(V.Y), R.hidden.special.next(V.X, V.Y)))], WORDS, R.d(3))
    case("next from a constant", [(R.d <= (R.tok(V.Y), S.next(1, V.Y)))], WORDS, R.d)
    case("next to a constant", [(R.d <= (R.tok(V.X), S.next(V.X, 3)))], WORDS, R.d)
    case("next of both known", [(R.d <= (R.tok(V.X), R.tok(V.Y), S.next(V.X, V.Y))) | [A.MAX, B.ELPRODUCT]], WORDS, R.d)
    case("recursion along next", [R.s(0) <= R.tok(0), (R.s(V.Y) <= (R.s(V.X)[0.5], R.tok(V.Y), S.next(V.X, V.Y))) | [T.TANH]], WORDS, R.s(4))
    case("in with one constant", [(R.d <= (R.tok(V.X), S._in(V.X, 2)))], WORDS, R.d)
    case("in with names", [(R.d <= (R.smokes(V.X), R.vec(V.X), S._in(V.X, C.ann, C.dee, C.zoe))) | [B.PRODUCT]], PEOPLE, R.d)
    case("two ins", [(R.d <= (R.cell(V.X, V.Y), S._in(V.X, 0, 2), S._in(V.Y, 1, 2))) | [A.SUM]], GRID, R.d)
    case("grid neighbours", [(R.d(V.X, V.Y) <= (R.cell(V.X, V.Y), R.cell(V.Z, V.Y)[0.5], S.next(V.X, V.Z))) | [T.SIGMOID]], GRID, R.d(1, 2))
    case("add with two numbers known", [(R.d <= (R.cell(V.X, V.Y), S.add(V.X, V.Y, 2))) | [A.SUM]], GRID, R.d)
    case("sub with a variable in the middle", [(R.d(V.Z) <= (R.cell(V.X, V.Y), S.sub(V.X, V.Y, V.Z))) | [A.SUM]], GRID, R.d(1))
    case("mod as a guard", [(R.d <= (R.cell(V.X, V.Y), S.mod(V.X, 2, 0))) | [A.AVG]], GRID, R.d)
    case("mod classes", [(R.d(V.K) <= (R.tok(V.X), S.mod(V.X, 2, V.K))) | [A.SUM]], WORDS, R.d(1))
    case("add into a literal", [(R.d(V.X) <= (R.tok(V.X), S.add(V.X, 2, V.Y), R.tok(V.Y))) | [B.ELPRODUCT]], WORDS, R.d(2))
    case("maxcard of three", [(R.d <= (R.cell(V.X, V.Y), R.cell(V.Y, V.Z), S.maxcard(2, V.X, V.Y, V.Z))) | [A.SUM]], GRID, R.d)
    case("true", [(R.d <= (R.k, S.true))], ALGEBRA, R.d)
    case("anypred beside weights", [(R.d <= (R.k[0.5], S.anypred(), R.v[2.0])) | [T.TANH]], ALGEBRA, R.d)
    case("lt of numbers and a sum", [(R.d(V.X) <= (R.tok(V.Y), R.hidden.pos(V.X), S.lt(V.Y, V.X))) | [A.SUM]], WORDS, R.d(3))
    case("geq with a constant", [(R.d <= (R.tok(V.X), S.geq(V.X, 3))) | [A.MIN]], WORDS, R.d)
    case("eq of two columns", [(R.d <= (R.cell(V.X, V.Y), S.eq(V.X, V.Y))) | [A.SUM]], GRID, R.d)
    case("neq, hidden", [(R.d <= (R.smokes(V.X), R.smokes(V.Y), R.hidden.special.neq(V.X, V.Y))) | [B.PRODUCT, A.SUM]], PEOPLE, R.d)
    case("alldiff of four", [(R.d <= (R.cell(V.X, V.Y), R.cell(V.Y, V.Z), S.alldiff(V.X, V.Y, V.Z))) | [A.SUM]], GRID, R.d)

    # Values from terms.
    for name in "add sub mul div max min mod".split():
        value = getattr(S, name + "_eval")
        case(f"{name}_eval weighs a vector", [(R.d <= (R.tok(V.X), R.hidden.pos(V.Y), S.geq(V.Y, 1), value(V.X, V.Y))) | [B.PRODUCT, A.SUM]], WORDS, R.d)
    case("eval inside tanh", [(R.d(V.X) <= (R.hidden.pos(V.X), F.tanh(S.div_eval(V.X, 4))))], WORDS, R.d(2))
    case("two evals", [(R.d(V.X) <= (R.hidden.pos(V.X), S.add_eval(V.X, 1), S.sub_eval(V.X, 1))) | [B.PRODUCT]], WORDS, R.d(3))
    case("eval of names' number", [(R.d <= (R.cell(V.X, V.Y), S.max_eval(V.X, V.Y))) | [B.PRODUCT, A.SUM]], GRID, R.d)

    # Functions on body literals.
    for name in "sigmoid tanh relu leaky_relu exp inverse reverse signum lukasiewicz".split():
        case(f"{name} beside another literal", [(R.d <= (getattr(F, name)(R.v), R.w))], ALGEBRA, R.d)
    case("functions of literals with variables", [(R.d(V.X) <= (F.tanh(R.x(V.X)), F.relu(R.x(V.Y)), R.hidden.e(V.X, V.Y))) | [A.SUM]], GRAPH, R.d(2))
    case("functions and max", [(R.d(V.X) <= (F.sigmoid(R.x(V.Y)), R.hidden.e(V.X, V.Y))) | [A.MAX, T.TANH]], GRAPH, R.d(2))
    case("minus of a matrix", [(R.d <= (-R.a, R.b))], ALGEBRA, R.d)
    case("reverse twice", [(R.d <= F.reverse(F.reverse(R.v)))], ALGEBRA, R.d)
    case("softmax of a literal", [(R.d <= (F.softmax(R.u), R.u)) | [B.ELPRODUCT]], ALGEBRA, R.d)
    case("sparsemax of a literal", [(R.d <= F.sparsemax(R.u))], ALGEBRA, R.d)
    case("norm of a literal", [(R.d <= F.norm(R.u))], ALGEBRA, R.d)
    case("norm of a predicate", [(R.d(V.X) <= R.vec(V.X)), R.d / 1 | [F.norm]], PEOPLE, R.d(C.bob))
    case("log of exp of vectors", [(R.d <= F.log(F.exp(R.v) + F.exp(R.w)))], ALGEBRA, R.d)
    case("transp as a function", [(R.d <= F.transp(R.a))], ALGEBRA, R.d)
    case("transp of a rule", [(R.d <= R.m) | [F.transp]], ALGEBRA, R.d)
    case("product with a transpose", [(R.d <= (R.m.T, R.u)) | [B.PRODUCT]], ALGEBRA, R.d)
    case("transpose as Transformation", [(R.d <= R.m) | [T.TRANSP], (R.g <= (R.d, R.u)) | [B.PRODUCT]], ALGEBRA, R.g)
    case("slice of a vector", [(R.d <= F.slice(R.u, rows=(0, 2)))], ALGEBRA, R.d)
    case("slice of one row", [(R.d <= F.slice(R.m, rows=(1, 2)))], ALGEBRA, R.d)
    case("slice of one element", [(R.d <= F.slice(R.m, rows=(1, 2), cols=(0, 1)))], ALGEBRA, R.d)
    case("slice inside a sum", [(R.d <= F.slice(R.u, rows=(1, 3)) + R.v)], ALGEBRA, R.d)
    case("slices of one literal", [(R.d(V.X) <= F.slice(R.vec(V.X), rows=(0, 1)) * F.slice(R.vec(V.X), rows=(2, 3)))], PEOPLE, R.d(C.bob))
    case("reshape to a square", [(R.d <= F.reshape(R.q, shape=(2, 2)))], [R.q[numbers(4, 3)]], R.d)
    case("reshape of a rule", [(R.d <= R.m) | [F.reshape(shape=(2, 3))]], ALGEBRA, R.d)
    case("reshape of a predicate", [(R.d <= R.m), R.d / 0 | [F.reshape(shape=(1, 6))]], ALGEBRA, R.d)
    case("reshape and multiply", [(R.d <= F.reshape(R.q, shape=(2, 2)) @ R.v)], [R.q[numbers(4, 3)], R.v[V2]], R.d)
    case("leaky slope of a rule", [(R.d <= R.u) | [F.leaky_relu(0.35)]], ALGEBRA, R.d)

    # Softmax over terms.
    case("attention over edges", [(R.s(V.X, V.Y) <= (R.x(V.X)[matrix(1, 2, 3)], R.x(V.Y)[matrix(1, 2, 5)], R.hidden.e(V.X, V.Y))) | [F.leaky_relu(0.2), A.SOFTMAX(agg_terms=["Y"])],
                                  (R.h(V.X) <= (R.s(V.X, V.Y), R.x(V.Y)[matrix(2, 2, 4)])) | [B.PRODUCT, A.SUM]], GRAPH, R.h(4))
    case("attention, first term", [(R.s(V.X, V.Y) <= (R.x(V.X)[matrix(1, 2, 3)], R.x(V.Y)[matrix(1, 2, 5)], R.hidden.e(V.X, V.Y))) | [A.SOFTMAX(agg_terms=["X"])]], GRAPH, R.s(1, 2))
    case("attention over two terms", [(R.s(V.X, V.Y) <= R.cell(V.X, V.Y)) | [A.SOFTMAX(agg_terms=["X", "Y"])]], GRID, R.s(1, 2))
    case("attention with a weight before the head", [(R.s(V.X, V.Y)[1.5] <= R.cell(V.X, V.Y)) | [A.SOFTMAX(agg_terms=["Y"])]], GRID, R.s(1, 2))
    case("attention of products", [(R.s(V.X, V.Y) <= (R.tok(V.X).T, R.tok(V.Y))) | [B.PRODUCT, A.SOFTMAX(agg_terms=["Y"])], (R.o(V.X) <= (R.s(V.X, V.Y), R.tok(V.Y))) | [B.PRODUCT, A.SUM]], WORDS, R.o(3))
    case("masked attention", [(R.s(V.X, V.Y) <= (R.tok(V.X).T, R.tok(V.Y), S.leq(V.Y, V.X))) | [B.PRODUCT, A.SOFTMAX(agg_terms=["Y"])], (R.o(V.X) <= (R.s(V.X, V.Y), R.tok(V.Y))) | [B.PRODUCT, A.SUM]], WORDS, R.o(2))
    case("softmax without terms", [(R.s <= R.cell(V.X, V.Y)) | [A.SOFTMAX]], GRID, R.s)

    # Combinations and aggregations.
    for name in "PRODUCT CONCAT CROSSSUM SOFTMAX SPARSEMAX COUNT ELPRODUCT MAX MIN AVG COSSIM".split():
        combination = getattr(B, name)
        case(f"{name} of three numbers", [(R.d <= (R.a1, R.b1, R.c1)) | [combination]], [R.a1[0.5], R.b1[-1.25], R.c1[2.0]], R.d)
        case(f"{name} of three rules", [R.d <= R.a1, R.d[0.5] <= R.b1, R.d <= R.c1, R.d / 0 | [combination]], [R.a1[0.5], R.b1[-1.25], R.c1[2.0]], R.d)
        case(f"{name} of vectors of three rules", [R.d <= R.a1, R.d[0.5] <= R.b1, R.d <= R.c1, R.d / 0 | [combination]], [R.a1[V2], R.b1[W2], R.c1[numbers(2, 13)]], R.d)
        case(f"{name} of three vectors", [(R.d <= (R.a1, R.b1, R.c1)) | [combination]], [R.a1[V2], R.b1[W2], R.c1[numbers(2, 13)]], R.d)
        case(f"{name} in a function", [R.d <= combination(R.a1, R.b1)], [R.a1[V2], R.b1[W2]], R.d)
    for name in "AVG MAX MIN SUM COUNT CONCAT".split():
        case(f"aggregation {name} of vectors", [(R.d <= R.vec(V.X)) | [getattr(A, name)]], PEOPLE, R.d)
        case(f"aggregation {name} of products", [(R.d <= (R.vec(V.X), R.friend(V.X, V.Y))) | [getattr(A, name), B.PRODUCT]], PEOPLE, R.d)
        case(f"aggregation {name} of numbers", [(R.d <= R.friend(V.X, V.Y)) | [getattr(A, name), T.TANH]], PEOPLE, R.d)
        case(f"aggregation {name} of matrices", [(R.d <= R.q(V.X)) | [getattr(A, name)]], [R.q(1)[A2], R.q(2)[B2]], R.d)
    case("concatenation along rows, as a function", [(R.d <= F.concat(R.a, R.b, axis=0))], ALGEBRA, R.d)
    case("concatenation of columns", [(R.d <= F.concat(R.a, R.b, axis=1))], ALGEBRA, R.d)
    case("concatenation of vectors, axis 1", [(R.d <= F.concat(R.v, R.w, axis=1))], ALGEBRA, R.d)
    case("concatenation of aggregated rows", [(R.d <= R.vec(V.X)) | [A.CONCAT(axis=0)]], PEOPLE, R.d)
    case("product of number and matrix", [(R.d <= (R.k, R.a)) | [B.PRODUCT]], ALGEBRA, R.d)
    case("product of row and matrix", [(R.d <= (R.p, R.a)) | [B.PRODUCT]], ALGEBRA, R.d)
    case("elementwise number and vector", [(R.d <= (R.k, R.v)) | [B.ELPRODUCT]], ALGEBRA, R.d)
    case("sum of number and vector", [(R.d <= (R.k, R.v))], ALGEBRA, R.d)
    case("sum of number and matrix", [(R.d <= (R.a, R.k))], ALGEBRA, R.d)
    case("elementwise matrices", [(R.d <= (R.a, R.b)) | [B.ELPRODUCT, T.TANH]], ALGEBRA, R.d)
    case("cosine with itself", [(R.d(V.X, V.Y) <= (R.vec(V.X), R.vec(V.Y))) | [B.COSSIM, T.RELU]], PEOPLE, R.d(C.ann, C.ann))
    case("cross sum of different lengths", [(R.d <= (R.u, R.v)) | [B.CROSSSUM]], ALGEBRA, R.d)
    case("cross sum of three, weighed", [(R.d[matrix(1, 12, 3)] <= (R.u, R.v, R.w)) | [B.CROSSSUM, T.TANH]], ALGEBRA, R.d)

    # Function graphs.
    case("lstm cell by hand", [R.d <= F.sigmoid(R.v) * R.w + F.sigmoid(R.w) * F.tanh(R.v)], ALGEBRA, R.d)
    case("graph with one literal twice", [R.d <= F.tanh(R.v) * R.v + R.v], ALGEBRA, R.d)
    case("graph with weights", [R.d <= R.v[A2] + F.sigmoid(R.w[B2]) * R.v[0.5]], ALGEBRA, R.d)
    case("graph with a matrix product", [R.d <= F.relu(R.a @ R.v + R.w)], ALGEBRA, R.d)
    case("matrix products in a row", [R.d <= R.a @ R.b @ R.v], ALGEBRA, R.d)
    case("matrix product of a sum", [R.d <= R.a @ (R.v + R.w)], ALGEBRA, R.d)
    case("sum of sums", [R.d <= (R.v + R.w) + (R.v + R.v)], ALGEBRA, R.d)
    case("product of functions", [R.d <= F.exp(R.v) * F.inverse(R.w) * R.k], ALGEBRA, R.d)
    case("graph and guards", [(R.d(V.X) <= (R.x(V.X) + F.tanh(R.x(V.Y)), R.hidden.e(V.X, V.Y))) | [A.SUM]], GRAPH, R.d(4))
    case("graph and a transformation", [(R.d(V.X) <= R.x(V.X) * F.sigmoid(R.x(V.Y)) + R.hidden.e(V.X, V.Y)) | [A.AVG, T.TANH]], GRAPH, R.d(4))
    case("nested combination functions", [R.d <= F.max(F.min(R.v, R.w), F.sum(R.v, R.w))], ALGEBRA, R.d)
    case("average as a function", [R.d <= F.avg(R.v, R.w) + R.v], ALGEBRA, R.d)
    case("concat as a function, weighed after", [R.h <= F.concat(R.v, R.w), R.d[matrix(2, 4, 3)] <= R.h], ALGEBRA, R.d)
    case("cosine as a function", [R.d <= F.cossim(R.v, R.w) * R.v], ALGEBRA, R.d)
    case("graph with negative", [R.d <= -R.v + R.w], ALGEBRA, R.d)
    case("weighed head over a graph", [R.d[matrix(1, 2, 4)] <= F.tanh(R.v + R.w)], ALGEBRA, R.d)
    case("reverse gate", [R.d <= F.reverse(F.sigmoid(R.v)) * R.w + F.sigmoid(R.v) * R.v], ALGEBRA, R.d)

    # Types.
    case("types filter", [(R.d <= (R.n(V.X("t")), R.n(V.Y))) | [A.SUM]], [R.n(C.a("t"))[1.0], R.n(C.b("t"))[0.5], R.n(C.z("u"))[0.25]], R.d)
    case("types in a head", [(R.d(V.X("t")) <= R.n(V.X("t")))], [R.n(C.a("t"))[1.0], R.n(C.b("u"))[0.5]], R.d(C.a("t")))
    case("types of two arguments", [(R.d <= R.n(V.X("t"), V.Y("u"))) | [A.SUM]], [R.n(C.a("t"), C.b("u"))[1.0], R.n(C.c("u"), C.d("t"))[0.5]], R.d)
    case("types in the template", [R.emb(C.a("t"))[V2], (R.d <= (R.emb(V.X("t")), R.n(V.X("t")))) | [A.SUM]], [R.n(C.a("t"))[0.5], R.n(C.b("t"))[0.25]], R.d)

    # Duplicates.
    for flag in (True, False):
        case(f"duplicate groundings {flag}, mean", [(R.d(V.X) <= (R.smokes(V.X), R.hidden.friend(V.X, V.Y), R.hidden.vec(V.Z))) | Metadata(aggregation=A.SUM, duplicate_grounding=flag)], PEOPLE, R.d(C.ann))
        case(f"duplicate groundings {flag}, mean of two", [(R.d <= (R.smokes(V.X), R.hidden.friend(V.X, V.Y))) | Metadata(aggregation=A.AVG, duplicate_grounding=flag)], PEOPLE + [R.friend(C.cid, C.ann), R.friend(C.ann, C.cid)], R.d)
    case("counted once for count", [(R.d(V.X) <= (R.smokes(V.X), R.hidden.friend(V.X, V.Y), R.hidden.vec(V.Z))) | [A.COUNT]], PEOPLE, R.d(C.ann))
    case("guards alone", [(R.d(V.X) <= (R.hidden.smokes(V.X), R.hidden.vec(V.Z))) | [A.SUM]], PEOPLE, R.d(C.ann))
    case("symmetric bodies", [(R.d <= (R.smokes(V.X), R.smokes(V.Y), S.neq(V.X, V.Y))) | [A.SUM]], PEOPLE, R.d)

    # Weights.
    case("number of one", [R.d[1.0] <= (R.v[1.0], R.w[1.0])], ALGEBRA, R.d)
    case("a name in head and body", [R.d(V.X)["q": 0.5] <= (R.friend(V.X, V.Y)["q": 0.5], R.smokes(V.X)["z": -2.0])], PEOPLE, R.d(C.ann))
    case("a fixed name", [R.d["q": A2].fixed() <= R.v["q2": B2].fixed()], ALGEBRA, R.d)
    case("row weight", [R.d[[[0.5, -0.25]]] <= R.v], ALGEBRA, R.d)
    case("column weight of a number", [R.d[[0.5, -0.25]] <= R.k], ALGEBRA, R.d)
    case("weights on guards are nothing", [R.d <= (R.v, R.hidden.k)], ALGEBRA, R.d)
    case("weighted fact of a vector", [R.bias[V2], R.d <= (R.v, R.bias)], ALGEBRA, R.d)
    case("weighted fact, weighed", [R.bias[V2], R.d <= (R.v, R.bias[A2])], ALGEBRA, R.d)
    case("weights of two rules of one head", [R.d[A2] <= R.v, R.d[B2] <= R.w, R.d / 0 | [T.SIGMOID]], ALGEBRA, R.d)
    case("chains of rules", [R.d1[A2] <= R.v, R.d2[B2] <= R.d1, R.d3[A2] <= R.d2, R.d1 / 0 | [T.TANH], R.d2 / 0 | [T.RELU], R.d3 / 0 | [T.SIGMOID]], ALGEBRA, R.d3)

    # Modules with other options.
    module("linear, tanh", lambda: modules.Linear(2, 3, "o", "x", activation=T.TANH), GRAPH, R.o(1))
    module("linear, arity 2", lambda: modules.Linear(2, 3, "o", "x", arity=2), SERIES, R.o(C.s, 2))
    module("mlp, activations", lambda: modules.MLP([2, 4, 4, 1], "o", "x", activation=[T.TANH, T.RELU, T.SIGMOID]), GRAPH, R.o(2))
    module("gcn, relu, mean", lambda: modules.GCNConv(2, 3, "o", "x", "e", activation=T.RELU, aggregation=A.AVG), GRAPH, R.o(2))
    module("gcn, max", lambda: modules.GCNConv(2, 3, "o", "x", "e", aggregation=A.MAX, normalize=False), GRAPH, R.o(2))
    module("gcn, no loops", lambda: modules.GCNConv(2, 3, "o", "x", "e", add_self_loops=False), GRAPH, R.o(1))
    module("sage, sum, tanh", lambda: modules.SAGEConv(2, 3, "o", "x", "e", activation=T.TANH, aggregation=A.SUM), GRAPH, R.o(1))
    module("sage, max", lambda: modules.SAGEConv(2, 3, "o", "x", "e", aggregation=A.MAX), GRAPH, R.o(2))
    module("gin, sigmoid", lambda: modules.GINConv(2, 3, "o", "x", "e", activation=T.SIGMOID), GRAPH, R.o(4))
    module("gine, eps", lambda: modules.GINEConv(2, "x", "e", "o", eps=0.3), LINKS, R.o(2))
    module("gine, learned eps", lambda: modules.GINEConv(2, "x", "e", "o", train_eps=True), LINKS, R.o(2))
    module("gen, sum", lambda: modules.GENConv(2, 3, "o", "x", "e", aggregation=A.SUM, edge_dim=2), LINKS, R.o(2))
    module("gen, one layer", lambda: modules.GENConv(2, 2, "o", "x", "e", num_layers=1, edge_dim=2), LINKS, R.o(2))
    module("gatv2, shared", lambda: modules.GATv2Conv(2, 3, "o", "x", "e", share_weights=True), GRAPH, R.o(1))
    module("gatv2, no loops, slope", lambda: modules.GATv2Conv(2, 3, "o", "x", "e", add_self_loops=False, negative_slope=0.4), GRAPH, R.o(2))
    module("rgcn, sum", lambda: modules.RGCNConv(2, 3, "o", "x", "e", ["p", "q"], aggregation=A.SUM), KINDS, R.o(2))
    module("rgcn, relations", lambda: modules.RGCNConv(2, 3, "o", "x", None, ["p", "q"]), [R.p(1, 2), R.q(2, 1), R.p(3, 2)] + GRAPH[6:9], R.o(2))
    module("tag, three", lambda: modules.TAGConv(2, 3, "o", "x", "e", k=3), GRAPH, R.o(2))
    module("tag, bare", lambda: modules.TAGConv(2, 3, "o", "x", "e", k=1, normalize=False, activation=T.TANH), GRAPH, R.o(1))
    module("sg, one", lambda: modules.SGConv(2, 3, "o", "x", "e"), GRAPH, R.o(2))
    module("sg, three, bare", lambda: modules.SGConv(2, 3, "o", "x", "e", k=3, normalize=False, add_self_loops=False), GRAPH, R.o(4))
    module("appnp, two", lambda: modules.APPNPConv("o", "x", "e", 2, 0.25), GRAPH, R.o(2))
    module("appnp, bare", lambda: modules.APPNPConv("o", "x", "e", 2, 0.25, normalize=False, add_self_loops=False, activation=T.TANH), GRAPH, R.o(1))
    module("gated, tanh", lambda: modules.ResGatedGraphConv(2, 3, "o", "x", "e", gating_activation=T.TANH, activation=T.RELU), GRAPH, R.o(2))
    module("rnn, relu", lambda: modules.RNN(2, 3, "h", "x", "h0", activation=T.RELU), SERIES, R.h(C.s, 4))
    module("gru, later", lambda: modules.GRU(2, 3, "h", "x", "h0"), SERIES, R.h(C.s, 2))
    module("lstm, later", lambda: modules.LSTM(2, 3, "h", "x", "h0", "c0"), SERIES, R.h(C.s, 4))
    module("attention of three", lambda: modules.Attention(4, "o", "tok", "tok", "tok"), WORDS, R.o(2))
    module("four heads", lambda: modules.MultiheadAttention(4, 4, "o", "tok", "tok", "tok"), WORDS, R.o(2))
    module("encoder of words", lambda: modules.TransformerEncoder(4, 2, 3, "o", "tok"), WORDS, R.o(1))
    module("decoder", lambda: modules.TransformerDecoder(4, 2, 3, "o", "tok", "mem"), WORDS + [R.mem(i)[numbers(4, i + 20)] for i in range(3)], R.o(1))
    module("transformer", lambda: modules.Transformer(4, 2, 3, "o", "tok", "tgt"), WORDS + [R.tgt(i)[numbers(4, i + 20)] for i in range(3)], R.o(1))
    module("mean pooling", lambda: modules.AvgPooling("o", "x"), GRAPH, R.o)
    module("max pooling of arity 2", lambda: modules.MaxPooling("o", "x", input_arity=2), SERIES, R.o)
    module("positional encoding of four", lambda: modules.PositionalEncoding(4, 6, "o", "tok"), WORDS, R.o(3))
    module("magnn mean", lambda: modules.MAGNNMean("o", "x", "rel", "type", ["a", "b", "a"]), GRAPH[6:] + [R.rel(1, 2), R.rel(2, 3), R.rel(3, 4), R.type(1, C.a), R.type(2, C.b), R.type(3, C.a), R.type(4, C.b)], R.o(1))
    module("magnn linear", lambda: modules.MAGNNLinear(2, 3, "o", "x", "rel", "type", ["a", "b", "a"]), GRAPH[6:] + [R.rel(1, 2), R.rel(2, 3), R.rel(3, 4), R.type(1, C.a), R.type(2, C.b), R.type(3, C.a), R.type(4, C.b)], R.o(1))
    module("meta", lambda: modules.MetaConv(2, 3, "o", "x", "role", ["p", "q"]), KINDS[4:] + [R.role(1, C.p, 2), R.role(2, C.q, 1), R.role(3, C.p, 2)], R.o(2))

    # Templates of its documents.
    case("doc: same type", [R.h(V.X) <= (R.feature(V.Y), R.type(V.X, V.Type), R.type(V.Y, V.Type), R.edge(V.Y, V.X))], COLOURED, R.h(3))
    case("doc: features of types", [R.h(V.X) <= (R.feature(V.Y), R.type_feature(V.Type), R.type(V.Y, V.Type), R.edge(V.Y, V.X))], COLOURED, R.h(3))
    case("doc: hyperedges", [R.h(V.X) <= (R.feature(V.Y), R.feature(V.Z), R.edge(V.Y, V.Z, V.X)), R.h(V.X) <= (R.feature(V.Y), R.edge(V.Y, V.X))], HYPER, R.h(5))
    case("doc: own node apart", [R.l1(V.X) <= (R.feature(V.Y), R.edge(V.Y, V.X)), R.l1(V.X) <= R.feature(V.X)], COLOURED, R.l1(3))
    case("doc: second neighbours", [R.l1(V.X) <= (R.feature(V.Z), R.edge(V.Y, V.X), R.edge(V.Z, V.Y), S.alldiff(...))], COLOURED, R.l1(3))
    case("doc: alldiff of all", [R.h(V.X) <= (R.feature(V.X), R.edge(V.Y, V.Z), S.alldiff(...))], COLOURED, R.h(1))
    case("doc: layers together", [R.l1(V.X)[matrix(3, 3, 2)] <= (R.feature(V.Y), R.edge(V.Y, V.X)), R.l2(V.X)[matrix(3, 3, 4)] <= (R.l1(V.Y), R.edge(V.Y, V.X)), R.final(V.X) <= (R.feature(V.X), R.l1(V.X), R.l2(V.X))], COLOURED, R.final(3))
    case("doc: nearby", [R.nearby(V.X, V.Y) <= R.connected(V.X, V.Y, V.L), R.nearby(V.X, V.Y) <= (R.connected(V.X, V.Z, V.L), R.connected(V.Z, V.Y, V.L))], TOWN, R.nearby(C.court, C.cross))
    case("doc: reachable", [R.reachable(V.X, V.Y) <= R.connected(V.X, V.Y, V.L), R.reachable(V.X, V.Y) <= (R.connected(V.X, V.Z, V.L), R.reachable(V.Z, V.Y))], TOWN, R.reachable(C.bond, C.cross))
    case("doc: underscore hides", [R.h(V.X) <= (R.feature(V.Y), R._edge(V.X, V.Y))], COLOURED, R.h(2))
    case("doc: metadata of a rule", [(R.h <= (R.feature(V.X), R.type_feature(V.T))) | Metadata(transformation=T.RELU, aggregation=A.AVG)], COLOURED, R.h)
    case("false", [R.h(V.X) <= (R.feature(V.X), S.false), R.h(V.X) <= R.feature(V.X)], COLOURED, R.h(2))
    module("two heads, masked", lambda: modules.MultiheadAttention(2, 2, "o", "x", "x", "x", mask_name="mask"), GRAPH + [R.mask(h, i, j) for h in (0, 1) for i in range(1, 5) for j in range(1, 5) if j <= i], R.o(3))
    module("attention, masked", lambda: modules.Attention(2, "o", "x", "x", "x", mask_name="mask"), GRAPH + [R.mask(i, j) for i in range(1, 5) for j in range(1, 5) if j <= i], R.o(3))
    module("rvnn", lambda: modules.RvNN(2, "o", "x", "up"), LEAVES, R.o(C.s, C.r))
    module("rvnn, mean", lambda: modules.RvNN(2, "o", "x", "up", aggregation=A.AVG, activation=T.RELU), LEAVES, R.o(C.s, C.r))
    module("encoder, masked", lambda: modules.TransformerEncoder(2, 1, 3, "o", "x", mask_name="mask"), GRAPH + [R.mask(i, j) for i in range(1, 5) for j in range(1, 5) if j <= i], R.o(3))
    general = [R.general(V.X)[0.7] <= (R.e(V.Y, V.X), R.charge(V.Y)[-0.4]), R.general(V.X)[0.3] <= R.charge(V.Y)[0.9]]
    case("doc: a head variable that nothing binds", general, CIRCLES, R.general(3))
    case("doc: triangles", general + [
        R.triangle(V.X)[0.6] <= (R.e(V.X, V.Y), R.charge(V.Y)[0.2], R.e(V.Y, V.Z), R.charge(V.Z)[0.4], R.e(V.Z, V.X), R.charge(V.X)[-0.8]),
        (R.predict(V.X) <= R.general(V.X)[1.1]) | [T.SIGMOID], (R.predict(V.X) <= R.triangle(V.X)[-0.5]) | [T.SIGMOID]], CIRCLES, R.predict(2))
    case("doc: cliques", general + [
        R.clique(V.X)[0.6] <= (R.charge(V.X)[0.3], R.e(V.X, V.Y), R.charge(V.Y)[0.2], R.e(V.X, V.Z), R.charge(V.Z)[0.5], R.e(V.Y, V.Z), S.alldiff(V.X, V.Y, V.Z)),
        (R.predict(V.X) <= R.clique(V.X)[0.8]) | [T.SIGMOID], (R.predict(V.X) <= R.general(V.X)[0.8]) | [T.SIGMOID]], CIRCLES, R.predict(1))
    case("doc: shortest path", [(R.way(V.X, V.Y) <= R.road(V.X, V.Y, V.L)) | Metadata(aggregation=A.MIN),
                                (R.way(V.X, V.Y) <= (R.road(V.X, V.Z, V.L), R.way(V.Z, V.Y))) | Metadata(aggregation=A.MIN), R.way / 2 | Metadata(combination=B.MIN)],
         [R.road(a, b, l)[d] for a, b, l, d in [("p", "q", "x", 7), ("q", "r", "x", 9), ("p", "s", "y", 14), ("s", "t", "y", 21), ("q", "t", "z", 12), ("r", "t", "z", 3), ("s", "q", "z", 2)]], R.way(C.p, C.t))
    case("doc: named weights", [R.h(V.X)["a": 0.5] <= (R.e(V.X, V.Y)["b": -0.3], R.charge(V.Y)["c": 1.5])], CIRCLES, R.h(1))
    case("doc: readout", [R.h(V.X) <= (R.e(V.X, V.Y), R.charge(V.Y)), R.h(V.X) <= R.charge(V.X), R.q <= R.h(V.X)], CIRCLES, R.q)
    case("doc: max and sigmoid", [(R.h(V.X) <= R.e(V.X, V.Y)) | [A.MAX, T.SIGMOID], R.h / 1 | [T.SIGMOID]], CIRCLES, R.h(1))
    layers = [R.kind(k)[round(0.3 * k - 0.5, 2)] for k in range(1, 4)]
    for i in range(1, 5):
        below = (lambda x: R.node(x, V.M)) if i == 1 else (lambda x, i=i: R.get(f"layer{i - 1}")(x))
        layers += [R.get(f"layer{i}")(V.A)[0.1 * i + 0.2] <= (below(V.N)[0.5], R.kind(V.B)[-0.7], R._link(V.N, V.A, V.B)), R.get(f"layer{i}")(V.A)[0.8] <= below(V.A)[0.3 * i]]
    layers += [R.mutagenic(V.M)[1.3] <= (R.layer1(V.A)[0.2], R.layer2(V.A)[-0.4], R.layer3(V.A)[0.6], R.layer4(V.A)[0.1], R.node(V.A, V.M)[-0.2]), R.mutagenic / 1 | [T.SIGMOID]]
    case("doc: four layers over a database", layers, [R.node(i, C.m)[round(0.15 * i - 0.4, 2)] for i in range(1, 6)] + [R.link(i, j, k) for i, j, k in [(1, 2, 1), (2, 1, 1), (2, 3, 2), (3, 2, 2), (3, 4, 3), (4, 3, 3), (4, 5, 1), (5, 4, 1)]], R.mutagenic(C.m))
