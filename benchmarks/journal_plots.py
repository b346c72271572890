"""Plots of the journal's years as plain SVG: labelled, and readable on light and dark pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log10
from pathlib import Path
from typing import Any

WIDTH, HEIGHT = 720, 360
_FIRST = 0.6  # days: where a logarithmic axis begins
LEFT, RIGHT, TOP, BOTTOM = 62, 24, 44, 52
_STYLE = """<style>
  .ink { fill: #24292f; font: 12px system-ui, sans-serif }
  .title { font-weight: 600; font-size: 14px }
  .soft { fill: #57606a; font: 11px system-ui, sans-serif }
  .axis { stroke: #8c959f; fill: none } .grid { stroke: #8c959f; opacity: .25 } .goal { stroke: #d1242f; stroke-dasharray: 5 4 }
  .c0 { fill: #0969da; stroke: #0969da } .c1 { fill: #1a7f37; stroke: #1a7f37 } .c2 { fill: #bf8700; stroke: #bf8700 }
  .c3 { fill: #8250df; stroke: #8250df } .c4 { fill: #cf222e; stroke: #cf222e } .c5 { fill: #57606a; stroke: #57606a }
  .area { stroke: none; opacity: .8 } .line { fill: none; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    .ink { fill: #e6edf3 } .soft { fill: #9198a1 } .axis, .grid { stroke: #9198a1 }
    .c0 { fill: #4493f8; stroke: #4493f8 } .c1 { fill: #3fb950; stroke: #3fb950 } .c2 { fill: #d29922; stroke: #d29922 }
    .c3 { fill: #ab7df8; stroke: #ab7df8 } .c4 { fill: #f85149; stroke: #f85149 } .c5 { fill: #9198a1; stroke: #9198a1 }
  }
</style>"""
STAGES = {  # bottom to top; what is not named here is "summaries and pages"
    "archive (packed)": "archive, bundles",
    "archive/daily": "archive, not yet compressed",
    "daily": "days",
    "other": "summaries, pages, copies of the index",
}


@dataclass(frozen=True)
class Axes:
    """Where a value stands on the page."""

    right: float
    top: float
    logarithmic: bool = False  # the lower axis

    def x(self, value: float) -> float:
        share = log10(value / _FIRST) / log10(self.right / _FIRST) if self.logarithmic else value / self.right
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return HEIGHT - BOTTOM - value / self.top * (HEIGHT - TOP - BOTTOM)


def draw_all(sizes: Mapping[str, Any], recall: Mapping[str, Any], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rows = sizes["rows"]
    many = f"{sizes['conversations']} conversations of {sizes['characters']:,} characters a day"
    (folder / "journal-size.svg").write_text(size_plot(rows, many), encoding="utf-8")
    (folder / "journal-load.svg").write_text(load_plot(rows), encoding="utf-8")
    (folder / "journal-recall.svg").write_text(recall_plot(recall), encoding="utf-8")


def size_plot(rows: Sequence[Mapping[str, Any]], many: str) -> str:
    """Bytes by stage, one upon the other; what was said above them as a line."""
    stacks = [(row["day"], _stages(row["bytes"])) for row in rows]
    said = [(row["day"], row["characters"] / 1e6) for row in rows]
    highest = max([value for _, value in said] + [sum(stages.values()) for _, stages in stacks])
    axes = Axes(max(row["day"] for row in rows), _round_up(highest))
    parts, below = [], [0.0] * len(stacks)
    for number, name in enumerate(STAGES):
        above = [base + stages[name] for base, (_, stages) in zip(below, stacks, strict=True)]
        edge = [(day, top) for (day, _), top in zip(stacks, above, strict=True)]
        floor = [(day, base) for (day, _), base in zip(reversed(stacks), reversed(below), strict=True)]
        parts.append(f'<polygon class="area c{number}" points="{_points(axes, [*edge, *floor])}"/>')
        below = above
    parts.append(f'<polyline class="line c5" points="{_points(axes, said)}"/>')
    keys = [(f"c{number}", name) for number, name in enumerate(STAGES.values())]
    keys = [*reversed(keys), ("c5", "characters that were said (millions)")]
    frame = _frame(axes, f"Size of the journal's files in MB: {many}", _days(axes.right), "days", _ticks(axes.top))
    return _page([frame, *parts, _legend(keys)], "The size of a journal as it grows, by stage.")


def load_plot(rows: Sequence[Mapping[str, Any]]) -> str:
    """By the time of the processor, which others on the machine do not change."""
    middle = [(row["day"], row["brief_ms"]["cpu_p50"]) for row in rows if "cpu_p50" in row.get("brief_ms", {})]
    axes = Axes(max(day for day, _ in middle), max(120.0, _round_up(max(value for _, value in middle))))
    goal = f'<line class="goal" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{axes.y(100):.1f}" y2="{axes.y(100):.1f}"/>'
    line = f'<polyline class="line c0" points="{_points(axes, middle)}"/>'
    frame = _frame(
        axes,
        "Loading the standard context, median ms of processor time",
        _days(axes.right),
        "days",
        _ticks(axes.top),
    )
    note = f'<text class="soft" x="{WIDTH - RIGHT}" y="{axes.y(100) - 5:.1f}" text-anchor="end">goal: well under 100 ms</text>'
    return _page([frame, goal, note, line], "The time to load the standard context as a journal grows.")


def recall_plot(recall: Mapping[str, Any]) -> str:
    ages = [(int(age), found["found"] * 100, found["asked"]) for age, found in recall["ages"].items() if found["asked"]]
    axes = Axes(1600, 100, logarithmic=True)
    line = f'<polyline class="line c0" points="{_points(axes, [(age, share) for age, share, _ in ages])}"/>'
    marks = [f'<circle class="c0" cx="{axes.x(age):.1f}" cy="{axes.y(share):.1f}" r="4"/>' for age, share, _ in ages]
    told = [
        f'<text class="soft" x="{axes.x(age):.1f}" y="{axes.y(share) + 18:.1f}" text-anchor="middle">'
        f"{share:.0f} % of {asked}</text>"
        for age, share, asked in ages
    ]
    title = "Facts stated once that recall finds in its first five, in % by their age"
    frame = _frame(axes, title, [(age, str(age)) for age, _, _ in ages], "days since it was said", _ticks(100))
    return _page([frame, line, *marks, *told], "How much is found again after one day to a thousand.")


def _stages(sizes: Mapping[str, int]) -> dict[str, float]:
    named = {name: sizes.get(name, 0) / 1e6 for name in STAGES if name != "other"}
    return {**named, "other": sum(sizes.values()) / 1e6 - sum(named.values())}


def _points(axes: Axes, values: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{axes.x(x):.1f},{axes.y(y):.1f}" for x, y in values)


def _frame(axes: Axes, title: str, below: Sequence[tuple[float, str]], unit: str, left: Sequence[float]) -> str:
    floor = axes.y(0)
    parts = [f'<text class="ink title" x="{LEFT}" y="22">{title}</text>']
    for value in left:
        y = axes.y(value)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="soft" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    for value, name in below:
        x = axes.x(value)
        parts.append(f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{floor}" y2="{floor + 5}"/>')
        parts.append(f'<text class="soft" x="{x:.1f}" y="{floor + 18:.1f}" text-anchor="middle">{name}</text>')
    parts.append(f'<path class="axis" d="M{LEFT} {TOP}V{floor}H{WIDTH - RIGHT}"/>')
    parts.append(f'<text class="soft" x="{WIDTH - RIGHT}" y="{HEIGHT - 12}" text-anchor="end">{unit}</text>')
    return "\n".join(parts)


def _legend(keys: Sequence[tuple[str, str]]) -> str:
    rows = []
    for number, (colour, name) in enumerate(keys):
        y = TOP + 14 + number * 18
        rows.append(f'<rect class="area {colour}" x="{LEFT + 14}" y="{y - 9}" width="11" height="11"/>')
        rows.append(f'<text class="ink" x="{LEFT + 32}" y="{y}">{name}</text>')
    return "\n".join(rows)


def _page(parts: Sequence[str], told: str) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{told}">'
    return "\n".join([head, f"<title>{told}</title>", _STYLE, *parts, "</svg>", ""])


def _days(most: float) -> list[tuple[float, str]]:
    step = 180 if most > 400 else 60
    return [(day, str(day)) for day in range(0, int(most) + 1, step)]


def _ticks(top: float) -> list[float]:
    step = next(one for one in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500) if top / one <= 6)
    return [round(step * number, 3) for number in range(int(top / step) + 1)]


def _round_up(value: float) -> float:
    step = next(one for one in (0.1, 0.5, 1, 5, 10, 50, 100, 500) if value / one <= 12)
    return step * (int(value / step) + 1)
