"""Add or remove one member or item in a JSON text. All other bytes stay the same."""

import json
from dataclasses import dataclass
from typing import Any

from waypost.faces.setup.jsonc import JsonDocument, Malformed, Node, Path, dump, find, parse, position, to_python
from waypost.text.marked_block import newline_of

_USUAL_UNIT = "  "


@dataclass(frozen=True, slots=True)
class EditedText:
    """The new text, and the paths of the containers that were created."""

    text: str
    made: tuple[Path, ...] = ()


def put(text: str, path: Path, value: Any) -> EditedText:
    """Set the value at the path and create missing members on the way. An equal value leaves the text as it is.

    Raises Malformed for a broken text, or if something on the way is not an object.
    """
    document = parse(text)
    if document.root is None:
        return EditedText(_begin(text, _nested(path, value)), tuple(path[:count] for count in range(1, len(path))))
    node = document.root
    for depth, key in enumerate(path):
        _expect(document, node, "array" if isinstance(key, int) else "object", path[:depth])
        inner = node.get(key)
        if inner is None and isinstance(key, int):
            raise Malformed(f"{_quoted(path[:depth])} has no item {key}", *position(text, node.start))
        if inner is None:
            rest = _nested(path[depth + 1 :], value)
            made = tuple(path[:count] for count in range(depth + 1, len(path)))
            return EditedText(_insert(document, node, str(key), rest), made)
        node = inner
    if to_python(node) == value:
        return EditedText(text)
    return EditedText(_replace(document, node, value))


def add_item(text: str, path: Path, value: Any) -> EditedText:
    """Append the value to the list at the path. A missing list is created."""
    document = parse(text)
    node = find(document.root, path)
    if node is None:
        new = put(text, path, [value])
        return EditedText(new.text, (*new.made, path))
    _expect(document, node, "array", path)
    return EditedText(_insert(document, node, None, value))


def drop(text: str, path: Path) -> str:
    """Remove the member or item at the path. The text stays the same if it is missing."""
    document = parse(text)
    holder = find(document.root, path[:-1])
    index = None if holder is None else holder.index(path[-1])
    return text if holder is None or index is None else _remove(document, holder, index)


def is_bare(text: str, path: Path) -> bool:
    """Whether the container at the path is empty, without even a comment."""
    document = parse(text)
    node = find(document.root, path)
    if node is None or node.kind == "plain":
        return False
    return not text[node.start + 1 : node.end - 1].strip(" \t\r\n")


def _nested(path: Path, value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _begin(text: str, value: Any) -> str:
    """Append the value to a text of white space and comments."""
    newline = newline_of(text)
    before = text if not text.strip("\ufeff \t\r\n") or text.endswith(("\n", "\r")) else text + newline
    return before + dump(value, newline, _USUAL_UNIT, "") + newline


def _expect(document: JsonDocument, node: Node, kind: str, path: Path) -> None:
    if node.kind != kind:
        wanted = "an object { … }" if kind == "object" else "a list [ … ]"
        raise Malformed(f"{_quoted(path)} is not {wanted}", *position(document.text, node.start))


def _quoted(path: Path) -> str:
    return repr(".".join(str(key) for key in path)) if path else "the whole"


def _replace(document: JsonDocument, node: Node, value: Any) -> str:
    text = document.text
    if "\n" in text[node.start : node.end] or node.kind == "plain":
        rendered = dump(value, newline_of(text), _unit(document), _indent_at(text, node.start))
    else:
        rendered = json.dumps(value, ensure_ascii=False)
    return text[: node.start] + rendered + text[node.end :]


def _insert(document: JsonDocument, holder: Node, key: str | None, value: Any) -> str:
    text = document.text
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if not holder.children:
        return _insert_first(document, holder, name, value)
    last = holder.children[-1]
    anchor = last.value.end if last.comma is None else last.comma + 1
    before, behind = (",", "") if last.comma is None else ("", ",")
    if _own_lines(text, holder):
        indent = _indent_at(text, holder.children[0].start)
        newline = newline_of(text)
        row = newline + indent + name + dump(value, newline, _unit(document), indent) + behind
        anchor = _past_comments(document, anchor)
    else:
        row = f" {name}{json.dumps(value, ensure_ascii=False)}{behind}"
    if not before:
        return text[:anchor] + row + text[anchor:]
    return text[: last.value.end] + before + text[last.value.end : anchor] + row + text[anchor:]


def _insert_first(document: JsonDocument, holder: Node, name: str, value: Any) -> str:
    text, newline = document.text, newline_of(document.text)
    inside = [end for start, end in document.comments if holder.start < start < holder.end]
    anchor = inside[-1] if inside else holder.start + 1
    base = _indent_at(text, holder.start)
    indent = base + _unit(document)
    row = newline + indent + name + dump(value, newline, _unit(document), indent)
    closing = "" if "\n" in text[anchor : holder.end] else newline + base
    return text[:anchor] + row + closing + text[anchor:]


def _remove(document: JsonDocument, holder: Node, index: int) -> str:
    text, child = document.text, holder.children[index]
    earlier = holder.children[index - 1] if index else None
    start = holder.start + 1
    if earlier is not None:
        start = earlier.value.end if earlier.comma is None else earlier.comma + 1
    start = max([start, *(end for begin, end in document.comments if holder.start < begin < child.start)])
    cuts = [(start, child.value.end)]
    if child.comma is not None:
        cuts.append((child.comma, child.comma + 1))
    elif earlier is not None and earlier.comma is not None:
        cuts.append((earlier.comma, earlier.comma + 1))
    end = holder.end - 1
    for cut_start, cut_end in sorted(cuts, reverse=True):
        text = text[:cut_start] + text[cut_end:]
        end -= cut_end - cut_start
    inner = text[holder.start + 1 : end]
    if len(holder.children) == 1 and not inner.strip(" \t\r\n"):
        return text[: holder.start + 1] + text[end:]
    return text


def _past_comments(document: JsonDocument, anchor: int) -> int:
    """The end of the comments on the same line: they belong to what is before them."""
    text = document.text
    for start, end in document.comments:
        if start < anchor:
            continue
        if text[anchor:start].strip(" \t"):
            break
        anchor = end
        if "\n" in text[start:end]:
            break
    return anchor


def _own_lines(text: str, holder: Node) -> bool:
    return "\n" in text[holder.start : holder.children[0].start]


def _unit(document: JsonDocument) -> str:
    root, text = document.root, document.text
    if root is None or not root.children or not _own_lines(text, root):
        return _USUAL_UNIT
    outer, inner = _indent_at(text, root.start), _indent_at(text, root.children[0].start)
    return inner[len(outer) :] if inner.startswith(outer) and inner != outer else _USUAL_UNIT


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]
