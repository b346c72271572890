"""What the code of a symbol shows: the errors it raises, the tables it touches, the names inside it."""

import re
from collections.abc import Sequence
from typing import Any

from waypost.code.source import CONTAINERS, Symbol
from waypost.code.summary.line import symbol_line
from waypost.code.summary.sentences import documented
from waypost.code.summary.view import SummaryView
from waypost.model.reference import LineRange

_MOST_STORED = 12  # names of each list
_MOST_CALLS = 50
_MOST_DECORATORS, _MOST_DECORATOR = 2, 100  # with arguments: `app.route("/login")`; and characters of one
_RAISED = re.compile(r"\b(?:raise|throw)[ \t]+(?:new[ \t]+)?(?:\w{1,60}(?:\.|::|\\)){0,4}([A-Z]\w{2,80})")
# SQL inside a string: a statement must begin there. In lower case, `select` needs columns, because prose says it too.
_STATEMENT = re.compile(
    r"[\"'`]\s{0,40}(?:SELECT\s[^;\"'`]{1,300}?\sFROM\s|select\s+[\w.*()]{1,60}(?:\s*,\s*[\w.*()]{1,60}){0,30}\s+from\s"
    r"|(?:INSERT|insert)\s+(?:(?:OR|or)\s+\w{1,10}\s+)?(?:INTO|into)\s|(?:UPDATE|update)\s+[\w.]{1,60}\s+(?:SET|set)\s|(?:DELETE|delete)\s+(?:FROM|from)\s)"
    r"[^;\"'`]{0,400}"
)
_TABLE = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE|from|join|into|update)\s+([A-Za-z_][\w.]{0,60})(?![\w.]*[({%$])")
_NO_TABLES = frozenset({"select", "set", "values", "where", "only", "lateral", "unnest"})

Tables = Sequence[tuple[LineRange, str]]  # tables that a file's schema changes name, with their lines


def structure_details(symbol: Symbol, view: SummaryView, tables: Tables = ()) -> dict[str, Any]:
    """The details to store with a symbol; `symbol_line` makes a line of them."""
    text = "" if symbol.kind in CONTAINERS else view.text_of(symbol)  # a class: its methods show their own
    return {
        "signature": symbol.signature,
        "params": list(symbol.parameters),
        "returns": symbol.returns,
        "calls": list(dict.fromkeys(call.name for call in symbol.calls))[:_MOST_CALLS],
        "raises": _errors(text),
        "tables": _tables(symbol, text, tables),
        "decorators": [" ".join(mark.split())[:_MOST_DECORATOR] for mark in symbol.decorators if _says_something(mark)][
            :_MOST_DECORATORS
        ],
        "members": _members(symbol, view),
    }


def describe(symbol: Symbol, view: SummaryView, tables: Tables = ()) -> str:
    """One line: the author's own, else what the code shows. "" if neither says anything."""
    return documented(symbol) or symbol_line(structure_details(symbol, view, tables))


def _says_something(decorator: str) -> bool:
    """Whether it may register the symbol somewhere, or marks a declaration of types only."""
    return "(" in decorator or "." in decorator or decorator == "overload"


def _errors(text: str) -> list[str]:
    return list(dict.fromkeys(raised[1] for raised in _RAISED.finditer(text)))[:_MOST_STORED]


def _tables(symbol: Symbol, text: str, tables: Tables) -> list[str]:
    changed = [name for lines, name in tables if symbol.lines.start <= lines.start and lines.end <= symbol.lines.end]
    queried = (table[1] for statement in _STATEMENT.finditer(text) for table in _TABLE.finditer(statement[0]))
    names = dict.fromkeys([*changed, *(name for name in queried if name.lower() not in _NO_TABLES)])
    return list(names)[:_MOST_STORED]


def _members(symbol: Symbol, view: SummaryView) -> list[str]:
    """The public names inside a class, or the values of an enumeration."""
    if symbol.kind not in CONTAINERS:
        return []
    children = view.inside(symbol)
    public = [
        child.name for child in children if not child.name.startswith(("_", "~", "#")) and child.name != symbol.name
    ]
    return list(dict.fromkeys(public))[:_MOST_STORED]
