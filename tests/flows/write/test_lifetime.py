"""How long a memory lives, what renews it, and what happens when it expires."""

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import OpenMemory, TestClock
from tests.home_files import contents

from waypost import Memory
from waypost.errors import InvalidInput, NotFound, Refused
from waypost.facts.ageing import RUN_OUT
from waypost.flows.erase.expiry import Expired, process_expired
from waypost.flows.write.lifetime import expired_memories, set_ttl
from waypost.model.memory import Caller, State

UPKEEP = Caller("extractor", "test")
PERSON = Caller("person", "anna")
WORDS = ("quixzanthal", "Brückenzollmaut", "ъёжикоград")
TEXT = f"The launch code word is {WORDS[0]}, in German {WORDS[1]}, in Russian {WORDS[2]}"


def fact(memory: Memory, text: str = "Uploads use S3 multipart", **options: Any) -> str:
    found = memory.remember(text, **options).id
    assert found
    return found


def state_of(memory: Memory, memory_id: str) -> State:
    return memory.show(memory_id).state


def end(memory: Memory, *, dry_run: bool = False) -> Expired:
    return process_expired(memory.space, UPKEEP, dry_run=dry_run)


def listed(memory: Memory, **options: Any) -> list[str]:
    return [row["id"] for row in memory.list(**options)]


def traces(memory: Memory) -> list[str]:
    """Pieces of the words found in any file under the home: an index may store only tails."""
    home = memory.space.folder.parent.parent
    content = b"\n".join(contents(home).values()).lower()
    pieces = [piece for word in WORDS for piece in (word, word[4:], word[:-3])]
    return [piece for piece in pieces if piece.lower().encode() in content or piece.encode() in content]


# -- setting ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ttl_class", "days", "action"),
    [
        ("architecture", 30, "stale"),
        ("api_contract", 7, "stale"),
        ("implementation", 3, "archive"),
        ("session", 1, "delete"),
    ],
)
def test_a_class_says_how_long_and_what_then(
    memory: Memory, clock: TestClock, ttl_class: str, days: int, action: str
) -> None:
    one = fact(memory)
    lasting = memory.facts.set_ttl(one, ttl_class=ttl_class)
    assert lasting.state.expires_at == clock.now + timedelta(days=days)
    assert (lasting.state.on_expire, lasting.state.ttl_class) == (action, ttl_class)
    assert bool(lasting.state.refresh) == (ttl_class == "api_contract")
    clock.advance(days=days, microseconds=-1)
    assert end(memory).count == 0
    clock.advance(microseconds=1)
    done = end(memory)
    assert {"stale": done.stale, "archive": done.archived, "delete": done.deleted}[action] == [one]
    assert done.count == 1


def test_a_lifetime_by_hand_goes_stale_unless_told(memory: Memory) -> None:
    one = fact(memory)
    assert memory.facts.set_ttl(one, 60).state.on_expire == "stale"
    assert memory.facts.set_ttl(one, 60, on_expire="archive").state.on_expire == "archive"
    changed = memory.facts.set_ttl(one, refresh=["src/**"])
    assert (changed.state.ttl_seconds, changed.state.on_expire, changed.state.refresh) == (60, "archive", ("src/**",))


def test_a_lifetime_can_be_taken_away(memory: Memory, clock: TestClock) -> None:
    one = fact(memory, ttl_class="api_contract")
    clock.advance(days=8)
    assert state_of(memory, one).is_stale
    assert memory.facts.set_ttl(one).state == State()
    clock.advance(days=400)
    assert end(memory).count == 0
    assert not state_of(memory, one).is_stale


@pytest.mark.parametrize(
    "options",
    [
        {"seconds": 0},
        {"seconds": -5},
        {"seconds": True},
        {"seconds": 10**12},
        {"seconds": 5, "on_expire": "explode"},
        {"ttl_class": "eternal"},
        {"seconds": 5, "refresh": ["["]},
        {"seconds": 5, "refresh": ["x" * 10_000]},
        {"seconds": 5, "refresh": ["*.py"] * 1_000},
        {"refresh": ["*.py"]},
        {"on_expire": "archive"},
    ],
)
def test_what_cannot_be_meant_is_refused_and_changes_nothing(memory: Memory, options: dict[str, Any]) -> None:
    one = fact(memory)
    with pytest.raises(InvalidInput):
        set_ttl(memory.space, one, PERSON, **options)
    assert state_of(memory, one) == State()


def test_journal_entries_and_what_is_not_there_have_no_lifetime(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="journal"):
        fact(memory, "We met at noon", kind="note", ttl=60)
    said = fact(memory, "We met at noon", kind="note")
    with pytest.raises(InvalidInput, match="journal"):
        memory.facts.set_ttl(said, 60)
    gone = fact(memory)
    memory.retract(gone)
    with pytest.raises(NotFound):
        memory.facts.set_ttl(gone, 60)
    with pytest.raises(NotFound):
        memory.facts.set_ttl("0" * 26, 60)


def test_an_agent_cannot_set_how_long_a_persons_words_live(memory: Memory) -> None:
    person = Memory(memory.identity, memory.space.settings, PERSON, memory.space.clock)
    theirs = fact(person)
    for options in ({"seconds": 60, "on_expire": "delete"}, {"ttl_class": "session"}, {"seconds": 60}, {}):
        with pytest.raises(Refused, match="only a person can"):
            memory.facts.set_ttl(theirs, **options)
    assert person.facts.set_ttl(theirs, 60, on_expire="archive").state.on_expire == "archive"
    assert person.facts.set_ttl(theirs, 60, on_expire="delete").state.on_expire == "delete"


def test_setting_is_audited_without_words_or_paths(memory: Memory) -> None:
    one = fact(memory, TEXT)
    memory.facts.set_ttl(one, 60, refresh=["secret/place/*.py"])
    entry = memory.admin.audit(one)[0]
    assert (entry.action, entry.details["seconds"], entry.details["on_expire"]) == ("ttl", 60, "stale")
    assert "secret" not in str(entry.details)


# -- the end ---------------------------------------------------------------------------------------------------


def test_what_went_stale_waits_for_review_and_is_found_all_the_same(memory: Memory, clock: TestClock) -> None:
    first, second = fact(memory, ttl=120), fact(memory, "Deploys run on Fridays", ttl=60)
    lasting = fact(memory, "Tests use pytest")
    clock.advance(seconds=300)
    assert [one.id for one in expired_memories(memory.space)] == [second, first]  # before anybody has put it down
    done = end(memory)
    assert sorted(done.stale) == sorted([first, second])
    reviewed = expired_memories(memory.space)
    assert [one.id for one in reviewed] == [second, first]
    assert reviewed[0].stale_since == clock.now - timedelta(seconds=240)
    assert reviewed[0].state.stale_reason == RUN_OUT
    hits = {hit.id: hit.is_stale for hit in memory.recall("uploads deploys tests", k=10)}
    assert hits == {first: True, second: True, lasting: False}
    assert all(hit.id == lasting for hit in memory.recall("uploads deploys tests", k=10, fresh=True))


def test_what_is_archived_is_out_of_recall_unless_asked_for(memory: Memory, clock: TestClock) -> None:
    one = fact(memory, ttl_class="implementation")
    recorded = clock.now
    clock.advance(days=3)
    for _ in ("before anybody has put it away", "after"):
        assert memory.recall("uploads", k=5).hits == ()
        assert listed(memory) == []
        assert listed(memory, archived=True) == [one]
        assert [hit.id for hit in memory.recall("uploads", k=5, archived=True)] == [one]
        assert expired_memories(memory.space) == ()
        assert [found.id for found in expired_memories(memory.space, include_archived=True)] == [one]
        end(memory)
    assert state_of(memory, one).archived_at == clock.now
    assert memory.show(one).version.text == "Uploads use S3 multipart"
    for moment in (recorded, recorded + timedelta(days=2)):
        assert [hit.id for hit in memory.recall("uploads", k=5, known_at=moment)] == [one]
        assert listed(memory, as_of=moment, known_at=moment) == [one]
    assert listed(memory, known_at=recorded + timedelta(days=3)) == []


@pytest.mark.slow
def test_what_is_deleted_leaves_nothing_in_any_file(memory: Memory, clock: TestClock) -> None:
    memory.remember_many(
        [{"text": f"Filler {n} about the launch of rocket {n * 7}", "kind": "note"} for n in range(200)]
    )
    one = fact(memory, TEXT, ttl_class="session")
    clock.advance(hours=1)
    memory.correct(one, TEXT + ", as of today")  # an older version is a copy too
    memory.admin.export()
    memory.admin.export(form="json", embeddings=True)
    clock.advance(days=1)
    assert traces(memory)  # the control: hidden is not gone
    assert memory.recall("launch code word", k=5, archived=True)[0].id != one
    done = end(memory)
    assert (done.deleted, done.complete, len(done.exports_changed)) == ([one], True, 2)
    assert traces(memory) == []
    memory.close()
    assert traces(memory) == []
    with pytest.raises(NotFound):
        memory.history(one)
    assert [entry.action for entry in memory.admin.audit(one)] == ["expire", "correct", "remember"]
    assert all(word not in str(memory.admin.audit(limit=1_000)) for word in WORDS)
    assert [export.memories for export in memory.admin.exports()] == [200, 200]


def test_what_was_deleted_may_be_said_again(memory: Memory, clock: TestClock) -> None:
    one = fact(memory, TEXT, ttl_class="session")
    clock.advance(days=1)
    assert end(memory).deleted == [one]
    again = memory.remember(TEXT)
    assert again.status == "added"
    assert again.id != one


@pytest.mark.parametrize("how", ["replaced", "retracted"])
def test_what_was_given_up_before_its_end_is_deleted_all_the_same(memory: Memory, clock: TestClock, how: str) -> None:
    one = fact(memory, TEXT, ttl_class="session")
    clock.advance(hours=1)
    if how == "replaced":
        memory.remember("There is no code word any more", replaces=one)
    else:
        memory.retract(one)
    clock.advance(days=1)
    assert traces(memory)
    assert end(memory).deleted == [one]
    assert traces(memory) == []


def test_another_memory_that_says_the_same_for_another_time_stays(memory: Memory, clock: TestClock) -> None:
    one = fact(memory, valid_from="2020-01-01", valid_until="2021-01-01", ttl=60, on_expire="delete")
    other = fact(memory, valid_from="2023-01-01")
    assert one != other
    memory.admin.export()
    clock.advance(days=1)
    assert end(memory).deleted == [one]
    assert listed(memory) == [other]
    assert [export.memories for export in memory.admin.exports()] == [1]


@pytest.mark.parametrize("action", ["stale", "archive", "delete"])
def test_what_is_protected_never_ends(memory: Memory, clock: TestClock, action: str) -> None:
    one = fact(memory, ttl=60, on_expire=action)
    memory.protect(one)
    clock.advance(days=100)
    done = end(memory)
    assert (done.count, done.protected) == (0, [one])
    assert listed(memory) == [one]
    assert not state_of(memory, one).is_stale
    assert expired_memories(memory.space, include_archived=True) == ()


def test_a_dry_run_says_what_would_happen_and_does_nothing(memory: Memory, clock: TestClock) -> None:
    stale = fact(memory, ttl=60)
    archived = fact(memory, "Deploys run on Fridays", ttl_class="implementation")
    deleted = fact(memory, "Today we look at the cache", ttl_class="session")
    clock.advance(days=4)
    before = memory.admin.audit(limit=100)
    told = end(memory, dry_run=True)
    assert (told.stale, told.archived, told.deleted) == ([stale], [archived], [deleted])
    assert told.to_json()["count"] == 3
    assert memory.admin.audit(limit=100) == before
    assert memory.show(deleted).state.archived_at is None
    done = end(memory)
    assert (done.stale, done.archived, done.deleted) == ([stale], [archived], [deleted])
    assert end(memory).count == 0
    assert end(memory, dry_run=True).count == 0


def test_upkeep_ends_lifetimes_on_every_run(memory: Memory, clock: TestClock) -> None:
    fact(memory, ttl=60, on_expire="archive")
    clock.advance(minutes=2)
    told = {step.step: step for step in memory.admin.maintain(dry_run=True)}
    assert (told["lifetimes"].done, told["lifetimes"].message) == (1, "expired: 1 to be archived")
    assert {step.step: step for step in memory.admin.maintain()}["lifetimes"].message == "expired: 1 archived"
    fact(memory, "Deploys run on Fridays", ttl=60)
    clock.advance(minutes=2)
    again = {step.step: step for step in memory.admin.maintain()}["lifetimes"]
    assert (again.done, again.skipped) == (1, False)


def test_the_worker_ends_lifetimes_too(memory: Memory, clock: TestClock) -> None:
    fact(memory, TEXT, ttl_class="session")
    clock.advance(days=1)
    memory.admin.run_worker()
    assert traces(memory) == []


@pytest.mark.slow
def test_many_end_in_small_transactions(memory: Memory, clock: TestClock) -> None:
    memory.remember_many([{"text": f"alpha{n} beta{n} gamma{n}", "ttl_class": "session"} for n in range(250)])
    clock.advance(days=1)
    assert len(end(memory).deleted) == 250
    assert memory.list(archived=True, limit=1_000) == []


@pytest.mark.slow
def test_two_processes_at_once_end_each_memory_once(memory: Memory, clock: TestClock) -> None:
    count = 240
    memory.remember_many(
        [
            {
                "text": f"alpha{n} beta{n} gamma{n}",
                "ttl": 60,
                "on_expire": ("stale", "archive", "delete")[n % 3],
            }
            for n in range(count)
        ]
    )
    script = (
        "import sys\n"
        "from datetime import datetime\n"
        "from waypost import Memory\n"
        "from waypost.flows.erase.expiry import process_expired\n"
        "from waypost.model.memory import Caller\n"
        "later = datetime.fromisoformat(sys.argv[2])\n"
        "memory = Memory.open(sys.argv[1], clock=lambda: later)\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "print(process_expired(memory.space, Caller('extractor', 'test')).count)\n"
    )
    later = clock.now + timedelta(days=1)
    environment = {**os.environ, "WAYPOST_MODELS": os.devnull}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(memory.code.root), later.isoformat()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for _ in range(2)
    ]
    for one in both:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    for one in both:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    done = [int(one.communicate()[0]) for one in both]
    assert [one.returncode for one in both] == [0, 0]
    assert sum(done) == count
    endings = [entry.memory_id for entry in memory.admin.audit(limit=10_000) if entry.action == "expire"]
    assert len(endings) == len(set(endings)) == count


# -- back again ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["stale", "archive"])
@pytest.mark.parametrize("put_away", [False, True])
@pytest.mark.parametrize("how", ["verify", "ttl", "correct", "said again"])
def test_somebody_says_that_it_is_still_true(
    memory: Memory, clock: TestClock, action: str, put_away: bool, how: str
) -> None:
    one = fact(memory, ttl=3_600, on_expire=action)
    clock.advance(days=1)
    if put_away:
        end(memory)
    if how == "verify":
        assert [found.id for found in memory.verify(one).memories] == [one]
    elif how == "ttl":
        memory.facts.set_ttl(one, 3_600, on_expire=action)
    elif how == "correct":
        memory.correct(one, "Uploads use S3 in parts")
    else:
        assert memory.remember("Uploads use S3 multipart", ttl=3_600, on_expire=action).id == one
    state = state_of(memory, one)
    assert (state.expires_at, state.archived_at, state.is_stale) == (clock.now + timedelta(hours=1), None, False)
    assert [hit.id for hit in memory.recall("uploads", fresh=True)] == [one]
    assert expired_memories(memory.space, include_archived=True) == ()
    clock.advance(hours=2)
    assert end(memory).count == 1


@pytest.mark.parametrize("ended", [False, True])
@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("text", ["Uploads use S3 multipart", "Uploads use S3 multipart."])
def test_what_is_said_for_good_is_not_lost_with_what_was_said_for_a_day(
    memory: Memory, clock: TestClock, text: str, batch: bool, ended: bool
) -> None:
    one = fact(memory, ttl_class="session")
    clock.advance(hours=30 if ended else 1)
    receipt = memory.remember_many([{"text": text}])[0] if batch else memory.remember(text)
    assert (receipt.id, receipt.status) in ((one, "duplicate"), (one, "merged"))
    clock.advance(days=10)
    assert end(memory).count == 0
    assert listed(memory) == [one]


def test_a_batch_that_says_again_what_is_about_to_be_deleted_is_kept_for_its_time(
    memory: Memory, clock: TestClock
) -> None:
    one = fact(memory, ttl_class="session")
    clock.advance(days=2)
    assert memory.remember_many([{"text": "Uploads use S3 multipart", "ttl_class": "session"}])[0].id == one
    assert end(memory).count == 0
    assert listed(memory) == [one]


def test_an_import_keeps_when_its_time_ends(open_memory: OpenMemory, clock: TestClock, tmp_path: Path) -> None:
    here, there = open_memory("here"), open_memory("there")
    one = fact(here, ttl=3_600, on_expire="archive", refresh=["src/**"])
    clock.advance(minutes=30)
    path = here.admin.export(tmp_path / "out.jsonl").path
    assert [receipt.status for receipt in there.admin.import_file(path)] == ["added"]
    state = state_of(there, one)
    assert state.expires_at == clock.now + timedelta(minutes=30)
    assert (state.ttl_seconds, state.on_expire, state.refresh) == (3_600, "archive", ("src/**",))
