"""Why something was decided: the causal chain as a drawing and as text."""

from typing import Any

from waypost.faces.dashboard.graph import WORDS, drawing_of
from waypost.faces.dashboard.request_context import PageRequest, PageRoute, ShowPage
from waypost.model.causal import DECISION, MOST_DEPTH, CausalChain

_DEPTH = 5
_RECENT = 30


def show(request: PageRequest) -> ShowPage:
    question, depth = request.text("q"), request.whole("depth", _DEPTH, 1, MOST_DEPTH)
    as_of = request.text("as_of", limit=40)
    values: dict[str, Any] = {"question": question, "depth": depth, "as_of": as_of, "chain": None, "words": WORDS}
    if question:
        values |= _answer(request.memory.why(question, depth=depth, as_of=as_of or None))
    if values["chain"] is None or values["chain"].root is None:
        values["recent"] = list(reversed(request.memory.list(kind=DECISION, limit=_RECENT, as_of=as_of or None)))
    return ShowPage("why.html", "Why", values)


def _answer(chain: CausalChain) -> dict[str, Any]:
    nodes = {node.id: node for node in (*chain.nodes, *chain.replaces, *chain.replaced_by)}
    groups = (
        ("Because", chain.reasons),
        ("Given", chain.constraints),
        ("Consequences", chain.consequences),
        ("Replaces", chain.replaces),
        ("Replaced by", chain.replaced_by),
    )
    return {
        "chain": chain,
        "drawing": drawing_of(chain),
        "nodes": nodes,
        "groups": [(title, members) for title, members in groups if members],
        "links": [edge for edge in chain.edges if edge.from_id in nodes and edge.to_id in nodes],
    }


PAGES = (PageRoute("/why", show, "why"),)
