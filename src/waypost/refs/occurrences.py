"""Ranges of words in a file: their surroundings, and where the same words occur."""

from array import array

from waypost.model.reference import LineRange
from waypost.model.shape import FileShape, Landmark, word_bytes, words_hash
from waypost.refs.anchor import TEXT_BYTES

_SURROUNDING = 3  # words on each side identify a place
_MOST_RUNS = 100  # of imports
_MOST_HASHED = 200_000  # words hashed at places with the same opening; bounds files that repeat one word


def short_hash(word: int) -> int:
    """Two bytes of a word's hash."""
    return word >> 40 & 0xFFFF


def enclosing(shape: FileShape, lines: LineRange) -> Landmark | None:
    """The innermost symbol or section around these lines."""
    innermost = None
    for landmark in shape.landmarks:
        around = landmark.first <= lines.start and lines.end <= landmark.end
        if around and (innermost is None or landmark.end - landmark.first <= innermost.end - innermost.first):
            innermost = landmark
    return innermost


def surroundings(shape: FileShape, first: int, behind: int) -> tuple[int, int]:
    """Hashes of the words just before and just after, two bytes each."""
    return _fold(shape.words[max(0, first - _SURROUNDING) : first]), _fold(shape.words[behind : behind + _SURROUNDING])


def text_hash(shape: FileShape, start: int, end: int) -> bytes:
    """A hash of lines as written, without white space."""
    return words_hash(shape.texts_between(start, end))[:TEXT_BYTES]


def same_text(shape: FileShape, expected: bytes, height: int) -> list[LineRange]:
    """Ranges of lines with this hash. `height` counts only lines that are not blank."""
    if not height or height * len(shape.texts) > _MOST_HASHED * 100:
        return []
    rows = [line for line, text in enumerate(shape.texts, start=1) if text]
    texts = array("Q", [text for text in shape.texts if text])
    return [
        LineRange(rows[place], rows[place + height - 1])
        for place in range(len(texts) - height + 1)
        if words_hash(texts[place : place + height])[:TEXT_BYTES] == expected
    ]


def occurrences(
    shape: FileShape,
    inside: tuple[int, int],
    opening: tuple[int, ...],
    count: int,
    meaning: bytes,
    closing: int = 0,
    most: int | None = None,
) -> list[int]:
    """Where the words with this meaning begin inside a range, at most `most` places.

    If fewer than `closing` syntax nodes end with the words, a block or call was extended, which is no match.
    """
    first, behind = inside
    starts: list[int] = []
    if not opening or count > behind - first:
        return starts
    data = word_bytes(shape.words[first:behind])
    # The two bytes that `short_hash` keeps of each word: search the first, check the second.
    lower, upper = data[5::8], data[6::8]
    low, high = bytes(word & 0xFF for word in opening), bytes(word >> 8 for word in opening)
    left = _MOST_HASHED
    place = lower.find(low)
    while -1 < place <= behind - first - count and left > 0 and len(starts) != most:
        if upper.startswith(high, place):
            left -= count
            start = first + place
            same = meaning in shape.part_meanings(start, start + count)
            if same and (not closing or shape.count_closing_marks(start, start + count) >= closing):
                starts.append(start)
        place = lower.find(low, place + 1)
    return starts or [
        start for start in _import_runs(shape, inside, count) if shape.part_meaning(start, start + count) == meaning
    ]


def _import_runs(shape: FileShape, inside: tuple[int, int], count: int) -> list[int]:
    """Where adjacent imports with so many words begin: they may be in another order."""
    starts = {start for start, _ in shape.imports}
    ends = {end for _, end in shape.imports}
    return [
        start
        for start, end in shape.imports
        if inside[0] <= start and start + count <= inside[1] and start + count in ends and end in starts
    ][:_MOST_RUNS]


def note_occurrences(
    shape: FileShape, inside: tuple[int, int], opening: tuple[int, ...], count: int, meaning: bytes
) -> list[int]:
    """Where these words of a comment begin, inside a range of comment words."""
    starts: list[int] = []
    left = _MOST_HASHED
    for place in range(inside[0], inside[1] - count + 1):
        if short_hash(shape.notes[place]) == opening[0] and left > 0:
            left -= count
            if words_hash(shape.notes[place : place + count]) == meaning:
                starts.append(place)
    return starts


def _fold(words: "array[int]") -> int:
    number = 0
    for word in words:
        number = (number * 0x9E3779B97F4A7C15 + word) & 0xFFFFFFFFFFFFFFFF
    return number >> 48
