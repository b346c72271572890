"""Find lines that are not a whole symbol: in their symbol, their file, the file's successors, then other changed files."""

from collections.abc import Iterator
from dataclasses import replace

from waypost.model.code_verdict import CHANGED, DELETED, MOVED, UNCHANGED, CodeVerdict
from waypost.model.reference import LineRange
from waypost.model.shape import FileShape, Landmark
from waypost.refs.anchor import Anchor
from waypost.refs.occurrences import note_occurrences, occurrences, same_text, surroundings
from waypost.refs.other_files import OtherFiles
from waypost.refs.sketch import Window, best_window
from waypost.refs.symbols import common_tail, is_named, last_name, same_name, span

_WORDS_DISTINCT = 20  # fewer words are not distinctive: `return None` is in every file
_WORDS_INSIDE = 3  # fewer can occur more than once in one function
_WORDS_RARE = 8  # from here on, one equal neighbour identifies a place that occurs once
_NOTE_WORDS_DISTINCT, _NOTE_WORDS_RARE = 8, 3
_BOTH = 2
_ALIKE_INSIDE = 0.4  # within the symbol it was in
_ALIKE_OUTSIDE = 0.5
_ALIKE_ELSEWHERE = 0.6  # in a file that it may have moved to
_AMOUNT_SURE = 0.2  # changed no more than that, it is still where it was: other files are not searched


def follow_part(anchor: Anchor, was: LineRange | None, here: FileShape | None, others: OtherFiles) -> CodeVerdict:
    for shape, same in _shapes(anchor, here, others):
        inside = _enclosing_symbol(anchor, shape)
        start = _exact_place(anchor, shape, inside)
        if start is not None:
            return _verdict(same, shape, _lines(anchor, shape, start, start + anchor.count), inside)
        lines = _lines_as_written(anchor, was, shape) if shape.broken or anchor.broken else None
        if lines is not None:
            return _verdict(same, shape, lines, inside)
    similar = (_similar(anchor, shape, same) for shape, same in _shapes(anchor, here, others))
    changed = next((verdict for verdict in similar if verdict is not None), None)
    if changed is not None and (changed.name or changed.amount <= _AMOUNT_SURE):
        return changed
    return replace(_part_elsewhere(anchor, others) or changed or CodeVerdict(DELETED), searched=True)


def _part_elsewhere(anchor: Anchor, others: OtherFiles) -> CodeVerdict | None:
    """The lines in another changed file: the same if that is one, else, outside any symbol, the most similar ones."""
    if anchor.count < _WORDS_RARE:
        return None
    spots = []
    for shape in others.changed():
        places = _occurrences(anchor, shape, (0, len(shape.words)))
        places = [place for place in places if anchor.count >= _WORDS_DISTINCT or _equal_sides(anchor, shape, place)]
        before = others.before(shape.path) if places else None
        if before is None or not _all_places(anchor, before, (0, len(before.words)), 1):
            spots += [(shape, place) for place in places]
    if len(spots) == 1:
        shape, place = spots[0]
        return _verdict(MOVED, shape, _lines(anchor, shape, place, place + anchor.count), None)
    is_searchable = not spots and not anchor.qualified and anchor.count >= _WORDS_DISTINCT
    return _similar_elsewhere(anchor, others) if is_searchable else None


def _similar_elsewhere(anchor: Anchor, others: OtherFiles) -> CodeVerdict | None:
    best: tuple[float, FileShape, Window] | None = None
    for shape in others.changed():
        window = best_window(anchor.sketch, shape.words)
        if window is None or window.likeness < _ALIKE_ELSEWHERE or (best is not None and window.likeness <= best[0]):
            continue
        before = others.before(shape.path)
        older = best_window(anchor.sketch, before.words) if before is not None else None
        if older is None or older.likeness < _ALIKE_OUTSIDE:
            best = window.likeness, shape, window
    if best is None:
        return None
    _, shape, window = best
    return _verdict(CHANGED, shape, _lines(anchor, shape, window.first, window.behind), None, _amount(anchor, window))


def follow_note(anchor: Anchor, here: FileShape | None, others: OtherFiles) -> CodeVerdict:
    """Find a comment by its words, and lines without words by their place in the symbol around them."""
    for shape, same in _shapes(anchor, here, others):
        inside = _enclosing_symbol(anchor, shape)
        expected = (inside.first if inside else 0) + anchor.offset
        if anchor.count and anchor.opening:
            verdict = _follow_comment(anchor, shape, inside, expected, same)
        else:
            verdict = _follow_wordless_lines(anchor, shape, inside, expected, same)
        if verdict is not None:
            return verdict
    return _comment_elsewhere(anchor, others) or CodeVerdict(DELETED)


def _comment_elsewhere(anchor: Anchor, others: OtherFiles) -> CodeVerdict | None:
    """The same comment in another changed file, if it is new there and in only one."""
    if anchor.count < _NOTE_WORDS_DISTINCT or not anchor.opening:
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
    return _verdict(MOVED, shape, _note_lines(anchor, shape, place), None)


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
        return _verdict(same, shape, nearest, inside)
    lines = LineRange(max(1, min(expected, last)), max(1, min(expected + anchor.trail, last)))
    return _verdict(CHANGED, shape, lines, inside, 1.0) if anchor.height else _verdict(same, shape, lines, inside)


def _follow_comment(
    anchor: Anchor, shape: FileShape, inside: Landmark | None, expected: int, same: str
) -> CodeVerdict | None:
    first, behind = shape.notes_between(inside.first, inside.end) if inside else (0, len(shape.notes))
    equal = _same_notes(anchor, shape, (first, behind))
    is_identified = inside is not None or not anchor.qualified or anchor.count >= _NOTE_WORDS_DISTINCT
    if equal and (is_identified or (len(equal) == 1 and anchor.count >= _NOTE_WORDS_RARE)):
        place = min(
            equal,
            key=lambda place: (_words_added(anchor, shape, place) > 0, abs(shape.note_rows[place] - expected)),
        )
        lines, added = _note_lines(anchor, shape, place), _words_added(anchor, shape, place)
        if added:
            return _verdict(CHANGED, shape, lines, inside, added / (added + anchor.count))
        return _verdict(same, shape, lines, inside)
    window = best_window(anchor.sketch, shape.notes[first:behind], first)
    least = _ALIKE_INSIDE if inside or not anchor.qualified else _ALIKE_OUTSIDE
    if window is not None and window.likeness >= least:
        lines = LineRange(shape.note_rows[window.first], shape.note_rows[window.behind - 1])
        return _verdict(CHANGED, shape, lines, inside, _amount(anchor, window))
    return None


def _shapes(anchor: Anchor, here: FileShape | None, others: OtherFiles) -> Iterator[tuple[FileShape, str]]:
    seen = set()
    if here is not None:
        seen.add(here.path)
        yield here, UNCHANGED
    for shape in others.successors():
        if shape.path not in seen:
            seen.add(shape.path)
            yield shape, MOVED
    if anchor.qualified and (here is None or not same_name(here, anchor.qualified)):
        named = [shape for shape in others.named(last_name(anchor.qualified)) if shape.path not in seen]
        # Files are found in another order without an index: it must not decide.
        for shape in sorted(named, key=lambda shape: (not same_name(shape, anchor.qualified), shape.path)):
            if _has_new_symbol(anchor, shape, others):
                yield shape, MOVED


def _has_new_symbol(anchor: Anchor, shape: FileShape, others: OtherFiles) -> bool:
    """Whether the symbol of this name was not in that file when the code was pinned.

    Names such as `__init__` are too frequent to count without their class.
    """
    symbol = _enclosing_symbol(anchor, shape)
    if symbol is None or (symbol.name.startswith("__") and not is_named(symbol, anchor.qualified)):
        return False
    before = others.before(shape.path)
    return before is None or not same_name(before, symbol.qualified)


def _enclosing_symbol(anchor: Anchor, shape: FileShape) -> Landmark | None:
    """The enclosing symbol as it is now. Of overloads, the one at the same index."""
    named = same_name(shape, anchor.qualified) if anchor.qualified else []
    if not named and anchor.qualified:
        named = _renamed_outside(anchor.qualified, shape)
    return named[min(anchor.ordinal, len(named) - 1)] if named else None


def _renamed_outside(qualified: str, shape: FileShape) -> list[Landmark]:
    """The only symbol of its last name, if what is around it has another name. A constructor has its class's name."""
    named = [landmark for landmark in shape.landmarks if landmark.name == last_name(qualified)]
    depth = qualified.count(".")
    rates = [(common_tail(qualified, symbol), symbol.qualified.count(".") == depth) for symbol in named]
    named = [symbol for rate, symbol in zip(rates, named, strict=True) if rate == max(rates)]
    return named if len(named) == 1 else []


def _exact_place(anchor: Anchor, shape: FileShape, inside: Landmark | None) -> int | None:
    whole = (0, len(shape.words))
    stretch = span(shape, inside) if inside else whole
    places = _occurrences(anchor, shape, stretch)
    expected = stretch[0] + anchor.offset
    if places and (inside is not None or not anchor.qualified):
        place = _best_place(anchor, shape, places, expected)
        # The part occurred twice: one remaining copy may be the other one.
        many = anchor.count >= (_WORDS_INSIDE if inside else _WORDS_DISTINCT)
        many = many or (len(places) == 1 and (not inside or _is_unique(anchor, shape)))
        is_identified = len(places) > 1 if anchor.twin else many
        if is_identified or anchor.count >= _WORDS_DISTINCT or _equal_sides(anchor, shape, place):
            return place
    # The part occurred in several functions: the remaining copies are the others.
    if len(_all_places(anchor, shape, whole, anchor.many)) < anchor.many:
        return None
    if inside is not None:
        places = _occurrences(anchor, shape, whole)
    least = 1 if anchor.count >= _WORDS_RARE and len(places) == 1 else _BOTH
    least = 0 if anchor.count >= _WORDS_DISTINCT else least
    distinct = [place for place in places if _equal_sides(anchor, shape, place) >= least]
    return _best_place(anchor, shape, distinct, expected) if distinct else None


def _is_unique(anchor: Anchor, shape: FileShape) -> bool:
    """Whether these words were once in their file and are so now, such as a field among moved fields."""
    return anchor.count > 1 == anchor.many and len(_all_places(anchor, shape, (0, len(shape.words)), _BOTH)) == 1


def _lines_as_written(anchor: Anchor, was: LineRange | None, shape: FileShape) -> LineRange | None:
    """The same lines in a file with syntax errors, nearest to where they were."""
    if anchor.count < _WORDS_DISTINCT or not anchor.height:
        return None
    near = was.start if was else 1
    places = same_text(shape, anchor.text, anchor.height)
    return min(places, key=lambda lines: (abs(lines.start - near), lines), default=None)


def _occurrences(anchor: Anchor, shape: FileShape, stretch: tuple[int, int]) -> list[int]:
    return [place for place in _all_places(anchor, shape, stretch) if not _is_grown(anchor, shape, place)]


def _all_places(anchor: Anchor, shape: FileShape, stretch: tuple[int, int], most: int | None = None) -> list[int]:
    return occurrences(shape, stretch, anchor.opening, anchor.count, anchor.meaning, anchor.closing, most)


def _is_grown(anchor: Anchor, shape: FileShape, place: int) -> bool:
    """Whether its first or last line gained something new. Lines were pinned, not words."""
    behind = place + anchor.count
    before, after = surroundings(shape, place, behind)
    rows = shape.rows
    joined_before = place > 0 and rows[place - 1] == rows[place] and before != anchor.before
    return joined_before or (behind < len(rows) and rows[behind] == rows[behind - 1] and after != anchor.after)


def _best_place(anchor: Anchor, shape: FileShape, places: list[int], expected: int) -> int:
    return min(places, key=lambda place: (-_equal_sides(anchor, shape, place), abs(place - expected), place))


def _equal_sides(anchor: Anchor, shape: FileShape, place: int) -> int:
    """On how many sides the surroundings are the same."""
    before, after = surroundings(shape, place, place + anchor.count)
    return (before == anchor.before) + (after == anchor.after)


def _similar(anchor: Anchor, shape: FileShape, same: str) -> CodeVerdict | None:
    inside = _enclosing_symbol(anchor, shape)
    written = _lines_spaced_otherwise(anchor, shape, inside)
    if written is not None:
        return _verdict(CHANGED, shape, written, inside, 1 / max(2, anchor.count))
    is_namesake = same == MOVED and inside is not None and not is_named(inside, anchor.qualified)
    if inside is not None:
        first, behind = span(shape, inside)
        window = best_window(anchor.sketch, shape.words[first:behind], first)
        if window is not None and window.likeness >= (_ALIKE_ELSEWHERE if is_namesake else _ALIKE_INSIDE):
            lines = _lines(anchor, shape, window.first, window.behind)
            return _verdict(CHANGED, shape, lines, inside, _amount(anchor, window))
    is_distinct = inside is None or anchor.count >= _WORDS_DISTINCT
    window = best_window(anchor.sketch, shape.words) if is_distinct else None
    # Half of a few words is in any file, such as `import`. Git takes unrelated files for renamed ones.
    least = _ALIKE_ELSEWHERE if same == MOVED and anchor.count < _WORDS_RARE else _ALIKE_OUTSIDE
    if window is not None and window.likeness >= least:
        lines = _lines(anchor, shape, window.first, window.behind)
        return _verdict(CHANGED, shape, lines, None, _amount(anchor, window))
    if inside is None or is_namesake:  # a symbol of the same last name in another file can be any
        return None
    return _verdict(CHANGED, shape, LineRange(inside.start, inside.end), inside, 1.0)


def _lines_spaced_otherwise(anchor: Anchor, shape: FileShape, inside: Landmark | None) -> LineRange | None:
    """The only lines that differ in nothing but white space, such as those of a template that was indented."""
    if anchor.many > 1 or anchor.count < _WORDS_INSIDE or (anchor.qualified and inside is None):
        return None
    places = same_text(shape, anchor.text, anchor.height)
    first, last = (inside.first, inside.end) if inside else (1, shape.line_count)
    return places[0] if len(places) == 1 and first <= places[0].start and places[0].end <= last else None


def _amount(anchor: Anchor, window: Window) -> float:
    """How much changed: never nothing, even if the words look the same."""
    return max(1 - window.likeness, 1 / max(2, anchor.count))


def _lines(anchor: Anchor, shape: FileShape, first: int, behind: int) -> LineRange:
    """The lines of these words, plus adjacent lines of the reference that contain no other words."""
    above = shape.rows[first - 1] if first else 0
    below = shape.rows[behind] if behind < len(shape.rows) else shape.line_count + 1
    start, end = shape.rows[first], shape.rows[behind - 1]
    return LineRange(min(start, max(above + 1, start - anchor.lead)), max(end, min(below - 1, end + anchor.trail)))


def _verdict(
    state: str, shape: FileShape, lines: LineRange, inside: Landmark | None, amount: float = 0.0
) -> CodeVerdict:
    return CodeVerdict(state, shape.path, lines, amount=round(amount, 4), name=inside.qualified if inside else "")
