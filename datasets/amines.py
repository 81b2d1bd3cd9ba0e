"""Writes amines.csv: molecules from cores and groups, and whether each is an aliphatic amine.

An aliphatic amine has a nitrogen whose neighbours are hydrogens and carbons that are neither aromatic nor part of C=O.
Every core stands with every group; the core tells whether a nitrogen bound to it is bound to an aromatic ring.
"""

import csv

# Name, SMILES with X for the group, whether X is bound to an aromatic ring.
CORES = [
    ("benzene", "c1ccccc1X", True), ("toluene", "Cc1ccc(cc1)X", True), ("anisole", "COc1ccc(cc1)X", True),
    ("chlorobenzene", "Clc1ccc(cc1)X", True), ("naphthalene", "c1ccc2cc(ccc2c1)X", True),
    ("thiophene", "c1cc(sc1)X", True), ("cyclohexane", "C1CCCCC1X", False), ("cyclopentane", "C1CCCC1X", False),
    ("butane", "CCCCX", False), ("isobutane", "CC(C)CX", False), ("phenylethane", "c1ccccc1CCX", False),
    ("phenylmethane", "c1ccccc1CX", False), ("methoxyethane", "COCCX", False), ("chloropropane", "ClCCCX", False),
]
# Name, SMILES of the group with the bound atom first, amine: "always", "if the core is not aromatic", or "never".
GROUPS = [
    ("amine", "N", "core"), ("methylamine", "NC", "core"), ("dimethylamine", "N(C)C", "core"),
    ("aminomethyl", "CN", "always"), ("piperidinylmethyl", "CN1CCCCC1", "always"),
    ("carboxamide", "C(=O)N", "never"), ("dimethylcarboxamide", "C(=O)N(C)C", "never"), ("acetamide", "NC(C)=O", "never"),
    ("nitrile", "C#N", "never"), ("nitro", "[N+](=O)[O-]", "never"), ("alcohol", "O", "never"), ("acid", "C(=O)O", "never"),
]

with open("amines.csv", "w", newline="") as f:
    out = csv.writer(f, lineterminator="\n")
    out.writerow(["name", "smiles", "amine"])
    for core, smiles, is_aromatic in CORES:
        for group, end, amine in GROUPS:
            is_amine = amine == "always" or (amine == "core" and not is_aromatic)
            out.writerow([f"{core} {group}", smiles.replace("X", end), "yes" if is_amine else "no"])
