"""Reasons in a file's content not to read it: it is binary, generated or minified."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from waypost.code.files.ignore import Ignoring, parse_rules

_LINES_OF_A_HEADER = 25
_CHARACTERS_OF_A_HEADER = 4_000
_SMALLEST_MINIFIED = 4_000  # a short file may have one long line
_LONG_LINE = 1_000  # longer than anyone writes by hand
_SHORT_LINES_OF_MINIFIED = 20  # such as a licence
_DENSE = 0.015  # 2 to 5 % of minified code are braces and semicolons
_NEARLY_ALL = 0.95
_MARK_LENGTH = 64
_CODE_LINES_OF_A_HEADER = 2  # `<?php`, `"use strict"`, a package clause
_BLOCKS = {'"""': '"""', "'''": "'''", "/*": "*/", "<!--": "-->", "(*": "*)", "{-": "-}", "{#": "#}"}


@dataclass(frozen=True, slots=True)
class _Marks:
    magic: tuple[tuple[bytes, str], ...]
    generated: tuple[str, ...]
    generated_starts: tuple[str, ...]
    generated_pairs: tuple[tuple[str, str], ...]
    comment_starts: tuple[str, ...]
    document_comment_starts: tuple[str, ...]
    document_endings: tuple[str, ...]
    wanted: Ignoring
    long_lines_are_normal: tuple[str, ...]


@cache
def _marks() -> _Marks:
    data = tomllib.loads(files("waypost.code.files").joinpath("skip.toml").read_text(encoding="utf-8"))["content"]
    return _Marks(
        magic=tuple((start.encode("latin-1"), reason) for start, reason in data["magic"]),
        generated=tuple(data["generated_marks"]),
        generated_starts=tuple(data["generated_starts"]),
        generated_pairs=tuple((first, second) for first, second in data["generated_pairs"]),
        comment_starts=tuple(data["comment_starts"]),
        document_comment_starts=tuple(data["document_comment_starts"]),
        document_endings=tuple(data["document_endings"]),
        wanted=Ignoring((parse_rules("\n".join(data["generated_but_wanted"])),)),
        long_lines_are_normal=tuple(data["long_lines_are_normal"]),
    )


def magic_reason(raw: bytes) -> str | None:
    """The binary format that the first bytes show, or None."""
    start = raw[:_MARK_LENGTH]
    return next((reason for mark, reason in _marks().magic if start.startswith(mark)), None)


def written_by_machine(path: str, text: str) -> str | None:
    """Why this text is not read: generated or minified. None if it is neither. Lines end with `\\n`."""
    if _says_it_is_generated(path, text):
        return "generated: its first lines say so"
    if _is_minified(path, text):
        return "minified: most of it stands on very long lines"
    return None


def _says_it_is_generated(path: str, text: str) -> bool:
    marks = _marks()
    header = text[:_CHARACTERS_OF_A_HEADER].lower()
    if "generated" not in header or marks.wanted.rule_against_any_part(path.lower()) is not None:
        return False
    is_document = path.lower().endswith(marks.document_endings)
    starts = marks.document_comment_starts if is_document else marks.comment_starts
    return any("generated" in line and _is_claim(line, marks) for line in _comment_lines(header, starts))


def _is_claim(line: str, marks: _Marks) -> bool:
    return (
        any(mark in line for mark in marks.generated)
        or any(first in line and second in line for first, second in marks.generated_pairs)
        or line.lstrip("#/*-;%\"'({<!@ \t").startswith(marks.generated_starts)
    )


def _comment_lines(header: str, starts: tuple[str, ...]) -> Iterator[str]:
    """The comment lines before the code. Marks further down may belong to a template inside a program."""
    code_lines = 0
    closing = ""  # of a comment or docstring over several lines
    for line in header.split("\n")[:_LINES_OF_A_HEADER]:
        stripped = line.strip()
        if closing:
            yield stripped
            closing = "" if closing in stripped else closing
        elif stripped.startswith(starts):
            yield stripped
            opening = next((sign for sign in _BLOCKS if stripped.startswith(sign)), "")
            if opening and _BLOCKS[opening] not in stripped[len(opening) :]:
                closing = _BLOCKS[opening]
        elif stripped:
            code_lines += 1
            if code_lines > _CODE_LINES_OF_A_HEADER:
                return


def _is_minified(path: str, text: str) -> bool:
    """Whether nearly all of it is on a few long lines of code or data.

    Embedded pictures and documents have long lines too, but without braces and among many ordinary lines.
    """
    name = path.lower()
    if len(text) < _SMALLEST_MINIFIED or name.endswith(_marks().long_lines_are_normal):
        return False
    long = signs = short_lines = 0
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if end - start > _LONG_LINE:
            long += end - start
            signs += sum(text.count(sign, start, end) for sign in "{};")
        elif end > start:
            short_lines += 1
        start = end + 1
    if 2 * long <= len(text) or short_lines > _SHORT_LINES_OF_MINIFIED:
        return False
    return signs > _DENSE * long or long > _NEARLY_ALL * len(text) or name.endswith(".json")
