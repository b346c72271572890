"""Where files of another machine are in this checkout."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from waypost.compat.coding_brain.places import CheckoutFiles

FILES = (
    "package.json",
    "src/storage.ts",
    "src/index.ts",
    "packages/merlin/src/queue.ts",
    "packages/merlin/src/index.ts",
    "packages/oracle/src/index.ts",
)


def found(root: Path, *asked: str, files: Sequence[str] = FILES, name: str = "checkout") -> list[str | None]:
    places = CheckoutFiles(root, {name}, files, asked)
    return [places.find(path) for path in asked]


@pytest.mark.parametrize(
    ("there", "here"),
    [
        ("/apps/merlin/src/storage.ts", "src/storage.ts"),
        ("/apps/merlin/src/queue.ts", "packages/merlin/src/queue.ts"),
        ("D:/git/merlin/src/index.ts", "packages/merlin/src/index.ts"),
        ("/srv/checkout/package.json", "package.json"),
        ("/srv/checkout/src/index.ts", "src/index.ts"),
        ("/srv/checkout/src/deleted.ts", "src/deleted.ts"),
        ("/apps/merlin/package.json", None),
        ("/apps/merlin/source/index.ts", None),
        ("/apps/web/src/index.ts", None),  # three files end so
        ("/srv/checkout/lib/deleted.ts", None),  # there is no such folder here
        ("", None),
        ("/", None),
        ("..", None),
        ("/../../src/storage.ts", None),
    ],
)
def test_the_longest_end_that_one_file_has_decides(tmp_path: Path, there: str, here: str | None) -> None:
    assert found(tmp_path, there) == [here]


def test_the_folder_there_is_learned_from_what_is_found(tmp_path: Path) -> None:
    asked = ("/apps/merlin/src/queue.ts", "/apps/merlin/src/gone.ts")
    assert found(tmp_path, *asked) == ["packages/merlin/src/queue.ts", "packages/merlin/src/gone.ts"]


def test_a_folder_of_which_little_is_here_is_another_project(tmp_path: Path) -> None:
    asked = ("/apps/x/src/storage.ts", "/apps/x/src/a.ts", "/apps/x/src/b.ts")
    assert found(tmp_path, *asked) == ["src/storage.ts", None, None]


def test_an_absolute_path_of_this_very_checkout_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "generated.ts").write_text("ignored by git, but there")
    assert found(tmp_path, str(tmp_path / "generated.ts")) == ["generated.ts"]


@pytest.mark.slow
def test_thousands_of_files_of_one_name_take_no_time(tmp_path: Path) -> None:
    files = [f"packages/p{n}/src/index.ts" for n in range(5000)]
    asked = [f"/apps/mono/packages/p{n}/src/index.ts" for n in range(5000)] + ["a/" * 2000] * 100
    assert found(tmp_path, *asked, files=files)[:2] == ["packages/p0/src/index.ts", "packages/p1/src/index.ts"]
