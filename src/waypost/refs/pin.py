"""A place in a file, noted so that it is found again."""

from array import array
from dataclasses import dataclass

from waypost.model.reference import LineRange
from waypost.model.shape import FileShape, Landmark, words_hash
from waypost.refs.anchor import (
    AT_COMMENT,
    AT_DEFINITION,
    AT_START,
    FILE,
    NOTE,
    PART,
    SYMBOL,
    Anchor,
    clipped,
    pack,
)
from waypost.refs.places import enclosing, occurrences, short, surroundings, text_hash
from waypost.refs.sketch import sketch
from waypost.refs.symbols import alone_meaning, is_twin, meaning_of, same_name, span

_OPENING_WORDS = 3
_MOST_SAME = 9  # places that say the same are counted up to here


@dataclass(frozen=True, slots=True)
class PinnedCode:
    """What a reference points at. A part of a symbol bears the symbol's name, but not its id."""

    lines: LineRange | None  # None: the whole file
    symbol_id: str | None
    qualified: str
    kind: str
    anchor: bytes


def pin(shape: FileShape, lines: LineRange | None, symbol: str | None) -> PinnedCode | None:
    """Pin lines, a symbol, or the whole file. None: the symbol is not there, or the lines are behind the end."""
    if symbol:
        found = find_symbol(shape, symbol, lines)
        return _of_symbol(shape, found, AT_START) if found is not None else None
    if lines is None:
        return PinnedCode(None, None, "", "", pack(_of_file(shape, lines=False)))
    if lines.start > shape.line_count:
        return None
    return _of_lines(shape, _trimmed(shape, lines))


def find_symbol(shape: FileShape, symbol: str, lines: LineRange | None = None) -> Landmark | None:
    """The symbol with this id, qualified name, or last name if only one has it; of overloads the one at `lines`, else the
    longest: the others declare, it does."""
    for field in ("symbol_id", "qualified", "name"):
        found = [one for one in shape.landmarks if getattr(one, field) == symbol]
        if found and len({one.qualified for one in found}) > 1:
            return None
        if found and lines is not None:
            return min(found, key=lambda one: abs(one.define - lines.start))
        if found:
            return max(found, key=lambda one: one.end - one.define)
    return None


def _trimmed(shape: FileShape, lines: LineRange) -> LineRange:
    """Without blank lines at the ends, unless there is nothing else."""
    start, end = lines.start, min(lines.end, shape.line_count)
    while start < end and shape.is_blank(start):
        start += 1
    while end > start and shape.is_blank(end):
        end -= 1
    return LineRange(start, end)


def _of_lines(shape: FileShape, lines: LineRange) -> PinnedCode:
    first, behind = shape.between(lines.start, lines.end)
    if first == behind:
        return _of_notes(shape, lines)
    for landmark in shape.landmarks:
        if landmark.first <= lines.start <= landmark.define and behind == span(shape, landmark)[1]:
            begin = AT_START
            if lines.start < landmark.start:
                begin = AT_COMMENT
            elif lines.start == landmark.define > landmark.start:
                begin = AT_DEFINITION
            return _of_symbol(shape, landmark, begin)
    if (first, behind) == (0, len(shape.words)):
        return PinnedCode(LineRange(1, shape.line_count), None, "", "", pack(_of_file(shape, lines=True)))
    around = enclosing(shape, lines)
    inside = span(shape, around) if around else (0, len(shape.words))
    before, after = surroundings(shape, first, behind)
    meaning = shape.part_meaning(first, behind)
    opening = tuple(short(word) for word in shape.words[first : min(behind, first + _OPENING_WORDS)])
    said = (opening, behind - first, meaning, shape.closing(first, behind))
    anchor = Anchor(
        what=PART,
        text=text_hash(shape, lines.start, lines.end),
        height=len(shape.texts_between(lines.start, lines.end)),
        broken=shape.broken,
        meaning=meaning,
        count=behind - first,
        sketch=sketch(shape.words[first:behind]),
        qualified=around.qualified if around else "",
        kind=around.kind if around else "",
        ordinal=_ordinal(shape, around),
        many=len(occurrences(shape, (0, len(shape.words)), *said, most=_MOST_SAME)),
        twin=len(occurrences(shape, inside, *said, most=2)) > 1,
        offset=max(0, first - inside[0]),
        lead=shape.rows[first] - lines.start,
        trail=lines.end - shape.rows[behind - 1],
        opening=opening,
        before=before,
        after=after,
        closing=said[-1],
    )
    return PinnedCode(lines, None, anchor.qualified, anchor.kind, pack(anchor))


def _of_symbol(shape: FileShape, landmark: Landmark, begin: int) -> PinnedCode:
    first, behind = span(shape, landmark)
    anchor = Anchor(
        what=SYMBOL,
        text=text_hash(shape, landmark.start, landmark.end),
        broken=shape.broken,
        meaning=meaning_of(shape, landmark),
        count=behind - first,
        sketch=sketch(shape.spoken(first, behind, landmark.name)),
        qualified=landmark.qualified,
        kind=landmark.kind,
        begin=begin,
        ordinal=_ordinal(shape, landmark),
        many=len(same_name(shape, clipped(landmark.qualified))),
        twin=is_twin(shape, landmark),
        alone=alone_meaning(shape, landmark),
    )
    start = {AT_START: landmark.start, AT_DEFINITION: landmark.define, AT_COMMENT: landmark.first}[begin]
    return PinnedCode(
        LineRange(start, landmark.end), landmark.symbol_id or None, landmark.qualified, landmark.kind, pack(anchor)
    )


def _of_notes(shape: FileShape, lines: LineRange) -> PinnedCode:
    """A comment, or lines that say nothing at all: a reference to them is about the words of the comment."""
    first, behind = shape.notes_between(lines.start, lines.end)
    around = enclosing(shape, lines)
    words = shape.notes[first:behind]
    anchor = Anchor(
        what=NOTE,
        text=text_hash(shape, lines.start, lines.end),
        height=len(shape.texts_between(lines.start, lines.end)),
        meaning=words_hash(words),
        count=len(words),
        sketch=sketch(words),
        qualified=around.qualified if around else "",
        kind=around.kind if around else "",
        ordinal=_ordinal(shape, around),
        offset=lines.start - around.first if around else lines.start,
        lead=shape.note_rows[first] - lines.start if first < behind else 0,
        trail=lines.end - (shape.note_rows[behind - 1] if first < behind else lines.start),
        opening=tuple(map(short, words[:1])),
    )
    return PinnedCode(lines, None, anchor.qualified, anchor.kind, pack(anchor))


def _of_file(shape: FileShape, *, lines: bool) -> Anchor:
    words = shape.words or array("Q", shape.notes)
    meaning = shape.meaning(0, len(shape.words)) if shape.words else words_hash(shape.notes)
    return Anchor(what=FILE, meaning=meaning, count=len(words), sketch=sketch(words), lines=lines)


def _ordinal(shape: FileShape, landmark: Landmark | None) -> int:
    return same_name(shape, clipped(landmark.qualified)).index(landmark) if landmark else 0
