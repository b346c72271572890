"""Markdown as blocks: each list item or paragraph, with the headings above it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from waypost.compat.agent_memory.notes import read_text

_LARGEST_FILE = 4_000_000  # bytes
_LARGEST_FRONT = 20_000
_OWN = ("waypost", "waypost:memories")  # marks around what Waypost writes into such files
_FRONT = re.compile(r"---[ \t]*\n(.*?)^---[ \t]*$\n?", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"(#{1,6})[ \t]++([^\n]+)")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX-]\][ \t]+)?")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Block:
    """A list item with what is below it, or a paragraph."""

    text: str
    headings: tuple[str, ...]
    is_item: bool

    def in_context(self, title: str = "") -> str:
        """The text after its title and headings, unless it already has their words."""
        names = [title, *self.headings[1:]] if title else list(self.headings)
        context = " / ".join(dict.fromkeys([name for name in names if name][-2:]))
        return f"{context}: {self.text}" if context and context.casefold() not in self.text.casefold() else self.text


def read_markdown(path: Path) -> tuple[dict[str, Any], str]:
    """The YAML between `---` at the top, and the text. Broken or oversized YAML counts as none."""
    text = read_text(path, _LARGEST_FILE).replace("\r\n", "\n")
    match = _FRONT.match(text)
    if match is None:
        return {}, text
    try:
        front = yaml.safe_load(match[1]) if len(match[1]) <= _LARGEST_FRONT else None
    except (yaml.YAMLError, RecursionError, ValueError):
        front = None
    return (front if isinstance(front, dict) else {}), text[match.end() :]


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a text, in order. Comments and the part that Waypost wrote itself are left out."""
    headings: list[tuple[int, str]] = []
    lines: list[str] = []
    fence = ""
    for mark_name in _OWN:
        text = _without(text, f"<!-- {mark_name}:begin", f"<!-- {mark_name}:end -->")
    for line in _without(text, "<!--", "-->").split("\n"):
        mark = _FENCE.match(line)
        if fence:
            lines.append(line)
            fence = "" if mark and mark[1].startswith(fence) else fence
            continue
        if mark:  # code belongs to the text above it
            fence = mark[1]
            while lines and not lines[-1].strip():
                lines.pop()
            lines.append(line)
            continue
        heading = _HEADING.fullmatch(line)
        if heading or _ITEM.match(line) or _is_next_paragraph(line, lines):
            yield from _block(lines, headings)
            lines = []
        if heading:
            depth = len(heading[1])
            headings = [(level, name) for level, name in headings if level < depth]
            headings.append((depth, heading[2].rstrip("# \t")))
        elif line.strip() or lines:
            lines.append(line)
    yield from _block(lines, headings)


def _is_next_paragraph(line: str, lines: list[str]) -> bool:
    """An item goes on after an empty line if it is indented; other text does not."""
    after_gap = bool(lines) and not lines[-1].strip()
    return after_gap and bool(line.strip()) and not (line[:1].isspace() and _ITEM.match(lines[0]))


def _block(lines: list[str], headings: list[tuple[int, str]]) -> Iterator[Block]:
    text = "\n".join(lines).strip()
    item = _ITEM.match(text)
    text = text[item.end() :].strip() if item else text
    if text:
        yield Block(text, tuple(name for _, name in headings), item is not None)


def _without(text: str, begin: str, end: str) -> str:
    """The text without the parts from `begin` to `end`. A part without end stays."""
    kept, at = [], 0
    while (start := text.find(begin, at)) >= 0 and (stop := text.find(end, start)) >= 0:
        kept.append(text[at:start])
        at = stop + len(end)
    return "".join([*kept, text[at:]])
