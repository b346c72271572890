"""The same questions give the same answers, whether a memory is in files or in PostgreSQL."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import pytest
from tests.postgres_server import Postgres

from waypost import Memory, config
from waypost.embed.fake import FakeEngine
from waypost.model.recall import Hit
from waypost.store.postgres.connection import release

DATA = Path(__file__).parent / "one_index"
NOW = datetime(2026, 2, 10, 12, 0, tzinfo=UTC)
TURNS = 40
Both = tuple[Memory, Memory]
Name = tuple[object, ...]


def turns() -> Iterator[dict[str, str]]:
    """What was said in the conversations of the journal."""
    at = NOW
    for place, line in enumerate((DATA / "journal.txt").read_text("utf-8").splitlines()):
        if line.startswith("# "):
            at = datetime.fromisoformat(line[2:]).replace(tzinfo=UTC)
            continue
        head, _, text = line.partition(": ")
        at += timedelta(seconds=40)
        speaker = {"u": "user", "a": "assistant"}[head[0]]
        yield {
            "kind": "conversation", "key": f"turn {place}", "text": text, "speaker": speaker,
            "session": f"{at:%Y-%m-%d}", "time": at.isoformat(),
        }  # fmt: skip


def facts() -> list[dict[str, str]]:
    return [json.loads(line) for line in (DATA / "facts.jsonl").read_text("utf-8").splitlines()]


def questions() -> list[str]:
    """About facts and conversations, in three languages."""
    rows = [json.loads(line) for line in (DATA / "questions.jsonl").read_text("utf-8").splitlines()]
    return [row["q"] for row in rows if row["in"] != "code"]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, postgres_server: Postgres) -> Iterator[Both]:
    """The same things, written in the same order to files and to PostgreSQL; one corrected, one taken back."""
    root, dsn, engine = tmp_path_factory.mktemp("both"), postgres_server.new_database(), FakeEngine()
    (root / "work").mkdir()
    plain = {"WAYPOST_BACKGROUND": "0"}
    sides = [
        config.load({**plain, "WAYPOST_HOME": str(root / "files")}),
        config.load({**plain, "WAYPOST_HOME": str(root / "postgres"), "WAYPOST_STORE": dsn}),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("waypost.memory.spaces.open_engine", lambda _name, _settings: engine)
        patch.setattr("waypost.retrieve.certainty.FITTED_FOR", frozenset())  # as `fake_engine` does
        files, database = (Memory.open(root / "work", settings=one, clock=lambda: NOW) for one in sides)
        for memory in (files, database):
            ids = [receipt.id for receipt in memory.remember_many([*facts(), *islice(turns(), TURNS)])]
            assert ids[0] and ids[3]
            memory.correct(ids[0], text="We chose PostgreSQL: invoices and parcels are written in one transaction.")
            memory.retract(ids[3])
            memory.admin.embed_pending()
        yield files, database
        files.close()
        database.close()
    release(dsn)
    postgres_server.drop_database(dsn)


def name_of(hit: Hit) -> Name:
    """Ids are drawn anew in each store."""
    return hit.kind, hit.key, hit.text, hit.time, hit.session, hit.is_stale


def test_the_first_ten_answers_to_thirty_questions_are_the_same_in_the_same_order(both: Both) -> None:
    asked = questions()
    assert len(asked) >= 30
    overlaps, in_order = [], 0
    for question in asked:
        ours, theirs = ([name_of(hit) for hit in memory.recall(question, 10)] for memory in both)
        assert ours, question
        overlaps.append(len(set(ours) & set(theirs)) / max(len(ours), len(theirs)))
        in_order += ours == theirs
    assert sum(overlaps) / len(overlaps) >= 0.95
    assert in_order / len(asked) >= 0.95


def test_scores_are_the_same_but_for_rounding(both: Both) -> None:
    for question in questions()[:10]:
        ours, theirs = ([hit.score for hit in memory.recall(question, 10)] for memory in both)
        assert ours == pytest.approx(theirs, abs=1e-4)


def test_what_was_corrected_and_taken_back_is_found_in_neither(both: Both) -> None:
    for memory in both:
        found = [hit.text for hit in memory.recall("Why did we choose PostgreSQL instead of MongoDB?", 10)]
        assert any(text.endswith("written in one transaction.") for text in found)
        assert facts()[0]["text"] not in found
        assert facts()[3]["text"] not in [row["text"] for row in memory.list(limit=1000)]


def test_lists_are_the_same(both: Both) -> None:
    ours, theirs = (
        [(row["kind"], row["key"], row["text"]) for row in memory.list(limit=1000)] for memory in both
    )  # fmt: skip
    assert len(ours) > 50
    assert ours == theirs
