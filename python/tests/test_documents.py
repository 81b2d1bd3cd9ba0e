"""The snippets of the documents run, one after the other, in a folder of their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
REFERENCE = ROOT / "docs" / "python-reference.md"
PAGES = [ROOT / "README.md", *sorted({*(ROOT / "docs").glob("python*.md")} - {REFERENCE})]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_snippets_run(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if "import pandas" in text:
        pytest.importorskip("pandas", reason=f"no pandas: {page.name} is NOT tested")
    if "import sklearn" in text or "from sklearn" in text:
        pytest.importorskip("sklearn", reason=f"no scikit-learn: {page.name} is NOT tested")
    if "import torch" in text:
        pytest.importorskip("torch", reason=f"no torch: {page.name} is NOT tested")
    blocks = list(BLOCK.finditer(text))
    assert blocks, page
    names: dict[str, Any] = {"root": ROOT}  # where the datasets are
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        for block in blocks:
            line = text[: block.start()].count("\n") + 1
            exec(compile("\n" * line + block.group(1), str(page), "exec"), names)
    finally:
        os.chdir(before)


def test_the_reference_is_that_of_the_docstrings() -> None:
    pytest.importorskip("sklearn", reason="no scikit-learn: the reference is NOT tested")
    made = subprocess.run([sys.executable, ROOT / "docs" / "reference.py"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    told = "it is not up to date: python docs/reference.py > docs/python-reference.md"
    assert made.stdout == REFERENCE.read_text(encoding="utf-8"), told
