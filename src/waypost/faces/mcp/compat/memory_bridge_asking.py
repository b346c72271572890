"""Memory Bridge's query tools: facts routed to a task, and why something was decided."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from waypost.context.budget import count_tokens, shorten
from waypost.faces.mcp.compat import parameters
from waypost.faces.mcp.compat.wording import CUT, json_reply, plain, shortened
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply
from waypost.model.causal import MOST_DEPTH

if TYPE_CHECKING:
    from waypost.model.causal import CausalNode
    from waypost.model.recall import Hit

_MOST_TOKENS = 100_000
_SHOWN_NODES = 50  # of one sort
_ROUNDS = 5  # the number is part of what it counts
_COUNTS = " Shown: "  # in an explanation: how many tokens the briefing has, without ids and dates


def _route(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    budget = given["max_tokens"]
    briefing = call.memory.brief(given["query"], budget, preset="route", include_stale=given["include_stale"])
    row, facts = briefing.to_json(), _facts(briefing.memories, budget)
    data = {
        "status": "success",
        "facts": facts,
        "routing_confidence": row["confidence"],
        "routing_explanation": plain(briefing.explanation.partition(_COUNTS)[0], 1_000),
        "tokens_used": budget,
        "cross_references": row["cross_references"],
    }
    # Ids, dates and sources cost tokens too.
    fewer = bisect_left(
        range(len(facts)), True, key=lambda left: _tokens({**data, "facts": facts[: len(facts) - left]}) <= budget
    )
    return _counted({**data, "facts": facts[: len(facts) - fewer]})


def _tokens(data: Mapping[str, Any]) -> int:
    return count_tokens(json_reply(data).text)


def _counted(data: Mapping[str, Any]) -> ToolReply:
    """The answer, with the number of its own tokens in it."""
    for _ in range(_ROUNDS):
        data = {**data, "tokens_used": _tokens(data)}
        if data["tokens_used"] == _tokens(data):
            break
    return json_reply(data)


def _facts(hits: Sequence["Hit"], budget: int) -> list[dict[str, Any]]:
    """The routed facts, with their text cut to the budget as in a briefing."""
    rows, room = [], budget
    for hit in hits:
        content = shorten(hit.text, room) or CUT.strip()
        room = max(0, room - count_tokens(content))
        rows.append(_fact(hit, content))
    return rows


def _fact(hit: "Hit", content: str) -> dict[str, Any]:
    row = {"id": hit.id, "content": content, "level": hit.level, "domain": hit.domain or None, "source": hit.source}
    extras = {  # only non-empty values: every key costs tokens
        "code_ref": hit.links[0].reference.uri if hit.links else None,
        "is_stale": hit.is_stale,
        "valid_until": hit.valid_until.date().isoformat() if hit.valid_until else None,
    }
    return {**row, "valid_from": hit.valid_from.date().isoformat(), **{k: v for k, v in extras.items() if v}}


ROUTE_CONTEXT = Tool(
    "rlm_route_context",
    "Get the facts a task needs within a token budget: project-wide ones first, then those of the domains and modules "
    "that the query is about.",
    _route,
    {
        "query": parameters.question("Your task or question."),
        "max_tokens": parameters.whole("The token budget.", 1, _MOST_TOKENS, default=2000),
        "include_stale": parameters.flag("Include stale facts.", default=False),
    },
    ("query",),
    parameters.answer(
        status="string",
        facts="array",
        routing_confidence="number",
        routing_explanation="string",
        tokens_used="integer",
        cross_references="array",
    ),
    reads_only=True,
)


def _chain(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    chain = call.memory.why(given["query"], depth=given["max_depth"])
    data: dict[str, Any] = {
        "status": "success" if chain.root else "not_found",
        "chain": {
            "root": _node(chain.root) if chain.root else None,
            "reasons": _nodes(chain.reasons),
            "consequences": _nodes(chain.consequences),
            "constraints": _nodes(chain.constraints),
        },
        "mermaid": chain.mermaid,
    }
    left = chain.left_out + sum(
        max(0, len(nodes) - _SHOWN_NODES) for nodes in (chain.reasons, chain.consequences, chain.constraints)
    )
    notices = [plain(notice) for notice in chain.notices]
    notices += [f"{left} more are linked; raise max_depth, up to {MOST_DEPTH}."] if left else []
    if not chain.root:
        notices.append("No decision answers this; recall searches everything.")
    return json_reply({**data, "notices": notices} if notices else data)


def _nodes(nodes: Sequence["CausalNode"]) -> list[dict[str, Any]]:
    return [_node(node) for node in nodes[:_SHOWN_NODES]]


def _node(node: "CausalNode") -> dict[str, Any]:
    return {
        "type": node.kind,
        "content": shortened(node.text),
        "id": node.id,
        "source": node.source,
        "depth": node.depth,
        "is_stale": node.is_stale,
    }


GET_CAUSAL_CHAIN = Tool(
    "rlm_get_causal_chain",
    "Explain why something was decided: the decision, its reasons, constraints and consequences, with a Mermaid diagram.",
    _chain,
    {
        "query": parameters.question("For example: why did we use FastAPI?"),
        "max_depth": parameters.whole("Number of links to follow.", 1, MOST_DEPTH, default=5),
    },
    ("query",),
    parameters.answer(status="string", chain="object", mermaid="string"),
    reads_only=True,
)
