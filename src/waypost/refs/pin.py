"""Pin a place in a file so that it can be found again."""

from array import array
from dataclasses import dataclass

from waypost.model.reference import LineRange
from waypost.model.shape import FileShape, Landmark, words_hash
from waypost.refs.anchor import AT_COMMENT, AT_DEFINITION, AT_START, FILE, NOTE, PART, SYMBOL, Anchor, clip_name, pack
from waypost.refs.occurrences import enclosing, occurrences, short_hash, surroundings, text_hash
from waypost.refs.sketch import sketch
from waypost.refs.symbols import alone_meaning, is_twin, meaning_of, same_name, span, start_of

_OPENING_WORDS = 3
_MOST_SAME = 9  # equal places are counted up to here


@dataclass(frozen=True, slots=True)
class PinnedCode:
    """What a reference points at. Part of a symbol has the symbol's name, but not its id."""

    lines: LineRange | None  # None: the whole file
    symbol_id: str | None
    qualified: str
    kind: str
    anchor: bytes


def pin(shape: FileShape, lines: LineRange | None, symbol: str | None) -> PinnedCode | None:
    """Pin lines, a symbol or the whole file. None if the symbol or lines do not exist."""
    if symbol:
        landmark = find_symbol(shape, symbol, lines)
        return _pin_symbol(shape, landmark, AT_START) if landmark is not None else None
    if lines is None:
        return PinnedCode(None, None, "", "", pack(_file_anchor(shape, lines=False)))
    if lines.start > shape.line_count:
        return None
    return _pin_lines(shape, _without_blank_ends(shape, lines))


def find_symbol(shape: FileShape, symbol: str, lines: LineRange | None = None) -> Landmark | None:
    """The symbol with this id, qualified name or unique last name.

    Of overloads the one at `lines`; by default the longest, since the others are only declarations.
    """
    for field in ("symbol_id", "qualified", "name"):
        matches = [landmark for landmark in shape.landmarks if getattr(landmark, field) == symbol]
        if matches and len({landmark.qualified for landmark in matches}) > 1:
            return None
        if matches and lines is not None:
            return min(matches, key=lambda landmark: abs(landmark.define - lines.start))
        if matches:
            return max(matches, key=lambda landmark: landmark.end - landmark.define)
    return None


def _without_blank_ends(shape: FileShape, lines: LineRange) -> LineRange:
    """Without blank lines at the ends, unless all lines are blank."""
    start, end = lines.start, min(lines.end, shape.line_count)
    while start < end and shape.is_blank(start):
        start += 1
    while end > start and shape.is_blank(end):
        end -= 1
    return LineRange(start, end)


def _pin_lines(shape: FileShape, lines: LineRange) -> PinnedCode:
    first, behind = shape.between(lines.start, lines.end)
    if first == behind:
        return _pin_comment(shape, lines)
    for landmark in shape.landmarks:
        if landmark.first <= lines.start <= landmark.define and behind == span(shape, landmark)[1]:
            begin = AT_START
            if lines.start < landmark.start:
                begin = AT_COMMENT
            elif lines.start == landmark.define > landmark.start:
                begin = AT_DEFINITION
            return _pin_symbol(shape, landmark, begin)
    if (first, behind) == (0, len(shape.words)):
        return PinnedCode(LineRange(1, shape.line_count), None, "", "", pack(_file_anchor(shape, lines=True)))
    around = enclosing(shape, lines)
    inside = span(shape, around) if around else (0, len(shape.words))
    before, after = surroundings(shape, first, behind)
    meaning = shape.part_meaning(first, behind)
    opening = tuple(short_hash(word) for word in shape.words[first : min(behind, first + _OPENING_WORDS)])
    content = (opening, behind - first, meaning, shape.count_closing_marks(first, behind))
    anchor = Anchor(
        what=PART,
        text=text_hash(shape, lines.start, lines.end),
        height=len(shape.texts_between(lines.start, lines.end)),
        broken=shape.broken,
        typed=shape.typed,
        meaning=meaning,
        count=behind - first,
        sketch=sketch(shape.words[first:behind]),
        qualified=around.qualified if around else "",
        kind=around.kind if around else "",
        ordinal=_ordinal(shape, around),
        many=len(occurrences(shape, (0, len(shape.words)), *content, most=_MOST_SAME)),
        twin=len(occurrences(shape, inside, *content, most=2)) > 1,
        offset=max(0, first - inside[0]),
        lead=shape.rows[first] - lines.start,
        trail=lines.end - shape.rows[behind - 1],
        opening=opening,
        before=before,
        after=after,
        closing=content[-1],
    )
    return PinnedCode(lines, None, anchor.qualified, anchor.kind, pack(anchor))


def _pin_symbol(shape: FileShape, landmark: Landmark, begin: int) -> PinnedCode:
    first, behind = span(shape, landmark)
    many = len(same_name(shape, clip_name(landmark.qualified)))
    anchor = Anchor(
        what=SYMBOL,
        text=text_hash(shape, landmark.start, landmark.end),
        broken=shape.broken,
        typed=shape.typed,
        meaning=meaning_of(shape, landmark),
        count=behind - first,
        sketch=sketch(shape.symbol_words(first, behind, landmark.name)),
        qualified=landmark.qualified,
        kind=landmark.kind,
        begin=begin,
        ordinal=_ordinal(shape, landmark),
        many=many,
        twin=is_twin(shape, landmark),
        alone=alone_meaning(shape, landmark),
        before=surroundings(shape, first, behind)[0] if many > 1 else 0,
    )
    lines = LineRange(start_of(landmark, begin), landmark.end)
    return PinnedCode(lines, landmark.symbol_id or None, landmark.qualified, landmark.kind, pack(anchor))


def _pin_comment(shape: FileShape, lines: LineRange) -> PinnedCode:
    first, behind = shape.notes_between(lines.start, lines.end)
    around = enclosing(shape, lines)
    words = shape.notes[first:behind]
    anchor = Anchor(
        what=NOTE,
        text=text_hash(shape, lines.start, lines.end),
        height=len(shape.texts_between(lines.start, lines.end)),
        typed=shape.typed,
        meaning=words_hash(words),
        count=len(words),
        sketch=sketch(words),
        qualified=around.qualified if around else "",
        kind=around.kind if around else "",
        ordinal=_ordinal(shape, around),
        offset=lines.start - around.first if around else lines.start,
        lead=shape.note_rows[first] - lines.start if first < behind else 0,
        trail=lines.end - (shape.note_rows[behind - 1] if first < behind else lines.start),
        opening=tuple(map(short_hash, words[:1])),
    )
    return PinnedCode(lines, None, anchor.qualified, anchor.kind, pack(anchor))


def _file_anchor(shape: FileShape, *, lines: bool) -> Anchor:
    words = shape.words or array("Q", shape.notes)
    meaning = shape.meaning(0, len(shape.words)) if shape.words else words_hash(shape.notes)
    return Anchor(FILE, meaning, len(words), sketch(words), lines=lines, typed=shape.typed)


def _ordinal(shape: FileShape, landmark: Landmark | None) -> int:
    return same_name(shape, clip_name(landmark.qualified)).index(landmark) if landmark else 0
