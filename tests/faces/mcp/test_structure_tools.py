"""The tools about the structure of code."""

from pathlib import Path

import pytest
from tests.faces.mcp.conftest import Agent

CODE = """\
class Store:
    def write(self, key):
        check(key)


def check(key):
    return key


def save(store: Store):
    store.write("a")
    store.write("b")


class Disk:
    def write(self, key): ...
"""


@pytest.fixture
def indexed(agent: Agent, shop: Path) -> Agent:
    (shop / "store.py").write_text(CODE)
    agent.memory.index()
    return agent


def test_symbols_say_what_exists_and_what_does_not(indexed: Agent) -> None:
    assert "store.py:6 function def check(key)" in indexed.text("symbols", name="check")
    assert [row["qualified"] for row in indexed.data("symbols", path="store.py")["found"]][:2] == [
        "Store",
        "Store.write",
    ]
    absent = indexed.text("symbols", name="chek")
    assert "There is no chek in the indexed code." in absent and "Similar names: check" in absent


def test_uses_give_the_lines(indexed: Agent) -> None:
    answer = indexed.text("uses", symbol="Store.write")
    assert "store.py:11 save (calls, lines 11,12)" in answer
    assert [row["symbol"] for row in indexed.data("uses", symbol="save", direction="callees")["rows"]] == [
        "Store.write"
    ]
    assert "1 of 2; raise limit" in indexed.text("symbols", name="write", limit=1)


def test_an_ambiguous_name_is_answered_with_the_candidates(indexed: Agent) -> None:
    answer = indexed.text("uses", symbol="write")
    assert "2 symbols have this name" in answer
    assert "store.py#Disk.write" in answer
    assert indexed.data("uses", symbol="write")["rows"] == []


def test_nothing_is_said_about_a_direction_that_does_not_exist(indexed: Agent) -> None:
    assert "direction" in indexed.refusal("uses", symbol="check", direction="up")


def test_about_code_and_recall_by_id_say_who_uses_the_code(indexed: Agent) -> None:
    assert "used by Store.write (store.py:3)" in indexed.text("about_code", path="store.py:7")
    [symbol] = indexed.data("symbols", name="check")["found"]
    assert "used by Store.write (store.py:3)" in indexed.text("recall", question=symbol["id"])


def test_about_code_adds_memories_about_what_the_line_calls(indexed: Agent) -> None:
    indexed.text("remember", text="Keys are checked twice.", refs=["store.py#check"])
    (hit,) = indexed.data("about_code", path="store.py:3")["hits"]
    assert (hit["about"], hit["label"]) == ("called", "about `check`, which this line calls")
    assert "  about `check`, which this line calls" in indexed.text("about_code", path="store.py:3")
