"""Markdown as notes: one for each list item or paragraph, with the headings above it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

_OWN_PART = re.compile(r"(?ms)^<!-- waypost:begin\b.*?^<!-- waypost:end -->[^\n]*\n?")
_COMMENT = re.compile(r"<!--(?:[^-]|-(?!->))*-->")
_FRONT = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*$\n?", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"(#{1,6})[ \t]+(.+?)[ \t]*#*")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_LARGEST_FRONT = 20_000


@dataclass(frozen=True, slots=True)
class Block:
    """A list item with what is below it, or a paragraph."""

    text: str
    headings: tuple[str, ...]
    is_item: bool


def split_front(text: str) -> tuple[dict[str, Any], str]:
    """The YAML between `---` at the top, and the rest. Broken YAML counts as none."""
    match = _FRONT.match(text.replace("\r\n", "\n"))
    if match is None:
        return {}, text.replace("\r\n", "\n")
    rest = text.replace("\r\n", "\n")[match.end() :]
    if len(match[1]) > _LARGEST_FRONT:
        return {}, rest
    try:
        front = yaml.safe_load(match[1])
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}, rest
    return (front if isinstance(front, dict) else {}), rest


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a text, in order. Waypost's own part and comments are left out."""
    plain = _COMMENT.sub("", _OWN_PART.sub("", text.replace("\r\n", "\n")))
    headings: list[tuple[int, str]] = []
    lines: list[str] = []
    fence = ""

    def block() -> Iterator[Block]:
        joined = "\n".join(lines).strip()
        lines.clear()
        if joined:
            item = _ITEM.match(joined)
            text_of = joined[item.end() :] if item else joined
            yield Block(text_of, tuple(name for _, name in headings), item is not None)

    for line in plain.splitlines():
        opened = _FENCE.match(line)
        if fence:
            lines.append(line)
            fence = "" if opened and opened[1][0] == fence[0] and len(opened[1]) >= len(fence) else fence
            continue
        if opened:  # code belongs to the text above it
            fence = opened[1]
            while lines and not lines[-1].strip():
                lines.pop()
            lines.append(line)
            continue
        heading = _HEADING.fullmatch(line)
        if heading:
            yield from block()
            depth = len(heading[1])
            headings = [(level, name) for level, name in headings if level < depth] + [(depth, heading[2])]
        elif _ITEM.match(line) or (not line.strip() and not _in_item(lines)):
            yield from block()
            lines.extend([line] if line.strip() else [])
        elif line.strip() and lines and not lines[-1].strip() and not line[:1].isspace():
            yield from block()  # a paragraph after an empty line that followed an item
            lines.append(line)
        else:
            lines.append(line)
    yield from block()


def _in_item(lines: list[str]) -> bool:
    return bool(lines) and _ITEM.match(lines[0]) is not None


def with_headings(block: Block, title: str = "") -> str:
    """The text with the headings above it, unless it already has their words."""
    names = [name for name in (title, *(block.headings[1:] if title else block.headings)) if name]
    context = " / ".join(dict.fromkeys(names[-2:]))
    return block.text if not context or context.casefold() in block.text.casefold() else f"{context}: {block.text}"
