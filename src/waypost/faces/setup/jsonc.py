"""Parse JSON with comments, trailing commas and a byte order mark. Every node knows its position."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

DEEPEST = 200  # levels: a hostile file must not exhaust the stack

Kind = Literal["object", "array", "plain"]
Path = tuple[str | int, ...]

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9A-Za-z_.+-])")
_WORD = re.compile(r"(?:true|false|null)(?![0-9A-Za-z_])")


class Malformed(ValueError):
    """The text is broken. `line` and `column` count from 1."""

    def __init__(self, what: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {what}")
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class Node:
    """A value from `start` to `end`. `value` is set for strings, numbers and words."""

    kind: Kind
    start: int
    end: int
    value: Any = None
    children: tuple["Child", ...] = ()

    def get(self, key: str | int) -> "Node | None":
        """The member of this name, or the item of this number."""
        index = self.index(key)
        return None if index is None else self.children[index].value

    def index(self, key: str | int) -> int | None:
        """The index of a child. Of two members with one name the last counts."""
        if isinstance(key, int):
            return key if self.kind == "array" and 0 <= key < len(self.children) else None
        indexes = [index for index, child in enumerate(self.children) if child.key == key]
        return indexes[-1] if indexes else None


@dataclass(frozen=True, slots=True)
class Child:
    """A member of an object, or an item of an array without a key. `comma` is the position of the comma after it."""

    key: str | None
    start: int
    value: Node
    comma: int | None


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """A text and its value. White space and comments alone have no value."""

    text: str
    root: Node | None
    comments: tuple[tuple[int, int], ...]


@lru_cache(maxsize=4)  # one text, perhaps of megabytes, is parsed several times
def parse(text: str) -> JsonDocument:
    """Read the whole text. Raises Malformed."""
    reader = _Reader(text)
    reader.skip()
    root = None if reader.at == len(text) else reader.value(0)
    reader.skip()
    if reader.at != len(text):
        raise reader.wrong("there is text after the end")
    return JsonDocument(text, root, tuple(reader.comments))


def to_python(node: Node | None) -> Any:
    if node is None or node.kind == "plain":
        return None if node is None else node.value
    if node.kind == "array":
        return [to_python(child.value) for child in node.children]
    return {child.key: to_python(child.value) for child in node.children}


def find(root: Node | None, path: Path) -> Node | None:
    """The node at the path of member names and item numbers, or None."""
    for key in path:
        if root is None:
            return None
        root = root.get(key)
    return root


def position(text: str, at: int) -> tuple[int, int]:
    """Line and column of an offset, from 1."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def dump(value: Any, newline: str, unit: str, indent: str) -> str:
    """The value on several indented lines. Lists of plain values stay on one line."""
    inner = indent + unit
    if isinstance(value, Mapping) and value:
        rows = [
            f"{json.dumps(key, ensure_ascii=False)}: {dump(member, newline, unit, inner)}"
            for key, member in value.items()
        ]
        return "{" + newline + f",{newline}".join(inner + row for row in rows) + newline + indent + "}"
    if isinstance(value, list) and any(isinstance(item, Mapping | list) for item in value):
        rows = [dump(item, newline, unit, inner) for item in value]
        return "[" + newline + f",{newline}".join(inner + row for row in rows) + newline + indent + "]"
    return json.dumps(value, ensure_ascii=False)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 1 if text.startswith("\ufeff") else 0
        self.comments: list[tuple[int, int]] = []

    def wrong(self, what: str, at: int | None = None) -> Malformed:
        return Malformed(what, *position(self.text, self.at if at is None else at))

    def skip(self) -> None:
        """Skip white space and comments."""
        while True:
            self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]  # matches nothing too
            start = self.at
            if self.text[start : start + 1] != "/":
                return
            if self.text.startswith("//", start):
                ends = [end for end in (self.text.find("\n", start), self.text.find("\r", start)) if end >= 0]
                self.at = min(ends, default=len(self.text))
            elif self.text.startswith("/*", start):
                end = self.text.find("*/", start + 2)
                if end < 0:
                    raise self.wrong("a comment is not closed")
                self.at = end + 2
            else:
                return
            self.comments.append((start, self.at))

    def value(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise self.wrong(f"more than {DEEPEST} levels")
        sign = self.text[self.at : self.at + 1]
        if sign in ("{", "["):
            return self.container(sign == "{", depth)
        start = self.at
        if sign == '"':
            return self._scalar(start, self.string())
        matched = _WORD.match(self.text, start) or _NUMBER.match(self.text, start)
        if matched is None:
            raise self.wrong("a value is expected" if sign else "the text ends in the middle")
        self.at = matched.end()
        try:
            return self._scalar(start, json.loads(matched[0]))
        except ValueError as error:  # a number of thousands of digits
            raise self.wrong("a number is too long", start) from error

    def _scalar(self, start: int, value: Any) -> Node:
        return Node("plain", start, self.at, value)

    def string(self) -> str:
        matched = _STRING.match(self.text, self.at)
        if matched is None:
            raise self.wrong("a string is not closed")
        literal = matched[0]
        try:
            value: str = json.loads(literal) if "\\" in literal else literal[1:-1]
        except ValueError as error:
            raise self.wrong("a string has a wrong escape") from error
        self.at = matched.end()
        return value

    def container(self, is_object: bool, depth: int) -> Node:
        start, closing = self.at, "}" if is_object else "]"
        children: list[Child] = []
        self.at += 1
        self.skip()
        while not self.text.startswith(closing, self.at):
            if children and children[-1].comma is None:
                raise self.wrong("a comma is missing" if self.at < len(self.text) else "the text ends in the middle")
            first = self.at
            key = self.key() if is_object else None
            value = self.value(depth + 1)
            self.skip()
            comma = None
            if self.text.startswith(",", self.at):
                comma, self.at = self.at, self.at + 1
                self.skip()
            children.append(Child(key, first, value, comma))
        self.at += 1
        return Node("object" if is_object else "array", start, self.at, None, tuple(children))

    def key(self) -> str:
        if not self.text.startswith('"', self.at):
            raise self.wrong(
                "a name in quotes is expected" if self.at < len(self.text) else "the text ends in the middle"
            )
        key = self.string()
        self.skip()
        if not self.text.startswith(":", self.at):
            raise self.wrong("a colon is missing")
        self.at += 1
        self.skip()
        return key
