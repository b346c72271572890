"""How well what stands before a name agrees with where a symbol is: `models.QuerySet` in `QuerySet.delete`."""

from collections.abc import Sequence

from waypost.refs.links.index_entry import IndexEntry
from waypost.refs.links.spelling import squeezed

EXACT, NAMED_AFTER, LOOSE = 3, 2, 1  # the very owner; a variable called like it; one that ends like it
_NO_MODULE = frozenset({"", "index", "__init__", "mod", "lib", "main"})
_SHORTEST_ENDING = 4  # letters of an owner's name that a variable may end with


def fit(one: IndexEntry, qualifier: Sequence[str]) -> int:
    """0 if the symbol is elsewhere, else how surely it is meant. The qualifier has at least one part."""
    *parents, _ = one.qualified.split(".")
    modules = _modules(one.path)
    last, above = qualifier[-1], qualifier[:-1]
    if not parents:
        return EXACT if _is_within(qualifier, modules) else 0
    grade = _same_owner(last, parents[-1])
    if grade and above and not _is_within(above, [*modules, *map(str.lower, parents[:-1])]):
        return LOOSE if grade == EXACT and all(part[:1].islower() for part in above) else 0
    return grade


def _same_owner(last: str, parent: str) -> int:
    if last == parent:
        return EXACT
    if last[:1] == "$" and not last[1:2].islower():  # a part of the name, unlike in `$store`
        return 0
    spoken, owner = squeezed(last), squeezed(parent)
    if spoken == owner:
        return NAMED_AFTER
    if not last[:1].islower() and last[:1] != "_":
        return 0
    ends = (spoken.endswith(owner) and len(owner) >= _SHORTEST_ENDING) or (
        owner.endswith(spoken) and len(spoken) >= _SHORTEST_ENDING
    )
    return LOOSE if ends else 0


def _modules(path: str) -> list[str]:
    *folders, name = path.lower().split("/")
    stem = name.partition(".")[0]
    return [*folders, *([] if stem in _NO_MODULE else [stem])]


def _is_within(parts: Sequence[str], chain: Sequence[str]) -> bool:
    """Whether the parts come in the chain in their order, others between them."""
    place = 0
    for part in parts:
        wanted = part.lower()
        while place < len(chain) and chain[place] != wanted and chain[place].replace("-", "_") != wanted:
            place += 1
        if place == len(chain):
            return False
        place += 1
    return True
