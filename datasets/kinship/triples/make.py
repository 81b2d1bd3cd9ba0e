"""Writes train.tsv, valid.tsv and test.tsv: who is what to whom in ten families of three generations."""

import random

random.seed(7)
people, parents, spouse, female = [], {}, {}, set()


def born(family, mother=None, father=None):
    name = f"{family}{len(people)}"
    people.append(name)
    if random.random() < 0.5:
        female.add(name)
    if mother:
        parents[name] = (mother, father)
    return name


def marry(one, other):
    spouse[one], spouse[other] = other, one
    return (one, other) if one in female else (other, one)


for family in ["alder", "ash", "beech", "birch", "cedar", "elm", "fir", "hazel", "oak", "yew"]:
    one, other = born(family), born(family)
    female.discard(other)
    female.add(one)
    children = [born(family, *marry(one, other)) for _ in range(random.randint(2, 4))]
    for child in children:
        if random.random() < 0.8:
            partner = born(family)
            (female.discard if child in female else female.add)(partner)
            mother, father = marry(child, partner)
            for _ in range(random.randint(1, 3)):
                born(family, mother, father)

children = {person: [child for child in people if person in parents.get(child, ())] for person in people}
triples = set()


def say(one, words, other):
    triples.add((one, words[one not in female], other))


for person in people:
    if person in spouse:
        say(person, ("wife", "husband"), spouse[person])
    siblings = [other for other in people if other != person and parents.get(other, 0) == parents.get(person, 1)]
    for sibling in siblings:
        say(sibling, ("sister", "brother"), person)
    for parent in parents.get(person, ()):
        say(parent, ("mother", "father"), person)
        say(person, ("daughter", "son"), parent)
        for grandparent in parents.get(parent, ()):
            say(grandparent, ("grandmother", "grandfather"), person)
        for sibling in people:
            if sibling != parent and parents.get(sibling, 0) == parents.get(parent, 1):
                say(sibling, ("aunt", "uncle"), person)
                say(person, ("niece", "nephew"), sibling)

order = sorted(triples)
random.shuffle(order)
tenth = len(order) // 10
for name, part in [("test", order[:tenth]), ("valid", order[tenth : 2 * tenth]), ("train", order[2 * tenth :])]:
    with open(f"{name}.tsv", "w", encoding="utf-8", newline="\n") as file:
        file.writelines("\t".join(triple) + "\n" for triple in sorted(part))
