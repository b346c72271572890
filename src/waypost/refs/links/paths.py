"""Which file of the tree a path in a text means."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from waypost.refs.links.choice import NOTHING, SEVERAL, SPELLING, Around, SymbolChoice, choose
from waypost.refs.links.index_entry import FILE, IndexEntry, path_ends
from waypost.refs.links.mentions import CodeMention
from waypost.refs.links.parts import NameReading, as_name

_WHOLE, _ENDING, _DEEPER, _BY_CONTEXT, _OTHER_CASE = 0.97, 0.93, 0.85, 0.8, 0.75
_UNSURE = 0.4


def choose_file(mention: CodeMention, known: Mapping[str, Sequence[IndexEntry]], around: Around) -> SymbolChoice:
    """The file whose path is this, ends with this or is the end of this; others of that name are suggestions."""
    named = [one for one in known.get(mention.name.lower(), ()) if one.kind == FILE]
    if not named:
        member = as_name(NameReading(mention.name, path=mention.path))
        if member is None or mention.lines is not None:
            return NOTHING
        return choose(replace(mention, name=member.name, qualifier=member.qualifier, path=""), known, around)
    return _fitting(mention, named, around.files)


def _fitting(mention: CodeMention, named: Sequence[IndexEntry], files: frozenset[str]) -> SymbolChoice:
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
    return SymbolChoice(tuple(sorted(named, key=lambda one: _order(one, path))), _UNSURE, SPELLING)


def _of_several(mention: CodeMention, fitting: Sequence[IndexEntry], files: frozenset[str]) -> SymbolChoice:
    meant = [one for one in fitting if one.path in files]
    if len(meant) == 1:
        return _sure(mention, meant[0], _BY_CONTEXT)
    kept = [one for one in fitting if not one.is_test]
    if len(kept) == 1 and "/" in mention.path:
        return _sure(mention, kept[0], _BY_CONTEXT)
    return SymbolChoice(tuple(sorted(fitting, key=lambda one: _order(one, mention.path))), _UNSURE, SEVERAL)


def _sure(mention: CodeMention, one: IndexEntry, confidence: float) -> SymbolChoice:
    """Lines past the end of the file were written about another state of it."""
    is_past = mention.lines is not None and 0 < one.end_line < mention.lines.end
    return SymbolChoice((one,), _UNSURE if is_past else confidence, SPELLING if is_past else "")


def _order(one: IndexEntry, path: str) -> tuple[int, bool, int, str]:
    """More folders in common first, then source before tests, then short paths."""
    common = len(set(one.path.lower().split("/")) & set(path.lower().split("/")))
    return (-common, one.is_aside, one.path.count("/"), one.path)
