"""Texts for `texts.py`, in NeuraLogic's own notation: written from its grammar, before its answers were seen."""

PEOPLE = "smokes(ann), 0.4 smokes(bob), friend(ann, bob), 0.7 friend(bob, cid), friend(cid, ann), 0.2 friend(cid, bob)."
CELLS = "0.1 n(1), 0.7 n(2), -0.4 n(3), 1.2 n(5), edge(1, 2), edge(2, 3), edge(3, 5), edge(1, 3), edge(2, 5)."
VECTORS = "[0.3, -0.8] v(1), [1.5, 0.2] v(2), [-0.6, 0.9] v(3), edge(1, 2), edge(1, 3), edge(2, 3), edge(3, 1)."
TYPED = "0.5 p(t:a), 0.7 p(t:b), -0.3 p(u:c), r(t:a, u:c), 0.6 r(t:b, u:c), r(t:a, t:b), q(t:b)."

STEEP = "the slope of its lukasiewicz lacks the factor 6 of its value"


def cases(case):
    # Numbers.
    case("plus signs", "$w=+0.25 h(X) :- $b=+1.5 p(X).", "+0.5 p(a), +2 p(b).", "+0.3 h(a).")
    case("plus signs in vectors", "$w=[+0.25, -1.5] h(X) :- p(X).", "+0.5 p(a).", "[+0.3, +1] h(a).")
    case("plus signs without a name", "+0.25 h(X) :- +1.5 p(X), +2 q.", "+0.5 p(a), +2 p(b), +0.1 q.", "0.3 h(a).")
    case("a fixed plus", "<+0.25> h(X) :- $b=+1.5 p(X).", "+0.5 p(a).", "0.3 h(a).")
    case("exponents", "$w=1.5e-1 h(X) :- $b=2.0E+0 p(X).", "5.0e-1 p(a).", "0.3 h(a).")
    case("whole numbers", "$w=2 h(X) :- $b=-1 p(X).", "3 p(a), -1 p(b).", "0 h(a), 1 h(b).")
    case("a weight of zero", "$w=0 h(X) :- $b=0.0 p(X), q(X).", "3 p(a), 0 q(a).", "0.5 h(a).")
    case("numbers as constants", "$w=0.5 h(X) :- n(X), edge(X, +2).", CELLS, "0.3 h(1).", told=["E0136"])
    case("decimal constants", "$w=0.5 h(X) :- p(X, 1.5).", "p(a, 1.5), 0.4 p(b, -2.25).", "0.3 h(a).")
    case("negative constants", "$w=0.5 h(X) :- p(X, -2).", "p(a, 1), 0.4 p(b, -2).", "0.3 h(b).")

    # Names.
    case("names with hyphens", "$w-1=0.5 my-pred(X) :- $w-2=0.7 c-ar(X), *b-1(X, the-one).", "0.4 c-ar(a-1), b-1(a-1, the-one).", "0.3 my-pred(a-1).")
    case("names with capitals and digits", "$wA1=0.5 hasRing6(X1) :- atomC(X1), *isIn_2(X1, aB).", "0.4 atomC(a1), isIn_2(a1, aB).", "0.3 hasRing6(a1).")
    case("a predicate called true", "$w=0.5 true(X) :- p(X).", "0.4 p(a).", "0.3 true(a).")
    case("empty brackets", "$w=0.5 h() :- $b=0.3 p(), q.", "0.4 p, 2 q().", "0.3 h.")
    case("variables with a mark", "$w=0.5 h(_X) :- p(_X, _Y1), q(_Y1).", "0.4 p(a, b), 0.6 p(a, c), q(b), 0.2 q(c).", "0.3 h(a).")
    case("anonymous variables", "$w=0.5 h(X) :- p(X, _), q(_, X).", "0.4 p(a, b), 0.6 p(a, c), q(b, a), 0.2 q(c, a).", "0.3 h(a).", told=["T0607"])
    case("one anonymous variable", "$w=0.5 h(X) :- p(X, _).", "0.4 p(a, b), 0.6 p(a, c).", "0.3 h(a).")
    case("comments", "% first\n$w=0.5 h(X) :- /* between /* nested */ */ p(X). % last\n", "0.4 p(a). % fact\n", "0.3 h(a). /* end */")
    case("several rules on one line", "$w=0.5 h(X) :- p(X). $u=0.3 h(X) :- q(X). $g=1.5 g :- h(X).", "0.4 p(a), 0.7 q(a), 0.1 q(b).", "0.3 g.")
    case("a rule over several lines", "$w=0.5\nh(X)\n:-\np(X),\n   *q(X)\n.", "0.4 p(a), q(a).", "0.3 h(a).")
    case("the other arrow", "$w=0.5 h(X) <= p(X).\n$u=0.2 g <= h(X), <= .", "0.4 p(a).", "0.3 h(a).")
    case("the other arrow alone", "$w=0.5 h(X) <= $b=-0.4 p(X), *q(X).", "0.4 p(a), q(a).", "0.3 h(a).")

    # Offsets and metadata.
    case("offset of a rule", "$w=0.5 h(X) :- $b=0.3 p(X), $o=0.25.", "0.4 p(a), 0.8 p(b).", "0.3 h(a), 0.1 h(b).")
    case("offset without a name", "$w=0.5 h(X) :- $b=0.3 p(X), -0.75.", "0.4 p(a).", "0.3 h(a).")
    case("fixed offset", "$w=0.5 h(X) :- $b=0.3 p(X), <0.25>.", "0.4 p(a).", "0.3 h(a).")
    case("offset with a plus", "$w=0.5 h(X) :- $b=0.3 p(X), +0.25.", "0.4 p(a).", "0.3 h(a).")
    case("offset and sigmoid", "$w=0.5 h(X) :- $b=0.3 p(X), $o=0.25. [transformation=sigmoid]", "0.4 p(a).", "0.3 h(a).")
    case("offset and several ground rules", "$w=0.5 h(X) :- $b=0.3 p(X, Y), $o=0.25. [transformation=tanh, aggregation=sum]", "0.4 p(a, b), 0.9 p(a, c).", "0.3 h(a).")
    case("offset of a vector", "$w=0.5 h(X) :- v(X), <[0.25, -0.5]>. [transformation=tanh]", VECTORS, "[0.3, 0.1] h(1).")
    case("offset of a predicate", "$w=0.5 h(X) :- $b=0.3 p(X).\nh/1 $o=0.25", "0.4 p(a).", "0.3 h(a).")
    case("offset of a predicate, fixed", "$w=0.5 h(X) :- $b=0.3 p(X).\nh/1 <0.25>", "0.4 p(a).", "0.3 h(a).")
    case("offset of a predicate, plus", "$w=0.5 h(X) :- $b=0.3 p(X).\nh/1 +0.25", "0.4 p(a).", "0.3 h(a).")
    case("offset among metadata", "$w=0.5 h(X) :- $b=0.3 p(X).\nh/1 [offset=0.25, transformation=tanh]", "0.4 p(a).", "0.3 h(a).")
    case("offset of a rule among metadata", "$w=0.5 h(X) :- $b=0.3 p(X). [offset=0.25, transformation=tanh]", "0.4 p(a).", "0.3 h(a).", mistake="an offset among the options of a rule is left out, one in the body is not")
    case("activation and transformation", "$w=0.5 h(X) :- $b=0.3 p(X). [activation=tanh]\nh/1 [activation=sigmoid]", "0.4 p(a).", "0.3 h(a).")
    for name in "sigmoid tanh signum relu leakyrelu lukasiewicz exp sqrt inverse reverse identity log norm layernorm softmax sparsemax transpose transp max min sigm leaky_relu".split():
        mistake = STEEP if name == "lukasiewicz" else ""
        case(f"transformation {name}", f"$w=0.5 h(X) :- $b=0.3 p(X). [transformation={name}]", "0.4 p(a).", "0.3 h(a).", mistake=mistake)
        case(f"transformation {name} of a vector's predicate", f"$w=0.5 h(X) :- v(X).\nh/1 [transformation={name}]\n$u=0.5 g :- h(X). [aggregation=sum]", VECTORS.replace("-", ""), "[0.3, 0.1] g.")
    for name in "avg max min sum count product elproduct softmax sparsemax crosssum concat cossim dot".split():
        case(f"combination {name}", f"$w=0.5 h(X) :- $b=0.3 p(X), $c=0.9 q(X). [combination={name}]", "0.4 p(a), 0.9 q(a).", "0.3 h(a).", told=["T0604", "T0605"])
        case(f"combination {name} of a predicate", f"$w=0.5 h(X) :- $b=0.3 p(X).\n$u=0.4 h(X) :- $c=0.9 q(X).\nh/1 [combination={name}]", "0.4 p(a), 0.9 q(a).", "0.3 h(a).", told=["T0604", "T0605"])
        case(f"aggregation {name}", f"$w=0.5 h(X) :- $b=0.3 p(X, Y). [aggregation={name}]", "0.4 p(a, b), 0.9 p(a, c), -0.3 p(a, d).", "0.3 h(a).", told=["T0604", "T0605", "E0211"])
        case(f"aggregation {name} of vectors", f"$w=0.5 h(X) :- v(Y), *edge(X, Y). [aggregation={name}]", VECTORS, "[0.3, 0.1] h(1).", told=["T0604", "T0605", "E0211"])
    case("three options of a rule", "$w=0.5 h(X) :- $b=0.3 p(X, Y), $c=-0.8 q(Y). [transformation=tanh, combination=max, aggregation=sum]", "0.4 p(a, b), 0.9 p(a, c), 0.1 q(b), -0.7 q(c).", "0.3 h(a).")
    case("options in another order", "$w=0.5 h(X) :- $b=0.3 p(X, Y), $c=-0.8 q(Y). [aggregation=max, combination=product, transformation=sigmoid]", "0.4 p(a, b), 0.9 p(a, c), 0.1 q(b), -0.7 q(c).", "0.3 h(a).")
    case("no options", "$w=0.5 h(X) :- p(X). []", "0.4 p(a).", "0.3 h(a).")
    case("options of several rules of a head", "$w=0.5 h(X) :- p(X, Y). [aggregation=max]\n$u=-0.3 h(X) :- p(X, Y). [aggregation=min, transformation=tanh]\n$t=0.8 h(X) :- p(X, Y). [aggregation=sum]\nh/1 [transformation=sigmoid]", "0.4 p(a, b), 0.9 p(a, c).", "0.3 h(a).")
    case("options of a predicate twice", "$w=0.5 h(X) :- p(X).\nh/1 [transformation=tanh]\nh/1 [combination=max]\n$u=0.7 h(X) :- q(X).", "0.4 p(a), 0.9 q(a).", "0.3 h(a).")
    case("a predicate without its arity", "$w=0.5 h(X) :- p(X).\nh [transformation=tanh]", "0.4 p(a).", "0.3 h(a).", told=["E0130"])
    case("capitals in functions", "$w=0.5 h(X) :- p(X). [transformation=tANH]", "0.4 p(a).", "0.3 h(a).")
    case("weight metadata, not learnable", "$w=0.5 h(X) :- $b=0.3 p(X).\n$b [learnable=false]", "0.4 p(a).", "0.3 h(a).")
    case("weight metadata, value", "$w=0.5 h(X) :- $b=0.3 p(X).\n$b [value=0.9]", "0.4 p(a).", "0.3 h(a).")
    case("weight metadata, initial value", "$w=0.5 h(X) :- $b=0.3 p(X).\n$b [initValue=0.9]", "0.4 p(a).", "0.3 h(a).")
    case("template metadata", "[learnable=true]\n$w=0.5 h(X) :- $b=0.3 p(X).", "0.4 p(a).", "0.3 h(a).", told=["E0105"])
    case("rule metadata, not learnable", "$w=0.5 h(X) :- $b=0.3 p(X). [learnable=false]", "0.4 p(a).", "0.3 h(a).")
    case("an option nobody knows", "$w=0.5 h(X) :- $b=0.3 p(X). [colour=red]", "0.4 p(a).", "0.3 h(a).", told=["E0202"])

    # Negation.
    case("soft negation", "$w=0.5 h(X) :- $b=0.3 p(X), ~q(X).", "0.4 p(a), 0.9 q(a).", "0.3 h(a).")
    case("soft negation, weighed", "$w=0.5 h(X) :- $b=0.3 p(X), $c=0.7 ~q(X). [transformation=tanh]", "0.4 p(a), 0.9 q(a).", "0.3 h(a).")
    case("negation by failure", "$w=0.5 h(X) :- $b=0.3 p(X), !q(X).", "0.4 p(a), 0.9 q(b), 0.1 p(b).", "0.3 h(a).")
    case("hidden negation", "$w=0.5 h(X) :- $b=0.3 p(X), !*q(X).", "0.4 p(a), 0.9 q(b), 0.1 p(b).", "0.3 h(a).")
    case("hidden negation of two variables", "$w=0.5 h :- $b=0.3 smokes(X), smokes(Y), !*friend(X, Y). [aggregation=sum]", PEOPLE, "0.3 h.")
    case("hidden negation with types", "$w=0.5 h(t:X) :- $b=0.3 p(t:X), !*q(t:X).", TYPED, "0.3 h(t:a).")
    case("hidden negation of a typed pair", "$w=0.5 h :- $b=0.3 p(t:X), $c=0.8 p(u:Y), !*q(t:X), r(t:X, u:Y). [aggregation=sum]", TYPED, "0.3 h.")
    case("negation of a derived one", "$a=0.4 both(X, Y) :- friend(X, Y), friend(Y, X).\n$w=0.5 h :- $b=0.3 friend(X, Y), !both(X, Y). [aggregation=sum]", PEOPLE + "", "0.3 h.")
    case("two negations", "$w=0.5 h(X) :- $b=0.3 n(X), !*edge(X, 2), !*edge(X, 3).", CELLS, "0.3 h(2).")

    # Types.
    case("types", "$w=0.5 h :- $b=0.3 p(t:X). [aggregation=sum]", TYPED, "0.3 h.")
    case("types of both", "$w=0.5 h :- $b=0.3 r(t:X, u:Y), p(t:X). [aggregation=max]", TYPED, "0.3 h.")
    case("a typed constant in a rule", "$w=0.5 h :- $b=0.3 r(t:a, u:Y), p(u:Y).", TYPED, "0.3 h.")
    case("an untyped variable over typed constants", "$w=0.5 h :- $b=0.3 p(X). [aggregation=sum]", TYPED, "0.3 h.")
    case("an untyped constant", "$w=0.5 h :- $b=0.3 p(a).", TYPED, "0.3 h.", mistake="`a` of a template is not `t:a` of an example, but `a` and `t:a` of one example are the same")

    # Guards.
    for guard in ["@alldiff(X, Y)", "@neq(X, Y)", "@lt(X, Y)", "@leq(X, Y)", "@gt(X, Y)", "@geq(X, Y)", "@eq(X, Y)", "@next(X, Y)", "@in(X, 1, 2)", "@in(Y, X)",
                  "@maxcard(1, X, Y)", "@maxcard(2, X, Y)", "@anypred", "@true", "@truepred", "@add(X, 1, Y)", "@sub(Y, 1, X)", "@mod(Y, 2, X)", "*@neq(X, Y)", "@alldiff", "!@neq(X, Y)", "!*@in(X, 1, 2)"]:
        case(f"guard {guard}", f"$w=0.5 h :- $b=0.3 n(X), $c=-0.9 n(Y), {guard}. [aggregation=sum, combination=product]", CELLS, "0.3 h.", told=["E0105", "E0118"])
    case("next from a number", "$w=0.5 h(Y) :- $b=0.3 n(Y), @next(2, Y).", CELLS, "0.3 h(3).")
    case("values of terms", "$w=0.5 h(X) :- $b=0.3 n(X), @add_eval(X, 2), @mul_eval(X, X). [combination=sum]", CELLS, "0.3 h(3).")
    case("a value of terms, weighed", "$w=0.5 h(X) :- $b=0.3 n(X), $c=0.25 @div_eval(X, 4).", CELLS, "0.3 h(3).")
    case("hidden and plain of one predicate", "$w=0.5 h(X) :- $b=0.3 edge(X, Y), *edge(Y, Z), n(Z). [aggregation=sum]", CELLS, "0.3 h(1).")
    case("a weight on a hidden literal", "$w=0.5 h(X) :- $b=0.3 n(X), $c=0.7 *edge(X, Y).", CELLS, "0.3 h(1).", told=["E0115"])
    case("a hidden head", "$w=0.5 *h(X) :- $b=0.3 n(X).\n$u=0.8 g :- *h(X), n(X). [aggregation=sum]", CELLS, "0.3 g.")
    case("hidden facts alone", "$w=0.5 h(X) :- *n(X), *edge(X, Y).", CELLS, "0.3 h(1).")
    case("counting by guards", "$w=0.5 h(X) :- $b=0.3 n(X), *edge(X, Y). [aggregation=sum]", CELLS, "0.3 h(1).")
    case("counting by guards, mean", "$w=0.5 h :- $b=0.3 n(X), *edge(X, Y).", CELLS, "0.3 h.")
    case("counting by guards, count", "$w=0.5 h :- n(X), *edge(X, Y). [aggregation=count]", CELLS, "0.3 h.")

    # Facts of the template, of examples, and rules in them.
    case("learnable facts of the template", "$a=0.4 prior(ann). $b=-0.2 prior(bob).\n$w=0.5 h :- $c=0.8 prior(X), smokes(X). [aggregation=sum]", PEOPLE, "0.3 h.")
    case("facts in a row", "0.4 prior(ann), <0.7> prior(bob), prior(cid).\n$w=0.5 h :- $c=0.8 prior(X), friend(X, Y). [aggregation=sum]", PEOPLE, "0.3 h.", told=["E0113"])
    case("fixed facts of the template", "<0.4> prior(ann). <-0.2> prior(bob).\n$w=0.5 h :- $c=0.8 prior(X), smokes(X). [aggregation=sum]", PEOPLE, "0.3 h.")
    case("a fact shared by name", "$a=0.4 prior(ann). $a=0.4 prior(bob).\n$w=0.5 h :- $c=0.8 prior(X), smokes(X). [aggregation=sum]", PEOPLE, "0.3 h.")
    case("a learnable vector", "$a=[0.4, -0.2] bias.\n$w=0.5 h(X) :- v(X), bias. [transformation=tanh]", VECTORS, "[0.3, 0.1] h(1).")
    case("a fact of both", "$a=0.4 smokes(cid).\n$w=0.5 h :- $c=0.8 smokes(X). [aggregation=sum]", PEOPLE, "0.3 h.")
    case("a fact of the template with a variable", "$a=0.4 prior(X).\n$w=0.5 h(X) :- prior(X), smokes(X).", PEOPLE, "0.3 h(ann).")
    case("values of examples are not learned", "$w=0.5 h(X) :- $c=0.8 smokes(X).", "$x=0.7 smokes(ann), <0.4> smokes(bob).", "0.3 h(ann).")
    case("a sparse vector", "$w=0.5 h :- p. [transformation=tanh]", "[3|0: 1.5, 2: -0.25] p.", "[0.3, 0.1, 0] h.")
    case("a sparse vector in brackets", "$w=0.5 h :- p. [transformation=tanh]", "[4|(0: 1.5), (3: -0.25)] p.", "[0.3, 0.1, 0, 1] h.")
    case("a sparse vector, close", "$w=0.5 h :- p. [transformation=tanh]", "[3|0:1.5,2:0.25] p.", "[0.3, 0.1, 0] h.")
    case("an empty sparse vector", "$w=0.5 h :- p, q.", "[2|] p, [0.5, 1] q.", "[0.3, 0.1] h.")
    case("a sparse matrix", "$w=0.5 h :- p, v. [combination=product]", "[2, 2|0, 1: 1.5, 1, 0: -0.25] p, [0.5, 1] v.", "[0.3, 0.1] h.")
    case("a rule in the example", "$w=0.5 h :- $c=0.8 near(X). [aggregation=sum]", "near(X) :- p(X). 0.3 p(a), 0.5 p(b).", "0.3 h.", told=["D0101"])
    case("the same rule twice", "$w=0.5 h(X) :- p(X).\n$w=0.5 h(X) :- p(X).", "0.4 p(a).", "0.3 h(a).")
    case("the same rule with two weights", "$w=0.5 h(X) :- p(X).\n$u=0.3 h(X) :- p(X).", "0.4 p(a).", "0.3 h(a).")
    case("the same fact twice", "$w=0.5 h(X) :- p(X).", "0.4 p(a), 0.4 p(a).", "0.3 h(a).")

    # Heads.
    case("a free variable of a head", "$w=0.5 h(X, Y) :- $b=0.3 p(X).", "0.4 p(a), 0.9 q(b).", "0.3 h(a, b).")
    case("a constant in a head", "$w=0.5 h(a, X) :- $b=0.3 p(X).\n$u=0.8 h(X, X) :- p(X).", "0.4 p(a), 0.9 p(b).", "0.3 h(a, b), 0.4 h(a, a).")
    case("recursion", "$w=0.5 reach(X, Y) :- edge(X, Y).\n$u=0.8 reach(X, Z) :- edge(X, Y), reach(Y, Z). [transformation=tanh]", CELLS, "0.3 reach(1, 5).")
    case("one predicate of two arities", "$w=0.5 h(X) :- $b=0.3 h(X, Y).\n$u=0.8 h(X, Y) :- edge(X, Y), n(Y).", CELLS, "0.3 h(1).")
    case("two layers of shared weights", "$w=0.5 h(X) :- $b=0.3 n(X).\n$w=0.5 g(X) :- $b=0.3 h(X), edge(X, Y). [transformation=tanh]", CELLS, "0.3 g(1).")

    # Queries.
    case("several queries of a line", "$w=0.5 h(X) :- $b=0.3 n(X).", CELLS, "0.3 h(1), 0.7 h(2), -1 h(3).")
    case("queries line by line", "$w=0.5 h(X) :- $b=0.3 n(X).", CELLS, "0.3 h(1).\n0.7 h(2).\n-1 h(3).")
    case("a query with a variable", "$w=0.5 h(X) :- $b=0.3 n(X).", CELLS, "0.3 h(X).")
    case("a query with a variable and a constant", "$w=0.5 h(X, Y) :- $b=0.3 n(X), edge(X, Y).", CELLS, "0.3 h(1, Y).")
    case("two examples", "$w=0.5 h(X) :- $b=0.3 n(X).", "0.4 n(1).\n0.9 n(1).", "0.3 h(1).\n0.7 h(1).")
    case("examples with their labels", "$w=0.5 h(X) :- $b=0.3 n(X).", "0.3 h(1) :- 0.4 n(1).\n0.7 h(2) :- 0.9 n(2).", "")
    case("two labels of an example", "$w=0.5 h(X) :- $b=0.3 n(X).", "0.3 h(1), 0.9 h(2) :- 0.4 n(1), -0.3 n(2).", "")
    case("queries by id", "$w=0.5 h(X) :- $b=0.3 n(X).", "first :- 0.4 n(1).\nsecond :- 0.9 n(1).", "second :- 0.3 h(1).\nfirst :- 0.7 h(1).")
    case("queries by id with importance", "$w=0.5 h(X) :- $b=0.3 n(X).", "first :- 0.4 n(1).\nsecond :- 0.9 n(1).", "2.5 second :- 0.3 h(1).\n0.5 first :- 0.7 h(1).", importance=3)
    case("a query with a variable and importance", "$w=0.5 h(X) :- $b=0.3 n(X).", "first :- 0.4 n(1), 0.1 n(2).\nsecond :- 0.9 n(1).", "2.5 first :- 0.3 h(X).\n0.5 second :- 0.7 h(1).", importance=5.5)
    case("several queries of an id", "$w=0.5 h(X) :- $b=0.3 n(X).", "first :- 0.4 n(1), 0.1 n(2).\nsecond :- 0.9 n(1).", "first :- 0.3 h(1), 0.2 h(2).\nsecond :- 0.7 h(1).")
    case("a query outside the model", "$w=0.5 h(X) :- $b=0.3 n(X).", CELLS, "0.3 h(4), 0.5 h(1).")
    case("a query of a vector", "$w=0.5 h(X) :- v(X). [transformation=sigmoid]", VECTORS, "[0.3, 0.1] h(1), [0, 1] h(2).")
