"""Nesting of definitions: parents, qualified names, and the symbol around each call."""

from dataclasses import dataclass

from waypost.code.source import CONTAINERS
from waypost.code.syntax.captures import Definition
from waypost.code.syntax.text import Text

MINOR_LINES = 3  # minimum length of a function in a local variable: shorter ones are read in place
MAX_QUALIFIED = 500
_CODE = frozenset({"function", "method", "property"})
_TYPES = CONTAINERS - {"module"}


@dataclass(slots=True)
class NestedSymbol:
    """A definition that is a symbol, with its nesting."""

    definition: Definition
    qualified: str
    parent: int | None


def nest(definitions: list[Definition], text: Text) -> list[NestedSymbol]:
    """The definitions that are symbols, in order, each after its parent."""
    placed: list[NestedSymbol] = []
    types: dict[str, int] = {}
    stack: list[tuple[int, str, int | None, str]] = []  # end, qualified name, index, kind
    for definition in sorted(definitions, key=lambda entry: (entry.start, -entry.end, entry.rank)):
        while stack and definition.start >= stack[-1][0]:
            stack.pop()
        _, outer, parent, kind = stack[-1] if stack else (0, "", None, "")
        is_member = definition.kind == "constant" and kind == "enum"
        if not is_member and not _is_symbol(definition, text, inside_code=any(entry[3] in _CODE for entry in stack)):
            continue
        if definition.kind == "module" and "." in definition.name:
            definition.owner, definition.name = (
                tuple(definition.name.split(".")[:-1]),
                definition.name.rpartition(".")[2],
            )
        name = ".".join((*definition.owner, definition.name)) if definition.name else ".".join(definition.owner)
        qualified = f"{outer}.{name}" if outer and name else outer or name
        if len(qualified) > MAX_QUALIFIED:
            qualified = name[:MAX_QUALIFIED]
        if definition.kind == "scope":
            stack.append((definition.end, qualified, parent if not name else types.get(qualified, parent), "scope"))
            continue
        if definition.owner:
            parent = types.get(qualified.rpartition(".")[0], parent)
        if definition.kind == "function" and (kind in _TYPES or kind == "scope" or definition.owner):
            definition.kind = "method"
        elif definition.kind == "method" and qualified == definition.name:
            definition.kind = "function"
        placed.append(NestedSymbol(definition, qualified, parent))
        if definition.kind in CONTAINERS or definition.kind == "type":
            types.setdefault(qualified, len(placed) - 1)
        stack.append((definition.end, qualified, len(placed) - 1, definition.kind))
    return placed


def _is_symbol(definition: Definition, text: Text, *, inside_code: bool) -> bool:
    if not inside_code:
        return True
    if definition.kind == "constant":
        return False
    return not definition.minor or text.row(definition.end) - text.row(definition.start) + 1 >= MINOR_LINES


def innermost_symbols(placed: list[NestedSymbol], positions: list[int]) -> list[int | None]:
    """The innermost symbol around each position. Positions must ascend."""
    innermost: list[int | None] = []
    stack: list[int] = []
    following = 0
    for position in positions:
        while following < len(placed) and placed[following].definition.start <= position:
            while stack and placed[stack[-1]].definition.end <= placed[following].definition.start:
                stack.pop()
            stack.append(following)
            following += 1
        while stack and placed[stack[-1]].definition.end <= position:
            stack.pop()
        innermost.append(stack[-1] if stack else None)
    return innermost
