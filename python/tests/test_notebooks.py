"""The notebooks run, cell by cell, and show what they promise."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def executed(path: Path, folder: Path) -> Any:
    """Returns a notebook with its outputs. It runs in a folder with the datasets, and writes nothing elsewhere."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    for name in ("datasets", "experiments"):
        (folder / name).symlink_to(ROOT / name)
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    kept = os.environ.get("LRNN_NOTEBOOKS")  # a folder to look at them
    if kept:
        nbformat.write(notebook, Path(kept) / path.name)
    return notebook


def test_there_are_five_without_outputs() -> None:
    assert len(NOTEBOOKS) == 5
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert cells[0]["source"][0].startswith("# ") and len(cells) < 30
        assert all(not cell.get("outputs") for cell in cells), f"{path.name} has outputs: clear them"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    if not find_spec("nbclient") or not find_spec("ipykernel"):
        pytest.skip("no nbclient and ipykernel: the notebooks are NOT tested")
    if "import torch" in path.read_text(encoding="utf-8") and not find_spec("torch"):
        pytest.skip(f"no torch: {path.name} is NOT tested")
    notebook = executed(path, tmp_path)
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not any(output.output_type == "error" for output in outputs)
    rich = {kind for output in outputs for kind in output.get("data", {})}
    assert path.stem == "4-encoder" or rich & {"text/html", "image/svg+xml"}
