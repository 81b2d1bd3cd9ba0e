#!/usr/bin/env python3
"""Facts of four relational datasets as SQLite databases with keys: make.py DATA OUT.

DATA has the folders hepatitis, uwcse, imdb and cora; OUT gets a database of each. Of Cora only the papers of the public
training split have a topic; cora_test.csv has those of its test split.
"""
import csv
import gzip
import pathlib
import re
import sqlite3
import sys

data, out = map(pathlib.Path, sys.argv[1:])
out.mkdir(parents=True, exist_ok=True)
FACT = re.compile(r"(\w+)\(([^)]*)\)\.?")


def facts(lines):
    """Gives the facts of lines: the predicate and its terms."""
    for line in lines:
        if found := FACT.match(line.strip()):
            yield found[1].lower(), [term.strip() for term in found[2].split(",")]


def database(name, tables):
    """Writes tables, each with its columns as SQL declares them and its rows."""
    path = out / f"{name}.sqlite"
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as connection:
        for table, (columns, rows) in tables.items():
            rows = [tuple(row) for row in rows]
            connection.execute(f"CREATE TABLE {table} ({columns})")
            marks = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
            print(f"{name}: {table}, {len(rows)} rows")


def hepatitis():
    values, type_of = {}, {}
    with gzip.open(data / "hepatitis/facts.pl.gz", "rt") as lines:
        for predicate, terms in facts(lines):
            if len(terms) == 2:
                values.setdefault(predicate, []).append(terms)
    with open(data / "hepatitis/queries.txt") as lines:
        for line in lines:
            if line.strip():
                value, atom = line.split(maxsplit=1)
                type_of[next(facts([atom]))[1][0]] = "b" if float(value) > 0.5 else "c"
    sex, duration = dict(values["has_sex"]), dict(values.get("dur", []))
    levels = {name: dict(rows) for name, rows in values.items() if name.endswith("_level")}
    tests = sorted(name for name in levels if name not in ("fibrosis_level", "activity_level"))
    number = "integer"
    database("hepatitis", {
        "patient": ("patient_id text PRIMARY KEY, sex text, duration integer, type text",
                    [(it, sex.get(it), duration.get(it), kind) for it, kind in sorted(type_of.items())]),
        "screening": ("screening_id text PRIMARY KEY, patient_id text REFERENCES patient(patient_id), "
                      + ", ".join(f"{test} {number}" for test in tests),
                      [(it, patient, *(levels[test].get(it) for test in tests)) for patient, it in values["has_screening"]]),
        "biopsy": ("biopsy_id text PRIMARY KEY, patient_id text REFERENCES patient(patient_id), fibrosis integer, activity integer",
                   [(it, patient, levels["fibrosis_level"].get(it), levels["activity_level"].get(it))
                    for patient, it in values["has_biopsy"]]),
    })


def folds(name, target):
    """Reads the facts and the labelled pairs of all folds."""
    values, pairs = {}, []
    for fold in sorted((data / name).glob("fold*")):
        path = fold / "facts.txt"
        with open(path) if path.exists() else gzip.open(f"{path}.gz", "rt") as lines:
            for predicate, terms in facts(lines):
                values.setdefault(predicate, []).append(tuple(terms))
        for file, label in [("pos", "yes"), ("neg", "no")]:
            path = fold / f"{file}.txt"
            with open(path) if path.exists() else gzip.open(f"{path}.gz", "rt") as lines:
                pairs += [(*terms, label) for predicate, terms in facts(lines) if predicate == target]
    return values, sorted(set(pairs))


PERSON = "text REFERENCES person(person_id)"


def uwcse():
    values, pairs = folds("uwcse", "advisedby")
    position, phase = dict(values["hasposition"]), dict(values["inphase"])
    years, levels = dict(values["yearsinprogram"]), dict(values["courselevel"])
    professors, students = {it for it, in values["professor"]}, {it for it, in values["student"]}
    people = sorted({it for a, b, _ in pairs for it in (a, b)} | professors | students
                    | {it for name in ("publication", "projectmember") for _, it in values[name]}
                    | {row[1] for name in ("ta", "taughtby") for row in values[name]}
                    | {it for row in values["tempadvisedby"] for it in row})
    courses = sorted(set(levels) | {row[0] for name in ("ta", "taughtby") for row in values[name]})
    role = lambda it: "professor" if it in professors else "student" if it in students else None
    course = "course_id text REFERENCES course(course_id)"
    database("uwcse", {
        "person": ("person_id text PRIMARY KEY, role text, position text, phase text, years text",
                   [(it, role(it), position.get(it), phase.get(it), years.get(it)) for it in people]),
        "course": ("course_id text PRIMARY KEY, level text", [(it, levels.get(it)) for it in courses]),
        "taughtby": (f"{course}, person_id {PERSON}, term text", values["taughtby"]),
        "ta": (f"{course}, person_id {PERSON}, term text", values["ta"]),
        "publication": (f"title text, person_id {PERSON}", values["publication"]),
        "projectmember": (f"project text, person_id {PERSON}", values["projectmember"]),
        "tempadvisedby": (f"student_id {PERSON}, advisor_id {PERSON}", values["tempadvisedby"]),
        "advisedby": (f"student_id {PERSON}, advisor_id {PERSON}, label text", pairs),
    })


def imdb():
    values, pairs = folds("imdb", "workedunder")
    actors, directors = {it for it, in values["actor"]}, {it for it, in values["director"]}
    women = {it for it, in values["female_gender"]}
    people = sorted({it for a, b, _ in pairs for it in (a, b)} | actors | directors | women
                    | {it for _, it in values["movie"]} | {it for it, _ in values["genre"]})
    role = lambda it: "director" if it in directors else "actor" if it in actors else None
    database("imdb", {
        "person": ("person_id text PRIMARY KEY, role text, is_woman text",
                   [(it, role(it), "yes" if it in women else "no") for it in people]),
        "movie": (f"title text, person_id {PERSON}", sorted(set(values["movie"]))),
        "genre": (f"person_id {PERSON}, genre text", sorted(set(values["genre"]))),
        "workedunder": (f"person_id {PERSON}, director_id {PERSON}, label text", pairs),
    })


def cora():
    papers, words, test = [], [], []
    with gzip.open(data / "cora/nodes.tsv.gz", "rt") as lines:
        for number, topic, part, *rest in (line.rstrip("\n").split("\t") for line in lines):
            papers.append((f"p{number}", f"t{topic}" if part == "train" else None))
            words += [(f"p{number}", f"w{word}") for word in (rest[0].split() if rest else [])]
            if part == "test":
                test.append((f"p{number}", f"t{topic}"))
    with open(data / "cora/edges.tsv") as lines:
        edges = [tuple(f"p{it}" for it in line.split()) for line in lines]
    paper = "text REFERENCES paper(paper_id)"
    database("cora", {
        "paper": ("paper_id text PRIMARY KEY, topic text", papers),
        "word": (f"paper_id {paper}, word text", words),
        "cites": (f"from_id {paper}, to_id {paper}", edges + [(b, a) for a, b in edges]),
    })
    with open(out / "cora_test.csv", "w", newline="") as file:
        csv.writer(file).writerows([("paper", "topic"), *test])


hepatitis(), uwcse(), imdb(), cora()
