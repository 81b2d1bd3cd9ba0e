"""What all tests share: small templates and data, and the command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import lrnn

# Before scikit-learn is imported: without it, its check of such arrays is skipped.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# Python leaves Ctrl-C ignored where it was started so, as shells do with what runs in the background.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parents[2]

TOXIC = "w[T] :: toxic :- element(A, T), *atom(A), *bond(A, _, _)."


def toxic_data(count: int = 8) -> lrnn.Dataset:
    """Returns molecules of one or two atoms; those with chlorine are toxic."""
    data = lrnn.Dataset()
    elements = ["c", "cl", "o", "n"]
    for number in range(count):
        element = elements[number % 4]
        facts = [("atom", 1), ("element", 1, element), ("atom", 2), ("element", 2, "c"), (0.5, "charge", 2),
                 ("bond", 1, 2, "single"), ("bond", 2, 1, "single")]
        data.add(facts, query=(float(element == "cl"), "toxic"), name=f"m{number}")
    return data


@pytest.fixture
def template() -> lrnn.Template:
    return lrnn.Template(TOXIC)


@pytest.fixture
def data() -> lrnn.Dataset:
    return toxic_data()


@pytest.fixture(scope="session")
def model() -> lrnn.Model:
    return lrnn.fit(TOXIC, toxic_data(), optimizer="adam", epochs=60, learning_rate=0.1).model


def command(*words: object, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Runs the command."""
    done = subprocess.run(
        [sys.executable, "-m", "lrnn", *map(str, words)], capture_output=True, text=True, cwd=ROOT
    )
    assert not check or done.returncode == 0, done.stderr
    return done
