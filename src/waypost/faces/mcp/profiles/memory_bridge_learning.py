"""Memory Bridge's learning: the first facts of a project, facts from changes, and keeping both up to date."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from waypost.errors import InvalidInput, Refused, SecurityError
from waypost.faces.mcp.profiles import parameters
from waypost.faces.mcp.profiles.place import memory_at
from waypost.faces.mcp.profiles.said import LONGEST_LINE, json_reply, plain, shortened
from waypost.faces.mcp.session import persons_word
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply
from waypost.model.review_item import HELD, WAITING

if TYPE_CHECKING:
    from waypost.model.review_item import DecidedCandidate, Learned

_MOST_ASKED = 20  # facts that a person is asked about at once: they have to read them
_SHOWN_CANDIDATES = 100


def _discover(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    found = memory_at(call, given, "project_root").facts.discover(given.get("task_hint") or None).to_json()
    keys = ("status", "project_type", "facts_created", "discovery_tokens", "suggested_domains")
    return json_reply({key: found[key] for key in keys})


DISCOVER_PROJECT = Tool(
    "rlm_discover_project",
    "A first look at a project: what it is, how it is run and tested, its parts, remembered as facts. With a hint only "
    "what that task needs.",
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
        raise InvalidInput("file_path goes with source 'file', and only with it.", "Give both, or leave file_path out.")
    done = call.memory.facts.learn(staged=source == "staged", file=file, report=_reporter(call))
    taken, pending, notices = list(done.taken), done.pending_approval, list(done.notices)
    held = [one for one in taken if one.status in (HELD, WAITING) and one.id and _fits(one)][:_MOST_ASKED]
    if given["auto_approve"] and held:
        approved, notice = _approved(call, held)
        pending -= len(approved)
        notices.append(notice)
    else:
        approved = frozenset()
    return json_reply(_told(taken, approved, pending, notices))


def _fits(one: "DecidedCandidate") -> bool:
    """Whether a person sees all of it: nobody answers for words that they were not shown."""
    return len(one.candidate.text) <= LONGEST_LINE


def _reporter(call: ToolCall) -> "Any":
    return lambda phase, done, _total: call.report(done, None, f"{phase}: {done:,}")


def _approved(call: ToolCall, held: Sequence["DecidedCandidate"]) -> tuple[frozenset[str], str]:
    """Those that the person agrees to, and what to say of it. An agent's own yes does not count (GOV-1)."""
    ids = [one.id for one in held if one.id]
    listed = "\n".join(f"- {plain(one.candidate.text)}" for one in held)
    try:
        persons_word(call, f"Remember these {len(ids)} facts?\n{listed}").facts.approve(ids)
    except (SecurityError, Refused) as error:
        return frozenset(), f"Not approved: {plain(f'{error.what} {error.remedy}')}"
    return frozenset(ids), f"The person approved {len(ids)}."


def _told(
    taken: Sequence["DecidedCandidate"], approved: frozenset[str], pending: int, notices: Sequence[str]
) -> dict[str, Any]:
    rows = [
        {
            "content": shortened(one.candidate.text),
            "confidence": round(one.candidate.confidence, 2),
            "approved": one.approved or one.id in approved,
            "id": one.id,
            "status": "approved" if one.id in approved else one.status,
        }
        for one in taken[:_SHOWN_CANDIDATES]
    ]
    left = len(taken) - len(rows)
    notes = [*notices, f"{left} more candidates are not shown."] if left else list(notices)
    data: dict[str, Any] = {"status": "success", "candidates": rows, "pending_approval": pending}
    return {**data, "notices": notes} if notes else data


EXTRACT_FACTS = Tool(
    "rlm_extract_facts",
    "Facts from what changed: in the working tree, in what is staged, or in one file. Certain ones are remembered; the "
    "others wait for a person's approval.",
    _extract,
    {
        "source": parameters.choice("Where to look.", ("git_diff", "staged", "file"), default="git_diff"),
        "file_path": parameters.path("The file, with source 'file'."),
        "auto_approve": parameters.flag("Ask the person now to approve those that wait.", default=False),
    },
    returns=parameters.answer(status="string", candidates="array", pending_approval="integer"),
    idempotent=True,
)


def _sync(call: ToolCall, _: Mapping[str, Any]) -> ToolReply:
    memory = call.memory
    learned: Learned = memory.facts.learn(report=_reporter(call))
    ended = memory.facts.expire()
    expired = {
        "marked_stale": len(ended.stale),
        "archived": len(ended.archived),
        "deleted": len(ended.deleted),
        "protected": len(ended.protected),
    }
    told = _told(learned.taken, frozenset(), learned.pending_approval, learned.notices)
    notices = {"notices": told.pop("notices")} if "notices" in told else {}
    return json_reply({**told, "expired": expired, **notices})


SYNC_STATE = Tool(
    "rlm_sync_state",
    "Bring what is known up to date: learn from what changed in the working tree, then end the facts whose time has run "
    "out, each as was said for it: marked stale, archived or deleted.",
    _sync,
    returns=parameters.answer(status="string", candidates="array", pending_approval="integer", expired="object"),
    destroys=True,
    idempotent=True,
)
