"""Stretches of words in a shape: what is around them, and where the same ones stand."""

from array import array

from waypost.model.reference import LineRange
from waypost.model.shape import FileShape, Landmark, word_bytes, words_hash
from waypost.refs.anchor import TEXT_BYTES

_SURROUNDING = 3  # words on each side tell a place from another
_MOST_HASHED = 200_000  # words of places that only begin alike; a file of one word again and again has no more


def short(word: int) -> int:
    """A word in two bytes."""
    return word >> 40 & 0xFFFF


def enclosing(shape: FileShape, lines: LineRange) -> Landmark | None:
    """The innermost symbol or section around these lines."""
    found = None
    for landmark in shape.landmarks:
        around = landmark.first <= lines.start and lines.end <= landmark.end
        if around and (found is None or landmark.end - landmark.first <= found.end - found.first):
            found = landmark
    return found


def surroundings(shape: FileShape, first: int, behind: int) -> tuple[int, int]:
    """The words just before and just behind, each as a number of two bytes."""
    return _folded(shape.words[max(0, first - _SURROUNDING) : first]), _folded(
        shape.words[behind : behind + _SURROUNDING]
    )


def text_hash(shape: FileShape, start: int, end: int) -> bytes:
    """A hash of lines as they are written, without white space."""
    return words_hash(shape.texts_between(start, end))[:TEXT_BYTES]


def same_text(shape: FileShape, known: bytes, height: int) -> list[LineRange]:
    """Where lines with this hash stand. Ranges with blank lines inside have a `height` of more lines than they tell."""
    if not height or height * len(shape.texts) > _MOST_HASHED * 100:
        return []
    rows = [line for line, text in enumerate(shape.texts, start=1) if text]
    texts = array("Q", [text for text in shape.texts if text])
    return [
        LineRange(rows[place], rows[place + height - 1])
        for place in range(len(texts) - height + 1)
        if words_hash(texts[place : place + height])[:TEXT_BYTES] == known
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
    """Where the words with this meaning begin, inside a stretch; at `most` so many.

    Where fewer than `closing` pieces of syntax end with them, something was added to a block or call that did.
    """
    first, behind = inside
    found: list[int] = []
    if not opening or count > behind - first:
        return found
    data = word_bytes(shape.words[first:behind])
    # The two bytes that `short` keeps of each word, one after the other: searched by one, checked by the other.
    lower, upper = data[5::8], data[6::8]
    low, high = bytes(word & 0xFF for word in opening), bytes(word >> 8 for word in opening)
    left = _MOST_HASHED
    place = lower.find(low)
    while -1 < place <= behind - first - count and left > 0 and len(found) != most:
        if upper.startswith(high, place):
            left -= count
            start = first + place
            same = shape.part_meaning(start, start + count) == meaning
            if same and (not closing or shape.closing(start, start + count) >= closing):
                found.append(start)
        place = lower.find(low, place + 1)
    return found


def note_occurrences(
    shape: FileShape, inside: tuple[int, int], opening: tuple[int, ...], count: int, meaning: bytes
) -> list[int]:
    """Where these words of a comment begin, inside a stretch of notes."""
    found: list[int] = []
    left = _MOST_HASHED
    for place in range(inside[0], inside[1] - count + 1):
        if short(shape.notes[place]) == opening[0] and left > 0:
            left -= count
            if words_hash(shape.notes[place : place + count]) == meaning:
                found.append(place)
    return found


def _folded(words: "array[int]") -> int:
    number = 0
    for word in words:
        number = (number * 0x9E3779B97F4A7C15 + word) & 0xFFFFFFFFFFFFFFFF
    return number >> 48
