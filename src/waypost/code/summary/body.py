"""What a function's code does, judged by its calls and a few unambiguous signs."""

import re
from dataclasses import dataclass

from waypost.code.source import Call, Symbol
from waypost.code.summary.lexicon import patterns
from waypost.code.summary.view import SummaryView

MOST_ACTIONS = 2
MOST_ERRORS = 2
_CALLED = re.compile(r"(\w+)\W*$")
# `raise NotFound(…)`, `throw new NotFound(…)`, `return x`, and SQL inside a string.
_SIGNS = re.compile(
    r"\b(?:raise|throw)[ \t]+(?:new[ \t]+)?(?P<error>[A-Z][\w.\\:]{2,80})"
    r"|\breturn[ \t]+(?P<value>[^\s;}])"
    r"|\byield\b"
    r"|[\"'`](?:\"\")?\s{0,40}(?P<sql>SELECT\s[^\"'`]{1,300}?\sFROM|INSERT\s+INTO|UPDATE\s+\w[\w.]{0,60}\s+SET|DELETE\s+FROM)\s"
)
_SQL = {"SELECT": "queries the database", "INSERT": "inserts into the database"}
_SQL |= {"UPDATE": "updates the database", "DELETE": "deletes from the database"}


@dataclass(frozen=True, slots=True)
class FunctionBody:
    """`actions` by weight. `gives` is true if something is returned or yielded."""

    actions: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    gives: bool = False


def body_of(symbol: Symbol, view: SummaryView) -> FunctionBody:
    """What the code of a function or method shows."""
    seen = (_action(call, view.parsed.language) for call in symbol.calls)
    ranked = {rank: says for rank, says in seen if says}
    errors: dict[str, None] = {}
    sql: dict[str, None] = {}
    gives = False
    for sign in _SIGNS.finditer(view.text_of(symbol)):
        if sign["error"]:
            errors[re.split(r"[.\\:]+", sign["error"].removesuffix(".new").rstrip(":."))[-1]] = None
        elif sign["sql"]:
            sql[_SQL[sign["sql"].split()[0]]] = None
        else:
            gives = True
    actions = dict.fromkeys([*sql, *(ranked[rank] for rank in sorted(ranked))])
    if _calls_itself(symbol):
        actions["calls itself"] = None
    return FunctionBody(tuple(actions)[:MOST_ACTIONS], tuple(errors)[:MOST_ERRORS], gives)


def _action(call: Call, language: str) -> tuple[int, str]:
    table = patterns()
    patterns_of_name = table.calls.get(call.name)
    if patterns_of_name is None and not call.receiver:
        return 0, ""
    last = _CALLED.search(call.receiver[-80:])
    receiver = last[1] if last else ""
    for wanted, languages, rank, says in (*(patterns_of_name or ()), *table.any_of.get(receiver, ())):
        fits = wanted == receiver or (wanted == "*" and bool(call.receiver))
        if fits and (not languages or language in languages):
            return rank, says
    return 0, ""


def _calls_itself(symbol: Symbol) -> bool:
    own = {"", "self", "this", "cls", "$this", "self::", "static"} if "." in symbol.qualified else {""}
    return any(call.name == symbol.name and call.receiver in own for call in symbol.calls)
