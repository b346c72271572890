"""Causal chains from nodes and links: which nodes are reached, in which direction, and how certain."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from waypost.model.causal import BLOCKS, CAUSES, CONSTRAINT, JUSTIFIES, LEADS_TO, CausalChain, CausalEdge, CausalNode

MOST_NODES = 100  # more fit into no answer or diagram
_MOST_NEIGHBOURS = 1000  # of one step that are checked for visibility; a hub may have any number
_ORDER = {JUSTIFIES: 0, BLOCKS: 1, LEADS_TO: 2, CAUSES: 3}

Links = Callable[[Sequence[str]], Iterable[CausalEdge]]
Visible = Callable[[Sequence[str]], Collection[str]]


@dataclass(slots=True)
class CausalWalk:
    """The result of a walk: each node's depth in order of discovery, the links, and how many nodes were left out."""

    depths: dict[str, int]
    edges: list[CausalEdge] = field(default_factory=list)
    left_out: int = 0


def walk(root: str, depth: int, links: Links, visible: Visible, *, most: int = MOST_NODES) -> CausalWalk:
    """Follow links both ways, breadth first, each node once, at most `depth` links away and `most` nodes.

    `links` returns all links of the given nodes; `visible` returns those nodes that may be shown. Hidden nodes are not
    passed through. Of too many neighbours, those with the strongest links are taken.
    """
    result = CausalWalk({root: 0})
    edges_by_key: dict[tuple[str, str, str], CausalEdge] = {}
    frontier, beyond = [root], set[str]()
    for distance in range(1, depth + 2):  # one step further finds links among the last nodes and counts omitted ones
        if not frontier:
            break
        edges = sorted(links(frontier), key=_by_weight)
        edges_by_key |= {(edge.kind, edge.from_id, edge.to_id): edge for edge in edges}
        ends = dict.fromkeys(end for edge in edges for end in (edge.from_id, edge.to_id) if end not in result.depths)
        new = [end for end in ends if end not in beyond]
        visible_ids = visible(new[:_MOST_NEIGHBOURS])
        visible_new = [end for end in new[:_MOST_NEIGHBOURS] if end in visible_ids]
        capacity = most - len(result.depths) if distance <= depth else 0
        beyond.update(visible_new[capacity:], new[_MOST_NEIGHBOURS:])
        frontier = visible_new[:capacity]
        result.depths |= dict.fromkeys(frontier, distance)
    result.left_out = len(beyond)
    result.edges = [edge for edge in edges_by_key.values() if {edge.from_id, edge.to_id} <= result.depths.keys()]
    return result


def _by_weight(edge: CausalEdge) -> tuple[float, int, str, str]:
    return -edge.strength, _ORDER[edge.kind], edge.from_id, edge.to_id


def chain_of(question: str, depth: int, walked: CausalWalk, nodes: Mapping[str, CausalNode]) -> CausalChain:
    """The chain around the first node of the walk. `nodes` are the existing nodes of the walk."""
    reached = [replace(nodes[id_], depth=distance) for id_, distance in walked.depths.items() if id_ in nodes]
    edges = [edge for edge in walked.edges if edge.from_id in nodes and edge.to_id in nodes]
    root = reached[0]
    causes = _distances(root.id, [(edge.to_id, edge.from_id) for edge in edges])
    effects = _distances(root.id, [(edge.from_id, edge.to_id) for edge in edges])
    unreachable = len(reached) + 1
    # In a cycle, a node may be both cause and effect of the root: the shorter way decides.
    led_here = [n for n in reached[1:] if n.id in causes and causes[n.id] <= effects.get(n.id, unreachable)]
    followed = [n for n in reached[1:] if n.id in effects and effects[n.id] < causes.get(n.id, unreachable)]
    return CausalChain(
        question,
        depth,
        root=root,
        nodes=tuple(reached),
        edges=tuple(edges),
        reasons=tuple(node for node in led_here if node.kind != CONSTRAINT),
        constraints=tuple(node for node in led_here if node.kind == CONSTRAINT),
        consequences=tuple(followed),
        left_out=walked.left_out,
        confidence=_confidence(root, edges, nodes),
    )


def _distances(start: str, steps: Iterable[tuple[str, str]]) -> dict[str, int]:
    onward: dict[str, list[str]] = {}
    for start_id, end_id in steps:
        onward.setdefault(start_id, []).append(end_id)
    distances, frontier = {start: 0}, [start]
    while frontier:
        following = dict.fromkeys(end for node in frontier for end in onward.get(node, ()) if end not in distances)
        distances |= dict.fromkeys(following, distances[frontier[0]] + 1)
        frontier = list(following)
    return distances


def _confidence(root: CausalNode, edges: Sequence[CausalEdge], nodes: Mapping[str, CausalNode]) -> float:
    """The confidence of a decision: its own, but at most that of its best reason."""
    reasons = [
        edge.strength * nodes[edge.from_id].confidence
        for edge in edges
        if edge.kind == JUSTIFIES and edge.to_id == root.id and edge.from_id != root.id
    ]
    return round(min([root.confidence, max(reasons)] if reasons else [root.confidence]), 4)


@dataclass(frozen=True, slots=True)
class ChainStep:
    """One line of a chain shown as a tree: a node, the link that reaches it, and its indentation."""

    node: CausalNode
    edge: CausalEdge
    indent: int
    backwards: bool  # shown as a cause of the line above


def chain_steps(chain: CausalChain) -> list[ChainStep]:
    """Reasons, constraints, consequences, then other nodes: each once, below the node that reaches it."""
    if chain.root is None:
        return []
    by_id = {node.id: node for node in chain.nodes}
    links: dict[str, list[CausalEdge]] = {}
    for edge in sorted(chain.edges, key=lambda edge: (_ORDER[edge.kind], -edge.strength)):
        for end in {edge.from_id, edge.to_id}:
            links.setdefault(end, []).append(edge)
    parents: dict[str, tuple[str, CausalEdge]] = {}
    for node in chain.nodes:  # nearest first, so that parents come before children
        for edge in links.get(node.id, ()):
            other = edge.to_id if edge.from_id == node.id else edge.from_id
            if by_id[other].depth == node.depth + 1:
                parents.setdefault(other, (node.id, edge))
    children: dict[str, list[str]] = {}
    for child, (parent, _) in parents.items():
        children.setdefault(parent, []).append(child)
    rank = {child: n for n, child in enumerate(_display_order(chain))}
    steps: list[ChainStep] = []
    stack = sorted(children.get(chain.root.id, ()), key=rank.__getitem__, reverse=True)
    while stack:
        node_id = stack.pop()
        parent, edge = parents[node_id]
        steps.append(ChainStep(by_id[node_id], edge, by_id[node_id].depth, backwards=edge.to_id == parent))
        stack += sorted(children.get(node_id, ()), key=rank.__getitem__, reverse=True)
    return steps


def _display_order(chain: CausalChain) -> list[str]:
    first = [node.id for group in (chain.reasons, chain.constraints, chain.consequences) for node in group]
    return list(dict.fromkeys((*first, *(node.id for node in chain.nodes))))
