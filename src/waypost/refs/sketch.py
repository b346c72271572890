"""A sketch of code: small numbers for its parts, in order, to estimate likeness.

A part ends where the hashes of two adjacent words match a mask. So an edit changes only the parts it touches.
Short code has one part per word. At depth `n` a part has 2^n words on average.
"""

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest

MOST_PARTS = 48  # 96 bytes in an anchor; an edit of one word in a hundred still shows
DEEPEST = 30
_MOST_WINDOWS = 48  # compared in detail
_WINDOW = 2  # code may have grown by this factor and still match as a whole


@dataclass(frozen=True, slots=True)
class PieceSketch:
    depth: int
    parts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """A range of words that is similar to a sketch."""

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


def likeness(sketched: PieceSketch, words: "array[int]") -> float:
    """How much both have in common, in the same order, from 0 to 1."""
    return _ratio(sketched.parts, [part for part, _ in _parts(words, sketched.depth)])


def best_window(sketched: PieceSketch, words: "array[int]", offset: int = 0) -> Window | None:
    """The range of `words` most similar to the sketch. Positions start at `offset`."""
    parts = _parts(words, sketched.depth)
    wanted = set(sketched.parts)
    hits = [place for place, (part, _) in enumerate(parts) if part in wanted]
    best: tuple[float, int, int] | None = None
    for place, last in _promising_windows(hits, len(sketched.parts)):
        window = [part for part, _ in parts[place : last + 1]]
        length = _best_length(sketched.parts, window)
        ratio = _ratio(sketched.parts, window[:length])
        if best is None or ratio > best[0]:
            best = ratio, place, place + length - 1
    if best is None:
        return None
    ratio, place, last = best
    return Window(ratio, offset + (parts[place - 1][1] if place else 0), offset + parts[last][1])


def _promising_windows(hits: Sequence[int], size: int) -> list[tuple[int, int]]:
    """The windows with the most matching parts, first ones first. The number is limited because files can repeat."""
    windows = []
    for number, place in enumerate(hits):
        behind = bisect_left(hits, place + size * _WINDOW, number)
        windows.append((min(behind - number, size), place, hits[behind - 1]))
    chosen = nsmallest(_MOST_WINDOWS, windows, key=lambda window: (-window[0], window[1]))
    return [(place, last) for _, place, last in chosen]


def _best_length(expected: Sequence[int], window: Sequence[int]) -> int:
    """How many parts of a window to keep for the best likeness."""
    best, length = 0.0, len(window)
    for end, common in enumerate(_common_by_end(expected, window), start=1):
        ratio = common / max(len(expected), end)
        if ratio > best:
            best, length = ratio, end
    return length


def _ratio(left: Sequence[int], right: Sequence[int]) -> float:
    if not left or not right:
        return float(len(left) == len(right))
    return _common_by_end(left, right)[-1] / max(len(left), len(right))


def _common_by_end(left: Sequence[int], right: Sequence[int]) -> list[int]:
    """The length of the longest common subsequence of `left` with each prefix of `right`, computed bitwise."""
    places: dict[int, int] = {}
    for place, part in enumerate(left):
        places[part] = places.get(part, 0) | 1 << place
    whole = (1 << len(left)) - 1
    bits = whole
    lengths = []
    for part in right:
        matched = bits & places.get(part, 0)
        bits = ((bits + matched) | (bits - matched)) & whole
        lengths.append(len(left) - bits.bit_count())
    return lengths


def _parts(words: "array[int]", depth: int) -> list[tuple[int, int]]:
    """The hash of each part and the index after its last word."""
    mask = (1 << depth) - 1
    parts: list[tuple[int, int]] = []
    number, before = 0, 0
    is_open = False
    for place, word in enumerate(words):
        number = (number * 0x9E3779B97F4A7C15 + word) & 0xFFFFFFFFFFFFFFFF
        is_open = True
        if not ((before >> 13) ^ (word >> 29)) & mask:
            parts.append((number >> 48, place + 1))
            number, is_open = 0, False
        before = word
    if is_open:
        parts.append((number >> 48, len(words)))
    return parts
