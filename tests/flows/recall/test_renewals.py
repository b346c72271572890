"""An older fact is marked if a newer one has the same words of the question."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from waypost.flows.recall.renewals import in_sight, with_renewals
from waypost.model.recall import Hit


def fact(number: int, text: str, words: float = 1.0, certainty: float = 0.9) -> Hit:
    day = datetime(2026, 1, number, tzinfo=UTC)
    return Hit(
        str(number), 0.5, text, "fact", "facts", "agent", day, day, certainty=certainty, evidence={"words": words}
    )


OLD = fact(1, "Spare blades are ordered from Gardena.")
NEW = fact(2, "Spare blades are ordered from Husqvarna.", certainty=0.5)


def marks(*hits: Hit) -> list[str | None]:
    return [hit.newer_id for hit in with_renewals(hits, ["en"] * len(hits))]


def test_the_older_one_of_two_about_the_same_is_marked() -> None:
    assert marks(OLD, NEW) == ["2", None]


@pytest.mark.parametrize(
    "other",
    [
        fact(2, "Spare tyres are ordered from Husqvarna.", words=0.7),  # has less of the question
        fact(2, "Old letters are ordered by date."),
        fact(2, "Spare blades are sharpened by Marta."),
        replace(NEW, source="extractor"),
        replace(NEW, certainty=0.01),
    ],
)
def test_something_else_renews_nothing(other: Hit) -> None:
    assert marks(OLD, other) == [None, None]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Release wheels are built on Linux.", "Release wheels are signed by Marta."),
        ("The staging cluster has three nodes.", "The staging cluster uses ARM machines."),
        ("We release on Tuesdays only.", "Release wheels are built on Linux."),
    ],
)
def test_another_statement_about_the_same_renews_nothing(old: str, new: str) -> None:
    assert marks(fact(1, old), fact(2, new)) == [None, None]


def test_a_value_of_the_same_kind_renews_also_with_another_verb() -> None:
    assert marks(fact(1, "Loki keeps log lines for 14 days."), fact(2, "Loki log lines: 45 days.")) == ["2", None]


def test_an_agent_does_not_renew_what_a_person_stated() -> None:
    assert marks(replace(OLD, source="person"), NEW) == [None, None]


def test_what_says_that_it_changed_is_nearly_as_certain() -> None:
    new = fact(2, "We order spare blades from Husqvarna now.", words=0.5, certainty=0.06)
    assert [hit.certainty for hit in with_renewals([OLD, new], ["en", "en"])] == [0.9, pytest.approx(0.81)]


def test_a_mark_needs_the_newer_one_before_it() -> None:
    old, new = with_renewals([OLD, NEW], ["en", "en"])
    assert [hit.newer_id for hit in in_sight([new, old])] == [None, "2"]
    assert [hit.newer_id for hit in in_sight([old, new])] == [None, None]
