"""How much two sides of a file differ: in lines, and beyond layout and comments."""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import AnyStr

from waypost.code.changes.configuration import flat_settings
from waypost.code.changes.sides import Side
from waypost.code.files.languages import is_document

_MOST_CELLS = 40_000  # old lines times new lines that are compared one by one
_FREE_LAYOUT = frozenset({"markdown", "rst", "asciidoc", "org", "text", "tex", "json", "toml", "ini", "html", "xml"})
_PLAIN_COMMENTS = frozenset({"javascript", "typescript", "tsx", "go", "java", "csharp", "rust", "c", "cpp", "kotlin"})
_LARGE = 20_000  # characters; smaller files are always parsed
_COMMENT_STARTS = ("//", "/*", "*")
_FREE_SIGNS = re.compile(r"[\s,;(){}\[\]\"'`|\\]+")


def says_the_same(old: Side, new: Side) -> bool:
    """Whether only layout and comments differ. Prose is compared by words, configuration by settings."""
    if not is_document(new.language):
        return not _certainly_differs(old, new) and old.all_meaning == new.all_meaning
    if "".join(old.text.split()) == "".join(new.text.split()):
        return new.language in _FREE_LAYOUT
    settings = flat_settings(new.path, new.text)
    return settings is not None and settings == flat_settings(old.path, old.text)


def _certainly_differs(old: Side, new: Side) -> bool:
    """Whether code lines differ beyond layout. False means unknown: compare the syntax trees."""
    if new.language not in _PLAIN_COMMENTS or max(len(old.text), len(new.text)) < _LARGE:
        return False
    first, last = _common_edges(old.lines, new.lines)
    return _code(old.lines[first : len(old.lines) - last]) != _code(new.lines[first : len(new.lines) - last])


def _code(lines: Sequence[str]) -> str:
    """Lines outside comments, judged line by line, without optional characters."""
    kept = (
        line.partition("//")[0].partition("/*")[0] for line in lines if not line.lstrip().startswith(_COMMENT_STARTS)
    )
    return _FREE_SIGNS.sub("", "".join(kept))


def _common_edges(before: Sequence[AnyStr], after: Sequence[AnyStr]) -> tuple[int, int]:
    """How many lines are equal at the beginning and at the end."""
    first, most = 0, min(len(before), len(after))
    while first < most and before[first] == after[first]:
        first += 1
    last = 0
    while last < most - first and before[-1 - last] == after[-1 - last]:
        last += 1
    return first, last


def line_difference(before: Sequence[AnyStr], after: Sequence[AnyStr]) -> tuple[int, int]:
    """How many lines were added and removed. In long changes, lines that only moved count as neither."""
    first, last = _common_edges(before, after)
    old, new = before[first : len(before) - last], after[first : len(after) - last]
    if len(old) * len(new) > _MOST_CELLS:
        gone, came = Counter(old), Counter(new)
        return (came - gone).total(), (gone - came).total()
    kept = sum(block.size for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks())
    return len(new) - kept, len(old) - kept
