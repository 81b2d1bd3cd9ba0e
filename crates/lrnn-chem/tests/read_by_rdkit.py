"""Prints SMILES with atoms, bonds, charges, hydrogens and aromaticity as RDKit reads them, and the scaffold.

The molecules are those that come with RDKit, and a CSV with a column `smiles` if one is named.
"""

import csv
import os
import sys

from rdkit import Chem, RDConfig, RDLogger
from rdkit.Chem.Scaffolds import MurckoScaffold

RDLogger.DisableLog("rdApp.*")
ORDERS = {1: "1", 2: "2", 3: "3", 4: "4", 12: "ar"}


def atom(a):
    return f"{a.GetSymbol()}:{a.GetFormalCharge()}:{a.GetTotalNumHs()}:{int(a.GetIsAromatic())}:{a.GetIsotope()}"


def bond(b):
    ends = sorted([b.GetBeginAtomIdx(), b.GetEndAtomIdx()])
    return (*ends, ORDERS.get(int(b.GetBondType()), "?"))


def written(m):
    bonds = sorted(bond(b) for b in m.GetBonds())
    return " ".join(atom(a) for a in m.GetAtoms()) + "|" + " ".join(f"{a}-{b}:{k}" for a, b, k in bonds)


with open(os.path.join(RDConfig.RDDataDir, "NCI", "first_5K.smi")) as f:
    smiles = [line.split()[0] for line in f if line.strip()]
for name in sys.argv[1:]:
    with open(name) as f:
        smiles += [row["smiles"] for row in csv.DictReader(f)]
for text in smiles:
    m = Chem.MolFromSmiles(text)
    if m is None:
        print(text, "refused", "", sep="\t")
    else:
        print(text, written(m), MurckoScaffold.MurckoScaffoldSmiles(mol=m, includeChirality=False), sep="\t")
