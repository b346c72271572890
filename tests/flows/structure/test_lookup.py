"""Symbols by name: all of them, or none."""

import os
from pathlib import Path

import pytest

from waypost.errors import InvalidInput, SecurityError
from waypost.memory import Memory


def names(memory: Memory, name: str = "", **options: object) -> list[str]:
    rows = memory.code.symbols(name, **options).to_json()["found"]  # type: ignore[arg-type]
    return [f"{row['path']}#{row['qualified']}" for row in rows]


@pytest.mark.parametrize(
    "text",
    ["Store.write", "Store::write", "shop/store.py#Store.write", "shop/store.py:9", "store.Store.write", "write"],
)
def test_every_form_of_a_name_finds_the_symbol(shop: Memory, text: str) -> None:
    assert names(shop, text) == ["shop/store.py#Store.write"]


def test_an_id_finds_its_symbol_and_a_row_says_where_it_is(shop: Memory) -> None:
    [row] = shop.code.symbols("FileStore").to_json()["found"]
    assert {key: row[key] for key in ("name", "qualified", "kind", "path", "line", "end_line", "parent")} == {
        "name": "FileStore",
        "qualified": "FileStore",
        "kind": "class",
        "path": "shop/store.py",
        "line": 14,
        "end_line": 16,
        "parent": None,
    }
    assert row["signature"] == "class FileStore(Store)"
    assert names(shop, row["id"]) == ["shop/store.py#FileStore"]


@pytest.mark.parametrize(
    "text", ["Stor", "store", "Store.delete", "Shop.write", "shop/store.py#order", "shop/none.py:3"]
)
def test_what_does_not_exist_is_not_found(shop: Memory, text: str) -> None:
    answer = shop.code.symbols(text).to_json()
    assert (answer["found"], answer["total"]) == ([], 0)


def test_similar_names_are_offered_for_one_that_does_not_exist(shop: Memory) -> None:
    assert "FileStore" in shop.code.symbols("FileStor").nearest
    assert "forgotten_helper" in shop.code.symbols("forgoten_helper").nearest


def test_a_path_alone_gives_the_outline_and_members_what_is_inside(shop: Memory) -> None:
    assert names(shop, path="shop/admin.py") == ["shop/admin.py#check"]
    assert len(names(shop, path="shop")) == 12
    assert names(shop, "Store", members=True) == ["shop/store.py#Store.read", "shop/store.py#Store.write"]
    assert names(shop, path="shop/store.py", kind="function") == [
        "shop/store.py#check",
        "shop/store.py#forgotten_helper",
    ]
    assert names(shop, "check", path="shop/admin.py") == ["shop/admin.py#check"]


def test_a_limit_shortens_the_list_and_the_total_counts_all(shop: Memory) -> None:
    answer = shop.code.symbols(path="shop/store.py", limit=2)
    assert (len(answer.symbols), answer.total) == (2, 9)


def test_bad_input_is_refused(shop: Memory) -> None:
    with pytest.raises(InvalidInput, match="Name a symbol or a path"):
        shop.code.symbols()
    with pytest.raises(InvalidInput, match="limit"):
        shop.code.symbols("Store", limit=0)
    with pytest.raises(SecurityError):
        shop.code.symbols("Store", path="../elsewhere")
    with pytest.raises(InvalidInput, match="characters"):
        shop.code.symbols("x" * 2000)


def test_a_changed_file_is_read_before_the_answer(shop: Memory, tree: Path) -> None:
    path = tree / "shop" / "admin.py"
    path.write_text("\n\ndef check(user: str) -> bool:\n    return user == 'eva'\n")
    os.utime(path, ns=(0, 5_000_000_000))
    [row] = shop.code.symbols("check", path="shop/admin.py").to_json()["found"]
    assert row["line"] == 3


def test_without_an_index_a_notice_says_so(memory: Memory) -> None:
    assert memory.code.symbols("Store").notices == ("No code is indexed here. Run `waypost init`.",)


def notices(memory: Memory, name: str, **options: object) -> str:
    return " ".join(memory.code.symbols(name, **options).notices)  # type: ignore[arg-type]


def test_what_exists_without_members_or_of_another_kind_is_not_called_absent(shop: Memory) -> None:
    answer = shop.code.symbols("forgotten_helper", members=True)
    assert (answer.symbols, answer.exists, answer.nearest) == ((), True, ())
    assert (
        notices(shop, "forgotten_helper", members=True) == "forgotten_helper is a function without members of its own."
    )
    assert notices(shop, "check", kind="class") == "check is a function; nothing here is of the kind class."


def test_a_variable_is_named_with_its_place(shop: Memory, tree: Path) -> None:
    (tree / "shop/errors.py").write_text("import builtins\n\nFailure = builtins.OSError\n", encoding="utf-8")
    said = "Failure is a variable, not a symbol: shop/errors.py:3. Its uses are not listed."
    assert said in notices(shop, "Failure")
    assert said in " ".join(shop.code.uses("Failure").notices)
    assert "variable" not in notices(shop, "Failures")


def test_a_package_or_namespace_before_a_name_finds_the_symbol(shop: Memory, tree: Path) -> None:
    (tree / "fs.go").write_text("package afero\n\nfunc ReadFile() {}\n", encoding="utf-8")
    (tree / "src").mkdir()
    (tree / "src/Config.php").write_text(
        "<?php\nnamespace League\\Flysystem;\nclass Config { function get() {} }\n", encoding="utf-8"
    )
    assert names(shop, "afero.ReadFile") == ["fs.go#ReadFile"]
    assert names(shop, "League\\Flysystem\\Config::get") == ["src/Config.php#Config.get"]
    assert names(shop, "Flysystem.Config") == ["src/Config.php#Config"]
    assert names(shop, "other.ReadFile") == []
