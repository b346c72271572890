"""A project's files for people to look at."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from waypost import Memory
from waypost.errors import InvalidInput, NotFound, Refused, SecurityError

CODE = '''class Shop:
    """Sells."""

    def open(self):
        return True


def close():
    return None
'''


@pytest.fixture
def shop(memory: Memory) -> Memory:
    (memory.code.root / "shop.py").write_text(CODE)
    memory.index()
    return memory


def test_the_files_of_the_index_are_listed_with_how_many_memories_point_at_them(shop: Memory) -> None:
    shop.remember("Shops open at nine.", refs=["shop.py#L4-L5"])
    shop.remember("Nobody closes it on Sundays.", refs=["shop.py#L8-L9", "shop.py#L4-L5"])
    [file] = shop.code.files()
    assert (file.path, file.language, file.lines, file.memories, file.stale) == ("shop.py", "python", 9, 2, 0)


def test_stale_ones_are_counted_where_the_code_is_now(shop: Memory) -> None:
    shop.remember("Shops open at nine.", refs=["shop.py#L4-L5"])
    (shop.code.root / "shop.py").write_text(CODE.replace("return True", "raise OSError('closed for good, go home')"))
    assert [(file.path, file.memories, file.stale) for file in shop.code.files()] == [("shop.py", 1, 1)]


def test_a_file_that_only_memories_know_is_listed_too(shop: Memory) -> None:
    shop.remember("Shops open at nine.", refs=["shop.py#L4-L5"])
    (shop.code.root / "shop.py").unlink()
    shop.index()
    [file] = shop.code.files()
    assert file.path == "shop.py"
    assert file.changed_at is None
    assert file.to_json()["memories"] == 1


def test_a_file_has_its_lines_an_outline_and_a_summary(shop: Memory) -> None:
    seen = shop.code.source("shop.py")
    assert seen.lines == tuple(CODE.splitlines())
    assert [(one.name, one.line, one.end_line, one.depth) for one in seen.outline] == [
        ("Shop", 1, 5, 0), ("open", 4, 5, 1), ("close", 8, 9, 0),
    ]  # fmt: skip
    assert seen.summary
    assert seen.to_json()["total"] == 9


def test_a_part_of_a_file_begins_where_it_is_asked_to(shop: Memory) -> None:
    seen = shop.code.source("shop.py", 8, 1)
    assert (seen.first, seen.lines, seen.total) == (8, ("def close():",), 9)
    assert shop.code.source("shop.py", 500).lines == ()
    for first, most in ((0, 1), (1, 0), (1, 100_000)):
        with pytest.raises(InvalidInput):
            shop.code.source("shop.py", first, most)


def test_secrets_are_masked(shop: Memory) -> None:
    (shop.code.root / "keys.py").write_text('KEY = "AKIAIOSFODNN7EXAMPLQ"\n')
    seen = shop.code.source("keys.py")
    assert seen.masked == 1
    assert "AKIA" not in "".join(seen.lines)


def test_documents_have_their_sections_as_an_outline(shop: Memory) -> None:
    (shop.code.root / "README.md").write_text("# Shop\n\nA shop.\n\n## Run\n\nRun it.\n")
    assert [one.kind for one in shop.code.source("README.md").outline] == ["section", "section"]


def _nothing(root: Path) -> str:
    return "nothing.py"


def _binary(root: Path) -> str:
    (root / "photo.py").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    return "photo.py"


def _link(root: Path) -> str:
    (root.parent / "secret.py").write_text("secret = 1\n")
    os.symlink(root.parent / "secret.py", root / "link.py")
    return "link.py"


@pytest.mark.parametrize(
    ("made", "error"),
    [(_nothing, NotFound), (_binary, Refused), (_link, SecurityError), (lambda _: "../secret.py", SecurityError)],
)
def test_what_is_no_text_of_this_tree_is_not_shown(
    shop: Memory, made: Callable[[Path], str], error: type[Exception]
) -> None:
    with pytest.raises(error):
        shop.code.source(made(shop.code.root))


def test_a_person_has_no_files() -> None:
    ada = Memory.open(person="ada")
    with pytest.raises(InvalidInput):
        ada.code.files()
    with pytest.raises(InvalidInput):
        ada.code.source("x.py")
