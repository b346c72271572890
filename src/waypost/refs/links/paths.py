"""Which file of the tree a path in a text means."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from waypost.refs.links.choice import NOTHING, SEVERAL, SPELLING, Around, Choice, choose
from waypost.refs.links.index_entry import FILE, Known, path_ends
from waypost.refs.links.mentions import Mention
from waypost.refs.links.parts import Reading, as_name

_WHOLE, _ENDING, _DEEPER, _BY_CONTEXT, _OTHER_CASE = 0.97, 0.93, 0.85, 0.8, 0.75
_UNSURE = 0.4


def choose_file(mention: Mention, known: Mapping[str, Sequence[Known]], around: Around) -> Choice:
    """The file whose path is this, ends with this or is the end of this; others of that name are suggestions."""
    named = [one for one in known.get(mention.name.lower(), ()) if one.kind == FILE]
    if not named:
        member = as_name(Reading(mention.name, path=mention.path))
        if member is None or mention.lines is not None:
            return NOTHING
        return choose(replace(mention, name=member.name, qualifier=member.qualifier, path=""), known, around)
    return _fitting(mention, named, around.files)


def _fitting(mention: Mention, named: Sequence[Known], files: frozenset[str]) -> Choice:
    path = mention.path.lstrip("/~")
    for confidence, fitting in (
        (_WHOLE, [one for one in named if one.path == path]),
        (_ENDING, [one for one in named if path_ends(one.path, path)]),
        (_DEEPER, [one for one in named if path_ends(path, one.path) and "/" in one.path]),
        (_OTHER_CASE, [one for one in named if path_ends(one.path.lower(), path.lower())]),
    ):
        if len(fitting) == 1:
            return _sure(mention, fitting[0], confidence)
        if fitting:
            return _of_several(mention, fitting, files)
    return Choice(tuple(sorted(named, key=lambda one: _order(one, path))), _UNSURE, SPELLING)


def _of_several(mention: Mention, fitting: Sequence[Known], files: frozenset[str]) -> Choice:
    meant = [one for one in fitting if one.path in files]
    if len(meant) == 1:
        return _sure(mention, meant[0], _BY_CONTEXT)
    kept = [one for one in fitting if not one.is_test]
    if len(kept) == 1 and "/" in mention.path:
        return _sure(mention, kept[0], _BY_CONTEXT)
    return Choice(tuple(sorted(fitting, key=lambda one: _order(one, mention.path))), _UNSURE, SEVERAL)


def _sure(mention: Mention, one: Known, confidence: float) -> Choice:
    """Lines past the end of the file were written about another state of it."""
    is_past = mention.lines is not None and 0 < one.end_line < mention.lines.end
    return Choice((one,), _UNSURE if is_past else confidence, SPELLING if is_past else "")


def _order(one: Known, path: str) -> tuple[int, bool, int, str]:
    """More folders in common first, then source before tests, then short paths."""
    common = len(set(one.path.lower().split("/")) & set(path.lower().split("/")))
    return (-common, one.is_aside, one.path.count("/"), one.path)
