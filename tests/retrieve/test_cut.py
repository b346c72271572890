"""What an answer shows: nothing if nothing answers, and no hits that only fill up."""

from collections.abc import Mapping
from datetime import UTC, datetime

from waypost.model.recall import Hit
from waypost.retrieve.cut import worth_showing

AT = datetime(2026, 1, 1, tzinfo=UTC)


def hit(certainty: float | None, collection: str = "facts", evidence: Mapping[str, float] | None = None) -> Hit:
    name = f"{collection} {certainty}"
    return Hit(name, 0.5, name, "fact", collection, "person", AT, AT, certainty=certainty, evidence=evidence or {})


def test_nothing_is_shown_if_no_hit_probably_answers() -> None:
    assert worth_showing([hit(0.01), hit(0.01, "functions"), hit(0.01, "journal")]) == []
    assert worth_showing([]) == []


def test_memories_far_behind_the_best_one_are_left_out() -> None:
    assert worth_showing([hit(0.9), hit(0.5), hit(0.2)]) == [hit(0.9), hit(0.5)]


def test_only_what_is_nearly_as_good_follows_a_doubtful_answer() -> None:
    best = hit(0.1, "functions")
    assert worth_showing([best, hit(0.08, "functions"), hit(0.02, "functions"), hit(0.01)]) == [
        best,
        hit(0.08, "functions"),
    ]


def test_the_best_hit_stays_however_little_it_has_above_the_floor() -> None:
    assert worth_showing([hit(0.06), hit(0.012)]) == [hit(0.06)]


def test_code_far_below_the_best_does_not_fill_up_the_answer() -> None:
    best, other = hit(0.9), hit(0.3, "functions")
    assert worth_showing([best, other]) == [best]
    assert worth_showing([hit(0.4), other]) == [hit(0.4), other]


def test_code_may_follow_code_from_further_behind() -> None:
    best, place = hit(0.6, "functions"), hit(0.05, "functions")
    assert worth_showing([best, place, hit(0.01, "functions"), hit(0.01)]) == [best, place]
    assert worth_showing([hit(0.6), place]) == [hit(0.6)]  # but not behind a memory


def test_what_init_wrote_must_nearly_be_the_best() -> None:
    best, first = hit(0.8, "functions"), hit(0.3, evidence={"first_fact": 1.0})
    assert worth_showing([best, first]) == [best]
    assert worth_showing([first]) == [first]


def test_turns_around_an_answer_from_the_journal_alone_stay() -> None:
    turns = [hit(0.5, "journal"), hit(0.001, "journal")]
    assert worth_showing(turns) == turns


def test_code_alone_keeps_its_list() -> None:
    places = [hit(0.5, "functions"), hit(0.001, "functions")]
    assert worth_showing(places, only_code=True) == places
    assert worth_showing(places[1:]) == []


def test_a_name_that_does_not_exist_is_not_answered_by_others() -> None:
    assert worth_showing([hit(0.7, evidence={"misses": 1.0})], is_lookup=True) == []


def test_code_has_the_low_floor_only_if_nothing_else_was_searched() -> None:
    unlikely = hit(0.015, "functions")
    assert worth_showing([unlikely], only_code=True) == [unlikely]
    assert worth_showing([unlikely]) == []  # a project that has no memories yet was asked for everything
