"""Decide which file a path in a text means."""

from collections.abc import Sequence
from dataclasses import replace

from waypost.refs.links.choice import NOTHING, SEVERAL, SPELLING, Around, SymbolChoice, choose
from waypost.refs.links.index_entry import FILE, EntriesByName, IndexEntry, path_ends
from waypost.refs.links.mentions import CodeMention
from waypost.refs.links.name_reading import NameReading, as_name

_WHOLE, _ENDING, _DEEPER, _BY_CONTEXT, _OTHER_CASE = 0.97, 0.93, 0.85, 0.8, 0.75
_UNSURE = 0.4


def choose_file(mention: CodeMention, entries: EntriesByName, around: Around) -> SymbolChoice:
    """The file with this path or ending. Other files of the same name are suggestions."""
    named = [entry for entry in entries.get(mention.name.lower(), ()) if entry.kind == FILE]
    if not named:
        member = as_name(NameReading(mention.name, path=mention.path))
        if member is None or mention.lines is not None:
            return NOTHING
        return choose(replace(mention, name=member.name, qualifier=member.qualifier, path=""), entries, around)
    return _best_file(mention, named, around.files)


def _best_file(mention: CodeMention, named: Sequence[IndexEntry], files: frozenset[str]) -> SymbolChoice:
    path = mention.path.lstrip("/~")
    for confidence, fitting in (
        (_WHOLE, [entry for entry in named if entry.path == path]),
        (_ENDING, [entry for entry in named if path_ends(entry.path, path)]),
        (_DEEPER, [entry for entry in named if path_ends(path, entry.path) and "/" in entry.path]),
        (_OTHER_CASE, [entry for entry in named if path_ends(entry.path.lower(), path.lower())]),
    ):
        if len(fitting) == 1:
            return _certain(mention, fitting[0], confidence)
        if fitting:
            return _choose_by_context(mention, fitting, files)
    return SymbolChoice(tuple(sorted(named, key=lambda entry: _order(entry, path))), _UNSURE, SPELLING)


def _choose_by_context(mention: CodeMention, fitting: Sequence[IndexEntry], files: frozenset[str]) -> SymbolChoice:
    meant = [entry for entry in fitting if entry.path in files]
    if len(meant) == 1:
        return _certain(mention, meant[0], _BY_CONTEXT)
    kept = [entry for entry in fitting if not entry.is_test]
    if len(kept) == 1 and "/" in mention.path:
        return _certain(mention, kept[0], _BY_CONTEXT)
    return SymbolChoice(tuple(sorted(fitting, key=lambda entry: _order(entry, mention.path))), _UNSURE, SEVERAL)


def _certain(mention: CodeMention, entry: IndexEntry, confidence: float) -> SymbolChoice:
    """A choice of this file. Lines past its end refer to another version and lower the confidence."""
    is_past = mention.lines is not None and 0 < entry.end_line < mention.lines.end
    return SymbolChoice((entry,), _UNSURE if is_past else confidence, SPELLING if is_past else "")


def _order(entry: IndexEntry, path: str) -> tuple[int, bool, int, str]:
    """Sort key: more common folders first, then source before tests, then short paths."""
    common = len(set(entry.path.lower().split("/")) & set(path.lower().split("/")))
    return (-common, entry.is_aside, entry.path.count("/"), entry.path)
