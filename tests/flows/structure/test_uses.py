"""Who uses a symbol, and what it uses."""

import os
from pathlib import Path

import pytest

from waypost.embed.fake import FakeEngine
from waypost.errors import InvalidInput
from waypost.memory import Memory


def rows(memory: Memory, symbol: str, direction: str = "callers", **options: object) -> list[tuple[str, str, int]]:
    answer = memory.code.uses(symbol, direction, **options).to_json()  # type: ignore[arg-type]
    return [(row["symbol"], row["path"], row["line"]) for row in answer["rows"]]


def test_callers_come_with_the_lines_of_their_calls(shop: Memory) -> None:
    answer = shop.code.uses("shop/store.py#check").to_json()
    assert answer["symbol"]["qualified"] == "check"
    assert (answer["total"], answer["unresolved"], answer["direction"]) == (2, 0, "callers")
    order, write = answer["rows"]
    assert (order["symbol"], order["path"], order["line"]) == ("order", "shop/app.py", 11)
    assert (write["symbol"], write["line"], write["lines"], write["kind"]) == ("Store.write", 10, [10, 11], "calls")
    assert (write["depth"], write["via"], write["test"]) == (1, None, False)
    assert write["certainty"] >= 0.9


def test_callees_are_what_a_function_calls_and_from_depth_two_on_all_methods_of_a_class(shop: Memory) -> None:
    assert rows(shop, "order", "callees") == [("Store.write", "shop/store.py", 8), ("check", "shop/store.py", 24)]
    assert rows(shop, "Store", "callees") == []
    assert rows(shop, "Store", "callees", depth=2)[:2] == [
        ("Store.read", "shop/store.py", 5),
        ("check", "shop/store.py", 24),
    ]


def test_a_line_after_the_end_of_a_file_names_nothing(shop: Memory) -> None:
    assert shop.code.uses("shop/store.py:8").to_json()["symbol"] is not None
    assert shop.code.uses("shop/store.py:9999").to_json()["symbol"] is None


def test_a_depth_follows_callers_of_callers(shop: Memory) -> None:
    answer = shop.code.uses("shop/store.py#check", depth=3)
    assert [(row.symbol, row.depth, row.via) for row in answer.rows] == [
        ("order", 1, None),
        ("Store.write", 1, None),
        ("main", 2, "order"),
        ("test_write", 2, "Store.write"),
    ]


def test_tests_can_be_left_out_or_chosen(shop: Memory) -> None:
    assert [row[0] for row in rows(shop, "Store.write")] == ["order", "test_write"]
    assert [row[0] for row in rows(shop, "Store.write", tests=False)] == ["order"]
    assert [row[0] for row in rows(shop, "Store.write", tests=True)] == ["test_write"]


def test_types_have_supertypes_subtypes_and_implementors(shop: Memory) -> None:
    assert [row[0] for row in rows(shop, "CachedFileStore", "supertypes")] == ["FileStore"]
    assert [row[0] for row in rows(shop, "Store", "subtypes")] == ["FileStore"]
    assert [row[0] for row in rows(shop, "Store", "implementors")] == ["FileStore", "CachedFileStore"]


def test_methods_have_overriding_methods(shop: Memory) -> None:
    assert [row[0] for row in rows(shop, "Store.read", "implementors")] == ["FileStore.read", "CachedFileStore.read"]
    assert [row[0] for row in rows(shop, "CachedFileStore.read", "supertypes", depth=2)] == [
        "FileStore.read",
        "Store.read",
    ]


def test_importers_and_references(shop: Memory) -> None:
    assert [row[0] for row in rows(shop, "Store", "importers")] == ["shop/app.py", "tests/test_store.py"]
    assert {row[0] for row in rows(shop, "Store", "references")} == {
        *("shop/app.py", "FileStore", "test_write", "tests/test_store.py")
    }


def test_a_name_of_several_symbols_returns_the_candidates(shop: Memory) -> None:
    answer = shop.code.uses("check").to_json()
    assert (answer["symbol"], answer["rows"], answer["total"]) == (None, [], 0)
    assert [row["path"] for row in answer["candidates"]] == ["shop/admin.py", "shop/store.py"]


def test_an_absent_name_returns_similar_ones(shop: Memory) -> None:
    answer = shop.code.uses("Store.writ").to_json()
    assert (answer["symbol"], answer["rows"], answer["candidates"]) == (None, [], [])
    assert answer["nearest"] == ["Store.write"]


def test_the_limit_is_never_silent(shop: Memory) -> None:
    answer = shop.code.uses("Store.write", limit=1)
    assert (len(answer.rows), answer.total) == (1, 2)


def test_bad_input_is_refused(shop: Memory) -> None:
    with pytest.raises(InvalidInput, match="no direction 'sideways'"):
        shop.code.uses("Store", "sideways")
    with pytest.raises(InvalidInput, match="depth"):
        shop.code.uses("Store", depth=6)
    with pytest.raises(InvalidInput, match="empty"):
        shop.code.uses(" ")


def test_relations_follow_a_change_before_the_answer(shop: Memory, tree: Path) -> None:
    path = tree / "shop" / "app.py"
    path.write_text(path.read_text() + "\n\ndef later() -> None:\n    check('milk')\n")
    os.utime(path, ns=(0, 5_000_000_000))
    answer = shop.code.uses("shop/store.py#check")
    assert ("later", 20) in {(row.symbol, row.line) for row in answer.rows}
    assert answer.notices == ()


def test_a_property_has_its_readers_as_callers_and_says_what_is_not_seen(
    tree: Path, memory: Memory, fake_engine: FakeEngine
) -> None:
    (tree / "shop/conf.py").write_text(
        "class Config:\n    def __init__(self, port: int):\n        self.port = port\n\n"
        "    @property\n    def is_ssl(self) -> bool:\n        return self.port == 443\n\n\n"
        "def open_port(config: Config) -> bool:\n    return config.is_ssl\n",
        encoding="utf-8",
    )
    memory.index()
    for direction in ("callers", "references"):
        answer = memory.code.uses("Config.is_ssl", direction)
        assert [(row.symbol, row.line, row.kind) for row in answer.rows] == [("open_port", 11, "mentions")]
        assert [notice for notice in answer.notices if "objects of known type" in notice]


def test_a_field_is_said_to_be_no_symbol_instead_of_unused(tree: Path, memory: Memory, fake_engine: FakeEngine) -> None:
    (tree / "shop/conf.py").write_text(
        "class Config:\n    def __init__(self):\n        self.port = 1\n", encoding="utf-8"
    )
    memory.index()
    answer = memory.code.uses("Config.port", "references")
    assert (answer.symbol, answer.notices) == (
        None,
        ("Config is known. Fields and variables without code are no symbols.",),
    )
    assert memory.code.uses("Nothing.port", "references").notices == ()


def test_a_method_in_another_file_than_its_type_overrides_too(
    tree: Path, memory: Memory, fake_engine: FakeEngine
) -> None:
    for name, text in {
        "go.mod": "module shop\n",
        "saver.go": "package shop\n\ntype Saver interface {\n\tSave(key string) error\n}\n\ntype Disk struct{}\n",
        "disk.go": "package shop\n\nfunc (d *Disk) Save(key string) error { return nil }\n",
    }.items():
        (tree / name).write_text(text, encoding="utf-8")
    memory.index()
    assert rows(memory, "Saver.Save", "implementors") == [("Disk.Save", "disk.go", 3)]
    assert rows(memory, "Disk.Save", "supertypes") == [("Saver.Save", "saver.go", 4)]


def test_who_imports_a_name_from_a_file_imports_the_file(shop: Memory) -> None:
    assert [row[0] for row in rows(shop, "shop/store.py", "importers")] == ["shop/app.py", "tests/test_store.py"]
    assert any("importers" in notice for notice in shop.code.uses("shop/store.py").notices)


def test_a_line_after_the_end_says_how_many_lines_the_file_has(shop: Memory) -> None:
    assert shop.code.uses("shop/store.py:9999").notices == ("shop/store.py has 28 lines.",)


def test_a_field_is_named_by_its_place_in_the_repository(shop: Memory, tree: Path) -> None:
    [notice] = shop.code.uses(f"{tree}/shop/store.py#Store.nope").notices
    assert notice.startswith("Store is known.")


def test_calls_on_unknown_objects_are_counted_here_and_in_impact(shop: Memory, tree: Path) -> None:
    (tree / "shop/later.py").write_text("def later(made):\n    made.thing().read('x')\n", encoding="utf-8")
    assert shop.code.uses("FileStore.read").unresolved == 1
    assert shop.code.impact("FileStore.read").to_json()["unresolved"] == 1
