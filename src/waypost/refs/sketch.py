"""A sketch of a piece of code: small numbers for its parts, in order, from which likeness is told.

A part ends where two words meet whose numbers say so, and so an edit changes the parts it is in and no others. A short
piece has a part for every word. The depth says how many words a part has on average: two to that power.
"""

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest

MOST_PARTS = 48  # 96 bytes in an anchor; an edit of one word in a hundred is still told
DEEPEST = 30
_MOST_WINDOWS = 48  # are looked at closely
_WINDOW = 2  # a piece may have grown to this many times its size and is still found as one


@dataclass(frozen=True, slots=True)
class PieceSketch:
    depth: int
    parts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of words that is like a sketch."""

    likeness: float
    first: int
    behind: int


def sketch(words: "array[int]") -> PieceSketch:
    depth = max(0, (max(1, len(words)) // MOST_PARTS).bit_length() - 1)
    while True:
        parts = tuple(part for part, _ in _parts(words, depth))
        if len(parts) <= MOST_PARTS:
            return PieceSketch(depth, parts)
        if depth == DEEPEST:
            return PieceSketch(depth, parts[:MOST_PARTS])
        depth += 1


def likeness(known: PieceSketch, words: "array[int]") -> float:
    """From 0, nothing in common, to 1: how much of both is the same, in the same order."""
    return _ratio(known.parts, [part for part, _ in _parts(words, known.depth)])


def best_window(known: PieceSketch, words: "array[int]", offset: int = 0) -> Window | None:
    """The stretch of `words` that is most like the sketch; places are counted from `offset`."""
    parts = _parts(words, known.depth)
    wanted = set(known.parts)
    hits = [place for place, (part, _) in enumerate(parts) if part in wanted]
    best: tuple[float, int, int] | None = None
    for place, last in _promising(hits, len(known.parts)):
        found = [part for part, _ in parts[place : last + 1]]
        length = _trimmed(known.parts, found)
        ratio = _ratio(known.parts, found[:length])
        if best is None or ratio > best[0]:
            best = ratio, place, place + length - 1
    if best is None:
        return None
    ratio, place, last = best
    return Window(ratio, offset + (parts[place - 1][1] if place else 0), offset + parts[last][1])


def _promising(hits: Sequence[int], size: int) -> list[tuple[int, int]]:
    """The stretches with most parts that are wanted, the first of equals first; not all, for a file may repeat itself."""
    windows = []
    for number, place in enumerate(hits):
        behind = bisect_left(hits, place + size * _WINDOW, number)
        windows.append((min(behind - number, size), place, hits[behind - 1]))
    chosen = nsmallest(_MOST_WINDOWS, windows, key=lambda window: (-window[0], window[1]))
    return [(place, last) for _, place, last in chosen]


def _trimmed(known: Sequence[int], found: Sequence[int]) -> int:
    """How many parts of a window to take: those behind are left off if the piece is more like itself without them."""
    best, length = 0.0, len(found)
    for end, common in enumerate(_common_by_end(known, found), start=1):
        ratio = common / max(len(known), end)
        if ratio > best:
            best, length = ratio, end
    return length


def _ratio(one: Sequence[int], other: Sequence[int]) -> float:
    if not one or not other:
        return float(len(one) == len(other))
    return _common_by_end(one, other)[-1] / max(len(one), len(other))


def _common_by_end(one: Sequence[int], other: Sequence[int]) -> list[int]:
    """The length of the longest common subsequence of `one` with each beginning of `other`, by bits of one number."""
    places: dict[int, int] = {}
    for place, part in enumerate(one):
        places[part] = places.get(part, 0) | 1 << place
    whole = (1 << len(one)) - 1
    bits = whole
    lengths = []
    for part in other:
        matched = bits & places.get(part, 0)
        bits = ((bits + matched) | (bits - matched)) & whole
        lengths.append(len(one) - bits.bit_count())
    return lengths


def _parts(words: "array[int]", depth: int) -> list[tuple[int, int]]:
    """The number of each part and the place behind its last word."""
    mask = (1 << depth) - 1
    found: list[tuple[int, int]] = []
    number, before = 0, 0
    begun = False
    for place, word in enumerate(words):
        number = (number * 0x9E3779B97F4A7C15 + word) & 0xFFFFFFFFFFFFFFFF
        begun = True
        if not ((before >> 13) ^ (word >> 29)) & mask:
            found.append((number >> 48, place + 1))
            number, begun = 0, False
        before = word
    if begun:
        found.append((number >> 48, len(words)))
    return found
