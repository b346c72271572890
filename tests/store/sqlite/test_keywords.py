"""Which words of a question the keyword index is asked for, in a space too large to weigh them all."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.store.protocol import PassageRow
from waypost.store.sqlite import search
from waypost.store.sqlite.store import SqliteStore

T0 = datetime(2026, 1, 1, tzinfo=UTC)


def asked(store: SqliteStore, *terms: str) -> set[str]:
    with store.read() as reader:
        return {hit.memory_id for hit in reader.search.keywords(terms, 10, View(Moment(T0)))}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SqliteStore:
    monkeypatch.setattr(search, "_MOST_WEIGHED", 4)
    store = SqliteStore(tmp_path)
    with store.write() as writer:
        for number, terms in enumerate(("common rare", "common", "common", "common", "common other", "other")):
            new = Version(f"m{number}", "fact", terms, T0, T0, "agent", "test", fingerprint=bytes([number]))
            writer.memories.add(new, [PassageRow(bytes([number] * 16), "en", terms)], ())
    return store


def test_a_word_that_stands_everywhere_is_not_asked_for_beside_a_rare_one(store: SqliteStore) -> None:
    assert asked(store, "common", "rare") == {"m0"}
    assert asked(store, "rare", "Other", "common") == {"m0", "m4", "m5"}


def test_a_word_that_stands_everywhere_is_asked_for_when_no_other_word_is_known(store: SqliteStore) -> None:
    assert asked(store, "common", "unheard") == {"m0", "m1", "m2", "m3", "m4"}


def test_batches_leave_few_segments_to_look_words_up_in(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    for batch in range(12):
        with store.write() as writer:
            for place in range(256):
                text = f"word{place} batch{batch}"
                new = Version(text, "fact", text, T0, T0, "agent", "test", fingerprint=text.encode())
                writer.memories.add(new, [PassageRow(text.encode(), "en", text)], ())
    with store.read() as reader:
        ((segments,),) = reader.database.rows("SELECT count(DISTINCT segid) FROM keywords_idx")
    assert segments <= 4
    assert asked(store, "word7", "batch3") >= {"word7 batch3"}
