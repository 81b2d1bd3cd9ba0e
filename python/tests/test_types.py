"""Types: the package under mypy, and the stubs against the compiled half."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

import lrnn

pytest.importorskip("mypy")
SITE = Path(lrnn.__file__).parent.parent


def run(*words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(SITE), "PYTHONPATH": str(SITE)},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_is_typed() -> None:
    run("mypy", "--cache-dir", str(ROOT / ".tools/mypy"))


def test_the_stubs_are_those_of_the_library() -> None:
    run("mypy.stubtest", "lrnn._lrnn", "--mypy-config-file", str(ROOT / "pyproject.toml"),
        "--ignore-disjoint-bases")
