"""Raw changes from real repositories."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.code.changes.conftest import Repo
from tests.conftest import Git

from waypost.code.changes import RawCommit, commits, file_as_new, uncommitted
from waypost.errors import InvalidInput, NotFound
from waypost.model.change import ADDED, MODIFIED, REMOVED, RENAMED

LONG = "".join(f"line {number}\n" for number in range(40))


def listed(commit: RawCommit) -> dict[str, str]:
    return {file.path: file.change for file in commit.files}


def test_a_range_gives_its_commits_oldest_first_with_message_author_and_contents(repo: Repo) -> None:
    first = repo.commit("First", {"a.py": "a = 1\n"})
    second = repo.commit("Second\n\nBecause of this.\nAnd that.", {"a.py": "a = 2\n", "b.py": "b = 1\n"})
    third = repo.commit("Third", {"b.py": None})
    first_commit, two = commits(repo.root, f"{first}..HEAD")
    assert (first_commit.commit, two.commit) == (second, third)
    assert (first_commit.subject, first_commit.body, first_commit.author) == (
        "Second",
        "Because of this.\nAnd that.",
        "t",
    )
    assert first_commit.time is not None and abs((datetime.now(UTC) - first_commit.time).days) < 2
    assert {file.path: (file.change, file.before, file.after) for file in first_commit.files} == {
        "a.py": (MODIFIED, b"a = 1\n", b"a = 2\n"),
        "b.py": (ADDED, None, b"b = 1\n"),
    }
    assert listed(two) == {"b.py": REMOVED}
    assert two.files[0].before == b"b = 1\n"


def test_a_single_revision_is_one_commit_and_a_limit_asks_for_those_before_it(repo: Repo) -> None:
    ids = [repo.commit(f"Commit {number}", {"a.txt": f"{number}\n"}) for number in range(4)]
    assert [commit.commit for commit in commits(repo.root, "HEAD")] == ids[3:]
    assert [commit.commit for commit in commits(repo.root, "HEAD~1", limit=2)] == ids[1:3]
    assert [commit.commit for commit in commits(repo.root, f"{ids[0]}..HEAD", limit=2)] == ids[2:]
    assert list(commits(repo.root, "HEAD", limit=0)) == []


def test_the_first_commit_added_everything(repo: Repo) -> None:
    repo.commit("First", {"a.py": "a = 1\n", "src/b.py": "b = 1\n"})
    assert listed(next(commits(repo.root, "HEAD"))) == {"a.py": ADDED, "src/b.py": ADDED}


def test_a_rename_has_both_paths_and_both_contents(repo: Repo) -> None:
    repo.commit("First", {"old.txt": LONG})
    repo.commit("Move", {"old.txt": None, "new.txt": LONG + "more\n"})
    (file,) = next(commits(repo.root, "HEAD")).files
    assert (file.path, file.path_before, file.change) == ("new.txt", "old.txt", RENAMED)
    assert (file.before, file.after) == (LONG.encode(), f"{LONG}more\n".encode())


def test_a_merge_is_flagged_and_has_no_files(repo: Repo) -> None:
    repo.commit("First", {"a.txt": "a\n"})
    repo.git(repo.root, "switch", "-q", "-c", "side")
    repo.commit("Side", {"side.txt": "s\n"})
    repo.git(repo.root, "switch", "-q", "main")
    repo.commit("Main", {"main.txt": "m\n"})
    repo.git(repo.root, "merge", "-q", "--no-edit", "side")
    history = list(commits(repo.root, "HEAD~1..HEAD"))
    assert [(commit.is_merge, listed(commit)) for commit in history] == [(False, {"side.txt": ADDED}), (True, {})]


def test_modes_links_and_submodules_are_no_changes_of_files(repo: Repo) -> None:
    repo.commit("First", {"run.sh": "echo\n", "was.txt": "text\n"})
    os.chmod(repo.root / "run.sh", 0o755)
    os.symlink("/etc/passwd", repo.root / "link")
    (repo.root / "was.txt").unlink()
    os.symlink("run.sh", repo.root / "was.txt")
    inner = repo.root / "inner"
    inner.mkdir()
    repo.git(inner, "init", "-q")
    repo.git(inner, "commit", "-q", "--allow-empty", "-m", "inner")
    repo.commit("Others", {})
    assert listed(next(commits(repo.root, "HEAD"))) == {"was.txt": REMOVED}


def test_names_that_cannot_be_shown_are_left_out(repo: Repo) -> None:
    repo.commit("First", {"ok.txt": "a\n"})
    path = os.fsencode(repo.root) + b"/bad\xff.txt"
    Path(os.fsdecode(path)).write_text("x\n")
    repo.write({"line\nend.txt": "x\n", "ünï.txt": "x\n"})
    assert listed(uncommitted(repo.root, staged=False)) == {"ünï.txt": ADDED}
    repo.commit("Names", {})
    assert listed(next(commits(repo.root, "HEAD"))) == {"ünï.txt": ADDED}


def test_a_message_cannot_pretend_to_be_files_or_another_commit(repo: Repo) -> None:
    fake = "Real\n\n:100644 100644 aaaa bbbb M\nsecret.py\n/" + "0" * 40
    repo.commit(fake, {"a.txt": "a\n"})
    (commit,) = commits(repo.root, "HEAD")
    assert commit.subject == "Real" and listed(commit) == {"a.txt": ADDED}


def test_binaries_secrets_lock_files_and_huge_files_are_told_without_contents(repo: Repo) -> None:
    files: dict[str, str | bytes | None] = {
        "picture.bin": b"\0\1\2" * 100,
        ".env": "TOKEN=abc\n",
        "package-lock.json": "{}\n",
        "big.py": "a = 1\n" * 300_000,
    }
    repo.commit("First", files)
    (commit,) = commits(repo.root, "HEAD")
    assert set(listed(commit)) == set(files)
    assert all(file.after is None and file.skipped for file in commit.files)


def test_a_commit_at_the_edge_of_a_shallow_clone_is_said_to_be_cut(repo: Repo, tmp_path: Path, git: Git) -> None:
    repo.commit("First", {"a.txt": "a\n"})
    repo.commit("Second", {"b.txt": "b\n"})
    repo.commit("Third", {"c.txt": "c\n"})
    git(tmp_path, "clone", "-q", "--depth", "2", f"file://{repo.root}", "shallow")
    second, third = commits(tmp_path / "shallow", "HEAD", limit=9)
    assert (second.subject, second.is_cut, listed(second)) == ("Second", True, {})
    assert (third.is_cut, listed(third)) == (False, {"c.txt": ADDED})


def test_paths_are_those_of_the_folder_that_was_asked_about(repo: Repo) -> None:
    repo.commit("First", {"sub/a.txt": "a\n", "other.txt": "o\n"})
    repo.write({"sub/a.txt": "b\n", "sub/new.txt": "n\n", "other.txt": "p\n"})
    assert listed(next(commits(repo.root / "sub", "HEAD"))) == {"a.txt": ADDED}
    assert listed(uncommitted(repo.root / "sub", staged=False)) == {"a.txt": MODIFIED, "new.txt": ADDED}
    assert file_as_new(repo.root / "sub", "a.txt").files[0].before == b"a\n"


@pytest.mark.parametrize("revision", ["--output=x", "-1", "", "a b", "^HEAD", "HEAD\n--all", "HEAD\0"])
def test_what_is_no_revision_is_refused_before_git_sees_it(repo: Repo, revision: str) -> None:
    repo.commit("First", {"a.txt": "a\n"})
    with pytest.raises(InvalidInput):
        list(commits(repo.root, revision))
    with pytest.raises(InvalidInput):
        uncommitted(repo.root, staged=False, against=revision)


def test_an_unknown_revision_and_a_folder_without_git_are_not_found(repo: Repo, tmp_path: Path) -> None:
    repo.commit("First", {"a.txt": "a\n"})
    with pytest.raises(NotFound, match="no-such"):
        list(commits(repo.root, "no-such..HEAD"))
    with pytest.raises(NotFound):
        uncommitted(repo.root, staged=True, against="no-such")
    (tmp_path / "plain").mkdir()
    with pytest.raises(NotFound):
        list(commits(tmp_path / "plain", "HEAD"))


def test_a_repository_without_commits_has_no_history_and_everything_is_new(repo: Repo) -> None:
    repo.write({"staged.txt": "s\n", "new.txt": "n\n", "ignored.log": "x\n", ".gitignore": "*.log\n"})
    repo.git(repo.root, "add", "staged.txt")
    with pytest.raises(NotFound):
        list(commits(repo.root, "HEAD"))
    assert listed(uncommitted(repo.root, staged=True)) == {"staged.txt": ADDED}
    assert listed(uncommitted(repo.root, staged=False)) == {
        ".gitignore": ADDED,
        "new.txt": ADDED,
        "staged.txt": ADDED,
    }


def test_staged_and_unstaged_work_are_told_apart(repo: Repo) -> None:
    repo.commit("First", {"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n"})
    repo.write({"a.txt": "staged\n"})
    repo.git(repo.root, "add", "a.txt")
    repo.write({"a.txt": "later\n", "b.txt": "changed\n", "c.txt": None, "new.txt": "n\n"})
    staged = uncommitted(repo.root, staged=True)
    assert {file.path: file.after for file in staged.files} == {"a.txt": b"staged\n"}
    tree = uncommitted(repo.root, staged=False)
    assert {file.path: (file.change, file.after) for file in tree.files} == {
        "a.txt": (MODIFIED, b"later\n"),
        "b.txt": (MODIFIED, b"changed\n"),
        "c.txt": (REMOVED, None),
        "new.txt": (ADDED, b"n\n"),
    }
    assert tree.commit == "" and tree.time is None


def test_a_file_moved_in_the_working_tree_is_renamed_though_nothing_is_staged(repo: Repo) -> None:
    repo.commit("First", {"old.txt": LONG, "other.txt": "x\n"})
    repo.write({"old.txt": None, "new.txt": LONG + "more\n", "fresh.txt": "quite\nanother\n"})
    change = uncommitted(repo.root, staged=False)
    assert listed(change) == {"new.txt": RENAMED, "fresh.txt": ADDED}
    assert next(file for file in change.files if file.path == "new.txt").path_before == "old.txt"


def test_uncommitted_work_may_be_compared_with_another_revision(repo: Repo) -> None:
    first = repo.commit("First", {"a.txt": "a\n"})
    repo.commit("Second", {"a.txt": "b\n", "b.txt": "b\n"})
    assert listed(uncommitted(repo.root, staged=False)) == {}
    assert listed(uncommitted(repo.root, staged=False, against=first)) == {"a.txt": MODIFIED, "b.txt": ADDED}


def test_one_file_against_the_last_commit(repo: Repo) -> None:
    repo.commit("First", {"a.txt": "a\n", "gone.txt": "g\n"})
    assert file_as_new(repo.root, "a.txt").files == ()
    assert listed(file_as_new(repo.root, "a.txt", whole=True)) == {"a.txt": ADDED}
    repo.write({"a.txt": "b\n", "new.txt": "n\n", "gone.txt": None})
    assert listed(file_as_new(repo.root, "a.txt")) == {"a.txt": MODIFIED}
    assert listed(file_as_new(repo.root, "new.txt")) == {"new.txt": ADDED}
    assert listed(file_as_new(repo.root, "gone.txt")) == {"gone.txt": REMOVED}
    with pytest.raises(NotFound):
        file_as_new(repo.root, "never.txt")


def test_one_file_without_git_is_wholly_new_and_none_outside_is_read(tmp_path: Path) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    (root / "a.py").write_text("a = 1\n")
    (tmp_path / "secret.txt").write_text("s\n")
    os.symlink(tmp_path / "secret.txt", root / "link.txt")
    assert file_as_new(root, "a.py").files[0].after == b"a = 1\n"
    assert file_as_new(root, "link.txt").files[0].after is None
    assert file_as_new(root, "../secret.txt").files[0].after is None
    with pytest.raises(InvalidInput):
        file_as_new(root, "a\nb")
