"""The made-up life itself: the same for a seed, of the size it should be, and as hard to compress as real words."""

import gzip
from datetime import date

import pytest
from tests.simulation.life import Life, characters


def test_a_seed_gives_the_same_life_and_another_seed_another() -> None:
    one, same, other = (list(Life(seed, date(2024, 1, 1)).days(3)) for seed in (1, 1, 2))
    assert one == same
    assert one != other


@pytest.mark.slow
def test_a_day_has_ten_conversations_of_two_thousand_characters() -> None:
    days = list(Life(1, date(2024, 1, 1)).days(60))
    assert all(len({line.session for line in day.lines}) == 10 for day in days)
    assert 18_500 < sum(characters(day.lines) for day in days) / len(days) < 21_500
    lines = [line for day in days for line in day.lines]
    assert {line.language for line in lines} == {"en", "de", "ru"}
    assert {line.speaker for line in lines} == {"user", "assistant", "tool"}
    assert all(line.at.date() == day.date for day in days for line in day.lines)
    assert len({line.key for line in lines}) == len(lines)


@pytest.mark.slow
def test_no_two_facts_answer_the_same_question_and_each_is_in_its_own_line() -> None:
    facts = [fact for day in Life(1, date(2024, 1, 1)).days(150) for fact in day.facts]
    assert len(facts) > 150
    assert len({fact.question for fact in facts}) == len(facts)
    assert [fact for fact in facts if not fact.is_in(fact.line.text)] == []
    assert {fact.line.sort for fact in facts} == {"decision", "preference", "event", "remembered"}


@pytest.mark.slow
def test_words_compress_no_better_than_real_conversations() -> None:
    """Real ones with assistants, twenty thousand characters at a time, were measured to take 0.34-0.40 bytes each."""
    texts = ["\n\n".join(line.text for line in day.lines) for day in Life(1, date(2024, 1, 1)).days(30)]
    packed = sum(len(gzip.compress(text.encode(), 9)) for text in texts)
    assert 0.34 < packed / sum(len(text) for text in texts) < 0.42
