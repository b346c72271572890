"""Find pinned code again, first by name, then by content."""

from dataclasses import dataclass

from waypost.model.code_verdict import CHANGED, DELETED, MOVED, UNCHANGED, UNCHECKED, CodeVerdict
from waypost.model.reference import LineRange
from waypost.model.shape import FileShape, words_hash
from waypost.refs.anchor import FILE, NOTE, PART, Anchor, unpack
from waypost.refs.follow_note import follow_note
from waypost.refs.follow_part import follow_part
from waypost.refs.follow_symbol import follow_symbol
from waypost.refs.other_files import OtherFiles
from waypost.refs.sketch import likeness


@dataclass(frozen=True, slots=True)
class FollowedPlace:
    path: str
    lines: LineRange | None = None


def follow(anchor: bytes, was: FollowedPlace, here: FileShape | None, others: OtherFiles) -> CodeVerdict:
    """Where the pinned code is now, and whether it changed.

    `here` is the file at `was.path` as it is now, or None if it is gone or unreadable. `others` is used only when the
    code is no longer in its file.
    """
    pinned = unpack(anchor)
    if pinned is None:
        return CodeVerdict(UNCHECKED, was.path, was.lines)
    if pinned.what == PART:
        return follow_part(pinned, was.path, was.lines, here, others)
    if pinned.what == NOTE:
        return follow_note(pinned, was.path, was.lines, here, others)
    if pinned.what == FILE:
        return _follow_file(pinned, here, others)
    return follow_symbol(pinned, here, others)


def _follow_file(anchor: Anchor, here: FileShape | None, others: OtherFiles) -> CodeVerdict:
    if here is not None:
        return _compare(anchor, here, UNCHANGED)
    verdicts = [_compare(anchor, shape, MOVED) for shape in others.successors()]
    moved = [verdict for verdict in verdicts if verdict.state == MOVED]
    if moved:
        return moved[0]
    return min(verdicts, key=lambda verdict: verdict.amount, default=CodeVerdict(DELETED))


def _compare(anchor: Anchor, shape: FileShape, same: str) -> CodeVerdict:
    lines = LineRange(1, max(1, shape.line_count)) if anchor.lines else None
    words = shape.words or shape.notes
    meaning = shape.meaning(0, len(words)) if shape.words else words_hash(shape.notes)
    if meaning == anchor.meaning:
        return CodeVerdict(same, shape.path, lines)
    amount = max(1 - likeness(anchor.sketch, words), 1 / max(2, anchor.count))
    return CodeVerdict(CHANGED, shape.path, lines, amount=amount)
