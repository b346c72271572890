"""Default tools that read: recall, brief, about_code, why."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from waypost.context.one_line import one_line
from waypost.errors import InvalidInput, NotFound
from waypost.faces.mcp.index_progress import code_notices
from waypost.faces.mcp.session import now_of
from waypost.faces.mcp.text_answers import (
    LONGEST,
    Row,
    age,
    fenced,
    hit_row,
    joined,
    line_of,
    linked_row,
    stale,
    with_notices,
    without_empty,
)
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply
from waypost.flows.structure.answers import surrounding_lines, surroundings
from waypost.model.ids import check_id, id_beginning
from waypost.model.kinds import SCOPES

if TYPE_CHECKING:
    from waypost import Memory
    from waypost.model.causal import CausalChain, CausalNode
    from waypost.model.code_link import AboutHit
    from waypost.model.memory import Version

_MOST = 50
_MOST_DIFF_LINES = 40  # of one reference
_AROUND = 5  # users and tests of code that are listed
_LONGEST_AROUND = 600
_EARLIER = 5  # earlier versions of a memory to show
_PLACE = re.compile(r"(?P<path>.+?):(?P<line>[1-9][0-9]{0,8})(?:-[0-9]{1,9})?")
_BACK = {"justifies": "because", "blocks": "given", "leads_to": "came of", "causes": "caused by"}
_ON = {"justifies": "justifies", "blocks": "limits", "leads_to": "leads to", "causes": "causes"}


def recall(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory, question, k = call.memory, given["question"], given["k"]
    if memory_id := _id_in(memory, question):
        return whole(call, memory_id, given.get("as_of"), given.get("known_at"))
    options = {name: given[name] for name in ("scope", "as_of", "known_at", "fresh") if name in given}
    answer = memory.recall(question, k, **options)
    rows = [hit_row(hit, now_of(call)) for hit in answer.hits]
    notices = [*answer.notices, *code_notices(memory, answer.hits, given["scope"])]
    if not rows:
        return ToolReply(joined(*notices), with_notices({"hits": []}, notices))
    more = [f"Only the best {k}; raise k for more."] if len(rows) == k < _MOST else []
    if any(hit.source != "code" and len(hit.text) > LONGEST for hit in answer.hits):
        more.append("Texts are shortened; recall with an id shows all.")
    lines = (line_of(row, f"{number}.") for number, row in enumerate(rows, 1))
    return ToolReply(joined(fenced(lines), *notices, *more), with_notices({"hits": rows}, [*notices, *more]))


def _id_in(memory: "Memory", text: str) -> str:
    """The id that a question is, whole or its beginning; otherwise an empty string."""
    try:
        return memory.admin.full_id(text) if id_beginning(text) else check_id(text)
    except (InvalidInput, NotFound):
        return ""


def whole(call: ToolCall, memory_id: str, as_of: str | None = None, known_at: str | None = None) -> ToolReply:
    """A memory with its full text, code references, earlier versions and replacements."""
    memory, now = call.memory, now_of(call)
    try:
        linked = memory.show(memory_id, as_of=as_of, known_at=known_at)
    except NotFound:
        return _history_only(memory, memory_id, now)  # raises if there never was such a memory
    row = linked_row(linked, now, longest=0)
    row["refs"] = [without_empty({"where": str(link.reference), "stale": link.reason}) for link in linked.links]
    row["evidence"] = list(linked.version.evidence)
    no_history = linked.version.checkout_id is not None or linked.project is not None
    row["history"] = [] if no_history else _history(memory, linked.version.memory_id, linked.version, now)
    row = without_empty(row)
    lines = [line_of(row), *(f"  refers to {ref['where']}" for ref in row.get("refs", ()))]
    if linked.state.is_stale and linked.links and linked.project is None:
        behind = memory.code.code_behind(memory_id, as_of=as_of, known_at=known_at)
        lines += [f"  {line}" for code in behind for line in code.diff[:_MOST_DIFF_LINES]]
    lines += [f"  evidence: {line}" for line in row.get("evidence", ())]
    lines += [_version_line(version) for version in row.get("history", ())]
    expired = [] if as_of else _end_notice(linked.version, now)
    around, uses = (
        _around(memory, memory_id) if linked.version.kind == "symbol" and linked.project is None else ({}, "")
    )
    return ToolReply(joined(*expired, fenced(lines), uses), with_notices({"hits": [row], **around}, expired))


def _end_notice(version: "Version", now: datetime) -> list[str]:
    until = version.valid_until
    if until is None or until > now:
        return []
    return [f"{version.memory_id} is no longer true, since {until:%Y-%m-%d}."]


def _history_only(memory: "Memory", memory_id: str, now: datetime) -> ToolReply:
    rows = _history(memory, memory_id, None, now)
    notice = f"{memory_id.lower()} is not current, or was not at that time. This is its history."
    return ToolReply(
        joined(notice, fenced(_version_line(row) for row in rows)),
        with_notices({"hits": [], "history": rows}, [notice]),
    )


def _history(memory: "Memory", memory_id: str, current: "Version | None", now: datetime) -> list[Row]:
    """Its other versions, and those of memories it replaced or that replaced it, newest last."""
    recorded = memory.history(memory_id)
    latest = {
        (version.memory_id, version.text): version
        for version in sorted((*recorded.versions, *recorded.related), key=lambda version: version.number)
    }
    others = [
        version
        for version in latest.values()
        if current is None or (version.memory_id, version.text) != (current.memory_id, current.text)
    ]
    return [
        {
            "id": version.memory_id,
            "text": one_line(version.text, LONGEST),
            "said": _validity(version),
            "age": age(version.recorded_at, now),
        }
        for version in others[-_EARLIER:]
    ]


def _validity(version: "Version") -> str:
    if version.superseded_at is not None:
        return f"recorded until {version.superseded_at:%Y-%m-%d}"
    return "true now" if version.valid_until is None else f"true until {version.valid_until:%Y-%m-%d}"


def _version_line(row: Row) -> str:
    return f"  {row['said']}: {row['text']} ({row['age']}) id {row['id']}"


def brief(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = call.memory
    briefing = memory.brief(given["task"], given.get("tokens"), preset=given.get("preset"))
    notices = code_notices(memory, briefing.memories) if given.get("preset") not in ("route", "journal") else []
    notices = [briefing.explanation, *notices]
    data = {"text": briefing.text, "tokens": briefing.tokens, "notices": notices}
    return ToolReply(joined(briefing.text, *notices), data)


def about_code(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    path, line, limit = given["path"], None, given["limit"]
    memory = call.memory
    if (match := _PLACE.fullmatch(path)) and not (memory.identity.has_tree and (memory.code.root / path).exists()):
        path, line = match["path"], int(match["line"])
    hits = memory.code.about(path, line, limit=limit + 1)
    label = one_line(given["path"], LONGEST)
    around, uses = _around(memory, f"{path}:{line}" if line else path)
    if not hits:
        message = f"No memories about {label}."
        return ToolReply(joined(message, uses), with_notices({"hits": [], **around}, [message]))
    now = now_of(call)
    rows = [_about_row(hit, now) for hit in hits[:limit]]
    more = ["There are more; raise limit to see them."] if len(hits) > limit else []
    text = joined(fenced(line_of(row) for row in rows), uses, *more)
    return ToolReply(text, with_notices({"hits": rows, **around}, more))


def _about_row(hit: "AboutHit", now: datetime) -> Row:
    row = {**linked_row(hit.memory, now, hit.link), "about": hit.relevance}
    return row if hit.related is None else {**row, "label": one_line(hit.related.label, LONGEST)}


def _around(memory: "Memory", place: str) -> tuple[Row, str]:
    """Who uses the code at a place, which tests and endpoints reach it: as data, and as fenced text."""
    around = surroundings(memory.code.impact(place, limit=_AROUND))
    lines = [one_line(line, _LONGEST_AROUND) for line in surrounding_lines(around)]
    return around if lines else {}, fenced(lines) if lines else ""


def why(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    chain = call.memory.why(given["question"], depth=given["depth"])
    if chain.root is None:
        message = "No decision or reason answers this. recall searches everything."
        return ToolReply(joined(message, *chain.notices), with_notices({"chain": []}, [message, *chain.notices]))
    now = now_of(call)
    rows = [_step(node, link, now) for node, link in _steps(chain)]
    lines = [line_of(row, "  " * row["depth"] + (f"- {row['link']}:" if "link" in row else "-")) for row in rows]
    if chain.stated_reason and not chain.reasons:
        lines.insert(1, f"  stated in the text: {one_line(chain.stated_reason, LONGEST)}")
    more = [f"{chain.left_out} more are linked; raise depth to see them."] if chain.left_out else []
    notices = [*chain.notices, *more]
    return ToolReply(joined(fenced(lines), *notices), with_notices({"chain": rows}, notices))


def _steps(chain: "CausalChain") -> "list[tuple[CausalNode, tuple[str, int]]]":
    """The nodes in reading order, each with the label of its link and its depth."""
    from waypost.facts.causal import chain_steps  # only this tool needs it

    assert chain.root is not None
    steps = [(chain.root, ("", 0))]
    for step in chain_steps(chain):
        word = (_BACK if step.backwards else _ON)[step.edge.kind]
        steps.append((step.node, (word, step.indent)))
    steps += [(node, ("replaces", 1)) for node in chain.replaces]
    return [*steps, *((node, ("replaced by", 1)) for node in chain.replaced_by)]


def _step(node: "CausalNode", link: tuple[str, int], now: datetime) -> Row:
    row = without_empty(
        {
            "id": node.id,
            "link": link[0],
            "text": one_line(node.text, LONGEST),
            "kind": node.kind,
            "by": one_line(node.actor if node.actor == node.source else f"{node.source} {node.actor}", LONGEST),
            "age": age(node.valid_from, now),
            "stale": stale(node.is_stale, node.stale_reason),
        }
    )
    return {**row, "depth": link[1]}


_ROWS = {"type": "array", "description": "id, project (shared by it), where, text, kind, by, age, stale"}
_FOUND = {"type": "object", "properties": {"hits": _ROWS}}

RECALL = Tool(
    "recall",
    "Search this project's memory: code, facts, decisions, fixes, past conversations. Use it before searching files.",
    recall,
    {
        "question": {
            "type": "string",
            "description": "Plain language; or an ID, for all about it",
        },
        "k": {"type": "integer", "minimum": 1, "maximum": _MOST, "default": 5},
        "scope": {"type": "string", "enum": list(SCOPES), "default": "all"},
        "as_of": {"type": "string", "description": "What was true then: 2026-01-30"},
        "known_at": {"type": "string", "description": "Recorded by then"},
        "fresh": {"type": "boolean", "description": "Leave out stale"},
    },
    ("question",),
    _FOUND,
    reads_only=True,
)
BRIEF = Tool(
    "brief",
    "Get context before a task: rules, facts, decisions, code, conversations. Call it first.",
    brief,
    {
        "task": {"type": "string"},
        "tokens": {"type": "integer", "minimum": 50, "maximum": 16000},
        "preset": {
            "type": "string",
            "enum": ["scope", "route", "inject", "journal"],
            "description": "Only code, facts, close matches, or conversations",
        },
    },
    ("task",),
    {"type": "object", "properties": {"text": {}}},
    reads_only=True,
)
ABOUT_CODE = Tool(
    "about_code",
    "Get memories about a file, line or folder, and whether they still fit the code. Call it before you edit.",
    about_code,
    {
        "path": {"type": "string", "description": "src/app.py or src/app.py:42"},
        "limit": {"type": "integer", "default": 10},
    },
    ("path",),
    _FOUND,
    reads_only=True,
)
WHY = Tool(
    "why",
    "Explain why something is so: the decision, its reasons, limits, consequences, and what it replaced.",
    why,
    {
        "question": {"type": "string"},
        "depth": {"type": "integer", "default": 5},
    },
    ("question",),
    {"type": "object", "properties": {"chain": {"type": "array"}}},
    reads_only=True,
)
