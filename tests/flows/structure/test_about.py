"""Memories about what a line calls or overrides, after those about the line itself."""

from pathlib import Path

import pytest

from waypost.memory import Memory

ORDER_HEAD, ORDER_CHECKS, ORDER_WRITES = 10, 11, 12  # lines of shop/app.py
FILE_READ = 15  # `def read` of FileStore, in shop/store.py


@pytest.fixture
def noted(shop: Memory) -> Memory:
    shop.remember("Keys are checked for length", refs=["shop/store.py#check"])
    shop.remember("Writing twice keeps the last value", refs=["shop/store.py#Store.write"])
    shop.remember("Reading a missing key is no error", refs=["shop/store.py#Store.read"])
    shop.remember("The store is the only state", refs=["shop/store.py#Store"])
    return shop


def labels(memory: Memory, path: str, line: int | None = None) -> list[tuple[str, str]]:
    hits = memory.code.about(path, line)
    return [(hit.memory.version.text, hit.related.label if hit.related else hit.relevance) for hit in hits]


def test_a_line_shows_memories_about_what_it_calls(noted: Memory) -> None:
    assert labels(noted, "shop/app.py", ORDER_CHECKS) == [
        ("Keys are checked for length", "about `check`, which this line calls")
    ]


def test_direct_memories_come_first_and_none_comes_twice(noted: Memory) -> None:
    noted.remember("Orders are checked first", refs=["shop/app.py#L11", "shop/store.py#check"])
    assert labels(noted, "shop/app.py", ORDER_CHECKS) == [
        ("Orders are checked first", "direct"),
        ("Keys are checked for length", "about `check`, which this line calls"),
    ]


def test_the_head_of_a_function_stands_for_all_that_it_calls(noted: Memory) -> None:
    assert labels(noted, "shop/app.py", ORDER_HEAD) == [
        ("Keys are checked for length", "about `check`, which `order` calls"),
        ("Writing twice keeps the last value", "about `Store.write`, which `order` calls"),
    ]


def test_a_method_shows_memories_about_what_it_overrides(noted: Memory) -> None:
    first, *others = labels(noted, "shop/store.py", FILE_READ)
    assert first == ("Reading a missing key is no error", "about `Store.read`, which `FileStore.read` overrides")
    assert {label for _, label in others} == {"file"}


def test_a_file_shows_what_it_calls_in_other_files(noted: Memory) -> None:
    rows = labels(noted, "shop/app.py")
    assert ("Writing twice keeps the last value", "about `Store.write`, which this file calls") in rows
    assert all("`Store.read`" not in label for _, label in rows)


def test_the_label_is_part_of_the_data(noted: Memory) -> None:
    row = noted.code.about("shop/app.py", ORDER_CHECKS)[0].to_json()
    assert (row["relevance"], row["label"]) == ("called", "about `check`, which this line calls")
    assert row["code_ref"]["file_path"] == "shop/store.py"


def test_a_moved_call_is_read_from_the_current_file(noted: Memory, tree: Path) -> None:
    path = tree / "shop" / "app.py"
    path.write_text("# orders\n\n" + path.read_text())
    assert labels(noted, "shop/app.py", ORDER_CHECKS + 2) == [
        ("Keys are checked for length", "about `check`, which this line calls")
    ]
    assert labels(noted, "shop/app.py", ORDER_WRITES + 2)[0][1] == "about `Store.write`, which this line calls"
