"""Add or remove one table, or one table of a list, in a TOML text. All other bytes stay the same.

tomlkit is no replacement: it drops a comment before the next table and moves new keys.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from waypost.faces.setup.jsonc import Malformed, position
from waypost.text.marked_block import newline_of

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
    """A header, or a key with its value, including the line end. `key` includes the table."""

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
        where = _WHERE.search(str(error))
        what = _WHERE.sub("", str(error)) or "nested too deep"
        if where and where[1]:
            raise Malformed(what, int(where[1]), int(where[2])) from error
        raise Malformed(what, *position(plain, len(plain))) from error


def put_table(text: str, path: Path, wanted: Mapping[str, Any]) -> str:
    """Set these values in the table at the path. Other values stay. Equal values leave the text as it is.

    Raises Malformed for a broken text and for tables that cannot be extended, such as inline tables.
    """
    table = value_at(read(text), path)
    if table is None:
        return _checked(_append(text, path, wanted), path, wanted)
    if not isinstance(table, Mapping):
        raise Malformed(f"{'.'.join(path)!r} is not a table", 1, 1)
    for name, value in wanted.items():
        if table.get(name) != value:
            text = _set(text, path, name, value)
    return _checked(text, path, wanted)


def put_value(text: str, key: Path, value: Any) -> str:
    """Set one value. A new key without a table goes before the first table, after which it would belong to that table.

    Raises Malformed as `put_table` does.
    """
    *table, name = key
    if table:
        return put_table(text, tuple(table), {name: value})
    read(text)  # raises Malformed
    lines = statements(text)
    if any(line.key == key and not line.is_header for line in lines):
        return _checked(_set(text, (), name, value), (), {name: value})
    header = next((line.start for line in lines if line.is_header), len(text))
    above = [line.end for line in lines if line.end <= header]
    at = above[-1] if above else 1 if text.startswith("\ufeff") else 0
    newline = newline_of(text)
    before = text[:at] + (newline if at > 1 and not text[:at].endswith("\n") else "")
    return _checked(f"{before}{_toml_key(name)} = {toml_value(value)}{newline}{text[at:]}", (), {name: value})


def drop_value(text: str, key: Path) -> str:
    """Remove one value. The text stays the same if it is missing. Raises Malformed for a value in an inline table."""
    if value_at(read(text), key) is None:
        return text
    entry = next((line for line in statements(text) if line.key == key and not line.is_header), None)
    if entry is None:
        raise _inline(key)
    return text[: entry.start] + text[entry.end :]


def drop_table(text: str, path: Path) -> str:
    """Remove the table and its sub-tables. The text stays the same if it is missing."""
    if value_at(read(text), path) is None:
        return text
    ours = [statement for statement in statements(text) if statement.key[: len(path)] == path]
    for start, end in reversed(_cuts(text, ours)):
        text = text[:start] + text[end:]
    if value_at(read(text), path) is not None:
        raise _inline(path)
    return text


def table_items(text: str, path: Path) -> list[Any]:
    """The tables of a list of tables. Raises Malformed if there is something else."""
    items = value_at(read(text), path)
    if items is not None and not isinstance(items, list):
        raise Malformed(f"{'.'.join(path)!r} is not a list of tables", 1, 1)
    return items or []


def add_item(text: str, path: Path, item: Mapping[str, Any]) -> str:
    """Add a table at the end of a list of tables. Raises Malformed for a list that is written inline."""
    wanted = [*table_items(text, path), item]
    added = _append(text, path, item, is_item=True)
    try:
        done = table_items(added, path) == wanted
    except Malformed as error:
        raise _inline(path) from error
    if not done:
        raise _inline(path)
    return added


def set_in_item(text: str, path: Path, place: int, name: str, value: Any) -> str:
    """Set one value of a table of a list that has it."""
    for statement in _item(text, path, place):
        if statement.key == (*path, name) and not statement.is_header:
            return text[: statement.value_start] + toml_value(value) + text[statement.value_end :]
    raise _inline(path)


def drop_item(text: str, path: Path, place: int) -> str:
    """Remove one table of a list, with its sub-tables."""
    for start, end in reversed(_cuts(text, _item(text, path, place))):
        text = text[:start] + text[end:]
    return text


def _item(text: str, path: Path, place: int) -> list[TomlStatement]:
    """The statements of one table of a list."""
    items: list[list[TomlStatement]] = []
    inside = False
    for statement in statements(text):
        if statement.is_header:
            inside = statement.key[: len(path)] == path
            if statement.key == path:
                items.append([])
        if inside and items:
            items[-1].append(statement)
    if len(items) != len(table_items(text, path)):
        raise _inline(path)
    return items[place]


def statements(text: str) -> list[TomlStatement]:
    """The statements of a valid text, in order."""
    result: list[TomlStatement] = []
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
            result.append(TomlStatement(table, at, end, True))
        else:
            key, equals = _key(text, start)
            first = equals + 1
            value_end, end = _value_end(text, first)
            first += len(text[first:value_end]) - len(text[first:value_end].lstrip(" \t"))
            result.append(TomlStatement((*table, *key), at, end, False, first, value_end))
        at = end
    return result


def value_at(data: Mapping[str, Any], path: Path) -> Any:
    value: Any = data
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _append(text: str, path: Path, wanted: Mapping[str, Any], *, is_item: bool = False) -> str:
    newline = newline_of(text)
    before = text
    if text.strip("\ufeff \t\r\n"):
        before += ("" if text.endswith("\n") else newline) + newline
    name = ".".join(_toml_key(part) for part in path)
    rows = [f"[[{name}]]" if is_item else f"[{name}]"]
    rows += [f"{_toml_key(name)} = {toml_value(value)}" for name, value in wanted.items()]
    return before + newline.join(rows) + newline


def _set(text: str, path: Path, name: str, value: Any) -> str:
    all_statements = statements(text)
    for statement in all_statements:
        if statement.key == (*path, name) and not statement.is_header:
            return text[: statement.value_start] + toml_value(value) + text[statement.value_end :]
    for header in all_statements:
        if header.key == path and header.is_header:
            newline = newline_of(text)
            head = text[: header.end] if text[: header.end].endswith("\n") else text[: header.end] + newline
            return f"{head}{_toml_key(name)} = {toml_value(value)}{newline}{text[header.end :]}"
    raise _inline(path)


def _cuts(text: str, ours: list[TomlStatement]) -> list[tuple[int, int]]:
    """The spans to remove. Adjacent statements make one span; a table takes the empty line before it along."""
    cuts: list[tuple[int, int]] = []
    for statement in ours:
        start = statement.start
        if cuts and not _has_statement(text[cuts[-1][1] : start]) and not statement.is_header:
            cuts[-1] = (cuts[-1][0], statement.end)
            continue
        if statement.is_header and not (cuts and cuts[-1][1] == start):
            start = _before_empty_line(text, start)
        cuts.append((start, statement.end))
    return cuts


def _has_statement(between: str) -> bool:
    return any(line.strip() and not line.strip().startswith("#") for line in between.splitlines())


def _before_empty_line(text: str, start: int) -> int:
    for empty in ("\r\n", "\n"):
        if text[:start].endswith(empty):
            earlier = start - len(empty)
            if not earlier or text[earlier - 1] == "\n":
                return earlier
    return start


def _checked(text: str, path: Path, wanted: Mapping[str, Any]) -> str:
    """The text, if it has the wanted values now. Raises Malformed: an inline table cannot be extended."""
    try:
        table = value_at(read(text), path)
    except Malformed as error:
        raise _inline(path) from error
    if not isinstance(table, Mapping) or any(table.get(name) != value for name, value in wanted.items()):
        raise _inline(path)
    return text


def _inline(path: Path) -> Malformed:
    return Malformed(f"{'.'.join(path)!r} is written in a way that cannot be changed from outside", 1, 1)


def _key(text: str, at: int) -> tuple[Path, int]:
    """The dotted key that begins here, and its end."""
    parts: list[str] = []
    while True:
        part = _KEY_PART.match(text, at)
        if part is None:
            raise Malformed("a name is expected", *position(text, at))
        bare, basic, literal = part.groups()
        parts.append(
            json.loads(f'"{basic}"') if basic is not None and "\\" in basic else bare or basic or literal or ""
        )
        at = part.end()
        if not text.startswith(".", at):
            return tuple(parts), at
        at += 1


def _value_end(text: str, at: int) -> tuple[int, int]:
    """The end of the value that begins here, and the end of its last line."""
    depth, value_end = 0, at
    while at < len(text):
        matched = _PIECE.match(text, at)
        if matched is None:
            break
        piece, at = matched[0], matched.end()
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


def _toml_key(name: str) -> str:
    return name if _BARE.fullmatch(name) else toml_value(name)


def toml_value(value: Any) -> str:
    """A string, list or table of strings as TOML on one line."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml_key(name)} = {toml_value(member)}" for name, member in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
