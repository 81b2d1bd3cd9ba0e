"""The snippets of the documents run, one after the other, in a folder of their own."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("python*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_snippets_run(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if "import sklearn" in text or "from sklearn" in text:
        pytest.importorskip("sklearn", reason=f"no scikit-learn: {page.name} is NOT tested")
    if "import torch" in text:
        pytest.importorskip("torch", reason=f"no torch: {page.name} is NOT tested")
    blocks = list(BLOCK.finditer(text))
    assert blocks, page
    names: dict[str, Any] = {}
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        for block in blocks:
            line = text[: block.start()].count("\n") + 1
            exec(compile("\n" * line + block.group(1), str(page), "exec"), names)
    finally:
        os.chdir(before)
