"""Which definition is inside which: parents, qualified names, and to whom a call belongs."""

from dataclasses import dataclass

from waypost.code.source import CONTAINERS
from waypost.code.syntax.captures import Definition
from waypost.code.syntax.text import Text

MINOR_LINES = 3  # of a function held by a local name: shorter ones are read where they stand
MAX_QUALIFIED = 500
_CODE = frozenset({"function", "method", "property"})
_TYPES = CONTAINERS - {"module"}


@dataclass(slots=True)
class NestedSymbol:
    """A definition that is a symbol, with its place among the others."""

    definition: Definition
    qualified: str
    parent: int | None


def place(definitions: list[Definition], text: Text) -> list[NestedSymbol]:
    """The definitions that are symbols, in order, each after what encloses it."""
    placed: list[NestedSymbol] = []
    types: dict[str, int] = {}
    stack: list[tuple[int, str, int | None, str]] = []  # end, qualified name, place, kind
    for one in sorted(definitions, key=lambda one: (one.start, -one.end, one.rank)):
        while stack and one.start >= stack[-1][0]:
            stack.pop()
        _, outer, parent, kind = stack[-1] if stack else (0, "", None, "")
        if not _is_symbol(one, text, inside_code=any(entry[3] in _CODE for entry in stack)):
            continue
        if one.kind == "module" and "." in one.name:
            one.owner, one.name = tuple(one.name.split(".")[:-1]), one.name.rpartition(".")[2]
        name = ".".join((*one.owner, one.name)) if one.name else ".".join(one.owner)
        qualified = f"{outer}.{name}" if outer and name else outer or name
        if len(qualified) > MAX_QUALIFIED:
            qualified = name[:MAX_QUALIFIED]
        if one.kind == "scope":
            stack.append((one.end, qualified, parent if not name else types.get(qualified, parent), "scope"))
            continue
        if one.owner:
            parent = types.get(qualified.rpartition(".")[0], parent)
        if one.kind == "function" and (kind in _TYPES or kind == "scope" or one.owner):
            one.kind = "method"
        elif one.kind == "method" and qualified == one.name:
            one.kind = "function"
        placed.append(NestedSymbol(one, qualified, parent))
        if one.kind in CONTAINERS or one.kind == "type":
            types.setdefault(qualified, len(placed) - 1)
        stack.append((one.end, qualified, len(placed) - 1, one.kind))
    return placed


def _is_symbol(one: Definition, text: Text, *, inside_code: bool) -> bool:
    if not inside_code:
        return True
    if one.kind == "constant":
        return False
    return not one.minor or text.row(one.end) - text.row(one.start) + 1 >= MINOR_LINES


def owners(placed: list[NestedSymbol], positions: list[int]) -> list[int | None]:
    """For positions in ascending order: the innermost symbol each is in."""
    found: list[int | None] = []
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
        found.append(stack[-1] if stack else None)
    return found
