from datetime import UTC, datetime
from itertools import pairwise

from waypost.faces.dashboard.graph import Drawing, drawing_of
from waypost.model.causal import CausalChain, CausalEdge, CausalNode

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def node(name: str, kind: str, text: str = "", depth: int = 1) -> CausalNode:
    return CausalNode(name, kind, text or name, "person", "ada", NOW, NOW, depth=depth)


def chain(*others: CausalNode, edges: tuple[CausalEdge, ...] = (), **more: object) -> CausalChain:
    root = node("root", "decision", depth=0)
    return CausalChain("why?", 5, root, (root, *others), edges, **more)  # type: ignore[arg-type]


def drawn(one: CausalChain) -> Drawing:
    drawing = drawing_of(one)
    assert drawing is not None
    return drawing


def test_columns_go_from_what_limited_it_to_what_came_of_it() -> None:
    drawing = drawn(chain(node("c", "consequence"), node("r", "reason"), node("l", "constraint")))
    assert [title for _, title in drawing.titles] == ["Constraints", "Reasons", "Decisions", "Consequences"]
    assert [box.node.id for box in sorted(drawing.boxes, key=lambda box: box.x)] == ["l", "r", "root", "c"]


def test_a_column_without_anything_takes_no_room() -> None:
    drawing = drawn(chain(node("c", "consequence")))
    assert [title for _, title in drawing.titles] == ["Decisions", "Consequences"]
    assert min(box.x for box in drawing.boxes) < 10


def test_boxes_never_cover_each_other_and_stay_inside() -> None:
    many = [node(f"r{n}", "reason", "word " * n) for n in range(30)]
    drawing = drawn(chain(*many))
    ordered = sorted(drawing.boxes, key=lambda box: (box.column, box.y))
    for one, two in pairwise(ordered):
        assert one.column != two.column or one.y + one.height <= two.y
    assert all(box.y + box.height <= drawing.height and box.x + box.width <= drawing.width for box in drawing.boxes)


def test_a_word_without_end_is_broken_and_a_long_text_is_cut() -> None:
    drawing = drawn(chain(node("r", "reason", "x" * 5000)))
    lines = next(box for box in drawing.boxes if box.node.id == "r").lines
    assert len(lines) <= 5
    assert all(len(line) <= 26 for _, line in lines)
    assert lines[-1][1].endswith("…")


def test_only_so_many_boxes_are_drawn_and_the_rest_is_counted() -> None:
    drawing = drawn(chain(*(node(f"r{n}", "reason") for n in range(90))))
    assert len(drawing.boxes) == 60
    assert drawing.left_out == 31


def test_an_arrow_is_as_thick_as_its_link_is_strong_and_says_what_it_means() -> None:
    edges = (CausalEdge("justifies", "r", "root", 1.0), CausalEdge("blocks", "l", "root", 0.2))
    drawing = drawn(chain(node("r", "reason"), node("l", "constraint"), edges=edges))
    strong, weak = drawing.arrows
    assert strong.width > weak.width
    assert strong.said == "r — justifies → root"
    assert weak.said == "l — limits → root"


def test_arrows_to_what_is_not_drawn_are_left_out() -> None:
    edges = (CausalEdge("justifies", "nobody", "root"), CausalEdge("causes", "root", "root"))
    assert drawn(chain(edges=edges)).arrows == ()


def test_what_was_replaced_stands_beside_as_past() -> None:
    old = node("old", "decision")
    replaced = CausalEdge("supersedes", "root", "old")
    drawing = drawn(chain(replaces=(old,), replacements=(replaced,)))
    assert {box.node.id: box.is_past for box in drawing.boxes} == {"root": False, "old": True}
    assert [arrow.edge for arrow in drawing.arrows] == [replaced]


def test_without_a_root_nothing_is_drawn() -> None:
    assert drawing_of(CausalChain("why?", 5)) is None
