"""Profile `coding-brain`: memories that point at code (CB-3, CB-9)."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from waypost.errors import InvalidInput
from waypost.faces.mcp.profiles import parameters
from waypost.faces.mcp.profiles.said import json_reply, plain, shortened
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply
from waypost.model.labels import LABELS
from waypost.model.reference import MAX_LINE, MAX_REFERENCES
from waypost.space.place import LONGEST_PATH

if TYPE_CHECKING:
    from waypost import Memory
    from waypost.model.code_link import CodeLink
    from waypost.model.recall import Hit

_STALE = "stale"  # as a tag it says what exclude_stale does
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
        "git_commit": parameters.line("The commit; filled in unless given."),
        "code_hash": parameters.line("sha256: and 64 hexadecimal digits; filled in unless given."),
        "confidence_score": {"type": "number", "minimum": 0, "maximum": 1, "description": "0 to 1."},
        "confidence_reason": parameters.line("Why so sure."),
    },
    "additionalProperties": False,
}


def _add(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = call.memory
    options = {name: given[name] for name in (*LABELS, "source", "evidence") if given.get(name)}
    tags = {name: _tag(name, value) for name, value in given.get("tags", {}).items() if value is not None}
    receipt = memory.remember(given["text"], refs=given.get("code_refs", []), tags=tags, **options)
    told = receipt.to_json()
    row = {"id": receipt.id, "status": receipt.status}
    if receipt.id is not None:
        row |= _written(memory, receipt.id)
    rest = {name: value for name, value in told.items() if name not in row}
    return json_reply({**row, **rest}, is_error=receipt.status == "refused")


def _tag(name: str, value: Any) -> str:
    if isinstance(value, list | dict):
        raise InvalidInput(f"The tag {name[:40]!r} has no plain value.", "Give a text, a number, true or false.")
    return value if isinstance(value, str) else json.dumps(value)


def _written(memory: "Memory", memory_id: str) -> dict[str, Any]:
    kept = memory.show(memory_id)
    return {
        "memory": shortened(kept.version.text),
        "code_refs": [_code_ref(link) for link in kept.links],
        "is_stale": kept.state.is_stale,
        "confidence": kept.confidence,
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
    "Remember something about this project, with the places in the code that it is about. Whether those places still say "
    "the same is watched from then on.",
    _add,
    {
        "text": {**parameters.text("What to remember."), "minLength": 1},
        "category": parameters.line("What sort of knowledge it is: architecture, convention, decision …"),
        "scope": parameters.line("What it holds for: project, module, user …"),
        "entity": parameters.line("What it is about: a service, a class, a person."),
        "artifact_type": parameters.line("repo, service, module, file …"),
        "artifact_ref": parameters.line("A name of that artifact; code_refs say it more exactly."),
        "code_refs": {
            "type": "array",
            "items": {"anyOf": [_CODE_REF, {"type": "string", "minLength": 1, "maxLength": LONGEST_PATH}]},
            "maxItems": MAX_REFERENCES,
            "description": "Places in the code, as objects or as path#L1-L9.",
        },
        "access_entity": parameters.line("Who it is meant for, such as project:org/name; kept, and nothing more."),
        "source": parameters.choice(
            "Who it comes from, as you see it; kept as your claim.", ("user", "inference"), default="user"
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
    "Search what is remembered about this project. Each memory comes with the places in the code that it points at, and "
    "says whether they have changed since; fresh ones come first.",
    _search,
    {
        "query": parameters.question("What you want to know."),
        "exclude_stale": parameters.flag("Without memories whose code has changed.", default=False),
        "min_confidence": parameters.share("Only memories at least this sure, 0 to 1.", default=0.0),
        "exclude_tags": parameters.text("Without memories that have these tags, comma-separated.", 1_000, default=""),
        "limit": parameters.whole("How many at most.", 1, parameters.MOST_HITS, default=10),
    },
    ("query",),
    parameters.answer(results="array"),
    reads_only=True,
)

TOOLS: tuple[Tool, ...] = (ADD_MEMORIES, SEARCH_MEMORY)
