"""The same tree gives the same verdict, whichever commits were checked out before."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from tests.conftest import Git, OpenMemory

from waypost.code.git.command import GitCheckout
from waypost.flows.links import staleness
from waypost.model.code_verdict import CHANGED, DELETED, MOVED, UNCHECKED
from waypost.model.reference import CodeReference
from waypost.refs.other_files import MOST_CHANGED

FILLER = "".join(f"def step_{number}(value):\n    return value * {number} + {number % 7}\n\n\n" for number in range(30))
OTHER = "".join(f"def walk_{number}(place):\n    return place - {number} * {number % 5}\n\n\n" for number in range(60))
POOL = "POOL_BLOCK = False\nPOOL_SIZE = 10\nRETRIES = 0\n"


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


@pytest.fixture
def history(tree: Path, git: Git) -> list[str]:
    """A file that moves unchanged, and changes so much afterwards that a diff from the start sees no rename."""

    def commit(message: str) -> str:
        git(tree, "add", "-A")
        git(tree, "commit", "-qm", message)
        return git(tree, "rev-parse", "HEAD")

    git(tree, "init", "-q", "-b", "main")
    write(tree, "lib/adapters.py", f'"""Adapters."""\n\n{POOL}\n\n{FILLER}')
    commits = [commit("start")]
    (tree / "src").mkdir()
    git(tree, "mv", "lib", "src/lib")
    commits.append(commit("move"))
    write(tree, "src/lib/adapters.py", f'"""Transport."""\n\n{POOL}\n\n{OTHER}')
    commits.append(commit("rewrite"))
    return commits


def verdict(open_memory: OpenMemory, tree: Path, git: Git, pinned_at: str, route: Sequence[str]) -> tuple[str, str]:
    git(tree, "checkout", "-q", pinned_at)
    with open_memory(str(tree)) as memory:
        memory.index()
        made = memory.remember("Pools have ten connections", refs=["lib/adapters.py#L3-L5"])
    for commit in route:
        git(tree, "checkout", "-q", commit)
        with open_memory(str(tree)) as memory:
            assert made.id is not None
            link = memory.show(made.id).links[0]
    return link.finding.state, str(link.reference)


@pytest.mark.parametrize("stops", [(2,), (1, 2), (2, 1, 2), (1, 0, 2)], ids=lambda stops: "-".join(map(str, stops)))
def test_a_file_that_moved_and_changed_later_is_found_on_every_route(
    open_memory: OpenMemory, tree: Path, git: Git, history: list[str], stops: tuple[int, ...]
) -> None:
    route = [history[stop] for stop in stops]
    assert verdict(open_memory, tree, git, history[0], route) == (MOVED, "src/lib/adapters.py#L3-L5")


def test_back_at_an_older_commit_it_is_where_it_was(
    open_memory: OpenMemory, tree: Path, git: Git, history: list[str]
) -> None:
    git(tree, "checkout", "-q", history[2])
    with open_memory(str(tree)) as memory:
        made = memory.remember("Pools have ten connections", refs=["src/lib/adapters.py#L3-L5"])
        assert made.id is not None
        git(tree, "checkout", "-q", history[0])
        link = memory.show(made.id).links[0]
    assert (link.finding.state, str(link.reference)) == (MOVED, "lib/adapters.py#L3-L5")


def test_a_worktree_that_never_saw_the_move_finds_it_too(
    open_memory: OpenMemory, tree: Path, tmp_path: Path, git: Git, history: list[str]
) -> None:
    git(tree, "checkout", "-q", history[0])
    with open_memory(str(tree)) as memory:
        made = memory.remember("Pools have ten connections", refs=["lib/adapters.py#L3-L5"])
    git(tree, "worktree", "add", "-q", "--detach", str(tmp_path / "second"), history[2])
    with open_memory(str(tmp_path / "second")) as memory:
        assert made.id is not None
        link = memory.show(made.id).links[0]
    assert (link.finding.state, str(link.reference)) == (MOVED, "src/lib/adapters.py#L3-L5")


def test_code_is_not_called_deleted_while_git_does_not_answer(
    open_memory: OpenMemory, tree: Path, git: Git, history: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tree, "checkout", "-q", history[0])
    with open_memory(str(tree)) as memory:
        made = memory.remember("The third step triples", refs=["lib/adapters.py#step_3"])
        assert made.id is not None
        git(tree, "checkout", "-q", history[2])
        with monkeypatch.context() as patch:
            patch.setattr(GitCheckout, "is_silent", lambda _: True)
            assert memory.show(made.id).links[0].finding.state == UNCHECKED
        assert memory.show(made.id).links[0].finding.state == DELETED


def test_a_branch_that_renamed_it_another_way_is_followed(
    open_memory: OpenMemory, tree: Path, git: Git, history: list[str]
) -> None:
    git(tree, "checkout", "-q", "-b", "other", history[0])
    git(tree, "mv", "lib/adapters.py", "transport.py")
    git(tree, "commit", "-qm", "another name")
    git(tree, "checkout", "-q", history[2])
    with open_memory(str(tree)) as memory:
        made = memory.remember("Pools have ten connections", refs=["src/lib/adapters.py#L3-L5"])
        assert made.id is not None
        git(tree, "checkout", "-q", "other")
        link = memory.show(made.id).links[0]
    assert (link.finding.state, str(link.reference)) == (MOVED, "transport.py#L3-L5")


def test_a_copy_that_was_there_before_is_no_destination(
    open_memory: OpenMemory, tree: Path, git: Git, history: list[str]
) -> None:
    total = "def total(rows, tax):\n    amount = 0\n    for row in rows:\n        amount += row.net * tax\n    return amount\n"
    git(tree, "checkout", "-q", history[0])
    write(tree, "shop/cart.py", total + "\n\ndef other():\n    return 1\n")
    write(tree, "shop/bill.py", total)
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "two of a kind")
    with open_memory(str(tree)) as memory:
        made = memory.remember("Tax is added per row", refs=["shop/cart.py#total"])
        write(tree, "shop/cart.py", "def other():\n    return 1\n")
        write(tree, "shop/bill.py", total + "\n\ndef more():\n    return 2\n")
        assert made.id is not None
        assert memory.show(made.id).links[0].finding.state == DELETED


def test_a_stub_that_declares_it_does_not_hide_where_it_moved(
    open_memory: OpenMemory, tree: Path, git: Git, history: list[str]
) -> None:
    body = (
        "    def add(self, tag, weak):\n        if weak:\n            self.weak.add(tag)\n        self.tags.add({})\n"
    )
    git(tree, "checkout", "-q", history[0])
    write(tree, "shop/all.py", f"{FILLER}class Tags(object):\n{body.format('tag')}")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "one file")
    with open_memory(str(tree)) as memory:
        made = memory.remember("Weak tags are kept twice", refs=["shop/all.py#Tags.add"])
        write(tree, "shop/all.py", FILLER)
        write(tree, "shop/tags.py", f"class Tags:\n{body.format('str(tag)')}")
        write(tree, "shop/tags.pyi", "class Tags:\n    def add(self, tag: str, weak: bool) -> None: ...\n")
        assert made.id is not None
        link = memory.show(made.id).links[0]
        assert (link.finding.state, link.finding.path) == (CHANGED, "shop/tags.py")


def test_verifying_in_one_worktree_makes_nothing_stale_in_another(
    open_memory: OpenMemory, tree: Path, tmp_path: Path, git: Git, history: list[str]
) -> None:
    second = tmp_path / "second"
    git(tree, "checkout", "-q", history[0])
    with open_memory(str(tree)) as memory:
        made = memory.remember("Pools have ten connections", refs=["lib/adapters.py#L3-L5"])
        assert made.id is not None
        git(tree, "worktree", "add", "-q", "-b", "small", str(second), history[0])
        write(second, "lib/adapters.py", f'"""Adapters."""\n\n{POOL.replace("10", "5")}\n\n{FILLER}')
        with open_memory(str(second)) as other:
            assert other.show(made.id).state.is_stale
            assert other.verify([made.id]).memories[0].state.is_stale is False
            assert not other.show(made.id).state.is_stale
        assert not memory.show(made.id).state.is_stale
        write(tree, "lib/adapters.py", f'"""Adapters."""\n\n{POOL.replace("10", "7")}\n\n{FILLER}')
        assert memory.show(made.id).state.is_stale


def test_earlier_pins_survive_an_export(open_memory: OpenMemory, tree: Path, git: Git, history: list[str]) -> None:
    git(tree, "checkout", "-q", history[0])
    with open_memory(str(tree)) as memory:
        made = memory.remember("Pools have ten connections", refs=["lib/adapters.py#L3-L5"])
        assert made.id is not None
        write(tree, "lib/adapters.py", f'"""Adapters."""\n\n{POOL.replace("10", "5")}\n\n{FILLER}')
        memory.verify([made.id])
        reference = memory.show(made.id).version.refs[0]
    assert len(reference.earlier) == 1
    assert CodeReference.from_json(reference.to_json(anchored=True)) == reference


def test_code_does_not_move_into_files_that_are_skipped(
    open_memory: OpenMemory, tree: Path, git: Git, history: list[str]
) -> None:
    """Git lists a bundle as changed. Without an index it is never looked at, so it must not be with one either."""
    git(tree, "checkout", "-q", history[0])
    code = "function parseCookie(text) {\n  const rows = text.split(';');\n  return rows.map((row) => row.trim());\n}\n"
    write(tree, "lib/cookies.js", f"{code}\n\nfunction other(text) {{\n  return text;\n}}\n")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "cookies")
    with open_memory(str(tree)) as memory:
        memory.index()
        made = [
            memory.remember(f"{ref} is about cookies", refs=[f"lib/cookies.js#{ref}"]) for ref in ("L1-L4", "L2-L3")
        ]
        write(tree, "lib/cookies.js", "function other(text) {\n  return text;\n}\n")
        write(tree, "dist/shop.min.js", code)
        git(tree, "add", "-f", "-A")
        git(tree, "commit", "-qm", "bundle")
        states = [memory.show(receipt.id or "").links[0].finding.state for receipt in made]
    assert states == [DELETED, DELETED]


def test_nearby_files_are_searched_first(open_memory: OpenMemory, tree: Path, git: Git, history: list[str]) -> None:
    git(tree, "checkout", "-q", history[0])
    note = "# Connections are closed by the server\n# after ten seconds without a request.\n"
    write(tree, "web/pools.py", f"import os\n\n{note}\nprint(os)\n")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "a comment")
    with open_memory(str(tree)) as memory:
        made = memory.remember("The server closes connections", refs=["web/pools.py#L3-L4"])
        assert made.id is not None
        write(tree, "web/pools.py", "import os\n\nprint(os)\n")
        for number in range(MOST_CHANGED + 10):
            write(tree, f"examples/example_{number}.py", f"print({number})\n")
        write(tree, "web/server.py", f"import sys\n\n{note}\nprint(sys)\n")
        link = memory.show(made.id).links[0]
    assert (link.finding.state, str(link.reference)) == (MOVED, "web/server.py#L3-L4")


def test_the_history_is_not_read_again_for_code_that_is_gone(
    open_memory: OpenMemory, tree: Path, git: Git, history: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only once for each commit that is checked out, though lost code is looked for again after a while."""
    git(tree, "checkout", "-q", history[0])
    with open_memory(str(tree)) as memory:
        made = memory.remember("Pools have ten connections", refs=["lib/adapters.py#L3-L5"])
        assert made.id is not None
        git(tree, "checkout", "-q", "-b", "without", history[0])
        git(tree, "rm", "-q", "lib/adapters.py")
        write(tree, "other.py", "print(1)\n")
        git(tree, "add", "-A")
        git(tree, "commit", "-qm", "no adapters")
        first = memory.show(made.id).links[0]
        assert first.finding.state == DELETED
        assert first.cause is not None
        monkeypatch.setattr(staleness, "_LOOKED_FOR_AGAIN", timedelta(0))
        commands: list[str] = []
        real_ask = GitCheckout.ask

        def ask(checkout: GitCheckout, *arguments: str, **options: object) -> bytes | None:
            commands.append(arguments[0])
            return real_ask(checkout, *arguments, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(GitCheckout, "ask", ask)
        again = memory.show(made.id).links[0]
        assert (again.finding.state, again.cause) == (DELETED, first.cause)
        assert "log" not in commands
        git(tree, "commit", "-q", "--allow-empty", "-m", "another")
        assert memory.show(made.id).links[0].cause == first.cause
        assert "log" in commands
