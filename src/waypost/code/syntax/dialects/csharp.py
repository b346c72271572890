"""C#: operators, finalizers, indexers."""

from waypost.code.syntax.captures import Definition, SyntaxCaptures
from waypost.code.syntax.dialects import Dialect


def _refine(definition: Definition, syntax: SyntaxCaptures) -> bool:
    mark = definition.first("mark")
    match definition.kind:
        case "operator":
            definition.kind = "method"
            definition.name = "operator " + syntax.text.of(mark) if mark is not None else "operator"
        case "indexer":
            definition.kind, definition.name = "property", "this[]"
        case "method" if mark is not None:
            definition.name = f"~{definition.name}"
    return True


DIALECT = Dialect(refine=_refine)
