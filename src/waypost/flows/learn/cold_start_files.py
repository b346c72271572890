"""Facts about single files: what one says of itself, else what it defines."""

import re

from waypost.facts.coldstart.prose import file_description
from waypost.facts.coldstart.slots import OBSERVED, STATED, code
from waypost.flows.learn.cold_start_tree import ScannedTree, is_code
from waypost.model.candidate import Candidate
from waypost.text.plural import join_items

_MOST_NAMES = 6
_TYPES = ("class", "struct", "interface", "trait", "enum", "module")


def file_fact(seen: ScannedTree, path: str) -> Candidate | None:
    """A fact of level 2 about a file of code; None for one that says nothing."""
    if not is_code(path):
        return None
    parsed = seen.parsed(path)
    if parsed is None:
        return None
    told = file_description(seen.tree.text(path), parsed.doc)
    names = [one.name for one in parsed.symbols if one.kind in _TYPES] or [
        one.name for one in parsed.symbols if "." not in one.qualified
    ]
    names = [name for name in names if re.fullmatch(r"[^\W\d]\w{1,60}", name)]
    if told:
        text, sure = f'{code(path)} describes itself: "{told}"', STATED
    elif names:
        text, sure = f"{code(path)} defines {join_items(map(code, names), _MOST_NAMES)}.", OBSERVED + 0.05
    else:
        return None
    return Candidate(
        text=text,
        confidence=sure,
        origin="cold_start",
        level=2,
        domain=seen.layout.domain(path),
        module=seen.layout.module(path),
        topic=f"module:{path}",
        refs=(path,),
        reason=f"found in {path}",
    )
