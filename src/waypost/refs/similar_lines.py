"""What pinned lines have become in a file where they are no longer as they were."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

from waypost.model.reference import LineRange
from waypost.model.shape import SECTION, FileShape, Landmark
from waypost.refs.anchor import PART, Anchor
from waypost.refs.edited_lines import are_alike, diff_lines, edited_lines, new_runs, whole_file
from waypost.refs.occurrences import text_hash
from waypost.refs.other_files import OtherFiles
from waypost.refs.sketch import Window, best_window, likeness
from waypost.refs.symbols import same_name


@dataclass(frozen=True, slots=True)
class PinnedLines:
    """The pinned lines in the file as it was when they were pinned."""

    shape: FileShape
    lines: LineRange
    around: Landmark | None  # the symbol around them


def pinned_lines(anchor: Anchor, path: str, was: LineRange | None, others: OtherFiles) -> PinnedLines | None:
    """None if git does not have the pinned lines, such as of a change that was not committed."""
    before = others.before(path) if was is not None and anchor.height else None
    if before is None or was is None:
        return None
    if text_hash(before, was.start, was.end) != anchor.text:
        return None
    named = same_name(before, anchor.qualified) if anchor.qualified else []
    return PinnedLines(before, was, named[anchor.ordinal] if anchor.ordinal < len(named) else None)


def areas_of(origin: PinnedLines, shape: FileShape, inside: Landmark | None) -> tuple[LineRange, LineRange]:
    """What to compare: the symbol around the lines, then and now, or the whole file."""
    around = origin.around
    if inside is None or around is None:
        return whole_file(origin.shape), whole_file(shape)
    return LineRange(around.first, around.end), LineRange(inside.first, inside.end)


def similar_lines(
    anchor: Anchor,
    origin: PinnedLines | None,
    shape: FileShape,
    inside: Landmark | None,
    least: float,
    *,
    is_sure: bool,
) -> tuple[LineRange, float] | None:
    """The lines that the pinned ones have become in a symbol or file, and how much of them changed.

    `is_sure`: it is the same symbol or file, so that what a diff says needs no likeness.
    """
    new = LineRange(inside.first, inside.end) if inside else whole_file(shape)
    if origin is None or (inside is not None and origin.around is None):
        window = _similar_window(anchor, shape, [new])
    else:
        old, new = areas_of(origin, shape, inside)
        is_code = anchor.what == PART and inside is not None and inside.kind != SECTION
        lines = edited_lines(origin.shape, origin.lines, shape, old, new, by_place=is_code)
        if lines is not None:
            alike = likeness(anchor.sketch, _content(anchor, shape, lines)[1])
            if is_sure or alike >= least:
                return lines, amount_changed(anchor, alike)
        window = _similar_window(anchor, shape, new_runs(diff_lines(origin.shape, shape, old, new), shape, new))
    if window is None or window.likeness < least:
        return None
    lines = lines_of_words(anchor, shape, window.first, window.behind)
    if origin is not None and not are_alike(origin.shape, origin.lines, shape, lines):
        return None
    return lines, amount_changed(anchor, window.likeness)


def _content(anchor: Anchor, shape: FileShape, lines: LineRange) -> "tuple[int, array[int]]":
    """The words that count on these lines, those of comments for a comment, and the number of the first one."""
    if anchor.what == PART:
        first, behind = shape.between(lines.start, lines.end)
        return first, shape.words[first:behind]
    first, behind = shape.notes_between(lines.start, lines.end)
    return first, shape.notes[first:behind]


def _similar_window(anchor: Anchor, shape: FileShape, areas: Iterable[LineRange]) -> Window | None:
    contents = (_content(anchor, shape, area) for area in areas)
    windows = (best_window(anchor.sketch, words, first) for first, words in contents)
    return max((window for window in windows if window), key=lambda window: window.likeness, default=None)


def amount_changed(anchor: Anchor, alike: float) -> float:
    """How much changed: never nothing, even if the words look the same."""
    return max(1 - alike, 1 / max(2, anchor.count))


def lines_of_words(anchor: Anchor, shape: FileShape, first: int, behind: int) -> LineRange:
    """The lines of these words, plus adjacent lines of the reference that contain no other words."""
    if anchor.what != PART:
        return LineRange(shape.note_rows[first], shape.note_rows[behind - 1])
    above = shape.rows[first - 1] if first else 0
    below = shape.rows[behind] if behind < len(shape.rows) else shape.line_count + 1
    start, end = shape.rows[first], shape.rows[behind - 1]
    return LineRange(min(start, max(above + 1, start - anchor.lead)), max(end, min(below - 1, end + anchor.trail)))
