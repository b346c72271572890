"""A stale memory says which commit changed or removed its code, when, and by whom."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.conftest import Git

from waypost.code.git.past_files import FileAtCommit, past_files
from waypost.flows.admin.worker import has_work
from waypost.flows.checkouts import current_tree
from waypost.flows.links.about import stale
from waypost.flows.links.cause import CauseSearch
from waypost.flows.links.staleness import explain_pending
from waypost.flows.open_space import OpenSpace
from waypost.memory import Memory
from waypost.model.code_link import LinkedMemory
from waypost.model.reference import LineRange

MODE = "def parse(text):\n    rows = text.split(',')\n    return [row.strip() for row in rows]\n\n\ndef other():\n    return 1\n"


@pytest.fixture
def commits(tree: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> "Commits":
    git(tree, "init", "-q", "-b", "main")
    made = Commits(tree, git, monkeypatch)
    made.commit("start", MODE, "2026-01-01T10:00:00Z")
    return made


class Commits:
    def __init__(self, tree: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tree, self._git, self._monkeypatch = tree, git, monkeypatch

    def write(self, text: str) -> None:
        (self.tree / "mode.py").write_text(text)

    def commit(self, message: str, text: str, at: str, author: str = "Ada Lovelace") -> str:
        self.write(text)
        for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
            self._monkeypatch.setenv(name, at)
        self._git(self.tree, "add", "-A")
        self._git(self.tree, "commit", "-q", "--author", f"{author} <ada@example.org>", "-m", message)
        return self._git(self.tree, "rev-parse", "HEAD")


def shown(memory: Memory, memory_id: str | None) -> LinkedMemory:
    assert memory_id is not None
    return memory.show(memory_id)


def test_the_first_commit_with_other_code_is_named_among_many(commits: Commits, memory: Memory) -> None:
    made = memory.remember("Rows are split at commas", refs=["mode.py#parse"])
    commits.commit("unrelated", MODE.replace("return 1", "return 2"), "2026-01-02T10:00:00Z")
    edited = MODE.replace("','", "';'").replace("return 1", "return 2")
    cause = commits.commit("semicolons", edited, "2026-01-03T10:00:00Z", "Grace Hopper")
    commits.commit("later", edited + "\n\ndef last():\n    return 3\n", "2026-01-04T10:00:00Z")
    linked = shown(memory, made.id)
    assert linked.stale_since == datetime(2026, 1, 3, 10, tzinfo=UTC)
    assert linked.state.stale_reason is not None
    assert f"changed in {cause[:7]} (2026-01-03, Grace Hopper): +1 −1" in linked.state.stale_reason
    row = linked.links[0].to_json()["cause"]
    assert row == {"commit": cause, "author": "Grace Hopper", "at": "2026-01-03T10:00:00Z", "added": 1, "removed": 1}


def test_a_removed_symbol_is_named_with_its_commit(commits: Commits, memory: Memory) -> None:
    made = memory.remember("Rows are split at commas", refs=["mode.py#parse"])
    cause = commits.commit("remove", "def other():\n    return 1\n", "2026-01-03T10:00:00Z")
    reason = shown(memory, made.id).state.stale_reason
    assert reason == f"code_changed: symbol `parse` was removed from mode.py in {cause[:7]} (2026-01-03, Ada Lovelace)"


def test_the_commit_that_removed_a_symbol_is_named_also_if_another_had_edited_it(
    commits: Commits, memory: Memory
) -> None:
    made = memory.remember("Rows are split at commas", refs=["mode.py#parse"])
    lines = memory.remember("Rows have no spaces around them", refs=["mode.py#L2-L3"])
    commits.commit("semicolons", MODE.replace("','", "';'"), "2026-01-02T10:00:00Z")
    commits.commit("unrelated", MODE.replace("','", "';'").replace("return 1", "return 2"), "2026-01-03T10:00:00Z")
    cause = commits.commit("remove", "def other():\n    return 2\n", "2026-01-04T10:00:00Z", "Grace Hopper")
    commits.commit("later", "def other():\n    return 3\n", "2026-01-05T10:00:00Z")
    for one, what in ((made, "symbol `parse` was"), (lines, "lines were")):
        assert f"{what} removed from mode.py in {cause[:7]} (2026-01-04, Grace Hopper)" in (
            shown(memory, one.id).state.stale_reason or ""
        )


def test_a_merge_into_a_branch_with_other_code_says_how_many_lines_differ(
    commits: Commits, memory: Memory, git: Git
) -> None:
    """The code was pinned on a branch for an old release. The main branch had been changed before it was merged there."""
    git(commits.tree, "branch", "old")
    commits.commit("semicolons", MODE.replace("','", "';'"), "2026-01-02T10:00:00Z")
    git(commits.tree, "checkout", "-q", "old")
    (commits.tree / "news.txt").write_text("A release.\n")
    commits.commit("release", MODE, "2026-01-03T10:00:00Z")
    made = memory.remember("Rows are split at commas", refs=["mode.py#parse"])
    git(commits.tree, "checkout", "-q", "main")
    git(commits.tree, "merge", "-q", "-m", "merge", "old")
    merge = git(commits.tree, "rev-parse", "HEAD")
    commits.commit("comment", "# modes\n" + MODE.replace("','", "';'"), "2026-01-04T10:00:00Z")
    assert f"changed in {merge[:7]} (2026-01-03, " in (shown(memory, made.id).state.stale_reason or "")
    assert "): +1 −1" in (shown(memory, made.id).state.stale_reason or "")


def test_a_change_that_is_not_committed_has_no_cause_until_it_is(commits: Commits, memory: Memory) -> None:
    made = memory.remember("Rows are split at commas", refs=["mode.py#parse"])
    edited = MODE.replace("','", "';'")
    commits.write(edited)
    link = shown(memory, made.id).links[0]
    assert link.is_stale and link.cause is None
    cause = commits.commit("semicolons", edited, "2026-01-03T10:00:00Z")
    link = shown(memory, made.id).links[0]
    assert link.cause is not None and link.cause.commit == cause


def test_the_name_of_an_author_is_one_printable_line(commits: Commits, memory: Memory) -> None:
    made = memory.remember("Rows are split at commas", refs=["mode.py#parse"])
    commits.commit("semicolons", MODE.replace("','", "';'"), "2026-01-03T10:00:00Z", "Eve\x1b[2J" + "x" * 200)
    cause = shown(memory, made.id).links[0].cause
    assert cause is not None
    assert cause.author.startswith("Eve [2Jxxx") and len(cause.author) == 60


def test_the_same_text_with_its_id_verifies_a_stale_memory(commits: Commits, memory: Memory) -> None:
    made = memory.remember("Rows are split at a sign", refs=["mode.py#parse"])
    assert made.id is not None
    assert memory.correct(made.id, "Rows are split at a sign").reason == "it already says this"
    commits.commit("semicolons", MODE.replace("','", "';'"), "2026-01-03T10:00:00Z")
    assert shown(memory, made.id).state.is_stale
    receipt = memory.correct(made.id, "Rows are split at a sign")
    assert (receipt.status, receipt.reason) == ("duplicate", "it already says this; it is verified now")
    assert not shown(memory, made.id).state.is_stale


def test_remembering_the_same_text_in_place_of_a_memory_verifies_it(commits: Commits, memory: Memory) -> None:
    """MCP corrects and verifies that way: the reference is given again, at the place where the code is now."""
    made = memory.remember("Rows are split at a sign", refs=["mode.py#parse"])
    commits.commit("semicolons", "# modes\n" + MODE.replace("','", "';'"), "2026-01-03T10:00:00Z")
    place = str(shown(memory, made.id).links[0].reference)
    receipt = memory.remember("Rows are split at a sign", replaces=made.id, refs=[place])
    assert (receipt.id, receipt.status) == (made.id, "duplicate")
    assert "it is verified now" in (receipt.reason or "")
    assert not shown(memory, made.id).state.is_stale


def test_repeating_a_stale_memory_without_its_id_says_how_to_verify_it(commits: Commits, memory: Memory) -> None:
    made = memory.remember("Rows are split at a sign", refs=["mode.py#parse"])
    assert memory.remember("Rows are split at a sign").reason == "exactly this is stored"
    commits.commit("semicolons", MODE.replace("','", "';'"), "2026-01-03T10:00:00Z")
    assert shown(memory, made.id).state.is_stale
    assert f"`waypost verify {made.id}` or repeat it with this id" in (
        memory.remember("Rows are split at a sign").reason or ""
    )
    assert shown(memory, made.id).state.is_stale


def test_an_agent_does_not_verify_a_persons_memory_by_repeating_it(
    commits: Commits, memory: Memory, person: Memory
) -> None:
    made = person.remember("Rows are split at a sign", refs=["mode.py#parse"])
    assert made.id is not None
    commits.commit("semicolons", MODE.replace("','", "';'"), "2026-01-03T10:00:00Z")
    assert "only a person" in (memory.correct(made.id, "Rows are split at a sign").reason or "")
    assert shown(memory, made.id).state.is_stale


def test_the_diff_shows_what_changed(commits: Commits, memory: Memory) -> None:
    made = memory.remember("Rows are split at commas", refs=["mode.py#parse"])
    assert made.id is not None
    assert memory.code.code_behind(made.id)[0].diff == ()
    commits.commit("semicolons", MODE.replace("','", "';'"), "2026-01-03T10:00:00Z")
    behind = memory.code.code_behind(made.id)[0]
    assert behind.diff[3:] == (
        " def parse(text):",
        "-    rows = text.split(',')",
        "+    rows = text.split(';')",
        "     return [row.strip() for row in rows]",
    )
    code = behind.to_json(diff=True)
    assert code["code"]["line"] == 1 and code["diff"].startswith("--- a/mode.py\n+++ b/mode.py\n@@")
    commits.commit("remove", "def other():\n    return 1\n", "2026-01-04T10:00:00Z")
    assert memory.code.code_behind(made.id)[0].diff[1] == "+++ /dev/null"


def test_a_search_that_was_cut_is_finished_when_the_memory_is_shown(
    commits: Commits, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = memory.remember("Rows are split at commas", refs=["mode.py#parse"])
    cause = commits.commit("semicolons", MODE.replace("','", "';'"), "2026-01-03T10:00:00Z", "Grace Hopper")
    commits.commit("later", MODE.replace("','", "';'") + "\n\ndef last():\n    return 3\n", "2026-01-04T10:00:00Z")
    with monkeypatch.context() as patch:
        patch.setattr(CauseSearch, "find", lambda search, *_: setattr(search, "_until", 0.0))
        (seen,) = memory.code.stale(check=True).memories
    assert seen.links[0].cause is None
    assert seen.to_json()["stale_since"] is None  # not the time of the check
    assert "stale_since" not in seen.links[0].to_json()
    linked = shown(memory, made.id)
    assert linked.links[0].cause is not None
    assert linked.links[0].cause.commit == cause
    assert linked.stale_since == datetime(2026, 1, 3, 10, tzinfo=UTC)


def test_a_search_that_was_cut_is_finished_by_the_worker(
    commits: Commits, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.remember("Rows are split at commas", refs=["mode.py#parse"])
    cause = commits.commit("semicolons", MODE.replace("','", "';'"), "2026-01-03T10:00:00Z", "Grace Hopper")
    commits.commit("later", MODE.replace("','", "';'") + "\n\ndef last():\n    return 3\n", "2026-01-04T10:00:00Z")
    started: list[OpenSpace] = []
    settings = replace(memory.space.settings, background=True)
    space = replace(memory.space, settings=settings, start_worker=started.append)
    assert not explain_pending(space)
    with monkeypatch.context() as patch:
        patch.setattr(CauseSearch, "find", lambda search, *_: setattr(search, "_until", 0.0))
        stale(space)
        stale(space)
    assert len(started) == 1 and has_work(space)
    assert explain_pending(space) and not explain_pending(space)
    (found,) = memory.code.stale().memories
    assert found.links[0].cause is not None and found.links[0].cause.commit == cause
    assert found.stale_since == datetime(2026, 1, 3, 10, tzinfo=UTC)


def test_a_list_of_stale_memories_names_all_their_commits(commits: Commits, memory: Memory) -> None:
    """Pinned at different commits, so that git is asked for each of them."""
    text, causes = MODE, list[str]()
    for number in range(8):
        name = f"task_{number}"
        text += f"\n\ndef {name}(rows):\n    return rows.first({number})\n"
        commits.commit("more", text, f"2026-01-02T1{number}:00:00Z")
        memory.remember(f"{name} returns the first one", refs=[f"mode.py#{name}"])
    for number in range(8):
        text = text.replace(f"first({number})", f"last({number})")
        causes.append(commits.commit("last", text, f"2026-01-03T1{number}:00:00Z"))
    found = memory.code.stale(check=True).memories
    assert [one.links[0].cause and one.links[0].cause.commit for one in found] == causes
    assert [one.stale_since and one.stale_since.hour for one in found] == list(range(10, 18))


@pytest.mark.parametrize(("into", "merged"), [("main", "side"), ("side", "main")])
def test_the_commit_of_a_merged_branch_is_named_with_its_author_and_lines(
    commits: Commits, memory: Memory, git: Git, into: str, merged: str
) -> None:
    """Both sides edit the file, so the merge differs from each of them. The author of the change is not who merged."""
    made = memory.remember("Rows are split at commas", refs=["mode.py#parse"])
    git(commits.tree, "checkout", "-q", "-b", "side")
    edited = MODE.replace("','", "';'")
    cause = commits.commit("semicolons", edited, "2026-01-02T10:00:00Z", "Grace Hopper")
    commits.commit("comment", "# modes\n" + edited, "2026-01-02T11:00:00Z")
    git(commits.tree, "checkout", "-q", "main")
    for number in (2, 3, 4):
        commits.commit("unrelated", MODE.replace("return 1", f"return {number}"), f"2026-01-03T1{number}:00:00Z")
    git(commits.tree, "checkout", "-q", into)
    git(commits.tree, "merge", "-q", "-m", "merge", merged)
    linked = shown(memory, made.id)
    assert f"changed in {cause[:7]} (2026-01-02, Grace Hopper): +1 −1" in (linked.state.stale_reason or "")
    assert linked.stale_since == datetime(2026, 1, 2, 10, tzinfo=UTC)


@pytest.mark.parametrize("later", [False, True])
def test_the_author_is_named_also_if_the_merged_branch_began_before_the_pin(
    commits: Commits, memory: Memory, git: Git, later: bool
) -> None:
    """A repair of an old release, merged: none of its commits descends from the one that had the pinned code."""
    git(commits.tree, "checkout", "-q", "-b", "old")
    git(commits.tree, "checkout", "-q", "main")
    commits.commit("unrelated", MODE.replace("return 1", "return 2"), "2026-01-02T10:00:00Z")
    made = memory.remember("Rows are split at commas", refs=["mode.py#parse"])
    lines = memory.remember("Rows are split there", refs=["mode.py#L2"])
    git(commits.tree, "checkout", "-q", "old")
    cause = commits.commit("semicolons", MODE.replace("','", "';'"), "2026-01-03T10:00:00Z", "Grace Hopper")
    git(commits.tree, "checkout", "-q", "main")
    git(commits.tree, "merge", "-q", "-m", "merge", "old")
    if later:
        text = (commits.tree / "mode.py").read_text()
        commits.commit("later", f"# modes\n{text}", "2026-01-05T10:00:00Z")
    for one in (made, lines):
        linked = shown(memory, one.id)
        assert f"changed in {cause[:7]} (2026-01-03, Grace Hopper): +1 −1" in (linked.state.stale_reason or "")
        assert linked.stale_since == datetime(2026, 1, 3, 10, tzinfo=UTC)


def test_a_change_in_the_merge_itself_names_the_merge(commits: Commits, memory: Memory, git: Git) -> None:
    made = memory.remember("Rows are split at commas", refs=["mode.py#parse"])
    git(commits.tree, "checkout", "-q", "-b", "side")
    commits.commit("unrelated", MODE.replace("return 1", "return 2"), "2026-01-02T10:00:00Z")
    git(commits.tree, "checkout", "-q", "main")
    commits.commit("comment", "# modes\n" + MODE, "2026-01-03T10:00:00Z")
    git(commits.tree, "merge", "-q", "--no-commit", "side")
    merge = commits.commit("merge", MODE.replace("','", "';'"), "2026-01-04T10:00:00Z")
    assert f"changed in {merge[:7]} (2026-01-04" in (shown(memory, made.id).state.stale_reason or "")


def test_commits_that_do_not_descend_from_the_pin_are_not_the_cause(commits: Commits, memory: Memory, git: Git) -> None:
    """The main branch had older code until the branch with the pinned code was merged."""
    git(commits.tree, "checkout", "-q", "-b", "side")
    commits.commit("semicolons", MODE.replace("','", "';'"), "2026-01-02T10:00:00Z")
    made = memory.remember("Rows are split at semicolons", refs=["mode.py#parse"])
    commits.commit("more", MODE.replace("','", "';'") + "\n\nSIDE = 1\n", "2026-01-03T10:00:00Z")
    git(commits.tree, "checkout", "-q", "main")
    commits.commit("unrelated", "# modes\n" + MODE, "2026-01-04T10:00:00Z")
    git(commits.tree, "merge", "-q", "-m", "merge", "side")
    edited = (commits.tree / "mode.py").read_text().replace("';'", "'|'")
    cause = commits.commit("bars", edited, "2026-01-06T10:00:00Z", "Grace Hopper")
    assert f"changed in {cause[:7]} (2026-01-06, Grace Hopper)" in (shown(memory, made.id).state.stale_reason or "")


def test_code_that_another_branch_never_had_has_no_cause(commits: Commits, memory: Memory, git: Git) -> None:
    git(commits.tree, "checkout", "-q", "-b", "side")
    commits.commit("semicolons", MODE.replace("','", "';'"), "2026-01-02T10:00:00Z")
    made = memory.remember("Rows are split at semicolons", refs=["mode.py#parse"])
    git(commits.tree, "checkout", "-q", "main")
    commits.commit("unrelated", "# modes\n" + MODE, "2026-01-04T10:00:00Z")
    link = shown(memory, made.id).links[0]
    assert link.is_stale and link.cause is None


def test_a_change_after_a_squashed_branch_is_named(commits: Commits, memory: Memory, git: Git) -> None:
    git(commits.tree, "checkout", "-q", "-b", "side")
    edited = MODE.replace("','", "';'")
    commits.commit("semicolons", edited, "2026-01-02T10:00:00Z")
    made = memory.remember("Rows are split at semicolons", refs=["mode.py#parse"])
    git(commits.tree, "checkout", "-q", "main")
    commits.commit("unrelated", "# modes\n" + MODE, "2026-01-03T10:00:00Z")
    commits.commit("squash", "# modes\n" + edited, "2026-01-04T10:00:00Z")
    cause = commits.commit("bars", "# modes\n" + edited.replace("';'", "'|'"), "2026-01-05T10:00:00Z")
    for number in range(3):
        text = f"LAST = {number}\n" + edited.replace("';'", "'|'")
        commits.commit("later", text, f"2026-01-06T1{number}:00:00Z")
    assert f"changed in {cause[:7]} (2026-01-05" in (shown(memory, made.id).state.stale_reason or "")


def test_the_files_of_many_pinned_lines_are_fetched_at_once(
    commits: Commits, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abcdef":
        (commits.tree / f"{name}.py").write_text(MODE)
    commits.commit("more", MODE, "2026-01-02T10:00:00Z")
    for name in "abcdef":
        memory.remember(f"Rows of {name} are split", refs=[f"{name}.py#L2"])
        (commits.tree / f"{name}.py").write_text(MODE.replace("','", "';'"))
    commits.commit("semicolons", MODE, "2026-01-03T10:00:00Z")
    asked: list[int] = []

    def fetch(root: Path, wanted: list[FileAtCommit]) -> tuple[dict[str, str], dict[FileAtCommit, bytes]]:
        asked.append(len(wanted))
        return past_files(root, wanted)

    monkeypatch.setattr(current_tree, "past_files", fetch)
    assert [link.reference.line_range for one in memory.code.stale(check=True).memories for link in one.links] == [
        LineRange(2, 2)
    ] * 6
    assert asked == [6]
