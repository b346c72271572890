"""Python: docstrings, properties."""

from typing import TYPE_CHECKING

from waypost.code.syntax.captures import Definition, SyntaxCaptures
from waypost.code.syntax.comments import docstring_text
from waypost.code.syntax.dialects import Dialect

if TYPE_CHECKING:
    from tree_sitter import Node

_STRINGS = frozenset({"string", "concatenated_string"})
_PROPERTY_ENDINGS = ("property", ".setter", ".getter", ".deleter")


def _refine(definition: Definition, found: SyntaxCaptures) -> bool:
    if definition.kind == "constant":
        return True
    definition.end = _end_of_code(definition, found)
    body = definition.first("body")
    if body is not None:
        literal = _docstring(body)
        if literal is not None:
            definition.doc = docstring_text(found.text.of(literal))
    return True


def _kind(kind: str, decorators: tuple[str, ...]) -> str:
    is_property = any(one.partition("(")[0].endswith(_PROPERTY_ENDINGS) for one in decorators)
    return "property" if is_property and kind in {"function", "method"} else kind


def _end_of_code(definition: Definition, found: SyntaxCaptures) -> int:
    """Comments behind the last statement are no part of a definition, as in Python's own `ast`."""
    comments, data = found.comment_starts, found.text.data
    end = definition.end
    while (start := comments.get(end)) is not None and start > definition.start:
        end = start
        while end > definition.start and data[end - 1] in b" \t\r\n\f":
            end -= 1
    return end


def _docstring(body: "Node") -> "Node | None":
    for child in body.named_children[:20]:
        if child.type == "comment":
            continue
        inner = child.named_child(0) if child.type == "expression_statement" else child
        return inner if inner is not None and inner.type in _STRINGS else None
    return None


def _file_doc(found: SyntaxCaptures) -> str:
    literal = _docstring(found.root)
    return "" if literal is None else docstring_text(found.text.of(literal))


DIALECT = Dialect(refine=_refine, kind=_kind, file_doc=_file_doc)
