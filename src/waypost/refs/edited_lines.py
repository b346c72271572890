"""Where edited lines are now: by a diff of their file, then by what each line says.

A line that the diff leaves unchanged is another line of the earlier file: it is never the destination.
"""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from waypost.model.reference import LineRange
from waypost.model.shape import FileShape, word_code

_ALIKE = 0.35  # what two lines need in common to be the same line, edited
_ALIKE_AWAY = 0.5  # the same at another place than the diff says
_ALIKE_VALUE = 0.5  # the same if they have different keys: versions and the like are often equal by chance
_KEY_SAYS = 0.1  # what the words of a key must weigh: not `type` in a schema
_KEY_ENDS = {word_code(b":"), word_code(b"=")}
_SIGNS = {word_code(bytes([sign])) for sign in range(33, 127) if not chr(sign).isalpha()}
_SIGNS |= {word_code(b"%d" % number) for number in range(100)}
_SIGN_WEIGHT = 0.2  # of brackets and small numbers, compared with other words that so many lines have
_ALIKE_BLOCK = 0.2  # the same for all pinned lines together: one of three may be left
_MOST_COMPARED = 250_000  # pairs of lines between two anchors of the diff
_MOST_PAIRED = 40_000  # pairs of edited lines that are compared word by word
_FAR = 4  # lines: a part of little weight so far from the others is not one of them
_LITTLE = 0.15


@dataclass(frozen=True, slots=True)
class FileDiff:
    """Lines that are equal in an earlier and the current version of a file, white space aside."""

    now: dict[int, int]  # the current line of each earlier one
    kept: frozenset[int]  # the values of `now`


@lru_cache(16)  # references into one file have the same diff; shapes are compared by identity
def diff_lines(before: FileShape, now: FileShape, old: LineRange, new: LineRange) -> FileDiff:
    """The lines of `old` that are equal in `new`, in order. Blank lines are left out."""
    left, right = _filled(before, old), _filled(now, new)
    old_texts = [before.texts[line - 1] for line in left]
    new_texts = [now.texts[line - 1] for line in right]
    pairs = {left[i]: right[j] for i, j in _equal(old_texts, new_texts, 0, len(left), 0, len(right))}
    return FileDiff(pairs, frozenset(pairs.values()))


def whole_file(shape: FileShape) -> LineRange:
    return LineRange(1, max(1, len(shape.texts)))


def edited_lines(
    before: FileShape, was: LineRange, now: FileShape, old: LineRange, new: LineRange, *, by_place: bool
) -> LineRange | None:
    """The lines of `new` that the pinned lines `was` of `old` have become. None if they were removed.

    `by_place`: one line in place of another is its successor whatever it says, as in a function. In a list of
    dependencies it is another item.
    """
    diff = diff_lines(before, now, old, new)
    weights = _weights(before, now)
    pinned = _filled(before, was)
    total = sum(_weight(before, line, weights) for line in pinned)
    partners = {line: (diff.now[line], _weight(before, line, weights)) for line in pinned if line in diff.now}
    in_place: dict[int, int] = {}  # as many lines are there as were
    for old_lines, new_lines in _gaps(diff, _filled(before, old), _filled(now, new), pinned):
        if len(old_lines) == len(new_lines):
            in_place |= zip(old_lines, new_lines, strict=True)
        for line, target, alike in _pairs(before, old_lines, now, new_lines, weights):
            if line in was and (alike >= _ALIKE or (by_place and len(old_lines) == len(new_lines) == 1)):
                partners[line] = target, max(alike, _ALIKE if by_place else 0) * _weight(before, line, weights)
    if not partners or sum(weight for _, weight in partners.values()) < _ALIKE_BLOCK * total:
        return None
    lines = _without_stray_ends(sorted(partners.values()), was)
    beside = [in_place[line] for line in pinned if line in in_place]
    start = min((line for line in beside if lines.start - len(beside) <= line), default=lines.start)
    end = max((line for line in beside if line <= lines.end + len(beside)), default=lines.end)
    return LineRange(min(lines.start, start), max(lines.end, end))


def _without_stray_ends(partners: list[tuple[int, float]], was: LineRange) -> LineRange:
    """From the first to the last line, without a bracket or the like that is far from the others."""
    little = _LITTLE * sum(weight for _, weight in partners)
    far = was.end - was.start + _FAR
    while len(partners) > 1 and partners[0][1] < little and partners[1][0] - partners[0][0] > far:
        del partners[0]
    while len(partners) > 1 and partners[-1][1] < little and partners[-1][0] - partners[-2][0] > far:
        del partners[-1]
    return LineRange(partners[0][0], partners[-1][0])


def kept_lines(
    before: FileShape, was: LineRange, now: FileShape, old: LineRange, new: LineRange, *, with_neighbour: bool
) -> LineRange | None:
    """The lines of `new` that a diff gives for all pinned lines, if nothing is between them that was not.

    `with_neighbour`: the line before or after them must be kept too.
    """
    diff = diff_lines(before, now, old, new)
    pinned, lines = _filled(before, was), _filled(now, new)
    if not pinned or any(line not in diff.now for line in pinned):
        return None
    first, last = diff.now[pinned[0]], diff.now[pinned[-1]]
    if bisect_left(lines, last) - bisect_left(lines, first) != len(pinned) - 1:
        return None
    if with_neighbour:
        earlier = _filled(before, old)
        place, target = bisect_left(earlier, pinned[0]), bisect_left(lines, first)
        sides = ((place - 1, target - 1), (place + len(pinned), target + len(pinned)))
        inside = [(i, j) for i, j in sides if 0 <= i < len(earlier) and 0 <= j < len(lines)]
        if not any(diff.now.get(earlier[i]) == lines[j] for i, j in inside):
            return None
    return LineRange(first, last)


def new_runs(diff: FileDiff, now: FileShape, area: LineRange) -> Iterator[LineRange]:
    """The stretches of current lines that are not in the earlier file at their place."""
    start = 0
    for line in (*_filled(now, area), 0):
        if line and line not in diff.kept:
            start, last = start or line, line
        elif start:
            yield LineRange(start, last)
            start = 0


def are_alike(before: FileShape, was: LineRange, now: FileShape, lines: LineRange) -> bool:
    """Whether they have more in common, in any order, than words that many lines have."""
    weights = _weights(before, now)
    left, right = Counter(_words_of(before, was)), Counter(_words_of(now, lines))
    whole = max(sum(weights[word] * count for word, count in words.items()) for words in (left, right))
    return sum(weights[word] * count for word, count in (left & right).items()) >= _ALIKE_AWAY * whole


def _filled(shape: FileShape, area: LineRange) -> list[int]:
    return [line for line in range(area.start, min(area.end, len(shape.texts)) + 1) if shape.texts[line - 1]]


def _gaps(
    diff: FileDiff, old: Sequence[int], new: Sequence[int], pinned: Sequence[int]
) -> Iterator[tuple[list[int], list[int]]]:
    """The earlier and the current lines of each stretch in which pinned lines were edited or removed."""
    edges = [(0, 0), *sorted(diff.now.items()), (1 << 31, 1 << 31)]
    befores = [edge[0] for edge in edges]
    numbers = dict.fromkeys(bisect_left(befores, line) for line in pinned if line not in diff.now)
    for number in numbers:
        (first, start), (last, end) = edges[number - 1], edges[number]
        left, right = bisect_left(old, first + 1), bisect_left(new, start + 1)
        yield list(old[left : bisect_left(old, last)]), list(new[right : bisect_left(new, end)])


def _pairs(
    before: FileShape, old: Sequence[int], now: FileShape, new: Sequence[int], weights: "_Weights"
) -> list[tuple[int, int, float]]:
    """Which earlier line became which, in order, so that they have the most in common."""
    if not old or not new or len(old) * len(new) > _MOST_PAIRED:
        return []
    left = [_words_of(before, LineRange(line, line)) for line in old]
    right = [_words_of(now, LineRange(line, line)) for line in new]
    alike = [[_alike(words, candidate, weights) for candidate in right] for words in left]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + _worth(alike[i][j]))
    pairs, i, j = [], 0, 0
    while i < len(old) and j < len(new):
        if best[i][j] == best[i + 1][j + 1] + _worth(alike[i][j]) and (
            alike[i][j] >= _ALIKE or len(old) == len(new) == 1
        ):
            pairs.append((old[i], new[j], alike[i][j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _worth(alike: float) -> float:
    return alike if alike >= _ALIKE else 0.0


_Weights = dict[int, float]


@lru_cache(16)
def _weights(before: FileShape, now: FileShape) -> _Weights:
    """How much each word says: the more lines have it, the less."""
    counts: list[Counter[int]] = []
    for shape in (before, now):
        lines = {*zip(shape.rows, shape.words, strict=True), *zip(shape.note_rows, shape.notes, strict=True)}
        counts.append(Counter(word for _, word in lines))
    return {
        word: (_SIGN_WEIGHT if word in _SIGNS else 1.0) / max(count[word] for count in counts)
        for word in {*counts[0], *counts[1]}
    }


def _words_of(shape: FileShape, lines: LineRange) -> "array[int]":
    first, behind = shape.between(lines.start, lines.end)
    begin, end = shape.notes_between(lines.start, lines.end)
    return shape.words[first:behind] + shape.notes[begin:end]


def _weight(shape: FileShape, line: int, weights: _Weights) -> float:
    return sum(weights[word] for word in _words_of(shape, LineRange(line, line)))


def _alike(left: "array[int]", right: "array[int]", weights: _Weights) -> float:
    """How much of two lines is in common, in order. A key, such as the name of a setting, counts half."""
    ratio = _common(left, right, weights)
    keys = _key(left), _key(right)
    if not keys[0] or not keys[1] or sum(weights[word] for word in keys[0]) < _KEY_SAYS:
        return ratio
    if keys[0] == keys[1]:
        return (1 + ratio) / 2
    return ratio if ratio >= _ALIKE_VALUE else min(ratio, _common(*keys, weights))


def _common(left: "array[int]", right: "array[int]", weights: _Weights) -> float:
    blocks = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
    common = sum(weights[word] for block in blocks for word in left[block.a : block.a + block.size])
    whole = max(sum(weights[word] for word in left), sum(weights[word] for word in right))
    return common / whole if whole else 0.0


def _key(words: "array[int]") -> "array[int]":
    """The words before a colon or an equals sign."""
    return words[: next((place for place, word in enumerate(words) if word in _KEY_ENDS), 0)]


def _equal(left: Sequence[int], right: Sequence[int], a: int, b: int, c: int, d: int) -> Iterator[tuple[int, int]]:
    """The places of equal lines in left[a:b] and right[c:d], in order: around lines that occur once in both first."""
    while a < b and c < d and left[a] == right[c]:
        yield a, c
        a, c = a + 1, c + 1
    ends = []
    while a < b and c < d and left[b - 1] == right[d - 1]:
        b, d = b - 1, d - 1
        ends.append((b, d))
    anchors = _unique_pairs(left, right, a, b, c, d)
    if anchors:
        for i, j in anchors:
            yield from _equal(left, right, a, i, c, j)
            yield i, j
            a, c = i + 1, j + 1
        yield from _equal(left, right, a, b, c, d)
    elif 0 < (b - a) * (d - c) <= _MOST_COMPARED:
        for i, j, size in SequenceMatcher(None, left[a:b], right[c:d], autojunk=False).get_matching_blocks():
            yield from ((a + i + step, c + j + step) for step in range(size))
    yield from reversed(ends)


def _unique_pairs(left: Sequence[int], right: Sequence[int], a: int, b: int, c: int, d: int) -> list[tuple[int, int]]:
    """Lines that occur once on each side: the longest run of them that is in the same order."""
    left_counts, right_counts = Counter(left[a:b]), Counter(right[c:d])
    places = {right[j]: j for j in range(c, d)}
    pairs = [(i, places[left[i]]) for i in range(a, b) if left_counts[left[i]] == 1 and right_counts[left[i]] == 1]
    tails: list[int] = []  # the smallest right place that ends a run of each length
    ends: list[int] = []
    back: list[int] = []
    for number, (_, j) in enumerate(pairs):
        length = bisect_left(tails, j)
        back.append(ends[length - 1] if length else -1)
        tails[length : length + 1] = [j]
        ends[length : length + 1] = [number]
    run, number = [], ends[-1] if ends else -1
    while number >= 0:
        run.append(pairs[number])
        number = back[number]
    return run[::-1]
