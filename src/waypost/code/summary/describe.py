"""One line about one symbol: the first sentence of its documentation, else what its name and code show.

Nothing is invented: if the name says nothing, its words stand alone.
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
    """One plain line about the symbol, never empty."""
    return describe_in(_last_view(parsed, source), symbol)


def describe_in(view: SummaryView, symbol: Symbol) -> str:
    """The same as `describe`, with an existing view of the file."""
    sentence = first_sentence(symbol.doc)
    if sentence:
        return sentence
    if symbol.kind in CONTAINERS:
        text = container(symbol, view)
    elif symbol.kind in {"constant", "type"}:
        text = _constant(symbol, view)
    else:
        text = function(symbol, view)
    text = shortened(" ".join(text.split()), LONGEST) or symbol.kind
    return text[:1].upper() + text[1:] + ("" if text.endswith(("…", ".")) else ".")


_last: list[SummaryView] = []  # of the last file: symbols are described one by one, file after file


def _last_view(parsed: Parsed, source: SourceFile) -> SummaryView:
    view = next((view for view in _last if view.parsed is parsed and view.source is source), None)
    if view is None:
        view = SummaryView(source, parsed)
        _last[:] = [view]
    return view


def _constant(symbol: Symbol, view: SummaryView) -> str:
    name = phrase(symbol.name) or symbol.name
    if symbol.kind == "type":
        return f"Type: {name}"
    value = _LITERAL.search(view.text_of(symbol).split("\n", 1)[0][:300])
    return f"{name}: {value[1]}" if value else f"Constant: {name}"
