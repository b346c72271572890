"""What stands beside a hit is worth nearly as much as the hit, and what is long must be worth it."""

import pytest

from waypost.retrieve.neighbours import BESIDE, REACH, REPLY, value, worth_around
from waypost.retrieve.score import shown_score, total_of
from waypost.store.protocol import VersionSketch


def turn(position: int, session: str | None = "s", speaker: str | None = None) -> VersionSketch:
    return VersionSketch(
        position, f"{session}{position}", "conversation", "journal", None, session, position, speaker, "en", 0, 0
    )


def test_a_score_and_its_total_say_the_same() -> None:
    assert [total_of(shown_score(total)) for total in (-3.0, 0.0, 2.2, 6.0)] == pytest.approx([-3.0, 0.0, 2.2, 6.0])
    assert total_of(0.0) < total_of(1.0)


def test_turns_within_reach_are_worth_a_little_less_than_the_hit() -> None:
    totals = worth_around({"s5": shown_score(4.0)}, [turn(place) for place in range(10)])
    assert sorted(totals) == [f"s{place}" for place in range(5 - REACH, 5 + REACH + 1)]
    assert {name: total for name, total in totals.items() if name != "s5"} == pytest.approx(
        {name: 4.0 - BESIDE for name in totals if name != "s5"}
    )
    assert totals["s5"] == pytest.approx(4.0)


def test_what_lies_between_two_hits_counts_for_the_better_one_and_does_not_spread_further() -> None:
    totals = worth_around({"s2": shown_score(3.0), "s4": shown_score(5.0)}, [turn(place) for place in range(12)])
    assert totals["s3"] == pytest.approx(5.0 - BESIDE)
    assert totals["s2"] == pytest.approx(5.0 - BESIDE)  # beside a better one it gains
    assert "s7" not in totals


def test_sessions_do_not_reach_into_each_other() -> None:
    totals = worth_around({"a3": shown_score(4.0)}, [turn(3, "a"), turn(4, "b"), turn(2, "b")])
    assert sorted(totals) == ["a3"]


def test_an_assistant_is_not_told_for_standing_beside_a_hit() -> None:
    turns = [turn(place, speaker="user" if place % 2 else "Assistant") for place in range(6)]
    assert sorted(worth_around({"s3": shown_score(4.0)}, turns)) == ["s1", "s3", "s5"]


def test_an_assistants_short_answer_right_after_a_hit_counts_and_another_does_not() -> None:
    turns = [turn(place, speaker="user" if place % 2 else "Assistant") for place in range(6)]
    totals = worth_around({"s3": shown_score(4.0)}, turns, {"s2", "s4"})
    assert sorted(totals) == ["s1", "s3", "s4", "s5"]
    assert totals["s4"] == pytest.approx(4.0 - REPLY)


def test_a_hit_without_a_session_keeps_its_total() -> None:
    assert worth_around({"fact": shown_score(4.0)}, []) == pytest.approx({"fact": 4.0})


def test_of_two_that_are_worth_the_same_the_shorter_one_is_told() -> None:
    assert value(3.0, 20) > value(3.0, 200)
    assert value(3.2, 200) > value(3.0, 100)
