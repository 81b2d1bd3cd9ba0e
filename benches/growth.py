"""Measures how time and memory grow with the data, and draws it.

    python3 benches/growth.py                        # runs lrnn-bench --growth: an hour or less, 16 GB of memory
    python3 benches/growth.py --draw benches/results/growth.jsonl

Writes every measurement as a line of benches/results/growth.jsonl, a table to the terminal, and the picture
docs/pictures/growth.svg: seconds of the processor and memory against the number of molecules, and of edges.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
MOLECULES = 188
EDGES = {"graph-10k": 60_000, "graph-50k": 300_000, "graph-200k": 1_200_000, "graph-1667k": 10_000_000}
SERIES = {
    "gcn-10": ("graph convolution, molecules", "#0b6e4f"),
    "chains": ("243 chains, molecules", "#b5541c"),
    "graph": ("two layers on one graph, edges", "#2b4c9b"),
}
STAGES = ["read", "build", "epoch"]


def measured() -> list[dict[str, Any]]:
    """Returns the lines of a run, which are written to the file one by one."""
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "lrnn-benches"], cwd=ROOT, check=True)
    program = ROOT / "target/release/lrnn-bench"
    command = [str(program), "--growth", "--json", "--seconds", "0.3"]
    lines = []
    with open(ROOT / "benches/results/growth.jsonl", "w", encoding="utf-8") as file:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as running:
            for line in running.stdout or ():
                file.write(line)
                file.flush()
                lines.append(json.loads(line))
        if running.returncode:
            raise SystemExit("lrnn-bench ended early")
    return lines


def rows(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns one row for each case and size: the least time of the processor by stage, and the memory."""
    table: dict[tuple[str, int], dict[str, Any]] = {}
    for line in lines:
        series = "graph" if line["case"].startswith("graph") else line["case"]
        size = EDGES[line["case"]] if series == "graph" else MOLECULES * line["copies"]
        row = table.setdefault((series, size), {"series": series, "size": size})
        # The system counts the processor in steps: what is shorter than one has its time by the clock.
        row[line["stage"]] = min(value for value in (line["processor_s"], line["least_s"]) if value > 0)
        row["memory"] = line.get("peak_bytes", row.get("memory"))
    return sorted(table.values(), key=lambda row: (list(SERIES).index(row["series"]), row["size"]))


def seconds(value: float) -> str:
    return f"{value:.3g} s" if value >= 1 else f"{1e3 * value:.3g} ms"


def memory(value: float) -> str:
    return f"{value / 1e9:.1f} GB" if value >= 1e9 else f"{value / 1e6:.0f} MB"


def table(found: list[dict[str, Any]]) -> str:
    lines = ["| | size | read | ground | build | epoch | peak memory |", "|---|---|---|---|---|---|---|"]
    for row in found:
        times = " | ".join(seconds(row[stage]) for stage in ["read", "ground", "build", "epoch"])
        lines.append(f"| {SERIES[row['series']][0]} | {row['size']:,} | {times} | {memory(row['memory'])} |")
    return "\n".join(lines)


class Panel:
    """A diagram with logarithmic axes."""

    def __init__(self, left: float, title: str, wide: tuple[int, int], high: tuple[int, int], unit: Any) -> None:
        self.left, self.top, self.width, self.height = left, 46.0, 330.0, 250.0
        self.wide, self.high = wide, high
        self.parts = [f'<text x="{left}" y="28" class="title">{title}</text>']
        for power in range(wide[0], wide[1] + 1):
            x = self.x(10.0**power)
            self.line(x, self.top, x, self.top + self.height, "#dddddd")
            self.text(x, self.top + self.height + 16, short(10**power), "middle")
        for power in range(high[0], high[1] + 1):
            y = self.y(10.0**power)
            self.line(left, y, left + self.width, y, "#dddddd")
            self.text(left - 6, y + 4, unit(10.0**power), "end")
        self.text(left + self.width / 2, self.top + self.height + 34, "molecules, or edges of one graph", "middle")

    def x(self, value: float) -> float:
        return self.left + self.width * (math.log10(value) - self.wide[0]) / (self.wide[1] - self.wide[0])

    def y(self, value: float) -> float:
        share = (math.log10(value) - self.high[0]) / (self.high[1] - self.high[0])
        return self.top + self.height * (1 - share)

    def line(self, x: float, y: float, to_x: float, to_y: float, colour: str) -> None:
        self.parts.append(f'<path d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" stroke="{colour}"/>')

    def text(self, x: float, y: float, what: str, anchor: str) -> None:
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{what}</text>')

    def curve(self, points: list[tuple[float, float]], colour: str, dashes: str) -> None:
        places = [(self.x(size), self.y(value)) for size, value in points]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        self.parts.append(
            f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>')
        self.parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]


def short(value: int) -> str:
    return f"{value // 10**6}M" if value >= 10**6 else f"{value // 1000}k" if value >= 1000 else str(value)


def drawing(found: list[dict[str, Any]]) -> str:
    """Returns the picture: times on the left, memory on the right."""
    dashes = {"read": "2 4", "build": "8 4", "epoch": "none"}
    times = Panel(60, "Seconds of one processor", (2, 7), (-5, 3), lambda value: f"{value:g}")
    room = Panel(470, "Peak memory of the process", (2, 7), (6, 11), memory)
    for series, (_, colour) in SERIES.items():
        own = [row for row in found if row["series"] == series]
        for stage in STAGES:
            times.curve([(row["size"], row[stage]) for row in own], colour, dashes[stage])
        room.curve([(row["size"], row["memory"]) for row in own], colour, "none")
    legend = []
    for number, (name, colour) in enumerate(SERIES.values()):
        x = 60 + 255 * number
        legend.append(f'<path d="M{x} 350h28" stroke="{colour}" stroke-width="2"/>')
        legend.append(f'<text x="{x + 34}" y="354">{name}</text>')
    for number, stage in enumerate(STAGES):
        x = 60 + 255 * number
        legend.append(f'<path d="M{x} 372h28" stroke="#444444" stroke-width="2" stroke-dasharray="{dashes[stage]}"/>')
        legend.append(f'<text x="{x + 34}" y="376">{stage}</text>')
    body = "\n".join(times.parts + room.parts + legend)
    style = "text{font:12px sans-serif;fill:#222222}.title{font-weight:bold;font-size:14px}"
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 830 392" width="830" height="392">\n'
            f"<title>Time and memory as the data grows</title>\n<style>{style}</style>\n"
            f'<rect width="830" height="392" fill="#ffffff"/>\n{body}\n</svg>\n')


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--draw", type=Path, metavar="FILE", help="draw these measurements instead of making new ones")
    asked = words.parse_args()
    if asked.draw:
        lines = [json.loads(line) for line in asked.draw.read_text(encoding="utf-8").splitlines()]
    else:
        lines = measured()
    found = rows(lines)
    print(table(found))
    (ROOT / "docs/pictures/growth.svg").write_text(drawing(found), encoding="utf-8")


if __name__ == "__main__":
    main()
