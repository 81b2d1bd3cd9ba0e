#!/usr/bin/env python3
"""Makes the tables of the shop: python3 make.py [FOLDER]. The same seed, the same bytes.

Customers, what they ordered, and whether they churned after a date (`as_of`). Nobody says so in the data, but some
brands are bad: who sent back a product of theirs tends to leave, and so does who has not ordered for long; who orders
refills tends to stay. Orders go on after `as_of`, as they do in databases, keys have 19 digits, some numbers are
missing, and names have quotes, commas and accents.
"""
import csv
import datetime
import gzip
import io
import math
import pathlib
import random
import sys

CUSTOMERS, ORDERS, PRODUCTS = 1200, 10000, 80
BRANDS = ["Acme", "Borealis", "Cygnus", "Dorado", "Erebus", "Fornax", "Gemini", "Hydra", "Indus", "Lyra", "Mensa", "Norma"]
BAD = {"Cygnus", "Erebus", "Hydra", "Mensa"}
CATEGORIES = ["tools", "garden", "kitchen", "refill", "toys"]
FIRST = ["Ann", "Bob", "Chloë", "Dora \"Dot\"", "Eve", "Frank", "Grace", "Heidi", "Ivan", "Judy"]
LAST = ["Smith", "O'Neil", "Müller", "de la Cruz, Jr.", "Novák", "Šourek", "Brown"]
CITIES = ["Oslo", "Praha", "Lima", "Kyoto", "Accra"]
KEY = 4_000_000_000_000_000_000


def make(rng):
    products = []
    for number in range(PRODUCTS):
        name = rng.choice(["Small", "Large", "12\" long", "Blue, shiny"]) + f" thing {number}"
        price = round(math.exp(rng.gauss(3, 0.8)), 2)
        products.append([f"{number:05}", name, BRANDS[number % 12], CATEGORIES[number % 5], price if rng.random() > 0.05 else ""])
    start = datetime.date(2024, 1, 1)
    customers = []
    for number in range(CUSTOMERS):
        as_of = start + datetime.timedelta(days=rng.randrange(240, 330))
        name = f"{rng.choice(FIRST)} {rng.choice(LAST)}"
        age = rng.randrange(18, 80) if rng.random() > 0.1 else ""
        # Some of them stopped ordering long before.
        last = as_of - datetime.timedelta(days=rng.choice([0, 0, 0, 0, 0, 60, 120, 180]))
        customers.append([str(KEY + 7919 * number), name, rng.choice(CITIES), age, as_of, last])
    orders, facts = [], {customer[0]: [] for customer in customers}
    for number in range(ORDERS):
        customer = rng.choice(customers)
        product = rng.choice(products)
        until = customer[5] if rng.random() < 0.9 or customer[5] < customer[4] else customer[4] + datetime.timedelta(days=60)
        date = start + datetime.timedelta(days=rng.randrange(0, (until - start).days + 1))
        returned = rng.random() < 0.09
        pieces = rng.choice([1, 1, 1, 2, 3]) if rng.random() > 0.03 else ""
        orders.append([str(KEY + 104729 * number), customer[0], product[0], date, pieces, "yes" if returned else "no"])
        facts[customer[0]].append((date, product, returned))
    rows = []
    for key, name, city, age, as_of, _ in customers:
        known = [fact for fact in facts[key] if fact[0] <= as_of]
        silence = min([(as_of - date).days for date, _, _ in known], default=400)
        burnt = any(returned and product[2] in BAD for _, product, returned in known)
        refills = sum(product[3] == "refill" and (as_of - date).days <= 60 for date, product, _ in known)
        logit = -3.2 + 7.0 * (silence > 60) + 7.0 * burnt - 5.0 * (refills > 0)
        rows.append([key, name, city, age, as_of, "yes" if rng.random() < 1 / (1 + math.exp(-logit)) else "no"])
    rows[17][5] = ""  # nobody knows
    orders.sort(key=lambda order: order[3])
    return {
        "customer": (["customer_id", "name", "city", "age", "as_of", "churned"], rows),
        "orders": (["order_id", "customer_id", "product_id", "date", "pieces", "returned"], orders),
        "product": (["product_id", "name", "brand", "category", "price"], products),
    }


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "tables")
    folder.mkdir(parents=True, exist_ok=True)
    for name, (head, rows) in make(random.Random(14)).items():
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows([head, *rows])
        with open(folder / f"{name}.csv.gz", "wb") as file:
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                packed.write(text.getvalue().encode())


if __name__ == "__main__":
    main()
