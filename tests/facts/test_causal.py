"""Causal chains from any graph, compared with a search that is too simple to be wrong."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.facts.causal import chain_of, chain_steps, walk
from waypost.model.causal import CAUSAL_KINDS, CAUSAL_LINKS, CausalChain, CausalEdge, CausalNode

DAY = datetime(2026, 11, 3, 9, tzinfo=UTC)


class Graph(NamedTuple):
    """Nodes are numbers, with "0" as the root. All but the hidden ones may be shown."""

    size: int
    edges: list[CausalEdge]
    hidden: frozenset[str]

    def links(self, ids: Sequence[str]) -> list[CausalEdge]:
        return [edge for edge in self.edges if edge.from_id in ids or edge.to_id in ids]

    def visible(self, ids: Sequence[str]) -> set[str]:
        return {node_id for node_id in ids if node_id not in self.hidden}

    def neighbours(self, node_id: str) -> set[str]:
        ends = {
            end for edge in self.edges if node_id in (edge.from_id, edge.to_id) for end in (edge.from_id, edge.to_id)
        }
        return self.visible(sorted(ends - {node_id}))

    def naive_depths(self, depth: int) -> dict[str, int]:
        """Distances by a plain breadth-first search."""
        distances, queue = {"0": 0}, ["0"]
        for node_id in queue:
            for other in sorted(self.neighbours(node_id)):
                if other not in distances and distances[node_id] < depth:
                    distances[other] = distances[node_id] + 1
                    queue.append(other)
        return distances


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    size = draw(st.integers(1, 12))
    ends = st.integers(0, size - 1).map(str)
    edge = st.builds(CausalEdge, st.sampled_from(CAUSAL_LINKS), ends, ends, st.sampled_from((0.3, 0.7, 1.0)))
    edges = draw(st.lists(edge, max_size=24, unique_by=lambda drawn: (drawn.kind, drawn.from_id, drawn.to_id)))
    if draw(st.booleans()):  # a long chain, perhaps closed to a cycle
        line = [str(n) for n in range(size)] + (["0"] if draw(st.booleans()) else [])
        edges = [CausalEdge("causes", start, other) for start, other in pairwise(line)]
    hidden = draw(st.frozensets(st.integers(1, max(1, size - 1)).map(str), max_size=3))
    return Graph(size, edges, hidden)


def node(name: str, kind: str = "reason", **more: Any) -> CausalNode:
    return CausalNode(name, kind, f"text {name}", "person", "anna", DAY, DAY, **more)


def chain(graph: Graph, depth: int = 5, kinds: dict[str, str] | None = None) -> CausalChain:
    walked = walk("0", depth, graph.links, graph.visible)
    nodes = {
        node_id: node(node_id, (kinds or {}).get(node_id, "decision" if node_id == "0" else "reason"))
        for node_id in walked.depths
    }
    return chain_of("why?", depth, walked, nodes)


@pytest.mark.slow
@given(graphs(), st.integers(1, 20))
def test_a_walk_finds_what_a_naive_search_finds_at_the_same_depth(graph: Graph, depth: int) -> None:
    walked = walk("0", depth, graph.links, graph.visible)
    expected = graph.naive_depths(depth)
    assert walked.depths == expected
    inner_edges = [edge for edge in graph.edges if edge.from_id in expected and edge.to_id in expected]
    assert sorted(map(str, walked.edges)) == sorted(map(str, inner_edges))
    beyond = {other for node_id in expected for other in graph.neighbours(node_id)} - expected.keys()
    assert walked.left_out == len(beyond)


@pytest.mark.slow
@given(graphs(), st.integers(1, 20), st.integers(1, 6))
def test_a_walk_stays_within_its_number_of_nodes_and_counts_the_others(graph: Graph, depth: int, most: int) -> None:
    walked = walk("0", depth, graph.links, graph.visible, most=most)
    expected = graph.naive_depths(depth)
    assert len(walked.depths) == min(most, len(expected))
    assert all(expected[node_id] == far for node_id, far in walked.depths.items())  # the nearest ones come first
    beyond = {other for node_id in walked.depths for other in graph.neighbours(node_id)} - walked.depths.keys()
    assert walked.left_out == len(beyond)


@pytest.mark.slow
@given(graphs(), st.integers(1, 20), st.lists(st.sampled_from((*CAUSAL_KINDS, "fact")), min_size=12, max_size=12))
def test_every_node_of_a_chain_is_reported_once_and_has_one_part(graph: Graph, depth: int, kinds: list[str]) -> None:
    result = chain(graph, depth, {str(n): kind for n, kind in enumerate(kinds)})
    parts = [member.id for group in (result.reasons, result.constraints, result.consequences) for member in group]
    assert len(parts) == len(set(parts))
    assert set(parts) <= {member.id for member in result.nodes[1:]}
    steps = chain_steps(result)
    assert sorted(step.node.id for step in steps) == sorted(member.id for member in result.nodes[1:])
    for above, below in pairwise([0, *(step.indent for step in steps)]):
        assert below <= above + 1
    for step in steps:
        assert step.node.id in (step.edge.from_id, step.edge.to_id)


def test_causes_and_effects_are_distinguished_by_the_direction_of_links() -> None:
    edges = [
        CausalEdge("justifies", "1", "0"),
        CausalEdge("causes", "2", "1"),
        CausalEdge("blocks", "3", "0"),
        CausalEdge("leads_to", "0", "4"),
        CausalEdge("causes", "4", "5"),
        CausalEdge("justifies", "1", "6"),  # another decision for the same reason
    ]
    kinds = {"2": "consequence", "3": "constraint", "4": "consequence", "6": "decision"}
    result = chain(Graph(7, edges, frozenset()), 5, kinds)
    assert [member.id for member in result.reasons] == ["1", "2"]
    assert [member.id for member in result.constraints] == ["3"]
    assert [member.id for member in result.consequences] == ["4", "5"]
    assert {member.id: member.depth for member in result.nodes} == {
        "0": 0,
        "1": 1,
        "3": 1,
        "4": 1,
        "2": 2,
        "5": 2,
        "6": 2,
    }


def test_in_a_circle_the_shorter_way_says_what_a_node_is() -> None:
    edges = [CausalEdge("causes", start, other) for start, other in (("0", "1"), ("1", "2"), ("2", "3"), ("3", "0"))]
    result = chain(Graph(4, edges, frozenset()), 5)
    assert [member.id for member in result.reasons] == ["3", "2"]
    assert [member.id for member in result.consequences] == ["1"]


def test_what_is_hidden_is_not_passed_through() -> None:
    edges = [CausalEdge("justifies", "1", "0"), CausalEdge("causes", "2", "1")]
    assert [member.id for member in chain(Graph(3, edges, frozenset("1"))).nodes] == ["0"]


def test_of_too_many_neighbours_the_strongest_linked_are_shown() -> None:
    edges = [CausalEdge("justifies", str(n), "0", n / 10) for n in range(1, 10)]
    walked = walk("0", 1, Graph(10, edges, frozenset()).links, set, most=4)
    assert list(walked.depths) == ["0", "9", "8", "7"]
    assert walked.left_out == 6


@pytest.mark.parametrize(("strength", "expected"), [(1.0, 0.7), (0.5, 0.35), (None, 0.9)])
def test_a_chain_is_no_surer_than_the_best_of_its_reasons(strength: float | None, expected: float) -> None:
    edges = [] if strength is None else [CausalEdge("justifies", "1", "0", strength)]
    walked = walk("0", 5, Graph(2, edges, frozenset()).links, set)
    nodes = {"0": node("0", "decision", confidence=0.9), "1": node("1", confidence=0.7)}
    assert chain_of("why?", 5, walked, nodes).confidence == expected


def test_a_hub_with_very_many_links_is_counted_and_not_looked_through() -> None:
    edges = [CausalEdge("justifies", "0", str(n)) for n in range(1, 5_001)]
    sizes: list[int] = []

    def visible(ids: Sequence[str]) -> set[str]:
        sizes.append(len(ids))
        return set(ids)

    walked = walk("0", 1, Graph(5_001, edges, frozenset()).links, visible)
    assert (len(walked.depths), walked.left_out) == (100, 4_901)
    assert max(sizes) <= 1_000
