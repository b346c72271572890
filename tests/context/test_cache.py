"""A recent context is reused until a file changes."""

import threading
from datetime import UTC, datetime, timedelta

import pytest

from waypost.context.cache import ContextCache, ContextKey, context_key
from waypost.model.scope import ScopeTask


class StandingClock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 30, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def standing() -> StandingClock:
    return StandingClock()


@pytest.fixture
def cache(standing: StandingClock) -> ContextCache[str]:
    return ContextCache(standing)


def key(*words: str, space: str = "s", task_type: str = "bug", variant: tuple[object, ...] = ()) -> ContextKey:
    return context_key(space, ScopeTask(" ".join(words), words, words, task_type), *variant)


def test_the_same_keywords_in_another_order_find_what_was_made(cache: ContextCache[str]) -> None:
    cache.put(key("login", "cart"), "made", 1)
    assert cache.get(key("cart", "login"), 1) == "made"


@pytest.mark.parametrize(
    "other",
    [
        key("login", "cart"),
        key("login", space="t"),
        key("login", task_type="feature"),
        key("login", variant=("scope", 400)),
        key("a", "b", "c", "d", "e", "login"),
    ],
)
def test_another_request_finds_nothing(cache: ContextCache[str], other: ContextKey) -> None:
    cache.put(key("login"), "made", 1)
    assert cache.get(other, 1) is None


def test_a_changed_file_makes_an_entry_void_for_good(cache: ContextCache[str]) -> None:
    cache.put(key("login"), "made", 1)
    assert cache.get(key("login"), 2) is None
    assert cache.get(key("login"), 1) is None


def test_what_was_made_while_a_file_changed_is_not_found_afterwards(cache: ContextCache[str]) -> None:
    before = 1
    cache.put(key("login"), "made of the old file", before)
    assert cache.get(key("login"), 2) is None


def test_an_entry_lives_for_300_seconds(cache: ContextCache[str], standing: StandingClock) -> None:
    cache.put(key("login"), "made", 1)
    standing.now += timedelta(seconds=299.9)
    assert cache.get(key("login"), 1) == "made"
    standing.now += timedelta(seconds=0.1)
    assert cache.get(key("login"), 1) is None


def test_reading_an_entry_does_not_make_it_live_longer(cache: ContextCache[str], standing: StandingClock) -> None:
    cache.put(key("login"), "made", 1)
    for _ in range(4):
        standing.now += timedelta(seconds=100)
        found = cache.get(key("login"), 1)
    assert found is None


def test_a_clock_that_was_set_back_makes_an_entry_void(cache: ContextCache[str], standing: StandingClock) -> None:
    cache.put(key("login"), "made", 1)
    standing.now -= timedelta(hours=1)
    assert cache.get(key("login"), 1) is None


def test_of_eleven_entries_the_least_recently_used_is_gone(cache: ContextCache[str]) -> None:
    for number in range(10):
        cache.put(key(f"word{number}"), str(number), 1)
    assert cache.get(key("word0"), 1) == "0"
    cache.put(key("word10"), "10", 1)
    assert len(cache) == 10
    assert cache.get(key("word1"), 1) is None
    assert cache.get(key("word0"), 1) == "0"


def test_many_threads_may_use_it_at_once(cache: ContextCache[str]) -> None:
    start = threading.Barrier(8)
    wrong: list[str] = []

    def use(thread: int) -> None:
        start.wait(10)
        for turn in range(500):
            name = f"word{(thread + turn) % 25}"
            cache.put(key(name), name, 1)
            found = cache.get(key(name), 1)
            if found not in (name, None):
                wrong.append(name)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert wrong == []
    assert len(cache) == 10
