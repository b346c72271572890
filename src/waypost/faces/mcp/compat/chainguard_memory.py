"""Chainguard's memory tools: index a project, query it, update it, show its status."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from waypost.errors import InvalidInput
from waypost.faces.mcp.compat import parameters
from waypost.faces.mcp.compat.place import memory_at, reporter
from waypost.faces.mcp.compat.wording import condition, duration, megabytes, minute, plain, receipt_notices
from waypost.faces.mcp.index_progress import NOT_INDEXED, code_notices
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply
from waypost.model.code_link import plain_reason
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
    "The memory is ready. chainguard_memory_query() answers by keywords, and by meaning once everything is embedded."
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
    status = memory.status()
    name = status["name"]
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
            *condition(status),
            *_holding(done),
            "",
            _READY if not any(done.pending.values()) else _BY_KEYWORDS,
        )
    )
    return ToolReply(text, {"project": name, **done.to_json()})


def _patterns(given: Mapping[str, Any], name: str) -> list[str] | None:
    return [check_line(pattern, name) for pattern in given.get(name, [])] or None


def _holding(done: "IndexReport") -> list[str]:
    """Reminders of patterns from earlier calls that still apply."""
    only, without = (plain(", ".join(patterns)) for patterns in (done.patterns.include, done.patterns.exclude))
    lines = (
        [f'Only {only} is indexed (saved pattern); include_patterns ["**"] indexes everything again.'] if only else []
    )
    return [*lines, f"Excluded (saved pattern): {without}."] if without else lines


MEMORY_INIT = Tool(
    "chainguard_memory_init",
    "Index this project for long-term memory: files, modules, functions, classes, database schema, architecture. Takes "
    "one to five minutes once; later calls index only changes and continue after an interruption.",
    _init,
    {
        "working_dir": parameters.WORKING_DIR,
        "include_patterns": parameters.lines("Globs of files to index (default: all source files)."),
        "exclude_patterns": parameters.lines(
            "Globs to exclude; node_modules, vendor, .git and ignored files are always excluded."
        ),
        "force": parameters.flag("Index everything again, even unchanged files."),
    },
    idempotent=True,
)


def _query(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = call.memory
    answer = memory.recall(given["query"], given["limit"], scope=given["filter_type"])
    heading_line = f'🔍 Query: "{plain(given["query"])}"'
    missing = code_notices(memory, answer.hits, given["filter_type"])
    notices = [
        *answer.notices,
        *(NO_INDEX if missing_notice == NOT_INDEXED else missing_notice for missing_notice in missing),
    ]
    notes = [f"Note: {plain(notice)}" for notice in notices]
    data = {"query": given["query"], "results": [_row(hit) for hit in answer], "notices": notices}
    if not answer.hits:
        return ToolReply("\n\n".join((heading_line, "No results.", *notes)), data)
    places = "\n\n".join(f"{rank}. {_place(hit)}" for rank, hit in enumerate(answer, 1))
    heading = f"📍 Relevant places (top {len(answer)}):"
    return ToolReply("\n\n".join((heading_line, heading, fence(places), *notes)), data)


def _place(hit: "Hit") -> str:
    where = f"{hit.path}:{hit.line}" if hit.path and hit.line else hit.path or f"{hit.kind} {hit.id}"
    stale = f" (stale: {plain(plain_reason(hit.stale_reason))})" if hit.is_stale else ""
    if hit.project is not None:
        where = f"{where} in project {hit.project.name}"
    source = "" if hit.source == "code" else f" ({hit.source})"
    return f"[{hit.score:.2f}] {plain(where)}{source}{stale}\n   └─ {_described(hit)}"


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
        "source": hit.source,
    }


MEMORY_QUERY = Tool(
    "chainguard_memory_query",
    "Search the project's memory by meaning, in English, German or Russian: where users are authenticated, which "
    "functions use the table users, how errors are handled. Returns places in the code, functions and tables.",
    _query,
    {
        "query": parameters.question("A question in plain language."),
        "limit": parameters.whole("Maximum number of results.", 1, parameters.MOST_HITS, default=5),
        "filter_type": parameters.choice("Search only this type.", _FILTERS, default="all"),
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
    raise InvalidInput("No action given.", f"Give action: {', '.join(_ACTIONS)}.")


def _needed(given: Mapping[str, Any], name: str, action: str) -> str:
    if not given.get(name):
        raise InvalidInput(f"{action} needs {name}.", f"Give {name} too.")
    return str(given[name])


def _reindex(memory: "Memory", file: str) -> ToolReply:
    done = memory.code.update([file])
    if done.skipped:
        why = "; ".join(f"{plain(path)}: {plain(reason)}" for path, reason in list(done.skipped.items())[:3])
        text = f"Not indexed: {why}."
    elif done.removed:
        text = f"✓ {plain(file)} was deleted; its documents are removed."
    else:
        text = f"✓ {plain(file)} is up to date in the memory" + (" (it had not changed)." if not done.read else ".")
    data = {"action": "reindex_file", "file_path": file, "read": done.read, "removed": done.removed}
    return ToolReply(text, {**data, "skipped": done.skipped})


def _learn(memory: "Memory", learning: str, file: str | None) -> ToolReply:
    receipt = memory.remember(learning, kind="learning", refs=[file] if file else [])
    status_text = {"added": "✓ Learning stored", "merged": "✓ Learning merged with", "duplicate": "✓ Already stored"}
    text = f"{status_text[receipt.status]}: {receipt.id}" if receipt.id else f"Not stored: {plain(receipt.reason)}."
    data = {"action": "add_learning", **receipt.to_json()}
    return ToolReply("\n".join((text, *receipt_notices(receipt))), data, is_error=receipt.status == "refused")


def _cleanup(call: ToolCall) -> ToolReply:
    """Remove documents of deleted files and apply expiry."""
    memory, removed = call.memory, 0
    if memory.status()["tree"]:
        removed = memory.index(wait=False, report=reporter(call, _PHASES)).indexed.removed
    expired = memory.facts.expire()
    text = (
        f"✓ Cleaned up: {removed} deleted files, {len(expired.stale)} memories marked stale, "
        f"{len(expired.archived)} archived, {len(expired.deleted)} deleted because they had expired."
    )
    return ToolReply(text, {"action": "cleanup", "files_removed": removed, "expired": expired.to_json()})


MEMORY_UPDATE = Tool(
    "chainguard_memory_update",
    "Update the project's memory: index a file again, store a learning, or remove what is out of date.",
    _update,
    {
        "action": parameters.choice("What to do.", _ACTIONS),
        "file_path": parameters.path("reindex_file: the file. add_learning: the file it is about, optional."),
        "learning": parameters.text("add_learning: the text."),
    },
    destroys=True,
    idempotent=True,
)


def _status(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    status = memory_at(call, given).status()
    counts = status["collections"]
    initialized = minute(status["initialised_at"]) if status["tree"] else f"not yet. {NO_INDEX}"
    lines = [
        f"📊 Memory status: {plain(status['name'])}",
        "",
        f"Initialized: {initialized}",
        f"Last update: {minute(status['updated_at'])}",
        "",
        "Collections:",
        *(
            f"{'└─' if name is _COLLECTIONS[-1] else '├─'} {name + ':':<17} {counts.get(name, 0):>5,} documents"
            for name in _COLLECTIONS
        ),
        "",
        f"Storage: {megabytes(status['storage_bytes'])}",
        f"Embedding model: {plain(status['model'])}",
        *condition(status),
    ]
    keys = ("name", "initialised_at", "updated_at", "storage_bytes", "model", "pending", "tree", "references")
    collections = {name: counts.get(name, 0) for name in (*_COLLECTIONS, *counts)}
    return ToolReply("\n".join(lines), {**{key: status[key] for key in keys}, "collections": collections})


MEMORY_STATUS = Tool(
    "chainguard_memory_status",
    "Show the state of the project's memory: creation and update time, documents per collection, storage, model.",
    _status,
    {"working_dir": parameters.WORKING_DIR},
    reads_only=True,
)

TOOLS: tuple[Tool, ...] = (MEMORY_INIT, MEMORY_QUERY, MEMORY_UPDATE, MEMORY_STATUS)
