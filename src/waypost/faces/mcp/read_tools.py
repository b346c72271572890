"""The default tools that look things up: recall, brief, about_code, why."""

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
    filled,
    hit_row,
    line_of,
    linked_row,
    noted,
    stale,
    told,
)
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply
from waypost.model.ids import check_id
from waypost.model.kinds import SCOPES

if TYPE_CHECKING:
    from waypost import Memory
    from waypost.model.causal import CausalChain, CausalNode
    from waypost.model.memory import Version

_MOST = 50
_EARLIER = 5  # versions of a memory that are told of
_PLACE = re.compile(r"(?P<path>.+?):(?P<line>[1-9][0-9]{0,8})(?:-[0-9]{1,9})?")
_BACK = {"justifies": "because", "blocks": "given", "leads_to": "came of", "causes": "caused by"}
_ON = {"justifies": "justifies", "blocks": "limits", "leads_to": "leads to", "causes": "causes"}


def recall(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory, asked, k = call.memory, given["question"], given["k"]
    if _is_id(asked):
        return whole(call, asked, given.get("as_of"), given.get("known_at"))
    options = {name: given[name] for name in ("scope", "as_of", "known_at", "fresh") if name in given}
    answer = memory.recall(asked, k, **options)
    rows = [hit_row(hit, now_of(call)) for hit in answer.hits]
    notices = [*answer.notices, *code_notices(memory, answer.hits, given["scope"])]
    if not rows:
        nothing = "Nothing that is remembered answers this."
        return ToolReply(told(nothing, *notices), noted({"hits": []}, [nothing, *notices]))
    more = [f"Only the best {k}; a larger k gives more."] if len(rows) == k < _MOST else []
    if any(hit.source != "code" and len(hit.text) > LONGEST for hit in answer.hits):
        more.append("Texts are cut; recall with an id gives the whole.")
    lines = (line_of(row, f"{number}.") for number, row in enumerate(rows, 1))
    return ToolReply(told(fenced(lines), *notices, *more), noted({"hits": rows}, [*notices, *more]))


def _is_id(text: str) -> bool:
    try:
        return bool(check_id(text))
    except InvalidInput:
        return False


def whole(call: ToolCall, memory_id: str, as_of: str | None = None, known_at: str | None = None) -> ToolReply:
    """One memory with all its words, where it points, what it said before, and what took its place."""
    memory, now = call.memory, now_of(call)
    try:
        shown = memory.show(memory_id, as_of=as_of, known_at=known_at)
    except NotFound:
        return _no_longer(memory, memory_id, now)  # raises where there never was one
    row = linked_row(shown, now, longest=0)
    row["refs"] = [filled({"where": str(link.reference), "stale": link.reason}) for link in shown.links]
    row["evidence"] = list(shown.version.evidence)
    no_history = shown.version.checkout_id is not None or shown.project is not None
    row["history"] = [] if no_history else _history(memory, shown.version.memory_id, shown.version, now)
    row = filled(row)
    lines = [line_of(row), *(f"  refers to {ref['where']}" for ref in row.get("refs", ()))]
    lines += [f"  evidence: {one}" for one in row.get("evidence", ())]
    lines += [_said(one) for one in row.get("history", ())]
    ended = [] if as_of else _ended(shown.version, now)
    return ToolReply(told(*ended, fenced(lines)), noted({"hits": [row]}, ended))


def _ended(version: "Version", now: datetime) -> list[str]:
    """That a memory has had its time, where it has."""
    until = version.valid_until
    if until is None or until > now:
        return []
    return [f"{version.memory_id} is not true any more, since {until:%Y-%m-%d}."]


def _no_longer(memory: "Memory", memory_id: str, now: datetime) -> ToolReply:
    rows = _history(memory, memory_id, None, now)
    notice = f"{memory_id.lower()} is not held true any more, or was not then; this is its history."
    return ToolReply(told(notice, fenced(_said(one) for one in rows)), noted({"hits": [], "history": rows}, [notice]))


def _history(memory: "Memory", memory_id: str, held: "Version | None", now: datetime) -> list[Row]:
    """Its other versions and those of the memories that it replaced or that replaced it, the latest last."""
    found = memory.history(memory_id)
    said = {(one.memory_id, one.text): one for one in sorted((*found.versions, *found.related), key=_number)}
    others = [one for one in said.values() if held is None or (one.memory_id, one.text) != (held.memory_id, held.text)]
    return [
        {
            "id": one.memory_id,
            "text": one_line(one.text, LONGEST),
            "said": _lasted(one),
            "age": age(one.recorded_at, now),
        }
        for one in others[-_EARLIER:]
    ]


def _number(version: "Version") -> int:
    return version.number


def _lasted(version: "Version") -> str:
    if version.superseded_at is not None:
        return f"said until {version.superseded_at:%Y-%m-%d}"
    return "true now" if version.valid_until is None else f"true until {version.valid_until:%Y-%m-%d}"


def _said(row: Row) -> str:
    return f"  {row['said']}: {row['text']} ({row['age']}) id {row['id']}"


def brief(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = call.memory
    made = memory.brief(given["task"], given.get("tokens"), preset=given.get("preset"))
    notices = code_notices(memory, made.memories) if given.get("preset") not in ("route", "journal") else []
    notices = [made.explanation, *notices]
    data = {"text": made.text, "tokens": made.tokens, "notices": notices}
    return ToolReply(told(made.text, *notices), data)


def about_code(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    path, line, limit = given["path"], None, given["limit"]
    memory = call.memory
    if (found := _PLACE.fullmatch(path)) and not (memory.identity.has_tree and (memory.code.root / path).exists()):
        path, line = found["path"], int(found["line"])
    hits = memory.code.about(path, line, limit=limit + 1)
    shown = one_line(given["path"], LONGEST)
    if not hits:
        nothing = f"Nothing is remembered about {shown}."
        return ToolReply(nothing, noted({"hits": []}, [nothing]))
    now = now_of(call)
    rows = [{**linked_row(hit.memory, now, hit.link), "about": hit.relevance} for hit in hits[:limit]]
    more = ["There are more; a larger limit gives them."] if len(hits) > limit else []
    return ToolReply(told(fenced(line_of(row) for row in rows), *more), noted({"hits": rows}, more))


def why(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    chain = call.memory.why(given["question"], depth=given["depth"])
    if chain.root is None:
        nothing = "No decision or reason that is remembered answers this. recall searches everything."
        return ToolReply(told(nothing, *chain.notices), noted({"chain": []}, [nothing, *chain.notices]))
    now = now_of(call)
    rows = [_step(node, link, now) for node, link in _steps(chain)]
    lines = [line_of(row, "  " * row["depth"] + (f"- {row['link']}:" if "link" in row else "-")) for row in rows]
    if chain.stated_reason and not chain.reasons:
        lines.insert(1, f"  in its own words: {one_line(chain.stated_reason, LONGEST)}")
    more = [f"{chain.left_out} more are linked; a larger depth gives them."] if chain.left_out else []
    notices = [*chain.notices, *more]
    return ToolReply(told(fenced(lines), *notices), noted({"chain": rows}, notices))


def _steps(chain: "CausalChain") -> "list[tuple[CausalNode, tuple[str, int]]]":
    """The nodes in the order of telling, with the word that links each and how deep it stands."""
    from waypost.facts.causal import told_as_tree  # only this tool needs it

    assert chain.root is not None
    steps = [(chain.root, ("", 0))]
    for step in told_as_tree(chain):
        word = (_BACK if step.backwards else _ON)[step.edge.kind]
        steps.append((step.node, (word, step.indent)))
    steps += [(node, ("replaces", 1)) for node in chain.replaces]
    return [*steps, *((node, ("replaced by", 1)) for node in chain.replaced_by)]


def _step(node: "CausalNode", link: tuple[str, int], now: datetime) -> Row:
    row = filled(
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
    "Search this project's memory: code, facts, decisions, fixes, past conversations. Use it before you search files.",
    recall,
    {
        "question": {
            "type": "string",
            "description": "In words; or an ID, for all of it with its history",
            "maxLength": 2000,
        },
        "k": {"type": "integer", "minimum": 1, "maximum": _MOST, "default": 5},
        "scope": {"type": "string", "enum": list(SCOPES), "default": "all"},
        "as_of": {"type": "string", "description": "True then: 2026-01-30"},
        "known_at": {"type": "string", "description": "Known then"},
        "fresh": {"type": "boolean", "description": "Nothing stale"},
    },
    ("question",),
    _FOUND,
    reads_only=True,
)
BRIEF = Tool(
    "brief",
    "What to know before a task: standing rules, facts, decisions, code, conversations. Call it first.",
    brief,
    {
        "task": {"type": "string", "maxLength": 4000},
        "tokens": {"type": "integer", "minimum": 50, "maximum": 16000},
        "preset": {
            "type": "string",
            "enum": ["scope", "route", "inject", "journal"],
            "description": "Only: code, facts, what surely fits, conversations",
        },
    },
    ("task",),
    {"type": "object", "properties": {"text": {}}},
    reads_only=True,
)
ABOUT_CODE = Tool(
    "about_code",
    "What is remembered about a file, line or folder, and whether it still fits the code. Call it before you edit.",
    about_code,
    {
        "path": {"type": "string", "description": "src/app.py or src/app.py:42", "maxLength": 1000},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
    },
    ("path",),
    _FOUND,
    reads_only=True,
)
WHY = Tool(
    "why",
    "Why something is so: the decision, its reasons, limits, consequences, what it replaced.",
    why,
    {
        "question": {"type": "string", "maxLength": 2000},
        "depth": {"type": "integer", "minimum": 1, "maximum": 20, "default": 5},
    },
    ("question",),
    {"type": "object", "properties": {"chain": {"type": "array"}}},
    reads_only=True,
)
