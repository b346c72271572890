"""A hook that cannot do its work never keeps a commit from being made, and says nothing."""

import os
import sys
from pathlib import Path

import pytest
from tests.faces.hooks.conftest import Background

from waypost.faces.hooks.git.install import install
from waypost.faces.hooks.git.script import Installer

COMMIT = ("commit", "-q", "--allow-empty", "-m", "x")


def test_a_python_that_is_gone(repository: Path, background: Background, tmp_path: Path) -> None:
    install(repository, Installer(str(tmp_path / "gone" / "python")))
    assert background.of(repository, *COMMIT) == []  # which sees to it that nothing was printed
    assert not (tmp_path / "home").exists()


def test_a_package_that_is_gone(repository: Path, background: Background, tmp_path: Path) -> None:
    bare = f"'{sys.executable}' -I -S \"$@\"; line=$?"  # a Python that finds no package
    install(repository, Installer(background.python(bare)))
    assert background.of(repository, *COMMIT) == ["1"]
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("end", ["kill -SEGV $$", "echo oh no >&2; echo oh no; exit 3"])
def test_a_process_that_crashes(repository: Path, background: Background, end: str) -> None:
    install(repository, Installer(background.python("line=here", end=end)))
    assert background.of(repository, *COMMIT) == background.of(repository, *COMMIT) == ["here"]


def test_where_this_python_cannot_the_waypost_on_the_path_is_asked(
    repository: Path, background: Background, tmp_path: Path
) -> None:
    program = tmp_path / "bin" / "waypost"
    program.parent.mkdir()
    program.write_bytes(Path(background.python('line="waypost $1 $2 $3"')).read_bytes())
    program.chmod(0o755)
    install(repository, Installer(str(tmp_path / "gone")))
    path = f"{program.parent}:{os.environ['PATH']}"
    assert background.of(repository, *COMMIT, PATH=path) == ["waypost hook run git"]


@pytest.mark.parametrize("entry", [".", "", "bin", "./bin", "../project/bin"])
def test_no_program_of_the_tree_is_run_wherever_programs_are_looked_for(
    repository: Path, background: Background, entry: str
) -> None:
    (repository / "bin").mkdir()
    (repository.parent / "project").symlink_to(repository.name)
    for name in ("waypost", "setsid", "sed", "env", "find", "rm"):
        for folder in (repository, repository / "bin"):
            (folder / name).write_text("#!/bin/sh\n: >>'owned'\n")
            (folder / name).chmod(0o755)
    install(repository, Installer(background.python("line=told", end="exit 1")))
    path = f"{os.environ['PATH']}:{entry}" if not entry else f"{entry}:{os.environ['PATH']}"
    assert background.of(repository, *COMMIT, PATH=path) == ["told"]
    assert not (repository / "owned").exists()


def test_the_home_of_the_installer_holds_where_the_commit_names_none(
    repository: Path, background: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WAYPOST_HOME")
    body = 'line="$WAYPOST_HOME"'
    home = "/it's $(touch owned) @PYTHON@ home"
    install(repository, Installer(background.python(body), home))
    assert background.of(repository, *COMMIT) == [home]
    assert background.of(repository, *COMMIT, WAYPOST_HOME="/mine") == ["/mine"]
    install(repository, Installer(background.python(body)))
    assert background.of(repository, *COMMIT) == [""]
