"""Find lines that are not a whole symbol: in their symbol, their file, the file's successors, then other changed files."""

from collections.abc import Iterator
from dataclasses import replace

from waypost.model.code_verdict import CHANGED, DELETED, MOVED, UNCHANGED, CodeVerdict
from waypost.model.reference import LineRange
from waypost.model.shape import SECTION, FileShape, Landmark
from waypost.refs.anchor import Anchor
from waypost.refs.edited_lines import are_alike, kept_lines
from waypost.refs.occurrences import occurrences, same_text, surroundings
from waypost.refs.other_files import OtherFiles
from waypost.refs.similar_lines import (
    PinnedLines,
    amount_changed,
    areas_of,
    lines_of_words,
    pinned_lines,
    similar_lines,
)
from waypost.refs.sketch import best_window, likeness, sketch
from waypost.refs.symbols import common_tail, is_named, last_name, same_name, span

_WORDS_DISTINCT = 20  # fewer words are not distinctive: `return None` is in every file
_WORDS_INSIDE = 3  # fewer can occur more than once in one function
_WORDS_RARE = 8  # from here on, one equal neighbour identifies a place that occurs once
_BOTH = 2
ALIKE_INSIDE = 0.4  # within the symbol it was in
ALIKE_OUTSIDE = 0.5
_ALIKE_ELSEWHERE = 0.6  # in a file that it may have moved to
AMOUNT_SURE = 0.2  # changed no more than that, it is still where it was: other files are not searched


def follow_part(
    anchor: Anchor, path: str, was: LineRange | None, here: FileShape | None, others: OtherFiles
) -> CodeVerdict:
    for shape, same in possible_files(anchor, here, others):
        inside = symbol_around(anchor, shape)
        start = _exact_place(anchor, shape, inside)
        if start is not None:
            return part_verdict(same, shape, lines_of_words(anchor, shape, start, start + anchor.count), inside)
        lines = _lines_as_written(anchor, was, shape) if shape.broken or anchor.broken else None
        if lines is not None:
            return part_verdict(same, shape, lines, inside)
    origin = pinned_lines(anchor, path, was, others)
    similar = (_similar(anchor, origin, shape, same) for shape, same in possible_files(anchor, here, others))
    changed = next((verdict for verdict in similar if verdict is not None), None)
    if changed is not None and (changed.name or changed.amount <= AMOUNT_SURE):
        return changed
    return replace(_part_elsewhere(anchor, origin, others) or changed or CodeVerdict(DELETED), searched=True)


def _part_elsewhere(anchor: Anchor, origin: PinnedLines | None, others: OtherFiles) -> CodeVerdict | None:
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
        return part_verdict(MOVED, shape, lines_of_words(anchor, shape, place, place + anchor.count), None)
    is_searchable = not spots and not anchor.qualified and anchor.count >= _WORDS_DISTINCT
    return _similar_elsewhere(anchor, origin, others) if is_searchable else None


def _similar_elsewhere(anchor: Anchor, origin: PinnedLines | None, others: OtherFiles) -> CodeVerdict | None:
    best: tuple[float, FileShape, LineRange] | None = None
    for shape in others.changed():
        window = best_window(anchor.sketch, shape.words)
        if window is None or window.likeness < _ALIKE_ELSEWHERE or (best is not None and window.likeness <= best[0]):
            continue
        lines = lines_of_words(anchor, shape, window.first, window.behind)
        if origin is not None and not are_alike(origin.shape, origin.lines, shape, lines):
            continue
        before = others.before(shape.path)
        older = best_window(anchor.sketch, before.words) if before is not None else None
        if older is None or older.likeness < ALIKE_OUTSIDE:
            best = window.likeness, shape, lines
    if best is None:
        return None
    alike, shape, lines = best
    return part_verdict(CHANGED, shape, lines, None, amount_changed(anchor, alike))


def possible_files(anchor: Anchor, here: FileShape | None, others: OtherFiles) -> Iterator[tuple[FileShape, str]]:
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
    symbol = symbol_around(anchor, shape)
    if symbol is None or (symbol.name.startswith("__") and not is_named(symbol, anchor.qualified)):
        return False
    before = others.before(shape.path)
    return before is None or not same_name(before, symbol.qualified)


def symbol_around(anchor: Anchor, shape: FileShape) -> Landmark | None:
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


def _similar(anchor: Anchor, origin: PinnedLines | None, shape: FileShape, same: str) -> CodeVerdict | None:
    inside = symbol_around(anchor, shape)
    written = _lines_as_they_were(anchor, origin, shape, inside)
    if written is not None:
        is_same = _has_same_words(anchor, shape, written)
        state, amount = (same, 0.0) if is_same else (CHANGED, 1 / max(2, anchor.count))
        return part_verdict(state, shape, written, inside, amount)
    is_namesake = same == MOVED and inside is not None and not is_named(inside, anchor.qualified)
    if inside is not None:
        least = _ALIKE_ELSEWHERE if is_namesake else ALIKE_INSIDE
        place = similar_lines(anchor, origin, shape, inside, least, is_sure=not is_namesake)
        if place is not None:
            return part_verdict(CHANGED, shape, place[0], inside, place[1])
    is_section = anchor.kind == SECTION and origin is not None
    if inside is None or is_section or anchor.count >= _WORDS_DISTINCT:
        # Half of a few words is in any file, such as `import`. Git takes unrelated files for renamed ones.
        least = _ALIKE_ELSEWHERE if same == MOVED and anchor.count < _WORDS_RARE else ALIKE_OUTSIDE
        is_sure = (is_section or not anchor.qualified) and (same == UNCHANGED or anchor.count >= _WORDS_RARE)
        place = similar_lines(anchor, origin, shape, None, least, is_sure=is_sure)
        if place is not None:
            return part_verdict(CHANGED, shape, place[0], None, place[1])
    if inside is None or is_section or is_namesake or (same == MOVED and not _is_same_symbol(origin, shape, inside)):
        return None  # a symbol of the same last name in another file can be any
    return part_verdict(CHANGED, shape, LineRange(inside.start, inside.end), inside, 1.0)


def _has_same_words(anchor: Anchor, shape: FileShape, lines: LineRange) -> bool:
    """Whether lines of the same text have the same words too: not those of a template that was indented."""
    first, behind = shape.between(lines.start, lines.end)
    if behind - first != anchor.count or sketch(shape.words[first:behind]) != anchor.sketch:
        return False
    return shape.count_closing_marks(first, behind) >= anchor.closing and not _is_grown(anchor, shape, first)


def _lines_as_they_were(
    anchor: Anchor, origin: PinnedLines | None, shape: FileShape, inside: Landmark | None
) -> LineRange | None:
    """The pinned lines as a diff of their symbol or file keeps them, or the only ones of their text."""
    if origin is None or (inside is None) != (origin.around is None):
        return _lines_spaced_otherwise(anchor, shape, inside)
    old, new = areas_of(origin, shape, inside)
    is_one_of_many = (anchor.twin or anchor.many > 1) and anchor.count < _WORDS_DISTINCT
    kept = kept_lines(origin.shape, origin.lines, shape, old, new, with_neighbour=is_one_of_many)
    return kept or _lines_spaced_otherwise(anchor, shape, inside)


def _is_same_symbol(origin: PinnedLines | None, shape: FileShape, symbol: Landmark) -> bool:
    """Whether a symbol of the same name in another file is similar to the one around the pinned lines."""
    if origin is None or origin.around is None:
        return True
    first, behind = span(origin.shape, origin.around)
    now = span(shape, symbol)
    alike = likeness(sketch(origin.shape.symbol_words(first, behind)), shape.words[now[0] : now[1]])
    return alike >= ALIKE_OUTSIDE


def _lines_spaced_otherwise(anchor: Anchor, shape: FileShape, inside: Landmark | None) -> LineRange | None:
    """The only lines that differ in nothing but white space, such as those of a template that was indented."""
    if anchor.many > 1 or anchor.count < _WORDS_INSIDE or (anchor.qualified and inside is None):
        return None
    places = same_text(shape, anchor.text, anchor.height)
    first, last = (inside.first, inside.end) if inside else (1, shape.line_count)
    return places[0] if len(places) == 1 and first <= places[0].start and places[0].end <= last else None


def part_verdict(
    state: str, shape: FileShape, lines: LineRange, inside: Landmark | None, amount: float = 0.0
) -> CodeVerdict:
    return CodeVerdict(state, shape.path, lines, amount=round(amount, 4), name=inside.qualified if inside else "")
