"""Small edits in a TOML text: one table more or less, and every other byte as it was."""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from waypost.faces.setup.jsonc import Malformed, position
from waypost.faces.setup.jsonc_edit import newline_of

Path = tuple[str, ...]

_KEY_PART = re.compile(r"""[ \t]*(?:([A-Za-z0-9_-]+)|"([^"\\\r\n]*(?:\\.[^"\\\r\n]*)*)"|'([^'\r\n]*)')[ \t]*""")
_WHERE = re.compile(r"(?<!\s)\s*+\(at (?:line (\d+), column (\d+)|end of document)\)")
_PIECE = re.compile(
    r'"""(?:[^"\\]|\\[\s\S]|"(?!""))*"{3,5}'
    r"|'''(?:[^']|'(?!''))*'{3,5}"
    r'|"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*"'
    r"|'[^'\r\n]*'|\#[^\r\n]*|[\[\]{}]|\r?\n|[^\"'\#\[\]{}\r\n]+|."
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class TomlStatement:
    """A header, or a name and its value, with the end of its line. `key` is whole: with the table it stands in."""

    key: Path
    start: int
    end: int
    is_header: bool
    value_start: int = 0
    value_end: int = 0


def read(text: str) -> dict[str, Any]:
    """The values of the text. Raises Malformed."""
    plain = text.removeprefix("\ufeff")
    try:
        return tomllib.loads(plain)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = _WHERE.search(str(error))
        what = _WHERE.sub("", str(error)) or "nested too deep"
        if found and found[1]:
            raise Malformed(what, int(found[1]), int(found[2])) from error
        raise Malformed(what, *position(plain, len(plain))) from error


def put_table(text: str, path: Path, wanted: Mapping[str, Any]) -> str:
    """Let the table at the path have these values; others in it stay. Equal already: the same text.

    Raises Malformed for a broken text, and where the table is written in a way that this cannot change.
    """
    data = read(text)
    there = _at(data, path)
    if there is None:
        return _checked(_append(text, path, wanted), path, wanted)
    if not isinstance(there, Mapping):
        raise Malformed(f"{'.'.join(path)!r} is not a table", 1, 1)
    for name, value in wanted.items():
        if there.get(name) != value:
            text = _set(text, path, name, value)
    return _checked(text, path, wanted)


def drop_table(text: str, path: Path) -> str:
    """Take the table away with all that is under it; the same text where there is none."""
    if _at(read(text), path) is None:
        return text
    ours = [one for one in statements(text) if one.key[: len(path)] == path]
    for start, end in reversed(_joined(text, ours)):
        text = text[:start] + text[end:]
    if _at(read(text), path) is not None:
        raise _inline(path)
    return text


def statements(text: str) -> list[TomlStatement]:
    """The statements of a valid text, in order."""
    found: list[TomlStatement] = []
    table: Path = ()
    at = 1 if text.startswith("\ufeff") else 0
    while at < len(text):
        end = _line_end(text, at)
        start = at + len(text[at:end]) - len(text[at:end].lstrip(" \t"))
        if text[start : start + 1] in ("", "\n", "\r", "#"):
            at = end
            continue
        if text[start] == "[":
            opening = 2 if text.startswith("[[", start) else 1
            table, _ = _key(text, start + opening)
            found.append(TomlStatement(table, at, end, True))
        else:
            key, equals = _key(text, start)
            first = equals + 1
            value_end, end = _value_end(text, first)
            first += len(text[first:value_end]) - len(text[first:value_end].lstrip(" \t"))
            found.append(TomlStatement((*table, *key), at, end, False, first, value_end))
        at = end
    return found


def _at(data: Mapping[str, Any], path: Path) -> Any:
    found: Any = data
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def _append(text: str, path: Path, wanted: Mapping[str, Any]) -> str:
    newline = newline_of(text)
    before = text
    if text.strip("\ufeff \t\r\n"):
        before += ("" if text.endswith("\n") else newline) + newline
    rows = [f"[{'.'.join(_spelled_key(part) for part in path)}]"]
    rows += [f"{_spelled_key(name)} = {spelled(value)}" for name, value in wanted.items()]
    return before + newline.join(rows) + newline


def _set(text: str, path: Path, name: str, value: Any) -> str:
    for one in statements(text):
        if one.key == (*path, name) and not one.is_header:
            return text[: one.value_start] + spelled(value) + text[one.value_end :]
    for one in statements(text):
        if one.key == path and one.is_header:
            newline = newline_of(text)
            head = text[: one.end] if text[: one.end].endswith("\n") else text[: one.end] + newline
            return f"{head}{_spelled_key(name)} = {spelled(value)}{newline}{text[one.end :]}"
    raise _inline(path)


def _joined(text: str, ours: list[TomlStatement]) -> list[tuple[int, int]]:
    """The places to cut: what follows on each other in one piece, with one empty line before a table."""
    cuts: list[tuple[int, int]] = []
    for one in ours:
        start = one.start
        if cuts and not _said(text[cuts[-1][1] : start]) and not one.is_header:
            cuts[-1] = (cuts[-1][0], one.end)
            continue
        if one.is_header and not (cuts and cuts[-1][1] == start):
            start = _before_empty_line(text, start)
        cuts.append((start, one.end))
    return cuts


def _said(between: str) -> bool:
    """Whether something that is no comment stands there; comments inside a table go with it."""
    return any(line.strip() and not line.strip().startswith("#") for line in between.splitlines())


def _before_empty_line(text: str, start: int) -> int:
    for empty in ("\r\n", "\n"):
        if text[:start].endswith(empty):
            earlier = start - len(empty)
            if not earlier or text[earlier - 1] == "\n":
                return earlier
    return start


def _checked(text: str, path: Path, wanted: Mapping[str, Any]) -> str:
    """The text, when it says what is wanted: a table may be closed against additions."""
    try:
        there = _at(read(text), path)
    except Malformed as error:
        raise _inline(path) from error
    if not isinstance(there, Mapping) or any(there.get(name) != value for name, value in wanted.items()):
        raise _inline(path)
    return text


def _inline(path: Path) -> Malformed:
    return Malformed(f"{'.'.join(path)!r} is written in a way that cannot be changed from outside", 1, 1)


def _key(text: str, at: int) -> tuple[Path, int]:
    """The dotted name that begins here, and the place behind it."""
    parts: list[str] = []
    while True:
        found = _KEY_PART.match(text, at)
        if found is None:
            raise Malformed("a name is expected", *position(text, at))
        bare, basic, literal = found.groups()
        parts.append(
            json.loads(f'"{basic}"') if basic is not None and "\\" in basic else bare or basic or literal or ""
        )
        at = found.end()
        if not text.startswith(".", at):
            return tuple(parts), at
        at += 1


def _value_end(text: str, at: int) -> tuple[int, int]:
    """The end of the value that begins here, and of its last line."""
    depth, value_end = 0, at
    while at < len(text):
        found = _PIECE.match(text, at)
        if found is None:
            break
        piece, at = found[0], found.end()
        if piece in ("[", "{"):
            depth += 1
        elif piece in ("]", "}"):
            depth -= 1
        if piece in ("\n", "\r\n"):
            if depth <= 0:
                return value_end, at
        elif not piece.startswith("#") and piece.strip():
            value_end = at - len(piece) + len(piece.rstrip())
    return value_end, at


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _spelled_key(name: str) -> str:
    return name if _BARE.fullmatch(name) else spelled(name)


def spelled(value: Any) -> str:
    """A string, list or table of strings, in TOML on one line."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_spelled_key(name)} = {spelled(one)}" for name, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(spelled(one) for one in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
