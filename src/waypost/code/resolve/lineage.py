"""The order in which the bases of a class are asked for a member."""

from collections.abc import Sequence

from waypost.code.resolve.tree import Value

MOST_ANCESTORS = 200


def in_depth(lines: Sequence[Sequence[Value]]) -> list[Value]:
    """Each base with all above it, one after the other."""
    found: dict[tuple[str, int], Value] = {}
    for line in lines:
        for one in line:
            found.setdefault((one.path, one.symbol), one)
    return list(found.values())[:MOST_ANCESTORS]


def merged(lines: Sequence[Sequence[Value]]) -> list[Value]:
    """Python's order (C3): a class before its bases, bases as written; what contradicts itself is taken in depth."""
    if len(lines) < 2:
        return in_depth(lines)
    waiting = [[(one.path, one.symbol) for one in line] for line in lines if line]
    waiting.append([line[0] for line in waiting])
    values = {(one.path, one.symbol): one for line in lines for one in line}
    order: list[Value] = []
    while waiting:
        later = {place for line in waiting for place in line[1:]}
        following = next((line[0] for line in waiting if line[0] not in later), None)
        if following is None or len(order) > MOST_ANCESTORS:
            return in_depth(lines)
        order.append(values[following])
        waiting = [rest for line in waiting if (rest := line[1:] if line[0] == following else line)]
    return order
