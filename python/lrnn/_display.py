"""How things look in a notebook. Texts of the data go in escaped."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lrnn.dataset import Dataset
    from lrnn.model import Model
    from lrnn.results import Explanation
    from lrnn.training import History

MOST_WEIGHTS = 12
MOST_SHARES = 12
COLOURS = ("#2a6fb0", "#c2571a")
# As in pictures of examples: red above, blue below.
SHARES = ("#d1495b", "#2a6fb0")

TOKENS = re.compile(
    r"(?P<comment>%[^\n]*)|(?P<string>'(?:[^'\\\n]|\\.)*')|(?P<keyword>\bnot\b|:-|::)"
    r"|(?P<variable>\b[A-Z_]\w*)|(?P<number>(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
)
BARE = re.compile(r"[a-z]\w*", re.ASCII)
STYLES = {
    "comment": "color:#6a737d;font-style:italic",
    "string": "color:#22863a",
    "keyword": "color:#8250df;font-weight:bold",
    "variable": "color:#0550ae",
    "number": "color:#b35900",
}


def template_html(text: str) -> str:
    """Returns the text of a template, coloured."""
    parts = []
    at = 0
    for found in TOKENS.finditer(text):
        parts.append(html.escape(text[at : found.start()]))
        style = STYLES[found.lastgroup or "comment"]
        parts.append(f'<span style="{style}">{html.escape(found.group())}</span>')
        at = found.end()
    parts.append(html.escape(text[at:]))
    return f'<pre style="line-height:1.35">{"".join(parts)}</pre>'


def table_html(head: list[str], rows: list[list[str]]) -> str:
    """Returns a table."""
    cells = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
    lines = [f"<tr>{cells}</tr>"]
    for row in rows:
        lines.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>")
    return f"<table>{''.join(lines)}</table>"


def fact_text(fact: tuple[Any, ...]) -> str:
    """Returns a fact as the language writes it."""
    value, rest = ("", fact) if isinstance(fact[0], str) else (f"{fact[0]} ", fact[1:])
    name, terms = _term(rest[0]), ", ".join(_term(term) for term in rest[1:])
    return f"{value}{name}({terms})" if terms else f"{value}{name}"


def _term(term: Any) -> str:
    """Returns a term as the language writes it: what is no plain name in quotes."""
    if not isinstance(term, str) or BARE.fullmatch(term):
        return str(term)
    return "'" + term.replace("\\", "\\\\").replace("'", "\\'") + "'"


def preview(dataset: Dataset, examples: int, facts: int) -> str:
    """Returns the schema and the first facts of some examples, as text."""
    lines = [repr(dataset)]
    for name, (count, shape) in dataset.schema.items():
        kind = "" if shape in ("", "number") else f", values {shape}"
        lines.append(f"  {name}: {count} facts{kind}")
    for number in range(min(examples, len(dataset))):
        shown = [fact_text(fact) for fact in dataset.facts(number, facts + 1)]
        more = ", ..." if len(shown) > facts else ""
        queries = dataset[number].queries[0]
        asked = f"  asks {', '.join(queries[:3])}{', ...' if len(queries) > 3 else ''}" if queries else ""
        lines.append(f"{dataset[number].names[0]}: {', '.join(shown[:facts])}{more}{asked}")
    return "\n".join(lines)


def dataset_html(dataset: Dataset) -> str:
    """Returns the schema as a table, with the first facts below."""
    rows = [[name, str(count), shape] for name, (count, shape) in dataset.schema.items()]
    first = "\n".join(preview(dataset, 3, 5).splitlines()[1 + len(rows) :])
    head = html.escape(repr(dataset))
    return f"<b>{head}</b>{table_html(['predicate', 'facts', 'values'], rows)}<pre>{html.escape(first)}</pre>"


def model_html(model: Model) -> str:
    """Returns the largest weights as a table."""
    weights = model.weights
    largest = sorted(weights, key=lambda name: -float((weights[name] ** 2).sum()))[:MOST_WEIGHTS]
    rows = [[name, _number(weights[name])] for name in largest]
    more = f"<p>{len(weights) - len(largest)} weights more</p>" if len(weights) > len(largest) else ""
    return f"<b>{html.escape(repr(model))}</b>{table_html(['weight', 'value'], rows)}{more}"


def _number(weight: Any) -> str:
    return f"{weight.item():.6g}" if weight.ndim == 0 else f"{'×'.join(map(str, weight.shape))} numbers"


def history_svg(history: History) -> str:
    """Returns the losses of the first restart as a curve."""
    rows = [row for row in history if row["restart"] == 0]
    if not rows:
        return "<p>no epoch</p>"
    width, height, left, bottom = 480.0, 200.0, 80.0, 26.0
    names = [name for name in ("training_loss", "validation_loss") if name in rows[0]]
    epochs = [row["epoch"] for row in rows]
    every = [row[name] for row in rows for name in names]
    low, high = min(every), max(every)
    spread, last = (high - low) or 1.0, max(epochs[-1] - epochs[0], 1)

    def place(epoch: float, loss: float) -> str:
        x = left + (width - left - 10) * (epoch - epochs[0]) / last
        y = 10 + (height - bottom - 20) * (high - loss) / spread
        return f"{x:.1f},{y:.1f}"

    parts = []
    for name, colour in zip(names, COLOURS):
        points = " ".join(place(row["epoch"], row[name]) for row in rows)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        label = name.replace("_loss", "")
        y = 20.0 + 14 * names.index(name)
        parts.append(f'<text x="{width - 12}" y="{y:.0f}" text-anchor="end" fill="{colour}">{label}</text>')
    for loss in (low, high):
        y = float(place(0, loss).split(",")[1]) + 4
        parts.append(f'<text x="{left - 6}" y="{y:.1f}" text-anchor="end" fill="gray">{loss:.4g}</text>')
    axis = f"epoch {epochs[0]} to {epochs[-1]}"
    parts.append(f'<text x="{left}" y="{height - 8}" fill="gray">{axis}</text>')
    style = "font:12px sans-serif"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'style="{style}">{"".join(parts)}</svg>'
    )


def explanation_html(explanation: Explanation) -> str:
    """Returns the picture of the example, and what each constant brings as bars."""
    parts = []
    try:
        parts.append(explanation.picture().text)
    except ValueError as error:  # an example that is no graph has no picture
        parts.append(f"<p>{html.escape(str(error))}</p>")
    for one, tree in zip(explanation.explained, explanation.trees):
        head = f"{one['example']}: {one['atom']} = {one['value']:.6f}, baseline {one['baseline']:.6f}"
        shares = one["constants"][:MOST_SHARES]
        most = max((abs(share["contribution"]) for share in shares), default=1.0) or 1.0
        bars = "".join(_bar(share["constant"], share["contribution"], most) for share in shares)
        rules = f"<details><summary>rules and facts behind it</summary><pre>{html.escape(tree)}</pre></details>"
        parts.append(f"<p><b>{html.escape(head)}</b></p><table>{bars}</table>{rules}")
    return "".join(parts)


def _bar(name: str, amount: float, most: float) -> str:
    width = 120 * abs(amount) / most
    colour = SHARES[amount < 0]
    bar = f'<div style="background:{colour};height:10px;width:{width:.0f}px"></div>'
    return f"<tr><td>{html.escape(name)}</td><td>{amount:+.6f}</td><td>{bar}</td></tr>"
