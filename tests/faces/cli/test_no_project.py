"""Folders that are no project: the home folder, the root of a disk, and one without files."""

from pathlib import Path

import pytest
from tests.faces.cli.conftest import Waypost

from waypost import config


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.mark.parametrize("words", [["remember", "Use pnpm"], ["decide", "Use pnpm", "--because", "it is fast"]])
def test_a_memory_of_the_home_folder_is_stored_with_a_warning(
    waypost: Waypost, home: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    assert "no project" not in waypost(*words).err
    monkeypatch.chdir(home)
    done = waypost(*words)
    assert done.code == 0
    assert f"{home} is no project" in done.err


def test_the_home_folder_is_not_indexed_by_accident(
    waypost: Waypost, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    done = waypost("init")
    assert (done.code, f"waypost init {home}" in done.err) == (2, True)
    assert waypost("init", str(home)).code == 0
    (home / ".git").mkdir()
    assert "no project" not in waypost("remember", "Use pnpm").err


def test_looking_at_the_home_folder_makes_no_memory_of_it(
    waypost: Waypost, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    spaces = config.load().memory_root
    before = [*spaces.glob("*")]
    done = waypost("status")
    assert (done.code, "is no project" in done.err) == (3, True)
    assert [*spaces.glob("*")] == before
    waypost("remember", "Use pnpm")
    assert waypost("status").code == 0


def test_a_folder_without_files_is_not_reported_as_not_indexed(waypost: Waypost, project: Path) -> None:
    assert "nothing to index" in waypost("init").out
    assert "waypost init" not in waypost("ask", "how?").err
    (project / "main.py").write_text("def main(): pass\n")
    assert "waypost init" in waypost("ask", "how?").err
