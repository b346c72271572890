"""Find comments by their words, and lines without words by their place."""

from dataclasses import replace

from waypost.model.code_verdict import CHANGED, DELETED, MOVED, UNCHANGED, CodeVerdict
from waypost.model.reference import LineRange
from waypost.model.shape import FileShape, Landmark
from waypost.refs.anchor import Anchor
from waypost.refs.follow_part import (
    ALIKE_INSIDE,
    ALIKE_OUTSIDE,
    AMOUNT_SURE,
    part_verdict,
    possible_files,
    symbol_around,
)
from waypost.refs.occurrences import note_occurrences, same_text
from waypost.refs.other_files import OtherFiles
from waypost.refs.similar_lines import PinnedLines, pinned_lines, similar_lines

_WORDS_DISTINCT, _WORDS_RARE = 8, 3


def follow_note(
    anchor: Anchor, path: str, was: LineRange | None, here: FileShape | None, others: OtherFiles
) -> CodeVerdict:
    """Find a comment by its words, and lines without words by their place in the symbol around them."""
    is_comment = bool(anchor.count and anchor.opening)
    for shape, same in possible_files(anchor, here, others):
        inside = symbol_around(anchor, shape)
        expected = (inside.first if inside else 0) + anchor.offset
        if is_comment:
            verdict = _same_comment(anchor, shape, inside, expected, same)
        else:
            verdict = _follow_wordless_lines(anchor, shape, inside, expected, same)
        if verdict is not None:
            return verdict
    if not is_comment:
        return CodeVerdict(DELETED)
    origin = pinned_lines(anchor, path, was, others)
    for shape, same in possible_files(anchor, here, others) if origin is not None else ():
        verdict = _comment_outside(anchor, shape, same, others)
        if verdict is not None:
            return verdict
    similar = (_similar_comment(anchor, origin, shape, same) for shape, same in possible_files(anchor, here, others))
    changed = next((verdict for verdict in similar if verdict is not None), None)
    if changed is not None and changed.amount <= AMOUNT_SURE:
        return changed
    return replace(_comment_elsewhere(anchor, others) or changed or CodeVerdict(DELETED), searched=True)


def _comment_elsewhere(anchor: Anchor, others: OtherFiles) -> CodeVerdict | None:
    """The same comment in another changed file, if it is new there and in only one."""
    if anchor.count < _WORDS_DISTINCT or not anchor.opening:
        return None
    spots = []
    for shape in others.changed():
        places = [place for place in _same_notes(anchor, shape) if not _words_added(anchor, shape, place)]
        before = others.before(shape.path) if places else None
        if before is None or not _same_notes(anchor, before):
            spots += [(shape, place) for place in places]
    if len(spots) != 1:
        return None
    shape, place = spots[0]
    return part_verdict(MOVED, shape, _note_lines(anchor, shape, place), None)


def _same_notes(anchor: Anchor, shape: FileShape, inside: tuple[int, int] | None = None) -> list[int]:
    inside = inside if inside is not None else (0, len(shape.notes))
    return note_occurrences(shape, inside, anchor.opening, anchor.count, anchor.meaning)


def _note_lines(anchor: Anchor, shape: FileShape, place: int) -> LineRange:
    rows = shape.note_rows[place], shape.note_rows[place + anchor.count - 1]
    return LineRange(max(1, rows[0] - anchor.lead), min(shape.line_count, rows[1] + anchor.trail))


def _words_added(anchor: Anchor, shape: FileShape, place: int) -> int:
    """How many words were added on the lines of a comment: "not" before a sentence reverses it."""
    begin, end = shape.notes_between(shape.note_rows[place], shape.note_rows[place + anchor.count - 1])
    return end - begin - anchor.count


def _follow_wordless_lines(
    anchor: Anchor, shape: FileShape, inside: Landmark | None, expected: int, same: str
) -> CodeVerdict | None:
    """Find lines with only brackets or quotes: the nearest with the same text."""
    if anchor.qualified and inside is None:
        return None
    first, last = (inside.first, inside.end) if inside else (1, shape.line_count)
    written = [lines for lines in same_text(shape, anchor.text, anchor.height) if first <= lines.start <= last]
    if written:
        nearest = min(written, key=lambda lines: (abs(lines.start - expected), lines))
        return part_verdict(same, shape, nearest, inside)
    lines = LineRange(max(1, min(expected, last)), max(1, min(expected + anchor.trail, last)))
    return (
        part_verdict(CHANGED, shape, lines, inside, 1.0) if anchor.height else part_verdict(same, shape, lines, inside)
    )


def _same_comment(
    anchor: Anchor, shape: FileShape, inside: Landmark | None, expected: int, same: str
) -> CodeVerdict | None:
    stretch = shape.notes_between(inside.first, inside.end) if inside else (0, len(shape.notes))
    equal = _same_notes(anchor, shape, stretch)
    is_identified = inside is not None or not anchor.qualified or anchor.count >= _WORDS_DISTINCT
    if not equal or not (is_identified or (len(equal) == 1 and anchor.count >= _WORDS_RARE)):
        return None
    place = min(
        equal,
        key=lambda place: (_words_added(anchor, shape, place) > 0, abs(shape.note_rows[place] - expected)),
    )
    lines, added = _note_lines(anchor, shape, place), _words_added(anchor, shape, place)
    if added:
        return part_verdict(CHANGED, shape, lines, inside, added / (added + anchor.count))
    return part_verdict(same, shape, lines, inside)


def _comment_outside(anchor: Anchor, shape: FileShape, same: str, others: OtherFiles) -> CodeVerdict | None:
    """The only comment with its words, outside of the symbol that it was in: its code has been renamed or split."""
    equal = _same_notes(anchor, shape) if anchor.count >= _WORDS_RARE else []
    if len(equal) != 1 or _words_added(anchor, shape, equal[0]):
        return None
    before = others.before(shape.path)
    copies = len(_same_notes(anchor, before)) if before is not None else 0
    if copies > (same == UNCHANGED):
        return None
    return part_verdict(same, shape, _note_lines(anchor, shape, equal[0]), None)


def _similar_comment(anchor: Anchor, origin: PinnedLines | None, shape: FileShape, same: str) -> CodeVerdict | None:
    inside = symbol_around(anchor, shape)
    is_known = inside is not None or not anchor.qualified
    least = ALIKE_INSIDE if is_known else ALIKE_OUTSIDE
    place = similar_lines(anchor, origin, shape, inside, least, is_sure=is_known and same == UNCHANGED)
    return part_verdict(CHANGED, shape, place[0], inside, place[1]) if place is not None else None
