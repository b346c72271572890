"""A changed file renews the lifetimes of matching memories."""

import os
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Git, TestClock

from waypost import Memory
from waypost.flows.erase.expiry import process_expired
from waypost.flows.write.ttl_refresh import refresh_for
from waypost.model.memory import Caller, State

pytestmark = pytest.mark.slow  # not for the inner loop


def fact(memory: Memory, text: str, **options: Any) -> str:
    found = memory.remember(text, **options).id
    assert found
    return found


def state_of(memory: Memory, memory_id: str) -> State:
    return memory.show(memory_id).state


def end(memory: Memory) -> list[str]:
    done = process_expired(memory.space, Caller("extractor", "test"))
    return [*done.stale, *done.archived, *done.deleted]


def listed(memory: Memory, **options: Any) -> list[str]:
    return [row["id"] for row in memory.list(**options)]


def write(memory: Memory, path: str, text: str) -> Path:
    target = memory.code.root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    before = target.stat().st_mtime_ns if target.exists() else 0
    target.write_text(text, encoding="utf-8")
    os.utime(target, ns=(before + 5_000_000_000,) * 2)
    return target


@pytest.fixture
def indexed(memory: Memory) -> Memory:
    write(memory, "src/api/users.py", "def users():\n    return []\n")
    write(memory, "src/model.py", "def model():\n    return 1\n")
    memory.index()
    return memory


def left(memory: Memory, one: str, now: datetime) -> timedelta:
    expires = state_of(memory, one).expires_at
    assert expires
    return expires - now


def test_a_change_of_a_matching_file_gives_it_its_time_again(indexed: Memory, clock: TestClock) -> None:
    contract = fact(indexed, "GET /users answers with a list", ttl_class="api_contract")
    other = fact(indexed, "The model is one", ttl=86_400 * 7, refresh=["src/other/**"])
    clock.advance(days=5)
    write(indexed, "src/api/users.py", "def users():\n    return [1]\n")
    indexed.code.update(["src/api/users.py"])
    assert left(indexed, contract, clock.now) == timedelta(days=7)
    assert left(indexed, other, clock.now) == timedelta(days=2)


@pytest.mark.parametrize("how", ["update", "track", "index", "made", "deleted", "moved away", "finish", "asked"])
def test_it_does_not_matter_who_notices_the_change(indexed: Memory, clock: TestClock, how: str) -> None:
    contract = fact(indexed, "GET /users answers with a list", ttl_class="api_contract")
    clock.advance(days=8)
    assert end(indexed) == [contract]
    place = indexed.code.root / "src/api/users.py"
    if how == "made":
        write(indexed, "src/api/orders.py", "def orders(): ...\n")
        indexed.code.update(["src/api/orders.py"])
    elif how == "deleted":
        place.unlink()
        indexed.code.update(["src/api/users.py"])
    elif how == "moved away":
        place.rename(indexed.code.root / "src/people.py")
        indexed.index()
    else:
        write(indexed, "src/api/users.py", "def users():\n    return [1]\n")
    if how == "update":
        indexed.code.update(["src/api/users.py"])
    elif how == "track":
        indexed.code.track("src/api/users.py")
        indexed.admin.maintain()
    elif how == "index":
        indexed.index()
    elif how == "finish":
        indexed.code.finish_task("Users are numbered")
    elif how == "asked":
        indexed.recall("users", scope="functions", k=5)
    state = state_of(indexed, contract)
    assert (state.expires_at, state.is_stale, state.stale_reason) == (clock.now + timedelta(days=7), False, None)


@pytest.mark.parametrize("how", ["touched", "forced", "first index", "left out"])
def test_a_file_that_did_not_change_renews_nothing(indexed: Memory, clock: TestClock, how: str) -> None:
    contract = fact(indexed, "GET /users answers with a list", ttl_class="api_contract")
    clock.advance(days=5)
    place = indexed.code.root / "src/api/users.py"
    if how == "touched":
        os.utime(place, ns=(10**18, 10**18))
        indexed.code.update(["src/api/users.py"])
    elif how == "forced":
        indexed.index(force=True)
    elif how == "left out":
        indexed.index(exclude=["src/api/**"])
    else:
        with indexed.space.store.write() as writer:
            for path in writer.code.files(indexed.identity.checkout_id):
                writer.code.drop_file(indexed.identity.checkout_id, path)
        indexed.index()
    assert left(indexed, contract, clock.now) == timedelta(days=2)


@pytest.mark.parametrize("put_away", [False, True])
def test_a_file_does_not_call_back_what_is_archived(indexed: Memory, clock: TestClock, put_away: bool) -> None:
    one = fact(indexed, "GET /users answers with a list", ttl=60, on_expire="archive", refresh=["src/api/**"])
    clock.advance(days=1)
    if put_away:
        end(indexed)
    write(indexed, "src/api/users.py", "def users():\n    return [1]\n")
    indexed.code.update(["src/api/users.py"])
    assert one not in listed(indexed)
    assert one in listed(indexed, archived=True)


def test_a_commit_renews_in_a_tree_that_nobody_indexes(memory: Memory, clock: TestClock, git: Git) -> None:
    git(memory.code.root, "init", "-q", "-b", "main")
    write(memory, "src/api/users.py", "def users(): ...\n")
    git(memory.code.root, "add", ".")
    git(memory.code.root, "commit", "-qm", "Users")
    memory = Memory.open(memory.code.root, clock=clock)
    contract = fact(memory, "GET /users answers with a list", ttl_class="api_contract")

    def days_left_after_the_hook() -> float:
        memory.code.git_changed()
        return left(memory, contract, clock.now) / timedelta(days=1)

    clock.advance(days=1)
    assert days_left_after_the_hook() == 7  # the commit that was made just now, as far as we know
    clock.advance(days=1)
    assert days_left_after_the_hook() == 6  # the same commit again
    write(memory, "src/api/lying_about.py", "def later(): ...\n")
    write(memory, "README.md", "# Shop\n")
    git(memory.code.root, "add", "README.md")
    git(memory.code.root, "commit", "-qm", "Say what it is")
    clock.advance(days=1)
    assert days_left_after_the_hook() == 5  # what is in no commit does not count, again and again
    write(memory, "src/api/users.py", "def users(): return []\n")
    git(memory.code.root, "add", "src/api/users.py")
    git(memory.code.root, "commit", "-qm", "Answer with a list")
    assert days_left_after_the_hook() == 7


def test_a_thousand_memories_and_a_thousand_files_take_a_moment(memory: Memory, clock: TestClock) -> None:
    drafts = [{"text": f"alpha{n} beta{n} gamma{n}", "ttl": 60, "refresh": f"src/m{n}/**/*.py"} for n in range(1_000)]
    memory.remember_many(drafts)
    paths = [f"src/m{n % 50}/sub/file_{n}.py" for n in range(1_000)]
    began = time.process_time()
    assert refresh_for(memory.space, paths) == 50
    assert time.process_time() - began < 1.0  # about 20 ms


def test_globs_that_cannot_be_read_stop_nobody(indexed: Memory, clock: TestClock) -> None:
    bad = fact(indexed, "GET /users answers with a list", ttl=60)
    with indexed.space.store.write() as writer:
        writer.memories.set_state(bad, refresh=("[", "{a,b}" * 30, "**/" * 160 + "x"))
    good = fact(indexed, "Users are a list", ttl=60, refresh=["src/api/**"])
    write(indexed, "src/api/users.py", "def users():\n    return [1]\n")
    clock.advance(seconds=30)
    indexed.code.update(["src/api/users.py"])
    assert (left(indexed, bad, clock.now), left(indexed, good, clock.now)) == (
        timedelta(seconds=30),
        timedelta(seconds=60),
    )
