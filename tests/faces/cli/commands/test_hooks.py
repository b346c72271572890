"""The commands on hooks, and a real commit that reaches the memory through them."""

import os
import select
import subprocess
from pathlib import Path

import pytest
from tests.commands import Done
from tests.conftest import Git
from tests.faces.cli.conftest import Waypost

from waypost.memory.code import MemoryCode


@pytest.fixture
def repository(project: Path, git: Git) -> Path:
    git(project, "init", "-q", "-b", "main")
    git(project, "config", "user.name", "t")
    git(project, "config", "user.email", "t@example.org")
    return project


def test_install_status_and_uninstall_answer_in_json(waypost: Waypost, repository: Path) -> None:
    before = waypost("hook", "status", "--json")
    assert before.code == 3
    assert before.json["installed"] is False
    done = waypost("hook", "install", "git", "--json")
    assert done.code == 0
    assert {hook["action"] for hook in done.json["hooks"]} == {"installed"}
    assert done.json["folder"] == str(repository / ".git" / "hooks")
    after = waypost("hook", "status", "--json")
    assert (after.code, after.json["installed"]) == (0, True)
    assert [hook["name"] for hook in after.json["hooks"]] == [
        "post-commit",
        "post-merge",
        "post-rewrite",
        "post-checkout",
    ]
    gone = waypost("hook", "uninstall", "git", "--json")
    assert gone.code == 0
    assert {hook["action"] for hook in gone.json["hooks"]} == {"removed"}
    assert waypost("hook", "uninstall", "git", "--json").json["hooks"][0]["action"] == "missing"


def test_people_are_told_in_words(waypost: Waypost, repository: Path) -> None:
    hook = repository / ".git/hooks/post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho mine\n")
    done = waypost("hook", "install", "git")
    assert "post-commit: installed; runs post-commit.waypost-kept first" in done.out
    assert "post-commit: installed; post-commit.waypost-kept is next to it" in waypost("hook", "status").out
    hook.write_text("#!/bin/sh\necho other\n")
    gone = waypost("hook", "uninstall", "git")
    assert gone.code == 1
    assert "post-commit: not changed: it was overwritten by another program" in gone.out


def test_what_cannot_be_done_is_said_in_two_lines(waypost: Waypost, project: Path, git: Git) -> None:
    nowhere = waypost("hook", "install", "git")
    assert nowhere.code == 2
    assert "not in a git repository" in nowhere.err
    assert waypost("hook", "install", "svn").code == 2
    git(project, "init", "-q")
    git(project, "config", "core.hooksPath", "hooks")
    refused = waypost("hook", "install", "git", "--json")
    assert refused.code == 1
    assert "--force" in refused.json["remedy"]
    assert waypost("hook", "install", "git", "--force").code == 0


def test_run_calls_the_memory_and_is_silent(
    waypost: Waypost, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[Path] = []
    monkeypatch.setattr("waypost.faces.hooks.git.run.leave_session", lambda: None)
    monkeypatch.setattr(MemoryCode, "git_changed", lambda self: called.append(self.root))
    silent = (0, "", "")
    assert _all(waypost("hook", "run", "git", "post-commit")) == silent
    assert called == []  # nothing is remembered here
    waypost("remember", "The port is 8080.")
    assert _all(waypost("hook", "run", "git", "post-commit", "--pending", "")) == silent
    assert called == [repository]


def test_run_is_a_success_whatever_happens(
    waypost: Waypost, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: MemoryCode) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("waypost.faces.hooks.git.run.leave_session", lambda: None)
    monkeypatch.setattr(MemoryCode, "git_changed", fail)
    waypost("remember", "The port is 8080.")
    assert _all(waypost("hook", "run", "git", "post-commit")) == (0, "", "")
    (tmp_path / "home" / "config.toml").write_text("no toml")
    assert _all(waypost("hook", "run", "git", "post-commit")) == (0, "", "")
    assert not (tmp_path / "home" / "crash.log").exists()


def test_a_real_commit_reaches_waypost_by_a_process_of_its_own(
    waypost: Waypost, repository: Path, tmp_path: Path
) -> None:
    """To its end: every process that descends from git holds a pipe, which ends with the last of them."""
    waypost("remember", "The port is 8080.")
    waypost("hook", "install", "git")
    reading, writing = os.pipe()
    command = ["git", "commit", "-q", "--allow-empty", "-m", "x"]
    done = subprocess.run(command, cwd=repository, pass_fds=[writing], capture_output=True, check=True, timeout=30)
    os.close(writing)
    ready, _, _ = select.select([reading], [], [], 60)
    os.close(reading)
    assert ready
    assert (done.stdout, done.stderr) == (b"", b"")
    (space,) = (tmp_path / "home" / "memory").iterdir()
    assert list(space.glob("hook-*.lock"))  # it was here
    assert not (repository / ".git/waypost-pending").exists()
    assert not (space / "hook.log").exists()


def _all(done: Done) -> tuple[int, str, str]:
    return done.code, done.out, done.err
