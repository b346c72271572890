"""An older fact is marked if a newer one probably states another value for its subject."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import cast

import pytest

from waypost.flows.recall.renewals import MOST_READ, Likeness, in_sight, maybe_renewing, with_renewals
from waypost.model.recall import Hit
from waypost.retrieve.answer_order import one_list
from waypost.retrieve.calibration import ServingEngines
from waypost.store.protocol import Reader, VersionSketch

OTHERS = ("Invoices leave at night.", "The wiki is down.", "Room Curie is blue.", "Lunch is at noon.", "Tabs are wide.")


def fact(number: int, text: str, words: float = 1.0, certainty: float = 0.9) -> Hit:
    day = datetime(2026, 1, number, tzinfo=UTC)
    return Hit(
        str(number), 0.5, text, "fact", "facts", "agent", day, day, certainty=certainty, evidence={"words": words}
    )


OLD = fact(1, "Spare blades are ordered from Gardena.")
NEW = fact(2, "Spare blades are ordered from Husqvarna.", certainty=0.5)


def marks(*hits: Hit, language: str = "en", likeness: Likeness | None = None) -> list[str | None]:
    return [hit.newer_id for hit in with_renewals(hits, [language] * len(hits), likeness or {})]


def test_the_older_one_of_two_about_the_same_is_marked() -> None:
    assert marks(OLD, NEW) == ["2", None]


@pytest.mark.parametrize(
    "other",
    [
        fact(2, "Spare tyres are ordered from Husqvarna.", words=0.7),  # has less of the question
        fact(2, "Old letters are ordered by date."),
        fact(2, "Spare blades are sharpened by Marta."),
        replace(NEW, source="extractor"),
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


@pytest.mark.parametrize(
    ("language", "other", "old", "new"),
    [
        (
            "en",
            "Keys of the lab are changed each Monday.",
            "Visitor badges last 14 days.",
            "Visitor badges last 21 days, no longer 14.",
        ),
        (
            "de",
            "Die Laborschlüssel wechseln jeden Montag.",
            "Besucherausweise gelten 14 Tage.",
            "Besucherausweise gelten jetzt 21 statt 14 Tage.",
        ),
        (
            "ru",
            "Ключи меняем по понедельникам.",
            "Пропуск действует 14 дней.",
            "Пропуск теперь действует 21 день вместо 14.",
        ),
    ],
)
def test_who_names_the_former_value_renews_only_what_has_it(language: str, other: str, old: str, new: str) -> None:
    likeness = {(0, 1): 0.9, (0, 2): 0.3, (1, 2): 0.3}  # the two are taken for one subject
    assert marks(fact(1, other), fact(3, new), fact(2, "…"), language=language, likeness=likeness) == [None] * 3
    assert marks(fact(1, old), fact(3, new), fact(2, "…"), language=language, likeness=likeness)[0] == "3"


def test_a_value_of_the_same_kind_renews_also_with_another_verb() -> None:
    assert marks(fact(1, "Loki keeps log lines for 14 days."), fact(2, "Loki log lines: 45 days.")) == ["2", None]


def test_an_agent_does_not_renew_what_a_person_stated() -> None:
    assert marks(replace(OLD, source="person"), NEW) == [None, None]


def test_what_says_that_it_changed_is_nearly_as_certain() -> None:
    new = fact(2, "We order spare blades from Husqvarna now.", words=0.5, certainty=0.06)
    assert [hit.certainty for hit in with_renewals([OLD, new], ["en", "en"])] == [0.9, pytest.approx(0.81)]


def test_a_newer_one_that_would_be_cut_comes_before_the_older_one() -> None:
    cut = replace(NEW, certainty=0.01)
    assert [hit.certainty for hit in with_renewals([OLD, cut], ["en", "en"])] == [0.9, pytest.approx(0.81)]
    assert [hit.id for hit in one_list(with_renewals([OLD, cut], ["en", "en"]), [], [])] == ["2", "1"]


@pytest.mark.parametrize(
    ("language", "older", "newer", "cosine"),
    [
        ("en", "The pager for payments is with Jonas.", "Ring Olga if payments break, she has the pager now.", 0.6),
        ("de", "Der Wetterdienst kommt von Windy.", "Wetterdaten holen wir uns neuerdings bei Meteoblue.", 0.5),
        ("ru", "Отчёты собирает Олег.", "За отчёты теперь отвечает Инна.", 0.5),
    ],
)
def test_other_words_renew_a_fact_that_is_the_nearest_of_many(
    language: str, older: str, newer: str, cosine: float
) -> None:
    others = [fact(number, f"{number} {text}") for number, text in enumerate(OTHERS, 3)]
    hits = [fact(1, older), fact(2, newer, words=0.5, certainty=0.1), *others]
    likeness = {(low, high): 0.1 for low in range(len(hits)) for high in range(low + 1, len(hits))} | {(0, 1): cosine}
    assert marks(*hits, language=language, likeness=likeness)[0] == "2"


def test_the_only_other_fact_is_not_near_for_being_the_nearest() -> None:
    old, new = fact(1, "We release on Tuesdays only."), fact(2, "Release wheels are built on Linux.")
    assert marks(old, new, likeness={(0, 1): 0.21}) == [None, None]


def test_a_fact_without_a_vector_is_compared_by_words() -> None:
    likeness = {(0, 1): 0.1}
    assert marks(OLD, fact(3, "Old letters are ordered by date."), NEW, likeness=likeness) == ["2", None, None]


def test_the_newest_value_counts() -> None:
    newest = fact(3, "Spare blades are ordered from Stihl.")
    assert marks(OLD, NEW, newest) == ["3", "3", None]


def test_a_mark_needs_the_newer_one_before_it() -> None:
    old, new = with_renewals([OLD, NEW], ["en", "en"])
    assert [hit.newer_id for hit in in_sight([new, old])] == [None, "2"]
    assert [hit.newer_id for hit in in_sight([old, new])] == [None, None]


MOVED = fact(1, "I live in Leeds, near the park.")
BOXES = fact(2, "Boxes are mostly unpacked, the flat in Bristol has a balcony.", words=0.2, certainty=0.1)
NEAR: Likeness = {(0, 1): 0.45}


@pytest.mark.parametrize(("logit", "marked"), [(6.0, "2"), (-6.0, None)])
def test_the_model_that_reads_both_facts_decides_what_words_leave_open(logit: float, marked: str | None) -> None:
    hits = with_renewals([MOVED, BOXES], ["en", "en"], NEAR, lambda *_: logit)
    assert [hit.newer_id for hit in hits] == [marked, None]


def test_the_model_can_keep_a_mark_away_that_words_alone_would_give() -> None:
    assert marks(OLD, NEW, likeness=NEAR) == ["2", None]
    hits = with_renewals([OLD, NEW], ["en", "en"], NEAR, lambda *_: -6.0)
    assert [hit.newer_id for hit in hits] == [None, None]


def test_the_model_reads_few_pairs_and_only_older_with_newer_ones() -> None:
    read = list[tuple[str, str]]()

    def score(older: str, newer: str, _: Mapping[str, float]) -> float:
        read.append((older, newer))
        return 0.0

    hits = [fact(day, f"Spare blades of type {day} are ordered from Gardena.") for day in range(1, 13)]
    pairs = {(first, other): 0.8 for first in range(12) for other in range(first + 1, 12)}
    with_renewals(hits, ["en"] * 12, pairs, score)
    texts = [hit.text for hit in hits]
    assert 0 < len(read) <= MOST_READ
    assert all(texts.index(older) < texts.index(newer) for older, newer in read)


def sketch(number: int, kind: str = "fact") -> VersionSketch:
    return VersionSketch(number, str(number), kind, "facts", None, None, 0, None, "en", 0, micros=number)


def test_newer_facts_near_the_best_ones_are_looked_at_however_far_behind_they_rank() -> None:
    cosines = {(1, 30): 0.9, (1, 31): 0.2, (1, 32): 0.9}  # far behind: one near, one not near, one that is no fact

    class Search:
        def cosines_between(self, _: str, numbers: Sequence[int]) -> dict[tuple[int, int], float]:
            return {pair: cosine for pair, cosine in cosines.items() if set(pair) <= set(numbers)}

    class Stored:
        search = Search()

    order = [sketch(1), *(sketch(number) for number in range(2, 7)), sketch(30), sketch(31), sketch(32, "conversation")]
    reader = cast(Reader, Stored())
    assert maybe_renewing(reader, order, ServingEngines("minilm"), 6) == [30]
    assert maybe_renewing(reader, order[:6], ServingEngines("minilm"), 6) == []
