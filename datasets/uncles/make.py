#!/usr/bin/env python3
"""Makes a family and questions about it: python3 make.py. The same seed, the same bytes.

Who is whose parent is given; asked is who is an uncle and who is a grandmother. Three answers in ten are turned round.
"""
import itertools
import pathlib
import random

FAMILIES, NOISE = 16, 0.3
rng = random.Random(5)
people, parents = [], {}


def born(of=None):
    name = f"p{len(people)}"
    people.append((name, rng.random() < 0.5))
    parents[name] = of
    return name


for _ in range(FAMILIES):
    generation = [(born(), born()) for _ in range(2)]
    for _ in range(2):
        children = [born(couple) for couple in generation for _ in range(rng.choice([2, 2, 3]))]
        # Each marries somebody from elsewhere, or nobody.
        generation = [(child, born()) for child in children if rng.random() < 0.7]
    for couple in generation:
        born(couple)
male = dict(people)


def is_parent(one, other):
    return parents[other] is not None and one in parents[other]


def is_parents_sibling(one, other):
    if parents[one] is None or parents[other] is None:
        return False
    return any(one != parent and parents[parent] and set(parents[parent]) & set(parents[one]) for parent in parents[other])


def is_grandparent(one, other):
    return parents[other] is not None and any(is_parent(one, parent) for parent in parents[other])


def is_uncle(one, other):
    return male[one] and is_parents_sibling(one, other)


def is_grandmother(one, other):
    return not male[one] and is_grandparent(one, other)


queries = []
for name, holds in [("uncle", is_uncle), ("grandmother", is_grandmother)]:
    pairs = [(one, other) for one, other in itertools.permutations(male, 2)]
    true = [pair for pair in pairs if holds(*pair)]
    # Most of those that are false are related in another way.
    others = [is_parent, is_parents_sibling, is_grandparent]
    near = [pair for pair in pairs if not holds(*pair) and any(other(*pair) for other in others)]
    false = rng.sample(near, 2 * len(true) // 3)
    false += rng.sample([pair for pair in pairs if not holds(*pair)], len(true) - len(false))
    for pair, target in [(pair, True) for pair in sorted(set(true))] + [(pair, False) for pair in false]:
        queries.append(f"{int(target != (rng.random() < NOISE))} {name}({pair[0]}, {pair[1]}).\n")
facts = [f"{'male' if male[name] else 'female'}({name})." for name in male]
facts += [f"parent({one}, {child})." for child, couple in parents.items() for one in couple or ()]
here = pathlib.Path(__file__).parent
here.joinpath("facts.txt").write_text("\n".join(facts) + "\n")
here.joinpath("queries.txt").write_text("".join(queries))
