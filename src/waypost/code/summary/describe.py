"""One line about one symbol: its documentation's first sentence, else what its name, frame and code say.

Nothing is invented: where the name says nothing, its words stand alone.
"""

import re

from waypost.code.source import CONTAINERS, Parsed, SourceFile, Symbol
from waypost.code.summary.classes import container
from waypost.code.summary.functions import function
from waypost.code.summary.names import phrase
from waypost.code.summary.sentences import first_sentence, shortened
from waypost.code.summary.view import SummaryView

LONGEST = 240
_LITERAL = re.compile(
    r"=\s*+(\"[^\"\n]{0,40}\"|'[^'\n]{0,40}'|-?\d[\w.]{0,20}|true|false|True|False|None|null|nil)\s*+[;,]?+\s*+(?:(?:#|//|--).{0,200})?$"
)


def describe(symbol: Symbol, parsed: Parsed, source: SourceFile) -> str:
    """One line about the symbol in plain words, never empty."""
    return describe_in(_last_view(parsed, source), symbol)


def describe_in(view: SummaryView, symbol: Symbol) -> str:
    """As `describe`, within a file that is already looked at."""
    said = first_sentence(symbol.doc)
    if said:
        return said
    if symbol.kind in CONTAINERS:
        text = container(symbol, view)
    elif symbol.kind in {"constant", "type"}:
        text = _constant(symbol, view)
    else:
        text = function(symbol, view)
    text = shortened(" ".join(text.split()), LONGEST) or symbol.kind
    return text[:1].upper() + text[1:] + ("" if text.endswith(("…", ".")) else ".")


_last: list[SummaryView] = []  # of the file described last: symbols are asked for one by one, a file after the other


def _last_view(parsed: Parsed, source: SourceFile) -> SummaryView:
    view = next((view for view in _last if view.parsed is parsed and view.source is source), None)
    if view is None:
        view = SummaryView(source, parsed)
        _last[:] = [view]
    return view


def _constant(symbol: Symbol, view: SummaryView) -> str:
    said = phrase(symbol.name) or symbol.name
    if symbol.kind == "type":
        return f"Type: {said}"
    value = _LITERAL.search(view.text_of(symbol).split("\n", 1)[0][:300])
    return f"{said}: {value[1]}" if value else f"Constant: {said}"
