"""Looking at a memory from all sides: the code behind it then and now, what it is linked with, how all has grown."""

from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Git, OpenMemory, TestClock

from waypost import Memory
from waypost.errors import NotFound

CODE = "def total(prices):\n    result = 0\n    for price in prices:\n        result += price\n    return result\n"
CHANGED = "def total(prices):\n    check(prices)\n    return round(sum(prices) * 1.19, 2)\n"


@pytest.fixture
def shop(open_memory: OpenMemory, git: Git) -> Memory:
    memory = open_memory("shop")
    (memory.code.root / "total.py").write_text(CODE)
    git(memory.code.root, "init", "-q")
    git(memory.code.root, "add", ".")
    git(memory.code.root, "commit", "-qm", "Begin")
    return Memory.open(memory.code.root, clock=memory.space.clock)


def remember(memory: Memory, text: str, **options: Any) -> str:
    receipt = memory.remember(text, **options)
    assert receipt.id is not None
    return receipt.id


def test_code_that_has_not_changed_is_shown_as_it_is(shop: Memory) -> None:
    memory_id = remember(shop, "Totals are sums.", refs=["total.py#L2-L3"])
    (behind,) = shop.code.code_behind(memory_id)
    assert behind.then is None
    assert behind.now is not None
    assert (behind.now.first, behind.now.marked) == (1, behind.link.reference.line_range)
    assert behind.now.meant == ("    result = 0", "    for price in prices:")


def test_code_that_has_changed_is_shown_then_and_now(shop: Memory) -> None:
    memory_id = remember(shop, "Totals are sums.", refs=["total.py#total"])
    (shop.code.root / "total.py").write_text(CHANGED)
    (behind,) = shop.code.code_behind(memory_id)
    assert behind.then is not None
    assert behind.then.meant == tuple(CODE.splitlines())
    assert behind.surely
    assert behind.now is not None
    assert behind.now.meant == tuple(CHANGED.splitlines())


def test_code_that_was_never_committed_as_it_was_pinned_is_not_called_certain(shop: Memory) -> None:
    (shop.code.root / "total.py").write_text(CODE.replace("0", "0.0"))
    memory_id = remember(shop, "Totals are sums.", refs=["total.py#total"])
    (shop.code.root / "total.py").write_text(CHANGED)
    (behind,) = shop.code.code_behind(memory_id)
    assert behind.then is not None
    assert not behind.surely


def test_code_that_is_gone_is_shown_as_it_was(shop: Memory) -> None:
    memory_id = remember(shop, "Totals are sums.", refs=["total.py#total"])
    (shop.code.root / "total.py").unlink()
    (behind,) = shop.code.code_behind(memory_id)
    assert behind.now is None
    assert behind.then is not None


def test_secrets_in_the_code_are_masked_then_and_now(shop: Memory, git: Git) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (shop.code.root / "key.py").write_text(f"def key():\n    token = '{secret}'\n    return token\n")
    git(shop.code.root, "add", ".")
    git(shop.code.root, "commit", "-qm", "A key")
    memory_id = remember(shop, "The key is made here.", refs=["key.py#key"])
    (shop.code.root / "key.py").write_text(f"def key():\n    return ask('{secret}', again=True, twice=True)\n")
    (behind,) = shop.code.code_behind(memory_id)
    assert behind.then is not None
    assert behind.now is not None
    assert secret not in "".join((*behind.then.lines, *behind.now.lines))


def test_a_place_outside_of_the_tree_is_never_read(shop: Memory, tmp_path: Path) -> None:
    (tmp_path / "work" / "private.txt").write_text("private words\n")
    (shop.code.root / "link.txt").write_text("own words\n")
    memory_id = remember(shop, "Totals are sums.", refs=["link.txt"])
    (shop.code.root / "link.txt").unlink()
    (shop.code.root / "link.txt").symlink_to(tmp_path / "work" / "private.txt")
    assert not [
        behind for behind in shop.code.code_behind(memory_id) if behind.now and "private" in "".join(behind.now.lines)
    ]


def test_a_memory_knows_what_it_is_linked_with(shop: Memory) -> None:
    parent = remember(shop, "Money is counted in cents.")
    child = remember(shop, "Totals are whole numbers.", parent=parent, level=2)
    assert [(behind.kind, behind.version.memory_id) for behind in shop.facts.related(parent)] == [("child", child)]
    assert ("parent", parent) in [(behind.kind, behind.version.memory_id) for behind in shop.facts.related(child)]


def test_reasons_are_told_apart_by_the_way_that_they_point(shop: Memory) -> None:
    decided = shop.decide("One provider only.", because=["Two were twice the work."], leads_to=["Refunds are slow."])
    assert decided.id is not None
    links = {(related.kind, related.outgoing): related.version.text for related in shop.facts.related(decided.id)}
    assert links == {("justifies", False): "Two were twice the work.", ("leads_to", True): "Refunds are slow."}


def test_what_is_not_there_has_no_links(shop: Memory) -> None:
    with pytest.raises(NotFound):
        shop.facts.related("01k4282cm0y6pnb28x5k9kthph")


def test_growth_counts_what_was_held_at_each_moment(memory: Memory, clock: TestClock) -> None:
    first = remember(memory, "Deploys run on Fridays.")
    clock.advance(days=10)
    remember(memory, "Uploads use S3.")
    memory.retract(first)
    clock.advance(days=10)
    counted = [(point.at.day, point.counts) for point in memory.admin.growth(3)]
    assert counted == [(30, {"facts": 1}), (9, {"facts": 1}), (19, {"facts": 1})]
    assert memory.admin.growth(5)[1].counts == {"facts": 1}
