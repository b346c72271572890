"""Duplicates with the real embedding model: the same meaning is merged or skipped, other commitments are added."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from waypost import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path) as opened:
        yield opened


@pytest.mark.slow
def test_a_paraphrase_is_merged_with_the_evidence_of_both(memory: Memory) -> None:
    first = memory.remember("The report is exported as CSV", evidence=["ADR-1"])
    second = memory.remember("The report is exported as CSV every night", evidence=["ADR-2"])
    assert (second.status, second.id) == ("merged", first.id)
    (row,) = memory.list()
    assert (row["text"], row["evidence"]) == ("The report is exported as CSV every night", ["ADR-1", "ADR-2"])
    assert len(memory.history(str(first.id)).versions) == 2


def test_the_same_in_other_words_is_not_stored_twice(memory: Memory) -> None:
    first = memory.remember("Deploys are not allowed on Fridays.")
    second = memory.remember("Deploys on Fridays are not allowed.")
    assert (second.status, second.id) == ("duplicate", first.id)
    assert len(memory.list()) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The cache TTL is 60 minutes", "The cache TTL is 15 minutes"),
        ("Docs live in docs/", "Docs live in doc/"),
        ("The job deletes the file every night", "The job deletes the files every night"),
        ("The table is named user", "The table is named users"),
        ("Imports come from src/util", "Imports come from src/utils"),
        ("Deploys are allowed on Fridays", "Deploys are not allowed on Fridays"),
        ("The flag is enabled", "The flag is disabled"),
        ("Anna owns the billing service", "Boris owns the billing service"),
        ("Das Limit liegt bei 50 Anfragen", "Das Limit liegt bei 500 Anfragen"),
        ("Деплой по пятницам разрешён", "Деплой по пятницам запрещён"),
    ],
)
def test_what_differs_in_a_commitment_is_added_and_offered_as_a_correction(
    memory: Memory, one: str, other: str
) -> None:
    first = memory.remember(one)
    memory.admin.embed_pending()  # the multilingual engine, too
    second = memory.remember(other)
    assert second.status == "added"
    assert {row["text"] for row in memory.list()} == {one, other}
    if second.conflicts_with is not None:
        assert second.conflicts_with == first.id


def test_duplicates_inside_one_batch_meet_as_well(memory: Memory) -> None:
    rows = [
        {"text": "Backups run every night"},
        {"text": "Backups run each night"},
        {"text": "Backups run every night"},
    ]
    statuses = [receipt.status for receipt in memory.remember_many(rows)]
    assert statuses[0] == "added"
    assert statuses[2] == "duplicate"
    assert len({row["id"] for row in memory.list()}) == len([s for s in statuses if s == "added"])


def test_kinds_and_domains_are_judged_apart(memory: Memory) -> None:
    text = "Retries use exponential backoff"
    receipts = memory.remember(text), memory.remember(text, kind="decision"), memory.remember(text, domain="mail")
    assert [receipt.status for receipt in receipts] == ["added"] * 3
