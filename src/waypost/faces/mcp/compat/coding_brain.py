"""Profile `coding-brain`: memories that point at code."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from waypost.errors import InvalidInput
from waypost.faces.mcp.compat import parameters
from waypost.faces.mcp.compat.wording import json_reply, plain, shortened
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply
from waypost.model.kinds import LABELS
from waypost.model.reference import MAX_LINE, MAX_REFERENCES
from waypost.space.place import LONGEST_PATH

if TYPE_CHECKING:
    from waypost import Memory
    from waypost.model.code_link import CodeLink
    from waypost.model.recall import Hit

_STALE = "stale"  # as an excluded tag, the same as exclude_stale
_LINE = {"type": "integer", "minimum": 1, "maximum": MAX_LINE, "description": "A line, counted from 1."}
_LINES = {
    "type": "object",
    "properties": {"start": _LINE, "end": _LINE},
    "required": ["start", "end"],
    "description": "Instead of line_start and line_end.",
}
_CODE_REF = {
    "type": "object",
    "description": "A place: file_path with line_start and line_end, or symbol_id.",
    "properties": {
        "file_path": parameters.path("The file, from the project's root."),
        "line_start": _LINE,
        "line_end": _LINE,
        "line_range": _LINES,
        "symbol_id": parameters.line("In SCIP syntax."),
        "repo_id": parameters.line("The repository."),
        "git_commit": parameters.line("The commit (default: filled in)."),
        "code_hash": parameters.line("sha256: and 64 hexadecimal digits (default: filled in)."),
        "confidence_score": {"type": "number", "minimum": 0, "maximum": 1, "description": "0 to 1."},
        "confidence_reason": parameters.line("The reason for that score."),
    },
    "additionalProperties": False,
}


def _add(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = call.memory
    options = {name: given[name] for name in (*LABELS, "source", "evidence") if given.get(name)}
    tags = {name: _tag(name, value) for name, value in given.get("tags", {}).items() if value is not None}
    receipt = memory.remember(given["text"], refs=given.get("code_refs", []), tags=tags, **options)
    receipt_row = receipt.to_json()
    row = {"id": receipt.id, "status": receipt.status}
    if receipt.id is not None:
        row |= _written(memory, receipt.id)
    rest = {name: value for name, value in receipt_row.items() if name not in row}
    return json_reply({**row, **rest}, is_error=receipt.status == "refused")


def _tag(name: str, value: Any) -> str:
    if isinstance(value, list | dict):
        raise InvalidInput(f"The tag {name[:40]!r} needs a plain value.", "Give a text, a number, true or false.")
    return value if isinstance(value, str) else json.dumps(value)


def _written(memory: "Memory", memory_id: str) -> dict[str, Any]:
    linked = memory.show(memory_id)
    return {
        "memory": shortened(linked.version.text),
        "code_refs": [_code_ref(link) for link in linked.links],
        "is_stale": linked.state.is_stale,
        "confidence": linked.confidence,
    }


def _code_ref(link: "CodeLink") -> dict[str, Any]:
    lines = link.reference.line_range
    row = {
        "file_path": link.reference.file_path,
        "line_range": {"start": lines.start, "end": lines.end} if lines else None,
        "symbol_id": link.reference.symbol_id,
        "code_link": link.reference.uri,
        "is_stale": link.is_stale,
        "confidence_score": link.reference.confidence_score,
    }
    return {**row, **{name: value for name, value in link.to_json().items() if name not in row}}


ADD_MEMORIES = Tool(
    "add_memories",
    "Store a memory about this project with the code it is about. Waypost marks it stale when that code changes.",
    _add,
    {
        "text": {**parameters.text("What to remember."), "minLength": 1},
        "category": parameters.line("Kind of knowledge: architecture, convention, decision …"),
        "scope": parameters.line("What it applies to: project, module, user …"),
        "entity": parameters.line("What it is about: a service, a class, a person."),
        "artifact_type": parameters.line("repo, service, module, file …"),
        "artifact_ref": parameters.line("The artifact's name; code_refs are more exact."),
        "code_refs": {
            "type": "array",
            "items": {"anyOf": [_CODE_REF, {"type": "string", "minLength": 1, "maxLength": LONGEST_PATH}]},
            "maxItems": MAX_REFERENCES,
            "description": "Places in the code, as objects or as path#L1-L9.",
        },
        "access_entity": parameters.line("Who it is meant for, such as project:org/name. Stored, but not enforced."),
        "source": parameters.choice(
            "Where it comes from; stored as your claim.", ("user", "inference"), default="user"
        ),
        "evidence": parameters.lines("ADRs, pull requests, commits that show it."),
        "tags": {"type": "object", "description": "Names with plain values."},
    },
    ("text", "category", "scope"),
    parameters.answer(id=["string", "null"], status="string"),
    idempotent=True,
)


def _search(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = call.memory
    names = [name.strip() for name in given["exclude_tags"].split(",") if name.strip()]
    answer = memory.recall(
        given["query"],
        given["limit"],
        scope="facts",
        fresh=given["exclude_stale"] or _STALE in names,
        min_confidence=given["min_confidence"],
        exclude_tags=[name for name in names if name != _STALE],
    )
    data: dict[str, Any] = {"results": [_row(memory, hit) for hit in answer]}
    if answer.notices:
        data["notices"] = [plain(notice) for notice in answer.notices]
    return json_reply(data)


def _row(memory: "Memory", hit: "Hit") -> dict[str, Any]:
    shared = {} if hit.project is None else {"project": hit.project.to_json()}
    return shared | {
        "id": hit.id,
        "memory": shortened(hit.text),
        "category": hit.category,
        "scope": hit.scope,
        "code_refs": [_code_ref(link) for link in hit.links],
        "is_stale": hit.is_stale,
        "stale_reason": hit.stale_reason,
        "score": round(hit.score, 4),
        "confidence": hit.confidence,
        "entity": hit.entity,
        "artifact_type": hit.artifact_type,
        "artifact_ref": hit.artifact_ref,
        "access_entity": hit.access_entity,
        "source": "user" if hit.source == "person" else "inference",
        "evidence": list(memory.show(hit.id).version.evidence),
        "tags": dict(hit.tags),
    }


SEARCH_MEMORY = Tool(
    "search_memory",
    "Search memories about this project. Each comes with its code references and whether that code has changed; fresh "
    "ones come first.",
    _search,
    {
        "query": parameters.question("What you want to know."),
        "exclude_stale": parameters.flag("Leave out memories whose code has changed.", default=False),
        "min_confidence": parameters.share("Minimum confidence, 0 to 1.", default=0.0),
        "exclude_tags": parameters.text("Leave out memories with these tags, comma-separated.", 1_000, default=""),
        "limit": parameters.whole("Maximum number of results.", 1, parameters.MOST_HITS, default=10),
    },
    ("query",),
    parameters.answer(results="array"),
    reads_only=True,
)

TOOLS: tuple[Tool, ...] = (ADD_MEMORIES, SEARCH_MEMORY)
