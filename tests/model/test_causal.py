"""The shape of a chain as programs get it."""

from datetime import UTC, datetime

from waypost.model.causal import CausalChain, CausalEdge, CausalNode

DAY = datetime(2026, 11, 3, 9, tzinfo=UTC)


def test_a_chain_has_its_root_its_parts_and_its_diagram() -> None:
    root = CausalNode("a", "decision", "We use FastAPI", "person", "anna", DAY, DAY, session="s1", evidence=("ADR-7",))
    reason = CausalNode("b", "reason", "It is asynchronous", "agent", "mcp", DAY, DAY, valid_until=DAY, depth=1)
    chain = CausalChain(
        "why?",
        5,
        root=root,
        nodes=(root, reason),
        edges=(CausalEdge("justifies", "b", "a", 0.123456),),
        reasons=(reason,),
        confidence=0.7,
        mermaid="graph TD\n",
    )
    row = chain.to_json()
    assert (row["status"], row["mermaid"]) == ("success", "graph TD\n")
    assert row["chain"]["root"] == {
        "id": "a",
        "type": "decision",
        "content": "We use FastAPI",
        "depth": 0,
        "confidence": 1.0,
        "is_stale": False,
        "stale_reason": None,
        "source": "person",
        "actor": "anna",
        "domain": None,
        "session_id": "s1",
        "evidence": ["ADR-7"],
        "created_at": "2026-11-03T09:00:00Z",
        "valid_from": "2026-11-03T09:00:00Z",
        "valid_until": None,
    }
    assert row["chain"]["edges"] == [{"type": "justifies", "from": "b", "to": "a", "strength": 0.1235}]
    assert [node["id"] for node in row["chain"]["reasons"]] == ["b"]
    assert (row["chain"]["consequences"], row["chain"]["constraints"], row["chain"]["told"]) == ([], [], None)


def test_a_chain_without_a_root_says_that_nothing_was_found() -> None:
    row = CausalChain("why?", 5).to_json()
    assert (row["status"], row["chain"]["root"], row["chain"]["nodes"], row["mermaid"]) == ("not_found", None, [], "")
