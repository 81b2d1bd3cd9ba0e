"""Prints the SMILES of a CSV with the places that RDKit's layout gives their atoms: `smiles TAB x,y x,y ...`.

Arguments: the CSV, which has a column `smiles`, and how many molecules.
"""

import csv
import sys

from rdkit import Chem, RDLogger
from rdkit.Chem import AllChem

RDLogger.DisableLog("rdApp.*")
with open(sys.argv[1]) as f:
    texts = [row["smiles"] for row in csv.DictReader(f)]
count = int(sys.argv[2])
step = max(1, len(texts) // count)
for text in texts[::step][:count]:
    molecule = Chem.MolFromSmiles(text)
    if molecule is not None:
        AllChem.Compute2DCoords(molecule)
        places = molecule.GetConformer().GetPositions()
        print(text, " ".join(f"{x:.4f},{y:.4f}" for x, y, _ in places), sep="\t")
