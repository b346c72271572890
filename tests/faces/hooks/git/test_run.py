"""What a hook starts: one process at a time looks at the tree, and nothing is made where nothing is remembered."""

from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.conftest import OpenMemory

from waypost.config import Settings
from waypost.faces.hooks.git.run import LOG_NAME, run_event
from waypost.faces.hooks.git.script import PENDING_NAME
from waypost.memory import Memory
from waypost.system.platform import try_lock


@pytest.fixture
def pending(tmp_path: Path) -> Path:
    path = tmp_path / PENDING_NAME
    path.write_text("1\n")
    return path


def test_the_sign_that_somebody_will_look_goes_before_the_look(
    memory: Memory, settings: Settings, pending: Path
) -> None:
    seen: list[bool] = []
    assert run_event(memory.code.root, settings, lambda: seen.append(pending.exists()), pending=pending)
    assert seen == [False]


def test_where_nothing_is_remembered_nothing_is_made(tmp_path: Path, settings: Settings, pending: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert not run_event(tmp_path / "plain", settings, lambda: pytest.fail("called"), pending=pending)
    assert not settings.home.exists()
    assert not pending.exists()


def test_the_next_one_waits_for_the_one_before_and_then_looks_itself(
    memory: Memory, settings: Settings, pending: Path
) -> None:
    told: list[str] = []
    with ExitStack() as first:
        free = first.enter_context(try_lock(memory.space.folder / f"hook-{memory.identity.checkout_id}.lock"))
        assert free

        def wait(_: float) -> None:
            told.append(f"waits, sign: {pending.exists()}")
            first.close()

        assert run_event(memory.code.root, settings, lambda: told.append("looks"), pending=pending, wait=wait)
    assert told == ["waits, sign: True", "looks"]


def test_one_that_waits_for_ever_gives_up(memory: Memory, settings: Settings, pending: Path) -> None:
    with try_lock(memory.space.folder / f"hook-{memory.identity.checkout_id}.lock"):
        called = run_event(
            memory.code.root, settings, lambda: pytest.fail("called"), pending=pending, wait=lambda _: None
        )
    assert not called
    assert not pending.exists()


def test_another_checkout_of_the_space_is_not_waited_for(memory: Memory, settings: Settings) -> None:
    with try_lock(memory.space.folder / "hook-0123456789abcdef.lock"):
        assert run_event(memory.code.root, settings, lambda: None, wait=lambda _: pytest.fail("waits"))


def test_a_failure_is_noted_beside_the_memories_without_their_words(memory: Memory, settings: Settings) -> None:
    def fail() -> None:
        raise ValueError("the words of a memory")

    assert run_event(memory.code.root, settings, fail)
    log = memory.space.folder / LOG_NAME
    assert "ValueError" in log.read_text()
    assert "words" not in log.read_text().replace('the words of a memory")', "")
    assert log.stat().st_mode & 0o077 == 0
    assert run_event(memory.code.root, settings, lambda: None)
    assert not log.exists()


def test_only_a_sign_is_taken_away(open_memory: OpenMemory, settings: Settings, tmp_path: Path) -> None:
    other = tmp_path / "precious.txt"
    other.write_text("mine")
    assert run_event(open_memory().code.root, settings, lambda: None, pending=other)
    assert other.read_text() == "mine"
