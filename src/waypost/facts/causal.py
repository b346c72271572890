"""A causal chain out of nodes and links: who is reached, in which direction, and how sure it is. No database here."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from waypost.model.causal import BLOCKS, CAUSES, CONSTRAINT, JUSTIFIES, LEADS_TO, CausalChain, CausalEdge, CausalNode

MOST_NODES = 100  # more than that nobody reads, and no diagram shows
_MOST_LOOKED_AT = 1000  # neighbours of one step whose visibility is asked for; a hub may have any number
_ORDER = {JUSTIFIES: 0, BLOCKS: 1, LEADS_TO: 2, CAUSES: 3}

Links = Callable[[Sequence[str]], Iterable[CausalEdge]]
Visible = Callable[[Sequence[str]], Collection[str]]


@dataclass(slots=True)
class Walked:
    """What a walk has reached: the depth of every node in the order of finding, the links between them, and how many
    neighbours were left out."""

    depths: dict[str, int]
    edges: list[CausalEdge] = field(default_factory=list)
    left_out: int = 0


def walk(root: str, depth: int, links: Links, visible: Visible, *, most: int = MOST_NODES) -> Walked:
    """Follow links both ways, breadth first, every node once, at most `depth` links away and `most` nodes.

    `links` gives all that begin or end at the given nodes, `visible` those of the given nodes that may be shown; what
    may not is not passed through. Of too many neighbours the strongest linked ones are taken.
    """
    done = Walked({root: 0})
    found: dict[tuple[str, str, str], CausalEdge] = {}
    frontier, beyond = [root], set[str]()
    for distance in range(1, depth + 2):  # the step too far finds the links among the last, and counts who is left out
        if not frontier:
            break
        edges = sorted(links(frontier), key=_by_weight)
        found |= {(edge.kind, edge.from_id, edge.to_id): edge for edge in edges}
        ends = dict.fromkeys(end for edge in edges for end in (edge.from_id, edge.to_id) if end not in done.depths)
        new = [end for end in ends if end not in beyond]
        seen = visible(new[:_MOST_LOOKED_AT])
        shown = [end for end in new[:_MOST_LOOKED_AT] if end in seen]
        room = most - len(done.depths) if distance <= depth else 0
        beyond.update(shown[room:], new[_MOST_LOOKED_AT:])
        frontier = shown[:room]
        done.depths |= dict.fromkeys(frontier, distance)
    done.left_out = len(beyond)
    done.edges = [edge for edge in found.values() if edge.from_id in done.depths and edge.to_id in done.depths]
    return done


def _by_weight(edge: CausalEdge) -> tuple[float, int, str, str]:
    return -edge.strength, _ORDER[edge.kind], edge.from_id, edge.to_id


def chain_of(question: str, depth: int, walked: Walked, nodes: Mapping[str, CausalNode]) -> CausalChain:
    """The chain around the first node of the walk. `nodes` are those of the walk that are there."""
    here = [replace(nodes[one], depth=far) for one, far in walked.depths.items() if one in nodes]
    edges = [edge for edge in walked.edges if edge.from_id in nodes and edge.to_id in nodes]
    root = here[0]
    causes = _distances(root.id, [(edge.to_id, edge.from_id) for edge in edges])
    effects = _distances(root.id, [(edge.from_id, edge.to_id) for edge in edges])
    never = len(here) + 1
    # In a circle something may have led to the root and come of it: the shorter way says what it is.
    led = [n for n in here[1:] if n.id in causes and causes[n.id] <= effects.get(n.id, never)]
    came = [n for n in here[1:] if n.id in effects and effects[n.id] < causes.get(n.id, never)]
    return CausalChain(
        question,
        depth,
        root=root,
        nodes=tuple(here),
        edges=tuple(edges),
        reasons=tuple(node for node in led if node.kind != CONSTRAINT),
        constraints=tuple(node for node in led if node.kind == CONSTRAINT),
        consequences=tuple(came),
        left_out=walked.left_out,
        confidence=_confidence(root, edges, nodes),
    )


def _distances(start: str, steps: Iterable[tuple[str, str]]) -> dict[str, int]:
    """How many steps it takes to each node that can be reached."""
    onward: dict[str, list[str]] = {}
    for one, other in steps:
        onward.setdefault(one, []).append(other)
    found, frontier = {start: 0}, [start]
    while frontier:
        following = dict.fromkeys(end for one in frontier for end in onward.get(one, ()) if end not in found)
        found |= dict.fromkeys(following, found[frontier[0]] + 1)
        frontier = list(following)
    return found


def _confidence(root: CausalNode, edges: Sequence[CausalEdge], nodes: Mapping[str, CausalNode]) -> float:
    """A decision is as sure as it is itself, but not surer than the best of the reasons that it rests on."""
    reasons = [
        edge.strength * nodes[edge.from_id].confidence
        for edge in edges
        if edge.kind == JUSTIFIES and edge.to_id == root.id and edge.from_id != root.id
    ]
    return round(min([root.confidence, max(reasons)] if reasons else [root.confidence]), 4)


@dataclass(frozen=True, slots=True)
class ChainStep:
    """One line of a chain told as a tree: a node, the link by which it is reached, and how far it is indented."""

    node: CausalNode
    edge: CausalEdge
    indent: int
    backwards: bool  # told as the cause of the line above it


def told_as_tree(chain: CausalChain) -> list[ChainStep]:
    """Reasons, constraints, consequences, then the others: each node once, below the one through which it was reached."""
    if chain.root is None:
        return []
    by_id = {node.id: node for node in chain.nodes}
    links: dict[str, list[CausalEdge]] = {}
    for edge in sorted(chain.edges, key=lambda edge: (_ORDER[edge.kind], -edge.strength)):
        for end in {edge.from_id, edge.to_id}:
            links.setdefault(end, []).append(edge)
    parents: dict[str, tuple[str, CausalEdge]] = {}
    for node in chain.nodes:  # nearest first, so that everybody's parent is known by now
        for edge in links.get(node.id, ()):
            other = edge.to_id if edge.from_id == node.id else edge.from_id
            if by_id[other].depth == node.depth + 1:
                parents.setdefault(other, (node.id, edge))
    children: dict[str, list[str]] = {}
    for child, (parent, _) in parents.items():
        children.setdefault(parent, []).append(child)
    place = {child: n for n, child in enumerate(_grouped(chain))}
    steps: list[ChainStep] = []
    stack = sorted(children.get(chain.root.id, ()), key=place.__getitem__, reverse=True)
    while stack:
        one = stack.pop()
        parent, edge = parents[one]
        steps.append(ChainStep(by_id[one], edge, by_id[one].depth, backwards=edge.to_id == parent))
        stack += sorted(children.get(one, ()), key=place.__getitem__, reverse=True)
    return steps


def _grouped(chain: CausalChain) -> list[str]:
    first = [node.id for group in (chain.reasons, chain.constraints, chain.consequences) for node in group]
    return list(dict.fromkeys((*first, *(node.id for node in chain.nodes))))
