"""Lines that are no symbol, found again: in the symbol they were in, in their file, in what the file became."""

from collections.abc import Iterator

from waypost.model.code_verdict import CHANGED, DELETED, MOVED, UNCHANGED, CodeVerdict
from waypost.model.reference import LineRange
from waypost.model.shape import FileShape, Landmark
from waypost.refs.anchor import Anchor
from waypost.refs.other_files import Elsewhere
from waypost.refs.places import note_occurrences, occurrences, same_text, surroundings
from waypost.refs.sketch import best_window
from waypost.refs.symbols import last_name, same_name, span

_WORDS_DISTINCT = 20  # fewer are found anywhere: `return None` is in every file,
_WORDS_INSIDE = 3  # and very few more than once in a function
_WORDS_RARE = 8  # are told from others by one neighbour, where they stand but once
_NOTE_WORDS_DISTINCT, _NOTE_WORDS_RARE = 8, 3
_BOTH = 2  # sides
_ALIKE_INSIDE = 0.4  # in the symbol it was in
_ALIKE_ELSEWHERE = 0.5


def follow_part(known: Anchor, was: LineRange | None, here: FileShape | None, elsewhere: Elsewhere) -> CodeVerdict:
    for shape, same in _shapes(known, here, elsewhere):
        inside = _around(known, shape)
        found = _exact(known, shape, inside)
        if found is not None:
            return CodeVerdict(same, shape.path, _lines(known, shape, found, found + known.count), name=_name(inside))
        if shape.broken or known.broken:
            lines = _as_written(known, was, shape)
            if lines is not None:
                return CodeVerdict(same, shape.path, lines, name=_name(inside))
    for shape, _ in _shapes(known, here, elsewhere):
        changed = _similar(known, shape, _around(known, shape))
        if changed is not None:
            return changed
    return CodeVerdict(DELETED)


def follow_note(known: Anchor, here: FileShape | None, elsewhere: Elsewhere) -> CodeVerdict:
    """A comment by its words; lines that say nothing by their place in what is around them."""
    for shape, same in _shapes(known, here, elsewhere):
        inside = _around(known, shape)
        expected = (inside.first if inside else 0) + known.offset
        if known.count and known.opening:
            found = _note(known, shape, inside, expected, same)
        else:
            found = _silent(known, shape, inside, expected, same)
        if found is not None:
            return found
    return CodeVerdict(DELETED)


def _silent(known: Anchor, shape: FileShape, inside: Landmark | None, expected: int, same: str) -> CodeVerdict | None:
    """Lines with nothing but brackets or quotes on them: the nearest that are written so."""
    if known.qualified and inside is None:
        return None
    first, last = (inside.first, inside.end) if inside else (1, shape.line_count)
    written = [lines for lines in same_text(shape, known.text, known.height) if first <= lines.start <= last]
    if written:
        nearest = min(written, key=lambda one: (abs(one.start - expected), one))
        return CodeVerdict(same, shape.path, nearest, name=_name(inside))
    start, end = max(1, min(expected, last)), max(1, min(expected + known.trail, last))
    blank = not known.height
    return CodeVerdict(
        same if blank else CHANGED, shape.path, LineRange(start, end), amount=0.0 if blank else 1.0, name=_name(inside)
    )


def _note(known: Anchor, shape: FileShape, inside: Landmark | None, expected: int, same: str) -> CodeVerdict | None:
    first, behind = shape.notes_between(inside.first, inside.end) if inside else (0, len(shape.notes))
    equal = note_occurrences(shape, (first, behind), known.opening, known.count, known.meaning)
    is_told = inside is not None or not known.qualified or known.count >= _NOTE_WORDS_DISTINCT
    if equal and (is_told or (len(equal) == 1 and known.count >= _NOTE_WORDS_RARE)):
        place = min(equal, key=lambda one: abs(shape.note_rows[one] - expected))
        rows = shape.note_rows[place], shape.note_rows[place + known.count - 1]
        lines = LineRange(max(1, rows[0] - known.lead), min(shape.line_count, rows[1] + known.trail))
        begin, end = shape.notes_between(*rows)
        added = end - begin - known.count  # on its lines: "not" before a sentence turns it round
        if added:
            return CodeVerdict(CHANGED, shape.path, lines, round(added / (added + known.count), 4), _name(inside))
        return CodeVerdict(same, shape.path, lines, name=_name(inside))
    window = best_window(known.sketch, shape.notes[first:behind], first)
    least = _ALIKE_INSIDE if inside or not known.qualified else _ALIKE_ELSEWHERE
    if window is not None and window.likeness >= least:
        lines = LineRange(shape.note_rows[window.first], shape.note_rows[window.behind - 1])
        amount = max(1 - window.likeness, 1 / max(2, known.count))
        return CodeVerdict(CHANGED, shape.path, lines, amount=round(amount, 4), name=_name(inside))
    return None


def _shapes(known: Anchor, here: FileShape | None, elsewhere: Elsewhere) -> Iterator[tuple[FileShape, str]]:
    seen = set()
    if here is not None:
        seen.add(here.path)
        yield here, UNCHANGED
    for shape in elsewhere.became():
        if shape.path not in seen:
            seen.add(shape.path)
            yield shape, MOVED
    if known.qualified and (here is None or not same_name(here, known.qualified)):
        for shape in elsewhere.named(last_name(known.qualified)):
            if shape.path not in seen:
                seen.add(shape.path)
                yield shape, MOVED


def _around(known: Anchor, shape: FileShape) -> Landmark | None:
    """The symbol around it as it is now; of overloads the one in the same place of the order."""
    named = same_name(shape, known.qualified) if known.qualified else []
    if not named and known.qualified:
        named = [one for one in shape.landmarks if one.name == last_name(known.qualified)]
        named = named if len(named) == 1 else []
    return named[min(known.ordinal, len(named) - 1)] if named else None


def _exact(known: Anchor, shape: FileShape, inside: Landmark | None) -> int | None:
    whole = (0, len(shape.words))
    stretch = span(shape, inside) if inside else whole
    found = _occurrences(known, shape, stretch)
    expected = stretch[0] + known.offset
    if found and (inside is not None or not known.qualified):
        place = _best(known, shape, found, expected)
        # Where the same stood twice, the one that is left may be the other one.
        many = known.count >= (_WORDS_INSIDE if inside else _WORDS_DISTINCT)
        told = len(found) > 1 if known.twin else many or (len(found) == 1 and not inside)
        if told or known.count >= _WORDS_DISTINCT or _fits(known, shape, place):
            return place
    # Where the same stood in several functions, those that are left are the others.
    if len(_all_places(known, shape, whole, known.many)) < known.many:
        return None
    if inside is not None:
        found = _occurrences(known, shape, whole)
    least = 1 if known.count >= _WORDS_RARE and len(found) == 1 else _BOTH
    distinct = [place for place in found if known.count >= _WORDS_DISTINCT or _fits(known, shape, place) >= least]
    return _best(known, shape, distinct, expected) if distinct else None


def _as_written(known: Anchor, was: LineRange | None, shape: FileShape) -> LineRange | None:
    """The same lines in a file that could not be parsed; nearest to where they were."""
    if known.count < _WORDS_DISTINCT or not known.height:
        return None
    near = was.start if was else 1
    return min(
        same_text(shape, known.text, known.height), key=lambda lines: (abs(lines.start - near), lines), default=None
    )


def _occurrences(known: Anchor, shape: FileShape, stretch: tuple[int, int]) -> list[int]:
    return [place for place in _all_places(known, shape, stretch) if not _is_grown(known, shape, place)]


def _all_places(known: Anchor, shape: FileShape, stretch: tuple[int, int], most: int | None = None) -> list[int]:
    return occurrences(shape, stretch, known.opening, known.count, known.meaning, known.closing, most)


def _is_grown(known: Anchor, shape: FileShape, place: int) -> bool:
    """Whether something new stands on its first or last line: lines were pinned, and not words."""
    behind = place + known.count
    before, after = surroundings(shape, place, behind)
    rows = shape.rows
    joined_before = place > 0 and rows[place - 1] == rows[place] and before != known.before
    return joined_before or (behind < len(rows) and rows[behind] == rows[behind - 1] and after != known.after)


def _best(known: Anchor, shape: FileShape, found: list[int], expected: int) -> int:
    return min(found, key=lambda place: (-_fits(known, shape, place), abs(place - expected), place))


def _fits(known: Anchor, shape: FileShape, place: int) -> int:
    """On how many sides the surroundings are the same."""
    before, after = surroundings(shape, place, place + known.count)
    return (before == known.before) + (after == known.after)


def _similar(known: Anchor, shape: FileShape, inside: Landmark | None) -> CodeVerdict | None:
    if inside is not None:
        first, behind = span(shape, inside)
        window = best_window(known.sketch, shape.words[first:behind], first)
        if window is not None and window.likeness >= _ALIKE_INSIDE:
            return _changed(known, shape, window.first, window.behind, window.likeness, _name(inside))
    is_distinct = inside is None or known.count >= _WORDS_DISTINCT
    window = best_window(known.sketch, shape.words) if is_distinct else None
    if window is not None and window.likeness >= _ALIKE_ELSEWHERE:
        return _changed(known, shape, window.first, window.behind, window.likeness, "")
    if inside is not None:
        return CodeVerdict(CHANGED, shape.path, LineRange(inside.start, inside.end), amount=1.0, name=inside.qualified)
    return None


def _changed(known: Anchor, shape: FileShape, first: int, behind: int, likeness: float, name: str) -> CodeVerdict:
    amount = max(1 - likeness, 1 / max(2, known.count))
    return CodeVerdict(CHANGED, shape.path, _lines(known, shape, first, behind), amount=round(amount, 4), name=name)


def _lines(known: Anchor, shape: FileShape, first: int, behind: int) -> LineRange:
    """The lines of words, with those around them that belonged to the reference and are nobody else's."""
    above = shape.rows[first - 1] if first else 0
    below = shape.rows[behind] if behind < len(shape.rows) else shape.line_count + 1
    start, end = shape.rows[first], shape.rows[behind - 1]
    return LineRange(min(start, max(above + 1, start - known.lead)), max(end, min(below - 1, end + known.trail)))


def _name(inside: Landmark | None) -> str:
    return inside.qualified if inside else ""
