"""Which doings of git start a process, and what that process is given. With real commits, merges, rebases, checkouts."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from tests.conftest import Git
from tests.faces.hooks.conftest import Background, WriteHook, commit_file, started

from waypost.faces.hooks.git import install
from waypost.faces.hooks.script import PENDING_NAME, Installer


@pytest.fixture(autouse=True)
def installed(repository: Path, installer: Installer) -> None:
    install(repository, installer)


def test_a_commit_starts_waypost_in_the_tree_without_what_git_sets_for_its_hooks(
    repository: Path, git: Git, background: Background
) -> None:
    body = """line="$* | $PWD | $(env | grep -c '^GIT_')" """
    install(repository, Installer(background.python(body)))
    commit_file(repository, git, "b.txt")
    event = f"-P -m waypost hook run git post-commit --pending .git/{PENDING_NAME}"
    assert background.report() == f"{event} | {repository} | 0"
    assert not list(repository.glob("owned"))


def test_a_merge_is_an_event(repository: Path, git: Git, background: Background) -> None:
    git(repository, "checkout", "-q", "-b", "side")
    commit_file(repository, git, "b.txt")
    git(repository, "checkout", "-q", "main")
    drain(repository, background)
    git(repository, "merge", "-q", "--ff-only", "side")
    assert "post-merge" in background.report()


def test_an_amended_commit_is_one_event(repository: Path, git: Git, background: Background) -> None:
    install(repository, Installer(background.python(background.waits)))
    git(repository, "commit", "-q", "--amend", "-m", "better")
    background.open_gate()
    assert "post-commit" in background.report()
    assert background.reports() == []


def test_a_branch_that_is_checked_out_is_an_event_and_a_file_is_not(repository: Path, git: Git) -> None:
    commit_file(repository, git, "b.txt")
    assert started(repository)
    git(repository, "checkout", "HEAD~1", "--", "a.txt")
    git(repository, "checkout", "--", "a.txt")
    assert not started(repository)
    git(repository, "checkout", "-q", "HEAD~1")
    assert started(repository)


def test_a_rebase_is_an_event_once_and_at_its_end(repository: Path, git: Git, background: Background) -> None:
    diverge(repository, git)
    drain(repository, background)
    git(repository, "rebase", "-q", "main")
    assert "post-rewrite" in background.report()  # the first that was started, and no other
    assert background.reports() == []


def test_the_end_of_a_rebase_by_patches_is_an_event(
    repository: Path, git: Git, installer: Installer, write_hook: WriteHook
) -> None:
    diverge(repository, git)
    write_hook("post-rewrite", f"rm -f .git/{PENDING_NAME}").rename(repository / ".git/hooks/post-rewrite.waypost-kept")
    install(repository, installer)
    git(repository, "rebase", "-q", "--apply", "main")
    assert started(repository)


def test_nothing_is_started_while_a_rebase_waits_for_a_person(repository: Path, git: Git) -> None:
    git(repository, "checkout", "-q", "-b", "side")
    commit_file(repository, git, "a.txt", "mine\n")
    git(repository, "checkout", "-q", "main")
    commit_file(repository, git, "a.txt", "theirs\n")
    git(repository, "checkout", "-q", "side")
    assert started(repository)
    with pytest.raises(subprocess.CalledProcessError):
        git(repository, "rebase", "-q", "main")
    assert not started(repository)
    (repository / "a.txt").write_text("both\n")
    git(repository, "add", "a.txt")
    git(repository, "commit", "-q", "-m", "resolved")
    git(repository, "commit", "-q", "--amend", "-m", "resolved better")
    assert not started(repository)
    git(repository, "-c", "core.editor=true", "rebase", "--continue")
    assert started(repository)


def test_a_rebase_with_nothing_to_rewrite_is_an_event_too(repository: Path, git: Git) -> None:
    git(repository, "branch", "behind")
    commit_file(repository, git, "b.txt")
    git(repository, "checkout", "-q", "behind")
    assert started(repository)
    git(repository, "rebase", "-q", "main")  # post-rewrite is not called: nothing was rewritten
    assert (repository / "b.txt").exists()
    assert started(repository)


def test_a_commit_in_a_linked_worktree_is_about_that_worktree(
    repository: Path, git: Git, background: Background, tmp_path: Path
) -> None:
    install(repository, Installer(background.python('line="$PWD | $9"; rm -f "$9"')))
    other = tmp_path / "other tree"
    git(repository, "worktree", "add", "-q", str(other), "-b", "other")
    pending = repository / ".git/worktrees/other-tree" / PENDING_NAME
    assert background.report() == f"{other} | {pending}"
    commit_file(other, git, "b.txt")
    assert background.report() == f"{other} | {pending}"


def test_a_commit_in_a_submodule_is_about_the_submodule(
    repository: Path, git: Git, background: Background, tmp_path: Path
) -> None:
    library = tmp_path / "library"
    git(tmp_path, "init", "-q", "-b", "main", str(library))
    commit_file(library, git, "l.txt")
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "lib")
    inner = repository / "lib"
    report = install(inner, Installer(background.python('line="$PWD"')))
    assert report.folder.path == repository / ".git/modules/lib/hooks"
    commit_file(inner, git, "b.txt")
    assert background.report() == str(inner)
    assert (repository / ".git/modules/lib" / PENDING_NAME).exists()


def test_a_commit_does_not_wait_for_the_process_and_many_commits_start_one(
    repository: Path, git: Git, background: Background
) -> None:
    install(repository, Installer(background.python(f'{background.waits}; rm -f "$9"')))
    for number in range(12):  # the pipe that `git` reads to its end would keep it waiting
        commit_file(repository, git, f"{number}.txt")
    background.open_gate()
    assert "post-commit" in background.report()
    assert background.reports() == []
    commit_file(repository, git, "last.txt")
    background.open_gate()
    assert "post-commit" in background.report()


def test_the_process_holds_no_other_stream_of_the_caller_either(repository: Path, background: Background) -> None:
    install(repository, Installer(background.python(background.waits)))
    command = ["sh", "-c", "exec 3>&1 9>&1; git commit -q --allow-empty -m x"]
    subprocess.run(command, cwd=repository, check=True, capture_output=True, timeout=20)
    background.open_gate()
    assert background.report()


def test_the_process_has_a_session_of_its_own(repository: Path, git: Git, background: Background) -> None:
    install(repository, Installer(background.python('line="$(ps -o sid= -p $$)"')))
    commit_file(repository, git, "b.txt")
    assert int(background.report()) != os.getsid(0)


@pytest.mark.parametrize("left", ["", "nonsense\n", "999999999\n"])
def test_a_process_that_died_before_it_looked_keeps_nobody_from_looking(
    repository: Path, git: Git, background: Background, left: str
) -> None:
    (repository / ".git" / PENDING_NAME).write_text(left)
    commit_file(repository, git, "b.txt")
    assert "post-commit" in background.report()


def test_the_number_of_another_process_keeps_nobody_from_looking_for_long(
    repository: Path, git: Git, background: Background
) -> None:
    pending = repository / ".git" / PENDING_NAME
    pending.write_text(f"{os.getpid()}\n")
    git(repository, "commit", "-q", "--allow-empty", "-m", "too soon to tell")
    assert pending.read_text() == f"{os.getpid()}\n"
    old = time.time() - 3600
    os.utime(pending, (old, old))
    git(repository, "commit", "-q", "--allow-empty", "-m", "later")
    assert "post-commit" in background.report()


def diverge(repository: Path, git: Git) -> None:
    """Two branches with commits of their own; the other one is checked out."""
    git(repository, "checkout", "-q", "-b", "side")
    commit_file(repository, git, "b.txt")
    commit_file(repository, git, "c.txt")
    git(repository, "checkout", "-q", "main")
    commit_file(repository, git, "d.txt")
    git(repository, "checkout", "-q", "side")


def drain(repository: Path, background: Background) -> None:
    """Read the report of what was started, if it was; then nothing is under way."""
    if started(repository):
        background.report()
