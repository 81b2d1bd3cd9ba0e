#!/usr/bin/env python3
"""What `lrnn tables infer` writes against boosted trees, on databases of other shapes: shapes.py FOLDER [--lrnn PROGRAM] [NAME...].

`wards` has keys of several columns, three classes, codes with zeros in front and columns that are mostly NULL; `courses` many
rows that join two tables, and a number to learn; `staff` a table that refers to itself, dates such as 31.12.2023 and labels in
German; `meters` dates such as 2024/03/31 and a label that two quantities tell together. Only `meters` was looked at while the inference was
made. Boosted trees (scikit-learn's, as they come) have the columns of a row and of what it refers to, and of the rows that refer
to it counts, sums, means, least and largest values, days since the last, and counts by value; and the folds of `lrnn
crossval`. Told are right answers in percent, or R² of a number. Needs pandas and scikit-learn.
"""
import csv
import datetime
import math
import random
import sqlite3

import pandas as pd

from comparison import compare

DAY = datetime.date(2024, 1, 1)


def day(number, form="%Y-%m-%d"):
    """Returns a date as text."""
    return (DAY + datetime.timedelta(days=number)).strftime(form)


def draw(rng, logits):
    """Draws one of some labels by the logarithms of their chances."""
    return rng.choices(list(logits), [math.exp(it) for it in logits.values()])[0]


def wards(rng):
    ward = [(h, f"{w:02}", rng.choice(["surgery", "heart", "lung"]), rng.randrange(4, 40)) for h in ("north", "south", "west") for w in range(8)]
    stay, test = [], []
    for number in range(900):
        h, w, kind, beds = rng.choice(ward)
        age, code = rng.randrange(20, 95), f"{rng.choice([7, 7, 12, 12, 90, 4]):03}"
        values = [(rng.choice(["crp", "hb", "na"]), rng.gauss(5, 2), day(rng.randrange(300))) for _ in range(rng.randrange(9))]
        crp = [it[1] for it in values if it[0] == "crp"]
        logits = {"home": 1.0, "rehab": 0.05 * (age - 60) + 1.5 * (kind == "surgery") + (code == "012"),
                  "died": -1.5 + 2.5 * (code == "007") + 2 * (age > 80) + 0.8 * (len(crp) > 2) - 0.5 * (beds > 20)}
        weight = round(rng.gauss(75, 12), 1) if rng.random() < 0.3 else None
        stay.append((h, w, number % 300, age, code, weight, None if rng.random() < 0.8 else "smoker", draw(rng, {k: 1.8 * v for k, v in logits.items()})))
        test += [(len(test) + at, h, w, number % 300, name, round(value, 2) if rng.random() < 0.9 else None, date) for at, (name, value, date) in enumerate(values)]
    seen = set()
    keep = [it for it in stay if (it[:3] not in seen, seen.add(it[:3]))[0]]
    return {
        "ward": (("hospital TEXT", "ward TEXT", "kind TEXT", "beds INTEGER", "PRIMARY KEY (hospital, ward)"), ward),
        "stay": (("hospital TEXT", "ward TEXT", "number INTEGER", "age INTEGER", "code TEXT", "weight REAL", "habit TEXT", "outcome TEXT",
                  "PRIMARY KEY (hospital, ward, number)", "FOREIGN KEY (hospital, ward) REFERENCES ward (hospital, ward)"), keep),
        "test": (("test_id INTEGER PRIMARY KEY", "hospital TEXT", "ward TEXT", "number INTEGER", "name TEXT", "value REAL", "date DATE",
                  "FOREIGN KEY (hospital, ward, number) REFERENCES stay (hospital, ward, number)"), test),
    }


def courses(rng):
    course = [(f"{at:04}", rng.choice(["arts", "law", "maths", "physics"]), rng.choice([3, 5, 8]), round(rng.gauss(3, 0.6), 2)) for at in range(60)]
    student, enrolment = [], []
    for number in range(800):
        gift, hours = rng.gauss(0, 1), rng.randrange(0, 41) if rng.random() < 0.7 else None
        taken = rng.sample(course, rng.randrange(2, 14))
        grades = [(it, min(6, max(1, round(3 - gift + 0.5 * (it[3] - 3) + rng.gauss(0, 0.8), 1)))) for it in taken]
        mean = sum(grade for _, grade in grades) / len(grades)
        hard = sum(it[1] in ("maths", "physics") for it in taken)
        points = 50 - 9 * (mean - 3) + 2.5 * min(hard, 5) + 0.4 * sum(it[2] for it in taken) - (8 if hours is not None and hours > 20 else 0) + rng.gauss(0, 4)
        student.append((f"s{number}", rng.choice(["day", "evening"]), hours, round(points, 1)))
        enrolment += [(f"s{number}", it[0], grade, rng.choice(["autumn", "spring"])) for it, grade in grades]
    return {
        "course": (("course_id TEXT PRIMARY KEY", "faculty TEXT", "credits INTEGER", "difficulty REAL"), course),
        "student": (("student_id TEXT PRIMARY KEY", "kind TEXT", "job_hours INTEGER", "points REAL"), student),
        "enrolment": (("student_id TEXT REFERENCES student (student_id)", "course_id TEXT REFERENCES course (course_id)", "grade REAL", "term TEXT",
                       "PRIMARY KEY (student_id, course_id)"), enrolment),
    }


def staff(rng):
    people, absence, below = [], [], {}
    for number in range(1000):
        chief = rng.randrange(number // 6 + 1) if number > 6 else None
        below[chief] = below.get(chief, 0) + 1
        people.append([number, chief, rng.choice(["Vertrieb", "Technik", "Lager"]), rng.randrange(28, 90) * 100, rng.randrange(1, 6), rng.randrange(2000)])
    rows = []
    for number, chief, unit, pay, mark, joined in people:
        sick = [(rng.choice(["krank", "Urlaub", "Kind"]), rng.randrange(1, 12), rng.randrange(700)) for _ in range(rng.randrange(8))]
        logit = -1.2 + 2.4 * (chief is not None and people[chief][4] <= 2) - 1.5 * (below.get(number, 0) > 3) + 1.8 * (sum(it[1] for it in sick if it[0] == "krank") > 10)
        logit += 1.5 * (pay < 4000) - 1.0 * (mark >= 4)
        rows.append((f"{number:05}", None if chief is None else f"{chief:05}", unit, pay, mark, day(-joined, "%d.%m.%Y"), draw(rng, {"ja": 1.7 * logit, "nein": 0})))
        absence += [(len(absence) + at, f"{number:05}", *it[:2], day(it[2], "%d.%m.%Y")) for at, it in enumerate(sick)]
    return {
        "person": (("person_id TEXT PRIMARY KEY", "chief_person_id TEXT", "unit TEXT", "pay INTEGER", "mark INTEGER", "joined TEXT", "left TEXT"), rows),
        "absence": (("absence_id INTEGER PRIMARY KEY", "person_id TEXT", "reason TEXT", "days INTEGER", "begun TEXT"), absence),
    }


def meters(rng):
    house, reading = [], []
    for number in range(900):
        size, heat, base = rng.randrange(40, 260), rng.choice(["gas", "pump", "oil"]), math.exp(rng.gauss(1, 0.5))
        uses = [(rng.randrange(330), round(base * math.exp(rng.gauss(0, 0.5)), 2)) for _ in range(rng.randrange(1, 25))]
        known = [it for it in uses if it[0] <= 300]
        mean = sum(it[1] for it in known) / len(known) if known else 0
        logit = -1 + 3 * ((mean > 2.8) != (size > 140)) + 1.2 * (heat == "oil") - 1.5 * (len(known) < 6)
        house.append((f"h{number}", size if rng.random() < 0.95 else None, heat, day(300, "%Y/%m/%d"), draw(rng, {"insulate": 1.7 * logit, "wait": 0})))
        reading += [(len(reading) + at, f"h{number}", day(it[0], "%Y/%m/%d"), it[1]) for at, it in enumerate(uses)]
    return {
        "house": (("house_id TEXT PRIMARY KEY", "size INTEGER", "heating TEXT", "as_of TEXT", "advice TEXT"), house),
        "reading": (("reading_id INTEGER PRIMARY KEY", "house_id TEXT", "date TEXT", "use REAL"), reading),
    }


# How each is made; its target; the key of its rows; columns of date with their spelling; what refers to it and what it refers to.
DATABASES = {
    "wards": (wards, "stay.outcome", ["hospital", "ward", "number"], "%Y-%m-%d", ["test"], [("ward", ["hospital", "ward"], ["hospital", "ward"])]),
    "courses": (courses, "student.points", ["student_id"], "%Y-%m-%d", ["enrolment"], []),
    "staff": (staff, "person.left", ["person_id"], "%d.%m.%Y", ["absence"], [("person", ["chief_person_id"], ["person_id"])]),
    "meters": (meters, "house.advice", ["house_id"], "%Y/%m/%d", ["reading"], []),
}


def write(name, folder):
    """Writes a database, as SQLite where its keys are declared, else as CSV; returns its tables, and where they are."""
    tables = DATABASES[name][0](random.Random(name))
    is_sqlite = name in ("wards", "courses")
    frames = {}
    for table, (columns, rows) in tables.items():
        names = [it.split()[0] for it in columns if it.split()[0] not in ("PRIMARY", "FOREIGN")]
        frames[table] = pd.DataFrame(rows, columns=names)
        if is_sqlite:
            with sqlite3.connect(folder / "tables.sqlite") as database:
                database.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
                database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})", rows)
        else:
            (folder / "tables").mkdir(exist_ok=True)
            with open(folder / "tables" / f"{table}.csv", "w", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([names, *rows])
    return frames, "tables.sqlite" if is_sqlite else "tables"


def features(frames, name):
    """Returns what simple joins say of each row of the target's table."""
    _, target, key, form, below, above = DATABASES[name]
    table, column = target.split(".")
    own = frames[table].drop(columns=column)
    for other, refers, to in above:
        there = frames[other].drop(columns=[it for it in frames[other] if it == column or it.endswith("_id") and it not in to])
        joined = own[refers].merge(there.rename(columns=dict(zip(to, refers))), on=refers, how="left")
        own = own.join(joined.drop(columns=refers).add_prefix(f"{other}_"))
    if name == "staff":
        own["below"] = own.person_id.map(own.chief_person_id.value_counts()).fillna(0)
    if name == "courses":
        frames = {**frames, "enrolment": frames["enrolment"].merge(frames["course"], on="course_id")}
    names = own[key].astype(str).agg("/".join, axis=1)
    as_of = pd.to_datetime(own.as_of, format=form) if "as_of" in own else None
    found = own.drop(columns=[it for it in own if it in key or it.endswith("_id")])
    for child in below:
        rows = frames[child].copy()
        rows["of"] = rows[key].astype(str).agg("/".join, axis=1)
        date = next((it for it in rows if it in ("date", "begun")), None)
        if date:
            rows["days"] = -(pd.to_datetime(rows[date], format=form) - pd.Timestamp(DAY)).dt.days
        if as_of is not None:
            rows = rows[rows.days >= -rows.of.map(dict(zip(names, (as_of - pd.Timestamp(DAY)).dt.days)))]
        rows = rows.drop(columns=[*key, *([date] if date else []), *[it for it in rows if it.endswith("_id") and it not in key]])
        groups = rows.groupby("of")
        found[f"{child}_count"] = names.map(groups.size()).fillna(0)
        for it in rows.columns.drop("of"):
            if pd.api.types.is_numeric_dtype(rows[it]):
                for how in ("sum", "mean", "min", "max"):
                    found[f"{child}_{it}_{how}"] = names.map(groups[it].agg(how))
            else:
                counts = pd.crosstab(rows.of, rows[it])
                for value in counts:
                    found[f"{child}_{it}_{value}"] = names.map(counts[value]).fillna(0)
    texts = [it for it in found if not pd.api.types.is_numeric_dtype(found[it])]
    few = [it for it in texts if found[it].nunique() <= 50]
    return names, pd.get_dummies(found.drop(columns=[it for it in texts if it not in few]), columns=few).astype(float).fillna(-1)


def score(name, frames, predictions):
    """Returns how good the answers in a file are, and those of boosted trees on the same folds."""
    from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
    from sklearn.metrics import r2_score
    from sklearn.model_selection import PredefinedSplit, cross_val_predict

    table, column = DATABASES[name][1].split(".")
    names, found = features(frames, name)
    labels = frames[table][column]
    answers = pd.read_csv(predictions, dtype={"example": str})
    fold = answers.drop_duplicates("example").set_index("example").fold
    model = GradientBoostingRegressor if pd.api.types.is_numeric_dtype(labels) else GradientBoostingClassifier
    boosted = cross_val_predict(model(random_state=0), found, labels, cv=PredefinedSplit(names.map(fold)))
    if model is GradientBoostingRegressor:
        return r2_score(answers.target, answers.value), r2_score(labels, boosted)
    # Of several queries of an example the largest is the answer; of one, whether it is above a half.
    several = answers.groupby("example")["value"].transform("size") > 1
    best = answers.loc[answers.groupby("example")["value"].idxmax()]
    right = best.target > 0.5 if several.any() else (answers.value > 0.5) == (answers.target > 0.5)
    return 100 * right.mean(), 100 * (boosted == labels).mean()


if __name__ == "__main__":
    compare(__doc__.split("\n")[0], DATABASES, lambda name: DATABASES[name][1], write, score)
