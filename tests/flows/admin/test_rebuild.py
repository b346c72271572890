"""Everything derived is rebuilt from what is kept, with the same answers."""

from pathlib import Path

import pytest
from tests.conftest import OpenMemory, TestClock

from waypost import Memory

QUESTIONS = (
    "Which port does the billing server use?",
    "Who moved the mail queue?",
    "server 17",
    "Was hat Anna über die Warteschlange gesagt?",
    "cache",
)


@pytest.fixture
def lived_in(open_memory: OpenMemory, clock: TestClock, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """A memory with a past: corrected, replaced, retracted, rejected and forgotten memories, three languages, turns."""
    monkeypatch.setattr("waypost.store.sqlite.vectors._SIDECAR_FROM", 32)
    memory = open_memory()
    subjects = ("billing", "search", "mail", "login")
    memory.remember_many(
        [{"text": f"The {subjects[n % 4]} server {n} uses port {8000 + n}", "kind": "note"} for n in range(80)]
    )
    facts = [str(memory.remember(f"The cache of team {n} holds {n * 10} entries").id) for n in range(8)]
    memory.remember_many(
        [
            {"text": "Anna moved the mail queue", "kind": "conversation", "session": "s1", "speaker": "Anna"},
            {"text": "Die Warteschlange läuft jetzt auf dem neuen Server", "kind": "conversation", "session": "s1"},
            {"text": "Очередь писем теперь работает быстрее", "kind": "conversation", "session": "s1"},
        ]
    )
    clock.advance(days=1)
    memory.correct(facts[0], "The cache of team 0 holds 99 entries")
    memory.remember("The cache of team 1 was removed", replaces=facts[1])
    memory.retract(facts[2])
    memory.retract(facts[3], valid_until=clock.advance(days=1))
    memory.reject(facts[4])
    memory.forget(facts[5])
    clock.advance(days=1)
    return memory


def answers(memory: Memory) -> list[list[tuple[str, str, float]]]:
    return [[(hit.id, hit.text, round(hit.score, 6)) for hit in memory.recall(q, k=20)] for q in QUESTIONS]


def contents(memory: Memory) -> list[tuple[object, ...]]:
    """Everything derived, without the ids of its rows."""
    with memory.space.store.read() as reader:
        rows = reader.database.connection.execute  # type: ignore[attr-defined]
        passages = rows("SELECT number, hash, language FROM passages ORDER BY number, passage_id").fetchall()
        vectors = rows("SELECT engine_id, hash, language, packed FROM vectors ORDER BY 1, 2").fetchall()
        owed = rows("SELECT count(*) FROM owed").fetchall()
    return [*passages, *vectors, *owed]


def sidecars(memory: Memory) -> list[Path]:
    return sorted(memory.space.folder.glob("vectors-*.bin"))


@pytest.mark.slow
def test_a_rebuilt_memory_gives_the_same_answers(lived_in: Memory) -> None:
    before, derived = answers(lived_in), contents(lived_in)
    assert all(before)
    assert set(lived_in.admin.rebuild().values()) == {0}
    assert contents(lived_in) == derived
    assert answers(lived_in) == before
    lived_in.close()
    assert answers(lived_in) == before


@pytest.mark.slow
def test_so_does_one_without_its_sidecars(lived_in: Memory) -> None:
    before = answers(lived_in)
    lived_in.close()
    assert sidecars(lived_in)
    lived_in.close()
    for path in sidecars(lived_in):
        path.unlink()
    lived_in.close()
    assert answers(lived_in) == before
    lived_in.admin.rebuild()
    lived_in.close()
    assert answers(lived_in) == before


@pytest.mark.slow
def test_a_damaged_keyword_index_and_lost_vectors_are_made_again(lived_in: Memory) -> None:
    before, derived = answers(lived_in), contents(lived_in)
    with lived_in.space.store.write() as writer:
        database = writer.database.connection  # type: ignore[attr-defined]
        database.execute("INSERT INTO keywords (keywords) VALUES ('delete-all')")
        database.execute("DELETE FROM vectors")
    lived_in.close()
    assert answers(lived_in) != before  # the control
    lived_in.admin.rebuild()
    lived_in.close()
    assert contents(lived_in) == derived
    assert answers(lived_in) == before


@pytest.mark.slow
def test_what_was_forgotten_or_rejected_does_not_come_back(lived_in: Memory) -> None:
    lived_in.admin.rebuild()
    texts = {row["text"] for row in lived_in.list(limit=1000)}
    assert "The cache of team 7 holds 70 entries" in texts
    for number in (1, 2, 4, 5):
        assert f"The cache of team {number} holds {number * 10} entries" not in texts
    assert lived_in.remember("The cache of team 5 holds 50 entries").status == "refused"


@pytest.mark.slow
def test_the_past_can_still_be_asked_after_a_rebuild(lived_in: Memory, clock: TestClock) -> None:
    then = "2026-01-30T12:00:00Z"
    before = [hit.text for hit in lived_in.recall("cache of team", k=20, known_at=then)]
    lived_in.admin.rebuild()
    assert [hit.text for hit in lived_in.recall("cache of team", k=20, known_at=then)] == before
    assert "The cache of team 0 holds 0 entries" in before


@pytest.mark.slow
def test_a_rebuild_is_audited(memory: Memory) -> None:
    memory.admin.rebuild()
    assert [entry.action for entry in memory.admin.audit()] == ["rebuild"]
