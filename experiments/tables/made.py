#!/usr/bin/env python3
"""What `lrnn tables infer` writes against boosted trees, on made-up databases: made.py FOLDER [--lrnn PROGRAM] [NAME...].

Each has 1,200 owners with 10,000 rows of 80 things, as of a date, with NULLs, quotes and keys of 19 digits; what they
differ in is what a label depends on: thresholds of counts, sums, means and recency, shares, bands, what stands together in one
row, and what several of them say together. `shop`, `gym` and `bank` were looked at while the inference was made, the others
were not. Boosted trees (scikit-learn's, as they come) have counts, sums, means, least and largest values, recency, and
counts by value of the joins, and the folds of `lrnn crossval`. Needs pandas and scikit-learn.
"""
import csv
import datetime
import math
import random

from comparison import compare

KEY = 4_000_000_000_000_000_000
OWNERS, ROWS, THINGS = 1200, 10000, 80
BRANDS = ["Acme", "Borealis", "Cygnus", "Dorado", "Erebus", "Fornax", "Gemini", "Hydra"]
CATEGORIES = ["tools", "garden", "kitchen", "refill", "toys"]
CITIES = ["Oslo", "Praha", "Lima", "Kyoto", "Accra"]


class Owner:
    """What a label may depend on: the rows that are known as of the date."""

    def __init__(self, owner):
        self.age, self.city = owner["age"], owner["city"]
        self.rows = [row for row in owner["rows"] if row["day"] <= owner["as_of"]]
        self.count = len(self.rows)
        self.silence = min([owner["as_of"] - row["day"] for row in self.rows], default=400)
        self.late = sum(owner["as_of"] - row["day"] <= 60 for row in self.rows)
        self.total = sum(row["amount"] for row in self.rows)
        self.mean = self.total / self.count if self.count else 0
        self.largest = max([row["amount"] for row in self.rows], default=0)
        self.returned = sum(row["returned"] for row in self.rows)
        self.pieces = sum(row["pieces"] for row in self.rows)

    def has(self, test):
        return sum(map(test, self.rows))


LOGITS = {
    # Looked at while the inference was made: thresholds and two of them together, a band, one or the other.
    "shop": lambda it: -1.5 + 3 * (it.silence > 50) + 3 * (it.count >= 8 and it.mean < 20) - 2.5 * (it.total > 350),
    "gym": lambda it: -2 + 4.5 * (5 <= it.count <= 12) - 3 * (it.late == 0) + 2 * (it.age < 30 and it.late > 2),
    "bank": lambda it: -2 + 4 * ((it.largest > 70) != (it.silence > 40)) + 1.5 * (it.mean > 35),
    # Not looked at: in proportion, counts of a value; a share and what stands in one row; a sum, and a city with a count.
    "clinic": lambda it: -2 + 0.05 * (it.age - 45) + 0.8 * it.returned - 1.2 * (it.silence < 20)
    + 1.5 * (it.has(lambda row: row["thing"]["category"] == "refill") >= 3),
    "library": lambda it: -1.5 + 3.5 * (it.count > 0 and it.returned / it.count > 0.2) - 2 * (it.count > 14)
    + 3 * (it.has(lambda row: row["returned"] and row["thing"]["brand"] in ("Cygnus", "Hydra", "Acme")) > 0),
    "forum": lambda it: -2 + 3 * (it.pieces > 12) - 2.5 * (it.silence > 60)
    + 3 * (it.city in ("Oslo", "Lima") and it.has(lambda row: row["channel"] == "web") >= 2),
}


def make(name):
    """Makes owners with their rows and labels, and things; always the same."""
    rng = random.Random(f"{name}0")
    things = [
        {"id": f"{number:05}", "brand": BRANDS[number % 8], "category": rng.choice(CATEGORIES), "price": round(math.exp(rng.gauss(3, 0.8)), 2)}
        for number in range(THINGS)
    ]
    owners = []
    for number in range(OWNERS):
        rate, stop = math.exp(rng.gauss(0, 0.7)), rng.choice([0] * 4 + [45, 90, 150])
        taste, spend, bad = rng.choice(BRANDS), math.exp(rng.gauss(0, 0.4)), rng.random() ** 3 * 0.5
        owners.append({
            "id": str(KEY + 7919 * number), "as_of": rng.randrange(240, 330), "city": rng.choice(CITIES), "age": rng.randrange(18, 80),
            "rate": rate, "stop": stop, "taste": taste, "spend": spend, "bad": bad, "rows": [],
        })
    for number, owner in enumerate(rng.choices(owners, [owner["rate"] for owner in owners], k=ROWS)):
        thing = rng.choice(things)
        if rng.random() < 0.4:
            thing = rng.choice([it for it in things if it["brand"] == owner["taste"]])
        is_known = owner["stop"] or rng.random() < 0.85
        until = owner["as_of"] - owner["stop"] if is_known else owner["as_of"] + 50
        owner["rows"].append({
            "id": str(KEY + 104729 * number), "thing": thing, "day": rng.randrange(0, until + 1), "pieces": rng.choice([1, 1, 1, 2, 3]),
            "amount": round(thing["price"] * owner["spend"] * math.exp(rng.gauss(0, 0.3)), 2),
            "returned": rng.random() < 0.03 + owner["bad"], "channel": rng.choice(["web", "shop", "phone"]),
        })
    for owner in owners:
        owner["label"] = rng.random() < 1 / (1 + math.exp(-1.5 * LOGITS[name](Owner(owner))))
    return owners, things, rng


def write(name, folder):
    """Writes the tables as CSV, some cells NULL; returns their folder, and its name."""
    owners, things, rng = make(name)
    folder = folder / "tables"
    folder.mkdir()
    date = lambda day: datetime.date(2024, 1, 1) + datetime.timedelta(days=day)
    null = lambda share, value: "" if rng.random() < share else value
    yes = lambda truth: "yes" if truth else "no"
    tables = {
        "customer": [["customer_id", "name", "city", "age", "as_of", "churned"]] + [
            [it["id"], f'Ann "A" {at}', it["city"], null(0.1, it["age"]), date(it["as_of"]), yes(it["label"])] for at, it in enumerate(owners)],
        "product": [["product_id", "name", "brand", "category", "price"]] + [
            [it["id"], f"thing {it['id']}", it["brand"], it["category"], null(0.05, it["price"])] for it in things],
    }
    rows = [
        [row["id"], it["id"], row["thing"]["id"], date(row["day"]), null(0.03, row["pieces"]), null(0.03, row["amount"]), row["channel"], yes(row["returned"])]
        for it in owners for row in it["rows"]
    ]
    rng.shuffle(rows)
    tables["orders"] = [["order_id", "customer_id", "product_id", "date", "pieces", "amount", "channel", "returned"]] + rows
    for table, lines in tables.items():
        with open(folder / f"{table}.csv", "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)
    return folder, "tables"


def boosted(folder, predictions):
    """Returns the share of right answers of boosted trees on simple joins, on the folds of a file of predictions."""
    import pandas as pd
    from sklearn.ensemble import GradientBoostingClassifier
    from sklearn.model_selection import PredefinedSplit, cross_val_predict

    customer, orders, product = (pd.read_csv(folder / f"{name}.csv", dtype=str) for name in ("customer", "orders", "product"))
    joined = orders.merge(customer[["customer_id", "as_of"]], on="customer_id").merge(product.drop(columns="name"), on="product_id")
    joined["days"] = (pd.to_datetime(joined.as_of) - pd.to_datetime(joined.date)).dt.days
    joined = joined[joined.days >= 0].copy()
    numbers = ["pieces", "amount", "price"]
    joined[numbers] = joined[numbers].astype(float)
    groups = joined.groupby("customer_id")
    features = groups.agg(count=("order_id", "count"), last=("days", "min"), first=("days", "max"), days=("days", "mean"), products=("product_id", "nunique"))
    for column in numbers:
        for how in ("sum", "mean", "min", "max"):
            features[f"{column}_{how}"] = groups[column].agg(how)
    back = joined.returned == "yes"
    features["back"], features["back_mean"] = (back.groupby(joined.customer_id).agg(how) for how in ("sum", "mean"))
    for days in (30, 60, 120):
        features[f"last_{days}"] = (joined.days <= days).groupby(joined.customer_id).sum()
    table = pd.concat([customer[["customer_id"]], customer.age.astype(float), pd.get_dummies(customer.city).astype(float)], axis=1)
    table = table.merge(features, on="customer_id", how="left")
    for column in ("brand", "category", "channel"):
        counts = pd.crosstab(joined.customer_id, joined[column]).add_prefix(f"{column}_")
        table = table.merge(counts, on="customer_id", how="left")
    fold = pd.read_csv(predictions, dtype=str).set_index("example").fold.astype(int)
    labels = customer.churned == "yes"
    folds = PredefinedSplit(customer.customer_id.map(fold))
    answers = cross_val_predict(GradientBoostingClassifier(random_state=0), table.drop(columns="customer_id").fillna(-1), labels, cv=folds)
    return (answers == labels).mean()


def right(predictions):
    """Returns the share of right answers in a file of predictions."""
    with open(predictions, newline="") as file:
        rows = list(csv.DictReader(file))
    return sum((float(row["value"]) > 0.5) == (float(row["target"]) > 0.5) for row in rows) / len(rows)


def score(name, folder, predictions):
    """Returns the percentage of right answers in a file of predictions, and that of boosted trees."""
    return 100 * right(predictions), 100 * boosted(folder, predictions)


if __name__ == "__main__":
    compare(__doc__.split("\n")[0], LOGITS, lambda name: "customer.churned", write, score)
