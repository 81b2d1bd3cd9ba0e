"""Writes the reference of the package from its docstrings: ``python docs/reference.py > docs/python-reference.md``."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import lrnn
import lrnn.chem

HEAD = """# Reference of the Python package

Made from the docstrings by [`docs/reference.py`](reference.py); `help(lrnn.fit)` shows the same. Settings of
learning, which `fit`, `crossval` and the estimators take by name, are in [learning](learning.md) and in
`lrnn.SETTINGS`.
"""


def plain(text: str) -> str:
    """Returns a docstring as Markdown: without roles, examples as blocks, settings left out."""
    text = inspect.cleandoc(text).split("\nSettings:\n")[0].rstrip()
    text = re.sub(r":\w+:`\.?([^`]+)`", r"`\1`", text).replace("``", "`")
    lines: list[str] = []
    in_example = False
    for line in text.splitlines():
        is_example = line.startswith((">>>", "...")) or (in_example and bool(line.strip()))
        if is_example != in_example:
            lines.append("```pycon" if is_example else "```")
        in_example = is_example
        lines.append(line)
    return "\n".join([*lines, "```"] if in_example else lines)


def signature(thing: Any) -> str:
    """Returns the parameters of a function, without types and without settings."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    kept = [it for it in found.parameters.values() if it.name not in lrnn.SETTINGS and it.name not in ("self", "cls")]
    hidden = len(kept) < len([it for it in found.parameters if it not in ("self", "cls")])
    kept = [it.replace(annotation=inspect.Parameter.empty) for it in kept]
    if hidden and not any(it.kind is inspect.Parameter.VAR_KEYWORD for it in kept):
        kept.append(inspect.Parameter("settings", inspect.Parameter.VAR_KEYWORD))
    return str(found.replace(parameters=kept, return_annotation=inspect.Signature.empty))


def members(cls: type) -> Iterator[str]:
    """Goes through what a class has of its own and documents."""
    for name, member in vars(cls).items():
        if name.startswith("_"):
            continue
        inner = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        text = inspect.getdoc(inner)
        if isinstance(inner, property) and text:
            yield f"- `{name}`: {flat(text)}"
        elif inspect.isfunction(inner) and text:
            yield f"- `{name}{signature(inner)}`: {flat(text)}"


def flat(text: str) -> str:
    """Returns the first paragraphs of a docstring in one line."""
    return " ".join(plain(text).split("```pycon")[0].split())


def entry(name: str, thing: Any) -> str:
    """Returns the part about a name."""
    if inspect.isclass(thing):
        own = "" if issubclass(thing, (Exception, tuple)) or dataclasses.is_dataclass(thing) else signature(thing)
        parts = [f"### `{name}{own}`", plain(inspect.getdoc(thing) or ""), "\n".join(members(thing))]
    elif callable(thing):
        parts = [f"### `{name}{signature(thing)}`", plain(inspect.getdoc(thing) or "")]
    else:
        return ""
    return "\n\n".join(part for part in parts if part)


def names(module: ModuleType) -> list[str]:
    """Returns the names of a module that are its own."""
    return [it for it, thing in vars(module).items() if inspect.isfunction(thing) and thing.__module__ == module.__name__]


def reference() -> str:
    """Returns the page."""
    every = {f"lrnn.{name}": getattr(lrnn, name) for name in [*lrnn.__all__, *lrnn._OF_SKLEARN]}
    functions = {name: thing for name, thing in every.items() if inspect.isfunction(thing)}
    chem = {f"lrnn.chem.{name}": getattr(lrnn.chem, name) for name in names(lrnn.chem) if not name.startswith("_")}
    errors = {name: it for name, it in every.items() if inspect.isclass(it) and issubclass(it, Exception)}
    estimators = {f"lrnn.{name}": every[f"lrnn.{name}"] for name in lrnn._OF_SKLEARN}
    classes = {
        name: it for name, it in every.items() if inspect.isclass(it) and name not in errors and name not in estimators
    }
    groups = {
        "Functions": functions, "Molecules": chem, "Classes": classes, "scikit-learn": estimators, "Errors": errors,
    }
    parts = [HEAD.rstrip()]
    for title, things in groups.items():
        parts += [f"## {title}", *(entry(name, things[name]) for name in sorted(things))]
    return "\n\n".join(part for part in parts if part) + "\n"


if __name__ == "__main__":
    print(reference(), end="")
