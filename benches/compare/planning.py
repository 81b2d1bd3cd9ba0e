"""Compares values with NeuraLogic's on planning policies: `python planning.py --lrnn ../../target/release/lrnn [NAME]...`

62 policies over five domains of planning: blocks, a ferry, satellites, rovers and transport. A policy gives every
applicable action of a state a value. Twelve for each domain are relational networks over the objects (layers, widths,
activations, aggregations; with and without goals; a head for actions or for objects) and rules written by hand (derived
predicates, negation, guards without terms; crisp, with a weight each, with vectors); two more have predicates of three
terms alone. States are random. Each is computed by NeuraLogic, rendered as text by it, read by `lrnn` as it is, and compared
to 1e-6 on up to four actions. It needs `pip install neuralogic` and Java.
"""

import argparse
import itertools
import random
import sys

import agree  # says so where NeuraLogic is not there
from agree import A, F, R, V

X, Y, Z, W, U = (getattr(V, name) for name in "XYZWU")


class Domain:
    """Types, predicates with the types of their terms, goals, actions with their conditions, rules by hand."""

    def __init__(self, name, types, predicates, goals, actions, derived, advice):
        self.name, self.types, self.predicates, self.goals = name, types, predicates, goals
        self.actions, self.derived, self.advice = actions, derived, advice

    def state(self, seed):
        """Objects, facts that hold, and goals, each reached or not."""
        draw = random.Random(f"{self.name} {seed}")
        objects = {kind: [f"{kind}{number}" for number in range(count)] for kind, count in self.types.items()}
        facts = {(kind, (name,)) for kind, names in objects.items() for name in names}
        for predicate, kinds in self.predicates.items():
            all_terms = list(itertools.product(*(objects[kind] for kind in kinds)))
            terms = [terms for terms in all_terms if len(set(terms)) == len(terms)]
            draw.shuffle(terms)
            facts |= {(predicate, chosen) for chosen in terms[: max(2, len(terms) // 3)]}
        for predicate in self.goals:
            kinds = self.predicates[predicate]
            for _ in range(4):
                chosen = tuple(draw.choice(objects[kind]) for kind in kinds)
                reached = (predicate, chosen) in facts
                facts.add((f"{'ag' if reached else 'ug'}_{predicate}", chosen))
        for predicate in self.goals:  # of each kind one, so that no predicate is without facts
            chosen = next(terms for name, terms in sorted(facts) if name == predicate)
            facts.add((f"ag_{predicate}", chosen))
            kinds = self.predicates[predicate]
            facts.add((f"ug_{predicate}", tuple(draw.choice(objects[kind]) for kind in kinds)))
        return facts


def variables(kinds):
    return [getattr(V, f"{kind.capitalize()}{number}") for number, kind in enumerate(kinds)]


def applicable(domain):
    """What makes an action applicable, as rules of weight 1."""
    for name, (kinds, condition) in domain.actions.items():
        terms = variables(kinds)
        yield R.get(f"applicable_{name}")(*terms) <= tuple(condition(*terms))


def network(domain, dim, layers, activation, aggregation, goals=True, objects=False):
    """A network over the objects of a state, with a head for each action or for each object."""
    rules = list(applicable(domain))
    known = dict(domain.predicates)
    if goals:
        known |= {f"{mark}_{name}": domain.predicates[name] for name in domain.goals for mark in ("ag", "ug")}
    for kind in domain.types:
        rules.append((R.h_0(X) <= R.get(kind)(X)[dim, 1]) | [aggregation])
    for name, kinds in known.items():
        if len(kinds) == 1:
            rules.append((R.h_0(X) <= R.get(name)(X)[dim, 1]) | [aggregation])
    rules.append(R.h_0 / 1 | [activation])
    for layer in range(1, layers + 1):
        here, before = R.get(f"h_{layer}"), R.get(f"h_{layer - 1}")
        rules.append(here(X) <= before(X)[dim, dim])
        for name, kinds in known.items():
            terms = [X, Y, Z][: len(kinds)]
            if len(kinds) == 1:
                continue
            for own in terms:
                others = [before(term)[dim, dim] for term in terms if term is not own]
                rules.append((here(own) <= (R.get(name)(*terms)[dim, 1], *others)) | [activation, aggregation])
        rules.append(here / 1 | [activation])
    last = R.get(f"h_{layers}")
    if objects:
        rules.append((R.choose(X)[1, dim] <= last(X)[dim, dim]) | [activation])
        return rules
    for name, (kinds, _) in domain.actions.items():
        terms = variables(kinds)
        body = [R.get(f"applicable_{name}")(*terms)[dim, 1]] + [last(term)[dim, dim] for term in terms]
        rules.append((R.get(name)(*terms)[1, dim] <= tuple(body)) | [activation, aggregation])
    return rules


def by_hand(domain, dim, guards=False):
    """Rules written by hand: without weights for width 0, else each literal that is no negation has its own."""

    def weighted(literal, inner):
        if dim == 0 or literal.negated:
            return literal
        if dim == 1:
            return literal[0.1 * (3 + len(literal.predicate.name) % 7)]
        return literal[dim, dim] if inner else literal[dim, 1]

    inner = {head.predicate.name for head, _ in domain.derived}
    rules = list(applicable(domain))
    for head, body in domain.derived:
        rules.append(head <= tuple(weighted(literal, literal.predicate.name in inner) for literal in body))
    for name, terms, body in domain.advice:
        body = [R.get(f"applicable_{name}")(*terms), *body]
        body = [weighted(literal, literal.predicate.name in inner) for literal in body]
        if guards:
            body.append(~R.get(f"some_{guards}"))
        action = R.get(name)(*terms)
        rules.append((action[1, dim] if dim > 1 else action) <= tuple(body))
    if guards:
        kinds = domain.actions[guards][0]
        rules.append(R.get(f"some_{guards}") <= R.get(f"applicable_{guards}")(*variables(kinds)))
    return rules


B1, B2 = variables(["block", "block"])
BLOCKS = Domain(
    "blocks", {"block": 5}, {"on": ["block", "block"], "clear": ["block"], "table": ["block"], "holding": ["block"]}, ["on", "clear"],
    {"stack": (["block", "block"], lambda a, b: [R.holding(a), R.clear(b)]),
     "unstack": (["block", "block"], lambda a, b: [R.on(a, b), R.clear(a)]),
     "pick_up": (["block"], lambda a: [R.clear(a), R.table(a)]),
     "put_down": (["block"], lambda a: [R.holding(a)])},
    [(R.well_placed(B1), [R.table(B1), R.ag_on(B1, B2)]), (R.above(B1, B2), [R.on(B1, B2)]),
     (R.wrong(B1), [R.ug_on(B1, B2), R.clear(B2)])],
    [("stack", [B1, B2], [R.ug_on(B1, B2)]), ("unstack", [B1, B2], [R.above(B1, B2), ~R.ag_on(B1, B2)]),
     ("pick_up", [B1], [R.wrong(B1)]), ("put_down", [B1], [R.holding(B1), ~R.wrong(B1)])])

C0, L1, L2 = V.Car0, V.Place1, V.Place2
FERRY = Domain(
    "ferry", {"car": 4, "place": 4}, {"at": ["car", "place"], "on_board": ["car"], "ferry_at": ["place"], "empty_at": ["place"]}, ["at"],
    {"board": (["car", "place"], lambda c, l: [R.at(c, l), R.ferry_at(l)]),
     "debark": (["car", "place"], lambda c, l: [R.on_board(c), R.ferry_at(l)]),
     "sail": (["place", "place"], lambda a, b: [R.ferry_at(a), R.place(b)])},
    [(R.wanted(L1), [R.ug_at(C0, L1), R.on_board(C0)]), (R.waiting(L1), [R.at(C0, L1), R.ug_at(C0, L2)])],
    [("debark", [C0, L1], [R.ug_at(C0, L1)]), ("board", [C0, L1], [R.waiting(L1), ~R.ag_at(C0, L1)]),
     ("sail", [V.Place0, L1], [R.wanted(L1)]), ("sail", [V.Place0, L1], [R.waiting(L1), ~R.ferry_at(L1)])])

S0, D1, D2, I1, M2 = V.Satellite0, V.Direction1, V.Direction2, V.Instrument1, V.Mode2
SATELLITE = Domain(
    "satellite", {"satellite": 2, "instrument": 3, "mode": 2, "direction": 4},
    {"on_board": ["instrument", "satellite"], "supports": ["instrument", "mode"], "pointing": ["satellite", "direction"],
     "power_on": ["instrument"], "calibrated": ["instrument"], "target": ["instrument", "direction"],
     "image": ["direction", "mode"], "took": ["satellite", "direction", "mode"]}, ["image", "pointing"],
    {"turn_to": (["satellite", "direction", "direction"], lambda s, new, old: [R.pointing(s, old), R.direction(new)]),
     "switch_on": (["instrument", "satellite"], lambda i, s: [R.on_board(i, s)]),
     "calibrate": (["satellite", "instrument", "direction"], lambda s, i, d: [R.on_board(i, s), R.pointing(s, d), R.target(i, d)]),
     "take_image": (["satellite", "direction", "instrument", "mode"],
                    lambda s, d, i, m: [R.calibrated(i), R.on_board(i, s), R.supports(i, m), R.pointing(s, d)])},
    [(R.able(S0, I1, M2), [R.supports(I1, M2), R.on_board(I1, S0)]), (R.needed(I1), [R.ug_image(D1, M2), R.supports(I1, M2)])],
    [("take_image", [S0, D1, I1, M2], [R.ug_image(D1, M2), R.able(S0, I1, M2)]),
     ("switch_on", [I1, S0], [R.needed(I1), ~R.power_on(I1)]), ("calibrate", [S0, I1, D1], [R.needed(I1), ~R.calibrated(I1)]),
     ("turn_to", [S0, D1, D2], [R.ug_pointing(S0, D1)]), ("turn_to", [S0, D1, D2], [R.needed(I1), R.target(I1, D1), ~R.calibrated(I1)])])

R0, P1, P2, O1 = V.Rover0, V.Point1, V.Point2, V.Target1
ROVERS = Domain(
    "rovers", {"rover": 2, "point": 4, "target": 3, "camera": 2},
    {"at": ["rover", "point"], "road": ["rover", "point", "point"], "sample": ["point"], "full": ["rover"],
     "carried": ["camera", "rover"], "visible": ["target", "point"], "analysed": ["rover", "point"], "sent": ["point"]}, ["sent", "analysed"],
    {"go": (["rover", "point", "point"], lambda r, a, b: [R.at(r, a), R.road(r, a, b)]),
     "take": (["rover", "point"], lambda r, p: [R.at(r, p), R.sample(p)]),
     "photograph": (["rover", "point", "target", "camera"],
                    lambda r, p, o, c: [R.at(r, p), R.visible(o, p), R.carried(c, r)]),
     "send": (["rover", "point"], lambda r, p: [R.analysed(r, p)])},
    [(R.goal(P1), [R.ug_sent(P1), R.sample(P1)]), (R.near(R0, P1), [R.road(R0, P1, P2), R.ug_sent(P2)])],
    [("take", [R0, P1], [R.goal(P1), ~R.full(R0)]), ("send", [R0, P1], [R.ug_sent(P1)]),
     ("go", [R0, P1, P2], [R.near(R0, P1)]), ("go", [R0, P1, P2], [R.goal(P2), ~R.at(R0, P2)]),
     ("photograph", [R0, P1, V.Target2, V.Camera3], [R.visible(V.Target2, P1)])])

T0, Q1, Q2, G0 = V.Truck0, V.City1, V.City2, V.Parcel0
TRANSPORT = Domain(
    "transport", {"truck": 2, "city": 4, "parcel": 3, "size": 3},
    {"at": ["parcel", "city"], "parked": ["truck", "city"], "road": ["city", "city"], "inside": ["parcel", "truck"],
     "room": ["truck", "size"], "next_size": ["size", "size"], "closed": ["city"]}, ["at"],
    {"drive": (["truck", "city", "city"], lambda t, a, b: [R.parked(t, a), R.road(a, b)]),
     "load": (["truck", "city", "parcel", "size"], lambda t, c, p, s: [R.parked(t, c), R.at(p, c), R.room(t, s)]),
     "unload": (["truck", "city", "parcel"], lambda t, c, p: [R.parked(t, c), R.inside(p, t)])},
    [(R.toward(T0, Q1), [R.inside(G0, T0), R.ug_at(G0, Q1)]), (R.pending(Q1), [R.at(G0, Q1), R.ug_at(G0, Q2)])],
    [("unload", [T0, Q1, V.Parcel2], [R.ug_at(V.Parcel2, Q1)]), ("load", [T0, Q1, V.Parcel2, V.Size3], [R.pending(Q1), ~R.ag_at(V.Parcel2, Q1)]),
     ("drive", [T0, V.City1, Q2], [R.toward(T0, Q2), ~R.closed(Q2)]), ("drive", [T0, V.City1, Q2], [R.pending(Q2)])])

DOMAINS = [BLOCKS, FERRY, SATELLITE, ROVERS, TRANSPORT]


def policies():
    """All policies by name: the domain and its rules."""
    for domain in DOMAINS:
        first = next(iter(domain.actions))
        made = {
            "network 1 layer": lambda: network(domain, 2, 1, F.tanh, A.AVG),
            "network 2 layers": lambda: network(domain, 3, 2, F.tanh, A.SUM),
            "network 3 layers": lambda: network(domain, 2, 3, F.sigmoid, A.AVG),
            "wide network": lambda: network(domain, 8, 2, F.relu, A.AVG),
            "network of the best": lambda: network(domain, 1, 2, F.tanh, A.MAX),
            "network without goals": lambda: network(domain, 3, 2, F.tanh, A.AVG, goals=False),
            "network of objects": lambda: network(domain, 3, 2, F.tanh, A.SUM, objects=True),
            "narrow network of objects": lambda: network(domain, 1, 1, F.sigmoid, A.AVG, objects=True),
            "rules": lambda: by_hand(domain, 0),
            "weighted rules": lambda: by_hand(domain, 1),
            "rules of vectors": lambda: by_hand(domain, 3),
            "guarded rules": lambda: by_hand(domain, 1, guards=first),
        }
        for name, make in made.items():
            yield f"{domain.name}: {name}", domain, make()
    for domain in (SATELLITE, ROVERS):
        triples = {name: kinds for name, kinds in domain.predicates.items() if len(kinds) != 2}
        rules = network(domain, 2, 2, F.tanh, A.AVG)
        dropped = [name for name, kinds in domain.predicates.items() if name not in triples and name not in domain.goals]
        yield f"{domain.name}: network of triples", domain, [
            rule for rule in rules
            if not (getattr(rule, "head", None) is not None and rule.head.predicate.name.startswith("h_")
                    and rule.body and rule.body[0].predicate.name in dropped)]


def asked(domain, rules, facts):
    """Actions, or objects, of a state: those that some rule may give, up to four."""
    terms = {name: [found for kind, found in sorted(facts) if kind == name] for name in domain.types}
    heads = {rule.head.predicate.name for rule in rules if hasattr(rule, "head")}
    if "choose" in heads:
        return [R.choose(agree.C.get(name[0])) for kind in domain.types for name in terms[kind][:1]][:4]
    found = []
    for name, (kinds, condition) in domain.actions.items():
        for chosen in itertools.product(*(terms[kind] for kind in kinds)):
            constants = [term[0] for term in chosen]
            needs = condition(*constants)
            if name in heads and all((need.predicate.name, tuple(map(str, need.terms))) in facts for need in needs):
                found.append(R.get(name)(*map(agree.C.get, constants)))
    random.Random(1).shuffle(found)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lrnn", required=True, help="the command")
    parser.add_argument("--text", action="store_true", help="print the texts of policies that differ")
    parser.add_argument("name", nargs="*", help="the policies whose names contain one of these; all if there is none")
    options = parser.parse_args()
    agree.neuralogic.initialize()
    import jpype

    jpype.java.util.logging.LogManager.getLogManager().reset()
    good, bad, values = 0, [], []
    for name, domain, rules in policies():
        if options.name and not any(part in name for part in options.name):
            continue
        rules, facts = agree.filled(rules), domain.state(1)
        example = [R.get(predicate)(*map(agree.C.get, terms)) for predicate, terms in sorted(facts)]
        compared, reasons = 0, []
        for query in asked(domain, rules, facts):
            if compared == 4:
                break
            mine, _ = agree.ours(options.lrnn, rules, example, query)
            try:
                theirs = agree.peer(rules, example, query)
            except Exception as error:
                theirs = None if mine == 0.0 else f"nothing: {str(error).splitlines()[0][:100]}"
            if theirs is None:
                continue  # neither gives the action a value
            compared += 1
            values.append(mine)
            if not agree.agree(theirs, mine):
                reasons.append(f"{query} NeuraLogic {theirs}, lrnn {mine}")
        if compared and not reasons:
            good += 1
            continue
        bad.append(name)
        print(f"{name}: {'; '.join(reasons) or 'no action has a value'}")
        if options.text:
            print("    " + "\n    ".join(map(str, rules)))
    kinds = len({str(value) for value in values})
    print(f"{good} policies agree ({len(values)} values, {kinds} different, {values.count(0.0)} are 0), {len(bad)} differ")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
