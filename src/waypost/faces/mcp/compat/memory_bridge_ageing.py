"""Memory Bridge's lifetime tools: set a fact's TTL, list stale facts."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from waypost.faces.mcp.compat import parameters
from waypost.faces.mcp.compat.place import has_tree
from waypost.faces.mcp.compat.wording import json_reply, shortened
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply
from waypost.model.draft import MAX_TTL
from waypost.model.time import format_time

if TYPE_CHECKING:
    from waypost.model.code_link import LinkedMemory

_SHOWN = 100
_LONGEST = 1_000  # characters of a fact in the list


def _set_ttl(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    trigger = given.get("refresh_trigger")
    lasting = call.memory.facts.set_ttl(given["fact_id"], given["ttl_seconds"], refresh=[trigger] if trigger else [])
    row = lasting.to_json()
    return json_reply(
        {
            "status": "success",
            "fact_id": lasting.memory_id,
            "ttl_seconds": row["ttl"],
            "refresh_trigger": trigger,
            "on_expire": row["on_expire"],
            "expires_at": row["expires_at"],
        }
    )


SET_TTL = Tool(
    "rlm_set_ttl",
    "Set a fact's TTL, starting now. On expiry it is marked stale. A change of a matching file restarts the TTL.",
    _set_ttl,
    {
        "fact_id": parameters.line("The id of the fact."),
        "ttl_seconds": parameters.whole("The TTL in seconds.", 1, MAX_TTL),
        "refresh_trigger": parameters.line(
            "A glob such as src/auth/**/*.py. Changes of matching files restart the TTL."
        ),
    },
    ("fact_id", "ttl_seconds"),
    parameters.answer(status="string", fact_id="string", ttl_seconds="integer"),
    idempotent=True,
)


def _stale(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = call.memory
    expired = memory.facts.review(include_archived=given["include_archived"]).stale
    changed = memory.code.stale().memories if has_tree(memory) or memory.admin.shown_checkout() is not None else ()
    facts = list({fact.id: fact for fact in (*expired, *changed)}.values())
    data = {"status": "success", "stale_count": len(facts), "stale_facts": [_row(fact) for fact in facts[:_SHOWN]]}
    left = len(facts) - _SHOWN
    return json_reply({**data, "notices": [f"{left} more are not shown."]} if left > 0 else data)


def _row(memory: "LinkedMemory") -> dict[str, Any]:
    version, state = memory.version, memory.state
    return {
        "id": memory.id,
        "content": shortened(version.text, _LONGEST),
        "level": version.level,
        "domain": version.domain or None,
        "source": version.source,
        "stale_reason": state.stale_reason,
        "stale_since": format_time(memory.stale_since) if memory.stale_since else None,
        "archived": state.archived_at is not None,
        "created_at": format_time(version.recorded_at),
    }


GET_STALE_FACTS = Tool(
    "rlm_get_stale_facts",
    "List facts to check: expired ones, and ones whose code has changed.",
    _stale,
    {"include_archived": parameters.flag("Include archived facts.", default=False)},
    returns=parameters.answer(status="string", stale_count="integer", stale_facts="array"),
    reads_only=True,
)
