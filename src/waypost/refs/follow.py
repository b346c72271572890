"""What became of a piece of code that was pinned: found again by its name, then by what it says."""

from dataclasses import dataclass

from waypost.model.code_verdict import CHANGED, DELETED, MOVED, UNCHANGED, UNCHECKED, CodeVerdict
from waypost.model.reference import LineRange
from waypost.model.shape import FileShape, words_hash
from waypost.refs.anchor import FILE, NOTE, PART, Anchor, unpack
from waypost.refs.follow_part import follow_note, follow_part
from waypost.refs.follow_symbol import follow_symbol
from waypost.refs.other_files import Elsewhere
from waypost.refs.sketch import likeness


@dataclass(frozen=True, slots=True)
class FollowedPlace:
    path: str
    lines: LineRange | None = None


def follow(anchor: bytes, was: FollowedPlace, here: FileShape | None, elsewhere: Elsewhere) -> CodeVerdict:
    """Where it is now, and whether it says the same.

    `here` is the file at `was.path` as it is now; None: it is gone or cannot be read. The rest of the tree is asked for
    only when something is lost in its file. The same question has the same answer.
    """
    known = unpack(anchor)
    if known is None:
        return CodeVerdict(UNCHECKED, was.path, was.lines)
    if known.what == PART:
        return follow_part(known, was.lines, here, elsewhere)
    if known.what == NOTE:
        return follow_note(known, here, elsewhere)
    if known.what == FILE:
        return _follow_file(known, here, elsewhere)
    return follow_symbol(known, here, elsewhere)


def _follow_file(known: Anchor, here: FileShape | None, elsewhere: Elsewhere) -> CodeVerdict:
    if here is not None:
        return _compared(known, here, UNCHANGED)
    found = [_compared(known, shape, MOVED) for shape in elsewhere.became()]
    moved = [one for one in found if one.state == MOVED]
    if moved:
        return moved[0]
    return min(found, key=lambda one: one.amount, default=CodeVerdict(DELETED))


def _compared(known: Anchor, shape: FileShape, same: str) -> CodeVerdict:
    lines = LineRange(1, max(1, shape.line_count)) if known.lines else None
    words = shape.words or shape.notes
    meaning = shape.meaning(0, len(words)) if shape.words else words_hash(shape.notes)
    if meaning == known.meaning:
        return CodeVerdict(same, shape.path, lines)
    amount = max(1 - likeness(known.sketch, words), 1 / max(2, known.count))
    return CodeVerdict(CHANGED, shape.path, lines, amount=amount)
