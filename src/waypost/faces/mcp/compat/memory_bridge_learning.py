"""Memory Bridge's learning tools: first facts of a project, facts from changes, and keeping both up to date."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from waypost.errors import InvalidInput, Refused, SecurityError
from waypost.faces.mcp.compat import parameters
from waypost.faces.mcp.compat.place import memory_at
from waypost.faces.mcp.compat.wording import LONGEST_LINE, json_reply, plain, shortened
from waypost.faces.mcp.session import confirmed_by_person
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply
from waypost.model.review_item import HELD, WAITING

if TYPE_CHECKING:
    from waypost.model.review_item import DecidedCandidate, Learned

_MOST_ASKED = 20  # facts in one question to the user, who must read them
_SHOWN_CANDIDATES = 100


def _discover(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    discovered = memory_at(call, given, "project_root").facts.discover(given.get("task_hint") or None).to_json()
    keys = ("status", "project_type", "facts_created", "discovery_tokens", "suggested_domains")
    return json_reply({key: discovered[key] for key in keys})


DISCOVER_PROJECT = Tool(
    "rlm_discover_project",
    "Discover a project: what it is, how it is run and tested, its parts; stored as facts. With a hint, only what that "
    "task needs.",
    _discover,
    {
        "project_root": parameters.WORKING_DIR,
        "task_hint": parameters.text("What the first task is about.", parameters.LONGEST_QUESTION),
    },
    returns=parameters.answer(
        status="string",
        project_type="string",
        facts_created="integer",
        discovery_tokens="integer",
        suggested_domains="array",
    ),
    idempotent=True,
)


def _extract(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    source, file = given["source"], given.get("file_path")
    if (source == "file") != (file is not None):
        raise InvalidInput("source 'file' and file_path need each other.", "Give both, or leave file_path out.")
    done = call.memory.facts.learn(staged=source == "staged", file=file, report=_reporter(call))
    taken, pending, notices = list(done.taken), done.pending_approval, list(done.notices)
    pending_facts = [fact for fact in taken if fact.status in (HELD, WAITING) and fact.id and _fits(fact)][:_MOST_ASKED]
    if given["auto_approve"] and pending_facts:
        approved, notice = _approved(call, pending_facts)
        pending -= len(approved)
        notices.append(notice)
    else:
        approved = frozenset()
    return json_reply(_result(taken, approved, pending, notices))


def _fits(fact: "DecidedCandidate") -> bool:
    """Whether the user would see the whole text."""
    return len(fact.candidate.text) <= LONGEST_LINE


def _reporter(call: ToolCall) -> "Any":
    return lambda phase, done, _total: call.report(done, None, f"{phase}: {done:,}")


def _approved(call: ToolCall, facts: Sequence["DecidedCandidate"]) -> tuple[frozenset[str], str]:
    """The ids that the user approves, and a notice. The agent itself cannot approve."""
    ids = [fact.id for fact in facts if fact.id]
    listed = "\n".join(f"- {plain(fact.candidate.text)}" for fact in facts)
    try:
        confirmed_by_person(call, f"Remember these {len(ids)} facts?\n{listed}").facts.approve(ids)
    except (SecurityError, Refused) as error:
        return frozenset(), f"Not approved: {plain(f'{error.what} {error.remedy}')}"
    return frozenset(ids), f"The user approved {len(ids)}."


def _result(
    taken: Sequence["DecidedCandidate"], approved: frozenset[str], pending: int, notices: Sequence[str]
) -> dict[str, Any]:
    rows = [
        {
            "content": shortened(fact.candidate.text),
            "confidence": round(fact.candidate.confidence, 2),
            "approved": fact.approved or fact.id in approved,
            "id": fact.id,
            "source": fact.candidate.origin,
            "status": "approved" if fact.id in approved else fact.status,
        }
        for fact in taken[:_SHOWN_CANDIDATES]
    ]
    left = len(taken) - len(rows)
    notes = [*notices, f"{left} more candidates are not shown."] if left else list(notices)
    data: dict[str, Any] = {"status": "success", "candidates": rows, "pending_approval": pending}
    return {**data, "notices": notes} if notes else data


EXTRACT_FACTS = Tool(
    "rlm_extract_facts",
    "Extract facts from changes: in the working tree, staged, or in one file. Certain ones are stored; the others need a "
    "person's approval.",
    _extract,
    {
        "source": parameters.choice("What to read.", ("git_diff", "staged", "file"), default="git_diff"),
        "file_path": parameters.path("The file, with source 'file'."),
        "auto_approve": parameters.flag("Ask the user now to approve pending facts.", default=False),
    },
    returns=parameters.answer(status="string", candidates="array", pending_approval="integer"),
    idempotent=True,
)


def _sync(call: ToolCall, _given: Mapping[str, Any]) -> ToolReply:
    memory = call.memory
    learned: Learned = memory.facts.learn(report=_reporter(call))
    ended_facts = memory.facts.expire()
    expired = {
        "marked_stale": len(ended_facts.stale),
        "archived": len(ended_facts.archived),
        "deleted": len(ended_facts.deleted),
        "protected": len(ended_facts.protected),
    }
    row = _result(learned.taken, frozenset(), learned.pending_approval, learned.notices)
    notices = {"notices": row.pop("notices")} if "notices" in row else {}
    return json_reply({**row, "expired": expired, **notices})


SYNC_STATE = Tool(
    "rlm_sync_state",
    "Bring facts up to date: learn from changes in the working tree, then apply expiry: expired facts are marked stale, "
    "archived or deleted.",
    _sync,
    returns=parameters.answer(status="string", candidates="array", pending_approval="integer", expired="object"),
    destroys=True,
    idempotent=True,
)
