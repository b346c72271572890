"""Default tools about the structure of the code: symbols, uses."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from waypost.context.one_line import one_line
from waypost.faces.mcp.text_answers import LONGEST, fenced, joined, place, with_notices
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply
from waypost.flows.structure.answers import DIRECTIONS

if TYPE_CHECKING:
    from waypost.flows.structure.answers import SymbolSketch, SymbolUse

_CERTAIN = 0.9
_DESCRIBED = 20  # candidates listed in the text


def symbols(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    answer = call.memory.code.symbols(
        given.get("name", ""),
        path=given.get("path"),
        kind=given.get("kind"),
        members=given.get("members", False),
        limit=given["limit"],
    )
    data = answer.to_json()
    if not answer.symbols and not answer.exists:
        return _absent(given.get("name") or given.get("path", ""), answer.nearest, data, answer.notices)
    more = _more(len(answer.symbols), answer.total)
    lines = fenced(_symbol_line(symbol) for symbol in answer.symbols)
    return ToolReply(joined(lines, *more, *answer.notices), with_notices(data, [*more, *answer.notices]))


def uses(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    options = {name: given[name] for name in ("depth", "tests", "limit") if name in given}
    answer = call.memory.code.uses(given["symbol"], given["direction"], **options)
    data = answer.to_json()
    if answer.symbol is None:
        if not answer.candidates:
            return _absent(given["symbol"], answer.nearest, data, answer.notices)
        message = f"{len(answer.candidates)} symbols have this name. Name one of them by path#name:"
        rest = len(answer.candidates) - _DESCRIBED
        lines = [f"- {one_line(f'{s.path}#{s.qualified}', LONGEST)} ({s.type})" for s in answer.candidates[:_DESCRIBED]]
        more = [f"{rest} more; use symbols to see all."] if rest > 0 else []
        return ToolReply(joined(message, fenced(lines), *more), with_notices(data, [message, *more]))
    head = _symbol_line(answer.symbol)
    rows = [_use_line(row) for row in answer.rows] or [f"  no {given['direction']}"]
    more = _more(len(answer.rows), answer.total)
    if answer.unresolved and given["direction"] in ("callers", "references"):
        more.append(f"{answer.unresolved} more calls by this name have an unknown target.")
    notices = [*more, *answer.notices]
    return ToolReply(joined(fenced([head, *rows]), *notices), with_notices(data, notices))


def _absent(name: str, nearest: tuple[str, ...], data: dict[str, Any], notices: tuple[str, ...]) -> ToolReply:
    message = f"There is no {one_line(name, LONGEST)} in the indexed code."
    near = [f"Similar names: {one_line(', '.join(nearest), LONGEST)}"] if nearest else []
    return ToolReply(joined(message, *near, *notices), with_notices(data, [message, *near, *notices]))


def _more(listed: int, total: int) -> list[str]:
    return [f"{listed} of {total}; raise limit for more."] if total > listed else []


def _symbol_line(symbol: "SymbolSketch") -> str:
    name = symbol.signature or symbol.qualified if symbol.kind == "symbol" else ""
    where = place(symbol.path, symbol.line if symbol.kind == "symbol" else None)
    return " ".join(part for part in (f"- {where}", symbol.type, one_line(name, LONGEST)) if part)


def _use_line(row: "SymbolUse") -> str:
    lines = ",".join(map(str, row.lines)) if len(row.lines) > 1 else ""
    notes = [row.kind, f"lines {lines}" if lines else "", f"via {row.via}" if row.via else ""]
    notes.append(f"certainty {row.certainty:.2f}" if row.certainty < _CERTAIN else "")
    described = ", ".join(one_line(note, LONGEST) for note in notes if note)
    return f"  {place(row.path, row.line)} {one_line(row.symbol, LONGEST)} ({described})"


_ROWS = {"type": "array"}

SYMBOLS = Tool(
    "symbols",
    "Look up a symbol by exact name, or outline a file. No result means that it does not exist.",
    symbols,
    {
        "name": {"type": "string", "description": "name, Type.method, path#name, path:line or id"},
        "path": {"type": "string", "description": "File or folder"},
        "kind": {"type": "string"},
        "members": {"type": "boolean"},
        "limit": {"type": "integer", "default": 50},
    },
    (),
    {"type": "object", "properties": {"found": _ROWS}},
    reads_only=True,
)
USES = Tool(
    "uses",
    "Find who calls, implements, imports or references a symbol, with lines; or what it calls. Prefer it to grep.",
    uses,
    {
        "symbol": {"type": "string", "description": "As in symbols"},
        "direction": {"type": "string", "enum": list(DIRECTIONS), "default": "callers"},
        "depth": {"type": "integer"},
        "tests": {"type": "boolean", "description": "Only or none"},
        "limit": {"type": "integer", "default": 50},
    },
    ("symbol",),
    {"type": "object", "properties": {"rows": _ROWS}},
    reads_only=True,
)
