"""What the comparisons with NeuraLogic have in common: its functions in our words, and when values agree."""

HEADER = ":- family(neuralogic).\n:- atom_activation(identity).\n:- rule_activation(identity).\n"


def flat(value):
    return [x for part in value for x in flat(part)] if isinstance(value, list) else [float(value)]


def agree(a, b):
    if isinstance(a, str) or isinstance(b, str):
        return False
    a, b = flat(a), flat(b)
    return len(a) == len(b) and all(abs(x - y) <= 1e-6 * (1 + abs(x)) for x, y in zip(a, b))
