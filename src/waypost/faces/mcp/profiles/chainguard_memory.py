"""Chainguard's memory: index a project, ask, update, look how it is."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from waypost.errors import InvalidInput
from waypost.faces.mcp.index_progress import NOT_INDEXED, code_notices
from waypost.faces.mcp.profiles import parameters
from waypost.faces.mcp.profiles.place import memory_at
from waypost.faces.mcp.profiles.progress import reporter
from waypost.faces.mcp.profiles.said import condition, duration, megabytes, minute, plain, told_of
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply
from waypost.model.draft import check_line
from waypost.text.fence import fence

if TYPE_CHECKING:
    from waypost import Memory
    from waypost.flows.admin.init import IndexReport
    from waypost.model.recall import Hit

_PHASES = ("walking", "reading", "concluding", "embedding")
_FILTERS = ("all", "code", "functions", "database", "architecture")
_COLLECTIONS = (
    "code_structure", "functions", "database_schema", "architecture", "learnings", "code_summaries", "errors_fixes",
)  # fmt: skip
_ACTIONS = ("reindex_file", "add_learning", "cleanup")
_CALLED = frozenset({"function", "method"})
_READY = "The memory is ready. chainguard_memory_query() answers questions by their meaning."
_BY_KEYWORDS = (
    "The memory is ready. chainguard_memory_query() answers by keywords, and by meaning once all is embedded."
)
NO_INDEX = "This project is not indexed yet: run chainguard_memory_init() first."


def _init(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = memory_at(call, given)
    done = memory.index(
        include=_patterns(given, "include_patterns"),
        exclude=_patterns(given, "exclude_patterns"),
        force=given.get("force", False),
        facts=True,
        report=reporter(call, _PHASES),
    )
    found = memory.status()
    name = found["name"]
    text = "\n".join(
        (
            f"✓ Memory initialized for: {plain(name)}",
            "",
            "📊 Indexed:",
            f"   - {done.indexed.files:,} files",
            f"   - {done.functions:,} functions/methods",
            f"   - {done.classes:,} classes",
            f"   - {done.tables:,} database tables",
            f"   - {done.endpoints:,} API endpoints",
            "",
            f"💾 Storage: {megabytes(done.storage_bytes)}",
            f"⏱️  Duration: {duration(done.seconds)}",
            *condition(found),
            *_holding(done),
            "",
            _READY if not any(done.pending.values()) else _BY_KEYWORDS,
        )
    )
    return ToolReply(text, {"project": name, **done.to_json()})


def _patterns(given: Mapping[str, Any], name: str) -> list[str] | None:
    return [check_line(one, name) for one in given.get(name, [])] or None


def _holding(done: "IndexReport") -> list[str]:
    """Patterns that were given once and still hold are easily forgotten."""
    only, without = (plain(", ".join(some)) for some in (done.patterns.include, done.patterns.exclude))
    told = [f'Only {only} is read, as was asked for; include_patterns ["**"] reads everything again.'] if only else []
    return [*told, f"Left out, as was asked for: {without}."] if without else told


MEMORY_INIT = Tool(
    "chainguard_memory_init",
    "Index this project for long-term memory: files and modules, functions and classes, database schema, architecture. "
    "Once per project, one to five minutes; a later call reads only what changed and goes on after an interruption.",
    _init,
    {
        "working_dir": parameters.WORKING_DIR,
        "include_patterns": parameters.lines("Globs of the files to read; every kind of source file unless told."),
        "exclude_patterns": parameters.lines(
            "Globs to leave out; node_modules, vendor, .git and what .gitignore names are always left out."
        ),
        "force": parameters.flag("Read everything again, also what has not changed."),
    },
    idempotent=True,
)


def _query(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = call.memory
    answer = memory.recall(given["query"], given["limit"], scope=given["filter_type"])
    asked = f'🔍 Query: "{plain(given["query"])}"'
    missing = code_notices(memory, answer.hits, given["filter_type"])
    notices = [*answer.notices, *(NO_INDEX if one == NOT_INDEXED else one for one in missing)]
    notes = [f"Note: {plain(notice)}" for notice in notices]
    data = {"query": given["query"], "results": [_row(hit) for hit in answer], "notices": notices}
    if not answer.hits:
        return ToolReply("\n\n".join((asked, "Nothing was found.", *notes)), data)
    places = "\n\n".join(f"{place}. {_place(hit)}" for place, hit in enumerate(answer, 1))
    heading = f"📍 Relevant places (top {len(answer)}):"
    return ToolReply("\n\n".join((asked, heading, fence(places), *notes)), data)


def _place(hit: "Hit") -> str:
    where = f"{hit.path}:{hit.line}" if hit.path and hit.line else hit.path or f"{hit.kind} {hit.id}"
    stale = f" (stale: {plain(hit.stale_reason or 'the code has changed')})" if hit.is_stale else ""
    if hit.project is not None:
        where = f"{where} in project {hit.project.name}"
    return f"[{hit.score:.2f}] {plain(where)}{stale}\n   └─ {_described(hit)}"


def _described(hit: "Hit") -> str:
    summary = plain(hit.summary or hit.text)
    if not hit.name or hit.name == hit.path:
        return summary
    called = f"{plain(hit.name)}()" if hit.type in _CALLED else plain(hit.name)
    return f"{called} - {summary}" if summary else called


def _row(hit: "Hit") -> dict[str, Any]:
    shared = {} if hit.project is None else {"project": hit.project.to_json()}
    return shared | {
        "score": round(hit.score, 4),
        "path": hit.path,
        "line": hit.line,
        "name": hit.name,
        "summary": hit.summary,
        "id": hit.id,
        "collection": hit.collection,
        "type": hit.type or hit.kind,
        "is_stale": hit.is_stale,
    }


MEMORY_QUERY = Tool(
    "chainguard_memory_query",
    "Search the project's memory by meaning, in English, German or Russian: where are users authenticated, which "
    "functions use the table users, how are errors handled. Gives places in the code, functions and tables.",
    _query,
    {
        "query": parameters.question("A question in your own words."),
        "limit": parameters.whole("How many results at most.", 1, parameters.MOST_HITS, default=5),
        "filter_type": parameters.choice("Search only this sort.", _FILTERS, default="all"),
    },
    ("query",),
    reads_only=True,
)


def _update(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    action = given.get("action")
    if action == "reindex_file":
        return _reindex(call.memory, _needed(given, "file_path", action))
    if action == "add_learning":
        return _learn(call.memory, _needed(given, "learning", action), given.get("file_path"))
    if action == "cleanup":
        return _cleanup(call)
    raise InvalidInput("It is not said what to update.", f"Give action: {', '.join(_ACTIONS)}.")


def _needed(given: Mapping[str, Any], name: str, action: str) -> str:
    if not given.get(name):
        raise InvalidInput(f"{action} needs {name}.", f"Give {name} too.")
    return str(given[name])


def _reindex(memory: "Memory", file: str) -> ToolReply:
    done = memory.code.update([file])
    if done.skipped:
        why = "; ".join(f"{plain(path)}: {plain(reason)}" for path, reason in list(done.skipped.items())[:3])
        said = f"Not indexed: {why}."
    elif done.removed:
        said = f"✓ {plain(file)} is gone, and so are its documents."
    else:
        said = f"✓ {plain(file)} is up to date in the memory" + (" (it had not changed)." if not done.read else ".")
    told = {"action": "reindex_file", "file_path": file, "read": done.read, "removed": done.removed}
    return ToolReply(said, {**told, "skipped": done.skipped})


def _learn(memory: "Memory", learning: str, file: str | None) -> ToolReply:
    receipt = memory.remember(learning, kind="learning", refs=[file] if file else [])
    words = {"added": "✓ Learning kept", "merged": "✓ Learning merged with", "duplicate": "✓ Known already"}
    said = f"{words[receipt.status]}: {receipt.id}" if receipt.id else f"Not kept: {plain(receipt.reason)}."
    data = {"action": "add_learning", **receipt.to_json()}
    return ToolReply("\n".join((said, *told_of(receipt))), data, is_error=receipt.status == "refused")


def _cleanup(call: ToolCall) -> ToolReply:
    """Documents of files that are gone, and memories whose time has run out."""
    memory, removed = call.memory, 0
    if memory.status()["tree"]:
        removed = memory.index(wait=False, report=reporter(call, _PHASES)).indexed.removed
    ended = memory.facts.expire()
    said = (
        f"✓ Cleaned up: {removed} files that are gone, {len(ended.stale)} memories marked stale, "
        f"{len(ended.archived)} archived, {len(ended.deleted)} deleted because their time had run out."
    )
    return ToolReply(said, {"action": "cleanup", "files_removed": removed, "expired": ended.to_json()})


MEMORY_UPDATE = Tool(
    "chainguard_memory_update",
    "Update the project's memory by hand: index a file again, keep something that was learned, or remove what is out of "
    "date.",
    _update,
    {
        "action": parameters.choice("What to do.", _ACTIONS),
        "file_path": parameters.path("reindex_file: the file. add_learning: the file it is about, if any."),
        "learning": parameters.text("add_learning: what was learned."),
    },
    destroys=True,
    idempotent=True,
)


def _status(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    found = memory_at(call, given).status()
    counts = found["collections"]
    initialized = minute(found["initialised_at"]) if found["tree"] else f"not yet. {NO_INDEX}"
    lines = [
        f"📊 Memory status: {plain(found['name'])}",
        "",
        f"Initialized: {initialized}",
        f"Last update: {minute(found['updated_at'])}",
        "",
        "Collections:",
        *_tree([f"{name + ':':<17} {counts.get(name, 0):>5,} documents" for name in _COLLECTIONS]),
        "",
        f"Storage: {megabytes(found['storage_bytes'])}",
        f"Embedding model: {plain(found['model'])}",
        *condition(found),
    ]
    keys = ("name", "initialised_at", "updated_at", "storage_bytes", "model", "pending", "tree", "references")
    collections = {name: counts.get(name, 0) for name in (*_COLLECTIONS, *counts)}
    return ToolReply("\n".join(lines), {**{key: found[key] for key in keys}, "collections": collections})


def _tree(rows: Sequence[str]) -> list[str]:
    return [f"{'└─' if row is rows[-1] else '├─'} {row}" for row in rows]


MEMORY_STATUS = Tool(
    "chainguard_memory_status",
    "How the project's memory is doing: when it was made and updated, documents in each collection, storage, model.",
    _status,
    {"working_dir": parameters.WORKING_DIR},
    reads_only=True,
)
