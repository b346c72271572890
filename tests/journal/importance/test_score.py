"""The points of an entry: frequency, recency, explicitness and relevance."""

from datetime import UTC, date, datetime, timedelta

import pytest

from waypost.journal.importance.score import TopicMention, frequency_of, judge, retention_of
from waypost.journal.importance.utterance import read_utterance

START = datetime(2026, 1, 5, 10, 0, tzinfo=UTC)


def mentions(*days: int, asks: bool = False) -> list[TopicMention]:
    return [
        TopicMention(START + timedelta(days=day), (START + timedelta(days=day)).date(), f"s{number}", asks)
        for number, day in enumerate(days)
    ]


@pytest.mark.parametrize(
    ("days", "points"),
    [
        ((0,), 0),
        ((0, 1), 1),
        ((0, 40, 80), 1),
        ((0, 40, 80, 120, 160), 1),  # often, but never several times a month
        ((0, 8, 16, 24), 3),  # every week for a month
        ((0, 3, 7, 10, 13), 2),  # five mentions of a plan
        ((0, 1, 2, 28), 2),
        ((0, 1, 2, 3), 3),  # daily
        ((0, 2, 4, 6, 300), 3),  # a former habit still counts
    ],
)
def test_frequency_counts_conversations_by_the_written_rule(days: tuple[int, ...], points: int) -> None:
    assert frequency_of(mentions(*days)) == points


def test_several_turns_of_one_conversation_are_one_mention() -> None:
    same = [TopicMention(START + timedelta(minutes=n), START.date(), "s") for n in range(9)]
    assert frequency_of(same) == 0


def test_recency_counts_only_beside_another_point() -> None:
    small_talk, trait = read_utterance("Sounds good.", "en"), read_utterance("I am allergic to penicillin.", "en")
    at = START + timedelta(hours=1)
    assert judge(small_talk, mentions(0), at).score == 0
    assert judge(trait, mentions(0), at).recency_points == 2
    assert judge(trait, mentions(0), at + timedelta(days=8)).recency_points == 1
    assert judge(trait, mentions(0), at + timedelta(days=31)).recency_points == 0


def test_only_what_was_said_until_then_counts() -> None:
    reading = read_utterance("We decided to use PostgreSQL.", "en")
    early, late = START + timedelta(days=2), START + timedelta(days=20)
    assert judge(reading, mentions(0, 5, 9, 12), early).frequency_points == 0
    assert judge(reading, mentions(0, 5, 9, 12), late).frequency_points == 2


def test_a_question_of_the_day_stays_at_one_however_often_it_is_asked() -> None:
    reading = read_utterance("Was läuft heute auf ZDF um 20:15?", "de")
    assert judge(reading, mentions(0), START).score == 0
    assert judge(reading, mentions(*range(30), asks=True), START + timedelta(days=30)).score == 1


def test_what_is_asked_again_gets_a_point_for_that() -> None:
    reading = read_utterance("How do VPC peerings work?", "en")
    assert judge(reading, mentions(0, asks=True), START).explicit_points == 0
    again = judge(reading, mentions(0, 3, asks=True), START + timedelta(days=3))
    assert again.explicit_points == 1
    assert "asked again" in again.reasoning


def test_the_plan_of_the_seed_is_worth_nine_with_its_later_mentions() -> None:
    said = "Ich möchte dieses Jahr drei AWS Zertifizierungen machen. Kannst du mir einen Lernplan erstellen?"
    score = judge(read_utterance(said, "de"), mentions(0, 3, 7, 10, 13), START + timedelta(days=15))
    assert score.to_json() == {
        "score": 9,
        "frequency_points": 2,
        "recency_points": 2,
        "explicit_points": 2,
        "relevance_points": 3,
        "reasoning": "5 times mentioned (2). Brought up in the last 7 days (2). The goal is stated with a plan, a number"
        " or a date (2). A stated personal goal (3). Score 9.",
        "retention_recommendation": retention_of(9),
    }


@pytest.mark.parametrize(
    ("score", "word"), [(10, "for good"), (8, "for good"), (7, "30 days"), (4, "7 days"), (1, "24")]
)
def test_retention_follows_the_score(score: int, word: str) -> None:
    assert word in retention_of(score)


def test_a_day_far_in_the_past_does_not_disturb() -> None:
    old = TopicMention(datetime(1, 1, 1, tzinfo=UTC), date(1, 1, 1), "x")
    assert frequency_of([old, *mentions(0)]) == 1


def test_a_remark_that_states_nothing_is_worth_no_more_than_a_question_whatever_it_is_about() -> None:
    daily = [
        TopicMention(START - timedelta(days=day), START.date() - timedelta(days=day), f"s{day}", matters=True)
        for day in range(5)
    ]
    assert judge(read_utterance("haha nice one", "en"), daily, START).score <= 4
    assert judge(read_utterance("Ran ten kilometres today, personal best!", "en"), daily, START).score >= 5
