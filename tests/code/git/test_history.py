"""The git history of a repository, from real repositories."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.conftest import Git

from waypost.code.git import history
from waypost.code.git.command import open_checkout
from waypost.code.git.history import GitHead, TreeChanges, changed_since, dirty, head, recent_changes

LONG = "".join(f"line {number}\n" for number in range(40))


@pytest.fixture
def root(tmp_path: Path, git: Git) -> Path:
    """A repository with one commit of three files."""
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    (root / "src" / "a.py").write_text(LONG)
    (root / "src" / "b.py").write_text("b = 1\n")
    (root / "README.md").write_text("Hello\n")
    commit(root, git, "first", "2026-01-01T12:00:00Z")
    return root


def commit(root: Path, git: Git, message: str, time: str) -> str:
    git(root, "add", "-A")
    os.environ["GIT_COMMITTER_DATE"] = time
    try:
        git(root, "commit", "-q", "-m", message)
    finally:
        del os.environ["GIT_COMMITTER_DATE"]
    return git(root, "rev-parse", "HEAD")


def test_head_is_the_commit_and_the_branch(root: Path, git: Git) -> None:
    assert head(root) == GitHead(git(root, "rev-parse", "HEAD"), "main")
    git(root, "checkout", "-q", "--detach")
    assert head(root).branch == ""
    assert head(root / "src").commit == git(root, "rev-parse", "HEAD")


def test_head_before_the_first_commit_has_a_branch_only(tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "-q", "-b", "trunk")
    assert head(tmp_path) == GitHead("", "trunk")


def test_without_git_every_answer_is_empty(tmp_path: Path) -> None:
    assert head(tmp_path) == GitHead()
    assert changed_since(tmp_path, "0" * 40) == dirty(tmp_path) == TreeChanges()
    assert recent_changes(tmp_path) == {}


def test_a_clean_tree_has_no_changes(root: Path) -> None:
    assert dirty(root) == TreeChanges(complete=True)


def test_edits_staged_or_not_new_files_and_deletions_are_told(root: Path, git: Git) -> None:
    (root / "README.md").write_text("Changed\n")
    git(root, "add", "README.md")
    (root / "src" / "a.py").write_text("edited\n")
    (root / "src" / "new.py").write_text("new = 1\n")
    (root / "src" / "b.py").unlink()
    assert dirty(root) == TreeChanges(
        changed=frozenset({"README.md", "src/a.py", "src/new.py"}),
        deleted=frozenset({"src/b.py"}),
        complete=True,
        new=frozenset({"src/new.py"}),
    )


def test_a_committed_rename_is_told_since_an_older_commit(root: Path, git: Git) -> None:
    before = head(root).commit
    git(root, "mv", "src/a.py", "src/moved.py")
    commit(root, git, "move", "2026-01-02T12:00:00Z")
    assert changed_since(root, before) == TreeChanges(renamed={"src/a.py": "src/moved.py"}, complete=True)
    assert dirty(root) == TreeChanges(complete=True)


def test_a_staged_rename_is_told(root: Path, git: Git) -> None:
    git(root, "mv", "src/a.py", "src/moved.py")
    assert dirty(root).renamed == {"src/a.py": "src/moved.py"}


def test_a_rename_that_git_was_not_told_of_is_told_even_with_an_edit(root: Path, git: Git) -> None:
    (root / "src" / "a.py").rename(root / "moved.py")
    (root / "moved.py").write_text(LONG + "one more\n")
    index = (root / ".git" / "index").read_bytes()
    assert dirty(root) == TreeChanges(renamed={"src/a.py": "moved.py"}, complete=True)
    assert (root / ".git" / "index").read_bytes() == index
    assert git(root, "status", "--porcelain").splitlines() == ["D src/a.py", "?? moved.py"]


def test_a_folder_inside_a_checkout_sees_its_own_paths(root: Path) -> None:
    (root / "README.md").write_text("Changed\n")
    (root / "src" / "b.py").write_text("b = 2\n")
    assert dirty(root / "src").changed == {"b.py"}
    assert set(recent_changes(root / "src")) == {"a.py", "b.py"}


def test_before_the_first_commit_everything_has_changed(tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("a")
    assert dirty(tmp_path) == TreeChanges(changed=frozenset({"a.py"}), complete=True, new=frozenset({"a.py"}))


@pytest.mark.parametrize("name", ["HEAD", "--output=x", "0" * 40, "main", ""])
def test_a_commit_that_is_none_gives_an_incomplete_answer(root: Path, name: str) -> None:
    assert changed_since(root, name) == TreeChanges()
    assert not (root / "x").exists()


def test_each_file_has_the_time_of_its_last_commit_or_its_own_when_it_differs(root: Path, git: Git) -> None:
    (root / "src" / "b.py").write_text("b = 2\n")
    commit(root, git, "second", "2026-01-05T12:00:00Z")
    (root / "README.md").write_text("Not committed\n")
    os.utime(root / "README.md", ns=(0, 1_767_000_000_123_456_000))
    assert recent_changes(root) == {
        "src/a.py": datetime(2026, 1, 1, 12, tzinfo=UTC),
        "src/b.py": datetime(2026, 1, 5, 12, tzinfo=UTC),
        "README.md": datetime(2025, 12, 29, 9, 20, 0, 123456, tzinfo=UTC),
    }
    git(root, "checkout", "-q", "README.md")
    assert set(recent_changes(root, commits=1)) == {"src/b.py"}


STRANGE = ["-rf.py", 'quo"te.py', "tab\there.py", "line\nend.py", "/1".replace("/", "∕") + ".py", " space ", "\\x41.py"]


def test_strange_names_are_told_and_unsafe_ones_left_out(root: Path, git: Git) -> None:
    for name in STRANGE:
        (root / name).write_text("x")
    Path(os.fsdecode(os.fsencode(root) + b"/b\xff.py")).write_text("x")
    safe = {name for name in STRANGE if name.isprintable()}
    assert dirty(root).changed == safe
    commit(root, git, "strange", "2026-01-03T12:00:00Z")
    times = recent_changes(root)
    assert {path for path, time in times.items() if time.day == 3} == safe


def test_a_log_cut_off_in_the_middle_keeps_what_came() -> None:
    answer = b"/1700000000\0\na.py\0b.py\0/1600000000\0\nc.py\0half-a-na"
    assert {path: time.year for path, time in history._times_of_log(answer).items()} == {
        "a.py": 2023, "b.py": 2023, "c.py": 2020,
    }  # fmt: skip


def test_a_commit_may_claim_any_time() -> None:
    assert history._times_of_log(b"/99999999999999999999\0\na.py\0/-5\0\nb.py\0") == {
        "b.py": datetime(1969, 12, 31, 23, 59, 55, tzinfo=UTC)
    }


def test_a_hostile_repository_runs_nothing(root: Path, git: Git, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    script = tmp_path / "run.sh"
    script.write_text(f"#!/bin/sh\ntouch {trap}\ncat\n")
    script.chmod(0o755)
    (root / ".gitattributes").write_text("* filter=evil diff=evil\n")
    hooks = root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    (hooks / "post-index-change").write_text(script.read_text())
    (hooks / "post-index-change").chmod(0o755)
    for key in (
        "core.fsmonitor", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv", "core.pager",
        "diff.evil.command", "diff.external", "gpg.program", "core.sshCommand", "core.editor", "core.askPass",
    ):  # fmt: skip
        git(root, "config", key, str(script))
    git(root, "config", "filter.evil.required", "true")
    git(root, "config", "log.showSignature", "true")
    (root / "src" / "a.py").rename(root / "moved.py")
    (root / "src" / "b.py").write_text("b = 3\n")  # same size as before: git must compare contents
    assert dirty(root).renamed == {"src/a.py": "moved.py"}
    assert "src/b.py" in recent_changes(root)
    assert head(root).branch == "main"
    assert not trap.exists()
    git(root, "config", "filter.a=b.clean", str(script))  # cannot be switched off by an option
    assert dirty(root) == TreeChanges()
    assert not trap.exists()


def test_a_filter_would_have_run(root: Path, git: Git, tmp_path: Path) -> None:
    """Without our options, git runs the program: the test above is meaningful."""
    trap = tmp_path / "trap"
    (root / ".gitattributes").write_text("* filter=evil\n")
    git(root, "config", "filter.evil.clean", f"touch {trap}; cat")
    (root / "src" / "b.py").write_text("b = 3\n")
    git(root, "status")
    assert trap.exists()


def test_a_repository_of_another_owner_is_answered_for(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from waypost.code.git import command as asking
    from waypost.space.gitconfig import git_environment

    clean = git_environment() | {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
    monkeypatch.setattr(asking, "git_environment", lambda: clean)
    assert head(root).commit


def test_git_that_takes_too_long_is_stopped(root: Path, tmp_path: Path) -> None:
    checkout = open_checkout(root)
    assert checkout is not None
    os.mkfifo(tmp_path / "pipe")  # nobody writes to it: git waits forever
    assert checkout.ask("hash-object", "--", str(tmp_path / "pipe"), seconds=0.2) is None
    assert not checkout.is_silent(), "a quick question says nothing about the repository"
    assert head(root).commit and changed_since(root, head(root).commit).complete


def test_a_repository_at_which_git_is_blocked_is_not_asked_again(root: Path, tmp_path: Path) -> None:
    checkout = open_checkout(root)
    assert checkout is not None
    os.mkfifo(tmp_path / "pipe")
    assert checkout.ask("hash-object", "--", str(tmp_path / "pipe"), seconds=9) is None
    assert checkout.is_silent()


def test_variables_of_a_hook_do_not_lead_to_another_repository(
    root: Path, tmp_path: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "elsewhere")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "index"))
    assert head(root).branch == "main"
    assert dirty(root) == TreeChanges(complete=True)


def test_a_partial_clone_is_not_completed_by_the_command_it_names(root: Path, git: Git, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    git(root, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", root.as_uri(), "part")
    part = tmp_path / "part"
    for key, value in (("remote.origin.url", "ssh://x/y"), ("core.sshCommand", f"touch {trap}; false")):
        git(part, "config", key, value)
    git(part, "config", "protocol.ssh.allow", "always")
    (part / "moved.py").write_text(LONG)
    assert "moved.py" in dirty(part).changed
    assert "README.md" in recent_changes(part)
    assert not trap.exists()
    with pytest.raises(subprocess.CalledProcessError):
        git(part, "cat-file", "-p", "HEAD:README.md")  # without our options, git runs it
    assert trap.exists()
