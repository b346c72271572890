"""Layout of a causal chain: columns from constraints to consequences, boxes, and arrows.

Only positions are computed here; `graph.html` draws them, so that all text is escaped by the template.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from waypost.faces.dashboard.wording import shortened
from waypost.model.causal import (
    CONSEQUENCE,
    CONSTRAINT,
    DECISION,
    REASON,
    REPLACES,
    CausalChain,
    CausalEdge,
    CausalNode,
)

COLUMNS = (CONSTRAINT, REASON, DECISION, CONSEQUENCE)
TITLES = {CONSTRAINT: "Constraints", REASON: "Reasons", DECISION: "Decisions", CONSEQUENCE: "Consequences"}
# Labels of arrows, from cause to effect.
WORDS = {"justifies": "justifies", "leads_to": "leads to", "blocks": "limits", "causes": "causes", REPLACES: "replaces"}
_MOST_BOXES = 60  # more are hard to follow; the list has all
_WIDTH, _BETWEEN, _ABOVE, _GAP, _PAD, _LINE = 210, 64, 30, 16, 10, 17
_CHARACTERS, _MOST_LINES = 26, 5  # of the text in a box


@dataclass(frozen=True, slots=True)
class Box:
    node: CausalNode
    column: int
    x: float
    y: float
    width: float
    height: float
    lines: tuple[tuple[float, str], ...]  # the y position of each text line
    is_root: bool
    is_past: bool  # it was replaced


@dataclass(frozen=True, slots=True)
class Arrow:
    edge: CausalEdge
    path: str  # SVG path data
    said: str  # for example "Reason … justifies Decision …"
    width: float


@dataclass(frozen=True, slots=True)
class Drawing:
    width: float
    height: float
    titles: tuple[tuple[float, str], ...]
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    left_out: int  # nodes without a box


def drawing_of(chain: CausalChain) -> Drawing | None:
    """The chain as boxes in columns, or None if the chain is empty."""
    if chain.root is None:
        return None
    nodes, past = _nodes(chain)
    drawn = list(nodes.values())[:_MOST_BOXES]
    columns = _columns(drawn, past)
    boxes = {box.node.id: box for box in _placed(columns, chain.root.id, past)}
    used = [column for column in columns if column]
    titles = tuple((_left(index), TITLES[COLUMNS[columns.index(column)]]) for index, column in enumerate(used))
    arrows = tuple(_arrows((*chain.edges, *chain.replacements), boxes))
    bends = any(boxes[arrow.edge.from_id].column == boxes[arrow.edge.to_id].column for arrow in arrows)
    width = _left(len(used) - 1) + _WIDTH + (_BETWEEN / 2 if bends else 2)
    height = max((box.y + box.height for box in boxes.values()), default=0) + 4
    return Drawing(width, height, titles, tuple(boxes.values()), arrows, len(nodes) - len(drawn))


def _nodes(chain: CausalChain) -> tuple[dict[str, CausalNode], set[str]]:
    """All nodes once, root first, and the ids of replaced ones."""
    nodes = {node.id: node for node in (*chain.nodes, *chain.replaced_by, *chain.replaces)}
    replaced = {edge.to_id for edge in chain.replacements}
    return nodes, replaced


def _columns(nodes: Iterable[CausalNode], past: set[str]) -> list[list[CausalNode]]:
    """Nodes by column: current before replaced, near before far. Other kinds go into the decisions."""
    columns: list[list[CausalNode]] = [[] for _ in COLUMNS]
    for node in nodes:
        kind = node.kind if node.kind in COLUMNS else DECISION
        columns[COLUMNS.index(kind)].append(node)
    for column in columns:
        column.sort(key=lambda node: (node.id in past, node.depth))
    return columns


def _placed(columns: Sequence[Sequence[CausalNode]], root: str, past: set[str]) -> Iterable[Box]:
    """Boxes from top to bottom, each column centred on the tallest."""
    used = [column for column in columns if column]
    cells = [[(node, _wrapped(node.text)) for node in column] for column in used]
    heights = [sum(_height(lines) for _, lines in column) + _GAP * (len(column) - 1) for column in cells]
    for index, column in enumerate(cells):
        y = _ABOVE + (max(heights) - heights[index]) / 2
        for node, lines in column:
            x, height = _left(index), _height(lines)
            texts = tuple((y + _PAD + _LINE * (number + 0.8), line) for number, line in enumerate(lines))
            yield Box(node, index, x, y, _WIDTH, height, texts, node.id == root, node.id in past)
            y += height + _GAP


def _left(index: int) -> float:
    return 2 + index * (_WIDTH + _BETWEEN)


def _height(lines: Sequence[str]) -> float:
    return 2 * _PAD + _LINE * len(lines)


def _wrapped(text: str) -> list[str]:
    """The text wrapped to fit a box, cut if it is too long. Long words are broken."""
    words = shortened(text, _CHARACTERS * _MOST_LINES).split(" ")
    pieces = [word[at : at + _CHARACTERS] for word in words for at in range(0, max(1, len(word)), _CHARACTERS)]
    lines = [""]
    for piece in pieces:
        joined = f"{lines[-1]} {piece}".strip()
        if len(joined) <= _CHARACTERS:
            lines[-1] = joined
        else:
            lines.append(piece)
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], lines[_MOST_LINES - 1][: _CHARACTERS - 1].rstrip() + "…"]
    return lines


def _arrows(edges: Iterable[CausalEdge], boxes: Mapping[str, Box]) -> Iterable[Arrow]:
    for edge in edges:
        cause, effect = boxes.get(edge.from_id), boxes.get(edge.to_id)
        if cause is not None and effect is not None and cause is not effect:
            texts = shortened(cause.node.text, 60), WORDS.get(edge.kind, edge.kind), shortened(effect.node.text, 60)
            yield Arrow(
                edge, _path(cause, effect, boxes.values()), "{} — {} → {}".format(*texts), 0.8 + 1.2 * edge.strength
            )


def _path(cause: Box, effect: Box, boxes: Iterable[Box]) -> str:
    """A curve between the boxes' sides, around the boxes of columns in between. Within a column, a bow on the right."""
    y1, y2 = cause.y + cause.height / 2, effect.y + effect.height / 2
    if cause.column == effect.column:
        x, bow = cause.x + cause.width, cause.x + cause.width + _BETWEEN / 2
        return f"M{x:.0f} {y1:.0f} C{bow:.0f} {y1:.0f} {bow:.0f} {y2:.0f} {x + 8:.0f} {y2:.0f}"
    forward = cause.column < effect.column
    x, y = (cause.x + cause.width if forward else cause.x), y1
    path = f"M{x:.0f} {y:.0f}"
    step = 1 if forward else -1
    for column in range(cause.column + step, effect.column, step):
        near, far = (_left(column), _left(column) + _WIDTH)[::step]
        lane = _lane([box for box in boxes if box.column == column], (y + y2) / 2)
        path += f" {_curve(x, y, near, lane)} L{far:.0f} {lane:.0f}"
        x, y = far, lane
    return f"{path} {_curve(x, y, effect.x - 8 if forward else effect.x + effect.width + 8, y2)}"


def _curve(x1: float, y1: float, x2: float, y2: float) -> str:
    middle = (x1 + x2) / 2
    return f"C{middle:.0f} {y1:.0f} {middle:.0f} {y2:.0f} {x2:.0f} {y2:.0f}"


def _lane(column: Sequence[Box], wanted: float) -> float:
    """Where a line passes a column without crossing a box: the gap nearest to `wanted`."""
    edges = sorted((box.y, box.y + box.height) for box in column)
    gaps = [edges[0][0] - _GAP / 2, *(end + _GAP / 2 for _, end in edges)] if edges else [wanted]
    return min(gaps, key=lambda gap: abs(gap - wanted))
