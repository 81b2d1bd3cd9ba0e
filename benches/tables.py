#!/usr/bin/env python3
"""Tables of a million rows: seconds, rows a second, and memory: tables.py [--rows N] [--lrnn PROGRAM] [--folder FOLDER].

Makes a shop with N orders of N / 20 customers, as SQLite, Parquet and CSV, always the same, and runs `lrnn tables preview`
on each, which makes every fact. Told are the seconds by the clock and of the processor, and the most memory that `lrnn`
and the programs it asked had together, beside the size of the data: the cells of the columns that are read, 8 bytes a
number, a text with its length. Needs Python with the package duckdb for Parquet.

With --stream it learns from the examples instead, all rows at once and in groups of examples (`lrnn train --stream`), tells
the most memory of both, and compares the models byte by byte.
"""
import argparse
import datetime
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

KEY = 4_000_000_000_000_000_000
COLUMNS = {
    "customer": "customer_id bigint PRIMARY KEY, city text, as_of date, churned text",
    "product": "product_id text PRIMARY KEY, brand text, price double",
    "orders": "order_id bigint PRIMARY KEY, customer_id bigint REFERENCES customer(customer_id), "
              "product_id text REFERENCES product(product_id), date date, pieces integer, returned text",
}
KEYS = ":- key(orders.customer_id, customer.customer_id).\n:- key(orders.product_id, product.product_id).\n"
MAPPINGS = {
    # A table as it is: each row a fact.
    "rows": "of(O, C, P) <- orders(order_id: O, customer_id: C, product_id: P).\n",
    # Every column, in one knowledge base: five facts a row.
    "columns": """of(O, P) <- orders(order_id: O, product_id: P).
by(O, C) <- orders(order_id: O, customer_id: C).
at(O, D) <- orders(order_id: O, date: D).
X :: pieces(O) <- orders(order_id: O, pieces: X).
returned(O) <- orders(order_id: O, returned: yes).
""",
    # An example for each customer, who knows what was up to a date.
    "examples": f""":- example(customer.customer_id).
:- as_of(customer.as_of).
:- time(orders.date).
{KEYS}
of(O, P) <- orders(order_id: O, product_id: P).
recent(O) <- orders(order_id: O, date: D), days(as_of - D) =< 60.
scale(X) :: pieces(O) <- orders(order_id: O, pieces: X).
brand(P, B) <- product(product_id: P, brand: B).
? 1 :: churn <- customer(churned: yes).
? 0 :: churn <- customer(churned: no).
""",
}


def tables(rows):
    """Makes the rows of each table."""
    rng = random.Random(14)
    start = datetime.date(2024, 1, 1)
    days = [str(start + datetime.timedelta(days=day)) for day in range(400)]
    customers = max(1, rows // 20)
    yield "customer", [(KEY + 7919 * it, f"city {it % 50}", days[240 + it % 90], "yes" if it % 3 else "no") for it in range(customers)]
    yield "product", [(f"{it:05}", f"brand {it % 40}", round(rng.random() * 100, 2)) for it in range(1000)]
    yield "orders", [
        (KEY + 104729 * it, KEY + 7919 * rng.randrange(customers), f"{rng.randrange(1000):05}", days[rng.randrange(360)],
         rng.randrange(1, 9) if it % 50 else None, "yes" if it % 11 == 0 else "no")
        for it in range(rows)
    ]


def make(folder, rows):
    """Writes the tables in every form; returns the bytes of the cells of each."""
    (folder / "csv").mkdir(parents=True, exist_ok=True)
    path = folder / "shop.sqlite"
    path.unlink(missing_ok=True)
    size = {}
    with sqlite3.connect(path) as connection:
        for name, rows_of in tables(rows):
            connection.execute(f"CREATE TABLE {name} ({COLUMNS[name]})")
            marks = ", ".join("?" * len(rows_of[0]))
            connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows_of)
            head = [column.split()[0] for column in COLUMNS[name].split(", ")]
            with open(folder / f"csv/{name}.csv", "w") as file:
                file.write(",".join(head) + "\n")
                file.writelines(",".join("" if cell is None else str(cell) for cell in row) + "\n" for row in rows_of)
            for at, column in enumerate(head):
                size[name, column] = sum(len(row[at]) + 4 if isinstance(row[at], str) else 8 for row in rows_of)
    try:
        import duckdb
    except ImportError:
        print("Parquet is left out: there is no Python package duckdb", file=sys.stderr)
        return size
    (folder / "parquet").mkdir(exist_ok=True)
    for name in COLUMNS:
        columns = {column.split()[0]: column.split()[1] for column in COLUMNS[name].split(", ")}
        source = f"read_csv('{folder}/csv/{name}.csv', header = true, columns = {columns})"
        duckdb.sql(f"COPY (SELECT * FROM {source}) TO '{folder}/parquet/{name}.parquet' (FORMAT parquet)")
    return size


def memory(process):
    """Returns the bytes that a process and its children have."""
    total, waiting = 0, [process]
    while waiting:
        it = waiting.pop()
        try:
            with open(f"/proc/{it}/statm") as file:
                total += int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            with open(f"/proc/{it}/task/{it}/children") as file:
                waiting += file.read().split()
        except OSError:
            pass
    return total


def run(command):
    """Runs a command; returns its output, seconds by the clock and of the processor, and the most memory at once."""
    with tempfile.TemporaryFile() as output:
        begin, most = time.perf_counter(), 0
        process = subprocess.Popen(command, stdout=output)
        while True:
            found, status, usage = os.wait4(process.pid, os.WNOHANG)
            if found:
                break
            most = max(most, memory(process.pid))
            time.sleep(0.002)
        process.returncode = status
        if status:
            sys.exit(f"{' '.join(map(str, command))} ended with {status}")
        output.seek(0)
        return output.read(), time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, most


TEMPLATE = """:- family(max_sigmoid).
a[B] :: churn :- of(O, P), *brand(P, B), recent(O).
b :: churn :- pieces(_). [aggregation = mean]
"""


def stream(flags):
    """Learns from the examples at once and in groups; tells memory and whether the models are the same."""
    sources = [it for it in ["shop.sqlite", "parquet"] if (flags.folder / it).exists() and flags.only in it]
    (flags.folder / "examples.lrnn").write_text(TEMPLATE)
    print(f"{'source':<12} {'rows':>9} {'way':<10} {'seconds':>8} {'of CPU':>7} {'peak MB':>8}  model")
    for source in sources:
        path, models = flags.folder / "examples.tables", []
        path.write_text(f":- source('{source}').\n{MAPPINGS['examples']}")
        for way, options in [("at once", []), ("in groups", ["--stream"])]:
            out = pathlib.Path(tempfile.mkdtemp()) / "run"
            command = [flags.lrnn, "train", path, "--epochs", "3", "--out", out, "--quiet", *options]
            _, seconds, cpu, most = run(command)
            models.append((out / "model.safetensors").read_bytes())
            same = "" if len(models) == 1 else "the same bytes" if models[0] == models[1] else "OTHER BYTES"
            print(f"{source:<12} {flags.rows:>9} {way:<10} {seconds:8.2f} {cpu:7.2f} {most / 1e6:8.1f}  {same}")


def main():
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    flags.add_argument("--rows", type=int, default=1_000_000)
    flags.add_argument("--repeat", type=int, default=3)
    flags.add_argument("--lrnn", default="target/release/lrnn")
    flags.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "lrnn-tables")
    flags.add_argument("--only", default="", help="a part of the names of what is measured")
    flags.add_argument("--stream", action="store_true", help="learn from rows in groups of examples")
    flags = flags.parse_args()
    size = make(flags.folder, flags.rows)
    os.environ.setdefault("LRNN_PYTHON", sys.executable)
    if flags.stream:
        return stream(flags)
    print(f"{'mapping':<9} {'source':<8} {'rows':>9} {'facts':>9} {'seconds':>8} {'of CPU':>7} {'facts/s':>10} {'data MB':>8} {'peak MB':>8}")
    for mapping, text in MAPPINGS.items():
        data = sum(size[table, column.split()[0]] for table in COLUMNS for column in COLUMNS[table].split(", ")
                   if f"{table}(" in text and column.split()[0] in text)
        for source in ["shop.sqlite", "parquet", "csv"]:
            if not (flags.folder / source).exists() or flags.only not in f"{mapping} {source}":
                continue
            path = flags.folder / f"{mapping}.tables"
            path.write_text(f":- source('{source}').\n{text}")
            runs = [run([flags.lrnn, "tables", "preview", path, "--json"]) for _ in range(flags.repeat)]
            found = json.loads(runs[0][0])
            facts = sum(line["facts"] for line in found["lines"])
            seconds, cpu, most = (min(one[at] for one in runs) for at in (1, 2, 3))
            print(f"{mapping:<9} {source:<8} {flags.rows:>9} {facts:>9} {seconds:8.2f} {cpu:7.2f} {facts / seconds:10.0f} "
                  f"{data / 1e6:8.1f} {most / 1e6:8.1f}")


if __name__ == "__main__":
    main()
