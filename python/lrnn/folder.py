"""Dataset folders: an ``lrnn.toml`` that names template, data and settings."""

from __future__ import annotations

import os
from typing import NamedTuple

from lrnn import _lrnn
from lrnn.dataset import Dataset
from lrnn.template import Template


class Folder(NamedTuple):
    """What a dataset folder holds: ``fit(folder.template, folder.dataset, **folder.settings)`` learns it as the
    command does."""

    template: Template
    dataset: Dataset
    settings: dict[str, str]
    """The settings that are not the usual ones."""


def read_folder(path: str | os.PathLike[str], *, family: str | None = None) -> Folder:
    """Reads a dataset folder."""
    template, dataset, settings = _lrnn.read_folder(os.fspath(path), family, None, None, [])
    return Folder(Template._of(template), Dataset._of(dataset), dict(settings))
