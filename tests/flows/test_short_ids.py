"""Short ids: answers show them, and everything that takes an id takes them."""

from datetime import UTC, datetime

import pytest
from tests.conftest import TestClock

from waypost import Memory
from waypost.errors import InvalidInput, NotFound
from waypost.flows.versions.short_ids import short_ids
from waypost.model.ids import IdMaker, id_beginning, ids_in, short_id, with_short_ids

ONE = "01m7q277kb8hqvz3w9fv86yc07"
TWO = "01m7q277kb8hqvz3w9fv86yc1a"
FAR = "01m8aaaakb8hqvz3w9fv86yc07"


def test_a_short_id_is_the_beginning_that_no_neighbour_has() -> None:
    assert short_id(ONE, "", FAR) == "01m7q277kb"
    assert short_id(ONE, "", TWO) == ONE[:25]
    assert short_id(TWO, ONE, "") == TWO[:25]


def test_a_few_characters_tell_ids_of_one_moment_apart() -> None:
    make = IdMaker(lambda: datetime(2026, 1, 2, tzinfo=UTC))
    ids = [make() for _ in range(300)]
    assert ids == sorted(ids)
    assert len({memory_id[:10] for memory_id in ids}) <= 2
    lengths = [len(short_id(ids[at], ids[at - 1], ids[at + 1])) for at in range(1, 299)]
    assert sum(length <= 14 for length in lengths) > 290


def test_ids_in_a_text_are_shortened_only_if_they_are_known() -> None:
    text = f"id {ONE}, [{FAR}], x{ONE}x"
    assert ids_in(text) == [ONE, FAR]
    assert with_short_ids(text, {ONE: "01m7q277kb"}) == f"id 01m7q277kb, [{FAR}], x{ONE}x"


@pytest.mark.parametrize("text", ["", "01m", "2026-11-18", "decision", ONE, "01m7 q277", 7, None, "01M7Q27u"])
def test_what_is_no_beginning_of_an_id(text: object) -> None:
    assert id_beginning(text) == ""


def test_every_way_to_name_a_memory_takes_its_beginning(memory: Memory, clock: TestClock) -> None:
    ids = list[str]()
    for number in range(3):
        ids.append(memory.remember(f"Fact {number} about {number * 17}.").id or "")
        clock.advance(hours=1)
    with memory.space.store.read() as reader:
        short = short_ids(reader, [*ids, FAR])
    assert set(short) == set(ids)
    assert all(memory_id.startswith(short[memory_id]) and len(short[memory_id]) <= 10 for memory_id in ids)
    first, second, third = (short[memory_id] for memory_id in ids)
    assert memory.show(first.upper()).id == ids[0]
    memory.correct(first, "Fact 0 about 1.")
    assert len(memory.history(first).versions) == 2
    assert memory.remember("Fact 1 is another one.", replaces=second).replaces == ids[1]
    memory.protect(third)
    assert memory.show(third).state.protected
    memory.forget(third)
    with pytest.raises(NotFound, match="no memory"):
        memory.show(third)


def test_a_beginning_that_several_have_names_them(memory: Memory) -> None:
    ids = [memory.remember(f"Fact {number} about {number * 17}.").id or "" for number in range(2)]
    with pytest.raises(InvalidInput, match=f"{ids[0]}, {ids[1]}"):
        memory.show(ids[0][:6])
