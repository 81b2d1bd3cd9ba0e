#!/usr/bin/env python3
"""Boosted trees on features of the shop made by hand: boosted.py [PREDICTIONS], with pandas and scikit-learn.

The folds are those of a file of predictions that `lrnn crossval` wrote, `runs/shop-crossval/predictions.csv`; else ten
stratified ones. The first line has counts, sums, means and recency of the orders up to `as_of` with their products' prices; the second
counts by brand and by category, too.
"""
import pathlib
import sys

import pandas as pd
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import PredefinedSplit, StratifiedKFold, cross_val_score

folder = pathlib.Path(__file__).parent / "tables"
customer, orders, product = (
    pd.read_csv(folder / f"{name}.csv.gz", dtype=str) for name in ["customer", "orders", "product"]
)
customer = customer[customer.churned.notna()].reset_index(drop=True)
joined = orders.merge(customer[["customer_id", "as_of"]], on="customer_id").merge(product, on="product_id")
joined["days"] = (pd.to_datetime(joined.as_of) - pd.to_datetime(joined.date)).dt.days
joined = joined[joined.days >= 0]
joined["price"], joined["pieces"] = joined.price.astype(float), joined.pieces.astype(float)
joined["amount"], joined["back"] = joined.price * joined.pieces, (joined.returned == "yes") * 1
simple = joined.groupby("customer_id").agg(
    count=("order_id", "count"), last=("days", "min"), first=("days", "max"), mean=("days", "mean"),
    amount=("amount", "sum"), mean_amount=("amount", "mean"), back=("back", "sum"),
    products=("product_id", "nunique"), price=("price", "mean"), pieces=("pieces", "sum"),
)
features = customer[["customer_id", "age", "city"]].merge(simple, on="customer_id", how="left")
features["city"], features["age"] = features.city.astype("category").cat.codes, features.age.astype(float)
more = features
for column in ["category", "brand"]:
    counts = pd.crosstab(joined.customer_id, joined[column]).add_prefix(column)
    more = more.merge(counts, on="customer_id", how="left")
folds = StratifiedKFold(10, shuffle=True, random_state=0)
if len(sys.argv) > 1:
    fold_of = pd.read_csv(sys.argv[1], dtype=str).set_index("example").fold.astype(int)
    folds = PredefinedSplit(customer.customer_id.map(fold_of))
trees = GradientBoostingClassifier(max_depth=3, n_estimators=100, random_state=0)
for name, table in [("counts, sums, means, recency", features), ("and counts by brand and category", more)]:
    table = table.drop(columns="customer_id").fillna(-1)
    accuracy = cross_val_score(trees, table, customer.churned == "yes", cv=folds).mean()
    print(f"{name}: {100 * accuracy:.1f} %")
