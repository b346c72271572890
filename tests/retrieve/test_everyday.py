"""Words of everyday questions, and what they do to certainty and order."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from waypost.flows.recall.renewals import with_renewals
from waypost.model.recall import Hit
from waypost.retrieve.answer_order import one_list
from waypost.retrieve.certainty import Rarity, question_words
from waypost.retrieve.cut import worth_showing
from waypost.retrieve.everyday import related
from waypost.store.protocol import TermCounts
from waypost.text.stems import fold, stem

MAY = datetime(2026, 5, 1, tzinfo=UTC)


def share(question: str, language: str, text: str, text_language: str) -> float:
    words = question_words(question, language)
    return Rarity.of(words, TermCounts(10, {})).share(text, text_language)


def hit(text: str, certainty: float, *, collection: str = "facts", days: int = 0) -> Hit:
    time = MAY + timedelta(days=days)
    return Hit(text, 0.5, text, "fact", collection, "agent", time, time, certainty=certainty)


@pytest.mark.parametrize(
    ("word", "other", "language"), [("live", "umgezogen", "de"), ("Hund", "puppy", "en"), ("врач", "doctor", "en")]
)
def test_everyday_words_are_related_across_languages(word: str, other: str, language: str) -> None:
    assert stem(fold(other), language) in related(word)
    assert related("frobnicate") == frozenset()


@pytest.mark.parametrize(
    ("question", "language", "text", "text_language"),
    [
        ("where do I live?", "en", "I moved to Graz in May", "en"),
        ("Wie heißt unser Hund?", "de", "Our puppy is called Rex", "en"),
        ("what am I allergic to?", "en", "У меня аллергия на пыльцу", "ru"),
    ],
)
def test_a_text_has_a_word_if_it_has_a_related_one(question: str, language: str, text: str, text_language: str) -> None:
    assert share(question, language, text, text_language) >= 0.5


def test_words_of_the_form_of_a_question_are_not_missed() -> None:
    assert share("how often are uploads retried?", "en", "Uploads are retried three times", "en") == 1.0
    assert share("how often?", "en", "Uploads are retried three times", "en") == 0.0


def test_of_two_facts_in_the_same_words_the_newer_one_is_first() -> None:
    def listed(*hits: Hit) -> list[str]:
        asked = [replace(each, evidence={"words": 1.0}) for each in hits]
        return [each.text for each in one_list(with_renewals(asked, ["en"] * len(asked)), [], [])]

    old, new = hit("The gateway listens on port 8080", 0.9), hit("The gateway listens on port 9090", 0.85, days=3)
    assert listed(old, new) == [new.text, old.text]
    doubtful = hit("The gateway listens on port 9090", 0.3, days=3)  # of its subject, however few words it shares
    assert listed(old, doubtful) == [new.text, old.text]
    other = hit("Invoices are generated at night", 0.85, days=3)
    assert listed(old, other)[0] == old.text


def test_a_small_journal_is_ordered_and_cut_by_certainty() -> None:
    turns = [hit("I moved to Graz", 0.01, collection="journal"), hit("My dog is Rex", 0.9, collection="journal")]
    assert one_list([], [], turns) == turns
    listed = one_list([], [], turns, is_small=True)
    assert [each.certainty for each in listed] == [0.9, 0.01]
    assert [each.certainty for each in worth_showing(listed, is_small=True)] == [0.9]
    assert len(worth_showing(turns)) == 2


def test_a_turn_of_the_same_session_may_follow_from_further_behind() -> None:
    best, turn = (
        replace(hit(text, certainty, collection="journal"), session="s")
        for text, certainty in (("a", 0.6), ("b", 0.08))
    )
    beside = hit("c", 0.5)
    assert turn in worth_showing([best, beside, turn])
    assert replace(turn, session="t") not in worth_showing([best, beside, replace(turn, session="t")])
