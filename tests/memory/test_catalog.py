"""A server names the memories of its data directory by id, and opens none by a guess."""

import shutil
from pathlib import Path

import pytest
from tests.conftest import OpenMemory, TestClock

from waypost import Memory, config
from waypost.embed.fake import FakeEngine
from waypost.errors import WaypostError
from waypost.memory.catalog import Spaces
from waypost.model.memory import Caller

ANNA = Caller("person", "anna")


@pytest.fixture
def spaces(open_memory: OpenMemory, clock: TestClock) -> Spaces:
    open_memory("shop").remember("Prices are in cents")
    Memory.open(person="anna", clock=clock).remember("I like short answers")
    return Spaces(open_memory("bank"), config.load(), clock)


def test_every_memory_of_the_home_is_listed_by_name(spaces: Spaces, tmp_path: Path) -> None:
    (config.load().memory_root / "something else").mkdir()
    listed = spaces.entries()
    assert [(entry.name, entry.kind) for entry in listed] == [
        ("anna", "person"),
        ("bank", "project"),
        ("shop", "project"),
    ]
    assert listed[2].roots == (tmp_path / "work" / "shop",)
    assert listed[1].space_id == spaces.here
    assert listed[0].to_json()["id"] == listed[0].space_id


def test_a_memory_is_opened_by_its_id_in_the_callers_hands(spaces: Spaces) -> None:
    anna, _, shop = spaces.entries()
    assert [row["text"] for row in spaces.memory(ANNA, shop.space_id).list()] == ["Prices are in cents"]
    assert [row["text"] for row in spaces.memory(ANNA, anna.space_id).list()] == ["I like short answers"]
    spaces.memory(ANNA).remember("Loans are for a year")
    (entry,) = spaces.memory(ANNA, spaces.here).admin.audit()
    assert (entry.source, entry.actor) == ("person", "anna")


@pytest.mark.parametrize("given", ["0" * 16, "../../etc", "", "x\0", "0" * 15 + "/"])
def test_what_is_no_memory_is_refused(spaces: Spaces, given: str) -> None:
    with pytest.raises(WaypostError):
        spaces.memory(ANNA, given)


def test_one_whose_tree_is_gone_is_listed_and_opened_as_it_was_seen_last(
    spaces: Spaces, tmp_path: Path, fake_engine: FakeEngine
) -> None:
    shop = spaces.entries()[2]
    assert shop.to_json()["has_tree"]
    shutil.rmtree(tmp_path / "work" / "shop")
    assert spaces.entries()[2] == shop and not shop.to_json()["has_tree"]
    memory = spaces.memory(ANNA, shop.space_id)
    assert not memory.identity.has_tree and memory.admin.shown_checkout() == shop.checkouts[0]
    assert [row["text"] for row in memory.list()] == ["Prices are in cents"]


def test_the_memory_that_a_server_was_started_in_may_lose_its_tree(spaces: Spaces, tmp_path: Path) -> None:
    assert spaces.memory(ANNA).identity.has_tree
    shutil.rmtree(tmp_path / "work" / "bank")
    memory = spaces.memory(ANNA)
    assert memory.identity.space_id == spaces.here and not memory.identity.has_tree
