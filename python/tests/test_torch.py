"""Rules in torch: gradients against differences, values against the engine, the state, and what is refused."""

from __future__ import annotations

import copy
import io
import itertools
import json
import warnings
from typing import Any

import numpy as np
import pytest
from conftest import command

import lrnn

torch = pytest.importorskip("torch", reason="no torch: lrnn.torch is NOT tested")

from lrnn.torch import Bound, Module, enlarge  # noqa: E402

GRAPH = """0.31 p(a), 0.62 p(b), 0.87 p(c), 0.45 e(a, b), 0.71 e(b, c), 0.93 e(a, c), kind(a, x), kind(b, y), kind(c, x), succ(a, b), succ(b, c),
[0.3, -0.2] v(a), [0.7, 0.4] v(b), [-0.5, 0.9] v(c).
0.55 p(a), 0.27 p(b), 0.83 e(a, b), 0.14 e(b, a), kind(a, y), kind(b, z), succ(a, b), [0.6, 0.1] v(a), [-0.3, 0.8] v(b)."""
NUMBERS = "w[K] :: l(X) :- p(X), kind(X, K).\nu :: l(X) :- p(Y), 0.4 :: e(X, Y).\nb :: out :- l(X), p(X)."


def numbers(options: str = "", family: str = "max_sigmoid") -> str:
    """Returns the template of numbers, with options for each rule."""
    rules = NUMBERS.replace(".\n", f". {options}\n") + f" {options}"
    return f":- family({family}).\n{rules}"


FAMILIES = ["max_sigmoid", "avg_sigmoid", "godel", "lukasiewicz", "neuralogic"]
AGGREGATIONS = ["max", "min", "mean", "sum", "count", "product", "softmax"]
COMBINATIONS = ["sum", "min", "max", "mean", "product", "element-product"]
ACTIVATIONS = ["identity", "sigmoid", "tanh", "softplus", "exp", "leaky-relu", "square", "reverse", "sqrt", "log"]
TEMPLATES = {
    **{f"family {name}": numbers(family=name) for name in FAMILIES},
    "family lukasiewicz": ":- family(lukasiewicz).\nw = 0.8 :: out :- p(X), u = 0.9 :: e(X, Y).",
    **{f"aggregation {name}": numbers(f"[aggregation = {name}]") for name in AGGREGATIONS},
    **{f"combination {name}": numbers(f"[combination = {name}, activation = tanh]") for name in COMBINATIONS},
    **{f"activation {name}": f"b :: out :- p(X). [activation = {name}, aggregation = mean]" for name in ACTIVATIONS},
    "matrices": "m = {3, 2} :: h(X) :- v(X). [activation = tanh]\nr = {1, 3} :: out :- h(X), p(X). [aggregation = mean]",
    "vectors at an index": "m[K] = {2, 2} :: h(X) :- v(X), kind(X, K).\nr = {1, 2} :: out :- h(X), *e(X, Y).",
    "products of vectors": "h(X) :- v(X), n = {2} :: p(X). [combination = element-product]\nr = {1, 2} :: out :- h(X).",
    "concatenation": "h(X, Y) :- v(X), v(Y), *e(X, Y). [combination = concat]\nr = {1, 4} :: out :- h(X, Y). [aggregation = mean]",
    "sums across": "h(X, Y) :- v(X), v(Y), *e(X, Y). [combination = cross-sum, activation = tanh]\nr = {1, 4} :: s(X, Y) :- h(X, Y).\n"
    "q = {2, 1} :: out :- s(X, Y).",
    "flat concatenation": "h(X, Y) :- v(X), v(Y), *e(X, Y). [combination = concat-flat]\nr = {1, 4} :: out :- h(X, Y).",
    "softmax of inputs": "h(X, Y) :- v(X), v(Y), *e(X, Y). [combination = softmax]\nr = {1, 4} :: out :- h(X, Y).",
    "sparsemax of inputs": "h(X, Y) :- v(X), v(Y), *e(X, Y). [combination = sparsemax]\nr = {1, 4} :: out :- h(X, Y).",
    "cosine": "out :- m = {2, 2} :: v(X), v(Y), *e(X, Y). [combination = cosine, aggregation = mean]",
    "count of inputs": "w :: out :- p(X), e(X, Y). [combination = count, aggregation = mean]",
    "softmax": "m = {2, 2} :: out :- v(X). [activation = softmax, aggregation = mean]",
    "vectors asked": "m = {3, 2} :: out :- v(X), p(X). [activation = tanh, aggregation = sum]",
    "recursion": "r(X) :- p(X). \nw :: r(X) :- p(X), *succ(X, Y), r(Y). [activation = tanh]\nout :- r(X). [aggregation = mean]",
    "soft negation": "w :: out :- ~p(X), e(X, Y).",
    "offsets": ":- family(avg_sigmoid).\nw :: l(X) :- p(X). [offset = b]\nu :: out :- l(X), 0.3 :: p(X).",
    "facts of the template": "g[K] :: likes(K).\nw :: out :- likes(K), p(X), *kind(X, K).",
}


def test_gradients_are_tested_over_everything_that_is_listed() -> None:
    listed = json.loads(command("list", "--json").stdout)
    texts = "\n".join(TEMPLATES.values())
    assert {it["name"] for it in listed["families"]} == {name.replace("_", "-") for name in FAMILIES}
    for kind in ("aggregation", "combination"):
        missing = [it["name"] for it in listed[f"{kind}s"] if f"{kind} = {it['name']}" not in texts]
        assert missing == [], f"no template has the {kind} {missing}"
    assert len(TEMPLATES) >= 20


def graph() -> lrnn.Dataset:
    return lrnn.Dataset.parse(GRAPH, "out.\nout.", one=False)


def grounded(text: str) -> Bound:
    rules = Module(text, inputs={"p": 1, "e": 2, "v": 1}, dtype=torch.float64, seed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rules.ground(graph())


def values_of(bound: Bound) -> dict[str, Any]:
    """Returns the values of the inputs as they are in the data, as tensors that want gradients."""
    def value(fact: tuple[Any, ...]) -> Any:
        return fact[0] if not isinstance(fact[0], str) else 1.0

    return {
        name: torch.tensor([value(fact) for _, fact in facts], dtype=torch.float64, requires_grad=True)
        for name, facts in bound.facts.items()
    }


@pytest.mark.parametrize("name", TEMPLATES)
def test_gradients_are_those_of_differences(name: str) -> None:
    bound = grounded(TEMPLATES[name])
    weights = {key: it.detach().clone().requires_grad_() for key, it in bound.named_parameters()}
    inputs = values_of(bound)

    def compute(*tensors: Any) -> Any:
        own = dict(zip(weights, tensors))
        given = dict(zip(inputs, tensors[len(weights) :]))
        return torch.func.functional_call(bound, own, kwargs=given)["out"]

    everything = (*weights.values(), *inputs.values())
    assert torch.autograd.gradcheck(compute, everything, eps=1e-6, atol=1e-6)
    gradients = torch.autograd.grad(compute(*everything).sum(), everything)
    assert "count" in name or any((it != 0).any() for it in gradients), "nothing depends on anything"


@pytest.mark.parametrize("name", TEMPLATES)
def test_values_are_those_of_the_engine(name: str) -> None:
    bound = grounded(TEMPLATES[name])
    given = bound(**values_of(bound))["out"]
    assert torch.equal(given, bound()["out"])
    answers = bound.model().predict(graph())
    np.testing.assert_allclose(given.detach().numpy().ravel(), np.ravel(np.asarray(list(answers.values))), atol=1e-12)


def test_weights_start_where_fit_starts() -> None:
    data = graph().with_queries([(1.0, "out"), (0.0, "out")])
    started = lrnn.fit(numbers(), data, epochs=0, optimizer="adam", seed=5, precision="f64").model
    rules = Module(numbers(), dtype=torch.float64, seed=5)
    bound = rules.ground(data)
    assert bound.model("cross-entropy").weights.keys() == started.weights.keys()
    for name in started.weights:
        np.testing.assert_array_equal(bound.model().weights[name], started.weights[name])
    again = Module(numbers(), from_model=started, dtype=torch.float64)
    assert torch.equal(again.ground(data)()["out"], bound()["out"])


def test_a_step_is_a_step_of_fit() -> None:
    data = graph().with_queries([(1.0, "out"), (0.0, "out")])
    settings = {"loss": "squared", "optimizer": "sgd", "learning_rate": 0.1, "batch": 0, "precision": "f64"}
    learned = lrnn.fit(numbers(), data, epochs=7, evaluate=7, seed=5, **settings).model
    rules = Module(numbers(), dtype=torch.float64, seed=5)
    bound = rules.ground(data)
    optimizer = torch.optim.SGD(rules.parameters(), lr=0.1)
    for _ in range(7):
        optimizer.zero_grad()
        loss = 0.5 * ((bound()["out"] - torch.tensor([1.0, 0.0])) ** 2).mean()
        loss.backward()
        optimizer.step()
    for name in learned.weights:
        np.testing.assert_allclose(bound.model().weights[name], learned.weights[name], atol=1e-12)


def test_the_type_of_the_tensors_is_followed() -> None:
    rules = Module(NUMBERS, inputs={"p": 1})
    bound = rules.ground(graph())
    single = torch.full((5,), 0.5, requires_grad=True)
    double = single.detach().double().requires_grad_()
    near, far = bound(p=single)["out"], bound(p=double)["out"]
    assert (near.dtype, far.dtype) == (torch.float32, torch.float64)
    assert torch.allclose(near.double(), far, atol=1e-5)
    far.sum().backward()
    assert double.grad is not None and double.grad.dtype == torch.float64
    assert all(it.grad is not None and it.grad.dtype == torch.float32 for it in rules.parameters())
    assert rules.double().ground(graph())()["out"].dtype == torch.float64


def test_values_need_no_tape_without_gradients() -> None:
    bound = grounded(NUMBERS)
    with torch.no_grad():
        assert not bound()["out"].requires_grad
    kept = bound()["out"].sum()
    kept.backward(retain_graph=True)
    first = [it.grad.clone() for it in bound.parameters()]
    kept.backward()
    assert all(torch.allclose(it.grad, 2 * before) for it, before in zip(bound.parameters(), first))


def test_gradients_do_not_depend_on_threads_or_neighbours() -> None:
    some = lrnn.Dataset.parse("\n".join([GRAPH] * 200), "\n".join(["out."] * 400), one=False)
    found = []
    for threads in (1, 2, 5):
        rules = Module(NUMBERS, inputs={"p": 1}, seed=1)
        bound = rules.ground(some, threads=threads)
        values = torch.linspace(0.1, 0.9, 1000, requires_grad=True)
        out = bound(p=values)["out"]
        out.square().sum().backward()
        found.append([out.detach(), values.grad, *(it.grad for it in rules.parameters())])
    assert found[0][0].shape == (400,)
    for others in found[1:]:
        assert all(torch.equal(one, other) for one, other in zip(found[0], others))
    alone = Module(NUMBERS, inputs={"p": 1}, seed=1).ground(some[:2])
    assert torch.equal(alone(p=torch.linspace(0.1, 0.9, 1000)[:5])["out"], found[0][0][:2])


def test_the_state_goes_round() -> None:
    rules = Module(NUMBERS, inputs={"p": 1}, seed=1)
    data = graph()
    bound = rules.ground(data)
    with torch.no_grad():
        for it in rules.parameters():
            it.normal_(generator=torch.Generator().manual_seed(2))
    file = io.BytesIO()
    torch.save(rules.state_dict(), file)
    file.seek(0)
    state = torch.load(file, weights_only=True)
    expected = bound()["out"]
    fresh = Module(NUMBERS, inputs={"p": 1}, seed=9)  # before data
    fresh.load_state_dict(state)
    assert torch.equal(fresh.ground(data)()["out"], expected)
    other = Module(NUMBERS, inputs={"p": 1}, seed=9)  # after data whose rows come in another order
    turned = lrnn.Dataset.parse("0.5 p(b), e(b, c), kind(b, new), kind(b, z), kind(b, y), e(c, b).", "out.", one=False)
    other.ground(turned)
    new = other.weights["w"][other.indices["w"].index("new")].item()
    other.load_state_dict(state)
    assert torch.equal(other.ground(data)()["out"], expected)
    assert other.weights["w"][other.indices["w"].index("new")].item() == new
    twin = copy.deepcopy(rules)
    assert torch.equal(twin.ground(data)()["out"], expected)
    bound.load_state_dict(bound.state_dict())
    assert torch.equal(bound()["out"], expected)


def test_new_values_of_an_index_enlarge_the_table() -> None:
    rules = Module("w[K] :: out :- p(X), kind(X, K).", seed=1)
    optimizer = torch.optim.Adam(rules.parameters(), lr=0.1)  # before there is data
    first = rules.ground(graph())
    assert rules.indices == {"w": ["x", "y", "z"]}
    table = rules.weights["w"]

    def step(bound: Bound) -> None:
        optimizer.zero_grad()
        bound()["out"].sum().backward()
        optimizer.step()

    before = table.detach().clone()
    step(first)
    assert (table != before).all()
    kept = table.detach().clone()
    more = lrnn.Dataset.parse("p(a), kind(a, fresh), kind(a, y).", "out.", one=False)
    second = rules.ground(more)
    assert rules.weights["w"] is table and rules.indices["w"][3] == "fresh"
    assert torch.equal(table[:3], kept)
    enlarge(optimizer)
    step(second)
    assert (table[3] != rules.seed) and table.shape == (4,)
    assert torch.isfinite(first()["out"]).all()


def test_outputs_are_named_by_predicate() -> None:
    data = lrnn.Dataset.parse("0.5 p(a), 0.4 p(b), [1, 2] v(a).", one=True)
    data = data.with_queries([[("q", "a"), "r", ("q", "b"), ("s", "a"), ("r", "a")]])
    text = "q(X) :- p(X).\nr :- p(X).\nr(X) :- p(X).\ns(X) :- v(X)."
    bound = Module(text).ground(data)
    found = {name: tuple(it.shape) for name, it in bound().items()}
    assert found == {"q": (2,), "r/0": (1,), "s": (1, 2), "r/1": (1,)}
    assert [query.atom for query in bound.queries["q"]] == ["q(a)", "q(b)"]


def test_what_is_outside_the_model_is_said() -> None:
    data = lrnn.Dataset.parse("p(a).", one=True).with_queries([[("q", "a"), ("q", "b")]])
    with pytest.warns(UserWarning, match="1 of 2 queries follow from no rule, the first of them q\\(b\\)"):
        bound = Module("w :: q(X) :- p(X).").ground(data, unentailed=-1.0)
    assert bound()["q"][1] == -1.0
    bound()["q"].sum().backward()


def test_what_is_refused_is_said() -> None:
    bound = Module(NUMBERS, inputs={"p": 1}).ground(graph())
    with pytest.raises(lrnn.UsageError, match="for 5 facts"):
        bound(p=torch.ones(4))
    with pytest.raises(lrnn.UsageError, match="q is no input"):
        bound(q=torch.ones(5))
    with pytest.raises(lrnn.UsageError, match="float32 or float64"):
        bound(p=torch.ones(5, dtype=torch.float16))
    with pytest.raises(lrnn.UsageError, match="is on meta: rules are computed on the processor"):
        bound(p=torch.ones(5, device="meta"))
    with pytest.raises(lrnn.UsageError, match="no facts of the input horse/3"):
        Module(NUMBERS, inputs={"horse": 3}).ground(graph())
    with pytest.raises(lrnn.UsageError, match="the data has no queries"):
        Module(NUMBERS).ground(lrnn.Dataset.parse("p(a).", one=True))
    with pytest.raises(lrnn.UsageError, match="there is no loss `nothing`"):
        bound.model("nothing")
    with pytest.raises(lrnn.UsageError, match="no second derivatives"):
        torch.autograd.grad(bound()["out"].sum(), bound.rules.weights["b"], create_graph=True)


def test_facts_that_nobody_asks_for_have_no_gradient() -> None:
    data = lrnn.Dataset.parse("0.5 p(a), 0.4 p(b), 0.3 p(c).", one=True).with_queries([("q", "b")])
    bound = Module("w :: q(X) :- p(X).", inputs={"p": 1}).ground(data)
    values = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)
    bound(p=values)["q"].sum().backward()
    assert values.grad is not None
    assert values.grad[[0, 2]].tolist() == [0.0, 0.0] and values.grad[1] != 0


def test_equal_facts_are_inputs_of_their_own() -> None:
    data = lrnn.Dataset.parse("\n".join(["p(a), p(b)."] * 3), "\n".join(["q(a)."] * 3), one=False)
    bound = Module("q(X) :- p(X).", inputs={"p": 1}).ground(data)
    values = torch.arange(6.0).reshape(3, 2).requires_grad_()
    out = bound(p=values)["q"]
    assert len(set(out.tolist())) == 3
    assert bound.facts["p"][3] == (1, ("p", "b"))


def test_every_kind_of_name_is_a_parameter() -> None:
    text = "'a.b' :: q :- p.\ntraining :: q :- r.\n'x%2E'[K] :: q :- s(K).\n0.5 :: q :- t.\n<0.7> :: q :- u."
    facts = ["p", "r", ("s", 1), "t", "u"]
    data = lrnn.Dataset()
    data.add(facts, query="q")
    rules = Module(text)
    bound = rules.ground(data)
    names = set(bound.model().weights)
    assert {"'a.b'", "training", "'x%2E'[1]", "rule 4"} <= names and not any("0.7" in name for name in names)
    bound()["q"].sum().backward()
    assert all(it.grad is not None for it in rules.parameters())
    fresh = Module(text)
    fresh.load_state_dict(rules.state_dict())
    assert torch.equal(fresh.ground(data)()["q"], bound()["q"])


def test_many_modules_in_one() -> None:
    """Rules between two networks, in a container of torch, learn end to end."""
    data = graph()
    rules = Module(":- family(neuralogic).\nm = {1, 2} :: out :- v(X).", inputs={"v": 1})
    bound = rules.ground(data)
    torch.manual_seed(0)
    below, above = torch.nn.Linear(3, 2), torch.nn.Linear(1, 1)
    whole = torch.nn.ModuleList([below, bound, above])
    optimizer = torch.optim.Adam(whole.parameters(), lr=0.05)
    seen, losses = torch.randn(5, 3), []
    for _ in itertools.repeat(None, 60):
        optimizer.zero_grad()
        answer = above(bound(v=below(seen))["out"][:, None])[:, 0]
        loss = ((answer - torch.tensor([1.0, -1.0])) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.05 * losses[0]
