"""Python: docstrings, properties."""

from typing import TYPE_CHECKING

from waypost.code.syntax.captures import Definition, SyntaxCaptures
from waypost.code.syntax.comments import docstring_text
from waypost.code.syntax.dialects import Dialect

if TYPE_CHECKING:
    from tree_sitter import Node

_STRINGS = frozenset({"string", "concatenated_string"})
_PROPERTY_ENDINGS = ("property", ".setter", ".getter", ".deleter")


def _refine(definition: Definition, syntax: SyntaxCaptures) -> bool:
    if definition.kind == "constant":
        return True
    definition.end = _end_of_code(definition, syntax)
    body = definition.first("body")
    if body is not None:
        literal = _docstring(body)
        if literal is not None:
            definition.doc = docstring_text(syntax.text.of(literal))
    return True


def _kind(kind: str, decorators: tuple[str, ...]) -> str:
    is_property = any(decorator.partition("(")[0].endswith(_PROPERTY_ENDINGS) for decorator in decorators)
    return "property" if is_property and kind in {"function", "method"} else kind


def _end_of_code(definition: Definition, syntax: SyntaxCaptures) -> int:
    """The end without trailing comments, as in Python's `ast`."""
    comments, data = syntax.comment_starts, syntax.text.data
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


def _file_doc(syntax: SyntaxCaptures) -> str:
    literal = _docstring(syntax.root)
    return "" if literal is None else docstring_text(syntax.text.of(literal))


DIALECT = Dialect(refine=_refine, kind=_kind, file_doc=_file_doc)
