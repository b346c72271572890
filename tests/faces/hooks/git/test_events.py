"""Which doings of git start a process, and what that process is given. With real commits, merges, rebases, checkouts."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from tests.conftest import Git
from tests.faces.hooks.conftest import Background, commit_file

from waypost.faces.hooks.git.install import install
from waypost.faces.hooks.git.script import PENDING_NAME, Installer

pytestmark = pytest.mark.slow  # not for the inner loop

EMPTY = ("commit", "-q", "--allow-empty", "-m", "x")


@pytest.fixture
def installed(repository: Path, installer: Installer) -> Path:
    install(repository, installer)
    return repository


def test_a_commit_starts_waypost_in_the_tree_without_what_git_sets_for_its_hooks(
    repository: Path, background: Background
) -> None:
    body = """line="$* | $PWD | $(env | grep -c '^GIT_')" """
    install(repository, Installer(background.python(body)))
    event = f"-P -m waypost hook run git post-commit --pending .git/{PENDING_NAME}"
    assert background.of(repository, *EMPTY) == [f"{event} | {repository} | 0"]
    assert not list(repository.rglob("owned"))


def test_a_merge_is_an_event(repository: Path, git: Git, background: Background, installer: Installer) -> None:
    git(repository, "checkout", "-q", "-b", "side")
    commit_file(repository, git, "b.txt")
    git(repository, "checkout", "-q", "main")
    install(repository, installer)
    assert background.events(repository, "merge", "-q", "--ff-only", "side") == ["post-merge"]


def test_an_amended_commit_is_one_event(repository: Path, git: Git, background: Background) -> None:
    install(repository, Installer(background.python(background.waits)))
    git(repository, "commit", "-q", "--amend", "-m", "better")
    background.open_gate()
    assert "post-" in background.report()
    assert background.reports() == []


def test_a_branch_that_is_checked_out_is_an_event_and_a_file_is_not(installed: Path, background: Background) -> None:
    assert background.events(installed, "checkout", "HEAD", "--", "a.txt", fails=True) == []
    assert background.events(installed, "checkout", "-q", "-b", "side") == ["post-checkout"]
    assert background.events(installed, "switch", "-q", "main") == ["post-checkout"]


def test_a_rebase_is_an_event_once_and_at_its_end(
    repository: Path, git: Git, background: Background, installer: Installer
) -> None:
    diverge(repository, git)
    install(repository, installer)
    assert background.events(repository, "rebase", "-q", "main") == ["post-rewrite"]


def test_the_end_of_a_rebase_by_patches_is_an_event(
    repository: Path, git: Git, background: Background, installer: Installer
) -> None:
    diverge(repository, git)
    install(repository, installer)
    (repository / ".git/hooks/post-checkout").unlink()  # called before git writes down that it rebases
    assert background.events(repository, "rebase", "-q", "--apply", "main") == ["post-rewrite"]


def test_nothing_is_started_while_a_rebase_waits_for_a_person(
    repository: Path, git: Git, background: Background, installer: Installer
) -> None:
    git(repository, "checkout", "-q", "-b", "side")
    commit_file(repository, git, "a.txt", "mine\n")
    git(repository, "checkout", "-q", "main")
    commit_file(repository, git, "a.txt", "theirs\n")
    git(repository, "checkout", "-q", "side")
    install(repository, installer)
    assert background.events(repository, "rebase", "-q", "main", fails=True) == []
    (repository / "a.txt").write_text("both\n")
    git(repository, "add", "a.txt")
    assert background.events(repository, "commit", "-q", "-m", "resolved") == []
    assert background.events(repository, "commit", "-q", "--amend", "-m", "resolved better") == []
    assert background.events(repository, "rebase", "--continue", fails=True) == ["post-rewrite"]


def test_a_rebase_with_nothing_to_rewrite_is_an_event_too(
    repository: Path, git: Git, background: Background, installer: Installer
) -> None:
    git(repository, "branch", "behind")
    commit_file(repository, git, "b.txt")
    git(repository, "checkout", "-q", "behind")
    install(repository, installer)
    assert background.events(repository, "rebase", "-q", "main") == ["post-checkout"]  # git calls nothing else
    assert (repository / "b.txt").exists()


def test_a_commit_in_a_linked_worktree_is_about_that_worktree(
    repository: Path, background: Background, tmp_path: Path
) -> None:
    install(repository, Installer(background.python('line="$PWD | $9"')))
    other = tmp_path / "other tree"
    pending = repository / ".git/worktrees/other-tree" / PENDING_NAME
    added = background.of(repository, "worktree", "add", "-q", str(other), "-b", "other")
    assert added == background.of(other, *EMPTY) == [f"{other} | {pending}"]


def test_a_commit_in_a_submodule_is_about_the_submodule(
    repository: Path, git: Git, background: Background, tmp_path: Path
) -> None:
    library = tmp_path / "library"
    git(tmp_path, "init", "-q", "-b", "main", str(library))
    commit_file(library, git, "l.txt")
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "lib")
    inner = repository / "lib"
    report = install(inner, Installer(background.python('line="$PWD | $9"')))
    assert report.folder.path == repository / ".git/modules/lib/hooks"
    pending = repository / ".git/modules/lib" / PENDING_NAME
    name = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    assert background.of(inner, *name, *EMPTY) == [f"{inner} | {pending}"]


def test_a_commit_does_not_wait_for_the_process_and_many_commits_start_one(
    repository: Path, git: Git, background: Background
) -> None:
    install(repository, Installer(background.python(f'{background.waits}; rm -f "$9"')))
    for _ in range(12):  # the pipe that `git` is read by to its end would keep it waiting
        git(repository, *EMPTY)
    background.open_gate()
    assert "post-commit" in background.report()
    assert background.reports() == []


def test_an_event_after_the_process_began_to_look_starts_the_next_one(
    repository: Path, git: Git, background: Background
) -> None:
    looks = background.python(f"rm -f \"$9\"; echo looks >'{background.pipe}'; {background.waits}; line=looked")
    install(repository, Installer(looks))
    git(repository, *EMPTY)
    assert background.report() == "looks"
    git(repository, *EMPTY)
    assert background.report() == "looks"
    background.open_gate()
    background.open_gate()
    assert [background.report(), background.report()] == ["looked", "looked"]


def test_the_process_holds_no_other_stream_of_the_caller_either(repository: Path, background: Background) -> None:
    install(repository, Installer(background.python(background.waits)))
    command = ["sh", "-c", "exec 3>&1 9>&1; git commit -q --allow-empty -m x"]
    subprocess.run(command, cwd=repository, check=True, capture_output=True, timeout=20)
    background.open_gate()
    assert background.report()


def test_the_process_has_a_session_of_its_own(repository: Path, background: Background) -> None:
    tells = "import os; print(os.getsid(0))"
    install(repository, Installer(background.python(f"line=$(python3 -c '{tells}')")))
    (session,) = background.of(repository, *EMPTY)
    assert int(session) != os.getsid(0)


@pytest.mark.parametrize("left", ["", "nonsense\n", "999999999\n", "-1\n"])
def test_a_process_that_died_before_it_looked_keeps_nobody_from_looking(
    installed: Path, background: Background, left: str
) -> None:
    (installed / ".git" / PENDING_NAME).write_text(left)
    assert background.events(installed, *EMPTY) == ["post-commit"]


def test_the_number_of_another_process_keeps_nobody_from_looking_for_long(
    installed: Path, background: Background
) -> None:
    pending = installed / ".git" / PENDING_NAME
    pending.write_text(f"{os.getpid()}\n")
    assert background.events(installed, *EMPTY) == []
    old = time.time() - 3600
    os.utime(pending, (old, old))
    assert background.events(installed, *EMPTY) == ["post-commit"]


def diverge(repository: Path, git: Git) -> None:
    """Two branches with commits of their own; the other one is checked out."""
    git(repository, "checkout", "-q", "-b", "side")
    commit_file(repository, git, "b.txt")
    commit_file(repository, git, "c.txt")
    git(repository, "checkout", "-q", "main")
    commit_file(repository, git, "d.txt")
    git(repository, "checkout", "-q", "side")
