"""One-line signatures and parameter names."""

import re
from typing import TYPE_CHECKING

from waypost.code.syntax.captures import Definition
from waypost.code.syntax.comments import LeadingItems
from waypost.code.syntax.text import Text

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_SIGNATURE = 300
MAX_VALUE = 120  # characters of a constant's value
MAX_NAME = 200
MAX_PARAMETERS = 100
MAX_DEPTH = 20  # from a parameter to its name

_READ = 4000  # bytes of a signature that are read
_TAIL = re.compile(r"(?:[\s{;]|=>|(?<![=!<>])=|(?<!:):)+$")
_NAME_FIELDS = ("name", "pattern", "declarator", "left")
_NO_PARAMETERS = frozenset({"keyword_separator", "positional_separator", "ERROR", "modifier", "attribute_list"}) | {
    *("comment", "line_comment", "block_comment"),
    *("array_type", "predefined_type", "generic_name", "nullable_type"),
}
_ITSELF = frozenset({"self", "cls", "this", "&self", "&mut self", "mut self"})


def one_line(text: str, limit: int = MAX_SIGNATURE) -> str:
    """Collapse white space, and cut at a limit with `…`."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def signature(definition: Definition, text: Text, leading: LeadingItems, start: int) -> str:
    """The definition from a byte on, without body, comments and the body's opening mark."""
    end = definition.end if definition.body is None else definition.body
    end = max(start, min(end, start + _READ))
    pieces: list[str] = []
    position = start
    for item in leading.within(start, end) if definition.body is not None else ():
        if item.is_comment:
            pieces.append(text.between(position, item.start))
            position = max(position, item.end)
    pieces.append(text.between(position, max(position, end)))
    limit = MAX_VALUE if definition.kind == "constant" else MAX_SIGNATURE
    line = one_line("".join(pieces), limit)
    return line.rstrip("; ") if definition.kind == "constant" else _TAIL.sub("", line)


def parameter_names(definition: Definition, text: Text) -> tuple[str, ...]:
    names: list[str] = []
    whole = definition.first("parameters")
    if whole is not None:
        for child in whole.named_children[:MAX_PARAMETERS]:
            named = [text.of(child)] if child.type == "identifier" else _names(child, text)
            names += [name for name in named if name and not _is_itself(name, child)]
    names += [text.of(node) for node in definition.captures.get("parameter", ())]
    if not names:
        return ()
    return tuple(one_line(name, MAX_NAME) for name in names)


def _is_itself(name: str, node: "Node") -> bool:
    """Whether a parameter is the object of a method. `cls` is one in Python, where types are not needed."""
    return name in _ITSELF and (name != "cls" or node.type in _UNTYPED)


def _names(node: "Node", text: Text) -> list[str]:
    """The names in one node of a parameter list. Go has several with one type."""
    if node.type in _NO_PARAMETERS:
        return []
    several = node.children_by_field_name("name")
    if len(several) > 1:
        return [text.of(name) for name in several]
    prefix = ""
    for _ in range(MAX_DEPTH):
        inner = next((named for field in _NAME_FIELDS if (named := node.child_by_field_name(field)) is not None), None)
        if inner is None and node.type in _WRAPPERS:
            inner = node.named_child(_WRAPPERS[node.type] % max(1, node.named_child_count))
        if inner is None:
            break
        for lead in node.children[:4]:
            if lead.start_byte < inner.start_byte and not lead.is_named and lead.type in _MARKS:
                prefix = lead.type
        node = inner
    return [prefix + text.of(node)]


# Index of the name in a parameter without a name field: first or last child.
_WRAPPERS = {"typed_parameter": 0, "spread_parameter": -1, "function_argument": 0}
_UNTYPED = frozenset({"identifier", "typed_parameter", "default_parameter", "typed_default_parameter"})
_MARKS = frozenset({"*", "**", "...", "&"})
